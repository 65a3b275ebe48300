//! From keys to answers: choices, bullet numbers, skip, flag, comment, undo. The protocol says what a key does to an
//! answer.

use super::{AnnotateDesk, App, Append, Arrival, Find, Spot, Then, answers_told};
use crate::app::kit::{Action, Key, KeyCode, Purpose, Undo, not_saved};
use crate::journal::{Happening, ItemState};
use crate::protocol::{
    Answer, AnswerChange, Answers, Given, ItemStand, NewAnswer, QuestionKind, Refusal, SIDES,
};
use crate::study::ItemId;
use crate::study::assignment::NOT_GIVEN_BACK;

impl App {
    /// The answers that count under the present protocol: the next answer builds on them. Answers under another version are
    /// only shown.
    pub(in crate::app) fn answers(&self) -> Answers {
        self.stand().map(|stand| stand.answers.clone()).unwrap_or_default()
    }

    /// The standing of the item on the screen.
    pub(super) fn stand(&self) -> Option<ItemStand<'_>> {
        let loaded = self.loaded.as_ref()?;
        Some(ItemStand {
            answers: loaded.standing.answers_under(self.protocol.hash),
            shown: &loaded.standing.answers,
            is_stale: self.is_stale(),
            bullets: self.bullet_count(),
            choices: &loaded.item.choices,
            insisted: self.begun.insisted.as_ref(),
        })
    }

    /// The question that takes this digit as part of a number.
    pub(super) fn digit_question(&self, digit: char) -> Option<usize> {
        self.protocol.number_question(&self.stand()?, digit, self.begun.answered)
    }

    /// Whether the protocol takes this key as an answer or a part of one.
    pub(in crate::app) fn is_answer(&self, key: Key) -> bool {
        key.plain_char().is_some_and(|character| {
            self.protocol.takes_letter(character) || self.digit_question(character).is_some()
        })
    }

    /// Takes a key that is bound to no action: as an answer, or with a sentence about what is missing.
    pub(super) fn answer_key(&mut self, key: char, desk: &mut dyn AnnotateDesk) {
        let number = self.digit_question(key);
        let given = self.protocol.given_by(key, &self.answers(), self.begun.answered);
        if let Some((question, given)) = given.filter(|_| number.is_none()) {
            if self.came_with_refused(question, key) {
                return;
            }
            self.held.may_go_on = self.begun.answered.is_some() && self.protocol.shares_letter(key);
            return self.give(question, given, desk);
        }
        let Some(question) = number else { return self.frame.does_nothing(Key::plain(KeyCode::Char(key))) };
        if self.came_with_refused(question, key) {
            return;
        }
        if key == '0' {
            return self.give(question, Given::Nothing, desk);
        }
        if !self.refuses(question) {
            self.begun.typed = key.to_string();
            self.settle_typed(question, desk);
        }
    }

    /// Drops a key whose question hangs on an answer that was just refused, and says so.
    fn came_with_refused(&mut self, question: usize, key: char) -> bool {
        let refused = std::mem::take(&mut self.begun.refused);
        let condition = self.protocol.questions.get(question).and_then(|question| question.ask_when.as_ref());
        let hangs = condition.is_some_and(|condition| refused.contains(&condition.question));
        if hangs {
            self.frame.warn(format!("{key} came with an answer that was not taken; again takes it"));
        }
        hangs
    }

    /// Refuses to answer a question that is not asked, with the reason.
    fn refuses(&mut self, question: usize) -> bool {
        let asked = self.protocol.questions.get(question).zip(self.stand());
        let refusal = match asked.map(|(question, stand)| self.protocol.must_ask(&stand, question)) {
            Some(Ok(())) => return false,
            refusal => refusal.and_then(Result::err),
        };
        if let Some(refusal) = refusal {
            self.frame.warn(refusal.to_string());
        }
        true
    }

    /// The numbers that a question takes: how many, and what they count.
    fn numbers_of(&self, question: usize) -> Option<(usize, &'static str)> {
        self.stand()?.numbers_of(self.protocol.questions.get(question)?)
    }

    /// Goes on with a number that is being typed: a digit, or the key that ends it. Returns whether the key is used up.
    pub(super) fn continue_typed(&mut self, key: Key, desk: &mut dyn AnnotateDesk) -> bool {
        if self.begun.typed.is_empty() {
            return false;
        }
        let Some(question) = self.begun.typed.chars().next().and_then(|digit| self.digit_question(digit))
        else {
            return false;
        };
        match key.meant().code {
            KeyCode::Char(digit) if digit.is_ascii_digit() && !key.control && !key.alt => {
                self.begun.typed.push(digit);
                self.settle_typed(question, desk);
            }
            KeyCode::Enter | KeyCode::Char(' ') => self.take_typed(question, desk),
            KeyCode::Backspace | KeyCode::Escape => self.begun.typed.clear(),
            _ => {
                let typed = std::mem::take(&mut self.begun.typed);
                let what = self.numbers_of(question).map_or("", |(_, what)| what);
                self.frame.warn(format!(
                    "{what} {typed}_ was not finished: type the second digit, or ⏎ after {typed}"
                ));
            }
        }
        true
    }

    /// Takes the number as soon as no longer one is possible.
    fn settle_typed(&mut self, question: usize, desk: &mut dyn AnnotateDesk) {
        let number: usize = self.begun.typed.parse().unwrap_or(0);
        let Some((count, what)) = self.numbers_of(question) else { return };
        if number > count {
            let typed = std::mem::take(&mut self.begun.typed);
            return self.frame.warn(match (what, count) {
                ("bullet", _) => format!("there is no bullet {typed}: the summary has {count}"),
                (_, 0) => format!("there is no {what} yet"),
                _ => format!("there is no {what} {typed}: the last is {count}"),
            });
        }
        if number.saturating_mul(10) > count {
            self.take_typed(question, desk);
        }
    }

    fn take_typed(&mut self, question: usize, desk: &mut dyn AnnotateDesk) {
        let typed = std::mem::take(&mut self.begun.typed);
        if let Ok(number) = typed.parse() {
            self.give(question, Given::Number(number), desk);
        }
    }

    /// Takes a choice, a number or another part of an answer to a question of the item on the screen.
    pub(super) fn give(&mut self, question: usize, given: Given, desk: &mut dyn AnnotateDesk) {
        let given = self.stand().map(|stand| self.protocol.give(&stand, question, given));
        self.take_change(question, given, Then::Stay, desk);
    }

    /// Answers a question of the item on the screen; `after` is done where the answer itself leads to no next step.
    pub(super) fn answer(
        &mut self,
        question: usize,
        answer: Answer,
        after: Then,
        desk: &mut dyn AnnotateDesk,
    ) {
        let given = self.stand().map(|stand| self.protocol.answer(&stand, question, answer));
        self.take_change(question, given, after, desk);
    }

    fn take_change(
        &mut self,
        question: usize,
        change: Option<Result<AnswerChange, Refusal>>,
        after: Then,
        desk: &mut dyn AnnotateDesk,
    ) {
        match change {
            None | Some(Ok(AnswerChange::Nothing)) => {}
            Some(Ok(AnswerChange::Open(number))) => {
                self.begun.answered = Some(question);
                self.open_question(question, number);
            }
            Some(Err(refusal @ Refusal::NotAsked { .. })) => self.frame.warn(refusal.to_string()),
            Some(_) if self.refuses_after_telling() => {}
            Some(Err(refusal)) => {
                if let Some(doubted) = refusal.doubted() {
                    self.begun.insisted = Some((question, doubted));
                }
                self.frame.warn(refusal.to_string());
            }
            Some(Ok(AnswerChange::New(new))) => self.keep(new, after, desk),
            Some(Ok(AnswerChange::Clear(questions))) => {
                let happenings = self.cleared(questions, true);
                self.write(happenings, Purpose::Step, after, desk);
            }
        }
    }

    /// Opens a question for writing or selecting: a new answer, or the point or passage of this number.
    pub(super) fn open_question(&mut self, index: usize, number: Option<u32>) {
        match (self.protocol.questions.get(index).map(|question| &question.kind), number) {
            (Some(QuestionKind::Text { .. }), _) => self.open_text(index),
            (Some(QuestionKind::Points { .. }), _) => self.open_point(index, number),
            (_, Some(number)) => self.reopen_passage(index, number),
            (_, None) => self.select_for(index, None),
        }
    }

    /// Writes a new answer, and goes on to the next item when it was the last one.
    fn keep(&mut self, new: NewAnswer, after: Then, desk: &mut dyn AnnotateDesk) {
        self.begun.insisted = None;
        self.begun.answered =
            self.protocol.questions.iter().position(|question| question.key == new.question);
        if self.is_said_already(&new) {
            self.say_still();
            if let Some(text) = new.asks_for_text {
                self.open_question(text, None);
            }
            return;
        }
        let reveals = self.protocol.question(&new.question).is_some_and(|question| {
            let answers = Answers::from([(new.question.clone(), new.answer.clone())]);
            self.revealed(question, &answers).is_some()
        });
        let stays = new.may_grow || reveals || new.may_follow.is_some();
        let answer = Happening::Answer { question: new.question, answer: new.answer };
        let mut happenings = vec![(answer, self.clock.take())];
        happenings.extend(self.side_shown().map(|side| (side, 0)));
        happenings.extend(self.cleared(new.left_over, false));
        let then = if new.completes && !stays && self.is_calibrating() {
            Then::Tell
        } else if new.completes && self.advances && !stays && !self.begun.corrects {
            self.held.strays();
            happenings.extend(self.visit(0));
            Then::Find(Find::AdvanceOpen)
        } else {
            // The bullet marked as likely is on record beside the answer that was given under the mark.
            happenings.extend(self.visit(0).filter(|_| self.reading.likely_bullet.is_some()));
            new.asks_for_text.map_or(after, Then::Write)
        };
        self.write(happenings, Purpose::Step, then, desk);
    }

    /// The order in which a pair is shown, where it is not on record yet.
    fn side_shown(&self) -> Option<Happening> {
        let (loaded, asked) = (self.loaded.as_ref()?, self.stored.side_question()?);
        let side = SIDES[usize::from(loaded.item.is_turned)].to_owned();
        let is_open = !self.answers().contains_key(&asked.key);
        is_open.then(|| Happening::Answer { question: asked.key.clone(), answer: Answer::Text(side) })
    }

    /// Says that an answer given again changes nothing.
    pub(in crate::app) fn say_still(&mut self) {
        let told = answers_told(&self.protocol, &self.answers());
        self.frame.say(format!("{}: still {told}", self.item_name()));
    }

    /// Whether the answer is the one that counts already, and no other is taken away by it.
    fn is_said_already(&self, new: &NewAnswer) -> bool {
        let answers = self.answers();
        let is_taken = |question: &String| answers.contains_key(question);
        let is_same = answers.get(&new.question) == Some(&new.answer) && !new.left_over.iter().any(is_taken);
        let is_skipped = self.loaded.as_ref().is_some_and(|loaded| loaded.standing.skipped);
        is_same && !is_skipped && !self.is_stale()
    }

    /// Clears answers; with `takes_time`, the first of them takes the active time.
    fn cleared(&mut self, questions: Vec<String>, takes_time: bool) -> Vec<(Happening, i64)> {
        let active = if takes_time { self.clock.take() } else { 0 };
        let shares = std::iter::once(active).chain(std::iter::repeat(0));
        let clears = questions.into_iter().map(|question| Happening::Clear { question });
        clears.zip(shares).collect()
    }

    /// Writes events of the item on the screen.
    pub(in crate::app) fn write(
        &mut self,
        happenings: Vec<(Happening, i64)>,
        purpose: Purpose<Spot>,
        then: Then,
        desk: &mut dyn AnnotateDesk,
    ) {
        let Some(append) = self.append_of(happenings) else { return };
        if purpose == Purpose::Step {
            self.held.answers();
        }
        self.commit(append, purpose, then, desk);
    }

    /// Events of the item on the screen, as they are written.
    pub(super) fn append_of(&self, happenings: Vec<(Happening, i64)>) -> Option<Append> {
        let loaded = self.loaded.as_ref()?;
        Some(Append {
            item: loaded.item.id,
            position: loaded.position,
            shown: loaded.standing.clone(),
            texts: loaded.item.texts(),
            happenings,
            wall: self.frame.now.wall,
        })
    }

    fn step(&mut self, happening: Happening, desk: &mut dyn AnnotateDesk) {
        let active = self.clock.take();
        self.write(vec![(happening, active)], Purpose::Step, Then::Stay, desk);
    }

    pub(super) fn toggle_skip(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(loaded) = &self.loaded else { return };
        if loaded.standing.state(&self.protocol) == ItemState::Judged {
            return self.frame.say("already judged; u takes the answer back");
        }
        let on = !loaded.standing.skipped;
        let mut happenings = vec![(Happening::Skip(on), self.clock.take())];
        let then = if on {
            self.held.strays();
            happenings.extend(self.visit(0));
            Then::Find(Find::AdvanceOpen)
        } else {
            Then::Stay
        };
        self.write(happenings, Purpose::Step, then, desk);
    }

    /// Gives the answers of a stale judgment again, all at once.
    pub(super) fn confirm(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(loaded) = self.loaded.as_ref().filter(|_| self.is_stale()) else {
            return self.frame.say("nothing here is stale");
        };
        let answers = loaded.standing.answers.clone();
        // Passages belong to the text in which they were selected, and that may have been revised.
        let is_placed = answers.values().any(|answer| !answer.passages().is_empty());
        if is_placed || !self.stored.violations(&answers, self.bullet_count()).is_empty() {
            return self.frame.warn("the answers do not fit what is judged now: answer again");
        }
        let is_complete = self.protocol.is_complete(&answers);
        let mut active = self.clock.take();
        let mut happenings = Vec::new();
        for (question, answer) in answers {
            happenings.push((Happening::Answer { question, answer }, std::mem::take(&mut active)));
        }
        happenings.extend(self.visit(0));
        let then = match is_complete && self.advances && !self.is_calibrating() {
            true => {
                self.held.strays();
                Then::Find(Find::AdvanceOpen)
            }
            false => Then::Stay,
        };
        self.write(happenings, Purpose::Step, then, desk);
    }

    pub(super) fn toggle_flag(&mut self, desk: &mut dyn AnnotateDesk) {
        if let Some(loaded) = &self.loaded {
            let on = !loaded.standing.flagged;
            self.step(Happening::Flag(on), desk);
        }
    }

    /// Asks why the item is given back, where it can be.
    pub(super) fn ask_to_give_back(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(item) = self.loaded.as_ref().map(|loaded| loaded.item.id) else { return };
        let refusal = match self.keeps {
            None if self.is_held() => Some("calibration is answered first; s skips an item"),
            keeps => keeps,
        };
        match refusal {
            Some(why) => self.frame.say(why),
            None => match self.frame.read(desk.can_give_back(item)) {
                Some(true) => self.ask(Action::GiveBack),
                Some(false) => self.frame.say(NOT_GIVEN_BACK),
                None => {}
            },
        }
    }

    /// Gives the item back for this reason.
    pub(super) fn give_back(&mut self, why: String, desk: &mut dyn AnnotateDesk) {
        if why.is_empty() {
            return self.frame.say("it stays yours: whoever has it next wants to know why");
        }
        self.begun.back_for = Some(why);
        self.leave(Then::GiveBack, desk);
    }

    /// Goes on with the items that are left. Their positions are new, so undo does not reach back over earlier steps.
    pub(super) fn given_back(&mut self, written: crate::error::Result<()>, desk: &mut dyn AnnotateDesk) {
        if let Err(error) = written {
            return self.frame.warn(not_saved(&error));
        }
        let Some(queue) = self.frame.read(desk.reopen()) else { return };
        let before = self.loaded.as_ref().and_then(|loaded| loaded.position.checked_sub(1));
        let last = queue.progress.total.saturating_sub(1);
        self.queue = queue;
        self.undo = Undo::new(Vec::new());
        self.frame.say("given back; the lead sees why");
        self.find(Find::AdvanceOpen, before.unwrap_or(last), desk);
    }

    pub(super) fn comment(&mut self, text: String, desk: &mut dyn AnnotateDesk) {
        if self.loaded.as_ref().is_some_and(|loaded| loaded.standing.comment == text) {
            return self.frame.say("the comment is as before");
        }
        self.step(Happening::Comment(text), desk);
    }

    /// Takes the latest step back. When it was made on another item, that item comes on the screen first.
    pub(super) fn undo(&mut self, desk: &mut dyn AnnotateDesk) {
        match self.undo.next_back().copied() {
            None => self.frame.say("nothing to undo"),
            Some(spot) if self.is_on_screen(spot.item) => self.undo_here(desk),
            Some(spot) => self.leave(Then::Load(spot.position, Arrival::Undo), desk),
        }
    }

    fn is_on_screen(&self, item: ItemId) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| loaded.item.id == item)
    }

    pub(super) fn undo_here(&mut self, desk: &mut dyn AnnotateDesk) {
        let step = self.undo.take_back();
        self.retract(step, desk);
    }

    /// Does the step again that was undone last.
    pub(super) fn redo(&mut self, desk: &mut dyn AnnotateDesk) {
        match self.undo.next_again().copied() {
            None => self.frame.say("nothing to do again"),
            Some(spot) if self.is_on_screen(spot.item) => self.redo_here(desk),
            Some(spot) => self.leave(Then::Load(spot.position, Arrival::Redo), desk),
        }
    }

    pub(super) fn redo_here(&mut self, desk: &mut dyn AnnotateDesk) {
        let step = self.undo.do_again();
        self.retract(step, desk);
    }

    fn retract(&mut self, purpose: Option<Purpose<Spot>>, desk: &mut dyn AnnotateDesk) {
        let Some(purpose) = purpose else { return };
        let shares = std::iter::once(self.clock.take()).chain(std::iter::repeat(0));
        let retracted = purpose.retracts().iter().map(|event| Happening::Retract { event: *event });
        let happenings = retracted.zip(shares).collect();
        self.write(happenings, purpose, Then::Stay, desk);
    }

    pub(in crate::app) fn ask(&mut self, action: Action) {
        use crate::app::kit::overlay::{Overlay, Prompt, PromptKind};
        let kind = match action {
            Action::Comment => return self.open_comment(),
            Action::GiveBack => PromptKind::GiveBack,
            Action::Search => PromptKind::Search,
            Action::Jump => PromptKind::Jump,
            _ if self.has_documents() => PromptKind::OpenDocument,
            _ => return self.frame.say("this study has no documents for the query"),
        };
        self.begun.searched_from = self.boards[self.searched_pane()].scroll;
        self.frame.overlays.push(Overlay::Prompt(Prompt::new(kind, "")));
    }
}
