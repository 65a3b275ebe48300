//! A code book that grows while it is used: what was judged before stands.

use serde_json::{Value, json};

use super::{TONE, judgment, later, second_version};
use crate::harness::Desk;

/// The second version, which says what it changes.
fn growing() -> String {
    second_version() + "\n[[change]]\nversion = 2\nquestion = \"polite\"\nadds = [\"unsure\"]\n"
}

/// The third: a label has another value, and two are one.
fn grown() -> String {
    growing()
        .replace("version = 2\nsource", "version = 3\nsource")
        .replace("value = \"no\", label = \"no\"", "value = \"rude\", label = \"no\"")
        .replace("  { value = \"mid\", label = \"mid\", key = \"m\", score = 5 },\n", "")
        .replace(
            "value = \"low\", label = \"low\", key = \"l\", score = 0",
            "value = \"low\", label = \"not high\", key = \"l\", score = 0",
        )
        + "\n[[change]]\nversion = 3\nquestion = \"polite\"\nwas = { rude = \"no\" }\n\
           [[change]]\nversion = 3\nquestion = \"fit\"\njoins = { low = [\"low\", \"mid\"] }\nreword = true\n"
}

fn judged_versions(desk: &Desk, study: &str, name: &str) -> Vec<(Value, Value)> {
    let rows = desk.json(&["protocol", "list", study])["rows"].clone();
    let of = rows.as_array().expect("rows").iter().filter(|row| row["name"] == name);
    of.map(|row| (row["version"].clone(), row["judgments"].clone())).collect()
}

fn done(desk: &Desk, study: &str, name: &str) -> Vec<u64> {
    let tables = tables(desk, &["score", study, "--protocol", name]);
    let rows = tables.iter().filter_map(|table| table["rows"].as_array()).flatten();
    let found: Vec<u64> = rows.filter_map(|row| row["judgments"].as_u64()).collect();
    assert!(!found.is_empty(), "{name} is judged in {study}");
    found
}

fn tables(desk: &Desk, command: &[&str]) -> Vec<Value> {
    match desk.json(command) {
        Value::Array(tables) => tables,
        table => vec![table],
    }
}

#[test]
fn a_label_that_is_added_opens_nothing_and_is_in_no_share_of_those_who_could_not_give_it() {
    let desk = Desk::judged();
    desk.file("two.toml", growing());
    assert!(desk.out(&["protocol", "check", "two.toml"]).contains("no mistakes"));
    let told = desk.out(&["protocol", "add", "study.db", "two.toml"]);
    assert!(told.contains("8 judgments under earlier versions stand"), "{told}");
    desk.records("more.jsonl", &[later(judgment("ann", "c3", json!({"polite":"unsure"})))]);
    desk.out(&["import", "study.db", "more.jsonl"]);
    assert_eq!(judged_versions(&desk, "study.db", "tone"), [(json!(2), json!(1)), (json!(1), json!(7))]);

    let tables = Value::from(tables(&desk, &["score", "study.db", "--protocol", "tone"]));
    let text = tables.to_string();
    assert!(
        text.contains("unsure can be given since version 2; judgments before it, in no share of it: 7"),
        "{text}"
    );
    let row = &tables[0]["rows"][0];
    // One judgment could have been unsure, and was; all eight count for the other labels.
    assert_eq!(row["share_unsure"], json!(100.0), "{tables}");
    assert_eq!(row["share_yes"], json!(62.5), "of four items 1, 1, 0 and ½");
    let agreed = desk.json(&["agree", "study.db", "--protocol", "tone", "--question", "polite"]).to_string();
    assert!(agreed.contains("since version 2"), "{agreed}");
    assert!(!agreed.contains("another version"), "nothing is stale: {agreed}");
}

