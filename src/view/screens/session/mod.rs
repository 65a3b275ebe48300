//! A session's screen, drawn: header, query, the panes, and one line for the bullet at the cursor.

mod bars;
mod pages;
mod panes;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::overlay::Overlay;
use crate::app::screens::session::{SessionApp, Stage};
use crate::view::kit::paint::{line, rule};
use crate::view::kit::theme::Theme;
use crate::view::kit::title::divider;

/// Draws the screen into an empty buffer of its size; returns the place of the cursor, if it is shown.
pub fn draw(app: &SessionApp, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    bars::header(app, theme, buffer);
    let covering = app.frame.overlays.last();
    let covers = matches!(covering, Some(Overlay::Help { .. } | Overlay::Guideline { .. } | Overlay::Finish));
    let mut cursor = None;
    if app.stage == Stage::Working && !covers {
        cursor = panes::draw(app, theme, buffer);
        rule(buffer, app.layout.status, "─", theme.rule.0);
        for area in &app.layout.dividers {
            divider(theme, buffer, *area);
            line(buffer, app.layout.status, 0, area.x, "┴", theme.rule.0);
        }
        bars::status(app, theme, buffer);
    }
    bars::footer(app, theme, buffer);
    pages::draw(app, theme, buffer).or(cursor)
}
