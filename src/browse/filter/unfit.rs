//! Why a filter lets nothing through: the value that no row has, and the values that were probably meant.

use super::{FilterError, Node, Relation, Test, TestSubject};
use crate::browse::{BrowseTable, Tables};
use crate::text::near::nearest;

/// The most values that are listed.
const LISTED: usize = 8;

impl Tables {
    /// Why a filter fits no row of a table, and what to write instead.
    ///
    /// # Errors
    /// The filter is wrong.
    pub fn why_unfit(&self, table: BrowseTable, filter: &str) -> Result<(String, String), FilterError> {
        let parts = match super::parse(filter)?.root {
            Some(Node::And(nodes) | Node::Or(nodes)) => nodes,
            root => root.into_iter().collect(),
        };
        for part in &parts {
            if self.select_node(table, part)?.count() == 0 {
                return self.why_part_unfit(table, part);
            }
        }
        let what = "each of its parts fits some, and none fits all of them".to_owned();
        Ok((what, "leave one of them out".to_owned()))
    }

    fn why_part_unfit(&self, table: BrowseTable, part: &Node) -> Result<(String, String), FilterError> {
        if let Node::Test(test @ Test { comparison: Relation::Is | Relation::Has, field, value, .. }) = part
            && let TestSubject::Of(source) = self.subject(table, test, true)?
            && source.question().is_none()
            && !self.kind_of(source).is_number()
        {
            let mut values: Vec<String> =
                self.value_counts(table, source).into_iter().map(|(value, _)| value).collect();
            values.sort();
            let advice = match nearest(value, values.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None if values.is_empty() => "nothing has one".to_owned(),
                None if values.len() > LISTED => {
                    let (first, rest) = values.split_at(LISTED);
                    format!("there are {} and {} more", first.join(", "), rest.len())
                }
                None => format!("there are {}", values.join(", ")),
            };
            return Ok((format!("no {field} is called {value:?}"), advice));
        }
        Ok((format!("{part} fits none"), "change it or leave it out".to_owned()))
    }
}
