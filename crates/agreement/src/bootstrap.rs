//! Intervals from data drawn again: the percentile bootstrap over clusters of items.
//!
//! A resample draws as many clusters as there are, each with the same chance and with replacement, and keeps
//! the clusters whole, because judgments of one summary hang together (Efron 1979, Annals of Statistics 7:1;
//! Field & Welsh 2007, Journal of the Royal Statistical Society B 69:369). The draws are numbers: how often each kind of
//! cluster occurs follows a multinomial distribution, and the statistics come from counts.
//!
//! Resample r takes its random numbers from a stream of its own that follows from the seed and r, so nothing depends on
//! the number of threads.

use rand_distr::{Binomial, Distribution};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use super::{
    ClusterCount, Clusters, Counts, Definition, Interval, Kinds, Measure, Method, ROUNDING, Undefined,
    in_parallel,
};

/// When more than one resample in so many is undefined, so is the interval.
const UNDEFINED_ONE_IN: usize = 20;

/// The time of a binomial number, in plain ones.
const BINOMIAL: u64 = 8;

/// The number of resamples, and their random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of resamples; 0 for no interval.
    pub resamples: u32,
    /// The same seed gives the same intervals on the same data.
    pub seed: u64,
}

impl Bootstrap {
    /// The intervals of these coefficients between the 2.5 % and the 97.5 % quantile over the resamples of `clusters`, in their
    /// order.
    ///
    /// Undefined resamples are left out; the interval is undefined when they are more than 5 %, when there are fewer than three
    /// clusters, and where the coefficient itself is.
    pub(super) fn coefficients(
        self,
        counts: &Counts,
        clusters: &Clusters,
        definitions: &[&Definition],
    ) -> Vec<Result<Interval, Undefined>> {
        let kinds = Kinds::of(counts.table(), counts.rows(), clusters);
        let value = |counts: &Counts, definition: &Definition| {
            definition.value(counts).unwrap_or(Err(Undefined::NoPairableItems))
        };
        let statistics = |(counts, rows): &mut (Counts, Vec<u64>), times: &[u64]| {
            kinds.add_up(times, rows);
            counts.reweight_rows(rows);
            definitions.iter().map(|definition| value(counts, definition)).collect()
        };
        let start = || (counts.clone(), vec![0; counts.rows().multiplicity().len()]);
        let whole: Vec<Measure> = definitions.iter().map(|definition| value(counts, definition)).collect();
        self.resample(&kinds.sizes, &whole, start, statistics)
    }

    /// The intervals of statistics of how often each kind of cluster was drawn.
    ///
    /// `sizes` are the numbers of clusters of each kind (1 where each is its own), `whole` the statistics of the data
    /// themselves, `start` what a thread begins with. The same seed and sizes draw the same clusters, so that statistics
    /// of two calls are paired.
    pub(super) fn resample<S>(
        self,
        sizes: &[u64],
        whole: &[Measure],
        start: impl Fn() -> S + Sync,
        statistics: impl Fn(&mut S, &[u64]) -> Vec<Measure> + Sync,
    ) -> Vec<Result<Interval, Undefined>> {
        if sizes.iter().sum::<u64>() < 3 {
            return vec![Err(Undefined::TooFewClusters); whole.len()];
        }
        let urn = Urn::of(sizes);
        let part = |numbers: std::ops::Range<usize>| {
            let (mut state, mut times) = (start(), vec![0; sizes.len()]);
            let one = |number| {
                urn.draw(&mut self.stream(number), &mut times);
                statistics(&mut state, &times)
            };
            numbers.map(one).collect::<Vec<Vec<Measure>>>()
        };
        let resamples = in_parallel(self.resamples as usize, part);
        let column = |index: usize| resamples.iter().filter_map(move |values| values.get(index).copied());
        let clusters = ClusterCount { number: urn.clusters, effective: None };
        let interval = |(index, value): (usize, &Measure)| match value {
            Ok(_) => percentile(column(index), clusters),
            Err(_) => Err(Undefined::ValueUndefined),
        };
        whole.iter().enumerate().map(interval).collect()
    }

