//! The TOML form of a protocol: read with the lines on which things stand, so that everything that
//! is wrong in a file can be named at once. What the parts must keep together is in `checks`.

use toml::de::DeTable;

use super::checks;
use super::findings::{At, Findings};
use super::table::{Need, Table};
use super::{Choice, Condition, Layout, Pane, Part, Protocol, Question, QuestionKind, Scale};
use crate::error::{Error, Result};
use crate::text::hash::fingerprint;

const PARTS: &[(&str, Part)] = &[
    ("query", Part::Query),
    ("document", Part::Document),
    ("unit", Part::Unit),
    ("candidate", Part::Candidate),
    ("bullet", Part::Bullet),
];

const PANES: &[(&str, Pane)] = &[
    ("query", Pane::Query),
    ("documents", Pane::Documents),
    ("unit", Pane::Unit),
    ("candidate", Pane::Candidate),
];

const KINDS: &[(&str, Kind)] = &[("choice", Kind::Choice), ("bullet", Kind::Bullet)];

const SCALES: &[(&str, Scale)] = &[("nominal", Scale::Nominal), ("ordinal", Scale::Ordinal)];

/// The word for a part of a target, as files write it.
pub(super) fn part_name(part: Part) -> &'static str {
    PARTS.iter().find(|(_, other)| *other == part).map_or("", |(name, _)| name)
}

/// The word for a pane, as files write it.
pub(super) fn pane_name(pane: Pane) -> &'static str {
    PANES.iter().find(|(_, other)| *other == pane).map_or("", |(name, _)| name)
}

/// What a file says, as far as it can be read. A part is missing where it has a finding.
pub(super) struct Draft {
    pub(super) name: Option<At<String>>,
    pub(super) title: Option<At<String>>,
    pub(super) version: Option<At<u32>>,
    pub(super) source: Option<At<String>>,
    pub(super) target: Option<At<Vec<At<Part>>>>,
    pub(super) units: Option<At<Vec<At<String>>>>,
    pub(super) unit_name: Option<At<String>>,
    pub(super) group: Option<At<Part>>,
    pub(super) layout: Option<At<LayoutDraft>>,
    pub(super) questions: Option<At<Vec<QuestionDraft>>>,
}

pub(super) struct LayoutDraft {
    pub(super) above: Vec<At<Pane>>,
    pub(super) left: Vec<At<Pane>>,
    pub(super) right: Vec<At<Pane>>,
}

pub(super) struct QuestionDraft {
    /// As messages call it.
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) key: Option<At<String>>,
    pub(super) prompt: Option<At<String>>,
    pub(super) kind: Option<At<Kind>>,
    pub(super) scale: Option<At<Scale>>,
    pub(super) required: Option<At<bool>>,
    pub(super) ask_when: Option<ConditionDraft>,
    pub(super) choices: Option<At<Vec<ChoiceDraft>>>,
}

pub(super) struct ConditionDraft {
    pub(super) question: Option<At<String>>,
    pub(super) is: Option<At<Vec<At<String>>>>,
}

pub(super) struct ChoiceDraft {
    pub(super) line: u64,
    pub(super) value: Option<At<String>>,
    pub(super) label: Option<At<String>>,
    pub(super) key: Option<At<String>>,
    pub(super) score: Option<At<f64>>,
}

/// The kinds of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Choice,
    Bullet,
}

/// Reads a protocol file.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn parse(file_text: &str, guideline: &str) -> Result<Protocol> {
    let mut findings = Findings::new(file_text);
    let draft = read(file_text, &mut findings);
    checks::check(&draft, &mut findings);
    if findings.is_empty()
        && let Some(protocol) = protocol(draft, file_text, guideline)
    {
        return Ok(protocol);
    }
    let first = findings.finish().into_iter().next();
    Err(first.unwrap_or_else(|| Error::new("the file is no protocol")))
}

/// Everything that is wrong with a protocol file, in the order of its lines.
///
/// `reserved` names what a screen does on a key that a choice might take.
pub fn check(file_text: &str, reserved: &dyn Fn(char) -> Option<&'static str>) -> Vec<Error> {
    let mut findings = Findings::new(file_text);
    let draft = read(file_text, &mut findings);
    checks::check(&draft, &mut findings);
    checks::check_reserved(&draft, reserved, &mut findings);
    findings.finish()
}

fn read(file_text: &str, findings: &mut Findings) -> Draft {
    let (document, errors) = DeTable::parse_recoverable(file_text);
    for error in &errors {
        let line = findings.lines.at(error.span().map_or(file_text.len(), |span| span.start));
        findings.syntax(line, error.message().replace('\n', " "));
    }
    let mut file = Table::new("the protocol", 1, document.get_ref());
    let draft = Draft {
        name: file.text("name", Need::Required, findings),
        title: file.text("title", Need::Required, findings),
        version: file.ordinal("version", findings),
        source: file.string("source", Need::Required, findings),
        target: file.words("target", PARTS, findings),
        units: file.strings("units", Need::Optional, findings),
        unit_name: file.text("unit_name", Need::Optional, findings),
        group: file.word("group", Need::Required, PARTS, findings),
        layout: layout(&mut file, findings),
        questions: questions(&mut file, findings),
    };
    file.finish(findings);
    draft
}

