//! What the README and the guide in docs/ list and show is what the program has: tables, pictures, links, commands.

mod commands;

use std::collections::HashSet;
use std::fs;

use haymark::agreement::COEFFICIENTS;
use haymark::app::kit::action::{Action, HelpSection};
use haymark::app::kit::key::{Key, KeyCode};
use haymark::app::kit::keymap::Keymap;
use haymark::browse::{BrowseTable, FIELDS};
use haymark::protocol::builtins;

use crate::harness::{Desk, SAMPLES, project};

/// The README, what agents read, and the pages of the guide.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(project("docs")).expect("docs");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let guide = names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    let mut pages: Vec<String> = guide.chain(["README.md", "SKILL.md"].map(str::to_owned)).collect();
    pages.sort();
    pages
}

fn keys() -> String {
    let keymap = Keymap::default();
    let mut text = String::from("\n| | keys | |\n| --- | --- | --- |\n");
    for group in HelpSection::ALL {
        for action in Action::ALL.iter().filter(|action| action.group() == group) {
            let keys: Vec<String> = keymap.keys(*action).iter().map(|key| format!("`{key}`")).collect();
            text.push_str(&format!("| {} | {} | {} |\n", group.name(), keys.join(" "), action.help()));
        }
    }
    text
}

/// The letters that no protocol may take.
fn taken() -> String {
    let keymap = Keymap::default();
    let is_taken = |letter: &char| keymap.action(Key::plain(KeyCode::Char(*letter))).is_some();
    let letters: Vec<String> = ('a'..='z').filter(is_taken).map(|letter| format!("`{letter}`")).collect();
    letters.join(" ")
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
        let tables =
            BrowseTable::ALL.iter().filter(|table| meant().any(|field| field.tables.contains(table)));
        let tables: Vec<&str> = tables.map(|table| table.name()).collect();
        text.push_str(&format!("| `{name}` | {} | {} |\n", abouts.join(" "), tables.join(", ")));
    }
    text
}

/// The kinds of figures.
fn figures() -> String {
    let row = |kind: &haymark::figure::FigureKind| format!("| `{}` | {} |\n", kind.name, kind.shows);
    format!(
        "\n| figure | shows |\n| --- | --- |\n{}",
        haymark::figure::KINDS.iter().map(row).collect::<String>()
    )
}

/// The commands.
fn commands() -> String {
    let command = haymark::cli::command();
    let row = |command: &clap::Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        format!("| `{}` | {} |\n", command.get_name(), about.replace('`', ""))
    };
    let rows: String = command.get_subcommands().map(row).collect();
    format!("\n| command | does |\n| --- | --- |\n{rows}")
}

/// The coefficients of agreement.
fn coefficients() -> String {
    let row = |one: &haymark::agreement::Definition| {
        let people = if one.two_raters_only() { "two" } else { "any" };
        let labels = format!("{:?}", one.scale).to_lowercase();
        format!("| `{}` | {} | {people} | {labels} | {} |\n", one.name, one.title, one.family.chance())
    };
    format!(
        "\n| name | is | people | labels | chance |\n| --- | --- | --- | --- | --- |\n{}",
        COEFFICIENTS.iter().map(row).collect::<String>()
    )
}

/// The page holds the table between its marks.
pub fn holds(page: &str, mark: &str, table: &str) {
    let path = project(page);
    let readme = fs::read_to_string(&path).expect(page);
    let (begin, end) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (before, rest) = readme.split_once(&begin).expect("a place for the table");
    let (listed, after) = rest.split_once(&end).expect("the end of the table");
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page is written");
    } else {
        assert_eq!(listed, table, "UPDATE_README=1 cargo test readme writes it anew");
    }
}

