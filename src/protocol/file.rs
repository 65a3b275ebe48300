//! The TOML form of a protocol, and the rules that a file must keep.

use std::collections::HashSet;

use serde::Deserialize;

use super::{Choice, Condition, Layout, Part, Protocol, Question, QuestionKind, Scale};
use crate::error::{Error, Result};
use crate::text::hash::fingerprint;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtocolFile {
    name: String,
    title: String,
    version: u32,
    source: String,
    target: Vec<Part>,
    #[serde(default)]
    units: Vec<String>,
    unit_name: Option<String>,
    group: Part,
    layout: Layout,
    question: Vec<QuestionFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionFile {
    key: String,
    prompt: String,
    kind: KindName,
    scale: Option<Scale>,
    #[serde(default = "yes")]
    required: bool,
    ask_when: Option<Condition>,
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindName {
    Choice,
    Bullet,
}

fn yes() -> bool {
    true
}

/// Reads and checks a protocol file.
pub(super) fn parse(file_text: &str, guideline: &str) -> Result<Protocol> {
    let file: ProtocolFile = toml::from_str(file_text).map_err(|error| syntax_error(file_text, &error))?;
    let mut questions = Vec::with_capacity(file.question.len());
    for question in file.question {
        questions.push(read_question(question)?);
    }
    let protocol = Protocol {
        name: file.name,
        title: file.title,
        version: file.version,
        source: file.source,
        target: file.target,
        units: file.units,
        unit_name: file.unit_name,
        group: file.group,
        layout: file.layout,
        questions,
        guideline: guideline.to_owned(),
        file_text: file_text.to_owned(),
        hash: fingerprint(&["protocol", file_text]),
    };
    check(&protocol)?;
    Ok(protocol)
}

fn syntax_error(file_text: &str, error: &toml::de::Error) -> Error {
    let line = error.span().map(|span| {
        let before = file_text.as_bytes().iter().take(span.start);
        before.filter(|byte| **byte == b'\n').count() as u64 + 1
    });
    let described = Error::new(error.message().replace('\n', " "));
    match line {
        Some(line) => described.at_line(line),
        None => described,
    }
}

fn read_question(file: QuestionFile) -> Result<Question> {
    let kind = match file.kind {
        KindName::Choice => {
            let scale = file.scale.unwrap_or(Scale::Nominal);
            check_choices(&file.key, scale, &file.choices)?;
            QuestionKind::Choice { scale, choices: file.choices }
        }
        KindName::Bullet => {
            if !file.choices.is_empty() || file.scale.is_some() {
                return Err(in_question(&file.key, "a bullet question has neither choices nor scale"));
            }
            QuestionKind::Bullet
        }
    };
    Ok(Question {
        key: file.key,
        prompt: file.prompt,
        kind,
        required: file.required,
        ask_when: file.ask_when,
    })
}

fn in_question(key: &str, what: &str) -> Error {
    Error::new(format!("question {key:?}: {what}"))
}

fn check_choices(key: &str, scale: Scale, choices: &[Choice]) -> Result<()> {
    if choices.len() < 2 {
        return Err(in_question(key, "a choice question needs two choices or more"));
    }
    let mut values = HashSet::new();
    for choice in choices {
        if !values.insert(&choice.value) {
            return Err(in_question(key, &format!("the choice {:?} stands twice", choice.value)));
        }
        if !choice.key.is_ascii_lowercase() {
            let what = format!("the key of {:?} must be a letter from a to z", choice.value);
            return Err(in_question(key, &what));
        }
        if scale == Scale::Ordinal && choice.score.is_none_or(|score| !score.is_finite()) {
            let what = format!("{:?} needs a score, because the scale is ordinal", choice.value);
            return Err(in_question(key, &what));
        }
    }
    Ok(())
}

fn check(protocol: &Protocol) -> Result<()> {
    if protocol.questions.is_empty() {
        return Err(Error::new("the protocol asks no question"));
    }
    if !protocol.targets(protocol.group) && protocol.group != Part::Query {
        return Err(Error::new("\"group\" must be a part of \"target\", or \"query\""));
    }
    let mut keys = HashSet::new();
    let mut hotkeys = HashSet::new();
    for question in &protocol.questions {
        if let Some(condition) = &question.ask_when {
            check_condition(protocol, question, condition, &keys)?;
        }
        if !keys.insert(question.key.as_str()) {
            return Err(in_question(&question.key, "the key stands twice"));
        }
        for choice in question.choices() {
            if !hotkeys.insert(choice.key) {
                let what = format!("the key {:?} answers twice", choice.key);
                return Err(in_question(&question.key, &what));
            }
        }
        if question.kind == QuestionKind::Bullet && !protocol.targets(Part::Candidate) {
            return Err(in_question(&question.key, "a bullet needs \"candidate\" in \"target\""));
        }
    }
    Ok(())
}

fn check_condition(
    protocol: &Protocol,
    question: &Question,
    condition: &Condition,
    earlier: &HashSet<&str>,
) -> Result<()> {
    let asked_before =
        protocol.question(&condition.question).filter(|other| earlier.contains(other.key.as_str()));
    let Some(other) = asked_before else {
        let what = format!("ask_when looks at {:?}, which is not asked before it", condition.question);
        return Err(in_question(&question.key, &what));
    };
    let unknown =
        condition.is.iter().find(|value| !other.choices().iter().any(|choice| choice.value == **value));
    match unknown {
        Some(value) => {
            let what = format!("ask_when names {value:?}, which is no choice of {:?}", other.key);
            Err(in_question(&question.key, &what))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../assets/protocols/coverage.toml");

    fn refuse(from: &str, to: &str, expected: &str) {
        assert!(GOOD.contains(from), "{from:?} stands in the file");
        let error = parse(&GOOD.replacen(from, to, 1), "").expect_err(expected).to_string();
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }

    #[test]
    fn names_the_rule_that_is_broken() {
        refuse("prompt =", "promt =", "line");
        refuse("score = 50", "score = nan", "needs a score");
        refuse("key = \"p\"", "key = \"f\"", "answers twice");
        refuse("key = \"p\"", "key = \"P\"", "letter from a to z");
        refuse("question = \"coverage\"", "question = \"cover\"", "not asked before it");
        refuse("is = [\"partial\"", "is = [\"half\"", "no choice of");
        refuse("group = \"candidate\"", "group = \"document\"", "must be a part");
    }
}
