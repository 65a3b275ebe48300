//! Revisions: records with new contents under their names, and the judgments that were given on the old ones.
//!
//! The rows of the corpus show the current contents. `original` has a record as it came in, once it was revised. Other files
//! get the record as it came in, with the amendments: so files that hold the old contents go on merging, in any order.

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::state_code;
use crate::error::{Error, Result};
use crate::journal::{Event, ItemState, RevisedText, Standing, Writer};
use crate::store::corpus::writer::{MetaText, add_annotator, add_evidence, add_gold, ends_of};
use crate::store::corpus::{StudyKeys, Target, Texts, counts, missing, read, records_of};
use crate::store::file::{FromRow, StudyFile, Tried, all, all_by, change, exists, one};
use crate::store::journal::amend::{self, row_of_name, row_of_subject};
use crate::study::amendment::standing;
use crate::study::item::judged_texts;
use crate::study::{
    Act, AmendedKind, Amendment, AnnotatorId, CollectionId, ItemId, Record, RecordKind, RevisedFields, Unit,
    UnitId,
};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;
use crate::text::span::locate_at;

/// A record of a study that can be revised.
#[derive(Debug, Clone, PartialEq)]
pub struct Revisable {
    pub of: AmendedKind,
    /// Key of its collection.
    pub collection: String,
    /// Key of its query; empty for a query or a document.
    pub query: String,
    pub id: String,
    /// The record as it is now.
    pub shown: Record,
    /// The record as it came in, where it was ever revised.
    pub original: Option<Record>,
}

/// Judgments of units with a certain gold document, under a protocol that does not judge documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestingJudgments {
    /// The name of the protocol.
    pub protocol: String,
    pub units: u32,
    pub judgments: u32,
}

impl StudyFile {
    /// The judgments of units that have the document among their gold documents, under protocols that do not judge the document
    /// itself, by protocol. They stand when the document is revised, since unit and summary were judged.
    pub fn resting_on(&self, collection: &str, document: &str) -> Result<Vec<RestingJudgments>> {
        let select = format!(
            "SELECT p.name, count(DISTINCT i.unit), count(*) FROM collection c
             JOIN document d ON d.collection = c.id JOIN gold g ON g.document = d.id
             JOIN item i ON i.unit = g.unit AND i.document IS NULL JOIN protocol p ON p.id = i.protocol
             JOIN standing s ON s.item = i.id AND s.state = ?3
             WHERE c.key = ?1 AND d.key = ?2 AND {} GROUP BY p.name ORDER BY p.name",
            counts("item", "i.id")
        );
        self.read(|connection| {
            all_by(connection, &select, params![collection, document, state_code(ItemState::Judged)], |row| {
                Ok(RestingJudgments { protocol: row.get(0)?, units: row.get(1)?, judgments: row.get(2)? })
            })
        })
    }

    /// The record of the study that `new` revises.
    ///
    /// # Errors
    /// The record, a document or the text is missing, or number, kind of unit or candidate would change.
    pub fn revisable(&self, new: &Record) -> Result<Revisable> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            let (of, scope, query, id) = name_of(new)?;
            let collection = match (of, scope) {
                (AmendedKind::Unit | AmendedKind::Candidate, "") => keys.only_collection(
                    ("query", query),
                    keys.queries.everywhere(query),
                    "add \"collection\"",
                )?,
                _ => scope.to_owned(),
            };
            let subject = (of, collection.as_str(), query, id);
            let row = row_of_name(&keys, subject);
            let found = row.map(|row| read::record(connection, of.name(), row)).transpose()?.flatten();
            let Some((shown, original)) = found else {
                let what = format!("{} {id:?} is not in the study", of.name());
                return Err(Error::new(what).advise("import it; a revision is of what is there").into());
            };
            refuse_other_name(&shown, new)?;
            refuse_empty(new)?;
            refuse_unknown_documents(&keys, &collection, new)?;
            let (query, id) = (query.to_owned(), id.to_owned());
            Ok(Revisable { of, collection, query, id, shown, original })
        })
    }
}

/// The parts of a record's name.
fn name_of(record: &Record) -> Tried<(AmendedKind, &str, &str, &str)> {
    let of = AmendedKind::named(record.kind().name());
    let (Some(of), Some([collection, query, id])) = (of, record.keys()) else {
        let what = format!("a record of the type {:?} cannot be revised", record.kind().name());
        let advice = "give collections, documents, queries, units, candidates and annotators";
        return Err(Error::new(what).advise(advice).into());
    };
    Ok((of, collection, query, id))
}

