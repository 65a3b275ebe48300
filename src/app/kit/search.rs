//! Words that are searched for in the texts of a screen.

use crate::text::search::Finder;
use crate::text::span::Span;

/// Words that are searched for; none by default.
#[derive(Debug, Clone, Default)]
pub struct Search {
    needle: String,
    finder: Option<Finder>,
}

impl Search {
    /// A search for these words; off where there are none.
    pub fn of(needle: &str) -> Search {
        Search { needle: needle.to_owned(), finder: (!needle.is_empty()).then(|| Finder::new(needle)) }
    }

    /// The words as they were typed.
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Whether nothing is searched for.
    pub fn is_off(&self) -> bool {
        self.finder.is_none()
    }

    /// Hits of the words in a text.
    pub fn hits_in(&self, text: &str) -> Vec<Span> {
        self.finder.as_ref().map(|finder| finder.find_all(text)).unwrap_or_default()
    }

    /// Counts the hits of each text; texts without hits are left out.
    pub fn counts<'t, N>(&self, texts: impl Iterator<Item = (N, &'t str)>) -> Vec<(N, usize)> {
        let counted = texts.map(|(name, text)| (name, self.hits_in(text).len()));
        counted.filter(|(_, count)| *count > 0).collect()
    }
}

/// The next or the previous value in ascending order, going round; the same again where there is no other.
pub fn around<T: Ord + Copy>(all: &[T], here: T, forwards: bool) -> Option<T> {
    let found = if forwards {
        all.iter().find(|other| **other > here).or(all.first())
    } else {
        all.iter().rev().find(|other| **other < here).or(all.last())
    };
    found.copied()
}

/// The first value after the mark or the last before it; without a mark, the first or the last of all.
pub fn beyond<T: Ord + Copy>(all: &[T], mark: Option<T>, forwards: bool) -> Option<T> {
    let found = if forwards {
        all.iter().find(|other| mark.is_none_or(|mark| **other > mark))
    } else {
        all.iter().rev().find(|other| mark.is_none_or(|mark| **other < mark))
    };
    found.copied()
}
