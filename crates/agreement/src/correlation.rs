//! Correlations of two raters over their common items.

use super::{
    Confusion, Interval, Measure, NEAR, Placed, PlacedMeasure, Precision, Undefined, are_opposite,
    by_position, each_opposite, real,
};

/// Pearson's r of the codes, one code a category.
///
/// # Errors
/// Undefined without a common item, with a single one, and when a rater's codes are all equal.
pub fn pearson(table: &Confusion, codes: &[f64]) -> Measure {
    placed(table, codes).map(|r| r.value)
}

/// Pearson's r beside the lowest that it could be: the r of codes used so often by each, one's sorted upwards beside the
/// other's sorted downwards.
pub(super) fn placed(table: &Confusion, codes: &[f64]) -> PlacedMeasure {
    let enough = enough(table)?;
    Undefined::ZeroVariance.when(constant(table.first(), codes) || constant(table.second(), codes))?;
    let (x, y) = (centred(table.first(), codes, enough), centred(table.second(), codes, enough));
    let value = perfect(table, codes).map_or_else(|| product_moment(table, &x, &y), Ok)?;
    let mut products = 0.0;
    each_opposite(table.first(), table.second(), by_position(codes), |k, l, times| {
        products += real(times) * x[k] * y[l]; // one code a category
    });
    let scale = scale(table, &x, &y);
    let lowest = if scale > 0.0 { (products / scale).clamp(-1.0, 1.0) } else { -1.0 };
    let met = || table.cells().filter(|(.., count)| *count > 0).map(|(k, l, _)| (k, l)).collect::<Vec<_>>();
    let is_lowest = (value - lowest).abs() <= NEAR && are_opposite(&met(), codes);
    Ok(Placed { value, lowest: if is_lowest { value } else { lowest } })
}

/// Fisher's interval tanh(atanh r ± 1.96/√(n−3)) of [`pearson`] (Fisher 1921, Metron 1:3).
///
/// Undefined where r is, with fewer than four items, and for |r| = 1.
#[must_use]
pub fn pearson_precision(table: &Confusion, codes: &[f64]) -> Precision {
    let interval = pearson(table, codes).and_then(|r| {
        Undefined::TooFewItems.when(table.items() < 4)?;
        Undefined::PerfectCorrelation.when(r.abs() >= 1.0)?;
        let reach = Interval::NORMAL / (real(table.items()) - 3.0).sqrt();
        Ok(Interval::formula((r.atanh() - reach).tanh(), (r.atanh() + reach).tanh()))
    });
    Precision { interval: Some(interval), ..Precision::default() }
}

/// Spearman's ρ: Pearson's r of the mid-ranks (Spearman 1904, American Journal of Psychology 15:72; ties as in Kendall 1945).
///
/// # Errors
/// Undefined without a common item, with a single one, and when a rater is constant.
pub fn spearman(table: &Confusion) -> Measure {
    enough(table)?;
    let (Some(first), Some(second)) = (mid_ranks(table.first()), mid_ranks(table.second())) else {
        return Err(Undefined::ZeroVariance);
    };
    product_moment(table, &first, &second)
}

