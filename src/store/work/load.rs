//! Loading one item with everything that its screen shows.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, params};

use super::assignments;
use crate::error::Result;
use crate::journal::{ItemState, Loaded, Neighbour, Opinion, Standing};
use crate::protocol::{Answers, Protocol, Question};
use crate::store::corpus::{ItemRows, StudyKeys, Target, protocols, read};
use crate::store::file::{
    FromRow, ProtocolId, SHORT_PATIENCE, StudyFile, Tried, count, first, first_by, one, said, stored,
};
use crate::store::journal::{Log, asides, key_of, person, revise, state_of};
use crate::study::{
    AnnotatorId, AnnotatorKind, CitedList, CollectionId, Document, Item, ItemId, Passage, TargetKeys, Unit,
    UnitId,
};
use crate::text::span::Span;

/// How many collections stay in memory.
const COLLECTIONS: usize = 4;

/// The documents of the collections used last, the latest in front.
#[derive(Debug, Default)]
pub(crate) struct DocumentCache {
    kept: VecDeque<KeptUnit>,
}

#[derive(Debug)]
struct KeptUnit {
    collection: CollectionId,
    /// The revision of the corpus when the documents were read.
    revision: i64,
    documents: Arc<[Document]>,
}

/// The distance up to which answers of neighbours are read: more than the strip of a group has room for, and a bound on the
/// cost of the next item in a group of thousands.
const NEAR: usize = 64;

impl StudyFile {
    /// Loads the item at this position of a queue, with the annotator's standing on it.
    pub fn load(&self, annotator: AnnotatorId, protocol: &Protocol, position: usize) -> Result<Loaded> {
        self.read(|connection| {
            let id = protocols::id_of(connection, &protocol.name)?;
            let place = id.map(|id| place(connection, annotator, id, position)).transpose()?.flatten();
            let Some(place) = place else {
                let what = format!("the queue of {:?} has no item {}", protocol.name, position + 1);
                return Err(said(what));
            };
            let mut log = Log::prepare(connection)?;
            let events = log.events(annotator, place.item)?;
            let group = place.group(connection, annotator, (position, protocol), &mut log)?;
            let standing = log.fold(place.item, &events, Some(protocol));
            let shown =
                shown(connection, &mut self.documents.borrow_mut(), protocol, place.item, &place.target)?;
            // A pair is shown as it was when it was judged, else as it is drawn.
            let is_turned = match protocol.was_turned(&standing.answers) {
                None if place.target.other.is_some() => {
                    let aside = asides::aside_of(connection, place.item)?;
                    shown.keys.is_turned(&key_of(connection, annotator)?, aside)
                }
                judged => judged.unwrap_or_default(),
            };
            Ok(Loaded {
                position,
                was: revise::texts_before(connection, &place.target, &standing)?,
                item: if is_turned { shown.turned() } else { shown },
                standing,
                group,
                place_of_group: (count(place.group), self.groups(connection, annotator, place.protocol)?),
                calibration: assignments::calibration(connection, annotator, place.item, protocol)?,
                sorted_by: match &self.part {
                    Some(part) => part.sorted_by.clone(),
                    None => assignments::latest(connection, annotator, place.item)?
                        .and_then(|terms| Some(terms.sorted?.by)),
                },
            })
        })
    }

    /// An item with everything that its screen shows, for no annotator in particular.
    pub fn item(&self, protocol: &Protocol, item: ItemId) -> Result<Item> {
        self.read(|connection| {
            let select = "SELECT query, document, candidate, unit, bullet, other FROM item WHERE id = ?1";
            let target: Option<Target> = first(connection, select, [item])?;
            let target = target.ok_or_else(|| said(format!("there is no item {}", item.0)))?;
            shown(connection, &mut self.documents.borrow_mut(), protocol, item, &target)
        })
    }

    /// The judgments of these annotators on an item, in the order given. Annotators without an answer under
    /// this version of the protocol are left out.
    pub fn opinions(
        &self,
        protocol: &Protocol,
        item: ItemId,
        annotators: &[AnnotatorId],
    ) -> Result<Vec<Opinion>> {
        let all = self.annotators()?;
        self.read(|connection| {
            let mut log = Log::prepare(connection)?;
            let mut opinions = Vec::new();
            for id in annotators {
                let Some((_, annotator)) = all.iter().find(|(other, _)| other == id) else { continue };
                let is_model = annotator.kind == AnnotatorKind::Model;
                let events = log.events(*id, item)?;
                let standing = log.fold(item, &events, Some(protocol));
                let opinion = Opinion::of(*id, annotator.id.clone(), is_model, (&events, standing));
                if !opinion.standing.answers_under(protocol.hash).is_empty() {
                    opinions.push(opinion);
                }
            }
            Ok(opinions)
        })
    }

