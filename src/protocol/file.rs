//! The TOML form of a protocol: read with the lines on which things stand, so that everything that is wrong in a file can
//! be named at once. The rules between the parts are in `checks`.

use super::changes::{self, Change};
use super::checks;
use super::findings::{At, FileFindings};
use super::keys::{lost_keys, lost_numbers};
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
    pub(super) above: At<Vec<At<Pane>>>,
    pub(super) left: At<Vec<At<Pane>>>,
    pub(super) right: At<Vec<At<Pane>>>,
}

impl LayoutDraft {
    pub(super) fn panes(&self) -> impl Iterator<Item = &At<Pane>> {
        [&self.above, &self.left, &self.right].into_iter().flat_map(|panes| &panes.value)
    }
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
    let findings = FileFindings::new(file_text);
    let draft = read(file_text, &findings);
    checks::check(&draft, &findings);
    if let Some(protocol) = whole(draft, (file_text, guideline), &findings) {
        return Ok(protocol);
    }
    let first = findings.finish().into_iter().next();
    Err(first.unwrap_or_else(|| Error::new("the file is no protocol")))
}

/// Finds everything that is wrong with a protocol file, in the order of its lines.
///
/// `reserved` names what a screen does on a key that a choice might take.
pub fn check(file_text: &str, reserved: &dyn Fn(char) -> Option<&'static str>) -> Vec<Error> {
    let findings = FileFindings::new(file_text);
    let draft = read(file_text, &findings);
    checks::check(&draft, &findings);
    checks::check_reserved(&draft, reserved, &findings);
    let lines = lines_of_questions(&draft);
    // A study that has such a protocol already goes on with it.
    if let Some(protocol) = whole(draft, (file_text, ""), &findings) {
        for (index, what, advice) in lost_numbers(&protocol) {
            findings.advise(lines.get(index).copied().unwrap_or(1), what, advice);
        }
        if protocol.questions.iter().all(|question| question.instead || question.kind == QuestionKind::Side) {
            let what = "every question has instead = true, so there is nothing else to answer";
            findings.advise(lines.first().copied().unwrap_or(1), what, "leave it out of one of them");
        }
    }
    findings.finish()
}

fn lines_of_questions(draft: &Draft) -> Vec<u64> {
    let questions = draft.questions.as_ref().map(|questions| questions.value.as_slice());
    questions.unwrap_or_default().iter().map(|question| question.line).collect()
}

/// The protocol of a draft without a mistake, in its parts and between its questions.
fn whole(draft: Draft, texts: (&str, &str), findings: &FileFindings) -> Option<Protocol> {
    if !findings.is_empty() {
        return None;
    }
    let lines = lines_of_questions(&draft);
    let changed: Vec<u64> = draft.changes.iter().map(|change| change.line).collect();
    let protocol = protocol(draft, texts.0, texts.1)?;
    changes::check(&protocol, &changed, findings);
    for (index, what, advice) in lost_keys(&protocol) {
        findings.advise(lines.get(index).copied().unwrap_or(1), what, advice);
    }
    findings.is_empty().then_some(protocol)
}

fn read(file_text: &str, findings: &FileFindings) -> Draft {
    let document = findings.document(file_text);
    let mut file = FileTable::new("the protocol", 1, document.get_ref(), findings);
    let draft = Draft {
        name: file.text("name", Need::Required),
        title: file.text("title", Need::Required),
        version: file.ordinal("version"),
        source: file.string("source", Need::Required),
        target: file.words("target", Need::Required, TargetPart::WORDS),
        units: file.strings("units", Need::Optional),
        unit_name: file.text("unit_name", Need::Optional),
        group: file.word("group", Need::Required, TargetPart::WORDS),
        documents: file.word("documents", Need::Optional, Pairing::WORDS),
        pairs: pairs(&mut file),
        evidence: file.truth("evidence"),
        layout: layout(&mut file),
        questions: with_ready(questions(&mut file), &mut file),
        rules: rules(&mut file),
        scores: score_sheet::sheet(&mut file),
        changes: changes::read(&mut file),
    };
    file.finish();
    draft
}

