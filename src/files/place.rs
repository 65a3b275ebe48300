//! Giving a finished file its name.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Gives a file its name unless something has that name; of two programs at once one gets the error.
///
/// # Errors
/// Of the kind [`AlreadyExists`](ErrorKind::AlreadyExists) when the name is taken.
pub fn place_new(made: &Path, target: &Path) -> Result<()> {
    File::open(made)?.sync_all()?;
    match link_to_free(made, target) {
        // Some file systems know no links.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => claim(made, target)?,
        done => done?,
    }
    sync_folder_of(target)
}

fn link_to_free(made: &Path, target: &Path) -> Result<()> {
    fs::hard_link(made, target)?;
    // A name left over goes with its folder.
    let _ = fs::remove_file(made);
    Ok(())
}

/// Takes the name with an empty file, which every haymark leaves alone, and renames over that.
fn claim(made: &Path, target: &Path) -> Result<()> {
    OpenOptions::new().write(true).create_new(true).open(target)?;
    let renamed = fs::rename(made, target);
    if renamed.is_err() && fs::metadata(target).is_ok_and(|about| about.len() == 0) {
        // The file is ours and empty. A second failure would only hide the first.
        let _ = fs::remove_file(target);
    }
    renamed
}

/// Puts a file in the place of another, if there is one.
///
/// # Errors
/// The other file is then still there.
pub fn replace(made: &Path, target: &Path) -> Result<()> {
    File::open(made)?.sync_all()?;
    fs::rename(made, target)?;
    sync_folder_of(target)
}

/// Makes a folder and its parents.
pub fn make_folders(folder: &Path) -> Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    folder.parent().map_or(Ok(()), make_folders)?;
    match fs::create_dir(folder) {
        // Another program was quicker.
        Err(_) if folder.is_dir() => Ok(()),
        done => done.and_then(|()| sync_folder_of(folder)),
    }
}

/// The folder that a file of this name lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs the names in the folder of this path to the disk.
pub(super) fn sync_folder_of(path: &Path) -> Result<()> {
    let Ok(folder) = File::open(folder_of(path)) else {
        // A folder that may be written to and not be read, or a system that opens no folders.
        return Ok(());
    };
    match folder.sync_all() {
        // Some file systems cannot do that.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_left_to_who_has_it() {
        for way in [place_new, link_to_free, claim] {
            let folder = tempfile::tempdir().expect("a folder");
            let (made, target) = (folder.path().join("made"), folder.path().join("target"));
            fs::write(&made, "new").expect("written");
            fs::write(&target, "theirs").expect("written");
            assert_eq!(way(&made, &target).expect_err("taken").kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&target).expect("there"), "theirs");
            fs::remove_file(&target).expect("removed");
            way(&made, &target).expect("free");
            assert_eq!(fs::read_to_string(&target).expect("there"), "new");
            assert!(!made.exists());
        }
    }

    #[test]
    fn folders_are_made_with_those_around_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b/c");
        make_folders(&inner).expect("made");
        make_folders(&inner).expect("is there");
        assert!(inner.is_dir());
        fs::write(folder.path().join("file"), "").expect("written");
        assert!(make_folders(&folder.path().join("file/d")).is_err());
    }
}
