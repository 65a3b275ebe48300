//! `haymark export`: a study as haymark JSONL, one record a line, byte for byte the same every time.

use std::io::Write;
use std::path::Path;

use super::args::{Export, What};
use crate::error::{Error, Result};
use crate::formats::atomic_file::{STANDARD_OUTPUT, write_atomically};
use crate::formats::jsonl::write_record;
use crate::store::StudyFile;
use crate::study::Record;

pub fn run(arguments: &Export) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let target = arguments.output.as_deref().unwrap_or(Path::new(STANDARD_OUTPUT));
    write_atomically(target, |out| write(&study, arguments.what, out))
}

/// Writes the chosen records: everything that others refer to comes before them.
fn write(study: &StudyFile, what: What, out: &mut dyn Write) -> Result<()> {
    let mut put = |record: Record| {
        write_record(&mut &mut *out, &record)
            .map_err(|error| Error::new(format!("cannot be written: {error}")))
    };
    if matches!(what, What::All | What::Corpus) {
        for (_, collection) in study.collections()? {
            put(Record::Collection(collection))?;
        }
        study.for_each_document(|_, document| put(Record::Document(document)))?;
        for (_, query) in study.queries()? {
            put(Record::Query(query))?;
        }
        for (_, unit) in study.units()? {
            put(Record::Unit(unit))?;
        }
    }
    if matches!(what, What::All | What::Corpus | What::Candidates) {
        for (_, candidate) in study.candidates()? {
            put(Record::Candidate(candidate))?;
        }
    }
    if matches!(what, What::All | What::Judgments) {
        for (_, annotator) in study.annotators()? {
            put(Record::Annotator(annotator))?;
        }
        study.for_each_judgment(|judgment| put(Record::Judgment(judgment)))?;
    }
    Ok(())
}
