//! What must hold of `text` for every string.

#![allow(clippy::string_slice, reason = "a slice that splits a character fails the test")]

use std::ops::Range;

use haymark::text::bullets::{bullets, without_mark};
use haymark::text::cells::cells;
use haymark::text::citation::citations;
use haymark::text::grapheme::{graphemes, is_boundary};
use haymark::text::hash::{Fingerprint, fingerprint};
use haymark::text::search::Finder;
use haymark::text::span::{Span, locate};
use haymark::text::width::{columns, visible, width};
use haymark::text::wrap::wrap;
use proptest::prelude::*;
use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation;

use crate::harness::shared_text;

/// Pieces that make trouble next to each other.
const PIECES: &[&str] = &[
    "(", "{", "=", "#", "|", "«", "a", "B", "s", "word", "25-5", "-", "/", "[1, 2]", "[", "]", "1", ",", " ",
    "  ", " ", " ", "\t", "\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\u{A0}",
    "\u{2007}", "\u{3000}", "\u{200B}", "\u{200D}", "\u{AD}", "\u{FEFF}", "\u{202E}", "\u{2067}", "\u{1B}",
    "\0", "\u{7F}", "\u{9B}", "\u{301}", "é", "中", "文", "，", "。", "（", "）", "“", "”", "’", "—", "…",
    "か", "\u{3099}", "っ", "ｶ", "\u{FF9E}", "\u{1112}", "\u{1161}", "\u{11AB}", "한", "👩", "🔬", "👍",
    "🏽", "☺", "\u{FE0F}", "🇩", "🇪", "\u{600}", "क", "\u{94D}", "ष", "ل", "ا", "ก", "!", "\"", "%", "$",
    "\u{17D8}",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..60);
    prop_oneof![
        6 => pieces.prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => prop::collection::vec(any::<char>(), 0..40).prop_map(String::from_iter),
        2 => "[a-z,. -]{0,200}",
        2 => "[ab 中\\[\\],0-9]{0,80}",
    ]
}

fn parts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab]{0,2}", 0..4)
}

fn boundaries(text: &str) -> Vec<usize> {
    let starts = text.grapheme_indices(true).map(|(start, _)| start);
    starts.chain([text.len()]).collect()
}

fn hard_break(grapheme: &str) -> bool {
    matches!(grapheme, "\n" | "\r\n" | "\r" | "\u{B}" | "\u{C}" | "\u{85}" | "\u{2028}" | "\u{2029}")
}

fn hangs(grapheme: &str) -> bool {
    let glue = matches!(grapheme, "\u{A0}" | "\u{2007}" | "\u{202F}");
    !hard_break(grapheme)
        && !glue
        && grapheme.chars().count() == 1
        && grapheme.chars().all(char::is_whitespace)
}

fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// Whether rows may leave out all of `between`.
fn is_left_out(between: &str) -> bool {
    between.graphemes(true).all(|part| hangs(part) || hard_break(part))
}

/// The starts of what `Finder` finds.
fn hits(needle: &str, text: &str) -> Vec<usize> {
    let spans = Finder::new(needle).find_all(text);
    spans.iter().map(|span| span.start()).collect()
}

/// Wrapping by the book: every row classified from its start, no short cuts.
fn wrapped_by_the_book(text: &str, limit: usize) -> Vec<Range<usize>> {
    let all: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
    let offset = |index: usize| all.get(index).map_or(text.len(), |&(start, _)| start);
    let mut rows = Vec::new();
    let mut start = 0;
    while start < all.len() {
        let mut full = start;
        let mut taken = 0;
        while full < all.len() && !hard_break(all[full].1) {
            taken += usize::from(columns(all[full].1));
            if taken > limit {
                break;
            }
            full += 1;
        }
        let mut hung = full;
        while hung < all.len() && hangs(all[hung].1) {
            hung += 1;
        }
        let breaks = hung < all.len() && hard_break(all[hung].1);
        let end = if hung == all.len() || breaks {
            hung
        } else {
            let next = text[offset(hung)..].chars().next().map_or(0, char::len_utf8);
            let allowed: Vec<usize> = linebreaks(&text[offset(start)..offset(hung) + next])
                .map(|(place, _)| offset(start) + place)
                // An option stays whole.
                .filter(|place| !matches!(&text[offset(start)..*place], before if before == "--" || before.ends_with(" --")))
                .collect();
            (start + 1..=hung)
                .rev()
                .find(|&index| allowed.contains(&offset(index)))
                .unwrap_or(hung.max(start + 1))
        };
        // Numbers in brackets that fit into a row are not broken.
        let cut = (start + 1..end).find(|&index| {
            let rest = &text[offset(index)..];
            let inside =
                rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inside, _)| inside);
            let is_numbers = |inside: &str| inside.chars().all(|sign| matches!(sign, '0'..='9' | ',' | ' '));
            inside.is_some_and(|inside| {
                let behind = offset(index) + inside.len() + 2;
                is_numbers(inside) && behind > offset(end) && inside.len() + 2 <= limit
            })
        });
        let soft = !(hung == all.len() || breaks);
        let end = match cut.filter(|_| soft) {
            Some(open) => {
                let allowed: Vec<usize> = linebreaks(&text[offset(start)..offset(open) + 1])
                    .map(|(place, _)| offset(start) + place)
                    .collect();
                (start + 1..=open).rev().find(|&index| allowed.contains(&offset(index))).unwrap_or(open)
            }
            None => end,
        };
        let mut kept = end;
        while kept > start && hangs(all[kept - 1].1) {
            kept -= 1;
        }
        rows.push(offset(start)..offset(kept));
        start = end + usize::from(breaks);
    }
    rows
}

