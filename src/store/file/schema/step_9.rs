//! The step to format 9: amendments, and sums by which a flipped byte is found.
//!
//! `amendment` has the amendments, each named by the fingerprint of its text. `withdrawn` and `joined` are
//! caches that follow from it; `original` has a revised record as it came in, while its row shows the current contents
//! (see `store::amend`). `is_outdated` is set in a standing whose answers were given on texts that were revised since.
//!
//! `row_sum` has the sum of each record, by table and row number (see [`sums`]). Triggers write it with the row, so no
//! import or merge needs to know of sums. Sums do not travel: rows have other numbers in the next file, and other sums.
//!
//! `block_sum` has the sums of the journal, block by block (see [`block_sums`]). Triggers write them too, except for rows of
//! `imported`, which one function writes.
//!
//! Other tables need no sums: an item's key follows from its parts, and caches are made anew.

use rusqlite::Connection;

use super::step_10;
use super::waits::{self, AMENDMENT};
use crate::store::file::{block_sums, sums};

/// A table whose rows have sums.
pub(in crate::store) struct Summed {
    pub(in crate::store) table: &'static str,
    /// The column with the number of the record. Rows of one record have one sum together.
    pub(in crate::store) record: &'static str,
    columns: &'static [&'static str],
    /// An SQL expression over a row for the name by which people know the record.
    pub(in crate::store) name: &'static str,
}

pub(in crate::store) const SUMMED: &[Summed] = &[
    by_key("collection", &["id", "key", "title", "domain", "meta"]),
    by_key("document", &["id", "collection", "number", "key", "title", "meta", "text"]),
    by_key("query", &["id", "collection", "key", "category", "domain", "meta", "text"]),
    by_key(
        "unit",
        &["id", "query", "key", "kind", "gold_known", "score", "title", "meta", "text", "candidate"],
    ),
    of_unit("gold", &["unit", "document"]),
    of_unit("evidence", &["unit", "ordinal", "document", "given_start", "span_start", "span_end", "quote"]),
    by_key("candidate", &["id", "query", "key", "summarizer", "retriever", "document_order", "meta", "text"]),
    by_key("annotator", &["id", "key", "kind", "meta"]),
    named("import", "source", &["id", "source", "content", "at"]),
    named(PROTOCOL, "name", &["id", "name", "own"]),
    named("protocol_version", "version", &["id", "protocol", "version", "hash", "file"]),
    by_key("question", &["id", "protocol", "key"]),
    named("guideline", "version", &["id", "version", "text"]),
    named("session", "hex(key)", &["id", "key", "annotator", "query", "setup"]),
    named(AMENDMENT, "record", &["id", "key", "record"]),
    Summed { table: "writer", record: "no", columns: &["no", "key"], name: "printf('%016x', key)" },
    named("phrase", "body", &["id", "kind", "body"]),
    named(ORIGINAL, "tbl", &["tbl", "id", "record"]),
    named("ranking", "retriever", &["id", "query", "retriever", "documents"]),
    named("import_map", "name", &["id", "name", "text"]),
];

/// A table of the journal, whose rows have sums by blocks.
pub(in crate::store) struct SummedJournal {
    pub(in crate::store) table: &'static str,
    /// The expressions that the sums are over: first writer and number.
    pub(in crate::store) columns: &'static [&'static str],
}

pub(in crate::store) const JOURNALS: &[SummedJournal] = &[
    SummedJournal {
        table: "event",
        columns: &["writer", "seq", "kind", "annotator", "item", "protocol", "body", "at", "active", "texts"],
    },
    SummedJournal {
        table: IMPORTED,
        columns: &[
            "id >> 40",
            "id & ((1 << 40) - 1)",
            "annotator",
            "item",
            "protocol",
            "at",
            "active",
            "texts",
            "body",
        ],
    },
    SummedJournal {
        table: "session_event",
        columns: &["writer", "seq", "session", "kind", "body", "at", "active"],
    },
    SummedJournal {
        table: "assignment_event",
        columns: &["writer", "seq", "annotator", "item", "kind", "body", "at"],
    },
    SummedJournal { table: "view_event", columns: &["writer", "seq", "name", "body", "at"] },
];

/// The rows that are compared with their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum SumScope {
    /// The rows of a study.
    Study,
    /// The rows that a recovery found in pages, of which several may have one name.
    Salvage,
}

/// The table that has one column for writer and number.
const IMPORTED: &str = "imported";

impl SummedJournal {
    /// Selects all rows; in a recovery, also those that were found twice under one name.
    pub(in crate::store) fn select(&self, scope: SumScope) -> String {
        let of = |table: &str| format!("SELECT {} FROM {table}{}", self.columns.join(", "), self.table);
        match scope {
            SumScope::Study => of("main."),
            SumScope::Salvage => format!("{} UNION ALL {}", of("main."), of("temp.doubled_")),
        }
    }

    /// Whether writer and number are one column.
    pub(in crate::store) fn is_by_id(&self) -> bool {
        self.table == IMPORTED
    }

    /// The word for a row.
    pub(in crate::store) fn kind(&self) -> String {
        if self.is_by_id() { "imported event".to_owned() } else { self.table.replace('_', " ") }
    }

    /// The word for a column.
    pub(in crate::store) fn name_of(&self, place: usize) -> &'static str {
        match place {
            0 => "writer",
            1 => "number",
            _ => self.columns.get(place).copied().unwrap_or_default(),
        }
    }
}

