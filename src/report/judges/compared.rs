//! One judge against people, and people against each other, on one question.

use std::collections::{BTreeMap, BTreeSet};

use super::answered::{AnsweredChoices, BulletLink, GivenAnswer};
use crate::agreement::{
    Counts, Definition, Estimate, Interval, Intervals, Linking, NumberRange, Ratings, RatingsBuilder,
    Undefined,
};
use crate::error::{Error, Result};
use crate::number::short;
use crate::protocol::{Answer, Question};
use crate::score::{Counted, Labels, Measure};
use crate::study::AnnotatorId;

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
pub struct PairCompared {
    /// A row a label of the first, a column a label of the second.
    cells: Vec<u32>,
    pub linking: Linking,
}

impl PairCompared {
    pub fn items(&self) -> u32 {
        self.cells.iter().sum()
    }

    /// Adds what was said of other items.
    fn add(&mut self, other: &PairCompared) {
        self.cells.resize(self.cells.len().max(other.cells.len()), 0);
        self.cells.iter_mut().zip(&other.cells).for_each(|(count, more)| *count += more);
        self.linking.linked += other.linking.linked;
        self.linking.same += other.linking.same;
    }

    /// Counts a part of it `times` times; so far the part is in it once.
    fn recount(&mut self, part: &PairCompared, times: u64) {
        let times_u32 = short(times);
        for (count, part) in self.cells.iter_mut().zip(&part.cells) {
            *count = (*count - part).saturating_add(part.saturating_mul(times_u32));
        }
        let (linked, same) = (part.linking.linked, part.linking.same);
        self.linking.linked = self.linking.linked - linked + times * linked;
        self.linking.same = self.linking.same - same + times * same;
    }
}

/// Gives statistics of pairs from how often labels came together.
pub struct Statistics {
    /// An item for each pair of labels that two annotators can give.
    every: Ratings,
    labels: Labels,
    /// In the order of [`STATISTICS`]; `None` for linking accuracy.
    definitions: Vec<Option<&'static Definition>>,
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
        let definitions = STATISTICS.iter().map(|statistic| Definition::named(statistic.name)).collect();
        Ok(Some(Statistics { every: builder.finish(), labels, definitions }))
    }

    fn size(&self) -> usize {
        self.labels.categories.len()
    }

    /// The place of the label of an answer.
    fn place(&self, answer: &Answer) -> Option<usize> {
        self.labels.code(answer).map(usize::from)
    }

    /// Where each statistic can lie.
    fn ranges(&self) -> impl Iterator<Item = NumberRange> {
        self.definitions.iter().map(|definition| definition.map_or(NumberRange::SHARE, Definition::range))
    }

    /// The values of each pair, in the order of [`STATISTICS`]; none where the two have nothing in common.
    fn of_pairs<'p>(&self, pairs: impl Iterator<Item = &'p PairCompared>) -> Vec<Vec<Measure>> {
        let mut counts = Counts::of(&self.every);
        let of_pair = |pair: &PairCompared| {
            if pair.items() == 0 {
                return Vec::new();
            }
            counts.reweight(&pair.cells);
            let value = |definition: &Option<&Definition>| match definition {
                Some(definition) => definition.value(&counts).unwrap_or(Err(Undefined::NoPairableItems)),
                None => pair.linking.accuracy(),
            };
            self.definitions.iter().map(value).collect()
        };
        pairs.map(of_pair).collect()
    }

    /// The intervals by formula of a pair; `None` where there is no formula.
    fn formulas(&self, pair: &PairCompared) -> Vec<Option<std::result::Result<Interval, Undefined>>> {
        let mut counts = Counts::of(&self.every);
        counts.reweight(&pair.cells);
        let formula =
            |definition: &Option<&Definition>| definition.as_ref()?.coefficient(&counts)?.precision.interval;
        self.definitions.iter().map(formula).collect()
    }
}

