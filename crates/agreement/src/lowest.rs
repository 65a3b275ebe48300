//! How low a coefficient could be with the labels used as often as they are, and in how many clusters labels vary.
//!
//! Every coefficient is θ = 1 − D_o/D_e. Its lowest value is L = 1 − D_max/D_e, with D_max the largest D_o that two people can
//! have who use the labels so often: of two labels, one with the share π, L = −π/(1−π). An interval that does not know L covers
//! too little where a label is rare.

use super::{Histogram, Measure, Undefined, real};

/// A coefficient, and the lowest that it could be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub value: f64,
    /// L: exactly the value where D_o = D_max. Not cut at −1.
    pub lowest: f64,
}

/// A coefficient with its lowest value, or why there is none.
pub type PlacedMeasure = Result<Placed, Undefined>;

/// How far two labels are apart for a coefficient.
pub(super) enum LabelDistance {
    /// 1 for two different labels.
    Nominal,
    /// The steps from one label to the other.
    Steps,
    /// The squared distance of two positions.
    Squared(Vec<f64>),
}

impl LabelDistance {
    /// Squared steps.
    pub(super) fn squared_steps(categories: usize) -> Self {
        Self::Squared((0..categories).map(|position| real(position as u64)).collect())
    }

    /// Squared differences of mid-ranks, as shares of all ratings, for labels that occur so often.
    pub(super) fn of_ranks(by_category: &[u64]) -> Self {
        let (mut before, all) = (0, real(2 * by_category.iter().sum::<u64>().max(1)));
        let middle = |count: &u64| {
            before += count;
            real(2 * before - count) / all
        };
        Self::Squared(by_category.iter().map(middle).collect())
    }

    pub(super) fn between(&self, k: usize, l: usize) -> f64 {
        match self {
            Self::Nominal => f64::from(u8::from(k != l)),
            Self::Steps => real(k.abs_diff(l) as u64),
            // One position a category, and a rating is always one of them.
            Self::Squared(positions) => (positions[k] - positions[l]).powi(2),
        }
    }

    /// N D_max for two people who both use the labels so often; N is the number of either's ratings.
    pub(super) fn most(&self, by_category: &[u64]) -> f64 {
        let Self::Squared(positions) = self else { return real(most_unequal(by_category, by_category)) };
        let mut sum = 0.0;
        each_opposite(by_category, by_category, by_position(positions), |k, l, times| {
            sum += real(times) * self.between(k, l);
        });
        sum
    }

    /// `most`, but exactly `observed` where the items disagree as much as can be, which shows in the labels that came together.
    pub(super) fn settled(&self, observed: f64, most: f64, histogram: &Histogram) -> f64 {
        if (most - observed).abs() > NEAR * most {
            return most;
        }
        let met = histogram.labels_met();
        let is_most = match self {
            Self::Squared(positions) => are_opposite(&met, positions),
            // Nobody agrees, or one label is in every pair that came together.
            _ => {
                let has = |k: usize| met.iter().all(|(one, other)| *one == k || *other == k);
                met.iter().all(|(one, other)| one != other) || (0..histogram.categories()).any(has)
            }
        };
        if is_most { observed } else { most }
    }
}

/// Numbers farther apart than this share of them do not differ by rounding.
pub(super) const NEAR: f64 = 1e-9;

/// n D_max for labels without an order: n − max(0, max_k (a_k + b_k − n)).
pub(super) fn most_unequal(first: &[u64], second: &[u64]) -> u64 {
    let n: u64 = first.iter().sum();
    let most = first.iter().zip(second).map(|(one, other)| one + other).max().unwrap_or(0);
    n - most.saturating_sub(n)
}

/// A coefficient that is not below −1. Where chance is taken from more than the labels compared, such as those of items rated once,
/// the formula can lead below, and such a number would be read as one of the scale from −1 to 1.
pub(super) fn from_minus_one(value: f64) -> Measure {
    if value < -1.0 - NEAR { Err(Undefined::BelowMinusOne) } else { Ok(value) }
}

