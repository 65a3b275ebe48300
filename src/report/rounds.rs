//! Two rounds of a study side by side: each measure in both.

use std::collections::HashSet;

use super::{Cell, Column, Heading, IntoCell, Table, duration};
use crate::number::first_few;

/// A number in both rounds.
struct RoundsRow {
    table: String,
    group: String,
    measure: String,
    rounds: [Cell; 2],
    change: Cell,
}

/// The numbers of these tables beside those of another round, named `other`, that have the same table, group and measure;
/// `None` where there are none.
pub fn beside(title: &str, tables: &[Table], other: &str, others: &[Table]) -> Option<Table> {
    let both: Vec<(&Table, Table)> = tables
        .iter()
        .filter_map(|table| Some((table, as_in(table, others.iter().find(|other| is_same(table, other))?))))
        .collect();
    let rows: Vec<RoundsRow> = both.iter().flat_map(|(table, other)| rows_of(table, other)).collect();
    let columns: [Column<'_, RoundsRow>; 6] = [
        Column::new("table", "of", |row: &RoundsRow| row.table.clone()),
        Column::new("group", "for", |row: &RoundsRow| row.group.clone()),
        Column::new("measure", "measure", |row: &RoundsRow| row.measure.clone()),
        Column::new("here", "here", |row: &RoundsRow| row.rounds[0].clone()).right().decimals(DECIMALS),
        Column::new("other", other, |row: &RoundsRow| row.rounds[1].clone()).right().decimals(DECIMALS),
        Column::new("change", "change", |row: &RoundsRow| row.change.clone()).right().decimals(DECIMALS),
    ];
    let mut table = Table::of(title, columns, &rows).keyed("rounds").note(
        "change: here less the other, where both are the same coefficient. It has no interval: two rounds \
         may share queries and people, and each has its own beside it.",
    );
    for (here, there) in &both {
        for (one, two, round) in [(*here, there, "here"), (there, *here, other)] {
            let known: HashSet<String> = two.rows.iter().map(|row| label(two, row)).collect();
            let alone: Vec<String> =
                one.rows.iter().map(|row| label(one, row)).filter(|group| !known.contains(group)).collect();
            if !alone.is_empty() {
                let of_all =
                    if one.total.is_empty() { "" } else { "; what is told of all has them there alone" };
                table.notes.push(format!("{}: only {round}: {}{of_all}.", one.title, first_few(&alone)));
            }
        }
    }
    (!rows.is_empty()).then_some(table)
}

/// The other round's table with its pairs in the order in which this one names them: one that was the weaker may be the stronger now.
fn as_in(table: &Table, other: &Table) -> Table {
    let mut other = other.clone();
    if other.columns.iter().all(|column| column.turned.is_none()) {
        return other;
    }
    let known: HashSet<String> = table.rows.iter().map(|row| label(table, row)).collect();
    let last = labels(&other).saturating_sub(1);
    let turned = |row: &[Cell]| {
        let numbers = row.iter().zip(&other.columns);
        let mut row: Vec<Cell> = numbers
            .map(|(cell, column)| {
                column.turned.map_or_else(|| cell.clone(), |sum| cell.less_from(sum.into()))
            })
            .collect();
        // Every row has the columns of its table.
        row.swap(last.saturating_sub(1), last);
        Some(row).filter(|row| known.contains(&label(&other, row)))
    };
    let rows = other.rows.iter().map(|row| turned(row).unwrap_or_else(|| row.clone())).collect();
    other.rows = rows;
    other
}

/// The number of columns of words that a table begins with.
fn labels(table: &Table) -> usize {
    table.columns.iter().take_while(|column| !column.right).count()
}

