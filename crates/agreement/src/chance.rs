//! Coefficients whose chance agreement is 1/q for the q categories of the schema, used or not.

use super::{
    CoefficientParts, Confusion, Counts, Measure, Placed, PlacedMeasure, Precision, Undefined, percent, real,
    standard_error,
};

/// Free-marginal multirater kappa (pa − 1/q)/(1 − 1/q), pa as in [`percent::mean_over_items`] (Randolph 2005, Free-marginal
/// multirater kappa, ERIC ED490661).
///
/// # Errors
/// Undefined without a pairable item and in a schema of one category. 1 when one category only is used.
pub fn randolph(counts: &Counts) -> Measure {
    let agreement = percent::mean_over_items(counts)?;
    beyond_uniform_chance(agreement, counts.histogram.categories())
}

/// The same number as [`randolph`], named as it is in the literature on its standard error (Brennan & Prediger 1981,
/// Educational and Psychological Measurement 41:687).
pub fn brennan_prediger(counts: &Counts) -> Measure {
    randolph(counts)
}

/// Gwet's standard error of [`brennan_prediger`] with t(n−1) interval.
#[must_use]
pub fn brennan_prediger_precision(counts: &Counts) -> Precision {
    let histogram = &counts.histogram;
    let chance = 1.0 / categories(histogram.categories());
    let value = randolph(counts);
    let parts = |value| CoefficientParts { value, chance };
    let se = value.and_then(|value| standard_error(histogram, &parts(value), percent::of_item, |_| chance));
    Precision::student(value, se, histogram.rated().items.saturating_sub(1))
}

/// Prevalence- and bias-adjusted kappa of two raters, (q po − 1)/(q − 1), which is 2 po − 1 for two categories (Byrt, Bishop
/// & Carlin 1993, Journal of Clinical Epidemiology 46:423).
///
/// # Errors
/// Undefined without a common item and in a schema of one category.
pub fn pabak(table: &Confusion) -> Measure {
    Undefined::NoPairableItems.when(table.items() == 0)?;
    beyond_uniform_chance(real(table.agreeing()) / real(table.items()), table.categories())
}

/// A coefficient of this file beside its value where nobody agrees at all.
pub(super) fn placed(value: Measure, categories: usize) -> PlacedMeasure {
    Ok(Placed { value: value?, lowest: beyond_uniform_chance(0.0, categories)? })
}

fn beyond_uniform_chance(agreement: f64, number: usize) -> Measure {
    Undefined::SingleCategorySchema.when(number <= 1)?;
    let q = categories(number);
    Ok((q * agreement - 1.0) / (q - 1.0))
}

/// q as a floating-point number; a schema has 254 categories at most.
pub(super) fn categories(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}
