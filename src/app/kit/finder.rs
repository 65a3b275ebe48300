//! Fuzzy finding in the go-to list: the only file that names `fuzzy-matcher`.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use crate::journal::GoToEntry;
use crate::text::search::Finder;

/// Characters of unit and of query that fuzzy matching reads, since its cost is quadratic in the length. Words as typed are
/// found anywhere.
const LONGEST: (usize, usize) = (48, 32);

/// At most this many lines are shown.
const MOST: usize = 200;

/// Finds the entries that contain every word of `needle`, in queue order. Where no entry does, finds those that contain
/// the characters of each word in order, best match first. Returns at most 200 indices.
/// An empty needle matches every entry. `cancelled` is polled; once it is true, the result is `None`.
pub fn find(entries: &[GoToEntry], needle: &str, cancelled: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    if needle.trim().is_empty() {
        return Some((0..entries.len()).take(MOST).collect());
    }
    // Entries with the words as typed win; scattered letters count only where no entry has the words.
    let literal = literal(entries, needle, cancelled)?;
    if !literal.is_empty() {
        return Some(literal);
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut matches = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        if index % 256 == 0 && cancelled() {
            return None;
        }
        if let Some(score) = score(&matcher, entry, needle) {
            matches.push((std::cmp::Reverse(score), index));
        }
    }
    matches.sort_unstable();
    Some(matches.into_iter().map(|(_, index)| index).take(MOST).collect())
}

/// The entries in which every word of the needle stands as typed, whatever its case.
fn literal(entries: &[GoToEntry], needle: &str, cancelled: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let words: Vec<Finder> = needle.split_whitespace().map(Finder::new).collect();
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        if index % 256 == 0 && cancelled() {
            return None;
        }
        if words.iter().all(|word| word.is_in(&entry.unit) || word.is_in(&entry.query)) {
            found.push(index);
        }
        if found.len() == MOST {
            break;
        }
    }
    Some(found)
}

/// Scores an entry by fuzzy matching: the letters of every word must stand in order in the beginnings of unit and query.
fn score(matcher: &SkimMatcherV2, entry: &GoToEntry, needle: &str) -> Option<i64> {
    let line = format!("{} {}", beginning(&entry.unit, LONGEST.0), beginning(&entry.query, LONGEST.1));
    needle.split_whitespace().map(|word| matcher.fuzzy_match(&line, word)).sum()
}

fn beginning(text: &str, characters: usize) -> &str {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::journal::ItemState;

    fn entries() -> Vec<GoToEntry> {
        [("stress", "a 5-minute break after 25 minutes"), ("stress", "the Calm app"), ("规划", "番茄工作法")]
            .iter()
            .enumerate()
            .map(|(position, (query, unit))| GoToEntry {
                position,
                query: (*query).into(),
                unit: (*unit).into(),
                group: 1,
                state: ItemState::Open,
                flagged: false,
            })
            .collect()
    }

    fn found(needle: &str) -> Vec<usize> {
        find(&entries(), needle, &|| false).expect("not cancelled")
    }

    #[test]
    fn finds_by_words_of_unit_and_query_in_any_script() {
        assert_eq!(found(""), [0, 1, 2]);
        assert_eq!(found("calm"), [1]);
        assert_eq!(found("stress brk"), [0]);
        assert_eq!(found("番茄"), [2]);
        assert_eq!(found("zzz"), [] as [usize; 0]);
    }

    #[test]
    fn can_be_cancelled() {
        assert_eq!(find(&entries(), "a", &|| true), None);
    }
}
