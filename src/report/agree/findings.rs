//! What a comparison comes to: every number once, for all forms of output.

use super::Resampling;
use super::comparison::Comparison;
use super::why;
use crate::agreement::{
    Bootstrap, Coefficient, Counts, Definition, FEW_CLUSTERS, Interval, Measure, Method, Scale, Share,
    Undefined, Wanted,
};

/// A number of the first screen.
pub struct Number {
    pub title: &'static str,
    pub value: Measure,
    pub interval: Option<Result<Interval, Undefined>>,
}

/// A comparison with its numbers.
pub struct Findings<'a> {
    pub comparison: &'a Comparison,
    pub counts: Counts<'a>,
    /// Those that suit the scale, with their intervals.
    pub coefficients: Vec<Coefficient>,
    /// Agreement on labels and links; empty where no question links.
    pub shares: Vec<Share>,
    /// How many clusters were drawn from: those with a rating.
    pub clusters: u64,
    /// Of these, those with an item that was rated twice.
    pub compared_clusters: u64,
    pub bootstrap: Bootstrap,
}

impl<'a> Findings<'a> {
    pub fn of(comparison: &'a Comparison, resampling: Resampling) -> Self {
        let bootstrap = resampling.bootstrap;
        let wanted = if resampling.for_all { Wanted::All } else { Wanted::WithoutFormula };
        let (ratings, clusters) = (&comparison.ratings, &comparison.grouping.clusters);
        let shares = comparison
            .linked
            .as_ref()
            .map(|linked| linked.links.shares(ratings, &linked.asks, clusters, bootstrap));
        Self {
            comparison,
            counts: Counts::of(ratings),
            coefficients: bootstrap.coefficients(ratings, clusters, wanted),
            shares: shares.unwrap_or_default(),
            clusters: clusters.rated(ratings, 1),
            compared_clusters: clusters.rated(ratings, 2),
            bootstrap,
        }
    }

    /// The coefficient of this name, if it applies.
    pub fn find(&self, name: &str) -> Option<&Coefficient> {
        self.coefficients.iter().find(|coefficient| coefficient.name == name)
    }

    /// Krippendorff's alpha on the scale of the labels.
    pub fn alpha(&self) -> Option<&Coefficient> {
        self.find(alpha_on(self.comparison.ratings.scale()))
    }

    /// The kappa that papers print: Cohen's for two annotators, else Fleiss', generalised where the items have
    /// different numbers of ratings.
    pub fn kappa(&self) -> Option<&Coefficient> {
        let of_fleiss = || {
            let equal = self.find("fleiss_kappa");
            let is_unequal = |kappa: &Coefficient| kappa.value == Err(Undefined::UnequalRatingsPerItem);
            equal.filter(|kappa| !is_unequal(kappa)).or_else(|| self.find("fleiss_kappa_generalized"))
        };
        self.find("cohen_kappa").or_else(of_fleiss)
    }

    /// The share of agreement that this kappa corrects for chance.
    pub fn agreement_of_kappa(&self) -> Option<&Coefficient> {
        self.find("percent_agreement_items")
    }

    /// What a reader needs first.
    pub fn first(&self) -> Vec<Number> {
        // The one that the kappa corrects: with missing ratings the mean over pairs is another.
        let first = [self.agreement_of_kappa(), self.alpha(), self.kappa(), self.find("gwet_ac1")];
        // The full titles would leave no room for the intervals.
        let title = |coefficient: &Coefficient| match coefficient.name {
            "percent_agreement_items" => "Percent agreement",
            "fleiss_kappa_generalized" => "Fleiss' kappa, generalised",
            _ => title_of(coefficient),
        };
        let row = |coefficient: &Coefficient| Number {
            title: title(coefficient),
            value: coefficient.value,
            interval: coefficient.precision.interval,
        };
        let links = self.shares.iter().filter(|share| share.name == "link_agreement_exact");
        let links =
            links.map(|share| Number { title: share.title, value: share.value, interval: share.interval });
        first.into_iter().flatten().map(row).chain(links).collect()
    }

