//! The README's table of keys is made from the same tables as the help.

use std::collections::HashSet;
use std::fs;

use haymark::app::kit::action::{Action, Group};
use haymark::app::kit::keymap::Keymap;
use haymark::browse::{FIELDS, Table};
use haymark::protocol::builtins;

use crate::harness::project;

fn keys() -> String {
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

/// The fields of browse, each once, with what it is in each table.
fn fields() -> String {
    let mut text = String::from("\n| field | is | in |\n| --- | --- | --- |\n");
    let mut names: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
    let mut known = HashSet::new();
    names.retain(|name| known.insert(*name));
    for name in names {
        let meant = || FIELDS.iter().filter(|field| field.name == name);
        let mut abouts: Vec<&str> = meant().map(|field| field.about).collect();
        let mut said = HashSet::new();
        abouts.retain(|about| said.insert(*about));
        let tables = Table::ALL.iter().filter(|table| meant().any(|field| field.tables.contains(table)));
        let tables: Vec<&str> = tables.map(|table| table.name()).collect();
        text.push_str(&format!("| `{name}` | {} | {} |\n", abouts.join(" "), tables.join(", ")));
    }
    text
}

/// The kinds of figures.
fn figures() -> String {
    let row = |kind: &haymark::figure::Kind| format!("| `{}` | {} |\n", kind.name, kind.shows);
    format!(
        "\n| figure | shows |\n| --- | --- |\n{}",
        haymark::figure::KINDS.iter().map(row).collect::<String>()
    )
}

fn holds(mark: &str, table: &str) {
    let path = project("README.md");
    let readme = fs::read_to_string(&path).expect("README.md");
    let (begin, end) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (before, rest) = readme.split_once(&begin).expect("a place for the table");
    let (listed, after) = rest.split_once(&end).expect("the end of the table");
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("README.md is written");
    } else {
        assert_eq!(listed, table, "UPDATE_README=1 cargo test readme writes it anew");
    }
}

#[test]
fn choices_stand_in_the_readme_in_the_order_of_the_screen() {
    let readme = fs::read_to_string(project("README.md")).expect("README.md");
    for protocol in builtins() {
        let begin = format!("| `{}` | ", protocol.name);
        let row = readme.lines().find(|row| row.starts_with(&begin)).expect(&begin);
        for question in &protocol.questions {
            let place = |key: char| row.find(&format!("`{key}`"));
            let places: Vec<Option<usize>> =
                protocol.labels_shown(question).iter().map(|choice| place(choice.key)).collect();
            assert!(places.is_sorted() && !places.contains(&None), "{row}: {}", question.prompt);
        }
    }
}

#[test]
fn the_readme_lists_the_keys_fields_and_figures_that_there_are() {
    holds("keys", &keys());
    holds("fields", &fields());
    holds("figures", &figures());
}

#[test]
fn the_readme_and_ci_run_the_same_tests() {
    let readme = fs::read_to_string(project("README.md")).expect("README.md");
    assert!(readme.contains("\ncargo test "));
    if let Ok(script) = fs::read_to_string(project(".ci/run")) {
        assert!(script.contains("\ncargo test\n"));
    }
}
