//! Whether another file is sound enough to come in: a fault that `haymark check` would find there would be
//! taken in for good. So the parts that merging goes by are checked while they are read: pages, sums of
//! records, numbers of events, keys of items, texts of protocols. Caches are made anew and not checked.

use rusqlite::{Connection, params};

use super::{Fault, MergeMode, Merger};
use crate::error::Error;
use crate::store::corpus::{StudyKeys, Target};
use crate::store::file::{
    FromRow, SumScope, Tried, all, block_sums, is_of_the_disk, named, of_reading, one, partial, sums,
};
use crate::study::{Aside, ItemKey};

/// Tables that are not checked as a whole: caches, and the acts, whose many rows are checked as they pass.
const PASSED_OVER: [&str; 4] = [CACHES[0], CACHES[1], CACHES[2], "act"];

/// Caches of queues and standings.
const CACHES: [&str; 3] = ["standing", "queue", "progress"];

/// How many rows a file has without its caches.
pub(super) fn rows(connection: &Connection) -> Tried<u64> {
    let mut rows = 0;
    for table in tables(connection)?.iter().filter(|table| !CACHES.contains(&table.as_str())) {
        rows += u64::from(one::<u32>(connection, &format!("SELECT count(*) FROM \"{table}\""), [])?);
    }
    Ok(rows)
}

fn tables(connection: &Connection) -> Tried<Vec<String>> {
    all(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", [])
}

impl Merger<'_> {
    /// Refuses a file with damaged tables.
    pub(super) fn refuse_damage(&self) -> Tried<()> {
        if self.mode == MergeMode::Salvage {
            return Ok(());
        }
        let connection = &self.other.connection;
        let tables = self.theirs(tables(connection))?;
        for table in tables.iter().filter(|table| !PASSED_OVER.contains(&table.as_str())) {
            let mut fault = None;
            self.theirs(connection.pragma(None, "integrity_check", table, |row| {
                let found: String = row.get(0)?;
                fault = fault.take().or(Some(found)).filter(|found| found != "ok");
                Ok(())
            }))?;
            if fault.is_none() {
                fault = self.theirs(partial::unlike_its_table(connection, Some(table)))?;
            }
            if let Some(fault) = fault {
                if is_of_the_disk(&fault) {
                    return Ok(named(&self.other.path, Err(of_reading().into()))?);
                }
                return self.damaged(&fault.replace('\n', " "));
            }
        }
        let (_, altered) = self.theirs(sums::compare(connection))?;
        if let Some(altered) = altered.first() {
            return self.damaged(&altered.to_string());
        }
        let altered = || block_sums::compare(connection, SumScope::Study)?.first(connection);
        match self.theirs(altered())? {
            Some(what) => self.damaged(&format!("not as it was written: {what}")),
            None => Ok(()),
        }
    }

    pub(super) fn damaged<T>(&self, what: &str) -> Tried<T> {
        let error = Error::new(format!("the file is damaged: {what}"))
            .advise("nothing was merged; `haymark check` on it says more, and how to save what is readable");
        named(&self.other.path, Err(error.into())).map_err(Fault::from)
    }

    /// Refuses items of the study behind the row `behind` whose keys do not follow from their parts, or whose
    /// parts are of different queries.
    pub(super) fn refuse_other_keys(&self, behind: i64) -> Tried<()> {
        if self.mode == MergeMode::Salvage {
            return Ok(());
        }
        let mut statement = self.connection.prepare(
            "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, i.key, p.name, i.aside,
               ifnull(u.query <> i.query, 0) OR ifnull(k.query <> i.query, 0) OR ifnull(o.query <> i.query, 0)
                 OR ifnull(d.collection <> q.collection, 0)
             FROM item i JOIN protocol p ON p.id = i.protocol JOIN query q ON q.id = i.query
             LEFT JOIN unit u ON u.id = i.unit LEFT JOIN candidate k ON k.id = i.candidate LEFT JOIN candidate o ON o.id = i.other
             LEFT JOIN document d ON d.id = i.document WHERE i.id > ?1",
        )?;
        let mut rows = statement.query(params![behind])?;
        let mut keys = None;
        while let Some(row) = rows.next()? {
            let keys = match &mut keys {
                Some(keys) => keys,
                none => none.insert(StudyKeys::read(self.connection)?),
            };
            let (key, name): (ItemKey, String) = (row.get(6)?, row.get(7)?);
            let aside = row.get_ref(8)?.as_str_or_null()?.and_then(Aside::named);
            let follows = keys.of_target(&Target::from_row(row)?).item_key_beside(&name, aside);
            if follows != key || row.get(9)? {
                return self.damaged(&format!("item {key} of {name:?} does not follow from its parts"));
            }
        }
        Ok(())
    }
}

/// The number of the last item.
pub(super) fn last_item(connection: &Connection) -> Tried<i64> {
    one(connection, "SELECT ifnull(max(id), 0) FROM item", [])
}

/// Checks the keys of a journal's rows as they are read: each must come after the one before, and all together must
/// be those of the index.
#[derive(Default)]
pub(super) struct Passing {
    last: Option<(i64, i64)>,
    sum: u64,
}

impl Passing {
    /// Notes a row by writer, number, annotator and item; returns what is wrong with it.
    pub(super) fn see(&mut self, key: [i64; 4]) -> Option<String> {
        let [writer, seq, ..] = key;
        let is_behind = self.last.replace((writer, seq)).is_none_or(|last| last < (writer, seq));
        self.sum = self.sum.wrapping_add(mixed(key));
        if !is_behind {
            return Some(format!("event {seq} of writer {writer:016x} stands out of order"));
        }
        (seq < 1).then(|| format!("writer {writer:016x} has an event of the number {seq}"))
    }

    /// Whether the index by annotator and item holds the same keys.
    pub(super) fn is_indexed(&self, connection: &Connection) -> Tried<bool> {
        let mut statement = connection.prepare(
            "SELECT id >> 40, id & ((1 << 40) - 1), annotator, item FROM act INDEXED BY act_of_item",
        )?;
        let mut rows = statement.query([])?;
        let mut sum = 0_u64;
        while let Some(row) = rows.next()? {
            sum = sum.wrapping_add(mixed([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]));
        }
        Ok(sum == self.sum)
    }
}

/// A number in which every bit of the key shows (the finaliser of SplitMix64, after each part).
fn mixed(key: [i64; 4]) -> u64 {
    key.iter().fold(0, |hash: u64, part| {
        let mut hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ part.cast_unsigned();
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    })
}
