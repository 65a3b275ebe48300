//! Scores of texts that people write against the clock, minute by minute and at the end.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §5.3 and App. A.4. Every ten active minutes, and at the end, the text
//! is a summary of its own ([`SnapshotScored`]). A curve is the mean over sessions of a measure of the snapshots at that
//! minute; a session that ended earlier keeps the value of its last snapshot. The human baseline is made of the last
//! snapshots, scored like the summaries of any system: pooled over their insights.
//!
//! Intervals are over whole sessions, or over wider clusters such as queries. A session without a judged snapshot at a
//! minute is not in that minute's mean.

use super::{Average, Measure, Score, SummaryJudged, SystemScores, Tally, Thing, Undefined};
use crate::agreement::{Drawn, Estimate, Intervals, NumberRange};

/// Minutes between two points of a curve.
pub const STEP: u32 = 10;

named! {
    /// A measure of a snapshot.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum SnapshotMeasure {
        Coverage = "coverage",
        Precision = "precision",
        Recall = "recall",
        /// Citation F1.
        Citation = "citation",
        Joint = "joint",
    }
}

impl SnapshotMeasure {
    fn is_about_citations(self) -> bool {
        matches!(self, SnapshotMeasure::Precision | SnapshotMeasure::Recall | SnapshotMeasure::Citation)
    }
}

/// A session's text at one minute, scored. An insight that several annotators judged counts with their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotScored {
    /// Active minutes.
    pub minute: f64,
    /// For each of [`SnapshotMeasure::ALL`], the sum over the insights that count, and the reason for no value where there
    /// are none.
    tallies: [(Tally, Undefined); 5],
}

/// The tally of what nobody judged.
const NO_TALLY: (Tally, Undefined) = (Tally { sum: 0.0, weight: 0.0 }, Undefined::NothingJudged);

impl SnapshotScored {
    /// The scores from judgments of the snapshot.
    pub fn of(minute: f64, judged: &[&SummaryJudged]) -> SnapshotScored {
        let thing = Thing { cluster: 0, drawn: Drawn::default(), judgments: judged.to_vec() };
        let things = if judged.is_empty() { &[][..] } else { std::slice::from_ref(&thing) };
        let scored = SystemScores::of(things, Average::Insight);
        let named = scored.scores.measures();
        let tally = |measure: SnapshotMeasure| {
            let part = named.iter().zip(&scored.parts).find(|((name, _), _)| *name == measure.name());
            part.map_or(NO_TALLY, |(_, part)| (part.total(), part.reason))
        };
        SnapshotScored { minute, tallies: SnapshotMeasure::ALL.map(tally) }
    }

    /// Keeps the citation scores only. They need no judgment of coverage, only the link of a bullet to an insight, which may
    /// come from a judge that was not chosen.
    #[must_use]
    pub fn citations_only(mut self) -> SnapshotScored {
        for (measure, tally) in SnapshotMeasure::ALL.into_iter().zip(&mut self.tallies) {
            if !measure.is_about_citations() {
                *tally = NO_TALLY;
            }
        }
        self
    }

    /// The score on one measure, 0–100.
    pub fn score(&self, measure: SnapshotMeasure) -> Measure {
        let (tally, reason) = self.tally(measure);
        tally.mean(reason)
    }

    fn tally(&self, measure: SnapshotMeasure) -> (Tally, Undefined) {
        let of = SnapshotMeasure::ALL.into_iter().zip(self.tallies).find(|(one, _)| *one == measure);
        of.map_or(NO_TALLY, |(_, tally)| tally)
    }
}

/// The snapshots of a session by minute; the final one is last.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionScored {
    /// The number of the cluster: the session itself, unless another kind of cluster is asked for.
    pub cluster: u32,
    pub snapshots: Vec<SnapshotScored>,
}

/// The number of sessions with a value, and their mean: the sum of the tallies by their weight. Each tally comes with the
/// number of its cluster. Without any, the mean is undefined for `reason`.
pub fn over_sessions(
    tallies: impl IntoIterator<Item = (u32, Tally)>,
    range: NumberRange,
    reason: Undefined,
    intervals: Intervals,
) -> (usize, Estimate) {
    let tallies: Vec<(u32, Tally)> = tallies.into_iter().filter(|(_, tally)| tally.weight > 0.0).collect();
    (tallies.len(), Score::of(reason, tallies).estimate(range, intervals))
}

/// A curve's values at a minute.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    pub minute: u32,
    /// The mean of each of [`SnapshotMeasure::ALL`], with the number of sessions.
    pub values: [(usize, Estimate); 5],
}

