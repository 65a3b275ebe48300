//! Several files of one study, and every way between them: whatever is done, all end with what was done anywhere, and with
//! nothing else.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::amend::joined;
use super::hub::everything;
use super::journal::all_caches;
use super::revise::some_revision;
use super::{Study, choose, corpus, coverage, judgment, link};
use crate::journal::Happening;
use crate::store::{AssignmentChange, MergeMode, StudyFile, recover};
use crate::study::{Record, Role, Terms};

impl Study {
    /// Its export, as records.
    pub(super) fn exported(&self) -> Vec<Value> {
        let mut records = Vec::new();
        let read = self.file.for_each_record(|record| {
            records.push(serde_json::to_value(&record).expect("JSON"));
            Ok(())
        });
        read.expect("read");
        records
    }

    /// The same file after something else was done to it.
    fn replaced(self, with: impl FnOnce(&Path, &Path)) -> Study {
        let new = Study::empty();
        let to = new.path();
        let Study { _folder, file } = new;
        drop(file);
        std::fs::remove_file(&to).expect("removed");
        with(&self.path(), &to);
        Study { _folder, file: StudyFile::open(&to).expect("opened") }
    }
}

/// What an export of the study, imported into it or another file of it, must be: nothing new.
fn is_known(study: &mut Study, records: &[Value]) {
    let before = (everything(&study.file), study.bytes());
    study.import(records).expect("imported");
    assert_eq!(everything(&study.file), before.0);
    assert_eq!(study.bytes(), before.1, "not a byte changes");
}

#[test]
fn an_export_that_comes_in_again_is_a_merge() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("full"), link(1)], 1_000);
    study.answer("alice", 0, &[choose("none")], 90_000);
    study.answer("bora", 1, &[choose("partial"), link(2), Happening::Comment("why?".into())], 2_000);
    study
        .import(&[judgment(json!({"annotator":"judge","seconds":12.5,"at":"2026-01-05T09:30:00Z"}))])
        .expect("imported");
    let exported = study.exported();
    is_known(&mut study, &exported);

    // The time that it took counts once, also where the file that was made of the export meets the others.
    let mut copy = Study::with(&exported);
    assert_eq!(everything(&copy.file), everything(&study.file));
    assert_eq!(copy.exported(), exported, "the same export");
    copy.merge(&[&study]).expect("merged");
    assert_eq!(everything(&copy.file), everything(&study.file));
    study.answer("bora", 1, &[choose("none")], 95_000);
    copy.answer("alice", 2, &[choose("none")], 96_000);
    let later = copy.exported();
    study.import(&later).expect("imported");
    copy.import(&study.exported()).expect("imported");
    assert_eq!(everything(&copy.file), everything(&study.file));
    assert_eq!(copy.judgments(), study.judgments());
}

/// An export of judgments alone tells the time of every revision with the last one.
#[test]
fn the_time_of_judgments_that_came_without_their_journal_counts_once_beside_it() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("full"), link(1)], 1_000);
    study.answer("alice", 0, &[choose("none")], 90_000);
    study.answer("bora", 1, &[choose("partial"), link(2)], 2_000);
    let times = |study: &Study| study.file.active_times("coverage").expect("read");
    let mut judgments = vec![
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"annotator","id":"bora","kind":"human"}),
    ];
    let read = study.file.for_each_judgment(|judgment| {
        judgments.push(serde_json::to_value(Record::Judgment(judgment)).expect("JSON"));
        Ok(())
    });
    read.expect("read");
    assert_eq!(judgments.len(), 4);
    let mut copy = Study::with(&corpus());
    copy.import(&judgments).expect("imported");
    assert_eq!(times(&copy).len(), 2);
    copy.merge(&[&study]).expect("merged");
    let milliseconds =
        |study: &Study| -> Vec<u64> { times(study).iter().map(|one| one.milliseconds).collect() };
    assert_eq!(milliseconds(&copy), milliseconds(&study));
}

