//! The adjudicate screen: the boards of the annotate screen, and the panel of opinions under them.

mod panel;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::annotate::bars::footer;
use super::annotate::{boards, overlays};
use crate::app::kit::{Action, HelpSection, Overlay, Paragraph, wide};
use crate::app::screens::adjudicate::{AdjudicateScreen, AdjudicateWork};
use crate::text::width::visible;
use crate::view::kit::page::{page, title};
use crate::view::kit::{
    Pen, Theme, all_done, answer_help, bars, group_help, group_help_of, help_line, keys_page, shortened,
};

/// Draws the screen into an empty buffer of its size; returns the place of the cursor, if it is shown.
pub fn draw(screen: &AdjudicateScreen, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let pen = &mut Pen { theme, buffer };
    header(screen, pen);
    let written = boards::draw(&screen.app, pen);
    let title = screen.app.layout.judgment.title;
    let (name, style) = match screen.docket.work {
        AdjudicateWork::Settle => ("Decision", pen.theme.title.0),
        AdjudicateWork::Review => ("Answered", pen.theme.title.0),
    };
    pen.label(title, 1, name, style);
    if screen.app.reserved > 0 {
        panel::draw(screen, pen);
    }
    let cursor = match screen.app.frame.overlays.last() {
        Some(Overlay::Help(shown)) => keys_page(pen, shown, help(screen)),
        Some(Overlay::Done) => {
            page(pen, "Done", 0, done(screen));
            None
        }
        _ => overlays::draw(&screen.app, pen),
    };
    if screen.app.frame.prompt().is_none() {
        bottom(screen, pen);
    }
    cursor.or(written)
}

fn header(screen: &AdjudicateScreen, pen: &mut Pen) {
    let app = &screen.app;
    let area = bars::sharing(&app.frame, pen, app.layout.header);
    let (work, done) = match screen.docket.work {
        AdjudicateWork::Settle => ("adjudicating", "settled"),
        AdjudicateWork::Review => ("review", ""),
    };
    let names = [&app.study, &app.protocol.name, &app.queue.name].map(|name| visible(name).into_owned());
    let left = shortened(&format!(" {} · {work}", names.join(" · ")), usize::from(area.width) / 2);
    pen.line(area, 0, 0, &left, pen.theme.header.0);
    let progress = app.queue.progress;
    let position = app.loaded.as_ref().map_or(0, |loaded| loaded.position + 1);
    let mut text = format!("item {position} of {}", progress.total);
    if screen.docket.work == AdjudicateWork::Settle {
        text.push_str(&format!(" · {} {done} ", progress.judged));
    }
    let at = wide(&left).saturating_add(3);
    let at = pen.line(area, 0, at, &text, pen.theme.header.0);
    if screen.docket.work == AdjudicateWork::Settle {
        bars::progress(pen, area, at, (progress.judged, progress.total));
    }
}

/// Actions of the bottom line, the most needed first.
const SHOWN: &[Action] = &[
    Action::NextOpen,
    Action::Back,
    Action::Undo,
    Action::Skip,
    Action::Comment,
    Action::Help,
    Action::Next,
    Action::NextPane,
    Action::Guideline,
    Action::GoTo,
    Action::Search,
    Action::Zoom,
];

fn bottom(screen: &AdjudicateScreen, pen: &mut Pen) {
    let app = &screen.app;
    let take = Some((keys_to_take(screen), "take it")).filter(|(keys, _)| !keys.is_empty());
    let writes = |action: &Action| matches!(action, Action::Undo | Action::Skip | Action::Comment);
    let shown = SHOWN.iter().filter(|action| screen.docket.work == AdjudicateWork::Settle || !writes(action));
    let name = |action: &Action| if *action == Action::Comment { "note" } else { action.brief() };
    let hints = shown.map(|action| (app.frame.keymap.sign(*action), name(action)));
    let hints = hints.filter(|hint| !hint.0.is_empty());
    footer(app, pen, take.into_iter().chain(hints).collect());
}

/// The keys that take the answers of the annotators who are shown.
fn keys_to_take(screen: &AdjudicateScreen) -> String {
    let keys = (0..screen.columns_shown()).filter_map(|opinion| screen.take_key(opinion));
    keys.map(String::from).collect::<Vec<String>>().join(" ")
}

/// The keys that settle first, then the keys of the boards.
fn help(screen: &AdjudicateScreen) -> Vec<Paragraph> {
    let app = &screen.app;
    let mut lines = Vec::new();
    if screen.docket.work == AdjudicateWork::Settle {
        lines.extend(group_help(&app.frame.keymap, HelpSection::Settling));
        lines.push(help_line(&keys_to_take(screen), "take the answers of that annotator"));
        lines.push(Paragraph::gap());
        lines.push(title("Answer anew"));
        lines.extend(app.protocol.questions.iter().flat_map(|question| answer_help(&app.protocol, question)));
    }
    for group in HelpSection::ANNOTATE {
        let is_shown = screen.docket.work == AdjudicateWork::Settle
            || !matches!(group, HelpSection::Judging | HelpSection::Selecting);
        // Flags, the rest of a summary and the tour belong to annotating.
        let applies = |action| {
            use Action::{Flag, GiveBack, LikelyBullet, NextFlagged, RestNone, Tour};
            app.applies(action)
                && ![Flag, GiveBack, LikelyBullet, NextFlagged, RestNone, Tour].contains(&action)
        };
        let found = group_help_of(&app.frame.keymap, *group, |action| is_shown && applies(action));
        lines.extend((!found.is_empty()).then(Paragraph::gap).into_iter().chain(found));
    }
    lines
}

fn done(screen: &AdjudicateScreen) -> Vec<Paragraph> {
    let app = &screen.app;
    let said = match screen.docket.work {
        AdjudicateWork::Settle => {
            all_done(app.queue.progress.judged, ("disagreement", "disagreements"), "settled")
        }
        AdjudicateWork::Review => "These were all items where gold differs from your answers.".to_owned(),
    };
    let mut lines = vec![Paragraph::gap(), title(&said), Paragraph::gap()];
    let keys = [
        (Action::Back, "looks at them again"),
        (Action::Undo, "takes the last decision back"),
        (Action::Quit, "leaves; everything is saved"),
    ];
    for (action, text) in keys {
        if screen.docket.work == AdjudicateWork::Settle || action != Action::Undo {
            lines.push(help_line(&app.frame.keymap.sign(action), text));
        }
    }
    lines
}
