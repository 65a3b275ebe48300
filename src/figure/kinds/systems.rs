//! Figures of systems by their scores.

use std::collections::BTreeMap;

use super::{MOST_PEOPLE, titled, with_intervals};
use crate::agreement::Undefined;
use crate::error::Result;
use crate::figure::forms::{Axis, DotRow, Dots, Grid, Panel, Ranks, Series, Shaded};
use crate::figure::letters::letters;
use crate::figure::read::{TableRow, column, fact, filtered, has_intervals, rows, with_texts};
use crate::figure::scale::number;
use crate::figure::{Figure, Sources};
use crate::number::number_of;
use crate::report::table::{Cell, Heading, Table};
use crate::score;
use crate::text::words::capitalised;

/// The end of the key of the table of systems under each annotator, as `score --annotators each` prints it.
const STANDINGS: &str = "_under_each_annotator";
/// The end of the key of the table of differences between systems.
const DIFFERENCES: &str = "differences_between_systems";

/// Whose judgments a figure of one view shows: all people's, else the only person's, else gold, else the first view.
fn view(standings: &Table) -> Option<String> {
    let of = |whose: &'static str| rows(standings).find(move |row| row.text("whose") == whose);
    let found = ["people", "human", "gold"].into_iter().find_map(of).or_else(|| rows(standings).next());
    found.map(|row| row.text("judged_by").to_owned())
}

/// The tables of standings, each with the table of differences by the same measure.
pub fn standings<'t>(sources: &'t Sources<'_>) -> Result<Vec<(&'t Table, Option<&'t Table>)>> {
    let tables = sources.rankings()?;
    let same = |one: &Table, other: &Table| {
        ["protocol", "measure"].iter().all(|name| fact(one, name) == fact(other, name))
    };
    let ranked = tables.iter().filter(|table| table.key.ends_with(STANDINGS));
    Ok(ranked
        .map(|ranked| {
            let differences =
                tables.iter().find(|table| table.key.ends_with(DIFFERENCES) && same(table, ranked));
            (ranked, differences)
        })
        .collect())
}