/// The labels of one person, sorted upwards, beside those of another, sorted downwards: `meet(k, l, times)`. Both have as many
/// ratings, and `order` are the labels upwards. No other way to pair them has a larger mean of a convex distance.
pub(super) fn each_opposite(
    first: &[u64],
    second: &[u64],
    order: impl IntoIterator<Item = usize, IntoIter: DoubleEndedIterator + Clone>,
    mut meet: impl FnMut(usize, usize, u64),
) {
    let order = order.into_iter();
    // `order` holds each category once.
    let mut others = order.clone().rev().map(|l| (l, second[l])).filter(|(_, there)| *there > 0);
    let mut other = others.next();
    for k in order {
        let mut left = first[k];
        while let Some((l, there)) = other.filter(|_| left > 0) {
            let times = left.min(there);
            meet(k, l, times);
            left -= times;
            other = if there > times { Some((l, there - times)) } else { others.next() };
        }
    }
}

/// The categories by their positions, upwards.
pub(super) fn by_position(positions: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|one, other| positions[*one].total_cmp(&positions[*other]));
    order
}

/// Whether these labels came together as in [`each_opposite`]: of no two pairs is one above the other on both sides.
pub(super) fn are_opposite(met: &[(usize, usize)], positions: &[f64]) -> bool {
    let mut points: Vec<(f64, f64)> = met.iter().map(|(k, l)| (positions[*k], positions[*l])).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut least = f64::INFINITY;
    points.chunk_by(|one, other| one.0 == other.0).all(|group| {
        let seconds = || group.iter().map(|point| point.1);
        let fits = seconds().all(|second| second <= least);
        least = seconds().fold(least, f64::min);
        fits
    })
}

/// How often each label stands in the pairable items of each cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterLabels {
    /// Cluster after cluster, a number for each category.
    counts: Vec<u64>,
    /// How many clusters there are of each kind.
    times: Vec<u64>,
}

impl ClusterLabels {
    /// Takes in so many clusters with these counts, one a category.
    pub fn add(&mut self, counts: &[u64], times: u64) {
        self.counts.extend(counts);
        self.times.push(times);
    }

    /// How often each label stands in all clusters.
    pub(super) fn totals(&self, categories: usize) -> Vec<u64> {
        let mut totals = vec![0; categories];
        for (counts, times) in self.counts.chunks(categories).zip(&self.times) {
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count * times);
        }
        totals
    }

    /// m = (Σ e_c)²/Σ e_c², from 1 to the number of clusters: in how many equal clusters the labels vary. e_c = Σ_k n_ck w_k
    /// over the ratings of pairable items, w_k = Σ_l p_l d_kl − ½ Σ_jl p_j p_l d_jl with p the shares of all labels: the
    /// squared distance of a label from the mean of all.
    pub(super) fn effective(&self, distance: &LabelDistance, totals: &[u64]) -> f64 {
        let all = real(totals.iter().sum::<u64>().max(1));
        let mean = |k: usize| -> f64 {
            let apart = totals.iter().enumerate().map(|(l, count)| real(*count) * distance.between(k, l));
            apart.sum::<f64>() / all
        };
        let means: Vec<f64> = (0..totals.len()).map(mean).collect();
        let half = means.iter().zip(totals).map(|(mean, count)| mean * real(*count)).sum::<f64>() / all / 2.0;
        let varied = |counts: &[u64]| -> f64 {
            counts.iter().zip(&means).map(|(count, mean)| real(*count) * (mean - half)).sum()
        };
        let clusters = self.counts.chunks(totals.len().max(1)).map(varied).zip(&self.times);
        let mut clusters: Vec<(f64, f64)> = clusters.map(|(varied, times)| (varied, real(*times))).collect();
        // Added up by size, so that the order of clusters changes no digit.
        clusters.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let sum: f64 = clusters.iter().map(|(varied, times)| times * varied).sum();
        let squares: f64 = clusters.iter().map(|(varied, times)| times * varied * varied).sum();
        let number = real(self.times.iter().sum());
        if squares > 0.0 { (sum * sum / squares).min(number) } else { number }
    }
}
