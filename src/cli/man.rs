//! `haymark man`: the manual pages, made from the arguments themselves.

use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man;

use super::args::command;
use super::output::print;
use crate::error::Result;
use crate::files::{cannot_write, make_folders};

#[derive(Debug, Args)]
pub struct ManPages {
    /// Write a page for haymark and one for each command into this folder, such as ~/.local/share/man/man1
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub fn run(arguments: &ManPages) -> Result<()> {
    let Some(folder) = &arguments.output else {
        let mut page = Vec::new();
        Man::new(command()).render(&mut page).map_err(|error| cannot_write(&error))?;
        return print(&String::from_utf8_lossy(&page));
    };
    make_folders(folder)
        .and_then(|()| clap_mangen::generate_to(command(), folder))
        .map_err(|error| cannot_write(&error).in_file(folder))
}
