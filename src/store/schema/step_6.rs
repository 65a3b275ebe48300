//! The step to format 6: what imports brought in moves from `event` to `imported`, events of one judgment into one row.
//!
//! Kinds and contents are taken as they stand, read by nobody, so that nothing is lost that this program does not
//! understand. A row takes what belongs together: events that follow each other with the same annotator, item, version,
//! time and texts, of which the first alone may have taken time.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::store::packed::{self, PackedPart, PackedSaid};

/// How far the numbers of the events of a row are apart at most.
pub(in crate::store) const SPAN: i64 = 256;
/// Numbers of events are below 2 to this power.
pub(in crate::store) const BITS: u32 = 40;
/// As in `phrases`, where what is said is written down from then on.
const SHORT: usize = 64;
const MOST: i64 = 4096;

/// What the events of a row have in common.
#[derive(Clone, PartialEq)]
struct Common {
    writer: i64,
    annotator: i64,
    item: i64,
    protocol: i64,
    at: Option<i64>,
    texts: Vec<u8>,
}

/// A row that is being put together.
struct RowInMaking {
    of: Common,
    first: i64,
    last: i64,
    active: i64,
    body: Vec<u8>,
}

const EVENTS: &str = "SELECT writer, seq, annotator, item, protocol, at, texts, active, kind, body FROM event
    WHERE writer < 0 AND kind IN ('answer', 'clear', 'skip', 'flag', 'comment')
      AND seq BETWEEN 1 AND (1 << 40) - 1 ORDER BY writer, seq";

const GONE: &str = "DELETE FROM event
    WHERE writer < 0 AND kind IN ('answer', 'clear', 'skip', 'flag', 'comment')
      AND seq BETWEEN 1 AND (1 << 40) - 1";

/// Moves them. The table `event` must let rows go.
pub(in crate::store) fn move_imports(connection: &Connection) -> rusqlite::Result<()> {
    let mut moving = Moving::prepare(connection)?;
    let mut events = connection.prepare(EVENTS)?;
    let mut rows = events.query([])?;
    let mut open: Option<RowInMaking> = None;
    while let Some(row) = rows.next()? {
        let of = Common {
            writer: row.get(0)?,
            annotator: row.get(2)?,
            item: row.get(3)?,
            protocol: row.get(4)?,
            at: row.get(5)?,
            texts: row.get(6)?,
        };
        let (seq, active): (i64, i64) = (row.get(1)?, row.get(7)?);
        let goes_on = |open: &RowInMaking| open.of == of && active == 0 && seq - open.first < SPAN;
        if !open.as_ref().is_some_and(goes_on)
            && let Some(done) = open.take()
        {
            moving.put(&done)?;
        }
        let open = open.get_or_insert_with(|| RowInMaking {
            of,
            first: seq,
            last: seq,
            active,
            body: packed::empty(),
        });
        let said = moving.said(row.get_ref(8)?.as_str()?, row.get_ref(9)?.as_str()?)?;
        packed::push(&mut open.body, &PackedPart { gap: seq - open.last, said });
        open.last = seq;
    }
    if let Some(done) = open {
        moving.put(&done)?;
    }
    drop(rows);
    connection.execute_batch(GONE)
}

struct Moving<'c> {
    connection: &'c Connection,
    writers: HashMap<i64, i64>,
    /// By kind and contents.
    phrases: HashMap<String, HashMap<String, Option<i64>>>,
    texts: HashMap<i64, Option<Vec<u8>>>,
    insert: rusqlite::Statement<'c>,
}

impl<'c> Moving<'c> {
    fn prepare(connection: &'c Connection) -> rusqlite::Result<Moving<'c>> {
        let insert = "INSERT OR IGNORE INTO imported (id, annotator, item, protocol, at, active, texts, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        Ok(Moving {
            connection,
            writers: HashMap::new(),
            phrases: HashMap::new(),
            texts: HashMap::new(),
            insert: connection.prepare(insert)?,
        })
    }

    fn said<'t>(&mut self, kind: &'t str, body: &'t str) -> rusqlite::Result<PackedSaid<'t>> {
        let text = PackedSaid::Text { kind, body };
        if body.len() > SHORT {
            return Ok(text);
        }
        if let Some(known) = self.phrases.get(kind).and_then(|bodies| bodies.get(body)) {
            return Ok(known.map_or(text, PackedSaid::Phrase));
        }
        let add = "INSERT INTO phrase (kind, body) SELECT ?1, ?2 WHERE (SELECT count(*) FROM phrase) < ?3
            ON CONFLICT DO NOTHING";
        self.connection.execute(add, params![kind, body, MOST])?;
        let find = "SELECT id FROM phrase WHERE kind = ?1 AND body = ?2";
        let number = self.connection.query_row(find, params![kind, body], |row| row.get(0)).optional()?;
        self.phrases.entry(kind.to_owned()).or_default().insert(body.to_owned(), number);
        Ok(number.map_or(text, PackedSaid::Phrase))
    }

    fn put(&mut self, row: &RowInMaking) -> rusqlite::Result<()> {
        let Common { writer, annotator, item, protocol, at, texts } = &row.of;
        let no = match self.writers.get(writer) {
            Some(no) => *no,
            None => {
                let add = "INSERT INTO writer (key) VALUES (?1) ON CONFLICT DO NOTHING";
                self.connection.execute(add, [writer])?;
                let find = "SELECT no FROM writer WHERE key = ?1";
                let no = self.connection.query_row(find, [writer], |row| row.get(0))?;
                self.writers.insert(*writer, no);
                no
            }
        };
        if !self.texts.contains_key(item) {
            let keep = "UPDATE item SET texts = ?2 WHERE id = ?1 AND texts IS NULL";
            self.connection.prepare_cached(keep)?.execute(params![item, texts])?;
            let kept = self
                .connection
                .prepare_cached("SELECT texts FROM item WHERE id = ?1")?
                .query_row([item], |row| row.get(0))
                .optional()?
                .flatten();
            self.texts.insert(*item, kept);
        }
        let is_kept = self.texts.get(item).and_then(Option::as_ref) == Some(texts);
        let own = Some(texts).filter(|_| !is_kept);
        let id = no << BITS | row.first;
        self.insert.execute(params![id, annotator, item, protocol, at, row.active, own, row.body])?;
        Ok(())
    }
}
