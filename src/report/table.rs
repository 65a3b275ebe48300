//! One [`Table`] for all that is said of a study: columns with their cells, declared once.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::agreement::{ClusterCount, Estimate, Interval, Measure, Undefined};
use crate::number::counted;
use crate::score::{ClusterKind, undefined_key};

/// What stands in a row under a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(usize),
    /// A finite number at full precision; its column says how many decimals are shown.
    Number(f64),
    /// Seconds, 0 or more: as people say them, such as `2 h 05`, but a number in JSON and CSV.
    Seconds(f64),
    /// A number that does not exist.
    Undefined(Undefined),
    /// A number that does not exist for a reason that its score calls by a code of its own.
    Reason(Undefined, String),
    /// A finite number with its 95 % interval, or why there is none.
    Estimate(f64, Result<Interval, Undefined>),
    /// Nothing to say here, such as the domain of a query that has none.
    Empty,
}

impl Cell {
    /// A number, or why there is none.
    pub fn number(measure: Measure) -> Cell {
        match measure {
            Ok(value) if value.is_finite() => Cell::Number(value),
            Ok(_) => Cell::Undefined(Undefined::NotFinite),
            Err(reason) => Cell::Undefined(reason),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

/// A column and how its cells are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The key in JSON and CSV.
    pub name: String,
    /// As shown; wrapped at spaces where it is wider than its cells.
    pub heading: String,
    /// Shown behind the heading.
    pub unit: Option<&'static str>,
    /// Whether cells stand at the right edge, as numbers do.
    pub right: bool,
    /// Decimals of the numbers, where they are shown rounded.
    pub decimals: usize,
    /// Whether only JSON and CSV hold it.
    pub detail: bool,
    /// Whether the readable forms leave it out where the table is too wide with it.
    pub spare: bool,
    /// Whether the largest number is the best, or the smallest; `None` where nobody can say.
    pub better: Option<Better>,
}

/// Which numbers of a column are the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    High,
    Low,
}

impl Heading {
    /// A column of texts. Such columns are wrapped when the table is too wide.
    pub fn text(name: impl Into<String>, heading: impl Into<String>) -> Heading {
        Heading {
            name: name.into(),
            heading: heading.into(),
            unit: None,
            right: false,
            decimals: 0,
            detail: false,
            spare: false,
            better: None,
        }
    }

    /// The keys of an interval in JSON and CSV: its ends, how it was made, over how many clusters, in effect over how many, and why
    /// there is none. Those of `value` stand by themselves.
    pub fn interval_keys(&self) -> [String; 6] {
        let prefix = if self.name == "value" { String::new() } else { format!("{}_", self.name) };
        let [low, high, interval, clusters, effective] =
            ["low", "high", "interval", "clusters", "effective_clusters"].map(|key| format!("{prefix}{key}"));
        let undefined = undefined_key(&interval);
        [low, high, interval, clusters, effective, undefined]
    }

    /// Heading and unit.
    pub fn label(&self) -> String {
        match self.unit {
            Some(unit) => format!("{} {unit}", self.heading),
            None => self.heading.clone(),
        }
    }
}

/// What a cell can be made of.
pub trait IntoCell {
    /// Whether it stands at the right edge of its column.
    const IS_NUMBER: bool;
    fn cell(self) -> Cell;
}

impl IntoCell for Cell {
    const IS_NUMBER: bool = false;
    fn cell(self) -> Cell {
        self
    }
}

impl IntoCell for &str {
    const IS_NUMBER: bool = false;
    fn cell(self) -> Cell {
        Cell::Text(self.to_owned())
    }
}

impl IntoCell for String {
    const IS_NUMBER: bool = false;
    fn cell(self) -> Cell {
        Cell::Text(self)
    }
}

impl IntoCell for usize {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        Cell::Count(self)
    }
}

impl IntoCell for u64 {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        // What is counted is in memory.
        Cell::Count(counted(self))
    }
}

impl IntoCell for Measure {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        Cell::number(self)
    }
}

/// Without its interval where none was asked for, and where the number is undefined and says why itself.
impl IntoCell for Estimate {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        match (Cell::number(self.value), self.interval) {
            (Cell::Number(value), Some(interval)) => Cell::Estimate(value, interval),
            (cell, _) => cell,
        }
    }
}

impl IntoCell for std::result::Result<u64, Undefined> {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        self.map_or_else(Cell::Undefined, u64::cell)
    }
}

impl IntoCell for f64 {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        Cell::Number(self)
    }
}

/// Nothing to say where there is none.
impl<T: IntoCell> IntoCell for Option<T> {
    const IS_NUMBER: bool = T::IS_NUMBER;
    fn cell(self) -> Cell {
        self.map_or(Cell::Empty, T::cell)
    }
}

