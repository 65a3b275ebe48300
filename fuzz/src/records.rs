//! Reading a format into memory, and what must hold of the records that come out.

use std::collections::{HashMap, HashSet};

use haymark::error::{Error, Result};
use haymark::formats::{self, Format, InputBytes, ReadOptions, jsonl};
use haymark::protocol::{Answer, Answers, builtin};
use haymark::study::{Judgment, Place, Record, Sink};
use haymark::text::bullets::bullets;

use crate::{assert_sentence, scratch};

/// Collects records; goes on after a bad one when told so.
#[derive(Default)]
pub struct Collected {
    pub records: Vec<Record>,
    pub remarks: Vec<(Place, String)>,
    /// Rows that were left out.
    pub refused: Vec<(Place, String)>,
    pub skips: bool,
}

impl Sink for Collected {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn remark(&mut self, place: Place, what: String) {
        self.remarks.push((place, what));
    }

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        if self.skips {
            self.refused.push((place, error.to_string()));
            Ok(())
        } else {
            Err(error)
        }
    }
}

/// Reads the bytes as a file of this format, once strictly and once leaving bad rows out, and holds
/// the two to each other and to [`assert_records`].
///
/// # Panics
/// A property does not hold.
pub fn read_both_ways(format: Format, options: &ReadOptions, bytes: &[u8]) {
    let input = InputBytes::open(&scratch::file("import", bytes)).expect("a file");
    let read = |skips: bool| {
        let mut sink = Collected { skips, ..Collected::default() };
        let done = formats::read(&input, format, options, &mut sink);
        (sink, done)
    };
    let (strict, done) = read(false);
    let (lenient, done_without_bad) = read(true);
    for error in done.as_ref().err().into_iter().chain(done_without_bad.as_ref().err()) {
        assert_sentence(&error.to_string());
    }
    for (place, what) in lenient.remarks.iter().chain(&lenient.refused) {
        assert_sentence(&place.to_string());
        assert_sentence(what);
    }
    match &done {
        Ok(()) => {
            assert_eq!(done_without_bad, Ok(()), "what is read strictly is read anyway");
            assert_eq!(lenient.refused, [], "nothing is left out of a file without a bad row");
            assert_eq!(strict.records, lenient.records);
            assert_eq!(strict.remarks, lenient.remarks);
            if format != Format::Jsonl {
                assert_references(&strict.records);
            }
        }
        Err(_) => {
            let says_why = done_without_bad.is_err() || !lenient.refused.is_empty();
            assert!(says_why, "a file that is refused is refused as a whole or has a bad row");
            // Reading as far as the bad row gives what reading on gives up to there.
            assert_eq!(lenient.records.get(..strict.records.len()), Some(strict.records.as_slice()));
        }
    }
    assert_records(&lenient.records);
}

/// Records are written as JSONL and read back as the same records, and written again as the same bytes.
///
/// # Panics
/// They are not.
pub fn assert_records(records: &[Record]) {
    let written = as_jsonl(records);
    let mut back = Collected::default();
    let done = jsonl::read(written.as_slice(), &mut back);
    assert_eq!(done, Ok(()), "what is written is read back");
    assert_eq!(back.records, records);
    assert_eq!(as_jsonl(&back.records), written);
}

fn as_jsonl(records: &[Record]) -> Vec<u8> {
    let mut written = Vec::new();
    for record in records {
        jsonl::write_record(&mut written, record).expect("memory can be written");
    }
    written
}

/// Every record comes after those it refers to, and what is judged fits its protocol.
fn assert_references(records: &[Record]) {
    let mut known = HashSet::new();
    let mut bullets_of = HashMap::new();
    for record in records {
        match record {
            Record::Collection(new) => {
                known.insert(["collection", &new.id, "", ""]);
            }
            Record::Document(new) => {
                assert!(known.contains(&["collection", &new.collection, "", ""]), "{new:?}");
                known.insert(["document", &new.collection, &new.id, ""]);
            }
            Record::Query(new) => {
                assert!(known.contains(&["collection", &new.collection, "", ""]), "{new:?}");
                known.insert(["query", &new.collection, &new.id, ""]);
            }
            Record::Unit(new) => {
                assert!(known.contains(&["query", &new.collection, &new.query, ""]), "{new:?}");
                known.insert(["unit", &new.collection, &new.query, &new.id]);
                for document in new.documents.iter().flatten() {
                    assert!(known.contains(&["document", &new.collection, document, ""]), "{new:?}");
                }
            }
            Record::Candidate(new) => {
                assert!(known.contains(&["query", &new.collection, &new.query, ""]), "{new:?}");
                let key = ["candidate", &new.collection, &new.query, &new.id];
                known.insert(key);
                bullets_of.entry(key).or_insert(bullets(&new.text).len());
            }
            Record::Annotator(new) => {
                known.insert(["annotator", &new.id, "", ""]);
            }
            Record::Ranking(_) => panic!("only maps make rankings"),
            Record::Map(_) => panic!("no outside format has maps"),
            Record::Protocol(_) => panic!("no outside format has protocols"),
            Record::Adjudication(_) => panic!("no outside format has adjudications"),
            Record::Assignment(_) => panic!("no outside format has assignments"),
            Record::Session(_) => panic!("no outside format has sessions"),
            Record::Import(_) => panic!("no outside format has imports"),
            Record::Journal(_) => panic!("no outside format has the journal"),
            Record::Amendment(_) => panic!("no outside format has amendments"),
            Record::Judgment(new) => {
                let [collection, query, unit, candidate] =
                    [&new.collection, &new.query, &new.unit, &new.candidate]
                        .map(|key| key.as_deref().expect("a whole target"));
                assert!(known.contains(&["annotator", &new.annotator, "", ""]), "{new:?}");
                assert!(known.contains(&["unit", collection, query, unit]), "{new:?}");
                let key = ["candidate", collection, query, candidate];
                assert!(known.contains(&key), "{new:?}");
                assert_understood(new, bullets_of.get(&key).copied().unwrap_or_default());
            }
        }
    }
}

/// The protocol understands the answers, whichever of its rules they break.
fn assert_understood(judgment: &Judgment, bullets: usize) {
    let protocol = builtin(&judgment.protocol).expect("a protocol that comes with haymark");
    let answers: Answers = judgment
        .answers
        .iter()
        .map(|(key, value)| (key.clone(), Answer::from_json(value).expect("an answer")))
        .collect();
    for violation in protocol.violations(&answers, bullets) {
        assert!(!violation.is_fatal(), "{violation}: {judgment:?}");
    }
}
