//! Holds the code to the map in `src/lib.rs`: who may use whom, and which crate is named where.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules of ours that it may use, besides itself, `error` and `number`.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("system", &[]),
    ("files", &["text", "system"]),
    ("study", &["text"]),
    ("protocol", &["text", "study"]),
    ("journal", &["text", "study", "protocol"]),
    ("hub", &["files", "text", "system"]),
    ("store", &["files", "text", "system", "study", "protocol", "journal", "hub"]),
    ("formats", &["text", "system", "study", "protocol", "journal"]),
    ("score", &["text", "study", "protocol", "journal"]),
    ("browse", &["text", "study", "protocol", "journal", "score"]),
    ("report", &["text", "study", "protocol", "journal", "store", "formats", "score", "browse"]),
    ("figure", &["text", "store", "score", "report"]),
    (
        "export",
        &[
            "text", "files", "study", "protocol", "journal", "store", "formats", "score", "browse", "report",
            "figure",
        ],
    ),
    ("app", &["text", "study", "protocol", "journal", "score", "browse"]),
    ("view", &["text", "study", "protocol", "journal", "score", "browse", "app"]),
    (
        "term",
        &["text", "system", "files", "study", "protocol", "journal", "hub", "store", "browse", "app", "view"],
    ),
];

/// Crates that are named in one place only.
const PLACES: &[(&str, &[&str])] = &[
    ("rusqlite", &["src/store/"]),
    ("nix", &["src/files/locks.rs"]),
    ("fuzzy_matcher", &["src/app/kit/finder.rs"]),
    ("arboard", &["src/term/clipboard.rs"]),
    // The command line asks crossterm for the width of a table, and for nothing else.
    ("crossterm", &["src/term/", "src/cli/output.rs"]),
    // What an export can be asked for has its words for the command line beside it.
    ("clap", &["src/cli/", "src/export/"]),
    // What is written passes the one that keeps spreadsheets from running it.
    ("csv", &["src/formats/sheet/csv_file.rs", "src/formats/ratings/csv_rows.rs"]),
    ("tokio", &["src/hub/"]),
    ("tokio_postgres", &["src/hub/"]),
    ("rustls", &["src/hub/"]),
    ("jieba_rs", &["src/text/segment.rs"]),
    ("parquet", &["src/formats/sheet/parquet_file.rs"]),
    ("lzma_rs", &["src/text/segment.rs"]),
    ("pulldown_cmark", &["src/text/markdown.rs"]),
    ("minijinja", &["src/export/"]),
    ("pdf_writer", &["crates/paper/"]),
    ("subsetter", &["crates/paper/"]),
    ("ttf_parser", &["crates/paper/"]),
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
    sources(&root.join("crates"), &mut found);
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

/// The rooms of `store`, each of which uses those before it.
const ROOMS: &[&str] = &["file", "corpus", "journal", "work", "exchange", "health"];

/// Files of a room that know a later one: the study file holds what it has open, and work asks the hub who has it.
const REACH_UP: &[(&str, &str)] = &[
    ("file/block_sums.rs", "corpus"),
    ("file/block_sums.rs", "journal"),
    ("file/open.rs", "journal"),
    ("file/schema/from_8.rs", "journal"),
    ("file/study_file.rs", "work"),
    ("work/assignable.rs", "exchange"),
    ("work/assigned_queue.rs", "exchange"),
    ("work/assignments.rs", "exchange"),
];

#[test]
fn rooms_of_the_store_point_one_way() {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    let mut wrong = Vec::new();
    for (file, text) in project() {
        let Some(inside) = file.strip_prefix("src/store/") else { continue };
        let Some(own) = inside.split_once('/').and_then(|(room, _)| place(room)) else { continue };
        let code = program(&file, &text).filter(|line| !line.trim_start().starts_with("//"));
        let paths = code.flat_map(|line| line.split("crate::store::").skip(1));
        for room in paths.filter_map(|path| path.split("::").next()) {
            let reaches_up = place(room).is_some_and(|other| other > own);
            if reaches_up && !REACH_UP.contains(&(inside, room)) {
                wrong.push(format!("{file} uses {room}"));
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

/// Whatever not every operating system has stands behind one module, so that the rest is built on all of them.
#[test]
fn systems_differ_in_one_place() {
    let is_unix = |line: &&str| {
        ["cfg(unix)", "cfg(not(unix))", "std::os::", "signal_hook::iterator"]
            .iter()
            .any(|name| line.contains(name))
    };
    for (file, text) in project().iter().filter(|(file, _)| !file.starts_with("src/system/")) {
        // Locks of open files, and the names of network file systems, are Linux alone's.
        let found = program(file, text).find(is_unix).filter(|_| file != "src/files/locks.rs");
        assert_eq!(found, None, "{file}");
    }
}

/// What is printed passes one place, which keeps data from steering the terminal. `src/lib.rs` denies the macros.
#[test]
fn standard_output_has_one_door() {
    for (file, text) in project() {
        let is_door =
            ["src/files/atomic.rs", "src/system/", "src/term/"].iter().any(|door| file.starts_with(door));
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
                let path = format!("{name}::");
                // `unix::` does not name nix.
                let mut before = line.match_indices(&path).map(|(at, _)| line.get(..at).unwrap_or(""));
                !line.starts_with("//") && before.any(|before| !before.ends_with(char::is_alphanumeric))
            });
            if is_named && !places.iter().any(|place| file.starts_with(place)) {
                wrong.push(format!("{file} names {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the outside world may be named, besides `src/main.rs`. Threads that only compute are no part of it.
const OUTSIDE: &[&str] = &["system", "term", "store", "hub", "formats", "files", "export", "cli"];

#[test]
fn no_clock_and_no_files_elsewhere() {
    const NAMES: &[&str] = &[
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "File::",
        "Instant::",
        "SystemTime",
        "Timestamp::now",
        "Zoned::now",
        "stdin()",
        "stdout()",
        "stderr()",
    ];
    let mut wrong = Vec::new();
    for (file, text) in project() {
        if file == "src/main.rs" || OUTSIDE.iter().any(|module| file.starts_with(&format!("src/{module}/"))) {
            continue;
        }
        for line in program(&file, &text).filter(|line| !line.trim_start().starts_with("//")) {
            wrong.extend(
                NAMES.iter().filter(|name| line.contains(**name)).map(|name| format!("{file}: {name}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of a file that are no tests.
fn program<'t>(file: &str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let is_test = file.ends_with("/tests.rs") || file.contains("/tests/");
    let program = text.split("#[cfg(test)]\nmod tests {").next().filter(|_| !is_test);
    program.unwrap_or_default().lines()
}

/// The name of the type that a line declares; `$name` in a macro is none.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (kind, rest) = line.split_once(' ')?;
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
    let is_type = ["struct", "enum", "trait", "type"].contains(&kind);
    name.filter(|name| is_type && name.starts_with(char::is_uppercase))
}

/// One who searches for the name of a type finds its meaning. What a trait calls a type is no name of its own.
#[test]
fn no_name_of_a_type_stands_for_two() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in project() {
        let mut is_in_trait = false;
        for line in program(&file, &text) {
            if !line.starts_with([' ', '}']) && !line.is_empty() {
                let first = line.trim_start_matches("pub ").split([' ', '<']).next();
                // `where` and the brace behind it go on with what began.
                is_in_trait = match first {
                    Some("where" | "{") => is_in_trait,
                    first => matches!(first, Some("impl" | "trait")),
                };
            }
            let is_nested = line.starts_with("    type ") && is_in_trait;
            if let Some(name) = declared(line).filter(|_| !is_nested) {
                places.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    assert!(places.len() > 900, "{} types", places.len());
    let twice: Vec<_> = places.iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(twice.is_empty(), "give each a name of its own, in the field's terms: {twice:#?}");
}

/// A number that does not fit is an error, or becomes what `src/number.rs` says; the end of a type's range says nothing.
#[test]
fn no_number_falls_back_silently() {
    let mut wrong = Vec::new();
    for (file, text) in project().into_iter().filter(|(file, _)| !file.ends_with("/number.rs")) {
        let code: String = program(&file, &text)
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(str::split_whitespace)
            .collect();
        for before_end in code.split(".unwrap_or(").skip(1) {
            let given = before_end.split(')').next().unwrap_or_default();
            if given.ends_with("::MAX") || given.ends_with("::MIN") {
                wrong.push(format!("{file}: unwrap_or({given})"));
            }
        }
        for converted in code.split("::try_from(").skip(1).chain(code.split(".try_into(").skip(1)) {
            let mut open = 1;
            let behind = converted.trim_start_matches(|letter| {
                let is_within = open > 0;
                open += i32::from(letter == '(') - i32::from(letter == ')');
                is_within
            });
            if behind.trim_start_matches(".ok()").starts_with(".unwrap_or") {
                let shown: String = converted.chars().take(60).collect();
                wrong.push(format!("{file}: {shown}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the ceiling stands, what raised it, and the figures that a module's lines are held beside.
const GROWTH: &str = "tests/all/growth.txt";

/// The program stays below its ceiling: whoever adds a feature raises it in the same change, with a line that says what for. Prints how
/// many lines each module has beside the last figure; `UPDATE_GROWTH=1` writes the figures anew, and leaves the ceiling.
#[test]
fn the_program_stays_below_its_ceiling() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (file, text) in project() {
        let module = file.split('/').nth(1).unwrap_or_default().to_owned();
        *lines.entry(module).or_default() += program(&file, &text).count();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GROWTH);
    let text = fs::read_to_string(&path).expect(GROWTH);
    let (head, figures) = text.split_once("\n\n").expect("the figures follow a blank line");
    let ceiling: usize =
        head.lines().next().and_then(|line| line.strip_prefix("ceiling ")?.parse().ok()).expect("a ceiling");
    if std::env::var_os("UPDATE_GROWTH").is_some() {
        let rows: String = lines.iter().map(|(module, now)| format!("{module} {now}\n")).collect();
        fs::write(&path, format!("{head}\n\n{rows}")).expect("the figures are written");
    }
    let figures = figures.lines().filter_map(|line| line.split_once(' '));
    let before: BTreeMap<&str, i64> =
        figures.map(|(module, figure)| (module, figure.parse().expect("a figure"))).collect();
    let mut table = format!("{:12} {:>7} {:>7}\n", "module", "lines", "grown");
    for (module, now) in &lines {
        let known = before.get(module.as_str()).copied().unwrap_or_default();
        table.push_str(&format!("{module:12} {now:7} {:+7}\n", *now as i64 - known));
    }
    let all: usize = lines.values().sum();
    table.push_str(&format!("{:12} {all:7} {:+7}\n", "all", all as i64 - before.values().sum::<i64>()));
    // Past what keeps the output of tests that pass.
    std::io::Write::write_all(&mut std::io::stderr(), table.as_bytes()).expect("standard error");
    assert!(
        all <= ceiling,
        "{all} lines of program are more than {ceiling}: take some away, or say in {GROWTH} what they pay for"
    );
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
