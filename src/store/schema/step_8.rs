//! The step to format 8: the hub hands out work as it is needed.
//!
//! - `handed_out` says of which protocols the hub hands out the work, and on what terms, as JSON; the last of a protocol counts.
//! - `hub_lease` has what the member of this file was given, in the order of `place`: items of groups of the hub (`grp`, done
//!   once the hub knows that they are), and between them, without a group, controls and repeats.
//!
//! Neither goes along in a merge, a split or an export.

use rusqlite::Connection;

use super::step_7::waits;

/// What each file shares of it.
pub(super) const HANDED_OUT: &str = "handed_out";

const TABLES: &str = "
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
";

pub(super) fn add_leases(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(&waits(HANDED_OUT, false))
}
