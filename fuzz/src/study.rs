//! A study that records come into, and what must hold of it whatever they are.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use haymark::error::Result;
use haymark::formats::jsonl;
use haymark::store::{ImportOptions, ImportReport, StudyFile};
use haymark::study::RecordKind;
use haymark::text::hash::Hashing;

use crate::{assert_sentence, export, scratch};

/// Imports JSONL into an empty study, again, strictly, and its export into another one.
///
/// # Panics
/// A property does not hold.
pub fn assert_import(bytes: &[u8]) {
    let mut lenient = study("lenient.db");
    let report = import(&mut lenient, bytes, true).expect("a bad line is left out, not an error");
    for remark in &report.remarks {
        assert_sentence(&remark.place.to_string());
        assert_sentence(&remark.what);
    }
    let exported = export::jsonl(&lenient).expect("exported");

    assert_known_again(&mut lenient, bytes, &report, &exported);
    assert_moves_whole(&exported);
    assert_strictly(bytes, &report, &exported);
}

/// An empty study: a copy of one, which is quicker than making each anew.
fn study(name: &str) -> StudyFile {
    static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();
    let empty = EMPTY.get_or_init(|| {
        let path = scratch::path("empty.db");
        drop(StudyFile::create(&path).expect("an empty study"));
        std::fs::read(path).expect("read")
    });
    StudyFile::open(&scratch::file(name, empty)).expect("an empty study")
}

fn import(study: &mut StudyFile, bytes: &[u8], skip_bad: bool) -> Result<ImportReport> {
    let mut content = Hashing::default();
    content.add(bytes);
    let options = ImportOptions { skip_bad };
    study.import("records.jsonl", content.finish(), options, 0, |sink| jsonl::read(bytes, sink))
}

fn sum(counts: &BTreeMap<RecordKind, usize>) -> usize {
    counts.values().sum()
}

/// The same file again changes nothing, and what is kept beside the journal is what it says. Lines
/// that were left out may come in the second time, when what they refer to stood behind them. A
/// judgment that another one had superseded may be put on record the second time, but not later.
fn assert_known_again(study: &mut StudyFile, bytes: &[u8], report: &ImportReport, exported: &[u8]) {
    let again = import(study, bytes, true).expect("a bad line is left out, not an error");
    assert!(again.left_out <= report.left_out);
    let twice = export::jsonl(study).expect("exported");
    if report.left_out == 0 {
        assert!(sum(&again.replaced) == 0, "the same file again replaces {again:?}");
        assert!(twice == exported, "the same file again changes the study");
        let third = import(study, bytes, true).expect("a bad line is left out, not an error");
        assert!(sum(&third.added) == 0, "the same file a third time adds {third:?}");
    }
    study.rebuild_caches().expect("rebuilt");
    assert_eq!(export::jsonl(study).expect("exported"), twice);
}

/// What is exported comes into an empty study whole, and out of it as the same bytes.
fn assert_moves_whole(exported: &[u8]) {
    let mut other = study("other.db");
    let report = import(&mut other, exported, false);
    assert!(report.is_ok(), "{}: {report:?}", String::from_utf8_lossy(exported));
    let back = export::jsonl(&other).expect("exported");
    assert!(
        back == exported,
        "{}\nbecame\n{}",
        String::from_utf8_lossy(exported),
        String::from_utf8_lossy(&back)
    );
}

/// Without leaving anything out: everything comes in, or nothing.
fn assert_strictly(bytes: &[u8], report: &ImportReport, exported: &[u8]) {
    let mut strict = study("strict.db");
    match import(&mut strict, bytes, false) {
        Ok(same) => {
            assert_eq!(&same, report);
            assert_eq!(report.left_out, 0);
            assert_eq!(export::jsonl(&strict).expect("exported"), exported);
        }
        Err(error) => {
            assert_sentence(&error.to_string());
            assert!(error.to_string().starts_with("records.jsonl, line "), "{error}");
            assert!(report.left_out > 0, "{error}");
            assert_eq!(export::jsonl(&strict).expect("exported"), b"");
        }
    }
}
