//! Agreement of one judge with people, and of people among themselves, on one question.

use std::collections::{BTreeMap, BTreeSet};

use super::answered::{AnsweredChoices, BulletLink, GivenAnswer, ItemClusters};
use crate::agreement::{
    ClusterLabels, Counts, Definition, Estimate, Interval, Intervals, Linking, NumberRange, Placed,
    PlacedMeasure, Ratings, RatingsBuilder, SEVERAL_STRATA, Scale, Undefined,
};
use crate::error::{Error, Result};
use crate::number::short;
use crate::protocol::{Answer, Question};
use crate::score::{ClusterKind, Counted, Labels, Measure};
use crate::study::AnnotatorId;

/// A statistic of the tables, by its name in `agree`.
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

/// All statistics; the last is no coefficient. Labels without an order have only the statistics that need none.
const STATISTICS: [Statistic; 10] = [
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

/// Two annotators; the second may be a judge.
pub type AnnotatorPair = (AnnotatorId, AnnotatorId);

/// Counts of two annotators' labels and links on some items.
#[derive(Debug, Clone, Default)]
pub struct PairCompared {
    /// The confusion matrix: a row for each label of the first, a column for each label of the second.
    cells: Vec<u32>,
    /// The number of items.
    items: u32,
    pub linking: Linking,
}

impl PairCompared {
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Adds the counts of other items.
    fn add(&mut self, other: &PairCompared) {
        self.cells.resize(self.cells.len().max(other.cells.len()), 0);
        self.cells.iter_mut().zip(&other.cells).for_each(|(count, more)| *count += more);
        self.items += other.items;
        self.linking.linked += other.linking.linked;
        self.linking.same += other.linking.same;
    }

    /// Counts a part `times` times instead of once.
    fn recount(&mut self, part: &PairCompared, times: u64) {
        let times_u32 = short(times);
        for (count, part) in self.cells.iter_mut().zip(&part.cells) {
            *count = (*count - part).saturating_add(part.saturating_mul(times_u32));
        }
        self.items = (self.items - part.items).saturating_add(part.items.saturating_mul(times_u32));
        let (linked, same) = (part.linking.linked, part.linking.same);
        self.linking.linked = self.linking.linked - linked + times * linked;
        self.linking.same = self.linking.same - same + times * same;
    }
}

/// Computes the statistics of pairs from their confusion matrices.
pub struct Statistics {
    /// An item for each pair of labels that two annotators can give.
    every: Ratings,
    labels: Labels,
    /// The statistics that suit the labels, each with its coefficient; `None` for linking accuracy.
    suited: Vec<(&'static Statistic, Option<&'static Definition>)>,
}

impl Statistics {
    /// The statistics of a question; `None` for a question without choices.
    ///
    /// # Errors
    /// The question has more choices than a table of ratings can hold.
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
        let is_ordered = labels.scale != Scale::Nominal;
        let all = STATISTICS.iter().map(|statistic| (statistic, Definition::named(statistic.name)));
        let suits =
            |definition: Option<&Definition>| is_ordered || !definition.is_some_and(Definition::needs_order);
        let suited = all.filter(|(_, definition)| suits(*definition)).collect();
        Ok(Some(Statistics { every: builder.finish(), labels, suited }))
    }

    fn size(&self) -> usize {
        self.labels.categories.len()
    }

    /// The place of the label of an answer.
    fn place(&self, answer: &Answer) -> Option<usize> {
        self.labels.code(answer).map(usize::from)
    }

    /// The statistics that suit the labels, and whether tables for people show them.
    pub fn list(&self) -> impl Iterator<Item = (&'static Statistic, bool)> {
        let is_nominal = self.labels.scale == Scale::Nominal;
        // For labels without an order the nominal alpha is the only one.
        let is_alpha =
            move |statistic: &Statistic| is_nominal && statistic.name == "krippendorff_alpha_nominal";
        self.suited
            .iter()
            .map(move |(statistic, _)| (*statistic, !statistic.is_detail || is_alpha(statistic)))
    }

    /// Each value with its range, for clusters that hold these labels.
    fn ranged(&self, values: Vec<PlacedMeasure>, labels: &ClusterLabels) -> Vec<(Measure, NumberRange)> {
        let counts = Counts::of(&self.every);
        let range = |(placed, (_, definition)): (PlacedMeasure, &(&Statistic, Option<&Definition>))| {
            let range = definition.map(|definition| definition.range(placed, labels, counts.codes()));
            (placed.map(|placed| placed.value), range.unwrap_or(NumberRange::SHARE))
        };
        values.into_iter().zip(&self.suited).map(range).collect()
    }

    /// The values of each pair, in the order of [`Statistics::list`]; empty for a pair without common items.
    fn of_pairs<'p>(&self, pairs: impl Iterator<Item = &'p PairCompared>) -> Vec<Vec<PlacedMeasure>> {
        let mut counts = Counts::of(&self.every);
        let of_pair = |pair: &PairCompared| {
            if pair.items() == 0 {
                return Vec::new();
            }
            counts.reweight(&pair.cells);
            let value = |(_, definition): &(&Statistic, Option<&Definition>)| match definition {
                Some(definition) => definition.placed(&counts).unwrap_or(Err(Undefined::NoPairableItems)),
                None => pair.linking.accuracy().map(|value| Placed { value, lowest: 0.0 }),
            };
            self.suited.iter().map(value).collect()
        };
        pairs.map(of_pair).collect()
    }

    /// The intervals by formula of a pair; `None` where there is no formula.
    fn formulas(&self, pair: &PairCompared) -> Vec<Option<std::result::Result<Interval, Undefined>>> {
        let mut counts = Counts::of(&self.every);
        counts.reweight(&pair.cells);
        let formula = |(_, definition): &(&Statistic, Option<&Definition>)| {
            definition.as_ref()?.coefficient(&counts)?.precision.interval
        };
        self.suited.iter().map(formula).collect()
    }
}

