//! The mistakes in a protocol file, each with its line.

use std::collections::HashSet;
use std::rc::Rc;

use toml::Spanned;
use toml::de::DeTable;

use crate::error::Error;

/// A value and the line on which it stands, counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct At<T> {
    pub(super) line: u64,
    pub(super) value: T,
}

impl<T> At<T> {
    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> At<U> {
        At { line: self.line, value: make(self.value) }
    }
}

/// The lines of a text: where each line feed stands. Every key and value asks for its line.
#[derive(Debug, Clone)]
pub(super) struct LineFeeds(Rc<[usize]>);

impl LineFeeds {
    fn of(text: &str) -> LineFeeds {
        LineFeeds(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// The line of a byte offset, counted from 1.
    pub(super) fn at(&self, offset: usize) -> u64 {
        self.0.partition_point(|feed| *feed < offset) as u64 + 1
    }
}

/// Collects the mistakes of one text.
pub(super) struct FileFindings {
    pub(super) lines: LineFeeds,
    found: Vec<(u64, Error)>,
    /// Lines that are no TOML. Parts that seem to be missing may stand there, so they are not named.
    unreadable: HashSet<u64>,
}

impl FileFindings {
    pub(super) fn new(text: &str) -> FileFindings {
        FileFindings { lines: LineFeeds::of(text), found: Vec::new(), unreadable: HashSet::new() }
    }

    /// Reads the text as TOML, as far as it is TOML; notes the rest.
    pub(super) fn document<'t>(&mut self, text: &'t str) -> Spanned<DeTable<'t>> {
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let line = self.lines.at(error.span().map_or(text.len(), |span| span.start));
            self.syntax(line, error.message().replace('\n', " "));
        }
        document
    }

    /// Notes a line that is no TOML.
    fn syntax(&mut self, line: u64, what: impl Into<String>) {
        if !self.unreadable.contains(&line) {
            self.note(line, what);
            self.unreadable.insert(line);
        }
    }

    /// Notes a part that is not there, though it should be.
    pub(super) fn lacks(&mut self, line: u64, what: impl Into<String>) {
        if self.unreadable.is_empty() {
            self.note(line, what);
        }
    }

    pub(super) fn note(&mut self, line: u64, what: impl Into<String>) {
        self.push(line, Error::new(what));
    }

    pub(super) fn advise(&mut self, line: u64, what: impl Into<String>, advice: impl Into<String>) {
        self.push(line, Error::new(what).advise(advice));
    }

    fn push(&mut self, line: u64, error: Error) {
        if !self.unreadable.contains(&line) {
            self.found.push((line, error.at_line(line)));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All findings, in the order of their lines.
    pub(super) fn finish(mut self) -> Vec<Error> {
        self.found.sort_by_key(|(line, _)| *line);
        self.found.into_iter().map(|(_, error)| error).collect()
    }
}
