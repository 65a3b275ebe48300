//! The panes of the row under the cursor.

use ratatui::buffer::Buffer;

use crate::app::screens::browse::BrowseScreen;
use crate::app::screens::browse::table::TableScreen;
use crate::view::kit::paint::{line, page_rows, rule};
use crate::view::kit::theme::Theme;
use crate::view::kit::title::{before_position, divider, label, pane_label};

pub(super) fn draw(browse: &BrowseScreen, screen: &TableScreen, theme: &Theme, buffer: &mut Buffer) {
    let focus = browse.pane_in_focus();
    let is_alone = browse.layout.panes.0.len() == 1;
    for (index, place) in &browse.layout.panes.0 {
        let Some(pane) = screen.panes.get(*index) else { continue };
        rule(buffer, place.title, "─", theme.rule.0);
        let title = match &pane.page {
            Some(shown) => {
                let seen = (shown.len(), shown.scroll, place.body.height);
                before_position(theme, buffer, place.title, seen)
            }
            None => place.title,
        };
        if is_alone {
            for (columns, other) in browse.tab_places() {
                let x = columns.start;
                let name = screen.panes.get(other).map_or("", |pane| pane.title.as_str());
                if other == *index {
                    pane_label(theme, buffer, title, x - 1, name, focus == Some(*index));
                    // The name of the pane that is shown stands out also while the table has the focus.
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
            page_rows(theme, buffer, shown, shown.scroll, place.body);
        }
    }
    for area in &browse.layout.dividers {
        divider(theme, buffer, *area);
    }
}
