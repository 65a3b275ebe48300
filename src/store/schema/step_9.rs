//! The step to format 9: what stands once in a file has a sum, by which a flipped byte is found.
//!
//! `row_sum` has the sum of each record, by its table and its row's number there. What it is made of is in [`sums`].
//! Triggers write it with the row, so whoever brings something in, a key or a merge, need not know of sums. Sums go along
//! nowhere: rows have other numbers in the next file, and their own sums.
//!
//! Other tables need none. The parts of an item make its key, what imports say and their writers stand in an index once
//! more, and caches are made anew.

use rusqlite::Connection;

use crate::store::sums;

/// A table whose rows have sums.
pub(in crate::store) struct Summed {
    pub(in crate::store) table: &'static str,
    /// The column with the number of the record. Rows of one record have one sum together.
    pub(in crate::store) record: &'static str,
    columns: &'static [&'static str],
    /// How people know a record: an expression over its row.
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
];

/// The one whose rows change: a study may come to have a protocol of its own where it had a built-in one.
const PROTOCOL: &str = "protocol";

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
    /// The columns that the sum is over, of the row of this name.
    pub(in crate::store) fn columns(&self, row: &str) -> String {
        let of: Vec<String> = self.columns.iter().map(|column| format!("{row}{column}")).collect();
        of.join(", ")
    }

    fn triggers(&self) -> String {
        let Summed { table, record, .. } = self;
        let (new, old) = (self.columns("new."), self.columns("old."));
        let mut text = format!(
            "CREATE TRIGGER {table}_is_summed AFTER INSERT ON {table} BEGIN
               INSERT INTO row_sum VALUES ('{table}', new.{record}, with_row(0, {new}))
               ON CONFLICT DO UPDATE SET sum = with_row(sum, {new}); END;"
        );
        if *table == PROTOCOL {
            text += &format!(
                "CREATE TRIGGER {table}_is_summed_anew AFTER UPDATE ON {table} BEGIN
                   UPDATE row_sum SET sum = with_row(with_row(sum, {old}), {new})
                   WHERE tbl = '{table}' AND record = new.{record}; END;"
            );
        }
        text
    }
}

const TABLE: &str = "
CREATE TABLE row_sum (
  tbl TEXT NOT NULL,
  record INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (tbl, record)
) STRICT, WITHOUT ROWID;
";

pub(super) fn add_sums(connection: &Connection) -> rusqlite::Result<()> {
    sums::give_function(connection)?;
    connection.execute_batch(TABLE)?;
    let mut keep = connection.prepare("INSERT INTO row_sum VALUES (?1, ?2, ?3)")?;
    for summed in SUMMED {
        for (record, sum) in sums::of(connection, summed)? {
            keep.execute((summed.table, record, sum))?;
        }
        connection.execute_batch(&summed.triggers())?;
    }
    Ok(())
}