#[test]
fn choices_stand_in_the_guide_in_the_order_of_the_screen() {
    let readme = fs::read_to_string(project("docs/judging.md")).expect("the page");
    for protocol in builtins() {
        let begin = format!("| `{}` | ", protocol.name);
        let row = readme.lines().find(|row| row.starts_with(&begin)).expect(&begin);
        let protocol = protocol.on_screen(false);
        for question in &protocol.questions {
            let place = |key: char| row.find(&format!("`{key}`"));
            let places: Vec<Option<usize>> =
                protocol.labels_shown(question).iter().map(|choice| place(choice.key)).collect();
            assert!(places.is_sorted() && !places.contains(&None), "{row}: {}", question.prompt);
        }
    }
}

#[test]
fn the_guide_lists_what_there_is() {
    holds("docs/commands.md", "commands", &commands());
    holds("docs/statistics.md", "coefficients", &coefficients());
    holds("docs/judging.md", "keys", &keys());
    holds("docs/filters.md", "fields", &fields());
    holds("docs/figures.md", "figures", &figures());
    holds("docs/protocols.md", "taken", &taken());
}

/// The pictures of the README are the screens as they are now.
#[test]
fn pictures_show_the_screens_that_there_are() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    let screens: [(&str, &[&str]); 2] =
        [("annotate", &["annotate", "study.db", "--as", "alice"]), ("browse", &["browse", "study.db"])];
    for (name, screen) in screens {
        for theme in ["dark", "light"] {
            let options = ["--size", "110x30", "--theme", theme, "--svg", "-"];
            let drawn = desk.out(&[screen, &options[..]].concat());
            let path = project(&format!("docs/pictures/{name}-{theme}.svg"));
            if std::env::var_os("UPDATE_README").is_some() {
                fs::write(&path, &drawn).expect("the picture is written");
            }
            let shown = fs::read_to_string(&path).unwrap_or_default();
            assert!(shown == drawn, "{name}, {theme}: UPDATE_README=1 cargo test readme draws it anew");
        }
    }
}

/// What a link to a heading of a page is called.
fn anchors(page: &str) -> Vec<String> {
    let headings =
        page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |character: char| match character {
        ' ' => Some('-'),
        other => Some(other).filter(|other| other.is_alphanumeric() || *other == '-' || *other == '_'),
    };
    headings.map(|heading| heading.to_lowercase().chars().filter_map(kept).collect()).collect()
}

/// Every link to a file of the project leads to one, and to a heading that it has; and the table of contents, which mdBook reads,
/// names every page.
#[test]
fn links_lead_somewhere() {
    assert!(fs::read_to_string(project("book.toml")).expect("book.toml").contains("src = \"docs\""));
    let contents = fs::read_to_string(project("docs/SUMMARY.md")).expect("the contents");
    for page in pages().into_iter().chain(["CONTRIBUTING.md".to_owned()]) {
        let text = fs::read_to_string(project(&page)).expect("a page");
        if let Some(name) = page.strip_prefix("docs/").filter(|name| *name != "SUMMARY.md") {
            assert!(contents.contains(&format!("]({name})")), "{page} is not in docs/SUMMARY.md");
        }
        let folder = project(&page).parent().expect("a folder").to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { project(&page) } else { folder.join(file) };
            assert!(path.exists(), "{page}: {target}");
            let has_it =
                |path| anchors(&fs::read_to_string(path).expect("a page")).iter().any(|one| one == heading);
            assert!(heading.is_empty() || has_it(&path), "{page}: {target}");
        }
    }
    let readme = fs::read_to_string(project("README.md")).expect("README.md");
    assert!(readme.lines().count() <= 150, "the README is for the first minute; the rest stands in docs/");
}

#[test]
fn the_readme_and_ci_run_the_same_tests() {
    let readme = fs::read_to_string(project("README.md")).expect("README.md");
    assert!(readme.contains("\ncargo test --all-features "));
    if let Ok(script) = fs::read_to_string(project(".ci/run")) {
        assert!(script.contains("\ncargo test --all-features\n"));
    }
}
