//! A terminal emulator (vt100) fed with the bytes must [show](shown) the buffer; and the [bytes] must be few.

mod bytes;
mod shown;

use std::num::NonZeroU16;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::{Emitter, Options};

/// An emitter with the terminal that it writes to.
struct Terminal {
    emitter: Emitter<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    fn new(area: Rect) -> Terminal {
        let (rows, columns) = size(area);
        Terminal {
            emitter: Emitter::new(Vec::new(), Options::default()),
            screen: vt100::Parser::new(rows, columns, 0),
        }
    }

    /// Sends a frame, and returns its bytes after the emulator has seen them.
    fn show(&mut self, buffer: &Buffer, cursor: Option<Position>) -> String {
        let (rows, columns) = size(buffer.area);
        if self.screen.screen().size() != (rows, columns) {
            self.screen.set_size(rows, columns);
        }
        let count = self.emitter.frame(buffer, cursor).unwrap();
        let bytes = std::mem::take(self.emitter.writer());
        assert_eq!(bytes.len(), count);
        self.screen.process(&bytes);
        String::from_utf8(bytes).unwrap()
    }
}

fn size(area: Rect) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(area.height).unwrap(), NonZeroU16::new(area.width).unwrap())
}

fn seen_colour(colour: Color) -> vt100::Color {
    let named = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour {
        Color::Reset => vt100::Color::Default,
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
        _ => vt100::Color::Idx(named.iter().position(|other| *other == colour).unwrap() as u8),
    }
}

/// The differences between terminal and buffer, cell by cell.
fn differences(screen: &vt100::Screen, buffer: &Buffer) -> Vec<String> {
    let mut found = Vec::new();
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let mut columns = cell.symbol().width().max(1) as u16;
            let mut symbol = cell.symbol();
            if x + columns > buffer.area.width {
                (symbol, columns) = (" ", 1);
            }
            let seen = screen.cell(y, x).unwrap();
            let contents = if seen.contents().is_empty() { " " } else { seen.contents() };
            let lines = cell.modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED);
            let blank = symbol == " " && !lines;
            let modifier = |modifier| cell.modifier.contains(modifier);
            let right = contents == symbol
                && seen.is_wide() == (columns == 2)
                && seen.bgcolor() == seen_colour(cell.bg)
                && seen.underline() == modifier(Modifier::UNDERLINED)
                && seen.inverse() == modifier(Modifier::REVERSED)
                && (blank || seen.fgcolor() == seen_colour(cell.fg))
                && (blank || seen.bold() == modifier(Modifier::BOLD))
                && (blank || seen.dim() == modifier(Modifier::DIM))
                && (blank || seen.italic() == modifier(Modifier::ITALIC));
            if !right {
                found.push(format!("({x}, {y}): {cell:?} is shown as {seen:?}"));
            }
            x += columns;
        }
    }
    found
}