    /// The item of this target under the protocol, made where there is none, and the row of a person, who is
    /// added where the study does not know her. [`StudyFile::append`] needs both to take a tag, a flag or a
    /// comment.
    ///
    /// # Errors
    /// The annotator is a model or has no name, or the file cannot be written.
    pub fn item_for(
        &mut self,
        annotator: &str,
        protocol: &Protocol,
        target: Target,
    ) -> Result<(AnnotatorId, Item)> {
        let (annotator, item) = self.write(SHORT_PATIENCE, |transaction| {
            let keys = StudyKeys::read(transaction)?;
            let annotator = person(transaction, annotator)?;
            let id = protocols::keep_name(transaction, &protocol.name)?;
            let mut items = ItemRows::prepare(transaction)?;
            let item = items.keep((id, &protocol.name), target, None, || keys.of_target(&target))?;
            Ok((annotator, item))
        })?;
        self.read(|connection| {
            let shown = shown(connection, &mut self.documents.borrow_mut(), protocol, item, &target)?;
            Ok((annotator, shown))
        })
    }

    /// The standing of an annotator on an item.
    pub fn standing(&self, annotator: AnnotatorId, item: ItemId) -> Result<Standing> {
        self.read(|connection| Log::prepare(connection)?.standing(annotator, item, None))
    }

    /// How many groups a queue has: the number of the last item's group, unless the queue is only begun.
    fn groups(&self, connection: &Connection, annotator: AnnotatorId, protocol: ProtocolId) -> Tried<usize> {
        if let Some(groups) = self.begun.and_then(|begun| begun.groups(annotator, protocol)) {
            return Ok(groups);
        }
        let select = "SELECT group_number FROM queue WHERE annotator = ?1 AND protocol = ?2
             ORDER BY position DESC LIMIT 1";
        one(connection, select, params![annotator, protocol])
    }
}

/// An item with everything that its screen shows. `id` is its row.
pub(super) fn shown(
    connection: &Connection,
    cache: &mut DocumentCache,
    protocol: &Protocol,
    id: ItemId,
    target: &Target,
) -> Tried<Item> {
    let query = read::query(connection, target.query)?;
    let unit = target.unit.map(|unit| read::unit(connection, unit)).transpose()?;
    let mut candidate = target.candidate.map(|id| read::candidate(connection, id)).transpose()?;
    let mut other = target.other.map(|id| read::candidate(connection, id)).transpose()?;
    let mut documents = cache.around(connection, target)?;
    let lists = || candidate.iter().chain(&other).map(|shown| shown.cites.as_ref());
    if let Some(lists) = lists().collect::<Option<Vec<_>>>().filter(|lists| !lists.is_empty()) {
        let order = by_lists(&documents, &lists.into_iter().flat_map(CitedList::numbers).collect::<Vec<_>>());
        let moved = (1..).zip(&order).map(|(number, document)| Document { number, ..(*document).clone() });
        let order: Vec<u32> = order.iter().map(|document| document.number).collect();
        documents = moved.collect();
        for shown in candidate.iter_mut().chain(&mut other) {
            shown.cites = shown.cites.as_ref().map(|list| list.counted_by(&order));
        }
    }
    let document =
        target.document.map(|id| one::<String>(connection, "SELECT key FROM document WHERE id = ?1", [id]));
    let document = document.transpose()?;
    let document = document.and_then(|key| documents.iter().find(|document| document.id == key));
    let keys = TargetKeys {
        collection: query.collection.clone(),
        query: query.id.clone(),
        document: document.map(|document| document.id.clone()),
        unit: unit.as_ref().map(|unit| unit.id.clone()),
        candidate: candidate.as_ref().map(|candidate| candidate.id.clone()),
        bullet: target.bullet,
        other: other.as_ref().map(|other| other.id.clone()),
    };
    let shown = target.unit.filter(|_| protocol.shows_evidence);
    let gold = unit.as_ref().and_then(|unit| unit.documents.as_ref()).filter(|_| shown.is_some());
    let relevant = gold.map(|gold| numbers_of(&documents, gold));
    let evidence = shown.map(|unit| passages(connection, unit, &documents)).transpose()?;
    let choices = units_to_choose(connection, protocol, target)?;
    Ok(Item {
        id,
        keys,
        query,
        relevant,
        document: document.map(|document| document.number),
        unit,
        evidence: evidence.unwrap_or_default(),
        candidate,
        other,
        is_turned: false,
        choices,
        bullet: target.bullet,
        documents,
    })
}

