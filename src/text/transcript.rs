//! Speakers: the names before the colons with which the lines of a transcript begin.

use super::span::Span;
use super::width::width;

/// Longer beginnings of lines, in columns, are no names.
const LONGEST: usize = 40;

/// Names of more words are sentences.
const MOST_WORDS: usize = 5;

/// Fewer lines with a name are no transcript.
const FEWEST: usize = 3;

/// The names of the speakers, each with its colon, in the order of the lines; none where the text is no transcript,
/// in which somebody speaks again.
#[must_use]
pub fn speakers(text: &str) -> Vec<Span> {
    let mut names = Vec::new();
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(end) = name_end(line) {
            names.push(line.get(..end).unwrap_or("").trim());
            found.push(Span::around(text, start, start + end));
        }
        start += line.len();
    }
    let lines = names.len();
    names.sort_unstable();
    names.dedup();
    if lines < FEWEST || names.len() == lines { Vec::new() } else { found }
}

/// The end of the name with which a line begins, behind its colon.
fn name_end(line: &str) -> Option<usize> {
    let (at, colon) = line.char_indices().find(|(_, character)| matches!(character, ':' | '：'))?;
    let name = line.get(..at)?.trim();
    let is_of_name = |character: char| {
        character.is_alphanumeric()
            || matches!(character, ' ' | '.' | '-' | '\'' | '’' | '·' | '*' | '(' | ')' | '（' | '）')
    };
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().all(is_of_name)
        && width(name) <= LONGEST
        && name.split_whitespace().count() <= MOST_WORDS;
    // A time or an address goes on straight behind its colon.
    let behind = line.get(at + colon.len_utf8()..)?;
    let is_spoken = colon == '：' || behind.trim_end().is_empty() || behind.starts_with([' ', '*', '\t']);
    (is_name && is_spoken).then_some(at + colon.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<&str> {
        speakers(text).into_iter().map(|span| span.slice(text)).collect()
    }

    #[test]
    fn those_who_speak_are_named_and_what_they_say_is_not() {
        let talk = "Ana: Well: yes.\nDr. Okafor (host): No.\n\nAna: 10:30 then.\nAnd so on.";
        assert_eq!(told(talk), ["Ana:", "Dr. Okafor (host):", "Ana:"]);
        assert_eq!(told("小明：你好。\n老师：好。\n小明：再见。"), ["小明：", "老师：", "小明："]);
        assert_eq!(told("**Ana:** a\n**Ben:** b\n**Ana:** c"), ["**Ana:", "**Ben:", "**Ana:"]);
    }

    #[test]
    fn other_texts_have_no_speakers() {
        assert_eq!(told("Price: 3\nColour: red\nSize: 4"), [""; 0]);
        assert_eq!(told("Ana: a\nAna: b"), [""; 0]);
        assert_eq!(told("At 10:30 we met.\nAt 10:31 too.\nAt 10:31 too."), [""; 0]);
        assert_eq!(told("https://a\nhttps://a\nhttps://a"), [""; 0]);
        assert_eq!(told(""), [""; 0]);
        let long = "This is what the students said about it: a\n".repeat(3);
        assert_eq!(told(&long), [""; 0]);
    }
}
