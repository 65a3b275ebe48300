//! Answers by keys: the question that a key goes to, and the change of an item's answers. Answers go in and a change or a
//! refusal comes out: no screen and no file is known here.

use std::fmt;

use super::{Answer, Answers, Protocol, Question, QuestionKind, Violation};
use crate::study::Unit;

/// An input to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// The value of a choice that is made, or of a tag that is put on or taken off.
    Value(String),
    /// The bullet, unit, passage or point of this number, counted from 1.
    Number(u32),
    /// Deliberately nothing.
    Nothing,
    /// The question is opened for writing or selecting.
    Open,
}

/// The state of an item when something is given.
#[derive(Debug, Clone, Copy)]
pub struct ItemStand<'a> {
    /// The answers that count, on which the next one builds.
    pub answers: &'a Answers,
    /// The answers on the screen: a list goes on from them, also where they were given under another version.
    pub shown: &'a Answers,
    /// Whether the answers on the screen were given on other texts or under another version: an answer that is given
    /// again is then confirmed, and not taken away.
    pub is_stale: bool,
    /// Bullets of the candidate.
    pub bullets: usize,
    /// Units to choose from.
    pub choices: &'a [Unit],
    /// The answer that was refused once; given again, it is kept.
    pub insisted: Option<&'a (usize, Answer)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AnswerChange {
    New(NewAnswer),
    /// The answers to these questions are taken away.
    Clear(Vec<String>),
    /// The question is opened: a new text or passage, or the one of this number.
    Open(Option<u32>),
    /// Nothing is different.
    Nothing,
}

/// A question that has an answer now.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAnswer {
    pub question: String,
    pub answer: Answer,
    /// Questions whose answers are taken away: those that are no longer asked, and those that hang on this one and are open,
    /// so that no answer of another file comes to stand under this one.
    pub left_over: Vec<String>,
    /// Whether only the annotator knows if there is more to come.
    pub may_grow: bool,
    /// Whether the answer is the last of the item.
    pub completes: bool,
    /// Index of a text question that is asked because of this answer, and is written next.
    pub asks_for_text: Option<usize>,
    /// Index of a later question that is asked, has no answer, and may be left without one.
    pub may_follow: Option<usize>,
}

/// The reason why nothing is given.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The question is not asked, because the one before it is open or was answered otherwise: both prompts.
    NotAsked { prompt: String, earlier: String, is_open: bool },
    /// There is nothing of this number to choose.
    NoChoice(u32),
    /// The answer is none that the question takes.
    Wrong(Violation),
    /// The answer breaks a rule. Given once more, it is kept.
    Breaks(Answer, Violation),
    /// The answer would do away with so many points or passages. Given once more, it does.
    Empties(usize),
}

impl Refusal {
    /// The answer that is kept when it is given once more.
    pub fn doubted(&self) -> Option<Answer> {
        match self {
            Refusal::Breaks(answer, _) => Some(answer.clone()),
            Refusal::Empties(_) => Some(Answer::Nothing),
            Refusal::NotAsked { .. } | Refusal::NoChoice(_) | Refusal::Wrong(_) => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotAsked { prompt, earlier, is_open: true } => {
                write!(formatter, "\"{prompt}\" comes after \"{earlier}\": answer \"{earlier}\" first")
            }
            Refusal::NotAsked { prompt, earlier, is_open: false } => {
                write!(formatter, "\"{prompt}\" is asked after another answer to \"{earlier}\"")
            }
            Refusal::NoChoice(number) => write!(formatter, "there is no choice {number}"),
            Refusal::Wrong(violation) => violation.fmt(formatter),
            Refusal::Breaks(_, violation) => write!(formatter, "{violation} (the same key again keeps it)"),
            Refusal::Empties(count) => {
                write!(formatter, "0 would do away with all {count}; the same key again does")
            }
        }
    }
}

