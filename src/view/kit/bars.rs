//! Parts of top and bottom lines: progress, times, keys and their actions, the notice.

use ratatui::layout::Rect;

use super::Pen;
use crate::app::kit::{Action, Frame, Keymap, extent};
use crate::journal::{DaysWork, ItemState};
use crate::number::number_of;
use crate::text::cells::cells;
use crate::text::width::{visible, width};

/// Columns of the progress bar.
const BAR: usize = 10;

/// Parts of the progress bar's last sign, in eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A text of at most so many columns, the rest of a longer one left out.
pub fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for cell in cells(text) {
        used += usize::from(cell.width);
        if used > columns {
            break;
        }
        short.push_str(cell.text);
    }
    short + "…"
}

/// A part of a whole as a bar, and in per cent.
fn bar(part: usize, whole: usize) -> (String, String) {
    if whole == 0 {
        return (String::new(), "0 %".to_owned());
    }
    // Only the whole is called 100 %.
    (eighths(part * BAR * 8 / whole), format!("{} %", part * 100 / whole))
}

/// So many eighths of a sign as a bar.
pub fn eighths(count: usize) -> String {
    format!("{}{}", "█".repeat(count / 8), EIGHTHS.get(count % 8).unwrap_or(&""))
}

/// Draws the share that is done, with its per cent where they fit; returns the column after it.
pub fn progress(pen: &mut Pen, area: Rect, column: u16, (part, whole): (usize, usize)) -> u16 {
    let (filled, percent) = bar(part, whole);
    let at = pen.line(area, 0, column, &filled, pen.theme.bar.0);
    let rest = BAR.saturating_sub(usize::from(at.saturating_sub(column)));
    pen.line(area, 0, at, &"░".repeat(rest), pen.theme.rule.0);
    let after = column.saturating_add(extent(BAR).saturating_add(1));
    if usize::from(after) + width(&percent) > usize::from(area.width) {
        return after;
    }
    pen.line(area, 0, after, &percent, pen.theme.header.0)
}

/// The sign of an item's state.
pub fn state_sign(state: ItemState) -> &'static str {
    match state {
        ItemState::Judged => "●",
        ItemState::Skipped => "–",
        ItemState::Open => "○",
    }
}

