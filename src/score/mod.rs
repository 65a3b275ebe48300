//! Scores of systems from judgments: the papers' measures, on 0–100.
//!
//! Pure arithmetic over plain structs, which the readers of a study fill.
//!
//! 1. Most scores are rules in a file: `assets/scores/*.toml`, or `[[score]]` of a protocol's own file. A [`Ratio`] is computed
//!    from the rows of a rule, a [`Harmonic`] from two ratios.
//! 2. An [`Origin`] for each judgment has all fields that scores can be grouped [`By`], and names the judged [`Thing`]: the
//!    judgments of an item are averaged before items are.
//! 3. For coverage, [`CoverageQuestions::read`] turns answers into an [`InsightSaid`], [`SummaryJudged::of`] joins those of
//!    one annotator and summary, [`scores`] scores several summaries, and [`position_sensitivity`] compares document
//!    orders.
//! 4. [`question_labels`], [`TagCounts`], [`TextCounts`] and [`ListCounts`] count the answers to any question.
//!
//! | measure | here | source |
//! | --- | --- | --- |
//! | coverage, citation, joint | [`Scores`] | SummHay §4.1 |
//! | the curves of people's writing, the human baseline | [`curves`], [`human_baseline`] | SummHay §5.3, App. A.4 |
//! | position sensitivity | [`position_sensitivity`] | SummHay Table 3 |
//! | scores by rules: retention, key point recall, useful, question recall, citation precision | [`Ratio`] | `assets/scores` |
//! | thresholds on a machine's score | [`threshold_table`] | Long2RAG §3.3 |
//! | exact match, token F1, evidence use | [`EvidenceUse`] | RECOMP Tables 2, 3 |
//! | queries worded anew | [`Refinement`] | CRUD-RAG §3.4 |
//! | which of two is better: win rates, strengths | [`PreferenceScores`], [`BradleyTerry`] | Bradley & Terry 1952 |
//! | MRR, MAP, P, R, nDCG; the ceiling of citation | [`RankedScores`], [`citation_ceiling`] | trec_eval; SummHay §6 |
//! | systems ranked, differences, rank correlation | [`Ranking`], [`RankingsCompared`] | Koehn 2004, Kendall 1945 |
//!
//! A [`Measure`] is a number or the reason why there is none, never a 0 that stands for nothing. Unjudged insights are in
//! no score: they are counted beside the scores and named by [`unfinished`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use haymark::score::{AskedInsight, InsightJudged, InsightSaid, Origin, SummaryJudged};
//!
//! let insight = |unit: &str, coverage, bullets: &[u32], gold: &[u32]| InsightJudged {
//!     insight: AskedInsight { unit: unit.to_owned(), gold: Some(Arc::new(gold.iter().copied().collect())) },
//!     said: InsightSaid { coverage: Some(coverage), bullets: bullets.to_vec() },
//! };
//! let insights = vec![insight("breaks", 100.0, &[1], &[2, 3]), insight("sleep", 0.0, &[], &[4])];
//! let summary = SummaryJudged::of(Origin::default(), "- They take breaks [2, 3].\n- They run.", insights);
//! let scores = summary.scores();
//! assert_eq!((scores.coverage, scores.citation, scores.joint), (Ok(50.0), Ok(100.0), Ok(50.0)));
//! ```

mod answerability;
mod answers;
mod bradley_terry;
mod coverage;
mod evidence;
mod human;
mod insight;
mod items;
mod judge_bias;
mod keypoint;
mod labels;
mod listed;
mod majority;
mod measure;
mod origin;
mod pay;
mod position;
mod preference;
mod ranking;
mod ratings;
mod ratio;
mod progress;
mod quality;
mod reading;
mod refinement;
mod retrieval;
mod threshold;
mod uncertainty;

#[cfg(test)]
mod tests;

pub use answerability::{AnswerQuestions, QuestionJudged, reference_answers};
pub use answers::{Normalised, best_f1, exact_match, gold_answers, predicted_answer, token_f1};
pub use bradley_terry::BradleyTerry;
use bradley_terry::logistic;
pub use coverage::{
    Average, CoverageCounts, ScorePool, Scores, SummaryJudged, SummaryText, SystemScores, Unfinished, scores,
    scores_by, unfinished,
};
pub use evidence::{AnswerGiven, EvidenceUse, InText, Occurs};
pub use human::{
    CurvePoint, STEP, SessionScored, SnapshotMeasure, SnapshotScored, curves, human_baseline, over_sessions,
};
pub use insight::{
    AskedInsight, CitationScore, InsightJudged, InsightSaid, InsightScore, SaidOfInsights, ScoreParts,
};
use items::{ClusterStrata, Numbered, by_thing, mean, percent_of};
pub use items::{Counted, Score, Tally, Thing, by_item};
pub use judge_bias::{JudgeBias, SummaryCompared, words_per_line};
pub use keypoint::{KeyPointJudged, PointVerdict, is_about_key_points};
pub use labels::{ItemJudged, LabelCount, QuestionLabels, question_labels, score_range, was_offered};
pub use listed::{ListCounts, TagCounts, TextCounts};
pub use majority::{Majority, majority};
use measure::median_of_sorted;
pub use measure::{Mean, Measure, Undefined, median, percent, undefined_key};
pub use origin::{By, GroupBy, GroupLabels, Grouped, Origin, RowGroups, System, groups, plural, within};
pub use pay::{Amount, Per, Rate};
pub use position::{PositionSensitivity, greatest_difference, position_sensitivity};
pub use preference::{
    FirstPreferred, PairJudged, PairPreferred, PairSaid, PreferenceQuestion, PreferenceScores,
    SystemPreferred,
};
pub use progress::{ENOUGH_TIMES, FAST, SLOW, TimeLeft, Timing};
pub use quality::{LabelAgainstOthers, labels_against_others};
pub use ranking::{
    RankedMeasure, Ranking, RankingsCompared, SystemDifference, SystemRanked, detectable, deviation,
    ranked_labels, ranked_measures, required,
};
pub use ratings::{Labels, ratings_of};
pub use ratio::{Harmonic, Ratio, RatioKind, RatioRow, RatioSaid};
pub use reading::CoverageQuestions;
pub use refinement::{Edit, QueryJudged, Refinement, RefinementQuestions};
pub use retrieval::{DepthScores, RankedScores, citation_ceiling};
pub use threshold::{ThresholdRow, threshold_table};
pub use uncertainty::{ClusterKind, Uncertainty};
