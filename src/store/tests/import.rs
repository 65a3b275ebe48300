//! What comes in, what is known, what is refused.

use serde_json::{Value, json};

use super::amend::joined;
use super::{Study, answers_to, choose, corpus, coverage, import, judgment, link};
use crate::protocol::Answer;
use crate::store::work::assignments::MASKED;
use crate::store::{ImportOptions, ImportReport};
use crate::study::{Annotator, AnnotatorKind, Meta, RecordKind};

fn counts(of: &std::collections::BTreeMap<RecordKind, usize>) -> Vec<(&'static str, usize)> {
    of.iter().map(|(kind, count)| (kind.name(), *count)).collect()
}

fn whats(report: &ImportReport) -> Vec<String> {
    report.remarks.iter().map(|remark| format!("{}: {}", remark.place, remark.what)).collect()
}

/// The error on these records, which are imported after the corpus and change nothing.
fn refusal(records: &[Value]) -> String {
    let mut study = Study::with(&corpus());
    let before = study.bytes();
    let error = study.import(records).expect_err("refused").to_string();
    assert_eq!(study.bytes(), before, "{error}: the study is as it was");
    error
}

#[test]
fn everything_comes_in_once() {
    let mut study = Study::empty();
    let mut records = corpus();
    records.push(judgment(json!({})));
    let report = study.import(&records).expect("imported");
    let expected = [
        ("collection", 1),
        ("document", 3),
        ("query", 2),
        ("unit", 3),
        ("candidate", 3),
        ("annotator", 2),
        ("judgment", 1),
    ];
    assert_eq!(counts(&report.added), expected);
    assert_eq!((report.known.len(), report.left_out), (0, 0));
    assert_eq!(report.remarks, []);

    let before = study.bytes();
    let report = study.import(&records).expect("imported again");
    assert_eq!(counts(&report.known), expected);
    assert!(report.added.is_empty());
    assert_eq!(study.bytes(), before, "nothing new leaves the file alone");
}

#[test]
fn another_record_under_a_key_is_refused() {
    for (record, expected) in [
        (
            json!({"type":"collection","id":"exam","title":"Exam","domain":"news","meta":{"b":1,"a":[2.5,"x"]}}),
            "records.jsonl, line 1: collection \"exam\" is already there with another domain; \
             where this one is right, `haymark revise` puts the record right; else give it another id",
        ),
        (
            json!({"type":"document","collection":"exam","id":"d2","number":2,"text":"other"}),
            "document \"d2\" of collection \"exam\" is already there with another text",
        ),
        (
            json!({"type":"document","collection":"exam","id":"d9","number":2,"text":"x"}),
            "document \"d9\" of collection \"exam\" has number 2, which is that of \"d2\"",
        ),
        (
            json!({"type":"document","collection":"exam","id":"d9","number":0,"text":"x"}),
            "has number 0; count documents from 1",
        ),
        (
            json!({"type":"query","collection":"exam","id":"sleep","text":"Sleep?"}),
            "query \"sleep\" of collection \"exam\" is already there with another text",
        ),
        (
            json!({"type":"unit","query":"stress","id":"tea","kind":"insight","text":"Tea helps.","documents":["d2"]}),
            "unit \"tea\" of query \"stress\" is already there with other documents",
        ),
        (
            json!({"type":"candidate","query":"stress","id":"c2","summarizer":"haiku","text":"- Nothing"}),
            "candidate \"c2\" of query \"stress\" is already there with another summarizer",
        ),
        (
            json!({"type":"annotator","id":"alice","kind":"model"}),
            "annotator \"alice\" is already there with another kind",
        ),
        (json!({"type":"annotator","id":"","kind":"human"}), "\"id\" is empty"),
    ] {
        let error = refusal(&[record]);
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
        assert!(error.starts_with("records.jsonl, line 1: "), "{error}");
    }
}

