//! What is handed on: nobody is named in it unless that is asked for, and people are called the same everywhere.

use std::process::Command;

use serde_json::json;

use crate::harness::{Desk, SAMPLES};

const PEOPLE: [&str; 5] = ["alice", "bora", "carla", "mira", "jonas"];

fn named(text: &str) -> Vec<&'static str> {
    PEOPLE.into_iter().filter(|name| text.contains(name)).collect()
}

#[test]
fn tables_for_documents_name_nobody_unless_it_is_asked_for() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    let commands: [&[&str]; 6] = [
        &["agree", "study.db", "--full"],
        &["agree", "study.db", "--annotators", "bora,alice", "--filter", "coverage@alice:none"],
        &["score", "study.db", "--full", "--annotators", "each"],
        &["judges", "study.db", "--full"],
        &["status", "study.db", "--full"],
        &["session", "list", "study.db"],
    ];
    for command in commands {
        for format in ["markdown", "latex"] {
            let told = |options: &[&str]| desk.out(&[command, &["--format", format], options].concat());
            let (handed_on, with_names) = (told(&[]), told(&["--names"]));
            assert_eq!(named(&handed_on), Vec::<&str>::new(), "{command:?} as {format}: {handed_on}");
            // Nothing else is different, but for the room that names take in LaTeX.
            if format == "markdown" {
                let lines = |text: &str| text.lines().count();
                assert_eq!(lines(&handed_on), lines(&with_names), "{command:?}");
                let is_of_people = command[0] != "judges";
                assert!(!is_of_people || !named(&with_names).is_empty(), "{command:?}: {with_names}");
            }
        }
        // A terminal and programs know who is who.
        let alone = desk.out(&[command, &["--format", "json"]].concat());
        assert!(command[0] == "judges" || !named(&alone).is_empty(), "{command:?}: {alone}");
    }
    // Who is named by the study's name is found under the other one, with the same numbers.
    let pairs = |options: &[&str]| {
        let asked =
            ["agree", "study.db", "--annotators", "alice,bora", "--table", "coverage/coverage/coefficients"];
        desk.out(&[&asked[..], &["--format", "markdown", "--protocol", "coverage"], options].concat())
    };
    let told = |options: &[&str]| pairs(options).replace("alice", "A1").replace("bora", "A2");
    assert_eq!(told(&[]), told(&["--names"]));
}

/// Who wrote a summary under a name that was joined, changed or left out is not named by it either.
#[test]
fn former_names_are_handed_on_no_more_than_others() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    for (name, change) in [
        ("joined", &["--join", "jonas", "--into", "mira"][..]),
        ("renamed", &["--rename", "jonas", "--into", "joe"]),
        ("out", &["--leave-out", "jonas"]),
    ] {
        let study = format!("{name}.db");
        std::fs::copy(desk.path("study.db"), desk.path(&study)).expect("copied");
        desk.out(&[&["people", &study][..], change, &["--as", "alice", "--reason", "a slip"]].concat());
        for command in [&["score", &study, "--by", "system"][..], &["session", "list", &study]] {
            let told = desk.out(&[command, &["--format", "markdown"]].concat());
            assert!(named(&told).is_empty() && !told.contains("joe"), "{name} {command:?}: {told}");
        }
        desk.out(&["export", &study, "--what", "dataset", "-o", name]);
        for (file, bytes) in desk.files().into_iter().filter(|(file, _)| file.starts_with(name)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(named(&text), Vec::<&str>::new(), "{name}: {}", file.display());
        }
    }
}