/// An item that several files judge goes out with the time of all. Two studies that give each other their judgments again and again
/// have that time, whichever of the files they hold themselves.
#[test]
fn the_time_of_an_item_that_files_judged_twice_stays_in_every_loop() {
    let of = |at: &str, seconds: f64, answers: Value| {
        judgment(json!({"at": at, "seconds": seconds, "answers": answers}))
    };
    let first = of("2026-01-05T09:30:00Z", 5.0, json!({"coverage": "none"}));
    let second = of("2026-01-06T09:30:20Z", 10.0, json!({"coverage": "full", "bullet": 1}));
    let third = of("2026-01-07T09:30:00Z", 7.0, json!({"coverage": "none"}));
    let told = |study: &Study| {
        let mut told = vec![json!({"type":"annotator","id":"alice","kind":"human"})];
        let read = study.file.for_each_judgment(|judgment| {
            told.push(serde_json::to_value(Record::Judgment(judgment)).expect("JSON"));
            Ok(())
        });
        read.expect("read");
        told
    };
    let paid = |study: &Study| -> Vec<u64> {
        study.file.paid_work("coverage", None).expect("read").values().map(|work| work.active).collect()
    };
    for held in [vec![], vec![&first], vec![&second], vec![&first, &second]] {
        let (mut one, mut other) = (Study::with(&corpus()), Study::with(&corpus()));
        for file in [&first, &second] {
            one.import(std::slice::from_ref(file)).expect("imported");
        }
        for file in &held {
            other.import(std::slice::from_ref(*file)).expect("imported");
        }
        for seconds in [15, 15, 22, 22] {
            if seconds == 22 {
                other.import(std::slice::from_ref(&third)).expect("imported");
            }
            other.import(&told(&one)).expect("imported");
            one.import(&told(&other)).expect("imported");
            assert_eq!(
                (paid(&one), paid(&other)),
                (vec![seconds * 1_000], vec![seconds * 1_000]),
                "{held:?}"
            );
        }
        for file in [&first, &second] {
            other.import(std::slice::from_ref(file)).expect("imported");
        }
        other.merge(&[&one]).expect("merged");
        assert_eq!(paid(&other), [22_000]);
        other.is_derived();
    }
}

/// A judgment of the journal that a file tells together with another one, which is not there.
#[test]
fn the_rest_of_a_total_counts_beside_the_journal() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    let mut told = study.exported();
    told.retain(|record| record["type"] == "judgment");
    let own = told[0]["seconds"].as_f64().expect("a time");
    told[0].as_object_mut().expect("an object").remove("sum");
    told[0]["seconds"] = json!(own + 5.0);
    told[0]["total"] = json!(true);
    for _ in 0..2 {
        study.import(&told).expect("imported");
        let times = study.file.active_times("coverage").expect("read");
        assert_eq!(times[0].seconds(), own + 5.0);
    }
}

/// The lines of an export stand in the order of names, whichever file people came to first.
#[test]
fn two_copies_give_the_same_export() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    one.answer("dora", 0, &[choose("none")], 1_000);
    two.answer("alice", 1, &[choose("none")], 2_000);
    one.merge(&[&two]).expect("merged");
    two.merge(&[&one]).expect("merged");
    assert_eq!(one.exported(), two.exported());
}

#[test]
fn what_was_taken_back_and_what_says_nothing_come_along() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    let (alice, item) =
        (study.file.open_queue("alice", coverage()).expect("opened").annotator, first_item(&study));
    let event = study.file.events(alice, item).expect("read")[0].id;
    study.answer("alice", 0, &[Happening::Retract { event }], 2_000);
    study.file.keep_view("bad", Some("{\"table\":\"items\"}"), 1_000).expect("kept");
    study.file.keep_view("bad", None, 2_000).expect("taken away");
    let mut copy = Study::with(&study.exported());
    assert_eq!(everything(&copy.file), everything(&study.file));
    assert_eq!(copy.file.views().expect("read"), []);
    is_known(&mut copy, &study.exported());
}

#[test]
fn an_answer_that_was_changed_in_the_export_comes_in_as_the_file_s() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({"annotator":"judge","at":"2026-01-05T09:30:00Z"}))]).expect("imported");
    let mut records = study.exported();
    for record in &mut records {
        if record["type"] == "judgment" {
            record["answers"] = json!({"coverage": "none", "bullet": null});
            record["at"] = json!("2026-01-06T09:30:00Z");
        }
    }
    study.import(&records).expect("imported");
    assert_eq!(study.judgments().len(), 1);
    assert!(study.judgments()[0].contains("none"), "{:?}", study.judgments());
}

