//! Where a judgment comes from, and the groups that scores are given for.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::items::{Numbered, Thing, by_thing};
use super::uncertainty::{ClusterKind, Uncertainty};
use crate::error::Error;
use crate::study::{Candidate, Collection, Query, Target};
use crate::text::natural::natural;

/// Who or what made a candidate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct System {
    /// `None` for a candidate made from the whole collection.
    pub retriever: Option<String>,
    pub summarizer: Option<String>,
    /// Order in which the documents were given: `top`, `bottom`, `random`.
    pub order: Option<String>,
}

impl System {
    /// Retriever and summarizer, as tables name them; see [`Candidate::system`].
    pub fn name(&self) -> String {
        let summarizer = self.summarizer.as_deref().unwrap_or("unnamed");
        match &self.retriever {
            Some(retriever) => format!("{retriever} {summarizer}"),
            None => summarizer.to_owned(),
        }
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

/// Where a judgment comes from: all by which scores can be grouped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// Key of the collection.
    pub collection: String,
    /// The query's domain, else its collection's.
    pub domain: Option<String>,
    /// Key of the query, unique in the collection.
    pub query: String,
    /// Whether a query of another collection has the same key.
    pub shares_key: bool,
    pub category: Option<String>,
    /// Key of the annotator.
    pub annotator: String,
    /// Key of the candidate, unique in the query, where one is judged.
    pub candidate: Option<String>,
    /// Who made the candidate, where one is judged.
    pub system: Option<System>,
    /// The item, where it is but a part of the candidate or the query, such as a unit.
    pub part: Option<Target>,
    /// Words of the document that is judged, else of all documents of the collection; `None` where
    /// nobody counted them.
    pub document_words: Option<usize>,
    /// Words of the candidate; `None` where there is none, or nobody counted them.
    pub response_words: Option<usize>,
}

impl Origin {
    /// The origin of `annotator`'s judgments on a query of a collection, and on a candidate if there is one.
    pub fn of(
        collection: &Collection,
        query: &Query,
        candidate: Option<&Candidate>,
        annotator: &str,
    ) -> Origin {
        Origin {
            collection: collection.id.clone(),
            domain: query.domain.as_ref().or(collection.domain.as_ref()).cloned(),
            query: query.id.clone(),
            shares_key: false,
            category: query.category.clone(),
            annotator: annotator.to_owned(),
            candidate: candidate.map(|candidate| candidate.id.clone()),
            system: candidate.map(System::from),
            part: None,
            document_words: None,
            response_words: None,
        }
    }

    /// The key of the thing that is judged, whoever judges it.
    pub(super) fn thing(&self) -> (&str, &str, Option<&str>, Option<Target>) {
        (&self.collection, &self.query, self.candidate.as_deref(), self.part)
    }

    /// The key of its cluster of this kind.
    pub(super) fn cluster(&self, kind: ClusterKind) -> [Option<&str>; 3] {
        let (collection, query) = (Some(self.collection.as_str()), Some(self.query.as_str()));
        match kind {
            ClusterKind::Collection => [collection, None, None],
            ClusterKind::Summary => [collection, query, self.candidate.as_deref()],
            _ => [collection, query, None],
        }
    }
}

/// What scores are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// Retriever and summarizer together.
    System,
    Retriever,
    Summarizer,
    /// Order of the documents.
    Order,
    Collection,
    Domain,
    Query,
    Category,
    Annotator,
    /// Each summary by itself, as `query / candidate`.
    Summary,
    /// Words of the documents, in steps of 50, 100, 200 and so on.
    DocumentLength,
    /// Words of the candidate, in the same steps.
    ResponseLength,
}

/// Where the groups of lengths begin, in words.
const LENGTHS: [usize; 14] =
    [0, 50, 100, 200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000];

impl By {
    /// All of them, in the order in which help lists them.
    pub const ALL: [By; 12] = [
        By::System,
        By::Retriever,
        By::Summarizer,
        By::Order,
        By::Collection,
        By::Domain,
        By::Query,
        By::Category,
        By::Annotator,
        By::Summary,
        By::DocumentLength,
        By::ResponseLength,
    ];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            By::System => "system",
            By::Retriever => "retriever",
            By::Summarizer => "summarizer",
            By::Order => "order",
            By::Collection => "collection",
            By::Domain => "domain",
            By::Query => "query",
            By::Category => "category",
            By::Annotator => "annotator",
            By::Summary => "summary",
            By::DocumentLength => "document_length",
            By::ResponseLength => "response_length",
        }
    }

    /// The group that an origin falls into; `None` where it does not say.
    pub fn label(self, origin: &Origin) -> Option<String> {
        let system = origin.system.as_ref();
        match self {
            By::System => system.map(System::name),
            By::Retriever => system.map(|system| {
                let retriever = system.retriever.as_deref();
                retriever.unwrap_or("full context").to_owned()
            }),
            By::Summarizer => system.and_then(|system| system.summarizer.clone()),
            By::Order => system.and_then(|system| system.order.clone()),
            By::Collection => Some(origin.collection.clone()),
            By::Domain => origin.domain.clone(),
            By::Query => Some(origin.query.clone()),
            By::Category => origin.category.clone(),
            By::Annotator => Some(origin.annotator.clone()),
            By::Summary => {
                let candidate = origin.candidate.as_deref()?;
                Some(format!("{} / {candidate}", origin.query))
            }
            By::DocumentLength => origin.document_words.map(|words| lengths(step(words))),
            By::ResponseLength => origin.response_words.map(|words| lengths(step(words))),
        }
    }

    /// Whether the label begins with the key of a query.
    pub fn begins_with_query(self) -> bool {
        matches!(self, By::Query | By::Summary)
    }

    /// What stands before the label when groups are sorted.
    fn rank(self, origin: &Origin) -> usize {
        match self {
            By::DocumentLength => origin.document_words.map_or(0, step),
            By::ResponseLength => origin.response_words.map_or(0, step),
            _ => 0,
        }
    }
}

