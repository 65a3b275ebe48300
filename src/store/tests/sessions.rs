//! Sessions: begun, killed, opened again, turned into candidates, written out and read back.

use serde_json::{Value, json};

use super::amend::{amendment, joined};
use super::{Study, choose, corpus, coverage, judgment};
use crate::journal::session::{Delta, DocumentChoice, Ending, MINUTE, SessionHappening, Setup};
use crate::store::{StoredSession, StudyFile};
use crate::study::{Act, AmendedKind, Annotator, AnnotatorKind, Meta, QueryId, Record};

fn setup() -> Setup {
    Setup {
        seed: 1,
        limit: 120 * MINUTE,
        order: vec![2, 1],
        shows_clock: true,
        insights: 2,
        ..Setup::default()
    }
}

fn query(study: &StudyFile, key: &str) -> QueryId {
    let all = study.session_queries().expect("read");
    all.into_iter().find(|one| one.query.id == key).expect("a query").id
}

fn edit(before: &str, after: &str) -> SessionHappening {
    SessionHappening::Edit(Delta::between(before, after).expect("a change"))
}

const SNAPSHOT: SessionHappening = SessionHappening::Snapshot { is_last: false };
const LAST: SessionHappening = SessionHappening::Snapshot { is_last: true };

/// A session of two snapshots and an end, in a study of its own.
pub(super) fn written() -> (Study, StoredSession) {
    let mut study = Study::with(&corpus());
    let stress = query(&study.file, "stress");
    let begun = study.file.begin_session("cem", stress, &setup(), 1_000).expect("begun");
    let happenings = [
        (SNAPSHOT, 10 * MINUTE),
        (edit("", "- Breaks [2]"), 11 * MINUTE),
        (SNAPSHOT, 20 * MINUTE),
        (edit("- Breaks [2]", "- Breaks [2]\n- Tea [1]"), 21 * MINUTE),
        (LAST, 24 * MINUTE + 30_000),
        (SessionHappening::Ended(Ending::Finished), 24 * MINUTE + 30_000),
    ];
    study.file.append_to_session(begun.head.id, &happenings, 2_000).expect("appended");
    let stored = study.file.session(begun.head.id).expect("read");
    (study, stored)
}

#[test]
fn what_was_appended_is_read_back() {
    let (study, stored) = written();
    assert_eq!((stored.head.annotator.as_str(), stored.head.query_key.as_str()), ("cem", "stress"));
    assert_eq!((stored.head.collection.as_str(), &stored.head.setup), ("exam", &setup()));
    let session = stored.session();
    assert_eq!(session.text, "- Breaks [2]\n- Tea [1]");
    assert_eq!((session.active, session.ended), (1_470_000, Some(Ending::Finished)));
    assert_eq!(session.wall, Some((1_000, 2_000)));
    assert_eq!(study.file.unfinished_session("cem", None).expect("read"), None);
    assert_eq!(study.file.sessions().expect("read"), [stored.head]);
}

#[test]
fn snapshots_are_candidates_of_the_query_and_wait_to_be_judged() {
    let (mut study, stored) = written();
    let candidates: Vec<_> =
        study.file.candidates().expect("read").into_iter().map(|(_, candidate)| candidate).collect();
    let own: Vec<_> =
        candidates.into_iter().filter(|one| one.summarizer.as_deref() == Some("human:cem")).collect();
    let seen: Vec<(&str, &Value)> = own.iter().map(|one| (one.text.as_str(), &one.meta["minute"])).collect();
    assert_eq!(
        seen,
        [
            ("", &json!(10)),
            ("- Breaks [2]", &json!(20)),
            // 24 minutes and a half.
            ("- Breaks [2]\n- Tea [1]", &json!(24.5)),
        ]
    );
    assert!(own.iter().all(|one| one.meta["session"] == stored.head.key.to_string()));
    assert_eq!(own, stored.candidates());
    // Two candidates of two insights and one of one before; three more of two insights now, none for their author.
    let before = 2 * 2 + 1;
    let other = study.file.open_queue("alice", coverage()).expect("opened");
    assert_eq!(other.progress.total, before + 2 * 3);
    let author = study.file.open_queue("cem", coverage()).expect("opened");
    assert_eq!(author.progress.total, before);
}

#[test]
fn a_queue_that_is_open_already_grows_by_a_snapshot() {
    let mut study = Study::with(&corpus());
    let before = study.file.open_queue("alice", coverage()).expect("opened").progress.total;
    let stress = query(&study.file, "stress");
    let begun = study.file.begin_session("cem", stress, &setup(), 1_000).expect("begun");
    study.file.append_to_session(begun.head.id, &[(SNAPSHOT, 10 * MINUTE)], 2_000).expect("appended");
    assert_eq!(study.file.open_queue("alice", coverage()).expect("opened").progress.total, before + 2);
}

