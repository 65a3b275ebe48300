//! Texts of the corpus that an import looks at: for evidence, for bullets, for fingerprints.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{Connection, Row};
use serde_json::Value;

use super::{Target, records_of};
use crate::store::file::{Tried, one, one_by};
use crate::study::item::judged_texts;
use crate::study::{CandidateId, RecordKind};
use crate::text::hash::{Fingerprint, fingerprint};

/// The columns of `candidate` that [`first_text`] reads.
pub(crate) const FIRST_TEXT: &str =
    "text, (SELECT o.record FROM original o WHERE o.tbl = 'candidate' AND o.id = candidate.id)";

/// The fingerprint of the text of a candidate as it came in, whatever was revised since, from these two columns on.
pub(crate) fn first_text(row: &Row<'_>, at: usize) -> rusqlite::Result<Fingerprint> {
    let original: Option<String> = row.get(at + 1)?;
    let original = original.and_then(|record| serde_json::from_str::<Value>(&record).ok());
    let text = original.as_ref().and_then(|record| record.get("text")?.as_str());
    Ok(fingerprint([text.unwrap_or(row.get_ref(at)?.as_str()?)]))
}

/// Bytes of texts kept in memory: a few haystacks.
const KEPT: usize = 8 << 20;

/// Reads texts and keeps the latest ones, because records about the same text tend to stand together.
pub(crate) struct Texts<'c> {
    connection: &'c Connection,
    kept: HashMap<(RecordKind, i64), Rc<str>>,
    bytes: usize,
}

impl<'c> Texts<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Texts<'c> {
        Texts { connection, kept: HashMap::new(), bytes: 0 }
    }

    /// The text of a record.
    pub(crate) fn of(&mut self, kind: RecordKind, row: i64) -> Tried<Rc<str>> {
        if let Some(text) = self.kept.get(&(kind, row)) {
            return Ok(Rc::clone(text));
        }
        let select = format!("SELECT text FROM {} WHERE id = ?1", kind.name());
        let text: Rc<str> = one::<String>(self.connection, &select, [row])?.into();
        if self.bytes + text.len() > KEPT {
            self.kept.clear();
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.kept.insert((kind, row), Rc::clone(&text));
        Ok(text)
    }

    /// The fingerprint of a candidate's text as it came in.
    pub(crate) fn first(&mut self, candidate: CandidateId) -> Tried<Fingerprint> {
        let select = format!("SELECT {FIRST_TEXT} FROM candidate WHERE id = ?1");
        one_by(self.connection, &select, [candidate], |row| first_text(row, 0))
    }

    /// The fingerprint of the texts that a judgment of this target is about.
    pub(crate) fn of_target(&mut self, target: &Target) -> Tried<Fingerprint> {
        let text = |(kind, row): (RecordKind, Option<i64>)| row.map(|row| self.of(kind, row)).transpose();
        let texts = records_of(target).into_iter().map(text).collect::<Tried<Vec<_>>>()?;
        let text = |place: usize| texts[place].as_deref();
        let [query, document, unit, candidate] = [0, 1, 2, 3].map(|place| text(place).unwrap_or_default());
        Ok(judged_texts(query, document, unit, candidate, text(4)))
    }
}
