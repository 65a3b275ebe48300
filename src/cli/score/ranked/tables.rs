//! Rankings as tables: who ranks where under whom, and how far the rankings differ.

use super::Measured;
use super::views::{View, Views};
use crate::agreement::{Bootstrap, FEW_CLUSTERS, Interval, Undefined};
use crate::cli::table::{Cell, Column, Table};
use crate::score::{By, Difference, Group, Ranking, RankingsCompared};

/// Decimals of rank correlations.
const DECIMALS: usize = 3;

/// What is brief has no table of more rows than this, and of more views than that only what concerns the first.
const ROWS: usize = 60;
const VIEWS: usize = 6;

/// Of more neighbours than this, what is brief shows the differences of the best.
const NEIGHBOURS: usize = 20;

/// All tables of one measure. What is brief leaves the differences of systems to the first view, and to neighbours in it.
pub fn tables(views: &Views<'_>, measured: &Measured, by: &[By], is_brief: bool) -> Vec<Table> {
    let mut tables = vec![standings(views, measured, by, is_brief)];
    if views.all.len() > 1 {
        tables.push(moves(views, measured, by));
        tables.push(rankings(views, measured, is_brief));
    }
    tables.extend(differences(views, measured, is_brief));
    let heading = &measured.measure.heading;
    for table in &mut tables {
        table.title = format!("{heading}: {}", table.title);
        table.facts.insert("measure".to_owned(), measured.measure.name.as_str().into());
    }
    tables
}

/// How the intervals were made.
pub fn method(bootstrap: Bootstrap) -> Option<String> {
    let Bootstrap { resamples, seed } = bootstrap;
    (resamples > 0).then(|| {
        format!(
            "from and to are the ends of 95 % intervals: {resamples} resamples of whole queries, seed {seed}, the same \
             queries for both systems of a difference."
        )
    })
}

/// Both ends of an interval.
fn ends(interval: Option<Result<Interval, Undefined>>) -> [Cell; 2] {
    let end = |pick: fn(Interval) -> f64| match interval {
        None => Cell::Empty,
        Some(interval) => Cell::number(interval.map(pick)),
    };
    [end(|interval| interval.low), end(|interval| interval.high)]
}

fn end_columns() -> [Column; 2] {
    [Column::number("low", "from", 1), Column::number("high", "to", 1)]
}

/// A system's group as one text.
fn name_of(group: &Group) -> String {
    let labels = group.iter().map(|label| label.as_deref().unwrap_or("(none)"));
    labels.collect::<Vec<&str>>().join(" · ")
}

fn group_columns(by: &[By]) -> impl Iterator<Item = Column> {
    by.iter().map(|by| Column::text(by.name(), by.name().replace('_', " ")))
}

fn group_cells(group: &Group) -> impl Iterator<Item = Cell> {
    group.iter().cloned().map(Cell::from)
}

/// `systems`, or what else is ranked.
fn what(by: &[By]) -> String {
    match by {
        [By::System] => "systems".to_owned(),
        by => by.iter().map(|by| by.name().replace('_', " ")).collect::<Vec<String>>().join(" and "),
    }
}

