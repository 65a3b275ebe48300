//! A protocol that exists only here: added, judged, agreed on, scored, exported, changed.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Desk, confusion};

mod growing;
mod kinds;

const TONE: &str = r#"name = "tone"
title = "Tone of a summary"
version = 1
source = "a test"
target = ["candidate"]
group = "query"

[layout]
above = ["query"]
left = ["documents"]
right = ["candidate"]

[[question]]
key = "polite"
prompt = "Polite?"
kind = "choice"
choices = [
  { value = "yes", label = "yes", key = "y" },
  { value = "no", label = "no", key = "n" },
]

[[question]]
key = "fit"
prompt = "Fits the query?"
kind = "choice"
scale = "ordinal"
ask_when = { question = "polite", is = ["yes"] }
choices = [
  { value = "low", label = "low", key = "l", score = 0 },
  { value = "mid", label = "mid", key = "m", score = 5 },
  { value = "high", label = "high", key = "h", score = 10 },
]
"#;

const GUIDELINE: &str = "# Tone\n\nJudge how it is said, not what.\n";

impl Desk {
    /// Four summaries of one query, two people, and the protocol.
    fn with_tone() -> Desk {
        let desk = Desk::new();
        let mut lines = vec![
            json!({"type":"collection","id":"exam"}),
            json!({"type":"document","collection":"exam","id":"d1","number":1,"text":"They slept badly."}),
            json!({"type":"query","collection":"exam","id":"sleep","text":"What of sleep?"}),
        ];
        for id in ["c1", "c2", "c3", "c4"] {
            lines.push(json!({"type":"candidate","collection":"exam","query":"sleep","id":id,
                "summarizer":"s","text":format!("- Bad sleep, says {id} [1]")}));
        }
        for id in ["ann", "ben"] {
            lines.push(json!({"type":"annotator","id":id,"kind":"human"}));
        }
        desk.records("corpus.jsonl", &lines);
        desk.file("tone.toml", TONE);
        desk.file("tone.md", GUIDELINE);
        desk.out(&["import", "study.db", "corpus.jsonl"]);
        desk
    }

    /// With the protocol, and eight judgments under it.
    fn judged() -> Desk {
        let desk = Desk::with_tone();
        desk.out(&["protocol", "add", "study.db", "tone.toml", "--guideline", "tone.md"]);
        let given = [
            ("ann", "c1", json!({"polite":"yes","fit":"high"})),
            ("ann", "c2", json!({"polite":"yes","fit":"low"})),
            ("ann", "c3", json!({"polite":"no"})),
            ("ann", "c4", json!({"polite":"yes","fit":"mid"})),
            ("ben", "c1", json!({"polite":"yes","fit":"high"})),
            ("ben", "c2", json!({"polite":"yes","fit":"mid"})),
            ("ben", "c3", json!({"polite":"no"})),
            ("ben", "c4", json!({"polite":"no"})),
        ];
        let lines: Vec<Value> =
            given.into_iter().map(|(who, what, answers)| judgment(who, what, answers)).collect();
        desk.records("judgments.jsonl", &lines);
        let told = desk.out(&["import", "study.db", "judgments.jsonl"]);
        assert!(told.contains("8 judgments came in"), "{told}");
        desk
    }
}

fn judgment(annotator: &str, candidate: &str, answers: Value) -> Value {
    json!({"type":"judgment","protocol":"tone","annotator":annotator,"candidate":candidate,
           "answers":answers,"at":"2026-01-05T09:30:00Z"})
}

fn later(mut judgment: Value) -> Value {
    judgment["at"] = json!("2026-02-05T09:30:00Z");
    judgment
}

/// The second version: one more choice, and an answer to it.
fn second_version() -> String {
    TONE.replace("version = 1", "version = 2").replace(
        "  { value = \"no\", label = \"no\", key = \"n\" },\n",
        "  { value = \"no\", label = \"no\", key = \"n\" },\n  { value = \"unsure\", label = \"unsure\", key = \"e\" },\n",
    )
}

