//! Sets of rows, with a bit for each row.

/// A set of numbers below a length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The empty set below `len`.
    pub fn none(len: usize) -> Bits {
        Bits { words: vec![0; len.div_ceil(64)], len }
    }

    /// All numbers below `len`.
    pub fn all(len: usize) -> Bits {
        Bits::none(len).complement()
    }

    /// The numbers below `len` of which `holds` is true.
    pub fn of(len: usize, mut holds: impl FnMut(u32) -> bool) -> Bits {
        let mut bits = Bits::none(len);
        for (index, word) in bits.words.iter_mut().enumerate() {
            let start = index * 64;
            for bit in 0..64.min(len - start) {
                // A table has fewer rows than u32 counts.
                *word |= u64::from(holds((start + bit) as u32)) << bit;
            }
        }
        bits
    }

    /// Adds a number; a number that is not below the length is ignored.
    pub fn insert(&mut self, number: u32) {
        let number = number as usize;
        if number < self.len
            && let Some(word) = self.words.get_mut(number / 64)
        {
            *word |= 1 << (number % 64);
        }
    }

    /// Whether the number is in the set.
    pub fn has(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers below the length that are not in the set.
    #[must_use]
    pub fn complement(mut self) -> Bits {
        for word in &mut self.words {
            *word = !*word;
        }
        let over = self.len % 64;
        if over > 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << over) - 1;
        }
        self
    }

    /// The numbers in both sets.
    #[must_use]
    pub fn and(mut self, other: &Bits) -> Bits {
        for (word, with) in self.words.iter_mut().zip(&other.words) {
            *word &= with;
        }
        self
    }

    /// The numbers in either set.
    #[must_use]
    pub fn or(mut self, other: &Bits) -> Bits {
        for (word, with) in self.words.iter_mut().zip(&other.words) {
            *word |= with;
        }
        self
    }

    /// Counts the numbers in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_to_their_length() {
        let thirds = Bits::of(70, |number| number % 3 == 0);
        assert_eq!(thirds.count(), 24);
        assert_eq!(thirds.clone().complement().count(), 46);
        assert_eq!(Bits::all(70).count(), 70);
        assert!(!Bits::all(70).has(70));
        let mut few = Bits::none(70);
        few.insert(69);
        few.insert(70);
        assert_eq!(few.count(), 1);
        assert!(thirds.clone().and(&few).has(69) && thirds.clone().and(&few).count() == 1);
        assert_eq!(thirds.or(&Bits::of(70, |number| number == 1)).count(), 25);
        assert_eq!(Bits::all(0).count(), 0);
    }
}
