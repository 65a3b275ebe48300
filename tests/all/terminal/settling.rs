//! Disagreements are settled by keys; a killed haymark has every decision, and a review writes nothing.

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

/// A study in which alice and bora disagree on three of four insights of a summary, and a judge on the fourth.
pub fn disputed() -> Desk {
    let home = Desk::new();
    let said = |who: &str, unit: &str, answers: Value| {
        json!({"type":"judgment","protocol":"coverage","annotator":who,"query":"q","unit":unit,"candidate":"s",
               "answers":answers,"seconds":15,"at":"2026-01-05T09:30:00Z"})
    };
    let unit = |id: &str| {
        json!({"type":"unit","query":"q","id":id,"kind":"insight","text":format!("They talk about {id}."),
               "documents":["d1"]})
    };
    let covered = |label: &str, bullet: u32| json!({"coverage":label,"bullet":bullet});
    let none = || json!({"coverage":"none"});
    let records = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"They walk, sleep and drink tea."}),
        json!({"type":"query","collection":"c","id":"q","text":"What do they do?"}),
        unit("tea"),
        unit("sleep"),
        unit("walks"),
        unit("work"),
        json!({"type":"candidate","query":"q","id":"s","summarizer":"m","text":"- tea [1]\n- sleep [1]\n- walks"}),
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"annotator","id":"bora","kind":"human"}),
        json!({"type":"annotator","id":"judge","kind":"model"}),
        said("alice", "tea", covered("full", 1)),
        said("alice", "sleep", covered("full", 2)),
        said("alice", "walks", none()),
        said("alice", "work", none()),
        said("bora", "tea", covered("partial", 1)),
        said("bora", "sleep", none()),
        said("bora", "walks", covered("partial", 3)),
        said("bora", "work", none()),
        said("judge", "work", covered("full", 3)),
    ];
    home.import("study.jsonl", &records);
    home
}

fn home() -> (Desk, String) {
    let home = disputed();
    let study = home.path("study.db").to_str().unwrap().to_owned();
    (home, study)
}

/// carol settles, in the order of the study: tea, sleep, walks.
fn open(home: &Desk, study: &str) -> Session {
    let mut session = home.start(&SETTLE.map(|argument| if argument == "STUDY" { study } else { argument }));
    session.wait_for(" of 3 ").settle();
    session
}

const SETTLE: [&str; 8] =
    ["adjudicate", "STUDY", "--as", "carol", "--protocol", "coverage", "--order", "given"];

fn records(home: &Desk, study: &str, kind: &str) -> Vec<Value> {
    let text = home.out(&["export", study, "--what", "judgments", "--names", "--with-text"]);
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["type"] == kind).collect()
}

#[test]
fn a_kill_after_any_key_loses_no_decision() {
    /// A key, what the screen shows then, and how many items somebody decided something about.
    const KEYS: [(&str, &str, usize); 7] = [
        ("1", "1 ●alice", 1),
        ("G", "●unclear", 1),
        ("\r", "item 2 of 3 · 1 settled", 1),
        ("f", "● f full", 2),
        ("3", "item 2 of 3 · 2 settled", 2),
        ("\r", "item 3 of 3 · 2 settled", 2),
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
fn items_come_in_the_order_of_a_field() {
    let (home, study) = home();
    for (field, first) in [("unit", "They talk about sleep."), ("-unit", "They talk about walks.")] {
        let asked = ["adjudicate", &study, "--as", "carol", "--protocol", "coverage", "--sort", field];
        home.start(&asked).wait_for("item 1 of 3").wait_for(first).quit();
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

    let mut session = open(&home, &study);
    session.wait_for("1 settled");
    for _ in 0..4 {
        session.type_keys("u").wait_for("taken back").settle();
    }
    session.wait_for("item 1 of 3 · 0 settled");
    session.quit();
    assert_eq!(records(&home, &study, "adjudication").len(), 0);
    let nothing = home.out(&["export", &study, "--what", "gold", "--protocol", "coverage"]);
    assert!(!nothing.contains("adjudicated"), "{nothing}");
}

#[test]
fn names_are_hidden_on_request_and_a_pipe_is_refused() {
    let (home, study) = home();
    let arguments =
        ["adjudicate", &study, "--as", "carol", "--protocol", "coverage", "--hide-names", "--with-judges"];
    let mut session = home.start(&arguments);
    session.wait_for("item 1 of 4").wait_for("annotator 1").wait_for("annotator 2");
    assert!(!session.shows("alice") && !session.shows("judge"), "{:?}", session.rows());
    session.quit();
    let refused = home.run(&arguments);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("needs a terminal"));
}

/// alice says full where bora says nothing of sleep: from that cell of the agreement one settles just that, and is back at it.
#[test]
fn a_cell_of_the_agreement_is_settled_in_browse() {
    let (home, study) = home();
    let mut session = home.start(&["browse", &study, "--as", "carol"]);
    session.wait_for("▸Candidates ");
    session.type_keys("A").wait_for("below it the items");
    session.type_keys("l\r").wait_for("rows are what alice says");
    // From none and none to full and none.
    session.type_keys("jj\r").wait_for("▸Items 1 of 4").wait_for("D settle");
    session.type_keys("D").wait_for("item 1 of 1 · 0 settled").wait_for("about sleep");
    session.answer("2", "2 ●bora").type_keys("q").wait_for("1 of 1 settled");
    assert!(session.shows("▸Items 1 of 4"), "back at the same items");
    let decided = records(&home, &study, "adjudication");
    assert_eq!(decided.len(), 1);
    assert_eq!((&decided[0]["took"], &decided[0]["unit"]), (&json!("bora"), &json!("sleep")));

    // What was decided counts in the table at once, and all items are walked through in their order.
    session.type_keys("\x7f\x7f\x7f").wait_for("▸Candidates ");
    session.type_keys("5").wait_for("▸Items 4").type_keys("/outcome:adjudicated\r").wait_for("▸Items 1 of 4");
    session.type_keys("\x1b").wait_for("▸Items 4").type_keys("D").wait_for(" of 3 · 1 settled");
    session.type_keys("q").wait_for("1 of 3 settled");
    // On the fourth a judge differs from all people.
    session.type_keys("/work\r").wait_for("▸Items 1 of 4");
    session.type_keys("D").wait_for("item 1 of 1 · 0 settled").wait_for("judge");
    session.type_keys("q").wait_for("0 of 1 settled");
    session.quit();
}

#[test]
fn who_only_reads_or_finds_agreement_settles_nothing() {
    let (home, study) = home();
    let mut session = home.start(&["browse", &study]);
    session.wait_for("▸Candidates ").type_keys("5D").wait_for("open the study with --as NAME to settle");
    session.quit();
    // Only one person has judged anything.
    let alone = crate::assigning::controlling::with_expert();
    let mut session = alone.start(&["browse", "study.db", "--as", "carol"]);
    session.wait_for(" as carol").type_keys("5").wait_for("▸Items ");
    session.type_keys("D").wait_for("nobody disagrees on these items");
    session.quit();
}
