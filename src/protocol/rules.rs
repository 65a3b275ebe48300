//! The answers that a protocol accepts, and the rules that a set of answers breaks.

use std::fmt;

use super::{Answer, Answers, Choice, Protocol, Question, QuestionKind, Quote, Rule, SIDES, SelectedIn};
use crate::text::width::visible;

/// A rule that a set of answers breaks. The answers stay what they are; their reader decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The protocol has no such question.
    UnknownQuestion { question: String },
    /// The value is none of the choices, or of the wrong kind.
    UnknownAnswer { question: String, answer: String },
    /// A passage has a tag or a severity that is no word of the question, or none: the key in JSON, what was given, and
    /// the words that there are.
    UnknownMark { question: String, mark: &'static str, given: Option<String>, offered: Vec<String> },
    /// The candidate has no bullet of this number.
    NoSuchBullet { question: String, number: u32, bullets: usize },
    /// A required question that is asked has no answer.
    Missing { question: String },
    /// There is an answer to a question that is not asked.
    NotAsked { question: String, answer: String },
    /// Answers that do not go together under a rule of the protocol.
    Together { message: String },
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::UnknownQuestion { question } => {
                write!(formatter, "the protocol has no question {question:?}")
            }
            Violation::UnknownAnswer { question, answer } => {
                write!(formatter, "{} is no answer to {question:?}", visible(answer))
            }
            Violation::UnknownMark { question, mark, given, offered } => {
                match given {
                    Some(given) => write!(
                        formatter,
                        "a passage of {question:?} has the {mark} \"{}\"; ",
                        visible(given)
                    )?,
                    None => write!(formatter, "a passage of {question:?} has no {mark:?}; ")?,
                }
                match offered.is_empty() {
                    true => write!(formatter, "the question has none"),
                    false => write!(formatter, "give one of {}", visible(&offered.join(", "))),
                }
            }
            Violation::NoSuchBullet { question, number, bullets } => {
                write!(formatter, "{question:?} names bullet {number}, but the candidate has {bullets}")
            }
            Violation::Missing { question } => {
                write!(formatter, "{question:?} has no answer although it is asked")
            }
            Violation::NotAsked { question, answer } => {
                let answer = visible(answer);
                write!(formatter, "{question:?} has the answer {answer} although it is not asked")
            }
            Violation::Together { message } => formatter.write_str(&visible(message)),
        }
    }
}

impl Violation {
    /// Whether the answers cannot be kept, because they say nothing that the protocol understands. Other violations are
    /// breaches that published data contains and that stay on record.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Violation::UnknownQuestion { .. }
                | Violation::UnknownAnswer { .. }
                | Violation::UnknownMark { .. }
                | Violation::NoSuchBullet { .. }
        )
    }
}

impl Protocol {
    /// Every rule that these answers break. `bullets` is the number of bullets of the candidate,
    /// 0 where the target has none.
    pub fn violations(&self, answers: &Answers, bullets: usize) -> Vec<Violation> {
        let mut found = Vec::new();
        for (key, answer) in answers {
            match self.question(key) {
                None => found.push(Violation::UnknownQuestion { question: key.clone() }),
                Some(question) => found.extend(question.violation(answer, bullets)),
            }
        }
        let is_instead = self.is_instead(answers);
        for question in &self.questions {
            match (question.is_asked(answers), answers.get(&question.key)) {
                (true, None) if question.required && !is_instead => {
                    found.push(Violation::Missing { question: question.key.clone() })
                }
                (false, Some(answer)) => found.push(Violation::NotAsked {
                    question: question.key.clone(),
                    answer: answer.to_json().to_string(),
                }),
                _ => {}
            }
        }
        found.extend(self.broken_rules(answers));
        found
    }

    /// The rules between questions that these answers break. A question without an answer breaks none.
    pub fn broken_rules(&self, answers: &Answers) -> impl Iterator<Item = Violation> {
        let broken = |rule: &&Rule| {
            rule.when.holds(answers) && answers.contains_key(&rule.then.question) && !rule.then.holds(answers)
        };
        let message = |rule: &Rule| Violation::Together { message: rule.message.clone() };
        self.rules.iter().filter(broken).map(message)
    }

    /// The answers that stand although the questions they belong to are no longer asked.
    /// Taking one away may leave the next one over.
    pub fn left_over(&self, answers: &Answers) -> Vec<String> {
        let mut kept = answers.clone();
        let mut left_over = Vec::new();
        for question in &self.questions {
            if !question.is_asked(&kept) && kept.remove(&question.key).is_some() {
                left_over.push(question.key.clone());
            }
        }
        left_over
    }
}

impl Question {
    /// The rule that this answer to this question breaks by itself, if any.
    pub fn violation(&self, answer: &Answer, bullets: usize) -> Option<Violation> {
        let unknown =
            || Violation::UnknownAnswer { question: self.key.clone(), answer: answer.to_json().to_string() };
        let is_fine = match (&self.kind, answer) {
            (QuestionKind::Choice { choices, .. }, Answer::Text(value)) => {
                choices.iter().any(|choice| choice.value == *value)
            }
            (QuestionKind::Side, Answer::Text(side)) => SIDES.contains(&side.as_str()),
            (QuestionKind::Text { .. }, Answer::Text(text)) => !text.trim().is_empty(),
            (QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Side, _) => false,
            (_, Answer::Nothing) => true,
            (QuestionKind::Bullet { .. }, Answer::Bullet(_) | Answer::Bullets(_)) => {
                return self.missing_bullet(answer.bullets(), bullets);
            }
            (QuestionKind::Tags { tags }, Answer::Names(names)) => {
                names.iter().all(|name| tags.iter().any(|tag| tag.value == *name))
            }
            (QuestionKind::Units { .. }, Answer::Names(_))
            | (QuestionKind::Points { .. }, Answer::Points(_)) => self.places(answer),
            (QuestionKind::Passages { .. }, Answer::Passages(passages)) => {
                let unmarked = passages.iter().find_map(|passage| self.unknown_mark(passage));
                match unmarked.filter(|_| self.places(answer)) {
                    Some(unmarked) => return Some(unmarked),
                    None => self.places(answer),
                }
            }
            _ => false,
        };
        (!is_fine).then(unknown)
    }

