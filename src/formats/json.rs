//! A JSON text that is read whole, piece by piece: every piece knows its place, so that what does
//! not fit is named and the rest can still be read.
//!
//! A piece is skipped over before it is read, at twice the speed of reading, and nothing is copied
//! until a value is asked for.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{sentence, walk};
use crate::error::{Error, Result};
use crate::study::{Place, Record, Sink};

/// How deep lists and objects of a value that is kept may stand inside each other. An export puts the
/// value two levels deeper, into a record's free fields, and the parser reads 127 levels.
pub(super) const DEEPEST_FREE: usize = 125;

/// A value of the text that is not read yet.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    whole: Rc<Whole<'a>>,
    raw: &'a str,
    path: String,
    /// Whether the whole is one line of a file: then its errors do not say which line.
    is_line: bool,
}

/// A text, and how far its lines are counted. A file may be wrong in every row, so that each place is
/// counted from the one before it, not from the beginning.
#[derive(Debug)]
struct Whole<'a> {
    text: &'a str,
    reached: Cell<Reached>,
}

/// A place of a text.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// In bytes.
    offset: usize,
    /// From 1.
    line: u64,
    /// How many characters of the line begin before the place.
    column: usize,
}

impl Whole<'_> {
    /// The place of the byte at `offset`.
    fn reach(&self, offset: usize) -> Reached {
        let last = self.reached.get();
        let bytes = self.text.as_bytes();
        let (first, behind) = (last.offset.min(offset), last.offset.max(offset));
        let between = bytes.get(first..behind).unwrap_or_default();
        let breaks = memchr::memchr_iter(b'\n', between).count() as u64;
        let (line, column) = if offset < last.offset {
            (last.line.saturating_sub(breaks), last.column.saturating_sub(characters(between)))
        } else {
            (last.line + breaks, last.column + characters(between))
        };
        let column = if breaks == 0 { column } else { behind_break(bytes.get(..offset).unwrap_or(bytes)) };
        let reached = Reached { offset, line, column };
        self.reached.set(reached);
        reached
    }
}

/// How many characters of the last line of `bytes` there are.
fn behind_break(bytes: &[u8]) -> usize {
    let start = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    characters(bytes.get(start..).unwrap_or_default())
}

/// A value that does not fit what was expected, and its place.
#[derive(Debug)]
pub(super) struct Misfit {
    place: Place,
    /// The error with its line, but without the path, which is the place.
    error: Box<Error>,
}

/// The value of a piece, or why the piece does not fit.
pub(super) type Fits<T> = std::result::Result<T, Misfit>;

impl Misfit {
    /// The misfit as an error that ends the reading.
    pub(super) fn into_error(self) -> Error {
        self.error.at(&self.place)
    }

    /// Moves the misfit of a text that is itself the value at `path`: the place inside it follows that path.
    pub(super) fn within(mut self, path: &str) -> Misfit {
        self.place = Place::Path(match self.place {
            Place::Path(inner) if inner.starts_with('[') => format!("{path}{inner}"),
            Place::Path(inner) => format!("{path}.{inner}"),
            Place::Line(_) => path.to_owned(),
        });
        self
    }

    /// Adds advice.
    pub(super) fn advise(mut self, advice: &str) -> Misfit {
        *self.error = self.error.clone().advise(advice);
        self
    }
}

/// Hands a misfit to the sink, which decides whether to go on without the piece.
pub(super) fn refuse(sink: &mut dyn Sink, misfit: Misfit) -> Result<()> {
    let place = misfit.place.clone();
    sink.refuse(misfit.place, *misfit.error).map_err(|error| error.at(&place))
}

/// Hands on a record that stood at `piece`.
pub(super) fn take(sink: &mut dyn Sink, piece: &Piece<'_>, record: Record) -> Result<()> {
    sink.take(piece.place(), record).map_err(|error| error.at(&piece.place()))
}

/// Reads the outermost value of a text.
pub(super) fn root(text: &str) -> Result<Piece<'_>> {
    outermost(text, false).map_err(Misfit::into_error)
}

/// Reads the outermost value of one line of a file. The number of the line is left to the caller.
pub(super) fn line(text: &str) -> Fits<Piece<'_>> {
    outermost(text, true)
}

fn outermost(text: &str, is_line: bool) -> Fits<Piece<'_>> {
    let whole = Rc::new(Whole { text, reached: Cell::new(Reached { offset: 0, line: 1, column: 0 }) });
    let piece = Piece { whole, raw: text, path: String::new(), is_line };
    let value: &RawValue = piece.read()?;
    Ok(piece.inside(value, String::new()))
}

