//! The summary that is being written: a text, a cursor, and an undo.
//!
//! The text area keeps lines and their history; characters, words and rows are those of [`crate::text`]. Every change is
//! handed back as a [`Delta`], so that it can be logged.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use ratatui_textarea::{CursorMove, TextArea};

use super::BulletSheet;
use crate::app::kit::{Action, extent};
use crate::journal::session::Delta;
use crate::text::citation::citing;
use crate::text::grapheme::{first, graphemes, is_boundary, last};
use crate::text::width::width;
use crate::text::words;

/// Number of single changes that can be undone.
const HISTORY: usize = 100_000;

/// The kind of a change, which decides what is undone together with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKind {
    /// Letters of one word, up to this byte.
    Word(usize),
    /// White space, up to this byte.
    Blank(usize),
    /// Characters deleted one by one, down to this byte.
    Deleted(usize),
    Alone,
}

/// A text with a cursor.
#[derive(Debug, Clone)]
pub struct SummaryEditor {
    area: TextArea<'static>,
    text: String,
    /// Byte offset of the cursor, on a grapheme boundary.
    cursor: usize,
    /// The column that moving up and down keeps to.
    column: Option<usize>,
    pub sheet: BulletSheet,
    /// Deltas of the area's history that belong together, the latest last.
    done: Vec<usize>,
    undone: Vec<usize>,
    kind: EditKind,
    /// The text that was deleted by words or lines last, and can be put back elsewhere.
    kept: String,
}

impl SummaryEditor {
    /// A text to go on with, the cursor behind it; `known` are the numbers that can be cited.
    pub fn new(text: &str, known: Arc<BTreeSet<u32>>) -> SummaryEditor {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_max_histories(HISTORY);
        SummaryEditor {
            area,
            text: text.to_owned(),
            cursor: text.len(),
            column: None,
            sheet: BulletSheet::new(text, known),
            done: Vec::new(),
            undone: Vec::new(),
            kind: EditKind::Alone,
            kept: String::new(),
        }
    }

