//! Names numbered in the order they first appear, each kept once.

use std::hash::Hasher;

use super::hash::Multiply;

/// Marks a slot that holds no name.
const EMPTY: u32 = u32::MAX;

/// A list of distinct names with a fast way from a name to its number.
///
/// All texts lie in one string and the look-up table holds numbers only, so a million item names
/// cost their own bytes and some twenty more each.
#[derive(Clone, Debug)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
    /// Open addressing, a power of two long, at most half full; empty where nobody has looked for a name yet.
    slots: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self { text: String::new(), ends: Vec::new(), slots: vec![EMPTY; 16] }
    }
}

impl Names {
    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name with this number, counted from 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..end)
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// These names, each of which comes once: they are looked up by going through them until one is added.
    pub(super) fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut list = Self { text: String::new(), ends: Vec::new(), slots: Vec::new() };
        for name in names {
            list.text.push_str(name);
            list.ends.push(list.text.len());
        }
        list
    }

    /// The number of a name, when it is in the list.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        if self.slots.is_empty() { self.iter().position(|known| known == name) } else { self.slot(name).ok() }
    }

    /// The number of a name, adding it at the end when it is new; `None` when the list is full
    /// (2³¹ names).
    pub fn intern(&mut self, name: &str) -> Option<usize> {
        if self.slots.is_empty() {
            self.make_slots((self.ends.len() * 2 + 1).next_power_of_two().max(16));
        }
        let vacant = match self.slot(name) {
            Ok(number) => return Some(number),
            Err(vacant) => vacant,
        };
        let number = u32::try_from(self.ends.len()).ok().filter(|number| *number < 1 << 31)?;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        *self.slots.get_mut(vacant)? = number;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(self.ends.len() - 1)
    }

    /// The number of the name, or the slot where it would go.
    fn slot(&self, name: &str) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.start(name);
        loop {
            // `slot` is masked by the length, which is never 0.
            match self.slots[slot] {
                EMPTY => return Err(slot),
                number if self.get(number as usize) == Some(name) => return Ok(number as usize),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits of the hash are wanted")]
    fn start(&self, name: &str) -> usize {
        let mut hash = Multiply::default();
        hash.write(name.as_bytes());
        hash.finish() as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.make_slots(self.slots.len() * 2);
    }

    fn make_slots(&mut self, length: usize) {
        self.slots = vec![EMPTY; length];
        for number in 0..self.ends.len() {
            let vacant = self.get(number).map(|name| self.slot(name));
            if let Some(Err(vacant)) = vacant {
                // At most 2³¹ names, held by `intern`.
                self.slots[vacant] = u32::try_from(number).unwrap_or(EMPTY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn numbers_follow_first_appearance_and_survive_growth() {
        let mut names = Names::default();
        let wanted: Vec<String> = (0..1000).map(|n| format!("näme {n}")).collect();
        for round in 0..2 {
            for (number, name) in wanted.iter().enumerate() {
                assert_eq!(names.intern(name), Some(number), "round {round}");
            }
        }
        assert_eq!(names.len(), 1000);
        assert!(names.iter().eq(wanted.iter()));
        assert_eq!(names.find("näme 999"), Some(999));
        assert_eq!(names.find("näme 1000"), None);
        assert_eq!(names.get(1000), None);
    }

    #[test]
    fn distinct_names_are_found_before_and_after_one_is_added() {
        let wanted: Vec<String> = (0..100).map(|n| format!("n{n}")).collect();
        let mut names = Names::distinct(wanted.iter().map(String::as_str));
        assert_eq!((names.len(), names.find("n99"), names.find("m")), (100, Some(99), None));
        assert_eq!(
            (names.intern("n7"), names.intern("m"), names.find("n99")),
            (Some(7), Some(100), Some(99))
        );
        assert_eq!(Names::distinct([].into_iter()).find(""), None);
    }

    #[test]
    fn the_empty_name_is_a_name() {
        let mut names = Names::default();
        assert!(names.is_empty());
        assert_eq!(names.intern(""), Some(0));
        assert_eq!(names.intern("a"), Some(1));
        assert_eq!((names.get(0), names.find("")), (Some(""), Some(0)));
    }
}
