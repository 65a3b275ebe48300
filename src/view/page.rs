//! A page that lies over a screen: help, a guideline, a report.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint::{clear, line, rule};
use super::theme::Theme;
use crate::app::action::{Action, Group};
use crate::app::keymap::Keymap;
use crate::text::width::width;

/// A line of a page: pieces with their styles.
pub(super) type Line = Vec<(String, Style)>;

/// Between the top and the bottom line of a screen of so many columns and rows.
pub(super) fn middle((columns, rows): (u16, u16)) -> Rect {
    Rect::new(0, 1.min(rows), columns, rows.saturating_sub(2))
}

/// Draws lines over all but the top and the bottom line of the screen, from the line that `scroll` says.
pub(super) fn page(theme: &Theme, buffer: &mut Buffer, name: &str, scroll: usize, lines: &[Line]) {
    let area = middle((buffer.area.width, buffer.area.height));
    clear(buffer, area, theme.text.0);
    let top = Rect { height: area.height.min(1), ..area };
    rule(buffer, top, "─", theme.rule.0);
    line(buffer, top, 0, 2, &format!(" {name} "), theme.focus.0);
    let body = Rect {
        x: area.x + 2.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(1),
    };
    let last = lines.len().saturating_sub(usize::from(body.height));
    let first = scroll.min(last);
    for (row, pieces) in (0..body.height).zip(lines.iter().skip(first)) {
        let mut column = 0;
        for (text, style) in pieces {
            column = line(buffer, body, row, column, text, *style);
        }
    }
    let mark = if last == 0 {
        "esc closes"
    } else if first < last {
        "more ↓ · esc closes"
    } else {
        "end · esc closes"
    };
    let at = top.width.saturating_sub(u16::try_from(width(mark)).unwrap_or(0) + 3);
    line(buffer, top, 0, at, &format!(" {mark} "), theme.quiet.0);
}

/// A group of actions with its heading, each with its keys.
pub(super) fn group_help(keymap: &Keymap, group: Group, theme: &Theme) -> Vec<Line> {
    let heading = vec![(group.title().to_owned(), theme.focus.0)];
    let actions = Action::ALL.iter().filter(|action| action.group() == group);
    let keys = actions.map(|action| action_help(keymap, *action, theme));
    std::iter::once(heading).chain(keys).collect()
}

/// An action with its keys.
pub(super) fn action_help(keymap: &Keymap, action: Action, theme: &Theme) -> Line {
    let keys: Vec<String> = keymap.keys(action).iter().map(|key| key.sign()).collect();
    help_line(theme, &keys.join(" "), action.help())
}

pub(super) fn help_line(theme: &Theme, keys: &str, text: &str) -> Line {
    let padding = 18_usize.saturating_sub(width(keys));
    vec![(format!("  {keys}{}", " ".repeat(padding)), theme.key.0), (text.to_owned(), theme.text.0)]
}
