//! Questions whose answers are written or selected: texts, points, passages.

use super::offered::none;
use super::{JudgmentOf, PaneLine, QuestionBlock, Segment, segment};
use crate::app::kit::{Editor, Tone, extent};
use crate::number::short;
use crate::protocol::{Answer, Given, Question, Quote};
use crate::text::cells::cells;
use crate::text::difference::{WordChange, difference};
use crate::text::width::width;
use crate::text::words::on_one_line;
use crate::text::wrap::wrap;

/// Two texts that are longer together, in bytes, are not compared: it would take longer than a key may.
const COMPARED: usize = 8_192;

/// A written answer or its editor, with the changes since its beginning and the text that it reveals.
pub(super) fn text(index: usize, question: &Question, questions: &JudgmentOf, room: usize) -> QuestionBlock {
    let is_asked = question.is_asked(questions.answers);
    let given = questions.answers.get(&question.key).and_then(Answer::as_text);
    let editor = questions.editor.filter(|editor| editor.question == index);
    let mut block = match editor {
        Some(editor) => editing(editor, 0, room),
        None => {
            let (role, key) = if is_asked { (Tone::Plain, Tone::Key) } else { (Tone::Quiet, Tone::Quiet) };
            let sign = format!("{} ", question.key_to_open().unwrap_or(' '));
            let pieces = [(sign, key), (given.unwrap_or("write").to_owned(), role)];
            let mut lines = wrapped(&pieces, room);
            gives(&mut lines, index, &Given::Open);
            QuestionBlock { lines, ..QuestionBlock::default() }
        }
    };
    let now = editor.map(Editor::text).or(given.map(str::to_owned));
    if let (Some(before), Some(now), true) = (beginning(index, questions), now, is_asked)
        && before != now
        && before.len() + now.len() <= COMPARED
    {
        block.lines.extend(changes(before, &now, room));
    }
    if let Some((name, text)) = questions.revealed.get(index).and_then(Option::as_ref) {
        let pieces = [(format!("Reference {name}: "), Tone::Quiet), (text.clone(), Tone::Plain)];
        block.lines.extend(wrapped(&pieces, room));
    }
    block
}

fn beginning<'a>(index: usize, questions: &JudgmentOf<'a>) -> Option<&'a str> {
    questions.beginnings.get(index).copied().flatten()
}

/// The words taken out and put in. Signs tell which is which, not colours alone.
fn changes(before: &str, after: &str, room: usize) -> Vec<PaneLine> {
    let pieces: Vec<(String, Tone)> = difference(before, after)
        .into_iter()
        .map(|change| {
            let [before, after] = change.signs();
            let tone = match change {
                WordChange::Kept(_) => Tone::Quiet,
                WordChange::Removed(_) => Tone::Removed,
                WordChange::Added(_) => Tone::Added,
            };
            (format!("{before}{}{after}", change.text()), tone)
        })
        .collect();
    wrapped(&pieces, room)
}

/// The points under each other, each with its passages, and how to add one.
pub(super) fn points(
    index: usize,
    question: &Question,
    questions: &JudgmentOf,
    room: usize,
) -> QuestionBlock {
    let given = questions.answers.get(&question.key);
    let points = given.map_or(&[][..], Answer::points);
    let editor = questions.editor.filter(|editor| editor.question == index);
    let mut block = QuestionBlock::default();
    for (place, point) in points.iter().enumerate() {
        match editor.filter(|editor| editor.point == Some(place)) {
            Some(editor) => add(&mut block, numbered_editor(editor, place, room)),
            None => {
                let mut lines = wrapped(
                    &[(format!("{} ", place + 1), Tone::Key), (point.text.clone(), Tone::Plain)],
                    room,
                );
                lines.extend(point.passages.iter().map(|passage| vec![quoted(passage, "  ", room)]));
                gives(&mut lines, index, &number(place));
                block.lines.extend(lines);
            }
        }
    }
    match editor.filter(|editor| editor.point.is_none()) {
        Some(editor) => {
            if let Some(passage) = &editor.passage {
                block.lines.push(vec![quoted(passage, "", room)]);
            }
            add(&mut block, numbered_editor(editor, points.len(), room));
        }
        None => block.lines.push(openers(index, question, questions, "add", points.is_empty())),
    }
    block
}

/// The passages under each other, and how to select one.
pub(super) fn passages(
    index: usize,
    question: &Question,
    questions: &JudgmentOf,
    room: usize,
) -> QuestionBlock {
    let given = questions.answers.get(&question.key);
    let passages = given.map(Answer::passages).unwrap_or_default();
    let mut lines = Vec::new();
    for (place, passage) in passages.iter().enumerate() {
        let sign = segment(format!("{} ", place + 1), Tone::Key);
        let label = marks_of(question, passage);
        let room = room.saturating_sub(width(&sign.text) + width(&label));
        lines.push(vec![sign, segment(label, Tone::Chosen), quoted(passage, "", room)]);
        if let Some(line) = lines.last_mut() {
            gives(std::slice::from_mut(line), index, &number(place));
        }
    }
    match questions.mark_asked.filter(|(asked, _)| *asked == index) {
        Some((_, offered)) => {
            let labels: Vec<String> =
                offered.iter().map(|choice| format!("{} {}", choice.key, choice.beside_key())).collect();
            lines.extend(wrapped(&[(format!("it is  {}", labels.join("   ")), Tone::Open)], room));
        }
        None => lines.push(openers(index, question, questions, "select", passages.is_empty())),
    }
    QuestionBlock { lines, ..QuestionBlock::default() }
}

