//! The shares of labels among all items, from a judge whose errors are known from a sample.
//!
//! Source: Rogan & Gladen 1978, American Journal of Epidemiology 107:71; for more labels the same inversion, Lipton, Wang & Smola
//! 2018. The interval is by the delta method; the sample and the other items are taken as independent.

use super::labels::JudgeConfusion;
use crate::{Interval, Undefined, real};

/// Corrected shares, each 0 to 1, in the order of the labels.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedShares {
    /// The judge's shares as they are.
    pub observed: Vec<f64>,
    /// The corrected shares, which can lie outside of 0 and 1, and their standard errors.
    pub raw: Vec<f64>,
    pub se: Vec<f64>,
    /// The corrected shares within 0 and 1: negative ones are 0, and the others are divided by their sum.
    pub shares: Vec<f64>,
    /// Whether any share lay outside, where the interval is poor.
    pub is_clipped: bool,
    /// The mean of the labels' numbers, before and after that cut.
    pub mean_raw: f64,
    pub mean: f64,
    pub mean_se: f64,
}

impl CorrectedShares {
    /// The corrected shares of `judged` items without a human label, where `confusion` is of a random sample with one.
    /// `scores` are the labels' numbers.
    ///
    /// # Errors
    /// Nothing is judged, a label stands nowhere in the sample, or the judge tells nothing about the labels.
    pub fn of(
        confusion: &JudgeConfusion,
        judged: &[u64],
        scores: &[f64],
    ) -> Result<CorrectedShares, Undefined> {
        let labels = confusion.counts.len();
        let all: u64 = judged.iter().sum();
        Undefined::NoItems.when(all == 0)?;
        let sizes: Vec<f64> = (0..labels).map(|label| real(confusion.support(label))).collect();
        Undefined::LabelAbsentInReference.when(sizes.contains(&0.0))?;
        Undefined::NoBetterThanChance.when(labels == 2 && confusion.youden(1)? <= 0.0)?;
        let observed: Vec<f64> = judged.iter().map(|count| real(*count) / real(all)).collect();
        // P(judge says the row | a person says the column).
        let rates: Vec<Vec<f64>> = (0..labels)
            .map(|judge| {
                let of = |(label, size): (usize, &f64)| real(confusion.counts[label][judge]) / size;
                sizes.iter().enumerate().map(of).collect()
            })
            .collect();
        let inverse = inverted(rates.clone()).ok_or(Undefined::SingularConfusion)?;
        let times = |row: &[f64], column: &[f64]| row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>();
        let raw: Vec<f64> = inverse.iter().map(|row| times(row, &observed)).collect();
        let covariance = |one: &[f64], other: &[f64]| {
            let of_judged = spread(one, other, &observed) / real(all);
            let of_sample = sizes.iter().enumerate().map(|(label, size)| {
                let column: Vec<f64> = rates.iter().map(|row| row[label]).collect();
                raw[label] * raw[label] * spread(one, other, &column) / size
            });
            of_judged + of_sample.sum::<f64>()
        };
        let deviation = |weights: &[f64]| covariance(weights, weights).max(0.0).sqrt();
        let se = inverse.iter().map(|row| deviation(row)).collect();
        let of_mean: Vec<f64> = (0..labels)
            .map(|judge| inverse.iter().zip(scores).map(|(row, score)| row[judge] * score).sum())
            .collect();
        let within: Vec<f64> = raw.iter().map(|share| share.max(0.0)).collect();
        let sum: f64 = within.iter().sum();
        let shares: Vec<f64> = within.iter().map(|share| share / sum).collect();
        Ok(CorrectedShares {
            is_clipped: raw.iter().any(|share| *share < 0.0),
            mean_raw: times(&raw, scores),
            mean: times(&shares, scores),
            mean_se: deviation(&of_mean),
            observed,
            raw,
            se,
            shares,
        })
    }

    /// The interval of the share of a label, within 0 and 1.
    pub fn interval(&self, label: usize) -> Option<Interval> {
        let (raw, se) = (self.raw.get(label)?, self.se.get(label)?);
        Some(Interval::normal(*raw, *se).within(0.0, 1.0))
    }

    /// The interval of the mean, within the least and the largest of the labels' numbers.
    pub fn mean_interval(&self, scores: &[f64]) -> Interval {
        let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval::normal(self.mean_raw, self.mean_se).within(low, high)
    }
}

/// aᵀ (diag p − p pᵀ) b.
fn spread(one: &[f64], other: &[f64], shares: &[f64]) -> f64 {
    let each = one.iter().zip(other).zip(shares);
    let both: f64 = each.map(|((a, b), share)| a * b * share).sum();
    let mean = |weights: &[f64]| weights.iter().zip(shares).map(|(a, share)| a * share).sum::<f64>();
    both - mean(one) * mean(other)
}

/// The inverse of a square matrix by elimination with the largest pivot; `None` where there is none.
#[must_use]
pub fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == at { 1.0 } else { 0.0 }));
    }
    for at in 0..size {
        let largest =
            (at..size).max_by(|one, other| matrix[*one][at].abs().total_cmp(&matrix[*other][at].abs()))?;
        matrix.swap(at, largest);
        let pivot = matrix[at][at];
        // Columns sum to 1, so what is left of a dependent one is rounding.
        if pivot.abs() < 1e-12 {
            return None;
        }
        matrix[at].iter_mut().for_each(|value| *value /= pivot);
        let row = matrix[at].clone();
        for other in (0..size).filter(|other| *other != at) {
            let factor = matrix[other][at];
            matrix[other].iter_mut().zip(&row).for_each(|(value, own)| *value -= factor * own);
        }
    }
    matrix.into_iter().map(|row| row.get(size..).map(<[f64]>::to_vec)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_labels_are_the_formula_of_rogan_and_gladen() {
        // TPR 0.8, TNR 0.9, and the judge says yes to 0.45: (0.45 + 0.9 − 1) / 0.7 = 0.5.
        let pairs = [((1, 1), 8), ((1, 0), 2), ((0, 0), 18), ((0, 1), 2)];
        let pairs = pairs.iter().flat_map(|(pair, count)| std::iter::repeat_n(*pair, *count));
        let found =
            CorrectedShares::of(&JudgeConfusion::of(2, pairs), &[55, 45], &[0.0, 1.0]).expect("shares");
        assert!((found.raw[1] - 0.5).abs() < 1e-12 && !found.is_clipped);
        let variance =
            (0.45 * 0.55 / 100.0 + 0.25 * 0.8 * 0.2 / 10.0 + 0.25 * 0.9 * 0.1 / 20.0) / (0.7_f64 * 0.7);
        assert!((found.se[1] - variance.sqrt()).abs() < 1e-12);
        let chance = JudgeConfusion::of(2, [(1, 0), (0, 1)]);
        assert_eq!(CorrectedShares::of(&chance, &[1, 1], &[0.0, 1.0]), Err(Undefined::NoBetterThanChance));
    }
}
