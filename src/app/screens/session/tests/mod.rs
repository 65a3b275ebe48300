//! Sessions as a person goes through them: keys and times in, the log and the screen's state out.

pub(crate) mod booth;

use proptest::prelude::*;

use super::{SessionPane, Stage};
use crate::app::kit::{Input, Mouse, MouseKind, Overlay};
use crate::error::{Error, ErrorKind};
use crate::journal::session::{Ending, HowRead, MINUTE};
use booth::{Booth, chinese_documents};

#[test]
fn a_session_from_beginning_to_end() {
    let mut booth = Booth::new();
    booth.wait(30_000);
    assert_eq!((booth.app.stage, booth.app.clock.active()), (Stage::Briefing, 0), "reading the task is free");
    booth.press("enter");
    assert_eq!((booth.app.stage, booth.app.focus), (Stage::Working, SessionPane::Document));
    booth.press("tab").write("They use a timer").press("ctrl-n enter").write("A walk").press("ctrl-n");
    assert_eq!(booth.text(), "They use a timer [8]\nA walk [8]");
    booth.press("tab . c");
    assert_eq!(booth.text(), "They use a timer [8]\nA walk [8,3]", "the second document is [3]");
    booth.press("f10");
    assert!(matches!(booth.app.frame.overlays.last(), Some(Overlay::Finish)));
    booth.press("n f10 y");
    assert_eq!(booth.app.stage, Stage::Over(Ending::Finished));
    let session = booth.session();
    assert_eq!(session.text, booth.text());
    assert_eq!(session.ended, Some(Ending::Finished));
    assert_eq!(session.last_snapshot().map(|snapshot| snapshot.text.as_str()), Some(booth.text()));
    assert_eq!(session.misfits, 0);
    booth.press("x enter");
    assert!(booth.has_quit);
}

#[test]
fn what_is_live_is_what_is_stored() {
    let mut booth = Booth::working();
    booth.write("One two").press("ctrl-w").write("three").press("ctrl-u ctrl-r ctrl-p enter");
    booth.send(|now| Input::Paste("stolen".into(), now));
    booth.press("tab Y").write_every(1, &"j".repeat(3)).press("/ w a l k enter");
    booth.write("]]").wait(700_000);
    let (mut live, stored) = (booth.app.session.clone(), booth.session());
    live.tip = stored.tip;
    live.wall = stored.wall;
    // A tick may still be on its way to the next beat.
    live.active = stored.active;
    assert_eq!(live, stored);
    assert_eq!((stored.pastes, stored.copies, stored.searches, stored.pauses), (1, 1, 1, 1));
}

#[test]
fn nothing_older_than_two_seconds_is_lost() {
    let mut booth = Booth::working();
    let text = "Every word that was typed two seconds ago or longer is there again, after a kill at any key.";
    for character in text.chars() {
        booth.write_every(130, &character.to_string());
        let again = booth.killed().session().text;
        // Two seconds hold fifteen characters at this pace.
        assert!(booth.text().starts_with(&again) && booth.text().len() - again.len() <= 15, "{again:?}");
    }
    booth.send(Input::FocusLost);
    assert_eq!(booth.session().text, text, "another window is looked at");
}

#[test]
fn a_killed_session_goes_on_at_the_same_second() {
    let mut booth = Booth::working();
    booth.write("First").wait(90_000).write(" bullet").wait(2_000);
    let active = booth.session().active;
    assert!(booth.app.clock.active() - active < 2_000);
    let mut again = booth.killed();
    assert_eq!(again.app.stage, Stage::Briefing);
    assert_eq!(again.app.clock.active(), active);
    again.wait(500_000).press("enter");
    assert_eq!(again.text(), "First bullet");
    assert_eq!(again.app.clock.active(), active, "what lies between does not count");
    assert_eq!(again.app.focus, SessionPane::Summary);
    again.write(", and on");
    assert_eq!(again.text(), "First bullet, and on");
    assert_eq!(again.killed().press("enter").app.session.openings, 3);
}

