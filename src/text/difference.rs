//! The changes between two texts, word by word.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use super::grapheme::beginning;
use super::width::visible;

/// A run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordChange {
    Kept(String),
    Removed(String),
    Added(String),
}

impl WordChange {
    pub fn text(&self) -> &str {
        match self {
            WordChange::Kept(text) | WordChange::Removed(text) | WordChange::Added(text) => text,
        }
    }

    /// The signs around the run, so that colours alone do not tell its kind.
    pub fn signs(&self) -> [&'static str; 2] {
        match self {
            WordChange::Kept(_) => ["", ""],
            WordChange::Removed(_) => ["[-", "-]"],
            WordChange::Added(_) => ["{+", "+}"],
        }
    }
}

/// The runs that lead from one text to another: words of UAX#29, an ideograph by itself. The white space behind a word
/// goes with it and is not compared, so that nothing is taken for kept because blanks are alike. The texts without what
/// was added, and without what was removed, are the two texts again.
pub fn difference(before: &str, after: &str) -> Vec<WordChange> {
    let (old, new) = (words(before), words(after));
    let names =
        |words: &[(&str, &str)]| words.iter().map(|(word, _)| word.to_string()).collect::<Vec<String>>();
    let mut runs = Runs::default();
    for op in capture_diff_slices(Algorithm::Myers, &names(&old), &names(&new)) {
        let (removed, added) =
            (old.get(op.old_range()).unwrap_or(&[]), new.get(op.new_range()).unwrap_or(&[]));
        if matches!(op, DiffOp::Equal { .. }) {
            for ((word, blank), (_, other)) in removed.iter().zip(added) {
                runs.push(WordChange::Kept, word);
                runs.replace(blank, other);
            }
        } else {
            let text = |words: &[(&str, &str)]| -> String {
                words.iter().map(|(word, blank)| [*word, *blank].concat()).collect()
            };
            let (removed, added) = (text(removed), text(added));
            let (was, is) = (removed.trim_end(), added.trim_end());
            match removed.get(was.len()..) {
                // Both have the same blank behind them.
                Some(blank) if added.get(is.len()..) == Some(blank) => {
                    runs.replace(was, is);
                    runs.push(WordChange::Kept, blank);
                }
                _ => runs.replace(&removed, &added),
            }
        }
    }
    runs.0
}

/// Number of changes that are shown in brief.
const FEW: usize = 5;

/// The longest beginning of a change that is shown in brief, in graphemes.
const LONGEST: usize = 60;

/// The beginning of a text on one line.
pub fn short(text: &str) -> String {
    visible(&beginning(text.trim(), LONGEST)).into_owned()
}

/// The first changes between two texts on one line: `[-what goes-] {+what comes+}`.
pub fn difference_in_brief(before: &str, after: &str) -> String {
    let runs = difference(before, after);
    let changes: Vec<String> = runs
        .iter()
        .filter(|change| !matches!(change, WordChange::Kept(_)) && !change.text().trim().is_empty())
        .map(|change| {
            let [before, after] = change.signs();
            format!("{before}{}{after}", short(change.text()))
        })
        .collect();
    let more = changes.len().saturating_sub(FEW);
    let told = changes.into_iter().take(FEW).collect::<Vec<_>>().join(" ");
    match (more, told.is_empty()) {
        (_, true) => "blanks alone".to_owned(),
        (0, _) => told,
        (more, _) => format!("{told} and {more} more"),
    }
}

/// Words, each with the white space behind it; white space before the first word is behind an empty one.
fn words(text: &str) -> Vec<(&str, &str)> {
    let mut words: Vec<(&str, &str)> = Vec::new();
    for (start, word) in text.split_word_bound_indices() {
        let is_blank = word.trim().is_empty();
        match words.last_mut() {
            Some((_, blank)) if is_blank => {
                *blank = text.get(start - blank.len()..start + word.len()).unwrap_or("");
            }
            _ if is_blank => words.push(("", word)),
            _ => words.push((word, "")),
        }
    }
    words
}

/// Changes; neighbours of one kind are joined.
#[derive(Default)]
struct Runs(Vec<WordChange>);

impl Runs {
    fn push(&mut self, kind: fn(String) -> WordChange, text: &str) {
        let change = kind(text.to_owned());
        match (self.0.last_mut(), &change) {
            _ if text.is_empty() => {}
            (Some(WordChange::Kept(run)), WordChange::Kept(_))
            | (Some(WordChange::Removed(run)), WordChange::Removed(_))
            | (Some(WordChange::Added(run)), WordChange::Added(_)) => run.push_str(text),
            _ => self.0.push(change),
        }
    }

    fn replace(&mut self, old: &str, new: &str) {
        if old == new {
            return self.push(WordChange::Kept, old);
        }
        self.push(WordChange::Removed, old);
        self.push(WordChange::Added, new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_in_brief_names_what_goes_and_what_comes() {
        assert_eq!(difference_in_brief("Tea helps.", "No tea helps."), "[-Tea-] {+No tea+}");
        assert_eq!(difference_in_brief("a  b", "a b"), "blanks alone");
    }
    use proptest::prelude::*;

    #[test]
    fn words_that_changed_stand_out() {
        assert_eq!(
            difference("How do students sleep?", "How well do students sleep?"),
            [
                WordChange::Kept("How ".into()),
                WordChange::Added("well ".into()),
                WordChange::Kept("do students sleep?".into()),
            ]
        );
        assert_eq!(
            difference("冬天续航", "冬季续航"),
            [
                WordChange::Kept("冬".into()),
                WordChange::Removed("天".into()),
                WordChange::Added("季".into()),
                WordChange::Kept("续航".into()),
            ]
        );
        assert_eq!(
            difference("why do they sleep badly", "what helps students rest well now"),
            [
                WordChange::Removed("why do they sleep badly".into()),
                WordChange::Added("what helps students rest well now".into()),
            ],
            "blanks alone are nothing kept"
        );
        assert_eq!(
            difference(" a b", " a  c b "),
            [
                WordChange::Kept(" a".into()),
                WordChange::Removed(" ".into()),
                WordChange::Added("  c ".into()),
                WordChange::Kept("b".into()),
                WordChange::Added(" ".into()),
            ]
        );
    }

    proptest! {
        #[test]
        fn both_texts_come_back(before in any::<String>(), after in any::<String>()) {
            let changes = difference(&before, &after);
            let text = |of: fn(&WordChange) -> &str| changes.iter().map(of).collect::<String>();
            let old = text(|change| match change {
                WordChange::Kept(text) | WordChange::Removed(text) => text,
                WordChange::Added(_) => "",
            });
            let new = text(|change| match change {
                WordChange::Kept(text) | WordChange::Added(text) => text,
                WordChange::Removed(_) => "",
            });
            prop_assert_eq!((old, new), (before, after));
        }
    }
}
