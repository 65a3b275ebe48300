//! The terminal changes its size, and looks without colours.

use crate::harness::{Desk, Session};

/// Opens the demo as someone who has judged nothing yet, at the second item and with one answer given there.
fn open(home: &Desk) -> Session {
    let mut session = home.open_demo("zoe");
    session.type_keys("\r").wait_for("item 2 of 119 · 0 judged");
    session.answer("p", "● p partial");
    session.catch_up();
    session
}

#[test]
fn another_size_keeps_the_item_and_its_screen() {
    let home = Desk::with_demo();
    let mut session = open(&home);
    let before = session.rows();
    assert!(session.shows("▸Summary 1 of 22 ─ Document "), "tabs");
    session.resize(200, 60);
    check_two_columns(&session);
    assert!(session.shows("item 2 of 119 · 0 judged"));
    session.resize(30, 8);
    assert!(session.rows()[0].starts_with(" demo.db"), "{:#?}", session.rows());
    session.resize(80, 24);
    assert_eq!(session.rows(), before);
    session.answer("1", "item 3 of 119 · 1 judged");
    session.quit();
    let stored = home.judgments(home.demo(), "coverage", "zoe");
    assert_eq!(stored.len(), 1);
}

/// The document stands beside the summary, with the judgment under it.
fn check_two_columns(session: &Session) {
    let titles = session.row_with("Document 3 of 22 ─ ");
    assert!(titles.contains("┬─ Insight 2 of 5 ─"), "{titles}");
    let parts = |row: &String| {
        let (left, right) = row.split_once(['│', '├'])?;
        Some((left.trim().to_owned(), right.trim().to_owned()))
    };
    let both: Vec<(String, String)> = session.rows().iter().filter_map(parts).collect();
    let is_text = |text: &str| text.chars().filter(|character| character.is_alphabetic()).count() > 20;
    let beside = both.iter().filter(|(left, right)| is_text(left) && is_text(right));
    assert!(beside.count() >= 3, "{both:#?}");
    for title in ["─▸Summary 1 of 22 ─ ", "─ Judgment ─"] {
        assert!(both.iter().any(|(_, right)| right.starts_with(title)), "{title}");
    }
    assert!(both.iter().any(|(_, right)| right.contains("● p partial")));
}

#[test]
fn no_size_is_too_small() {
    let home = Desk::with_demo();
    let mut session = open(&home);
    let before = session.rows();
    for (columns, rows) in [(1, 1), (2, 30), (200, 1), (3, 3), (400, 100), (10, 2)] {
        session.set_size(columns, rows);
        session.catch_up();
    }
    session.set_size(9, 4);
    session.type_keys("?jjj?i ig\x1b[B\x03/x\x03c\x03:\x03z\tz").catch_up();
    session.resize(80, 24);
    session.wait_for("▸Summary 1 of 22 ─ Document ");
    session.catch_up();
    assert_eq!(session.rows(), before);
    session.quit();
}

/// The parameters of every sequence that sets colours and modifiers.
fn pens(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output).into_owned();
    let sequences = text.split("\x1b[").skip(1);
    let pens = sequences.filter_map(|sequence| {
        let (parameters, _) = sequence.split_once('m')?;
        let is_pen = parameters.chars().all(|sign| sign.is_ascii_digit() || sign == ';');
        is_pen.then(|| parameters.to_owned())
    });
    pens.collect()
}

fn is_coloured(pen: &str) -> bool {
    pen.split(';').any(|number| matches!(number.parse(), Ok(30..=49 | 58 | 90..=107)))
}

/// Goes through all that has colours: answers, a search, the help, the guideline, the list, every theme.
fn look_around(session: &mut Session) {
    session.wait_for("item 1 of 119 · 0 judged");
    session.answer("p", "● p partial");
    session.type_keys("/the\r").wait_for("hit 1 of ");
    session.type_keys("?").wait_for("─ Keys ─");
    session.type_keys("?").wait_while("─ Keys ─");
    session.type_keys("i").wait_for("─ Guideline ─");
    session.type_keys("i").wait_while("─ Guideline ─");
    session.type_keys("g").wait_for("119 of 119 items");
    session.type_keys("\x1b").wait_while("119 of 119 items");
    for _ in 0..3 {
        session.type_keys("\x14").catch_up();
    }
}

#[test]
fn no_color_is_honoured() {
    let home = Desk::with_demo();
    for (value, has_colours) in [("1", false), ("", true)] {
        let mut session = home.start_in((80, 24), &["demo", "--as", "zoe"], &[("NO_COLOR", value)]);
        look_around(&mut session);
        session.type_keys("u").wait_for("○ p partial");
        let pens = pens(session.quit());
        let coloured: Vec<&String> = pens.iter().filter(|pen| is_coloured(pen)).collect();
        assert_eq!(!coloured.is_empty(), has_colours, "NO_COLOR={value:?}: {coloured:?}");
        assert!(pens.iter().any(|pen| pen.split(';').any(|number| number == "1")), "bold remains");
    }
}
