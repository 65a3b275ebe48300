//! The tables, and what stands in a cell of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::score::Undefined;
use crate::text::words::capitalised;

/// A table over a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Table {
    Queries,
    Units,
    Candidates,
    /// Retriever and summarizer together.
    Systems,
    /// What was judged, or is to be: a protocol applied to a target.
    Items,
    Documents,
}

impl Table {
    /// All of them, in the order of the screen.
    pub const ALL: [Table; 6] =
        [Table::Candidates, Table::Items, Table::Systems, Table::Units, Table::Queries, Table::Documents];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Table::Queries => "queries",
            Table::Units => "units",
            Table::Candidates => "candidates",
            Table::Systems => "systems",
            Table::Items => "items",
            Table::Documents => "documents",
        }
    }

    /// As a heading.
    pub fn title(self) -> String {
        capitalised(self.name())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Table {
    type Err = Error;

    fn from_str(name: &str) -> Result<Table, Error> {
        Table::ALL.into_iter().find(|table| table.name() == name).ok_or_else(|| {
            Error::usage(format!("there is no table {name:?}"))
                .advise(format!("choose among {}", Table::ALL.map(Table::name).join(", ")))
        })
    }
}

/// A column of one table: its place among [`super::Tables::columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub u16);

/// What a column is called and how its values are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnHead {
    /// In filters, views and exports: `joint`, `coverage@alice`.
    pub name: String,
    /// On the screen.
    pub heading: String,
    /// One sentence for whoever chooses columns.
    pub about: String,
    pub kind: ColumnKind,
    /// Whether it is shown unless a view says otherwise.
    pub shown: bool,
}

/// How the values of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnKind {
    Text,
    /// Whole numbers.
    Count,
    /// Numbers, shown with so many decimals.
    Number(usize),
    /// Numbers from 0 to 100, shown with one decimal.
    Percent,
    /// Any of some words: labels and tags.
    Labels,
}

impl ColumnKind {
    /// Whether cells stand at the right edge, as numbers do.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnKind::Count | ColumnKind::Number(_) | ColumnKind::Percent)
    }
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'t> {
    Text(&'t str),
    Count(u64),
    Number(f64),
    /// A number that does not exist.
    Undefined(Undefined),
    /// Labels or tags, at least one.
    Labels(Vec<&'t str>),
    /// Nothing to say, such as the order of documents of a candidate that names none.
    Nothing,
}

impl Value<'_> {
    /// As a cell: a number rounded as its column says, a dash for what is undefined, nothing for nothing.
    pub fn shown(&self, kind: ColumnKind) -> String {
        let decimals = match kind {
            ColumnKind::Number(decimals) => decimals,
            _ => 1,
        };
        match self {
            Value::Text(text) => (*text).to_owned(),
            Value::Count(count) => count.to_string(),
            Value::Number(number) => {
                let text = format!("{number:.decimals$}");
                let is_zero = text.chars().all(|character| matches!(character, '-' | '0' | '.'));
                if is_zero { text.replace('-', "") } else { text }
            }
            Value::Undefined(_) => "–".to_owned(),
            Value::Labels(labels) => labels.join(", "),
            Value::Nothing => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_their_columns_say() {
        assert_eq!(Value::Number(56.149).shown(ColumnKind::Percent), "56.1");
        assert_eq!(Value::Number(-0.001).shown(ColumnKind::Number(2)), "0.00");
        assert_eq!(Value::Undefined(Undefined::NothingJudged).shown(ColumnKind::Percent), "–");
        assert_eq!(Value::Labels(vec!["general", "other"]).shown(ColumnKind::Labels), "general, other");
        assert_eq!(Value::Nothing.shown(ColumnKind::Text), "");
    }

    #[test]
    fn tables_go_by_their_names() {
        for table in Table::ALL {
            assert_eq!(table.name().parse(), Ok(table));
            assert_eq!(serde_json::to_value(table).unwrap(), table.name());
        }
        assert!("rows".parse::<Table>().unwrap_err().to_string().contains("candidates"));
    }
}
