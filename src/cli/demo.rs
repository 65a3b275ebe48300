//! `haymark demo`: a ready study in the user's data folder.

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
    let path = place()?;
    if arguments.fresh && path.exists() {
        let aside = path.with_file_name("demo.before.db");
        std::fs::rename(&path, &aside).map_err(|error| unwritable(&aside, &error))?;
    }
    if !path.exists() {
        make(&path)?;
    }
    let study = StudyFile::open(&path)?;
    let progress = open_screen(study, &arguments.annotator, &arguments.screen)?;
    let shown = path.display();
    print(&format!(
        "{}The demo study is {shown}\nTry: haymark score {shown}   haymark agree {shown}\n",
        told(&progress)
    ))
}

/// Where the demo study lies.
fn place() -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "haymark").ok_or_else(|| {
        Error::new("your data folder is not known, because there is no home folder").advise("set HOME")
    })?;
    Ok(folders.data_dir().join("demo.db"))
}

/// Makes the study under another name first, so that it is there whole or not at all.
fn make(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let unfinished = path.with_file_name(format!("demo.{}.unfinished", std::process::id()));
    let _ = std::fs::remove_file(&unfinished);
    let filled = StudyFile::create(&unfinished).and_then(|mut study| fill(&mut study));
    let placed =
        filled.and_then(|()| std::fs::rename(&unfinished, path).map_err(|error| unwritable(path, &error)));
    if placed.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
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
