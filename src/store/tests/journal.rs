//! Appending, undoing, and the caches that follow.

use proptest::prelude::*;
use serde_json::json;

use super::{Study, answers_to, choose, corpus, coverage, is_summed, judgment, link, unpack};
use crate::journal::{Event, EventId, Happening, ItemState, Progress, Queue, Standing, Writer, fold_under};
use crate::store::{Appended, StoredStep, StudyFile, check};
use crate::study::ItemId;
use crate::text::hash::fingerprint;

fn texts() -> crate::text::hash::Fingerprint {
    fingerprint(["the texts"])
}

fn item_at(file: &StudyFile, queue: &Queue, position: usize) -> ItemId {
    let loaded = file.load(queue.annotator, coverage(), position).expect("loaded");
    loaded.item.id
}

fn append(study: &mut Study, queue: &Queue, item: ItemId, what: &[Happening], now: i64) -> Appended {
    let timed: Vec<(Happening, i64)> = what.iter().map(|happening| (happening.clone(), 500)).collect();
    study.file.append(queue.annotator, coverage(), item, texts(), &timed, now).expect("appended")
}

fn retract(event: EventId) -> Happening {
    Happening::Retract { event }
}

#[test]
fn an_append_tells_where_the_annotator_stands() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = item_at(&study.file, &queue, 0);
    let first = append(&mut study, &queue, item, &[choose("full")], 1_000);
    assert_eq!(first.standing.state(coverage()), ItemState::Open);
    assert_eq!(first.progress, Progress { total: 5, ..Progress::default() });
    let second = append(&mut study, &queue, item, &[link(1), Happening::Flag(true)], 2_000);
    assert_eq!(second.standing.state(coverage()), ItemState::Judged);
    assert_eq!(second.standing.active, 1_500);
    assert_eq!((second.progress.judged, second.progress.flagged), (1, 1));
    assert_eq!((second.ids.len(), second.at), (2, 2_000));

    let path = study.file.path().to_path_buf();
    let other = StudyFile::open(&path).expect("opened elsewhere");
    let loaded = other.load(queue.annotator, coverage(), 0).expect("loaded");
    assert_eq!(loaded.standing, second.standing);
    assert_eq!(other.events(queue.annotator, item).expect("read").len(), 3);
}

#[test]
fn time_never_runs_backwards_for_an_annotator() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = item_at(&study.file, &queue, 0);
    assert_eq!(append(&mut study, &queue, item, &[choose("full")], 5_000).at, 5_000);
    let earlier = append(&mut study, &queue, item, &[choose("none")], 4_000);
    assert_eq!(earlier.at, 5_001);
    assert_eq!(earlier.standing.state(coverage()), ItemState::Judged, "the later key counts");
    // An answer is later, too, than a judgment that was imported from a clock that ran ahead.
    study.import(&[judgment(json!({"at":"2030-01-01T00:00:00Z"}))]).expect("imported");
    let imported = answers_to(&study.file, coverage(), "bullet")[0].0;
    let after = append(&mut study, &queue, imported, &[choose("none")], 6_000);
    assert_eq!(after.standing.answers["coverage"], crate::protocol::Answer::Text("none".into()));
}

#[test]
fn an_item_of_another_protocol_is_refused() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = item_at(&study.file, &queue, 0);
    let before = study.bytes();
    let error = study
        .file
        .append(queue.annotator, super::keypoint(), item, texts(), &[(choose("full"), 1)], 1)
        .expect_err("refused");
    assert!(error.to_string().contains("is none of the protocol \"keypoint\""), "{error}");
    assert_eq!(study.bytes(), before);
}

#[test]
fn steps_are_undone_one_by_one_across_items() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({}))]).expect("imports are no steps");
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let (one, two) = (item_at(&study.file, &queue, 0), item_at(&study.file, &queue, 1));
    let visit = Happening::Visit { documents: vec![1], beyond_evidence: false, hint: None, sorted_by: None };
    let a = append(&mut study, &queue, one, &[choose("full"), link(1)], 1_000);
    let b = append(&mut study, &queue, one, &[Happening::Flag(true), visit.clone()], 1_000);
    let c = append(&mut study, &queue, two, &[choose("none")], 1_000);
    append(&mut study, &queue, two, &[visit], 1_000);
    let step = |position, item, events: &[EventId]| StoredStep { position, item, events: events.to_vec() };
    let history = |study: &Study| study.file.undo_history(queue.annotator, "coverage", 10).expect("read");
    let all = [step(0, one, &a.ids), step(0, one, &b.ids[..1]), step(1, two, &c.ids)];
    assert_eq!(history(&study), all);
    assert_eq!(study.file.undo_history(queue.annotator, "coverage", 1).expect("read"), all[2..]);
    assert_eq!(study.file.undo_history(queue.annotator, "keypoint", 9).expect("read"), []);

    let undone = append(&mut study, &queue, two, &[retract(c.ids[0])], 2_000);
    assert_eq!(undone.standing.state(coverage()), ItemState::Open);
    assert_eq!(history(&study), all[..2]);
    let redone = append(&mut study, &queue, two, &[retract(undone.ids[0])], 3_000);
    assert_eq!(redone.standing.state(coverage()), ItemState::Judged);
    assert_eq!(history(&study), all);
}