fn refuse_other_name(shown: &Record, new: &Record) -> Tried<()> {
    let what = match (shown, new) {
        (Record::Document(shown), Record::Document(new)) if shown.number != new.number => {
            format!("document {:?} has number {} in the study, not {}", new.id, shown.number, new.number)
        }
        (Record::Unit(shown), Record::Unit(new)) if shown.candidate != new.candidate => {
            let candidate = |of: &Option<String>| match of {
                Some(key) => format!("candidate {key:?}"),
                None => "no candidate".to_owned(),
            };
            let (was, is) = (candidate(&shown.candidate), candidate(&new.candidate));
            format!("unit {:?} is of {was} in the study, not of {is}", new.id)
        }
        (Record::Unit(shown), Record::Unit(new)) if shown.kind != new.kind => {
            format!("unit {:?} is of the kind {:?} in the study, not {:?}", new.id, shown.kind, new.kind)
        }
        _ => return Ok(()),
    };
    Err(Error::new(what).advise("a revision keeps it; give what is another record another id").into())
}

/// Refuses a record with an empty text: nobody could judge it.
fn refuse_empty(new: &Record) -> Tried<()> {
    // An answer may be empty: the system said nothing.
    let has_text = !matches!(new, Record::Collection(_) | Record::Candidate(_) | Record::Annotator(_));
    match has_text && text_in(new).trim().is_empty() {
        true => Err(Error::new("\"text\" is empty")
            .advise("`haymark withdraw` takes a record out of the study, with --erase its text too")
            .into()),
        false => Ok(()),
    }
}

fn refuse_unknown_documents(keys: &StudyKeys, collection: &str, new: &Record) -> Tried<()> {
    let Record::Unit(unit) = new else { return Ok(()) };
    let scope = keys.collections.get(collection).copied();
    let quoted = unit.evidence.iter().map(|evidence| &evidence.document);
    let mut named = unit.documents.iter().flatten().chain(quoted);
    match named.find(|key| scope.is_none_or(|scope| keys.documents.get(scope, key).is_none())) {
        Some(key) => Err(missing(&format!("document {key:?} of collection {collection:?}"))),
        None => Ok(()),
    }
}

/// Brings rows up to the latest revisions. Rows that are up to date are left alone.
pub(crate) fn settle(connection: &Connection, amendments: &[Amendment], keys: &StudyKeys) -> Tried<()> {
    let holding: Vec<&Amendment> =
        standing(amendments).into_iter().filter(|one| one.act == Act::Revise).collect();
    let mut subjects: Vec<&Amendment> = amendments.iter().filter(|one| one.act == Act::Revise).collect();
    // Documents come before the units that quote them.
    let order = |one: &Amendment| one.of != AmendedKind::Document;
    subjects.sort_by_key(|one| (order(one), one.subject()));
    subjects.dedup_by_key(|one| one.subject());
    for subject in subjects {
        let Some(id) = row_of_subject(keys, subject) else { continue };
        let Some((shown, original)) = read::record(connection, subject.of.name(), id)? else { continue };
        if original.is_none() {
            let insert = "INSERT INTO original (tbl, id, record) VALUES (?1, ?2, ?3)";
            change(connection, insert, params![subject.of.name(), id, text_of(&shown)?])?;
        }
        let original = original.unwrap_or_else(|| shown.clone());
        let to = holding.iter().find(|one| one.subject() == subject.subject());
        let to = to.and_then(|one| one.to.as_ref()?.on(&original));
        let wanted = with_what_is_there(to.unwrap_or(original), keys);
        if RevisedFields::of(&wanted) != RevisedFields::of(&shown) {
            write(connection, keys, id, &wanted)?;
        }
    }
    Ok(())
}

/// The fields of a record as JSON.
fn text_of(record: &Record) -> Tried<String> {
    let mut fields = serde_json::to_value(record)
        .map_err(|error| Error::new(format!("a record cannot be written as JSON: {error}")))?;
    fields.as_object_mut().and_then(|fields| fields.shift_remove("type"));
    Ok(fields.to_string())
}

