//! Text on its way to a terminal: characters that would steer it are drawn, never sent.

use std::io::{Result, Write};

use crate::text::width::visible_lines;

/// Bytes of a line that are kept back for its end, at most.
const LONGEST: usize = 64 * 1024;

/// Hands text on, line by line, with its control characters made visible.
pub(super) struct VisibleWriter<Out: Write> {
    out: Out,
    /// A line whose end has not come.
    line: Vec<u8>,
}

impl<Out: Write> VisibleWriter<Out> {
    pub(super) fn new(out: Out) -> VisibleWriter<Out> {
        VisibleWriter { out, line: Vec::new() }
    }

    /// Hands on so many of the bytes that are kept.
    fn hand_on(&mut self, count: usize) -> Result<()> {
        let bytes: Vec<u8> = self.line.drain(..count).collect();
        // Bytes that are no text, such as Parquet, would not be read in a terminal anyway.
        self.out.write_all(visible_lines(&String::from_utf8_lossy(&bytes)).as_bytes())
    }
}

impl<Out: Write> Write for VisibleWriter<Out> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.line.extend_from_slice(bytes);
        match memchr::memrchr(b'\n', &self.line) {
            Some(end) => self.hand_on(end + 1)?,
            // Cut before a character, so that none comes apart.
            None if self.line.len() > LONGEST => {
                let begins = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
                self.hand_on(self.line.iter().rposition(begins).unwrap_or(0))?;
            }
            None => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.hand_on(self.line.len())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut seen = VisibleWriter::new(&mut out);
        for piece in pieces {
            seen.write_all(piece).expect("memory can be written");
        }
        seen.flush().expect("memory can be written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        let hostile: &[u8] = b"a\x1b]0;x\x07\r\n\tb\x9b1m\xc2\x9b2m\n";
        assert_eq!(seen(&[hostile]), "a␛]0;x␇\n\tb�1m�2m\n");
        let (first, rest) = "中".as_bytes().split_at(1);
        assert_eq!(seen(&[first, rest]), "中");
        let all: Vec<u8> = (0..=255).collect();
        let shown = seen(&[&all]);
        assert!(shown.chars().all(|letter| !letter.is_control() || "\n\t".contains(letter)), "{shown:?}");
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let long = "中".repeat(LONGEST);
        let mut out = Vec::new();
        let mut seen = VisibleWriter::new(&mut out);
        for piece in long.as_bytes().chunks(1000) {
            seen.write_all(piece).expect("memory can be written");
            assert!(seen.line.len() <= LONGEST + 1000);
        }
        seen.flush().expect("memory can be written");
        assert_eq!(out, long.as_bytes());
    }
}
