//! Tables that haymark wrote: each row is one of its own records.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::literal::{self, as_time};
use super::node::{MapNode, as_text};
use crate::error::{Error, Result};
use crate::formats::sentence;
use crate::journal::Outcome;
use crate::protocol::{Protocol, Question, QuestionKind, builtin};
use crate::study::{Record, RecordKind, Sink};

/// Columns of judgments that are no answers.
const OF_JUDGMENTS: &str = "protocol version annotator collection query document unit candidate bullet_number \
    other_candidate complete seconds total at comment flagged skipped aside";

/// The kind of a row of gold, and its columns that are no answers.
const GOLD: &str = "gold";
const OF_GOLD: &str = "protocol version collection query document unit candidate bullet_number other_candidate \
    source annotators adjudicator took reason note";

/// The beginning of the column of a question that has the name of another column: `answers.comment`. A dot in the name of a
/// column stands for a field of a field.
pub const ANSWERS: &str = "answers";

/// Records that have a text, if an empty one.
const TEXTS: [RecordKind; 4] =
    [RecordKind::Document, RecordKind::Query, RecordKind::Unit, RecordKind::Candidate];

/// The record of a row; `None` for a judgment that says nothing, such as one of what was written and is not told, and for gold that
/// nobody decided, which follows from the judgments.
pub(super) fn record(kind: &str, row: &MapNode, sink: &mut dyn Sink) -> Result<Option<Record>> {
    let known = match kind {
        GOLD => Some(RecordKind::Adjudication),
        kind => RecordKind::named(kind),
    };
    let known = known.ok_or_else(|| {
        Error::new(format!("there is no record of type {}", sentence::quoted(kind))).advise("correct it")
    })?;
    let Value::Object(mut cells) = row.value() else { return Err(Error::new("a row is an object")) };
    if kind == GOLD && cells.get("source").is_none_or(|source| source != Outcome::Adjudicated.name()) {
        return Ok(None);
    }
    // The columns that are no answers, of a row with answers.
    let columns = match known {
        RecordKind::Judgment => Some(OF_JUDGMENTS),
        RecordKind::Adjudication => Some(OF_GOLD),
        _ => None,
    };
    let protocol =
        cells.get("protocol").and_then(Value::as_str).map(|name| protocol(name, sink)).transpose()?.flatten();
    let (mut fields, mut answers) = (Map::new(), Map::new());
    cells.remove("type");
    cells.retain(|_, cell| !cell.is_null());
    let own = match cells.remove(ANSWERS) {
        Some(Value::Object(own)) if columns.is_some() => own,
        other => {
            cells.extend(other.map(|cell| (ANSWERS.to_owned(), cell)));
            Map::new()
        }
    };
    let own = own.into_iter().filter(|(_, cell)| !cell.is_null()).map(|(name, cell)| (name, cell, true));
    for (name, cell, is_own) in cells.into_iter().map(|(name, cell)| (name, cell, false)).chain(own) {
        let column = name.as_str();
        if let Some(known) = columns
            && (is_own || !known.split(' ').any(|known| known == column))
        {
            let question = protocol.as_ref().and_then(|protocol| protocol.question(column));
            answers.insert(name, answer(question, cell)?);
            continue;
        }
        let (name, cell) = match (columns, column) {
            (Some(_), "bullet_number") => ("bullet", plain(cell)?),
            (Some(_), "other_candidate") => ("other", cell),
            (Some(_), "adjudicator") => ("annotator", cell),
            (Some(_), "source" | "annotators") => continue,
            // A spreadsheet writes TRUE, and pandas True.
            (Some(_), "complete" | "flagged" | "skipped" | "total") => {
                (column, plain(as_text(&cell).to_lowercase().into())?)
            }
            (Some(_), "at") => (column, time(cell)),
            (
                _,
                "id" | "text" | "title" | "collection" | "query" | "document" | "unit" | "candidate"
                | "annotator" | "comment" | "took" | "reason" | "note",
            ) => (column, cell),
            _ => (column, plain(cell)?),
        };
        fields.insert(name.to_owned(), cell);
    }
    if columns.is_some() {
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

/// The answer to a question that a cell holds: its words, where the question takes some, with `4` for the `4.0` of a column with gaps.
fn answer(question: Option<&Question>, cell: Value) -> Result<Value> {
    let choices = question.map(Question::choices).unwrap_or_default();
    let is_written = question.is_some_and(|question| matches!(question.kind, QuestionKind::Text { .. }));
    if choices.is_empty() || cell.is_array() {
        return if is_written && cell != "[]" { Ok(cell) } else { plain(cell) };
    }
    let is_choice = |text: &&str| choices.iter().any(|choice| choice.value == *text);
    let text = as_text(&cell);
    let whole = text.strip_suffix(".0").filter(is_choice).filter(|_| !is_choice(&text.as_str()));
    Ok(whole.unwrap_or(&text).into())
}

/// A time as a spreadsheet shows it as haymark writes it; one of haymark's as it is.
fn time(cell: Value) -> Value {
    let text = as_text(&cell);
    if text.parse::<Timestamp>().is_ok() { cell } else { as_time(text).into() }
}

/// A cell as the number, truth value, list or object that it holds. pandas writes `3.0` for `3` where a column has gaps.
fn plain(cell: Value) -> Result<Value> {
    if cell.is_array() || cell.is_object() {
        return Ok(cell);
    }
    let text = as_text(&cell);
    let is_plain = |value: &Value| value.is_number() || value.is_boolean();
    let number = serde_json::from_str(text.strip_suffix(".0").unwrap_or(&text)).ok().filter(is_plain);
    // An empty list is an answer on purpose, such as no tag.
    let opened =
        literal::read(&text)?.map(|list| if list == Value::Array(Vec::new()) { Value::Null } else { list });
    Ok(number.or(opened).unwrap_or(cell))
}
