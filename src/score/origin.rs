//! The origin of a judgment, and the groups of scores.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ClusterKind, Numbered, Thing, Uncertainty, by_thing};
use crate::agreement::Drawn;
use crate::number::NO_PLACE;
use crate::study::{Candidate, Query, Target, retriever_name, system_name};
use crate::text::natural::natural;

/// The system that made a candidate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct System {
    /// `None` for a candidate made from the whole collection.
    pub retriever: Option<String>,
    pub summarizer: Option<String>,
    /// Order in which the documents were given: `top`, `bottom`, `random`.
    pub order: Option<String>,
}

impl System {
    /// Retriever and summarizer, as tables name them.
    pub fn name(&self) -> String {
        system_name(self.retriever.as_deref(), self.summarizer.as_deref())
    }
}

impl From<&Candidate> for System {
    fn from(candidate: &Candidate) -> System {
        System {
            retriever: candidate.retriever.clone(),
            summarizer: candidate.summarizer.clone(),
            order: candidate.order.clone(),
        }
    }
}

/// The origin of a judgment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    /// Key of the collection.
    pub collection: String,
    /// Key of the query, unique in the collection.
    pub query: String,
    /// Whether a query of another collection has the same key.
    pub shares_key: bool,
    /// Key of the annotator.
    pub annotator: String,
    /// Key of the candidate, unique in the query, where one is judged.
    pub candidate: Option<String>,
    /// The system that made the candidate, where one is judged.
    pub system: Option<System>,
    /// The target, where the judgment is about a part of the candidate or query, such as a unit.
    pub part: Option<Target>,
    /// The row of the item in [`RowGroups`].
    pub row: u32,
    /// The sampling weight and stratum.
    pub drawn: Drawn,
}

impl Origin {
    /// The origin of `annotator`'s judgments on a query, and on a candidate if there is one.
    pub fn of(query: &Query, candidate: Option<&Candidate>, annotator: &str) -> Origin {
        Origin {
            collection: query.collection.clone(),
            query: query.id.clone(),
            annotator: annotator.to_owned(),
            candidate: candidate.map(|candidate| candidate.id.clone()),
            system: candidate.map(System::from),
            row: NO_PLACE,
            ..Origin::default()
        }
    }

    /// The name of the query: its key, or `collection/query` where several collections have the key.
    fn query_name(&self) -> String {
        match self.shares_key {
            true => format!("{}/{}", self.collection, self.query),
            false => self.query.clone(),
        }
    }

    /// The key of the judged thing; it is the same for all annotators.
    pub(super) fn thing(&self) -> (&str, &str, Option<&str>, Option<Target>) {
        (&self.collection, &self.query, self.candidate.as_deref(), self.part)
    }

    /// The key of the cluster of this kind.
    pub(super) fn cluster(&self, kind: ClusterKind) -> [Option<&str>; 3] {
        let (collection, query) = (Some(self.collection.as_str()), Some(self.query.as_str()));
        match kind {
            ClusterKind::Collection => [collection, None, None],
            ClusterKind::Summary => [collection, query, self.candidate.as_deref()],
            _ => [collection, query, None],
        }
    }
}

/// A field by which scores are grouped.
#[derive(Debug, Clone)]
pub struct By {
    name: String,
    of: GroupOf,
}

#[derive(Debug, Clone)]
enum GroupOf {
    /// A field of the origin.
    Origin(fn(&Origin) -> Option<String>),
    Rows(Arc<RowGroups>),
}

/// Rows in groups by a field.
#[derive(Debug, Default)]
pub struct RowGroups {
    /// For each [`Origin::row`], the place of its label; `u32::MAX` where the field has no value.
    pub codes: Vec<u32>,
    /// The labels, in the order of the groups.
    pub labels: Vec<String>,
}