impl<'a> ItemStand<'a> {
    /// How many numbers a question takes, and what they count; `None` where it takes none.
    pub fn numbers_of(&self, question: &Question) -> Option<(usize, &'static str)> {
        let shown = self.shown.get(&question.key);
        match &question.kind {
            QuestionKind::Bullet { .. } => Some((self.bullets, "bullet")),
            QuestionKind::Units { .. } => Some((self.units_of(question).count(), "choice")),
            QuestionKind::Passages { .. } => {
                Some((shown.map_or(0, |shown| shown.passages().len()), "passage"))
            }
            QuestionKind::Points { .. } => Some((shown.map_or(0, |shown| shown.points().len()), "point")),
            QuestionKind::Choice { .. }
            | QuestionKind::Text { .. }
            | QuestionKind::Tags { .. }
            | QuestionKind::Side => None,
        }
    }

    /// Keys of the units that a question chooses from, in the order in which they are numbered.
    fn units_of<'s>(&'s self, question: &'s Question) -> impl Iterator<Item = &'a str> {
        let units = self.choices.iter().filter(|unit| question.kinds().contains(&unit.kind));
        units.map(|unit| unit.id.as_str())
    }

    fn shown_names(&self, question: &Question) -> &'a [String] {
        self.shown.get(&question.key).map_or(&[], Answer::names)
    }

    /// The names that a question shows with one switched. A stale name that is on already is confirmed, with all others.
    fn with_switched<'n>(
        &self,
        question: &Question,
        order: impl Iterator<Item = &'n str>,
        name: &str,
    ) -> Vec<String> {
        let shown = self.shown_names(question);
        switched(order, shown, name, self.is_stale)
    }
}

/// The names with one put on or taken off, in this order. Stale names were given on other texts: one that is on already
/// is confirmed, and stays.
pub fn switched<'a>(
    order: impl Iterator<Item = &'a str>,
    before: &[String],
    name: &str,
    is_stale: bool,
) -> Vec<String> {
    let is_on = |other: &str| before.iter().any(|given| given == other);
    let is_confirmed = is_stale && is_on(name);
    order.filter(|other| is_on(other) != (*other == name && !is_confirmed)).map(str::to_owned).collect()
}

impl Protocol {
    /// Whether a key gives something by itself: not as a digit of a number.
    pub fn takes_letter(&self, key: char) -> bool {
        self.taking(key).is_some()
    }

    /// The first question to which a key gives something by itself.
    pub fn taking(&self, key: char) -> Option<&Question> {
        self.given_to(key).next().and_then(|(index, _)| self.questions.get(index))
    }

    /// Whether a digit is the key of a choice or tag.
    pub fn takes_digits(&self) -> bool {
        self.questions.iter().flat_map(Question::offered).any(|choice| choice.key.is_ascii_digit())
    }

    /// The question whose number begins with this digit: the open one, or where the digit gives nothing by itself. The digit
    /// means a passage or point only while its list is in hand and has any.
    pub fn number_question(&self, stand: &ItemStand, digit: char, last: Option<usize>) -> Option<usize> {
        let numbered = self.digit_question(stand, digit).filter(|_| digit.is_ascii_digit())?;
        let Some((given, _)) = self.given_by(digit, stand.answers, last) else { return Some(numbered) };
        let open = self.open_place(stand.answers);
        let is_open = |index: usize| open == Some(index);
        let question = self.questions.get(numbered)?;
        let is_meant = if question.takes_numbers() {
            // Where neither is open, the question is meant that was not answered just now.
            is_open(numbered) || (!is_open(given) && last == Some(given))
        } else {
            let is_there = digit == '0' || stand.numbers_of(question).is_some_and(|(count, _)| count > 0);
            is_there && (is_open(numbered) || (!is_open(given) && last == Some(numbered)))
        };
        is_meant.then_some(numbered)
    }

    /// Whether questions share a letter, so that it gives something to one after the other.
    pub fn shares_letter(&self, key: char) -> bool {
        self.given_to(key).nth(1).is_some()
    }

