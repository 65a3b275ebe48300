//! Two candidates of one query side by side, and one system against another over all queries.

use super::{BrowseTable, BulletDetail, NONE, Tables, Working, at, from};
use crate::score::{Mean, Measure, Scores, Undefined};
use crate::study::{Candidate, Query, Unit};

/// Two candidates of one query.
#[derive(Debug, Clone, PartialEq)]
pub struct SideBySide<'t> {
    pub query: Option<&'t Query>,
    pub sides: [Side<'t>; 2],
    /// The units of the query, in the order of the study.
    pub insights: Vec<Aligned<'t>>,
    /// Numbers of the bullets of each side that cover no unit.
    pub unaligned: [Vec<u32>; 2],
}

/// One of the two candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Side<'t> {
    /// Row of the table of candidates.
    pub row: u32,
    /// The system that made the candidate.
    pub system: String,
    pub candidate: Option<&'t Candidate>,
    /// [`BulletDetail::covers`] is empty here: see [`Aligned::sides`].
    pub bullets: Vec<BulletDetail>,
    /// `None` where nothing is judged.
    pub scores: Option<Scores>,
    /// As [`Detail::other_scores`](super::Detail::other_scores).
    pub other_scores: Vec<(String, String)>,
}

/// A unit, and what annotators say of it on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned<'t> {
    pub unit: &'t Unit,
    /// Numbers of the documents that contain the unit, ascending; `None` where they are not known.
    pub gold: Option<Vec<u32>>,
    /// For each side, the working of every annotator who counts: label, bullets, right, wrong and missed documents.
    pub sides: [Vec<Working<'t>>; 2],
}

/// A system against another, query by query.
#[derive(Debug, Clone, PartialEq)]
pub struct Duel {
    /// The names of the systems.
    pub systems: [String; 2],
    /// The first score that any query has: `joint`, `coverage`, or one of another protocol.
    pub measure: String,
    /// The queries by margin: the widest for the first system first, queries without a margin last.
    pub rows: Vec<DuelRow>,
    /// The number of queries that each system wins.
    pub wins: [usize; 2],
    pub ties: usize,
    /// Mean of the margins.
    pub margin: Measure,
}

/// One query of a duel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuelRow {
    /// Row of the table of queries.
    pub query: u32,
    /// Rows of the table of candidates; of the same document order where both systems have it.
    pub candidates: [u32; 2],
    /// The scores of both systems, 0 to 100.
    pub scores: [Measure; 2],
    /// The first score less the second.
    pub margin: Measure,
}

