//! Tables on the way out: one [`Table`], five forms of it.
//!
//! The terminal's form shows rounded numbers, a dash with a footnote for what is undefined, and no column of detail.
//! JSON and CSV hold every column at full precision. Markdown and LaTeX hold what the terminal shows.

mod machine;
mod markup;
mod terminal;

use std::fmt::Write;

use clap::ValueEnum;
use serde_json::Value;

use crate::agreement;
use crate::error::Result;
use crate::score;

pub use markup::escape_markdown;

/// The forms in which numbers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OutputFormat {
    /// For a terminal.
    #[default]
    Table,
    /// Complete, at full precision.
    Json,
    /// Complete, at full precision, without the reasons of undefined values.
    Csv,
    /// A pipe table.
    Markdown,
    /// A booktabs table.
    Latex,
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Form {
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Leave CSV cells as they are that a spreadsheet would run as formulas; without it they are marked as text by a '
    #[arg(long)]
    pub raw: bool,
}

impl From<OutputFormat> for Form {
    fn from(format: OutputFormat) -> Form {
        Form { format, raw: false }
    }
}

/// Why a cell has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// As JSON says it.
    pub code: &'static str,
    /// As a footnote says it.
    pub sentence: &'static str,
}

impl From<score::Undefined> for Reason {
    fn from(reason: score::Undefined) -> Reason {
        Reason { code: reason.code(), sentence: reason.sentence() }
    }
}

impl From<agreement::Undefined> for Reason {
    fn from(reason: agreement::Undefined) -> Reason {
        Reason { code: reason.as_str(), sentence: reason.explanation() }
    }
}

/// What stands in a row under a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(usize),
    /// A finite number at full precision; its column says how many decimals are shown.
    Number(f64),
    /// A number that does not exist.
    Undefined(Reason),
    /// Nothing to say here, such as the domain of a query that has none.
    Empty,
}

impl Cell {
    /// A number, or why there is none.
    pub fn number(measure: std::result::Result<f64, impl Into<Reason>>) -> Cell {
        match measure {
            Ok(value) if value.is_finite() => Cell::Number(value),
            Ok(_) => Cell::Undefined(Reason {
                code: "not_finite",
                sentence: "The value is too large to be a number.",
            }),
            Err(reason) => Cell::Undefined(reason.into()),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Cell {
        text.map_or(Cell::Empty, Cell::Text)
    }
}

/// A column and how its cells are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
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
}

impl Column {
    /// A column of texts. Such columns are wrapped when the table is too wide.
    pub fn text(name: impl Into<String>, heading: impl Into<String>) -> Column {
        Column {
            name: name.into(),
            heading: heading.into(),
            unit: None,
            right: false,
            decimals: 0,
            detail: false,
        }
    }

    /// A column of whole numbers.
    pub fn count(name: impl Into<String>, heading: impl Into<String>) -> Column {
        Column { right: true, ..Column::text(name, heading) }
    }

    /// A column of numbers, shown with so many decimals.
    pub fn number(name: impl Into<String>, heading: impl Into<String>, decimals: usize) -> Column {
        Column { decimals, ..Column::count(name, heading) }
    }

    /// A column of numbers from 0 to 100, shown with one decimal.
    pub fn percent(name: impl Into<String>, heading: impl Into<String>) -> Column {
        Column { unit: Some("%"), ..Column::number(name, heading, 1) }
    }

    /// The column for JSON and CSV only.
    #[must_use]
    pub fn detail(self) -> Column {
        Column { detail: true, ..self }
    }

    /// Heading and unit.
    fn label(&self) -> String {
        match self.unit {
            Some(unit) => format!("{} {unit}", self.heading),
            None => self.heading.clone(),
        }
    }
}

/// A table that is to be printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub title: String,
    /// What holds for the whole table; JSON only.
    pub facts: serde_json::Map<String, Value>,
    pub columns: Vec<Column>,
    /// One cell for each column; cells that are missing at the end are empty.
    pub rows: Vec<Vec<Cell>>,
    /// A last row over all others; empty for none. CSV leaves it out, JSON holds it apart.
    pub total: Vec<Cell>,
    /// Sentences below the table. In JSON and the three readable forms.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: Vec<Column>) -> Table {
        Table { title: title.into(), columns, ..Table::default() }
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Table {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Columns with their cell in `row`, in order.
    fn cells<'a>(&'a self, row: &'a [Cell]) -> impl Iterator<Item = (&'a Column, &'a Cell)> {
        self.columns.iter().zip(row.iter().chain(std::iter::repeat(&Cell::Empty)))
    }

    /// What the readable forms show.
    fn shown(&self) -> Shown<'_> {
        let columns: Vec<&Column> = self.columns.iter().filter(|column| !column.detail).collect();
        let mut reasons = Vec::new();
        let total = (!self.total.is_empty()).then_some(&self.total);
        let rows = self.rows.iter().chain(total).map(|row| {
            let cells = self.cells(row).filter(|(column, _)| !column.detail);
            cells.map(|(column, cell)| shown_cell(column, cell, &mut reasons)).collect()
        });
        Shown { rows: rows.collect(), columns, reasons }
    }
}

/// A table as people read it.
struct Shown<'a> {
    columns: Vec<&'a Column>,
    rows: Vec<Vec<ShownCell>>,
    /// The footnotes, from number 1.
    reasons: Vec<Reason>,
}

/// A cell as people read it.
enum ShownCell {
    /// As it came in: neither made safe for a terminal nor escaped.
    Text(String),
    /// A dash with the number of its footnote.
    Undefined(usize),
}

fn shown_cell(column: &Column, cell: &Cell, reasons: &mut Vec<Reason>) -> ShownCell {
    match cell {
        Cell::Text(text) => ShownCell::Text(text.clone()),
        Cell::Count(count) => ShownCell::Text(count.to_string()),
        Cell::Number(value) => ShownCell::Text(rounded(*value, column.decimals)),
        Cell::Empty => ShownCell::Text(if column.right { "" } else { "(none)" }.to_owned()),
        Cell::Undefined(reason) => {
            let known = reasons.iter().position(|other| other == reason);
            ShownCell::Undefined(
                1 + known.unwrap_or_else(|| {
                    reasons.push(*reason);
                    reasons.len() - 1
                }),
            )
        }
    }
}

/// The number with so many decimals; never a negative zero.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_zero = text.chars().all(|character| matches!(character, '-' | '0' | '.'));
    if is_zero { text.replace('-', "") } else { text }
}

/// A footnote's text.
fn footnote(reason: &Reason) -> String {
    format!("{} ({})", reason.sentence, reason.code)
}

/// The tables in one of the forms, with a line break at the end. `width` is that of the terminal, in columns.
///
/// Several tables are an array in JSON, rows of one table with a first column `table` in CSV, and follow each other
/// after an empty line in the other forms.
///
/// # Errors
/// The table cannot be written; no table made here does that.
pub fn render(tables: &[Table], form: impl Into<Form>, width: usize) -> Result<String> {
    let Form { format, raw } = form.into();
    let one: fn(&Table, usize) -> Result<String> = match format {
        OutputFormat::Json => return machine::json(tables),
        OutputFormat::Csv => return machine::csv(tables, raw),
        OutputFormat::Table => |table, width| Ok(terminal::draw(table, width)),
        OutputFormat::Markdown => |table, _| Ok(markup::markdown(table)),
        OutputFormat::Latex => |table, _| Ok(markup::latex(table)),
    };
    let mut text = String::new();
    for (index, table) in tables.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        // Writing to a string does not fail.
        let _ = write!(text, "{gap}{}", one(table, width)?);
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
