//! One judge against people, and people against each other, on one question.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::AddAssign;

use super::answered::{Answered, Given, Link};
use crate::agreement::{Counts, Definition, Linking, Ratings, RatingsBuilder, Undefined};
use crate::error::{Error, Result};
use crate::protocol::Question;
use crate::score::{Counted, Labels, Measure};
use crate::study::{AnnotatorId, ItemId, QueryId};

/// A statistic that tables show, by its name in `agree`.
pub struct Statistic {
    pub name: &'static str,
    pub heading: &'static str,
    /// Whether only JSON and CSV have it.
    pub is_detail: bool,
}

const fn statistic(name: &'static str, heading: &'static str) -> Statistic {
    Statistic { name, heading, is_detail: false }
}

const fn detail(name: &'static str, heading: &'static str) -> Statistic {
    Statistic { name, heading, is_detail: true }
}

/// All of them; the last is no coefficient.
pub const STATISTICS: [Statistic; 10] = [
    statistic("pearson_r", "r"),
    statistic("percent_agreement", "accuracy"),
    statistic("cohen_kappa", "kappa"),
    detail("cohen_kappa_linear", "kappa linear"),
    statistic("cohen_kappa_quadratic", "kappa²"),
    detail("krippendorff_alpha_nominal", "alpha nominal"),
    statistic("krippendorff_alpha_ordinal", "alpha"),
    statistic("gwet_ac1", "AC1"),
    detail("gwet_ac2_ordinal", "AC2"),
    statistic("linking_accuracy", "linking"),
];

/// What two annotators said of some items: how often which labels came together, and which bullets.
#[derive(Debug, Clone, Default)]
pub struct Pair {
    /// A row a label of the first, a column a label of the second.
    cells: Vec<u32>,
    pub linking: Linking,
}

impl Pair {
    pub fn items(&self) -> u32 {
        self.cells.iter().sum()
    }

    /// Takes the same of other items away, which are part of these.
    fn remove(&mut self, other: &Pair) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(count, less)| *count -= less);
        self.linking.linked -= other.linking.linked;
        self.linking.same -= other.linking.same;
    }
}

impl AddAssign<&Pair> for Pair {
    fn add_assign(&mut self, other: &Pair) {
        self.cells.resize(self.cells.len().max(other.cells.len()), 0);
        self.cells.iter_mut().zip(&other.cells).for_each(|(count, more)| *count += more);
        self.linking.linked += other.linking.linked;
        self.linking.same += other.linking.same;
    }
}

/// Gives statistics of pairs from how often labels came together.
pub struct Statistics {
    /// An item for each two labels that two annotators can give.
    every: Ratings,
    labels: Labels,
}

impl Statistics {
    /// `None` for a question without choices.
    ///
    /// # Errors
    /// The question has more choices than a table of ratings.
    pub fn of(question: &Question) -> Result<Option<Statistics>> {
        let Some(labels) = Labels::of_choice(question) else { return Ok(None) };
        let broken = |error: crate::agreement::TableError| Error::new(error.to_string());
        let mut builder = RatingsBuilder::new(labels.scale, labels.categories.clone()).map_err(broken)?;
        let size = labels.categories.len();
        let mut every = || {
            builder.rater("a")?;
            builder.rater("b")?;
            for cell in 0..size * size {
                let item = builder.item(&cell.to_string())?;
                for (rater, place) in [(0, cell / size), (1, cell % size)] {
                    let label = labels.categories.get(place).map_or("", |category| &category.label);
                    if let Some(category) = builder.category(label) {
                        builder.set(item, rater, category)?;
                    }
                }
            }
            Ok(())
        };
        every().map_err(broken)?;
        Ok(Some(Statistics { every: builder.finish(), labels }))
    }

    fn size(&self) -> usize {
        self.labels.categories.len()
    }

    /// The place of a label.
    fn place(&self, given: &Given<'_>) -> Option<usize> {
        let label = self.labels.label(given.answer)?;
        self.labels.categories.iter().position(|category| category.label == label)
    }

    /// The means over the pairs that have a value, in the order of [`STATISTICS`]; else the reason of the first.
    pub fn means<'p>(&self, pairs: impl Iterator<Item = &'p Pair>) -> Vec<Measure> {
        let mut counts = Counts::of(&self.every);
        let mut values: Vec<Vec<Measure>> = vec![Vec::new(); STATISTICS.len()];
        for pair in pairs.filter(|pair| pair.items() > 0) {
            counts.reweight(&pair.cells);
            for (measures, statistic) in values.iter_mut().zip(&STATISTICS) {
                measures.push(match Definition::named(statistic.name) {
                    Some(definition) => definition.value(&counts).unwrap_or(Err(Undefined::NoPairableItems)),
                    None => pair.linking.accuracy(),
                });
            }
        }
        values.iter().map(|measures| mean(measures)).collect()
    }
}

/// The mean of those that have a value; else the reason of the first, or that there is nothing to compare.
fn mean(measures: &[Measure]) -> Measure {
    let values: Vec<f64> = measures.iter().filter_map(|measure| measure.ok()).collect();
    if values.is_empty() {
        return measures.first().copied().unwrap_or(Err(Undefined::NoPairableItems));
    }
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// Pairs of judgments that linking accuracy leaves out although a side says that it is covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unlinked {
    /// The person names no bullet where the judge names one.
    pub person_names_none: usize,
    /// The judge names none, or several, where the person names one.
    pub judge_names_none: usize,
    pub judge_names_several: usize,
}

