//! From keys to verdicts: taking an opinion, giving a reason, making an example.

use super::{AdjudicateDesk, AdjudicateScreen, AdjudicateWork, Hearing, MovableScores, ONLY_READING};
use crate::app::kit::{Action, Context, Key, Moment, Mouse, MouseKind, Purpose};
use crate::app::screens::annotate::{App, Find, Then};
use crate::journal::{Happening, Reason, Verdict};

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

/// The actions that give a reason.
pub(super) const REASONS: [(Action, Reason); 5] = [
    (Action::BecauseSlip, Reason::Slip),
    (Action::BecauseUnclear, Reason::GuidelineUnclear),
    (Action::BecauseAmbiguous, Reason::AmbiguousItem),
    (Action::BecauseOverlooked, Reason::EvidenceOverlooked),
    (Action::BecauseOther, Reason::Other),
];

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
        if self.docket.work == AdjudicateWork::Review {
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
        let settles = app.frame.keymap.action_in(Context::Settling, key);
        if let Some((_, reason)) = REASONS.into_iter().find(|(gives, _)| settles == Some(*gives)) {
            return Some(Press::Because(reason));
        }
        Some(match (settles, action) {
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
        if self.docket.work == AdjudicateWork::Review || (character.is_ascii_digit() && self.digits_answer())
        {
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
        self.docket.contested.as_ref().map_or(0, |contested| contested.opinions.len())
    }

    /// The key that takes this opinion now.
    pub fn take_key(&self, opinion: usize) -> Option<char> {
        let key = *self.take_keys.get(opinion)?;
        self.taken_by(key).map(|_| key)
    }

    /// Takes a key for which [`AdjudicateScreen::press_here`] was true.
    pub(super) fn act_here(&mut self, key: Key, desk: &mut dyn AdjudicateDesk) {
        let Some(press) = self.meaning(key) else { return };
        let writes = matches!(press, Press::Take(_) | Press::Because(_) | Press::Example);
        if writes && self.app.is_unread() {
            return self.app.hold_back(key);
        }
        match press {
            Press::Take(opinion) => self.take_opinion(opinion, desk),
            Press::Because(reason) => self.because(reason, desk),
            Press::Example => self.example(desk),
            Press::Scores => self.turn_scores(),
            Press::More => self.show_more(),
            Press::Refused(why) => self.app.frame.say(why),
        }
    }

    /// Takes the answers of one annotator as the final ones.
    fn take_opinion(&mut self, opinion: usize, desk: &mut dyn AdjudicateDesk) {
        let Some(opinion) =
            self.docket.contested.as_ref().and_then(|contested| contested.opinions.get(opinion))
        else {
            return;
        };
        let answers = opinion.standing.answers_under(self.app.protocol.hash).clone();
        let verdict = Verdict {
            answers,
            took: Some(opinion.name.clone()),
            is_put_aside: false,
            ..self.docket.verdict()
        };
        if self.docket.is_settled() && verdict == self.docket.verdict() && !self.app.is_stale() {
            return self.app.say_still();
        }
        let then = match self.app.advances && !self.docket.is_settled() {
            true => Then::Find(Find::AdvanceOpen),
            false => Then::Stay,
        };
        self.write(verdict, then, desk);
    }

    /// Gives a reason; the same reason again takes it back. "Another reason" is written into the note.
    fn because(&mut self, reason: Reason, desk: &mut dyn AdjudicateDesk) {
        let verdict = self.docket.verdict();
        let reason = (verdict.reason != Some(reason)).then_some(reason);
        if reason == Some(Reason::Other) {
            self.app.ask(Action::Comment);
        }
        self.write(Verdict { reason, ..verdict }, Then::Stay, desk);
    }

    fn example(&mut self, desk: &mut dyn AdjudicateDesk) {
        if !self.docket.is_settled() {
            return self.app.frame.say("an example needs its answer first");
        }
        let verdict = self.docket.verdict();
        self.write(Verdict { is_example: !verdict.is_example, ..verdict }, Then::Stay, desk);
    }

    fn write(&mut self, verdict: Verdict, then: Then, desk: &mut dyn AdjudicateDesk) {
        let active = self.app.clock.take();
        let happening = Happening::Adjudicate(Box::new(verdict));
        let mut hearing = Hearing { docket: &mut self.docket, desk };
        self.app.write(vec![(happening, active)], Purpose::Step, then, &mut hearing);
        self.app.tidy(false);
    }

    fn turn_scores(&mut self) {
        if matches!(self.docket.scored, MovableScores::Nothing) {
            return self.app.frame.say("no score is made of these answers");
        }
        self.wants_scores = !self.wants_scores;
        if self.wants_scores && !self.docket.is_settled() {
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
    pub(super) fn click_here(&mut self, mouse: Mouse, now: Moment, desk: &mut dyn AdjudicateDesk) {
        self.app.touch(now);
        let free = self.app.pending.is_none() && self.app.frame.overlays.is_empty();
        let opinion = self.panel_place(mouse).and_then(|column| self.opinion_at(column));
        let clicks = mouse.kind == MouseKind::Click && free && self.docket.work == AdjudicateWork::Settle;
        if let Some(opinion) = opinion.filter(|_| clicks) {
            self.app.frame.hush();
            if !self.app.refuses_click() {
                self.take_opinion(opinion, desk);
            }
        }
    }
}
