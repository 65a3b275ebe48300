//! The table of all coefficients. A new one is a formula in its family's file and a row here.

use super::weights::Weights::{Identity, Linear, Ordinal, Quadratic};
use super::{
    ClusterLabels, Coefficient, CoefficientRange, Confusion, Counts, LabelDistance, Measure, NumberRange,
    PairsUsed, Placed, PlacedMeasure, Precision, RatedBy, Ratings, Scale, chance, cohen, correlation, fleiss,
    gwet, icc, krippendorff, percent, scott,
};

/// Coefficients that share a model of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// No correction for chance.
    Percent,
    /// Chance from each rater's own marginals.
    Cohen,
    /// Chance from pooled marginals.
    Fleiss,
    /// Every category equally likely by chance.
    Uniform,
    /// Chance from pooled values, corrected for small samples.
    Krippendorff,
    /// Chance from the difficulty of the items.
    Gwet,
    /// Correlations.
    Correlation,
    /// Shares of the variance.
    Variance,
}

impl Family {
    /// The model of chance in a few words.
    #[must_use]
    pub fn chance(self) -> &'static str {
        match self {
            Family::Percent => "none",
            Family::Cohen => "each one's own labels",
            Family::Fleiss => "everyone's labels together",
            Family::Uniform => "every label equally likely",
            Family::Krippendorff => "everyone's labels together, corrected for small samples",
            Family::Gwet => "how hard items are",
            Family::Correlation => "none: a correlation",
            Family::Variance => "none: a share of the variance",
        }
    }
}

/// The items that enter a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// All items with a rating.
    Rated,
    /// Items with two ratings or more.
    Pairable,
    /// Items that all raters rated.
    Complete,
}

/// How a coefficient is computed, which also says for how many raters it is.
#[derive(Clone, Copy)]
enum Formula {
    Any {
        basis: Basis,
        value: fn(&Counts) -> PlacedMeasure,
        precision: Option<fn(&Counts) -> Precision>,
    },
    OverPairs {
        value: fn(&Counts) -> PlacedMeasure,
        pairs: fn(&Counts) -> PairsUsed,
    },
    Two {
        value: fn(&Confusion, &[f64]) -> PlacedMeasure,
        precision: Option<fn(&Confusion, &[f64]) -> Precision>,
    },
}

/// A row of the table.
#[derive(Clone, Copy)]
pub struct Definition {
    /// The name in tables and files.
    pub name: &'static str,
    /// The name in sentences.
    pub title: &'static str,
    /// The model of chance.
    pub family: Family,
    /// The lowest scale on which the coefficient means something.
    pub scale: Scale,
    bounds: CoefficientBounds,
    formula: Formula,
}

/// The bounds of a coefficient, and the distance of labels by which effective clusters are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CoefficientBounds {
    /// From 0 to 1; all clusters are alike.
    Share,
    /// From −1 to 1; all clusters are alike.
    Ranks,
    /// From the value where nobody agrees at all; all clusters are alike.
    NobodyAgrees,
    /// From the lowest value that the shares of the labels allow.
    Labels(LabelsApart),
}

/// The distance by which labels are apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelsApart {
    Name,
    Steps,
    SquaredSteps,
    MidRank,
    Code,
}

const fn any(basis: Basis, value: fn(&Counts) -> PlacedMeasure) -> Formula {
    Formula::Any { basis, value, precision: None }
}

const fn any_sure(
    basis: Basis,
    value: fn(&Counts) -> PlacedMeasure,
    precision: fn(&Counts) -> Precision,
) -> Formula {
    Formula::Any { basis, value, precision: Some(precision) }
}

const fn over_pairs(value: fn(&Counts) -> PlacedMeasure, pairs: fn(&Counts) -> PairsUsed) -> Formula {
    Formula::OverPairs { value, pairs }
}

const fn two(value: fn(&Confusion, &[f64]) -> PlacedMeasure) -> Formula {
    Formula::Two { value, precision: None }
}

