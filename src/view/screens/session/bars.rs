//! The top line (progress and time), the line for the bullet at the cursor, and the keys.

use ratatui::layout::Rect;

use crate::app::kit::{Action, Overlay, wide};
use crate::app::screens::session::{BulletFault, BulletLine, SessionApp, SessionPane, Stage};
use crate::number::{counted, number_of};
use crate::text::width::visible;
use crate::view::kit::{
    Hint, Pen, Theme, bottom_line, fixed, hint_line, progress, reading_help, sharing, shortened,
};

/// From this width on there is room for more than the necessary.
const WIDE: u16 = 120;

pub(super) fn header(app: &SessionApp, pen: &mut Pen) {
    let area = sharing(&app.frame, pen, app.layout.header);
    let left = format!(" {} · session · {}", visible(&app.study), visible(&app.name));
    let mut text = counts(app);
    if area.width >= WIDE {
        text.push_str(&format!(" · {} of {} read", app.documents_read(), app.shelf.documents().len()));
    }
    let (time, is_late) = time(app, area.width);
    // Names have the room that the rest leaves: the blanks between, and the bar of a wide screen.
    let bar = if area.width >= WIDE && app.setup.shows_clock { 18 } else { 0 };
    let room = area.width.saturating_sub(wide(&text) + wide(&time) + bar + 6);
    let left = shortened(&left, usize::from(room.max(area.width / 3)));
    let start = wide(&left).saturating_add(3);
    pen.line(area, 0, 0, &left, pen.theme.header.0);
    let mut end = pen.line(area, 0, start, &text, pen.theme.header.0);
    if area.width >= WIDE && app.setup.shows_clock {
        end = time_bar(app, pen, end + 1);
    }
    let column = area.width.saturating_sub(wide(&time).saturating_add(1));
    if column > end {
        pen.line(area, 0, column, &time, if is_late { pen.theme.warning.0 } else { pen.theme.header.0 });
    }
}

/// Bullets so far, and insights to write about.
fn counts(app: &SessionApp) -> String {
    let bullets = app.summary.sheet.totals().bullets;
    let written = number_of(bullets, "bullet");
    match app.setup.insights {
        0 => written,
        insights => format!("{written} for {}", number_of(insights, "insight")),
    }
}

/// Draws the share of the time that is used.
fn time_bar(app: &SessionApp, pen: &mut Pen, column: u16) -> u16 {
    let area = app.layout.header;
    let used = counted(app.clock.active().min(app.setup.limit) / 1_000);
    let limit = counted(app.setup.limit / 1_000);
    progress(pen, area, column, (used, limit))
}

/// The clock, where it is shown, and whether it warns.
fn time(app: &SessionApp, columns: u16) -> (String, bool) {
    let left = app.clock.left();
    if app.session.is_over_time {
        let over = if app.setup.shows_clock { format!(" {}", hours(-left)) } else { String::new() };
        return (format!("over time{over}"), true);
    }
    if !app.setup.shows_clock {
        return (String::new(), false);
    }
    let used = if columns >= WIDE { format!("{} · ", hours(app.clock.active())) } else { String::new() };
    (format!("{used}{} left", hours(left.max(0))), left <= 60_000)
}

/// Hours, minutes and seconds: `1:04:09`.
pub(super) fn hours(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1_000;
    format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Draws the fault of the bullet at the cursor, and the notice.
pub(super) fn status(app: &SessionApp, pen: &mut Pen) {
    let area = app.layout.status;
    let (notice, style) = notice(app, pen.theme);
    let needed = wide(&notice).saturating_add(3);
    let mut room = area;
    if !notice.is_empty() {
        let column = area.width.saturating_sub(needed);
        pen.label(area, column, &notice, style);
        room.width = column.saturating_sub(1);
    }
    let lines = app.summary.sheet.lines();
    if let Some(line) = lines.get(app.summary.line()) {
        let style = if line.is_faulty() { pen.theme.warning.0 } else { pen.theme.quiet.0 };
        pen.label(room, 1, &told(line), style);
    }
}

fn notice(app: &SessionApp, theme: &Theme) -> (String, ratatui::style::Style) {
    let text = visible(&app.frame.notice.text).into_owned();
    match (text.is_empty(), app.is_faulty(), app.is_unsaved()) {
        (false, ..) if app.frame.notice.is_warning => (text, theme.warning.0),
        (false, ..) => (text, theme.accent.0),
        (true, true, _) => ("not saved yet".to_owned(), theme.warning.0),
        (true, false, true) => (String::new(), theme.quiet.0),
        (true, false, false) => ("saved".to_owned(), theme.quiet.0),
    }
}

/// A bullet in words: its length, and its faults.
fn told(line: &BulletLine) -> String {
    let Some(number) = line.bullet else { return "empty line".to_owned() };
    if line.is_bare {
        return format!("bullet {number} · empty");
    }
    let mut parts = vec![format!("bullet {number}"), number_of(line.words, "word")];
    parts.extend(line.faults.iter().map(|fault| match fault {
        BulletFault::Uncited => "cites nothing yet".to_owned(),
        BulletFault::Unknown(number) => format!("[{number}] is no document here"),
        BulletFault::Twice(number) => format!("[{number}] is cited twice"),
    }));
    parts.join(" · ")
}

/// The sign of a line's fault in the margin.
pub(super) fn fault_sign(line: &BulletLine) -> &'static str {
    match line.faults.first() {
        Some(BulletFault::Unknown(_)) => "?",
        Some(BulletFault::Twice(_)) => "=",
        Some(BulletFault::Uncited) => "–",
        None => " ",
    }
}

