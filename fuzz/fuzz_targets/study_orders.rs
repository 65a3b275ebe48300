//! The lines of a small study, any of them, in any order and any number of times: a byte a line.
#![no_main]

use std::sync::OnceLock;

use haymark_fuzz::study::assert_import;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// More lines take longer and show nothing new.
const MOST: usize = 48;

fuzz_target!(|choices: &[u8]| {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    let lines = LINES.get_or_init(|| lines().iter().map(Value::to_string).collect());
    let chosen = choices.iter().take(MOST).map(|choice| &lines[usize::from(*choice) % lines.len()]);
    let text: String = chosen.flat_map(|line| [line, "\n"]).collect();
    assert_import(text.as_bytes());
});

fn lines() -> Vec<Value> {
    let mut lines = corpus();
    for version in [1, 2, 3] {
        let own = own_protocol(version);
        lines.push(json!({"type": "protocol", "name": "own", "version": version, "text": own}));
        lines.push(
            json!({"type": "protocol", "name": "own", "version": version, "text": own, "guideline": "Read."}),
        );
    }
    lines.extend(coverage_judgments());
    lines.extend(own_judgments());
    lines
}

fn corpus() -> Vec<Value> {
    vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "collection", "id": "e", "title": "E"}),
        json!({"type": "document", "collection": "c", "id": "d", "number": 1, "text": "One. Two."}),
        json!({"type": "document", "collection": "c", "id": "f", "number": 2, "text": ""}),
        json!({"type": "document", "collection": "e", "id": "d", "number": 2, "text": "One."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        json!({"type": "query", "collection": "c", "id": "r", "text": "?"}),
        json!({"type": "query", "collection": "e", "id": "q", "text": "!"}),
        json!({"type": "unit", "collection": "c", "query": "q", "id": "u", "kind": "insight", "text": "One.",
            "documents": ["d"], "evidence": [{"document": "d", "quote": "One."}]}),
        json!({"type": "unit", "query": "q", "id": "u", "kind": "insight", "text": "One."}),
        json!({"type": "unit", "query": "r", "id": "v", "kind": "keypoint", "text": "Two.", "documents": []}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "s", "text": "- one\n- two"}),
        json!({"type": "candidate", "query": "r", "id": "s", "text": "- one"}),
        json!({"type": "annotator", "id": "a", "kind": "human"}),
        json!({"type": "annotator", "id": "m", "kind": "model"}),
    ]
}

/// A protocol of a lab's own; each version asks one question more.
fn own_protocol(version: u32) -> String {
    let head = format!(
        "name = \"own\"\ntitle = \"Own\"\nversion = {version}\nsource = \"\"\ntarget = [\"unit\"]\ngroup = \"query\"\n\
         [layout]\nabove = [\"query\"]\nleft = []\nright = [\"unit\"]\n"
    );
    let questions = (1..=version).zip(['a', 'c', 'e']).map(|(number, letter)| {
        let next = char::from(letter as u8 + 1);
        format!(
            "[[question]]\nkey = \"q{number}\"\nprompt = \"?\"\nkind = \"choice\"\nchoices = [\n\
             {{ value = \"yes\", label = \"yes\", key = \"{letter}\" }},\n\
             {{ value = \"no\", label = \"no\", key = \"{next}\" }},\n]\n"
        )
    });
    head + &questions.collect::<String>()
}

/// The day that a judgment was given on; none for 0.
fn dated(mut judgment: Value, day: u32) -> Value {
    if day > 0 {
        judgment["at"] = json!(format!("2026-01-0{day}T09:00:00Z"));
    }
    judgment
}

fn coverage_judgments() -> Vec<Value> {
    let says = [
        json!({"answers": {"coverage": "full", "bullet": 1}}),
        json!({"answers": {"coverage": "partial", "bullet": null}, "seconds": 2.5}),
        json!({"answers": {"coverage": "none"}}),
        json!({"answers": {"coverage": "none", "bullet": [1, 2]}, "flagged": true}),
        json!({"answers": {"bullet": 2}}),
        json!({"answers": {}, "skipped": true}),
        json!({"answers": {}, "comment": "why?"}),
    ];
    let mut judgments = Vec::new();
    for say in says {
        for day in 0..3 {
            let mut judgment = json!({"type": "judgment", "protocol": "coverage", "annotator": "a", "collection": "c",
                "query": "q", "unit": "u", "candidate": "s"});
            for (key, value) in say.as_object().into_iter().flatten() {
                judgment[key] = value.clone();
            }
            judgments.push(dated(judgment, day));
        }
    }
    judgments
}

fn own_judgments() -> Vec<Value> {
    let mut judgments = Vec::new();
    for version in [None, Some(1), Some(2), Some(3)] {
        for answers in
            [json!({"q1": "yes"}), json!({"q1": "no", "q2": "yes"}), json!({"q3": "no", "q2": "no"})]
        {
            for day in 0..3 {
                let mut judgment = json!({"type": "judgment", "protocol": "own", "annotator": "m", "unit": "u",
                    "answers": answers});
                if let Some(version) = version {
                    judgment["version"] = json!(version);
                }
                judgments.push(dated(judgment, day));
            }
        }
    }
    judgments
}