/// A unit without the documents that have not come in. When they come in, the unit gets them.
fn with_what_is_there(record: Record, keys: &StudyKeys) -> Record {
    let Record::Unit(mut unit) = record else { return record };
    let collection = keys.collections.get(unit.collection.as_str()).copied();
    let is_there = |key: &str| collection.is_some_and(|scope| keys.documents.get(scope, key).is_some());
    unit.documents.iter_mut().for_each(|documents| documents.retain(|key| is_there(key)));
    unit.evidence.retain(|evidence| is_there(&evidence.document));
    Record::Unit(unit)
}

/// Writes the current contents of a record into its row.
fn write(connection: &Connection, keys: &StudyKeys, id: i64, record: &Record) -> Tried<()> {
    match record {
        Record::Collection(new) => {
            let update = "UPDATE collection SET title = ?2, domain = ?3, meta = ?4 WHERE id = ?1";
            change(connection, update, params![id, new.title, new.domain, MetaText(&new.meta)])?;
        }
        Record::Query(new) => {
            let update = "UPDATE query SET category = ?2, domain = ?3, meta = ?4, text = ?5 WHERE id = ?1";
            change(connection, update, params![id, new.category, new.domain, MetaText(&new.meta), new.text])?;
        }
        Record::Document(new) => {
            let update = "UPDATE document SET title = ?2, meta = ?3, text = ?4 WHERE id = ?1";
            change(connection, update, params![id, new.title, MetaText(&new.meta), new.text])?;
            place_quotes(connection, id, &new.text)?;
        }
        Record::Candidate(new) => {
            let update = "UPDATE candidate SET summarizer = ?2, retriever = ?3, document_order = ?4, meta = ?5, text = ?6
                 WHERE id = ?1";
            let meta = read::meta_of_candidate(new);
            change(
                connection,
                update,
                params![id, new.summarizer, new.retriever, new.order, MetaText(&meta), new.text],
            )?;
        }
        Record::Unit(new) => write_unit(connection, keys, id, new)?,
        // The row of an annotator is summed when it comes in, so it comes in anew.
        Record::Annotator(new) => {
            connection.execute_batch("PRAGMA defer_foreign_keys = ON")?;
            change(connection, "DELETE FROM annotator WHERE id = ?1", [id])?;
            change(connection, "DELETE FROM row_sum WHERE tbl = 'annotator' AND record = ?1", [id])?;
            add_annotator(connection, Some(AnnotatorId(id)), new)?;
        }
        _ => {}
    }
    Ok(())
}

fn write_unit(connection: &Connection, keys: &StudyKeys, id: i64, new: &Unit) -> Tried<()> {
    let update = "UPDATE unit SET kind = ?2, gold_known = ?3, score = ?4, title = ?5, meta = ?6, text = ?7
         WHERE id = ?1";
    let (is_known, meta) = (new.documents.is_some(), MetaText(&new.meta));
    change(connection, update, params![id, new.kind, is_known, new.score, new.title, meta, new.text])?;
    change(connection, "DELETE FROM gold WHERE unit = ?1", [id])?;
    change(connection, "DELETE FROM evidence WHERE unit = ?1", [id])?;
    let collection: CollectionId = one(
        connection,
        "SELECT q.collection FROM unit u JOIN query q ON q.id = u.query WHERE u.id = ?1",
        [id],
    )?;
    let unit = UnitId(id);
    let row_of = |key: &str| keys.documents.get(collection, key);
    for document in new.documents.iter().flatten().filter_map(|key| row_of(key)) {
        add_gold(connection, unit, document)?;
    }
    for (ordinal, evidence) in (0..).zip(&new.evidence) {
        let Some(document) = row_of(&evidence.document) else { continue };
        let text: String = one(connection, "SELECT text FROM document WHERE id = ?1", [document])?;
        let span = locate_at(&text, &evidence.quote, evidence.start);
        add_evidence(connection, (unit, ordinal), evidence, (document, span))?;
    }
    Ok(())
}

/// Finds the quotes of all units in the new text of their document.
fn place_quotes(connection: &Connection, document: i64, text: &str) -> Tried<()> {
    let select = "SELECT unit, ordinal, given_start, quote FROM evidence WHERE document = ?1";
    let quotes: Vec<(i64, i64, Option<i64>, String)> = all(connection, select, [document])?;
    let update = "UPDATE evidence SET span_start = ?3, span_end = ?4 WHERE unit = ?1 AND ordinal = ?2";
    for (unit, ordinal, start, quote) in quotes {
        let start = start.and_then(|start| u64::try_from(start).ok());
        let [from, to] = ends_of(locate_at(text, &quote, start));
        change(connection, update, params![unit, ordinal, from, to])?;
    }
    Ok(())
}

