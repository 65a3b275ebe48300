//! What the adjudicate screen asks of the study, and what it is answered.

use crate::app::kit::screen;
use crate::error::Error;
use crate::journal::{Contested, Decision, EventId, Happening};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// What the study answers.
#[derive(Debug, Clone, PartialEq)]
pub enum AdjudicateReply {
    /// Answers [`AdjudicateRequest::Load`].
    Contested(Box<Contested>),
    /// Answers [`AdjudicateRequest::Settle`]: it is on disk.
    Settled(Box<VerdictSaved>),
    /// Answers [`AdjudicateRequest::Settle`]: nothing was written, since this was decided in another terminal.
    Elsewhere(Option<Box<Decision>>),
    /// Answers [`AdjudicateRequest::Settle`]: nothing was written.
    NotSettled(Error),
}

/// What the screen wants done.
pub type AdjudicateEffect = screen::Effect<AdjudicateRequest>;

/// What the screen asks of the study.
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
    /// The decision on the screen: where another one is final, nothing is written.
    pub shown: Option<EventId>,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
    pub happenings: Vec<Happening>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}

/// What a commit gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictSaved {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    /// What is final now.
    pub decision: Option<Decision>,
}
