//! Words, as the papers count them.

use unicode_segmentation::UnicodeSegmentation;

/// The number of words of `text`: its runs of characters other than white space (SummHay's words
/// per bullet). Chinese puts no white space between words, so that a whole line may count as one.
#[must_use]
pub fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Where the first word ends that ends behind `offset`; `None` at the end of the text. Words are those
/// of UAX#29, marks of punctuation among them; an ideograph stands alone.
pub fn end_after(text: &str, offset: usize) -> Option<usize> {
    let rest = text.get(offset..)?;
    let (start, word) = rest.split_word_bound_indices().find(|(_, word)| !word.trim().is_empty())?;
    Some(offset + start + word.len())
}

/// Where the last word begins that begins before `offset`; `None` at the beginning of the text.
pub fn start_before(text: &str, offset: usize) -> Option<usize> {
    let before = text.get(..offset)?;
    before.split_word_bound_indices().rev().find(|(_, word)| !word.trim().is_empty()).map(|(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!((end_after(text, 10), start_before(text, 99)), (None, None), "no place in the text");
    }

    #[test]
    fn words_are_what_white_space_separates() {
        assert_eq!(count(""), 0);
        assert_eq!(count(" \n\t "), 0);
        assert_eq!(count("- one  two\nthree [8]."), 5);
        assert_eq!(count("a\u{A0}b\u{3000}c"), 3);
        assert_eq!(count("中文没有空格"), 1);
    }
}
