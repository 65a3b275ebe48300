//! Rows of a text at a width, as byte ranges: wrapped once per width, drawn where visible.
//!
//! A row is filled up to the first grapheme that does not fit; only then is the last place before it
//! sought at which Unicode Standard Annex #14 lets a line end. Most of the text is therefore never
//! classified: 600 KB of English take about a millisecond.

use std::ops::Range;

use unicode_linebreak::{linebreaks, split_at_safe};

use super::grapheme::{first, is_boundary};
use super::width::columns;
use super::words::stands_alone;

/// The rows of one text at one width; 8 bytes a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrappedRows(Vec<(u32, u32)>);

impl WrappedRows {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no row: only the empty text has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of row `index`, from 0, without its break and without the spaces that hang over.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Range<usize>> {
        let &(start, end) = self.0.get(index)?;
        Some(start as usize..end as usize)
    }

    /// The row that byte `offset` belongs to: the last one that starts at or before it, so that
    /// hanging spaces and a break belong to the row before them. 0 when there is no row.
    #[must_use]
    pub fn row_of(&self, offset: usize) -> usize {
        self.0.partition_point(|&(start, _)| start as usize <= offset).saturating_sub(1)
    }

    /// The bytes of every row, from the first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator {
        self.0.iter().map(|&(start, end)| start as usize..end as usize)
    }

    /// Adds a row; `None` when it lies beyond the 4 GiB that offsets can name.
    fn push(&mut self, row: Range<usize>) -> Option<()> {
        let start = u32::try_from(row.start).ok()?;
        let end = u32::try_from(row.end).ok()?;
        self.0.push((start, end));
        Some(())
    }
}

/// Wraps `text` into rows of at most `width` columns (0 counts as 1), all on grapheme boundaries.
///
/// - Hard breaks: `\n`, `\r\n`, `\r`, vertical tab, form feed, U+0085, U+2028, U+2029. They belong
///   to no row, and one at the end of the text opens no further row.
/// - Soft breaks: UAX #14, which also keeps closing punctuation off the start of a Chinese line.
///   Where it allows none, a row ends at the last grapheme that fits.
/// - Numbers in brackets, as citations are, stay together where they fit into a row.
/// - White space at the end of a row hangs over: it belongs to no row and takes no columns.
/// - A grapheme wider than `width` has a row of its own, the only row that is too wide.
///
/// Bytes beyond 4 GiB are not wrapped.
#[must_use]
pub fn wrap(text: &str, width: u16) -> WrappedRows {
    rows(text, width, |_| 0)
}

/// Wraps `text` in the same way, with the first row of a Chinese paragraph shorter by [`indent`].
#[must_use]
pub fn wrap_indented(text: &str, width: u16) -> WrappedRows {
    let is_wide = width >= NARROWEST;
    rows(text, width, |start| if is_wide { indent(text, start) } else { 0 })
}

/// Rows of fewer columns than this are not indented.
pub const NARROWEST: u16 = 20;

/// Columns by which the row at this byte is indented in rows made by [`wrap_indented`]: the width of two Han characters
/// where a Chinese paragraph begins that brings no space of its own along, as Chinese is printed.
#[must_use]
pub fn indent(text: &str, start: usize) -> u16 {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let begins = before.is_none_or(|character| hard_break(character.encode_utf8(&mut [0; 4]), 0) > 0);
    let mut beginning =
        text.get(start..).unwrap_or("").chars().take(BEGINNING).take_while(|one| *one != '\n');
    // A line may begin with a number or a Latin word and be Chinese.
    let is_chinese = begins && beginning.clone().next().is_some_and(|first| !first.is_whitespace());
    if is_chinese && beginning.any(stands_alone) { 4 } else { 0 }
}

/// A Chinese paragraph has a Han character or kana among so many characters at its beginning.
const BEGINNING: usize = 12;

