//! The table of scores by system, retriever, domain, … (Laban et al. 2024, Summary of a Haystack, Table 2).

use super::coverage::{Average, Scores, SummaryJudged, scores};
use super::origin::{By, Group, Origin, groups};

/// One row: a group and its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRow {
    /// One label for each [`By`] of the table.
    pub group: Group,
    pub scores: Scores,
}

/// The scores of each group, in the order of the groups' labels; without `by`, one row for everything.
pub fn system_table(summaries: &[SummaryJudged], by: &[By], average: Average) -> Vec<ScoreRow> {
    groups(summaries, |summary| &summary.origin, by)
        .into_iter()
        .map(|(group, members)| ScoreRow { group, scores: scores(&members, average) })
        .collect()
}

/// A summary that an annotator has not finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished<'a> {
    pub origin: &'a Origin,
    /// Keys of the insights that are not judged.
    pub units: Vec<&'a str>,
    /// Number of its insights, judged or not.
    pub of: usize,
}

/// The summaries with insights that are not judged, in the order given.
pub fn unfinished(summaries: &[SummaryJudged]) -> Vec<Unfinished<'_>> {
    summaries
        .iter()
        .map(|summary| Unfinished {
            origin: &summary.origin,
            units: summary.unjudged().collect(),
            of: summary.insights.len(),
        })
        .filter(|unfinished| !unfinished.units.is_empty())
        .collect()
}
