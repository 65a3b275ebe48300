//! The judgment pane as lines of segments: what is drawn there, and what a click on it means.

mod known;
mod offered;
mod written;

use std::ops::Range;

use super::App;
use crate::app::kit::{Editor, Overlay, Tone, extent};
use crate::protocol::{Answers, Choice, Given, Protocol, Question, QuestionKind};
use crate::study::Unit;
use crate::text::width::width;
use crate::text::wrap::wrap;

/// A piece of a line of the judgment pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub text: String,
    pub tone: Tone,
    /// The question and the value that a click on the piece gives.
    pub gives: Option<(usize, Given)>,
}

/// A line of the pane.
pub type PaneLine = Vec<Segment>;

/// The contents of the judgment pane.
pub struct JudgmentOf<'a> {
    pub protocol: &'a Protocol,
    pub answers: &'a Answers,
    /// Bullets of the candidate.
    pub bullets: usize,
    /// Units to choose from.
    pub choices: &'a [Unit],
    /// Digits typed of a number that could still go on.
    pub typed: &'a str,
    /// Index of the question that the digits are for.
    pub typed_for: Option<usize>,
    /// The text that each question begins with.
    pub beginnings: Vec<Option<&'a str>>,
    /// Name and text that each question shows once it is answered.
    pub revealed: Vec<Option<(String, String)>>,
    /// The editor, while an answer is written.
    pub editor: Option<&'a Editor>,
    /// Index of the question whose passage was taken, and the choices to mark it with.
    pub mark_asked: Option<(usize, &'a [Choice])>,
}

/// The pane's lines at some width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgmentLines {
    pub lines: Vec<PaneLine>,
    /// Line and column of the text cursor.
    pub cursor: Option<(usize, u16)>,
    /// The rows of the text that is being written, as bytes of it.
    pub written: Vec<Range<usize>>,
    /// The line that must be on the screen.
    shown: usize,
}

impl JudgmentLines {
    /// The first line to draw in a pane of so many rows: as scrolled, else so that the question that is asked is seen.
    pub fn first(&self, height: u16, scroll: Option<usize>) -> usize {
        let last = self.lines.len().saturating_sub(usize::from(height));
        scroll.unwrap_or((self.shown + 1).saturating_sub(usize::from(height))).min(last)
    }
}

/// The lines of one question behind its prompt, and the text cursor in them.
#[derive(Default)]
struct QuestionBlock {
    lines: Vec<PaneLine>,
    cursor: Option<(usize, u16)>,
    written: Vec<Range<usize>>,
}

impl App {
    /// The first line of the judgment pane to draw.
    pub fn judgment_top(&self, lines: &JudgmentLines) -> usize {
        lines.first(self.layout.judgment.body.height, self.begun.judgment_scroll)
    }

    /// Scrolls the judgment pane by so many lines, where not all of them are seen.
    pub(super) fn scroll_judgment(&mut self, by: isize) {
        let body = self.layout.judgment.body;
        let lines = self.judgment_lines(body.width);
        let top = self.judgment_top(&lines).saturating_add_signed(by);
        self.begun.judgment_scroll = Some(lines.first(body.height, Some(top)));
    }

    /// The judgment pane's lines at this width.
    pub fn judgment_lines(&self, width: u16) -> JudgmentLines {
        let Some(loaded) = &self.loaded else { return JudgmentLines::default() };
        if let Some(told) = self.told().filter(|_| self.is_telling()) {
            return known::lines(&told, width);
        }
        let asked = || self.protocol.questions.iter();
        let questions = JudgmentOf {
            protocol: &self.protocol,
            answers: &loaded.standing.answers,
            bullets: self.bullet_count(),
            choices: &loaded.item.choices,
            typed: &self.begun.typed,
            typed_for: self.begun.typed.chars().next().and_then(|digit| self.digit_question(digit)),
            beginnings: asked().map(|question| self.beginning(question)).collect(),
            revealed: asked().map(|question| self.revealed(question, &loaded.standing.answers)).collect(),
            mark_asked: self.selection().and_then(|one| Some((one.question, self.mark_asked()?))),
            editor: match self.frame.overlays.last() {
                Some(Overlay::Editor(editor)) => Some(editor),
                _ => None,
            },
        };
        lines(&questions, width)
    }
}