/// The name of a field of the origin, with its label.
type OwnGroup = (&'static str, fn(&Origin) -> Option<String>);

const OWN: [OwnGroup; 8] = [
    ("system", |origin| origin.system.as_ref().map(System::name)),
    ("retriever", |origin| {
        let system = origin.system.as_ref()?;
        retriever_name(system.retriever.as_deref(), system.summarizer.as_deref())
    }),
    ("summarizer", |origin| origin.system.as_ref()?.summarizer.clone()),
    ("order", |origin| origin.system.as_ref()?.order.clone()),
    ("collection", |origin| Some(origin.collection.clone())),
    ("query", |origin| Some(origin.query_name())),
    ("annotator", |origin| Some(origin.annotator.clone())),
    // Each summary is a group of its own.
    ("summary", |origin| Some(format!("{} / {}", origin.query_name(), origin.candidate.as_deref()?))),
];

impl By {
    /// Groups by the field of the origin with this name, if there is one.
    pub fn own(name: &str) -> Option<By> {
        let (name, of) = OWN.into_iter().find(|(own, _)| *own == name)?;
        Some(By { name: name.to_owned(), of: GroupOf::Origin(of) })
    }

    /// Groups by a field by which rows were sorted into groups.
    pub fn rows(name: &str, groups: RowGroups) -> By {
        By { name: name.to_owned(), of: GroupOf::Rows(Arc::new(groups)) }
    }

    /// The name of the field.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of a row's group; `None` for a field of the origin.
    pub fn code(&self, row: u32) -> Option<u32> {
        match &self.of {
            GroupOf::Origin(_) => None,
            GroupOf::Rows(groups) => Some(groups.codes.get(row as usize).copied().unwrap_or(NO_PLACE)),
        }
    }

    /// The label of an origin's group; `None` where the field has no value.
    pub fn label(&self, origin: &Origin) -> Option<String> {
        match &self.of {
            GroupOf::Origin(of) => of(origin),
            GroupOf::Rows(groups) => groups.labels.get(self.code(origin.row)? as usize).cloned(),
        }
    }

    /// The sort key before the label: origins without a group come first.
    fn rank(&self, origin: &Origin) -> u32 {
        self.code(origin.row).map_or(0, |code| code.wrapping_add(1))
    }
}

impl PartialEq for By {
    fn eq(&self, other: &By) -> bool {
        self.name == other.name
    }
}

/// The plural of the groups by these fields; groups by retriever and summarizer are systems.
pub fn plural(by: &[&str]) -> String {
    let several = |by: &&str| match by.strip_suffix('y') {
        _ if by.contains(['.', '@']) => format!("groups by {by}"),
        Some(stem) => format!("{stem}ies"),
        None => format!("{}s", by.replace('_', " ")),
    };
    match by {
        ["retriever", "summarizer"] | ["summarizer", "retriever"] => "systems".to_owned(),
        by => by.iter().map(several).collect::<Vec<_>>().join(" and "),
    }
}

/// The labels of a group, one for each [`By`]; `None` where the field has no value.
pub type GroupLabels = Vec<Option<String>>;

/// Sorts things into groups, in the order of labels, with lengths by size. Without `by`, there is one group.
pub fn groups<'a, T>(
    things: impl IntoIterator<Item = &'a T>,
    origin: impl Fn(&T) -> &Origin,
    by: &[By],
) -> Vec<(GroupLabels, Vec<&'a T>)> {
    let mut found: BTreeMap<Vec<(u32, Option<String>)>, Vec<&T>> = BTreeMap::new();
    for thing in things {
        let group = by.iter().map(|by| (by.rank(origin(thing)), by.label(origin(thing)))).collect();
        found.entry(group).or_default().push(thing);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    let place = |(rank, label): &(u32, Option<String>)| (*rank, label.as_deref().map(natural));
    found.sort_by_cached_key(|(group, _)| group.iter().map(place).collect::<Vec<_>>());
    let labels = |group: Vec<(u32, Option<String>)>| group.into_iter().map(|(_, label)| label).collect();
    found.into_iter().map(|(group, members)| (labels(group), members)).collect()
}

/// The fields to group by, and how the intervals of groups are computed.
#[derive(Debug, Clone)]
pub struct GroupBy {
    pub by: Vec<By>,
    pub uncertainty: Uncertainty,
}

impl GroupBy {
    /// Groups by fields of the origin; other names are ignored.
    pub fn own(names: &[&str], uncertainty: Uncertainty) -> GroupBy {
        GroupBy { by: names.iter().filter_map(|name| By::own(name)).collect(), uncertainty }
    }
}

impl<const N: usize> From<&[&str; N]> for GroupBy {
    fn from(names: &[&str; N]) -> GroupBy {
        GroupBy::own(names, Uncertainty::default())
    }
}

impl From<&[By]> for GroupBy {
    fn from(by: &[By]) -> GroupBy {
        GroupBy { by: by.to_vec(), uncertainty: Uncertainty::default() }
    }
}

/// A result for each group of judged things, and for all of them together.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped<T> {
    pub by: Vec<By>,
    pub uncertainty: Uncertainty,
    /// The results in the order of the groups' labels.
    pub rows: Vec<(GroupLabels, T)>,
    /// The result over all things; `None` without any.
    pub all: Option<T>,
}

