//! Scores of protocol files over the tables of a study: names and filters are looked up once, then each judgment
//! becomes a row of a [`Ratio`].
//!
//! A name is `[THING.][PROTOCOL.]NAME[@WHO]`. A name alone is this judgment's answer. With `@` it is the joined answer on the
//! same item. Behind a thing it is a field of the thing, or the joined answer of another protocol about it (see `joins`).

mod check;
mod columns;
mod joins;
mod names;
mod number;
mod test;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub use self::check::check_scores;
pub(super) use self::columns::ScoreColumn;
pub(super) use self::joins::WhoSays;
use self::number::{RowNumber, Unknown};
use self::test::RowTest;
use super::{BrowseTable, Entity, NONE, TableValue, Tables, at, from, reads_documents, written_number};
use crate::agreement::{Drawn, Estimate, Intervals, NumberRange};
use crate::error::{Error, Result, Topic};
use crate::journal::{JudgmentRow, Material};
use crate::number::{NO_PLACE, short};
use crate::protocol::{ScoreLevel, ScoreMade, ScoreRule};
use crate::score::{ClusterKind, Counted, Harmonic, Measure, Ratio, RatioKind, RatioRow, RatioSaid, Score};
use crate::study::{AnnotatorId, Corpus, SampledThing, Target};
use crate::text::natural::natural;
use joins::Joined;
use names::{NameMeant, asks_of, is_about};
use number::{JUDGED_FIELDS, JudgedField};

/// The scores of a protocol file, looked up in a study.
pub struct ScoreRules {
    /// The scores in the order of the file.
    rules: Vec<KnownRule>,
}

/// A score with its names looked up.
struct KnownRule {
    rule: ScoreRule,
    made: KnownMade,
}

enum KnownMade {
    Ratio(Box<KnownRatio>),
    /// The places of the two scores that are combined.
    F1(usize, usize),
}

struct KnownRatio {
    /// The rows of the ratio.
    of: RowsOf,
    judged: Option<Arc<Material>>,
    /// The rows of the file's own protocol, where the score is about another.
    file: Option<(RowsOf, Arc<Material>)>,
    /// The test that all rows of `file` about a thing must pass for the thing to be empty; else the thing is not judged yet.
    empty_where: Option<RowTest>,
    among: Option<RowTest>,
    value: RowNumber,
    weight: RowNumber,
    once: ScoreLevel,
    mean: Option<ScoreLevel>,
    kind: RatioKind,
}

/// The rows of a score: judgments under a protocol, or records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browse) enum RowsOf {
    /// The judgments under the protocol at this place.
    Protocol(usize),
    Records(BrowseTable),
}

impl RowsOf {
    fn table(self) -> BrowseTable {
        if let RowsOf::Records(table) = self { table } else { BrowseTable::Items }
    }
}

/// A row of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredRow {
    pub table: BrowseTable,
    pub row: u32,
    /// The annotator of the judgment; `None` where records are scored.
    pub annotator: Option<AnnotatorId>,
}

/// A score over some rows.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleScore {
    Ratio(Ratio),
    F1(Harmonic),
}

impl RuleScore {
    /// The score without its interval.
    ///
    /// # Errors
    /// The reason why there is no score.
    pub fn value(&self) -> Measure {
        match self {
            RuleScore::Ratio(ratio) => ratio.value(),
            RuleScore::F1(harmonic) => harmonic.value(),
        }
    }

    /// The score with its interval over the clusters.
    pub fn estimate(&self, intervals: Intervals) -> Estimate {
        match self {
            RuleScore::Ratio(ratio) => ratio.estimate(intervals),
            RuleScore::F1(harmonic) => harmonic.estimate(intervals),
        }
    }

    /// The score as a mean over clusters, where it is one; systems are ranked by it.
    pub fn score(&self) -> Option<Score> {
        match self {
            RuleScore::Ratio(ratio) => ratio.score(),
            RuleScore::F1(harmonic) => harmonic.score(),
        }
    }

    /// How many things of the score's level have a value; `None` for a score over all rows at once.
    pub fn levels(&self) -> Option<usize> {
        if let RuleScore::Ratio(ratio) = self { ratio.levels() } else { None }
    }

