//! `haymark demo`: a ready study in the user's data folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::annotate::{open_screen, told};
use super::args::Demo;
use super::import::now;
use super::output::{is_terminal, needs_terminal, print};
use crate::error::{Error, Result};
use crate::formats::jsonl;
use crate::store::{ImportOptions, StudyFile};
use crate::text::hash::fingerprint;

/// The sample data, in the order in which it is imported.
const FILES: &[(&str, &str)] = &[
    ("haystack.jsonl", include_str!("../../sample_data/haystack.jsonl")),
    ("questions.jsonl", include_str!("../../sample_data/questions.jsonl")),
    ("questions_zh.jsonl", include_str!("../../sample_data/questions_zh.jsonl")),
    ("haystack_judgments.jsonl", include_str!("../../sample_data/haystack_judgments.jsonl")),
    ("questions_judgments.jsonl", include_str!("../../sample_data/questions_judgments.jsonl")),
];

pub fn run(arguments: &Demo) -> Result<()> {
    if !is_terminal() {
        return Err(needs_terminal("demo"));
    }
    let mut path = place()?;
    let mut kept = String::new();
    if arguments.fresh && path.exists() {
        kept = format!(
            "The study before is still there: {}
",
            path.display()
        );
        path = following(&path);
    }
    if !path.exists() {
        make(&path)?;
    }
    let study = StudyFile::open(&path)?;
    let progress = open_screen(study, &arguments.annotator, &arguments.screen)?;
    let shown = path.display();
    print(&format!(
        "{}{kept}The demo study is {shown}\nTry: haymark score {shown}   haymark agree {shown}\n",
        told(&progress)
    ))
}

/// The demo studies of a folder: `demo.db`, then `demo-2.db` and so on, one for each fresh start. None is ever
/// renamed, since another haymark may have it open.
fn numbered(folder: &Path, number: u32) -> PathBuf {
    match number {
        0 | 1 => folder.join("demo.db"),
        number => folder.join(format!("demo-{number}.db")),
    }
}

/// The demo study to go on with: the one that was started last.
fn place() -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "haymark").ok_or_else(|| {
        Error::new("your data folder is not known, because there is no home folder").advise("set HOME")
    })?;
    let folder = folders.data_dir();
    let last = (1..).take_while(|number| numbered(folder, *number).exists()).last();
    Ok(numbered(folder, last.unwrap_or(1)))
}

/// The first name after this one that is free.
fn following(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new("."));
    let free = (1..).map(|number| numbered(folder, number)).find(|path| !path.exists());
    free.unwrap_or_else(|| path.to_path_buf())
}

/// Makes the study under another name first, so that it is there whole or not at all.
fn make(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
    let _ = std::fs::remove_file(&unfinished);
    let filled = StudyFile::create(&unfinished).and_then(|mut study| fill(&mut study));
    // A link, not a renaming: what another haymark made meanwhile stays.
    let placed = filled.and_then(|()| match std::fs::hard_link(&unfinished, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(unwritable(path, &error)),
        _ => Ok(()),
    });
    let _ = std::fs::remove_file(&unfinished);
    placed
}

/// Imports the sample data.
pub fn fill(study: &mut StudyFile) -> Result<()> {
    for (name, text) in FILES {
        let content = fingerprint([name, text]);
        study.import(name, content, ImportOptions::default(), now(), |sink| {
            jsonl::read(text.as_bytes(), sink)
        })?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("cannot be written: {error}")).in_file(path)
}
