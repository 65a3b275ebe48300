//! A change of a text.

use serde_json::{Value, json};

/// The most bytes of a summary. A longer change does not fit, so that no journal fills the memory.
pub const LONGEST_SUMMARY: usize = 1 << 18;

/// A change of a text: from byte `start` on, `removed` bytes give way to `inserted`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Delta {
    /// Byte offset in the text before the change.
    pub start: usize,
    /// Bytes taken away.
    pub removed: usize,
    pub inserted: String,
}

impl Delta {
    /// The smallest change that makes `after` of `before`; `None` when they are equal.
    #[must_use]
    pub fn between(before: &str, after: &str) -> Option<Delta> {
        if before == after {
            return None;
        }
        let same = |(one, other): &(char, char)| one == other;
        let lengths = |(one, _): (char, char)| one.len_utf8();
        let start: usize = before.chars().zip(after.chars()).take_while(same).map(lengths).sum();
        let (old, new) = (before.get(start..)?, after.get(start..)?);
        // The common end is looked for behind the common beginning, so that the two never overlap.
        let end: usize = old.chars().rev().zip(new.chars().rev()).take_while(same).map(lengths).sum();
        let inserted = new.get(..new.len() - end)?.to_owned();
        Some(Delta { start, removed: old.len() - end, inserted })
    }

    /// Changes the text; `false`, and no change, when the delta does not fit it.
    pub fn apply(&self, text: &mut String) -> bool {
        let Some(end) = self.start.checked_add(self.removed) else { return false };
        let fits = text.get(self.start..end).is_some()
            && text.len() - self.removed + self.inserted.len() <= LONGEST_SUMMARY;
        if fits {
            text.replace_range(self.start..end, &self.inserted);
        }
        fits
    }

    /// The form in the study file: `[start, removed, "inserted"]`.
    pub(super) fn to_json(&self) -> Value {
        json!([self.start, self.removed, self.inserted])
    }

    pub(super) fn from_json(value: &Value) -> Option<Delta> {
        let [start, removed, inserted] = value.as_array()?.as_slice() else { return None };
        Some(Delta {
            start: usize::try_from(start.as_u64()?).ok()?,
            removed: usize::try_from(removed.as_u64()?).ok()?,
            inserted: inserted.as_str()?.to_owned(),
        })
    }
}
