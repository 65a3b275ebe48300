//! The number of queries that a difference of two systems needs, by the normal approximation.
//!
//! For a two-sided test at 5 % with a power of 80 %: n = (z₀.₉₇₅ + z₀.₈)² s² / δ², with s² the variance of the differences by
//! query. The other tail is ignored; with Student's t about two more queries are needed.

use crate::score::{Measure, Undefined};

/// z₀.₉₇₅ + z₀.₈, quantiles of the standard normal distribution.
const REACH: f64 = 1.959_963_984_540_054 + 0.841_621_233_572_914_3;

/// The standard deviation of differences, with n − 1 in the denominator; exactly 0 where they differ only by rounding,
/// undefined with fewer than two.
pub fn deviation(differences: &[f64]) -> Measure {
    let number = differences.len() as f64;
    let [first, rest @ ..] = differences else { return Err(Undefined::TooFewQueries) };
    Undefined::TooFewQueries.when(rest.is_empty())?;
    if rest.iter().all(|other| super::compare(*first, *other).is_eq()) {
        return Ok(0.0);
    }
    let mean = differences.iter().sum::<f64>() / number;
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    Ok((squares / (number - 1.0)).sqrt())
}

/// The smallest difference that so many queries show; undefined where the deviation is undefined or 0, and without queries.
pub fn detectable(deviation: Measure, queries: usize) -> Measure {
    match deviation? {
        0.0 => Err(Undefined::EqualDifferences),
        _ if queries == 0 => Err(Undefined::TooFewQueries),
        deviation => Ok(REACH * deviation / (queries as f64).sqrt()),
    }
}

/// The number of queries that show this difference, at least two; undefined where the deviation is undefined or 0, and for no
/// difference.
pub fn required(deviation: Measure, difference: f64) -> Result<u64, Undefined> {
    match deviation? {
        0.0 => Err(Undefined::EqualDifferences),
        _ if difference == 0.0 => Err(Undefined::NoDifference),
        // The conversion saturates.
        deviation => Ok(((REACH * deviation / difference).powi(2).ceil() as u64).max(2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences 1, 2, 5: mean 8/3, variance (25 + 4 + 49)/9/2 = 13/3. With z = 2.801585…, over 3 queries
    /// 2.801585 · √(13/9) = 3.367086; a difference of 2 needs 2.801585² · (13/3)/4 = 8.50 queries.
    #[test]
    fn by_hand() {
        let found = deviation(&[1.0, 2.0, 5.0]);
        assert!((found.expect("three") - (13.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((detectable(found, 3).expect("varies") - 3.367_086_385_496_09).abs() < 1e-9);
        assert_eq!(required(found, 2.0), Ok(9));
        assert_eq!(required(found, -2.0), Ok(9));
        assert_eq!(required(found, 100.0), Ok(2));
        assert_eq!(required(found, 0.0), Err(Undefined::NoDifference));
    }

    /// 0.1 + 0.2 is not 0.3 in binary: thirds of labels give such sums.
    #[test]
    fn rounding_is_no_variation() {
        assert_eq!(deviation(&[0.3, 0.1 + 0.2, 0.3]), Ok(0.0));
        assert_eq!(detectable(deviation(&[0.3, 0.1 + 0.2]), 2), Err(Undefined::EqualDifferences));
    }

    #[test]
    fn what_does_not_vary_has_no_power() {
        let same = deviation(&[3.0, 3.0, 3.0]);
        assert_eq!(detectable(same, 3), Err(Undefined::EqualDifferences));
        assert_eq!(required(same, 5.0), Err(Undefined::EqualDifferences));
        assert_eq!(deviation(&[4.0]), Err(Undefined::TooFewQueries));
    }
}
