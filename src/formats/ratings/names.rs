//! Names numbered in the order of their first appearance.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// So few names are compared one by one in less time than one of them is hashed.
const FEW: usize = 8;

/// Distinct names, each kept once, with a fast way from a name to its number.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    /// The number of a name by its hash; when two names share a hash, the second has the next free one.
    numbers: HashMap<u64, u32>,
    hasher: RandomState,
    /// The number given out last.
    last: usize,
}

/// Why a name has no number.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoNumber {
    /// This byte of the name, from 0, is no UTF-8.
    NotText(usize),
    /// There are 2³² names already.
    Full,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of this number.
    pub(super) fn get(&self, number: usize) -> &str {
        self.names.get(number).map_or("", String::as_str)
    }

    pub(super) fn all(&self) -> &[String] {
        &self.names
    }

    pub(super) fn into_all(self) -> Vec<String> {
        self.names
    }

    fn is(&self, number: usize, name: &[u8]) -> bool {
        self.names
            .get(number)
            .is_some_and(|known| known.as_bytes() == name)
    }

    /// The number of a name, which is added when it is new.
    pub(super) fn number(&mut self, name: &[u8]) -> Result<usize, NoNumber> {
        // Tables come item by item or annotator by annotator: the same name again, or the next one.
        for guess in [self.last, self.last + 1, 0] {
            if self.is(guess, name) {
                self.last = guess;
                return Ok(guess);
            }
        }
        let number = match self.look_up(name) {
            Ok(number) => number,
            Err(free) => self.add(free, name)?,
        };
        self.last = number;
        Ok(number)
    }

    /// The number of a name that is known.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        if self.names.len() <= FEW {
            self.names.iter().position(|known| known.as_bytes() == name)
        } else {
            self.look_up(name).ok()
        }
    }

    /// The number of a name, or the hash under which it would be kept.
    fn look_up(&self, name: &[u8]) -> Result<usize, u64> {
        let mut hash = self.hasher.hash_one(name);
        loop {
            match self.numbers.get(&hash) {
                None => return Err(hash),
                Some(number) if self.is(*number as usize, name) => return Ok(*number as usize),
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }

    fn add(&mut self, hash: u64, name: &[u8]) -> Result<usize, NoNumber> {
        let text = str::from_utf8(name).map_err(|error| NoNumber::NotText(error.valid_up_to()))?;
        let number = self.names.len();
        self.numbers
            .insert(hash, u32::try_from(number).map_err(|_| NoNumber::Full)?);
        self.names.push(text.to_owned());
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance_in_any_order_of_asking() {
        let mut names = Names::default();
        let wanted: Vec<String> = (0..1000).map(|number| format!("näme {number}")).collect();
        for step in [1, 7, 999] {
            for index in (0..1000).map(|index| index * step % 1000) {
                assert_eq!(
                    names.number(wanted[index].as_bytes()),
                    Ok(index),
                    "in steps of {step}"
                );
            }
        }
        assert_eq!(names.all(), wanted);
        assert_eq!(
            (names.find(b"x"), names.find("näme 5".as_bytes())),
            (None, Some(5))
        );
    }

    #[test]
    fn the_empty_name_is_a_name_and_broken_text_is_none() {
        let mut names = Names::default();
        assert_eq!(names.number(b""), Ok(0));
        assert_eq!(names.number(b"ab\xff"), Err(NoNumber::NotText(2)));
        assert_eq!(names.number(b"a"), Ok(1));
        assert_eq!((names.get(0), names.get(1), names.get(2)), ("", "a", ""));
    }

    #[test]
    fn names_that_share_a_hash_are_told_apart() {
        let mut names = Names::default();
        assert_eq!(names.number(b"a"), Ok(0));
        // As if "b" had the hash of "a": what is found under it is another name.
        let hash = names.hasher.hash_one(&b"b"[..]);
        names.numbers.insert(hash, 0);
        assert_eq!(names.number(b"b"), Ok(1));
        assert_eq!(names.number(b"a"), Ok(0));
        assert_eq!(names.look_up(b"b"), Ok(1));
    }
}
