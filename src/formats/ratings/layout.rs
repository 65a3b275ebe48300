//! The layout of a file of ratings, by the names of its columns.

use std::borrow::Cow;

use super::RatingsAsked;
use crate::error::{Error, Result};
use crate::formats::sentence::{quoted, quoted_list};

/// A column that has a meaning: its name, what stands in it, then others by which it is known, in small letters without signs.
/// The first that is there counts.
type Known = (&'static str, &'static str, &'static [&'static str]);

/// The index that pandas writes, which nobody takes for a column of a file in the long form.
const INDEX: [&str; 2] = ["", "unnamed0"];

/// The last two are [`INDEX`].
const ITEM: Known = (
    "item",
    "items",
    &[
        "item",
        "itemid",
        "id",
        "caseid",
        "case",
        "exampleid",
        "example",
        "sampleid",
        "instanceid",
        "taskid",
        "questionid",
        "documentid",
        "docid",
        "unitid",
        "segmentid",
        "index",
        "",
        "unnamed0",
    ],
);
const ANNOTATOR: Known = (
    "annotator",
    "annotators",
    &[
        "annotator",
        "annotatorid",
        "rater",
        "raterid",
        "coder",
        "coderid",
        "labeler",
        "labeller",
        "labelerid",
        "worker",
        "workerid",
        "reviewer",
        "evaluator",
        "assessor",
    ],
);
const VALUE: Known = (
    "value",
    "labels",
    &["value", "label", "rating", "score", "category", "annotation", "judgment", "judgement", "answer"],
);

/// Columns that say which question a line is of, in small letters without signs.
const QUESTION: [&str; 7] =
    ["question", "questionkey", "criterion", "dimension", "aspect", "metric", "schema"];

/// The column that says which items belong together, where no other is named.
const CLUSTER: &str = "cluster";

/// A name in small letters without signs.
fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The meaning of columns, by name.
pub(super) struct RatingsLayout {
    pub(super) item: String,
    /// The columns of annotator and label where each line is a rating; else each line is an item, and a column an annotator.
    pub(super) long: Option<(String, String)>,
    /// Columns that say something of the item: first that of its cluster, where there is one.
    pub(super) of_item: Vec<String>,
    /// Whether the first of `of_item` is the cluster. Where lines may have more fields than the header, the column may be
    /// missing.
    pub(super) has_cluster: bool,
    /// The column by which a filter takes the lines of one question, where no filter does.
    pub(super) question: Option<String>,
    /// Where each line is an item, columns that number the items once more.
    pub(super) aside: Vec<String>,
    /// Where each line is a rating, a sentence on each column that was chosen among several.
    pub(super) unsure: Vec<String>,
    /// The annotators that were named.
    named: Vec<String>,
    pub(super) header: Vec<String>,
}

impl RatingsLayout {
    /// The layout of a file with these columns, or of one whose later lines may have more.
    pub(super) fn of(header: Vec<String>, may_grow: bool, asked: &RatingsAsked<'_>) -> Result<RatingsLayout> {
        let find = |(name, _, others): Known| {
            let free = || header.iter().filter(|column| !asked.annotators.contains(column));
            let other = || others.iter().find_map(|other| free().find(|column| plain(column) == *other));
            free().find(|column| *column == name).or_else(other).cloned()
        };
        let has = |name: &str| header.iter().any(|column| column == name);
        let wanted = asked.cluster.into_iter().chain(asked.by.iter().map(String::as_str));
        let filtered = asked.filter.iter().flat_map(|filter| filter.columns.iter().map(String::as_str));
        if let Some(missing) = wanted.chain(filtered.clone()).find(|name| !has(name)) {
            return Err(Error::usage(format!("there is no column {missing:?}"))
                .advise(format!("there are {}", header.join(", "))));
        }
        let cluster = asked.cluster.or_else(|| {
            ((has(CLUSTER) || may_grow)
                && !asked.is_by_item
                && !asked.annotators.iter().any(|name| name == CLUSTER))
            .then_some(CLUSTER)
        });
        let (item, long) = match (find(ITEM), find(ANNOTATOR), find(VALUE)) {
            (Some(item), Some(annotator), Some(value)) => (item, Some((annotator, value))),
            // Half of a long form is a slip.
            (Some(item), annotator, value)
                if annotator.as_deref() != Some(ANNOTATOR.0) && value.as_deref() != Some(VALUE.0) =>
            {
                (item, None)
            }
            _ => return Err(unknown(&header)),
        };
        let by = asked.by.iter().map(String::as_str);
        let of_item: Vec<String> = cluster.into_iter().chain(by).map(str::to_owned).collect();
        let others = |own: &String, (.., known): Known| {
            let is_free =
                |name: &&String| *name != own && !of_item.contains(name) && !asked.annotators.contains(name);
            let free = header.iter().filter(is_free);
            free.filter(|name| known.contains(&plain(name).as_str())).cloned().collect::<Vec<_>>()
        };
        let (mut aside, mut unsure) = (Vec::new(), Vec::new());
        match &long {
            None => aside = others(&item, ITEM),
            Some((annotator, value)) => {
                for (column, known) in [(&item, ITEM), (annotator, ANNOTATOR), (value, VALUE)] {
                    let (name, what, _) = known;
                    let mut others = others(column, known);
                    others.retain(|other| !INDEX.contains(&plain(other).as_str()));
                    if column != name && !others.is_empty() {
                        let (column, are) = (quoted(column), if others.len() == 1 { "is" } else { "are" });
                        let others = quoted_list(&others);
                        unsure.push(format!(
                            "the {what} are those of the column {column}, and {others} {are} not read; name the right column \"{name}\""
                        ));
                    }
                }
            }
        }
        let is_question = |name: &&String| {
            let mut filtered = filtered.clone();
            **name != item
                && QUESTION.contains(&plain(name).as_str())
                && !filtered.any(|own| own == name.as_str())
        };
        let layout = RatingsLayout {
            question: header.iter().find(is_question).cloned(),
            aside,
            unsure,
            item: item.clone(),
            long: long.clone(),
            has_cluster: cluster.is_some(),
            named: asked.annotators.to_vec(),
            of_item: of_item.clone(),
            header: header.clone(),
        };
        let is_empty = layout.long.is_none() && !header.iter().any(|name| layout.is_annotator(name));
        if is_empty && layout.named.is_empty() { Err(unknown(&header)) } else { Ok(layout) }
    }

    /// Where each line is a rating, the columns that may be the items', since none is called so and nothing else is read of them.
    pub(super) fn beside(&self) -> Vec<&str> {
        let Some((annotator, value)) = self.long.as_ref().filter(|_| self.item != ITEM.0) else {
            return Vec::new();
        };
        let is_read =
            |name: &&String| [&self.item, annotator, value].contains(name) || self.of_item.contains(name);
        self.header.iter().filter(|name| !is_read(name)).map(String::as_str).collect()
    }

    /// Whether a column holds what one annotator says.
    pub(super) fn is_annotator(&self, name: &str) -> bool {
        let is = |other: &String| other == name;
        match self.named.is_empty() {
            false => self.named.iter().any(is),
            true => *name != self.item && !self.of_item.iter().chain(&self.aside).any(is) && name != CLUSTER,
        }
    }
}

fn unknown(header: &[String]) -> Error {
    let found = quoted_list(header.iter().map(|name| Cow::Borrowed(name.as_str())));
    Error::new(format!("the columns are {found}, which is no layout of ratings")).advise(
        "name them \"item\", \"annotator\" and \"value\", or \"item\" and then one column for every annotator",
    )
}
