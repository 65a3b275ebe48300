//! Requests of the annotate screen to the study, and the replies.

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

/// A reply of the study.
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
    /// Answers [`AnnotateRequest::Untouched`]: 0-based positions, ascending.
    Untouched(Vec<usize>),
    /// Answers [`AnnotateRequest::Known`]: the known answer, where it has come.
    Known(ItemId, Option<Box<Calibration>>),
    /// Answers [`AnnotateRequest::Reopen`] and [`AnnotateRequest::CalibrateAnew`]: the queue as it is now.
    Reopened(Box<Queue>),
    /// Answers [`AnnotateRequest::GiveBack`]: the queue without the item.
    GivenBack(Box<Queue>),
    /// Answers [`AnnotateRequest::DaysWork`].
    DaysWork(DaysWork),
    /// Answers [`AnnotateRequest::History`]: the items and their answers.
    History(Vec<(GoToEntry, Answers)>),
}

/// The state of the study after a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswersSaved {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    pub standing: Standing,
    pub progress: Progress,
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

/// An effect of the annotate screen.
pub type AnnotateEffect = screen::Effect<AnnotateRequest>;

/// A request of the annotate screen to the study.
#[derive(Debug, Clone, PartialEq)]
pub enum AnnotateRequest {
    /// Read the item at this 0-based position.
    Load(usize),
    /// Put items into the queue that are not in the file yet; there is no reply.
    FillQueue,
    /// Find an item, starting after this position and going round.
    Find(Find, usize),
    /// Write events of one item, durably, in one transaction.
    Append(Append),
    /// Read the go-to list.
    Directory,
    /// Find the untouched items of this item's group.
    Untouched(usize),
    /// Read whether the known answer to this item has come.
    Known(ItemId),
    /// Open the queue again: items that waited for calibration may be in it now.
    Reopen,
    /// Give the calibration items again, durably, and open the queue again. The wall time is in milliseconds since
    /// 1970.
    CalibrateAnew(i64),
    /// Give the item back, durably, so that another has it. The wall time is in milliseconds since 1970.
    GiveBack { item: ItemId, why: String, wall: i64 },
    /// Read what was done today, and what waits.
    DaysWork,
    /// Read the answers to these items.
    History(Vec<Spot>),
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