fn rows(text: &str, width: u16, indent: impl Fn(usize) -> u16) -> WrappedRows {
    let whole = width;
    let mut width = usize::from(width.saturating_sub(indent(0)).max(1));
    let mut rows = WrappedRows::default();
    let mut start = 0;
    while start < text.len() {
        let full = fill(text, start, width);
        let hung = skip_hanging(text, full);
        let broken = hard_break(text, hung);
        let end = if hung == text.len() || broken > 0 { hung } else { soft_break(text, start, full, hung) };
        let end = before_citation(text, start, end, width);
        if rows.push(start..trim_hanging(text, start, end)).is_none() {
            break;
        }
        start = end + broken;
        let indented = if broken > 0 { indent(start) } else { 0 };
        width = usize::from(whole.saturating_sub(indented).max(1));
    }
    rows
}

/// Where a row that begins at `start` is full: at the end, a hard break, or the first grapheme that
/// is beyond `width` columns.
fn fill(text: &str, start: usize, width: usize) -> usize {
    let mut at = start;
    let mut left = width;
    loop {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let ascii = rest.iter().take(left + 1).take_while(|byte| matches!(byte, b' '..=b'~')).count();
        if ascii > left {
            return at + left;
        }
        // The last ASCII character may carry a mark that is not ASCII.
        let alone = match rest.get(ascii) {
            Some(byte) if !byte.is_ascii() => ascii.saturating_sub(1),
            _ => ascii,
        };
        at += alone;
        left -= alone;
        let Some(grapheme) = text.get(at..).and_then(first) else { return at };
        let wide = usize::from(columns(grapheme));
        if wide > left || hard_break(text, at) > 0 {
            return at;
        }
        at += grapheme.len();
        left -= wide;
    }
}

