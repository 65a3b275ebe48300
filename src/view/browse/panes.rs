//! The panes of the row under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::style_of;
use crate::app::browse::Browse;
use crate::app::browse::rich::Page;
use crate::app::browse::table::TableScreen;
use crate::text::width::width;
use crate::view::boards::{label, pane_label};
use crate::view::paint::{line, rule, styled};
use crate::view::theme::Theme;

pub(super) fn draw(browse: &Browse, screen: &TableScreen, theme: &Theme, buffer: &mut Buffer) {
    let focus = browse.pane_in_focus();
    let is_alone = browse.layout.panes.len() == 1;
    for (index, place) in &browse.layout.panes {
        let Some(pane) = screen.panes.get(*index) else {
            continue;
        };
        rule(buffer, place.title, "─", theme.rule.0);
        let title = match &pane.page {
            Some(shown) => before_position(shown, place.title, place.body.height, theme, buffer),
            None => place.title,
        };
        if is_alone {
            for (x, _, other) in browse.tab_places() {
                let name = screen.panes.get(other).map_or("", |pane| pane.title.as_str());
                if other == *index {
                    pane_label(theme, buffer, title, x - 1, name, focus == Some(*index));
                    // The shown one stands out also while the table has the focus.
                    line(
                        buffer,
                        title,
                        0,
                        x,
                        name,
                        if focus == Some(other) { theme.focus.0 } else { theme.chosen.0 },
                    );
                } else {
                    label(buffer, title, x - 1, name, theme.quiet.0);
                }
            }
        } else {
            pane_label(theme, buffer, title, 1, &pane.title, focus == Some(*index));
        }
        if let Some(shown) = &pane.page {
            page(shown, shown.scroll, place.body, theme, buffer);
        }
    }
    for divider in &browse.layout.dividers {
        for y in divider.top()..divider.bottom() {
            let sign = if y == divider.y { "┬" } else { "│" };
            line(buffer, Rect { y, height: 1, ..*divider }, 0, 0, sign, theme.rule.0);
        }
    }
}

/// The rows of a page from a row on.
pub(super) fn page(page: &Page, first: usize, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    for row in 0..area.height {
        page_row(page, first + usize::from(row), Rect { y: area.y + row, height: 1, ..area }, theme, buffer);
    }
}

/// One row of a page.
pub(super) fn page_row(page: &Page, index: usize, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let Some((row, paragraph)) = page.row(index) else {
        return;
    };
    let (lead, tone) = paragraph.lead();
    if row.is_first {
        line(buffer, area, 0, 0, lead, style_of(tone, theme));
    }
    let text = paragraph.text().get(row.bytes.clone()).unwrap_or("");
    let start = row.bytes.start;
    styled(buffer, area, 0, paragraph.indent(), text, |byte| {
        style_of(paragraph.tone_at(start + byte), theme)
    });
}

/// Draws how far a pane is scrolled at the right end of its title; returns what is left of the title.
fn before_position(page: &Page, title: Rect, height: u16, theme: &Theme, buffer: &mut Buffer) -> Rect {
    if page.len() <= usize::from(height) {
        return title;
    }
    let end = page.scroll + usize::from(height);
    let mark = if page.scroll == 0 {
        "more ↓".to_owned()
    } else if end >= page.len() {
        "end".to_owned()
    } else {
        format!("{} %", end * 100 / page.len())
    };
    let needed = u16::try_from(width(&mark)).unwrap_or(0) + 3;
    if needed >= title.width {
        return title;
    }
    let rest = title.width - needed;
    label(buffer, title, rest, &mark, theme.quiet.0);
    Rect { width: rest.saturating_sub(1), ..title }
}
