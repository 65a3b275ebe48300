//! The same person in two terminals: an answer from one is seen in the other before it is changed there.

use super::desk::{Desk, coverage_desk, items_for};
use crate::app::kit::{Input, Overlay, Screen};
use crate::journal::{Event, ItemState, Writer, fold_under};
use crate::protocol::builtin;
use crate::study::ItemId;

/// Presses keys in another terminal of the same person.
fn elsewhere(desk: &mut Desk, keys: &str) {
    let mut other = desk.reopened();
    other.show();
    other.wait(1_000);
    other.press(keys);
    desk.take_from(&other);
}

#[test]
fn an_answer_of_another_terminal_is_shown_and_not_written_over() {
    let mut desk = coverage_desk();
    desk.wait(4_000);
    elsewhere(&mut desk, "f 2 x");
    desk.press("x");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
    assert_eq!((desk.item_number(), desk.app.is_waiting()), (1, false));
    let notice = &desk.app.frame.notice;
    let said = "answered elsewhere: full, bullet 2; again changes it";
    assert_eq!((notice.text.as_str(), notice.is_warning), (said, true));
    let loaded = desk.app.loaded.as_ref().expect("an item");
    assert_eq!(loaded.standing, desk.standing(loaded.item.id));
    let states: Vec<ItemState> = loaded.group.iter().map(|neighbour| neighbour.state).collect();
    assert_eq!(states[..2], [ItemState::Judged, ItemState::Judged], "the strip is brought up to date");
    assert_eq!(desk.app.queue.progress.judged, 2);
    let before = desk.standing(crate::study::ItemId(1)).active;
    desk.press("x");
    assert_eq!(desk.stored(1), r#"{"coverage":"none"}"#, "the second time it is meant");
    let after = desk.standing(crate::study::ItemId(1)).active;
    assert!(after >= before + 4_000, "the time is kept: {before} {after}");
}

#[test]
fn flags_comments_and_undo_of_another_terminal_are_seen_too() {
    let mut desk = coverage_desk();
    desk.press("f");
    elsewhere(&mut desk, "!");
    desk.press("!");
    assert!(desk.standing(crate::study::ItemId(1)).flagged);
    assert!(
        desk.app.frame.notice.text.starts_with("answered elsewhere: flagged;"),
        "{}",
        desk.app.frame.notice.text
    );
    elsewhere(&mut desk, "p 1");
    desk.press("u");
    assert_eq!(desk.stored(1), r#"{"bullet":1,"coverage":"partial"}"#);
    assert!(
        desk.app.frame.notice.text.starts_with("answered elsewhere: partial, bullet 1;"),
        "{}",
        desk.app.frame.notice.text
    );
    desk.press("u");
    assert!(desk.app.frame.notice.text.starts_with("taken back"), "{}", desk.app.frame.notice.text);
    // A visit is no answer.
    elsewhere(&mut desk, "x");
    desk.wait(3_000);
    desk.press("right");
    assert_eq!(desk.item_number(), 2);
    assert_eq!(desk.stored(1), r#"{"coverage":"none"}"#);
}

#[test]
fn a_text_that_was_not_written_is_there_again() {
    let protocol = builtin("refinement").expect("built in").clone();
    let mut desk = Desk::under(protocol.clone(), items_for(&protocol, 3));
    desk.resize(120, 40);
    desk.press("n");
    desk.press("! space m i n e");
    elsewhere(&mut desk, "r");
    desk.press("enter");
    assert_eq!(desk.stored(1), r#"{"verdict":"reasonable"}"#);
    assert!(desk.app.frame.notice.text.contains("what you wrote is kept"), "{}", desk.app.frame.notice.text);
    desk.press("n");
    let Some(Overlay::Editor(editor)) = desk.app.frame.overlays.last() else {
        panic!("{:?}", desk.app.frame.overlays);
    };
    assert!(editor.text().ends_with("! mine"), "{}", editor.text());
    desk.press("enter");
    assert!(desk.stored(1).contains("! mine"), "{}", desk.stored(1));
}

/// `p 2` in the other terminal, `f 1` in this one: `f` is refused, and with it `1`, which was to name its bullet.
#[test]
fn a_key_that_came_with_a_refused_one_is_dropped() {
    let mut desk = coverage_desk();
    elsewhere(&mut desk, "p 2");
    desk.press("f 1");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"partial"}"#);
    assert_eq!(desk.app.frame.notice.text, "1 came with an answer that was not taken; again takes it");
    desk.press("1");
    assert_eq!(desk.stored(1), r#"{"bullet":1,"coverage":"partial"}"#, "the second time it is meant");
    // A refused key is taken once the item has been seen.
    let mut desk = coverage_desk();
    elsewhere(&mut desk, "p 2");
    desk.press("f f 1");
    assert_eq!(desk.stored(1), r#"{"bullet":1,"coverage":"full"}"#);
}

/// The two terminals hold a copy each, which are merged later. One names a bullet under a label that loses in the merge, so
/// nobody gave the two together.
#[test]
fn what_is_open_behind_a_later_answer_is_open_in_a_merge_too() {
    let mut one = coverage_desk();
    let mut other = one.reopened();
    other.show();
    one.press("f 3");
    other.wait(60_000);
    other.press("p");
    let mut events: Vec<Event> = one.events_of(1).into_iter().chain(other.events_of(1)).collect();
    // Another opening of the study is another writer.
    let from = one.events_of(1).len();
    events[from..].iter_mut().for_each(|event| event.id.writer = Writer(9));
    for _ in 0..2 {
        let merged = fold_under(&events, &one.protocol);
        let said: Vec<&str> = merged.answers.keys().map(String::as_str).collect();
        assert_eq!((said, merged.state(&one.protocol)), (vec!["coverage"], ItemState::Open), "{merged:?}");
        events.reverse();
    }
    // On one screen, the bullet that is seen is kept.
    one.press("left p");
    assert_eq!(one.stored(1), r#"{"bullet":3,"coverage":"partial"}"#);
}

/// Work came from the hub while an item is on the screen: the item stays with its begun answer, and the places are the new ones.
#[test]
fn a_queue_that_changes_leaves_the_item_on_the_screen() {
    let mut desk = coverage_desk();
    desk.press("x x u f");
    desk.items.remove(0);
    desk.send(Input::Changed);
    assert_eq!((desk.item_number(), desk.app.queue.progress.total), (1, 5));
    assert_eq!(desk.app.frame.notice.text, "what is yours has changed: 5 items");
    desk.press("2");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (2, r#"{"bullet":2,"coverage":"full"}"#));
    desk.press("u");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (1, r#"{"coverage":"full"}"#));
    desk.press("u u");
    assert_eq!(desk.app.frame.notice.text, "nothing to undo", "what is gone is no place to go back to");
    // One that is none of the queue any more stays until it is left, and takes answers.
    desk.press("right f");
    desk.items.remove(1);
    desk.wait(2_000);
    desk.send(Input::Changed);
    let here = |desk: &Desk| desk.app.loaded.as_ref().expect("an item").item.id;
    assert_eq!(desk.app.frame.notice.text, "what is yours has changed: 4 items, and this is none of them");
    desk.press("1");
    assert_eq!(desk.stored(3), r#"{"bullet":1,"coverage":"full"}"#);
    assert_ne!(here(&desk), ItemId(3));
}
