//! Coverage, citation and joint score of every row: the mean over its items, each the mean of its judgments.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1; the arithmetic is that of [`crate::score`].

use std::collections::BTreeSet;

use super::{BrowseTable, ColumnValues, ItemPlace, Sets, Tables, at, from, pack};
use crate::score::{InsightSaid, InsightScore, Mean, ScoreParts, ScorePool, Undefined, percent};

/// The scores of a row; measures as [`pack`] makes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowScores {
    pub(super) coverage: f64,
    pub(super) citation: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) joint: f64,
    pub(super) covered: u32,
    pub(super) uncovered: u32,
    pub(super) missed: f64,
    pub(super) wrong: f64,
    pub(super) uncited: f64,
    /// The fates of the citations: a bit for each place in [`FATES`].
    fates: u8,
}

/// The fates that the citations of a covered unit can have.
const FATES: [&str; 5] = ["right", "wrong", "missed", "unlinked", "uncited"];

/// One set of answers about an item of coverage, and the scores that follow from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoredItem {
    /// Row of the table of items; entries of one item stand together.
    pub(super) item: u32,
    /// How many annotators gave these answers.
    pub(super) times: u32,
    pub(super) parts: ScoreParts,
    missed: u32,
    wrong: u32,
    /// Whether the unit is covered and nothing is cited for it.
    is_uncited: bool,
    /// The fates of the citations: a bit for each place in [`FATES`].
    fates: u8,
}

impl ScoredItem {
    fn of(item: u32, score: &InsightScore) -> ScoredItem {
        let (parts, is_covered) = (score.parts, score.parts.coverage > 0.0);
        let is_uncited = is_covered && score.cited.is_empty();
        let mut scored = ScoredItem { item, times: 1, parts, missed: 0, wrong: 0, is_uncited, fates: 0 };
        match parts.citation {
            Ok(_) => {
                (scored.missed, scored.wrong) = (score.missed().len() as u32, score.wrong().len() as u32);
                scored.fates = u8::from(!score.right().is_empty())
                    | u8::from(scored.wrong > 0) << 1
                    | u8::from(scored.missed > 0) << 2
                    | u8::from(score.cited.is_empty()) << 4;
            }
            Err(Undefined::NothingLinked) if is_covered => scored.fates = 1 << 3,
            // "uncited" is known even where the gold documents are not.
            Err(_) => scored.fates = u8::from(is_uncited) << 4,
        }
        scored
    }
}

/// The scored items, each with one entry for each judgment.
pub(super) fn by_item(scored: &[ScoredItem]) -> impl Iterator<Item = (u32, Vec<ScoreParts>)> {
    let of_item = scored.chunk_by(|one, other| one.item == other.item);
    of_item.filter_map(|of_item| Some((of_item.first()?.item, parts(of_item))))
}

fn parts(of_item: &[ScoredItem]) -> Vec<ScoreParts> {
    of_item.iter().flat_map(|scored| std::iter::repeat_n(scored.parts, scored.times as usize)).collect()
}

/// Sums of missed and wrongly cited documents, over the items with a citation score.
#[derive(Clone, Default)]
struct Lost {
    items: usize,
    missed: f64,
    wrong: f64,
    /// Percentage of the annotators calling an item covered for whom nothing is cited.
    uncited: Mean,
    fates: u8,
}

impl RowScores {
    fn of(pool: ScorePool, lost: &Lost) -> RowScores {
        let scores = pool.scores();
        let reason = scores.citation.err().unwrap_or(Undefined::NothingCovered);
        let known = |sum: f64| if lost.items == 0 { pack(Err(reason)) } else { sum };
        RowScores {
            coverage: pack(scores.coverage),
            citation: pack(scores.citation),
            precision: pack(scores.precision),
            recall: pack(scores.recall),
            joint: pack(scores.joint),
            covered: scores.counts.covered as u32,
            uncovered: (scores.counts.judged.items - scores.counts.covered) as u32,
            missed: known(lost.missed),
            wrong: known(lost.wrong),
            uncited: pack(lost.uncited.or(Undefined::NothingCovered)),
            fates: lost.fates,
        }
    }
}

