//! What happens to a session's screen, and what it wants done.

use crate::app::kit::input::{Input, Moment};
use crate::error::Error;
use crate::journal::session::{Session, SessionHappening};

/// Something that happened to the screen of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Input(Input),
    /// Answers [`Effect::Open`]: the session has begun, or goes on from here.
    Opened(Box<Session>),
    /// Answers [`Effect::Write`]: so many records are on disk, the first of those that were handed over.
    Written(usize),
    /// Answers [`Effect::Open`] and [`Effect::Write`]: nothing was written.
    NotWritten(Error),
}

impl From<Input> for Message {
    fn from(input: Input) -> Message {
        Message::Input(input)
    }
}

/// Something that the screen wants done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Begin the session, or open it again, at this wall time in milliseconds since 1970.
    Open {
        wall: i64,
    },
    /// Write these to the session, durably, in one transaction.
    Write {
        records: Vec<Record>,
        wall: i64,
    },
    /// Forget what the terminal shows and draw everything.
    Redraw,
    Suspend,
    Quit,
}

/// Something that happened, at so many active milliseconds since the session began.
pub type Record = (SessionHappening, i64);

/// The time that an input carries.
pub(super) fn moment(input: &Input) -> Option<Moment> {
    match input {
        Input::Key(_, now)
        | Input::Mouse(_, now)
        | Input::Paste(_, now)
        | Input::Shown(now)
        | Input::Resumed(now)
        | Input::FocusLost(now)
        | Input::Tick(now) => Some(*now),
        Input::Resize(..) | Input::Notice(_) => None,
    }
}
