//! The replay of a session: the text as it was, and a line of time.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::kit::{Action, HelpSection, Overlay, Paragraph, extent, wide};
use crate::app::screens::replay::ReplayScreen;
use crate::number::counted;
use crate::text::width::width;
use crate::text::wrap::wrap;
use crate::view::kit::{Pen, Theme, bottom_line, clock, group_help, help_line, keys_page};

/// The longest rows of text, in columns.
const WIDEST: u16 = 100;

/// Actions of the bottom line.
const SHOWN: &[Action] = &[
    Action::ReplayPause,
    Action::ReplayBack,
    Action::ReplayForward,
    Action::ReplayPrevious,
    Action::ReplayNext,
    Action::ReplaySlower,
    Action::ReplayFaster,
    Action::Help,
    Action::Quit,
];

/// Draws the replay into an empty buffer of its size; returns the place of the last change.
pub fn draw_replay(replay: &ReplayScreen, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let pen = &mut Pen { theme, buffer };
    let (columns, rows) = pen.size();
    let row = |y: u16| Rect::new(0, y, columns, 1.min(rows.saturating_sub(y)));
    top(replay, pen, row(0));
    let lines = [row(rows.saturating_sub(2)), row(rows.saturating_sub(1))];
    let body =
        Rect::new(2.min(columns), 2.min(rows), columns.saturating_sub(4).min(WIDEST), rows.saturating_sub(5));
    let cursor = text(replay, pen, body);
    if rows > 2 {
        timeline(replay, pen, lines[0]);
        bottom(replay, pen, lines[1]);
    }
    if let Some(Overlay::Help(shown)) = replay.frame.overlays.last() {
        return keys_page(pen, shown, help(replay));
    }
    cursor
}

fn top(replay: &ReplayScreen, pen: &mut Pen, area: Rect) {
    let state = if replay.is_playing { "playing" } else { "paused" };
    let speed = match replay.speed {
        speed if speed < 1.0 => format!("{speed:.2}"),
        speed => format!("{speed:.0}"),
    };
    let right = format!("{state} ×{speed} · minute {} of {} ", clock(replay.at()), clock(replay.length));
    let column = area.width.saturating_sub(wide(&right));
    pen.line(area, 0, column, &right, pen.theme.header.0);
    let room = Rect { width: column.saturating_sub(1), ..area };
    let at = pen.cut(room, 0, 0, &format!(" {} · ", replay.title), pen.theme.header.0);
    pen.cut(room, 0, at, &replay.query, pen.theme.quiet.0);
}

/// Draws the text with the last change in view; returns its place.
fn text(replay: &ReplayScreen, pen: &mut Pen, area: Rect) -> Option<Position> {
    let whole = replay.text();
    let rows = wrap(whole, area.width);
    let height = usize::from(area.height);
    let at_end = replay.caret() == whole.len() && whole.ends_with('\n');
    let caret_row = rows.row_of(replay.caret()) + usize::from(at_end);
    let first = (caret_row + 1).saturating_sub(height);
    let mut cursor = None;
    for (row, range) in (0..area.height).zip(rows.iter().skip(first)) {
        let shown = whole.get(range.clone()).unwrap_or_default();
        pen.line(area, row, 0, shown, pen.theme.text.0);
        if first + usize::from(row) == caret_row {
            let before = whole.get(range.start..replay.caret().min(range.end)).unwrap_or_default();
            let column = wide(before).min(area.width.saturating_sub(1));
            cursor = Some(Position::new(area.x + column, area.y + row));
        }
    }
    if height > 0 && cursor.is_none() {
        let row = extent(caret_row.saturating_sub(first)).min(area.height - 1);
        cursor = Some(Position::new(area.x, area.y + row));
    }
    cursor
}

/// A bar as long as the session, with a mark at each snapshot.
fn timeline(replay: &ReplayScreen, pen: &mut Pen, area: Rect) {
    let bar = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    pen.rule(bar, pen.theme.rule.0);
    let last = i64::from(bar.width.saturating_sub(1));
    let place = |active: i64| {
        let column = if replay.length == 0 { 0 } else { active * last / replay.length };
        extent(counted(column))
    };
    for column in 0..=place(replay.at()) {
        pen.line(bar, 0, column, "━", pen.theme.bar.0);
    }
    for snapshot in &replay.snapshots {
        let style = if *snapshot <= replay.at() { pen.theme.bar.0 } else { pen.theme.rule.0 };
        pen.line(bar, 0, place(*snapshot), "┿", style);
    }
}

