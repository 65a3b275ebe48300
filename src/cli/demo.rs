//! `haymark demo`: a ready study in the user's data folder.

use std::path::{Path, PathBuf};

use clap::Args;

use super::annotate::told;
use super::{ScreenArguments, now, open_screen, print};
use crate::error::{Error, Result, cannot_write};
use crate::files::make_folders;
use crate::formats::jsonl;
use crate::store::{ImportOptions, ImportReport, StudyFile};
use crate::text::hash::fingerprint;

#[derive(Debug, Args)]
pub struct Demo {
    /// Start over; the study so far is kept beside the new one
    #[arg(long)]
    pub fresh: bool,
    /// Write the study into FILE, a new one, and open nothing
    #[arg(long, value_name = "FILE", conflicts_with = "fresh")]
    pub copy: Option<PathBuf>,
    #[command(flatten)]
    pub screen: ScreenArguments,
    /// Who is judging
    #[arg(long = "as", value_name = "NAME", default_value = "alice")]
    pub annotator: String,
}

/// The sample data, in the order in which it is imported.
const FILES: &[(&str, &str)] = &[
    ("haystack.jsonl", include_str!("../../sample_data/haystack.jsonl")),
    ("questions.jsonl", include_str!("../../sample_data/questions.jsonl")),
    ("questions_zh.jsonl", include_str!("../../sample_data/questions_zh.jsonl")),
    ("facts.jsonl", include_str!("../../sample_data/facts.jsonl")),
    ("points.jsonl", include_str!("../../sample_data/points.jsonl")),
    ("haystack_judgments.jsonl", include_str!("../../sample_data/haystack_judgments.jsonl")),
    ("questions_judgments.jsonl", include_str!("../../sample_data/questions_judgments.jsonl")),
    ("nuggets.jsonl", include_str!("../../sample_data/nuggets.jsonl")),
    ("further_judgments.jsonl", include_str!("../../sample_data/further_judgments.jsonl")),
    ("preferences.jsonl", include_str!("../../sample_data/preferences.jsonl")),
    ("sessions.jsonl", include_str!("../../sample_data/sessions.jsonl")),
];

pub fn run(arguments: &Demo) -> Result<()> {
    if let Some(path) = &arguments.copy {
        StudyFile::create_with(path, fill)?;
        let path = path.display();
        return print(&format!("made {path}, the demo's study; `haymark browse {path}` shows it\n"));
    }
    let looks = &arguments.screen.looks;
    looks.check_terminal("demo")?;
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
    let is_new = !path.exists();
    if is_new {
        make(&path)?;
    }
    let study = looks.open("demo", &path)?;
    let progress = open_screen(study, &arguments.annotator, &arguments.screen, None, is_new)?;
    let shown = path.display();
    looks.tell(&format!(
        "{}{kept}The demo study is {shown}\nTry:\n  haymark browse {shown}\n  haymark score {shown}\n  haymark agree {shown}\n",
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

fn make(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folders(folder).map_err(|error| cannot_write(error).in_file(folder))?;
    match StudyFile::create_with(path, fill) {
        // A study that another haymark made meanwhile stays.
        Err(_) if path.exists() => Ok(()),
        done => done,
    }
}

/// Imports the sample data.
pub fn fill(study: &mut StudyFile) -> Result<()> {
    for (name, text) in FILES {
        import(study, name, text)?;
    }
    Ok(())
}

fn import(study: &mut StudyFile, name: &str, text: &str) -> Result<ImportReport> {
    let content = fingerprint([name, text]);
    study.import(name, content, ImportOptions::default(), now(), |sink| jsonl::read(text.as_bytes(), sink))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use tempfile::TempDir;

    use super::*;
    use crate::protocol::{Answer, builtins};
    use crate::study::{AnnotatorKind, Judgment};

    /// The demo study, in a folder that goes with it.
    fn study() -> (TempDir, StudyFile) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut study = StudyFile::create(&folder.path().join("demo.db")).expect("made");
        for (name, text) in FILES {
            let report = import(&mut study, name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(report.remarks, [], "{name}");
        }
        (folder, study)
    }

    fn judgments(study: &StudyFile) -> Vec<Judgment> {
        let mut judgments = Vec::new();
        let taken = study.for_each_judgment(|judgment| {
            judgments.push(judgment);
            Ok(())
        });
        taken.expect("read");
        judgments
    }

    #[test]
    fn two_people_have_judged_under_every_protocol_and_there_is_more_to_do() {
        let (_folder, mut study) = study();
        let annotators = study.annotators().expect("read");
        let people: Vec<String> = annotators
            .into_iter()
            .filter(|(_, annotator)| annotator.kind == AnnotatorKind::Human)
            .map(|(_, annotator)| annotator.id)
            .collect();
        let mut judged_by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for judgment in judgments(&study) {
            if people.contains(&judgment.annotator) {
                judged_by.entry(judgment.protocol).or_default().insert(judgment.annotator);
            }
        }
        // No list of a retriever is in the demo.
        for protocol in builtins().iter().filter(|protocol| protocol.name != "retrieval") {
            let name = &protocol.name;
            assert!(judged_by.get(name).is_some_and(|people| people.len() >= 2), "{name}");
            let progress = study.open_queue("alice", protocol).expect("opened").progress;
            assert!(progress.judged > 0 && progress.judged < progress.total, "{name}: {progress:?}");
            // An item that was judged and is not offered would be one more than alice's.
            assert_eq!(study.items(name).expect("read").len(), progress.total, "{name}");
        }
    }

    #[test]
    fn passages_stand_where_they_are_said_to() {
        let (_folder, study) = study();
        let mut texts = BTreeMap::new();
        let read = study.for_each_document(|_, document| {
            texts.insert((document.collection, document.id), document.text);
            Ok(())
        });
        read.expect("read");
        let mut found = 0;
        for judgment in judgments(&study) {
            let collection = judgment.collection.unwrap_or_default();
            for answer in judgment.answers.values().filter_map(Answer::from_json) {
                for passage in answer.passages().into_iter().filter(|passage| !passage.is_in_candidate()) {
                    let text = &texts[&(collection.clone(), passage.document.clone())];
                    let start = usize::try_from(passage.start.expect("a place")).expect("a place in memory");
                    assert_eq!(text.get(start..start + passage.quote.len()), Some(passage.quote.as_str()));
                    assert_eq!(passage.hash, Some(fingerprint([text])), "{}", passage.quote);
                    found += 1;
                }
            }
        }
        assert!(found > 0);
    }
}
