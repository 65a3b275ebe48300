//! Keys that two questions take. A key goes to the question that is open, so several may share it where none of them loses it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Condition, Protocol, Question};

/// A key of two questions that can both be asked of one item.
#[derive(Debug, Clone, PartialEq)]
struct SharedKey {
    key: char,
    /// Indexes of the questions, in their order.
    pair: [usize; 2],
    /// Index of the question that takes the key again after its first answer, when the other is open: the other then
    /// never gets it.
    lost_by: Option<usize>,
}

impl Protocol {
    /// Hints on keys that questions share: the question that is open takes them. Questions that share the same keys are named once.
    pub fn key_hints(&self) -> Vec<String> {
        let mut hints: Vec<(String, BTreeSet<usize>)> = Vec::new();
        let shared: Vec<SharedKey> =
            shared_keys(self).into_iter().filter(|key| key.lost_by.is_none()).collect();
        for of_pair in shared.chunk_by(|one, next| one.pair == next.pair) {
            let keys = told(of_pair.iter().map(|shared| shared.key));
            let pair = of_pair.first().map(|shared| shared.pair).unwrap_or_default();
            let known = hints
                .iter_mut()
                .find(|(other, places)| *other == keys && pair.iter().any(|place| places.contains(place)));
            match known {
                Some((_, places)) => places.extend(pair),
                None => hints.push((keys, BTreeSet::from(pair))),
            }
        }
        let hint = |(keys, places): (String, BTreeSet<usize>)| {
            let names = self.names_of(&places);
            format!(
                "{keys}: of {names}; the question that is open takes the key, and undo takes an answer back"
            )
        };
        hints.into_iter().map(hint).collect()
    }

    fn names_of(&self, places: &BTreeSet<usize>) -> String {
        let names = places.iter().filter_map(|place| self.questions.get(*place));
        names.map(|question| format!("{:?}", question.key)).collect::<Vec<String>>().join(" and of ")
    }
}

/// Questions that take several bullets or units, once each, where another question is answered by numbers too: the question's
/// index, what is wrong, and a way out.
pub(super) fn lost_numbers(protocol: &Protocol) -> Vec<(usize, String, &'static str)> {
    let questions = || protocol.questions.iter().enumerate().filter(|(_, question)| question.takes_numbers());
    let several = questions().filter(|(_, question)| question.grows() && !question.instead);
    let finding = |(index, question): (usize, &Question)| {
        let meets = |(place, other): &(usize, &Question)| *place != index && can_meet(question, other);
        let others: BTreeSet<usize> = questions().filter(meets).map(|(place, _)| place).collect();
        let names = protocol.names_of(&others);
        let what = format!("question {:?} takes several numbers, which answer {names} too", question.key);
        let advice = "ask one of them in a protocol of its own, or each after another answer (`ask_when`)";
        (!others.is_empty()).then_some((index, what, advice))
    };
    several.filter_map(finding).collect()
}

fn told(keys: impl Iterator<Item = char>) -> String {
    keys.map(String::from).collect::<Vec<String>>().join(" ")
}

/// Questions whose keys never get to them, once each: the question's index, what is wrong, and a way out.
pub(super) fn lost_keys(protocol: &Protocol) -> Vec<(usize, String, &'static str)> {
    let mut lost: BTreeMap<usize, (BTreeSet<char>, BTreeSet<usize>)> = BTreeMap::new();
    for shared in shared_keys(protocol) {
        if let Some(index) = shared.lost_by {
            let (keys, others) = lost.entry(index).or_default();
            keys.insert(shared.key);
            others.extend(shared.pair.iter().filter(|other| **other != index));
        }
    }
    let finding = |(index, (keys, others)): (usize, (BTreeSet<char>, BTreeSet<usize>))| {
        let question = protocol.questions.get(index)?;
        let what = format!(
            "question {:?} takes several answers, and its keys {} are those of {} too",
            question.key,
            told(keys.into_iter()),
            protocol.names_of(&others)
        );
        let advice = match question.takes_numbers() {
            true => {
                "digits name its bullets or units: give the others letters, a scale as `scale = \"ordinal\"` with `choices`"
            }
            false => "give it keys of its own",
        };
        Some((index, what, advice))
    };
    lost.into_iter().filter_map(finding).collect()
}

