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
    session.answer("n", "Known answer").wait_for("goes on");
    session.kill();

    let mut session = open(&home);
    session.wait_for("Known answer").settle();
    session.type_keys("\x1b").wait_while("goes on").settle();
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
