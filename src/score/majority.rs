//! The answers of the majority on one item.
//!
//! An answer is the majority's if more than half of the people asked gave it. For questions with several answers
//! (bullets, tags, units), each answer that more than half named belongs to the majority's. A question that depends on
//! another is asked only where the majority's earlier answers ask it, and counts only people whose own answers ask it.

use std::collections::BTreeMap;

use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind};

/// The majority's answers on one item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Majority {
    /// The answers; questions without a majority are missing.
    pub answers: Answers,
    /// Keys of the answered questions without a majority, in the order of the protocol.
    pub tied: Vec<String>,
}

/// The majority of several people's answers on one item.
pub fn majority(protocol: &Protocol, given: &[&Answers]) -> Majority {
    let mut found = Majority::default();
    for question in &protocol.questions {
        if !question.is_asked(&found.answers) {
            continue;
        }
        let asked = given.iter().filter(|answers| question.is_asked(answers));
        let answers: Vec<Option<&Answer>> = asked.map(|answers| answers.get(&question.key)).collect();
        match decided(question, &answers) {
            Decided::Answer(answer) => {
                found.answers.insert(question.key.clone(), answer);
            }
            Decided::Tied => found.tied.push(question.key.clone()),
            Decided::Nothing => {}
        }
    }
    found
}

/// The majority on one question.
enum Decided {
    Answer(Answer),
    Tied,
    /// More than half gave no answer.
    Nothing,
}

fn decided(question: &Question, answers: &[Option<&Answer>]) -> Decided {
    let is_majority = |count: usize| 2 * count > answers.len();
    let mut counts: BTreeMap<Option<&Answer>, usize> = BTreeMap::new();
    for answer in answers {
        *counts.entry(*answer).or_default() += 1;
    }
    match counts.into_iter().find(|(_, count)| is_majority(*count)) {
        Some((Some(answer), _)) => return Decided::Answer(answer.clone()),
        Some((None, _)) => return Decided::Nothing,
        None if answers.is_empty() => return Decided::Nothing,
        None => {}
    }
    match &question.kind {
        QuestionKind::Bullet { several } => {
            let numbers = members(answers, |answer| answer.bullets());
            match (numbers.as_slice(), several) {
                ([], _) => Decided::Tied,
                ([number], false) => Decided::Answer(Answer::Bullet(*number)),
                _ => Decided::Answer(Answer::Bullets(numbers)),
            }
        }
        QuestionKind::Tags { .. } | QuestionKind::Units { .. } => {
            let names = members(answers, |answer| answer.names());
            if names.is_empty() { Decided::Tied } else { Decided::Answer(Answer::Names(names)) }
        }
        _ => Decided::Tied,
    }
}

/// The members that more than half named, in the order of first occurrence.
fn members<T: Ord + Clone>(answers: &[Option<&Answer>], of: fn(&Answer) -> &[T]) -> Vec<T> {
    let mut order: Vec<&T> = Vec::new();
    let mut counts: BTreeMap<&T, usize> = BTreeMap::new();
    for answer in answers.iter().flatten() {
        let mut own: Vec<&T> = of(answer).iter().collect();
        own.sort_unstable();
        own.dedup();
        for member in own {
            let count = counts.entry(member).or_default();
            *count += 1;
            if *count == 1 {
                order.push(member);
            }
        }
    }
    let is_in = |member: &&T| counts.get(*member).is_some_and(|count| 2 * count > answers.len());
    order.into_iter().filter(is_in).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn answers(text: &str) -> Answers {
        let value: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).expect("an object");
        value.iter().map(|(key, value)| (key.clone(), Answer::from_json(value).expect("an answer"))).collect()
    }

    fn of(protocol: &str, given: &[&str]) -> (Answers, Vec<String>) {
        let given: Vec<Answers> = given.iter().map(|text| answers(text)).collect();
        let found = majority(builtin(protocol).expect("built in"), &given.iter().collect::<Vec<_>>());
        (found.answers, found.tied)
    }

    #[test]
    fn more_than_half_decide() {
        let full = r#"{"coverage":"full","bullet":2}"#;
        let partial = r#"{"coverage":"partial","bullet":2}"#;
        let none = r#"{"coverage":"none"}"#;
        assert_eq!(of("coverage", &[full]), (answers(full), vec![]), "one person is a majority of one");
        assert_eq!(of("coverage", &[full, full, none]), (answers(full), vec![]));
        // Half is no majority, nor is the largest of three different answers.
        assert_eq!(of("coverage", &[full, none]), (Answers::new(), vec!["coverage".to_owned()]));
        assert_eq!(of("coverage", &[full, partial, none]).1, ["coverage"]);
        assert_eq!(of("coverage", &[]), (Answers::new(), vec![]));
    }

    #[test]
    fn a_question_is_put_to_those_whose_answers_ask_it() {
        // Three cover it, two by bullet 2: two of the three that were asked. The fourth was not asked.
        let given = [
            r#"{"coverage":"full","bullet":2}"#,
            r#"{"coverage":"full","bullet":2}"#,
            r#"{"coverage":"full","bullet":1}"#,
            r#"{"coverage":"none"}"#,
        ];
        assert_eq!(of("coverage", &given), (answers(r#"{"coverage":"full","bullet":2}"#), vec![]));
        // The label has a majority, the bullet has none.
        let given = [r#"{"coverage":"full","bullet":2}"#, r#"{"coverage":"full","bullet":1}"#];
        assert_eq!(of("coverage", &given), (answers(r#"{"coverage":"full"}"#), vec!["bullet".to_owned()]));
        // Most say that it is not covered, so nobody's bullet counts.
        let given = [r#"{"coverage":"full","bullet":2}"#, r#"{"coverage":"none"}"#, r#"{"coverage":"none"}"#];
        assert_eq!(of("coverage", &given), (answers(r#"{"coverage":"none"}"#), vec![]));
    }

    #[test]
    fn of_several_each_needs_its_majority() {
        let given =
            [r#"{"tags":["general","hallucinated"]}"#, r#"{"tags":["general","other"]}"#, r#"{"tags":null}"#];
        let protocol = builtin("failure").expect("built in");
        let tags = protocol.questions.iter().find(|question| !question.tags().is_empty()).expect("tags");
        let given = given.map(|text| text.replace("tags", &tags.key));
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        // `general` by two of three, the others by one each.
        let found = of("failure", &given);
        assert_eq!(found.0.get(&tags.key), Some(&Answer::Names(vec!["general".to_owned()])));
        assert!(!found.1.contains(&tags.key));
    }
}