#[test]
fn names_that_change_are_read_in_the_words_of_now_and_all_of_it_merges() {
    let desk = Desk::judged();
    desk.out(&["export", "study.db", "-o", "before.jsonl"]);
    std::fs::copy(desk.path("study.db"), desk.path("old.db")).expect("copied");
    let decided = json!({"type":"adjudication","protocol":"tone","annotator":"ann","candidate":"c4",
        "answers":{"polite":"no"},"at":"2026-01-06T09:30:00Z"});
    desk.import("decided.jsonl", &[decided]);
    desk.file("two.toml", growing());
    desk.file("three.toml", grown());
    desk.out(&["protocol", "add", "study.db", "two.toml"]);
    let told = desk.out(&["protocol", "add", "study.db", "three.toml"]);
    assert!(told.contains("8 judgments under earlier versions stand"), "{told}");
    let tables = Value::from(tables(&desk, &["score", "study.db", "--protocol", "tone"]));
    assert_eq!(tables[0]["rows"][0]["share_rude"], json!(37.5), "{tables}");
    let exported = desk.out(&["export", "study.db", "--what", "judgments"]);
    // Each judgment is told in the words of its own version, which it names.
    assert!(exported.contains("\"polite\":\"no\"") && exported.contains("\"version\":1"), "{exported}");
    assert!(!exported.contains("\"version\":3,\"annotator\""), "{exported}");
    let tone =
        |study: &str| Value::from(self::tables(&desk, &["score", study, "--protocol", "tone"])).to_string();
    let before = tone("study.db");
    desk.file("judgments.jsonl", desk.out(&["export", "study.db", "--what", "judgments", "--names"]));
    desk.file("corpus.jsonl", desk.out(&["export", "study.db", "--what", "corpus"]));
    desk.out(&["import", "apart.db", "corpus.jsonl", "judgments.jsonl"]);
    assert_eq!(tone("apart.db"), before);
    std::fs::copy(desk.path("study.db"), desk.path("again.db")).expect("copied");
    for study in ["again.db", "apart.db"] {
        let again = desk.out(&["import", study, "judgments.jsonl"]);
        assert!(again.contains("nothing new"), "{again}");
        assert_eq!(tone(study), before);
        assert_eq!(judged_versions(&desk, study, "tone"), [(json!(3), json!(0)), (json!(1), json!(8))]);
    }
    // Gold is in the words of now, and says nothing new where it comes in.
    let gold = desk.out(&["export", "study.db", "--what", "gold", "--names"]);
    let is_decided = |line: &&str| line.contains("\"adjudicat");
    let line = gold.lines().find(is_decided).expect("a decision");
    assert!(line.contains("\"version\":3") && line.contains("\"polite\":\"rude\""), "{line}");
    desk.file("gold.csv", desk.out(&["export", "study.db", "--what", "gold", "--names", "--format", "csv"]));
    let again = desk.out(&["import", "study.db", "gold.csv"]);
    assert!(again.contains("nothing new"), "{again}");
    desk.out(&["check", "study.db"]);

    // Whoever still has the first version, and whoever takes it all in anew.
    desk.out(&["merge", "old.db", "study.db"]);
    assert_eq!(judged_versions(&desk, "old.db", "tone"), judged_versions(&desk, "study.db", "tone"));
    assert_eq!(done(&desk, "old.db", "tone"), done(&desk, "study.db", "tone"));
    desk.out(&["merge", "study.db", "old.db"]);
    assert_eq!(judged_versions(&desk, "study.db", "tone"), [(json!(3), json!(0)), (json!(1), json!(8))]);
    desk.out(&["check", "old.db"]);
    desk.out(&["export", "study.db", "-o", "after.jsonl"]);
    desk.out(&["import", "new.db", "after.jsonl"]);
    assert_eq!(done(&desk, "new.db", "tone"), done(&desk, "study.db", "tone"));
}

#[test]
fn a_change_that_is_not_said_is_refused_with_its_place() {
    let desk = Desk::judged();
    for (text, what) in [
        (growing().replace("adds = [\"unsure\"]", "adds = []"), "\"unsure\" is new: \"adds\" says so"),
        (growing().replace("label = \"yes\"", "label = \"yes!\""), "reword = true"),
        (growing().replace("score = 5", "score = 6"), "\"mid\" has another score"),
        (growing().replace("adds = [", "adds = [\"yes\", "), "which version 1 offers already"),
    ] {
        desk.file("two.toml", text);
        let (status, told) = desk.fails(&["protocol", "add", "study.db", "two.toml"]);
        assert!(status == 1 && told.contains(what) && told.contains("[[change]]"), "{what}: {told}");
    }
    desk.file(
        "two.toml",
        TONE.replace("version = 1", "version = 2")
            + "\n[[change]]\nversion = 3\nquestion = \"polite\"\nreword = true\n",
    );
    let (_, told) = desk.fails(&["protocol", "check", "two.toml"]);
    assert!(told.contains("\"version\" is one from 2 to the file's"), "{told}");
}

#[test]
fn a_tag_in_the_middle_of_a_built_in_protocol_opens_nothing() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    std::fs::copy(desk.path("study.db"), desk.path("other.db")).expect("copied");
    let before = done(&desk, "study.db", "failure");
    let text = desk.out(&["protocol", "show", "failure"]).replace("version = 1", "version = 2").replace(
        "  { value = \"citation\"",
        "  { value = \"stale\", label = \"out of date\", key = \"d\" },\n  { value = \"citation\"",
    );
    desk.file("silent.toml", &text);
    assert!(desk.fails(&["protocol", "check", "silent.toml"]).1.contains("of its own"));
    desk.file(
        "failure.toml",
        text + "\n[[change]]\nversion = 2\nquestion = \"failures\"\nadds = [\"stale\"]\n",
    );
    let told = desk.out(&["protocol", "add", "study.db", "failure.toml"]);
    assert!(told.contains("39 judgments under earlier versions stand"), "{told}");
    assert_eq!(done(&desk, "study.db", "failure"), before);
    let rated = desk.out(&["export", "study.db", "--what", "ratings", "--protocol", "failure"]);
    assert!(rated.contains("failures: citation") && !rated.contains("failures: stale"), "{rated}");
    let counted = desk.out(&["score", "study.db", "--protocol", "failure", "--count", "failures:stale"]);
    let said = "judgments before it, counted in scores as without it: 39";
    assert!(counted.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{counted}");
    let status = desk.out(&["status", "study.db", "--protocol", "failure"]);
    assert!(status.contains("16") && status.contains("23"), "{status}");
    desk.out(&["merge", "other.db", "study.db"]);
    assert_eq!(judged_versions(&desk, "other.db", "failure"), [(json!(2), json!(0)), (json!(1), json!(39))]);
    assert_eq!(done(&desk, "other.db", "failure"), before);
    desk.out(&["merge", "study.db", "other.db"]);
    desk.out(&["export", "study.db", "-o", "all.jsonl"]);
    desk.out(&["import", "new.db", "all.jsonl"]);
    assert_eq!(done(&desk, "new.db", "failure"), before);
}
