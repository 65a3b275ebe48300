//! Answers that follow from summaries, and what they rest on.

use std::collections::HashMap;

use serde_json::Value;

use super::super::table::{Cell, Column, Table};
use super::corpus::Corpus;
use super::grouped::{fill, grouped_table};
use crate::error::Result;
use crate::score::{AnswerGiven, By, EvidenceRow, Normalised, evidence_table};
use crate::store::Target;
use crate::study::{Candidate, Query, QueryId};

/// Where imports leave the gold answers of a query, and the answer predicted from a candidate.
const GOLD: &str = "answers";
const PREDICTED: &str = "answer";

/// The tables of summaries whose queries have gold answers; none without any. Nobody judges these.
pub fn tables(corpus: &Corpus<'_>, by: &[By]) -> Result<Vec<Table>> {
    let by: Vec<By> = by.iter().copied().filter(|by| *by != By::Annotator).collect();
    let by = if by.is_empty() { &[By::System][..] } else { &by };
    let mut given = summaries(corpus);
    if given.is_empty() {
        return Ok(Vec::new());
    }
    look_into_passages(corpus, &mut given)?;
    let rows = evidence_table(&given, by);
    let all = evidence_table(&given, &[]);
    let predicted = rows.iter().any(|row| row.evidence.predicted > 0);
    let answers = predicted.then(|| answer_table(&rows, all.first(), by));
    Ok(answers.into_iter().chain([evidence_use_table(&rows, all.first(), by)]).collect())
}

fn summaries(corpus: &Corpus<'_>) -> Vec<AnswerGiven> {
    let queries: HashMap<(&str, &str), (QueryId, &Query)> = corpus
        .queries
        .iter()
        .map(|(id, query)| ((query.collection.as_str(), query.id.as_str()), (*id, query)))
        .collect();
    let mut candidates: Vec<_> = corpus.candidates.iter().collect();
    candidates.sort_unstable_by_key(|(id, _)| **id);
    let given = |id, candidate: &Candidate| {
        let (query, asked) = queries.get(&(candidate.collection.as_str(), candidate.query.as_str()))?;
        let gold = asked.meta.get(GOLD).map_or_else(Vec::new, texts);
        let target = Target { query: *query, document: None, candidate: Some(id), unit: None, bullet: None };
        let origin = corpus.origin(&target, "")?;
        let predicted = candidate.meta.get(PREDICTED).and_then(Value::as_str);
        AnswerGiven::of(origin, &gold, predicted, &candidate.text)
    };
    candidates.into_iter().filter_map(|(id, candidate)| given(*id, candidate)).collect()
}

/// A text, or the texts of a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    }
}

fn look_into_passages(corpus: &Corpus<'_>, given: &mut [AnswerGiven]) -> Result<()> {
    let mut of_collection: HashMap<String, Vec<&mut AnswerGiven>> = HashMap::new();
    for answer in given {
        of_collection.entry(answer.origin.collection.clone()).or_default().push(answer);
    }
    corpus.study.for_each_document(|_, document| {
        if let Some(answers) = of_collection.get_mut(&document.collection) {
            let passage = Normalised::of(&document.text);
            answers.iter_mut().for_each(|answer| answer.look_into(&passage));
        }
        Ok(())
    })
}

/// Exact match and token F1 by group, as in Xu et al. 2023, Table 2.
pub fn answer_table(rows: &[EvidenceRow], all: Option<&EvidenceRow>, by: &[By]) -> Table {
    let columns = [
        Column::count("predicted", "answers"),
        Column::percent("exact_match", "exact match"),
        Column::percent("f1", "F1"),
    ];
    let mut table = grouped_table("Predicted answers", by, columns);
    let cells = |row: &EvidenceRow| {
        let evidence = &row.evidence;
        vec![Cell::Count(evidence.predicted), Cell::number(evidence.exact_match), Cell::number(evidence.f1)]
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table
}

/// Which answers stand in the passages and in the summaries, by group, as in Xu et al. 2023, Table 3.
pub fn evidence_use_table(rows: &[EvidenceRow], all: Option<&EvidenceRow>, by: &[By]) -> Table {
    let mut columns = vec![Column::count("summaries", "n")];
    for (name, heading) in [("passages", "passages"), ("summary", "summary")] {
        columns.extend([
            Column::count(format!("count_gold_in_{name}"), "gold").detail(),
            Column::percent(format!("gold_in_{name}"), format!("gold in {heading}")),
            Column::count(format!("answers_with_gold_in_{name}"), "answers").detail(),
            Column::percent(format!("predicted_with_gold_in_{name}"), "pred. with gold"),
            Column::count(format!("answers_without_gold_in_{name}"), "answers").detail(),
            Column::percent(format!("predicted_without_gold_in_{name}"), "pred. without"),
        ]);
    }
    let mut table = grouped_table("Answers in the evidence", by, columns);
    let cells = |row: &EvidenceRow| {
        let evidence = &row.evidence;
        let mut cells = vec![Cell::Count(evidence.summaries)];
        for text in [evidence.passages, evidence.summary] {
            let counts = [text.gold.part, text.predicted_with_gold.of, text.predicted_without_gold.of];
            for (count, measure) in counts.into_iter().zip(text.measures()) {
                cells.extend([Cell::Count(count), Cell::number(measure)]);
            }
        }
        cells
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push(
        "gold in: a gold answer occurs there. pred. with gold, without: predicted answers that occur there, of those \
         whose gold answer does, and does not."
            .to_owned(),
    );
    table
}
