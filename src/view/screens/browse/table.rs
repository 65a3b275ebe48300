//! A table: its title with the filter, the headings, and the rows that are visible.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::app::kit::{Action, extent, wide};
use crate::app::screens::browse::{BrowseScreen, GUTTER, PlacedColumn, TableScreen, cell_text, place};
use crate::browse::{BrowseTable, ColumnHead};
use crate::text::width::{visible, width};
use crate::view::kit::{Pen, pane_label};

pub(super) fn draw(browse: &BrowseScreen, screen: &TableScreen, pen: &mut Pen) {
    title(browse, screen, pen);
    let room = browse.layout.body.width.max(browse.layout.heads.width).saturating_sub(GUTTER);
    let (placed, _) = place(&screen.wishes, screen.first_column, screen.column, room);
    heads(browse, screen, &placed, pen);
    let body = browse.layout.body;
    if screen.rows.is_empty() && !body.is_empty() {
        let sign = |action| browse.frame.keymap.sign(action);
        let [quit, queries, documents] =
            [Action::Quit, Action::TableQueries, Action::TableDocuments].map(sign);
        let others = format!("{queries} shows the queries, {documents} the documents");
        let hint = match screen.table() {
            _ if !screen.view.filter.is_empty() => {
                format!("no row fits the filter; {} changes it, esc goes back", sign(Action::Search))
            }
            _ if browse.tables.is_empty(BrowseTable::Queries) => {
                format!("the study is empty; haymark import STUDY FILE fills it, {quit} leaves")
            }
            BrowseTable::Items => {
                format!("nothing is judged yet; haymark annotate STUDY --as NAME begins, {quit} leaves")
            }
            BrowseTable::Candidates | BrowseTable::Systems => format!("there are no summaries yet; {others}"),
            BrowseTable::Units => format!("no query has units yet, such as insights; {others}"),
            _ => format!("there is nothing in this table; {others}"),
        };
        pen.line(body, 0, GUTTER, &hint, pen.theme.quiet.0);
    }
    let visible = screen.rows.iter().enumerate().skip(screen.top);
    for (at, (index, row)) in (0..body.height).zip(visible) {
        let is_current = index == screen.cursor;
        gutter(browse, screen, *row, is_current, Rect { y: body.y + at, height: 1, ..body }, pen);
        for column in &placed {
            cell(browse, screen, *row, *column, (at, is_current), pen);
        }
    }
}

/// The signs before a row.
fn gutter(
    browse: &BrowseScreen,
    screen: &TableScreen,
    row: u32,
    is_current: bool,
    area: Rect,
    pen: &mut Pen,
) {
    let place = (screen.table(), row);
    let is_marked = browse.marked == Some(place) || browse.chosen.contains(&place);
    let sign = match (is_current, is_marked) {
        (true, _) => "▸",
        (false, true) => "◆",
        (false, false) => " ",
    };
    pen.line(area, 0, 0, sign, pen.theme.accent.0);
    let is_settled = screen.table() == BrowseTable::Items && browse.tables.is_settled(row);
    if is_current && is_marked {
        pen.line(area, 0, 1, "◆", pen.theme.accent.0);
    } else if is_settled {
        pen.line(area, 0, 1, "✓", pen.theme.quiet.0);
    }
}

fn cell(
    browse: &BrowseScreen,
    screen: &TableScreen,
    row: u32,
    column: PlacedColumn,
    (at, is_current): (u16, bool),
    pen: &mut Pen,
) {
    let table = screen.table();
    let Some(id) = screen.columns.get(column.column) else { return };
    let Some(head) = browse.tables.head(table, *id) else { return };
    let value = browse.tables.value(table, row, *id);
    let text = cell_text(&value, head.kind);
    let style = if is_current { pen.theme.chosen.0 } else { pen.theme.text.0 };
    put(pen, browse.layout.body, at, column, &visible(&text), is_right(head), style);
}

fn is_right(head: &ColumnHead) -> bool {
    head.kind.is_number()
}

/// Writes a text into its column, cut with an ellipsis where it does not fit.
fn put(pen: &mut Pen, area: Rect, row: u16, column: PlacedColumn, text: &str, is_right: bool, style: Style) {
    let x = area.x.saturating_add(GUTTER).saturating_add(column.x);
    let right = x.saturating_add(column.width).min(area.right());
    let place = Rect { x, width: right.saturating_sub(x), ..area };
    let free = usize::from(place.width).saturating_sub(width(text));
    let column = if is_right { extent(free) } else { 0 };
    pen.cut(place, row, column, text, style);
}

fn heads(browse: &BrowseScreen, screen: &TableScreen, placed: &[PlacedColumn], pen: &mut Pen) {
    let area = browse.layout.heads;
    for column in placed {
        let head = screen.columns.get(column.column).and_then(|id| browse.tables.head(screen.table(), *id));
        let Some(head) = head else { continue };
        let sorted = screen.sorted().filter(|sort| sort.column == head.name);
        let sign = sorted.map_or("", |sort| if sort.descending { "▼" } else { "▲" });
        let is_current = column.column == screen.column;
        let style = if is_current && !browse.is_in_pane {
            pen.theme.focus.0.add_modifier(Modifier::UNDERLINED)
        } else if is_current {
            pen.theme.title.0.add_modifier(Modifier::UNDERLINED)
        } else {
            pen.theme.title.0
        };
        put(pen, area, 0, *column, &format!("{}{sign}", visible(&head.heading)), is_right(head), style);
    }
    // Signs of columns that are left out on either side.
    let (first, last) = (placed.get(1), placed.last());
    let hides_left = first.is_some_and(|column| column.column > 1);
    let hides_right = last.is_some_and(|column| column.column + 1 < screen.columns.len());
    if hides_left {
        pen.line(area, 0, 0, "‹", pen.theme.quiet.0);
    }
    if hides_right && area.width > 0 {
        pen.line(area, 0, area.width - 1, "›", pen.theme.quiet.0);
    }
}

fn title(browse: &BrowseScreen, screen: &TableScreen, pen: &mut Pen) {
    let area = browse.layout.title;
    pen.rule(area, pen.theme.rule.0);
    let total = browse.tables.len(screen.table());
    let shown = screen.rows.len();
    let count = if shown == total { format!("{total}") } else { format!("{shown} of {total}") };
    let mut room = area;
    if let Some(sort) = screen.sorted() {
        let sign = if sort.descending { "▼" } else { "▲" };
        let sorted = format!("by {} {sign}", visible(&sort.column));
        let needs = wide(&sorted).saturating_add(3);
        if needs < area.width / 2 {
            pen.label(area, area.width - needs, &sorted, pen.theme.quiet.0);
            room.width = area.width - needs;
        }
    }
    let name = format!("{} {count}", screen.table().title());
    let mut column = pane_label(pen, room, 1, &name, !browse.is_in_pane);
    if !screen.title.is_empty() {
        column = pen.label(room, column + 1, &format!("of {}", screen.title), pen.theme.title.0);
    }
    if !screen.view.filter.is_empty() {
        pen.label(room, column + 1, &format!("/ {}", screen.view.filter), pen.theme.quiet.0);
    }
}
