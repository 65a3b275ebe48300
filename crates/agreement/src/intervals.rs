//! How intervals are made: the same way for everything that is asked at once.

use std::num::NonZero;
use std::ops::AddAssign;
use std::thread;

use super::{
    Bootstrap, COEFFICIENTS, ClusterLabels, Clusters, Coefficient, Counts, Definition, Interval, Jackknife,
    Kinds, Measure, NumberRange, PairMeans, Placed, PlacedMeasure, Precision, Ratings, Undefined,
    number_of_pairs,
};

/// With fewer clusters than this, drawing them again is rough, and the intervals tend to be too narrow.
pub const FEW_CLUSTERS: u64 = 20;

/// With more pairs of raters than this, means over pairs are not drawn again. 450 raters have this many and
/// take seconds.
const MOST_PAIRS: usize = 100_000;

/// The way in which 95 % intervals are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intervals {
    /// By deleting each cluster in turn ([`Jackknife`]).
    #[default]
    Jackknife,
    /// By drawing clusters again.
    Bootstrap(Bootstrap),
    /// By the published formula, where there is one; items are taken as independent.
    Formula,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: Measure,
    /// `None` where none was asked for.
    pub interval: Option<Result<Interval, Undefined>>,
    /// Clusters that carry something for the number.
    pub clusters: u64,
}

impl Intervals {
    /// The coefficients of [`super::on_scale`] with their intervals.
    #[must_use]
    pub fn coefficients(self, ratings: &Ratings, clusters: &Clusters) -> Vec<Coefficient> {
        let counts = Counts::of(ratings);
        let suited = COEFFICIENTS.iter().filter(|definition| definition.scale <= ratings.scale());
        let found = suited.filter_map(|definition| Some((definition, definition.coefficient(&counts)?)));
        let (definitions, mut found): (Vec<&Definition>, Vec<Coefficient>) = found.unzip();
        let intervals = self.of_coefficients(&counts, clusters, &definitions);
        found.iter_mut().zip(intervals).for_each(|(coefficient, interval)| coefficient.interval = interval);
        if clusters.is_weighed() {
            // The numbers of items stay those of the sample; a formula knows no weights.
            let counts = clusters.weigh(&counts);
            found.iter_mut().zip(&definitions).for_each(|(coefficient, definition)| {
                coefficient.value = definition.value(&counts).unwrap_or(coefficient.value);
                coefficient.precision = Precision::default();
            });
        }
        found
    }

    /// The intervals of these coefficients, in their order.
    ///
    /// Undefined as [`Jackknife::interval`] and [`Bootstrap`] say, and where means over more than 100,000 pairs of raters
    /// would be drawn again.
    #[must_use]
    pub fn of_coefficients(
        self,
        counts: &Counts,
        clusters: &Clusters,
        definitions: &[&Definition],
    ) -> Vec<Option<Result<Interval, Undefined>>> {
        let counts = &*clusters.weigh(counts);
        let draws = matches!(self, Self::Bootstrap(_));
        let too_many = draws && number_of_pairs(counts.table().raters().len()) > MOST_PAIRS;
        let is_possible = |definition: &&&Definition| !(too_many && definition.is_over_pairs());
        let possible: Vec<&Definition> = definitions.iter().filter(is_possible).copied().collect();
        let value =
            |definition: &Definition| definition.value(counts).unwrap_or(Err(Undefined::NoPairableItems));
        let mut made: Vec<Option<Result<Interval, Undefined>>> = match self {
            Self::Formula if clusters.is_weighed() => vec![Some(Err(Undefined::NoFormula)); possible.len()],
            Self::Formula => {
                let formula = |definition: &&Definition| {
                    let interval = definition.coefficient(counts)?.precision.interval;
                    Some(interval.unwrap_or(Err(Undefined::NoFormula)))
                };
                possible.iter().map(formula).collect()
            }
            Self::Jackknife => {
                let (found, labels) = delete_each(counts, clusters, &possible);
                let interval = |(one, row): (Jackknife, &&Definition)| {
                    let placed = row.placed(counts).unwrap_or(Err(Undefined::NoPairableItems));
                    one.interval(placed.map(|placed| placed.value), row.range(placed, &labels, &counts.codes))
                };
                found.into_iter().zip(&possible).map(interval).map(Some).collect()
            }
            Self::Bootstrap(Bootstrap { resamples: 0, .. }) => vec![None; possible.len()],
            Self::Bootstrap(bootstrap) => {
                let number = clusters.rated(counts.table(), 2);
                let found = bootstrap.coefficients(counts, clusters, &possible).into_iter();
                found.map(|interval| Some(interval.and_then(|interval| interval.over(number)))).collect()
            }
        };
        let mut made = made.drain(..);
        let take = |definition: &&Definition| match is_possible(&definition) {
            true => made.next().flatten(),
            false => Some(value(definition).and(Err(Undefined::TooManyPairs))),
        };
        definitions.iter().map(take).collect()
    }

