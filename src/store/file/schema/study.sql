-- The tables of a study. Opening compares their texts with the file's, so a change of one is a new format.
-- Long texts stand last, so that reading the columns before them does not read the texts.

-- The corpus.
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
-- candidate is the key of the candidate that the unit was taken from. A key and no row: in files units stand before
-- candidates.
CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query (id),
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  gold_known INTEGER NOT NULL CHECK (gold_known BETWEEN 0 AND 1),
  score REAL,
  title TEXT,
  meta TEXT,
  candidate TEXT,
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
-- The list of documents that a retriever gave, as one record: it names its documents by their keys, which are the same in every
-- file.
CREATE TABLE ranking (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query (id),
  retriever TEXT NOT NULL,
  documents TEXT NOT NULL,
  UNIQUE (query, retriever)
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

-- The maps by which foreign files are read.
CREATE TABLE import_map (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (name, text)
) STRICT;
-- Amendments, each named by the fingerprint of its text. `original` has a revised record as it came in, while its row shows the
-- current contents (see `store::amend`).
CREATE TABLE amendment (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  record TEXT NOT NULL
) STRICT;
CREATE TRIGGER amendment_is_never_deleted BEFORE DELETE ON amendment
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
-- Erased texts are taken out of revisions as well.
CREATE TRIGGER amendment_is_never_updated BEFORE UPDATE ON amendment
WHEN NOT EXISTS (SELECT 1 FROM amendment WHERE instr(record, '"act":"erase"'))
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TABLE original (
  tbl TEXT NOT NULL,
  id INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tbl, id)
) STRICT, WITHOUT ROWID;

-- Sums by which a flipped byte is found: of each record by table and row number (see `sums`), and of the journal block by block
-- (see `block_sums`). Triggers write them with the row, except for rows of `act`, which one function writes. Sums do not travel:
-- rows have other numbers in the next file. Other tables need none: an item's key follows from its parts, and caches are made
-- anew.
CREATE TABLE row_sum (
  tbl TEXT NOT NULL,
  record INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (tbl, record)
) STRICT, WITHOUT ROWID;
CREATE TABLE block_sum (
  tbl TEXT NOT NULL,
  writer INTEGER NOT NULL,
  block INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (tbl, writer, block)
) STRICT, WITHOUT ROWID;

