//! Gwet's standard error for coefficients of the form (pa − pe)/(1 − pe).

use super::{Histogram, Measure, Pattern, Undefined, real};

/// The square root of a variance, where what is 0 but for rounding is 0.
///
/// Variances of coefficients over n items are 0 or at least of the order 1/n², far above the threshold.
pub(super) fn root(variance: f64) -> f64 {
    if variance > 1e-26 { variance.sqrt() } else { 0.0 }
}

/// The parts of a coefficient (pa − pe)/(1 − pe).
pub(super) struct CoefficientParts {
    /// The coefficient itself.
    pub(super) value: f64,
    /// pe, below 1.
    pub(super) chance: f64,
}

/// Standard error from the contributions of the items,
///
/// x_i = (n/n₂)(pa_i − pe)/(1−pe) − 2(1−coef)(pe_i − pe)/(1−pe), without the first term for singly-rated items;
/// SE = √(Σ (x_i − coef)² / (n(n−1))),
///
/// as in the raw-data functions of irrCAC (Gwet 2014, Handbook of Inter-Rater Reliability, ch. 5). It tends to be
/// too large when some items have one rating, because these enter with 0 instead of being neutral.
///
/// `agreement` is pa_i of a pairable item and `chance` pe_i of any; undefined with fewer than two rated items.
pub(super) fn standard_error(
    histogram: &Histogram,
    parts: &CoefficientParts,
    agreement: impl Fn(&Pattern) -> f64,
    chance: impl Fn(&Pattern) -> f64,
) -> Measure {
    let (n, pairable) = (real(histogram.rated().items), real(histogram.pairable().items));
    Undefined::TooFewItems.when(n < 2.0)?;
    let CoefficientParts { value, chance: pe } = *parts;
    let deviation = |pattern: &Pattern| {
        let agreed = if pattern.pairable() { n / pairable * (agreement(pattern) - pe) } else { 0.0 };
        (agreed - 2.0 * (1.0 - value) * (chance(pattern) - pe)) / (1.0 - pe) - value
    };
    let squares: f64 =
        histogram.rated_patterns().map(|pattern| real(pattern.items) * deviation(pattern).powi(2)).sum();
    Ok(root(squares / (n * (n - 1.0))))
}
