//! Keys on the adjudicate screen, and the decisions that come of them.

pub(crate) mod desk;

use super::PanelRow;
use crate::app::kit::{Overlay, Screen};
use crate::error::Error;
use crate::journal::{ItemState, Reason};
use crate::protocol::{Answer, Pane, Point};
use crate::study::ItemId;
use desk::{coverage_desk, keypoint_desk, review_desk, tall_desk};

/// The cells of the row of this name.
fn cells(desk: &desk::Desk, name: &str) -> Vec<String> {
    let found = desk.screen.panel().into_iter().find_map(|row| match row {
        PanelRow::Cells { label, cells } if label == name => Some(cells),
        _ => None,
    });
    found.expect(name).into_iter().map(|cell| cell.text).collect()
}

#[test]
fn one_key_takes_an_answer_and_the_cursor_stays() {
    let mut desk = coverage_desk();
    desk.press("1");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
    let decision = desk.decision(1).expect("decided");
    assert_eq!(decision.verdict.took.as_deref(), Some("ann"));
    assert_eq!((desk.item_number(), desk.screen.docket.places[0].entry.state), (1, ItemState::Judged));
    assert_eq!(desk.screen.app.queue.progress.judged, 1);
    // A second later, the next decision on the item counts on: two seconds in all.
    desk.press("2");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"partial"}"#);
    assert_eq!(desk.decision(1).expect("decided").verdict.active, 2_000);
    desk.press("t");
    assert_eq!(desk.item_number(), 2);
    desk.press("3");
    assert_eq!(desk.stored(2), "{}", "there are two opinions");
}

#[test]
fn the_same_opinion_taken_again_is_no_decision() {
    let mut desk = coverage_desk();
    desk.press("1 1");
    assert_eq!(desk.events[&ItemId(1)].len(), 1);
    assert_eq!(desk.screen.app.frame.notice.text, "insight 1: still full, bullet 2");
    desk.press("u");
    assert_eq!(desk.stored(1), "{}", "and no step of its own");
    // On a summary that was revised, the same answers say something: that they hold of it too.
    desk.press("1");
    desk.items[0].candidate.as_mut().expect("a summary").text.push_str(" And more.");
    desk.reopen();
    let before = desk.events[&ItemId(1)].len();
    desk.press("1");
    assert_eq!(desk.events[&ItemId(1)].len(), before + 1, "{}", desk.screen.app.frame.notice.text);
}

