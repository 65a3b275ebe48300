//! Merging the journal: rows are taken as they are, with the rows that they refer to.
//!
//! Foreign keys tell which columns refer to which tables. Tables of other programs stay in their file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, Row, params_from_iter};

use super::{MergeCount, MergeMode, Merger, RowsMatched, Tried, sound};
use crate::journal::Writer;
use crate::number::number_of;
use crate::store::exchange::sense::is_setup;
use crate::store::file::SHARED;
use crate::store::work::MASKED;
use crate::study::{AnnotatorId, Terms};
use crate::text::hash::fingerprint;

/// Tables whose rows are named in every file by a fingerprint in `key`.
const KEYED: [&str; 2] = ["item", "session"];

/// The journal of assignments.
const ASSIGNMENTS: &str = "assignment_event";

/// A table of the journal, or one with a fingerprint, by its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JournalTable {
    pub(crate) name: String,
    pub(crate) columns: Vec<JournalColumn>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JournalColumn {
    pub(crate) name: String,
    /// The table that the column refers to.
    pub(crate) refers_to: Option<String>,
}

impl JournalTable {
    pub(crate) fn read(connection: &Connection, name: &str) -> Tried<JournalTable> {
        let mut references: HashMap<String, String> = HashMap::new();
        connection.pragma(None, "foreign_key_list", name, |row| {
            references.insert(row.get("from")?, row.get("table")?);
            Ok(())
        })?;
        let mut columns = Vec::new();
        connection.pragma(None, "table_info", name, |row| {
            let name: String = row.get("name")?;
            columns.push(JournalColumn { refers_to: references.remove(&name), name });
            Ok(())
        })?;
        Ok(JournalTable { name: name.to_owned(), columns })
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    fn refers_to(&self, table: &str) -> bool {
        self.columns.iter().any(|column| column.refers_to.as_deref() == Some(table))
    }

    /// The columns as a list in SQL.
    pub(crate) fn list(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        names.join(", ")
    }

    /// The letter of the journal on a hub.
    pub(crate) fn letter(&self) -> u8 {
        self.name.bytes().next().unwrap_or_default()
    }

    /// The table's name as people say it.
    fn kind(&self) -> String {
        self.name.replace('_', " ")
    }

    /// A statement that adds a row, unless one with its key is there.
    pub(crate) fn insert(&self, key: &str) -> String {
        let places = vec!["?"; self.columns.len()].join(", ");
        format!(
            "INSERT INTO \"{}\" ({}) VALUES ({places}) ON CONFLICT ({key}) DO NOTHING",
            self.name,
            self.list()
        )
    }
}

/// The tables that are keyed (writer, seq), by name.
pub(crate) fn journals(connection: &Connection) -> Tried<Vec<JournalTable>> {
    let sequenced = SHARED.iter().filter(|(_, is_sequenced)| *is_sequenced);
    let names: BTreeSet<&str> = sequenced.map(|(name, _)| *name).collect();
    names.into_iter().map(|name| JournalTable::read(connection, name)).collect()
}

impl Merger<'_> {
    /// Brings in items and sessions, then every journal; returns the counts of events by annotator.
    pub(super) fn journals(&mut self) -> Tried<BTreeMap<AnnotatorId, MergeCount>> {
        let last_item = sound::last_item(self.connection)?;
        for name in KEYED {
            let mut table = JournalTable::read(self.connection, name)?;
            // Row numbers hold in one file only.
            table.columns.retain(|column| column.name != "id");
            self.keyed(&table)?;
        }
        if !self.held.is_empty() {
            let what = number_of(self.held.len(), "session");
            let told = format!(
                "{what} cannot be read here: with all that was done there, it stays in the other file"
            );
            self.report.remarks.push(told);
        }
        self.refuse_other_keys(last_item)?;
        let mut events = BTreeMap::new();
        for table in journals(self.connection)? {
            // Rows that belong to nobody, such as saved views, do not go with one annotator.
            if self.only.is_none() || table.refers_to("annotator") || table.refers_to("session") {
                self.journal(&table)?;
            }
            // The report has events between assignments and sessions.
            if table.name == ASSIGNMENTS {
                events = self.acts()?;
            }
        }
        Ok(events)
    }

