//! `haymark session`: writing a summary against the clock, the list of what was written, and its replay.

pub mod args;
mod open;
mod replay;

use super::print_tables;
use crate::error::{Error, Result};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::report::sessions;
use crate::store::StudyFile;
use args::{SessionArguments, SessionCommand};

pub fn run(arguments: &SessionArguments) -> Result<()> {
    match (&arguments.command, &arguments.open) {
        (Some(SessionCommand::List(arguments)), _) => {
            let study = StudyFile::open(&arguments.study)?;
            NamesTold::of(&study, is_handed_on(&arguments.form, arguments.names))?;
            print_tables(&[sessions::table(&study, arguments.filter.as_deref())?], &arguments.form)
        }
        (Some(SessionCommand::Replay(arguments)), _) => replay::run(arguments),
        (None, Some(open)) => open::run(open, &arguments.looks),
        (None, None) => {
            Err(Error::usage("name a study and who is writing").advise("see `haymark session --help`"))
        }
    }
}
