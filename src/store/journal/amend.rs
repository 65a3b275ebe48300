//! Amendments, and the tables that follow from them: which rows do not count, and which names are one person.
//!
//! `amendment` is a journal: rows are named by their contents, so a merge is a union. `withdrawn` and `joined` follow
//! from it and from the corpus. `withdrawn` names rows by their tables (`query`, `document`, `unit`, `candidate`,
//! `item`, `annotator`) and imported files by their writers (`writer`). A name that is joined to another is withdrawn as
//! well: it counts nowhere by itself, and its events are the other's. Revisions are in `revise`.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, params};

use super::{caches, import_writer};
use crate::error::{Error, Result};
use crate::journal::Writer;
use crate::number::counted;
use crate::store::corpus::{RecordTaken, StudyKeys, writer};
use crate::store::file::{
    Fault, LONG_PATIENCE, StudyFile, Tried, all, all_by, change, first, later_than, one,
};
use crate::store::journal::{erase, revise};
use crate::study::amendment::{Act, AmendedKind, Amendment, standing};
use crate::study::{Annotator, AnnotatorId, ImportedFile, QueryId, StandingSample};
use crate::text::fast::FastMap;
use crate::text::hash::{Fingerprint, fingerprint};
use crate::text::near::nearest;
use crate::text::shell::quoted;
use crate::text::width::visible;

/// The effect of amendments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amended {
    /// Judgments that counted before.
    pub before: usize,
    /// Judgments that count now.
    pub after: usize,
}

impl StudyFile {
    /// All amendments, in the order in which they were made.
    pub fn amendments(&self) -> Result<Vec<Amendment>> {
        self.read(read)
    }

    /// The files that judgments came from, by name.
    pub fn imported_files(&self) -> Result<Vec<ImportedFile>> {
        self.read(|connection| {
            let files: Vec<(String, Fingerprint)> =
                all(connection, "SELECT DISTINCT source, content FROM import ORDER BY source, content", [])?;
            let writers: HashSet<Writer> = all(connection, "SELECT key FROM writer", [])?;
            let amendments = read(connection)?;
            let parts = ImportParts::read(connection, &amendments)?;
            let has_judged = |content| parts.writers(content).any(|writer| writers.contains(&writer));
            let amended: HashSet<String> = amendments
                .into_iter()
                .filter(|amendment| amendment.of == AmendedKind::Import)
                .map(|amendment| amendment.id)
                .collect();
            // The judgments of a withdrawn import have no rows in a study made from an export.
            let is_named =
                |content: Fingerprint| has_judged(content) || amended.contains(&content.to_string());
            let judged = files.into_iter().filter(|(_, content)| is_named(*content));
            let named =
                |(source, content): (_, Fingerprint)| ImportedFile { source, content: content.to_string() };
            Ok(judged.map(named).collect())
        })
    }

    /// The imported files of this name: the fingerprint of each, and when it came in, in milliseconds since 1970.
    pub fn imports_named(&self, source: &str) -> Result<Vec<(String, i64)>> {
        let select =
            "SELECT content, min(at) FROM import WHERE source = ?1 GROUP BY content ORDER BY min(id)";
        self.read(|connection| {
            all_by(connection, select, [source], |row| {
                Ok((row.get::<_, Fingerprint>(0)?.to_string(), row.get(1)?))
            })
        })
    }

    /// The collection of a document or a query, where it is the only one of this key.
    ///
    /// # Errors
    /// Nothing has the key, or several have.
    pub fn collection_of(&self, of: AmendedKind, key: &str) -> Result<String> {
        self.read(|connection| {
            let (keys, record) = (StudyKeys::read(connection)?, (of.name(), key));
            let advice = "say which with --collection";
            let found = match of {
                AmendedKind::Document => keys.only_collection(record, keys.documents.everywhere(key), advice),
                _ => keys.only_collection(record, keys.queries.everywhere(key), advice),
            };
            match found {
                Err(Fault::Said(error)) => Err(match near(connection, of, key, |_| true)? {
                    Some(near) => error.also(&near).into(),
                    None => error.into(),
                }),
                found => found,
            }
        })
    }