impl<T> Grouped<T> {
    /// Sorts judgments into [`groups`], joins the judgments of each thing, and computes the result of each group.
    pub fn of<'a, J: 'a>(
        judgments: impl IntoIterator<Item = &'a J>,
        origin: impl Fn(&J) -> &Origin,
        by: impl Into<GroupBy>,
        find: impl Fn(&[Thing<'a, J>]) -> T,
    ) -> Grouped<T> {
        let GroupBy { by, uncertainty } = by.into();
        let judgments: Vec<&'a J> = judgments.into_iter().collect();
        let origins = judgments.iter().map(|judgment| origin(judgment));
        let clusters = Numbered::of(uncertainty.cluster_or(ClusterKind::Query), origins);
        let found = |members: &[&'a J]| find(&by_thing(members, &origin, &clusters));
        let all = (!judgments.is_empty()).then(|| found(&judgments));
        let rows = groups(judgments.iter().copied(), &origin, &by).into_iter();
        Grouped {
            by,
            uncertainty,
            rows: rows.map(|(group, members)| (group, found(&members))).collect(),
            all,
        }
    }
}

/// For each query, the number of its cluster of this kind. Queries are numbered as [`Grouped`] numbers clusters by
/// default.
pub fn within<'a>(kind: ClusterKind, origins: impl Iterator<Item = &'a Origin> + Clone) -> Vec<u32> {
    Numbered::of(ClusterKind::Query, origins.clone()).within(kind, origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(collection: &str, query: &str, retriever: Option<&str>) -> Origin {
        Origin {
            collection: collection.into(),
            query: query.into(),
            system: Some(System {
                retriever: retriever.map(str::to_owned),
                summarizer: Some("gpt-4o".into()),
                order: None,
            }),
            ..Origin::default()
        }
    }

    fn labels(origins: &[Origin], by: impl Into<GroupBy>) -> Vec<(String, usize)> {
        groups(origins, |origin| origin, &by.into().by)
            .into_iter()
            .map(|(group, members)| {
                let labels: Vec<&str> = group.iter().map(|label| label.as_deref().unwrap_or("?")).collect();
                (labels.join("|"), members.len())
            })
            .collect()
    }

    #[test]
    fn things_fall_into_the_groups_they_name() {
        let origins = [
            origin("exam", "stress", Some("oracle")),
            origin("exam", "stress", None),
            origin("exam", "sleep", Some("oracle")),
        ];
        let group = |label: &str, count: usize| (label.to_owned(), count);
        assert_eq!(labels(&origins, &["system"]), [group("gpt-4o", 1), group("oracle gpt-4o", 2)]);
        assert_eq!(
            labels(&origins, &["query", "retriever"]),
            [group("sleep|oracle", 1), group("stress|full context", 1), group("stress|oracle", 1)]
        );
        let hidden = Origin { system: Some(System::default()), ..origin("exam", "stress", None) };
        assert_eq!(labels(&[hidden], &["retriever", "summarizer"]), [group("?|?", 1)]);
        assert_eq!(labels(&origins, &["order"]), [group("?", 3)]);
        assert_eq!(labels(&origins, &[]), [group("", 3)]);
        assert_eq!(labels(&[], &["system"]), []);
        assert!(By::own("domain").is_none());
    }

    #[test]
    fn queries_of_the_same_key_in_two_collections_stay_apart() {
        let twin = |collection| Origin { shares_key: true, ..origin(collection, "q1", None) };
        let origins = [twin("a"), twin("b"), origin("b", "q2", None)];
        let group = |label: &str| (label.to_owned(), 1);
        assert_eq!(labels(&origins, &["query"]), [group("a/q1"), group("b/q1"), group("q2")]);
        let summary = |origin: &Origin| Origin { candidate: Some("c".into()), ..origin.clone() };
        let summaries = origins.each_ref().map(summary);
        let names = [group("a/q1 / c"), group("b/q1 / c"), group("q2 / c")];
        assert_eq!(labels(&summaries, &["summary"]), names);
    }

    #[test]
    fn systems_are_named_as_their_candidates_are() {
        for (retriever, summarizer) in [(None, None), (Some("oracle"), None), (None, Some("gpt-4o"))] {
            let candidate = Candidate {
                cites: None,
                collection: "exam".into(),
                query: "stress".into(),
                id: "c1".into(),
                summarizer: summarizer.map(str::to_owned),
                retriever: retriever.map(str::to_owned),
                order: None,
                text: String::new(),
                meta: Default::default(),
            };
            assert_eq!(System::from(&candidate).name(), candidate.system());
        }
    }

    #[test]
    fn rows_stand_in_the_order_of_their_groups() {
        let labels_of = ["0–49 words", "50–99 words", "1,000–1,999 words"].map(str::to_owned).to_vec();
        let groups = RowGroups { codes: vec![2, 0, NO_PLACE, 2], labels: labels_of };
        let origins = [0, 1, 2, 3, 9].map(|row| Origin { row, ..Origin::default() });
        let found = labels(&origins, &[By::rows("response_length", groups)][..]);
        let group = |label: &str, count: usize| (label.to_owned(), count);
        assert_eq!(found, [group("?", 2), group("0–49 words", 1), group("1,000–1,999 words", 2)]);
        assert_eq!(plural(&["retriever", "summarizer"]), "systems");
        assert_eq!(plural(&["category", "response_length"]), "categories and response lengths");
    }
}
