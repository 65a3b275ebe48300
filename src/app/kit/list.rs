//! A list over the screen from which one thing is chosen, or several are switched on and off. It narrows down
//! to what fits the letters typed.

use ratatui_textarea::TextArea;

use super::key::{Key, KeyCode};
use super::overlay::{text_area, type_key};

/// What is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// The columns of the table, switched on and off.
    Columns,
    /// The column to sort by.
    Sort,
    /// Saved views, opened and deleted; the first line saves the present one.
    Views,
    /// Whose judgments scores are made of.
    Whose,
    /// The score that grids are of.
    Score,
    /// The question whose agreement is shown.
    Question,
    /// The tags of the row, switched on and off.
    Tags,
}

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListEntry {
    pub name: String,
    /// What explains it.
    pub about: String,
    /// Switched on, in a list that switches; the present one, in a list that chooses.
    pub is_on: bool,
    /// The letter that switches it, where it has one.
    pub key: Option<char>,
}

/// A list with what was typed into it.
#[derive(Debug, Clone)]
pub struct List {
    pub kind: ListKind,
    pub title: String,
    pub entries: Vec<ListEntry>,
    /// What was typed; lists whose lines have letters take none.
    pub area: TextArea<'static>,
    /// Indices of the entries that fit it.
    pub shown: Vec<usize>,
    /// Index into `shown`.
    pub selected: usize,
}

/// What a key in a list asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The entry of this index is taken, or switched.
    Take(usize),
    /// The entry of this index is to be deleted.
    Delete(usize),
    /// The entry of this index is to be moved up or down in the list.
    Move(usize, isize),
    Nothing,
}

impl List {
    /// A list with the cursor on the present one.
    pub fn new(kind: ListKind, title: impl Into<String>, entries: Vec<ListEntry>) -> List {
        let switches = matches!(kind, ListKind::Columns | ListKind::Tags);
        let present = entries.iter().position(|entry| entry.is_on && !switches);
        List {
            kind,
            title: title.into(),
            shown: (0..entries.len()).collect(),
            selected: present.unwrap_or(0),
            entries,
            area: text_area(""),
        }
    }

    /// What is typed so far.
    pub fn needle(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Whether its lines have letters of their own.
    pub fn has_letters(&self) -> bool {
        self.entries.iter().any(|entry| entry.key.is_some())
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<usize> {
        self.shown.get(self.selected).copied()
    }

    /// Takes a key in.
    pub fn press(&mut self, key: Key) -> Asked {
        match key.code {
            KeyCode::Down if key.alt => return self.moved(1),
            KeyCode::Up if key.alt => return self.moved(-1),
            _ => {}
        }
        if let Some(rows) = key.rows() {
            self.select(rows);
            return Asked::Nothing;
        }
        match key.code {
            KeyCode::Enter => return self.current().map_or(Asked::Nothing, Asked::Take),
            KeyCode::Delete => return self.current().map_or(Asked::Nothing, Asked::Delete),
            KeyCode::Char('d') if key.control => return self.current().map_or(Asked::Nothing, Asked::Delete),
            KeyCode::Char(' ') if self.switches() => {
                return self.current().map_or(Asked::Nothing, Asked::Take);
            }
            _ if self.has_letters() => return self.letter(key),
            _ => {
                if type_key(&mut self.area, key) {
                    self.narrow();
                }
            }
        }
        Asked::Nothing
    }

    fn switches(&self) -> bool {
        matches!(self.kind, ListKind::Columns | ListKind::Tags)
    }

    fn letter(&mut self, key: Key) -> Asked {
        let letter = key.plain_char();
        match self.entries.iter().position(|entry| letter.is_some() && entry.key == letter) {
            Some(index) => {
                self.selected = self.shown.iter().position(|shown| *shown == index).unwrap_or(self.selected);
                Asked::Take(index)
            }
            None => Asked::Nothing,
        }
    }

    fn moved(&self, by: isize) -> Asked {
        self.current().map_or(Asked::Nothing, |index| Asked::Move(index, by))
    }

    fn select(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.shown.len().saturating_sub(1));
    }

    /// Keeps the lines that hold every word typed.
    fn narrow(&mut self) {
        let needle = self.needle().to_lowercase();
        let words: Vec<&str> = needle.split_whitespace().collect();
        let fits = |entry: &ListEntry| {
            let text = format!("{} {}", entry.name, entry.about).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let fitting = self.entries.iter().enumerate().filter(|(_, entry)| fits(entry));
        self.shown = fitting.map(|(index, _)| index).collect();
        self.selected = 0;
    }

    /// The first visible line in a body of so many rows.
    pub fn first(&self, height: u16) -> usize {
        (self.selected + 1).saturating_sub(usize::from(height).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(kind: ListKind, keys: bool) -> List {
        let names = ["coverage", "citation", "joint"];
        let entry = |name: &&str| ListEntry {
            name: (*name).to_owned(),
            key: keys.then(|| name.chars().next()).flatten(),
            is_on: *name == "citation",
            ..ListEntry::default()
        };
        List::new(kind, "t", names.iter().map(entry).collect())
    }

    fn press(list: &mut List, keys: &str) -> Vec<Asked> {
        keys.split_whitespace().map(|key| list.press(key.parse().expect(key))).collect()
    }

    #[test]
    fn letters_narrow_and_enter_takes() {
        let mut list = list(ListKind::Sort, false);
        assert_eq!(list.selected, 1, "the present one");
        assert_eq!(press(&mut list, "c i down up enter").last(), Some(&Asked::Take(1)));
        assert_eq!(list.shown, [1]);
        press(&mut list, "z");
        assert_eq!(press(&mut list, "enter"), [Asked::Nothing]);
        press(&mut list, "backspace backspace backspace pagedown");
        assert_eq!(list.current(), Some(2));
        assert_eq!(press(&mut list, "delete alt-up"), [Asked::Delete(2), Asked::Move(2, -1)]);
    }

    #[test]
    fn lines_with_letters_are_switched_by_them() {
        let mut list = list(ListKind::Tags, true);
        assert_eq!(press(&mut list, "j x space"), [Asked::Take(2), Asked::Nothing, Asked::Take(2)]);
    }
}
