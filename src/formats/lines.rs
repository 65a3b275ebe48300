//! A source line by line in bounded memory: no line is taken in that is longer than 64 MiB.

use std::io::{BufRead, ErrorKind, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::source::{cannot_read, without_mark};
use crate::error::{Error, Result};

/// The longest line that is read, in bytes.
pub(super) const LONGEST: usize = 64 << 20;

/// How much room is kept for the next line that is longer than the source's buffer.
const KEPT: usize = 1 << 20;

/// Reads lines one after the other. Their line feeds are left out, and so is a byte order mark.
pub(super) struct Lines<Source> {
    source: Source,
    /// A line that did not lie in one piece in the source's buffer.
    line: Vec<u8>,
    /// Bytes of the source's buffer that the line handed out last takes.
    taken: usize,
    /// Whether the rest of a line that is too long is still to be skipped.
    skips: bool,
    number: u64,
}

/// A line of the source.
#[derive(Debug)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// A line that was skipped, with the error for it.
    TooLong(Error),
}

/// How a line ends, as far as the source's buffer goes.
enum End {
    /// At this offset of the buffer there is a line feed.
    Feed(usize),
    /// Not within the buffer, which holds this many bytes.
    Open(usize),
    /// The source is at its end.
    Source,
}

impl<Source: BufRead> Lines<Source> {
    pub(super) fn new(source: Source) -> Self {
        Lines { source, line: Vec::new(), taken: 0, skips: false, number: 0 }
    }

    /// The next line with its number, counted from 1.
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, Line<'_>)>> {
        self.source.consume(std::mem::take(&mut self.taken));
        while self.skips {
            self.skip()?;
        }
        self.number += 1;
        let number = self.number;
        match self.end()? {
            End::Source => Ok(None),
            End::Feed(length) => {
                self.taken = length + 1;
                // The buffer still holds what was looked at; nothing is read here.
                let buffer = self.source.fill_buf().map_err(|error| cannot_read(&error))?;
                let line = buffer.get(..length).unwrap_or(buffer);
                Ok(Some((number, Line::Whole(first_unmarked(line, number)))))
            }
            End::Open(_) => {
                if self.gather()? {
                    Ok(Some((number, Line::Whole(first_unmarked(&self.line, number)))))
                } else {
                    Ok(Some((number, Line::TooLong(too_long()))))
                }
            }
        }
    }

    /// Collects a line that goes on behind the buffer. Returns whether it is short enough; the rest of a longer line is
    /// left unread.
    fn gather(&mut self) -> Result<bool> {
        self.line.clear();
        self.line.shrink_to(KEPT);
        loop {
            let (length, is_last) = match self.end()? {
                End::Feed(length) => (length, true),
                End::Open(length) => (length, false),
                End::Source => return Ok(true),
            };
            if self.line.len() + length > LONGEST {
                self.line = Vec::new();
                self.skips = true;
                return Ok(false);
            }
            let buffer = self.source.fill_buf().map_err(|error| cannot_read(&error))?;
            self.line.extend_from_slice(buffer.get(..length).unwrap_or(buffer));
            self.source.consume(length + usize::from(is_last));
            if is_last {
                return Ok(true);
            }
        }
    }

    /// Skips up to the end of the line, or of the buffer.
    fn skip(&mut self) -> Result<()> {
        let length = match self.end()? {
            End::Open(length) => length,
            End::Feed(length) => {
                self.skips = false;
                length + 1
            }
            End::Source => {
                self.skips = false;
                0
            }
        };
        self.source.consume(length);
        Ok(())
    }

    fn end(&mut self) -> Result<End> {
        loop {
            match self.source.fill_buf() {
                Ok([]) => return Ok(End::Source),
                Ok(buffer) => {
                    return Ok(memchr(b'\n', buffer).map_or(End::Open(buffer.len()), End::Feed));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(&error)),
            }
        }
    }
}

fn first_unmarked(line: &[u8], number: u64) -> &[u8] {
    if number == 1 { without_mark(line) } else { line }
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
                Line::Whole(line) => (number, String::from_utf8_lossy(line).into_owned()),
                Line::TooLong(error) => (number, error.to_string()),
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
    fn a_line_without_end_is_refused_early_and_skipped() {
        let endless = || std::io::repeat(b'x').take(3 * LONGEST as u64);
        let found = lines(endless().chain(&b"\nnext"[..]), 1 << 16);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.starts_with("the line is longer than 64 MiB"));
        assert_eq!(found[1], (2, "next".to_owned()));

        let mut source = endless();
        let mut lines = Lines::new(BufReader::new(&mut source));
        assert!(matches!(lines.next_line(), Ok(Some((1, Line::TooLong(_))))));
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