    /// Brings in the rows of a table that are named by a fingerprint.
    fn keyed(&mut self, table: &JournalTable) -> Tried<()> {
        let select =
            format!("SELECT {}, id FROM \"{}\" {} ORDER BY id", table.list(), table.name, self.wanted(table));
        let mut statement = self.theirs(self.other.connection.prepare(&select))?;
        let mut rows = self.theirs(statement.query([]))?;
        let mut into = Into::prepare(self.connection, table, "key")?;
        // A salvaged session is taken even where its setup cannot be read.
        let setup = table.place("setup").filter(|_| self.mode != MergeMode::Salvage);
        let mut came_over = HashMap::new();
        while let Some(row) = self.theirs(rows.next())? {
            let id: i64 = self.theirs(row.get(table.columns.len()))?;
            if let Some(place) = setup
                && !self.theirs(row.get_ref(place))?.as_str().is_ok_and(is_setup)
            {
                self.held.insert(id);
                continue;
            }
            if let Some(ours) = self.take(table, &mut into, row, &["key"])? {
                came_over.insert(id, ours);
            }
        }
        self.rows.of(&table.name).extend(came_over);
        Ok(())
    }

    /// The condition for the rows of a table that come over.
    fn wanted(&self, table: &JournalTable) -> String {
        let hers = self.where_only("annotator");
        if table.refers_to("annotator") {
            return hers;
        }
        match table.name == "item" && self.only.is_some() {
            true => format!(
                "WHERE id IN (SELECT item FROM act {hers} UNION SELECT item FROM assignment_event {hers})"
            ),
            false => String::new(),
        }
    }

    fn journal(&mut self, table: &JournalTable) -> Tried<()> {
        let select = format!(
            "SELECT {} FROM \"{}\" {} ORDER BY writer, seq",
            table.list(),
            table.name,
            self.wanted(table)
        );
        let mut statement = self.theirs(self.other.connection.prepare(&select))?;
        let mut rows = self.theirs(statement.query([]))?;
        let mut into = Into::prepare(self.connection, table, "writer, seq")?;
        while let Some(row) = self.theirs(rows.next())? {
            self.take(table, &mut into, row, &["writer", "seq"])?;
        }
        Ok(())
    }

    /// Whether a row belongs to a session that stays in the other file.
    fn is_held(&self, table: &JournalTable, row: &Row<'_>) -> Tried<bool> {
        let session = |column: &JournalColumn| column.refers_to.as_deref() == Some("session");
        match table.columns.iter().position(session) {
            Some(place) => Ok(self.held.contains(&self.theirs(row.get(place))?)),
            None => Ok(false),
        }
    }

    /// Brings in one row; returns its number in this file, if it comes over and the table has numbers.
    fn take(
        &mut self,
        table: &JournalTable,
        into: &mut Into<'_>,
        row: &Row<'_>,
        key: &[&str],
    ) -> Tried<Option<i64>> {
        let mut values = match mapped(&self.rows, table, row) {
            Ok(values) => values,
            Err(Unmapped::Reference(_)) if self.only.is_some() || self.is_held(table, row)? => {
                return Ok(None);
            }
            Err(Unmapped::Reference(to)) => {
                let what =
                    format!("{} refers to a {} that does not come over", named_by(table, row, key), to);
                self.clash(&table.kind(), what);
                return Ok(None);
            }
            Err(Unmapped::Sql(error)) => return self.theirs(Err(error)),
        };
        let masked = self.only.is_some().then(|| masked(table, &values)).flatten();
        if let Some((writer, body)) = &masked {
            let hidden = [
                ("writer", ValueRef::Integer(*writer)),
                ("seq", ValueRef::Integer(MASKED)),
                ("body", ValueRef::Text(body.as_bytes())),
            ];
            for (name, value) in hidden {
                table
                    .place(name)
                    .and_then(|place| values.get_mut(place))
                    .into_iter()
                    .for_each(|old| *old = value);
            }
        }
        if into.insert(&values)? {
            self.count(&table.kind(), true);
            return Ok(Some(self.connection.last_insert_rowid()));
        }
        let (ours, other_column) = into.compare(table, &values, key)?;
        match other_column {
            None => self.count(&table.kind(), false),
            Some(column) => {
                let what = format!("{} is in the study with another {column:?}", named_by(table, row, key));
                self.clash(&table.kind(), what);
            }
        }
        Ok(ours)
    }
}

/// The statements that bring rows into a table.
struct Into<'c> {
    insert: CachedStatement<'c>,
    /// The row of the same key, with its number at the end.
    find: CachedStatement<'c>,
}