#[test]
fn references_must_be_there() {
    for (record, expected) in [
        (
            json!({"type":"document","collection":"x","id":"d","number":1,"text":""}),
            "collection \"x\" is not in the study",
        ),
        (json!({"type":"query","collection":"x","id":"q","text":""}), "collection \"x\" is not in the study"),
        (
            json!({"type":"unit","query":"x","id":"u","kind":"insight","text":""}),
            "query \"x\" is not in the study",
        ),
        (
            json!({"type":"unit","query":"sleep","id":"u","kind":"insight","text":"","documents":["d7"]}),
            "document \"d7\" of collection \"exam\" is not in the study",
        ),
        (
            json!({"type":"unit","query":"sleep","id":"u","kind":"insight","text":"","evidence":[{"document":"d7","quote":"x"}]}),
            "document \"d7\" of collection \"exam\" is not in the study",
        ),
        (
            judgment(json!({"annotator":"bob"})),
            "annotator \"bob\" is not in the study; put {\"type\":\"annotator\"",
        ),
        (
            judgment(json!({"protocol":"covrage"})),
            "there is no protocol \"covrage\"; use one of: coverage, keypoint",
        ),
        (judgment(json!({"candidate":"c7"})), "candidate \"c7\" is not in the study"),
        (judgment(json!({"query":"sleep"})), "no query of the study has candidate \"c1\", unit \"pomodoro\""),
    ] {
        let error = refusal(&[record]);
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }
}

#[test]
fn judgments_that_make_no_sense_are_refused() {
    for (more, expected) in [
        (json!({"answers":{"coverage":"half"}}), "\"half\" is no answer to \"coverage\""),
        (json!({"answers":{"coverage":"full","bullet":4}}), "names bullet 4, but the candidate has 3"),
        (json!({"answers":{"coverage":true}}), "true is no answer to \"coverage\""),
        (json!({"answers":{"mood":"good"}}), "no question \"mood\""),
        (json!({"answers":{}}), "the judgment says nothing"),
        (json!({"document":"d1"}), "judges no document; leave out \"document\""),
        (json!({"candidate":null}), "judges a candidate, but none is named; add \"candidate\""),
        (json!({"seconds":-1.0}), "\"seconds\" is -1"),
        (json!({"at":"yesterday"}), "\"at\" is \"yesterday\", which is no time"),
    ] {
        let error = refusal(&[judgment(more)]);
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }
}

#[test]
fn breaches_of_a_rule_are_kept_and_noted() {
    let mut study = Study::with(&corpus());
    let records = [
        judgment(json!({"answers":{"coverage":"full"}})),
        judgment(json!({"candidate":"c2","answers":{"coverage":"none","bullet":1}})),
        json!({"type":"unit","query":"sleep","id":"cold","kind":"insight","text":"",
               "evidence":[{"document":"d3","quote":"not there"}]}),
    ];
    let report = study.import(&records).expect("kept");
    let remarks = whats(&report);
    assert_eq!(remarks.len(), 3);
    assert_eq!(
        remarks[0],
        "line 1: alice on candidate \"c1\", unit \"pomodoro\", query \"stress\", collection \"exam\": \
         \"bullet\" has no answer although it is asked"
    );
    assert!(remarks[1].contains("although it is not asked"), "{}", remarks[1]);
    assert!(remarks[2].contains("\"not there\" does not stand in document \"d3\""), "{}", remarks[2]);
    assert_eq!(answered(&study, "coverage"), [Answer::Text("full".into()), Answer::Text("none".into())]);
    assert_eq!(study.import(&records).expect("again").remarks, [], "said once");
}

/// A key point that alice found in the second document, with its one passage.
fn extraction(passage: Value) -> Value {
    judgment(json!({"protocol":"extraction","unit":null,"candidate":null,"document":"d2",
        "answers":{"points":[{"text":"Breaks help","passages":[passage]}]}}))
}

/// What alice, who is judging a human key point, says of the machine's.
fn matching(said_by: Value) -> Value {
    judgment(json!({"protocol":"match","unit":"hers","candidate":null,"answers":{"said_by":said_by}}))
}

fn points() -> Vec<Value> {
    let point = |query: &str, id: &str, kind: &str| json!({"type":"unit","query":query,"id":id,"kind":kind,"text":id});
    vec![
        point("stress", "hers", "human point"),
        point("stress", "its", "keypoint"),
        point("stress", "its other", "keypoint"),
        point("sleep", "elsewhere", "keypoint"),
    ]
}

