//! Findings: the values that tables print, of which figures and sentences are made too.

use std::sync::Arc;

use super::agree::QuestionAgreement;
use super::contents::{AnnotatorPart, CorpusCounts};
use super::judges::{BiasFound, LabelsByJudge};
use super::score::{CorrelationRow, DetectableFound, MachinePairs, MeasureRankings, MeasureRow, SystemLevel};
use super::settled::Settled;
use super::status::{LabelShares, PacePart, QualityFound};
use crate::agreement::Estimate;
use crate::score::{CurvePoint, PositionSensitivity, SnapshotMeasure, SystemPreferred, ThresholdRow};

/// The values of a table. Rows of values are those of the table, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum TableFinding {
    /// Values of which no figure and no sentence is made.
    #[default]
    Printed,
    Agreement(Arc<[QuestionAgreement]>),
    Annotators(Arc<[AnnotatorPart]>),
    Baseline(Arc<[MeasureRow]>),
    Bias(Arc<BiasFound>),
    Corpus(CorpusCounts),
    Correlations(Arc<[CorrelationRow]>),
    Curve(&'static [SnapshotMeasure], Arc<[CurvePoint]>),
    Detectable(Arc<DetectableFound>),
    /// People, then each judge, by Cohen's kappa with people.
    Judges(Arc<[(String, Option<Estimate>)]>),
    LabelsByJudge(Arc<LabelsByJudge>),
    LabelShares(Arc<LabelShares>),
    /// The systems beside what people wrote.
    Levels(Arc<[SystemLevel]>),
    MachinePairs(Arc<MachinePairs>),
    Orders(Arc<[PositionSensitivity]>),
    Pace(Arc<[PacePart]>),
    Preferred(Arc<[SystemPreferred]>),
    Quality(Arc<[QualityFound]>),
    Rankings(Arc<MeasureRankings>),
    Settled(Arc<[Settled]>),
    Thresholds(Arc<[ThresholdRow]>),
}
