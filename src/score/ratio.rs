//! Scores by rules: a ratio over things, each counted once, and the harmonic mean of two ratios. Each row has the value of a
//! judgment, whether it counts, and the thing it belongs to; [`crate::protocol::ScoreRule`] is the rule in a file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{ClusterStrata, Counted, Measure, Score, Tally, Undefined};
use crate::agreement::{Drawn, Estimate, Intervals, NumberRange};

/// A row of a score: a judgment, or a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioRow {
    /// The number of the cluster.
    pub cluster: u32,
    /// The number of the thing over which the harmonic mean is computed; 0 for all rows at once.
    pub outer: u32,
    /// The number of the thing over which the ratio is computed; `None` for rows without one, 0 for all rows at once.
    pub level: Option<u32>,
    /// The number of the thing that counts once.
    pub thing: u32,
    pub annotator: i64,
    pub drawn: Drawn,
    pub said: RatioSaid,
}

/// The content of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioSaid {
    /// A judgment under the protocol of the file, while the score is about another protocol.
    Elsewhere,
    /// A row that does not count.
    LeftOut,
    /// A row that does not count, and might if what nobody, or no majority, said of it were known.
    Unsaid,
    /// A row that counts, with a value or weight that is not known.
    Missing,
    /// A row of which it is not settled whether it counts, or what it is worth; its weight is infinite where that is not settled.
    Open { weight: f64 },
    /// A row that counts, with its value and its weight, which is at least 0.
    Worth { value: f64, weight: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioKind {
    /// Whether the ratio is computed for each thing of a level, and then averaged.
    pub has_level: bool,
    /// The value of a thing of the level in which no row counts.
    pub empty: Option<f64>,
    /// Whether each thing of the level lies within one drawn thing, and so has a sampling weight.
    pub is_drawn: bool,
    /// The range of the values.
    pub range: NumberRange,
}

impl RatioKind {
    /// Whether no value is larger.
    fn is_most(&self, value: f64) -> bool {
        matches!(self.range, NumberRange::Between(_, most) if value >= most)
    }

    /// A ratio over nothing.
    pub const NOTHING: RatioKind =
        RatioKind { has_level: false, empty: None, is_drawn: false, range: NumberRange::PERCENT };
}

/// The sums over some rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct RatioPart {
    tally: Tally,
    /// Rows under the score's own protocol.
    rows: usize,
    /// Rows that count.
    among: usize,
    missing: usize,
    /// Rows that do not count, and might.
    unsaid: usize,
    /// The sampling weight and stratum of the last row.
    drawn: Drawn,
}

impl RatioPart {
    fn add(&mut self, other: RatioPart, times: u64) {
        let times_of = |number: f64| if times == 1 { number } else { number * times as f64 };
        self.tally += Tally { sum: times_of(other.tally.sum), weight: times_of(other.tally.weight) };
        self.rows += other.rows;
        self.among += other.among;
        self.missing += other.missing;
        self.unsaid += other.unsaid;
        self.drawn = other.drawn;
    }

    fn value(self) -> Measure {
        let reason = match self {
            RatioPart { rows: 0, .. } => Undefined::NothingJudged,
            RatioPart { among: 0, .. } => Undefined::NothingAmong,
            RatioPart { among, missing, .. } if among == missing => Undefined::Missing,
            _ => Undefined::NoWeight,
        };
        self.tally.mean(reason)
    }
}

/// The cluster, the thing of the harmonic mean, and the thing of the ratio.
type RatioPlace = (u32, u32, Option<u32>);

type PlacedParts = Vec<(RatioPlace, RatioPart)>;

/// A ratio over rows, with the contribution of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    kind: RatioKind,
    parts: BTreeMap<RatioPlace, RatioPart>,
    strata: ClusterStrata,
    /// Counts of the things with weight, and of their judgments.
    pub counted: Counted,
}

/// How often each cluster occurs; other clusters occur once.
type Times<'a> = &'a [(usize, u64)];

