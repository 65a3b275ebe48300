//! A protocol that asks every kind of question there is, and exists only here.

use haymark::protocol::{Answer, Quote};
use haymark::text::span::Span;
use serde_json::{Value, json};

use crate::harness::{Desk, confusion};

const WHOLE: &str = r#"name = "whole"
title = "All there is to ask"
version = 1
source = "a test"
target = ["candidate", "unit"]
units = ["insight"]
group = "candidate"

[layout]
above = ["query"]
left = ["documents"]
right = ["unit", "units", "candidate"]

[[question]]
key = "grade"
prompt = "How well?"
kind = "choice"
scale = "ordinal"
choices = [
  { value = "low", label = "low", key = "l", score = 0 },
  { value = "mid", label = "mid", key = "m", score = 5 },
  { value = "high", label = "high", key = "h", score = 10 },
]

[[question]]
key = "bullets"
prompt = "By"
kind = "bullet"
several = true
ask_when = { question = "grade", is = ["high"] }

[[question]]
key = "flaws"
prompt = "Flaws"
kind = "tags"
required = false
tags = [
  { value = "vague", label = "vague", key = "v" },
  { value = "wrong", label = "wrong", key = "w" },
  { value = "other", label = "other", key = "x" },
]

[[question]]
key = "more"
prompt = "What else"
kind = "text"
hotkey = "e"
starts_with = "unit"
reveals = "answer"
ask_when = { question = "flaws", is = ["other"] }

[[question]]
key = "where"
prompt = "Where"
kind = "passages"
hotkey = "d"
required = false

[[question]]
key = "points"
prompt = "Points"
kind = "points"
hotkey = "a"
required = false

[[question]]
key = "also"
prompt = "Which others"
kind = "units"
units = ["insight"]
required = false
ask_when = { question = "grade", is = ["low", "mid"] }

[[rule]]
when = { question = "flaws", is = ["wrong"] }
then = { question = "grade", is = ["low"] }
message = "what is wrong cannot be better than low"
"#;

const TEXT: &str = "They slept badly. 茶 helped.";

/// The passage from one byte to another of the document, as answers hold it.
fn passage(start: usize, end: usize) -> Quote {
    Quote::of("d1", TEXT, Span::new(TEXT, start, end).expect("graphemes"))
}

/// Three insights and two summaries, the protocol, and five items judged by two people.
fn judged() -> Desk {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type":"collection","id":"exam"}),
        json!({"type":"document","collection":"exam","id":"d1","number":1,"text":TEXT}),
        json!({"type":"query","collection":"exam","id":"sleep","text":"What of sleep?"}),
    ];
    for id in ["u1", "u2", "u3"] {
        records.push(json!({"type":"unit","collection":"exam","query":"sleep","id":id,"kind":"insight",
            "text":id,"documents":["d1"],"meta":{"answer":"tea"}}));
    }
    for id in ["c1", "c2"] {
        records.push(json!({"type":"candidate","collection":"exam","query":"sleep","id":id,
            "summarizer":"s","text":"- Bad sleep [1]\n- Tea [1]"}));
    }
    for id in ["ann", "ben"] {
        records.push(json!({"type":"annotator","id":id,"kind":"human"}));
    }
    desk.records("corpus.jsonl", &records);
    desk.out(&["import", "study.db", "corpus.jsonl"]);
    desk.file("whole.toml", WHOLE);
    assert!(
        desk.out(&["protocol", "check", "whole.toml"]).contains("no mistakes; \"whole\", version 1, asks 7")
    );
    desk.file("whole.md", "# All\n");
    desk.out(&["protocol", "add", "study.db", "whole.toml", "--guideline", "whole.md"]);
    desk.records("judgments.jsonl", &judgments());
    let told = desk.out(&["import", "study.db", "judgments.jsonl"]);
    assert!(told.ends_with(": 10 judgments came in\n"), "not a remark: {told}");
    desk
}

