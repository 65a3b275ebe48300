//! Colours suit the terminal: it is asked what its background is, and its answer is no key.

use std::fs;

use vt100::Color;

use crate::harness::{Desk, Session};

const LIGHT: &str = "\x1b]11;rgb:ffff/ffff/eeee\x1b\\";
const ASKED: &str = "\x1b]11;?\x07";
/// The key that takes the next theme.
const CTRL_T: &str = "\x14";

/// The accents of the themes.
const DARK_ACCENT: Color = Color::Idx(75);
const LIGHT_ACCENT: Color = Color::Idx(25);

/// Waits until something is drawn in this colour.
fn wait_for_colour(session: &mut Session, colour: Color) {
    session.wait_until(&format!("{colour:?}"), |session| {
        let screen = session.terminal().screen();
        let (rows, columns) = screen.size();
        (0..rows.get())
            .flat_map(|row| (0..columns.get()).map(move |column| (row, column)))
            .any(|(row, column)| screen.cell(row, column).is_some_and(|cell| cell.fgcolor() == colour))
    });
}

#[test]
fn a_light_terminal_gets_the_light_theme_and_its_answer_judges_nothing() {
    let desk = Desk::with_demo();
    let mut session = desk.open_demo("nora");
    assert_eq!(session.count(ASKED), 1);
    wait_for_colour(&mut session, DARK_ACCENT);
    session.type_keys(LIGHT);
    wait_for_colour(&mut session, LIGHT_ACCENT);
    session.catch_up();
    assert!(session.shows("item 1 of 119 · 0 judged") && !session.shows("● f"), "{:#?}", session.rows());
    session.quit();
    assert!(!desk.path("config/haymark/preferences.toml").exists(), "nobody has chosen anything");
}

#[test]
fn a_variable_may_say_that_the_background_is_light() {
    let desk = Desk::with_demo();
    let variables = [("COLORFGBG", "0;15"), ("TERM", "linux")];
    let mut session = desk.start_in((80, 24), &["demo"], &variables);
    wait_for_colour(&mut session, LIGHT_ACCENT);
    assert_eq!(session.count(ASKED), 0, "this terminal would print the question");
    session.quit();
}

#[test]
fn the_theme_that_was_chosen_comes_back_and_no_terminal_changes_it() {
    let desk = Desk::with_demo();
    let mut session = desk.open_demo("nora");
    session.type_keys(CTRL_T);
    wait_for_colour(&mut session, LIGHT_ACCENT);
    session.type_keys("A").wait_for("stays after the last answer");
    session.type_keys("L").wait_for("texts are at most 110 columns wide");
    session.quit();
    let kept = fs::read_to_string(desk.path("config/haymark/preferences.toml")).expect("what was chosen");
    assert_eq!(kept, "theme = \"light\"\nauto-advance = false\nmeasure = 110\n");

    let mut again = desk.open_demo("nora");
    wait_for_colour(&mut again, LIGHT_ACCENT);
    again.type_keys("A").wait_for("goes on by itself");
    again.type_keys("L").wait_for("texts are at most 130 columns wide");
    again.quit();
    let mut other = desk.start(&["demo", "--as", "nora", "--theme", "dark"]);
    wait_for_colour(&mut other, DARK_ACCENT);
    other.quit();
    let kept = fs::read_to_string(desk.path("config/haymark/preferences.toml")).expect("what was chosen");
    assert_eq!(kept, "theme = \"light\"\nauto-advance = true\nmeasure = 130\n");
}

#[test]
fn the_theme_key_comes_round_to_what_suits_the_terminal() {
    let desk = Desk::with_demo();
    fs::create_dir_all(desk.path("config/haymark")).expect("a folder");
    desk.file("config/haymark/preferences.toml", "theme = \"high contrast\"\n");
    let mut session = desk.start(&["demo", "--as", "nora"]);
    session.wait_for("item 1 of").type_keys(LIGHT).catch_up();
    for said in ["colours: dark", "colours: light", "colours: auto, as the terminal is (light)"] {
        session.type_keys(CTRL_T).wait_for(said);
    }
    wait_for_colour(&mut session, LIGHT_ACCENT);
    session.quit();
    let kept = fs::read_to_string(desk.path("config/haymark/preferences.toml")).expect("what was chosen");
    assert_eq!(kept, "", "nothing is chosen any more");
    let mut again = desk.open_demo("nora");
    again.type_keys(CTRL_T).wait_for("colours: light").quit();
}

#[test]
fn preferences_that_cannot_be_read_are_named_and_stop_nobody() {
    let desk = Desk::with_demo();
    fs::create_dir_all(desk.path("config/haymark")).expect("a folder");
    desk.file("config/haymark/preferences.toml", "theme = \n");
    let mut session = desk.start(&["demo", "--as", "nora"]);
    session.wait_for("preferences.toml");
    session.quit();
}
