//! What an annotator does besides labelling: comments, flags, undo, search, help, guideline, pasting, the mouse.

use haymark::store::StudyFile;
use serde_json::{Value, json};

use crate::harness::{Desk, Session};

/// What zoe's judgments hold after the session.
fn stored(home: &Desk) -> Vec<Value> {
    home.judgments(home.demo(), "coverage", "zoe")
}

/// A bracketed paste, as terminals send it.
fn pasted(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

#[test]
fn a_comment_and_a_flag_are_kept_and_shown_again() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.type_keys("c").wait_for("─ Comment ─");
    session.type_keys("fx 不确定，see [3] 😀").wait_for("fx 不确定，see [3] 😀");
    session.type_keys("\r").wait_for("─ Judgment ─ “fx 不确定，see [3] 😀”");
    session.type_keys("!").wait_for("─ Judgment ─ flagged · “fx");
    session.type_keys("q").expect_success();
    assert!(session.shows("0 of 119 judged, 1 flagged; everything is saved"));
    let mut session = home.open_demo("zoe");
    assert!(session.shows("─ Judgment ─ flagged · “fx 不确定，see [3] 😀”"));
    session.type_keys("c").wait_for("─ Comment ─");
    session.type_keys(" no").wait_for("😀 no");
    session.type_keys("\x1b").wait_while("─ Comment ─");
    session.type_keys("q").wait_for("something that you wrote is not kept yet");
    session.type_keys("c").wait_for("😀 no").type_keys("\x1b").wait_while("─ Comment ─");
    session.type_keys("q").wait_for("not kept yet");
    session.quit();
    let stored = stored(&home);
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["comment"], "fx 不确定，see [3] 😀");
    assert_eq!(stored[0]["flagged"], true);
    assert_eq!(stored[0]["answers"], json!({}), "letters answer nothing while a comment is typed");
}

#[test]
fn undo_and_redo_go_over_items() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.answer("x", "item 2 of 119 · 1 judged");
    session.answer("f", "● f full");
    session.answer("2", "item 3 of 119 · 2 judged");
    session.answer("s", "item 4 of 119 · 2 judged");
    session.type_keys("u").wait_for("item 3 of 119 · 2 judged");
    session.type_keys("u").wait_for("item 2 of 119 · 1 judged");
    assert!(session.shows("● f full") && !session.shows("● 2"));
    session.type_keys("u").wait_for("○ f full");
    session.type_keys("u").wait_for("item 1 of 119 · 0 judged");
    assert!(session.shows("○ x none"));
    session.type_keys("u").wait_for("nothing to undo");
    session.type_keys("U").wait_for("item 1 of 119 · 1 judged");
    session.type_keys("U").wait_for("item 2 of 119 · 1 judged");
    session.wait_for("● f full").type_keys("U").wait_for("item 2 of 119 · 2 judged");
    session.quit();
    let mut answers: Vec<String> =
        stored(&home).iter().map(|judgment| judgment["answers"].to_string()).collect();
    answers.retain(|answer| answer != "{}");
    answers.sort();
    let expected = [json!({"coverage": "full", "bullet": 2}), json!({"coverage": "none"})];
    assert_eq!(answers, expected.map(|answer| answer.to_string()));
}

#[test]
fn undo_reaches_back_behind_a_kill() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.answer("x", "item 2 of 119 · 1 judged");
    session.kill();
    let mut session = home.start(&["demo", "--as", "zoe"]);
    session.wait_for("item 2 of 119 · 1 judged");
    session.type_keys("u").wait_for("item 1 of 119 · 0 judged");
    assert!(session.shows("○ x none"));
    session.quit();
}

#[test]
fn a_search_goes_from_hit_to_hit_through_the_documents() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.type_keys("/").wait_for("─ Find ─");
    session.type_keys("spreadsheet").wait_for(" in 4 documents ");
    session.type_keys("\r").wait_for("hit 1 of ");
    let mut places = vec![document(&session)];
    for _ in 0..3 {
        let place = document(&session);
        session.type_keys("]").wait_until("the next document with a hit", |session| {
            document(session) != place && session.shows("documents have some")
        });
        assert!(session.shows("spreadsheet"));
        places.push(document(&session));
    }
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 4, "{places:?}");
    let last = document(&session);
    session.type_keys("[").wait_until("the document before", |session| document(session) != last);
    session.type_keys("\x1b").wait_while("hit ");
    session.type_keys("/nowhere to be found").wait_for("─ nowhere ─");
    session.type_keys("\x1b").wait_while("─ Find ─");
    session.answer("x", "item 2 of 119 · 1 judged");
    session.quit();
}

/// The title of the document in view.
fn document(session: &Session) -> String {
    session.row_with("Document ")
}

#[test]
fn a_keymap_takes_no_key_that_answers() {
    let home = Desk::with_demo();
    home.file("keys.toml", "skip = [\"x\"]\nflag = [\"F\"]\n");
    let mut session = home.start_in((160, 24), &["demo", "--as", "zoe", "--keymap", "keys.toml"], &[]);
    session.wait_for("keys.toml, line 1: x answers \"Covered?\" under coverage, so skip cannot have it; choose another key");
    session.settle().type_keys("F").wait_for("✓ insight 1: flagged");
    session.answer("x", "· 1 judged").quit();
}

