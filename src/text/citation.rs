//! Citations in a bullet: `[79,11]`, `[1][2]`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::span::Span;
use super::words::stands_alone;

/// One bracket group and the document numbers in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The group with its brackets, in the bullet.
    pub span: Span,
    /// The numbers as written, at least one, with repetitions.
    pub numbers: Vec<u32>,
}

/// The citations of `bullet` from left to right (SummHay §4.1 and its published code).
///
/// A citation is a match of `\[([\d, ]+)\]`, `\d` being an ASCII digit, that holds a number.
/// Commas and spaces separate numbers, so that `[1 2]`, on which the published code fails, cites 1
/// and 2. A number that does not fit 32 bits is no document's and is left out.
#[must_use]
pub fn citations(bullet: &str) -> Vec<Citation> {
    bullet
        .match_indices('[')
        .filter_map(|(open, _)| {
            let inside = group(bullet.get(open + 1..)?)?;
            let numbers: Vec<u32> =
                inside.split([',', ' ']).filter_map(|number| number.parse().ok()).collect();
            let span = Span::around(bullet, open, open + inside.len() + 2);
            (!numbers.is_empty()).then_some(Citation { span, numbers })
        })
        .collect()
}

/// A row of citations that is long to read past: neighbours with nothing but blanks and commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationRow {
    /// The citations and the blanks before them.
    pub bytes: Range<usize>,
    /// The end, in bytes, of the signs behind the citations, which still belong to their sentence.
    pub end: usize,
    /// The different numbers in the row.
    pub numbers: BTreeSet<u32>,
}

/// The rows of citations in a text with so many different numbers or more.
pub fn long_rows(text: &str, least: usize) -> Vec<CitationRow> {
    let mut rows: Vec<CitationRow> = Vec::new();
    let is_between = |letter: char| letter == ' ' || letter == ',';
    for citation in citations(text) {
        let span = citation.span.range();
        match rows.last_mut() {
            Some(row)
                if text.get(row.bytes.end..span.start).is_some_and(|gap| gap.chars().all(is_between)) =>
            {
                row.bytes.end = span.end;
                row.numbers.extend(citation.numbers);
            }
            _ => {
                let start =
                    text.get(..span.start).map_or(span.start, |before| before.trim_end_matches(' ').len());
                let numbers = citation.numbers.into_iter().collect();
                rows.push(CitationRow { bytes: start..span.end, end: span.end, numbers });
            }
        }
    }
    rows.retain(|row| row.numbers.len() >= least);
    for row in &mut rows {
        let rest = text.get(row.bytes.end..).unwrap_or_default();
        let behind = rest.trim_start_matches(['.', '。', ';', '；', ')', '）']);
        row.end = row.bytes.end + rest.len() - behind.len();
    }
    rows
}

/// The numbers that `bullet` cites, each once.
#[must_use]
pub fn cited(bullet: &str) -> BTreeSet<u32> {
    citations(bullet).into_iter().flat_map(|citation| citation.numbers).collect()
}

/// `bullet` without its citations and the white space before them.
#[must_use]
pub fn without_citations(bullet: &str) -> String {
    let mut kept = String::with_capacity(bullet.len());
    let mut from = 0;
    for citation in citations(bullet) {
        kept.push_str(bullet.get(from..citation.span.start()).unwrap_or("").trim_end());
        from = citation.span.end();
    }
    kept.push_str(bullet.get(from..).unwrap_or(""));
    kept.trim().to_owned()
}

/// The byte at which a text has to be put into `bullet`, and that text, so that it cites `number` at its end; `None` where
/// it cites that number already, wherever.
///
/// A group at the end takes the number in (`[3]` becomes `[3,5]`, also before a full stop); otherwise a
/// new group stands at the end, behind a space unless the script before it has none.
#[must_use]
pub fn citing(bullet: &str, number: u32) -> Option<(usize, String)> {
    let found = citations(bullet);
    if found.iter().any(|citation| citation.numbers.contains(&number)) {
        return None;
    }
    let written = bullet.trim_end();
    let closed = written.trim_end_matches(is_stop).trim_end();
    match found.last() {
        Some(group) if group.span.end() == closed.len() => {
            // A mark may stand on the bracket, so that it is not always the last byte.
            let bracket = bullet.get(..group.span.end())?.rfind(']')?;
            Some((bracket, format!(",{number}")))
        }
        _ => {
            let needs_space = written.chars().next_back().is_some_and(|last| !is_set_close(last));
            Some((written.len(), format!("{}[{number}]", if needs_space { " " } else { "" })))
        }
    }
}

