//! Making a study of the rows that were found in pages. Lost records get empty rows, so that
//! every event still has its item.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, params, params_from_iter};

use super::pages::{Pages, RawRow};
use super::shapes::Shape;
use super::{known, shapes};
use crate::error::Error;
use crate::journal::Happening;
use crate::journal::session::SessionHappening;
use crate::protocol::{Protocol, builtins};
use crate::store::corpus::writer::{RECORDS, lost};
use crate::store::corpus::{LOST_FIELD, NAMELESS, StudyKeys, Texts, protocols, records_of};
use crate::store::exchange::merge::journal::JournalTable;
use crate::store::exchange::sense::{is_time, is_work};
use crate::store::file::block_sums::{AlteredJournal, NamedBlock};
use crate::store::file::schema::ORIGINAL;
use crate::store::file::sums::{Altered, SumsOf};
use crate::store::file::{
    AMENDMENT, Fault, FromRow, JOURNALS, RECOVER_OLDER, SUMMED, SumScope, Summed, SummedJournal, Tried, all,
    block_sums, change, count, exists, first, sums,
};
use crate::store::journal::{Phrase, Phrases, acts, amend, packed, revise};
use crate::store::work::{assignments, order};
use crate::study::{Act, Aside, ItemKey, Meta, RecordKind, Target};
use crate::text::hash::Fingerprint;

/// Tables that are made anew, and tables of the damaged file's own exchange with its hub.
const DERIVED: [&str; 14] = [
    "standing",
    "queue",
    "progress",
    "question",
    "revision",
    "row_sum",
    "block_sum",
    "withdrawn",
    "joined",
    "hub",
    "hub_held",
    "hub_lease",
    "hub_waits",
    "handed_out",
];

/// The losses of a recovery.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Records that are lost but for their names, by table.
    pub(super) placed: BTreeMap<&'static str, Vec<String>>,
    /// Rows that were read, and refer to a row that is lost even by name; by table.
    pub(super) dropped: BTreeMap<String, usize>,
    /// Records that differ from their sums.
    pub(super) altered: Vec<Altered>,
    /// Rows of the journal in which a flipped bit was put right.
    pub(super) restored: Vec<String>,
    /// Blocks of the journal in which some rows differ from what was written, or are missing.
    pub(super) doubtful: Vec<NamedBlock>,
    /// Judgments that the caches hold and the journal does not give, a sentence each.
    pub(super) judgments: Vec<String>,
    /// Events that an index names and no page holds.
    pub(super) events: usize,
    /// Events whose contents cannot be read.
    pub(super) unreadable: usize,
    /// The number of pages that hold fewer rows than they should, by table.
    pub(super) damaged: BTreeMap<String, usize>,
    /// Rows with texts that were no UTF-8, or with free fields that were no JSON.
    pub(super) mended: usize,
}