/// What two annotators, a judge and all people, or all people among themselves have in common.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    pub name: String,
    /// Pairs of annotators that the means are over.
    pub pairs: usize,
    /// Items that a pair judged, and pairs of judgments of them, as many as pairs of annotators judged each.
    pub items: Counted,
    /// By query, each pair of annotators.
    clusters: BTreeMap<QueryId, Vec<Pair>>,
    /// Each pair over all queries.
    all: Vec<Pair>,
    /// The means over the pairs, in the order of [`STATISTICS`]; undefined where they all are.
    pub values: Vec<Measure>,
    pub unlinked: Unlinked,
}

impl Compared {
    /// What these pairs of annotators have in common on the items that are looked at.
    ///
    /// # Errors
    /// An answer is no choice.
    pub fn of(
        name: &str,
        (question, statistics): (&Question, &Statistics),
        answered: &Answered<'_>,
        pairs: &[(AnnotatorId, AnnotatorId)],
        is_looked_at: impl Fn(ItemId) -> bool,
    ) -> Result<Compared> {
        let mut compared = Compared { name: name.to_owned(), ..Compared::default() };
        let mut items: HashMap<ItemId, usize> = HashMap::new();
        let mut strange = 0_usize;
        for (number, (a, b)) in pairs.iter().enumerate() {
            for (item, first, second) in answered.both(*a, *b).filter(|(item, ..)| is_looked_at(*item)) {
                let (Some(row), Some(column)) = (statistics.place(first), statistics.place(second)) else {
                    strange += 1;
                    continue;
                };
                *items.entry(item).or_default() += 1;
                compared.unlinked.add(&first.link, &second.link);
                let cluster = compared.clusters.entry(first.query).or_default();
                cluster.resize(pairs.len(), Pair::default());
                if let Some(pair) = cluster.get_mut(number) {
                    let size = statistics.size();
                    pair.cells.resize(size * size, 0);
                    pair.cells[row * size + column] += 1;
                    let linking = Linking::of([(first.link.single(), second.link.single())]);
                    pair.linking.linked += linking.linked;
                    pair.linking.same += linking.same;
                }
            }
        }
        if strange > 0 {
            let what =
                format!("{strange} items have an answer to {:?} that is none of its choices", question.key);
            return Err(Error::new(what).advise("leave --all-versions out: it is of an older version"));
        }
        items.values().for_each(|times| compared.items.add(*times));
        compared.all = vec![Pair::default(); pairs.len()];
        for cluster in compared.clusters.values() {
            compared.all.iter_mut().zip(cluster).for_each(|(all, pair)| *all += pair);
        }
        compared.pairs = compared.all.iter().filter(|pair| pair.items() > 0).count();
        compared.values = statistics.means(compared.all.iter());
        Ok(compared)
    }

    /// The bullets that both sides name, summed over the pairs.
    pub fn linking(&self) -> Linking {
        let mut sum = Pair::default();
        self.all.iter().for_each(|pair| sum += pair);
        sum.linking
    }

    /// How often a label of the first came together with one of the second, summed over the pairs; scale order.
    pub fn confusion(&self, size: usize) -> Vec<Vec<u32>> {
        let mut sum = Pair::default();
        self.all.iter().for_each(|pair| sum += pair);
        sum.cells.resize(size * size, 0);
        sum.cells.chunks(size.max(1)).map(<[u32]>::to_vec).collect()
    }

    /// The queries with an item that a pair judged.
    pub fn queries(&self) -> impl Iterator<Item = QueryId> {
        self.clusters.keys().copied()
    }

    /// The values without the items of a query.
    pub fn without(&self, query: QueryId, statistics: &Statistics) -> Vec<Measure> {
        let mut rest = self.all.clone();
        for (rest, pair) in rest.iter_mut().zip(self.clusters.get(&query).into_iter().flatten()) {
            rest.remove(pair);
        }
        statistics.means(rest.iter())
    }
}

impl Unlinked {
    fn add(&mut self, person: &Link, judge: &Link) {
        match (person, judge) {
            (Link::One(_), Link::None) => self.judge_names_none += 1,
            (Link::One(_), Link::List) => self.judge_names_several += 1,
            (Link::None | Link::List, Link::One(_) | Link::List) => self.person_names_none += 1,
            _ => {}
        }
    }
}

/// A judge beside person with person on the items that the judge and at least two people judged.
#[derive(Debug, Clone)]
pub struct Beside {
    pub judge: Compared,
    pub people: Compared,
}

impl Beside {
    /// How much better the judge agrees with people than these among themselves, in the order of [`STATISTICS`].
    pub fn differences(&self) -> Vec<Measure> {
        difference(&self.judge.values, &self.people.values)
    }

    /// The same without each query in turn.
    pub fn without_each(&self, statistics: &Statistics) -> Vec<Vec<Measure>> {
        let queries: BTreeSet<QueryId> = self.judge.queries().chain(self.people.queries()).collect();
        let without = |query: QueryId| {
            difference(&self.judge.without(query, statistics), &self.people.without(query, statistics))
        };
        queries.into_iter().map(without).collect()
    }
}

fn difference(first: &[Measure], second: &[Measure]) -> Vec<Measure> {
    first.iter().zip(second).map(|(first, second)| Ok((*first)? - (*second)?)).collect()
}
