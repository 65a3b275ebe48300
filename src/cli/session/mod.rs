//! `haymark session`: writing a summary against the clock, the list of what was written, and its replay.

pub mod args;
pub mod list;
mod open;
mod replay;

use crate::error::{Error, Result};
use args::{SessionArguments, SessionCommand};

pub fn run(arguments: &SessionArguments) -> Result<()> {
    match (&arguments.command, &arguments.open) {
        (Some(SessionCommand::List(arguments)), _) => list::run(arguments),
        (Some(SessionCommand::Replay(arguments)), _) => replay::run(arguments),
        (None, Some(open)) => open::run(open, &arguments.looks),
        (None, None) => {
            Err(Error::usage("name a study and who is writing").advise("see `haymark session --help`"))
        }
    }
}

/// The signs of a session's key that tables show.
fn short(key: &crate::journal::session::SessionKey) -> String {
    key.to_string().chars().take(8).collect()
}
