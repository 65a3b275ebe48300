//! All figures: what each shows and how it is found in a study's tables.

mod agreement;
mod systems;

use super::{Figure, Sources};
use crate::error::Result;
use crate::report::table::Table;

/// A kind of figure. A study has none of it, one, or one for each protocol, question or judge.
pub struct Kind {
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// Why there is nothing to show where no figure is found.
    pub needs: &'static str,
    pub(super) find: fn(&Sources<'_>) -> Result<Vec<Figure>>,
}

const fn kind(
    name: &'static str,
    find: fn(&Sources<'_>) -> Result<Vec<Figure>>,
    shows: &'static str,
    needs: &'static str,
) -> Kind {
    Kind { name, shows, needs, find }
}

/// Every kind once, the most useful first.
pub static KINDS: [Kind; 3] = [
    kind(
        "systems",
        systems::systems,
        "scores of systems with intervals, and letters for those that cannot be told apart",
        "nothing that is judged is about a system",
    ),
    kind(
        "grid",
        systems::grid,
        "scores by retriever and summarizer",
        "needs summaries of two retrievers and two summarizers that are judged",
    ),
    kind(
        "agreement",
        agreement::agreement,
        "agreement on each question with intervals",
        "needs a question that two people answered",
    ),
];

/// Headings for percentages and others: `joint, %`.
fn titled(table: &Table, column: &str) -> String {
    let found = table.columns.iter().find(|one| one.name == column);
    found.map_or_else(String::new, |found| match found.unit {
        Some(unit) => format!("{}, {unit}", found.heading),
        None => found.heading.clone(),
    })
}

/// What a dot is, and a line, where there are lines.
fn with_intervals(what: &str, has_intervals: bool) -> String {
    if has_intervals { format!("{what} (dot) with 95 % interval (line)") } else { what.to_owned() }
}

/// A word for one and for several.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