#[test]
fn a_row_that_says_something_else_is_refused() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    for (field, value, sentence) in [
        (
            "events",
            json!([[1, "answer", {"question": "coverage", "answer": "full"}]]),
            "is in the study with another \"body\"",
        ),
        ("events", json!([[2, "adjudicate", {"question": "coverage"}]]), "as \"adjudicate\" makes no sense"),
        (
            "events",
            json!([[1_i64 << 41, "answer", {"question":"coverage","answer":"none"}]]),
            "it cannot be read",
        ),
        // The numbers of one row ascend, and lie near each other.
        ("events", json!([[1, "skip", true], [1, "skip", true]]), "the numbers of its events make no sense"),
        ("events", json!([[2, "skip", true], [1, "skip", true]]), "the numbers of its events make no sense"),
        (
            "events",
            json!([[1, "skip", true], [257, "skip", true]]),
            "the numbers of its events make no sense",
        ),
        ("active", json!(-1), "-1 active milliseconds"),
        ("writer", json!("0000000000000000"), "the writer \"0000000000000000\" is none"),
        ("writer", json!("x"), "the writer \"x\" is none"),
        (
            "version",
            json!("00000000000000000000000000000000"),
            "a version of a protocol that the study does not have",
        ),
        ("version", json!("x"), "the version \"x\" is no fingerprint"),
        ("texts", json!(null), "a row of the journal has no \"texts\""),
        ("unit", json!("nobody"), "unit \"nobody\" of query \"stress\" is not in the study"),
    ] {
        let mut records = study.exported();
        let before = study.bytes();
        for record in &mut records {
            if record["type"] == "journal" && record["of"] == "judging" {
                record[field] = value.clone();
            }
        }
        let error = study.import(&records).expect_err(field).to_string();
        assert!(error.contains(sentence), "{error}");
        assert_eq!(study.bytes(), before);
    }
}

fn first_item(study: &Study) -> crate::study::ItemId {
    study.file.items("coverage").expect("read")[0].id
}

#[test]
fn rows_that_come_twice_in_a_file_and_in_any_order_are_taken_once() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("full"), link(1)], 1_000);
    for unit in ["pomodoro", "tea"] {
        let line = judgment(json!({"annotator":"judge","unit":unit,"seconds":2.5}));
        study.import(&[line]).expect("imported");
    }
    let mut twice = Vec::new();
    let exported = study.exported();
    let (rows, others): (Vec<_>, Vec<_>) = exported.iter().partition(|record| record["type"] == "journal");
    let (before, after) =
        others.split_at(others.iter().position(|one| one["type"] == "judgment").expect("one"));
    twice.extend(before.iter().map(|one| (*one).clone()));
    twice.extend(rows.iter().rev().chain(&rows).flat_map(|row| [(*row).clone(), (*row).clone()]));
    twice.extend(after.iter().map(|one| (*one).clone()));
    let copy = Study::with(&twice);
    assert_eq!(everything(&copy.file), everything(&study.file));
}

