//! A summary written against the clock: what is typed survives a kill, pauses hide the documents, and the rules of the
//! task hold. The log is read from the study file as it is exported.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Desk, Session};

/// What was typed longer ago may not be lost.
pub const LOSS: Duration = Duration::from_millis(2_000);

/// A study with the sample haystack, and nothing judged or written.
fn study(home: &Desk) -> String {
    let path: PathBuf = home.path("study.db");
    let study = path.to_str().unwrap().to_owned();
    home.samples(&study, &["haystack"]);
    study
}

/// Opens the session of zoe, and does not begin it.
fn open(home: &Desk, study: &str, further: &[&str]) -> Session {
    let mut arguments = vec!["session", study, "--as", "zoe", "--seed", "1"];
    arguments.extend(further);
    let mut session = home.start(&arguments);
    session.wait_for("─ A summary against the clock ─");
    session
}

/// Begins the session, and goes to the summary.
pub fn begin(home: &Desk, study: &str, further: &[&str]) -> Session {
    let mut session = open(home, study, further);
    session.type_keys("\r").wait_for("▸Document");
    session.type_keys("\t").wait_for("▸Summary");
    session
}

/// Something that happened in a session.
pub struct Event {
    active: i64,
    kind: String,
    body: Value,
}

/// The log of the one session of a study as it is exported, in order.
pub fn events(home: &Desk, study: &str) -> Vec<Event> {
    let text = home.out(&["export", study]);
    let mut records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let session = records.find(|record| record["type"] == "session").expect("a session");
    let writers = session["events"].as_object().expect("events by writer").values();
    let mut rows: Vec<(i64, i64, i64, String, Value)> =
        writers.flat_map(|rows| serde_json::from_value::<Vec<_>>(rows.clone()).unwrap()).collect();
    // Number, wall time, active time: a later opening has a later wall time.
    rows.sort_by_key(|(number, at, active, ..)| (*active, *at, *number));
    rows.into_iter().map(|(_, _, active, kind, body)| Event { active, kind, body }).collect()
}

fn of_kind<'e>(events: &'e [Event], kind: &str) -> Vec<&'e Event> {
    events.iter().filter(|event| event.kind == kind).collect()
}

/// The text that the deltas in the log give.
pub fn replayed(events: &[Event]) -> String {
    let mut text = String::new();
    for edit in of_kind(events, "edit") {
        let delta = edit.body.as_array().unwrap();
        let start = usize::try_from(delta[0].as_u64().unwrap()).unwrap();
        let removed = usize::try_from(delta[1].as_u64().unwrap()).unwrap();
        text.replace_range(start..start + removed, delta[2].as_str().unwrap());
    }
    text
}

