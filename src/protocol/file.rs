//! The TOML form of a protocol: read with the lines on which things stand, so that everything that is wrong in a file can
//! be named at once. The rules between the parts are in `checks`.

use super::changes::{self, Change};
use super::checks;
use super::findings::{At, FileFindings};
use super::keys::lost_keys;
use super::score_sheet::{self, ScoreSheet};
use super::table::{FileTable, Need};
use super::{
    Choice, ChoiceScale, Condition, Layout, Pairing, PairsMade, Pane, Protocol, Question, QuestionKind, Rule,
    SelectedIn, TargetPart,
};
use crate::error::{Error, Result};

/// Words of `among`, each with whether units of all queries of the collection are meant.
const AMONG: &[(&str, bool)] = &[("query", false), ("collection", true)];

const SCALES: &[(&str, ChoiceScale)] =
    &[("nominal", ChoiceScale::Nominal), ("ordinal", ChoiceScale::Ordinal)];

/// The highest step of a scale of whole numbers.
const HIGHEST: u32 = 10;

/// Ready questions that a protocol may include, by name.
const READY: &[(&str, &str)] = &[
    ("confidence", include_str!("../../assets/questions/confidence.toml")),
    ("cannot_judge", include_str!("../../assets/questions/cannot_judge.toml")),
];

/// The contents of a file, as far as they can be read. A part is missing where it has a finding.
pub(super) struct Draft {
    pub(super) name: Option<At<String>>,
    pub(super) title: Option<At<String>>,
    pub(super) version: Option<At<u32>>,
    pub(super) source: Option<At<String>>,
    pub(super) target: Option<At<Vec<At<TargetPart>>>>,
    pub(super) units: Option<At<Vec<At<String>>>>,
    pub(super) unit_name: Option<At<String>>,
    pub(super) group: Option<At<TargetPart>>,
    pub(super) documents: Option<At<Pairing>>,
    pub(super) pairs: Option<At<PairsMade>>,
    pub(super) evidence: Option<At<bool>>,
    pub(super) layout: Option<At<LayoutDraft>>,
    pub(super) questions: Option<At<Vec<QuestionDraft>>>,
    pub(super) rules: Vec<RuleDraft>,
    pub(super) scores: ScoreSheet,
    pub(super) changes: Vec<At<Change>>,
}

pub(super) struct LayoutDraft {
    pub(super) above: Vec<At<Pane>>,
    pub(super) left: Vec<At<Pane>>,
    pub(super) right: Vec<At<Pane>>,
}

pub(super) struct QuestionDraft {
    /// The question's name in messages.
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) key: Option<At<String>>,
    pub(super) prompt: Option<At<String>>,
    pub(super) kind: Option<At<QuestionKindName>>,
    pub(super) scale: Option<At<ChoiceScale>>,
    /// The words at both ends of a scale of whole numbers.
    pub(super) ends: Option<At<Vec<At<String>>>>,
    pub(super) required: Option<At<bool>>,
    pub(super) ask_when: Option<ConditionDraft>,
    pub(super) choices: Option<At<Vec<ChoiceDraft>>>,
    pub(super) tags: Option<At<Vec<ChoiceDraft>>>,
    pub(super) several: Option<At<bool>>,
    pub(super) hotkey: Option<At<String>>,
    pub(super) starts_with: Option<At<TargetPart>>,
    pub(super) reveals: Option<At<String>>,
    pub(super) units: Option<At<Vec<At<String>>>>,
    pub(super) among: Option<At<bool>>,
    pub(super) passages: Option<At<bool>>,
    pub(super) instead: Option<At<bool>>,
    /// Where passages are selected.
    pub(super) place: Option<At<SelectedIn>>,
    pub(super) severity: Option<At<Vec<ChoiceDraft>>>,
}

