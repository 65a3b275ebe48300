//! Faithful, comprehensive, useful and short summaries.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{fill, grouped_table};
use super::judged::Judgment;
use crate::error::Result;
use crate::score::{By, Group, ItemJudged, SummaryTrust, Undefined, Usefulness, usefulness_table as rows_of};
use crate::text::words;

/// The table of a protocol about faithful and comprehensive summaries.
pub fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let by = scope.by_or(&[By::System]);
    let lengths = scope.corpus.lengths()?;
    let summary = |judgment: Judgment<'_>| {
        let candidate = scope.corpus.candidates.get(&judgment.target.candidate?)?;
        let origin = scope.corpus.origin(judgment.target, judgment.name)?;
        Some(SummaryTrust {
            words: words::length(&candidate.text),
            passage_words: lengths.of_collection(&origin.collection),
            item: ItemJudged { origin, answers: judgment.answers.clone() },
        })
    };
    let summaries: Vec<SummaryTrust> = scope.judged.each().filter_map(summary).collect();
    let rows = rows_of(scope.protocol, &summaries, by);
    let all = rows_of(scope.protocol, &summaries, &[]);
    Ok(vec![usefulness_table(&rows, all.first(), by)])
}

/// The share of each label, of useful summaries, and compression, as in Xu et al. 2023, Table 4.
pub fn usefulness_table(rows: &[(Group, Usefulness)], all: Option<&(Group, Usefulness)>, by: &[By]) -> Table {
    let mut columns = vec![Column::count("judged", "judged")];
    for question in all.or(rows.first()).map_or(&[][..], |(_, scores)| &scores.labels) {
        columns.push(Column::count(format!("{}_answered", question.question), "answered").detail());
        // As the paper prints them: yes first, and initials.
        for (at, label) in question.labels.iter().rev().enumerate() {
            let name = format!("{}_{}", question.question, label.value);
            let initial = initial(&label.value);
            let heading = if at == 0 { format!("{} {initial}", question.question) } else { initial };
            columns.push(Column::count(format!("count_{name}"), heading.as_str()).detail());
            columns.push(Column::percent(name, heading));
        }
        columns.push(Column::number(format!("{}_mean_score", question.question), "mean", 1).detail());
    }
    columns.push(Column::percent("useful", "useful"));
    columns.push(Column::percent("compression", "compression"));
    let mut table = grouped_table("Faithful and comprehensive", by, columns);
    let cells = |(_, scores): &(Group, Usefulness)| {
        let mut cells = vec![Cell::Count(scores.useful.of)];
        for question in &scores.labels {
            cells.push(Cell::Count(question.answered));
            let shares: Vec<_> = question.shares().map(|(_, share)| share).collect();
            for (label, share) in question.labels.iter().zip(shares).rev() {
                cells.extend([Cell::Count(label.count), Cell::number(share)]);
            }
            cells.push(Cell::number(question.mean_score));
        }
        cells.push(Cell::number(scores.useful.percent(Undefined::NothingJudged)));
        cells.push(Cell::number(scores.compression));
        cells
    };
    fill(&mut table, by, rows, all, |(group, _)| group, cells);
    table.notes.extend(rows.first().map(|(_, scores)| legend(scores)));
    table.notes.push(
        "useful: yes to both. compression: words of the summaries in a hundred of their passages' words."
            .to_owned(),
    );
    table
}

/// What the initials stand for.
fn legend(scores: &Usefulness) -> String {
    let mut values: Vec<&str> = Vec::new();
    for label in scores.labels.iter().flat_map(|question| question.labels.iter().rev()) {
        if !values.contains(&label.value.as_str()) {
            values.push(&label.value);
        }
    }
    let initials: Vec<String> = values.iter().map(|value| initial(value)).collect();
    format!("{}: {}.", initials.join(", "), values.join(", "))
}

/// The letter by which the paper calls a label.
fn initial(value: &str) -> String {
    value.chars().next().map_or_else(String::new, |letter| letter.to_uppercase().collect())
}
