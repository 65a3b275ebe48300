//! Which labels everyone gives, against those of the others.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::tables::ratings;
use crate::agreement::Counts;
use crate::error::Result;
use crate::score::labels_against_others;

/// A table for each question with choices that someone answered.
///
/// # Errors
/// There are more annotators than a table of ratings can hold.
pub fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for question in scope.protocol.questions.iter().filter(|question| !question.choices().is_empty()) {
        let ratings = ratings(scope, question)?;
        if ratings.items().is_empty() {
            continue;
        }
        let labels = Counts::of(&ratings).labels_by_rater();
        let mut columns = vec![Column::text("annotator", "annotator"), Column::count("answered", "answered")];
        for choice in question.choices() {
            let (value, label) = (&choice.value, choice.label.as_str());
            columns.push(Column::count(format!("count_{value}"), label).detail());
            columns.push(Column::percent(format!("share_{value}"), label));
            columns.push(Column::percent(format!("others_{value}"), format!("others {label}")).detail());
            columns
                .push(Column { unit: None, ..Column::percent(format!("difference_{value}"), "± others") });
        }
        let title = format!("Labels ({} · {})", scope.protocol.name, question.key);
        let mut table = Table::new(title, columns).fact("question", question.key.as_str());
        for (person, own) in scope.people.list.iter().zip(labels_against_others(&labels)) {
            let answered: usize = own.iter().map(|label| label.count).sum();
            let mut row: Vec<Cell> = vec![person.name.as_str().into(), Cell::Count(answered)];
            for label in &own {
                row.extend([
                    Cell::Count(label.count),
                    Cell::number(label.share),
                    Cell::number(label.others),
                    Cell::number(label.difference()),
                ]);
            }
            table.rows.push(row);
        }
        table.notes.push("± others: percentage points above or below the others' share.".to_owned());
        tables.push(table);
    }
    Ok(tables)
}