/// Kendall's τ_b = (P − Q)/√((n₀ − n₁)(n₀ − n₂)): P concordant and Q discordant pairs of items, n₀ = n(n−1)/2,
/// n₁ and n₂ the pairs tied for the first and the second rater (Kendall 1945, Biometrika 33:239).
///
/// # Errors
/// As [`spearman`].
pub fn kendall(table: &Confusion) -> Measure {
    enough(table)?;
    let untied = |totals: &[u64]| -> i128 {
        let square = |count: u64| i128::from(count) * i128::from(count);
        square(table.items()) - totals.iter().copied().map(square).sum::<i128>()
    };
    let (first, second) = (untied(table.first()), untied(table.second()));
    Undefined::ZeroVariance.when(first == 0 || second == 0)?;
    // Ordered pairs, twice as many on both sides of the bar.
    let scale = (wide(first) * wide(second)).sqrt();
    Ok((wide(2 * concordance(table)) / scale).clamp(-1.0, 1.0))
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2⁻⁵³ is meant")]
fn wide(count: i128) -> f64 {
    count as f64
}

/// P − Q, unordered pairs.
fn concordance(table: &Confusion) -> i128 {
    // Per column, the items of the rows above.
    let mut above = vec![0_i128; table.categories()];
    let mut sum = 0;
    for row in table.rows() {
        let mut left = 0;
        let mut right: i128 = above.iter().sum();
        for (count, above) in row.iter().zip(&above) {
            right -= above;
            sum += i128::from(*count) * (left - right);
            left += above;
        }
        above.iter_mut().zip(row).for_each(|(above, count)| *above += i128::from(*count));
    }
    sum
}

/// The number of items, when it is enough for a correlation.
fn enough(table: &Confusion) -> Measure {
    match table.items() {
        0 => Err(Undefined::NoPairableItems),
        1 => Err(Undefined::TooFewItems),
        items => Ok(real(items)),
    }
}

/// Whether all codes that occur are equal.
fn constant(totals: &[u64], codes: &[f64]) -> bool {
    let mut used = totals.iter().zip(codes).filter(|(count, _)| **count > 0).map(|(_, code)| code.to_bits());
    let first = used.next();
    used.all(|code| Some(code) == first)
}

/// The codes less their mean over the items.
fn centred(totals: &[u64], codes: &[f64], items: f64) -> Vec<f64> {
    let mean = totals.iter().zip(codes).map(|(count, code)| real(*count) * code).sum::<f64>() / items;
    codes.iter().map(|code| code - mean).collect()
}

/// Twice each category's mid-rank less twice the mean rank, whole numbers; `None` when one category only occurs.
fn mid_ranks(totals: &[u64]) -> Option<Vec<f64>> {
    let all: u64 = totals.iter().sum();
    let mut before = 0;
    let rank = |count: &u64| {
        before += count;
        real(2 * before - count) - real(all)
    };
    let ranks = totals.iter().map(rank).collect();
    (!totals.contains(&all)).then_some(ranks)
}

/// √(Σ x² Σ y²) of centred values, one a category.
fn scale(table: &Confusion, first: &[f64], second: &[f64]) -> f64 {
    let squares = |totals: &[u64], values: &[f64]| -> f64 {
        totals.iter().zip(values).map(|(count, value)| real(*count) * value * value).sum()
    };
    (squares(table.first(), first) * squares(table.second(), second)).sqrt()
}

/// Σ xy / √(Σ x² Σ y²) of centred values, one a category.
fn product_moment(table: &Confusion, first: &[f64], second: &[f64]) -> Measure {
    let row =
        |(x, row): (&f64, &[u64])| x * row.iter().zip(second).map(|(count, y)| real(*count) * y).sum::<f64>();
    let products: f64 = first.iter().zip(table.rows()).map(row).sum();
    let scale = scale(table, first, second);
    if scale > 0.0 { Ok((products / scale).clamp(-1.0, 1.0)) } else { Err(Undefined::ZeroVariance) }
}

/// 1 or −1 when all items lie on one rising or falling line: known from the cells that occur, not from r, which
/// rounding can carry to 1 and away from it.
fn perfect(table: &Confusion, codes: &[f64]) -> Option<f64> {
    let occurring = table.cells().filter(|(_, _, count)| *count > 0);
    let mut points = occurring.filter_map(|(k, l, _)| Some((*codes.get(k)?, *codes.get(l)?)));
    let (x, y) = points.next()?;
    let mut far = (0.0, 0.0);
    for (dx, dy) in points.map(|(other_x, other_y)| (other_x - x, other_y - y)) {
        let (left, right): (f64, f64) = (dx * far.1, dy * far.0);
        if (left - right).abs() > 1e-12 * left.abs().max(right.abs()) {
            return None;
        }
        if far == (0.0, 0.0) {
            far = (dx, dy);
        }
    }
    (far.0 != 0.0 && far.1 != 0.0).then(|| (far.0 * far.1).signum())
}
