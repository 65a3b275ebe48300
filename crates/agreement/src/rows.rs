//! The distinct rows of a ratings table, each with the number of items that have it.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use super::{RatingRow, Ratings, short};

/// Distinct rows and how often each occurs.
///
/// Every coefficient is a function of these numbers. Four raters and three categories leave at most 256
/// distinct rows, however many items there are, so one pass over the table is all that is long.
#[derive(Clone, Debug)]
pub(super) struct DistinctRows {
    row_of_item: Vec<u32>,
    /// The first item that has the row.
    example: Vec<u32>,
    multiplicity: Vec<u64>,
}

impl DistinctRows {
    pub(super) fn of(ratings: &Ratings) -> Self {
        let width = ratings.raters().len();
        // Rows that fit a machine word are compared as one.
        match width {
            0..=8 => Self::distinct(ratings.rows().map(|row| word(row.bytes()))),
            _ => Self::distinct(ratings.rows()),
        }
    }

    fn distinct<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Self {
        let mut seen: HashMap<K, u32> = HashMap::new();
        let mut example = Vec::new();
        let mut multiplicity: Vec<u64> = Vec::new();
        let number = |(item, key): (u32, K)| {
            if let Some(row) = seen.get(&key) {
                multiplicity[*row as usize] += 1; // one for each row seen
                return *row;
            }
            // A table has fewer than 2³² items, hence fewer rows.
            let row = short(example.len());
            seen.insert(key, row);
            example.push(item);
            multiplicity.push(1);
            row
        };
        let row_of_item = (0..).zip(keys).map(number).collect();
        Self { row_of_item, example, multiplicity }
    }

    /// Counts every item as often as said; items beyond the list's end count 0 times.
    pub(super) fn reweight(&mut self, times: &[u32]) {
        self.multiplicity.fill(0);
        for (row, times) in self.row_of_item.iter().zip(times) {
            self.multiplicity[*row as usize] += u64::from(*times); // rows are numbered without gaps
        }
    }

    /// Counts every distinct row as often as said, one number a row.
    pub(super) fn reweight_rows(&mut self, times: &[u64]) {
        self.multiplicity.copy_from_slice(times);
    }

    /// Takes these items out, or puts them back.
    pub(super) fn shift(&mut self, content: &[(u32, u32)], is_out: bool) {
        for (row, items) in content {
            let (own, items) = (&mut self.multiplicity[*row as usize], u64::from(*items)); // one place a row
            *own = if is_out { *own - items } else { *own + items };
        }
    }

    /// The row of each item.
    pub(super) fn row_of_item(&self) -> &[u32] {
        &self.row_of_item
    }

    /// How many items have each row.
    pub(super) fn multiplicity(&self) -> &[u64] {
        &self.multiplicity
    }

    /// The row of this number.
    pub(super) fn row<'a>(&self, ratings: &'a Ratings, number: u32) -> RatingRow<'a> {
        ratings.row(self.example[number as usize] as usize) // one example a row
    }

    /// The rows as (rater, category) pairs without the missing ratings.
    pub(super) fn iter<'a>(&'a self, ratings: &'a Ratings) -> impl Iterator<Item = (RatingRow<'a>, u64)> {
        let rows = self.example.iter().map(|item| ratings.row(*item as usize));
        rows.zip(self.multiplicity.iter().copied())
    }
}

/// Up to eight bytes as one number; the first byte is the lowest.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
