//! Telling formats apart by the keys of the outermost objects, and where these may be anything by
//! those of the objects inside.

use std::io::Read;

use super::walk::{Met, Walk};
use super::{Format, sentence, source};
use crate::error::{Error, Result};

/// How far a file is read before it counts as none of the formats, in bytes.
const FARTHEST: usize = 64 << 20;

/// How many keys are remembered for the message.
const MOST_KEYS: usize = 6;

/// The format of a file, from its bytes; the error does not name the file yet.
pub(super) fn format_of(mut file: impl Read) -> Result<Format> {
    let mut chunk = vec![0; source::HEAD];
    let mut scout = Scout::default();
    let mut read = 0;
    while read < FARTHEST {
        let count = source::fill(&mut file, &mut chunk)?;
        let bytes = chunk.get(..count).unwrap_or_default();
        let bytes = if read == 0 {
            if bytes.is_empty() {
                return Ok(Format::Jsonl);
            }
            source::check_head(bytes)?;
            source::without_mark(bytes)
        } else {
            bytes
        };
        if count == 0 {
            return Err(scout.cut_off());
        }
        for byte in bytes {
            if let Some(verdict) = scout.step(*byte) {
                return verdict;
            }
        }
        read += count;
    }
    Err(scout.unknown())
}

/// Looks at the keys of the outermost object, or of the objects of the outermost list.
#[derive(Default)]
struct Scout {
    walk: Walk,
    /// The first byte that is no white space.
    first: Option<u8>,
    lines: u64,
    keys: Vec<String>,
    /// Whether a key "custom_id" and a key of a response came.
    of_batch: (bool, bool),
    /// Whether the value that comes next is of a key "question" inside an outermost object's object.
    questions: bool,
    /// Whether the outermost object is at an entry that holds what people like, in haymark's lines.
    is_free: bool,
}

impl Scout {
    /// Takes a byte; says the format, or why it is none, as soon as that is certain.
    fn step(&mut self, byte: u8) -> Option<Result<Format>> {
        self.lines += u64::from(byte == b'\n');
        if self.first.is_none() && !byte.is_ascii_whitespace() {
            self.first = Some(byte);
        }
        let first = self.first?;
        if first != b'{' && first != b'[' {
            return Some(Err(self.unknown()));
        }
        // An object may be the whole file or the first of many lines; a list has objects inside.
        let level = if first == b'{' { 1 } else { 2 };
        if self.questions && !byte.is_ascii_whitespace() {
            self.questions = false;
            if byte == b'[' {
                return Some(Ok(Format::CrudRagQuestions));
            }
        }
        match self.walk.step(byte) {
            Met::Key if self.walk.depth() == level => self.key(first).map(Ok),
            Met::Key => self.inner_key(first).map(Ok),
            Met::End if self.walk.depth() < level => Some(Err(self.unknown())),
            _ => None,
        }
    }

    fn key(&mut self, first: u8) -> Option<Format> {
        let key = self.walk.key()?;
        self.is_free = matches!((first, key), (b'{', "meta" | "answers"));
        self.of_batch.0 |= key == "custom_id";
        self.of_batch.1 |= key == "response";
        let format = match (first, key) {
            (b'{', "custom_id" | "response") if self.of_batch == (true, true) => Some(Format::JudgeResponses),
            told => Format::ALL.iter().copied().find(|format| format.keys().contains(&told)),
        };
        if format.is_none() && self.keys.len() < MOST_KEYS {
            self.keys.push(key.to_owned());
        }
        format
    }

    /// The formats that only a key further inside tells. CRUD-RAG's caches have the questions' ids as
    /// keys; its results lie in the `log` of each element, of `results` or of the outermost list. A line
    /// of haymark's own may hold such keys too, before its `type`.
    fn inner_key(&mut self, first: u8) -> Option<Format> {
        let key = self.walk.key().filter(|_| !self.is_free)?;
        match (first, self.walk.depth(), key) {
            (b'{', 2, "question") => {
                self.questions = true;
                None
            }
            (b'{', 4, "generated_text" | "ground_truth_text")
            | (b'[', 3, "generated_text" | "ground_truth_text") => Some(Format::CrudRagResults),
            _ => None,
        }
    }

    fn unknown(&self) -> Error {
        let keys = match self.keys.as_slice() {
            [] => String::new(),
            keys => format!(" with {}", sentence::quoted_list(keys)),
        };
        let found = match self.first {
            Some(b'{') => format!("a JSON object{keys}"),
            Some(b'[') if keys.is_empty() => "a JSON list without objects".to_owned(),
            Some(b'[') => format!("a JSON list of objects{keys}"),
            _ => "text that is no JSON object or list".to_owned(),
        };
        let ratings = self.keys.iter().any(|key| key == "item");
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.description()).collect();
        let known = known.join(", ");
        let advice = match (self.first, ratings) {
            (Some(b'{'), true) => {
                format!("ratings are read by `haymark agree`; known here are {known}")
            }
            (Some(b'{' | b'['), _) => format!("known are {known}"),
            _ => format!(
                "ratings in CSV are read by `haymark agree`, and texts in a table have to become JSONL first; known here are {known}"
            ),
        };
        Error::new(format!("this is {found}, which is no format that can be imported")).advise(advice)
    }

    fn cut_off(&self) -> Error {
        Error::new("the file ends in the middle of an object or list")
            .at_line(self.lines + 1)
            .advise("it was cut off; get it again")
    }
}
