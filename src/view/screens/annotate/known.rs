//! The known answer to a calibration item, beside the one that was given.

use crate::app::kit::action::Action;
use crate::app::kit::page::{Paragraph, Tone};
use crate::app::screens::annotate::App;
use crate::app::screens::annotate::calibrating::{Told, ToldQuestion};
use crate::view::kit::page::{help_line, title};

/// The page.
pub(super) fn paragraphs(app: &App) -> Vec<Paragraph> {
    let Some(told) = app.told() else {
        return Vec::new();
    };
    let verdict = match told.is_right {
        true => title("You judged it as is known."),
        false => Paragraph::default().toned("The known answer is another.", Tone::Wrong),
    };
    let mut page = vec![Paragraph::gap(), verdict, Paragraph::gap()];
    page.extend(told.questions.iter().flat_map(compared));
    if !told.explanation.is_empty() {
        page.extend([Paragraph::gap(), title("Why")]);
        page.extend(told.explanation.split('\n').map(Paragraph::plain));
    }
    page.extend([Paragraph::gap(), Paragraph::quiet(mark(&told))]);
    if told.passes() == Some(false) {
        let next = "Speak with whoever runs the study before you go on.";
        page.push(Paragraph::default().toned(next, Tone::Wrong));
    }
    page.push(Paragraph::gap());
    let on = if app.is_guideline_due() { "opens the guideline at what went wrong" } else { "goes on" };
    for (action, text) in [(Action::NextOpen, on), (Action::Back, "goes back")] {
        page.push(help_line(&app.frame.keymap.sign(action), text));
    }
    page
}

/// A question with the answer given and, where it is another, the known one.
fn compared(question: &ToldQuestion) -> Vec<Paragraph> {
    let sign = match question.is_right {
        Some(true) => "✓",
        Some(false) => "✗",
        None => " ",
    };
    let shows_known = question.is_right != Some(true);
    let given = if shows_known { "yours " } else { "both  " };
    let given = Paragraph::plain(&question.given).led(format!("  {sign} {given}"), Tone::Key);
    let known = shows_known.then(|| title(&question.known).led("    known ", Tone::Key));
    [Some(Paragraph::quiet(&question.prompt)), Some(given), known].into_iter().flatten().collect()
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