fn layout(file: &mut Table, findings: &mut Findings) -> Option<At<LayoutDraft>> {
    let mut table = file.table("layout", Need::Required, "the layout".into(), findings)?;
    let line = table.line;
    let above = table.words("above", PANES, findings);
    let left = table.words("left", PANES, findings);
    let right = table.words("right", PANES, findings);
    table.finish(findings);
    let value = LayoutDraft { above: above?.value, left: left?.value, right: right?.value };
    Some(At { line, value })
}

fn questions(file: &mut Table, findings: &mut Findings) -> Option<At<Vec<QuestionDraft>>> {
    let tables = file.tables("question", Need::Required, "question", findings)?;
    Some(tables.map(|tables| tables.into_iter().map(|table| question(table, findings)).collect()))
}

fn question(mut table: Table, findings: &mut Findings) -> QuestionDraft {
    let key = table.text("key", Need::Required, findings);
    if let Some(key) = &key {
        table.call(format!("question {:?}", key.value));
    }
    let name = table.name().to_owned();
    let draft = QuestionDraft {
        line: table.line,
        prompt: table.text("prompt", Need::Required, findings),
        kind: table.word("kind", Need::Required, KINDS, findings),
        scale: table.word("scale", Need::Optional, SCALES, findings),
        required: table.truth("required", findings),
        ask_when: condition(&mut table, &name, findings),
        choices: choices(&mut table, &name, findings),
        key,
        name,
    };
    table.finish(findings);
    draft
}

fn condition(question: &mut Table, name: &str, findings: &mut Findings) -> Option<ConditionDraft> {
    let mut table =
        question.table("ask_when", Need::Optional, format!("\"ask_when\" of {name}"), findings)?;
    let draft = ConditionDraft {
        question: table.text("question", Need::Required, findings),
        is: table.strings("is", Need::Required, findings),
    };
    table.finish(findings);
    Some(draft)
}

fn choices(question: &mut Table, name: &str, findings: &mut Findings) -> Option<At<Vec<ChoiceDraft>>> {
    let tables = question.tables("choices", Need::Optional, "choice", findings)?;
    Some(tables.map(|tables| tables.into_iter().map(|table| choice(table, name, findings)).collect()))
}

fn choice(mut table: Table, question: &str, findings: &mut Findings) -> ChoiceDraft {
    table.call(format!("{} of {question}", table.name()));
    let draft = ChoiceDraft {
        line: table.line,
        value: table.text("value", Need::Required, findings),
        label: table.text("label", Need::Required, findings),
        key: table.string("key", Need::Required, findings),
        score: table.number("score", findings),
    };
    table.finish(findings);
    draft
}

/// The protocol of a draft without a finding; `None` only for one that has some.
fn protocol(draft: Draft, file_text: &str, guideline: &str) -> Option<Protocol> {
    let plain = |panes: Vec<At<Pane>>| panes.into_iter().map(|pane| pane.value).collect();
    let layout = draft.layout?.value;
    let questions: Option<Vec<Question>> = draft.questions?.value.into_iter().map(asked).collect();
    Some(Protocol {
        name: draft.name?.value,
        title: draft.title?.value,
        version: draft.version?.value,
        source: draft.source?.value,
        target: draft.target?.value.into_iter().map(|part| part.value).collect(),
        units: draft.units.into_iter().flat_map(|units| units.value).map(|unit| unit.value).collect(),
        unit_name: draft.unit_name.map(|name| name.value),
        group: draft.group?.value,
        layout: Layout { above: plain(layout.above), left: plain(layout.left), right: plain(layout.right) },
        questions: questions?,
        guideline: guideline.to_owned(),
        file_text: file_text.to_owned(),
        hash: fingerprint(&["protocol", file_text]),
    })
}

fn asked(draft: QuestionDraft) -> Option<Question> {
    let kind = match draft.kind?.value {
        Kind::Choice => QuestionKind::Choice {
            scale: draft.scale.map_or(Scale::Nominal, |scale| scale.value),
            choices: draft.choices?.value.into_iter().map(offered).collect::<Option<_>>()?,
        },
        Kind::Bullet => QuestionKind::Bullet,
    };
    let ask_when = match draft.ask_when {
        Some(condition) => Some(Condition {
            question: condition.question?.value,
            is: condition.is?.value.into_iter().map(|value| value.value).collect(),
        }),
        None => None,
    };
    Some(Question {
        key: draft.key?.value,
        prompt: draft.prompt?.value,
        kind,
        required: draft.required.is_none_or(|required| required.value),
        ask_when,
    })
}

fn offered(draft: ChoiceDraft) -> Option<Choice> {
    Some(Choice {
        value: draft.value?.value,
        label: draft.label?.value,
        key: draft.key?.value.chars().next()?,
        score: draft.score.map(|score| score.value),
    })
}
