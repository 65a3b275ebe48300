//! What a check calls wrong does not come in.

use std::fs;
use std::path::Path;

use super::super::{Study, choose, corpus, link};
use crate::store::MergeMode;

/// Merging another study after these statements, on its tables or on the table of its events, is refused with these words, and
/// nothing has come in.
fn refused(statements: &str, words: &str) {
    let mut one = Study::with(&corpus());
    let mut two = Study::with(&corpus());
    two.answer("bora", 0, &[choose("full"), link(2)], 2_000);
    two.answer("bora", 1, &[choose("none")], 3_000);
    two.file.connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
    match statements.contains(" event ") {
        true => two.rewrite(statements),
        false => two.write_otherwise(statements),
    }
    refuses(&mut one, &two.path(), words);
}

fn refuses(one: &mut Study, other: &Path, words: &str) {
    let before = one.bytes();
    for mode in [MergeMode::Write, MergeMode::Rehearse] {
        let error = one.file.merge(&[other.to_path_buf()], mode).expect_err(words).to_string();
        assert!(error.contains("the file is damaged") && error.contains(words), "{error}");
        assert!(error.starts_with(&other.display().to_string()), "{error}");
    }
    assert_eq!(one.bytes(), before);
}

#[test]
fn keys_texts_and_contents_that_do_not_fit_are_refused() {
    refused("UPDATE event SET seq = 0 WHERE seq = 1", "has an event of the number 0");
    refused("UPDATE event SET body = '{\"question\":' WHERE seq = 2", "cannot be read");
    refused(
        "UPDATE item SET key = x'00112233445566778899aabbccddeeff' WHERE id = 1",
        "does not follow from its parts",
    );
    refused(
        "UPDATE item SET unit = (SELECT id FROM unit WHERE key = 'dark') WHERE id = 1",
        "does not follow from its parts",
    );
    refused("UPDATE protocol_version SET file = file || '#'", "not as it was written: protocol version");
}

#[test]
fn a_flipped_writer_is_refused_wherever_it_stands() {
    let mut two = Study::with(&corpus());
    two.answer("bora", 0, &[choose("full"), link(2)], 2_000);
    two.answer("bora", 1, &[choose("none")], 3_000);
    let writer: i64 =
        two.file.connection.query_row("SELECT min(key) FROM writer", [], |row| row.get(0)).expect("read");
    let whole = two.bytes();
    let places: Vec<usize> =
        (0..whole.len() - 8).filter(|place| whole[*place..*place + 8] == writer.to_be_bytes()).collect();
    assert!(places.len() >= 2, "the writer, and its row in an index: {}", places.len());
    let folder = tempfile::tempdir().expect("a folder");
    for place in places {
        let mut damaged = whole.clone();
        damaged[place + 6] ^= 0x10;
        let path = folder.path().join("damaged.db");
        fs::write(&path, damaged).expect("written");
        let mut one = Study::with(&corpus());
        let before = one.bytes();
        let merged = one.file.merge(&[path], MergeMode::Write);
        assert!(merged.is_err(), "at {place}");
        assert!(one.bytes() == before);
    }
}