    /// Whether the passages stand where the question asks for them.
    fn places(&self, answer: &Answer) -> bool {
        let is_in = self.selected_in() == SelectedIn::Candidate;
        answer.passages().iter().all(|passage| passage.is_in_candidate() == is_in)
    }

    /// The violation of a passage whose tag or severity is no word of the question.
    fn unknown_mark(&self, passage: &Quote) -> Option<Violation> {
        let [tags, severities] = self.marks();
        let marks = [("tag", tags, &passage.tag), ("severity", severities, &passage.severity)];
        let is_unknown = |(_, offered, given): &(&str, &[Choice], &Option<String>)| match given {
            Some(value) => offered.iter().all(|choice| choice.value != *value),
            None => !offered.is_empty(),
        };
        let (mark, offered, given) = marks.into_iter().find(is_unknown)?;
        let offered = offered.iter().map(|choice| choice.value.clone()).collect();
        Some(Violation::UnknownMark { question: self.key.clone(), mark, given: given.clone(), offered })
    }

    fn missing_bullet(&self, numbers: &[u32], bullets: usize) -> Option<Violation> {
        let is_missing = |number: &&u32| usize::try_from(**number).is_ok_and(|number| number > bullets);
        let number = *numbers.iter().find(is_missing)?;
        Some(Violation::NoSuchBullet { question: self.key.clone(), number, bullets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn answers(pairs: &[(&str, Answer)]) -> Answers {
        pairs.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect()
    }

    fn check(pairs: &[(&str, Answer)], expected: &[&str]) {
        let protocol = builtin("coverage").expect("coverage is built in");
        let found: Vec<String> =
            protocol.violations(&answers(pairs), 4).iter().map(Violation::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_passage_without_a_word_of_the_question_is_told_which_there_are() {
        let question = builtin("hallucination").expect("built in").question("invented").expect("asked");
        let told = |tag: Option<&str>, severity: Option<&str>| {
            let mut quote = Quote::of("", "tea", crate::text::span::Span::around("tea", 0, 3));
            (quote.tag, quote.severity) = (tag.map(str::to_owned), severity.map(str::to_owned));
            question.violation(&Answer::Passages(vec![quote]), 1).map(|violation| violation.to_string())
        };
        assert_eq!(told(Some("name"), Some("minor")), None);
        assert_eq!(
            told(None, Some("minor")).as_deref(),
            Some("a passage of \"invented\" has no \"tag\"; give one of name, number, relation, statement")
        );
        assert_eq!(
            told(Some("name"), Some("huge")).as_deref(),
            Some("a passage of \"invented\" has the severity \"huge\"; give one of minor, major")
        );
    }

    #[test]
    fn covered_needs_a_bullet_and_not_covered_has_none() {
        let choice = |value: &str| Answer::Text(value.to_owned());
        check(&[("coverage", choice("full")), ("bullet", Answer::Bullet(4))], &[]);
        check(&[("coverage", choice("none"))], &[]);
        check(&[("coverage", choice("partial")), ("bullet", Answer::Nothing)], &[]);
        check(&[("coverage", choice("full"))], &["\"bullet\" has no answer although it is asked"]);
        check(
            &[("coverage", choice("none")), ("bullet", Answer::Bullet(1))],
            &["\"bullet\" has the answer 1 although it is not asked"],
        );
    }

    #[test]
    fn strange_answers_are_named() {
        check(&[("coverage", Answer::Text("half".into()))], &["\"half\" is no answer to \"coverage\""]);
        check(
            &[("coverage", Answer::Text("full".into())), ("bullet", Answer::Bullet(5))],
            &["\"bullet\" names bullet 5, but the candidate has 4"],
        );
        check(
            &[("coverage", Answer::Text("none".into())), ("mood", Answer::Text("good".into()))],
            &["the protocol has no question \"mood\""],
        );
    }

    #[test]
    fn one_answer_taken_away_takes_along_those_that_hang_on_it() {
        let chain = |key: &str, letters: [char; 2], after: Option<&str>| {
            let condition = after.map_or_else(String::new, |after| {
                format!("ask_when = {{ question = \"{after}\", is = [\"yes\"] }}\n")
            });
            format!(
                "[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\nkind = \"choice\"\n{condition}choices = [\n\
                 {{ value = \"yes\", label = \"yes\", key = \"{}\" }},\n\
                 {{ value = \"no\", label = \"no\", key = \"{}\" }},\n]\n",
                letters[0], letters[1]
            )
        };
        let text = format!(
            "name = \"chain\"\ntitle = \"Chain\"\nversion = 1\nsource = \"a test\"\ntarget = [\"candidate\"]\n\
             group = \"query\"\n[layout]\nabove = [\"query\"]\nleft = []\nright = [\"candidate\"]\n{}{}{}",
            chain("a", ['y', 'n'], None),
            chain("b", ['e', 'm'], Some("a")),
            chain("c", ['f', 'x'], Some("b")),
        );
        let protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
        let said = |value: &str| Answer::Text(value.to_owned());
        let given = answers(&[("a", said("no")), ("b", said("yes")), ("c", said("yes"))]);
        assert_eq!(protocol.left_over(&given), ["b", "c"]);
    }
}
