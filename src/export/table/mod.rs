//! A [`Table`] on its way out, in six forms.
//!
//! The terminal's form shows rounded numbers, a dash with a footnote for what is undefined, and no column of detail.
//! JSON and CSV hold every column at full precision. Markdown, LaTeX and HTML hold what the terminal shows.

mod html;
mod machine;
mod markup;
mod terminal;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::agreement::{Interval, Undefined};
use crate::browse::may_be_field;
use crate::error::{Error, Result, Topic};

use crate::formats::short_text;
use crate::number::rounded;
pub use crate::report::table::{BestMark, Cell, Heading, Table};
use crate::report::{DisplayNames, duration};

use crate::text::html::Html;
pub use html::html;
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
    /// A table of a page, as in the report.
    Html,
}

impl OutputFormat {
    /// Whether the form is read in a paper or on a page, where only the tables that say most are wanted.
    fn is_for_papers(self) -> bool {
        matches!(self, OutputFormat::Latex | OutputFormat::Html)
    }
}

/// How tables are printed.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TableForm {
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Print everything, not only what a reader needs first; JSON, CSV and Markdown always do
    #[arg(long)]
    pub full: bool,
    /// Only the tables of this key, such as pairs, or coverage/pairs, of this title, or of this measure, such as joint; a wrong
    /// one lists the keys
    #[arg(long = "table", value_name = "KEY")]
    pub only: Option<String>,
    /// Write a file a table into this folder, which is made where it is not there
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The caption of a LaTeX table, in the place of its title
    #[arg(long, value_name = "TEXT")]
    pub caption: Option<String>,
    /// The label of a LaTeX table, for \\ref; of several, the beginning of their labels
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// A file of names that readers see, such as those of systems, and of captions; JSON and CSV keep the study's
    #[arg(long, value_name = "FILE")]
    pub display: Option<PathBuf>,
    /// Leave CSV cells as they are that a spreadsheet would run as formulas; without it they are marked as text by a '
    #[arg(long)]
    pub raw: bool,
}

impl From<OutputFormat> for TableForm {
    fn from(format: OutputFormat) -> TableForm {
        TableForm { format, ..TableForm::default() }
    }
}

/// A table with the name that tells it from the others that are printed.
pub type Named<'t> = (String, &'t Table);

impl TableForm {
    /// The tables that are asked for, each with its name.
    ///
    /// # Errors
    /// A usage error: no table has the key, or an option of LaTeX stands with another form.
    pub fn chosen<'t>(&self, tables: &'t [Table]) -> Result<Vec<Named<'t>>> {
        let mut named: Vec<Named<'t>> = Vec::with_capacity(tables.len());
        for table in tables {
            let path = table.path();
            let before = tables.iter().take(named.len()).filter(|other| other.path() == path).count();
            named.push((if before == 0 { path } else { format!("{path}-{}", before + 1) }, table));
        }
        if let Some(key) = &self.only {
            let known: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
            let is_it =
                |table: &Table| [&table.key, &table.title, table.said("measure")].contains(&key.as_str());
            named.retain(|(name, table)| name == key || is_it(table));
            if named.is_empty() {
                return Err(Error::usage(format!("there is no table {key:?}")).advise(format!(
                    "there are {}; a table is left out where the study holds nothing for it",
                    known.join(", ")
                )));
            }
        } else if self.format.is_for_papers() && !self.full {
            named = headlines(named);
        }
        let is_latex = self.format == OutputFormat::Latex;
        if let Some(option) = [("--caption", &self.caption), ("--label", &self.label)]
            .into_iter()
            .find_map(|(option, given)| given.is_some().then_some(option).filter(|_| !is_latex))
        {
            return Err(Error::usage(format!("{option} is for --format latex")));
        }
        if self.caption.is_some() && named.len() > 1 {
            return Err(Error::usage(format!("--caption is for one table, and there are {}", named.len()))
                .advise("choose one with --table"));
        }
        Ok(named)
    }

    /// The tables with the names that readers see; `None` where no names are given for the form.
    pub fn displayed(&self, tables: &[Table]) -> Result<Option<Vec<Table>>> {
        let is_for_readers = !matches!(self.format, OutputFormat::Json | OutputFormat::Csv);
        let Some(file) = self.display.as_deref().filter(|_| is_for_readers) else { return Ok(None) };
        let names = display_names(file)?;
        Ok(Some(tables.iter().map(|table| names.shown(table)).collect()))
    }

    /// Whether only the numbers that a reader needs first are printed.
    pub fn is_brief(&self) -> bool {
        self.format == OutputFormat::Table && !self.full && self.only.is_none() && self.output.is_none()
    }

    /// The label of this table in LaTeX.
    fn label(&self, name: &str, is_alone: bool) -> Option<String> {
        let label = self.label.as_ref()?;
        Some(if is_alone { label.clone() } else { format!("{label}:{}", name.replace('/', ":")) })
    }

    /// The ending of the names of files of this form.
    pub fn ending(&self) -> &'static str {
        match self.format {
            OutputFormat::Table => "txt",
            OutputFormat::Json => "json",
            OutputFormat::Csv => "csv",
            OutputFormat::Markdown => "md",
            OutputFormat::Latex => "tex",
            OutputFormat::Html => "html",
        }
    }
}