/// The mean of each statistic over the pairs that have a value. Without any, the reason of the first pair, or that there
/// is nothing to compare.
fn means<'p>(
    of_pairs: impl Iterator<Item = &'p Vec<PlacedMeasure>> + Clone,
    statistics: usize,
) -> Vec<PlacedMeasure> {
    let mean = |at: usize| {
        let measures = of_pairs.clone().filter_map(|values| values.get(at));
        let (mut sum, mut lowest, mut number, mut reason) = (0.0, 0.0, 0_usize, None);
        for measure in measures {
            match measure {
                Ok(one) => (sum, lowest, number) = (sum + one.value, lowest + one.lowest, number + 1),
                Err(why) => reason = reason.or(Some(*why)),
            }
        }
        match number {
            0 => Err(reason.unwrap_or(Undefined::NoPairableItems)),
            number => Ok(Placed { value: sum / number as f64, lowest: lowest / number as f64 }),
        }
    };
    (0..statistics).map(mean).collect()
}

/// Counts of the pairs of judgments that linking accuracy leaves out although one side names a bullet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unlinked {
    /// The person names no single bullet where the judge names some.
    pub person_names_none: usize,
    /// The judge names no bullet where the person names one.
    pub judge_names_none: usize,
    pub judge_names_several: usize,
}

/// The comparison of two annotators, of a judge with all people, or of all people among themselves.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    pub name: String,
    /// The items that a pair judged, and the pairs of judgments.
    pub items: Counted,
    pub kind: ClusterKind,
    /// The number of queries, where they are too few for an interval, so that summaries are the clusters.
    pub within: Option<u64>,
    /// The labels of both sides in each cluster.
    labels: ClusterLabels,
    /// The confusion matrix without sampling weights, row by row; rows are the labels of the first.
    seen: Vec<u32>,
    /// The stratum of each cluster.
    strata: BTreeMap<u32, u32>,
    /// For each cluster, the pairs of annotators with common items there, by their places in `all`.
    clusters: BTreeMap<u32, Vec<(usize, PairCompared)>>,
    /// The pairs of annotators with common items, over all clusters.
    all: Vec<PairCompared>,
    /// The values of each pair in `all`.
    of_pairs: Vec<Vec<PlacedMeasure>>,
    /// The means over the pairs, in the order of [`Statistics::list`]; undefined where no pair has a value.
    pub values: Vec<Estimate>,
    /// `None` where people are compared among themselves: nobody is the judge there.
    pub unlinked: Option<Unlinked>,
}

