//! The panel: a column for each annotator, so that answers stand side by side.

use ratatui::layout::Rect;

use crate::app::kit::Tone;
use crate::app::screens::adjudicate::{
    AdjudicateScreen, AdjudicateWork, GUTTER, PanelCell, PanelPiece, PanelRow,
};
use crate::view::kit::Pen;

pub(super) fn draw(screen: &AdjudicateScreen, pen: &mut Pen) {
    let top = screen.panel_top();
    let area = Rect { y: top, height: screen.app.reserved, ..screen.app.layout.footer };
    pen.clear(area);
    let title = Rect { height: area.height.min(1), ..area };
    pen.rule(title, pen.theme.rule.0);
    let name = match screen.docket.work {
        AdjudicateWork::Settle => "Answers",
        AdjudicateWork::Review => "You and gold",
    };
    let column = pen.label(title, 1, name, pen.theme.title.0);
    let details = screen.panel_details();
    if !details.is_empty() {
        pen.label(title, column + 1, &details, pen.theme.quiet.0);
    }
    let body = Rect {
        x: area.x + 1.min(area.width),
        y: top + 1,
        width: area.width.saturating_sub(1),
        height: area.height.saturating_sub(1),
    };
    for (row, content) in (0..body.height).zip(screen.panel()) {
        match content {
            PanelRow::Cells { label, cells } => draw_cells(screen, pen, body, row, (&label, &cells)),
            PanelRow::Line(pieces) => draw_line(pen, body, row, (screen.label_width(), &pieces)),
        }
    }
}

fn draw_cells(
    screen: &AdjudicateScreen,
    pen: &mut Pen,
    body: Rect,
    row: u16,
    (name, cells): (&str, &[PanelCell]),
) {
    let label = screen.label_width();
    let before = Rect { width: label.saturating_sub(1).min(body.width), ..body };
    pen.cut(before, row, 0, name, pen.theme.quiet.0);
    let wide = screen.column_width();
    for (cell, column) in cells.iter().zip(0_u16..) {
        let x = label.saturating_add(wide.saturating_mul(column));
        let place = Rect {
            x: body.x + x.min(body.width),
            width: wide.saturating_sub(GUTTER).min(body.width.saturating_sub(x)),
            ..body
        };
        if column > 0 {
            pen.line(body, row, x.saturating_sub(2), "│", pen.theme.rule.0);
        }
        let mut at = 0;
        if let Some(key) = cell.key {
            at = pen.line(place, row, 0, &key.to_string(), pen.theme.key.0) + 1;
        }
        pen.cut(place, row, at, &signed(&cell.text, cell.tone), pen.theme.of(cell.tone));
    }
}

fn draw_line(pen: &mut Pen, body: Rect, row: u16, (label, pieces): (u16, &[PanelPiece])) {
    let mut column = 0;
    for (piece, index) in pieces.iter().zip(0_u16..) {
        if index == 1 {
            column = label;
        }
        if !piece.key.is_empty() {
            column = pen.line(body, row, column, &piece.key, pen.theme.key.0) + 1;
        }
        let text = signed(&piece.text, piece.tone);
        column = pen.cut(body, row, column, &text, pen.theme.of(piece.tone)) + 2;
    }
}

/// The text, with a sign before a chosen one: colour never speaks alone.
fn signed(text: &str, tone: Tone) -> String {
    if tone == Tone::Chosen { format!("●{text}") } else { text.to_owned() }
}
