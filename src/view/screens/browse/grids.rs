//! Grids: numbers with bars or shades, a cursor, and one sentence about the number under it.

use ratatui::layout::Rect;

use crate::app::kit::extent;
use crate::app::screens::browse::{AROUND, BAR, BrowseScreen, GridCell, GridsScreen, NumberGrid};
use crate::text::width::{visible, width};
use crate::text::wrap::wrap;
use crate::view::kit::{Pen, eighths, pane_label};

/// Signs for shares in four steps; an undefined share has none.
const SHADES: [&str; 4] = ["░", "▒", "▓", "█"];

pub(super) fn draw(browse: &BrowseScreen, screen: &GridsScreen, pen: &mut Pen) {
    let title = browse.layout.title;
    pen.rule(title, pen.theme.rule.0);
    let mut column = pen.label(title, 1, &screen.title, pen.theme.title.0) + 1;
    for (index, grid) in screen.tabs.iter().enumerate() {
        if screen.tabs.len() > 1 {
            column = pane_label(pen, title, column, &grid.title, index == screen.tab);
        }
    }
    let area = browse.layout.body;
    let inner = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    let Some(shown) = screen.grid() else {
        pen.line(inner, 1, 0, "there is nothing to show: nothing is judged for it yet", pen.theme.quiet.0);
        return;
    };
    grid(shown, inner, pen);
}

fn grid(grid: &NumberGrid, area: Rect, pen: &mut Pen) {
    let layout = grid.lay_out(area.width);
    let place = |x: u16, width: u16| Rect { x: area.x + x, width, ..area };
    pen.cut(place(0, layout.name), 0, 0, &grid.corner, pen.theme.quiet.0);
    for (index, x, wide) in &layout.columns {
        let heading = grid.columns.get(*index).map_or("", String::as_str);
        let style = if *index == grid.cursor.1 { pen.theme.focus.0 } else { pen.theme.title.0 };
        pen.cut(place(*x, *wide), 0, 0, heading, style);
    }
    if layout.columns.last().is_some_and(|(index, _, _)| index + 1 < grid.columns.len()) && area.width > 0 {
        pen.line(area, 0, area.width - 1, "›", pen.theme.quiet.0);
    }
    let height = area.height.saturating_sub(AROUND);
    let mut at = 1;
    for row in grid.visible(height) {
        let name = grid.rows.get(row).map_or("", String::as_str);
        let is_row = row == grid.cursor.0;
        let style = if is_row { pen.theme.focus.0 } else { pen.theme.text.0 };
        pen.cut(place(0, layout.name), at, 0, name, style);
        for (column, x, wide) in &layout.columns {
            if let Some(found) = grid.cell(row, *column) {
                let is_current = is_row && *column == grid.cursor.1;
                cell(found, (*x, at, *wide), layout.has_bars, is_current, area, pen);
            }
        }
        at += 1;
    }
    below(grid, Rect { y: area.y.saturating_add(at), height: area.height.saturating_sub(at), ..area }, pen);
}

/// Draws the sentence about the cell under the cursor, and the note on all numbers.
fn below(grid: &NumberGrid, area: Rect, pen: &mut Pen) {
    let says = grid.current().map_or("", |cell| cell.says.as_str());
    let says = visible(says);
    let mut row = 1;
    for (text, style) in [(says.as_ref(), pen.theme.text.0), (grid.note.as_str(), pen.theme.quiet.0)] {
        for bytes in wrap(text, area.width).iter() {
            pen.line(area, row, 0, text.get(bytes).unwrap_or(""), style);
            row += 1;
        }
    }
}

fn cell(
    cell: &GridCell,
    (x, row, wide): (u16, u16, u16),
    has_bar: bool,
    is_current: bool,
    area: Rect,
    pen: &mut Pen,
) {
    let style = if is_current { pen.theme.mark.0 } else { pen.theme.text.0 };
    let drawn = if has_bar { BAR } else { 2 };
    let number = wide.saturating_sub(drawn);
    let text = if cell.text.is_empty() && is_current { "·" } else { cell.text.as_str() };
    let free = number.saturating_sub(extent(width(text)));
    let after = pen.line(area, row, x + free, text, style);
    let Some(share) = cell.share else { return };
    if has_bar {
        let (full, rest) = bar(share);
        let at = pen.line(area, row, after + 1, &full, pen.theme.bar.0);
        pen.line(area, row, at, &rest, pen.theme.rule.0);
    } else {
        pen.line(area, row, after + 1, shade(share), pen.theme.bar.0);
    }
}

/// The filled part of a bar and the rest of it.
fn bar(share: f64) -> (String, String) {
    let columns = usize::from(BAR) - 1;
    let count = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    (eighths(count), "·".repeat(columns - count.div_ceil(8)))
}

fn shade(share: f64) -> &'static str {
    let step = (share.clamp(0.0, 1.0) * SHADES.len() as f64) as usize;
    SHADES.get(step.min(SHADES.len() - 1)).unwrap_or(&"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_shades_grow_with_the_share() {
        // Eight columns of eight eighths: a half is four columns, 0.3 is 19 of 64 eighths.
        assert_eq!(bar(0.5), ("████".to_owned(), "····".to_owned()));
        assert_eq!(bar(0.3), ("██▍".to_owned(), "·····".to_owned()));
        assert_eq!((bar(0.0).0, bar(1.0).1), (String::new(), String::new()));
        assert_eq!([0.0, 0.25, 0.74, 0.75, 1.0].map(shade), ["░", "▒", "▓", "█", "█"]);
    }
}