#[test]
fn the_journal_cannot_be_rewritten() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({}))]).expect("imported");
    study.answer("alice", 0, &[choose("none")], 1_000);
    for (table, column) in [("act", "at"), ("writer", "key"), ("phrase", "kind")] {
        for statement in [
            format!("UPDATE {table} SET {column} = 1"),
            format!("DELETE FROM {table}"),
            format!("REPLACE INTO {table} SELECT * FROM {table}"),
        ] {
            let error = study.file.connection.execute(&statement, []).expect_err(&statement);
            assert!(error.to_string().contains("append-only"), "{statement}: {error}");
        }
    }
}

/// A happening by number, among those that a person can cause; may refer to an earlier event.
fn happening(kind: u8, number: u8, events: &[EventId]) -> Happening {
    let question = ["coverage", "bullet"][usize::from(number) % 2];
    match kind % 8 {
        0 => choose(["none", "partial", "full"][usize::from(number) % 3]),
        1 => link(1 + u32::from(number) % 3),
        2 => Happening::Clear { question: question.into() },
        3 => Happening::Skip(number.is_multiple_of(2)),
        4 => Happening::Flag(number.is_multiple_of(2)),
        5 => Happening::Comment(["", "why?"][usize::from(number) % 2].into()),
        _ => match events.get(usize::from(number) % events.len().max(1)) {
            Some(event) => retract(*event),
            None => Happening::Skip(true),
        },
    }
}

/// What the caches say about a pair, in the form of a standing.
fn cached(file: &StudyFile, queue: &Queue, item: ItemId) -> Standing {
    let mut standing = Standing::default();
    for question in ["coverage", "bullet"] {
        let answers = answers_to(file, coverage(), question).into_iter();
        for (_, answer) in answers.filter(|(other, _)| *other == item) {
            standing.answers.insert(question.to_owned(), answer);
        }
    }
    let row = file.connection.query_row(
        "SELECT skipped, flagged, active, at, coalesce(comment, '') FROM standing WHERE annotator = ?1 AND item = ?2",
        [queue.annotator.0, item.0],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    );
    (standing.skipped, standing.flagged, standing.active, standing.at, standing.comment) =
        row.unwrap_or_default();
    standing
}

/// Every cache row, as text. On the way the journal's sums are looked at.
pub(super) fn all_caches(file: &StudyFile) -> Vec<String> {
    assert!(is_summed(file));
    let mut found = Vec::new();
    for table in ["standing", "queue", "progress", "withdrawn", "joined"] {
        let mut statement = file.connection.prepare(&format!("SELECT * FROM {table}")).expect("a table");
        let columns = statement.column_count();
        let mut rows = statement.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let values: Vec<_> = (0..columns).map(|column| row.get_ref(column)).collect();
            found.push(format!("{table} {values:?}"));
        }
    }
    found
}

