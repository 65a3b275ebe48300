//! Places by the size of the screen: the guideline beside the item, and the measure of texts.

use super::desk::{Desk, coverage_desk, items_for};
use crate::app::kit::{Input, Mouse, MouseKind, Overlay};
use crate::protocol::{Pane, builtin};

fn is_over(desk: &Desk) -> bool {
    matches!(desk.app.frame.overlays.last(), Some(Overlay::Guideline { .. }))
}

/// The first row of the guideline beside the item.
fn top(desk: &Desk) -> usize {
    desk.app.drawer().expect("beside the item").0.page.scroll
}

#[test]
fn the_guideline_stands_beside_the_item_where_there_is_room_and_one_judges_on() {
    let mut desk = coverage_desk();
    desk.resize(159, 30).press("i");
    assert!(is_over(&desk) && desk.app.drawer().is_none());
    desk.press("i").resize(160, 20).press("i");
    assert!(desk.app.frame.overlays.is_empty() && desk.app.drawer().is_some());
    for pane in [Pane::Documents, Pane::Unit, Pane::Candidate] {
        assert!(desk.app.layout.panes.height(pane) > 0, "{pane:?} stays");
    }
    desk.press("f 2");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"bullet":2,"coverage":"full"}"#));
    assert!(desk.app.drawer().is_some(), "it stays from one item to the next");
    desk.press("i");
    assert!(desk.app.drawer().is_none());
}

#[test]
fn the_guideline_beside_the_item_opens_at_the_question_and_is_scrolled_by_keys_and_wheel() {
    let mut desk = coverage_desk();
    desk.resize(200, 20).press("i");
    assert!(desk.app.is_in_drawer());
    assert_eq!(top(&desk), 0);
    desk.press("down down");
    assert_eq!(top(&desk), 2);
    desk.press("tab down");
    assert_eq!(top(&desk), 2, "a pane has the keys");
    assert!(!desk.app.is_in_drawer());
    desk.press("backtab up");
    assert_eq!(top(&desk), 1);
    let place = desk.app.layout.drawer.expect("a place").body;
    let at = |kind| Mouse { kind, column: place.x + 3, row: place.y + 3 };
    let wheel = at(MouseKind::WheelDown);
    desk.send(Input::Mouse(wheel, desk.now));
    assert_eq!(top(&desk), 4);
    desk.press("esc");
    assert!(desk.app.drawer().is_none());
    desk.press("f i");
    let (drawer, place) = desk.app.drawer().expect("beside the item");
    let rows = drawer.page.scroll..drawer.page.scroll + usize::from(place.body.height);
    let seen = |row| drawer.page.row(row).is_some_and(|(_, paragraph)| paragraph.text() == "By bullet");
    assert!(rows.into_iter().any(seen), "the question that is open");
}

#[test]
fn a_narrower_screen_hides_the_guideline_and_a_wider_one_shows_it_again() {
    let mut desk = coverage_desk();
    desk.resize(200, 30).press("i").resize(80, 24);
    assert!(desk.app.drawer().is_none() && !desk.app.is_in_drawer());
    desk.press("i");
    assert!(is_over(&desk));
    desk.press("i").resize(200, 30);
    assert!(desk.app.drawer().is_some());
}

#[test]
fn a_short_summary_and_its_documents_are_both_on_a_narrow_screen_and_keys_scroll_what_has_more() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        let mut documents = item.documents.to_vec();
        documents[0].text = "A line.\n".repeat(60);
        item.documents = documents.into();
        item.evidence.clear();
    }
    desk.resize(80, 24).press("right right right left left left");
    let height = |desk: &Desk, pane| desk.app.layout.panes.height(pane);
    assert!(desk.app.layout.tabs.is_empty());
    assert!(
        height(&desk, Pane::Candidate) >= 3 && height(&desk, Pane::Documents) >= 7,
        "{:?}",
        desk.app.layout
    );
    assert_eq!(desk.app.focus, Pane::Candidate);
    desk.press("home down down");
    assert_eq!((desk.app.boards[Pane::Candidate].scroll, desk.app.boards[Pane::Documents].scroll), (0, 2));
    for item in &mut desk.items {
        item.candidate.as_mut().expect("a summary").text = "- A bullet.\n".repeat(30);
    }
    desk.press("right right right left left left down");
    assert_eq!(desk.app.layout.tabs, [Pane::Candidate, Pane::Documents]);
    assert_eq!(desk.app.boards[Pane::Candidate].scroll, 1);
}

