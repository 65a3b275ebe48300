//! A screen as a picture: its cells as SVG, for a guideline, a paper, a page.
//!
//! The look is in attributes alone, since pages that show pictures may take styles away. Each character has a place of its
//! own, so that the grid holds in any font; lines and blocks are shapes, so that they join.

use std::fmt::Write;

use graphemes::markup::escape;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::Theme;
use crate::number::extent;

/// Width and height of a cell, and the distance of the letters' baseline from its top, in pixels.
const CELL: (u32, u32) = (8, 17);
const BASE: u32 = 13;

/// Monospaced fonts, the first that the reader has.
const FONTS: &str = "ui-monospace,'DejaVu Sans Mono','Noto Sans Mono CJK SC',Menlo,Consolas,monospace";

/// The sixteen colours that terminals name, as they look on paper and screen alike.
const NAMED: [u32; 16] = [
    0x1c1c1c, 0xc4554d, 0x5f9e4c, 0xb58a1d, 0x4a86cf, 0xa863b8, 0x2f9a9a, 0xc8c8c8, 0x6f6f6f, 0xe2786f,
    0x86c06f, 0xdcb64a, 0x7aaeea, 0xc98bd6, 0x63c3c3, 0xffffff,
];

/// The cells as SVG. `title` describes the picture to people who cannot see it.
pub fn svg(buffer: &Buffer, cursor: Option<Position>, theme: &Theme, title: &str) -> String {
    let (columns, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let (width, height) = (columns * CELL.0, rows * CELL.1);
    let mut drawing = PictureDrawing {
        ink: rgb(theme.picture.0.fg, 0x1a1a1a, 0),
        paper: rgb(theme.picture.0.bg, 0xffffff, 0),
        shapes: String::new(),
        letters: String::new(),
    };
    for y in 0..buffer.area.height {
        drawing.row(buffer, y, cursor);
    }
    let PictureDrawing { paper, shapes, letters, .. } = drawing;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" font-size=\"13.333\" xml:space=\"preserve\">\
         <title>{}</title><rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#{paper:06x}\"/>\n\
         {shapes}{letters}</svg>\n",
        escaped(title)
    )
}

/// The look of a run of letters: colour, and further attributes.
type RunLook = (u32, String);

/// The picture as far as it is drawn; shapes lie below letters.
struct PictureDrawing {
    ink: u32,
    paper: u32,
    shapes: String,
    letters: String,
}

impl PictureDrawing {
    fn row(&mut self, buffer: &Buffer, y: u16, cursor: Option<Position>) {
        let top = u32::from(y) * CELL.1;
        let (mut background, mut run) = ((self.paper, 0, 0), LetterRun::default());
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(buffer.area.x + x, buffer.area.y + y)];
            let cells = extent(cell.symbol().width()).max(1);
            let is_under_cursor = cursor == Some(Position::new(x, y));
            let (ink, paper) = self.colours(cell, is_under_cursor);
            let (left, width) = (u32::from(x) * CELL.0, u32::from(cells) * CELL.0);
            if background.0 != paper || background.2 != left {
                self.ground(background, top);
                background = (paper, left, left);
            }
            background.2 = left + width;
            self.glyph(cell, (left, top), ink, &mut run);
            x += cells;
        }
        self.ground(background, top);
        self.write(run, top);
    }

    /// Colours of a cell: letters, background.
    fn colours(&self, cell: &Cell, is_under_cursor: bool) -> (u32, u32) {
        let (ink, paper) =
            (rgb(Some(cell.fg), self.ink, self.ink), rgb(Some(cell.bg), self.paper, self.paper));
        let ink = if cell.modifier.contains(Modifier::DIM) { mixed(ink, paper) } else { ink };
        if cell.modifier.contains(Modifier::REVERSED) != is_under_cursor {
            (paper, ink)
        } else {
            (ink, paper)
        }
    }

    /// Draws the background of several cells, unless it is the paper's.
    fn ground(&mut self, (colour, left, right): (u32, u32, u32), top: u32) {
        if colour != self.paper && right > left {
            let (width, height) = (right - left, CELL.1);
            let _ = writeln!(
                self.shapes,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#{colour:06x}\" \
                 shape-rendering=\"crispEdges\"/>"
            );
        }
    }

    fn glyph(&mut self, cell: &Cell, (left, top): (u32, u32), ink: u32, run: &mut LetterRun) {
        let symbol = cell.symbol();
        let is_blank = symbol.trim().is_empty();
        let first = symbol.chars().next().unwrap_or(' ');
        if let Some(arms) = arms(first) {
            let (x, y) = (f64::from(left) + 4.0, f64::from(top) + 8.5);
            let reaches = [(0.0, -8.5), (4.0, 0.0), (0.0, 8.5), (-4.0, 0.0)];
            let path = arms.iter().zip(reaches).filter(|(has, _)| **has);
            let path: String = path.map(|(_, (dx, dy))| format!("M{x} {y}l{dx} {dy}")).collect();
            let _ = writeln!(self.shapes, "<path d=\"{path}\" stroke=\"#{ink:06x}\"/>");
        } else if let Some((x, y, width, height)) = block(first) {
            let (x, y) = (f64::from(left) + x, f64::from(top) + y);
            let _ = writeln!(
                self.shapes,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#{ink:06x}\"/>"
            );
        } else if !is_blank || cell.modifier.intersects(Modifier::UNDERLINED | Modifier::CROSSED_OUT) {
            let look = (ink, attributes(cell.modifier));
            if run.look != look || is_blank != run.is_blank {
                self.write(std::mem::take(run), top);
                (run.look, run.is_blank) = (look, is_blank);
            }
            run.add(if is_blank { "\u{a0}" } else { symbol }, left);
            return;
        }
        self.write(std::mem::take(run), top);
    }

    fn write(&mut self, run: LetterRun, top: u32) {
        let (LetterRun { look: (ink, attributes), places, text, .. }, y) = (run, top + BASE);
        if !text.is_empty() {
            let (places, text) = (places.trim_end(), escaped(&text));
            let _ = writeln!(
                self.letters,
                "<text y=\"{y}\" fill=\"#{ink:06x}\"{attributes} x=\"{places}\">{text}</text>"
            );
        }
    }
}

