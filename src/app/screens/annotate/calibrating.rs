//! Calibration items. The known answer is told once the item is judged; from then on the annotator's answer stays.

use std::sync::Arc;

use super::{AnnotateDesk, App, Find, Then, named};
use crate::app::kit::{Action, HelpSection, Overlay, not_saved};
use crate::error::Result;
use crate::journal::{Calibration, ItemState};
use crate::protocol::{Answer, Answers, Question, is_as_known, reaches, says_the_same};
use crate::study::ItemId;

/// Whether the known answer to the item on the screen has been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Telling {
    #[default]
    No,
    /// Told but not drawn yet: keys that are typed now were meant for the item.
    Unseen,
    Yes,
}

/// The known answer beside the one that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub questions: Vec<ToldQuestion>,
    pub is_right: bool,
    /// Reason for the known answer; empty where nobody gave one.
    pub explanation: String,
    /// Calibration items that are judged, this one among them.
    pub judged: usize,
    /// Number of calibration items that were judged right.
    pub right: usize,
    /// Number of calibration items.
    pub count: usize,
    /// Least percentage of right judgments that passes, 0–100.
    pub pass: Option<f64>,
    /// Whether the work waits until that share is reached.
    pub must_pass: bool,
}

/// One question of an item whose answer is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldQuestion {
    pub prompt: String,
    pub given: String,
    pub known: String,
    /// Whether the given answer is the known one; `None` for a written answer.
    pub is_right: Option<bool>,
}

impl Told {
    /// Whether the required share was reached; `None` while items are left, or where no share is required.
    pub fn passes(&self) -> Option<bool> {
        let pass = self.pass.filter(|_| self.judged >= self.count)?;
        Some(reaches(self.right, self.judged, pass))
    }

    /// Whether calibration begins again: the required share is a must, and was not reached.
    pub fn begins_anew(&self) -> bool {
        self.must_pass && self.passes() == Some(false)
    }
}

impl App {
    /// The known answer to the item on the screen beside the one that was given.
    pub fn told(&self) -> Option<Told> {
        let loaded = self.loaded.as_ref()?;
        let calibration = loaded.calibration.as_ref().filter(|one| !one.known.is_empty())?;
        let given = self.answers();
        let is_right = |known: &Answers, given: &Answers| is_as_known(&self.protocol, known, given);
        let others = calibration.others.iter().filter(|(known, given)| is_right(known, given)).count();
        let this = is_right(&calibration.known, &given);
        let row = |question: &Question| {
            let (known, given) = (calibration.known.get(&question.key), given.get(&question.key));
            (known.is_some() || given.is_some()).then(|| ToldQuestion {
                prompt: question.prompt.clone(),
                given: answer_of(question, given),
                known: answer_of(question, known),
                is_right: says_the_same(question, known, given),
            })
        };
        Some(Told {
            questions: self.protocol.questions.iter().filter_map(row).collect(),
            is_right: this,
            explanation: calibration.explanation.clone(),
            judged: calibration.others.len() + 1,
            right: others + usize::from(this),
            count: calibration.count,
            pass: calibration.pass,
            must_pass: calibration.must_pass,
        })
    }

    /// Whether the known answer is to be told before anything else is done.
    pub(super) fn is_to_be_told(&self) -> bool {
        self.told().is_some() && self.begun.telling == Telling::No && self.state() == ItemState::Judged
    }

    /// The judged item on the screen whose known answer has not come from the hub yet.
    pub(super) fn awaited(&self) -> Option<ItemId> {
        let is_awaited = self.is_calibrating() && self.told().is_none() && self.state() == ItemState::Judged;
        self.loaded.as_ref().filter(|_| is_awaited).map(|loaded| loaded.item.id)
    }

    /// Tells the known answer that has come for the item on the screen.
    pub(super) fn hear_known(&mut self, item: ItemId, known: Option<Calibration>) {
        if self.awaited() != Some(item) || known.as_ref().is_none_or(|known| known.known.is_empty()) {
            return;
        }
        if let Some(loaded) = &mut self.loaded {
            loaded.calibration = known;
        }
        if self.pending.is_none() && self.frame.overlays.is_empty() {
            self.frame.hush();
            self.tell();
        }
    }

