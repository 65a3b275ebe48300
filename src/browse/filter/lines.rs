//! A filter over lines of a table that is not part of a study: the cells of a line are known by their columns' names.

use super::{Filter, FilterError, Node, Relation, Test, WordPattern, bounds, parse, read, refuse_order};
use crate::text::search::Finder;

/// A filter, ready to be asked of many lines.
pub struct LinesFilter {
    filter: Filter,
    /// The words that are searched for, each with whether one slip is allowed.
    words: Vec<(String, bool, Finder)>,
    columns: Vec<String>,
}

impl LinesFilter {
    /// Reads a filter.
    ///
    /// # Errors
    /// The filter cannot be read, or asks for an order of values that have none.
    pub fn parse(text: &str) -> Result<LinesFilter, FilterError> {
        let mut lines = LinesFilter { filter: parse(text)?, words: Vec::new(), columns: Vec::new() };
        let mut left: Vec<&Node> = lines.filter.root.iter().collect();
        while let Some(node) = left.pop() {
            match node {
                Node::And(nodes) | Node::Or(nodes) => left.extend(nodes),
                Node::Not(node) => left.push(node),
                Node::Word { text, slip, .. } => {
                    let finder = if *slip { Finder::near(text) } else { Finder::new(text) };
                    lines.words.push((text.clone(), *slip, finder));
                }
                Node::Test(test) => {
                    if bounds(test).is_none() {
                        refuse_order(test)?;
                    }
                    lines.columns.push(test.field.clone());
                }
            }
        }
        Ok(lines)
    }

    /// The columns that the filter names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether the filter lets a line through. A column that the line does not have counts as empty.
    pub fn fits(&self, line: &[(&str, &str)]) -> bool {
        self.filter.root.as_ref().is_none_or(|root| self.node_fits(root, line))
    }

    fn node_fits(&self, node: &Node, line: &[(&str, &str)]) -> bool {
        match node {
            Node::And(nodes) => nodes.iter().all(|node| self.node_fits(node, line)),
            Node::Or(nodes) => nodes.iter().any(|node| self.node_fits(node, line)),
            Node::Not(node) => !self.node_fits(node, line),
            Node::Word { text, slip, .. } => {
                let finder = self.words.iter().find(|(word, near, _)| word == text && near == slip);
                finder.is_some_and(|(.., finder)| line.iter().any(|(_, cell)| finder.is_in(cell)))
            }
            Node::Test(test) => {
                let cell = line.iter().find(|(column, _)| *column == test.field);
                test_fits(test, cell.map_or("", |(_, cell)| *cell))
            }
        }
    }
}

fn test_fits(test: &Test, cell: &str) -> bool {
    let is_negative = test.comparison == Relation::IsNot;
    match (bounds(test), read(cell)) {
        (Some(bounds), Some(number)) => bounds.has(number) != is_negative,
        // A text is neither below nor above a number.
        (Some(_), None) if refuse_order(test).is_err() => false,
        // `!=` means another value: an empty cell has none.
        _ => WordPattern::of(test, false).fits(cell) != is_negative && !(is_negative && cell.is_empty()),
    }
}
