//! Ratings for `haymark agree`: CSV or JSONL, with a rating a line (long: `item`, `annotator`,
//! `value`) or an item a line (wide: `item`, then a column an annotator).
//!
//! An empty cell, or null, is a missing rating; so are `NaN`, `NA` and the like, unless they are named as labels. `2` and `2.0`
//! are one label. Where nobody is named, a column of the wide form is an annotator if it shares a label with another one. A
//! column named `cluster` says which items belong together when they are drawn again; in the long form other columns are
//! ignored.

mod collector;
pub(super) mod csv_rows;
mod json_rows;
mod labels;
mod layout;

use std::io::{Cursor, Read};
use std::path::Path;

use self::collector::Collector;
use super::{InputBytes, source};
use crate::error::{Error, Result};
pub use agreement::Names;

/// The most categories there may be.
pub const MOST_CATEGORIES: usize = 254;

/// The most annotators there may be.
pub const MOST_ANNOTATORS: usize = 65_535;

/// Options for reading a file of ratings.
#[derive(Default, Clone, Copy)]
pub struct RatingsAsked<'a> {
    /// All labels in scale order; `None` for the labels that occur.
    pub categories: Option<&'a [String]>,
    /// The annotators whose ratings are read; empty for everyone.
    pub annotators: &'a [String],
    /// Columns by which the items are grouped.
    pub by: &'a [String],
    /// The column that says which items belong together; without one, the column `cluster` where there is one.
    pub cluster: Option<&'a str>,
    /// Whether each item is by itself, whatever a column `cluster` says.
    pub is_by_item: bool,
    pub filter: Option<&'a LineFilter<'a>>,
}

/// A filter of lines.
pub struct LineFilter<'a> {
    /// The columns that the filter asks for.
    pub columns: Vec<String>,
    /// Whether a line is let through.
    pub fits: &'a (dyn Fn(&[LineCell<'_>]) -> bool + 'a),
}

/// The name of a column, and its cell.
pub type LineCell<'c> = (&'c str, &'c str);

/// Ratings as they stand in a file, with every name kept once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingsFile {
    /// Names in the order of their first appearance; an annotator without a rating is among them.
    pub annotators: Vec<String>,
    /// Names in the order of their first appearance; an item without a rating is among them.
    pub items: Names,
    /// Labels in scale order: those that were given, or else those that occur (see `warnings`).
    pub categories: Vec<String>,
    /// Ratings in the order of the file.
    pub ratings: Vec<Rating>,
    /// Clusters of items, where a column says them.
    pub clusters: Option<GroupedItems>,
    /// The groups of each column that was asked for.
    pub groups: Vec<GroupedItems>,
    /// Remarks that a person should read, a sentence each.
    pub warnings: Vec<String>,
}

impl RatingsFile {
    /// The numbers that the labels are, in their order; `None` where one of them is no finite number.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        self.categories.iter().map(|label| labels::number(label)).collect()
    }

    /// The scores of the labels: those given, else the numbers that the labels are; `None` where there are neither.
    ///
    /// # Errors
    /// There are not as many given as labels (usage).
    pub fn scores(&self, given: &[f64]) -> Result<Option<Vec<f64>>> {
        let labels = self.categories.len();
        if given.is_empty() || given.len() == labels {
            return Ok(if given.is_empty() { self.numbers() } else { Some(given.to_vec()) });
        }
        Err(Error::usage(format!("--scores has {} numbers for {labels} labels", given.len()))
            .advise("give one for each label, in the order of --categories"))
    }
}

/// One rating, by 0-based positions in the lists of [`RatingsFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating {
    pub item: u32,
    pub annotator: u16,
    pub category: u8,
}

/// Items grouped by a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedItems {
    /// The name of the column.
    pub column: String,
    /// Groups in the order of their first appearance.
    pub names: Vec<String>,
    /// The 0-based position of each item's group in `names`.
    pub of_item: Vec<u32>,
}

/// Reads the ratings of a file or pipe.
pub fn read_input(input: &InputBytes, asked: &RatingsAsked<'_>) -> Result<RatingsFile> {
    let file = input.bytes().map_err(|error| error.in_file(input.name()))?;
    read(file, input.name(), asked)
}

/// Reads ratings from any source, which errors call `name`. Decisions made for the reader, such as the labels and the
/// annotators, are in the warnings.
///
/// # Errors
/// A sentence with the line and the column: an unknown layout, a missing name, a label that is none
/// of the categories, an item that one annotator rated twice, text that is no UTF-8.
pub fn read(source: impl Read, name: &Path, asked: &RatingsAsked<'_>) -> Result<RatingsFile> {
    read_unnamed(source, asked).map_err(|error| error.in_file(name))
}

fn read_unnamed(mut source: impl Read, asked: &RatingsAsked<'_>) -> Result<RatingsFile> {
    let mut head = vec![0; source::HEAD];
    let count = source::fill(&mut source, &mut head)?;
    head.truncate(count);
    source::check_head(&head)?;
    head.drain(..head.len() - source::without_mark(&head).len());
    let first = head.iter().copied().find(|byte| !byte.is_ascii_whitespace());

    let mut collector = Collector::new(asked)?;
    let header_line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let delimiter = csv_rows::delimiter(header_line.unwrap_or_default());
    let whole = Cursor::new(head).chain(source);
    match first {
        Some(b'{') => json_rows::read(whole, &mut collector)?,
        Some(b'[') => {
            return Err(Error::new("this is a JSON list").advise("write one object a line, or CSV"));
        }
        _ => csv_rows::read(whole, delimiter, &mut collector)?,
    }
    collector.finish()
}

#[cfg(test)]
mod tests;