/// The means over sessions, every ten minutes until all have ended.
pub fn curves(sessions: &[SessionScored], intervals: Intervals) -> Vec<CurvePoint> {
    let longest = sessions.iter().filter_map(|session| session.snapshots.last()).map(|last| last.minute);
    let longest = longest.fold(0.0, f64::max);
    let minutes = (1..).map(|step| step * STEP);
    // A year at most, so that a wrong record cannot give an endless curve.
    let minutes = minutes.take_while(|minute| f64::from(minute - STEP) < longest && *minute <= 525_600);
    minutes.map(|minute| point(sessions, minute, intervals)).collect()
}

fn point(sessions: &[SessionScored], minute: u32, intervals: Intervals) -> CurvePoint {
    let held = sessions.iter().filter_map(|session| Some((session.cluster, at(&session.snapshots, minute)?)));
    let held: Vec<(u32, &SnapshotScored)> = held.collect();
    let estimate = |measure: SnapshotMeasure| {
        let tallies = held.iter().map(|(cluster, one)| (*cluster, Tally::one(one.score(measure).ok())));
        let reasons = held.iter().filter_map(|(_, one)| one.score(measure).err());
        let reason = reasons.max().unwrap_or(Undefined::NothingJudged);
        over_sessions(tallies, NumberRange::PERCENT, reason, intervals)
    };
    CurvePoint { minute, values: SnapshotMeasure::ALL.map(estimate) }
}

/// The snapshot at a minute, or the last one of a session that ended before.
fn at(session: &[SnapshotScored], minute: u32) -> Option<&SnapshotScored> {
    let last = session.last()?;
    if last.minute < f64::from(minute) {
        return Some(last);
    }
    session.iter().find(|snapshot| snapshot.minute == f64::from(minute))
}

