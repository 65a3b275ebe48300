//! Coverage, citation and joint score of every row: the judgments that belong to it, pooled.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1; the arithmetic is that of [`crate::score`].

use std::collections::BTreeSet;

use super::column::{Column, Sets, pack};
use super::field::Field;
use super::relations::{at, from};
use super::table::Table;
use super::tables::Tables;
use crate::score::{InsightJudged, InsightScore, Pool, ScoreParts, Undefined, percent};

/// The scores of the rows of one table.
#[derive(Debug, Default)]
pub(super) struct ScoreColumns {
    coverage: Vec<f64>,
    citation: Vec<f64>,
    precision: Vec<f64>,
    recall: Vec<f64>,
    joint: Vec<f64>,
    covered: Vec<u32>,
    uncovered: Vec<u32>,
    missed: Vec<f64>,
    wrong: Vec<f64>,
    uncited: Vec<f64>,
    /// What became of the citations: places in [`FATES`] by row.
    fates: Vec<(u32, u32)>,
}

/// What becomes of the citations of a covered unit.
pub(super) const FATES: [&str; 5] = ["right", "wrong", "missed", "unlinked", "uncited"];

/// What some annotators say about an item of coverage, with what follows from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Row of the table of items; those of one item stand together.
    pub(super) item: u32,
    /// How many say so.
    pub(super) times: u32,
    pub(super) parts: ScoreParts,
    missed: u16,
    wrong: u16,
    /// Whether it is covered and nothing is cited for it.
    is_uncited: bool,
    /// Places in [`FATES`], a bit each.
    fates: u8,
}

impl Scored {
    fn of(item: u32, score: &InsightScore) -> Scored {
        let is_uncited = score.is_covered() && score.cited.is_empty();
        let mut scored =
            Scored { item, times: 1, parts: score.parts(), missed: 0, wrong: 0, is_uncited, fates: 0 };
        match score.citation {
            Ok(_) => {
                let count = |numbers: Vec<u32>| u16::try_from(numbers.len()).unwrap_or(u16::MAX);
                (scored.missed, scored.wrong) = (count(score.missed()), count(score.wrong()));
                scored.fates = u8::from(!score.right().is_empty())
                    | u8::from(scored.wrong > 0) << 1
                    | u8::from(scored.missed > 0) << 2
                    | u8::from(score.cited.is_empty()) << 4;
            }
            Err(Undefined::NothingLinked) if score.is_covered() => scored.fates = 1 << 3,
            // What is cited is seen also where the right documents are not known.
            Err(_) => scored.fates = u8::from(is_uncited) << 4,
        }
        scored
    }
}

/// Documents missed and cited wrongly, over the items that can be looked at.
#[derive(Clone, Default)]
struct Lost {
    items: usize,
    missed: f64,
    wrong: f64,
    covered: usize,
    uncited: usize,
}

impl ScoreColumns {
    pub(super) fn of(tables: &Tables, table: Table) -> ScoreColumns {
        let rows = tables.len(table);
        let mut pools = vec![Pool::default(); rows];
        let mut lost = vec![Lost::default(); rows];
        let mut columns = ScoreColumns::default();
        for of_item in tables.scored().chunk_by(|one, other| one.item == other.item) {
            let item = of_item.first().map_or(u32::MAX, |scored| scored.item);
            let row = tables.row_of_item(table, item) as usize;
            let (Some(pool), Some(lost)) = (pools.get_mut(row), lost.get_mut(row)) else {
                continue;
            };
            let mut fates = 0;
            for scored in of_item {
                (0..scored.times).for_each(|_| pool.add_parts(&scored.parts));
                fates |= scored.fates;
            }
            lost.add(of_item);
            let fates = (0..FATES.len() as u32).filter(|fate| fates >> fate & 1 == 1);
            columns.fates.extend(fates.map(|fate| (row as u32, fate)));
        }
        for (pool, lost) in pools.into_iter().zip(lost) {
            columns.push(pool, &lost);
        }
        columns
    }

    fn push(&mut self, pool: Pool, lost: &Lost) {
        let scores = pool.scores();
        self.coverage.push(pack(scores.coverage));
        self.citation.push(pack(scores.citation));
        self.precision.push(pack(scores.precision));
        self.recall.push(pack(scores.recall));
        self.joint.push(pack(scores.joint));
        self.covered.push(scores.counts.covered as u32);
        self.uncovered.push((scores.counts.judged - scores.counts.covered) as u32);
        let reason = scores.citation.err().unwrap_or(Undefined::NothingCovered);
        let known = |sum: f64| if lost.items == 0 { pack(Err(reason)) } else { sum };
        self.missed.push(known(lost.missed));
        self.wrong.push(known(lost.wrong));
        self.uncited.push(pack(percent(lost.uncited, lost.covered, Undefined::NothingCovered)));
    }

