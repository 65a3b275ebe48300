//! `haymark help`: of haymark, of a command, or of a topic that several commands share.

use clap::Args;

use super::{command, print};
use crate::agreement::COEFFICIENTS;
use crate::browse::FIELDS;
use crate::error::{self, Error, Result};
use crate::formats::Format;
use crate::protocol::builtins;
use crate::text::near::nearest;

#[derive(Debug, Args)]
pub struct Help {
    /// A command such as "session replay", or a topic: filters, formats, protocols, statistics
    #[arg(value_name = "COMMAND OR TOPIC")]
    pub words: Vec<String>,
}

/// Names, each with its description.
type NamesListed = Vec<(String, String)>;

/// A topic of help that several commands share.
struct TopicText {
    about: error::Topic,
    text: &'static str,
    /// The list at the end of the topic, made from the tables that the program works by.
    list: fn() -> NamesListed,
}

const TOPICS: &[TopicText] = &[
    TopicText {
        about: error::Topic::Filters,
        text: include_str!("../../assets/help/filters.txt"),
        list: fields,
    },
    TopicText {
        about: error::Topic::Formats,
        text: include_str!("../../assets/help/formats.txt"),
        list: formats,
    },
    TopicText {
        about: error::Topic::Protocols,
        text: include_str!("../../assets/help/protocols.txt"),
        list: protocols,
    },
    TopicText {
        about: error::Topic::Statistics,
        text: include_str!("../../assets/help/statistics.txt"),
        list: coefficients,
    },
];

pub fn run(arguments: &Help) -> Result<()> {
    if let [word] = arguments.words.as_slice()
        && let Some(topic) = TOPICS.iter().find(|topic| topic.about.name() == word)
    {
        return print(&format!("{}{}", topic.text, listed(&(topic.list)())));
    }
    let mut meant = command();
    meant.build();
    let mut meant = &mut meant;
    for word in &arguments.words {
        let topics = TOPICS.iter().map(|topic| topic.about.name());
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

fn fields() -> NamesListed {
    let mut rows = NamesListed::new();
    for field in FIELDS {
        if rows.iter().all(|(name, _)| name != field.name) {
            rows.push((field.name.to_owned(), field.about.to_owned()));
        }
    }
    rows
}

fn formats() -> NamesListed {
    Format::ALL.iter().map(|format| (format.name().to_owned(), format.description().to_owned())).collect()
}

fn protocols() -> NamesListed {
    let asks = |protocol: &crate::protocol::Protocol| {
        let asked: Vec<&str> = protocol.questions.iter().map(|question| question.prompt.as_str()).collect();
        format!("{}: {}", protocol.title, asked.join(" "))
    };
    builtins().iter().map(|protocol| (protocol.name.clone(), asks(protocol))).collect()
}

fn coefficients() -> NamesListed {
    COEFFICIENTS.iter().map(|one| (one.name.to_owned(), one.title.to_owned())).collect()
}
