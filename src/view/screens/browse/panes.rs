//! The panes of the row under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::style_of;
use crate::app::screens::browse::Browse;
use crate::app::screens::browse::rich::Page;
use crate::app::screens::browse::table::TableScreen;
use crate::view::kit::paint::{line, rule, styled};
use crate::view::kit::theme::Theme;
use crate::view::kit::title::{before_position, divider, label, pane_label};

pub(super) fn draw(browse: &Browse, screen: &TableScreen, theme: &Theme, buffer: &mut Buffer) {
    let focus = browse.pane_in_focus();
    let is_alone = browse.layout.panes.len() == 1;
    for (index, place) in &browse.layout.panes {
        let Some(pane) = screen.panes.get(*index) else {
            continue;
        };
        rule(buffer, place.title, "─", theme.rule.0);
        let title = match &pane.page {
            Some(shown) => {
                let seen = (shown.len(), shown.scroll, place.body.height);
                before_position(theme, buffer, place.title, seen)
            }
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
    for area in &browse.layout.dividers {
        divider(theme, buffer, *area);
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