    /// Counts the things with weight, and their judgments; for F1, of its first part.
    pub fn counted(&self) -> Counted {
        let (RuleScore::Ratio(ratio) | RuleScore::F1(Harmonic { parts: [ratio, _], .. })) = self;
        ratio.counted
    }

    /// Counts the rows of which value or weight is not known, or whether they count.
    pub fn missing(&self) -> usize {
        match self {
            RuleScore::Ratio(ratio) => ratio.missing(),
            RuleScore::F1(harmonic) => harmonic.parts.iter().map(Ratio::missing).sum(),
        }
    }
}

impl Tables {
    /// Looks up the names in the scores of a protocol's file. Without a protocol, the scores are about records.
    ///
    /// # Errors
    /// A score names something that does not exist, or cannot be computed (usage).
    pub fn score_rules(&self, protocol: &str, rules: &[ScoreRule]) -> Result<ScoreRules> {
        self.score_rules_of(protocol, rules, &[])
    }

    /// As [`Tables::score_rules`], with other judgments of the same items in the place of the study's, such as gold or the
    /// majority.
    pub fn score_rules_of(
        &self,
        protocol: &str,
        rules: &[ScoreRule],
        judged: &[Arc<Material>],
    ) -> Result<ScoreRules> {
        let mut known: Vec<KnownRule> = Vec::new();
        for rule in rules {
            let made = match &rule.made {
                ScoreMade::Ratio(_) => KnownMade::Ratio(Box::new(self.known_ratio(protocol, rule, judged)?)),
                ScoreMade::F1(names) => {
                    let [one, other] = names.each_ref().map(|name| {
                        known.iter().position(|other| other.rule.name == *name).unwrap_or_default() // they stand above
                    });
                    let is_percent =
                        |at: usize| known.get(at).is_some_and(|other| other.range() == NumberRange::PERCENT);
                    if !is_percent(one) || !is_percent(other) {
                        return Err(rule.wrong("f1 takes two scores from 0 to 100"));
                    }
                    KnownMade::F1(one, other)
                }
            };
            known.push(KnownRule { rule: rule.clone(), made });
        }
        Ok(ScoreRules { rules: known })
    }

    /// The score at a place for each group. `group` gives the group of a row; `None` leaves the row out.
    pub fn scored_by(
        &self,
        rules: &ScoreRules,
        place: usize,
        cluster: ClusterKind,
        mut group: impl FnMut(ScoredRow) -> Option<u32>,
    ) -> BTreeMap<u32, RuleScore> {
        let Some(known) = rules.rules.get(place) else { return BTreeMap::new() };
        match &known.made {
            KnownMade::Ratio(ratio) => {
                let scored = self.ratios(ratio, (cluster, None), &mut group).into_iter();
                scored.map(|(group, ratio)| (group, RuleScore::Ratio(ratio))).collect()
            }
            KnownMade::F1(one, other) => {
                let outer = known.rule.mean;
                let mut of = |at: &usize| match rules.rules.get(*at).map(|known| &known.made) {
                    Some(KnownMade::Ratio(ratio)) => self.ratios(ratio, (cluster, outer), &mut group),
                    _ => BTreeMap::new(),
                };
                let (mut ones, mut others) = (of(one), of(other));
                let groups: BTreeSet<u32> = ones.keys().chain(others.keys()).copied().collect();
                let none = || Ratio::of(RatioKind::NOTHING, []);
                let both = |group: u32| {
                    let parts =
                        [ones.remove(&group), others.remove(&group)].map(|part| part.unwrap_or_else(none));
                    (group, RuleScore::F1(Harmonic { parts, has_level: outer.is_some() }))
                };
                groups.into_iter().map(both).collect()
            }
        }
    }
}

impl ScoreRules {
    /// The table whose rows the score at a place is over; for F1, that of its first part.
    pub fn table(&self, place: usize) -> BrowseTable {
        match self.rules.get(place).map(|known| &known.made) {
            Some(KnownMade::Ratio(ratio)) => ratio.of.table(),
            Some(KnownMade::F1(one, _)) => self.table(*one),
            None => BrowseTable::Items,
        }
    }

    /// The range of the score at a place.
    pub fn range(&self, place: usize) -> NumberRange {
        self.rules.get(place).map_or(NumberRange::Any, KnownRule::range)
    }
}

