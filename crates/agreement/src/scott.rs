//! Scott's pi of two raters.

use super::{
    Confusion, Measure, Placed, PlacedMeasure, Precision, Undefined, most_unequal, ratio, real, root,
};

/// π = (po − pe)/(1 − pe) with po = Σ p_kk and pe = Σ m_k², m_k = (p_k. + p_.k)/2 (Scott 1955, Public Opinion
/// Quarterly 19:321).
///
/// # Errors
/// Undefined without a common item and when one category only occurs.
pub fn pi(table: &Confusion) -> Measure {
    placed(table).map(|pi| pi.value)
}

pub(super) fn placed(table: &Confusion) -> PlacedMeasure {
    Undefined::NoPairableItems.when(table.items() == 0)?;
    Undefined::ZeroExpectedDisagreement.when(table.one_category())?;
    // Over the common denominator 4n².
    let n = i128::from(table.items());
    let disagreeing = table.items() - table.agreeing();
    let expected = 4 * n * n - both(table).map(|count| i128::from(count).pow(2)).sum::<i128>();
    let of = |disagreeing: u64| ratio(expected - 4 * n * i128::from(disagreeing), expected);
    Ok(Placed { value: of(disagreeing), lowest: of(most_unequal(table.first(), table.second())) })
}

/// n_k. + n_.k for every category.
fn both(table: &Confusion) -> impl Iterator<Item = u64> {
    table.first().iter().zip(table.second()).map(|(first, second)| first + second)
}

/// Standard error √{[Σ p_kl ([k=l] − (1−π)(m_k + m_l))² − (po − 2(1−π)pe)²] / (n(1−pe)²)} and the interval
/// π ± t(0.975, n−1) SE with its upper end at most 1, as in the table functions of irrCAC (Gwet 2014).
///
/// The subtracted square is that of the mean, so the sum is of squared deviations.
#[must_use]
pub fn precision(table: &Confusion) -> Precision {
    let value = pi(table);
    let se = value.and_then(|pi| match table.items() {
        1 => Err(Undefined::TooFewItems),
        _ => Ok(standard_error(table, pi)),
    });
    Precision::student(value, se, table.items().saturating_sub(1))
}

fn standard_error(table: &Confusion, pi: f64) -> f64 {
    let n = real(table.items());
    let shares: Vec<f64> = both(table).map(|count| real(count) / (2.0 * n)).collect();
    let chance: f64 = shares.iter().map(|share| share * share).sum();
    let mean = real(table.agreeing()) / n - 2.0 * (1.0 - pi) * chance;
    let part = |(k, l, count): (usize, usize, u64)| {
        let agree = if k == l { 1.0 } else { 0.0 };
        // k and l are below the number of categories.
        real(count) / n * (agree - (1.0 - pi) * (shares[k] + shares[l]) - mean).powi(2)
    };
    let variance: f64 = table.cells().filter(|(_, _, count)| *count > 0).map(part).sum();
    root(variance / (n * (1.0 - chance).powi(2)))
}
