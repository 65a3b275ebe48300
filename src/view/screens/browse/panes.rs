//! The panes of the row under the cursor.

use crate::app::screens::browse::{BrowseScreen, TableScreen};
use crate::view::kit::{Pen, before_position, divider, pane_label};

pub(super) fn draw(browse: &BrowseScreen, screen: &TableScreen, pen: &mut Pen) {
    let focus = browse.pane_in_focus();
    let is_alone = browse.layout.panes.0.len() == 1;
    for (index, place) in &browse.layout.panes.0 {
        let Some(pane) = screen.panes.get(*index) else { continue };
        pen.rule(place.title, pen.theme.rule.0);
        let title = match &pane.page {
            Some(shown) => {
                let seen = (shown.len(), shown.scroll, place.body.height);
                before_position(pen, place.title, seen)
            }
            None => place.title,
        };
        if is_alone {
            for (columns, other) in browse.tab_places() {
                let x = columns.start;
                let name = screen.panes.get(other).map_or("", |pane| pane.title.as_str());
                if other == *index {
                    pane_label(pen, title, x - 1, name, focus == Some(*index));
                    // The name of the pane that is shown stands out also while the table has the focus.
                    pen.line(
                        title,
                        0,
                        x,
                        name,
                        if focus == Some(other) { pen.theme.focus.0 } else { pen.theme.chosen.0 },
                    );
                } else {
                    pen.label(title, x - 1, name, pen.theme.quiet.0);
                }
            }
        } else {
            pane_label(pen, title, 1, &pane.title, focus == Some(*index));
        }
        if let Some(shown) = &pane.page {
            pen.page_rows(shown, shown.scroll, place.body);
        }
    }
    for area in &browse.layout.dividers {
        divider(pen, *area);
    }
}
