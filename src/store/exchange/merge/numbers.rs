//! Numbers of documents that differ between two files.
//!
//! An import by a map numbers documents in the order in which they come, so people who imported different files have different
//! numbers. A number matters only where something refers to it: citations that are no places of a list, sessions, visits
//! that say which documents were opened, judges that were asked, records as they were before a revision, and all who share a hub.
//! Elsewhere the documents of the collection are numbered anew by their names, so that no number depends on which file took
//! in the other.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;

use crate::journal::Happening;
use crate::store::corpus::{CITES_FIELD, CorpusWriter, read};
use crate::store::file::{Tried, all, change, one};
use crate::store::journal::{Phrase, Phrases, amend, said};
use crate::study::{Act, CollectionId, Document};
use crate::text::citation::citations;

/// The collections whose documents have different numbers in the two files.
#[derive(Default)]
pub(super) struct OtherNumbers {
    /// The highest number so far, by collection.
    last: BTreeMap<CollectionId, u32>,
    /// Whether something refers to the numbers, by collection.
    used: HashMap<String, bool>,
}

impl OtherNumbers {
    /// Gives a document of another file the number that it has here, or a free one. Returns whether something
    /// refers to numbers of its collection: then the document keeps its own.
    pub(super) fn fit(
        &mut self,
        corpus: &mut CorpusWriter<'_>,
        files: [&Connection; 2],
        document: &mut Document,
    ) -> Tried<bool> {
        let keys = &mut corpus.keys;
        let Some(scope) = keys.collection(&document.collection)? else { return Ok(false) };
        let here = keys.document(scope, &document.id)?;
        let holder = keys.numbered(scope, document.number)?;
        if document.number == 0 || here == holder || (holder.is_none() && here.is_none()) {
            return Ok(false);
        }
        if !self.used.contains_key(&document.collection) {
            let [ours, theirs] = files.map(|file| uses_numbers(file, &document.collection));
            self.used.insert(document.collection.clone(), ours? || theirs?);
        }
        if self.used.get(&document.collection) == Some(&true) {
            return Ok(true);
        }
        let last = self.last.entry(scope).or_default();
        document.number = match here {
            Some(here) => read::document(files[0], here)?.number,
            None => {
                *last = keys.free_number(&document.collection, *last + 1)?;
                *last
            }
        };
        Ok(false)
    }

    /// Numbers the documents of these collections by their names, shorter names first; returns the number of
    /// collections in which a document got another number.
    pub(super) fn settle(&self, connection: &Connection) -> Tried<usize> {
        const BY_NAME: &str = "(SELECT id AS row, row_number() OVER (ORDER BY length(key), key) AS place
             FROM document WHERE collection = ?1)";
        let mut changed = 0;
        for collection in self.last.keys() {
            let others = format!(
                "SELECT EXISTS (SELECT 1 FROM document, {BY_NAME} WHERE id = row AND number <> place)"
            );
            if !one::<bool>(connection, &others, [collection])? {
                continue;
            }
            // No number stands twice at any time, so all of them first move behind the last.
            let behind = "UPDATE document SET number = number + (SELECT max(number) FROM document WHERE collection = ?1)
                 WHERE collection = ?1";
            change(connection, behind, [collection])?;
            let by_name = format!("UPDATE document SET number = place FROM {BY_NAME} WHERE id = row");
            change(connection, &by_name, [collection])?;
            changed += 1;
        }
        Ok(changed)
    }
}

/// Whether anything in a file refers to the numbers of a collection's documents.
fn uses_numbers(file: &Connection, collection: &str) -> Tried<bool> {
    // A visit tells which documents were opened, and a judge that was asked answers with the numbers that it was shown.
    let numbered = "SELECT EXISTS (SELECT 1 FROM session s JOIN query q ON q.id = s.query JOIN collection c ON c.id = q.collection
           WHERE c.key = ?1)
         OR EXISTS (SELECT 1 FROM original WHERE tbl IN ('document', 'candidate'))
         OR EXISTS (SELECT 1 FROM phrase
           WHERE kind = 'visit' AND instr(body, '\"documents\":[') AND NOT instr(body, '\"documents\":[]'))
         OR EXISTS (SELECT 1 FROM hub WHERE address <> '')";
    let is_asked = amend::read(file)?.iter().any(|amendment| amendment.act == Act::Ask);
    if is_asked || one::<bool>(file, numbered, [collection])? {
        return Ok(true);
    }
    let acts = "SELECT e.body FROM act e JOIN item i ON i.id = e.item JOIN query q ON q.id = i.query
         JOIN collection c ON c.id = q.collection
         WHERE c.key = ?1 AND instr(e.body, CAST('\"documents\":[' AS BLOB))";
    let (mut phrases, bodies) = (Phrases::prepare(file)?, all::<Vec<u8>, Vec<_>>(file, acts, [collection])?);
    for body in bodies {
        let opened = |phrase: &Phrase| matches!(phrase.happening(), Happening::Visit { documents, .. } if !documents.is_empty());
        if said(&mut phrases, &body)?.iter().any(|(_, phrase)| opened(phrase)) {
            return Ok(true);
        }
    }
    let select = "SELECT k.text FROM candidate k JOIN query q ON q.id = k.query JOIN collection c ON c.id = q.collection
         WHERE c.key = ?1 AND instr(k.text, '[') AND NOT instr(coalesce(k.meta, ''), ?2)";
    let texts: Vec<String> = all(file, select, [collection, CITES_FIELD])?;
    Ok(texts.iter().any(|text| !citations(text).is_empty()))
}
