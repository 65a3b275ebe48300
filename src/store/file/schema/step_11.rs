//! The step to format 11: items that are pairs of candidates.

use rusqlite::Connection;

pub(super) fn step(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("ALTER TABLE item ADD COLUMN other INTEGER REFERENCES candidate (id)")
}
