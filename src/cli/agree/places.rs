//! Where things about an item stand, by the item's id.

use crate::study::ItemId;

/// A place for each item that is named, counted from 0 in the order of first use. The ids of a study's
/// items are rows of one table, so a list is as short as a hash would be and much quicker.
#[derive(Default)]
pub struct Places {
    /// By id.
    of_id: Vec<Option<u32>>,
    count: u32,
}

impl Places {
    /// The place of an item, given out when it has none.
    pub fn place(&mut self, item: ItemId) -> usize {
        let id = usize::try_from(item.0).unwrap_or(0);
        if id >= self.of_id.len() {
            self.of_id.resize((id + 1).max(self.of_id.len() * 2), None);
        }
        let place = match self.of_id.get_mut(id) {
            Some(place) => place.get_or_insert_with(|| {
                self.count += 1;
                self.count - 1
            }),
            None => return 0,
        };
        *place as usize
    }

    /// The place of an item that has one.
    pub fn find(&self, item: ItemId) -> Option<usize> {
        let place = self.of_id.get(usize::try_from(item.0).ok()?).copied().flatten();
        place.map(|place| place as usize)
    }

    /// How many places were given out.
    pub fn len(&self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_out_in_the_order_of_first_use() {
        let mut places = Places::default();
        let given: Vec<usize> = [7, 2, 7, 900, 2].into_iter().map(|id| places.place(ItemId(id))).collect();
        assert_eq!(given, [0, 1, 0, 2, 1]);
        assert_eq!(places.len(), 3);
        assert_eq!(places.find(ItemId(900)), Some(2));
        assert_eq!((places.find(ItemId(3)), places.find(ItemId(90_000))), (None, None));
    }
}