fn counted(file: &StudyFile, queue: &Queue, items: &[ItemId]) -> Progress {
    let mut progress = Progress { total: items.len(), ..Progress::default() };
    for item in items {
        let events: Vec<Event> = file.events(queue.annotator, *item).expect("read");
        let standing = fold_under(&events, coverage());
        progress.judged += usize::from(standing.state(coverage()) == ItemState::Judged);
        progress.skipped += usize::from(standing.state(coverage()) == ItemState::Skipped);
        progress.flagged += usize::from(standing.flagged);
    }
    progress
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn caches_equal_the_fold_and_their_rebuilt_selves(
        steps in prop::collection::vec((0..5_usize, prop::collection::vec((any::<u8>(), any::<u8>()), 1..4), 0..3_000_i64), 1..25)
    ) {
        let mut study = Study::with(&corpus());
        study.file.connection.execute_batch("PRAGMA synchronous = OFF").expect("quick");
        study.import(&[judgment(json!({"at":"1970-01-01T00:00:01Z","flagged":true}))]).expect("imported");
        let queue = study.file.open_queue("alice", coverage()).expect("opened");
        let items: Vec<ItemId> = (0..5).map(|position| item_at(&study.file, &queue, position)).collect();
        let mut events: Vec<Vec<EventId>> = vec![Vec::new(); items.len()];
        for (at, kinds, now) in &steps {
            let what: Vec<Happening> =
                kinds.iter().map(|(kind, number)| happening(*kind, *number, &events[*at])).collect();
            let appended = append(&mut study, &queue, items[*at], &what, *now);
            events[*at].extend(&appended.ids);
            let journal = study.file.events(queue.annotator, items[*at]).expect("read");
            prop_assert_eq!(&appended.standing, &fold_under(&journal, coverage()));
            let expected = Standing { judged_under: None, ..appended.standing };
            prop_assert_eq!(cached(&study.file, &queue, items[*at]), expected);
            prop_assert_eq!(appended.progress, counted(&study.file, &queue, &items));
        }
        let kept = all_caches(&study.file);
        study.file.rebuild_caches().expect("rebuilt");
        prop_assert_eq!(all_caches(&study.file), kept);
    }
}

/// In format 8 each event of a step was a row.
#[test]
fn steps_of_format_8_are_packed_and_say_what_they_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/version8.db"), &path).expect("copied");
    let old = rusqlite::Connection::open(&path).expect("opened");
    old.execute_batch(
        r#"PRAGMA foreign_keys = OFF;
           INSERT INTO event (writer, seq, kind, annotator, item, protocol, body, at, active, texts)
           SELECT 77, column1, column2, 1, 1, (SELECT min(id) FROM protocol_version), column3, column4, column5, zeroblob(16)
           FROM (VALUES (1, 'visit', '{"documents":[2],"beyond_evidence":false}', 5000, 900),
             (2, 'answer', '{"question":"coverage","answer":"none"}', 5000, 0), (3, 'flag', 'true', 5000, 30),
             (4, 'retract', '{"writer":"000000000000004d","seq":3}', 6000, 0), (5, 'sing', '{"x":1}', 6000, 0));
           INSERT INTO event (writer, seq, kind, annotator, item, protocol, body, at, active, texts)
           SELECT 78, column1, 'comment', 1, 1, column2, 'no JSON', 7000, 0, zeroblob(16)
           FROM (VALUES (1, (SELECT min(id) FROM protocol_version)), (2, 99))"#,
    )
    .expect("in format 8");
    drop(old);
    let study = StudyFile::open(&path).expect("brought up to date");
    let annotator = study.annotators().expect("read")[0].0;
    let mut events = study.events(annotator, ItemId(1)).expect("read");
    events.retain(|event| event.id.writer == Writer(77));
    let said: Vec<_> = events
        .iter()
        .map(|event| {
            (event.id.seq, event.happening.kind().to_owned(), event.at.expect("a time"), event.active)
        })
        .collect();
    let expected = [
        (1, "visit", 5000, 900),
        (2, "answer", 5000, 0),
        (3, "flag", 5000, 30),
        (4, "retract", 6000, 0),
        (5, "sing", 6000, 0),
    ];
    assert_eq!(said, expected.map(|(seq, kind, at, active)| (seq, kind.to_owned(), at, active)));
    assert!(events.iter().all(|event| event.texts.0 == [0; 16]));
    // The second time on the item begins a row of its own.
    let rows: Vec<i64> = study
        .connection
        .prepare("SELECT x.kind FROM act x JOIN writer w ON w.no = x.id >> 40 WHERE w.key = 77 ORDER BY x.id")
        .and_then(|mut rows| rows.query_map([], |row| row.get(0))?.collect())
        .expect("read");
    assert_eq!(rows, [3, 4, 4], "visit and answer, then the flag, then what took it back");
    assert!(is_summed(&study));
    // What nobody can read stays as it is, also where its version of the protocol is lost.
    unpack(&study.connection);
    let unread: Vec<(i64, String, i64)> = study
        .connection
        .prepare("SELECT seq, body, protocol = 99 FROM temp.event WHERE writer = 78 ORDER BY seq")
        .and_then(|mut rows| rows.query_map([], |row| row.try_into())?.collect())
        .expect("read");
    assert_eq!(unread, [(1, "no JSON".to_owned(), 0), (2, "no JSON".to_owned(), 1)]);
    let found = check(&path).expect("a study").findings;
    let is_named = |what: &str| found.iter().any(|finding| finding.what.contains(what));
    assert!(is_named("1 row of act without the protocol_version referred to"), "{found:#?}");
}
