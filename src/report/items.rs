//! Items in tables: columns for their keys.

use super::Column;
use crate::study::TargetKeys;

/// A part of an item's keys, where the item has it.
type KeyPart = fn(&TargetKeys) -> Option<String>;

/// Collection and query, and a column for each other part that any of the rows has.
pub fn item_columns<'a, R>(rows: &[R], keys: impl Fn(&R) -> &TargetKeys + Copy + 'a) -> Vec<Column<'a, R>> {
    let parts: [(&str, KeyPart); 5] = [
        ("document", |keys| keys.document.clone()),
        ("unit", |keys| keys.unit.clone()),
        ("candidate", |keys| keys.candidate.clone()),
        ("bullet", |keys| keys.bullet.map(|number| number.to_string())),
        ("other", |keys| keys.other.clone()),
    ];
    let mut columns = vec![
        Column::new("collection", "collection", move |row: &R| keys(row).collection.clone()),
        Column::new("query", "query", move |row: &R| keys(row).query.clone()),
    ];
    let is_there =
        |part: &fn(&TargetKeys) -> Option<String>| rows.iter().any(|row| part(keys(row)).is_some());
    for (name, part) in parts.into_iter().filter(|(_, part)| is_there(part)) {
        columns.push(Column::new(name, name, move |row: &R| part(keys(row))));
    }
    columns
}

/// The parts of an item below its query, as a list.
pub fn parts(keys: TargetKeys) -> Vec<String> {
    let bullet = keys.bullet.map(|number| format!("bullet {number}"));
    [keys.document, keys.unit, keys.candidate, bullet, keys.other].into_iter().flatten().collect()
}