const fn two_sure(
    value: fn(&Confusion, &[f64]) -> PlacedMeasure,
    precision: fn(&Confusion, &[f64]) -> Precision,
) -> Formula {
    Formula::Two { value, precision: Some(precision) }
}

const fn row(
    name: &'static str,
    title: &'static str,
    family: Family,
    scale: Scale,
    bounds: CoefficientBounds,
    formula: Formula,
) -> Definition {
    Definition { name, title, family, scale, bounds, formula }
}

/// A number beside its lowest value, which is the same for all labels.
fn from(lowest: f64, value: Measure) -> PlacedMeasure {
    value.map(|value| Placed { value, lowest })
}

/// A coefficient whose chance is the same for all labels, beside its value where nobody agrees.
fn uniform(counts: &Counts, value: Measure) -> PlacedMeasure {
    chance::placed(value, counts.histogram.categories())
}

/// All coefficients, in the order in which they are printed.
#[rustfmt::skip]
pub static COEFFICIENTS: [Definition; 26] = {
    use LabelsApart::{Code, MidRank, Name, SquaredSteps, Steps};
    use Basis::{Complete, Pairable, Rated};
    use CoefficientBounds::{Labels, NobodyAgrees, Ranks, Share};
    use Family::{Cohen, Correlation, Fleiss, Gwet, Krippendorff, Percent, Uniform, Variance};
    use Scale::{Interval, Nominal, Ordinal as Ordered};
    [
        row("percent_agreement", "Percent agreement, mean over pairs of annotators", Percent, Nominal, Share,
            over_pairs(|counts| from(0.0, percent::mean_over_pairs(counts)), |counts| counts.pair_means().with_common_items())),
        row("percent_agreement_items", "Percent agreement, mean over items", Percent, Nominal, Share,
            any_sure(Pairable, |counts| from(0.0, percent::mean_over_items(counts)), percent::items_precision)),
        row("percent_agreement_pooled", "Percent agreement, pooled", Percent, Nominal, Share,
            any(Pairable, |counts| from(0.0, percent::pooled(counts)))),
        row("cohen_kappa", "Cohen's kappa", Cohen, Nominal, Labels(Name),
            two_sure(|table, _| cohen::placed(table, Identity), |table, _| cohen::precision(table, Identity))),
        row("cohen_kappa_linear", "Cohen's kappa, linear weights", Cohen, Ordered, Labels(Steps),
            two_sure(|table, _| cohen::placed(table, Linear), |table, _| cohen::precision(table, Linear))),
        row("cohen_kappa_quadratic", "Cohen's kappa, quadratic weights", Cohen, Ordered, Labels(SquaredSteps),
            two_sure(|table, _| cohen::placed(table, Quadratic), |table, _| cohen::precision(table, Quadratic))),
        row("light_kappa", "Light's kappa", Cohen, Nominal, Labels(Name),
            over_pairs(|counts| counts.pair_means().light_kappa(), |counts| counts.pair_means().kappas())),
        row("light_kappa_quadratic", "Light's kappa, quadratic weights", Cohen, Ordered, Labels(SquaredSteps),
            over_pairs(|counts| counts.pair_means().light_kappa_quadratic(), |counts| counts.pair_means().quadratic_kappas())),
        row("scott_pi", "Scott's pi", Fleiss, Nominal, Labels(Name),
            two_sure(|table, _| scott::placed(table), |table, _| scott::precision(table))),
        row("fleiss_kappa", "Fleiss' kappa", Fleiss, Nominal, Labels(Name),
            any_sure(Rated, fleiss::placed, fleiss::precision)),
        row("fleiss_kappa_generalized", "Fleiss' kappa, any numbers of ratings", Fleiss, Nominal, Labels(Name),
            any_sure(Rated, fleiss::placed_generalized, fleiss::generalized_precision)),
        row("krippendorff_alpha_nominal", "Krippendorff's alpha, nominal", Krippendorff, Nominal, Labels(Name),
            any_sure(Pairable, krippendorff::placed_nominal, krippendorff::nominal_precision)),
        row("krippendorff_alpha_ordinal", "Krippendorff's alpha, ordinal", Krippendorff, Ordered, Labels(MidRank),
            any(Pairable, krippendorff::placed_ordinal)),
        row("krippendorff_alpha_interval", "Krippendorff's alpha, interval", Krippendorff, Interval, Labels(Code),
            any_sure(Pairable, krippendorff::placed_interval, krippendorff::interval_precision)),
        row("gwet_ac1", "Gwet's AC1", Gwet, Nominal, NobodyAgrees,
            any_sure(Rated, |counts| gwet::placed(counts, Identity), |counts| gwet::precision(counts, Identity))),
        row("gwet_ac2_linear", "Gwet's AC2, linear weights", Gwet, Ordered, NobodyAgrees,
            any_sure(Rated, |counts| gwet::placed(counts, Linear), |counts| gwet::precision(counts, Linear))),
        row("gwet_ac2_quadratic", "Gwet's AC2, quadratic weights", Gwet, Ordered, NobodyAgrees,
            any_sure(Rated, |counts| gwet::placed(counts, Quadratic), |counts| gwet::precision(counts, Quadratic))),
        row("gwet_ac2_ordinal", "Gwet's AC2, ordinal weights", Gwet, Ordered, NobodyAgrees,
            any_sure(Rated, |counts| gwet::placed(counts, Ordinal), |counts| gwet::precision(counts, Ordinal))),
        row("randolph_kappa", "Randolph's free-marginal kappa", Uniform, Nominal, NobodyAgrees,
            any(Pairable, |counts| uniform(counts, chance::randolph(counts)))),
        row("brennan_prediger", "Brennan and Prediger's coefficient", Uniform, Nominal, NobodyAgrees,
            any_sure(Pairable, |counts| uniform(counts, chance::brennan_prediger(counts)), chance::brennan_prediger_precision)),
        row("pabak", "Prevalence- and bias-adjusted kappa", Uniform, Nominal, NobodyAgrees,
            two(|table, _| chance::placed(chance::pabak(table), table.categories()))),
        row("pearson_r", "Pearson's r", Correlation, Interval, Labels(Code),
            two_sure(correlation::placed, correlation::pearson_precision)),
        row("spearman_rho", "Spearman's rho", Correlation, Ordered, Ranks,
            two(|table, _| from(-1.0, correlation::spearman(table)))),
        row("kendall_tau_b", "Kendall's tau-b", Correlation, Ordered, Ranks,
            two(|table, _| from(-1.0, correlation::kendall(table)))),
        row("icc2_1", "ICC(2,1), one annotator", Variance, Interval, Ranks,
            any_sure(Complete, |counts| icc::placed(counts, RatedBy::One), |counts| icc::precision(counts, RatedBy::One))),
        row("icc2_k", "ICC(2,k), the mean of all", Variance, Interval, Ranks,
            any_sure(Complete, |counts| icc::placed(counts, RatedBy::All), |counts| icc::precision(counts, RatedBy::All))),
    ]
};

