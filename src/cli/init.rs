//! `haymark init`: an empty study.

use super::args::Init;
use super::output::print;
use crate::error::Result;
use crate::store::StudyFile;

pub fn run(arguments: &Init) -> Result<()> {
    let study = StudyFile::create(&arguments.study)?;
    let path = study.path().display();
    print(&format!("made {path}, an empty study; `haymark import {path} FILE` fills it\n"))
}