/// The lines at this width.
pub fn lines(questions: &JudgmentOf, columns: u16) -> JudgmentLines {
    let open = questions.protocol.open_question(questions.answers);
    let prompts = questions.protocol.questions.iter().map(|question| width(&question.prompt));
    // A long prompt has lines of its own, so that it leaves the answers their room.
    let indent = prompts.max().unwrap_or(0).min(usize::from(columns) / 3) + 2;
    let room = usize::from(columns).saturating_sub(indent).max(8);
    if let Some(line) = in_one_line(questions, open, room, usize::from(columns)) {
        return JudgmentLines { lines: vec![line], ..JudgmentLines::default() };
    }
    let mut all = JudgmentLines::default();
    for (index, question) in questions.protocol.questions.iter().enumerate() {
        let is_open = open.is_some_and(|open| open.key == question.key);
        let is_written = questions.editor.is_some_and(|editor| editor.question == index);
        let block = block(index, question, questions, room);
        all.written.extend(block.written);
        let mut lead = prompt(question, questions, is_open || is_written, indent);
        if width(&question.prompt) + 2 > indent {
            let rows = wrap(&question.prompt, columns);
            let line = |row| vec![segment(question.prompt.get(row).unwrap_or(""), lead.tone)];
            all.lines.extend(rows.iter().map(line));
            lead = segment(" ".repeat(indent), Tone::Quiet);
        }
        let first = all.lines.len();
        if let Some((line, column)) = block.cursor {
            let indent = extent(indent);
            all.cursor = Some((first + line, column.saturating_add(indent)));
        }
        for line in block.lines {
            let next = segment(" ".repeat(indent), Tone::Quiet);
            all.lines.push(std::iter::once(std::mem::replace(&mut lead, next)).chain(line).collect());
        }
        if is_open || (open.is_none() && question.grows()) {
            all.shown = all.lines.len().saturating_sub(1);
        }
    }
    if let Some((line, _)) = all.cursor {
        all.shown = line;
    }
    all
}

/// All questions in one line, where there are two or more and any answers fit. Written answers grow, and never stand in one line.
fn in_one_line(
    questions: &JudgmentOf,
    open: Option<&Question>,
    room: usize,
    columns: usize,
) -> Option<PaneLine> {
    const GAP: usize = 4;
    let all = &questions.protocol.questions;
    let is_offered = |question: &Question| question.key_to_open().is_none();
    if all.len() < 2 || !all.iter().all(is_offered) {
        return None;
    }
    let mut line = PaneLine::new();
    let columns_of = |line: &PaneLine| line.iter().map(|piece| width(&piece.text)).sum::<usize>();
    let mut end: usize = 0;
    for (index, question) in all.iter().enumerate() {
        let is_open = open.is_some_and(|open| open.key == question.key);
        let mut lines = offered::lines(index, question, questions, room).into_iter();
        let (first, None) = (lines.next()?, lines.next()) else { return None };
        let lead = prompt(question, questions, is_open, width(&question.prompt) + 2);
        let before = end;
        line.push(segment(" ".repeat(before.saturating_sub(columns_of(&line))), Tone::Quiet));
        line.push(lead);
        line.extend(first);
        let given = columns_of(&line).saturating_sub(offered::GAP);
        end = given.max(before + width(&question.prompt) + 2 + offered::reserved(question, questions)) + GAP;
    }
    (end <= columns + GAP).then_some(line)
}

fn block(index: usize, question: &Question, questions: &JudgmentOf, room: usize) -> QuestionBlock {
    match question.kind {
        QuestionKind::Text { .. } => written::text(index, question, questions, room),
        QuestionKind::Passages { .. } => written::passages(index, question, questions, room),
        QuestionKind::Points { .. } => written::points(index, question, questions, room),
        _ => QuestionBlock {
            lines: offered::lines(index, question, questions, room),
            ..QuestionBlock::default()
        },
    }
}

fn segment(text: impl Into<String>, tone: Tone) -> Segment {
    Segment { text: text.into(), tone, gives: None }
}

fn prompt(question: &Question, questions: &JudgmentOf, is_open: bool, indent: usize) -> Segment {
    let padding = indent.saturating_sub(width(&question.prompt));
    let tone = match (question.is_asked(questions.answers), is_open) {
        (false, _) => Tone::Quiet,
        (true, true) => Tone::Open,
        (true, false) => Tone::Plain,
    };
    segment(format!("{}{}", question.prompt, " ".repeat(padding)), tone)
}

