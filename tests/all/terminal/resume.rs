//! What is on the screen is on disk: a killed haymark opens where it was, with every answer there.

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

/// A key, and what the screen shows once it is done.
struct Press {
    key: &'static str,
    shows: &'static str,
}

/// Three items judged, a fourth begun. Alice, as whom the demo opens, has judged 55 of 119 before.
const PRESSES: [Press; 6] = [
    Press { key: "x", shows: "item 8 of 119 · 95 judged" },
    Press { key: "f", shows: "● f full" },
    Press { key: "2", shows: "item 9 of 119 · 96 judged" },
    Press { key: "p", shows: "● p partial" },
    Press { key: "1", shows: "item 10 of 119 · 97 judged" },
    Press { key: "f", shows: "● f full" },
];

/// Where one stands after each number of presses: the header, and the marks of the answers there.
const STANDS: [(&str, &[&str]); 7] = [
    ("item 7 of 119 · 94 judged", &[]),
    ("item 8 of 119 · 95 judged", &[]),
    ("item 8 of 119 · 95 judged", &["● f full"]),
    ("item 9 of 119 · 96 judged", &[]),
    ("item 9 of 119 · 96 judged", &["● p partial"]),
    ("item 10 of 119 · 97 judged", &[]),
    ("item 10 of 119 · 97 judged", &["● f full"]),
];

/// The marks of the three judged items, and their answers.
const JUDGED: [&[&str]; 3] = [&["● x none"], &["● f full", "● 2"], &["● p partial", "● 1"]];

/// How many items are judged after each number of presses.
const COMPLETE: [usize; 7] = [0, 1, 1, 2, 2, 3, 3];

fn answers(index: usize) -> Value {
    match index {
        0 => json!({"coverage": "none"}),
        1 => json!({"coverage": "full", "bullet": 2}),
        _ => json!({"coverage": "partial", "bullet": 1}),
    }
}

/// Checks the screen of a demo that was opened again after this many presses, and goes back over the items.
fn check_reopened(session: &mut Session, presses: usize) {
    let (header, marks) = STANDS[presses];
    session.wait_for(header);
    check_marks(session, marks);
    for index in (0..COMPLETE[presses]).rev() {
        let header = format!("item {} of", 7 + index);
        session.type_keys("\x7f").wait_for(&header);
        check_marks(session, JUDGED[index]);
    }
}

/// Exactly these answers are marked on the screen.
fn check_marks(session: &Session, marks: &[&str]) {
    let from = session.rows().iter().position(|row| row.starts_with("─ Judgment"));
    let judgment = session.rows().split_off(from.unwrap()).join("\n");
    assert_eq!(judgment.matches('●').count(), marks.len(), "{judgment}");
    for mark in marks {
        assert!(judgment.contains(mark), "{mark} is missing in {judgment}");
    }
}

/// Alice's answers that did not come with the sample data, as sorted text.
fn new_answers(home: &Desk, before: &[Value]) -> Vec<String> {
    let judgments = home.judgments(home.demo(), "coverage", "alice");
    let new = judgments.iter().filter(|judgment| !before.contains(judgment));
    sorted(new.map(|judgment| judgment["answers"].clone()))
}

fn sorted(answers: impl Iterator<Item = Value>) -> Vec<String> {
    let mut texts: Vec<String> = answers.map(|answer| answer.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn a_kill_between_any_two_keys_loses_nothing() {
    let home = Desk::with_demo();
    let before = home.judgments(home.demo(), "coverage", "alice");
    for presses in 0..=PRESSES.len() {
        let home = Desk::with_demo();
        let mut session = home.start(&["demo"]);
        session.wait_for(STANDS[0].0);
        for press in &PRESSES[..presses] {
            session.answer(press.key, press.shows);
        }
        session.kill();
        let mut expected: Vec<Value> = (0..COMPLETE[presses]).map(answers).collect();
        match presses {
            2 | 6 => expected.push(json!({"coverage": "full"})),
            4 => expected.push(json!({"coverage": "partial"})),
            _ => {}
        }
        let expected = sorted(expected.into_iter());
        assert_eq!(new_answers(&home, &before), expected, "after {presses} keys");
        let mut session = home.start(&["demo"]);
        check_reopened(&mut session, presses);
        session.quit();
    }
}

#[test]
fn a_kill_in_the_middle_of_a_key_loses_that_key_at_most() {
    for presses in 1..=PRESSES.len() {
        let home = Desk::with_demo();
        let mut session = home.start(&["demo"]);
        session.wait_for(STANDS[0].0);
        for press in &PRESSES[..presses - 1] {
            session.answer(press.key, press.shows);
        }
        session.settle().type_keys(PRESSES[presses - 1].key).kill();
        let mut session = home.start(&["demo"]);
        session.wait_for(" of 119 ");
        let (header, marks) = STANDS[presses];
        let is_there = session.shows(header) && marks.iter().all(|mark| session.shows(mark));
        check_reopened(&mut session, if is_there { presses } else { presses - 1 });
        session.quit();
    }
}

#[test]
fn a_kill_after_the_rest_of_a_group_was_answered_opens_on_the_item_that_was_shown() {
    let home = Desk::with_demo();
    let study = home.demo().display().to_string();
    let start = || home.start(&["annotate", &study, "--as", "eve", "--protocol", "coverage"]);
    let mut session = start();
    session.wait_for("item 1 of 119 · 0 judged").answer("N", "untouched here").type_keys("\r");
    session.wait_for("a new summary");
    let item = |session: &Session| {
        let header = session.rows().swap_remove(0);
        header.split(" judged").next().and_then(|header| header.split("item ").nth(1)).map(str::to_owned)
    };
    let shown = item(&session);
    session.kill();
    let mut session = start();
    session.wait_for(" of 119 ");
    assert_eq!(item(&session), shown);
    session.answer("f", "● f full").answer("N", "untouched here").type_keys("\r");
    session.wait_for("bullet is open");
    let shown = item(&session);
    session.kill();
    let mut session = start();
    session.wait_for("● f full");
    assert_eq!(item(&session), shown, "the one that was begun");
    session.quit();
}

#[test]
fn leaving_with_q_and_coming_back_is_the_same() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo"]);
    session.wait_for(STANDS[0].0);
    for press in &PRESSES {
        session.answer(press.key, press.shows);
    }
    let written = session.quit();
    let written = String::from_utf8_lossy(written);
    let last = written
        .split("97 of 119 judged, 1 half answered; everything is saved\r\n")
        .nth(1)
        .unwrap_or_else(|| panic!("it is said: {written}"));
    assert!(last.starts_with("Today: 3 items in "), "{last}");
    assert!(last.lines().nth(1).is_some_and(|line| line.starts_with("The demo study is ")), "{last}");
    for command in ["browse", "score", "agree"] {
        let line = format!("\r\n  haymark {command} {}\r\n", home.demo().display());
        assert!(written.contains(&line), "one command a line: {written}");
    }
    assert!(home.demo().exists());
    let mut session = home.start(&["demo"]);
    check_reopened(&mut session, PRESSES.len());
    session.quit();
}
