//! The program with `shim.c` between it and the C library: what it does to the files of a folder is told step by step, and
//! a step can fail or be the program's last.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::project;

/// What to do with one step of the program, counted from 1.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// `open`, `read`, `write`, `truncate`, `sync`, `unlink`, `rename`, `link`, `mkdir`, `lock`, or `any` that changes
    /// something.
    pub kind: &'static str,
    pub number: usize,
    pub how: How,
    /// Whether all later steps of the kind have it too.
    pub lasts: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum How {
    /// The program gets this signal before the step; 9 kills it there.
    Signal(i32),
    /// Half of the bytes are read or written.
    Short,
    /// The step fails with this error number.
    Fails(i32),
}

/// The shim over a folder.
pub struct Shim {
    library: &'static Path,
    folder: PathBuf,
}

/// The shim, compiled once. `None` where it cannot be, which is said.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compiled = || {
        if !cfg!(target_os = "linux") {
            println!("skipped: there is no LD_PRELOAD here");
            return None;
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shim-{}.so", std::process::id()));
        let source = project("tests/all/harness/shim.c");
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&path)
            .arg(source)
            .arg("-ldl")
            .status();
        if made.is_ok_and(|status| status.success()) {
            // Renamed when it is whole, so that runs beside each other and one after the other share one library.
            let shared = path.with_file_name("shim.so");
            fs::rename(&path, &shared).expect("renamed");
            return Some(shared);
        }
        println!("skipped: cc cannot compile the shim here");
        None
    };
    LIBRARY.get_or_init(compiled).as_deref()
}

impl Shim {
    /// The shim over a folder; `None`, with a word in print, where it cannot be compiled: then the test skips itself.
    pub fn over(folder: &Path) -> Option<Shim> {
        Some(Shim { library: library()?, folder: folder.canonicalize().expect("a folder") })
    }

    /// The variables with which a program runs under the shim; its steps are added to the file `log`.
    pub fn variables(&self, log: Option<&Path>, trouble: Option<&Trouble>) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
        let mut variables = vec![("LD_PRELOAD", text(self.library)), ("SHIM_FOLDER", text(&self.folder))];
        variables.extend(log.map(|log| ("SHIM_LOG", text(log))));
        variables.extend(trouble.map(|Trouble { kind, number, how, lasts }| {
            let how = match how {
                How::Signal(number) => -*number,
                How::Short => 0,
                How::Fails(number) => *number,
            };
            ("SHIM_FAIL", format!("{kind} {number} {how} {}", u8::from(*lasts)))
        }));
        variables
    }
}

/// One thing that a program did in the folder. A `file` is a number under which it is open.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Open {
        file: String,
        path: PathBuf,
        first: First,
    },
    Read,
    Lock,
    Write {
        file: String,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: String,
        size: usize,
    },
    /// The sync of a file or of a folder.
    Sync {
        file: String,
        path: PathBuf,
    },
    Unlink(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Mkdir(PathBuf),
}

/// What opening does to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum First {
    Makes,
    Empties,
    Nothing,
}

impl Step {
    pub fn kind(&self) -> &'static str {
        match self {
            Step::Open { .. } => "open",
            Step::Read => "read",
            Step::Lock => "lock",
            Step::Write { .. } => "write",
            Step::Truncate { .. } => "truncate",
            Step::Sync { .. } => "sync",
            Step::Unlink(_) => "unlink",
            Step::Rename(..) => "rename",
            Step::Link(..) => "link",
            Step::Mkdir(_) => "mkdir",
        }
    }

    /// Whether the step counts as `any`.
    pub fn changes(&self) -> bool {
        !matches!(self, Step::Read | Step::Lock | Step::Open { first: First::Nothing, .. })
    }
}

/// Reads a log, which may be empty or not there.
pub fn steps(log: &Path) -> Vec<Step> {
    let log = fs::read(log).unwrap_or_default();
    let (mut rest, mut steps) = (&log[..], Vec::new());
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let line = std::str::from_utf8(&rest[..end]).expect("UTF-8");
        rest = &rest[end + 1..];
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<usize>().expect("a number");
        let file = || fields[1].to_owned();
        let path = |at: usize| PathBuf::from(fields[at]);
        steps.push(match fields[0] {
            "open" => {
                let first = match fields[2] {
                    "new" => First::Makes,
                    "empty" => First::Empties,
                    _ => First::Nothing,
                };
                Step::Open { file: file(), path: path(3), first }
            }
            "read" => Step::Read,
            "lock" => Step::Lock,
            "write" => {
                let (bytes, after) = rest.split_at(number(3));
                rest = after;
                Step::Write { file: file(), offset: number(2), bytes: bytes.to_vec() }
            }
            "truncate" => Step::Truncate { file: file(), size: number(2) },
            "sync" => Step::Sync { file: file(), path: path(2) },
            "unlink" => Step::Unlink(path(1)),
            "rename" => Step::Rename(path(1), path(2)),
            "link" => Step::Link(path(1), path(2)),
            "mkdir" => Step::Mkdir(path(1)),
            other => panic!("{other} in the log"),
        });
    }
    steps
}
