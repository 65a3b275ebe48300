//! Coverage, citation and joint score of every row: the judgments that belong to it, pooled.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1; the arithmetic is that of [`crate::score`].

use std::collections::BTreeSet;

use super::column::{Column, Sets, pack};
use super::field::Field;
use super::relations::{at, from};
use super::table::Table;
use super::tables::Tables;
use crate::score::{InsightJudged, InsightScore, Pool, Undefined, percent};

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

/// What one item adds to its row beside the pooled scores.
#[derive(Default)]
struct OfItem {
    /// Judgments whose citations can be looked at.
    looked_at: usize,
    missed: usize,
    wrong: usize,
    /// Judgments that say covered, and those of them with nothing cited.
    covered: usize,
    uncited: usize,
    fates: u8,
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
        tables.for_each_judged_item(|item, scores| {
            let row = tables.row_of_item(table, item) as usize;
            let (Some(pool), Some(lost)) = (pools.get_mut(row), lost.get_mut(row)) else {
                return;
            };
            let mut of_item = OfItem::default();
            for score in scores {
                pool.add(score);
                of_item.add(score);
            }
            lost.add(&of_item);
            let fates = (0..FATES.len() as u32).filter(|fate| of_item.fates >> fate & 1 == 1);
            columns.fates.extend(fates.map(|fate| (row as u32, fate)));
        });
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

impl OfItem {
    fn add(&mut self, score: &InsightScore) {
        if !score.is_covered() {
            return;
        }
        self.covered += 1;
        self.uncited += usize::from(score.cited.is_empty());
        match score.citation {
            Ok(_) => {
                let (missed, wrong) = (score.missed().len(), score.wrong().len());
                self.looked_at += 1;
                self.missed += missed;
                self.wrong += wrong;
                self.fates |= u8::from(!score.right().is_empty());
                self.fates |= u8::from(wrong > 0) << 1;
                self.fates |= u8::from(missed > 0) << 2;
                self.fates |= u8::from(score.cited.is_empty()) << 4;
            }
            Err(Undefined::NothingLinked) => self.fates |= 1 << 3,
            // What is cited is seen also where the right documents are not known.
            Err(_) => self.fates |= u8::from(score.cited.is_empty()) << 4,
        }
    }
}

impl Lost {
    /// An item that several judged counts with the mean of what they lost.
    fn add(&mut self, item: &OfItem) {
        self.covered += item.covered;
        self.uncited += item.uncited;
        if item.looked_at > 0 {
            self.items += 1;
            self.missed += item.missed as f64 / item.looked_at as f64;
            self.wrong += item.wrong as f64 / item.looked_at as f64;
        }
    }
}

impl Tables {
    /// Hands over the scores of every item about coverage that someone who is counted has judged: its row of
    /// the table of items, and a score for each judgment.
    pub(super) fn for_each_judged_item(&self, mut take: impl FnMut(u32, &[InsightScore])) {
        let Some((table, questions)) = self.coverage_questions() else {
            return;
        };
        let Some(rows) = self.coverage.and_then(|place| self.relations.rows_of_items.get(place)) else {
            return;
        };
        let said: Vec<InsightJudged> =
            table.answer_sets().iter().map(|answers| questions.read(answers, "", None)).collect();
        let mut scores: Vec<InsightScore> = Vec::new();
        for of_item in table.rows().chunk_by(|one, other| one.item == other.item) {
            scores.clear();
            let item = of_item.first().map_or(u32::MAX, |row| from(rows, row.item));
            let Some(place) = at(&self.relations.items, item) else {
                continue;
            };
            let gold = at(&self.relations.gold, place.unit).and_then(Option::as_ref);
            let mut known: Option<(usize, usize)> = None;
            for row in of_item.iter().filter(|row| row.counts && self.is_counted(row.annotator)) {
                // Annotators who say the same have the same score.
                let same = known.filter(|(answers, _)| *answers == row.answers());
                if let Some(score) = same.and_then(|(_, place)| scores.get(place).cloned()) {
                    scores.push(score);
                    continue;
                }
                let Some(said) = said.get(row.answers()) else {
                    continue;
                };
                let score = self.insight_score(said, gold, place.candidate);
                if let Some(score) = score {
                    known = Some((row.answers(), scores.len()));
                    scores.push(score);
                }
            }
            if !scores.is_empty() {
                take(item, &scores);
            }
        }
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