/// A column with what stands in it: declared once, for rows of one kind.
pub struct Column<'a, R> {
    head: Heading,
    cell: Box<dyn Fn(&R) -> Cell + 'a>,
}

impl<'a, R> Column<'a, R> {
    /// A column; numbers that are not whole are shown with one decimal.
    pub fn new<T: IntoCell>(
        name: impl Into<String>,
        heading: impl Into<String>,
        cell: impl Fn(&R) -> T + 'a,
    ) -> Column<'a, R> {
        let head = Heading {
            name: name.into(),
            heading: heading.into(),
            unit: None,
            right: T::IS_NUMBER,
            decimals: 1,
            detail: false,
            spare: false,
            better: None,
        };
        Column { head, cell: Box::new(move |row| cell(row).cell()) }
    }

    /// The numbers are in a hundred.
    #[must_use]
    pub fn percent(mut self) -> Self {
        self.head.unit = Some("%");
        self
    }

    /// The numbers are in a hundred, and the more the better.
    #[must_use]
    pub fn score(self) -> Self {
        self.percent().better(Better::High)
    }

    /// Which numbers are the best.
    #[must_use]
    pub fn better(mut self, better: Better) -> Self {
        self.head.better = Some(better);
        self
    }

    /// The numbers are shown with so many decimals.
    #[must_use]
    pub fn decimals(mut self, decimals: usize) -> Self {
        self.head.decimals = decimals;
        self
    }

    /// The texts stand at the right edge.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.head.right = true;
        self
    }

    /// The column is for JSON and CSV only.
    #[must_use]
    pub fn detail(self) -> Self {
        self.shown_if(false)
    }

    /// The column is for JSON and CSV only where this does not hold.
    #[must_use]
    pub fn shown_if(mut self, is_shown: bool) -> Self {
        self.head.detail = !is_shown;
        self
    }

    /// The readable forms leave the column out where the table is too wide with it.
    #[must_use]
    pub fn spare(mut self) -> Self {
        self.head.spare = true;
        self
    }

    /// The same column under another name and heading.
    #[must_use]
    pub fn named(mut self, name: &str, heading: &str) -> Self {
        (self.head.name, self.head.heading) = (name.to_owned(), heading.to_owned());
        self
    }

    /// The same column for rows of which this is a part.
    #[must_use]
    pub fn of<S>(self, part: impl Fn(&S) -> &R + 'a) -> Column<'a, S>
    where
        R: 'a,
    {
        Column { head: self.head, cell: Box::new(move |row| (self.cell)(part(row))) }
    }
}

/// Seconds as a person says them: `2 h 05`, `38 min`, `40 s`.
pub fn duration(seconds: f64) -> String {
    // Finite and not negative; what is beyond the whole numbers is told as the largest.
    let whole = seconds.round() as u64;
    match (whole + 30) / 60 {
        _ if whole == 0 => "–".to_owned(),
        0 | 1 if whole < 60 => format!("{whole} s"),
        minutes if minutes < 60 => format!("{minutes} min"),
        minutes => format!("{} h {:02}", minutes / 60, minutes % 60),
    }
}

/// The words of a text up to its first sign, as a key: `Key points kept by score` is `key_points_kept_by_score`.
pub fn key_of(title: &str) -> String {
    let words = title.split(|sign: char| !(sign.is_alphanumeric() || " '-".contains(sign))).next();
    words.unwrap_or_default().trim().to_lowercase().replace([' ', '-'], "_").replace('\'', "")
}

/// A note as a document tells it: without what is to be typed next, which is of use in a terminal alone. Empty where nothing is left.
pub fn without_commands(note: &str) -> String {
    let is_command = |clause: &str| {
        clause.contains("`haymark ")
            || clause.split([' ', '(', '`']).any(|word| word.starts_with("--") && word.len() > 2)
    };
    let sentence = |sentence: &str| {
        let clauses = sentence.split("; ").filter(|clause| !is_command(clause));
        let told = clauses.collect::<Vec<_>>().join("; ");
        let told = told.trim_end();
        if told.is_empty() || told.ends_with(['.', '!', '?', ':']) || !sentence.contains("; ") {
            told.to_owned()
        } else {
            format!("{told}.")
        }
    };
    let sentences = note.split_inclusive(". ").map(sentence).filter(|sentence| !sentence.is_empty());
    sentences.collect::<Vec<_>>().join(" ")
}

