//! The [`Table`] of every report: columns declared once, with their cells.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{ScoresByGroup, TableFinding};
use crate::agreement::{ClusterCount, Estimate, Interval, Measure, Undefined};
use crate::number::counted;
pub use crate::protocol::Better;
use crate::score::{ClusterKind, undefined_key};

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(usize),
    /// A finite number at full precision; the column sets the decimals that are shown.
    Number(f64),
    /// Seconds, 0 or more, shown as `2 h 05`; a number in JSON and CSV.
    Seconds(f64),
    /// A number that does not exist.
    Undefined(Undefined),
    /// A number that does not exist, with the reason's code from the score's own rule.
    Reason(Undefined, String),
    /// A finite number with its 95 % interval, or the reason why there is none.
    Estimate(f64, Result<Interval, Undefined>),
    /// No value, such as the domain of a query that has none.
    Empty,
}

impl Cell {
    /// A cell of a number, or of the reason why there is none.
    pub fn number(measure: Measure) -> Cell {
        match measure {
            Ok(value) if value.is_finite() => Cell::Number(value),
            Ok(_) => Cell::Undefined(Undefined::NotFinite),
            Err(reason) => Cell::Undefined(reason),
        }
    }

    /// The number that makes this sum with that of the cell, with its interval.
    #[must_use]
    pub fn less_from(&self, sum: f64) -> Cell {
        match self {
            Cell::Number(value) => Cell::Number(sum - value),
            Cell::Estimate(value, interval) => {
                let turned = |of: Interval| Interval { low: sum - of.high, high: sum - of.low, ..of };
                Cell::Estimate(sum - value, interval.map(turned))
            }
            other => other.clone(),
        }
    }

    /// The number of a cell that has one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Number(value) | Cell::Seconds(value) | Cell::Estimate(value, _) => Some(*value),
            Cell::Count(count) => Some(*count as f64),
            _ => None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

/// The head of a column, and how its cells are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heading {
    /// The key in JSON and CSV.
    pub name: String,
    /// The heading as shown, wrapped at spaces where it is wider than the cells.
    pub heading: String,
    /// The unit, shown behind the heading.
    pub unit: Option<&'static str>,
    /// Whether cells are aligned right, as numbers are.
    pub right: bool,
    /// The decimals of numbers that are shown rounded.
    pub decimals: usize,
    /// Whether only JSON and CSV have the column.
    pub detail: bool,
    /// Whether the readable forms drop the column where the table is too wide.
    pub spare: bool,
    /// Whether the numbers are p-values, which are small and never 0.
    pub is_p: bool,
    /// The best numbers of a score; `None` for what is no score.
    pub better: Option<Better>,
    /// The sum of a number about a first and a second thing and the number about the same two in the other order: 100 of shares, 0 of
    /// differences; `None` for numbers that are the same in both.
    pub turned: Option<u8>,
}

impl Heading {
    /// The head of a column of texts. Texts are wrapped where the table is too wide.
    pub fn text(name: impl Into<String>, heading: impl Into<String>) -> Heading {
        Heading { name: name.into(), heading: heading.into(), ..Heading::default() }
    }

    /// The keys of an interval in JSON and CSV: its ends, its method, its clusters, its effective clusters, and the reason why
    /// there is none. The keys for `value` have no prefix.
    pub fn interval_keys(&self) -> [String; 6] {
        let prefix = if self.name == "value" { String::new() } else { format!("{}_", self.name) };
        let [low, high, interval, clusters, effective] =
            ["low", "high", "interval", "clusters", "effective_clusters"].map(|key| format!("{prefix}{key}"));
        let undefined = undefined_key(&interval);
        [low, high, interval, clusters, effective, undefined]
    }

    /// The heading with its unit.
    pub fn label(&self) -> String {
        match self.unit {
            Some(unit) => format!("{} {unit}", self.heading),
            None => self.heading.clone(),
        }
    }
}

/// A value from which a cell can be made.
pub trait IntoCell {
    /// Whether cells of this type are aligned right.
    const IS_NUMBER: bool;
    fn cell(self) -> Cell;

    /// The value as a number that may have an interval; `None` for texts and counts.
    fn estimate(&self) -> Option<Estimate> {
        None
    }
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
        // Counts are of things in memory, so they fit.
        Cell::Count(counted(self))
    }
}

impl IntoCell for Measure {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        Cell::number(self)
    }
    fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { value: *self, interval: None, clusters: 0 })
    }
}

