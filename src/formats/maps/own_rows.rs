//! Tables that haymark wrote: each row is one of its own records.

use serde_json::{Map, Value};

use super::literal;
use super::node::MapNode;
use crate::error::{Error, Result};
use crate::formats::sentence;
use crate::protocol::{Protocol, QuestionKind, builtin};
use crate::study::{Record, RecordKind, Sink};

/// Columns of judgments that are no answers.
const OF_JUDGMENTS: &str = "protocol version annotator collection query document unit candidate bullet_number \
    other_candidate complete seconds at comment flagged skipped aside";

/// The beginning of the column of a question that has the name of another column: `answers.comment`. A dot in the name of a
/// column stands for a field of a field.
pub const ANSWERS: &str = "answers";

/// Records that have a text, if an empty one.
const TEXTS: [RecordKind; 4] =
    [RecordKind::Document, RecordKind::Query, RecordKind::Unit, RecordKind::Candidate];

/// The record of a row; `None` for a judgment that says nothing, such as one of what was written and is not told.
pub(super) fn record(kind: &str, row: &MapNode, sink: &mut dyn Sink) -> Result<Option<Record>> {
    let known = RecordKind::ALL.iter().find(|known| known.name() == kind);
    let known = *known.ok_or_else(|| {
        Error::new(format!("there is no record of type {}", sentence::quoted(kind))).advise("correct it")
    })?;
    let Value::Object(mut cells) = row.value() else { return Err(Error::new("a row is an object")) };
    let protocol =
        cells.get("protocol").and_then(Value::as_str).map(|name| protocol(name, sink)).transpose()?.flatten();
    let (mut fields, mut answers) = (Map::new(), Map::new());
    cells.remove("type");
    cells.retain(|_, cell| !cell.is_null());
    let own = match cells.remove(ANSWERS) {
        Some(Value::Object(own)) if known == RecordKind::Judgment => own,
        other => {
            cells.extend(other.map(|cell| (ANSWERS.to_owned(), cell)));
            Map::new()
        }
    };
    let own = own.into_iter().filter(|(_, cell)| !cell.is_null()).map(|(name, cell)| (name, cell, true));
    for (name, cell, is_own) in cells.into_iter().map(|(name, cell)| (name, cell, false)).chain(own) {
        match (known, name.as_str()) {
            (RecordKind::Judgment, column)
                if is_own || !OF_JUDGMENTS.split(' ').any(|known| known == column) =>
            {
                let question = protocol.as_ref().and_then(|protocol| protocol.question(column));
                let is_word = question.is_some_and(|question| {
                    let is_written = matches!(question.kind, QuestionKind::Text { .. });
                    !question.choices().is_empty() || is_written && cell != "[]"
                });
                answers.insert(name, if is_word { cell } else { plain(cell)? });
            }
            (RecordKind::Judgment, "bullet_number") => drop(fields.insert("bullet".to_owned(), plain(cell)?)),
            (RecordKind::Judgment, "other_candidate") => drop(fields.insert("other".to_owned(), cell)),
            (
                _,
                "id" | "text" | "title" | "collection" | "query" | "document" | "unit" | "candidate"
                | "annotator" | "comment",
            ) => {
                drop(fields.insert(name, cell));
            }
            _ => drop(fields.insert(name, plain(cell)?)),
        }
    }
    if known == RecordKind::Judgment {
        fields.insert("answers".to_owned(), answers.into());
    } else if TEXTS.contains(&known) {
        // An empty cell stands for an empty text.
        fields.entry("text").or_insert_with(|| "".into());
    }
    let record = known.read(Value::Object(fields)).map_err(|error| {
        let what =
            sentence::unknown_field(&error).map(|(field, _)| format!("the column {field:?} is not known"));
        Error::new(what.unwrap_or_else(|| sentence::what(&error)))
            .advise("correct the row, or the name of its column")
    })?;
    let is_empty = matches!(&record, Record::Judgment(judgment) if judgment.says_nothing());
    Ok((!is_empty).then_some(record))
}

/// The protocol of this name: the study's, or the one that comes with haymark.
fn protocol(name: &str, sink: &mut dyn Sink) -> Result<Option<Protocol>> {
    match sink.held(RecordKind::Protocol, ["", "", name])? {
        Some(Record::Protocol(own)) => Protocol::parse(&own.text, &own.guideline).map(Some),
        _ => Ok(builtin(name).cloned()),
    }
}

/// A cell as the number, truth value, list or object that it holds.
fn plain(cell: Value) -> Result<Value> {
    let Some(text) = cell.as_str() else { return Ok(cell) };
    let is_plain = |value: &Value| value.is_number() || value.is_boolean();
    let number = serde_json::from_str(text).ok().filter(is_plain);
    // An empty list is an answer on purpose, such as no tag.
    let opened =
        literal::read(text)?.map(|list| if list == Value::Array(Vec::new()) { Value::Null } else { list });
    Ok(number.or(opened).unwrap_or(cell))
}
