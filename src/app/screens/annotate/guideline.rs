//! The guideline as a page, so that it can be opened at a section: beside the item where there is room, else over it.

use std::sync::Arc;

use super::{App, ROOMY};
use crate::app::kit::{Overlay, Page, Paragraph, PlacedPane, Tone, columns};
use crate::protocol::Question;
use crate::text::markdown::{MarkdownBlock, blocks};

/// The paragraphs of a Markdown text: headings stand out, marks of emphasis and code are taken away.
pub fn paragraphs(markdown: &str) -> Vec<Paragraph> {
    let plain = |text: String| Paragraph::plain(text.replace("**", "").replace('`', ""));
    let paragraph = |block| match block {
        MarkdownBlock::Heading(1 | 2, text) => Paragraph::default().toned(text, Tone::Title),
        MarkdownBlock::Heading(_, text) => Paragraph::heading(text),
        MarkdownBlock::Gap => Paragraph::gap(),
        MarkdownBlock::Entry(text) => plain(text).led("• ", Tone::Key),
        MarkdownBlock::Paragraph(text) => plain(text),
    };
    blocks(markdown).into_iter().map(paragraph).collect()
}

/// The guideline beside the item.
#[derive(Debug, Clone)]
pub struct Drawer {
    pub page: Page,
    /// Whether keys scroll the guideline and not a pane.
    pub is_focused: bool,
}

impl App {
    /// The guideline beside the item and its place, where it is on the screen.
    pub fn drawer(&self) -> Option<(&Drawer, PlacedPane)> {
        self.drawer.as_ref().zip(self.layout.drawer)
    }

    /// Whether keys scroll the guideline.
    pub fn is_in_drawer(&self) -> bool {
        self.drawer().is_some_and(|(drawer, _)| drawer.is_focused)
    }

    /// Whether nothing lies over the boards.
    fn shows_boards(&self) -> bool {
        self.is_telling() || self.frame.overlays.is_empty()
    }

    pub(super) fn focus_drawer(&mut self, is_focused: bool) {
        if let Some(drawer) = &mut self.drawer {
            drawer.is_focused = is_focused;
        }
    }

    pub(super) fn scroll_drawer(&mut self, rows: isize) {
        if let (Some(drawer), Some(place)) = (&mut self.drawer, self.layout.drawer) {
            drawer.page.scroll_by(rows, place.body.height);
        }
    }

    /// Wraps the guideline for its place.
    pub(super) fn wrap_drawer(&mut self) {
        if let (Some(drawer), Some(place)) = (&mut self.drawer, self.layout.drawer) {
            drawer.page.wrap(place.body.width);
            drawer.page.keep_within(place.body.height);
        }
    }

    /// Opens the guideline at the section of the question that is asked now: the heading with its prompt. Where it stands
    /// beside the item, the same key takes it away.
    pub(super) fn open_guideline(&mut self) {
        if self.layout.drawer.is_some() && self.shows_boards() {
            self.drawer = None;
            return;
        }
        let answers = self.answers();
        let protocol = Arc::clone(&self.protocol);
        let open = protocol.open_question(&answers);
        self.open_guideline_at(open.or_else(|| protocol.asked(&answers).last()));
    }

    /// Opens the guideline at the section of a question, or at its beginning.
    pub(super) fn open_guideline_at(&mut self, question: Option<&Question>) {
        let mut page = Page::new(paragraphs(&self.protocol.guideline));
        let is_beside = self.shows_boards() && self.frame.size.0 >= ROOMY;
        if is_beside {
            self.drawer = Some(Drawer { page: page.clone(), is_focused: true });
            self.layout = self.cut();
        }
        let beside = self.layout.drawer.filter(|_| is_beside);
        page.wrap(beside.map_or(columns(self.frame.size.0), |place| place.body.width));
        let is_section = |paragraph: &Paragraph| {
            matches!(paragraph.tone_at(0), Tone::Title | Tone::Heading)
                && question.is_some_and(|question| paragraph.text() == question.prompt)
        };
        // The first section is read from the title on, because an introduction stands before it.
        let is_first = question.is_some_and(|question| self.protocol.questions.first() == Some(question));
        let section = if is_first { None } else { page.paragraphs().iter().position(is_section) };
        let scroll = section.map_or(0, |section| page.row_of(section));
        match &mut self.drawer {
            Some(drawer) if is_beside => {
                page.scroll = scroll;
                drawer.page = page;
            }
            _ => self.frame.overlays.push(Overlay::Guideline { scroll }),
        }
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