    /// The question that a letter answers, and with what. Of several questions that take the letter it is the open one, else
    /// one without an answer; where all are answered, the one behind `last`, which was answered last, going round. Where a
    /// question without this letter is open, or was answered last, an answer is corrected: that of `last`, else that of the
    /// nearest question before.
    pub fn given_by(&self, key: char, answers: &Answers, last: Option<usize>) -> Option<(usize, Given)> {
        let open = self.open_place(answers);
        let place = open.or(last.filter(|last| self.given_to(key).all(|(index, _)| index != *last)));
        let is_whole = self.is_complete(answers);
        let away = |index: usize| match place {
            Some(_) if last == Some(index) => 0,
            Some(place) if index > place => self.questions.len() + index,
            Some(place) => place - index,
            None => index,
        };
        let rank = |index: usize| {
            let question = self.questions.get(index);
            let is_asked = question.is_some_and(|question| question.is_asked(answers));
            let is_answered = question.is_some_and(|question| answers.contains_key(&question.key));
            // Questions without an answer, or that may be gone through again, come in their order.
            let is_next = is_whole && last.is_none_or(|last| index > last);
            let in_order = !is_answered || is_next;
            (
                open != Some(index),
                !is_asked,
                is_answered,
                !in_order,
                if in_order { index } else { away(index) },
            )
        };
        self.given_to(key).min_by_key(|(index, _)| rank(*index))
    }

    fn given_to(&self, key: char) -> impl Iterator<Item = (usize, Given)> {
        self.questions.iter().enumerate().filter_map(move |(index, question)| {
            let offered = question.offered().iter().find(|choice| choice.key == key);
            let opens = (question.key_to_open() == Some(key)).then_some(Given::Open);
            Some((index, offered.map(|choice| Given::Value(choice.value.clone())).or(opens)?))
        })
    }

    /// The question that a digit belongs to. 0 is for the open one, where that may be left with nothing.
    /// Else digits are for bullets and units before passages and points, and for a question that is open,
    /// then for one that is asked, before any other.
    pub fn digit_question(&self, stand: &ItemStand, digit: char) -> Option<usize> {
        let open = self.open_place(stand.answers);
        let may_be_none = |question: &Question| digit == '0' && question.none_label().is_some();
        let rank = |index: usize, question: &Question| {
            let is_open = open == Some(index);
            let group = match (may_be_none(question) && is_open, question.takes_numbers()) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            (!question.is_asked(stand.answers), group, !is_open)
        };
        let takes = |question: &Question| stand.numbers_of(question).is_some() || may_be_none(question);
        let taking = self.questions.iter().enumerate().filter(|(_, question)| takes(question));
        taking.min_by_key(|(index, question)| rank(*index, question)).map(|(index, _)| index)
    }