/// The means over the pairs that have a value, in the order of [`STATISTICS`]. Where none has, the reason of
/// the first pair, or that there is nothing to compare.
fn means<'p>(of_pairs: impl Iterator<Item = &'p Vec<Measure>> + Clone) -> Vec<Measure> {
    let mean = |at: usize| {
        let measures = of_pairs.clone().filter_map(|values| values.get(at));
        let (mut sum, mut number, mut reason) = (0.0, 0_usize, None);
        for measure in measures {
            match measure {
                Ok(value) => (sum, number) = (sum + value, number + 1),
                Err(why) => reason = reason.or(Some(*why)),
            }
        }
        if number == 0 { Err(reason.unwrap_or(Undefined::NoPairableItems)) } else { Ok(sum / number as f64) }
    };
    (0..STATISTICS.len()).map(mean).collect()
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
    /// Items that a pair judged, and the pairs of judgments of them.
    pub items: Counted,
    /// By cluster, the pairs of annotators that have something in common there, by their places in `all`.
    clusters: BTreeMap<u32, Vec<(usize, PairCompared)>>,
    /// Each pair of annotators that has something in common, over all clusters.
    all: Vec<PairCompared>,
    /// The values of each of these pairs.
    of_pairs: Vec<Vec<Measure>>,
    /// The means over the pairs, in the order of [`STATISTICS`]; undefined where they all are.
    pub values: Vec<Estimate>,
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
        answered: &AnsweredChoices<'_>,
        pairs: &[(AnnotatorId, AnnotatorId)],
        is_looked_at: impl Fn(u32) -> bool,
    ) -> Result<Compared> {
        let mut compared = Compared { name: name.to_owned(), ..Compared::default() };
        let mut items: Vec<usize> = vec![0; answered.items()];
        let mut strange = 0_usize;
        let size = statistics.size();
        let labels = answered.each_set(|answer| statistics.place(answer));
        let label = |given: &GivenAnswer| labels.get(given.set).copied().flatten();
        // By cluster; a row of cells each.
        let width = size * size;
        let (mut cells, mut linkings) =
            (vec![0_u32; answered.clusters() * width], vec![Linking::default(); answered.clusters()]);
        for (a, b) in pairs {
            cells.fill(0);
            linkings.fill(Linking::default());
            for (first, second) in answered.both(*a, *b).filter(|(given, _)| is_looked_at(given.item)) {
                let (Some(row), Some(column)) = (label(&first), label(&second)) else {
                    strange += 1;
                    continue;
                };
                // Items, labels and clusters are those of the question.
                items[first.item as usize] += 1;
                compared.unlinked.add(first.link, second.link);
                let cluster = first.cluster as usize;
                cells[cluster * width + row * size + column] += 1;
                linkings[cluster].add(first.link.single(), second.link.single());
            }
            let parts = cells.chunks(width.max(1)).zip(&linkings).zip(0..);
            let own: Vec<(u32, PairCompared)> = parts
                .filter(|((cells, _), _)| cells.iter().any(|count| *count > 0))
                .map(|((cells, linking), cluster)| {
                    (cluster, PairCompared { cells: cells.to_vec(), linking: *linking })
                })
                .collect();
            let mut all = PairCompared::default();
            own.iter().for_each(|(_, pair)| all.add(pair));
            let place = compared.all.len();
            compared.all.extend((all.items() > 0).then_some(all));
            for (cluster, pair) in own {
                compared.clusters.entry(cluster).or_default().push((place, pair));
            }
        }
        if strange > 0 {
            let what =
                format!("{strange} items have an answer to {:?} that is none of its choices", question.key);
            return Err(Error::new(what).advise("leave --all-versions out: it is of an older version"));
        }
        items.iter().for_each(|times| compared.items.add(*times));
        compared.of_pairs = statistics.of_pairs(compared.all.iter());
        let plain = |value| Estimate { value, interval: None, clusters: 0 };
        compared.values = means(compared.of_pairs.iter()).into_iter().map(plain).collect();
        Ok(compared)
    }

    /// The same with intervals.
    #[must_use]
    pub fn with_intervals(mut self, statistics: &Statistics, intervals: Intervals) -> Compared {
        let clusters: Vec<u32> = self.clusters.keys().copied().collect();
        let whole: Vec<_> = self.measures().into_iter().zip(statistics.ranges()).collect();
        let carries = |at: usize, statistic| self.carries(clusters[at], statistic, statistics);
        let changed = |changed: &[(usize, u64)]| {
            self.changed(changed.iter().map(|(at, times)| (clusters[*at], *times)), statistics)
        };
        let mut values = intervals.of_clusters(clusters.len(), &whole, carries, changed);
        if let (Intervals::Formula, [pair]) = (intervals, self.all.as_slice()) {
            for (value, formula) in values.iter_mut().zip(statistics.formulas(pair)) {
                value.interval = formula.or(value.interval);
            }
        }
        self.values = values;
        self
    }

    /// Pairs of annotators that the means are over.
    pub fn pairs(&self) -> usize {
        self.all.len()
    }

    /// The values alone.
    fn measures(&self) -> Vec<Measure> {
        self.values.iter().map(|estimate| estimate.value).collect()
    }

    /// Whether a cluster carries something for a statistic.
    fn carries(&self, cluster: u32, statistic: usize, statistics: &Statistics) -> bool {
        let is_about_labels = statistics.definitions.get(statistic).is_some_and(Option::is_some);
        let mut pairs = self.clusters.get(&cluster).into_iter().flatten();
        pairs.any(|(_, pair)| is_about_labels || pair.linking.linked > 0)
    }

    /// The values where these clusters occur so often, and all others once.
    fn changed(&self, clusters: impl Iterator<Item = (u32, u64)>, statistics: &Statistics) -> Vec<Measure> {
        let mut pairs: BTreeMap<usize, PairCompared> = BTreeMap::new();
        for (cluster, times) in clusters {
            for (place, part) in self.clusters.get(&cluster).into_iter().flatten() {
                if let Some(all) = self.all.get(*place) {
                    pairs.entry(*place).or_insert_with(|| all.clone()).recount(part, times);
                }
            }
        }
        let values = statistics.of_pairs(pairs.values());
        let values: BTreeMap<usize, Vec<Measure>> = pairs.into_keys().zip(values).collect();
        let of_pairs = self.of_pairs.iter().enumerate();
        means(of_pairs.map(|(place, all)| values.get(&place).unwrap_or(all)))
    }

    /// The bullets that both sides name, summed over the pairs.
    pub fn linking(&self) -> Linking {
        let mut sum = PairCompared::default();
        self.all.iter().for_each(|pair| sum.add(pair));
        sum.linking
    }

    /// How often a label of the first came together with one of the second, summed over the pairs; scale order.
    pub fn confusion(&self, size: usize) -> Vec<Vec<u32>> {
        let mut sum = PairCompared::default();
        self.all.iter().for_each(|pair| sum.add(pair));
        sum.cells.resize(size * size, 0);
        sum.cells.chunks(size.max(1)).map(<[u32]>::to_vec).collect()
    }
}

