//! Adjudication: the verdicts on an item that people disagree on, and which of them is final.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use super::fold::retracted;
use super::{Event, EventId, Happening};
use crate::error::Error;
use crate::protocol::{Answer, Answers, Protocol};
use crate::study::AnnotatorId;
use crate::text::hash::Fingerprint;

/// An adjudicator's verdict on an item: the whole of it each time, so that the latest verdict is enough.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The final answers; none while nothing is decided.
    pub answers: Answers,
    /// Key of the annotator whose answers were taken as they are; `None` where they were given anew.
    pub took: Option<String>,
    /// Why people disagreed.
    pub reason: Option<Reason>,
    /// A remark; empty means none.
    pub note: String,
    /// Whether the guideline shows the item as an example.
    pub is_example: bool,
    /// Whether the item was put aside undecided.
    pub is_put_aside: bool,
    /// Active milliseconds that the verdict took. They are no time of a judgment, so they stand here and not in
    /// [`Event::active`].
    pub active: i64,
}

named! {
    /// Why people disagreed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Reason {
        /// A wrong key, a moment of inattention.
        Slip = "slip",
        /// The guideline does not cover the case, or covers it in two ways.
        GuidelineUnclear = "guideline unclear",
        /// The texts allow both answers.
        AmbiguousItem = "ambiguous item",
        /// Somebody overlooked the decisive evidence.
        EvidenceOverlooked = "evidence overlooked",
        Other = "other",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Reason {
    type Err = Error;

    fn from_str(name: &str) -> Result<Reason, Error> {
        Reason::named(name).ok_or_else(|| {
            let known = Reason::ALL.map(Reason::name).join(", ");
            Error::new(format!("{name:?} is no reason for a disagreement"))
                .advise(format!("use one of: {known}"))
        })
    }
}

impl Verdict {
    /// The form in the study file. Empty parts are left out.
    pub(super) fn body(&self) -> Value {
        let answers = self.answers.iter().map(|(question, answer)| (question.clone(), answer.to_json()));
        let mut body = Map::new();
        body.insert("answers".to_owned(), Value::Object(answers.collect()));
        let texts = [
            ("took", self.took.as_deref()),
            ("reason", self.reason.map(Reason::name)),
            ("note", Some(self.note.as_str()).filter(|note| !note.is_empty())),
        ];
        for (name, text) in texts {
            body.extend(text.map(|text| (name.to_owned(), Value::from(text))));
        }
        for (name, is_so) in [("example", self.is_example), ("put_aside", self.is_put_aside)] {
            body.extend(is_so.then(|| (name.to_owned(), Value::from(true))));
        }
        if self.active != 0 {
            body.insert("active".to_owned(), Value::from(self.active));
        }
        Value::Object(body)
    }

    /// Reads the form of [`Verdict::body`]; `None` where the body is not one.
    pub(super) fn read(body: &Value) -> Option<Verdict> {
        let mut answers = Answers::new();
        for (question, answer) in body.get("answers")?.as_object()? {
            answers.insert(question.clone(), Answer::from_json(answer)?);
        }
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let is_so = |name: &str| body.get(name).and_then(Value::as_bool).unwrap_or(false);
        Some(Verdict {
            answers,
            took: text("took").map(str::to_owned),
            // A reason that a newer program knows is still a reason.
            reason: text("reason").map(|name| name.parse().unwrap_or(Reason::Other)),
            note: text("note").unwrap_or_default().to_owned(),
            is_example: is_so("example"),
            is_put_aside: is_so("put_aside"),
            active: body.get("active").and_then(Value::as_i64).unwrap_or(0),
        })
    }
}

/// The verdict that counts, with adjudicator, time, protocol version and texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    pub by: AnnotatorId,
    pub event: EventId,
    /// Wall time in milliseconds since 1970; `None` for an import that does not say.
    pub at: Option<i64>,
    /// The version of the protocol.
    pub protocol: Fingerprint,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
}

impl Decision {
    /// The final answers, where they are complete under this version of the protocol.
    pub fn answers(&self, protocol: &Protocol) -> Option<&Answers> {
        let answers = &self.verdict.answers;
        (self.protocol == protocol.hash && protocol.is_complete(answers)).then_some(answers)
    }
}

/// The verdicts on an item that were not taken back, the latest last. `events` are everyone's events on the item, in any
/// order.
pub fn standing_verdicts(events: &[(AnnotatorId, Event)]) -> Vec<&(AnnotatorId, Event)> {
    let mut ordered: Vec<&(AnnotatorId, Event)> = events.iter().collect();
    ordered.sort_by_key(|(_, event)| event.order());
    let in_order: Vec<&Event> = ordered.iter().map(|(_, event)| event).collect();
    let gone = retracted(&in_order);
    ordered.retain(|(_, event)| {
        matches!(event.happening, Happening::Adjudicate(_)) && !gone.contains(&event.id)
    });
    ordered
}

/// The final decision about an item: the latest verdict that was not taken back. The order of `events` does
/// not matter.
pub fn settle(events: &[(AnnotatorId, Event)]) -> Option<Decision> {
    let (by, event) = standing_verdicts(events).pop()?;
    let Happening::Adjudicate(verdict) = &event.happening else { return None };
    Some(Decision {
        verdict: (**verdict).clone(),
        by: *by,
        event: event.id,
        at: event.at,
        protocol: event.protocol,
        texts: event.texts,
    })
}

/// The events of one annotator on one item that are about judging: all but verdicts and their retractions.
pub fn judging(events: &[Event]) -> impl Iterator<Item = &Event> {
    let others = about_verdicts(events);
    events.iter().filter(move |event| !others.contains(&event.id))
}