impl KnownRule {
    /// The range of the score.
    fn range(&self) -> NumberRange {
        match &self.made {
            KnownMade::F1(..) => NumberRange::PERCENT,
            KnownMade::Ratio(ratio) => ratio.kind.range,
        }
    }
}

impl Tables {
    /// A ratio for each group of rows; `outer` is the level of the F1 of which the ratio is a part.
    fn ratios(
        &self,
        known: &KnownRatio,
        (cluster, outer): (ClusterKind, Option<ScoreLevel>),
        group: &mut impl FnMut(ScoredRow) -> Option<u32>,
    ) -> BTreeMap<u32, Ratio> {
        let cluster_level = cluster_level(cluster);
        let weighs = self.corpus.weighed_by.is_some();
        let mut groups: BTreeMap<u32, Vec<RatioRow>> = BTreeMap::new();
        let own = (known.of, known.judged.as_deref());
        let file = known.file.as_ref().map(|(of, judged)| (*of, Some(&**judged)));
        // Things of which something has yet to be judged.
        let mut awaited: HashSet<u32> = HashSet::new();
        if let (Some((of, judged)), Some(test), Some(level)) = (&known.file, &known.empty_where, known.mean) {
            let levels = self.levels(of.table(), level);
            self.each_row(*of, Some(&**judged), |row, given| {
                if test.holds(given.map_or(0, JudgmentRow::answers), row.row) != Some(true) {
                    awaited.insert(from(&levels, row.row));
                }
            });
        }
        for (rows_of, judged) in std::iter::once(own).chain(file) {
            let table = rows_of.table();
            let mut levels: BTreeMap<ScoreLevel, Vec<u32>> = BTreeMap::new();
            for level in [Some(cluster_level), known.mean, outer, Some(known.once)].into_iter().flatten() {
                levels.entry(level).or_insert_with(|| self.levels(table, level));
            }
            let key = |level: ScoreLevel, row: u32| levels.get(&level).map_or(NONE, |keys| from(keys, row));
            let is_own = rows_of == known.of;
            self.each_row(rows_of, judged, |row, given| {
                let Some(number) = group(row) else { return };
                let answers = given.map_or(0, JudgmentRow::answers);
                let among = known.among.as_ref().map_or(Some(true), |among| among.holds(answers, row.row));
                let of = judged.zip(given);
                let weight = || known.weight.at(self, row.row, of);
                // Only a tie may yet be settled either way.
                let unsettled = |weight: std::result::Result<f64, Unknown>| match of {
                    Some((table, given)) if table.is_tied(given) => {
                        RatioSaid::Open { weight: weight.unwrap_or(f64::INFINITY) }
                    }
                    _ => RatioSaid::Missing,
                };
                let said = match among {
                    _ if !is_own => RatioSaid::Elsewhere,
                    None => unsettled(weight()),
                    Some(false)
                        if known.among.as_ref().is_none_or(|among| among.is_known(answers, row.row)) =>
                    {
                        RatioSaid::LeftOut
                    }
                    Some(false) => RatioSaid::Unsaid,
                    Some(true) => match (known.value.at(self, row.row, of), weight()) {
                        (Ok(value), Ok(weight)) => RatioSaid::Worth { value, weight },
                        (Err(Unknown::Missing), _) | (_, Err(Unknown::Missing)) => RatioSaid::Missing,
                        (_, weight) => unsettled(weight),
                    },
                };
                let of_level = |level: Option<ScoreLevel>| {
                    level.map_or(Some(0), |level| Some(key(level, row.row)).filter(|key| *key != NONE))
                };
                let Some(outer) = of_level(outer) else { return };
                if !is_own && of_level(known.mean).is_some_and(|level| awaited.contains(&level)) {
                    return;
                }
                let target = if weighs { self.target_at(row.table, row.row) } else { None };
                groups.entry(number).or_default().push(RatioRow {
                    cluster: key(cluster_level, row.row),
                    outer,
                    level: of_level(known.mean),
                    thing: key(known.once, row.row),
                    annotator: row.annotator.map_or(0, |annotator| annotator.0),
                    drawn: target.map_or_else(Drawn::default, |target| self.corpus.drawn(&target).into()),
                    said,
                });
            });
        }
        let kind = RatioKind {
            is_drawn: outer.or(known.mean).is_some_and(|level| self.is_drawn(level)),
            ..known.kind
        };
        groups.into_iter().map(|(group, rows)| (group, Ratio::of(kind, rows))).collect()
    }

