//! The screen, drawn at several sizes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw;
use crate::app::screens::adjudicate::tests::desk::{Desk, coverage_desk, keypoint_desk, review_desk};
use crate::view::kit::themes;
use crate::view::screens::annotate::tests::{rows, styled};

fn buffer(desk: &Desk) -> Buffer {
    let (columns, rows) = desk.screen.app.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(&desk.screen, &themes()[0], &mut buffer);
    buffer
}

fn snapshot(name: &str, desk: &Desk) {
    insta::assert_snapshot!(name, styled(&buffer(desk)));
}

#[test]
fn side_by_side() {
    let mut desk = coverage_desk();
    desk.resize(80, 24);
    snapshot("adjudicate_80x24", &desk);
    desk.press("2 G c h a l f enter");
    snapshot("adjudicate_80x24_settled", &desk);
    desk.press(": 3 enter").resize(200, 60);
    snapshot("adjudicate_200x60", &desk);
    desk.resize(80, 24).press("?");
    snapshot("adjudicate_80x24_help", &desk);
}

#[test]
fn in_chinese() {
    let mut desk = keypoint_desk();
    desk.resize(80, 24);
    snapshot("adjudicate_chinese_80x24", &desk);
    desk.resize(200, 60);
    snapshot("adjudicate_chinese_200x60", &desk);
}

#[test]
fn a_review_shows_both() {
    let mut desk = review_desk();
    desk.resize(80, 24);
    snapshot("review_80x24", &desk);
}

#[test]
fn any_size_is_drawn_and_drawing_changes_nothing() {
    let mut desk = coverage_desk();
    desk.press(": 3 enter");
    for (columns, lines) in [(0, 0), (1, 1), (5, 3), (20, 8), (40, 12), (80, 24), (300, 100)] {
        desk.resize(columns, lines);
        assert_eq!(rows(&buffer(&desk)), rows(&buffer(&desk)), "{columns} × {lines}");
    }
}
