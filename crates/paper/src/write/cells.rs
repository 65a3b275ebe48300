//! Writing a scene in the cells of a terminal: whiskers, dots, shades, and curves of Braille dots.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::before;
use crate::{ColourRole, FigureText, Mark, Scene};
use graphemes::width::{visible, width};

/// Shades of the first hue from faint to strong, all pale enough for black letters.
const SHADES: [u8; 4] = [195, 153, 117, 75];
/// Shades of the second hue.
const OTHERS: [u8; 4] = [230, 223, 216, 209];

/// The style of a role: colours of middling lightness, legible on dark and on light.
fn style(role: ColourRole) -> Style {
    let colour = |number| Style::new().fg(Color::Indexed(number));
    match role {
        ColourRole::Ink | ColourRole::Paper => Style::new(),
        ColourRole::Muted | ColourRole::Grid => Style::new().add_modifier(Modifier::DIM),
        ColourRole::A => colour(32),
        ColourRole::B => colour(166),
        ColourRole::C => colour(29),
        ColourRole::D => colour(133),
    }
}

/// The cells of a scene whose units are columns and lines.
pub fn buffer(scene: &Scene) -> Buffer {
    let size = |length: f32| length.ceil().clamp(0.0, 10_000.0) as u16;
    let mut cells = Cells { buffer: Buffer::empty(Rect::new(0, 0, size(scene.width), size(scene.height))) };
    scene.marks.iter().for_each(|mark| cells.mark(mark));
    cells.buffer
}

/// The rows of a buffer as text, without blanks at their ends.
pub fn text(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let mut row = String::new();
        let mut x = area.left();
        while let Some(cell) = buffer.cell((x, y)).filter(|_| x < area.right()) {
            row.push_str(cell.symbol());
            // A wide letter covers the next cell.
            x += (width(cell.symbol()) as u16).max(1);
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

struct Cells {
    buffer: Buffer,
}

/// The column or line in which a place lies.
fn cell(place: f32) -> u16 {
    place.max(0.0).min(f32::from(u16::MAX)) as u16
}

impl Cells {
    fn put(&mut self, x: u16, y: u16, symbol: char, role: ColourRole) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_char(symbol).set_style(style(role));
        }
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { points, role, .. } => {
                for ends in points.windows(2) {
                    if let [one, other] = ends {
                        self.line(*one, *other, *role);
                    }
                }
            }
            Mark::Rect { at, size, fill, .. } => {
                let Some((role, share)) = fill else { return };
                let shades = if *role == ColourRole::B { OTHERS } else { SHADES };
                let level = ((share * 2.0 * shades.len() as f32) as usize).min(shades.len() - 1);
                let colour = shades.get(level).copied().unwrap_or_default();
                let shade = Style::new().bg(Color::Indexed(colour)).fg(Color::Indexed(16));
                let (left, right) = (cell(at.0.round()), cell((at.0 + size.0).round()));
                let (top, bottom) = (cell(at.1), cell(at.1 + size.1));
                for y in top..bottom {
                    for x in left..right {
                        if let Some(cell) = self.buffer.cell_mut((x, y)) {
                            cell.set_style(shade);
                        }
                    }
                }
            }
            Mark::Dot { at, fill, stroke, .. } => {
                let (symbol, role) =
                    if *fill == ColourRole::Paper { ('○', *stroke) } else { ('●', *fill) };
                let (x, y) = (cell(at.0), cell(at.1));
                let there = self.buffer.cell((x, y)).map_or("", Cell::symbol);
                // Two dots in one cell are both seen.
                let is_both = matches!((there, symbol), ("●", '○') | ("○" | "◉", '●') | ("◉", '○'));
                self.put(x, y, if is_both { '◉' } else { symbol }, role);
            }
            Mark::Text(text) => self.text(text),
        }
    }

    fn text(&mut self, text: &FigureText) {
        let letters = visible(&text.text);
        let wide = width(&letters) as f32;
        // A text is moved to the left where the edge would cut it.
        let x = (text.at.0 - before(text.anchor, wide)).round();
        let x = x.min(f32::from(self.buffer.area.width) - wide);
        let own = style(text.role);
        // Without a style of their own, letters stay black on a shade.
        let own = if text.role == ColourRole::Ink { Style::new() } else { own };
        self.buffer.set_string(cell(x), cell(text.at.1), &letters, own);
    }

    fn line(&mut self, one: (f32, f32), other: (f32, f32), role: ColourRole) {
        let ((left, right), (top, bottom)) = (ordered(one.0, other.0), ordered(one.1, other.1));
        if top == bottom {
            let (from, to, y) = (cell(left), cell(right), cell(top));
            for x in from..=to {
                // A whisker of one cell is hidden by its dot.
                let symbol = match x {
                    _ if from == to => ' ',
                    x if x == from => '╶',
                    x if x == to => '╴',
                    _ => '─',
                };
                if symbol != ' ' {
                    self.put(x, y, symbol, role);
                }
            }
        } else if left == right {
            for y in cell(top)..cell(bottom.ceil()) {
                self.put(cell(left), y, '┊', role);
            }
        } else {
            self.curve(one, other, role);
        }
    }

    /// Draws Braille dots, two across and four down in a cell, and keeps the dots that are there.
    fn curve(&mut self, one: (f32, f32), other: (f32, f32), role: ColourRole) {
        /// The bits of a cell's dots by line and column.
        const DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let steps = ((other.0 - one.0).abs() * 2.0).max((other.1 - one.1).abs() * 4.0).ceil().max(1.0);
        for step in 0..=steps as u32 {
            let share = step as f32 / steps;
            let (x, y) = (one.0 + (other.0 - one.0) * share, one.1 + (other.1 - one.1) * share);
            let Some(cell) = self.buffer.cell_mut((cell(x), cell(y))) else { continue };
            let (column, line) = ((x.fract() * 2.0) as usize, (y.fract() * 4.0) as usize);
            let bit = DOTS.get(line.min(3)).and_then(|line| line.get(column.min(1))).copied().unwrap_or(0);
            let own = cell.symbol().chars().next().map_or(0, u32::from);
            let own = if (0x2800..0x2900).contains(&own) { own } else { 0x2800 };
            if let Some(symbol) = char::from_u32(own | bit) {
                cell.set_char(symbol).set_style(style(role));
            }
        }
    }
}

fn ordered(one: f32, other: f32) -> (f32, f32) {
    if one <= other { (one, other) } else { (other, one) }
}
