//! Coverage, citation and joint score of systems, and their position sensitivity.

use serde_json::{Value, json};

use super::Scope;
use crate::protocol::Answers;
use crate::report::grouped::grouped_table;
use crate::report::judged::{CandidateJudged, candidates};
use crate::report::table::{Column, Table};
use crate::score::{
    Average, By, Counts, CoverageQuestions, Grouped, PositionSensitivity, Scores, SummaryJudged, Unfinished,
    position_sensitivity, scores_by, unfinished,
};
use crate::study::Unit;

/// How many open summaries a note names; JSON names all.
const NAMED: usize = 3;

/// Every summary of which someone judged something, by annotator.
pub fn summaries(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<SummaryJudged> {
    let corpus = scope.corpus;
    let read = |candidate: CandidateJudged<'_>| {
        let insight =
            |(unit, answers): &(&Unit, &Answers)| questions.read(answers, &unit.id, corpus.gold(unit));
        let insights = candidate.units.iter().map(insight).collect();
        SummaryJudged::of(candidate.origin, &candidate.candidate.text, insights)
    };
    candidates(scope.protocol, corpus, scope.judged).into_iter().map(read).collect()
}

/// The tables of a protocol about coverage.
pub fn tables(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<Table> {
    let summaries = summaries(scope, questions);
    let average = scope.asked.average;
    let found = scores_by(&summaries, scope.by_or(&[By::Retriever, By::Summarizer]), average);
    let mut table = score_table(&found, average, &unfinished(&summaries));
    if scope.corpus.earlier_snapshots > 0 {
        table.notes.push(
            "Of what was written in sessions the last snapshots count; --human has the earlier ones."
                .to_owned(),
        );
    }
    let mut tables = vec![table];
    let positions = position_sensitivity(&summaries, average);
    if positions.iter().any(|row| row.sensitivity.is_ok()) {
        tables.push(position_table(&positions));
    }
    tables
}

/// Coverage, citation, joint by group, as in Laban et al. 2024, Table 2. `open` are the summaries with insights that
/// are not judged.
pub fn score_table(found: &Grouped<Scores>, average: Average, open: &[Unfinished<'_>]) -> Table {
    let columns: [Column<'_, Scores>; 12] = [
        Column::new("summaries", "n", |scores: &Scores| scores.counts.summaries),
        Column::new("judged", "insights", |scores: &Scores| scores.counts.judged),
        Column::new("units", "to judge", |scores: &Scores| scores.counts.units).detail(),
        Column::new("covered", "covered", |scores: &Scores| scores.counts.covered).detail(),
        Column::new("unlinked", "unlinked", |scores: &Scores| scores.counts.unlinked).detail(),
        Column::new("without_gold", "without gold", |scores: &Scores| scores.counts.without_gold).detail(),
        Column::new("coverage", "coverage", |scores: &Scores| scores.coverage).percent(),
        Column::new("citation", "citation", |scores: &Scores| scores.citation).percent(),
        Column::new("joint", "joint", |scores: &Scores| scores.joint).percent(),
        Column::new("precision", "P", |scores: &Scores| scores.precision).percent(),
        Column::new("recall", "R", |scores: &Scores| scores.recall).percent(),
        Column::new("words_per_bullet", "words per bullet", |scores: &Scores| scores.words_per_bullet),
    ];
    let mut table = grouped_table("Scores", found, columns)
        .fact("average", average.name())
        .fact("unfinished", open.iter().map(unfinished_json).collect::<Vec<Value>>());
    if average == Average::Summary {
        table.notes.push("Means of the summaries' scores.".to_owned());
    }
    let sum =
        |of: fn(&Counts) -> usize| found.rows.iter().map(|(_, scores)| of(&scores.counts)).sum::<usize>();
    let left_out = [
        ("Covered insights that are linked to no bullet", sum(|counts| counts.unlinked)),
        ("Insights whose documents are not known", sum(|counts| counts.without_gold)),
    ];
    for (what, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
        table.notes.push(format!("{what}, left out of citation and joint: {count}."));
    }
    table.notes.extend(open_note(open));
    table
}

/// What is not judged: how much, and the first of it by name.
fn open_note(open: &[Unfinished<'_>]) -> Option<String> {
    let units: usize = open.iter().map(|summary| summary.units.len()).sum();
    let named = open.iter().take(NAMED).map(|summary| {
        let candidate = summary.origin.candidate.as_deref().unwrap_or("a summary");
        format!("{candidate} by {}: {}", summary.origin.annotator, summary.units.join(", "))
    });
    let mut listed = named.collect::<Vec<String>>().join("; ");
    if open.len() > NAMED {
        listed += &format!("; and {} more", open.len() - NAMED);
    }
    (units > 0).then(|| format!("Insights not judged yet, and not in the scores: {units} ({listed})."))
}

fn unfinished_json(open: &Unfinished<'_>) -> Value {
    json!({
        "collection": open.origin.collection,
        "query": open.origin.query,
        "candidate": open.origin.candidate,
        "annotator": open.origin.annotator,
        "units": open.units,
        "of": open.of,
    })
}

/// Joint score by document order, and position sensitivity, as in Laban et al. 2024, Table 3.
pub fn position_table(rows: &[PositionSensitivity]) -> Table {
    let columns: [Column<'_, PositionSensitivity>; 5] = [
        Column::new("system", "system", |row: &PositionSensitivity| row.system.clone()),
        Column::new("top", "top", |row: &PositionSensitivity| row.top).percent(),
        Column::new("bottom", "bottom", |row: &PositionSensitivity| row.bottom).percent(),
        Column::new("random", "random", |row: &PositionSensitivity| row.random).percent(),
        Column::new("sensitivity", "sensitivity", |row: &PositionSensitivity| row.sensitivity),
    ];
    Table::of("Joint score by order of documents", columns, rows)
}
