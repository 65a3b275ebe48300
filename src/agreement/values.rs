//! Correlation of plain numbers, where there are no categories.

use super::histogram::real;
use super::undefined::{Measure, Undefined};

/// Pearson's r of pairs of numbers.
///
/// # Errors
/// Undefined with fewer than two pairs, and when the numbers of a side are all equal.
pub fn pearson_of_values(pairs: &[(f64, f64)]) -> Measure {
    if pairs.len() < 2 {
        return Err(Undefined::TooFewItems);
    }
    let is_constant = |side: fn(&(f64, f64)) -> f64| {
        pairs.windows(2).all(|two| match two {
            [a, b] => side(a) == side(b),
            _ => true,
        })
    };
    if is_constant(|pair| pair.0) || is_constant(|pair| pair.1) {
        return Err(Undefined::ZeroVariance);
    }
    let count = real(pairs.len() as u64);
    let mean = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / count;
    let (first, second) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut products, mut squares) = (0.0, (0.0, 0.0));
    for (a, b) in pairs {
        let (a, b) = (a - first, b - second);
        products += a * b;
        squares = (squares.0 + a * a, squares.1 + b * b);
    }
    let scale = (squares.0 * squares.1).sqrt();
    // 0 where the numbers differ by less than their squares can tell.
    if scale > 0.0 { Ok((products / scale).clamp(-1.0, 1.0)) } else { Err(Undefined::ZeroVariance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_correlate() {
        // Deviations (-1, 0, 1) and (-2, 1, 1): products 3, squares 2 and 6; 3 / √12.
        let pairs = [(1.0, 1.0), (2.0, 4.0), (3.0, 4.0)];
        assert!((pearson_of_values(&pairs).unwrap() - 3.0 / 12.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(pearson_of_values(&pairs[..1]), Err(Undefined::TooFewItems));
        assert_eq!(pearson_of_values(&[(1.0, 2.0), (1.0, 3.0)]), Err(Undefined::ZeroVariance));
        assert_eq!(pearson_of_values(&[(1.0, 2.0), (2.0, 2.0)]), Err(Undefined::ZeroVariance));
    }
}
