//! Citation precision.

use std::collections::{BTreeSet, HashMap};

use super::Scope;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::CountedJudgment;
use crate::report::table::{Column, Table};
use crate::score::{Attribution, AttributionQuestion, CitationJudged, Citing, Grouped, Undefined};
use crate::study::CandidateId;

/// What everyone said of each citation.
pub fn citations(scope: &Scope<'_>, question: &AttributionQuestion<'_>) -> Vec<CitationJudged> {
    let mut citing: HashMap<CandidateId, Citing> = HashMap::new();
    let nothing = BTreeSet::new();
    let citation = |judgment: CountedJudgment<'_>| {
        let id = judgment.target.candidate?;
        let summary = scope.corpus.candidate(id)?;
        let documents = scope.corpus.numbers_of.get(&summary.collection).unwrap_or(&nothing);
        Some(CitationJudged {
            citing: *citing
                .entry(id)
                .or_insert_with(|| Citing::of(&summary.text, |bullet| summary.cited(bullet), documents)),
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            support: question.read(judgment.answers),
        })
    };
    scope.judged.each().filter_map(citation).collect()
}

/// How far citations are borne out, by group.
pub fn tables(scope: &Scope<'_>, question: &AttributionQuestion<'_>) -> Vec<Table> {
    let citations = citations(scope, question);
    let by = scope.by_or(&["system"]);
    let found = Grouped::of(&citations, |citation| &citation.origin, by, Attribution::of);
    let mut columns = vec![
        Column::new("summaries", "summaries", |cited: &Attribution| cited.summaries),
        Column::new("bullets", "bullets", |cited: &Attribution| cited.citing.bullets),
        Column::new("uncited", "uncited", |cited: &Attribution| cited.citing.uncited).detail(),
        Column::new("share_uncited", "uncited", |cited: &Attribution| match cited.citing.bullets {
            0 => Err(Undefined::NothingJudged),
            bullets => Ok(100.0 * cited.citing.uncited as f64 / bullets as f64),
        })
        .percent(),
        Column::new("citations", "citations", |cited: &Attribution| cited.citing.citations).detail(),
        Column::new("unknown", "unknown", |cited: &Attribution| cited.citing.unknown).detail(),
    ];
    columns.extend(counted_columns("items", |cited: &Attribution| cited.judged));
    let how = found.uncertainty;
    columns.extend([
        Column::new("full", "full", move |cited: &Attribution| how.percent(&cited.full)).score(),
        Column::new("at_least_partial", "partial or full", move |cited: &Attribution| {
            how.percent(&cited.at_least_partial)
        })
        .score(),
    ]);
    let mut table = grouped_table("Citation precision", &found, columns);
    table.notes.push("uncited: bullets without a citation. Shares are of the citations judged.".to_owned());
    let unknown = found.all.as_ref().map_or(0, |all| all.citing.unknown);
    if unknown > 0 {
        table.notes.push(format!(
            "Citations of documents that are not in the study, which nobody can judge: {unknown}."
        ));
    }
    vec![table]
}
