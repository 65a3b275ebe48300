//! A record of a foreign file as a tree that remembers which of its fields a map has named.

use std::cell::{Cell, OnceCell};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::literal;
use crate::error::{Error, Result};
use crate::formats::sentence;
use crate::study::Meta;

/// A value of a record.
#[derive(Debug)]
pub(super) struct MapNode {
    pub(super) holds: MapValue,
    /// Whether a path named the value.
    is_named: Cell<bool>,
    /// The list or object that a text holds, read when it is first asked for.
    opened: OnceCell<Result<Option<Box<MapNode>>>>,
    /// The parts of a text, made when they are first asked for.
    parts: OnceCell<TextParts>,
}

#[derive(Debug)]
pub(super) enum MapValue {
    /// A number, true or false, or nothing.
    Plain(Value),
    Text(String),
    List(Vec<MapNode>),
    Object(IndexMap<String, MapNode>),
}

/// The parts of a text between separators, and those for another separator.
#[derive(Debug)]
struct TextParts {
    separator: String,
    parts: Vec<MapNode>,
    next: OnceCell<Box<TextParts>>,
}

impl From<Value> for MapNode {
    fn from(value: Value) -> MapNode {
        let holds = match value {
            Value::String(text) => MapValue::Text(text),
            Value::Array(elements) => MapValue::List(elements.into_iter().map(MapNode::from).collect()),
            Value::Object(fields) => MapValue::Object(
                fields.into_iter().map(|(name, value)| (name, MapNode::from(value))).collect(),
            ),
            plain => MapValue::Plain(plain),
        };
        MapNode { holds, is_named: Cell::new(false), opened: OnceCell::new(), parts: OnceCell::new() }
    }
}

impl MapNode {
    pub(super) fn is_null(&self) -> bool {
        matches!(self.holds, MapValue::Plain(Value::Null))
    }

    /// Whether the value is null, or an empty text, list or object.
    pub(super) fn is_empty(&self) -> bool {
        match &self.holds {
            MapValue::Plain(value) => value.is_null(),
            MapValue::Text(text) => text.is_empty(),
            MapValue::List(elements) => elements.is_empty(),
            MapValue::Object(fields) => fields.is_empty(),
        }
    }

