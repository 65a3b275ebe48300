//! From keys to answers: choices, bullet numbers, skip, flag, comment, undo.

use super::giving::Given;
use super::message::{Append, Effect, Find};
use super::{App, Arrival, Purpose, Then};
use crate::app::kit::action::Action;
use crate::app::kit::key::{Key, KeyCode};
use crate::journal::{Happening, State};
use crate::protocol::{Answer, Answers, Question, QuestionKind, Violation};

impl App {
    /// A key that is bound to no action: an answer, or a sentence about what is missing.
    pub(super) fn answer_key(&mut self, key: char, effects: &mut Vec<Effect>) {
        if let Some((question, given)) = self.given_by(key) {
            return self.give(question, given, effects);
        }
        let Some(question) = self.digit_question(key).filter(|_| key.is_ascii_digit()) else {
            return self.frame.say(format!("{key} does nothing here; ? shows the keys"));
        };
        if key == '0' {
            return self.give(question, Given::Nothing, effects);
        }
        if !self.refuses(question) {
            self.typed = key.to_string();
            self.settle_typed(question, effects);
        }
    }

    /// Says so when a question is not asked, because the one before it is open or was answered otherwise.
    pub(super) fn refuses(&mut self, question: usize) -> bool {
        let (Some(loaded), Some(question)) = (&self.loaded, self.protocol.questions.get(question)) else {
            return true;
        };
        if question.is_asked(loaded.standing.answers_under(self.protocol.hash)) {
            return false;
        }
        let earlier =
            question.ask_when.as_ref().and_then(|condition| self.protocol.question(&condition.question));
        let prompt = earlier.map_or("", |earlier| &earlier.prompt);
        let text = format!("\"{}\" is asked after another answer to \"{prompt}\"", question.prompt);
        self.frame.warn(text);
        true
    }

    /// A digit, or the end of a number that could have gone on. Returns whether the key is used up.
    pub(super) fn continue_typed(&mut self, key: Key, effects: &mut Vec<Effect>) -> bool {
        if self.typed.is_empty() {
            return false;
        }
        let Some(question) = self.typed.chars().next().and_then(|digit| self.digit_question(digit)) else {
            return false;
        };
        match key.code {
            KeyCode::Char(digit) if digit.is_ascii_digit() && !key.control && !key.alt => {
                self.typed.push(digit);
                self.settle_typed(question, effects);
            }
            KeyCode::Enter | KeyCode::Char(' ') => self.take_typed(question, effects),
            KeyCode::Backspace | KeyCode::Escape => self.typed.clear(),
            _ => {
                let typed = std::mem::take(&mut self.typed);
                let what = self.protocol.questions.get(question).map_or("", |asked| self.numbers_of(asked).1);
                self.frame.warn(format!(
                    "{what} {typed}_ was not finished: type the second digit, or ⏎ after {typed}"
                ));
            }
        }
        true
    }

    /// Takes the number as soon as no longer one is possible.
    fn settle_typed(&mut self, question: usize, effects: &mut Vec<Effect>) {
        let number: usize = self.typed.parse().unwrap_or(0);
        let Some((count, what)) = self.protocol.questions.get(question).map(|asked| self.numbers_of(asked))
        else {
            return;
        };
        if number > count {
            let typed = std::mem::take(&mut self.typed);
            return self.frame.warn(match (what, count) {
                ("bullet", _) => format!("there is no bullet {typed}: the summary has {count}"),
                (_, 0) => format!("there is no {what} yet"),
                _ => format!("there is no {what} {typed}: the last is {count}"),
            });
        }
        if number.saturating_mul(10) > count {
            self.take_typed(question, effects);
        }
    }

    fn take_typed(&mut self, question: usize, effects: &mut Vec<Effect>) {
        let typed = std::mem::take(&mut self.typed);
        if let Ok(number) = typed.parse() {
            self.give(question, Given::Number(number), effects);
        }
    }