/// Whether a sentence ends with `character`.
fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | ';' | ',' | '。' | '！' | '？' | '；' | '，' | '…')
}

/// Whether text behind `character` stands close to it: Han, kana and their punctuation.
fn is_set_close(character: char) -> bool {
    stands_alone(character) || matches!(character, '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}')
}

/// The text before the closing bracket, when it is digits, commas and spaces only.
fn group(rest: &str) -> Option<&str> {
    let end = rest.find(|character: char| !matches!(character, '0'..='9' | ',' | ' '))?;
    let (inside, behind) = rest.split_at_checked(end)?;
    behind.starts_with(']').then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bullet_keeps_its_words_without_citations() {
        assert_eq!(without_citations("They rest [1]."), "They rest.");
        assert_eq!(without_citations("[2] Some [1, 3] walk [4][5]"), "Some walk");
        assert_eq!(without_citations("他们休息[1]。"), "他们休息。");
        assert_eq!(without_citations("as said [sic]"), "as said [sic]");
    }

    #[test]
    fn long_rows_end_with_their_sentence() {
        let text = "A [1]. B [1][2], [3,4,1]. C 中[5][6][7][8]。D [9][9][9][9]";
        let rows: Vec<(&str, &str, usize)> = long_rows(text, 4)
            .iter()
            .map(|row| (&text[row.bytes.clone()], &text[row.bytes.end..row.end], row.numbers.len()))
            .collect();
        assert_eq!(rows, [(" [1][2], [3,4,1]", ".", 4), ("[5][6][7][8]", "。", 4)]);
    }

    #[test]
    fn groups_have_a_place_and_numbers() {
        let bullet = "压力 [79, 11][8] and [[3]].";
        let found: Vec<(&str, Vec<u32>)> = citations(bullet)
            .into_iter()
            .map(|citation| (citation.span.slice(bullet), citation.numbers))
            .collect();
        assert_eq!(found, [("[79, 11]", vec![79, 11]), ("[8]", vec![8]), ("[3]", vec![3])]);
    }

    #[test]
    fn anything_else_in_brackets_is_no_citation() {
        for text in
            ["[]", "[ ]", "[,]", "[1", "[1-2]", "[Doc 4]", "[１]", "[٣]", "[+1]", "[4294967296]", "1]"]
        {
            assert_eq!(citations(text), [], "{text}");
        }
        assert_eq!(cited("[4294967296, 5]"), BTreeSet::from([5]));
        assert_eq!(cited("[1 2][2]"), BTreeSet::from([1, 2]));
    }

    #[test]
    fn a_number_is_cited_at_the_end_once() {
        for (bullet, number, expected) in [
            ("They walk", 5, "They walk [5]"),
            ("They walk  ", 5, "They walk [5]  "),
            ("They walk.", 5, "They walk. [5]"),
            ("They walk [3]", 5, "They walk [3,5]"),
            ("They walk [3, 8].", 5, "They walk [3, 8,5]."),
            ("They walk [3][8]", 5, "They walk [3][8,5]"),
            ("One [3] and more", 5, "One [3] and more [5]"),
            ("他们散步。", 5, "他们散步。[5]"),
            ("他们散步[3]。", 5, "他们散步[3,5]。"),
            ("", 5, "[5]"),
            ("a [3]\u{301}", 5, "a [3,5]\u{301}"),
        ] {
            let (at, text) = citing(bullet, number).expect("not cited yet");
            let mut cited = bullet.to_owned();
            cited.insert_str(at, &text);
            assert_eq!(cited, expected);
            assert_eq!(citing(&cited, number), None, "{cited}");
        }
    }

    #[test]
    fn a_mark_on_the_bracket_belongs_to_the_span() {
        let bullet = "a [1]\u{301} b";
        assert_eq!(citations(bullet)[0].span.slice(bullet), "[1]\u{301}");
    }
}