pub(super) struct RuleDraft {
    /// The rule's name in messages.
    pub(super) name: String,
    pub(super) when: Option<ConditionDraft>,
    pub(super) then: Option<ConditionDraft>,
    pub(super) message: Option<At<String>>,
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

named! {
    /// The kinds of questions.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum QuestionKindName {
        Choice = "choice",
        Bullet = "bullet",
        Text = "text",
        Tags = "tags",
        Passages = "passages",
        Points = "points",
        Units = "units",
        Side = "side",
    }
}

/// Reads a protocol file.
pub(super) fn parse(file_text: &str, guideline: &str) -> Result<Protocol> {
    let mut findings = FileFindings::new(file_text);
    let draft = read(file_text, &mut findings);
    checks::check(&draft, &mut findings);
    if let Some(protocol) = whole(draft, (file_text, guideline), &mut findings) {
        return Ok(protocol);
    }
    let first = findings.finish().into_iter().next();
    Err(first.unwrap_or_else(|| Error::new("the file is no protocol")))
}

/// Finds everything that is wrong with a protocol file, in the order of its lines.
///
/// `reserved` names what a screen does on a key that a choice might take.
pub fn check(file_text: &str, reserved: &dyn Fn(char) -> Option<&'static str>) -> Vec<Error> {
    let mut findings = FileFindings::new(file_text);
    let draft = read(file_text, &mut findings);
    checks::check(&draft, &mut findings);
    checks::check_reserved(&draft, reserved, &mut findings);
    whole(draft, (file_text, ""), &mut findings);
    findings.finish()
}

/// The protocol of a draft without a mistake, in its parts and between its questions.
fn whole(draft: Draft, texts: (&str, &str), findings: &mut FileFindings) -> Option<Protocol> {
    if !findings.is_empty() {
        return None;
    }
    let questions = draft.questions.as_ref().map(|questions| questions.value.as_slice()).unwrap_or_default();
    let lines: Vec<u64> = questions.iter().map(|question| question.line).collect();
    let changed: Vec<u64> = draft.changes.iter().map(|change| change.line).collect();
    let protocol = protocol(draft, texts.0, texts.1)?;
    changes::check(&protocol, &changed, findings);
    for (index, what, advice) in lost_keys(&protocol) {
        findings.advise(lines.get(index).copied().unwrap_or(1), what, advice);
    }
    findings.is_empty().then_some(protocol)
}

fn read(file_text: &str, findings: &mut FileFindings) -> Draft {
    let document = findings.document(file_text);
    let mut file = FileTable::new("the protocol", 1, document.get_ref());
    let draft = Draft {
        name: file.text("name", Need::Required, findings),
        title: file.text("title", Need::Required, findings),
        version: file.ordinal("version", findings),
        source: file.string("source", Need::Required, findings),
        target: file.words("target", TargetPart::WORDS, findings),
        units: file.strings("units", Need::Optional, findings),
        unit_name: file.text("unit_name", Need::Optional, findings),
        group: file.word("group", Need::Required, TargetPart::WORDS, findings),
        documents: file.word("documents", Need::Optional, Pairing::WORDS, findings),
        pairs: pairs(&mut file, findings),
        evidence: file.truth("evidence", findings),
        layout: layout(&mut file, findings),
        questions: with_ready(questions(&mut file, findings), &mut file, findings),
        rules: rules(&mut file, findings),
        scores: score_sheet::sheet(&mut file, findings),
        changes: changes::read(&mut file, findings),
    };
    file.finish(findings);
    draft
}

/// The pairs of a query that are compared: `all`, `neighbours`, or a number of them, `3 a query`.
fn pairs(file: &mut FileTable, findings: &mut FileFindings) -> Option<At<PairsMade>> {
    let said = file.text("pairs", Need::Optional, findings)?;
    let drawn = |text: &str| text.strip_suffix(" a query")?.parse().ok().filter(|count| *count > 0);
    let value = match said.value.as_str() {
        "all" => PairsMade::All,
        "neighbours" => PairsMade::Neighbours,
        text => match drawn(text) {
            Some(count) => PairsMade::Drawn(count),
            None => {
                let what = format!("\"pairs\" is {text:?}");
                findings.advise(
                    said.line,
                    what,
                    "write \"all\", \"neighbours\", or how many, such as \"3 a query\"",
                );
                return None;
            }
        },
    };
    Some(At { line: said.line, value })
}

