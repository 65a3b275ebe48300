//! A disk that loses its power: the files that a program leaves in a folder, where only synced changes are sure.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::draw::Draw;
use super::shim::{First, Step};

/// A change of a file's content that nobody has synced yet.
#[derive(Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write(offset, bytes) => {
                let end = offset + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*offset..end].copy_from_slice(bytes);
            }
            Change::Truncate(size) => content.resize(*size, 0),
        }
    }
}

#[derive(Clone, Default)]
struct Content {
    synced: Vec<u8>,
    since: Vec<Change>,
}

impl Content {
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.since) {
            change.apply(&mut self.synced);
        }
    }
}

/// A change of names in a folder.
#[derive(Clone)]
enum Naming {
    /// The name stands for another file, or for none.
    File(PathBuf, Option<usize>),
    /// A folder has another name, and so has all that is in it.
    Folder(PathBuf, PathBuf),
}

impl Naming {
    /// The name that changes.
    fn path(&self) -> &Path {
        match self {
            Naming::File(path, _) | Naming::Folder(_, path) => path,
        }
    }
}

/// A folder whose files are told apart from their names.
#[derive(Clone)]
pub struct Disk {
    files: Vec<Content>,
    synced: BTreeMap<PathBuf, usize>,
    now: BTreeMap<PathBuf, usize>,
    since: Vec<Naming>,
    open: HashMap<String, usize>,
}

/// The fate of changes that were not synced.
pub enum Luck<'a> {
    /// None of them has reached the disk.
    None,
    /// Of the changes of names the first few have reached the disk, of the writes any.
    Some(&'a mut Draw),
}

impl Disk {
    /// A folder as it is, all of it synced.
    pub fn of(folder: &Path) -> Disk {
        let mut disk = Disk {
            files: Vec::new(),
            synced: BTreeMap::new(),
            now: BTreeMap::new(),
            since: Vec::new(),
            open: HashMap::new(),
        };
        disk.take_in(&folder.canonicalize().expect("a folder"));
        disk.now = disk.synced.clone();
        disk
    }

    fn take_in(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.take_in(&path);
            } else {
                self.synced.insert(path.clone(), self.files.len());
                self.files.push(Content { synced: fs::read(&path).expect("read"), since: Vec::new() });
            }
        }
    }

    fn name(&mut self, path: &Path, file: Option<usize>) {
        self.rename(Naming::File(path.to_owned(), file));
    }

    fn rename(&mut self, naming: Naming) {
        apply(&naming, &mut self.now);
        self.since.push(naming);
    }

    pub fn apply(&mut self, step: &Step) {
        match step {
            Step::Open { file, path, first } => {
                if *first == First::Makes {
                    self.files.push(Content::default());
                    self.name(path, Some(self.files.len() - 1));
                }
                // A folder is opened to be synced, and has no content.
                match self.now.get(path) {
                    Some(number) => self.open.insert(file.clone(), *number),
                    None => self.open.remove(file),
                };
                if *first == First::Empties {
                    self.change(file, Change::Truncate(0));
                }
            }
            Step::Write { file, offset, bytes } => self.change(file, Change::Write(*offset, bytes.clone())),
            Step::Truncate { file, size } => self.change(file, Change::Truncate(*size)),
            Step::Sync { file, path } => match self.open.get(file) {
                Some(number) => self.files[*number].sync(),
                None => self.sync_names(path),
            },
            Step::Unlink(path) => self.name(path, None),
            Step::Rename(from, to) => match self.now.get(from).copied() {
                Some(file) => {
                    self.name(to, Some(file));
                    self.name(from, None);
                }
                None => self.rename(Naming::Folder(from.clone(), to.clone())),
            },
            Step::Link(from, to) => {
                let file = self.now.get(from).copied();
                self.name(to, file);
            }
            Step::Read | Step::Lock | Step::Mkdir(_) => {}
        }
    }

    fn change(&mut self, file: &str, change: Change) {
        let number = self.open[file];
        self.files[number].since.push(change);
    }

    fn sync_names(&mut self, folder: &Path) {
        let (here, elsewhere): (Vec<Naming>, _) =
            self.since.drain(..).partition(|naming| naming.path().parent() == Some(folder));
        self.since = elsewhere;
        here.iter().for_each(|naming| apply(naming, &mut self.synced));
    }

    /// Writes into an empty folder what is left of `from`, absolute and without links, when the power is cut now.
    pub fn cut(&self, from: &Path, to: &Path, mut luck: Luck<'_>) {
        let mut names = self.synced.clone();
        if let Luck::Some(draw) = &mut luck {
            let kept = draw.below(self.since.len() + 1);
            self.since[..kept].iter().for_each(|naming| apply(naming, &mut names));
        }
        for (path, number) in names {
            let Content { synced, since } = &self.files[number];
            let mut content = synced.clone();
            if let Luck::Some(draw) = &mut luck {
                since.iter().filter(|_| draw.below(2) == 0).for_each(|change| change.apply(&mut content));
            }
            let path = to.join(path.strip_prefix(from).expect("inside"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, content).expect("written");
        }
    }
}

fn apply(naming: &Naming, names: &mut BTreeMap<PathBuf, usize>) {
    match naming {
        Naming::File(path, Some(file)) => drop(names.insert(path.clone(), *file)),
        Naming::File(path, None) => drop(names.remove(path)),
        Naming::Folder(from, to) => {
            let renamed = |(path, file): (PathBuf, usize)| match path.strip_prefix(from) {
                Ok(inner) => (to.join(inner), file),
                Err(_) => (path, file),
            };
            *names = std::mem::take(names).into_iter().map(renamed).collect();
        }
    }
}
