//! The current state of a judgment: the fold over the events of one annotator on one item.

use std::collections::HashSet;

use super::event::is_cut;
use super::{Event, EventId, Happening};
use crate::protocol::{Answers, Protocol};
use crate::text::hash::Fingerprint;

/// The current answers and marks of one annotator on one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    pub answers: Answers,
    pub skipped: bool,
    pub flagged: bool,
    /// The comment; empty for none.
    pub comment: String,
    /// Active milliseconds spent on the item by all events together, undone ones included.
    pub active: i64,
    /// Wall time of the latest answer that counts, in milliseconds since 1970.
    pub at: Option<i64>,
    /// Protocol version and texts under which the latest answer was given.
    pub judged_under: Option<(Fingerprint, Fingerprint)>,
    /// Number of times that the item was given again, to be judged anew.
    pub times_anew: u32,
    /// The number of the version that the latest answer was given under, where it counts as given under a later one.
    pub earlier_version: Option<u32>,
    /// Whether the latest answer was given on texts that were revised since: then no answer is a current one.
    pub is_outdated: bool,
}

/// The state of an item in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemState {
    /// No complete answer yet.
    Open,
    /// Every required question is answered.
    Judged,
    /// Put aside by the annotator, and not judged.
    Skipped,
}

impl Standing {
    /// The state under this version of the protocol: judged when the answers are complete, even if the item was skipped
    /// before; skipped when it was put aside; else open.
    pub fn state(&self, protocol: &Protocol) -> ItemState {
        if protocol.is_complete(self.answers_under(protocol.hash)) {
            ItemState::Judged
        } else if self.skipped {
            ItemState::Skipped
        } else {
            ItemState::Open
        }
    }

    /// The answers, if they were given under this version of the protocol and on texts that still hold; none otherwise.
    pub fn answers_under(&self, protocol: Fingerprint) -> &Answers {
        static NONE: Answers = Answers::new();
        match self.judged_under {
            Some((under, _)) if self.is_outdated || under != protocol => &NONE,
            _ => &self.answers,
        }
    }

    /// Puts the comment of a part below those of others.
    fn add_comment(&mut self, text: &str) {
        if !self.comment.contains(text) {
            let gap = if self.comment.is_empty() { "" } else { "\n" };
            self.comment = format!("{}{gap}{text}", self.comment);
        }
    }

    /// Whether both look the same on a screen, whatever their times and texts.
    pub fn says_the_same(&self, other: &Standing) -> bool {
        (&self.answers, &self.comment, self.flagged, self.skipped)
            == (&other.answers, &other.comment, other.flagged, other.skipped)
    }

    /// Whether the answers were given on other texts or under another version of the protocol.
    pub fn is_stale(&self, protocol: Fingerprint, texts: Fingerprint) -> bool {
        self.judged_under.is_some_and(|under| under != (protocol, texts))
    }
}

/// Folds all events of one annotator on one item. The order of `events` does not matter. `version` finds the
/// version of a protocol by its fingerprint; under an unknown version, every latest answer counts.
///
/// Steps count as if one person had done them one after the other on one screen, also where they come from
/// several files. An answer that could not have been given there does not count: a bullet that was chosen in one file
/// after `none` in another. And an answer that a step has cleared stays cleared: `full` in one file does not bring
/// back the bullet that `none` in another has cleared. Rules between questions drop nothing, since a
/// person may insist.
pub fn fold<'p>(events: &[Event], version: impl Fn(Fingerprint) -> Option<&'p Protocol>) -> Standing {
    let ordered = standing_events(events);
    let mut replay = StandingReplay::default();
    replay.standing.active = active_time(events);
    for step in ordered.chunk_by(|one, next| (one.at, one.id.writer) == (next.at, next.id.writer)) {
        let Some(under) = step.first().map(|event| event.protocol) else { continue };
        let protocol = version(under);
        let earlier = protocol.and_then(|protocol| Some((protocol, protocol.earlier_version(under)?)));
        replay.earlier = earlier.map(|(_, number)| number);
        match earlier {
            None => replay.take(step, protocol),
            // Answers under an earlier version stand under the current one, and are read in its words.
            Some((protocol, number)) => {
                let now: Vec<Event> =
                    step.iter().map(|event| in_words_of_now(event, protocol, number)).collect();
                replay.take(&now.iter().collect::<Vec<_>>(), Some(protocol));
            }
        }
    }
    replay.standing
}