    /// The change of the answers when something is given to the question of this index.
    pub fn give(&self, stand: &ItemStand, index: usize, given: Given) -> Result<AnswerChange, Refusal> {
        let Some(question) = self.questions.get(index) else { return Ok(AnswerChange::Nothing) };
        self.must_ask(stand, question)?;
        let answer = match (&question.kind, given) {
            (QuestionKind::Choice { .. }, Given::Value(value)) => Answer::Text(value),
            (QuestionKind::Tags { tags }, Given::Value(value)) => {
                let order = tags.iter().map(|tag| tag.value.as_str());
                Answer::Names(stand.with_switched(question, order, &value))
            }
            (QuestionKind::Bullet { several: false }, Given::Number(number)) => Answer::Bullet(number),
            (QuestionKind::Bullet { several: true }, Given::Number(number)) => {
                let shown = stand.shown.get(&question.key);
                let shown = shown.map_or(&[] as &[u32], Answer::bullets);
                match stand.is_stale && shown.contains(&number) {
                    true => Answer::Bullets(shown.to_vec()),
                    false => Answer::Bullets(with_number_switched(shown, number)),
                }
            }
            (QuestionKind::Units { .. }, Given::Number(number)) => {
                let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let key = place.and_then(|place| stand.units_of(question).nth(place));
                let key = key.ok_or(Refusal::NoChoice(number))?;
                Answer::Names(stand.with_switched(question, stand.units_of(question), key))
            }
            (QuestionKind::Passages { .. } | QuestionKind::Points { .. }, Given::Number(number)) => {
                return Ok(AnswerChange::Open(Some(number)));
            }
            (
                QuestionKind::Text { .. } | QuestionKind::Points { .. } | QuestionKind::Passages { .. },
                Given::Open,
            ) => return Ok(AnswerChange::Open(None)),
            (_, Given::Nothing) => {
                let shown = stand.shown.get(&question.key);
                let count = shown.map_or(0, |answer| answer.points().len().max(answer.passages().len()));
                if count > 0 && !stand.insists(index, &Answer::Nothing) {
                    return Err(Refusal::Empties(count));
                }
                Answer::Nothing
            }
            _ => return Ok(AnswerChange::Nothing),
        };
        self.answer(stand, index, answer)
    }

    /// The change of the answers when the question of this index is answered. A list without anything in it is no answer:
    /// [`Answer::Nothing`] says that there is nothing.
    pub fn answer(&self, stand: &ItemStand, index: usize, answer: Answer) -> Result<AnswerChange, Refusal> {
        let Some(question) = self.questions.get(index) else { return Ok(AnswerChange::Nothing) };
        if answer.is_empty_list() {
            return Ok(self.clear(stand.answers, question));
        }
        self.must_ask(stand, question)?;
        if let Some(violation) = question.violation(&answer, stand.bullets) {
            return Err(Refusal::Wrong(violation));
        }
        let mut answers = stand.answers.clone();
        answers.insert(question.key.clone(), answer.clone());
        let broken_before: Vec<Violation> = self.broken_rules(stand.answers).collect();
        let broken = self.broken_rules(&answers).find(|violation| !broken_before.contains(violation));
        if let Some(violation) = broken.filter(|_| !stand.insists(index, &answer)) {
            return Err(Refusal::Breaks(answer, violation));
        }
        // The answer that stands for all others takes their place, and any of them takes its place.
        let others = self.questions.iter().filter(|other| other.instead != question.instead);
        let mut left_over: Vec<String> =
            others.map(|other| other.key.clone()).filter(|key| answers.contains_key(key)).collect();
        answers.retain(|question, _| !left_over.contains(question));
        left_over.extend(self.left_over(&answers));
        answers.retain(|question, _| !left_over.contains(question));
        let hangs = |other: &&Question| {
            other.ask_when.as_ref().is_some_and(|condition| condition.question == question.key)
                && other.is_asked(&answers)
                && !answers.contains_key(&other.key)
        };
        let open = self.questions.iter().filter(hangs).map(|other| other.key.clone());
        let left_over = left_over.into_iter().chain(open).collect();
        Ok(AnswerChange::New(NewAnswer {
            question: question.key.clone(),
            may_grow: question.grows() && answer != Answer::Nothing,
            completes: !self.is_complete(stand.answers) && self.is_complete(&answers),
            asks_for_text: self.text_asked_by(index, &answers, stand.answers),
            may_follow: self.optional_after(index, &answers),
            left_over,
            answer,
        }))
    }

    /// Refuses an answer to a question that is not asked.
    pub fn must_ask(&self, stand: &ItemStand, question: &Question) -> Result<(), Refusal> {
        if question.is_asked(stand.answers) {
            return Ok(());
        }
        let earlier = question.ask_when.as_ref().and_then(|condition| self.question(&condition.question));
        let is_open = earlier.is_some_and(|earlier| !stand.answers.contains_key(&earlier.key));
        let earlier = earlier.map_or(String::new(), |earlier| earlier.prompt.clone());
        Err(Refusal::NotAsked { prompt: question.prompt.clone(), earlier, is_open })
    }

