//! Coverage, citation and joint score of systems, and their position sensitivity.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Scope, first_of};
use crate::number::short;
use crate::report::{AskedUnits, Column, Table, TableFinding, counted_columns, grouped_table, led_by};
use crate::score::{
    AskedInsight, Average, By, CoverageCounts, CoverageQuestions, Grouped, InsightSaid, PositionSensitivity,
    SaidOfInsights, SummaryJudged, SystemScores, Unfinished, position_sensitivity, ranked_measures,
    scores_by, unfinished,
};

/// Every judged summary, by annotator; in parts where its insights fall into several groups.
pub fn summaries(scope: &Scope<'_>, questions: &CoverageQuestions<'_>, by: &[By]) -> Vec<SummaryJudged> {
    let corpus = scope.corpus;
    let asked = AskedUnits::of(scope.protocol, corpus, scope.judged, by);
    let insight = |place: &u32| {
        let (id, unit) = &corpus.records.units[*place as usize]; // the corpus has each unit
        AskedInsight { unit: unit.id.clone(), gold: corpus.gold(*id) }
    };
    // The summaries of a query share their insights.
    let mut of_units: HashMap<&[u32], Arc<[AskedInsight]>> = HashMap::new();
    let insights: Vec<Arc<[AskedInsight]>> = asked
        .candidates
        .iter()
        .map(|candidate| {
            let same = of_units.entry(&candidate.units);
            Arc::clone(same.or_insert_with(|| candidate.units.iter().map(insight).collect()))
        })
        .collect();
    // Equal answers are kept once: each set of answers has a place, and no answers have the last place.
    let sets = scope.judged.material.answer_sets();
    let said = sets.iter().map(|answers| questions.read(answers));
    let said: Arc<[InsightSaid]> = said.chain([InsightSaid::default()]).collect();
    let texts = corpus.summaries();
    asked.read(corpus, scope.judged, |candidate| SummaryJudged {
        insights: Arc::clone(&insights[candidate.place]), // each candidate has insights
        text: texts.get(&candidate.id).cloned().unwrap_or_default(),
        said: SaidOfInsights::new(&said, candidate.sets.iter().map(|set| short(set.unwrap_or(sets.len())))),
        weights: asked.candidates[candidate.place].weights(corpus),
        origin: candidate.origin.into(),
    })
}

/// The tables of a protocol about coverage.
pub fn tables(scope: &Scope<'_>, questions: &CoverageQuestions<'_>) -> Vec<Table> {
    let average = scope.asked.average;
    let scores = |summaries: &[SummaryJudged], by| scores_by(summaries, by, average);
    let (summaries, found) =
        scope.grouped_candidates(|by| summaries(scope, questions, by), scores, &["retriever", "summarizer"]);
    let open = (&unfinished(&summaries)[..], scope.open_items());
    let table = score_table(&found, average, open, scope.asked.is_brief);
    let ranked = ranked_measures(scope.protocol);
    let mut tables = vec![led_by(table, ranked.iter().map(|measure| measure.name.as_str()))];
    let positions = position_sensitivity(&summaries, average, scope.asked.part.uncertainty);
    if positions.iter().any(|row| row.sensitivity.is_ok()) {
        tables.push(position_table(positions));
    }
    tables
}

/// Coverage, citation and joint score by group, as in Laban et al. 2024, Table 2. `open` are the summaries with insights
/// that are not judged.
pub fn score_table(
    found: &Grouped<SystemScores>,
    average: Average,
    (open, why): (&[Unfinished<'_>], &str),
    is_brief: bool,
) -> Table {
    type CoverageRow = SystemScores;
    let mut all = CoverageCounts::default();
    found.rows.iter().for_each(|(_, row)| all += row.scores.counts);
    let has_gold = all.judged.items == 0 || all.without_gold < all.judged.items;
    let how = found.uncertainty;
    let percent = |at: usize| move |row: &CoverageRow| how.percent(&row.parts[at]);
    let positive = |at: usize| move |row: &CoverageRow| how.positive(&row.parts[at]);
    let mut columns =
        vec![Column::new("summaries", "summaries", |row: &CoverageRow| row.scores.counts.summaries).detail()];
    columns.extend(counted_columns("items", |row: &CoverageRow| row.scores.counts.judged));
    columns.extend([
        Column::new("units", "to judge", |row: &CoverageRow| row.scores.counts.units).detail(),
        Column::new("covered", "covered", |row: &CoverageRow| row.scores.counts.covered).detail(),
        Column::new("unlinked", "unlinked", |row: &CoverageRow| row.scores.counts.unlinked).detail(),
        Column::new("without_gold", "without gold", |row: &CoverageRow| row.scores.counts.without_gold)
            .detail(),
        Column::new("coverage", "coverage", percent(0)).score(),
        Column::new("citation", "citation", percent(1)).score().shown_if(has_gold),
        Column::new("joint", "joint", percent(2)).score().shown_if(has_gold),
        Column::new("precision", "P", percent(3)).score().spare().shown_if(has_gold),
        Column::new("recall", "R", percent(4)).score().spare().shown_if(has_gold),
        Column::new("words_per_bullet", "words per bullet", positive(5)),
        Column::new("uncited_words_per_bullet", "without citations", positive(6)).shown_if(!is_brief),
    ]);
    let mut table = grouped_table("Scores", found, columns)
        .fact("average", average.name())
        .fact("unfinished", open.iter().map(unfinished_json).collect::<Vec<Value>>())
        .noted((average == Average::Summary).then_some("Means of the summaries' scores."));
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

/// A note that counts the insights that are not judged, and names the first.
fn open_note(open: &[Unfinished<'_>], why: &str) -> Option<String> {
    let units: usize = open.iter().map(|summary| summary.units.len()).sum();
    let listed = first_of(open.iter().map(|summary| {
        let candidate = summary.origin.candidate.as_deref().unwrap_or("a summary");
        format!("{} {candidate}: {}", summary.origin.query, summary.units.join(", "))
    }));
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
pub fn position_table(rows: Vec<PositionSensitivity>) -> Table {
    let columns: [Column<'_, PositionSensitivity>; 5] = [
        Column::new("system", "system", |row: &PositionSensitivity| row.system.clone()),
        Column::new("top", "top", |row: &PositionSensitivity| row.top).percent(),
        Column::new("bottom", "bottom", |row: &PositionSensitivity| row.bottom).percent(),
        Column::new("random", "random", |row: &PositionSensitivity| row.random).percent(),
        Column::new("sensitivity", "sensitivity", |row: &PositionSensitivity| row.sensitivity),
    ];
    Table::of("Joint score by order of documents", columns, &rows).finding(TableFinding::Orders(rows.into()))
}
