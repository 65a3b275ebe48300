//! Figures of systems by their scores.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::{MOST_PEOPLE, PERCENT, all_of, largest, numbered_dots, of_largest};
use crate::agreement::{Estimate, Undefined};
use crate::error::{Error, Result};
use crate::figure::letters::letters;
use crate::figure::{Figure, Sources};
use crate::number::number_of;
use crate::report::{
    GroupsScore, Heading, MeasureRankings, ScoresByGroup, Table, TableFinding, ViewRanking, Whose, is_tied,
};
use crate::score::{self, GroupLabels, PositionSensitivity, SystemDifference, SystemRanked};
use crate::text::words::{capitalised, listed};
use paper::forms::{DotRow, Dots, Grid, Panel, PlotPoint, Ranks, Shaded};
use paper::scale::number;

/// The view of all people, else of the only person, else gold.
pub fn people(found: &MeasureRankings) -> Option<&ViewRanking> {
    let of = |whose| {
        let is_it = |view: &&ViewRanking| view.whose == whose && !view.ranking.systems.is_empty();
        found.views.iter().find(is_it)
    };
    [Whose::People, Whose::Person, Whose::Gold].into_iter().find_map(of)
}

/// The tables of rankings, each with its rankings.
pub fn rankings<'t>(sources: &'t Sources<'_>) -> Result<Vec<(&'t Table, &'t MeasureRankings)>> {
    let ranked = |table: &'t Table| match &table.finding {
        TableFinding::Rankings(found) => Some((table, &**found)),
        _ => None,
    };
    Ok(sources.rankings()?.iter().filter_map(ranked).collect())
}

/// A dot and its interval for each system, best first.
pub fn systems(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(standings, found): (&Table, &MeasureRankings)| {
        let view = people(found).or_else(|| found.rows().next().map(|(view, _)| view))?;
        // Systems without a score stand last.
        let scored = || view.ranking.systems.iter().filter(|system| system.score.value.is_ok());
        let names: Vec<String> = scored().map(|system| sources.names(&found.by, &system.group)).collect();
        let points: Vec<PlotPoint> = scored().map(|system| system.score.into()).collect();
        let (first, name) = (points.first()?, names.first()?);
        let apart = Apart::of(&view.ranking.differences, names.len());
        let mut says = vec![match names.len() {
            1 => format!("{name}: {}.", first.told(1)),
            _ => best(&names, &points, "score", found.measure.better.ends()[0]),
        }];
        let by: Vec<&str> = found.by.iter().map(String::as_str).collect();
        says.push(apart.told(&names, &score::plural(&by)));
        if view.whose != Whose::People {
            says.push(format!("As judged by {}.", sources.name("judged_by", &view.name)));
        }
        let letters = apart.letters.unwrap_or_default();
        let measure = &found.measure;
        let axis = sources.titled_measure(measure);
        let dots = system_dots((&axis, measure.is_percent), names.into_iter().zip(points), &letters);
        let is_drawn = |(own, system): (&ViewRanking, &SystemRanked)| {
            std::ptr::eq(own, view) && system.score.value.is_ok()
        };
        let mut table = standings.only(found.rows().map(is_drawn));
        if !letters.is_empty() {
            table.columns.push(Heading::text("letters", "letters"));
            table.rows.iter_mut().zip(&letters).for_each(|(row, text)| row.push(text.as_str().into()));
        }
        let about = [standings.said("protocol"), &measure.name];
        let heading = sources.heading(measure);
        let title = format!("{}: {heading} by {}", about[0], by.join(" and ").replace('_', " "));
        table.title.clone_from(&title);
        Some(Figure::new("systems", &about, title, table, dots).says(says))
    };
    // A pair is in no group by a field of one summary.
    let is_by_system = sources.asked.part.by.iter().all(|by| by == "system");
    let won = if is_by_system { win_rates(sources) } else { Vec::new() };
    // Where pairs alone are judged, nothing else is ranked.
    let ranked = if won.is_empty() { rankings(sources)? } else { rankings(sources).unwrap_or_default() };
    Ok(ranked.into_iter().filter_map(figure).chain(won).collect())
}

