//! The ratings table: items × raters.

use super::{Names, RatingRow, RatingRows};
use serde::Deserialize;

/// The most categories a schema may have: their numbers share one byte with the mark of a missing rating.
pub const MAX_CATEGORIES: usize = 254;

/// The meaning of the order and the numbers of the categories (Stevens 1946).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Names only: any two categories differ equally.
    #[default]
    Nominal,
    /// The categories stand in order.
    Ordinal,
    /// Differences between the codes mean something.
    Interval,
}

/// One allowed label and its number on an interval scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Category {
    /// The label as it stands in the data.
    pub label: String,
    /// Any finite number, such as 0, 50, 100; used by interval alpha and Pearson's r only.
    pub code: f64,
}

impl Category {
    /// A category with its code.
    pub fn new(label: impl Into<String>, code: f64) -> Self {
        Self { label: label.into(), code }
    }

    /// Labels in scale order with the codes 1, 2, 3, …
    pub fn numbered<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Vec<Self> {
        let mut code = 0.0;
        let next = |label: L| {
            code += 1.0;
            Self::new(label, code)
        };
        labels.into_iter().map(next).collect()
    }
}

/// The category of every item by every rater. Made by [`super::RatingsBuilder`].
///
/// Items and raters are numbered from 0 in the order they were first named, categories in scale
/// order. There is at least one category, and a rater has at most one rating for an item.
#[derive(Clone, Debug)]
pub struct Ratings {
    pub(super) scale: Scale,
    pub(super) categories: Vec<Category>,
    pub(super) raters: Names,
    pub(super) items: Names,
    pub(super) cells: RatingRows,
}

impl Ratings {
    /// What the order of the categories means.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// All allowed categories in scale order, used or not.
    #[must_use]
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// The names of the raters, those without a rating included.
    #[must_use]
    pub fn raters(&self) -> &Names {
        &self.raters
    }

    /// The names of the items, those without a rating included.
    #[must_use]
    pub fn items(&self) -> &Names {
        &self.items
    }

    /// The ratings of one item; none when there is no such item.
    #[must_use]
    pub fn row(&self, item: usize) -> RatingRow<'_> {
        self.cells.row(item)
    }

    /// The ratings of every item.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RatingRow<'_>> {
        (0..self.items.len()).map(|item| self.row(item))
    }

    /// The number of the category that this rater chose for this item.
    #[must_use]
    pub fn rating(&self, item: usize, rater: usize) -> Option<u8> {
        self.row(item).get(rater)
    }

    /// The same items with these raters only, in this order; numbers that no rater has are left out.
    #[must_use]
    pub fn of_raters(&self, chosen: &[usize]) -> Self {
        let mut raters = Names::default();
        let named = |rater: &&usize| {
            self.raters.get(**rater).is_some_and(|name| raters.number(name.as_bytes()).is_ok())
        };
        let chosen: Vec<usize> = chosen.iter().filter(named).copied().collect();
        let own = |row: RatingRow<'_>| {
            let ratings = chosen.iter().map(|rater| row.get(*rater)).enumerate();
            ratings.filter_map(|(place, category)| Some((place, category?))).collect::<Vec<_>>().into_iter()
        };
        let cells = RatingRows::of(raters.len(), self.rows().map(own));
        self.with(raters, self.items.clone(), cells)
    }

    /// The same raters with these items only, in this order; numbers that no item has are left out.
    #[must_use]
    pub fn of_items(&self, chosen: &[usize]) -> Self {
        let mut items = Names::default();
        let named =
            |item: &&usize| self.items.get(**item).is_some_and(|name| items.number(name.as_bytes()).is_ok());
        let chosen: Vec<usize> = chosen.iter().filter(named).copied().collect();
        let cells = RatingRows::of(self.raters.len(), chosen.iter().map(|item| self.row(*item).ratings()));
        self.with(self.raters.clone(), items, cells)
    }

    /// The same table without the ratings of one rater, who stays among the raters.
    pub(super) fn without(&self, rater: usize) -> Self {
        let rows = self.rows().map(|row| row.ratings().filter(move |(other, _)| *other != rater));
        let cells = RatingRows::of(self.raters.len(), rows);
        self.with(self.raters.clone(), self.items.clone(), cells)
    }

    /// Other ratings by the same categories.
    fn with(&self, raters: Names, items: Names, cells: RatingRows) -> Self {
        Self { scale: self.scale, categories: self.categories.clone(), raters, items, cells }
    }

    /// The codes moved and stretched to reach from 0 to 1, all 0 when they are equal.
    ///
    /// No coefficient changes when the codes are moved or stretched, and in this form their squares
    /// cannot overflow.
    pub(super) fn unit_codes(&self) -> Vec<f64> {
        // Halved, because the difference of two finite numbers need not be finite.
        let half = || self.categories.iter().map(|category| category.code / 2.0);
        let low = half().fold(f64::INFINITY, f64::min);
        let range = half().fold(f64::NEG_INFINITY, f64::max) - low;
        half().map(|code| if range > 0.0 { (code - low) / range } else { 0.0 }).collect()
    }
}
