//! A buffer as lines among others: its rows from the left, each with a plain pen at its end.

use ratatui::buffer::Buffer;

use super::Options;
use super::grid::{CellGrid, Symbol};
use super::style::{Look, switch};

/// The rows without blanks at their ends, each with a line break.
pub fn lines(buffer: &Buffer, options: Options) -> Vec<u8> {
    let mut grid = CellGrid::blank(0, 0);
    grid.load(buffer, options.no_color);
    let (_, height) = grid.size();
    let mut out = Vec::new();
    for y in 0..height {
        let row = grid.row(y);
        let is_blank = |look: &Look| !look.shows_on_blank() && look.background == Look::PLAIN.background;
        let seen = row.iter().rposition(|glyph| !(glyph.is_blank() && is_blank(&glyph.look)));
        let mut pen = Look::PLAIN;
        for glyph in row.iter().take(seen.map_or(0, |at| at + 1)) {
            let mut letter = [0; 4];
            let symbol = match &glyph.symbol {
                Symbol::Rest => continue,
                Symbol::Char(symbol) => &*symbol.encode_utf8(&mut letter),
                Symbol::Cluster(symbol) => symbol,
            };
            switch(&mut out, pen, glyph.look);
            pen = glyph.look;
            out.extend_from_slice(symbol.as_bytes());
        }
        switch(&mut out, pen, Look::PLAIN);
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    fn drawn(no_color: bool) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        buffer.set_string(0, 0, "a甲●", Style::new().fg(Color::Indexed(32)));
        let options = Options { no_color, ..Options::default() };
        String::from_utf8(lines(&buffer, options)).expect("text")
    }

    #[test]
    fn rows_end_with_a_plain_pen_and_no_blanks() {
        assert_eq!(drawn(false), "\x1b[38;5;32ma甲●\x1b[m\n\n");
        assert_eq!(drawn(true), "a甲●\n\n");
    }
}
