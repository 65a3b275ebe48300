//! What a key or a click gives to a question, whatever kind it is: a value, a number, nothing, or
//! the word to open it.

use super::App;
use super::message::Effect;
use crate::app::kit::key::Key;
use crate::protocol::{Answer, Answers, Question, QuestionKind};

/// What is given to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A choice is made, or a tag is put on or taken off: its value.
    Value(String),
    /// The bullet, unit, passage or point of this number, counted from 1.
    Number(u32),
    /// Deliberately nothing.
    Nothing,
    /// Open it for writing or selecting.
    Open,
}

impl App {
    /// The answers on which the next one builds. Those under another version are shown, and are none.
    pub(in crate::app) fn answers(&self) -> Answers {
        let standing = self.loaded.as_ref().map(|loaded| &loaded.standing);
        standing.map_or_else(Answers::new, |standing| standing.answers_under(self.protocol.hash).clone())
    }

    /// What a letter gives, and to which question.
    pub(in crate::app) fn given_by(&self, key: char) -> Option<(usize, Given)> {
        self.protocol.questions.iter().enumerate().find_map(|(index, question)| {
            let offered = question.offered().iter().find(|choice| choice.key == key);
            let given = match offered {
                Some(choice) => Given::Value(choice.value.clone()),
                None if question.key_to_open() == Some(key) => Given::Open,
                None => return None,
            };
            Some((index, given))
        })
    }

    /// The question that a digit belongs to. 0 is for the open one, where that may be left with nothing.
    /// Else digits are for bullets and units before passages and points, and for a question that is open,
    /// then for one that is asked, before any other.
    pub(super) fn digit_question(&self, digit: char) -> Option<usize> {
        let answers = self.answers();
        let open = self.protocol.open_question(&answers).map(|question| question.key.as_str());
        let is_open = |question: &Question| Some(question.key.as_str()) == open;
        let questions = || self.protocol.questions.iter().enumerate();
        let takes = |question: &Question| !matches!(self.numbers_of(question), (0, "number"));
        let may_be_none = |question: &Question| digit == '0' && question.none_label().is_some();
        let rank = |question: &Question| {
            let group = match (may_be_none(question) && is_open(question), question.takes_numbers()) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            (!question.is_asked(&answers), group, !is_open(question))
        };
        let fits = questions().filter(|(_, question)| takes(question) || may_be_none(question));
        fits.min_by_key(|(_, question)| rank(question)).map(|(index, _)| index)
    }

    /// Whether the protocol takes this key as an answer or a part of one.
    pub(in crate::app) fn is_answer(&self, key: Key) -> bool {
        key.plain_char().is_some_and(|character| {
            let is_digit = character.is_ascii_digit() && self.digit_question(character).is_some();
            is_digit || self.given_by(character).is_some()
        })
    }

    /// The numbers that a question takes, and what they count.
    pub(super) fn numbers_of(&self, question: &Question) -> (usize, &'static str) {
        let given = self.loaded.as_ref().and_then(|loaded| loaded.standing.answers.get(&question.key));
        match &question.kind {
            QuestionKind::Bullet { .. } => (self.bullet_count(), "bullet"),
            QuestionKind::Units { .. } => (self.choices_of(question).len(), "choice"),
            QuestionKind::Passages { .. } => (given.map_or(0, |answer| answer.passages().len()), "passage"),
            QuestionKind::Points { .. } => (given.map_or(0, |answer| answer.points().len()), "point"),
            QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Tags { .. } => {
                (0, "number")
            }
        }
    }

    /// Keys of the units that a question chooses from, in the order in which the screen numbers them.
    pub fn choices_of(&self, question: &Question) -> Vec<&str> {
        let choices = self.loaded.iter().flat_map(|loaded| &loaded.item.choices);
        let fits = choices.filter(|unit| question.kinds().contains(&unit.kind));
        fits.map(|unit| unit.id.as_str()).collect()
    }

