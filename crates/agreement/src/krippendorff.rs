//! Krippendorff's alpha, nominal, ordinal and interval.
//!
//! With m_u ≥ 2 values in unit u, o_ck = Σ_u (ordered c–k pairs in u)/(m_u − 1), n_c = Σ_k o_ck and N = Σ n_c:
//! α = 1 − (N−1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability).
//! Units with fewer than two values count nowhere. n_c is just the number of values c in the pairable units,
//! so no coincidence matrix is built.

use super::{
    Counts, Histogram, LabelDistance, Measure, Pattern, Placed, PlacedMeasure, Precision, Totals, Undefined,
    real, root,
};

/// α with δ² = [c ≠ k].
///
/// # Errors
/// Undefined without a pairable item and when these have one category only.
pub fn nominal(counts: &Counts) -> Measure {
    placed_nominal(counts).map(|alpha| alpha.value)
}

/// α with δ²_ck = (Σ_{g=c..k} n_g − (n_c + n_k)/2)², the squared distance of the mid-ranks.
///
/// # Errors
/// As [`nominal`].
pub fn ordinal(counts: &Counts) -> Measure {
    placed_ordinal(counts).map(|alpha| alpha.value)
}

/// α with δ²_ck = (code_c − code_k)².
///
/// # Errors
/// As [`nominal`], also when all codes that occur are equal.
pub fn interval(counts: &Counts) -> Measure {
    placed_interval(counts).map(|alpha| alpha.value)
}

pub(super) fn placed_nominal(counts: &Counts) -> PlacedMeasure {
    alpha(&counts.histogram, &LabelDistance::Nominal)
}

pub(super) fn placed_ordinal(counts: &Counts) -> PlacedMeasure {
    alpha(&counts.histogram, &LabelDistance::of_ranks(&counts.histogram.pairable().by_category))
}

pub(super) fn placed_interval(counts: &Counts) -> PlacedMeasure {
    alpha(&counts.histogram, &LabelDistance::Squared(counts.codes.clone()))
}

fn alpha(histogram: &Histogram, difference: &LabelDistance) -> PlacedMeasure {
    let Totals { items, ratings, by_category } = histogram.pairable();
    Undefined::NoPairableItems.when(*items == 0)?;
    let (observed, expected) = (observed(histogram, difference), expected(histogram, difference)?);
    let most = difference.settled(observed, difference.most(by_category), histogram);
    let of = |disagreement: f64| 1.0 - (real(*ratings) - 1.0) * disagreement / expected;
    Ok(Placed { value: of(observed), lowest: of(most) })
}

/// Σ o_ck δ²_ck.
fn observed(histogram: &Histogram, difference: &LabelDistance) -> f64 {
    let unit = |pattern: &Pattern| real(pattern.items) * of_unit(pattern, difference);
    histogram.pairable_patterns().map(unit).sum()
}

/// Σ_ck (ordered c–k pairs) δ²_ck / (m_u − 1) of one unit.
fn of_unit(pattern: &Pattern, difference: &LabelDistance) -> f64 {
    pattern.disagreement(|c, k| difference.between(c, k)) / (f64::from(pattern.ratings) - 1.0)
}

/// Σ n_c n_k δ²_ck. Whether it is 0 shows in the counts; equal codes of different categories are the
/// exception, and they give a plain 0.
fn expected(histogram: &Histogram, difference: &LabelDistance) -> Result<f64, Undefined> {
    let totals = histogram.pairable();
    Undefined::ZeroExpectedDisagreement.when(totals.one_category())?;
    let used = || totals.by_category.iter().enumerate().filter(|(_, count)| **count > 0);
    let row = |(c, n_c): (usize, &u64)| -> f64 {
        real(*n_c) * used().map(|(k, n_k)| real(*n_k) * difference.between(c, k)).sum::<f64>()
    };
    let sum: f64 = used().map(row).sum();
    if sum > 0.0 { Ok(sum) } else { Err(Undefined::ZeroExpectedDisagreement) }
}

/// Standard error of [`nominal`], see [`interval_precision`].
#[must_use]
pub fn nominal_precision(counts: &Counts) -> Precision {
    precision(&counts.histogram, nominal(counts), &LabelDistance::Nominal)
}

/// Standard error of [`interval`] with t(n₂−1) interval, the upper end at most 1.
///
/// Gwet's linearisation over the n₂ pairable items (Gwet 2014, Handbook of Inter-Rater Reliability; `krippen.alpha.raw` of
/// irrCAC): with r̄ the mean of r_i, w = 1 − δ²/range², s_i = Σ_k r_ik(Σ_l w_kl r_il − 1), pa with its small-sample
/// term, (1 − 1/N) mean s_i/(r̄(r_i−1)) + 1/N, and α′ = α without it,
/// x_i = [s_i/(r̄(r_i−1)) − pa(r_i−r̄)/r̄ − pe]/(1−pe) − 2(1−α′)(e_i − pe)/(1−pe),
/// e_i = Σ_k r_ik Σ_l w_kl π_l/r̄ − pe(r_i−r̄)/r̄; SE = √(Σ (x_i−α′)²/(n₂(n₂−1))).
/// There is no such formula for ordinal α, whose δ depends on the data.
#[must_use]
pub fn interval_precision(counts: &Counts) -> Precision {
    let single = counts.histogram.categories() == 1 && counts.items_pairable() > 0;
    if single {
        let reason = Undefined::SingleCategorySchema;
        return Precision { se: Some(Err(reason)), se0: None, interval: Some(Err(reason)) };
    }
    precision(&counts.histogram, interval(counts), &LabelDistance::Squared(counts.codes.clone()))
}

fn precision(histogram: &Histogram, value: Measure, difference: &LabelDistance) -> Precision {
    let items = histogram.pairable().items;
    let se = if items < 2 {
        Err(Undefined::TooFewItems)
    } else {
        expected(histogram, difference).map(|expected| standard_error(histogram, difference, expected))
    };
    Precision::student(value, se, items.saturating_sub(1))
}

fn standard_error(histogram: &Histogram, difference: &LabelDistance, expected: f64) -> f64 {
    let Totals { items, ratings, by_category } = histogram.pairable();
    let (n, all) = (real(*items), real(*ratings));
    let mean = all / n;
    // `within` is 1 − pa before the small-sample term, `between` 1 − pe, their quotient 1 − α′.
    let (within, between) = (observed(histogram, difference) / all, expected / (all * all));
    let ratio = within / between;
    let corrected = 1.0 - within * (1.0 - 1.0 / all);
    let against = |k: usize| -> f64 {
        let parts = by_category.iter().enumerate().map(|(l, count)| real(*count) * difference.between(k, l));
        parts.sum::<f64>() / all
    };
    let against: Vec<f64> = (0..by_category.len()).map(against).collect();
    let deviation = |pattern: &Pattern| {
        let size = f64::from(pattern.ratings) / mean;
        let agreed = size - of_unit(pattern, difference) / mean - corrected * (size - 1.0);
        // A rating is always one of the categories.
        let sum: f64 = pattern.shares().map(|(k, count)| count * against[k]).sum();
        let chance = size - sum / mean - (1.0 - between) * (size - 1.0);
        ((agreed - 1.0 + between) - 2.0 * ratio * (chance - 1.0 + between)) / between - (1.0 - ratio)
    };
    let squares: f64 =
        histogram.pairable_patterns().map(|pattern| real(pattern.items) * deviation(pattern).powi(2)).sum();
    root(squares / (n * (n - 1.0)))
}
