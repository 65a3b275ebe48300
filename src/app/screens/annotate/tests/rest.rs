//! The lowest answer to the rest of a group: one key, a question, and each item by itself.

use super::desk::{Desk, calibration_desk, coverage_desk, keypoint_desk};
use crate::app::kit::{Input, Overlay};
use crate::error::Error;
use crate::study::ItemId;

const NOT: &str = r#"{"coverage":"none"}"#;

fn notice(desk: &Desk) -> &str {
    &desk.app.frame.notice.text
}

#[test]
fn the_rest_of_a_group_is_answered_after_a_question_and_undone_one_by_one() {
    let mut desk = coverage_desk();
    desk.press("f 2 N");
    assert_eq!(notice(&desk), "2 untouched here: Covered? none, for each?");
    desk.press("x");
    assert_eq!((notice(&desk), desk.progress().judged), ("nothing was recorded", 1));
    desk.press("N esc");
    assert!(desk.app.frame.overlays.is_empty());
    desk.press("N enter");
    assert_eq!((desk.item_number(), desk.progress().judged), (4, 3), "on to the next summary");
    assert_eq!(notice(&desk), "✓ none, 2 times; u takes them back one by one · a new summary");
    assert_eq!((desk.stored(2), desk.stored(3)), (NOT.into(), NOT.into()));
    let kinds = desk.events[&ItemId(3)].iter().map(|event| event.happening.kind());
    assert_eq!(kinds.collect::<Vec<_>>(), ["answer", "visit"], "it was left for the next summary");
    desk.press("u");
    assert_eq!((desk.item_number(), desk.progress().judged), (3, 2));
    desk.press("u");
    assert_eq!((desk.item_number(), desk.progress().judged), (2, 1));
    desk.press("u");
    assert_eq!(desk.stored(1), r#"{"coverage":"full"}"#, "and then what was said before");
}

#[test]
fn what_was_touched_is_left_alone() {
    let mut desk = coverage_desk();
    desk.press("p right ! right");
    desk.press("N");
    assert!(notice(&desk).starts_with("1 untouched here"), "{}", notice(&desk));
    desk.press("enter");
    assert_eq!((desk.stored(1), desk.stored(2)), (r#"{"coverage":"partial"}"#.into(), "{}".into()));
    assert_eq!(desk.stored(3), NOT);
    desk.press(": 3 enter N");
    assert_eq!(notice(&desk), "nothing here is untouched");
}

#[test]
fn an_item_that_was_begun_comes_back() {
    let mut desk = coverage_desk();
    desk.press("f N enter");
    assert_eq!((desk.item_number(), desk.progress().judged), (1, 2));
    assert_eq!(notice(&desk), "✓ none, 2 times; u takes them back one by one · bullet is open");
    assert_eq!((desk.stored(1), desk.stored(3)), (r#"{"coverage":"full"}"#.into(), NOT.into()));
    let last_written = desk.events[&ItemId(1)].last().map(|event| event.id);
    assert!(
        last_written > desk.events[&ItemId(3)].last().map(|event| event.id),
        "the study opens here again"
    );
    desk.press("2");
    assert_eq!((desk.item_number(), desk.progress().judged), (4, 3), "and then on to the next summary");
    desk.press("u u");
    assert_eq!((desk.item_number(), desk.progress().judged), (3, 1));
}

#[test]
fn a_full_disk_stops_it_and_it_goes_on_afterwards() {
    let mut desk = coverage_desk();
    desk.press("N");
    desk.fault = Some(Error::new("the disk is full"));
    desk.press("enter x");
    assert_eq!((desk.progress().judged, desk.item_number()), (0, 1));
    assert!(notice(&desk).starts_with("not saved"), "{}", notice(&desk));
    desk.fault = None;
    desk.send(Input::Tick(desk.now));
    assert_eq!((desk.progress().judged, desk.item_number()), (3, 4));
    assert_eq!(desk.stored(4), "{}");
}

#[test]
fn it_is_for_judgments_that_one_answer_makes() {
    let mut desk = keypoint_desk();
    desk.press("N");
    assert_eq!(notice(&desk), "no single answer says here that the rest is not so");
    let mut desk = calibration_desk();
    desk.press("N");
    assert_eq!(notice(&desk), "calibration goes item by item");
    assert!(!matches!(desk.app.frame.overlays.last(), Some(Overlay::Rest(_))));
}

/// A long queue is filled behind the first frame, once.
#[test]
fn a_queue_that_is_begun_is_filled_once_its_first_item_is_shown() {
    let mut desk = coverage_desk();
    desk.app.queue.is_begun = true;
    let shown = Input::Shown(desk.now);
    for _ in 0..2 {
        desk.send(shown.clone());
        assert_eq!(desk.filled, 1);
    }
}