fn layout(file: &mut FileTable, findings: &mut FileFindings) -> Option<At<LayoutDraft>> {
    let mut table = file.table("layout", Need::Required, "the layout".into(), findings)?;
    let line = table.line;
    let above = table.words("above", Pane::WORDS, findings);
    let left = table.words("left", Pane::WORDS, findings);
    let right = table.words("right", Pane::WORDS, findings);
    table.finish(findings);
    let value = LayoutDraft { above: above?.value, left: left?.value, right: right?.value };
    Some(At { line, value })
}

fn questions(file: &mut FileTable, findings: &mut FileFindings) -> Option<At<Vec<QuestionDraft>>> {
    let tables = file.tables("question", Need::Required, "question", findings)?;
    Some(tables.map(|tables| tables.into_iter().map(|table| question(table, findings)).collect()))
}

/// The questions of a file, and behind them the ready ones that it includes.
fn with_ready(
    questions: Option<At<Vec<QuestionDraft>>>,
    file: &mut FileTable,
    findings: &mut FileFindings,
) -> Option<At<Vec<QuestionDraft>>> {
    let words: Vec<(&str, &str)> = READY.to_vec();
    let Some(included) = file.optional_words("include", &words, findings) else { return questions };
    let mut questions = questions?;
    for included in included.value {
        let mut own = FileFindings::new(included.value);
        let document = own.document(included.value);
        let table = FileTable::new("the question", included.line, document.get_ref());
        let ready = question(table, &mut own);
        // Ready questions are part of the program, and a test reads each of them.
        let hotkey = ready.hotkey.map(|own| own.map(|letter| free_letter(&letter, &questions.value)));
        questions.value.push(QuestionDraft { line: included.line, hotkey, ..ready });
    }
    Some(questions)
}

/// The letter of a ready question, or the next that is free: the file's own keys come first.
fn free_letter(own: &str, questions: &[QuestionDraft]) -> String {
    // The tag of a passage is asked by itself.
    let is_marked = |asked: &QuestionDraft| {
        asked.kind.as_ref().is_some_and(|kind| kind.value == QuestionKindName::Passages)
    };
    let is_free = |letter: &&str| {
        let offered = questions.iter().filter(|asked| !is_marked(asked)).flat_map(checks::offered);
        let hotkeys = questions.iter().filter_map(|asked| asked.hotkey.as_ref());
        !offered.filter_map(|choice| choice.key.as_ref()).chain(hotkeys).any(|key| key.value == **letter)
    };
    let letters = [own, "d", "v", "l", "h", "m", "y", "e", "a", "f", "r", "p", "n", "x"];
    letters.into_iter().find(is_free).unwrap_or(own).to_owned()
}

fn rules(file: &mut FileTable, findings: &mut FileFindings) -> Vec<RuleDraft> {
    let tables = file.tables("rule", Need::Optional, "rule", findings);
    tables.into_iter().flat_map(|tables| tables.value).map(|table| rule(table, findings)).collect()
}

fn rule(mut table: FileTable, findings: &mut FileFindings) -> RuleDraft {
    let name = table.name().to_owned();
    let draft = RuleDraft {
        when: condition(&mut table, "when", Need::Required, &name, findings),
        then: condition(&mut table, "then", Need::Required, &name, findings),
        message: table.text("message", Need::Required, findings),
        name,
    };
    table.finish(findings);
    draft
}