    /// Statistics of clusters with their intervals. `whole` are the values with every cluster once, each with its range;
    /// `carries` says whether a cluster has something for the statistic at a place; `changed` gives the values where these
    /// clusters occur as often as said, and all others once.
    pub fn of_clusters(
        self,
        clusters: usize,
        whole: &[(Measure, NumberRange)],
        carries: impl Fn(usize, usize) -> bool,
        changed: impl Fn(&[(usize, u64)]) -> Vec<Measure> + Sync,
    ) -> Vec<Estimate> {
        let changed = |clusters: &[(usize, u64)]| {
            let values = changed(clusters).into_iter();
            values.map(|value| value.map(|value| Placed { value, lowest: 0.0 })).collect()
        };
        self.of_placed((clusters, &[]), whole, carries, changed)
    }

    /// Statistics of clusters as [`Intervals::of_clusters`] has them, where each value comes with the lowest that it
    /// could be, and clusters were drawn from these strata: 0 for clusters beyond the end of the list.
    pub fn of_placed(
        self,
        (clusters, strata): (usize, &[u32]),
        whole: &[(Measure, NumberRange)],
        carries: impl Fn(usize, usize) -> bool,
        changed: impl Fn(&[(usize, u64)]) -> Vec<PlacedMeasure> + Sync,
    ) -> Vec<Estimate> {
        let number = |at: usize| (0..clusters).filter(|cluster| carries(*cluster, at)).count() as u64;
        let interval: Vec<Option<Result<Interval, Undefined>>> = match self {
            Self::Formula => vec![Some(Err(Undefined::NoFormula)); whole.len()],
            Self::Bootstrap(Bootstrap { resamples: 0, .. }) => vec![None; whole.len()],
            Self::Jackknife => {
                let without = |numbers: std::ops::Range<usize>| {
                    numbers.map(|cluster| changed(&[(cluster, 0)])).collect()
                };
                let without: Vec<Vec<PlacedMeasure>> = in_parallel(clusters, without);
                let of = |(at, (value, range)): (usize, &(Measure, NumberRange))| {
                    let carrying = without.iter().enumerate().filter(|(cluster, _)| carries(*cluster, at));
                    let each = carrying.filter_map(|(cluster, values)| {
                        Some((*values.get(at)?, 1, strata.get(cluster).copied().unwrap_or_default()))
                    });
                    Some(Jackknife::of_coefficient(each).interval(*value, *range))
                };
                whole.iter().enumerate().map(of).collect()
            }
            Self::Bootstrap(bootstrap) => {
                let values: Vec<Measure> = whole.iter().map(|(value, _)| *value).collect();
                let statistics = |(): &mut (), times: &[u64]| {
                    let drawn = times.iter().copied().enumerate().filter(|(_, times)| *times != 1);
                    let found = changed(&drawn.collect::<Vec<_>>()).into_iter();
                    found.map(|found| found.map(|placed| placed.value)).collect()
                };
                let found = bootstrap.resample(&vec![1; clusters], &values, || (), statistics).into_iter();
                found
                    .enumerate()
                    .map(|(at, made)| Some(made.and_then(|interval| interval.over(number(at)))))
                    .collect()
            }
        };
        let estimates = whole.iter().zip(interval).enumerate();
        estimates
            .map(|(at, ((value, _), interval))| Estimate { value: *value, interval, clusters: number(at) })
            .collect()
    }