/// The documents for candidates that cite from lists: those of the lists first, then the others.
fn by_lists<'d>(documents: &'d [Document], listed: &[u32]) -> Vec<&'d Document> {
    let place = |document: &Document| listed.iter().position(|number| *number == document.number);
    let mut ordered: Vec<&Document> = documents.iter().collect();
    ordered.sort_by_key(|document| place(document).unwrap_or(listed.len()));
    ordered
}

impl DocumentCache {
    /// The documents of the collection of the target's query, from memory where they were read already.
    fn around(&mut self, connection: &Connection, target: &Target) -> Tried<Arc<[Document]>> {
        let (collection, revision) = one(
            connection,
            "SELECT q.collection, r.corpus FROM query q, revision r WHERE q.id = ?1",
            [target.query.0],
        )?;
        if let Some(documents) = self.get(collection, revision) {
            return Ok(documents);
        }
        let documents: Arc<[Document]> = read::documents_of(connection, collection)?.into();
        self.put(KeptUnit { collection, revision, documents: Arc::clone(&documents) });
        Ok(documents)
    }

    fn get(&mut self, collection: CollectionId, revision: i64) -> Option<Arc<[Document]>> {
        let fits = |kept: &KeptUnit| kept.collection == collection && kept.revision == revision;
        let kept = self.kept.remove(self.kept.iter().position(fits)?)?;
        let documents = Arc::clone(&kept.documents);
        self.kept.push_front(kept);
        Some(documents)
    }

    fn put(&mut self, new: KeptUnit) {
        self.kept.retain(|kept| kept.collection != new.collection);
        self.kept.truncate(COLLECTIONS - 1);
        self.kept.push_front(new);
    }
}

/// The place of an item in a queue.
struct QueuePlace {
    protocol: ProtocolId,
    item: ItemId,
    group: u32,
    target: Target,
}

fn place(
    connection: &Connection,
    annotator: AnnotatorId,
    protocol: ProtocolId,
    position: usize,
) -> Tried<Option<QueuePlace>> {
    first_by(
        connection,
        "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, i.id, s.group_number
             FROM queue s JOIN item i ON i.id = s.item
             WHERE s.annotator = ?1 AND s.protocol = ?2 AND s.position = ?3",
        params![annotator.0, protocol.0, stored(position)],
        |row| {
            Ok(QueuePlace { protocol, target: Target::from_row(row)?, item: row.get(6)?, group: row.get(7)? })
        },
    )
}

impl QueuePlace {
    /// The items of the same group. The items of a group are neighbours, so its ends are found by walking.
    fn group(
        &self,
        connection: &Connection,
        annotator: AnnotatorId,
        at: (usize, &Protocol),
        log: &mut Log<'_>,
    ) -> Tried<Vec<Neighbour>> {
        let mut group =
            self.walk(connection, annotator, at, log, "q.position < ?3 ORDER BY q.position DESC")?;
        group.reverse();
        group.extend(self.walk(connection, annotator, at, log, "q.position >= ?3 ORDER BY q.position")?);
        Ok(group)
    }