    pub(super) fn column(&self, field: Field) -> Column {
        match field {
            Field::Coverage => Column::Numbers(self.coverage.clone()),
            Field::Citation => Column::Numbers(self.citation.clone()),
            Field::Precision => Column::Numbers(self.precision.clone()),
            Field::Recall => Column::Numbers(self.recall.clone()),
            Field::Missed => Column::Numbers(self.missed.clone()),
            Field::Wrong => Column::Numbers(self.wrong.clone()),
            Field::Uncited => Column::Numbers(self.uncited.clone()),
            Field::Covered => Column::Counts(self.covered.clone()),
            Field::Uncovered => Column::Counts(self.uncovered.clone()),
            Field::Citations => {
                let words = FATES.map(str::to_owned).to_vec();
                Column::Sets(Sets::from_pairs(self.joint.len(), self.fates.clone(), words))
            }
            _ => Column::Numbers(self.joint.clone()),
        }
    }
}

impl Lost {
    /// An item that several judged counts with the mean of what they lost.
    fn add(&mut self, of_item: &[Scored]) {
        let count = |holds: fn(&Scored) -> bool| -> usize {
            of_item.iter().filter(|scored| holds(scored)).map(|scored| scored.times as usize).sum()
        };
        self.covered += count(|scored| scored.parts.coverage > 0.0);
        self.uncited += count(|scored| scored.is_uncited);
        let looked_at = || of_item.iter().filter(|scored| scored.parts.citation.is_ok());
        let times: u32 = looked_at().map(|scored| scored.times).sum();
        if times > 0 {
            let sum = |lost: fn(&Scored) -> u16| -> f64 {
                looked_at().map(|scored| f64::from(scored.times) * f64::from(lost(scored))).sum()
            };
            self.items += 1;
            self.missed += sum(|scored| scored.missed) / f64::from(times);
            self.wrong += sum(|scored| scored.wrong) / f64::from(times);
        }
    }
}

impl Tables {
    /// What those who are counted say about coverage, item by item, the same said by several once.
    pub(super) fn score_items(&self) -> Vec<Scored> {
        let rows = self.coverage.and_then(|place| self.relations.rows_of_items.get(place));
        let (Some((table, questions)), Some(rows)) = (self.coverage_questions(), rows) else {
            return Vec::new();
        };
        let said: Vec<InsightJudged> =
            table.answer_sets().iter().map(|answers| questions.read(answers, "", None)).collect();
        let mut all: Vec<Scored> = Vec::new();
        let mut of_item: Vec<(usize, Scored)> = Vec::new();
        for judged in table.rows().chunk_by(|one, other| one.item == other.item) {
            let item = judged.first().map_or(u32::MAX, |row| from(rows, row.item));
            let Some(place) = at(&self.relations.items, item) else {
                continue;
            };
            let gold = at(&self.relations.gold, place.unit).and_then(Option::as_ref);
            of_item.clear();
            for row in judged.iter().filter(|row| row.counts && self.is_counted(row.annotator)) {
                if let Some((_, same)) = of_item.iter_mut().find(|(answers, _)| *answers == row.answers()) {
                    same.times += 1;
                    continue;
                }
                let score =
                    said.get(row.answers()).and_then(|said| self.insight_score(said, gold, place.candidate));
                of_item.extend(score.map(|score| (row.answers(), Scored::of(item, &score))));
            }
            all.extend(of_item.iter().map(|(_, scored)| *scored));
        }
        all
    }

    /// The score of what was said about a unit in a candidate.
    pub(super) fn insight_score(
        &self,
        said: &InsightJudged,
        gold: Option<&BTreeSet<u32>>,
        candidate: u32,
    ) -> Option<InsightScore> {
        let bullets = at(&self.relations.bullets, candidate).map_or(&[][..], Vec::as_slice);
        let linked = said.bullets.iter().filter_map(|number| bullets.get(number.checked_sub(1)? as usize));
        // Only the linked bullets are looked at, so only they are handed on, numbered anew.
        let cited: Vec<BTreeSet<u32>> = linked.map(|bullet| bullet.cited.clone()).collect();
        let judged = InsightJudged {
            unit: String::new(),
            coverage: said.coverage,
            bullets: (1..=cited.len() as u32).collect(),
            gold: gold.cloned(),
        };
        judged.score(&cited)
    }
}
