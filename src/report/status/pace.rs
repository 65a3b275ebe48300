//! Pace: the time of items over the order of work.

use super::{PersonJudged, StatusScope};
use crate::report::{Column, Table, TableFinding};
use crate::score::Timing;

/// The most parts of a person's work, and the fewest items of a part.
const PARTS: (usize, usize) = (8, 3);

/// A part of a person's work.
#[derive(Debug, Clone, PartialEq)]
pub struct PacePart {
    pub name: String,
    number: usize,
    /// The number of items before the part.
    pub before: usize,
    pub timing: Timing,
}

/// Each person's work in nearly equal parts, each with its median time; `None` without known times. Item i of n, from 0, is in
/// part ⌊iK/n⌋ of K.
pub fn table(scope: &StatusScope<'_>) -> Option<Table> {
    let mut rows: Vec<PacePart> = Vec::new();
    for person in &scope.people.list {
        let paced: Vec<f64> = person.in_order().iter().filter_map(PersonJudged::seconds).collect();
        let items = paced.len();
        let parts = PARTS.0.min(items / PARTS.1);
        for number in 0..parts {
            // The first items of this part and of the next.
            let [before, end] = [number, number + 1].map(|number| (number * items).div_ceil(parts));
            let seconds = paced.get(before..end).unwrap_or_default();
            rows.push(PacePart {
                name: person.name.clone(),
                number: number + 1,
                before,
                timing: Timing::of(seconds),
            });
        }
    }
    if rows.is_empty() {
        return None;
    }
    let quartile = |at: usize| move |row: &PacePart| row.timing.quartiles.map(|quartiles| quartiles[at]);
    let columns: [Column<'_, PacePart>; 7] = [
        Column::new("annotator", "annotator", |row: &PacePart| row.name.clone()),
        Column::new("part", "part", |row: &PacePart| row.number),
        Column::new("before", "items before", |row: &PacePart| row.before),
        Column::new("items", "items", |row: &PacePart| row.timing.items),
        Column::new("median_seconds", "median s", |row: &PacePart| row.timing.median),
        Column::new("low_quartile_seconds", "25 % s", quartile(0)),
        Column::new("high_quartile_seconds", "75 % s", quartile(1)),
    ];
    let table = Table::of(format!("Pace over the order of work ({})", scope.protocol.name), columns, &rows)
        .keyed("pace")
        .fact("protocol", scope.protocol.name.as_str())
        .finding(TableFinding::Pace(rows.into()))
        .note(
            "Items with a known time, by when they were last answered, in nearly equal parts. Where the \
                 order of items is not shuffled, pace and material cannot be told apart.",
        );
    Some(table)
}
