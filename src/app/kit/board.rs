//! One pane of texts: its rows at the present width, and how far it is scrolled.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::bullets::bullets;
use crate::text::citation::{CitationRow, long_rows};
use crate::text::markdown::{MarkdownStyle, styles};
use crate::text::span::Span;
use crate::text::wrap::{NARROWEST, WrappedRows, indent, wrap, wrap_indented};

/// Columns of the longest rows of text, where nobody has chosen another measure. Longer rows are hard to read.
pub const MEASURE: u16 = 90;

/// A pane of texts, with the part that is visible. Rows are wrapped once per text and width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Board {
    width: u16,
    rows: BoardRows,
    /// First visible row.
    pub scroll: usize,
    /// Whether long rows of citations are folded.
    is_folded: bool,
    /// The parts of a candidate that Markdown marks, by where they begin.
    styles: Vec<(Range<usize>, MarkdownStyle)>,
    /// Hits of the search in the text.
    pub hits: Vec<Span>,
    /// The place to show once the rows are known.
    due: Option<Awaited>,
}

/// A place that a board shows as soon as its rows are known.
#[derive(Debug, Clone, PartialEq)]
enum Awaited {
    Bytes(Range<usize>),
    /// The row that comes to the top.
    Row(usize),
}

/// Rows as byte ranges of the pane's text.
#[derive(Debug, Clone, PartialEq)]
enum BoardRows {
    Running(WrappedRows),
    Bullets(Vec<BulletRow>),
}

impl Default for BoardRows {
    fn default() -> BoardRows {
        BoardRows::Bullets(Vec::new())
    }
}

/// A row of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BulletRow {
    start: usize,
    end: usize,
    number: u32,
    is_first: bool,
    folded: Option<FoldedRow>,
}

/// A row of citations that is folded behind a row of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedRow {
    /// Number of documents that the row cites.
    pub count: usize,
    /// Bytes of the signs behind the citations, which stay visible.
    pub end: Range<usize>,
}

/// One visible row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardRow {
    /// Bytes of the pane's text.
    pub bytes: Range<usize>,
    /// The bullet that the row belongs to, in a pane of bullets.
    pub bullet: Option<u32>,
    /// Whether the bullet begins here.
    pub is_first: bool,
    /// The citations that are folded behind the row.
    pub folded: Option<FoldedRow>,
}

impl Board {
    /// Wraps a running text; keeps the text at the top of the pane where it is.
    pub fn wrap_running(&mut self, text: &str, width: u16) {
        self.rewrap(width, false, || BoardRows::Running(wrap(text, width)));
    }

    /// Wraps a document: paragraphs in Chinese are indented.
    pub fn wrap_document(&mut self, text: &str, width: u16) {
        self.rewrap(width, false, || BoardRows::Running(wrap_indented(text, width)));
    }

    /// Columns by which a row of a document is indented.
    pub fn indent(&self, text: &str, row: &BoardRow) -> u16 {
        match &self.rows {
            BoardRows::Running(_) if self.width >= NARROWEST => indent(text, row.bytes.start),
            _ => 0,
        }
    }

    /// Wraps a candidate bullet by bullet, with room for the numbers, with or without its long rows of citations.
    pub fn wrap_bullets(&mut self, text: &str, width: u16, is_folded: bool) {
        if self.width == 0 {
            self.styles = styles(text);
        }
        self.rewrap(width, is_folded, || {
            let spans = bullets(text);
            let inner = width.saturating_sub(gutter(spans.len())).max(1);
            BoardRows::Bullets(bullet_rows(text, &spans, inner, is_folded))
        });
    }

    fn rewrap(&mut self, width: u16, is_folded: bool, rows: impl FnOnce() -> BoardRows) {
        if (self.width, self.is_folded) == (width, is_folded) {
            return;
        }
        let top = self.row(self.scroll).map_or(0, |row| row.bytes.start);
        (self.width, self.is_folded) = (width, is_folded);
        self.rows = rows();
        self.scroll = self.row_of(top);
    }

    /// Forgets the text, so that the next one is wrapped and shown from its beginning.
    pub fn clear(&mut self) {
        *self = Board::default();
    }