/// Reads a file of names.
pub fn display_names(file: &Path) -> Result<DisplayNames> {
    let names = DisplayNames::parse(&short_text(file)?).map_err(|error| error.in_file(file))?;
    if let Some(name) = names.fields().find(|name| !may_be_field(name) && !SHOWN_BESIDE.contains(name)) {
        return Err(Error::new(format!("[{name}] is no field, and neither [headings] nor [captions]"))
            .in_file(file)
            .advise("`haymark help filters` lists the fields")
            .under(Topic::Filters));
    }
    Ok(names)
}

/// Columns that a file of names may rename though they are no fields.
const SHOWN_BESIDE: [&str; 7] = ["annotator", "judged_by", "judge", "question", "label", "measure", "level"];

/// How many floating tables LaTeX can hold back, with some left for the document's own.
const FLOATS: usize = 12;

/// The headline tables of each protocol and question, or the first table where none is a headline.
fn headlines(named: Vec<Named<'_>>) -> Vec<Named<'_>> {
    let about = |table: &Table| ["protocol", "question", "tag"].map(|fact| table.facts.get(fact).cloned());
    let groups = named.chunk_by(|(_, one), (_, other)| about(one) == about(other));
    let first = groups.flat_map(|group| {
        let chosen: Vec<Named<'_>> = group.iter().filter(|(_, table)| table.is_headline).cloned().collect();
        if chosen.is_empty() { group.iter().take(1).cloned().collect() } else { chosen }
    });
    first.collect()
}

/// A table as the readable forms show it, with its spare columns where all of them fit. `best` is the note on
/// how the best numbers are marked.
fn shown<'t>(table: &'t Table, best: &str, fits: impl Fn(&ShownTable<'_>) -> bool) -> ShownTable<'t> {
    let all = shown_without(table, &[]);
    let spare: Vec<&Heading> = all.columns.iter().copied().filter(|column| column.spare).collect();
    let mut shown = if spare.is_empty() || fits(&all) { all } else { shown_without(table, &spare) };
    if !shown.marks.is_empty() {
        shown.notes.push(best.to_owned());
    }
    shown
}

/// The columns that stand beside each other: all of them, or as many as fit, each time behind the names that begin the rows.
fn parts(shown: &ShownTable<'_>, fits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let all = 0..shown.columns.len();
    let names: Vec<usize> = all.clone().take_while(|at| !shown.columns[*at].right).collect();
    let mut parts = vec![names.clone()];
    for column in all.skip(names.len()) {
        let Some(last) = parts.last_mut() else { break };
        last.push(column);
        if last.len() > names.len() + 1 && !fits(last) {
            last.pop();
            parts.push(names.iter().copied().chain([column]).collect());
        }
    }
    parts
}

/// The note on the best numbers in typeset text.
const BOLD: &str = "Bold is the best of its column, underlined the second.";

fn shown_without<'t>(table: &'t Table, left_out: &[&Heading]) -> ShownTable<'t> {
    let is_shown = |column: &Heading| !column.detail && !left_out.contains(&column);
    let columns: Vec<&Heading> = table.columns.iter().filter(|column| is_shown(column)).collect();
    let (mut reasons, mut notes) = (Vec::new(), Vec::new());
    let total = (!table.total.is_empty()).then_some(&table.total);
    let rows = || {
        let rows = table.rows.iter().chain(total);
        rows.map(|row| table.cells(row).filter(|(column, _)| is_shown(column)))
    };
    // Where no number has an interval, one note says so.
    let without = |(_, cell): (&Heading, &Cell)| match cell {
        Cell::Estimate(_, interval) => Some(interval.err()),
        _ => None,
    };
    let mut why: Vec<Option<Undefined>> = rows().flatten().filter_map(without).collect();
    why.sort_unstable();
    why.dedup();
    let has_none = !why.contains(&None);
    if has_none {
        notes.extend(why.into_iter().flatten().map(|reason| format!("No intervals: {reason}")));
    }
    let cell = |(column, cell): (&Heading, &Cell)| match cell {
        Cell::Estimate(value, _) if has_none => shown_cell(column, &Cell::Number(*value), &mut reasons),
        cell => shown_cell(column, cell, &mut reasons),
    };
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|column| column.label()).collect();
        notes.push(format!("Left out for want of room: {}; --format csv has them.", names.join(", ")));
    }
    let mut cell = cell;
    let rows = rows().map(|cells| cells.map(&mut cell).collect()).collect();
    let places: Vec<usize> = (0..table.columns.len()).filter(|at| is_shown(&table.columns[*at])).collect();
    let place = |((row, column), mark): (&(usize, usize), &BestMark)| {
        Some(((*row, places.iter().position(|place| place == column)?), *mark))
    };
    let marks = table.marks.iter().filter_map(place).collect();
    ShownTable { rows, columns, reasons, notes, marks }
}

