//! Events: the acts of an annotator on an item.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use super::Verdict;
use crate::protocol::Answer;
use crate::text::hash::Fingerprint;

/// One opening of a study file for writing, or one imported file. Random, so that a copied
/// study never gives two journals the same number; derived from the content for imports, so
/// that importing the same file into two studies gives equal events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer(pub i64);

impl Writer {
    /// The writer derived from a fingerprint, below 0 and the same in every file.
    pub fn derived(from: Fingerprint) -> Writer {
        let [a, b, c, d, e, f, g, h, ..] = from.0;
        Writer(i64::from_be_bytes([a, b, c, d, e, f, g, h]) | i64::MIN)
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl FromStr for Writer {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Writer, Self::Err> {
        u64::from_str_radix(text, 16).map(|bits| Writer(bits.cast_signed()))
    }
}

/// The name of an event, the same in every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    pub writer: Writer,
    /// Counts up from 1 within a writer; imported judgments with a total time count up from [`TOTALS`], parts of judgments from
    /// [`PARTS`].
    pub seq: i64,
}

/// The first number of events that are parts of an imported judgment: answers to some questions, beside which those to others stay.
pub const PARTS: i64 = 1 << 38;

/// The first number of events of an imported judgment whose time is that of all judgments of the item until then.
pub const TOTALS: i64 = 1 << 37;

impl EventId {
    /// Whether the event is of an imported judgment whose time is that of several judgments together.
    pub fn is_total(self) -> bool {
        self.writer.0 < 0 && (TOTALS..PARTS).contains(&self.seq)
    }

    /// Whether the event is part of an imported judgment, and not of one that counts as a whole.
    pub fn is_part(self) -> bool {
        self.writer.0 < 0 && self.seq >= PARTS
    }
}

/// An event: who did what to which item, when, under which protocol and on which texts.
///
/// Annotator and item are those of the journal that the event is read from; the fold needs neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub happening: Happening,
    /// Wall time in milliseconds since 1970; `None` for an import that does not say.
    pub at: Option<i64>,
    /// Active milliseconds on this item since the annotator's event before it.
    pub active: i64,
    /// The version of the protocol.
    pub protocol: Fingerprint,
    /// The texts that were judged.
    pub texts: Fingerprint,
}

impl Event {
    /// The order in which events count: later wall time wins, ties break by writer and number.
    /// Within one writer the store keeps wall times from running backwards.
    pub fn order(&self) -> (Option<i64>, EventId) {
        (self.at, self.id)
    }

    /// Whether a time that a file tells, if it tells any, is that of this event: as it is, or of what was done here cut to the second
    /// or the minute.
    pub fn is_of_time(&self, told: Option<i64>) -> bool {
        let (Some(told), Some(at)) = (told, self.at) else { return told.is_none() };
        told == at || self.id.writer.0 >= 0 && is_cut(told, at)
    }
}

/// Whether a time is another one, cut to the second or the minute.
pub(super) fn is_cut(told: i64, at: i64) -> bool {
    [1_000, 60_000].iter().any(|unit| told == at.div_euclid(*unit) * unit)
}

/// The kind of [`Happening::Adjudicate`] in the study file.
pub const ADJUDICATE: &str = "adjudicate";

/// An act of the annotator on the item.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A question was answered, or answered anew.
    Answer { question: String, answer: Answer },
    /// An answer was taken away because its question is no longer asked.
    Clear { question: String },
    /// The item was put aside, or taken back.
    Skip(bool),
    /// The item was marked for a second look, or unmarked.
    Flag(bool),
    /// The item has this comment from now on; empty means none.
    Comment(String),
    /// The item was on the screen for a while: which documents were opened, and whether the
    /// annotator looked beyond the highlighted evidence; which bullet was marked as the most similar one, if that was
    /// asked for; by which field the item had its place, if the order was not drawn.
    Visit { documents: Vec<u32>, beyond_evidence: bool, hint: Option<u32>, sorted_by: Option<String> },
    /// The annotator settled what others disagree on. Says nothing about the annotator's own judgment.
    Adjudicate(Box<Verdict>),
    /// The item is to be judged anew, as calibration that was not passed: earlier answers no longer count.
    Anew,
    /// An earlier event no longer counts.
    Retract { event: EventId },
    /// A happening written by a newer program; kept and ignored.
    Unknown { kind: String, body: Value },
}

impl Happening {
    /// The kinds that this program writes.
    pub const KINDS: [&str; 9] =
        ["answer", "clear", "skip", "flag", "comment", "visit", ADJUDICATE, "anew", "retract"];

