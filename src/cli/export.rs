//! `haymark export`: a study as haymark JSONL, one record a line, byte for byte the same every time; or
//! a dataset made of it, rows of a table, or requests to a judge.

use std::path::Path;

use super::{complain, now, open_study};
use crate::error::{Error, Result};
use crate::export;
use crate::export::asked::Export;
use crate::files::{STANDARD_OUTPUT, Scratch};
use crate::formats::InputBytes;

pub fn run(arguments: &Export) -> Result<()> {
    let mut study = open_study(&arguments.study)?;
    let target = arguments.output.as_deref().unwrap_or(Path::new(STANDARD_OUTPUT));
    let card = arguments.dataset.card.as_deref();
    check_targets(&[Some(target), card].into_iter().flatten().collect::<Vec<_>>(), arguments.force)?;
    let told = export::write(&mut study, arguments, target, now())?;
    told.iter().for_each(|line| complain(line));
    Ok(())
}

/// Refuses to write over a study, and over other files unless that is wanted. Where only some of several files are there,
/// an interrupted run may have left them; if they are something else, they are refused later.
pub fn check_targets(targets: &[&Path], may_replace: bool) -> Result<()> {
    let is_named = |target: &&&Path| **target != Path::new(STANDARD_OUTPUT);
    let there: Vec<&Path> =
        targets.iter().filter(is_named).copied().filter(|target| target.is_file()).collect();
    // A kill may have left files of its own after the targets had their names.
    there.iter().filter_map(|target| target.parent()).for_each(Scratch::sweep_in);
    for target in &there {
        if InputBytes::open(target)?.is_sqlite()? {
            return Err(Error::new("this is a study or another database, which an export never writes over")
                .in_file(target)
                .advise("name another file"));
        }
    }
    match there.first() {
        Some(target) if !may_replace && there.len() == targets.iter().filter(is_named).count() => {
            Err(Error::new("the file is there already")
                .in_file(target)
                .advise("name another, or add --force"))
        }
        _ => Ok(()),
    }
}
