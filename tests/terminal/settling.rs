//! Disagreements are settled by keys; a killed haymark has every decision, and a review writes nothing.

use serde_json::Value;

use crate::session::{Home, Session};

/// The demo's study, in which alice and bora disagree on twelve insights.
fn home() -> (Home, String) {
    let home = Home::with_demo();
    let study = home.demo().to_str().unwrap().to_owned();
    (home, study)
}

fn open(home: &Home, study: &str) -> Session {
    let mut session = home.start(&["adjudicate", study, "--as", "carol", "--protocol", "coverage"]);
    session.wait_for(" of 12 ").settle();
    session
}

fn records(home: &Home, study: &str, kind: &str) -> Vec<Value> {
    let text = home.printed(&["export", study, "--what", "judgments"]);
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["type"] == kind).collect()
}

#[test]
fn a_kill_after_any_key_loses_no_decision() {
    /// A key, what the screen shows then, and how many items somebody decided something about.
    const KEYS: [(&str, &str, usize); 7] = [
        ("1", "1 ●alice", 1),
        ("G", "●unclear", 1),
        ("\r", "item 2 of 12 · 1 settled", 1),
        ("f", "● f full", 2),
        ("3", "item 2 of 12 · 2 settled", 2),
        ("\r", "item 3 of 12 · 2 settled", 2),
        ("2", "2 ●bora", 3),
    ];
    let (home, study) = home();
    let judged = records(&home, &study, "judgment");
    for pressed in 1..=KEYS.len() {
        let (home, study) = self::home();
        let mut session = open(&home, &study);
        for (key, shows, _) in &KEYS[..pressed] {
            session.answer(key, shows);
        }
        session.kill();
        let decided = records(&home, &study, "adjudication");
        assert_eq!(decided.len(), KEYS[pressed - 1].2, "after {pressed} keys");
        assert!(decided.iter().any(|record| record["took"] == "alice"));
        let reasons = decided.iter().filter(|record| record["reason"] == "guideline unclear").count();
        assert_eq!(reasons, usize::from(pressed > 1));
        assert_eq!(records(&home, &study, "judgment"), judged, "nobody's judgment has changed");
        open(&home, &study).quit();
    }
}

#[test]
fn what_was_settled_is_shown_to_those_who_judged_and_undone_by_a_key() {
    let (home, study) = home();
    let mut session = open(&home, &study);
    session.answer("2", "2 ●bora").answer("E", "●overlooked");
    session.type_keys("c").wait_for("Comment").type_keys("see [8]\r").wait_for("“see [8]”");
    session.answer("X", "X ●example");
    session.quit();
    let decided = records(&home, &study, "adjudication");
    assert_eq!(decided.len(), 1);
    let said = ["took", "reason", "note", "example"].map(|field| decided[0][field].to_string());
    assert_eq!(said, ["\"bora\"", "\"evidence overlooked\"", "\"see [8]\"", "true"]);

    let before = std::fs::read(&study).unwrap();
    let mut session =
        home.start(&["annotate", &study, "--as", "alice", "--review", "--protocol", "coverage"]);
    session.wait_for("item 1 of 1").wait_for("evidence overlooked").wait_for("“see [8]”");
    session.type_keys("x").wait_for("for reading");
    session.type_keys("i").wait_for("Guideline").type_keys("\x1b[F").wait_for("Answer: Covered?");
    session.type_keys("i").wait_for("You and gold");
    session.quit();
    assert_eq!(std::fs::read(&study).unwrap(), before, "not a byte has changed");

    let mut session = home.start(&["adjudicate", &study, "--as", "carol", "--protocol", "coverage"]);
    session.wait_for("1 settled").settle();
    for _ in 0..4 {
        session.type_keys("u").wait_for("taken back").settle();
    }
    session.wait_for("item 1 of 12 · 0 settled");
    session.quit();
    assert_eq!(records(&home, &study, "adjudication").len(), 0);
    let nothing = home.printed(&["export", &study, "--what", "gold", "--protocol", "coverage"]);
    assert!(!nothing.contains("adjudicated"), "{nothing}");
}

#[test]
fn names_are_hidden_on_request_and_a_pipe_is_refused() {
    let (home, study) = home();
    let arguments =
        ["adjudicate", &study, "--as", "carol", "--protocol", "coverage", "--hide-names", "--with-judges"];
    let mut session = home.start(&arguments);
    session.wait_for("item 1 of 22").wait_for("annotator 1").wait_for("annotator 2");
    assert!(!session.shows("alice") && !session.shows("judge"), "{:?}", session.rows());
    session.quit();
    let refused = home.run(&arguments);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("needs a terminal"));
}
