//! Cutting a screen into places.

use ratatui::layout::Rect;

/// A place on the screen with its title line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placed {
    /// One row.
    pub title: Rect,
    pub body: Rect,
}

/// The first rows of an area, as far as it has them, and the rest.
pub fn cut_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let top = Rect { height: rows, ..area };
    (top, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// What is above the last rows of an area, and these.
pub fn cut_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    cut_top(area, area.height.saturating_sub(rows))
}

/// A title line and the text under it, one column in from the left and the right.
pub fn placed(area: Rect) -> Placed {
    let (title, body) = cut_top(area, 1);
    let body = Rect { x: body.x + 1.min(body.width), width: body.width.saturating_sub(2), ..body };
    Placed { title, body }
}
