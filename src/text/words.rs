//! Words, as the papers count them.

/// The number of words of `text`: its runs of characters other than white space (SummHay's words
/// per bullet). Chinese puts no white space between words, so that a whole line may count as one.
#[must_use]
pub fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_white_space_separates() {
        assert_eq!(count(""), 0);
        assert_eq!(count(" \n\t "), 0);
        assert_eq!(count("- one  two\nthree [8]."), 5);
        assert_eq!(count("a\u{A0}b\u{3000}c"), 3);
        assert_eq!(count("中文没有空格"), 1);
    }
}