fn times_of(cluster: u32, times: Times<'_>) -> u64 {
    times.iter().find(|(other, _)| *other == cluster as usize).map_or(1, |(_, times)| *times)
}

impl Ratio {
    /// The ratio of these rows. Of several rows of one annotator in a thing, the largest counts; where one is open, only the largest
    /// that there can be does. The annotators of a thing are averaged before things are.
    pub fn of(kind: RatioKind, rows: impl IntoIterator<Item = RatioRow>) -> Ratio {
        let (parts, strata, counted) = Default::default();
        let mut ratio = Ratio { kind, parts, strata, counted };
        let mut worth: Vec<(RatioRow, f64, f64)> = Vec::new();
        let mut open: HashMap<(u32, i64), f64> = HashMap::new();
        for row in rows {
            let part = ratio.parts.entry((row.cluster, row.outer, row.level)).or_default();
            part.drawn = row.drawn;
            ratio.strata.note(row.cluster, row.drawn.stratum);
            let RatioPart { rows, among, missing, unsaid, .. } = part;
            *rows += usize::from(row.said != RatioSaid::Elsewhere);
            *among += usize::from(!matches!(
                row.said,
                RatioSaid::Elsewhere | RatioSaid::LeftOut | RatioSaid::Unsaid
            ));
            *unsaid += usize::from(row.said == RatioSaid::Unsaid);
            *missing += usize::from(matches!(row.said, RatioSaid::Missing | RatioSaid::Open { .. }));
            match row.said {
                RatioSaid::Worth { value, weight } => worth.push((row, value, weight)),
                RatioSaid::Open { weight } => {
                    let most = open.entry((row.thing, row.annotator)).or_default();
                    *most = most.max(weight);
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            for (row, value, weight) in &worth {
                let person = (row.thing, row.annotator);
                if kind.is_most(*value) && open.get(&person).is_some_and(|most| weight >= most) {
                    open.remove(&person);
                }
            }
            worth.retain(|(row, ..)| {
                let is_open = open.contains_key(&(row.thing, row.annotator));
                let place = (row.cluster, row.outer, row.level);
                ratio.parts.entry(place).or_default().missing += usize::from(is_open);
                !is_open
            });
        }
        worth.sort_unstable_by(|(one, value, weight), (other, other_value, other_weight)| {
            let by_person = (one.thing, one.annotator).cmp(&(other.thing, other.annotator));
            by_person.then(value.total_cmp(other_value)).then(weight.total_cmp(other_weight))
        });
        let mut things: Vec<(RatioPlace, f64, f64)> = Vec::new();
        for of_thing in worth.chunk_by(|one, other| one.0.thing == other.0.thing) {
            let of_person = of_thing.chunk_by(|one, other| one.0.annotator == other.0.annotator);
            let mut said: Vec<(f64, f64)> = of_person
                .filter_map(<[_]>::last)
                .map(|(_, value, weight)| (value * weight, *weight))
                .collect();
            // Sums go by size, so that the order of people changes no digit.
            said.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
            let mean = |of: fn(&(f64, f64)) -> f64| said.iter().map(of).sum::<f64>() / said.len() as f64;
            let Some((row, ..)) = of_thing.first() else { continue };
            let Tally { sum, weight } =
                Tally { sum: mean(|said| said.0), weight: mean(|said| said.1) }.times(row.drawn.weight);
            if weight > 0.0 {
                ratio.counted.add(of_thing.len());
            }
            things.push(((row.cluster, row.outer, row.level), sum, weight));
        }
        things.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        for (place, sum, weight) in things {
            ratio.parts.entry(place).or_default().tally += Tally { sum, weight };
        }
        ratio
    }

    /// The value of the ratio.
    ///
    /// # Errors
    /// The first reason that fits: nothing judged, no row that counts, all such rows missing, no weight.
    pub fn value(&self) -> Measure {
        self.over(self.parts.iter(), &[])
    }

    fn over<'a>(
        &self,
        parts: impl Iterator<Item = (&'a RatioPlace, &'a RatioPart)>,
        times: Times<'_>,
    ) -> Measure {
        let mut all = RatioPart::default();
        let mut levels: BTreeMap<u32, RatioPart> = BTreeMap::new();
        for ((cluster, _, level), part) in parts {
            let times = times_of(*cluster, times);
            if times == 0 {
                continue;
            }
            all.add(*part, times);
            if let Some(level) = level.filter(|_| self.kind.has_level) {
                levels.entry(level).or_default().add(*part, times);
            }
        }
        if !self.kind.has_level {
            return all.value();
        }
        let mut values = Tally::default();
        levels.into_values().for_each(|part| values += self.level_tally(part));
        // There is a value wherever any thing has weight.
        values.mean(all.value().err().unwrap_or(Undefined::NothingAmong))
    }

    /// The contribution of a thing of the level to the mean over things.
    fn level_tally(&self, part: RatioPart) -> Tally {
        Tally::one(self.of_level(part)).times(self.weight(&part))
    }

    /// The sampling weight of a thing of the level.
    fn weight(&self, part: &RatioPart) -> f64 {
        if self.kind.is_drawn { part.drawn.weight } else { 1.0 }
    }

    /// The value of a thing of the level.
    fn of_level(&self, part: RatioPart) -> Option<f64> {
        match part.value() {
            Ok(value) => Some(value),
            Err(Undefined::NothingJudged | Undefined::NothingAmong) => self.kind.empty,
            Err(_) => None,
        }
    }

    /// The number of things of the level with a value; `None` for a ratio over all rows at once.
    pub fn levels(&self) -> Option<usize> {
        let mut levels: BTreeMap<u32, RatioPart> = BTreeMap::new();
        for ((.., level), part) in &self.parts {
            level.iter().for_each(|level| levels.entry(*level).or_default().add(*part, 1));
        }
        let values = levels.into_values().filter_map(|part| self.of_level(part));
        self.kind.has_level.then(|| values.count())
    }

    /// Counts the rows of which value or weight is not known, or whether they count.
    pub fn missing(&self) -> usize {
        self.parts.values().map(|part| part.missing + part.unsaid).sum()
    }

    /// The ratio as a mean over clusters; `None` where a thing of the level lies in several clusters.
    pub fn score(&self) -> Option<Score> {
        let mut score = Score::new(self.value().err().unwrap_or(Undefined::NothingAmong));
        score.strata = self.strata.clone();
        if !self.kind.has_level {
            self.parts.iter().for_each(|((cluster, ..), part)| score.add(*cluster, part.tally));
            return Some(score);
        }
        let mut levels: BTreeMap<u32, (u32, RatioPart)> = BTreeMap::new();
        for ((cluster, _, level), part) in &self.parts {
            let Some(level) = level else { continue };
            let known = levels.entry(*level).or_insert((*cluster, RatioPart::default()));
            if known.0 != *cluster {
                return None;
            }
            known.1.add(*part, 1);
        }
        levels.into_values().for_each(|(cluster, part)| score.add(cluster, self.level_tally(part)));
        Some(score)
    }

    /// The ratio with its interval. A cluster has data where its rows alone have a value.
    pub fn estimate(&self, intervals: Intervals) -> Estimate {
        if let Some(score) = self.score() {
            return score.estimate(self.kind.range, intervals);
        }
        let clusters = clusters_of(self.parts.keys());
        let carries = |cluster: u32| self.of_cluster(cluster).is_ok();
        let changed = |times: Times<'_>| self.over(self.parts.iter(), times);
        by_clusters(&clusters, (self.value(), self.kind.range), intervals, carries, changed)
    }

    fn of_cluster(&self, cluster: u32) -> Measure {
        self.over(self.parts.range((cluster, 0, None)..=(cluster, u32::MAX, Some(u32::MAX))), &[])
    }

    /// The ratio over the parts in a thing of the harmonic mean.
    fn of_outer(&self, outer: u32, times: Times<'_>) -> Measure {
        self.over(self.parts.iter().filter(|((_, other, _), _)| *other == outer), times)
    }
}

/// The harmonic mean of two ratios over the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Harmonic {
    /// The two ratios, with the same clusters and outer things.
    pub parts: [Ratio; 2],
    /// Whether the harmonic mean is computed for each outer thing, and then averaged.
    pub has_level: bool,
}

