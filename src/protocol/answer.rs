//! Answers, and their form in files.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Protocol, Question};
use crate::text::hash::{Fingerprint, fingerprint};
use crate::text::span::{Span, locate_at};

/// The answers of one judgment by question key.
pub type Answers = BTreeMap<String, Answer>;

impl Protocol {
    /// Reads the form of [`Answer::to_json`] as an answer to this question: a step of a scale may be a number too.
    pub fn answer_from_json(&self, question: &str, value: &Value) -> Option<Answer> {
        let is_scale = || self.question(question).is_some_and(Question::is_scale);
        match value.as_u64() {
            Some(step) if is_scale() => Some(Answer::Text(step.to_string())),
            _ => Answer::from_json(value),
        }
    }
}

/// The answers of a record, by question key; answers that this program does not understand are left out.
pub fn answers_from_json(given: &Map<String, Value>) -> Answers {
    given.iter().filter_map(|(key, value)| Some((key.clone(), Answer::from_json(value)?))).collect()
}

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
    /// Texts that were written, each with the passages that it rests on.
    Points(Vec<Point>),
    /// Asked, and deliberately nothing: covered by no single bullet, none of the tags, no point found.
    Nothing,
}

/// A passage of a document or of the candidate that is judged, so that it is found again and known to be the same.
///
/// In JSON:
/// `{"document": key, "start": byte, "end": byte, "quote": text, "hash": text's fingerprint, "tag": value, "severity": value}`,
/// without `document` where it stands in the candidate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quote {
    /// Key of the document; empty for the candidate.
    pub document: String,
    /// The byte of the document's text at which the passage begins; `None` where an import does not say.
    pub start: Option<u64>,
    /// The passage, word for word.
    pub quote: String,
    /// [`Quote::text_hash`] of the document's text; `None` where an import does not say.
    pub hash: Option<Fingerprint>,
    /// The tag of the passage, and its severity, where the question asks.
    pub tag: Option<String>,
    pub severity: Option<String>,
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

    /// Reads the form of [`Answer::to_json`]; `None` for any other value. An empty list is nothing.
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

    /// Whether the answer is an empty list, which says nothing.
    pub fn is_empty_list(&self) -> bool {
        match self {
            Answer::Bullets(numbers) => numbers.is_empty(),
            Answer::Names(names) => names.is_empty(),
            Answer::Points(points) => points.is_empty(),
            Answer::Passages(passages) => passages.is_empty(),
            Answer::Nothing | Answer::Text(_) | Answer::Bullet(_) => false,
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
    /// The passage under `span`, which is not empty, in `text`: the text of the document of this key.
    pub fn of(document: &str, text: &str, span: Span) -> Quote {
        Quote {
            document: document.to_owned(),
            start: Some(span.start() as u64),
            quote: span.slice(text).to_owned(),
            hash: Some(Quote::text_hash(text)),
            tag: None,
            severity: None,
        }
    }

    /// Whether the passage stands in the candidate.
    pub fn is_in_candidate(&self) -> bool {
        self.document.is_empty()
    }

    /// The fingerprint by which the text that a passage was selected in is known again.
    pub fn text_hash(text: &str) -> Fingerprint {
        fingerprint([text])
    }

    /// Where the passage stands in `text`, the document's text as it is now: at `start` if it stands
    /// there, else where it first occurs, runs of white space taken for equal. `None` when it is
    /// nowhere on grapheme boundaries.
    pub fn find(&self, text: &str) -> Option<Span> {
        locate_at(text, &self.quote, self.start)
    }

    /// Whether the passage may have been selected in this text: its hash is that of the text, or not known.
    pub fn may_be_of(&self, text: &str) -> bool {
        self.hash.is_none_or(|hash| hash == Quote::text_hash(text))
    }

    /// One behind the last byte of the passage in the document's text.
    pub fn end(&self) -> Option<u64> {
        self.start?.checked_add(self.quote.len() as u64)
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        if !self.is_in_candidate() {
            object.insert("document".to_owned(), Value::from(self.document.as_str()));
        }
        if let (Some(start), Some(end)) = (self.start, self.end()) {
            object.insert("start".to_owned(), Value::from(start));
            object.insert("end".to_owned(), Value::from(end));
        }
        object.insert("quote".to_owned(), Value::from(self.quote.as_str()));
        if let Some(hash) = self.hash {
            object.insert("hash".to_owned(), Value::from(hash.to_string()));
        }
        for (key, mark) in [("tag", &self.tag), ("severity", &self.severity)] {
            object.extend(mark.iter().map(|mark| (key.to_owned(), Value::from(mark.as_str()))));
        }
        Value::Object(object)
    }

    /// The quote and its start say where the passage ends, and an end that somebody counted otherwise, such as in characters,
    /// says nothing more: whether the passage stands there is found in the text.
    fn from_json(value: &Value) -> Option<Quote> {
        let object = only(value, &["document", "start", "end", "quote", "hash", "tag", "severity"])?;
        let text = |key: &str| object.get(key)?.as_str().map(str::to_owned);
        let is_missing = |key: &str| !object.contains_key(key);
        // A mark, where there is one, is a text.
        let mark = |key: &str| if is_missing(key) { Some(None) } else { text(key).map(Some) };
        let document = if is_missing("document") {
            String::new()
        } else {
            text("document").filter(|key| !key.is_empty())?
        };
        let start = match object.get("start") {
            Some(start) => Some(start.as_u64()?),
            None => None,
        };
        let hash = match object.get("hash") {
            Some(hash) => Some(hash.as_str()?.parse().ok()?),
            None => None,
        };
        let (tag, severity) = (mark("tag")?, mark("severity")?);
        let quote = Quote { document, start, quote: text("quote")?, hash, tag, severity };
        (object.get("end").is_none_or(Value::is_u64)
            && !quote.quote.is_empty()
            && quote.start.is_none_or(|_| quote.end().is_some()))
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

/// Reads a list by the kind of its first entry; the others are of the same kind.
fn list(values: &[Value]) -> Option<Answer> {
    let Some(first) = values.first() else { return Some(Answer::Nothing) };
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
    use crate::text::grapheme::graphemes;
    use proptest::prelude::*;
    use serde_json::json;

    fn quote() -> Quote {
        Quote {
            document: "d3".into(),
            start: Some(4),
            quote: "茶 tea".into(),
            hash: Some(Fingerprint([1; 16])),
            tag: None,
            severity: None,
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
            (
                Answer::Passages(vec![Quote {
                    document: String::new(),
                    start: None,
                    hash: None,
                    tag: Some("number".into()),
                    severity: Some("minor".into()),
                    ..quote()
                }]),
                json!([{"quote": "茶 tea", "tag": "number", "severity": "minor"}]),
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
            json!([{"document": "d", "quote": "tea", "start": 1, "end": "4"}]),
            json!([{"document": "d", "quote": "tea", "start": -1}]),
            json!([{"document": "d", "quote": "tea", "hash": "no"}]),
            json!([{"document": "", "quote": "tea"}]),
            json!([{"quote": "tea", "tag": 1}]),
        ] {
            assert_eq!(Answer::from_json(&value), None, "{value}");
        }
        assert_eq!(Answer::from_json(&json!([])), Some(Answer::Nothing));
        // An end that is counted in characters.
        let counted = json!([{"quote": "茶 tea", "start": 4, "end": 9}]);
        let said = Answer::from_json(&counted).expect("a passage");
        assert_eq!(
            said.passages().first().map(|quote| (quote.start, quote.end())),
            Some((Some(4), Some(11)))
        );
    }

    #[test]
    fn a_passage_is_found_again() {
        let text = "tea, 茶 tea";
        let span = Span::new(text, 9, 12).expect("a span of this text");
        let quote = Quote::of("d3", text, span);
        assert_eq!((quote.start, quote.end(), quote.quote.as_str()), (Some(9), Some(12), "tea"));
        assert_eq!(quote.find(text), Some(span));
        assert!(quote.may_be_of(text) && !quote.may_be_of("tea"));
        // The text has grown at its beginning, and the first "tea" is the best guess.
        assert_eq!(quote.find("More tea, 茶 tea").map(Span::range), Some(5..8));
        assert_eq!(quote.find("coffee"), None);
        let unplaced = Quote { start: None, hash: None, ..quote };
        assert_eq!(unplaced.find(text).map(Span::range), Some(0..3));
        assert!(unplaced.may_be_of("another text"));
    }

    /// Any text, half of them of pieces that join up with their neighbours and repeat.
    fn text() -> impl Strategy<Value = String> {
        let pieces =
            ["a", "a b", "e\u{301}", "\u{301}", "\r", "\n", " ", "中", "👩\u{200D}🔬", "\u{200D}", "🇩", "ก"];
        let joined = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24);
        prop_oneof![joined.prop_map(|pieces| pieces.concat()), any::<String>()]
    }

    proptest! {
        #[test]
        fn every_passage_is_found_where_it_was_selected(
            text in text(), ends in any::<(prop::sample::Index, prop::sample::Index)>(),
        ) {
            let mut boundaries: Vec<usize> = graphemes(&text).map(|(start, _)| start).collect();
            boundaries.push(text.len());
            let (a, b) = (boundaries[ends.0.index(boundaries.len())], boundaries[ends.1.index(boundaries.len())]);
            let span = Span::new(&text, a.min(b), a.max(b)).expect("graphemes end on boundaries");
            let quote = Quote::of("d", &text, span);
            prop_assert_eq!(quote.find(&text), Some(span));
            prop_assert_eq!(quote.end(), Some(a.max(b) as u64));
            prop_assert!(quote.may_be_of(&text));
            if !span.is_empty() {
                let said = Answer::Passages(vec![quote]);
                prop_assert_eq!(Answer::from_json(&said.to_json()), Some(said));
            }
        }

        #[test]
        fn what_is_found_in_another_text_says_the_same(text in text(), quote in text(), start in any::<Option<u8>>()) {
            let quote = Quote { document: "d".into(), start: start.map(u64::from), quote, hash: None, tag: None, severity: None };
            if let Some(span) = quote.find(&text) {
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                // Where the quote cuts a letter at its place, all of the letter is found.
                let around = quote.start.map(|start| Span::around(&text, start as usize, start as usize + quote.quote.len()));
                prop_assert!(words(span.slice(&text)) == words(&quote.quote) || Some(span) == around, "{span:?}");
            }
        }
    }
}
