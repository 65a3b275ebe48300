//! Journals beside a study: a killed program's is played back, one of another state touches nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use tempfile::TempDir;

use super::Study;
use crate::store::file::stray::journal_of_another;
use crate::store::{Severity, StudyFile, check, recover};

const PAGE: usize = 4_096;
const SECTOR: usize = 512;

/// A study after each of some commits, growing by a few pages each time.
static STATES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let study = Study::empty();
    let mut states = vec![study.bytes()];
    for number in 0..8 {
        let pages = [0, 3, 1, 0, 9][number % 5];
        grow(&study.file, pages * PAGE);
        states.push(study.bytes());
    }
    states
});

fn grow(study: &StudyFile, bytes: usize) {
    let insert = "INSERT INTO import (source, content, at) VALUES (?1, randomblob(16), 1)";
    study.connection.execute(insert, ["x".repeat(bytes)]).expect("inserted");
}

fn page(bytes: &[u8], number: usize) -> &[u8] {
    &bytes[(number - 1) * PAGE..number * PAGE]
}

/// The pages of a state that the next one has otherwise.
fn changed(old: &[u8], new: &[u8]) -> Vec<usize> {
    (1..=old.len() / PAGE).filter(|number| page(old, *number) != page(new, *number)).collect()
}

/// A rollback journal as the file format describes it, a header for each group of pages.
fn journal(old: &[u8], groups: &[&[usize]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in groups {
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        let start = 0x1234_5678_u32;
        let head = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        bytes.extend(head);
        for number in [group.len(), start as usize, old.len() / PAGE, SECTOR, PAGE] {
            bytes.extend(u32::try_from(number).expect("small").to_be_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        for number in *group {
            let content = page(old, *number);
            let sum: u32 = (1..=20).map(|step| u32::from(content[PAGE - 200 * step])).sum();
            bytes.extend(u32::try_from(*number).expect("small").to_be_bytes());
            bytes.extend(content);
            bytes.extend((start + sum).to_be_bytes());
        }
    }
    bytes
}

struct Place(TempDir);

impl Place {
    fn new(file: &[u8], journal: &[u8]) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        fs::write(place.file(), file).expect("written");
        fs::write(place.journal(), journal).expect("written");
        place
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("study.db")
    }

    fn journal(&self) -> PathBuf {
        self.0.path().join("study.db-journal")
    }
}

fn at_a_commit() -> impl Strategy<Value = (usize, Vec<bool>, usize, usize)> {
    (0..STATES.len() - 1, prop::collection::vec(any::<bool>(), 400), 0..400_usize, 0..400_usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However far a commit came, its journal takes it back.
    #[test]
    fn what_a_killed_program_left_is_played_back((state, written, grown, cut) in at_a_commit()) {
        let (old, new) = (&STATES[state], &STATES[state + 1]);
        let mut pages = changed(old, new);
        prop_assert!(pages.contains(&1));
        let turn = cut % pages.len();
        pages.rotate_left(turn);
        // Of two parts the first was synced, so its pages may have been written.
        let (first, second) = pages.split_at(grown % (pages.len() + 1));
        for (synced, groups) in [(first, vec![first]), (pages.as_slice(), vec![first, second])] {
            let size = old.len() + (new.len() - old.len()) / PAGE * grown / 400 * PAGE;
            let mut file = new[..size].to_vec();
            for number in 1..=old.len() / PAGE {
                if !synced.contains(&number) || !written[number % 400] {
                    file[(number - 1) * PAGE..number * PAGE].copy_from_slice(page(old, number));
                }
            }
            let mut left = journal(old, &groups);
            if groups.len() == 1 {
                left.resize(left.len().next_multiple_of(SECTOR), 0);
                left.extend([0; SECTOR]);
                left.extend(&journal(old, &[second])[SECTOR..]);
            }
            let place = Place::new(&file, &left);
            prop_assert_eq!(journal_of_another(&place.file()).expect("readable"), None);
            drop(StudyFile::open(&place.file()).expect("a study"));
            prop_assert!(fs::read(place.file()).expect("readable") == *old);
            prop_assert!(!place.journal().exists());
        }
    }
}

#[test]
fn a_journal_of_another_state_touches_nothing() {
    for (state, pair) in STATES.windows(2).enumerate() {
        let left = journal(&pair[0], &[&changed(&pair[0], &pair[1])]);
        for (other, file) in STATES.iter().enumerate() {
            let is_own = other == state || other == state + 1;
            let place = Place::new(file, &left);
            let found = journal_of_another(&place.file()).expect("readable");
            assert_eq!(found.is_none(), is_own, "{state} beside {other}: {found:?}");
        }
    }
}

#[test]
fn a_journal_of_another_state_is_refused_by_all_who_open() {
    let left = journal(&STATES[5], &[&changed(&STATES[5], &STATES[6])]);
    let place = Place::new(&STATES[2], &left);
    let file = place.file();
    let mut other = Study::empty();
    let refusals = [
        StudyFile::open(&file).map(drop),
        StudyFile::open_read_only(&file).map(drop),
        other.file.merge(std::slice::from_ref(&file), crate::store::MergeMode::Write).map(drop),
    ];
    for refused in refusals {
        let told = refused.expect_err("refused").to_string();
        assert!(told.contains("study.db-journal lies beside it"), "{told}");
        assert!(told.contains("move the journal away"), "{told}");
    }
    let report = check(&file).expect("looked at");
    let wrong: Vec<_> = report.findings.iter().filter(|one| one.severity == Severity::Wrong).collect();
    assert!(wrong.len() == 1 && wrong[0].what.contains("-journal lies beside it"), "{wrong:?}");
    let saved = recover(&file, &place.0.path().join("new.db")).expect("saved");
    assert_eq!(saved.losses, Vec::<String>::new());
    assert!(
        fs::read(&file).expect("there") == STATES[2] && fs::read(place.journal()).expect("there") == left
    );

    #[cfg(unix)]
    {
        let link = place.0.path().join("link.db");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        assert!(StudyFile::open(&link).is_err(), "SQLite looks beside the file that a link leads to");
    }
}

#[test]
fn the_first_page_need_not_be_in_it() {
    // The journal of a new file, which was empty before.
    let place = Place::new(&STATES[0], &journal(&[], &[&[]]));
    assert_eq!(journal_of_another(&place.file()).expect("readable"), None);
    let place = Place::new(&STATES[3], &journal(&[], &[&[]]));
    assert!(journal_of_another(&place.file()).expect("readable").is_some(), "it would be emptied");
    // One that was cut short in the middle of a transaction, of a longer and of a shorter file.
    for (state, is_own) in [(0, false), (5, true), (8, false)] {
        let place = Place::new(&STATES[state], &journal(&STATES[5], &[&[2, 3]]));
        assert_eq!(journal_of_another(&place.file()).expect("readable").is_none(), is_own, "{state}");
    }
}

#[test]
fn what_sqlite_does_not_play_back_is_no_matter() {
    let whole = journal(&STATES[5], &[&[1, 2]]);
    let mut of_no_page = whole.clone();
    of_no_page[24..28].copy_from_slice(&77_u32.to_be_bytes());
    let mut finished = whole.clone();
    finished[..28].fill(0);
    for left in [vec![], vec![7; 5_000], of_no_page, finished, whole[..500].to_vec()] {
        let place = Place::new(&STATES[1], &left);
        assert_eq!(journal_of_another(&place.file()).expect("readable"), None);
        StudyFile::open(&place.file()).expect("a study");
        assert!(fs::read(place.file()).expect("readable") == STATES[1]);
    }
    // Behind a record that was not written whole nothing is read either: what is before it has no first page.
    let mut torn = journal(&STATES[5], &[&[2, 1]]);
    torn[SECTOR + 4 + PAGE - 200] ^= 1;
    let place = Place::new(&STATES[5], &torn);
    assert_eq!(journal_of_another(&place.file()).expect("readable"), None);
}

#[test]
fn a_program_that_writes_is_not_taken_for_one_that_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path: &Path = &folder.path().join("study.db");
    let study = StudyFile::create(path).expect("made");
    study.connection.execute_batch("PRAGMA cache_size = 1; PRAGMA synchronous = OFF").expect("set");
    let writing = std::thread::spawn(move || (0..200).for_each(|_| grow(&study, 40 * PAGE)));
    let mut seen = 0;
    while !writing.is_finished() {
        assert_eq!(journal_of_another(path).expect("readable"), None);
        seen += usize::from(path.with_extension("db-journal").exists());
    }
    writing.join().expect("written");
    assert!(seen > 0);
}
