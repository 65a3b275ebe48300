//! Ways from a row or a number to another screen.

use crate::browse::BrowseTable;

/// A way from one screen to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpensTo {
    /// The rows of a table that fit a filter, under a title that says where they come from.
    Rows { table: BrowseTable, filter: String, title: String },
    /// Two candidates beside each other: rows of the table of candidates.
    Compare(u32, u32),
    /// The confusion matrix of two annotators on a question.
    Confusion { question: String, first: String, second: String },
}
