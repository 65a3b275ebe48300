//! From keys to verdicts: taking an opinion, giving a reason, making an example.

use super::message::{AdjudicateEffect, AdjudicateRequest, Settle};
use super::moves::MovableScores;
use super::{AdjudicateScreen, AdjudicateWork};
use crate::app::kit::action::{Action, Context};
use crate::app::kit::input::{Moment, Mouse, MouseKind};
use crate::app::kit::key::Key;
use crate::app::kit::undo::Purpose;
use crate::app::screens::annotate::message::Append;
use crate::app::screens::annotate::{App, Then};
use crate::journal::{Happening, Reason, Verdict};
use crate::protocol::Answers;

/// Most opinions that have a key.
const MOST_KEYS: usize = 26;

/// The keys that take an opinion: digits, or free letters where questions take digits themselves.
pub(super) fn take_keys(app: &App) -> Vec<char> {
    let is_numbered = app.protocol.questions.first().is_some_and(|question| question.takes_numbers());
    if !is_numbered && !app.protocol.takes_digits() {
        return ('1'..='9').collect();
    }
    let is_free = |letter: &char| {
        let key = Key::plain(crate::app::kit::key::KeyCode::Char(*letter));
        app.frame.keymap.action(key).is_none() && !app.protocol.takes_letter(*letter)
    };
    ('a'..='z').filter(is_free).take(MOST_KEYS).collect()
}

/// Meaning of a key on this screen and on no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Press {
    Take(usize),
    Because(Reason),
    Example,
    Scores,
    More,
    /// A key that does nothing here, and why.
    Refused(&'static str),
}

const ONLY_READING: &str = "this is for reading: your answers stay as they are";

impl AdjudicateScreen {
    /// Whether a key is meant for this screen and not for texts and answers; such a key counts as activity.
    pub(super) fn press_here(&mut self, key: Key, now: Moment) -> bool {
        let is_here = self.meaning(key).is_some();
        if is_here {
            self.app.touch(now);
            self.app.frame.hush();
        }
        is_here
    }

    fn meaning(&self, key: Key) -> Option<Press> {
        let app = &self.app;
        if app.pending.is_some() || !app.frame.overlays.is_empty() || !app.begun.typed.is_empty() {
            return None;
        }
        let action = app.frame.keymap.action(key);
        if self.work == AdjudicateWork::Review {
            let writes = matches!(
                action,
                Some(
                    Action::Undo
                        | Action::Redo
                        | Action::Skip
                        | Action::Flag
                        | Action::Confirm
                        | Action::Comment
                        | Action::AutoAdvance
                )
            );
            let answers = action.is_none() && app.is_answer(key);
            let here = app.frame.keymap.action_in(Context::Settling, key).is_some();
            return (writes || answers || here).then_some(Press::Refused(ONLY_READING));
        }
        if let Some(taken) = key.plain_char().and_then(|character| self.taken_by(character)) {
            return Some(Press::Take(taken));
        }
        if key.plain_char().is_some_and(|character| app.protocol.takes_letter(character)) {
            return None;
        }
        Some(match (app.frame.keymap.action_in(Context::Settling, key), action) {
            (Some(Action::BecauseSlip), _) => Press::Because(Reason::Slip),
            (Some(Action::BecauseUnclear), _) => Press::Because(Reason::GuidelineUnclear),
            (Some(Action::BecauseAmbiguous), _) => Press::Because(Reason::AmbiguousItem),
            (Some(Action::BecauseOverlooked), _) => Press::Because(Reason::EvidenceOverlooked),
            (Some(Action::BecauseOther), _) => Press::Because(Reason::Other),
            (Some(Action::Example), _) => Press::Example,
            (Some(Action::MovedScores), _) => Press::Scores,
            (Some(Action::MoreOpinions), _) => Press::More,
            (_, Some(Action::Tour)) => Press::Refused("the tour is of annotating"),
            (_, Some(Action::Flag)) => {
                Press::Refused("flags are for annotating; put the item aside, or write a note")
            }
            (_, Some(Action::Confirm)) => {
                Press::Refused("confirming is for annotating; take an opinion, or answer")
            }
            _ => return None,
        })
    }