/// A table as people read it.
#[derive(Default)]
struct ShownTable<'a> {
    columns: Vec<&'a Heading>,
    rows: Vec<Vec<ShownCell>>,
    /// The footnotes, from number 1.
    reasons: Vec<Undefined>,
    /// Notes that stand before the table's own.
    notes: Vec<String>,
    /// The marks of the best numbers, by shown row and shown column.
    marks: BTreeMap<(usize, usize), BestMark>,
}

impl<'a> ShownTable<'a> {
    /// The headings of these columns, without cells.
    fn of(&self, columns: &[usize]) -> ShownTable<'a> {
        let columns = columns.iter().filter_map(|at| self.columns.get(*at).copied()).collect();
        ShownTable { columns, ..ShownTable::default() }
    }

    /// A cell's number put between two signs where it is the best, or the second.
    fn marked(&self, (row, column): (usize, usize), text: String, signs: [[&str; 2]; 2]) -> String {
        let [best, second] = signs;
        let [before, behind] = match self.marks.get(&(row, column)) {
            Some(BestMark::Best) => best,
            Some(BestMark::Second) => second,
            None => return text,
        };
        // The interval behind the number stays as it is.
        let end = text.find(' ').unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        format!("{before}{number}{behind}{rest}")
    }
}

/// A cell as people read it.
enum ShownCell {
    /// A text, neither made safe for a terminal nor escaped.
    Text(String),
    /// A dash with the number of its footnote.
    Undefined(usize),
    /// A number and the ends of its interval, or the number of the footnote that says why there are none.
    Estimate(String, std::result::Result<String, usize>),
}

impl ShownCell {
    /// The cell as one text: `60.2 (51.3–68.4)`, `–¹` with the footnote's number marked this way.
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
    let rounded = |value: f64| {
        let least = 0.1_f64.powi(column.decimals as i32); // a few decimals
        match column.is_p && 2.0 * value < least {
            true => format!("<\u{a0}{}", rounded(least, column.decimals)),
            false => rounded(value, column.decimals),
        }
    };
    match cell {
        Cell::Text(text) => ShownCell::Text(text.clone()),
        Cell::Count(count) => ShownCell::Text(count.to_string()),
        Cell::Number(value) => ShownCell::Text(rounded(*value)),
        Cell::Seconds(seconds) => ShownCell::Text(duration(*seconds)),
        Cell::Empty => ShownCell::Text(if column.right { "" } else { "(none)" }.to_owned()),
        Cell::Undefined(reason) | Cell::Reason(reason, _) => ShownCell::Undefined(footnote(reason)),
        Cell::Estimate(value, Ok(Interval { low, high, .. })) => {
            // A dash before a minus sign would be read as a second minus.
            let between = if *low < 0.0 { "\u{a0}to\u{a0}" } else { "–" };
            // A percentage whose ends lie one or more apart is not known to a tenth.
            let is_wide = column.unit.is_some() && high - low >= 1.0;
            let end = |value: &f64| self::rounded(*value, if is_wide { 0 } else { column.decimals });
            ShownCell::Estimate(rounded(*value), Ok(format!("{}{between}{}", end(low), end(high))))
        }
        Cell::Estimate(value, Err(reason)) => ShownCell::Estimate(rounded(*value), Err(footnote(reason))),
    }
}

