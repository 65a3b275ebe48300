//! The file that one annotator takes home, and the way back.

use std::path::PathBuf;

use serde_json::json;

use super::super::{Study, bytes, choose, corpus, coverage, judgment};
use crate::store::{MergeMode, StudyFile};

fn home(study: &Study) -> PathBuf {
    study.path().with_file_name("home.db")
}

fn study_of_two() -> Study {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    study.answer("bora", 0, &[choose("full")], 2_000);
    study.answer("bora", 1, &[choose("none")], 3_000);
    study.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    study
}

#[test]
fn one_annotator_takes_the_corpus_and_nobody_elses_judgments_home() {
    let study = study_of_two();
    let before = study.bytes();
    let report = study.file.split("alice", &home(&study)).expect("split");
    assert_eq!((report.assigned, report.is_known), (vec![], true));
    assert_eq!(study.bytes(), before);
    let taken = StudyFile::open(&home(&study)).expect("a study");
    let names: Vec<String> = taken.annotators().expect("read").into_iter().map(|(_, it)| it.id).collect();
    assert_eq!(names, ["alice"]);
    assert_eq!(taken.units().expect("read").len(), 3);
    assert_eq!(taken.candidates().expect("read").len(), 3);
    let mut judged = Vec::new();
    taken
        .for_each_judgment(|judgment| {
            judged.push(judgment.annotator);
            Ok(())
        })
        .expect("read");
    assert_eq!(judged, ["alice"]);
    let raw = bytes(&home(&study));
    let holds = |word: &[u8]| raw.windows(word.len()).any(|window| window == word);
    assert!(!holds(b"bora"), "no one else's name in any byte");

    let refused = study.file.split("alice", &home(&study)).expect_err("there already").to_string();
    assert!(refused.contains("there is a file of this name already"), "{refused}");
}

#[test]
fn what_was_judged_at_home_comes_back_by_a_merge() {
    let mut study = study_of_two();
    study.file.split("alice", &home(&study)).expect("split");
    let mut taken = StudyFile::open(&home(&study)).expect("a study");
    let queue = taken.open_queue("alice", coverage()).expect("opened");
    assert_eq!((queue.progress.judged, queue.progress.total), (1, 5));
    let item = taken.items("coverage").expect("read")[3].id;
    let texts = crate::text::hash::fingerprint(["texts"]);
    taken
        .append(queue.annotator, coverage(), item, texts, &[(choose("none"), 900)], 9_000)
        .expect("appended");
    drop(taken);
    let reports = study.file.merge(&[home(&study)], MergeMode::Write).expect("merged");
    assert_eq!(reports[0].annotators.len(), 1);
    let alice = &reports[0].annotators[0];
    assert_eq!((alice.new_events, alice.known_events, alice.judged), (1, 1, 1));
    assert_eq!(study.judgments().len(), 5);
}

#[test]
fn assignments_go_along_and_say_whose_the_items_are() {
    let study = study_of_two();
    study
        .file
        .connection
        .execute_batch(
            "INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
               SELECT 7, i.id, a.id, i.id, 'assign', '{\"role\":\"work\"}', 9 FROM annotator a, item i
               WHERE a.key = 'alice' AND i.id <= 3;
             INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
               SELECT 7, 10 + i.id, a.id, i.id, 'assign', '{\"role\":\"work\"}', 9 FROM annotator a, item i
               WHERE a.key = 'bora' AND i.id = 5;",
        )
        .expect("assigned");
    let report = study.file.split("alice", &home(&study)).expect("split");
    assert_eq!(report.assigned, [("coverage".to_owned(), 3)]);
    let taken = StudyFile::open(&home(&study)).expect("a study");
    let count: i64 = taken
        .connection
        .query_row("SELECT count(*) FROM assignment_event", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(count, 3);
    let other = home(&study).with_file_name("other.db");
    let refused = study.file.split("alcie", &other).expect_err("unknown").to_string();
    assert!(refused.contains("items are assigned to alice, bora"), "{refused}");
    assert!(!other.exists());
}

#[test]
fn a_newcomer_takes_everything_and_a_model_nothing() {
    let study = study_of_two();
    let report = study.file.split("carol", &home(&study)).expect("split");
    assert_eq!((report.assigned, report.is_known), (vec![], false));
    let taken = StudyFile::open(&home(&study)).expect("a study");
    assert!(taken.annotators().expect("read").is_empty());
    assert_eq!(taken.document_heads().expect("read").len(), 3);
    let other = home(&study).with_file_name("other.db");
    let refused = study.file.split("judge", &other).expect_err("a model").to_string();
    assert!(refused.contains("\"judge\" is a model"), "{refused}");
    assert!(!other.exists());
}