impl<'a> Piece<'a> {
    fn inside(&self, value: &'a RawValue, path: String) -> Piece<'a> {
        Piece { whole: Rc::clone(&self.whole), raw: value.get(), path, is_line: self.is_line }
    }

    /// The place, such as `[7].annotation[2]`.
    pub(super) fn place(&self) -> Place {
        self.place_of(self.path.clone(), self.start())
    }

    /// The outermost value has no path; its place is its line.
    fn place_of(&self, path: String, offset: usize) -> Place {
        if path.is_empty() { Place::Line(self.whole.reach(offset).line) } else { Place::Path(path) }
    }

    /// The path alone.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The value.
    pub(super) fn read<T: Deserialize<'a>>(&self) -> Fits<T> {
        serde_json::from_str(self.raw).map_err(|error| self.parser_misfit(&error))
    }

    /// The entry `key` of this object, for saying where something does not fit.
    pub(super) fn entry(&self, key: &str) -> Piece<'a> {
        Piece { path: walk::entry(&self.path, key), ..self.clone() }
    }

    /// The entries of an object.
    pub(super) fn fields(&self) -> Fits<Fields<'a>> {
        let Entries(entries) = self.read()?;
        let mut seen = HashSet::with_capacity(entries.len());
        if let Some((key, _)) = entries.iter().find(|(key, _)| !seen.insert(key.as_ref())) {
            let what = format!("{} stands twice in one object", sentence::quoted(key));
            return Err(self.misfit(what).advise("keep one of the two"));
        }
        Ok(Fields { piece: self.clone(), entries })
    }

    /// The elements of a list.
    pub(super) fn elements(&self) -> Fits<Vec<Piece<'a>>> {
        let values: Vec<&RawValue> = self.read()?;
        let pieces = values.into_iter().enumerate();
        Ok(pieces.map(|(number, value)| self.inside(value, walk::element(&self.path, number))).collect())
    }

    /// The misfit that the caller found in this piece.
    pub(super) fn misfit(&self, what: impl Into<String>) -> Misfit {
        let error = self.on_its_line(Error::new(what), self.start());
        Misfit { place: self.place(), error: Box::new(error) }
    }

    /// The error, with the line of the byte at `offset` of the text.
    fn on_its_line(&self, error: Error, offset: usize) -> Error {
        if self.is_line { error } else { error.at_line(self.whole.reach(offset).line) }
    }

    /// A value that is kept as it is.
    pub(super) fn free(&self) -> Fits<Value> {
        let value = self.read()?;
        if depth(&value) > DEEPEST_FREE {
            let what = format!("lists and objects stand more than {DEEPEST_FREE} deep inside each other");
            return Err(self.misfit(what));
        }
        Ok(value)
    }

    /// Where the piece begins in the text, in bytes.
    fn start(&self) -> usize {
        // The piece is a part of the text, so the difference of their addresses is its offset.
        (self.raw.as_ptr() as usize).saturating_sub(self.whole.text.as_ptr() as usize)
    }

    fn parser_misfit(&self, error: &serde_json::Error) -> Misfit {
        let reached = offset(self.raw, error.line(), error.column());
        let inner = walk::path_of(error, self.raw.as_bytes(), reached);
        let path = match (self.path.is_empty(), inner.is_empty(), inner.starts_with('[')) {
            (true, _, _) => inner,
            (false, true, _) => self.path.clone(),
            (false, false, true) => format!("{}{inner}", self.path),
            (false, false, false) => format!("{}.{inner}", self.path),
        };
        let place = self.start() + reached;
        let stopped = self.raw.as_bytes().get(reached.saturating_sub(1)..).unwrap_or_default();
        let told = sentence::told(error, self.whole.reach(place).column, stopped);
        Misfit { place: self.place_of(path, place), error: Box::new(self.on_its_line(told, place)) }
    }
}

/// How deep lists and objects stand inside each other.
pub(super) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The offset behind the byte that the parser calls `line` and `column`.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let earlier: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (earlier + column).min(text.len())
}

