//! After every input: the screen is cut into places and the texts are wrapped for them. Rows
//! are kept while text and width stay the same, so this costs nothing on most keys.

use super::{AnnotateLayout, App, PaneContents, lay_out};
use crate::app::kit::{PlacedPane, extent};
use crate::protocol::{Pane, Question, SelectedIn, TargetPart};
use crate::text::wrap::wrap;

/// Bytes of a text that tell whether it needs more rows than a short pane gets.
const GLANCE: usize = 16_384;

/// Columns that the numbers of bullets and units take at most.
const NUMBERS: u16 = 3;

/// Columns that a summary leaves to the signs of two passages at the end of a row, such as `1fm 12v`, and a gap.
const SIGNS: u16 = 8;
/// Whether the lines of a pane are numbered.
fn is_numbered(pane: Pane) -> bool {
    matches!(pane, Pane::Candidate | Pane::Other | Pane::Units)
}

impl App {
    pub(in crate::app) fn arrange(&mut self) {
        self.layout = self.cut();
        if self.layout.panes.place(self.focus).is_none()
            && let Some((pane, _)) = self.layout.panes.0.last()
        {
            self.focus = *pane;
            self.layout = self.cut();
        }
        for pane in Pane::ALL {
            self.wrap_pane(pane);
        }
        self.wrap_drawer();
    }

    pub(super) fn cut(&self) -> AnnotateLayout {
        let contents = PaneContents {
            layout: &self.protocol.layout,
            is_present: &|pane| self.is_present(pane),
            rows: &|pane, width| {
                let numbers = if is_numbered(pane) { NUMBERS } else { 0 };
                rows_at_a_glance(self.text(pane), width.min(self.frame.measure).saturating_sub(numbers))
            },
            judgment_rows: &|width| extent(self.judgment_lines(width).lines.len()),
            focus: self.focus,
            is_zoomed: self.is_zoomed,
            judges_bullet: self.protocol.targets(TargetPart::Bullet)
                && self.protocol.targets(TargetPart::Document),
            has_drawer: self.drawer.is_some(),
            measure: self.frame.measure,
        };
        let reserved = self.reserved.min(self.frame.size.1.saturating_sub(1));
        let mut screen = lay_out(self.frame.size.0, self.frame.size.1 - reserved, &contents);
        screen.footer.y += reserved;
        screen
    }

    /// Whether a pane has something to show for this item.
    pub fn is_present(&self, pane: Pane) -> bool {
        let Some(item) = self.loaded.as_ref().map(|loaded| &loaded.item) else { return false };
        match pane {
            Pane::Query => true,
            Pane::Documents => !item.documents.is_empty(),
            Pane::Unit => item.unit.is_some(),
            Pane::Candidate => item.candidate.is_some(),
            Pane::Other => item.other.is_some(),
            Pane::Units => !item.choices.is_empty(),
        }
    }

    fn wrap_pane(&mut self, pane: Pane) {
        let Some(place) = self.layout.panes.place(pane) else { return };
        let height = self.body_height(pane, place.body.height);
        let mut width = place.body.width.min(self.frame.measure);
        let is_marked = |question: &Question| question.selected_in() == SelectedIn::Candidate;
        if pane == Pane::Candidate && self.protocol.questions.iter().any(is_marked) {
            width = width.saturating_sub(SIGNS);
        }
        let mut board = std::mem::take(&mut self.boards[pane]);
        if is_numbered(pane) {
            board.wrap_bullets(self.text(pane), width, self.folds() && pane != Pane::Units);
        } else if pane == Pane::Documents {
            board.wrap_document(self.text(pane), width);
        } else {
            board.wrap_running(self.text(pane), width);
        }
        board.settle(height);
        self.boards[pane] = board;
    }

    /// Whether rows of citations are folded: not where one may be selected, marked or judged.
    fn folds(&self) -> bool {
        let is_judged = self
            .loaded
            .as_ref()
            .is_some_and(|loaded| loaded.item.bullet.is_some() && loaded.item.document.is_some());
        self.is_folded && !is_judged && self.selection().is_none() && self.marked_passages().is_empty()
    }

    /// Whether a pane has more than it shows.
    fn has_more(&self, (pane, place): &(Pane, PlacedPane)) -> bool {
        self.boards[*pane].len() > usize::from(self.body_height(*pane, place.body.height))
    }

    /// The pane that keys scroll: the only one with more text than it shows, else the focused one.
    pub(super) fn scrolled_pane(&self) -> Pane {
        let mut others = self.layout.panes.0.iter().filter(|at| self.has_more(at)).map(|(pane, _)| *pane);
        match (others.next(), others.next()) {
            (Some(only), None) => only,
            _ => self.focus,
        }
    }

    /// Moves the focus on by this many panes, tabs included, going round.
    pub(super) fn cycle_focus(&mut self, by: isize) {
        let mut order = Vec::new();
        for at in &self.layout.panes.0 {
            match self.layout.tabs.contains(&at.0) {
                // Tabs come in their own order, whichever is seen; otherwise only two of them would ever be reached.
                true => order.extend(&self.layout.tabs),
                // Panes that show all they have need no focus.
                false if at.0 == self.focus || self.has_more(at) => order.push(at.0),
                false => {}
            }
        }
        if self.is_zoomed {
            let layout = &self.protocol.layout;
            let all = layout.above.iter().chain(&layout.left).chain(&layout.right);
            order = all.copied().filter(|pane| self.is_present(*pane)).collect();
        }
        // The guideline beside the panes comes last.
        let places = order.len() + usize::from(self.layout.drawer.is_some());
        if places < 2 {
            return self.frame.say("everything is on the screen already");
        }
        let focused = order.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let here = if self.is_in_drawer() { order.len() } else { focused };
        let next = (here.cast_signed() + by).rem_euclid(places.cast_signed()).cast_unsigned();
        self.focus_drawer(next == order.len());
        if let Some(pane) = order.get(next) {
            self.focus = *pane;
        }
    }
}

fn rows_at_a_glance(text: &str, width: u16) -> u16 {
    let mut end = text.len().min(GLANCE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rows = wrap(text.get(..end).unwrap_or(text), width).len();
    extent(rows)
}
