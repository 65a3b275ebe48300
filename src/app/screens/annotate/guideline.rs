//! The guideline as a page, so that it can be opened at a section.

use std::sync::Arc;

use super::App;
use crate::app::kit::overlay::Overlay;
use crate::app::kit::page::{Page, Paragraph, Tone, columns};
use crate::protocol::Question;
use crate::text::markdown::{Block, blocks};

/// Markdown as it is read: headings stand out, marks of emphasis and code are taken away.
pub fn paragraphs(markdown: &str) -> Vec<Paragraph> {
    let plain = |text: String| Paragraph::plain(text.replace("**", "").replace('`', ""));
    let paragraph = |block| match block {
        Block::Heading(1 | 2, text) => Paragraph::default().toned(text, Tone::Title),
        Block::Heading(_, text) => Paragraph::heading(text),
        Block::Gap => Paragraph::gap(),
        Block::Entry(text) => plain(text).led("• ", Tone::Key),
        Block::Paragraph(text) => plain(text),
    };
    blocks(markdown).into_iter().map(paragraph).collect()
}

impl App {
    /// Opens the guideline at the section of the question that is asked now: the heading with its prompt.
    pub(super) fn open_guideline(&mut self) {
        let answers = self.answers();
        let protocol = Arc::clone(&self.protocol);
        let open = protocol.open_question(&answers);
        self.open_guideline_at(open.or_else(|| protocol.asked(&answers).last()));
    }

    /// Opens the guideline at the section of a question, or at its beginning.
    pub(super) fn open_guideline_at(&mut self, question: Option<&Question>) {
        let mut page = Page::new(paragraphs(&self.protocol.guideline));
        page.wrap(columns(self.frame.size.0));
        let is_section = |paragraph: &Paragraph| {
            matches!(paragraph.tone_at(0), Tone::Title | Tone::Heading)
                && question.is_some_and(|question| paragraph.text() == question.prompt)
        };
        // The first section is read from the title on: what it is about stands before it.
        let is_first = question.is_some_and(|question| self.protocol.questions.first() == Some(question));
        let section = if is_first { None } else { page.paragraphs().iter().position(is_section) };
        self.frame
            .overlays
            .push(Overlay::Guideline { scroll: section.map_or(0, |section| page.row_of(section)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_paragraphs() {
        let paragraphs = paragraphs("# Title\n\nOne\ntwo **three**\n- a `b` c d\n");
        let told: Vec<(&str, &str, Tone)> = paragraphs
            .iter()
            .map(|paragraph| (paragraph.lead().0, paragraph.text(), paragraph.tone_at(0)))
            .collect();
        assert_eq!(
            told,
            [
                ("", "Title", Tone::Title),
                ("", "", Tone::Plain),
                ("", "One two three", Tone::Plain),
                ("• ", "a b c d", Tone::Plain),
            ]
        );
    }
}
