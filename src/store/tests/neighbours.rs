//! Several openings of one file at once.

use serde_json::json;

use super::{Study, choose, corpus, coverage, link, unpack};
use crate::error::{Error, ErrorKind};
use crate::protocol::builtin;
use crate::store::StudyFile;
use crate::text::hash::fingerprint;

/// Tries again as long as another process writes.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> T {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::Busy => std::thread::yield_now(),
            outcome => return outcome.expect("only busy"),
        }
    }
}

#[test]
fn two_who_write_at_once_lose_nothing() {
    const EACH: usize = 200;
    let study = Study::with(&corpus());
    let path = study.file.path();
    std::thread::scope(|scope| {
        for name in ["alice", "bob"] {
            scope.spawn(move || {
                let mut file = StudyFile::open(path).expect("opened");
                file.connection.execute_batch("PRAGMA synchronous = OFF").expect("quick");
                let queue = patiently(|| file.open_queue(name, coverage()));
                for round in 0..EACH {
                    let position = round % 5;
                    let item = patiently(|| file.load(queue.annotator, coverage(), position)).item;
                    let step = if round % 2 == 0 { choose("full") } else { link(1) };
                    patiently(|| {
                        let step = [(step.clone(), 1)];
                        file.append(queue.annotator, coverage(), item.id, item.texts(), &step, 7)
                    });
                }
            });
        }
    });
    unpack(&study.file.connection);
    let events: (i64, i64, i64) = study
        .file
        .connection
        .query_row(
            "SELECT count(*), count(DISTINCT writer), count(DISTINCT annotator) FROM event",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .expect("counted");
    assert_eq!(events, (400, 2, 2));
}

/// Two items are answered since the moment that is asked for, one whole; one was before; another protocol was begun.
#[test]
fn a_days_work_is_counted_and_what_waits_is_named() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    for (position, at, steps) in [
        (0, 500, vec![choose("full"), link(1)]),
        (1, 2_000, vec![choose("none")]),
        (2, 3_000, vec![choose("full")]),
    ] {
        let item = study.file.load(queue.annotator, coverage(), position).expect("loaded").item;
        let steps: Vec<_> = steps.into_iter().map(|step| (step, 7_000)).collect();
        study.file.append(queue.annotator, coverage(), item.id, item.texts(), &steps, at).expect("written");
    }
    let day = study.file.days_work(queue.annotator, coverage(), 1_000).expect("read");
    assert_eq!((day.items, day.active, day.half_answered), (1, 14_000, 1));
    assert_eq!(day.waiting, []);
    let open = study
        .file
        .open_queue("alice", builtin("faithfulness").expect("built in"))
        .expect("opened")
        .progress
        .total;
    let day = study.file.days_work(queue.annotator, coverage(), 1_000).expect("read");
    assert_eq!(day.waiting, [("faithfulness".to_owned(), Some(open))]);
}

#[test]
fn what_is_judged_for_calibration_is_of_the_days_work_too() {
    let mut records = corpus();
    records.push(json!({"type":"assignment","protocol":"coverage","annotator":"alice","role":"calibration",
        "collection":"exam","query":"stress","unit":"pomodoro","candidate":"c1","known":{"coverage":"none"}}));
    let mut study = Study::with(&records);
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let loaded = study.file.load(queue.annotator, coverage(), 0).expect("loaded");
    assert!(loaded.calibration.is_some());
    let (item, steps) = (loaded.item, [(choose("none"), 7_000)]);
    study.file.append(queue.annotator, coverage(), item.id, item.texts(), &steps, 2_000).expect("written");
    let day = study.file.days_work(queue.annotator, coverage(), 1_000).expect("read");
    assert_eq!((day.items, day.active), (1, 7_000));
}

#[test]
fn one_annotator_in_two_windows_is_kept_in_order() {
    let mut study = Study::with(&corpus());
    let mut other = StudyFile::open(study.file.path()).expect("opened");
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = study.file.load(queue.annotator, coverage(), 0).expect("loaded").item.id;
    let texts = fingerprint(["t"]);
    for round in 0..20 {
        let file = if round % 2 == 0 { &mut study.file } else { &mut other };
        let value = ["none", "partial", "full"][round % 3];
        let appended = file
            .append(queue.annotator, coverage(), item, texts, &[(choose(value), 1)], 1_000)
            .expect("appended");
        let current = appended.standing.answers["coverage"].as_text().map(str::to_owned);
        assert_eq!(current.as_deref(), Some(value), "the latest key counts, whoever's the writer");
    }
}

#[test]
fn a_writer_in_the_way_is_busy_and_nothing_is_written() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = study.file.load(queue.annotator, coverage(), 0).expect("loaded").item;
    let other = StudyFile::open(study.file.path()).expect("opened");
    other.connection.execute_batch("BEGIN IMMEDIATE").expect("taken");
    let step = [(choose("none"), 1)];
    let error =
        study.file.append(queue.annotator, coverage(), item.id, item.texts(), &step, 1).expect_err("busy");
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().starts_with("another haymark is writing to "), "{error}");
    other.connection.execute_batch("ROLLBACK").expect("given back");
    let appended =
        study.file.append(queue.annotator, coverage(), item.id, item.texts(), &step, 1).expect("appended");
    assert_eq!(appended.ids[0].seq, 1, "the failed attempt used no number");
}