/// The offsets on which `Finder` could be wrong: occurrences of a needle without case, by force.
fn occurrences_by_force(text: &str, needle: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    for start in 0..text.len() {
        let whole = text.is_char_boundary(start)
            && text[start..].starts_with(needle)
            && Span::new(text, start, start + needle.len()).is_some();
        if whole && start >= from {
            found.push(start);
            from = start + needle.len();
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn graphemes_are_those_of_unicode(text in text()) {
        let expected: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
        prop_assert_eq!(graphemes(&text).collect::<Vec<_>>(), expected);
        let expected = boundaries(&text);
        let found: Vec<usize> = (0..=text.len() + 1)
            .filter(|&at| is_boundary(&text, at))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn wrapping_is_done_by_the_book(text in text(), limit in 0u16..60) {
        let rows: Vec<_> = wrap(&text, limit).iter().collect();
        prop_assert_eq!(rows, wrapped_by_the_book(&text, usize::from(limit.max(1))));
    }

    #[test]
    fn rows_cover_the_text(text in text(), limit in 0u16..40) {
        let mut at = 0;
        for row in wrap(&text, limit).iter() {
            prop_assert!(at <= row.start && row.start <= row.end);
            prop_assert!(is_left_out(&text[at..row.start]));
            prop_assert!(!text[row.clone()].graphemes(true).any(hard_break));
            at = row.end;
        }
        prop_assert!(is_left_out(&text[at..]));
    }

    #[test]
    fn rows_keep_to_the_width_and_to_graphemes(text in text(), limit in 0u16..40) {
        let boundaries = boundaries(&text);
        for row in wrap(&text, limit).iter() {
            prop_assert!(boundaries.contains(&row.start) && boundaries.contains(&row.end));
            let content = &text[row];
            let fits = width(content) <= usize::from(limit.max(1));
            prop_assert!(fits || content.graphemes(true).count() == 1, "{content:?}");
        }
    }

    #[test]
    fn every_offset_has_its_row(text in text(), limit in 0u16..40) {
        let rows = wrap(&text, limit);
        prop_assert_eq!(rows.is_empty(), text.is_empty());
        for (index, row) in rows.iter().enumerate() {
            prop_assert_eq!(rows.get(index), Some(row.clone()));
            let next = rows.get(index + 1).map_or(text.len() + 1, |next| next.start);
            for offset in row.start..next {
                prop_assert_eq!(rows.row_of(offset), index);
            }
        }
    }

    #[test]
    fn cells_are_safe_and_as_wide_as_said(text in text()) {
        let mut last = 0;
        for cell in cells(&text) {
            prop_assert!(cell.start >= last && cell.width > 0);
            prop_assert_eq!(usize::from(cell.width), width(cell.text));
            last = cell.start;
        }
        let sum: usize = cells(&text).map(|cell| usize::from(cell.width)).sum();
        prop_assert_eq!(sum, width(&text));
    }

    #[test]
    fn visible_text_cannot_steer_a_terminal(text in text()) {
        let shown = visible(&text);
        for character in shown.chars() {
            prop_assert!(!steers(character), "{:?}", character);
        }
    }

    #[test]
    fn spans_exist_on_grapheme_boundaries_only(
        text in text(),
        start in 0usize..90,
        end in 0usize..90,
    ) {
        let boundaries = boundaries(&text);
        let valid = start <= end && boundaries.contains(&start) && boundaries.contains(&end);
        let span = Span::new(&text, start, end);
        prop_assert_eq!(span.is_some(), valid);
        let around = Span::around(&text, start, end);
        prop_assert_eq!(Span::new(&text, around.start(), around.end()), Some(around));
        prop_assert_eq!(around.slice(&text).len(), around.len());
        if start <= end && end <= text.len() {
            prop_assert!(around.start() <= start && end <= around.end());
            prop_assert!(span.is_none_or(|span| span == around));
        }
    }

    #[test]
    fn what_is_quoted_is_located(text in text(), start in 0usize..90, end in 0usize..90) {
        let span = Span::around(&text, start.min(end), start.max(end));
        let quote = span.slice(&text);
        if quote.trim().is_empty() {
            prop_assert_eq!(locate(&text, quote), None);
            return Ok(());
        }
        let found = locate(&text, quote).expect("a part of the text is in it");
        prop_assert!(found <= span);
        prop_assert_eq!(found.slice(&text), quote);
        prop_assert_eq!(locate(&text, &format!("{quote}\u{10FFFF}")), None);
    }

    #[test]
    fn white_space_in_a_quote_is_all_one(
        words in prop::collection::vec("[a-c]{1,3}", 1..8),
        spaces in "[ \n\t]{1,3}",
    ) {
        let text = format!("x {} y", words.join(" "));
        let found = locate(&text, &words.join(&spaces)).expect("the words are there");
        prop_assert_eq!(found.slice(&text), words.join(" "));
    }

    #[test]
    fn needles_without_case_are_found_everywhere(
        text in text(),
        needle in prop::sample::select(PIECES),
    ) {
        prop_assume!(needle.to_lowercase() == needle.to_uppercase());
        prop_assert_eq!(hits(needle, &text), occurrences_by_force(&text, needle));
    }

    #[test]
    fn case_does_not_matter(text in "[aAbBeEkKsSéÉ ]{0,40}", needle in "[abeksé]{1,3}") {
        let expected = occurrences_by_force(&text.to_lowercase(), &needle);
        prop_assert_eq!(hits(&needle, &text), expected.as_slice());
        prop_assert_eq!(hits(&needle.to_uppercase(), &text), expected);
    }

    #[test]
    fn searching_is_total(text in text(), needle in text()) {
        let mut end = 0;
        for span in Finder::new(&needle).find_all(&text) {
            prop_assert!(span.start() >= end && !span.is_empty());
            prop_assert_eq!(Span::new(&text, span.start(), span.end()), Some(span));
            end = span.end();
        }
    }

    #[test]
    fn citations_are_what_the_published_expression_matches(
        text in r"([\[\]0-9, a-]|\[[0-9]{1,11}[,0-9 ]*\]){0,20}",
    ) {
        let expression = regex::Regex::new(r"\[([0-9, ]+)\]").expect("a valid expression");
        let expected: Vec<(Range<usize>, Vec<u32>)> = expression
            .captures_iter(&text)
            .map(|groups| {
                let numbers = groups[1].replace(',', " ");
                let numbers = numbers.split(' ').filter_map(|number| number.parse().ok());
                (groups.get(0).expect("the match").range(), numbers.collect::<Vec<u32>>())
            })
            .filter(|(_, numbers)| !numbers.is_empty())
            .collect();
        let found: Vec<_> = citations(&text)
            .into_iter()
            .map(|citation| (citation.span.range(), citation.numbers))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn bullets_are_the_lines_that_say_something(text in text()) {
        let found = bullets(&text);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        prop_assert_eq!(found.len(), lines.clone().count());
        for (span, line) in found.into_iter().zip(lines) {
            prop_assert_eq!(span.slice(&text).trim(), line);
            prop_assert_eq!(Span::new(&text, span.start(), span.end()), Some(span));
            prop_assert!(span.slice(&text).ends_with(without_mark(span.slice(&text))));
        }
    }

    #[test]
    fn fingerprints_are_equal_when_the_parts_are(one in parts(), other in parts()) {
        prop_assert_eq!(fingerprint(&one) == fingerprint(&other), one == other);
    }

    #[test]
    fn fingerprints_are_read_back(bytes in any::<[u8; 16]>()) {
        let print = Fingerprint(bytes);
        prop_assert_eq!(print.to_string().parse(), Ok(print));
    }
}

#[test]
fn chinese_news_wrap_by_the_rules_of_the_page() {
    let Some(news) = shared_text("data/crud_rag/news_zh.txt") else { return };
    for line in news.lines().take(40) {
        for limit in [20, 61, 120] {
            let rows: Vec<_> = wrap(line, limit).iter().collect();
            assert_eq!(rows, wrapped_by_the_book(line, usize::from(limit)));
            for row in rows.into_iter().skip(1) {
                let content = &line[row];
                assert!(
                    !content.starts_with(['，', '。', '、', '；', '：', '？', '！', '）', '》', '”']),
                    "{content}"
                );
                assert!(!content.ends_with(['（', '《', '“']), "{content}");
            }
        }
        let quote = bullets(line).first().map_or("", |bullet| bullet.slice(line));
        assert_eq!(locate(&news, quote).map(|span| span.slice(&news)), Some(quote));
    }
    let hits = Finder::new("中国").find_all(&news);
    assert_eq!(hits.len(), news.matches("中国").count());
}
