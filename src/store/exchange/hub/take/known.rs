//! The rows that the names in things stand for. Rows of names that were looked up before are remembered.

use std::collections::HashMap;

use rusqlite::params;

use super::super::body::Values;
use super::super::give::GivenNames;
use super::super::names::alias;
use super::Taker;
use super::held::{Took, held, unknown, unread};
use crate::journal::Happening;
use crate::protocol::{Protocol, builtin, builtins};
use crate::store::corpus::{Target, protocols, writer};
use crate::store::exchange::sense::{LONGEST_NAME, is_known};
use crate::store::file::{Tried, all, first, said};
use crate::study::{
    Annotator, AnnotatorId, AnnotatorKind, Aside, CandidateId, DocumentId, ItemId, Meta, QueryId, SessionId,
    TargetKeys, UnitId,
};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

/// The rows of names that were looked up before.
#[derive(Default)]
pub(crate) struct KnownRows {
    pub(crate) names: GivenNames,
    items: FastMap<Vec<u8>, ItemId>,
    annotators: HashMap<String, AnnotatorId>,
    versions: HashMap<Fingerprint, i64>,
    /// Protocols by the hash of the version; `None` where this program does not understand it.
    protocols: HashMap<Fingerprint, Option<Protocol>>,
    /// Sessions by key, with their annotators.
    sessions: HashMap<Fingerprint, (SessionId, AnnotatorId)>,
}

