//! Power: the queries that differences between systems need, and the differences that numbers of queries show.

use super::{MeasureRankings, ViewRanking, Whose};
use crate::report::{Column, Table, TableFinding, name_of};
use crate::score::{Measure, SystemDifference, Undefined, detectable, required};

/// The numbers of queries in the table of detectable differences.
const QUERIES: [usize; 12] = [4, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200];

/// A pair of systems, the better one first.
struct SystemPair<'a> {
    names: [String; 2],
    difference: &'a SystemDifference,
}

/// The differences that a number of queries shows.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectableRow {
    pub queries: usize,
    /// The differences of the surest pair, the median pair and the least sure pair.
    pub pairs: [Measure; 3],
}

/// The tables of needed queries and of detectable differences by the first view; empty where no two systems
/// share two queries. Gold is skipped unless its rule is named: until it is settled, it lacks disputed items.
pub fn tables(measured: &MeasureRankings, asks_for_gold: bool) -> Vec<Table> {
    let is_meant = |view: &&ViewRanking| asks_for_gold || view.whose != Whose::Gold;
    let Some(ViewRanking { name: view, ranking, .. }) = measured.views.iter().find(is_meant) else {
        return Vec::new();
    };
    let name = |place: usize| ranking.systems.get(place).map_or_else(String::new, |one| name_of(&one.group));
    let pairs = ranking.differences.iter().map(|difference| SystemPair {
        names: [name(difference.better), name(difference.worse)],
        difference,
    });
    let pairs: Vec<SystemPair<'_>> = pairs.collect();
    let mut deviations: Vec<f64> = pairs.iter().filter_map(|pair| pair.difference.deviation.ok()).collect();
    deviations.sort_by(f64::total_cmp);
    if deviations.is_empty() {
        return Vec::new();
    }
    let needed = |row: &SystemPair<'_>| required(row.difference.deviation, row.difference.difference.value?);
    let columns: [Column<'_, SystemPair<'_>>; 7] = [
        Column::new("better", "ranked higher", |row: &SystemPair<'_>| row.names[0].clone()),
        Column::new("worse", "ranked lower", |row: &SystemPair<'_>| row.names[1].clone()),
        Column::new("queries", "queries", |row: &SystemPair<'_>| row.difference.queries),
        Column::new("difference", "difference", |row: &SystemPair<'_>| row.difference.difference.value),
        Column::new("deviation", "SD by query", |row: &SystemPair<'_>| row.difference.deviation),
        Column::new("detectable", "detectable", |row: &SystemPair<'_>| {
            detectable(row.difference.deviation, row.difference.queries)
        }),
        Column::new("queries_needed", "queries needed", needed),
    ];
    let power = Table::of(format!("queries needed, by {view}"), columns, &pairs).keyed("power").note(
        "Detectable: the smallest difference that these queries show in four cases of five, by a two-sided \
         test at 5 %; queries needed: for the difference that was seen. Both by the normal approximation \
         from the standard deviation of the differences by query; under some 30 queries two more are \
         needed.",
    );
    let last = deviations.len() - 1;
    let of_pairs =
        [0, last / 2, last].map(|place| deviations.get(place).copied().ok_or(Undefined::OneSystem));
    let row = |queries| DetectableRow { queries, pairs: of_pairs.map(|pair| detectable(pair, queries)) };
    let rows = QUERIES.map(row);
    let seen = ranking.differences.iter().map(|difference| difference.queries).max().unwrap_or(0);
    let columns: [Column<'_, DetectableRow>; 4] = [
        Column::new("queries", "queries", |row: &DetectableRow| row.queries),
        Column::new("least", "surest pair", |row: &DetectableRow| row.pairs[0]),
        Column::new("median", "median pair", |row: &DetectableRow| row.pairs[1]),
        Column::new("most", "least sure pair", |row: &DetectableRow| row.pairs[2]),
    ];
    let detectable = Table::of(format!("detectable difference, by {view}"), columns, &rows)
        .keyed("detectable")
        .fact("queries", seen)
        .finding(TableFinding::Detectable(seen, rows.into()));
    vec![power, detectable]
}
