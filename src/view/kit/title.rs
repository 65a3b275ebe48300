//! Rules with names on them: titles of panes, positions of scrolled panes, lines between columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Pen;
use crate::app::kit::wide;

/// A pane's name on a rule; the focused one has a sign before it, since colour never speaks alone.
pub fn pane_label(pen: &mut Pen, area: Rect, column: u16, name: &str, is_focused: bool) -> u16 {
    let after = pen.label(area, column, name, if is_focused { pen.theme.focus.0 } else { pen.theme.title.0 });
    if is_focused {
        pen.line(area, 0, column, "▸", pen.theme.focus.0);
    }
    after
}

/// A pane's title: the names from their columns on, details behind them, and the scroll position at the end.
pub fn pane_title(
    pen: &mut Pen,
    title: Rect,
    seen: (usize, usize, u16),
    names: impl Iterator<Item = (u16, String, bool)>,
    details: &str,
) {
    pen.rule(title, pen.theme.rule.0);
    let area = before_position(pen, title, seen);
    let mut column = 1;
    for (start, name, is_focused) in names {
        let at = start.saturating_sub(area.x).saturating_sub(1);
        column = pane_label(pen, area, at, &name, is_focused);
    }
    if !details.is_empty() {
        pen.label(area, column + 1, details, pen.theme.quiet.0);
    }
}

/// Writes how far a pane of `rows` rows is scrolled at the right end of its title, where it has more than `height`
/// rows; returns the rest of the title.
pub fn before_position(pen: &mut Pen, title: Rect, (rows, scroll, height): (usize, usize, u16)) -> Rect {
    let end = scroll + usize::from(height);
    if rows <= usize::from(height) {
        return title;
    }
    let mark = match (scroll, end >= rows) {
        (0, _) => "more ↓".to_owned(),
        (_, true) => "end".to_owned(),
        _ => format!("{} %", end * 100 / rows),
    };
    let needed = wide(&mark).saturating_add(3);
    if needed >= title.width {
        return title;
    }
    let rest = title.width - needed;
    pen.label(title, rest, &mark, pen.theme.quiet.0);
    Rect { width: rest.saturating_sub(1), ..title }
}

/// Draws the line between two columns that are drawn already, joined to the rules that end at it.
pub fn divider(pen: &mut Pen, area: Rect) {
    let is_rule =
        |buffer: &Buffer, x: u16, y: u16| buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == "─");
    for y in area.top()..area.bottom() {
        let left = area.x > 0 && is_rule(pen.buffer, area.x - 1, y);
        let right = is_rule(pen.buffer, area.x + 1, y);
        let sign = match (left, right) {
            (true, true) if y == area.top() => "┬",
            (true, true) => "┼",
            (true, false) => "┤",
            (false, true) => "├",
            (false, false) => "│",
        };
        pen.line(Rect { y, height: 1, ..area }, 0, 0, sign, pen.theme.rule.0);
    }
}
