//! The mouse does what keys do.

use super::desk::{Desk, coverage_desk};
use super::kinds::{desk_for, first, typed};
use crate::app::kit::{Input, Mouse, MouseKind};
use crate::protocol::Pane;
use crate::text::width::width;

/// Drags over the first row of a text, between two of its columns.
fn drag(desk: &mut Desk, pane: Pane, from: u16, to: u16) {
    let body = desk.app.layout.panes.place(pane).expect("a place").body;
    for (kind, column) in [(MouseKind::Click, from), (MouseKind::Drag, to)] {
        desk.send(Input::Mouse(Mouse { kind, column: body.x + column, row: body.y }, desk.now));
    }
}

#[test]
fn the_mouse_answers_and_opens() {
    let mut desk = coverage_desk();
    desk.resize(120, 40);
    let body = desk.app.layout.judgment.body;
    let click = |desk: &mut Desk, column: u16, row: u16| {
        desk.wait(1_000);
        let mouse = Mouse { column, row, kind: MouseKind::Click };
        desk.send(Input::Mouse(mouse, desk.now));
        desk.show();
    };
    click(&mut desk, body.x + 13, body.y);
    assert_eq!(desk.stored(1), r#"{"coverage":"full"}"#);
    let summary = desk.app.layout.panes.place(Pane::Candidate).expect("on the screen").body;
    click(&mut desk, summary.x + 4, summary.y + 1);
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
}

#[test]
fn a_click_on_a_title_answers_nothing() {
    let mut desk = coverage_desk();
    desk.resize(120, 40).press("f");
    let title = desk.app.layout.panes.place(Pane::Candidate).expect("on the screen").title;
    desk.wait(1_000);
    let mouse = Mouse { column: title.x + 4, row: title.y, kind: MouseKind::Click };
    desk.send(Input::Mouse(mouse, desk.now));
    assert_eq!(desk.stored(1), r#"{"coverage":"full"}"#);
}

#[test]
fn the_mouse_selects_the_passage_of_a_new_point() {
    let mut desk = desk_for("extraction");
    drag(&mut desk, Pane::Documents, 5, 17);
    desk.press("enter");
    typed(&mut desk, "It was downloaded");
    desk.press("enter");
    let point = first(&desk)["points"][0].clone();
    assert_eq!(
        (point["text"].as_str(), point["passages"][0]["quote"].as_str()),
        (Some("It was downloaded"), Some("I downloaded"))
    );
    assert!(desk.app.frame.overlays.is_empty());
    desk.press("enter 0");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (3, r#"{"points":null}"#));
}

#[test]
fn the_mouse_selects_a_passage_of_the_summary() {
    let mut desk = desk_for("hallucination");
    drag(&mut desk, Pane::Candidate, 2, 4);
    let text = desk.app.text(Pane::Candidate).to_owned();
    let selected = desk.app.selection().expect("a selection").clone();
    assert_eq!((selected.document, selected.span.slice(&text)), (0, text.get(..3).expect("ASCII")));
    // A drag that ends elsewhere goes to the nearest edge of its own text.
    let drag_to = |desk: &mut Desk, column: u16, row: u16| {
        desk.send(Input::Mouse(Mouse { kind: MouseKind::Drag, column, row }, desk.now));
        desk.app.selection().map(|now| now.span.slice(&text).to_owned())
    };
    let body = desk.app.layout.panes.place(Pane::Candidate).expect("a place").body;
    assert_eq!(drag_to(&mut desk, body.x, body.y - 1).as_deref(), text.get(..1));
    let row = drag_to(&mut desk, body.right() - 1, body.y);
    assert_eq!(drag_to(&mut desk, body.right() + 1, body.y), row);
}

#[test]
fn the_second_of_a_double_click_does_not_answer_the_next_item() {
    for between in [80, 200] {
        let mut desk = coverage_desk();
        desk.resize(120, 40).wait(1_000);
        let body = desk.app.layout.judgment.body;
        let row: String =
            desk.app.judgment_lines(body.width).lines[0].iter().map(|one| one.text.as_str()).collect();
        let (before, _) = row.split_once("none").expect("an answer");
        let column = body.x + u16::try_from(width(before)).expect("a column");
        let mut click = |wait: i64| {
            desk.wait(wait);
            desk.send(Input::Mouse(Mouse { kind: MouseKind::Click, column, row: body.y }, desk.now));
            desk.show();
            (desk.item_number(), desk.progress().judged)
        };
        assert_eq!((click(0), click(between)), ((2, 1), (2, 1)), "{between} ms");
        assert_eq!(click(1_000), (3, 2), "now it is read");
    }
}