    /// How many judgments of each annotator count.
    pub fn judgments_of_everyone(&self) -> Result<BTreeMap<AnnotatorId, usize>> {
        let select = "SELECT annotator, count(*) FROM standing WHERE state = 1 GROUP BY annotator";
        self.read(|connection| {
            all_by(connection, select, [], |row| Ok((row.get(0)?, counted(row.get::<_, i64>(1)?))))
        })
    }

    /// The samples that stand, in the order in which they were drawn.
    pub fn samples(&self) -> Result<Vec<StandingSample>> {
        Ok(StandingSample::all(&self.amendments()?))
    }

    /// Puts a sample on record, later than all amendments that are there. It changes nothing that counts.
    pub fn keep_sample(&mut self, drawn: &Amendment) -> Result<()> {
        self.write(LONG_PATIENCE, |transaction| put(transaction, drawn))
    }

    /// Puts amendments on record, later than all that are there, and adds a newcomer to whom somebody is joined. With
    /// `is_trial`, nothing is kept and only the effect is returned.
    ///
    /// # Errors
    /// A subject is unknown or erased, a join is impossible, or writing fails. Nothing is written then.
    pub fn amend(
        &mut self,
        new: &[Amendment],
        newcomer: Option<&Annotator>,
        is_trial: bool,
    ) -> Result<Amended> {
        self.in_bulk(!is_trial, |connection| {
            if let Some(newcomer) = newcomer {
                writer::add_annotator(connection, None, newcomer)?;
            }
            let keys = StudyKeys::read(connection)?;
            let before = judgments(connection)?;
            let known = read(connection)?;
            let last = known.last().map(|last| last.at);
            let mut rows = AmendmentRows::default();
            for amendment in new {
                refuse_unknown(connection, &keys, amendment)?;
                refuse_against(connection, &known, &keys, amendment)?;
                let at = later_than(last, amendment.at);
                rows.take(connection, &Amendment { at, ..amendment.clone() })?;
            }
            apply(connection)?;
            Ok(Amended { before, after: judgments(connection)? })
        })
    }
}

/// All amendments, in the order in which they were made.
pub(crate) fn read(connection: &Connection) -> Tried<Vec<Amendment>> {
    let records: Vec<String> = all(connection, "SELECT record FROM amendment", [])?;
    // Amendments of a newer program are kept and ignored.
    let mut found: Vec<Amendment> =
        records.iter().filter_map(|record| serde_json::from_str(record).ok()).collect();
    found.sort_by(|one, other| (one.at, one).cmp(&(other.at, other)));
    found.dedup();
    Ok(found)
}

/// The rows of amendments. A revision loses the texts of what is erased and keeps its row, so it is known by all else.
#[derive(Default)]
pub(crate) struct AmendmentRows {
    /// The rows of revisions without their contents, once one was looked for.
    revisions: Option<BTreeMap<Amendment, Vec<i64>>>,
}

impl AmendmentRows {
    /// Adds an amendment, unless it is there. [`apply`] has to follow.
    pub(crate) fn take(&mut self, connection: &Connection, new: &Amendment) -> Tried<RecordTaken> {
        if !self.find(connection, new)?.is_empty() {
            return Ok(RecordTaken::Known);
        }
        let (key, record) = named(new)?;
        let row = one(
            connection,
            "INSERT INTO amendment (key, record) VALUES (?1, ?2) RETURNING id",
            params![key, record],
        )?;
        if let Some(revisions) = self.revisions.as_mut().filter(|_| new.act == Act::Revise) {
            revisions.insert(Amendment { to: None, ..new.clone() }, vec![row]);
        }
        Ok(RecordTaken::Added)
    }

