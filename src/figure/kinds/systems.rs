//! Systems by their scores.

use std::collections::BTreeMap;

use super::{counted, titled, with_intervals};
use crate::error::Result;
use crate::figure::forms::{Axis, Dots, Grid, Panel, Row, Series, Shaded};
use crate::figure::letters::letters;
use crate::figure::read::{Read, column, fact, filtered, has_intervals, rows, with_texts};
use crate::figure::scale::number;
use crate::figure::scene::Role;
use crate::figure::{Figure, Sources};
use crate::report::table::{Heading, Table};

/// Every system under everyone, as `score --annotators each` prints it.
pub const STANDINGS: &str = "systems_under_each_annotator";
/// What every two systems differ by.
const DIFFERENCES: &str = "differences_between_systems";

/// Whose judgments a figure of one view shows: those of all people, of the one person, else what there is.
fn view(standings: &Table) -> Option<String> {
    let of = |whose: &'static str| rows(standings).find(move |row| row.text("whose") == whose);
    let found = ["people", "human", "gold"].into_iter().find_map(of).or_else(|| rows(standings).next());
    found.map(|row| row.text("judged_by").to_owned())
}

/// The tables of standings, each with that of the differences by the same measure.
fn standings<'t>(sources: &'t Sources<'_>) -> Result<Vec<(&'t Table, Option<&'t Table>)>> {
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

