//! Gwet's AC1 and its weighted form AC2.

use super::{
    CoefficientParts, Counts, Histogram, Measure, Pattern, Placed, PlacedMeasure, Precision, Undefined,
    Weights, categories, from_minus_one, standard_error,
};

/// (pa − pe)/(1 − pe) with pa = mean over the pairable items of Σ_k r_ik(Σ_l w_kl r_il − 1)/(r_i(r_i−1)) and
/// pe = T Σ_k π_k(1−π_k), T = Σ_kl w_kl/(q(q−1)), π_k the mean over all rated items of r_ik/r_i.
///
/// AC1 with identity weights, where T = 1/(q−1) (Gwet 2008, British Journal of Mathematical and Statistical Psychology
/// 61:29), else AC2 (Gwet 2014, Handbook of Inter-Rater Reliability). 1 when one category only is used.
///
/// # Errors
/// Undefined without a pairable item, in a schema of one category, and below −1, which AC2 alone can reach.
pub fn ac(counts: &Counts, weights: Weights) -> Measure {
    parts(&counts.histogram, weights).map(|parts| parts.value)
}

/// The coefficient beside its value where nobody agrees at all.
pub(super) fn placed(counts: &Counts, weights: Weights) -> PlacedMeasure {
    let lowest = |chance: f64| (0.0 - chance) / (1.0 - chance);
    let parts = parts(&counts.histogram, weights)?;
    Ok(Placed { value: parts.value, lowest: lowest(parts.chance) })
}

/// Gwet's standard error of [`ac`] with t(n−1) interval; pe_i = T Σ_k r_ik(1−π_k)/r_i.
#[must_use]
pub fn precision(counts: &Counts, weights: Weights) -> Precision {
    let histogram = &counts.histogram;
    let parts = parts(histogram, weights);
    let scale = mean_weight(histogram.categories(), weights);
    let chance = |pattern: &Pattern| {
        // A rating is always one of the categories.
        let sum: f64 = pattern.shares().map(|(k, count)| count * (1.0 - histogram.prevalence()[k])).sum();
        scale * sum / f64::from(pattern.ratings)
    };
    let agreement = |pattern: &Pattern| agreement(pattern, weights, histogram.categories());
    let se = parts.as_ref().map_err(|reason| *reason);
    let se = se.and_then(|parts| standard_error(histogram, parts, agreement, chance));
    Precision::student(parts.map(|parts| parts.value), se, histogram.rated().items.saturating_sub(1))
}

fn parts(histogram: &Histogram, weights: Weights) -> Result<CoefficientParts, Undefined> {
    let q = histogram.categories();
    Undefined::NoPairableItems.when(histogram.pairable().items == 0)?;
    Undefined::SingleCategorySchema.when(q <= 1)?;
    let agreement = histogram.pairable_mean(|pattern| agreement(pattern, weights, q));
    let spread: f64 = histogram.prevalence().iter().map(|share| share * (1.0 - share)).sum();
    let chance = mean_weight(q, weights) * spread;
    Ok(CoefficientParts { value: from_minus_one((agreement - chance) / (1.0 - chance))?, chance })
}

/// Weighted agreement of one item; exactly 1 when its ratings are equal.
fn agreement(pattern: &Pattern, weights: Weights, categories: usize) -> f64 {
    let pairs = f64::from(weights.span(categories)) * pattern.pairs();
    (pairs - pattern.disagreement(|k, l| f64::from(weights.distance(k, l)))) / pairs
}

/// T = Σ_kl w_kl / (q(q−1)).
fn mean_weight(number: usize, weights: Weights) -> f64 {
    let (q, span) = (categories(number), f64::from(weights.span(number)));
    // 2 (q−s) ordered pairs of categories lie s steps apart.
    let apart =
        |steps: usize| 2.0 * categories(number - steps) * (span - f64::from(weights.distance(0, steps)));
    (q + (1..number).map(apart).sum::<f64>() / span) / (q * (q - 1.0))
}