    /// The rows of an amendment: one, or none. Of a revision, files of an older haymark may have two.
    pub(crate) fn find(&mut self, connection: &Connection, of: &Amendment) -> Tried<Vec<i64>> {
        if of.act != Act::Revise {
            let select = "SELECT id FROM amendment WHERE key = ?1";
            return all(connection, select, [named(of)?.0.0]);
        }
        let revisions = match &mut self.revisions {
            Some(revisions) => revisions,
            none => none.insert(revisions(connection)?),
        };
        Ok(revisions.get(&Amendment { to: None, ..of.clone() }).cloned().unwrap_or_default())
    }
}

fn revisions(connection: &Connection) -> Tried<BTreeMap<Amendment, Vec<i64>>> {
    let mut found = BTreeMap::<Amendment, Vec<i64>>::new();
    let select = "SELECT id, record FROM amendment WHERE record GLOB '{\"act\":\"revise\"*'";
    let rows: Vec<(i64, String)> = all(connection, select, [])?;
    for (id, record) in rows {
        if let Ok(revision) = serde_json::from_str::<Amendment>(&record) {
            found.entry(Amendment { to: None, ..revision }).or_default().push(id);
        }
    }
    Ok(found)
}

/// The key of an amendment that comes in, and how it is written.
fn named(amendment: &Amendment) -> Tried<(Fingerprint, String)> {
    let record = serde_json::to_string(amendment).map_err(|error| Error::new(error.to_string()))?;
    Ok((fingerprint(["amendment", &record]), record))
}

/// Adds an amendment from which nothing follows, later than all that are there.
pub(crate) fn put(connection: &Connection, new: &Amendment) -> Tried<()> {
    let last = read(connection)?.last().map(|last| last.at);
    let new = Amendment { at: later_than(last, new.at), ..new.clone() };
    AmendmentRows::default().take(connection, &new).map(drop)
}

/// Whether an amendment was ever made from which anything follows: not from samples, or records of how judges were asked.
pub(crate) fn is_amended(connection: &Connection) -> Tried<bool> {
    Ok(read(connection)?.iter().any(|one| one.act.changes()))
}

/// How many judgments count.
fn judgments(connection: &Connection) -> Tried<usize> {
    one(connection, "SELECT count(*) FROM standing WHERE state = 1", [])
}

/// Advice for a mistyped name: the one that is near it, among those that are there. `None` where there is none, and for the name
/// itself.
fn near(
    connection: &Connection,
    of: AmendedKind,
    id: &str,
    is_there: impl Fn(&str) -> bool,
) -> Tried<Option<String>> {
    if matches!(of, AmendedKind::Import | AmendedKind::Sample) {
        return Ok(None);
    }
    let known: Vec<String> = all(connection, &format!("SELECT key FROM {}", of.name()), [])?;
    let known = known.iter().map(String::as_str).filter(|key| is_there(key));
    let near = nearest(id, known).filter(|near| *near != id);
    Ok(near.map(|near| format!("there is {near:?}")))
}

fn refuse_unknown(connection: &Connection, keys: &StudyKeys, amendment: &Amendment) -> Tried<()> {
    let Amendment { of, id, into, .. } = amendment;
    let is_known = match of {
        AmendedKind::Import => {
            let contents: Vec<Fingerprint> = all(connection, "SELECT content FROM import", [])?;
            contents.iter().any(|content| content.to_string() == *id)
        }
        AmendedKind::Sample => {
            let known = StandingSample::all(&read(connection)?);
            known.iter().any(|sample| sample.name == *id)
        }
        _ => row_of_subject(keys, amendment).is_some(),
    };
    if !is_known {
        let error = Error::new(format!("{} {id:?} is not in the study", of.name()));
        let named = |key: &str| Amendment { id: key.to_owned(), ..amendment.clone() };
        let is_there = |key: &str| row_of_subject(keys, &named(key)).is_some();
        return Err(match near(connection, *of, id, is_there)? {
            Some(near) => error.advise(near).into(),
            None => error.into(),
        });
    }
    let Some(into) = into else { return Ok(()) };
    let kind_of = |key: &String| -> Tried<Option<String>> {
        first(connection, "SELECT kind FROM annotator WHERE key = ?1", [key])
    };
    match (kind_of(id)?, kind_of(into)?) {
        (_, None) => Err(Error::new(format!("annotator {into:?} is not in the study"))
            .advise(format!("--rename gives {} a name that nobody has", visible(id)))
            .into()),
        (of, with) if of != with => {
            let what = format!("{id:?} and {into:?} cannot be one: one is a person, the other a model");
            Err(Error::new(what).advise("--leave-out takes somebody out of the study").into())
        }
        _ => Ok(()),
    }
}

