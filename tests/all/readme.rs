//! The README's table of keys is made from the same tables as the help.

use std::fs;

use haymark::app::kit::action::{Action, Group};
use haymark::app::kit::keymap::Keymap;

use crate::harness::project;

fn table() -> String {
    let keymap = Keymap::default();
    let mut text = String::from("\n| | keys | |\n| --- | --- | --- |\n");
    for group in Group::ALL {
        for action in Action::ALL.iter().filter(|action| action.group() == *group) {
            let keys: Vec<String> = keymap.keys(*action).iter().map(|key| format!("`{key}`")).collect();
            text.push_str(&format!("| {} | {} | {} |\n", group.title(), keys.join(" "), action.help()));
        }
    }
    text
}

#[test]
fn the_readme_lists_the_keys_that_there_are() {
    let path = project("README.md");
    let readme = fs::read_to_string(&path).expect("README.md");
    let (before, rest) = readme.split_once("<!-- keys -->").expect("a place for the keys");
    let (listed, after) = rest.split_once("<!-- /keys -->").expect("the end of the keys");
    if std::env::var_os("UPDATE_README").is_some() {
        let written = format!("{before}<!-- keys -->{}<!-- /keys -->{after}", table());
        fs::write(&path, written).expect("README.md is written");
    } else {
        assert_eq!(listed, table(), "UPDATE_README=1 cargo test readme writes it anew");
    }
}

#[test]
fn the_readme_and_ci_run_the_same_tests() {
    let readme = fs::read_to_string(project("README.md")).expect("README.md");
    assert!(readme.contains("\ncargo test "));
    if let Ok(script) = fs::read_to_string(project(".ci/run")) {
        assert!(script.contains("\ncargo test\n"));
    }
}
