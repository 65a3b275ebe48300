//! The events that a judgment becomes beside those that stand.

use super::{CheckedJudgment, NamedProtocol};
use crate::journal::{Event, EventId, Happening, Standing};
use crate::protocol::Protocol;
use crate::study::Judgment;
use crate::text::hash::Fingerprint;

/// The events of a judgment, without its active time.
pub(super) fn draft(
    under: &NamedProtocol,
    new: &Judgment,
    said: &CheckedJudgment,
    before: &Standing,
    texts: Fingerprint,
) -> Vec<Event> {
    let happenings = happenings(&under.protocol, new, said, before).into_iter();
    happenings
        .map(|(slot, happening)| Event {
            id: EventId { writer: under.writer, seq: under.next_seq + slot },
            happening,
            at: said.at,
            active: 0,
            protocol: under.protocol.hash,
            texts,
        })
        .collect()
}

/// Whether all that was answered later came in parts, beside which an earlier judgment counts.
pub(super) fn is_before_parts(events: &[Event], said: &CheckedJudgment) -> bool {
    let is_answer = |event: &&Event| matches!(event.happening, Happening::Answer { .. });
    let mut later = events.iter().filter(is_answer).filter(|event| event.at > said.at).peekable();
    later.peek().is_some() && later.all(|event| event.id.is_part())
}

/// Keeps a judgment apart from a later one. Where a later one stands, its answers stay, and only answers to
/// questions that it answers too are put on record. Events that change nothing are put on record once beside those that stay: so
/// a line that only repeats the standing is known when its file comes in again.
pub(super) fn keep_apart(
    drafted: &mut Vec<Event>,
    (stays, before): (&[&Event], &Standing),
    with: impl Fn(&[Event]) -> Standing,
    new: &Judgment,
    said: &CheckedJudgment,
) {
    if !said.is_beside && !said.answers.is_empty() && with(drafted).answers != said.answers {
        drafted.retain(|event| match event.happening {
            Happening::Answer { .. } => with(std::slice::from_ref(event)).answers == before.answers,
            Happening::Clear { .. } => false,
            _ => true,
        });
    }
    if with(drafted).says_the_same(before) {
        let is_under =
            |event: &Event, other: &Event| new.version.is_none() || event.protocol == other.protocol;
        let said_before = |event: &Event| {
            let is_it = |other: &Event| {
                let is_then = event.at.is_none() || event.at == other.at;
                other.happening == event.happening && other.texts == event.texts && is_then
            };
            stays.iter().any(|other| is_it(other) && is_under(event, other))
        };
        drafted.retain(|event| !said_before(event));
    }
}

/// The happenings of a judgment, each with its place among the judgment's numbers.
///
/// A question that a whole judgment leaves unanswered is cleared where it had an answer; a comment,
/// flag or skip that it does not mention stays as it is.
fn happenings(
    protocol: &Protocol,
    new: &Judgment,
    said: &CheckedJudgment,
    before: &Standing,
) -> Vec<(i64, Happening)> {
    let mut found = Vec::with_capacity(2);
    let mut slot = 0;
    for question in &protocol.questions {
        let key = || question.key.clone();
        if let Some(answer) = said.answers.get(&question.key) {
            found.push((slot, Happening::Answer { question: key(), answer: answer.clone() }));
        } else if !new.is_part && !said.answers.is_empty() && before.answers.contains_key(&question.key) {
            found.push((slot, Happening::Clear { question: key() }));
        }
        slot += 1;
    }
    let comment = new.comment.as_ref().filter(|comment| !comment.is_empty());
    if let Some(comment) = comment {
        found.push((slot, Happening::Comment(comment.clone())));
    }
    if new.flagged {
        found.push((slot + 1, Happening::Flag(true)));
    }
    if new.skipped {
        found.push((slot + 2, Happening::Skip(true)));
    }
    found
}