/// A dot and its interval for the win rate of each system whose summaries were compared with others', best first.
fn win_rates(sources: &Sources<'_>) -> Vec<Figure> {
    let figure = |preferences: &Table| {
        let TableFinding::Preferred(all) = &preferences.finding else { return None };
        let won = all.iter().filter(|row| row.win_rate.value.is_ok());
        let won: Vec<(String, PlotPoint)> =
            won.map(|row| (sources.name("system", &row.system), row.win_rate.into())).collect();
        let (names, rates): (Vec<String>, Vec<PlotPoint>) = won.iter().cloned().unzip();
        let says = best(&names, &rates, "win", "most often");
        let axis = sources.titled("win_rate", "win rate", true);
        let dots = system_dots((&axis, true), won, &[]);
        let table = preferences.only(all.iter().map(|row| row.win_rate.value.is_ok()));
        Some(Figure::of("systems", &["win_rate"], "win rate by system", &table, dots).says([says]))
    };
    sources.scores().unwrap_or_default().iter().filter_map(figure).collect()
}

/// A sentence on the first number, of all that have it; each of several has an interval of its own.
fn best(names: &[String], points: &[PlotPoint], verb: &str, how: &str) -> String {
    let first = points.first().copied().unwrap_or_default();
    let equal = points.iter().take_while(|point| point.value == first.value).count().min(names.len());
    match &names[..equal] {
        [name] => format!("{name} {verb}s {how}: {}.", first.told(1)),
        several => format!("{} {verb} {how}: {}.", listed(several), first.shown(1)),
    }
}