impl Unlinked {
    fn add(&mut self, person: BulletLink, judge: BulletLink) {
        match (person, judge) {
            (BulletLink::One(_), BulletLink::None) => self.judge_names_none += 1,
            (BulletLink::One(_), BulletLink::List) => self.judge_names_several += 1,
            (BulletLink::None | BulletLink::List, BulletLink::One(_) | BulletLink::List) => {
                self.person_names_none += 1
            }
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
    /// How much better the judge agrees with people than these among themselves, in the order of [`STATISTICS`]. A cluster
    /// is deleted from (or drawn for) both at once.
    pub fn differences(&self, statistics: &Statistics, intervals: Intervals) -> Vec<Estimate> {
        let (judge, people) = (&self.judge, &self.people);
        let clusters: BTreeSet<u32> = judge.clusters.keys().chain(people.clusters.keys()).copied().collect();
        let clusters: Vec<u32> = clusters.into_iter().collect();
        let carries = |at: usize, statistic| {
            [judge, people].iter().any(|one| one.carries(clusters[at], statistic, statistics))
        };
        let changed = |changed: &[(usize, u64)]| {
            let times = || changed.iter().map(|(at, times)| (clusters[*at], *times));
            difference(&judge.changed(times(), statistics), &people.changed(times(), statistics))
        };
        let whole = difference(&judge.measures(), &people.measures());
        let whole: Vec<_> = whole.into_iter().map(|value| (value, NumberRange::Any)).collect();
        intervals.of_clusters(clusters.len(), &whole, carries, changed)
    }
}

fn difference(first: &[Measure], second: &[Measure]) -> Vec<Measure> {
    first.iter().zip(second).map(|(first, second)| Ok((*first)? - (*second)?)).collect()
}