/// A cell as a sentence says it, with its unit and its interval: `84.4 % (95 % interval 28–99)`. `None` for a
/// cell that is empty or undefined.
pub fn said(column: &Heading, cell: &Cell) -> Option<String> {
    let with_unit = |value: &str| match column.unit {
        Some(unit) => format!("{value} {unit}"),
        None => value.to_owned(),
    };
    match shown_cell(column, cell, &mut Vec::new()) {
        _ if *cell == Cell::Empty => None,
        ShownCell::Undefined(_) => None,
        ShownCell::Text(text) => Some(with_unit(&text)),
        ShownCell::Estimate(value, Ok(ends)) => Some(format!("{} (95 % interval {ends})", with_unit(&value))),
        ShownCell::Estimate(value, Err(_)) => Some(with_unit(&value)),
    }
}

/// A footnote's text.
fn footnote(reason: &Undefined) -> String {
    format!("{} ({})", reason.sentence(), reason.code())
}

/// The tables in one of the forms, with a line break at the end. `width` is that of the terminal, in columns.
///
/// JSON is a list of tables, however many there are. In CSV several tables are rows of one, with the name of each in a first
/// column `table`; in the other forms they follow each other after an empty line.
pub fn render(tables: &[Table], form: impl Into<TableForm>, width: usize) -> Result<String> {
    let form = form.into();
    render_named(&form.chosen(tables)?, &form, width)
}

/// Renders tables that are chosen already.
pub fn render_named(tables: &[Named<'_>], form: &TableForm, width: usize) -> Result<String> {
    let told = with_methods(tables);
    let tables: Vec<Named<'_>> = told.iter().map(|(name, table)| (name.clone(), &**table)).collect();
    let tables = &tables[..];
    let is_alone = tables.len() == 1;
    let one = |(name, table): &Named<'_>| match form.format {
        OutputFormat::Markdown => markup::markdown(table),
        OutputFormat::Latex => markup::latex(table, form.caption.as_deref(), form.label(name, is_alone)),
        OutputFormat::Html => {
            let mut part = Html::default();
            html(table, &name.replace('/', "-"), &mut part);
            part.as_str().to_owned()
        }
        _ => terminal::draw(table, width),
    };
    match form.format {
        OutputFormat::Json => machine::json(tables),
        OutputFormat::Csv => machine::csv(tables, form.raw),
        // LaTeX holds a few tables back until it finds a page for them; more held tables stop it.
        OutputFormat::Latex => {
            let pages: Vec<String> = tables
                .chunks(FLOATS)
                .map(|page| page.iter().map(one).collect::<Vec<_>>().join("\n"))
                .collect();
            Ok(pages.join("\n\\clearpage\n\n"))
        }
        _ => Ok(tables.iter().map(one).collect::<Vec<_>>().join("\n")),
    }
}

/// The tables, of which the first that is made in a way that none of them tells has the note on it.
fn with_methods<'t>(tables: &[Named<'t>]) -> Vec<(String, Cow<'t, Table>)> {
    let tells = |table: &Table| table.notes.contains(&table.method);
    let told = tables.iter().filter(|(_, table)| tells(table)).map(|(_, table)| table.method.as_str());
    let mut told: HashSet<&str> = told.chain([""]).collect();
    let mut one = |(name, table): &Named<'t>| {
        let mut table = Cow::Borrowed(*table);
        if let Cow::Borrowed(Table { method, .. }) = table
            && told.insert(method)
        {
            table.to_mut().notes.push(method.clone());
        }
        (name.clone(), table)
    };
    tables.iter().map(&mut one).collect()
}

#[cfg(test)]
mod tests;