fn judgments() -> Vec<Value> {
    let badly = passage(5, 16);
    let tea = passage(18, 21);
    let places = Answer::Passages(vec![badly.clone(), tea.clone()]).to_json();
    let bare = json!([{"document":"d1","quote":"helped"}]);
    let point = |passages: Value| json!([{"text":"Sleep:\n\t\"bad\" 睡","passages":passages}, {"text":"Tea","passages":[]}]);
    let said = [
        ("ann", "c1", "u1", json!({"grade":"high","bullets":[1,2],"flaws":["vague"],"where":places})),
        ("ann", "c1", "u2", json!({"grade":"low","flaws":["vague","wrong"],"points":point(json!([]))})),
        ("ann", "c1", "u3", json!({"grade":"mid","flaws":null,"also":["u1","u2"]})),
        ("ann", "c2", "u1", json!({"grade":"low","flaws":["other"],"more":"Rude.\nVery."})),
        ("ann", "c2", "u2", json!({"grade":"low","flaws":["vague"],"where":null,"points":null,"also":null})),
        ("ben", "c1", "u1", json!({"grade":"high","bullets":[1],"flaws":["vague"],"where":bare})),
        ("ben", "c1", "u2", json!({"grade":"low","flaws":["wrong"],"points":point(places.clone())})),
        ("ben", "c1", "u3", json!({"grade":"low","flaws":null,"also":["u1"]})),
        ("ben", "c2", "u1", json!({"grade":"low","flaws":["vague"]})),
        ("ben", "c2", "u2", json!({"grade":"low"})),
    ];
    said.into_iter().map(|(who, candidate, unit, answers)| judgment(who, candidate, unit, answers)).collect()
}

fn judgment(annotator: &str, candidate: &str, unit: &str, answers: Value) -> Value {
    json!({"type":"judgment","protocol":"whole","annotator":annotator,"collection":"exam","query":"sleep",
        "unit":unit,"candidate":candidate,"answers":answers,"at":"2026-01-05T09:30:00Z"})
}

#[test]
fn every_kind_of_answer_goes_round() {
    let desk = judged();
    let first = desk.out(&["export", "study.db"]);
    let exported: Vec<Value> = first
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["type"] == "judgment")
        .map(|record| record["answers"].clone())
        .collect();
    let given: Vec<Value> = judgments().into_iter().map(|record| record["answers"].clone()).collect();
    assert_eq!(exported, given, "nothing is lost on the way in and out");
    desk.file("first.jsonl", &first);
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), first);
    assert!(desk.out(&["import", "second.db", "first.jsonl"]).contains("nothing new"));
}

#[test]
fn each_tag_is_agreed_on_by_itself() {
    let desk = judged();
    let tags = desk.agreements(&["agree", "study.db", "--protocol", "whole", "--question", "flaws"]);
    let names: Vec<&Value> = tags.iter().map(|tag| &tag["tag"]).collect();
    assert_eq!(names, ["vague", "wrong", "other"]);
    for tag in &tags {
        assert_eq!(
            (&tag["question"], &tag["scale"], &tag["categories"]),
            (&json!("flaws"), &json!("nominal"), &json!(["no", "yes"]))
        );
        // The fifth item was tagged by ann only.
        assert_eq!(
            (&tag["items"], &tag["used"][0]["count"], &tag["ratings"]),
            (&json!(5), &json!(4), &json!(9))
        );
    }
    // On the four items that both tagged, ann gives vague to the first two, ben to the first and the
    // fourth: 2 of 4 equal, and chance is 1/2 · 1/2 + 1/2 · 1/2 = 1/2, so kappa is 0.
    // Both give wrong to the second item only: kappa 1.
    // Other is given by ann once and by ben never: 3 of 4 equal, chance 3/4 · 1 + 1/4 · 0 = 3/4, kappa 0.
    let tables = [[[1, 1], [1, 1]], [[3, 0], [0, 1]], [[3, 0], [1, 0]]];
    for (tag, (table, kappa)) in tags.iter().zip(tables.into_iter().zip([0.0, 1.0, 0.0])) {
        assert_eq!(confusion(tag, "ann", "ben"), table, "{}", tag["tag"]);
        let found = tag["pairs"][0]["cohen_kappa"].as_f64().expect("a number");
        assert!((found - kappa).abs() < 1e-12, "{}: {found}", tag["tag"]);
    }
    let printed = desk.out(&["agree", "study.db", "--question", "flaws"]);
    assert!(printed.contains("whole · flaws · wrong (nominal)\n4 items in 1 query compared"), "{printed}");
    let csv = desk.out(&["agree", "study.db", "--question", "flaws", "--format", "csv"]);
    assert!(csv.lines().next().expect("a header").starts_with("table,protocol,question,tag,"), "{csv}");
}

