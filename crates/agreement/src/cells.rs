//! The ratings of every item: a byte a rater while raters are few, a list of those who rated it once they are many.
//!
//! Of thousands of raters a handful rate the same item, and a byte for each of the others would be nearly all of the table.

use super::short;

/// The mark in the cell of a rater who did not rate the item; also the reason why there are at most 254 categories.
const MISSING: u8 = u8::MAX;

/// The most raters with a byte each for every item.
const MOST_NARROW: usize = 64;

#[derive(Clone, Debug)]
pub(super) enum RatingRows {
    /// Item after item, so many bytes each: a category's number or [`MISSING`].
    Narrow { stride: usize, cells: Vec<u8> },
    /// Item after item: (rater, category), raters ascending.
    Wide(Vec<Vec<(u32, u8)>>),
}

impl RatingRows {
    /// No item yet, with room for a few raters.
    pub(super) fn new() -> Self {
        Self::Narrow { stride: 4, cells: Vec::new() }
    }

    /// These items, each with its ratings by so many raters, who ascend.
    pub(super) fn of<R: Iterator<Item = (usize, u8)>>(
        raters: usize,
        items: impl ExactSizeIterator<Item = R>,
    ) -> Self {
        if raters > MOST_NARROW {
            let listed = |(rater, category): (usize, u8)| (short(rater), category);
            return Self::Wide(items.map(|ratings| ratings.map(listed).collect()).collect());
        }
        let mut cells = vec![MISSING; items.len() * raters];
        for (row, ratings) in cells.chunks_exact_mut(raters.max(1)).zip(items) {
            ratings.for_each(|(rater, category)| row[rater] = category); // below `raters`
        }
        Self::Narrow { stride: raters, cells }
    }

    /// Makes room for so many items; the new ones have no rating.
    pub(super) fn resize(&mut self, items: usize) {
        match self {
            Self::Narrow { stride, cells } => cells.resize(items * *stride, MISSING),
            Self::Wide(lists) => lists.resize(items, Vec::new()),
        }
    }

    /// Makes room for so many raters.
    pub(super) fn widen(&mut self, raters: usize, items: usize) {
        if let Self::Narrow { stride, .. } = *self
            && raters > stride
        {
            let room = if raters > MOST_NARROW { raters } else { raters.next_power_of_two() };
            *self = Self::of(room, (0..items).map(|item| self.row(item).ratings()));
        }
    }

    /// Takes back the room of raters that never came.
    pub(super) fn fit(&mut self, raters: usize, items: usize) {
        if let Self::Narrow { stride, cells } = self {
            for item in 0..items {
                // An item's cells move towards the front, or stay.
                let start = item * *stride;
                cells.copy_within(start..start + raters, item * raters);
            }
            cells.truncate(items * raters);
            cells.shrink_to_fit();
            *stride = raters;
        }
    }

    /// Enters a rating for an item and a rater that have room; the one that stands there, if any, stays and is given back.
    pub(super) fn set(&mut self, item: usize, rater: usize, category: u8) -> Result<(), Option<u8>> {
        match self {
            Self::Narrow { stride, cells } => match cells.get_mut(item * *stride + rater) {
                Some(cell) if *cell == MISSING => *cell = category,
                taken => return Err(taken.copied()),
            },
            Self::Wide(lists) => {
                let list = lists.get_mut(item).ok_or(None)?;
                let rater = short(rater); // of at most 65,535
                match list.binary_search_by_key(&rater, |(rater, _)| *rater) {
                    Ok(taken) => return Err(list.get(taken).map(|(_, category)| *category)),
                    Err(place) => list.insert(place, (rater, category)),
                }
            }
        }
        Ok(())
    }

    /// The ratings of one item; none when there is no such item.
    pub(super) fn row(&self, item: usize) -> RatingRow<'_> {
        match self {
            Self::Narrow { stride, cells } => {
                let start = item.checked_mul(*stride);
                let cells = start.and_then(|start| cells.get(start..)?.get(..*stride));
                RatingRow { cells: cells.unwrap_or_default(), list: &[] }
            }
            Self::Wide(lists) => {
                RatingRow { cells: &[], list: lists.get(item).map(Vec::as_slice).unwrap_or_default() }
            }
        }
    }
}

/// The ratings of one item of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RatingRow<'a> {
    /// Ratings as bytes of all raters; empty where they are a list.
    cells: &'a [u8],
    list: &'a [(u32, u8)],
}

impl<'a> RatingRow<'a> {
    /// (rater, category) of every rating, raters ascending.
    pub fn ratings(self) -> impl Iterator<Item = (usize, u8)> + Clone + use<'a> {
        let cells = self.cells.iter().copied().enumerate().filter(|(_, category)| *category != MISSING);
        cells.chain(self.list.iter().map(|(rater, category)| (*rater as usize, *category)))
    }

    /// The category that this rater chose.
    #[must_use]
    pub fn get(self, rater: usize) -> Option<u8> {
        let listed = || self.list.binary_search_by_key(&rater, |(rater, _)| *rater as usize).ok();
        match self.cells.get(rater) {
            Some(category) => Some(*category).filter(|category| *category != MISSING),
            None => listed().and_then(|place| self.list.get(place)).map(|(_, category)| *category),
        }
    }

    /// How many rated the item.
    #[must_use]
    pub fn count(self) -> u32 {
        short(self.ratings().count())
    }

    /// The bytes of few raters.
    pub(super) fn bytes(self) -> &'a [u8] {
        self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first 64 raters have bytes; with one more all become lists, and nothing else changes.
    #[test]
    fn more_raters_change_the_form_and_no_rating() {
        let mut cells = RatingRows::new();
        cells.resize(3);
        let given = |raters: usize| (0..raters).filter(|rater| rater % 3 == 1).map(|rater| (rater, 7));
        for raters in 1..=70 {
            cells.widen(raters, 3);
            if (raters - 1) % 3 == 1 {
                assert_eq!(cells.set(1, raters - 1, 7), Ok(()));
                assert_eq!(cells.set(1, raters - 1, 8), Err(Some(7)));
            }
            assert_eq!(matches!(cells, RatingRows::Wide(_)), raters > 64);
            assert_eq!(cells.row(1).ratings().collect::<Vec<_>>(), given(raters).collect::<Vec<_>>());
            let mut fitted = cells.clone();
            fitted.fit(raters, 3);
            assert_eq!(fitted.row(1).ratings().collect::<Vec<_>>(), given(raters).collect::<Vec<_>>());
            assert_eq!((fitted.row(0).count(), fitted.row(3).count()), (0, 0));
        }
        assert_eq!(
            (cells.row(1).get(67), cells.row(1).get(66), cells.row(1).get(900)),
            (Some(7), None, None)
        );
        assert_eq!(cells.set(9, 1, 1), Err(None));
    }
}
