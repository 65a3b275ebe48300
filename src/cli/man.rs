//! `haymark man`: the manual pages, made from the arguments themselves.

use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man;

use super::{command, print};
use crate::error::{Result, cannot_write};
use crate::files::{IfThere, write_together};

#[derive(Debug, Args)]
pub struct ManPages {
    /// Write a page for haymark and one for each command into this folder, such as ~/.local/share/man/man1
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub fn run(arguments: &ManPages) -> Result<()> {
    let Some(folder) = &arguments.output else {
        let mut page = Vec::new();
        Man::new(command()).render(&mut page).map_err(cannot_write)?;
        return print(&String::from_utf8_lossy(&page));
    };
    write_together(IfThere::Replace, |files| {
        let made = files.folder(folder)?;
        clap_mangen::generate_to(command(), &made).map_err(|error| cannot_write(error).in_file(&made))
    })
}