impl Lost {
    /// Adds an item; several judgments of it count with their mean.
    fn add(&mut self, of_item: &[ScoredItem]) {
        self.fates |= of_item.iter().fold(0, |fates, scored| fates | scored.fates);
        let count = |holds: fn(&ScoredItem) -> bool| -> usize {
            of_item.iter().filter(|scored| holds(scored)).map(|scored| scored.times as usize).sum()
        };
        let covered = count(|scored| scored.parts.coverage > 0.0);
        self.uncited.extend(percent(count(|scored| scored.is_uncited), covered, Undefined::NothingCovered));
        let looked_at = || of_item.iter().filter(|scored| scored.parts.citation.is_ok());
        let times: u32 = looked_at().map(|scored| scored.times).sum();
        if times > 0 {
            let sum = |lost: fn(&ScoredItem) -> u32| -> f64 {
                looked_at().map(|scored| f64::from(scored.times) * f64::from(lost(scored))).sum()
            };
            self.items += 1;
            self.missed += sum(|scored| scored.missed) / f64::from(times);
            self.wrong += sum(|scored| scored.wrong) / f64::from(times);
        }
    }
}

impl Tables {
    /// The scores of every row, pooled over the counted judgments of its items.
    pub(super) fn score_rows(&self, table: BrowseTable) -> Vec<RowScores> {
        let mut rows = vec![(ScorePool::default(), Lost::default()); self.len(table)];
        for of_item in self.scored().chunk_by(|one, other| one.item == other.item) {
            let row = of_item.first().map(|scored| self.row_of_item(table, scored.item));
            if let Some((pool, lost)) = row.and_then(|row| rows.get_mut(row as usize)) {
                pool.add(&parts(of_item), 1.0);
                lost.add(of_item);
            }
        }
        rows.into_iter().map(|(pool, lost)| RowScores::of(pool, &lost)).collect()
    }

    /// A column of measures.
    pub(super) fn scores(&self, table: BrowseTable, score: fn(&RowScores) -> f64) -> ColumnValues {
        ColumnValues::Numbers(self.scores_of(table).iter().map(score).collect())
    }

    /// A column of counts behind the scores.
    pub(super) fn score_counts(&self, table: BrowseTable, count: fn(&RowScores) -> u32) -> ColumnValues {
        ColumnValues::Counts(self.scores_of(table).iter().map(count).collect())
    }

    /// A column of the fates of the citations.
    pub(super) fn fates(&self, table: BrowseTable) -> ColumnValues {
        let fates = (0..).zip(self.scores_of(table)).flat_map(|(row, scores)| {
            let fates = scores.fates;
            (0..FATES.len() as u32).filter(move |fate| fates >> fate & 1 == 1).map(move |fate| (row, fate))
        });
        ColumnValues::Sets(Sets::from_pairs(
            self.len(table),
            fates.collect(),
            FATES.map(str::to_owned).to_vec(),
        ))
    }

    /// The counted judgments about coverage, item by item; equal answers to an item are one entry.
    pub(super) fn score_items(&self) -> Vec<ScoredItem> {
        let rows = self.coverage.and_then(|place| self.relations.rows_of_items.get(place));
        let (Some((table, questions)), Some(rows)) = (self.coverage_questions(), rows) else {
            return Vec::new();
        };
        let said: Vec<InsightSaid> =
            table.answer_sets().iter().map(|answers| questions.read(answers)).collect();
        let mut all: Vec<ScoredItem> = Vec::new();
        let mut of_item: Vec<(usize, ScoredItem)> = Vec::new();
        for judged in table.rows().chunk_by(|one, other| one.item == other.item) {
            let item = judged.first().map_or(u32::MAX, |row| from(rows, row.item));
            let Some(place) = at(&self.relations.items, item) else { continue };
            of_item.clear();
            for row in judged.iter().filter(|row| self.is_counting(row)) {
                if let Some((_, same)) = of_item.iter_mut().find(|(answers, _)| *answers == row.answers()) {
                    same.times += 1;
                    continue;
                }
                let score = said.get(row.answers()).and_then(|said| self.insight_score(said, place));
                of_item.extend(score.map(|score| (row.answers(), ScoredItem::of(item, &score))));
            }
            all.extend(of_item.iter().map(|(_, scored)| *scored));
        }
        all
    }

    /// The score of an annotator's answers about the unit and the candidate of an item.
    pub(super) fn insight_score(&self, said: &InsightSaid, place: &ItemPlace) -> Option<InsightScore> {
        let gold = at(&self.relations.gold, place.unit).and_then(Option::as_ref);
        let bullets = at(&self.relations.bullets, place.candidate).map_or(&[][..], Vec::as_slice);
        let linked = said.bullets.iter().filter_map(|number| bullets.get(number.checked_sub(1)? as usize));
        // The score reads the linked bullets only, so only they are passed on, with new numbers.
        let cited: Vec<BTreeSet<u32>> = linked.map(|bullet| bullet.cited.clone()).collect();
        let said = InsightSaid { coverage: said.coverage, bullets: (1..=cited.len() as u32).collect() };
        said.score(gold, &cited)
    }
}
