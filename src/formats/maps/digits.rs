//! Numbers that are too long for a number of JSON, as texts: an id keeps its digits.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use serde::de::IgnoredAny;

/// Numbers with at most so many digits before the point keep them, also where they are floating-point numbers.
const SHORT: usize = 15;

/// JSON in which numbers that 64 bits do not hold digit by digit stand in quotes.
pub(super) struct DigitsKept<R> {
    source: R,
    is_in_text: bool,
    is_escaped: bool,
    /// The number or the word that is being read.
    word: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> DigitsKept<R> {
    pub(super) fn of(source: R) -> DigitsKept<R> {
        let (word, ready) = (Vec::new(), Vec::new());
        DigitsKept { source, is_in_text: false, is_escaped: false, word, ready, taken: 0 }
    }

    fn pass(&mut self, byte: u8) {
        if self.is_in_text {
            self.is_in_text = byte != b'"' || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
        } else if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.') {
            self.word.push(byte);
            return;
        } else {
            self.end_word();
            self.is_in_text = byte == b'"';
        }
        self.ready.push(byte);
    }

    fn end_word(&mut self) {
        let word = str::from_utf8(&self.word).unwrap_or_default();
        let digits = word.trim_start_matches('-').bytes().take_while(u8::is_ascii_digit).count();
        let fits = || word.parse::<u64>().is_ok() || word.parse::<i64>().is_ok();
        // A word that is no number stays as it is, and is refused.
        let is_long = digits > SHORT && !fits() && serde_json::from_str::<IgnoredAny>(word).is_ok();
        let quote: &[u8] = if is_long { b"\"" } else { b"" };
        self.ready.extend_from_slice(quote);
        self.ready.append(&mut self.word);
        self.ready.extend_from_slice(quote);
    }
}

impl<R: BufRead> Read for DigitsKept<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.ready.len() {
            (self.taken, self.ready) = (0, Vec::new());
            let block = self.source.fill_buf()?.to_vec();
            if block.is_empty() {
                self.end_word();
                if self.ready.is_empty() {
                    return Ok(0);
                }
            }
            self.source.consume(block.len());
            block.into_iter().for_each(|byte| self.pass(byte));
        }
        let count = self.ready.get(self.taken..).unwrap_or_default().read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

/// A text of JSON with its long numbers in quotes.
pub(super) fn digits_kept(text: &str) -> Cow<'_, str> {
    let is_short = |run: &[u8]| run.len() <= SHORT || memchr::memchr(b'.', run).is_some_and(|at| at <= SHORT);
    if text.as_bytes().split(|byte| !byte.is_ascii_digit() && *byte != b'.').all(is_short) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 2);
    match DigitsKept::of(text.as_bytes()).read_to_string(&mut kept) {
        Ok(_) => Cow::Owned(kept),
        // Only quotes are put into a text, so it stays UTF-8.
        Err(_) => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_texts_wherever_a_block_ends() {
        for (given, expected) in [
            ("[9007199254740993, 18446744073709551615]", "[9007199254740993, 18446744073709551615]"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("{\"a\":18446744073709551616}", "{\"a\":\"18446744073709551616\"}"),
            ("[-12345678901234567890123 ]", "[\"-12345678901234567890123\" ]"),
            (r#"["\"12345678901234567890123\\", "ä"]"#, r#"["\"12345678901234567890123\\", "ä"]"#),
            ("1234567890123456789012.5", "\"1234567890123456789012.5\""),
            (
                "[-12345678901234567.0, 0.12345678901234567]",
                "[\"-12345678901234567.0\", 0.12345678901234567]",
            ),
            (
                "[12345678901234567890123e2, 00000000000000000000001, 12345678901234567890.]",
                "[\"12345678901234567890123e2\", 00000000000000000000001, 12345678901234567890.]",
            ),
            ("", ""),
        ] {
            for size in 1..12 {
                let mut read = String::new();
                let source = BufReader::with_capacity(size, given.as_bytes());
                DigitsKept::of(source).read_to_string(&mut read).expect("read");
                assert_eq!(read, expected, "{size}");
            }
            assert_eq!(digits_kept(given), expected);
        }
    }
}