#[test]
fn snapshots_are_taken_at_ten_minutes_sharp_with_the_text_of_that_time() {
    let mut booth = Booth::working();
    let until = |booth: &Booth, active: i64| active - booth.app.clock.active();
    booth.write("ab");
    let left = until(&booth, 10 * MINUTE - 40);
    booth.wait(left);
    booth.send(Input::Tick);
    // 40 ms before the tenth minute, and 60 after it.
    booth.write_every(30, "c").write_every(70, "d").wait(11 * MINUTE);
    let minutes: Vec<(i64, String)> =
        booth.session().snapshots.into_iter().map(|snapshot| (snapshot.active, snapshot.text)).collect();
    assert_eq!(minutes, [(600_000, "abc".to_owned()), (1_200_000, "abcd".to_owned())]);
    let live: Vec<i64> = booth.app.session.snapshots.iter().map(|snapshot| snapshot.active).collect();
    assert_eq!(live, [600_000, 1_200_000]);
    // Nothing is taken twice after a kill.
    let mut again = booth.killed();
    again.press("enter").wait(8 * MINUTE);
    assert_eq!(again.session().snapshots.len(), 2);
    again.wait(2 * MINUTE);
    assert_eq!(again.session().snapshots.last().map(|snapshot| snapshot.active), Some(1_800_000));
}

#[test]
fn pauses_hide_everything_and_do_not_count() {
    let mut booth = Booth::working();
    booth.write("One").press("ctrl-p");
    assert_eq!(booth.app.stage, Stage::Paused);
    assert_eq!(booth.session().text, "One", "it is on disk");
    let active = booth.app.clock.active();
    booth.wait(3_600_000).write("not a word").press("tab j ctrl-n f10");
    assert_eq!((booth.text(), booth.app.clock.active()), ("One", active));
    assert!(booth.app.frame.overlays.is_empty());
    booth.press("ctrl-p").write(" two");
    assert_eq!((booth.app.stage, booth.text()), (Stage::Working, "One two"));
    assert_eq!(booth.app.clock.active(), active + 400);
    assert_eq!((booth.stored("pause").len(), booth.stored("resume").len()), (1, 1));
}

#[test]
fn a_stopped_program_and_a_closed_lid_are_no_work() {
    let mut booth = Booth::working();
    booth.write("One").press("ctrl-z");
    assert_eq!((booth.app.stage, booth.suspensions), (Stage::Paused, 1));
    assert_eq!(booth.session().text, "One");
    booth.shift(600_000, 600_000).send(Input::Resumed).press("enter");
    let active = booth.app.clock.active();
    // SIGSTOP from outside: both clocks go on, and no tick came.
    booth.shift(40_000, 40_000).send(Input::Tick);
    assert_eq!((booth.app.clock.active(), booth.app.stage), (active, Stage::Working));
    // A closed lid: the monotonic clock stands still, the wall clock does not.
    booth.shift(7_200_000, 150).send(Input::Tick);
    assert_eq!(booth.app.stage, Stage::Paused);
    assert_eq!(booth.app.clock.active(), active + 150);
    assert!(booth.app.frame.notice.is_warning);
}

#[test]
fn the_limit_keeps_the_text_and_asks() {
    let mut booth = Booth::with("Why?", booth::documents(), 31 * MINUTE);
    booth.press("enter tab").write("In time").wait(MINUTE);
    assert_eq!(booth.app.frame.notice.text, "30 minutes left");
    booth.wait(20 * MINUTE);
    assert_eq!(booth.app.frame.notice.text, "10 minutes left");
    booth.wait(9 * MINUTE);
    assert_eq!(booth.app.frame.notice.text, "1 minute left");
    booth.wait(MINUTE);
    assert_eq!(booth.app.stage, Stage::TimeUp);
    assert_eq!(
        booth.stored("warn"),
        [("30".into(), MINUTE), ("10".into(), 21 * MINUTE), ("1".into(), 30 * MINUTE)]
    );
    let active = booth.app.clock.active();
    booth.write(" we quit, are we late?");
    assert!(booth.app.frame.overlays.is_empty());
    assert_eq!(booth.app.stage, Stage::TimeUp, "whoever still types decides nothing");
    booth.wait(30_000);
    assert_eq!((booth.text(), booth.app.clock.active()), ("In time", active), "the decision takes no time");
    assert_eq!(
        booth.session().snapshots.last().map(|last| (last.active, last.is_last)),
        Some((31 * MINUTE, false))
    );

    // Killed before it was decided: it is asked again.
    let mut again = booth.killed();
    again.press("enter");
    assert_eq!(again.app.stage, Stage::TimeUp);
    again.wait(1_000).press("w").write(" and over");
    assert_eq!(again.text(), "In time and over");
    assert!(again.app.session.is_over_time);
    again.press("ctrl-x y");
    assert_eq!(again.session().ended, Some(Ending::OverTime));
    let texts: Vec<String> = again.session().snapshots.into_iter().map(|snapshot| snapshot.text).collect();
    assert_eq!(texts.iter().filter(|text| *text == "In time and over").count(), 1, "{texts:?}");

    booth.press("e");
    assert_eq!(booth.session().ended, Some(Ending::Limit));
    assert_eq!(booth.session().last_snapshot().map(|last| last.text.clone()), Some("In time".into()));
}

