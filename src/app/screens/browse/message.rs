//! What the browse screen asks of the study, and what it is answered.

use super::judging::RowChange;
use super::settling::ToSettle;
use crate::app::kit::screen;
use crate::app::screens::adjudicate::AdjudicateOpening;
use crate::app::screens::adjudicate::message as adjudicate;
use crate::error::Error;
use crate::journal::{EventId, Standing};
use crate::study::{AnnotatorId, ItemId, Target};

/// What the study answers.
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
    /// Answers [`BrowseRequest::KeepView`] and [`BrowseRequest::DeleteView`], with what to say: name and body of each view that
    /// there is now, by name.
    Views(Vec<(String, String)>, String),
    /// Answers [`BrowseRequest::Settle`].
    Opened(Box<AdjudicateOpening>),
    /// Answers [`BrowseRequest::Settle`]: why there is nothing to settle.
    NotOpened(String),
    /// Answers [`BrowseRequest::Settling`].
    Settling(Box<adjudicate::AdjudicateReply>),
}

/// What came of a judgment in place.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedHere {
    pub target: Target,
    pub annotator: AnnotatorId,
    pub item: ItemId,
    /// Where the person now stands on the item.
    pub standing: Standing,
    /// The new events.
    pub ids: Vec<EventId>,
}

/// What the screen wants done.
pub type BrowseEffect = screen::Effect<BrowseRequest>;

/// What the screen asks of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum BrowseRequest {
    /// Read where the person at the keyboard stands on this item.
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
    /// What the screen asks that settles them.
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
