//! Names numbered in the order of their first appearance.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;

use super::fast::fold;

/// A slot that holds no number; no number is as large.
const EMPTY: Slot = Slot { hash: u32::MAX, number: u32::MAX };

/// So few names are compared one by one in less time than one of them is hashed.
const FEW: usize = 8;

/// Distinct names with a fast way from a name to its number.
///
/// All names lie in one text: a million names cost their own bytes and some sixteen more each.
#[derive(Debug, Clone)]
pub struct Names {
    text: String,
    /// End of each name in the text.
    ends: Vec<usize>,
    /// Numbers by hash: open addressing, a power of two long, at most half full.
    slots: Vec<Slot>,
    /// The start of every hash, another in each run, so that no file can make its names collide.
    seed: u64,
    /// The number given out last.
    last: usize,
}

/// A number with the hash of its name: most other names are told apart without being looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    hash: u32,
    number: u32,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            text: String::new(),
            ends: Vec::new(),
            slots: vec![EMPTY; 16],
            seed: RandomState::new().hash_one(0),
            last: 0,
        }
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
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of this number, counted from 0.
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    fn is(&self, number: usize, name: &[u8]) -> bool {
        self.get(number).is_some_and(|known| known.as_bytes() == name)
    }

    /// The number of a name, which is added when it is new.
    ///
    /// # Errors
    /// The name is no text, or there are too many names.
    pub fn number(&mut self, name: &[u8]) -> Result<usize, NoNumber> {
        // Tables come item by item or annotator by annotator: the same name again, or the next one.
        for guess in [self.last, self.last + 1, 0] {
            if self.is(guess, name) {
                self.last = guess;
                return Ok(guess);
            }
        }
        if self.slots.is_empty() {
            self.grow();
        }
        let hash = self.hash(name);
        self.last = match self.look_up(hash, name) {
            Ok(number) => number,
            Err(place) => self.add(place, hash, name)?,
        };
        Ok(self.last)
    }

    /// Reads the slots of these names ahead, so that they are at hand when the names are looked up: many reads at
    /// once take hardly longer than one.
    pub fn approach<'n>(&self, names: impl Iterator<Item = &'n [u8]>) {
        let mut last = None;
        let new = names.filter(|name| last.replace(*name) != Some(*name));
        let (hashes, mask): (Vec<u32>, _) = (new.map(|name| self.hash(name)).collect(), self.slots.len() - 1);
        let slots = hashes.iter().filter_map(|hash| self.slots.get(*hash as usize & mask));
        black_box(slots.fold(0, |all, slot| all ^ slot.hash));
    }

    /// The number of a name that is known.
    pub fn find(&self, name: impl AsRef<[u8]>) -> Option<usize> {
        let name = name.as_ref();
        if self.len() <= FEW || self.slots.is_empty() {
            (0..self.len()).find(|number| self.is(*number, name))
        } else {
            self.look_up(self.hash(name), name).ok()
        }
    }

    /// Frees the slots by which names are looked up, for lists in which hardly anybody will look for one.
    pub fn close(&mut self) {
        self.slots = Vec::new();
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of the hash is enough")]
    fn hash(&self, name: &[u8]) -> u32 {
        let (words, rest) = name.as_chunks();
        let hash = words.iter().fold(self.seed, |hash, word| fold(hash, u64::from_le_bytes(*word)));
        let rest = rest.iter().fold(name.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        fold(fold(hash, rest), self.seed) as u32
    }

    /// The number of a name, or the place among the slots where it would go.
    fn look_up(&self, hash: u32, name: &[u8]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.slots.get(place) {
                Some(slot) if *slot != EMPTY => {
                    if slot.hash == hash && self.is(slot.number as usize, name) {
                        return Ok(slot.number as usize);
                    }
                    place = (place + 1) & mask;
                }
                _ => return Err(place),
            }
        }
    }

    fn add(&mut self, place: usize, hash: u32, name: &[u8]) -> Result<usize, NoNumber> {
        let text = str::from_utf8(name).map_err(|error| NoNumber::NotText(error.valid_up_to()))?;
        let number = u32::try_from(self.len()).ok().filter(|number| *number < 1 << 31);
        let number = number.ok_or(NoNumber::Full)?;
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = Slot { hash, number };
        }
        self.text.push_str(text);
        self.ends.push(self.text.len());
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(self.len() - 1)
    }

    fn grow(&mut self) {
        let mask = (self.len() * 2 + 1).next_power_of_two().max(16) - 1;
        let slots = match self.slots.is_empty() {
            false => std::mem::take(&mut self.slots),
            true => (0..)
                .zip(self.iter())
                .map(|(number, name)| Slot { hash: self.hash(name.as_bytes()), number })
                .collect(),
        };
        self.slots = vec![EMPTY; mask + 1];
        for slot in slots.into_iter().filter(|slot| *slot != EMPTY) {
            let mut place = slot.hash as usize & mask;
            // Half of the slots are empty, so one is found.
            while self.slots.get(place).is_some_and(|slot| *slot != EMPTY) {
                place = (place + 1) & mask;
            }
            if let Some(free) = self.slots.get_mut(place) {
                *free = slot;
            }
        }
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        (&self.text, &self.ends) == (&other.text, &other.ends)
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
    fn names_are_found_when_the_list_is_closed_and_after_one_is_added() {
        let mut names = Names::default();
        for number in 0..100 {
            assert_eq!(names.number(format!("n{number}").as_bytes()), Ok(number));
        }
        names.close();
        assert_eq!((names.find("n99"), names.find("m")), (Some(99), None));
        assert_eq!((names.number(b"n7"), names.number(b"m")), (Ok(7), Ok(100)));
        assert_eq!((names.find("n98"), names.find("m"), names.len()), (Some(98), Some(100), 101));
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
