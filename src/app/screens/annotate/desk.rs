//! The desk of the annotate screen: what the screen reads of its study, and what it writes there.

use std::sync::Arc;

use super::Spot;
use crate::error::Result;
use crate::journal::{
    Calibration, DaysWork, EventId, GoToEntry, Happening, Loaded, Neighbour, Progress, Queue, Standing,
};
use crate::protocol::Answers;
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// An annotator's queue in its study. A write is on disk when its call returns; a failed one has written nothing. A failed read
/// ends the screen.
pub trait AnnotateDesk {
    /// The item at this 0-based position.
    fn load(&mut self, position: usize) -> Result<Loaded>;

    /// Puts the rest of the items into a queue of which only the beginning is in the file.
    fn fill_queue(&mut self) -> Result<()>;

    /// The 0-based position of an item, looked for from behind this position on and going round.
    fn find(&mut self, find: Find, after: usize) -> Result<Option<usize>>;

    /// Writes events of one item in one transaction.
    fn append(&mut self, append: &Append) -> Result<AnswerOutcome>;

    /// The go-to list.
    fn directory(&mut self) -> Result<Arc<[GoToEntry]>>;

    /// The untouched items of this item's group: 0-based positions, ascending.
    fn untouched(&mut self, position: usize) -> Result<Vec<usize>>;

    /// The known answer to this item, where it has come.
    fn known(&mut self, item: ItemId) -> Result<Option<Calibration>>;

    /// The queue as it is now: items that waited for calibration may be in it.
    fn reopen(&mut self) -> Result<Queue>;

    /// The 0-based position of an item in the queue, if it is there.
    fn place_of(&mut self, item: ItemId) -> Result<Option<usize>>;

    /// Gives the calibration items again. The wall time is in milliseconds since 1970.
    fn calibrate_anew(&mut self, wall: i64) -> Result<()>;

    /// Whether the item can be given back.
    fn can_give_back(&mut self, item: ItemId) -> Result<bool>;

    /// Gives the item back, so that another has it. The wall time is in milliseconds since 1970.
    fn give_back(&mut self, item: ItemId, why: &str, wall: i64) -> Result<()>;

    /// The work done today, and what waits.
    fn days_work(&mut self) -> Result<DaysWork>;

    /// The items at these spots, with the answers to them.
    fn history(&mut self, spots: &[Spot]) -> Result<Vec<(GoToEntry, Answers)>>;
}

/// The outcome of a write.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerOutcome {
    /// The events are on disk.
    Written(Box<AnswersSaved>),
    /// Nothing was written, since the item was answered in another terminal.
    Elsewhere(Box<Elsewhere>),
    /// Nothing was written: the sentence says why this screen writes no answers.
    Refused(&'static str),
}

/// The state of the study after a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswersSaved {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    pub standing: Standing,
    pub progress: Progress,
    /// What is new beside the standing, each in a few words.
    pub beside: Vec<String>,
}

/// The state of the study after an answer in another terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct Elsewhere {
    pub standing: Standing,
    /// The items of the group, the item itself among them.
    pub group: Vec<Neighbour>,
    pub progress: Progress,
}

/// An item to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    NextOpen,
    PreviousOpen,
    NextFlagged,
    /// The next open item, after the last question of an item was answered.
    AdvanceOpen,
}

/// Events of one item that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    pub item: ItemId,
    /// 0-based position of the item.
    pub position: usize,
    /// The standing that the screen shows; where the file has another by now, only the visit is written.
    pub shown: Standing,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
    /// Happenings, each with its active milliseconds.
    pub happenings: Vec<(Happening, i64)>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}