/// What is grouped by these, in the plural: retriever and summarizer together are a system.
pub fn plural(by: &[By]) -> String {
    let several = |by: &By| match by {
        By::Query => "queries".to_owned(),
        By::Category => "categories".to_owned(),
        By::Summary => "summaries".to_owned(),
        by => format!("{}s", by.name().replace('_', " ")),
    };
    match by {
        [By::Retriever, By::Summarizer] | [By::Summarizer, By::Retriever] => "systems".to_owned(),
        by => by.iter().map(several).collect::<Vec<_>>().join(" and "),
    }
}

impl FromStr for By {
    type Err = Error;

    fn from_str(name: &str) -> Result<By, Error> {
        By::ALL.into_iter().find(|by| by.name() == name).ok_or_else(|| {
            Error::usage(format!("nothing is grouped by {name:?}"))
                .advise(format!("choose among {}", By::ALL.map(By::name).join(", ")))
        })
    }
}

/// The step of [`LENGTHS`] that this many words fall into.
fn step(words: usize) -> usize {
    LENGTHS.partition_point(|start| *start <= words).saturating_sub(1)
}

/// The name of a step, such as `1,000–1,999 words`.
fn lengths(step: usize) -> String {
    let start = LENGTHS.get(step).copied().unwrap_or(0);
    match LENGTHS.get(step + 1) {
        Some(next) => format!("{}–{} words", grouped(start), grouped(next - 1)),
        None => format!("{} words and more", grouped(start)),
    }
}

/// A number with commas between thousands.
fn grouped(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1_000),
    }
}

/// The labels of a group, one for each [`By`]; `None` where the origin does not say.
pub type GroupLabels = Vec<Option<String>>;

/// What queries are called: by their keys, but `collection/query` where several collections have the key.
#[derive(Default)]
pub struct QueryNames<'o> {
    homes: BTreeMap<&'o str, BTreeSet<&'o str>>,
}

impl<'o> QueryNames<'o> {
    /// The names of the queries of these origins.
    pub fn of(origins: impl IntoIterator<Item = &'o Origin>) -> QueryNames<'o> {
        let mut homes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for Origin { query, collection, .. } in origins {
            homes.entry(query).or_default().insert(collection);
        }
        QueryNames { homes }
    }

    /// The group that an origin falls into; `None` where it does not say.
    pub fn label(&self, by: By, origin: &Origin) -> Option<String> {
        let label = by.label(origin)?;
        let is_shared = || {
            origin.shares_key || self.homes.get(origin.query.as_str()).is_some_and(|homes| homes.len() > 1)
        };
        Some(match by.begins_with_query() && is_shared() {
            true => format!("{}/{label}", origin.collection),
            false => label,
        })
    }
}

/// Sorts things into groups, in the order of the groups' labels, lengths by size; without `by`, all into one group.
pub fn groups<'a, T>(
    things: impl IntoIterator<Item = &'a T> + Clone,
    origin: impl Fn(&T) -> &Origin,
    by: &[By],
) -> Vec<(GroupLabels, Vec<&'a T>)> {
    let names = match by.iter().any(|by| by.begins_with_query()) {
        true => QueryNames::of(things.clone().into_iter().map(&origin)),
        false => QueryNames::default(),
    };
    let mut found: BTreeMap<Vec<(usize, Option<String>)>, Vec<&T>> = BTreeMap::new();
    for thing in things {
        let group = by.iter().map(|by| (by.rank(origin(thing)), names.label(*by, origin(thing)))).collect();
        found.entry(group).or_default().push(thing);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    let place = |(rank, label): &(usize, Option<String>)| (*rank, label.as_deref().map(natural));
    found.sort_by_cached_key(|(group, _)| group.iter().map(place).collect::<Vec<_>>());
    let labels = |group: Vec<(usize, Option<String>)>| group.into_iter().map(|(_, label)| label).collect();
    found.into_iter().map(|(group, members)| (labels(group), members)).collect()
}

/// What judgments are grouped by, and how the intervals of a group's numbers are made.
#[derive(Debug, Clone, Copy)]
pub struct GroupBy<'a> {
    pub by: &'a [By],
    pub uncertainty: Uncertainty,
}

