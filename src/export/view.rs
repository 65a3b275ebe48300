//! Views: the rows of a table of browse, with their texts.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::asked::{Export, ExportFormat};
use super::privacy::Privacy;
use super::table::escape_markdown;
use super::wrote;
use crate::browse::{BrowseTable, ColumnHead, ColumnId, Sort, TableValue, Tables, View, WhoCounts};
use crate::error::{Error, Result, cannot_write};
use crate::files::write_atomically;
use crate::formats::sheet::CsvFile;
use crate::report::{annotators, filtered};
use crate::score::undefined_key;
use crate::store::StudyFile;

/// Which rows are written.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Views")]
pub struct ViewOptions {
    /// A view that was saved in browse
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
    /// The table of a view that is not saved: candidates, items, systems, units, queries, documents
    #[arg(long, value_name = "TABLE", conflicts_with = "view")]
    pub table: Option<BrowseTable>,
    /// Only what this lets through, such as 'system:gpt-4o joint<20': rows of a view, candidates, or the items of a dataset
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// The columns of the view (several with commas); the texts of its records stand behind them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// The columns that it is sorted by (several with commas), from the highest down with a - before it
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub sort: Vec<String>,
}

/// Writes the rows of a view.
pub fn write(study: &StudyFile, arguments: &Export, target: &Path) -> Result<Vec<String>> {
    let mut tables = filtered::tables(study)?;
    let view = view(study, &arguments.rows)?;
    match arguments.dataset.annotators.as_slice() {
        [] => tables.count_as_in(&view)?,
        names => {
            let chosen = annotators::choose(study, names)?.annotators.into_iter();
            tables.count(WhoCounts::Only(chosen.map(|(id, _)| id).collect()));
        }
    }
    let columns = columns(&tables, &view)?;
    let rows = filtered::rows(&tables, &view)?;
    let privacy = Privacy::of(study, &arguments.dataset)?;
    let mut columns = columns;
    let is_written = |name: &str| name.rsplit('.').next() == Some("written") && !privacy.with_text();
    if view.columns.iter().any(|name| is_written(name)) {
        return Err(
            Error::usage("the column \"written\" is what people wrote").advise("--with-text writes it")
        );
    }
    columns.retain(|(_, head)| !is_written(&head.name));
    let sheet = ViewSheet { tables: &tables, table: view.table, columns, rows, privacy };
    write_atomically(target, Some(study.path()), |out| match arguments.format {
        ExportFormat::Jsonl => sheet.write_jsonl(out),
        // Parquet is refused before: it is for datasets.
        ExportFormat::Csv | ExportFormat::Parquet => sheet.write_csv(out, arguments.dataset.raw),
        ExportFormat::Markdown => sheet.write_markdown(out),
    })?;
    Ok(wrote(&format!("{} rows", sheet.rows.len()), target))
}

/// The saved view, or the one that the arguments describe.
fn view(study: &StudyFile, given: &ViewOptions) -> Result<View> {
    let mut view = match (&given.view, given.table) {
        (Some(name), _) => saved(study, name)?,
        (None, Some(table)) => View::of(table),
        (None, None) => {
            return Err(Error::usage("the view is missing")
                .advise("name a saved one with --view, or a table with --table"));
        }
    };
    if let Some(filter) = &given.filter {
        let both = !view.filter.trim().is_empty() && !filter.trim().is_empty();
        view.filter =
            if both { format!("({}) ({filter})", view.filter) } else { format!("{}{filter}", view.filter) };
    }
    if !given.columns.is_empty() {
        view.columns.clone_from(&given.columns);
    }
    if !given.sort.is_empty() {
        let sort = |name: &String| match name.strip_prefix('-') {
            Some(column) => Sort { column: column.to_owned(), descending: true },
            None => Sort { column: name.clone(), descending: false },
        };
        view.sort = given.sort.iter().map(sort).collect();
    }
    Ok(view)
}

fn saved(study: &StudyFile, name: &str) -> Result<View> {
    let views = study.views()?;
    match views.iter().find(|view| view.name == name) {
        Some(view) => View::from_json(&view.body).map_err(|error| error.in_file(study.path())),
        None => {
            let names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
            let advice = match names.is_empty() {
                true => "save one in `haymark browse`, or describe it with --table and --filter".to_owned(),
                false => format!("there are: {}", names.join(", ")),
            };
            Err(Error::new(format!("there is no view {name:?}")).in_file(study.path()).advise(advice))
        }
    }
}

/// The columns of the view.
fn columns<'t>(tables: &'t Tables, view: &View) -> Result<Vec<(ColumnId, &'t ColumnHead)>> {
    let names = view.columns.iter().chain(view.sort.iter().map(|sort| &sort.column));
    for name in names {
        if tables.column(view.table, name).is_none() {
            let heads = tables.columns(view.table).iter();
            let known: Vec<&str> = heads.map(|head| head.name.as_str()).collect();
            let what = format!("there is no column {name:?} in the table of {}", view.table);
            return Err(Error::usage(what).advise(format!("choose among {}", known.join(", "))));
        }
    }
    let shown = tables.shown_columns(view).into_iter();
    Ok(shown.filter_map(|column| Some((column, tables.head(view.table, column)?))).collect())
}

/// Rows on their way out.
struct ViewSheet<'t> {
    tables: &'t Tables,
    table: BrowseTable,
    columns: Vec<(ColumnId, &'t ColumnHead)>,
    rows: Vec<u32>,
    privacy: Privacy,
}

