//! Records that a reader of an outside format hands on, with their places, and remarks.

use std::fmt;
use std::rc::Rc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::record::answered_once;
use super::{AnnotatorKind, Item, ItemKey, Judgment, ProtocolText, Record, RecordKind, RunMark};

/// The place of a record in its source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line, counted from 1.
    Line(u64),
    /// A place inside a JSON value, such as `[7].annotation[2]`.
    Path(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(formatter, "line {line}"),
            Place::Path(path) => formatter.write_str(path),
        }
    }
}

impl crate::error::Error {
    /// Names the place.
    #[must_use]
    pub fn at(self, place: &Place) -> Self {
        match place {
            Place::Line(line) => self.at_line(*line),
            Place::Path(path) => self.at_path(path.clone()),
        }
    }
}

/// Something about the source that a person should know: a row that breaks a rule and was kept
/// as it is, or one that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub place: Place,
    pub what: String,
    /// Whether the row was left out (`--skip-bad`) rather than kept.
    pub left_out: bool,
}

/// An item that a study has judged outside, as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedItem {
    /// The version of the protocol that it was asked under.
    pub protocol: Rc<ProtocolText>,
    /// The item; `id` is 0, as an item that is only asked outside has no row of its own.
    pub item: Item,
}

/// A judgment as it stands in a line of a file, for the many judgments that hold nothing but answers. A text with an escape is no borrowed text.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgmentLine<'l> {
    /// The kind of the record.
    #[serde(rename = "type")]
    pub kind: &'l str,
    pub protocol: &'l str,
    pub version: Option<u32>,
    pub annotator: &'l str,
    pub collection: Option<&'l str>,
    pub query: Option<&'l str>,
    pub document: Option<&'l str>,
    pub unit: Option<&'l str>,
    pub candidate: Option<&'l str>,
    pub bullet: Option<u32>,
    pub other: Option<&'l str>,
    /// The answers as JSON, from one brace to the other.
    #[serde(deserialize_with = "object")]
    pub answers: &'l str,
    pub seconds: Option<f64>,
    pub at: Option<&'l str>,
    /// Whether the judgment is complete; imports find it anew.
    pub complete: Option<bool>,
}

fn object<'de, D: Deserializer<'de>>(answers: D) -> Result<&'de str, D::Error> {
    let answers = <&RawValue>::deserialize(answers)?.get();
    answers.starts_with('{').then_some(answers).ok_or_else(|| D::Error::custom("no object"))
}

impl<'l> JudgmentLine<'l> {
    /// The line of a judgment with these answers; `None` where the judgment holds more than answers.
    pub fn of(judgment: &'l Judgment, answers: &'l str) -> Option<JudgmentLine<'l>> {
        let Judgment { comment, flagged, skipped, aside, is_part, total, .. } = judgment;
        let says_more = comment.is_some() || *flagged || *skipped || aside.is_some() || *is_part || *total;
        (!says_more).then(|| JudgmentLine {
            kind: RecordKind::Judgment.name(),
            complete: None,
            protocol: &judgment.protocol,
            version: judgment.version,
            annotator: &judgment.annotator,
            collection: judgment.collection.as_deref(),
            query: judgment.query.as_deref(),
            document: judgment.document.as_deref(),
            unit: judgment.unit.as_deref(),
            candidate: judgment.candidate.as_deref(),
            bullet: judgment.bullet,
            other: judgment.other.as_deref(),
            answers,
            seconds: judgment.seconds,
            at: judgment.at.as_deref(),
        })
    }

    /// The judgment as a record; `None` where the answers are no object.
    pub fn record(&self) -> Option<Judgment> {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Some(Judgment {
            protocol: self.protocol.to_owned(),
            version: self.version,
            annotator: self.annotator.to_owned(),
            collection: own(self.collection),
            query: own(self.query),
            document: own(self.document),
            unit: own(self.unit),
            candidate: own(self.candidate),
            bullet: self.bullet,
            other: own(self.other),
            answers: answered_once(&mut serde_json::Deserializer::from_str(self.answers)).ok()?,
            seconds: self.seconds,
            at: own(self.at),
            ..Judgment::default()
        })
    }
}

/// Takes records one by one while a source is read, and decides whether to go on.
pub trait Sink {
    /// Takes a record that stood at `place`.
    fn take(&mut self, place: Place, record: Record) -> crate::error::Result<()>;

    /// Takes a judgment that stands in this line, if it can be taken as it stands; `false` where it is to be read as a
    /// record, and nothing was taken.
    fn take_line(&mut self, line: u64, judgment: &JudgmentLine<'_>) -> crate::error::Result<bool> {
        let _ = (line, judgment);
        Ok(false)
    }

    /// The record that the study holds under these keys (collection, query and its own; empty where its kind has none), for
    /// formats in which the same thing may come more than once.
    fn held(&mut self, kind: RecordKind, keys: [&str; 3]) -> crate::error::Result<Option<Record>> {
        let _ = (kind, keys);
        Ok(None)
    }

    /// The record of these keys as it came in, where it was revised since.
    fn as_it_came(&mut self, kind: RecordKind, keys: [&str; 3]) -> crate::error::Result<Option<Record>> {
        let _ = (kind, keys);
        Ok(None)
    }

    /// The place of the record of these keys, where it came in by the same step.
    fn came_at(&mut self, kind: RecordKind, keys: [&str; 3]) -> crate::error::Result<Option<Place>> {
        let _ = (kind, keys);
        Ok(None)
    }

    /// The mark of how a judge was asked under a protocol, where that is on record: its answers carry it.
    fn judge_run(&mut self, judge: &str, protocol: &str) -> crate::error::Result<Option<RunMark>> {
        let _ = (judge, protocol);
        Ok(None)
    }

    /// The first number from this one on that no document of the collection has.
    fn free_number(&mut self, collection: &str, from: u32) -> crate::error::Result<u32> {
        let _ = collection;
        Ok(from)
    }

    /// Collection and query of each candidate of this key.
    fn queries_of(&mut self, candidate: &str) -> crate::error::Result<Vec<[String; 2]>> {
        let _ = candidate;
        Ok(Vec::new())
    }

    /// The kind of the annotator that the study knows under this key, for formats that may bring a new one.
    fn annotator_kind(&mut self, annotator: &str) -> crate::error::Result<Option<AnnotatorKind>> {
        let _ = annotator;
        Ok(None)
    }

    /// The item of this key under the version of this number of its protocol, for formats that bring
    /// answers to what a study asks outside. `None` when the study has no such item or version.
    fn asked(&mut self, item: ItemKey, version: u32) -> crate::error::Result<Option<AskedItem>> {
        let _ = (item, version);
        Ok(None)
    }

    /// Notes a row that breaks a rule but is kept.
    fn remark(&mut self, place: Place, what: String);

    /// Reports a record that could not even be read: an error, unless bad records are skipped.
    fn refuse(&mut self, place: Place, error: crate::error::Error) -> crate::error::Result<()>;
}
