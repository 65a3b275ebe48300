//! Two raters against each other: the contingency table of their common items.

use std::ops::Range;

use super::{DistinctRows, RatingRow, Ratings, in_parallel};

/// n_kl, how many items the first rater put into category k and the second into l, over the items
/// rated by both; all categories of the schema in scale order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    categories: usize,
    /// Row after row, `categories` long each.
    cells: Vec<u64>,
    first: Vec<u64>,
    second: Vec<u64>,
    items: u64,
}

impl Confusion {
    /// The table of two raters; `None` when there is no rater with that number.
    #[must_use]
    pub fn between(ratings: &Ratings, first: usize, second: usize) -> Option<Self> {
        if first.max(second) >= ratings.raters().len() {
            return None;
        }
        let categories = ratings.categories().len();
        let mut cells = vec![0; categories * categories];
        for item in 0..ratings.items().len() {
            if let (Some(k), Some(l)) = (ratings.rating(item, first), ratings.rating(item, second)) {
                // Both numbers of categories are below `categories`.
                cells[usize::from(k) * categories + usize::from(l)] += 1;
            }
        }
        Some(Self::new(categories, cells))
    }

    fn new(categories: usize, cells: Vec<u64>) -> Self {
        let (first, second) = (vec![0; categories], vec![0; categories]);
        let mut table = Self { categories, cells, first, second, items: 0 };
        table.add_up();
        table
    }

    fn add_up(&mut self) {
        self.second.fill(0);
        for (row, total) in self.cells.chunks_exact(self.categories).zip(&mut self.first) {
            *total = row.iter().sum();
            self.second.iter_mut().zip(row).for_each(|(total, count)| *total += count);
        }
        self.items = self.first.iter().sum();
    }

    /// q, the number of categories of the schema.
    #[must_use]
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// n, the number of items that both rated.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// n_k., how often the first rater chose each category for a common item.
    #[must_use]
    pub fn first(&self) -> &[u64] {
        &self.first
    }

    /// n_.k, how often the second rater chose each category for a common item.
    #[must_use]
    pub fn second(&self) -> &[u64] {
        &self.second
    }

    /// The rows n_k1 … n_kq, one a category of the first rater.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.cells.chunks_exact(self.categories)
    }

    /// (k, l, n_kl) of every cell, zeros included.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let row = |(k, row): (usize, &'_ [u64])| {
            row.iter().enumerate().map(move |(l, count)| (k, l, *count)).collect()
        };
        self.rows().enumerate().flat_map(move |numbered| -> Vec<_> { row(numbered) })
    }

    /// How many items both put into the same category.
    #[must_use]
    pub fn agreeing(&self) -> u64 {
        self.cells.iter().step_by(self.categories + 1).sum()
    }

    /// Whether both raters put all common items into one and the same category.
    pub(super) fn one_category(&self) -> bool {
        self.cells.iter().step_by(self.categories + 1).any(|count| *count == self.items)
    }
}

/// How many pairs so many raters make.
pub(super) fn number_of_pairs(raters: usize) -> usize {
    raters * raters.saturating_sub(1) / 2
}

/// The number of a pair a < b in the order of [`each_pair`]: (0,1) is 0, (0,2) is 1, ….
pub(super) fn number_of_pair(raters: usize, a: usize, b: usize) -> usize {
    a * (2 * raters - a - 1) / 2 + b - a - 1
}

/// The most counters held at a time: 32 MiB of them.
const BLOCK: usize = 1 << 22;

/// Calls `visit(a, b, table)` for all pairs of raters a < b in order, or for those with an item in common, with one pass
/// over the rows for as many pairs as have room in [`BLOCK`]: nearly always one pass in all.
pub(super) fn each_pair(
    ratings: &Ratings,
    rows: &DistinctRows,
    only_met: bool,
    mut visit: impl FnMut(usize, usize, &Confusion),
) {
    let (raters, categories) = (ratings.raters().len(), ratings.categories().len());
    let square = categories * categories;
    let every = number_of_pairs(raters);
    let mut table = Confusion::new(categories, vec![0; square]);
    let mut pairs = (0..raters).flat_map(|a| (a + 1..raters).map(move |b| (a, b)));
    for block in blocks(every, square) {
        let counts = count_block(ratings, rows, block);
        for (counts, (a, b)) in counts.chunks_exact(square).zip(&mut pairs) {
            if !only_met || counts.iter().any(|count| *count > 0) {
                table.cells.copy_from_slice(counts);
                table.add_up();
                visit(a, b, &table);
            }
        }
    }
}