/// Every system under every view, each view a ranking.
fn standings(views: &Views<'_>, measured: &Measured, by: &[By], is_brief: bool) -> Table {
    let measure = &measured.measure;
    let score = Column::number("score", measure.heading.as_str(), 1);
    let mut columns = vec![
        Column::text("judged_by", "judged by"),
        Column::text("whose", "whose").detail(),
        Column::count("rank", "rank"),
    ];
    columns.extend(group_columns(by));
    columns.extend([
        Column::count("queries", "queries"),
        Column::count("count", "n").detail(),
        if measure.is_percent { Column::percent("score", measure.heading.as_str()) } else { score },
    ]);
    columns.extend(end_columns());
    let mut table = Table::new(format!("{} under each annotator", what(by)), columns)
        .fact("by", by.iter().map(|by| by.name()).collect::<Vec<&str>>())
        .fact("gold", views.gold_json())
        .fact("majority", views.decided_json());
    let rows: usize = measured.rankings.iter().map(|ranking| ranking.systems.len()).sum();
    let shown = if is_brief && rows > ROWS { 1 } else { views.all.len() };
    for (view, ranking) in views.all.iter().zip(&measured.rankings).take(shown) {
        for system in &ranking.systems {
            let mut row: Vec<Cell> = vec![view.name.as_str().into(), view.whose.name().into()];
            row.push(system.rank.map_or(Cell::Empty, Cell::Count));
            row.extend(group_cells(&system.group));
            row.extend([Cell::Count(system.queries), Cell::Count(system.count), Cell::number(system.score)]);
            row.extend(ends(system.interval));
            table.rows.push(row);
        }
    }
    table.notes.extend(few_queries(views, measured));
    let rest = views.all.len() - shown;
    if rest > 0 {
        table.notes.push(format!("--full prints the scores under the {rest} others too."));
    }
    table
}

/// A warning where some score is of few queries.
fn few_queries(views: &Views<'_>, measured: &Measured) -> Option<String> {
    let fewest = |(view, ranking): (&View<'_>, &Ranking)| {
        let fewest = ranking.fewest_queries() as u64;
        (fewest > 0 && fewest < FEW_CLUSTERS).then(|| format!("{} {fewest}", view.name))
    };
    let few: Vec<String> = views.all.iter().zip(&measured.rankings).filter_map(fewest).collect();
    (!few.is_empty()).then(|| {
        format!(
            "Warning: some systems are judged on few queries ({}); under {FEW_CLUSTERS}, intervals by resampling are rough \
             and tend to be too narrow.",
            few.join(", ")
        )
    })
}

