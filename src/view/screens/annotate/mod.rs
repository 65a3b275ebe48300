//! The annotate screen, drawn.

pub(super) mod bars;
pub(super) mod boards;
pub(super) mod overlays;
#[cfg(test)]
pub(super) mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::screens::annotate::App;
use crate::view::kit::theme::Theme;

/// Draws the app into an empty buffer of the app's size; returns the place of the cursor, if it is shown.
pub fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    bars::header(app, theme, buffer);
    let written = boards::draw(app, theme, buffer);
    let cursor = overlays::draw(app, theme, buffer).or(written);
    if app.frame.prompt().is_none() {
        bars::footer(app, theme, buffer, bars::hints(app));
    }
    cursor
}
