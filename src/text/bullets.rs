//! The bullets of a summary: its lines.

use unicode_segmentation::UnicodeSegmentation;

use super::citation::{citations, without_citations};
use super::span::Span;
use super::words::{self, LIST_MARKS};

/// The bullets of `text`: its lines (`\n` or `\r\n`) that hold more than white space. Bullet number
/// n is the n-th of them, from 1. A span leaves out white space around the line and keeps its mark.
#[must_use]
pub fn bullets(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let start = line_start + (line.len() - line.trim_start().len());
        let length = line.trim().len();
        if length > 0 {
            found.push(Span::around(text, start, start + length));
        }
        line_start += line.len();
    }
    found
}

/// The sentences of each bullet (UAX#29), without its list mark. Citations behind a full stop belong to the sentence before them.
#[must_use]
pub fn sentences(text: &str) -> Vec<Span> {
    bullets(text).iter().flat_map(|bullet| sentences_of(text, *bullet)).collect()
}

/// The sentences of a text (UAX#29), each with its start. By that rule a quotation mark right behind a full stop closes what was
/// said; Chinese and Japanese have no space there, and one that opens is of the next sentence.
pub fn split_sentences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let opens = |sign| "“‘「『（【《〈〔".contains(sign);
    let closes = |sign| "”’」』）】》〉〕".contains(sign);
    let start = move |(from, _): (usize, &str)| {
        let before = text.get(..from).unwrap_or_default();
        let ended = before.trim_end_matches(opens);
        match ended.trim_end_matches(closes).ends_with(['。', '！', '？', '｡']) {
            true => ended.len(),
            false => from,
        }
    };
    let starts: Vec<usize> = text.split_sentence_bound_indices().map(start).collect();
    let ends = starts.clone().into_iter().skip(1).chain(std::iter::once(text.len()));
    starts.into_iter().zip(ends).map(move |(from, to)| (from, text.get(from..to).unwrap_or_default()))
}

fn sentences_of(text: &str, bullet: Span) -> Vec<Span> {
    let said = without_mark(bullet.slice(text));
    let (begin, cited) = (bullet.end() - said.len(), citations(said));
    let mut starts: Vec<usize> = Vec::new();
    for (from, sentence) in split_sentences(said) {
        let (mut from, to) = (from, from + sentence.len());
        if !starts.is_empty() {
            for citation in &cited {
                // An opening bracket right behind a full stop is still of the sentence before.
                let is_inside = citation.span.start() < from && from < citation.span.end();
                let between = said.get(from..citation.span.start());
                if is_inside || between.is_some_and(|between| between.trim().is_empty()) {
                    from = citation.span.end();
                }
            }
            let is_said = |rest: &str| rest.contains(char::is_alphanumeric);
            if !said.get(from..to).is_some_and(is_said) {
                continue;
            }
        }
        starts.push(from);
    }
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(said.len()));
    let trimmed = |(from, to): (usize, usize)| {
        let sentence = said.get(from..to).unwrap_or_default();
        let start = begin + from + (sentence.len() - sentence.trim_start().len());
        Span::around(text, start, start + sentence.trim().len())
    };
    starts.iter().copied().zip(ends).map(trimmed).filter(|span| !span.is_empty()).collect()
}

/// Whether a bullet is a heading of Markdown: up to six `#` with white space behind them, or nothing.
#[must_use]
pub fn is_heading(bullet: &str) -> bool {
    let bare = bullet.trim_start_matches('#');
    (1..=6).contains(&(bullet.len() - bare.len())) && bare.chars().next().is_none_or(char::is_whitespace)
}

/// Whether a bullet is the mark of a list and nothing more: such a bullet has a number, and says nothing.
#[must_use]
pub fn is_bare_mark(bullet: &str) -> bool {
    bullet.trim().strip_prefix(LIST_MARKS).is_some_and(str::is_empty)
}

/// Whether some bullet of `text` is a heading.
#[must_use]
pub fn has_headings(text: &str) -> bool {
    text.contains('#') && bullets(text).iter().any(|bullet| is_heading(bullet.slice(text)))
}

/// The length of a summary. Headings are structure and bare marks say nothing, so neither counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SummaryLength {
    /// Words with citations, as published.
    pub words: usize,
    /// Words without citations.
    pub uncited_words: usize,
    pub bullets: usize,
}

impl std::iter::Sum for SummaryLength {
    fn sum<I: Iterator<Item = SummaryLength>>(lengths: I) -> SummaryLength {
        lengths.fold(SummaryLength::default(), |all, more| SummaryLength {
            words: all.words + more.words,
            uncited_words: all.uncited_words + more.uncited_words,
            bullets: all.bullets + more.bullets,
        })
    }
}

#[must_use]
pub fn length(text: &str) -> SummaryLength {
    let mut length = SummaryLength::default();
    let counts = |bullet: &&str| !is_heading(bullet) && !is_bare_mark(bullet);
    for bullet in bullets(text).iter().map(|span| span.slice(text)).filter(counts) {
        let words = words::count(bullet);
        length.words += words;
        length.uncited_words +=
            if bullet.contains('[') { words::count(&without_citations(bullet)) } else { words };
        length.bullets += 1;
    }
    length
}

/// The number of words that a writer of `text` is told: citations included, list marks not.
#[must_use]
pub fn words_told(text: &str) -> usize {
    text.split('\n').map(|line| words::told(without_mark(line))).sum()
}

