//! All that the coefficients need to know of a ratings table.

use std::sync::OnceLock;

use super::{Confusion, DistinctRows, Histogram, PairMeans, Ratings, each_pair, number_of_pairs};

/// A ratings table boiled down to counts, from which every coefficient follows without another pass over
/// the items.
///
/// [`Counts::reweight`] counts items several times or not at all; it costs one addition an item. Drawing again or leaving
/// out whole clusters ([`super::Bootstrap`]) reweights the distinct rows, of which there are few.
#[derive(Clone, Debug)]
pub struct Counts<'a> {
    ratings: &'a Ratings,
    rows: DistinctRows,
    pub(super) histogram: Histogram,
    pub(super) codes: Vec<f64>,
    pair_means: OnceLock<PairMeans>,
    confusion: OnceLock<Option<Confusion>>,
}

impl<'a> Counts<'a> {
    /// Counts every item once.
    #[must_use]
    pub fn of(ratings: &'a Ratings) -> Self {
        let rows = DistinctRows::of(ratings);
        let histogram = Histogram::of(ratings, &rows);
        let (pair_means, confusion) = (OnceLock::new(), OnceLock::new());
        Self { ratings, rows, histogram, codes: ratings.unit_codes(), pair_means, confusion }
    }

    /// Counts each item as often as `times` says, in the order of the table; items beyond the end of
    /// `times` are left out.
    pub fn reweight(&mut self, times: &[u32]) {
        self.rows.reweight(times);
        self.histogram.count(&self.rows);
        self.pair_means.take();
        self.confusion.take();
    }

    /// Counts each distinct row as often as said, one number a row.
    pub(super) fn reweight_rows(&mut self, times: &[u64]) {
        self.rows.reweight_rows(times);
        self.histogram.count(&self.rows);
        self.pair_means.take();
        self.confusion.take();
    }

    /// The result of `find` without these items, which are given as rows with numbers of items. `means` are the means
    /// over pairs without them, where they are known.
    pub(super) fn without<T>(
        &mut self,
        content: &[(u32, u32)],
        means: Option<PairMeans>,
        find: impl FnOnce(&Self) -> T,
    ) -> T {
        self.shift(content, true);
        self.pair_means = means.map_or_else(OnceLock::new, OnceLock::from);
        let found = find(self);
        self.shift(content, false);
        found
    }

    fn shift(&mut self, content: &[(u32, u32)], is_out: bool) {
        self.rows.shift(content, is_out);
        self.histogram.shift(content, is_out);
        self.pair_means.take();
        self.confusion.take();
    }

    /// The distinct rows of the table.
    pub(super) fn rows(&self) -> &DistinctRows {
        &self.rows
    }

    /// The table that was counted.
    #[must_use]
    pub fn table(&self) -> &'a Ratings {
        self.ratings
    }

    /// The codes of the categories, moved and stretched to reach from 0 to 1.
    #[must_use]
    pub fn codes(&self) -> &[f64] {
        &self.codes
    }

    /// n, items with at least one rating. Items without any are ignored everywhere.
    #[must_use]
    pub fn items_rated(&self) -> u64 {
        self.histogram.rated().items
    }

    /// n₂, items with at least two ratings.
    #[must_use]
    pub fn items_pairable(&self) -> u64 {
        self.histogram.pairable().items
    }

    #[must_use]
    pub fn ratings(&self) -> u64 {
        self.histogram.rated().ratings
    }

    /// Ratings of the pairable items.
    #[must_use]
    pub fn ratings_pairable(&self) -> u64 {
        self.histogram.pairable().ratings
    }

    /// Means over the pairs of raters.
    #[must_use]
    pub fn pair_means(&self) -> &PairMeans {
        self.pair_means.get_or_init(|| {
            let mut means = PairMeans::of_pairs(number_of_pairs(self.ratings.raters().len()) as u64);
            self.each_met_pair(|_, _, table| means.add(table));
            means
        })
    }

    /// The contingency table of the two raters; `None` unless the table has two.
    #[must_use]
    pub fn confusion(&self) -> Option<&Confusion> {
        let only_pair = || {
            let mut only = None;
            if self.ratings.raters().len() == 2 {
                self.each_pair(|_, _, table| only = Some(table.clone()));
            }
            only
        };
        self.confusion.get_or_init(only_pair).as_ref()
    }

    /// Calls `visit(a, b, table)` for all pairs of raters a < b, ordered by a, then b.
    pub fn each_pair(&self, visit: impl FnMut(usize, usize, &Confusion)) {
        each_pair(self.ratings, &self.rows, false, visit);
    }

    /// Calls `visit(a, b, table)` for the pairs with an item in common: of thousands of raters most have none.
    pub fn each_met_pair(&self, visit: impl FnMut(usize, usize, &Confusion)) {
        each_pair(self.ratings, &self.rows, true, visit);
    }
}
