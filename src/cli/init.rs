//! `haymark init`: an empty study.

use std::path::PathBuf;

use clap::Args;

use super::print;
use crate::error::Result;
use crate::store::StudyFile;

#[derive(Debug, Args)]
pub struct Init {
    /// The study file to make
    pub study: PathBuf,
}

pub fn run(arguments: &Init) -> Result<()> {
    let study = StudyFile::create(&arguments.study)?;
    let path = study.path().display();
    print(&format!("made {path}, an empty study; `haymark import {path} FILE` fills it\n"))
}
