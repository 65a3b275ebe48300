//! Which items a protocol makes of the corpus, and in which order an annotator gets them.

use std::collections::HashMap;

use rusqlite::Connection;

use super::items::Target;
use super::keys::Keys;
use crate::error::Error;
use crate::protocol::{Part, Protocol};
use crate::study::{CandidateId, CollectionId, DocumentId, ItemKey, QueryId, UnitId};
use crate::text::bullets::bullets;

/// What the corpus offers to a protocol: rows only.
struct Offer {
    queries: Vec<(QueryId, CollectionId)>,
    /// With the number of bullets where the protocol asks about bullets.
    candidates: HashMap<QueryId, Vec<(CandidateId, u32)>>,
    units: HashMap<QueryId, Vec<(UnitId, bool)>>,
    gold: HashMap<UnitId, Vec<DocumentId>>,
    documents: HashMap<CollectionId, Vec<DocumentId>>,
}

/// All targets of a protocol in the order of the corpus.
pub(super) fn targets(connection: &Connection, protocol: &Protocol) -> rusqlite::Result<Vec<Target>> {
    let offer = Offer::read(connection, protocol)?;
    let mut found = Vec::new();
    for (query, collection) in &offer.queries {
        for (candidate, bullet) in offer.candidates(protocol, *query) {
            for unit in offer.units(protocol, *query) {
                for document in offer.documents(protocol, *collection, unit) {
                    let unit = unit.map(|(id, _)| id);
                    found.push(Target { query: *query, document, candidate, unit, bullet });
                }
            }
        }
    }
    Ok(found)
}

impl Offer {
    fn read(connection: &Connection, protocol: &Protocol) -> rusqlite::Result<Offer> {
        let count_bullets = protocol.targets(Part::Bullet);
        let text = if count_bullets { "text" } else { "''" };
        Ok(Offer {
            queries: rows(connection, "SELECT id, collection FROM query ORDER BY id", |row| {
                Ok((QueryId(row.get(0)?), CollectionId(row.get(1)?)))
            })?,
            candidates: grouped(rows(
                connection,
                &format!("SELECT query, id, {text} FROM candidate ORDER BY id"),
                |row| {
                    let bullets = bullets(row.get_ref(2)?.as_str()?).len();
                    let bullets = u32::try_from(bullets).unwrap_or(u32::MAX);
                    Ok((QueryId(row.get(0)?), (CandidateId(row.get(1)?), bullets)))
                },
            )?),
            units: grouped(
                rows(connection, "SELECT query, id, gold_known, kind FROM unit ORDER BY id", |row| {
                    let is_taken = protocol.takes_unit(row.get_ref(3)?.as_str()?);
                    let unit = (UnitId(row.get(1)?), row.get(2)?);
                    Ok(is_taken.then_some((QueryId(row.get(0)?), unit)))
                })?
                .into_iter()
                .flatten()
                .collect(),
            ),
            gold: grouped(rows(
                connection,
                "SELECT g.unit, g.document FROM gold g JOIN document d ON d.id = g.document
                 ORDER BY g.unit, d.number",
                |row| Ok((UnitId(row.get(0)?), DocumentId(row.get(1)?))),
            )?),
            documents: grouped(rows(
                connection,
                "SELECT collection, id FROM document ORDER BY collection, number",
                |row| Ok((CollectionId(row.get(0)?), DocumentId(row.get(1)?))),
            )?),
        })
    }

    fn candidates(&self, protocol: &Protocol, query: QueryId) -> Vec<(Option<CandidateId>, Option<u32>)> {
        let whole = protocol.targets(Part::Candidate);
        let parts = protocol.targets(Part::Bullet);
        if !whole && !parts {
            return vec![(None, None)];
        }
        let candidates = self.candidates.get(&query).into_iter().flatten();
        if parts {
            candidates
                .flat_map(|(id, bullets)| (1..=*bullets).map(|bullet| (Some(*id), Some(bullet))))
                .collect()
        } else {
            candidates.map(|(id, _)| (Some(*id), None)).collect()
        }
    }

    fn units(&self, protocol: &Protocol, query: QueryId) -> Vec<Option<(UnitId, bool)>> {
        if !protocol.targets(Part::Unit) {
            return vec![None];
        }
        self.units.get(&query).into_iter().flatten().map(|unit| Some(*unit)).collect()
    }

