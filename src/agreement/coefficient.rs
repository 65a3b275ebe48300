//! What a coefficient is: a value or the reason why there is none, and how sure it is.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// Why a statistic has no value. The codes are part of the output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// No item has two ratings.
    NoPairableItems,
    /// All ratings that count lie in one category.
    ZeroExpectedDisagreement,
    /// The schema has one category.
    SingleCategorySchema,
    /// Items have different numbers of ratings.
    UnequalRatingsPerItem,
    /// The coefficient is defined for no pair of raters.
    NoDefinedPair,
    /// A rater gave all items the same value.
    ZeroVariance,
    /// Fewer items than the formula needs.
    TooFewItems,
    /// The correlation is 1 or −1.
    PerfectCorrelation,
    /// No item is linked by both sides.
    NoLinkedItems,
    /// Fewer than two clusters to draw again.
    TooFewClusters,
    /// Too many resamples have no value.
    UndefinedResamples,
    /// Nobody chose the category.
    UnusedCategory,
    /// The others are divided on every item.
    NoMajority,
    /// A model would have too many parameters.
    TooManyParameters,
    /// Too many pairs of raters to draw again.
    TooManyPairs,
}

impl Undefined {
    /// Every reason.
    pub const ALL: [Self; 15] = [
        Self::NoPairableItems,
        Self::ZeroExpectedDisagreement,
        Self::SingleCategorySchema,
        Self::UnequalRatingsPerItem,
        Self::NoDefinedPair,
        Self::ZeroVariance,
        Self::TooFewItems,
        Self::PerfectCorrelation,
        Self::NoLinkedItems,
        Self::TooFewClusters,
        Self::UndefinedResamples,
        Self::UnusedCategory,
        Self::NoMajority,
        Self::TooManyParameters,
        Self::TooManyPairs,
    ];

    /// The reason's code, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPairableItems => "no_pairable_items",
            Self::ZeroExpectedDisagreement => "zero_expected_disagreement",
            Self::SingleCategorySchema => "single_category_schema",
            Self::UnequalRatingsPerItem => "unequal_ratings_per_item",
            Self::NoDefinedPair => "no_defined_pair",
            Self::ZeroVariance => "zero_variance",
            Self::TooFewItems => "too_few_items",
            Self::PerfectCorrelation => "perfect_correlation",
            Self::NoLinkedItems => "no_linked_items",
            Self::TooFewClusters => "too_few_clusters",
            Self::UndefinedResamples => "undefined_resamples",
            Self::UnusedCategory => "unused_category",
            Self::NoMajority => "no_majority",
            Self::TooManyParameters => "too_many_parameters",
            Self::TooManyPairs => "too_many_pairs",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoPairableItems => "No item was rated by two annotators, so there is nothing to compare.",
            Self::ZeroExpectedDisagreement => {
                "All ratings that count lie in one category, so chance alone would agree everywhere and the \
                 data say nothing about reliability."
            }
            Self::SingleCategorySchema => "The schema has one category only, so nobody could have disagreed.",
            Self::UnequalRatingsPerItem => {
                "The items have different numbers of ratings; use the generalised Fleiss kappa or \
                 Krippendorff's alpha instead."
            }
            Self::NoDefinedPair => "Cohen's kappa is undefined for every pair of annotators.",
            Self::ZeroVariance => {
                "An annotator gave every item the same value, so nothing can vary together."
            }
            Self::TooFewItems => "There are too few items for this formula.",
            Self::PerfectCorrelation => {
                "The correlation is exactly 1 or −1, where Fisher's transformation has no value."
            }
            Self::NoLinkedItems => "No judgment is linked to a bullet by both sides.",
            Self::TooFewClusters => "There are fewer than two clusters, so there is nothing to draw again.",
            Self::UndefinedResamples => {
                "More than one resample in twenty has no value, so their spread says nothing."
            }
            Self::UnusedCategory => "Nobody chose this category for an item that was rated twice.",
            Self::TooManyParameters => {
                "There are too many annotators and labels for a confusion of each; compare fewer at a time."
            }
            Self::TooManyPairs => {
                "There are too many pairs of annotators to go through again and again; compare fewer annotators at a time."
            }
            Self::NoMajority => "There is no item that has a rating here and a majority among the others.",
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.explanation())
    }
}

/// A finite number, or why there is none.
pub type Measure = Result<f64, Undefined>;

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// From a standard error or a transformation.
    Analytic,
    /// From clusters of items drawn again.
    Bootstrap,
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end, not below the lower.
    pub high: f64,
    /// Where it comes from.
    pub method: Method,
}

