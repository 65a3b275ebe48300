//! What the parts of a protocol file must keep together.

use std::collections::{HashMap, HashSet};

use super::file::{ChoiceDraft, ConditionDraft, Draft, Kind, QuestionDraft, pane_name, part_name};
use super::findings::{At, Findings};
use super::{Pane, Part, Scale};

/// Notes every rule that a draft breaks. What could not be read has its finding already, and what
/// hangs on it is not looked at.
pub(super) fn check(draft: &Draft, findings: &mut Findings) {
    check_name(draft, findings);
    if let Some(target) = &draft.target {
        check_target(draft, target, findings);
        check_panes(draft, target, findings);
    }
    if let Some(questions) = &draft.questions {
        check_questions(draft, questions, findings);
    }
}

/// Notes the choices whose key does something else on the screen.
pub(super) fn check_reserved(
    draft: &Draft,
    reserved: &dyn Fn(char) -> Option<&'static str>,
    findings: &mut Findings,
) {
    for question in questions(draft) {
        for choice in choices(question) {
            let Some((key, letter)) = choice.key.as_ref().and_then(|key| Some((key, hotkey(key)?))) else {
                continue;
            };
            if let Some(action) = reserved(letter) {
                let what = format!("{}: the key {:?} is needed for {action:?}", question.name, key.value);
                findings.advise(
                    key.line,
                    what,
                    "take another letter; `haymark keys` lists those that are taken",
                );
            }
        }
    }
}

fn questions(draft: &Draft) -> &[QuestionDraft] {
    draft.questions.as_ref().map_or(&[], |questions| &questions.value)
}

fn choices(question: &QuestionDraft) -> &[ChoiceDraft] {
    question.choices.as_ref().map_or(&[], |choices| &choices.value)
}

/// The letter of a key that may be one.
fn hotkey(key: &At<String>) -> Option<char> {
    let mut letters = key.value.chars();
    letters.next().filter(|letter| letter.is_ascii_lowercase() && letters.next().is_none())
}

fn check_name(draft: &Draft, findings: &mut Findings) {
    let Some(name) = &draft.name else {
        return;
    };
    if name.value.starts_with('-') || name.value.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let what = format!("the name {:?} cannot be typed after --protocol", name.value);
        findings.advise(name.line, what, "write one word that does not begin with a dash");
    }
}

fn targets(target: &At<Vec<At<Part>>>, part: Part) -> bool {
    target.value.iter().any(|other| other.value == part)
}

fn check_target(draft: &Draft, target: &At<Vec<At<Part>>>, findings: &mut Findings) {
    if target.value.is_empty() {
        findings.note(target.line, "\"target\" names nothing to judge");
    }
    let mut seen = HashSet::new();
    for part in &target.value {
        if !seen.insert(part.value) {
            findings.note(part.line, format!("{:?} stands twice in \"target\"", part_name(part.value)));
        }
    }
    if let Some(group) = &draft.group
        && group.value != Part::Query
        && !targets(target, group.value)
    {
        let what = format!("\"group\" is {:?}, which is no part of \"target\"", part_name(group.value));
        findings.advise(group.line, what, "take a part of \"target\", or \"query\"");
    }
    if !targets(target, Part::Unit) {
        let units = draft.units.as_ref().map(|units| (units.line, "units"));
        let unit_name = draft.unit_name.as_ref().map(|name| (name.line, "unit_name"));
        for (line, key) in units.into_iter().chain(unit_name) {
            findings
                .note(line, format!("{key:?} says something about units, but \"target\" has no \"unit\""));
        }
    }
}

/// The pane that shows a part.
fn pane_of(part: Part) -> Pane {
    match part {
        Part::Query => Pane::Query,
        Part::Document => Pane::Documents,
        Part::Unit => Pane::Unit,
        Part::Candidate | Part::Bullet => Pane::Candidate,
    }
}

fn check_panes(draft: &Draft, target: &At<Vec<At<Part>>>, findings: &mut Findings) {
    let Some(layout) = &draft.layout else {
        return;
    };
    let panes: Vec<&At<Pane>> =
        [&layout.value.above, &layout.value.left, &layout.value.right].into_iter().flatten().collect();
    let mut seen = HashSet::new();
    for pane in &panes {
        let name = pane_name(pane.value);
        if !seen.insert(pane.value) {
            findings.note(pane.line, format!("the pane {name:?} stands twice in the layout"));
        }
        let needs = match pane.value {
            Pane::Unit => &[Part::Unit][..],
            Pane::Candidate => &[Part::Candidate, Part::Bullet],
            Pane::Query | Pane::Documents => continue,
        };
        if !needs.iter().any(|part| targets(target, *part)) {
            let what = format!("the pane {name:?} has nothing to show, because \"target\" has no {name:?}");
            findings.note(pane.line, what);
        }
    }
    for part in &target.value {
        let pane = pane_of(part.value);
        if !panes.iter().any(|shown| shown.value == pane) {
            let what =
                format!("\"target\" has {:?}, but no pane of the layout shows it", part_name(part.value));
            findings.advise(part.line, what, format!("add the pane {:?}", pane_name(pane)));
        }
    }
}