impl Harmonic {
    /// The value 2ab / (a + b); 0 where both are 0, undefined where one of the two is.
    pub fn value(&self) -> Measure {
        self.over(&[])
    }

    fn over(&self, times: Times<'_>) -> Measure {
        let [one, other] = &self.parts;
        if !self.has_level {
            let both = |parts: &Ratio| parts.over(parts.parts.iter(), times);
            return harmonic(both(one), both(other));
        }
        let mut values = Tally::default();
        for outer in self.levels() {
            let mut parts = one.parts.iter().chain(&other.parts);
            let weight =
                parts.find(|((_, own, _), _)| *own == outer).map_or(1.0, |(_, part)| one.weight(part));
            values += Tally::one(self.of_level(outer, times).ok()).times(weight);
        }
        values.mean(Undefined::NotBothScores)
    }

    /// The outer things.
    fn levels(&self) -> impl Iterator<Item = u32> {
        let places = self.parts.iter().flat_map(|part| part.parts.keys());
        places.map(|(_, outer, _)| *outer).collect::<BTreeSet<u32>>().into_iter()
    }

    fn of_level(&self, outer: u32, times: Times<'_>) -> Measure {
        let [one, other] = &self.parts;
        harmonic(one.of_outer(outer, times), other.of_outer(outer, times))
    }

