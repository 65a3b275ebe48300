//! Loading items, and reading everything back as it came in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Study, answers_to, corpus, coverage, judgment};
use crate::error::Error;
use crate::protocol::{Answer, builtin};
use crate::store::StudyFile;
use crate::study::Record;

/// Everything in the file, as records in the order of an export.
fn export(file: &StudyFile) -> Vec<Value> {
    let mut records = Vec::new();
    let mut put = |kind: &str, record: Value| {
        let mut value = json!({ "type": kind });
        if let (Some(to), Value::Object(from)) = (value.as_object_mut(), record) {
            to.extend(from);
        }
        records.push(value);
    };
    let json = |record: serde_json::Result<Value>| record.expect("JSON");
    for (_, record) in file.collections().expect("read") {
        put("collection", json(serde_json::to_value(record)));
    }
    file.for_each_document(|_, record| {
        put("document", json(serde_json::to_value(record)));
        Ok(())
    })
    .expect("read");
    for (_, record) in file.queries().expect("read") {
        put("query", json(serde_json::to_value(record)));
    }
    for (_, record) in file.units().expect("read") {
        put("unit", json(serde_json::to_value(record)));
    }
    for (_, record) in file.candidates().expect("read") {
        put("candidate", json(serde_json::to_value(record)));
    }
    for (_, record) in file.annotators().expect("read") {
        put("annotator", json(serde_json::to_value(record)));
    }
    file.for_each_judgment(|record| {
        put("judgment", json(serde_json::to_value(record)));
        Ok(())
    })
    .expect("read");
    records
}

fn judged() -> Vec<Value> {
    let mut records = corpus();
    records.extend([
        judgment(json!({"annotator":"judge","candidate":"c2","answers":{"coverage":"full","bullet":[1]}})),
        judgment(json!({"unit":"tea","seconds":12.345,"at":"2026-01-05T09:30:00.25Z","comment":"看不懂\n?"})),
        judgment(json!({"answers":{"coverage":"partial","bullet":null},"flagged":true})),
        judgment(json!({"candidate":"c2","answers":{},"skipped":true})),
        json!({"type":"judgment","protocol":"keypoint","annotator":"alice","unit":"tea","query":"stress",
               "answers":{"grounded":"yes","validity":"agree"},"seconds":3}),
    ]);
    records
}

#[test]
fn what_is_exported_and_imported_is_exported_the_same() {
    let first = Study::with(&judged());
    let once = export(&first.file);
    assert_eq!(once.len(), judged().len());
    let second = Study::with(&once);
    let twice = export(&second.file);
    let bytes = |records: &[Value]| serde_json::to_string(records).expect("JSON");
    assert_eq!(bytes(&twice), bytes(&once));
}

#[test]
fn records_come_back_as_they_were() {
    let study = Study::with(&judged());
    let exported = export(&study.file);
    for record in corpus() {
        let same = exported.iter().any(|other| match (super::record(&record), super::record(other)) {
            // The collection may have been left out, and gold documents come by number.
            (Ok(Record::Unit(mut before)), Ok(Record::Unit(after))) => {
                before.collection = "exam".into();
                if let Some(documents) = &mut before.documents {
                    documents.sort();
                }
                before == after
            }
            (Ok(Record::Candidate(mut before)), Ok(Record::Candidate(after))) => {
                before.collection = "exam".into();
                before == after
            }
            (Ok(before), Ok(after)) => before == after,
            _ => false,
        });
        assert!(same, "{record} in {exported:#?}");
    }
    let judgments: Vec<&Value> = exported.iter().filter(|record| record["type"] == "judgment").collect();
    let order: Vec<String> = judgments
        .iter()
        .map(|record| {
            format!(
                "{} {} {} {}",
                record["protocol"], record["annotator"], record["candidate"], record["unit"]
            )
        })
        .collect();
    assert_eq!(
        order,
        [
            "\"coverage\" \"alice\" \"c1\" \"pomodoro\"",
            "\"coverage\" \"alice\" \"c1\" \"tea\"",
            "\"coverage\" \"alice\" \"c2\" \"pomodoro\"",
            "\"coverage\" \"judge\" \"c2\" \"pomodoro\"",
            "\"keypoint\" \"alice\" null \"tea\"",
        ]
    );
    assert_eq!(
        judgments[1],
        &judgment(
            json!({"unit":"tea","seconds":12.345,"at":"2026-01-05T09:30:00.25Z","comment":"看不懂\n?"})
        )
    );
    assert_eq!(judgments[0]["answers"], json!({"coverage":"partial","bullet":null}));
    assert_eq!(judgments[3]["answers"]["bullet"], json!([1]), "a list of one stays a list");
}

#[test]
fn answers_come_by_item() {
    let study = Study::with(&judged());
    let answers: Vec<Answer> =
        answers_to(&study.file, coverage(), "bullet").into_iter().map(|(_, answer)| answer).collect();
    assert_eq!(
        answers,
        [Answer::Nothing, Answer::Bullet(2), Answer::Bullets(vec![1])],
        "in the order of the corpus"
    );
    assert_eq!(answers_to(&study.file, coverage(), "mood"), []);
    assert_eq!(answers_to(&study.file, builtin("match").expect("built in"), "said_by"), []);
    assert_eq!(study.file.items("coverage").expect("read").len(), 3);
    assert_eq!(study.file.protocol_names().expect("read"), ["coverage", "keypoint"]);
}

