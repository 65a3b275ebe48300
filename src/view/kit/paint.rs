//! Putting text into cells. Every string that reaches a cell goes through here, so control
//! characters become visible stand-ins and wide glyphs never stick out of their pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Theme;
use crate::app::kit::Page;
use crate::text::cells::cells;
use crate::text::span::Span;
use crate::text::width::{visible, width};

/// A style patched with those of the marks that hold this byte, the last on top.
pub fn over(base: Style, marks: &[(Span, Style)], byte: usize) -> Style {
    let here = marks.iter().filter(|(span, _)| span.range().contains(&byte));
    here.fold(base, |style, (_, more)| style.patch(*more))
}

/// Draws on the cells of a screen, in the styles of a theme.
pub struct Pen<'a> {
    pub theme: &'a Theme,
    pub buffer: &'a mut Buffer,
}

impl Pen<'_> {
    /// Columns and rows of the screen.
    pub fn size(&self) -> (u16, u16) {
        (self.buffer.area.width, self.buffer.area.height)
    }

    /// Writes one line into a row of `area`, from `column` on (relative to the area), cut at its right
    /// edge. Returns the column after the last cell.
    pub fn line(&mut self, area: Rect, row: u16, column: u16, text: &str, style: Style) -> u16 {
        self.styled(area, row, column, text, |_| style)
    }

    /// Like [`Pen::line`], with a style for each byte offset of the text.
    pub fn styled(
        &mut self,
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
            self.put(area.x + at, area.y + row, cell.text, cell.width, style_at(cell.start));
            at += cell.width;
        }
        at
    }

    /// Writes a text, with an ellipsis where it does not fit; returns the column behind it.
    pub fn cut(&mut self, area: Rect, row: u16, column: u16, text: &str, style: Style) -> u16 {
        let text = visible(text);
        if usize::from(column) + width(&text) <= usize::from(area.width) {
            return self.line(area, row, column, &text, style);
        }
        let short = Rect { width: area.width.saturating_sub(1), ..area };
        let end = self.line(short, row, column.min(short.width), &text, style);
        self.line(area, row, end, "…", style)
    }

    /// Draws the rows of a page from a row on.
    pub fn page_rows(&mut self, page: &Page, first: usize, area: Rect) {
        let theme = self.theme;
        for row in 0..area.height {
            let Some((found, paragraph)) = page.row(first + usize::from(row)) else { break };
            if found.is_first {
                let (lead, tone) = paragraph.lead();
                self.line(area, row, 0, lead, theme.of(tone));
            }
            let text = paragraph.text().get(found.bytes.clone()).unwrap_or("");
            let tone = |byte| theme.of(paragraph.tone_at(found.bytes.start + byte));
            self.styled(area, row, paragraph.indent(), text, tone);
        }
    }

    fn put(&mut self, x: u16, y: u16, symbol: &str, width: u16, style: Style) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_symbol(symbol).set_style(style);
        }
        // The rest of a wide glyph covers whatever lies under it.
        for offset in 1..width {
            if let Some(cell) = self.buffer.cell_mut((x + offset, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }

    /// Fills a row of `area` with the sign of rules.
    pub fn rule(&mut self, area: Rect, style: Style) {
        for x in area.left()..area.right() {
            self.put(x, area.y, "─", 1, style);
        }
    }

    /// Empties an area.
    pub fn clear(&mut self, area: Rect) {
        for position in area.positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.reset();
                cell.set_style(self.theme.text.0);
            }
        }
    }

    /// A word on a rule, with a blank on either side; cut with an ellipsis where it does not fit.
    pub fn label(&mut self, area: Rect, column: u16, text: &str, style: Style) -> u16 {
        if area.width <= column + 2 {
            return column;
        }
        let column = self.line(area, 0, column, " ", Style::new());
        let end = self.cut(Rect { width: area.width - 1, ..area }, 0, column, text, style);
        self.line(area, 0, end, " ", Style::new())
    }
}