impl Tables {
    /// Two candidates side by side: rows of the table of candidates.
    pub fn compare(&self, left: u32, right: u32) -> SideBySide<'_> {
        let query = from(&self.relations.query_of_candidate, left);
        let rows = [left, right];
        let working = rows.map(|row| self.working(&self.items_of(BrowseTable::Candidates, row)));
        let mut insights = Vec::new();
        for place in at(&self.relations.units_of_query, query).into_iter().flatten() {
            let owner = from(&self.relations.owner_of_unit, *place);
            let Some(unit) = self.unit(*place).filter(|_| owner == NONE || rows.contains(&owner)) else {
                continue;
            };
            let gold = at(&self.relations.gold, *place).and_then(Option::as_ref);
            let [one, other] = &working;
            insights.push(Aligned {
                unit,
                gold: gold.map(|gold| gold.iter().copied().collect()),
                sides: [of_unit(one, unit), of_unit(other, unit)],
            });
        }
        let side = |row: u32| Side {
            row,
            system: self.system_name(from(&self.relations.system_of_candidate, row)),
            candidate: self.candidate(row),
            bullets: self.bullets(row, &[]),
            scores: self.pooled(&self.items_of(BrowseTable::Candidates, row)),
            other_scores: self.scores_of_row(BrowseTable::Candidates, row),
        };
        let uncovered = |row: u32, working: &[Working<'_>]| -> Vec<u32> {
            let bullets = self.bullets(row, working).into_iter();
            bullets.filter(|bullet| bullet.covers.is_empty()).map(|bullet| bullet.number).collect()
        };
        let [one, other] = &working;
        SideBySide {
            query: self.query(query),
            sides: rows.map(side),
            unaligned: [uncovered(left, one), uncovered(right, other)],
            insights,
        }
    }

    /// The other candidates of a candidate's query.
    pub fn others(&self, candidate: u32) -> Vec<u32> {
        let query = from(&self.relations.query_of_candidate, candidate);
        let all = at(&self.relations.candidates_of_query, query).into_iter().flatten().copied();
        all.filter(|other| *other != candidate).collect()
    }

    /// The pair of the same two systems at the next query that has both, or at the one before. Behind the last query
    /// comes the first. `None` where no other query has both.
    pub fn next_pair(&self, left: u32, right: u32, back: bool) -> Option<(u32, u32)> {
        let query = from(&self.relations.query_of_candidate, left);
        let queries = self.corpus.queries.len() as u32;
        let turned = |step: u32| match back {
            false => (query + step) % queries,
            true => (query + queries - step) % queries,
        };
        (1..queries).map(turned).find_map(|query| self.pair_at(query, left, right))
    }

    /// The candidates of a query that are like these two.
    fn pair_at(&self, query: u32, left: u32, right: u32) -> Option<(u32, u32)> {
        Some((self.alike(query, left)?, self.alike(query, right)?))
    }

    /// The candidate of a query by the same system, made with the same order of documents where there is one.
    fn alike(&self, query: u32, candidate: u32) -> Option<u32> {
        let system = from(&self.relations.system_of_candidate, candidate);
        self.of_system(query, system, self.candidate(candidate)?.order.as_deref())
    }

    fn of_system(&self, query: u32, system: u32, order: Option<&str>) -> Option<u32> {
        let own = |place: &u32| from(&self.relations.system_of_candidate, *place) == system;
        let candidates = at(&self.relations.candidates_of_query, query)?;
        let same = |place: &&u32| self.candidate(**place).is_some_and(|made| made.order.as_deref() == order);
        let mut of_system = candidates.iter().filter(|place| own(place));
        let exact = of_system.clone().find(same);
        exact.or_else(|| of_system.next()).copied()
    }

    /// Two systems against each other over all queries that both answered: rows of the table of systems.
    /// A query with several document orders has a row for each that both have.
    pub fn duel(&self, left: u32, right: u32) -> Duel {
        let of_score = |name: &str| (name.to_owned(), self.duel_rows(left, right, name));
        let has_margin = |(_, rows): &(String, Vec<DuelRow>)| rows.iter().any(|row| row.margin.is_ok());
        let known = self.scores_of_systems().into_iter().map(of_score).find(has_margin);
        let (measure, mut rows) = known.unwrap_or_else(|| of_score("joint"));
        rows.sort_by(|one, other| match (one.margin, other.margin) {
            (Ok(one), Ok(other)) => other.total_cmp(&one),
            (one, other) => one.is_err().cmp(&other.is_err()),
        });
        let margins: Vec<f64> = rows.iter().filter_map(|row| row.margin.ok()).collect();
        let count = |holds: fn(f64) -> bool| margins.iter().filter(|margin| holds(**margin)).count();
        Duel {
            systems: [self.system_name(left), self.system_name(right)],
            measure,
            rows,
            wins: [count(|margin| margin > 0.0), count(|margin| margin < 0.0)],
            ties: count(|margin| margin == 0.0),
            margin: margins.iter().copied().collect::<Mean>().or(Undefined::NothingJudged),
        }
    }

    fn duel_rows(&self, left: u32, right: u32, measure: &str) -> Vec<DuelRow> {
        let column = self.column(BrowseTable::Candidates, measure);
        let score = |row: u32| match column.map(|column| self.value(BrowseTable::Candidates, row, column)) {
            Some(super::table::TableValue::Number(number)) => Ok(number),
            Some(super::table::TableValue::Undefined(reason)) => Err(reason),
            _ => Err(Undefined::NothingJudged),
        };
        let mut rows = Vec::new();
        for query in 0..self.corpus.queries.len() as u32 {
            for candidates in self.meetings(query, left, right) {
                let candidates = [candidates.0, candidates.1];
                let scores = candidates.map(score);
                let margin = scores[0].and_then(|first| Ok(first - scores[1]?));
                rows.push(DuelRow { query, candidates, scores, margin });
            }
        }
        rows
    }

    /// The pairs of candidates by which two systems meet at a query: those of one document order, else one pair.
    fn meetings(&self, query: u32, left: u32, right: u32) -> Vec<(u32, u32)> {
        let candidates = at(&self.relations.candidates_of_query, query).into_iter().flatten().copied();
        let own = candidates.filter(|place| from(&self.relations.system_of_candidate, *place) == left);
        let own: Vec<u32> = own.collect();
        let order = |place: u32| self.candidate(place).and_then(|made| made.order.as_deref());
        let exact = |place: u32| {
            let other = self.of_system(query, right, order(place))?;
            (order(other) == order(place)).then_some((place, other))
        };
        let same: Vec<(u32, u32)> = own.iter().filter_map(|place| exact(*place)).collect();
        let any = || own.first().and_then(|place| Some((*place, self.of_system(query, right, None)?)));
        if same.is_empty() { any().into_iter().collect() } else { same }
    }
}

fn of_unit<'t>(working: &[Working<'t>], unit: &Unit) -> Vec<Working<'t>> {
    working.iter().filter(|work| std::ptr::eq(work.unit, unit)).cloned().collect()
}
