//! The look of a cell, and the shortest SGR sequence from one look to the next.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::sequence::number;

/// Modifiers that are seen on a space.
const SHOWN_ON_BLANK: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Each modifier with the SGR parameters that switch it on and off.
/// Bold and dim share an off switch, as do the two speeds of blinking.
const SWITCHES: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

/// Colours and modifiers of a glyph, or of the terminal's pen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Look {
    pub foreground: Color,
    pub background: Color,
    /// The colour of the underline; `Color::Reset` where nothing is underlined.
    pub underline: Color,
    pub modifier: Modifier,
}

impl Look {
    /// The terminal's own colours, no modifier: the look after SGR 0.
    pub const PLAIN: Look = Look {
        foreground: Color::Reset,
        background: Color::Reset,
        underline: Color::Reset,
        modifier: Modifier::empty(),
    };

    /// The look of a cell; without its colours if `no_color`.
    pub fn of(cell: &Cell, no_color: bool) -> Look {
        if no_color {
            return Look { modifier: cell.modifier, ..Look::PLAIN };
        }
        let underlined = cell.modifier.contains(Modifier::UNDERLINED);
        Look {
            foreground: cell.fg,
            background: cell.bg,
            underline: if underlined { cell.underline_color } else { Color::Reset },
            modifier: cell.modifier,
        }
    }

    /// The part of this look that a space shows: mostly nothing but the background.
    /// Two looks that a space cannot tell apart become equal.
    pub fn on_blank(self) -> Look {
        if self.shows_on_blank() {
            return self;
        }
        Look { background: self.background, ..Look::PLAIN }
    }

    /// Whether a space in this look shows more than its background.
    pub fn shows_on_blank(self) -> bool {
        self.modifier.intersects(SHOWN_ON_BLANK)
    }

    /// This pen changed just as far as a space of the given background needs it.
    pub fn for_blank(self, background: Color) -> Look {
        Look { background, modifier: self.modifier - SHOWN_ON_BLANK, ..self }
    }
}

/// Appends the shorter of two ways from one look to the other: switch what differs, or reset and begin afresh.
pub(super) fn switch(out: &mut Vec<u8>, from: Look, to: Look) {
    if from == to {
        return;
    }
    let start = out.len();
    changes(out, from, to, false);
    let middle = out.len();
    changes(out, Look::PLAIN, to, true);
    if out.len() - middle < middle - start {
        out.drain(start..middle);
    } else {
        out.truncate(middle);
    }
}

/// One SGR sequence for all that differs, after a reset if `afresh`; a second one for the colour of the underline.
fn changes(out: &mut Vec<u8>, from: Look, to: Look, afresh: bool) {
    let mut sequence = SgrParameters { out, begun: false };
    if afresh {
        sequence.begin_reset(to == Look::PLAIN);
    }
    modifiers(&mut sequence, from.modifier, to.modifier);
    if from.foreground != to.foreground {
        colour(&mut sequence, to.foreground, 30);
    }
    if from.background != to.background {
        colour(&mut sequence, to.background, 40);
    }
    sequence.end();
    if from.underline != to.underline {
        underline(out, to.underline);
    }
}

fn modifiers(sequence: &mut SgrParameters<'_>, from: Modifier, to: Modifier) {
    let mut kept = from;
    for (modifier, _, off) in SWITCHES {
        if kept.contains(modifier) && !to.contains(modifier) {
            sequence.push(off);
            // An off switch takes the modifiers that share it along.
            for (other, _, other_off) in SWITCHES {
                if other_off == off {
                    kept -= other;
                }
            }
        }
    }
    for (modifier, on, _) in SWITCHES {
        if to.contains(modifier) && !kept.contains(modifier) {
            sequence.push(on);
        }
    }
}

/// Appends a foreground (`base` 30) or background (`base` 40) colour.
fn colour(sequence: &mut SgrParameters<'_>, colour: Color, base: u8) {
    match (colour, ansi(colour)) {
        (_, Some(index)) if index < 8 => sequence.push(base + index),
        (_, Some(index)) => sequence.push(base + 60 + (index - 8)),
        (Color::Indexed(index), _) => sequence.push_all(&[base + 8, 5, index]),
        (Color::Rgb(red, green, blue), _) => sequence.push_all(&[base + 8, 2, red, green, blue]),
        _ => sequence.push(base + 9),
    }
}