/// The human baseline: each of [`SnapshotMeasure::ALL`] over the last snapshots, pooled over their insights, with the number
/// of sessions.
pub fn human_baseline(sessions: &[SessionScored], intervals: Intervals) -> [(usize, Estimate); 5] {
    SnapshotMeasure::ALL.map(|measure| {
        let last =
            || sessions.iter().filter_map(|session| Some((session.cluster, session.snapshots.last()?)));
        let reason = last().map(|(_, one)| one.tally(measure).1).max().unwrap_or(Undefined::NothingJudged);
        let tallies = last().map(|(cluster, one)| (cluster, one.tally(measure).0));
        over_sessions(tallies, NumberRange::PERCENT, reason, intervals)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::agreement::Bootstrap;
    use crate::score::{AskedInsight, InsightJudged, InsightSaid, Origin};

    const DRAWN: Intervals = Intervals::Jackknife;

    /// Bullet 1 cites 1 and 2, bullet 2 cites 3.
    const TEXT: &str = "- One [1, 2]\n- Two [3]";

    fn insight(coverage: Option<f64>, bullet: Option<u32>, gold: &[u32]) -> InsightJudged {
        InsightJudged {
            insight: AskedInsight {
                unit: String::new(),
                gold: Some(Arc::new(gold.iter().copied().collect())),
            },
            said: InsightSaid { coverage, bullets: bullet.into_iter().collect() },
        }
    }

    fn summary(mut insights: Vec<InsightJudged>) -> SummaryJudged {
        insights.iter_mut().zip(0..).for_each(|(insight, at)| insight.insight.unit = format!("u{at}"));
        SummaryJudged::of(Origin::default(), TEXT, insights)
    }

    /// One insight, covered so far by bullet 1, which cites 1 and 2, both right.
    fn covered(minute: f64, coverage: f64) -> SnapshotScored {
        SnapshotScored::of(minute, &[&summary(vec![insight(Some(coverage), Some(1), &[1, 2])])])
    }

    /// Sessions each by itself.
    fn sessions<const N: usize>(all: [Vec<SnapshotScored>; N]) -> Vec<SessionScored> {
        (0..).zip(all).map(|(cluster, snapshots)| SessionScored { cluster, snapshots }).collect()
    }

    fn unjudged(minute: f64) -> SnapshotScored {
        SnapshotScored::of(minute, &[])
    }

    fn close(found: Measure, expected: f64) {
        assert!(found.is_ok_and(|value| (value - expected).abs() < 1e-9), "{found:?}, not {expected}");
    }

    #[test]
    fn a_snapshot_averages_what_its_annotators_judged_item_by_item() {
        // One says of the first insight full by bullet 1 (cites 1 and 2, P 1/2, R 1/2, F1 1/2) and of the second not
        // covered; the other of the first partial by bullet 2 (cites 3, P 1, R 1/2, F1 2/3), and has not judged the second.
        let one = summary(vec![insight(Some(100.0), Some(1), &[1, 3]), insight(Some(0.0), None, &[5])]);
        let other = summary(vec![insight(Some(50.0), Some(2), &[1, 3]), insight(None, None, &[5])]);
        let scored = SnapshotScored::of(10.0, &[&one, &other]);
        close(scored.score(SnapshotMeasure::Coverage), (75.0 + 0.0) / 2.0);
        close(scored.score(SnapshotMeasure::Precision), (50.0 + 100.0) / 2.0);
        close(scored.score(SnapshotMeasure::Recall), 50.0);
        close(scored.score(SnapshotMeasure::Citation), (50.0 + 200.0 / 3.0) / 2.0);
        // The first insight: (1 × 50 + 0.5 × 66.67) / 2, the second 0.
        close(scored.score(SnapshotMeasure::Joint), 125.0 / 6.0);
        let citations = scored.citations_only();
        close(citations.score(SnapshotMeasure::Recall), 50.0);
        assert_eq!(citations.score(SnapshotMeasure::Joint), Err(Undefined::NothingJudged));
    }

    #[test]
    fn who_ended_early_holds_the_last_value() {
        let sessions = sessions([
            vec![covered(10.0, 0.0), covered(20.0, 50.0), covered(30.0, 100.0), covered(34.5, 100.0)],
            vec![covered(10.0, 50.0), covered(12.0, 100.0)],
        ]);
        let curve = curves(&sessions, DRAWN);
        let minutes: Vec<u32> = curve.iter().map(|point| point.minute).collect();
        assert_eq!(minutes, [10, 20, 30, 40], "until the longest has ended");
        let coverage: Vec<Measure> = curve.iter().map(|point| point.values[0].1.value).collect();
        // (0 + 50) / 2, (50 + 100) / 2, then both 100.
        assert_eq!(coverage, [Ok(25.0), Ok(75.0), Ok(100.0), Ok(100.0)]);
        let two = curve[0].values[0].1.interval;
        assert_eq!(two, Some(Err(Undefined::TooFewClusters)), "two sessions say nothing about others");
    }

    #[test]
    fn what_is_not_judged_is_in_no_mean() {
        let sessions = sessions([
            vec![unjudged(10.0), covered(20.0, 100.0)],
            vec![covered(10.0, 50.0), covered(20.0, 50.0)],
            vec![unjudged(10.0), unjudged(14.0)],
        ]);
        let curve = curves(&sessions, DRAWN);
        assert_eq!((curve[0].values[0].1.value, curve[0].values[0].0), (Ok(50.0), 1));
        assert_eq!(
            curve[0].values[0].1.interval,
            Some(Err(Undefined::TooFewClusters)),
            "one session says nothing about others"
        );
        assert_eq!((curve[1].values[0].1.value, curve[1].values[0].0), (Ok(75.0), 2));
        let none = curves(&self::sessions([vec![unjudged(10.0)]]), DRAWN);
        assert_eq!(none[0].values[0].1.value, Err(Undefined::NothingJudged));
        assert_eq!(curves(&[], DRAWN), []);
    }

    #[test]
    fn the_baseline_is_pooled_over_insights() {
        // A session of one insight at 100 and one of three at 0, 0 and 50: 150 / 4, where the mean of the two would be
        // (100 + 16.67) / 2.
        let three = summary(vec![
            insight(Some(0.0), None, &[1]),
            insight(Some(0.0), None, &[1]),
            insight(Some(50.0), Some(1), &[1, 2]),
        ]);
        let mut sessions = sessions([
            vec![covered(10.0, 0.0), covered(20.0, 100.0)],
            vec![SnapshotScored::of(15.0, &[&three])],
        ]);
        let baseline = human_baseline(&sessions, DRAWN);
        close(baseline[0].1.value, 37.5);
        // Both covered insights have right citations.
        close(baseline[3].1.value, 100.0);
        let plain = human_baseline(&sessions, Intervals::Bootstrap(Bootstrap { resamples: 0, seed: 1 }));
        assert_eq!(plain[0].1.interval, None);
        // Twice as many sessions, on three queries: two sessions on one query are not independent.
        let again = sessions.clone();
        sessions.extend(again);
        sessions.iter_mut().zip([0, 1, 2, 1]).for_each(|(session, cluster)| session.cluster = cluster);
        let (number, by_query) = human_baseline(&sessions, DRAWN)[0];
        // All: 300 / 8. Without the first or the third (100 of 1): 200 / 7; without the second and fourth (50 of 3 each): 200 / 2.
        let [few, many] = [200.0_f64 / 7.0, 100.0];
        let mean = (2.0 * few + many) / 3.0;
        let squares = 2.0 * (few - mean).powi(2) + (many - mean).powi(2);
        let se = by_query.interval.expect("asked for").expect("three queries").se.expect("known");
        assert!((se - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-9 && (number, by_query.clusters) == (4, 3));
    }
}
