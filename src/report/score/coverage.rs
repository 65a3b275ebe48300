//! Coverage, citation and joint score of systems, and their position sensitivity.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Scope;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::{CandidateJudged, UnitJudged, candidates};
use crate::report::table::{Column, Table};
use crate::score::{
    Average, By, Counts, CoverageQuestions, Grouped, InsightJudged, PositionSensitivity, SummaryJudged,
    SystemScores, Uncertainty, Unfinished, position_sensitivity, scores_by, unfinished,
};

/// How many open summaries a note names; JSON names all.
const NAMED: usize = 3;

/// Every summary of which someone judged something, by annotator.
pub fn summaries(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<SummaryJudged> {
    let corpus = scope.corpus;
    // What several say of a unit is kept once.
    let mut said: Vec<Vec<(Option<usize>, Arc<InsightJudged>)>> = vec![Vec::new(); corpus.units.len()];
    let read = |candidate: CandidateJudged<'_>| {
        let insight = |judged: &UnitJudged<'_>| {
            let said = said.get_mut(judged.place)?;
            if let Some((_, same)) = said.iter().find(|(set, _)| *set == judged.set) {
                return Some(Arc::clone(same));
            }
            let (id, unit) = corpus.units.get(judged.place)?;
            let insight = questions.read(judged.answers, &unit.id, corpus.gold(*id));
            let insight = Arc::new(insight);
            said.push((judged.set, Arc::clone(&insight)));
            Some(insight)
        };
        let insights = candidate.units.iter().filter_map(insight).collect();
        let text = corpus.summary(candidate.id, candidate.candidate);
        SummaryJudged { origin: candidate.origin, text, insights }
    };
    candidates(scope.protocol, corpus, scope.judged).map(read).collect()
}

/// The tables of a protocol about coverage.
pub fn tables(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<Table> {
    let summaries = summaries(scope, questions);
    let average = scope.asked.average;
    let found = scores_by(&summaries, scope.by_or(&[By::Retriever, By::Summarizer]), average);
    let mut table = score_table(&found, average, (&unfinished(&summaries), scope.open_items()));
    if scope.corpus.earlier_snapshots > 0 {
        table.notes.push(
            "Of what was written in sessions the last snapshots count; --human has the earlier ones."
                .to_owned(),
        );
    }
    let mut tables = vec![table];
    let positions = position_sensitivity(&summaries, average, scope.asked.uncertainty);
    if positions.iter().any(|row| row.sensitivity.is_ok()) {
        tables.push(position_table(&positions, scope.asked.uncertainty));
    }
    tables
}

/// Coverage, citation, joint by group, as in Laban et al. 2024, Table 2. `open` are the summaries with insights that
/// are not judged.
pub fn score_table(
    found: &Grouped<SystemScores>,
    average: Average,
    (open, why): (&[Unfinished<'_>], &str),
) -> Table {
    type Row = SystemScores;
    let mut all = Counts::default();
    found.rows.iter().for_each(|(_, row)| all += row.scores.counts);
    let has_gold = all.judged.items == 0 || all.without_gold < all.judged.items;
    let how = found.uncertainty;
    let mut columns =
        vec![Column::new("summaries", "summaries", |row: &Row| row.scores.counts.summaries).detail()];
    columns.extend(counted_columns("items", |row: &Row| row.scores.counts.judged));
    columns.extend([
        Column::new("units", "to judge", |row: &Row| row.scores.counts.units).detail(),
        Column::new("covered", "covered", |row: &Row| row.scores.counts.covered).detail(),
        Column::new("unlinked", "unlinked", |row: &Row| row.scores.counts.unlinked).detail(),
        Column::new("without_gold", "without gold", |row: &Row| row.scores.counts.without_gold).detail(),
        Column::new("coverage", "coverage", move |row: &Row| how.percent(&row.parts[0])).percent(),
        Column::new("citation", "citation", move |row: &Row| how.percent(&row.parts[1]))
            .percent()
            .shown_if(has_gold),
        Column::new("joint", "joint", move |row: &Row| how.percent(&row.parts[2]))
            .percent()
            .shown_if(has_gold),
        Column::new("precision", "P", move |row: &Row| how.percent(&row.parts[3]))
            .percent()
            .spare()
            .shown_if(has_gold),
        Column::new("recall", "R", move |row: &Row| how.percent(&row.parts[4]))
            .percent()
            .spare()
            .shown_if(has_gold),
        Column::new("words_per_bullet", "words per bullet", move |row: &Row| how.positive(&row.parts[5])),
    ]);
    let mut table = grouped_table("Scores", found, columns)
        .fact("average", average.name())
        .fact("unfinished", open.iter().map(unfinished_json).collect::<Vec<Value>>());
    if average == Average::Summary {
        table.notes.push("Means of the summaries' scores.".to_owned());
    }
    let left_out = [
        ("Judgments that call an insight covered and link it to no bullet", all.unlinked),
        ("Insights whose documents are not known", all.without_gold),
    ];
    for (what, count) in left_out.into_iter().filter(|(_, count)| *count > 0 && has_gold) {
        table.notes.push(format!("{what}, left out of citation and joint: {count}."));
    }
    if !has_gold {
        table.notes.push(
            "Which documents contain the insights is not known, so there are no citation scores.".to_owned(),
        );
    }
    table.notes.extend(open_note(open, why));
    table
}

/// What is not judged: how much, and the first of it by name.
fn open_note(open: &[Unfinished<'_>], why: &str) -> Option<String> {
    let units: usize = open.iter().map(|summary| summary.units.len()).sum();
    let named = open.iter().take(NAMED).map(|summary| {
        let candidate = summary.origin.candidate.as_deref().unwrap_or("a summary");
        format!("{} {candidate}: {}", summary.origin.query, summary.units.join(", "))
    });
    let mut listed = named.collect::<Vec<String>>().join("; ");
    if open.len() > NAMED {
        listed += &format!("; and {} more", open.len() - NAMED);
    }
    (units > 0).then(|| format!("Insights {why}, and not in the scores: {units} ({listed})."))
}

fn unfinished_json(open: &Unfinished<'_>) -> Value {
    json!({
        "collection": open.origin.collection,
        "query": open.origin.query,
        "candidate": open.origin.candidate,
        "units": open.units,
        "of": open.of,
    })
}

/// Joint score by document order, and position sensitivity, as in Laban et al. 2024, Table 3.
pub fn position_table(rows: &[PositionSensitivity], how: Uncertainty) -> Table {
    let columns: [Column<'_, PositionSensitivity>; 5] = [
        Column::new("system", "system", |row: &PositionSensitivity| row.system.clone()),
        Column::new("top", "top", move |row: &PositionSensitivity| how.percent(&row.top)).percent(),
        Column::new("bottom", "bottom", move |row: &PositionSensitivity| how.percent(&row.bottom)).percent(),
        Column::new("random", "random", move |row: &PositionSensitivity| how.percent(&row.random)).percent(),
        Column::new("sensitivity", "sensitivity", |row: &PositionSensitivity| row.sensitivity),
    ];
    Table::of("Joint score by order of documents", columns, rows)
}
