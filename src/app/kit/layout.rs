//! Cutting a screen into places.

use std::ops::Range;

use ratatui::layout::Rect;

pub use crate::number::extent;
use crate::text::width::width;

/// A place on the screen with its title line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlacedPane {
    /// One row.
    pub title: Rect,
    pub body: Rect,
}

/// The panes that are on the screen, each with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panes<P>(pub Vec<(P, PlacedPane)>);

impl<P> Default for Panes<P> {
    fn default() -> Panes<P> {
        Panes(Vec::new())
    }
}

impl<P: Copy + PartialEq> Panes<P> {
    /// The place of a pane, where it is on the screen.
    pub fn place(&self, pane: P) -> Option<PlacedPane> {
        self.0.iter().find(|(other, _)| *other == pane).map(|(_, placed)| *placed)
    }

    /// Rows of the text of a pane; 0 where it is not on the screen.
    pub fn height(&self, pane: P) -> u16 {
        self.place(pane).map_or(0, |placed| placed.body.height)
    }

    /// The pane whose place holds this cell.
    pub fn at(&self, column: u16, row: u16) -> Option<(P, PlacedPane)> {
        let holds = |area: Rect| area.contains((column, row).into());
        self.0.iter().find(|(_, placed)| holds(placed.title) || holds(placed.body)).copied()
    }
}

/// Rows that one notch of the wheel scrolls.
pub const NOTCH: isize = 3;

/// The name of a pane among several that share a place: its columns, and the pane.
pub type Tab<P> = (Range<u16>, P);

/// Lays out the names of panes that share a place, from this column of the title on.
pub fn tabs<P>(from: u16, names: impl Iterator<Item = (P, String)>) -> Vec<Tab<P>> {
    let mut column = from;
    let mut places = Vec::new();
    for (pane, name) in names {
        let end = column.saturating_add(wide(&name));
        places.push((column..end, pane));
        column = end.saturating_add(3);
    }
    places
}

/// The pane whose name stands in this column.
pub fn tab_at<P: Copy>(tabs: &[Tab<P>], column: u16) -> Option<P> {
    tabs.iter().find(|(columns, _)| columns.contains(&column)).map(|(_, pane)| *pane)
}

/// Rows by which a page is turned in a pane of so many rows.
pub fn page(rows: u16) -> isize {
    rows.saturating_sub(2).max(1) as isize
}

/// Columns of a text.
pub fn wide(text: &str) -> u16 {
    extent(width(text))
}

/// Cuts the first rows off an area, as far as it has them; returns them and the rest.
pub fn cut_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let top = Rect { height: rows, ..area };
    (top, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// Cuts the last rows off an area; returns the rest and these rows.
pub fn cut_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    cut_top(area, area.height.saturating_sub(rows))
}

/// So many columns in the middle of an area, or all that it has.
pub fn centred(area: Rect, columns: u16) -> Rect {
    let width = columns.min(area.width);
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// Cuts an area into a title line and the text under it, one column in from the left and the right.
pub fn placed(area: Rect) -> PlacedPane {
    let (title, body) = cut_top(area, 1);
    let body = Rect { x: body.x + 1.min(body.width), width: body.width.saturating_sub(2), ..body };
    PlacedPane { title, body }
}
