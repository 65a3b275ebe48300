//! Turns the difference between two screens into bytes.

use super::doubt::reach;
use super::grid::{Glyph, Symbol, extent};
use super::scroll::Scroll;
use super::sequence::{self, ERASE_TO_END, counted, counted_length, place, region};
use super::style::{Look, switch};

/// Bytes of [`ERASE_TO_END`]: so many blanks are as well written.
const ERASE_LENGTH: usize = ERASE_TO_END.len();

/// Writes glyphs into a byte vector, and keeps track of the terminal's pen and cursor.
///
/// It starts and [ends](Painter::finish) with a plain pen. Where it is not sure of the cursor (at the start, after the
/// last column of a row, after a glyph whose width is in doubt) the next move is absolute, as is the first in each row.
#[derive(Debug)]
pub(super) struct Painter {
    out: Vec<u8>,
    pen: Look,
    row: Option<usize>,
    column: Option<usize>,
    erase_keeps_background: bool,
}

impl Painter {
    /// A painter on a terminal with a plain pen and the cursor anywhere.
    pub fn new(erase_keeps_background: bool) -> Painter {
        Painter {
            out: Vec::with_capacity(1024),
            pen: Look::PLAIN,
            row: None,
            column: None,
            erase_keeps_background,
        }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Appends a sequence that changes neither pen nor cursor.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Lets the terminal move a band of a screen `height` rows high. The pen must be plain.
    pub fn scroll(&mut self, scroll: Scroll, height: usize) {
        let whole = scroll.top == 0 && scroll.bottom + 1 >= height;
        if !whole {
            region(&mut self.out, scroll.top, scroll.bottom);
        }
        let letter = if scroll.lines > 0 { b'S' } else { b'T' };
        counted(&mut self.out, scroll.lines.unsigned_abs(), letter);
        if !whole {
            self.raw(b"\x1b[r");
        }
        (self.row, self.column) = (None, None);
    }

    /// Makes row `y` of the terminal, which shows `old`, show `new`. Both have the width of the screen.
    pub fn row(&mut self, y: usize, old: &[Glyph], new: &[Glyph]) {
        let tail = self.erasable_tail(new);
        // Columns to the right that a glyph in doubt may have spoilt.
        let mut spilt = 0;
        let mut x = 0;
        while let Some(glyph) = new.get(x) {
            let columns = extent(new, x);
            let covers = x..x + columns;
            if spilt > 0 || old.get(covers.clone()) != new.get(covers.clone()) {
                self.approach(x, y, new);
                if x >= tail && self.erase(x, spilt, old, new) {
                    return;
                }
                let under = old.get(covers).unwrap_or_default();
                spilt = self.put(glyph, columns, under, new.len()).max(spilt.saturating_sub(columns));
            }
            x += columns;
        }
    }

    /// Moves to a column and row by the shortest sure way.
    pub fn move_to(&mut self, x: usize, y: usize) {
        let out = &mut self.out;
        match self.column {
            _ if self.row != Some(y) => place(out, x, y),
            Some(column) if column == x => {}
            _ if x == 0 => out.push(b'\r'),
            Some(column) if column < x && counted_length(x - column) < counted_length(x + 1) => {
                counted(out, x - column, b'C');
            }
            _ => counted(out, x + 1, b'G'),
        }
        (self.row, self.column) = (Some(y), Some(x));
    }

    /// The bytes, with the pen plain again.
    pub fn finish(mut self) -> Vec<u8> {
        self.wear(Look::PLAIN);
        self.out
    }

    /// Gets to `x` in row `y`: over a short gap by writing it again, else by a move.
    fn approach(&mut self, x: usize, y: usize, new: &[Glyph]) {
        let from = self.column.filter(|_| self.row == Some(y));
        if !from.is_some_and(|from| from < x && self.bridge(from, x, new)) {
            self.move_to(x, y);
        }
    }

    /// Writes the columns `from..x` again if that needs no other pen and no more bytes than a move; else does nothing.
    fn bridge(&mut self, from: usize, x: usize, new: &[Glyph]) -> bool {
        let move_length = counted_length(x + 1).min(counted_length(x - from));
        let start = self.out.len();
        let mut at = from;
        while let Some(glyph) = new.get(at).filter(|_| at < x) {
            let columns = extent(new, at);
            if self.pen_for(glyph) != self.pen || reach(&glyph.symbol, columns).is_some() {
                break;
            }
            self.write(&glyph.symbol);
            if self.out.len() - start > move_length {
                break;
            }
            at += columns;
        }
        if at != x {
            self.out.truncate(start);
            return false;
        }
        self.column = Some(x);
        true
    }

    /// Writes a glyph at the cursor, over `under`. Returns the columns right of it that the terminal may have spoilt.
    fn put(&mut self, glyph: &Glyph, columns: usize, under: &[Glyph], width: usize) -> usize {
        let (Some(x), Some(y)) = (self.column, self.row) else { return 0 };
        let reach = reach(&glyph.symbol, columns);
        self.wear(self.pen_for(glyph));
        if reach.is_some() && under.iter().skip(1).any(|glyph| *glyph != Glyph::EMPTY) {
            // A terminal that draws the glyph narrower must not leave the old glyph beside it.
            self.out.extend(std::iter::repeat_n(b' ', columns));
            self.column = None;
            self.move_to(x, y);
        }
        self.write(&glyph.symbol);
        let end = x + columns;
        self.column = Some(end).filter(|end| reach.is_none() && *end < width);
        reach.map_or(0, |reach| reach.saturating_sub(columns))
    }

    fn write(&mut self, symbol: &Symbol) {
        match symbol {
            Symbol::Char(character) => {
                let mut bytes = [0; 4];
                self.out.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
            }
            Symbol::Cluster(text) => self.out.extend_from_slice(text.as_bytes()),
            Symbol::Rest => {}
        }
    }

    /// The pen that draws a glyph: its look, but for a blank as little as is seen of it.
    fn pen_for(&self, glyph: &Glyph) -> Look {
        if glyph.is_blank() { self.pen.for_blank(glyph.look.background) } else { glyph.look }
    }

    fn wear(&mut self, look: Look) {
        switch(&mut self.out, self.pen, look);
        self.pen = look;
    }

    /// The column from which on the row is blank in one background that an erase can give it; the width if none.
    fn erasable_tail(&self, new: &[Glyph]) -> usize {
        let Some(last) = new.last().filter(|last| last.is_blank()) else { return new.len() };
        if last.look != Look::PLAIN && !self.erase_keeps_background {
            return new.len();
        }
        let blanks = new.iter().rev().take_while(|glyph| *glyph == last);
        new.len() - blanks.count()
    }

    /// Erases from the cursor at `x` to the end of the row, if that takes fewer bytes than the changed blanks do.
    fn erase(&mut self, x: usize, spilt: usize, old: &[Glyph], new: &[Glyph]) -> bool {
        let mut rest = old.iter().zip(new).skip(x);
        let changed = rest.rposition(|(old, new)| old != new);
        let blanks = changed.map_or(0, |last| last + 1).max(spilt);
        let Some(glyph) = new.get(x).filter(|_| blanks > ERASE_LENGTH) else { return false };
        self.wear(self.pen_for(glyph));
        self.raw(sequence::ERASE_TO_END);
        true
    }
}
