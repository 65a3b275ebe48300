//! What a session's screen asks of the study, and what it is answered.

use crate::app::kit::screen;
use crate::error::Error;
use crate::journal::session::{Session, SessionHappening};

/// What the study answers.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionReply {
    /// Answers [`SessionRequest::Open`]: the session has begun, or goes on from here.
    Opened(Box<Session>),
    /// Answers [`SessionRequest::Write`]: so many records are on disk, the first of those that were handed over.
    Written(usize),
    /// Answers either: nothing was written.
    NotWritten(Error),
}

/// What the screen wants done.
pub type SessionEffect = screen::Effect<SessionRequest>;

/// What the screen asks of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionRequest {
    /// Begin the session, or open it again, at this wall time in milliseconds since 1970.
    Open { wall: i64 },
    /// Write these to the session, durably, in one transaction.
    Write { records: Vec<TimedHappening>, wall: i64 },
}

/// Something that happened, at so many active milliseconds since the session began.
pub type TimedHappening = (SessionHappening, i64);
