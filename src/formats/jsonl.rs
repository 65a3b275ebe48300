//! haymark JSONL: one record a line, streamed in both directions. What is written is read back, and
//! written again as the same bytes.

mod quick;

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, Write};

use serde::de::value::{CowStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::json::JsonText;
use super::lines::Lines;
use super::{json, sentence, source, walk};
use crate::error::{Error, Result};
use crate::study::{Place, Record, RecordKind, Sink};

/// Reads records line by line. Blank lines are allowed, and so is a byte order mark.
///
/// # Errors
/// A line that is no record, when the sink does not skip it; the error names the line, not the file.
pub fn read(source: impl BufRead, sink: &mut dyn Sink) -> Result<()> {
    let mut lines = Lines::new(source);
    while let Some((number, line)) = lines.next_text()? {
        let done = match line {
            Ok(line) => take(number, line, sink),
            Err(error) => sink.refuse(Place::Line(number), error),
        };
        done.map_err(|error| error.at_line(number))?;
    }
    Ok(())
}

/// Gives the sink a line as it stands, where it is one that it can take so, or else the line's record.
fn take(number: u64, line: &str, sink: &mut dyn Sink) -> Result<()> {
    if let Some(judgment) = quick::judgment(line)
        && sink.take_line(number, &judgment)?
    {
        return Ok(());
    }
    match record(line) {
        Ok(record) => sink.take(Place::Line(number), record),
        Err(error) => sink.refuse(Place::Line(number), error),
    }
}

/// Writes a record as one line: `type` first, the other fields in the order of the struct, text as
/// it is (only what JSON must escape is escaped).
///
/// # Errors
/// The writer fails. A number that is not finite has no form in JSON and is written as null.
pub fn write_record(out: &mut impl Write, record: &Record) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

/// Reads the record of one line.
pub fn parse(line: &[u8]) -> Result<Record> {
    record(str::from_utf8(line).map_err(|error| source::invalid_utf8(line, error.valid_up_to()))?)
}

/// Reads the record of one line: the kind is looked for first, wherever it stands.
fn record(line: &str) -> Result<Record> {
    #[derive(Deserialize)]
    struct TypeAlone<'a> {
        #[serde(borrow, rename = "type", default)]
        name: Cow<'a, str>,
    }
    let described = |error: serde_json::Error| described(line, &error);
    let read = |kind| serde_json::Deserializer::from_str(line).deserialize_map(RecordVisitor { kind });
    // A list is no record, but could be read as the fields of one.
    if !line.trim_start().starts_with('{') {
        return read(RecordKind::Collection).map_err(described);
    }
    let TypeAlone { name } = serde_json::from_str(line).map_err(described)?;
    let types = || sentence::quoted_list(RecordKind::ALL.iter().map(|kind| kind.name()));
    if name.is_empty() {
        return Err(Error::new("\"type\" is missing").advise(format!("give every line one of {}", types())));
    }
    let kind = RecordKind::named(&name).ok_or_else(|| {
        let what = format!("there is no record of type {}", sentence::quoted(&name));
        Error::new(what).at_path(TYPE).advise(format!("known are {}", types()))
    })?;
    read(kind).map_err(described)
}

/// Reads a record of the given kind.
struct RecordVisitor {
    kind: RecordKind,
}

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with a \"type\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Record, A::Error> {
        self.kind.read(MapAccessDeserializer::new(WithoutType { map }))
    }
}

const TYPE: &str = "type";

/// The fields of a line but `type`, so that the records' structs may refuse what they do not know.
struct WithoutType<Fields> {
    map: Fields,
}

impl<'de, Fields: MapAccess<'de>> MapAccess<'de> for WithoutType<Fields> {
    type Error = Fields::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> std::result::Result<Option<K::Value>, Self::Error> {
        while let Some(JsonText(key)) = self.map.next_key()? {
            if key != TYPE {
                return seed.deserialize(CowStrDeserializer::new(key)).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> std::result::Result<V::Value, Self::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The parser's error in a line, as a sentence.
pub(super) fn described(line: &str, error: &serde_json::Error) -> Error {
    let line = line.as_bytes();
    let reached = error.column().min(line.len());
    let path = walk::path_of(error, line, reached);
    let column = json::characters(line.get(..reached).unwrap_or(line)).max(1);
    let told = match sentence::unknown_field(error) {
        Some((field, known)) => {
            // A part of a record, such as a piece of evidence, takes no fields of one's own.
            let has_meta = path.is_empty() && known.contains("\"meta\"");
            let meta = "put fields of your own under \"meta\"".to_owned();
            let advice = if has_meta { meta } else { format!("remove it; known are {known}") };
            let what = format!("the field {} is not known (column {column})", sentence::quoted(&field));
            Error::new(what).advise(advice)
        }
        None => sentence::told(error, column, line.get(reached.saturating_sub(1)..).unwrap_or_default()),
    };
    if path.is_empty() { told } else { told.at_path(path) }
}

#[cfg(test)]
mod tests;
