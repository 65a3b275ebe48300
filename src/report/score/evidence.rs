//! Answers predicted from summaries, and whether passages and summaries contain them.

use std::collections::HashMap;

use super::ScoresAsked;
use crate::browse::BrowseTable;
use crate::error::{ErrorKind, Result};
use crate::protocol::Protocol;
use crate::report::{Column, CorpusIndex, StudyFrame, Table, grouped_table};
use crate::score::{
    AnswerGiven, EvidenceUse, GroupBy, Grouped, InText, Normalised, Score, gold_answers, predicted_answer,
};
use crate::store::{StudyFile, Target};
use crate::study::{Candidate, CandidateId, Query, QueryId};

/// Whether a protocol asks how faithful and comprehensive summaries are; its tables stand beside these.
pub(super) fn is_beside(protocol: &Protocol) -> bool {
    ["faithful", "comprehensive"].iter().all(|key| protocol.question(key).is_some())
}

/// The tables of summaries whose queries have gold answers, judged or not; empty without gold answers.
pub fn tables(frame: &StudyFrame<'_>, asked: &ScoresAsked) -> Result<Vec<Table>> {
    let mut given = summaries(frame.corpus()?);
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let mut by = match frame.by_rows_of(BrowseTable::Candidates) {
        // A field of items cannot group summaries that nobody judges.
        Err(error) if error.kind() == ErrorKind::Usage => return Ok(Vec::new()),
        by => by?,
    };
    by.retain(|by| by.name() != "annotator");
    let chosen = frame.candidates()?;
    given.retain(|(id, _)| chosen.as_ref().is_none_or(|chosen| chosen.contains(id)));
    let mut given: Vec<AnswerGiven> = given.into_iter().map(|(_, answer)| answer).collect();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    look_into_passages(frame.study, &mut given)?;
    let uncertainty = asked.part.uncertainty;
    let by = if by.is_empty() { GroupBy::own(&["system"], uncertainty) } else { GroupBy { by, uncertainty } };
    let found = Grouped::of(&given, |answer| &answer.origin, by, EvidenceUse::of);
    let is_predicted = found.all.as_ref().is_some_and(|all| all.exact_match.part().1 > 0);
    let answers = is_predicted.then(|| answer_table(&found));
    Ok(answers.into_iter().chain([evidence_use_table(&found)]).collect())
}

fn summaries(corpus: &CorpusIndex) -> Vec<(CandidateId, AnswerGiven)> {
    let key = |(id, query): &'_ (QueryId, Query)| ((query.collection.clone(), query.id.clone()), *id);
    let queries: HashMap<(String, String), QueryId> = corpus.records.queries.iter().map(key).collect();
    let given = |(row, (id, candidate)): (u32, &(CandidateId, Candidate))| {
        let query = *queries.get(&(candidate.collection.clone(), candidate.query.clone()))?;
        let target = Target { candidate: Some(*id), ..Target::of_query(query) };
        let gold = gold_answers(&corpus.query(query)?.meta);
        let predicted = predicted_answer(&candidate.meta);
        let origin = corpus.origin(&target, "", row)?;
        Some((*id, AnswerGiven::of(origin, &gold, predicted, &candidate.text)?))
    };
    (0..).zip(&corpus.records.candidates).filter_map(given).collect()
}

fn look_into_passages(study: &StudyFile, given: &mut [AnswerGiven]) -> Result<()> {
    let mut of_collection: HashMap<String, Vec<&mut AnswerGiven>> = HashMap::new();
    for answer in given {
        of_collection.entry(answer.origin.collection.clone()).or_default().push(answer);
    }
    study.for_each_document(|_, document| {
        if let Some(answers) = of_collection.get_mut(&document.collection) {
            let passage = Normalised::of(&document.text);
            answers.iter_mut().for_each(|answer| answer.look_into(&passage));
        }
        Ok(())
    })
}

/// Exact match and token F1 by group, as in Xu et al. 2023, Table 2.
fn answer_table(found: &Grouped<EvidenceUse>) -> Table {
    let how = found.uncertainty;
    let percent = |of: fn(&EvidenceUse) -> &Score| move |row: &EvidenceUse| how.percent(of(row));
    let columns: [Column<'_, EvidenceUse>; 3] = [
        Column::new("predicted", "answers", |evidence: &EvidenceUse| evidence.exact_match.part().1),
        Column::new("exact_match", "exact match", percent(|evidence| &evidence.exact_match)).score(),
        Column::new("f1", "F1", percent(|evidence| &evidence.f1)).score(),
    ];
    grouped_table("Predicted answers", found, columns)
}

/// The shares of answers in the passages and in the summaries, by group, as in Xu et al. 2023, Table 3.
fn evidence_use_table(found: &Grouped<EvidenceUse>) -> Table {
    type UseOfText = fn(&EvidenceUse) -> &InText;
    let how = found.uncertainty;
    let texts: [(&str, UseOfText); 2] =
        [("passages", |evidence| &evidence.passages), ("summary", |evidence| &evidence.summary)];
    let mut columns = vec![Column::new("summaries", "n", |evidence: &EvidenceUse| evidence.summaries)];
    for (name, text) in texts {
        let measure = |at: usize| move |evidence: &EvidenceUse| how.percent(&text(evidence).shares[at]);
        let part = move |at: usize| move |evidence: &EvidenceUse| text(evidence).shares[at].part();
        let answers = |at: usize| move |row: &EvidenceUse| part(at)(row).1;
        columns.extend([
            Column::new(format!("count_gold_in_{name}"), "gold", move |row: &EvidenceUse| part(0)(row).0)
                .detail(),
            Column::new(format!("gold_in_{name}"), format!("gold in {name}"), measure(0)).percent(),
            Column::new(format!("answers_with_gold_in_{name}"), "answers", answers(1)).detail(),
            Column::new(
                format!("predicted_with_gold_in_{name}"),
                format!("pred. with gold in {name}"),
                measure(1),
            )
            .percent(),
            Column::new(format!("answers_without_gold_in_{name}"), "answers", answers(2)).detail(),
            Column::new(
                format!("predicted_without_gold_in_{name}"),
                format!("pred. without in {name}"),
                measure(2),
            )
            .percent(),
        ]);
    }
    grouped_table("Answers in the evidence", found, columns).note(
        "gold in: a gold answer occurs there. pred. with gold, without: predicted answers that occur there, \
         of those whose gold answer does, and does not.",
    )
}
