//! The numbers of a comparison, each computed once for all forms of output.

use super::{Comparison, Grouping, why};
use crate::agreement::{
    Coefficient, Counts, Definition, Estimate, FEW_CLUSTERS, Intervals, Scale, Share, Undefined,
};
use crate::number::{counted, number_of};
use crate::report::{few_effective_clusters, within_these_queries};
use crate::score::{ClusterKind, Uncertainty};
use crate::text::words::capitalised;

/// A number of the first screen.
pub struct Number {
    pub title: &'static str,
    pub estimate: Estimate,
}

/// The main numbers of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionAgreement {
    /// Protocol, question and tag.
    pub name: String,
    /// Items that two or more rated.
    pub items: u64,
    pub annotators: usize,
    /// The share of equal ratings.
    pub equal: Option<Estimate>,
    /// Krippendorff's alpha.
    pub alpha: Option<Estimate>,
    pub kappa: Option<Estimate>,
}

/// A comparison with its numbers.
pub struct Findings<'a> {
    pub comparison: &'a Comparison,
    pub counts: Counts<'a>,
    /// The coefficients that suit the scale, with their intervals.
    pub coefficients: Vec<Coefficient>,
    /// Agreement on labels and links; empty where no question links.
    pub shares: Vec<Share>,
    /// The number of clusters with an item that was rated twice.
    pub clusters: u64,
    pub intervals: Intervals,
}

impl<'a> Findings<'a> {
    pub fn of(comparison: &'a Comparison, intervals: Intervals) -> Self {
        let (ratings, clusters) = (&comparison.ratings, &comparison.grouping.clusters);
        let shares = comparison
            .linked
            .as_ref()
            .map(|linked| linked.links.shares(ratings, &linked.asks, clusters, intervals));
        Self {
            comparison,
            counts: Counts::of(ratings),
            coefficients: intervals.coefficients(ratings, clusters),
            shares: shares.unwrap_or_default(),
            clusters: clusters.rated(ratings, 2),
            intervals,
        }
    }

    /// The main numbers.
    pub fn main(&self) -> QuestionAgreement {
        let estimate = |coefficient| self.estimate(coefficient);
        QuestionAgreement {
            name: self.comparison.subject(),
            items: self.counts.items_pairable(),
            annotators: self.comparison.annotators().len(),
            equal: self.agreement_of_kappa().map(estimate),
            alpha: self.alpha().map(estimate),
            kappa: self.kappa().map(estimate),
        }
    }

    /// The coefficient with this name, if it applies.
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

    /// The observed agreement that [`Findings::kappa`] corrects for chance.
    pub fn agreement_of_kappa(&self) -> Option<&Coefficient> {
        self.find("percent_agreement_items")
    }

    /// The numbers of the first screen.
    pub fn first(&self) -> Vec<Number> {
        // The agreement that the kappa corrects; with missing ratings the mean over pairs differs from it.
        let (agreement, alpha) = (self.agreement_of_kappa(), self.alpha());
        let quadratic = || self.find("cohen_kappa_quadratic").or_else(|| self.find("light_kappa_quadratic"));
        let first = match self.comparison.ratings.scale() {
            Scale::Interval => vec![agreement, alpha, self.find("icc2_1"), self.find("icc2_k"), quadratic()],
            Scale::Nominal | Scale::Ordinal => vec![agreement, alpha, self.kappa(), self.find("gwet_ac1")],
        };
        // The full titles would leave no room for the intervals.
        let title = |coefficient: &Coefficient| match coefficient.name {
            "percent_agreement_items" => "Percent agreement",
            "fleiss_kappa_generalized" => "Fleiss' kappa, generalised",
            _ => title_of(coefficient),
        };
        let row = |coefficient: &Coefficient| Number {
            title: title(coefficient),
            estimate: self.estimate(coefficient),
        };
        let links = self.shares.iter().filter(|share| share.name == "link_agreement_exact");
        let links = links.map(|share| Number { title: share.title, estimate: share.estimate });
        first.into_iter().flatten().map(row).chain(links).collect()
    }

