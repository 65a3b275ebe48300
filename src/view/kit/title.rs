//! Rules with names on them: titles of panes, positions of scrolled panes, lines between columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint::{cut, line, rule};
use super::theme::Theme;
use crate::app::kit::layout::wide;

/// A pane's name on a rule; the focused one has a sign before it, since colour never speaks alone.
pub fn pane_label(
    theme: &Theme,
    buffer: &mut Buffer,
    area: Rect,
    column: u16,
    name: &str,
    is_focused: bool,
) -> u16 {
    let after = label(buffer, area, column, name, if is_focused { theme.focus.0 } else { theme.title.0 });
    if is_focused {
        line(buffer, area, 0, column, "▸", theme.focus.0);
    }
    after
}

/// A pane's title: the names from their columns on, details behind them, and the scroll position at the end.
pub fn pane_title(
    theme: &Theme,
    buffer: &mut Buffer,
    title: Rect,
    seen: (usize, usize, u16),
    names: impl Iterator<Item = (u16, String, bool)>,
    details: &str,
) {
    rule(buffer, title, "─", theme.rule.0);
    let area = before_position(theme, buffer, title, seen);
    let mut column = 1;
    for (start, name, is_focused) in names {
        let at = start.saturating_sub(area.x).saturating_sub(1);
        column = pane_label(theme, buffer, area, at, &name, is_focused);
    }
    if !details.is_empty() {
        label(buffer, area, column + 1, details, theme.quiet.0);
    }
}

/// A word on a rule, with a blank on either side; cut with an ellipsis where it does not fit.
pub fn label(buffer: &mut Buffer, area: Rect, column: u16, text: &str, style: Style) -> u16 {
    if area.width <= column + 2 {
        return column;
    }
    let column = line(buffer, area, 0, column, " ", Style::new());
    let end = cut(buffer, Rect { width: area.width - 1, ..area }, 0, column, text, style);
    line(buffer, area, 0, end, " ", Style::new())
}

/// Writes how far a pane of `rows` rows is scrolled at the right end of its title, where it has more than `height`
/// rows; returns the rest of the title.
pub fn before_position(
    theme: &Theme,
    buffer: &mut Buffer,
    title: Rect,
    (rows, scroll, height): (usize, usize, u16),
) -> Rect {
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
    label(buffer, title, rest, &mark, theme.quiet.0);
    Rect { width: rest.saturating_sub(1), ..title }
}

/// Draws the line between two columns that are drawn already, joined to the rules that end at it.
pub fn divider(theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let is_rule =
        |buffer: &Buffer, x: u16, y: u16| buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == "─");
    for y in area.top()..area.bottom() {
        let left = area.x > 0 && is_rule(buffer, area.x - 1, y);
        let right = is_rule(buffer, area.x + 1, y);
        let sign = match (left, right) {
            (true, true) if y == area.top() => "┬",
            (true, true) => "┼",
            (true, false) => "┤",
            (false, true) => "├",
            (false, false) => "│",
        };
        line(buffer, Rect { y, height: 1, ..area }, 0, 0, sign, theme.rule.0);
    }
}
