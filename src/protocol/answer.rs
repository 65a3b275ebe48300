//! Answers, and their form in files.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::text::hash::Fingerprint;

/// The answers of one judgment by question key.
pub type Answers = BTreeMap<String, Answer>;

/// One answer.
///
/// In JSON: a choice or a text is a string, a link is a number, several links are a list of numbers,
/// tags and units are a list of strings, passages and points are lists of objects, and a question
/// that was answered with deliberately nothing is `null`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// The `value` of a choice, or what was written.
    Text(String),
    /// The 1-based number of one bullet.
    Bullet(u32),
    /// Several bullets, in the order given. A list of one stays a list: a published
    /// number may count it apart (SummHay's linking accuracy does).
    Bullets(Vec<u32>),
    /// Values of tags or keys of units, in the order of the protocol or the study.
    Names(Vec<String>),
    /// Passages of documents, in the order in which they were selected.
    Passages(Vec<Quote>),
    /// What was written, each with the passages that it rests on.
    Points(Vec<Point>),
    /// Asked, and deliberately nothing: covered by no single bullet, none of the tags, no point found.
    Nothing,
}

/// A passage of a document, so that it is found again and known to be the same.
///
/// In JSON: `{"document": key, "start": byte, "end": byte, "quote": text, "hash": text's fingerprint}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quote {
    /// Key of the document.
    pub document: String,
    /// Where it begins in the document's text, in bytes; `None` where an import does not say.
    pub start: Option<u64>,
    /// Word for word.
    pub quote: String,
    /// Fingerprint of the document's text; `None` where an import does not say.
    pub hash: Option<Fingerprint>,
}

/// A text that an annotator wrote, such as a key point found in a document.
///
/// In JSON: `{"text": text, "passages": [passage, …]}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    pub text: String,
    pub passages: Vec<Quote>,
}

impl Answer {
    /// The form in JSON files and in the journal.
    pub fn to_json(&self) -> Value {
        match self {
            Answer::Text(value) => Value::from(value.as_str()),
            Answer::Bullet(number) => Value::from(*number),
            Answer::Bullets(numbers) => Value::from(numbers.clone()),
            Answer::Names(names) => Value::from(names.clone()),
            Answer::Passages(passages) => passages.iter().map(Quote::to_json).collect(),
            Answer::Points(points) => points.iter().map(Point::to_json).collect(),
            Answer::Nothing => Value::Null,
        }
    }

    /// Reads the form of [`Answer::to_json`]; `None` when it is none of these. An empty list is nothing.
    pub fn from_json(value: &Value) -> Option<Answer> {
        match value {
            Value::Null => Some(Answer::Nothing),
            Value::String(text) => Some(Answer::Text(text.clone())),
            Value::Number(_) => bullet_number(value).map(Answer::Bullet),
            Value::Array(values) => list(values),
            Value::Bool(_) | Value::Object(_) => None,
        }
    }

    /// The choice's value or the written text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Answer::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The linked bullets; empty for any other answer.
    pub fn bullets(&self) -> &[u32] {
        match self {
            Answer::Bullet(number) => std::slice::from_ref(number),
            Answer::Bullets(numbers) => numbers,
            _ => &[],
        }
    }

    /// The tags or units named; empty for any other answer.
    pub fn names(&self) -> &[String] {
        match self {
            Answer::Names(names) => names,
            _ => &[],
        }
    }

    /// The points written; empty for any other answer.
    pub fn points(&self) -> &[Point] {
        match self {
            Answer::Points(points) => points,
            _ => &[],
        }
    }

    /// The passages selected, those of points among them.
    pub fn passages(&self) -> Vec<&Quote> {
        match self {
            Answer::Passages(passages) => passages.iter().collect(),
            Answer::Points(points) => points.iter().flat_map(|point| &point.passages).collect(),
            _ => Vec::new(),
        }
    }
}

impl Quote {
    /// One behind the last byte of the passage in the document's text.
    pub fn end(&self) -> Option<u64> {
        self.start?.checked_add(self.quote.len() as u64)
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("document".to_owned(), Value::from(self.document.as_str()));
        if let (Some(start), Some(end)) = (self.start, self.end()) {
            object.insert("start".to_owned(), Value::from(start));
            object.insert("end".to_owned(), Value::from(end));
        }
        object.insert("quote".to_owned(), Value::from(self.quote.as_str()));
        if let Some(hash) = self.hash {
            object.insert("hash".to_owned(), Value::from(hash.to_string()));
        }
        Value::Object(object)
    }