    /// A coefficient with its interval.
    pub fn estimate(&self, coefficient: &Coefficient) -> Estimate {
        Estimate { value: coefficient.value, interval: coefficient.interval, clusters: self.clusters }
    }

    /// The clusters with their word: `15 summaries`.
    pub fn clusters_in_words(&self) -> String {
        self.comparison.grouping.cluster.counted(self.clusters)
    }

    /// Items and judgments that are left out, by reason: a code, a count and a phrase.
    pub fn dropped(&self) -> Vec<(&'static str, usize, String)> {
        let dropped = self.comparison.grouping.dropped;
        let rated_once = self.counts.items_rated() - self.counts.items_pairable();
        let unrated =
            (self.comparison.ratings.items().len() as u64).saturating_sub(self.counts.items_rated());
        let number = |count: u64| counted(count);
        let reasons = [
            ("rated_once", number(rated_once), "rated once only", "item"),
            ("unrated", number(unrated), "not rated at all", "item"),
            ("unfinished", dropped.unfinished, "begun and not finished", "judgment"),
            ("cannot_judge", dropped.set_aside, "saying that it cannot be judged", "judgment"),
            ("stale", dropped.stale, "under another version of the protocol", "judgment"),
            ("outdated", dropped.outdated, "on texts that were revised since", "judgment"),
            ("not_asked", dropped.not_asked, "where an earlier answer leaves the question out", "judgment"),
            ("unknown_label", dropped.unknown_label, "with an answer that is no label any more", "judgment"),
        ];
        let reasons = reasons.into_iter().filter(|(_, count, ..)| *count > 0);
        reasons
            .map(|(name, count, why, what)| (name, count, format!("{} {why}", number_of(count, what))))
            .collect()
    }

    /// A sentence that explains the kappa; `None` where it has no value.
    pub fn why(&self) -> Option<String> {
        why::sentence(self)
    }

    /// Remarks on limits of the intervals, each with its code.
    pub fn remarks(&self) -> Vec<(&'static str, String)> {
        let Grouping { cluster, within, .. } = self.comparison.grouping;
        let mut remarks = Vec::new();
        if let Some(queries) = within {
            let holds = within_these_queries(queries, cluster);
            remarks.push(("within_these_queries", format!("Agreement {holds}.")));
        }
        let first = self.first().into_iter().map(|number| number.estimate);
        let few = few_effective_clusters(first, cluster);
        remarks.extend(few.map(|few| ("few_effective_clusters", format!("{}.", capitalised(&few)))));
        remarks
    }

    /// Notes to read beside the numbers.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.comparison.notes.clone();
        notes.extend(self.remarks().into_iter().map(|(_, remark)| remark));
        if self.counts.items_rated() > self.counts.items_pairable() {
            notes.push(
                "Items rated once only are not compared, but enter the chance agreement of generalised Fleiss' kappa and \
                 Gwet's AC1."
                    .to_owned(),
            );
        }
        if matches!(self.intervals, Intervals::Bootstrap(_)) && self.clusters < FEW_CLUSTERS {
            let with_items = match self.comparison.grouping.cluster {
                ClusterKind::Item => "",
                _ => " with items",
            };
            notes.push(format!(
                "Warning: only {}{with_items} that were rated twice; under {FEW_CLUSTERS}, intervals by resampling are \
                 rough and tend to be too narrow.",
                self.clusters_in_words()
            ));
        }
        notes
    }

    /// How the intervals were made.
    pub fn method(&self) -> String {
        let cluster = self.comparison.grouping.cluster;
        let how = Uncertainty { cluster: Some(cluster), intervals: self.intervals, ..Uncertainty::default() };
        how.note_on_people(cluster)
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
