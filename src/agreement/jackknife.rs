//! The one interval of every number: delete one cluster, Student's t, on a scale that keeps it within the number's range.
//!
//! θ is the estimate, C the number of clusters that carry something for it, θ_c the estimate without cluster c, θ̄ their mean:
//! SE² = (C−1)/C · Σ (θ_c − θ̄)² (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11). On the scale z of its
//! [`NumberRange`] the interval is z(θ) ± t(0.975, C−1) · z′(θ) · SE. Nothing is drawn, so nothing depends on a seed.

use super::coefficient::{Interval, Method};
use super::histogram::real;
use super::student::quantile_975;
use super::undefined::{Measure, Undefined};

/// With fewer clusters their spread says nothing.
const FEWEST: u64 = 3;

/// What is smaller than this share of a number is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// Where a number can lie, which says on what scale its interval is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberRange {
    /// From a lowest to a highest number: logit of the share of the way.
    Between(f64, f64),
    /// From −1 to 1, coefficients and correlations: Fisher's z.
    Coefficient,
    /// At least 0, such as words a bullet: logarithm.
    Positive,
    /// Anything, such as differences: as it is.
    Any,
}

/// What the estimates without each cluster say of the one with all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jackknife {
    /// C.
    pub clusters: u64,
    /// SE, on the scale of the number itself.
    pub se: Measure,
}

impl Jackknife {
    /// From each θ_c with the number of clusters that have it.
    ///
    /// The standard error is undefined with fewer than three clusters, when some θ_c is, and when all are equal.
    pub fn of(without: impl IntoIterator<Item = (Measure, u64)>) -> Self {
        let without: Vec<(Measure, u64)> = without.into_iter().collect();
        let clusters = without.iter().map(|(_, times)| times).sum();
        Self { clusters, se: standard_error(&without, clusters) }
    }

    /// The 95 % interval of this value.
    ///
    /// # Errors
    /// The value or the standard error is undefined, or the value is a coefficient of ±1. A share of 0 or 1 has the exact
    /// bound over clusters instead: from 0.025^(1/C) to 1, or from 0 to 1 − 0.025^(1/C).
    pub fn interval(&self, value: Measure, range: NumberRange) -> Result<Interval, Undefined> {
        let value = value.map_err(|_| Undefined::ValueUndefined)?;
        if self.clusters < FEWEST {
            return Err(Undefined::TooFewClusters);
        }
        if let Some(limit) = range.limit(value) {
            return limit.interval(range, self.clusters);
        }
        let se = self.se?;
        let reach = quantile_975(self.clusters - 1) * se * range.slope(value);
        let (low, high) = (range.back(range.forth(value) - reach), range.back(range.forth(value) + reach));
        Ok(Interval { low, high, se: Some(se), method: Method::Jackknife })
    }
}

fn standard_error(without: &[(Measure, u64)], clusters: u64) -> Measure {
    if clusters < FEWEST {
        return Err(Undefined::TooFewClusters);
    }
    let known = |(value, times): &(Measure, u64)| value.ok().map(|value| (value, real(*times)));
    let values: Option<Vec<(f64, f64)>> = without.iter().map(known).collect();
    let mut values = values.ok_or(Undefined::UndefinedWithoutACluster)?;
    // Added up by size, so that the order of clusters changes no digit.
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let count = real(clusters);
    let mean = values.iter().map(|(value, times)| value * times).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|(value, times)| times * (value - mean).powi(2)).sum();
    let se = ((count - 1.0) / count * squares).sqrt();
    let size = values.iter().map(|(value, _)| value.abs()).fold(0.0, f64::max);
    if se > ROUNDING * size { Ok(se) } else { Err(Undefined::NoVariation) }
}

/// An end of a range that a value has reached.
#[derive(Clone, Copy, PartialEq)]
enum Limit {
    Low,
    High,
}

impl Limit {
    fn interval(self, range: NumberRange, clusters: u64) -> Result<Interval, Undefined> {
        let NumberRange::Between(lowest, highest) = range else { return Err(Undefined::AtLimit) };
        let bound = (highest - lowest) * 0.025_f64.powf(1.0 / real(clusters));
        let (low, high) = match self {
            Self::Low => (lowest, highest - bound),
            Self::High => (lowest + bound, highest),
        };
        Ok(Interval { low, high, se: None, method: Method::Exact })
    }
}

impl NumberRange {
    /// From 0 to 1.
    pub const SHARE: NumberRange = NumberRange::Between(0.0, 1.0);

    /// From 0 to 100.
    pub const PERCENT: NumberRange = NumberRange::Between(0.0, 100.0);

    /// The end that a value has reached, but for rounding.
    fn limit(self, value: f64) -> Option<Limit> {
        let (low, high) = match self {
            Self::Between(low, high) => (low, high),
            Self::Coefficient => (-1.0, 1.0),
            Self::Positive => (0.0, f64::INFINITY),
            Self::Any => return None,
        };
        let reach = ROUNDING * if high.is_finite() { high - low } else { 1.0 };
        if value <= low + reach { Some(Limit::Low) } else { (value >= high - reach).then_some(Limit::High) }
    }

    /// z(θ).
    fn forth(self, value: f64) -> f64 {
        match self {
            Self::Between(low, high) => ((value - low) / (high - value)).ln(),
            Self::Coefficient => value.atanh(),
            Self::Positive => value.ln(),
            Self::Any => value,
        }
    }

