//! Sets of items by annotator.

use std::collections::BTreeMap;

use crate::store::corpus::items::PlaceBits;

/// Places of items by annotator's key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Sets by annotator's key, none of them empty.
    of: BTreeMap<String, PlaceBits>,
}

impl Places {
    /// Sets the places of an annotator.
    pub(crate) fn put(&mut self, name: &str, places: PlaceBits) {
        if !places.0.is_empty() {
            self.of.insert(name.to_owned(), places);
        }
    }

    /// Whether the place is one of this annotator's.
    pub fn has(&self, name: &str, place: usize) -> bool {
        self.of.get(name).is_some_and(|bits| bits.has(place))
    }

    /// How many places this annotator has.
    pub fn count(&self, name: &str) -> usize {
        let words = self.of.get(name).map(|bits| bits.0.as_slice()).unwrap_or_default();
        words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The annotators who have a place, in the order of their keys.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }

    /// The places of this annotator, ascending.
    pub fn of(&self, name: &str) -> impl Iterator<Item = usize> {
        self.of.get(name).into_iter().flat_map(PlaceBits::iter)
    }

    /// All places, by annotator.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names().flat_map(|name| self.of(name).map(move |place| (name, place)))
    }

    /// Whether nobody has a place.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_has_their_own_places() {
        let mut places = Places::default();
        for (name, own) in [("bo", &[200, 3, 64, 63][..]), ("al", &[0]), ("cy", &[])] {
            let mut bits = PlaceBits::default();
            own.iter().for_each(|place| bits.insert(*place));
            places.put(name, bits);
        }
        assert_eq!(places.names().collect::<Vec<_>>(), ["al", "bo"]);
        let all: Vec<_> = places.iter().collect();
        assert_eq!(all, [("al", 0), ("bo", 3), ("bo", 63), ("bo", 64), ("bo", 200)]);
        assert_eq!((places.count("bo"), places.count("cy"), places.is_empty()), (4, 0, false));
        assert!(places.has("bo", 64) && !places.has("bo", 65) && !places.has("bo", 5_000));
        assert!(!places.has("al", 3) && !places.has("cy", 0));
    }
}
