//! Several files that come together: made in folders aside, and given their names when all of them are whole.
//!
//! A folder that is not there yet appears at once, with all that is in it. In a folder that is there the files get their
//! names one after the other; where one does not, the others lose theirs again. A kill or a power cut in that moment leaves a
//! part of them. The same command finds that they hold what it would write itself, and adds the others.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::atomic::STANDARD_OUTPUT;
use super::place::{folder_of, make_folders, sync_folder_of};
use super::scratch::{Scratch, hold_the_end};
use crate::error::{Error, Result, cannot_write};
use crate::system::limit_to;

/// The treatment of files that are there already.
#[derive(Debug, Clone, Copy)]
pub enum IfThere {
    Replace,
    /// The files stay, and nothing is written; the error gives this advice.
    Refuse(&'static str),
}

/// Files on their way, in folders that nobody else looks into.
#[derive(Debug, Default)]
pub struct FilesAside {
    folders: Vec<FolderAside>,
}

#[derive(Debug)]
struct FolderAside {
    target: PathBuf,
    made: PathBuf,
    /// The outermost folder that is not there yet: where it is made, and its path.
    new: Option<(PathBuf, PathBuf)>,
    scratch: Scratch,
}

/// A file, or a new folder with its content, that gets its name.
struct Placing {
    made: PathBuf,
    target: PathBuf,
    /// The place where the old file of that name is kept meanwhile.
    old: PathBuf,
}

/// Lets `write` make files aside, and then gives all of them their names, or none.
///
/// # Errors
/// The error of `write`; a file is there already and may not be replaced; a file cannot be made. All is then as it was.
pub fn write_together<T>(if_there: IfThere, write: impl FnOnce(&mut FilesAside) -> Result<T>) -> Result<T> {
    let mut files = FilesAside::default();
    let done = write(&mut files).and_then(|value| files.place(if_there).map(|()| value));
    done.map_err(|error| files.folders.iter().fold(error, |error, one| error.moved(&one.made, &one.target)))
}

impl FilesAside {
    /// The folder in which files for `target` are made; `target` need not be there.
    pub fn folder(&mut self, target: &Path) -> Result<PathBuf> {
        if let Some(known) = self.folders.iter().find(|known| known.target == target) {
            return Ok(known.made.clone());
        }
        let failed = |error: io::Error| cannot_write(error).in_file(target);
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let new = target.ancestors().take_while(is_missing).last();
        if new.is_none() && !folder_of(&target.join("file")).is_dir() {
            return Err(Error::new("this is a file").in_file(target).advise("name a folder"));
        }
        // A kill may have left a folder after the target had its name.
        target.ancestors().for_each(Scratch::sweep_in);
        let within = new.map_or(Path::new(""), |new| target.strip_prefix(new).unwrap_or(target));
        if within.components().any(|part| part == Component::ParentDir) {
            // The path goes up again through folders that are not there.
            make_folders(target).map_err(failed)?;
            return self.folder(target);
        }
        let scratch = Scratch::beside(new.unwrap_or(&target.join("file"))).map_err(failed)?;
        let outermost = scratch.path().join("made");
        let made: PathBuf = outermost.iter().chain(within).collect();
        make_folders(&made).map_err(failed)?;
        let new = new.map(|new| (outermost, new.to_owned()));
        self.folders.push(FolderAside { target: target.to_owned(), made: made.clone(), new, scratch });
        Ok(made)
    }

    /// The path at which a file for `target` is made; a target that is no file, such as standard output, is written as it is.
    pub fn file(&mut self, target: &Path) -> Result<PathBuf> {
        let is_special = || fs::metadata(target).is_ok_and(|about| !about.is_file());
        // A link is followed, so that it is not replaced by the file.
        let whole = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let Some(name) = whole.file_name() else { return Ok(whole) };
        if target == Path::new(STANDARD_OUTPUT) || is_special() {
            return Ok(target.to_owned());
        }
        let folder = folder_of(&whole);
        if !folder.is_dir() {
            return Err(cannot_write(io::ErrorKind::NotFound).in_file(target));
        }
        Ok(self.folder(folder)?.join(name))
    }

    fn place(&self, if_there: IfThere) -> Result<()> {
        let _held = hold_the_end();
        let mut all = Vec::new();
        for folder in &self.folders {
            let failed = |error: io::Error| cannot_write(error).in_file(&folder.target);
            all.extend(folder.pieces().map_err(failed)?);
        }
        if let IfThere::Refuse(advice) = if_there {
            let there: Vec<&Placing> = all.iter().filter(|piece| piece.target.exists()).collect();
            let unlike = there.iter().find(|piece| !piece.is_there_already());
            let whole = there.first().filter(|_| there.len() == all.len());
            if let Some(piece) = unlike.or(whole) {
                return Err(Error::new("the file is there already").in_file(&piece.target).advise(advice));
            }
            all.retain(|piece| !piece.target.exists());
        }
        for (done, piece) in all.iter().enumerate() {
            if let Err(error) = piece.place() {
                all.iter().take(done + 1).rev().for_each(Placing::take_back);
                return Err(cannot_write(error).in_file(&piece.target));
            }
        }
        Ok(())
    }
}

impl FolderAside {
    /// The files that get a name, with their content on the disk; names in capitals, such as README, come last.
    fn pieces(&self) -> io::Result<Vec<Placing>> {
        let mut pieces = Vec::new();
        for entry in fs::read_dir(&self.made)? {
            let (made, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            File::open(&made)?.sync_all()?;
            let target: PathBuf = self.target.iter().chain([name.as_os_str()]).collect();
            // A link is followed, so that it is not replaced by the file.
            let target = fs::canonicalize(&target).unwrap_or(target);
            pieces.push(Placing { made, target, old: self.scratch.path().join(name) });
        }
        if let Some((made, target)) = self.new.clone().filter(|_| !pieces.is_empty()) {
            sync_folder_of(&self.made.join("file"))?;
            return Ok(vec![Placing { made, target, old: self.scratch.path().join("old") }]);
        }
        pieces.sort_by(|one, other| other.target.cmp(&one.target));
        Ok(pieces)
    }
}

impl Placing {
    /// Whether the file that has the name already has the same content.
    fn is_there_already(&self) -> bool {
        let size = |path| fs::metadata(path).map_or(0, |about| about.len());
        size(&self.made) == size(&self.target)
            && matches!((fs::read(&self.made), fs::read(&self.target)), (Ok(made), Ok(there)) if made == there)
    }

