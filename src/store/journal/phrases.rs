//! Phrases: kinds and contents of events that occur again and again are kept once, and rows name them by number.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use serde_json::Value;

use super::packed::PackedSaid;
use super::{PackedPart, packed};
use crate::journal::{ADJUDICATE, Event, Happening};
use crate::store::file::Tried;

/// Contents longer than this, in bytes, stand in the row itself.
const SHORT: usize = 64;

/// The most phrases of a file: contents that differ from judgment to judgment are no phrases.
const MOST: i64 = 4096;

/// Kind and contents of an event, with the happening that they mean.
#[derive(Debug)]
pub(crate) struct Phrase {
    pub(crate) kind: String,
    pub(crate) body: String,
    happening: Happening,
    is_readable: bool,
}

impl Phrase {
    pub(crate) fn new(kind: &str, body: &str) -> Phrase {
        // Contents that cannot be read are kept and ignored, like those of a newer program.
        let value = serde_json::from_str(body).ok();
        let is_readable = value.is_some() && kind != LOST;
        let happening = Happening::read(kind, value.unwrap_or_else(|| Value::from(body)));
        Phrase { kind: kind.to_owned(), body: body.to_owned(), happening, is_readable }
    }

    /// Whether the contents are there and are JSON.
    pub(crate) fn is_readable(&self) -> bool {
        self.is_readable
    }

    pub(crate) fn happening(&self) -> &Happening {
        &self.happening
    }
}

/// The phrases of a file, each looked up once.
pub(crate) struct Phrases<'c> {
    by_number: HashMap<i64, Rc<Phrase>>,
    /// The numbers of phrases by kind, then contents; `None` for contents that are no phrase.
    numbers: HashMap<String, HashMap<String, Option<i64>>>,
    read: CachedStatement<'c>,
    find: CachedStatement<'c>,
    add: CachedStatement<'c>,
}

impl<'c> Phrases<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<Phrases<'c>> {
        Ok(Phrases {
            by_number: HashMap::new(),
            numbers: HashMap::new(),
            read: connection.prepare_cached("SELECT kind, body FROM phrase WHERE id = ?1")?,
            find: connection.prepare_cached("SELECT id FROM phrase WHERE kind = ?1 AND body = ?2")?,
            add: connection.prepare_cached(
                "INSERT INTO phrase (kind, body) SELECT ?1, ?2 WHERE (SELECT count(*) FROM phrase) < ?3
                 RETURNING id",
            )?,
        })
    }

    /// The phrase of a packed event.
    pub(crate) fn of(&mut self, part: &PackedPart<'_>) -> Tried<Rc<Phrase>> {
        match part.said {
            PackedSaid::Phrase(number) => self.numbered(number),
            PackedSaid::Text { kind, body } => Ok(Rc::new(Phrase::new(kind, body))),
        }
    }

    /// The phrase of a number. A lost one is of an unknown kind.
    pub(crate) fn numbered(&mut self, number: i64) -> Tried<Rc<Phrase>> {
        if let Some(phrase) = self.by_number.get(&number) {
            return Ok(Rc::clone(phrase));
        }
        let read =
            |row: &rusqlite::Row<'_>| Ok(Phrase::new(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?));
        let phrase = self.read.query_row([number], read).optional()?;
        let phrase = Rc::new(phrase.unwrap_or_else(|| Phrase::new(LOST, "null")));
        self.by_number.insert(number, Rc::clone(&phrase));
        Ok(phrase)
    }

    /// The packed form of an event: short contents by the number of their phrase, which is made where there is none.
    pub(crate) fn said<'t>(&mut self, kind: &'t str, body: &'t str) -> Tried<PackedSaid<'t>> {
        if body.len() > SHORT || !recurs(kind, body) {
            return Ok(PackedSaid::Text { kind, body });
        }
        if let Some(number) = self.numbers.get(kind).and_then(|bodies| bodies.get(body)) {
            return Ok(number.map_or(PackedSaid::Text { kind, body }, PackedSaid::Phrase));
        }
        let found = self.find.query_row(params![kind, body], |row| row.get(0)).optional()?;
        let number: Option<i64> = match found {
            Some(number) => Some(number),
            None => self.add.query_row(params![kind, body, MOST], |row| row.get(0)).optional()?,
        };
        let known = self.numbers.entry(kind.to_owned()).or_default();
        if known.len() >= 2 * SHORT * SHORT {
            known.clear();
        }
        known.insert(body.to_owned(), number);
        Ok(number.map_or(PackedSaid::Text { kind, body }, PackedSaid::Phrase))
    }

    /// The packed form of events, ascending by number.
    pub(crate) fn pack(&mut self, events: &[Event]) -> Tried<Vec<u8>> {
        let mut body = packed::empty();
        let mut last = events.first().map_or(0, |event| event.id.seq);
        for event in events {
            let text = event.happening.body().to_string();
            let said = self.said(event.happening.kind(), &text)?;
            packed::push(&mut body, &PackedPart { gap: event.id.seq - last, said });
            last = event.id.seq;
        }
        Ok(body)
    }
}

/// Whether contents occur again and again. Texts that somebody wrote, names of other events and lists of documents do not.
fn recurs(kind: &str, body: &str) -> bool {
    match kind {
        "comment" | "retract" | ADJUDICATE => false,
        "visit" => body.contains(r#""documents":[]"#),
        _ => true,
    }
}

/// The kind of lost contents.
const LOST: &str = "lost";

/// The happening of an event whose contents are lost.
pub(crate) fn lost() -> Happening {
    Happening::Unknown { kind: LOST.to_owned(), body: Value::Null }
}
