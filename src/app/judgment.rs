//! The judgment pane as lines of segments: what is drawn there, and what a click on it means.

use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind};
use crate::text::width::width;

/// A piece of a line of the judgment pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub text: String,
    pub role: Role,
    /// What a click on it answers.
    pub answers: Option<(usize, Answer)>,
}

/// How a piece is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The prompt of a question that is not the open one.
    Prompt,
    /// The prompt of the question that the next key answers.
    OpenPrompt,
    Key,
    Label,
    ChosenKey,
    ChosenLabel,
    /// Belongs to a question that is not asked.
    Quiet,
}

/// What the judgment pane is made from.
pub struct Questions<'a> {
    pub protocol: &'a Protocol,
    pub answers: &'a Answers,
    /// Bullets of the candidate.
    pub bullets: usize,
    /// Digits typed of a bullet number that could still go on.
    pub typed: &'a str,
}

/// One alternative of a question: mark, key, label; kept together when lines are broken.
type Alternative = Vec<Segment>;

/// The lines at this width.
pub fn lines(questions: &Questions, columns: u16) -> Vec<Vec<Segment>> {
    let open = questions.protocol.open_question(questions.answers);
    let prompts = questions.protocol.questions.iter().map(|question| width(&question.prompt));
    let indent = prompts.max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (index, question) in questions.protocol.questions.iter().enumerate() {
        let is_open = open.is_some_and(|open| open.key == question.key);
        let prompt = prompt(question, questions, is_open, indent);
        let alternatives = alternatives(index, question, questions);
        lines.extend(broken(prompt, alternatives, indent, usize::from(columns)));
    }
    lines
}

fn segment(text: impl Into<String>, role: Role) -> Segment {
    Segment { text: text.into(), role, answers: None }
}

fn prompt(question: &Question, questions: &Questions, is_open: bool, indent: usize) -> Segment {
    let padding = indent.saturating_sub(width(&question.prompt));
    let role = match (question.is_asked(questions.answers), is_open) {
        (false, _) => Role::Quiet,
        (true, true) => Role::OpenPrompt,
        (true, false) => Role::Prompt,
    };
    segment(format!("{}{}", question.prompt, " ".repeat(padding)), role)
}

fn alternatives(index: usize, question: &Question, questions: &Questions) -> Vec<Alternative> {
    let is_asked = question.is_asked(questions.answers);
    let answer = questions.answers.get(&question.key);
    let mark = |key: String, label: &str, value: Answer| {
        let chosen = match answer {
            Some(Answer::Bullets(numbers)) => {
                value.bullets().first().is_some_and(|number| numbers.contains(number))
            }
            given => given == Some(&value),
        };
        alternative(key, label, chosen, is_asked, (index, value))
    };
    match &question.kind {
        QuestionKind::Choice { choices, .. } => choices
            .iter()
            .map(|choice| {
                let value = Answer::Text(choice.value.clone());
                mark(choice.key.to_string(), &choice.label, value)
            })
            .collect(),
        _ => {
            let count = u32::try_from(questions.bullets).unwrap_or(u32::MAX);
            let mut all: Vec<Alternative> =
                (1..=count).map(|number| mark(number.to_string(), "", Answer::Bullet(number))).collect();
            all.push(mark("0".into(), "no single bullet", Answer::Nothing));
            if !questions.typed.is_empty() && is_asked {
                let typed = format!("{}_  ⏎ takes it", questions.typed);
                all.push(vec![segment(typed, Role::OpenPrompt)]);
            }
            all
        }
    }
}

fn alternative(
    key: String,
    label: &str,
    is_chosen: bool,
    is_asked: bool,
    answers: (usize, Answer),
) -> Alternative {
    let (key_role, label_role) = match (is_asked, is_chosen) {
        (false, false) => (Role::Quiet, Role::Quiet),
        (_, true) => (Role::ChosenKey, Role::ChosenLabel),
        (true, false) => (Role::Key, Role::Label),
    };
    let mark = if is_chosen { "● " } else { "○ " };
    let mut pieces = vec![segment(mark, label_role), segment(key, key_role)];
    if !label.is_empty() {
        pieces.push(segment(format!(" {label}"), label_role));
    }
    for piece in &mut pieces {
        piece.answers = Some(answers.clone());
    }
    pieces
}

/// Breaks alternatives into lines under each other, after the prompt.
fn broken(
    prompt: Segment,
    alternatives: Vec<Alternative>,
    indent: usize,
    columns: usize,
) -> Vec<Vec<Segment>> {
    let mut lines = vec![vec![prompt]];
    let mut used = indent;
    for alternative in alternatives {
        let needs: usize = alternative.iter().map(|piece| width(&piece.text)).sum();
        if used > indent && used + needs > columns {
            lines.push(vec![segment(" ".repeat(indent), Role::Quiet)]);
            used = indent;
        }
        if let Some(line) = lines.last_mut() {
            line.extend(alternative);
            line.push(segment("   ", Role::Quiet));
            used += needs + 3;
        }
    }
    lines
}

/// What a click in this column of a line answers: question index and answer.
pub fn answer_at(line: &[Segment], column: u16) -> Option<(usize, Answer)> {
    let mut right = 0;
    for piece in line {
        right += width(&piece.text);
        if usize::from(column) < right {
            return piece.answers.clone();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn printed(answers: &[(&str, Answer)], bullets: usize, typed: &str, columns: u16) -> Vec<String> {
        let answers: Answers =
            answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        let questions =
            Questions { protocol: builtin("coverage").expect("built in"), answers: &answers, bullets, typed };
        lines(&questions, columns)
            .iter()
            .map(|line| line.iter().map(|piece| piece.text.as_str()).collect::<String>())
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    #[test]
    fn chosen_answers_are_marked_with_a_sign() {
        let answers = [("coverage", Answer::Text("full".into())), ("bullet", Answer::Bullet(2))];
        assert_eq!(
            printed(&answers, 3, "", 80),
            [
                "Covered?   ○ x not   ○ p partial   ● f full",
                "By bullet  ○ 1   ● 2   ○ 3   ○ 0 no single bullet",
            ]
        );
    }

    #[test]
    fn many_bullets_stand_under_each_other() {
        let lines = printed(&[], 17, "", 40);
        assert!(lines.len() > 3);
        assert!(lines.iter().all(|line| width(line) <= 40), "{lines:?}");
        assert!(lines[3].starts_with("           ○ 6"), "{lines:?}");
    }

    #[test]
    fn a_click_finds_its_answer() {
        let answers = Answers::new();
        let questions = Questions {
            protocol: builtin("coverage").expect("built in"),
            answers: &answers,
            bullets: 3,
            typed: "",
        };
        let lines = lines(&questions, 80);
        assert_eq!(answer_at(&lines[0], 3), None);
        assert_eq!(answer_at(&lines[0], 11), Some((0, Answer::Text("none".into()))));
        assert_eq!(answer_at(&lines[1], 19), Some((1, Answer::Bullet(2))));
        assert_eq!(answer_at(&lines[1], 200), None);
    }
}