    fn place(&self) -> io::Result<()> {
        if self.target.is_file() {
            // Nobody may read the new one who could not read the old one.
            limit_to(&self.target, &File::open(&self.made)?)?;
            // Some file systems know no links.
            fs::hard_link(&self.target, &self.old)
                .or_else(|_| fs::copy(&self.target, &self.old).map(drop))?;
        }
        fs::rename(&self.made, &self.target)?;
        sync_folder_of(&self.target)
    }

    /// Takes the name away again where it was given. A failure here is told by the error that came before.
    fn take_back(&self) {
        if !self.made.exists() && fs::rename(&self.target, &self.made).is_ok() && self.old.exists() {
            let _ = fs::rename(&self.old, &self.target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSE: IfThere = IfThere::Refuse("add --force");

    /// Writes these files, each with its name, into a folder.
    fn put(folder: &Path, names: &[&str], if_there: IfThere) -> Result<()> {
        write_together(if_there, |files| {
            let made = files.folder(folder)?;
            names.iter().try_for_each(|name| {
                fs::write(made.join(name), name).map_err(|error| cannot_write(error).in_file(made.join(name)))
            })
        })
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_folder_comes_with_those_around_it_and_all_its_files() {
        let desk = tempfile::tempdir().expect("a folder");
        put(&desk.path().join("a/b/c"), &["one", "two"], REFUSE).expect("written");
        assert_eq!(names(&desk.path().join("a/b/c")), ["one", "two"]);
        put(&desk.path().join("d/../e/"), &["one"], REFUSE).expect("written");
        assert_eq!(names(desk.path()), ["a", "d", "e"]);
    }

    #[test]
    fn a_failure_leaves_what_was_there_and_names_where_the_file_would_stand() {
        let desk = tempfile::tempdir().expect("a folder");
        let (new, old) = (desk.path().join("new"), desk.path().join("old"));
        fs::create_dir_all(old.join("a-two")).expect("made");
        fs::write(old.join("one"), "of last week").expect("written");
        for folder in [&new, &old] {
            let failed = write_together(REFUSE, |files| {
                let made = files.folder(folder)?;
                fs::write(made.join("three"), "").expect("written");
                Err::<(), _>(Error::new("no more").in_file(made.join("four")))
            });
            let told = failed.expect_err("refused").to_string();
            assert_eq!(told, format!("{}: no more", folder.join("four").display()));
        }
        // The last one cannot have its name, because a folder has it: the others lose theirs.
        let told = put(&old, &["one", "b", "a-two"], IfThere::Replace).expect_err("a folder").to_string();
        assert!(told.contains("a-two"), "{told}");
        assert_eq!(
            (names(&old), names(desk.path())),
            (vec!["a-two".into(), "one".into()], vec!["old".into()])
        );
        assert_eq!(fs::read_to_string(old.join("one")).expect("there"), "of last week");
    }

    #[test]
    fn what_is_there_stays_unless_it_is_a_part_of_the_same() {
        let desk = tempfile::tempdir().expect("a folder");
        put(desk.path(), &["one"], REFUSE).expect("written");
        put(desk.path(), &["one", "two"], REFUSE).expect("the part of a run that was killed");
        let told = put(desk.path(), &["one", "two"], REFUSE).expect_err("all of it").to_string();
        assert!(told.ends_with("two: the file is there already; add --force"), "{told}");
        fs::write(desk.path().join("two"), "of last week").expect("written");
        put(desk.path(), &["one", "three", "two"], REFUSE).expect_err("another file");
        assert_eq!(names(desk.path()), ["one", "two"]);
        put(desk.path(), &["one", "three", "two"], IfThere::Replace).expect("replaced");
        assert_eq!(fs::read_to_string(desk.path().join("two")).expect("there"), "two");
    }

    #[test]
    fn files_in_several_folders_come_together() {
        let desk = tempfile::tempdir().expect("a folder");
        fs::create_dir(desk.path().join("docs")).expect("made");
        let (table, card) = (desk.path().join("table.csv"), desk.path().join("docs/card.md"));
        let both = |text: &str| {
            write_together(REFUSE, |files| {
                for target in [&table, &card] {
                    fs::write(files.file(target)?, text).expect("written");
                }
                Ok(())
            })
        };
        both("one").expect("written");
        fs::remove_file(&card).expect("removed");
        both("other").expect_err("another table is there");
        assert!(!card.exists());
        both("one").expect("the same table is there");
        assert_eq!(fs::read_to_string(&card).expect("there"), "one");
        assert_eq!((names(desk.path()).len(), names(&desk.path().join("docs")).len()), (2, 1));
        write_together(REFUSE, |files| {
            assert_eq!(files.file(Path::new("/dev/null"))?, Path::new("/dev/null"));
            assert_eq!(files.file(Path::new("-"))?, Path::new("-"));
            files.file(&desk.path().join("no/file"))
        })
        .expect_err("there is no such folder");
    }
}
