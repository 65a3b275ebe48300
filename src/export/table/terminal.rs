//! The form for a terminal: columns aligned by what characters take on the screen.

use super::{Heading, ShownCell, ShownTable, Table, footnote, parts, shown};
use crate::number::extent;
use crate::text::width::{visible, width as columns_of};
use crate::text::wrap::wrap;

/// Texts are not wrapped into fewer columns than this.
const NARROWEST: usize = 12;

/// The fewest columns of a name, or of a word of a heading, where there is no other way.
const LEAST: usize = 6;

/// Names up to this width are not shortened where there is another way.
const NAME: usize = 16;

/// Draws the table in at most `width` columns, as far as wrapping its texts can. A table that is too wide all the same
/// stands in parts below each other, each with the names of the rows.
pub(super) fn draw(table: &Table, width: usize) -> String {
    let shown = shown(table, "* is the best of its column.", |shown| {
        side_by_side(floors(shown, &texts(shown, false)).into_iter()) <= width
    });
    // The ends of intervals stand beside their numbers where nothing is cut for it, else below.
    let beside = texts(&shown, true);
    let has_room = ColumnWidths::of(&shown, &beside, usize::MAX).total() <= width;
    let body = if has_room { beside } else { texts(&shown, false) };
    let mut lines = Vec::new();
    if !table.title.is_empty() {
        lines.extend(wrapped(&visible(&table.title), width));
        lines.push(String::new());
    }
    // Columns stand beside each other where no word of a heading and no short name is cut for it.
    let floors = floors(&shown, &body);
    let fits = |part: &[usize]| side_by_side(part.iter().map(|at| floors[*at])) <= width;
    for (at, part) in parts(&shown, fits).iter().enumerate() {
        if at > 0 {
            lines.push(String::new());
        }
        lines.extend(grid(&shown.of(part), &picked(&body, part), width));
    }
    lines.extend(below(table, &shown, width));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The width of columns of these widths with the narrowest gaps.
fn side_by_side(widths: impl ExactSizeIterator<Item = usize>) -> usize {
    let gaps = widths.len().saturating_sub(1);
    widths.sum::<usize>() + gaps
}

/// The cells of these columns.
fn picked(body: &[Vec<String>], columns: &[usize]) -> Vec<Vec<String>> {
    let cells = |row: &Vec<String>| columns.iter().filter_map(|at| row.get(*at).cloned()).collect();
    body.iter().map(cells).collect()
}

/// Headings, a line, and the rows.
fn grid(shown: &ShownTable<'_>, body: &[Vec<String>], width: usize) -> Vec<String> {
    let layout = ColumnWidths::of(shown, body, width);
    let mut lines = Vec::new();
    let headings: Vec<Vec<String>> = shown
        .columns
        .iter()
        .zip(&layout.widths)
        .map(|(column, width)| {
            let words =
                visible(&column.label()).split(' ').map(|word| shortened(word, *width)).collect::<Vec<_>>();
            wrapped(&words.join(" "), *width)
        })
        .collect();
    lines.extend(layout.lines(&headings, Edge::Bottom));
    lines.push("─".repeat(layout.total()));
    for row in body {
        let cells = row.iter().zip(&layout.widths).map(|(text, width)| fitted(text, *width));
        lines.extend(layout.lines(&cells.collect::<Vec<_>>(), Edge::Top));
    }
    if body.is_empty() {
        lines.push("(nothing)".to_owned());
    }
    lines
}

/// The width to which each column can be narrowed when no number, no word of a heading and no short name is cut.
fn floors(shown: &ShownTable<'_>, body: &[Vec<String>]) -> Vec<usize> {
    let longest_word = |text: &str| text.split_whitespace().map(columns_of).max().unwrap_or(0);
    let of_column = |(at, column): (usize, &&Heading)| {
        let cells = body.iter().filter_map(|row| row.get(at)).flat_map(|text| text.split('\n'));
        let widest = match column.right {
            true => cells.map(columns_of).max().unwrap_or(0),
            false => cells.map(longest_word).max().unwrap_or(0).min(NAME),
        };
        widest.max(longest_word(&column.label()))
    };
    shown.columns.iter().enumerate().map(of_column).collect()
}

/// Footnotes and notes, after an empty line.
fn below(table: &Table, shown: &ShownTable<'_>, width: usize) -> Vec<String> {
    let footnotes = shown.reasons.iter().enumerate();
    let footnotes =
        footnotes.map(|(index, reason)| format!("{} {}", superscript(index + 1), footnote(reason)));
    let notes = shown.notes.iter().chain(&table.notes).map(|note| visible(note).into_owned());
    let mut lines: Vec<String> = footnotes.chain(notes).flat_map(|text| wrapped(&text, width)).collect();
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

/// The cells' texts, safe to print; numbers with intervals on one line, so that the numbers stand below each other, or on two.
fn texts(shown: &ShownTable<'_>, on_one_line: bool) -> Vec<Vec<String>> {
    let ends = |ends: &std::result::Result<String, usize>| match ends {
        Ok(ends) => ends.clone(),
        Err(number) => format!("–{}", superscript(*number)),
    };
    let width_of_ends = |column: usize| {
        let cells = shown.rows.iter().filter_map(|row| row.get(column));
        let widths = cells.filter_map(|cell| match cell {
            ShownCell::Estimate(_, interval) => Some(columns_of(&ends(interval))),
            _ => None,
        });
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..shown.columns.len()).map(width_of_ends).collect();
    let text = |(cell, width): (&ShownCell, &usize)| match cell {
        ShownCell::Estimate(value, interval) if on_one_line => {
            let ends = ends(interval);
            format!("{value}{}{ends}", " ".repeat(2 + width - columns_of(&ends)))
        }
        ShownCell::Estimate(value, interval) => format!("{value}\n{}", ends(interval)),
        other => visible(&other.text(superscript)).into_owned(),
    };
    let of_row = |(at, row): (usize, &Vec<ShownCell>)| {
        let texts = row.iter().zip(&widths).map(text).enumerate();
        texts.map(|(column, text)| shown.marked((at, column), text, [["*", ""], ["", ""]])).collect()
    };
    shown.rows.iter().enumerate().map(of_row).collect()
}

pub(super) fn superscript(number: usize) -> String {
    let raise = |digit: char| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // ⁰ and ⁴ to ⁹ stand in a row.
        _ => digit.to_digit(10).and_then(|digit| char::from_u32('⁰' as u32 + digit)).unwrap_or(digit),
    };
    number.to_string().chars().map(raise).collect()
}

/// The rows of a text at a width; one empty row for an empty text.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let rows = wrap(text, extent(width));
    let rows: Vec<String> = rows.iter().filter_map(|row| text.get(row)).map(str::to_owned).collect();
    if rows.is_empty() { vec![String::new()] } else { rows }
}

