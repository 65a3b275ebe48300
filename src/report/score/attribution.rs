//! Citation precision.

use std::collections::BTreeMap;

use super::Scope;
use crate::report::grouped::{INTERVALS, grouped_table, share_columns};
use crate::report::table::{Column, Table};
use crate::score::{Attribution, AttributionQuestion, By, CitationsJudged, Citing, Grouped};
use crate::store::Target;

/// How far citations are borne out, by group.
pub fn tables(scope: &Scope<'_>, question: &AttributionQuestion<'_>) -> Vec<Table> {
    let mut summaries: BTreeMap<_, CitationsJudged> = BTreeMap::new();
    for judgment in scope.judged.each() {
        let candidate = judgment.target.candidate.and_then(|id| scope.corpus.candidates.get(&id));
        let whole = Target { bullet: None, document: None, ..*judgment.target };
        let origin = scope.corpus.origin(&whole, judgment.name);
        if let (Some(candidate), Some(origin)) = (candidate, origin) {
            let key = (judgment.annotator, judgment.target.candidate);
            let summary = summaries.entry(key).or_insert_with(|| CitationsJudged {
                origin,
                citing: Citing::of(&candidate.text),
                judged: Vec::new(),
            });
            summary.judged.extend(question.read(judgment.answers));
        }
    }
    let summaries: Vec<CitationsJudged> = summaries.into_values().collect();
    let by = scope.by_or(&[By::System]);
    let found = Grouped::of(&summaries, |summary| &summary.origin, by, Attribution::of);
    let mut columns = vec![
        Column::new("summaries", "n", |cited: &Attribution| cited.summaries),
        Column::new("bullets", "bullets", |cited: &Attribution| cited.citing.bullets),
        Column::new("uncited", "uncited", |cited: &Attribution| cited.citing.uncited),
        Column::new("citations", "citations", |cited: &Attribution| cited.citing.citations).detail(),
        Column::new("judged", "judged", |cited: &Attribution| cited.full.of),
    ];
    columns.extend(share_columns("full", "full", |cited: &Attribution| cited.full));
    columns.extend(share_columns("at_least_partial", "partial or full", |cited: &Attribution| {
        cited.at_least_partial
    }));
    let mut table = grouped_table("Citation precision", &found, columns);
    table.notes.push("uncited: bullets without a citation. Shares are of the citations judged.".to_owned());
    table.notes.push(INTERVALS.to_owned());
    vec![table]
}
