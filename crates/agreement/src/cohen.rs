//! Cohen's kappa of two raters, unweighted and weighted.
//!
//! With the weights w_kl, the shares p_kl = n_kl/n and their marginals, po = Σ w_kl p_kl,
//! pe = Σ w_kl p_k. p_.l and κ = (po − pe)/(1 − pe). Computed from the distances d = span (1 − w), which are
//! whole numbers, so that a zero denominator and κ = 0 or 1 are exact.

use super::{
    Confusion, Interval, Measure, Placed, PlacedMeasure, Precision, Undefined, Weights, each_opposite,
    most_unequal, real, root,
};

/// κ (Cohen 1960, Educational and Psychological Measurement 20:37), weighted κ (Cohen 1968, Psychological Bulletin
/// 70:213).
///
/// # Errors
/// Undefined without a common item, when both raters use one and the same category only, and, with
/// weights, in a schema of one category.
pub fn kappa(table: &Confusion, weights: Weights) -> Measure {
    placed(table, weights).map(|kappa| kappa.value)
}

pub(super) fn placed(table: &Confusion, weights: Weights) -> PlacedMeasure {
    Undefined::NoPairableItems.when(table.items() == 0)?;
    Undefined::SingleCategorySchema.when(table.categories() == 1 && weights != Weights::Identity)?;
    Undefined::ZeroExpectedDisagreement.when(table.one_category())?;
    let n = i128::from(table.items());
    let observed: i128 =
        table.cells().map(|(k, l, count)| i128::from(weights.distance(k, l)) * i128::from(count)).sum();
    let expected = expected(table, weights);
    let of = |disagreement: i128| ratio(expected - n * disagreement, expected);
    Ok(Placed { value: of(observed), lowest: of(most(table, weights)) })
}

/// n times the largest mean distance that these marginals allow, a whole number.
fn most(table: &Confusion, weights: Weights) -> i128 {
    if weights == Weights::Identity {
        return i128::from(most_unequal(table.first(), table.second()));
    }
    let mut sum = 0;
    each_opposite(table.first(), table.second(), 0..table.categories(), |k, l, times| {
        sum += i128::from(weights.distance(k, l)) * i128::from(times);
    });
    sum
}

/// Σ_kl d_kl n_k. n_.l, more than 0 unless both raters use one and the same category only.
fn expected(table: &Confusion, weights: Weights) -> i128 {
    let used = |totals: &'_ [u64]| -> Vec<(usize, i128)> {
        let numbered = totals.iter().enumerate().filter(|(_, count)| **count > 0);
        numbered.map(|(category, count)| (category, i128::from(*count))).collect()
    };
    let second = used(table.second());
    let row = |(k, n_k): (usize, i128)| -> i128 {
        second.iter().map(|(l, n_l)| i128::from(weights.distance(k, *l)) * n_k * n_l).sum()
    };
    used(table.first()).into_iter().map(row).sum()
}

/// The quotient of two whole numbers.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 2⁻⁵³ is meant")]
pub(super) fn ratio(numerator: i128, denominator: i128) -> f64 {
    numerator as f64 / denominator as f64
}

/// Standard error, standard error under κ = 0 and the interval κ ± 1.96 SE, not clipped.
///
/// With wr_k = Σ_l w_kl p_.l and wc_l = Σ_k w_kl p_k.,
/// SE = √{[Σ p_kl (w_kl − (1−κ)(wr_k + wc_l))² − (κ − pe(1−κ))²] / (n(1−pe)²)} and
/// SE₀ = √{[Σ p_k. p_.l (w_kl − wr_k − wc_l)² − pe²] / (n(1−pe)²)}
/// (Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72:323). The subtracted squares are those of the
/// means, so both are computed as sums of squared deviations, which cannot become negative.
#[must_use]
pub fn precision(table: &Confusion, weights: Weights) -> Precision {
    let errors = kappa(table, weights).and_then(|kappa| match table.items() {
        1 => Err(Undefined::TooFewItems),
        _ => Ok((kappa, Disagreements::of(table, weights))),
    });
    let se = errors
        .as_ref()
        .map(|(kappa, disagreements)| disagreements.se(table, *kappa))
        .map_err(|reason| *reason);
    let se0 = errors.as_ref().map(|(_, disagreements)| disagreements.se0(table)).map_err(|reason| *reason);
    let interval =
        errors.as_ref().map_err(|reason| *reason).and_then(|(kappa, _)| Ok(Interval::normal(*kappa, se?)));
    Precision { se: Some(se), se0: Some(se0), interval: Some(interval) }
}

/// The weights turned into disagreements 1 − w and averaged over the other rater's marginal.
struct Disagreements {
    weights: Weights,
    span: f64,
    /// 1 − wr_k.
    first: Vec<f64>,
    /// 1 − wc_l.
    second: Vec<f64>,
    /// 1 − pe.
    expected: f64,
}

impl Disagreements {
    fn of(table: &Confusion, weights: Weights) -> Self {
        let (span, n) = (f64::from(weights.span(table.categories())), real(table.items()));
        let against = |totals: &'_ [u64]| -> Vec<f64> {
            let mean = |k: usize| -> f64 {
                let distances =
                    totals.iter().enumerate().map(|(l, n_l)| f64::from(weights.distance(k, l)) * real(*n_l));
                distances.sum::<f64>() / (span * n)
            };
            (0..totals.len()).map(mean).collect()
        };
        let (first, second) = (against(table.second()), against(table.first()));
        let expected =
            first.iter().zip(table.first()).map(|(mean, count)| mean * real(*count)).sum::<f64>() / n;
        Self { weights, span, first, second, expected }
    }

    /// 1 − w_kl, 1 − wr_k and 1 − wc_l.
    fn at(&self, k: usize, l: usize) -> (f64, f64, f64) {
        // k and l are below the length of both marginals.
        (f64::from(self.weights.distance(k, l)) / self.span, self.first[k], self.second[l])
    }

    fn se(&self, table: &Confusion, kappa: f64) -> f64 {
        let (n, e) = (real(table.items()), self.expected);
        let part = |(k, l, count): (usize, usize, u64)| {
            let (cell, first, second) = self.at(k, l);
            // The mean of the cells' disagreement is (1−κ)e, that of `first` and of `second` is e.
            real(count) / n * ((1.0 - kappa) * (first + second - e) - cell).powi(2)
        };
        let variance: f64 = table.cells().filter(|(_, _, count)| *count > 0).map(part).sum();
        root(variance / (n * e * e))
    }

    fn se0(&self, table: &Confusion) -> f64 {
        let (n, e) = (real(table.items()), self.expected);
        let part = |(k, l, _): (usize, usize, u64)| {
            let (cell, first, second) = self.at(k, l);
            // k and l are below the length of the marginals.
            real(table.first()[k]) / n * (real(table.second()[l]) / n) * (first + second - e - cell).powi(2)
        };
        let variance: f64 = table.cells().map(part).sum();
        root(variance / (n * e * e))
    }
}
