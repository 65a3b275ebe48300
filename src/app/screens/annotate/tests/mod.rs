//! Keys, and then the stored answers and the screen.

mod calibration;
pub(crate) mod desk;
mod elsewhere;
mod held;
mod kinds;
mod pointing;
mod rest;
mod room;

use proptest::prelude::*;

use crate::app::kit::{Input, NOT_KEPT, Overlay, PUT_ASIDE, Prompt, Screen};
use crate::error::Error;
use crate::journal::{Event, Happening};
use crate::protocol::Pane;
use crate::study::ItemId;
use crate::text::span::Span;
use desk::{Desk, coverage_desk, keypoint_desk};

/// Presses `keys`, then checks the item on the screen and the stored answers of item 1.
fn check(keys: &str, item: usize, first: &str) {
    let mut desk = coverage_desk();
    desk.press(keys);
    assert_eq!(desk.item_number(), item, "after {keys}");
    assert_eq!(desk.stored(1), first, "after {keys}");
}

#[test]
fn a_study_that_cannot_be_read_ends_the_screen_and_what_was_answered_is_kept() {
    let mut desk = coverage_desk();
    desk.lost = Some(Error::new("the study was moved away"));
    desk.press("x");
    assert_eq!(desk.stored(1), r#"{"coverage":"none"}"#);
    assert_eq!(desk.item_number(), 1, "the next item cannot be read");
    assert_eq!(desk.failed.as_ref().map(Error::reason).as_deref(), Some("the study was moved away"));
    assert!(desk.app.pending.is_none() && !desk.has_quit);
}

#[test]
fn the_last_answers_are_listed_and_lead_back() {
    let mut desk = coverage_desk();
    desk.press("H");
    assert_eq!(desk.app.frame.notice.text, "nothing is answered yet");
    // Item 1 is answered, item 2 too, item 3 only flagged, and item 1 changed.
    desk.press("f 2 p 0 ! left left x H");
    let Some(Overlay::GoTo(list)) = desk.app.frame.overlays.last() else { panic!("a list") };
    let positions: Vec<usize> = list.picker.shown.iter().map(|shown| list.entries[*shown].position).collect();
    assert_eq!(
        (positions, list.told.clone()),
        (vec![0, 1], vec!["none".into(), "partial, no single bullet".into()])
    );
    desk.press("down enter");
    assert_eq!((desk.item_number(), desk.app.frame.overlays.len()), (2, 0));
    desk.press("u H");
    assert_eq!(desk.item_number(), 1, "what undo takes back comes on the screen");
    desk.press("w a l k enter esc");
    assert_eq!(desk.item_number(), 1, "nothing fits");
}

#[test]
fn an_item_is_given_back_with_a_reason() {
    let mut desk = coverage_desk();
    desk.press("R");
    assert!(desk.app.frame.overlays.is_empty(), "nobody types a reason for nothing");
    let refused = desk.app.frame.notice.text.clone();
    assert!(refused.starts_with("only what is assigned to you") && refused.len() < 78, "{refused}");
    desk.app.keeps = Some("the hub takes no item back");
    desk.press("R");
    assert_eq!(desk.app.frame.notice.text, "the hub takes no item back");
    (desk.app.keeps, desk.is_assigned) = (None, true);
    desk.app.queue.held = 1;
    desk.press("R");
    assert_eq!(desk.app.frame.notice.text, "calibration is answered first; s skips an item");
    desk.app.queue.held = 0;
    let all = desk.app.queue.progress.total;
    desk.press("x R enter");
    assert!(desk.given_back.is_empty(), "without a reason it stays");
    desk.wait(9_000);
    desk.press("R o l d enter");
    let active: i64 = desk.events_of(2).iter().map(|event| event.active).sum();
    assert!(active >= 9_000, "the time on it is on record: {active}");
    assert_eq!((desk.given_back.clone(), desk.app.queue.progress.total), (vec!["old".to_owned()], all - 1));
    assert_eq!(
        (desk.item_number(), desk.app.frame.notice.text.as_str()),
        (2, "given back; the lead sees why")
    );
    desk.press("u");
    assert_eq!(desk.app.frame.notice.text, "nothing to undo", "items have other places now");
    desk.press("left R");
    assert!(desk.app.frame.overlays.is_empty(), "what is judged is not given back");
}

#[test]
fn what_is_half_answered_is_said_and_shown() {
    let mut desk = coverage_desk();
    desk.press("f right");
    assert_eq!(desk.app.frame.notice.text, "item 1 is half answered: bullet is open");
    let group = &desk.app.loaded.as_ref().expect("an item").group;
    assert_eq!(group[0].answers.len(), 1, "the strip has what was said");
    desk.press("left 2 left right");
    assert_ne!(desk.app.frame.notice.text, "item 1 is half answered: bullet is open", "it is whole now");
}

#[test]
fn what_is_half_answered_is_said_however_fast_one_goes_on() {
    for key in ["enter", "right", "t"] {
        let mut desk = coverage_desk();
        desk.press("f");
        desk.press_now(key);
        assert_eq!(desk.item_number(), 2, "{key}");
        assert_eq!(desk.app.frame.notice.text, "item 1 is half answered: bullet is open", "{key}");
    }
}

#[test]
fn the_clock_of_an_item_can_be_hidden() {
    let mut desk = coverage_desk();
    desk.press("C");
    assert!(!desk.app.shows_clock && desk.app.frame.notice.text.contains("still recorded"));
    desk.press("C");
    assert!(desk.app.shows_clock);
}

#[test]
fn full_width_keys_command_and_stay_as_they_are_where_text_is_typed() {
    let mut desk = coverage_desk();
    desk.press("！");
    assert_eq!(desk.app.frame.notice.text, "✓ insight 1: flagged");
    desk.press("／ ！ ｆ");
    assert_eq!(desk.app.frame.prompt().map(|prompt| prompt.text()).as_deref(), Some("！ｆ"));
}

#[test]
fn one_key_an_answer_and_on_to_the_next() {
    check("x", 2, r#"{"coverage":"none"}"#);
    check("f", 1, r#"{"coverage":"full"}"#);
    check("f 2", 2, r#"{"bullet":2,"coverage":"full"}"#);
    check("p 0", 2, r#"{"bullet":null,"coverage":"partial"}"#);
    check("f p x", 2, r#"{"coverage":"none"}"#);
    // As an input method for Chinese sends them.
    check("ｆ ２", 2, r#"{"bullet":2,"coverage":"full"}"#);
}

#[test]
fn the_rule_between_label_and_link_is_kept_at_entry() {
    check("3", 1, "{}");
    check("f 4", 1, r#"{"coverage":"full"}"#);
    check("f 2 left x", 1, r#"{"coverage":"none"}"#);
    check("f 2 left x f", 1, r#"{"coverage":"full"}"#);
    let mut desk = coverage_desk();
    desk.press("3");
    assert_eq!(
        desk.app.frame.notice.text,
        "\"By bullet\" comes after \"Covered?\": answer \"Covered?\" first"
    );
    desk.press("f 4");
    assert!(desk.app.frame.notice.text.contains("has 3"), "{}", desk.app.frame.notice.text);
}

#[test]
fn changing_an_old_answer_stays_on_the_item_until_enter_leads_back() {
    check("f 2 left p", 1, r#"{"bullet":2,"coverage":"partial"}"#);
    check("x left p 3", 1, r#"{"bullet":3,"coverage":"partial"}"#);
    check("x x left left p 3 enter", 3, r#"{"bullet":3,"coverage":"partial"}"#);
    check("x left u f 1", 2, r#"{"bullet":1,"coverage":"full"}"#);
    let mut desk = coverage_desk();
    desk.press("f 2 x left left");
    assert!(desk.app.begun.corrects);
    desk.press("p");
    assert_eq!(desk.app.frame.notice.text, "✓ changed · Covered? full → partial");
    desk.press("x");
    assert_eq!(
        desk.app.frame.notice.text, "✓ changed · Covered? partial → none",
        "the bullet is asked no more"
    );
    desk.press("enter");
    assert_eq!(desk.app.frame.notice.text, "back to item 3, the next one to judge");
    assert!(!desk.app.begun.corrects);
}

#[test]
fn the_same_answer_again_is_no_event() {
    let mut desk = coverage_desk();
    desk.press("x p 3 left");
    let events = desk.events[&ItemId(2)].len();
    desk.press("p");
    assert_eq!(desk.app.frame.notice.text, "insight 2: still partial, bullet 3");
    desk.press("3 c enter");
    assert_eq!((desk.events[&ItemId(2)].len(), desk.item_number()), (events, 2));
    assert_eq!(desk.app.frame.notice.text, "the comment is as before");
    desk.press("u");
    assert_eq!(desk.stored(2), r#"{"coverage":"partial"}"#, "and no step of its own");
    let events = desk.events[&ItemId(2)].len();
    desk.press("p");
    assert_eq!(
        (desk.events[&ItemId(2)].len(), desk.app.frame.notice.text.as_str()),
        (events, "insight 2: still partial")
    );
    desk.press("u");
    assert_eq!(desk.stored(2), "{}", "nor where the bullet is still asked for");
}

#[test]
fn what_the_bottom_line_says_is_said_in_words() {
    let said = |keys: &str| {
        let mut desk = coverage_desk();
        desk.press(keys);
        desk.app.frame.notice.text.clone()
    };
    assert_eq!(said("*"), "nothing is flagged");
    assert_eq!(said("! *"), "no other item is flagged");
    assert_eq!(said("x x s x x x"), "saved · 1 skipped item is left; ⏎ goes to it");
    assert_eq!(said("x x N enter"), "✓ none, once · a new summary");
    for key in ["f5", "alt-x", "V"] {
        let sign = key.parse::<crate::app::kit::key::Key>().expect("a key").sign();
        assert_eq!(said(key), format!("{sign} does nothing here; ? shows the keys"));
    }
    // A prompt for a number takes no letters.
    let mut desk = coverage_desk();
    desk.press(": a ５ x enter");
    assert_eq!(desk.item_number(), 5);
    desk.press("o");
    desk.send(Input::Paste("[2]".into(), desk.now));
    desk.press("enter");
    assert_eq!(desk.app.reading.number, Some(2));
}

#[test]
fn enter_goes_to_the_next_open_item_under_every_protocol() {
    for protocol in crate::protocol::builtins() {
        let mut desk = Desk::under(protocol.clone(), desk::items_for(protocol, 4));
        desk.resize(120, 40);
        desk.judge(2);
        desk.judge(3);
        desk.press(": 1 enter enter");
        assert_eq!(desk.item_number(), 4, "{}: items 2 and 3 are judged", protocol.name);
        desk.press(": 1 enter right");
        assert_eq!((desk.item_number(), desk.app.begun.corrects), (2, true), "{}", protocol.name);
    }
}

#[test]
fn undo_goes_over_items_and_redo_comes_back() {
    check("x u", 1, "{}");
    check("f 2 x u u", 1, r#"{"coverage":"full"}"#);
    check("f 2 x u u u", 1, "{}");
    check("f 2 u U", 1, r#"{"bullet":2,"coverage":"full"}"#);
    check("x u U", 1, r#"{"coverage":"none"}"#);
    check("f 2 left x u", 1, r#"{"bullet":2,"coverage":"full"}"#);
    let mut desk = coverage_desk();
    desk.press("u");
    assert_eq!(desk.app.frame.notice.text, "nothing to undo");
}

#[test]
fn a_label_followed_at_once_by_an_arrow_stays_where_it_was_meant() {
    let mut desk = coverage_desk();
    desk.wait(5_000);
    desk.press_now("x");
    desk.press_now("right");
    desk.show();
    assert_eq!(desk.item_number(), 2, "the arrow leads from item 1 to item 2, no further");
    assert_eq!((desk.stored(1).as_str(), desk.stored(2).as_str()), (r#"{"coverage":"none"}"#, "{}"));
}

#[test]
fn no_key_answers_an_item_that_was_not_on_the_screen() {
    let mut desk = coverage_desk();
    desk.wait(5_000);
    for _ in 0..5 {
        desk.press_now("x");
    }
    desk.show();
    for _ in 0..20 {
        desk.wait(30);
        desk.press_now("x");
    }
    assert_eq!(desk.progress().judged, 1, "a held key answers once");
    desk.wait(400);
    desk.press_now("x");
    assert_eq!(desk.progress().judged, 2);
}

#[test]
fn skip_flag_and_comment_are_kept_and_taken_back() {
    let mut desk = coverage_desk();
    desk.press("s");
    assert_eq!((desk.item_number(), desk.progress().skipped), (2, 1));
    desk.press("u");
    assert_eq!((desk.item_number(), desk.progress().skipped), (1, 0));
    desk.press("! c o k enter");
    let standing = desk.standing(ItemId(1));
    assert_eq!((standing.flagged, standing.comment.as_str()), (true, "ok"));
    desk.press("u u");
    assert_eq!(desk.standing(ItemId(1)).comment, "");
    assert!(!desk.standing(ItemId(1)).flagged);
    desk.press("c x esc");
    assert_eq!(desk.standing(ItemId(1)).comment, "", "esc leaves the comment as it was");
    assert_eq!(desk.stored(1), "{}", "letters answer nothing while a comment is typed");
}

#[test]
fn a_comment_that_was_begun_is_there_again_and_leaving_asks_once() {
    let mut desk = coverage_desk();
    let typed = |desk: &Desk| desk.app.frame.prompt().map(Prompt::text);
    desk.press("c o k esc");
    assert_eq!(desk.app.frame.notice.text, PUT_ASIDE);
    desk.press("right c");
    assert_eq!(typed(&desk).as_deref(), Some(""), "another item has its own");
    desk.press("esc left q");
    assert!(!desk.has_quit && desk.app.frame.notice.text == NOT_KEPT);
    desk.press("right left q");
    assert!(!desk.has_quit && desk.app.frame.notice.text == NOT_KEPT, "only the same key again leaves");
    desk.press("c");
    assert_eq!(typed(&desk).as_deref(), Some("ok"));
    desk.press("enter");
    assert_eq!(desk.standing(ItemId(1)).comment, "ok");
    // It stays when the comment that it began with is taken back. A text without a change is none.
    desk.press("c 2 esc u c");
    assert_eq!((typed(&desk).as_deref(), desk.standing(ItemId(1)).comment.as_str()), (Some("ok2"), ""));
    desk.press("backspace backspace backspace esc q");
    assert!(desk.has_quit);
}

#[test]
fn the_shell_can_be_called_while_a_text_is_written() {
    let mut desk = coverage_desk();
    desk.press("c z");
    desk.press("ctrl-z");
    assert_eq!(desk.suspended, 1);
    assert_eq!(desk.app.frame.prompt().map(Prompt::text).as_deref(), Some("z"));
}

#[test]
fn moving_finds_its_way() {
    let mut desk = coverage_desk();
    let mut at = |keys: &str| {
        desk.press(keys);
        desk.item_number()
    };
    assert_eq!(at("right"), 2);
    assert_eq!(at("enter"), 3);
    assert_eq!(at("backspace left left"), 1);
    assert_eq!(at(": 5 enter"), 5);
    assert_eq!(at(": 9 enter"), 5);
    assert_eq!(at("!"), 5);
    assert_eq!(at(": 1 enter *"), 5);
    assert_eq!(at("x x"), 1, "items 5 and 6 are judged, so the next open one is the first");
    assert_eq!(at("t"), 2);
    assert_eq!(at("T T"), 4);
    assert_eq!(at("g c a l m enter"), 2);
}

#[test]
fn the_last_answer_says_that_all_is_done() {
    let mut desk = coverage_desk();
    desk.press("x x x x x x");
    assert!(matches!(desk.app.frame.overlays.last(), Some(Overlay::Done)));
    assert_eq!(desk.progress().judged, 6);
    desk.press("u");
    assert!(desk.app.frame.overlays.is_empty());
    assert_eq!(desk.progress().judged, 5);
}

#[test]
fn questions_that_depend_on_others() {
    let mut desk = keypoint_desk();
    desk.press("a");
    assert_eq!(desk.stored(1), "{}");
    desk.press("y");
    assert_eq!(desk.item_number(), 1);
    desk.press("a");
    assert_eq!(
        (desk.item_number(), desk.stored(1).as_str()),
        (2, r#"{"grounded":"yes","validity":"agree"}"#)
    );
    desk.press("n");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (3, r#"{"grounded":"no"}"#));
    desk.press("left n y d n");
    assert_eq!(desk.stored(2), r#"{"grounded":"no"}"#, "validity goes with the answer it hung on");
}

#[test]
fn two_digit_bullets_wait_for_the_second_digit_only_where_one_is_possible() {
    let mut items = coverage_desk().study.items;
    for item in &mut items {
        let lines: Vec<String> = (1..=12).map(|number| format!("- line {number}")).collect();
        item.candidate.as_mut().expect("a candidate").text = lines.join("\n");
    }
    let stored = |keys: &str| {
        let mut desk = Desk::new("coverage", items.clone());
        desk.press(keys);
        desk.stored(1)
    };
    assert_eq!(stored("f 2"), r#"{"bullet":2,"coverage":"full"}"#);
    assert_eq!(stored("f 1"), r#"{"coverage":"full"}"#);
    assert_eq!(stored("f 1 2"), r#"{"bullet":12,"coverage":"full"}"#);
    assert_eq!(stored("f 1 enter"), r#"{"bullet":1,"coverage":"full"}"#);
    assert_eq!(stored("f 1 esc 2"), r#"{"bullet":2,"coverage":"full"}"#);
    assert_eq!(stored("f 1 right"), r#"{"coverage":"full"}"#, "an unfinished number answers nothing");
    assert_eq!(stored("f 1 5"), r#"{"coverage":"full"}"#);
}

#[test]
fn the_chosen_bullet_is_in_view() {
    let mut items = coverage_desk().study.items;
    for item in &mut items {
        let lines: Vec<String> = (1..=40).map(|number| format!("- line {number}")).collect();
        item.candidate.as_mut().expect("a candidate").text = lines.join("\n");
    }
    let mut desk = Desk::new("coverage", items);
    desk.resize(80, 24);
    let shows = |desk: &Desk, line: &str| {
        let height = desk.app.layout.panes.height(Pane::Candidate);
        let seen = desk.app.boards[Pane::Candidate].visible(height);
        desk.app.text(Pane::Candidate)[seen].contains(line)
    };
    desk.press("f 3 5");
    assert_eq!(desk.item_number(), 2);
    desk.press("home left");
    assert!(shows(&desk, "line 35"), "on a second visit");
    desk.press("2");
    assert!(shows(&desk, "line 35"), "it could be another one still");
    desk.press("enter");
    assert!(shows(&desk, "line 2\n"), "and when it is chosen");
}

#[test]
fn nothing_goes_on_while_an_answer_is_not_on_disk() {
    let mut desk = coverage_desk();
    let full = Error::new("the disk is full").advise("free some space and try again");
    desk.fault = Some(full.in_file("/a/long/way/down/to/where/the/study/of/this/year/lies/study.db"));
    desk.press("x right p");
    assert_eq!(desk.item_number(), 1);
    assert!(desk.app.is_waiting());
    assert_eq!(desk.stored(1), "{}");
    desk.send(Input::Tick(desk.now));
    // The reason first: a path would take all the room of 80 columns.
    assert_eq!(desk.app.frame.notice.text, "not saved: the disk is full; free some space and try again");
    desk.fault = None;
    desk.send(Input::Tick(desk.now));
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"coverage":"none"}"#));
    assert!(desk.app.pending.is_none());
}

#[test]
fn keys_that_come_while_an_answer_is_written_are_not_taken_and_that_is_said_until_one_is() {
    let mut desk = coverage_desk();
    desk.fault = Some(Error::new("another program writes"));
    desk.press("x p 3 3");
    assert_eq!(desk.app.frame.refusal(), Some("p 3"));
    desk.wait(500);
    desk.fault = None;
    desk.send(Input::Tick(desk.now));
    desk.show();
    assert_eq!((desk.item_number(), desk.progress().judged, desk.stored(2).as_str()), (2, 1, "{}"));
    assert_eq!(desk.app.frame.refusal(), Some("p 3"), "whatever else is said");
    desk.wait(1_000);
    desk.press_now("f");
    desk.show();
    assert_eq!(desk.stored(2), r#"{"coverage":"full"}"#);
    assert_eq!(desk.app.frame.refusal(), None);
    desk.fault = Some(Error::new("another program writes"));
    desk.press("2 p");
    desk.fault = None;
    desk.send(Input::Tick(desk.now));
    desk.wait(1_999);
    desk.send(Input::Tick(desk.now));
    assert!(desk.app.frame.refusal().is_some() && desk.app.is_waiting());
    desk.wait(1);
    desk.send(Input::Tick(desk.now));
    assert!(desk.app.frame.refusal().is_none() && !desk.app.is_waiting());
}

#[test]
fn time_counts_only_while_someone_works() {
    let mut desk = coverage_desk();
    desk.wait(9_000);
    desk.press("x");
    assert_eq!(desk.standing(ItemId(1)).active, 10_000);
    desk.wait(600_000);
    desk.press("x");
    assert_eq!(desk.standing(ItemId(2)).active, 120_000);
    desk.press("?");
    desk.wait(50_000);
    desk.press("? x");
    assert_eq!(desk.standing(ItemId(3)).active, 2_000, "the help screen does not count");
}

#[test]
fn documents_are_opened_searched_and_scrolled() {
    let mut desk = coverage_desk();
    desk.resize(80, 16);
    assert_eq!(desk.app.reading.number, Some(1), "the first document with evidence");
    desk.press("o 2 enter");
    assert_eq!((desk.app.reading.number, desk.app.focus), (Some(2), Pane::Documents));
    assert!(desk.app.reading.is_beyond_evidence);
    desk.press("o 7 enter");
    assert_eq!(desk.app.frame.notice.text, "there is no document 7; the numbers go up to 2");
    desk.press("/ t i m e r enter");
    assert_eq!(desk.app.reading.number, Some(1), "the hit is in the other document");
    desk.press("esc / m o r n i n g enter ]");
    assert_eq!(desk.app.reading.number, Some(2));
    desk.press("esc x");
    assert_eq!(desk.app.reading.number, Some(2), "item 2 has its evidence there");
    assert_eq!(desk.app.focus, Pane::Candidate, "a new item begins with what is judged");
    desk.press("/ m o r n i n g enter");
    assert_eq!(desk.app.frame.notice.text, "hit 1 of 1");
    assert_eq!(desk.app.focus, Pane::Documents, "the hit is in front");
    desk.press("esc tab");
    assert_eq!(desk.app.focus, Pane::Candidate);
    desk.press("tab Y");
    assert!(desk.copied[0].starts_with("Ben: I downloaded"));
}

#[test]
fn a_search_that_is_left_leads_back_to_where_one_was() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        let mut documents = item.documents.to_vec();
        documents[0].text = format!("{}morning", "A line.\n".repeat(60));
        item.documents = documents.into();
        item.evidence.clear();
    }
    desk.resize(80, 24).press("right left tab down down down");
    let scroll = |desk: &Desk| desk.app.boards[Pane::Documents].scroll;
    let before = (scroll(&desk), desk.app.focus);
    desk.press("/ m o r");
    assert!(scroll(&desk) > 40);
    desk.press("esc");
    assert_eq!((scroll(&desk), desk.app.focus), before);
}

#[test]
fn likely_passages_stand_in_for_evidence_and_say_so() {
    let mut items = keypoint_desk().study.items;
    for item in &mut items {
        item.evidence.clear();
    }
    let mut desk = Desk::new("keypoint", items);
    let guessed = |desk: &Desk| {
        let spans = desk.app.passages();
        spans
            .iter()
            .map(|span| span.slice(desk.app.text(Pane::Documents)).to_owned())
            .collect::<Vec<String>>()
    };
    assert!(desk.app.is_guess());
    assert!(guessed(&desk)[0].contains("化学反应变慢"), "{:?}", guessed(&desk));
    desk.press("]");
    assert_eq!(desk.app.frame.notice.text, "likely passage 1 of 1");
    desk.press("n n");
    assert_eq!(guessed(&desk), [] as [String; 0], "nobody speaks of tyres");
}

#[test]
fn what_was_put_aside_comes_last() {
    let mut desk = coverage_desk();
    desk.press("s x x x s x");
    assert_eq!((desk.progress().judged, desk.progress().skipped), (4, 2));
    assert_eq!(desk.app.frame.notice.text, "saved · 2 skipped items are left; ⏎ goes to them");
    desk.press("t");
    assert_eq!(desk.item_number(), 1);
    desk.press("t");
    assert_eq!(desk.item_number(), 5);
    desk.press("T");
    assert_eq!(desk.item_number(), 1);
}

#[test]
fn resting_on_the_last_page_is_no_work() {
    let mut desk = coverage_desk();
    desk.press("x x x x x x");
    let before = desk.standing(ItemId(6)).active;
    desk.wait(100_000);
    desk.press("q");
    assert!(desk.has_quit);
    assert!(desk.standing(ItemId(6)).active - before < 2_000);
}

#[test]
fn what_was_looked_at_is_on_record_even_when_the_item_is_skipped() {
    let mut desk = coverage_desk();
    desk.press("o 2 enter s");
    let visits = desk.events[&ItemId(1)].iter().filter(|event| {
        matches!(&event.happening, Happening::Visit { documents, beyond_evidence: true, .. } if documents == &[2])
    });
    assert_eq!(visits.count(), 1);
}

#[test]
fn the_place_that_somebody_went_to_is_on_record_once_she_stays() {
    let mut desk = coverage_desk();
    let visits = |desk: &Desk, item| desk.events.get(&ItemId(item)).map_or(0, Vec::len);
    desk.press("right right");
    assert_eq!((desk.item_number(), desk.app.is_waiting()), (3, true));
    desk.send(Input::Tick(desk.now));
    assert_eq!(visits(&desk, 3), 0, "she may only pass");
    desk.wait(1_000);
    desk.send(Input::Tick(desk.now));
    assert_eq!((visits(&desk, 3), desk.app.is_waiting()), (1, false));
    desk.wait(5_000);
    desk.send(Input::Tick(desk.now));
    assert_eq!(visits(&desk, 3), 1);
    assert_eq!(desk.standing(ItemId(3)).active, 0, "the time comes with what ends the visit");
    desk.press("x");
    assert!(desk.standing(ItemId(3)).active >= 6_000);
}

#[test]
fn a_hidden_document_opens_at_its_evidence() {
    let mut items = keypoint_desk().study.items;
    let filler = "一句话。\n".repeat(60);
    for item in &mut items {
        let mut documents = item.documents.to_vec();
        documents[0].text = format!("{filler}{}", documents[0].text);
        item.documents = documents.into();
        for passage in &mut item.evidence {
            let (start, end) = (passage.span.start() + filler.len(), passage.span.end() + filler.len());
            passage.span = Span::new(&item.documents[0].text, start, end).expect("on boundaries");
        }
        item.candidate = coverage_desk().study.items[0].candidate.clone();
    }
    let mut desk = Desk::new("coverage", items);
    desk.resize(80, 24).press("tab");
    assert_eq!(desk.app.focus, Pane::Documents);
    assert!(desk.app.boards[Pane::Documents].scroll > 30, "{}", desk.app.boards[Pane::Documents].scroll);
}

#[test]
fn a_reopened_app_shows_what_was_shown() {
    let mut desk = coverage_desk();
    desk.press("f 2 x ! right p");
    let again = desk.reopened();
    assert_eq!(again.app.loaded, desk.app.loaded);
    assert_eq!(again.app.queue.progress, desk.app.queue.progress);
}

const KEYS: &[&str] = &[
    "f",
    "p",
    "x",
    "0",
    "1",
    "2",
    "3",
    "9",
    "enter",
    "backspace",
    "left",
    "right",
    "u",
    "U",
    "s",
    "!",
    "c",
    "t",
    "T",
    "*",
    ":",
    "g",
    "/",
    "o",
    ".",
    ",",
    "]",
    "[",
    "tab",
    "z",
    "A",
    "esc",
    "?",
    "i",
    "space",
    "end",
    "home",
    "a",
    "好",
    "q",
    "ctrl-t",
    "Y",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_keys_leave_a_log_that_replays_to_the_screen(
        presses in proptest::collection::vec((0..KEYS.len(), 0..2_000_i64, any::<bool>()), 0..80),
        columns in 0_u16..140,
        rows in 0_u16..50,
    ) {
        let mut desk = coverage_desk();
        desk.resize(columns, rows);
        for (key, wait, shows) in presses {
            desk.wait(wait);
            desk.press_now(KEYS[key]);
            if shows {
                desk.show();
            }
        }
        let loaded = desk.app.loaded.clone().expect("an item");
        prop_assert_eq!(&loaded, &desk.loaded(loaded.position));
        prop_assert_eq!(desk.app.queue.progress, desk.progress());
        let again = desk.reopened();
        prop_assert_eq!(again.app.loaded, desk.app.loaded);
    }
}

/// Bullet 2 speaks of 25 minutes and 5, as the first insight does.
#[test]
fn the_most_similar_bullet_is_marked_when_asked_for_and_on_record_then() {
    let hints = |desk: &Desk, item: i64| -> Vec<Option<u32>> {
        let hint = |event: &Event| match event.happening {
            Happening::Visit { hint, .. } => Some(hint),
            _ => None,
        };
        desk.events[&ItemId(item)].iter().filter_map(hint).collect()
    };
    let mut desk = coverage_desk();
    assert_eq!(desk.app.reading.likely_bullet, None);
    desk.press("f 2 left");
    assert_eq!(hints(&desk, 1), [None], "off by default");
    desk.press("B");
    assert_eq!(desk.app.reading.likely_bullet, Some(2));
    desk.press("p");
    assert_eq!(hints(&desk, 1), [None, Some(2)], "with the answer that was given under it");
    desk.press("u");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#, "a look is no step");
    desk.press("right");
    let seen = desk.app.reading.likely_bullet;
    assert_ne!(seen, Some(2));
    desk.press("x left");
    assert!(hints(&desk, 2).contains(&seen));
    desk.press("B");
    assert_eq!(desk.app.reading.likely_bullet, None);
}

#[test]
fn editors_delete_and_pass_whole_graphemes() {
    let mut desk = coverage_desk();
    let comment = |desk: &mut Desk, text: &str, keys: &str| {
        desk.press("c");
        desk.send(Input::Paste(text.to_owned(), desk.now));
        desk.press(keys);
        let text = desk.app.frame.prompt().expect("a prompt").text();
        desk.press("esc");
        text
    };
    let family = "👩‍👩‍👧‍👦";
    assert_eq!(comment(&mut desk, &format!("a{family}"), "backspace"), "a");
    let mut desk = coverage_desk();
    assert_eq!(comment(&mut desk, &format!("{family}e\u{301}"), "left left x"), format!("x{family}e\u{301}"));
    let mut desk = coverage_desk();
    assert_eq!(comment(&mut desk, &format!("{family}b"), "home delete"), "b");
    let mut desk = coverage_desk();
    assert_eq!(comment(&mut desk, &format!("{family}b"), "home right x"), format!("{family}xb"));
}
