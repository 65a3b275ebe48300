//! A screen in the one form in which two screens can be compared: every column is a glyph,
//! or the rest of the wide glyph to its left.

use std::hash::{Hash, Hasher};

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};

use super::style::Look;

/// The content of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    /// A single character; a space is a blank.
    Char(char),
    /// A grapheme of several characters.
    Cluster(Box<str>),
    /// Covered by the wide glyph to the left.
    Rest,
}

/// A column of the screen. The look of a rest counts for nothing: the wide glyph's own counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Glyph {
    pub symbol: Symbol,
    pub look: Look,
}

impl Glyph {
    /// An empty column as the terminal leaves it after a clear.
    pub const EMPTY: Glyph = Glyph { symbol: Symbol::Char(' '), look: Look::PLAIN };

    /// A column covered by the wide glyph to its left.
    const REST: Glyph = Glyph { symbol: Symbol::Rest, look: Look::PLAIN };

    /// Whether the column is a space that shows nothing but its background.
    pub fn is_blank(&self) -> bool {
        self.symbol == Symbol::Char(' ') && !self.look.shows_on_blank()
    }
}

/// A screen of `width` × `height` columns.
#[derive(Debug)]
pub(super) struct CellGrid {
    width: usize,
    height: usize,
    glyphs: Vec<Glyph>,
}

impl CellGrid {
    /// A screen after a clear.
    pub fn blank(width: usize, height: usize) -> CellGrid {
        CellGrid { width, height, glyphs: vec![Glyph::EMPTY; width * height] }
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Row `y`, from the left; empty outside the screen.
    pub fn row(&self, y: usize) -> &[Glyph] {
        self.glyphs.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// Takes over a buffer, size and all; without its colours if `no_color`.
    pub fn load(&mut self, buffer: &Buffer, no_color: bool) {
        let size = (usize::from(buffer.area.width), usize::from(buffer.area.height));
        if self.size() != size {
            *self = CellGrid::blank(size.0, size.1);
        }
        if self.glyphs.is_empty() {
            return;
        }
        let rows = self.glyphs.chunks_exact_mut(self.width);
        for (row, cells) in rows.zip(buffer.content.chunks_exact(self.width)) {
            load_row(row, cells, no_color);
        }
    }
}

/// Columns of the glyph at `x`: itself and its rest. At least 1.
pub(super) fn extent(row: &[Glyph], x: usize) -> usize {
    let rest = row.iter().skip(x + 1).take_while(|glyph| glyph.symbol == Symbol::Rest);
    1 + rest.count()
}

/// A number that is the same for equal rows and seldom for others.
pub(super) fn fingerprint(row: &[Glyph]) -> u64 {
    let mut mixer = Mixer(0);
    row.hash(&mut mixer);
    mixer.finish()
}

fn load_row(row: &mut [Glyph], cells: &[Cell], no_color: bool) {
    let width = row.len();
    let mut covered = 0;
    for (x, (glyph, cell)) in row.iter_mut().zip(cells).enumerate() {
        if covered > 0 {
            covered -= 1;
            *glyph = Glyph::REST;
            continue;
        }
        let columns = load_symbol(&mut glyph.symbol, cell);
        if x + columns > width {
            // Half a glyph cannot be shown.
            glyph.symbol = Symbol::Char(' ');
        } else {
            covered = columns - 1;
        }
        let look = Look::of(cell, no_color);
        let blank = glyph.symbol == Symbol::Char(' ');
        glyph.look = if blank { look.on_blank() } else { look };
    }
}

/// Writes the symbol of a cell and returns its columns, at least 1.
///
/// Control characters become `?`. A text without a width of its own would join the glyph before it, so it becomes a blank.
fn load_symbol(symbol: &mut Symbol, cell: &Cell) -> usize {
    let text = cell.symbol();
    if let [byte] = text.as_bytes() {
        let character = if byte.is_ascii_control() { '?' } else { char::from(*byte) };
        *symbol = Symbol::Char(character);
        return forced(cell).unwrap_or(1);
    }
    if text.contains(char::is_control) {
        let visible = text.replace(char::is_control, "?");
        return store(symbol, &visible, forced(cell));
    }
    store(symbol, text, forced(cell))
}

fn store(symbol: &mut Symbol, text: &str, forced: Option<usize>) -> usize {
    let columns = forced.unwrap_or_else(|| usize::from(text.cell_width()));
    let mut characters = text.chars();
    match (columns, characters.next(), characters.next()) {
        (0, ..) | (_, None, _) => *symbol = Symbol::Char(' '),
        (_, Some(only), None) => *symbol = Symbol::Char(only),
        _ if matches!(symbol, Symbol::Cluster(known) if **known == *text) => {}
        _ => *symbol = Symbol::Cluster(text.into()),
    }
    columns.max(1)
}

fn forced(cell: &Cell) -> Option<usize> {
    match cell.diff_option {
        CellDiffOption::ForcedWidth(width) => Some(usize::from(width.get())),
        _ => None,
    }
}

/// The multiply and rotate hash of the Rust compiler (FxHash): a row is hashed in a microsecond,
/// and a collision costs bytes only, never a wrong picture.
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.mix(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.mix(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    /// Symbols of the first row, the rest of a wide glyph as `<`.
    fn symbols(buffer: &Buffer) -> String {
        let mut grid = CellGrid::blank(0, 0);
        grid.load(buffer, false);
        let show = |glyph: &Glyph| match &glyph.symbol {
            Symbol::Char(character) => character.to_string(),
            Symbol::Cluster(text) => text.to_string(),
            Symbol::Rest => "<".to_string(),
        };
        grid.row(0).iter().map(show).collect()
    }

    fn row(width: u16, cells: &[(u16, &str)]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        for (x, symbol) in cells {
            buffer[(*x, 0)].set_symbol(symbol);
        }
        buffer
    }

    #[test]
    fn wide_glyphs_cover_what_follows_them() {
        assert_eq!(symbols(&row(4, &[(0, "中"), (1, "x"), (2, "y")])), "中<y ");
        let mut skipped = row(3, &[(0, "中")]);
        skipped[(1, 0)].set_diff_option(CellDiffOption::Skip);
        assert_eq!(symbols(&skipped), "中< ");
    }

    #[test]
    fn half_a_glyph_at_the_edge_is_a_blank() {
        assert_eq!(symbols(&row(3, &[(2, "中")])), "   ");
        assert_eq!(symbols(&row(1, &[(0, "中")])), " ");
    }

    #[test]
    fn control_characters_never_pass() {
        let bytes = [(0, "\x1b"), (1, "\u{9b}"), (2, "\x7f"), (3, "a\x07"), (5, "")];
        assert_eq!(symbols(&row(6, &bytes)), "???a?< ");
    }

    #[test]
    fn a_lone_combining_mark_is_a_blank() {
        assert_eq!(symbols(&row(2, &[(0, "\u{301}"), (1, "e\u{301}")])), " e\u{301}");
    }

    #[test]
    fn what_is_not_seen_on_a_space_does_not_count() {
        let (mut red, mut plain) = (CellGrid::blank(0, 0), CellGrid::blank(0, 0));
        let mut buffer = row(2, &[]);
        plain.load(&buffer, false);
        buffer.set_style(buffer.area, Style::new().red().bold());
        red.load(&buffer, false);
        assert_eq!(red.row(0), plain.row(0));
        assert_eq!(fingerprint(red.row(0)), fingerprint(plain.row(0)));
    }
}
