//! The one interval of every number: delete one cluster, Student's t, on a scale that keeps it where the number can be.
//!
//! θ is the estimate, C the number of clusters that carry something for it, θ_c the estimate without cluster c, θ̄ their mean:
//! SE² = (C−1)/C · Σ (θ_c − θ̄)² (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11). Nothing is drawn, so
//! nothing depends on a seed.
//!
//! Where clusters were drawn by stratum, C_h of each, what they have in common is no error of the draw:
//! SE² = ((C−1)/C)² · Σ_h C_h/(C_h−1) · Σ_{c in h} (θ_c − θ̄_h)², which is the same for one stratum, and t has C less the
//! number of strata as its degrees of freedom (Wolter 2007, Introduction to Variance Estimation, §4.5). Clusters that lie in
//! several strata are one of their own, and where a stratum has a single cluster, all are taken as one. The share that was
//! drawn makes nothing smaller: intervals are about more of the kind than the study has.
//!
//! A number between two ends has its interval on the logit of its place between them. The upper end of a coefficient of
//! agreement is placed between L, the lowest value that the shares of the labels allow, and 1; its lower end between K =
//! max(−1, L − 2 SE(L)) and 1. t has as many degrees of freedom as there are clusters in which the labels vary, at most C − 1.
//! Where no disagreement was seen, or as much as possible, the bound is exact over these clusters.

use std::collections::BTreeMap;

use super::{ClusterCount, Interval, Measure, Method, Placed, PlacedMeasure, Undefined, quantile_975, real};

/// The fewest clusters whose spread says something.
pub const FEWEST_CLUSTERS: u64 = 3;

/// A number below this share of another is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// Where a number can lie, which says on what scale its interval is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberRange {
    /// From a lowest to a highest number.
    Between(f64, f64),
    /// A coefficient of agreement, up to 1.
    Coefficient(CoefficientRange),
    /// A correlation of anything but labels, from −1 to 1.
    Correlation,
    /// At least 0, such as words a bullet: logarithm.
    Positive,
    /// Any number, such as a difference: no other scale.
    Any,
}

/// The range of a coefficient, as far as the labels say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoefficientRange {
    /// L, at least −1.
    pub lowest: f64,
    /// m; `None` where all clusters are alike to the coefficient.
    pub effective: Option<f64>,
}

/// The spread of an estimate, from the estimates without each cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jackknife {
    /// C.
    pub clusters: u64,
    /// How many strata the clusters were drawn from; 1 where nothing was stratified.
    pub strata: u64,
    /// SE, on the scale of the number itself.
    pub se: Measure,
    /// SE of L; 0 for numbers without an L.
    pub lowest_se: f64,
}

impl Jackknife {
    /// From each θ_c with the number of clusters that have it.
    ///
    /// The standard error is undefined with fewer than three clusters, when some θ_c is, and when all are equal.
    pub fn of(without: impl IntoIterator<Item = (Measure, u64)>) -> Self {
        Self::of_strata(without.into_iter().map(|(value, times)| (value, times, 0)))
    }

    /// From each θ_c as in [`Jackknife::of`], with the stratum that the cluster was drawn from.
    pub fn of_strata(without: impl IntoIterator<Item = (Measure, u64, u32)>) -> Self {
        let mut without: Vec<(Measure, u64, u32)> = without.into_iter().collect();
        let clusters = without.iter().map(|(_, times, _)| times).sum();
        let strata = join_small(&mut without);
        Self { clusters, strata, se: standard_error(&without, clusters, strata), lowest_se: 0.0 }
    }

    /// From each θ_c of a coefficient as in [`Jackknife::of_strata`], with the lowest value that each could have.
    pub fn of_coefficient(without: impl IntoIterator<Item = (PlacedMeasure, u64, u32)>) -> Self {
        let without: Vec<(PlacedMeasure, u64, u32)> = without.into_iter().collect();
        let each = |of: fn(Placed) -> f64| {
            without.iter().map(move |(found, times, stratum)| (found.map(of), *times, *stratum))
        };
        let Self { clusters, strata, se, .. } = Self::of_strata(each(|placed| placed.value));
        let se = se.and_then(|se| if se > ROUNDING { Ok(se) } else { Err(Undefined::NoVariation) });
        Self {
            clusters,
            strata,
            se,
            lowest_se: Self::of_strata(each(|placed| placed.lowest)).se.unwrap_or(0.0),
        }
    }

