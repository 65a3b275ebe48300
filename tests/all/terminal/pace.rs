//! Keys that come faster than frames: each belongs to the item that was on the screen, and none is drawn for itself.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

/// The unit that is asked about on the screen: its key, found by the beginning of its text.
fn unit_on_screen(home: &Desk, session: &Session) -> Value {
    let title = |row: &String| row.starts_with("─ Insight ");
    let rows = session.rows();
    let row = &rows[rows.iter().position(title).unwrap() + 1];
    let corpus = home.out(&["export", home.demo().to_str().unwrap(), "--what", "corpus"]);
    let mut records = corpus.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let starts = |record: &Value| {
        let text = record["text"].as_str().unwrap_or("");
        record["type"] == "unit" && text.starts_with(row.trim())
    };
    records.find(starts).unwrap()["id"].clone()
}

/// Types `keys` on the first item in one write, then looks where that led and what was stored.
fn check(keys: &str, header: &str, answers: &Value) {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    let unit = unit_on_screen(&home, &session);
    session.type_keys(keys).catch_up();
    assert!(session.shows(header), "{keys:?}: {:#?}", session.rows());
    session.quit();
    let stored = home.judgments(home.demo(), "coverage", "zoe");
    assert_eq!(stored.len(), 1, "{keys:?} stored {stored:?}");
    assert_eq!(stored[0]["answers"], *answers, "{keys:?}");
    assert_eq!(stored[0]["unit"], unit, "{keys:?}");
}

#[test]
fn a_label_and_an_arrow_at_once_lead_one_item_on() {
    let none = json!({"coverage": "none"});
    let full = json!({"coverage": "full", "bullet": 2});
    check(&format!("x{RIGHT}"), "item 2 of 119 · 1 judged", &none);
    check("x\r", "item 2 of 119 · 1 judged", &none);
    check(&format!("f2{RIGHT}"), "item 2 of 119 · 1 judged", &full);
}

#[test]
fn a_label_and_the_way_back_at_once_lead_to_the_item_before() {
    let none = json!({"coverage": "none"});
    check(&format!("x{LEFT}"), "item 1 of 119 · 1 judged", &none);
}

#[test]
fn a_held_key_answers_once() {
    let none = json!({"coverage": "none"});
    check("xxxxx", "item 2 of 119 · 1 judged", &none);
    check("xp", "item 2 of 119 · 1 judged", &none);
    check("xs", "item 2 of 119 · 1 judged", &none);
}

/// Judges items with a key that is held for a while each time; each time one item is judged, and no further one.
fn check_held(let_go: &str, repeats: [usize; 6]) {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.type_keys(let_go).catch_up();
    for (judged, repeats) in (1..).zip(repeats) {
        let header = format!("item {} of 119 · {judged} judged", judged + 1);
        session.answer("x", &header);
        std::thread::sleep(Duration::from_millis(250));
        session.type_keys(&"x".repeat(repeats)).catch_up();
        session.type_keys(let_go).wait_for(&header);
    }
    session.quit();
    let stored = home.judgments(home.demo(), "coverage", "zoe");
    let is_judged = |judgment: &&Value| judgment["answers"] == json!({"coverage": "none"});
    assert_eq!(stored.iter().filter(is_judged).count(), repeats.len());
}

#[test]
fn a_key_that_is_held_for_long_judges_one_item() {
    check_held("", [0, 2, 9, 3, 40, 2]);
    // A terminal that tells when the key is let go of: even one repetition is none of a person's.
    check_held("\x1b[120;1:3u", [0, 1, 9, 1, 40, 2]);
}

#[test]
fn keys_typed_while_an_answer_is_written_are_not_taken() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    let other = rusqlite::Connection::open(home.demo()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    session.type_keys("x").wait_for("not saved yet");
    session.type_keys("p3").wait_for(" p 3 not taken ");
    other.execute_batch("COMMIT").unwrap();
    session.wait_for("item 2 of 119 · 1 judged").wait_while("not taken").catch_up();
    assert!(session.shows("○ p partial") && session.shows("item 2 of 119 · 1 judged"));
    session.quit();
}

#[test]
fn an_arrow_before_a_label_takes_it_along() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    // Whoever types the arrow first asks for the next item and answers there.
    session.type_keys(&format!("{RIGHT}x")).catch_up();
    assert!(session.shows("item 3 of 119 · 1 judged"));
    session.type_keys(&format!("{LEFT}{LEFT}")).wait_for("item 1 of");
    assert!(session.shows("○ x none"));
}

#[test]
fn a_key_typed_before_the_first_frame_answers_nothing() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo"]);
    session.type_keys("x").wait_for("item 7 of 119 · 94 judged").catch_up();
    assert!(session.shows("item 7 of 119 · 94 judged") && session.shows("○ x none"));
    session.quit();
}

