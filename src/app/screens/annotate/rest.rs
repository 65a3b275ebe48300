//! The rest of a group: once the annotator confirms, each untouched item gets the lowest answer, one after the other.

use super::{AnnotateDesk, App, Arrival, Find, Then};
use crate::app::kit::{Action, Key, KeyCode, Overlay, Purpose};
use crate::journal::{Happening, Standing};
use crate::protocol::{Answer, Answers, Choice, ChoiceScale, QuestionKind};

/// Most items that are answered at once.
const MOST: usize = 100;

/// The untouched items that are still to be answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Rest {
    /// Positions of the items, the next item's last.
    left: Vec<usize>,
    given: usize,
    /// Position of the item that was half answered on the screen: it stays so, and comes back.
    begun: Option<usize>,
}

impl App {
    /// The lowest choice of the first question, where that choice is a whole judgment.
    pub(super) fn lowest(&self) -> Option<&Choice> {
        let question = self.protocol.questions.first()?;
        let QuestionKind::Choice { scale: ChoiceScale::Ordinal, choices } = &question.kind else {
            return None;
        };
        let lowest = choices.first()?;
        let alone = Answers::from([(question.key.clone(), Answer::Text(lowest.value.clone()))]);
        self.protocol.is_complete(&alone).then_some(lowest)
    }

    /// Asks whether the untouched items of the group are to get the lowest answer.
    pub(super) fn ask_for_rest(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(loaded) = &self.loaded else { return };
        if self.lowest().is_none() {
            return self.frame.say("no single answer says here that the rest is not so");
        }
        if loaded.calibration.is_some() {
            return self.frame.say("calibration goes item by item");
        }
        if let Some(untouched) = self.frame.read(desk.untouched(loaded.position)) {
            self.offer_rest(untouched);
        }
    }

    fn offer_rest(&mut self, mut untouched: Vec<usize>) {
        let Some(label) = self.lowest().map(|lowest| lowest.label.clone()) else { return };
        let all = untouched.len();
        untouched.truncate(MOST);
        let count = untouched.len();
        if count == 0 {
            return self.frame.say("nothing here is untouched");
        }
        let these = if count < all { format!("the first {count} of {all}") } else { count.to_string() };
        let prompt = self.protocol.questions.first().map_or("", |question| question.prompt.as_str());
        self.frame.warn(format!("{these} untouched here: {prompt} {label}, for each?"));
        self.frame.overlays.push(Overlay::Rest(untouched));
    }

    /// Takes the key that confirms; every other key leaves all as it was.
    pub(super) fn press_in_rest(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        let Some(Overlay::Rest(untouched)) = self.frame.overlays.pop() else { return };
        if key.code != KeyCode::Enter {
            return self.frame.say("nothing was recorded");
        }
        let begun = self.half_answered().map(|(position, _)| position);
        self.rest = Rest { left: untouched.into_iter().rev().collect(), given: 0, begun };
        self.held.strays();
        self.leave(Then::Rest, desk);
    }

    /// Goes on to the next untouched item; after the last, back to the one that was begun, or to the next open item of the queue.
    pub(super) fn go_on_with_rest(&mut self, desk: &mut dyn AnnotateDesk) {
        let here = self.loaded.as_ref().map(|loaded| loaded.position);
        match self.rest.left.pop() {
            Some(position) if Some(position) == here => self.answer_rest(desk),
            Some(position) => self.load(position, Arrival::Rest, desk),
            None => {
                let label = self.lowest().map_or("", |lowest| lowest.label.as_str());
                let undo = self.frame.keymap.sign(Action::Undo);
                let text = match self.rest.given {
                    0 => "nothing was recorded".to_owned(),
                    1 => format!("✓ {label}, once"),
                    given => format!("✓ {label}, {given} times; {undo} takes them back one by one"),
                };
                match self.rest.begun {
                    Some(begun) => self.come_back(begun, &text, desk),
                    None => {
                        self.frame.say(text);
                        self.find(Find::AdvanceOpen, here.unwrap_or(0), desk);
                    }
                }
            }
        }
    }

    /// Puts the item that was begun on the screen again, and names its open questions.
    fn come_back(&mut self, begun: usize, said: &str, desk: &mut dyn AnnotateDesk) {
        self.load(begun, Arrival::Asked, desk);
        let open = self.half_answered().map(|(_, open)| format!(" · {open}")).unwrap_or_default();
        self.frame.say(format!("{said}{open}"));
        self.place(desk);
    }

    /// Answers the item on the screen, if it is still untouched.
    pub(super) fn answer_rest(&mut self, desk: &mut dyn AnnotateDesk) {
        let lowest = self.lowest().map(|lowest| lowest.value.clone());
        let Some((loaded, value)) = self.loaded.as_ref().zip(lowest) else { return };
        let seen = Standing { active: loaded.standing.active, ..Standing::default() };
        let question = self.protocol.questions.first().map(|question| question.key.clone());
        let Some(question) = question.filter(|_| loaded.standing == seen) else {
            return self.go_on_with_rest(desk);
        };
        self.rest.given += 1;
        let answer = Happening::Answer { question, answer: Answer::Text(value) };
        let mut happenings = vec![(answer, self.clock.take())];
        // The last one is left, so that the study opens on the next item again.
        happenings.extend(self.visit(0).filter(|_| self.rest.left.is_empty()));
        if let Some(append) = self.append_of(happenings) {
            self.commit(append, Purpose::Step, Then::Rest, desk);
        }
    }
}