    /// A unit's gold documents, or none at all where they are not known; without a unit all
    /// documents of the collection.
    fn documents(
        &self,
        protocol: &Protocol,
        collection: CollectionId,
        unit: Option<(UnitId, bool)>,
    ) -> Vec<Option<DocumentId>> {
        let documents = match unit {
            _ if !protocol.targets(Part::Document) => return vec![None],
            Some((_, false)) => return vec![None],
            Some((id, true)) => self.gold.get(&id),
            None => self.documents.get(&collection),
        };
        documents.into_iter().flatten().map(|document| Some(*document)).collect()
    }
}

/// Says what the study lacks for a protocol that finds nothing to judge.
pub(super) fn nothing_to_judge(connection: &Connection, protocol: &Protocol) -> rusqlite::Result<Error> {
    let wanted = [
        (true, "query", "queries"),
        (protocol.targets(Part::Candidate) || protocol.targets(Part::Bullet), "candidate", "candidates"),
        (protocol.targets(Part::Unit), "unit", "content units"),
        (protocol.targets(Part::Document) && !protocol.targets(Part::Unit), "document", "documents"),
    ];
    for (needed, table, words) in wanted {
        if needed
            && connection
                .query_row(&format!("SELECT NOT EXISTS (SELECT 1 FROM {table})"), [], |row| row.get(0))?
        {
            let what =
                format!("the study has no {words}, so there is nothing to judge under {:?}", protocol.name);
            return Ok(Error::new(what).advise(format!("import some {words} first")));
        }
    }
    if protocol.targets(Part::Unit) && !protocol.units.is_empty() {
        let kinds =
            rows(connection, "SELECT DISTINCT kind FROM unit ORDER BY kind", |row| row.get::<_, String>(0))?;
        if !kinds.iter().any(|kind| protocol.takes_unit(kind)) {
            let what = format!(
                "{:?} judges units of the kind {}, and the study has {} only",
                protocol.name,
                protocol.units.join(" or "),
                kinds.join(" and ")
            );
            return Ok(Error::new(what).advise("take another protocol, or import such units"));
        }
    }
    let what = format!("no query of the study has everything that {:?} judges", protocol.name);
    Ok(Error::new(what).advise("see that candidates, units and their documents belong to the same queries"))
}

/// Puts items in an annotator's order and numbers their groups from `first_group`.
///
/// Groups come in an order that is drawn from the annotator's name, always the same one; within a
/// group the corpus' order stays. Groups of documents or units of one query stay together, and so
/// do the bullets of one candidate.
pub(super) fn arrange<Id>(items: &mut [(Target, Id)], keys: &Keys, annotator: &str, protocol: &Protocol) {
    let seed = format!("the order of {annotator} under {}", protocol.name);
    // The key of an item under a name that no protocol has is as good as random.
    let draw = |part: &Target| keys.of_target(part).item_key(&seed);
    let mut drawn: HashMap<Target, (ItemKey, ItemKey)> = HashMap::new();
    for (target, _) in items.iter() {
        let group = group_of(target, protocol.group);
        drawn.entry(group).or_insert_with(|| (draw(&around(&group, protocol.group)), draw(&group)));
    }
    items.sort_by_cached_key(|(target, _)| (drawn.get(&group_of(target, protocol.group)).copied(), *target));
}

/// The group that a target belongs to: the target without its other parts.
pub(super) fn group_of(target: &Target, by: Part) -> Target {
    let query = Target { query: target.query, document: None, candidate: None, unit: None, bullet: None };
    match by {
        Part::Query => query,
        Part::Document => Target { document: target.document, ..query },
        Part::Unit => Target { unit: target.unit, ..query },
        Part::Candidate => Target { candidate: target.candidate, ..query },
        Part::Bullet => Target { candidate: target.candidate, bullet: target.bullet, ..query },
    }
}

/// What the groups around a group stay together by.
fn around(group: &Target, by: Part) -> Target {
    match by {
        Part::Query | Part::Candidate => *group,
        Part::Document | Part::Unit => group_of(group, Part::Query),
        Part::Bullet => group_of(group, Part::Candidate),
    }
}

fn rows<T>(
    connection: &Connection,
    query: &str,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(query)?.query_map([], read)?.collect()
}

fn grouped<K: Eq + std::hash::Hash, V>(pairs: Vec<(K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}