/// The interval is left out where none was asked for, and where the number is undefined.
impl IntoCell for Estimate {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        match (Cell::number(self.value), self.interval) {
            (Cell::Number(value), Some(interval)) => Cell::Estimate(value, interval),
            (cell, _) => cell,
        }
    }
    fn estimate(&self) -> Option<Estimate> {
        Some(*self)
    }
}

/// An estimate with the code that the score's own rule has for lack of things to count.
impl IntoCell for (Estimate, Option<&str>) {
    const IS_NUMBER: bool = true;
    fn cell(self) -> Cell {
        match (self.0.value, self.1) {
            (Err(reason @ (Undefined::NothingAmong | Undefined::NotBothScores)), Some(code)) => {
                Cell::Reason(reason, code.to_owned())
            }
            _ => self.0.cell(),
        }
    }
    fn estimate(&self) -> Option<Estimate> {
        Some(self.0)
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

/// `None` becomes an empty cell.
impl<T: IntoCell> IntoCell for Option<T> {
    const IS_NUMBER: bool = T::IS_NUMBER;
    fn cell(self) -> Cell {
        self.map_or(Cell::Empty, T::cell)
    }
    fn estimate(&self) -> Option<Estimate> {
        self.as_ref().and_then(T::estimate)
    }
}

/// A column with the function that makes its cells from rows of one type.
pub struct Column<'a, R> {
    head: Heading,
    cell: MakeCell<'a, R>,
}

/// The cell of a row, with the estimate that it shows.
type MakeCell<'a, R> = Box<dyn Fn(&R) -> (Cell, Option<Estimate>) + 'a>;

impl<'a, R> Column<'a, R> {
    /// Makes a column; numbers that are not counts are shown with one decimal.
    pub fn new<T: IntoCell>(
        name: impl Into<String>,
        heading: impl Into<String>,
        cell: impl Fn(&R) -> T + 'a,
    ) -> Column<'a, R> {
        let head = Heading { right: T::IS_NUMBER, decimals: 1, ..Heading::text(name, heading) };
        let cell = move |row: &R| {
            let value = cell(row);
            let estimate = value.estimate();
            (value.cell(), estimate)
        };
        Column { head, cell: Box::new(cell) }
    }

    /// Marks the numbers as percentages.
    #[must_use]
    pub fn percent(mut self) -> Self {
        self.head.unit = Some("%");
        self
    }

    /// Marks the numbers as percentages of which the highest is the best.
    #[must_use]
    pub fn score(self) -> Self {
        self.percent().better(Better::High)
    }

    /// Sets which numbers are the best.
    #[must_use]
    pub fn better(mut self, better: Better) -> Self {
        self.head.better = Some(better);
        self
    }

    /// Marks the numbers as those of a first thing against a second; `sum` is that of a number and the one the other way round.
    #[must_use]
    pub fn turned(mut self, sum: u8) -> Self {
        self.head.turned = Some(sum);
        self
    }

    /// Sets the decimals that are shown.
    #[must_use]
    pub fn decimals(mut self, decimals: usize) -> Self {
        self.head.decimals = decimals;
        self
    }

    /// Marks the numbers as p-values.
    #[must_use]
    pub fn p_value(mut self) -> Self {
        self.head.is_p = true;
        self.right().decimals(3)
    }

    /// Aligns the cells right.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.head.right = true;
        self
    }

    /// Shows the column in JSON and CSV only.
    #[must_use]
    pub fn detail(self) -> Self {
        self.shown_if(false)
    }

    /// Shows the column in JSON and CSV only, unless `is_shown`.
    #[must_use]
    pub fn shown_if(mut self, is_shown: bool) -> Self {
        self.head.detail = !is_shown;
        self
    }

    /// Lets the readable forms drop the column where the table is too wide.
    #[must_use]
    pub fn spare(mut self) -> Self {
        self.head.spare = true;
        self
    }

    /// Gives the column another name and heading.
    #[must_use]
    pub fn named(mut self, name: &str, heading: &str) -> Self {
        (self.head.name, self.head.heading) = (name.to_owned(), heading.to_owned());
        self
    }

    /// The column for rows of which this row is a part.
    #[must_use]
    pub fn of<S>(self, part: impl Fn(&S) -> &R + 'a) -> Column<'a, S>
    where
        R: 'a,
    {
        Column { head: self.head, cell: Box::new(move |row| (self.cell)(part(row))) }
    }
}

