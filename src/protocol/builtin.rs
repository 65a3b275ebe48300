//! The protocols that come with haymark.

use std::sync::OnceLock;

use super::Protocol;
use crate::error::Error;

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../assets/protocols/", $name, ".toml")),
            include_str!(concat!("../../assets/guidelines/", $name, ".md")),
        )
    };
}

macro_rules! scores {
    ($($name:literal),*) => { &[$(($name, include_str!(concat!("../../assets/scores/", $name, ".toml")))),*] };
}

/// The scores of the protocols that have some. They stand apart, because a protocol's text is the version that judgments were
/// made under.
pub(super) const BUILTIN_SCORES: &[(&str, &str)] = scores!(
    "coverage",
    "keypoint",
    "entailment",
    "faithfulness",
    "refinement",
    "answerability",
    "attribution",
    "match",
    "placement",
    "nuggets",
    "claims",
    "statement-support"
);

/// Name, TOML and guideline of each built-in protocol, in the order of lists.
const FILES: &[(&str, &str, &str)] = &[
    file!("coverage"),
    file!("keypoint"),
    file!("entailment"),
    file!("faithfulness"),
    file!("refinement"),
    file!("answerability"),
    file!("attribution"),
    file!("failure"),
    file!("extraction"),
    file!("decomposition"),
    file!("match"),
    file!("placement"),
    file!("retrieval"),
    file!("nugget-wording"),
    file!("nugget-importance"),
    file!("nuggets"),
    file!("claims"),
    file!("statement-support"),
    file!("citation-need"),
    file!("hallucination"),
    file!("preference"),
];

/// All built-in protocols.
pub fn builtins() -> &'static [Protocol] {
    static PROTOCOLS: OnceLock<Vec<Protocol>> = OnceLock::new();
    PROTOCOLS.get_or_init(|| {
        FILES
            .iter()
            // The files are part of the program and a test reads each of them.
            .filter_map(|(_, file_text, guideline)| Protocol::parse(file_text, guideline).ok())
            .collect()
    })
}

/// The built-in protocol of this name.
pub fn builtin(name: &str) -> Option<&'static Protocol> {
    builtins().iter().find(|protocol| protocol.name == name)
}

/// The error for a protocol of a study with the name of a built-in one.
pub fn name_taken(name: &str) -> Error {
    Error::new(format!("haymark has a protocol {name:?} of its own")).advise("give yours another name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_protocol_of_its_name() {
        for (name, file_text, guideline) in FILES {
            let protocol =
                Protocol::parse(file_text, guideline).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(protocol.name, *name);
            assert!(protocol.guideline.starts_with("# "), "{name} has a guideline");
            assert!(!protocol.source.is_empty(), "{name} names its source");
        }
    }

    /// Whether the line stands in the text, and stands there once.
    fn has_line(text: &str, line: &str) -> bool {
        text.lines().filter(|other| *other == line).count() == 1
    }

    #[test]
    fn guidelines_explain_every_question_choice_and_tag() {
        for protocol in builtins() {
            let (name, guideline) = (&protocol.name, &protocol.guideline);
            for question in &protocol.on_screen(false).questions {
                let heading = format!("## {}", question.prompt);
                assert!(has_line(guideline, &heading), "{name}: {heading}");
                let about = guideline.split(&format!("\n{heading}\n")).nth(1).unwrap_or("");
                let section = about.split("\n## ").next().unwrap_or("");
                let shown = protocol.labels_shown(question).into_iter();
                let places: Vec<Option<usize>> =
                    shown.map(|choice| section.find(&format!("### {} · ", choice.key))).collect();
                assert!(places.is_sorted(), "{name}: {} has another order on the screen", question.prompt);
                for choice in question.offered() {
                    let heading = format!("### {} · {}", choice.key, choice.label);
                    assert!(has_line(section, &heading), "{name}: {heading}");
                }
            }
            assert!(has_line(guideline, "## How to work"), "{name}");
        }
    }
}