#[test]
fn the_help_holds_every_action_and_the_guideline_is_one_key_away() {
    let home = Desk::with_demo();
    let listed = home.out(&["keys"]);
    let mut session = home.start_in((100, 24), &["demo", "--as", "zoe"], &[]);
    session.wait_for("item 1 of 119 · 0 judged");
    session.type_keys("?").wait_for("─ Keys ─");
    let mut rows = session.rows();
    while !session.shows("end · esc closes") {
        let before = session.rows();
        session.type_keys("j").wait_until("the next line", |session| session.rows() != before);
        rows.extend(session.rows());
    }
    let shown = rows.join("\n");
    for group in ["Answers", "Judging", "Moving", "Reading", "Program"] {
        assert!(rows.iter().any(|row| row.trim() == group), "{group}");
    }
    // The keys of other screens stand in their own help, and those of what is not asked in none.
    let elsewhere = [
        "Selecting a passage",
        "Session",
        "Writing in a session",
        "Playing a session",
        "Browsing",
        "Settling a disagreement",
    ];
    // Coverage has one summary at a time.
    let of_pairs = "of the two summaries";
    let mut group = "";
    let mut actions: Vec<&str> = Vec::new();
    for line in listed.lines() {
        if !line.starts_with("  ") {
            group = line;
        } else if !elsewhere.contains(&group) && !line.contains(of_pairs) {
            actions.push(line);
        }
    }
    assert!(actions.len() > 30, "{listed}");
    for action in actions {
        let help = action.chars().skip(2 + 24 + 1 + 24 + 1).collect::<String>();
        assert!(shown.contains(help.trim()), "{help}");
    }
    session.type_keys("?").wait_while("─ Keys ─");
    session.type_keys("i").wait_for("─ Guideline ─");
    assert!(session.shows("Coverage of insights") && session.shows("f · full"));
    session.type_keys("x").type_keys("\x1b").wait_while("─ Guideline ─");
    assert!(session.shows("item 1 of 119 · 0 judged"), "no answer from under the guideline");
    session.quit();
}

#[test]
fn pasted_text_is_no_keys() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.type_keys(&pasted("xf2q\r\n\x1b[Cu")).wait_for("pasted text is not used here");
    session.type_keys(&pasted(&"p1".repeat(5_000))).catch_up();
    assert!(session.shows("item 1 of 119 · 0 judged"));
    session.type_keys("c").wait_for("─ Comment ─");
    session.type_keys(&pasted("第一行\r\nx \x07\x1b]0;t\x1b\\ end")).wait_for("第一行");
    session.type_keys("\r").wait_for("─ Judgment ─ “第一行");
    session.quit();
    assert_eq!(session.terminal().heard().strange, [] as [&str; 0]);
    let stored = stored(&home);
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["comment"], "第一行\nx ]0;t\\ end");
    assert_eq!(stored[0]["answers"], json!({}));
}

#[test]
fn the_mouse_answers_and_scrolls() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    let row = session.rows().iter().position(|row| row.contains("○ p partial")).unwrap();
    let column = session.rows()[row].chars().take_while(|sign| *sign != 'p').count();
    session.type_keys(&format!("\x1b[<0;{};{}M\x1b[<0;{};{}m", column + 1, row + 1, column + 1, row + 1));
    session.wait_for("● p partial");
    session.type_keys("\t").wait_for("▸");
    let before = session.rows();
    session
        .type_keys("\x1b[<65;10;12M")
        .wait_until("another place in the document", |session| session.rows() != before);
    session.quit();
    assert_eq!(stored(&home)[0]["answers"], json!({"coverage": "partial"}));
}

#[test]
fn what_is_half_answered_is_in_no_number() {
    let home = Desk::with_demo();
    let mut session = home.open_demo("zoe");
    session.answer("f", "● f full");
    session.quit();
    let study = home.demo();
    let score = |protocol: &str| {
        home.run(&["score", study.to_str().unwrap(), "--annotators", "zoe", "--protocol", protocol])
    };
    let output = score("coverage");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("to the end; half-answered judgments: 1"),
        "{output:?}"
    );
}

/// A slip of the finger in a name would make a person of its own.
#[test]
fn a_name_one_letter_off_a_known_one_asks_first() {
    let desk = Desk::new();
    let study = "study.db";
    desk.samples(study, &["haystack", "haystack_judgments"]);
    let people = || {
        StudyFile::open_read_only(&desk.path(study)).and_then(|study| study.annotators()).expect("read").len()
    };
    let before = people();
    for answer in ["\r", "n\r", "\u{4}"] {
        let mut session = desk.start(&["annotate", study, "--as", "alcie"]);
        session.wait_for("which knows \"alice\"").type_keys(answer);
        session.wait_for("nothing was opened");
        assert!(!session.wait_for_exit().success());
    }
    assert_eq!(people(), before);
    let mut session = desk.start(&["annotate", study, "--as", "alcie"]);
    session.wait_for("[y/N]").type_keys("y\r").wait_for("· alcie").quit();
    assert_eq!(people(), before + 1);
    // Now it is known.
    desk.start(&["annotate", study, "--as", "alcie"]).wait_for("· alcie").quit();
}
