//! Requests of the adjudicate screen to the study, and the replies.

use crate::app::kit::screen;
use crate::error::Error;
use crate::journal::{Contested, Decision, EventId, Happening};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// A reply of the study.
#[derive(Debug, Clone, PartialEq)]
pub enum AdjudicateReply {
    /// Answers [`AdjudicateRequest::Load`].
    Contested(Box<Contested>),
    /// Answers [`AdjudicateRequest::Settle`]: the verdict is on disk.
    Settled(Box<VerdictSaved>),
    /// Answers [`AdjudicateRequest::Settle`]: nothing was written, since the item was decided in another terminal.
    Elsewhere(Option<Box<Decision>>),
    /// Answers [`AdjudicateRequest::Settle`]: nothing was written.
    NotSettled(Error),
}

/// An effect of the adjudicate screen.
pub type AdjudicateEffect = screen::Effect<AdjudicateRequest>;

/// A request of the adjudicate screen to the study.
#[derive(Debug, Clone, PartialEq)]
pub enum AdjudicateRequest {
    /// Read the item at this 0-based position, with everyone's opinions.
    Load(usize),
    /// Write verdicts or retractions on one item, durably, in one transaction.
    Settle(Settle),
}

/// Verdicts on one item, or retractions of them, that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Settle {
    pub item: ItemId,
    /// The decision on the screen; where another one is final by now, nothing is written.
    pub shown: Option<EventId>,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
    pub happenings: Vec<Happening>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}

/// The state of the item after a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictSaved {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    /// The decision that is final now.
    pub decision: Option<Decision>,
}