    /// z′(θ).
    fn slope(self, value: f64) -> f64 {
        match self {
            Self::Between(low, high) => (high - low) / ((value - low) * (high - value)),
            Self::Coefficient => 1.0 / (1.0 - value * value),
            Self::Positive => 1.0 / value,
            Self::Any => 1.0,
        }
    }

    /// θ of a z.
    fn back(self, z: f64) -> f64 {
        match self {
            Self::Between(low, high) => low + (high - low) / (1.0 + (-z).exp()),
            Self::Coefficient => z.tanh(),
            Self::Positive => z.exp(),
            Self::Any => z,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jackknife(values: &[f64]) -> Jackknife {
        Jackknife::of(values.iter().map(|value| (Ok(*value), 1)))
    }

    /// The jackknife of a mean is its usual standard error: 1, 2, 6 have the mean 3, Σ(x − 3)² = 14, and √(14/(3 · 2)).
    /// t(0.975, 2) = 4.302653.
    #[test]
    fn the_jackknife_of_a_mean() {
        let found = jackknife(&[4.0, 3.5, 1.5]);
        let se = (14.0_f64 / 6.0).sqrt();
        assert!((found.se.expect("it varies") - se).abs() < 1e-12 && found.clusters == 3);
        let interval = found.interval(Ok(3.0), NumberRange::Any).expect("defined");
        assert!((interval.low - (3.0 - 4.302_652_729_911_275 * se)).abs() < 1e-9, "{interval:?}");
        // Equal clusters may come as one with their number.
        let grouped = Jackknife::of([(Ok(1.0), 2), (Ok(2.0), 1)]);
        assert_eq!(grouped, jackknife(&[1.0, 1.0, 2.0]));
        // Twice as far on the scale of logarithms: e^(ln 3 ± t · SE/3).
        let positive = found.interval(Ok(3.0), NumberRange::Positive).expect("defined");
        assert!((positive.low * positive.high - 9.0).abs() < 1e-9 && positive.low > 0.0, "{positive:?}");
    }

    /// logit(0.5) = 0 and z′ = 4; atanh(0.5) = 0.549306 and z′ = 4/3.
    #[test]
    fn intervals_stay_within_their_range() {
        let found = jackknife(&[0.4, 0.5, 0.6]);
        // SE² = 2/3 · 0.02.
        let reach = quantile_975(2) * (0.04_f64 / 3.0).sqrt();
        let share = found.interval(Ok(0.5), NumberRange::SHARE).expect("defined");
        assert!((share.low - 1.0 / (1.0 + (4.0 * reach).exp())).abs() < 1e-12 && share.high < 1.0);
        let coefficient = found.interval(Ok(0.5), NumberRange::Coefficient).expect("defined");
        assert!((coefficient.high - (0.5_f64.atanh() + reach * 4.0 / 3.0).tanh()).abs() < 1e-12);
        let percent =
            jackknife(&[40.0, 50.0, 60.0]).interval(Ok(50.0), NumberRange::PERCENT).expect("defined");
        assert!((percent.low - 100.0 * share.low).abs() < 1e-10, "{percent:?} {share:?}");
        // Scores from 1 to 5: 3 is half the way, as 0.5 is.
        let scores =
            jackknife(&[2.6, 3.0, 3.4]).interval(Ok(3.0), NumberRange::Between(1.0, 5.0)).expect("defined");
        assert!((scores.low - (1.0 + 4.0 * share.low)).abs() < 1e-10 && scores.high < 5.0, "{scores:?}");
    }

    #[test]
    fn what_has_no_interval_says_why() {
        let check = |found: Jackknife, value: Measure, range, reason| {
            assert_eq!(found.interval(value, range), Err(reason), "{value:?} {range:?}");
        };
        let varied = jackknife(&[0.4, 0.5, 0.6]);
        check(varied, Err(Undefined::NothingJudged), NumberRange::SHARE, Undefined::ValueUndefined);
        check(jackknife(&[0.4, 0.6]), Ok(0.5), NumberRange::SHARE, Undefined::TooFewClusters);
        check(jackknife(&[1.0, 1.0]), Ok(1.0), NumberRange::SHARE, Undefined::TooFewClusters);
        check(varied, Ok(1.0), NumberRange::Coefficient, Undefined::AtLimit);
        check(varied, Ok(-1.0), NumberRange::Coefficient, Undefined::AtLimit);
        check(varied, Ok(0.0), NumberRange::Positive, Undefined::AtLimit);
        check(jackknife(&[0.3, 0.1 + 0.2, 0.3]), Ok(0.3), NumberRange::Any, Undefined::NoVariation);
        check(jackknife(&[0.0; 4]), Ok(0.0), NumberRange::Any, Undefined::NoVariation);
        let missing = Jackknife::of([(Ok(0.5), 3), (Err(Undefined::ZeroVariance), 1)]);
        check(missing, Ok(0.5), NumberRange::Coefficient, Undefined::UndefinedWithoutACluster);
    }

    /// 0.025^(1/5) = 0.478176.
    #[test]
    fn all_or_none_has_the_exact_bound() {
        let five = jackknife(&[100.0; 5]);
        let all = five.interval(Ok(100.0), NumberRange::PERCENT).expect("defined");
        assert!((all.low - 47.817_625).abs() < 1e-6 && all.high == 100.0 && all.method == Method::Exact);
        let none = five.interval(Ok(0.0), NumberRange::SHARE).expect("defined");
        assert!(none.low == 0.0 && (none.high - 0.521_823_75).abs() < 1e-8, "{none:?}");
    }
}
