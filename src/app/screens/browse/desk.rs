//! The desk of the browse screen: what the screen reads of its study, and what it writes there.

use super::{RowChange, ToSettle};
use crate::app::screens::adjudicate::{AdjudicateDesk, AdjudicateOpening};
use crate::error::Result;
use crate::journal::{EventId, Standing};
use crate::study::{AnnotatorId, ItemId, Target};

/// The study that is browsed, and the desk of items that are settled there. A write is on disk when its call returns; a failed
/// one has written nothing. A failed read ends the screen.
pub trait BrowseDesk: AdjudicateDesk {
    /// The standing of the person at the keyboard on this item.
    fn standing(&mut self, item: ItemId) -> Result<Standing>;

    /// Writes what the person at the keyboard says about some targets.
    fn judge(&mut self, judge: &JudgeInPlace) -> Result<InPlace>;

    /// Name and body of each saved view, by name.
    fn views(&mut self) -> Result<Vec<(String, String)>>;

    /// Saves a view under a name; without a body, deletes it. `wall` in milliseconds since 1970.
    fn keep_view(&mut self, name: &str, body: Option<&str>, wall: i64) -> Result<()>;

    /// Finds out which of these items are to be settled, or says why none is; the desk settles them from then on.
    fn open_settling(&mut self, asked: &ToSettle) -> Result<AdjudicateOpening>;
}

/// The outcome of judgments in place.
#[derive(Debug, Clone, PartialEq)]
pub enum InPlace {
    /// The judgments are on disk.
    Written(Vec<JudgedHere>),
    /// Nothing was written, since the person said something else in another terminal.
    Elsewhere(Box<JudgedHere>),
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

/// Judgments in place, written as one step.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeInPlace {
    pub changes: Vec<(Target, RowChange)>,
    /// The standing that the change builds on, if it builds on one; where the file has another by now, nothing is written.
    pub shown: Option<Standing>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}