/// What is ranked, by the columns that name it: `system`.
pub fn ranked_by(standings: &Table) -> Vec<&str> {
    let by = standings.facts.get("by").and_then(serde_json::Value::as_array);
    by.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

/// The name of what a row of standings is about.
pub fn name_of(standings: &Table, row: Read<'_>) -> String {
    let parts: Vec<&str> = ranked_by(standings).into_iter().map(|by| row.name(by)).collect();
    parts.join(" · ")
}

/// A dot and its interval for each system, best first.
pub fn systems(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(standings, differences): (&Table, Option<&Table>)| {
        let judged_by = view(standings)?;
        let is_own = |row: Read<'_>| row.text("judged_by") == judged_by;
        let mut table = filtered(standings, |row| is_own(row) && row.number("score").is_some());
        let names: Vec<String> = rows(&table).map(|row| name_of(standings, row)).collect();
        let (first, best) = (rows(&table).next()?, names.first()?);
        let apart = Apart::of(differences, &judged_by, &names);
        let mut says = vec![format!("{best} scores highest: {}.", first.told("score"))];
        if names.len() == 1 {
            says = vec![format!("{best}: {}.", first.told("score"))];
        }
        says.push(apart.told());
        if judged_by != "all people" {
            says.push(format!("As judged by {judged_by}."));
        }
        let letters = apart.letters.unwrap_or_default();
        let dots = Dots {
            axis: Axis {
                title: with_intervals(&titled(&table, "score"), has_intervals(&table, "score")),
                bounds: (titled(&table, "score").ends_with('%')).then_some((0.0, 100.0)),
                reference: None,
            },
            series: vec![Series { name: String::new(), role: Role::A, is_ring: false }],
            columns: vec![String::new(); if letters.is_empty() { 1 } else { 2 }],
            panels: vec![Panel {
                title: String::new(),
                rows: rows(&table)
                    .enumerate()
                    .map(|(at, row)| Row {
                        name: names.get(at).cloned().unwrap_or_default(),
                        points: vec![row.point("score")],
                        texts: std::iter::once(row.shown("score")).chain(letters.get(at).cloned()).collect(),
                    })
                    .collect(),
            }],
        };
        if !letters.is_empty() {
            table = with_texts(table, Heading::text("letters", "letters"), &letters);
        }
        let about = [fact(standings, "protocol"), fact(standings, "measure")];
        let by = ranked_by(standings).join(" and ").replace('_', " ");
        let title = format!("{}: {} by {by}", about[0], heading(standings));
        table.title.clone_from(&title);
        Some(Figure::new("systems", &about, title, table, dots).says(says))
    };
    Ok(standings(sources)?.into_iter().filter_map(figure).collect())
}

/// The name of what standings are ranked by.
pub fn heading(standings: &Table) -> &str {
    let score = standings.columns.iter().find(|column| column.name == "score");
    score.map_or("score", |column| column.heading.as_str())
}

/// Which systems can be told apart.
struct Apart {
    /// A text for each system; nothing where there is nothing to tell apart.
    letters: Option<Vec<String>>,
    /// Pairs with an interval, and those of them whose interval is not around 0.
    compared: usize,
    apart: usize,
    is_complete: bool,
}

impl Apart {
    fn of(differences: Option<&Table>, judged_by: &str, names: &[String]) -> Apart {
        let place = |name: &str| names.iter().position(|one| one == name);
        let mut differ = Vec::new();
        let mut compared = 0;
        let own = differences.into_iter().flat_map(rows).filter(|row| row.text("judged_by") == judged_by);
        for row in own {
            let (Some(better), Some(worse)) = (place(row.text("better")), place(row.text("worse"))) else {
                continue;
            };
            let Some((low, high)) = row.point("difference").interval else { continue };
            compared += 1;
            if low > 0.0 || high < 0.0 {
                differ.push((better.min(worse), better.max(worse)));
            }
        }
        let pairs = names.len() * names.len().saturating_sub(1) / 2;
        let is_complete = compared == pairs && pairs > 0;
        let letters = is_complete.then(|| letters(names.len(), &differ)).flatten();
        Apart { letters, compared, apart: differ.len(), is_complete }
    }

    /// What the letters mean, and over what.
    fn told(&self) -> String {
        let alike = self.compared - self.apart;
        match (&self.letters, self.is_complete) {
            (Some(_), _) => format!(
                "Systems with a letter in common cannot be told apart: the 95 % interval of their difference over the \
                 queries of both is around 0 (so for {alike} of {}, not corrected for their number).",
                counted(self.compared, "pair", "pairs")
            ),
            (None, true) => format!("{alike} of {} pairs cannot be told apart.", self.compared),
            (None, false) if self.compared > 0 => {
                "Some pairs have no interval of their difference, so there are no letters.".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// What scores of systems can be in a grid by, the headline first.
const MEASURES: [&str; 7] = ["joint", "coverage", "recall", "retention", "useful", "full", "mean_score"];

/// A field for each retriever and summarizer.
pub fn grid(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let is_grid =
        |table: &&Table| ["retriever", "summarizer"].iter().all(|name| column(table, name).is_some());
    Ok(sources.scores()?.iter().filter(is_grid).filter_map(grid_of).collect())
}

fn grid_of(table: &Table) -> Option<Figure> {
    let measure = MEASURES.into_iter().find(|name| rows(table).any(|row| row.number(name).is_some()))?;
    let mut places: [Vec<&str>; 2] = Default::default();
    for row in rows(table) {
        for (names, name) in places.iter_mut().zip([row.name("retriever"), row.name("summarizer")]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let [retrievers, summarizers] = &places;
    if retrievers.len() < 2 || summarizers.len() < 2 {
        return None;
    }
    let found: BTreeMap<(&str, &str), Read<'_>> =
        rows(table).map(|row| ((row.name("summarizer"), row.name("retriever")), row)).collect();
    let values = || found.values().filter_map(|row| row.number(measure));
    let (low, high) = values()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let field = |summarizer: &&str, retriever: &&str| {
        let row = found.get(&(*summarizer, *retriever));
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
    let fields = summarizers
        .iter()
        .map(|summarizer| retrievers.iter().map(|retriever| field(summarizer, retriever)).collect())
        .collect();
    let best = found.iter().find(|(_, row)| row.number(measure) == Some(high));
    let says = best.map(|((summarizer, retriever), row)| {
        format!("{summarizer} with {retriever} scores highest: {}.", row.told(measure))
    });
    let has_intervals = has_intervals(table, measure);
    let form = Grid {
        titles: ["summarizer".to_owned(), "retriever".to_owned()],
        rows: summarizers.iter().map(|name| (*name).to_owned()).collect(),
        columns: retrievers.iter().map(|name| (*name).to_owned()).collect(),
        fields,
        outside: None,
        foot: match has_intervals {
            true => format!("{}; below it its 95 % interval; the highest is framed", titled(table, measure)),
            false => format!("{}; the highest is framed", titled(table, measure)),
        },
    };
    let protocol = fact(table, "protocol");
    let title = format!("{protocol}: {measure} by summarizer and retriever");
    Some(Figure::new("grid", &[protocol], title, table.clone(), form).says(says))
}
