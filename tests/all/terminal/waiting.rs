//! Long work shows how far it is in a terminal, and nothing in a pipe. Ctrl-C takes back what is half written and says what was done.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Desk, SAMPLES};

/// Enough to be waited for: a small corpus, and so many judgments of each of its items, one after the other by people of their own.
fn long(desk: &Desk, people: usize) -> String {
    let mut lines = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d","number":1,"text":"Bees dance."}),
        json!({"type":"query","collection":"c","id":"q","text":"How do bees speak?"}),
        json!({"type":"candidate","collection":"c","query":"q","id":"s","summarizer":"x","text":"- They dance [1]."}),
    ];
    let units: Vec<String> = (0..250).map(|number| format!("u{number}")).collect();
    lines.extend(units.iter().map(|unit| {
        json!({"type":"unit","collection":"c","query":"q","id":unit,"kind":"insight","text":format!("point {unit}"),
            "documents":["d"]})
    }));
    for person in 0..people {
        lines.push(json!({"type":"annotator","id":format!("p{person}"),"kind":"human"}));
        lines.extend(units.iter().map(|unit| {
            json!({"type":"judgment","protocol":"coverage","annotator":format!("p{person}"),"collection":"c","query":"q",
                "unit":unit,"candidate":"s","answers":{"coverage":"none"},"seconds":5.0,"at":"2026-01-05T09:30:00Z"})
        }));
    }
    desk.records("long.jsonl", &lines)
}

#[test]
fn an_import_shows_how_far_it_is_and_stops_without_a_trace() {
    let desk = Desk::new();
    let file = long(&desk, 1200);
    desk.samples("study.db", &SAMPLES);
    let before = desk.out(&["export", "study.db"]);
    let mut import = desk.start(&["import", "study.db", &file]);
    import.wait_for("importing: ").wait_for(" %");
    import.type_keys("\u{3}");
    import.wait_for("stopped: nothing came in");
    assert!(!import.wait_for_exit().success());
    let left: Vec<_> = desk
        .files()
        .into_keys()
        .filter(|name| name.starts_with("study.db") || name.starts_with(".haymark"))
        .collect();
    assert_eq!(left, [std::path::Path::new("study.db")], "no journal, no folder");
    assert_eq!(desk.out(&["export", "study.db"]), before);
}

#[test]
fn a_merge_and_a_new_study_stop_without_a_trace() {
    let desk = Desk::new();
    let file = long(&desk, 800);
    desk.samples("study.db", &SAMPLES);
    let before = desk.out(&["export", "study.db"]);
    desk.out(&["import", "long.db", &file]);
    for (arguments, told) in [
        (&["merge", "study.db", "long.db"][..], "stopped: nothing was merged"),
        (&["import", "new.db", &file][..], "stopped: nothing came in"),
    ] {
        let mut work = desk.start(arguments);
        work.wait_for(" %").type_keys("\u{3}");
        work.wait_for(told);
        assert!(!work.wait_for_exit().success());
    }
    assert_eq!(desk.out(&["export", "study.db"]), before);
    let mut left: Vec<_> = desk.files().into_keys().collect();
    left.retain(|name| name.components().count() == 1);
    assert_eq!(left, ["long.db", "long.jsonl", "study.db"].map(std::path::PathBuf::from));
}

#[test]
fn files_of_one_import_come_in_together_or_not_at_all() {
    let desk = Desk::new();
    let file = long(&desk, 1200);
    desk.records("first.jsonl", &[json!({"type":"collection","id":"first"})]);
    let mut import = desk.start(&["import", "new.db", "first.jsonl", &file]);
    import.wait_for(" %");
    import.type_keys("\u{3}");
    import.wait_for("stopped: nothing came in");
    assert!(!import.wait_for_exit().success());
    assert!(!desk.path("new.db").exists());
    desk.file("bad.jsonl", "{\"type\":\"judgment\"}\n");
    desk.samples("study.db", &SAMPLES);
    let before = desk.bytes("study.db");
    let (_, told) = desk.fails(&["import", "study.db", "first.jsonl", "bad.jsonl"]);
    assert!(told.contains("bad.jsonl, line 1") && told.contains("nothing was imported"), "{told}");
    assert_eq!(desk.bytes("study.db"), before);
}

#[test]
fn other_work_shows_itself_and_its_line_is_gone_at_the_end() {
    let desk = Desk::new();
    let file = long(&desk, 40);
    desk.out(&["import", "long.db", &file]);
    desk.samples("study.db", &SAMPLES);
    let works: [(&[&str], &str); 4] = [
        (&["check", "long.db"], "checking: "),
        (&["merge", "study.db", "long.db"], "merging: "),
        (&["report", "long.db", "-o", "report.html"], "writing the report: "),
        (&["plot", "long.db", "--figures", "figures"], "drawing: "),
    ];
    for (arguments, name) in works {
        let begun = Instant::now();
        let mut work = desk.start_in((100, 40), arguments, &[]);
        work.expect_success();
        let written = String::from_utf8_lossy(work.output()).into_owned();
        // On a quick machine some of it is over before anybody wonders.
        assert!(
            written.contains(name) || begun.elapsed() < Duration::from_secs(2),
            "{arguments:?}: {written}"
        );
        assert!(!work.terminal().shows(name), "{arguments:?}");
    }
}

#[test]
fn a_pipe_gets_no_line() {
    let desk = Desk::new();
    let file = long(&desk, 400);
    assert_eq!(desk.told(&["import", "long.db", &file]), "");
    assert_eq!(desk.told(&["check", "long.db"]), "");
}
