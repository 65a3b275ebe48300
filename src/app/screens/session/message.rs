//! Requests of a session's screen to the study, and the replies.

use crate::app::kit::screen;
use crate::error::Error;
use crate::journal::session::{Session, SessionHappening};

/// A reply of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionReply {
    /// Answers [`SessionRequest::Open`]: the session has begun, or goes on from here.
    Opened(Box<Session>),
    /// Answers [`SessionRequest::Write`]: so many records are on disk, the first of those handed over.
    Written(usize),
    /// Answers either: nothing was written.
    NotWritten(Error),
}

/// An effect of a session's screen.
pub type SessionEffect = screen::Effect<SessionRequest>;

/// A request of a session's screen to the study.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionRequest {
    /// Begin the session, or open it again, at this wall time in milliseconds since 1970.
    Open { wall: i64 },
    /// Write these records to the session, durably, in one transaction.
    Write { records: Vec<TimedHappening>, wall: i64 },
}

/// A happening, at so many active milliseconds since the session began.
pub type TimedHappening = (SessionHappening, i64);
