//! A list over the screen from which one thing is chosen, or several are switched on and off. It narrows down
//! to what fits the letters typed.

use ratatui_textarea::TextArea;

use super::{Key, KeyCode, text_area, type_key};

/// The subject of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// The columns of the table, switched on and off.
    Columns,
    /// The column to sort by.
    Sort,
    /// Saved views, opened and deleted; the first line saves the present one.
    Views,
    /// The annotators whose judgments scores are made of.
    Whose,
    /// The score that grids show.
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
    /// Explanation of the line.
    pub about: String,
    /// Whether the line is switched on or, in a list that chooses, the present choice.
    pub is_on: bool,
    /// The letter that switches the line, where it has one.
    pub key: Option<char>,
}

/// A line to type in, with the entries of a list that fit it.
#[derive(Debug, Clone)]
pub struct Picker {
    pub area: TextArea<'static>,
    /// Indices of the entries that fit the line.
    pub shown: Vec<usize>,
    /// Index into `shown`.
    pub selected: usize,
}

impl Picker {
    /// A picker of so many entries with nothing typed: all of them fit.
    pub fn new(count: usize) -> Picker {
        Picker { area: text_area(""), shown: (0..count).collect(), selected: 0 }
    }

    /// The words typed so far.
    pub fn needle(&self) -> String {
        self.area.lines().join(" ")
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<usize> {
        self.shown.get(self.selected).copied()
    }

    /// Shows other entries, the first under the cursor.
    pub fn show(&mut self, shown: Vec<usize>) {
        (self.shown, self.selected) = (shown, 0);
    }

    /// Moves the cursor.
    pub fn select(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.shown.len().saturating_sub(1));
    }

    /// Puts the cursor on an entry, where it is shown.
    pub fn put_on(&mut self, entry: usize) {
        self.selected = self.shown.iter().position(|shown| *shown == entry).unwrap_or(self.selected);
    }

    /// The lines that are visible in a body of so many rows: index into `shown`, and index of the entry.
    pub fn visible(&self, height: u16) -> impl Iterator<Item = (usize, usize)> {
        let first = (self.selected + 1).saturating_sub(usize::from(height).max(1));
        self.shown.iter().copied().enumerate().skip(first).take(usize::from(height))
    }
}

/// A list over the screen. A list whose lines have letters cannot be typed into.
#[derive(Debug, Clone)]
pub struct List {
    pub kind: ListKind,
    pub title: String,
    pub entries: Vec<ListEntry>,
    pub picker: Picker,
}

/// Outcome of a key in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picked {
    /// The entry of this index is taken, or switched.
    Take(usize),
    /// The entry of this index is to be deleted.
    Delete(usize),
    /// The entry of this index is to be moved up or down in the list.
    Move(usize, isize),
    /// The list may be closed.
    Done,
    Nothing,
}

impl List {
    /// A list with the cursor on the present choice.
    pub fn new(kind: ListKind, title: impl Into<String>, entries: Vec<ListEntry>) -> List {
        let switches = matches!(kind, ListKind::Columns | ListKind::Tags);
        let present = entries.iter().position(|entry| entry.is_on && !switches);
        let mut picker = Picker::new(entries.len());
        picker.put_on(present.unwrap_or(0));
        List { kind, title: title.into(), entries, picker }
    }

    /// Whether the lines have letters of their own.
    pub fn has_letters(&self) -> bool {
        self.entries.iter().any(|entry| entry.key.is_some())
    }

    /// Takes a key in.
    pub fn press(&mut self, key: Key) -> Picked {
        match key.code {
            KeyCode::Down if key.alt => return self.moved(1),
            KeyCode::Up if key.alt => return self.moved(-1),
            _ => {}
        }
        let current = |asked: fn(usize) -> Picked| self.picker.current().map_or(Picked::Nothing, asked);
        match (key.code, key.rows()) {
            (_, Some(rows)) => self.picker.select(rows),
            // Tags are on or off as they stand, so that ⏎ leaves them so.
            (KeyCode::Enter, _) if self.kind == ListKind::Tags => return Picked::Done,
            (KeyCode::Enter, _) => return current(Picked::Take),
            (KeyCode::Delete, _) => return current(Picked::Delete),
            (KeyCode::Char('d'), _) if key.control => return current(Picked::Delete),
            _ if key.plain_char() == Some(' ') && self.switches() => return current(Picked::Take),
            _ if self.has_letters() => return self.letter(key),
            _ if type_key(&mut self.picker.area, key) => self.narrow(),
            _ => {}
        }
        Picked::Nothing
    }

    fn switches(&self) -> bool {
        matches!(self.kind, ListKind::Columns | ListKind::Tags)
    }

    fn letter(&mut self, key: Key) -> Picked {
        let letter = key.plain_char();
        match self.entries.iter().position(|entry| letter.is_some() && entry.key == letter) {
            Some(index) => {
                self.picker.put_on(index);
                Picked::Take(index)
            }
            None => Picked::Nothing,
        }
    }

    fn moved(&self, by: isize) -> Picked {
        self.picker.current().map_or(Picked::Nothing, |index| Picked::Move(index, by))
    }

    /// Keeps the lines that hold every word typed.
    fn narrow(&mut self) {
        let needle = self.picker.needle().to_lowercase();
        let words: Vec<&str> = needle.split_whitespace().collect();
        let fits = |entry: &ListEntry| {
            let text = format!("{} {}", entry.name, entry.about).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let fitting = self.entries.iter().enumerate().filter(|(_, entry)| fits(entry));
        self.picker.show(fitting.map(|(index, _)| index).collect());
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

    fn press(list: &mut List, keys: &str) -> Vec<Picked> {
        keys.split_whitespace().map(|key| list.press(key.parse().expect(key))).collect()
    }

    #[test]
    fn letters_narrow_and_enter_takes() {
        let mut list = list(ListKind::Sort, false);
        assert_eq!(list.picker.selected, 1, "the present one");
        assert_eq!(press(&mut list, "c i down up enter").last(), Some(&Picked::Take(1)));
        assert_eq!(list.picker.shown, [1]);
        press(&mut list, "z");
        assert_eq!(press(&mut list, "enter"), [Picked::Nothing]);
        press(&mut list, "backspace backspace backspace pagedown");
        assert_eq!(list.picker.current(), Some(2));
        assert_eq!(press(&mut list, "delete alt-up"), [Picked::Delete(2), Picked::Move(2, -1)]);
    }

    #[test]
    fn lines_with_letters_are_switched_by_them() {
        let mut list = list(ListKind::Tags, true);
        assert_eq!(press(&mut list, "j x space"), [Picked::Take(2), Picked::Nothing, Picked::Take(2)]);
        for is_on in [false, true] {
            list.entries[2].is_on = is_on;
            assert_eq!(press(&mut list, "enter space"), [Picked::Done, Picked::Take(2)]);
        }
    }
}
