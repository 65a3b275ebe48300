//! The guideline as rows of a page, so that it can be opened at a section.

use super::App;
use crate::app::kit::overlay::Overlay;
use crate::text::markdown::{Block, blocks};
use crate::text::wrap::wrap;

/// Rows longer than this are hard to read.
const MEASURE: u16 = 90;

/// A row of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuidelineRow {
    pub kind: RowKind,
    pub text: String,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// With its level, 1 for the title.
    Heading(usize),
    /// What stands before it: a sign where an entry of a list begins, blanks where it goes on.
    Text { lead: &'static str },
}

/// Columns of the text on a screen of this width.
pub fn columns(screen: u16) -> u16 {
    screen.saturating_sub(4).min(MEASURE)
}

/// Markdown as it is read: marks of emphasis and code are taken away.
pub fn rows(markdown: &str, columns: u16) -> Vec<GuidelineRow> {
    let mut found = Vec::new();
    for block in blocks(markdown) {
        let (text, first, further) = match block {
            Block::Heading(level, text) => {
                found.push(GuidelineRow { kind: RowKind::Heading(level), text: text.to_owned() });
                continue;
            }
            Block::Gap => {
                found.push(GuidelineRow { kind: RowKind::Text { lead: "" }, text: String::new() });
                continue;
            }
            Block::Entry(text) => (text, "• ", "  "),
            Block::Paragraph(text) => (text, "", ""),
        };
        let text = text.replace("**", "").replace('`', "");
        let indent = u16::try_from(further.len()).unwrap_or(0);
        for (index, row) in wrap(&text, columns.saturating_sub(indent)).iter().enumerate() {
            let lead = if index == 0 { first } else { further };
            let text = text.get(row).unwrap_or("").to_owned();
            found.push(GuidelineRow { kind: RowKind::Text { lead }, text });
        }
    }
    found
}

impl App {
    /// Opens the guideline at the section of the question that is asked now: the heading with its prompt.
    pub(super) fn open_guideline(&mut self) {
        let answers = self.answers();
        let open = self.protocol.open_question(&answers);
        let asked = open.or_else(|| self.protocol.asked(&answers).last());
        let rows = rows(&self.protocol.guideline, columns(self.frame.size.0));
        let is_section = |row: &GuidelineRow| {
            matches!(row.kind, RowKind::Heading(_))
                && asked.is_some_and(|question| row.text == question.prompt)
        };
        // The first section is read from the title on: what it is about stands before it.
        let is_first = asked.is_some_and(|asked| self.protocol.questions.first() == Some(asked));
        let scroll = if is_first { None } else { rows.iter().position(is_section) };
        self.frame.overlays.push(Overlay::Guideline { scroll: scroll.unwrap_or(0) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_rows() {
        let rows = rows("# Title\n\nOne\ntwo **three**\n- a `b` c d\n", 6);
        let told: Vec<(RowKind, &str)> = rows.iter().map(|row| (row.kind, row.text.trim_end())).collect();
        let text = |lead| RowKind::Text { lead };
        assert_eq!(
            told,
            [
                (RowKind::Heading(1), "Title"),
                (text(""), ""),
                (text(""), "One"),
                (text(""), "two"),
                (text(""), "three"),
                (text("• "), "a b"),
                (text("  "), "c d"),
            ]
        );
    }
}
