//! Chinese texts: wide glyphs stand where they should, and what is typed in Chinese is found and kept.

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

/// Every row ends within the screen, every title reaches its right edge, and the line between columns is straight.
/// The emulator measures glyphs by itself.
fn check_aligned(session: &Session) {
    let screen = session.terminal().screen();
    let (rows, columns) = screen.size();
    let sign = |row: u16, column: u16| screen.cell(row, column).unwrap().contents();
    let last = columns.get() - 1;
    let rows_as_text = session.rows();
    let mut dividers = Vec::new();
    for row in 0..rows.get() {
        assert!(!screen.row_wrapped(row), "row {row} goes on in the next: {rows_as_text:#?}");
        if sign(row, 0) == "─" && sign(row, last) != "─" {
            // Only a title that is too long for its row may end otherwise, with a column too few for its next glyph.
            let text = &rows_as_text[usize::from(row)];
            assert!(!text.ends_with('─'), "row {row}: {rows_as_text:#?}");
            assert!(
                (last - 2..=last).any(|column| sign(row, column).trim() != ""),
                "row {row}: {rows_as_text:#?}"
            );
        }
        let divider = (0..=last).find(|column| matches!(sign(row, *column), "│" | "├" | "┤" | "┼" | "┬"));
        dividers.extend(divider);
    }
    dividers.dedup();
    assert!(dividers.len() <= 1, "dividers in columns {dividers:?}: {rows_as_text:#?}");
}

/// Goes to the one key point that fits `words`.
fn go_to(session: &mut Session, words: &str) {
    session.type_keys("g").wait_for("46 of 46 items");
    check_aligned(session);
    session.type_keys(words).wait_for(" 1 of 46 items");
    check_aligned(session);
    session.type_keys("\r").wait_while("Go to");
}

/// The text of a sample unit on the screen starts the key point's board.
fn keypoint_on_screen(session: &Session) -> String {
    let rows = session.rows();
    let title = rows.iter().position(|row| row.contains("─ Key point ")).unwrap();
    rows[title + 1].trim().to_owned()
}

/// The sample's Chinese key point of this text.
fn unit_of(text: &str) -> Value {
    let sample = include_str!("../../../sample_data/questions_zh.jsonl");
    let mut records = sample.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let unit = records.find(|record| {
        record["type"] == "unit" && record["text"].as_str().is_some_and(|whole| whole.starts_with(text))
    });
    unit.unwrap_or_else(|| panic!("no key point {text:?}"))
}

#[test]
fn a_chinese_key_point_is_found_and_judged() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo", "--protocol", "keypoint", "--as", "zoe"]);
    session.wait_for("· 0 judged");
    go_to(&mut session, "电池内阻");
    check_aligned(&session);
    let text = keypoint_on_screen(&session);
    assert!(text.starts_with("低温使电池内阻升高"), "{text}");
    session.answer("y", "● y yes");
    check_aligned(&session);
    session.answer("a", "26 of 46 · 1 judged");
    check_aligned(&session);
    session.quit();
    let stored = home.judgments(home.demo(), "keypoint", "zoe");
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["answers"], json!({"grounded": "yes", "validity": "agree"}));
    assert_eq!(stored[0]["unit"], unit_of(&text)["id"]);
}

#[test]
fn chinese_rows_are_aligned_at_every_size_and_place() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo", "--protocol", "keypoint", "--as", "zoe"]);
    session.wait_for("· 0 judged");
    go_to(&mut session, "电池内阻");
    for (columns, rows) in [(200, 60), (121, 40), (120, 30), (101, 24), (80, 24), (79, 24), (63, 12)] {
        session.resize(columns, rows);
        check_aligned(&session);
        for keys in ["j", "jjj", " ", "b", "\x1b[F", "\x1b[H", ".", ","] {
            session.type_keys(keys).catch_up();
            check_aligned(&session);
        }
    }
    session.quit();
}

#[test]
fn chinese_words_are_searched_for_and_written() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo", "--protocol", "keypoint", "--as", "zoe"]);
    session.wait_for("· 0 judged");
    go_to(&mut session, "电池内阻");
    session.type_keys("/续航").wait_for(" 1 here, 5 in 3 documents ");
    check_aligned(&session);
    session.type_keys("\r").wait_for("hit 1 of 1 here · 3 documents have some");
    session.type_keys("c不确定，ok 😀").wait_for("不确定，ok 😀");
    check_aligned(&session);
    session.type_keys("\x7f\x7f\x7f好\r").wait_for("“不确定，o好”");
    check_aligned(&session);
    session.quit();
    let stored = home.judgments(home.demo(), "keypoint", "zoe");
    assert_eq!(stored[0]["comment"], "不确定，o好");
}