/// Labels of a passage in words: `number, minor: `.
fn marks_of(question: &Question, passage: &Quote) -> String {
    let label = |(offered, given): (&[crate::protocol::Choice], &Option<String>)| {
        let choice = offered.iter().find(|choice| Some(&choice.value) == given.as_ref())?;
        Some(choice.label.clone())
    };
    let said = question.marks().into_iter().zip([&passage.tag, &passage.severity]).filter_map(label);
    let said: Vec<String> = said.collect();
    if said.is_empty() { String::new() } else { format!("{}: ", said.join(", ")) }
}

/// The key that opens a question and, while nothing is there, the alternative that answers "nothing".
fn openers(
    index: usize,
    question: &Question,
    questions: &JudgmentOf,
    does: &str,
    is_empty: bool,
) -> PaneLine {
    let is_asked = question.is_asked(questions.answers);
    let (key, label) = if is_asked { (Tone::Key, Tone::Plain) } else { (Tone::Quiet, Tone::Quiet) };
    let mut line = vec![
        segment(question.key_to_open().map(String::from).unwrap_or_default(), key),
        segment(format!(" {does}"), label),
    ];
    gives(std::slice::from_mut(&mut line), index, &Given::Open);
    if questions.typed_for == Some(index) && is_asked {
        line.push(segment(format!("   {}_  ⏎ takes it", questions.typed), Tone::Open));
    }
    if let Some(none) = none(index, question, questions).filter(|_| is_empty) {
        line.push(segment("   ", Tone::Quiet));
        line.extend(none);
    }
    line
}

fn number(place: usize) -> Given {
    Given::Number(short(place + 1))
}

fn gives(lines: &mut [PaneLine], index: usize, given: &Given) {
    for piece in lines.iter_mut().flatten() {
        piece.gives = Some((index, given.clone()));
    }
}

/// A passage in one line, cut where it is longer.
fn quoted(passage: &Quote, lead: &str, room: usize) -> Segment {
    let words = on_one_line(&passage.quote);
    let mut text = format!("{lead}“");
    let mut used = width(&text) + 2;
    for cell in cells(&words) {
        used += usize::from(cell.width);
        if used > room {
            text.push('…');
            break;
        }
        text.push_str(cell.text);
    }
    text.push('”');
    segment(text, Tone::Quiet)
}

fn add(block: &mut QuestionBlock, more: QuestionBlock) {
    let first = block.lines.len();
    block.cursor = more.cursor.map(|(line, column)| (first + line, column)).or(block.cursor);
    block.lines.extend(more.lines);
    block.written.extend(more.written);
}

/// An editor behind the number of its point.
fn numbered_editor(editor: &Editor, place: usize, room: usize) -> QuestionBlock {
    let sign = format!("{} ", place + 1);
    let indent = width(&sign);
    let mut block = editing(editor, indent, room.saturating_sub(indent).max(8));
    let mut lead = segment(sign, Tone::Key);
    for line in &mut block.lines {
        let next = segment(" ".repeat(indent), Tone::Quiet);
        line.insert(0, std::mem::replace(&mut lead, next));
    }
    block
}

/// Lines of the text that is being written, with the cursor.
fn editing(editor: &Editor, indent: usize, room: usize) -> QuestionBlock {
    let text = editor.text();
    let cursor = editor.cursor();
    let columns = extent(room);
    let mut rows: Vec<std::ops::Range<usize>> = wrap(&text, columns).iter().collect();
    if text.is_empty() || text.ends_with('\n') {
        rows.push(text.len()..text.len());
    }
    let line = rows.partition_point(|row| row.start <= cursor).saturating_sub(1);
    let start = rows.get(line).map_or(0, |row| row.start);
    let before = width(text.get(start..cursor).unwrap_or("")).min(room.saturating_sub(1));
    let column = extent(indent + before);
    let shown =
        |row: &std::ops::Range<usize>| vec![segment(text.get(row.clone()).unwrap_or(""), Tone::Chosen)];
    QuestionBlock { lines: rows.iter().map(shown).collect(), cursor: Some((line, column)), written: rows }
}

/// Pieces as one text, broken into lines.
fn wrapped(pieces: &[(String, Tone)], room: usize) -> Vec<PaneLine> {
    let text: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
    let mut bounds = Vec::with_capacity(pieces.len());
    let mut end = 0;
    for (piece, role) in pieces {
        bounds.push((end..end + piece.len(), *role));
        end += piece.len();
    }
    let rows = wrap(&text, extent(room));
    let cut = |row: std::ops::Range<usize>| -> Vec<Segment> {
        bounds
            .iter()
            .map(|(bound, role)| (bound.start.max(row.start)..bound.end.min(row.end), *role))
            .filter(|(range, _)| range.start < range.end)
            .map(|(range, role)| segment(text.get(range).unwrap_or(""), role))
            .collect()
    };
    rows.iter().map(cut).collect()
}
