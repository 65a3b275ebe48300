//! Keys that two questions take. A key belongs to the question that is open: where it comes to the same, it may stand under several.

use super::{Condition, Protocol, Question, QuestionKind};

/// A key that two questions take which can be asked of one item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedKey<'a> {
    pub(super) key: char,
    /// Index of the question that is asked later.
    pub(super) index: usize,
    pub(super) first: &'a Question,
    pub(super) second: &'a Question,
    /// Whether the first takes it again after its first answer, when the second is open: then it never gets there.
    pub(super) is_lost: bool,
}

impl Protocol {
    /// Where two keys could meet, in words: the question that is open takes them.
    pub fn key_hints(&self) -> Vec<String> {
        let mut hints: Vec<String> = Vec::new();
        let shared = shared_keys(self).into_iter().filter(|shared| !shared.is_lost);
        let shared: Vec<SharedKey<'_>> = shared.collect();
        for of_pair in shared
            .chunk_by(|one, next| (&one.first.key, &one.second.key) == (&next.first.key, &next.second.key))
        {
            let keys: Vec<String> = of_pair.iter().map(|shared| shared.key.to_string()).collect();
            let Some(SharedKey { first, second, .. }) = of_pair.first() else { continue };
            let (first, second, keys) = (&first.key, &second.key, keys.join(" "));
            hints.push(format!(
                "{keys}: of {first:?} and of {second:?}; the question that is open takes the key, and undo takes an answer back"
            ));
        }
        hints
    }
}

/// The keys that two questions take with another meaning, in the order of the questions.
pub(super) fn shared_keys(protocol: &Protocol) -> Vec<SharedKey<'_>> {
    let mut shared = Vec::new();
    for (index, second) in protocol.questions.iter().enumerate() {
        for first in protocol.questions.iter().take(index).filter(|first| can_meet(first, second)) {
            let grows = |question: &Question| question.grows() && !question.instead;
            for key in keys(second).into_iter().filter(|key| keys(first).contains(key)) {
                let is_number =
                    |question: &Question| !offers(question, key) && question.key_to_open() != Some(key);
                if (is_number(first) && is_number(second)) || says_the_same(first, second, key) {
                    continue;
                }
                shared.push(SharedKey { key, index, first, second, is_lost: grows(first) || grows(second) });
            }
        }
    }
    shared
}

/// The keys that a question takes: those of its choices or tags, the one that opens it, digits where it takes numbers.
fn keys(question: &Question) -> Vec<char> {
    let numbers = match question.kind {
        QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Tags { .. } => '1'..'1',
        _ => '1'..':', // behind 9
    };
    let none = question.none_label().map(|_| '0');
    let offered = question.offered().iter().map(|choice| choice.key);
    offered.chain(question.key_to_open()).chain(numbers).chain(none).collect()
}

fn offers(question: &Question, key: char) -> bool {
    question.offered().iter().any(|choice| choice.key == key)
}

/// Whether choices of two questions have one label under one key.
fn says_the_same(first: &Question, second: &Question, key: char) -> bool {
    let label = |question: &'_ Question| {
        question.choices().iter().find(|choice| choice.key == key).map(|choice| choice.label.clone())
    };
    let is_step = |question: &Question| question.is_scale() && offers(question, key);
    (is_step(first) && is_step(second))
        || label(first).is_some_and(|label_of_first| Some(label_of_first) == label(second))
}

/// Whether two questions can be asked of one item: not where they hang on different choices of one question.
fn can_meet(first: &Question, second: &Question) -> bool {
    let apart = |one: &Condition, other: &Condition| {
        one.question == other.question && !one.is.iter().any(|value| other.is.contains(value))
    };
    !first.ask_when.as_ref().zip(second.ask_when.as_ref()).is_some_and(|(one, other)| apart(one, other))
}

#[cfg(test)]
mod tests {
    use crate::protocol::{Protocol, check};

    fn file(questions: &str) -> String {
        format!(
            "name = \"keys\"\ntitle = \"Keys\"\nversion = 1\nsource = \"a test\"\ntarget = [\"candidate\"]\n\
             group = \"query\"\n[layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = [\"candidate\"]\n{questions}"
        )
    }

    fn question(key: &str, lines: &str) -> String {
        format!("[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\n{lines}\n")
    }

    fn choice(first: &str, second: &str) -> String {
        let one = |key: &str| format!("{{ value = \"{key}\", label = \"label {key}\", key = \"{key}\" }}");
        format!("kind = \"choice\"\nchoices = [{}, {}]", one(first), one(second))
    }

    #[test]
    fn a_key_stands_under_several_questions_and_the_hint_names_them() {
        let two = file(
            &(question("a", &choice("x", "y")) + &question("b", &choice("x", "1").replace("label x", "no"))),
        );
        assert_eq!(check(&two, &|_| None), []);
        let hints = Protocol::parse(&two, "").expect("a protocol").key_hints();
        assert_eq!(hints.len(), 1, "{hints:?}");
        assert!(hints[0].starts_with("x: of \"a\" and of \"b\""), "{hints:?}");
        let scales =
            file(&["a", "b"].map(|key| question(key, "kind = \"choice\"\nscale = \"1..5\"")).concat());
        assert!(Protocol::parse(&scales, "").expect("a protocol").key_hints().is_empty(), "a step is a step");
    }

    #[test]
    fn a_key_that_would_never_get_there_is_refused() {
        let tags = "kind = \"tags\"\ntags = [{ value = \"v\", label = \"v\", key = \"1\" }]";
        let meets = file(&(question("a", tags) + &question("b", "kind = \"choice\"\nscale = \"1..5\"")));
        let found = check(&meets, &|_| None);
        assert!(found.len() == 1 && found[0].to_string().contains("the key \"1\""), "{found:?}");
        let bullets =
            file(&(question("a", &choice("1", "2")) + &question("b", "kind = \"bullet\"\nseveral = true")));
        assert_eq!(check(&bullets, &|_| None).len(), 2, "one a digit");
        // Of two that hang on different choices only one is asked.
        let hangs = |key: &str, on: &str, lines: &str| {
            question(key, &format!("{lines}\nask_when = {{ question = \"a\", is = [\"{on}\"] }}"))
        };
        let apart = file(
            &(question("a", &choice("x", "y"))
                + &hangs("b", "x", tags)
                + &hangs("c", "y", "kind = \"choice\"\nscale = \"1..5\"")),
        );
        assert_eq!(check(&apart, &|_| None), []);
    }
}
