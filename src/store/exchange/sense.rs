//! The limits of rows of a journal. Rows come from strangers too, and one that no program writes could stop
//! every reader: so each row is checked where it comes in.

use serde::Deserialize;
use serde_json::Value;

use crate::journal::Happening;
use crate::journal::session::{SessionHappening, Setup};
use crate::protocol::{Answer, Protocol};
use crate::store::work::assignments;
use crate::study::Terms;

/// The most bytes of an event, on the hub as well.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// The longest name of a person, a view or a kind of event, in bytes.
pub(super) const LONGEST_NAME: usize = 1_000;

/// Whether a time lies in a year with at most four digits, in milliseconds since 1970.
pub(in crate::store) fn is_time(at: i64) -> bool {
    at.unsigned_abs() < 253_402_300_800_000
}

/// Whether somebody can have worked so many milliseconds: at most 34 years, so that no sum overflows.
pub(in crate::store) fn is_work(active: i64) -> bool {
    (0..1 << 40).contains(&active)
}

/// The most milliseconds of work that one event of a judgment can have: a day.
pub(in crate::store) const LONGEST_WORK: i64 = 86_400_000;

/// Whether the body of an event fits its kind, in the journal of this letter. Unknown kinds, of newer programs, pass, but for those
/// that are a known one with another byte.
pub(super) fn makes_sense(letter: u8, kind: &str, said: Value) -> bool {
    match letter {
        b'e' => happened(kind, &Happening::read(kind, said)),
        b's' => {
            let is_unknown = matches!(SessionHappening::read(kind, said), SessionHappening::Unknown { .. });
            !is_unknown || is_strange(kind, &SessionHappening::KINDS)
        }
        b'a' => kind != assignments::GIVEN || Terms::deserialize(said).is_ok(),
        _ => true,
    }
}

/// Whether a happening was read as its kind, and its time is in range.
pub(super) fn happened(kind: &str, happening: &Happening) -> bool {
    match happening {
        Happening::Unknown { .. } => is_strange(kind, &Happening::KINDS),
        Happening::Adjudicate(verdict) => (0..=LONGEST_WORK).contains(&verdict.active),
        _ => true,
    }
}

/// Whether a kind is none of these, and none with a flipped byte.
fn is_strange(kind: &str, known: &[&'static str]) -> bool {
    !known.contains(&kind) && one_byte_from(kind, known.iter().copied()).is_none()
}

/// The known word that differs from this one in one byte.
pub(in crate::store) fn one_byte_from<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let differences =
        |known: &str| known.bytes().zip(word.bytes()).filter(|(one, other)| one != other).count();
    known.into_iter().find(|known| known.len() == word.len() && differences(known) == 1)
}

/// Whether a happening gives only answers that this version of a protocol knows. The number of bullets is not checked.
pub(super) fn is_known(protocol: &Protocol, happening: &Happening) -> bool {
    let is_one = |question: &str, answer: &Answer| {
        let question = protocol.question(question);
        question.is_some_and(|question| question.violation(answer, usize::MAX).is_none())
    };
    match happening {
        Happening::Answer { question, answer } => is_one(question, answer),
        Happening::Adjudicate(verdict) => {
            verdict.answers.iter().all(|(question, answer)| is_one(question, answer))
        }
        _ => true,
    }
}

/// Whether a session's setup can be read, and its limit is in range.
pub(super) fn is_setup(setup: &str) -> bool {
    Setup::from_json(setup).is_ok_and(|setup| is_work(setup.limit))
}