pub(super) fn footer(app: &SessionApp, pen: &mut Pen) {
    let area: Rect = app.layout.footer;
    let hints = hints(app).into_iter().filter(|(sign, _)| !sign.is_empty());
    match app.stage {
        // The notice stands on the line above.
        Stage::Working => hint_line(pen, area, hints),
        _ => bottom_line(pen, area, &app.frame, hints),
    }
}

/// The keys that work now, the most needed first.
fn hints(app: &SessionApp) -> Vec<Hint> {
    match (app.frame.overlays.last(), app.stage) {
        (Some(Overlay::Help(_) | Overlay::Guideline { .. }), _) => reading_help(),
        (Some(Overlay::Finish), _) => fixed(&[("y", "end the session"), ("esc", "go on writing")]),
        (Some(_), _) => Vec::new(),
        (None, Stage::Working) => at_work(app),
        (None, Stage::Briefing) if app.must_confirm() => hints_outside(app, "y", "begin all the same"),
        (None, Stage::Briefing) => hints_outside(app, "⏎", "begin"),
        (None, Stage::Paused) => hints_outside(app, "⏎", "go on"),
        (None, Stage::TimeUp) => fixed(&[("e", "end here"), ("w", "write on, over time"), ("F1", "help")]),
        (None, Stage::Over(_)) => fixed(&[("⏎", "leave")]),
    }
}

fn hints_outside(app: &SessionApp, sign: &str, name: &'static str) -> Vec<Hint> {
    vec![
        (sign.to_owned(), name),
        (sign_of(app, Action::Quit, false), "leave"),
        (sign_of(app, Action::Help, false), "help"),
    ]
}

fn at_work(app: &SessionApp) -> Vec<Hint> {
    let is_writing = app.focus == SessionPane::Summary;
    let key = |action: Action, name: &'static str| (sign_of(app, action, is_writing), name);
    let brief = |action: Action| key(action, action.brief());
    match app.focus {
        SessionPane::Summary => vec![
            brief(Action::Cite),
            key(Action::NextPane, "read"),
            brief(Action::Help),
            brief(Action::DocumentList),
            brief(Action::Pause),
            brief(Action::Finish),
            brief(Action::WriteUndo),
            brief(Action::WriteRedo),
            brief(Action::WriteFind),
            key(Action::BesideNext, "next document"),
            key(Action::WriteMoveUp, "move bullet"),
            key(Action::Quit, "leave"),
        ],
        SessionPane::Document => vec![
            brief(Action::Cite),
            key(Action::NextPane, "write"),
            brief(Action::Help),
            key(Action::GoTo, "documents"),
            key(Action::NextDocument, "next"),
            brief(Action::Search),
            key(Action::NextMark, "hit"),
            brief(Action::Pause),
            brief(Action::Finish),
            brief(Action::OpenDocument),
            brief(Action::Zoom),
            key(Action::Quit, "leave"),
        ],
        SessionPane::List => vec![
            ("⏎".to_owned(), "open"),
            ("↑ ↓".to_owned(), "choose"),
            ("a…z".to_owned(), "filter"),
            ("esc".to_owned(), "back"),
            key(Action::NextPane, "write"),
            ("F1".to_owned(), "help"),
        ],
    }
}

/// The key that is shown for an action: a letter only while letters are no text.
fn sign_of(app: &SessionApp, action: Action, is_writing: bool) -> String {
    let keys = app.frame.keymap.keys(action);
    let wanted = |key: &&crate::app::kit::key::Key| key.plain_char().is_some() != is_writing;
    keys.iter().find(wanted).or(keys.first()).map_or_else(String::new, |key| key.sign())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(
            [hours(0), hours(3_849_999), hours(-5), hours(36_000_000)],
            ["0:00:00", "1:04:09", "0:00:00", "10:00:00"]
        );
    }
}
