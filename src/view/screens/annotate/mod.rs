//! The annotate screen, drawn.

pub(super) mod bars;
pub(super) mod boards;
pub(super) mod overlays;
#[cfg(test)]
pub(super) mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::screens::annotate::App;
use crate::view::kit::{Pen, Theme};

/// Draws the app into an empty buffer of the app's size; returns the place of the cursor, if it is shown.
pub fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let pen = &mut Pen { theme, buffer };
    bars::header(app, pen);
    let written = boards::draw(app, pen);
    let cursor = overlays::draw(app, pen).or(written);
    if app.frame.prompt().is_none() {
        bars::footer(app, pen, bars::hints(app));
    }
    cursor
}
