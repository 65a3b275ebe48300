//! Places of the browse screen.

use ratatui::layout::Rect;

use super::{BrowseContent, BrowseScreen};
use crate::app::kit::{Panes, cut_bottom, cut_top, extent, placed};

/// The browse screen, cut into places. Areas that do not fit are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BrowseLayout {
    pub header: Rect,
    pub footer: Rect,
    /// The line with the table's name and filter.
    pub title: Rect,
    /// The headings of the columns.
    pub heads: Rect,
    /// The rows of the table; on a screen without a table, its content.
    pub body: Rect,
    /// Panes by index, with their places; none while the table has the whole screen.
    pub panes: Panes<usize>,
    /// The lines between panes that stand beside each other.
    pub dividers: Vec<Rect>,
}

/// The fewest columns of a pane beside another: a narrower one is hard to read.
const PANE: u16 = 60;

/// With fewer rows than this, only one part of the screen is shown.
const LOW: u16 = 10;

/// Lays out the present screen.
pub fn lay_out(browse: &BrowseScreen) -> BrowseLayout {
    let (columns, rows) = browse.frame.size;
    let whole = Rect::new(0, 0, columns, rows);
    let (header, rest) = cut_top(whole, 1);
    let (middle, footer) = cut_bottom(rest, 1);
    let mut layout = BrowseLayout { header, footer, ..BrowseLayout::default() };
    let BrowseContent::Table(screen) = browse.content() else {
        let (title, body) = cut_top(middle, 1);
        (layout.title, layout.body) = (title, body);
        return layout;
    };
    let shown = screen.kind.and_then(|kind| screen.panes.iter().position(|pane| pane.kind == kind));
    let first = shown.unwrap_or(0);
    let is_alone = browse.is_zoomed || middle.height < LOW || screen.panes.is_empty();
    if is_alone && browse.is_in_pane && !screen.panes.is_empty() {
        layout.panes.0.push((first, placed(middle)));
        return layout;
    }
    let rows = if is_alone { middle.height } else { middle.height * 2 / 5 + 1 };
    let (above, below) = cut_top(middle, rows);
    let (title, table) = cut_top(above, 1);
    let (heads, body) = cut_top(table, 1);
    (layout.title, layout.heads, layout.body) = (title, heads, body);
    if !is_alone {
        beside(&mut layout, below, first, screen.panes.len());
    }
    layout
}

/// Places as many readable panes side by side as fit, the chosen one among them.
fn beside(layout: &mut BrowseLayout, area: Rect, chosen: usize, count: usize) {
    let room = usize::from((area.width / PANE).max(1));
    let shown = count.min(room);
    let first = chosen.min(count - shown);
    let each = area.width / extent(shown.max(1));
    let mut x = area.x;
    for index in 0..shown {
        let is_last = index + 1 == shown;
        let right = if is_last { area.right() } else { x + each };
        let divider = u16::from(!is_last && right > x);
        let pane = Rect { x, width: right - x - divider, ..area };
        layout.panes.0.push((first + index, placed(pane)));
        if divider > 0 {
            layout.dividers.push(Rect { x: right - 1, width: 1, ..area });
        }
        x = right;
    }
}
