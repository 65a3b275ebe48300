//! Checks of the scores in a protocol's file: errors, and hints about what is easily misread.

use super::{NameMeant, RowsOf};
use crate::browse::{Field, Node, Tables, Test, WhoCounts, parse};
use crate::error::Result;
use crate::journal::Material;
use crate::protocol::{Protocol, RatioRule, ScoreMade, ScoreNumber};
use crate::score::By;
use crate::study::Corpus;

/// Looks up the names in the scores of a protocol among the known protocols and in the records of a study. Without a study, names
/// that only a study can settle are let through. Gives hints about scores that are valid and easily misread.
///
/// # Errors
/// A score names something that does not exist; the error has its line.
pub fn check_scores(protocol: &Protocol, others: &[Protocol], records: Corpus) -> Result<Vec<String>> {
    let known = others.iter().filter(|other| other.name != protocol.name).chain([protocol]);
    let judged = known.map(|protocol| Material::new(protocol.clone(), Vec::new())).collect();
    let tables = Tables::new(records, judged, WhoCounts::People);
    let rules = &protocol.scores.rules;
    for (at, rule) in rules.iter().enumerate() {
        if By::own(&rule.name).is_some() || Field::is_of_words(&rule.name) {
            let taken = rule.wrong("a field by which scores are grouped has its name; give it another");
            return Err(taken.at_line(rule.line));
        }
        // Each score is checked with the scores above it, so that the first wrong one is named with its line.
        tables.score_rules(&protocol.name, &rules[..=at]).map_err(|error| error.at_line(rule.line))?;
    }
    Ok(rules.iter().flat_map(|rule| hints(&tables, protocol, &rule.name, &rule.made)).collect())
}

fn hints(tables: &Tables, protocol: &Protocol, name: &str, made: &ScoreMade) -> Vec<String> {
    let ScoreMade::Ratio(RatioRule { value, among, protocol: other, .. }) = made else { return Vec::new() };
    let mut hints = Vec::new();
    let place =
        tables.judged.iter().position(|table| table.protocol.name == protocol.name).unwrap_or_default();
    let is_join =
        |test: &&Test| matches!(tables.named(RowsOf::Protocol(place), &test.field), Ok(NameMeant::Joined(_)));
    let read = |filter: &str| parse(filter).ok().and_then(|filter| filter.root);
    let nodes = among.as_deref().and_then(read);
    if let Some(test) = nodes
        .iter()
        .flat_map(|node| tests(node, false))
        .filter(|(_, is_not)| *is_not)
        .map(|(test, _)| test)
        .find(is_join)
    {
        hints.push(format!(
            "score {name:?}: -{test} holds too where nobody judged it; {}!={} asks for another answer",
            test.field, test.value
        ));
    }
    let is_asked = |test: &Test| {
        let hangs =
            |asked: &&str| protocol.question(asked).is_some_and(|question| question.ask_when.is_some());
        Some(test.field.as_str()).filter(hangs).map(str::to_owned)
    };
    let filters = value.filters();
    let nodes: Vec<Node> = filters.iter().filter_map(|(filter, _)| read(filter)).collect();
    let hanging = nodes.iter().flat_map(|node| tests(node, false)).find_map(|(test, _)| is_asked(test));
    if let (Some(key), None, None, ScoreNumber::Text(_)) = (hanging, among, other, value) {
        hints.push(format!(
            "score {name:?}: {key} counts as no where it is not asked; \"among\" says what counts"
        ));
    }
    hints
}

/// The tests of a filter, each with whether a minus stands before it.
fn tests(node: &Node, is_not: bool) -> Vec<(&Test, bool)> {
    match node {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().flat_map(|node| tests(node, is_not)).collect(),
        Node::Not(node) => tests(node, !is_not),
        Node::Test(test) => vec![(test, is_not)],
        Node::Word { .. } => Vec::new(),
    }
}