/// The condition that a part of an item was ever revised.
pub(crate) const IS_REVISED: &str = "(query IN (SELECT id FROM original WHERE tbl = 'query')
    OR document IN (SELECT id FROM original WHERE tbl = 'document')
    OR unit IN (SELECT id FROM original WHERE tbl = 'unit')
    OR candidate IN (SELECT id FROM original WHERE tbl = 'candidate')
    OR other IN (SELECT id FROM original WHERE tbl = 'candidate'))";

/// The fingerprints of the current texts of items that were ever revised.
pub(crate) struct RevisedTexts<'c> {
    connection: &'c Connection,
    /// The statement and the texts; `None` in a study without revisions.
    reading: Option<(CachedStatement<'c>, Texts<'c>)>,
    known: FastMap<ItemId, Option<Fingerprint>>,
    /// What is known of the times of revisions and imports, once a judgment of a file that says when it was given is about a
    /// revised item.
    amended: Option<TimesKnown>,
    /// The texts of items after so many of the amendments.
    after: FastMap<(ItemId, usize), Fingerprint>,
}

struct TimesKnown {
    amendments: Vec<Amendment>,
    keys: StudyKeys,
    /// When the file of a writer came in first.
    imported: FastMap<Writer, i64>,
}

impl<'c> RevisedTexts<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<RevisedTexts<'c>> {
        let reading = match exists(connection, "SELECT 1 FROM original", [])? {
            true => {
                let select = format!(
                    "SELECT query, document, candidate, unit, bullet, other FROM item WHERE id = ?1 AND {IS_REVISED}"
                );
                Some((connection.prepare_cached(&select)?, Texts::new(connection)))
            }
            false => None,
        };
        let (known, after) = (FastMap::default(), FastMap::default());
        Ok(RevisedTexts { connection, reading, known, amended: None, after })
    }

    /// Judgments from files that say when they were given are about the texts of that time, also where the revision came in
    /// after them. No file knows of a time after it came in, whatever its clock said.
    pub(crate) fn of_their_time(&mut self, item: ItemId, events: &mut [Event]) -> Tried<()> {
        let is_told = |event: &Event| event.id.writer.0 < 0 && event.at.is_some();
        if self.of(item)?.is_none() || !events.iter().any(is_told) {
            return Ok(());
        }
        let TimesKnown { amendments, keys, imported } = match &self.amended {
            Some(known) => known,
            None => {
                let amendments = amend::read(self.connection)?;
                let imported = amend::import_times(self.connection, &amendments)?;
                let keys = StudyKeys::read(self.connection)?;
                self.amended.insert(TimesKnown { amendments, keys, imported })
            }
        };
        let first = amendments.iter().position(|one| one.act == Act::Revise);
        for event in events.iter_mut().filter(|event| is_told(event)) {
            let Some(at) = event.at else { continue };
            let at = imported.get(&event.id.writer).map_or(at, |came| at.min(*came));
            let after = amendments.partition_point(|one| one.at <= at);
            // Before all revisions, a record can only have been as it came in.
            if first.is_none_or(|first| after <= first) {
                continue;
            }
            event.texts = match (self.after.get(&(item, after)), &mut self.reading) {
                (Some(texts), _) => *texts,
                (None, Some((find, _))) => {
                    let target = find.query_row([item], Target::from_row)?;
                    let texts = texts_at(self.connection, (amendments, keys), &target, Some(at))?.texts;
                    *self.after.entry((item, after)).or_insert(texts)
                }
                (None, None) => continue,
            };
        }
        Ok(())
    }

    /// The fingerprint of an item's texts; `None` where none of them was revised.
    pub(crate) fn of(&mut self, item: ItemId) -> Tried<Option<Fingerprint>> {
        let Some((find, texts)) = &mut self.reading else { return Ok(None) };
        if let Some(known) = self.known.get(&item) {
            return Ok(*known);
        }
        let target = find.query_row([item], Target::from_row).optional()?;
        let now = target.map(|target| texts.of_target(&target)).transpose()?;
        self.known.insert(item, now);
        Ok(now)
    }

    /// The fingerprint that [`RevisedTexts::of`] has found before.
    pub(crate) fn known(&self, item: ItemId) -> Option<Fingerprint> {
        self.known.get(&item).copied().flatten()
    }
}

