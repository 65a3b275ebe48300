//! The journal: events, appended and never changed, and the folds that say what is current.
//!
//! Merging two journals is set union, because an event is keyed by (writer, seq) and a fold does
//! not depend on the order in which events arrive.

mod event;
mod fold;
mod opinion;
mod outcome;
mod material;
mod queue;
pub mod session;
mod verdict;

pub use event::{ADJUDICATE, Event, EventId, Happening, PARTS, TOTALS, Writer};
pub(crate) use fold::question_of;
pub use fold::{ItemState, Standing, active_time, fold, fold_under, is_total, standing_events};
pub use material::{JudgmentParts, JudgmentRow, Material};
pub use opinion::{Contested, Opinion};
pub use outcome::{Agreement, ConsensusRule, Outcome, say_the_same};
pub use queue::{Calibration, DaysWork, GoToEntry, Loaded, Neighbour, Progress, Queue, RevisedText};
pub use verdict::{Decision, Reason, Verdict, judging, settle, standing_verdicts};