impl Definition {
    /// The row of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        COEFFICIENTS.iter().find(|definition| definition.name == name)
    }

    /// Whether the coefficient is for two raters only.
    #[must_use]
    pub fn two_raters_only(&self) -> bool {
        matches!(self.formula, Formula::Two { .. })
    }

    /// The range of the coefficient's values. `labels` are the labels that each cluster holds, `codes` the codes of the
    /// categories.
    #[must_use]
    pub fn range(&self, found: PlacedMeasure, labels: &ClusterLabels, codes: &[f64]) -> NumberRange {
        let effective = match self.bounds {
            CoefficientBounds::Share => return NumberRange::SHARE,
            CoefficientBounds::Ranks => return NumberRange::Correlation,
            CoefficientBounds::NobodyAgrees => None,
            CoefficientBounds::Labels(apart) => {
                let totals = labels.totals(codes.len());
                let distance = match apart {
                    LabelsApart::Name => LabelDistance::Nominal,
                    LabelsApart::Steps => LabelDistance::Steps,
                    LabelsApart::SquaredSteps => LabelDistance::squared_steps(codes.len()),
                    LabelsApart::MidRank => LabelDistance::of_ranks(&totals),
                    LabelsApart::Code => LabelDistance::Squared(codes.to_vec()),
                };
                Some(labels.effective(&distance, &totals))
            }
        };
        let lowest = found.map_or(-1.0, |placed| placed.lowest.max(-1.0));
        NumberRange::Coefficient(CoefficientRange { lowest, effective })
    }

    /// Whether the coefficient is a mean over the pairs of raters.
    pub(super) fn is_over_pairs(&self) -> bool {
        matches!(self.formula, Formula::OverPairs { .. })
    }

    /// Whether the coefficient uses the order or the codes of the categories.
    #[must_use]
    pub fn needs_order(&self) -> bool {
        self.scale > Scale::Nominal
    }

    /// The value alone, which is all that a bootstrap needs; `None` when it does not apply to this number of
    /// raters.
    #[must_use]
    pub fn value(&self, counts: &Counts) -> Option<Measure> {
        self.placed(counts).map(|found| found.map(|placed| placed.value))
    }

    /// The value beside the lowest that it could be; `None` when it does not apply to this number of raters.
    #[must_use]
    pub fn placed(&self, counts: &Counts) -> Option<PlacedMeasure> {
        match self.formula {
            Formula::Any { value, .. } | Formula::OverPairs { value, .. } => Some(value(counts)),
            Formula::Two { value, .. } => Some(value(counts.confusion()?, &counts.codes)),
        }
    }

    /// The value with all that goes with it; `None` when it does not apply to this number of raters.
    #[must_use]
    pub fn coefficient(&self, counts: &Counts) -> Option<Coefficient> {
        let (rated, pairable) =
            ((counts.items_rated(), counts.ratings()), (counts.items_pairable(), counts.ratings_pairable()));
        let (precision, (items, ratings), pairs) = match self.formula {
            Formula::Any { basis, precision, .. } => {
                let basis = match basis {
                    Basis::Rated => rated,
                    Basis::Pairable => pairable,
                    Basis::Complete => {
                        let items = icc::complete(counts);
                        (items, items * icc::raters(counts).len() as u64)
                    }
                };
                (precision.map(|precision| precision(counts)), basis, None)
            }
            Formula::OverPairs { pairs, .. } => (None, pairable, Some(pairs(counts))),
            Formula::Two { precision, .. } => {
                let table = counts.confusion()?;
                let precision = precision.map(|precision| precision(table, &counts.codes));
                (precision, (table.items(), 2 * table.items()), None)
            }
        };
        let (value, precision) = (self.value(counts)?, precision.unwrap_or_default());
        Some(Coefficient { name: self.name, value, precision, interval: None, items, ratings, pairs })
    }
}

/// Every coefficient that applies to the table's number of raters, whatever its scale; undefined ones
/// with their reason.
#[must_use]
pub fn all(ratings: &Ratings) -> Vec<Coefficient> {
    let counts = Counts::of(ratings);
    COEFFICIENTS.iter().filter_map(|definition| definition.coefficient(&counts)).collect()
}

/// The coefficients of [`all`] that mean something on the table's scale.
#[must_use]
pub fn on_scale(ratings: &Ratings) -> Vec<Coefficient> {
    let counts = Counts::of(ratings);
    let suited = COEFFICIENTS.iter().filter(|definition| definition.scale <= ratings.scale());
    suited.filter_map(|definition| definition.coefficient(&counts)).collect()
}
