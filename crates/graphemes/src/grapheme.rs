//! Extended grapheme clusters (Unicode Standard Annex #29), with a short cut for plain characters.

use std::borrow::Cow;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// The graphemes of `text` with the byte offset of each.
pub fn graphemes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let grapheme = first(text.get(start..)?)?;
        let found = (start, grapheme);
        start += grapheme.len();
        Some(found)
    })
}

/// The beginning of a text, with a mark where it has more graphemes than `most`.
#[must_use]
pub fn beginning(text: &str, most: usize) -> Cow<'_, str> {
    match graphemes(text).nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or(text))),
        None => Cow::Borrowed(text),
    }
}

/// The first grapheme of `text`, or `None` when it is empty.
#[must_use]
pub fn first(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let head = chars.next()?;
    if is_plain(head) && chars.next().is_none_or(is_plain) {
        return text.get(..head.len_utf8());
    }
    text.graphemes(true).next()
}

/// The last grapheme of `text`, or `None` when it is empty.
#[must_use]
pub fn last(text: &str) -> Option<&str> {
    let mut chars = text.chars().rev();
    let tail = chars.next()?;
    if is_plain(tail) && chars.next().is_none_or(is_plain) {
        return text.get(text.len() - tail.len_utf8()..);
    }
    text.graphemes(true).next_back()
}

/// Whether a grapheme ends or begins at byte `offset`; both ends of a text are boundaries, an offset
/// beyond the end or within a character is not.
#[must_use]
pub fn is_boundary(text: &str, offset: usize) -> bool {
    let byte = |at: usize| text.as_bytes().get(at);
    let around = (offset.checked_sub(1).and_then(byte), byte(offset));
    if let (Some(b' '..=b'~'), Some(b' '..=b'~')) = around {
        return true;
    }
    let Some((before, after)) = text.split_at_checked(offset) else { return false };
    match (before.chars().next_back(), after.chars().next()) {
        (Some(left), Some(right)) if !(is_plain(left) && is_plain(right)) => {
            // The cursor asks for more context only when it is given less than the whole text.
            GraphemeCursor::new(offset, text.len(), true).is_boundary(text, 0).unwrap_or(false)
        }
        _ => true,
    }
}

/// Whether `character` never joins a plain neighbour: ASCII and Latin letters, common punctuation,
/// kana, Han ideographs and full-width forms. Saying no to others costs time only.
fn is_plain(character: char) -> bool {
    matches!(
        character,
        ' '..='~'
            | '\u{A0}'..='\u{AC}'
            | '\u{AE}'..='\u{2FF}'
            | '\u{2010}'..='\u{2027}'
            | '\u{3000}'..='\u{3029}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30A0}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{FF01}'..='\u{FF9D}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_characters_stand_alone_between_plain_neighbours() {
        for character in ('\0'..=char::MAX).filter(|&character| is_plain(character)) {
            for neighbour in ['a', '中', '©'] {
                let text = format!("{neighbour}{character}{neighbour}");
                assert_eq!(text.graphemes(true).count(), 3, "{character:?}");
            }
        }
    }

    #[test]
    fn the_first_grapheme_is_whole() {
        for (text, expected) in [
            ("", None),
            ("ab", Some("a")),
            ("e\u{301}a", Some("e\u{301}")),
            ("\r\nx", Some("\r\n")),
            ("\rx", Some("\r")),
            ("👩\u{200D}🔬!", Some("👩\u{200D}🔬")),
            ("🇩🇪🇫🇷", Some("🇩🇪")),
            ("\u{1112}\u{1161}\u{11AB}글", Some("\u{1112}\u{1161}\u{11AB}")),
            ("が", Some("が")),
            ("か\u{3099}", Some("か\u{3099}")),
        ] {
            assert_eq!(first(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_last_grapheme_is_whole() {
        for (text, expected) in [
            ("", None),
            ("ab", Some("b")),
            ("ae\u{301}", Some("e\u{301}")),
            ("x\r\n", Some("\r\n")),
            ("!👩\u{200D}🔬", Some("👩\u{200D}🔬")),
            ("🇩🇪🇫🇷", Some("🇫🇷")),
            ("大か\u{3099}", Some("か\u{3099}")),
            ("\u{600}a", Some("\u{600}a")),
        ] {
            assert_eq!(last(text), expected, "{text:?}");
        }
    }

    #[test]
    fn boundaries_lie_between_graphemes_only() {
        let text = "ae\u{301}\r\n中";
        let boundaries: Vec<usize> =
            (0..=text.len() + 1).filter(|&offset| is_boundary(text, offset)).collect();
        assert_eq!(boundaries, [0, 1, 4, 6, 9]);
        assert!(is_boundary("", 0));
    }
}