#[test]
fn an_unfinished_session_is_found_and_goes_on() {
    let mut study = Study::with(&corpus());
    let (stress, sleep) = (query(&study.file, "stress"), query(&study.file, "sleep"));
    let begun = study.file.begin_session("cem", stress, &setup(), 5_000).expect("begun");
    study.file.append_to_session(begun.head.id, &[(edit("", "- A"), 700)], 5_100).expect("appended");
    let again = study.file.begin_session("cem", stress, &setup(), 6_000).expect_err("refused").to_string();
    assert!(again.contains("unfinished session"), "{again}");
    assert_eq!(study.file.unfinished_session("cem", Some(sleep)).expect("read"), None);
    assert_eq!(study.file.unfinished_session("alice", None).expect("read"), None);
    let found = study.file.unfinished_session("cem", None).expect("read").expect("one");
    assert_eq!(found, begun.head);

    // Another process opens the study, with a clock that is behind.
    let path = study.file.path().to_path_buf();
    let mut other = StudyFile::open(&path).expect("opened");
    let reopened = other.reopen_session(found.id, 10).expect("reopened");
    let session = reopened.session();
    assert_eq!((session.text.as_str(), session.active, session.openings), ("- A", 700, 2));
    other.append_to_session(found.id, &[(edit("- A", "- AB"), 900)], 20).expect("appended");
    let refused = study.file.append_to_session(found.id, &[(SessionHappening::Beat, 800)], 9_000);
    let refused = refused.expect_err("taken over").to_string();
    assert!(refused.contains("opened elsewhere"), "{refused}");
    assert_eq!(other.session(found.id).expect("read").session().text, "- AB");

    let end = [(LAST, 950), (SessionHappening::Ended(Ending::Finished), 950)];
    other.append_to_session(found.id, &end, 30).expect("ended");
    let over = other.reopen_session(found.id, 40).expect_err("over").to_string();
    assert!(over.contains("is over"), "{over}");
    let late = other.append_to_session(found.id, &[(SessionHappening::Beat, 1_000)], 50);
    let late = late.expect_err("over").to_string();
    assert!(late.contains("is over"), "{late}");
}

#[test]
fn a_model_writes_no_session() {
    let mut study = Study::with(&corpus());
    let stress = query(&study.file, "stress");
    let refused = study.file.begin_session("judge", stress, &setup(), 1).expect_err("a model").to_string();
    assert!(refused.contains("is a model"), "{refused}");
}

#[test]
fn queries_say_what_a_person_may_be_told() {
    let study = Study::with(&corpus());
    let queries = study.file.session_queries().expect("read");
    let told: Vec<(&str, usize, &[u32])> =
        queries.iter().map(|one| (one.query.id.as_str(), one.insights, one.relevant.as_slice())).collect();
    // "pomodoro" stands in d2 and d1, "tea" in d1; where "dark" stands is not known.
    assert_eq!(told, [("stress", 2, &[1, 2][..]), ("sleep", 1, &[][..])]);
}

#[test]
fn documents_are_chosen_and_shuffled() {
    let mut records = corpus();
    records.push(json!({"type":"query","collection":"exam","id":"ranked","text":"?",
        "meta":{"retriever":{"vector":{"d1":0.2,"d2":0.9,"d3":0.5}}}}));
    let study = Study::with(&records);
    let (stress, sleep, ranked) =
        (query(&study.file, "stress"), query(&study.file, "sleep"), query(&study.file, "ranked"));
    let sorted = |query, choice: &DocumentChoice, seed| {
        let mut order = study.file.session_order(query, choice, seed).expect("chosen");
        order.sort_unstable();
        order
    };
    assert_eq!(sorted(stress, &DocumentChoice::Relevant, 1), [1, 2]);
    assert_eq!(sorted(sleep, &DocumentChoice::All, 1), [1, 2, 3]);
    let unknown = study.file.session_order(sleep, &DocumentChoice::Relevant, 1).expect_err("not known");
    assert!(unknown.to_string().contains("--documents all"), "{unknown}");
    let orders: std::collections::BTreeSet<Vec<u32>> = (0..40)
        .map(|seed| study.file.session_order(sleep, &DocumentChoice::All, seed).expect("chosen"))
        .collect();
    assert_eq!(orders.len(), 6, "every order of three documents comes up");

    // By score: d2 with 6 + 3 words (the Chinese ones count by character), d3 with none, d1 with 6.
    let choice = |words| DocumentChoice::Retriever { name: "vector".into(), words };
    assert_eq!(sorted(ranked, &choice(9), 1), [2, 3]);
    assert_eq!(sorted(ranked, &choice(15), 1), [1, 2, 3]);
    assert_eq!(sorted(ranked, &choice(0), 1), [2], "one document in any case");
    let wrong = DocumentChoice::Retriever { name: "bm25".into(), words: 9 };
    let wrong = study.file.session_order(ranked, &wrong, 1).expect_err("no such").to_string();
    assert!(wrong.contains("vector"), "{wrong}");
}

