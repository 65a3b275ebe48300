//! Texts of the corpus that an import looks at: for evidence, for bullets, for fingerprints.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, Row};
use serde_json::Value;

use super::items::Target;
use crate::store::file::fault::Tried;
use crate::study::item::judged_texts;
use crate::study::{CandidateId, DocumentId, QueryId, UnitId};
use crate::text::hash::{Fingerprint, fingerprint};

/// The record whose text is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::store) enum TextOf {
    Query(QueryId),
    Document(DocumentId),
    Unit(UnitId),
    Candidate(CandidateId),
}

/// The columns of `candidate` that [`first_text`] reads.
pub(in crate::store) const FIRST_TEXT: &str =
    "text, (SELECT o.record FROM original o WHERE o.tbl = 'candidate' AND o.id = candidate.id)";

/// The fingerprint of the text of a candidate as it came in, whatever was revised since, from these two columns on.
pub(in crate::store) fn first_text(row: &Row<'_>, at: usize) -> rusqlite::Result<Fingerprint> {
    let original: Option<String> = row.get(at + 1)?;
    let original = original.and_then(|record| serde_json::from_str::<Value>(&record).ok());
    let text = original.as_ref().and_then(|record| record.get("text")?.as_str());
    Ok(fingerprint([text.unwrap_or(row.get_ref(at)?.as_str()?)]))
}

/// Bytes of texts kept in memory: a few haystacks.
const KEPT: usize = 8 << 20;

/// Reads texts and keeps the latest ones, because records about the same text tend to stand together.
pub(in crate::store) struct Texts<'c> {
    query: CachedStatement<'c>,
    document: CachedStatement<'c>,
    unit: CachedStatement<'c>,
    candidate: CachedStatement<'c>,
    first: CachedStatement<'c>,
    kept: HashMap<TextOf, Rc<str>>,
    bytes: usize,
}

impl<'c> Texts<'c> {
    pub(in crate::store) fn prepare(connection: &'c Connection) -> Tried<Texts<'c>> {
        Ok(Texts {
            query: connection.prepare_cached("SELECT text FROM query WHERE id = ?1")?,
            document: connection.prepare_cached("SELECT text FROM document WHERE id = ?1")?,
            unit: connection.prepare_cached("SELECT text FROM unit WHERE id = ?1")?,
            candidate: connection.prepare_cached("SELECT text FROM candidate WHERE id = ?1")?,
            first: connection.prepare_cached(&format!("SELECT {FIRST_TEXT} FROM candidate WHERE id = ?1"))?,
            kept: HashMap::new(),
            bytes: 0,
        })
    }

    pub(in crate::store) fn of(&mut self, whose: TextOf) -> Tried<Rc<str>> {
        if let Some(text) = self.kept.get(&whose) {
            return Ok(Rc::clone(text));
        }
        let (statement, id) = match whose {
            TextOf::Query(id) => (&mut self.query, id.0),
            TextOf::Document(id) => (&mut self.document, id.0),
            TextOf::Unit(id) => (&mut self.unit, id.0),
            TextOf::Candidate(id) => (&mut self.candidate, id.0),
        };
        let text: Rc<str> = statement.query_row([id], |row| row.get(0))?;
        if self.bytes + text.len() > KEPT {
            self.kept.clear();
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.kept.insert(whose, Rc::clone(&text));
        Ok(text)
    }

    /// The fingerprint of a candidate's text as it came in.
    pub(in crate::store) fn first(&mut self, candidate: CandidateId) -> Tried<Fingerprint> {
        Ok(self.first.query_row([candidate.0], |row| first_text(row, 0))?)
    }

    /// The fingerprint of the texts that a judgment of this target is about.
    pub(in crate::store) fn of_target(&mut self, target: &Target) -> Tried<Fingerprint> {
        let mut text = |whose: Option<TextOf>| whose.map_or_else(|| Ok(Rc::from("")), |whose| self.of(whose));
        let query = text(Some(TextOf::Query(target.query)))?;
        let document = text(target.document.map(TextOf::Document))?;
        let unit = text(target.unit.map(TextOf::Unit))?;
        let candidate = text(target.candidate.map(TextOf::Candidate))?;
        let other = target.other.map(|other| text(Some(TextOf::Candidate(other)))).transpose()?;
        Ok(judged_texts(&query, &document, &unit, &candidate, other.as_deref()))
    }
}
