//! Names numbered in the order of their first appearance.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Distinct names with a fast way from a name to its number.
///
/// All of them lie in one text: a million names cost their own bytes and some fourteen more each.
#[derive(Debug, Clone, Default)]
pub struct Names {
    all: NameList,
    numbers: HashTable<u32>,
    /// A new one in every run, so that no file can be made whose names collide.
    hasher: RandomState,
    /// The number given out last.
    last: usize,
}

/// Names one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct NameList {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl NameList {
    fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    fn is(&self, number: usize, name: &[u8]) -> bool {
        self.get(number).is_some_and(|known| known.as_bytes() == name)
    }
}

/// Why a name has no number.
#[derive(Debug, PartialEq, Eq)]
pub enum NoNumber {
    /// This byte of the name, from 0, is no UTF-8.
    NotText(usize),
    /// There are 2³¹ names already.
    Full,
}

impl Names {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.all.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.all.ends.is_empty()
    }

    /// The name of this number, counted from 0.
    pub fn get(&self, number: usize) -> Option<&str> {
        self.all.get(number)
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// The number of a name, which is added when it is new.
    ///
    /// # Errors
    /// The name is no text, or there are too many.
    pub fn number(&mut self, name: &[u8]) -> Result<usize, NoNumber> {
        let Names { all, numbers, hasher, last } = self;
        // Tables come item by item or annotator by annotator: the same name again, or the next one.
        for guess in [*last, *last + 1, 0] {
            if all.is(guess, name) {
                *last = guess;
                return Ok(guess);
            }
        }
        let hash_of =
            |number: &u32| hasher.hash_one(all.get(*number as usize).unwrap_or_default().as_bytes());
        let is_name = |number: &u32| all.is(*number as usize, name);
        *last = match numbers.entry(hasher.hash_one(name), is_name, hash_of) {
            Entry::Occupied(known) => *known.get() as usize,
            Entry::Vacant(place) => {
                let text = str::from_utf8(name).map_err(|error| NoNumber::NotText(error.valid_up_to()))?;
                let number = u32::try_from(all.ends.len()).ok().filter(|number| *number < 1 << 31);
                place.insert(number.ok_or(NoNumber::Full)?);
                all.text.push_str(text);
                all.ends.push(all.text.len());
                all.ends.len() - 1
            }
        };
        Ok(*last)
    }

    /// The number of a name that is known.
    pub fn find(&self, name: impl AsRef<[u8]>) -> Option<usize> {
        let name = name.as_ref();
        let is_name = |number: &u32| self.all.is(*number as usize, name);
        self.numbers.find(self.hasher.hash_one(name), is_name).map(|number| *number as usize)
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.all == other.all
    }
}

impl Eq for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance_in_any_order_of_asking() {
        let mut names = Names::default();
        let wanted: Vec<String> = (0..1000).map(|number| format!("näme {number}")).collect();
        for step in [1, 7, 999] {
            for index in (0..1000).map(|index| index * step % 1000) {
                assert_eq!(names.number(wanted[index].as_bytes()), Ok(index), "in steps of {step}");
            }
        }
        assert!(names.iter().eq(wanted.iter()));
        assert_eq!((names.find(b"x"), names.find("näme 5".as_bytes())), (None, Some(5)));
    }

    #[test]
    fn the_empty_name_is_a_name_and_broken_text_is_none() {
        let mut names = Names::default();
        assert!(names.is_empty());
        assert_eq!(names.number(b""), Ok(0));
        assert_eq!(names.number(b"ab\xff"), Err(NoNumber::NotText(2)));
        assert_eq!(names.number(b"a"), Ok(1));
        assert_eq!((names.get(0), names.get(1), names.get(2)), (Some(""), Some("a"), None));
        assert_eq!(names.len(), 2);
    }
}
