//! Queries that are worded anew.

use std::collections::HashMap;

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{fill, grouped_table};
use super::judged::Judgment;
use crate::error::Result;
use crate::score::{By, Edit, QueryJudged, RefinementQuestions, RefinementRow, refinement_table};
use crate::study::{AnnotatorId, ItemId};

/// The table of a protocol about the wording of queries.
pub fn tables(scope: &Scope<'_>, questions: &RefinementQuestions<'_>) -> Result<Vec<Table>> {
    let by = scope.by_or(&[By::Annotator]);
    let times = scope.corpus.study.active_times(&scope.protocol.name)?;
    let times: HashMap<(AnnotatorId, ItemId), f64> =
        times.into_iter().map(|time| ((time.annotator, time.item), time.seconds())).collect();
    let query = |judgment: Judgment<'_>| {
        let text = &scope.corpus.queries.get(&judgment.target.query)?.text;
        let (needs, refined) = questions.read(judgment.answers);
        Some(QueryJudged {
            origin: scope.corpus.origin(judgment.target, judgment.name)?,
            needs,
            edit: refined.map(|refined| Edit::between(text, refined)),
            seconds: times.get(&(judgment.annotator, judgment.item)).copied(),
        })
    };
    let queries: Vec<QueryJudged> = scope.judged.each().filter_map(query).collect();
    let rows = refinement_table(&queries, by);
    let all = refinement_table(&queries, &[]);
    Ok(vec![refinement_score_table(&rows, all.first(), by)])
}

/// How many queries need refinement, how much they change and how long they take, as in Lyu et al. 2024, §3.4.
pub fn refinement_score_table(rows: &[RefinementRow], all: Option<&RefinementRow>, by: &[By]) -> Table {
    let columns = [
        Column::count("judged", "queries"),
        Column::count("needed", "to refine"),
        Column::percent("share_needed", "to refine"),
        Column::count("refined", "refined").detail(),
        Column::number("mean_distance", "mean edits", 1),
        Column::number("median_distance", "median edits", 1),
        Column::percent("mean_share", "of the length"),
        Column::count("timed", "timed").detail(),
        Column::number("median_seconds", "median seconds", 1),
    ];
    let mut table = grouped_table("Query refinement", by, columns);
    let cells = |row: &RefinementRow| {
        let refinement = &row.refinement;
        vec![
            Cell::Count(refinement.needed.of),
            Cell::Count(refinement.needed.part),
            Cell::number(refinement.needed.percent(crate::score::Undefined::NothingJudged)),
            Cell::Count(refinement.refined),
            Cell::number(refinement.mean_distance),
            Cell::number(refinement.median_distance),
            Cell::number(refinement.mean_share),
            Cell::Count(refinement.timed),
            Cell::number(refinement.median_seconds),
        ]
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push(
        "Edits are characters inserted, deleted or replaced between a query and its refined text; seconds are active ones."
            .to_owned(),
    );
    table
}
