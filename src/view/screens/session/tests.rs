//! A session's screen, drawn: rows of cells, and under each row the styles that differ from plain text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw;
use crate::app::screens::session::tests::booth::{Booth, chinese_documents, document};
use crate::journal::session::{MINUTE, SessionDraft};
use crate::view::kit::themes;
use crate::view::screens::annotate::tests::styled;

fn buffer(booth: &Booth) -> Buffer {
    let (columns, rows) = booth.app.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(&booth.app, &themes()[0], &mut buffer);
    buffer
}

fn snapshot(name: &str, booth: &Booth) {
    insta::assert_snapshot!(name, styled(&buffer(booth)));
}

/// A session of some minutes: three bullets with everything that can be wrong.
fn written() -> Booth {
    let mut booth = Booth::new();
    booth.press("enter").wait(12 * MINUTE + 5_000).press("tab");
    booth.write("They work 25 minutes with a kitchen timer and rest for five, which got one of them through a chapter");
    booth.press("ctrl-n enter").write("An app helps [3,99]\nWalks").press("up");
    booth
}

#[test]
fn reading_and_writing_narrow() {
    let mut booth = Booth::new();
    booth.resize(80, 24);
    snapshot("session_80x24_briefing", &booth);
    booth.press("enter").wait(3_000).press("/ t i m e r");
    snapshot("session_80x24_search", &booth);
    booth.press("enter g").write("wed");
    snapshot("session_80x24_list", &booth);
    let mut booth = written();
    booth.resize(80, 24);
    snapshot("session_80x24_writing", &booth);
    booth.press("f10");
    snapshot("session_80x24_finish", &booth);
    booth.press("esc ctrl-p");
    snapshot("session_80x24_paused", &booth);
}

#[test]
fn reading_and_writing_side_by_side() {
    let mut booth = written();
    booth.resize(120, 40);
    snapshot("session_120x40", &booth);
    booth.press("tab f2").resize(200, 60);
    snapshot("session_200x60", &booth);
}

#[test]
fn a_session_in_chinese() {
    let query = "电动汽车冬天为什么续航下降？怎样减少损失？";
    let mut booth = Booth::with(query, chinese_documents(), 90 * MINUTE);
    booth
        .press("enter")
        .wait(2_000)
        .press("tab")
        .write("低温使电池的化学反应变慢，暖风也要用电。")
        .press("ctrl-n enter");
    booth.write("出发前预热电池，可以减少损失，车速不要超过一百公里").resize(80, 24);
    snapshot("session_chinese_80x24", &booth);
    booth.resize(120, 40);
    snapshot("session_chinese_120x40", &booth);
}

#[test]
fn a_title_without_room_in_the_list_ends_in_an_ellipsis() {
    for (title, shown) in [("W".repeat(120), "W… "), ("续航".repeat(60), "… ")] {
        let mut booth = Booth::with("Q?", vec![document(1, &title, "They rest.")], 90 * MINUTE);
        booth.press("enter").wait(2_000).resize(120, 40);
        let buffer = buffer(&booth);
        let row = |y| (0..120).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        let listed = (0..40).map(row).find(|row| row.contains("   [1] ")).expect("the document's row");
        assert!(listed.contains(shown), "{listed}");
    }
}

#[test]
fn the_other_pages() {
    let mut booth = Booth::new();
    booth.resize(80, 24).reset(|opening| opening.has_judged = true).resize(80, 24);
    snapshot("session_80x24_has_judged", &booth);
    booth.press("y f1");
    snapshot("session_80x24_help", &booth);
    booth.press("esc").wait(120 * MINUTE);
    snapshot("session_80x24_time_up", &booth);
    booth.wait(2_000).press("e");
    snapshot("session_80x24_over", &booth);
}

#[test]
fn a_draft_is_told_and_instructions_are_a_key_away() {
    let mut booth = Booth::new();
    let draft = SessionDraft { system: "oracle large-a".to_owned(), text: "They rest [3]".to_owned() };
    booth.reset(|opening| {
        opening.session.text.clone_from(&draft.text);
        opening.setup.draft = Some(draft);
        opening.setup.guideline = Some("# Ours\n\n- Write as for a colleague.\n".to_owned());
    });
    booth.resize(80, 24);
    snapshot("session_80x24_draft", &booth);
    booth.resize(200, 60).press("i");
    snapshot("session_200x60_instructions", &booth);
}

#[test]
fn a_hidden_clock_is_nowhere() {
    let mut booth = Booth::new();
    booth.reset(|opening| opening.setup.shows_clock = false).press("enter").wait(60_000);
    for (columns, rows) in [(80, 24), (200, 60)] {
        booth.resize(columns, rows);
        assert!(!styled(&buffer(&booth)).contains("left"));
        booth.press("ctrl-p");
        assert!(!styled(&buffer(&booth)).contains("0:0"));
        booth.press("enter");
    }
}

#[test]
fn documents_are_on_no_screen_while_the_clock_stands_still() {
    let mut booth = Booth::new();
    let shows = |booth: &mut Booth| {
        [(80, 24), (120, 40), (200, 60)].iter().any(|(columns, rows)| {
            booth.resize(*columns, *rows);
            let text = styled(&buffer(booth));
            text.contains("kitchen") || text.contains("Tuesday")
        })
    };
    assert!(!shows(&mut booth));
    booth.press("enter");
    assert!(shows(&mut booth));
    booth.press("p");
    assert!(!shows(&mut booth));
    booth.press("enter").wait(121 * MINUTE);
    assert!(!shows(&mut booth));
}

#[test]
fn hostile_text_reaches_no_cell() {
    let mut booth = Booth::new();
    booth.reset(|opening| {
        opening.query.text = "red \u{1b}[31m\u{7}\u{9b}2J\u{202e}evil\u{0}".into();
        opening.study = "\u{1b}[2Jstudy".into();
        opening.name = "al\u{1b}ice\n".into();
        for document in &mut opening.documents {
            document.title = Some("a\u{1b}]52;c;AAAA\u{7}b\r\n".into());
            document.text = "\u{8}\u{8}\u{1b}c text \u{202d}".into();
        }
    });
    for keys in ["", "enter", "tab \u{202e} f2", "f10", "esc f1", "esc p"] {
        booth.press(keys);
        for (columns, lines) in [(80, 24), (200, 60), (30, 8)] {
            booth.resize(columns, lines);
            for cell in buffer(&booth).content() {
                let is_safe = cell.symbol().chars().all(|character| {
                    !character.is_control() && !('\u{202a}'..='\u{202e}').contains(&character)
                });
                assert!(is_safe, "{:?}", cell.symbol());
            }
        }
    }
}

#[test]
fn every_size_is_drawn_and_drawing_changes_nothing() {
    let mut booth = written();
    for keys in ["", "tab", "f2", "tab", "f1", "esc tab /", "esc f10", "esc p"] {
        booth.press(keys);
        for columns in (0..24).chain([79, 80, 119, 120, 159, 160, 400]) {
            for lines in (0..16).chain([24, 100]) {
                booth.resize(columns, lines);
                assert_eq!(buffer(&booth), buffer(&booth));
            }
        }
    }
}