/// A dot and its interval for each system, with letters where there are some.
fn system_dots(
    (axis, is_percent): (&str, bool),
    systems: impl IntoIterator<Item = (String, PlotPoint)>,
    letters: &[String],
) -> Dots {
    let row = |(at, (name, point)): (usize, (String, PlotPoint))| {
        let mut row = DotRow::of(name, point, 1);
        row.texts.extend(letters.get(at).cloned());
        row
    };
    let rows = systems.into_iter().enumerate().map(row).collect();
    let panels = vec![Panel { title: String::new(), rows }];
    let columns = vec![String::new(); if letters.is_empty() { 1 } else { 2 }];
    Dots { columns, ..numbered_dots(axis, (PERCENT.filter(|_| is_percent), None), panels) }
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
    /// The letters and counts of `systems` systems, by the differences of every two.
    fn of(differences: &[SystemDifference], systems: usize) -> Apart {
        let mut known: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        let (mut apart, mut constant) = (0, 0);
        for SystemDifference { better, worse, difference, .. } in differences {
            let differs = match (difference.value, difference.interval) {
                (Ok(_), Some(Ok(interval))) => {
                    let is_apart = interval.low > 0.0 || interval.high < 0.0;
                    apart += usize::from(is_apart);
                    is_apart
                }
                // The difference is the same on every query: nothing is left to chance, and zero is exactly 0.
                (Ok(value), Some(Err(Undefined::NoVariation))) => {
                    constant += usize::from(value != 0.0);
                    value != 0.0
                }
                _ => continue,
            };
            known.insert((*better.min(worse), *better.max(worse)), differs);
        }
        let pairs = (0..systems).flat_map(|one| (one + 1..systems).map(move |other| (one, other)));
        let untested: Vec<(usize, usize)> = pairs.filter(|pair| !known.contains_key(pair)).collect();
        let differ: Vec<(usize, usize)> =
            known.iter().filter(|(_, differs)| **differs).map(|(pair, _)| *pair).collect();
        let is_enough = !known.is_empty() && untested.len() * ONE_OF <= known.len() + untested.len();
        let letters = if is_enough { letters(systems, &differ) } else { None };
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

/// A field for each retriever and summarizer, by the headline score; with `--by ROWS,COLUMNS`, a figure for each score.
pub fn grid(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let own = ["summarizer".to_owned(), "retriever".to_owned()];
    let asked = <[String; 2]>::try_from(sources.asked.part.by.clone()).ok();
    let by = asked.as_ref().unwrap_or(&own);
    let (is_asked, most) = if asked.is_some() { (true, usize::MAX) } else { (false, 1) };
    let grids = scored_by(sources.by_two()?).flat_map(|(table, found)| {
        let shown = found.scores.iter().filter(|score| score.is_shown()).take(most);
        shown.filter_map(move |score| grid_of(sources, (table, found), score, by, is_asked))
    });
    let grids: Vec<Figure> = grids.collect();
    let single = |(_, found): (&Table, &ScoresByGroup)| {
        by.iter().find_map(|field| {
            let mut names: IndexSet<String> = sources.labels(found, field)?.into_iter().collect();
            Some((field.replace('_', " "), names.pop()?)).filter(|_| names.is_empty())
        })
    };
    match scored_by(sources.by_two()?).find_map(single) {
        Some((field, only)) if is_asked && grids.is_empty() => {
            let what =
                format!("only one {field} is left of what is judged, {only}, and a grid is of two or more");
            Err(Error::new(what).advise("name another field with --by, or widen --filter"))
        }
        _ => Ok(grids),
    }
}

/// The tables of scores by group.
fn scored_by(tables: &[Table]) -> impl Iterator<Item = (&Table, &ScoresByGroup)> {
    tables.iter().filter_map(|table| Some((table, table.scores()?)))
}

fn grid_of(
    sources: &Sources<'_>,
    (table, all): (&Table, &ScoresByGroup),
    score: &GroupsScore,
    by: &[String; 2],
    is_asked: bool,
) -> Option<Figure> {
    let [lines, columns] = [sources.labels(all, &by[0])?, sources.labels(all, &by[1])?];
    let found: BTreeMap<(&str, &str), PlotPoint> = lines
        .iter()
        .zip(&columns)
        .zip(&score.values)
        .map(|((line, column), value)| ((line.as_str(), column.as_str()), (*value).into()))
        .collect();
    let [lines, columns] =
        [&lines, &columns].map(|names| names.iter().map(String::as_str).collect::<IndexSet<&str>>());
    if columns.len() < 2 || lines.len() < 2 {
        return None;
    }
    let GroupsScore { head: Heading { name, decimals, .. }, .. } = score;
    let [down, across] = by;
    let better = score.head.better.unwrap_or_default();
    let leads = better.ends()[0];
    let values = || found.values().filter_map(|point| point.value);
    let first = values().max_by(|one, other| better.worth(*one).total_cmp(&better.worth(*other)));
    let (low, high) = values()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let field = |line: &&str, column: &&str| {
        let there = found.get(&(*line, *column));
        let point = there.copied().unwrap_or_default();
        let ends = point.interval.map(|(low, high)| format!("{}–{}", number(low, 0), number(high, 0)));
        Shaded {
            text: there.map_or_else(|| "·".to_owned(), |point| point.shown(*decimals)),
            note: ends.unwrap_or_default(),
            share: point.value.map(|value| if high > low { (value - low) / (high - low) } else { 0.5 }),
            is_framed: point.value.zip(first).is_some_and(|(value, first)| is_tied(value, first)),
            is_other: false,
        }
    };
    let fields =
        lines.iter().map(|line| columns.iter().map(|column| field(line, column)).collect()).collect();
    let best = found
        .iter()
        .filter_map(|((line, column), point)| Some((better.worth(point.value?), (line, column, point))));
    let all = best.clone().count();
    let says = largest(best).map(|(_, best)| match best.as_slice() {
        [(.., point), _, ..] if best.len() == all => {
            format!("All score the same: {}.", point.shown(*decimals))
        }
        [(line, column, point)] => {
            format!("{line} with {column} scores {leads}: {}.", point.told(*decimals))
        }
        several => {
            let cells = several.iter().map(|(line, column, _)| format!("{line} with {column}"));
            let shown = several.first().map(|(.., point)| point.shown(*decimals)).unwrap_or_default();
            format!("{} score {leads}: {shown}.", listed(&cells.collect::<Vec<String>>()))
        }
    });
    let form = Grid {
        titles: [down, across].map(|name| name.replace('_', " ")),
        rows: lines.iter().map(|name| (*name).to_owned()).collect(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        fields,
        outside: None,
        foot: format!("{}; the {leads} is framed", sources.titled_of(&score.head)),
        note_foot: "below it its 95 % interval".to_owned(),
    };
    let title = format!("{name} by {down} and {across}");
    let about = if is_asked { name.as_str() } else { "" };
    Some(Figure::of("grid", &[about], &title, table, form).says(says))
}

/// The rankings by the first measure of each protocol.
pub fn headlines<'t>(
    mut ranked: Vec<(&'t Table, &'t MeasureRankings)>,
) -> Vec<(&'t Table, &'t MeasureRankings)> {
    ranked.dedup_by_key(|(table, _)| table.said("protocol").to_owned());
    ranked
}

/// The rank of each system under every annotator.
pub fn ranks(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(table, found)| ranks_of(sources, table, found);
    Ok(headlines(rankings(sources)?).into_iter().filter_map(figure).collect())
}

fn ranks_of(sources: &Sources<'_>, standings: &Table, found: &MeasureRankings) -> Option<Figure> {
    let mut views: Vec<&ViewRanking> =
        found.views.iter().filter(|view| !view.ranking.systems.is_empty()).collect();
    if views.len() > MOST_PEOPLE {
        return None;
    }
    let systems: IndexSet<&GroupLabels> = found.rows().map(|(_, system)| &system.group).collect();
    let rank = |system: &GroupLabels, view: &ViewRanking| view.ranking.system(system)?.rank;
    let common = |views: &[&ViewRanking]| -> Vec<&GroupLabels> {
        let is_common = |system: &&&GroupLabels| views.iter().all(|view| rank(system, view).is_some());
        systems.iter().filter(is_common).copied().collect()
    };
    // Annotators who judged too few systems for a common ranking are left out, the least first.
    let mut left_out: Vec<&ViewRanking> = Vec::new();
    while views.len() > 2 && common(&views).len() < 2 {
        let scored = |view: &ViewRanking| systems.iter().filter(|one| rank(one, view).is_some()).count();
        let least = views.iter().enumerate().min_by_key(|(_, view)| scored(view)).map(|(at, _)| at);
        left_out.extend(least.map(|at| views.remove(at)));
    }
    let both = common(&views);
    if views.len() < 2 || both.len() < 2 {
        return None;
    }
    // Ranks count only the systems that everyone scored, so that none moves because another is missing.
    let among = |system: &GroupLabels, view: &ViewRanking| {
        let own = rank(system, view)?;
        Some(1 + both.iter().filter(|other| rank(other, view).is_some_and(|rank| rank < own)).count())
    };
    let name = |system: &GroupLabels| sources.names(&found.by, system);
    let judged_by = |view: &ViewRanking| sources.name("judged_by", &view.name);
    let ranks: Vec<(String, Vec<Option<usize>>)> = both
        .iter()
        .map(|system| (name(system), views.iter().map(|view| among(system, view)).collect()))
        .collect();
    let without = systems.iter().filter(|system| !both.contains(system)).map(|system| name(system));
    let without: Vec<String> = without.chain(left_out.into_iter().map(judged_by)).collect();
    let without = match without.as_slice() {
        [] => String::new(),
        without => format!("Left out, because not all of these are judged by all: {}.", without.join(", ")),
    };
    let views: Vec<String> = views.into_iter().map(judged_by).collect();
    let first = views.first()?;
    let moves = ranks.iter().flat_map(|(name, ranks)| {
        let own = ranks.first().copied().flatten();
        let others = views.iter().zip(ranks).skip(1);
        others.filter_map(move |(view, rank)| {
            let far = own?.abs_diff((*rank)?) as f64;
            Some((far, (name, format!("{} by {first}, {} by {view}", own?, (*rank)?))))
        })
    });
    let says = of_largest(moves, "The order is the same under everyone.", |_, moves| match moves {
        [(name, how)] => format!("{name} moves farthest: {how}."),
        several => {
            let told = several.iter().map(|(name, how)| format!("{name}, {how}"));
            format!("These move farthest: {}.", all_of(&told.collect::<Vec<String>>()))
        }
    });
    let about = [standings.said("protocol"), &found.measure.name];
    let by = found.by.join(" and ").replace('_', " ");
    let heading = sources.heading(&found.measure);
    let title = format!("{}: ranks by {heading} of each {by}, under everyone", about[0]);
    let form = Ranks { views, rows: ranks };
    let table = Table { title: title.clone(), ..standings.clone() };
    Some(Figure::new("ranks", &about, title, table, form).says(says.into_iter().chain([without])))
}

/// Scores with the relevant documents at the top, in random order, and at the bottom.
pub fn order(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |table: &Table| {
        let TableFinding::Orders(found) = &table.finding else { return None };
        let orders = ["top", "random", "bottom"].into_iter().enumerate();
        let panels = orders.map(|(at, order)| {
            let row = |row: &PositionSensitivity| {
                let estimate = [row.top, row.random, row.bottom][at];
                DotRow::of(sources.name("system", &row.system), estimate.into(), 1)
            };
            Panel { title: order.to_owned(), rows: found.iter().map(row).collect() }
        });
        let dots = numbered_dots("joint, %", (PERCENT, None), panels.collect());
        let name = |row: &PositionSensitivity| sources.name("system", &row.system);
        let most = found.iter().filter_map(|row| Some((row.sensitivity.ok()?, name(row))));
        // With an order less, a system may depend more than the two others show.
        let is_whole = found.iter().all(|row| row.sensitivity.is_ok());
        let among = if is_whole { "" } else { ", of the systems with scores in all three orders" };
        let alike = format!("No score depends on where the relevant documents stand{among}.");
        let says = of_largest(most, &alike, |sensitivity, names| {
            let verb = if names.len() == 1 { "depends" } else { "depend" };
            let (names, most) = (listed(names), number(sensitivity, 1));
            format!(
                "{names} {verb} most on where the relevant documents stand{among}: up to {most} from random order."
            )
        });
        Some(Figure::of("order", &[], "joint by order of documents", table, dots).says(says))
    };
    Ok(sources.scores()?.iter().filter_map(figure).collect())
}

/// Scores by the length of the judged texts.
pub fn length(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(table, found)| length_of(sources, table, found);
    Ok(scored_by(sources.by_length()?).filter_map(figure).collect())
}

fn length_of(sources: &Sources<'_>, table: &Table, found: &ScoresByGroup) -> Option<Figure> {
    let lengths = sources.labels(found, "response_length")?;
    let scores: Vec<&GroupsScore> = found.scores.iter().filter(|score| score.is_shown()).collect();
    if scores.is_empty() || lengths.len() < 2 {
        return None;
    }
    let panel = |score: &&GroupsScore| {
        let rows = lengths.iter().zip(&score.values);
        let row = |(length, value): (&String, &Option<Estimate>)| {
            DotRow::of(length.as_str(), (*value).into(), score.head.decimals)
        };
        Panel { title: sources.titled_of(&score.head), rows: rows.map(row).collect() }
    };
    let is_percent = scores.iter().all(|score| score.head.unit.is_some());
    let range = PERCENT.filter(|_| is_percent);
    let panels = scores.iter().map(panel).collect();
    let dots = numbered_dots("score of texts of so many words", (range, None), panels);
    let says = scores.first().map(|score| {
        let told = |value: &Option<Estimate>| PlotPoint::from(*value).told(score.head.decimals);
        let own =
            lengths.iter().zip(&score.values).map(|(length, value)| format!("{length} {}", told(value)));
        format!("{}: {}.", sources.titled_of(&score.head), own.collect::<Vec<String>>().join("; "))
    });
    Some(Figure::of("length", &[], "scores by length in words", table, dots).says(says))
}