impl<'t> ViewSheet<'t> {
    /// The name of a column. The annotator in it (`coverage@alice`) has the name that a dataset may tell.
    fn name(&self, head: &ColumnHead) -> String {
        match head.name.split_once('@') {
            Some((field, who)) => format!("{field}@{}", self.privacy.known(who).unwrap_or(who)),
            None => head.name.clone(),
        }
    }

    fn heading(&self, head: &ColumnHead) -> String {
        let who = head.name.split_once('@').map_or("", |(_, who)| who);
        match (self.privacy.known(who), head.heading.strip_suffix(who)) {
            (Some(name), Some(before)) => format!("{before}{name}"),
            _ => head.heading.clone(),
        }
    }

    /// The records of a row: the kind, key and text of each.
    fn records(&self, row: u32) -> Vec<(&'static str, &'t str, &'t str)> {
        let records = self.tables.records(self.table, row);
        let parts = [
            ("query", records.query.map(|query| (query.id.as_str(), query.text.as_str()))),
            ("unit", records.unit.map(|unit| (unit.id.as_str(), unit.text.as_str()))),
            ("candidate", records.candidate.map(|made| (made.id.as_str(), made.text.as_str()))),
            ("document", records.document.map(|found| (found.id.as_str(), found.text.as_str()))),
        ];
        parts.into_iter().filter_map(|(name, part)| part.map(|(key, text)| (name, key, text))).collect()
    }

    fn write_jsonl(&self, out: &mut dyn Write) -> Result<()> {
        for row in &self.rows {
            let mut object = Map::new();
            object.insert("type".to_owned(), json!("row"));
            object.insert("table".to_owned(), json!(self.table.name()));
            if let Some(collection) = self.tables.records(self.table, *row).collection {
                object.insert("collection".to_owned(), json!(collection.id));
            }
            let records = self.records(*row);
            object.extend(records.iter().map(|(name, key, _)| ((*name).to_owned(), json!(key))));
            object.insert("values".to_owned(), Json::Object(self.values(*row)));
            let texts = records.iter().map(|(name, _, text)| ((*name).to_owned(), json!(text)));
            object.insert("texts".to_owned(), Json::Object(texts.collect()));
            serde_json::to_writer(&mut *out, &object).map_err(cannot_write)?;
            out.write_all(b"\n").map_err(cannot_write)?;
        }
        Ok(())
    }

    fn values(&self, row: u32) -> Map<String, Json> {
        let mut values = Map::new();
        for (column, head) in &self.columns {
            let value = match self.tables.value(self.table, row, *column) {
                TableValue::Text(text) => json!(self.privacy.in_text(text)),
                TableValue::Count(count) => json!(count),
                TableValue::Number(number) => json!(number),
                TableValue::Labels(labels) => {
                    labels.iter().map(|label| self.privacy.in_text(label)).collect()
                }
                TableValue::Nothing => Json::Null,
                TableValue::Undefined(reason) => {
                    values.insert(self.name(head), Json::Null);
                    values.insert(undefined_key(&self.name(head)), json!(reason.code()));
                    continue;
                }
            };
            values.insert(self.name(head), value);
        }
        values
    }

    /// Writes the columns of the view, then the texts of the records that its rows have.
    fn write_csv(&self, out: &mut dyn Write, raw: bool) -> Result<()> {
        let mut texts: Vec<&'static str> = Vec::new();
        for (name, ..) in self.rows.iter().flat_map(|row| self.records(*row)) {
            if !texts.contains(&name) {
                texts.push(name);
            }
        }
        let mut file = CsvFile::new(out, raw);
        let names = self.columns.iter().map(|(_, head)| self.name(head));
        file.row(names.chain(texts.iter().map(|name| format!("{name}_text"))))?;
        for row in &self.rows {
            let records = self.records(*row);
            let text = |name: &&str| {
                let found = records.iter().find(|(other, ..)| other == name);
                found.map_or_else(String::new, |(_, _, text)| (*text).to_owned())
            };
            let cells =
                self.columns.iter().map(|(column, _)| match self.tables.value(self.table, *row, *column) {
                    TableValue::Number(number) => number.to_string(),
                    TableValue::Undefined(_) => String::new(),
                    // Labels have no commas that a table would need to keep apart.
                    value => self.privacy.in_text(&value.shown(crate::browse::ColumnKind::Labels)),
                });
            file.row(cells.chain(texts.iter().map(text)))?;
        }
        file.finish()
    }

    /// Writes a section for each row: its name, its values, its texts as quotations.
    fn write_markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (number, row) in self.rows.iter().enumerate() {
            let gap = if number == 0 { "" } else { "\n" };
            let title = self.privacy.in_text(&self.tables.name(self.table, *row));
            let mut section = format!("{gap}## {}\n\n", escape_markdown(&title));
            section += "| | |\n| :--- | :--- |\n";
            for (column, head) in &self.columns {
                let shown = self.privacy.in_text(&self.tables.shown(self.table, *row, *column));
                let heading = self.heading(head);
                section += &format!("| {} | {} |\n", escape_markdown(&heading), escape_markdown(&shown));
            }
            for (name, _, text) in self.records(*row) {
                section += &format!("\n**{name}**\n\n");
                for line in text.lines() {
                    section += format!("> {}", escape_markdown(line)).trim_end();
                    // Two spaces keep the lines of a summary apart.
                    section += "  \n";
                }
            }
            out.write_all(section.as_bytes()).map_err(cannot_write)?;
        }
        Ok(())
    }
}
