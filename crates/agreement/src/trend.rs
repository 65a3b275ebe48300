//! Whether numbers rise or fall over an order: the test of Mann and Kendall, and Holm's adjustment for several of them.
//!
//! Source: Mann 1945, Econometrica 13:245; Kendall 1975, Rank Correlation Methods; Holm 1979, Scandinavian Journal of
//! Statistics 6:65.

use super::{Measure, Undefined, beyond_normal, inversions, real};

/// A trend over an order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    pub numbers: usize,
    /// Pairs in which the later number is the larger, less those in which it is the smaller.
    pub rises: i64,
    /// Kendall's τ-b with the order, −1 to 1.
    pub tau_b: Measure,
    /// How many standard errors the rises are from none.
    pub z: Measure,
    /// The probability of a trend as strong as this where there is none.
    pub p: Measure,
}

/// With fewer numbers the normal distribution is no guide.
const ENOUGH: usize = 10;

impl Trend {
    /// The trend of these numbers in their order.
    pub fn of(numbers: &[f64]) -> Trend {
        let count = numbers.len();
        let none =
            |reason| Trend { numbers: count, rises: 0, tau_b: Err(reason), z: Err(reason), p: Err(reason) };
        if count < 2 {
            return none(Undefined::TooFewItems);
        }
        let mut sorted = numbers.to_vec();
        let falls = inversions(&mut sorted);
        let ties = || sorted.chunk_by(|one, other| one == other).map(|tied| tied.len() as u64);
        if ties().count() < 2 {
            return none(Undefined::ZeroVariance);
        }
        let n = count as u64;
        let pairs = |n: u64| real(n * (n - 1)) / 2.0;
        let tied: f64 = ties().map(pairs).sum();
        let rises = pairs(n) - tied - 2.0 * falls;
        let spread = |n: u64| real(n) * real(n - 1) * real(2 * n + 5);
        let variance = (spread(n) - ties().map(spread).sum::<f64>()) / 18.0;
        let shifted = if rises == 0.0 { 0.0 } else { rises - rises.signum() };
        let enough = if count < ENOUGH { Err(Undefined::TooFewItems) } else { Ok(shifted / variance.sqrt()) };
        Trend {
            numbers: count,
            rises: rises as i64,
            tau_b: Ok(rises / (pairs(n) * (pairs(n) - tied)).sqrt()),
            z: enough,
            p: enough.map(beyond_normal),
        }
    }
}

/// Probabilities of several tests, adjusted for how many there are; a test without one stays so.
pub fn holm(tests: &[Measure]) -> Vec<Measure> {
    let mut order: Vec<(usize, f64)> =
        tests.iter().enumerate().filter_map(|(at, p)| Some((at, p.ok()?))).collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut adjusted = tests.to_vec();
    let (count, mut most) = (order.len(), 0.0_f64);
    for (rank, (at, p)) in order.into_iter().enumerate() {
        most = most.max((p * real((count - rank) as u64)).min(1.0));
        adjusted[at] = Ok(most);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_a_rise_and_no_order_is_none() {
        let rising: Vec<f64> = (0..12).map(f64::from).collect();
        let trend = Trend::of(&rising);
        assert_eq!((trend.rises, trend.tau_b), (66, Ok(1.0)));
        assert!(trend.p.expect("twelve numbers") < 1e-4);
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert_eq!(Trend::of(&falling).rises, -66);
        assert_eq!(Trend::of(&[1.0; 12]).p, Err(Undefined::ZeroVariance));
        assert_eq!(Trend::of(&rising[..9]).p, Err(Undefined::TooFewItems));
    }

    #[test]
    fn adjusted_probabilities_never_fall() {
        let none = Err(Undefined::ZeroVariance);
        let found = holm(&[Ok(0.04), none, Ok(0.01), Ok(0.03)]);
        assert_eq!(found[1], none);
        let numbers: Vec<f64> = found.into_iter().flatten().collect();
        for (found, wanted) in numbers.iter().zip([0.06, 0.03, 0.06]) {
            assert!((found - wanted).abs() < 1e-12, "{numbers:?}");
        }
    }
}