#[test]
fn what_cannot_be_agreed_on_is_passed_over_or_refused_by_name() {
    let desk = judged();
    let agreed = desk.agreements(&["agree", "study.db", "--protocol", "whole"]);
    let subjects: Vec<(&Value, &Value)> =
        agreed.iter().map(|comparison| (&comparison["question"], &comparison["tag"])).collect();
    let expected = [
        (json!("grade"), Value::Null),
        (json!("flaws"), json!("vague")),
        (json!("flaws"), json!("wrong")),
        (json!("flaws"), json!("other")),
    ];
    assert_eq!(subjects, expected.each_ref().map(|(question, tag)| (question, tag)));
    for (question, expected) in [
        ("bullets", "it takes bullets; --question grade says how far the bullets agree too"),
        ("also", "it takes any number of units; ask about one unit at a time with a choice question"),
        ("more", "it takes what people write or select; read the answers side by side"),
    ] {
        let (status, told) = desk.fails(&["agree", "study.db", "--question", question]);
        assert!(status == 2 && told.contains(expected) && told.trim_end().lines().count() == 1, "{told}");
    }
    for question in ["where", "points"] {
        let table = desk.json(&["agree", "study.db", "--question", question]);
        assert_eq!((&table["table"], &table["question"]), (&json!("passages"), &json!(question)), "{table}");
    }
    let (status, told) = desk.fails(&["agree", "study.db", "--question", "mood"]);
    assert!(status == 1 && told.contains("answered a question \"mood\""), "{told}");
}

#[test]
fn the_choice_beside_them_is_agreed_on_and_scored() {
    let desk = judged();
    let grade = desk.agreement(&["agree", "study.db", "--question", "grade"]);
    // Rows are ann's low, mid and high; ben says low to what ann calls mid.
    assert_eq!(confusion(&grade, "ann", "ben"), [[3, 0, 0], [1, 0, 0], [0, 0, 1]]);
    // Ten answers, two an item: seven low, one mid, two high; their mean is (7 · 0 + 5 + 2 · 10) / 10 = 2.5.
    let scored = desk.json(&["score", "study.db", "--protocol", "whole"]);
    let tables = scored.as_array().cloned().unwrap_or_else(|| vec![scored.clone()]);
    let rows = tables.iter().map(|table| &table["rows"][0]);
    let row = rows.into_iter().find(|row| !row["share_low"].is_null()).expect("the shares of the grades");
    assert_eq!(
        (&row["share_low"], &row["share_mid"], &row["share_high"]),
        (&json!(70.0), &json!(10.0), &json!(20.0))
    );
    assert_eq!((&row["mean_score"], &row["items"], &row["judgments"]), (&json!(2.5), &json!(5), &json!(10)));
}