    /// Answers a question of the item on the screen, and goes on when that was the last one.
    pub(super) fn answer(&mut self, index: usize, answer: Answer, effects: &mut Vec<Effect>) {
        if self.refuses_after_telling() || self.refuses(index) {
            return;
        }
        let bullets = self.bullet_count();
        let Some(question) = self.protocol.questions.get(index) else {
            return;
        };
        if let Some(violation) = question.violation(&answer, bullets) {
            return self.frame.warn(violation.to_string());
        }
        let before = self.answers();
        let mut answers = before.clone();
        answers.insert(question.key.clone(), answer.clone());
        let broken_before: Vec<Violation> = self.protocol.broken_rules(&before).collect();
        let broken =
            self.protocol.broken_rules(&answers).find(|violation| !broken_before.contains(violation));
        if let Some(violation) = broken
            && self.insisted.as_ref() != Some(&(index, answer.clone()))
        {
            self.insisted = Some((index, answer));
            return self.frame.warn(format!("{violation} (the same key again keeps it)"));
        }
        self.insisted = None;
        let is_whole = !question.grows() || answer == Answer::Nothing;
        let stays = !is_whole || self.revealed(question, &answers).is_some();
        let key = question.key.clone();
        let mut happenings = vec![(Happening::Answer { question: key, answer }, self.clock.take())];
        happenings.extend(self.cleared(&mut answers));
        let completes = !self.protocol.is_complete(&before) && self.protocol.is_complete(&answers);
        let then = if completes && !stays && self.is_calibrating() {
            Then::Tell
        } else if completes && self.advances && !stays {
            happenings.extend(self.visit(0));
            Then::Find(Find::AdvanceOpen)
        } else {
            self.opened_by(index, &answers, &before)
        };
        self.write(happenings, Purpose::Step, then, effects);
    }

    /// Takes an answer away that was given piece by piece.
    pub(super) fn clear(&mut self, index: usize, effects: &mut Vec<Effect>) {
        if self.refuses_after_telling() {
            return;
        }
        let mut answers = self.answers();
        let Some(question) = self.protocol.questions.get(index).map(|question| question.key.clone()) else {
            return;
        };
        if answers.remove(&question).is_none() {
            return;
        }
        let mut happenings = vec![(Happening::Clear { question }, self.clock.take())];
        happenings.extend(self.cleared(&mut answers));
        self.write(happenings, Purpose::Step, Then::Stay, effects);
    }

    /// Takes away the answers to questions that are no longer asked.
    fn cleared(&self, answers: &mut Answers) -> Vec<(Happening, i64)> {
        let left_over = self.protocol.left_over(answers);
        for question in &left_over {
            answers.remove(question);
        }
        left_over.into_iter().map(|question| (Happening::Clear { question }, 0)).collect()
    }

    /// A text that is asked for now, because of the answer to the question before, is opened at once.
    /// Behind an answer that grows only when it was not asked for before.
    fn opened_by(&self, index: usize, answers: &Answers, before: &Answers) -> Then {
        let grows = self.protocol.questions.get(index).is_some_and(Question::grows);
        let next = self.protocol.questions.iter().enumerate().skip(index + 1).find(|(_, question)| {
            let is_due = question.ask_when.is_some() && question.is_asked(answers);
            is_due && !answers.contains_key(&question.key) && !(grows && question.is_asked(before))
        });
        match next {
            Some((next, question)) if matches!(question.kind, QuestionKind::Text { .. }) => Then::Write(next),
            _ => Then::Stay,
        }
    }

    /// Writes events of the item on the screen.
    pub(in crate::app) fn write(
        &mut self,
        happenings: Vec<(Happening, i64)>,
        purpose: Purpose,
        then: Then,
        effects: &mut Vec<Effect>,
    ) {
        let Some(loaded) = &self.loaded else {
            return;
        };
        let append = Append {
            item: loaded.item.id,
            position: loaded.position,
            shown: loaded.standing.clone(),
            texts: loaded.item.texts(),
            happenings,
            wall: self.frame.now.wall,
        };
        self.commit(append, purpose, then, effects);
    }

