//! From a citation in the summary to its document, and back.

use super::App;
use crate::protocol::Pane;
use crate::text::citation::citations;
use crate::text::span::Span;

/// Places remembered; the oldest are forgotten.
const REMEMBERED: usize = 50;

/// The place where the annotator read before another document was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingPlace {
    focus: Pane,
    document: u32,
    scroll: usize,
}

impl App {
    /// Remembers the present place, for the way back.
    pub(super) fn remember_place(&mut self) {
        if let Some(document) = self.reading.number {
            let place =
                ReadingPlace { focus: self.focus, document, scroll: self.boards[Pane::Documents].scroll };
            if self.reading.places.last() != Some(&place) {
                self.reading.places.push(place);
            }
            let surplus = self.reading.places.len().saturating_sub(REMEMBERED);
            self.reading.places.drain(..surplus);
        }
    }

    /// Goes back to where the last document was opened from.
    pub(super) fn return_to_place(&mut self) {
        let Some(place) = self.reading.places.pop() else {
            return self.frame.say("no document was opened from anywhere else");
        };
        self.put_document(place.document);
        self.focus = place.focus;
        self.boards[Pane::Documents].scroll_later(place.scroll);
    }

    /// The summary whose citations are followed: of a pair the one in focus, or else the one that was followed last.
    fn followed(&self) -> Pane {
        match self.focus {
            Pane::Candidate | Pane::Other => self.focus,
            _ => self.reading.citation.map_or(Pane::Candidate, |(pane, _)| pane),
        }
    }

    /// The citations of a summary, one for each cited document: place in the text, and the number as it is written.
    fn cited_places(&self, pane: Pane) -> Vec<(Span, u32)> {
        let citations = citations(self.text(pane)).into_iter();
        citations
            .flat_map(|citation| citation.numbers.into_iter().map(move |number| (citation.span, number)))
            .collect()
    }

    /// The number of the document that `[written]` means in a summary.
    fn meant(&self, pane: Pane, written: u32) -> u32 {
        let item = self.loaded.as_ref().map(|loaded| &loaded.item);
        let shown =
            item.and_then(|item| if pane == Pane::Other { &item.other } else { &item.candidate }.as_ref());
        shown.map_or(written, |candidate| candidate.meant(written))
    }

    /// Opens the document that `[written]` means in a summary; returns its number, if there is one.
    pub(super) fn open_cited(&mut self, pane: Pane, written: u32) -> Option<u32> {
        let number = self.meant(pane, written);
        let is_there =
            self.loaded.as_ref().is_some_and(|loaded| loaded.item.document_numbered(number).is_some());
        if number != written && !is_there {
            self.frame
                .warn(format!("there is no document [{written}] in the list that this summary cites from"));
            return None;
        }
        self.open_document(number).then_some(number)
    }

    /// Whether the summary has citations to follow, and a pane that shows the documents.
    pub fn follows_citations(&self) -> bool {
        let is_seen = self.layout.panes.place(Pane::Documents).is_some();
        is_seen
            && self.loaded.as_ref().is_some_and(|loaded| loaded.item.document.is_none())
            && !self.cited_places(self.followed()).is_empty()
    }

    /// Opens the document that is cited next or before, going round; the first time, the one that the judged bullet cites.
    pub(super) fn step_citation(&mut self, forwards: bool) {
        let pane = self.followed();
        let cited = self.cited_places(pane);
        if cited.is_empty() {
            return self.frame.say("nothing here is cited");
        }
        if !self.has_documents() {
            return self.frame.say("what is cited here is not in the study");
        }
        self.is_folded = false;
        let last = cited.len() - 1;
        let opened = self.reading.citation.filter(|(of, _)| *of == pane).map(|(_, index)| index);
        let index = match (opened, forwards) {
            (Some(index), true) if index < last => index + 1,
            (Some(_), true) => 0,
            (Some(index), false) => index.checked_sub(1).unwrap_or(last),
            (None, _) => {
                let from = self.judged_bullet().map_or(0, Span::start);
                cited.iter().position(|(span, _)| span.start() >= from).unwrap_or(0)
            }
        };
        let Some((span, written)) = cited.get(index).copied() else { return };
        self.reading.citation = Some((pane, index));
        self.boards[pane].reveal_later(Some(span.range()));
        if let Some(number) = self.open_cited(pane, written) {
            let back = self.frame.keymap.sign(crate::app::kit::action::Action::Return);
            let whose = match self.is_present(Pane::Other) {
                true => format!("{}: ", self.tab_title(pane).to_lowercase()),
                false => String::new(),
            };
            let place = format!("{} of {}", index + 1, cited.len());
            let here = if number == written { String::new() } else { format!(", document {number} here") };
            self.frame.say(format!("{whose}cited [{written}]{here}, {place} · {back} goes back"));
        }
    }

    /// The bytes of the citation in this pane that was opened last.
    pub fn opened_citation(&self, pane: Pane) -> Option<Span> {
        let (_, opened) = self.reading.citation.filter(|(of, _)| *of == pane)?;
        self.cited_places(pane).get(opened).map(|(span, _)| *span)
    }
}