#[test]
fn pasting_and_copying_are_refused_and_logged() {
    let mut booth = Booth::working();
    booth.send(|now| Input::Paste("五字的文本\n".into(), now));
    assert_eq!(booth.text(), "");
    booth.press("ctrl-f").send(|now| Input::Paste("x".into(), now)).press("esc tab Y Y").wait(2_000);
    assert_eq!(
        booth.stored("refuse_paste").iter().map(|(body, _)| body.as_str()).collect::<Vec<_>>(),
        ["6", "1"]
    );
    assert_eq!(booth.stored("refuse_copy").len(), 2);
    assert_eq!(booth.app.shelf.search.needle(), "");
}

#[test]
fn a_burst_is_taken_and_flagged() {
    let mut booth = Booth::working();
    booth.write_every(2, &"burst ".repeat(10)).wait(2_000);
    assert_eq!(booth.text().len(), 60);
    assert_eq!(booth.stored("burst").iter().map(|(body, _)| body.as_str()).collect::<Vec<_>>(), ["60"]);
    booth.write(&"typed ".repeat(10)).wait(2_000);
    assert_eq!(booth.stored("burst").len(), 1);
}

#[test]
fn who_has_judged_must_say_that_they_write_all_the_same() {
    let mut booth = Booth::new();
    booth.reset(|opening| opening.has_judged = true).press("enter");
    assert_eq!(booth.app.stage, Stage::Briefing, "⏎ is not enough");
    booth.press("y");
    assert_eq!(booth.app.stage, Stage::Working);
    assert!(booth.session().has_judged);
    let mut again = booth.killed();
    again.press("enter");
    assert_eq!(again.app.stage, Stage::Working, "it is asked once");
}

#[test]
fn leaving_pauses() {
    let mut booth = Booth::working();
    booth.write("One").press("ctrl-q");
    assert!(booth.has_quit && booth.session().is_paused);
    assert_eq!(booth.session().text, "One");
    let mut ended = Booth::working();
    ended.write("Two");
    ended.app.close(ended.now, &mut ended.disk);
    assert_eq!(ended.events.last().map(|event| event.happening.kind()), Some("pause"));
    assert_eq!(ended.session().text, "Two");
}

#[test]
fn what_cannot_be_written_is_kept_and_said() {
    let mut booth = Booth::working();
    booth.fault = Some(Error::busy("the study is in use"));
    booth.write("One two three four");
    assert!(booth.app.is_faulty() && booth.app.frame.notice.text.is_empty());
    booth.wait(4_000).write("x");
    assert!(!booth.text().ends_with('x'), "no more than two seconds are at stake");
    booth.press("ctrl-q");
    assert!(!booth.has_quit, "the first time is refused");
    booth.fault = None;
    booth.press("enter").wait(400).write(" five").wait(2_000);
    assert!(booth.text().ends_with(" five") && !booth.app.is_faulty());
    assert_eq!(booth.session().text, booth.text());

    booth.press("ctrl-p enter").fault = Some(Error::new("the disk is full").in_file("/a/long/way/study.db"));
    booth.write_every(1, " six").wait(2_000);
    assert_eq!(booth.app.stage, Stage::Paused, "the clock stops");
    assert_eq!(booth.app.frame.notice.text, "not saved: the disk is full");
    booth.fault = None;
    booth.press("enter").wait(2_000);
    assert_eq!(booth.session().text, booth.text());
    assert!(booth.text().ends_with(" six"));
    assert_eq!(booth.app.fault, None);
    assert_eq!(Error::busy("x").kind(), ErrorKind::Busy);
}

#[test]
fn a_session_that_cannot_be_opened_is_left_at_once() {
    let mut booth = Booth::new();
    booth.fault = Some(Error::new("the disk is full").in_file("/a/long/way/study.db"));
    booth.press("enter");
    assert_eq!(
        (booth.app.stage, booth.app.frame.notice.text.as_str()),
        (Stage::Briefing, "the disk is full")
    );
    booth.press("q");
    assert!(booth.has_quit && booth.events.is_empty());
}

