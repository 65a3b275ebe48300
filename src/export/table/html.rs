//! The form for pages: tables that are read on a screen, on paper, and by a screen reader.

use super::{BOLD, BestMark, ShownCell, ShownTable, Table, footnote, shown};
use crate::agreement::Undefined;
use crate::report::table::without_commands;
use crate::text::html::Html;

/// The most rows of a table on a page, where nobody reads more.
const MOST_ROWS: usize = 500;

/// Writes a table with its title as its caption and its notes below, in a frame that is scrolled where the
/// table is too wide. `id` tells the table from the others of its page.
pub fn html(table: &Table, id: &str, page: &mut Html) {
    let shown = shown(table, BOLD, |_| true);
    let caption = format!("{id}-title");
    page.open(
        "div",
        &[("class", "scroll"), ("role", "group"), ("tabindex", "0"), ("aria-labelledby", &caption)],
    );
    page.open("table", &[("id", id)]);
    page.element("caption", &[("id", &caption)], &table.title);
    head(&shown, page);
    let has_total = !table.total.is_empty() && shown.rows.len() > 1;
    let body = shown.rows.len() - usize::from(has_total);
    page.markup("<tbody>\n");
    shown
        .rows
        .iter()
        .enumerate()
        .take(body.min(MOST_ROWS))
        .for_each(|(at, cells)| row(&shown, at, cells, page));
    page.markup("</tbody>\n");
    if has_total {
        page.markup("<tfoot>\n");
        shown.rows.iter().enumerate().skip(body).for_each(|(at, cells)| row(&shown, at, cells, page));
        page.markup("</tfoot>\n");
    }
    page.markup("</table></div>\n");
    if body > MOST_ROWS {
        let note = format!("The first {MOST_ROWS} of {body} rows; the command's CSV and JSON have all.");
        page.element("p", &[("class", "note")], &note).markup("\n");
    }
    for (number, reason) in (1..).zip(&shown.reasons) {
        let (number, reason): (usize, &Undefined) = (number, reason);
        page.open("p", &[("class", "note")]).element("sup", &[], &number.to_string());
        page.text(" ").text(&without_commands(&footnote(reason))).markup("</p>\n");
    }
    let notes = shown.notes.iter().chain(&table.notes).map(|note| without_commands(note));
    for note in notes.filter(|note| !note.is_empty()) {
        page.element("p", &[("class", "note")], &note).markup("\n");
    }
}

/// The number of columns that name the rows: those of texts at the beginning, or the first column.
fn names(shown: &ShownTable<'_>) -> usize {
    shown.columns.iter().take_while(|column| !column.right).count().max(1)
}

fn head(shown: &ShownTable<'_>, page: &mut Html) {
    page.markup("<thead><tr>");
    for column in &shown.columns {
        let class = if column.right { "n" } else { "t" };
        match column.label().as_str() {
            // A column without a heading has no header cell.
            "" => page.element("td", &[("class", class)], ""),
            label => page.element("th", &[("scope", "col"), ("class", class)], label),
        };
    }
    page.markup("</tr></thead>\n");
}

fn row(shown: &ShownTable<'_>, place: usize, cells: &[ShownCell], page: &mut Html) {
    let mark = |column: usize| {
        shown.marks.get(&(place, column)).map(|mark| if *mark == BestMark::Best { "b" } else { "u" })
    };
    let names = names(shown);
    page.markup("<tr>");
    for (at, (column, cell)) in shown.columns.iter().zip(cells).enumerate() {
        let class = if column.right { "n" } else { "t" };
        let is_name = at < names && !matches!(cell, ShownCell::Text(text) if text.is_empty());
        let element = if is_name { "th" } else { "td" };
        match is_name {
            true => page.open(element, &[("class", class), ("scope", "row")]),
            false => page.open(element, &[("class", class)]),
        };
        let number = |text: &str, page: &mut Html| match mark(at) {
            Some(element) => {
                page.element(element, &[], text);
            }
            None => {
                page.text(text);
            }
        };
        match cell {
            ShownCell::Text(text) => number(text, page),
            ShownCell::Undefined(number) => {
                page.text("–").element("sup", &[], &number.to_string());
            }
            ShownCell::Estimate(value, ends) => {
                number(value, page);
                page.markup(" <small>");
                match ends {
                    Ok(ends) => page.text(ends),
                    Err(number) => page.text("–").element("sup", &[], &number.to_string()),
                };
                page.markup("</small>");
            }
        }
        page.close(element);
    }
    page.markup("</tr>\n");
}
