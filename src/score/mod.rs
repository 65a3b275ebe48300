//! What judgments say about systems: the papers' measures, on 0–100.
//!
//! Pure arithmetic over plain structs; whoever reads a study fills them.
//!
//! 1. [`Scoring::of`] says which measures apply to a protocol, by what it asks.
//! 2. An [`Origin`] for each judgment names all that scores can be grouped [`By`].
//! 3. For coverage, [`CoverageQuestions::read`] turns answers into an [`InsightJudged`], [`SummaryJudged::of`]
//!    puts those of one annotator and summary together, [`system_table`] scores them by group and
//!    [`position_sensitivity`] by document order. For key points, [`Verdict::read`] and [`keypoint_table`]. For what
//!    responses say, [`recall_table`]; for faithful and comprehensive summaries, [`useful`]; for any other
//!    protocol, [`label_tables`].
//!
//! A [`Measure`] is a number or the reason why there is none, never a 0 that stands for nothing. What is not judged
//! counts nowhere: it is counted beside the scores and named by [`unfinished`].
//!
//! ```
//! use haymark::score::{InsightJudged, Origin, SummaryJudged};
//!
//! let insight = |unit: &str, coverage, bullets: &[u32], gold: &[u32]| InsightJudged {
//!     unit: unit.to_owned(),
//!     coverage: Some(coverage),
//!     bullets: bullets.to_vec(),
//!     gold: Some(gold.iter().copied().collect()),
//! };
//! let insights = vec![insight("breaks", 100.0, &[1], &[2, 3]), insight("sleep", 0.0, &[], &[4])];
//! let summary = SummaryJudged::of(Origin::default(), "- They take breaks [2, 3].\n- They run.", insights);
//! let scores = summary.scores();
//! assert_eq!((scores.coverage, scores.citation, scores.joint), (Ok(50.0), Ok(100.0), Ok(50.0)));
//! ```

mod coverage;
mod insight;
mod keypoint;
mod labels;
mod measure;
mod origin;
mod position;
mod reading;
mod recall;
mod system_table;
mod usefulness;

#[cfg(test)]
mod tests;

pub use coverage::{Average, Counts, Scores, SummaryJudged, scores};
pub use insight::{Citation, InsightJudged, InsightScore};
pub use keypoint::{KeyPointJudged, KeyPointRow, Retention, Verdict, is_about_key_points, keypoint_table};
pub use labels::{ItemJudged, LabelCount, LabelRow, QuestionLabels, label_tables, question_labels};
pub use measure::{Mean, Measure, Undefined, percent, undefined_key, write_measure};
pub use origin::{By, Group, Origin, System, groups};
pub use position::{PositionSensitivity, position_sensitivity};
pub use reading::{CoverageQuestions, Scoring};
pub use recall::{Recall, RecallRow, ResponseJudged, failure_values, is_about_recall, recall_table};
pub use system_table::{ScoreRow, Unfinished, system_table, unfinished};
pub use usefulness::{is_about_usefulness, useful};
