//! `haymark completions`: what a shell asks haymark for when somebody presses tab. Names of people, protocols and queries come from the
//! study on the line that is being typed.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Args, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::args::command;
use super::output::print;
use crate::error::{Error, Result};
use crate::files::cannot_write;
use crate::report::protocols;
use crate::store::StudyFile;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish", "powershell", "elvish"])]
    pub shell: String,
}

/// What a study knows of one kind.
type NamesOfStudy = fn(&StudyFile) -> Result<Vec<String>>;

/// The options whose values a study knows.
const FROM_STUDY: &[(&str, NamesOfStudy)] = &[
    ("as", annotators),
    ("for", annotators),
    ("to", annotators),
    ("remove", annotators),
    ("annotators", annotators),
    ("known-from", annotators),
    ("protocol", names_of_protocols),
    ("query", queries),
];

/// By this variable a shell says that it completes, and how.
const VARIABLE: &str = "COMPLETE";

pub fn run(arguments: &Completions) -> Result<()> {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&arguments.shell) else {
        return Err(Error::usage(format!("there is nothing for the shell {:?}", arguments.shell)));
    };
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "haymark", "haymark", "haymark", &mut script)
        .map_err(|error| cannot_write(&error))?;
    print(&String::from_utf8_lossy(&script))
}

/// Answers a shell that completes a line, and ends the program; nothing where none does.
pub fn answer_shell() {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// The command line with what a study knows behind the options that take it.
pub fn with_completions(command: Command) -> Command {
    let known = |long: Option<&str>| FROM_STUDY.iter().find(|(name, _)| Some(*name) == long);
    let command = command.mut_args(|arg| match known(arg.get_long()) {
        Some((_, values)) => arg.add(ArgValueCompleter::new(|typed: &OsStr| candidates(typed, *values))),
        None => arg,
    });
    command.mut_subcommands(with_completions)
}

/// The values that begin as what is typed; of a list with commas, its last one is completed.
fn candidates(typed: &OsStr, values: NamesOfStudy) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let (list, last) = typed.rsplit_once(',').map_or((None, &*typed), |(list, last)| (Some(list), last));
    let before = list.map_or(String::new(), |list| format!("{list},"));
    let Some(Ok(values)) = study_on_the_line().map(|study| values(&study)) else { return Vec::new() };
    let begun = values.into_iter().filter(|value| value.starts_with(last));
    begun.map(|value| CompletionCandidate::new(format!("{before}{value}"))).collect()
}

/// The first argument on the line that is a study.
fn study_on_the_line() -> Option<StudyFile> {
    let line = std::env::args_os().skip_while(|argument| argument != "--").skip(2);
    line.filter(|argument| Path::new(argument).is_file())
        .find_map(|argument| StudyFile::open_read_only(Path::new(&argument)).ok())
}

fn annotators(study: &StudyFile) -> Result<Vec<String>> {
    Ok(study.annotators()?.into_iter().map(|(_, annotator)| annotator.id).collect())
}

fn names_of_protocols(study: &StudyFile) -> Result<Vec<String>> {
    Ok(protocols::all(study)?.into_iter().map(|protocol| protocol.name).collect())
}

fn queries(study: &StudyFile) -> Result<Vec<String>> {
    Ok(study.queries()?.into_iter().map(|(_, query)| query.id).collect())
}
