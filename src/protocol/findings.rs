//! The mistakes in a protocol file, each with its line.

use std::cell::RefCell;
use std::collections::HashSet;

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

impl<T> At<Vec<At<T>>> {
    /// The values of a list without their lines.
    pub(super) fn plain(self) -> Vec<T> {
        self.value.into_iter().map(|one| one.value).collect()
    }
}

/// Collects the mistakes of one text. All its tables note theirs here.
pub(super) struct FileFindings {
    /// Where each line feed of the text stands. Every key and value asks for its line.
    feeds: Vec<usize>,
    found: RefCell<Vec<(u64, Error)>>,
    /// Lines that are no TOML. Parts that seem to be missing may stand there, so they are not named.
    unreadable: RefCell<HashSet<u64>>,
}

impl FileFindings {
    pub(super) fn new(text: &str) -> FileFindings {
        let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        FileFindings { feeds, found: RefCell::default(), unreadable: RefCell::default() }
    }

    /// The line of a byte offset, counted from 1.
    pub(super) fn line_of(&self, offset: usize) -> u64 {
        self.feeds.partition_point(|feed| *feed < offset) as u64 + 1
    }

    /// Reads the text as TOML, as far as it is TOML; notes the rest.
    pub(super) fn document<'t>(&self, text: &'t str) -> Spanned<DeTable<'t>> {
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let line = self.line_of(error.span().map_or(text.len(), |span| span.start));
            self.syntax(line, error.message().replace('\n', " "));
        }
        document
    }

    /// Notes a line that is no TOML.
    fn syntax(&self, line: u64, what: impl Into<String>) {
        self.note(line, what);
        self.unreadable.borrow_mut().insert(line);
    }

    /// Notes a part that is not there, though it should be.
    pub(super) fn lacks(&self, line: u64, what: impl Into<String>) {
        if self.unreadable.borrow().is_empty() {
            self.note(line, what);
        }
    }

    pub(super) fn note(&self, line: u64, what: impl Into<String>) {
        self.push(line, Error::new(what));
    }

    pub(super) fn advise(&self, line: u64, what: impl Into<String>, advice: impl Into<String>) {
        self.push(line, Error::new(what).advise(advice));
    }

    fn push(&self, line: u64, error: Error) {
        if !self.unreadable.borrow().contains(&line) {
            self.found.borrow_mut().push((line, error.at_line(line)));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// All findings, in the order of their lines.
    pub(super) fn finish(self) -> Vec<Error> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|(line, _)| *line);
        found.into_iter().map(|(_, error)| error).collect()
    }
}
