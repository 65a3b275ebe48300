//! Overlays over a screen. They are a stack; keys go to the topmost.

use std::sync::Arc;

use ratatui_textarea::{DataCursor, Input, TextArea, WrapMode};

use super::layout::page;
use super::{Action, Effect, FilterLine, Frame, Key, KeyCode, List, Paragraph, Picker, extent};
use crate::journal::GoToEntry;
use crate::protocol::{Pane, Quote};
use crate::text::grapheme::{first, last};
use crate::text::span::Span;

#[derive(Debug, Clone)]
pub enum Overlay {
    Help(HelpPage),
    Guideline {
        scroll: usize,
    },
    /// Revisions of the item since its answers were given.
    Changes {
        scroll: usize,
        page: Vec<Paragraph>,
    },
    /// The known answer of a judged calibration item, in the place of the judgment.
    Known,
    /// Asks whether these items, by their 0-based positions, get the lowest answer.
    Rest(Vec<usize>),
    /// Tells that everything is judged.
    Done,
    /// Asks whether the session is to end.
    Finish,
    Prompt(Prompt),
    GoTo(GoTo),
    List(List),
    Filter(FilterLine),
    /// An answer that is being written, in its place among the questions.
    Editor(Editor),
    /// A passage that is being selected, in its document.
    Selection(Selection),
}

/// The help: how far it is scrolled, and the words that are looked for in it.
#[derive(Debug, Clone, Default)]
pub struct HelpPage {
    pub scroll: usize,
    pub words: Option<TextArea<'static>>,
    /// Whether letters are typed into `words`.
    pub is_typed: bool,
}

impl HelpPage {
    /// Takes the key that begins a search in the help, or a key typed in it.
    fn find(&mut self, key: Key) {
        let is_begun = std::mem::replace(&mut self.is_typed, key.code != KeyCode::Enter);
        let words = self.words.get_or_insert_with(|| text_area(""));
        match key.rows() {
            Some(rows) => self.scroll = self.scroll.saturating_add_signed(rows),
            None if is_begun && key.code != KeyCode::Enter && type_key(words, key) => self.scroll = 0,
            None => {}
        }
    }

    /// Whether a line holds all words of the search.
    pub fn shows(&self, line: &str) -> bool {
        let words = self.words.as_ref().map_or(String::new(), |area| area.lines().join(" ").to_lowercase());
        let line = line.to_lowercase();
        words.split_whitespace().all(|word| line.contains(word))
    }
}

impl Overlay {
    /// Whether the boards stay readable and in use beneath the overlay.
    pub fn is_within_boards(&self) -> bool {
        matches!(self, Overlay::Editor(_) | Overlay::Selection(_) | Overlay::Known | Overlay::Rest(_))
    }
}

impl Frame {
    /// Puts the help over the screen.
    pub fn open_help(&mut self) {
        self.overlays.push(Overlay::Help(HelpPage::default()));
    }

    /// The prompt that is open.
    pub fn prompt(&self) -> Option<&Prompt> {
        match self.overlays.last() {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// The number of a document that was typed; says so where it is none.
    pub fn document_number(&mut self, typed: &str) -> Option<u32> {
        let typed = typed.trim();
        let number = typed.parse().ok();
        if number.is_none() {
            self.warn(format!("{typed:?} is no document number"));
        }
        number
    }

    /// Takes an action that means the same on every screen; ignores any other.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Help => self.open_help(),
            Action::Theme => self.change_theme(),
            Action::Measure => self.change_measure(),
            Action::Redraw => self.want(Effect::Redraw),
            Action::Suspend => self.want(Effect::Suspend),
            _ => {}
        }
    }

    /// Goes back to the shell where the key says so, also while a text is written; returns whether it does.
    pub fn suspends(&mut self, key: Key) -> bool {
        let is_it = key.control && self.keymap.action(key) == Some(Action::Suspend);
        if is_it {
            self.want(Effect::Suspend);
        }
        is_it
    }

    /// Takes an action while a page lies on top: scrolls or redraws, and hands any other action back.
    pub fn read_page(&mut self, action: Action) -> Option<Action> {
        if let Some(rows) = action.rows(page(self.size.1.saturating_sub(3))) {
            self.scroll_page(rows);
            return None;
        }
        if !matches!(action, Action::Redraw | Action::Suspend) {
            return Some(action);
        }
        self.act(action);
        None
    }

    /// Takes a key and its action while the help lies on top: the key that opened the help closes it, and words narrow it down.
    pub fn read_help(&mut self, key: Key, action: Option<Action>) {
        if let Some(Overlay::Help(help)) = self.overlays.last_mut()
            && (help.is_typed || action == Some(Action::Search))
        {
            return help.find(key);
        }
        let left = action.and_then(|action| self.read_page(action));
        if matches!(left, Some(Action::Help | Action::Quit)) {
            self.overlays.pop();
        }
    }

