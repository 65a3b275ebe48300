//! A page that lies over a screen: help, a guideline, a report.

use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use ratatui_textarea::TextArea;

use super::Pen;
use crate::app::kit::{
    Action, HelpPage, HelpSection, Keymap, MEASURE, Page, Paragraph, Prompt, PromptKind, Tone, columns, wide,
};
use crate::number::number_of;
use crate::protocol::{Protocol, Question, QuestionKind};
use crate::text::width::{padded, visible};

/// The area between the top and the bottom line of a screen of so many columns and rows.
pub fn middle((columns, rows): (u16, u16)) -> Rect {
    Rect::new(0, 1.min(rows), columns, rows.saturating_sub(2))
}

/// Empties an area over the screen and puts a rule with a name on its first row: `note` behind the name, `hint` at the
/// right where there is room.
pub fn open(
    pen: &mut Pen,
    area: Rect,
    style: Style,
    (name, (note, note_style), hint): (&str, (&str, Style), &str),
) {
    pen.clear(area);
    let top = Rect { height: area.height.min(1), ..area };
    pen.rule(top, style);
    let mut after = pen.line(top, 0, 2, &format!(" {name} "), pen.theme.focus.0);
    if !note.is_empty() {
        after = pen.line(top, 0, after + 1, &visible(note), note_style);
    }
    let at = top.width.saturating_sub(wide(hint).saturating_add(3));
    if !hint.is_empty() && at > after {
        pen.line(top, 0, at, &format!(" {hint} "), pen.theme.quiet.0);
    }
}

/// The rest of an area under its first rows, so many columns in from the left and the right.
pub fn under(area: Rect, rows: u16, columns: u16) -> Rect {
    Rect {
        x: area.x + columns.min(area.width),
        y: area.y + rows.min(area.height),
        width: area.width.saturating_sub(2 * columns),
        height: area.height.saturating_sub(rows),
    }
}

/// A sentence that nothing is left: `All 6 items are judged.`
pub fn all_done(count: usize, (one, several): (&str, &str), done: &str) -> String {
    match count {
        1 => format!("The only {one} is {done}."),
        2 => format!("Both {several} are {done}."),
        _ => format!("All {count} {several} are {done}."),
    }
}

/// Draws a page over all but the top and the bottom line of the screen, from row `scroll` on.
pub fn page(pen: &mut Pen, name: &str, scroll: usize, paragraphs: Vec<Paragraph>) {
    let area = middle(pen.size());
    let body = under(area, 1, 2);
    let mut page = Page::new(paragraphs);
    page.wrap(columns(area.width));
    let last = page.len().saturating_sub(usize::from(body.height));
    let first = scroll.min(last);
    let hint = if last == 0 {
        "esc closes"
    } else if first < last {
        "more ↓ · esc closes"
    } else {
        "end · esc closes"
    };
    open(pen, area, pen.theme.rule.0, (name, ("", pen.theme.text.0), hint));
    pen.page_rows(&page, first, body);
}

/// Draws the help: all of it, or the keys whose lines hold the words of its search. Returns the place of the cursor.
pub fn keys_page(pen: &mut Pen, help: &HelpPage, mut lines: Vec<Paragraph>) -> Option<Position> {
    let typed = help.words.as_ref().filter(|words| help.is_typed || !words.is_empty());
    if typed.is_some_and(|words| !words.is_empty()) {
        let is_found = |line: &Paragraph| help.shows(&format!("{} {}", line.lead().0, line.text()));
        lines.retain(|line| !line.lead().0.is_empty() && is_found(line));
        if lines.is_empty() {
            lines.push(Paragraph::quiet("no key is told with these words"));
        }
    }
    page(pen, "Keys", help.scroll, lines);
    let typed = typed?;
    let top = Rect { height: 1, ..middle(pen.size()) }.intersection(pen.buffer.area);
    // The words are typed behind the page's name.
    pen.line(top, 0, 8, " ", pen.theme.text.0);
    let place = Rect { x: top.x + 9.min(top.width), width: top.width.saturating_sub(9).min(30), ..top };
    let cursor = editor(typed, pen, place);
    cursor.filter(|_| help.is_typed)
}

/// Draws a page that is too short to scroll.
pub fn short_page(pen: &mut Pen, name: &str, paragraphs: Vec<Paragraph>) {
    let area = middle(pen.size());
    open(pen, area, pen.theme.rule.0, (name, ("", pen.theme.text.0), ""));
    let body = under(area, 2, 2);
    let mut page = Page::new(paragraphs);
    page.wrap(body.width.min(MEASURE));
    pen.page_rows(&page, 0, body);
}

