//! The documents of a session: their list with its filter, and the document in view.

use std::sync::Arc;

use crate::app::kit::{Board, Picker, Search, beyond, finder, text_area};
use crate::journal::{GoToEntry, ItemState};
use crate::study::Document;
use crate::text::span::Span;
use crate::text::transcript::speakers;
use crate::text::words;

/// Characters of a document that stand for a missing title.
const OPENING: usize = 80;

/// Documents in the order of the session.
#[derive(Debug, Clone)]
pub struct Shelf {
    documents: Vec<Document>,
    /// Length of each document in words.
    lengths: Vec<usize>,
    entries: Arc<[GoToEntry]>,
    /// Index of the document in view.
    view: Option<usize>,
    pub board: Board,
    /// The byte at the top of each document when it was left.
    tops: Vec<usize>,
    /// How far down each document was on the screen for a while, in bytes.
    reached: Vec<usize>,
    /// The filter of the list, and the documents that fit it, the best first.
    pub picker: Picker,
    pub search: Search,
    /// The hit that was jumped to last, in the document in view.
    pub mark: Option<Span>,
    /// The speakers' names in the document in view, where it is a transcript.
    pub speakers: Vec<Span>,
}

impl Shelf {
    pub fn new(documents: Vec<Document>) -> Shelf {
        let count = documents.len();
        let entries = documents.iter().enumerate().map(|(position, document)| GoToEntry {
            position,
            unit: format!("{} {}", document.number, title(document)),
            query: document.text.chars().take(OPENING).collect(),
            group: 1,
            state: ItemState::Open,
            flagged: false,
        });
        Shelf {
            entries: entries.collect(),
            lengths: documents.iter().map(|document| words::count(&document.text)).collect(),
            documents,
            view: None,
            board: Board::default(),
            tops: vec![0; count],
            reached: vec![0; count],
            picker: Picker::new(count),
            search: Search::default(),
            mark: None,
            speakers: Vec::new(),
        }
    }

    /// All documents in the order of the session.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The document in view.
    pub fn document(&self) -> Option<&Document> {
        self.documents.get(self.view?)
    }

    /// Index of the document in view.
    pub fn view(&self) -> Option<usize> {
        self.view
    }

    /// The text in view; empty where there is none.
    pub fn text(&self) -> &str {
        self.document().map_or("", |document| &document.text)
    }

    /// Length of a document in words.
    pub fn length(&self, index: usize) -> usize {
        self.lengths.get(index).copied().unwrap_or(0)
    }

    /// The index of the document with this number.
    pub fn place_of(&self, number: u32) -> Option<usize> {
        self.documents.iter().position(|document| document.number == number)
    }

    /// Puts a document in view where it was left; returns whether another one was there.
    pub fn open(&mut self, index: usize) -> bool {
        if self.view == Some(index) || index >= self.documents.len() {
            return false;
        }
        if let (Some(left), Some(row)) = (self.view, self.board.row(self.board.scroll))
            && let Some(top) = self.tops.get_mut(left)
        {
            *top = row.bytes.start;
        }
        self.view = Some(index);
        self.mark = None;
        self.speakers = speakers(self.text());
        self.board.clear();
        self.find_hits();
        true
    }

    /// Wraps the document in view for its pane; one that was just opened is scrolled to where it was left.
    pub fn wrap(&mut self, width: u16, height: u16) {
        let mut board = std::mem::take(&mut self.board);
        let is_new = board.is_empty();
        board.wrap_document(self.text(), width);
        if is_new {
            let top = self.view.and_then(|view| self.tops.get(view)).copied().unwrap_or(0);
            board.scroll = board.row_of(top);
        }
        board.settle(height);
        self.board = board;
    }

    /// Notes how far down the document in view has been on the screen for a while.
    pub fn reach(&mut self, byte: usize) {
        if let Some(reached) = self.view.and_then(|view| self.reached.get_mut(view)) {
            *reached = byte.max(*reached);
        }
    }

    /// How far the document in view was read, from 0 to 1.
    pub fn furthest(&self) -> f64 {
        let reached = self.view.and_then(|view| self.reached.get(view)).copied().unwrap_or(0);
        match self.text().trim_end().len() {
            0 => 1.0,
            length => (reached as f64 / length as f64).min(1.0),
        }
    }

    /// Narrows the list down to documents that fit the filter.
    pub fn narrow(&mut self) {
        if let Some(found) = finder::find(&self.entries, &self.picker.needle(), &|| false) {
            self.picker.show(found);
        }
    }

    /// Lists all documents again, the one in view selected.
    pub fn widen(&mut self) {
        self.picker.area = text_area("");
        self.narrow();
        self.select_view();
    }

    /// Selects the document in view, where the list has it.
    pub fn select_view(&mut self) {
        if let Some(view) = self.view {
            self.picker.put_on(view);
        }
    }

    /// Searches for these words from now on.
    pub fn look_for(&mut self, needle: &str) {
        self.search = Search::of(needle);
        self.mark = None;
        self.find_hits();
    }

    fn find_hits(&mut self) {
        self.board.hits = self.search.hits_in(self.text());
    }

    /// The documents with hits by index, each with its number of hits.
    pub fn hit_counts(&self) -> Vec<(usize, usize)> {
        let texts = self.documents.iter().map(|document| document.text.as_str());
        self.search.counts(texts.enumerate())
    }

    /// The next or previous hit in view after the mark; `None` when there is none left in this document.
    pub fn next_hit(&self, forwards: bool) -> Option<Span> {
        beyond(&self.board.hits, self.mark, forwards)
    }
}

/// The title of a document in the list, else its beginning.
pub fn title(document: &Document) -> String {
    match &document.title {
        Some(title) if !title.trim().is_empty() => title.clone(),
        _ => {
            let line = document.text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
            line.trim().chars().take(OPENING).collect()
        }
    }
}
