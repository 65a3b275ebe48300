//! The known answer to a calibration item, beside the one that was given.

use crate::app::kit::action::Action;
use crate::app::screens::annotate::App;
use crate::app::screens::annotate::calibrating::{Told, ToldQuestion};
use crate::app::screens::annotate::guideline::columns;
use crate::text::width::{visible, width};
use crate::text::wrap::wrap;
use crate::view::kit::page::{Line, help_line};
use crate::view::kit::theme::Theme;

/// The lines of the page.
pub(super) fn lines(app: &App, theme: &Theme) -> Vec<Line> {
    let Some(told) = app.told() else {
        return Vec::new();
    };
    let columns = columns(app.frame.size.0);
    let verdict = if told.is_right { "You judged it as is known." } else { "The known answer is another." };
    let style = if told.is_right { theme.focus.0 } else { theme.warning.0 };
    let mut lines = vec![Vec::new(), vec![(verdict.to_owned(), style)], Vec::new()];
    for question in &told.questions {
        lines.extend(compared(question, columns, theme));
    }
    if !told.explanation.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![("Why".to_owned(), theme.focus.0)]);
        for part in told.explanation.split('\n') {
            lines.extend(wrapped(part, columns).map(|row| vec![(row, theme.text.0)]));
        }
    }
    lines.push(Vec::new());
    lines.extend(wrapped(&mark(&told), columns).map(|row| vec![(row, theme.quiet.0)]));
    if told.passes() == Some(false) {
        let next = "Speak with whoever runs the study before you go on.";
        lines.extend(wrapped(next, columns).map(|row| vec![(row, theme.warning.0)]));
    }
    lines.push(Vec::new());
    for (action, text) in [(Action::Next, "goes on"), (Action::Back, "goes back")] {
        lines.push(help_line(theme, &app.frame.keymap.sign(action), text));
    }
    lines
}

/// A question with the answer given and, where it is another, the known one.
fn compared(question: &ToldQuestion, columns: u16, theme: &Theme) -> Vec<Line> {
    let mut rows = vec![vec![(visible(&question.prompt).into_owned(), theme.quiet.0)]];
    let sign = match question.is_right {
        Some(true) => "✓",
        Some(false) => "✗",
        None => " ",
    };
    let shows_known = question.is_right != Some(true);
    let given = if shows_known { "yours " } else { "both  " };
    let mut answer = |lead: &str, text: &str, style| {
        let room = columns.saturating_sub(u16::try_from(width(lead)).unwrap_or(0));
        for (row, text) in wrapped(text, room).enumerate() {
            let lead = if row == 0 { lead.to_owned() } else { " ".repeat(width(lead)) };
            rows.push(vec![(lead, theme.key.0), (text, style)]);
        }
    };
    answer(&format!("  {sign} {given}"), &question.given, theme.text.0);
    if shows_known {
        answer("    known ", &question.known, theme.focus.0);
    }
    rows
}

/// How many so far, and at the end whether that is enough.
fn mark(told: &Told) -> String {
    let share = 100.0 * told.right as f64 / told.judged.max(1) as f64;
    let score = format!("{} of {} as known", told.right, told.judged);
    match told.passes() {
        None if told.judged < told.count => {
            format!("Calibration item {} of {}; {score} so far.", told.judged, told.count)
        }
        None => format!("Calibration is done: {score}."),
        Some(passes) => format!(
            "Calibration is done: {score}, which is {share:.0} %. {:.0} % were asked: {}.",
            told.pass.unwrap_or_default(),
            if passes { "passed" } else { "not passed" }
        ),
    }
}

/// The rows of a text at a width; one empty row for an empty text.
fn wrapped(text: &str, columns: u16) -> impl Iterator<Item = String> {
    let mut rows: Vec<String> = wrap(text, columns)
        .iter()
        .filter_map(|row| text.get(row))
        .map(|row| visible(row).into_owned())
        .collect();
    if rows.is_empty() {
        rows.push(String::new());
    }
    rows.into_iter()
}