    /// The kind's name in the study file.
    pub fn kind(&self) -> &str {
        match self {
            Happening::Answer { .. } => "answer",
            Happening::Clear { .. } => "clear",
            Happening::Skip(_) => "skip",
            Happening::Flag(_) => "flag",
            Happening::Comment(_) => "comment",
            Happening::Visit { .. } => "visit",
            Happening::Adjudicate(_) => ADJUDICATE,
            Happening::Anew => "anew",
            Happening::Retract { .. } => "retract",
            Happening::Unknown { kind, .. } => kind,
        }
    }

    /// The happening without its kind, in the study file's form.
    pub fn body(&self) -> Value {
        match self {
            Happening::Answer { question, answer } => {
                json!({"question": question, "answer": answer.to_json()})
            }
            Happening::Clear { question } => json!({ "question": question }),
            Happening::Skip(on) | Happening::Flag(on) => json!(on),
            Happening::Comment(text) => json!(text),
            Happening::Visit { documents, beyond_evidence, hint, sorted_by } => {
                let mut body = json!({"documents": documents, "beyond_evidence": beyond_evidence});
                if let Some(body) = body.as_object_mut() {
                    body.extend(hint.map(|bullet| ("hint".to_owned(), json!(bullet))));
                    body.extend(sorted_by.as_ref().map(|by| ("sorted_by".to_owned(), json!(by))));
                }
                body
            }
            Happening::Adjudicate(verdict) => verdict.body(),
            Happening::Anew => json!({}),
            Happening::Retract { event } => {
                json!({"writer": event.writer.to_string(), "seq": event.seq})
            }
            Happening::Unknown { body, .. } => body.clone(),
        }
    }

    /// Reads kind and body back; a happening that this program does not understand becomes [`Happening::Unknown`].
    pub fn read(kind: &str, body: Value) -> Happening {
        Happening::understand(kind, &body)
            .unwrap_or_else(|| Happening::Unknown { kind: kind.to_owned(), body })
    }

    fn understand(kind: &str, body: &Value) -> Option<Happening> {
        let question = || body.get("question")?.as_str().map(str::to_owned);
        Some(match kind {
            "answer" => {
                Happening::Answer { question: question()?, answer: Answer::from_json(body.get("answer")?)? }
            }
            "clear" => Happening::Clear { question: question()? },
            "skip" => Happening::Skip(body.as_bool()?),
            "flag" => Happening::Flag(body.as_bool()?),
            "comment" => Happening::Comment(body.as_str()?.to_owned()),
            "visit" => Happening::Visit {
                documents: serde_json::from_value(body.get("documents")?.clone()).ok()?,
                beyond_evidence: body.get("beyond_evidence")?.as_bool()?,
                hint: body.get("hint").and_then(|hint| u32::try_from(hint.as_u64()?).ok()),
                sorted_by: body.get("sorted_by").and_then(|by| by.as_str()).map(str::to_owned),
            },
            ADJUDICATE => Happening::Adjudicate(Box::new(Verdict::read(body)?)),
            "anew" => Happening::Anew,
            "retract" => Happening::Retract {
                event: EventId {
                    writer: body.get("writer")?.as_str()?.parse().ok()?,
                    seq: body.get("seq")?.as_i64()?,
                },
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_goes_through_the_file_form() {
        let event = EventId { writer: Writer(-3), seq: 7 };
        for happening in [
            Happening::Answer { question: "coverage".into(), answer: Answer::Text("full".into()) },
            Happening::Answer { question: "bullet".into(), answer: Answer::Nothing },
            Happening::Clear { question: "bullet".into() },
            Happening::Skip(true),
            Happening::Flag(false),
            Happening::Comment("第三条\n看不懂".into()),
            Happening::Visit { documents: vec![8, 32], beyond_evidence: true, hint: None, sorted_by: None },
            Happening::Visit {
                documents: vec![],
                beyond_evidence: false,
                hint: Some(3),
                sorted_by: Some("-seconds".into()),
            },
            Happening::Adjudicate(Box::default()),
            Happening::Anew,
            Happening::Retract { event },
        ] {
            let read = Happening::read(happening.kind(), happening.body());
            assert_eq!(read, happening);
            assert!(Happening::KINDS.contains(&happening.kind()), "{}", happening.kind());
        }
    }

    #[test]
    fn a_newer_kind_is_kept() {
        let body = json!({"x": 1});
        let read = Happening::read("sing", body.clone());
        assert_eq!((read.kind(), read.body()), ("sing", body));
        assert!(matches!(read, Happening::Unknown { .. }));
    }

    #[test]
    fn writers_print_and_parse() {
        for writer in [Writer(0), Writer(-1), Writer(i64::MIN), Writer(i64::MAX)] {
            assert_eq!(writer.to_string().parse(), Ok(writer));
        }
    }
}
