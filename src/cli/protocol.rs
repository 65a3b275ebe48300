//! `haymark protocol`: list, show, check and add protocols, and a template for new ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;

use super::{complain, open_to_decide, print, print_tables};
use crate::app::kit::{Key, KeyCode, Keymap};
use crate::browse::check_scores;
use crate::error::{Error, Result, Topic};
use crate::export::table::TableForm;
use crate::formats::short_text;
use crate::number::number_of;
use crate::protocol::{Protocol, builtin, builtins, check};
use crate::report::{Column, Table, protocols};
use crate::store::{AddedProtocol, StudyFile};
use crate::study::Corpus;
use crate::text::width::visible;

#[derive(Debug, Subcommand)]
pub enum ProtocolCommand {
    /// List the built-in protocols, and those of a study with how many items each has, and how much was judged
    List(ProtocolList),
    /// Print the file of a protocol, or its guideline
    Show(ProtocolShow),
    /// Name every mistake in a protocol file, with its line
    Check(ProtocolCheck),
    /// Add a protocol of your own to a study, or a new version of one
    Add(ProtocolAdd),
    /// Print a commented protocol file to start from
    New(ProtocolNew),
}

#[derive(Debug, Args)]
pub struct ProtocolList {
    /// A study file, to list its own protocols too
    pub study: Option<PathBuf>,
    #[command(flatten)]
    pub form: TableForm,
}

#[derive(Debug, Args)]
pub struct ProtocolShow {
    /// The protocol
    pub name: String,
    /// The study file that the protocol lies in, when it is not a built-in one
    pub study: Option<PathBuf>,
    /// Print the guideline for annotators instead
    #[arg(long)]
    pub guideline: bool,
}

