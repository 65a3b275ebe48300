//! A study as JSONL, in the order of `haymark export`.

use haymark::error::Result;
use haymark::formats::jsonl::write_record;
use haymark::store::StudyFile;
use haymark::study::Record;

/// All records of a study.
///
/// # Errors
/// The study cannot be read.
pub fn records(study: &StudyFile) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    records.extend(study.collections()?.into_iter().map(|(_, record)| Record::Collection(record)));
    study.for_each_document(|_, record| {
        records.push(Record::Document(record));
        Ok(())
    })?;
    records.extend(study.queries()?.into_iter().map(|(_, record)| Record::Query(record)));
    records.extend(study.units()?.into_iter().map(|(_, record)| Record::Unit(record)));
    records.extend(study.candidates()?.into_iter().map(|(_, record)| Record::Candidate(record)));
    records.extend(study.annotators()?.into_iter().map(|(_, record)| Record::Annotator(record)));
    records.extend(study.protocol_texts()?.into_iter().map(Record::Protocol));
    study.for_each_judgment(|record| {
        records.push(Record::Judgment(record));
        Ok(())
    })?;
    study.for_each_adjudication(|record| {
        records.push(Record::Adjudication(record));
        Ok(())
    })?;
    records.extend(study.judgments_aside()?.into_iter().map(Record::Judgment));
    records.extend(study.assignment_records()?.into_iter().map(Record::Assignment));
    Ok(records)
}

/// The bytes that `haymark export` writes.
///
/// # Errors
/// The study cannot be read.
///
/// # Panics
/// Never: memory can be written.
pub fn jsonl(study: &StudyFile) -> Result<Vec<u8>> {
    let mut written = Vec::new();
    for record in records(study)? {
        write_record(&mut written, &record).expect("memory can be written");
    }
    Ok(written)
}
