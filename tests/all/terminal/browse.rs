//! Browsing: tables by keys alone, tags in place, and that looking changes nothing.

use std::path::PathBuf;

use crate::harness::{Desk, Session};

/// Summaries and questions in English and Chinese, with what two people and a judge say.
const SAMPLES: &[&str] =
    &["haystack", "haystack_judgments", "questions", "questions_zh", "questions_judgments"];

/// A home with a study of the sample data.
fn home_with_study() -> Desk {
    let home = Desk::new();
    let study = study(&home);
    home.samples(study.to_str().unwrap(), SAMPLES);
    home
}

fn study(home: &Desk) -> PathBuf {
    home.path("study.db")
}

/// The study under browse, in a terminal of 80 columns and 24 rows.
fn browse(home: &Desk, arguments: &[&str]) -> Session {
    let study = study(home);
    let mut all = vec!["browse", study.to_str().unwrap()];
    all.extend_from_slice(arguments);
    let mut session = home.start(&all);
    session.wait_for("▸Candidates ");
    session
}

#[test]
fn tables_are_filtered_sorted_and_walked() {
    let home = home_with_study();
    let mut session = browse(&home, &[]);
    assert!(session.shows("read only"));
    session.type_keys("4").wait_for("▸Systems ");
    session.type_keys("Sjoint\r").wait_for("by joint ▲");
    session.type_keys("s").wait_for("▸Systems ");
    session.type_keys("\r").wait_for("▸Candidates ");
    session.type_keys("\r").wait_for("▸Items ");
    session.type_keys("\x7f").wait_for("▸Candidates ");
    session.type_keys("\x7f").wait_for("▸Systems ");
    session.type_keys("5").wait_for("▸Items ");
    session.type_keys("/judgments>0 nothing:3").wait_for("↑");
    session.type_keys("\x1b").wait_while("─ Filter ─");
    session.type_keys("/judgments>0").wait_for("─ Filter ─");
    session.type_keys("\r").wait_for("/ judgments>0");
    session.quit();
}

#[test]
fn tags_in_place_are_on_disk_at_once() {
    let home = home_with_study();
    let before = home.judgments(study(&home), "failure", "zoe");
    assert!(before.is_empty());
    let mut session = browse(&home, &["--as", "zoe"]);
    session.type_keys("t").wait_for("─ Tags ─");
    session.type_keys("h").wait_for("● h hallucinated");
    session.kill();
    let stored = home.judgments(study(&home), "failure", "zoe");
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["answers"]["failures"], serde_json::json!(["hallucinated"]));
    let mut session = browse(&home, &["--as", "zoe"]);
    session.type_keys("t").wait_for("● h hallucinated");
    session.type_keys("h").wait_for("○ h hallucinated");
    session.type_keys("\x1b").wait_while("─ Tags ─");
    session.type_keys("!").wait_for("flagged · saved");
    session.type_keys("u").wait_for("taken back");
    session.type_keys("V\r").wait_for("─ Name of the view ─");
    session.type_keys("odd ones\r").wait_for("saved as \"odd ones\"");
    session.quit();
    let mut session = home.start(&["browse", study(&home).to_str().unwrap(), "--view", "odd ones"]);
    session.wait_for("▸Candidates ").wait_for("of odd ones");
    session.quit();
}

/// Keys that a person presses here, none of which leaves: letters, arrows, what opens and what closes.
const KEYS: &[&str] = &[
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "\r",
    "\r",
    "\r",
    "\x7f",
    "\x1b[C",
    "\x1b[D",
    "\x1b[A",
    "\x1b[B",
    "j",
    "k",
    "h",
    "l",
    " ",
    "b",
    "\x1b[H",
    "\x1b[F",
    "\t",
    "\x1b[Z",
    "z",
    "s",
    "S",
    "C",
    "V",
    "w",
    "t",
    "!",
    "c",
    "u",
    "U",
    "m",
    "m",
    "n",
    "p",
    "d",
    "P",
    "T",
    "A",
    "/",
    "g",
    ":",
    "~",
    "(",
    ")",
    ".",
    ",",
    "[",
    "]",
    "?",
    "\x14",
    "x",
    "电",
    "\x1b[<65;10;12M",
    "\x1b[<0;10;6M",
    "\x1b[<0;40;16M",
];

/// Types this many keys, drawn from a row of numbers that is the same every time.
fn soak(session: &mut Session, count: usize) {
    let mut state = 11_u64;
    for chunk in 0..count / 250 {
        let mut keys = String::new();
        for _ in 0..250 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pick = usize::try_from(state >> 33).unwrap() % KEYS.len();
            keys.push_str(KEYS[pick]);
        }
        session.type_keys(&keys);
        // Whatever is open is closed now and then, so that all of the screen comes up.
        session.type_keys(&"\x1b\x1b".repeat(3)).catch_up();
        if chunk % 5 == 4 {
            let (columns, rows) = [(200, 60), (30, 9), (80, 24), (120, 40)][chunk / 5 % 4];
            session.set_size(columns, rows).catch_up();
        }
    }
}

#[test]
fn five_thousand_keys_end_nothing_and_change_nothing() {
    let home = home_with_study();
    let before = std::fs::read(study(&home)).unwrap();
    let mut session = browse(&home, &[]);
    soak(&mut session, 5_000);
    session.quit();
    assert_eq!(session.terminal().heard().strange, [] as [&str; 0]);
    assert!(std::fs::read(study(&home)).unwrap() == before, "looking wrote to the study");
}

#[test]
fn what_others_said_stays_whatever_is_tagged() {
    let home = home_with_study();
    let exported = |home: &Desk| {
        let text = home.out(&[
            "export",
            study(home).to_str().unwrap(),
            "--what",
            "judgments",
            "--names",
            "--with-text",
        ]);
        let is_own = |line: &&str| line.contains("\"annotator\":\"zoe\"") || line.contains("\"id\":\"zoe\"");
        text.lines().filter(|line| !is_own(line)).map(str::to_owned).collect::<Vec<String>>()
    };
    let before = exported(&home);
    let mut session = browse(&home, &["--as", "zoe"]);
    soak(&mut session, 1_000);
    session.quit();
    assert_eq!(exported(&home), before);
}