    /// Whether each thing of this level lies within one drawn thing, where estimates are weighted by a sample.
    fn is_drawn(&self, level: ScoreLevel) -> bool {
        use ScoreLevel::{Bullet, Candidate, Document, Item, Query, Unit};
        let sample = self.corpus.weighed_by.and_then(|place| self.corpus.samples.get(place));
        sample.is_some_and(|sample| match sample.sample.of {
            SampledThing::Query => [Query, Candidate, Unit, Bullet, Item].contains(&level),
            SampledThing::Candidate => [Candidate, Bullet, Item].contains(&level),
            SampledThing::Bullet => [Bullet, Item].contains(&level),
            SampledThing::Unit => [Unit, Item].contains(&level),
            SampledThing::Document => [Document, Item].contains(&level),
            SampledThing::Pair | SampledThing::Item => level == Item,
        })
    }

    /// Calls `take` for every row, with its judgment; a record has none.
    fn each_row(
        &self,
        of: RowsOf,
        judged: Option<&Material>,
        mut take: impl FnMut(ScoredRow, Option<&JudgmentRow>),
    ) {
        match of {
            RowsOf::Protocol(place) => {
                let (Some(table), Some(rows)) = (judged, self.relations.rows_of_items.get(place)) else {
                    return;
                };
                for judged in table.rows().iter().filter(|judged| judged.counts()) {
                    let row = from(rows, judged.item);
                    let annotator = Some(judged.annotator());
                    take(ScoredRow { table: BrowseTable::Items, row, annotator }, Some(judged));
                }
            }
            RowsOf::Records(table) => {
                for row in 0..short(self.len(table)) {
                    take(ScoredRow { table, row, annotator: None }, None);
                }
            }
        }
    }

    /// For each query, by its number as a cluster, the number of its collection; empty for other kinds of cluster.
    pub fn wider_clusters(&self, kind: ClusterKind) -> Vec<u32> {
        if kind != ClusterKind::Collection {
            return Vec::new();
        }
        let [queries, collections] =
            [ScoreLevel::Query, ScoreLevel::Collection].map(|level| self.levels(BrowseTable::Queries, level));
        let mut wider = vec![NONE; queries.len()];
        for (query, collection) in queries.into_iter().zip(collections) {
            if let Some(slot) = wider.get_mut(query as usize) {
                *slot = collection;
            }
        }
        wider
    }

    /// The number of each row's cluster, as scores number clusters.
    pub fn clusters_of(&self, table: BrowseTable, kind: ClusterKind) -> Vec<u32> {
        self.levels(table, cluster_level(kind))
    }

    /// The place of the candidate that a row is about, if any.
    pub fn candidate_of(&self, table: BrowseTable, row: u32) -> Option<u32> {
        Some(self.part(table, row, Entity::Candidate)).filter(|place| *place != NONE)
    }

    /// The name of the system of the candidate at a place.
    pub fn system_of(&self, candidate: u32) -> String {
        self.system_name(from(&self.relations.system_of_candidate, candidate))
    }

    /// A field of the candidates as numbers; `NaN` for candidates without one.
    ///
    /// # Errors
    /// There is no such field, or its values are no numbers (usage).
    pub fn numbers_of_candidates(&self, name: &str) -> Result<Vec<f64>> {
        let table = BrowseTable::Candidates;
        let wrong = |what: String| Error::usage(what).under(Topic::Filters);
        let source = self.field_named(table, name, false);
        let source =
            source.ok_or_else(|| wrong(self.no_field(table, name, "`haymark help filters` lists them")))?;
        let column = self.column_of(table, source);
        let number = |row: u32| column.and_then(|column| column.number(row)).unwrap_or(f64::NAN);
        match self.kind_of(source).is_number() {
            true => Ok((0..short(self.len(table))).map(number).collect()),
            false => {
                let word = |row: u32| match column?.value(row) {
                    TableValue::Text(word) if written_number(word).is_none() => Some(word),
                    _ => None,
                };
                let odd = (0..short(self.len(table))).find_map(word);
                let odd = odd.map_or_else(String::new, |word| format!(": one is {word:?}"));
                Err(wrong(format!("{name} is no number of the summaries{odd}")))
            }
        }
    }