/// `bullet` without the list mark before it, for display: a dash, asterisk, plus or dot with white
/// space behind it, or up to three digits in `1.`, `1)`, `(1)` with white space behind, `1、`, `（1）`.
#[must_use]
pub fn without_mark(bullet: &str) -> &str {
    let bullet = bullet.trim_start();
    symbol(bullet).or_else(|| number(bullet)).unwrap_or(bullet)
}

/// The text behind `- ` and its like.
fn symbol(bullet: &str) -> Option<&str> {
    spaced(bullet.strip_prefix(LIST_MARKS)?)
}

/// The text behind `1. ` and its like.
fn number(bullet: &str) -> Option<&str> {
    let bare = bullet.strip_prefix(['(', '（']).unwrap_or(bullet);
    let behind = bare.trim_start_matches(|character: char| character.is_ascii_digit());
    if !(1..=3).contains(&(bare.len() - behind.len())) {
        return None;
    }
    if let Some(rest) = behind.strip_prefix('）') {
        return Some(rest.trim_start());
    }
    if bare.len() < bullet.len() {
        return spaced(behind.strip_prefix(')')?);
    }
    match behind.strip_prefix('、') {
        Some(rest) => Some(rest.trim_start()),
        None => spaced(behind.strip_prefix(['.', ')'])?),
    }
}

/// `rest` without the white space that it must begin with.
fn spaced(rest: &str) -> Option<&str> {
    let bare = rest.trim_start();
    (bare.len() < rest.len()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_behind_the_mark_and_keep_their_citations() {
        let text = "- They walk. [2, 4, 8] They rest [1]. [3][5].\n\n1. 他们走。[2] 他们睡。\n-\nNo stop";
        let found: Vec<&str> = sentences(text).iter().map(|span| span.slice(text)).collect();
        let expected =
            ["They walk. [2, 4, 8]", "They rest [1]. [3][5].", "他们走。[2]", "他们睡。", "-", "No stop"];
        assert_eq!(found, expected);
        assert!(sentences("").is_empty());
    }

    #[test]
    fn an_opening_quotation_mark_is_of_the_sentence_that_it_opens() {
        let text = "“早上，结着白霜。”“表显续航？”他问。“是。”（完）";
        let found: Vec<&str> = split_sentences(text).map(|(_, sentence)| sentence).collect();
        assert_eq!(found, ["“早上，结着白霜。”", "“表显续航？”", "他问。", "“是。”", "（完）"]);
        let found: Vec<&str> =
            split_sentences("He said. “So!” (Then.) „Gut.“ Und").map(|(_, part)| part).collect();
        assert_eq!(found, ["He said. ", "“So!” ", "(Then.) ", "„Gut.“ ", "Und"]);
    }

    #[test]
    fn bullets_are_lines_with_something_on_them() {
        let text = "- one [1]\r\n\r\n \t\n  * two \n三、中文\r\nlast";
        let found: Vec<&str> = bullets(text).iter().map(|span| span.slice(text)).collect();
        assert_eq!(found, ["- one [1]", "* two", "三、中文", "last"]);
        assert_eq!(bullets(""), []);
        assert_eq!(bullets(" \n\u{3000}\r\n"), []);
    }

    #[test]
    fn headings_have_no_length() {
        let text = "## What is known\n- one two\n#\n#3 is a bullet\n####### seven\n\n### 结论\n三";
        let words = 3 + 4 + 2 + 1;
        assert_eq!(length(text), SummaryLength { words, uncited_words: words, bullets: 4 });
        assert_eq!(length("# only\n##"), SummaryLength::default());
        assert_eq!(
            length("- one\n-\n •\n--\n- two"),
            SummaryLength { bullets: 3, ..length("- one\n--\n- two") }
        );
        assert_eq!(bullets("- one\n-\n- two").len(), 3, "numbers stay");
    }

    #[test]
    fn words_are_counted_with_citations_and_without_and_told_without_marks() {
        let text = "- 热泵省电 [1, 2]\n2. one – two [3].\n-\n";
        assert_eq!(length(text), SummaryLength { words: 7 + 5, uncited_words: 5 + 4, bullets: 2 });
        assert_eq!(words_told(text), 6 + 3);
    }

    #[test]
    fn a_lone_return_is_no_line_break() {
        assert_eq!(bullets("a\rb\r").len(), 1);
        assert_eq!(bullets("a\rb\r")[0].range(), 0..3);
    }

    #[test]
    fn a_span_takes_the_space_that_carries_a_mark() {
        let text = "a\n \u{301}b";
        assert_eq!(bullets(text)[1].slice(text), " \u{301}b");
    }

    #[test]
    fn list_marks_are_taken_off_once() {
        for (bullet, expected) in [
            ("- one", "one"),
            ("  *  one", "one"),
            ("• - one", "- one"),
            ("– one", "one"),
            ("12. one", "one"),
            ("1) one", "one"),
            ("(1) one", "one"),
            ("（1）一", "一"),
            ("1）一", "一"),
            ("3、一", "一"),
            ("1.5 litres", "1.5 litres"),
            ("2024. It was", "2024. It was"),
            ("-5 degrees", "-5 degrees"),
            ("**bold**", "**bold**"),
            ("(see) one", "(see) one"),
            ("-", "-"),
            ("", ""),
        ] {
            assert_eq!(without_mark(bullet), expected, "{bullet}");
        }
    }
}
