//! The place of a byte in a JSON text. No value is kept and nothing is checked: that is the parser's work.

/// Frames deeper than this are counted but not remembered; no known format comes near.
const DEEPEST: usize = 200;

/// Bytes of a key that are remembered.
const LONGEST_KEY: usize = 200;

/// Names of a path that are printed.
const LONGEST_PATH: usize = 16;

/// Follows JSON byte by byte.
#[derive(Debug, Default)]
pub(super) struct Walk {
    frames: Vec<JsonFrame>,
    /// Objects and lists that are open below the remembered ones.
    deeper: usize,
    /// The string last read, as it stands between its quotes.
    string: Vec<u8>,
    state: WalkState,
}

#[derive(Debug, Default, PartialEq)]
enum WalkState {
    #[default]
    Between,
    InString,
    /// Behind a backslash of a string.
    Escaped,
}

#[derive(Debug)]
enum JsonFrame {
    /// An object, with the key whose value is read.
    Object(Option<String>),
    /// A list, with the 0-based number of the element that is read.
    List(usize),
}

/// The part of a text that a byte completed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// The key of an entry.
    Key,
    /// An object or list.
    End,
    /// Nothing worth telling.
    Nothing,
}

impl Walk {
    /// Takes the next byte.
    pub(super) fn step(&mut self, byte: u8) -> Met {
        match self.state {
            WalkState::Between => return self.between(byte),
            WalkState::Escaped => {
                self.state = WalkState::InString;
                self.remember(byte);
            }
            WalkState::InString if byte == b'"' => self.state = WalkState::Between,
            WalkState::InString => {
                if byte == b'\\' {
                    self.state = WalkState::Escaped;
                }
                self.remember(byte);
            }
        }
        Met::Nothing
    }

    fn remember(&mut self, byte: u8) {
        if self.string.len() < LONGEST_KEY {
            self.string.push(byte);
        }
    }

    fn between(&mut self, byte: u8) -> Met {
        match byte {
            b'"' => {
                self.string.clear();
                self.state = WalkState::InString;
            }
            b'{' => self.open(JsonFrame::Object(None)),
            b'[' => self.open(JsonFrame::List(0)),
            b'}' | b']' => {
                match self.deeper.checked_sub(1) {
                    Some(fewer) => self.deeper = fewer,
                    None => drop(self.frames.pop()),
                }
                return Met::End;
            }
            b':' if self.deeper == 0 => {
                if let Some(JsonFrame::Object(key)) = self.frames.last_mut() {
                    *key = Some(decoded(&self.string));
                    return Met::Key;
                }
            }
            b',' if self.deeper == 0 => match self.frames.last_mut() {
                Some(JsonFrame::Object(key)) => *key = None,
                Some(JsonFrame::List(number)) => *number += 1,
                None => {}
            },
            _ => {}
        }
        Met::Nothing
    }

    fn open(&mut self, frame: JsonFrame) {
        if self.frames.len() < DEEPEST {
            self.frames.push(frame);
        } else {
            self.deeper += 1;
        }
    }

    /// How many objects and lists are open.
    pub(super) fn depth(&self) -> usize {
        self.frames.len() + self.deeper
    }

    /// The key of the innermost object's current entry.
    pub(super) fn key(&self) -> Option<&str> {
        match self.frames.last() {
            Some(JsonFrame::Object(key)) if self.deeper == 0 => key.as_deref(),
            _ => None,
        }
    }

    /// The place reached, such as `subtopics[2].insights[0].insight_id`; empty at the top.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for frame in self.frames.iter().take(LONGEST_PATH) {
            match frame {
                JsonFrame::Object(Some(key)) => path = entry(&path, key),
                JsonFrame::Object(None) => {}
                JsonFrame::List(number) => path = element(&path, *number),
            }
        }
        if self.frames.len() > LONGEST_PATH {
            path.push('…');
        }
        path
    }
}

/// The place of the entry `key` of the object at `path`.
pub(super) fn entry(path: &str, key: &str) -> String {
    let plain = key.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && key.chars().all(|character| character.is_alphanumeric() || "_-".contains(character));
    match (plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}

/// The place of element `number`, from 0, of the list at `path`.
pub(super) fn element(path: &str, number: usize) -> String {
    format!("{path}[{number}]")
}

/// The place of a parser's error in `text`, found behind byte `reached`.
pub(super) fn path_of(error: &serde_json::Error, text: &[u8], reached: usize) -> String {
    // The byte that does not belong there is no part of the place.
    path_at(text, reached.saturating_sub(usize::from(error.is_syntax())))
}

/// The place that JSON has reached with its first `length` bytes.
fn path_at(text: &[u8], length: usize) -> String {
    let mut walk = Walk::default();
    for byte in text.iter().take(length) {
        walk.step(*byte);
    }
    walk.path()
}

fn decoded(string: &[u8]) -> String {
    let quoted = [b"\"", string, b"\""].concat();
    serde_json::from_slice(&quoted).unwrap_or_else(|_| String::from_utf8_lossy(string).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_place_of_every_byte() {
        let text = r#"{"a": [1, {"b\"c": "x]{,", "dé": [true]}], "e-1": 2, "f g": 3}"#;
        let check = |needle: &str, expected: &str| {
            let offset = text.find(needle).expect("in the text");
            assert_eq!(path_at(text.as_bytes(), offset + 1), expected, "at {needle}");
        };
        check("1,", "a[0]");
        check("x]", "a[1][\"b\\\"c\"]");
        check("true", "a[1].dé[0]");
        check("2,", "e-1");
        check("3}", "[\"f g\"]");
        assert_eq!(path_at(text.as_bytes(), text.len()), "");
    }

    #[test]
    fn deep_nesting_costs_no_memory_and_ends_where_it_began() {
        let mut walk = Walk::default();
        for _ in 0..1_000_000 {
            walk.step(b'[');
        }
        assert_eq!((walk.depth(), walk.frames.len()), (1_000_000, DEEPEST));
        assert!(walk.path().ends_with("[0]…"));
        for _ in 0..1_000_000 {
            assert_eq!(walk.step(b']'), Met::End);
        }
        assert_eq!((walk.depth(), walk.path()), (0, String::new()));
        assert_eq!(walk.step(b']'), Met::End);
    }
}
