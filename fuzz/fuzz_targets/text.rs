//! Rows, searches and quotes. The first line of the input is what is sought, its length the width.
#![no_main]

use haymark::text::cells::cells;
use haymark::text::grapheme::{graphemes, is_boundary};
use haymark::text::search::Finder;
use haymark::text::similar::Sentences;
use haymark::text::span::{Span, locate};
use haymark::text::width::{visible, width};
use haymark::text::wrap::wrap;
use libfuzzer_sys::fuzz_target;
use unicode_segmentation::UnicodeSegmentation;

fuzz_target!(|input: &str| {
    let (needle, text) = input.split_once('\n').unwrap_or((input, input));
    assert_graphemes(text);
    assert_rows(text, u16::try_from(needle.len() % 100).expect("below 100"));
    assert_found(text, needle);
    assert_located(text, needle);
    for span in Sentences::of(text).most_like(needle, 3) {
        assert_eq!(Span::new(text, span.start(), span.end()), Some(span));
    }
});

fn assert_graphemes(text: &str) {
    assert!(graphemes(text).eq(text.grapheme_indices(true)), "those of Unicode");
    let drawn: usize = cells(text).map(|cell| usize::from(cell.width)).sum();
    assert_eq!(drawn, width(text));
    let shown = visible(text);
    assert_eq!(shown.chars().find(|character| character.is_control()), None);
}

/// Rows cover the text but for breaks and hanging spaces, and keep to the width.
fn assert_rows(text: &str, limit: u16) {
    let rows = wrap(text, limit);
    assert_eq!(rows.is_empty(), text.is_empty());
    let mut end = 0;
    for (index, row) in rows.iter().enumerate() {
        assert!(end <= row.start && row.start <= row.end);
        assert!(text[end..row.start].chars().all(char::is_whitespace), "only white space is left out");
        assert!(is_boundary(text, row.start) && is_boundary(text, row.end));
        let content = &text[row.clone()];
        let fits = width(content) <= usize::from(limit.max(1));
        assert!(fits || content.graphemes(true).count() == 1, "{content:?} in {limit} columns");
        assert_eq!(rows.row_of(row.start), index);
        end = row.end;
    }
    assert!(text[end..].chars().all(char::is_whitespace), "only white space is left out");
}

/// What is found is there, from left to right, and a needle without case is found where it is.
fn assert_found(text: &str, needle: &str) {
    let found = Finder::new(needle).find_all(text);
    let mut end = 0;
    for span in &found {
        assert_eq!(Span::new(text, span.start(), span.end()), Some(*span), "on grapheme boundaries");
        assert!(end <= span.start() && !span.is_empty());
        end = span.end();
    }
    let exact = text.match_indices(needle).filter(|_| !needle.is_empty());
    let whole = exact.filter(|(start, _)| Span::new(text, *start, start + needle.len()).is_some());
    if let Some((start, _)) = whole.into_iter().next() {
        assert!(found.first().is_some_and(|first| first.start() <= start), "{needle:?} is at {start}");
    }
}

/// A quote that is located has the words that were sought, and every part of the text is located.
fn assert_located(text: &str, quote: &str) {
    if let Some(span) = locate(text, quote) {
        assert_eq!(Span::new(text, span.start(), span.end()), Some(span), "on grapheme boundaries");
        assert!(span.slice(text).split_whitespace().eq(quote.split_whitespace()));
    }
    let part = Span::around(text, text.len() / 3, text.len() / 2);
    let quote = part.slice(text);
    let found = locate(text, quote).map(|span| span.slice(text));
    assert_eq!(found.is_some(), !quote.trim().is_empty(), "{quote:?}");
}
