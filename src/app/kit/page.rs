//! Pages of text whose pieces have tones, such as right, wrong or quoted. The view decides how a tone looks; a tone that
//! matters has a word or a sign in the text as well. Help, guideline, reports and the panes of browse are pages.

use std::ops::Range;

use super::wide;
use crate::text::span::Span;
use crate::text::wrap::wrap;

/// The meaning of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Plain,
    /// An explanation, or something that is there but not asked for.
    Quiet,
    Heading,
    /// A heading of a page.
    Title,
    /// A key beside what it does.
    Key,
    /// The question that the next key answers.
    Open,
    /// A given answer, or a text that is being written.
    Chosen,
    /// The key of an answer that is given.
    ChosenKey,
    /// A right thing, such as a cited document that contains the insight.
    Right,
    /// A wrong thing.
    Wrong,
    /// Something that should be there and is not.
    Missed,
    /// A passage that supports a unit.
    Evidence,
    /// Words that were looked for.
    Hit,
    Accent,
    /// Text that was not there before.
    Added,
    /// Text that was there before, and is no longer.
    Removed,
}

/// A paragraph: a text, the tones of its pieces, and a lead before its first row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paragraph {
    text: String,
    /// Where each tone begins, in bytes, ascending; before the first, the text is plain.
    tones: Vec<(usize, Tone)>,
    lead: String,
    lead_tone: Tone,
}

impl Paragraph {
    /// A paragraph without text: a gap.
    pub fn gap() -> Paragraph {
        Paragraph::default()
    }

    pub fn heading(text: impl AsRef<str>) -> Paragraph {
        Paragraph::default().toned(text, Tone::Heading)
    }

    /// A running text.
    pub fn plain(text: impl AsRef<str>) -> Paragraph {
        Paragraph::default().and(text)
    }

    /// An explanation.
    pub fn quiet(text: impl AsRef<str>) -> Paragraph {
        Paragraph::default().toned(text, Tone::Quiet)
    }

    /// Goes on with a plain text.
    #[must_use]
    pub fn and(self, text: impl AsRef<str>) -> Paragraph {
        self.toned(text, Tone::Plain)
    }

    /// Goes on with a text of this tone.
    #[must_use]
    pub fn toned(mut self, text: impl AsRef<str>, tone: Tone) -> Paragraph {
        if self.tones.last().map_or(Tone::Plain, |(_, last)| *last) != tone {
            self.tones.push((self.text.len(), tone));
        }
        self.text.push_str(text.as_ref());
        self
    }

    /// Puts a text before the first row; the other rows are indented by as much.
    #[must_use]
    pub fn led(mut self, lead: impl Into<String>, tone: Tone) -> Paragraph {
        (self.lead, self.lead_tone) = (lead.into(), tone);
        self
    }

    /// Gives stretches of the text another tone. They must come in order and without overlaps.
    #[must_use]
    pub fn marked(mut self, spans: &[Span], tone: Tone) -> Paragraph {
        for span in spans {
            let after = self.tone_at(span.end());
            let from = self.tones.partition_point(|(start, _)| *start < span.start());
            let to = self.tones.partition_point(|(start, _)| *start <= span.end());
            self.tones.splice(from..to, [(span.start(), tone), (span.end(), after)]);
        }
        self
    }

    /// The text without its lead.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the first row, and its tone.
    pub fn lead(&self) -> (&str, Tone) {
        (&self.lead, self.lead_tone)
    }

    /// The tone of the text at this byte.
    pub fn tone_at(&self, byte: usize) -> Tone {
        let after = self.tones.partition_point(|(start, _)| *start <= byte);
        after.checked_sub(1).and_then(|index| self.tones.get(index)).map_or(Tone::Plain, |(_, tone)| *tone)
    }

    /// Columns that the lead takes.
    pub fn indent(&self) -> u16 {
        wide(&self.lead)
    }
}

/// One row of a page on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRow {
    /// Index of the paragraph.
    pub paragraph: usize,
    /// Bytes of the paragraph's text.
    pub bytes: Range<usize>,
    pub is_first: bool,
}

/// Paragraphs, wrapped once per width, and how far they are scrolled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    paragraphs: Vec<Paragraph>,
    width: u16,
    rows: Vec<PageRow>,
    /// First visible row.
    pub scroll: usize,
}

impl Page {
    /// A page of these paragraphs, shown from its beginning.
    pub fn new(paragraphs: Vec<Paragraph>) -> Page {
        Page { paragraphs, ..Page::default() }
    }

    pub fn paragraphs(&self) -> &[Paragraph] {
        &self.paragraphs
    }

    /// Wraps for a pane of this width; keeps the place at the top where it is.
    pub fn wrap(&mut self, columns: u16) {
        let columns = columns.max(1);
        if columns == self.width {
            return;
        }
        let top = self.rows.get(self.scroll).map(|row| (row.paragraph, row.bytes.start));
        self.width = columns;
        self.rows = rows(&self.paragraphs, columns);
        if let Some(top) = top {
            let after = self.rows.partition_point(|row| (row.paragraph, row.bytes.start) <= top);
            self.scroll = after.saturating_sub(1);
        }
    }