/// Refuses an amendment that contradicts one that holds.
fn refuse_against(
    connection: &Connection,
    known: &[Amendment],
    keys: &StudyKeys,
    new: &Amendment,
) -> Tried<()> {
    let holding = standing(known);
    if holding.iter().any(|one| one.act == Act::Erase && one.subject() == new.subject()) {
        let error = Error::new(format!("{} {:?} was erased, for good", new.of.name(), new.id));
        return Err(error.advise("bring another text in under an id of its own").into());
    }
    let Some(into) = &new.into else { return Ok(()) };
    let is_out = |name: &String| {
        holding.iter().any(|one| one.act == Act::Withdraw && one.of == new.of && one.id == *name)
    };
    if let Some(name) = [&new.id, into].into_iter().find(|name| is_out(name)) {
        let advice = format!("--take-back {} lets what was done under the name count again", quoted(name));
        return Err(Error::new(format!("{name:?} was left out of the study")).advise(advice).into());
    }
    let (joined, person) = (people(connection, known, keys)?, keys.annotators.get(into.as_str()));
    if *into == new.id
        || person.is_some_and(|person| joined.get(person) == keys.annotators.get(new.id.as_str()))
    {
        return Err(Error::new(format!("{:?} and {into:?} are one person already", new.id)).into());
    }
    Ok(())
}

/// The row of an amendment's subject; `None` where it is not in the study, and for imports and samples.
pub(crate) fn row_of_subject(keys: &StudyKeys, amendment: &Amendment) -> Option<i64> {
    row_of_name(keys, amendment.subject())
}

/// The row of a subject by its name: kind, collection, query, key.
pub(crate) fn row_of_name(
    keys: &StudyKeys,
    (of, collection, query, id): (AmendedKind, &str, &str, &str),
) -> Option<i64> {
    let in_collection = || keys.collections.get(collection).copied();
    let in_query = || keys.queries.get(in_collection()?, query);
    match of {
        AmendedKind::Collection => keys.collections.get(id).map(|id| id.0),
        AmendedKind::Query => keys.queries.get(in_collection()?, id).map(|id: QueryId| id.0),
        AmendedKind::Document => keys.documents.get(in_collection()?, id).map(|id| id.0),
        AmendedKind::Unit => keys.units.get(in_query()?, id).map(|id| id.0),
        AmendedKind::Candidate => keys.candidates.get(in_query()?, id).map(|id| id.0),
        AmendedKind::Annotator => keys.annotators.get(id).map(|id| id.0),
        AmendedKind::Import | AmendedKind::Sample => None,
    }
}

