//! Sends screens to the terminal in as few bytes as it takes, one write a frame.
//!
//! [`Emitter::frame`] takes a whole [`Buffer`] and compares it with the one before. `ratatui::Terminal` and its backend
//! are not used: they compare as well, but then move the cursor after every wide glyph, write blanks to the end of
//! the row, know no scrolling, and ask the terminal for its cursor on a clear.
//!
//! What is sent:
//! - nothing, if no cell and no cursor changed; else one write between the marks of synchronized output;
//! - changed glyphs, with short gaps written again where a move would be longer, an erase for a blank rest of a row,
//!   and pen changes by difference or from a reset, whichever is shorter;
//! - where full rows moved, a scroll of that band and the rest of the difference, if that is shorter.
//!
//! Terminals disagree on the width of some glyphs (`doubt.rs`). The first move in each row is absolute, so is the one after a
//! glyph in doubt, and the columns that such a glyph may have spoilt are written again: a terminal with another idea misplaces
//! that glyph at most. A program that takes the terminal switches automatic wrapping off (`ESC [?7l`), so that no glyph spills
//! into the next row.
//!
//! A cell that ratatui marks to be skipped is drawn like any other, unless a wide glyph covers it. Cells in a buffer
//! should hold no control characters; those that do appear as `?`, never as a byte below 0x20 or from 0x7f to 0x9f.
//!
//! ```
//! use emitter::{Emitter, Options};
//! use ratatui::buffer::Buffer;
//! use ratatui::layout::Rect;
//! use ratatui::style::Style;
//!
//! let mut screen = Emitter::new(Vec::new(), Options::default());
//! let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
//! buffer.set_string(0, 0, "a first row", Style::default());
//! let first = screen.frame(&buffer, None)?;
//! assert_eq!(screen.frame(&buffer, None)?, 0, "nothing has changed");
//! buffer.set_string(2, 0, "second", Style::default());
//! assert!(screen.frame(&buffer, None)? < first);
//! # Ok::<(), std::io::Error>(())
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice, clippy::print_stdout))]

mod doubt;
mod grid;
mod lines;
mod paint;
mod scroll;
mod sequence;
mod style;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use grid::CellGrid;
pub use lines::lines;
use paint::Painter;
use scroll::Scroll;
use sequence::{BEGIN_SYNCHRONIZED, CLEAR, END_SYNCHRONIZED, HIDE_CURSOR, SHOW_CURSOR};

/// Abilities of the terminal and wishes of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Colours are dropped, modifiers (bold, reversed, …) stay.
    pub no_color: bool,
    /// Erasing fills with the pen's background (as all but GNU screen do). If not, blanks are written instead.
    pub erase_keeps_background: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { no_color: false, erase_keeps_background: true }
    }
}

impl Options {
    /// Reads `NO_COLOR` (<https://no-color.org>: set and not empty) and `STY` (GNU screen) through `variable`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Options {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        Options { no_color: set("NO_COLOR"), erase_keeps_background: !set("STY") }
    }
}

/// Keeps the screen last sent to the terminal, and sends the difference.
///
/// The writer should not buffer: each frame is one `write_all` and one `flush`. `Stdout` splits writes at newlines; a `File` of the
/// terminal does not.
#[derive(Debug)]
pub struct Emitter<W: Write> {
    writer: W,
    options: Options,
    sent: CellGrid,
    next: CellGrid,
    /// `None` until the first frame after a reset: the terminal's contents are unknown.
    known: Option<Cursor>,
}

/// The cursor as the terminal was left with: its column and row, or hidden.
type Cursor = Option<(usize, usize)>;

impl<W: Write> Emitter<W> {
    /// An emitter that knows nothing of the terminal yet: the first frame clears it.
    pub fn new(writer: W, options: Options) -> Emitter<W> {
        Emitter { writer, options, sent: CellGrid::blank(0, 0), next: CellGrid::blank(0, 0), known: None }
    }