/// Appends the colour of the underline.
///
/// A sequence of its own, with colons: terminals that know nothing of parameter 58 then skip it as a whole,
/// where `58;5;n` would make some of them blink.
fn underline(out: &mut Vec<u8>, colour: Color) {
    let parts: &[u8] = match (colour, ansi(colour)) {
        (_, Some(index)) | (Color::Indexed(index), _) => &[5, index],
        (Color::Rgb(red, green, blue), _) => &[2, red, green, blue],
        _ => {
            out.extend_from_slice(b"\x1b[59m");
            return;
        }
    };
    out.extend_from_slice(b"\x1b[58");
    for (place, part) in parts.iter().enumerate() {
        // The empty part before red stands for the colour space.
        out.extend_from_slice(if place == 1 && parts.len() == 4 { b"::" } else { b":" });
        number(out, usize::from(*part));
    }
    out.push(b'm');
}

/// The number of one of the sixteen named colours.
fn ansi(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Reset | Color::Indexed(_) | Color::Rgb(..) => return None,
    })
}

/// One SGR sequence that grows by parameters; nothing is written for none.
struct SgrParameters<'a> {
    out: &'a mut Vec<u8>,
    begun: bool,
}

impl SgrParameters<'_> {
    fn push(&mut self, parameter: u8) {
        self.out.extend_from_slice(if self.begun { b";" } else { b"\x1b[" });
        self.begun = true;
        number(self.out, usize::from(parameter));
    }

    fn push_all(&mut self, parameters: &[u8]) {
        for parameter in parameters {
            self.push(*parameter);
        }
    }

    /// A reset; on its own it needs no parameter.
    fn begin_reset(&mut self, alone: bool) {
        if alone {
            self.out.extend_from_slice(b"\x1b[");
            self.begun = true;
        } else {
            self.push(0);
        }
    }

    fn end(self) {
        if self.begun {
            self.out.push(b'm');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: Look, to: Look, expected: &str) {
        let mut out = Vec::new();
        switch(&mut out, from, to);
        assert_eq!(String::from_utf8(out).unwrap(), expected.replace('^', "\x1b["));
    }

    fn look(foreground: Color, background: Color, modifier: Modifier) -> Look {
        Look { foreground, background, modifier, ..Look::PLAIN }
    }

    #[test]
    fn every_kind_of_colour_has_its_parameters() {
        let none = Modifier::empty();
        check(Look::PLAIN, look(Color::Red, Color::White, none), "^31;107m");
        check(Look::PLAIN, look(Color::Indexed(7), Color::Reset, none), "^38;5;7m");
        check(Look::PLAIN, look(Color::Reset, Color::Rgb(1, 20, 255), none), "^48;2;1;20;255m");
    }

    #[test]
    fn the_shorter_way_is_taken() {
        let red = look(Color::Red, Color::Reset, Modifier::empty());
        let bold_red = look(Color::Red, Color::Reset, Modifier::BOLD);
        let much = look(Color::Rgb(200, 200, 200), Color::Reset, Modifier::BOLD | Modifier::ITALIC);
        check(red, red, "");
        check(red, bold_red, "^1m");
        check(bold_red, red, "^22m");
        check(much, Look::PLAIN, "^m");
        check(much, red, "^0;31m");
    }

    #[test]
    fn bold_and_dim_share_an_off_switch() {
        let both = look(Color::Indexed(100), Color::Reset, Modifier::BOLD | Modifier::DIM);
        let dim = Look { modifier: Modifier::DIM, ..both };
        check(both, dim, "^22;2m");
    }

    #[test]
    fn underline_colours_stand_apart_with_colons() {
        let named = Look { underline: Color::Red, modifier: Modifier::UNDERLINED, ..Look::PLAIN };
        let exact = Look { underline: Color::Rgb(1, 2, 3), ..named };
        check(Look::PLAIN, named, "^4m^58:5:1m");
        check(named, exact, "^58:2::1:2:3m");
        check(exact, Look { underline: Color::Reset, ..exact }, "^59m");
    }

    #[test]
    fn a_space_shows_its_background_and_its_lines_only() {
        let bold = look(Color::Red, Color::Blue, Modifier::BOLD);
        assert_eq!(bold.on_blank(), look(Color::Reset, Color::Blue, Modifier::empty()));
        let reversed = look(Color::Red, Color::Blue, Modifier::REVERSED);
        assert_eq!(reversed.on_blank(), reversed);
    }

    #[test]
    fn without_colours_the_modifiers_stay() {
        let mut cell = Cell::new("x");
        cell.set_fg(Color::Red).set_bg(Color::Blue);
        cell.modifier = Modifier::BOLD;
        assert_eq!(Look::of(&cell, true), look(Color::Reset, Color::Reset, Modifier::BOLD));
    }
}
