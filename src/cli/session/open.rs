//! `haymark session STUDY --as NAME`: writing.

use super::super::output::{is_terminal, needs_terminal};
use super::args::Open;
use crate::error::{Error, Result};
use crate::store::StudyFile;

pub fn run(arguments: &Open) -> Result<()> {
    if !is_terminal() {
        return Err(needs_terminal("session"));
    }
    let study = StudyFile::open(&arguments.study)?;
    let unfinished = study.unfinished_session(&arguments.annotator, None)?;
    let what = match unfinished {
        Some(head) => {
            format!("the session {} on {:?} is unfinished", super::short(&head.key), head.query_key)
        }
        None => "no session is unfinished".to_owned(),
    };
    Err(Error::new(what).in_file(&arguments.study))
}
