//! The labels of each annotator, against those of the others.

use super::{StatusScope, ratings};
use crate::agreement::Counts;
use crate::error::Result;
use crate::protocol::Question;
use crate::report::{Column, Table, TableFinding};
use crate::score::{LabelAgainstOthers, labels_against_others};

/// A table for each question with choices and answers. Left out are questions whose choices are the candidates of a pair: which
/// one comes first says nothing about an annotator.
///
/// # Errors
/// There are more annotators than a table of ratings can hold.
pub fn tables(scope: &StatusScope<'_>) -> Result<Vec<Table>> {
    type LabelRow = (String, Vec<LabelAgainstOthers>);
    let mut tables = Vec::new();
    let has_labels = |question: &&Question| !question.choices().is_empty() && !question.names_sides();
    for question in scope.protocol.questions.iter().filter(has_labels) {
        let Some(ratings) = ratings(scope, question)?.filter(|ratings| !ratings.items().is_empty()) else {
            continue;
        };
        let counts = Counts::of(&ratings);
        let (labels, others) = (counts.labels_by_rater(), counts.shares_of_others());
        let names = scope.people.list.iter().map(|person| person.name.clone());
        let rows: Vec<LabelRow> = names.zip(labels_against_others(&labels, &others)).collect();
        let mut columns = vec![
            Column::new("annotator", "annotator", |(name, _): &LabelRow| name.clone()),
            Column::new("answered", "answered", |(_, own): &LabelRow| {
                own.iter().map(|label| label.count).sum::<u64>()
            }),
        ];
        for (at, choice) in question.choices().iter().enumerate() {
            let (value, label) = (&choice.value, choice.label.as_str());
            columns.extend([
                Column::new(format!("count_{value}"), label, move |(_, own): &LabelRow| own[at].count)
                    .detail(),
                Column::new(format!("share_{value}"), label, move |(_, own): &LabelRow| own[at].share)
                    .percent(),
                Column::new(
                    format!("others_{value}"),
                    format!("others {label}"),
                    move |(_, own): &LabelRow| own[at].others,
                )
                .percent()
                .detail(),
                Column::new(format!("difference_{value}"), "± others", move |(_, own): &LabelRow| {
                    own[at].difference()
                }),
            ]);
        }
        let title = format!("Labels ({} · {})", scope.protocol.name, question.key);
        let mut table = Table::of(title, columns, &rows)
            .fact("protocol", scope.protocol.name.as_str())
            .fact("question", question.key.as_str());
        let choices = question.choices().iter().map(|choice| choice.label.clone()).collect();
        table.finding = TableFinding::LabelShares(choices, rows.into());
        table.notes.push("± others: percentage points above or below the others' share, which is the mean over the items that they judged.".to_owned());
        tables.push(table);
    }
    Ok(tables)
}
