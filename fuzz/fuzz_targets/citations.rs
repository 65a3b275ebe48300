//! Bullets of a summary and the citations in them.
#![no_main]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use haymark::text::bullets::{bullets, without_mark};
use haymark::text::citation::{citations, cited};
use haymark::text::span::Span;
use libfuzzer_sys::fuzz_target;
use regex::Regex;

fuzz_target!(|text: &str| {
    assert_citations(text);
    let mut end = 0;
    let found = bullets(text);
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    assert_eq!(found.len(), lines.clone().count());
    for (span, line) in found.into_iter().zip(lines) {
        assert_eq!(Span::new(text, span.start(), span.end()), Some(span), "on grapheme boundaries");
        assert!(end <= span.start() && !span.is_empty());
        end = span.end();
        let bullet = span.slice(text);
        assert_eq!(bullet.trim(), line.trim());
        assert!(bullet.ends_with(without_mark(bullet)));
        assert_citations(bullet);
    }
});

/// Citations are what the published expression matches, with what a grapheme adds to it.
fn assert_citations(text: &str) {
    static GROUP: OnceLock<Regex> = OnceLock::new();
    let group = GROUP.get_or_init(|| Regex::new(r"\[([0-9, ]+)\]").expect("a valid expression"));
    let expected: Vec<(Range<usize>, Vec<u32>)> = group
        .captures_iter(text)
        .map(|groups| {
            let numbers = groups[1].replace(',', " ");
            let numbers = numbers.split(' ').filter_map(|number| number.parse().ok());
            (groups.get(0).expect("the match").range(), numbers.collect())
        })
        .filter(|(_, numbers): &(_, Vec<u32>)| !numbers.is_empty())
        .collect();
    let found = citations(text);
    assert_eq!(found.len(), expected.len());
    let mut end = 0;
    let mut all = BTreeSet::new();
    for (citation, (range, numbers)) in found.into_iter().zip(expected) {
        let span = citation.span;
        assert_eq!(Span::new(text, span.start(), span.end()), Some(span), "on grapheme boundaries");
        assert!(span.start() <= range.start && range.end <= span.end());
        assert!(end <= span.start(), "one after the other");
        end = span.end();
        assert_eq!(citation.numbers, numbers);
        all.extend(numbers);
    }
    assert_eq!(cited(text), all);
}