    /// Number of rows at the present width.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn row(&self, index: usize) -> Option<(&PageRow, &Paragraph)> {
        let row = self.rows.get(index)?;
        Some((row, self.paragraphs.get(row.paragraph)?))
    }

    /// Scrolls by this many rows, as far as there is text, in a pane of `height` rows.
    pub fn scroll_by(&mut self, rows: isize, height: u16) {
        self.scroll = self.scroll.saturating_add_signed(rows);
        self.keep_within(height);
    }

    /// Takes back scrolling beyond the end.
    pub fn keep_within(&mut self, height: u16) {
        self.scroll = self.scroll.min(self.rows.len().saturating_sub(usize::from(height).max(1)));
    }

    /// Scrolls to the next row (or the one before) at which a piece of this tone begins; false where there is none.
    pub fn step(&mut self, tone: Tone, forwards: bool, height: u16) -> bool {
        let mut starts = self.rows.iter().enumerate().filter(|(_, row)| {
            let paragraph = self.paragraphs.get(row.paragraph);
            let begins = |(start, begun): &(usize, Tone)| *begun == tone && row.bytes.contains(start);
            paragraph.is_some_and(|paragraph| paragraph.tones.iter().any(begins))
        });
        let found = if forwards {
            starts.find(|(index, _)| *index > self.scroll)
        } else {
            starts.rfind(|(index, _)| *index < self.scroll)
        };
        let Some((index, _)) = found else { return false };
        self.scroll = index;
        self.keep_within(height);
        true
    }

    /// The first row of a paragraph.
    pub fn row_of(&self, paragraph: usize) -> usize {
        self.rows.partition_point(|row| row.paragraph < paragraph)
    }

    /// All texts, a paragraph a line, as they are copied.
    pub fn to_text(&self) -> String {
        let lines = self.paragraphs.iter().map(|paragraph| format!("{}{}", paragraph.lead, paragraph.text));
        lines.collect::<Vec<String>>().join("\n")
    }
}

/// Columns of the text of a page that lies over a screen of this width.
pub fn columns(screen: u16) -> u16 {
    // Longer rows are hard to read.
    screen.saturating_sub(4).min(90)
}

fn rows(paragraphs: &[Paragraph], columns: u16) -> Vec<PageRow> {
    let mut found = Vec::new();
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let wrapped = wrap(&paragraph.text, columns.saturating_sub(paragraph.indent()).max(1));
        if wrapped.is_empty() {
            found.push(PageRow { paragraph: index, bytes: 0..0, is_first: true });
        }
        let rows = wrapped.iter().enumerate();
        found.extend(rows.map(|(row, bytes)| PageRow { paragraph: index, bytes, is_first: row == 0 }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(page: &Page) -> Vec<String> {
        let row = |(row, paragraph): (&PageRow, &Paragraph)| {
            let lead = if row.is_first {
                paragraph.lead.clone()
            } else {
                " ".repeat(usize::from(paragraph.indent()))
            };
            format!("{lead}{}", paragraph.text.get(row.bytes.clone()).unwrap_or(""))
        };
        (0..page.len()).filter_map(|index| page.row(index)).map(row).collect()
    }

    #[test]
    fn leads_indent_what_follows_and_gaps_are_rows() {
        let mut page = Page::new(vec![
            Paragraph::plain("one two three").led("1 ", Tone::Quiet),
            Paragraph::gap(),
            Paragraph::plain("番茄工作法").led("• ", Tone::Quiet),
        ]);
        page.wrap(8);
        assert_eq!(shown(&page), ["1 one", "  two", "  three", "", "• 番茄工", "  作法"]);
        page.scroll_by(3, 2);
        page.wrap(80);
        assert_eq!(page.scroll, 1, "the gap stays at the top");
        assert_eq!(page.to_text(), "1 one two three\n\n• 番茄工作法");
    }

    #[test]
    fn pieces_keep_their_tones_and_stretches_get_others() {
        let text = Paragraph::plain("cites ").toned("[8]", Tone::Right).and(" and more");
        assert_eq!(
            [0, 6, 8, 9].map(|byte| text.tone_at(byte)),
            [Tone::Plain, Tone::Right, Tone::Right, Tone::Plain]
        );
        let whole = text.text().to_owned();
        let spans = [Span::around(&whole, 2, 7), Span::around(&whole, 14, 18)];
        let marked = text.marked(&spans, Tone::Hit);
        assert_eq!(
            [1, 2, 6, 7, 9, 13, 14, 17].map(|byte| marked.tone_at(byte)),
            [Tone::Plain, Tone::Hit, Tone::Hit, Tone::Right, Tone::Plain, Tone::Plain, Tone::Hit, Tone::Hit]
        );
    }

    #[test]
    fn marks_are_stepped_through() {
        let line = |tone| Paragraph::default().toned("x", tone);
        let tones = [Tone::Plain, Tone::Hit, Tone::Plain, Tone::Hit, Tone::Plain, Tone::Plain];
        let mut page = Page::new(tones.map(line).to_vec());
        page.wrap(10);
        assert!(page.step(Tone::Hit, true, 2) && page.scroll == 1);
        assert!(page.step(Tone::Hit, true, 2) && page.scroll == 3);
        assert!(!page.step(Tone::Hit, true, 2));
        assert!(page.step(Tone::Hit, false, 2) && page.scroll == 1);
        assert!(!page.step(Tone::Evidence, true, 2));
    }
}
