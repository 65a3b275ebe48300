//! A session's screen, drawn: header, query, the panes, and one line for the bullet at the cursor.

mod bars;
mod pages;
mod panes;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::Overlay;
use crate::app::screens::session::{SessionApp, Stage};
use crate::view::kit::{Pen, Theme, divider};

/// Draws the screen into an empty buffer of its size; returns the place of the cursor, if it is shown.
pub fn draw(app: &SessionApp, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let pen = &mut Pen { theme, buffer };
    bars::header(app, pen);
    let covering = app.frame.overlays.last();
    let covers = matches!(covering, Some(Overlay::Help { .. } | Overlay::Guideline { .. } | Overlay::Finish));
    let mut cursor = None;
    if app.stage == Stage::Working && !covers {
        cursor = panes::draw(app, pen);
        pen.rule(app.layout.status, pen.theme.rule.0);
        for area in &app.layout.dividers {
            divider(pen, *area);
            pen.line(app.layout.status, 0, area.x, "┴", pen.theme.rule.0);
        }
        bars::status(app, pen);
    }
    bars::footer(app, pen);
    pages::draw(app, pen).or(cursor)
}
