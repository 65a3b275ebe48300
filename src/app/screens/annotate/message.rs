//! What the annotate screen asks of the study, and what it is answered.

use std::sync::Arc;

use super::Spot;
use crate::app::kit::screen;
use crate::error::Error;
use crate::journal::{
    Calibration, DaysWork, EventId, GoToEntry, Happening, Loaded, Neighbour, Progress, Queue, Standing,
};
use crate::protocol::Answers;
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// What the study answers.
#[derive(Debug, Clone, PartialEq)]
pub enum AnnotateReply {
    /// Answers [`AnnotateRequest::Load`].
    Loaded(Box<Loaded>),
    /// Answers [`AnnotateRequest::Find`]; the 0-based position, if there is one.
    Found(Find, Option<usize>),
    /// Answers [`AnnotateRequest::Append`]: the events are on disk.
    Appended(Box<AnswersSaved>),
    /// Answers [`AnnotateRequest::Append`]: nothing was written.
    NotAppended(Error),
    /// Answers [`AnnotateRequest::Append`]: nothing was written, since the item was answered in another terminal.
    Elsewhere(Box<Elsewhere>),
    /// Answers [`AnnotateRequest::Directory`].
    Directory(Arc<[GoToEntry]>),
    /// Answers [`AnnotateRequest::Untouched`]: their 0-based positions, ascending.
    Untouched(Vec<usize>),
    /// Answers [`AnnotateRequest::Known`]: what is known of the item by now.
    Known(ItemId, Option<Box<Calibration>>),
    /// Answers [`AnnotateRequest::Reopen`] and [`AnnotateRequest::CalibrateAnew`]: the queue as it is now.
    Reopened(Box<Queue>),
    /// Answers [`AnnotateRequest::GiveBack`]: the queue without the item.
    GivenBack(Box<Queue>),
    /// Answers [`AnnotateRequest::DaysWork`].
    DaysWork(DaysWork),
    /// Answers [`AnnotateRequest::History`]: what the items are, and what was answered.
    History(Vec<(GoToEntry, Answers)>),
}

/// What a commit gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswersSaved {
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

/// What the screen wants done.
pub type AnnotateEffect = screen::Effect<AnnotateRequest>;

/// What the screen asks of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum AnnotateRequest {
    /// Read the item at this 0-based position.
    Load(usize),
    /// Put the items into the queue that are not in the file yet; nothing answers it.
    FillQueue,
    /// Find an item, starting after this position and going round.
    Find(Find, usize),
    /// Write events of one item, durably, in one transaction.
    Append(Append),
    /// Read the go-to list.
    Directory,
    /// Find the items of this item's group of which nothing was said.
    Untouched(usize),
    /// Read whether the known answer to this item has come.
    Known(ItemId),
    /// Open the queue again: what waited for calibration may be in it now.
    Reopen,
    /// Give the calibration items again, durably, and open the queue again. The wall time is in milliseconds since
    /// 1970.
    CalibrateAnew(i64),
    /// Give the item back, durably, so that another has it. The wall time is in milliseconds since 1970.
    GiveBack { item: ItemId, why: String, wall: i64 },
    /// Read what was done today, and what waits.
    DaysWork,
    /// Read what was answered to these items.
    History(Vec<Spot>),
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
