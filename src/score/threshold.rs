//! What is lost and let through when a machine's score decides which key points are kept.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 and App. A.3. The paper calls the share of kept points that people reject the
//! false positive rate; it is a false discovery rate.

use std::collections::{BTreeMap, HashSet};

use super::keypoint::KeyPointJudged;
use super::measure::{Mean, Measure, Undefined};
use super::share::Share;

/// The key points that a threshold keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdRow {
    /// A point is kept when its score is at least this.
    pub threshold: f64,
    /// Different key points in documents that are judged and kept.
    pub kept: usize,
    /// Of all that are judged and have a score.
    pub points: usize,
    /// Judgments of those that are kept.
    pub judged: usize,
    /// Those among them that do not retain the point.
    pub rejected: usize,
    /// Share of kept points that are rejected, 0–100: the mean of the annotators' shares, each counting the
    /// same however much they judged.
    pub false_discovery: Measure,
}

/// A row for each threshold from 0.1 to 0.9; none at all where no judged key point has a score.
pub fn threshold_table(judgments: &[KeyPointJudged]) -> Vec<ThresholdRow> {
    let scored = judgments.iter().filter_map(|judgment| Some((judgment.score?, judgment)));
    let judged: Vec<(f64, &KeyPointJudged)> = scored.collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let points = |judged: &mut dyn Iterator<Item = &(f64, &KeyPointJudged)>| {
        judged.map(|(_, judgment)| judgment.origin.thing()).collect::<HashSet<_>>().len()
    };
    (1..=9)
        .map(|tenth| {
            let threshold = f64::from(tenth) / 10.0;
            let kept = || judged.iter().filter(|(score, _)| *score >= threshold);
            let mut rejected: BTreeMap<&str, Share> = BTreeMap::new();
            for (_, judgment) in kept() {
                let is_rejected = !judgment.verdict.is_retained();
                rejected.entry(&judgment.origin.annotator).or_default().count(is_rejected);
            }
            let shares = rejected.values().filter_map(|share| share.percent(Undefined::NothingKept).ok());
            ThresholdRow {
                threshold,
                kept: points(&mut kept()),
                points: points(&mut judged.iter()),
                judged: rejected.values().map(|share| share.of).sum(),
                rejected: rejected.values().map(|share| share.part).sum(),
                false_discovery: shares.collect::<Mean>().or(Undefined::NothingKept),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Origin, Verdict};

    fn judged(annotator: &str, item: u32, score: Option<f64>, verdict: Verdict) -> KeyPointJudged {
        let (annotator, query) = (annotator.into(), item.to_string());
        KeyPointJudged { origin: Origin { annotator, query, ..Origin::default() }, score, verdict }
    }

    #[test]
    fn thresholds_keep_and_people_reject() {
        use Verdict::{Agree, Disagree, Neutral, NotGrounded};
        let judgments = [
            judged("ana", 1, Some(0.9), Agree),
            judged("ana", 2, Some(0.7), Disagree),
            judged("ana", 3, Some(0.4), NotGrounded),
            judged("ben", 1, Some(0.9), Neutral),
            judged("ben", 5, None, Agree),
        ];
        let rows = threshold_table(&judgments);
        assert_eq!(rows.len(), 9);
        let row = |at: usize| (rows[at].kept, rows[at].judged, rows[at].rejected, rows[at].false_discovery);
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
    }

    #[test]
    fn a_threshold_above_all_scores_keeps_nothing() {
        let rows = threshold_table(&[judged("ana", 1, Some(0.3), Verdict::Agree)]);
        assert_eq!((rows[3].kept, rows[3].false_discovery), (0, Err(Undefined::NothingKept)));
        assert!(threshold_table(&[judged("ana", 1, None, Verdict::Agree)]).is_empty());
    }
}
