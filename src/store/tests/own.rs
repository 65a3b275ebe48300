//! A study's own protocols, and what is judged under which version.

use serde_json::json;

use super::journal::all_caches;
use super::{Study, choose, corpus, coverage, judgment, link};
use crate::journal::{Happening, ItemState, Queue, fold_under};
use crate::protocol::{Answer, Protocol, builtin};
use crate::store::{AddedProtocol, VersionsRead};
use crate::study::ItemId;

/// A protocol like `coverage` under a name of its own.
fn own(version: u32) -> Protocol {
    let text = coverage().file_text.replace("name = \"coverage\"", "name = \"mine\"");
    let text = text.replace("version = 1", &format!("version = {version}"));
    Protocol::parse(&text, &format!("# Guideline {version}\n")).expect("a protocol")
}

fn first_item(study: &Study, queue: &Queue, protocol: &Protocol) -> (ItemId, crate::text::hash::Fingerprint) {
    let loaded = study.file.load(queue.annotator, protocol, 0).expect("loaded");
    (loaded.item.id, loaded.item.texts())
}

#[test]
fn versions_come_in_order_and_the_newest_counts() {
    let mut study = Study::with(&corpus());
    assert_eq!(study.file.add_protocol(&own(2)), Ok(AddedProtocol::New));
    assert_eq!(study.file.add_protocol(&own(2)), Ok(AddedProtocol::Known));
    let told = study.file.add_protocol(&own(1)).expect_err("older").to_string();
    assert!(told.contains("has version 2 of \"mine\", and this is version 1"), "{told}");
    assert_eq!(study.file.add_protocol(&own(3)), Ok(AddedProtocol::NewVersion));
    assert_eq!(study.file.protocol("mine").expect("read"), Some(own(3)));
    assert_eq!(study.file.own_protocols().expect("read"), [own(3)]);
    let texts = study.file.protocol_texts().expect("read");
    assert_eq!(texts.iter().map(|text| text.version).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(study.file.add_protocol(coverage()), Ok(AddedProtocol::Known));
    assert_eq!(study.file.own_protocols().expect("read").len(), 1, "a built-in one is not the study's");
}

#[test]
fn a_new_version_opens_the_items_again_and_the_caches_know_it() {
    let mut study = Study::with(&corpus());
    study.file.add_protocol(&own(1)).expect("added");
    let queue = study.file.open_queue("alice", &own(1)).expect("opened");
    let (item, texts) = first_item(&study, &queue, &own(1));
    let answer = |study: &mut Study, protocol: &Protocol, what, now| {
        study.file.append(queue.annotator, protocol, item, texts, &[(what, 5)], now).expect("appended")
    };
    answer(&mut study, &own(1), choose("full"), 10);
    assert_eq!(answer(&mut study, &own(1), link(1), 20).progress.judged, 1);

    study.file.add_protocol(&own(2)).expect("added");
    let again = study.file.open_queue("alice", &own(2)).expect("opened");
    assert_eq!((again.progress.judged, again.progress.total), (0, queue.progress.total));
    let loaded = study.file.load(queue.annotator, &own(2), 0).expect("loaded");
    assert_eq!(loaded.standing.answers.len(), 2, "what was said stays to be seen");
    assert!(loaded.standing.is_stale(own(2).hash, texts));
    let counts = |study: &Study| {
        let counts = study.file.judgments_by_version("mine").expect("read");
        counts.iter().map(|count| (count.version, count.judgments)).collect::<Vec<_>>()
    };
    assert_eq!(counts(&study), [(1, 1)]);
    let rows = |study: &Study, versions| {
        let material = study.file.material(&own(2), versions).expect("read");
        material.rows().iter().filter(|row| row.counts()).count()
    };
    assert_eq!((rows(&study, VersionsRead::Only(2)), rows(&study, VersionsRead::All)), (0, 1));
    let material = study.file.material(&own(2), VersionsRead::Only(2)).expect("read");
    let why = material.why_uncounted(&material.rows()[0]);
    assert_eq!(why.as_deref(), Some("stale, given under version 1"));

    let appended = answer(&mut study, &own(2), choose("none"), 30);
    assert_eq!((appended.progress.judged, appended.standing.answers.len()), (1, 1), "judged anew");
    assert_eq!(counts(&study), [(2, 1)]);
    assert_eq!((rows(&study, VersionsRead::Only(2)), rows(&study, VersionsRead::Only(1))), (1, 0));
    let kept = all_caches(&study.file);
    study.file.rebuild_caches().expect("rebuilt");
    assert_eq!(all_caches(&study.file), kept);
}

#[test]
fn other_words_under_the_same_number_are_the_same_version_of_a_built_in_protocol() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let (item, texts) = first_item(&study, &queue, coverage());
    let before = Protocol::parse(&coverage().file_text.replace("Covered?", "Said?"), "").expect("a protocol");
    let what = [(choose("none"), 5)];
    study.file.append(queue.annotator, &before, item, texts, &what, 10).expect("appended");
    let events = study.file.events(queue.annotator, item).expect("read");
    let standing = fold_under(&events, coverage());
    assert_eq!(standing.state(coverage()), ItemState::Judged);
    assert!(!standing.is_stale(coverage().hash, texts));
    study.file.rebuild_caches().expect("rebuilt");
    assert!(study.file.judgments_under_other_versions(coverage()).expect("read").is_empty());
    let material = study.file.material(coverage(), VersionsRead::Only(1)).expect("read");
    assert_eq!(material.rows().len(), 1);
    assert!(study.file.protocol_texts().expect("read").is_empty());
}

