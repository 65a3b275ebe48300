//! Putting text into cells. Every string that reaches a cell goes through here, so control
//! characters become visible stand-ins and wide glyphs never stick out of their pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::text::cells::cells;

/// Writes one line into a row of `area`, from `column` on (relative to the area), cut at its right
/// edge. Returns the column after the last cell.
pub fn line(buffer: &mut Buffer, area: Rect, row: u16, column: u16, text: &str, style: Style) -> u16 {
    styled(buffer, area, row, column, text, |_| style)
}

/// Like [`line`], with a style for each byte offset of the text.
pub fn styled(
    buffer: &mut Buffer,
    area: Rect,
    row: u16,
    column: u16,
    text: &str,
    style_at: impl Fn(usize) -> Style,
) -> u16 {
    if row >= area.height {
        return column;
    }
    let mut at = column;
    for cell in cells(text) {
        if cell.width == 0 {
            continue;
        }
        if at.saturating_add(cell.width) > area.width {
            break;
        }
        put(buffer, area.x + at, area.y + row, cell.text, cell.width, style_at(cell.start));
        at += cell.width;
    }
    at
}

fn put(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, width: u16, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_symbol(symbol).set_style(style);
    }
    // What lies under the rest of a wide glyph is not drawn.
    for offset in 1..width {
        if let Some(cell) = buffer.cell_mut((x + offset, y)) {
            cell.reset();
            cell.set_style(style);
        }
    }
}

/// Fills a row of `area` with one sign.
pub fn rule(buffer: &mut Buffer, area: Rect, sign: &str, style: Style) {
    for x in area.left()..area.right() {
        put(buffer, x, area.y, sign, 1, style);
    }
}

/// Empties an area.
pub fn clear(buffer: &mut Buffer, area: Rect, style: Style) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}