/// The active milliseconds of events. A judgment that several imported files have is one, and its time counts once: files may
/// leave out when it was given, and round its seconds. A judgment with a time goes before one without, then the longer one. One
/// that ends in an answer of the journal is told of the journal, which has its time. A total has the time of all that was done
/// before its judgment, and of what nobody answered: so it counts where it is more than that.
pub fn active_time(events: &[Event]) -> i64 {
    let (totals, single) = timed(events);
    let standing = if totals.is_empty() { Vec::new() } else { standing_events(events) };
    let is_answered = |event: &Event| {
        let of_step = |one: &&&Event| (one.id.writer, one.at) == (event.id.writer, event.at);
        standing.iter().filter(of_step).any(|one| question_of(one).is_some())
    };
    let is_later = |event: &Event, total: &Event| {
        let is_after = |(told, at): (i64, i64)| told < at && !is_cut(told, at);
        total.at.zip(event.at).is_some_and(is_after) && is_answered(event)
    };
    let since = |total: &&Event| {
        let later = single.iter().filter(|event| is_later(event, total));
        total.active + later.map(|event| event.active).sum::<i64>()
    };
    let all = single.iter().map(|event| event.active).sum();
    totals.iter().map(since).fold(all, i64::max)
}

/// Whether the active time is that of several judgments of which files brought some.
pub fn is_total(events: &[Event]) -> bool {
    let (totals, single) = timed(events);
    !totals.is_empty() || single.len() > 1 && single.iter().any(|event| event.id.writer.0 < 0)
}

/// The events whose time counts: totals, and all others.
fn timed(events: &[Event]) -> (Vec<&Event>, Vec<&Event>) {
    let timed = events.iter().filter(|event| event.active > 0);
    let (totals, timed): (Vec<&Event>, Vec<&Event>) = timed.partition(|event| event.id.is_total());
    let rank = |event: &Event| (event.at.is_some(), event.active);
    // A file may have the time of another one to the minute, and is told of it then. Within one file, another time is another judgment.
    let is_cut_of = |told: &Event, other: &Event| {
        let cut = |(told, at)| told != at && is_cut(told, at);
        told.id.writer != other.id.writer && told.at.zip(other.at).is_some_and(cut)
    };
    let is_again = |place: usize, event: &Event| {
        timed.iter().enumerate().any(|(other_place, other)| {
            other.id.writer.0 < 0
                && (&other.happening, other.protocol) == (&event.happening, event.protocol)
                && (is_cut_of(event, other)
                    || (other.at == event.at || other.at.is_none() || event.at.is_none())
                        && (rank(other), place) > (rank(event), other_place))
        })
    };
    let is_act = |told: &Event| {
        let is_same = |act: &Event| act.happening == told.happening && act.is_of_time(told.at);
        question_of(told).is_some() && events.iter().any(|act| act.id.writer.0 >= 0 && is_same(act))
    };
    let is_of_acts = |event: &Event| {
        let of_judgment = |one: &&Event| (one.id.writer, one.at) == (event.id.writer, event.at);
        events.iter().filter(of_judgment).any(is_act)
    };
    let is_told_again =
        |place: usize, event: &Event| is_again(place, event) || is_retold(events, event) || is_of_acts(event);
    let new = timed
        .iter()
        .enumerate()
        .filter(|(place, event)| event.id.writer.0 >= 0 || !is_told_again(*place, event));
    let new = new.map(|(_, event)| *event).collect();
    (totals, new)
}

/// Whether this is a part of an imported judgment that another file has as a whole, given with the last part and timed as all of
/// them together.
fn is_retold(events: &[Event], part: &Event) -> bool {
    let last_until =
        |at| events.iter().filter(|one| one.id.is_part() && one.at <= at).map(|one| one.at).max();
    let active_of = |whole: &Event| {
        let same = events.iter().filter(|one| one.id.writer == whole.id.writer && one.at == whole.at);
        same.map(|one| one.active).max().unwrap_or_default()
    };
    part.id.is_part()
        && events.iter().any(|whole| {
            let is_whole = whole.id.writer.0 < 0 && !whole.id.is_part();
            is_whole
                && (&whole.happening, whole.protocol) == (&part.happening, part.protocol)
                && whole.at >= part.at
                && last_until(whole.at) == Some(whole.at)
                && active_of(whole) >= part.active
        })
}

/// Turns an event under an earlier version into one under this protocol.
fn in_words_of_now(event: &Event, protocol: &Protocol, version: u32) -> Event {
    let mut now = Event { protocol: protocol.hash, ..event.clone() };
    if let Happening::Answer { question, answer } = &mut now.happening {
        *answer = protocol.answer_now(version, question, answer);
    }
    now
}

/// Folds as [`fold`], with the conditions of this version only.
pub fn fold_under(events: &[Event], protocol: &Protocol) -> Standing {
    fold(events, |version| (version == protocol.hash).then_some(protocol))
}

/// The events that were not taken back, in the order in which they count.
pub fn standing_events(events: &[Event]) -> Vec<&Event> {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| event.order());
    let gone = retracted(&ordered);
    ordered.retain(|event| !gone.contains(&event.id));
    ordered
}

/// The events that no longer count. A retraction can itself be retracted (redo), so later retractions are looked at first.
pub(super) fn retracted(ordered: &[&Event]) -> HashSet<EventId> {
    let mut gone = HashSet::new();
    for event in ordered.iter().rev() {
        if let Happening::Retract { event: target } = &event.happening
            && !gone.contains(&event.id)
        {
            gone.insert(*target);
        }
    }
    gone
}

