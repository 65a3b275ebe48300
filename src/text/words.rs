//! Words, as the papers count them.

use unicode_segmentation::UnicodeSegmentation;

use super::grapheme::is_boundary;

/// The number of words of `text`: its runs of characters other than white space, citations and marks among them, as SummHay
/// counts words per bullet. Each Han character and kana is a word of its own, since they are written without spaces. The
/// same in any mixture of scripts, and without a dictionary.
#[must_use]
pub fn count(text: &str) -> usize {
    text.split_whitespace().map(words_of_run).sum()
}

/// The number of words as a writer is told it: a dash or another list mark alone is no word.
#[must_use]
pub fn told(text: &str) -> usize {
    let is_mark = |run: &&str| run.chars().all(|character| LIST_MARKS.contains(&character));
    text.split_whitespace().filter(|run| !is_mark(run)).map(words_of_run).sum()
}

/// The marks before the bullets of a list.
pub const LIST_MARKS: [char; 9] = ['-', '*', '+', '•', '·', '‣', '◦', '–', '—'];

/// The end of the first word that ends behind `offset`; `None` at the end of the text. Words are those
/// of UAX#29, marks of punctuation among them; an ideograph stands alone.
pub fn end_after(text: &str, offset: usize) -> Option<usize> {
    let rest = text.get(offset..)?;
    let (start, word) = rest.split_word_bound_indices().find(|(_, word)| !word.trim().is_empty())?;
    // Flags and joiners make words that end within what is one character to a reader.
    (offset + start + word.len()..=text.len()).find(|at| is_boundary(text, *at))
}

/// The beginning of the last word that begins before `offset`; `None` at the beginning of the text.
pub fn start_before(text: &str, offset: usize) -> Option<usize> {
    let before = text.get(..offset)?;
    let (start, _) = before.split_word_bound_indices().rev().find(|(_, word)| !word.trim().is_empty())?;
    (0..=start).rev().find(|at| is_boundary(text, *at))
}

/// The beginning of the last word of letters or digits that begins before `offset`; punctuation is passed over.
pub fn letters_before(text: &str, offset: usize) -> Option<usize> {
    let before = text.get(..offset)?;
    let has_letters = |word: &str| word.chars().any(char::is_alphanumeric);
    before.split_word_bound_indices().rev().find(|(_, word)| has_letters(word)).map(|(start, _)| start)
}

fn words_of_run(run: &str) -> usize {
    if run.is_ascii() {
        return 1;
    }
    let mut words = 0;
    let mut in_word = false;
    for character in run.chars() {
        let alone = stands_alone(character);
        // Punctuation that touches such a character is no word beside it.
        words += usize::from(alone || (!in_word && character.is_alphanumeric()));
        in_word = !alone && (in_word || character.is_alphanumeric());
    }
    words.max(1)
}

/// Whether a character belongs to a script without spaces in which it is counted by itself: Han and kana.
#[must_use]
pub fn stands_alone(character: char) -> bool {
    matches!(
        character,
        '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFD}'
    )
}

/// A text on one line: white space of any kind and length is a blank.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A word with a capital first letter.
pub fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}

/// Words in a sentence: `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_where_characters_do() {
        let text = "a🇩\u{200d}🇩🇩two";
        let is_within = |at: usize| !is_boundary(text, at);
        assert!((0..text.len()).any(|at| text.is_char_boundary(at) && is_within(at)));
        for at in (0..=text.len()).filter(|at| is_boundary(text, *at)) {
            assert!(!start_before(text, at).is_some_and(is_within), "{at}");
            assert!(!end_after(text, at).is_some_and(is_within), "{at}");
        }
    }

    #[test]
    fn steps_go_from_word_to_word() {
        let text = "One two, 三四.";
        assert_eq!(end_after(text, 0), Some(3));
        assert_eq!(end_after(text, 3), Some(7));
        assert_eq!(end_after(text, 7), Some(8));
        // 三 takes three bytes.
        assert_eq!(end_after(text, 8), Some(12));
        assert_eq!(end_after(text, text.len()), None);
        assert_eq!(start_before(text, text.len()), Some(15));
        assert_eq!(start_before(text, 12), Some(9));
        assert_eq!(start_before(text, 9), Some(7));
        assert_eq!(start_before(text, 0), None);
        assert_eq!((letters_before(text, text.len()), letters_before(text, 8)), (Some(12), Some(4)));
        assert_eq!(letters_before("… (a", 4), None);
        assert_eq!((end_after(text, 10), start_before(text, 99)), (None, None), "no place in the text");
    }

    #[test]
    fn words_are_what_white_space_separates() {
        assert_eq!(count(""), 0);
        assert_eq!(count(" \n\t "), 0);
        // As published, marks and citations are words.
        assert_eq!(count("- one  two\nthree [8]."), 5);
        assert_eq!(count("one – two [8, 9]"), 5);
        assert_eq!(count("a\u{A0}b\u{3000}c"), 3);
        assert_eq!(count("don't state-of-the-art naïve"), 3);
    }

    #[test]
    fn han_and_kana_are_a_word_each() {
        assert_eq!(count("中文没有空格"), 6);
        assert_eq!(count("- 中文 [8]。"), 4);
        // 热 泵 3 千 瓦 and heat pump; the full stop is no word.
        assert_eq!(count("热泵3千瓦。heat pump"), 7);
        assert_eq!(count("。"), 1);
    }

    #[test]
    fn a_writer_is_told_no_marks() {
        assert_eq!(told("- one – two [8]\n-\n— 三四"), 3 + 2);
        assert_eq!(told("-5 degrees - or -"), 3);
    }
}