#[test]
fn broken_rules_are_kept_and_told() {
    let desk = judged();
    let broken = [
        (json!({"grade":"high","bullets":[1],"flaws":["wrong"]}), "what is wrong cannot be better than low"),
        (
            json!({"grade":"low","flaws":["vague"],"more":"x"}),
            "\"more\" has the answer \"x\" although it is not asked",
        ),
        (json!({"grade":"low","flaws":["other"]}), "\"more\" has no answer although it is asked"),
        (
            json!({"grade":"low","where":[{"document":"d1","start":1,"end":6,"quote":"slept"}]}),
            "the passage \"slept\" of document \"d1\" does not stand there at byte 1",
        ),
    ];
    for (answers, expected) in broken {
        desk.records("broken.jsonl", &[judgment("ben", "c2", "u3", answers.clone())]);
        let fresh = format!("{}.db", expected.len());
        std::fs::copy(desk.path("study.db"), desk.path(&fresh)).expect("a copy");
        let told = desk.out(&["import", &fresh, "broken.jsonl"]);
        assert!(told.contains("1 judgment came in\n  to be looked at (1):\n    line 1: ben on "), "{told}");
        assert!(told.contains(expected), "{told}");
        let exported = desk.out(&["export", &fresh, "--what", "judgments", "--names", "--with-text"]);
        let last: Value = serde_json::from_str(exported.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["answers"], answers, "kept as it was given");
    }
    for (answers, expected) in [
        (json!({"grade":"low","flaws":["rude"]}), "[\"rude\"] is no answer to \"flaws\""),
        (json!({"grade":"high","bullets":[1,3]}), "\"bullets\" names bullet 3, but the candidate has 2"),
        (
            json!({"grade":"low","also":["u9"]}),
            "\"also\" names unit \"u9\", which query \"sleep\" does not have",
        ),
        (
            json!({"grade":"low","points":[{"text":"a","passages":[{"document":"d9","quote":"a"}]}]}),
            "document \"d9\"",
        ),
        (json!({"grade":"low","points":["a"]}), "[\"a\"] is no answer to \"points\""),
    ] {
        desk.records("bad.jsonl", &[judgment("ben", "c2", "u3", answers)]);
        let (status, told) = desk.fails(&["import", "study.db", "bad.jsonl"]);
        assert!(status == 1 && told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn the_examples_of_the_template_are_a_protocol_too() {
    let desk = Desk::new();
    let template = desk.out(&["protocol", "new", "ours"]);
    let is_example = |line: &str| line.starts_with('#') && !line.starts_with("# ");
    let uncovered: Vec<&str> = template
        .lines()
        .map(|line| if is_example(line) { line.trim_start_matches('#') } else { line })
        .collect();
    assert_eq!(
        uncovered.iter().filter(|line| **line == "[[question]]").count(),
        10,
        "two, a scale, the other six kinds, and passages of the candidate"
    );
    // The parts and the pane that the comments say the examples need.
    let text = uncovered
        .join("\n")
        .replace("target = [\"candidate\", \"unit\"]", "target = [\"candidate\", \"unit\", \"document\"]")
        .replace("version = 1", "version = 2")
        // Digits are those of bullets, passages and points here, and so no steps of a scale.
        .replace("include = [\"confidence\", ", "include = [")
        .replace("ends = [\"garbled\", \"crystal clear\"]", "")
        .replace(
            "scale = \"1..5\"",
            "choices = [{ value = \"a\", label = \"no\", key = \"n\" }, { value = \"b\", label = \"yes\", key = \"y\" }]",
        )
        .replace("right = [\"unit\", \"candidate\"]", "right = [\"unit\", \"units\", \"candidate\"]");
    desk.file("ours.toml", &text);
    let told = desk.out(&["protocol", "check", "ours.toml"]);
    assert!(told.contains("no mistakes; \"ours\", version 2, asks 11"), "the ready one too: {told}");
    let known = [
        "documents",
        "evidence",
        "several",
        "hotkey",
        "starts_with",
        "reveals",
        "tags",
        "passages",
        "units",
        "required",
        "ask_when",
        "scale",
        "choices",
        "when",
        "then",
        "message",
        "unit_name",
        "include",
        "in",
        "severity",
        "ends",
        "adds",
        "was",
        "joins",
        "reword",
    ];
    for key in known {
        let begins = format!("{key} = ");
        assert!(uncovered.iter().any(|line| line.starts_with(&begins)), "the template does not show {key}");
    }
}

/// Two scales, and what cannot be judged.
const SCALES: &str = r#"name = "quality"
title = "Quality"
version = 1
source = "a test"
target = ["candidate"]
group = "query"
include = ["cannot_judge"]
[layout]
above = ["query"]
left = ["documents"]
right = ["candidate"]
[[question]]
key = "fluent"
prompt = "Fluent"
kind = "choice"
scale = "1..5"
ends = ["garbled", "flawless"]
[[question]]
key = "useful"
prompt = "Useful"
kind = "choice"
scale = "0..10"
"#;

#[test]
fn scales_are_averaged_and_what_cannot_be_judged_is_counted_and_in_no_number() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.file("quality.toml", SCALES);
    desk.out(&["protocol", "add", "study.db", "quality.toml"]);
    let judged = |who: &str, candidate: &str, answers: Value| {
        json!({"type":"judgment","protocol":"quality","annotator":who,"collection":"exam","query":"stress",
               "candidate":candidate,"answers":answers})
    };
    let mut lines = Vec::new();
    for (number, (one, other)) in [(4, 4), (2, 3), (5, 5), (1, 2)].into_iter().enumerate() {
        let candidate = format!("stress-{}", number + 1);
        let given = |step: i32| json!({"fluent": step.to_string(), "useful": (2 * step).to_string()});
        lines.push(judged("alice", &candidate, given(one)));
        lines.push(judged("bora", &candidate, given(other)));
    }
    lines.push(judged("alice", "stress-5", json!({"cannot_judge":"it is cut off"})));
    desk.records("judged.jsonl", &lines);
    assert!(desk.out(&["import", "study.db", "judged.jsonl"]).contains("9 judgments came in"));

    let tables =
        desk.out(&["score", "study.db", "--protocol", "quality", "--by", "query", "--format", "json"]);
    let tables: Value = serde_json::from_str(&tables).expect("JSON");
    let row = &tables[0]["rows"][0];
    // Of four summaries: 4, 2.5, 5, 1.5.
    assert_eq!((&row["items"], &row["mean_score"]), (&json!(4), &json!(3.25)), "{tables}");
    let heading = desk.out(&["score", "study.db", "--protocol", "quality", "--format", "csv"]);
    assert!(
        heading.find("mean_score").expect("there") < heading.find("share_1").expect("there"),
        "the mean first"
    );
    assert!(tables.to_string().contains("cannot be judged, in no number: 1"), "{tables}");
    // What counts has no such reason, so a table of the texts would say that nothing was written.
    assert!(!tables.to_string().contains("(cannot_judge)"), "{tables}");

    let agreed = desk.out(&["agree", "study.db", "--protocol", "quality", "--question", "fluent"]);
    for told in [
        "ICC(2,1)",
        "ICC(2,k)",
        "alpha, interval",
        "quadratic weights",
        "1 judgment saying that it cannot be judged",
    ] {
        assert!(agreed.replace('\n', " ").contains(told), "{told}: {agreed}");
    }
    // A decision that it cannot be judged is in no number either, and is counted as people's are.
    let mut decided = judged("alice", "stress-5", json!({"cannot_judge":"it is cut off"}));
    (decided["type"], decided["took"]) = (json!("adjudication"), json!("alice"));
    desk.records("decided.jsonl", &[decided]);
    desk.out(&["import", "study.db", "decided.jsonl"]);
    let gold = desk.json(&["score", "study.db", "--protocol", "quality", "--annotators", "gold"]).to_string();
    assert!(gold.contains("cannot be judged, in no number: 1") && !gold.contains("is not known"), "{gold}");
    let status = desk.json(&["status", "study.db", "--protocol", "quality"]);
    assert!(status.to_string().contains("9"), "what cannot be judged is done: {status}");
    // A step that the scale does not have.
    desk.records("bad.jsonl", &[judged("bora", "stress-5", json!({"fluent":"6","useful":"1"}))]);
    let (status, told) = desk.fails(&["import", "study.db", "bad.jsonl"]);
    assert!(status == 1 && told.contains("\"6\" is no answer to \"fluent\""), "{told}");
}

#[test]
fn agreement_on_marked_passages_is_told_by_characters_and_by_spans() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let table = desk.json(&["agree", "study.db", "--protocol", "hallucination"]);
    let rows = table["rows"].as_array().expect("rows");
    let of = |tag: &str| rows.iter().find(|row| row["tag"] == tag).expect(tag);
    // Both mark the same relation and nothing else as one.
    assert_eq!((&of("relation")["f1"], &of("relation")["exact_f1"]), (&json!(1.0), &json!(1.0)), "{table}");
    assert_eq!(of("name")["f1_undefined"], "no_spans", "{table}");
    assert_eq!((&of("any")["texts"], &of("any")["texts_unmarked"]), (&json!(6), &json!(2)), "{table}");
    // Extraction: passages of documents, without tags.
    let points = desk.json(&["agree", "study.db", "--protocol", "extraction"]);
    assert!(points["rows"][0]["overlap_f1"].is_number(), "{points}");
    let scores = desk.json(&["score", "study.db", "--protocol", "hallucination"]);
    assert!(scores[0]["rows"][0]["per_hundred_any"].is_number(), "{scores}");
    for (answer, told) in [
        (
            json!([{"quote":"ten","tag":"mood","severity":"minor"}]),
            "has the tag \"mood\"; give one of name, number",
        ),
        (json!([{"quote":"ten","tag":"number"}]), "has no \"severity\"; give one of"),
        (json!([{"document":"d1","quote":"ten","tag":"number","severity":"minor"}]), "is no answer"),
    ] {
        let judged = json!({"type":"judgment","protocol":"hallucination","annotator":"alice","collection":"exam",
            "query":"planning","candidate":"planning-1","answers":{"invented":answer}});
        desk.records("bad.jsonl", &[judged]);
        let (status, said) = desk.fails(&["import", "study.db", "bad.jsonl"]);
        assert!(status == 1 && said.contains(told), "{said}");
    }
}

const SUBTOPICS: &str = r#"name = "subtopics"
title = "Subtopics"
version = 1
source = "a test"
target = ["unit"]
units = ["insight"]
group = "query"

[layout]
above = []
left = ["query"]
right = ["unit", "units"]

[[question]]
key = "under"
prompt = "Under"
kind = "units"
units = ["subtopic"]
among = "collection"
required = false
"#;

/// Units of all queries of the collection are chosen from, and what nobody or two insights took is listed.
#[test]
fn units_of_all_queries_are_chosen_from() {
    let desk = Desk::new();
    std::fs::write(desk.path("subtopics.toml"), SUBTOPICS).expect("written");
    let record = |value: Value| format!("{value}\n");
    let mut text = record(json!({"type": "collection", "id": "c"}));
    for query in ["q/1", "q2"] {
        text += &record(json!({"type": "query", "collection": "c", "id": query, "text": query}));
        for (id, kind) in [("i", "insight"), ("s", "subtopic"), ("t", "subtopic")] {
            let said = format!("{kind} {id} of {query}");
            text += &record(
                json!({"type": "unit", "collection": "c", "query": query, "id": id, "kind": kind, "text": said}),
            );
        }
    }
    text += &record(json!({"type": "annotator", "id": "ann", "kind": "human"}));
    text += &record(json!({"type": "collection", "id": "other"}));
    text += &record(json!({"type": "query", "collection": "other", "id": "q2", "text": "elsewhere"}));
    text += &record(
        json!({"type": "unit", "collection": "other", "query": "q2", "id": "x", "kind": "subtopic", "text": "far"}),
    );
    std::fs::write(desk.path("units.jsonl"), text).expect("written");
    desk.out(&["import", "study.db", "units.jsonl"]);
    desk.out(&["protocol", "add", "study.db", "subtopics.toml"]);
    let said = |query: &str, names: Value| {
        record(
            json!({"type": "judgment", "protocol": "subtopics", "annotator": "ann", "collection": "c", "query": query,
            "unit": "i", "answers": {"under": names}}),
        )
    };
    std::fs::write(desk.path("wrong.jsonl"), said("q2", json!(["q2/x"]))).expect("written");
    let (_, told) = desk.fails(&["import", "study.db", "wrong.jsonl"]);
    assert!(told.contains(r#""under" names unit "q2/x""#), "{told}");
    let both = said("q/1", json!(["q/1/s", "q2/t"])) + &said("q2", json!(["q2/t", "q2/s"]));
    std::fs::write(desk.path("both.jsonl"), both).expect("written");
    desk.out(&["import", "study.db", "both.jsonl"]);
    let rows = desk.json(&["check", "study.db", "--map"])["rows"].clone();
    let told: Vec<(&str, &str, &str)> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().expect("a text");
            (text("query"), text("unit"), text("stands_in"))
        })
        .collect();
    assert_eq!(told, [("q/1", "t", "none"), ("q2", "t", "q/1/i, q2/i")]);
    // A judge is asked about the same units.
    let request = desk.out(&[
        "export",
        "study.db",
        "--what",
        "judge-requests",
        "--protocol",
        "subtopics",
        "--as",
        "judge",
        "--model",
        "m",
    ]);
    for text in ["subtopic s of q/1", "subtopic t of q2"] {
        assert_eq!(request.matches(text).count(), 2, "{text}: {request}");
    }
    assert!(!request.contains("far"), "{request}");
}