impl Compared {
    /// Compares these pairs of annotators on the chosen items.
    ///
    /// # Errors
    /// An answer is none of the choices.
    pub fn of(
        name: &str,
        (question, statistics): (&Question, &Statistics),
        answered: &AnsweredChoices<'_>,
        (pairs, is_looked_at): (&[AnnotatorPair], &dyn Fn(u32) -> bool),
        clusters: &ItemClusters,
    ) -> Result<Compared> {
        let (name, kind, unlinked) = (name.to_owned(), clusters.kind, Some(Unlinked::default()));
        let mut compared = Compared { name, kind, unlinked, ..Compared::default() };
        let mut items: Vec<usize> = vec![0; answered.items()];
        let mut strange = 0_usize;
        let size = statistics.size();
        let labels = answered.each_set(|answer| statistics.place(answer));
        let label = |given: &GivenAnswer| labels.get(given.set).copied().flatten();
        // For each cluster, the cells of a confusion matrix.
        let width = size * size;
        compared.seen = vec![0; width];
        let (mut cells, mut linkings) =
            (vec![0_u32; clusters.number * width], vec![(0, Linking::default()); clusters.number]);
        let mut strata: Vec<Option<u32>> = vec![None; clusters.number];
        for (a, b) in pairs {
            cells.fill(0);
            linkings.fill((0, Linking::default()));
            for (first, second) in answered.both(*a, *b).filter(|(given, _)| is_looked_at(given.item)) {
                let (Some(row), Some(column)) = (label(&first), label(&second)) else {
                    strange += 1;
                    continue;
                };
                // Items, labels and clusters are those of the question.
                items[first.item as usize] += 1;
                compared.unlinked.get_or_insert_default().add(first.link, second.link);
                let cluster = clusters.of(first.item) as usize;
                let (times, stratum) = clusters.drawn(first.item);
                let known = strata[cluster].get_or_insert(stratum);
                *known = if *known == stratum { stratum } else { SEVERAL_STRATA };
                compared.seen[row * size + column] += 1;
                let cell = &mut cells[cluster * width + row * size + column];
                *cell = cell.saturating_add(times);
                let (items, linking) = &mut linkings[cluster];
                *items += 1;
                linking.add(first.link.single(), second.link.single());
            }
            let parts = cells.chunks(width.max(1)).zip(&linkings).zip(0..);
            let own: Vec<(u32, PairCompared)> = parts
                .filter(|((cells, _), _)| cells.iter().any(|count| *count > 0))
                .map(|((cells, (items, linking)), cluster)| {
                    (cluster, PairCompared { cells: cells.to_vec(), items: *items, linking: *linking })
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
        compared.strata =
            (0..).zip(strata).filter_map(|(cluster, stratum)| Some((cluster, stratum?))).collect();
        items.iter().for_each(|times| compared.items.add(*times));
        compared.of_pairs = statistics.of_pairs(compared.all.iter());
        let plain = |value| Estimate { value, interval: None, clusters: 0 };
        let means = means(compared.of_pairs.iter(), statistics.suited.len());
        compared.values = means.into_iter().map(|mean| plain(mean.map(|placed| placed.value))).collect();
        // Each label counts once, however many pairs it is in.
        let mut held = vec![0_u64; clusters.number * size];
        let sides: BTreeSet<AnnotatorId> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        for given in
            sides.iter().flat_map(|side| answered.given(*side)).filter(|given| items[given.item as usize] > 0)
        {
            label(&given).into_iter().for_each(|label| {
                held[clusters.of(given.item) as usize * size + label] +=
                    u64::from(clusters.drawn(given.item).0)
            });
        }
        let held = held.chunks(size.max(1)).filter(|counts| counts.iter().any(|count| *count > 0));
        held.for_each(|counts| compared.labels.add(counts, 1));
        Ok(compared)
    }

    /// The number of clusters with an item that both sides judged.
    pub fn clusters(&self) -> u64 {
        self.clusters.len() as u64
    }

    /// Adds intervals to the values.
    #[must_use]
    pub fn with_intervals(mut self, statistics: &Statistics, intervals: Intervals) -> Compared {
        let clusters: Vec<u32> = self.clusters.keys().copied().collect();
        let whole = means(self.of_pairs.iter(), statistics.suited.len());
        let whole = statistics.ranged(whole, &self.labels);
        let carries = |at: usize, statistic| self.carries(clusters[at], statistic, statistics);
        let changed = |changed: &[(usize, u64)]| {
            self.changed(changed.iter().map(|(at, times)| (clusters[*at], *times)), statistics)
        };
        let strata: Vec<u32> =
            clusters.iter().filter_map(|cluster| self.strata.get(cluster).copied()).collect();
        let mut values = intervals.of_placed((clusters.len(), &strata), &whole, carries, changed);
        if let (Intervals::Formula, [pair]) = (intervals, self.all.as_slice()) {
            for (value, formula) in values.iter_mut().zip(statistics.formulas(pair)) {
                value.interval = formula.or(value.interval);
            }
        }
        self.values = values;
        self
    }

    /// The number of pairs of annotators behind the means.
    pub fn pairs(&self) -> usize {
        self.all.len()
    }

    /// The fewest items that a pair has in common.
    pub fn least_items(&self) -> u32 {
        self.all.iter().map(PairCompared::items).min().unwrap_or(0)
    }

    /// The values without intervals.
    fn measures(&self) -> Vec<Measure> {
        self.values.iter().map(|estimate| estimate.value).collect()
    }

    /// Whether a cluster has data for a statistic.
    fn carries(&self, cluster: u32, statistic: usize, statistics: &Statistics) -> bool {
        let is_about_labels =
            statistics.suited.get(statistic).is_some_and(|(_, definition)| definition.is_some());
        let mut pairs = self.clusters.get(&cluster).into_iter().flatten();
        pairs.any(|(_, pair)| is_about_labels || pair.linking.linked > 0)
    }

    /// The values where these clusters occur the given times, and all others once.
    fn changed(
        &self,
        clusters: impl Iterator<Item = (u32, u64)>,
        statistics: &Statistics,
    ) -> Vec<PlacedMeasure> {
        let mut pairs: BTreeMap<usize, PairCompared> = BTreeMap::new();
        for (cluster, times) in clusters {
            for (place, part) in self.clusters.get(&cluster).into_iter().flatten() {
                if let Some(all) = self.all.get(*place) {
                    pairs.entry(*place).or_insert_with(|| all.clone()).recount(part, times);
                }
            }
        }
        let values = statistics.of_pairs(pairs.values());
        let values: BTreeMap<usize, Vec<PlacedMeasure>> = pairs.into_keys().zip(values).collect();
        let of_pairs = self.of_pairs.iter().enumerate();
        let of_pairs = of_pairs.map(|(place, all)| values.get(&place).unwrap_or(all));
        means(of_pairs, statistics.suited.len())
    }

    /// The comparison of people among themselves: nobody is the judge there.
    #[must_use]
    pub fn of_people(self) -> Compared {
        Compared { unlinked: None, ..self }
    }

    /// The counts of linked and equal bullets, summed over the pairs.
    pub fn linking(&self) -> Linking {
        let mut sum = PairCompared::default();
        self.all.iter().for_each(|pair| sum.add(pair));
        sum.linking
    }

    /// The confusion matrix, summed over the pairs, without sampling weights; labels in scale order.
    pub fn confusion(&self, size: usize) -> Vec<Vec<u32>> {
        self.seen.chunks(size.max(1)).map(<[u32]>::to_vec).collect()
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
    /// The clusters of either comparison.
    fn either(&self) -> BTreeSet<u32> {
        self.judge.clusters.keys().chain(self.people.clusters.keys()).copied().collect()
    }

    /// The number of clusters of either comparison.
    pub fn clusters(&self) -> u64 {
        self.either().len() as u64
    }

    /// The judge's agreement with people less that of people among themselves, in the order of [`Statistics::list`]. A cluster
    /// is deleted from both at once, or drawn for both.
    pub fn differences(&self, statistics: &Statistics, intervals: Intervals) -> Vec<Estimate> {
        let (judge, people) = (&self.judge, &self.people);
        let clusters: Vec<u32> = self.either().into_iter().collect();
        let carries = |at: usize, statistic| {
            [judge, people].iter().any(|one| one.carries(clusters[at], statistic, statistics))
        };
        let changed = |changed: &[(usize, u64)]| {
            let times = || changed.iter().map(|(at, times)| (clusters[*at], *times));
            let values = |one: &Compared| -> Vec<Measure> {
                one.changed(times(), statistics)
                    .iter()
                    .map(|found| found.map(|placed| placed.value))
                    .collect()
            };
            difference(&values(judge), &values(people))
        };
        let whole = difference(&judge.measures(), &people.measures());
        let whole: Vec<_> = whole.into_iter().map(|value| (value, NumberRange::Any)).collect();
        intervals.of_clusters(clusters.len(), &whole, carries, changed)
    }
}

fn difference(first: &[Measure], second: &[Measure]) -> Vec<Measure> {
    first.iter().zip(second).map(|(first, second)| Ok((*first)? - (*second)?)).collect()
}