/// The group of a row, in the words that it begins with.
fn label(table: &Table, row: &[Cell]) -> String {
    let texts = row.iter().take(labels(table)).map(|cell| match cell {
        Cell::Text(text) => text.as_str(),
        _ => "",
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<&str>>().join(" · ")
}

/// Two decimals suit coefficients from 0 to 1, and percentages beside them.
const DECIMALS: usize = 2;

fn is_same(table: &Table, other: &Table) -> bool {
    table.path() == other.path() && table.facts.get("by") == other.facts.get("by")
}

/// The name of the measure of a column, where the table has it beside: which coefficient a kappa is.
fn name_of<'t>(table: &Table, row: &'t [Cell], column: &Heading) -> Option<&'t str> {
    let place = table.columns.iter().position(|other| other.name == format!("{}_name", column.name));
    match row.get(place?)? {
        Cell::Text(name) => Some(name),
        _ => None,
    }
}

fn rows_of(table: &Table, other_table: &Table) -> Vec<RoundsRow> {
    let all = |table: &Table| {
        let rows = table.rows.iter().chain(Some(&table.total).filter(|total| !total.is_empty()));
        rows.map(|row| (label(table, row), row.clone())).collect::<Vec<(String, Vec<Cell>)>>()
    };
    let others = all(other_table);
    let mut found = Vec::new();
    for (group, row) in all(table) {
        let Some((_, beside)) = others.iter().find(|(other, _)| *other == group) else { continue };
        for (at, column) in
            table.columns.iter().enumerate().skip(labels(table)).filter(|(_, column)| !column.detail)
        {
            let place = other_table.columns.iter().position(|other| other.name == column.name);
            let cells = row.get(at).zip(place.and_then(|place| beside.get(place)));
            let Some((one, other)) = cells else { continue };
            let is_told =
                |cell: &Cell| cell.value().is_some() || matches!(cell, Cell::Undefined(_) | Cell::Reason(..));
            let (now, then) = (one.value(), other.value());
            if now.or(then).is_none() || !is_told(one) || !is_told(other) {
                continue;
            }
            let names =
                [(table, &row), (other_table, beside)].map(|(table, row)| name_of(table, row, column));
            let measure = match &names {
                [Some(here), Some(there)] if here != there => {
                    format!("{} ({here}; there {there})", column.label())
                }
                [Some(here), _] => format!("{} ({here})", column.label()),
                _ => column.label(),
            };
            found.push(RoundsRow {
                table: table.title.clone(),
                group: group.clone(),
                measure,
                rounds: [one.clone(), other.clone()].map(IntoCell::cell),
                change: match (one, other, now.zip(then).map(|(now, then)| now - then)) {
                    (.., None) => Cell::Empty,
                    _ if names[0] != names[1] => Cell::Empty,
                    (Cell::Count(_), Cell::Count(_), Some(0.0)) => Cell::Count(0),
                    (Cell::Count(_), Cell::Count(_), Some(change)) => Cell::Text(format!("{change:+}")),
                    (Cell::Seconds(_), Cell::Seconds(_), Some(change)) => {
                        let sign = if change < 0.0 { "-" } else { "+" };
                        Cell::Text(format!("{sign}{}", duration(change.abs())))
                    }
                    (.., Some(change)) => Cell::Number(change),
                },
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Measure, Undefined};

    fn round(rows: &[(&'static str, f64)]) -> Table {
        let columns = [
            Column::new("system", "system", |row: &(&'static str, f64)| row.0),
            Column::new("kpr", "KPR", |row: &(&'static str, f64)| row.1).percent(),
        ];
        Table::of("Key point recall by system", columns, rows).keyed("key_point_recall")
    }

    #[test]
    fn what_both_rounds_have_stands_side_by_side() {
        let (here, other) = (round(&[("a", 40.0), ("b", 10.0)]), round(&[("c", 1.0), ("a", 25.0)]));
        let table = beside("Two rounds", &[here], "first", &[other]).expect("a is in both");
        let [row] = table.rows.as_slice() else { panic!("one row") };
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            *row,
            [
                text("Key point recall by system"),
                text("a"),
                text("KPR %"),
                Cell::Number(40.0),
                Cell::Number(25.0),
                Cell::Number(15.0)
            ]
        );
        assert_eq!(
            table.notes[1..],
            ["Key point recall by system: only here: b.", "Key point recall by system: only first: c."]
        );
        // What one round cannot tell is a dash beside the other's number.
        let alpha = |alpha: Measure| {
            let columns = [
                Column::new("question", "question", |_: &Measure| "coverage"),
                Column::new("alpha", "α", |row: &Measure| Cell::number(*row)).right(),
            ];
            Table::of("Agreement", columns, &[alpha]).keyed("agreement")
        };
        let table = beside("Two", &[alpha(Ok(0.6))], "first", &[alpha(Err(Undefined::NoPairableItems))])
            .expect("one has it");
        assert_eq!(
            table.rows[0][3..],
            [Cell::Number(0.6), Cell::Undefined(Undefined::NoPairableItems), Cell::Empty]
        );
        // A kappa of two people and one of three are not the same number; counts stay whole.
        let kappa = |kind: &'static str, value: f64, people: usize| {
            let columns = [
                Column::new("question", "question", |_: &(&'static str, f64, usize)| "coverage"),
                Column::new("people", "people", |row: &(&'static str, f64, usize)| row.2),
                Column::new("kappa", "κ", |row: &(&'static str, f64, usize)| row.1).decimals(2),
                Column::new("kappa_name", "κ is", |row: &(&'static str, f64, usize)| row.0).detail(),
            ];
            Table::of("Agreement", columns, &[(kind, value, people)]).keyed("agreement")
        };
        let rounds = [kappa("Fleiss", -0.029, 3), kappa("Cohen", 0.182, 2)];
        let table = beside("Two rounds", &rounds[..1], "first", &rounds[1..]).expect("both have it");
        let [people, kappa] = table.rows.as_slice() else { panic!("two rows") };
        assert_eq!(people[5], text("+1"));
        assert_eq!((&kappa[2], &kappa[5]), (&text("κ (Fleiss; there Cohen)"), &Cell::Empty));
        let time = |seconds: f64| {
            let columns = [
                Column::new("who", "who", |_: &f64| "ana"),
                Column::new("active", "active time", |row: &f64| Cell::Seconds(*row)).right(),
            ];
            Table::of("Time", columns, &[seconds]).keyed("time")
        };
        let table = beside("Two rounds", &[time(3600.0)], "first", &[time(8100.0)]).expect("both have it");
        assert_eq!(table.rows[0][5], text("-1 h 15"));
        // Of two systems the other one is the stronger now: the same pair, told from the other side.
        let pair = |systems: [&'static str; 2], pairs: usize, rate: f64, difference: f64| {
            type Pair = ([&'static str; 2], usize, f64, f64);
            let columns = [
                Column::new("system", "system", |row: &Pair| row.0[0]),
                Column::new("against", "against", |row: &Pair| row.0[1]),
                Column::new("items", "pairs", |row: &Pair| row.1),
                Column::new("win_rate", "win rate", |row: &Pair| row.2).percent().turned(100),
                Column::new("difference", "stronger by", |row: &Pair| row.3).turned(0),
            ];
            Table::of("Two systems", columns, &[(systems, pairs, rate, difference)])
        };
        let rounds = [pair(["a", "b"], 5, 75.0, 1.5), pair(["b", "a"], 4, 60.0, 0.5)];
        let table = beside("Two rounds", &rounds[..1], "first", &rounds[1..]).expect("a pair is in both");
        let cells: Vec<&[Cell]> = table.rows.iter().map(|row| &row[3..]).collect();
        let number = Cell::Number;
        assert_eq!(cells[0], [Cell::Count(5), Cell::Count(4), text("+1")]);
        assert_eq!(cells[1], [number(75.0), number(40.0), number(35.0)]);
        assert_eq!(cells[2], [number(1.5), number(-0.5), number(2.0)]);
        assert_eq!((&table.rows[1][1], table.notes.len()), (&text("a · b"), 1));
        let other = Table { key: "another".into(), ..round(&[("a", 25.0)]) };
        assert!(beside("Two rounds", &[round(&[("a", 40.0)])], "first", &[other]).is_none());
    }
}