#[test]
fn answers_that_name_what_is_not_there_are_refused() {
    for (said, expected) in [
        (
            matching(json!(["its", "nobody's"])),
            "\"said_by\" names unit \"nobody's\", which query \"stress\" does not have; import the unit first",
        ),
        (matching(json!(["elsewhere"])), "\"elsewhere\", which query \"stress\" does not have"),
        (
            matching(json!(["tea"])),
            "names unit \"tea\", which is of the kind \"insight\"; it chooses from units of the kind keypoint",
        ),
        (matching(json!(["hers"])), "\"hers\", which is the one that is judged; name other units only"),
        (matching(json!([2])), "[2] is no answer to \"said_by\""),
        (
            extraction(json!({"document":"d9","quote":"break"})),
            "\"points\" has a passage of document \"d9\", which collection \"exam\" does not have; import",
        ),
        (extraction(json!({"document":"d2"})), "is no answer to \"points\""),
    ] {
        let error = refusal(&[points(), vec![said]].concat());
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
        assert!(error.starts_with("records.jsonl, line 5: "), "{error}");
    }
    for fine in [json!(["its other", "its"]), json!(null)] {
        let mut study = Study::with(&[corpus(), points()].concat());
        assert_eq!(study.import(&[matching(fine)]).expect("units of the query").remarks, []);
    }
}

#[test]
fn passages_are_kept_wherever_they_stand_and_it_is_said() {
    // The text of d2 is "A 5-minute break after 25 minutes. 番茄钟。": "break" stands at byte 11, and
    // the last character before the end at 35 + 3 · 3.
    let hash = crate::protocol::Quote::text_hash("A 5-minute break after 25 minutes. 番茄钟。").to_string();
    let other = crate::protocol::Quote::text_hash("We  slept badly. We slept badly.").to_string();
    for (passage, expected) in [
        (json!({"document":"d2","start":11,"end":16,"quote":"break","hash":hash}), None),
        (json!({"document":"d2","start":44,"quote":"。"}), None),
        (json!({"document":"d2","quote":"break  after"}), None),
        (json!({"document":"d1","quote":"slept badly."}), None),
        (
            json!({"document":"d2","start":12,"quote":"break"}),
            Some("\"break\" of document \"d2\" does not stand there at byte 12"),
        ),
        // Only one space stands there, so this is no word for word quote from its first byte to its last.
        (
            json!({"document":"d2","start":11,"quote":"break  after"}),
            Some("\"break  after\" of document \"d2\" does not stand there at byte 11"),
        ),
        (
            json!({"document":"d2","start":9000,"quote":"。"}),
            Some("\"。\" of document \"d2\" does not stand there at byte 9000"),
        ),
        (json!({"document":"d3","quote":"x"}), Some("\"x\" of document \"d3\" does not stand there")),
        (
            json!({"document":"d2","start":11,"quote":"break","hash":other}),
            Some("\"break\" of document \"d2\" was selected in another text of it"),
        ),
        (
            json!({"document":"d2","start":4,"quote":"slept","hash":other}),
            Some("document \"d2\" was selected in another text of it and does not stand there at byte 4"),
        ),
    ] {
        let mut study = Study::with(&corpus());
        let report = study.import(&[extraction(passage.clone())]).expect("kept");
        assert_eq!(counts(&report.added), [("judgment", 1)]);
        let expected: Vec<String> = expected
            .map(|what| format!("line 1: alice on document \"d2\", query \"stress\", collection \"exam\": the passage {what}"))
            .into_iter()
            .collect();
        let remarks = whats(&report);
        assert_eq!(remarks.len(), expected.len(), "{passage}: {remarks:?}");
        for (remark, expected) in remarks.iter().zip(&expected) {
            let (place, what) = expected.split_once("the passage ").expect("a passage");
            assert!(remark.starts_with(place) && remark.ends_with(what), "{remark:?}, expected {expected:?}");
        }
    }
}

#[test]
fn bad_records_can_be_left_out() {
    let mut study = Study::with(&corpus());
    let records = [judgment(json!({"annotator":"bob"})), judgment(json!({})), json!({"type":"sing"})];
    let report = import(&mut study.file, &records, ImportOptions { skip_bad: true }).expect("the rest");
    assert_eq!((counts(&report.added), report.left_out), (vec![("judgment", 1)], 2));
    assert!(report.remarks.iter().all(|remark| remark.left_out));
    assert!(whats(&report)[1].starts_with("line 3: there is no type"), "{:?}", whats(&report));
}

