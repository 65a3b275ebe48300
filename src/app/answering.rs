//! From keys to answers: choices, bullet numbers, skip, flag, comment, undo.

use super::key::{Key, KeyCode};
use super::message::{Append, Effect, Find};
use super::{App, Arrival, Purpose, Then};
use crate::app::action::Action;
use crate::journal::{Happening, State};
use crate::protocol::{Answer, Question};

impl App {
    /// Whether the protocol takes this key as an answer or a part of one.
    pub(super) fn is_answer(&self, key: Key) -> bool {
        key.plain_char().is_some_and(|character| {
            let chooses = self.choice_of(character).is_some();
            chooses || (character.is_ascii_digit() && self.bullet_question().is_some())
        })
    }

    fn choice_of(&self, key: char) -> Option<(usize, Answer)> {
        self.protocol.questions.iter().enumerate().find_map(|(index, question)| {
            let choice = question.choices().iter().find(|choice| choice.key == key)?;
            Some((index, Answer::Text(choice.value.clone())))
        })
    }

    fn bullet_question(&self) -> Option<usize> {
        self.protocol.questions.iter().position(Question::takes_numbers)
    }

    /// A key that is bound to no action: an answer, or a sentence about what is missing.
    pub(super) fn answer_key(&mut self, key: char, effects: &mut Vec<Effect>) {
        if let Some((question, answer)) = self.choice_of(key) {
            return self.answer(question, answer, effects);
        }
        let Some(question) = self.bullet_question().filter(|_| key.is_ascii_digit()) else {
            return self.say(format!("{key} does nothing here; ? shows the keys"));
        };
        if self.refuses(question) {
            return;
        }
        match key {
            '0' => self.answer(question, Answer::Nothing, effects),
            digit => {
                self.typed = digit.to_string();
                self.settle_typed(question, effects);
            }
        }
    }

    /// Says so when a question is not asked, because the one before it is open or was answered otherwise.
    fn refuses(&mut self, question: usize) -> bool {
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
        self.warn(text);
        true
    }

    /// A digit, or the end of a bullet number that could have gone on. Returns whether the key is used up.
    pub(super) fn continue_typed(&mut self, key: Key, effects: &mut Vec<Effect>) -> bool {
        if self.typed.is_empty() {
            return false;
        }
        let Some(question) = self.bullet_question() else {
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
                self.warn(format!(
                    "bullet {typed}_ was not finished: type the second digit, or ⏎ after {typed}"
                ));
            }
        }
        true
    }

    /// Takes the number as soon as no longer one is possible.
    fn settle_typed(&mut self, question: usize, effects: &mut Vec<Effect>) {
        let number: usize = self.typed.parse().unwrap_or(0);
        let bullets = self.bullet_count();
        if number > bullets {
            let typed = std::mem::take(&mut self.typed);
            return self.warn(format!("there is no bullet {typed}: the summary has {bullets}"));
        }
        if number.saturating_mul(10) > bullets {
            self.take_typed(question, effects);
        }
    }

    fn take_typed(&mut self, question: usize, effects: &mut Vec<Effect>) {
        let typed = std::mem::take(&mut self.typed);
        if let Ok(number) = typed.parse() {
            self.answer(question, Answer::Bullet(number), effects);
        }
    }

    /// Answers a question of the item on the screen, and goes on when that was the last one.
    pub(super) fn answer(&mut self, question: usize, answer: Answer, effects: &mut Vec<Effect>) {
        if self.refuses(question) {
            return;
        }
        let bullets = self.bullet_count();
        let (Some(loaded), Some(question)) = (&self.loaded, self.protocol.questions.get(question)) else {
            return;
        };
        if let Some(violation) = question.violation(&answer, bullets) {
            return self.warn(violation.to_string());
        }
        // Answers under another version are shown, and are none: the judgment begins anew.
        let mut answers = loaded.standing.answers_under(self.protocol.hash).clone();
        let was_complete = self.protocol.is_complete(&answers);
        answers.insert(question.key.clone(), answer.clone());
        let key = question.key.clone();
        let mut happenings = vec![(Happening::Answer { question: key, answer }, self.clock.take())];
        for question in self.protocol.left_over(&answers) {
            answers.remove(&question);
            happenings.push((Happening::Clear { question }, 0));
        }
        let completes = !was_complete && self.protocol.is_complete(&answers);
        let then = if completes && self.advances {
            happenings.extend(self.visit(0));
            Then::Find(Find::AdvanceOpen)
        } else {
            Then::Stay
        };
        self.write(happenings, Purpose::Step, then, effects);
    }

    /// Writes events of the item on the screen.
    pub(super) fn write(
        &mut self,
        happenings: Vec<(Happening, i64)>,
        purpose: Purpose,
        then: Then,
        effects: &mut Vec<Effect>,
    ) {
        let Some(loaded) = &self.loaded else {
            return;
        };
        let append =
            Append { item: loaded.item.id, texts: loaded.item.texts(), happenings, wall: self.now.wall };
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
            return self.say("already judged; u takes the answer back");
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
            return self.say("nothing to undo");
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
            return self.say("nothing to do again");
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
        use super::overlay::{Overlay, Prompt, PromptKind};
        let comment = self.loaded.as_ref().map_or("", |loaded| loaded.standing.comment.as_str());
        let (kind, text) = match action {
            Action::Comment => (PromptKind::Comment, comment.to_owned()),
            Action::Search => (PromptKind::Search, String::new()),
            Action::Jump => (PromptKind::Jump, String::new()),
            _ if self.has_documents() => (PromptKind::OpenDocument, String::new()),
            _ => return self.say("this study has no documents for the query"),
        };
        self.overlays.push(Overlay::Prompt(Prompt::new(kind, &text)));
    }
}
