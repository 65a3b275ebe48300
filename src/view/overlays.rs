//! What lies over the boards: help, guideline, prompts, the go-to list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use ratatui_textarea::TextArea;

use super::known;
use super::page::{Line, group_help, help_line, middle, page};
use super::paint::{clear, line, rule};
use super::theme::Theme;
use crate::app::App;
use crate::app::action::{Action, Group};
use crate::app::guideline::{GuidelineRow, RowKind, columns, rows};
use crate::app::overlay::{GoTo, Overlay, Prompt, PromptKind};
use crate::journal::State;
use crate::protocol::{Part, Question, QuestionKind};
use crate::text::width::{visible, width};

pub(super) fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    match app.overlays.last()? {
        Overlay::Help { scroll } => page(theme, buffer, "Keys", *scroll, &help(app, theme)),
        Overlay::Guideline { scroll } => {
            let rows = rows(&app.protocol.guideline, columns(app.size.0));
            page(theme, buffer, "Guideline", *scroll, &guideline(rows, theme));
        }
        Overlay::Known { scroll } => {
            page(theme, buffer, "Known answer", *scroll, &known::lines(app, theme));
        }
        Overlay::Done => page(theme, buffer, "Done", 0, &done(app, theme)),
        Overlay::Prompt(prompt) => return prompt_line(app, theme, buffer, prompt),
        Overlay::GoTo(list) => return go_to(app, theme, buffer, list),
        // Drawn where the answer and the document stand.
        Overlay::Editor(_) | Overlay::Selection(_) => {}
    }
    None
}

/// The keymap as help, after the keys that answer.
fn help(app: &App, theme: &Theme) -> Vec<Line> {
    let mut lines = vec![vec![("Answers".to_owned(), theme.focus.0)]];
    for question in &app.protocol.questions {
        lines.extend(answer_help(theme, question));
    }
    // The keys of other screens stand in their own help.
    for group in Group::ANNOTATE {
        lines.push(Vec::new());
        lines.extend(group_help(&app.keymap, *group, theme));
    }
    lines.push(Vec::new());
    lines.push(vec![(
        "Mouse: click answers, bullets, citations, documents, tabs; wheel scrolls.".into(),
        theme.quiet.0,
    )]);
    lines
}

/// The keys that answer a question.
pub(super) fn answer_help(theme: &Theme, question: &Question) -> Vec<Line> {
    let offered = question.offered().iter().map(|choice| {
        help_line(theme, &choice.key.to_string(), &format!("{} {}", question.prompt, choice.label))
    });
    let mut lines: Vec<Line> = offered.collect();
    let opens = match question.kind {
        QuestionKind::Text { .. } => "write it; ⏎ keeps it",
        QuestionKind::Passages { .. } => "select a passage",
        _ => "add one; its number opens it again",
    };
    let opener = question.key_to_open();
    lines.extend(
        opener.map(|key| help_line(theme, &key.to_string(), &format!("{}: {opens}", question.prompt))),
    );
    let numbers = match question.kind {
        QuestionKind::Bullet { several: false } => Some("its number"),
        QuestionKind::Bullet { several: true } | QuestionKind::Units { .. } => {
            Some("their numbers; ⏎ goes on")
        }
        _ => None,
    };
    lines.extend(numbers.map(|what| help_line(theme, "1 2 3 …", &format!("{}: {what}", question.prompt))));
    let none = crate::app::judgment::none_label(question);
    lines.extend(none.map(|none| help_line(theme, "0", &format!("{}: {none}", question.prompt))));
    lines
}

/// The guideline as it is read: headings stand out.
fn guideline(rows: Vec<GuidelineRow>, theme: &Theme) -> Vec<Line> {
    let line = |row: GuidelineRow| match row.kind {
        RowKind::Heading(level) => {
            let style = if level <= 2 { theme.focus.0 } else { theme.text.0.add_modifier(Modifier::BOLD) };
            vec![(row.text, style)]
        }
        RowKind::Text { lead } => vec![(lead.to_owned(), theme.key.0), (row.text, theme.text.0)],
    };
    rows.into_iter().map(line).collect()
}

fn done(app: &App, theme: &Theme) -> Vec<Line> {
    let progress = app.queue.progress;
    let typical =
        app.typical_active().map(|typical| format!("{} an item, typically", super::bars::clock(typical)));
    let plain = |text: String| vec![(text, theme.text.0)];
    let mut lines = vec![
        Vec::new(),
        vec![(format!("All {} items are judged.", progress.judged), theme.focus.0)],
        Vec::new(),
        plain(format!("{} flagged · {} skipped", progress.flagged, progress.skipped)),
    ];
    lines.extend(typical.map(plain));
    lines.push(Vec::new());
    let keys = [
        (Action::NextFlagged, "goes through the flagged ones"),
        (Action::Back, "looks at them again"),
        (Action::Undo, "takes the last one back"),
        (Action::Quit, "leaves; everything is saved"),
    ];
    for (action, text) in keys {
        lines.push(help_line(theme, &app.keymap.sign(action), text));
    }
    lines
}

