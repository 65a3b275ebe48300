//! Findings: the values that tables print, of which figures and sentences are made too.

use std::sync::Arc;

use super::{
    AnnotatorPart, CorrelationRow, DetectableRow, MeasureRankings, MeasureRow, PacePart, QualityFound,
    QuestionAgreement, ScoresByGroup, Settled,
};
use crate::agreement::Estimate;
use crate::score::{
    CurvePoint, JudgeBias, LabelAgainstOthers, PositionSensitivity, SnapshotMeasure, SystemPreferred,
    ThresholdRow,
};

/// The values of a table. Rows of values are those of the table, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum TableFinding {
    /// Values of which no figure and no sentence is made.
    #[default]
    Printed,
    Agreement(Arc<[QuestionAgreement]>),
    Annotators(Arc<[AnnotatorPart]>),
    Baseline(Arc<[MeasureRow]>),
    /// Summarizers, and the bias of each judge.
    Bias(Arc<[String]>, Arc<[(String, JudgeBias)]>),
    Corpus {
        candidates: usize,
        systems: usize,
        queries: usize,
        documents: usize,
    },
    Correlations(Arc<[CorrelationRow]>),
    Curve(&'static [SnapshotMeasure], Arc<[CurvePoint]>),
    /// The most queries that two systems have in common, and what numbers of queries show.
    Detectable(usize, Arc<[DetectableRow]>),
    /// People, then each judge, by Cohen's kappa with people.
    Judges(Arc<[(String, Option<Estimate>)]>),
    /// People's labels, and how often a judge gave each label where they gave this one.
    LabelsByJudge(Arc<[(String, Vec<u64>)]>),
    /// The labels, and how often each annotator gave them.
    LabelShares(Arc<[String]>, Arc<[(String, Vec<LabelAgainstOthers>)]>),
    /// A machine's number and people's score of each summary.
    MachinePairs(Arc<[(f64, f64)]>),
    Orders(Arc<[PositionSensitivity]>),
    Pace(Arc<[PacePart]>),
    Preferred(Arc<[SystemPreferred]>),
    Quality(Arc<[QualityFound]>),
    Rankings(Arc<MeasureRankings>),
    Scores(Arc<ScoresByGroup>),
    Settled(Arc<[Settled]>),
    Thresholds(Arc<[ThresholdRow]>),
}