#[test]
fn who_has_judged_a_summary_of_the_query_is_known() {
    let mut study = Study::with(&corpus());
    let (stress, sleep) = (query(&study.file, "stress"), query(&study.file, "sleep"));
    assert!(!study.file.has_judged_summaries("alice", stress).expect("read"));
    study.import(&[judgment(json!({}))]).expect("imported");
    assert!(study.file.has_judged_summaries("alice", stress).expect("read"));
    assert!(!study.file.has_judged_summaries("alice", sleep).expect("read"));
    assert!(!study.file.has_judged_summaries("cem", stress).expect("read"));
}

fn records(study: &Study) -> Vec<Value> {
    let mut records = Vec::new();
    let taken = study.file.for_each_session(|session| {
        let Value::Object(mut fields) = serde_json::to_value(&session).expect("JSON") else {
            panic!("an object");
        };
        fields.insert("type".into(), "session".into());
        records.push(Value::Object(fields));
        Ok(())
    });
    taken.expect("read");
    records
}

#[test]
fn a_session_comes_into_another_study_with_its_candidates() {
    let (study, stored) = written();
    let out = records(&study);
    let mut other = Study::with(&corpus());
    let missing = other.import(&out).expect_err("cem is not known").to_string();
    assert!(missing.contains("\"cem\""), "{missing}");
    let cem = json!({"type":"annotator","id":"cem","kind":"human"});
    let report = other.import(&[vec![cem], out.clone()].concat()).expect("imported");
    assert_eq!(report.added[&crate::study::RecordKind::Session], 1);
    assert_eq!(records(&other), out);
    let read = other.file.session(other.file.sessions().expect("read")[0].id).expect("read");
    assert_eq!(read.events, stored.events);
    let texts = |study: &Study| {
        let all = study.file.candidates().expect("read");
        all.into_iter().map(|(_, candidate)| candidate).collect::<Vec<_>>()
    };
    assert_eq!(texts(&other), texts(&study));
    let again = other.import(&out).expect("imported");
    assert_eq!(again.known[&crate::study::RecordKind::Session], 1);
}

#[test]
fn further_events_of_a_known_session_come_in_and_others_are_refused() {
    let (study, _) = written();
    let whole = records(&study).remove(0);
    let mut part = whole.clone();
    let writer = part["events"].as_object().expect("writers").keys().next().expect("one").clone();
    part["events"][&writer].as_array_mut().expect("events").truncate(4);
    let cem = json!({"type":"annotator","id":"cem","kind":"human"});
    let mut other = Study::with(&[corpus(), vec![cem, part]].concat());
    assert!(other.file.unfinished_session("cem", None).expect("read").is_some());
    other.import(std::slice::from_ref(&whole)).expect("imported");
    assert_eq!(records(&other), std::slice::from_ref(&whole));

    for (what, wrong) in [
        ("is another", {
            let mut wrong = whole.clone();
            wrong["events"][&writer][1][4] = json!({"is_last": true});
            wrong
        }),
        ("another annotator", {
            let mut wrong = whole.clone();
            wrong["annotator"] = json!("alice");
            wrong
        }),
        ("32 hexadecimal digits", {
            let mut wrong = whole.clone();
            wrong["id"] = json!("mine");
            wrong
        }),
        ("the setup cannot be read", {
            let mut wrong = whole.clone();
            wrong["setup"] = json!({"limit": "two hours"});
            wrong
        }),
    ] {
        let refused = other.import(&[wrong]).expect_err(what).to_string();
        assert!(refused.contains(what), "{refused}");
    }
}

#[test]
fn sessions_are_never_changed() {
    let (study, _) = written();
    for statement in
        ["UPDATE session_event SET active = 0", "DELETE FROM session_event", "DELETE FROM session"]
    {
        let refused = study.file.connection.execute(statement, []).expect_err(statement).to_string();
        assert!(refused.contains("append-only"), "{refused}");
    }
}

#[test]
fn a_session_is_a_record() {
    let value = records(&written().0).remove(0);
    assert!(matches!(super::record(&value), Ok(Record::Session(_))));
}

