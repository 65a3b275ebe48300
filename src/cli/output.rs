//! Standard output and standard error.

use std::io::{self, ErrorKind, Read, Write};

use super::table::{OutputFormat, Table};
use crate::error::{Error, Result};

/// Writes a result to standard output. A reader that has gone away is no error.
///
/// # Errors
/// Standard output cannot be written for another reason, such as a full disk.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::new(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error; where even that fails there is nobody to tell.
pub fn complain(text: &str) {
    let mut err = io::stderr().lock();
    let _ = writeln!(err, "{}", crate::text::width::visible(text));
}

/// Says the notes of tables on standard error, where the form has no place for them.
pub fn say_what_csv_cannot(tables: &[Table], format: OutputFormat) {
    if format == OutputFormat::Csv {
        for note in tables.iter().flat_map(|table| &table.notes) {
            complain(&format!("note: {note}"));
        }
    }
}

/// Whether a person sits at both ends.
pub fn is_terminal() -> bool {
    use std::io::IsTerminal;
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The error of a command that needs a terminal and has none.
pub fn needs_terminal(command: &str) -> Error {
    Error::new(format!("`haymark {command}` needs a terminal for its screen"))
        .advise("run it in one, not in a pipe or a job")
}

/// Columns of the terminal that a result is printed to; 80 where it goes elsewhere.
pub fn terminal_width() -> usize {
    use std::io::IsTerminal;
    if !io::stdout().is_terminal() {
        return 80;
    }
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns.max(20)))
}