/// The rows of a cell: a name, which is one word, is shortened where it is too long, and not broken.
fn fitted(text: &str, width: usize) -> Vec<String> {
    if text.contains(char::is_whitespace) { wrapped(text, width) } else { vec![shortened(text, width)] }
}

/// A word in at most `width` columns, without what is in its middle: `prompte…pt-4o`.
fn shortened(word: &str, width: usize) -> String {
    if columns_of(word) <= width {
        return word.to_owned();
    }
    let room = width.saturating_sub(1);
    let fits = |text: &str, most: usize| columns_of(text) <= most;
    let ends = || word.char_indices().map(|(at, _)| at).chain([word.len()]);
    let head =
        ends().filter_map(|end| word.get(..end)).take_while(|head| fits(head, room.div_ceil(2))).last();
    let head = head.unwrap_or_default();
    let tail = ends().filter_map(|start| word.get(start..)).find(|tail| fits(tail, room - columns_of(head)));
    format!("{head}…{}", tail.unwrap_or_default())
}

/// Where the lines of a cell stand when another cell of its row has more.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    Top,
    Bottom,
}

/// The widths of the columns and of the gaps between them.
struct ColumnWidths {
    widths: Vec<usize>,
    right: Vec<bool>,
    gap: usize,
}

impl ColumnWidths {
    /// Columns as wide as the cells and the longest words of the headings; then narrower gaps, then narrower
    /// texts, until the table fits.
    fn of(shown: &ShownTable<'_>, body: &[Vec<String>], width: usize) -> ColumnWidths {
        let (mut numbers, mut widths) = (Vec::new(), Vec::new());
        for (index, column) in shown.columns.iter().enumerate() {
            let label = column.label();
            let heading = label.split(' ').map(columns_of).max().unwrap_or(0);
            let cells = body.iter().filter_map(|row| row.get(index)).flat_map(|text| text.split('\n'));
            let cells = cells.map(columns_of).max().unwrap_or(0);
            numbers.push(if column.right { cells.max(LEAST) } else { LEAST });
            // A text wider than the screen is wrapped in any case.
            widths.push(cells.min(width.max(NARROWEST)).max(heading));
        }
        let right = shown.columns.iter().map(|column| column.right).collect();
        let mut layout = ColumnWidths { widths, right, gap: 2 };
        if layout.total() > width {
            layout.gap = 1;
        }
        layout.narrow(&floors(shown, body), width);
        // Where even one number beside the names is too wide, names and words of headings are shortened; numbers never are.
        layout.narrow(&numbers, width);
        layout
    }

    /// Narrows the widest column again and again, down to these floors, until the table fits.
    fn narrow(&mut self, floors: &[usize], width: usize) {
        while self.total() > width {
            let columns = self.widths.iter_mut().zip(floors);
            let widest = columns.filter(|(width, floor)| **width > **floor).max_by_key(|(width, _)| **width);
            let Some((widest, _)) = widest else { break };
            *widest -= 1;
        }
    }

    /// Columns of the whole table.
    fn total(&self) -> usize {
        self.widths.iter().sum::<usize>() + self.gap * self.widths.len().saturating_sub(1)
    }

    /// The lines of one row of cells, each of which is wrapped already.
    fn lines(&self, cells: &[Vec<String>], edge: Edge) -> Vec<String> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let texts = cells.iter().map(|rows| {
                let above = match edge {
                    Edge::Top => 0,
                    Edge::Bottom => height - rows.len(),
                };
                let row = at.checked_sub(above).and_then(|at| rows.get(at));
                row.map_or("", String::as_str)
            });
            self.line(texts)
        };
        (0..height).map(line).collect()
    }

    /// One line, with each text at the left or right edge of its column.
    fn line<'a>(&self, texts: impl Iterator<Item = &'a str>) -> String {
        let placed = texts.zip(&self.widths).zip(&self.right);
        let parts = placed.map(|((text, width), right)| {
            let space = " ".repeat(width.saturating_sub(columns_of(text)));
            match right {
                true => space + text,
                false => text.to_owned() + &space,
            }
        });
        parts.collect::<Vec<_>>().join(&" ".repeat(self.gap))
    }
}