/// A table that is to be printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What is in it, in one word that stays the same whatever the title says: its name in JSON, CSV and files.
    pub key: String,
    pub title: String,
    /// Whether it is what a reader needs first. If no table about the same subject says so, it is the first
    /// one.
    pub is_headline: bool,
    /// What holds for the whole table; JSON only.
    pub facts: serde_json::Map<String, Value>,
    pub columns: Vec<Heading>,
    /// One cell for each column; cells that are missing at the end are empty.
    pub rows: Vec<Vec<Cell>>,
    /// A last row over all others; empty for none. CSV leaves it out, JSON holds it apart.
    pub total: Vec<Cell>,
    /// Sentences below the table. In JSON and the three readable forms.
    pub notes: Vec<String>,
    /// The best numbers of their columns, by row and column.
    pub marks: BTreeMap<(usize, usize), BestMark>,
}

/// How a number stands among those of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BestMark {
    Best,
    Second,
}

impl Table {
    /// A table of rows of one kind, each column with its cells.
    pub fn of<'a, 'r, R: 'r>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = Column<'a, R>>,
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Table {
        let columns: Vec<Column<'a, R>> = columns.into_iter().collect();
        let cells = |row: &R| columns.iter().map(|column| (column.cell)(row)).collect();
        let rows = rows.into_iter().map(cells).collect();
        let columns = columns.into_iter().map(|column| column.head).collect();
        let title = title.into();
        Table { key: key_of(&title), title, columns, rows, ..Table::default() }
    }

    /// Gives it a key of its own, where the title says more than what is in it.
    #[must_use]
    pub fn keyed(mut self, key: impl Into<String>) -> Table {
        self.key = key.into();
        self
    }

    /// Says that it is what a reader needs first.
    #[must_use]
    pub fn headline(mut self) -> Table {
        self.is_headline = true;
        self
    }

    /// The key behind what it is about: `coverage/labels`, `keypoint/grounded/pairs`.
    pub fn path(&self) -> String {
        let about = ["protocol", "question", "tag"].map(|fact| self.facts.get(fact).and_then(Value::as_str));
        about.into_iter().flatten().chain([self.key.as_str()]).collect::<Vec<_>>().join("/")
    }

    /// Whether a number of this column has an interval, or could have one.
    pub fn has_intervals(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().chain([&self.total]).filter_map(|row| row.get(column));
        cells.any(|cell| matches!(cell, Cell::Estimate(..)))
    }

    /// The clusters of the intervals of a column, those of the last row too.
    fn cluster_counts(&self, column: usize) -> impl Iterator<Item = ClusterCount> {
        let cells = self.rows.iter().chain([&self.total]).filter_map(move |row| row.get(column));
        cells.filter_map(
            |cell| if let Cell::Estimate(_, Ok(interval)) = cell { interval.clusters } else { None },
        )
    }

    /// Whether the clusters of this column's numbers differ in how far labels vary in them.
    pub fn has_effective_clusters(&self, column: usize) -> bool {
        self.cluster_counts(column).any(|count| count.effective.is_some())
    }

    /// Over how many clusters the intervals are: `4 to ` where some are over fewer, and the most.
    pub fn clusters(&self) -> Option<(String, u64)> {
        let counts = || {
            (0..self.columns.len()).flat_map(|column| self.cluster_counts(column)).map(|count| count.number)
        };
        let (least, most) = counts().min().zip(counts().max())?;
        Some((if least < most { format!("{least} to ") } else { String::new() }, most))
    }

    /// Says over how many clusters the intervals are, and that these are of this kind.
    #[must_use]
    pub fn over(mut self, kind: ClusterKind) -> Table {
        if let Some((from, most)) = self.clusters() {
            self.notes.push(format!("Intervals here are over {from}{}.", kind.counted(most)));
            self.facts.insert("cluster".to_owned(), kind.words().0.into());
        }
        self
    }

    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Table {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Columns with their cell in `row`, in order.
    pub fn cells<'a>(&'a self, row: &'a [Cell]) -> impl Iterator<Item = (&'a Heading, &'a Cell)> {
        self.columns.iter().zip(row.iter().chain(std::iter::repeat(&Cell::Empty)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_not_told_what_to_type() {
        let told = [
            (
                "People only: 3 models are left out; --annotators names others.",
                "People only: 3 models are left out.",
            ),
            ("Left out: a, b; --format csv has them.", "Left out: a, b."),
            ("A score. `haymark score STUDY` has more. Each weighs one.", "A score. Each weighs one."),
            ("Use --full.", ""),
            ("From −1 to 1 -- or so; and more.", "From −1 to 1 -- or so; and more."),
        ];
        for (note, expected) in told {
            assert_eq!(without_commands(note), expected);
        }
    }

    #[test]
    fn durations_are_said_as_people_do() {
        let told = [0.0, 40.0, 59.4, 60.0, 89.0, 2_280.0, 3_590.0, 7_500.0].map(duration);
        assert_eq!(told, ["–", "40 s", "59 s", "1 min", "1 min", "38 min", "1 h 00", "2 h 05"]);
    }
}