    /// Wraps the text at this width.
    pub fn set_width(&mut self, width: u16) {
        self.sheet.set_width(&self.text, width);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Index of the line with the cursor.
    pub fn line(&self) -> usize {
        self.sheet.line_of(self.cursor)
    }

    /// Types a character; a line break begins a new bullet. Other control characters are no text.
    pub fn insert(&mut self, character: char) -> Option<Delta> {
        if character.is_control() && character != '\n' {
            return None;
        }
        let at = self.cursor;
        let end = at + character.len_utf8();
        let kind = match (character.is_whitespace(), self.kind) {
            _ if character == '\n' => EditKind::Alone,
            (true, _) => EditKind::Blank(end),
            (false, _) => EditKind::Word(end),
        };
        let joins = match (self.kind, kind) {
            (EditKind::Word(before), EditKind::Word(_) | EditKind::Blank(_))
            | (EditKind::Blank(before), EditKind::Blank(_)) => before == at,
            _ => false,
        };
        let change = self.replace(at..at, character.encode_utf8(&mut [0; 4]), joins);
        self.kind = kind;
        Some(change)
    }

    /// Deletes what the action deletes, if it is there.
    pub fn delete(&mut self, action: Action) -> Option<Delta> {
        let range = self.range_of(action)?;
        let is_single = matches!(action, Action::WriteDelete | Action::WriteDeleteNext);
        let joins = is_single && self.kind == EditKind::Deleted(self.cursor);
        if !is_single {
            self.kept = self.text.get(range.clone()).unwrap_or("").to_owned();
        }
        let start = range.start;
        let change = self.replace(range, "", joins);
        if is_single {
            self.kind = EditKind::Deleted(start);
        }
        Some(change)
    }

    fn range_of(&self, action: Action) -> Option<Range<usize>> {
        let at = self.cursor;
        let (before, after) = self.text.split_at_checked(at)?;
        let range = match action {
            Action::WriteDelete => at - last(before)?.len()..at,
            Action::WriteDeleteNext => at..at + first(after)?.len(),
            Action::WriteDeleteWord => self.word_start()..at,
            Action::WriteDeleteNextWord => at..self.word_end(),
            // To the end of the line, or the break behind it.
            Action::WriteDeleteRest => {
                let end = self.line_end();
                at..if end == at { at + first(after)?.len() } else { end }
            }
            _ => return None,
        };
        (!range.is_empty()).then_some(range)
    }

    /// Puts back the text that was deleted by words or lines last.
    pub fn put_back(&mut self) -> Option<Delta> {
        let kept = self.kept.clone();
        (!kept.is_empty()).then(|| self.replace(self.cursor..self.cursor, &kept, false))
    }

    /// Swaps the line with the one above or below.
    pub fn move_line(&mut self, down: bool) -> Option<Delta> {
        let here = self.line();
        let upper = if down { here } else { here.checked_sub(1)? };
        let lines = self.sheet.lines();
        let (above, below) = (lines.get(upper)?, lines.get(upper + 1)?);
        let range = above.start..below.start + below.length;
        let within = self.cursor - if down { above.start } else { below.start };
        let swapped = format!(
            "{}\n{}",
            self.text.get(below.start..range.end)?,
            self.text.get(above.start..above.start + above.length)?
        );
        let start = if down { above.start + below.length + 1 } else { above.start };
        let change = self.replace(range, &swapped, false);
        self.cursor = start + within;
        Some(change)
    }

    /// Cites a document at the end of the bullet with the cursor; `Ok(None)` where it is cited already.
    pub fn cite(&mut self, number: u32) -> Result<Option<Delta>, EmptyLine> {
        let lines = self.sheet.lines();
        let line = lines.get(self.line()).filter(|line| line.bullet.is_some()).ok_or(EmptyLine)?;
        let start = line.start;
        let content = self.text.get(start..start + line.length).unwrap_or("");
        let Some((offset, inserted)) = citing(content, number) else { return Ok(None) };
        let (at, before) = (start + offset, self.cursor);
        let is_at_end = before >= start + content.trim_end().len();
        let change = self.replace(at..at, &inserted, false);
        self.cursor =
            if is_at_end { self.line_end() } else { before + if at < before { inserted.len() } else { 0 } };
        Ok(Some(change))
    }

    /// Takes the last step of writing back.
    pub fn undo(&mut self) -> Option<Delta> {
        let count = self.done.pop()?;
        let change = self.step_through_history(count, false);
        self.undone.push(count);
        change
    }

    /// Does the step again that was undone last.
    pub fn redo(&mut self) -> Option<Delta> {
        let count = self.undone.pop()?;
        let change = self.step_through_history(count, true);
        self.done.push(count);
        change
    }

    fn step_through_history(&mut self, count: usize, forwards: bool) -> Option<Delta> {
        self.kind = EditKind::Alone;
        self.column = None;
        for _ in 0..count {
            if !(if forwards { self.area.redo() } else { self.area.undo() }) {
                break;
            }
        }
        let text = self.area.lines().join("\n");
        let change = Delta::between(&self.text, &text)?;
        self.sheet.splice(&text, change.start, change.removed, change.inserted.len());
        self.text = text;
        self.cursor = self.on_boundary(change.start + change.inserted.len());
        Some(change)
    }

    /// Changes the text: every change but undo and redo goes through here.
    fn replace(&mut self, range: Range<usize>, inserted: &str, joins_last: bool) -> Delta {
        let removed = self.text.get(range.clone()).unwrap_or("").to_owned();
        self.jump(range.start);
        let mut edits = 0;
        edits += usize::from(!removed.is_empty() && self.area.delete_str(removed.chars().count()));
        edits += usize::from(!inserted.is_empty() && self.area.insert_str(inserted));
        self.text.replace_range(range.clone(), inserted);
        self.sheet.splice(&self.text, range.start, removed.len(), inserted.len());
        self.cursor = self.on_boundary(range.start + inserted.len());
        self.column = None;
        self.kind = EditKind::Alone;
        self.undone.clear();
        match self.done.last_mut() {
            Some(count) if joins_last => *count += edits,
            _ => self.done.push(edits),
        }
        Delta { start: range.start, removed: removed.len(), inserted: inserted.to_owned() }
    }

    /// Puts the area's own cursor at a byte of the text.
    fn jump(&mut self, byte: usize) {
        let row = self.sheet.line_of(byte);
        let start = self.sheet.lines().get(row).map_or(0, |line| line.start);
        let column = self.text.get(start..byte).unwrap_or("").chars().count();
        self.area.move_cursor(CursorMove::Jump(extent(row), extent(column)));
        // A jump reaches no further than 65,535 rows and columns.
        while (self.area.cursor().0, self.area.cursor().1) < (row, column) {
            let before = self.area.cursor();
            self.area.move_cursor(CursorMove::Forward);
            if self.area.cursor() == before {
                break;
            }
        }
    }

    fn on_boundary(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !is_boundary(&self.text, byte) {
            byte += 1;
        }
        byte
    }

    /// Moves the cursor, where that is what the action does; returns whether it is.
    pub fn go(&mut self, action: Action) -> bool {
        let (before, after) = self.text.split_at_checked(self.cursor).unwrap_or((&self.text, ""));
        let to = match action {
            Action::WriteLeft => self.cursor - last(before).map_or(0, str::len),
            Action::WriteRight => self.cursor + first(after).map_or(0, str::len),
            Action::WriteWordLeft => self.word_start(),
            Action::WriteWordRight => self.word_end(),
            Action::WriteRowStart => self.row_bounds().0,
            Action::WriteRowEnd => self.row_bounds().1,
            Action::WriteBulletUp => {
                self.line_start_of(self.line().saturating_sub(usize::from(self.is_at_line_start())))
            }
            Action::WriteBulletDown => self.line_start_of(self.line() + 1),
            Action::WriteStart => 0,
            Action::WriteEnd => self.text.len(),
            Action::WriteUp | Action::WriteDown => {
                self.go_by_rows(if action == Action::WriteUp { -1 } else { 1 });
                return true;
            }
            _ => return false,
        };
        (self.kind, self.column, self.cursor) = (EditKind::Alone, None, to);
        true
    }

    /// Puts the cursor at a byte, such as one that was clicked.
    pub fn put_cursor(&mut self, byte: usize) {
        self.kind = EditKind::Alone;
        self.column = None;
        self.cursor = self.on_boundary(byte);
    }

    /// Moves up or down by rows of the screen; beyond the first or last row, to the beginning or end of the text.
    pub fn go_by_rows(&mut self, rows: isize) {
        self.kind = EditKind::Alone;
        let here = self.sheet.row_of(self.cursor);
        let column = self.column.unwrap_or_else(|| {
            let start = self.sheet.row(here).map_or(0, |(_, bytes)| bytes.start);
            width(self.text.get(start..self.cursor).unwrap_or(""))
        });
        let last_row = self.sheet.len().saturating_sub(1);
        let target = here.saturating_add_signed(rows).min(last_row);
        self.cursor = match (target == here, rows < 0) {
            (true, true) => 0,
            (true, false) => self.text.len(),
            (false, _) => self.byte_at(target, column),
        };
        self.column = Some(column);
    }

    /// The byte at a column of a row, or at the row's end.
    pub fn byte_at(&self, row: usize, column: usize) -> usize {
        let Some((_, bytes)) = self.sheet.row(row) else { return self.text.len() };
        let mut used = 0;
        let content = self.text.get(bytes.clone()).unwrap_or("");
        let before = graphemes(content).take_while(|(_, grapheme)| {
            used += width(grapheme);
            used <= column
        });
        let byte = bytes.start + before.map(|(_, grapheme)| grapheme.len()).sum::<usize>();
        // The end of a wrapped row is the beginning of the next one; this row is meant.
        if byte > bytes.start && self.sheet.row_of(byte) > row {
            return byte - self.text.get(..byte).and_then(last).map_or(0, str::len);
        }
        byte
    }

    /// The bounds of the row with the cursor.
    fn row_bounds(&self) -> (usize, usize) {
        let row = self.sheet.row_of(self.cursor);
        match self.sheet.row(row) {
            Some((line, bytes)) => {
                let is_last = row + 1 == line.first_row + line.height();
                let end = if is_last { line.start + line.length } else { self.byte_at(row, usize::MAX) };
                (bytes.start, end)
            }
            None => (0, self.text.len()),
        }
    }

    fn line_end(&self) -> usize {
        self.sheet.lines().get(self.line()).map_or(self.text.len(), |line| line.start + line.length)
    }

    fn line_start_of(&self, index: usize) -> usize {
        self.sheet.lines().get(index).map_or(self.text.len(), |line| line.start)
    }

    fn is_at_line_start(&self) -> bool {
        self.line_start_of(self.line()) == self.cursor
    }

    /// Words end at line breaks: the first step over one goes no further.
    fn word_start(&self) -> usize {
        let start = self.line_start_of(self.line());
        if start == self.cursor {
            return start.saturating_sub(1);
        }
        words::start_before(&self.text, self.cursor).unwrap_or(0).max(start)
    }

    fn word_end(&self) -> usize {
        let end = self.line_end();
        if end == self.cursor {
            return (end + 1).min(self.text.len());
        }
        words::end_after(&self.text, self.cursor).unwrap_or(end).min(end)
    }
}

/// A refused citation: the line has no bullet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyLine;

#[cfg(test)]
mod tests;
