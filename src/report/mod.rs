//! Reports on a study: judgments become findings, and findings become tables.
//!
//! Reports call the arithmetic of [`crate::agreement`] and [`crate::score`], and [`crate::export`] writes them. They know no
//! arguments, no terminal and no other form than [`table::Table`]. The options of each report are a struct `…Asked`.
//!
//! Every call fails where the study cannot be read, where a name, a field or a filter is wrong (usage), and where there is nothing to
//! tell of (failed or nothing). A section on errors names other reasons.

pub mod agree;
pub mod amendments;
pub mod annotators;
pub mod clusters;
pub mod contents;
pub mod corpus;
mod corrected;
pub mod display;
pub mod examples;
pub mod filtered;
pub mod finding;
pub mod frame;
pub mod gold;
pub mod grouped;
pub mod items;
pub mod judged;
pub mod judges;
pub mod mapping;
pub mod part;
pub mod pivot;
pub mod planning;
pub mod protocols;
pub mod rounds;
pub mod score;
pub mod sessions;
pub mod settled;
pub mod status;
pub mod strata;
pub mod table;

pub(crate) use agree::{
    AgreementAsked, AgreementSummary, Best, ComparedPair, Comparison, Findings, More, Number,
    QuestionAgreement, RatingLabels, comparison, comparisons, passage_tables, screen,
};
pub(crate) use amendments::{PeopleNamed, samples};
pub(crate) use annotators::{AnnotatorsChosen, choose, first_step, nobody};
pub(crate) use contents::Contents;
pub(crate) use corpus::CorpusIndex;
pub(crate) use display::DisplayNames;
pub(crate) use examples::{Example, for_judge, marked, with_examples};
pub(crate) use filtered::Filtered;
pub(crate) use finding::TableFinding;
pub(crate) use frame::StudyPart;
pub(crate) use gold::{GoldBy, note, warning};
pub(crate) use grouped::{GroupsScore, ScoresByGroup, names};
pub(crate) use items::item_columns;
pub(crate) use judged::LAST_SNAPSHOTS;
pub(crate) use judges::{JudgesAsked, LabelsAsked, of_labels};
pub(crate) use part::{Allocation, NamedItems, PartAsked, PartChosen, SampleSize, sorted};
pub(crate) use pivot::is_tied;
pub(crate) use planning::{Controls, PlannedWork, changes, plan_of, standing};
pub(crate) use protocols::counted;
pub(crate) use score::{
    CorrelationRow, DetectableRow, MeasureRankings, MeasureRow, ScoresAsked, ViewRanking, Whose,
    asks_for_rankings, baseline, heading, pivoted, rankings, retrieval, scores,
};
pub(crate) use settled::Settled;
pub(crate) use status::{PASSED, PacePart, QualityFound, StatusAsked, left_behind, taken_over};
pub(crate) use strata::Strata;
pub(crate) use table::{Cell, Column, Heading, IntoCell, Table, duration, without_commands};

use clusters::{
    ClusterKey, ClusterKeys, few_effective_clusters, first_with_enough, kinds_for_agreement,
    within_these_queries,
};
use contents::AnnotatorPart;
use corrected::{CorrectedRow, HOW_CORRECTED, HOW_CORRECTED_VARIES, corrected_columns};
use filtered::{fitting, rows};
use frame::{FrameAsked, ItemsChosen, StudyFrame};
use grouped::{counted_columns, grouped_table, insert_groups, led_by, name_of};
use items::parts;
use judged::{AskedUnits, CandidateJudged, CountedJudgment, Judged};
use pivot::pivots;
use protocols::version_note;
use table::{BestMark, Better, key_of};

/// A time in milliseconds since 1970 in UTC, in this form.
fn in_utc(time: i64, form: &str) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(time).ok()?.strftime(form).to_string())
}
