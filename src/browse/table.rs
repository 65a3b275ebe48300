//! The tables, their columns, and the values of cells.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::number::rounded;
use crate::score::Undefined;
use crate::text::words::capitalised;

named! {
    /// A table over a study.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum BrowseTable {
        Candidates = "candidates",
        /// Items, judged or not: a protocol applied to a target.
        Items = "items",
        /// Retriever and summarizer together.
        Systems = "systems",
        Units = "units",
        Queries = "queries",
        Documents = "documents",
    }
}

impl BrowseTable {
    /// The name as a heading.
    pub fn title(self) -> String {
        capitalised(self.name())
    }
}

impl fmt::Display for BrowseTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for BrowseTable {
    type Err = Error;

    fn from_str(name: &str) -> Result<BrowseTable, Error> {
        BrowseTable::named(name).ok_or_else(|| {
            Error::usage(format!("there is no table {name:?}"))
                .advise(format!("choose among {}", BrowseTable::ALL.map(BrowseTable::name).join(", ")))
        })
    }
}

/// A column of one table: its place among [`super::Tables::columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub u16);

/// The name of a column, and how its values are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnHead {
    /// The name in filters, views and exports: `joint`, `coverage@alice`.
    pub name: String,
    /// The heading on the screen.
    pub heading: String,
    /// One sentence, shown where columns are chosen.
    pub about: String,
    pub kind: ColumnKind,
    /// Whether the column is shown unless a view says otherwise.
    pub shown: bool,
}

/// How the values of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnKind {
    Text,
    /// Whole numbers.
    Count,
    /// Numbers, shown with this many decimals.
    Number(usize),
    /// Numbers from 0 to 100, shown with one decimal.
    Percent,
    /// Labels and tags; a cell may have several.
    Labels,
}

impl ColumnKind {
    /// Whether the values are numbers; such cells are aligned right.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnKind::Count | ColumnKind::Number(_) | ColumnKind::Percent)
    }
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum TableValue<'t> {
    Text(&'t str),
    Count(u64),
    Number(f64),
    /// A number that does not exist.
    Undefined(Undefined),
    /// Labels or tags, at least one.
    Labels(Vec<&'t str>),
    /// No value, such as the document order of a candidate that names none.
    Nothing,
}

impl TableValue<'_> {
    /// The text of a cell: numbers rounded as the column says, a dash for an undefined number, empty for no value.
    pub fn shown(&self, kind: ColumnKind) -> String {
        let decimals = match kind {
            ColumnKind::Number(decimals) => decimals,
            _ => 1,
        };
        match self {
            TableValue::Text(text) => (*text).to_owned(),
            TableValue::Count(count) => count.to_string(),
            TableValue::Number(number) => rounded(*number, decimals),
            TableValue::Undefined(_) => "–".to_owned(),
            TableValue::Labels(labels) => labels.join(", "),
            TableValue::Nothing => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_their_columns_say() {
        assert_eq!(TableValue::Number(56.149).shown(ColumnKind::Percent), "56.1");
        assert_eq!(TableValue::Number(-0.001).shown(ColumnKind::Number(2)), "0.00");
        assert_eq!(TableValue::Undefined(Undefined::NothingJudged).shown(ColumnKind::Percent), "–");
        assert_eq!(TableValue::Labels(vec!["general", "other"]).shown(ColumnKind::Labels), "general, other");
        assert_eq!(TableValue::Nothing.shown(ColumnKind::Text), "");
    }

    #[test]
    fn tables_go_by_their_names() {
        for table in BrowseTable::ALL {
            assert_eq!(table.name().parse(), Ok(table));
            assert_eq!(serde_json::to_value(table).unwrap(), table.name());
        }
        assert!("rows".parse::<BrowseTable>().unwrap_err().to_string().contains("candidates"));
    }
}
