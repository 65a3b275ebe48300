//! The tables of a study file, version by version.
//!
//! Two kinds of tables. The corpus, the people, the protocols and the journal (`event`) are what
//! was brought in or done; nothing in them is ever overwritten. `standing`, `queue` and
//! `progress` are caches: folds over the journal, kept in the transaction that appends to it, and
//! made anew from it at any time (`StudyFile::rebuild_caches`).
//!
//! # The journal in two tables
//! What somebody does on a screen is one row of `event` each. What an imported judgment says — answers, comment, flag,
//! skip — is one row of `imported` for all of it: a million judgments come in at once, and their rows are what a study
//! file is made of. Both are the same events, with the same writers and numbers, for whoever reads the journal; a row of
//! `imported` is only how several of them lie in the file, so merging goes event by event and an older file has the same.
//!
//! - A row's number is `writer.no << 40 | number of its first event`: the name of the event is the place of the row, rows
//!   come in at the end of the table, and there is no second index for names. `writer` gives the short number that an
//!   import's writer has in this file; it is another one in the next file.
//! - `body` says the events one after the other, by how far their numbers are apart (see `packed`). What is said again and
//!   again is a row of `phrase`, kind and contents as they stood in `event` before, and is named by its number; the unique
//!   index of `phrase` holds the same once more, and so does that of `writer`, for the day on which a page is lost.
//! - `item.texts` is the fingerprint of the texts on which an import first judged the item; a row of `imported` has its own
//!   only where it is another one.
//! - An event of an import that is none of these kinds, such as a verdict, stands in `event`.
//!
//! The answers of a `standing` lie in it in the same form, so a judgment costs a row of `imported`, one of its index and
//! one of `standing`.

mod step_6;
mod step_7;
mod step_8;
mod step_9;

use rusqlite::Connection;

pub(super) use step_6::{BITS, SPAN, move_imports};
pub(super) use step_7::{ImportTrigger, SHARED};
pub(super) use step_9::{SUMMED, Summed};

/// Marks a file as a study, in SQLite's header: `haym`.
pub(super) const APPLICATION_ID: i32 = 0x6861_796d;

/// Takes the tables from one version to the next.
pub(super) type Migration = fn(&Connection) -> rusqlite::Result<()>;

/// The step to version n stands at index n - 1. Entries are added, never changed. A step leaves the
/// caches empty or with gaps: they are made anew after the last one.
pub(super) const MIGRATIONS: &[Migration] = &[
    version_1,
    version_2,
    version_3,
    version_4,
    version_5,
    version_6,
    step_7::add_hub,
    step_8::add_leases,
    step_9::add_sums,
];

fn version_1(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    for tables in [CORPUS, PROTOCOLS, JOURNAL, INDEX_EVENTS, CACHES] {
        connection.execute_batch(tables)?;
    }
    Ok(())
}

fn version_2(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(OWN_PROTOCOLS)
}

fn version_3(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(UNITS_OF_CANDIDATES)
}

fn version_4(connection: &Connection) -> rusqlite::Result<()> {
    for tables in [SESSIONS, ASSIGNMENTS, ASIDES, VIEWS, INDEX_ADJUDICATIONS] {
        connection.execute_batch(tables)?;
    }
    Ok(())
}

/// No other tables: caches made before may hold answers to questions that are not asked, as merging put
/// them together, and are made anew.
fn version_5(_: &Connection) -> rusqlite::Result<()> {
    Ok(())
}

/// What imports brought in moves from `event` to `imported`, as it is; the caches hold answers in another form.
fn version_6(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(IMPORTED)?;
    connection.execute_batch(INDEX_IMPORTED)?;
    let any: bool = connection.query_row(ANY_IMPORTED_EVENT, [], |row| row.get(0))?;
    if any {
        connection.execute_batch(OPEN_EVENTS)?;
        step_6::move_imports(connection)?;
        connection.execute_batch(CLOSE_EVENTS)?;
    }
    connection.execute_batch(STANDINGS_WITH_ANSWERS)
}