/// The numbers of so many pairs in parts whose tables have room in [`BLOCK`].
fn blocks(pairs: usize, square: usize) -> impl Iterator<Item = Range<usize>> {
    let each = (BLOCK / square).max(1);
    (0..pairs).step_by(each).map(move |low| low..pairs.min(low + each))
}

/// Folds `visit` over a copy of `start` for each of these contents, which are rows with numbers of items.
/// `visit` gets each pair of raters that rated an item of the content, with two tables of the pair: of all
/// items, and of all but the content's.
pub(super) fn each_without<T: Clone + Send + Sync>(
    ratings: &Ratings,
    rows: &DistinctRows,
    contents: &[Vec<(u32, u32)>],
    start: T,
    visit: impl Fn(&mut T, &Confusion, &Confusion) + Sync,
) -> Vec<T> {
    let (raters, categories) = (ratings.raters().len(), ratings.categories().len());
    let square = categories * categories;
    let mut found = vec![start; contents.len()];
    for block in blocks(number_of_pairs(raters), square) {
        let counts = count_block(ratings, rows, block.clone());
        let part = |numbers: Range<usize>| {
            let (mut before, mut after) =
                (Confusion::new(categories, vec![0; square]), Confusion::new(categories, vec![0; square]));
            let mut less: Vec<(usize, usize, u64)> = Vec::new();
            let mut present = Vec::with_capacity(raters);
            let mut of_content = |content: &Vec<(u32, u32)>, mut found: T| {
                less.clear();
                for (row, items) in content {
                    let add = |pair, cell| less.push((pair, cell, u64::from(*items)));
                    each_of_block(raters, categories, rows.row(ratings, *row), &block, &mut present, add);
                }
                less.sort_unstable();
                for of_pair in less.chunk_by(|one, other| one.0 == other.0) {
                    let Some((pair, ..)) = of_pair.first() else { continue };
                    let at = (pair - block.start) * square;
                    before.cells.copy_from_slice(&counts[at..at + square]); // one table a pair of the block
                    after.cells.copy_from_slice(&before.cells);
                    of_pair.iter().for_each(|(_, cell, items)| after.cells[*cell] -= items);
                    before.add_up();
                    after.add_up();
                    visit(&mut found, &before, &after);
                }
                found
            };
            let own = contents.iter().zip(&found).skip(numbers.start).take(numbers.len());
            own.map(|(content, found)| of_content(content, found.clone())).collect()
        };
        found = in_parallel(contents.len(), part);
    }
    found
}

/// The tables of the pairs with these numbers, one after the other.
fn count_block(ratings: &Ratings, rows: &DistinctRows, pairs: Range<usize>) -> Vec<u64> {
    let (raters, categories) = (ratings.raters().len(), ratings.categories().len());
    let square = categories * categories;
    let mut counts = vec![0; pairs.len() * square];
    let mut present: Vec<(usize, usize)> = Vec::with_capacity(raters);
    for (row, items) in rows.iter(ratings).filter(|(_, items)| *items > 0) {
        let add = |pair: usize, cell: usize| counts[(pair - pairs.start) * square + cell] += items;
        each_of_block(raters, categories, row, &pairs, &mut present, add);
    }
    counts
}

/// Calls `add(pair, cell)` for the pairs with these numbers that both rated a row.
fn each_of_block(
    raters: usize,
    categories: usize,
    row: RatingRow<'_>,
    pairs: &Range<usize>,
    present: &mut Vec<(usize, usize)>,
    mut add: impl FnMut(usize, usize),
) {
    present.clear();
    present.extend(row.ratings().map(|(rater, category)| (rater, usize::from(category))));
    for (place, (a, k)) in present.iter().enumerate() {
        // The pairs of `a` stand together; only those of the block are walked.
        let number = |b: usize| number_of_pair(raters, *a, b);
        if number(a + 1) >= pairs.end {
            break;
        }
        let others = present.get(place + 1..).unwrap_or_default();
        let before = others.partition_point(|(b, _)| number(*b) < pairs.start);
        let wanted = others.iter().skip(before).map(|(b, l)| (number(*b), l));
        for (pair, l) in wanted.take_while(|(pair, _)| *pair < pairs.end) {
            // k and l are below `categories`.
            add(pair, k * categories + l);
        }
    }
}
