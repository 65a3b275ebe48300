//! Inserts of many rows at a time: one statement that adds 64 rows costs a third of 64 statements that add one.

use rusqlite::{CachedStatement, Connection};

use super::Tried;

/// The number of rows in one statement.
pub(crate) const TOGETHER: usize = 64;

/// A statement that adds many rows, and one for the rows that are left.
pub(crate) struct Bulk<'c> {
    many: CachedStatement<'c>,
    one: CachedStatement<'c>,
    columns: usize,
}

impl<'c> Bulk<'c> {
    pub(crate) fn prepare(
        connection: &'c Connection,
        insert: &str,
        columns: usize,
        end: &str,
    ) -> Tried<Bulk<'c>> {
        let row = format!("({})", vec!["?"; columns].join(", "));
        let of = |rows: usize| format!("{insert} {} {end}", vec![row.as_str(); rows].join(", "));
        let (many, one) = (connection.prepare_cached(&of(TOGETHER))?, connection.prepare_cached(&of(1))?);
        Ok(Bulk { many, one, columns })
    }

    /// Adds rows; `bind` binds one to the parameters from this number on.
    pub(crate) fn write<'r, R>(
        &mut self,
        rows: &'r [R],
        bind: impl Fn(&mut CachedStatement<'c>, usize, &'r R) -> rusqlite::Result<()>,
    ) -> Tried<()> {
        let mut chunks = rows.chunks_exact(TOGETHER);
        for chunk in &mut chunks {
            for (place, row) in chunk.iter().enumerate() {
                bind(&mut self.many, 1 + place * self.columns, row)?;
            }
            self.many.raw_execute()?;
        }
        for row in chunks.remainder() {
            bind(&mut self.one, 1, row)?;
            self.one.raw_execute()?;
        }
        Ok(())
    }
}