#[test]
fn it_is_listed_shown_and_added_once() {
    let desk = Desk::with_tone();
    assert!(!desk.out(&["protocol", "list", "study.db"]).contains("tone"));
    let told = desk.out(&["protocol", "add", "study.db", "tone.toml", "--guideline", "tone.md"]);
    assert_eq!(told, "\"tone\", version 1, is in study.db\n");
    let bytes = fs::read(desk.path("study.db")).expect("the study");
    let again = desk.out(&["protocol", "add", "study.db", "tone.toml"]);
    assert_eq!(again, "study.db has \"tone\", version 1, already; nothing has changed\n");
    assert_eq!(fs::read(desk.path("study.db")).expect("the study"), bytes);
    assert_eq!(desk.out(&["protocol", "show", "tone", "study.db"]), TONE);
    assert_eq!(desk.out(&["protocol", "show", "tone", "study.db", "--guideline"]), GUIDELINE);
    let rows = desk.json(&["protocol", "list", "study.db"])["rows"].clone();
    let tone =
        rows.as_array().expect("rows").iter().find(|row| row["name"] == "tone").expect("listed").clone();
    // Four summaries, one item each.
    assert_eq!(
        (&tone["version"], &tone["from"], &tone["items"], &tone["judgments"]),
        (&json!(1), &json!("study"), &json!(4), &json!(0))
    );
    let coverage = rows.as_array().expect("rows").iter().find(|row| row["name"] == "coverage");
    assert_eq!(coverage.expect("listed")["items"], 0, "there is no unit to be covered");

    desk.file("other.md", "# Tone, again\n");
    let told = desk.out(&["protocol", "add", "study.db", "tone.toml", "--guideline", "other.md"]);
    assert_eq!(told, "\"tone\", version 1, has a new guideline in study.db\n");
    assert_eq!(desk.out(&["protocol", "show", "tone", "study.db", "--guideline"]), "# Tone, again\n");
}

#[test]
fn what_cannot_be_added_says_why_and_changes_nothing() {
    let desk = Desk::judged();
    let bytes = fs::read(desk.path("study.db")).expect("the study");
    let coverage = desk.out(&["protocol", "show", "coverage"]);
    for (text, expected) in [
        (coverage.replace("Covered?", "Said?"), "haymark has a protocol \"coverage\" of its own; give yours"),
        (TONE.replace("Polite?", "Kind?"), "another text as version 1 of \"tone\"; write version = 2 into"),
        (
            TONE.replace("version = 1", "version = 2")
                .replace("target = [\"candidate\"]", "target = [\"candidate\", \"document\"]"),
            "another version of \"tone\" has another \"target\"",
        ),
        (
            TONE.replace("key = \"y\"", "key = \"s\""),
            "line 18: question \"polite\": the key \"s\" is needed for \"skip\"",
        ),
    ] {
        desk.file("bad.toml", &text);
        let (status, told) = desk.fails(&["protocol", "add", "study.db", "bad.toml"]);
        assert!(status == 1 && told.contains(expected), "{expected}: {told}");
        assert_eq!(fs::read(desk.path("study.db")).expect("the study"), bytes, "{expected}");
    }
    desk.file("coverage.toml", &coverage);
    assert!(desk.out(&["protocol", "add", "study.db", "coverage.toml"]).contains("already"));
    // Its guideline is haymark's; another one must not be lost without a word.
    for arguments in [
        &["protocol", "add", "study.db", "coverage.toml", "--guideline", "tone.md"][..],
        &["protocol", "check", "coverage.toml"],
    ] {
        let (status, told) = desk.fails(arguments);
        assert_eq!(status, 1);
        assert!(
            told.contains("haymark has a protocol \"coverage\" of its own; give yours another name"),
            "{told}"
        );
    }
    desk.fails(&["protocol", "add", "unborn.db", "bad.toml"]);
    assert!(!desk.path("unborn.db").exists());
}

#[test]
fn check_names_every_mistake_with_its_line() {
    let desk = Desk::with_tone();
    assert!(desk.out(&["protocol", "check", "tone.toml"]).contains("no mistakes"));
    let text = TONE
        .replace("title =", "titel =")
        .replace("key = \"m\"", "key = \"j\"")
        .replace("is = [\"yes\"]", "is = [\"maybe\"]")
        .replace("group = \"query\"", "group = \"unit\"")
        .replace(", score = 10", "");
    desk.file("bad.toml", &text);
    let (status, told) = desk.fails(&["protocol", "check", "bad.toml"]);
    assert_eq!(status, 1);
    let lines: Vec<&str> = told.lines().collect();
    let begins = ["line 2: ", "line 6: ", "line 27: ", "line 30: ", "line 31: "];
    assert_eq!(lines.len(), begins.len() + 1, "{told}");
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(&format!("bad.toml, {begin}")), "{line}");
    }
    assert!(lines.last().expect("a last line").contains("5 mistakes"), "{told}");
    let template = desk.out(&["protocol", "new", "ours"]);
    desk.file("ours.toml", &template);
    assert!(desk.out(&["protocol", "check", "ours.toml"]).contains("\"ours\", version 1"));
    assert_eq!(desk.fails(&["protocol", "new", "no good"]).0, 2);
}

