use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::study::{
    Annotator, AnnotatorKind, Aside, Assignment, Candidate, Collection, Document, Evidence, Judgment, Meta,
    ProtocolText, Query, Role, SortedPlace, Unit,
};

fn written(record: &Record) -> String {
    let mut out = Vec::new();
    write_record(&mut out, record).expect("memory can be written");
    String::from_utf8(out).expect("UTF-8")
}

fn sentence(line: &str) -> String {
    parse(line.as_bytes()).expect_err(line).to_string()
}

#[test]
fn the_lines_of_the_design_are_read() {
    let lines = [
        r#"{"type":"collection","id":"exam","title":"Three students prepare for an exam","domain":"conversation"}"#,
        r#"{"type":"document","collection":"exam","id":"d8","number":8,"title":"Tuesday evening","text":"…"}"#,
        r#"{"type":"query","collection":"exam","id":"stress","text":"What do they discuss?","category":"explanatory"}"#,
        r#"{"type":"unit","query":"stress","id":"pomodoro","kind":"insight","text":"…","documents":["d8"],"evidence":[{"document":"d8","quote":"…"}],"score":0.83}"#,
        r#"{"type":"candidate","query":"stress","id":"c1","summarizer":"gpt-4o","retriever":"oracle","order":"random","text":"- … [8]\n- …","cites":"list"}"#,
        r#"{"type":"ranking","query":"stress","retriever":"oracle","documents":[{"document":"d8","score":11.5,"meta":{"rank":1}}]}"#,
        r#"{"type":"annotator","id":"alice","kind":"human"}"#,
        r##"{"type":"protocol","name":"tone","version":2,"text":"name = 'tone'","guideline":"# Tone"}"##,
        r#"{"type":"map","name":"lab","text":"name = 'lab'"}"#,
        r#"{"type":"judgment","protocol":"coverage","annotator":"alice","unit":"pomodoro","candidate":"c1","answers":{"coverage":"full","bullet":2},"seconds":12.5,"at":"2026-01-05T09:30:00Z"}"#,
        r#"{"type":"adjudication","protocol":"coverage","annotator":"cem","unit":"pomodoro","candidate":"c1","answers":{"coverage":"full","bullet":2},"took":"alice","reason":"slip","note":"…","example":true,"seconds":3.5,"at":"2026-01-06T09:30:00Z"}"#,
        r#"{"type":"session","id":"000102030405060708090a0b0c0d0e0f","annotator":"cem","query":"stress","setup":{"seed":1},"events":{"00000000000000ff":[[1,1000,0,"open",{"after":null}],[2,1500,500,"view",[8,0.25]]]}}"#,
        r#"{"type":"assignment","protocol":"coverage","annotator":"alice","unit":"pomodoro","candidate":"c1","role":"shared","raters":3}"#,
        r#"{"type":"amendment","act":"join","of":"annotator","id":"alcie","into":"alice","by":"lena","why":"a slip","at":1767963612000}"#,
        r#"{"type":"import","source":"judgments.jsonl","content":"000102030405060708090a0b0c0d0e0f"}"#,
        r#"{"type":"journal","of":"judging","writer":"00000000000000ff","annotator":"alice","protocol":"coverage","version":"000102030405060708090a0b0c0d0e0f","collection":"exam","query":"stress","unit":"pomodoro","candidate":"c1","texts":"000102030405060708090a0b0c0d0e0f","at":1767963612000,"active":12500,"events":[[1,"answer",{"question":"coverage","answer":"full"}]]}"#,
    ];
    for (line, kind) in lines.into_iter().zip(RecordKind::ALL.iter().copied()) {
        let record = parse(line.as_bytes()).expect(line);
        assert_eq!(record.kind(), kind);
        let again = parse(written(&record).as_bytes()).expect("what was written");
        assert_eq!(again, record);
    }
}

#[test]
fn the_bytes_written_are_these() {
    let record = Record::Annotator(Annotator {
        id: "Zoë \"\u{1}\u{2028}中\\\n".into(),
        kind: AnnotatorKind::Human,
        meta: Meta::new(),
    });
    let expected =
        "{\"type\":\"annotator\",\"id\":\"Zoë \\\"\\u0001\u{2028}中\\\\\\n\",\"kind\":\"human\"}\n";
    assert_eq!(written(&record), expected);
}

