//! Overlays of the boards: help, guideline, prompts, the go-to list.

use ratatui::layout::{Position, Rect};

use crate::app::kit::{Action, GoTo, HelpSection, Overlay, Paragraph, PromptKind, extent};
use crate::app::screens::annotate::{App, paragraphs};
use crate::number::number_of;
use crate::protocol::{Pane, TargetPart};
use crate::text::width::{visible, width};
use crate::view::kit::page::{page, title};
use crate::view::kit::{
    Pen, all_done, answer_help, days_work, editor, group_help_of, help_line, hits_told, keys_page, middle,
    pace, page, state_sign,
};

pub(in crate::view) fn draw(app: &App, pen: &mut Pen) -> Option<Position> {
    match app.frame.overlays.last()? {
        Overlay::Help(shown) => return keys_page(pen, shown, help(app)),
        Overlay::Guideline { scroll } => {
            page(pen, "Guideline", *scroll, paragraphs(&app.protocol.guideline));
        }
        Overlay::Changes { scroll, page: lines } => page(pen, "Revised", *scroll, lines.clone()),
        Overlay::Done => page(pen, "Done", 0, done(app)),
        Overlay::Prompt(prompt) => {
            let found = if prompt.kind == PromptKind::Search { hits(app) } else { String::new() };
            return page::prompt(pen, prompt, &found);
        }
        Overlay::GoTo(list) => return go_to(app, pen, list),
        // Other overlays are drawn in the boards.
        _ => {}
    }
    None
}

/// The keymap as help, after the keys that answer.
fn help(app: &App) -> Vec<Paragraph> {
    let mut lines = vec![title("Answers")];
    lines.extend(app.protocol.questions.iter().flat_map(|question| answer_help(&app.protocol, question)));
    // The keys of other screens stand in their own help.
    for group in HelpSection::ANNOTATE {
        let found = group_help_of(&app.frame.keymap, *group, |action| app.applies(action));
        lines.extend((!found.is_empty()).then(Paragraph::gap).into_iter().chain(found));
    }
    lines.push(Paragraph::gap());
    lines.push(Paragraph::quiet("Mouse: click answers, bullets, citations, documents, tabs; wheel scrolls."));
    lines
}

fn done(app: &App) -> Vec<Paragraph> {
    let progress = app.queue.progress;
    let typical = app.typical_active().map(|typical| format!("{} an item, typically", pace(typical)));
    let mut lines = vec![
        Paragraph::gap(),
        title(&all_done(progress.judged, ("item", "items"), "judged")),
        Paragraph::gap(),
        Paragraph::plain(format!("{} flagged · {} skipped", progress.flagged, progress.skipped)),
    ];
    lines.extend(typical.map(Paragraph::plain));
    lines.extend(days_work(&app.day).map(Paragraph::plain));
    lines.push(Paragraph::gap());
    let keys = [
        (Action::NextFlagged, "goes through the flagged ones"),
        (Action::Back, "looks at them again"),
        (Action::Undo, "takes the last one back"),
        (Action::Quit, "leaves; everything is saved"),
    ];
    lines.extend(keys.map(|(action, text)| help_line(&app.frame.keymap.sign(action), text)));
    let study = visible(&app.study);
    lines.push(Paragraph::gap());
    if app.queue.is_handed_out {
        let next = app.frame.keymap.sign(Action::NextOpen);
        lines.push(Paragraph::quiet(match app.frame.sharing.as_str() {
            "" => "The hub is left alone; without --offline it may have more.".to_owned(),
            "offline" => {
                format!("The hub is not reached. With a network it may have more, and {next} goes on.")
            }
            _ => format!("The hub has no more for you now. If more comes it says so, and {next} goes on."),
        }));
    }
    lines.push(Paragraph::quiet(format!("After leaving: haymark status {study} says what else there is.")));
    lines
}

/// The number of hits, and their place.
fn hits(app: &App) -> String {
    if app.reading.search.is_off() {
        return String::new();
    }
    if !app.has_documents() {
        return format!(" {} in the summary ", app.boards[Pane::Candidate].hits.len());
    }
    hits_told(app.boards[Pane::Documents].hits.len(), &app.hit_counts())
}

/// Columns that an answer takes in the list of the last answers.
const MOST_TOLD: usize = 30;

fn go_to(app: &App, pen: &mut Pen, list: &GoTo) -> Option<Position> {
    let area = middle(app.frame.size);
    let count = match (list.picker.shown.len(), list.entries.len()) {
        (shown, all) if shown == all && list.is_history => format!(" {} ", number_of(all, "item")),
        (shown, all) => format!(" {shown} of {} ", number_of(all, "item")),
    };
    let name = if list.is_history { "Last answers" } else { "Go to" };
    let told_width = list.told.iter().map(|told| width(told)).max().unwrap_or(0).min(MOST_TOLD);
    page::open(pen, area, pen.theme.accent.0, (name, (&count, pen.theme.quiet.0), ""));
    let input = Rect {
        x: 2.min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(1).min(1),
    };
    let cursor = editor(&list.picker.area, pen, input);
    let rows = area.height.saturating_sub(3);
    let body = Rect { x: input.x, y: area.y + 3, width: input.width, height: rows };
    for (row, (index, found)) in (0..rows).zip(list.picker.visible(rows)) {
        let Some(entry) = list.entries.get(found) else { continue };
        let is_selected = index == list.picker.selected;
        let style = if is_selected { pen.theme.chosen.0 } else { pen.theme.text.0 };
        let mark = if is_selected { "▸ " } else { "  " };
        let column = pen.line(body, row, 0, mark, pen.theme.accent.0);
        let state = state_sign(entry.state);
        let flag = if entry.flagged { "!" } else { " " };
        let candidate = if app.protocol.group == TargetPart::Candidate {
            format!("summary {:<3} ", entry.group)
        } else {
            String::new()
        };
        let facts = format!("{:>5} {state}{flag} {candidate}", entry.position + 1);
        let mut column = pen.line(body, row, column, &facts, pen.theme.quiet.0);
        if let Some(told) = list.told.get(found) {
            let room = Rect { width: body.width.min(column + extent(told_width)), ..body };
            pen.cut(room, row, column, told, pen.theme.text.0);
            column = room.width + 2;
        }
        let column = pen.cut(body, row, column, &entry.unit, style);
        pen.cut(body, row, column, &format!("  {}", entry.query), pen.theme.quiet.0);
    }
    cursor
}