#[test]
fn it_is_agreed_on_and_scored() {
    let desk = Desk::judged();
    // Polite: 3 of 4 equal; ann says yes to 3 of 4, ben to 2 of 4, so chance is 3/4 · 1/2 + 1/4 · 1/2 = 1/2
    // and kappa (3/4 − 1/2) / (1 − 1/2) = 1/2.
    let polite = desk.agreement(&["agree", "study.db", "--protocol", "tone", "--question", "polite"]);
    assert_eq!(
        (&polite["items"], &polite["ratings"], &polite["scale"]),
        (&json!(4), &json!(8), &json!("nominal"))
    );
    assert_eq!(confusion(&polite, "ann", "ben"), [[2, 1], [0, 1]]);
    let kappa = polite["pairs"][0]["cohen_kappa"].as_f64().expect("a number");
    assert!((kappa - 0.5).abs() < 1e-12, "{kappa}");
    let fit = desk.agreement(&["agree", "study.db", "--protocol", "tone", "--question", "fit"]);
    assert_eq!((&fit["scale"], &fit["scores"]), (&json!("ordinal"), &json!([0.0, 5.0, 10.0])));
    assert_eq!(confusion(&fit, "ann", "ben"), [[0, 1, 0], [0, 0, 0], [0, 0, 1]]);

    // Without --protocol, it is found as well.
    assert_eq!(desk.agreements(&["agree", "study.db"]).len(), 2);

    // Polite: 5 yes and 3 no of 8, each of four items judged twice. Fit, on three items: half low and half mid, mid by the
    // one who was asked, high by both; mean (2.5 + 5 + 10) / 3.
    let tables = desk.json(&["score", "study.db", "--protocol", "tone"]);
    let (polite, fit) = (&tables[0]["rows"][0], &tables[1]["rows"][0]);
    assert_eq!(
        (&polite["share_yes"], &polite["share_no"], &polite["items"], &polite["judgments"]),
        (&json!(62.5), &json!(37.5), &json!(4), &json!(8))
    );
    for (name, expected) in [
        ("share_low", 50.0 / 3.0),
        ("share_mid", 50.0),
        ("share_high", 100.0 / 3.0),
        ("mean_score", 17.5 / 3.0),
    ] {
        let found = fit[name].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-9, "{name} {found}, not {expected}");
    }
    assert_eq!((&fit["items"], &fit["judgments"]), (&json!(3), &json!(5)));
}

#[test]
fn export_carries_it_and_goes_round() {
    let desk = Desk::judged();
    desk.file("tone2.toml", second_version());
    desk.out(&["protocol", "add", "study.db", "tone2.toml"]);
    desk.records("more.jsonl", &[later(judgment("ben", "c1", json!({"polite":"unsure"})))]);
    let first = desk.out(&["export", "study.db"]);
    let kinds = |text: &str| text.lines().filter(|line| line.contains("\"type\":\"protocol\"")).count();
    assert_eq!(kinds(&first), 2);
    desk.file("first.jsonl", &first);
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), first);
    assert_eq!(desk.out(&["protocol", "show", "tone", "second.db"]), second_version());
    assert_eq!(desk.out(&["protocol", "show", "tone", "second.db", "--guideline"]), GUIDELINE);
    assert!(desk.out(&["import", "second.db", "first.jsonl"]).contains("nothing new"));

    // What came in before there was a second version is known by it, and is not judged anew.
    assert!(desk.out(&["import", "study.db", "judgments.jsonl"]).contains("nothing new"));
    desk.out(&["import", "study.db", "more.jsonl"]);
    let third = desk.out(&["export", "study.db", "--what", "judgments", "--names", "--with-text"]);
    assert!(
        third.contains("\"version\":2") && third.matches("\"version\":1,\"annotator\"").count() == 7,
        "{third}"
    );

    desk.records(
        "unknown.jsonl",
        &[json!({"type":"judgment","protocol":"tone","version":9,"annotator":"ann",
        "candidate":"c1","answers":{"polite":"yes"}})],
    );
    let (_, told) = desk.fails(&["import", "study.db", "unknown.jsonl"]);
    assert!(told.contains("line 1: there is no version 9 of the protocol \"tone\""), "{told}");
    let changed = first.replace("Judge how it is said", "Judge");
    desk.file("changed.jsonl", &changed);
    let (_, told) = desk.fails(&["import", "study.db", "changed.jsonl"]);
    assert!(told.contains("another guideline for version 1 of \"tone\""), "{told}");
}

