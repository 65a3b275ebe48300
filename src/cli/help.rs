//! `haymark help`: of haymark, of a command, or of a topic that several commands share.

use clap::Args;

use super::args::command;
use super::output::print;
use crate::agreement::COEFFICIENTS;
use crate::browse::FIELDS;
use crate::error::{Error, Result};
use crate::formats::Format;
use crate::protocol::builtins;
use crate::text::near::nearest;

#[derive(Debug, Args)]
pub struct Help {
    /// A command such as "session replay", or a topic: filters, formats, protocols, statistics
    #[arg(value_name = "COMMAND OR TOPIC")]
    pub words: Vec<String>,
}

/// Each topic: its name, what is said, and the list at its end, which comes from the tables that the program works by.
const TOPICS: &[(&str, &str, fn() -> Vec<(String, String)>)] = &[
    ("filters", include_str!("../../assets/help/filters.txt"), fields),
    ("formats", include_str!("../../assets/help/formats.txt"), formats),
    ("protocols", include_str!("../../assets/help/protocols.txt"), protocols),
    ("statistics", include_str!("../../assets/help/statistics.txt"), coefficients),
];

pub fn run(arguments: &Help) -> Result<()> {
    if let [topic] = arguments.words.as_slice()
        && let Some((_, text, list)) = TOPICS.iter().find(|(name, ..)| name == topic)
    {
        return print(&format!("{text}{}", listed(&list())));
    }
    let mut meant = command();
    meant.build();
    let mut meant = &mut meant;
    for word in &arguments.words {
        let topics = TOPICS.iter().map(|(name, ..)| *name);
        let known: Vec<String> =
            meant.get_subcommands().map(|one| one.get_name()).chain(topics).map(str::to_owned).collect();
        meant = meant.find_subcommand_mut(word).ok_or_else(|| unknown(word, &known))?;
    }
    print(&meant.render_long_help().to_string())
}

fn unknown(word: &str, known: &[String]) -> Error {
    let error = Error::usage(format!("there is no command and no topic {word:?}"));
    match nearest(word, known.iter().map(String::as_str)) {
        Some(near) => error.advise(format!("did you mean {near}?")),
        None => error.advise(format!("there are {}", known.join(", "))),
    }
}

/// Two columns, the first as wide as its widest.
fn listed(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, about)| format!("  {name:width$}  {about}\n")).collect()
}

fn fields() -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for field in FIELDS {
        if rows.iter().all(|(name, _)| name != field.name) {
            rows.push((field.name.to_owned(), field.about.to_owned()));
        }
    }
    rows
}

fn formats() -> Vec<(String, String)> {
    Format::ALL.iter().map(|format| (format.name().to_owned(), format.description().to_owned())).collect()
}

fn protocols() -> Vec<(String, String)> {
    let asks = |protocol: &crate::protocol::Protocol| {
        let asked: Vec<&str> = protocol.questions.iter().map(|question| question.prompt.as_str()).collect();
        format!("{}: {}", protocol.title, asked.join(" "))
    };
    builtins().iter().map(|protocol| (protocol.name.clone(), asks(protocol))).collect()
}

fn coefficients() -> Vec<(String, String)> {
    COEFFICIENTS.iter().map(|one| (one.name.to_owned(), one.title.to_owned())).collect()
}
