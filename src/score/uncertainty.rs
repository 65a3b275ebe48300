//! Uncertainty: how intervals are computed, over which clusters, and the notes that say so.

use super::Score;
use crate::agreement::{Bootstrap, Estimate, Intervals, NumberRange};

/// The kind of cluster that is left out or resampled as a whole for an interval, because its judgments are not independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterKind {
    /// Each item by itself.
    #[default]
    Item,
    Summary,
    Query,
    Collection,
    /// A session in which a person wrote against the clock.
    Session,
    /// A group from the column `cluster` of a file of ratings.
    Cluster,
}

impl ClusterKind {
    /// The word for one and for several.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Item => ("item", "items"),
            Self::Summary => ("summary", "summaries"),
            Self::Query => ("query", "queries"),
            Self::Collection => ("collection", "collections"),
            Self::Session => ("session", "sessions"),
            Self::Cluster => ("cluster", "clusters"),
        }
    }

    /// A number with its word: `15 summaries`.
    pub fn counted(self, number: u64) -> String {
        let (one, several) = self.words();
        format!("{number} {}", if number == 1 { one } else { several })
    }
}

/// How intervals are computed, and over which clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uncertainty {
    /// The kind of cluster; if `None`, the kind that suits the number.
    pub cluster: Option<ClusterKind>,
    pub intervals: Intervals,
    /// Whether to ignore the probabilities of the sample that a filter names.
    pub is_unweighted: bool,
}

impl Uncertainty {
    /// The kind of cluster that was asked for, else the one that suits the number.
    pub fn cluster_or(self, suiting: ClusterKind) -> ClusterKind {
        self.cluster.unwrap_or(suiting)
    }

    /// A score on 0–100 with its interval.
    pub fn percent(self, score: &Score) -> Estimate {
        score.estimate(NumberRange::PERCENT, self.intervals)
    }

    /// A score that is not below 0, such as words or a mean number, with its interval.
    pub fn positive(self, score: &Score) -> Estimate {
        score.estimate(NumberRange::Positive, self.intervals)
    }

    /// A note on intervals of numbers about people, saying that people are taken as fixed: other people would differ, which the
    /// intervals do not cover.
    pub fn note_on_people(self, suiting: ClusterKind) -> String {
        let none = matches!(
            self.intervals,
            Intervals::Formula | Intervals::Bootstrap(Bootstrap { resamples: 0, .. })
        );
        let fixed = if none { "" } else { " People are taken as fixed." };
        self.note(suiting) + fixed
    }

    /// A note on how intervals are computed.
    pub fn note(self, suiting: ClusterKind) -> String {
        let (one, several) = self.cluster_or(suiting).words();
        match self.intervals {
            Intervals::Jackknife => {
                format!("95 % intervals over {several}; each {one} is left out in turn (jackknife).")
            }
            Intervals::Bootstrap(Bootstrap { resamples: 0, .. }) => {
                "No resamples, so no intervals.".to_owned()
            }
            Intervals::Bootstrap(Bootstrap { resamples, seed }) => format!(
                "95 % intervals; {several} are drawn again {resamples} times, seed {seed} (bootstrap)."
            ),
            Intervals::Formula => "95 % intervals by formula, which takes items as independent.".to_owned(),
        }
    }
}
