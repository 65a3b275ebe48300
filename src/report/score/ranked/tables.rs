//! Rankings as tables: ranks and scores under each view, and how far the rankings differ.

use std::cmp::Ordering;
use std::sync::Arc;

use super::views::Views;
use super::{MeasureRankings, ViewRanking, power};
use crate::agreement::{FEW_CLUSTERS, Intervals, NumberRange};
use crate::report::{Column, Table, TableFinding, counted_columns, insert_groups, name_of, names};
use crate::score::{By, RankingsCompared, SystemDifference, SystemRanked, plural};

/// Decimals of rank correlations.
const DECIMALS: usize = 3;

/// With more rows than this, the brief form shows only the first view.
const ROWS: usize = 60;
const VIEWS: usize = 6;

/// With more neighbours than this, the brief form shows the differences of the best only.
const NEIGHBOURS: usize = 20;

/// All tables of one measure. The brief form has only the differences of neighbours in the first view.
pub fn tables(
    views: &Views<'_>,
    measured: MeasureRankings,
    by: &[By],
    is_brief: bool,
    intervals: Intervals,
) -> Vec<Table> {
    let measured = &Arc::new(measured);
    let mut tables = vec![standings(views, measured, by, is_brief, intervals)];
    if measured.views.len() > 1 {
        tables.push(moves(measured, by));
        tables.push(rankings(measured, by, is_brief));
    }
    tables.extend(differences(measured, by, is_brief));
    if !is_brief {
        tables.extend(power::tables(measured, views.asks_for_gold));
    }
    let heading = &measured.measure.heading;
    for table in &mut tables {
        table.title = format!("{heading}: {}", table.title);
        table.facts.insert("measure".to_owned(), measured.measure.name.as_str().into());
    }
    tables
}

