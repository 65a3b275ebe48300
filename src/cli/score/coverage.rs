//! Coverage, citation and joint score of systems, and their position sensitivity.

use serde_json::{Value, json};

use super::super::args::AverageName;
use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{fill, grouped_table};
use super::judged::{CandidateJudged, candidates};
use crate::protocol::Answers;
use crate::score::{
    Average, By, CoverageQuestions, PositionSensitivity, ScoreRow, SummaryJudged, Unfinished,
    position_sensitivity, system_table, unfinished,
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

/// How summaries are put together.
pub fn average(scope: &Scope<'_>) -> Average {
    match scope.arguments.average {
        AverageName::Pooled => Average::Insight,
        AverageName::Summary => Average::Summary,
    }
}

/// The tables of a protocol about coverage.
pub fn tables(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<Table> {
    let summaries = summaries(scope, questions);
    let average = average(scope);
    let by = scope.by_or(&[By::Retriever, By::Summarizer]);
    let rows = system_table(&summaries, by, average);
    let all = system_table(&summaries, &[], average);
    let open = unfinished(&summaries);
    let mut table = score_table(&rows, all.first(), by, average, &open);
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
/// are not judged; `all` pools everything.
pub fn score_table(
    rows: &[ScoreRow],
    all: Option<&ScoreRow>,
    by: &[By],
    average: Average,
    open: &[Unfinished<'_>],
) -> Table {
    let columns = [
        Column::count("summaries", "n"),
        Column::count("judged", "insights"),
        Column::count("units", "to judge").detail(),
        Column::count("covered", "covered").detail(),
        Column::count("unlinked", "unlinked").detail(),
        Column::count("without_gold", "without gold").detail(),
        Column::percent("coverage", "coverage"),
        Column::percent("citation", "citation"),
        Column::percent("joint", "joint"),
        Column::percent("precision", "P"),
        Column::percent("recall", "R"),
        Column::number("words_per_bullet", "words per bullet", 1),
    ];
    let mut table = grouped_table("Scores", by, columns)
        .fact("average", average.name())
        .fact("unfinished", open.iter().map(unfinished_json).collect::<Vec<Value>>());
    let cells = |row: &ScoreRow| {
        let counts = row.scores.counts.named().map(|(_, count)| Cell::Count(count));
        let measures = row.scores.measures().map(|(_, measure)| Cell::number(measure));
        counts.into_iter().chain(measures).collect::<Vec<Cell>>()
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    if average == Average::Summary {
        table.notes.push("Means of the summaries' scores.".to_owned());
    }
    table.notes.extend(left_out(rows));
    table.notes.extend(open_note(open));
    table
}

/// What was judged but could not be scored.
fn left_out(rows: &[ScoreRow]) -> Vec<String> {
    let unlinked: usize = rows.iter().map(|row| row.scores.counts.unlinked).sum();
    let without_gold: usize = rows.iter().map(|row| row.scores.counts.without_gold).sum();
    let mut notes = Vec::new();
    if unlinked > 0 {
        notes.push(format!(
            "Covered insights that are linked to no bullet, left out of citation and joint: {unlinked}."
        ));
    }
    if without_gold > 0 {
        notes.push(format!(
            "Insights whose documents are not known, left out of citation and joint: {without_gold}."
        ));
    }
    notes
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
    let columns = vec![
        Column::text("system", "system"),
        Column::percent("top", "top"),
        Column::percent("bottom", "bottom"),
        Column::percent("random", "random"),
        Column::number("sensitivity", "sensitivity", 1),
    ];
    let mut table = Table::new("Joint score by order of documents", columns);
    for row in rows {
        let measures = [row.top, row.bottom, row.random, row.sensitivity].map(Cell::number);
        table.rows.push([Cell::from(row.system.as_str())].into_iter().chain(measures).collect());
    }
    table
}
