//! Study files that go home with their annotators and come back: `merge` and `split` as a shell calls them.

use std::fs;

use serde_json::Value;

use crate::harness::Desk;

impl Desk {
    /// A study with the haystack of the sample data, and the judgments on it where they are wanted.
    fn haystack(&self, name: &str, with_judgments: bool) {
        let names: &[&str] = if with_judgments { &["haystack", "haystack_judgments"] } else { &["haystack"] };
        self.samples(name, names);
    }

    fn count(&self, table: &Value, kind: &str, column: &str) -> u64 {
        let rows = table["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["kind"] == kind).expect("the kind");
        row[column].as_u64().expect("a number")
    }
}

#[test]
fn a_file_goes_home_and_comes_back() {
    let desk = Desk::new();
    desk.haystack("study.db", true);
    let told = desk.out(&["split", "study.db", "--for", "alice"]);
    assert!(told.contains("made study-alice.db"), "{told}");
    assert!(told.contains("nobody has an assignment, so all items are alice's"), "{told}");
    assert!(told.contains("`haymark merge study.db study-alice.db` brings it back"), "{told}");

    let home = desk.out(&["export", "study-alice.db", "--what", "judgments", "--names", "--with-text"]);
    let all = desk.out(&["export", "study.db", "--what", "judgments", "--names", "--with-text"]);
    let of_alice: Vec<&str> = all.lines().filter(|line| line.contains("\"alice\"")).collect();
    assert!(of_alice.len() > 2 && of_alice.len() < all.lines().count());
    assert_eq!(home.lines().collect::<Vec<_>>(), of_alice);

    // Into an empty study of the same corpus: what alice did is all that comes.
    desk.haystack("office.db", false);
    let before = desk.bytes("study-alice.db");
    let rehearsed = desk.out(&["merge", "office.db", "study-alice.db", "--dry-run", "--format", "json"]);
    assert!(!desk.out(&["export", "office.db"]).contains("judgment"), "a dry run writes nothing");
    let merged = desk.out(&["merge", "office.db", "study-alice.db", "--format", "json"]);
    assert_eq!(desk.bytes("study-alice.db"), before);
    let tables: Value = serde_json::from_str(&merged).expect("JSON");
    let rehearsed: Value = serde_json::from_str(&rehearsed).expect("JSON");
    assert_eq!((&tables[0]["written"], &rehearsed[0]["written"]), (&true.into(), &false.into()));
    assert_eq!(tables[0]["rows"], rehearsed[0]["rows"]);
    assert_eq!(
        (desk.count(&tables[0], "document", "new"), desk.count(&tables[0], "annotator", "new")),
        (0, 1)
    );
    assert_eq!(tables[1]["rows"][0]["annotator"], "alice");
    // Every line but the one that names her is a judgment.
    assert_eq!(tables[1]["rows"][0]["newly_judged"], of_alice.len() - 1);
    assert_eq!(desk.out(&["export", "office.db", "--what", "judgments", "--names", "--with-text"]), home);
    let office = desk.bytes("office.db");
    let again = desk.out(&["merge", "office.db", "study-alice.db"]);
    assert!(again.contains("Nothing new: the study holds all of it already."), "{again}");
    assert!(again.lines().all(|line| line.chars().count() <= 80), "{again}");
    assert_eq!(desk.bytes("office.db"), office);
}

#[test]
fn studies_that_do_not_fit_stay_apart() {
    let desk = Desk::new();
    desk.haystack("study.db", true);
    let export = desk.out(&["export", "study.db"]);
    let changed = export.replacen("\"text\":\"", "\"text\":\"Really: ", 2);
    fs::write(desk.folder().join("changed.jsonl"), changed).expect("written");
    desk.out(&["import", "other.db", "changed.jsonl"]);
    let before = desk.bytes("study.db");
    let refused = desk.run(&["merge", "study.db", "other.db"]);
    let sentence = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{sentence}");
    assert!(sentence.starts_with("error: other.db: document \""), "{sentence}");
    assert!(
        sentence.contains("is already there with another text; nothing was merged; --dry-run names"),
        "{sentence}"
    );
    let told = desk.run(&["merge", "study.db", "other.db", "--dry-run"]);
    let table = String::from_utf8_lossy(&told.stdout).into_owned();
    assert_eq!(told.status.code(), Some(1), "{table}");
    assert!(table.contains("Where other.db differs"), "{table}");
    assert_eq!(table.matches("is already there with another text").count(), 2, "{table}");
    assert_eq!(desk.bytes("study.db"), before);

    let itself = desk.run(&["merge", "study.db", "./study.db"]);
    assert!(String::from_utf8_lossy(&itself.stderr).contains("this is the study itself"));
    assert_eq!(desk.bytes("study.db"), before);
}

#[test]
fn two_files_become_the_same_by_a_sync() {
    let desk = Desk::new();
    desk.haystack("study.db", true);
    desk.out(&["split", "study.db", "--for", "alice", "--to", "alice.db"]);
    desk.haystack("office.db", true);
    fs::create_dir(desk.folder().join("share")).expect("made");
    desk.out(&["split", "study.db", "--for", "bora", "--to", "share/alice.db"]);
    let nowhere = desk.run(&["sync", "office.db", "share"]);
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("share/office.db: there is no such file"));

    let before = (desk.bytes("alice.db"), desk.bytes("share/alice.db"));
    desk.out(&["sync", "alice.db", "share", "--dry-run"]);
    assert_eq!((desk.bytes("alice.db"), desk.bytes("share/alice.db")), before);
    let told = desk.out(&["sync", "alice.db", "share"]);
    assert!(
        told.contains("share/alice.db into alice.db") && told.contains("alice.db into share/alice.db"),
        "{told}"
    );
    let lines = |study: &str| {
        let text = desk.out(&["export", study, "--what", "judgments", "--names"]);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines("alice.db"), lines("share/alice.db"));
    assert!(lines("alice.db").iter().any(|line| line.contains("\"bora\"")));
    let same = (desk.bytes("alice.db"), desk.bytes("share/alice.db"));
    desk.out(&["sync", "alice.db", "share"]);
    assert_eq!((desk.bytes("alice.db"), desk.bytes("share/alice.db")), same);
    assert_eq!(desk.run(&["sync", "alice.db", "https://example.org/a.db"]).status.code(), Some(2));
}

/// A part knows its assignments under names of its own. An export has these too, so that its import is the same study.
#[test]
fn an_export_after_a_split_came_home_is_taken_in_whole() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.out(&["assign", "study.db", "--protocol", "coverage", "--to", "p1,p2"]);
    desk.out(&["split", "study.db", "--for", "p1"]);
    desk.out(&["merge", "study.db", "study-p1.db"]);
    let exported = desk.out(&["export", "study.db"]);
    desk.file("whole.jsonl", &exported);
    desk.out(&["import", "again.db", "whole.jsonl"]);
    assert_eq!(desk.out(&["export", "again.db"]), exported);
    let told = desk.out(&["merge", "again.db", "study.db"]);
    assert!(!told.contains("assignment event"), "{told}");
}