/// The length in bytes of the hard break at `at`, 0 where there is none.
fn hard_break(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at..).unwrap_or_default() {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r' | 0x0B | 0x0C, ..] => 1,
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// Whether `character` hangs over the end of a row: white space that neither breaks nor glues.
fn hangs(character: char) -> bool {
    match character {
        ' ' | '\t' => true,
        '\u{A0}' | '\u{2007}' | '\u{202F}' => false,
        '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => false,
        other => other.is_whitespace(),
    }
}

/// The end of the hanging graphemes at `at`.
fn skip_hanging(text: &str, at: usize) -> usize {
    let mut end = at;
    while let Some(grapheme) = text.get(end..).and_then(first) {
        let mut chars = grapheme.chars();
        if !chars.next().is_some_and(hangs) || chars.next().is_some() {
            break;
        }
        end += grapheme.len();
    }
    end
}

/// The end of the row `start..end` without the graphemes that hang over.
fn trim_hanging(text: &str, start: usize, end: usize) -> usize {
    let row = text.get(start..end).unwrap_or_default();
    let mut kept = row.len();
    for (offset, character) in row.char_indices().rev() {
        if !hangs(character) || !is_boundary(row, offset) {
            break;
        }
        kept = offset;
    }
    start + kept
}

/// The end of the row `start..end` if no citation is to be broken: before one that goes on behind `end` and fits into a row
/// of its own, such as `[4, 9, 13]`.
fn before_citation(text: &str, start: usize, end: usize, width: usize) -> usize {
    let is_inside = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ');
    let before = text.as_bytes().get(start..end).unwrap_or_default();
    let inside = before.iter().rev().take_while(|byte| is_inside(byte)).count();
    let Some(open) = before.len().checked_sub(inside + 1).filter(|open| before.get(*open) == Some(&b'['))
    else {
        return end;
    };
    let behind = text.as_bytes().get(end..).unwrap_or_default();
    let rest = behind.iter().take_while(|byte| is_inside(byte)).count();
    let open = start + open;
    let is_one = behind.get(rest) == Some(&b']') && end + rest + 1 - open <= width;
    if is_one && open > start && is_boundary(text, open) { soft_break(text, start, open, open) } else { end }
}

/// How far before the end of a row a break is sought at first, in bytes; most words are shorter.
const NEAR: usize = 12;

/// Where a row ends that begins at `start`, is full at `full`, and whose hanging spaces end at
/// `hung`: the last break that UAX #14 allows, else behind the spaces, else at `full`.
fn soft_break(text: &str, start: usize, full: usize, hung: usize) -> usize {
    // Whether a row may end at `hung` depends on the character behind.
    let behind = text.get(hung..).and_then(|rest| rest.chars().next());
    let row = text.get(start..hung + behind.map_or(0, char::len_utf8));
    let row = row.unwrap_or_default();
    let limit = hung - start;
    let mut near = NEAR;
    loop {
        let from = limit.saturating_sub(near);
        if let Some(end) = last_break(row, from, limit) {
            return start + end;
        }
        if from == 0 {
            break;
        }
        near *= 4;
    }
    if full > start || hung > full {
        return full.max(hung);
    }
    start + text.get(start..).and_then(first).map_or(1, str::len)
}

/// The last break of `row` up to `limit` that lies on a grapheme boundary, of those that can be told
/// when reading starts at some safe place before `from`; all of them when `from` is 0.
fn last_break(row: &str, from: usize, limit: usize) -> Option<usize> {
    let mut from = from;
    while !row.is_char_boundary(from) {
        from -= 1;
    }
    let (before, safe) = split_at_safe(row.get(..from)?);
    let start = before.len();
    // `safe` opens with one character more, and a break right behind that one still depends on
    // what is before it (`( "` has none), unless it opens the row.
    let doubtful = match safe.chars().next() {
        Some(character) if start > 0 => start + character.len_utf8(),
        _ => 0,
    };
    linebreaks(row.get(start..)?)
        .map(|(offset, _)| start + offset)
        .take_while(|&offset| offset <= limit)
        .filter(|&offset| offset > doubtful && is_boundary(row, offset) && !is_within_option(row, offset))
        .last()
}

/// Whether a break would part the hyphens of an option from its name: `--format`.
fn is_within_option(row: &str, offset: usize) -> bool {
    let before = row.get(..offset).and_then(|before| before.strip_suffix("--"));
    before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: u16) -> Vec<&str> {
        wrap(text, width).iter().map(|row| text.get(row).expect("a row of the text")).collect()
    }

    #[test]
    fn english_breaks_at_spaces_and_hyphens() {
        assert_eq!(wrapped("a well-being of 25-5 minutes", 8), ["a well-", "being of", "25-5", "minutes"]);
        assert_eq!(wrapped("one   two", 4), ["one", "two"]);
        assert_eq!(wrapped("one two   ", 20), ["one two"]);
        assert_eq!(wrapped("  one", 5), ["  one"]);
        assert_eq!(wrapped("give --by query", 8), ["give", "--by", "query"]);
        assert_eq!(wrapped("one--by one", 6), ["one--", "by one"]);
    }

    #[test]
    fn an_opening_bracket_keeps_a_quotation_however_long() {
        assert_eq!(wrapped("{ \"abcdefghijklmnopqrst", 16), ["{ \"abcdefghijklm", "nopqrst"]);
    }

    #[test]
    fn citations_stay_together() {
        assert_eq!(wrapped("It is so [4, 9, 13].", 14), ["It is so", "[4, 9, 13]."]);
        assert_eq!(wrapped("It is so[4, 9, 13].", 14), ["It is", "so[4, 9, 13]."]);
        assert_eq!(wrapped("压力很大[4, 9, 13]。", 14), ["压力很大", "[4, 9, 13]。"]);
        assert_eq!(wrapped("so [4, 9] [13, 14]", 12), ["so [4, 9]", "[13, 14]"]);
        // Longer than a row, no citation, and never ended.
        assert_eq!(wrapped("[1, 2, 3, 4, 5]", 8), ["[1, 2,", "3, 4, 5]"]);
        assert_eq!(wrapped("so [see 4, 9]", 10), ["so [see 4,", "9]"]);
        assert_eq!(wrapped("so [4, 9, 13", 8), ["so [4,", "9, 13"]);
    }

    #[test]
    fn hard_breaks_end_rows() {
        assert_eq!(wrapped("", 9), [""; 0]);
        assert_eq!(
            wrapped("a\n\nb\r\nc\rd\u{2028}e\u{2029}f\u{85}g\u{B}h\u{C}i", 9),
            ["a", "", "b", "c", "d", "e", "f", "g", "h", "i"]
        );
        assert_eq!(wrapped("a \n", 9), ["a"]);
        assert_eq!(wrapped("\n", 9), [""]);
        assert_eq!(wrapped("abc\ndef", 3), ["abc", "def"]);
    }

    #[test]
    fn long_words_break_between_graphemes() {
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(wrapped("a Donaudampfschiff b", 6), ["a", "Donaud", "ampfsc", "hiff b"]);
    }

    #[test]
    fn too_wide_graphemes_have_rows_of_their_own() {
        assert_eq!(wrapped("a中b", 1), ["a", "中", "b"]);
        assert_eq!(wrapped("中文", 0), ["中", "文"]);
        assert_eq!(wrapped("\tab", 2), ["", "ab"]);
    }

    #[test]
    fn chinese_punctuation_stays_off_the_start_of_a_row() {
        assert_eq!(wrapped("压力很大，休息。", 8), ["压力很", "大，休", "息。"]);
        assert_eq!(wrapped("他说（你好）吗", 6), ["他说", "（你", "好）吗"]);
        assert_eq!(wrapped("压力\u{3000}很大", 5), ["压力", "很大"]);
    }

    #[test]
    fn chinese_paragraphs_are_indented_by_two_characters() {
        let text = "低温使电池化学反应变慢，暖风也要用电。\n“预热电池可以减少损失。”\n\nAn English one.\n2. LFP的车也是。\n\u{3000}\u{3000}已经空了两格。";
        let rows = wrap_indented(text, 20);
        let shown: Vec<(u16, &str)> = rows
            .iter()
            .map(|row| (indent(text, row.start), text.get(row).expect("a row of the text")))
            .collect();
        assert_eq!(
            shown,
            [
                (4, "低温使电池化学反"),
                (0, "应变慢，暖风也要用"),
                (0, "电。"),
                (4, "“预热电池可以减"),
                (0, "少损失。”"),
                (0, ""),
                (0, "An English one."),
                (4, "2. LFP的车也是。"),
                (0, "\u{3000}\u{3000}已经空了两格。"),
            ]
        );
        assert_eq!(wrap_indented(text, 19), wrap(text, 19), "too narrow");
        assert_eq!(wrap_indented("One two three four five", 20), wrap("One two three four five", 20));
    }

    #[test]
    fn tabs_and_invisible_graphemes_have_their_width() {
        assert_eq!(wrapped("a\tb", 6), ["a\tb"]);
        assert_eq!(wrapped("a\tb", 5), ["a", "b"]);
        assert_eq!(wrapped("ab\u{AD}cd", 4), ["ab\u{AD}cd"]);
    }

    #[test]
    fn offsets_find_their_row() {
        let rows = wrap("one two\nthree", 4);
        assert_eq!(rows.iter().collect::<Vec<_>>(), [0..3, 4..7, 8..12, 12..13]);
        let found: Vec<usize> =
            [0, 2, 3, 4, 7, 8, 12, 13, 99].into_iter().map(|offset| rows.row_of(offset)).collect();
        assert_eq!(found, [0, 0, 0, 1, 1, 2, 3, 3, 3]);
        assert_eq!(rows.get(3), Some(12..13));
        assert_eq!(rows.get(4), None);
        assert_eq!(wrap("", 4).row_of(7), 0);
    }
}
