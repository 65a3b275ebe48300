//! Position sensitivity: how much a system's score depends on where the relevant documents stand.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §5.4 and Table 3.

use std::collections::BTreeMap;

use super::{Average, GroupBy, Measure, Score, SummaryJudged, Uncertainty, Undefined, scores_by};
use crate::agreement::Estimate;

/// The joint scores of one system by document order, 0–100, and the greatest difference from random order.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionSensitivity {
    /// Retriever and summarizer.
    pub system: String,
    /// Joint score with the relevant documents at the top.
    pub top: Estimate,
    /// Joint score with the relevant documents at the bottom.
    pub bottom: Estimate,
    /// Joint score with the documents in random order.
    pub random: Estimate,
    /// max(|random − top|, |random − bottom|); undefined unless all three are defined.
    pub sensitivity: Measure,
}

/// The position sensitivity of every system with summaries in a named order.
pub fn position_sensitivity(
    summaries: &[SummaryJudged],
    average: Average,
    uncertainty: Uncertainty,
) -> Vec<PositionSensitivity> {
    let has_order =
        |summary: &SummaryJudged| summary.origin.system.as_ref().is_some_and(|system| system.order.is_some());
    if !summaries.iter().any(has_order) {
        return Vec::new();
    }
    let by = GroupBy::own(&["system", "order"], uncertainty);
    let found = scores_by(summaries, by, average).rows;
    let mut systems: BTreeMap<&str, BTreeMap<&str, &Score>> = BTreeMap::new();
    for (group, scores) in &found {
        let [_, _, joint, ..] = &scores.parts;
        if let [Some(system), Some(order)] = group.as_slice() {
            systems.entry(system).or_default().insert(order, joint);
        }
    }
    let of_system = |(system, joint): (&str, BTreeMap<&str, &Score>)| {
        let missing = Score::new(Undefined::OrdersMissing);
        let of_order = |order: &str| uncertainty.percent(joint.get(order).copied().unwrap_or(&missing));
        let (top, bottom, random) = (of_order("top"), of_order("bottom"), of_order("random"));
        let sensitivity = greatest_difference(random.value, top.value, bottom.value);
        PositionSensitivity { system: system.to_owned(), top, bottom, random, sensitivity }
    };
    systems.into_iter().map(of_system).collect()
}

/// max(|random − top|, |random − bottom|); undefined unless all three are defined.
pub fn greatest_difference(random: Measure, top: Measure, bottom: Measure) -> Measure {
    let (random, top, bottom) = (random?, top?, bottom?);
    Ok((random - top).abs().max((random - bottom).abs()))
}