/// Ranks and scores of every system under every view.
fn standings(
    views: &Views<'_>,
    measured: &Arc<MeasureRankings>,
    by: &[By],
    is_brief: bool,
    intervals: Intervals,
) -> Table {
    type RankedRow<'a> = (&'a ViewRanking, &'a SystemRanked);
    let measure = &measured.measure;
    let score = Column::new("score", measure.heading.as_str(), |(_, system): &RankedRow<'_>| system.score);
    let mut columns = vec![
        Column::new("judged_by", "judged by", |(view, _): &RankedRow<'_>| view.name.clone()),
        Column::new("whose", "whose", |(view, _): &RankedRow<'_>| view.whose.name()).detail(),
        Column::new("rank", "rank", |(_, system): &RankedRow<'_>| system.rank),
        Column::new("queries", "queries", |(_, system): &RankedRow<'_>| system.queries),
    ];
    columns.extend(counted_columns("items", |(_, system): &RankedRow<'_>| system.judged));
    columns.push(if measure.is_percent { score.percent() } else { score });
    let is_cut = is_brief && measured.rows().count() > ROWS;
    let shown = if is_cut { 1 } else { measured.views.len() };
    let most: usize = measured.views.iter().take(shown).map(|view| view.ranking.systems.len()).sum();
    let rows: Vec<RankedRow<'_>> = measured.rows().take(most).collect();
    let of = if names(by) == ["system"] { "systems".to_owned() } else { names(by).join("_and_") };
    let mut table = Table::of(format!("{} under each annotator", plural(&names(by))), columns, &rows)
        .keyed(format!("{of}_under_each_annotator"))
        .fact("by", names(by))
        .fact("gold", views.gold_json())
        .fact("majority", views.decided_json())
        .finding(if is_cut { TableFinding::Printed } else { TableFinding::Rankings(Arc::clone(measured)) });
    insert_groups(&mut table, 3, by, rows.iter().map(|(_, system)| &system.group));
    table.notes.extend(few_queries(measured, intervals));
    let rest = measured.views.len() - shown;
    if rest > 0 {
        table.notes.push(format!("--full prints the scores under the {rest} others too."));
    }
    table
}

/// A warning where scores rest on few queries and intervals are by resampling.
fn few_queries(measured: &MeasureRankings, intervals: Intervals) -> Option<String> {
    if !matches!(intervals, Intervals::Bootstrap(_)) {
        return None;
    }
    let fewest = |view: &ViewRanking| {
        let fewest = view.ranking.fewest_queries() as u64;
        (fewest > 0 && fewest < FEW_CLUSTERS).then(|| format!("{} {fewest}", view.name))
    };
    let few: Vec<String> = measured.views.iter().filter_map(fewest).collect();
    (!few.is_empty()).then(|| {
        format!(
            "Warning: some systems are judged on few queries ({}); under {FEW_CLUSTERS}, intervals by resampling are rough \
             and tend to be too narrow.",
            few.join(", ")
        )
    })
}

/// The rank of a system in the first view, and its ranks in the others.
struct Move<'a> {
    system: &'a SystemRanked,
    /// The ranks among all systems of the first view; that in the first view comes first.
    ranks: Vec<usize>,
    /// The views with another rank, each with that rank.
    elsewhere: Vec<String>,
}

/// Each system's rank in the first view, and its best and worst rank among as many.
fn moves(measured: &MeasureRankings, by: &[By]) -> Table {
    let first = measured.views.first().map_or("", |view| view.name.as_str());
    let columns: [Column<'_, Move<'_>>; 4] = [
        Column::new("rank", format!("rank by {first}"), |row: &Move<'_>| row.system.rank),
        Column::new("best", "best", |row: &Move<'_>| row.ranks.iter().min().copied()),
        Column::new("worst", "worst", |row: &Move<'_>| row.ranks.iter().max().copied()),
        Column::new("elsewhere", "other ranks", |row: &Move<'_>| row.elsewhere.join(", "))
            .shown_if(measured.views.len() <= VIEWS),
    ];
    let mut rows = Vec::new();
    if let [ViewRanking { ranking: reference, .. }, others @ ..] = measured.views.as_slice() {
        let between = |view: &ViewRanking| RankingsCompared::between(reference, &view.ranking);
        let compared: Vec<RankingsCompared> = others.iter().map(between).collect();
        let all = reference.systems.iter().filter(|system| system.rank.is_some()).count();
        for system in reference.systems.iter().filter(|system| system.rank.is_some()) {
            let mut row = Move { system, ranks: system.rank.into_iter().collect(), elsewhere: Vec::new() };
            for (view, compared) in others.iter().zip(&compared) {
                let ranks = compared.systems.iter().find(|(group, _)| *group == system.group);
                let Some((_, [own, other])) = ranks else { continue };
                let of = compared.systems.len();
                let among = if of < all { format!(" instead of {own} among {of}") } else { String::new() };
                row.ranks.extend(among.is_empty().then_some(*other));
                if own != other {
                    row.elsewhere.push(format!("{} {other}{among}", view.name));
                }
            }
            rows.push(row);
        }
    }
    let mut table = Table::of("rank changes", columns, &rows).fact("against", first);
    insert_groups(&mut table, 0, by, rows.iter().map(|row| &row.system.group));
    table.notes.push("best, worst: over the rankings of all of these.".to_owned());
    table
}

/// Each two rankings: their rank correlation, and how many systems change places.
fn rankings(measured: &MeasureRankings, by: &[By], is_brief: bool) -> Table {
    type RankingRow<'a> = (&'a str, &'a str, RankingsCompared);
    let columns: [Column<'_, RankingRow<'_>>; 7] = [
        Column::new("a", "a", |(a, ..): &RankingRow<'_>| (*a).to_owned()),
        Column::new("b", "b", |(_, b, _): &RankingRow<'_>| (*b).to_owned()),
        Column::new("systems", plural(&names(by)), |(.., compared): &RankingRow<'_>| compared.systems.len()),
        Column::new("tau_b", "Kendall τ-b", |(.., compared): &RankingRow<'_>| compared.tau_b)
            .decimals(DECIMALS),
        Column::new("moved", "other rank", |(.., compared): &RankingRow<'_>| compared.moved()),
        Column::new("farthest", "places at most", |(.., compared): &RankingRow<'_>| compared.farthest()),
        Column::new("reversed", "pairs reversed", |(.., compared): &RankingRow<'_>| compared.reversed),
    ];
    let all = measured.views.as_slice();
    let shown = if is_brief && all.len() > VIEWS { 1 } else { all.len() };
    let mut rows: Vec<RankingRow<'_>> = Vec::new();
    for (at, first) in all.iter().enumerate().take(shown) {
        for second in all.iter().skip(at + 1) {
            let compared = RankingsCompared::between(&first.ranking, &second.ranking);
            rows.push((&first.name, &second.name, compared));
        }
    }
    Table::of("rankings compared", columns, &rows).note(
        "τ-b counts the pairs in the same and in opposite orders, from −1 to 1, over what both score; ties \
         count for neither.",
    )
}

/// The difference of two systems under a view.
struct ViewPair<'a> {
    view: &'a ViewRanking,
    /// The names of the better and of the worse system.
    names: [String; 2],
    difference: &'a SystemDifference,
    /// The number of other rankings with the same order of the two, and of other rankings with both systems.
    same_order: [usize; 2],
}

/// The differences of systems with intervals, and in how many of the other views the order is the same.
fn differences(measured: &MeasureRankings, by: &[By], is_brief: bool) -> Option<Table> {
    let columns = [
        Column::new("judged_by", "judged by", |row: &ViewPair<'_>| row.view.name.clone()).shown_if(!is_brief),
        Column::new("better", "ranked higher", |row: &ViewPair<'_>| row.names[0].clone()),
        Column::new("worse", "ranked lower", |row: &ViewPair<'_>| row.names[1].clone()),
        Column::new("queries", "queries", |row: &ViewPair<'_>| row.difference.queries),
        Column::new("difference", "difference", |row: &ViewPair<'_>| row.difference.difference),
        Column::new("same_order", "same order", |row: &ViewPair<'_>| row.same_order[0]),
        Column::new("compared", "of others", |row: &ViewPair<'_>| row.same_order[1]),
    ];
    let shown = if is_brief { 1 } else { measured.views.len() };
    let most = if is_brief { NEIGHBOURS } else { usize::MAX };
    let mut rows = Vec::new();
    for (at, view) in measured.views.iter().enumerate().take(shown) {
        let ranking = &view.ranking;
        let is_shown =
            |difference: &&SystemDifference| !is_brief || difference.worse == difference.better + 1;
        let name = |place: usize| {
            ranking.systems.get(place).map_or_else(String::new, |system| name_of(&system.group))
        };
        rows.extend(ranking.differences.iter().filter(is_shown).take(most).map(|difference| ViewPair {
            view,
            names: [name(difference.better), name(difference.worse)],
            difference,
            same_order: same_order(measured, at, difference),
        }));
    }
    let mut title = format!("differences between {}", plural(&names(by)));
    if let Some(first) = measured.views.first().filter(|_| is_brief) {
        title = format!("{title} next to each other by {}", first.name);
    }
    let mut table = Table::of(title, columns, &rows).keyed("differences_between_systems");
    let has_intervals = rows.iter().any(|row| matches!(row.difference.difference.interval, Some(Ok(_))));
    let open = if has_intervals { " An interval around 0 leaves the order open." } else { "" };
    table.notes.push(format!(
        "Over the queries that both are scored on.{open} Same order: how many of the other rankings with both have them in \
         this order, and for two that tie, tied too."
    ));
    let is_beyond = |row: &ViewPair<'_>| match (measured.measure.range, row.difference.difference.interval) {
        (NumberRange::Between(least, most), Some(Ok(ends))) => {
            ends.low < least - most || ends.high > most - least
        }
        _ => false,
    };
    if rows.iter().any(is_beyond) {
        table.notes.push(
            "Of few queries an interval may end beyond what a difference can be; it is not cut there."
                .to_owned(),
        );
    }
    if is_brief {
        table.notes.push("--full prints all of them, under everyone.".to_owned());
    }
    (!rows.is_empty()).then_some(table)
}

/// The number of other rankings with two systems in the same order, or tied as here, and of other rankings with both systems.
fn same_order(measured: &MeasureRankings, own: usize, difference: &SystemDifference) -> [usize; 2] {
    let group = |place: usize| Some(&measured.views.get(own)?.ranking.systems.get(place)?.group);
    let (Some(better), Some(worse)) = (group(difference.better), group(difference.worse)) else {
        return [0, 0];
    };
    let order =
        |view: &ViewRanking| Some(view.ranking.system(better)?.rank?.cmp(&view.ranking.system(worse)?.rank?));
    let own_order = measured.views.get(own).and_then(order);
    let others = measured.views.iter().enumerate().filter(|(at, _)| *at != own);
    let both: Vec<Ordering> = others.filter_map(|(_, view)| order(view)).collect();
    [both.iter().filter(|order| Some(**order) == own_order).count(), both.len()]
}
