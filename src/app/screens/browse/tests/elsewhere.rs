use super::*;
use crate::app::screens::browse::RowChange;

/// The person says something about the row's candidate in another terminal.
fn elsewhere(desk: &mut Desk, change: RowChange) {
    let target = *desk.items.first().expect("judged before");
    let wall = desk.now.wall;
    let judged = desk.judge(&JudgeInPlace { changes: vec![(target, change)], shown: None, wall });
    judged.expect("written");
}

#[test]
fn tags_and_comments_of_another_terminal_are_shown_before_they_are_changed() {
    let mut desk = desk();
    desk.press("t h");
    let question = "failures".to_owned();
    elsewhere(&mut desk, RowChange::Tag { question, tag: "general".into(), stays: false });
    desk.press("w");
    assert_eq!(desk.browse.frame.notice.text, "answered elsewhere, as it is shown now; again changes it");
    let Some(Overlay::List(list)) = desk.browse.frame.overlays.last() else {
        panic!("the tags stay open");
    };
    assert_eq!(list.entries.iter().filter(|entry| entry.is_on).count(), 2);
    desk.press("w esc");
    assert!(desk.tags().contains("general, hallucinated"), "{}", desk.tags());
    assert_eq!(desk.browse.frame.notice.text, "");

    desk.press("c").type_text("mine");
    elsewhere(&mut desk, RowChange::Comment("theirs".into()));
    desk.press("enter");
    assert!(desk.browse.frame.notice.text.contains("\"theirs\""), "{}", desk.browse.frame.notice.text);
    desk.press("enter c");
    let Some(Overlay::Prompt(prompt)) = desk.browse.frame.overlays.last() else {
        panic!("{:?} {}", desk.browse.frame.overlays, desk.browse.frame.notice.text);
    };
    assert_eq!(prompt.text(), "mine");
    desk.press("esc");
    // The row still looks as before: flagged is flagged, whoever was first.
    elsewhere(&mut desk, RowChange::Flag(true));
    desk.press("!");
    assert_eq!(desk.browse.frame.notice.text, "flagged · saved");
}
