//! Holds the code to the map in `src/lib.rs`: who may use whom, and which crate is named where.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules of ours that it may use, besides itself and `error`.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("files", &["text"]),
    ("study", &["text"]),
    ("protocol", &["text", "study"]),
    ("journal", &["text", "study", "protocol"]),
    ("store", &["files", "text", "study", "protocol", "journal"]),
    ("formats", &["text", "study", "protocol", "journal"]),
    ("agreement", &[]),
    ("score", &["text", "study", "protocol", "journal", "agreement"]),
    ("browse", &["text", "study", "protocol", "journal", "agreement", "score"]),
    ("report", &["text", "study", "protocol", "journal", "store", "formats", "agreement", "score", "browse"]),
    ("app", &["text", "study", "protocol", "journal", "agreement", "score", "browse"]),
    ("view", &["text", "study", "protocol", "journal", "score", "browse", "app"]),
    ("term", &["text", "files", "study", "protocol", "journal", "store", "browse", "app", "view"]),
];

/// Crates that are named in one place only.
const PLACES: &[(&str, &[&str])] = &[
    ("rusqlite", &["src/store/"]),
    ("fuzzy_matcher", &["src/app/kit/finder.rs"]),
    ("arboard", &["src/term/clipboard.rs"]),
    // The command line asks crossterm for the width of a table, and for nothing else.
    ("crossterm", &["src/term/", "src/cli/output.rs"]),
    ("clap", &["src/cli/"]),
    // What is written passes the one that keeps spreadsheets from running it.
    ("csv", &["src/formats/sheet/csv_file.rs", "src/formats/ratings/csv_rows.rs"]),
    ("jieba_rs", &["src/text/segment.rs"]),
    ("parquet", &["src/formats/sheet/parquet_file.rs"]),
    ("lzma_rs", &["src/text/segment.rs"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file by its path from the project's folder, with its text.
fn project() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a source file"))
        })
        .collect()
}

/// The modules named after `crate::` in a text.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>())
        .map(|rest| rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect())
        .collect()
}

#[test]
fn arrows_point_one_way() {
    let mut wrong = Vec::new();
    for (file, text) in project() {
        let Some((module, allowed)) = ARROWS.iter().find(|(module, _)| {
            file.starts_with(&format!("src/{module}/")) || file == format!("src/{module}.rs")
        }) else {
            continue;
        };
        for other in used(&text) {
            let is_ours = ARROWS.iter().any(|(name, _)| *name == other) || other == "cli";
            if is_ours && other != *module && !allowed.contains(&other.as_str()) {
                wrong.push(format!("{file} uses {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The kit knows no screen.
#[test]
fn the_kit_uses_no_screen() {
    let project = project();
    let kit = project.iter().filter(|(file, _)| file.contains("/kit/"));
    let wrong: Vec<&String> =
        kit.filter(|(_, text)| text.contains("screens::")).map(|(file, _)| file).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What is printed passes one place, which keeps data from steering the terminal. `src/lib.rs` denies the macros.
#[test]
fn standard_output_has_one_door() {
    for (file, text) in project() {
        let is_door = file == "src/files/atomic.rs" || file.starts_with("src/term/");
        let writes = text.lines().any(|line| line.contains("stdout()") && !line.contains("is_terminal()"));
        assert!(is_door || !writes, "{file} prints past cli::output");
    }
}

#[test]
fn some_crates_have_one_place() {
    let mut wrong = Vec::new();
    for (file, text) in project() {
        for (name, places) in PLACES {
            let is_named = text.lines().any(|line| {
                let line = line.trim_start();
                !line.starts_with("//") && line.contains(&format!("{name}::"))
            });
            if is_named && !places.iter().any(|place| file.starts_with(place)) {
                wrong.push(format!("{file} names {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_longer_than_it_should_be() {
    for (file, text) in project() {
        let lines = text.lines().count();
        assert!(lines <= 500, "{file} has {lines} lines; one idea a file");
    }
}

#[test]
fn no_screen_knows_a_protocol_by_name() {
    for (file, text) in project() {
        if !["src/app/", "src/view/", "src/term/"].iter().any(|place| file.starts_with(place)) {
            continue;
        }
        let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
        for protocol in haymark::protocol::builtins() {
            let name = format!("\"{}\"", protocol.name);
            let line = before_tests.lines().find(|line| line.contains(&name));
            assert!(is_test || line.is_none(), "{file} names {name}: {line:?}");
        }
    }
}