fn question(mut table: FileTable, findings: &mut FileFindings) -> QuestionDraft {
    let key = table.text("key", Need::Required, findings);
    if let Some(key) = &key {
        table.call(format!("question {:?}", key.value));
    }
    let name = table.name().to_owned();
    let prompt = table.text("prompt", Need::Required, findings);
    let kind = table.word("kind", Need::Required, QuestionKindName::WORDS, findings);
    let scale = scale(&mut table, findings);
    let ends = table.strings("ends", Need::Optional, findings);
    let steps = scale.as_ref().and_then(|scale| Some(steps(scale.line, scale.value.1?, ends.as_ref())));
    let draft = QuestionDraft {
        line: table.line,
        prompt,
        kind,
        scale: scale.as_ref().map(|scale| At { line: scale.line, value: scale.value.0 }),
        ends,
        required: table.truth("required", findings),
        ask_when: condition(&mut table, "ask_when", Need::Optional, &name, findings),
        choices: choices(&mut table, "choices", "choice", &name, findings).or(steps),
        instead: table.truth("instead", findings),
        tags: choices(&mut table, "tags", "tag", &name, findings),
        severity: choices(&mut table, "severity", "severity", &name, findings),
        several: table.truth("several", findings),
        hotkey: table.string("hotkey", Need::Optional, findings),
        starts_with: table.word("starts_with", Need::Optional, TargetPart::WORDS, findings),
        reveals: table.text("reveals", Need::Optional, findings),
        units: table.strings("units", Need::Optional, findings),
        among: table.word("among", Need::Optional, AMONG, findings),
        passages: table.truth("passages", findings),
        place: table.word("in", Need::Optional, SelectedIn::WORDS, findings),
        key,
        name,
    };
    table.finish(findings);
    draft
}

/// A scale, with its ends where its steps are whole numbers.
type ScaleGiven = (ChoiceScale, Option<(u32, u32)>);

/// A scale, with its ends where its steps are whole numbers: `"1..5"`.
fn scale(table: &mut FileTable, findings: &mut FileFindings) -> Option<At<ScaleGiven>> {
    let given = table.text("scale", Need::Optional, findings)?;
    let ends =
        given.value.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match ends {
        Some((low, high)) if low < high && high <= HIGHEST => {
            Some(At { line: given.line, value: (ChoiceScale::Interval, Some((low, high))) })
        }
        None if !given.value.contains("..") => {
            let known = table.understood("scale", &given, SCALES, findings)?;
            Some(known.map(|scale| (scale, None)))
        }
        _ => {
            let what = format!(
                "{}: the scale {:?} is no range of whole numbers from 0 to {HIGHEST}",
                table.name(),
                given.value
            );
            findings.advise(given.line, what, "write the lowest and the highest, such as \"1..5\"");
            None
        }
    }
}

/// The choices of a scale of whole numbers: a digit each, and `x` for ten.
fn steps(line: u64, (low, high): (u32, u32), ends: Option<&At<Vec<At<String>>>>) -> At<Vec<ChoiceDraft>> {
    let at = |value: String| Some(At { line, value });
    let word = |place: usize| ends.and_then(|ends| ends.value.get(place)).map(|end| end.value.as_str());
    let step = |number: u32| {
        let word = if number == low {
            word(0)
        } else if number == high {
            word(1)
        } else {
            None
        };
        ChoiceDraft {
            line,
            value: at(number.to_string()),
            label: at(word.map_or_else(|| number.to_string(), |word| format!("{number} {word}"))),
            key: at(if number == 10 { "x".to_owned() } else { number.to_string() }),
            score: Some(At { line, value: f64::from(number) }),
        }
    };
    At { line, value: (low..=high).map(step).collect() }
}

fn condition(
    owner: &mut FileTable,
    key: &'static str,
    need: Need,
    name: &str,
    findings: &mut FileFindings,
) -> Option<ConditionDraft> {
    let mut table = owner.table(key, need, format!("{key:?} of {name}"), findings)?;
    let draft = ConditionDraft {
        question: table.text("question", Need::Required, findings),
        is: table.strings("is", Need::Required, findings),
    };
    table.finish(findings);
    Some(draft)
}

