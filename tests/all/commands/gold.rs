//! Gold through the built program: adjudications come in, what counts goes out, scores and agreement read it.

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries, without_names};

impl Desk {
    /// A study in which two people judge three insights of one summary, and differ on two of them.
    fn disputed() -> Desk {
        let desk = Desk::new();
        let judged = |who: &str, unit: &str, answers: Value| {
            json!({"type":"judgment","protocol":"coverage","annotator":who,"query":"q","unit":unit,"candidate":"s",
                   "answers":answers,"seconds":2.5,"at":"2026-01-05T09:30:00Z"})
        };
        let unit = |id: &str, document: &str| json!({"type":"unit","query":"q","id":id,"kind":"insight","text":id,"documents":[document]});
        let document = |number: u32| json!({"type":"document","collection":"c","id":format!("d{number}"),"number":number,"text":"text"});
        let records = [
            json!({"type":"collection","id":"c"}),
            document(1),
            document(2),
            json!({"type":"query","collection":"c","id":"q","text":"What?"}),
            unit("u1", "d1"),
            unit("u2", "d2"),
            unit("u3", "d1"),
            json!({"type":"candidate","query":"q","id":"s","summarizer":"m","text":"- one [1]\n- two [1]"}),
            json!({"type":"annotator","id":"ann","kind":"human"}),
            json!({"type":"annotator","id":"ben","kind":"human"}),
            judged("ann", "u1", json!({"coverage":"full","bullet":1})),
            judged("ann", "u2", json!({"coverage":"full","bullet":2})),
            judged("ann", "u3", json!({"coverage":"none"})),
            judged("ben", "u1", json!({"coverage":"full","bullet":1})),
            judged("ben", "u2", json!({"coverage":"none"})),
            judged("ben", "u3", json!({"coverage":"partial","bullet":2})),
        ];
        desk.import("study.jsonl", &records);
        desk
    }

    /// carol decides about the second insight: partially covered by the second bullet.
    fn decide(&self) {
        let carol = json!({"type":"annotator","id":"carol","kind":"human"});
        let decision = json!({"type":"adjudication","protocol":"coverage","annotator":"carol","query":"q","unit":"u2",
            "candidate":"s","answers":{"coverage":"partial","bullet":2},"reason":"ambiguous item","note":"half, \"said\"",
            "at":"2026-01-06T09:30:00Z"});
        self.import("decided.jsonl", &[carol, decision]);
    }
}

#[test]
fn gold_is_written_with_its_source_and_leaves_out_what_is_open() {
    let desk = Desk::disputed();
    let export = ["export", "study.db", "--what", "gold", "--names", "--with-text"];
    let first: Value = serde_json::from_str(&desk.out(&export)).expect("one line");
    assert_eq!(
        first,
        json!({"type":"gold","protocol":"coverage","version":1,"collection":"c","query":"q","unit":"u1","candidate":"s",
               "answers":{"bullet":1,"coverage":"full"},"source":"unanimous","annotators":2})
    );
    assert_eq!(
        desk.told(&export),
        "coverage: Gold by the rule \"all agree\": 1 unanimous; 2 unresolved (2 on which they differ) are left out \
         (--with-unresolved writes them).\ncoverage: Warning: 2 of 3 items have no gold by this rule; `haymark adjudicate \
         STUDY --as NAME` settles them.\n"
    );
    desk.decide();
    let lines: Vec<Value> =
        desk.out(&export).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["answers"], json!({"coverage":"partial","bullet":2}));
    let source = ["source", "adjudicator", "reason", "note"].map(|key| lines[1][key].clone());
    assert_eq!(
        source,
        [json!("adjudicated"), json!("carol"), json!("ambiguous item"), json!("half, \"said\"")]
    );

    let csv = desk.out(&[&export[..], &["--format", "csv", "--with-unresolved"]].concat());
    assert_eq!(
        csv,
        "protocol,version,collection,query,document,unit,candidate,bullet_number,coverage,bullet,source,annotators,\
         adjudicator,took,reason,note\n\
         coverage,1,c,q,,u1,s,,full,1,unanimous,2,,,,\n\
         coverage,1,c,q,,u2,s,,partial,2,adjudicated,2,carol,,ambiguous item,\"half, \"\"said\"\"\"\n\
         coverage,1,c,q,,u3,s,,,,unresolved,2,,,,\n"
    );
}

