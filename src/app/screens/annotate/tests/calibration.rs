//! Known answers are told once an item is judged, and the judgment then stays.

use super::desk::{Desk, calibration_desk, gated_desk};
use crate::app::kit::{Input, Overlay, Page, Paragraph, columns};
use crate::app::screens::annotate::paragraphs;
use crate::protocol::Answers;

fn is_told(desk: &Desk) -> bool {
    matches!(desk.app.frame.overlays.last(), Some(Overlay::Known))
}

#[test]
fn the_known_answer_comes_after_the_last_question_and_one_key_goes_on() {
    let mut desk = calibration_desk();
    desk.press("f");
    assert!(!is_told(&desk), "the bullet is still asked");
    desk.press("2");
    assert!(is_told(&desk));
    assert_eq!(desk.item_number(), 1, "it goes on by key only");
    let told = desk.app.told().expect("an answer");
    assert!(told.is_right);
    assert_eq!((told.judged, told.right, told.count, told.passes()), (1, 1, 2, None));
    assert_eq!(told.explanation, "It is item 1.");
    desk.press("enter");
    assert_eq!(desk.item_number(), 2);
    desk.press("p 1");
    let told = desk.app.told().expect("an answer");
    assert!(!told.is_right);
    let row = &told.questions[0];
    assert_eq!((row.given.as_str(), row.known.as_str(), row.is_right), ("partial", "none", Some(false)));
    // One of two is 50 %, and 60 % are asked.
    assert_eq!((told.judged, told.right, told.passes()), (2, 1, Some(false)));
    desk.press("enter");
    assert!(matches!(desk.app.frame.overlays.last(), Some(Overlay::Guideline { .. })), "it did not pass");
    desk.press("esc enter x");
    assert_eq!((desk.item_number(), is_told(&desk)), (4, false), "the others are as always");
}

/// The hub tells the answer while no key is pressed.
#[test]
fn an_answer_that_comes_later_is_said_to_come_no_more() {
    let mut desk = calibration_desk();
    let known = std::mem::replace(&mut desk.known, vec![Answers::new(), Answers::new()]);
    desk.press("right left f 2");
    assert!(!is_told(&desk) && desk.app.frame.notice.text.starts_with("the known answer comes once the hub"));
    desk.known = known;
    desk.send(Input::Tick(desk.now));
    assert!(is_told(&desk));
    assert_eq!(desk.app.frame.notice.text, "");
}

#[test]
fn what_was_said_before_stays() {
    let mut desk = calibration_desk();
    desk.press("f p 2");
    assert!(is_told(&desk), "until then it may change");
    desk.press("esc x");
    assert_eq!(desk.app.frame.notice.text, "the known answer was shown, so yours stays as it is");
    desk.press("u");
    assert_eq!(desk.app.frame.notice.text, "nothing to undo");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"partial"}"#);
    desk.press("enter x");
    assert!(is_told(&desk));
    desk.press("left");
    assert!(is_told(&desk), "an item that was told shows it again");
    assert_eq!((desk.item_number(), desk.app.told().expect("told").judged), (1, 2));
    let mut again = desk.reopened();
    again.press("esc f");
    assert_eq!(again.stored(1), r#"{"bullet":2,"coverage":"partial"}"#, "after a kill too");
}

#[test]
fn a_key_typed_ahead_does_not_close_what_was_never_seen() {
    let mut desk = calibration_desk();
    desk.wait(1_000);
    desk.press_now("f");
    desk.press_now("2");
    desk.press_now("enter");
    assert!(is_told(&desk));
    desk.show();
    desk.press("enter");
    assert_eq!(desk.item_number(), 2);
}