    /// Makes the terminal show `buffer`, with the cursor at `cursor` (columns and rows from 0) or hidden.
    ///
    /// The buffer's size is taken for the terminal's; a new size clears and draws all. Returns the bytes written,
    /// 0 if nothing changed.
    /// After an error of the writer the next frame draws all.
    pub fn frame(&mut self, buffer: &Buffer, cursor: Option<Position>) -> io::Result<usize> {
        self.next.load(buffer, self.options.no_color);
        let (width, height) = self.next.size();
        if width == 0 || height == 0 {
            return Ok(0);
        }
        if self.sent.size() != (width, height) {
            self.known = None;
        }
        if self.known.is_none() {
            self.sent = CellGrid::blank(width, height);
        }
        let cursor = cursor.map(|at| (usize::from(at.x).min(width - 1), usize::from(at.y).min(height - 1)));
        let changed: Vec<bool> = (0..height).map(|y| self.sent.row(y) != self.next.row(y)).collect();
        if self.known == Some(cursor) && !changed.contains(&true) {
            return Ok(0);
        }
        let bytes = self.compose(&changed, cursor);
        self.known = None;
        self.writer.write_all(&bytes)?;
        self.writer.flush()?;
        self.known = Some(cursor);
        std::mem::swap(&mut self.sent, &mut self.next);
        Ok(bytes.len())
    }

    /// Forgets what was sent: the next frame clears the terminal and draws all. After a suspension, or on request.
    pub fn reset(&mut self) {
        self.known = None;
    }

    /// The writer, for sequences that neither draw nor move the cursor (OSC 52, bell).
    pub fn writer(&mut self) -> &mut W {
        &mut self.writer
    }

    /// The bytes of a frame: with a scroll if there is one that makes it shorter.
    fn compose(&self, changed: &[bool], cursor: Cursor) -> Vec<u8> {
        let found = self.known.and_then(|_| scroll::find(&self.sent, &self.next, changed));
        let scrolled = found.and_then(|scroll| self.paint(Some(scroll), cursor, usize::MAX));
        let limit = scrolled.as_ref().map_or(usize::MAX, Vec::len);
        let plain = self.paint(None, cursor, limit);
        plain.or(scrolled).unwrap_or_default()
    }

    /// The bytes of a frame, after `scroll`; `None` if they would be more than `limit`.
    fn paint(&self, scroll: Option<Scroll>, cursor: Cursor, limit: usize) -> Option<Vec<u8>> {
        let (width, height) = self.next.size();
        let empty = CellGrid::blank(width, 1);
        let mut painter = Painter::new(self.options.erase_keeps_background);
        painter.raw(BEGIN_SYNCHRONIZED);
        if self.known.is_none() {
            painter.raw(CLEAR);
        }
        if let Some(scroll) = scroll {
            painter.scroll(scroll, height);
        }
        for y in 0..height {
            let old = match scroll.map_or(Some(y), |scroll| scroll.source(y)) {
                Some(source) => self.sent.row(source),
                None => empty.row(0),
            };
            let new = self.next.row(y);
            if old != new {
                painter.row(y, old, new);
            }
            if painter.len() > limit {
                return None;
            }
        }
        self.place_cursor(&mut painter, cursor);
        let mut bytes = painter.finish();
        bytes.extend_from_slice(END_SYNCHRONIZED);
        (bytes.len() <= limit).then_some(bytes)
    }

    /// Leaves the cursor in its place, with as few bytes as the terminal needs.
    fn place_cursor(&self, painter: &mut Painter, cursor: Cursor) {
        let shown = self.known.map(|cursor| cursor.is_some());
        if let Some((x, y)) = cursor {
            painter.move_to(x, y);
        }
        if shown != Some(cursor.is_some()) {
            painter.raw(if cursor.is_some() { SHOW_CURSOR } else { HIDE_CURSOR });
        }
    }
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct EmitterReadme;