#[test]
fn what_was_judged_while_two_questions_had_keys_of_their_own_stays_judged() {
    let now = builtin("faithfulness").expect("built in");
    let (first, second) = now.file_text.split_once("key = \"comprehensive\"").expect("two questions");
    let second = second.replace("key = \"n\"", "key = \"x\"").replace("key = \"p\"", "key = \"l\"");
    let second = second.replace("key = \"y\"", "key = \"f\"");
    let before = Protocol::parse(&format!("{first}key = \"comprehensive\"{second}"), "").expect("a protocol");
    assert_ne!(before.hash, now.hash);
    let keys = |protocol: &Protocol, question: usize| -> String {
        protocol.questions[question].choices().iter().map(|choice| choice.key).collect()
    };
    assert_eq!((keys(&before, 1), keys(now, 0), keys(now, 1)), ("xlf".into(), "npy".into(), "npy".into()));

    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", now).expect("opened");
    let (item, texts) = first_item(&study, &queue, now);
    for (question, value) in [("faithful", "yes"), ("comprehensive", "partially")] {
        let answer = Answer::Text(value.to_owned());
        let what = [(Happening::Answer { question: question.to_owned(), answer }, 5)];
        study.file.append(queue.annotator, now, item, texts, &what, 10).expect("appended");
    }
    // The version as a program with the earlier text wrote it.
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    study.force(&format!(
        "UPDATE protocol_version SET hash = x'{}', file = CAST(x'{}' AS TEXT)",
        hex(&before.hash.0),
        hex(before.file_text.as_bytes())
    ));
    let again = study.file.open_queue("alice", now).expect("opened");
    assert_eq!((again.progress.judged, again.progress.total), (1, queue.progress.total));
    assert_eq!(study.file.protocol("faithfulness").expect("read").as_ref(), Some(now), "with today's keys");
    let loaded = study.file.load(queue.annotator, now, 0).expect("loaded");
    assert_eq!(loaded.standing.answers_under(now.hash).len(), 2);
    assert!(!loaded.standing.is_stale(now.hash, texts));
    assert!(study.file.judgments_under_other_versions(now).expect("read").is_empty());
}

#[test]
fn a_protocol_record_must_be_what_it_says_and_leaves_nothing_when_refused() {
    let mut study = Study::with(&corpus());
    let before = study.bytes();
    let record = |name: &str, version: u32, protocol: &Protocol| json!({"type":"protocol","name":name,"version":version,"text":protocol.file_text});
    for (bad, expected) in [
        (record("yours", 1, &own(1)), "name: the name in the text of protocol \"yours\" is another"),
        (record("mine", 2, &own(1)), "version: the version in the text of protocol \"mine\" is another"),
        (
            record(
                "coverage",
                2,
                &Protocol { file_text: coverage().file_text.replace("version = 1", "version = 2"), ..own(1) },
            ),
            "haymark has a protocol \"coverage\" of its own",
        ),
        (
            json!({"type":"protocol","name":"mine","version":1,"text":"name = 3"}),
            "text: the protocol \"mine\" is wrong: line 1: \"name\" of the protocol must be a string",
        ),
    ] {
        let told = study.import(&[bad]).expect_err(expected).to_string();
        assert!(told.contains(expected), "{told}");
        assert_eq!(study.bytes(), before);
    }
    // A version that comes in amid judgments is the current one from there on.
    study
        .import(&[
            record("mine", 1, &own(1)),
            judgment(json!({"protocol":"mine"})),
            record("mine", 2, &own(2)),
            judgment(json!({"protocol":"mine","unit":"tea"})),
            judgment(json!({"protocol":"mine","version":1,"candidate":"c2","answers":{"coverage":"none"}})),
        ])
        .expect("imported");
    let counts = study.file.judgments_by_version("mine").expect("read");
    assert_eq!(
        counts.iter().map(|count| (count.version, count.judgments)).collect::<Vec<_>>(),
        [(1, 2), (2, 1)]
    );
    let kept = all_caches(&study.file);
    study.file.rebuild_caches().expect("rebuilt");
    assert_eq!(all_caches(&study.file), kept);
}

/// A study's own protocols come first in an export, so that the study that it comes into gives the
/// same one, whatever was judged first.
#[test]
fn judgments_under_own_protocols_are_given_first() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({}))]).expect("imported");
    study.file.add_protocol(&own(1)).expect("added");
    study.import(&[judgment(json!({"protocol":"mine"}))]).expect("imported");
    let mut protocols = Vec::new();
    study
        .file
        .for_each_judgment(|judgment| {
            protocols.push(judgment.protocol);
            Ok(())
        })
        .expect("read");
    assert_eq!(protocols, ["mine", "coverage"]);
}