/// The reasons for what was put right are told without the names in them, also that of a lead who judges nothing.
#[test]
fn reasons_name_nobody_unless_it_is_asked_for() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    let why = ["--as", "lena", "--reason", "lena asked: jonas goes by another name, as alice knows"];
    desk.out(&[&["people", "study.db", "--rename", "jonas", "--into", "joe"][..], &why].concat());
    let is_told =
        |text: &str| ["lena", "joe"].iter().any(|name| text.contains(name)) || !named(text).is_empty();
    for command in [["people", "study.db"], ["withdraw", "study.db"]] {
        for format in ["markdown", "latex", "html"] {
            let told = |options: &[&str]| {
                desk.out(&[&command[..], &["--format", format, "--full"], options].concat())
            };
            let (handed_on, with_names) = (told(&[]), told(&["--names"]));
            assert!(
                !is_told(&handed_on) && handed_on.contains("goes by another name"),
                "{command:?}: {handed_on}"
            );
            assert!(with_names.contains("lena asked: jonas"), "{command:?}: {with_names}");
        }
    }
    for (file, options) in [("page.html", &[][..]), ("named.html", &["--names"])] {
        desk.out(&[&["report", "study.db", "--only", "study", "-o", file][..], options].concat());
        let page = String::from_utf8(desk.bytes(file)).expect("UTF-8");
        assert_eq!(is_told(&page), file == "named.html", "{file}");
        assert!(page.contains("goes by another name"), "{file}");
    }
}

/// Those who put a study right, and those who are in it, have display names like any others.
#[test]
fn display_names_are_those_of_people_and_of_what_was_put_right_too() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    desk.file("names.toml", "[annotator]\nalice = \"Judge A\"\njonas = \"Writer\"\nlena = \"The lead\"\n");
    let why = ["--as", "lena", "--reason", "alice said so"];
    desk.out(&[&["people", "study.db", "--leave-out", "jonas"][..], &why].concat());
    for (command, shown) in [
        ("people", &["Judge A", "The lead", "Writer", "Judge A said so"][..]),
        ("withdraw", &["The lead", "Writer", "Judge A said so"]),
    ] {
        let told =
            desk.out(&[command, "study.db", "--display", "names.toml", "--format", "markdown", "--names"]);
        for name in shown {
            assert!(told.contains(name), "{command}: {name}: {told}");
        }
        assert!(["alice", "jonas", "lena"].iter().all(|name| !told.contains(name)), "{command}: {told}");
    }
}

/// Who is to come into the study is one of its people already where the plan of the work is handed on; so is who leaves.
#[test]
fn a_plan_of_work_names_no_newcomer_either() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    desk.out(&["assign", "study.db", "--protocol", "coverage", "--to", "alice,bora"]);
    let asked = [
        "assign",
        "study.db",
        "--protocol",
        "coverage",
        "--to",
        "dora,emil",
        "--remove",
        "alice",
        "--stratify",
        "system",
        "--dry-run",
        "--full",
    ];
    for format in ["markdown", "latex", "html"] {
        let told = |options: &[&str]| desk.out(&[&asked[..], &["--format", format], options].concat());
        let (handed_on, with_names) = (told(&[]), told(&["--names"]));
        for name in ["dora", "emil", "alice", "bora", "jonas"] {
            assert!(!handed_on.contains(name) && with_names.contains(name), "{format}: {handed_on}");
        }
        assert!(handed_on.contains("A1 (left)"), "{format}: {handed_on}");
    }
    let told = desk.out(&[&asked[..], &["--format", "markdown", "--names"]].concat());
    let people = ["alice", "bora", "dora", "emil"];
    let rows =
        told.lines().filter(|line| people.iter().any(|name| line.starts_with(&format!("| {name} ")))).count();
    assert_eq!(rows, 4, "{told}");
    let told = desk.out(&[&asked[..], &["--format", "markdown"]].concat());
    let names: std::collections::BTreeSet<&str> =
        told.lines().filter_map(|line| line.strip_prefix("| A")?.split([' ', '|']).next()).collect();
    assert_eq!(names.len(), 4, "each has a name of their own: {told}");
}