    /// The opinion that a character takes now. While a question that takes numbers is open, digits answer it.
    fn taken_by(&self, character: char) -> Option<usize> {
        if self.work == AdjudicateWork::Review || (character.is_ascii_digit() && self.digits_answer()) {
            return None;
        }
        let index = self.take_keys.iter().position(|key| *key == character)?;
        (index < self.opinions()).then_some(index)
    }

    fn digits_answer(&self) -> bool {
        let answers = self.app.answers();
        let open = self.app.protocol.open_question(&answers);
        open.is_some_and(|question| question.takes_numbers())
    }

    fn opinions(&self) -> usize {
        self.contested.as_ref().map_or(0, |contested| contested.opinions.len())
    }

    /// The key that takes this opinion now.
    pub fn take_key(&self, opinion: usize) -> Option<char> {
        let key = *self.take_keys.get(opinion)?;
        self.taken_by(key).map(|_| key)
    }

    /// Takes a key for which [`AdjudicateScreen::press_here`] was true.
    pub(super) fn act_here(&mut self, key: Key) -> Vec<AdjudicateEffect> {
        let Some(press) = self.meaning(key) else {
            return Vec::new();
        };
        let writes = matches!(press, Press::Take(_) | Press::Because(_) | Press::Example);
        if writes && self.app.is_unread() {
            self.app.hold_back(key);
            return Vec::new();
        }
        match press {
            Press::Take(opinion) => self.take(opinion),
            Press::Because(reason) => self.because(reason),
            Press::Example => self.example(),
            Press::Scores => {
                self.turn_scores();
                Vec::new()
            }
            Press::More => {
                self.show_more();
                Vec::new()
            }
            Press::Refused(why) => {
                self.app.frame.say(why);
                Vec::new()
            }
        }
    }

    /// Takes the answers of one annotator as the final ones.
    fn take(&mut self, opinion: usize) -> Vec<AdjudicateEffect> {
        let Some(opinion) = self.contested.as_ref().and_then(|contested| contested.opinions.get(opinion))
        else {
            return Vec::new();
        };
        let answers = opinion.standing.answers_under(self.app.protocol.hash).clone();
        let verdict =
            Verdict { answers, took: Some(opinion.name.clone()), is_put_aside: false, ..self.verdict() };
        let then = match self.app.advances && !self.is_settled() {
            true => Then::Find(crate::app::screens::annotate::message::Find::AdvanceOpen),
            false => Then::Stay,
        };
        self.write(verdict, then)
    }

    /// Whether the item on the screen has final answers.
    pub(super) fn is_settled(&self) -> bool {
        self.decision().is_some_and(|decision| decision.answers(&self.app.protocol).is_some())
    }

    /// Gives a reason; the same reason again takes it back. "Another reason" is written into the note.
    fn because(&mut self, reason: Reason) -> Vec<AdjudicateEffect> {
        let verdict = self.verdict();
        let reason = (verdict.reason != Some(reason)).then_some(reason);
        let effects = self.write(Verdict { reason, ..verdict }, Then::Stay);
        if reason == Some(Reason::Other) {
            self.app.ask(Action::Comment);
        }
        effects
    }

    fn example(&mut self) -> Vec<AdjudicateEffect> {
        if !self.is_settled() {
            self.app.frame.say("an example needs its answer first");
            return Vec::new();
        }
        let verdict = self.verdict();
        self.write(Verdict { is_example: !verdict.is_example, ..verdict }, Then::Stay)
    }

    /// The verdict so far, on which the next one builds. Answers under another version of the protocol do not count.
    fn verdict(&self) -> Verdict {
        let Some(decision) = self.decision() else {
            return Verdict::default();
        };
        let is_own = decision.by == self.app.queue.annotator;
        let mut verdict = decision.verdict.clone();
        if !is_own {
            verdict.active = 0;
        }
        if decision.protocol != self.app.protocol.hash {
            verdict.answers = Answers::new();
            verdict.took = None;
        }
        verdict
    }