#[test]
fn documents_are_unread_part_read_and_read() {
    let mut booth = Booth::new();
    let reading = |booth: &Booth, number: u32| booth.app.session.reading(number);
    booth.resize(80, 24).press("enter");
    assert_eq!(reading(&booth, 8), HowRead::PartRead);
    booth.wait(3_000);
    assert_eq!(reading(&booth, 8), HowRead::Read, "all of it was on the screen for a while");
    // The long talk has 120 rows; paging through it in half a second is not reading it.
    booth.press(". .").wait(2_000);
    booth.press("end").wait(200).press("home").wait(2_000);
    assert_eq!(reading(&booth, 41), HowRead::PartRead);
    booth.press("end").wait(3_000);
    assert_eq!((reading(&booth, 41), reading(&booth, 3)), (HowRead::Read, HowRead::PartRead));
    // A document opens again where it was left.
    booth.press("home j j j , .");
    assert_eq!(booth.app.shelf.board.scroll, 3);
    // Nothing is read in a pause, or while one writes below 120 columns.
    let mut narrow = Booth::new();
    narrow.resize(80, 24).press("enter tab").wait(5_000).press("ctrl-p").wait(5_000);
    assert_eq!(reading(&narrow, 8), HowRead::PartRead);
}

#[test]
fn the_list_is_filtered_and_opens() {
    let mut booth = Booth::working();
    booth.press("f2").write("wed");
    assert_eq!(booth.app.shelf.picker.shown.len(), 1);
    booth.press("enter");
    assert_eq!(
        (booth.app.focus, booth.app.shelf.document().map(|document| document.number)),
        (SessionPane::Document, Some(3))
    );
    booth.press("g");
    assert_eq!(booth.app.shelf.picker.shown.len(), 3, "the filter starts empty");
    booth.press("down enter o 8 enter");
    assert_eq!(booth.app.shelf.document().map(|document| document.number), Some(8));
    booth.press("o 7 enter");
    assert!(booth.app.frame.notice.is_warning);
}

#[test]
fn a_search_goes_through_all_documents_and_the_summary() {
    let mut booth = Booth::new();
    booth.press("enter / w a l k enter");
    assert_eq!(booth.app.shelf.document().map(|document| document.number), Some(3), "[8] has no walk");
    booth.press("]");
    assert_eq!(booth.app.shelf.document().map(|document| document.number), Some(41));
    booth.press("] ]");
    assert_eq!(booth.app.frame.notice.text, "hit 3 of 120 · 2 documents have some");
    booth.press("[ [ [");
    assert_eq!(booth.app.shelf.document().map(|document| document.number), Some(3));
    booth.press("tab").write("Walks, long walks").press("home ctrl-g");
    assert_eq!(booth.app.summary.cursor(), 12, "the second one; the first is at the cursor");
    booth.press("ctrl-f").write("zzz").press("enter ctrl-g");
    assert_eq!(booth.app.frame.notice.text, "\"zzz\" is not in the summary");
    assert_eq!(booth.stored("search").len(), 1, "what was looked for is in the log");
}

#[test]
fn one_key_lies_between_reading_and_writing_on_a_narrow_screen() {
    let mut booth = Booth::working();
    booth.resize(80, 24);
    assert!(booth.app.layout.panes.place(SessionPane::Document).is_none());
    booth.press("tab");
    assert!(booth.app.layout.panes.place(SessionPane::Document).is_some());
    booth.press("tab").resize(120, 40);
    assert_eq!(booth.app.layout.panes.0.len(), 3);
    booth.press("pagedown alt-.");
    assert_eq!(
        (booth.app.focus, booth.app.shelf.view()),
        (SessionPane::Summary, Some(1)),
        "one turns pages while one writes"
    );
}

#[test]
fn chinese_combining_marks_and_emoji_are_written_by_characters() {
    let mut booth = Booth::with("为什么？", chinese_documents(), 60 * MINUTE);
    booth.press("enter tab").write("低温使电池变慢。").press("ctrl-n");
    assert_eq!(booth.text(), "低温使电池变慢。[1]");
    booth.press("enter").write("cafe\u{301} 👩\u{200d}🔬x").press("left left left left");
    assert!(booth.text()[booth.app.summary.cursor()..].starts_with("e\u{301} "));
    booth.press("delete");
    assert!(booth.text().ends_with("caf 👩\u{200d}🔬x"));
    booth.press("right backspace end backspace backspace");
    assert!(booth.text().ends_with("\ncaf"), "{:?}", booth.text());
    booth.press("ctrl-u ctrl-u ctrl-u ctrl-u ctrl-u ctrl-u").wait(2_000);
    assert_eq!(booth.session().text, booth.text());
    assert_eq!(booth.session().misfits, 0);
}

