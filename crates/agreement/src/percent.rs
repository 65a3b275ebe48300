//! Percent agreement, three ways. They are equal without missing ratings.

use super::{
    CoefficientParts, Counts, Histogram, Measure, Pattern, Precision, Undefined, real, standard_error,
};

/// The share of agreeing pairs of ratings of one item, Σ_k r_ik(r_ik−1) / (r_i(r_i−1)).
pub(super) fn of_item(pattern: &Pattern) -> f64 {
    pattern.agreeing_pairs() / pattern.pairs()
}

/// Mean over the pairs of raters with a common item of (agreeing items / common items); every pair counts
/// the same (Light 1971, Psychological Bulletin 76:365; nltk `avg_Ao`).
pub fn mean_over_pairs(counts: &Counts) -> Measure {
    counts.pair_means().percent_agreement()
}

/// pa = mean over the pairable items of Σ_k r_ik(r_ik−1) / (r_i(r_i−1)); every item counts the same (Fleiss 1971,
/// Psychological Bulletin 76:378; Gwet 2014).
pub fn mean_over_items(counts: &Counts) -> Measure {
    items(&counts.histogram)
}

pub(super) fn items(histogram: &Histogram) -> Measure {
    Undefined::NoPairableItems.when(histogram.pairable().items == 0)?;
    Ok(histogram.pairable_mean(of_item))
}

/// Gwet's standard error of [`mean_over_items`] with t(n−1) interval.
#[must_use]
pub fn items_precision(counts: &Counts) -> Precision {
    let histogram = &counts.histogram;
    let value = items(histogram);
    let parts = |value| CoefficientParts { value, chance: 0.0 };
    let se = value.and_then(|value| standard_error(histogram, &parts(value), of_item, |_| 0.0));
    Precision::student(value, se, histogram.rated().items.saturating_sub(1))
}

/// Σ_i Σ_k r_ik(r_ik−1) / Σ_i r_i(r_i−1); every pair of ratings counts the same.
pub fn pooled(counts: &Counts) -> Measure {
    let histogram = &counts.histogram;
    Undefined::NoPairableItems.when(histogram.pairable().items == 0)?;
    let sum = |value: fn(&Pattern) -> f64| -> f64 {
        histogram.pairable_patterns().map(|pattern| real(pattern.items) * value(pattern)).sum()
    };
    Ok(sum(Pattern::agreeing_pairs) / sum(Pattern::pairs))
}
