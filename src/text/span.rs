//! Byte ranges of a text, on grapheme boundaries.

use std::ops::Range;

use memchr::memmem;

use super::grapheme::is_boundary;

/// A byte range `start..end` of one text; both ends lie on grapheme boundaries of that text.
///
/// A span does not know its text: keep the text's fingerprint beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// The span `start..end` of `text` in bytes, or `None` when it is turned around, reaches beyond
    /// the text or cuts a grapheme. It may be empty.
    #[must_use]
    pub fn new(text: &str, start: usize, end: usize) -> Option<Span> {
        (start <= end && is_boundary(text, start) && is_boundary(text, end)).then_some(Span { start, end })
    }

    /// The smallest span of `text` that holds the bytes `start..end`: ends that cut a grapheme move
    /// outward, ends beyond the text move to its end.
    #[must_use]
    pub fn around(text: &str, start: usize, end: usize) -> Span {
        let mut start = start.min(text.len());
        while !is_boundary(text, start) {
            start -= 1;
        }
        let mut end = end.clamp(start, text.len());
        while !is_boundary(text, end) {
            end += 1;
        }
        Span { start, end }
    }

    /// Offset of the first byte.
    #[must_use]
    pub fn start(self) -> usize {
        self.start
    }

    /// Offset behind the last byte.
    #[must_use]
    pub fn end(self) -> usize {
        self.end
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the span holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as a range of bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The text under the span; empty when `text` is not the one that the span was made of and has
    /// no such range.
    #[must_use]
    pub fn slice<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// The first place of `quote` in `text`: exactly, or else with every run of white space taken for
/// equal and white space around the quote ignored. A quote of nothing but white space is nowhere.
#[must_use]
pub fn locate(text: &str, quote: &str) -> Option<Span> {
    if quote.trim().is_empty() {
        return None;
    }
    let exact = memmem::Finder::new(quote);
    let found = whole(text, |from| {
        let start = from + exact.find(text.as_bytes().get(from..)?)?;
        Some((start, start + quote.len()))
    })
    .next();
    found.or_else(|| {
        let (text_words, quote_words) = (JoinedWords::of(text), JoinedWords::of(quote));
        let finder = memmem::Finder::new(&quote_words.joined);
        whole(text, |from| {
            let from = text_words.joined_offset(from);
            let start = from + finder.find(text_words.joined.as_bytes().get(from..)?)?;
            let end = start + quote_words.joined.len();
            Some((text_words.offset(start), text_words.offset(end)))
        })
        .next()
    })
}

/// The place of `quote` in `text`: byte `start` where that is given and the quote stands there on grapheme boundaries, else the
/// place that [`locate`] finds, else the graphemes that the quote cuts at `start`.
#[must_use]
pub fn locate_at(text: &str, quote: &str, start: Option<u64>) -> Option<Span> {
    let at = start.and_then(|start| usize::try_from(start).ok());
    let at = at.filter(|start| text.get(*start..).is_some_and(|rest| rest.starts_with(quote)));
    let whole = at.and_then(|start| Span::new(text, start, start + quote.len()));
    let cut = || Some(Span::around(text, at?, at? + quote.len())).filter(|_| !quote.is_empty());
    whole.or_else(|| locate(text, quote)).or_else(cut)
}

/// The words of a text with one space between them, and where they stand in the text.
struct JoinedWords {
    joined: String,
    /// Start of each word: among the joined ones, and in the text.
    starts: Vec<(usize, usize)>,
}

impl JoinedWords {
    fn of(text: &str) -> JoinedWords {
        let mut words = JoinedWords { joined: String::with_capacity(text.len()), starts: Vec::new() };
        let mut rest = text;
        while let Some(word) = rest.split_whitespace().next() {
            if !words.joined.is_empty() {
                words.joined.push(' ');
            }
            rest = rest.trim_start();
            words.starts.push((words.joined.len(), text.len() - rest.len()));
            words.joined.push_str(word);
            rest = rest.get(word.len()..).unwrap_or_default();
        }
        words
    }

    /// The offset in the text for an offset among the joined words; for a space, the end of the word before it.
    fn offset(&self, joined: usize) -> usize {
        let word = self.starts.partition_point(|(start, _)| *start <= joined).saturating_sub(1);
        self.starts.get(word).map_or(0, |(start, offset)| offset + joined.saturating_sub(*start))
    }

    /// The offset among the joined words for an offset within a word of the text.
    fn joined_offset(&self, offset: usize) -> usize {
        let word = self.starts.partition_point(|(_, start)| *start <= offset).saturating_sub(1);
        self.starts.get(word).map_or(0, |(joined, start)| joined + offset.saturating_sub(*start))
    }
}

/// The occurrences that `next`, given an offset to start from, finds in `text` and that cut no
/// grapheme.
pub(super) fn whole(
    text: &str,
    next: impl Fn(usize) -> Option<(usize, usize)>,
) -> impl Iterator<Item = Span> {
    let mut from = 0;
    // Graphemes behind a boundary do not depend on what is before it; looking back no further than
    // to the last one keeps the search linear on a text of nothing but flags.
    let mut boundary = 0;
    std::iter::from_fn(move || {
        while let Some((start, end)) = next(from) {
            let rest = text.get(boundary..).unwrap_or_default();
            let starts_whole = is_boundary(rest, start - boundary);
            if starts_whole && is_boundary(rest, end - boundary) {
                boundary = end;
                from = end;
                return Some(Span { start, end });
            }
            if starts_whole {
                boundary = start;
            }
            let step = text.get(start..).and_then(|rest| rest.chars().next());
            from = start + step.map_or(1, char::len_utf8);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_never_cuts_a_grapheme() {
        let text = "ae\u{301}中";
        assert!(Span::new(text, 0, 1).is_some());
        assert!(Span::new(text, 1, 4).is_some());
        assert!(Span::new(text, 1, 2).is_none(), "accent cut off");
        assert!(Span::new(text, 4, 5).is_none(), "within a character");
        assert!(Span::new(text, 4, 8).is_none(), "beyond the end");
        assert!(Span::new(text, 4, 1).is_none(), "turned around");
        assert_eq!(Span::new("", 0, 0).map(Span::is_empty), Some(true));
    }

    #[test]
    fn around_moves_outward() {
        let text = "ae\u{301}中b";
        assert_eq!(Span::around(text, 2, 5).range(), 1..7);
        assert_eq!(Span::around(text, 0, 1).range(), 0..1);
        assert_eq!(Span::around(text, 70, 90).range(), 8..8);
        assert_eq!(Span::around(text, 5, 0).range(), 4..4);
    }

    #[test]
    fn slicing_another_text_gives_nothing() {
        let span = Span::new("abcdef", 2, 5).expect("a span of this text");
        assert_eq!(span.slice("abcdef"), "cde");
        assert_eq!(span.slice("abc"), "");
        assert_eq!(span.slice("a中中"), "");
        assert_eq!((span.start(), span.end(), span.len()), (2, 5, 3));
    }

    #[test]
    fn a_quote_is_located() {
        for (text, quote, expected) in [
            ("one two one two", "two", Some(4..7)),
            ("one\n  two three", "one two", Some(0..9)),
            ("onetwo one two", " one\ttwo ", Some(7..14)),
            ("aaa\u{A0}b", "aa b", Some(1..6)),
            ("one two", "two one", None),
            ("one two", "", None),
            ("one two", " ", None),
            ("cafe\u{301} cafe", "cafe", Some(7..11)),
            ("压力很大。\n压力", "大。 压力", Some(9..22)),
            ("a", "aa", None),
            (" one  two", "one two", Some(1..9)),
            ("one two  twofold", "two two", Some(4..12)),
            ("a a\n\na b", "a a b", Some(2..8)),
            ("🇩🇪🇫🇷 🇩🇪", "🇪🇫", None),
        ] {
            let found = locate(text, quote).map(Span::range);
            assert_eq!(found, expected, "{quote:?} in {text:?}");
        }
    }

    #[test]
    fn a_quote_is_located_where_it_was_taken_first() {
        for (text, quote, start, expected) in [
            ("one two one two", "two", Some(12), Some(12..15)),
            ("one two one two", "two", Some(5), Some(4..7)),
            ("one two one two", "two", None, Some(4..7)),
            ("one two", "two", Some(u64::MAX), Some(4..7)),
            // At byte 0 the accent would be cut off.
            ("cafe\u{301} cafe", "cafe", Some(0), Some(7..11)),
            // There is no other: it reaches over the accent.
            ("un cafe\u{301}s", "cafe", Some(3), Some(3..9)),
            // Within a character.
            ("中a中a", "a", Some(1), Some(3..4)),
            ("one  two", "  ", Some(3), Some(3..5)),
            ("one two", "three", Some(0), None),
        ] {
            let found = locate_at(text, quote, start).map(Span::range);
            assert_eq!(found, expected, "{quote:?} at {start:?} in {text:?}");
        }
    }

    /// Following the quote from every word, or counting every boundary from the beginning, would take very long.
    #[test]
    fn a_quote_that_nearly_stands_everywhere_is_sought_in_one_pass() {
        let (words, flags) = ("a ".repeat(40_000), "🇪".repeat(40_000));
        assert_eq!(locate(&words, &format!("{}b", "a\n".repeat(20_000))), None);
        assert_eq!(locate(&flags, "🇪"), None);
    }
}