/// The columns that name what is ranked, such as `system`.
pub fn ranked_by(standings: &Table) -> Vec<&str> {
    let by = standings.facts.get("by").and_then(serde_json::Value::as_array);
    by.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

/// The name of the ranked thing of a row.
pub fn name_of(standings: &Table, row: TableRow<'_>) -> String {
    let parts: Vec<&str> = ranked_by(standings).into_iter().map(|by| row.name(by)).collect();
    parts.join(" · ")
}

/// The word for the ranked things: `systems`, `summarizers`.
fn plural(standings: &Table) -> String {
    score::plural(&ranked_by(standings))
}

/// A dot and its interval for each system, best first.
pub fn systems(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(standings, differences): (&Table, Option<&Table>)| {
        let judged_by = view(standings)?;
        let is_own = |row: TableRow<'_>| row.text("judged_by") == judged_by;
        let mut table = filtered(standings, |row| is_own(row) && row.number("score").is_some());
        let names: Vec<String> = rows(&table).map(|row| name_of(standings, row)).collect();
        let (first, best) = (rows(&table).next()?, names.first()?);
        let apart = Apart::of(differences, &judged_by, &names);
        let mut says = vec![format!("{best} scores highest: {}.", first.told("score"))];
        if names.len() == 1 {
            says = vec![format!("{best}: {}.", first.told("score"))];
        }
        says.push(apart.told(&names, &plural(standings)));
        if judged_by != "all people" {
            says.push(format!("As judged by {judged_by}."));
        }
        let letters = apart.letters.unwrap_or_default();
        let dots = system_dots(&table, "score", &names, &letters);
        if !letters.is_empty() {
            table = with_texts(table, Heading::text("letters", "letters"), &letters);
        }
        let about = [fact(standings, "protocol"), fact(standings, "measure")];
        let by = ranked_by(standings).join(" and ").replace('_', " ");
        let title = format!("{}: {} by {by}", about[0], heading(standings));
        table.title.clone_from(&title);
        Some(Figure::new("systems", &about, title, table, dots).says(says))
    };
    let won = win_rates(sources);
    // Where pairs alone are judged, nothing else is ranked.
    let standings = if won.is_empty() { standings(sources)? } else { standings(sources).unwrap_or_default() };
    Ok(standings.into_iter().filter_map(figure).chain(won).collect())
}

/// A dot and its interval for the win rate of each system whose summaries were compared with others', best first.
fn win_rates(sources: &Sources<'_>) -> Vec<Figure> {
    let figure = |preferences: &Table| {
        let table = filtered(preferences, |row| row.number("win_rate").is_some());
        let best = rows(&table).next()?;
        let says = format!("{} wins most often: {}.", best.name("system"), best.told("win_rate"));
        let names: Vec<String> = rows(&table).map(|row| row.name("system").to_owned()).collect();
        let dots = system_dots(&table, "win_rate", &names, &[]);
        let protocol = fact(preferences, "protocol");
        let title = format!("{protocol}: win rate by system");
        Some(Figure::new("systems", &[protocol, "win_rate"], title, table, dots).says(vec![says]))
    };
    let tables = sources.scores().unwrap_or_default();
    tables.iter().filter(|table| table.key == "preferences").filter_map(figure).collect()
}

/// A dot and its interval for each row of a table, with its name, and with letters where there are some.
fn system_dots(table: &Table, score: &str, names: &[String], letters: &[String]) -> Dots {
    let label = with_intervals(&titled(table, score), has_intervals(table, score));
    let range = titled(table, score).ends_with('%').then_some((0.0, 100.0));
    let row = |(at, row): (usize, TableRow<'_>)| DotRow {
        name: names.get(at).cloned().unwrap_or_default(),
        points: vec![row.point(score)],
        texts: std::iter::once(row.shown(score)).chain(letters.get(at).cloned()).collect(),
    };
    Dots {
        axis: Axis::of(label, range, None),
        series: Series::unnamed(),
        columns: vec![String::new(); if letters.is_empty() { 1 } else { 2 }],
        panels: vec![Panel { title: String::new(), rows: rows(table).enumerate().map(row).collect() }],
    }
}

/// The name of the score by which standings are ranked.
pub fn heading(standings: &Table) -> &str {
    let score = standings.columns.iter().find(|column| column.name == "score");
    score.map_or("score", |column| column.heading.as_str())
}

/// The pairs of systems, by whether they can be told apart.
struct Apart {
    /// The letters of each system; `None` where too many pairs are untested, or there would be too many letters.
    letters: Option<Vec<String>>,
    /// Tested pairs: with an interval of their difference, or with the same difference on every query.
    tested: usize,
    /// Tested pairs whose interval excludes 0; `constant` counts those that differ by the same on every query.
    apart: usize,
    constant: usize,
    /// Untested pairs, by the places of the two systems.
    untested: Vec<(usize, usize)>,
}

/// One of this many pairs may be untested; with more, letters would say too much.
const ONE_OF: usize = 10;

impl Apart {
    fn of(differences: Option<&Table>, judged_by: &str, names: &[String]) -> Apart {
        let place = |name: &str| names.iter().position(|one| one == name);
        let mut known: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        let (mut apart, mut constant) = (0, 0);
        let own = differences.into_iter().flat_map(rows).filter(|row| row.text("judged_by") == judged_by);
        for row in own {
            let (Some(better), Some(worse)) = (place(row.text("better")), place(row.text("worse"))) else {
                continue;
            };
            let differs = match row.cell("difference") {
                Some(Cell::Estimate(_, Ok(interval))) => {
                    let is_apart = interval.low > 0.0 || interval.high < 0.0;
                    apart += usize::from(is_apart);
                    is_apart
                }
                // The difference is the same on every query: nothing is left to chance, and zero is exactly 0.
                Some(Cell::Estimate(value, Err(Undefined::NoVariation))) => {
                    constant += usize::from(*value != 0.0);
                    *value != 0.0
                }
                _ => continue,
            };
            known.insert((better.min(worse), better.max(worse)), differs);
        }
        let pairs = (0..names.len()).flat_map(|one| (one + 1..names.len()).map(move |other| (one, other)));
        let untested: Vec<(usize, usize)> = pairs.filter(|pair| !known.contains_key(pair)).collect();
        let differ: Vec<(usize, usize)> =
            known.iter().filter(|(_, differs)| **differs).map(|(pair, _)| *pair).collect();
        let is_enough = !known.is_empty() && untested.len() * ONE_OF <= known.len() + untested.len();
        let letters = if is_enough { letters(names.len(), &differ) } else { None };
        Apart { letters, tested: known.len(), apart, constant, untested }
    }

    /// A sentence on the meaning of the letters, or on why there are none.
    fn told(&self, names: &[String], what: &str) -> String {
        let pairs = self.tested + self.untested.len();
        if self.untested.len() * ONE_OF > pairs {
            return format!(
                "No letters: of {} {} not tested, because an interval of their difference needs three queries \
                 in common.",
                number_of(pairs, "pair"),
                counted(self.untested.len(), "is", "are")
            );
        }
        if pairs == 0 {
            return String::new();
        }
        let mut told = match &self.letters {
            Some(_) => format!("{} with a letter in common cannot be told apart", capitalised(what)),
            None => "There would be too many letters for what cannot be told apart".to_owned(),
        };
        told += &format!(
            ": the 95 % interval of their difference over the queries of both is around 0 (so for {} of {}, not corrected for \
             their number).",
            self.tested - self.apart - self.constant,
            number_of(self.tested, "pair")
        );
        if self.constant > 0 {
            told += &format!(
                " {} by the same on every query, which tells them apart without an interval.",
                counted(self.constant, "pair differs", "pairs differ")
            );
        }
        let name = |place: &usize| names.get(*place).map_or("", String::as_str);
        let open: Vec<String> =
            self.untested.iter().map(|(one, other)| format!("{} and {}", name(one), name(other))).collect();
        if !open.is_empty() {
            told += &format!(
                " A letter says nothing of {}, with fewer than three queries in common.",
                open.join(", ")
            );
        }
        told
    }
}

/// A number and the word for it: `1 pair differs`, `2 pairs differ`.
fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// The scores of a table that have numbers, the headline first: three for coverage; for a question without scores, the mean
/// of its labels.
fn measures(table: &Table) -> Vec<&str> {
    let own = || {
        let scores = table.columns.iter().filter(|column| column.better.is_some() && !column.detail);
        scores.map(|column| column.name.as_str()).collect::<Vec<&str>>()
    };
    let names = match column(table, "coverage") {
        Some(_) => vec!["joint", "coverage", "citation"],
        None => Some(own()).filter(|own| !own.is_empty()).unwrap_or_else(|| vec!["mean_score"]),
    };
    names.into_iter().filter(|name| rows(table).any(|row| row.number(name).is_some())).collect()
}

/// A field for each retriever and summarizer, by the headline score; with `--by ROWS,COLUMNS`, a figure for each score.
pub fn grid(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let own = ["summarizer".to_owned(), "retriever".to_owned()];
    let asked = <[String; 2]>::try_from(sources.asked.by.clone()).ok();
    let by = asked.as_ref().unwrap_or(&own);
    let has_both = |table: &&Table| by.iter().all(|name| column(table, name).is_some());
    let most = if asked.is_some() { usize::MAX } else { 1 };
    let tables = sources.by_two()?.iter().filter(has_both);
    let grids =
        tables.flat_map(|table| measures(table).into_iter().take(most).map(move |name| (table, name)));
    Ok(grids.filter_map(|(table, measure)| grid_of(table, measure, by, asked.is_some())).collect())
}

fn grid_of(table: &Table, measure: &str, [down, across]: &[String; 2], is_asked: bool) -> Option<Figure> {
    let mut places: [Vec<&str>; 2] = Default::default();
    for row in rows(table) {
        for (names, name) in places.iter_mut().zip([row.name(across), row.name(down)]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let [columns, lines] = &places;
    if columns.len() < 2 || lines.len() < 2 {
        return None;
    }
    let found: BTreeMap<(&str, &str), TableRow<'_>> =
        rows(table).map(|row| ((row.name(down), row.name(across)), row)).collect();
    let values = || found.values().filter_map(|row| row.number(measure));
    let (low, high) = values()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let field = |line: &&str, column: &&str| {
        let row = found.get(&(*line, *column));
        let point = row.map(|row| row.point(measure)).unwrap_or_default();
        let ends = point.interval.map(|(low, high)| format!("{}–{}", number(low, 0), number(high, 0)));
        Shaded {
            text: row.map_or_else(|| "·".to_owned(), |row| row.shown(measure)),
            note: ends.unwrap_or_default(),
            share: point.value.map(|value| if high > low { (value - low) / (high - low) } else { 0.5 }),
            is_framed: point.value == Some(high),
            is_other: false,
        }
    };
    let fields =
        lines.iter().map(|line| columns.iter().map(|column| field(line, column)).collect()).collect();
    let best = found.iter().find(|(_, row)| row.number(measure) == Some(high));
    let says = best
        .map(|((line, column), row)| format!("{line} with {column} scores highest: {}.", row.told(measure)));
    let form = Grid {
        titles: [down, across].map(|name| name.replace('_', " ")),
        rows: lines.iter().map(|name| (*name).to_owned()).collect(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        fields,
        outside: None,
        foot: format!("{}; the highest is framed", titled(table, measure)),
        note_foot: "below it its 95 % interval".to_owned(),
    };
    let protocol = fact(table, "protocol");
    let title = format!("{protocol}: {measure} by {down} and {across}");
    let about = [protocol, if is_asked { measure } else { "" }];
    Some(Figure::new("grid", &about, title, table.clone(), form).says(says))
}

/// The standings by the first measure of each protocol.
pub fn headlines<'t>(standings: Vec<(&'t Table, Option<&'t Table>)>) -> Vec<&'t Table> {
    let mut found: Vec<&Table> = standings.into_iter().map(|(standings, _)| standings).collect();
    found.dedup_by_key(|table| fact(table, "protocol").to_owned());
    found
}

/// The rank of each system under every annotator.
pub fn ranks(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    Ok(headlines(standings(sources)?).into_iter().filter_map(ranks_of).collect())
}

fn ranks_of(standings: &Table) -> Option<Figure> {
    let mut views: Vec<&str> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut found: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for row in rows(standings) {
        let (view, name) = (row.text("judged_by"), name_of(standings, row));
        if !views.contains(&view) {
            views.push(view);
        }
        if !names.contains(&name) {
            names.push(name.clone());
        }
        if let Some(Cell::Count(rank)) = row.cell("rank") {
            found.insert((name, view), *rank);
        }
    }
    if views.len() > MOST_PEOPLE {
        return None;
    }
    let scored =
        |view: &str| names.iter().filter(|name| found.contains_key(&((*name).clone(), view))).count();
    let common = |views: &[&str]| -> Vec<&String> {
        let is_common =
            |name: &&String| views.iter().all(|view| found.contains_key(&((*name).clone(), *view)));
        names.iter().filter(is_common).collect()
    };
    // Annotators who judged too few systems for a common ranking are left out, the least first.
    let mut left_out: Vec<&str> = Vec::new();
    while views.len() > 2 && common(&views).len() < 2 {
        let least = views.iter().enumerate().min_by_key(|(_, view)| scored(view)).map(|(at, _)| at);
        left_out.extend(least.map(|at| views.remove(at)));
    }
    let both = common(&views);
    if views.len() < 2 || both.len() < 2 {
        return None;
    }
    // Ranks count only the systems that everyone scored, so that none moves because another is missing.
    let rank = |name: &String, view: &str| found.get(&(name.clone(), view)).copied();
    let among = |name: &String, view: &str| {
        let own = rank(name, view)?;
        Some(1 + both.iter().filter(|other| rank(other, view).is_some_and(|rank| rank < own)).count())
    };
    let ranks: Vec<(String, Vec<Option<usize>>)> = both
        .iter()
        .map(|name| ((*name).clone(), views.iter().map(|view| among(name, view)).collect()))
        .collect();
    let without: Vec<&str> =
        names.iter().filter(|name| !both.contains(name)).map(String::as_str).chain(left_out).collect();
    let without = match without.as_slice() {
        [] => String::new(),
        without => format!("Left out, because not all of these are judged by all: {}.", without.join(", ")),
    };
    let first = *views.first()?;
    let mut farthest: Option<(usize, &String, usize, &str, usize)> = None;
    for (name, ranks) in &ranks {
        let Some(own) = ranks.first().copied().flatten() else { continue };
        for (view, rank) in views.iter().zip(ranks) {
            let Some(rank) = *rank else { continue };
            if farthest.as_ref().is_none_or(|(most, ..)| rank.abs_diff(own) > *most) {
                farthest = Some((rank.abs_diff(own), name, own, view, rank));
            }
        }
    }
    let says = farthest.map(|(most, name, own, view, rank)| match most {
        0 => "The order is the same under everyone.".to_owned(),
        _ => format!("{name} moves farthest: {own} by {first}, {rank} by {view}."),
    });
    let about = [fact(standings, "protocol"), fact(standings, "measure")];
    let by = ranked_by(standings).join(" and ").replace('_', " ");
    let title = format!("{}: ranks by {} of each {by}, under everyone", about[0], heading(standings));
    let form = Ranks { views: views.into_iter().map(str::to_owned).collect(), rows: ranks };
    let table = Table { title: title.clone(), ..standings.clone() };
    Some(Figure::new("ranks", &about, title, table, form).says(says.into_iter().chain([without])))
}

/// Scores with the relevant documents at the top, in random order, and at the bottom.
pub fn order(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    const ORDERS: [&str; 3] = ["top", "random", "bottom"];
    let tables =
        sources.scores()?.iter().filter(|table| table.key.ends_with("joint_score_by_order_of_documents"));
    let figure = |table: &Table| {
        let panel = |order: &&str| Panel {
            title: (*order).to_owned(),
            rows: rows(table).map(|row| row.dot("system", order)).collect(),
        };
        let any = ORDERS.iter().any(|order| has_intervals(table, order));
        let dots = Dots {
            axis: Axis::of(with_intervals("joint, % ", any).replace("  ", " "), Some((0.0, 100.0)), None),
            series: Series::unnamed(),
            columns: vec![String::new()],
            panels: ORDERS.iter().map(panel).collect(),
        };
        let most = rows(table).filter_map(|row| Some((row.number("sensitivity")?, row)));
        let most = most.max_by(|one, other| one.0.total_cmp(&other.0));
        let says = most.map(|(_, row)| {
            format!(
                "{} depends most on where the relevant documents stand: up to {} from random order.",
                row.name("system"),
                row.shown("sensitivity")
            )
        });
        let protocol = fact(table, "protocol");
        let title = format!("{protocol}: joint by order of documents");
        Figure::new("order", &[protocol], title, table.clone(), dots).says(says)
    };
    Ok(tables.map(figure).collect())
}

/// Scores by the length of the judged texts.
pub fn length(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let tables = sources.by_length()?.iter();
    Ok(tables.filter(|table| column(table, "response_length").is_some()).filter_map(length_of).collect())
}

fn length_of(table: &Table) -> Option<Figure> {
    let measures = measures(table);
    if measures.is_empty() || table.rows.len() < 2 {
        return None;
    }
    let panel = |measure: &&str| Panel {
        title: titled(table, measure),
        rows: rows(table).map(|row| row.dot("response_length", measure)).collect(),
    };
    let any = measures.iter().any(|measure| has_intervals(table, measure));
    let is_percent = measures.iter().all(|measure| titled(table, measure).ends_with('%'));
    let dots = Dots {
        axis: Axis::of(
            with_intervals("score of texts of so many words", any),
            is_percent.then_some((0.0, 100.0)),
            None,
        ),
        series: Series::unnamed(),
        columns: vec![String::new()],
        panels: measures.iter().map(panel).collect(),
    };
    let says = measures.first().map(|measure| {
        let own: Vec<String> =
            rows(table).map(|row| format!("{} {}", row.name("response_length"), row.told(measure))).collect();
        format!("{}: {}.", titled(table, measure), own.join("; "))
    });
    let protocol = fact(table, "protocol");
    let title = format!("{protocol}: scores by length in words");
    Some(Figure::new("length", &[protocol], title, table.clone(), dots).says(says))
}