/// Fills an empty study, whose foreign keys are off, with the rows of the pages.
pub(super) fn fill(connection: &Connection, pages: &Pages) -> Tried<Losses> {
    let shapes: Vec<Shape> =
        shapes::shapes(connection)?.into_iter().filter(|shape| shape.table != "revision").collect();
    let roots = shapes::roots(pages, connection)?;
    if roots.contains_key("imported") {
        let error = Error::new("the study is of an older format, whose events cannot be saved page by page");
        return Err(error.advise(RECOVER_OLDER).into());
    }
    let transaction = connection.unchecked_transaction()?;
    drop_triggers(&transaction)?;
    for SummedJournal { table } in JOURNALS {
        let found = format!("CREATE TEMP TABLE found_{table} AS SELECT * FROM main.{table} WHERE 0");
        transaction.execute_batch(&found)?;
    }
    let mut losses = Losses::default();
    let damaged = shapes::for_each_row(pages, &shapes, &roots, |shape, row| {
        let table = shape.table.as_str();
        let is_of_journal = JOURNALS.iter().any(|journal| journal.table == table);
        // A mended row of a journal has other contents, and no merge of a copy puts it right: it counts as
        // lost.
        let is_other = is_of_journal && row.is_mended;
        if !is_other && (known::CACHES.contains(&table) || !DERIVED.contains(&table)) {
            match insert(&transaction, table, shape, row)? {
                None if is_of_journal => drop(insert(&transaction, &format!("found_{table}"), shape, row)?),
                Some(true) if !DERIVED.contains(&table) => losses.mended += 1,
                _ => {}
            }
        }
        Ok(())
    })?;
    // Rows are compared with their sums before anything is mended.
    losses.altered = altered(&transaction)?;
    let journal = altered_journal(&transaction)?;
    let has_all_sums = !damaged.contains_key("row_sum");
    // An index that names other acts is damaged itself.
    let has_all_acts = journal.rows > 0
        && journal.is_right()
        && ["act", "block_sum"].iter().all(|table| !damaged.contains_key(*table));
    losses.damaged = damaged;
    losses.damaged.retain(|table, _| !DERIVED.contains(&table.as_str()));
    let found = Salvage { connection: &transaction, pages, roots: &roots, has_all_sums };
    found.protocols()?;
    found.writers_and_phrases()?;
    // A placed record may itself refer to a lost one.
    for _ in 0..2 {
        found.place_lost(&mut losses)?;
    }
    transaction.execute_batch(
        "UPDATE unit SET gold_known = 1 WHERE gold_known = 0 AND id IN (SELECT unit FROM gold)",
    )?;
    if losses.damaged.contains_key("gold") {
        // Gold documents may be lost, so a unit without any counts as unknown.
        transaction.execute_batch(
            "UPDATE unit SET gold_known = 0 WHERE gold_known = 1 AND id NOT IN (SELECT unit FROM gold)",
        )?;
    }
    found.items()?;
    found.drop_dangling(&mut losses)?;
    losses.events = if has_all_acts { 0 } else { found.lost_events()? };
    losses.unreadable = found.drop_unreadable(&journal)? + found.drop_unreadable_acts()?;
    let keys = StudyKeys::read(&transaction)?;
    for row in &journal.flipped {
        losses.restored.push(row.name(&transaction, &keys)?);
    }
    for block in &journal.doubtful {
        losses.doubtful.push(block.name(&transaction, &keys)?);
    }
    losses.judgments = known::lost(&transaction)?;
    transaction.commit()?;
    Ok(losses)
}

/// Finds records that differ from their sums. Those of the corpus and annotators are marked as lost, as is a unit with such
/// gold documents or evidence, so that merging a copy puts them right. A decision of a lead goes, since it would stand beside the
/// right one and could beat it; so does what a revised record came in with, and the record is marked as lost, also where that row is
/// gone.
fn altered(connection: &Connection) -> Tried<Vec<Altered>> {
    let mut found = Vec::new();
    for summed in SUMMED {
        let Summed { table, record, .. } = *summed;
        let SumsOf { now, then } = SumsOf::read(connection, summed)?;
        let is_of_unit = record == "unit";
        let is_there = |id: &i64| is_of_unit || table == ORIGINAL || now.contains_key(id);
        let other = then.iter().filter(|(id, sum)| is_there(id) && now.get(id) != Some(*sum));
        let other: Vec<i64> = other.map(|(id, _)| *id).collect();
        if other.is_empty() {
            continue;
        }
        let mut records = sums::names(connection, summed, &other)?;
        if table == ORIGINAL {
            let revised = revised(connection)?;
            for (id, name) in other.iter().zip(&mut records) {
                let of = mark_revised(connection, &revised, *id)?;
                // Of a row that is gone, the revisions tell whose it was.
                if !now.contains_key(id) && !of.is_empty() {
                    *name = of.join(" and ");
                }
            }
        }
        found.push(Altered { table, records });
        if [AMENDMENT, ORIGINAL].contains(&table) {
            let delete = format!("DELETE FROM {table} WHERE id = ?1");
            other.iter().try_for_each(|id| change(connection, &delete, [id]).map(drop))?;
        }
        let marked = if is_of_unit { record } else { table };
        if RECORDS.contains(&marked) {
            other.iter().try_for_each(|id| mark(connection, marked, *id))?;
        }
    }
    Ok(found)
}

/// The records that revisions are about, by number and table.
fn revised(connection: &Connection) -> Tried<BTreeSet<(i64, &'static str)>> {
    let (keys, amendments) = (StudyKeys::read(connection)?, amend::read(connection)?);
    let revisions = amendments.iter().filter(|one| one.act == Act::Revise);
    Ok(revisions.filter_map(|one| Some((amend::row_of_subject(&keys, one)?, one.of.name()))).collect())
}

