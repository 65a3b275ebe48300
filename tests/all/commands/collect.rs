//! `haymark collect`: what people wrote becomes units, once.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::harness::Desk;

/// The text of `d1`; "slept badly" stands at bytes 5 to 16.
const MONDAY: &str = "They slept badly. Tea helped.";

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Two documents, a response, a person and a model, and what the person wrote of them.
fn desk() -> Desk {
    let desk = Desk::new();
    let point = |text: &str, start: u64, quote: &str| json!({"text":text,"passages":[{"document":"d1","start":start,"quote":quote}]});
    let records = [
        json!({"type":"collection","id":"exam"}),
        json!({"type":"document","collection":"exam","id":"d1","number":1,"text":MONDAY}),
        json!({"type":"document","collection":"exam","id":"d2","number":2,"text":"Nothing."}),
        json!({"type":"query","collection":"exam","id":"sleep","text":"What of sleep?"}),
        json!({"type":"unit","collection":"exam","query":"sleep","id":"machine","kind":"keypoint","text":"Bad sleep"}),
        json!({"type":"candidate","collection":"exam","query":"sleep","id":"c1","summarizer":"s","text":"Tea helps."}),
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"annotator","id":"gpt","kind":"model"}),
        said(
            "extraction",
            json!({"document":"d1"}),
            json!([point("Sleep was bad", 5, "slept badly"), point("Tea helps", 18, "Tea")]),
        ),
        said("extraction", json!({"document":"d2"}), json!(null)),
        said("decomposition", json!({"candidate":"c1"}), json!([{"text":"Tea helps"}])),
    ];
    desk.file("study.jsonl", lines(&records));
    desk.out(&["import", "study.db", "study.jsonl"]);
    desk
}

fn said(protocol: &str, about: Value, points: Value) -> Value {
    let mut judgment = json!({"type":"judgment","protocol":protocol,"annotator":"alice","collection":"exam",
        "query":"sleep","answers":{"points":points},"at":"2026-01-05T09:30:00Z"});
    for (key, value) in about.as_object().expect("an object") {
        judgment[key] = value.clone();
    }
    judgment
}

/// What is collected, without the keys.
fn collected(desk: &Desk) -> Vec<Value> {
    let exported = desk.out(&["export", "study.db", "--what", "corpus"]);
    let records = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut units: Vec<Value> = records.filter(|record| !record["meta"]["annotator"].is_null()).collect();
    for unit in &mut units {
        let id = unit.as_object_mut().expect("a record").remove("id").expect("an id");
        let id = id.as_str().expect("a text").to_owned();
        let (annotator, digits) = id.split_once('-').expect("a dash");
        assert!(unit["meta"]["annotator"] == annotator && digits.len() == 12, "{id}");
    }
    units
}

#[test]
fn points_become_units_once() {
    let desk = desk();
    let told = desk.out(&["collect", "study.db"]);
    let expected = "collected from extraction, decomposition: 3 units came in\n\
                    next: haymark annotate study.db --as NAME --protocol match\n\
                    next: haymark annotate study.db --as NAME --protocol placement\n\
                    next: haymark annotate study.db --as NAME --protocol nugget-wording\n";
    assert_eq!(told, expected);
    let meta = |protocol: &str| json!({"annotator":"alice","protocol":protocol});
    let on_document = |text: &str, start: u64, quote: &str| {
        json!({"type":"unit","collection":"exam","query":"sleep","kind":"human point","text":text,
            "documents":["d1"],"evidence":[{"document":"d1","quote":quote,"start":start}],"meta":meta("extraction")})
    };
    let of_response = json!({"type":"unit","collection":"exam","query":"sleep","kind":"response point",
        "candidate":"c1","text":"Tea helps","meta":meta("decomposition")});
    assert_eq!(
        collected(&desk),
        [on_document("Sleep was bad", 5, "slept badly"), on_document("Tea helps", 18, "Tea"), of_response]
    );

    let bytes = fs::read(desk.path("study.db")).expect("the study");
    let told = desk.out(&["collect", "study.db", "--protocol", "extraction"]);
    assert!(
        told.starts_with("collected from extraction: nothing new, the study holds all of it already\n"),
        "{told}"
    );
    assert!(!told.contains("placement"), "{told}");
    assert_eq!(fs::read(desk.path("study.db")).expect("the study"), bytes);

    // In a copy they are known as well.
    desk.file("copy.jsonl", desk.out(&["export", "study.db"]));
    desk.out(&["import", "copy.db", "copy.jsonl"]);
    assert!(desk.out(&["collect", "copy.db"]).contains("nothing new"));

    let exported = desk.out(&["export", "study.db", "--what", "corpus"]);
    let unit = exported.lines().find(|line| line.contains("Sleep was bad")).expect("collected");
    let unit: Value = serde_json::from_str(unit).expect("JSON");
    let matched = json!({"type":"judgment","protocol":"match","annotator":"alice","collection":"exam","query":"sleep",
        "unit":unit["id"],"answers":{"said_by":["machine"]}});
    desk.file("match.jsonl", lines(&[matched]));
    assert!(desk.out(&["import", "study.db", "match.jsonl"]).contains("1 judgment came in"));
}

