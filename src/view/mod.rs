//! What the screen looks like: a function of the app and a theme. Draws state and changes none,
//! so drawing the same app twice gives the same cells.

pub mod adjudicate;
mod bars;
mod boards;
mod known;
pub mod browse;
mod overlays;
mod page;
mod paint;
mod replay;
pub mod session;

#[cfg(test)]
mod tests;
pub mod theme;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::App;
use theme::Theme;

pub use replay::draw_replay;

/// Draws the app into an empty buffer of the app's size; returns where the cursor stands, if it is shown.
pub fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    bars::header(app, theme, buffer);
    let written = boards::draw(app, theme, buffer);
    let cursor = overlays::draw(app, theme, buffer).or(written);
    if app.prompt().is_none() {
        bars::footer(app, theme, buffer);
    }
    cursor
}