/// The person behind each joined name, at the end of every chain. Two files may have joined a person and a model to one name: a join
/// with the other kind does not hold.
fn people(
    connection: &Connection,
    amendments: &[Amendment],
    keys: &StudyKeys,
) -> Tried<BTreeMap<AnnotatorId, AnnotatorId>> {
    let models = "SELECT id FROM annotator WHERE kind = 'model'";
    let models: HashSet<AnnotatorId> = all(connection, models, [])?;
    let row = |key: &str| keys.annotators.get(key).copied();
    let joins = standing(amendments).into_iter().filter(|amendment| amendment.act == Act::Join);
    let rows = |join: &Amendment| Some((row(&join.id)?, row(join.into.as_deref()?)?));
    let is_one = |(of, into): &(AnnotatorId, AnnotatorId)| models.contains(of) == models.contains(into);
    let next: BTreeMap<AnnotatorId, AnnotatorId> = joins.filter_map(rows).filter(is_one).collect();
    // Joins that hold make no circle, so a chain ends.
    let last = |mut person: AnnotatorId| {
        while let Some(further) = next.get(&person) {
            person = *further;
        }
        person
    };
    Ok(next.keys().map(|of| (*of, last(*of))).collect())
}

/// Brings `withdrawn`, `joined` and revised records up to the amendments and the corpus.
pub(crate) fn settle(connection: &Connection) -> Tried<()> {
    let is_settled = "SELECT NOT EXISTS (SELECT 1 FROM withdrawn) AND NOT EXISTS (SELECT 1 FROM joined)";
    let is_amended = is_amended(connection)?;
    // A file without amendments is left as it is, byte for byte.
    if !is_amended && one(connection, is_settled, [])? {
        return Ok(());
    }
    connection.execute_batch("DELETE FROM withdrawn; DELETE FROM joined;")?;
    if !is_amended {
        return Ok(());
    }
    let (amendments, keys) = (read(connection)?, StudyKeys::read(connection)?);
    let amendments = erase::settle(connection, amendments, &keys)?;
    revise::settle(connection, &amendments, &keys)?;
    let withdraw = |what: &str, id: i64| {
        change(connection, "INSERT OR IGNORE INTO withdrawn VALUES (?1, ?2)", params![what, id])
    };
    let parts = ImportParts::read(connection, &amendments)?;
    for amendment in standing(&amendments).into_iter().filter(|amendment| amendment.act.withdraws()) {
        if let Some(row) = row_of_subject(&keys, amendment) {
            withdraw(amendment.of.name(), row)?;
        } else if let (AmendedKind::Import, Ok(content)) = (amendment.of, amendment.id.parse()) {
            for writer in parts.writers(content) {
                withdraw("writer", writer.0)?;
            }
        }
    }
    for (joined, person) in people(connection, &amendments, &keys)? {
        change(connection, "INSERT INTO joined VALUES (?1, ?2)", params![joined, person])?;
        withdraw(AmendedKind::Annotator.name(), joined.0)?;
    }
    Ok(connection.execute_batch(FOLLOWS)?)
}

/// The parts into which the judgments of a file fall, each with a writer: by version of a protocol and by revision.
struct ImportParts {
    versions: Vec<Fingerprint>,
    revised: Vec<Option<i64>>,
}

impl ImportParts {
    fn read(connection: &Connection, amendments: &[Amendment]) -> Tried<ImportParts> {
        let revised = amendments.iter().filter(|one| one.act == Act::Revise).map(|one| Some(one.at));
        Ok(ImportParts {
            versions: all(connection, "SELECT hash FROM protocol_version", [])?,
            revised: std::iter::once(None).chain(revised).collect(),
        })
    }

    /// The writers that a file of this content may have.
    fn writers(&self, content: Fingerprint) -> impl Iterator<Item = Writer> {
        let of = move |version| self.revised.iter().map(move |at| import_writer(content, version, *at));
        self.versions.iter().flat_map(move |version| of(*version))
    }
}

/// When the file of each writer came in first.
pub(crate) fn import_times(connection: &Connection, amendments: &[Amendment]) -> Tried<FastMap<Writer, i64>> {
    let select = "SELECT content, min(at) FROM import GROUP BY content";
    let files: Vec<(Fingerprint, i64)> = all(connection, select, [])?;
    let parts = ImportParts::read(connection, amendments)?;
    Ok(files.iter().flat_map(|(content, at)| parts.writers(*content).map(|writer| (writer, *at))).collect())
}

