//! Opening a study to write to it, with a caution on the place where it lies.

use std::path::{Path, absolute};

use super::output::complain;
use crate::error::Result;
use crate::store::StudyFile;
use crate::term::Preferences;

/// Opens the study of a command without a screen.
pub fn open(path: &Path) -> Result<StudyFile> {
    let study = StudyFile::open(path)?;
    if let Some(caution) = caution(&study) {
        complain(&format!("note: {}: {caution}", path.display()));
    }
    Ok(study)
}

/// A caution on a file system whose locks hold nobody back; once for each person and study.
pub fn caution(study: &StudyFile) -> Option<&'static str> {
    if study.keeps_locks() {
        return None;
    }
    let path = absolute(study.path()).unwrap_or_else(|_| study.path().to_owned());
    let mut is_new = true;
    Preferences::change(|preferences| is_new = preferences.told_of_locks.insert(path.display().to_string()));
    is_new.then_some("one person at a time may work here: the disk gives its locks to everybody")
}
