//! Damaged study files: `check` names what is wrong and changes nothing, `--recover` saves the rest.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use haymark::store::{Severity, StudyFile, check, recover};

use crate::harness::Desk;

const PAGE: usize = 4_096;

impl Desk {
    /// The sample study, as bytes.
    fn everything(&self) -> Vec<u8> {
        let corpus = ["haystack", "questions", "questions_zh", "facts", "points"];
        let judgments = ["haystack_judgments", "questions_judgments", "further_judgments"];
        self.samples("study.db", &[&corpus[..], &judgments].concat());
        self.bytes("study.db")
    }

    /// Puts a damaged file there; checks that looking at it changes nothing, and gives the worst finding.
    fn checked(&self, bytes: &[u8]) -> Option<Severity> {
        let path = self.path("damaged.db");
        fs::write(&path, bytes).expect("written");
        let before = self.listed();
        let report = check(&path);
        assert!(fs::read(&path).expect("read") == bytes, "not a byte changes");
        assert_eq!(self.listed(), before, "and nothing is left beside it");
        report.ok().map(|report| report.worst())
    }

    /// Saves what the damaged file holds; gives the lines of an export of it.
    fn recovered(&self) -> Option<BTreeSet<String>> {
        let (damaged, new) = (self.path("damaged.db"), self.path("new.db"));
        let bytes = fs::read(&damaged).expect("read");
        let report = recover(&damaged, &new);
        assert!(fs::read(&damaged).expect("read") == bytes, "not a byte changes");
        report.ok()?;
        let lines = exported(&StudyFile::open(&new).expect("a study"));
        fs::remove_file(&new).expect("removed");
        Some(lines)
    }

    fn listed(&self) -> BTreeSet<PathBuf> {
        fs::read_dir(self.folder()).expect("listed").map(|entry| entry.expect("an entry").path()).collect()
    }
}

/// Documents and judgments as text.
fn exported(study: &StudyFile) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    study
        .for_each_document(|_, document| {
            lines.insert(serde_json::to_string(&document).expect("JSON"));
            Ok(())
        })
        .expect("read");
    study
        .for_each_judgment(|judgment| {
            lines.insert(serde_json::to_string(&judgment).expect("JSON"));
            Ok(())
        })
        .expect("read");
    lines
}

/// Numbers that are the same in every run.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        // Knuth's multiplier (MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    }
}

#[test]
fn a_sound_study_is_right_and_wholly_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    assert_eq!(desk.checked(&bytes), Some(Severity::Right));
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    assert_eq!(desk.recovered().expect("saved"), whole);
    let report = recover(&desk.path("study.db"), &desk.path("again.db")).expect("saved");
    assert_eq!(report.losses, Vec::<String>::new());
    let refused = recover(&desk.path("study.db"), &desk.path("again.db")).expect_err("there already");
    assert!(refused.to_string().contains("there is a file of this name already"), "{refused}");
}

#[test]
fn a_cut_off_file_is_named_and_what_is_left_is_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    for kept in [
        0,
        1,
        99,
        100,
        101,
        511,
        PAGE - 1,
        PAGE,
        PAGE + 7,
        bytes.len() / 3,
        bytes.len() - PAGE,
        bytes.len() - 1,
    ] {
        let worst = desk.checked(&bytes[..kept]);
        assert!(worst.is_none_or(|worst| worst == Severity::Wrong), "{kept} bytes: {worst:?}");
        if let Some(lines) = desk.recovered() {
            assert!(lines.intersection(&whole).count() > 0 || kept < bytes.len() / 3, "{kept} bytes");
        }
    }
    fs::write(desk.path("damaged.db"), &bytes[..bytes.len() - PAGE]).expect("cut");
    let lines = desk.recovered().expect("saved");
    // A page holds fewer than 100 of the 1,000 and more.
    assert!(lines.intersection(&whole).count() > whole.len() - 100);
}

#[test]
fn of_one_lost_page_after_the_other_everything_else_is_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    let pages = bytes.len() / PAGE;
    for page in (0..pages).step_by(7).chain([1, 2, 3]) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        let worst = desk.checked(&damaged);
        assert!(worst.is_none_or(|worst| worst == Severity::Wrong), "page {page}: {worst:?}");
        let lines = desk.recovered().unwrap_or_else(|| panic!("page {page} of {pages} takes all"));
        let saved = lines.intersection(&whole).count();
        assert!(saved + 100 > whole.len(), "page {page}: {saved} of {}", whole.len());
    }
}

