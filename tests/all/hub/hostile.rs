//! A member who sends what no haymark writes. It is held, with her name, and everybody else works on.

use haymark::hub::{Hub, HubLink, HubMark, SentEvent};
use haymark::protocol::builtin;
use haymark::store::StudyFile;

use crate::harness::{Desk, Server};

/// A value of a body, as it travels: `src/store/hub/body.rs`.
#[derive(Clone)]
enum Value {
    Null,
    Number(i64),
    Real(f64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
}

use Value::{Bytes, Null, Number, Real};

fn text(text: impl AsRef<[u8]>) -> Value {
    Value::Text(text.as_ref().to_vec())
}

fn body(kind: u8, values: &[Value]) -> Vec<u8> {
    let mut body = vec![1, kind];
    for value in values {
        match value {
            Null => body.push(0),
            Number(number) => {
                body.push(if *number < 0 { 2 } else { 1 });
                push_number(&mut body, if *number < 0 { !*number } else { *number });
            }
            Real(number) => {
                body.push(3);
                body.extend(number.to_le_bytes());
            }
            Value::Text(bytes) | Bytes(bytes) => {
                body.push(if matches!(value, Bytes(_)) { 5 } else { 4 });
                push_number(&mut body, i64::try_from(bytes.len()).expect("a length"));
                body.extend(bytes);
            }
        }
    }
    body
}

fn push_number(body: &mut Vec<u8>, number: i64) {
    let mut rest = number.cast_unsigned();
    while rest >= 0x80 {
        body.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    body.push(rest.to_le_bytes()[0]);
}

const SESSION: [u8; 16] = [9; 16];

fn item(query: &str, protocol: &str, bullet: Value) -> Vec<Value> {
    let [unit, candidate] = ["pomodoro", "stress-1"].map(text);
    vec![text(protocol), Null, text("exam"), text(query), Null, unit, candidate, bullet]
}

/// An act of one event.
struct Judged {
    kind: Value,
    item: Vec<Value>,
    version: Vec<u8>,
    said: Value,
    at: Value,
    active: Value,
    texts: Value,
}

impl Judged {
    fn says(kind: &str, said: impl AsRef<[u8]>) -> Judged {
        Judged {
            kind: text(kind),
            item: item("stress", "coverage", Null),
            version: builtin("coverage").expect("built in").hash.0.to_vec(),
            said: text(said),
            at: Number(1_700_000_000_000),
            active: Number(500),
            texts: Bytes(vec![7; 16]),
        }
    }

    fn body(self) -> Vec<u8> {
        let Judged { kind, item, version, said, at, active, texts } = self;
        let of_act = match &kind {
            Value::Text(kind) if kind == b"answer" || kind == b"adjudicate" => text(kind),
            _ => text("step"),
        };
        let row = vec![Bytes(version), at, active, texts, Number(0), kind, said];
        body(b'e', &[vec![of_act], item, row].concat())
    }
}

fn good() -> Judged {
    Judged::says("answer", r#"{"question":"coverage","answer":"full"}"#)
}

fn session(setup: &str) -> Vec<u8> {
    body(b'S', &[Bytes(SESSION.to_vec()), text("exam"), text("stress"), text(setup)])
}

const SETUP: &str = r#"{"seed":1,"limit":7200000,"documents":"relevant","order":[2,1],"shows_clock":true,"insights":2,"has_judged":false}"#;

fn in_session(kind: Value, said: &str, at: Value, active: Value) -> Vec<u8> {
    body(b's', &[Bytes(SESSION.to_vec()), kind, text(said), at, active])
}

fn imported(at: Value, active: Value, words: &[Value]) -> Vec<u8> {
    let version = Bytes(builtin("coverage").expect("built in").hash.0.to_vec());
    let row = vec![version, at, active, Bytes(vec![7; 16])];
    body(b'i', &[vec![Number(-77)], item("stress", "coverage", Null), row, words.to_vec()].concat())
}

/// What is sent, by name and journal, and whether it is held.
fn sent() -> Vec<(&'static str, u8, Vec<u8>, bool)> {
    let now = || Number(1_700_000_000_000);
    let answer = r#"{"question":"coverage","answer":"full"}"#;
    let file = &builtin("coverage").expect("built in").file_text;
    let said = |kind: &str, said: &str| [Number(0), text(kind), text(said)];
    let mut rows: Vec<(&'static str, u8, Vec<u8>, bool)> = vec![
        // Sessions first, as those behind them stand in one.
        ("a setup that is no JSON", b's', session("no JSON"), true),
        ("a setup of another shape", b's', session("[1,2]"), true),
        ("a limit below 0", b's', session(&SETUP.replace("7200000", "-5")), true),
        (
            "a limit of 300 million years",
            b's',
            session(&SETUP.replace("7200000", "9223372036854775807")),
            true,
        ),
        (
            "a session of a query that is not there",
            b's',
            { body(b'S', &[Bytes(vec![8; 16]), text("exam"), text("nothing"), text(SETUP)]) },
            true,
        ),
        (
            "an event of a session that is not there",
            b's',
            { body(b's', &[Bytes(vec![8; 16]), text("pause"), text("null"), now(), Number(1)]) },
            true,
        ),
        ("a session", b's', session(SETUP), false),
        (
            "its key is too short",
            b's',
            body(b'S', &[Bytes(vec![9; 3]), text("exam"), text("stress"), text(SETUP)]),
            true,
        ),
        ("an edit that makes no sense", b's', in_session(text("edit"), "{\"a\":1}", now(), Number(1)), true),
        ("a session's event without JSON", b's', in_session(text("edit"), "[0,", now(), Number(1)), true),
        ("a session's event at no time", b's', in_session(text("pause"), "null", Null, Number(1)), true),
        (
            "a session's event at a text",
            b's',
            in_session(text("pause"), "null", text("now"), Number(1)),
            true,
        ),
        ("work below 0 in a session", b's', in_session(text("pause"), "null", now(), Number(-1)), true),
        (
            "work of 300 million years in a session",
            b's',
            in_session(text("pause"), "null", now(), Number(i64::MAX)),
            true,
        ),
        ("a kind that is a number", b's', in_session(Number(3), "null", now(), Number(1)), true),
        (
            "an edit far behind the text",
            b's',
            in_session(text("edit"), "[18446744073709551615,1,\"x\"]", now(), Number(2)),
            false,
        ),
        ("a snapshot", b's', in_session(text("snapshot"), "{\"is_last\":true}", now(), Number(3)), false),
        // Judgments.
        ("an answer that is no JSON", b'e', Judged::says("answer", "full").body(), true),
        ("an answer of another shape", b'e', Judged::says("answer", "[]").body(), true),
        (
            "an answer that is true",
            b'e',
            Judged::says("answer", r#"{"question":"coverage","answer":true}"#).body(),
            true,
        ),
        ("a comment that is a number", b'e', Judged::says("comment", "3").body(), true),
        ("JSON that is 100,000 deep", b'e', Judged::says("comment", "[".repeat(100_000)).body(), true),
        ("a text that is no UTF-8", b'e', Judged::says("comment", b"\"\xff\xfe\"").body(), true),
        ("contents that are bytes", b'e', Judged { said: Bytes(b"\"x\"".to_vec()), ..good() }.body(), true),
        ("contents that are nothing", b'e', Judged { said: Null, ..good() }.body(), true),
        ("a kind that is bytes", b'e', Judged { kind: Bytes(b"answer".to_vec()), ..good() }.body(), true),
        ("a kind of 100,000 bytes", b'e', Judged { kind: text("k".repeat(100_000)), ..good() }.body(), true),
        ("a time that is a fraction", b'e', Judged { at: Real(f64::NAN), ..good() }.body(), true),
        ("a time of the year 292 million", b'e', Judged { at: Number(i64::MAX), ..good() }.body(), true),
        ("a time before the world", b'e', Judged { at: Number(i64::MIN), ..good() }.body(), true),
        ("work below 0", b'e', Judged { active: Number(-1), ..good() }.body(), true),
        ("work of 300 million years", b'e', Judged { active: Number(i64::MAX), ..good() }.body(), true),
        ("work that is nothing", b'e', Judged { active: Null, ..good() }.body(), true),
        ("texts of 3 bytes", b'e', Judged { texts: Bytes(vec![7; 3]), ..good() }.body(), true),
        ("texts that are a text", b'e', Judged { texts: text("7777777777777777"), ..good() }.body(), true),
        (
            "an item that is not there",
            b'e',
            Judged { item: item("nothing", "coverage", Null), ..good() }.body(),
            true,
        ),
        (
            "a protocol that is not there",
            b'e',
            Judged { item: item("stress", "sorcery", Null), ..good() }.body(),
            true,
        ),
        (
            "a bullet below 0",
            b'e',
            Judged { item: item("stress", "coverage", Number(-1)), ..good() }.body(),
            true,
        ),
        (
            "a bullet of 2^40",
            b'e',
            Judged { item: item("stress", "coverage", Number(1 << 40)), ..good() }.body(),
            true,
        ),
        ("a version that is not there", b'e', Judged { version: vec![3; 16], ..good() }.body(), true),
        ("a version of 3 bytes", b'e', Judged { version: vec![3; 3], ..good() }.body(), true),
        (
            "work of 300 million years in a verdict",
            b'e',
            { Judged::says("adjudicate", r#"{"answers":{},"active":9223372036854775807}"#).body() },
            true,
        ),
        ("a verdict, which is a lead's", b'e', Judged::says("adjudicate", r#"{"answers":{}}"#).body(), true),
        (
            "an import that settles something",
            b'e',
            imported(now(), Number(1), &said("adjudicate", r#"{"answers":{}}"#)),
            true,
        ),
        ("one value too many", b'e', [good().body(), vec![0]].concat(), true),
        (
            "a value that ends in the middle",
            b'e',
            {
                let mut body = good().body();
                body.truncate(body.len() - 4);
                body
            },
            true,
        ),
        ("a length of 2^62", b'e', [vec![1, b'e', 4], vec![0xff; 8], vec![0x7f]].concat(), true),
        ("a type of value that there is not", b'e', vec![1, b'e', 99], true),
        ("another form", b'e', vec![200, b'e', 0], true),
        ("a kind of thing that there is not", b'e', vec![1, b'?', 0], true),
        ("nothing", b'e', Vec::new(), true),
        ("an assignment in the coat of a judgment", b'e', body(b'a', &[text("assign")]), true),
        (
            "a question that there is not",
            b'e',
            Judged::says("answer", r#"{"question":"mood","answer":"blue"}"#).body(),
            true,
        ),
        (
            "an answer that is no choice",
            b'e',
            Judged::says("answer", r#"{"question":"coverage","answer":"blue"}"#).body(),
            true,
        ),
        (
            "a bullet that there is not",
            b'e',
            Judged::says("answer", r#"{"question":"bullet","answer":4294967295}"#).body(),
            false,
        ),
        (
            "an undoing of what is not there",
            b'e',
            Judged::says("retract", r#"{"writer":"7fffffffffffffff","seq":9223372036854775807}"#).body(),
            false,
        ),
        ("a kind of a newer haymark", b'e', Judged::says("sing", r#"{"x":1}"#).body(), false),
        ("a kind with another letter", b'e', Judged::says("viZit", r#"{"x":1}"#).body(), true),
        (
            "a kind of a session with another letter",
            b's',
            in_session(text("elit"), "[]", now(), Number(1)),
            true,
        ),
        (
            "work of a day, on texts of another study",
            b'e',
            Judged { active: Number(86_400_000), ..good() }.body(),
            false,
        ),
        ("work of more than a day", b'e', Judged { active: Number(86_400_001), ..good() }.body(), true),
        (
            "an import of more than a day, as of a tool that counts how long an item was open",
            b'e',
            imported(now(), Number(86_400_001), &said("answer", answer)),
            false,
        ),
        // Imports and versions.
        ("an import that says nothing", b'e', imported(now(), Number(1), &[]), true),
        ("an import without JSON", b'e', imported(now(), Number(1), &said("answer", "full")), true),
        ("an import that makes no sense", b'e', imported(now(), Number(1), &said("answer", "[]")), true),
        (
            "an import at a time of the year 292 million",
            b'e',
            imported(Number(i64::MAX), Number(1), &said("answer", answer)),
            true,
        ),
        ("an import of work below 0", b'e', imported(now(), Number(-1), &said("answer", answer)), true),
        (
            "an import whose numbers run over",
            b'e',
            {
                let far = |kind: &str| [Number((1 << 40) - 1), text(kind), text("true")];
                imported(now(), Number(1), &[said("flag", "true"), far("flag"), far("skip")].concat())
            },
            true,
        ),
        (
            "a version that is no protocol",
            b'e',
            body(b'V', &[text("coverage"), Number(1), text("no protocol")]),
            true,
        ),
        ("a version of another number", b'e', body(b'V', &[text("coverage"), Number(77), text(file)]), true),
    ];
    // A comment that is nearly as long as an event may be, which is an honest one.
    rows.push((
        "a long comment",
        b'e',
        Judged::says("comment", format!("\"{}\"", "x".repeat(1_000_000))).body(),
        false,
    ));
    rows
}

/// A study on a hub, in its lead's file, and the link of somebody who was invited.
fn room(server: &Server) -> (Desk, HubLink) {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let url = server.url(&server.lead);
    desk.out(&["hub", "create", &url, "study.db", "--as", "lena", "--show-systems"]);
    let mallory = server.annotator(&mut server.link(&server.lead), "mallory");
    (desk, mallory)
}

#[test]
fn nothing_that_a_member_sends_stops_a_study() {
    let Some(server) = Server::find() else { return };
    let (desk, mut mallory) = room(&server);
    let sent = sent();
    for (seq, (what, journal, body, _)) in (1..).zip(&sent) {
        let (journal, body) = (*journal, body.clone());
        let event =
            SentEvent { writer: 31, seq, annotator: "mallory".into(), journal, at: None, item: None, body };
        mallory.send(&[event]).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    // Under the key of another item than it is about.
    let (item, body) = (Some(vec![9; 16]), good().body());
    let astray =
        SentEvent { writer: 32, seq: 1, annotator: "mallory".into(), journal: b'e', at: None, item, body };
    mallory.send(&[astray]).expect("the hub cannot tell");
    let told = desk.told(&["sync", "study.db"]);
    assert!(told.contains(" of mallory on the hub "), "{told}");
    let held = |name: &str| {
        let study = StudyFile::open(&desk.path(name)).expect("opened");
        let held = study.held_from_hub().expect("read");
        assert!(held.iter().all(|held| held.sender.as_deref() == Some("mallory")), "{held:?}");
        held.iter().map(|held| held.count).sum::<usize>()
    };
    assert_eq!(held("study.db"), 1 + sent.iter().filter(|(.., is_held)| *is_held).count());
    desk.out(&["hub", "join", &server.url(&server.lead), "-o", "again.db"]);
    assert_eq!(held("again.db"), held("study.db"));
    for study in ["study.db", "again.db"] {
        let commands: [&[&str]; 8] = [
            &["score", study],
            &["score", study, "--human"],
            &["agree", study],
            &["status", study],
            &["judges", study],
            &["export", study],
            &["session", "list", study],
            &["report", study, "--output", "report.html", "--force"],
        ];
        for command in commands {
            desk.out(command);
        }
        // It looks at all of it, also at what she did on texts that nobody has, and takes none of it for damage.
        let checked = desk.out(&["check", study]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(checked.contains("0 assignments of 0 annotators"), "{checked}");
        for what in [
            "given on other texts than stand here, by mallory",
            "do not fit the text before, by mallory",
            "that an import would refuse, by mallory",
        ] {
            assert!(checked.contains(what), "{what}: {checked}");
        }
    }
}

/// What is longer than an event may be, and more than a lead allows, stays where it is.
#[test]
fn no_member_fills_the_hub() {
    let Some(server) = Server::find() else { return };
    let (_desk, mut mallory) = room(&server);
    let event = |(seq, bytes): (i64, usize)| {
        let body = vec![1; bytes];
        SentEvent { writer: 31, seq, annotator: "mallory".into(), journal: b'e', at: None, item: None, body }
    };
    let mut send_all = |events: &[(i64, usize)]| {
        let events: Vec<SentEvent> = events.iter().copied().map(event).collect();
        mallory.send(&events).map_err(|error| error.to_string())
    };
    let mut send = |seq: i64, bytes: usize| send_all(&[(seq, bytes)]);
    let refused = send(1, (1 << 20) + 1).expect_err("too long");
    assert!(refused.contains("an event has at most 1048576 bytes"), "{refused}");
    send(1, 1 << 20).expect("as long as may be");
    let mut lena = server.link(&server.lead);
    lena.limit("mallory", 3 << 20).expect("set");
    send(2, 1 << 20).expect("room");
    let refused = send(3, 1 << 20).expect_err("full");
    assert!(refused.contains("you may send 3 MB") && refused.contains("the lead allows more"), "{refused}");
    lena.limit("mallory", 4 << 20).expect("set");
    send(3, 1 << 20).expect("room again");
    // What there is room for comes in, whatever stands before it.
    let refused = send_all(&[(4, 900_000), (5, 500_000), (6, 100_000)]).expect_err("one is too much");
    assert!(refused.contains("no room for 1 of 3 events: you may send 4 MB"), "{refused}");
    let here = |of: &str| server.root().number(&format!("select {of} from hub.event where writer = 31"));
    assert_eq!((here("max(seq)"), here("count(*)")), (6, 5));
    // The head that she is told where all of a call is refused is one from which she can go on.
    let refused =
        mallory.exchange(&[event((7, 900_000))], HubMark::default(), 10).expect("refused, and told");
    assert!(refused.refused.is_some(), "no room");
    let fetched = mallory.exchange(&[], refused.head, 10).expect("from there");
    assert!(!fetched.is_rewound && fetched.rows.is_empty());
}

/// Whose groups count as done by what nobody can read is named, with what to do about it.
#[test]
fn what_is_settled_by_what_nobody_can_read_is_told() {
    let Some(server) = Server::find() else { return };
    let (desk, mut mallory) = room(&server);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--raters", "3"]);
    let hour = std::time::Duration::from_secs(3600);
    let taken = mallory.take("coverage", 2, hour).expect("taken");
    let keys: Vec<Vec<u8>> = taken.into_iter().map(|lease| lease.key).collect();
    assert_eq!(keys.len(), 2);
    let items = server
        .root()
        .rows("select unnest(items) from hub.grp join hub.lease using (study, grp) where state = 'h'");
    let empty = |(seq, row): (i64, &tokio_postgres::Row)| SentEvent {
        writer: 31,
        seq,
        annotator: "mallory".into(),
        journal: b'e',
        at: None,
        item: row.get(0),
        body: body(b'e', &[text("answer")]),
    };
    mallory.send(&(1..).zip(&items).map(empty).collect::<Vec<_>>()).expect("the hub cannot tell");
    mallory.settle("coverage", &keys, true).expect("nor here");
    assert_eq!(server.root().number("select count(*) from hub.lease where state = 'h'"), 0);
    desk.told(&["sync", "study.db"]);
    let told = desk.out(&["hub", "check", "study.db"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains(
            "2 groups of \"coverage\" are done on the hub by what mallory sent and nobody can read"
        ),
        "{told}"
    );
    let reopen = "assign STUDY --dynamic --protocol coverage --reopen mallory";
    assert!(told.contains(reopen), "{told}");
    let told = desk.told(&["status", "study.db"]);
    assert!(told.contains("of mallory on the hub is kept aside"), "{told}");
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--reopen", "mallory"]);
    assert!(!desk.out(&["hub", "check", "study.db"]).contains("are done on the hub"));
}