/// Types at a person's pace, so that it is no burst.
fn type_slowly(session: &mut Session, text: &str) {
    for character in text.chars() {
        session.type_keys(&character.to_string());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn bracketed(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

#[test]
fn what_was_typed_two_seconds_ago_survives_a_kill() {
    let home = Desk::new();
    let study = study(&home);
    let mut session = begin(&home, &study, &[]);
    type_slowly(&mut session, "Students time their work");
    session.type_keys("\x0e").wait_for("cited by bullet 1");
    type_slowly(&mut session, "\r第二条：休息 😀 cafe\u{301}");
    session.wait_for("2 bullets for").wait_for("第二条");
    std::thread::sleep(LOSS);
    type_slowly(&mut session, " lost?");
    session.kill();
    let text = replayed(&events(&home, &study));
    assert!(text.starts_with("Students time their work ["), "{text}");
    assert!(text.contains("]\n第二条：休息 😀 cafe\u{301}"), "{text}");

    // Killed a second time on the way, it goes on from there.
    let mut session = open(&home, &study, &[]);
    assert!(session.shows("So far: 2 bullets"));
    session.type_keys("\r").wait_for("▸Summary").wait_for("第二条：休息 😀");
    type_slowly(&mut session, "!\rThird");
    session.wait_for("3 bullets for");
    std::thread::sleep(LOSS);
    session.kill();
    let mut session = open(&home, &study, &[]);
    session.type_keys("\r").wait_for("Third");
    session.type_keys("\x1b[21~").wait_for("─ End the session? ─");
    session.type_keys("y").wait_for("You finished before the limit.");
    session.type_keys("\r").expect_success();
    assert!(session.shows("3 bullets") && session.shows("finished; everything is saved"));
    let log = events(&home, &study);
    assert_eq!(replayed(&log), format!("{text}!\nThird"));
    assert_eq!(of_kind(&log, "open").len(), 3);
    let actives: Vec<i64> = log.iter().map(|event| event.active).collect();
    assert!(actives.is_sorted(), "the clock never goes back: {actives:?}");
    let last = of_kind(&log, "end")[0].active;
    assert!(last < 60_000, "what lay between does not count");
}

#[test]
fn a_pause_hides_the_documents_and_stops_the_clock() {
    let home = Desk::new();
    let study = study(&home);
    let mut session = begin(&home, &study, &["--limit", "30m"]);
    type_slowly(&mut session, "One");
    session.type_keys("\x10").wait_for("─ Paused ─");
    assert!(!session.shows("Document") || session.shows("documents and summary are hidden"));
    let row = session.row_with("1 bullet, 1 word");
    std::thread::sleep(Duration::from_millis(1_200));
    session.catch_up();
    assert_eq!(session.row_with("1 bullet, 1 word"), row, "the clock stands still");
    session.type_keys("\r").wait_for("▸Summary").wait_for("One");
    // Leaving is a pause as well, and so is a signal to end.
    session.type_keys("\x11").expect_success();
    assert!(session.shows("minutes, paused; everything is saved"));
    let mut session = open(&home, &study, &[]);
    session.type_keys("\r").wait_for("▸Summary");
    session.type_keys(" two").wait_for("One two");
    session.signal(Signal::TERM);
    session.expect_success();
    let log = events(&home, &study);
    assert_eq!(replayed(&log), "One two");
    assert_eq!((of_kind(&log, "pause").len(), of_kind(&log, "resume").len()), (3, 1));
    assert_eq!(log.last().unwrap().kind, "pause");
}

#[test]
fn pasting_is_refused_and_a_burst_is_flagged() {
    let home = Desk::new();
    let study = study(&home);
    let mut session = begin(&home, &study, &[]);
    session.type_keys(&bracketed("stolen text\r\n")).wait_for("nothing can be pasted in a session");
    session.type_keys(&"unbracketed ".repeat(5)).wait_for("faster than anyone types");
    session.type_keys("\t").wait_for("▸Document");
    session.type_keys("Y").wait_for("nothing can be copied in a session");
    session.type_keys("\x11").expect_success();
    assert_eq!(session.terminal().heard().strange, [] as [&str; 0], "nothing reached a clipboard");
    let log = events(&home, &study);
    assert_eq!(replayed(&log), "unbracketed ".repeat(5));
    // "stolen text" and a line break, as the terminal sent it.
    let refused = of_kind(&log, "refuse_paste");
    assert_eq!(refused.len(), 1);
    assert!([12, 13].contains(&refused[0].body.as_i64().unwrap()), "{}", refused[0].body);
    assert_eq!(of_kind(&log, "refuse_copy").len(), 1);
    let bursts: i64 = of_kind(&log, "burst").iter().map(|event| event.body.as_i64().unwrap()).sum();
    assert!((24..=60).contains(&bursts), "{bursts}");
}

#[test]
fn the_limit_keeps_the_text_and_what_follows_is_over_time() {
    let home = Desk::new();
    let study = study(&home);
    let mut session = begin(&home, &study, &["--limit", "3s"]);
    type_slowly(&mut session, "In time");
    session.wait_for("─ The time is up ─");
    session.kill();
    let mut session = open(&home, &study, &[]);
    session.type_keys("\r").wait_for("─ The time is up ─");
    session.type_keys("w").wait_for("over time").wait_for("▸Summary");
    type_slowly(&mut session, ", and over");
    session.type_keys("\x18").wait_for("─ End the session? ─");
    session.type_keys("y").wait_for("You finished over time.");
    session.type_keys("\r").expect_success();
    let log = events(&home, &study);
    assert_eq!(replayed(&log), "In time, and over");
    let snapshots: Vec<(i64, bool)> = of_kind(&log, "snapshot")
        .iter()
        .map(|event| (event.active, event.body["is_last"].as_bool().unwrap()))
        .collect();
    assert_eq!(snapshots[0], (3_000, false), "exactly at the limit");
    assert!(snapshots.last().unwrap().0 > 3_000 && snapshots.last().unwrap().1);
    assert_eq!(of_kind(&log, "end")[0].body, "over time");
    let candidates = home.out(&["export", &study, "--what", "candidates", "--names"]);
    let texts: Vec<Value> = candidates
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|record| record["summarizer"] == "human:zoe")
        .map(|record| record["text"].clone())
        .collect();
    assert!(texts.contains(&"In time".into()) && texts.contains(&"In time, and over".into()), "{texts:?}");
}

#[test]
fn whoever_has_judged_the_summaries_is_warned() {
    let home = Desk::new();
    let study = study(&home);
    home.samples(&study, &["haystack_judgments"]);
    let mut session = home.start(&["session", &study, "--as", "alice", "--query", "stress"]);
    session.wait_for("You have judged summaries of this query").type_keys("\r");
    session.type_keys("y").wait_for("▸Document");
    session.type_keys("q").expect_success();
    let opened = events(&home, &study);
    assert_eq!(of_kind(&opened, "open")[0].body["has_judged"], true);
}

#[test]
fn a_suspended_session_stands_still() {
    let home = Desk::new();
    let study = study(&home);
    let mut session = begin(&home, &study, &[]);
    type_slowly(&mut session, "One");
    session.signal(Signal::STOP);
    std::thread::sleep(Duration::from_millis(3_500));
    session.signal(Signal::CONT);
    type_slowly(&mut session, " two");
    session.wait_for("One two").type_keys("\x11").expect_success();
    let log = events(&home, &study);
    assert_eq!(replayed(&log), "One two");
    let last = log.last().unwrap().active;
    assert!(last < 3_500, "{last} ms of work");
}

#[test]
fn side_by_side_and_without_colours() {
    let home = Desk::new();
    let study = study(&home);
    let arguments = ["session", study.as_str(), "--as", "zoe", "--hide-clock"];
    let mut session = home.start_in((140, 40), &arguments, &[("NO_COLOR", "1")]);
    session.wait_for("the clock is hidden").type_keys("\r").wait_for("▸Document");
    assert!(session.shows("Summary") && session.shows("0 read"));
    assert!(!session.shows("0:0"), "no clock: {:#?}", session.rows());
    session.type_keys("\tx [99]").wait_for("[99] is no document here");
    session.type_keys("\x1b[24~").catch_up();
    session.type_keys("\x11").expect_success();
}

#[test]
fn what_cannot_be_opened_is_one_sentence() {
    let home = Desk::new();
    let study = study(&home);
    let output = home.run(&["session", &study, "--as", "zoe"]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), complaint.lines().count()), (Some(1), 1), "{complaint}");
    assert!(complaint.contains("needs a terminal"), "{complaint}");
    for (arguments, expected) in [
        (vec!["--query", "nowhere"], "there is no query \"nowhere\"; there are exam/stress"),
        (vec!["--documents", "bm99"], "bm99"),
        (vec!["--theme", "pink"], "possible values: auto, dark, light, contrast"),
    ] {
        let mut all = vec!["session", study.as_str(), "--as", "zoe"];
        all.extend(arguments);
        let mut session = home.start_in((160, 24), &all, &[]);
        assert!(!session.wait_for_exit().success());
        assert!(session.shows(expected), "{expected}: {:#?}", session.rows());
    }
    let log = home.out(&["export", &study]);
    assert!(!log.contains("\"type\":\"session\""), "nothing was begun");
}