    /// A statistic of sums over clusters, with its interval. `parts` are what each cluster adds. A cluster
    /// whose part alone gives the statistic no value carries nothing for it.
    pub fn over<P: Clone + Default + AddAssign + Sync>(
        self,
        parts: &[P],
        range: NumberRange,
        value: impl Fn(&P) -> Measure + Sync,
    ) -> Estimate {
        self.over_strata(parts, &[], range, value)
    }

    /// The statistic of [`Intervals::over`], where clusters were drawn by stratum: the stratum of each; 0 for clusters
    /// beyond the end of the list.
    pub fn over_strata<P: Clone + Default + AddAssign + Sync>(
        self,
        parts: &[P],
        strata: &[u32],
        range: NumberRange,
        value: impl Fn(&P) -> Measure + Sync,
    ) -> Estimate {
        let plus = |sum: &P, part: &P| {
            let mut sum = sum.clone();
            sum += part.clone();
            sum
        };
        let whole = value(&parts.iter().fold(P::default(), |sum, part| plus(&sum, part)));
        let strata = strata.iter().copied().chain(std::iter::repeat(0));
        let (parts, strata): (Vec<&P>, Vec<u32>) =
            parts.iter().zip(strata).filter(|(part, _)| value(part).is_ok()).unzip();
        let clusters = parts.len() as u64;
        let interval = match self {
            Self::Formula => Some(Err(Undefined::NoFormula)),
            Self::Bootstrap(Bootstrap { resamples: 0, .. }) => None,
            Self::Jackknife => {
                // Sums of the clusters after each one, then of those before it, so that nothing is subtracted.
                let mut after = vec![P::default(); parts.len() + 1];
                for (at, part) in parts.iter().enumerate().rev() {
                    after[at] = plus(&after[at + 1], part);
                }
                let mut before = P::default();
                let without =
                    parts.iter().zip(after.iter().skip(1)).zip(&strata).map(|((part, after), stratum)| {
                        let rest = value(&plus(&before, after));
                        before += (*part).clone();
                        (rest, 1, *stratum)
                    });
                Some(Jackknife::of_strata(without).interval(whole, range))
            }
            Self::Bootstrap(bootstrap) => {
                let statistic = |(): &mut (), times: &[u64]| {
                    let mut sum = P::default();
                    let drawn = parts.iter().zip(times);
                    drawn.for_each(|(part, times)| (0..*times).for_each(|_| sum += (*part).clone()));
                    vec![value(&sum)]
                };
                let drawn = bootstrap.resample(&vec![1; parts.len()], &[whole], || (), statistic);
                drawn.first().map(|made| made.and_then(|interval| interval.over(clusters)))
            }
        };
        Estimate { value: whole, interval, clusters }
    }
}

/// The coefficients without each cluster that holds a pairable item, and the labels of these clusters.
pub(super) fn delete_each(
    counts: &Counts,
    clusters: &Clusters,
    definitions: &[&Definition],
) -> (Vec<Jackknife>, ClusterLabels) {
    let kinds = Kinds::of(counts.table(), counts.rows(), clusters).pairable(counts);
    let is_over_pairs = definitions.iter().any(|definition| definition.is_over_pairs());
    let means = match is_over_pairs {
        true => PairMeans::without_each(counts, &kinds.contents),
        false => Vec::new(),
    };
    let part = |numbers: std::ops::Range<usize>| {
        let mut rest = counts.clone();
        let without = |number: usize| {
            // One of each a kind.
            let (content, size, stratum) =
                (&kinds.contents[number], kinds.sizes[number], kinds.strata[number]);
            rest.without(content, means.get(number).copied(), |rest| {
                let value = |definition: &&Definition| {
                    (definition.placed(rest).unwrap_or(Err(Undefined::NoPairableItems)), size, stratum)
                };
                definitions.iter().map(value).collect::<Vec<(PlacedMeasure, u64, u32)>>()
            })
        };
        numbers.map(without).collect()
    };
    let without = in_parallel(kinds.sizes.len(), part);
    let column = |at: usize| without.iter().filter_map(move |values| values.get(at).copied());
    let found = (0..definitions.len()).map(|at| Jackknife::of_coefficient(column(at))).collect();
    (found, kinds.labels(counts))
}

