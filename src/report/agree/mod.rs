//! Agreement between annotators, in a study or in a file of ratings.

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

use super::StudyPart;
use crate::error::Result;
use crate::journal::ConsensusRule;
use crate::store::StudyFile;

pub use best::Best;
pub use comparison::{ComparedPair, Comparison};
use comparison::{Linked, PairsListed, most_of};
pub use findings::{Findings, Number, QuestionAgreement};
use findings::{alpha_on, title_of};
pub use first::screen;
use grouping::{Dropped, Grouping, Partition, partitions};
pub use more::More;
use passages::has_passages;
pub use passages::passage_tables;
pub use ratings::{RatingLabels, comparison};
use study::PeopleCompared;
pub use study::comparisons;
use tables::{DECIMALS, name_subject, notes_of_pairs};
pub use tables::{overview, tables};

/// The options of agreement in a study.
#[derive(Debug, Clone, Default)]
pub struct AgreementAsked {
    pub part: StudyPart,
    /// The question; all questions with choices or tags if `None`.
    pub question: Option<String>,
    /// The rule by which gold is made.
    pub rule: Option<ConsensusRule>,
    /// Whether only the most important numbers are wanted, so that groups are not computed.
    pub is_brief: bool,
}

/// The main numbers of one question of a study.
pub struct AgreementSummary {
    /// Protocol, question and tag.
    pub subject: String,
    /// Items that two or more rated.
    pub items: u64,
    /// Keys of the annotators who are compared.
    pub annotators: Vec<String>,
    pub numbers: Vec<Number>,
    /// How the intervals were made.
    pub method: String,
}

/// The main numbers, question by question.
pub fn summaries(study: &StudyFile, asked: &AgreementAsked) -> Result<Vec<AgreementSummary>> {
    let summary = |comparison: &Comparison| {
        let findings = Findings::of(comparison, asked.part.uncertainty.intervals);
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
