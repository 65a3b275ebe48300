//! Whether a judge may be believed: its labels beside people's, scores that take its errors into account, and whether it may
//! stand for a person.
//!
//! Labels are places among those of the schema; numbers of labels are on any scale.

mod alternative;
mod labels;
mod powered;
mod shares;

pub use alternative::{Alignment, AlternativeTest, AnnotatorTested};
pub use labels::JudgeConfusion;
pub use powered::{JudgedMean, LabelDrawn, PoweredMean};
pub use shares::{CorrectedShares, inverted};
