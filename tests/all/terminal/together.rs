//! Two people at one study file at the same time.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

const ITEMS: usize = 10;

/// Answers one more item; every third with a bullet.
fn label(session: &mut Session, done: usize) {
    let next = format!("item {} of 119 · {} judged", done + 2, done + 1);
    if done.is_multiple_of(3) {
        session.answer("f", "● f full").answer("1", &next);
    } else {
        session.answer("x", &next);
    }
}

/// Every answer is there, and nobody was told about locks.
fn check(home: &Desk, session: &mut Session, name: &str) {
    session.quit();
    assert!(!String::from_utf8_lossy(session.output()).contains("locked"));
    let mut answers: Vec<Value> = home
        .judgments(home.demo(), "coverage", name)
        .iter()
        .map(|judgment| judgment["answers"].clone())
        .collect();
    assert_eq!(answers.len(), ITEMS, "{name}");
    answers.retain(|answer| *answer == json!({"coverage": "full", "bullet": 1}));
    assert_eq!(answers.len(), ITEMS.div_ceil(3), "{name}");
}

#[test]
fn who_watches_sees_each_table_in_the_place_of_the_last() {
    let home = Desk::with_demo();
    let study = home.demo().to_str().unwrap().to_owned();
    let mut session = home.start(&["status", &study, "--watch", "1"]);
    session.wait_until("printed anew", |session| session.count("\x1b[H\x1b[2J") > 2);
    session.wait_for("Overview");
    assert!(!session.shows("␛"), "{:#?}", session.rows());
    assert_eq!(session.rows().iter().filter(|row| row.starts_with("Overview")).count(), 1);
    session.kill();
}

#[test]
fn two_annotators_in_turn() {
    let home = Desk::with_demo();
    let mut ada = home.open_demo("ada");
    let mut bea = home.open_demo("bea");
    for done in 0..ITEMS {
        label(&mut ada, done);
        label(&mut bea, done);
    }
    check(&home, &mut ada, "ada");
    check(&home, &mut bea, "bea");
}

#[test]
fn two_annotators_at_the_same_moment_while_scores_are_printed() {
    let home = Desk::with_demo();
    let study = home.demo().to_str().unwrap().to_owned();
    let start = Barrier::new(3);
    thread::scope(|scope| {
        for name in ["ada", "bea"] {
            let (home, start) = (&home, &start);
            scope.spawn(move || {
                let mut session = home.open_demo(name);
                start.wait();
                (0..ITEMS).for_each(|done| label(&mut session, done));
                check(home, &mut session, name);
            });
        }
        start.wait();
        for _ in 0..5 {
            assert!(home.out(&["score", &study]).contains("coverage"));
        }
    });
}