    fn write(&mut self, verdict: Verdict, then: Then) -> Vec<AdjudicateEffect> {
        let active = self.app.clock.take();
        let happening = Happening::Adjudicate(Box::new(verdict));
        let mut effects = Vec::new();
        self.app.write(vec![(happening, active)], Purpose::Step, then, &mut effects);
        self.pass(effects)
    }

    /// Turns events of the screen of texts and answers into verdicts.
    pub(super) fn append(&mut self, append: Append) -> Vec<AdjudicateEffect> {
        let is_visit = |happening: &Happening| matches!(happening, Happening::Visit { .. });
        if append.happenings.iter().all(|(happening, _)| is_visit(happening)) {
            // Looking changes nothing and leaves nothing behind.
            return self.acknowledge(Vec::new());
        }
        if self.work == AdjudicateWork::Review {
            self.app.pending = None;
            self.app.frame.warn(ONLY_READING);
            return Vec::new();
        }
        let mut verdict = self.verdict();
        let mut retractions = Vec::new();
        for (happening, active) in append.happenings.clone() {
            match happening {
                Happening::Retract { .. } => retractions.push(happening),
                other => {
                    amend(&mut verdict, other);
                    verdict.active = verdict.active.saturating_add(active);
                }
            }
        }
        let happenings = match retractions.is_empty() {
            true => vec![Happening::Adjudicate(Box::new(verdict))],
            false => retractions,
        };
        let shown = self.decision().map(|decision| decision.event);
        let Append { item, texts, wall, .. } = append;
        vec![AdjudicateEffect::Ask(AdjudicateRequest::Settle(Settle {
            item,
            shown,
            texts,
            happenings,
            wall,
        }))]
    }

    fn turn_scores(&mut self) {
        if matches!(self.scored, MovableScores::Nothing) {
            return self.app.frame.say("no score is made of these answers");
        }
        self.wants_scores = !self.wants_scores;
        if self.wants_scores && !self.is_settled() {
            self.app.frame.say("scores are shown once the item is decided");
        }
    }

    fn show_more(&mut self) {
        let (shown, all) = (self.columns_shown(), self.opinions());
        if shown >= all {
            return self.app.frame.say("everyone is on the screen already");
        }
        let next = self.first_shown + shown;
        self.first_shown = if next >= all { 0 } else { next.min(all - shown) };
    }

    /// Takes the answers of the column that was clicked.
    pub(super) fn click_here(&mut self, mouse: Mouse, now: Moment) -> Vec<AdjudicateEffect> {
        self.app.touch(now);
        let free = self.app.pending.is_none() && self.app.frame.overlays.is_empty();
        let opinion = self.panel_place(mouse).and_then(|column| self.opinion_at(column));
        match opinion
            .filter(|_| mouse.kind == MouseKind::Click && free && self.work == AdjudicateWork::Settle)
        {
            Some(opinion) if !self.app.is_unread() => {
                self.app.frame.hush();
                self.take(opinion)
            }
            _ => Vec::new(),
        }
    }
}

/// Changes a verdict by something more that was said.
fn amend(verdict: &mut Verdict, happening: Happening) {
    match happening {
        Happening::Answer { question, answer } => {
            verdict.answers.insert(question, answer);
            verdict.took = None;
            verdict.is_put_aside = false;
        }
        Happening::Clear { question } => {
            verdict.answers.remove(&question);
            verdict.took = None;
        }
        Happening::Skip(on) => verdict.is_put_aside = on,
        Happening::Comment(note) => verdict.note = note,
        Happening::Adjudicate(new) => *verdict = *new,
        Happening::Flag(_)
        | Happening::Visit { .. }
        | Happening::Anew
        | Happening::Retract { .. }
        | Happening::Unknown { .. } => {}
    }
}
