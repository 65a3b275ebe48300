//! Two candidates side by side.

use ratatui::layout::Rect;

use crate::app::screens::browse::{BandRow, BrowseScreen, CompareScreen};
use crate::view::kit::{Pen, pane_label};

pub(super) fn draw(browse: &BrowseScreen, screen: &CompareScreen, pen: &mut Pen) {
    let title = browse.layout.title;
    pen.rule(title, pen.theme.rule.0);
    let body = browse.layout.body;
    // A blank before each side, and a line between them.
    let half = body.width.saturating_sub(3) / 2;
    let left = Rect { x: body.x + 1.min(body.width), width: half, ..body };
    let right =
        Rect { x: left.right() + 2, width: half.min(body.right().saturating_sub(left.right() + 2)), ..body };
    let titles =
        [Rect { x: body.x, width: half + 1, ..title }, Rect { x: right.x - 1, width: half + 1, ..title }];
    for ((index, area), name) in titles.into_iter().enumerate().zip(&screen.names) {
        if area.right() <= title.right() {
            pane_label(pen, area, 1, name, (index == 1) == screen.is_right);
        }
    }
    pen.label(Rect { height: 1, ..body }, 0, &screen.title, pen.theme.title.0);
    let rows = Rect { y: body.y + 1.min(body.height), height: body.height.saturating_sub(1), ..body };
    for (y, row) in (rows.top()..rows.bottom()).zip(screen.visible(rows.height)) {
        let at = |area: Rect| Rect { y, height: 1, ..area };
        match row {
            BandRow::Head(band, index) => {
                if band == screen.band && index == 0 {
                    pen.line(at(body), 0, 0, "▸", pen.theme.accent.0);
                }
                if let Some(found) = screen.bands.get(band) {
                    let wide = Rect { x: left.x, width: body.width.saturating_sub(2), ..left };
                    pen.page_rows(&found.head, index, at(wide));
                }
            }
            BandRow::Sides(band, index) => {
                let Some(found) = screen.bands.get(band) else { continue };
                for (side, area) in found.sides.iter().zip([left, right]) {
                    pen.page_rows(side, index, at(area));
                }
                pen.line(at(body), 0, left.right() - body.x, "│", pen.theme.rule.0);
            }
            BandRow::Gap => {}
        }
    }
}
