//! The tables that have sums, and the triggers that write the sums of records.

use super::columns_of;
use super::waits::AMENDMENT;

/// A table whose rows have sums.
pub(crate) struct Summed {
    pub(crate) table: &'static str,
    /// The column with the number of the record. Rows of one record have one sum together.
    pub(crate) record: &'static str,
    /// An SQL expression over a row for the name by which people know the record.
    pub(crate) name: &'static str,
}

pub(crate) const SUMMED: &[Summed] = &[
    named("collection", "key"),
    named("document", "key"),
    named("query", "key"),
    named("unit", "key"),
    of_unit("gold"),
    of_unit("evidence"),
    named("candidate", "key"),
    named("annotator", "key"),
    named("import", "source"),
    named(PROTOCOL, "name"),
    named("protocol_version", "version"),
    named("question", "key"),
    named("guideline", "version"),
    named("session", "hex(key)"),
    named(AMENDMENT, "record"),
    Summed { table: "writer", record: "no", name: "printf('%016x', key)" },
    named("phrase", "body"),
    named(ORIGINAL, "record"),
    named("ranking", "retriever"),
    named("import_map", "name"),
];

/// A table of the journal, whose rows have sums by blocks.
pub(crate) struct SummedJournal {
    pub(crate) table: &'static str,
}

pub(crate) const JOURNALS: &[SummedJournal] = &[
    SummedJournal { table: ACT },
    SummedJournal { table: "session_event" },
    SummedJournal { table: "assignment_event" },
    SummedJournal { table: "view_event" },
];

/// The rows that are compared with their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumScope {
    /// The rows of a study.
    Study,
    /// The rows that a recovery found in pages, of which several may have one name.
    Salvage,
}

/// The table that has one column for writer and number.
const ACT: &str = "act";

impl SummedJournal {
    /// The expressions that the sums are over: first writer and number.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        let of_table = columns_of(self.table);
        let by_id: &[&str] = if self.is_by_id() { &["id >> 40", "id & ((1 << 40) - 1)"] } else { &[] };
        [by_id, of_table.get(usize::from(self.is_by_id())..).unwrap_or_default()].concat()
    }

    /// Selects all rows; in a recovery, also those that were found twice under one name.
    pub(crate) fn select(&self, scope: SumScope) -> String {
        let of = |table: &str| format!("SELECT {} FROM {table}{}", self.columns().join(", "), self.table);
        match scope {
            SumScope::Study => of("main."),
            SumScope::Salvage => format!("{} UNION ALL {}", of("main."), of("temp.doubled_")),
        }
    }

    /// Whether writer and number are one column.
    pub(crate) fn is_by_id(&self) -> bool {
        self.table == ACT
    }

    /// The word for a row.
    pub(crate) fn kind(&self) -> String {
        if self.is_by_id() { "event".to_owned() } else { self.table.replace('_', " ") }
    }

    /// The word for a column.
    pub(crate) fn name_of(&self, place: usize) -> &'static str {
        match place {
            0 => "writer",
            1 => "number",
            _ => self.columns().get(place).copied().unwrap_or_default(),
        }
    }
}

/// The table of protocols, whose rows change where a built-in protocol becomes the study's own.
const PROTOCOL: &str = "protocol";

pub(crate) const ORIGINAL: &str = "original";

/// Tables whose rows may change, as the corpus when it is revised.
const CHANGING: [&str; 8] =
    [PROTOCOL, "collection", "document", "query", "unit", "candidate", "evidence", AMENDMENT];

/// Tables whose rows may be deleted.
const GOING: [&str; 3] = ["gold", "evidence", ORIGINAL];

const fn named(table: &'static str, name: &'static str) -> Summed {
    Summed { table, record: "id", name }
}

const fn of_unit(table: &'static str) -> Summed {
    Summed { table, record: "unit", name: "(SELECT u.key FROM unit u WHERE u.id = unit)" }
}

impl Summed {
    /// The columns that the sum is over, each with this prefix.
    pub(crate) fn columns(&self, row: &str) -> String {
        let of: Vec<String> = columns_of(self.table).iter().map(|column| format!("{row}{column}")).collect();
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