/// A run of letters of one look, side by side.
#[derive(Default)]
struct LetterRun {
    look: RunLook,
    is_blank: bool,
    places: String,
    text: String,
}

impl LetterRun {
    /// Adds the letters of a cell: SVG takes a place for each character.
    fn add(&mut self, symbol: &str, left: u32) {
        for _ in symbol.chars() {
            let _ = write!(self.places, "{left} ");
        }
        self.text.push_str(symbol);
    }
}

fn attributes(modifier: Modifier) -> String {
    let all = [
        (Modifier::BOLD, " font-weight=\"700\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
    ];
    all.into_iter().filter(|(one, _)| modifier.contains(*one)).map(|(_, attribute)| attribute).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    escape(text, &mut escaped);
    escaped
}

/// A colour as red, green, blue; the terminal's own is `own`, and none at all `none`.
fn rgb(colour: Option<Color>, none: u32, own: u32) -> u32 {
    let named = |place: usize| NAMED[place];
    let mixed = |red: u8, green: u8, blue: u8| u32::from_be_bytes([0, red, green, blue]);
    match colour {
        None => none,
        Some(Color::Reset) => own,
        Some(Color::Black) => named(0),
        Some(Color::Red) => named(1),
        Some(Color::Green) => named(2),
        Some(Color::Yellow) => named(3),
        Some(Color::Blue) => named(4),
        Some(Color::Magenta) => named(5),
        Some(Color::Cyan) => named(6),
        Some(Color::Gray) => named(7),
        Some(Color::DarkGray) => named(8),
        Some(Color::LightRed) => named(9),
        Some(Color::LightGreen) => named(10),
        Some(Color::LightYellow) => named(11),
        Some(Color::LightBlue) => named(12),
        Some(Color::LightMagenta) => named(13),
        Some(Color::LightCyan) => named(14),
        Some(Color::White) => named(15),
        Some(Color::Rgb(red, green, blue)) => mixed(red, green, blue),
        Some(Color::Indexed(place @ 0..=15)) => named(usize::from(place)),
        // A cube of six steps a colour, then greys: xterm's 256.
        Some(Color::Indexed(place @ 16..=231)) => {
            let step = |at: u8| if at == 0 { 0 } else { 55 + 40 * at };
            let place = place - 16;
            mixed(step(place / 36), step(place / 6 % 6), step(place % 6))
        }
        Some(Color::Indexed(place)) => {
            let grey = 8 + 10 * (place - 232);
            mixed(grey, grey, grey)
        }
    }
}

/// Halfway between two colours.
fn mixed(one: u32, other: u32) -> u32 {
    let [_, red, green, blue] = one.to_be_bytes();
    let [_, red2, green2, blue2] = other.to_be_bytes();
    u32::from_be_bytes([0, red.midpoint(red2), green.midpoint(green2), blue.midpoint(blue2)])
}

/// The arms of a character that draws lines: up, right, down, left.
fn arms(symbol: char) -> Option<[bool; 4]> {
    let arms = match symbol {
        '─' | '━' => "rl",
        '│' | '┃' => "ud",
        '┌' | '╭' => "rd",
        '┐' | '╮' => "dl",
        '└' | '╰' => "ur",
        '┘' | '╯' => "ul",
        '├' => "urd",
        '┤' => "udl",
        '┬' => "rdl",
        '┴' => "url",
        '┼' => "urdl",
        '╴' => "l",
        '╶' => "r",
        '╵' => "u",
        '╷' => "d",
        _ => return None,
    };
    Some(['u', 'r', 'd', 'l'].map(|arm| arms.contains(arm)))
}

/// Place and size of a block within its cell.
fn block(symbol: char) -> Option<(f64, f64, f64, f64)> {
    let eighths = |base: u32| f64::from(u32::from(symbol) - base);
    Some(match symbol {
        '▀' => (0.0, 0.0, 8.0, 8.5),
        '▁'..='█' => {
            let height = eighths(0x2580) * 17.0 / 8.0;
            (0.0, 17.0 - height, 8.0, height)
        }
        '▉'..='▏' => (0.0, 0.0, 8.0 - eighths(0x2588), 17.0),
        '▐' => (4.0, 0.0, 4.0, 17.0),
        _ => return None,
    })
}

#[cfg(test)]
pub(in crate::view) mod tests;