    /// The target of a scored record; `None` where the record belongs to no query.
    pub fn target_of(&self, table: BrowseTable, row: u32) -> Option<Target> {
        let place = |entity: Entity| self.place(table, row, entity);
        let query = at(&self.corpus.queries, place(Entity::Query)).map(|(id, _)| *id)?;
        let unit = at(&self.corpus.units, place(Entity::Unit)).map(|(id, _)| *id);
        let candidate =
            at(&self.corpus.candidates, self.part(table, row, Entity::Candidate)).map(|(id, _)| *id);
        Some(Target { unit, candidate, ..Target::of_query(query) })
    }

    /// For each row of a table the number of its thing of this level, [`NONE`] where there is none. Queries and collections are
    /// numbered in the order of their keys, so that no sum depends on the order of records.
    fn levels(&self, table: BrowseTable, level: ScoreLevel) -> Vec<u32> {
        let rows = 0..short(self.len(table));
        let place = |entity: Entity| rows.clone().map(move |row| self.place(table, row, entity));
        let ranked =
            |places: Vec<u32>, ranks: Vec<u32>| places.into_iter().map(|place| from(&ranks, place)).collect();
        match level {
            ScoreLevel::Item => rows.collect(),
            ScoreLevel::Unit => place(Entity::Unit).collect(),
            ScoreLevel::Document => place(Entity::Document).collect(),
            ScoreLevel::Query => ranked(place(Entity::Query).collect(), query_ranks(&self.corpus)),
            ScoreLevel::Collection => {
                ranked(place(Entity::Collection).collect(), collection_ranks(&self.corpus))
            }
            ScoreLevel::Candidate => rows.map(|row| self.part(table, row, Entity::Candidate)).collect(),
            ScoreLevel::Bullet => {
                let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
                let mut number = |row: u32| {
                    let item = at(&self.relations.items, row).filter(|item| item.bullet != NONE)?;
                    let next = short(numbers.len());
                    Some(*numbers.entry((item.candidate, item.bullet)).or_insert(next))
                };
                let is_items = table == BrowseTable::Items;
                rows.map(|row| if is_items { number(row).unwrap_or(NONE) } else { NONE }).collect()
            }
        }
    }
}

fn cluster_level(kind: ClusterKind) -> ScoreLevel {
    match kind {
        ClusterKind::Collection => ScoreLevel::Collection,
        ClusterKind::Summary => ScoreLevel::Candidate,
        ClusterKind::Item => ScoreLevel::Item,
        _ => ScoreLevel::Query,
    }
}

/// Whether any of the scores reads the texts of documents.
pub fn scores_read_documents(rules: &[ScoreRule]) -> bool {
    rules.iter().any(|rule| {
        let ScoreMade::Ratio(ratio) = &rule.made else { return false };
        let numbers = || std::iter::once(&ratio.value).chain(&ratio.weight);
        let names: Vec<String> = numbers().filter_map(|number| number.name().map(str::to_owned)).collect();
        let filters = numbers().flat_map(|number| number.filters()).map(|(filter, _)| filter);
        reads_documents("", &names)
            || filters.chain(ratio.among.as_deref()).any(|filter| reads_documents(filter, &[]))
    })
}

/// For each query, its rank in the order of keys.
fn query_ranks(corpus: &Corpus) -> Vec<u32> {
    ranks(corpus.queries.iter().map(|(_, query)| (query.collection.as_str(), query.id.as_str())))
}

fn collection_ranks(corpus: &Corpus) -> Vec<u32> {
    ranks(corpus.collections.iter().map(|(_, collection)| (collection.id.as_str(), "")))
}

fn ranks<'k>(keys: impl Iterator<Item = (&'k str, &'k str)>) -> Vec<u32> {
    let keys: Vec<(&str, &str)> = keys.collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_cached_key(|place| {
        keys.get(*place).map(|(one, other)| (natural(one), *one, natural(other), *other))
    });
    let mut ranks = vec![NO_PLACE; keys.len()];
    for (rank, place) in (0..).zip(order) {
        if let Some(slot) = ranks.get_mut(place) {
            *slot = rank;
        }
    }
    ranks
}