/// The question and the value that a click in this column of a line gives.
pub fn given_at(line: &[Segment], column: u16) -> Option<(usize, Given)> {
    let mut right = 0;
    for piece in line {
        right += width(&piece.text);
        if usize::from(column) < right {
            return piece.gives.clone();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Answer, Point, builtin};

    fn questions<'a>(protocol: &str, answers: &'a Answers, bullets: usize, typed: &'a str) -> JudgmentOf<'a> {
        let protocol = builtin(protocol).expect("built in");
        JudgmentOf {
            protocol,
            answers,
            bullets,
            choices: &[],
            typed,
            typed_for: Some(1),
            beginnings: vec![Some("What do students say about it?"); protocol.questions.len()],
            revealed: vec![None; protocol.questions.len()],
            editor: None,
            mark_asked: None,
        }
    }

    fn printed(answers: &[(&str, Answer)], bullets: usize, typed: &str, columns: u16) -> Vec<String> {
        let answers: Answers =
            answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        told(&questions("coverage", &answers, bullets, typed), columns)
    }

    fn told(questions: &JudgmentOf, columns: u16) -> Vec<String> {
        lines(questions, columns)
            .lines
            .iter()
            .map(|line| line.iter().map(|piece| piece.text.as_str()).collect::<String>())
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    #[test]
    fn chosen_answers_are_marked_with_a_sign() {
        let answers = [("coverage", Answer::Text("full".into())), ("bullet", Answer::Bullet(2))];
        assert_eq!(
            printed(&answers, 3, "", 60),
            ["Covered?   ● f full   ○ p partial   ○ x none", "By bullet  ● 2   1–3 · 0 none",]
        );
    }

    #[test]
    fn bullets_are_a_range_on_the_line_of_the_other_question_where_there_is_room() {
        let covered = ("coverage", Answer::Text("full".into()));
        let open = "Covered?  ● f full   ○ p partial   ○ x none    By bullet  1–22 · 0 none";
        assert_eq!(printed(std::slice::from_ref(&covered), 22, "", 78), [open]);
        let typed = "Covered?  ● f full   ○ p partial   ○ x none    By bullet  1_  ⏎ takes it";
        assert_eq!(printed(std::slice::from_ref(&covered), 22, "1", 78), [typed]);
        let given = "Covered?  ● f full   ○ p partial   ○ x none    By bullet  ● 12   1–22 · 0 none";
        assert_eq!(printed(&[covered.clone(), ("bullet", Answer::Bullet(12))], 22, "", 78), [given]);
        let none = "Covered?  ● f full   ○ p partial   ○ x none    By bullet  1–22 · ● 0 none";
        assert_eq!(printed(&[covered.clone(), ("bullet", Answer::Nothing)], 22, "", 78), [none]);
        // A line less is no use if it comes back with the answer.
        assert_eq!(printed(&[covered], 22, "", 76).len(), 2);
        assert_eq!(
            printed(&[], 1, "", 78),
            ["Covered?  ○ f full   ○ p partial   ○ x none    By bullet  1 · 0 none"]
        );
    }

    #[test]
    fn a_click_finds_its_answer() {
        let answers = Answers::new();
        let lines = lines(&questions("coverage", &answers, 3, ""), 60).lines;
        assert_eq!(given_at(&lines[0], 3), None);
        assert_eq!(given_at(&lines[0], 11), Some((0, Given::Value("full".into()))));
        assert_eq!(given_at(&lines[1], 12), None, "a range is no answer");
        assert_eq!(given_at(&lines[1], 18), Some((1, Given::Nothing)));
        assert_eq!(given_at(&lines[1], 200), None);
    }

    #[test]
    fn what_was_changed_is_shown_beneath() {
        let mut answers: Answers = [("verdict".to_owned(), Answer::Text("needs_refinement".into()))].into();
        let open = told(&questions("refinement", &answers, 0, ""), 80);
        assert_eq!(open[1], "Refined       e write");
        answers.insert("refined".into(), Answer::Text("What do students say about stress?".into()));
        let lines = told(&questions("refinement", &answers, 0, ""), 80);
        assert_eq!(
            lines,
            [
                "The query is  ○ r reasonable   ● n to be refined",
                "Refined       e What do students say about stress?",
                "              What do students say about [-it-]{+stress+}?",
            ]
        );
    }

    #[test]
    fn one_types_among_the_questions_and_long_lists_show_their_end() {
        let point = |text: &str| Point { text: text.into(), passages: Vec::new() };
        let points = (1..=20).map(|number| point(&format!("point {number}"))).collect();
        let answers: Answers = [("points".to_owned(), Answer::Points(points))].into();
        let editor = Editor::new(0, "第一点\nand more");
        let mut questions = questions("extraction", &answers, 0, "");
        assert_eq!(lines(&questions, 40).first(10, None), 11, "21 lines");
        questions.editor = Some(&editor);
        let found = lines(&questions, 40);
        let (line, column) = found.cursor.expect("a cursor");
        // Twenty points, then the new one: its second line, behind its eight letters and the number.
        assert_eq!((line, column), (21, 12 + 3 + 8));
        assert_eq!(found.first(10, None), 12);
        let first = Editor { point: Some(0), ..editor.clone() };
        questions.editor = Some(&first);
        assert_eq!(lines(&questions, 40).first(10, None), 0);
    }
}