    fn clear(&self, answers: &Answers, question: &Question) -> AnswerChange {
        let mut left = answers.clone();
        if left.remove(&question.key).is_none() {
            return AnswerChange::Nothing;
        }
        let left_over = self.left_over(&left);
        AnswerChange::Clear(std::iter::once(question.key.clone()).chain(left_over).collect())
    }

    fn optional_after(&self, index: usize, answers: &Answers) -> Option<usize> {
        let mut behind = self.questions.iter().enumerate().skip(index + 1);
        let is_free = |question: &Question| {
            !question.instead && question.is_asked(answers) && !answers.contains_key(&question.key)
        };
        if self.is_instead(answers) {
            return None;
        }
        behind.find(|(_, question)| !question.required && is_free(question)).map(|(index, _)| index)
    }

    /// A required text that is asked for now, because of the answer to the question before it. Where that answer may grow, only
    /// if the text was not asked for before.
    fn text_asked_by(&self, index: usize, answers: &Answers, before: &Answers) -> Option<usize> {
        let grows = self.questions.get(index).is_some_and(Question::grows);
        let (next, question) = self
            .questions
            .iter()
            .enumerate()
            .skip(index + 1)
            .find(|(_, question)| question.is_due(answers) && !(grows && question.is_asked(before)))?;
        matches!(question.kind, QuestionKind::Text { .. }).then_some(next)
    }
}

impl ItemStand<'_> {
    fn insists(&self, index: usize, answer: &Answer) -> bool {
        self.insisted.is_some_and(|(question, doubted)| *question == index && doubted == answer)
    }
}