    /// Start and end stand together and are as far apart as the quote is long.
    fn from_json(value: &Value) -> Option<Quote> {
        let object = only(value, &["document", "start", "end", "quote", "hash"])?;
        let text = |key: &str| object.get(key)?.as_str().map(str::to_owned);
        let start = match object.get("start") {
            Some(start) => Some(start.as_u64()?),
            None => None,
        };
        let hash = match object.get("hash") {
            Some(hash) => Some(hash.as_str()?.parse().ok()?),
            None => None,
        };
        let quote = Quote { document: text("document")?, start, quote: text("quote")?, hash };
        let ends_there = object.get("end").is_none_or(|end| end.as_u64() == quote.end());
        (ends_there && !quote.quote.is_empty() && quote.start.is_none_or(|_| quote.end().is_some()))
            .then_some(quote)
    }
}

impl Point {
    fn to_json(&self) -> Value {
        let passages: Value = self.passages.iter().map(Quote::to_json).collect();
        json!({"text": self.text, "passages": passages})
    }

    fn from_json(value: &Value) -> Option<Point> {
        let object = only(value, &["text", "passages"])?;
        let text = object.get("text")?.as_str()?.to_owned();
        let passages = match object.get("passages") {
            Some(passages) => passages.as_array()?.iter().map(Quote::from_json).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        (!text.trim().is_empty()).then_some(Point { text, passages })
    }
}

/// The object, if it has no other keys than these.
fn only<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Map<String, Value>> {
    value.as_object().filter(|object| object.keys().all(|key| keys.contains(&key.as_str())))
}

/// What a list says goes by its first entry; the others are of the same kind.
fn list(values: &[Value]) -> Option<Answer> {
    let Some(first) = values.first() else {
        return Some(Answer::Nothing);
    };
    match first {
        Value::Number(_) => values.iter().map(bullet_number).collect::<Option<_>>().map(Answer::Bullets),
        Value::String(_) => values
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map(Answer::Names),
        Value::Object(object) if object.contains_key("quote") => {
            values.iter().map(Quote::from_json).collect::<Option<_>>().map(Answer::Passages)
        }
        Value::Object(_) => values.iter().map(Point::from_json).collect::<Option<_>>().map(Answer::Points),
        _ => None,
    }
}

fn bullet_number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn quote() -> Quote {
        Quote {
            document: "d3".into(),
            start: Some(4),
            quote: "茶 tea".into(),
            hash: Some(Fingerprint([1; 16])),
        }
    }

    #[test]
    fn json_goes_both_ways() {
        let hash = "01".repeat(16);
        // 茶 takes three bytes.
        let passage = json!({"document": "d3", "start": 4, "end": 11, "quote": "茶 tea", "hash": hash});
        let plain = Quote { start: None, hash: None, ..quote() };
        for (answer, value) in [
            (Answer::Names(vec!["general".into(), "other".into()]), json!(["general", "other"])),
            (Answer::Passages(vec![quote()]), json!([passage])),
            (Answer::Passages(vec![plain]), json!([{"document": "d3", "quote": "茶 tea"}])),
            (
                Answer::Points(vec![Point { text: "two\nlines".into(), passages: vec![quote()] }]),
                json!([{"text": "two\nlines", "passages": [passage]}]),
            ),
            (Answer::Text("full".into()), json!("full")),
            (Answer::Bullet(3), json!(3)),
            (Answer::Bullets(vec![2]), json!([2])),
            (Answer::Nothing, json!(null)),
        ] {
            assert_eq!(answer.to_json(), value);
            assert_eq!(Answer::from_json(&value), Some(answer));
        }
    }

    #[test]
    fn refuses_what_is_no_answer() {
        for value in
            [json!(0), json!(-1), json!(1.5), json!(true), json!({}), json!([1, "2"]), json!(["a", 1])]
        {
            assert_eq!(Answer::from_json(&value), None, "{value}");
        }
        for value in [
            json!([{"text": " "}]),
            json!([{"text": "a", "mood": 1}]),
            json!([{"document": "d", "quote": ""}]),
            json!([{"document": "d", "quote": "tea", "start": 1, "end": 3}]),
            json!([{"document": "d", "quote": "tea", "start": -1}]),
            json!([{"document": "d", "quote": "tea", "hash": "no"}]),
        ] {
            assert_eq!(Answer::from_json(&value), None, "{value}");
        }
        assert_eq!(Answer::from_json(&json!([])), Some(Answer::Nothing));
    }
}
