//! Rules between the parts of a question in a protocol file, and between questions.

use std::collections::{HashMap, HashSet};

use super::checks::{hotkey, offered, targets};
use super::file::{ChoiceDraft, ConditionDraft, Draft, QuestionDraft, QuestionKindName};
use super::findings::{At, FileFindings};
use super::{ChoiceScale, Pane, SelectedIn, TargetPart};

/// Notes the mistakes in the questions.
pub(super) fn check_questions(draft: &Draft, questions: &At<Vec<QuestionDraft>>, findings: &FileFindings) {
    if questions.value.is_empty() {
        findings.lacks(questions.line, "the protocol asks no question");
    }
    let keys = questions.value.iter().filter_map(|question| question.key.as_ref());
    let all: HashSet<&str> = keys.map(|key| key.value.as_str()).collect();
    let mut earlier: HashMap<&str, &QuestionDraft> = HashMap::new();
    let mut hotkeys = Hotkeys::new();
    let mut choosing = None;
    for question in &questions.value {
        if let Some(condition) = &question.ask_when {
            check_condition(&question.name, condition, &all, &earlier, findings);
        }
        if let Some(kind) = question.kind.as_ref().map(|kind| kind.value) {
            check_fields(question, kind, findings);
            check_kind(draft, question, kind, &mut hotkeys, findings);
        }
        if question.kind.as_ref().is_some_and(|kind| kind.value == QuestionKindName::Units)
            && let Some(line) = choosing.replace(question.line)
        {
            let what = format!("{} chooses from units, as the one in line {line} does", question.name);
            findings.advise(question.line, what, "ask one such question, since their numbers are the same");
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

/// The fields that a kind of question has beside those of all; the first is the one it needs.
fn fields_of(kind: QuestionKindName) -> &'static [&'static str] {
    match kind {
        QuestionKindName::Choice => &["choices", "scale", "ends"],
        QuestionKindName::Bullet => &["several"],
        QuestionKindName::Text => &["hotkey", "starts_with", "reveals"],
        QuestionKindName::Tags => &["tags"],
        QuestionKindName::Passages => &["hotkey", "in", "tags", "severity"],
        QuestionKindName::Points => &["hotkey", "passages", "in"],
        QuestionKindName::Units => &["units", "among"],
        QuestionKindName::Side => &[],
    }
}

/// Notes fields that belong to another kind, and the one that is needed and missing.
fn check_fields(question: &QuestionDraft, kind: QuestionKindName, findings: &FileFindings) {
    let name = &question.name;
    let given = [
        ("choices", question.choices.as_ref().map(|field| field.line)),
        ("scale", question.scale.as_ref().map(|field| field.line)),
        ("ends", question.ends.as_ref().map(|field| field.line)),
        ("several", question.several.as_ref().map(|field| field.line)),
        ("hotkey", question.hotkey.as_ref().map(|field| field.line)),
        ("starts_with", question.starts_with.as_ref().map(|field| field.line)),
        ("reveals", question.reveals.as_ref().map(|field| field.line)),
        ("tags", question.tags.as_ref().map(|field| field.line)),
        ("passages", question.passages.as_ref().map(|field| field.line)),
        ("units", question.units.as_ref().map(|field| field.line)),
        ("among", question.among.as_ref().map(|field| field.line)),
        ("in", question.place.as_ref().map(|field| field.line)),
        ("severity", question.severity.as_ref().map(|field| field.line)),
    ];
    let fields = fields_of(kind);
    for (field, line) in given {
        match line {
            Some(line) if !fields.contains(&field) => {
                let what = format!("{name}: a question of the kind {:?} has no {field:?}", kind.name());
                findings.note(line, what);
            }
            None if field == "hotkey" && fields.contains(&field) => {
                let what = format!("{name}: a question of the kind {:?} needs a \"hotkey\"", kind.name());
                findings.lacks(question.line, what);
            }
            _ => {}
        }
    }
}

fn check_kind(
    draft: &Draft,
    question: &QuestionDraft,
    kind: QuestionKindName,
    hotkeys: &mut Hotkeys,
    findings: &FileFindings,
) {
    let name = &question.name;
    match kind {
        QuestionKindName::Choice => check_choices(question, hotkeys, findings),
        QuestionKindName::Tags if offered(question).is_empty() => {
            let line = question.tags.as_ref().map_or(question.line, |tags| tags.line);
            findings.lacks(line, format!("{name}: a question for tags needs one tag or more"));
        }
        QuestionKindName::Tags => check_offered(question, hotkeys, findings),
        QuestionKindName::Bullet => {
            needs_part(draft, question, TargetPart::Candidate, "asks for a bullet", findings)
        }
        QuestionKindName::Side => {
            needs_part(draft, question, TargetPart::Pair, "says which candidate was shown first", findings);
        }
        QuestionKindName::Units => {
            if question.units.as_ref().is_none_or(|units| units.value.is_empty()) {
                let line = question.units.as_ref().map_or(question.line, |units| units.line);
                findings.lacks(line, format!("{name}: \"units\" names no kind of units to choose from"));
            }
            needs_part(draft, question, TargetPart::Unit, "chooses from units", findings);
        }
        QuestionKindName::Text | QuestionKindName::Passages | QuestionKindName::Points => {
            let selects = kind == QuestionKindName::Passages
                || (kind == QuestionKindName::Points
                    && question.passages.as_ref().is_none_or(|passages| passages.value));
            let is_in_candidate =
                question.place.as_ref().is_some_and(|place| place.value == SelectedIn::Candidate);
            check_marks(question, findings);
            if selects && is_in_candidate {
                needs_part(
                    draft,
                    question,
                    TargetPart::Candidate,
                    "selects passages of the candidate",
                    findings,
                );
            } else if selects && !shows_documents(draft) {
                let what = format!("{name} selects passages, but no pane of the layout shows documents");
                let line = question.kind.as_ref().map_or(question.line, |kind| kind.line);
                findings.advise(line, what, "add the pane \"documents\", or to points `passages = false`");
            }
            if let Some(part) = &question.starts_with
                && !(part.value == TargetPart::Query || shows(draft, part.value))
            {
                let what = format!("{name} begins with a text that \"target\" does not have");
                findings.note(part.line, what);
            }
            if question.reveals.is_some() {
                needs_part(draft, question, TargetPart::Unit, "reveals a field of a unit", findings);
            }
        }
    }
    if let Some(key) = &question.hotkey {
        check_hotkey(name, key, question.line, hotkeys, findings);
    }
}

/// Tags and severities of passages are asked one after the other: a key stands once in each.
fn check_marks(question: &QuestionDraft, findings: &FileFindings) {
    let severities = question.severity.as_ref().map_or(&[][..], |severity| &severity.value);
    for offered in [offered(question), severities] {
        check_choices_of(&question.name, offered, question.line, &mut Hotkeys::new(), findings);
    }
}

fn shows_documents(draft: &Draft) -> bool {
    let is_documents = |pane: &At<Pane>| pane.value == Pane::Documents;
    draft.layout.as_ref().is_none_or(|layout| layout.value.panes().any(is_documents))
}

fn shows(draft: &Draft, part: TargetPart) -> bool {
    draft.target.as_ref().is_none_or(|target| targets(target, part))
}

fn needs_part(
    draft: &Draft,
    question: &QuestionDraft,
    part: TargetPart,
    does: &str,
    findings: &FileFindings,
) {
    if let (Some(kind), false) = (&question.kind, shows(draft, part)) {
        let what = format!("{} {does}, but \"target\" has no {:?}", question.name, part.name());
        findings.note(kind.line, what);
    }
}

fn check_choices(question: &QuestionDraft, hotkeys: &mut Hotkeys, findings: &FileFindings) {
    let name = &question.name;
    if offered(question).len() < 2 {
        let line = question.choices.as_ref().map_or(question.line, |choices| choices.line);
        findings.lacks(line, format!("{name}: a choice question needs two choices or more"));
    }
    check_offered(question, hotkeys, findings);
    let is_range = question.scale.as_ref().is_some_and(|scale| scale.value == ChoiceScale::Interval);
    let is_pair = |ends: &At<Vec<At<String>>>| {
        is_range && ends.value.len() == 2 && ends.value.iter().all(|end| !end.value.trim().is_empty())
    };
    if let Some(ends) = question.ends.as_ref().filter(|ends| !is_pair(ends)) {
        let what = format!("{name}: \"ends\" are the two words at the ends of a scale such as \"1..5\"");
        findings.note(ends.line, what);
    }
    if let Some(ChoiceScale::Ordinal) = question.scale.as_ref().map(|scale| scale.value) {
        check_scores(name, offered(question), findings);
    }
}

/// Checks that values and keys are their own, as choices and tags have in common.
fn check_offered(question: &QuestionDraft, hotkeys: &mut Hotkeys, findings: &FileFindings) {
    check_choices_of(&question.name, offered(question), question.line, hotkeys, findings);
}

fn check_choices_of(
    name: &str,
    offered: &[ChoiceDraft],
    question: u64,
    hotkeys: &mut Hotkeys,
    findings: &FileFindings,
) {
    let mut values = HashSet::new();
    for choice in offered {
        if let Some(value) = &choice.value
            && !values.insert(&value.value)
        {
            findings.note(value.line, format!("{name}: the choice {:?} stands twice", value.value));
        }
        if let Some(key) = &choice.key {
            check_hotkey(name, key, question, hotkeys, findings);
        }
    }
}

/// The line of the first use of each key in each question; a question goes by its line.
type Hotkeys = HashMap<(u64, char), u64>;

/// A key stands once under its question; under several, the one that is open takes it.
fn check_hotkey(name: &str, key: &At<String>, question: u64, hotkeys: &mut Hotkeys, findings: &FileFindings) {
    let Some(letter) = hotkey(key) else {
        let what = format!("{name}: the key {:?} must be one letter from a to z, or a digit", key.value);
        return findings.note(key.line, what);
    };
    if let Some(line) = hotkeys.insert((question, letter), key.line) {
        let what = format!("{name}: the key {:?} answers twice, the first time in line {line}", key.value);
        findings.advise(key.line, what, "give one of them another key");
    }
}

fn check_scores(name: &str, offered: &[ChoiceDraft], findings: &FileFindings) {
    for choice in offered.iter().filter(|choice| choice.score.is_none()) {
        let value = choice.value.as_ref().map_or("a choice", |value| &value.value);
        findings.lacks(choice.line, format!("{name}: {value:?} needs a score, because the scale is ordinal"));
    }
    let scores: Option<Vec<&At<f64>>> = offered.iter().map(|choice| choice.score.as_ref()).collect();
    let Some(scores) = scores else { return };
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
    name: &str,
    condition: &ConditionDraft,
    all: &HashSet<&str>,
    earlier: &HashMap<&str, &QuestionDraft>,
    findings: &FileFindings,
) {
    let Some(on) = &condition.question else { return };
    let Some(other) = earlier.get(on.value.as_str()) else {
        let what = if all.contains(on.value.as_str()) {
            format!("{name}: \"ask_when\" looks at {:?}, which is not asked before it", on.value)
        } else {
            format!("{name}: \"ask_when\" looks at {:?}, which is no question", on.value)
        };
        return findings.lacks(on.line, what);
    };
    if let Some(values) = condition.is.as_ref().filter(|values| values.value.is_empty()) {
        findings.note(values.line, format!("{name} is never asked, because \"is\" names no answer"));
    }
    check_values(name, "ask_when", condition, other, findings);
}

/// Notes the answers that a condition names and its question does not offer.
fn check_values(
    name: &str,
    field: &str,
    condition: &ConditionDraft,
    other: &QuestionDraft,
    findings: &FileFindings,
) {
    let (Some(on), Some(values)) = (&condition.question, &condition.is) else { return };
    let known = offered(other).iter().map(|choice| choice.value.as_ref().map(|value| value.value.as_str()));
    let known: Option<HashSet<&str>> = known.collect();
    // Values that could not be read may be those that are named.
    let (Some(_), Some(known)) = (&other.kind, known) else { return };
    for value in &values.value {
        if !known.contains(value.value.as_str()) {
            let what =
                format!("{name}: {field:?} names {:?}, which is no choice of {:?}", value.value, on.value);
            findings.lacks(value.line, what);
        }
    }
}

/// Rules look at questions with choices or tags, wherever these stand.
pub(super) fn check_rules(draft: &Draft, questions: &At<Vec<QuestionDraft>>, findings: &FileFindings) {
    let mut named: HashMap<&str, &QuestionDraft> = HashMap::new();
    for question in &questions.value {
        if let Some(key) = &question.key {
            named.entry(key.value.as_str()).or_insert(question);
        }
    }
    for rule in &draft.rules {
        for (field, condition) in [("when", &rule.when), ("then", &rule.then)] {
            let Some(condition) = condition else { continue };
            let Some(on) = &condition.question else { continue };
            match named.get(on.value.as_str()) {
                Some(other) => check_values(&rule.name, field, condition, other, findings),
                None => {
                    let what =
                        format!("{}: {field:?} looks at {:?}, which is no question", rule.name, on.value);
                    findings.lacks(on.line, what);
                }
            }
        }
    }
}
