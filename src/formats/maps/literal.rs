//! What stands in a text: lists and objects as JSON, as Python prints them, or as NumPy does, without commas; and times.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::digits::digits_kept;
use crate::error::{Error, Result};
use crate::formats::json;

/// How deep lists and objects may stand inside each other.
const DEEPEST: usize = 100;

/// The list or object that the text holds; `None` for any other text.
pub(super) fn read(text: &str) -> Result<Option<Value>> {
    let text = text.trim();
    if !text.starts_with(['[', '{']) {
        return Ok(None);
    }
    if let Ok(value) = serde_json::from_str(&digits_kept(text)) {
        return Ok(Some(value).filter(|value| json::depth(value) <= DEEPEST));
    }
    let mut literal = PythonLiteral { rest: text, is_cut: false };
    let value = literal.value(0).filter(|_| literal.rest.trim().is_empty());
    if literal.is_cut {
        return Err(
            Error::new("the list was cut by NumPy (\"...\")").advise("write it with tolist() or as JSON")
        );
    }
    Ok(value)
}

/// A time of a foreign file in whole seconds as RFC 3339, in UTC where it says no other zone; what is no time is refused when it
/// comes into the study.
pub(super) fn as_time(at: String) -> String {
    let civil = || Some(at.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let time = at.parse::<Timestamp>().ok().or_else(civil);
    time.map_or(at, |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// A text of Python that is being read.
struct PythonLiteral<'t> {
    rest: &'t str,
    /// Whether NumPy wrote `...` for elements that it left out.
    is_cut: bool,
}

impl PythonLiteral<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '[' | '(' | '{' if depth < DEEPEST => {
                self.rest = self.rest.get(1..)?;
                if first == '{' { self.object(depth + 1) } else { self.list(first, depth + 1) }
            }
            '\'' | '"' => self.text(first).map(Value::String),
            _ => self.word(),
        }
    }

    fn list(&mut self, opening: char, depth: usize) -> Option<Value> {
        let closing = if opening == '[' { ']' } else { ')' };
        let mut elements = Vec::new();
        while !self.passes(closing) {
            if self.rest.starts_with("...") {
                self.is_cut = true;
                return None;
            }
            elements.push(self.value(depth)?);
            self.passes(',');
        }
        Some(Value::Array(elements))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        while !self.passes('}') {
            let name = match self.value(depth)? {
                Value::String(name) => name,
                other => other.to_string(),
            };
            if !self.passes(':') {
                return None;
            }
            fields.insert(name, self.value(depth)?);
            self.passes(',');
        }
        Some(Value::Object(fields))
    }

    /// Passes white space, and the character if it comes next.
    fn passes(&mut self, character: char) -> bool {
        self.rest = self.rest.trim_start();
        let behind = self.rest.strip_prefix(character);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut read = String::new();
        let mut characters = self.rest.get(1..)?.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.rest = self.rest.get(1 + at + 1..)?;
                    return Some(read);
                }
                '\\' => match characters.next()?.1 {
                    'n' => read.push('\n'),
                    't' => read.push('\t'),
                    'r' => read.push('\r'),
                    '\n' => {}
                    coded @ ('x' | 'u' | 'U') => {
                        let digits = match coded {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let code: String = characters.by_ref().take(digits).map(|(_, digit)| digit).collect();
                        read.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                    }
                    plain => read.push(plain),
                },
                plain => read.push(plain),
            }
        }
        None
    }

    fn word(&mut self) -> Option<Value> {
        let ends = |character: char| character.is_whitespace() || ",:]})".contains(character);
        let (word, rest) = self.rest.split_at_checked(self.rest.find(ends).unwrap_or(self.rest.len()))?;
        self.rest = rest;
        match word {
            "None" | "nan" => Some(Value::Null),
            "True" => Some(true.into()),
            "False" => Some(false.into()),
            number => {
                let is_number = |value: &Value| value.is_number() || value.is_string();
                serde_json::from_str(&digits_kept(number.trim_end_matches('.'))).ok().filter(is_number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_python_and_numpy_print_is_opened() {
        for (text, expected) in [
            (r#"["a", {"b": [1]}]"#, json!(["a", {"b": [1]}])),
            (r#" ['a, b', "it's"] "#, json!(["a, b", "it's"])),
            (r"['\'', '\u6865\n', True, None, -1.5]", json!(["'", "桥\n", true, null, -1.5])),
            ("['a'\n 'b']", json!(["a", "b"])),
            ("[1. 2.5]", json!([1, 2.5])),
            ("['a' 12345678901234567890123]", json!(["a", "12345678901234567890123"])),
            ("[12345678901234567890123]", json!(["12345678901234567890123"])),
            ("{'a': ('x',), 2: []}", json!({"a": ["x"], "2": []})),
        ] {
            assert_eq!(read(text), Ok(Some(expected)), "{text}");
        }
        let deep = format!("[{}1", "['a',".repeat(5_000));
        for text in ["plain", "[see 3]", "[1] shows", "{", "['a", &deep] {
            assert_eq!(read(text), Ok(None));
        }
        let refused = read("['a' ... 'b']").expect_err("cut").to_string();
        assert_eq!(refused, "the list was cut by NumPy (\"...\"); write it with tolist() or as JSON");
    }
}