impl<'c> Into<'c> {
    fn prepare(connection: &'c Connection, table: &JournalTable, key: &str) -> Tried<Into<'c>> {
        let (condition, id) = match key {
            "key" => ("key = ?1", "id"),
            _ => ("writer = ?1 AND seq = ?2", "NULL"),
        };
        let find = format!("SELECT {}, {id} FROM \"{}\" WHERE {condition}", table.list(), table.name);
        Ok(Into {
            insert: connection.prepare_cached(&table.insert(key))?,
            find: connection.prepare_cached(&find)?,
        })
    }

    /// Adds the row; `false` where one of its key is there.
    fn insert(&mut self, values: &[ValueRef<'_>]) -> Tried<bool> {
        let values = values.iter().map(|value| ToSqlOutput::Borrowed(*value));
        Ok(self.insert.execute(params_from_iter(values))? == 1)
    }

    /// The number of the row of the same key, and the first column in which it differs.
    fn compare(
        &mut self,
        table: &JournalTable,
        values: &[ValueRef<'_>],
        key: &[&str],
    ) -> Tried<(Option<i64>, Option<String>)> {
        let places = key.iter().filter_map(|name| table.place(name));
        let keys = places.filter_map(|place| values.get(place)).map(|value| ToSqlOutput::Borrowed(*value));
        Ok(self.find.query_row(params_from_iter(keys), |ours| {
            let mut other = None;
            for (place, (column, value)) in table.columns.iter().zip(values).enumerate() {
                // An item keeps the texts of the import that judged it first.
                let may_differ = table.name == "item" && column.name == "texts";
                if other.is_none() && !may_differ && ours.get_ref(place)? != *value {
                    other = Some(column.name.clone());
                }
            }
            Ok((ours.get(table.columns.len())?, other))
        })?)
    }
}

/// The reason why a row cannot come over.
enum Unmapped {
    /// The row refers to a row of this table that is not there or did not come over.
    Reference(String),
    Sql(rusqlite::Error),
}

/// The values of a row, its references turned into rows of this study.
fn mapped<'r>(
    rows: &RowsMatched,
    table: &JournalTable,
    row: &'r Row<'_>,
) -> std::result::Result<Vec<ValueRef<'r>>, Unmapped> {
    let mut values = Vec::with_capacity(table.columns.len());
    for (place, column) in table.columns.iter().enumerate() {
        let value = row.get_ref(place).map_err(Unmapped::Sql)?;
        values.push(match (value, &column.refers_to) {
            (ValueRef::Integer(theirs), Some(to)) => {
                let ours = rows.by_table.get(to).and_then(|rows| rows.get(&theirs));
                let ours = ours.ok_or_else(|| Unmapped::Reference(to.replace('_', " ")))?;
                ValueRef::Integer(*ours)
            }
            _ => value,
        });
    }
    Ok(values)
}

/// Writer and body of an assignment masked for the annotator's own file: see [`Terms::masked`]. Calibration keeps its known
/// answers, since no hub tells them there. `None` for a row that holds nothing to hide.
fn masked(table: &JournalTable, values: &[ValueRef<'_>]) -> Option<(i64, String)> {
    let value = |name: &str| values.get(table.place(name)?).copied();
    let (writer, seq) = (value("writer")?.as_i64().ok()?, value("seq")?.as_i64().ok()?);
    let terms: Terms = serde_json::from_str(value("body")?.as_str().ok()?).ok()?;
    if table.name != ASSIGNMENTS || seq == MASKED || terms.aside().is_some() {
        return None;
    }
    let Writer(writer) = Writer::derived(fingerprint(["masked", &writer.to_string(), &seq.to_string()]));
    Some((writer, serde_json::to_string(&terms.masked()).ok()?))
}

/// A row by its key, for a sentence.
fn named_by(table: &JournalTable, row: &Row<'_>, key: &[&str]) -> String {
    let value = |name: &str| table.place(name).and_then(|place| row.get_ref(place).ok());
    let parts: Vec<String> = key
        .iter()
        .map(|name| match value(name) {
            Some(ValueRef::Integer(number)) if *name == "writer" => format!("of writer {number:016x}"),
            Some(ValueRef::Integer(number)) => format!("number {number}"),
            Some(ValueRef::Blob(bytes)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => String::new(),
        })
        .collect();
    format!("{} {}", table.kind(), parts.join(", "))
}