#[test]
fn files_of_figures_name_nobody_unless_it_is_asked_for() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    let figures = |folder: &str, options: &[&str]| -> Vec<(String, String)> {
        desk.out(&[&["plot", "study.db", "--figures", folder, "--width", "84"], options].concat());
        let files = desk.files().into_iter().filter(|(name, _)| name.starts_with(folder));
        files
            .map(|(name, bytes)| (name.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
            .collect()
    };
    for (name, text) in figures("figures", &[]) {
        assert_eq!((named(&name), named(&text)), (Vec::new(), Vec::new()), "{name}");
    }
    assert!(desk.path("figures/confusion-coverage-A1-A2.csv").exists());
    figures("named", &["--names"]);
    assert!(desk.path("named/confusion-coverage-alice-bora.csv").exists());
    // On the screen people are who they are.
    assert!(desk.out(&["plot", "study.db", "shares/coverage"]).contains("alice"));
}

/// 54 systems of a study, each judged by two people on two queries.
fn large(desk: &Desk) {
    let mut records = Vec::new();
    records.extend(["ann", "ben"].map(|id| json!({"type":"annotator","id":id,"kind":"human"})));
    for query in ["q1", "q2"] {
        records.push(json!({"type":"collection","id":query}));
        records.push(
            json!({"type":"document","collection":query,"id":"d","number":1,"text":"The bridge closes."}),
        );
        records.push(json!({"type":"query","collection":query,"id":query,"text":"What closes?"}));
        records.push(json!({"type":"unit","collection":query,"query":query,"id":"u","kind":"insight","text":"It closes.","documents":["d"]}));
        for system in 0..54 {
            let id = format!("summary-{system}");
            records.push(json!({"type":"candidate","collection":query,"query":query,"id":id,
                "summarizer":format!("a-summarizer-with-a-name-{}", system % 9),"retriever":format!("retriever_{}", system / 9),
                "text":"- It closes [1]."}));
            for (at, who) in ["ann", "ben"].into_iter().enumerate() {
                let answers = match (system + at * (system % 3)) % 3 {
                    0 => json!({"coverage":"none"}),
                    1 => json!({"coverage":"partial","bullet":1}),
                    _ => json!({"coverage":"full","bullet":1}),
                };
                records
                    .push(json!({"type":"judgment","protocol":"coverage","annotator":who,"collection":query,
                    "query":query,"candidate":id,"unit":"u","answers":answers}));
            }
        }
    }
    desk.records("large.jsonl", &records);
    desk.out(&["import", "large.db", "large.jsonl"]);
}

/// No line of a table is beyond the edge of an article's page, and no table is higher than it.
#[test]
fn latex_tables_fit_their_page() {
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("skipped: there is no pdflatex");
        return;
    }
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    large(&desk);
    let mut tables = 0;
    for study in ["study.db", "large.db"] {
        let commands: [&[&str]; 6] = [
            &["agree", study, "--full"],
            &["score", study, "--full"],
            &["score", study, "--full", "--by", "system"],
            &["score", study, "--full", "--annotators", "each"],
            &["judges", study, "--full"],
            &["status", study, "--full"],
        ];
        for command in commands.iter().filter(|command| command[0] != "judges" || study == "study.db") {
            let told = desk.out(&[command, &["--format", "latex"][..]].concat());
            tables += told.matches("% needs ").count();
            let typed =
                told.contains("`haymark") || told.contains("{}-format") || told.contains("{}-annotators");
            assert!(!typed, "{command:?}: {told}");
            let packages = "\\usepackage[T1]{fontenc}\\usepackage{booktabs,array,longtable}";
            desk.file(
                "paper.tex",
                format!("\\documentclass{{article}}{packages}\\begin{{document}}\n{told}\\end{{document}}\n"),
            );
            // Letters that it has no font for are left out, and it goes on.
            let told = Command::new("pdflatex")
                .args(["-interaction=nonstopmode", "paper.tex"])
                .current_dir(desk.folder())
                .output()
                .expect("pdflatex runs");
            let log = String::from_utf8_lossy(&told.stdout).into_owned();
            let wrong = |line: &&str| {
                let is_error = line.starts_with('!') && !line.contains("Unicode character");
                line.starts_with("Overfull") || line.contains("Float too large") || is_error
            };
            let wrong: Vec<&str> = log.lines().filter(wrong).collect();
            assert!(wrong.is_empty() && desk.path("paper.pdf").exists(), "{command:?}: {wrong:?}");
        }
    }
    assert!(tables > 100, "{tables} tables");
}