#[test]
fn another_name_is_the_same_person() {
    let (mut study, _) = written();
    let (stress, sleep) = (query(&study.file, "stress"), query(&study.file, "sleep"));
    study.answer("cem", 0, &[choose("none")], 3_000);
    study.file.begin_session("cem", sleep, &setup(), 4_000).expect("begun");
    let new = Annotator { id: "cemile".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    study.file.amend(&[joined("cem", "cemile")], Some(&new), false).expect("renamed");
    for name in ["cem", "cemile"] {
        let queue = study.file.open_queue(name, coverage()).expect("opened");
        assert_eq!(
            (queue.name.as_str(), queue.progress.total),
            ("cemile", 5),
            "own summaries are not offered"
        );
        let bytes = study.bytes();
        study.file.open_queue(name, coverage()).expect("opened");
        assert_eq!(study.bytes(), bytes, "the queue of {name} is there");
        let unfinished = study.file.unfinished_session(name, Some(sleep)).expect("read");
        assert_eq!(unfinished.expect("one").begun_as, "cem");
        let second = study.file.begin_session(name, sleep, &setup(), 5_000).expect_err("refused").to_string();
        assert!(second.contains("unfinished session"), "{second}");
        let has_judged =
            [stress, sleep].map(|query| study.file.has_judged_summaries(name, query).expect("read"));
        assert_eq!(has_judged.iter().filter(|has| **has).count(), 1);
    }
}

#[test]
fn what_is_withdrawn_is_no_task_of_a_session() {
    let mut study = Study::with(&corpus());
    let stress = query(&study.file, "stress");
    study.file.begin_session("cem", stress, &setup(), 1_000).expect("begun");
    let unfinished = |study: &Study| study.file.unfinished_session("cem", None).expect("read").is_some();
    let told = |study: &Study| -> Vec<(String, usize, Vec<u32>)> {
        let all = study.file.session_queries().expect("read").into_iter();
        all.map(|one| (one.query.id, one.insights, one.relevant)).collect()
    };
    let (stressed, sleep) = (("stress".to_owned(), 1, vec![1]), ("sleep".to_owned(), 1, vec![]));
    study.amend(amendment(Act::Withdraw, AmendedKind::Unit, "pomodoro"));
    assert_eq!(told(&study), [stressed, sleep.clone()], "\"tea\" stands in d1");
    assert_eq!(study.file.insights_in(stress, &[1, 2]).expect("read"), 1);
    assert!(unfinished(&study));
    study.amend(amendment(Act::Withdraw, AmendedKind::Query, "stress"));
    assert_eq!(told(&study), [sleep]);
    assert!(!unfinished(&study), "nobody goes on with a query that is withdrawn");
}

#[test]
fn a_session_offers_what_a_ranking_has_first() {
    let mut records = corpus();
    let documents = json!([{"document":"d3"},{"document":"d1"},{"document":"d2"}]);
    records.push(json!({"type":"ranking","query":"stress","retriever":"bm25","documents":documents}));
    let study = Study::with(&records);
    let stress = study.file.session_queries().expect("read").remove(0);
    assert_eq!(stress.retrievers, ["bm25"]);
    let first = |words| {
        let choice = DocumentChoice::Retriever { name: "bm25".into(), words };
        study.file.session_order(stress.id, &choice, 1).expect("chosen")
    };
    assert_eq!(first(1), [3]);
    assert_eq!(first(1_000).len(), 3);
}

/// One copy goes on and ends; the other is longer at it, and does not end.
#[test]
fn a_session_that_ended_in_one_copy_has_ended() {
    let mut study = Study::with(&corpus());
    let stress = query(&study.file, "stress");
    let begun = study.file.begin_session("cem", stress, &setup(), 1_000).expect("begun").head.id;
    let mut copy = Study::empty();
    copy.merge(&[&study]).expect("merged");
    let copied = copy.file.sessions().expect("read")[0].id;
    let ended = [
        (edit("", "- Breaks [2]"), MINUTE),
        (LAST, 2 * MINUTE),
        (SessionHappening::Ended(Ending::Finished), 2 * MINUTE),
    ];
    study.file.append_to_session(begun, &ended, 3_000).expect("appended");
    let reopened = copy.file.reopen_session(copied, 4_000).expect("opened");
    copy.file
        .append_to_session(reopened.head.id, &[(edit("", "- Tea [1]"), 9 * MINUTE)], 5_000)
        .expect("appended");
    let reports = study.merge(&[&copy]).expect("merged");
    let session = study.file.session(begun).expect("read").session();
    assert_eq!((session.text.as_str(), session.ended), ("- Breaks [2]", Some(Ending::Finished)));
    assert_eq!(session.edits_apart, 1);
    let told = "1 session went on in several copies of the study: the one that was ended counts, else the longest, and edits of \
                others are in no text: cem on \"stress\" (1 edit apart)";
    assert_eq!(reports[0].remarks, [told]);
}
