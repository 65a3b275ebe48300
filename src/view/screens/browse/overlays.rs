//! Overlays of the browse screen: help, the filter line with its completions, prompts, lists.

use ratatui::layout::{Position, Rect};

use crate::app::kit::{
    Action, FilterLine, HelpSection, List, ListKind, Overlay, Paragraph, Tone, cut_top, extent, wide,
};
use crate::app::screens::browse::{BrowseScreen, SHARED};
use crate::number::number_of;
use crate::text::width::{visible, width};
use crate::text::wrap::{WrappedRows, wrap};
use crate::view::kit::page::title;
use crate::view::kit::{Pen, action_help, editor, group_help, keys_page, middle, page, under};

/// At most so many offers are listed over the filter.
const OFFERS: u16 = 10;

pub(super) fn draw(browse: &BrowseScreen, pen: &mut Pen) -> Option<Position> {
    match browse.frame.overlays.last()? {
        Overlay::Help(shown) => keys_page(pen, shown, help(browse)),
        Overlay::Filter(filter) => filter_line(browse, filter, pen),
        Overlay::Prompt(prompt) => page::prompt(pen, prompt, ""),
        Overlay::List(shown) => list(browse, shown, pen),
        _ => None,
    }
}

fn help(browse: &BrowseScreen) -> Vec<Paragraph> {
    let mut lines = group_help(&browse.frame.keymap, HelpSection::Browsing);
    for group in [HelpSection::Moving, HelpSection::Reading, HelpSection::Judging, HelpSection::Program] {
        let actions = SHARED.iter().copied().filter(|action| action.group() == group);
        lines.push(Paragraph::gap());
        let told = actions.map(|action| match action {
            Action::Search => (action, "filter the table; esc on a whole table shows all again"),
            Action::GoTo => (action, "filter the table by a word, slips allowed"),
            _ => (action, action.help()),
        });
        lines.push(title(group.name()));
        lines.extend(told.map(|(action, says)| action_help(&browse.frame.keymap, action, says)));
    }
    lines.extend([Paragraph::gap(), title("Filters")]);
    let filter =
        |(form, about): &(&str, &str)| Paragraph::plain(about).led(format!("  {form:<24} "), Tone::Key);
    lines.extend(FILTERS.iter().map(filter));
    lines.push(Paragraph::gap());
    lines.push(Paragraph::quiet("Mouse: click rows, headings, tabs, numbers; wheel scrolls."));
    lines
}

/// The filter language in examples.
const FILTERS: &[(&str, &str)] = &[
    ("pomodoro", "the word, in any text of the row"),
    ("\"25 minutes\"", "words as they stand"),
    ("~pomdoro", "a word with one slip"),
    ("system:gpt-4o", "a field that contains it; = exactly"),
    ("joint<20 words:40..90", "numbers: < <= > >= and ranges"),
    ("coverage@ann:full", "what one annotator says; @* anyone"),
    ("coverage@ann!=@bob", "both say something, and not the same"),
    ("tag:hallucinated -is:flagged", "tags; - leaves out; or; ( )"),
];

/// Draws the filter at the bottom, its fault under the faulty place, and the offers over it.
fn filter_line(browse: &BrowseScreen, filter: &FilterLine, pen: &mut Pen) -> Option<Position> {
    let (columns, rows) = browse.frame.size;
    let offers = extent(filter.completion.offers.len()).min(OFFERS);
    // The fault stands under its place where it has room there, else on a row of its own.
    let wrong = filter.error.as_ref().map(|error| {
        let text = filter.text();
        let column = wide(text.get(..error.place.start.min(text.len())).unwrap_or(&text));
        (column, visible(&error.sentence).into_owned())
    });
    let room = columns.saturating_sub(2);
    let far = match &wrong {
        Some((column, sentence)) if column.saturating_add(wide(sentence) + 2) > room => wrap(sentence, room),
        _ => WrappedRows::default(),
    };
    let height = (3 + offers + extent(far.len())).min(rows);
    let area = Rect::new(0, rows - height, columns, height);
    let last = if wrong.is_some() { "of the last valid filter " } else { "" };
    let count = format!(" {} {last}", number_of(browse.table().map_or(0, |screen| screen.rows.len()), "row"));
    page::open(pen, area, pen.theme.accent.0, ("Filter", (&count, pen.theme.quiet.0), ""));
    let top = Rect { height: height.min(1), ..area };
    let after = 12 + wide(&count);
    let hint = " ⏎ keeps it · tab completes · ↑ ↓ choose · esc as it was ";
    let at = top.width.saturating_sub(wide(hint).saturating_add(2));
    if at > after {
        pen.line(top, 0, at, hint, pen.theme.quiet.0);
    }
    let body = under(area, 1, 1);
    offers_above(filter, offers, body, pen);
    let typed = Rect {
        y: body.y + offers.min(body.height),
        height: body.height.saturating_sub(offers).min(1),
        ..body
    };
    let cursor = editor(&filter.area, pen, typed);
    let (_, below) = cut_top(Rect { height: body.bottom().saturating_sub(typed.y), ..typed }, 1);
    if let Some((column, sentence)) = wrong {
        let column = column.min(room.saturating_sub(1));
        let behind = pen.line(below, 0, column, "↑ ", pen.theme.warning.0);
        if far.is_empty() {
            pen.line(below, 0, behind, &sentence, pen.theme.warning.0);
        }
        for (row, bytes) in (1..).zip(far.iter()) {
            pen.line(below, row, 0, sentence.get(bytes).unwrap_or(""), pen.theme.warning.0);
        }
    }
    cursor
}

