//! Ways out: `q`, signals, Ctrl-Z and back. The terminal is as it was, whichever way was taken.

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::harness::{Desk, PROGRAM, Session};

/// What haymark switches on for its screen, and how each is switched back.
const MODES: [(&str, &str); 8] = [
    ("\x1b[?1049h", "\x1b[?1049l"),
    ("\x1b[?7l", "\x1b[?7h"),
    ("\x1b[?1002h", "\x1b[?1002l"),
    ("\x1b[?1006h", "\x1b[?1006l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?25l", "\x1b[?25h"),
    ("\x1b[>7u", "\x1b[<1u"),
];

/// The terminal shows what it showed before haymark, and no mode of haymark's is left on.
fn check_restored(session: &Session) {
    let screen = session.terminal().screen();
    assert!(!screen.alternate_screen(), "the alternate screen is left");
    assert!(!screen.bracketed_paste(), "bracketed paste is off");
    assert!(!screen.hide_cursor(), "the cursor is shown");
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    let output = String::from_utf8_lossy(session.output());
    for (on, off) in MODES {
        let switched_off = output.rfind(off).unwrap_or_else(|| panic!("no {off:?}"));
        assert!(output.rfind(on).unwrap() < switched_off, "{on:?} stays on");
    }
    let (_, after) = output.rsplit_once("\x1b[?1049l").unwrap();
    assert!(!after.contains('\x1b'), "{after:?}");
}

#[test]
fn every_way_out_restores_the_terminal() {
    let ways: [fn(&mut Session); 5] = [
        |session| {
            session.type_keys("q");
        },
        |session| {
            session.type_keys("\x03");
        },
        |session| session.signal(Signal::TERM),
        |session| session.signal(Signal::INT),
        |session| {
            session.settle().type_keys("c").wait_for("─ Comment ─");
            session.signal(Signal::TERM);
        },
    ];
    for leave in ways {
        let home = Desk::with_demo();
        let mut session = home.start(&["demo"]);
        let settings = session.first_settings().to_owned();
        session.wait_for("item 7 of 119 · 94 judged");
        assert_ne!(session.line_settings(), settings, "raw mode is on");
        leave(&mut session);
        session.expect_success();
        check_restored(&session);
        assert_eq!(session.line_settings(), settings, "raw mode is off");
        assert!(session.shows("94 of 119 judged; everything is saved"));
    }
}

/// Whether this machine has bash; says so where it has not.
fn has_bash() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join("bash").exists());
    if !found {
        println!("skipped: there is no bash here");
    }
    found
}

/// Whether the shell waits for a command.
fn is_ready(session: &Session) -> bool {
    let rows = session.rows();
    rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "ready>")
}

#[test]
fn suspended_under_a_shell_and_back() {
    if !has_bash() {
        return;
    }
    let home = Desk::with_demo();
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "--noediting", "-i"]);
    let mut session = home.start_command((80, 24), command, &[("PS1", "ready> ")]);
    session.wait_for("ready>");
    session.type_keys(&format!("'{PROGRAM}' demo\r"));
    session.wait_for("item 7 of 119 · 94 judged");
    session.answer("f", "● f full");
    let before = session.rows();
    for round in 1..=2 {
        session.type_keys("\x1a");
        session.wait_until("the shell", |session| session.count("Stopped") == round && is_ready(session));
        check_restored(&session);
        session.type_keys(&format!("echo round $((40 + {round}))\r"));
        session.wait_for(&format!("round {}", 40 + round));
        session.type_keys("fg\r").wait_for("item 7 of 119 · 94 judged");
        session.catch_up();
        assert!(session.terminal().screen().alternate_screen());
        // Only the message at the bottom has gone.
        assert_eq!(session.rows()[..19], before[..19]);
        session.type_keys("!").wait_for("─ flagged");
        session.type_keys("!").wait_while("─ flagged");
    }
    session.answer("3", "item 8 of 119 · 95 judged");
    session.type_keys("q").wait_until("the shell", |session| {
        session.shows("95 of 119 judged; everything is saved") && is_ready(session)
    });
    check_restored(&session);
    session.type_keys("exit\r").expect_success();
}

#[test]
fn stopped_by_somebody_else_and_continued_it_draws_everything_anew() {
    let home = Desk::with_demo();
    let mut session = home.start(&["demo"]);
    session.wait_for("item 7 of 119 · 94 judged").catch_up();
    let before = session.rows();
    let drawn = session.count("\x1b[2J");
    session.signal(Signal::STOP);
    session.signal(Signal::CONT);
    session.wait_until("all of the screen", |session| session.count("\x1b[2J") > drawn);
    assert_eq!((session.rows(), session.count("\x1b[?1049h")), (before, 2));
    session.quit();
    check_restored(&session);
}

#[test]
fn without_a_terminal_there_is_one_sentence_and_status_1() {
    let home = Desk::new();
    let demo = home.demo();
    let study = home.path("empty.db");
    home.out(&["init", study.to_str().unwrap()]);
    let commands: [&[&str]; 3] =
        [&["demo"], &["demo", "--fresh"], &["annotate", study.to_str().unwrap(), "--as", "zoe"]];
    for arguments in commands {
        let output = home.run(arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        assert_eq!(complaint.lines().count(), 1, "{complaint:?}");
        assert!(complaint.contains("needs a terminal"), "{complaint:?}");
        assert!(!complaint.contains('\x1b'), "{complaint:?}");
    }
    assert!(!demo.exists(), "no study is made for nobody");
}