/// The keys that two questions take with another meaning, in the order of the questions.
fn shared_keys(protocol: &Protocol) -> Vec<SharedKey> {
    let mut shared = Vec::new();
    for (index, second) in protocol.questions.iter().enumerate() {
        for (place, first) in protocol.questions.iter().enumerate().take(index) {
            if !can_meet(first, second) {
                continue;
            }
            for key in keys(second).into_iter().filter(|key| keys(first).contains(key)) {
                let gives =
                    |question: &Question| offers(question, key) || question.key_to_open() == Some(key);
                if !(gives(first) || gives(second)) || says_the_same(first, second, key) {
                    continue;
                }
                // A question is answered with nothing once, so `0` does not come again.
                let is_again = |question: &Question| {
                    let is_number = question.takes_numbers() && key != '0';
                    question.grows() && !question.instead && (gives(question) || is_number)
                };
                let lost_by = [(place, first), (index, second)].into_iter().find(|(_, of)| is_again(of));
                shared.push(SharedKey { key, pair: [place, index], lost_by: lost_by.map(|(of, _)| of) });
            }
        }
    }
    shared
}

/// The keys that a question takes: those of its choices or tags, the one that opens it, digits where it takes numbers.
/// Numbers of passages and points are not among them: they step back where a digit answers.
fn keys(question: &Question) -> Vec<char> {
    let numbers = if question.takes_numbers() { '1'..='9' } else { '1'..='0' };
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
    fn numbers_that_would_go_to_the_other_question_are_refused_in_a_new_file() {
        let several = question("a", "kind = \"bullet\"\nseveral = true");
        let single = question("b", "kind = \"bullet\"");
        let found = check(&file(&(several.clone() + &single)), &|_| None);
        assert!(found.len() == 1 && found[0].to_string().contains("which answer \"b\" too"), "{found:?}");
        assert!(Protocol::parse(&file(&(several + &single)), "").is_ok(), "a study may have it");
        assert_eq!(check(&file(&(single + &question("c", "kind = \"bullet\""))), &|_| None), []);
        let hangs = |key: &str, on: &str| {
            let lines = "kind = \"bullet\"\nseveral = true";
            question(key, &format!("{lines}\nask_when = {{ question = \"a\", is = [\"{on}\"] }}"))
        };
        let apart = file(&(question("a", &choice("x", "y")) + &hangs("b", "x") + &hangs("c", "y")));
        assert_eq!(check(&apart, &|_| None), []);
    }

    #[test]
    fn a_protocol_that_asks_nothing_but_that_it_cannot_be_judged_is_refused() {
        let only = file(&question("a", &(choice("x", "y") + "\ninstead = true")));
        let found = check(&only, &|_| None);
        assert!(found.len() == 1 && found[0].to_string().contains("nothing else to answer"), "{found:?}");
    }

    #[test]
    fn a_key_that_would_never_get_there_is_refused() {
        let tags = "kind = \"tags\"\ntags = [{ value = \"v\", label = \"v\", key = \"1\" }]";
        let meets = file(&(question("a", tags) + &question("b", "kind = \"choice\"\nscale = \"1..5\"")));
        let found = check(&meets, &|_| None);
        assert!(
            found.len() == 1 && found[0].to_string().contains("its keys 1 are those of \"b\""),
            "{found:?}"
        );
        let bullets =
            file(&(question("a", &choice("1", "2")) + &question("b", "kind = \"bullet\"\nseveral = true")));
        let found = check(&bullets, &|_| None);
        assert_eq!(found.len(), 1, "one a question: {found:?}");
        assert!(
            found[0].to_string().contains("its keys 1 2 are those of \"a\" too; digits name"),
            "{found:?}"
        );
        // Of two questions that hang on different choices, only one is asked.
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