/// A duration in words: `2 h 05`, `38 min`, `40 s`.
pub fn duration(seconds: f64) -> String {
    // Seconds are finite and not negative; the conversion saturates.
    let whole = seconds.round() as u64;
    match whole.saturating_add(30) / 60 {
        _ if whole == 0 => "–".to_owned(),
        0 | 1 if whole < 60 => format!("{whole} s"),
        minutes if minutes < 60 => format!("{minutes} min"),
        minutes => format!("{} h {:02}", minutes / 60, minutes % 60),
    }
}

/// The words of a title up to its first punctuation, as a key: `Key points kept by score` is `key_points_kept_by_score`.
pub fn key_of(title: &str) -> String {
    let words = title.split(|sign: char| !(sign.is_alphanumeric() || " '-".contains(sign))).next();
    words.unwrap_or_default().trim().to_lowercase().replace([' ', '-'], "_").replace('\'', "")
}

/// A note without its clauses about commands and options, which are of use in a terminal only. Empty where nothing is left.
pub fn without_commands(note: &str) -> String {
    let is_command = |clause: &str| {
        clause.contains("`haymark ")
            || clause.split([' ', '(', '`']).any(|word| word.starts_with("--") && word.len() > 2)
    };
    // A fact keeps standing without the command that follows it in brackets or behind a colon.
    let fact = |clause: &str| {
        let mut parts = clause.split(" (");
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once(')').filter(|(aside, _)| is_command(aside)) {
                Some((_, rest)) => told += rest,
                None => told += &format!(" ({part}"),
            }
        }
        let ends =
            [": `haymark ", ": --", ", as in `haymark "].iter().filter_map(|from| told.find(from)).min();
        told.truncate(ends.unwrap_or(told.len()));
        Some(told).filter(|told| !is_command(told))
    };
    let sentence = |sentence: &str| {
        let told = sentence.split("; ").filter_map(fact).collect::<Vec<_>>().join("; ");
        let told = told.trim_end();
        if told.is_empty() || told.ends_with(['.', '!', '?', ':']) || !is_command(sentence) {
            told.to_owned()
        } else {
            format!("{told}.")
        }
    };
    let sentences = note.split_inclusive(". ").map(sentence).filter(|sentence| !sentence.is_empty());
    sentences.collect::<Vec<_>>().join(" ")
}

/// A table to be printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The table's name in JSON, CSV and files; it stays the same when the title changes.
    pub key: String,
    pub title: String,
    /// Whether this is the main table of its subject. If no table is marked so, the first one is.
    pub is_headline: bool,
    /// Facts about the whole table, for JSON only.
    pub facts: serde_json::Map<String, Value>,
    pub columns: Vec<Heading>,
    /// The rows, with a cell for each column; missing cells at the end are empty.
    pub rows: Vec<Vec<Cell>>,
    /// A last row over all others; empty for none. CSV leaves it out, JSON has it apart.
    pub total: Vec<Cell>,
    /// Sentences below the table, in JSON and the readable forms.
    pub notes: Vec<String>,
    /// The note on how the intervals are made; it is among the notes of the first table that shows one.
    pub method: String,
    /// The best numbers of their columns, by row and column.
    pub marks: BTreeMap<(usize, usize), BestMark>,
    /// The values that the table prints.
    pub finding: TableFinding,
}

/// The mark of a number that is the best or second best of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BestMark {
    Best,
    Second,
}

impl Table {
    /// Makes a table from columns and rows.
    pub fn of<'a, 'r, R: 'r>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = Column<'a, R>>,
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Table {
        Table::measured(title, columns, rows).0
    }