#[test]
fn an_item_comes_with_all_that_its_screen_shows() {
    let mut study = Study::with(&judged());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let loaded = (0..queue.progress.total)
        .map(|position| study.file.load(queue.annotator, coverage(), position).expect("loaded"))
        .find(|loaded| {
            loaded.item.keys.unit.as_deref() == Some("pomodoro")
                && loaded.item.keys.candidate.as_deref() == Some("c1")
        })
        .expect("in the queue");
    let item = &loaded.item;
    assert_eq!(item.relevant, Some(vec![1, 2]));
    assert_eq!(item.documents.len(), 3);
    let passages: Vec<(u32, &str)> = item
        .evidence
        .iter()
        .filter_map(|passage| {
            let document = item.document_numbered(passage.document)?;
            Some((passage.document, passage.span.slice(&document.text)))
        })
        .collect();
    assert_eq!(passages, [(1, "We slept"), (2, "5-minute break")]);
    assert_eq!(item.evidence[0].span.start(), 17, "the offset that came with the quote");
    assert!(loaded.standing.flagged);
    assert!(!loaded.standing.is_stale(coverage().hash, item.texts()), "imported under these texts");
    assert_eq!(loaded.group.len(), 2);
    assert_eq!(item.keys.item_key("coverage").0.to_vec(), key_of(&study.file, item.id.0));
}

fn key_of(file: &StudyFile, item: i64) -> Vec<u8> {
    file.connection
        .query_row("SELECT key FROM item WHERE id = ?1", [item], |row| row.get(0))
        .expect("an item")
}

#[test]
fn documents_are_read_once_until_the_corpus_grows() {
    let mut study = Study::with(&corpus());
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    let documents = |study: &Study, position| {
        study.file.load(queue.annotator, coverage(), position).expect("loaded").item.documents
    };
    let first = documents(&study, 0);
    assert!(Arc::ptr_eq(&first, &documents(&study, 1)));
    study
        .import(&[json!({"type":"document","collection":"exam","id":"d4","number":4,"text":"new"})])
        .expect("imported");
    assert_eq!(documents(&study, 0).len(), 4);
}

#[test]
fn a_taker_can_stop_the_reading() {
    let study = Study::with(&judged());
    let mut taken = 0;
    let stopped = study.file.for_each_judgment(|_| {
        taken += 1;
        Err(Error::new("the pipe is closed"))
    });
    assert!(stopped.expect_err("stopped").to_string().ends_with("the pipe is closed"));
    assert_eq!(taken, 1);
}

#[test]
fn one_can_read_while_reading() {
    let study = Study::with(&judged());
    let mut seen = Vec::new();
    study
        .file
        .for_each_document(|id, _| {
            seen.push((id, study.file.queries()?.len()));
            Ok(())
        })
        .expect("read");
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|(_, queries)| *queries == 2));
}

#[test]
fn where_a_read_fails_what_was_handed_over_is_not_handed_over_again() {
    use crate::store::file::fault::Fault;
    let study = Study::with(&corpus());
    let failed = || {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        Fault::Sql(rusqlite::Error::SqliteFailure(code, None))
    };
    let (mut runs, mut got) = (0, Vec::new());
    let take = |number: u32| {
        got.push(number);
        Ok(())
    };
    let read = study.file.hand_over(take, |_, take| {
        runs += 1;
        for number in 0..5 {
            if number == runs + 1 && runs < 3 {
                return Err(failed());
            }
            take(number)?;
        }
        Ok(())
    });
    assert_eq!((read, runs, got), (Ok(()), 3, vec![0, 1, 2, 3, 4]));

    let mut runs = 0;
    let refused = study.file.hand_over(
        |_: u32| Err(Error::damaged("I will not")),
        |_, take| {
            runs += 1;
            Ok(take(1)?)
        },
    );
    assert_eq!((refused.expect_err("not taken").what(), runs), ("I will not", 1));
}

/// How many instructions SQLite takes to find the items of a protocol.
fn instructions(study: &mut Study, protocol: &str) -> u64 {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let count_one = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    study.file.connection.progress_handler(1, Some(count_one)).expect("counted");
    // A protocol without items is looked for as well.
    let _ = study.file.assignable(builtin(protocol).expect("built in"));
    study.file.connection.progress_handler(1, None::<fn() -> bool>).expect("ended");
    count.load(Ordering::Relaxed)
}

#[test]
fn a_protocol_reads_of_a_corpus_only_what_it_asks_about() {
    const QUERIES: usize = 500;
    let study = |lists: bool| {
        let mut records = Vec::new();
        for number in 0..QUERIES {
            let id = format!("q{number}");
            records.push(json!({"type":"collection","id":id}));
            records.push(json!({"type":"document","collection":id,"id":"d","number":1,"text":"Text."}));
            records.push(json!({"type":"query","collection":id,"id":id,"text":"Why?"}));
            let mut candidate = json!({"type":"candidate","collection":id,"query":id,"id":"a",
                "summarizer":"s","retriever":"r","text":"So it is.","meta":{"run":1}});
            if lists {
                candidate["cites"] = "list".into();
                records.push(json!({"type":"ranking","collection":id,"query":id,"retriever":"r",
                    "documents":[{"document":"d"}]}));
            }
            records.push(candidate);
        }
        Study::with(&records)
    };
    let [mut plain, mut listed] = [study(false), study(true)];
    // There are no units and no lists: that is known without a look at each question.
    for protocol in ["coverage", "keypoint", "retrieval"] {
        let count = instructions(&mut plain, protocol);
        assert!(count < QUERIES as u64, "{protocol}: {count}");
    }
    // Whoever judges whole answers reads no list that they cite, and whoever judges queries no answer. That no question has two
    // answers is seen by the answers' keys.
    let [whole, query, pair] =
        ["faithfulness", "refinement", "preference"].map(|protocol| instructions(&mut plain, protocol));
    assert_eq!(instructions(&mut listed, "faithfulness"), whole);
    assert!(query + QUERIES as u64 <= whole && 3 * pair < whole, "{query}, {pair}, {whole}");
}