impl Taker<'_> {
    pub(super) fn annotator(&mut self, name: &str) -> Tried<AnnotatorId> {
        if let Some(id) = self.known.annotators.get(name) {
            return Ok(*id);
        }
        let found = first(self.connection, "SELECT id FROM annotator WHERE key = ?1", [name])?;
        let id = match found {
            Some(id) => id,
            None if name.len() > LONGEST_NAME => return Err(said("the name of its sender is too long")),
            None => {
                let person = Annotator { id: name.to_owned(), kind: AnnotatorKind::Human, meta: Meta::new() };
                let id = writer::add_annotator(self.connection, None, &person)?;
                // An amendment may have come before the name that it is about.
                self.news.may_free = true;
                if let Some(corpus) = &mut self.corpus {
                    corpus.keys.add_annotator(name, id);
                }
                id
            }
        };
        self.known.annotators.insert(name.to_owned(), id);
        Ok(id)
    }

    pub(super) fn find_version(&mut self, hash: Fingerprint) -> Tried<Option<i64>> {
        first(self.connection, "SELECT id FROM protocol_version WHERE hash = ?1", [hash])
    }

    pub(super) fn version(&mut self, hash: Fingerprint) -> Took<i64> {
        if let Some(id) = self.known.versions.get(&hash) {
            return Ok(*id);
        }
        let id = match self.find_version(hash)? {
            Some(id) => id,
            None => {
                let known = builtins().iter().find(|protocol| protocol.hash == hash);
                let known = known.ok_or_else(|| {
                    unknown("it was given under a version of a protocol that the study does not have")
                })?;
                let name = protocols::keep_name(self.connection, &known.name)?;
                protocols::keep_version(self.connection, name, known)?.0
            }
        };
        self.known.versions.insert(hash, id);
        Ok(id)
    }

    /// Refuses answers that their version of the protocol does not know.
    pub(super) fn refuse_other_answers(&mut self, version: Fingerprint, happening: &Happening) -> Took<()> {
        let protocol = match self.known.protocols.get(&version) {
            Some(known) => known,
            None => {
                let found = builtins().iter().find(|protocol| protocol.hash == version).cloned();
                let select = "SELECT file FROM protocol_version WHERE hash = ?1";
                let found = match found {
                    Some(found) => Some(found),
                    None => {
                        let file: Option<String> = first(self.connection, select, [version])?;
                        // A text that this program cannot parse may be a newer program's.
                        file.and_then(|file| Protocol::parse(&file, "").ok())
                    }
                };
                self.known.protocols.entry(version).or_insert(found)
            }
        };
        match protocol {
            Some(protocol) if !is_known(protocol, happening) => {
                Err(held("its answer is none that its version of the protocol knows"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn session(&mut self, key: Fingerprint) -> Took<(SessionId, AnnotatorId)> {
        if let Some(session) = self.known.sessions.get(&key) {
            return Ok(*session);
        }
        let select = "SELECT id, annotator FROM session WHERE key = ?1";
        let found = first(self.connection, select, [key])?;
        let session = found.ok_or_else(|| unknown("its session is not in the study"))?;
        self.known.sessions.insert(key, session);
        Ok(session)
    }

    pub(super) fn query(&mut self, collection: &str, query: &str) -> Took<(i64, i64)> {
        let select = "SELECT q.id, c.id FROM query q JOIN collection c ON c.id = q.collection
             WHERE c.key = ?1 AND q.key = ?2";
        let found = first(self.connection, select, [collection, query])?;
        found.ok_or_else(|| {
            unknown(format!("query {query:?} of collection {collection:?} is not in the study"))
        })
    }

    /// The item with these names, made where there is none.
    pub(super) fn item(&mut self, names: &[u8]) -> Took<ItemId> {
        if let Some(item) = self.known.items.get(names) {
            return Ok(*item);
        }
        let item = self.find_item(names)?;
        self.known.items.insert(names.to_vec(), item);
        Ok(item)
    }

    fn find_item(&mut self, names: &[u8]) -> Took<ItemId> {
        let mut values = Values::bare(names);
        let mut text = || values.text_or_null().ok_or_else(unread);
        let (protocol, aside) = (text()?.ok_or_else(unread)?, text()?);
        let (collection, query) = (text()?.ok_or_else(unread)?, text()?.ok_or_else(unread)?);
        let (document, unit, candidate) = (text()?, text()?, text()?);
        let (bullet, other) = match values.text_ahead() {
            Some(other) => (None, Some(other)),
            None => (values.number_or_null().ok_or_else(unread)?, None),
        };
        let bullet = bullet.map(u32::try_from).transpose().map_err(|_| unread())?;
        let aside = match aside {
            Some(name) => Some(Aside::named(name).ok_or_else(unread)?),
            None => None,
        };
        let connection = self.connection;
        let (query_id, scope) = self.query(collection, query)?;
        let find = |select: &str, scope: i64, key: &str, what: &str| -> Took<i64> {
            let found = first(connection, select, params![scope, key])?;
            found.ok_or_else(|| unknown(format!("{what} {key:?} of query {query:?} is not in the study")))
        };
        let named = |candidate: Option<&str>| match (candidate, self.home.secret.as_deref()) {
            (Some(alias), Some(secret)) => self.named(secret, (collection, query, query_id), alias).map(Some),
            (candidate, _) => Ok(candidate.map(str::to_owned)),
        };
        let (candidate, other) = (named(candidate)?, named(other)?);
        const DOCUMENT: &str = "SELECT id FROM document WHERE collection = ?1 AND key = ?2";
        const UNIT: &str = "SELECT id FROM unit WHERE query = ?1 AND key = ?2";
        const CANDIDATE: &str = "SELECT id FROM candidate WHERE query = ?1 AND key = ?2";
        let ids = [
            document.map(|key| find(DOCUMENT, scope, key, "document")).transpose()?,
            unit.map(|key| find(UNIT, query_id, key, "unit")).transpose()?,
            candidate.as_deref().map(|key| find(CANDIDATE, query_id, key, "candidate")).transpose()?,
            other.as_deref().map(|key| find(CANDIDATE, query_id, key, "candidate")).transpose()?,
        ];
        let known = protocols::id_of(connection, protocol)?;
        if known.is_none() && builtin(protocol).is_none() {
            return Err(unknown(format!("the protocol {protocol:?} is not in the study")));
        }
        let id = protocols::keep_name(connection, protocol)?;
        let [document_id, unit_id, candidate_id, other_id] = ids;
        let target = Target {
            query: QueryId(query_id),
            document: document_id.map(DocumentId),
            unit: unit_id.map(UnitId),
            candidate: candidate_id.map(CandidateId),
            bullet,
            other: other_id.map(CandidateId),
        };
        let keys = || TargetKeys {
            collection: collection.to_owned(),
            query: query.to_owned(),
            document: document.map(str::to_owned),
            unit: unit.map(str::to_owned),
            candidate,
            bullet,
            other,
        };
        Ok(self.items.keep((id, protocol), target, aside, keys)?)
    }

    /// The candidate of a query that has this alias.
    fn named(&self, secret: &[u8], of: (&str, &str, i64), hidden: &str) -> Took<String> {
        let (collection, query, id) = of;
        let keys: Vec<String> = all(self.connection, "SELECT key FROM candidate WHERE query = ?1", [id])?;
        keys.into_iter()
            // The file in which a summary was written has it under its own key.
            .find(|key| key == hidden || alias(secret, collection, query, key) == hidden)
            .ok_or_else(|| unknown(format!("candidate {hidden:?} of query {query:?} is not in the study")))
    }
}