    /// Scrolls the page that lies on top by so many lines.
    pub fn scroll_page(&mut self, by: isize) {
        if let Some(
            Overlay::Help(HelpPage { scroll, .. })
            | Overlay::Guideline { scroll }
            | Overlay::Changes { scroll, .. },
        ) = self.overlays.last_mut()
        {
            *scroll = scroll.saturating_add_signed(by);
        }
    }
}

/// A text or a point that is being written.
#[derive(Debug, Clone)]
pub struct Editor {
    /// Index of the question.
    pub question: usize,
    /// Index of the point; `None` for a new one, and for a text.
    pub point: Option<usize>,
    /// The passage that a new point rests on, where it was selected first.
    pub passage: Option<Quote>,
    /// The text that the editor began with.
    pub beginning: String,
    pub area: TextArea<'static>,
}

/// A passage that is being selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Index of the question.
    pub question: usize,
    /// Index of the point that the passage is for; `None` for a passage that stands by itself, and for a new point.
    pub point: Option<usize>,
    /// Index of the passage that this one replaces.
    pub replaces: Option<usize>,
    /// Number of the document; 0 for the candidate.
    pub document: u32,
    pub span: Span,
    /// Set while a taken passage gets its marks: whether it stands beside the passages already there, and its tag once chosen.
    pub marking: Option<(bool, Option<String>)>,
}

impl Selection {
    /// A selection that begins on this span: for a question, for a point of it if any, in place of another passage if any.
    pub fn of(
        (question, point, replaces): (usize, Option<usize>, Option<usize>),
        document: u32,
        span: Span,
    ) -> Selection {
        Selection { question, point, replaces, document, span, marking: None }
    }

    /// The pane in which the passage stands.
    pub fn pane(&self) -> Pane {
        if self.document == 0 { Pane::Candidate } else { Pane::Documents }
    }
}

impl Editor {
    /// An editor with this text in it, the cursor behind it.
    pub fn new(question: usize, text: &str) -> Editor {
        Editor { question, point: None, passage: None, beginning: text.to_owned(), area: text_area(text) }
    }

    /// The text as written so far.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Puts the cursor at a byte of the text.
    pub fn put_cursor(&mut self, byte: usize) {
        let mut left = byte;
        for (row, line) in self.area.lines().iter().enumerate() {
            if left <= line.len() {
                let column = line.char_indices().take_while(|(offset, _)| *offset < left).count();
                let jump = ratatui_textarea::CursorMove::Jump(extent(row), extent(column));
                return self.area.move_cursor(jump);
            }
            left -= line.len() + 1;
        }
    }

    /// The cursor's place, in bytes of the text.
    pub fn cursor(&self) -> usize {
        let at = self.area.cursor();
        let before: usize = self.area.lines().iter().take(at.0).map(|line| line.len() + 1).sum();
        let line = self.area.lines().get(at.0).map_or("", String::as_str);
        before + line.char_indices().nth(at.1).map_or(line.len(), |(offset, _)| offset)
    }
}

/// What is said of a text that was begun and left.
pub const PUT_ASIDE: &str = "not kept; what you wrote is there when you open it again";

/// What is said before such texts are left for good.
pub const NOT_KEPT: &str = "something that you wrote is not kept yet; the same key again leaves without it";

/// A line of text that is asked for at the bottom of the screen.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub kind: PromptKind,
    /// The question that a tag asks; empty in other prompts.
    pub question: String,
    /// The text that the prompt began with.
    pub beginning: String,
    pub area: TextArea<'static>,
}

/// The purpose of a prompt's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    Comment,
    /// A text that a tag asks for.
    TagText,
    /// Why an item is given back.
    GiveBack,
    /// Words to find in the texts of an item.
    Search,
    /// Words to find in the documents of a session.
    Find,
    /// Words to find in the summary of a session.
    FindInSummary,
    Jump,
    OpenDocument,
    /// The name under which a view is saved.
    ViewName,
}

/// Outcome of a key in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// The text is accepted.
    Accepted,
    /// The text has changed.
    Changed,
    Nothing,
}

/// The go-to list.
#[derive(Debug, Clone)]
pub struct GoTo {
    pub picker: Picker,
    pub entries: Arc<[GoToEntry]>,
    /// Whether the list has the answers given last.
    pub is_history: bool,
    /// Answers to each entry in words, in a history.
    pub told: Vec<String>,
    /// Counts the changes of the needle, so that late matches of an earlier one are dropped.
    pub generation: u64,
    /// The generation that the picker shows.
    pub matched: u64,
}

impl Prompt {
    /// A prompt with this text in it, the cursor behind it.
    pub fn new(kind: PromptKind, text: &str) -> Prompt {
        Prompt { kind, question: String::new(), beginning: text.to_owned(), area: text_area(text) }
    }

