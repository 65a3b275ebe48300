//! The browse screen: a function of its state and a theme.

mod bars;
mod compare;
mod grids;
mod overlays;
mod panes;
mod table;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::Overlay;
use crate::app::screens::browse::{BrowseContent, BrowseScreen};
use crate::view::kit::{Pen, Theme};
use crate::view::screens::adjudicate;

/// Draws the screen into an empty buffer of its size; returns the place of the cursor, if it is shown.
pub fn draw(browse: &BrowseScreen, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    if let Some(settling) = &browse.settling {
        return adjudicate::draw(settling, theme, buffer);
    }
    let pen = &mut Pen { theme, buffer };
    bars::header(browse, pen);
    match browse.content() {
        BrowseContent::Table(screen) => {
            table::draw(browse, screen, pen);
            panes::draw(browse, screen, pen);
        }
        BrowseContent::Compare(screen) => compare::draw(browse, screen, pen),
        BrowseContent::Grids(screen) => grids::draw(browse, screen, pen),
    }
    let cursor = overlays::draw(browse, pen);
    let takes_bottom = matches!(browse.frame.overlays.last(), Some(Overlay::Filter(_) | Overlay::Prompt(_)));
    if !takes_bottom {
        bars::footer(browse, pen);
    }
    cursor
}