#[test]
fn what_is_left_out_is_found_where_it_is_plain() {
    let mut study = Study::with(&corpus());
    let plain = judgment(json!({"collection":null,"query":null}));
    study.import(&[plain]).expect("the unit stands in one query");
    study
        .import(&[
            json!({"type":"collection","id":"second"}),
            json!({"type":"query","collection":"second","id":"stress","text":"?"}),
            json!({"type":"unit","collection":"second","query":"stress","id":"pomodoro","kind":"insight","text":"."}),
            json!({"type":"candidate","collection":"second","query":"stress","id":"c1","text":"- x\n- y"}),
        ])
        .expect("the same keys in another collection");
    let unit = json!({"type":"unit","query":"stress","id":"u","kind":"insight","text":""});
    let error = study.import(&[unit]).expect_err("two").to_string();
    assert!(error.contains("several collections have a query \"stress\"; add \"collection\""), "{error}");
    for (more, expected) in [
        (json!({"collection":null,"query":null}), "add \"query\", and \"collection\""),
        (json!({"collection":null}), "add \"collection\""),
    ] {
        let error = study.import(&[judgment(more)]).expect_err("several").to_string();
        assert!(error.contains("stands in several queries"), "{error}");
        assert!(error.ends_with(expected) || error.contains(expected), "{error}");
    }
    study.import(&[judgment(json!({"query":null}))]).expect("one query of that collection");
}

#[test]
fn a_document_may_be_left_out_where_there_is_no_choice() {
    let mut study = Study::with(&corpus());
    let point = |unit: &str, query: &str| {
        judgment(json!({"protocol":"keypoint","candidate":null,"unit":unit,"query":query,
            "answers":{"grounded":"no"}}))
    };
    study.import(&[point("tea", "stress")]).expect("one document");
    study.import(&[point("dark", "sleep")]).expect("documents unknown");
    let error = study.import(&[point("pomodoro", "stress")]).expect_err("two documents").to_string();
    assert!(error.contains("exactly one document; add \"document\""), "{error}");
    let mut documents = Vec::new();
    study
        .file
        .for_each_judgment(|judgment| {
            documents.push(judgment.document);
            Ok(())
        })
        .expect("read");
    assert_eq!(documents, [Some("d1".to_owned()), None]);
}

#[test]
fn a_bullet_is_named_with_its_candidate() {
    let bullet = |more: Value| {
        let mut fields = json!({"protocol":"attribution","unit":null,"bullet":1,"document":"d2",
            "answers":{"supported":"full"}});
        for (key, value) in more.as_object().expect("fields") {
            fields[key] = value.clone();
        }
        judgment(fields)
    };
    let mut study = Study::with(&corpus());
    let report = study.import(&[bullet(json!({}))]).expect("imported");
    assert_eq!(counts(&report.added), [("judgment", 1)]);
    assert_eq!(study.import(&[bullet(json!({}))]).expect("again").added.len(), 0);
    for (more, expected) in [
        (json!({"candidate":null}), "judges a candidate, but none is named; add \"candidate\""),
        (json!({"bullet":null}), "judges a bullet, but none is named; add \"bullet\""),
        (json!({"bullet":4}), "there is no bullet 4, the candidate has 3"),
        (json!({"unit":"tea"}), "judges no unit; leave out \"unit\""),
    ] {
        let error = refusal(&[bullet(more)]);
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }
}

#[test]
fn a_later_judgment_stays_current() {
    let mut study = Study::with(&corpus());
    let early = judgment(json!({"at":"2026-01-05T09:30:00Z"}));
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    study.import(std::slice::from_ref(&early)).expect("imported");
    let item = answers_to(&study.file, coverage(), "coverage")[0].0;
    let now = 1_800_000_000_000;
    let happenings = [(choose("partial"), 900), (link(1), 100)];
    let texts = crate::text::hash::fingerprint(["t"]);
    study.file.append(queue.annotator, coverage(), item, texts, &happenings, now).expect("appended");

    let report = study.import(&[early]).expect("the same file again");
    assert_eq!(counts(&report.known), [("judgment", 1)]);
    let other = judgment(json!({"at":"2026-01-06T09:30:00Z","answers":{"coverage":"none"}}));
    let report = study.import(&[other]).expect("an older judgment");
    assert_eq!(counts(&report.added), [("judgment", 1)]);
    assert!(whats(&report)[0].contains("alice has a later judgment"), "{:?}", whats(&report));
    assert_eq!(answered(&study, "coverage"), [Answer::Text("partial".into())]);
}

