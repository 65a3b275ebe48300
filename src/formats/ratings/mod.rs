//! Ratings for `haymark agree`: CSV or JSONL, with a rating a line (long: `item`, `annotator`,
//! `value`) or an item a line (wide: `item`, then a column an annotator).
//!
//! An empty cell, or null, is a missing rating; so are `NaN`, `NA` and the like, unless they are named as labels. Where all labels
//! are numbers, `2` and `2.0` are one. A column named `cluster` says which items belong
//! together when they are drawn again; in the long form other columns are ignored.

mod collector;
mod csv_rows;
mod json_rows;
mod plain;

use std::io::{Cursor, Read};
use std::path::Path;

use self::collector::Collector;
use super::{InputBytes, sentence, source};
use crate::error::{Error, Result};
pub use crate::text::names::Names;

/// The most categories there may be.
pub const MOST_CATEGORIES: usize = 254;

/// The most annotators there may be.
pub const MOST_ANNOTATORS: usize = 65_535;

/// Ratings as they stand in a file, with every name kept once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingsFile {
    /// In the order of their first appearance; one without a rating is among them.
    pub annotators: Vec<String>,
    /// In the order of their first appearance; one without a rating is among them.
    pub items: Names,
    /// In scale order: those that were given, or else those that occur (see `warnings`).
    pub categories: Vec<String>,
    /// In the order of the file.
    pub ratings: Vec<Rating>,
    /// Where the file has a column `cluster`.
    pub clusters: Option<NamedClusters>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// One rating, by 0-based positions in the lists of [`RatingsFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating {
    pub item: u32,
    pub annotator: u16,
    pub category: u8,
}

/// Which items belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedClusters {
    /// In the order of their first appearance.
    pub names: Vec<String>,
    /// The 0-based position of each item's cluster in `names`.
    pub of_item: Vec<u32>,
}

/// Reads the ratings of a file or pipe. `categories` are all labels in scale order.
///
/// # Errors
/// As [`read`], and when the file cannot be opened.
pub fn read_input(input: &InputBytes, categories: Option<&[String]>) -> Result<RatingsFile> {
    let file = input.bytes().map_err(|error| error.in_file(input.name()))?;
    read(file, input.name(), categories)
}

/// Reads ratings from any source, which errors call `name`. `categories` are all labels in scale
/// order; without them, those that occur are taken, and a warning says so.
///
/// # Errors
/// A sentence with the line and the column: an unknown layout, a missing name, a label that is none
/// of the categories, an item that one annotator rated twice, text that is no UTF-8.
pub fn read(source: impl Read + Send, name: &Path, categories: Option<&[String]>) -> Result<RatingsFile> {
    read_unnamed(source, categories).map_err(|error| error.in_file(name))
}

fn read_unnamed(mut source: impl Read + Send, categories: Option<&[String]>) -> Result<RatingsFile> {
    let mut head = vec![0; source::HEAD];
    let count = source::fill(&mut source, &mut head)?;
    head.truncate(count);
    source::check_head(&head)?;
    head.drain(..head.len() - source::without_mark(&head).len());
    let first = head.iter().copied().find(|byte| !byte.is_ascii_whitespace());

    let mut collector = Collector::new(categories)?;
    let header_line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let delimiter = csv_rows::delimiter(header_line.unwrap_or_default());
    let whole = Cursor::new(head).chain(source);
    match first {
        Some(b'{') => json_rows::read(whole, &mut collector)?,
        Some(b'[') => {
            return Err(Error::new("this is a JSON list").advise("write one object a line, or CSV"));
        }
        _ => csv_rows::read(whole, delimiter, csv_rows::BLOCK, &mut collector)?,
    }
    collector.finish()
}

/// The columns that have a meaning.
const ITEM: &str = "item";
const ANNOTATOR: &str = "annotator";
const VALUE: &str = "value";
const CLUSTER: &str = "cluster";

fn unknown_layout(found: impl IntoIterator<Item: AsRef<str>>) -> Error {
    let found = sentence::quoted_list(found);
    Error::new(format!("the columns are {found}, which is no layout of ratings")).advise(
        "name them \"item\", \"annotator\" and \"value\", or \"item\" first and then one column for every annotator",
    )
}

#[cfg(test)]
mod tests;