/// How many characters of UTF-8 begin in `bytes`.
pub(super) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// An object whose values are not read yet.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    /// The object itself.
    pub(super) piece: Piece<'a>,
    entries: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// The value of `key`, where there is one and it is not null.
    pub(super) fn find(&self, key: &str) -> Option<Piece<'a>> {
        let (_, value) = self.entries.iter().find(|(name, _)| name == key)?;
        (value.get() != "null").then(|| self.piece.inside(value, walk::entry(&self.piece.path, key)))
    }

    /// The value of `key`.
    pub(super) fn piece(&self, key: &str) -> Fits<Piece<'a>> {
        let missing = || self.piece.misfit(format!("{key:?} is missing"));
        self.find(key).ok_or_else(missing)
    }

    /// The value of `key`, read.
    pub(super) fn required<T: Deserialize<'a>>(&self, key: &str) -> Fits<T> {
        self.piece(key)?.read()
    }

    /// The value of `key`, read; `None` when it is missing or null.
    pub(super) fn optional<T: Deserialize<'a>>(&self, key: &str) -> Fits<Option<T>> {
        self.find(key).map(|piece| piece.read()).transpose()
    }

    /// All entries in the order of the text.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, Piece<'a>)> {
        self.entries.iter().map(|(key, value)| {
            let path = walk::entry(&self.piece.path, key);
            (key.as_ref(), self.piece.inside(value, path))
        })
    }
}

/// The entries of an object in the order of the text.
pub(super) struct Entries<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

/// A text, borrowed unless it is escaped.
#[derive(Deserialize)]
pub(super) struct JsonText<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((JsonText(key), value)) = map.next_entry()? {
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"a\": [\n  1,\n  {\"b c\": \"é\", \"d\": 5}],\n \"n\": null}";

    fn misfit<T: fmt::Debug>(fits: Fits<T>) -> String {
        fits.expect_err("does not fit").into_error().to_string()
    }

    #[test]
    fn places_are_those_of_the_whole_text() {
        let fields = root(TEXT).expect("JSON").fields().expect("an object");
        let elements = fields.piece("a").expect("there").elements().expect("a list");
        let inner = elements[1].fields().expect("an object");
        assert_eq!(inner.required::<String>("b c").expect("a text"), "é");
        assert_eq!(
            misfit(inner.required::<String>("d")),
            "line 3, a[1].d: expected a string, found the number 5 (column 21)"
        );
        assert_eq!(
            misfit(inner.required::<u32>("b c")),
            "line 3, a[1][\"b c\"]: expected a whole number from 0 to 4294967295, found the text \"é\" (column 13)"
        );
        assert_eq!(
            misfit(elements[0].fields()),
            "line 2, a[0]: expected an object, found the number 1 (column 3)"
        );
        assert_eq!(misfit(inner.piece("e")), "line 3, a[1]: \"e\" is missing");
        assert_eq!(misfit(fields.required::<String>("n")), "line 1: \"n\" is missing");
        assert_eq!(fields.optional::<String>("n").expect("null is nothing"), None);
    }

    #[test]
    fn an_error_inside_a_value_names_the_place_inside() {
        let fields = root(TEXT).expect("JSON").fields().expect("an object");
        assert_eq!(
            misfit(fields.required::<Vec<u32>>("a")),
            "line 3, a[1]: expected a whole number from 0 to 4294967295, found an object (column 2)"
        );
    }

    #[test]
    fn places_are_the_same_in_whatever_order_they_are_asked_for() {
        let text = "aé\n\n中b\r\n\nc";
        // By hand: offset, line, characters of the line before it. `é` takes two bytes, `中` three.
        let places =
            [(0, 1, 0), (1, 1, 1), (3, 1, 2), (4, 2, 0), (5, 3, 0), (8, 3, 1), (11, 4, 0), (13, 5, 1)];
        let whole = Whole { text, reached: Cell::new(Reached { offset: 0, line: 1, column: 0 }) };
        for (before, _, _) in places {
            for (offset, line, column) in places {
                whole.reach(before);
                let reached = whole.reach(offset);
                assert_eq!((reached.line, reached.column), (line, column), "{offset} after {before}");
            }
        }
    }

    #[test]
    fn broken_text_is_refused_at_once() {
        let error = |text: &str| root(text).expect_err("broken").to_string();
        assert_eq!(
            error("{\"a\": [1,\n 2"),
            "line 2, a[1]: the text ends in the middle of a list (column 2); it was cut off; get it again"
        );
        assert!(error("{\"a\": 1} x").contains("trailing characters (column 10)"));
        assert!(error(&"[".repeat(1_000_000)).contains("the text ends in the middle of a list"));
    }

    #[test]
    fn nesting_without_end_is_refused_and_does_not_overflow() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let piece = root(&deep).expect("skipping has no depth");
        assert!(misfit(piece.read::<serde_json::Value>()).contains("more than 127 deep"));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let piece = root("{\"a\":1,\"b\":2,\"\\u0061\":3}").expect("JSON");
        assert!(misfit(piece.fields()).contains("\"a\" stands twice"));
    }
}
