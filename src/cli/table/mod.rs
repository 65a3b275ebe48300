//! A [`Table`] on its way out, in five forms.
//!
//! The terminal's form shows rounded numbers, a dash with a footnote for what is undefined, and no column of detail.
//! JSON and CSV hold every column at full precision. Markdown and LaTeX hold what the terminal shows.

mod machine;
mod markup;
mod terminal;

use std::fmt::Write;

use clap::ValueEnum;

use crate::agreement::{Interval, Undefined};
use crate::error::Result;

pub use crate::report::table::{Cell, Heading, Table};

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

/// What the readable forms show.
fn shown(table: &Table) -> Shown<'_> {
    let columns: Vec<&Heading> = table.columns.iter().filter(|column| !column.detail).collect();
    let mut reasons = Vec::new();
    let total = (!table.total.is_empty()).then_some(&table.total);
    let rows = table.rows.iter().chain(total).map(|row| {
        let cells = table.cells(row).filter(|(column, _)| !column.detail);
        cells.map(|(column, cell)| shown_cell(column, cell, &mut reasons)).collect()
    });
    Shown { rows: rows.collect(), columns, reasons }
}

/// A table as people read it.
struct Shown<'a> {
    columns: Vec<&'a Heading>,
    rows: Vec<Vec<ShownCell>>,
    /// The footnotes, from number 1.
    reasons: Vec<Undefined>,
}

/// A cell as people read it.
enum ShownCell {
    /// As it came in: neither made safe for a terminal nor escaped.
    Text(String),
    /// A dash with the number of its footnote.
    Undefined(usize),
    /// A number and the ends of its interval, or the number of the footnote that says why there are none.
    Estimate(String, std::result::Result<String, usize>),
}

impl ShownCell {
    /// As one text: `60.2 (51.3–68.4)`, `–¹` with the footnote's number marked this way.
    fn text(&self, marked: impl Fn(usize) -> String) -> String {
        match self {
            ShownCell::Text(text) => text.clone(),
            ShownCell::Undefined(number) => format!("–{}", marked(*number)),
            ShownCell::Estimate(value, Ok(ends)) => format!("{value} ({ends})"),
            ShownCell::Estimate(value, Err(number)) => format!("{value} (–{})", marked(*number)),
        }
    }
}

fn shown_cell(column: &Heading, cell: &Cell, reasons: &mut Vec<Undefined>) -> ShownCell {
    let mut footnote = |reason: &Undefined| {
        let known = reasons.iter().position(|other| other == reason);
        1 + known.unwrap_or_else(|| {
            reasons.push(*reason);
            reasons.len() - 1
        })
    };
    let rounded = |value: f64| rounded(value, column.decimals);
    match cell {
        Cell::Text(text) => ShownCell::Text(text.clone()),
        Cell::Count(count) => ShownCell::Text(count.to_string()),
        Cell::Number(value) => ShownCell::Text(rounded(*value)),
        Cell::Empty => ShownCell::Text(if column.right { "" } else { "(none)" }.to_owned()),
        Cell::Undefined(reason) => ShownCell::Undefined(footnote(reason)),
        Cell::Estimate(value, Ok(Interval { low, high, .. })) => {
            // A dash beside a sign would be read as another.
            let between = if *low < 0.0 { "\u{a0}to\u{a0}" } else { "–" };
            ShownCell::Estimate(rounded(*value), Ok(format!("{}{between}{}", rounded(*low), rounded(*high))))
        }
        Cell::Estimate(value, Err(reason)) => ShownCell::Estimate(rounded(*value), Err(footnote(reason))),
    }
}

/// The number with so many decimals; never a negative zero.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_zero = text.chars().all(|character| matches!(character, '-' | '0' | '.'));
    if is_zero { text.replace('-', "") } else { text }
}

/// A footnote's text.
fn footnote(reason: &Undefined) -> String {
    format!("{} ({})", reason.sentence(), reason.code())
}

/// The tables in one of the forms, with a line break at the end. `width` is that of the terminal, in columns.
///
/// Several tables are an array in JSON, rows of one table with a first column `table` in CSV, and follow each other
/// after an empty line in the other forms.
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