/// Marks as lost the revised records of this number, and returns their names. Where neither a revision nor what it came in with tells
/// which one was revised, any of this number may be, and none is named.
fn mark_revised(
    connection: &Connection,
    revised: &BTreeSet<(i64, &'static str)>,
    id: i64,
) -> Tried<Vec<String>> {
    let of: Vec<String> = all(connection, "SELECT tbl FROM original WHERE id = ?1", [id])?;
    let is_it = |table: &str| revised.contains(&(id, table)) || of.iter().any(|of| of == table);
    let is_known = RECORDS.iter().any(|table| is_it(table));
    let marked = RECORDS.iter().filter(|table| if is_known { is_it(table) } else { **table != "annotator" });
    let mut names = Vec::new();
    for table in marked {
        mark(connection, table, id)?;
        let key: Option<String> = first(connection, &format!("SELECT key FROM {table} WHERE id = ?1"), [id])?;
        names.extend(key.filter(|_| is_known).map(|key| format!("of {table} {key:?}")));
    }
    Ok(names)
}

/// Finds the parts of the journal that differ from their sums. Rows with one flipped bit are put right.
fn altered_journal(connection: &Connection) -> Tried<AlteredJournal> {
    for SummedJournal { table } in JOURNALS {
        // A page that was found twice gives the same rows twice.
        connection.execute_batch(&format!(
            "CREATE TEMP TABLE doubled_{table} AS SELECT * FROM temp.found_{table} EXCEPT SELECT * FROM main.{table}"
        ))?;
    }
    // The sums may be lost.
    if !exists(connection, "SELECT 1 FROM block_sum", [])? {
        return Ok(AlteredJournal::default());
    }
    let altered = block_sums::compare(connection, SumScope::Salvage)?;
    altered.flipped.iter().try_for_each(|row| row.restore(connection))?;
    for journal in JOURNALS {
        let (table, key) = (journal.table, if journal.is_by_id() { "id" } else { "writer, seq" });
        connection.execute_batch(&format!(
            "INSERT OR IGNORE INTO main.{table} SELECT * FROM temp.doubled_{table}"
        ))?;
        // Where two rows still have one name, one of them has a damaged name. Only a copy tells which, so both go.
        connection.execute_batch(&format!(
            "DELETE FROM main.{table} WHERE ({key}) IN
             (SELECT {key} FROM (SELECT * FROM temp.doubled_{table} EXCEPT SELECT * FROM main.{table}))"
        ))?;
    }
    Ok(altered)
}

/// Marks a record as lost in its free fields.
fn mark(connection: &Connection, table: &str, id: i64) -> Tried<()> {
    let find = format!("SELECT meta FROM {table} WHERE id = ?1");
    let meta: Option<Option<String>> = first(connection, &find, [id])?;
    let fields = meta.flatten().and_then(|meta| serde_json::from_str::<Meta>(&meta).ok());
    let mut fields = fields.unwrap_or_default();
    fields.insert(LOST_FIELD.to_owned(), true.into());
    let text = serde_json::Value::Object(fields).to_string();
    change(connection, &format!("UPDATE {table} SET meta = ?2 WHERE id = ?1"), params![id, text])?;
    Ok(())
}

/// The free fields of an empty record.
const LOST_META: &str = r#"{"haymark_lost":true}"#;

/// Records whose texts may not be the ones that were judged.
struct LostTexts {
    lost: HashSet<(RecordKind, i64)>,
    revised: HashSet<(RecordKind, i64)>,
}

impl LostTexts {
    fn read(connection: &Connection) -> Tried<LostTexts> {
        let mut texts = LostTexts { lost: HashSet::new(), revised: HashSet::new() };
        for kind in [RecordKind::Query, RecordKind::Document, RecordKind::Unit, RecordKind::Candidate] {
            let revised: Vec<i64> = all(connection, "SELECT id FROM original WHERE tbl = ?1", [kind.name()])?;
            let lost = lost(connection, kind.name())?.into_iter().map(|(id, _)| id);
            texts.lost.extend(lost.map(|id| (kind, id)));
            texts.revised.extend(revised.into_iter().map(|id| (kind, id)));
        }
        Ok(texts)
    }

    /// Whether a text of a target is lost.
    fn has_lost(&self, target: &Target) -> bool {
        is_among(&self.lost, target)
    }

    /// Whether none of the texts of a target is among these: then its texts are the ones that were judged.
    fn leave(&self, target: &Target) -> bool {
        !self.has_lost(target) && !is_among(&self.revised, target)
    }
}

/// Whether a record of a target is one of these.
fn is_among(records: &HashSet<(RecordKind, i64)>, target: &Target) -> bool {
    let has = |(kind, row): (RecordKind, Option<i64>)| row.is_some_and(|row| records.contains(&(kind, row)));
    records_of(target).into_iter().any(has)
}

fn drop_triggers(connection: &Connection) -> Tried<()> {
    let names: Vec<String> = all(connection, "SELECT name FROM sqlite_schema WHERE type = 'trigger'", [])?;
    Ok(names.iter().try_for_each(|name| connection.execute_batch(&format!("DROP TRIGGER \"{name}\"")))?)
}

/// Adds a row to a table; `None` where the table refuses it, else whether the row had to be mended.
fn insert(connection: &Connection, into: &str, shape: &Shape, row: &RawRow) -> Tried<Option<bool>> {
    let mut is_mended = row.is_mended;
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (column, value) in shape.columns.iter().zip(&row.values) {
        names.push(format!("\"{}\"", column.name));
        values.push(match value {
            Value::Null if column.is_rowid => row.rowid.map_or(Value::Null, Value::Integer),
            Value::Text(text) if column.name == "meta" && !is_object(text) => {
                is_mended = true;
                Value::Null
            }
            value => value.clone(),
        });
    }
    let places = vec!["?"; names.len()].join(", ");
    let statement = format!("INSERT OR IGNORE INTO \"{into}\" ({}) VALUES ({places})", names.join(", "));
    Ok(added(change(connection, &statement, params_from_iter(values)))?.then_some(is_mended))
}

/// Whether a row was added; a violated constraint means that it was not.
fn added(outcome: Tried<usize>) -> Tried<bool> {
    match outcome {
        Ok(added) => Ok(added == 1),
        Err(Fault::Sql(error)) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            Ok(false)
        }
        Err(fault) => Err(fault),
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

/// The pages, and the study made of them so far.
struct Salvage<'f> {
    connection: &'f Connection,
    pages: &'f Pages,
    roots: &'f BTreeMap<String, usize>,
    /// Whether every row that was written has its sum.
    has_all_sums: bool,
}

impl Salvage<'_> {
    /// The names that an index gives the rows of a table. What it gives a row that was never written is damage of the index.
    fn names(&self, table: &str, number: usize) -> Tried<HashMap<i64, Vec<Value>>> {
        let mut names = shapes::names(self.pages, self.roots, table, number);
        if self.has_all_sums && SUMMED.iter().any(|summed| summed.table == table) {
            let find = "SELECT record FROM row_sum WHERE tbl = ?1";
            let written: HashSet<i64> = all(self.connection, find, [table])?;
            names.retain(|row, _| written.contains(row));
        }
        Ok(names)
    }

    /// Restores lost names of protocols, and lost versions of built-in ones.
    fn protocols(&self) -> Tried<()> {
        for (id, name) in self.names("protocol", 1)? {
            if let [Value::Text(name)] = &name[..] {
                let add = "INSERT OR IGNORE INTO protocol (id, name) VALUES (?1, ?2)";
                self.connection.execute(add, params![id, name])?;
            }
        }
        for (id, hash) in self.names("protocol_version", 1)? {
            let is_it =
                |known: &&Protocol| matches!(&hash[..], [Value::Blob(hash)] if hash[..] == known.hash.0);
            let Some(known) = builtins().iter().find(is_it) else { continue };
            let name = protocols::keep_name(self.connection, &known.name)?;
            self.connection.execute(
                "INSERT OR IGNORE INTO protocol_version (id, protocol, version, hash, file)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id, name.0, known.version, known.hash, known.file_text],
            )?;
        }
        for known in builtins() {
            self.connection.execute(
                "UPDATE protocol_version SET version = ?2, file = ?3 WHERE hash = ?1",
                params![known.hash, known.version, known.file_text],
            )?;
        }
        Ok(())
    }

    /// Restores writers and phrases, which their indexes hold once more.
    fn writers_and_phrases(&self) -> Tried<()> {
        let (writers, phrases) = (self.names("writer", 1)?, self.names("phrase", 1)?);
        self.drop_altered("writer", &writers)?;
        self.drop_altered("phrase", &phrases)?;
        for (number, key) in writers {
            if let [Value::Integer(key)] = key[..] {
                let add = "INSERT OR IGNORE INTO writer (no, key) VALUES (?1, ?2)";
                self.connection.execute(add, [number, key])?;
            }
        }
        for (number, words) in phrases {
            if let [Value::Text(kind), Value::Text(body)] = &words[..] {
                let add = "INSERT OR IGNORE INTO phrase (id, kind, body) VALUES (?1, ?2, ?3)";
                self.connection.execute(add, params![number, kind, body])?;
            }
        }
        Ok(())
    }

    /// Deletes rows that differ from their sums, where an index has others in their places.
    fn drop_altered(&self, table: &str, names: &HashMap<i64, Vec<Value>>) -> Tried<()> {
        let Some(summed) = SUMMED.iter().find(|summed| summed.table == table) else { return Ok(()) };
        let SumsOf { now, then } = SumsOf::read(self.connection, summed)?;
        let is_kept_twice = |id: &i64| names.contains_key(id) || !then.contains_key(id);
        for (id, sum) in &now {
            if then.get(id) != Some(sum) && !then.is_empty() && is_kept_twice(id) {
                let drop = format!("DELETE FROM {table} WHERE {} = ?1", summed.record);
                change(self.connection, &drop, [id])?;
            }
        }
        Ok(())
    }

    /// Adds an empty record for each lost one that an index still names, or that others refer to.
    fn place_lost(&self, losses: &mut Losses) -> Tried<()> {
        for table in RECORDS {
            let names = self.names(table, 1)?;
            let numbers = if table == "document" { self.names(table, 2)? } else { HashMap::new() };
            let mut lost: BTreeSet<i64> = self.referred_to(table)?;
            lost.extend(names.keys());
            for id in lost {
                let (scope, key) = match names.get(&id).map(Vec::as_slice) {
                    Some([Value::Text(key)]) => (None, key.clone()),
                    Some([Value::Integer(scope), Value::Text(key)]) => (Some(*scope), key.clone()),
                    _ => (None, format!("{NAMELESS}{id}")),
                };
                let number = match numbers.get(&id).map(Vec::as_slice) {
                    Some([_, Value::Integer(number)]) => Some(*number),
                    _ => None,
                };
                if self.place(table, id, scope, &key, number)? {
                    losses.placed.entry(table).or_default().push(key);
                }
            }
        }
        Ok(())
    }

    /// Adds an empty record; `false` when there is one of this number.
    fn place(&self, table: &str, id: i64, scope: Option<i64>, key: &str, number: Option<i64>) -> Tried<bool> {
        let collection = "coalesce(?2, (SELECT min(id) FROM collection))";
        let query = "coalesce(?2, (SELECT min(id) FROM query))";
        let (columns, values) = match table {
            "collection" => ("", String::new()),
            "query" => (", collection, text", format!(", {collection}, ''")),
            "document" => (
                ", collection, text, number",
                format!(", {collection}, '', coalesce(?4, (SELECT max(number) + 1 FROM document), 1)"),
            ),
            "unit" => (
                ", query, text, gold_known, kind",
                format!(
                    ", {query}, '', 0, coalesce((SELECT kind FROM unit WHERE query = {query} LIMIT 1),
                       (SELECT kind FROM unit LIMIT 1), 'insight')"
                ),
            ),
            "candidate" => (", query, text", format!(", {query}, ''")),
            _ => (", kind", ", 'human'".to_owned()),
        };
        // Not every table needs all the values.
        let insert = format!(
            "INSERT OR IGNORE INTO {table} (id, key, meta{columns}) SELECT ?1, ?3, ?5{values} WHERE ?2 IS ?2 OR ?4"
        );
        added(change(self.connection, &insert, params![id, scope, key, number, LOST_META]))
    }

    /// All references between tables: table, column, and the table referred to.
    fn references(&self) -> Tried<Vec<(String, String, String)>> {
        let mut found = Vec::new();
        for shape in shapes::shapes(self.connection)? {
            if DERIVED.contains(&shape.table.as_str()) {
                continue;
            }
            for column in JournalTable::read(self.connection, &shape.table)?.columns {
                if let Some(to) = column.refers_to {
                    found.push((shape.table.clone(), column.name, to));
                }
            }
        }
        Ok(found)
    }

    /// The numbers of missing rows of a table that others refer to.
    fn referred_to(&self, to: &str) -> Tried<BTreeSet<i64>> {
        let mut missing = BTreeSet::new();
        for (table, column, _) in self.references()?.into_iter().filter(|(_, _, table)| table == to) {
            let mut statement = self.connection.prepare(&format!(
                "SELECT DISTINCT \"{column}\" FROM \"{table}\"
                 WHERE \"{column}\" IS NOT NULL AND \"{column}\" NOT IN (SELECT id FROM \"{to}\")"
            ))?;
            let rows = statement.query_map([], |row| row.get(0))?;
            for id in rows {
                missing.insert(id?);
            }
        }
        Ok(missing)
    }

    /// Restores items that are lost or altered: an index has their keys once more, and a key follows from the item's parts.
    fn items(&self) -> Tried<()> {
        let keys = StudyKeys::read(self.connection)?;
        let mut texts = Texts::new(self.connection);
        let lost = LostTexts::read(self.connection)?;
        let sound = self.sound_items(&keys, &mut texts, &lost)?;
        let mut missing: HashMap<Vec<u8>, i64> = HashMap::new();
        for (id, key) in self.names("item", 1)? {
            if let ([Value::Blob(key)], false) = (&key[..], sound.contains_key(&id)) {
                missing.insert(key.clone(), id);
            }
        }
        // An index that gives a sound item another number is damaged itself.
        for key in sound.values() {
            missing.remove(&key.0[..]);
        }
        if missing.is_empty() {
            return Ok(());
        }
        for (id, name) in protocols::names(self.connection)? {
            let Ok(Some(protocol)) = protocols::find(self.connection, &name) else { continue };
            for target in order::targets(self.connection, &protocol, &keys)? {
                for aside in Aside::ALL.map(Some).into_iter().chain([None]) {
                    let key = keys.of_target(&target).item_key_beside(&name, aside);
                    if let Some(item) = missing.remove(&key.0[..]) {
                        self.item(item, key, id.0, &target, aside)?;
                        if !lost.has_lost(&target) {
                            let judged = match lost.leave(&target) {
                                true => texts.of_target(&target)?,
                                false => self.texts_judged(&keys, item, &target)?,
                            };
                            let keep = "UPDATE item SET texts = ?2 WHERE id = ?1";
                            change(self.connection, keep, params![item, judged.0])?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The texts on which an import judged an item of which a record was revised: those of the time of the judgment.
    fn texts_judged(&self, keys: &StudyKeys, item: i64, target: &Target) -> Tried<Fingerprint> {
        let find = "SELECT at FROM act WHERE item = ?1 AND texts IS NULL ORDER BY id LIMIT 1";
        let at: Option<Option<i64>> = first(self.connection, find, [item])?;
        let amendments = amend::read(self.connection)?;
        Ok(revise::texts_at(self.connection, (&amendments, keys), target, at.flatten())?.texts)
    }

    /// Items whose keys follow from their parts, and whose texts are those of the study, where these are known.
    fn sound_items(
        &self,
        keys: &StudyKeys,
        texts: &mut Texts<'_>,
        lost: &LostTexts,
    ) -> Tried<HashMap<i64, ItemKey>> {
        let mut sound = HashMap::new();
        let mut statement = self.connection.prepare(
            "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, i.id, i.key, i.aside, i.texts, p.name
             FROM item i JOIN protocol p ON p.id = i.protocol",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let target = Target::from_row(row)?;
            let (kept, aside): (Option<Fingerprint>, Option<Aside>) = (row.get(9)?, row.get(8)?);
            let key = keys.of_target(&target).item_key_beside(row.get_ref(10)?.as_str()?, aside);
            let follows = row.get::<_, ItemKey>(7)? == key;
            if follows && (kept.is_none() || !lost.leave(&target) || kept == Some(texts.of_target(&target)?))
            {
                sound.insert(row.get(6)?, key);
            }
        }
        Ok(sound)
    }

    fn item(&self, id: i64, key: ItemKey, protocol: i64, target: &Target, aside: Option<Aside>) -> Tried<()> {
        let insert = "INSERT OR REPLACE INTO item (id, key, protocol, query, document, unit, candidate, bullet, other, aside)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let Target { query, document, candidate, unit, bullet, other } = *target;
        let aside = aside.map(Aside::name);
        let row = params![id, key, protocol, query, document, unit, candidate, bullet, other, aside];
        change(self.connection, insert, row).map(drop)
    }

    /// Deletes rows that refer to a row that is lost even by name.
    fn drop_dangling(&self, losses: &mut Losses) -> Tried<()> {
        let references = self.references()?;
        loop {
            let mut dropped = 0;
            for (table, column, to) in &references {
                let number = self.connection.execute(
                    &format!(
                        "DELETE FROM \"{table}\"
                         WHERE \"{column}\" IS NOT NULL AND \"{column}\" NOT IN (SELECT id FROM \"{to}\")"
                    ),
                    [],
                )?;
                if number > 0 {
                    *losses.dropped.entry(table.clone()).or_default() += number;
                }
                dropped += number;
            }
            if dropped == 0 {
                return Ok(());
            }
        }
    }

    /// Deletes events of known kinds whose contents cannot be read, and where the journal is damaged also those of unknown kinds and
    /// with impossible times, which no newer program wrote; returns how many.
    fn drop_unreadable(&self, journal: &AlteredJournal) -> Tried<usize> {
        let mut dropped = 0;
        for (table, active) in [("session_event", "active"), ("assignment_event", "0")] {
            let mut unreadable: Vec<[i64; 2]> = Vec::new();
            let mut statement = self
                .connection
                .prepare(&format!("SELECT writer, seq, kind, body, at, {active} FROM \"{table}\""))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (key, kind): ([i64; 2], String) = ([row.get(0)?, row.get(1)?], row.get(2)?);
                let is_known = match table {
                    "session_event" => SessionHappening::KINDS.contains(&kind.as_str()),
                    _ => assignments::KINDS.contains(&kind.as_str()),
                };
                let is_possible = is_known && is_time(row.get(4)?) && is_work(row.get(5)?);
                let is_read = |body| match SessionHappening::read(&kind, body) {
                    SessionHappening::Unknown { .. } => !is_known,
                    _ => true,
                };
                let body = serde_json::from_str(row.get_ref(3)?.as_str()?);
                let is_read = body.is_ok_and(|body| table == "assignment_event" || is_read(body));
                if !is_read || !is_possible && journal.is_doubtful(table, key) {
                    unreadable.push(key);
                }
            }
            let drop = format!("DELETE FROM \"{table}\" WHERE writer = ?1 AND seq = ?2");
            for key in unreadable {
                dropped += self.connection.execute(&drop, key)?;
            }
        }
        Ok(dropped)
    }

    /// Deletes acts with contents that cannot be read; returns how many.
    fn drop_unreadable_acts(&self) -> Tried<usize> {
        let mut phrases = Phrases::prepare(self.connection)?;
        let mut unreadable: Vec<i64> = Vec::new();
        let mut statement = self.connection.prepare("SELECT id, body FROM act")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(1)?.as_blob()?;
            let makes_sense = |phrase: &Phrase| {
                phrase.is_readable()
                    && !(matches!(phrase.happening(), Happening::Unknown { .. })
                        && Happening::KINDS.contains(&phrase.kind.as_str()))
            };
            if !packed::is_whole(body)
                || !acts::said(&mut phrases, body)?.iter().all(|(_, phrase)| makes_sense(phrase))
            {
                unreadable.push(row.get(0)?);
            }
        }
        for id in &unreadable {
            self.connection.execute("DELETE FROM act WHERE id = ?1", [id])?;
        }
        Ok(unreadable.len())
    }

    /// Counts acts that the index by annotator and item names and that were not found.
    fn lost_events(&self) -> Tried<usize> {
        let mut lost = 0;
        let mut exists = self.connection.prepare("SELECT NOT EXISTS (SELECT 1 FROM act WHERE id = ?1)")?;
        for key in shapes::index(self.pages, self.roots, "act_of_item") {
            if let [_, _, Value::Integer(id)] = key[..] {
                lost += exists.query_row([id], |row| row.get(0).map(count))?;
            }
        }
        Ok(lost)
    }
}