/// The answers to the question that occur, as the current judgments have them.
fn answered(study: &Study, question: &str) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for (_, answer) in answers_to(&study.file, coverage(), question) {
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    answers
}

#[test]
fn two_judgments_of_an_item_are_never_mixed() {
    let early = judgment(json!({"at":"2026-01-05T09:30:00Z"}));
    let late = judgment(json!({"at":"2026-01-06T09:30:00Z","answers":{"coverage":"none"}}));
    for file in [[early.clone(), late.clone()], [late, early]] {
        let mut study = Study::with(&corpus());
        study.import(&file).expect("imported");
        // The later judgment has no bullet, so the bullet of the earlier one is gone, whichever comes first.
        assert_eq!(answered(&study, "coverage"), [Answer::Text("none".into())]);
        assert_eq!(answered(&study, "bullet"), []);
    }
}

#[test]
fn a_file_that_judges_an_item_twice_is_known_the_second_time() {
    let bare = judgment(json!({"at":"2026-01-05T09:30:00Z","answers":{"coverage":"none"}}));
    let linked = judgment(json!({"at":"2026-01-06T09:30:00Z"}));
    for file in [[bare.clone(), linked.clone()], [linked, bare]] {
        let mut study = Study::with(&corpus());
        study.import(&file).expect("imported");
        let before = study.bytes();
        let report = study.import(&file).expect("imported again");
        assert_eq!((counts(&report.added), counts(&report.replaced)), (vec![], vec![]));
        assert_eq!(counts(&report.known), [("judgment", 2)]);
        assert_eq!(study.bytes(), before);
        assert_eq!(answered(&study, "bullet"), [Answer::Bullet(2)]);
    }
}

#[test]
fn a_judgment_that_stands_twice_before_another_is_known_the_second_time() {
    let bare = |at: serde_json::Value| judgment(json!({"at":at,"answers":{"coverage":"none"}}));
    let day = json!("2026-01-06T09:30:00Z");
    let linked = judgment(json!({"at":"2026-01-07T09:30:00Z"}));
    // The judgment in the middle changes nothing at first, and is an older one the second time.
    for middle in [bare(day.clone()), bare(json!(null))] {
        let file = [bare(day.clone()), middle, linked.clone()];
        let mut study = Study::with(&corpus());
        study.import(&file).expect("imported");
        let before = study.bytes();
        let report = study.import(&file).expect("imported again");
        assert_eq!((counts(&report.added), counts(&report.replaced)), (vec![], vec![]));
        assert_eq!(study.bytes(), before);
        assert_eq!(answered(&study, "coverage"), [Answer::Text("full".into())]);
    }
}

#[test]
fn two_judgments_of_one_time_in_one_file_are_refused() {
    for at in [json!(null), json!("2026-01-06T09:30:00Z")] {
        let full = judgment(json!({"at":at}));
        let none = judgment(json!({"at":at,"answers":{"coverage":"none"}}));
        let mut study = Study::with(&corpus());
        let before = study.bytes();
        let error = study.import(&[full.clone(), none]).expect_err("nobody knows which one counts");
        assert!(error.to_string().contains("both are in this file"), "{error}");
        assert_eq!(study.bytes(), before);
        study.import(&[full.clone(), full]).expect("what is said twice is said");
    }
}