fn prompt_line(app: &App, theme: &Theme, buffer: &mut Buffer, prompt: &Prompt) -> Option<Position> {
    let (name, hint) = match prompt.kind {
        PromptKind::Comment => ("Comment", "⏎ saves · alt-⏎ new line · esc leaves it as it was"),
        PromptKind::Search => ("Find", "⏎ keeps the hits, then ] and [ · esc ends"),
        PromptKind::Jump => ("Item number", "⏎ goes there · esc"),
        PromptKind::OpenDocument => ("Document number", "⏎ opens it · esc"),
    };
    let (columns, rows) = app.size;
    let wanted = if prompt.kind == PromptKind::Comment { 5 } else { 2 };
    let height = wanted.min(rows);
    let area = Rect::new(0, rows - height, columns, height);
    clear(buffer, area, theme.text.0);
    let top = Rect { height: height.min(1), ..area };
    rule(buffer, top, "─", theme.accent.0);
    let after = line(buffer, top, 0, 2, &format!(" {name} "), theme.focus.0);
    let found = if prompt.kind == PromptKind::Search { hits(app) } else { String::new() };
    let after = line(buffer, top, 0, after + 1, &visible(&found), theme.text.0);
    let at = top.width.saturating_sub(u16::try_from(width(hint)).unwrap_or(0) + 3);
    if at > after {
        line(buffer, top, 0, at, &format!(" {hint} "), theme.quiet.0);
    }
    let body = Rect {
        x: area.x + 1.min(columns),
        y: area.y + 1.min(height),
        width: columns.saturating_sub(2),
        height: height.saturating_sub(1),
    };
    editor(&prompt.area, theme, buffer, body)
}

/// How often the words occur, and where.
fn hits(app: &App) -> String {
    if app.reading.needle.is_empty() {
        return String::new();
    }
    if !app.has_documents() {
        return format!(" {} in the summary ", app.boards.candidate.hits.len());
    }
    let counts = app.hit_counts();
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    match counts.len() {
        0 => " nowhere ".to_owned(),
        documents => format!(" {} here, {total} in {documents} documents ", app.boards.documents.hits.len()),
    }
}

/// Draws an editor; the terminal's own cursor stands where one types, so that input methods find it.
pub(super) fn editor(area: &TextArea, theme: &Theme, buffer: &mut Buffer, place: Rect) -> Option<Position> {
    if place.is_empty() {
        return None;
    }
    let mut shown = area.clone();
    shown.set_style(theme.text.0);
    shown.set_cursor_line_style(theme.text.0);
    shown.set_cursor_style(theme.text.0.add_modifier(Modifier::REVERSED));
    (&shown).render(place, buffer);
    let at =
        (place.top()..place.bottom()).flat_map(|y| (place.left()..place.right()).map(move |x| (x, y))).find(
            |position| buffer.cell(*position).is_some_and(|cell| cell.modifier.contains(Modifier::REVERSED)),
        )?;
    if let Some(cell) = buffer.cell_mut(at) {
        cell.modifier.remove(Modifier::REVERSED);
    }
    Some(at.into())
}

fn go_to(app: &App, theme: &Theme, buffer: &mut Buffer, list: &GoTo) -> Option<Position> {
    let area = middle(app.size);
    clear(buffer, area, theme.text.0);
    let top = Rect { height: area.height.min(1), ..area };
    rule(buffer, top, "─", theme.accent.0);
    let after = line(buffer, top, 0, 2, " Go to ", theme.focus.0);
    let count = format!(" {} of {} items ", list.matches.len(), list.entries.len());
    line(buffer, top, 0, after + 1, &count, theme.quiet.0);
    let input = Rect {
        x: 2.min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(1).min(1),
    };
    let cursor = editor(&list.area, theme, buffer, input);
    let rows = area.height.saturating_sub(3);
    let body = Rect { x: input.x, y: area.y + 3, width: input.width, height: rows };
    let first = (list.selected + 1).saturating_sub(usize::from(rows));
    for (row, (index, found)) in (0..rows).zip(list.matches.iter().enumerate().skip(first)) {
        let Some(entry) = list.entries.get(found.entry) else {
            continue;
        };
        let is_selected = index == list.selected;
        let style = if is_selected { theme.chosen.0 } else { theme.text.0 };
        let mark = if is_selected { "▸ " } else { "  " };
        let column = line(buffer, body, row, 0, mark, theme.accent.0);
        let state = match entry.state {
            State::Judged => "●",
            State::Skipped => "–",
            State::Open => "○",
        };
        let flag = if entry.flagged { "!" } else { " " };
        let candidate = if app.protocol.group == Part::Candidate {
            format!("summary {:<3} ", entry.group)
        } else {
            String::new()
        };
        let facts = format!("{:>5} {state}{flag} {candidate}", entry.position + 1);
        let column = line(buffer, body, row, column, &facts, theme.quiet.0);
        let column = line(buffer, body, row, column, &visible(&entry.unit), style);
        line(buffer, body, row, column, &format!("  {}", visible(&entry.query)), theme.quiet.0);
    }
    cursor
}
