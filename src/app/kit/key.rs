//! A key as haymark sees it, whatever terminal it came from, and its written form.

use std::fmt;
use std::str::FromStr;

use crate::text::width::half_width;

/// A pressed key. Shift is part of the character (`G`, `!`), so only control and alt stand apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub control: bool,
    pub alt: bool,
}

/// The key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyCode {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Delete,
    Tab,
    BackTab,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Function(u8),
}

/// Written names of the keys that are no characters, and the sign for the bottom bar.
const NAMES: &[(KeyCode, &str, &str)] = &[
    (KeyCode::Enter, "enter", "⏎"),
    (KeyCode::Escape, "esc", "esc"),
    (KeyCode::Backspace, "backspace", "⌫"),
    (KeyCode::Delete, "delete", "del"),
    (KeyCode::Tab, "tab", "tab"),
    (KeyCode::BackTab, "backtab", "shift-tab"),
    (KeyCode::Left, "left", "←"),
    (KeyCode::Right, "right", "→"),
    (KeyCode::Up, "up", "↑"),
    (KeyCode::Down, "down", "↓"),
    (KeyCode::Home, "home", "home"),
    (KeyCode::End, "end", "end"),
    (KeyCode::PageUp, "pageup", "pgup"),
    (KeyCode::PageDown, "pagedown", "pgdn"),
    (KeyCode::Char(' '), "space", "space"),
];

impl Key {
    /// A key without control and alt.
    pub fn plain(code: KeyCode) -> Key {
        Key { code, control: false, alt: false }
    }

    /// The plain character that a key types, if it is one.
    pub fn typed_char(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.control && !self.alt => Some(character),
            _ => None,
        }
    }

    /// The plain character of a key that commands or answers, if it is one.
    pub fn plain_char(self) -> Option<char> {
        self.meant().typed_char()
    }

    /// The key as commands and answers take it: input methods send full-width characters for those of the keyboard.
    pub fn meant(self) -> Key {
        match self.code {
            KeyCode::Char(character) => Key { code: KeyCode::Char(half_width(character)), ..self },
            _ => self,
        }
    }

    /// Whether the key closes an overlay.
    pub fn leaves(self) -> bool {
        self.code == KeyCode::Escape || (self.control && matches!(self.code, KeyCode::Char('c' | 'q')))
    }

    /// The rows by which the key moves the cursor of a list.
    pub fn rows(self) -> Option<isize> {
        match self.code {
            KeyCode::Down => Some(1),
            KeyCode::Up => Some(-1),
            KeyCode::Char('n') if self.control => Some(1),
            KeyCode::Char('p') if self.control => Some(-1),
            KeyCode::PageDown => Some(10),
            KeyCode::PageUp => Some(-10),
            _ => None,
        }
    }

    /// The short form that screens show beside what the key does.
    pub fn sign(self) -> String {
        let name = match self.code {
            KeyCode::Char(character) if character != ' ' => character.to_string(),
            KeyCode::Function(number) => format!("F{number}"),
            code => named(code).map_or_else(String::new, |(_, sign)| sign.to_owned()),
        };
        format!("{}{name}", self.modifiers("^", "alt-"))
    }

    fn modifiers(self, control: &str, alt: &str) -> String {
        let mut prefix = String::new();
        if self.control {
            prefix.push_str(control);
        }
        if self.alt {
            prefix.push_str(alt);
        }
        prefix
    }
}

fn named(code: KeyCode) -> Option<(&'static str, &'static str)> {
    NAMES.iter().find(|(other, _, _)| *other == code).map(|(_, name, sign)| (*name, *sign))
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.modifiers("ctrl-", "alt-"))?;
        match self.code {
            KeyCode::Char(character) if character != ' ' => write!(formatter, "{character}"),
            KeyCode::Function(number) => write!(formatter, "f{number}"),
            code => formatter.write_str(named(code).map_or("", |(name, _)| name)),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    /// Reads `x`, `G`, `enter`, `ctrl-z`, `alt-left`, `f1`.
    fn from_str(text: &str) -> Result<Key, String> {
        let mut key = Key::plain(KeyCode::Enter);
        let mut rest = text;
        loop {
            if let Some(after) = rest.strip_prefix("ctrl-") {
                (key.control, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("alt-") {
                (key.alt, rest) = (true, after);
            } else {
                break;
            }
        }
        let named = NAMES.iter().find(|(_, name, _)| *name == rest);
        let function = rest.strip_prefix('f').and_then(|number| number.parse().ok());
        let mut characters = rest.chars();
        key.code = match (named, function, characters.next(), characters.next()) {
            (Some((code, _, _)), ..) => *code,
            (None, Some(number @ 1..=12), ..) => KeyCode::Function(number),
            (None, None, Some(character), None) if !character.is_control() => KeyCode::Char(character),
            _ => return Err(format!("{text:?} is no key")),
        };
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_forms_go_both_ways() {
        for text in ["x", "G", "!", "enter", "ctrl-z", "alt-left", "f1", "space", "backtab", "?", "-"] {
            let key: Key = text.parse().expect(text);
            assert_eq!(key.to_string(), text);
        }
        for text in ["", "ctrl-", "xx", "f13", "enterr"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }

    #[test]
    fn signs_are_short() {
        let sign = |text: &str| text.parse::<Key>().expect(text).sign();
        assert_eq!([sign("enter"), sign("ctrl-z"), sign("x")], ["⏎", "^z", "x"]);
    }
}