#[test]
fn a_judgment_that_files_give_with_other_seconds_or_without_a_time_takes_time_once() {
    let at = json!("2026-01-06T09:30:00Z");
    let with = |at: &serde_json::Value, seconds: f64| judgment(json!({"at":at,"seconds":seconds}));
    let later = json!("2026-01-07T09:30:00Z");
    let all = [with(&at, 10.04), with(&at, 10.0), with(&json!(null), 99.0), with(&later, 5.0)];
    for files in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let mut study = Study::with(&corpus());
        files.iter().for_each(|file| {
            study.import(std::slice::from_ref(&all[*file])).expect("imported");
        });
        let times = study.file.active_times("coverage").expect("read");
        let times: Vec<u64> = times.iter().map(|time| time.milliseconds).collect();
        assert_eq!(times, [15_040], "{files:?}");
    }
}

#[test]
fn a_judgment_without_a_bullet_takes_the_bullet_away() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({"at":"2026-01-05T09:30:00Z"}))]).expect("imported");
    let later = judgment(json!({"at":"2026-01-06T09:30:00Z","answers":{"coverage":"none"}}));
    assert_eq!(study.import(&[later]).expect("imported").remarks, []);
    assert_eq!(answered(&study, "bullet"), []);
}

#[test]
fn what_is_said_of_strange_answers_and_names_stays_on_one_line() {
    let mut study = Study::with(&corpus());
    study.import(&[json!({"type":"annotator","id":"a\nb","kind":"human"})]).expect("a name is a name");
    // JSON escapes what is below a space, and lets delete and the C1 controls stand.
    let steering = "\u{7f}\u{9b}31m";
    let long = "x".repeat(1_000);
    for more in [
        json!({"answers":{"coverage":steering}}),
        json!({"answers":{"coverage":{steering:long}}}),
        json!({"annotator":steering}),
        json!({"annotator":"a\nb","answers":{"coverage":"none","bullet":1}}),
    ] {
        let said = match study.import(&[judgment(more)]) {
            Ok(report) => whats(&report).concat(),
            Err(error) => error.to_string(),
        };
        assert!(!said.is_empty() && !said.chars().any(char::is_control), "{said:?}");
        assert!(said.len() < 300, "{said}");
    }
}

#[test]
fn imported_judgments_count_in_a_queue_that_is_there() {
    let mut study = Study::with(&corpus());
    let total = study.file.open_queue("alice", coverage()).expect("opened").progress.total;
    assert_eq!(total, 5);
    study.import(&[judgment(json!({"flagged":true,"seconds":2.5}))]).expect("imported");
    let progress = study.file.open_queue("alice", coverage()).expect("opened").progress;
    assert_eq!((progress.judged, progress.flagged, progress.total), (1, 1, total));
}

#[test]
fn an_assignment_may_come_before_the_judgment_of_its_item() {
    let keys = json!({"query":"stress","unit":"pomodoro","candidate":"c1"});
    let mut assignment = json!({"type":"assignment","protocol":"coverage","annotator":"alice","role":"work"});
    assignment.as_object_mut().expect("an object").extend(keys.as_object().expect("an object").clone());
    let mut records = corpus();
    records.extend([assignment, judgment(json!({}))]);
    let report = Study::empty().import(&records).expect("a new study takes both");
    let added = counts(&report.added);
    assert!(added.contains(&("assignment", 1)) && added.contains(&("judgment", 1)), "{added:?}");
}

#[test]
fn an_assignment_that_came_home_masked_too_is_the_same() {
    let mut study = Study::with(&corpus());
    let assignment = json!({"type":"assignment","protocol":"coverage","annotator":"alice","role":"calibration",
        "collection":"exam","query":"stress","unit":"pomodoro","candidate":"c1","known":{"coverage":"none"}});
    study.import(std::slice::from_ref(&assignment)).expect("imported");
    let masked = format!(
        "INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
         SELECT 99, {MASKED}, annotator, item, kind, '{{\"role\":\"calibration\"}}', at FROM assignment_event"
    );
    study.write_otherwise(&masked);
    let new = Annotator { id: "alicia".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    for name in ["alice", "alicia"] {
        let mut again = assignment.clone();
        again["annotator"] = name.into();
        let document =
            json!({"type":"document","collection":"exam","id":name,"number":name.len()*10,"text":""});
        let report = study.import(&[document, again]).expect("imported");
        assert_eq!(counts(&report.added), [("document", 1)], "{name}");
        study.file.amend(&[joined("alice", "alicia")], Some(&new), false).ok();
    }
}