/// The name of the imported file whose judgments have this writer.
pub(crate) fn file_of(connection: &Connection, writer: Writer) -> Tried<Option<String>> {
    let files: Vec<(String, Fingerprint)> =
        all(connection, "SELECT source, content FROM import ORDER BY id DESC", [])?;
    let parts = ImportParts::read(connection, &read(connection)?)?;
    let is_of = |(_, content): &(String, _)| parts.writers(*content).any(|one| one == writer);
    Ok(files.into_iter().find(is_of).map(|(source, _)| source))
}

/// Withdraws the summaries of people who were left out, under any of their names, and the rows that depend on a withdrawn query,
/// candidate, document or unit.
const FOLLOWS: &str = "
INSERT OR IGNORE INTO withdrawn SELECT 'candidate', c.id FROM candidate c
  JOIN annotator a ON a.key = substr(c.summarizer, 7) LEFT JOIN joined j ON j.annotator = a.id
  WHERE substr(c.summarizer, 1, 6) = 'human:'
    AND coalesce(j.person, a.id) IN (SELECT id FROM withdrawn WHERE what = 'annotator');
INSERT OR IGNORE INTO withdrawn SELECT 'candidate', id FROM candidate
  WHERE query IN (SELECT id FROM withdrawn WHERE what = 'query');
INSERT OR IGNORE INTO withdrawn SELECT 'unit', u.id FROM unit u
  LEFT JOIN candidate k ON k.query = u.query AND k.key = u.candidate
  WHERE u.query IN (SELECT id FROM withdrawn WHERE what = 'query')
    OR k.id IN (SELECT id FROM withdrawn WHERE what = 'candidate');
INSERT OR IGNORE INTO withdrawn SELECT 'item', id FROM item
  WHERE query IN (SELECT id FROM withdrawn WHERE what = 'query')
    OR document IN (SELECT id FROM withdrawn WHERE what = 'document')
    OR unit IN (SELECT id FROM withdrawn WHERE what = 'unit')
    OR candidate IN (SELECT id FROM withdrawn WHERE what = 'candidate')
    OR other IN (SELECT id FROM withdrawn WHERE what = 'candidate');
";

/// Updates everything that follows from amendments: withdrawn rows, revised records, standings, queues.
pub(crate) fn apply(connection: &Connection) -> Tried<()> {
    settle_queues(connection)?;
    caches::rebuild_of(connection, &[None])
}

/// Updates as [`apply`] does, without the standings.
pub(crate) fn settle_queues(connection: &Connection) -> Tried<()> {
    settle_corpus(connection)?;
    Ok(connection.execute_batch(SHORTEN_QUEUES)?)
}

/// Updates withdrawn rows and revised records after the corpus grew, and makes queues look again.
pub(crate) fn settle_corpus(connection: &Connection) -> Tried<()> {
    settle(connection)?;
    caches::look_again(connection)
}

/// Takes items and annotators that do not count out of the queues. The other items keep their order.
const SHORTEN_QUEUES: &str = "
CREATE TEMP TABLE IF NOT EXISTS kept_queue AS SELECT * FROM queue WHERE 0;
INSERT INTO temp.kept_queue
  SELECT annotator, protocol, row_number() OVER (PARTITION BY annotator, protocol ORDER BY position) - 1,
    item, state, flagged, group_number FROM queue
  WHERE item NOT IN (SELECT id FROM withdrawn WHERE what = 'item')
    AND annotator NOT IN (SELECT id FROM withdrawn WHERE what = 'annotator');
DELETE FROM queue;
INSERT INTO queue SELECT * FROM temp.kept_queue ORDER BY annotator, protocol, position;
DELETE FROM temp.kept_queue;
DELETE FROM progress WHERE annotator IN (SELECT id FROM withdrawn WHERE what = 'annotator');
";