/// The standing after some of the events.
#[derive(Default)]
struct StandingReplay {
    standing: Standing,
    /// The imported judgment that the answers come from, by its writer and first number; `None` once a person has answered.
    imported: Option<EventId>,
    /// The number of the earlier version that a step was made under, where it counts as made under a later one.
    earlier: Option<u32>,
}

impl StandingReplay {
    /// Takes the events of one time and writer. In an import, many judgments often share both.
    fn take(&mut self, step: &[&Event], protocol: Option<&Protocol>) {
        let is_import = step.first().is_some_and(|event| event.id.writer.0 < 0);
        let counts = !is_import && self.answer(step, protocol);
        for event in step {
            match &event.happening {
                Happening::Answer { .. } | Happening::Clear { .. } if is_import => {
                    self.import(event, protocol);
                }
                Happening::Answer { .. } if counts => self.standing.skipped = false,
                Happening::Skip(on) => self.standing.skipped = *on,
                Happening::Flag(on) => self.standing.flagged = *on,
                Happening::Comment(text) if event.id.is_part() => self.standing.add_comment(text),
                Happening::Comment(text) => self.standing.comment.clone_from(text),
                Happening::Anew => self.begin_anew(),
                Happening::Answer { .. }
                | Happening::Clear { .. }
                | Happening::Visit { .. }
                | Happening::Adjudicate(_)
                | Happening::Retract { .. }
                | Happening::Unknown { .. } => {}
            }
        }
    }

    fn begin_anew(&mut self) {
        let standing = &mut self.standing;
        standing.answers.clear();
        (standing.skipped, standing.at, standing.judged_under) = (false, None, None);
        standing.times_anew += 1;
        self.imported = None;
    }

    /// Takes a person's answers on a screen; returns whether any of them counts.
    fn answer(&mut self, step: &[&Event], protocol: Option<&Protocol>) -> bool {
        let Some(event) = step.iter().rev().find(|event| question_of(event).is_some()) else { return false };
        let standing = &mut self.standing;
        // One judgment is made under one version and on the same texts: an answer on others begins it anew.
        let is_anew = standing.judged_under.is_some_and(|under| under != (event.protocol, event.texts));
        let mut answers = if is_anew { Answers::new() } else { standing.answers.clone() };
        for event in step {
            match &event.happening {
                Happening::Answer { question, answer } => {
                    answers.insert(question.clone(), answer.clone());
                }
                Happening::Clear { question } => {
                    answers.remove(question);
                }
                _ => {}
            }
        }
        let left_over = protocol.map(|protocol| protocol.left_over(&answers)).unwrap_or_default();
        for question in &left_over {
            answers.remove(question);
        }
        let is_among = |is: &dyn Fn(&String) -> bool| {
            step.iter().any(|event| match &event.happening {
                Happening::Answer { question, .. } => is(question),
                _ => false,
            })
        };
        let counts = is_among(&|question| answers.contains_key(question));
        if !counts && (is_anew || is_among(&|question| left_over.contains(question))) {
            return false;
        }
        if counts {
            standing.at = event.at;
            standing.judged_under = Some((event.protocol, event.texts));
            standing.earlier_version = self.earlier;
        }
        standing.answers = answers;
        self.imported = None;
        counts
    }

    /// Takes an event of an imported judgment. Such a judgment counts as a whole, also where it breaks the protocol's rules, unless
    /// it is a part.
    fn import(&mut self, event: &Event, protocol: Option<&Protocol>) {
        let Some(question) = question_of(event) else { return };
        let place = |protocol: &Protocol| protocol.questions.iter().position(|asked| asked.key == question);
        let place = protocol.and_then(place).and_then(|place| i64::try_from(place).ok());
        // Every judgment of a file has numbers for all questions, in their order.
        let judgment = place.filter(|_| !event.id.is_part());
        let judgment = judgment.map(|place| EventId { seq: event.id.seq - place, ..event.id });
        let standing = &mut self.standing;
        let is_other_version =
            standing.judged_under.is_some_and(|under| under != (event.protocol, event.texts));
        match &event.happening {
            Happening::Answer { answer, .. } => {
                if is_other_version || (judgment.is_some() && self.imported != judgment) {
                    standing.answers.clear();
                }
                standing.answers.insert(question.to_owned(), answer.clone());
                standing.skipped = false;
                standing.at = event.at;
                standing.judged_under = Some((event.protocol, event.texts));
                standing.earlier_version = self.earlier;
                self.imported = judgment;
            }
            _ if is_other_version => {}
            _ => {
                standing.answers.remove(question);
            }
        }
    }
}

/// The question whose answer an event gives or takes away.
pub(crate) fn question_of(event: &Event) -> Option<&str> {
    match &event.happening {
        Happening::Answer { question, .. } | Happening::Clear { question } => Some(question),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
