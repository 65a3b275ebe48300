//! Position sensitivity: how much a system's score depends on where the relevant documents stand.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §5.4 and Table 3.

use super::coverage::{Average, SummaryJudged, scores};
use super::measure::{Measure, Undefined};
use super::origin::{By, System, groups};

/// The joint scores of one system by document order, 0–100, and their greatest difference from random order.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionSensitivity {
    /// Retriever and summarizer.
    pub system: String,
    /// Joint score with the relevant documents at the top.
    pub top: Measure,
    /// Joint score with the relevant documents at the bottom.
    pub bottom: Measure,
    /// Joint score with the documents in random order.
    pub random: Measure,
    /// max(|random − top|, |random − bottom|); undefined unless all three are defined.
    pub sensitivity: Measure,
}

/// Position sensitivity of every system that has summaries made in a named order.
pub fn position_sensitivity(summaries: &[SummaryJudged], average: Average) -> Vec<PositionSensitivity> {
    groups(summaries, |summary| &summary.origin, &[By::System])
        .into_iter()
        .filter(|(_, members)| members.iter().any(|summary| order(summary).is_some()))
        .filter_map(|(group, members)| {
            let joint = |name: &str| {
                let of_order = members.iter().copied().filter(|summary| order(summary) == Some(name));
                let of_order: Vec<&SummaryJudged> = of_order.collect();
                if of_order.is_empty() {
                    return Err(Undefined::OrdersMissing);
                }
                scores(&of_order, average).joint
            };
            let (top, bottom, random) = (joint("top"), joint("bottom"), joint("random"));
            Some(PositionSensitivity {
                system: group.into_iter().next()??,
                top,
                bottom,
                random,
                sensitivity: greatest_difference(random, top, bottom),
            })
        })
        .collect()
}

fn order(summary: &SummaryJudged) -> Option<&str> {
    let System { order, .. } = summary.origin.system.as_ref()?;
    order.as_deref()
}

/// max(|random − top|, |random − bottom|); undefined unless all three are defined.
pub fn greatest_difference(random: Measure, top: Measure, bottom: Measure) -> Measure {
    let (random, top, bottom) = (random?, top?, bottom?);
    Ok((random - top).abs().max((random - bottom).abs()))
}
