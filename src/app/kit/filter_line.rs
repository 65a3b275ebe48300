//! The line in which a filter is typed, with its completions.

use ratatui_textarea::{CursorMove, TextArea};

use super::{extent, text_area};
use crate::browse::filter::{Completion, FilterError};

/// The line in which a filter is typed. The rows that fit the filter are shown while one types.
#[derive(Debug, Clone)]
pub struct FilterLine {
    pub area: TextArea<'static>,
    /// The filter that escape goes back to.
    pub before: String,
    pub completion: Completion,
    /// The offer under the cursor; none until one is chosen.
    pub selected: Option<usize>,
    /// The fault of the filter as typed, and where it stands.
    pub error: Option<FilterError>,
}

impl FilterLine {
    /// A line with this text; escape goes back to the filter `before`.
    pub fn new(text: &str, before: &str) -> FilterLine {
        FilterLine {
            area: text_area(text),
            before: before.to_owned(),
            completion: Completion::default(),
            selected: None,
            error: None,
        }
    }

    /// The filter as typed so far.
    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// The cursor's place, in bytes of the text.
    pub fn cursor(&self) -> usize {
        let text = self.text();
        let column = self.area.cursor().1;
        text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
    }

    /// Puts the offer of this index into the text, in place of the word that it completes.
    pub fn complete(&mut self, index: usize) {
        let Some(offer) = self.completion.offers.get(index) else { return };
        let text = self.text();
        let range = self.completion.replaces.clone();
        let (before, after) = (text.get(..range.start).unwrap_or(&text), text.get(range.end..).unwrap_or(""));
        let whole = format!("{before}{}{after}", offer.text);
        let column = before.chars().count() + offer.text.chars().count();
        self.area = text_area(&whole);
        self.area.move_cursor(CursorMove::Jump(0, extent(column)));
    }

    /// Selects the next offer or the one before; before the first, no offer is selected.
    pub fn select(&mut self, forwards: bool) {
        let last = self.completion.offers.len().checked_sub(1);
        self.selected = match (self.selected, last, forwards) {
            (_, None, _) | (Some(0), _, false) => None,
            (None, Some(_), true) => Some(0),
            (None, Some(last), false) => Some(last),
            (Some(at), Some(last), true) => Some((at + 1).min(last)),
            (Some(at), _, false) => Some(at - 1),
        };
    }
}