impl Interval {
    /// 0.975 quantile of the standard normal distribution.
    pub const NORMAL: f64 = 1.959_963_984_540_054;

    /// An analytic interval.
    #[must_use]
    pub fn analytic(low: f64, high: f64) -> Self {
        Self { low, high, method: Method::Analytic }
    }

    /// value ± 1.96 SE, not clipped.
    #[must_use]
    pub fn normal(value: f64, se: f64) -> Self {
        Self::analytic(value - Self::NORMAL * se, value + Self::NORMAL * se)
    }

    /// value ± t(0.975, df) SE, the upper end at most 1, as in irrCAC.
    #[must_use]
    pub fn student(value: f64, se: f64, degrees_of_freedom: u64) -> Self {
        let reach = super::student::quantile_975(degrees_of_freedom) * se;
        Self::analytic(value - reach, (value + reach).min(1.0))
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairsUsed {
    /// Pairs for which the statistic is defined.
    pub defined: u64,
    /// All pairs of raters.
    pub total: u64,
}

/// One agreement coefficient of one table.
///
/// Serialised flat: `name`, `value` (with `undefined` where it is null), `se`, `se0`, `low`, `high`,
/// `interval` (`analytic` or `bootstrap`), `items`, `ratings`, `pairs`; what does not exist is left out, and an SE or
/// interval whose formula has no value is null with the reason in `se_undefined` or `interval_undefined`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// The name in tables and files, such as `krippendorff_alpha_ordinal`.
    pub name: &'static str,
    /// The value, at most 1.
    pub value: Measure,
    /// Its standard error and interval.
    pub precision: Precision,
    /// Items that enter the value.
    pub items: u64,
    /// Ratings of these items that enter the value.
    pub ratings: u64,
    /// For means over pairs of raters.
    pub pairs: Option<PairsUsed>,
}

impl Serialize for Coefficient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::from(self).serialize(serializer)
    }
}

/// [`Coefficient`] as it is written. The inner option of a doubled one is a null.
#[derive(Serialize)]
struct Record {
    name: &'static str,
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<Undefined>,
    #[serde(skip_serializing_if = "Option::is_none")]
    se: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    se0: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    se_undefined: Option<Undefined>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<Method>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_undefined: Option<Undefined>,
    items: u64,
    ratings: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<PairsUsed>,
}

impl From<&Coefficient> for Record {
    fn from(coefficient: &Coefficient) -> Self {
        let Coefficient { name, value, precision, items, ratings, pairs } = *coefficient;
        let Precision { se, se0, interval } = precision;
        let reason = |measure: Option<Measure>| measure.and_then(Result::err);
        Self {
            name,
            value: value.ok(),
            undefined: value.err(),
            se: se.map(Result::ok),
            se0: se0.map(Result::ok),
            se_undefined: reason(se).or_else(|| reason(se0)),
            low: interval.map(|interval| interval.ok().map(|interval| interval.low)),
            high: interval.map(|interval| interval.ok().map(|interval| interval.high)),
            interval: interval.and_then(Result::ok).map(|interval| interval.method),
            interval_undefined: interval.and_then(Result::err),
            items,
            ratings,
            pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_written_as_their_codes_and_explained_in_one_sentence() {
        for reason in Undefined::ALL {
            assert_eq!(serde_json::to_value(reason).expect("a string"), reason.as_str());
            let text = reason.to_string();
            assert!(text.ends_with('.') && text.matches(". ").count() == 0, "{text}");
        }
    }

    #[test]
    fn a_coefficient_is_written_flat() {
        let mut coefficient = Coefficient {
            name: "gwet_ac1",
            value: Ok(0.5),
            precision: Precision::student(Ok(0.5), Ok(0.0), 3),
            items: 4,
            ratings: 8,
            pairs: None,
        };
        let json = |coefficient: &Coefficient| serde_json::to_string(coefficient).expect("JSON");
        assert_eq!(
            json(&coefficient),
            r#"{"name":"gwet_ac1","value":0.5,"se":0.0,"low":0.5,"high":0.5,"interval":"analytic","items":4,"ratings":8}"#
        );
        coefficient.value = Err(Undefined::NoPairableItems);
        coefficient.precision =
            Precision { interval: Some(Err(Undefined::TooFewItems)), ..Precision::default() };
        assert_eq!(
            json(&coefficient),
            r#"{"name":"gwet_ac1","value":null,"undefined":"no_pairable_items","low":null,"high":null,"interval_undefined":"too_few_items","items":4,"ratings":8}"#
        );
    }
}
