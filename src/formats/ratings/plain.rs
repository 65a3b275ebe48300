//! Lines of CSV without quotation marks, found where they lie: what nearly all large files of ratings are.

use std::io::Read;

use memchr::{memchr, memchr_iter, memchr2, memrchr};

use crate::error::Result;
use crate::formats::source;

/// How much is read at once; lines that are longer are for the careful reader.
const BLOCK: usize = 1 << 20;

/// Hands over lines as long as they are plain.
pub(super) struct Plain<Source> {
    source: Source,
    delimiter: u8,
    block: Vec<u8>,
    /// Where the next line begins in the block.
    at: usize,
    /// Where the last whole line that is plain ends.
    end: usize,
    /// The number of the next line, from 1.
    line: u64,
    is_last: bool,
}

impl<Source: Read> Plain<Source> {
    pub(super) fn new(source: Source, delimiter: u8) -> Plain<Source> {
        Plain { source, delimiter, block: Vec::new(), at: 0, end: 0, line: 1, is_last: false }
    }

    /// The next plain line with its number, its cells into `cells` as ranges of it; `None` at the end, or where the rest is for
    /// the careful reader. Lines without a character are passed over.
    pub(super) fn next(&mut self, cells: &mut Vec<(usize, usize)>) -> Result<Option<(u64, &[u8])>> {
        loop {
            if self.at == self.end && !self.fill()? {
                return Ok(None);
            }
            let start = self.at;
            let rest = self.block.get(start..self.end).unwrap_or_default();
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            self.at = (start + length + 1).min(self.end);
            self.line += 1;
            if length > 0 {
                let line = self.block.get(start..start + length).unwrap_or_default();
                cells.clear();
                let mut from = 0;
                for at in memchr_iter(self.delimiter, line) {
                    cells.push((from, at));
                    from = at + 1;
                }
                cells.push((from, length));
                return Ok(Some((self.line - 1, line)));
            }
        }
    }

    /// Reads on to the end of a whole line; false where there is none that is plain.
    fn fill(&mut self) -> Result<bool> {
        self.block.drain(..self.at);
        (self.at, self.end) = (0, 0);
        if self.is_last && self.block.is_empty() {
            return Ok(false);
        }
        if !self.is_last {
            let kept = self.block.len();
            self.block.resize(kept + BLOCK, 0);
            let count = source::fill(&mut self.source, self.block.get_mut(kept..).unwrap_or_default())?;
            self.block.truncate(kept + count);
            self.is_last = count < BLOCK;
        }
        let end = match memrchr(b'\n', &self.block) {
            _ if self.is_last => self.block.len(),
            Some(last) => last + 1,
            None => 0,
        };
        // A quotation mark, or another end of a line, changes what lines are.
        let whole = self.block.get(..end).unwrap_or_default();
        let odd = memchr2(b'"', b'\r', whole);
        self.end = odd
            .map_or(end, |odd| memrchr(b'\n', whole.get(..odd).unwrap_or_default()).map_or(0, |at| at + 1));
        Ok(self.end > 0)
    }

    /// What the careful reader has to go on with, and how many lines come before it.
    pub(super) fn rest(mut self) -> (impl Read, u64) {
        self.block.drain(..self.at);
        (std::io::Cursor::new(self.block).chain(self.source), self.line - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain lines as `number: cell|cell`, and what is left of the source.
    fn lines(text: &str) -> (Vec<String>, String) {
        let mut plain = Plain::new(text.as_bytes(), b',');
        let (mut cells, mut found) = (Vec::new(), Vec::new());
        while let Some((number, line)) = plain.next(&mut cells).expect("memory can be read") {
            let cell = |(from, to): &(usize, usize)| String::from_utf8_lossy(&line[*from..*to]).into_owned();
            let cells: Vec<String> = cells.iter().map(cell).collect();
            found.push(format!("{number}: {}", cells.join("|")));
        }
        let mut rest = String::new();
        plain.rest().0.read_to_string(&mut rest).expect("it is text");
        (found, rest)
    }

    #[test]
    fn lines_are_plain_up_to_the_first_that_is_not() {
        let whole = ["1: a|b", "3: c|", "4: |"].map(str::to_owned).to_vec();
        assert_eq!(lines("a,b\n\nc,\n,"), (whole.clone(), String::new()));
        assert_eq!(lines("a,b\n\nc,\n,\n\"d\ne\",f\n"), (whole.clone(), "\"d\ne\",f\n".to_owned()));
        assert_eq!(lines("a,b\n\nc,\n,\nd,e\r\nf"), (whole, "d,e\r\nf".to_owned()));
        assert_eq!(lines("\"a\"\nb"), (Vec::new(), "\"a\"\nb".to_owned()));
        assert_eq!(lines(""), (Vec::new(), String::new()));
    }

    #[test]
    fn lines_lie_across_blocks() {
        let text: String = (0..300_000).map(|number| format!("{number},x\n")).collect();
        let (found, rest) = lines(&text);
        assert!(rest.is_empty() && found.len() == 300_000);
        assert!(found.iter().zip(0..).all(|(line, number)| *line == format!("{}: {number}|x", number + 1)));
        let long = format!("a,b\n{}\n", "x".repeat(3 << 20));
        assert_eq!(lines(&long), (vec!["1: a|b".to_owned()], format!("{}\n", "x".repeat(3 << 20))));
    }
}
