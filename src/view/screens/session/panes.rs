//! The query, the list of documents, the document in view and the summary.

use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::bars::fault_sign;
use crate::app::kit::{Action, PlacedPane, extent, wide};
use crate::app::screens::session::{BulletLine, GUTTER, SessionApp, SessionPane, WORDS, shelf};
use crate::journal::session::HowRead;
use crate::text::span::Span;
use crate::text::width::{visible, width};
use crate::view::kit::{Pen, Theme, editor, over, pane_title};

/// Draws the panes; returns the place of the cursor.
pub(super) fn draw(app: &SessionApp, pen: &mut Pen) -> Option<Position> {
    query(app, pen);
    let mut cursor = None;
    for (pane, place) in &app.layout.panes.0 {
        title(app, pen, *pane, *place);
        let at = match pane {
            SessionPane::List => list(app, pen, place.body),
            SessionPane::Document => document(app, pen, place.body),
            SessionPane::Summary => summary(app, pen, place.body),
        };
        if *pane == app.focus {
            cursor = at;
        }
    }
    cursor
}

fn query(app: &SessionApp, pen: &mut Pen) {
    let place = app.layout.query;
    pen.rule(place.title, pen.theme.rule.0);
    pen.label(place.title, 1, "Query", pen.theme.title.0);
    for index in 0..place.body.height {
        let Some(row) = app.query_board.row(usize::from(index)) else { break };
        pen.line(place.body, index, 0, app.query.text.get(row.bytes).unwrap_or(""), pen.theme.text.0);
    }
}

fn title(app: &SessionApp, pen: &mut Pen, pane: SessionPane, place: PlacedPane) {
    let (rows, scroll) = match pane {
        SessionPane::List => (0, 0),
        SessionPane::Document => (app.shelf.board.len(), app.shelf.board.scroll),
        SessionPane::Summary => (app.summary.sheet.len(), app.scroll),
    };
    let mut names = vec![(place.title.x + 2, app.tab_title(pane), pane == app.focus)];
    if app.layout.has_tabs {
        let tabs = app.tab_places().into_iter();
        names = tabs.map(|(at, tab)| (at.start, app.tab_title(tab), tab == app.focus)).collect();
    }
    let seen = (rows, scroll, place.body.height);
    pane_title(pen, place.title, seen, names.into_iter(), &details(app, pane));
}

/// The words behind a pane's name.
fn details(app: &SessionApp, pane: SessionPane) -> String {
    match pane {
        SessionPane::List => {
            let count = |wanted: HowRead| {
                let numbers = app.shelf.documents().iter().map(|document| document.number);
                numbers.filter(|number| app.session.reading(*number) == wanted).count()
            };
            let (read, part, unread) =
                (count(HowRead::Read), count(HowRead::PartRead), count(HowRead::Unread));
            format!("{read} read · {part} part-read · {unread} unread")
        }
        SessionPane::Document => match app.shelf.document() {
            Some(document) => {
                format!("{} · {}", state_name(app.session.reading(document.number)), shelf::title(document))
            }
            None => String::new(),
        },
        SessionPane::Summary => match app.summary.sheet.totals().faulty {
            0 => String::new(),
            faulty => format!("{faulty} to look at"),
        },
    }
}

fn state_name(reading: HowRead) -> &'static str {
    match reading {
        HowRead::Unread => "unread",
        HowRead::PartRead => "part-read",
        HowRead::Read => "read",
    }
}

fn state_sign(reading: HowRead) -> &'static str {
    match reading {
        HowRead::Unread => "○",
        HowRead::PartRead => "◐",
        HowRead::Read => "●",
    }
}

/// The filter, and the documents that fit it.
fn list(app: &SessionApp, pen: &mut Pen, area: Rect) -> Option<Position> {
    let is_focused = app.focus == SessionPane::List;
    let picker = &app.shelf.picker;
    let count = format!("{} of {}", picker.shown.len(), app.shelf.documents().len());
    let column = area.width.saturating_sub(wide(&count));
    let filter = app.shelf.picker.needle();
    let is_idle = !is_focused && filter.is_empty();
    let hint = format!("{} finds by title or number", app.frame.keymap.sign(Action::DocumentList));
    let after = pen.line(area, 0, 0, if is_idle { &hint } else { "find " }, pen.theme.quiet.0);
    pen.line(area, 0, column, &count, pen.theme.quiet.0);
    let input = Rect {
        x: area.x + after.min(area.width),
        width: column.saturating_sub(after + 1),
        height: area.height.min(1),
        ..area
    };
    let mut cursor = None;
    if is_focused {
        cursor = editor(&app.shelf.picker.area, pen, input);
    } else if !is_idle {
        pen.line(input, 0, 0, &visible(&filter), pen.theme.text.0);
    }
    let cited = &app.summary.sheet.totals().cited;
    let visible = picker.visible(area.height.saturating_sub(1));
    for (row, (index, document)) in (1..area.height).zip(visible) {
        list_row(app, pen, (area, row), (document, index == picker.selected && is_focused), cited);
    }
    cursor
}