/// Runs parts of 0..count on all cores and joins what they give in order.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    part: impl Fn(std::ops::Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let each = count.div_ceil(cores).max(1);
    let starts: Vec<usize> = (0..count).step_by(each).collect();
    let range = |from: usize| from..count.min(from.saturating_add(each));
    thread::scope(|scope| {
        let part = &part;
        let start = |from: &usize| {
            let range = range(*from);
            let thread = thread::Builder::new().spawn_scoped(scope, {
                let range = range.clone();
                move || part(range)
            });
            (range, thread)
        };
        let running: Vec<_> = starts.iter().map(start).collect();
        let join = |(range, thread): (_, std::io::Result<thread::ScopedJoinHandle<'_, Vec<T>>>)| match thread
        {
            // A thread that panicked takes the program with it, as it would have without threads.
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system gives no thread: the work is done here.
            Err(_) => part(range),
        };
        let mut parts = running.into_iter().map(join);
        let mut all = parts.next().unwrap_or_default();
        parts.for_each(|mut part| all.append(&mut part));
        all
    })
}

/// The results of `one` for all items, made on all cores.
pub fn each_in_parallel<I: Sync, T: Send>(items: &[I], one: impl Fn(&I) -> T + Sync) -> Vec<T> {
    // One after the other where threads would take longer than the work.
    match items.len() {
        0..2 => items.iter().map(one).collect(),
        count => in_parallel(count, |places| items[places].iter().map(&one).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::histogram::real;
    use super::super::{Category, RatingsBuilder, Scale};
    use super::*;

    #[test]
    fn parts_are_joined_in_order() {
        let counted = |range: std::ops::Range<usize>| range.map(|number| number * 3).collect::<Vec<_>>();
        assert_eq!(in_parallel(1001, counted), counted(0..1001));
        assert!(in_parallel(0, counted).is_empty());
    }

    /// A sum and a number: 2 of 4, 1 of 1, 3 of 3, and a cluster without any. Without each: 4/4, 5/7, 3/5.
    #[test]
    fn a_cluster_that_carries_nothing_is_none() {
        #[derive(Clone, Default)]
        struct Part(f64, f64);
        impl AddAssign for Part {
            fn add_assign(&mut self, other: Part) {
                (self.0, self.1) = (self.0 + other.0, self.1 + other.1);
            }
        }
        let value = |part: &Part| match part.1 {
            0.0 => Err(Undefined::NothingJudged),
            number => Ok(part.0 / number),
        };
        let parts = [Part(2.0, 4.0), Part(1.0, 1.0), Part(0.0, 0.0), Part(3.0, 3.0)];
        let found = Intervals::Jackknife.over(&parts, NumberRange::SHARE, value);
        let expected = Jackknife::of([1.0, 5.0 / 7.0, 3.0 / 5.0].map(|value| (Ok(value), 1)));
        assert_eq!((found.value, found.clusters), (Ok(0.75), 3));
        assert_eq!(found.interval, Some(expected.interval(Ok(0.75), NumberRange::SHARE)));
        let drawn = Intervals::Bootstrap(Bootstrap { resamples: 500, seed: 1 }).over(
            &parts,
            NumberRange::SHARE,
            value,
        );
        let drawn = drawn.interval.expect("asked for").expect("defined");
        assert!(drawn.low == 0.5 && drawn.high == 1.0, "{drawn:?}");
        let formula = Intervals::Formula.over(&parts, NumberRange::SHARE, value);
        assert_eq!(formula.interval, Some(Err(Undefined::NoFormula)));
    }

    /// Seven raters, some of them missing; items in clusters of three, two of which have the same content.
    #[test]
    fn a_cluster_is_taken_out_as_if_it_had_never_been() {
        for categories in [3_usize, 200] {
            let labels = (0..categories).map(|number| number.to_string());
            let mut table =
                RatingsBuilder::new(Scale::Interval, Category::numbered(labels)).expect("a schema");
            for item in 0..36_usize {
                let content = if item >= 33 { item - 33 } else { item };
                for rater in (0..7_usize).filter(|rater| (content * 5 + rater * 3) % 4 != 0) {
                    let label = (content * content + rater * (content % 3)) % categories;
                    table.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
                }
            }
            let ratings = table.finish();
            let of_item: Vec<u32> = (0..36).map(|item| item / 3).collect();
            let counts = Counts::of(&ratings);
            let definitions: Vec<&Definition> = COEFFICIENTS.iter().collect();
            let (found, _) = delete_each(&counts, &Clusters::of(of_item.clone()), &definitions);
            let rest = |cluster: u32| {
                let items: Vec<usize> = (0..36).filter(|item| of_item[*item] != cluster).collect();
                ratings.of_items(&items)
            };
            for (definition, found) in definitions.iter().zip(found) {
                let without = (0..12).map(|cluster| {
                    let rest = rest(cluster);
                    (definition.value(&Counts::of(&rest)).unwrap_or(Err(Undefined::NoPairableItems)), 1)
                });
                let expected = Jackknife::of(without);
                assert_eq!(found.clusters, expected.clusters, "{}", definition.name);
                match (found.se, expected.se) {
                    (Ok(one), Ok(other)) => assert!((one - other).abs() < 1e-12, "{}", definition.name),
                    (one, other) => assert_eq!(one, other, "{}", definition.name),
                }
            }
        }
    }

    /// The same numbers, told by what changes; what no cluster but the third carries has no interval.
    #[test]
    fn statistics_of_clusters_are_those_of_their_sums() {
        let parts = [(2.0, 4.0), (1.0, 1.0), (0.0, 0.0), (3.0, 3.0)];
        let mean = |changed: &[(usize, u64)]| {
            let times = |at| {
                changed.iter().find(|(cluster, _)| *cluster == at).map_or(1.0, |(_, times)| real(*times))
            };
            let sum = |of: fn(&(f64, f64)) -> f64| -> f64 {
                parts.iter().enumerate().map(|(at, part)| times(at) * of(part)).sum()
            };
            vec![Ok(sum(|part| part.0) / sum(|part| part.1)), Ok(times(2))]
        };
        let whole = [(Ok(0.75), NumberRange::SHARE), (Ok(1.0), NumberRange::Any)];
        let carries = |cluster: usize, at: usize| (cluster == 2) == (at == 1);
        let found = Intervals::Jackknife.of_clusters(4, &whole, carries, mean);
        let expected = Jackknife::of([1.0, 5.0 / 7.0, 3.0 / 5.0].map(|value| (Ok(value), 1)));
        assert_eq!(found[0].interval, Some(expected.interval(Ok(0.75), NumberRange::SHARE)));
        assert_eq!((found[0].clusters, found[1].clusters), (3, 1));
        assert_eq!(found[1].interval, Some(Err(Undefined::TooFewClusters)));
        let drawn = Intervals::Bootstrap(Bootstrap { resamples: 500, seed: 1 });
        let drawn = drawn.of_clusters(4, &whole, carries, mean)[0].interval.expect("asked for");
        assert!(drawn.is_ok_and(|drawn| drawn.low >= 0.5 && drawn.high == 1.0), "{drawn:?}");
        // Two that carry something are as few for what is drawn as for what is left out.
        let few = Intervals::Bootstrap(Bootstrap { resamples: 500, seed: 1 });
        let few = few.of_clusters(4, &whole, |cluster, _| cluster < 2, mean);
        assert_eq!(few[0].interval, Some(Err(Undefined::TooFewClusters)));
    }
}