#[test]
fn a_list_is_chosen_from_by_what_was_typed_before() {
    for keys in ["g电池内阻\r", "g电池内阻\x1b[A\r", "gbora\x7f\x7f\x7f\x7f电池内阻\r"] {
        let home = Desk::with_demo();
        let mut session = home.start(&["demo", "--protocol", "keypoint", "--as", "zoe"]);
        session.wait_for("item 1 of 46 · 0 judged");
        session.type_keys(keys).wait_for("· 0 judged").catch_up();
        assert!(session.shows("低温使电池内阻升高"), "{keys:?}: {:#?}", session.rows());
    }
}

/// A study with one document of many short lines, and something to judge about it.
fn study_with_a_long_document(home: &Desk) -> String {
    let mut text = String::new();
    for number in 1..=4_000 {
        writeln!(text, "This is line {number}.").unwrap();
    }
    let records = [
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": text}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is in line 7?"}),
        json!({"type": "unit", "collection": "c", "query": "q", "id": "u", "kind": "keypoint",
            "text": "Line 7 is like the others.", "documents": ["d1"]}),
    ];
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let file = home.path("long.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let study = home.path("long.db").to_str().unwrap().to_owned();
    home.out(&["import", &study, file.to_str().unwrap()]);
    study
}

/// The first line of the document that is in view.
fn first_line(session: &Session) -> String {
    session.row_with("This is line ").trim().to_owned()
}

/// Types this many keys that scroll in one write; all have to arrive, in few frames.
fn check_scrolling(keys: usize, last: &str, most: usize) {
    let home = Desk::new();
    let study = study_with_a_long_document(&home);
    let mut session = home.start(&["annotate", &study, "--as", "zoe"]);
    session.wait_for("This is line 1.");
    let frames = session.terminal().heard().frames;
    let bytes = session.output().len();
    session.type_keys(&"j".repeat(keys)).catch_up();
    assert_eq!(first_line(&session), last);
    let drawn = session.terminal().heard().frames - frames;
    assert!(drawn <= most, "{drawn} frames for {keys} keys");
    check_updates(&session.output()[bytes..]);
    assert_eq!(session.terminal().heard().astray, 0);
    session.quit();
}

#[test]
fn queued_keys_are_drawn_together_each_frame_in_one_update() {
    check_scrolling(200, "This is line 201.", 20);
}

#[test]
fn no_key_of_a_long_burst_is_lost() {
    check_scrolling(3_000, "This is line 3001.", 150);
}

/// Nothing is written outside of synchronized updates.
fn check_updates(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    while !rest.is_empty() {
        let update = rest.strip_prefix("\x1b[?2026h");
        let parts = update.and_then(|update| update.split_once("\x1b[?2026l"));
        let Some((frame, after)) = parts else {
            panic!("not an update: {rest:?}");
        };
        assert!(!frame.contains("\x1b[?2026h"), "{frame:?}");
        rest = after;
    }
}

#[test]
fn the_rest_of_a_summary_is_one_question_and_each_is_undone_by_itself() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.answer("f2", "· 1 judged").settle();
    session.type_keys("N").wait_for(" untouched here: Covered? none, for each?");
    let asked = session.row_with(" untouched here");
    let count: usize = asked.split_whitespace().next().unwrap().parse().unwrap();
    assert!(count > 2, "{asked}");
    session.type_keys("\r").wait_for(&format!("✓ none, {count} times"));
    session.wait_for(&format!("· {} judged", count + 1)).settle();
    session.type_keys("u").wait_for(&format!("· {count} judged"));
    session.kill();
    let stored = home.judgments(home.demo(), "coverage", "zoe");
    let is_none = |judgment: &&Value| judgment["answers"] == json!({"coverage": "none"});
    assert_eq!((stored.len(), stored.iter().filter(is_none).count()), (count, count - 1));
}

#[test]
fn a_marked_bullet_is_on_record_and_stays_a_choice() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    assert!(!session.shows("1≈Every student"));
    session.type_keys("B").wait_for("1≈Every student");
    session.answer("f2", "· 1 judged");
    session.quit();
    let mut session =
        home.start(&["annotate", home.demo().to_str().unwrap(), "--as", "zoe", "--break-after", "50"]);
    // What was chosen for this study and this annotator is said at the start, and holds for nobody else.
    session.wait_for("the most similar bullet is marked, as you chose for this study; B ends that");
    session.wait_for("item 2 of 119").type_keys("\x7f").wait_for("already judged");
    session.quit();
    let mut other = home.open_demo("yan");
    assert!(!other.shows("1≈Every student") && !other.shows("is marked"));
    other.quit();
    let kept = std::fs::read_to_string(home.path("config/haymark/preferences.toml")).unwrap();
    assert!(
        kept.starts_with("break-after = 50\nlikely-bullets = [\"/") && kept.ends_with("demo.db zoe\"]\n"),
        "{kept}"
    );
    let told = home.out(&[
        "export",
        home.demo().to_str().unwrap(),
        "--what",
        "judgments",
        "--history",
        "--annotators",
        "zoe",
    ]);
    let answers: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer["hint"].as_u64().is_some()), "{told}");
}
