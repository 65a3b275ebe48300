//! Requests of the browse screen to the study, and the replies.

use super::judging::RowChange;
use super::settling::ToSettle;
use crate::app::kit::screen;
use crate::app::screens::adjudicate::AdjudicateOpening;
use crate::app::screens::adjudicate::message as adjudicate;
use crate::error::Error;
use crate::journal::{EventId, Standing};
use crate::study::{AnnotatorId, ItemId, Target};

/// A reply of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum BrowseReply {
    /// Answers [`BrowseRequest::Look`].
    Stands(Standing),
    /// Answers [`BrowseRequest::Judge`]: it is on disk.
    Judged(Vec<JudgedHere>),
    /// Answers [`BrowseRequest::Judge`]: nothing was written.
    NotJudged(Error),
    /// Answers [`BrowseRequest::Judge`]: nothing was written, since the person said something else in another terminal.
    Elsewhere(Box<JudgedHere>),
    /// Answers [`BrowseRequest::KeepView`] and [`BrowseRequest::DeleteView`]: name and body of each saved view, by name, and
    /// a message.
    Views(Vec<(String, String)>, String),
    /// Answers [`BrowseRequest::Settle`].
    Opened(Box<AdjudicateOpening>),
    /// Answers [`BrowseRequest::Settle`]: the reason why there is nothing to settle.
    NotOpened(String),
    /// Answers [`BrowseRequest::Settling`].
    Settling(Box<adjudicate::AdjudicateReply>),
}

/// The outcome of a judgment in place.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedHere {
    pub target: Target,
    pub annotator: AnnotatorId,
    pub item: ItemId,
    /// The person's standing on the item now.
    pub standing: Standing,
    /// The new events.
    pub ids: Vec<EventId>,
}

/// An effect of the browse screen.
pub type BrowseEffect = screen::Effect<BrowseRequest>;

/// A request of the browse screen to the study.
#[derive(Debug, Clone, PartialEq)]
pub enum BrowseRequest {
    /// Read the standing of the person at the keyboard on this item.
    Look(ItemId),
    /// Write what that person says about these targets, durably.
    Judge(JudgeInPlace),
    /// Save a view under a name; `wall` in milliseconds since 1970.
    KeepView {
        name: String,
        body: String,
        wall: i64,
    },
    /// Read which of these items are to be settled.
    Settle(ToSettle),
    /// A request of the screen that settles items.
    Settling(adjudicate::AdjudicateRequest),
    DeleteView {
        name: String,
        wall: i64,
    },
}

/// Judgments in place, written as one step.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeInPlace {
    pub changes: Vec<(Target, RowChange)>,
    /// What the screen shows, where the change is to that: if it is no longer so, nothing is written.
    pub shown: Option<Standing>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}