    /// The names of an object's fields.
    pub(super) fn names(&self) -> Vec<String> {
        match &self.holds {
            MapValue::Object(fields) => fields.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// The value as JSON.
    pub(super) fn value(&self) -> Value {
        match &self.holds {
            MapValue::Plain(value) => value.clone(),
            MapValue::Text(text) => Value::String(text.clone()),
            MapValue::List(elements) => elements.iter().map(MapNode::value).collect(),
            MapValue::Object(fields) => {
                Value::Object(fields.iter().map(|(name, node)| (name.clone(), node.value())).collect())
            }
        }
    }

    /// The node itself, or the list or object that it holds as a text.
    pub(super) fn open(&self) -> Result<&MapNode> {
        let MapValue::Text(text) = &self.holds else { return Ok(self) };
        let opened = self.opened.get_or_init(|| Ok(literal::read(text)?.map(|value| Box::new(value.into()))));
        match opened {
            Ok(Some(node)) => Ok(node),
            Ok(None) => Ok(self),
            Err(error) => Err(error.clone()),
        }
    }

    /// The list or object inside, where it was opened already.
    fn as_opened(&self) -> &MapNode {
        match self.opened.get() {
            Some(Ok(Some(node))) => node,
            _ => self,
        }
    }

    /// The parts of a text, or of another value as text, without white space around them. An empty part between others is null.
    pub(super) fn parts(&self, separator: &str) -> &[MapNode] {
        let make = || TextParts {
            separator: separator.to_owned(),
            parts: {
                let whole = as_text(&self.value());
                let mut parts: Vec<&str> = whole.split(separator).map(str::trim).collect();
                let last = parts.iter().rposition(|part| !part.is_empty());
                parts.truncate(last.map_or(0, |last| last + 1));
                let node = |part: &str| if part.is_empty() { Value::Null } else { part.into() };
                parts.into_iter().map(|part| MapNode::from(node(part))).collect()
            },
            next: OnceCell::new(),
        };
        let mut parts = self.parts.get_or_init(make);
        while parts.separator != separator {
            parts = parts.next.get_or_init(|| Box::new(make()));
        }
        &parts.parts
    }

    /// The fields of an object that no path has named yet and that `fits` takes, with what `fits` makes of their names.
    pub(super) fn unnamed<T>(&self, mut fits: impl FnMut(&str) -> Option<T>) -> Vec<(T, &MapNode)> {
        let MapValue::Object(fields) = &self.holds else { return Vec::new() };
        let of = fields.iter().filter(|(_, node)| !node.is_named.get());
        of.filter_map(|(name, node)| Some((fits(name)?, node))).collect()
    }

    /// Notes that a path led to the node by its name.
    pub(super) fn is_met(&self) {
        self.is_named.set(true);
    }

    /// Whether the node is a number, or a text that reads as a number.
    pub(super) fn is_number(&self) -> bool {
        match &self.holds {
            MapValue::Plain(value) => value.is_number(),
            MapValue::Text(text) => text.trim().parse::<f64>().is_ok(),
            _ => false,
        }
    }

    /// Whether there is a field of this name in upper or lower case, even an empty field.
    pub(super) fn has(&self, name: &str) -> bool {
        matches!(&self.holds, MapValue::Object(fields)
            if fields.contains_key(name) || fields.keys().any(|other| other.eq_ignore_ascii_case(name)))
    }

    /// The field of this name that is not null. Where no field has the very name, the case of letters does not matter.
    pub(super) fn field(&self, name: &str) -> Option<&MapNode> {
        let MapValue::Object(fields) = &self.holds else { return None };
        let in_other_case = || fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let node = fields.get(name).or_else(|| in_other_case().map(|(_, node)| node));
        let node = node.filter(|node| !node.is_null())?;
        node.is_met();
        Some(node)
    }

    /// The fields that no path named, also of objects that were entered, without the fields to `drop`.
    pub(super) fn left_over(&self, drop: &[String]) -> Meta {
        let mut left = Map::new();
        let MapValue::Object(fields) = &self.as_opened().holds else { return left };
        for (name, node) in fields.iter().filter(|(name, node)| !drop.contains(name) && !node.is_null()) {
            let inside = node.as_opened();
            if !node.is_named.get() {
                let given = if READ_IN_META.contains(&name.as_str()) { "given_" } else { "" };
                left.insert(format!("{given}{name}"), inside.value());
            } else if inside.has_named_fields() {
                let inner = inside.left_over(drop);
                if !inner.is_empty() {
                    left.insert(name.clone(), Value::Object(inner));
                }
            }
        }
        left
    }

    fn has_named_fields(&self) -> bool {
        matches!(&self.holds, MapValue::Object(fields) if fields.values().any(|node| node.is_named.get()))
    }

    /// The value, or its kind, for a sentence.
    pub(super) fn shown(&self) -> String {
        match &self.holds {
            MapValue::Object(_) => "an object".to_owned(),
            MapValue::List(_) => "a list".to_owned(),
            MapValue::Text(text) => {
                format!("the text '{}'", sentence::one_line(&crate::text::grapheme::beginning(text, 40)))
            }
            MapValue::Plain(Value::Null) => "nothing".to_owned(),
            MapValue::Plain(plain) => plain.to_string(),
        }
    }
}

/// Names that haymark reads in the free fields of a record: a gold answer must not become that of a system.
const READ_IN_META: [&str; 4] = ["answer", "answers", "retriever", "answerable"];

/// A text as it is, anything else as its JSON.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A row with column names as paths: `inputs.question` is the field `question` of `inputs`, as is Potato's `inputs:::question`. An
/// empty cell holds nothing.
pub(super) fn nested(row: impl IntoIterator<Item = (String, Value)>) -> Result<Map<String, Value>> {
    let mut whole = Map::new();
    for (name, cell) in row {
        let cell = if cell == "" { Value::Null } else { cell };
        let mut at = &mut whole;
        let mut steps = name.split(if name.contains(":::") { ":::" } else { "." }).peekable();
        while let Some(step) = steps.next() {
            if steps.peek().is_none() {
                at.insert(step.to_owned(), cell);
                break;
            }
            let inner = at.entry(step).or_insert_with(|| Value::Object(Map::new()));
            at = inner.as_object_mut().ok_or_else(|| {
                Error::new(format!("the column {name} is also a field of the column {step}"))
                    .advise("give one of them another name")
            })?;
        }
    }
    Ok(whole)
}
