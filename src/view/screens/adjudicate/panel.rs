//! The panel: a column for each annotator, so that answers stand side by side.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::kit::page::Tone;
use crate::app::screens::adjudicate::panel::{GUTTER, PanelCell, PanelPiece, PanelRow};
use crate::app::screens::adjudicate::{AdjudicateScreen, AdjudicateWork};
use crate::view::kit::paint::{clear, cut, line, rule};
use crate::view::kit::theme::Theme;
use crate::view::kit::title::label;

pub(super) fn draw(screen: &AdjudicateScreen, theme: &Theme, buffer: &mut Buffer) {
    let top = screen.panel_top();
    let area = Rect { y: top, height: screen.app.reserved, ..screen.app.layout.footer };
    clear(buffer, area, theme.text.0);
    let title = Rect { height: area.height.min(1), ..area };
    rule(buffer, title, "─", theme.rule.0);
    let name = match screen.docket.work {
        AdjudicateWork::Settle => "Answers",
        AdjudicateWork::Review => "You and gold",
    };
    let column = label(buffer, title, 1, name, theme.title.0);
    let details = screen.panel_details();
    if !details.is_empty() {
        label(buffer, title, column + 1, &details, theme.quiet.0);
    }
    let body = Rect {
        x: area.x + 1.min(area.width),
        y: top + 1,
        width: area.width.saturating_sub(1),
        height: area.height.saturating_sub(1),
    };
    for (row, content) in (0..body.height).zip(screen.panel()) {
        match content {
            PanelRow::Cells { label, cells } => {
                draw_cells(screen, theme, buffer, body, row, (&label, &cells))
            }
            PanelRow::Line(pieces) => draw_line(theme, buffer, body, row, (screen.label_width(), &pieces)),
        }
    }
}

fn draw_cells(
    screen: &AdjudicateScreen,
    theme: &Theme,
    buffer: &mut Buffer,
    body: Rect,
    row: u16,
    (name, cells): (&str, &[PanelCell]),
) {
    let label = screen.label_width();
    let before = Rect { width: label.saturating_sub(1).min(body.width), ..body };
    cut(buffer, before, row, 0, name, theme.quiet.0);
    let wide = screen.column_width();
    for (cell, column) in cells.iter().zip(0_u16..) {
        let x = label.saturating_add(wide.saturating_mul(column));
        let place = Rect {
            x: body.x + x.min(body.width),
            width: wide.saturating_sub(GUTTER).min(body.width.saturating_sub(x)),
            ..body
        };
        if column > 0 {
            line(buffer, body, row, x.saturating_sub(2), "│", theme.rule.0);
        }
        let mut at = 0;
        if let Some(key) = cell.key {
            at = line(buffer, place, row, 0, &key.to_string(), theme.key.0) + 1;
        }
        cut(buffer, place, row, at, &signed(&cell.text, cell.tone), theme.of(cell.tone));
    }
}

fn draw_line(
    theme: &Theme,
    buffer: &mut Buffer,
    body: Rect,
    row: u16,
    (label, pieces): (u16, &[PanelPiece]),
) {
    let mut column = 0;
    for (piece, index) in pieces.iter().zip(0_u16..) {
        if index == 1 {
            column = label;
        }
        if !piece.key.is_empty() {
            column = line(buffer, body, row, column, &piece.key, theme.key.0) + 1;
        }
        let text = signed(&piece.text, piece.tone);
        column = cut(buffer, body, row, column, &text, theme.of(piece.tone)) + 2;
    }
}

/// The text, with a sign before a chosen one: colour never speaks alone.
fn signed(text: &str, tone: Tone) -> String {
    if tone == Tone::Chosen { format!("●{text}") } else { text.to_owned() }
}