/// Where each system stands in the first view, and where at best and at worst.
fn moves(views: &Views<'_>, measured: &Measured, by: &[By]) -> Table {
    let first = views.all.first().map_or("", |view| view.name.as_str());
    let mut columns: Vec<Column> = group_columns(by).collect();
    columns.extend([
        Column::count("rank", format!("rank by {first}")),
        Column::count("best", "best"),
        Column::count("worst", "worst"),
        Column::text("elsewhere", "other ranks"),
    ]);
    if views.all.len() > VIEWS {
        columns
            .iter_mut()
            .filter(|column| column.name == "elsewhere")
            .for_each(|column| column.detail = true);
    }
    let mut table = Table::new("rank changes", columns).fact("against", first);
    let Some(reference) = measured.rankings.first() else { return table };
    let compared: Vec<(&View<'_>, RankingsCompared)> = views
        .all
        .iter()
        .zip(&measured.rankings)
        .skip(1)
        .map(|(view, ranking)| (view, RankingsCompared::between(reference, ranking)))
        .collect();
    for system in reference.systems.iter().filter(|system| system.rank.is_some()) {
        let mut all: Vec<usize> = system.rank.into_iter().collect();
        let mut elsewhere = Vec::new();
        for (view, compared) in &compared {
            let ranks = compared.systems.iter().find(|(group, _)| *group == system.group);
            if let Some((_, [own, other])) = ranks {
                all.push(*other);
                if own != other {
                    elsewhere.push(format!("{} {other}", view.name));
                }
            }
        }
        let mut row: Vec<Cell> = group_cells(&system.group).collect();
        row.push(system.rank.map_or(Cell::Empty, Cell::Count));
        row.push(all.iter().min().copied().map_or(Cell::Empty, Cell::Count));
        row.push(all.iter().max().copied().map_or(Cell::Empty, Cell::Count));
        row.push(Cell::Text(elsewhere.join(", ")));
        table.rows.push(row);
    }
    table
}

/// Every two rankings: their rank correlation and what changes places.
fn rankings(views: &Views<'_>, measured: &Measured, is_brief: bool) -> Table {
    let columns = vec![
        Column::text("a", "a"),
        Column::text("b", "b"),
        Column::count("systems", "systems"),
        Column::number("tau_b", "Kendall τ-b", DECIMALS),
        Column::count("moved", "other rank"),
        Column::count("farthest", "places at most"),
        Column::count("reversed", "pairs reversed"),
    ];
    let mut table = Table::new("rankings compared", columns);
    let all: Vec<(&View<'_>, &Ranking)> = views.all.iter().zip(&measured.rankings).collect();
    let shown = if is_brief && all.len() > VIEWS { 1 } else { all.len() };
    for (at, (first, first_ranking)) in all.iter().enumerate().take(shown) {
        for (second, second_ranking) in all.iter().skip(at + 1) {
            let compared = RankingsCompared::between(first_ranking, second_ranking);
            let mut row: Vec<Cell> = vec![first.name.as_str().into(), second.name.as_str().into()];
            row.extend([Cell::Count(compared.systems.len()), Cell::number(compared.tau_b)]);
            row.extend([compared.moved(), compared.farthest(), compared.reversed].map(Cell::Count));
            table.rows.push(row);
        }
    }
    table.notes.push(
        "τ-b counts the pairs of systems in the same and in opposite orders, from −1 to 1, over the systems that both \
         score; ties count for neither."
            .to_owned(),
    );
    table
}

/// How sure the order of two systems is, and under how many of the other views it is the same.
fn differences(views: &Views<'_>, measured: &Measured, is_brief: bool) -> Option<Table> {
    let mut columns = vec![
        Column::text("judged_by", "judged by"),
        Column::text("better", "better"),
        Column::text("worse", "worse"),
        Column::count("queries", "queries"),
        Column::number("difference", "difference", 1),
    ];
    columns.extend(end_columns());
    columns.extend([Column::count("same_order", "same order"), Column::count("compared", "of others")]);
    if is_brief {
        columns.iter_mut().take(1).for_each(|column| column.detail = true);
    }
    let shown = if is_brief { 1 } else { views.all.len() };
    let mut title = "differences between systems".to_owned();
    if let Some(first) = views.all.first().filter(|_| is_brief) {
        title = format!("{title} next to each other by {}", first.name);
    }
    let mut table = Table::new(title, columns);
    for (at, (view, ranking)) in views.all.iter().zip(&measured.rankings).enumerate().take(shown) {
        let most = if is_brief { NEIGHBOURS } else { usize::MAX };
        let is_shown = |difference: &&Difference| !is_brief || difference.worse == difference.better + 1;
        for difference in ranking.differences.iter().filter(is_shown).take(most) {
            let name = |place: usize| {
                ranking.systems.get(place).map_or_else(String::new, |system| name_of(&system.group))
            };
            let mut row: Vec<Cell> = vec![view.name.as_str().into()];
            row.extend([name(difference.better), name(difference.worse)].map(Cell::Text));
            row.extend([Cell::Count(difference.queries), Cell::number(difference.difference)]);
            row.extend(ends(difference.interval));
            row.extend(same_order(measured, at, difference).map(Cell::Count));
            table.rows.push(row);
        }
    }
    table.notes.push(
        "Over the queries that both systems are scored on. An interval around 0 leaves the order open; same order: how \
         many of the other rankings with both systems have them in this order."
            .to_owned(),
    );
    if is_brief {
        table.notes.push("--full prints those of all systems, under everyone.".to_owned());
    }
    (!table.rows.is_empty()).then_some(table)
}

/// How many of the other rankings have two systems in the same order, and how many have both.
fn same_order(measured: &Measured, own: usize, difference: &Difference) -> [usize; 2] {
    let group = |place: usize| Some(&measured.rankings.get(own)?.systems.get(place)?.group);
    let (Some(better), Some(worse)) = (group(difference.better), group(difference.worse)) else {
        return [0, 0];
    };
    let ranks = |ranking: &Ranking| Some((ranking.system(better)?.rank?, ranking.system(worse)?.rank?));
    let others = measured.rankings.iter().enumerate().filter(|(at, _)| *at != own);
    let both: Vec<(usize, usize)> = others.filter_map(|(_, ranking)| ranks(ranking)).collect();
    [both.iter().filter(|(better, worse)| better < worse).count(), both.len()]
}