    /// A prompt for a comment: the one that was begun and left, where there is one, else this text.
    pub fn of_comment(text: &str, begun: Option<Prompt>) -> Prompt {
        let begun = begun.map(|begun| Prompt { beginning: text.to_owned(), ..begun });
        begun.unwrap_or_else(|| Prompt::new(PromptKind::Comment, text))
    }

    /// A prompt for the text that a tag asks for with this question.
    pub fn asked(question: &str) -> Prompt {
        Prompt { question: question.to_owned(), ..Prompt::new(PromptKind::TagText, "") }
    }

    /// The text as typed so far.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether there is a text that would be lost.
    pub fn is_begun(&self) -> bool {
        let text = self.text();
        text != self.beginning && !text.trim().is_empty()
    }

    /// Takes a key in; enter accepts, and breaks the line of a comment where alt is held.
    pub fn press(&mut self, key: Key) -> Typed {
        let breaks_line = key.code == KeyCode::Enter && self.kind == PromptKind::Comment && key.alt;
        if key.code == KeyCode::Enter && !breaks_line {
            return Typed::Accepted;
        }
        let key = match self.takes_digits() {
            true if key.plain_char().is_some_and(|character| !character.is_ascii_digit()) => {
                return Typed::Nothing;
            }
            true => key.meant(),
            false if breaks_line => Key::plain(KeyCode::Enter),
            false => key,
        };
        if type_key(&mut self.area, key) { Typed::Changed } else { Typed::Nothing }
    }

    /// Puts pasted text in; returns whether it has changed the text.
    pub fn paste(&mut self, text: &str) -> bool {
        let is_meant = |character: &char| character.is_ascii_digit() || !self.takes_digits();
        let meant: String = text.chars().filter(is_meant).collect();
        paste(&mut self.area, &meant, self.kind == PromptKind::Comment)
    }

    /// Whether the prompt asks for a number.
    fn takes_digits(&self) -> bool {
        matches!(self.kind, PromptKind::Jump | PromptKind::OpenDocument)
    }
}

impl GoTo {
    /// A list of these entries, all of them shown once they are matched.
    pub fn of(entries: Arc<[GoToEntry]>) -> GoTo {
        let picker = Picker::new(0);
        GoTo { picker, entries, is_history: false, told: Vec::new(), generation: 0, matched: 0 }
    }

    /// Matches at once where the worker has not answered yet, so that a key acts on the words typed before it.
    pub fn catch_up(&mut self) {
        if self.matched != self.generation
            && let Some(matches) = super::finder::find(&self.entries, &self.picker.needle(), &|| false)
        {
            self.take(self.generation, matches);
        }
    }

    /// The entry that Enter goes to.
    pub fn chosen(&self) -> Option<&GoToEntry> {
        self.entries.get(self.picker.current()?)
    }

    /// Takes the matches of a needle; late ones of an earlier needle are dropped.
    pub fn take(&mut self, generation: u64, matches: Vec<usize>) {
        if self.generation == generation && self.matched != generation {
            self.picker.show(matches);
            self.matched = generation;
        }
    }
}

/// A place to type in, with this text in it, the cursor behind it.
pub fn text_area(text: &str) -> TextArea<'static> {
    let lines =
        if text.is_empty() { vec![String::new()] } else { text.split('\n').map(str::to_owned).collect() };
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.move_cursor(ratatui_textarea::CursorMove::Bottom);
    area.move_cursor(ratatui_textarea::CursorMove::End);
    area
}

/// Types a key into an editor; returns whether the text changed. Graphemes are passed and deleted whole, as they are drawn.
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
    let times = if key.control || key.alt { 1 } else { characters_at(area, key.code) };
    let typed = Input { key: typed, ctrl: key.control, alt: key.alt, shift: false };
    (0..times).fold(false, |is_changed, _| area.input(typed.clone()) || is_changed)
}

/// The characters that a key passes or deletes: those of the grapheme beside the cursor; 1 at the end of a row, and for other keys.
fn characters_at(area: &TextArea, code: KeyCode) -> usize {
    let DataCursor(row, column) = area.cursor();
    let text = area.lines().get(row).map_or("", String::as_str);
    let at = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
    let grapheme = match code {
        KeyCode::Backspace | KeyCode::Left => text.get(..at).and_then(last),
        KeyCode::Delete | KeyCode::Right => text.get(at..).and_then(first),
        _ => None,
    };
    grapheme.map_or(1, |grapheme| grapheme.chars().count())
}

/// Puts pasted text in, control characters other than line breaks left out.
pub fn paste(area: &mut TextArea, text: &str, is_multi_line: bool) -> bool {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = unified
        .chars()
        .map(|character| match character {
            '\n' if !is_multi_line => ' ',
            '\t' => ' ',
            _ => character,
        })
        .filter(|character| *character == '\n' || !character.is_control())
        .collect();
    area.insert_str(kept)
}
