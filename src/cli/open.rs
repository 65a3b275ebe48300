//! Opening a study to write to it, with a caution on the place where it lies.

use std::path::{Path, absolute};

use super::complain;
use crate::error::Result;
use crate::store::StudyFile;
use crate::term::Preferences;
use crate::text::width::visible;

/// Opens the study of a command without a screen.
pub fn open(path: &Path) -> Result<StudyFile> {
    let study = StudyFile::open(path)?;
    if let Some(caution) = caution(&study) {
        complain(&format!("note: {}: {caution}", path.display()));
    }
    Ok(study)
}

/// Opens the study of a command by which a lead decides what holds for everybody. In the file of an annotator of a hub it says that what
/// is decided stays there; an observer's takes nothing. A rehearsal writes nothing.
pub fn open_to_decide(path: &Path, is_rehearsal: bool) -> Result<StudyFile> {
    let study = open(path)?;
    if is_rehearsal {
        return Ok(study);
    }
    study.refuse_observer()?;
    if let Some(name) = study.annotator_on_hub()? {
        complain(&format!(
            "note: {}: {} is an annotator of the hub, which takes only her own judgments from here: all else that this changes stays \
             in this file; a lead does it for everybody",
            path.display(),
            visible(&name)
        ));
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