fn choices(
    question: &mut FileTable,
    key: &'static str,
    one: &str,
    name: &str,
    findings: &mut FileFindings,
) -> Option<At<Vec<ChoiceDraft>>> {
    let tables = question.tables(key, Need::Optional, one, findings)?;
    Some(tables.map(|tables| tables.into_iter().map(|table| choice(table, name, findings)).collect()))
}

fn choice(mut table: FileTable, question: &str, findings: &mut FileFindings) -> ChoiceDraft {
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

/// The protocol of a draft; `None` where the draft has a finding.
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
        documents: draft.documents.map_or(Pairing::Gold, |documents| documents.value),
        pairs: draft.pairs.map_or(PairsMade::All, |pairs| pairs.value),
        shows_evidence: draft.evidence.is_none_or(|evidence| evidence.value),
        layout: Layout { above: plain(layout.above), left: plain(layout.left), right: plain(layout.right) },
        questions: questions?,
        rules: draft.rules.into_iter().map(kept_together).collect::<Option<_>>()?,
        scores: draft.scores,
        changes: draft.changes.into_iter().map(|change| change.value).collect(),
        earlier: Vec::new(),
        guideline: guideline.to_owned(),
        file_text: file_text.to_owned(),
        hash: Protocol::fingerprint_of(file_text),
    })
}

fn asked(draft: QuestionDraft) -> Option<Question> {
    let hotkey = draft.hotkey.and_then(|hotkey| hotkey.value.chars().next());
    let offers = |choices: Option<At<Vec<ChoiceDraft>>>| {
        choices?.value.into_iter().map(offered).collect::<Option<Vec<Choice>>>()
    };
    let from = draft.place.map_or(SelectedIn::Documents, |place| place.value);
    let kind = match draft.kind?.value {
        QuestionKindName::Choice => QuestionKind::Choice {
            scale: draft.scale.map_or(ChoiceScale::Nominal, |scale| scale.value),
            choices: offers(draft.choices)?,
        },
        QuestionKindName::Bullet => {
            QuestionKind::Bullet { several: draft.several.is_some_and(|several| several.value) }
        }
        QuestionKindName::Text => QuestionKind::Text {
            key: hotkey?,
            starts_with: draft.starts_with.map(|part| part.value),
            reveals: draft.reveals.map(|field| field.value),
        },
        QuestionKindName::Tags => QuestionKind::Tags { tags: offers(draft.tags)? },
        QuestionKindName::Passages => QuestionKind::Passages {
            key: hotkey?,
            from,
            tags: draft.tags.map_or(Some(Vec::new()), |tags| offers(Some(tags)))?,
            severities: draft.severity.map_or(Some(Vec::new()), |severity| offers(Some(severity)))?,
        },
        QuestionKindName::Points => QuestionKind::Points {
            key: hotkey?,
            with_passages: draft.passages.is_none_or(|passages| passages.value),
            from,
        },
        QuestionKindName::Units => {
            let kinds = draft.units?.value.into_iter().map(|kind| kind.value).collect();
            QuestionKind::Units { kinds, of_collection: draft.among.is_some_and(|among| among.value) }
        }
        QuestionKindName::Side => QuestionKind::Side,
    };
    let is_side = kind == QuestionKind::Side;
    let instead = draft.instead.is_some_and(|instead| instead.value);
    let ask_when = match draft.ask_when {
        Some(when) => Some(condition_of(when)?),
        None => None,
    };
    Some(Question {
        key: draft.key?.value,
        prompt: draft.prompt?.value,
        kind,
        required: draft.required.is_none_or(|required| required.value) && !instead && !is_side,
        ask_when,
        instead,
    })
}

fn condition_of(draft: ConditionDraft) -> Option<Condition> {
    Some(Condition {
        question: draft.question?.value,
        is: draft.is?.value.into_iter().map(|value| value.value).collect(),
    })
}

fn kept_together(draft: RuleDraft) -> Option<Rule> {
    Some(Rule {
        when: condition_of(draft.when?)?,
        then: condition_of(draft.then?)?,
        message: draft.message?.value,
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