    fn walk(
        &self,
        connection: &Connection,
        annotator: AnnotatorId,
        (position, protocol): (usize, &Protocol),
        log: &mut Log<'_>,
        direction: &str,
    ) -> Tried<Vec<Neighbour>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT q.position, q.state, q.flagged, q.group_number, q.item, s.item IS NOT NULL, s.answers
             FROM queue q LEFT JOIN standing s ON s.annotator = q.annotator AND s.item = q.item
               AND abs(q.position - ?3) <= ?4
             WHERE q.annotator = ?1 AND q.protocol = ?2 AND {direction}"
        ))?;
        let mut rows =
            statement.query(params![annotator.0, self.protocol.0, stored(position), stored(NEAR)])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if row.get::<_, u32>(3)? != self.group {
                break;
            }
            let mut neighbour = Neighbour {
                position: count(row.get(0)?),
                state: state_of(row.get(1)?),
                flagged: row.get(2)?,
                answers: Answers::new(),
            };
            let is_near = neighbour.position.abs_diff(position) <= NEAR;
            let answers = match row.get(5)? {
                true if is_near => log.unpacked(row.get_ref(6)?.as_blob_or_null()?)?,
                // Judgments beside the study are in the journal only.
                false if is_near && neighbour.state == ItemState::Judged => {
                    log.standing(annotator, row.get(4)?, Some(protocol))?.answers
                }
                _ => Answers::new(),
            };
            neighbour.answers = Neighbour::shown(neighbour.state, answers, protocol);
            found.push(neighbour);
        }
        Ok(found)
    }
}

/// The units that a question of the protocol chooses from: other units of its kinds in the query, or in the whole collection.
/// Within a query, a unit whose documents are known must share one with the judged unit, if that one's are known too. This
/// does not hold where the protocol judges units of all these kinds: then any of them may say the same.
fn units_to_choose(connection: &Connection, protocol: &Protocol, target: &Target) -> Tried<Vec<Unit>> {
    let kinds: Vec<&String> = protocol.questions.iter().flat_map(|question| question.kinds()).collect();
    let (Some(judged), false) = (target.unit, kinds.is_empty()) else { return Ok(Vec::new()) };
    let are_alike = kinds.iter().all(|kind| protocol.units.contains(kind));
    let mut found = Vec::new();
    let of_collection = protocol.questions.iter().any(Question::is_of_collection);
    let mut statement = connection.prepare_cached(match of_collection {
        true => {
            "SELECT u.id, u.kind FROM unit u JOIN query q ON q.id = u.query WHERE u.id <> ?1 AND q.collection =
               (SELECT k.collection FROM unit j JOIN query k ON k.id = j.query WHERE j.id = ?1)
             ORDER BY q.id, u.id"
        }
        false => {
            "SELECT u.id, u.kind FROM unit u JOIN unit j ON j.id = ?1
             WHERE u.query = j.query AND u.id <> j.id AND (?2 OR j.gold_known = 0 OR u.gold_known = 0 OR EXISTS (
               SELECT 1 FROM gold g JOIN gold h ON h.document = g.document WHERE g.unit = u.id AND h.unit = j.id))
             ORDER BY u.id"
        }
    })?;
    let mut rows = match of_collection {
        true => statement.query([judged.0])?,
        false => statement.query(params![judged.0, are_alike])?,
    };
    while let Some(row) = rows.next()? {
        let kind: String = row.get(1)?;
        if kinds.contains(&&kind) {
            let unit = read::unit(connection, row.get(0)?)?;
            let id = if of_collection { format!("{}/{}", unit.query, unit.id) } else { unit.id };
            found.push(Unit { id, ..unit });
        }
    }
    Ok(found)
}

/// The numbers of the documents with these keys, ascending.
fn numbers_of(documents: &[Document], keys: &[String]) -> Vec<u32> {
    // The documents are sorted by number already.
    let wanted = |document: &&Document| keys.contains(&document.id);
    documents.iter().filter(wanted).map(|document| document.number).collect()
}

/// The evidence of a unit that was found in the texts.
fn passages(connection: &Connection, unit: UnitId, documents: &[Document]) -> Tried<Vec<Passage>> {
    let mut statement = connection.prepare_cached(
        "SELECT d.key, e.span_start, e.span_end FROM evidence e JOIN document d ON d.id = e.document
         WHERE e.unit = ?1 AND e.span_start IS NOT NULL ORDER BY d.number, e.span_start, e.ordinal",
    )?;
    let rows = statement
        .query_map([unit.0], |row| Ok((row.get::<_, String>(0)?, count(row.get(1)?), count(row.get(2)?))))?;
    let mut found = Vec::new();
    for row in rows {
        let (key, start, end) = row?;
        let Some(document) = documents.iter().find(|document| document.id == key) else { continue };
        if let Some(span) = Span::new(&document.text, start, end) {
            found.push(Passage { document: document.number, span });
        }
    }
    found.sort_by_key(|passage| passage.document);
    Ok(found)
}