/// Draws a prompt at the bottom of the screen, with the hits in `found`; returns the place of the cursor.
pub fn prompt(pen: &mut Pen, prompt: &Prompt, found: &str) -> Option<Position> {
    let (name, hint, rows) = match prompt.kind {
        PromptKind::Comment => ("Comment", "⏎ saves · alt-⏎ new line · esc leaves it as it was", 5),
        PromptKind::TagText => (prompt.question.as_str(), "⏎ saves · esc leaves it open", 2),
        PromptKind::GiveBack => ("Why you give it back", "⏎ gives it back for good · esc keeps it", 2),
        PromptKind::Search => ("Find", "⏎ keeps the hits, then ] and [ · esc ends", 2),
        PromptKind::Find => ("Find", "⏎ keeps the hits · esc ends", 2),
        PromptKind::FindInSummary => ("Find in the summary", "⏎ keeps the hits · esc ends", 2),
        PromptKind::Jump => ("Item number", "⏎ goes there · esc", 2),
        PromptKind::OpenDocument => ("Document number", "⏎ opens it · esc", 2),
        PromptKind::ViewName => ("Name of the view", "⏎ saves · esc", 2),
    };
    let (columns, height) = pen.size();
    let rows = rows.min(height);
    let area = Rect::new(0, height - rows, columns, rows);
    open(pen, area, pen.theme.accent.0, (name, (found, pen.theme.text.0), hint));
    editor(&prompt.area, pen, under(area, 1, 1))
}

/// The hits in view and those of each document that has some, for a prompt that searches.
pub fn hits_told<D>(here: usize, documents: &[(D, usize)]) -> String {
    let total: usize = documents.iter().map(|(_, count)| count).sum();
    match documents.len() {
        0 => " nowhere ".to_owned(),
        documents => format!(" {here} here, {total} in {} ", number_of(documents, "document")),
    }
}

/// Draws an editor; the terminal's own cursor stands in it, so that input methods find it.
pub fn editor(area: &TextArea, pen: &mut Pen, place: Rect) -> Option<Position> {
    if place.is_empty() {
        return None;
    }
    let mut shown = area.clone();
    shown.set_style(pen.theme.text.0);
    shown.set_cursor_line_style(pen.theme.text.0);
    shown.set_cursor_style(pen.theme.text.0.add_modifier(Modifier::REVERSED));
    (&shown).render(place, pen.buffer);
    let at = place.positions().find(|position| {
        pen.buffer.cell(*position).is_some_and(|cell| cell.modifier.contains(Modifier::REVERSED))
    })?;
    if let Some(cell) = pen.buffer.cell_mut(at) {
        cell.modifier.remove(Modifier::REVERSED);
    }
    Some(at)
}

/// A heading of a page.
pub fn title(text: &str) -> Paragraph {
    Paragraph::default().toned(text, Tone::Title)
}

/// A section of the help with its heading, each action with its keys.
pub fn group_help(keymap: &Keymap, group: HelpSection) -> Vec<Paragraph> {
    group_help_of(keymap, group, |_| true)
}

/// The actions of a section that `is_meant` takes, with the heading; nothing where there is none.
pub fn group_help_of(
    keymap: &Keymap,
    group: HelpSection,
    is_meant: impl Fn(Action) -> bool,
) -> Vec<Paragraph> {
    let is_listed = |action: &Action| action.group() == group && is_meant(*action);
    let mut actions = Action::ALL.into_iter().filter(is_listed).peekable();
    match actions.peek() {
        Some(_) => section_help(keymap, group.name(), actions),
        None => Vec::new(),
    }
}

/// Actions under a heading, each with its keys.
pub fn section_help(
    keymap: &Keymap,
    heading: &str,
    actions: impl IntoIterator<Item = Action>,
) -> Vec<Paragraph> {
    let keys = actions.into_iter().map(|action| action_help(keymap, action, action.help()));
    std::iter::once(title(heading)).chain(keys).collect()
}

/// An action with its keys and a sentence about it.
pub fn action_help(keymap: &Keymap, action: Action, says: &str) -> Paragraph {
    let keys: Vec<String> = keymap.keys(action).iter().map(|key| key.sign()).collect();
    help_line(&keys.join(" "), says)
}

/// A line of a help: keys, and their meaning.
pub fn help_line(keys: &str, text: &str) -> Paragraph {
    Paragraph::plain(text).led(format!("  {}", padded(keys, 18)), Tone::Key)
}

/// The keys that answer a question.
pub fn answer_help(protocol: &Protocol, question: &Question) -> Vec<Paragraph> {
    let offered = protocol.labels_shown(question).into_iter();
    let mut lines: Vec<Paragraph> = offered
        .map(|choice| help_line(&choice.key.to_string(), &format!("{} {}", question.prompt, choice.label)))
        .collect();
    let opens = match question.kind {
        QuestionKind::Text { .. } => "write it; ⏎ keeps it",
        QuestionKind::Passages { .. } => "select a passage",
        _ => "add one; its number opens it again",
    };
    let numbers = match question.kind {
        QuestionKind::Bullet { several: false } => Some("its number"),
        QuestionKind::Bullet { several: true } | QuestionKind::Units { .. } => {
            Some("their numbers; ⏎ goes on")
        }
        _ => None,
    };
    let others = [
        question.key_to_open().map(|key| (key.to_string(), opens)),
        numbers.map(|what| ("1 2 3 …".to_owned(), what)),
        question.none_label().map(|none| ("0".to_owned(), none)),
    ];
    let line = |(keys, what): (String, &str)| help_line(&keys, &format!("{}: {what}", question.prompt));
    lines.extend(others.into_iter().flatten().map(line));
    lines
}
