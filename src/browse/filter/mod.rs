//! The language by which rows are chosen: `system:gpt-4o joint<20 tag:hallucinated "pomodoro"`.
//!
//! | written | rows |
//! | --- | --- |
//! | `word`, `"a phrase"` | with the words in one of their texts, whatever the case |
//! | `~word` | with the word, or a word that differs from it by one slip |
//! | `field:value` | whose field contains the value; whose label or tag is the value; whose number equals the value |
//! | `field=value`, `field!=value` | whose field is exactly the value; is another value |
//! | `field<n`, `<=`, `>`, `>=`, `field:a..b` | whose number is below n, …, from a to b |
//! | `field:ab*` | whose field fits the pattern, where `*` stands for anything |
//! | `field:undefined`, `field:""` | whose number does not exist; whose field has no value |
//! | `-x`, `not x`, `x y`, `x or y`, `( )` | without x; with both; with either; grouped |
//!
//! 1. [`parse`] reads the grammar and knows no field. 2. [`super::Tables::check`] looks fields and values up.
//! 3. [`super::Tables::rows`] lets the rows through. Errors say where in the text they are.

mod ast;
mod complete;
mod fields;
mod lines;
mod parse;
mod select;
mod unfit;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use crate::error::{Error, Topic};
use crate::text::grapheme::beginning;

pub use ast::{Filter, Node, Relation, Test, TextPlace, exactly, written};
pub use complete::{Completion, Suggestion};
use fields::TestSubject;
pub use lines::LinesFilter;
pub use parse::parse;
use parse::{Reader, Term};
pub(in crate::browse) use select::bounds;
use select::{WordPattern, read, refuse_order};

/// An error in a filter, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// Bytes of the filter's text.
    pub place: Range<usize>,
    /// The error and the remedy, in a sentence.
    pub sentence: String,
}

impl FilterError {
    pub(super) fn new(place: Range<usize>, sentence: impl Into<String>) -> FilterError {
        FilterError { place, sentence: sentence.into() }
    }

    /// The error as a command shows it; the wrong part of the filter is quoted.
    pub fn in_filter(&self, filter: &str) -> Error {
        let wrong = filter.get(self.place.clone()).unwrap_or_default();
        let near = if wrong.trim().is_empty() { "its end".to_owned() } else { quoted(wrong) };
        Error::usage(format!("the filter is wrong at {near}: {}", self.sentence)).under(Topic::Filters)
    }
}

/// The beginning of the wrong text, cut to fit a sentence.
fn quoted(text: &str) -> String {
    format!("{:?}", beginning(text, 60))
}

impl fmt::Display for FilterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl Filter {
    /// The words that rows must have in their texts, for highlighting, each with whether one slip is allowed. Negated words
    /// are left out.
    pub fn words(&self) -> Vec<(String, bool)> {
        fn is_text(field: &str) -> bool {
            let name = field.split_once('@').map_or(field, |(name, _)| name).to_lowercase();
            ["document", "documents", "comment"].contains(&name.as_str())
        }
        fn collect(node: &Node, words: &mut Vec<(String, bool)>) {
            match node {
                Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| collect(node, words)),
                Node::Word { text, slip, .. } => words.push((text.clone(), *slip)),
                Node::Test(test) if is_text(&test.field) => {
                    words.push((test.value.clone(), false));
                }
                Node::Not(_) | Node::Test(_) => {}
            }
        }
        let mut words = Vec::new();
        self.root.iter().for_each(|root| collect(root, &mut words));
        words
    }
}
