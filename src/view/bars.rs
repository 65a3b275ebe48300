//! The top line (where am I, how far, how fast) and the bottom line (keys, and what just happened).

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint::line;
use super::theme::Theme;
use crate::app::App;
use crate::app::action::Action;
use crate::app::overlay::Overlay;
use crate::text::cells::cells;
use crate::text::width::{visible, width};

/// Columns of the progress bar.
pub(super) const BAR: usize = 10;

/// Parts of the progress bar's last sign, in eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

pub(super) fn header(app: &App, theme: &Theme, buffer: &mut Buffer) {
    let area = app.screen.header;
    let left =
        format!(" {} · {} · {}", visible(&app.study), visible(&app.protocol.name), visible(&app.queue.name));
    let left = shortened(&left, usize::from(area.width) / 2);
    let progress = app.queue.progress;
    let position = app.loaded.as_ref().map_or(0, |loaded| loaded.position + 1);
    let item = format!("item {position} of {}", progress.total);
    let judged = format!("{} judged ", progress.judged);
    let (bar, percent) = bar(progress.judged, progress.total);
    let right = times(app, area.width);
    let start = width(&left) + 3;
    line(buffer, area, 0, 0, &left, theme.header.0);
    let at = u16::try_from(start).unwrap_or(u16::MAX);
    let at = line(buffer, area, 0, at, &format!("{item} · {judged}"), theme.header.0);
    let after = at.saturating_add(u16::try_from(BAR).unwrap_or(0) + 1);
    let at_bar = line(buffer, area, 0, at, &bar, theme.bar.0);
    let rest = "░".repeat(BAR.saturating_sub(usize::from(at_bar.saturating_sub(at))));
    line(buffer, area, 0, at_bar, &rest, theme.rule.0);
    let end = line(buffer, area, 0, after, &percent, theme.header.0);
    let column = area.width.saturating_sub(u16::try_from(width(&right)).unwrap_or(0) + 1);
    if column > end {
        line(buffer, area, 0, column, &right, theme.quiet.0);
    }
}