impl<'a, B: AsRef<[By]> + ?Sized> From<&'a B> for GroupBy<'a> {
    fn from(by: &'a B) -> GroupBy<'a> {
        GroupBy { by: by.as_ref(), uncertainty: Uncertainty::default() }
    }
}

/// What is found out about each group of judged things, and about all of them together.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped<T> {
    pub by: Vec<By>,
    pub uncertainty: Uncertainty,
    /// In the order of the groups' labels.
    pub rows: Vec<(GroupLabels, T)>,
    /// `None` where there is nothing.
    pub all: Option<T>,
}

impl<T> Grouped<T> {
    /// Sorts judgments into [`groups`], puts those of each thing together, and finds out about each group.
    pub fn of<'a, 'b, J: 'a>(
        judgments: impl IntoIterator<Item = &'a J>,
        origin: impl Fn(&J) -> &Origin,
        by: impl Into<GroupBy<'b>>,
        find: impl Fn(&[Thing<'a, J>]) -> T,
    ) -> Grouped<T> {
        let GroupBy { by, uncertainty } = by.into();
        let judgments: Vec<&'a J> = judgments.into_iter().collect();
        let origins = judgments.iter().map(|judgment| origin(judgment));
        let clusters = Numbered::of(uncertainty.cluster_or(ClusterKind::Query), origins);
        let found = |members: &[&'a J]| find(&by_thing(members, &origin, &clusters));
        let all = (!judgments.is_empty()).then(|| found(&judgments));
        let rows = groups(judgments.iter().copied(), &origin, by).into_iter();
        Grouped {
            by: by.to_vec(),
            uncertainty,
            rows: rows.map(|(group, members)| (group, found(&members))).collect(),
            all,
        }
    }
}

/// For each query, the number of the cluster of this kind that it is in. Queries are numbered as [`Grouped`]
/// numbers clusters where none is named.
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

    fn labels(origins: &[Origin], by: &[By]) -> Vec<(String, usize)> {
        groups(origins, |origin| origin, by)
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
        assert_eq!(labels(&origins, &[By::System]), [group("gpt-4o", 1), group("oracle gpt-4o", 2)]);
        assert_eq!(
            labels(&origins, &[By::Query, By::Retriever]),
            [group("sleep|oracle", 1), group("stress|full context", 1), group("stress|oracle", 1)]
        );
        assert_eq!(labels(&origins, &[By::Domain]), [group("?", 3)]);
        assert_eq!(labels(&origins, &[]), [group("", 3)]);
        assert_eq!(labels(&[], &[By::System]), []);
    }

    #[test]
    fn queries_of_the_same_key_in_two_collections_stay_apart() {
        let origins = [origin("a", "q1", None), origin("b", "q1", None), origin("b", "q2", None)];
        let group = |label: &str| (label.to_owned(), 1);
        assert_eq!(labels(&origins, &[By::Query]), [group("a/q1"), group("b/q1"), group("q2")]);
        let summary = |origin: &Origin| Origin { candidate: Some("c".into()), ..origin.clone() };
        let summaries = origins.each_ref().map(summary);
        let names = [group("a/q1 / c"), group("b/q1 / c"), group("q2 / c")];
        assert_eq!(labels(&summaries, &[By::Summary]), names);
    }

    #[test]
    fn systems_are_named_as_their_candidates_are() {
        for (retriever, summarizer) in [(None, None), (Some("oracle"), None), (None, Some("gpt-4o"))] {
            let candidate = Candidate {
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
    fn lengths_are_sorted_by_size() {
        let of = |words: Option<usize>| Origin { response_words: words, ..Origin::default() };
        let origins = [Some(1_999), Some(300_000), Some(49), None, Some(1_000), Some(50)].map(of);
        assert_eq!(
            labels(&origins, &[By::ResponseLength]),
            [
                ("?".to_owned(), 1),
                ("0–49 words".to_owned(), 1),
                ("50–99 words".to_owned(), 1),
                ("1,000–1,999 words".to_owned(), 2),
                ("256,000 words and more".to_owned(), 1),
            ]
        );
        assert_eq!(labels(&origins, &[By::DocumentLength]), [("?".to_owned(), 6)]);
        assert_eq!(lengths(9), "16,000–31,999 words");
    }

    #[test]
    fn names_are_read_back() {
        for by in By::ALL {
            assert_eq!(by.name().parse(), Ok(by));
        }
        let error = "colour".parse::<By>().expect_err("no such group").to_string();
        assert!(error.starts_with("nothing is grouped by \"colour\"; choose among system, "), "{error}");
    }
}