fn bottom(replay: &ReplayScreen, pen: &mut Pen, area: Rect) {
    if !replay.frame.notice.text.is_empty() {
        return bottom_line(pen, area, &replay.frame, None);
    }
    let mut column = 1;
    for action in SHOWN {
        let (sign, brief) = (replay.frame.keymap.sign(*action), action.brief());
        let needs = width(&sign) + width(brief) + 1;
        if sign.is_empty() || usize::from(column) + needs > usize::from(area.width) {
            continue;
        }
        column = pen.line(area, 0, column, &sign, pen.theme.key.0) + 1;
        if !brief.is_empty() {
            column = pen.line(area, 0, column, brief, pen.theme.quiet.0) + 2;
        }
    }
}

fn help(replay: &ReplayScreen) -> Vec<Paragraph> {
    let mut lines = group_help(&replay.frame.keymap, HelpSection::Replay);
    lines.push(Paragraph::gap());
    let program = [Action::Theme, Action::Help, Action::Redraw, Action::Suspend, Action::Quit];
    lines.extend(program.map(|action| help_line(&replay.frame.keymap.sign(action), action.help())));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::session::{Delta, MINUTE, SessionEvent, SessionHappening, chain};
    use crate::journal::{EventId, Writer};
    use crate::view::kit::theme::themes;

    fn replay(text: &str) -> ReplayScreen {
        let event = |seq, active, happening| SessionEvent {
            id: EventId { writer: Writer(1), seq },
            at: active,
            active,
            happening,
        };
        let delta = Delta { start: 0, removed: 0, inserted: text.to_owned() };
        let events = [
            event(1, MINUTE, SessionHappening::Edit(delta)),
            event(2, 10 * MINUTE, SessionHappening::Snapshot { is_last: false }),
            event(3, 20 * MINUTE, SessionHappening::Snapshot { is_last: true }),
        ];
        let mut replay = ReplayScreen::new("demo.db · cem".into(), "What of stress?".into(), &chain(&events));
        replay.seek(10 * MINUTE);
        replay.is_playing = false;
        replay
    }

    fn drawn(replay: &ReplayScreen, columns: u16, rows: u16) -> (Vec<String>, Option<Position>) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let cursor = draw_replay(replay, &themes()[0], &mut buffer);
        let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        ((0..rows).map(row).collect(), cursor)
    }

    #[test]
    fn text_clock_timeline_and_keys_are_shown() {
        let (rows, cursor) = drawn(&replay("- Breaks [8]\n- Tea [1]"), 80, 24);
        assert_eq!(
            rows[0],
            " demo.db · cem · What of stress?             paused ×60 · minute 10:00 of 20:00"
        );
        assert_eq!(rows[2..5], ["  - Breaks [8]", "  - Tea [1]", ""]);
        assert_eq!(cursor, Some(Position::new(11, 3)), "behind the last change");
        // 78 columns from 1 on: half of 77 is 38.
        let (left, right) = rows[22].split_at(rows[22].find('┿').unwrap());
        assert_eq!(left.trim_start().chars().count(), 38);
        assert!(right.ends_with('┿'), "{right}");
        assert!(rows[23].contains("space") && rows[23].ends_with("q quit"), "{}", rows[23]);
    }

    #[test]
    fn a_query_without_room_ends_in_an_ellipsis() {
        let mut replay = replay("- Tea [1]");
        replay.query = "What do students do against stress?".into();
        let (rows, _) = drawn(&replay, 80, 24);
        assert_eq!(
            rows[0],
            " demo.db · cem · What do students do agains… paused ×60 · minute 10:00 of 20:00"
        );
        let (rows, _) = drawn(&replay, 50, 24);
        assert_eq!(rows[0], " demo.db · ce… paused ×60 · minute 10:00 of 20:00");
    }

    #[test]
    fn the_last_change_is_in_view_and_no_size_breaks_it() {
        let many: Vec<String> = (1..=60).map(|number| format!("- 第 {number} 条 [8]")).collect();
        let replay = replay(&many.join("\n"));
        let (rows, _) = drawn(&replay, 80, 24);
        assert!(rows.iter().any(|row| row.contains("60")), "{rows:?}");
        for columns in [0, 1, 2, 5, 40, 200] {
            for rows in [0, 1, 2, 3, 4, 5, 6, 60] {
                drawn(&replay, columns, rows);
            }
        }
    }
}