#[test]
fn answered_anew_with_the_protocols_own_keys() {
    let mut desk = coverage_desk();
    assert_eq!((desk.screen.take_key(0), desk.screen.take_key(1)), (Some('1'), Some('2')));
    desk.press("f");
    assert_eq!(desk.stored(1), r#"{"coverage":"full"}"#, "on disk, and not yet final");
    assert_eq!(desk.screen.docket.places[0].entry.state, ItemState::Open);
    // The bullet is asked for now, so digits name bullets.
    assert_eq!(desk.screen.take_key(0), None);
    desk.press("3");
    assert_eq!(desk.stored(1), r#"{"bullet":3,"coverage":"full"}"#);
    assert_eq!(desk.decision(1).expect("decided").verdict.took, None);
    desk.press("1");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#, "and for opinions again");
    desk.press("x");
    assert_eq!(desk.stored(1), r#"{"coverage":"none"}"#);
    assert_eq!(desk.decision(1).expect("decided").verdict.took, None);
}

#[test]
fn the_history_lists_what_was_decided_and_leads_there() {
    let mut desk = coverage_desk();
    desk.press("H");
    assert_eq!(desk.screen.app.frame.notice.text, "nothing is answered yet");
    desk.press("1 t 2 S");
    assert_eq!(desk.screen.app.frame.notice.text, "✓ insight 2: saved", "why is no part of the answer");
    desk.press("t H");
    let Some(Overlay::GoTo(list)) = desk.screen.app.frame.overlays.last() else {
        panic!("no list");
    };
    let positions: Vec<usize> = list.entries.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, [1, 0], "the latest first, each once");
    assert_eq!(list.told, ["full, bullet 1", "full, bullet 2"]);
    desk.press("down enter");
    assert_eq!(desk.item_number(), 1);
    desk.press("u u H");
    let Some(Overlay::GoTo(list)) = desk.screen.app.frame.overlays.last() else {
        panic!("no list");
    };
    assert_eq!(list.told, ["full, bullet 2"], "what was taken back is not among them");
}

#[test]
fn why_a_note_and_an_example() {
    let mut desk = coverage_desk();
    desk.press("X");
    assert!(desk.decision(1).is_none(), "an example needs an answer");
    desk.press("1 G c n o enter X");
    let verdict = desk.decision(1).expect("decided").verdict;
    assert_eq!((verdict.reason, verdict.note.as_str()), (Some(Reason::GuidelineUnclear), "no"));
    assert!(verdict.is_example);
    desk.press("G X");
    let verdict = desk.decision(1).expect("decided").verdict;
    assert_eq!((verdict.reason, verdict.is_example), (None, false));
    for (key, reason) in [
        ("S", Reason::Slip),
        ("M", Reason::AmbiguousItem),
        ("E", Reason::EvidenceOverlooked),
        ("O", Reason::Other),
    ] {
        desk.press(key);
        assert_eq!(desk.decision(1).expect("decided").verdict.reason, Some(reason), "{key}");
    }
    assert!(desk.screen.app.frame.prompt().is_some(), "another reason is written down");
    desk.press("t enter");
    assert_eq!(desk.decision(1).expect("decided").verdict.note, "not");
    desk.press("u O u");
    assert!(desk.screen.app.frame.prompt().is_none(), "one that is taken away is not");
    // Reason and note stay when another answer is taken.
    desk.press("2");
    let verdict = desk.decision(1).expect("decided").verdict;
    assert_eq!((verdict.reason, verdict.note.as_str()), (Some(Reason::Other), "no"));
}

#[test]
fn undo_goes_over_items_and_redo_forward() {
    let mut desk = coverage_desk();
    desk.press("1 enter 2 u");
    assert_eq!(desk.stored(2), "{}");
    assert_eq!(desk.screen.app.queue.progress.judged, 1);
    desk.press("u");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (1, "{}"));
    desk.press("U");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
    desk.press("U");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (2, r#"{"bullet":1,"coverage":"full"}"#));
}

#[test]
fn skipped_ones_come_back_last() {
    let mut desk = coverage_desk();
    desk.press("s");
    assert!(desk.decision(1).expect("said").verdict.is_put_aside);
    assert_eq!((desk.item_number(), desk.screen.app.queue.progress.skipped), (2, 1));
    desk.press("1 t 1 t");
    assert_eq!(desk.item_number(), 1, "only the one that was put aside is left");
    desk.press("2");
    assert!(!desk.decision(1).expect("decided").verdict.is_put_aside);
    assert_eq!(desk.screen.app.queue.progress.judged, 3);
    desk.press(": 3 enter enter");
    assert_eq!(desk.item_number(), 3);
    assert!(!desk.screen.app.frame.overlays.is_empty(), "everything is settled");
}

#[test]
fn the_panel_says_who_said_what() {
    let mut desk = coverage_desk();
    assert_eq!(cells(&desk, ""), ["ann 0:12", "ben 0:24"]);
    assert_eq!(cells(&desk, "Covered?"), ["full", "partial"]);
    assert_eq!(cells(&desk, "opened"), ["", "1 2 · looked beyond"]);
    desk.screen.docket.hides_names = true;
    assert_eq!(cells(&desk, ""), ["annotator 1 0:12", "annotator 2 0:24"]);
}

/// Whether the panel has a row that begins with this word.
fn has_row(desk: &desk::Desk, word: &str) -> bool {
    desk.screen.panel().iter().any(|row| match row {
        PanelRow::Cells { label, .. } => label.starts_with(word),
        PanelRow::Line(pieces) => pieces.first().is_some_and(|piece| piece.text.starts_with(word)),
    })
}

#[test]
fn scores_are_behind_a_key_and_never_shown_before_the_decision() {
    let mut desk = coverage_desk();
    let shows = |desk: &desk::Desk| (has_row(desk, "joint"), has_row(desk, "coverage if"));
    assert_eq!(shows(&desk), (false, false));
    desk.press("W");
    assert_eq!(shows(&desk), (false, false));
    assert_eq!(desk.screen.app.frame.notice.text, "scores are shown once the item is decided");
    desk.press("f");
    assert_eq!(shows(&desk), (false, false), "the bullet is still asked");
    desk.press("2");
    assert_eq!(shows(&desk), (true, true));
    // Bullet 2 cites document 1, which is gold: F1 100. It is the only insight that counts so far, so the summary
    // and its system have its score: 100 × 1 and 50 × 1.
    assert_eq!(cells(&desk, "joint"), ["100.0 / 100.0", "50.0 / 50.0"]);
    desk.press("enter");
    assert_eq!(shows(&desk), (false, false), "the next one is not decided");
    desk.press("1");
    // Bullet 3 cites 2 and 1, gold is 2: precision 1/2, recall 1, F1 2/3, joint (100 + 66.7) / 2. Bullet 1 cites
    // nothing: (100 + 0) / 2.
    assert_eq!(cells(&desk, "joint"), ["83.3 / 83.3", "50.0 / 50.0"]);
    desk.press("u");
    assert_eq!(shows(&desk), (false, false), "the decision is taken back");
    desk.press("1 W");
    assert_eq!(shows(&desk), (false, false), "the key hides them again");
    let mut others = keypoint_desk();
    others.press("1 W");
    assert_eq!(others.screen.app.frame.notice.text, "no score is made of these answers");
}

#[test]
fn scores_do_not_push_the_chosen_bullet_out_of_view() {
    for bullet in ["2 1", "3 9"] {
        let mut desk = tall_desk();
        // Any scores will do: the panel grows by them.
        desk.screen.docket.scored = coverage_desk().screen.docket.scored;
        desk.resize(80, 24).press("f").press(bullet);
        let rows = desk.screen.app.reserved;
        desk.press("W");
        let app = &desk.screen.app;
        assert!(app.reserved > rows, "the panel is higher");
        let visible = app.boards[Pane::Candidate].visible(app.layout.panes.height(Pane::Candidate));
        let line = format!("Bullet {} says", bullet.replace(' ', ""));
        assert!(app.text(Pane::Candidate)[visible].contains(&line), "{line}: {:?}", app.layout);
    }
}

#[test]
fn the_bullets_that_people_chose_are_scrolled_into_view_on_every_item() {
    let mut desk = tall_desk();
    desk.resize(80, 24);
    for (keys, numbers) in [("enter", [38, 39]), ("enter", [3, 4]), ("left", [38, 39]), ("left", [21, 22])] {
        desk.now.monotonic += 1_000;
        desk.press_now(keys);
        // As the first frame of the item shows it.
        let app = &desk.screen.app;
        let visible = app.boards[Pane::Candidate].visible(app.layout.panes.height(Pane::Candidate));
        let seen = &app.text(Pane::Candidate)[visible];
        for number in numbers {
            assert!(seen.contains(&format!("Bullet {number} says something [1].")), "{number} in {seen}");
        }
        desk.press("V");
    }
}

#[test]
fn where_not_all_fit_the_others_are_a_key_away() {
    let mut desk = coverage_desk();
    desk.resize(40, 24).press(": 3 enter");
    assert_eq!(cells(&desk, ""), ["ann 0:12"]);
    desk.press("V");
    assert_eq!(cells(&desk, ""), ["ben 0:24"]);
    desk.press("V V");
    assert_eq!(cells(&desk, ""), ["ann 0:12"]);
    desk.press("3");
    assert_eq!(desk.stored(3), r#"{"bullet":1,"coverage":"full"}"#, "its key works unseen");
}

#[test]
fn what_cannot_be_written_is_said_and_nothing_goes_on() {
    let mut desk = coverage_desk();
    desk.fault = Some(Error::new("the disk is full").in_file("/a/long/way/study.db"));
    desk.press("1 enter");
    assert_eq!(desk.item_number(), 1);
    assert!(desk.screen.is_waiting());
    let retry = crate::app::kit::input::Input::Tick(desk.now);
    desk.send(retry.clone());
    assert_eq!(desk.screen.app.frame.notice.text, "not saved: the disk is full");
    desk.fault = None;
    desk.send(retry.clone());
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
    assert!(desk.screen.app.pending.is_none());
}

#[test]
fn a_kill_between_any_two_keys_loses_nothing() {
    let keys = ["1", "G", "enter", "f", "3", "enter", "s", "x"];
    for killed_after in 0..=keys.len() {
        let mut desk = coverage_desk();
        desk.press(&keys[..killed_after].join(" "));
        let before: Vec<_> = (1..=3).map(|number| desk.decision(number)).collect();
        let progress = desk.screen.app.queue.progress;
        desk.reopen();
        let after: Vec<_> = (1..=3).map(|number| desk.decision(number)).collect();
        assert_eq!(after, before, "after {killed_after} keys");
        assert_eq!(desk.screen.app.queue.progress.judged, progress.judged);
    }
}

#[test]
fn a_key_of_the_item_before_settles_nothing_here() {
    let mut desk = coverage_desk();
    desk.press("A");
    desk.press("1");
    assert_eq!(desk.item_number(), 2, "goes on by itself where that is wanted");
    desk.reopen();
    desk.press("A");
    desk.now.monotonic += 1_000;
    desk.press_now("2");
    desk.press_now("1");
    assert_eq!(desk.stored(2), "{}", "the second key was meant for the item before");
}

#[test]
fn a_review_reads_and_writes_nothing() {
    let mut desk = review_desk();
    let before = desk.events.clone();
    assert_eq!(cells(&desk, ""), ["you 0:12", "gold · adjudicated"]);
    assert_eq!(cells(&desk, "Covered?"), ["full", "partial"]);
    assert_eq!(cells(&desk, "comment"), ["", "“half”"]);
    desk.press("1 2 f x p 3 u U s ! c G S X enter");
    assert_eq!(desk.events, before);
    assert!(desk.screen.app.pending.is_none());
    assert!(
        desk.screen.app.frame.notice.text.contains("reading") || !desk.screen.app.frame.overlays.is_empty()
    );
}

#[test]
fn chinese_and_another_protocol() {
    let mut desk = keypoint_desk();
    desk.press("2");
    assert_eq!(desk.stored(1), r#"{"grounded":"no"}"#);
    desk.press("y a");
    assert_eq!(desk.stored(1), r#"{"grounded":"yes","validity":"agree"}"#);
}

#[test]
fn a_decision_of_another_terminal_is_shown_and_not_written_over() {
    let mut desk = coverage_desk();
    let mut other = coverage_desk();
    other.press("1");
    desk.events = other.events.clone();
    desk.press("2");
    assert_eq!(desk.stored(1), r#"{"bullet":2,"coverage":"full"}"#);
    let notice = &desk.screen.app.frame.notice.text;
    assert!(notice.starts_with("answered elsewhere: full, bullet 2;"), "{notice}");
    assert_eq!(desk.screen.app.queue.progress.judged, 1);
    assert!(!desk.screen.is_waiting());
}

#[test]
fn undo_and_redo_say_what_changed() {
    let mut desk = coverage_desk();
    desk.press("1");
    for (keys, back, again) in [
        ("X", "no example", "an example"),
        ("S", "why slip → none", "why none → slip"),
        ("c n o enter", "comment as before", "comment as before"),
    ] {
        desk.press(keys).press("u");
        assert_eq!(desk.screen.app.frame.notice.text, format!("taken back · {back}"), "{keys}");
        desk.press("U");
        assert_eq!(desk.screen.app.frame.notice.text, format!("done again · {again}"), "{keys}");
    }
}

/// Two columns have (80 − 20) / 2 = 30 places each at least, less the gutter. Eight rows of the half screen are free.
#[test]
fn long_answers_have_several_rows_where_there_is_room_and_say_what_is_left_out() {
    let texts = |desk: &desk::Desk| -> Vec<String> {
        let cells = |row| match row {
            PanelRow::Cells { cells, .. } => cells.into_iter().map(|cell| cell.text).collect(),
            PanelRow::Line(_) => Vec::new(),
        };
        desk.screen.panel().into_iter().flat_map(cells).collect()
    };
    let mut desk = coverage_desk();
    let point =
        |number: u32| Point { text: format!("point {number} of those she wrote"), passages: Vec::new() };
    let main = desk.screen.app.protocol.main_question().expect("a choice").key.clone();
    let answers = &mut desk.study.opinions[0][0].standing.answers;
    answers.insert(main.clone(), Answer::Points((1..=2).map(point).collect()));
    desk.reopen();
    desk.resize(80, 24);
    let shown = texts(&desk).join(" ");
    assert!(shown.contains("1 point 1") && shown.contains("2 point 2"), "{shown}");
    assert!(!shown.contains('…'), "{shown}");
    let answers = &mut desk.study.opinions[0][0].standing.answers;
    answers.insert(main, Answer::Points((1..=9).map(point).collect()));
    desk.reopen();
    desk.resize(80, 24);
    let shown = texts(&desk).join(" ");
    assert!(shown.contains(" more") && !shown.contains("9 point 9"), "{shown}");
    desk.resize(80, 12);
    let shown = texts(&desk);
    assert!(
        shown.iter().any(|text| text.starts_with("1 point") && text.ends_with("and 8 more")),
        "{shown:?}"
    );
}
