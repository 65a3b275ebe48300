//! Lines of CSV without quotation marks, found where they lie: what nearly all large files of ratings are.

use std::io::Read;

use memchr::{memchr2, memchr2_iter, memrchr};

use crate::error::Result;
use crate::formats::source;
use crate::number::short;

/// Finds lines as long as they are plain.
pub(super) struct Plain<Source> {
    source: Source,
    delimiter: u8,
    /// How much is read at once, in bytes; lines that are longer are for the careful reader.
    size: usize,
    /// Bytes that were read behind the lines that were found.
    rest: Vec<u8>,
    is_last: bool,
}

/// Whole lines that are plain.
pub(super) struct PlainLines {
    text: Vec<u8>,
    /// Where each cell ends: at a delimiter or at the end of its line.
    ends: Vec<u32>,
}

impl<Source: Read> Plain<Source> {
    pub(super) fn new(source: Source, delimiter: u8, size: usize) -> Plain<Source> {
        Plain { source, delimiter, size, rest: Vec::new(), is_last: false }
    }

    /// The next lines; `None` at the end, or where the rest is for the careful reader.
    pub(super) fn next(&mut self) -> Result<Option<PlainLines>> {
        let mut text = std::mem::take(&mut self.rest);
        if !self.is_last {
            let kept = text.len();
            text.resize(kept + self.size, 0);
            let count = source::fill(&mut self.source, text.get_mut(kept..).unwrap_or_default())?;
            text.truncate(kept + count);
            self.is_last = count < self.size;
        }
        let end = match memrchr(b'\n', &text) {
            _ if self.is_last => text.len(),
            Some(last) => last + 1,
            None => 0,
        };
        // A quotation mark, or another end of a line, changes what lines are.
        let whole = text.get(..end).unwrap_or_default();
        let odd = memchr2(b'"', b'\r', whole);
        let end = odd
            .map_or(end, |odd| memrchr(b'\n', whole.get(..odd).unwrap_or_default()).map_or(0, |at| at + 1));
        self.rest = text.split_off(end);
        if text.is_empty() {
            return Ok(None);
        }
        let mut ends = Vec::with_capacity(text.len() / 4);
        // A block and what was left of the one before are far below 4 GiB.
        let place = |at: usize| short(at);
        ends.extend(memchr2_iter(self.delimiter, b'\n', &text).map(place));
        if text.last() != Some(&b'\n') {
            ends.push(place(text.len()));
        }
        Ok(Some(PlainLines { text, ends }))
    }

    /// The source that the careful reader has to go on with.
    pub(super) fn rest(self) -> impl Read {
        std::io::Cursor::new(self.rest).chain(self.source)
    }
}

/// A line of a block.
pub(super) struct PlainLine<'b> {
    text: &'b [u8],
    start: usize,
    ends: &'b [u32],
}

impl PlainLines {
    /// All lines in their order, also those without a character.
    pub(super) fn lines(&self) -> impl Iterator<Item = PlainLine<'_>> {
        let (mut start, mut rest) = (0, self.ends.as_slice());
        std::iter::from_fn(move || {
            let is_last = |end: &u32| !matches!(self.text.get(*end as usize), Some(byte) if *byte != b'\n');
            let cells = rest.iter().position(is_last)? + 1;
            let (ends, others) = rest.split_at(cells);
            let line = PlainLine { text: &self.text, start, ends };
            start = line.end() + 1;
            rest = others;
            Some(line)
        })
    }
}

impl<'b> PlainLine<'b> {
    /// The number of cells; 0 for a line without a character.
    pub(super) fn cells(&self) -> usize {
        if self.end() == self.start { 0 } else { self.ends.len() }
    }

    /// The cell of this column, from 0.
    pub(super) fn cell(&self, column: usize) -> Option<&'b [u8]> {
        let to = *self.ends.get(column)? as usize;
        let from = match column.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize + 1,
            None => self.start,
        };
        self.text.get(from..to)
    }

    fn end(&self) -> usize {
        self.ends.last().map_or(self.start, |end| *end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain lines as `number: cell|cell`, and what is left of the source.
    fn lines(text: &str, size: usize) -> (Vec<String>, String) {
        let mut plain = Plain::new(text.as_bytes(), b',', size);
        let (mut number, mut found) = (0, Vec::new());
        while let Some(block) = plain.next().expect("memory can be read") {
            for line in block.lines() {
                number += 1;
                let cell = |column| String::from_utf8_lossy(line.cell(column).expect("a cell")).into_owned();
                let cells: Vec<String> = (0..line.cells()).map(cell).collect();
                if !cells.is_empty() {
                    found.push(format!("{number}: {}", cells.join("|")));
                }
            }
        }
        let mut rest = String::new();
        plain.rest().read_to_string(&mut rest).expect("it is text");
        (found, rest)
    }

    #[test]
    fn lines_are_plain_up_to_the_first_that_is_not() {
        let whole = ["1: a|b", "3: c|", "4: |"].map(str::to_owned).to_vec();
        for size in [5, 6, 7, 100] {
            assert_eq!(lines("a,b\n\nc,\n,", size), (whole.clone(), String::new()));
            let quoted = "\"d\ne\",f\n";
            assert_eq!(lines(&format!("a,b\n\nc,\n,\n{quoted}"), size), (whole.clone(), quoted.to_owned()));
            assert_eq!(lines("a,b\n\nc,\n,\nd,e\r\nf", size), (whole.clone(), "d,e\r\nf".to_owned()));
            assert_eq!(lines("\"a\"\nb", size), (Vec::new(), "\"a\"\nb".to_owned()));
            assert_eq!(lines("", size), (Vec::new(), String::new()));
        }
        let long = "a line,longer than a block\nc";
        assert_eq!(lines(&format!("a,b\n{long}"), 8), (vec!["1: a|b".to_owned()], long.to_owned()));
    }

    #[test]
    fn lines_lie_across_blocks() {
        let text: String = (0..3000).map(|number| format!("{number},x\n")).collect();
        for size in [8, 13, 1000] {
            let (found, rest) = lines(&text, size);
            assert!(rest.is_empty() && found.len() == 3000);
            let all = found.iter().zip(0..);
            assert!(all.into_iter().all(|(line, number)| *line == format!("{}: {number}|x", number + 1)));
        }
    }
}
