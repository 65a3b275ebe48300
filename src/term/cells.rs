//! Cells with their colours among the lines that a command prints, without a screen.

use std::io::{self, Write};

use ratatui::buffer::Buffer;

use crate::error::{Result, cannot_write};
use emitter::{Options, lines};

/// Writes the rows of a buffer to standard output, which is a terminal.
pub fn print_cells(buffer: &Buffer) -> Result<()> {
    let options = Options::from_environment(|name| std::env::var_os(name));
    let mut out = io::stdout().lock();
    let written = out.write_all(&lines(buffer, options)).and_then(|()| out.flush());
    written.map_err(cannot_write)
}
