//! Putting text into cells. Every string that reaches a cell goes through here, so control
//! characters become visible stand-ins and wide glyphs never stick out of their pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::Theme;
use crate::app::kit::page::Page;
use crate::text::cells::cells;
use crate::text::width::{visible, width};

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

/// Writes a text, with an ellipsis where it does not fit; returns the column behind it.
pub fn cut(buffer: &mut Buffer, area: Rect, row: u16, column: u16, text: &str, style: Style) -> u16 {
    let text = visible(text);
    if usize::from(column) + width(&text) <= usize::from(area.width) {
        return line(buffer, area, row, column, &text, style);
    }
    let short = Rect { width: area.width.saturating_sub(1), ..area };
    let end = line(buffer, short, row, column.min(short.width), &text, style);
    line(buffer, area, row, end, "…", style)
}

/// Draws the rows of a page from a row on.
pub fn page_rows(theme: &Theme, buffer: &mut Buffer, page: &Page, first: usize, area: Rect) {
    for row in 0..area.height {
        let Some((found, paragraph)) = page.row(first + usize::from(row)) else { break };
        if found.is_first {
            let (lead, tone) = paragraph.lead();
            line(buffer, area, row, 0, lead, theme.of(tone));
        }
        let text = paragraph.text().get(found.bytes.clone()).unwrap_or("");
        let tone = |byte| theme.of(paragraph.tone_at(found.bytes.start + byte));
        styled(buffer, area, row, paragraph.indent(), text, tone);
    }
}

fn put(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, width: u16, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_symbol(symbol).set_style(style);
    }
    // The rest of a wide glyph covers whatever lies under it.
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
