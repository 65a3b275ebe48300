//! Two records of one name as one.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::formats::maps::node::as_text;
use crate::study::{Meta, Record, RecordKind};
use crate::text::hash::{Fingerprint, fingerprint};

pub(super) fn print_of(kind: RecordKind, [collection, query, id]: [&str; 3]) -> Fingerprint {
    fingerprint([kind.name(), collection, query, id])
}

/// The parts in which two records of one name may differ, in the order in which they are told.
const PARTS: &str =
    "text kind candidate summarizer retriever order cites category title domain documents score meta";

/// The part in which two records of one name differ; of free fields the first that does, with both values.
#[derive(Default)]
pub(super) struct Difference {
    pub(super) part: &'static str,
    pub(super) field: Option<(String, [String; 2])>,
}

/// Merges two records of one name, and tells whether the result says more than the first; or says in what they differ.
pub(super) fn merged(held: Record, new: &Record) -> std::result::Result<(Record, bool), Difference> {
    let kind = held.kind();
    let (mut whole, mut said, mut grew) = (fields_of(&held), fields_of(new), false);
    if kind == RecordKind::Query {
        // A query that came with its id alone has the id as its text, which counts as none.
        let named = if said.get("text") == said.get("id") { &mut said } else { &mut whole };
        if named.get("text") == named.get("id") {
            named.remove("text");
        }
    }
    for name in PARTS.split(' ') {
        let called = if name == "documents" { "list of documents" } else { name };
        let is_none =
            |value: &Value| value.is_null() || value == "" || value.as_object().is_some_and(Map::is_empty);
        let (known, new) = (whole.get(name).filter(|value| !is_none(value)), said.remove(name));
        match (known, new.filter(|value| !is_none(value))) {
            // The fields of a passage stand with its place in the list.
            _ if kind == RecordKind::Document && name == "meta" => {}
            (None, None) => {}
            (Some(_), None) if name != "candidate" => {}
            (Some(known), Some(new)) if *known == new => {}
            // One question in two forms of Unicode stays as it came first.
            (Some(Value::String(known)), Some(Value::String(new)))
                if matches!(kind, RecordKind::Query | RecordKind::Collection)
                    && known.nfc().eq(new.nfc()) => {}
            (Some(Value::Object(known)), Some(Value::Object(new)))
                if matches!(kind, RecordKind::Query | RecordKind::Candidate) =>
            {
                let mut fields = known.clone();
                for (field, value) in new {
                    match fields.get(&field) {
                        Some(known) if *known != value => {
                            let field = Some((field, [known, &value].map(as_text)));
                            return Err(Difference { part: called, field });
                        }
                        Some(_) => {}
                        None => drop(fields.insert(field, value)),
                    }
                }
                grew |= fields.len() > known.len();
                whole.insert(name.to_owned(), fields.into());
            }
            (None, Some(new)) if name != "candidate" => {
                whole.insert(name.to_owned(), new);
                grew = true;
            }
            _ => return Err(Difference { part: called, ..Difference::default() }),
        }
    }
    if !grew {
        return Ok((held, false));
    }
    kind.read(Value::Object(whole))
        .map(|merged| (merged, true))
        .map_err(|_| Difference { part: "form", ..Difference::default() })
}

/// The fields of a record, without its type.
fn fields_of(record: &Record) -> Meta {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(record) else { return Meta::new() };
    fields.remove("type");
    fields
}