/// Minutes and seconds: `0:42`.
pub fn clock(milliseconds: i64) -> String {
    let seconds = milliseconds / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Minutes and seconds of a pace; never `0:00`.
pub fn pace(milliseconds: i64) -> String {
    if milliseconds < 1_000 { "under 0:01".to_owned() } else { clock(milliseconds) }
}

/// Hours and minutes: `2 h 24`, `38 min`.
pub fn duration(milliseconds: i64) -> String {
    let minutes = (milliseconds + 30_000) / 60_000;
    if minutes >= 60 {
        format!("{} h {:02}", minutes / 60, minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min")
    } else {
        "under a minute".to_owned()
    }
}

/// Work done today and work that waits, in a line: `Today: 41 items in 38 min · attribution waits (30 items)`.
pub fn days_work(day: &DaysWork) -> Option<String> {
    let today = format!("Today: {} in {}", number_of(day.items, "item"), duration(day.active));
    let waits = day.waiting.iter().map(|(name, open)| match open {
        Some(open) => format!("{} waits ({})", visible(name), number_of(*open, "item")),
        None => format!("{} waits", visible(name)),
    });
    let parts: Vec<String> = (day.items > 0).then_some(today).into_iter().chain(waits).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Draws how far the study is shared, at the end of the top line; returns the rest of the line.
pub fn sharing(frame: &Frame, pen: &mut Pen, header: Rect) -> Rect {
    let needed = extent(width(&frame.sharing) + 2);
    if frame.sharing.is_empty() || needed >= header.width {
        return header;
    }
    let rest = header.width - needed;
    pen.line(header, 0, rest + 1, &frame.sharing, pen.theme.quiet.0);
    Rect { width: rest, ..header }
}

/// A key and its action.
pub type Hint = (String, &'static str);

/// Keys that no keymap changes, with their actions.
pub fn fixed(pairs: &[(&str, &'static str)]) -> Vec<Hint> {
    pairs.iter().map(|(sign, name)| ((*sign).to_owned(), *name)).collect()
}

/// The keys while the help is read.
pub fn reading_help() -> Vec<Hint> {
    fixed(&[("space b", "page"), ("↓ ↑", "line"), ("/", "find"), ("esc", "back")])
}

/// The keys of actions; actions without a key or a name are left out.
pub fn hints_of<'a>(keymap: &Keymap, actions: impl IntoIterator<Item = &'a Action>) -> Vec<Hint> {
    let hints = actions.into_iter().map(|action| (keymap.sign(*action), action.brief()));
    hints.filter(|(sign, name)| !sign.is_empty() && !name.is_empty()).collect()
}

/// From this width on the keys of the bottom line stay where they are, whatever the notice says.
pub const STILL: u16 = 160;

/// The bottom line: refused keys, the notice, and behind them the keys that work, as many as there
/// is room for. On a wide screen, the keys come first and the rest stands at the end.
pub fn bottom_line(pen: &mut Pen, area: Rect, frame: &Frame, hints: impl IntoIterator<Item = Hint>) {
    let warning = pen.theme.warning.0;
    let refusal = frame.refusal().map_or(String::new(), |keys| format!(" {keys} not taken "));
    let style = if frame.notice.is_warning { warning } else { pen.theme.accent.0 };
    let said = [(refusal.as_str(), warning.reversed()), (frame.notice.text.as_str(), style)];
    let said = said.into_iter().filter(|(text, _)| !text.is_empty());
    let mut rest = area;
    if area.width >= STILL {
        // A column before each text, and one behind all.
        let needed: usize = said.clone().map(|(text, _)| width(&visible(text)) + 1).sum();
        rest.x += area.width.saturating_sub(extent(needed + 1));
        rest.width = area.right() - rest.x;
    }
    let keys = Rect { width: rest.x - area.x, ..area };
    for (text, style) in said {
        let after = pen.cut(rest, 0, 1, text, style).saturating_add(1).min(rest.width);
        rest = Rect { x: rest.x + after, width: rest.width - after, ..rest };
    }
    if area.width >= STILL {
        return hint_line(pen, keys, hints);
    }
    if rest.width < area.width {
        // The keys stand apart.
        rest = Rect { x: rest.x + 1.min(rest.width), width: rest.width.saturating_sub(1), ..rest };
    }
    hint_line(pen, rest, hints);
}

/// Keys with their actions, as many as there is room for.
pub fn hint_line(pen: &mut Pen, area: Rect, hints: impl IntoIterator<Item = Hint>) {
    let mut column = 1;
    for (sign, name) in hints {
        let needs = width(&sign) + 1 + width(name) + 2;
        // The first key is always shown, as far as it has room.
        if column > 1 && usize::from(column) + needs > usize::from(area.width) + 2 {
            break;
        }
        let after = pen.cut(area, 0, column, &sign, pen.theme.key.0);
        column = pen.line(area, 0, after + 1, name, pen.theme.quiet.0) + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_progress_read_well() {
        assert_eq!([clock(42_900), clock(61_000)], ["0:42", "1:01"]);
        assert_eq!([pace(42_900), pace(999)], ["0:42", "under 0:01"]);
        assert_eq!(
            [duration(8_640_000), duration(29_000), duration(2_280_000)],
            ["2 h 24", "under a minute", "38 min"]
        );
        assert_eq!(bar(12, 240), ("▌".to_owned(), "5 %".to_owned()));
        assert_eq!(bar(239, 240).1, "99 %");
        assert_eq!(bar(0, 0).1, "0 %");
    }
}
