//! The browse screen, drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw;
use crate::app::screens::browse::tests::desk::{Desk, desk};
use crate::journal::{Decision, EventId, Verdict, Writer};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::fingerprint;
use crate::view::kit::picture::tests::faint;
use crate::view::kit::themes;
use crate::view::screens::annotate::tests::styled;

fn buffer(desk: &Desk) -> Buffer {
    let (columns, rows) = desk.browse.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(&desk.browse, &themes()[0], &mut buffer);
    buffer
}

fn snapshot(name: &str, desk: &Desk) {
    insta::assert_snapshot!(name, styled(&buffer(desk)));
}

#[test]
fn tables_and_panes() {
    let mut desk = desk();
    snapshot("candidates_80x24", &desk);
    desk.press("tab tab");
    snapshot("candidates_80x24_scores", &desk);
    desk.press("esc").resize(200, 60);
    snapshot("candidates_200x60", &desk);
    desk.resize(80, 24).press("5 j tab");
    snapshot("items_80x24", &desk);
    desk.press("esc 4 S").type_text("joint").press("enter");
    snapshot("systems_80x24_sorted", &desk);
}

#[test]
fn every_letter_can_be_read_in_every_theme() {
    let mut desk = desk();
    for keys in ["", "tab", "esc C", "esc P", "esc A", "esc m j m", "esc ?", "esc esc 4"] {
        desk.press(keys);
        for theme in themes() {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
            draw(&desk.browse, theme, &mut buffer);
            assert_eq!(faint(&buffer, theme), [""; 0], "{} {keys:?}", theme.name);
        }
    }
}

#[test]
fn settled_items_are_marked() {
    let mut desk = desk();
    let marked = |desk: &Desk| styled(&buffer(desk)).lines().filter(|row| row.starts_with(" ✓")).count();
    desk.press("5");
    assert_eq!(marked(&desk), 0);
    let decision = Decision {
        verdict: Verdict::default(),
        by: AnnotatorId(1),
        event: EventId { writer: Writer(1), seq: 1 },
        at: None,
        protocol: fingerprint(["p"]),
        texts: fingerprint(["t"]),
    };
    desk.browse.tables.decide("coverage", ItemId(2), Some(decision));
    assert_eq!(marked(&desk), 1);
}

#[test]
fn numbers() {
    let mut desk = desk();
    desk.press("P");
    snapshot("position_80x24", &desk);
    desk.press("tab");
    snapshot("order_80x24", &desk);
    desk.press("esc T");
    snapshot("tags_80x24", &desk);
    desk.press("esc A");
    snapshot("agreement_80x24", &desk);
    desk.press("l enter");
    snapshot("confusion_80x24", &desk);
}

#[test]
fn comparisons() {
    let mut desk = desk();
    desk.press("m j m");
    snapshot("compare_80x24", &desk);
    desk.press("d").resize(120, 30);
    snapshot("compare_120x30_words", &desk);
    desk.resize(80, 24).press("esc 4 m j m");
    snapshot("duel_80x24", &desk);
}

#[test]
fn overlays() {
    let mut desk = desk();
    desk.press("/").type_text("system:gpt-4o join<");
    snapshot("filter_80x24_wrong", &desk);
    desk.press("ctrl-u").type_text("system:gpt-4o system:gpt-4o system:gpt-4o join<");
    snapshot("filter_80x24_far", &desk);
    desk.press("esc / j o");
    snapshot("filter_80x24_offers", &desk);
    desk.press("esc C");
    snapshot("columns_80x24", &desk);
    desk.press("esc t");
    snapshot("tag_80x24", &desk);
    desk.press("esc ?");
    snapshot("browse_help_80x24", &desk);
}

#[test]
fn every_size_is_drawn_and_drawing_changes_nothing() {
    let mut desk = desk();
    for keys in ["", "tab", "esc /", "esc C", "esc ?", "esc P", "esc A", "esc m j m", "d", "esc z"] {
        desk.press(keys);
        for columns in (0..12).chain([30, 79, 80, 121, 200]) {
            for rows in (0..14).chain([24, 60]) {
                desk.resize(columns, rows);
                assert_eq!(buffer(&desk), buffer(&desk));
            }
        }
        desk.resize(80, 24);
    }
}