-- Protocols and items.
-- own: 1 for a protocol that the study brought along, even if a built-in one takes its name later.
CREATE TABLE protocol (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  own INTEGER NOT NULL DEFAULT 0 CHECK (own BETWEEN 0 AND 1)
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
-- aside: asked beside the study. Such judgments stand in the journal and in no cache, so that nothing that counts judgments
-- can meet them. texts: see the top of schema.rs.
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  protocol INTEGER NOT NULL REFERENCES protocol (id),
  query INTEGER NOT NULL REFERENCES query (id),
  document INTEGER REFERENCES document (id),
  unit INTEGER REFERENCES unit (id),
  candidate INTEGER REFERENCES candidate (id),
  bullet INTEGER,
  aside TEXT CHECK (aside IN ('calibration', 'repeat')),
  texts BLOB CHECK (length(texts) = 16),
  other INTEGER REFERENCES candidate (id)
) STRICT;
-- The latest guideline of a version counts; built-in ones have none here.
CREATE TABLE guideline (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL REFERENCES protocol_version (id),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX guideline_of_version ON guideline (version, id);

-- The journal. `at` is in milliseconds since 1970, `active` in milliseconds. Writers above 0 are openings of a study file for
-- writing, those below are imported files: only what was done in haymark is undone, resumed, and kept in order of time.
-- Acts on items are packed: see the top of schema.rs.
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
-- kind: see ActKind. texts: NULL where they are those of the item.
CREATE TABLE act (
  id INTEGER PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotator (id),
  item INTEGER NOT NULL REFERENCES item (id),
  kind INTEGER NOT NULL,
  protocol INTEGER NOT NULL REFERENCES protocol_version (id),
  at INTEGER,
  active INTEGER NOT NULL,
  texts BLOB CHECK (length(texts) = 16),
  body BLOB NOT NULL
) STRICT;
CREATE INDEX act_made_here ON act (annotator, at) WHERE kind > 1;
-- The few acts that settle a disagreement, among the many that judge.
CREATE INDEX act_of_verdict ON act (item, annotator) WHERE kind BETWEEN 1 AND 2;

-- A session is one person writing one summary; `setup` is what was decided before it began, in JSON. `active` is in
-- milliseconds since the session began.
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

-- Who is to judge what: the latest event of an annotator and an item counts.
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

-- Saved views of the tables of browse: the latest event of a name counts.
CREATE TABLE view_event (
  writer INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (writer, seq)
) STRICT, WITHOUT ROWID;

-- The hub. `hub` has a row where the study has a hub: how it is reached, who this file's member is there, and how far what it
-- holds has come in: the position and the mark (`received`) of the last of it. `hub_waits` names what is in the file and has
-- not come back from the hub: rows of the journal by writer and number, others by their own number. `takes` is 1 in the
-- transactions that take in what the hub gave. A row without an address has the secret of aliases of a hub that the study left,
-- and takes nothing; all else in it is empty. `hub_held` keeps what could not be taken in yet, with the reason.
-- None of these goes along in a merge, a split or an export.
CREATE TABLE hub (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  address TEXT NOT NULL,
  study BLOB NOT NULL CHECK (length(study) = 16),
  member TEXT NOT NULL,
  kind TEXT NOT NULL,
  secret BLOB,
  pos INTEGER NOT NULL,
  received INTEGER NOT NULL,
  takes INTEGER NOT NULL CHECK (takes BETWEEN 0 AND 1)
) STRICT;
CREATE TABLE hub_waits (
  what TEXT NOT NULL,
  writer INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (what, writer, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_held (
  pos INTEGER PRIMARY KEY,
  why TEXT NOT NULL,
  sender TEXT,
  thing BLOB NOT NULL
) STRICT;
-- `handed_out` says of which protocols the hub hands out the work, and on what terms, as JSON; the last of a protocol counts.
-- `hub_lease` has what the member of this file was given, in the order of `place`: items of groups of the hub (`grp`, done
-- once the hub knows that they are), and between them, without a group, controls and repeats.
CREATE TABLE handed_out (
  id INTEGER PRIMARY KEY,
  protocol TEXT NOT NULL,
  terms TEXT NOT NULL,
  UNIQUE (protocol, terms)
) STRICT;
CREATE TABLE hub_lease (
  place INTEGER PRIMARY KEY,
  item INTEGER NOT NULL UNIQUE REFERENCES item (id),
  grp BLOB CHECK (length(grp) = 16),
  done INTEGER NOT NULL CHECK (done BETWEEN 0 AND 1)
) STRICT;

-- Caches. States: 0 open, 1 judged, 2 skipped. `version` is the number of the version that the answers were given under,
-- `answers` are the current ones, packed as in `act`. `is_outdated` is set where they were given on texts that were revised since.
CREATE TABLE standing (
  annotator INTEGER NOT NULL,
  item INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  flagged INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  active INTEGER NOT NULL,
  at INTEGER,
  is_outdated INTEGER,
  comment TEXT,
  version INTEGER,
  answers BLOB,
  PRIMARY KEY (annotator, item)
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
-- What amendments withdrew, and the names that are one person's.
CREATE TABLE withdrawn (
  what TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (what, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE joined (
  annotator INTEGER PRIMARY KEY,
  person INTEGER NOT NULL
) STRICT;
-- An item of which a part is withdrawn is withdrawn, also one that comes later.
CREATE TRIGGER item_may_be_withdrawn AFTER INSERT ON item WHEN EXISTS (SELECT 1 FROM withdrawn) BEGIN
  INSERT OR IGNORE INTO withdrawn SELECT 'item', new.id WHERE EXISTS (SELECT 1 FROM withdrawn WHERE
    what = 'query' AND id = new.query OR what = 'document' AND id = new.document
    OR what = 'unit' AND id = new.unit OR what = 'candidate' AND id = new.candidate);
END;