/// Long texts stand last, so that reading the columns before them does not read the texts.
const CORPUS: &str = "
CREATE TABLE collection (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  title TEXT,
  domain TEXT,
  meta TEXT
) STRICT;
CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collection (id),
  number INTEGER NOT NULL CHECK (number >= 1),
  key TEXT NOT NULL,
  title TEXT,
  meta TEXT,
  text TEXT NOT NULL,
  UNIQUE (collection, key),
  UNIQUE (collection, number)
) STRICT;
CREATE TABLE query (
  id INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collection (id),
  key TEXT NOT NULL,
  category TEXT,
  domain TEXT,
  meta TEXT,
  text TEXT NOT NULL,
  UNIQUE (collection, key)
) STRICT;
CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query (id),
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  gold_known INTEGER NOT NULL CHECK (gold_known BETWEEN 0 AND 1),
  score REAL,
  title TEXT,
  meta TEXT,
  text TEXT NOT NULL,
  UNIQUE (query, key)
) STRICT;
-- The documents that contain a unit, where that is known (unit.gold_known).
CREATE TABLE gold (
  unit INTEGER NOT NULL REFERENCES unit (id),
  document INTEGER NOT NULL REFERENCES document (id),
  PRIMARY KEY (unit, document)
) STRICT, WITHOUT ROWID;
-- given_start is the offset that came with the quote; the span is where it was found, if at all.
CREATE TABLE evidence (
  unit INTEGER NOT NULL REFERENCES unit (id),
  ordinal INTEGER NOT NULL,
  document INTEGER NOT NULL REFERENCES document (id),
  given_start INTEGER,
  span_start INTEGER,
  span_end INTEGER,
  quote TEXT NOT NULL,
  PRIMARY KEY (unit, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE candidate (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query (id),
  key TEXT NOT NULL,
  summarizer TEXT,
  retriever TEXT,
  document_order TEXT,
  meta TEXT,
  text TEXT NOT NULL,
  UNIQUE (query, key)
) STRICT;
CREATE TABLE annotator (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('human', 'model')),
  meta TEXT
) STRICT;
-- Raised by every import that adds to the corpus: queues and loaded documents look at it.
CREATE TABLE revision (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  corpus INTEGER NOT NULL
) STRICT;
INSERT INTO revision VALUES (1, 0);
-- Where judgments that were not made here came from.
CREATE TABLE import (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  content BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
";

const PROTOCOLS: &str = "
CREATE TABLE protocol (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
-- Every version that something was judged under.
CREATE TABLE protocol_version (
  id INTEGER PRIMARY KEY,
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  version INTEGER NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  file TEXT NOT NULL
) STRICT;
CREATE TABLE question (
  id INTEGER PRIMARY KEY,
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  key TEXT NOT NULL,
  UNIQUE (protocol, key)
) STRICT;
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  query INTEGER NOT NULL REFERENCES query (id),
  document INTEGER REFERENCES document (id),
  unit INTEGER REFERENCES unit (id),
  candidate INTEGER REFERENCES candidate (id),
  bullet INTEGER
) STRICT;
";

/// own: 1 for a protocol that the study brought along, even if a built-in one takes its name later.
/// The latest guideline of a version counts; built-in ones have none here. `standing.version` is the
/// number of the version that the answers were given under.
const OWN_PROTOCOLS: &str = "
ALTER TABLE protocol ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own BETWEEN 0 AND 1);
CREATE TABLE guideline (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL REFERENCES protocol_version (id),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX guideline_of_version ON guideline (version, id);
ALTER TABLE standing ADD COLUMN version INTEGER;
";

/// The key of the candidate that a unit was taken from. A key and no row: in files units stand before
/// candidates.
const UNITS_OF_CANDIDATES: &str = "ALTER TABLE unit ADD COLUMN candidate TEXT;";

/// A session is one person writing one summary; `setup` is what was decided before it began, in JSON.
/// `at` is the wall time in milliseconds since 1970, `active` the active milliseconds since the session
/// began. Writers are those of the journal.
const SESSIONS: &str = "
CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  query INTEGER NOT NULL REFERENCES query (id),
  setup TEXT NOT NULL
) STRICT;
CREATE TABLE session_event (
  writer INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES session (id),
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  active INTEGER NOT NULL,
  PRIMARY KEY (writer, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_event_of_session ON session_event (session);
CREATE INDEX session_opening ON session_event (session) WHERE kind = 'open';
CREATE TRIGGER session_is_never_updated BEFORE UPDATE ON session
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER session_is_never_deleted BEFORE DELETE ON session
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER session_event_is_never_updated BEFORE UPDATE ON session_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER session_event_is_never_deleted BEFORE DELETE ON session_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
";

/// Who is to judge what: the latest event of an annotator and an item counts.
const ASSIGNMENTS: &str = "
CREATE TABLE assignment_event (
  writer INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  item INTEGER NOT NULL REFERENCES item (id),
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (writer, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_event_of_annotator ON assignment_event (annotator, item);
CREATE TRIGGER assignment_event_is_never_updated BEFORE UPDATE ON assignment_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER assignment_event_is_never_deleted BEFORE DELETE ON assignment_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
";

/// Items that are asked beside the study: their judgments stand in the journal and in no cache, so that
/// nothing that counts judgments can meet them.
const ASIDES: &str = "
ALTER TABLE item ADD COLUMN aside TEXT CHECK (aside IN ('calibration', 'repeat'));
";

/// Saved views of the tables of browse: the latest event of a name counts.
const VIEWS: &str = "
CREATE TABLE view_event (
  writer INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (writer, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER view_event_is_never_updated BEFORE UPDATE ON view_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER view_event_is_never_deleted BEFORE DELETE ON view_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
";

/// The few events that settle a disagreement, among the many that judge.
const INDEX_ADJUDICATIONS: &str =
    "CREATE INDEX event_adjudication ON event (item, annotator) WHERE kind = 'adjudicate';";

/// `at` is in milliseconds since 1970, `active` in milliseconds.
///
/// Writers above 0 are openings of a study file for writing, those below are imported files: only
/// what was done in haymark is undone, resumed, and kept in order of time.
const JOURNAL: &str = "
CREATE TABLE event (
  writer INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  item INTEGER NOT NULL REFERENCES item (id),
  protocol INTEGER NOT NULL REFERENCES protocol_version (id),
  body TEXT NOT NULL,
  at INTEGER,
  active INTEGER NOT NULL,
  texts BLOB NOT NULL,
  PRIMARY KEY (writer, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_made_here ON event (annotator, at) WHERE writer > 0;
CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
";

/// The way from an annotator and an item to their events.
const INDEX_EVENTS: &str = "CREATE INDEX event_of_item ON event (annotator, item);";

/// See the top of this file.
const IMPORTED: &str = "
ALTER TABLE item ADD COLUMN texts BLOB CHECK (length(texts) = 16);
CREATE TABLE writer (
  no INTEGER PRIMARY KEY,
  key INTEGER NOT NULL UNIQUE
) STRICT;
CREATE TABLE phrase (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (kind, body)
) STRICT;
CREATE TABLE imported (
  id INTEGER PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  item INTEGER NOT NULL REFERENCES item (id),
  protocol INTEGER NOT NULL REFERENCES protocol_version (id),
  at INTEGER,
  active INTEGER NOT NULL,
  texts BLOB CHECK (length(texts) = 16),
  body BLOB NOT NULL
) STRICT;
CREATE TRIGGER imported_is_never_updated BEFORE UPDATE ON imported
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER imported_is_never_deleted BEFORE DELETE ON imported
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER writer_is_never_updated BEFORE UPDATE ON writer
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER writer_is_never_deleted BEFORE DELETE ON writer
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER phrase_is_never_updated BEFORE UPDATE ON phrase
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER phrase_is_never_deleted BEFORE DELETE ON phrase
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
";

/// The way from an annotator and an item to what was imported. An import into an empty journal puts it
/// off until the rows are there.
pub(super) const INDEX_IMPORTED: &str = "CREATE INDEX imported_of_item ON imported (annotator, item);";
pub(super) const UNINDEX_IMPORTED: &str = "DROP INDEX imported_of_item;";

const ANY_IMPORTED_EVENT: &str = "SELECT EXISTS (SELECT 1 FROM event WHERE writer < 0)";

/// Rows leave `event` once, within the step: nobody else ever sees the table without its triggers.
const OPEN_EVENTS: &str = "
DROP TRIGGER event_is_never_deleted;
DROP INDEX event_of_item;
DROP INDEX event_adjudication;
";

/// As they were.
const CLOSE_EVENTS: &str = "
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE INDEX event_of_item ON event (annotator, item);
CREATE INDEX event_adjudication ON event (item, annotator) WHERE kind = 'adjudicate';
";

/// `answers` are the current ones, packed as in `imported`.
const STANDINGS_WITH_ANSWERS: &str = "
DROP TABLE answer;
ALTER TABLE standing ADD COLUMN answers BLOB;
";

/// States: 0 open, 1 judged, 2 skipped.
const CACHES: &str = "
CREATE TABLE standing (
  annotator INTEGER NOT NULL,
  item INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  flagged INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  active INTEGER NOT NULL,
  at INTEGER,
  comment TEXT,
  PRIMARY KEY (annotator, item)
) STRICT, WITHOUT ROWID;
-- value is the answer in JSON. All answers to one question by one annotator stand together.
CREATE TABLE answer (
  question INTEGER NOT NULL,
  annotator INTEGER NOT NULL,
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (question, annotator, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE queue (
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  position INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES item (id),
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  flagged INTEGER NOT NULL,
  group_number INTEGER NOT NULL,
  PRIMARY KEY (annotator, protocol, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX queue_of_item ON queue (annotator, item);
CREATE INDEX queue_open ON queue (annotator, protocol, position) WHERE state = 0;
CREATE INDEX queue_flagged ON queue (annotator, protocol, position) WHERE flagged = 1;
-- latest is the item that the annotator last did anything to, here and not by an import;
-- revision is that of the corpus when the queue was last brought up to it.
CREATE TABLE progress (
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  total INTEGER NOT NULL,
  judged INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  flagged INTEGER NOT NULL,
  latest INTEGER REFERENCES item (id),
  revision INTEGER NOT NULL,
  PRIMARY KEY (annotator, protocol)
) STRICT, WITHOUT ROWID;
";