/// Something that can happen to the screen.
#[derive(Debug, Clone)]
enum Act {
    Press(&'static str),
    Type(char),
    Wait(i64),
    Jump(i64),
    Paste,
    Resize(u16, u16),
    Mouse(u16, u16, MouseKind),
    Look,
    BulletFault(bool),
}

const KEYS: &[&str] = &[
    "enter",
    "tab",
    "backtab",
    "esc",
    "f1",
    "f2",
    "f3",
    "f4",
    "f10",
    "ctrl-x",
    "ctrl-p",
    "ctrl-n",
    "ctrl-u",
    "ctrl-r",
    "ctrl-w",
    "ctrl-k",
    "ctrl-y",
    "ctrl-f",
    "ctrl-g",
    "alt-g",
    "alt-o",
    "alt-j",
    "alt-k",
    "alt-.",
    "alt-,",
    "alt-up",
    "alt-down",
    "ctrl-up",
    "ctrl-down",
    "ctrl-home",
    "ctrl-end",
    "home",
    "end",
    "up",
    "down",
    "left",
    "right",
    "ctrl-left",
    "ctrl-right",
    "pageup",
    "pagedown",
    "backspace",
    "delete",
    "alt-d",
    "ctrl-z",
    "ctrl-t",
    "ctrl-l",
    "alt-delete",
];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let signs = vec![
        'a', 'c', 'e', 'g', 'j', 'n', 'o', 'p', 'w', 'y', ' ', '/', '.', ',', ']', '[', '8', '中', '\u{301}',
        '😀',
    ];
    let kinds = vec![MouseKind::Click, MouseKind::Drag, MouseKind::WheelUp, MouseKind::WheelDown];
    let act = prop_oneof![
        8 => proptest::sample::select(KEYS).prop_map(Act::Press),
        8 => proptest::sample::select(signs).prop_map(Act::Type),
        2 => (0_i64..3_000).prop_map(Act::Wait),
        1 => Just(Act::Wait(9 * MINUTE)),
        1 => (0_i64..200_000).prop_map(Act::Jump),
        1 => Just(Act::Paste),
        1 => (0_u16..220, 0_u16..70).prop_map(|(columns, rows)| Act::Resize(columns, rows)),
        2 => (0_u16..220, 0_u16..70, proptest::sample::select(kinds)).prop_map(|(x, y, kind)| Act::Mouse(x, y, kind)),
        1 => Just(Act::Look),
        1 => any::<bool>().prop_map(Act::BulletFault),
    ];
    proptest::collection::vec(act, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_happens_the_log_gives_what_is_on_the_screen(acts in acts()) {
        let mut booth = Booth::with("Why?", booth::documents(), 25 * MINUTE);
        booth.press("enter tab");
        for act in acts {
            match act {
                Act::Press(key) => drop(booth.press(key)),
                Act::Type(character) => drop(booth.write(&character.to_string())),
                Act::Wait(time) => drop(booth.wait(time)),
                Act::Jump(time) => drop(booth.shift(time, time / 3)),
                Act::Paste => drop(booth.send(|now| Input::Paste("x".into(), now))),
                Act::Resize(columns, rows) => drop(booth.resize(columns, rows)),
                Act::Mouse(column, row, kind) => {
                    booth.send(|now| Input::Mouse(Mouse { column, row, kind }, now));
                }
                Act::Look => drop(booth.send(Input::FocusLost)),
                Act::BulletFault(is_busy) => booth.fault = is_busy.then(|| Error::busy("in use")),
            }
            prop_assert!(booth.app.clock.is_running() == booth.app.is_working());
            prop_assert_eq!(booth.app.session.text.as_str(), booth.text());
        }
        booth.fault = None;
        booth.wait(2_000).send(Input::FocusLost);
        let (mut live, stored) = (booth.app.session.clone(), booth.session());
        prop_assert_eq!(stored.misfits, 0);
        (live.tip, live.wall) = (stored.tip, stored.wall);
        prop_assert_eq!(live, stored);
    }
}