fn offers_above(filter: &FilterLine, offers: u16, body: Rect, pen: &mut Pen) {
    let first = filter.selected.map_or(0, |selected| (selected + 1).saturating_sub(usize::from(offers)));
    let shown = filter.completion.offers.iter().enumerate().skip(first);
    for (row, (index, offer)) in (0..offers).zip(shown) {
        let is_selected = filter.selected == Some(index);
        pen.line(body, row, 0, if is_selected { "▸" } else { " " }, pen.theme.accent.0);
        let style = if is_selected { pen.theme.chosen.0 } else { pen.theme.text.0 };
        let after = pen.line(body, row, 2, &visible(&offer.shown), style);
        let count = offer.count.map_or_else(String::new, |count| format!("{count} · "));
        pen.line(
            body,
            row,
            after.max(28) + 2,
            &format!("{count}{}", visible(&offer.about)),
            pen.theme.quiet.0,
        );
    }
}

fn list(browse: &BrowseScreen, list: &List, pen: &mut Pen) -> Option<Position> {
    let middle = middle(browse.frame.size);
    let lines = extent(list.entries.len());
    // As high as its lines, at the bottom, so that the table stays in view above it.
    let height = lines.saturating_add(3).min(middle.height);
    let area = Rect { y: middle.bottom() - height, height, ..middle };
    let count = match list.picker.shown.len() < list.entries.len() {
        true => format!(" {} of {} ", list.picker.shown.len(), list.entries.len()),
        false => String::new(),
    };
    page::open(pen, area, pen.theme.accent.0, (&list.title, (&count, pen.theme.quiet.0), ""));
    let inner = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(4), ..area };
    let (input, lines) = if list.has_letters() { (0, 1) } else { (1, 2) };
    let place = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1).min(input), ..inner };
    let cursor = editor(&list.picker.area, pen, place);
    let rows = inner.height.saturating_sub(lines);
    let body = Rect { y: inner.y + lines.min(inner.height), height: rows, ..inner };
    let names = list.picker.shown.iter().filter_map(|index| list.entries.get(*index));
    let widest = names.map(|entry| width(&entry.name)).max().unwrap_or(0).min(40);
    for (row, (place, index)) in (0..rows).zip(list.picker.visible(rows)) {
        let Some(entry) = list.entries.get(index) else { continue };
        let is_selected = place == list.picker.selected;
        pen.line(body, row, 0, if is_selected { "▸" } else { " " }, pen.theme.accent.0);
        let sign = match (entry.is_on, list.kind) {
            (true, _) => "●",
            (false, ListKind::Views) => " ",
            (false, _) => "○",
        };
        let mut column = pen.line(body, row, 2, sign, pen.theme.accent.0) + 1;
        if let Some(key) = entry.key {
            column = pen.line(body, row, column, &key.to_string(), pen.theme.key.0) + 1;
        }
        let style = if is_selected { pen.theme.chosen.0 } else { pen.theme.text.0 };
        let after = pen.line(body, row, column, &visible(&entry.name), style);
        let about = column + extent(widest).saturating_add(2);
        pen.line(body, row, about.max(after + 2), &visible(&entry.about), pen.theme.quiet.0);
    }
    cursor
}
