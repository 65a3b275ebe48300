//! What happens to the app, and what the app wants done. Both are data: the app itself does no
//! I/O and asks no clock, so every message carries its own time.

use std::sync::Arc;

use crate::app::kit::finder::Match;
use crate::app::kit::input::{Input, Moment, Mouse};
use crate::app::kit::key::Key;
use crate::error::Error;
use crate::journal::{Entry, EventId, Happening, Loaded, Neighbour, Progress, Standing};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

impl From<Input> for Message {
    fn from(input: Input) -> Message {
        match input {
            Input::Key(key, now) => Message::Key(key, now),
            Input::Mouse(mouse, now) => Message::Mouse(mouse, now),
            Input::Paste(text, now) => Message::Paste(text, now),
            Input::Resize(columns, rows) => Message::Resize(columns, rows),
            Input::Shown(now) => Message::Shown(now),
            Input::Resumed(now) => Message::Resumed(now),
            Input::Tick(_) | Input::FocusLost(_) => Message::Retry,
            Input::Notice(text) => Message::Notice(text),
        }
    }
}

/// Something that happened to the annotate screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Key(Key, Moment),
    Mouse(Mouse, Moment),
    Paste(String, Moment),
    /// Columns and rows of the terminal.
    Resize(u16, u16),
    /// A frame with the state as it is now has reached the terminal.
    Shown(Moment),
    /// The program goes on after it was suspended.
    Resumed(Moment),
    /// Time to try again what could not be written.
    Retry,
    /// Answers [`Effect::Load`].
    Loaded(Box<Loaded>),
    /// Answers [`Effect::Find`]; the 0-based position, if there is one.
    Found(Find, Option<usize>),
    /// Answers [`Effect::Append`]: the events are on disk.
    Appended(Box<Appended>),
    /// Answers [`Effect::Append`]: nothing was written.
    NotAppended(Error),
    /// Answers [`Effect::Append`]: nothing was written, since the item was answered in another terminal.
    Elsewhere(Box<Elsewhere>),
    /// Answers [`Effect::Directory`].
    Directory(Arc<[Entry]>),
    /// Answers [`Effect::Match`].
    Matches {
        generation: u64,
        matches: Vec<Match>,
    },
    /// Answers [`Effect::Copy`], or anything else worth a line at the bottom.
    Notice(String),
}

/// What a commit gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    pub standing: Standing,
    pub progress: Progress,
}

/// How it stands after an answer in another terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct Elsewhere {
    pub standing: Standing,
    /// The items of the group, the item itself among them.
    pub group: Vec<Neighbour>,
    pub progress: Progress,
}

/// Which item is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    NextOpen,
    PreviousOpen,
    NextFlagged,
    /// The next open one, after the last question of an item was answered.
    AdvanceOpen,
}

/// Something the app wants done. Effects are carried out in order, and each answer is handed back
/// before the next key is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read the item at this 0-based position.
    Load(usize),
    /// Find an item, starting after this position and going round.
    Find(Find, usize),
    /// Write events of one item, durably, in one transaction.
    Append(Append),
    /// Read the go-to list.
    Directory,
    /// Match the go-to list against what was typed, off the drawing path.
    Match {
        generation: u64,
        needle: String,
        entries: Arc<[Entry]>,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Forget what the terminal shows and draw everything.
    Redraw,
    Suspend,
    Quit,
}

/// Events of one item that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    pub item: ItemId,
    /// 0-based position of the item.
    pub position: usize,
    /// What the screen shows of the item: where that is no longer so, only a look at it is written.
    pub shown: Standing,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
    /// Each with its active milliseconds.
    pub happenings: Vec<(Happening, i64)>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}