    /// The 95 % interval of this value.
    ///
    /// # Errors
    /// The value is undefined, there are fewer than three clusters, there is no value without one of them, none changes it, or
    /// it is a correlation of ±1.
    pub fn interval(&self, value: Measure, range: NumberRange) -> Result<Interval, Undefined> {
        let value = value.map_err(|_| Undefined::ValueUndefined)?;
        // Clusters that were not drawn by stratum count as one stratum.
        Undefined::TooFewClusters.when(self.clusters + 1 < FEWEST_CLUSTERS + self.strata)?;
        Undefined::UndefinedWithoutACluster.when(self.se == Err(Undefined::UndefinedWithoutACluster))?;
        let count = ClusterCount { number: self.clusters, effective: range.effective() };
        let effective = count.in_effect();
        let made = |(low, high), se, method| Interval { low, high, se, method, clusters: Some(count) };
        if let Some(limit) = self.limit(value, range, effective)? {
            return Ok(made(limit, None, Method::Exact));
        }
        let se = self.se?;
        let reach = quantile_975(effective.min(real(self.clusters - self.strata))) * se;
        let ends = match range.ends(self.lowest_se) {
            Some([below, lowest, highest]) => {
                let end = |bottom: f64, reach: f64| {
                    // The place on the way from the bottom to the top, as odds.
                    let odds = (value - bottom) / (highest - value);
                    let slope = (highest - bottom) / ((value - bottom) * (highest - value));
                    bottom + (highest - bottom) / (1.0 + (-(odds.ln() + reach * slope)).exp())
                };
                (end(below, -reach), end(lowest, reach))
            }
            None if range == NumberRange::Positive => {
                (value * (-reach / value).exp(), value * (reach / value).exp())
            }
            None => (value - reach, value + reach),
        };
        Ok(made(ends, Some(se), Method::Jackknife))
    }

    /// The exact bound over so many clusters of a number that has reached an end of its range.
    fn limit(&self, value: f64, range: NumberRange, effective: f64) -> Result<Option<(f64, f64)>, Undefined> {
        let Some([below, lowest, highest]) = range.ends(self.lowest_se) else {
            let is_none = range == NumberRange::Positive && value <= ROUNDING;
            return if is_none { Err(Undefined::AtLimit) } else { Ok(None) };
        };
        let width = highest - lowest;
        Undefined::NoVariation.when(width <= 0.0)?; // the labels of the compared items are all the same
        // A coefficient is exactly at an end, known from counts; other numbers are there but for rounding.
        let reach = if matches!(range, NumberRange::Coefficient(_)) { 0.0 } else { ROUNDING * width };
        let (is_lowest, is_highest) = (value <= lowest + reach, value >= highest - reach);
        if !is_lowest && !is_highest {
            return Ok(None);
        }
        Undefined::AtLimit.when(range == NumberRange::Correlation)?;
        let bound = 0.025_f64.powf(1.0 / effective);
        if is_highest {
            return Ok(Some((lowest + width * bound, highest)));
        }
        // An item that agrees shows the rarer label twice.
        let bound = if range.effective().is_some() { bound / (2.0 - bound) } else { bound };
        Ok(Some((below.min(value), highest - width * bound)))
    }
}

/// The stratum of clusters that lie in several.
pub const SEVERAL_STRATA: u32 = u32::MAX;

/// Takes all clusters as drawn from one stratum where any of the strata has but one; gives how many strata there are then.
fn join_small(without: &mut [(Measure, u64, u32)]) -> u64 {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    without.iter().for_each(|(_, times, stratum)| *sizes.entry(*stratum).or_default() += times);
    if sizes.values().all(|size| *size > 1) {
        return sizes.len() as u64;
    }
    without.iter_mut().for_each(|(.., stratum)| *stratum = 0);
    1
}