/// 60 % are asked, and one of two is right in each case.
#[test]
fn below_the_mark_the_guideline_opens_once_at_what_went_wrong() {
    let opened = |keys: &str| {
        let mut desk = calibration_desk();
        desk.press(keys).press("enter");
        let Some(Overlay::Guideline { scroll }) = desk.app.frame.overlays.last() else {
            panic!("no guideline after {keys}");
        };
        let scroll = *scroll;
        let mut page = Page::new(paragraphs(&desk.app.protocol.guideline));
        page.wrap(columns(desk.app.frame.size.0));
        let is_bullet = |paragraph: &Paragraph| paragraph.text() == "By bullet";
        let section = page.paragraphs().iter().position(is_bullet).expect("a section");
        desk.press("i enter");
        assert_eq!((desk.item_number(), is_told(&desk)), (3, false), "then it goes on");
        desk.press("left");
        assert!(is_told(&desk));
        desk.press("enter");
        assert_eq!(desk.item_number(), 3, "it was read, and is not read again");
        (scroll, page.row_of(section))
    };
    // Another bullet, and nothing else.
    let (scroll, section) = opened("f 1 enter x");
    assert_eq!(scroll, section);
    // The label, and with it the bullet: the first question stands at the beginning.
    assert_eq!(opened("f 2 enter p 1").0, 0);
    let mut passed = calibration_desk();
    passed.press("f 2 enter x enter");
    assert_eq!((passed.item_number(), is_told(&passed)), (3, false), "whoever passes goes on");
}

/// Two items are known, and both are asked: four more wait until then.
#[test]
fn who_must_pass_begins_again_and_gets_the_work_then() {
    let mut desk = gated_desk();
    assert_eq!((desk.app.queue.progress.total, desk.app.queue.held), (2, 4));
    desk.press("f 2 enter p 1");
    let told = desk.app.told().expect("an answer");
    assert!(told.begins_anew(), "{told:?}");
    desk.press("enter");
    assert!(matches!(desk.app.frame.overlays.last(), Some(Overlay::Guideline { .. })));
    desk.press("esc");
    assert!(is_told(&desk), "the answer that was known is still to be read");
    desk.press("enter");
    assert_eq!((desk.item_number(), is_told(&desk)), (1, false), "from the beginning");
    assert_eq!(desk.app.frame.notice.text, "calibration begins again");
    assert_eq!((desk.stored(1), desk.stored(2)), ("{}".into(), "{}".into()));
    assert_eq!(desk.app.queue.progress.judged, 0);
    desk.press("u");
    assert_eq!(desk.app.frame.notice.text, "nothing to undo", "what was said before does not come back");
    desk.press("f 2 enter x");
    assert_eq!(desk.app.told().expect("told").passes(), Some(true));
    desk.press("enter");
    assert_eq!((desk.item_number(), desk.app.queue.progress.total, desk.app.queue.held), (3, 6, 0));
    assert_eq!(desk.app.frame.notice.text, "calibration is passed: this is the work");
}

#[test]
fn a_closed_gate_is_closed_after_a_kill_too() {
    let mut desk = gated_desk();
    desk.press("f 2 enter p 1");
    let mut again = desk.reopened();
    again.show();
    assert!(is_told(&again));
    again.press("esc enter");
    assert!(is_told(&again), "no way leads past it");
    again.press("enter esc enter");
    assert_eq!((again.item_number(), again.app.queue.progress.judged), (1, 0));
}

#[test]
fn what_is_told_leaves_the_texts_in_use() {
    let mut desk = calibration_desk();
    desk.resize(80, 24).press("f 1");
    let marked = desk.app.known().expect("told")["bullet"].bullets().to_vec();
    assert_eq!(marked, [2]);
    let focus = desk.app.focus;
    desk.press("tab");
    assert_ne!(desk.app.focus, focus, "the documents can be read");
    assert!(is_told(&desk));
    desk.press("/ w o r k enter n");
    assert!(desk.app.reading.mark.is_some() && is_told(&desk), "and searched");
    desk.press("x s");
    assert!(is_told(&desk));
    assert_eq!(desk.stored(1), r#"{"bullet":1,"coverage":"full"}"#, "nothing answers");
}