    /// Takes what was given to a question of the item on the screen.
    pub(super) fn give(&mut self, index: usize, given: Given, effects: &mut Vec<Effect>) {
        if self.refuses(index) {
            return;
        }
        let Some(question) = self.protocol.questions.get(index).cloned() else {
            return;
        };
        match (&question.kind, given) {
            (QuestionKind::Choice { .. }, Given::Value(value)) => {
                self.answer(index, Answer::Text(value), effects);
            }
            (QuestionKind::Tags { tags }, Given::Value(value)) => {
                let order: Vec<String> = tags.iter().map(|tag| tag.value.clone()).collect();
                self.toggle_name(index, &order, &value, effects);
            }
            (QuestionKind::Bullet { several: false }, Given::Number(number)) => {
                self.answer(index, Answer::Bullet(number), effects);
            }
            (QuestionKind::Bullet { several: true }, Given::Number(number)) => {
                self.toggle_bullet(index, number, effects);
            }
            (QuestionKind::Units { .. }, Given::Number(number)) => {
                self.toggle_unit(index, &question, number, effects)
            }
            (QuestionKind::Passages { .. }, Given::Number(number)) => self.reopen_passage(index, number),
            (QuestionKind::Points { .. }, Given::Number(number)) => self.open_point(index, Some(number)),
            (_, Given::Nothing) => self.give_nothing(index, effects),
            (QuestionKind::Text { .. }, Given::Open) => self.open_text(index),
            (QuestionKind::Points { .. }, Given::Open) => self.open_point(index, None),
            (QuestionKind::Passages { .. }, Given::Open) => self.select_for(index, None),
            _ => {}
        }
    }

    /// Says that there is nothing; once more, where that would do away with what was written or selected.
    fn give_nothing(&mut self, index: usize, effects: &mut Vec<Effect>) {
        let shown = self.shown(index);
        let count = shown.as_ref().map_or(0, |answer| answer.points().len().max(answer.passages().len()));
        let insists = self.insisted.as_ref() == Some(&(index, Answer::Nothing));
        if count > 0 && !insists {
            self.insisted = Some((index, Answer::Nothing));
            return self.frame.warn(format!("0 would do away with all {count}; the same key again does"));
        }
        self.answer(index, Answer::Nothing, effects);
    }

    fn toggle_unit(&mut self, index: usize, question: &Question, number: u32, effects: &mut Vec<Effect>) {
        let order: Vec<String> = self.choices_of(question).into_iter().map(str::to_owned).collect();
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        match place.and_then(|place| order.get(place)) {
            Some(key) => self.toggle_name(index, &order, key, effects),
            None => self.frame.warn(format!("there is no choice {number}")),
        }
    }

    /// Puts a name on or takes it off; the names stay in their order.
    fn toggle_name(&mut self, index: usize, order: &[String], name: &str, effects: &mut Vec<Effect>) {
        let given = self.shown(index);
        let before = given.as_ref().map_or(&[][..], Answer::names);
        let is_on = |other: &str| before.iter().any(|given| given == other);
        let after: Vec<String> =
            order.iter().filter(|other| is_on(other) != (*other == name)).cloned().collect();
        let is_empty = after.is_empty();
        self.answer_or_clear(index, Answer::Names(after), is_empty, effects);
    }

    fn toggle_bullet(&mut self, index: usize, number: u32, effects: &mut Vec<Effect>) {
        let given = self.shown(index);
        let mut numbers = given.as_ref().map_or(&[][..], Answer::bullets).to_vec();
        match numbers.iter().position(|other| *other == number) {
            Some(place) => {
                numbers.remove(place);
            }
            None => numbers.push(number),
        }
        numbers.sort_unstable();
        let is_empty = numbers.is_empty();
        self.answer_or_clear(index, Answer::Bullets(numbers), is_empty, effects);
    }

    /// The present answer to a question.
    pub(super) fn given(&self, index: usize) -> Option<Answer> {
        let question = self.protocol.questions.get(index)?;
        self.answers().remove(&question.key)
    }

    /// A list without anything in it is no answer: "none" is said with its own key.
    pub(super) fn answer_or_clear(
        &mut self,
        index: usize,
        answer: Answer,
        is_empty: bool,
        effects: &mut Vec<Effect>,
    ) {
        if is_empty { self.clear(index, effects) } else { self.answer(index, answer, effects) }
    }
}