    /// Clusters with their word: `15 summaries`.
    pub fn clusters_in_words(&self) -> String {
        self.in_words(self.clusters)
    }

    /// Where an interval comes from: a formula, or what was drawn again.
    pub fn origin(&self, interval: &Interval) -> String {
        match interval.method {
            Method::Analytic => "formula".to_owned(),
            Method::Bootstrap => self.clusters_in_words(),
        }
    }

    /// How many items and judgments are in no number, by reason; those that are none are left out.
    pub fn dropped(&self) -> Vec<(&'static str, usize, String)> {
        let dropped = self.comparison.grouping.dropped;
        let rated_once = self.counts.items_rated() - self.counts.items_pairable();
        let unrated =
            (self.comparison.ratings.items().len() as u64).saturating_sub(self.counts.items_rated());
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let reasons = [
            ("rated_once", number(rated_once), "rated once only", "item"),
            ("unrated", number(unrated), "not rated at all", "item"),
            ("unfinished", dropped.unfinished, "begun and not finished", "judgment"),
            ("stale", dropped.stale, "under another version of the protocol", "judgment"),
            ("not_asked", dropped.not_asked, "where an earlier answer leaves the question out", "judgment"),
            ("unknown_label", dropped.unknown_label, "with an answer that is no label any more", "judgment"),
        ];
        let reasons = reasons.into_iter().filter(|(_, count, ..)| *count > 0);
        reasons
            .map(|(name, count, why, what)| {
                (name, count, format!("{count} {what}{} {why}", if count == 1 { "" } else { "s" }))
            })
            .collect()
    }

    /// Why kappa is what it is, in one sentence; `None` where it has no value and says itself why.
    pub fn why(&self) -> Option<String> {
        why::sentence(self)
    }

    /// What a reader must know beside the numbers.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.comparison.notes.clone();
        let drew = self.coefficients.iter().any(|coefficient| {
            matches!(coefficient.precision.interval, Some(Ok(Interval { method: Method::Bootstrap, .. })))
        });
        if drew && self.compared_clusters < FEW_CLUSTERS {
            notes.push(format!(
                "Warning: only {} with items that were rated twice; under {FEW_CLUSTERS}, intervals by resampling are rough \
                 and tend to be too narrow.",
                self.in_words(self.compared_clusters)
            ));
        }
        notes
    }

    fn in_words(&self, clusters: u64) -> String {
        let (one, several) = self.comparison.grouping.cluster.words();
        format!("{clusters} {}", if clusters == 1 { one } else { several })
    }

    /// How the intervals were made.
    pub fn method(&self) -> String {
        let Bootstrap { resamples, seed } = self.bootstrap;
        let is_formula = |coefficient: &Coefficient| {
            matches!(coefficient.precision.interval, Some(Ok(Interval { method: Method::Analytic, .. })))
        };
        let by_formula = self.coefficients.iter().any(is_formula);
        match (resamples, by_formula) {
            (0, _) => "No resamples; formulas take items as independent.".to_owned(),
            (_, true) => format!("{resamples} resamples, seed {seed}; formulas take items as independent."),
            (_, false) => format!("{resamples} resamples, seed {seed}."),
        }
    }
}

/// The name of alpha on a scale.
pub fn alpha_on(scale: Scale) -> &'static str {
    match scale {
        Scale::Nominal => "krippendorff_alpha_nominal",
        Scale::Ordinal => "krippendorff_alpha_ordinal",
        Scale::Interval => "krippendorff_alpha_interval",
    }
}

/// The name of a coefficient in sentences and tables.
pub fn title_of(coefficient: &Coefficient) -> &'static str {
    Definition::named(coefficient.name).map_or(coefficient.name, |definition| definition.title)
}
