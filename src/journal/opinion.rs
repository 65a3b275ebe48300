//! The judgments of one item, side by side.

use super::{Decision, Event, Happening, Standing, judging};
use crate::study::{AnnotatorId, Item};

/// The judgment of one annotator on an item, and the texts that the annotator looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    pub annotator: AnnotatorId,
    /// The annotator's key.
    pub name: String,
    pub is_model: bool,
    pub standing: Standing,
    /// Numbers of the documents that were opened, ascending.
    pub opened: Vec<u32>,
    /// Whether the annotator looked beyond the highlighted evidence.
    pub beyond_evidence: bool,
}

impl Opinion {
    /// The opinion from one annotator's events on one item and the standing that they fold to.
    pub fn of(
        annotator: AnnotatorId,
        name: String,
        is_model: bool,
        (events, standing): (&[Event], Standing),
    ) -> Opinion {
        let mut opened = Vec::new();
        let mut beyond_evidence = false;
        for event in judging(events) {
            if let Happening::Visit { documents, beyond_evidence: beyond, .. } = &event.happening {
                opened.extend(documents);
                beyond_evidence |= beyond;
            }
        }
        opened.sort_unstable();
        opened.dedup();
        Opinion { annotator, name, is_model, standing, opened, beyond_evidence }
    }
}

/// An item on which opinions differ, with all that its screen needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Contested {
    /// 0-based position among the items that are settled together.
    pub position: usize,
    pub item: Item,
    /// Opinions in the order of the study.
    pub opinions: Vec<Opinion>,
    /// The final decision so far, if there is one.
    pub decision: Option<Decision>,
}
