//! What leaves the program: a study's own records, the dataset, views, requests to judges, the report's page, tables in their forms.
//!
//! The command line says what is wanted and where it goes; what is to be said beside it comes back as sentences.

pub mod asked;
pub mod dataset;
pub mod handed_on;
pub mod judge_requests;
pub mod page;
pub mod points;
pub mod privacy;
pub mod table;
mod template;
pub mod view;

use std::io::Write;
use std::path::Path;

use crate::error::{Result, cannot_write};
use crate::files::{STANDARD_OUTPUT, write_atomically};
use crate::formats::jsonl::write_record;
use crate::store::StudyFile;
use crate::study::{AnnotatorKind, Record};
use asked::{DATASETS, Export, What};

/// Writes what is asked for, at this time in milliseconds; returns what to say of it.
pub fn write(study: &mut StudyFile, asked: &Export, target: &Path, now: i64) -> Result<Vec<String>> {
    asked.refuse_unused()?;
    match asked.what {
        What::View => view::write(study, asked, target),
        What::JudgeRequests => judge_requests::write(study, asked, target, now),
        What::JudgePrompt => judge_requests::write_prompt(study, asked, target),
        what if what == What::Dataset || DATASETS.contains(&what) => dataset::write(study, asked, target),
        what => {
            let mut count = 0;
            write_atomically(target, Some(study.path()), |out| {
                count = write_records(study, what, out)?;
                Ok(())
            })?;
            let mut told = wrote(&format!("{count} records"), target);
            told.extend(names_note(study)?.filter(|_| what != What::Corpus));
            Ok(told)
        }
    }
}

/// `wrote 12 records to study.jsonl`; nothing where they went to standard output.
fn wrote(what: &str, target: &Path) -> Vec<String> {
    let is_file = target != Path::new(STANDARD_OUTPUT);
    is_file.then(|| format!("wrote {what} to {}", target.display())).into_iter().collect()
}

/// Writes the study's own records, each behind all that it refers to; returns how many.
fn write_records(study: &StudyFile, what: What, out: &mut dyn Write) -> Result<usize> {
    let mut count = 0;
    let mut put = |record: Record| {
        count += 1;
        write_record(&mut &mut *out, &record).map_err(cannot_write)
    };
    match what {
        What::All => study.for_each_record(put)?,
        What::Corpus => study.for_each_in_corpus(put)?,
        _ => {
            for (_, annotator) in study.annotators_by_key()? {
                put(Record::Annotator(annotator))?;
            }
            study.for_each_session(|session| put(Record::Session(session)))?;
        }
    }
    Ok(count)
}

/// A warning that an export of the study itself names people, where it does.
fn names_note(study: &StudyFile) -> Result<Option<String>> {
    let has_people = study.annotators()?.iter().any(|(_, annotator)| annotator.kind == AnnotatorKind::Human);
    Ok(has_people.then(|| {
        "note: this is the study itself, with people's names and words; to publish, use --what judgments, gold, \
         retained or ratings"
            .to_owned()
    }))
}
