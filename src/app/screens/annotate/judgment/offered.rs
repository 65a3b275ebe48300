//! Questions whose answers are offered: choices, tags, bullets, units.

use super::{JudgmentOf, PaneLine, Segment, segment};
use crate::app::kit::Tone;
use crate::protocol::{Answer, Given, Question, QuestionKind};
use crate::text::width::width;

/// Blanks between alternatives.
pub(super) const GAP: usize = 3;

/// One alternative of a question: mark, key, label; kept together when lines are broken.
pub(super) type Alternative = Vec<Segment>;

/// The alternatives under each other, as many in a line as there is room for.
pub(super) fn lines(index: usize, question: &Question, questions: &JudgmentOf, room: usize) -> Vec<PaneLine> {
    let all = alternatives(index, question, questions);
    // A scale stands in one row, closer together where there is less room.
    let columns: usize = all.iter().flatten().map(|piece| width(&piece.text)).sum();
    let fits = |gap: &usize| columns + gap * all.len().saturating_sub(1) <= room;
    let gap = (1..=GAP).rev().find(fits).filter(|_| question.is_scale()).unwrap_or(GAP);
    broken(all, room, gap)
}

fn alternatives(index: usize, question: &Question, questions: &JudgmentOf) -> Vec<Alternative> {
    let is_asked = question.is_asked(questions.answers);
    let answer = questions.answers.get(&question.key);
    let mark = |key: &str, label: &str, is_chosen: bool, given: Given| {
        alternative((key, label), (is_chosen, is_asked, question.grows()), (index, given))
    };
    let mut all: Vec<Alternative> = questions
        .protocol
        .labels_shown(question)
        .into_iter()
        .map(|choice| {
            let is_chosen = match answer {
                Some(Answer::Text(value)) => *value == choice.value,
                Some(given) => given.names().contains(&choice.value),
                None => false,
            };
            mark(&choice.key.to_string(), choice.beside_key(), is_chosen, Given::Value(choice.value.clone()))
        })
        .collect();
    if question.takes_numbers() {
        all.extend(numbers(index, question, questions));
    } else {
        all.extend(none(index, question, questions));
    }
    all
}

/// The alternative that answers "nothing", where the question has it.
pub(super) fn none(index: usize, question: &Question, questions: &JudgmentOf) -> Option<Alternative> {
    let is_chosen = questions.answers.get(&question.key) == Some(&Answer::Nothing);
    let is_asked = question.is_asked(questions.answers);
    let label = question.none_label()?;
    Some(alternative(("0", label), (is_chosen, is_asked, false), (index, Given::Nothing)))
}

/// The chosen numbers, and the range to choose from: `● 3   1–22 · 0 none`; or the number that is being typed.
fn numbers(index: usize, question: &Question, questions: &JudgmentOf) -> Vec<Alternative> {
    let is_asked = question.is_asked(questions.answers);
    if !questions.typed.is_empty() && is_asked && questions.typed_for == Some(index) {
        return vec![vec![segment(format!("{}_  ⏎ takes it", questions.typed), Tone::Open)]];
    }
    let answer = questions.answers.get(&question.key);
    let states = (true, is_asked, question.grows());
    let chosen = numbered(question, questions, answer).filter(|(_, is_chosen)| *is_chosen);
    let mut all: Vec<Alternative> = chosen
        .map(|(number, _)| alternative((&number.to_string(), ""), states, (index, Given::Number(number))))
        .collect();
    let (key, label) = if is_asked { (Tone::Key, Tone::Plain) } else { (Tone::Quiet, Tone::Quiet) };
    let mut last = match range(question, questions) {
        range if range.is_empty() => Vec::new(),
        range => vec![segment(range, key), segment(" · ", Tone::Quiet)],
    };
    last.extend(match answer {
        Some(Answer::Nothing) => alternative(("0", "none"), (true, is_asked, false), (index, Given::Nothing)),
        _ => [segment("0", key), segment(" none", label)]
            .map(|piece| Segment { gives: Some((index, Given::Nothing)), ..piece })
            .to_vec(),
    });
    all.push(last);
    all
}

/// The numbers that a question takes: `1–22`; empty where there are none.
fn range(question: &Question, questions: &JudgmentOf) -> String {
    match numbered(question, questions, None).count() {
        0 => String::new(),
        1 => "1".to_owned(),
        last => format!("1–{last}"),
    }
}

/// Columns that an answer with one number adds, kept free so that no line is broken by it.
pub(super) fn reserved(question: &Question, questions: &JudgmentOf) -> usize {
    if !question.takes_numbers() {
        return 0;
    }
    let range = range(question, questions);
    let number = range.rsplit('–').next().map_or(0, width);
    "● ".chars().count() + number + GAP + width(&range) + " · 0 none".chars().count()
}

/// The numbers of bullets or units, and whether each is chosen.
fn numbered<'a>(
    question: &'a Question,
    questions: &'a JudgmentOf,
    answer: Option<&'a Answer>,
) -> impl Iterator<Item = (u32, bool)> {
    let units = questions.choices.iter().filter(|unit| question.kinds().contains(&unit.kind));
    let keys: Vec<&str> = units.map(|unit| unit.id.as_str()).collect();
    let count = match question.kind {
        QuestionKind::Bullet { .. } => questions.bullets,
        _ => keys.len(),
    };
    (1..).zip(0..count).map(move |(number, place)| {
        let names_unit =
            |key: &&str| answer.is_some_and(|answer| answer.names().iter().any(|name| name == key));
        let links = answer.is_some_and(|answer| answer.bullets().contains(&number));
        (number, links || keys.get(place).is_some_and(names_unit))
    })
}

/// One alternative: a box for one of several, else a circle.
fn alternative(
    (key, label): (&str, &str),
    (is_chosen, is_asked, is_one_of_several): (bool, bool, bool),
    gives: (usize, Given),
) -> Alternative {
    let (key_tone, label_tone) = match (is_asked, is_chosen) {
        (false, false) => (Tone::Quiet, Tone::Quiet),
        (_, true) => (Tone::ChosenKey, Tone::Chosen),
        (true, false) => (Tone::Key, Tone::Plain),
    };
    let mark = match (is_one_of_several, is_chosen) {
        (false, false) => "○ ",
        (false, true) => "● ",
        (true, false) => "□ ",
        (true, true) => "■ ",
    };
    let mut pieces = vec![segment(mark, label_tone), segment(key, key_tone)];
    if !label.is_empty() {
        pieces.push(segment(format!(" {label}"), label_tone));
    }
    for piece in &mut pieces {
        piece.gives = Some(gives.clone());
    }
    pieces
}

/// Breaks alternatives into lines under each other.
fn broken(alternatives: Vec<Alternative>, room: usize, gap: usize) -> Vec<PaneLine> {
    let mut lines: Vec<PaneLine> = vec![Vec::new()];
    let mut used = 0;
    for alternative in alternatives {
        let needs: usize = alternative.iter().map(|piece| width(&piece.text)).sum();
        if used > 0 && used + needs > room {
            lines.push(Vec::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            line.extend(alternative);
            line.push(segment(" ".repeat(gap), Tone::Quiet));
            used += needs + gap;
        }
    }
    lines
}
