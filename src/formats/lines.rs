//! A source line by line in bounded memory: no line is taken in that is longer than 64 MiB.

use std::io::{BufRead, Error as IoError, ErrorKind, Read};

use memchr::{memchr_iter, memrchr};

use super::source::{cannot_read, invalid_utf8, without_mark};
use crate::error::{Error, Result};

/// The longest line that is read, in bytes.
pub(super) const LONGEST: usize = 64 << 20;

/// How much room is kept for the next line.
const KEPT: usize = 1 << 20;

/// Reads lines one after the other. Their line feeds are left out, and so is a byte order mark.
pub(super) struct Lines<Source> {
    source: Source,
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is still to be skipped.
    skips: bool,
    number: u64,
}

/// A line with its number, counted from 1; the error for one that is none.
type LineRead<'l, Contents> = (u64, Result<&'l Contents>);

impl<Source: BufRead> Lines<Source> {
    pub(super) fn new(source: Source) -> Self {
        Lines { source, line: Vec::new(), skips: false, number: 0 }
    }

    /// The next line; the error for one that is too long, and skipped.
    pub(super) fn next_line(&mut self) -> Result<Option<LineRead<'_, [u8]>>> {
        let read = self.read()?;
        Ok(read.map(|read| (self.number, read.map(|()| self.line()))))
    }

    /// The next line that is not blank, as text.
    pub(super) fn next_text(&mut self) -> Result<Option<LineRead<'_, str>>> {
        let mut read = self.read()?;
        while let Some(Ok(())) = read
            && self.line().trim_ascii().is_empty()
        {
            read = self.read()?;
        }
        let text = || {
            let line = self.line();
            str::from_utf8(line).map_err(|error| invalid_utf8(line, error.valid_up_to()))
        };
        Ok(read.map(|read| (self.number, read.and_then(|()| text()))))
    }

    fn line(&self) -> &[u8] {
        if self.number == 1 { without_mark(&self.line) } else { &self.line }
    }

    /// Reads the next line; `None` behind the last one.
    fn read(&mut self) -> Result<Option<Result<()>>> {
        let unread = |error: IoError| cannot_read(&error);
        if std::mem::take(&mut self.skips) {
            self.source.skip_until(b'\n').map_err(unread)?;
        }
        self.line.clear();
        self.line.shrink_to(KEPT);
        let mut short = (&mut self.source).take(LONGEST as u64 + 1);
        if short.read_until(b'\n', &mut self.line).map_err(unread)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() > LONGEST {
            self.skips = true;
            return Ok(Some(Err(too_long())));
        }
        Ok(Some(Ok(())))
    }
}

fn too_long() -> Error {
    Error::new(format!("the line is longer than {} MiB", LONGEST >> 20))
        .advise("check that its line breaks are not lost, or split the text")
}

/// Passes a source on until a line is too long, for readers that take in a line at a time.
pub(super) struct ShortLines<Source> {
    source: Source,
    /// Bytes of the line that is being read.
    length: usize,
    number: u64,
}

impl<Source: Read> ShortLines<Source> {
    pub(super) fn new(source: Source) -> Self {
        ShortLines { source, length: 0, number: 1 }
    }
}

impl<Source: Read> Read for ShortLines<Source> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        match memrchr(b'\n', bytes) {
            Some(last) => {
                self.number += memchr_iter(b'\n', bytes).count() as u64;
                self.length = count - last - 1;
            }
            None => self.length += count,
        }
        if self.length > LONGEST {
            let error = too_long().at_line(self.number).to_string();
            return Err(std::io::Error::new(ErrorKind::InvalidData, error));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// All lines, read through a buffer of `size` bytes; one that is too long as its sentence.
    fn lines(source: impl Read, size: usize) -> Vec<(u64, String)> {
        let mut lines = Lines::new(BufReader::with_capacity(size, source));
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next_line().expect("memory can be read") {
            found.push(match line {
                Ok(line) => (number, String::from_utf8_lossy(line).into_owned()),
                Err(error) => (number, error.to_string()),
            });
        }
        found
    }

    #[test]
    fn lines_come_whole_whatever_the_buffer() {
        let text = "\u{feff}one\n\ntwo and more\r\nthree\u{feff}";
        for size in [1, 2, 3, 4, 7, 13, 100] {
            let found = lines(text.as_bytes(), size);
            let texts: Vec<&str> = found.iter().map(|(_, line)| line.as_str()).collect();
            assert_eq!(texts, ["one", "", "two and more\r", "three\u{feff}"], "buffer of {size}");
            assert!(found.iter().map(|(number, _)| *number).eq(1..=4));
        }
        assert_eq!(lines(&b""[..], 8), []);
        assert_eq!(lines(&b"a\n"[..], 1), [(1, "a".to_owned())]);
    }

    #[test]
    fn blank_lines_are_passed_over_and_others_are_text() {
        let mut lines = Lines::new(&b"\xef\xbb\xbf \none\n\r\n\xff\n"[..]);
        assert_eq!(lines.next_text().unwrap(), Some((2, Ok("one"))));
        assert!(matches!(lines.next_text(), Ok(Some((4, Err(_))))));
        assert_eq!(lines.next_text().unwrap(), None);
    }

    #[test]
    fn a_line_without_end_is_refused_early_and_skipped() {
        let endless = || std::io::repeat(b'x').take(3 * LONGEST as u64);
        let found = lines(endless().chain(&b"\nnext"[..]), 1 << 16);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.starts_with("the line is longer than 64 MiB"));
        assert_eq!(found[1], (2, "next".to_owned()));

        let mut source = endless();
        let mut lines = Lines::new(BufReader::new(&mut source));
        assert!(matches!(lines.next_line(), Ok(Some((1, Err(_))))));
        assert!(source.limit() >= 2 * LONGEST as u64 - (1 << 16), "the rest was not read");
    }

    #[test]
    fn short_lines_pass_and_a_long_one_is_named() {
        let mut passed = String::new();
        ShortLines::new(&b"a\nb"[..]).read_to_string(&mut passed).expect("short");
        assert_eq!(passed, "a\nb");
        let long = (&b"a\nb\n"[..]).chain(std::io::repeat(b'x'));
        let error = std::io::copy(&mut ShortLines::new(long), &mut std::io::sink()).expect_err("long");
        assert!(error.to_string().starts_with("line 3: the line is longer"), "{error}");
    }
}
