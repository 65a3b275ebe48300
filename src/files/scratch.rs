//! Folders for unfinished files.
//!
//! Each folder holds a lock for as long as its program lives. After a kill nobody holds it, so the next program that
//! makes such a folder at the same place removes the dead one, and never one that is in use. A program that is asked to
//! end removes its own.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::place::folder_of;
use crate::system::{is_own, private_folder};

const LOCK: &str = "lock";
/// Prefix of the names among the system's temporary files.
const TEMPORARY: &str = "haymark-";
/// Prefix of the names elsewhere.
pub const HIDDEN: &str = ".haymark-";
/// Tries for a free name. Names are random, so the first one is free, unless a program removes the folder as it is made.
const TRIES: usize = 100;

/// The folders of this program that exist.
static LIVING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Lets a program that is asked to end wait until this guard is gone: for steps that must not be done by half.
pub(super) fn hold_the_end() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that only its owner may look into, and that is removed when the value is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Held, not read.
    _lock: File,
}

impl Scratch {
    /// Makes a folder among the system's temporary files.
    pub fn temporary() -> Result<Scratch> {
        Scratch::make(&std::env::temp_dir(), TEMPORARY)
    }

    /// Makes a folder beside a file, so that a file made in it can take the other's name.
    pub fn beside(file: &Path) -> Result<Scratch> {
        Scratch::make(folder_of(file), HIDDEN)
    }

    /// Removes the folders that killed programs left among the system's temporary files.
    pub fn sweep_temporary() {
        sweep(&std::env::temp_dir(), TEMPORARY);
    }

    /// Removes the folders that killed programs left in a folder.
    pub fn sweep_in(folder: &Path) {
        sweep(folder_of(&folder.join("file")), HIDDEN);
    }

    /// Removes all folders of this program. It is called as the program ends: a thread that makes or removes
    /// such a folder afterwards waits for ever.
    pub fn remove_all() {
        let living = hold_the_end();
        for path in living.iter().rev() {
            // A thread may be making files there.
            (0..TRIES).find(|_| fs::remove_dir_all(path).is_ok() || !path.exists());
        }
        mem::forget(living);
    }

    fn make(folder: &Path, prefix: &str) -> Result<Scratch> {
        sweep(folder, prefix);
        let mut living = hold_the_end();
        for _ in 0..TRIES {
            let random = getrandom::u64().map_err(|error| Error::other(error.to_string()))?;
            let path = folder.join(format!("{prefix}{random:016x}"));
            make_private(&path)?;
            let lock = match OpenOptions::new().write(true).create_new(true).open(path.join(LOCK)) {
                Ok(lock) => lock,
                // Another program swept the folder away before it had its lock.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    return Err(error);
                }
            };
            let is_anothers = matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
            // Where there are no locks, nobody can take the folder for a dead one either.
            if !is_anothers && path.join(LOCK).exists() {
                living.push(path.clone());
                return Ok(Scratch { path, _lock: lock });
            }
        }
        Err(Error::other("another program removes every folder that is made there"))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut living = hold_the_end();
        // A folder left over takes room until the next one is made.
        let _ = fs::remove_dir_all(&self.path);
        living.retain(|path| *path != self.path);
    }
}

fn make_private(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    private_folder(&mut builder);
    builder.create(path)
}

/// Removes the folders of programs that no longer live, as far as it goes.
fn sweep(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours =
            entry.file_name().to_str().and_then(|name| name.strip_prefix(prefix)).is_some_and(is_random);
        if is_ours && is_own_folder(&entry.path()) {
            sweep_one(&entry.path());
        }
    }
}

fn is_random(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a path is a folder, no link to one, and the user's own.
fn is_own_folder(path: &Path) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    about.is_dir() && is_own(&about)
}

/// Removes a folder whose lock nobody holds. A failure is left to the next sweep.
fn sweep_one(path: &Path) {
    let lock = path.join(LOCK);
    // Network file systems lock only files that may be written.
    match OpenOptions::new().write(true).open(&lock) {
        Ok(held) if held.try_lock().is_ok() => {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                if entry.file_name() != LOCK {
                    let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
                }
            }
            // The lock goes last, so that a folder that is not empty always has its lock.
            let _ = fs::remove_file(&lock);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        _ => return,
    }
    // Only an empty folder goes.
    let _ = fs::remove_dir(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_private_and_goes_with_its_value() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = Scratch::beside(&folder.path().join("study.db")).expect("made");
        assert_eq!(made.path().parent(), Some(folder.path()));
        #[cfg(unix)]
        {
            let about = fs::metadata(made.path()).expect("there");
            assert_eq!(std::os::unix::fs::MetadataExt::mode(&about) & 0o777, 0o700);
        }
        fs::write(made.path().join("study.db"), "x").expect("written");
        drop(made);
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 0);
    }

    #[test]
    fn the_next_one_removes_dead_ones_and_no_living_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("study.db");
        let living = Scratch::beside(&target).expect("made");
        fs::write(living.path().join("study.db"), "x").expect("written");
        let dead = folder.path().join(".haymark-0123456789abcdef");
        let unlocked = folder.path().join(".haymark-00000000000000ff");
        let anothers = folder.path().join(".haymark-notes");
        for path in [&dead, &unlocked, &anothers] {
            fs::create_dir(path).expect("made");
        }
        for path in
            [dead.join(LOCK), dead.join("study.db"), dead.join("study.db-journal"), anothers.join(LOCK)]
        {
            fs::write(path, "x").expect("written");
        }
        let next = Scratch::beside(&target).expect("made");
        assert!(!dead.exists() && !unlocked.exists());
        assert!(anothers.join(LOCK).exists() && next.path().exists());
        assert!(living.path().join("study.db").exists());
    }

    #[test]
    fn many_at_once_do_not_take_each_other_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("study.db");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let made = Scratch::beside(&target).expect("made");
                        fs::write(made.path().join("file"), "x").expect("written");
                        assert!(made.path().join("file").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 0);
    }
}