#[test]
fn what_is_new_is_added_and_what_has_changed_is_told() {
    let desk = desk();
    desk.out(&["collect", "study.db"]);
    let later = |points: Value| {
        let mut judgment = said("extraction", json!({"document":"d1"}), points);
        judgment["at"] = json!("2026-02-05T09:30:00Z");
        lines(&[judgment])
    };
    let sleep =
        json!({"text":"Sleep was bad","passages":[{"document":"d1","start":5,"quote":"slept badly"}]});
    let tea = json!({"text":"Tea is good"});
    // "Tea helps" is reworded: one new unit, one that nobody says any more.
    desk.file("more.jsonl", later(json!([sleep, tea])));
    desk.out(&["import", "study.db", "more.jsonl"]);
    let told = desk.out(&["collect", "study.db", "--protocol", "extraction"]);
    let expected = "collected from extraction: 1 unit came in\n  already there: 1 unit\n  1 unit collected before \
                    is not what the writer says now; it stays, because a study is only added to\n";
    assert!(told.starts_with(expected), "{told}");
    assert_eq!(collected(&desk).len(), 4);

    // The other passage does not come in, and nothing of the document is said twice.
    let moved = json!({"text":"Sleep was bad","passages":[{"document":"d1","start":0,"quote":"They"}]});
    let mut last = later(json!([moved, moved, tea, tea]));
    last = last.replace("2026-02", "2026-03");
    desk.file("moved.jsonl", last);
    desk.out(&["import", "study.db", "moved.jsonl"]);
    let told = desk.out(&["collect", "study.db", "--protocol", "extraction"]);
    assert!(told.contains("nothing new"), "{told}");
    assert!(
        told.contains("  2 units collected before are not what the writer says now; they stay"),
        "{told}"
    );
    assert_eq!(collected(&desk).len(), 4);

    desk.file("none.jsonl", later(json!(null)).replace("2026-02", "2026-04"));
    desk.out(&["import", "study.db", "none.jsonl"]);
    let told = desk.out(&["collect", "study.db", "--protocol", "extraction"]);
    let expected = "collected from extraction: nobody wrote a point\n  3 units collected before are";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn models_are_named_and_kinds_are_kept() {
    let desk = desk();
    let machine =
        lines(&[said("extraction", json!({"document":"d2","annotator":"gpt"}), json!([{"text":"Nothing"}]))]);
    desk.file("gpt.jsonl", machine);
    desk.out(&["import", "study.db", "gpt.jsonl"]);
    let told = desk.out(&["collect", "study.db", "--annotators", "gpt", "--kind", "keypoint"]);
    assert!(told.starts_with("collected from extraction: 1 unit came in\n"), "{told}");
    assert!(
        told.ends_with(
            "--protocol keypoint\nnext: haymark annotate study.db --as NAME --protocol entailment\n"
        ),
        "{told}"
    );
    assert_eq!(collected(&desk)[0]["kind"], "keypoint");

    let bytes = fs::read(desk.path("study.db")).expect("the study");
    for (arguments, status, expected) in [
        (vec!["--annotators", "gpt"], 1, "was collected as \"keypoint\" before; add --kind keypoint"),
        (
            vec!["--annotators", "gpt", "--protocol", "decomposition"],
            1,
            "has judged under \"decomposition\" to the end",
        ),
        (vec!["--annotators", "nobody"], 1, "there is no annotator \"nobody\""),
        (
            vec!["--protocol", "coverage"],
            2,
            "asks for no points; those that do are extraction, decomposition, nugget-wording",
        ),
        (vec!["--protocol", "mood"], 2, "there is no protocol \"mood\""),
        (vec!["--kind", " "], 2, "--kind is empty"),
    ] {
        let (given, told) = desk.fails(&[vec!["collect", "study.db"], arguments].concat());
        assert!(given == status && told.contains(expected), "{expected}: {told}");
        assert_eq!(told.trim_end().lines().count(), 1, "{told}");
        assert_eq!(fs::read(desk.path("study.db")).expect("the study"), bytes, "{expected}");
    }
}

#[test]
fn only_whole_judgments_under_the_current_version_are_collected() {
    let desk = desk();
    let protocol = |version: u32| {
        format!(
            "name = \"notes\"\ntitle = \"Notes\"\nversion = {version}\nsource = \"a test\"\ntarget = [\"document\"]\n\
             group = \"query\"\n[layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = []\n\
             [[question]]\nkey = \"points\"\nprompt = \"Notes\"\nkind = \"points\"\nhotkey = \"a\"\n\
             [[question]]\nkey = \"why\"\nprompt = \"Why?\"\nkind = \"text\"\nhotkey = \"e\"\n"
        )
    };
    let note = |document: &str, why: Value| {
        let mut judgment = said("notes", json!({"document":document}), json!([{"text":"A note"}]));
        if !why.is_null() {
            judgment["answers"]["why"] = why;
        }
        judgment
    };
    desk.file("notes1.toml", protocol(1));
    desk.out(&["protocol", "add", "study.db", "notes1.toml"]);
    desk.file("whole.jsonl", lines(&[note("d1", json!("because"))]));
    desk.out(&["import", "study.db", "whole.jsonl"]);
    desk.file("notes2.toml", protocol(2));
    desk.out(&["protocol", "add", "study.db", "notes2.toml"]);
    let (status, told) = desk.fails(&["collect", "study.db", "--protocol", "notes"]);
    assert_eq!(status, 1);
    assert!(told.contains("1 judgment under another version of the protocol is left out"), "{told}");

    desk.file("part.jsonl", lines(&[note("d2", Value::Null)]));
    desk.out(&["import", "study.db", "part.jsonl"]);
    let (_, told) = desk.fails(&["collect", "study.db", "--protocol", "notes"]);
    assert!(told.contains("1 judgment without a required answer is left out"), "{told}");
    desk.file("rest.jsonl", lines(&[note("d2", json!("so"))]).replace("09:30", "10:30"));
    desk.out(&["import", "study.db", "rest.jsonl"]);
    let told = desk.out(&["collect", "study.db", "--protocol", "notes"]);
    assert!(
        told.starts_with("collected from notes: 1 unit came in\n  1 judgment under another version"),
        "{told}"
    );
    assert_eq!(collected(&desk)[0]["documents"], json!(["d2"]));
}

/// Points are written, reworded, split, said to be the same, collected as nuggets, graded, judged and scored, in one study.
#[test]
fn points_become_nuggets_that_are_graded_and_judged() {
    let desk = desk();
    let on_d2 = json!([{"text":"Bad nights","passages":[{"document":"d2","start":0,"quote":"Nothing"}]}, {"text":"A chat"}]);
    let mut written = said("extraction", json!({"document":"d2"}), on_d2);
    written["at"] = json!("2026-01-06T09:30:00Z");
    let both = json!([
        {"text":"Sleep was bad","passages":[{"document":"d1","start":5,"quote":"slept badly"}]},
        {"text":"Tea helps and coffee hurts"}]);
    let mut again = said("extraction", json!({"document":"d1"}), both);
    again["at"] = json!("2026-01-06T09:30:00Z");
    desk.import("more.jsonl", &[written, again]);
    desk.out(&["collect", "study.db", "--protocol", "extraction"]);
    let units = || -> Vec<Value> {
        let exported = desk.out(&["export", "study.db", "--what", "corpus"]);
        let records = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        records.filter(|record| record["type"] == "unit").collect()
    };
    let id = |text: &str| {
        let all = units();
        let unit =
            all.iter().find(|unit| unit["text"] == text).unwrap_or_else(|| panic!("no {text}: {all:?}"));
        unit["id"].as_str().expect("an id").to_owned()
    };
    let of_unit = |protocol: &str, unit: &str, answers: Value| {
        json!({"type":"judgment","protocol":protocol,"annotator":"alice","collection":"exam","query":"sleep",
            "unit":unit,"answers":answers})
    };
    let wording = |text: &str, answers: Value| of_unit("nugget-wording", &id(text), answers);
    let parts = json!([{"text":"Tea helps"}, {"text":"Coffee hurts"}]);
    desk.import(
        "wording.jsonl",
        &[
            wording("Bad nights", json!({"wording":"same","same_as":[id("Sleep was bad")]})),
            wording("Sleep was bad", json!({"wording":"reword","reworded":"They slept badly"})),
            wording("Tea helps and coffee hurts", json!({"wording":"split","parts":parts})),
            wording("A chat", json!({"wording":"drop"})),
        ],
    );
    let told = desk.out(&["collect", "study.db", "--protocol", "nugget-wording"]);
    let expected = "collected from nugget-wording: 3 units came in\n\
                    next: haymark annotate study.db --as NAME --protocol nugget-importance\n\
                    next: haymark annotate study.db --as NAME --protocol nuggets\n";
    assert_eq!(told, expected);
    let again = desk.out(&["collect", "study.db", "--protocol", "nugget-wording"]);
    assert!(again.contains("nothing new"), "{again}");
    let nuggets: Vec<Value> = units().into_iter().filter(|unit| unit["kind"] == "nugget").collect();
    let texts: BTreeSet<&str> = nuggets.iter().filter_map(|unit| unit["text"].as_str()).collect();
    assert_eq!(texts, ["Coffee hurts", "Tea helps", "They slept badly"].into());
    let merged = nuggets.iter().find(|unit| unit["text"] == "They slept badly").expect("made");
    let quotes: Vec<&Value> =
        merged["evidence"].as_array().expect("passages").iter().map(|one| &one["quote"]).collect();
    assert_eq!(
        (&merged["documents"], quotes),
        (&json!(["d1", "d2"]), vec![&json!("slept badly"), &json!("Nothing")])
    );
    assert_eq!(merged["meta"]["from"], json!([id("Sleep was bad"), id("Bad nights")]));

    let of_nugget =
        |text: &str| nuggets.iter().find(|unit| unit["text"] == text).expect("made")["id"].clone();
    let mut judged = Vec::new();
    let rows = [
        ("They slept badly", "vital", "support"),
        ("Tea helps", "okay", "partial"),
        ("Coffee hurts", "drop", "not"),
    ];
    for (text, importance, support) in rows {
        let unit = of_nugget(text);
        let unit = unit.as_str().expect("an id");
        judged.push(of_unit("nugget-importance", unit, json!({ "importance": importance })));
        let mut said = of_unit("nuggets", unit, json!({ "support": support }));
        said["candidate"] = json!("c1");
        judged.push(said);
    }
    desk.import("judged.jsonl", &judged);
    let scores = desk.json(&["score", "study.db", "--protocol", "nuggets"]);
    let table = if scores.is_array() { &scores[0] } else { &scores };
    let score = |name: &str| table["rows"][0][name].as_f64().unwrap_or_else(|| panic!("{name}: {table}"));
    // Said half of the okay one: (100 + 50) / 2; (1 · 100 + ½ · 50) / 1½; strictly 100 / 1½.
    for (name, expected) in
        [("all", 75.0), ("vital", 100.0), ("weighted", 250.0 / 3.0), ("strict_weighted", 200.0 / 3.0)]
    {
        assert!((score(name) - expected).abs() < 1e-9, "{name}: {}", score(name));
    }
}
