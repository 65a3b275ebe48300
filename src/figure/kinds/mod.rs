//! All kinds of figures: what each shows, and how it is made from a study's tables.

mod agreement;
mod judged;
mod over;
mod systems;

use super::{Figure, Sources};
use crate::error::Result;
use crate::report::{Table, is_tied};
use paper::forms::{Axis, Dots, Panel, Series};

/// The most annotators that can be told apart in a figure.
const MOST_PEOPLE: usize = 60;

/// A kind of figure. A study has no figure of a kind, one, or one for each protocol, question or judge.
pub struct FigureKind {
    pub name: &'static str,
    /// What figures of this kind show.
    pub shows: &'static str,
    /// What a study needs for a figure of this kind.
    pub needs: &'static str,
    pub(super) find: fn(&Sources<'_>) -> Result<Vec<Figure>>,
}

const fn kind(
    name: &'static str,
    find: fn(&Sources<'_>) -> Result<Vec<Figure>>,
    shows: &'static str,
    needs: &'static str,
) -> FigureKind {
    FigureKind { name, shows, needs, find }
}

/// The most of what ties that a sentence tells of one by one.
const TOLD: usize = 2;

/// Every kind once, the most useful first.
pub static KINDS: &[FigureKind] = &[
    kind(
        "systems",
        systems::systems,
        "scores of systems with intervals, and letters for those that cannot be told apart",
        "nothing that is judged is about a system",
    ),
    kind(
        "grid",
        systems::grid,
        "scores by retriever and summarizer, or by the two fields of --by",
        "needs judged summaries of two retrievers and two summarizers, or --by ROWS,COLUMNS",
    ),
    kind(
        "agreement",
        agreement::agreement,
        "agreement on each question with intervals",
        "needs a question that two people answered",
    ),
    kind(
        "pairs",
        agreement::pairs,
        "Cohen's kappa of every two annotators",
        "needs a question that 3 to 60 people answered, and not all with one label",
    ),
    kind(
        "confusion",
        agreement::confusion,
        "which label one gives where another gives which: people, and judges",
        "needs two people or a judge on the same items; of more people name two with --annotators",
    ),
    kind(
        "shares",
        agreement::shares,
        "how often each annotator gives each label, beside the others",
        "needs a question with choices that 2 to 60 people answered",
    ),
    kind(
        "ranks",
        systems::ranks,
        "ranks of systems under each annotator, the majority, gold and each judge",
        "needs two systems that two annotators judged",
    ),
    kind(
        "judges",
        judged::judges,
        "scores of systems under people and under each judge",
        "needs systems that people and a judge judged",
    ),
    kind(
        "against",
        judged::against,
        "each summary by a machine's number (--against) and by people's score",
        "needs --against FIELD, a number of summaries that people judged",
    ),
    kind(
        "bias",
        judged::bias,
        "how much better or worse judges find each summarizer than people do",
        "needs summaries that people and a judge judged on a question whose choices have scores",
    ),
    kind(
        "calibration",
        over::calibration,
        "how often each annotator is as known, the same again, and as most others",
        "needs known answers, repeated items, or items that three people judged",
    ),
    kind(
        "pace",
        over::pace,
        "seconds an item over each annotator's order of work",
        "needs 1 to 60 annotators with the times of six items",
    ),
    kind(
        "curve",
        over::curve,
        "what people wrote by active minute, with systems as lines",
        "needs sessions whose snapshots are judged",
    ),
    kind(
        "order",
        systems::order,
        "joint scores with the relevant documents at the top, in random order, and at the bottom",
        "needs summaries of the same system made with documents in three orders",
    ),
    kind(
        "length",
        systems::length,
        "scores by the length of what is judged",
        "needs judged texts of different lengths",
    ),
    kind(
        "missed",
        over::missed,
        "what was missed and why: kinds of failure by system",
        "needs tags for failures, or key points that are not said",
    ),
    kind(
        "thresholds",
        over::thresholds,
        "key points that a threshold on the machine's score keeps, and how many of them people reject",
        "needs judged key points that have scores",
    ),
    kind(
        "power",
        over::power,
        "the difference between systems that so many queries show",
        "needs two systems that are scored on two queries, with differences that are not all alike",
    ),
];

/// The largest number, and all that have it but for rounding; `None` without numbers.
fn largest<T>(numbered: impl IntoIterator<Item = (f64, T)>) -> Option<(f64, Vec<T>)> {
    let mut found: Option<(f64, Vec<T>)> = None;
    for (number, one) in numbered {
        match &mut found {
            Some((most, all)) if is_tied(*most, number) => all.push(one),
            Some((most, _)) if number < *most => {}
            _ => found = Some((number, vec![one])),
        }
    }
    found
}

/// What is said of the largest of these differences, or `alike` where all are 0 but for rounding; `None` without differences.
fn of_largest<T>(
    differences: impl IntoIterator<Item = (f64, T)>,
    alike: &str,
    told: impl FnOnce(f64, &[T]) -> String,
) -> Option<String> {
    let (most, all) = largest(differences)?;
    Some(if most < 1e-9 { alike.to_owned() } else { told(most, &all) })
}

/// Sentences that tie, the first of many in full.
fn all_of(told: &[String]) -> String {
    match told.split_at_checked(TOLD) {
        Some((first, rest)) if !rest.is_empty() => format!("{}; {} more alike", first.join("; "), rest.len()),
        _ => told.join("; "),
    }
}

/// The title of an axis, saying what dots and lines mean where there are intervals.
fn with_intervals(what: &str, panels: &[Panel]) -> String {
    let mut points = panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| &row.points);
    match points.any(|point| point.interval.is_some()) {
        true => format!("{what} (dot) with 95 % interval (line)"),
        false => what.to_owned(),
    }
}

/// Panels with a dot in each row and its number beside it.
fn numbered_dots(
    axis: &str,
    (bounds, reference): (Option<(f64, f64)>, Option<f64>),
    panels: Vec<Panel>,
) -> Dots {
    Dots {
        axis: Axis::of(with_intervals(axis, &panels), bounds, reference),
        series: Series::unnamed(),
        columns: vec![String::new()],
        panels,
    }
}

/// The range of an axis of percentages.
const PERCENT: Option<(f64, f64)> = Some((0.0, 100.0));

/// Protocol and question of a table, for a figure's name. A question with the name of its protocol is left out.
fn about(table: &Table) -> [&str; 2] {
    let (protocol, question) = (table.said("protocol"), table.said("question"));
    [protocol, if question == protocol { "" } else { question }]
}