/// A text of at most so many columns, the rest of a longer one left out.
pub(super) fn shortened(text: &str, columns: usize) -> String {
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

pub(super) fn bar(judged: usize, total: usize) -> (String, String) {
    if total == 0 {
        return (String::new(), "0 %".to_owned());
    }
    let eighths = judged * BAR * 8 / total;
    let mut bar = "█".repeat(eighths / 8);
    bar.push_str(EIGHTHS.get(eighths % 8).unwrap_or(&""));
    // Only a finished queue says 100 %.
    (bar, format!("{} %", judged * 100 / total))
}

/// Time on this item, typical time, time left; the last ones first to go where there is no room.
fn times(app: &App, columns: u16) -> String {
    let this = format!("{} this item", clock(app.active()));
    let is_known = app.queue.recent.len() >= ENOUGH;
    let Some(typical) = app.typical_active().filter(|_| is_known) else {
        return if columns >= WIDE { this } else { String::new() };
    };
    let progress = app.queue.progress;
    let open = progress.total.saturating_sub(progress.judged + progress.skipped);
    let left = typical.saturating_mul(i64::try_from(open).unwrap_or(i64::MAX));
    let pace = format!("{} typical", clock(typical));
    let left = if open == 0 { "all seen".to_owned() } else { format!("{} left", duration(left)) };
    if columns >= WIDE { format!("{this} · {pace} · {left}") } else { left }
}

/// With fewer items than this, the pace says nothing.
const ENOUGH: usize = 10;

/// From this width on the pace is shown in full.
const WIDE: u16 = 120;

/// Minutes and seconds: `0:42`.
pub(super) fn clock(milliseconds: i64) -> String {
    let seconds = milliseconds / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Hours and minutes: `2 h 24`, `38 min`.
pub(super) fn duration(milliseconds: i64) -> String {
    let minutes = (milliseconds + 30_000) / 60_000;
    if minutes >= 60 {
        format!("{} h {:02}", minutes / 60, minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min")
    } else {
        "under a minute".to_owned()
    }
}

/// Actions of the bottom line, the most needed first.
const SHOWN: &[Action] = &[
    Action::Next,
    Action::Back,
    Action::Undo,
    Action::Skip,
    Action::Flag,
    Action::Comment,
    Action::Search,
    Action::Help,
    Action::Guideline,
    Action::NextPane,
    Action::NextOpen,
    Action::GoTo,
    Action::Zoom,
    Action::OpenDocument,
];

pub(super) fn footer(app: &App, theme: &Theme, buffer: &mut Buffer) {
    let area = app.screen.footer;
    let is_covered = !app.overlays.last().is_none_or(Overlay::is_within_boards);
    if app.screen.judgment.title.is_empty() || is_covered {
        // Nowhere else to say it.
        let style = if app.notice.is_warning { theme.warning.0 } else { theme.quiet.0 };
        let notice = visible(&app.notice.text);
        if !notice.is_empty() {
            line(buffer, area, 0, 1, &notice, style);
            return;
        }
    }
    keys(app, theme, buffer, area);
}

fn keys(app: &App, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    hint_line(theme, buffer, area, hints(app));
}

/// Keys with what they do, as many as there is room for.
pub(super) fn hint_line(
    theme: &Theme,
    buffer: &mut Buffer,
    area: Rect,
    hints: impl IntoIterator<Item = (String, &'static str)>,
) {
    let mut column = 1;
    for (sign, name) in hints {
        let needs = width(&sign) + 1 + width(name) + 2;
        if usize::from(column) + needs > usize::from(area.width) + 2 {
            break;
        }
        column = key_and_name(buffer, area, column, &sign, name, (theme.key.0, theme.quiet.0)) + 2;
    }
}

/// The keys that work now, with what they do.
fn hints(app: &App) -> Vec<(String, &'static str)> {
    let fixed = |pairs: &[(&str, &'static str)]| {
        pairs.iter().map(|(sign, name)| ((*sign).to_owned(), *name)).collect::<Vec<_>>()
    };
    match app.overlays.last() {
        Some(Overlay::GoTo(_)) => fixed(&[("⏎", "go there"), ("↑ ↓", "choose"), ("esc", "back")]),
        Some(Overlay::Editor(_)) => {
            fixed(&[("⏎", "keep it"), ("alt-⏎", "new line"), ("esc", "as it was"), ("^u ^r", "undo redo")])
        }
        Some(Overlay::Selection(selection)) => selection_hints(app, selection.replaces.is_some()),
        Some(Overlay::Known { .. }) => {
            fixed(&[("⏎", "go on"), ("←", "back"), ("i", "guideline"), ("esc", "look at the item")])
        }
        Some(Overlay::Help { .. } | Overlay::Guideline { .. }) => {
            fixed(&[("space b", "page"), ("↓ ↑", "line"), ("esc", "back")])
        }
        _ => SHOWN
            .iter()
            .filter(|action| **action != Action::OpenDocument || app.has_documents())
            .map(|action| (app.keymap.sign(*action), action.brief()))
            .filter(|(sign, _)| !sign.is_empty())
            .collect(),
    }
}

fn selection_hints(app: &App, replaces: bool) -> Vec<(String, &'static str)> {
    let mut shown = vec![
        Action::SelectTake,
        Action::SelectNext,
        Action::SelectLonger,
        Action::SelectShorter,
        Action::SelectMore,
        Action::SelectEarlier,
        Action::SelectLater,
        Action::SelectLikely,
    ];
    if replaces {
        shown.splice(1..1, [Action::SelectAdd, Action::SelectRemove]);
    }
    let sign = |action: &Action| (app.keymap.sign(*action), action.brief());
    let mut hints: Vec<(String, &'static str)> = shown.iter().map(sign).collect();
    hints.insert(1, ("esc".to_owned(), "leave"));
    hints
}

pub(super) fn key_and_name(
    buffer: &mut Buffer,
    area: Rect,
    column: u16,
    sign: &str,
    name: &str,
    styles: (Style, Style),
) -> u16 {
    let after = line(buffer, area, 0, column, sign, styles.0);
    line(buffer, area, 0, after + 1, name, styles.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_progress_read_well() {
        assert_eq!([clock(42_900), clock(61_000)], ["0:42", "1:01"]);
        assert_eq!(
            [duration(8_640_000), duration(29_000), duration(2_280_000)],
            ["2 h 24", "under a minute", "38 min"]
        );
        assert_eq!(bar(12, 240), ("▌".to_owned(), "5 %".to_owned()));
        assert_eq!(bar(239, 240).1, "99 %");
        assert_eq!(bar(0, 0).1, "0 %");
    }
}