/// The table of protocols, whose rows change where a built-in protocol becomes the study's own.
const PROTOCOL: &str = "protocol";

const ORIGINAL: &str = "original";

/// Tables whose rows may change, as the corpus when it is revised.
const CHANGING: [&str; 8] =
    [PROTOCOL, "collection", "document", "query", "unit", "candidate", "evidence", AMENDMENT];

/// Tables whose rows may be deleted.
const GOING: [&str; 3] = ["gold", "evidence", ORIGINAL];

const fn named(table: &'static str, name: &'static str, columns: &'static [&'static str]) -> Summed {
    Summed { table, record: "id", columns, name }
}

const fn by_key(table: &'static str, columns: &'static [&'static str]) -> Summed {
    named(table, "key", columns)
}

const fn of_unit(table: &'static str, columns: &'static [&'static str]) -> Summed {
    Summed { table, record: "unit", columns, name: "(SELECT u.key FROM unit u WHERE u.id = unit)" }
}

impl Summed {
    /// The columns that the sum is over, each with this prefix.
    pub(in crate::store) fn columns(&self, row: &str) -> String {
        let of: Vec<String> = self.columns.iter().map(|column| format!("{row}{column}")).collect();
        of.join(", ")
    }

    pub(super) fn triggers(&self) -> String {
        let Summed { table, record, .. } = self;
        let (new, old) = (self.columns("new."), self.columns("old."));
        let mut text = format!(
            "CREATE TRIGGER {table}_is_summed AFTER INSERT ON {table} BEGIN
               INSERT INTO row_sum VALUES ('{table}', new.{record}, with_row(0, {new}))
               ON CONFLICT DO UPDATE SET sum = with_row(sum, {new}); END;"
        );
        if CHANGING.contains(table) {
            text += &format!(
                "CREATE TRIGGER {table}_is_summed_anew AFTER UPDATE ON {table} BEGIN
                   UPDATE row_sum SET sum = with_row(with_row(sum, {old}), {new})
                   WHERE tbl = '{table}' AND record = new.{record}; END;"
            );
        }
        if GOING.contains(table) {
            text += &format!(
                "CREATE TRIGGER {table}_is_summed_less AFTER DELETE ON {table} BEGIN
                   UPDATE row_sum SET sum = with_row(sum, {old}) WHERE tbl = '{table}' AND record = old.{record};
                   DELETE FROM row_sum WHERE tbl = '{table}' AND record = old.{record} AND sum = 0
                     AND NOT EXISTS (SELECT 1 FROM {table} WHERE {record} = old.{record}); END;"
            );
        }
        text
    }
}

const TABLES: &str = "
CREATE TABLE row_sum (
  tbl TEXT NOT NULL,
  record INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (tbl, record)
) STRICT, WITHOUT ROWID;
CREATE TABLE block_sum (
  tbl TEXT NOT NULL,
  writer INTEGER NOT NULL,
  block INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (tbl, writer, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE amendment (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  record TEXT NOT NULL
) STRICT;
CREATE TABLE original (
  tbl TEXT NOT NULL,
  id INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tbl, id)
) STRICT, WITHOUT ROWID;
ALTER TABLE standing ADD COLUMN is_outdated INTEGER;
ALTER TABLE hub_held ADD COLUMN sender TEXT;
CREATE TABLE withdrawn (
  what TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (what, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE joined (
  annotator INTEGER PRIMARY KEY,
  person INTEGER NOT NULL
) STRICT;
-- An item of which a part is withdrawn is withdrawn, also one that comes later.
CREATE TRIGGER item_may_be_withdrawn AFTER INSERT ON item WHEN EXISTS (SELECT 1 FROM withdrawn) BEGIN
  INSERT OR IGNORE INTO withdrawn SELECT 'item', new.id WHERE EXISTS (SELECT 1 FROM withdrawn WHERE
    what = 'query' AND id = new.query OR what = 'document' AND id = new.document
    OR what = 'unit' AND id = new.unit OR what = 'candidate' AND id = new.candidate);
END;
";

pub(super) fn step(connection: &Connection) -> rusqlite::Result<()> {
    sums::give_functions(connection)?;
    connection.execute_batch(TABLES)?;
    connection.execute_batch(&super::never(AMENDMENT, "DELETE", ""))?;
    // Erased texts are taken out of revisions as well.
    let nothing_goes = r#"WHEN NOT EXISTS (SELECT 1 FROM amendment WHERE instr(record, '"act":"erase"'))"#;
    connection.execute_batch(&super::never(AMENDMENT, "UPDATE", nothing_goes))?;
    waits::add_to(connection, AMENDMENT)?;
    let mut keep = connection.prepare("INSERT INTO row_sum VALUES (?1, ?2, ?3)")?;
    for summed in SUMMED.iter().filter(|summed| !step_10::NEW.contains(&summed.table)) {
        for (record, sum) in sums::of(connection, summed)? {
            keep.execute((summed.table, record, sum))?;
        }
        connection.execute_batch(&summed.triggers())?;
    }
    block_sums::make(connection)?;
    let by_trigger = JOURNALS.iter().filter(|journal| !journal.is_by_id());
    by_trigger.map(block_sums::trigger).try_for_each(|trigger| connection.execute_batch(&trigger))
}
