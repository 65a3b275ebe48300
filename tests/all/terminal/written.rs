//! Texts and passages in the real program: typed in place, selected in the document, on disk before the
//! screen says so, whatever becomes of the program.

use serde_json::json;

use crate::harness::{Desk, Session};

fn open(home: &Desk, protocol: &str, size: (u16, u16)) -> Session {
    let demo = home.demo();
    let demo = demo.to_str().expect("a path in UTF-8");
    home.start_in(size, &["annotate", demo, "--as", "zoe", "--protocol", protocol], &[])
}

#[test]
fn a_refined_query_survives_a_kill_and_what_was_not_kept_does_not_count() {
    let home = Desk::with_demo();
    let mut session = open(&home, "refinement", (80, 24));
    session.wait_for("item 1 of").settle();
    session.answer("n", "keep it");
    session.type_keys(" 请说明").wait_for("{+ 请");
    session.type_keys("\r").wait_for("item 2 of 14 · 1 judged").settle();
    session.answer("n", "keep it").type_keys(" 还没有写完").wait_for("还没有写完");
    session.kill();

    let mut session = open(&home, "refinement", (80, 24));
    session.wait_for("item 2 of 14 · 1 judged").wait_for("● n to be refined");
    assert!(!session.shows("还没有写完"));
    session.type_keys("\x7f").wait_for("{+ 请");
    session.quit();
    let judgments = home.judgments(home.demo(), "refinement", "zoe");
    let refined = judgments.iter().filter_map(|judgment| judgment["answers"]["refined"].as_str());
    let refined: Vec<&str> = refined.collect();
    assert_eq!(refined.len(), 1);
    assert!(refined[0].ends_with(" 请说明"), "{refined:?}");
}

#[test]
fn a_point_is_on_disk_before_its_passage_and_both_survive_a_kill() {
    let home = Desk::with_demo();
    let point =
        |home: &Desk| home.judgments(home.demo(), "extraction", "zoe")[0]["answers"]["points"].clone();
    let mut session = open(&home, "extraction", (120, 34));
    session.wait_for("item 1 of").settle();
    session.type_keys("a").wait_for("keep it");
    session.type_keys("要点 one").wait_for("要点 one").type_keys("\r").wait_for("take it");
    session.kill();
    assert_eq!(point(&home), json!([{"text": "要点 one", "passages": []}]));

    let mut session = open(&home, "extraction", (120, 34));
    session.wait_for("1 要点 one").settle();
    session.type_keys("1").wait_for("keep it").type_keys("\r").wait_for("take it");
    session.type_keys("\x1b[B").catch_up().type_keys("\r").wait_for("“");
    session.kill();
    let passage = point(&home)[0]["passages"][0].clone();
    let (start, end) =
        (passage["start"].as_u64().expect("a start"), passage["end"].as_u64().expect("an end"));
    assert_eq!((end - start) as usize, passage["quote"].as_str().expect("a quote").len());
    assert_eq!(passage["hash"].as_str().map(str::len), Some(32));
}

#[test]
fn the_last_answers_are_there_after_a_new_start() {
    let home = Desk::with_demo();
    let mut session = open(&home, "extraction", (120, 34));
    session.wait_for("item 1 of").settle();
    session.type_keys("0").wait_for("item 2 of");
    session.kill();
    let mut session = open(&home, "extraction", (120, 34));
    session.wait_for("item 2 of").settle();
    session
        .type_keys("H")
        .wait_for("Last answers")
        .wait_for("none")
        .type_keys("\r")
        .wait_for("already judged");
    session.wait_for("item 1 of");
    session.quit();
}

#[test]
fn a_passage_is_selected_with_the_mouse() {
    let home = Desk::with_demo();
    let mut session = open(&home, "extraction", (120, 34));
    session.wait_for("item 1 of").settle();
    // Button down in the sixth column of the document's first row, moved to the twelfth, and up again.
    session
        .type_keys("\x1b[<0;6;5M")
        .type_keys("\x1b[<32;12;5M")
        .type_keys("\x1b[<0;12;5m")
        .wait_for("take it");
    session.type_keys("\r").wait_for("keep it").type_keys("by mouse\r").wait_for("✓ item 1: 1 written");
    session.quit();
    let judgment = home.judgments(home.demo(), "extraction", "zoe").remove(0);
    let point = &judgment["answers"]["points"][0];
    assert_eq!(
        (point["text"].as_str(), point["passages"].as_array().map(Vec::len)),
        (Some("by mouse"), Some(1))
    );
}
