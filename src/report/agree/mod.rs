//! How far annotators agree, in a study or in ratings from elsewhere.

mod best;
mod comparison;
mod findings;
mod first;
mod grouping;
mod more;
mod parts;
mod passages;
mod ratings;
pub mod study;
mod tables;
mod why;

use crate::error::Result;
use crate::journal::ConsensusRule;
use crate::report::frame::FrameAsked;
use crate::score::Uncertainty;
use crate::store::StudyFile;

pub use best::Best;
pub use comparison::{ComparedPair, Comparison};
pub use findings::{Findings, Number};
pub use first::screen;
pub use more::More;
pub use passages::passage_tables;
pub use ratings::{RatingLabels, comparison};
pub use study::comparisons;
pub use tables::{overview, tables};

/// What is asked about the agreement in a study.
#[derive(Debug, Clone, Default)]
pub struct AgreementAsked {
    /// The protocol; all where none is named.
    pub protocol: Option<String>,
    /// The question; every one with choices or tags where none is named.
    pub question: Option<String>,
    pub all_versions: bool,
    /// Who is compared; all people where nobody is named.
    pub annotators: Vec<String>,
    /// Which items, in the language of browse; all without one.
    pub filter: Option<String>,
    /// What agreement is also told by, group by group.
    pub by: Vec<String>,
    /// How gold is made.
    pub rule: Option<ConsensusRule>,
    /// How intervals are made; over what suits the items where no cluster is named.
    pub uncertainty: Uncertainty,
    /// Whether a reader wants the most important only; the parts behind it are then not needed.
    pub is_brief: bool,
}

impl AgreementAsked {
    /// What is taken in of the study: with every snapshot, each of which was judged by itself.
    fn frame(&self) -> FrameAsked<'_> {
        FrameAsked {
            all_versions: self.all_versions,
            filter: self.filter.as_deref(),
            by: &self.by,
            has_snapshots: true,
            is_unweighted: self.uncertainty.is_unweighted,
        }
    }
}

/// What a reader of one question of a study needs first.
pub struct AgreementSummary {
    /// Protocol, question and tag.
    pub subject: String,
    /// Items that two or more rated.
    pub items: u64,
    /// Keys of those who are compared.
    pub annotators: Vec<String>,
    pub numbers: Vec<Number>,
    /// How the intervals were made.
    pub method: String,
}

/// The numbers that are printed first, question by question.
///
/// # Errors
/// Nobody can be compared, or the study cannot be read.
pub fn summaries(study: &StudyFile, asked: &AgreementAsked) -> Result<Vec<AgreementSummary>> {
    let summary = |comparison: &Comparison| {
        let findings = Findings::of(comparison, asked.uncertainty.intervals);
        AgreementSummary {
            subject: comparison.subject(),
            items: findings.counts.items_pairable(),
            annotators: comparison.annotators().into_iter().map(str::to_owned).collect(),
            numbers: findings.first(),
            method: findings.method(),
        }
    };
    Ok(comparisons(study, asked)?.iter().map(summary).collect())
}