#[test]
fn versions_are_never_mixed_silently() {
    let desk = Desk::judged();
    desk.file("tone2.toml", second_version());
    let told = desk.out(&["protocol", "add", "study.db", "tone2.toml"]);
    assert_eq!(
        told,
        "\"tone\", version 2, is in study.db\n  8 judgments under version 1: they stay, and are counted apart\n"
    );
    let note = |judgments: &str| {
        format!(
            "{judgments} under an older version of \"tone\" (1) are left out; --all-versions mixes them with version 2."
        )
    };
    for command in ["score", "agree"] {
        let (status, told) = desk.fails(&[command, "study.db", "--protocol", "tone"]);
        assert!(status == 1 && told.contains(&note("8 judgments")), "{told}");
    }

    let more = [("ann", json!({"polite":"unsure"})), ("ben", json!({"polite":"yes","fit":"low"}))];
    desk.records("more.jsonl", &more.map(|(who, answers)| later(judgment(who, "c1", answers))));
    desk.out(&["import", "study.db", "more.jsonl"]);
    let agreed = desk.agreement(&["agree", "study.db", "--question", "polite"]);
    assert_eq!((&agreed["items"], &agreed["ratings"]), (&json!(1), &json!(2)));
    assert!(agreed["notes"].as_array().expect("notes").contains(&json!(note("6 judgments"))), "{agreed}");
    let scored = desk.json(&["score", "study.db", "--annotators", "ben"]);
    assert_eq!(scored[0]["rows"][0]["items"], json!(1));
    assert_eq!(scored[0]["notes"][0], json!(note("3 judgments")));
    let csv = desk.run(&["score", "study.db", "--format", "csv"]);
    assert!(String::from_utf8_lossy(&csv.stderr).contains(&note("6 judgments")));

    let mixed = desk.agreement(&["agree", "study.db", "--question", "polite", "--all-versions"]);
    assert_eq!((&mixed["items"], &mixed["ratings"]), (&json!(4), &json!(8)));
    let mixing = json!(
        "6 judgments under an older version of \"tone\" (1) are counted together with those under version 2; what a \
         version did not ask is in no share of it."
    );
    assert!(mixed["notes"].as_array().expect("notes").contains(&mixing), "{mixed}");
    let rows = desk.json(&["protocol", "list", "study.db"])["rows"].clone();
    let counts: Vec<Value> = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["name"] == "tone")
        .map(|row| json!([row["version"], row["items"], row["judgments"]]))
        .collect();
    assert_eq!(counts, [json!([2, 4, 2]), json!([1, null, 6])]);
}

#[cfg(unix)]
#[test]
fn it_is_judged_on_the_screen_and_older_judgments_are_open_again() {
    let desk = Desk::judged();
    desk.file("tone2.toml", second_version());
    desk.out(&["protocol", "add", "study.db", "tone2.toml"]);
    let mut screen = desk.start(&["annotate", "study.db", "--as", "ann", "--protocol", "tone"]);
    screen.wait_for("Fits the query?").wait_for("0 judged");
    screen.answer("e", "1 judged");
    // Polite was answered under the first version, with another answer to the second question.
    screen.answer("yh", "2 judged");
    screen.quit();
    let exported = desk.out(&["export", "study.db", "--what", "judgments", "--names", "--with-text"]);
    let records: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let under = |version: u32| {
        let mut found: Vec<&Value> = records
            .iter()
            .filter(|record| record["annotator"] == "ann" && record["version"] == version)
            .map(|record| &record["answers"])
            .collect();
        found.sort_by_key(|answers| answers.to_string());
        found
    };
    assert_eq!(under(2), [&json!({"polite":"unsure"}), &json!({"polite":"yes","fit":"high"})]);
    assert_eq!(under(1).len(), 2, "the other two stay as they were");

    desk.file("tone3.toml", second_version().replace("version = 2", "version = 3"));
    let told = desk.out(&["protocol", "add", "study.db", "tone3.toml"]);
    assert!(
        told.contains("6 judgments under version 1") && told.contains("2 judgments under version 2"),
        "{told}"
    );
    let mixed = desk.agreement(&["agree", "study.db", "--question", "polite", "--all-versions"]);
    assert_eq!(mixed["ratings"], json!(8), "what was judged on the screen counts too");
}

#[test]
fn judges_say_when_an_older_answer_is_no_choice_any_more() {
    let desk = Desk::judged();
    let lines = [
        json!({"type":"annotator","id":"robot","kind":"model"}),
        judgment("robot", "c1", json!({"polite":"yes","fit":"high"})),
        judgment("robot", "c3", json!({"polite":"no"})),
        judgment("robot", "c4", json!({"polite":"no"})),
    ];
    desk.import("robot.jsonl", &lines);
    desk.out(&["judges", "study.db", "--protocol", "tone"]);
    let never = TONE
        .replace("version = 1", "version = 2")
        .replace("value = \"no\", label = \"no\"", "value = \"never\", label = \"never\"");
    desk.file("tone2.toml", never);
    desk.out(&["protocol", "add", "study.db", "tone2.toml"]);
    let (status, said) = desk.fails(&["judges", "study.db", "--protocol", "tone", "--all-versions"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("an answer to \"polite\" that is none of its choices; leave --all-versions out"),
        "{said}"
    );
}