    fn step(&mut self, happening: Happening, effects: &mut Vec<Effect>) {
        let active = self.clock.take();
        self.write(vec![(happening, active)], Purpose::Step, Then::Stay, effects);
    }

    pub(super) fn toggle_skip(&mut self, effects: &mut Vec<Effect>) {
        let Some(loaded) = &self.loaded else {
            return;
        };
        if loaded.standing.state(&self.protocol) == State::Judged {
            return self.frame.say("already judged; u takes the answer back");
        }
        let on = !loaded.standing.skipped;
        let mut happenings = vec![(Happening::Skip(on), self.clock.take())];
        let then = if on {
            happenings.extend(self.visit(0));
            Then::Find(Find::AdvanceOpen)
        } else {
            Then::Stay
        };
        self.write(happenings, Purpose::Step, then, effects);
    }

    pub(super) fn toggle_flag(&mut self, effects: &mut Vec<Effect>) {
        if let Some(loaded) = &self.loaded {
            let on = !loaded.standing.flagged;
            self.step(Happening::Flag(on), effects);
        }
    }

    pub(super) fn comment(&mut self, text: String, effects: &mut Vec<Effect>) {
        self.step(Happening::Comment(text), effects);
    }

    /// Takes the latest step back. When it was made on another item, that item comes on the screen first.
    pub(super) fn undo(&mut self, effects: &mut Vec<Effect>) {
        let Some(step) = self.undo.last() else {
            return self.frame.say("nothing to undo");
        };
        let (position, item) = (step.position, step.item);
        if self.loaded.as_ref().is_some_and(|loaded| loaded.item.id == item) {
            self.undo_here(effects);
        } else {
            self.leave(Then::UndoAt(position), effects);
        }
    }

    fn undo_here(&mut self, effects: &mut Vec<Effect>) {
        if let Some(step) = self.undo.pop() {
            let happenings = self.retractions(&step.events);
            self.write(happenings, Purpose::Undo(step), Then::Stay, effects);
        }
    }

    /// Does the step again that was undone last.
    pub(super) fn redo(&mut self, effects: &mut Vec<Effect>) {
        let Some((step, _)) = self.redo.last() else {
            return self.frame.say("nothing to do again");
        };
        let (position, item) = (step.position, step.item);
        if self.loaded.as_ref().is_some_and(|loaded| loaded.item.id == item) {
            self.redo_here(effects);
        } else {
            self.leave(Then::RedoAt(position), effects);
        }
    }

    fn redo_here(&mut self, effects: &mut Vec<Effect>) {
        if let Some((step, retractions)) = self.redo.pop() {
            let happenings = self.retractions(&retractions);
            self.write(happenings, Purpose::Redo(step), Then::Stay, effects);
        }
    }

    fn retractions(&mut self, events: &[crate::journal::EventId]) -> Vec<(Happening, i64)> {
        let active = self.clock.take();
        let shares = std::iter::once(active).chain(std::iter::repeat(0));
        events
            .iter()
            .zip(shares)
            .map(|(event, active)| (Happening::Retract { event: *event }, active))
            .collect()
    }

    /// Goes on with an undo or redo whose item has now been loaded.
    pub(super) fn finish_arrival(&mut self, arrival: Arrival, effects: &mut Vec<Effect>) {
        match arrival {
            Arrival::Undo => self.undo_here(effects),
            Arrival::Redo => self.redo_here(effects),
            _ => {}
        }
    }

    pub(super) fn ask(&mut self, action: Action) {
        use crate::app::kit::overlay::{Overlay, Prompt, PromptKind};
        let comment = self.loaded.as_ref().map_or("", |loaded| loaded.standing.comment.as_str());
        let (kind, text) = match action {
            Action::Comment => (PromptKind::Comment, comment.to_owned()),
            Action::Search => (PromptKind::Search, String::new()),
            Action::Jump => (PromptKind::Jump, String::new()),
            _ if self.has_documents() => (PromptKind::OpenDocument, String::new()),
            _ => return self.frame.say("this study has no documents for the query"),
        };
        self.frame.overlays.push(Overlay::Prompt(Prompt::new(kind, &text)));
    }
}
