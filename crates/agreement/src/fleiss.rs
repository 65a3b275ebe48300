//! Fleiss' kappa of any number of raters, and its generalisation to missing ratings.

use super::{
    CoefficientParts, Counts, Histogram, LabelDistance, Measure, Pattern, Placed, PlacedMeasure, Precision,
    Totals, Undefined, from_minus_one, most_unequal, percent, ratio, real, standard_error,
};

/// κ = (pa − pe)/(1 − pe) when all n rated items have the same number r ≥ 2 of ratings, by whomever;
/// pe = Σ_k (Σ_i r_ik / (n r))² (Fleiss 1971, Psychological Bulletin 76:378).
///
/// # Errors
/// Undefined without a pairable item, with unequal numbers of ratings, and when one category only occurs.
pub fn kappa(counts: &Counts) -> Measure {
    placed(counts).map(|kappa| kappa.value)
}

pub(super) fn placed(counts: &Counts) -> PlacedMeasure {
    let histogram = &counts.histogram;
    let r = i128::from(ratings_per_item(histogram)?);
    let all = i128::from(histogram.rated().ratings);
    let square = |count: &u64| i128::from(*count).pow(2);
    // Ordered pairs of unequal ratings, within the items and in the whole table.
    let within: i128 = histogram.rated_patterns().map(unequal_pairs).sum();
    let by_category = &histogram.rated().by_category;
    let overall = all * all - by_category.iter().map(square).sum::<i128>();
    let most = (r - 1) * i128::from(most_unequal(by_category, by_category));
    let of = |within: i128| ratio((r - 1) * overall - within * all, (r - 1) * overall);
    Ok(Placed { value: of(within), lowest: of(most) })
}

fn unequal_pairs(pattern: &Pattern) -> i128 {
    let equal: i128 = pattern.counts.iter().map(|(_, count)| i128::from(*count).pow(2)).sum();
    i128::from(pattern.items) * (i128::from(pattern.ratings).pow(2) - equal)
}

/// r, when κ is defined.
fn ratings_per_item(histogram: &Histogram) -> Result<u32, Undefined> {
    Undefined::NoPairableItems.when(histogram.pairable().items == 0)?;
    let mut sizes = histogram.rated_patterns().map(|pattern| pattern.ratings);
    let size = sizes.next().ok_or(Undefined::NoPairableItems)?;
    Undefined::UnequalRatingsPerItem.when(sizes.any(|other| other != size))?;
    Undefined::ZeroExpectedDisagreement.when(histogram.rated().one_category())?;
    Ok(size)
}

/// Standard error under κ = 0: with the pooled shares p_k and S = Σ p_k(1−p_k),
/// √{2 (S² − Σ p_k(1−p_k)(1−2p_k)) / (n r (r−1))} / S (Fleiss, Nee & Landis 1979, Psychological Bulletin 86:974).
/// There is no formula for the error otherwise; see [`generalized_precision`].
#[must_use]
pub fn precision(counts: &Counts) -> Precision {
    let histogram = &counts.histogram;
    let se0 = ratings_per_item(histogram).map(|r| {
        let r = f64::from(r);
        let Totals { items, ratings, by_category } = histogram.rated();
        let shares = by_category.iter().map(|count| real(*count) / real(*ratings));
        let spread: f64 = shares.clone().map(|p| p * (1.0 - p)).sum();
        let skew: f64 = shares.map(|p| p * (1.0 - p) * (1.0 - 2.0 * p)).sum();
        (2.0 * (spread * spread - skew).max(0.0) / (real(*items) * r * (r - 1.0))).sqrt() / spread
    });
    Precision { se0: Some(se0), ..Precision::default() }
}

/// κ = (pa − pe)/(1 − pe) for any numbers of ratings: pa over the pairable items as in
/// [`percent::mean_over_items`], pe = Σ π_k² with π_k the mean over all rated items of r_ik/r_i (Gwet 2014, Handbook of
/// Inter-Rater Reliability).
///
/// # Errors
/// Undefined without a pairable item, when one category only occurs, and below −1, where the labels of items rated once lead it.
pub fn generalized(counts: &Counts) -> Measure {
    placed_generalized(counts).map(|kappa| kappa.value)
}

pub(super) fn placed_generalized(counts: &Counts) -> PlacedMeasure {
    let histogram = &counts.histogram;
    let disagreement = 1.0 - percent::items(histogram)?;
    Undefined::ZeroExpectedDisagreement.when(histogram.rated().one_category())?;
    let largest = histogram.prevalence_pairable().iter().copied().fold(0.0, f64::max);
    let most = 1.0 - (2.0 * largest - 1.0).max(0.0);
    let most = LabelDistance::Nominal.settled(disagreement, most, histogram);
    let of = |disagreement: f64| 1.0 - disagreement / expected_disagreement(histogram);
    Ok(Placed { value: from_minus_one(of(disagreement))?, lowest: of(most) })
}

/// 1 − Σ π_k², as the sum of the products of different categories: nothing cancels.
fn expected_disagreement(histogram: &Histogram) -> f64 {
    let mut before = 0.0;
    let mut sum = 0.0;
    for share in histogram.prevalence() {
        sum += 2.0 * before * share;
        before += share;
    }
    sum
}

/// Gwet's standard error of [`generalized`] with t(n−1) interval; pe_i = Σ_k r_ik π_k / r_i.
#[must_use]
pub fn generalized_precision(counts: &Counts) -> Precision {
    let histogram = &counts.histogram;
    let value = generalized(counts);
    let chance = |pattern: &Pattern| {
        // A rating is always one of the categories.
        let sum: f64 = pattern.shares().map(|(k, count)| count * histogram.prevalence()[k]).sum();
        sum / f64::from(pattern.ratings)
    };
    let se = value.and_then(|value| {
        let parts = CoefficientParts { value, chance: 1.0 - expected_disagreement(histogram) };
        standard_error(histogram, &parts, percent::of_item, chance)
    });
    Precision::student(value, se, histogram.rated().items.saturating_sub(1))
}
