//! Thresholds on a machine's score that decide which key points are kept.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 and App. A.3. The paper calls the share of kept points that people reject the
//! false positive rate; it is a false discovery rate.

use std::collections::{BTreeMap, HashSet};

use super::{ClusterKind, KeyPointJudged, Mean, Measure, Numbered, Tally, Uncertainty, Undefined};
use crate::agreement::{Estimate, NumberRange};

/// The key points that a threshold keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdRow {
    /// The least score of a kept point.
    pub threshold: f64,
    /// The number of judged key points that are kept; a point counts once for each document.
    pub kept: usize,
    /// The number of all judged key points with a score.
    pub points: usize,
    /// The number of judgments of kept points.
    pub judged: usize,
    /// The number of judgments of kept points that do not retain the point.
    pub rejected: usize,
    /// The share of kept points that are rejected, 0–100: the unweighted mean of the annotators' shares.
    pub false_discovery: Estimate,
}

/// The number of the cluster, the score of the point, and the judgment.
type PointScored<'a> = (u32, f64, &'a KeyPointJudged);

/// A row for each threshold from 0.1 to 0.9; empty where no judged key point has a score.
pub fn threshold_table(judgments: &[KeyPointJudged], how: Uncertainty) -> Vec<ThresholdRow> {
    let kind = how.cluster_or(ClusterKind::Query);
    let numbers = Numbered::of(kind, judgments.iter().map(|judgment| &judgment.origin));
    let scored = judgments
        .iter()
        .filter_map(|judgment| Some((numbers.of_origin(&judgment.origin), judgment.score?, judgment)));
    let judged: Vec<PointScored<'_>> = scored.collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let thresholds: Vec<f64> = (1..=9).map(|tenth| f64::from(tenth) / 10.0).collect();
    let is_kept = |threshold: f64| move |(_, score, _): &&PointScored<'_>| *score >= threshold;
    let carries = |cluster: usize, at: usize| {
        let mut kept = judged.iter().filter(is_kept(thresholds[at]));
        kept.any(|(own, ..)| *own as usize == cluster)
    };
    let changed = |changed: &[(usize, u64)]| {
        let times: BTreeMap<usize, u64> = changed.iter().copied().collect();
        let times = |cluster: u32| times.get(&(cluster as usize)).map_or(1.0, |times| *times as f64);
        let kept = |threshold: &f64| judged.iter().filter(is_kept(*threshold));
        thresholds.iter().map(|threshold| false_discovery(kept(threshold), times)).collect::<Vec<_>>()
    };
    let whole: Vec<(Measure, NumberRange)> =
        changed(&[]).into_iter().map(|value| (value, NumberRange::PERCENT)).collect();
    let found = how.intervals.of_clusters(numbers.len(), &whole, carries, changed);
    let points = |judged: &mut dyn Iterator<Item = &PointScored<'_>>| {
        judged.map(|(.., judgment)| judgment.origin.thing()).collect::<HashSet<_>>().len()
    };
    let row = |(threshold, false_discovery): (&f64, Estimate)| {
        let kept = || judged.iter().filter(is_kept(*threshold));
        ThresholdRow {
            threshold: *threshold,
            kept: points(&mut kept()),
            points: points(&mut judged.iter()),
            judged: kept().count(),
            rejected: kept().filter(|(.., judgment)| !judgment.verdict.is_retained()).count(),
            false_discovery,
        }
    };
    thresholds.iter().zip(found).map(row).collect()
}

/// The mean of the annotators' shares of rejected points; `times` gives how often each cluster counts.
fn false_discovery<'a>(
    kept: impl Iterator<Item = &'a PointScored<'a>>,
    times: impl Fn(u32) -> f64,
) -> Measure {
    let mut rejected: BTreeMap<&str, Tally> = BTreeMap::new();
    for (cluster, _, judgment) in kept {
        let (weight, is_rejected) = (times(*cluster), !judgment.verdict.is_retained());
        let sum = if is_rejected { 100.0 * weight } else { 0.0 };
        *rejected.entry(&judgment.origin.annotator).or_default() += Tally { sum, weight };
    }
    let shares = rejected.values().filter_map(|share| share.mean(Undefined::NothingKept).ok());
    shares.collect::<Mean>().or(Undefined::NothingKept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Origin, PointVerdict};

    fn judged(annotator: &str, item: u32, score: Option<f64>, verdict: PointVerdict) -> KeyPointJudged {
        let (annotator, query) = (annotator.into(), item.to_string());
        KeyPointJudged { origin: Origin { annotator, query, ..Origin::default() }, score, verdict }
    }

    #[test]
    fn thresholds_keep_and_people_reject() {
        use PointVerdict::{Agree, Disagree, Neutral, NotGrounded};
        let judgments = [
            judged("ana", 1, Some(0.9), Agree),
            judged("ana", 2, Some(0.7), Disagree),
            judged("ana", 3, Some(0.4), NotGrounded),
            judged("ben", 1, Some(0.9), Neutral),
            judged("ben", 5, None, Agree),
        ];
        let rows = threshold_table(&judgments, Uncertainty::default());
        assert_eq!(rows.len(), 9);
        let row =
            |at: usize| (rows[at].kept, rows[at].judged, rows[at].rejected, rows[at].false_discovery.value);
        // From 0.1 to 0.4 all three scored and judged points: ana rejects 2 of 3, ben 1 of 1; (2/3 + 1) / 2 = 5/6.
        for at in 0..4 {
            let (kept, judged, rejected, share) = row(at);
            assert_eq!((kept, judged, rejected), (3, 4, 3));
            assert!((share.unwrap() - 500.0 / 6.0).abs() < 1e-9);
        }
        // From 0.5 to 0.7, which 0.7 reaches: ana 1 of 2, ben 1 of 1; (1/2 + 1) / 2 = 3/4.
        assert_eq!(row(4), (2, 3, 2, Ok(75.0)));
        assert_eq!(row(6), (2, 3, 2, Ok(75.0)));
        // At 0.8 and 0.9 the first point only: ana 0 of 1, ben 1 of 1.
        assert_eq!(row(8), (1, 2, 1, Ok(50.0)));
        assert_eq!(rows[8].points, 3);
        // From 0.1, without each of the queries 1, 2, 3: ana 2 of 2; ana 1 of 2 and ben 1 of 1; the same: 100, 75, 75, with squares
        // of 1250/3 about their mean. SE² = 2/3 of that; two clusters are too few from 0.5.
        let interval = |at: usize| rows[at].false_discovery.interval.expect("asked for");
        assert!((interval(0).unwrap().se.unwrap() - (2500.0_f64 / 9.0).sqrt()).abs() < 1e-9);
        assert_eq!(interval(4), Err(Undefined::TooFewClusters));
    }

    #[test]
    fn a_threshold_above_all_scores_keeps_nothing() {
        let rows =
            threshold_table(&[judged("ana", 1, Some(0.3), PointVerdict::Agree)], Uncertainty::default());
        assert_eq!((rows[3].kept, rows[3].false_discovery.value), (0, Err(Undefined::NothingKept)));
        assert!(
            threshold_table(&[judged("ana", 1, None, PointVerdict::Agree)], Uncertainty::default())
                .is_empty()
        );
    }
}