/// Verdicts, retractions of these, retractions of those retractions, and so on.
fn about_verdicts(events: &[Event]) -> HashSet<EventId> {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| event.order());
    let mut found = HashSet::new();
    for event in ordered {
        let is_one = match &event.happening {
            Happening::Adjudicate(_) => true,
            Happening::Retract { event } => found.contains(event),
            _ => false,
        };
        if is_one {
            found.insert(event.id);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Writer, fold};
    use crate::text::hash::fingerprint;
    use proptest::prelude::*;

    const ANN: AnnotatorId = AnnotatorId(1);
    const BEN: AnnotatorId = AnnotatorId(2);

    fn event(writer: i64, seq: i64, at: i64, happening: Happening) -> Event {
        Event {
            id: EventId { writer: Writer(writer), seq },
            happening,
            at: Some(at),
            active: 0,
            protocol: fingerprint(&["p"]),
            texts: fingerprint(&["t"]),
        }
    }

    fn says(value: &str) -> Happening {
        let answers = [("coverage".to_owned(), Answer::Text(value.into()))].into();
        Happening::Adjudicate(Box::new(Verdict { answers, ..Verdict::default() }))
    }

    fn retract(writer: i64, seq: i64) -> Happening {
        Happening::Retract { event: EventId { writer: Writer(writer), seq } }
    }

    fn settled(events: &[(AnnotatorId, Event)]) -> Option<(AnnotatorId, String)> {
        let decision = settle(events)?;
        Some((decision.by, decision.verdict.answers["coverage"].as_text()?.to_owned()))
    }

    #[test]
    fn the_latest_adjudicator_wins_and_undo_brings_the_one_before_back() {
        let mut events = vec![(ANN, event(1, 1, 10, says("full"))), (BEN, event(2, 1, 20, says("none")))];
        assert_eq!(settled(&events), Some((BEN, "none".into())));
        events.push((BEN, event(2, 2, 30, retract(2, 1))));
        assert_eq!(settled(&events), Some((ANN, "full".into())));
        events.push((ANN, event(1, 2, 40, retract(1, 1))));
        assert_eq!(settled(&events), None);
        events.push((ANN, event(1, 3, 50, retract(1, 2))));
        assert_eq!(settled(&events), Some((ANN, "full".into())), "done again");
        assert_eq!(settled(&[]), None);
    }

    #[test]
    fn ties_break_by_writer_and_number() {
        let events = [(BEN, event(2, 1, 10, says("none"))), (ANN, event(1, 9, 10, says("full")))];
        assert_eq!(settled(&events), Some((BEN, "none".into())), "writer 2 is the later one");
    }

    #[test]
    fn a_verdict_is_no_judgment() {
        let events = [event(1, 1, 10, says("full")), event(1, 2, 20, retract(1, 1))];
        assert_eq!(fold(&events, |_| None), crate::journal::Standing::default());
        assert_eq!(judging(&events).count(), 0);
        let mut judged = events.to_vec();
        judged.push(event(1, 3, 30, Happening::Flag(true)));
        assert_eq!(judging(&judged).map(|event| event.id.seq).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_decision_counts_when_complete_under_its_version() {
        let protocol = crate::protocol::builtin("coverage").expect("built in");
        let mut decision = settle(&[(ANN, event(1, 1, 10, says("full")))]).expect("decided");
        assert_eq!(decision.answers(protocol), None, "another version");
        decision.protocol = protocol.hash;
        assert_eq!(decision.answers(protocol), None, "covered, and no bullet");
        decision.verdict.answers.insert("bullet".into(), Answer::Bullet(2));
        assert!(decision.answers(protocol).is_some());
    }

    #[test]
    fn bodies_are_short_and_read_back() {
        let verdict = Verdict {
            answers: [("coverage".to_owned(), Answer::Text("none".into()))].into(),
            took: Some("bob".into()),
            reason: Some(Reason::EvidenceOverlooked),
            note: "第三条".into(),
            is_example: true,
            is_put_aside: false,
            active: 1_500,
        };
        assert_eq!(Verdict::read(&verdict.body()).as_ref(), Some(&verdict));
        assert_eq!(Verdict::default().body().to_string(), r#"{"answers":{}}"#);
        let newer: Value =
            serde_json::from_str(r#"{"answers":{},"reason":"the moon","mood":1}"#).expect("JSON");
        assert_eq!(Verdict::read(&newer).and_then(|verdict| verdict.reason), Some(Reason::Other));
        assert_eq!(Verdict::read(&Value::from("x")), None);
    }

    proptest! {
        /// Two adjudicators decide and take back at random; whatever the order of arrival, one decision.
        #[test]
        fn the_order_of_arrival_does_not_matter(
            steps in prop::collection::vec((0..2_i64, 0..4_usize, any::<prop::sample::Index>()), 1..12),
            seed in any::<prop::sample::Index>(),
        ) {
            let mut events: Vec<(AnnotatorId, Event)> = Vec::new();
            for ((who, what, which), at) in steps.iter().zip(1..) {
                let happening = match (what, events.is_empty()) {
                    (0, false) => {
                        let (_, earlier) = &events[which.index(events.len())];
                        Happening::Retract { event: earlier.id }
                    }
                    _ => says(["full", "partial", "none", "full"][*what]),
                };
                events.push((AnnotatorId(who + 1), event(who + 1, at, at, happening)));
            }
            let expected = settle(&events);
            let middle = seed.index(events.len());
            events.rotate_left(middle);
            prop_assert_eq!(&settle(&events), &expected);
            events.reverse();
            prop_assert_eq!(&settle(&events), &expected);
            // An event that comes twice counts once.
            let twice = [events.clone(), events].concat();
            prop_assert_eq!(&settle(&twice), &expected);
        }
    }
}
