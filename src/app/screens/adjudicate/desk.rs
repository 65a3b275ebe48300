//! The desk of the adjudicate screen: what the screen reads of its study, and what it writes there.

use crate::error::Result;
use crate::journal::{Contested, Decision, EventId, Happening};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// The items that the screen goes through. A write is on disk when its call returns; a failed one has written nothing. A failed
/// read ends the screen.
pub trait AdjudicateDesk {
    /// The item at this 0-based position, with everyone's opinions.
    fn contested(&mut self, position: usize) -> Result<Contested>;

    /// Writes verdicts or retractions on one item in one transaction.
    fn settle(&mut self, settle: &Settle) -> Result<VerdictOutcome>;
}

#[derive(Debug, Clone, PartialEq)]
pub enum VerdictOutcome {
    /// The verdict is on disk: its events in the order handed over, and the decision that is final now.
    Written(Vec<EventId>, Option<Decision>),
    /// Nothing was written, since the item was decided in another terminal.
    Elsewhere(Option<Decision>),
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