/// What happens to one of three files of a study.
#[derive(Debug, Clone)]
enum Step {
    Answer { file: usize, person: usize, item: usize, kind: u8, at: i64 },
    Judge { file: usize, choice: usize, is_late: bool },
    Assign { file: usize, item: usize },
    View { file: usize, at: i64 },
    Join { file: usize, at: i64 },
    Revise { file: usize, which: usize, at: i64 },
    Export { from: usize, to: usize },
    Merge { from: usize, to: usize },
    Split { file: usize, item: usize, at: i64 },
    Anew { file: usize },
    Recover { file: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let (file, item, at) = (0..3_usize, 0..5_usize, 1_000..900_000_i64);
    prop_oneof![
        4 => (file.clone(), 0..3_usize, item.clone(), any::<u8>(), at.clone())
            .prop_map(|(file, person, item, kind, at)| Step::Answer { file, person, item, kind, at }),
        2 => (file.clone(), 0..3_usize, any::<bool>())
            .prop_map(|(file, choice, is_late)| Step::Judge { file, choice, is_late }),
        1 => (file.clone(), item.clone()).prop_map(|(file, item)| Step::Assign { file, item }),
        1 => (file.clone(), at.clone()).prop_map(|(file, at)| Step::View { file, at }),
        1 => (file.clone(), at.clone()).prop_map(|(file, at)| Step::Join { file, at }),
        1 => (file.clone(), 0..7_usize, at.clone())
            .prop_map(|(file, which, at)| Step::Revise { file, which, at }),
        3 => (file.clone(), file.clone()).prop_map(|(from, to)| Step::Export { from, to }),
        2 => (file.clone(), file.clone()).prop_map(|(from, to)| Step::Merge { from, to }),
        1 => (file.clone(), item, at).prop_map(|(file, item, at)| Step::Split { file, item, at }),
        1 => file.clone().prop_map(|file| Step::Anew { file }),
        1 => file.prop_map(|file| Step::Recover { file }),
    ]
}

const PEOPLE: [&str; 3] = ["alice", "alcie", "bora"];

fn happenings(kind: u8) -> Vec<Happening> {
    match kind % 6 {
        0 => vec![choose("none")],
        1 => vec![choose("full"), link(1)],
        2 => vec![Happening::Skip(true)],
        3 => vec![Happening::Flag(kind.is_multiple_of(2))],
        4 => vec![Happening::Comment("为什么?".into())],
        _ => vec![Happening::Clear { question: "coverage".into() }],
    }
}

/// Somebody answers an item, of those that the file has for her.
fn answer(study: &mut Study, name: &str, item: usize, what: &[Happening], at: i64) {
    study.file.open_queue(name, coverage()).expect("opened");
    let count = study.file.items("coverage").expect("read").len();
    study.answer(name, item % count, what, at);
}

fn go_through(steps: Vec<Step>) {
    let made = || {
        let study = Study::with(&corpus());
        study.file.connection.execute_batch("PRAGMA synchronous = OFF").expect("quick");
        study
    };
    let mut files = [made(), made(), made()];
    let mut union = made();
    let mut count = 0;
    for step in steps {
        // Whatever makes something new is seen at once by a file that only merges.
        let changed = match step {
            Step::Answer { file, person, item, kind, at } => {
                answer(&mut files[file], PEOPLE[person], item, &happenings(kind), at);
                file
            }
            Step::Judge { file, choice, is_late } => {
                count += 1;
                let answers =
                    [json!({"coverage": "full", "bullet": 1}), json!({"coverage": "none"}), json!({})];
                let at = if is_late { json!("2026-01-05T09:30:00Z") } else { json!(null) };
                let line = judgment(json!({
                    "annotator": "judge", "answers": answers[choice], "comment": format!("{count}"),
                    "seconds": count, "at": at
                }));
                files[file].import_unless_tied(&[line]);
                file
            }
            Step::Assign { file, item } => {
                let target =
                    files[file].file.items("coverage").expect("read").get(item).map(|item| item.target);
                if let Some(target) = target {
                    let changes = PEOPLE.map(|name| AssignmentChange {
                        annotator: name.into(),
                        target,
                        aside: None,
                        terms: Some(Terms::of(Role::Work)),
                    });
                    files[file].file.assign(coverage(), &changes, 1_000).expect("assigned");
                }
                file
            }
            Step::View { file, at } => {
                files[file].file.keep_view("mine", Some("{}"), at).expect("kept");
                file
            }
            Step::Join { file, at } => {
                let join = crate::study::Amendment { at, ..joined("alcie", "alice") };
                // A file that has not heard of both, or knows them as one, says so.
                let _ = files[file].file.amend(&[join], None, false);
                file
            }
            Step::Revise { file, which, at } => {
                let revision = crate::study::Amendment { at, ..some_revision(which) };
                files[file].file.amend(&[revision], None, false).expect("revised");
                file
            }
            Step::Export { from, to } => {
                let records = files[from].exported();
                files[to].import(&records).expect("imported");
                continue;
            }
            Step::Merge { from, to } => {
                let path = files[from].path();
                if from != to {
                    files[to].file.merge(&[path], MergeMode::Write).expect("merged");
                }
                continue;
            }
            Step::Split { file, item, at } => {
                let folder = tempfile::tempdir().expect("a folder");
                let part = folder.path().join("part.db");
                files[file].file.split("bora", &part).expect("split");
                let mut part = Study { _folder: folder, file: StudyFile::open(&part).expect("opened") };
                answer(&mut part, "bora", item, &[choose("none")], at);
                files[file].import(&part.exported()).expect("imported");
                file
            }
            Step::Anew { file } => {
                let records = files[file].exported();
                files[file] = Study::with(&records);
                continue;
            }
            Step::Recover { file } => {
                let old = std::mem::replace(&mut files[file], Study::empty());
                files[file] = old.replaced(|from, to| {
                    recover(from, to).expect("recovered");
                });
                continue;
            }
        };
        union.merge(&[&files[changed]]).expect("merged");
    }
    let exports: Vec<Vec<Value>> = files.iter().map(Study::exported).collect();
    for file in &mut files {
        for records in &exports {
            file.import(records).expect("imported");
        }
        let (has, must_have) = (everything(&file.file), everything(&union.file));
        let only = |of: &[String], other: &[String]| -> Vec<String> {
            of.iter().filter(|row| !other.contains(row)).cloned().collect()
        };
        assert_eq!((only(&has, &must_have), only(&must_have, &has)), Default::default());
        let kept = all_caches(&file.file);
        file.file.rebuild_caches().expect("rebuilt");
        assert_eq!(all_caches(&file.file), kept);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_between_files_ends_in_the_union(steps in prop::collection::vec(step(), 1..24)) {
        go_through(steps);
    }
}
