//! A whole study in memory, judging in place, and saved views.

use serde_json::json;

use super::{Study, choose, corpus, coverage, judgment, link};
use crate::journal::{Happening, Material};
use crate::protocol::{Answer, builtin};
use crate::store::{StudyFile, Target, VersionsRead};

fn judged() -> Study {
    let mut study = Study::with(&corpus());
    let records = [
        judgment(json!({"seconds":4.5,"at":"2026-01-05T09:30:00Z","comment":"second bullet","flagged":true})),
        judgment(json!({"annotator":"judge","answers":{"coverage":"none"}})),
        judgment(json!({"unit":"tea","answers":{"coverage":"full","bullet":2}})),
        judgment(json!({"protocol":"failure","unit":null,"answers":{"failures":["general"]}})),
    ];
    study.import(&records).expect("imported");
    study
}

#[test]
fn the_whole_study_is_read_at_once() {
    let study = judged();
    let (corpus, judged) = study.file.whole_study().expect("read");
    assert_eq!((corpus.documents.len(), corpus.units.len(), corpus.candidates.len()), (3, 3, 3));
    let mut documents = Vec::new();
    study
        .file
        .for_each_document(|id, document| {
            documents.push((id, document));
            Ok(())
        })
        .expect("read");
    assert_eq!(corpus.documents, documents);
    let names: Vec<&str> = judged.iter().map(|table| table.protocol.name.as_str()).collect();
    assert_eq!(names, ["coverage", "failure"]);
    let table = &judged[0];
    assert_eq!((table.items.len(), table.rows().len()), (2, 3));
    // The same two answers stand once.
    assert_eq!(table.answer_sets().len(), 2);
    let first = &table.rows()[0];
    assert_eq!((first.item, first.active, first.flagged(), first.counts()), (0, 4_500, true, true));
    assert_eq!(table.comment(first), Some("second bullet"));
    assert_eq!(first.at(), Some(1_767_605_400_000));
    assert_eq!(table.answers(first)["bullet"], Answer::Bullet(2));
    assert_eq!(table.of_item(0).len(), 2);
}

#[test]
fn what_is_left_in_the_middle_does_not_count() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let item = study.file.load(queue.annotator, coverage(), 0).expect("loaded").item;
    let mut append = |happening: Happening, now| {
        let what = [(happening, 500)];
        study.file.append(queue.annotator, coverage(), item.id, item.texts(), &what, now).expect("appended");
        study.file.whole_study().expect("read").1.remove(0).rows().to_vec()
    };
    let begun = append(choose("full"), 1_000);
    assert_eq!((begun.len(), begun[0].counts()), (1, false), "the bullet is missing");
    assert!(append(link(1), 2_000)[0].counts());
}

#[test]
fn a_candidate_is_tagged_without_a_queue() {
    let mut study = judged();
    let failure = builtin("failure").expect("built in");
    let corpus = study.file.corpus().expect("read");
    let (query, candidate) = (corpus.queries[0].0, corpus.candidates[1].0);
    let target = Target { candidate: Some(candidate), ..Target::of_query(query) };
    let (carol, item) = study.file.item_for("carol", failure, target).expect("made");
    assert_eq!(item.candidate.as_ref().map(|made| made.id.as_str()), Some("c2"));
    let tags = Answer::Names(vec!["hallucinated".into()]);
    let what = [(Happening::Answer { question: "failures".into(), answer: tags.clone() }, 700)];
    let texts = item.texts();
    let appended = study.file.append(carol, failure, item.id, texts, &what, 5_000).expect("appended");
    assert_eq!(study.file.standing(carol, item.id).expect("read"), appended.standing);
    let (again, same) = study.file.item_for("carol", failure, target).expect("known");
    assert_eq!((again, same.id), (carol, item.id));
    let (_, judged) = study.file.whole_study().expect("read");
    let row = judged[1].rows().iter().find(|row| row.annotator() == carol).expect("a judgment");
    assert_eq!(judged[1].answers(row)["failures"], tags);
    assert!(row.counts());
    let refused = study.file.item_for("judge", failure, target).expect_err("a model").to_string();
    assert!(refused.contains("model"), "{refused}");
}

#[test]
fn the_latest_view_of_a_name_counts() {
    let mut study = Study::empty();
    study.file.keep_view("worst", Some("{\"a\":1}"), 5_000).expect("kept");
    study.file.keep_view("best", Some("{}"), 5_000).expect("kept");
    // A clock that was set back.
    study.file.keep_view("worst", Some("{\"a\":2}"), 4_000).expect("kept");
    let kept = |study: &Study| {
        let views = study.file.views().expect("read");
        views.into_iter().map(|view| (view.name, view.body, view.at)).collect::<Vec<_>>()
    };
    let best = ("best".to_owned(), "{}".to_owned(), 5_000);
    assert_eq!(kept(&study), [best.clone(), ("worst".to_owned(), "{\"a\":2}".to_owned(), 5_001)]);
    study.file.keep_view("worst", None, 6_000).expect("taken away");
    assert_eq!(kept(&study), [best]);
    study.file.keep_view("worst", Some("{}"), 7_000).expect("kept again");
    assert_eq!(kept(&study).len(), 2);
}

#[test]
fn a_second_reader_is_there_only_while_the_first_holds_the_state() {
    use rusqlite::{Connection, TransactionBehavior};

    use crate::store::file::read_only::second;

    let study = judged();
    let of = |connection: &Connection| {
        let beside = second(connection)?;
        let count: i64 =
            beside.query_row("SELECT count(*) FROM standing", [], |row| row.get(0)).expect("counted");
        Some(count)
    };
    let held = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM standing", [], |row| row.get::<_, i64>(0))?;
        Ok(of(connection))
    };
    let connection = &study.file.connection;
    assert_eq!(of(connection), None, "nothing is held yet");
    assert_eq!(study.file.read(held).expect("read"), Some(4));
    let writing =
        rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate).expect("begun");
    writing.execute("DELETE FROM standing", []).expect("deleted");
    assert_eq!(of(&writing), None, "it would not see what is being written");
    drop(writing);
    let other = StudyFile::open(study.file.path()).expect("opened");
    let beside_one_who_waits = |connection: &Connection| {
        let before = held(connection)?;
        let waits = other.connection.execute_batch("BEGIN IMMEDIATE; DELETE FROM standing; COMMIT");
        assert!(waits.is_err(), "nobody writes while somebody reads");
        // While one connection waits to write, no other can begin to read.
        Ok((before, of(connection)))
    };
    assert_eq!(study.file.read(beside_one_who_waits).expect("read"), (Some(4), None));
    other.connection.execute_batch("ROLLBACK").expect("given back");
    assert_eq!(study.file.read(held).expect("read"), Some(4));
}

#[test]
fn items_by_key_are_the_same_items_and_judgments() {
    let study = judged();
    let by_corpus = study.file.material(coverage(), VersionsRead::All).expect("read");
    let by_key = study.file.material_by_key(coverage(), VersionsRead::All).expect("read");
    let keys: Vec<_> = by_key
        .items
        .iter()
        .map(|item| study.file.keys_of(&[item.target]).expect("read")[0].item_key("coverage"))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let said = |material: &Material| {
        let mut said: Vec<_> = material
            .rows()
            .iter()
            .map(|row| (material.item(row).id, row.annotator(), material.answers(row).clone(), row.active))
            .collect();
        said.sort_by_key(|(item, annotator, ..)| (*item, *annotator));
        said
    };
    assert_eq!(said(&by_corpus), said(&by_key));
    assert_eq!(by_key.rows().len(), 3);
}
