//! The rules between the parts of a protocol file.

use std::collections::HashSet;

use super::file::{ChoiceDraft, Draft, QuestionDraft, QuestionKindName};
use super::findings::{At, FileFindings};
use super::question_checks::{check_questions, check_rules};
use super::{Pairing, Pane, TargetPart};

/// Notes every rule that a draft breaks. A part that could not be read has its finding already, and rules that hang on it
/// are passed over.
pub(super) fn check(draft: &Draft, findings: &FileFindings) {
    check_name(draft, findings);
    if let Some(target) = &draft.target {
        check_target(draft, target, findings);
        check_pairing(draft, target, findings);
        check_panes(draft, target, findings);
    }
    if let Some(questions) = &draft.questions {
        check_questions(draft, questions, findings);
        check_rules(draft, questions, findings);
    }
}

/// Notes the letters that do something else on the screen.
pub(super) fn check_reserved(
    draft: &Draft,
    reserved: &dyn Fn(char) -> Option<&'static str>,
    findings: &FileFindings,
) {
    for question in questions(draft) {
        let offered = offered(question).iter().filter_map(|choice| choice.key.as_ref());
        for (key, letter) in offered.chain(&question.hotkey).filter_map(|key| Some((key, hotkey(key)?))) {
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

/// The choices or tags of a question.
pub(super) fn offered(question: &QuestionDraft) -> &[ChoiceDraft] {
    question.choices.as_ref().or(question.tags.as_ref()).map_or(&[], |offered| &offered.value)
}

/// The letter or digit of a key, if it is a single one.
pub(super) fn hotkey(key: &At<String>) -> Option<char> {
    let mut letters = key.value.chars();
    let may_be = |letter: &char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    letters.next().filter(may_be).filter(|_| letters.next().is_none())
}

fn check_name(draft: &Draft, findings: &FileFindings) {
    let Some(name) = &draft.name else { return };
    if name.value.starts_with('-') || name.value.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let what = format!("the name {:?} cannot be typed after --protocol", name.value);
        findings.advise(name.line, what, "write one word that does not begin with a dash");
    }
}

pub(super) fn targets(target: &At<Vec<At<TargetPart>>>, part: TargetPart) -> bool {
    target.value.iter().any(|other| other.value == part)
}

fn check_target(draft: &Draft, target: &At<Vec<At<TargetPart>>>, findings: &FileFindings) {
    if target.value.is_empty() {
        findings.note(target.line, "\"target\" names nothing to judge");
    }
    let mut seen = HashSet::new();
    for part in &target.value {
        if !seen.insert(part.value) {
            findings.note(part.line, format!("{:?} stands twice in \"target\"", part.value.name()));
        }
    }
    if let Some(group) = &draft.group
        && group.value != TargetPart::Query
        && !targets(target, group.value)
    {
        let what = format!("\"group\" is {:?}, which is no part of \"target\"", group.value.name());
        findings.advise(group.line, what, "take a part of \"target\", or \"query\"");
    }
    if targets(target, TargetPart::Pair) {
        for part in target
            .value
            .iter()
            .filter(|part| matches!(part.value, TargetPart::Candidate | TargetPart::Bullet))
        {
            let what = format!("\"target\" has {:?} beside \"pair\"", part.value.name());
            findings.advise(part.line, what, "a pair is of two candidates already: leave one of them out");
        }
    } else if let Some(pairs) = &draft.pairs {
        findings
            .note(pairs.line, "\"pairs\" says which candidates are compared, but \"target\" has no \"pair\"");
    }
    if !targets(target, TargetPart::Unit) {
        let units = draft.units.as_ref().map(|units| (units.line, "units"));
        let unit_name = draft.unit_name.as_ref().map(|name| (name.line, "unit_name"));
        for (line, key) in units.into_iter().chain(unit_name) {
            findings
                .note(line, format!("{key:?} says something about units, but \"target\" has no \"unit\""));
        }
    }
}

/// The pane that shows a part.
fn pane_of(part: TargetPart) -> Pane {
    match part {
        TargetPart::Query => Pane::Query,
        TargetPart::Document => Pane::Documents,
        TargetPart::Unit => Pane::Unit,
        TargetPart::Candidate | TargetPart::Bullet | TargetPart::Pair => Pane::Candidate,
    }
}

fn check_pairing(draft: &Draft, target: &At<Vec<At<TargetPart>>>, findings: &FileFindings) {
    let Some(documents) = &draft.documents else { return };
    let needs = match documents.value {
        Pairing::Gold | Pairing::Sampled => TargetPart::Unit,
        Pairing::Cited => TargetPart::Bullet,
        Pairing::Ranked | Pairing::All => TargetPart::Document,
    };
    for part in [TargetPart::Document, needs] {
        if !targets(target, part) {
            let what = format!("\"documents\" pairs documents, but \"target\" has no {:?}", part.name());
            return findings.note(documents.line, what);
        }
    }
}

/// Whether a question of the draft chooses from units.
fn chooses_units(draft: &Draft) -> bool {
    questions(draft)
        .iter()
        .any(|question| question.kind.as_ref().is_some_and(|kind| kind.value == QuestionKindName::Units))
}

fn check_panes(draft: &Draft, target: &At<Vec<At<TargetPart>>>, findings: &FileFindings) {
    let Some(layout) = &draft.layout else { return };
    let panes: Vec<&At<Pane>> = layout.value.panes().collect();
    let mut seen = HashSet::new();
    for pane in &panes {
        let name = pane.value.name();
        if !seen.insert(pane.value) {
            findings.note(pane.line, format!("the pane {name:?} stands twice in the layout"));
        }
        let needs = match pane.value {
            Pane::Unit => &[TargetPart::Unit][..],
            Pane::Candidate => &[TargetPart::Candidate, TargetPart::Bullet, TargetPart::Pair],
            Pane::Other => &[TargetPart::Pair],
            Pane::Units if draft.questions.is_some() && !chooses_units(draft) => {
                let what = "the pane \"units\" has nothing to show, because no question chooses from units";
                findings.note(pane.line, what);
                continue;
            }
            Pane::Query | Pane::Documents | Pane::Units => continue,
        };
        if !needs.iter().any(|part| targets(target, *part)) {
            let what = format!("the pane {name:?} has nothing to show, because \"target\" has no {name:?}");
            findings.note(pane.line, what);
        }
    }
    for part in &target.value {
        let shown_by = std::iter::once(pane_of(part.value))
            .chain((part.value == TargetPart::Pair).then_some(Pane::Other));
        for pane in shown_by {
            if !panes.iter().any(|shown| shown.value == pane) {
                let what =
                    format!("\"target\" has {:?}, but no pane of the layout shows it", part.value.name());
                findings.advise(part.line, what, format!("add the pane {:?}", pane.name()));
            }
        }
    }
    if chooses_units(draft) && !panes.iter().any(|shown| shown.value == Pane::Units) {
        let what = "a question chooses from units, but no pane of the layout shows them";
        findings.advise(layout.line, what, "add the pane \"units\"");
    }
}