fn check_questions(draft: &Draft, questions: &At<Vec<QuestionDraft>>, findings: &mut Findings) {
    if questions.value.is_empty() {
        findings.lacks(questions.line, "the protocol asks no question");
    }
    let mut earlier: HashMap<&str, &QuestionDraft> = HashMap::new();
    let mut hotkeys: HashMap<char, u64> = HashMap::new();
    for question in &questions.value {
        if let Some(condition) = &question.ask_when {
            check_condition(question, condition, &questions.value, &earlier, findings);
        }
        match question.kind.as_ref().map(|kind| kind.value) {
            Some(Kind::Choice) => check_choices(question, &mut hotkeys, findings),
            Some(Kind::Bullet) => check_bullet(draft, question, findings),
            None => {}
        }
        if let Some(key) = &question.key {
            if let Some(other) = earlier.get(key.value.as_str()) {
                let what = format!("the question key {:?} stands twice", key.value);
                findings.advise(key.line, what, format!("the other question begins in line {}", other.line));
            } else {
                earlier.insert(&key.value, question);
            }
        }
    }
}

fn check_bullet(draft: &Draft, question: &QuestionDraft, findings: &mut Findings) {
    let name = &question.name;
    let choices = question.choices.as_ref().map(|choices| choices.line);
    let scale = question.scale.as_ref().map(|scale| scale.line);
    if let Some(line) = choices.into_iter().chain(scale).min() {
        findings.note(line, format!("{name}: a bullet question has neither choices nor scale"));
    }
    if let (Some(kind), Some(target)) = (&question.kind, &draft.target)
        && !targets(target, Part::Candidate)
    {
        let what = format!("{name} asks for a bullet, but \"target\" has no \"candidate\" to have bullets");
        findings.note(kind.line, what);
    }
}

fn check_choices(question: &QuestionDraft, hotkeys: &mut HashMap<char, u64>, findings: &mut Findings) {
    let name = &question.name;
    let offered = choices(question);
    if offered.len() < 2 {
        let line = question.choices.as_ref().map_or(question.line, |choices| choices.line);
        findings.lacks(line, format!("{name}: a choice question needs two choices or more"));
    }
    let mut values = HashSet::new();
    for choice in offered {
        if let Some(value) = &choice.value
            && !values.insert(&value.value)
        {
            findings.note(value.line, format!("{name}: the choice {:?} stands twice", value.value));
        }
        if let Some(key) = &choice.key {
            check_hotkey(name, key, hotkeys, findings);
        }
    }
    if let Some(Scale::Ordinal) = question.scale.as_ref().map(|scale| scale.value) {
        check_scores(name, offered, findings);
    }
}

fn check_hotkey(name: &str, key: &At<String>, hotkeys: &mut HashMap<char, u64>, findings: &mut Findings) {
    let Some(letter) = hotkey(key) else {
        let what = format!("{name}: the key {:?} must be one letter from a to z", key.value);
        let is_digit = key.value.chars().all(|letter| letter.is_ascii_digit()) && !key.value.is_empty();
        return if is_digit {
            findings.advise(key.line, what, "digits name bullets");
        } else {
            findings.note(key.line, what);
        };
    };
    if let Some(line) = hotkeys.insert(letter, key.line) {
        let what = format!("{name}: the key {:?} answers twice, the first time in line {line}", key.value);
        findings.advise(key.line, what, "give every choice of the protocol a key of its own");
    }
}

fn check_scores(name: &str, offered: &[ChoiceDraft], findings: &mut Findings) {
    for choice in offered.iter().filter(|choice| choice.score.is_none()) {
        let value = choice.value.as_ref().map_or("a choice", |value| &value.value);
        findings.lacks(choice.line, format!("{name}: {value:?} needs a score, because the scale is ordinal"));
    }
    let scores: Option<Vec<&At<f64>>> = offered.iter().map(|choice| choice.score.as_ref()).collect();
    let Some(scores) = scores else {
        return;
    };
    let goes = |ahead: fn(f64, f64) -> bool| {
        scores.iter().zip(scores.iter().skip(1)).find(|(a, b)| !ahead(a.value, b.value))
    };
    if let (Some((_, out)), Some(_)) = (goes(|a, b| a < b), goes(|a, b| a > b)) {
        let what = format!("{name}: the score {} is out of order", out.value);
        findings.advise(
            out.line,
            what,
            "list the choices of an ordinal scale from the lowest to the highest",
        );
    }
}

fn check_condition(
    question: &QuestionDraft,
    condition: &ConditionDraft,
    all: &[QuestionDraft],
    earlier: &HashMap<&str, &QuestionDraft>,
    findings: &mut Findings,
) {
    let name = &question.name;
    let Some(on) = &condition.question else {
        return;
    };
    let Some(other) = earlier.get(on.value.as_str()) else {
        let is_later = all.iter().any(|other| other.key.as_ref().is_some_and(|key| key.value == on.value));
        let what = if is_later {
            format!("{name}: \"ask_when\" looks at {:?}, which is not asked before it", on.value)
        } else {
            format!("{name}: \"ask_when\" looks at {:?}, which is no question", on.value)
        };
        return findings.lacks(on.line, what);
    };
    let Some(values) = &condition.is else {
        return;
    };
    if values.value.is_empty() {
        findings.note(values.line, format!("{name} is never asked, because \"is\" names no answer"));
    }
    // Values that could not be read may be those that are named.
    if other.kind.is_none() || choices(other).iter().any(|choice| choice.value.is_none()) {
        return;
    }
    for value in &values.value {
        let is_known = choices(other)
            .iter()
            .any(|choice| choice.value.as_ref().is_some_and(|known| known.value == value.value));
        if !is_known {
            let what =
                format!("{name}: \"ask_when\" names {:?}, which is no choice of {:?}", value.value, on.value);
            findings.lacks(value.line, what);
        }
    }
}
