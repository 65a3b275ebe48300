//! The cells of a row, as they are drawn.

use std::iter::repeat_n;

use crate::grapheme::graphemes;
use crate::width::drawn;

/// A cell to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCell<'t> {
    /// Byte offset, in the row, of the grapheme that is drawn.
    pub start: usize,
    /// The text to write: the grapheme or its stand-in, never a control character.
    pub text: &'t str,
    /// Columns that `text` takes, at least 1.
    pub width: u16,
}

/// The cells of a row, from left to right. A tab gives several cells of one space each, all with
/// the tab's offset; an invisible grapheme gives none. The widths sum up to
/// [`width`](crate::width::width) of the row.
pub fn cells(row: &str) -> impl Iterator<Item = TextCell<'_>> {
    graphemes(row).flat_map(|(start, grapheme)| {
        let (text, width, times) = match drawn(grapheme) {
            (_, tab) if grapheme == "\t" => (" ", 1, usize::from(tab)),
            (stand_in, width) => (stand_in.unwrap_or(grapheme), width, usize::from(width > 0)),
        };
        repeat_n(TextCell { start, text, width }, times)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(row: &str) -> Vec<(usize, &str, u16)> {
        cells(row).map(|cell| (cell.start, cell.text, cell.width)).collect()
    }

    #[test]
    fn graphemes_are_drawn_whole() {
        assert_eq!(
            drawn("e\u{301}中👩\u{200D}🔬!"),
            [(0, "e\u{301}", 1), (3, "中", 2), (6, "👩\u{200D}🔬", 2), (17, "!", 1)]
        );
    }

    #[test]
    fn tabs_are_spaces_and_invisible_graphemes_are_left_out() {
        assert_eq!(
            drawn("a\t\u{AD}b"),
            [(0, "a", 1), (1, " ", 1), (1, " ", 1), (1, " ", 1), (1, " ", 1), (4, "b", 1)]
        );
    }

    #[test]
    fn controls_are_drawn_as_stand_ins() {
        assert_eq!(drawn("\u{1B}[m\u{301}"), [(0, "␛", 1), (1, "[", 1), (2, "m\u{301}", 1)]);
        assert_eq!(drawn("\u{1B}\u{301}"), [(0, "␛", 1), (1, "◌", 1)]);
    }
}
