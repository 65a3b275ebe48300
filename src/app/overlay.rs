//! What can lie over the boards. Overlays are a stack; keys go to the topmost.

use std::sync::Arc;

use ratatui_textarea::{Input, TextArea, WrapMode};

use super::finder::Match;
use super::key::{Key, KeyCode};
use crate::journal::Entry;

/// Something over the boards.
#[derive(Debug, Clone)]
pub enum Overlay {
    Help {
        scroll: usize,
    },
    Guideline {
        scroll: usize,
    },
    /// Everything is judged.
    Done,
    Prompt(Prompt),
    GoTo(GoTo),
}

/// A line of text that is asked for at the bottom of the screen.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub kind: PromptKind,
    pub area: TextArea<'static>,
}

/// What the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    Comment,
    Search,
    Jump,
    OpenDocument,
}

/// The go-to list.
#[derive(Debug, Clone)]
pub struct GoTo {
    pub area: TextArea<'static>,
    pub entries: Arc<[Entry]>,
    pub matches: Vec<Match>,
    pub selected: usize,
    /// Counts what was typed, so that late answers to earlier words are dropped.
    pub generation: u64,
    /// The generation that `matches` answer.
    pub matched: u64,
}

impl Prompt {
    /// A prompt with this text in it, the cursor behind it.
    pub fn new(kind: PromptKind, text: &str) -> Prompt {
        Prompt { kind, area: editor(text) }
    }

    /// What is typed so far.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }
}

impl GoTo {
    /// An empty list, until the entries have been read.
    pub fn new() -> GoTo {
        GoTo {
            area: editor(""),
            entries: Arc::from([]),
            matches: Vec::new(),
            selected: 0,
            generation: 0,
            matched: 0,
        }
    }

    /// What is typed so far.
    pub fn needle(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Finds at once what the worker has not found yet, so that a key acts on what was typed before it.
    pub fn catch_up(&mut self) {
        if self.matched != self.generation
            && let Some(matches) = super::finder::find(&self.entries, &self.needle(), &|| false)
        {
            (self.matches, self.selected, self.matched) = (matches, 0, self.generation);
        }
    }

    /// The entry that Enter goes to.
    pub fn chosen(&self) -> Option<&Entry> {
        self.entries.get(self.matches.get(self.selected)?.entry)
    }

    /// Moves the selection.
    pub fn select(&mut self, by: isize) {
        let last = self.matches.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }
}

impl Default for GoTo {
    fn default() -> GoTo {
        GoTo::new()
    }
}

fn editor(text: &str) -> TextArea<'static> {
    let lines =
        if text.is_empty() { vec![String::new()] } else { text.split('\n').map(str::to_owned).collect() };
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.move_cursor(ratatui_textarea::CursorMove::Bottom);
    area.move_cursor(ratatui_textarea::CursorMove::End);
    area
}

/// Types a key into an editor; returns whether the text changed.
pub fn type_key(area: &mut TextArea, key: Key) -> bool {
    use ratatui_textarea::Key as Typed;
    let typed = match key.code {
        KeyCode::Char(character) => Typed::Char(character),
        KeyCode::Enter => Typed::Enter,
        KeyCode::Backspace => Typed::Backspace,
        KeyCode::Delete => Typed::Delete,
        KeyCode::Left => Typed::Left,
        KeyCode::Right => Typed::Right,
        KeyCode::Up => Typed::Up,
        KeyCode::Down => Typed::Down,
        KeyCode::Home => Typed::Home,
        KeyCode::End => Typed::End,
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::Tab | KeyCode::BackTab => return false,
        KeyCode::Escape | KeyCode::Function(_) => return false,
    };
    area.input(Input { key: typed, ctrl: key.control, alt: key.alt, shift: false })
}

/// Puts pasted text in, control characters other than line breaks left out.
pub fn paste(area: &mut TextArea, text: &str, is_multi_line: bool) -> bool {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = unified
        .chars()
        .map(|character| if character == '\n' && !is_multi_line { ' ' } else { character })
        .filter(|character| *character == '\n' || !character.is_control())
        .collect();
    area.insert_str(kept)
}