#[test]
fn type_may_stand_anywhere_once() {
    let first = parse(br#"{"type":"annotator","id":"a","kind":"model","meta":{"type":1}}"#).expect("first");
    let last = parse(br#" { "id" : "a", "meta":{"type":1}, "kind":"model", "t\u0079pe":"annotator" } "#)
        .expect("last");
    assert_eq!(first, last);
    for line in [
        r#"{"type":"annotator","id":"a","kind":"model","type":"annotator"}"#,
        r#"{"id":"a","type":"annotator","kind":"model","type":"query"}"#,
    ] {
        assert!(sentence(line).contains("\"type\" stands twice"), "{}", sentence(line));
    }
}

#[test]
fn a_question_is_answered_once() {
    let line = r#"{"type":"judgment","protocol":"coverage","annotator":"a","unit":"u","candidate":"c","answers":{"coverage":"none","coverage":"full"}}"#;
    assert!(sentence(line).contains("\"coverage\" stands twice"), "{}", sentence(line));
}

#[test]
fn every_fault_is_a_sentence() {
    let check = |line: &str, expected: &str| assert_eq!(sentence(line), expected, "{line}");
    let types = "\"collection\", \"document\", \"query\", \"unit\", \"candidate\", \"ranking\", \"annotator\", \"protocol\", \"map\", \"judgment\", \"adjudication\", \"session\" and 4 more";
    check(r#"{"id":"a"}"#, &format!("\"type\" is missing; give every line one of {types}"));
    check("{}", &format!("\"type\" is missing; give every line one of {types}"));
    check(r#"{"type":null}"#, "type: expected a string, found null (column 12)");
    check(
        r#"{"type":"documnet","id":"a"}"#,
        &format!("type: there is no record of type \"documnet\"; known are {types}"),
    );
    check(r#"{"id":"a","type":"x"}"#, &format!("type: there is no record of type \"x\"; known are {types}"));
    check(
        r#"{"type":"document","collection":"é","id":"a","number":"8","text":""}"#,
        "number: expected a whole number from 0 to 4294967295, found the text \"8\" (column 57)",
    );
    check(r#"{"type":"collection"}"#, "\"id\" is missing (column 21)");
    check(
        r#"{"type":"collection","id":"a","mood":1}"#,
        "the field \"mood\" is not known (column 36); put fields of your own under \"meta\"",
    );
    assert!(sentence(r#"{"type":"judgment","mood":1}"#).starts_with(
        "the field \"mood\" is not known (column 25); remove it; known are \"protocol\", \"version\", \"annotator\","
    ));
    check(
        r#"{"type":"unit","query":"q","id":"u","kind":"k","text":"","evidence":[{"document":"d","quote":"","page":1}]}"#,
        "evidence[0]: the field \"page\" is not known (column 102); remove it; known are \"document\", \"quote\", \"start\"",
    );
    check(
        r#"{"type":"annotator","id":"a","kind":"robot"}"#,
        "kind: unknown variant `robot`, expected `human` or `model` (column 43)",
    );
    check(
        r#"{"type":"query","id":"a"#,
        "id: the text ends in the middle of a string (column 23); it was cut off; get it again",
    );
    assert!(sentence(r#"{"type":"collection","id":"a"} {}"#).contains("trailing characters (column 32)"));
    assert!(sentence("[1]").contains("expected an object with a \"type\", found a list"));
    assert!(sentence("\"type\"").contains("found the text \"type\""));
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"type":"collection","id":"a","meta":{{"a":{open}{close}}}}}"#);
    assert!(sentence(&deep).contains("more than 127 deep"));
    let error = parse(b"{\"type\":\"collection\",\"id\":\"\xc3\x28\"}").expect_err("no UTF-8").to_string();
    assert_eq!(error, "byte 28 is 0xc3, which is not UTF-8; convert the file to UTF-8");
}

fn text() -> impl Strategy<Value = String> {
    // Arbitrary characters, control characters, quotation marks, and none at all.
    prop_oneof![any::<String>(), "[\\x00-\\x1f\"\\\\\u{7f}\u{2028}\u{feff}😀é]{0,8}", Just(String::new())]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        finite().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("JSON has no other", |number| number.is_finite())
}

fn meta() -> impl Strategy<Value = Meta> {
    prop::collection::vec((text(), value()), 0..3).prop_map(|pairs| pairs.into_iter().collect::<Map<_, _>>())
}

fn maybe() -> impl Strategy<Value = Option<String>> {
    prop::option::of(text())
}

fn record() -> impl Strategy<Value = Record> {
    let collection = (text(), maybe(), maybe(), meta())
        .prop_map(|(id, title, domain, meta)| Record::Collection(Collection { id, title, domain, meta }));
    let document = (text(), text(), any::<u32>(), maybe(), text(), meta()).prop_map(
        |(collection, id, number, title, text, meta)| {
            Record::Document(Document { collection, id, number, title, text, meta })
        },
    );
    let query = (text(), text(), text(), maybe(), maybe(), meta()).prop_map(
        |(collection, id, text, category, domain, meta)| {
            Record::Query(Query { collection, id, text, category, domain, meta })
        },
    );
    let evidence = (text(), text(), prop::option::of(any::<u64>()))
        .prop_map(|(document, quote, start)| Evidence { document, quote, start });
    let unit = (
        (text(), text(), text(), text()),
        (maybe(), text(), prop::option::of(prop::collection::vec(text(), 0..3))),
        (prop::collection::vec(evidence, 0..3), prop::option::of(finite()), meta(), maybe()),
    )
        .prop_map(
            |(
                (collection, query, id, kind),
                (title, text, documents),
                (evidence, score, meta, candidate),
            )| {
                Record::Unit(Unit {
                    collection,
                    query,
                    id,
                    kind,
                    candidate,
                    title,
                    text,
                    documents,
                    evidence,
                    score,
                    meta,
                })
            },
        );
    let candidate = ((text(), text(), text(), text()), (maybe(), maybe(), maybe(), meta())).prop_map(
        |((collection, query, id, text), (summarizer, retriever, order, meta))| {
            Record::Candidate(Candidate {
                collection,
                query,
                id,
                summarizer,
                retriever,
                order,
                text,
                cites: None,
                meta,
            })
        },
    );
    let kind = prop_oneof![Just(AnnotatorKind::Human), Just(AnnotatorKind::Model)];
    let annotator =
        (text(), kind, meta()).prop_map(|(id, kind, meta)| Record::Annotator(Annotator { id, kind, meta }));
    let protocol = (text(), any::<u32>(), text(), text()).prop_map(|(name, version, text, guideline)| {
        Record::Protocol(ProtocolText { name, version, text, guideline })
    });
    // Boxed, so that the stack of a test has room for them all.
    prop_oneof![
        collection.boxed(),
        document.boxed(),
        query.boxed(),
        unit.boxed(),
        candidate.boxed(),
        annotator.boxed(),
        protocol.boxed(),
        judgment().boxed(),
        assignment().boxed(),
    ]
}

fn judgment() -> impl Strategy<Value = Record> {
    (
        (text(), text(), maybe(), maybe(), maybe()),
        (maybe(), maybe(), prop::option::of(any::<u32>()), prop::option::of(any::<u32>()), meta()),
        (prop::option::of(finite()), maybe(), maybe(), any::<bool>(), any::<bool>(), aside()),
    )
        .prop_map(|(names, target, (seconds, at, comment, flagged, skipped, aside))| {
            let (protocol, annotator, collection, query, document) = names;
            let (unit, candidate, bullet, version, answers) = target;
            let other = document.clone();
            let judgment = Judgment {
                protocol,
                version,
                annotator,
                collection,
                query,
                document,
                unit,
                candidate,
                bullet,
                other,
                answers,
                seconds,
                total: flagged,
                at,
                comment,
                flagged,
                skipped,
                aside,
                complete: flagged.then_some(skipped),
                sum: None,
                is_part: false,
            };
            Record::Judgment(if skipped { judgment.with_sum() } else { judgment })
        })
}

fn aside() -> impl Strategy<Value = Option<Aside>> {
    prop_oneof![Just(None), Just(Some(Aside::Calibration)), Just(Some(Aside::Repeat))]
}

fn assignment() -> impl Strategy<Value = Record> {
    let role = prop_oneof![Just(Role::Work), Just(Role::Shared), Just(Role::Calibration), Just(Role::Check)];
    (
        (text(), text(), maybe(), maybe(), maybe()),
        (maybe(), maybe(), prop::option::of(any::<u32>()), role, prop::option::of(any::<u32>())),
        (maybe(), meta(), maybe(), prop::option::of(finite()), any::<(bool, bool)>(), maybe()),
    )
        .prop_map(|(names, target, (known_from, known, explanation, pass, (must_pass, left), at))| {
            let (protocol, annotator, collection, query, document) = names;
            let (unit, candidate, bullet, role, raters) = target;
            let other = document.clone();
            Record::Assignment(Assignment {
                protocol,
                annotator,
                collection,
                query,
                document,
                unit,
                candidate,
                bullet,
                other,
                role,
                raters,
                known_from,
                known,
                explanation,
                pass,
                must_pass,
                left,
                sorted: raters.map(|place| SortedPlace { by: "-seconds".to_owned(), place }),
                aside: role.aside(),
                at,
                sum: None,
            })
        })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_and_written_again_as_the_same_bytes(record in record()) {
        let line = written(&record);
        prop_assert_eq!(line.matches('\n').count(), 1);
        let start = "{\"type\":\"";
        prop_assert!(line.ends_with('\n') && line.starts_with(start));
        let again = parse(line.as_bytes()).expect("what was written");
        prop_assert_eq!(written(&again), line);
        prop_assert_eq!(again, record);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn no_change_of_a_record_makes_it_panic(record in record(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut line = written(&record).into_bytes();
        let index = at.index(line.len());
        line[index] = byte;
        let _ = parse(&line);
        line.truncate(index);
        if let Err(error) = parse(&line) {
            let is_one_line = !error.to_string().contains('\n');
            prop_assert!(is_one_line);
        }
    }
}

#[test]
fn a_null_where_nothing_must_stand_is_nothing() {
    let line =
        json!({"type": "query", "collection": "c", "id": "q", "text": "", "category": null}).to_string();
    let record = parse(line.as_bytes()).expect("a query");
    assert!(!written(&record).contains("category"));
}