    pub fn len(&self) -> usize {
        match &self.rows {
            BoardRows::Running(rows) => rows.len(),
            BoardRows::Bullets(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn row(&self, index: usize) -> Option<BoardRow> {
        match &self.rows {
            BoardRows::Running(rows) => {
                rows.get(index).map(|bytes| BoardRow { bytes, bullet: None, is_first: false, folded: None })
            }
            BoardRows::Bullets(rows) => rows.get(index).map(|row| BoardRow {
                bytes: row.start..row.end,
                bullet: Some(row.number),
                is_first: row.is_first,
                folded: row.folded.clone(),
            }),
        }
    }

    /// The row that holds this byte of the text, or the last one before it.
    pub fn row_of(&self, byte: usize) -> usize {
        match &self.rows {
            BoardRows::Running(rows) => rows.row_of(byte),
            BoardRows::Bullets(rows) => rows.partition_point(|row| row.start <= byte).saturating_sub(1),
        }
    }

    /// Scrolls by this many rows, as far as there is text, in a pane of `height` rows.
    pub fn scroll_by(&mut self, rows: isize, height: u16) {
        self.scroll = self.scroll.saturating_add_signed(rows);
        self.keep_within(height);
    }

    /// Takes back scrolling beyond the end.
    pub fn keep_within(&mut self, height: u16) {
        let last = self.len().saturating_sub(usize::from(height).max(1));
        self.scroll = self.scroll.min(last);
    }

    /// Scrolls so that these bytes are visible; bytes out of view come to stand a third from the top.
    pub fn reveal(&mut self, bytes: Range<usize>, height: u16) {
        let (first, last) =
            (self.row_of(bytes.start), self.row_of(bytes.end.saturating_sub(1).max(bytes.start)));
        let rows = usize::from(height);
        if first < self.scroll || last >= self.scroll + rows {
            // A passage that is higher than the pane is shown from its beginning.
            let above = (rows / 3).min(rows.saturating_sub(last - first + 1));
            self.scroll = first.saturating_sub(above);
        }
        self.keep_within(height);
    }

    /// Reveals these bytes once the rows are known.
    pub fn reveal_later(&mut self, bytes: Option<Range<usize>>) {
        self.due = bytes.map(Awaited::Bytes);
    }

    /// Scrolls to this row once the rows are known.
    pub fn scroll_later(&mut self, row: usize) {
        self.due = Some(Awaited::Row(row));
    }

    /// Shows the awaited place, now that the rows are known, and takes back scrolling beyond the end.
    pub fn settle(&mut self, height: u16) {
        match self.due.take() {
            Some(Awaited::Bytes(bytes)) => self.reveal(bytes, height),
            Some(Awaited::Row(row)) => self.scroll = row,
            None => {}
        }
        self.keep_within(height);
    }

    /// The first hit that is visible or below, else the first of the text.
    pub fn first_hit(&self, height: u16) -> Option<Span> {
        let top = self.visible(height).start;
        self.hits.iter().find(|hit| hit.start() >= top).or(self.hits.first()).copied()
    }

    /// The hits of the search among these bytes.
    pub fn hits_in(&self, bytes: &Range<usize>) -> impl Iterator<Item = &Span> {
        let first = self.hits.partition_point(|hit| hit.end() <= bytes.start);
        let end = bytes.end;
        self.hits.iter().skip(first).take_while(move |hit| hit.start() < end)
    }

    /// The parts among these bytes that Markdown marks.
    pub fn styles_in(&self, bytes: &Range<usize>) -> impl Iterator<Item = &(Range<usize>, MarkdownStyle)> {
        let until = self.styles.partition_point(|(range, _)| range.start < bytes.end);
        let from = bytes.start;
        self.styles.iter().take(until).filter(move |(range, _)| range.end > from)
    }

    /// Bytes of the text that are visible in a pane of `height` rows.
    pub fn visible(&self, height: u16) -> Range<usize> {
        let last = (self.scroll + usize::from(height)).min(self.len());
        let start = self.row(self.scroll).map_or(0, |row| row.bytes.start);
        let end = last.checked_sub(1).and_then(|row| self.row(row));
        start..end.map_or(start, |row| row.bytes.end)
    }
}

/// Columns that the bullet numbers take, with the blank after them.
pub fn gutter(bullets: usize) -> u16 {
    if bullets > 9 { 3 } else { 2 }
}

/// The fewest numbers of a row of citations that is folded.
const LONG: usize = 4;

/// Columns that are kept free for the sign of a folded row.
const FOLD: u16 = 12;

fn bullet_rows(text: &str, spans: &[Span], width: u16, is_folded: bool) -> Vec<BulletRow> {
    let mut rows = Vec::new();
    for (number, span) in (1..).zip(spans) {
        let bullet = span.slice(text);
        // The mark is not shown: the number stands in its place.
        let offset = span.end() - crate::text::bullets::without_mark(bullet).len();
        let shown = text.get(offset..span.end()).unwrap_or("");
        let folds = if is_folded { long_rows(shown, LONG) } else { Vec::new() };
        let (mut start, mut is_first) = (0, true);
        let end = CitationRow { bytes: shown.len()..shown.len(), end: shown.len(), numbers: BTreeSet::new() };
        for fold in folds.into_iter().chain([end]) {
            let part = shown.get(start..fold.bytes.start).unwrap_or("");
            let blank = part.len() - part.trim_start_matches(' ').len();
            let is_last = fold.numbers.is_empty();
            if is_last && !is_first && part.len() == blank {
                break;
            }
            let part = part.get(blank..).unwrap_or("");
            let wrapped = wrap(part, if is_last { width } else { width.saturating_sub(FOLD).max(1) });
            let at = |place: usize| offset + start + blank + place;
            let ranges = (0..wrapped.len()).filter_map(|index| wrapped.get(index));
            // A bullet of nothing but citations has a row all the same.
            let none = wrapped.is_empty().then_some(0..0);
            for range in ranges.chain(none) {
                let (start, end) = (at(range.start), at(range.end));
                rows.push(BulletRow { start, end, number, is_first, folded: None });
                is_first = false;
            }
            if let Some(last) = rows.last_mut().filter(|_| !is_last) {
                let end = offset + fold.bytes.end..offset + fold.end;
                last.folded = Some(FoldedRow { count: fold.numbers.len(), end });
            }
            start = fold.end;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_hang_under_their_numbers() {
        let mut board = Board::default();
        let text = "Lead-in:\n- one two three [1]\n\n- four";
        board.wrap_bullets(text, 12, false);
        let rows: Vec<(Option<u32>, bool, &str)> = (0..board.len())
            .filter_map(|index| board.row(index))
            .map(|row| (row.bullet, row.is_first, text[row.bytes].trim_end()))
            .collect();
        assert_eq!(
            rows,
            [
                (Some(1), true, "Lead-in:"),
                (Some(2), true, "one two"),
                (Some(2), false, "three [1]"),
                (Some(3), true, "four"),
            ]
        );
    }

    #[test]
    fn long_rows_of_citations_fold_behind_their_words() {
        let mut board = Board::default();
        let text = "- one two [1][2][3][4]. three [5]\n- 四五[1,2,3,4]。\n- [1][2][3][4]";
        board.wrap_bullets(text, 40, true);
        let rows: Vec<(Option<u32>, bool, &str, Option<usize>)> = (0..board.len())
            .filter_map(|index| board.row(index))
            .map(|row| {
                (row.bullet, row.is_first, text[row.bytes].trim_end(), row.folded.map(|row| row.count))
            })
            .collect();
        assert_eq!(
            rows,
            [
                (Some(1), true, "one two", Some(4)),
                (Some(1), false, "three [5]", None),
                (Some(2), true, "四五", Some(4)),
                (Some(3), true, "", Some(4)),
            ]
        );
        board.wrap_bullets(text, 40, false);
        assert_eq!((board.len(), board.row(0).and_then(|row| row.folded)), (3, None));
    }

    #[test]
    fn a_new_width_keeps_the_text_at_the_top() {
        let text = "alpha beta gamma delta epsilon zeta eta theta iota kappa";
        let mut board = Board::default();
        board.wrap_running(text, 10);
        board.scroll = board.row_of(text.find("epsilon").expect("there"));
        board.wrap_running(text, 20);
        let top = board.row(board.scroll).expect("a row");
        assert!(text[top.bytes].contains("epsilon"));
    }

    #[test]
    fn scrolling_stays_within_the_text() {
        let mut board = Board::default();
        board.wrap_running("a\nb\nc\nd\ne", 5);
        board.scroll_by(100, 2);
        assert_eq!(board.scroll, 3);
        board.scroll_by(-100, 2);
        assert_eq!(board.scroll, 0);
        board.reveal(8..9, 2);
        assert!(board.scroll <= 4 && board.scroll + 2 > 4);
    }
}
