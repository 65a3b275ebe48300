//! What was changed between two texts, word by word.

use similar::{ChangeTag, TextDiff};

/// A run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Kept(String),
    Removed(String),
    Added(String),
}

/// The runs that lead from one text to another: words of UAX#29, an ideograph by itself. The texts
/// without what was added, and without what was removed, are the two texts again.
pub fn difference(before: &str, after: &str) -> Vec<Change> {
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in TextDiff::from_unicode_words(before, after).iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    let named = |(tag, text)| match tag {
        ChangeTag::Equal => Change::Kept(text),
        ChangeTag::Delete => Change::Removed(text),
        ChangeTag::Insert => Change::Added(text),
    };
    runs.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_that_changed_stand_out() {
        assert_eq!(
            difference("How do students sleep?", "How well do students sleep?"),
            [
                Change::Kept("How ".into()),
                Change::Added("well ".into()),
                Change::Kept("do students sleep?".into()),
            ]
        );
        assert_eq!(
            difference("冬天续航", "冬季续航"),
            [
                Change::Kept("冬".into()),
                Change::Removed("天".into()),
                Change::Added("季".into()),
                Change::Kept("续航".into()),
            ]
        );
    }

    proptest! {
        #[test]
        fn both_texts_come_back(before in any::<String>(), after in any::<String>()) {
            let changes = difference(&before, &after);
            let text = |of: fn(&Change) -> &str| changes.iter().map(of).collect::<String>();
            let old = text(|change| match change {
                Change::Kept(text) | Change::Removed(text) => text,
                Change::Added(_) => "",
            });
            let new = text(|change| match change {
                Change::Kept(text) | Change::Added(text) => text,
                Change::Removed(_) => "",
            });
            prop_assert_eq!((old, new), (before, after));
        }
    }
}