#[test]
fn the_rule_decides_what_one_or_most_say() {
    let desk = Desk::disputed();
    let cora = json!({"type":"annotator","id":"cora","kind":"human"});
    let third = json!({"type":"judgment","protocol":"coverage","annotator":"cora","query":"q","unit":"u3","candidate":"s",
        "answers":{"coverage":"none"}});
    desk.import("third.jsonl", &[cora, third]);
    let majority = desk.out(&["export", "study.db", "--what", "gold", "--rule", "majority of 3"]);
    let sources: Vec<String> = majority
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|line| format!("{} {} {}", line["unit"], line["answers"]["coverage"], line["source"]))
        .collect();
    // u1: 2 of 2 say full; u2: 1 of 2 each; u3: 2 of 3 say none.
    assert_eq!(sources, [r#""u1" "full" "unanimous""#, r#""u3" "none" "majority""#]);
    for (arguments, status, words) in [
        (["export", "study.db", "--what", "gold", "--rule", "most"], 2, "is no rule for gold"),
        (
            ["export", "study.db", "--what", "all", "--rule", "all agree"],
            2,
            "--rule has no use for --what all; it is for gold",
        ),
        (["export", "study.db", "--what", "all", "--format", "csv"], 2, "--format csv has no use"),
        (["score", "study.db", "--by", "system", "--rule", "all agree"], 2, "--rule is for gold"),
    ] {
        let output = desk.run(&arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn scores_and_agreement_read_gold_as_an_annotator() {
    let desk = Desk::disputed();
    desk.decide();
    let tables: Value = serde_json::from_str(&desk.out(&[
        "score",
        "study.db",
        "--protocol",
        "coverage",
        "--annotators",
        "gold",
        "--format",
        "json",
    ]))
    .expect("JSON");
    let table = if tables.is_array() { &tables[0] } else { &tables };
    // Gold: u1 full by bullet 1, which cites 1 = gold: F1 100. u2 partial by bullet 2, which cites 1, gold 2: F1 0.
    // u3 is open. Coverage (100 + 50) / 2, joint (100 × 1 + 50 × 0) / 2, citation (100 + 0) / 2.
    let row = &table["rows"][0];
    assert_eq!(
        [&row["coverage"], &row["joint"], &row["citation"]],
        [&json!(75.0), &json!(50.0), &json!(50.0)]
    );
    let notes = table["notes"].to_string();
    assert!(
        notes.contains("1 unanimous, 1 adjudicated; 1 unresolved (1 on which they differ) are left out"),
        "{notes}"
    );

    let found = desk.agreement(&["agree", "study.db", "--annotators", "ben,gold", "--question", "coverage"]);
    assert_eq!(found["annotators"], json!(["ben", "gold"]));
    // ben and gold share u1 (full, full) and u2 (none, partial): 1 of 2.
    assert_eq!(found["pairs"][0]["items"], json!(2));
    assert_eq!(found["pairs"][0]["percent_agreement"], json!(0.5));
}

#[test]
fn adjudications_go_round_byte_by_byte_and_older_judgments_stay() {
    let desk = Desk::disputed();
    let before = desk.out(&["export", "study.db"]);
    desk.decide();
    let after = desk.out(&["export", "study.db"]);
    // With the file that the verdicts came from.
    let is_hers = |line: &&str| line.contains("carol") || line.contains("{\"type\":\"import\"");
    let others = |export: &str| -> Vec<String> {
        export.lines().filter(|line| !is_hers(line)).map(str::to_owned).collect()
    };
    assert_eq!(others(&after), others(&before), "every record from before is there as it was");
    assert!(without_names(&after).ends_with(
        "{\"type\":\"adjudication\",\"protocol\":\"coverage\",\"annotator\":\"carol\",\"collection\":\"c\",\"query\":\"q\",\
         \"unit\":\"u2\",\"candidate\":\"s\",\"answers\":{\"bullet\":2,\"coverage\":\"partial\"},\"reason\":\"ambiguous item\",\
         \"note\":\"half, \\\"said\\\"\",\"at\":\"2026-01-06T09:30:00Z\"}\n"
    ));
    std::fs::write(desk.path("first.jsonl"), &after).expect("written");
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), after);
}

/// Nobody said how u2 and u3 are settled; then the summary is written anew, and what was said of it is in no number. Another
/// summary stays.
#[test]
fn scores_of_gold_name_what_they_lack() {
    let desk = Desk::disputed();
    let other = json!({"type":"candidate","query":"q","id":"t","summarizer":"m","text":"- three [1]"});
    let said = ["ann", "ben"].map(|who| {
        json!({"type":"judgment","protocol":"coverage","annotator":who,"query":"q","unit":"u1","candidate":"t",
               "answers":{"coverage":"none"}})
    });
    desk.import("other.jsonl", &[&[other], &said[..]].concat());
    let notes = || {
        desk.json(&["score", "study.db", "--annotators", "gold", "--table", "scores"])["notes"].to_string()
    };
    // Of s two insights, of t the two that nobody judged.
    let told = notes();
    assert!(
        told.contains("Insights without gold in texts that have some, and not in the scores: 4 (q t: u2, u3; q s: u2, u3)."),
        "{told}"
    );
    assert!(told.contains("2 unanimous; 2 unresolved (2 on which they differ)"), "{told}");
    assert!(!told.contains("revised"), "{told}");
    let text = json!({"type":"candidate","query":"q","id":"s","summarizer":"m","text":"- another [1]"});
    desk.records("new.jsonl", &[text]);
    desk.out(&["revise", "study.db", "new.jsonl", "--as", "lena", "--reason", "wrong"]);
    let told = notes();
    assert!(told.contains("revised since (--all-versions counts them), in no number: 6."), "{told}");
    assert!(told.contains(": 1 unanimous."), "{told}");
}

/// That an item cannot be judged is no answer that people agree on: of k1 one answer is left, of k2 none.
#[test]
fn what_nobody_could_judge_is_unresolved() {
    let desk = Desk::new();
    let question = "[[question]]\nkey = \"ok\"\nprompt = \"Ok?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n\
                    { value = \"yes\", label = \"yes\", key = \"y\" },\n{ value = \"no\", label = \"no\", key = \"n\" },\n]\n";
    let protocol = about_summaries("ok", 1, "query", question);
    let protocol = protocol.replacen("[layout]", "include = [\"cannot_judge\"]\n[layout]", 1);
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"protocol","name":"ok","version":1,"text":protocol,"guideline":"# Ok\n"}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
        json!({"type":"annotator","id":"ben","kind":"human"}),
    ];
    let (yes, cannot) = (json!({"ok":"yes"}), json!({"cannot_judge":"blurred"}));
    for (id, said) in [("k1", [&yes, &cannot]), ("k2", [&cannot; 2]), ("k3", [&yes; 2])] {
        records.push(json!({"type":"candidate","query":"q","id":id,"summarizer":id,"text":"- it"}));
        for (who, answers) in ["ann", "ben"].iter().zip(said) {
            records.push(json!({"type":"judgment","protocol":"ok","annotator":who,"query":"q","candidate":id,"answers":answers}));
        }
    }
    desk.import("study.jsonl", &records);
    let told = desk.json(&["score", "study.db", "--annotators", "gold"])["notes"].to_string();
    assert!(
        told.contains(
            "1 unanimous; 2 unresolved (1 judged by one only, 1 that nobody could judge) are left out."
        ),
        "{told}"
    );
    let all = desk.out(&["export", "study.db", "--what", "gold", "--with-unresolved"]);
    let sources: Vec<(Value, Value)> = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line"))
        .map(|line| (line["candidate"].clone(), line["annotators"].clone()))
        .collect();
    assert_eq!(sources, [("k1", 1), ("k2", 0), ("k3", 2)].map(|(id, count)| (json!(id), json!(count))));
}
