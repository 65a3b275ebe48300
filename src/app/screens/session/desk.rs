//! The desk of a session's screen: what the screen reads of its study, and what it writes there.

use crate::error::Result;
use crate::journal::session::{Session, SessionHappening};

/// A session in its study. A write is on disk when its call returns; a failed one has written nothing.
pub trait SessionDesk {
    /// Begins the session, or opens it again, at this wall time in milliseconds since 1970.
    fn open(&mut self, wall: i64) -> Result<Session>;

    /// Writes these records in one transaction; returns how many of them, from the first on, are on disk.
    fn write(&mut self, records: &[TimedHappening], wall: i64) -> Result<usize>;
}

/// A happening, at so many active milliseconds since the session began.
pub type TimedHappening = (SessionHappening, i64);
