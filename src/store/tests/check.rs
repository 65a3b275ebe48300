//! What a check finds in a study that SQLite thinks is whole.

use serde_json::json;

use super::{Study, corpus, coverage, judgment};
use crate::journal::Happening;
use crate::protocol::Answer;
use crate::store::{Finding, Severity, check};
use crate::text::hash::fingerprint;

/// A study of three judgments, one of them made here, with its texts.
fn study() -> Study {
    let mut study = Study::with(&corpus());
    study
        .import(&[judgment(json!({})), judgment(json!({"unit":"tea","answers":{"coverage":"none"}}))])
        .expect("imported");
    let queue = study.file.open_queue("bora", coverage()).expect("opened");
    let loaded = study.file.load(queue.annotator, coverage(), 0).expect("loaded");
    let none = Happening::Answer { question: "coverage".into(), answer: Answer::Text("none".into()) };
    let done = [(none, 700)];
    study
        .file
        .append(queue.annotator, coverage(), loaded.item.id, loaded.item.texts(), &done, 5)
        .expect("appended");
    study
}

fn findings(study: &Study) -> Vec<Finding> {
    let before = study.bytes();
    let found = check(study.file.path()).expect("a study").findings;
    assert_eq!(study.bytes(), before);
    found
}

/// What is not right after these statements.
fn after(statements: &str) -> Vec<String> {
    let study = study();
    study.file.connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
    study.file.connection.execute_batch(statements).expect(statements);
    let found = findings(&study).into_iter().filter(|finding| finding.severity != Severity::Right);
    found.map(|finding| format!("{:?} {}: {}", finding.severity, finding.area, finding.what)).collect()
}

#[test]
fn a_sound_study_has_nothing_wrong() {
    assert_eq!(after(""), Vec::<String>::new());
    let said: Vec<String> = findings(&study()).into_iter().map(|finding| finding.what).collect();
    assert!(said.contains(&"4 events of 2 writers".to_owned()), "{said:?}");
    assert!(said.contains(&"3 judgments given on the texts that stand here".to_owned()), "{said:?}");
    assert!(
        said.contains(&"it would hold 3 documents, 3 units, 3 candidates and 3 judgments".to_owned()),
        "{said:?}"
    );
}

#[test]
fn each_kind_of_fault_is_named() {
    for (statements, expected) in [
        (
            "UPDATE standing SET flagged = 1 WHERE annotator = 1",
            "Wrong derived: 2 rows that the journal does not give: where annotators stand on items",
        ),
        (
            "UPDATE answer SET value = '\"full\"' WHERE annotator <> 1",
            "Wrong derived: 1 row that the journal does not give: current answers",
        ),
        (
            "UPDATE progress SET judged = 3",
            "Wrong derived: 1 row that the journal does not give: counts of what is done",
        ),
        (
            "DELETE FROM gold; UPDATE candidate SET text = '- Nothing' WHERE key = 'c1' AND query = 1",
            "Wrong texts: 2 of 3 judgments given on other texts than stand here",
        ),
        (
            "UPDATE document SET text = 'Other.' WHERE key = 'd2'",
            "Wrong corpus: 1 passage of evidence not in the document any more",
        ),
        ("DELETE FROM annotator WHERE key = 'alice'", "Wrong references: "),
        (
            "DROP TRIGGER event_is_never_deleted",
            "Wrong schema: the trigger event_is_never_deleted is missing: another program changed the file",
        ),
        (
            "UPDATE item SET key = randomblob(16) WHERE id = 1",
            "Wrong corpus: 1 item with keys that do not follow from the parts",
        ),
        (
            "UPDATE protocol_version SET file = file || ' '",
            "Wrong protocols: the text of version 1 of the protocol \"coverage\" is not the one that it was judged under",
        ),
    ] {
        let found = after(statements);
        assert!(found.iter().any(|finding| finding.starts_with(expected)), "{expected}\n{found:#?}");
    }
}

#[test]
fn what_may_be_elsewhere_or_newer_is_a_remark() {
    let events = |kind: &str, seq: i64| {
        format!(
            "INSERT INTO event (writer, seq, kind, annotator, item, protocol, body, at, active, texts)
             SELECT max(writer), {seq}, '{kind}', annotator, item, protocol, '{{}}', at, 0, texts FROM event"
        )
    };
    let found = after(&events("sing", 2));
    assert_eq!(found, ["Remark journal: 1 event of the kind \"sing\", kept and not understood"]);
    let found = after(&events("sing", 4));
    assert!(found[1].starts_with("Remark journal: missing numbers of events: 2 of 1 writer"), "{found:?}");
}

#[test]
fn making_the_caches_anew_mends_them() {
    let mut study = study();
    study
        .file
        .connection
        .execute_batch("DELETE FROM standing; UPDATE progress SET judged = 9")
        .expect("broken");
    assert!(findings(&study).iter().any(|finding| finding.severity == Severity::Wrong));
    study.file.rebuild_caches().expect("rebuilt");
    assert!(findings(&study).iter().all(|finding| finding.severity == Severity::Right));
}

#[test]
fn texts_of_judgments_made_here_are_those_of_the_item() {
    let study = study();
    let texts =
        fingerprint(["texts", "What of stress?", "", "Breaks help.", "- Breaks [2]\n- Tea [1]\n- Sleep"]);
    let found: i64 = study
        .file
        .connection
        .query_row("SELECT count(*) FROM event WHERE texts = ?1", [texts.0], |row| row.get(0))
        .expect("counted");
    assert!(found >= 2, "an imported judgment has two answers");
}
