//! Calibration in the real program: the known answer comes after the last question, one key goes on, and a
//! kill in between changes nothing.

use crate::harness::{Desk, Session};

/// The protocol is not named: what is assigned is opened.
fn open(home: &Desk) -> Session {
    let demo = home.demo();
    let demo = demo.to_str().expect("a path in UTF-8");
    home.start_in((80, 24), &["annotate", demo, "--as", "zoe"], &[])
}

#[test]
fn the_known_answer_is_told_once_and_for_all() {
    let home = Desk::with_demo();
    let demo = home.demo();
    let demo = demo.to_str().expect("a path in UTF-8");
    let of = [
        "assign",
        demo,
        "--protocol",
        "keypoint",
        "--to",
        "zoe",
        "--known-from",
        "bora",
        "--calibration",
        "1",
    ];
    assert!(home.out(&of).contains("calibration"));

    let mut session = open(&home);
    session.wait_for("keypoint · zoe").wait_for("item 1 of").settle();
    session.answer("n", "Known answer").wait_for("⏎ go on");
    session.kill();

    let mut session = open(&home);
    session.wait_for("Known answer").settle();
    session.type_keys("\x1b").wait_while("Known answer").settle();
    session.answer("y", "yours stays as it is");
    session.type_keys("\r").wait_for("item 2 of").settle();
    session.quit();
    let beside = home.judgments(home.demo(), "keypoint", "zoe");
    assert_eq!(beside.len(), 1);
    assert_eq!(
        (&beside[0]["aside"], &beside[0]["answers"]["grounded"]),
        (&"calibration".into(), &"no".into())
    );
}

/// Judges eight items by these keys, each with what the screen then shows, up to the last known answer.
fn calibrate(session: &mut Session, keys: &[(&str, &str)]) {
    for item in 1..=8 {
        session.wait_for(&format!("item {item} of ")).settle();
        for (key, shows) in keys {
            session.answer(key, shows);
        }
        session.settle();
        if item < 8 {
            session.type_keys("\r");
        }
    }
}

/// 8 items, of which 70 % must be as known: nothing is, then three of four points.
#[test]
fn who_does_not_pass_reads_the_guideline_and_begins_again() {
    let home = crate::assigning::controlling::with_expert();
    let must = ["--known-from", "expert", "--calibration", "8", "--pass", "70%", "--must-pass"];
    home.out(&[&["assign", "study.db", "--to", "zoe"], &must[..]].concat());
    let mut session = home.start(&["annotate", "study.db", "--as", "zoe"]);
    calibrate(&mut session, &[("n", "Known answer")]);
    session.wait_for("0 of 8 as known, which is 0 %").type_keys("\r").wait_for("─ Guideline ─");
    session.type_keys("\x1b").wait_for("⏎ calibration again").settle();
    session.kill();

    let mut session = home.start(&["annotate", "study.db", "--as", "zoe"]);
    session.wait_for("Known answer").settle().type_keys("\r").wait_for("─ Guideline ─");
    session.type_keys("\x1b").wait_for("⏎ calibration again").settle();
    session.type_keys("\r").wait_for("item 1 of 8 · 0 judged").wait_for("calibration begins again");
    calibrate(&mut session, &[("y", "● y yes"), ("a", "Known answer")]);
    session.wait_for("6 of 8 as known").type_keys("\r").wait_for("calibration is passed: this is the work");
    session.wait_for("item 9 of 120").quit();
}
