//! The command line: arguments, one file a command, and how results leave the program.
//!
//! Standard output carries the result and nothing else; standard error carries the rest. Exit
//! status: 0 done, 1 could not do it, 2 wrong usage.

mod adjudicate;
mod agree;
mod annotate;
mod annotators;
mod args;
mod assign;
mod check_sample;
mod browse;
mod check;
mod collect;
mod dataset;
mod demo;
mod examples;
mod export;
mod filtered;
mod gold;
mod gold_export;
mod import;
mod init;
mod judge_requests;
mod judges;
mod keys;
mod merge;
mod output;
mod protocol;
mod protocols;
mod score;
mod session;
mod split;
mod status;
mod sync;
pub mod table;
mod view_export;

use std::process::ExitCode;

use clap::Parser;

use crate::error::{ErrorKind, Result};
use crate::files::Scratch;
use crate::term::signals::survive_file_limit;
use args::{Arguments, Command};

pub use args::command;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // What a killed haymark copied stays nowhere for long.
    Scratch::sweep_temporary();
    // Where the handler is refused, the limit kills as it would have.
    let _ = survive_file_limit();
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::Usage => {
            output::complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
        Err(error) => {
            output::complain(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Annotate(arguments) => annotate::run(&arguments),
        Command::Session(arguments) => session::run(&arguments),
        Command::Browse(arguments) => browse::run(&arguments),
        Command::Collect(arguments) => collect::run(&arguments),
        Command::Assign(arguments) => assign::run(&arguments),
        Command::CheckSample(arguments) => check_sample::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Adjudicate(arguments) => adjudicate::run(&arguments),
        Command::Agree(arguments) => agree::run(&arguments),
        Command::Judges(arguments) => judges::run(&arguments),
        Command::Protocol(arguments) => protocol::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Sync(arguments) => sync::run(&arguments),
        Command::Split(arguments) => split::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
    }
}
