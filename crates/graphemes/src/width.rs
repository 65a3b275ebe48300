//! Columns of graphemes in a terminal, and stand-ins for graphemes that must not reach a
//! terminal as they are.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::cells::cells;
use crate::grapheme::graphemes;

/// Columns of a tab. Fixed, so that the width of a grapheme does not depend on where it stands.
pub const TAB_COLUMNS: u16 = 4;

/// The columns that `grapheme` takes when drawn by [`cells`]: 0 for an invisible one, 2 for wide
/// characters and emoji, the stand-in's where there is one. The same for the same grapheme anywhere.
#[must_use]
pub fn columns(grapheme: &str) -> u16 {
    drawn(grapheme).1
}

/// The columns of all graphemes of `text`; line breaks count as their stand-ins.
#[must_use]
pub fn width(text: &str) -> usize {
    graphemes(text).map(|(_, grapheme)| usize::from(columns(grapheme))).sum()
}

/// The text, with spaces behind it up to this many columns.
#[must_use]
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The character of a keyboard that a full-width one stands for; any other as it is.
#[must_use]
pub fn half_width(character: char) -> char {
    match character {
        '\u{3000}' => ' ',
        '！'..='～' => char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character),
        _ => character,
    }
}

/// The text to draw in place of `grapheme`, or `None` when it can be drawn as it is.
///
/// - a control character: its picture (`␛`, `␀`, `␡`; both `\n` and `\r\n` are `␊`), or `�` for C1,
///   line and paragraph separators, bidirectional embeddings, overrides and isolates, the byte order
///   mark, and other controls without a picture;
/// - a tab: [`TAB_COLUMNS`] spaces;
/// - an invisible character of no width, such as a soft hyphen or zero-width space: nothing;
/// - a mark without a base: `◌`.
#[must_use]
pub fn stand_in(grapheme: &str) -> Option<&'static str> {
    drawn(grapheme).0
}

/// The stand-in of `grapheme`, where it needs one, and the columns that are drawn.
pub(crate) fn drawn(grapheme: &str) -> (Option<&'static str>, u16) {
    let mut chars = grapheme.chars();
    let Some(head) = chars.next() else { return (None, 0) };
    let alone = chars.next().is_none();
    if alone && matches!(head, ' '..='~') {
        return (None, 1);
    }
    match head {
        '\t' => return (Some("    "), TAB_COLUMNS),
        '\r' if !alone => return (control('\n'), 1),
        _ => {}
    }
    if let Some(picture) = control(head) {
        return (Some(picture), 1);
    }
    let columns = if alone { head.width() } else { None };
    match columns.unwrap_or_else(|| grapheme.width()) {
        0 if grapheme.chars().all(is_invisible) => (Some(""), 0),
        0 => (Some("◌"), 1),
        columns => (None, columns.min(usize::from(u16::MAX)) as u16),
    }
}

/// `text` as one line that is safe to print: every grapheme as it is drawn on the screen. It takes
/// as many columns as [`width`] says of `text`.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if graphemes(text).all(|(_, grapheme)| stand_in(grapheme).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(cells(text).map(|cell| cell.text).collect())
}

/// `text` as lines that are safe to print: as [`visible`], but line breaks and tabs stay what they are.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    let drawn = |grapheme| match grapheme {
        "\n" | "\r\n" => "\n",
        "\t" => "\t",
        _ => stand_in(grapheme).unwrap_or(grapheme),
    };
    graphemes(text).map(|(_, grapheme)| drawn(grapheme)).collect()
}

/// The pictures of U+0000 to U+001F.
const C0: [&str; 32] = [
    "␀", "␁", "␂", "␃", "␄", "␅", "␆", "␇", "␈", "␉", "␊", "␋", "␌", "␍", "␎", "␏", "␐", "␑", "␒", "␓", "␔",
    "␕", "␖", "␗", "␘", "␙", "␚", "␛", "␜", "␝", "␞", "␟",
];

/// The stand-in of a character that would steer the terminal or turn the text around.
pub fn control(character: char) -> Option<&'static str> {
    match character {
        '\0'..='\u{1F}' => C0.get(character as usize).copied(),
        '\u{7F}' => Some("␡"),
        '\u{80}'..='\u{9F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0001}' => Some("�"),
        _ => None,
    }
}

/// Whether a character of no width has nothing to show (Unicode's Default_Ignorable_Code_Point,
/// without those that [`control`] replaces).
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2060}'..='\u{2065}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_graphemes() {
        for (grapheme, expected) in [
            ("a", 1),
            ("é", 1),
            ("e\u{301}", 1),
            ("中", 2),
            ("，", 2),
            ("ｶ", 1),
            ("ｶ\u{FF9E}", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("한", 2),
            ("☺", 1),
            ("☺\u{FE0F}", 2),
            ("👩\u{200D}🔬", 2),
            ("🇩🇪", 2),
            ("👍🏽", 2),
            ("“", 1),
            ("\u{AD}", 0),
            ("\u{200B}", 0),
            ("\u{301}", 1),
            ("\u{1161}", 1),
            ("\t", TAB_COLUMNS),
            ("\u{1B}", 1),
            ("\r\n", 1),
            ("\u{202E}", 1),
        ] {
            assert_eq!(columns(grapheme), expected, "{grapheme:?}");
        }
        assert_eq!(width("中a\u{AD}b\t"), 8);
        assert_eq!(stand_in("\t").map(str::len), Some(usize::from(TAB_COLUMNS)));
    }

    #[test]
    fn stand_ins() {
        for (grapheme, expected) in [
            ("\0", Some("␀")),
            ("\u{1B}", Some("␛")),
            ("\u{1F}", Some("␟")),
            ("\u{7F}", Some("␡")),
            ("\u{9B}", Some("�")),
            ("\u{2028}", Some("�")),
            ("\u{2066}", Some("�")),
            ("\u{FEFF}", Some("�")),
            ("\n", Some("␊")),
            ("\r", Some("␍")),
            ("\r\n", Some("␊")),
            ("\u{AD}", Some("")),
            ("\u{200D}", Some("")),
            ("\u{301}", Some("◌")),
            ("a", None),
            ("中", None),
            ("", None),
        ] {
            assert_eq!(stand_in(grapheme), expected, "{grapheme:?}");
        }
    }

    #[test]
    fn visible_text_is_one_harmless_line() {
        assert!(matches!(visible("plain 中文"), Cow::Borrowed("plain 中文")));
        assert_eq!(visible("a\nb\r\nc\td"), "a␊b␊c    d");
        assert_eq!(visible("\u{1B}]0;x\u{7}\u{202E}"), "␛]0;x␇�");
        assert_eq!(visible("co\u{AD}op"), "coop");
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!([padded("ann", 5), padded("王芳", 5), padded("王芳", 3)], ["ann  ", "王芳 ", "王芳"]);
    }
}