#[derive(Debug, Args)]
pub struct ProtocolCheck {
    /// The protocol file (TOML)
    pub file: PathBuf,
    /// A study file, whose protocols the scores may ask too
    pub study: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ProtocolAdd {
    /// The study file; made when it is not there
    pub study: PathBuf,
    /// The protocol file (TOML)
    pub file: PathBuf,
    /// The guideline for annotators (Markdown)
    #[arg(long, value_name = "FILE.md")]
    pub guideline: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ProtocolNew {
    /// The name that commands call it by
    #[arg(default_value = "mine")]
    pub name: String,
}

/// A protocol file with a comment on every key.
const TEMPLATE: &str = include_str!("../../assets/protocol_template.toml");
/// The name in the template.
const TEMPLATE_NAME: &str = "mine";

pub fn run(command: &ProtocolCommand) -> Result<()> {
    match command {
        ProtocolCommand::List(arguments) => list(arguments),
        ProtocolCommand::Show(arguments) => show(arguments),
        ProtocolCommand::Check(arguments) => check_file(arguments),
        ProtocolCommand::Add(arguments) => add(arguments),
        ProtocolCommand::New(arguments) => new(arguments),
    }
}

fn list(arguments: &ProtocolList) -> Result<()> {
    let study = arguments.study.as_deref().map(StudyFile::open).transpose()?;
    let known = match &study {
        Some(study) => protocols::all(study)?,
        None => builtins().to_vec(),
    };
    let items = study.as_ref().map(|study| study.count_items(&known)).transpose()?.unwrap_or_default();
    let mut rows: Vec<ProtocolListed<'_>> = Vec::new();
    for (place, protocol) in known.iter().enumerate() {
        let mut counts = BTreeMap::from([(protocol.version, 0)]);
        if let Some(study) = &study {
            for count in study.judgments_by_version(&protocol.name)? {
                *counts.entry(count.version).or_default() += count.judgments;
            }
        }
        // Later versions come first; the current one is listed even where nothing was judged under it.
        for (version, judgments) in counts.into_iter().rev() {
            let items = items.get(place).copied().filter(|_| version == protocol.version);
            rows.push(ProtocolListed { protocol, version, items, judgments });
        }
    }
    let from = |row: &ProtocolListed<'_>| {
        let known = builtin(&row.protocol.name);
        let comes_along = known.is_some_and(|known| known.file_text == row.protocol.file_text);
        if comes_along { "haymark" } else { "study" }
    };
    let mut columns = vec![
        Column::new("name", "name", |row: &ProtocolListed<'_>| visible(&row.protocol.name).into_owned()),
        Column::new("title", "title", |row: &ProtocolListed<'_>| visible(&row.protocol.title).into_owned()),
        Column::new("version", "version", |row: &ProtocolListed<'_>| u64::from(row.version)),
        Column::new("from", "from", from),
    ];
    if study.is_some() {
        columns.push(Column::new("items", "items", |row: &ProtocolListed<'_>| row.items));
        columns.push(Column::new("judgments", "judgments", |row: &ProtocolListed<'_>| row.judgments));
    }
    let source = |row: &ProtocolListed<'_>| visible(&row.protocol.source).into_owned();
    columns.push(Column::new("source", "source", source).detail());
    let mut table = Table::of("Protocols", columns, &rows);
    if study.is_some() {
        table
            .notes
            .push("judgments: those of people and of judges; `haymark status` counts people's.".to_owned());
    }
    print_tables(&[table], &arguments.form)
}

/// A version of a protocol, how much a study has to judge under the current one, and how much was judged.
struct ProtocolListed<'a> {
    protocol: &'a Protocol,
    version: u32,
    items: Option<usize>,
    judgments: usize,
}

fn show(arguments: &ProtocolShow) -> Result<()> {
    let protocol = match &arguments.study {
        Some(study) => protocols::find(&StudyFile::open(study)?, &arguments.name)?,
        None => builtin(&arguments.name).cloned().ok_or_else(|| {
            protocols::unknown(&arguments.name, builtins()).advise(
                "name the study after it, if it is a protocol of a study; `haymark protocol list` lists them",
            )
        })?,
    };
    if !arguments.guideline {
        return print(&protocol.file_text);
    }
    if protocol.guideline.is_empty() {
        return Err(Error::new(format!("the protocol {:?} has no guideline", protocol.name))
            .advise("`haymark protocol add STUDY FILE --guideline FILE.md` adds one"));
    }
    print(&protocol.guideline)
}

/// The action of the annotate screen on this key, besides answering.
fn reserved(keymap: &Keymap, letter: char) -> Option<&'static str> {
    keymap.action(Key::plain(KeyCode::Char(letter))).map(|action| action.name())
}

/// Reads a protocol file in which nothing is wrong; each mistake is a line on standard error.
fn read_checked(file: &Path) -> Result<String> {
    let text = short_text(file)?;
    let keymap = Keymap::default();
    let findings = check(&text, &|letter| reserved(&keymap, letter));
    let count = findings.len();
    for finding in findings {
        complain(&visible(&finding.in_file(file).to_string()));
    }
    match count {
        0 => Ok(text),
        1 => Err(Error::new("the protocol has a mistake").advise("correct it, and check again")),
        _ => {
            Err(Error::new(format!("the protocol has {count} mistakes"))
                .advise("correct them, and check again"))
        }
    }
    .map_err(|error| error.in_file(file).under(Topic::Protocols))
}

fn check_file(arguments: &ProtocolCheck) -> Result<()> {
    let text = read_checked(&arguments.file)?;
    let protocol = Protocol::parse(&text, "").map_err(|error| error.in_file(&arguments.file))?;
    protocol.may_have_its_name().map_err(|error| error.in_file(&arguments.file).under(Topic::Protocols))?;
    let (others, records) = match &arguments.study {
        Some(study) => {
            let study = StudyFile::open(study)?;
            (protocols::all(&study)?, study.corpus_without_texts()?)
        }
        None => (builtins().to_vec(), Corpus::default()),
    };
    let hints = check_scores(&protocol, &others, records)
        .map_err(|error| error.in_file(&arguments.file).under(Topic::Protocols))?;
    let hints: Vec<String> = protocol.key_hints().into_iter().chain(hints).collect();
    hints.iter().for_each(|hint| complain(&format!("note: {}", visible(hint))));
    let questions = number_of(protocol.questions.len(), "question");
    print(&format!(
        "{}: no mistakes; {:?}, version {}, asks {questions}\n",
        visible(&arguments.file.display().to_string()),
        protocol.name,
        protocol.version
    ))
}

fn add(arguments: &ProtocolAdd) -> Result<()> {
    let text = read_checked(&arguments.file)?;
    let guideline = arguments.guideline.as_deref().map(short_text).transpose()?.unwrap_or_default();
    let protocol = Protocol::parse(&text, &guideline).map_err(|error| error.in_file(&arguments.file))?;
    let has_guideline = arguments.guideline.is_some();
    let text = match arguments.study.exists() {
        true => add_to(&mut open_to_decide(&arguments.study, false)?, protocol, has_guideline)?,
        false => StudyFile::create_with(&arguments.study, |study| add_to(study, protocol, has_guideline))?,
    };
    print(&text)
}

fn add_to(study: &mut StudyFile, mut protocol: Protocol, has_guideline: bool) -> Result<String> {
    refuse_unclear(&protocol, &protocols::all(study)?)?;
    let before = study.protocol(&protocol.name)?;
    let takes_over = !has_guideline
        && before
            .as_ref()
            .is_some_and(|before| builtin(&before.name).is_none() || !before.guideline.is_empty());
    if let Some(before) = before.filter(|_| takes_over) {
        // A new version keeps the protocol's guideline until there is a new guideline.
        protocol.guideline = before.guideline;
    }
    let added = study.add_protocol(&protocol)?;
    told(study, &protocol, added)
}

/// Refuses a protocol whose scores name something that is not there, or beside which scores of the study's own protocols no longer
/// know what they name. Records that a score lacks may still come.
fn refuse_unclear(protocol: &Protocol, known: &[Protocol]) -> Result<()> {
    let check = |of: &Protocol, others: &[Protocol]| check_scores(of, others, Corpus::default());
    check(protocol, known)?;
    let others = || known.iter().filter(|other| other.name != protocol.name);
    let all: Vec<Protocol> = others().chain([protocol]).cloned().collect();
    for other in others().filter(|other| !other.scores.is_empty() && check(other, known).is_ok()) {
        check(other, &all).map_err(|error| {
            Error::usage(format!(
                "beside {:?}, scores of {:?} no longer stand: {error}",
                protocol.name, other.name
            ))
            .advise("give the question another key")
        })?;
    }
    Ok(())
}

fn told(study: &StudyFile, protocol: &Protocol, added: AddedProtocol) -> Result<String> {
    let what = format!("{:?}, version {}", protocol.name, protocol.version);
    let path = visible(&study.path().display().to_string()).into_owned();
    let mut text = match added {
        AddedProtocol::Known => return Ok(format!("{path} has {what}, already; nothing has changed\n")),
        AddedProtocol::NewGuideline => return Ok(format!("{what}, has a new guideline in {path}\n")),
        AddedProtocol::New | AddedProtocol::NewVersion => format!("{what}, is in {path}\n"),
    };
    let standing = study.judgments_by_version(&protocol.name)?.into_iter();
    let current = study.protocol(&protocol.name)?;
    let stands = |version| current.as_ref().is_some_and(|current| current.counts_version(version));
    let standing = standing.filter(|count| count.version < protocol.version && stands(count.version));
    match standing.map(|count| count.judgments).sum() {
        0 => {}
        1 => text.push_str("  1 judgment under an earlier version stands\n"),
        judgments => text.push_str(&format!("  {judgments} judgments under earlier versions stand\n")),
    }
    let mut older: BTreeMap<u32, usize> = BTreeMap::new();
    for count in study.judgments_under_other_versions(current.as_ref().unwrap_or(protocol))? {
        *older.entry(count.version).or_default() += count.judgments;
    }
    for (version, judgments) in older {
        let (subject, they) = if judgments == 1 {
            ("judgment", "it stays, and is")
        } else {
            ("judgments", "they stay, and are")
        };
        text.push_str(&format!("  {judgments} {subject} under version {version}: {they} counted apart\n"));
    }
    if protocol.guideline.is_empty() {
        text.push_str("  it has no guideline for annotators; --guideline FILE.md adds one\n");
    }
    Ok(text)
}

fn new(arguments: &ProtocolNew) -> Result<()> {
    // The name is written as TOML does, so that any name gives a file that can be read.
    let name = toml::Value::from(arguments.name.as_str()).to_string();
    let text = TEMPLATE.replacen(&format!("name = \"{TEMPLATE_NAME}\""), &format!("name = {name}"), 1);
    let findings = check(&text, &|_| None);
    match findings.into_iter().next() {
        None => print(&text),
        Some(_) => Err(Error::usage(format!("{:?} cannot be the name of a protocol", arguments.name))
            .advise("write one word that does not begin with a dash")),
    }
}
