//! Telling formats apart by the keys of the outermost objects.

use std::io::Read;

use super::walk::{Met, Walk};
use super::{Format, source};
use crate::error::Result;

/// How far a file is read before it counts as none of the formats, in bytes.
const FARTHEST: usize = 64 << 20;

/// The format of a file, from its bytes, where it is one; the error does not name the file yet.
pub(super) fn format_of(mut file: impl Read) -> Result<Option<Format>> {
    let mut chunk = vec![0; source::HEAD];
    let mut scout = Scout::default();
    let mut read = 0;
    while read < FARTHEST {
        let count = source::fill(&mut file, &mut chunk)?;
        let bytes = chunk.get(..count).unwrap_or_default();
        if read == 0 && bytes.is_empty() {
            return Ok(Some(Format::Jsonl));
        }
        let bytes = if read == 0 { source::without_mark(bytes) } else { bytes };
        if count == 0 {
            break;
        }
        for byte in bytes {
            if let Some(verdict) = scout.step(*byte) {
                return Ok(verdict);
            }
        }
        read += count;
    }
    Ok(None)
}

/// Looks at the keys of the outermost object, or of the objects of the outermost list.
#[derive(Default)]
struct Scout {
    walk: Walk,
    /// The first byte that is no white space.
    first: Option<u8>,
    /// Whether a key "custom_id" and a key of a response came.
    of_batch: (bool, bool),
}

impl Scout {
    /// Takes a byte; returns the format, or that the file has none, as soon as that is certain.
    fn step(&mut self, byte: u8) -> Option<Option<Format>> {
        if self.first.is_none() && !byte.is_ascii_whitespace() {
            self.first = Some(byte);
        }
        let first = self.first?;
        if first != b'{' && first != b'[' {
            return Some(None);
        }
        // An object may be the whole file or the first of many lines; a list has objects inside.
        let level = if first == b'{' { 1 } else { 2 };
        match self.walk.step(byte) {
            Met::Key if self.walk.depth() == level => self.key(first).map(Some),
            Met::End if self.walk.depth() < level => Some(None),
            _ => None,
        }
    }

    fn key(&mut self, first: u8) -> Option<Format> {
        let key = self.walk.key()?;
        self.of_batch.0 |= key == "custom_id";
        self.of_batch.1 |= key == "response";
        match (first, key) {
            (b'{', "custom_id" | "response") if self.of_batch == (true, true) => Some(Format::JudgeResponses),
            told => Format::ALL.into_iter().find(|format| format.keys().contains(&told)),
        }
    }
}