    /// The random numbers of one resample.
    fn stream(self, number: usize) -> Xoshiro256PlusPlus {
        let base = SplitMix64::seed_from_u64(self.seed).next_u64();
        Xoshiro256PlusPlus::seed_from_u64(base ^ number as u64)
    }
}

/// The urn that clusters are drawn from.
struct Urn<'a> {
    sizes: &'a [u64],
    clusters: u64,
    /// The kind of each cluster; empty where numbers of whole kinds are drawn.
    kinds: Vec<u32>,
}

impl<'a> Urn<'a> {
    fn of(sizes: &'a [u64]) -> Self {
        let clusters: u64 = sizes.iter().sum();
        let few_kinds = (sizes.len() as u64).saturating_mul(BINOMIAL) <= clusters;
        let repeated = |(kind, size): (u32, &u64)| (0..*size).map(move |_| kind);
        let kinds = if few_kinds { Vec::new() } else { (0..).zip(sizes).flat_map(repeated).collect() };
        Self { sizes, clusters, kinds }
    }

    /// Draws as many clusters as there are; `times` becomes the number of each kind.
    fn draw(&self, stream: &mut Xoshiro256PlusPlus, times: &mut [u64]) {
        if self.kinds.is_empty() {
            return self.draw_kinds(stream, times);
        }
        times.fill(0);
        for _ in 0..self.clusters {
            // Lemire 2019: the high half of the product is below the number of clusters.
            let place = (u128::from(stream.next_u64()) * u128::from(self.clusters)) >> 64;
            let kind = usize::try_from(place).ok().and_then(|place| self.kinds.get(place));
            if let Some(times) = kind.and_then(|kind| times.get_mut(*kind as usize)) {
                *times += 1;
            }
        }
    }

    /// A multinomial draw as a chain of binomial ones: of what is left, the share of each kind among the kinds left.
    fn draw_kinds(&self, stream: &mut Xoshiro256PlusPlus, times: &mut [u64]) {
        let (mut left, mut rest) = (self.clusters, self.clusters);
        for (size, times) in self.sizes.iter().zip(times) {
            *times = match rest {
                _ if *size == rest => left,
                // The share is between 0 and 1, as the distribution demands.
                _ => Binomial::new(left, share(*size, rest)).map_or(0, |binomial| binomial.sample(stream)),
            };
            left -= *times;
            rest -= size;
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    super::histogram::real(part) / super::histogram::real(whole)
}

/// The interval between the 2.5 % and the 97.5 % quantile of the values that are defined.
fn percentile(values: impl Iterator<Item = Measure>, clusters: ClusterCount) -> Result<Interval, Undefined> {
    let all: Vec<Measure> = values.collect();
    let mut defined: Vec<f64> = all.iter().copied().filter_map(Result::ok).collect();
    Undefined::UndefinedResamples
        .when(defined.is_empty() || (all.len() - defined.len()) * UNDEFINED_ONE_IN > all.len())?;
    defined.sort_unstable_by(f64::total_cmp);
    let (low, high) = (quantile(&defined, 25), quantile(&defined, 975));
    Undefined::NoVariation.when(high - low <= ROUNDING * low.abs().max(high.abs()))?;
    Ok(Interval { low, high, se: None, method: Method::Bootstrap, clusters: Some(clusters) })
}

/// The quantile in thousandths, linear between neighbours (type 7 of Hyndman & Fan 1996, American Statistician 50:361).
fn quantile(sorted: &[f64], thousandths: usize) -> f64 {
    let place = sorted.len().saturating_sub(1) * thousandths;
    let (below, part) = (place / 1000, share((place % 1000) as u64, 1000));
    let at = |index: usize| sorted.get(index.min(sorted.len() - 1)).copied().unwrap_or(f64::NAN);
    at(below) + part * (at(below + 1) - at(below))
}

#[cfg(test)]
mod tests;
