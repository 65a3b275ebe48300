//! `haymark export`: a study as haymark JSONL, one record a line, byte for byte the same every time; or
//! gold, rows of a table, or requests to a judge.

use std::io::Write;
use std::path::Path;

use super::args::{Export, What};
use super::filtered::Chosen;
use super::gold_export::{self, ExportFormat};
use super::judge_requests;
use super::output::{complain, is_sqlite};
use super::view_export;
use crate::error::{Error, Result};
use crate::formats::atomic_file::{STANDARD_OUTPUT, write_atomically};
use crate::formats::jsonl::write_record;
use crate::store::StudyFile;
use crate::study::Record;

pub fn run(arguments: &Export) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let target = arguments.output.as_deref().unwrap_or(Path::new(STANDARD_OUTPUT));
    check_target(target, arguments.force)?;
    judge_requests::check(arguments)?;
    if arguments.what != What::Gold {
        gold_export::check(arguments)?;
        if arguments.what != What::View && arguments.format != ExportFormat::Jsonl {
            return Err(Error::usage("only gold and views have other forms than JSONL")
                .advise("add --what gold or --what view, or leave --format out"));
        }
    }
    view_export::check(arguments)?;
    match arguments.what {
        What::Gold => return gold_export::run(&study, arguments, target),
        What::View => return view_export::run(&study, arguments, target),
        What::JudgeRequests => return judge_requests::run(&study, arguments, target),
        What::JudgePrompt => return judge_requests::write_prompt(target),
        What::All | What::Corpus | What::Candidates | What::Judgments | What::Sessions => {}
    }
    let chosen = Chosen::read(&study, arguments)?;
    let mut count = 0;
    write_atomically(target, |out| {
        count = write(&study, arguments.what, &chosen, out)?;
        Ok(())
    })?;
    if target != Path::new(STANDARD_OUTPUT) {
        complain(&format!("wrote {count} records to {}", target.display()));
    }
    Ok(())
}

/// Refuses to write over a study, and over any other file unless that is wanted.
fn check_target(target: &Path, may_replace: bool) -> Result<()> {
    let is_file = target != Path::new(STANDARD_OUTPUT) && target.is_file();
    if is_file && is_sqlite(target)? {
        return Err(Error::new("this is a study or another database, which an export never writes over")
            .in_file(target)
            .advise("name another file"));
    }
    if is_file && !may_replace {
        return Err(Error::new("the file is there already")
            .in_file(target)
            .advise("name another, or add --force"));
    }
    Ok(())
}

/// Writes the chosen records, everything that others refer to before them; returns how many.
fn write(study: &StudyFile, what: What, chosen: &Chosen, out: &mut dyn Write) -> Result<usize> {
    let mut count = 0;
    let mut put = |record: Record| {
        count += 1;
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
        for (id, candidate) in study.candidates()? {
            if chosen.has_candidate(id) {
                put(Record::Candidate(candidate))?;
            }
        }
    }
    if matches!(what, What::All | What::Judgments | What::Sessions) {
        for (_, annotator) in study.annotators()? {
            put(Record::Annotator(annotator))?;
        }
    }
    if matches!(what, What::All | What::Judgments) {
        for protocol in study.protocol_texts()? {
            put(Record::Protocol(protocol))?;
        }
        study.for_each_judgment(|judgment| match chosen.has_judgment(&judgment) {
            true => put(Record::Judgment(judgment)),
            false => Ok(()),
        })?;
        study.for_each_adjudication(|adjudication| match chosen.has_adjudication(&adjudication) {
            true => put(Record::Adjudication(adjudication)),
            false => Ok(()),
        })?;
        // Control items and assignments are about the work of the annotators, not about items of the study.
        if chosen.is_everything() {
            for judgment in study.judgments_aside()? {
                put(Record::Judgment(judgment))?;
            }
            for assignment in study.assignment_records()? {
                put(Record::Assignment(assignment))?;
            }
        }
    }
    if matches!(what, What::All | What::Sessions) {
        study.for_each_session(|session| put(Record::Session(session)))?;
    }
    Ok(count)
}
