//! What happens to the browse screen, and what it wants done.

use super::judging::Change;
use crate::app::kit::input::Input;
use crate::error::Error;
use crate::journal::{EventId, Standing};
use crate::study::{AnnotatorId, ItemId, Target};

/// Something that happened to the browse screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Input(Input),
    /// Answers [`Effect::Look`].
    Stands(Standing),
    /// Answers [`Effect::Judge`]: it is on disk.
    Judged(Box<Judged>),
    /// Answers [`Effect::Judge`]: nothing was written.
    NotJudged(Error),
    /// Answers [`Effect::Judge`]: nothing was written, since the person said something else in another terminal.
    Elsewhere(Box<Judged>),
    /// Answers [`Effect::KeepView`] and [`Effect::DeleteView`], with what to say: name and body of each view that
    /// there is now, by name.
    Views(Vec<(String, String)>, String),
}

impl From<Input> for Message {
    fn from(input: Input) -> Message {
        Message::Input(input)
    }
}

/// What came of a judgment in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub annotator: AnnotatorId,
    pub item: ItemId,
    /// Where the person now stands on the item.
    pub standing: Standing,
    /// The new events.
    pub ids: Vec<EventId>,
}

/// Something the browse screen wants done. Effects are carried out in order, and each answer is handed back before
/// the next key is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read where the person at the keyboard stands on this item.
    Look(ItemId),
    /// Write what that person says about this target, durably.
    Judge(Judge),
    /// Save a view under a name; `wall` in milliseconds since 1970.
    KeepView {
        name: String,
        body: String,
        wall: i64,
    },
    DeleteView {
        name: String,
        wall: i64,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Forget what the terminal shows and draw everything.
    Redraw,
    Suspend,
    Quit,
}

/// A judgment in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    pub target: Target,
    pub change: Change,
    /// What the screen shows, where the change is to that: if it is no longer so, nothing is written.
    pub shown: Option<Standing>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}