/// The numbers with one put in or taken out, ascending.
fn with_number_switched(before: &[u32], number: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = before.iter().copied().filter(|other| *other != number).collect();
    if numbers.len() == before.len() {
        numbers.push(number);
    }
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::protocol::{Point, Quote};

    fn text(value: &str) -> Answer {
        Answer::Text(value.to_owned())
    }

    fn names(names: &[&str]) -> Answer {
        Answer::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn answers<const N: usize>(answers: [(&str, Answer); N]) -> Answers {
        answers.into_iter().map(|(key, answer)| (key.to_owned(), answer)).collect()
    }

    fn unit(id: &str) -> Unit {
        Unit {
            collection: "c".into(),
            query: "q".into(),
            id: id.into(),
            kind: "keypoint".into(),
            candidate: None,
            title: None,
            text: id.into(),
            documents: None,
            evidence: Vec::new(),
            score: None,
            meta: Default::default(),
        }
    }

    /// The outcome of a key where an item with four bullets and three units has these answers.
    fn press(protocol: &str, before: &Answers, key: char) -> Result<AnswerChange, Refusal> {
        press_again(protocol, before, key, None)
    }

    fn press_again(
        protocol: &str,
        before: &Answers,
        key: char,
        insisted: Option<&(usize, Answer)>,
    ) -> Result<AnswerChange, Refusal> {
        let protocol = builtin(protocol).expect("built in");
        let choices = [unit("m1"), unit("m2"), unit("m3")];
        let stand = ItemStand {
            answers: before,
            shown: before,
            is_stale: false,
            bullets: 4,
            choices: &choices,
            insisted,
        };
        let digit = || {
            let given =
                key.to_digit(10).map(|digit| if digit == 0 { Given::Nothing } else { Given::Number(digit) });
            Some((protocol.digit_question(&stand, key)?, given?))
        };
        let (index, given) =
            protocol.given_by(key, before, None).or_else(digit).expect("a key of the protocol");
        protocol.give(&stand, index, given)
    }

    fn answered(change: Result<AnswerChange, Refusal>) -> NewAnswer {
        match change {
            Ok(AnswerChange::New(answered)) => answered,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_answer_completes_an_item_and_another_one_leaves_nothing_over() {
        let full = answered(press("coverage", &Answers::new(), 'f'));
        assert_eq!((full.question.as_str(), &full.answer), ("coverage", &text("full")));
        assert!(!full.completes, "the bullet is asked for");
        let judged = answers([("coverage", text("full"))]);
        let bullet = answered(press("coverage", &judged, '2'));
        assert_eq!((&bullet.answer, bullet.completes), (&Answer::Bullet(2), true));
        let linked = answers([("coverage", text("full")), ("bullet", Answer::Bullet(2))]);
        let none = answered(press("coverage", &linked, 'x'));
        assert_eq!(none.left_over, ["bullet"]);
        assert!(!none.completes, "it was complete before");
    }

    #[test]
    fn questions_in_turn_take_the_same_keys_for_the_same_labels() {
        let protocol = builtin("faithfulness").expect("built in");
        let to = |answers: &Answers, last| protocol.given_by('p', answers, last).map(|(index, _)| index);
        let first = answers([("faithful", text("yes"))]);
        let second = answers([("comprehensive", text("yes"))]);
        let both = answers([("faithful", text("yes")), ("comprehensive", text("no"))]);
        assert_eq!(to(&Answers::new(), None), Some(0));
        assert_eq!(to(&first, Some(0)), Some(1));
        assert_eq!(to(&second, Some(1)), Some(0), "the first is open");
        assert_eq!([None, Some(0), Some(1)].map(|last| to(&both, last)), [Some(0), Some(1), Some(0)]);
        assert!(protocol.shares_letter('p') && !builtin("coverage").expect("built in").shares_letter('p'));
    }

    #[test]
    fn what_is_corrected_on_the_way_is_the_answer_given_last() {
        let protocol = Protocol::parse(SCALES, "").unwrap_or_else(|error| panic!("{error}"));
        let to = |answers: &Answers, last| protocol.given_by('4', answers, last).map(|(index, _)| index);
        let scales = answers([("a", text("1")), ("b", text("2")), ("c", text("3"))]);
        // The tags are open: the last one answered, or the nearest before them.
        assert_eq!([Some(2), Some(1), None].map(|last| to(&scales, last)), [Some(2), Some(1), Some(2)]);
        let mut whole = scales.clone();
        whole.insert("tags".to_owned(), Answer::Nothing);
        assert_eq!(to(&whole, Some(3)), Some(2), "the comment is open");
        assert_eq!([None, Some(0)].map(|last| to(&whole, last)), [Some(0), Some(1)], "gone through again");
        whole.insert("note".to_owned(), text("so"));
        assert_eq!(to(&whole, Some(4)), Some(2), "nothing is open");
    }

    /// Three scales, tags, and a comment that may be left out.
    const SCALES: &str = r#"
name = "scales"
title = "Scales"
version = 1
source = "a test"
target = ["candidate"]
group = "query"
layout = { above = ["query"], left = [], right = ["candidate"] }
question = [
  { key = "a", prompt = "A", kind = "choice", scale = "1..5" },
  { key = "b", prompt = "B", kind = "choice", scale = "1..5" },
  { key = "c", prompt = "C", kind = "choice", scale = "1..5" },
  { key = "tags", prompt = "Tags", kind = "tags", tags = [{ value = "h", label = "h", key = "h" }] },
  { key = "note", prompt = "Note", kind = "text", hotkey = "e", required = false },
]
"#;

    #[test]
    fn a_question_that_is_not_asked_and_an_answer_that_is_none_are_refused() {
        let refusal = press("coverage", &Answers::new(), '2').expect_err("not asked");
        assert_eq!(refusal.to_string(), "\"By bullet\" comes after \"Covered?\": answer \"Covered?\" first");
        let none = answers([("coverage", text("none"))]);
        let otherwise = press("coverage", &none, '2').expect_err("not asked");
        assert_eq!(otherwise.to_string(), "\"By bullet\" is asked after another answer to \"Covered?\"");
        assert_eq!(refusal.doubted(), None);
        let full = answers([("coverage", text("full"))]);
        let refusal = press("coverage", &full, '9').expect_err("four bullets");
        assert!(matches!(refusal, Refusal::Wrong(Violation::NoSuchBullet { number: 9, bullets: 4, .. })));
        let refusal = press("match", &Answers::new(), '4').expect_err("three units");
        assert_eq!(refusal.to_string(), "there is no choice 4");
    }

    #[test]
    fn tags_and_units_are_switched_in_their_order_and_an_empty_list_is_no_answer() {
        let wrong = answers([("failures", names(&["citation"]))]);
        let two = answered(press("failure", &wrong, 'r'));
        assert_eq!(two.answer, names(&["irrelevant", "citation"]));
        assert!(two.may_grow);
        assert_eq!(press("failure", &wrong, 'w'), Ok(AnswerChange::Clear(vec!["failures".into()])));
        let nothing = answered(press("failure", &Answers::new(), '0'));
        assert_eq!((nothing.answer, nothing.may_grow), (Answer::Nothing, false));
        let chosen = answers([("said_by", names(&["m3"]))]);
        assert_eq!(answered(press("match", &chosen, '1')).answer, names(&["m1", "m3"]));
    }

    #[test]
    fn a_stale_tag_is_confirmed_by_its_key() {
        let protocol = builtin("failure").expect("built in");
        let given = answers([("failures", names(&["general", "citation"]))]);
        let press = |is_stale, key| {
            let stand = ItemStand {
                answers: &given,
                shown: &given,
                is_stale,
                bullets: 0,
                choices: &[],
                insisted: None,
            };
            let (index, value) = protocol.given_by(key, &given, None).expect("a key of the protocol");
            answered(protocol.give(&stand, index, value)).answer
        };
        assert_eq!(press(true, 'v'), names(&["general", "citation"]));
        assert_eq!(press(true, 'h'), names(&["general", "hallucinated", "citation"]));
        assert_eq!(press(false, 'v'), names(&["citation"]));
    }

    #[test]
    fn a_text_is_asked_for_once_and_its_key_opens_it() {
        let other = answered(press("failure", &Answers::new(), 'x'));
        assert_eq!(other.asks_for_text, Some(1));
        let both = answers([("failures", names(&["other"]))]);
        assert_eq!(answered(press("failure", &both, 'h')).asks_for_text, None);
        assert_eq!(press("failure", &both, 'e'), Ok(AnswerChange::Open(None)));
    }

    #[test]
    fn nothing_in_place_of_what_was_written_takes_the_same_key_twice() {
        let protocol = builtin("extraction").expect("built in");
        let points = |question: &&Question| matches!(question.kind, QuestionKind::Points { .. });
        let question = protocol.questions.iter().find(points).expect("a list of points");
        let point = Point { text: "one".into(), passages: Vec::<Quote>::new() };
        let written = answers([(question.key.as_str(), Answer::Points(vec![point]))]);
        let index = protocol.questions.iter().position(|other| other.key == question.key).expect("there");
        let stand = |insisted| ItemStand {
            answers: &written,
            shown: &written,
            is_stale: false,
            bullets: 0,
            choices: &[],
            insisted,
        };
        let refusal = protocol.give(&stand(None), index, Given::Nothing).expect_err("one point is there");
        assert_eq!(refusal.to_string(), "0 would do away with all 1; the same key again does");
        let insisted = (index, refusal.doubted().expect("doubted"));
        let change = protocol.give(&stand(Some(&insisted)), index, Given::Nothing);
        assert_eq!(answered(change).answer, Answer::Nothing);
        assert_eq!(protocol.give(&stand(None), index, Given::Number(1)), Ok(AnswerChange::Open(Some(1))));
    }
}