#[test]
fn flipped_bytes_anywhere_break_nothing() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    let mut number = numbers(1);
    for round in 0..40 {
        let mut damaged = bytes.clone();
        for _ in 0..=round % 20 {
            // The first page, which says where everything is, more often than the others.
            let at = if round % 4 == 0 { number(PAGE) } else { number(bytes.len()) };
            damaged[at] ^= 1 << number(8);
        }
        desk.checked(&damaged);
        let saved = desk.recovered().map_or(0, |lines| lines.intersection(&whole).count());
        assert!(saved > whole.len() / 2, "round {round}: {saved} of {}", whole.len());
    }
}

#[test]
fn garbage_is_no_study_and_gives_a_sentence() {
    let desk = Desk::new();
    let mut number = numbers(2);
    for length in [0, 10, 100, 4_096, 20_000] {
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(number(256)).expect("a byte")).collect();
        assert_eq!(desk.checked(&bytes), None);
        assert_eq!(desk.recovered(), None);
        assert!(!desk.path("new.db").exists() && !desk.path("new.db.part").exists());
    }
    let told = check(&desk.path("missing.db")).expect_err("missing").to_string();
    assert!(told.contains("there is no such file"), "{told}");
}

#[test]
fn what_lies_beside_a_study_is_named_and_left_alone() {
    let desk = Desk::new();
    let bytes = desk.everything();
    for (ending, worst) in [("-wal", Severity::Wrong), ("-journal", Severity::Remark)] {
        let beside = desk.path(&format!("damaged.db{ending}"));
        fs::write(&beside, [7; 5_000]).expect("written");
        assert_eq!(desk.checked(&bytes), Some(worst), "{ending}");
        assert_eq!(fs::read(&beside).expect("there"), [7; 5_000]);
        assert!(desk.recovered().is_some_and(|lines| !lines.is_empty()), "{ending}");
        fs::remove_file(&beside).expect("removed");
    }
}

#[test]
fn the_command_says_what_to_do_in_80_columns_and_exits_1() {
    let desk = Desk::new();
    let mut bytes = desk.everything();
    let told = desk.run(&["check", "study.db"]);
    assert_eq!(told.status.code(), Some(0));
    let text = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(
        text.contains("Nothing is wrong.") && text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );

    let last = bytes.len() - PAGE;
    bytes[last..].fill(0);
    fs::write(desk.path("damaged.db"), &bytes).expect("written");
    let told = desk.run(&["check", "damaged.db", "--format", "json"]);
    assert_eq!(told.status.code(), Some(1));
    let table: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(table["worst"], "WRONG");
    let rows = table["rows"].as_array().expect("rows");
    let wrong = rows.iter().find(|row| row["severity"] == "WRONG").expect("something is wrong");
    assert!(wrong["advice"].as_str().is_some_and(|advice| advice.contains("--recover NEW")), "{wrong}");
    assert!(String::from_utf8_lossy(&told.stderr).contains("damaged.db: "));

    let told = desk.run(&["check", "damaged.db", "--recover", "new.db"]);
    let text = String::from_utf8(told.stdout).expect("UTF-8");
    assert_eq!(told.status.code(), Some(0), "{text}");
    assert!(text.contains("damaged.db saved into new.db"), "{text}");
    assert_eq!(desk.run(&["check", "new.db"]).status.code(), Some(0));
}

/// A page that is lost is damage, and never a study in which nothing was done.
#[test]
fn no_lost_page_makes_status_say_that_nothing_is_judged() {
    let desk = Desk::new();
    let bytes = desk.everything();
    for page in (1..bytes.len() / PAGE).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0x5a);
        fs::write(desk.path("damaged.db"), &damaged).expect("written");
        let said = String::from_utf8_lossy(&desk.run(&["status", "damaged.db"]).stderr).into_owned();
        assert!(!said.contains("nothing is judged"), "page {page}: {said}");
    }
}