/// The texts on which a judgment from a file was given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextsGiven {
    pub(crate) texts: Fingerprint,
    /// The time of the revision that made them, in milliseconds since 1970; `None` for the texts that came in.
    pub(crate) since: Option<i64>,
}

/// The texts of a target at a time, or now.
pub(crate) fn texts_at(
    connection: &Connection,
    (amendments, keys): (&[Amendment], &StudyKeys),
    target: &Target,
    at: Option<i64>,
) -> Tried<TextsGiven> {
    let parts = records_of(target);
    let is_about = |one: &Amendment, (of, id): (RecordKind, Option<i64>)| {
        one.of.name() == of.name() && id.is_some() && row_of_subject(keys, one) == id
    };
    let is_meant =
        |one: &&Amendment| at.is_none_or(|at| one.at <= at) && parts.iter().any(|part| is_about(one, *part));
    let until: Vec<Amendment> = amendments.iter().filter(is_meant).cloned().collect();
    let holding = standing(&until);
    let (mut texts, mut since) = ([const { String::new() }; 5], None);
    for ((of, id), text) in parts.into_iter().zip(&mut texts) {
        let found = id.map(|id| read::record(connection, of.name(), id)).transpose()?.flatten();
        let Some((shown, original)) = found else { continue };
        let first = original.unwrap_or(shown);
        let is_of_it = |one: &&&Amendment| one.act == Act::Revise && is_about(one, (of, id));
        let revised =
            holding.iter().find(is_of_it).and_then(|one| Some((one.at, one.to.as_ref()?.on(&first)?)));
        *text = text_in(&first);
        if let Some((at, record)) = revised
            && text_in(&record) != *text
        {
            since = since.max(Some(at));
            *text = text_in(&record);
        }
    }
    let [query, document, unit, candidate, other] = &texts;
    let other = target.other.map(|_| other.as_str());
    Ok(TextsGiven { texts: judged_texts(query, document, unit, candidate, other), since })
}

/// The texts of a judgment that were revised since, each before and now. Earlier texts are tried until they
/// give the judgment's fingerprint.
pub(crate) fn texts_before(
    connection: &Connection,
    target: &Target,
    standing: &Standing,
) -> Tried<Vec<RevisedText>> {
    let Some((_, then)) = standing.judged_under.filter(|_| standing.is_outdated) else {
        return Ok(Vec::new());
    };
    let (amendments, keys) = (amend::read(connection)?, StudyKeys::read(connection)?);
    let parts = records_of(target);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for (of, id) in parts {
        let Some((shown, original)) =
            id.map(|id| read::record(connection, of.name(), id)).transpose()?.flatten()
        else {
            texts.push(vec![String::new()]);
            continue;
        };
        let mut known = vec![text_in(&shown)];
        if let Some(original) = original {
            known.push(text_in(&original));
            let is_of_it = |one: &&Amendment| {
                one.act == Act::Revise && one.of.name() == of.name() && row_of_subject(&keys, one) == id
            };
            let revised = amendments.iter().filter(is_of_it).filter_map(|one| one.to.as_ref()?.on(&original));
            known.extend(revised.map(|record| text_in(&record)));
        }
        texts.push(known);
    }
    let [queries, documents, units, candidates, others] = &texts[..] else { return Ok(Vec::new()) };
    for query in queries {
        for document in documents {
            for unit in units {
                for (candidate, other) in
                    candidates.iter().flat_map(|one| others.iter().map(move |other| (one, other)))
                {
                    let of_pair = target.other.map(|_| other.as_str());
                    if judged_texts(query, document, unit, candidate, of_pair) == then {
                        let before = [query, document, unit, candidate, other];
                        return Ok(changed(parts.map(|(of, _)| of), before, &texts));
                    }
                }
            }
        }
    }
    Ok(Vec::new())
}

/// The texts that differ now, each before and now.
fn changed(of: [RecordKind; 5], before: [&String; 5], texts: &[Vec<String>]) -> Vec<RevisedText> {
    let now = texts.iter().filter_map(|known| known.first());
    let both = of.into_iter().zip(before).zip(now).filter(|((_, before), now)| before != now);
    both.map(|((of, before), now)| RevisedText { of: of.name(), before: before.clone(), now: now.clone() })
        .collect()
}

fn text_in(record: &Record) -> String {
    match record {
        Record::Query(one) => one.text.clone(),
        Record::Document(one) => one.text.clone(),
        Record::Unit(one) => one.text.clone(),
        Record::Candidate(one) => one.text.clone(),
        _ => String::new(),
    }
}