fn list_row(
    app: &SessionApp,
    pen: &mut Pen,
    (area, row): (Rect, u16),
    (index, is_selected): (usize, bool),
    cited: &std::collections::BTreeSet<u32>,
) {
    let Some(document) = app.shelf.documents().get(index) else { return };
    let is_shown = app.shelf.view() == Some(index);
    let sign = if is_selected { "▸" } else { " " };
    let column = pen.line(area, row, 0, sign, pen.theme.accent.0);
    let reading = app.session.reading(document.number);
    let column = pen.line(area, row, column, &format!("{} ", state_sign(reading)), pen.theme.quiet.0);
    let number = format!("{:>5} ", format!("[{}]", document.number));
    let column = pen.line(area, row, column, &number, pen.theme.citation.0);
    let is_cited = cited.contains(&document.number);
    let facts = format!("{}{:>6}", if is_cited { " cited" } else { "" }, app.shelf.length(index));
    let wide = wide(&facts);
    let rest = Rect { width: area.width.saturating_sub(wide), ..area };
    let style = if is_shown || is_selected { pen.theme.chosen.0 } else { pen.theme.text.0 };
    pen.cut(rest, row, column, &shelf::title(document), style);
    pen.line(area, row, area.width.saturating_sub(wide), &facts, pen.theme.quiet.0);
}

fn document(app: &SessionApp, pen: &mut Pen, area: Rect) -> Option<Position> {
    let (board, text) = (&app.shelf.board, app.shelf.text());
    let theme = pen.theme;
    let visible = board.visible(area.height);
    let is_seen = |span: &&Span| span.end() > visible.start && span.start() < visible.end;
    let mut marks: Vec<(Span, Style)> =
        app.shelf.speakers.iter().filter(is_seen).map(|span| (*span, theme.quiet.0)).collect();
    marks.extend(board.hits_in(&visible).map(|hit| (*hit, theme.hit.0)));
    marks.extend(app.shelf.mark.map(|mark| (mark, theme.mark.0)));
    for index in 0..area.height {
        let Some(row) = board.row(board.scroll + usize::from(index)) else { break };
        let (start, indent) = (row.bytes.start, board.indent(text, &row));
        let content = text.get(row.bytes).unwrap_or("");
        pen.styled(area, index, indent, content, |offset| over(theme.text.0, &marks, start + offset));
    }
    None
}

/// Draws the visible rows of the summary: number, sign of the fault, text, words.
fn summary(app: &SessionApp, pen: &mut Pen, area: Rect) -> Option<Position> {
    let (sheet, text) = (&app.summary.sheet, app.summary.text());
    if text.is_empty() {
        pen.line(
            area,
            0,
            GUTTER,
            "one bullet a line; its documents at its end: [3] or [3,8]",
            pen.theme.quiet.0,
        );
    }
    let base = pen.theme.text.0;
    let hits = visible_hits(app, area.height);
    for index in 0..area.height {
        let Some((found, bytes)) = sheet.row(app.scroll + usize::from(index)) else { break };
        if found.first_row == app.scroll + usize::from(index) {
            margin(pen, area, index, found);
        }
        let marks = marks(app, pen.theme, found, &hits);
        let start = bytes.start;
        pen.styled(area, index, GUTTER, text.get(bytes).unwrap_or(""), |offset| {
            over(base, &marks, start + offset)
        });
    }
    let cursor = app.summary.cursor();
    let row = sheet.row_of(cursor);
    let (_, bytes) = sheet.row(row)?;
    let column = width(text.get(bytes.start..cursor).unwrap_or(""));
    let room = usize::from(area.width.saturating_sub(GUTTER + 1));
    let y = u16::try_from(row.checked_sub(app.scroll)?).ok().filter(|row| *row < area.height)?;
    Some(Position::new(area.x + GUTTER + extent(column.min(room)), area.y + y))
}

/// Hits of the search in the visible lines.
fn visible_hits(app: &SessionApp, height: u16) -> Vec<Span> {
    let (sheet, text) = (&app.summary.sheet, app.summary.text());
    let bytes = |row: usize| sheet.row(row).map(|(line, _)| (line.start, line.start + line.length));
    let last = (app.scroll + usize::from(height)).min(sheet.len()).saturating_sub(1);
    let (Some((start, _)), Some((_, end))) = (bytes(app.scroll), bytes(last)) else { return Vec::new() };
    let hits = app.shelf.search.hits_in(text.get(start..end).unwrap_or(""));
    hits.into_iter().filter_map(|hit| Span::new(text, start + hit.start(), start + hit.end())).collect()
}

fn margin(pen: &mut Pen, area: Rect, row: u16, line_of_row: &BulletLine) {
    let Some(number) = line_of_row.bullet else { return };
    let column = pen.line(area, row, 0, &format!("{number:>3}"), pen.theme.key.0);
    pen.line(area, row, column, fault_sign(line_of_row), pen.theme.warning.0);
    let words = format!("{:>wide$}", line_of_row.words, wide = usize::from(WORDS) - 1);
    let at = area.width.saturating_sub(WORDS - 1);
    if at > GUTTER {
        pen.line(area, row, at, &words, pen.theme.quiet.0);
    }
}

/// Styles of citations, with a warning on unknown ones, and of hits.
fn marks(app: &SessionApp, theme: &Theme, found: &BulletLine, hits: &[Span]) -> Vec<(Span, Style)> {
    let text = app.summary.text();
    let mut marks = Vec::new();
    for citation in &found.citations {
        let is_wrong = citation.numbers.iter().any(|number| !app.summary.sheet.is_known(*number));
        let style = if is_wrong { theme.warning.0 } else { theme.citation.0 };
        let (start, end) = (found.start + citation.span.start(), found.start + citation.span.end());
        marks.push((Span::around(text, start, end), style));
    }
    marks.extend(hits.iter().map(|hit| (*hit, theme.hit.0)));
    marks
}