#[test]
fn tab_visits_every_pane_that_has_more() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        item.unit.as_mut().expect("an insight").text = "a word ".repeat(100);
        item.candidate.as_mut().expect("a summary").text = "- A bullet.\n".repeat(30);
        let mut documents = item.documents.to_vec();
        documents[0].text = "A line.\n".repeat(60);
        item.documents = documents.into();
        item.evidence.clear();
    }
    desk.resize(80, 24).press("right left");
    let mut visited = Vec::new();
    for _ in 0..6 {
        visited.push(desk.app.focus);
        desk.press("tab");
    }
    let round = [Pane::Candidate, Pane::Documents, Pane::Unit];
    assert_eq!(visited, [round, round].concat());
    desk.press("backtab");
    assert_eq!(desk.app.focus, Pane::Unit);
}

#[test]
fn on_a_tiny_screen_an_item_opens_on_what_is_asked_about() {
    let mut desk = coverage_desk();
    desk.resize(40, 10).press("right");
    assert_eq!(desk.app.focus, Pane::Unit);
    desk.press("tab x");
    assert_eq!(desk.app.focus, Pane::Unit, "each of them");
    // As in a terminal: its size is known before the first item is.
    let desk =
        Desk::sized(builtin("coverage").expect("built in").clone(), coverage_desk().study.items, (40, 10));
    assert_eq!(desk.app.focus, Pane::Unit);
}

#[test]
fn rows_of_text_are_as_long_as_was_chosen() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        let long = "a word ".repeat(100);
        item.candidate.as_mut().expect("a summary").text = format!("- {long}\n- {long}");
    }
    desk.resize(400, 60).press("right right right left left left");
    let longest = |desk: &Desk| {
        let board = &desk.app.boards[Pane::Candidate];
        (0..board.len()).filter_map(|row| board.row(row)).map(|row| row.bytes.len()).max().unwrap_or(0)
    };
    // The number takes two columns.
    assert!((81..=88).contains(&longest(&desk)), "{}", longest(&desk));
    desk.press("L");
    assert!((101..=108).contains(&longest(&desk)), "{}", longest(&desk));
    assert_eq!(desk.app.frame.notice.text, "texts are at most 110 columns wide");
    desk.press("L L");
    assert!((61..=68).contains(&longest(&desk)), "{}", longest(&desk));
}

#[test]
fn the_same_keys_answer_two_questions_in_turn() {
    let protocol = builtin("faithfulness").expect("built in").clone();
    let mut desk = Desk::under(protocol.clone(), items_for(&protocol, 3));
    desk.press("y p");
    assert_eq!(desk.stored(1), r#"{"comprehensive":"partially","faithful":"yes"}"#);
    assert_eq!(desk.item_number(), 2);
    desk.press("left n n");
    assert_eq!(desk.stored(1), r#"{"comprehensive":"no","faithful":"no"}"#);
    desk.press("p");
    assert_eq!(desk.stored(1), r#"{"comprehensive":"no","faithful":"partially"}"#, "going round");
    desk.press("right y u n");
    assert_eq!(desk.stored(2), r#"{"faithful":"no"}"#, "what is taken back is open again");
}

#[test]
fn a_held_key_does_not_answer_the_second_question() {
    let protocol = builtin("faithfulness").expect("built in").clone();
    let mut desk = Desk::under(protocol.clone(), items_for(&protocol, 3));
    desk.wait(5_000);
    let strike = |desk: &mut Desk, wait| {
        desk.wait(wait);
        desk.press_now("y");
        desk.show();
    };
    strike(&mut desk, 0);
    strike(&mut desk, 500);
    for _ in 0..10 {
        strike(&mut desk, 30);
    }
    assert_eq!((desk.stored(1).as_str(), desk.item_number()), (r#"{"faithful":"yes"}"#, 1));
    assert!(desk.app.frame.notice.text.starts_with("a key was held down, so taken back"));
    strike(&mut desk, 1_000);
    assert_eq!(desk.stored(1), r#"{"comprehensive":"yes","faithful":"yes"}"#, "now it is meant");
    // A quick typist holds no key down.
    strike(&mut desk, 400);
    strike(&mut desk, 130);
    assert_eq!(desk.stored(2), r#"{"comprehensive":"yes","faithful":"yes"}"#);
}