    /// Whether the item is a calibration item.
    pub(super) fn is_calibrating(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| loaded.calibration.is_some())
    }

    /// Shows the known answer. The annotator's answer stays from now on: no undo leads back over it.
    pub(super) fn tell(&mut self) {
        let Some(item) = self.loaded.as_ref().map(|loaded| loaded.item.id) else { return };
        if self.awaited().is_some() {
            return self.frame.say("the known answer comes once the hub has yours; without a network, go on");
        }
        self.begun.telling = Telling::Unseen;
        self.undo.forget(|spot| spot.item == item);
        self.frame.overlays.push(Overlay::Known);
        self.begun.judgment_scroll = Some(0);
        let calibration = self.loaded.as_ref().and_then(|loaded| loaded.calibration.as_ref());
        let known = calibration.iter().flat_map(|calibration| calibration.known.values());
        self.reveal_bullets(known.flat_map(Answer::bullets).copied().collect());
    }

    /// Whether the known answer is on the screen now.
    pub fn is_telling(&self) -> bool {
        self.frame.overlays.iter().any(|overlay| matches!(overlay, Overlay::Known))
    }

    /// The known answers to the item on the screen, while they are told.
    pub fn known(&self) -> Option<&Answers> {
        let calibration = self.loaded.as_ref()?.calibration.as_ref()?;
        self.is_telling().then_some(&calibration.known)
    }

    /// Refuses to change an answer once the known one was told.
    pub(super) fn refuses_after_telling(&mut self) -> bool {
        let refuses = self.begun.telling != Telling::No;
        if refuses {
            self.frame.warn("the known answer was shown, so yours stays as it is");
        }
        refuses
    }

    /// Whether the guideline comes before going on: calibration has just ended below the mark.
    pub fn is_guideline_due(&self) -> bool {
        !self.begun.has_read_guideline
            && !self.protocol.guideline.trim().is_empty()
            && self.told().is_some_and(|told| match self.begun.corrects {
                true => told.begins_anew(),
                false => told.passes() == Some(false),
            })
    }

    /// Whether work waits until calibration is passed.
    pub(super) fn is_held(&self) -> bool {
        self.queue.held > 0
    }

    /// Stops where everything is judged and calibration is not passed: tells its result, or leads back to its items.
    pub(super) fn stop_at_gate(&mut self) {
        if self.is_calibrating() && self.told().is_some_and(|told| told.passes().is_some()) {
            return self.tell();
        }
        let held = self.queue.held;
        self.frame.warn(format!("{held} more wait until calibration is passed: go back to one of its items"));
    }

    /// Takes the queue as it is after a write, and goes to the first open item.
    pub(super) fn reopen(&mut self, written: Result<()>, desk: &mut dyn AnnotateDesk) {
        if let Err(error) = written {
            return self.frame.warn(not_saved(&error));
        }
        let Some(queue) = self.frame.read(desk.reopen()) else { return };
        let was_held = self.is_held();
        // The search goes round from the last item, so it finds the first open one.
        let last = queue.progress.total.saturating_sub(1);
        self.queue = queue;
        self.frame.say(match was_held && !self.is_held() {
            true => "calibration is passed: this is the work",
            false => "calibration begins again",
        });
        self.find(Find::AdvanceOpen, last, desk);
    }

    /// Opens the guideline at the question that was missed on most of the calibration items, the first of
    /// these; at its beginning where no question was.
    fn open_guideline_at_fault(&mut self) {
        self.begun.has_read_guideline = true;
        let given = self.answers();
        let calibration = self.loaded.as_ref().and_then(|loaded| loaded.calibration.as_ref());
        let others =
            calibration.iter().flat_map(|one| one.others.iter().map(|(known, given)| (known, given)));
        let pairs: Vec<(&Answers, &Answers)> =
            others.chain(calibration.map(|one| (&one.known, &given))).collect();
        let missed = |question: &Question| {
            let is_wrong = |(known, given): &&(&Answers, &Answers)| {
                says_the_same(question, known.get(&question.key), given.get(&question.key)) == Some(false)
            };
            pairs.iter().filter(is_wrong).count()
        };
        let protocol = Arc::clone(&self.protocol);
        let most = protocol.questions.iter().rev().max_by_key(|question| missed(question));
        self.open_guideline_at(most.filter(|question| missed(question) > 0));
        self.frame.say("below the mark: read what the guideline says, then go on");
    }

    /// Takes a key while the known answer is shown: one key goes on, one goes back.
    pub(super) fn leave_known(&mut self, action: Action, desk: &mut dyn AnnotateDesk) {
        if self.begun.telling == Telling::Unseen {
            return;
        }
        match action {
            Action::Next | Action::NextOpen if self.is_guideline_due() => self.open_guideline_at_fault(),
            Action::Next | Action::NextOpen => {
                let then = match self.told().filter(|_| self.is_held()) {
                    Some(told) if told.begins_anew() => Then::CalibrateAnew,
                    Some(told) if told.passes() == Some(true) => Then::Reopen,
                    _ => Then::Find(Find::AdvanceOpen),
                };
                self.frame.overlays.pop();
                self.leave(then, desk);
            }
            Action::Back | Action::Quit => {
                self.frame.overlays.pop();
                self.act(action, desk);
            }
            // The known answer stays on the screen under keys that only look.
            _ if action.group() == HelpSection::Reading => self.act(action, desk),
            Action::Guideline | Action::Help | Action::Theme | Action::Copy => self.act(action, desk),
            Action::Redraw | Action::Suspend => self.act(action, desk),
            _ => {}
        }
    }
}

/// An answer in words, whole.
fn answer_of(question: &Question, answer: Option<&Answer>) -> String {
    match answer {
        Some(Answer::Text(text)) if question.choices().is_empty() => text.clone(),
        Some(Answer::Points(points)) => {
            points.iter().map(|point| point.text.as_str()).collect::<Vec<&str>>().join("; ")
        }
        Some(Answer::Nothing) => question.none_label().unwrap_or("none").to_owned(),
        Some(answer) => named(question, Some(answer)),
        None => "–".to_owned(),
    }
}