    /// The harmonic mean as a mean over clusters; `None` where it is computed over all rows at once, or where an outer thing lies
    /// in several clusters.
    pub fn score(&self) -> Option<Score> {
        if !self.has_level {
            return None;
        }
        let mut score = Score::new(Undefined::NotBothScores);
        score.strata = self.parts[0].strata.clone();
        let mut of_level: BTreeMap<u32, (u32, [PlacedParts; 2])> = BTreeMap::new();
        for (at, ratio) in self.parts.iter().enumerate() {
            for (place, part) in &ratio.parts {
                let known = of_level.entry(place.1).or_insert_with(|| (place.0, [Vec::new(), Vec::new()]));
                if known.0 != place.0 {
                    return None;
                }
                known.1[at].push((*place, *part)); // two parts
            }
        }
        for (cluster, parts) in of_level.into_values() {
            let value =
                |at: usize| self.parts[at].over(parts[at].iter().map(|(place, part)| (place, part)), &[]);
            let weight = parts.iter().flatten().next().map_or(1.0, |(_, part)| self.parts[0].weight(part));
            score.add(cluster, Tally::one(harmonic(value(0), value(1)).ok()).times(weight));
        }
        Some(score)
    }

    /// The harmonic mean with its interval. Where it is computed over all rows at once, a cluster has data where it has for
    /// one of the two ratios.
    pub fn estimate(&self, intervals: Intervals) -> Estimate {
        if let Some(score) = self.score() {
            return score.estimate(NumberRange::PERCENT, intervals);
        }
        let clusters = clusters_of(self.parts.iter().flat_map(|part| part.parts.keys()));
        let carries = |cluster: u32| match self.has_level {
            false => self.parts.iter().any(|part| part.of_cluster(cluster).is_ok()),
            true => {
                let others: Vec<(usize, u64)> = clusters
                    .iter()
                    .filter(|other| **other != cluster)
                    .map(|other| (*other as usize, 0))
                    .collect();
                self.over(&others).is_ok()
            }
        };
        by_clusters(&clusters, (self.value(), NumberRange::PERCENT), intervals, carries, |times| {
            self.over(times)
        })
    }
}