/// The pairs of a query that are compared: `all`, `neighbours`, or a number of them, `3 a query`.
fn pairs(file: &mut FileTable) -> Option<At<PairsMade>> {
    let said = file.text("pairs", Need::Optional)?;
    let drawn = |text: &str| text.strip_suffix(" a query")?.parse().ok().filter(|count| *count > 0);
    let value = match said.value.as_str() {
        "all" => PairsMade::All,
        "neighbours" => PairsMade::Neighbours,
        text => match drawn(text) {
            Some(count) => PairsMade::Drawn(count),
            None => {
                let what = format!("\"pairs\" is {text:?}");
                file.findings.advise(
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

fn layout(file: &mut FileTable) -> Option<At<LayoutDraft>> {
    let mut table = file.table("layout", Need::Required, "the layout".into())?;
    let line = table.line;
    let above = table.words("above", Need::Required, Pane::WORDS);
    let left = table.words("left", Need::Required, Pane::WORDS);
    let right = table.words("right", Need::Required, Pane::WORDS);
    table.finish();
    let value = LayoutDraft { above: above?, left: left?, right: right? };
    Some(At { line, value })
}

fn questions(file: &mut FileTable) -> Option<At<Vec<QuestionDraft>>> {
    let tables = file.tables("question", Need::Required, "question")?;
    Some(tables.map(|tables| tables.into_iter().map(question).collect()))
}

/// The questions of a file, and behind them the ready ones that it includes.
fn with_ready(
    questions: Option<At<Vec<QuestionDraft>>>,
    file: &mut FileTable,
) -> Option<At<Vec<QuestionDraft>>> {
    let words: Vec<(&str, &str)> = READY.to_vec();
    let Some(included) = file.words("include", Need::Optional, &words) else { return questions };
    let mut questions = questions?;
    for included in included.value {
        let own = FileFindings::new(included.value);
        let document = own.document(included.value);
        let table = FileTable::new("the question", included.line, document.get_ref(), &own);
        let ready = question(table);
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

fn rules(file: &mut FileTable) -> Vec<RuleDraft> {
    let tables = file.tables("rule", Need::Optional, "rule");
    tables.into_iter().flat_map(|tables| tables.value).map(rule).collect()
}

fn rule(mut table: FileTable) -> RuleDraft {
    let draft = RuleDraft {
        when: condition(&mut table, "when", Need::Required),
        then: condition(&mut table, "then", Need::Required),
        message: table.text("message", Need::Required),
        name: table.name().to_owned(),
    };
    table.finish();
    draft
}

fn question(mut table: FileTable) -> QuestionDraft {
    let key = table.text("key", Need::Required);
    if let Some(key) = &key {
        table.call(format!("question {:?}", key.value));
    }
    let prompt = table.text("prompt", Need::Required);
    let kind = table.word("kind", Need::Required, QuestionKindName::WORDS);
    let scale = scale(&mut table);
    let ends = table.strings("ends", Need::Optional);
    let steps = scale.as_ref().and_then(|scale| Some(steps(scale.line, scale.value.1?, ends.as_ref())));
    let draft = QuestionDraft {
        line: table.line,
        prompt,
        kind,
        scale: scale.as_ref().map(|scale| At { line: scale.line, value: scale.value.0 }),
        ends,
        required: table.truth("required"),
        ask_when: condition(&mut table, "ask_when", Need::Optional),
        choices: choices(&mut table, "choices", "choice").or(steps),
        instead: table.truth("instead"),
        tags: choices(&mut table, "tags", "tag"),
        severity: choices(&mut table, "severity", "severity"),
        several: table.truth("several"),
        hotkey: table.string("hotkey", Need::Optional),
        starts_with: table.word("starts_with", Need::Optional, TargetPart::WORDS),
        reveals: table.text("reveals", Need::Optional),
        units: table.strings("units", Need::Optional),
        among: table.word("among", Need::Optional, AMONG),
        passages: table.truth("passages"),
        place: table.word("in", Need::Optional, SelectedIn::WORDS),
        key,
        name: table.name().to_owned(),
    };
    table.finish();
    draft
}

/// A scale, with its ends where its steps are whole numbers.
type ScaleGiven = (ChoiceScale, Option<(u32, u32)>);

/// A scale, with its ends where its steps are whole numbers: `"1..5"`.
fn scale(table: &mut FileTable) -> Option<At<ScaleGiven>> {
    let given = table.text("scale", Need::Optional)?;
    let ends =
        given.value.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match ends {
        Some((low, high)) if low < high && high <= HIGHEST => {
            Some(At { line: given.line, value: (ChoiceScale::Interval, Some((low, high))) })
        }
        None if !given.value.contains("..") => {
            let known = table.understood("scale", &given, SCALES)?;
            Some(known.map(|scale| (scale, None)))
        }
        _ => {
            let what = format!(
                "{}: the scale {:?} is no range of whole numbers from 0 to {HIGHEST}",
                table.name(),
                given.value
            );
            table.findings.advise(given.line, what, "write the lowest and the highest, such as \"1..5\"");
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

fn condition(owner: &mut FileTable, key: &'static str, need: Need) -> Option<ConditionDraft> {
    let mut table = owner.table(key, need, format!("{key:?} of {}", owner.name()))?;
    let draft = ConditionDraft {
        question: table.text("question", Need::Required),
        is: table.strings("is", Need::Required),
    };
    table.finish();
    Some(draft)
}

fn choices(question: &mut FileTable, key: &'static str, one: &str) -> Option<At<Vec<ChoiceDraft>>> {
    let tables = question.tables(key, Need::Optional, one)?;
    Some(tables.map(|tables| tables.into_iter().map(|table| choice(table, question.name())).collect()))
}

fn choice(mut table: FileTable, question: &str) -> ChoiceDraft {
    table.call(format!("{} of {question}", table.name()));
    let draft = ChoiceDraft {
        line: table.line,
        value: table.text("value", Need::Required),
        label: table.text("label", Need::Required),
        key: table.string("key", Need::Required),
        score: table.number("score"),
    };
    table.finish();
    draft
}

/// The protocol of a draft; `None` where the draft has a finding.
fn protocol(draft: Draft, file_text: &str, guideline: &str) -> Option<Protocol> {
    let layout = draft.layout?.value;
    let questions: Option<Vec<Question>> = draft.questions?.value.into_iter().map(asked).collect();
    Some(Protocol {
        name: draft.name?.value,
        title: draft.title?.value,
        version: draft.version?.value,
        source: draft.source?.value,
        target: draft.target?.plain(),
        units: draft.units.map(At::plain).unwrap_or_default(),
        unit_name: draft.unit_name.map(|name| name.value),
        group: draft.group?.value,
        documents: draft.documents.map_or(Pairing::Gold, |documents| documents.value),
        pairs: draft.pairs.map_or(PairsMade::All, |pairs| pairs.value),
        shows_evidence: draft.evidence.is_none_or(|evidence| evidence.value),
        layout: Layout {
            above: layout.above.plain(),
            left: layout.left.plain(),
            right: layout.right.plain(),
        },
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
            let of_collection = draft.among.is_some_and(|among| among.value);
            QuestionKind::Units { kinds: draft.units?.plain(), of_collection }
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
    Some(Condition { question: draft.question?.value, is: draft.is?.plain() })
}

fn kept_together(draft: RuleDraft) -> Option<Rule> {
    let (when, then) = (condition_of(draft.when?)?, condition_of(draft.then?)?);
    Some(Rule { when, then, message: draft.message?.value })
}

fn offered(draft: ChoiceDraft) -> Option<Choice> {
    Some(Choice {
        value: draft.value?.value,
        label: draft.label?.value,
        key: draft.key?.value.chars().next()?,
        score: draft.score.map(|score| score.value),
    })
}
