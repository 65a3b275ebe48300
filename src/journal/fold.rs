//! What is current: the fold over the events of one annotator on one item.

use std::collections::HashSet;

use super::{Event, EventId, Happening};
use crate::protocol::{Answers, Protocol};
use crate::text::hash::Fingerprint;

/// Where one annotator stands on one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    pub answers: Answers,
    pub skipped: bool,
    pub flagged: bool,
    /// Empty: none.
    pub comment: String,
    /// Active milliseconds spent on the item by all events together, undone ones included.
    pub active: i64,
    /// Wall time of the latest answer that counts, in milliseconds since 1970.
    pub at: Option<i64>,
    /// Protocol version and texts under which the latest answer was given.
    pub judged_under: Option<(Fingerprint, Fingerprint)>,
}

/// The one word for where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// No complete answer yet.
    Open,
    /// Every required question is answered.
    Judged,
    /// Put aside by the annotator, and not judged.
    Skipped,
}

impl Standing {
    /// Judged when complete under this version of the protocol, even if skipped before; skipped when
    /// put aside; else open.
    pub fn state(&self, protocol: &Protocol) -> State {
        if protocol.is_complete(self.answers_under(protocol.hash)) {
            State::Judged
        } else if self.skipped {
            State::Skipped
        } else {
            State::Open
        }
    }

    /// The answers, if they were given under this version of the protocol; none otherwise.
    pub fn answers_under(&self, protocol: Fingerprint) -> &Answers {
        static NONE: Answers = Answers::new();
        match self.judged_under {
            Some((under, _)) if under != protocol => &NONE,
            _ => &self.answers,
        }
    }

    /// Whether the answers were given on other texts or under another version of the protocol.
    pub fn is_stale(&self, protocol: Fingerprint, texts: Fingerprint) -> bool {
        self.judged_under.is_some_and(|under| under != (protocol, texts))
    }
}

/// Folds all events of one annotator on one item. The order of `events` does not matter.
pub fn fold(events: &[Event]) -> Standing {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| event.order());
    let retracted: HashSet<EventId> = retracted(&ordered);
    let mut standing = Standing::default();
    for event in ordered {
        standing.active += event.active;
        if !retracted.contains(&event.id) {
            standing.apply(event);
        }
    }
    standing
}

/// The events that were not taken back, in the order in which they count.
pub fn standing_events(events: &[Event]) -> Vec<&Event> {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| event.order());
    let gone = retracted(&ordered);
    ordered.retain(|event| !gone.contains(&event.id));
    ordered
}

/// The events that no longer count. A retraction can itself be retracted (redo), so the later
/// ones are looked at first.
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

impl Standing {
    fn apply(&mut self, event: &Event) {
        match &event.happening {
            Happening::Answer { question, answer } => {
                // One judgment is made under one version: an answer under another begins it anew.
                if self.judged_under.is_some_and(|(under, _)| under != event.protocol) {
                    self.answers.clear();
                }
                self.answers.insert(question.clone(), answer.clone());
                self.skipped = false;
                self.at = event.at;
                self.judged_under = Some((event.protocol, event.texts));
            }
            Happening::Clear { question } => {
                self.answers.remove(question);
            }
            Happening::Skip(on) => self.skipped = *on,
            Happening::Flag(on) => self.flagged = *on,
            Happening::Comment(text) => self.comment.clone_from(text),
            Happening::Visit { .. }
            | Happening::Adjudicate(_)
            | Happening::Retract { .. }
            | Happening::Unknown { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Writer;
    use crate::protocol::{Answer, builtin};
    use crate::text::hash::fingerprint;

    fn event(seq: i64, at: i64, happening: Happening) -> Event {
        Event {
            id: EventId { writer: Writer(1), seq },
            happening,
            at: Some(at),
            active: 1_000,
            protocol: fingerprint(&["p"]),
            texts: fingerprint(&["t"]),
        }
    }

    fn choose(value: &str) -> Happening {
        Happening::Answer { question: "coverage".into(), answer: Answer::Text(value.into()) }
    }

    fn retract(seq: i64) -> Happening {
        Happening::Retract { event: EventId { writer: Writer(1), seq } }
    }

    #[test]
    fn the_latest_answer_counts_whatever_the_order_of_arrival() {
        let mut events = vec![event(1, 10, choose("full")), event(2, 20, choose("none"))];
        let expected = fold(&events);
        assert_eq!(expected.answers["coverage"], Answer::Text("none".into()));
        assert_eq!(expected.active, 2_000);
        events.reverse();
        assert_eq!(fold(&events), expected);
    }

    #[test]
    fn undo_brings_the_answer_before_back_and_redo_the_one_after() {
        let mut events =
            vec![event(1, 10, choose("full")), event(2, 20, choose("none")), event(3, 30, retract(2))];
        assert_eq!(fold(&events).answers["coverage"], Answer::Text("full".into()));
        events.push(event(4, 40, retract(3)));
        assert_eq!(fold(&events).answers["coverage"], Answer::Text("none".into()));
        events.push(event(5, 50, retract(4)));
        assert_eq!(fold(&events).answers["coverage"], Answer::Text("full".into()));
    }

    #[test]
    fn answering_takes_an_item_out_of_the_skipped_ones() {
        let protocol = builtin("coverage").expect("built in");
        let event = |seq, at, happening| Event { protocol: protocol.hash, ..event(seq, at, happening) };
        let mut events = vec![event(1, 10, Happening::Skip(true))];
        assert_eq!(fold(&events).state(protocol), State::Skipped);
        events.push(event(2, 20, choose("full")));
        assert_eq!(fold(&events).state(protocol), State::Open, "the bullet is missing");
        let link = Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(2) };
        events.push(event(3, 30, link));
        assert_eq!(fold(&events).state(protocol), State::Judged);
    }

    #[test]
    fn an_answer_under_another_version_begins_the_judgment_anew() {
        let protocol = builtin("coverage").expect("built in");
        let link = Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(2) };
        let mut events = vec![event(1, 10, choose("full")), event(2, 20, link)];
        assert_eq!(fold(&events).answers.len(), 2);
        assert_eq!(fold(&events).state(protocol), State::Open, "judged under another version");
        assert!(fold(&events).answers_under(protocol.hash).is_empty());
        events.push(Event { protocol: protocol.hash, ..event(3, 30, choose("none")) });
        let standing = fold(&events);
        assert_eq!(standing.answers, [("coverage".to_owned(), Answer::Text("none".into()))].into());
        assert_eq!(standing.state(protocol), State::Judged);
        events.push(event(4, 40, retract(3)));
        assert_eq!(fold(&events).answers.len(), 2, "undone, the judgment under the older version stands");
    }

    #[test]
    fn a_change_of_texts_or_protocol_is_stale() {
        let standing = fold(&[event(1, 10, choose("none"))]);
        let (protocol, texts) = (fingerprint(&["p"]), fingerprint(&["t"]));
        assert!(!standing.is_stale(protocol, texts));
        assert!(standing.is_stale(fingerprint(&["q"]), texts));
        assert!(standing.is_stale(protocol, fingerprint(&["u"])));
        assert!(!Standing::default().is_stale(protocol, texts));
    }
}
