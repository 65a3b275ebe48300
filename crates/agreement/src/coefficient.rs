//! A coefficient: a value or the reason why there is none, and how sure it is.

use super::{Measure, Undefined, real};

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// From the number without each of its clusters.
    Jackknife,
    /// The exact bound over clusters, of a share that is 0 or 1.
    Exact,
    /// From clusters drawn again.
    Bootstrap,
    /// From the published standard error or transformation, which takes items as independent.
    Formula,
}

impl Method {
    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jackknife => "jackknife",
            Self::Exact => "exact",
            Self::Bootstrap => "bootstrap",
            Self::Formula => "formula",
        }
    }
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end, not below the lower.
    pub high: f64,
    /// The standard error that the interval is made from, where there is one.
    pub se: Option<f64>,
    /// The way in which the interval was made.
    pub method: Method,
    /// The clusters that the interval rests on; `None` by formula, which takes items as independent.
    pub clusters: Option<ClusterCount>,
}

impl Interval {
    /// The interval as one that rests on so many clusters; undefined under three, as every interval.
    pub(super) fn over(self, number: u64) -> Result<Interval, Undefined> {
        match number {
            0..3 => Err(Undefined::TooFewClusters),
            _ => Ok(Interval { clusters: Some(ClusterCount { number, effective: None }), ..self }),
        }
    }
}

/// The clusters that an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterCount {
    /// C, the clusters that carry something for the number.
    pub number: u64,
    /// m, from 1 to C: in how many equal clusters the labels vary. `None` for numbers to which all clusters are alike.
    pub effective: Option<f64>,
}

/// The fewest effective clusters that are not few: below, an interval is wide because of them.
const FEW_EFFECTIVE: f64 = 5.0;

impl ClusterCount {
    /// m, which is C where all clusters are alike.
    #[must_use]
    pub fn in_effect(self) -> f64 {
        self.effective.unwrap_or(real(self.number))
    }

    /// m where it is below 5, else `None`.
    #[must_use]
    pub fn few(self) -> Option<f64> {
        self.effective.filter(|effective| *effective < FEW_EFFECTIVE)
    }
}

impl Interval {
    /// 0.975 quantile of the standard normal distribution.
    pub const NORMAL: f64 = 1.959_963_984_540_054;

    /// An interval by formula.
    #[must_use]
    pub fn formula(low: f64, high: f64) -> Self {
        Self { low, high, se: None, method: Method::Formula, clusters: None }
    }

    /// value ± 1.96 SE, not clipped.
    #[must_use]
    pub fn normal(value: f64, se: f64) -> Self {
        Self { se: Some(se), ..Self::formula(value - Self::NORMAL * se, value + Self::NORMAL * se) }
    }

    /// The interval with its ends between two numbers.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high), ..self }
    }

    /// value ± t(0.975, df) SE, the upper end at most 1, as in irrCAC.
    #[must_use]
    pub fn student(value: f64, se: f64, degrees_of_freedom: u64) -> Self {
        let reach = super::student::quantile_975(real(degrees_of_freedom)) * se;
        Self { se: Some(se), ..Self::formula(value - reach, (value + reach).min(1.0)) }
    }
}

/// How sure a value is, as far as formulas say: `None` where there is no formula, an error where the
/// formula has no value on these data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Precision {
    /// Standard error.
    pub se: Option<Measure>,
    /// Standard error if the true coefficient were 0, for tests against chance.
    pub se0: Option<Measure>,
    /// 95 % interval.
    pub interval: Option<Result<Interval, Undefined>>,
}

impl Precision {
    /// A standard error and the interval value ± t(0.975, df) SE.
    pub(super) fn student(value: Measure, se: Measure, degrees_of_freedom: u64) -> Self {
        let interval = || Ok(Interval::student(value?, se?, degrees_of_freedom));
        Self { se: Some(se), se0: None, interval: Some(se.and_then(|_| interval())) }
    }
}

/// How many pairs of raters a mean over pairs is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairsUsed {
    /// Pairs for which the statistic is defined.
    pub defined: u64,
    /// All pairs of raters.
    pub total: u64,
    /// The fewest items that two raters have in common, of those who have any.
    pub least_items: u64,
}

/// One agreement coefficient of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// The name in tables and files, such as `krippendorff_alpha_ordinal`.
    pub name: &'static str,
    /// The value, at most 1.
    pub value: Measure,
    /// The precision by the published formulas.
    pub precision: Precision,
    /// The 95 % interval by the way that was asked for; `None` where none was.
    pub interval: Option<Result<Interval, Undefined>>,
    /// Items that enter the value.
    pub items: u64,
    /// Ratings of these items that enter the value.
    pub ratings: u64,
    /// For means over pairs of raters.
    pub pairs: Option<PairsUsed>,
}