    /// Makes a table from columns and rows, with the estimates of each column.
    pub fn measured<'a, 'r, R: 'r>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = Column<'a, R>>,
        rows: impl IntoIterator<Item = &'r R>,
    ) -> (Table, Vec<Vec<Option<Estimate>>>) {
        let columns: Vec<Column<'a, R>> = columns.into_iter().collect();
        let mut estimates = vec![Vec::new(); columns.len()];
        let cells = |row: &R| {
            let cell = |(column, estimates): (&Column<'a, R>, &mut Vec<Option<Estimate>>)| {
                let (cell, estimate) = (column.cell)(row);
                estimates.push(estimate);
                cell
            };
            columns.iter().zip(&mut estimates).map(cell).collect()
        };
        let rows = rows.into_iter().map(cells).collect();
        let columns = columns.into_iter().map(|column| column.head).collect();
        let title = title.into();
        (Table { key: key_of(&title), title, columns, rows, ..Table::default() }, estimates)
    }

    /// Sets the key, where it is not that of the title.
    #[must_use]
    pub fn keyed(mut self, key: impl Into<String>) -> Table {
        self.key = key.into();
        self
    }

    /// Keeps the values that the table prints.
    #[must_use]
    pub fn finding(mut self, finding: TableFinding) -> Table {
        self.finding = finding;
        self
    }

    /// Adds a sentence below the table.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Table {
        self.noted([note])
    }

    /// Adds sentences below the table.
    #[must_use]
    pub fn noted<N: Into<String>>(mut self, notes: impl IntoIterator<Item = N>) -> Table {
        self.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// The table with only some of its rows.
    pub fn only(&self, is_kept: impl Iterator<Item = bool>) -> Table {
        let kept = self.rows.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
        Table { rows: kept.map(|(row, _)| row.clone()).collect(), ..self.clone() }
    }

    /// The place of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The scores by group that the table prints.
    pub fn scores(&self) -> Option<&ScoresByGroup> {
        if let TableFinding::Scores(found) = &self.finding { Some(found) } else { None }
    }

    /// Marks the table as the main one of its subject.
    #[must_use]
    pub fn headline(mut self) -> Table {
        self.is_headline = true;
        self
    }

    /// The key behind the table's subject: `coverage/labels`, `keypoint/grounded/pairs`.
    pub fn path(&self) -> String {
        let about = ["protocol", "question", "tag"].map(|fact| self.facts.get(fact).and_then(Value::as_str));
        about.into_iter().flatten().chain([self.key.as_str()]).collect::<Vec<_>>().join("/")
    }

    /// Whether the numbers of a column have intervals, or reasons why not.
    pub fn has_intervals(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().chain([&self.total]).filter_map(|row| row.get(column));
        cells.any(|cell| matches!(cell, Cell::Estimate(..)))
    }

    /// Adds a note on how intervals are made to the first of these tables that shows an interval. The others have it for where they
    /// are printed alone. Tables with a method of their own are left.
    pub fn note_intervals(tables: &mut [Table], note: String) {
        let is_shown =
            |(column, cell): (&Heading, &Cell)| !column.detail && matches!(cell, Cell::Estimate(_, Ok(_)));
        let has_one = |table: &&mut Table| {
            table.method.is_empty()
                && table
                    .rows
                    .iter()
                    .chain([&table.total])
                    .any(|row| table.columns.iter().zip(row).any(is_shown))
        };
        for (at, table) in tables.iter_mut().filter(has_one).enumerate() {
            table.method.clone_from(&note);
            table.notes.extend((at == 0).then(|| note.clone()));
        }
    }

    /// The clusters of the intervals of a column, with those of the total.
    fn cluster_counts(&self, column: usize) -> impl Iterator<Item = ClusterCount> {
        let cells = self.rows.iter().chain([&self.total]).filter_map(move |row| row.get(column));
        cells.filter_map(
            |cell| if let Cell::Estimate(_, Ok(interval)) = cell { interval.clusters } else { None },
        )
    }

    /// Whether any interval of a column has an effective number of clusters.
    pub fn has_effective_clusters(&self, column: usize) -> bool {
        self.cluster_counts(column).any(|count| count.effective.is_some())
    }

    /// The numbers of clusters of the intervals: `4 to ` where some have fewer, and the most.
    pub fn clusters(&self) -> Option<(String, u64)> {
        let counts = || {
            (0..self.columns.len()).flat_map(|column| self.cluster_counts(column)).map(|count| count.number)
        };
        let (least, most) = counts().min().zip(counts().max())?;
        Some((if least < most { format!("{least} to ") } else { String::new() }, most))
    }

    /// Adds a note on the clusters of the intervals, which are of this kind.
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

    /// The fact with this name as a text; empty without one.
    pub fn said(&self, name: &str) -> &str {
        self.facts.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The columns, each with its cell of a row.
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
            ("Stale (--all-versions counts them), in no number: 1.", "Stale, in no number: 1."),
            ("No cost: --cost JUDGE=COST for a summary. (no_cost)", "No cost. (no_cost)"),
            ("A mean (of 3), as in `haymark score`.", "A mean (of 3)."),
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