/// SE from each θ_c with the number of clusters that have it, and their stratum.
fn standard_error(without: &[(Measure, u64, u32)], clusters: u64, strata: u64) -> Measure {
    Undefined::TooFewClusters.when(clusters + 1 < FEWEST_CLUSTERS + strata)?;
    let known = |(value, times, stratum): &(Measure, u64, u32)| {
        value.ok().map(|value| (*stratum, value, real(*times)))
    };
    let values: Option<Vec<(u32, f64, f64)>> = without.iter().map(known).collect();
    let mut values = values.ok_or(Undefined::UndefinedWithoutACluster)?;
    // Added up by size, so that the order of clusters changes no digit.
    values.sort_by(|one, other| {
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    let all = real(clusters);
    let of_stratum = |values: &[(u32, f64, f64)]| {
        let count: f64 = values.iter().map(|(.., times)| times).sum();
        let mean = values.iter().map(|(_, value, times)| value * times).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|(_, value, times)| times * (value - mean).powi(2)).sum();
        match strata {
            0 | 1 => (count - 1.0) / count * squares,
            _ => ((all - 1.0) / all).powi(2) * count / (count - 1.0) * squares,
        }
    };
    let se = values.chunk_by(|one, other| one.0 == other.0).map(of_stratum).sum::<f64>().sqrt();
    let size = values.iter().map(|(_, value, _)| value.abs()).fold(0.0, f64::max);
    if se > ROUNDING * size { Ok(se) } else { Err(Undefined::NoVariation) }
}

impl NumberRange {
    /// From 0 to 1.
    pub const SHARE: NumberRange = NumberRange::Between(0.0, 1.0);

    /// From 0 to 100.
    pub const PERCENT: NumberRange = NumberRange::Between(0.0, 100.0);

    /// K, L and the highest value; `None` for a range that has no two ends.
    fn ends(self, lowest_se: f64) -> Option<[f64; 3]> {
        match self {
            Self::Between(lowest, highest) => Some([lowest, lowest, highest]),
            Self::Coefficient(CoefficientRange { lowest, .. }) => {
                Some([(lowest - 2.0 * lowest_se).max(-1.0), lowest, 1.0])
            }
            Self::Correlation => Some([-1.0, -1.0, 1.0]),
            Self::Positive | Self::Any => None,
        }
    }

    /// m; `None` where all clusters are alike.
    fn effective(self) -> Option<f64> {
        if let Self::Coefficient(range) = self { range.effective } else { None }
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

    /// Two strata of which each is alike inside: nothing is left of what they have in common. 1, 3 and 10, 14: θ̄ = 2 and 12,
    /// 2/1 · 2 + 2/1 · 8 = 20, times (3/4)². A cluster by itself makes all of them one.
    #[test]
    fn what_a_stratum_has_in_common_is_no_error() {
        let of = |values: &[(f64, u32)]| {
            Jackknife::of_strata(values.iter().map(|(value, stratum)| (Ok(*value), 1, *stratum)))
        };
        let found = of(&[(1.0, 0), (3.0, 0), (10.0, 1), (14.0, 1)]);
        assert!((found.se.expect("it varies") - (20.0_f64 * 9.0 / 16.0).sqrt()).abs() < 1e-12);
        assert_eq!((found.clusters, found.strata), (4, 2));
        assert_eq!(of(&[(1.0, 0), (1.0, 0), (7.0, 1), (7.0, 1)]).se, Err(Undefined::NoVariation));
        assert_eq!(of(&[(1.0, 0), (3.0, 0), (2.0, 5)]), jackknife(&[1.0, 3.0, 2.0]));
        assert_eq!(of(&[(1.0, 0), (3.0, 0), (2.0, 1), (2.0, 1), (5.0, 2), (6.0, 2)]).strata, 3);
    }

    /// logit(0.5) = 0 and z′ = 4; atanh(0.5) = 0.549306 and z′ = 4/3.
    #[test]
    fn intervals_stay_within_their_range() {
        let found = jackknife(&[0.4, 0.5, 0.6]);
        // SE² = 2/3 · 0.02.
        let reach = quantile_975(2.0) * (0.04_f64 / 3.0).sqrt();
        let share = found.interval(Ok(0.5), NumberRange::SHARE).expect("defined");
        assert!((share.low - 1.0 / (1.0 + (4.0 * reach).exp())).abs() < 1e-12 && share.high < 1.0);
        let coefficient = found.interval(Ok(0.5), NumberRange::Correlation).expect("defined");
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
        check(varied, Ok(1.0), NumberRange::Correlation, Undefined::AtLimit);
        check(varied, Ok(-1.0), NumberRange::Correlation, Undefined::AtLimit);
        check(varied, Ok(0.0), NumberRange::Positive, Undefined::AtLimit);
        check(jackknife(&[0.3, 0.1 + 0.2, 0.3]), Ok(0.3), NumberRange::Any, Undefined::NoVariation);
        check(jackknife(&[0.0; 4]), Ok(0.0), NumberRange::Any, Undefined::NoVariation);
        let missing = Jackknife::of([(Ok(0.5), 3), (Err(Undefined::ZeroVariance), 1)]);
        check(missing, Ok(0.5), NumberRange::Correlation, Undefined::UndefinedWithoutACluster);
        // One cluster holds all that varies, also where nobody disagrees.
        let range = NumberRange::Coefficient(CoefficientRange { lowest: -0.5, effective: Some(1.0) });
        check(missing, Ok(1.0), range, Undefined::UndefinedWithoutACluster);
        check(jackknife(&[0.4; 3]), Ok(0.4), range, Undefined::NoVariation);
        // Only an item that is rated once has the other label, which is all that makes a kappa.
        let nowhere = NumberRange::Coefficient(CoefficientRange { lowest: 1.0, effective: Some(3.0) });
        check(jackknife(&[1.0; 3]), Ok(1.0), nowhere, Undefined::NoVariation);
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

    /// Between −0.2 and 1 the value 0.4 is half the way: logit 0, slope 1.2/(0.6 · 0.6); from K = −0.2 − 2 · 0.1 it is 0.8 of
    /// 1.4. With effectively 2 clusters t(0.975, 2) = 4.302653.
    #[test]
    fn a_coefficient_lies_between_what_the_labels_allow_and_1() {
        let found = Jackknife { clusters: 9, strata: 1, se: Ok(0.05), lowest_se: 0.1 };
        let range = |effective| NumberRange::Coefficient(CoefficientRange { lowest: -0.2, effective });
        let interval = found.interval(Ok(0.4), range(Some(2.0))).expect("defined");
        let reach: f64 = 4.302_652_729_749_464 * 0.05;
        let high = -0.2 + 1.2 / (1.0 + (-reach * 1.2 / 0.36).exp());
        let low = -0.4 + 1.4 / (1.0 + (-((0.8_f64 / 0.6).ln() - reach * 1.4 / 0.48)).exp());
        assert!((interval.high - high).abs() < 1e-12 && (interval.low - low).abs() < 1e-12, "{interval:?}");
        assert_eq!(interval.clusters.and_then(ClusterCount::few), Some(2.0));
        // Where all clusters are alike, as many degrees of freedom as clusters less one.
        let alike = found.interval(Ok(0.4), range(None)).expect("defined");
        assert!(alike.low > interval.low && alike.high < interval.high);
        // 0.025^(1/2) = 0.158114: from −0.2 + 1.2 · 0.158114 = −0.010263; up to −0.2 + 1.2 · 2(1 − b)/(2 − b) = 0.896988.
        let all = found.interval(Ok(1.0), range(Some(2.0))).expect("defined");
        assert!(
            (all.low + 0.010_263_340).abs() < 1e-8 && all.high == 1.0 && all.method == Method::Exact,
            "{all:?}"
        );
        let none = found.interval(Ok(-0.2), range(Some(2.0))).expect("defined");
        assert!((none.low + 0.4).abs() < 1e-12 && (none.high - 0.896_987_84).abs() < 1e-7, "{none:?}");
    }
}
