//! The known answer, in the place of the judgment.

use super::{JudgmentLines, PaneLine, segment};
use crate::app::kit::Tone;
use crate::app::screens::annotate::{Told, ToldQuestion};
use crate::number::extent;
use crate::text::width::{padded, width};
use crate::text::wrap::wrap;

/// The lines at this width.
pub(super) fn lines(told: &Told, columns: u16) -> JudgmentLines {
    let verdict = match told.is_right {
        true => segment("Your answer is the known one.", Tone::Title),
        false => segment("The known answer is another.", Tone::Wrong),
    };
    let prompts = told.questions.iter().map(|question| width(&question.prompt));
    let indent = prompts.max().unwrap_or(0).min(usize::from(columns) / 3) + 4;
    let mut lines = vec![vec![verdict]];
    lines.extend(told.questions.iter().flat_map(|question| compared(question, indent, columns)));
    for (place, line) in told.explanation.split('\n').filter(|line| !line.is_empty()).enumerate() {
        lines.extend(wrapped(if place == 0 { "  Why" } else { "" }, line, Tone::Plain, indent, columns));
    }
    lines.extend(wrapped("", &mark(told), Tone::Quiet, 0, columns));
    lines.extend(next(told).iter().flat_map(|next| wrapped("", next, Tone::Wrong, 0, columns)));
    JudgmentLines { lines, ..JudgmentLines::default() }
}

/// A question with the answer given and, where it is another, the known one: on one line where both have room.
fn compared(question: &ToldQuestion, indent: usize, columns: u16) -> Vec<PaneLine> {
    let sign = match question.is_right {
        Some(true) => "✓",
        Some(false) => "✗",
        None => " ",
    };
    let lead = format!("{sign} {}", question.prompt);
    let (given, known) = (question.given.as_str(), question.known.as_str());
    if question.is_right == Some(true) {
        return wrapped(&lead, &format!("both {given}"), Tone::Plain, indent, columns);
    }
    let is_short = |text: &str| !text.contains('\n');
    let needs = indent + width(given) + width(known) + width("yours    known ");
    if needs <= usize::from(columns) && is_short(given) && is_short(known) {
        let mut lines = wrapped(&lead, &format!("yours {given}"), Tone::Plain, indent, columns);
        lines
            .last_mut()
            .into_iter()
            .for_each(|line| line.push(segment(format!("   known {known}"), Tone::Title)));
        return lines;
    }
    let mut lines = wrapped(&lead, &format!("yours {given}"), Tone::Plain, indent, columns);
    lines.extend(wrapped("", &format!("known {known}"), Tone::Title, indent, columns));
    lines
}

/// A text behind its lead; a lead that is too long has a line of its own.
fn wrapped(lead: &str, text: &str, tone: Tone, indent: usize, columns: u16) -> Vec<PaneLine> {
    let room = usize::from(columns).saturating_sub(indent).max(8);
    let rows = wrap(text, extent(room));
    let mut lines: Vec<PaneLine> = Vec::new();
    let mut lead = lead.to_owned();
    if width(&lead) + 2 > indent && !lead.is_empty() {
        lines.push(vec![segment(std::mem::take(&mut lead), Tone::Quiet)]);
    }
    for row in rows.iter() {
        let lead = padded(&std::mem::take(&mut lead), indent);
        let row = text.get(row).unwrap_or("");
        lines.push(vec![segment(lead, Tone::Quiet), segment(row, tone)]);
    }
    lines
}

/// Number of items judged right so far, and at the end whether they are enough.
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

/// The consequence of not passing.
fn next(told: &Told) -> Option<&'static str> {
    match told.passes() {
        Some(false) if told.must_pass => Some("Read what the guideline says; then calibration begins again."),
        Some(false) => Some("Speak with whoever runs the study before you go on."),
        _ => None,
    }
}