/// 2ab / (a + b) of two numbers of at least 0.
fn harmonic(one: Measure, other: Measure) -> Measure {
    match (one, other) {
        (Ok(one), Ok(other)) if one + other > 0.0 => Ok(2.0 * one * other / (one + other)),
        (Ok(_), Ok(_)) => Ok(0.0),
        _ => Err(Undefined::NotBothScores),
    }
}

fn clusters_of<'a>(places: impl Iterator<Item = &'a RatioPlace>) -> Vec<u32> {
    places.map(|(cluster, ..)| *cluster).collect::<BTreeSet<u32>>().into_iter().collect()
}

/// The interval of a value that is computed anew for each change of the clusters.
fn by_clusters(
    clusters: &[u32],
    whole: (Measure, NumberRange),
    intervals: Intervals,
    carries: impl Fn(u32) -> bool,
    changed: impl Fn(Times<'_>) -> Measure + Sync,
) -> Estimate {
    let carrying: Vec<bool> = clusters.iter().map(|cluster| carries(*cluster)).collect();
    let changed = |times: &[(usize, u64)]| {
        let named = times.iter().filter_map(|(at, times)| Some((*clusters.get(*at)? as usize, *times)));
        vec![changed(&named.collect::<Vec<_>>())]
    };
    let carries = |cluster: usize, _: usize| carrying.get(cluster) == Some(&true);
    let found = intervals.of_clusters(clusters.len(), &[whole], carries, changed);
    found.into_iter().next().unwrap_or(Estimate { value: whole.0, interval: None, clusters: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: RatioKind = RatioKind::NOTHING;

    fn row(cluster: u32, thing: u32, annotator: i64, said: RatioSaid) -> RatioRow {
        RatioRow { cluster, outer: 0, level: Some(cluster), thing, annotator, drawn: Drawn::default(), said }
    }

    fn worth(value: f64, weight: f64) -> RatioSaid {
        RatioSaid::Worth { value, weight }
    }

    /// The first thing: the largest of ana's two is 100, ben says 0: 50 with weight 1; the second 20 with weight 3.
    #[test]
    fn a_thing_counts_once_and_weighs_the_mean_of_its_weights() {
        let rows = [
            row(1, 1, 1, worth(100.0, 1.0)),
            row(1, 1, 1, worth(50.0, 1.0)),
            row(1, 1, 2, worth(0.0, 1.0)),
            row(2, 2, 1, worth(20.0, 3.0)),
            row(2, 3, 1, RatioSaid::LeftOut),
            row(2, 4, 1, RatioSaid::Missing),
        ];
        let ratio = Ratio::of(PLAIN, rows);
        assert_eq!(ratio.value(), Ok((50.0 + 60.0) / 4.0));
        assert_eq!((ratio.counted, ratio.missing()), (Counted { items: 2, judgments: 4 }, 1));
        let by_level = Ratio::of(RatioKind { has_level: true, ..PLAIN }, rows);
        assert_eq!((by_level.value(), by_level.levels()), (Ok(35.0), Some(2)));
    }

    #[test]
    fn where_a_row_of_a_thing_is_open_only_the_most_decides() {
        let rows = [
            row(1, 1, 1, worth(0.0, 1.0)),
            row(1, 1, 1, RatioSaid::Open { weight: 1.0 }),
            row(1, 2, 1, worth(100.0, 1.0)),
            row(1, 2, 1, RatioSaid::Open { weight: 1.0 }),
            row(1, 3, 1, RatioSaid::Open { weight: 1.0 }),
            row(1, 3, 2, worth(40.0, 1.0)),
        ];
        let ratio = Ratio::of(PLAIN, rows);
        // Another person's thing stands beside one that is open.
        assert_eq!((ratio.value(), ratio.counted.items, ratio.missing()), (Ok(70.0), 2, 4));
        let no_most = Ratio::of(RatioKind { range: NumberRange::Positive, ..PLAIN }, rows);
        assert_eq!((no_most.value(), no_most.counted.items), (Ok(40.0), 1));
        assert_eq!(Ratio::of(PLAIN, rows[..2].to_vec()).value(), Err(Undefined::Missing));
        // The most does not decide where the open row may weigh more.
        let heavy = row(1, 2, 1, RatioSaid::Open { weight: 9.0 });
        assert_eq!(Ratio::of(PLAIN, [rows[2], heavy]).value(), Err(Undefined::Missing));
    }

    #[test]
    fn the_first_reason_that_fits_is_told() {
        let reason = |said: &[RatioSaid]| {
            let rows = said.iter().zip(1..).map(|(said, thing)| row(1, thing, 1, *said));
            Ratio::of(PLAIN, rows).value().expect_err("no value")
        };
        assert_eq!(reason(&[]), Undefined::NothingJudged);
        assert_eq!(reason(&[RatioSaid::Elsewhere]), Undefined::NothingJudged);
        assert_eq!(reason(&[RatioSaid::LeftOut, RatioSaid::Elsewhere]), Undefined::NothingAmong);
        assert_eq!(reason(&[RatioSaid::LeftOut, RatioSaid::Missing]), Undefined::Missing);
        assert_eq!(reason(&[worth(100.0, 0.0), RatioSaid::Missing]), Undefined::NoWeight);
    }

    /// A thing of the level that lies in two clusters cannot be added up by them, and leaving one out makes it anew: without
    /// the first cluster things 7 and 8 are 0 and 50, without the second 100 and undefined.
    #[test]
    fn things_across_clusters_are_made_anew_without_each() {
        let at = |cluster: u32, level: u32, thing: u32, value: f64| RatioRow {
            level: Some(level),
            ..row(cluster, thing, 1, worth(value, 1.0))
        };
        let kind = RatioKind { has_level: true, range: NumberRange::Any, ..PLAIN };
        let rows = [at(1, 7, 1, 100.0), at(2, 7, 2, 0.0), at(2, 8, 3, 50.0), at(3, 8, 4, 70.0)];
        let ratio = Ratio::of(kind, rows);
        assert_eq!((ratio.score(), ratio.value()), (None, Ok(55.0)));
        let estimate = ratio.estimate(Intervals::Jackknife);
        let without = [(0.0 + 60.0) / 2.0, (100.0 + 70.0) / 2.0, (50.0 + 50.0) / 2.0];
        let expected = crate::agreement::Jackknife::of(without.map(|value| (Ok(value), 1)));
        let expected = expected.interval(Ok(55.0), NumberRange::Any).expect("it varies");
        let found = estimate.interval.expect("asked for").expect("it varies");
        assert!((found.low - expected.low).abs() < 1e-9 && estimate.clusters == 3, "{found:?} {expected:?}");
    }

    #[test]
    fn the_harmonic_mean_needs_both() {
        let ratio = |values: &[(u32, f64)]| {
            let rows = values.iter().map(|(outer, value)| RatioRow {
                outer: *outer,
                ..row(*outer, *outer, 1, worth(*value, 1.0))
            });
            Ratio::of(PLAIN, rows.collect::<Vec<_>>())
        };
        let both = |one: &[(u32, f64)], other: &[(u32, f64)], has_level| {
            Harmonic { parts: [ratio(one), ratio(other)], has_level }.value()
        };
        // 2 · 100 · 50 / 150 in the first, 0 in the second, and the third lacks one side.
        let (one, other) = ([(1, 100.0), (2, 0.0), (3, 100.0)], [(1, 50.0), (2, 0.0)]);
        assert_eq!(both(&one, &other, true), Ok((200.0 / 3.0) / 2.0));
        // Of the means 200/3 and 25.
        let (mean, other_mean) = (200.0 / 3.0, 25.0);
        assert_eq!(both(&one, &other, false), Ok(2.0 * mean * other_mean / (mean + other_mean)));
        assert_eq!(both(&one, &[], false), Err(Undefined::NotBothScores));
    }
}
