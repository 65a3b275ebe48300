//! Scores as data beyond their values: what is refused, who is named, and where they are drawn.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries};

fn demo() -> Desk {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    desk
}

/// The rows of the only table.
fn rows(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    desk.json(arguments)["rows"].as_array().expect("rows").clone()
}

const COUNTED: [&str; 6] = ["score", "study.db", "--protocol", "coverage", "--count", "coverage"];

/// Three units of which one has no topic, one an empty one: 0, 100 and 50.
#[test]
fn no_value_and_an_empty_one_are_two_columns() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "s", "summarizer": "all", "text": "- it"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    for (unit, meta, label) in [
        ("u1", json!({}), "none"),
        ("u2", json!({"topic": ""}), "full"),
        ("u3", json!({"topic": "all"}), "partial"),
    ] {
        records.push(json!({"type": "unit", "collection": "c", "query": "q", "id": unit, "kind": "insight", "text": "i", "meta": meta}));
        records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": "ana", "collection": "c", "query": "q",
            "candidate": "s", "unit": unit, "answers": {"coverage": label}}));
    }
    desk.import("study.jsonl", &records);
    let pivot = desk.json(&[&COUNTED[..], &["--by", "system,unit.meta.topic", "--pivot"]].concat());
    let row = &pivot["rows"][0];
    // A group that is called as the totals are keeps its number.
    assert_eq!(
        (&row["(none)"], &row["\"\""], &row["all"], &row["all_"]),
        (&json!(0.0), &json!(100.0), &json!(50.0), &json!(50.0))
    );
}

#[test]
fn what_a_study_does_not_have_is_refused_where_it_is_named() {
    let desk = demo();
    let shown = desk.out(&["protocol", "show", "coverage"]).replace("name = \"coverage\"", "name = \"mine\"");
    let score = |value: &str| {
        desk.file("mine.toml", format!("{shown}\n[[score]]\nname = \"a\"\nvalue = {value:?}\n"));
        desk.fails(&["protocol", "check", "mine.toml", "study.db"]).1
    };
    assert!(score("unit.meta.nosuch").contains("there is no field or question"));
    assert!(score("coverage@nobody:full").contains("there is no annotator"));
    // Without a study nobody can tell.
    assert!(desk.out(&["protocol", "check", "mine.toml"]).contains("no mistakes"));
    let counted = |more: &[&str]| desk.fails(&[&COUNTED[..], more].concat()).1;
    let cut = counted(&["--once", "unit", "--cluster", "summary", "--by", "summarizer"]);
    assert!(cut.contains("stands in several clusters"), "{cut}");
    desk.file("none.toml", "");
    let (_, empty) = desk.fails(&["score", "study.db", "--protocol", "coverage", "--scores", "none.toml"]);
    assert!(empty.contains("no [[score]]"), "{empty}");
    desk.file(
        "beside.toml",
        "[[score]]\nname = \"a\"\nvalue = \"coverage\"\n[[score]]\nname = \"a_low\"\nvalue = \"coverage\"\n",
    );
    let (_, beside) = desk.fails(&["score", "study.db", "--protocol", "coverage", "--scores", "beside.toml"]);
    assert!(beside.contains("line 5") && beside.contains("already"), "{beside}");
    desk.file("group.toml", "[[score]]\nname = \"query\"\nvalue = \"coverage\"\n");
    let (_, group) = desk.fails(&[
        "score",
        "study.db",
        "--protocol",
        "coverage",
        "--scores",
        "group.toml",
        "--by",
        "query",
    ]);
    assert!(group.contains("give it another"), "{group}");
    desk.file("system.toml", "[[score]]\nname = \"system\"\nvalue = \"coverage\"\n");
    let (_, system) = desk.fails(&["score", "study.db", "--protocol", "coverage", "--scores", "system.toml"]);
    assert!(system.contains("give it another"), "{system}");
    desk.file("names.toml", "[nosuch]\na = \"b\"\n");
    let (_, names) = desk.fails(&["score", "study.db", "--display", "names.toml"]);
    assert!(names.contains("[nosuch] is no field"), "{names}");
}

#[test]
fn a_score_that_names_a_person_is_handed_on_without_the_name() {
    let desk = demo();
    let asked = ["--among", "coverage@alice:full", "--by", "summarizer"];
    let markdown = desk.out(&[&COUNTED[..], &asked, &["--format", "markdown"]].concat());
    assert!(markdown.contains("coverage@A1:full") && !markdown.contains("alice"), "{markdown}");
    // The same of a score in a protocol's file, in tables, figures and the report.
    let shown = desk.out(&["protocol", "show", "coverage"]).replace("name = \"coverage\"", "name = \"mine\"");
    desk.file("mine.toml", format!("{shown}\n[[score]]\nname = \"hers\"\nvalue = \"coverage@alice:full\"\n"));
    desk.out(&["protocol", "add", "study.db", "mine.toml"]);
    let mut judgments = desk.judgments("study.db", "coverage", "alice");
    for judgment in &mut judgments {
        judgment["protocol"] = json!("mine");
        judgment.as_object_mut().expect("an object").remove("version");
    }
    desk.import("mine.jsonl", &judgments);
    let table = desk.out(&["score", "study.db", "--protocol", "mine", "--format", "latex"]);
    assert!(table.contains("hers"), "{table}");
    desk.out(&["plot", "study.db", "systems/mine/hers", "--figures", "figures"]);
    desk.out(&["report", "study.db", "-o", "report.html"]);
}

/// What was decided, else what more than half say: the same in a filter, as a group and in a score.
#[test]
fn the_majority_is_one_thing() {
    let desk = demo();
    let items = |more: &[&str]| {
        let table = desk.json(&[&COUNTED[..], more].concat());
        table["total"]["items"].as_u64().expect("a count")
    };
    let among = items(&["--among", "coverage@majority:full"]);
    assert_eq!(items(&["--filter", "coverage@majority:full"]), among);
    let groups = rows(&desk, &[&COUNTED[..], &["--by", "coverage@majority"]].concat());
    let full = groups.iter().find(|row| row["coverage@majority"] == "full").expect("some are");
    assert_eq!(full["items"], among);
    // With the protocol named, as docs/filters.md has it.
    let kept = ["score", "study.db", "--protocol", "entailment", "--table", "key_point_recall"];
    let filtered = |filter: &str| rows(&desk, &[&kept[..], &["--filter", filter]].concat());
    assert_eq!(filtered("unit.keypoint.validity:agree"), filtered("unit.validity:agree"));
}

/// Systems whose numbers differ by rounding alone are tied.
#[test]
fn equal_numbers_have_no_order() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    for (at, query) in ["q1", "q2", "q3"].iter().enumerate() {
        records.push(json!({"type": "query", "collection": "c", "id": query, "text": "?"}));
        for (place, system) in ["a", "b", "c"].iter().enumerate() {
            // 0.1, 0.2 and 0.3 in another order for each: sums that differ in their last digit.
            let number = [0.1, 0.2, 0.3][(at + place) % 3];
            let id = format!("{query}-{system}");
            records.push(
                json!({"type": "candidate", "collection": "c", "query": query, "id": id, "summarizer": system,
                "text": "- it", "meta": {"m": number}}),
            );
            let label = ["no", "partially", "yes"][(at + place) % 3];
            records.push(
                json!({"type": "judgment", "protocol": "faithfulness", "annotator": "ana", "collection": "c",
                "query": query, "candidate": id, "answers": {"faithful": label, "comprehensive": "yes"}}),
            );
        }
    }
    desk.import("study.jsonl", &records);
    let found = rows(&desk, &["score", "study.db", "--protocol", "faithfulness", "--against", "meta.m"]);
    let of = |level: &str| {
        found.iter().find(|row| row["score"] == "useful" && row["level"] == level).expect("a row")
    };
    assert_eq!(of("system")["kendall_undefined"], "zero_variance", "{found:?}");
    // Of nine summaries three are useful, those with 0.3: 18 pairs go with each other and none against, of 36 pairs 9 are tied in m
    // and 18 in useful: 18 / sqrt(27 · 18).
    let kendall = of("summary")["kendall"].as_f64().expect("a number");
    assert!((kendall - 18.0 / (27.0_f64 * 18.0).sqrt()).abs() < 1e-9, "{kendall}");
}

#[test]
fn figures_take_two_fields_and_a_machine_s_number() {
    let desk = demo();
    let grid = desk.out(&["plot", "study.db", "grid", "--protocol", "entailment", "--by", "system,query"]);
    assert!(grid.contains("kpr by system and query") && grid.contains("share_missing by"), "{grid}");
    let single = ["--protocol", "coverage", "--filter", "collection=exam", "--by", "collection,system"];
    let (status, told) = desk.fails(&[&["plot", "study.db", "grid"], &single[..]].concat());
    assert_eq!(
        (status, told.contains("only one collection is left of what is judged, exam")),
        (1, true),
        "{told}"
    );
    let against = desk.out(&[
        "plot",
        "study.db",
        "against/coverage/joint",
        "--protocol",
        "coverage",
        "--against",
        "words",
    ]);
    assert!(
        against.contains("coverage: joint by people against words") && against.contains("τ-b"),
        "{against}"
    );
    let (_, nothing) = desk.fails(&["plot", "study.db", "against"]);
    assert!(nothing.contains("--against FIELD"), "{nothing}");
}

#[test]
fn two_rounds_stand_side_by_side() {
    let desk = demo();
    desk.out(&["demo", "--copy", "second.db"]);
    let page = |other: &str| {
        desk.out(&[
            "report",
            "study.db",
            "-o",
            "page.html",
            "--force",
            "--only",
            "rounds",
            "--compare",
            other,
        ]);
        String::from_utf8(desk.bytes("page.html")).expect("UTF-8")
    };
    let same = page("second.db");
    for title in ["Agreement in both rounds", "Scores in both rounds", "What both rounds hold"] {
        assert!(same.contains(title), "{title}");
    }
    // A protocol that was worded anew asks otherwise, and the page says so.
    desk.out(&["demo", "--copy", "third.db"]);
    let failure = desk.out(&["protocol", "show", "failure"]).replacen("version = 1", "version = 2", 1);
    desk.file(
        "failure.toml",
        failure + "\n[[change]]\nversion = 2\nquestion = \"failures\"\nreword = true\n",
    );
    desk.out(&["protocol", "add", "third.db", "failure.toml"]);
    assert!(!same.contains("was not asked alike"));
    assert!(
        page("third.db").contains("failure is version 1 here and version 2 in third, with another text"),
        "{}",
        page("third.db")
    );
    desk.import("one.jsonl", &[json!({"type": "collection", "id": "c"})]);
    desk.file("other.jsonl", "{\"type\":\"collection\",\"id\":\"c\"}\n");
    desk.out(&["import", "empty.db", "other.jsonl"]);
    assert!(!page("empty.db").contains("Scores in both rounds"));
}

/// Two keys that differ in their letters' case alone are two fields.
#[test]
fn a_key_is_what_is_written() {
    let desk = Desk::new();
    let records = [
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        json!({"type": "unit", "collection": "c", "query": "q", "id": "u", "kind": "insight", "text": "i",
            "meta": {"low": 1, "Low": 2}}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "s", "summarizer": "m", "text": "- it"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
        json!({"type": "judgment", "protocol": "coverage", "annotator": "ana", "collection": "c", "query": "q",
            "candidate": "s", "unit": "u", "answers": {"coverage": "full"}}),
    ];
    desk.import("study.jsonl", &records);
    let row = rows(&desk, &[&COUNTED[..], &["--by", "unit.meta.low,unit.meta.Low"]].concat())[0].clone();
    assert_eq!((&row["unit.meta.low"], &row["unit.meta.Low"]), (&json!("1"), &json!("2")));
    let fitting = |filter: &str| rows(&desk, &[&COUNTED[..], &["--filter", filter]].concat()).len();
    assert_eq!(
        (fitting("unit.meta.Low=2"), fitting("unit.meta.low=1"), fitting("unit.meta.LOW=1")),
        (1, 1, 1)
    );
}

/// Twelve summaries in the order of work: the first six are covered, the others are not, and each takes a second longer.
#[test]
fn drift_is_told_over_the_order_of_work() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        json!({"type": "unit", "collection": "c", "query": "q", "id": "u", "kind": "insight", "text": "i"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    for at in 0..12 {
        let id = format!("s{at}");
        records.push(json!({"type": "candidate", "collection": "c", "query": "q", "id": id, "summarizer": id, "text": "- it"}));
        let label = if at < 6 { "full" } else { "none" };
        records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": "ana", "collection": "c", "query": "q",
            "candidate": id, "unit": "u", "answers": {"coverage": label, "bullet": 1}, "seconds": 10 + at,
            "at": format!("2026-01-01T10:{at:02}:00Z")}));
        if label == "none" {
            records.last_mut().expect("a judgment")["answers"] = json!({"coverage": label});
        }
    }
    desk.import("study.jsonl", &records);
    let found = rows(&desk, &["status", "study.db", "--protocol", "coverage", "--full", "--table", "drift"]);
    let of = |what: &str| {
        found.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("{what}: {found:?}"))
    };
    let labels = of("coverage, mean");
    assert_eq!(
        (&labels["numbers"], &labels["first"], &labels["last"]),
        (&json!(12), &json!(100.0), &json!(0.0))
    );
    // 36 pairs fall, of 66 with 30 tied: −36 / √(66 · 36).
    let tau = labels["tau_b"].as_f64().expect("a number");
    assert!((tau + 36.0 / (66.0_f64 * 36.0).sqrt()).abs() < 1e-9, "{tau}");
    assert_eq!(of("seconds")["tau_b"], json!(1.0));
}

/// A person has one name in both rounds, in whatever order they came in there.
#[test]
fn a_person_of_two_rounds_is_one_person() {
    let desk = Desk::new();
    let round = |study: &str, people: [&str; 2], more: &str| {
        let mut records = vec![
            json!({"type": "collection", "id": "c"}),
            json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
            json!({"type": "unit", "collection": "c", "query": "q", "id": "u", "kind": "insight", "text": "i"}),
        ];
        records.extend(
            people
                .iter()
                .chain([&more])
                .map(|name| json!({"type": "annotator", "id": name, "kind": "human"})),
        );
        for at in 0..3 {
            let id = format!("s{at}");
            records.push(json!({"type": "candidate", "collection": "c", "query": "q", "id": id, "summarizer": id, "text": "- it"}));
            // ana judges three, everyone else one.
            for name in people.iter().chain([&more]).filter(|name| at == 0 || **name == "ana") {
                records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": name, "collection": "c", "query": "q",
                    "candidate": id, "unit": "u", "answers": {"coverage": "none"}}));
            }
        }
        let file = desk.records(&format!("{study}.jsonl"), &records);
        desk.out(&["import", study, &file]);
    };
    round("study.db", ["ana", "bo"], "cy");
    round("other.db", ["bo", "ana"], "dee");
    round("third.db", ["A1", "bo"], "dee");
    let told = |other: &str| {
        let page = format!("{other}.html");
        desk.out(&["report", "study.db", "-o", &page, "--only", "rounds", "--compare", other]);
        let page = String::from_utf8(desk.bytes(&page)).expect("UTF-8");
        let texts = page.split('<').filter_map(|part| part.split_once('>').map(|(_, text)| text.trim()));
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let text = told("other.db");
    assert!(text.contains("A1 · person judgments 3 3 0 "), "{text}");
    assert!(
        text.contains("A2 · person judgments 1 1 0 ") && !text.contains("A3 · person judgments"),
        "{text}"
    );
    // Somebody of the other round is really called A1, and is not the one who is told so here.
    let text = told("third.db");
    assert!(text.contains("A2 · person judgments") && !text.contains("A1 · person judgments"), "{text}");
}

/// A response whose citations nobody has judged yet has no precision, and none that is 0; one that cites nothing has 0.
#[test]
fn what_cites_and_is_not_judged_yet_has_no_precision() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
    ];
    for (id, text) in [("cites", "- Stone is grey [1].\n- It is hard [1]."), ("bare", "- Stone is grey.")] {
        let system = format!("system-{id}");
        records.push(json!({"type": "candidate", "collection": "c", "query": "q", "id": id, "summarizer": system, "text": text}));
        records.push(json!({"type": "judgment", "protocol": "statement-support", "annotator": "ann", "collection": "c", "query": "q",
            "candidate": id, "bullet": 1, "answers": {"joint": "full"}}));
    }
    desk.import("records.jsonl", &records);
    let of = |system: &str| {
        let tables =
            desk.json(&["score", "study.db", "--protocol", "statement-support", "--by", "system", "--full"]);
        let tables = match tables {
            Value::Array(tables) => tables,
            table => vec![table],
        };
        let rows = tables.iter().flat_map(|table| table["rows"].as_array().cloned().unwrap_or_default());
        rows.into_iter().find(|row| row["system"] == system && row.get("precision").is_some()).expect("a row")
    };
    assert_eq!(of("system-bare")["precision"], 0.0);
    assert!(of("system-cites")["precision"].is_null(), "{}", of("system-cites"));
}

#[test]
fn a_pair_has_no_field_of_a_single_summary() {
    let desk = demo();
    for by in [
        "response_length",
        "candidate.words",
        "retriever",
        "candidate.system",
        "candidate.order",
        "candidate.retriever",
    ] {
        let asked = ["score", "study.db", "--protocol", "preference", "--by", by, "--table", "preferences"];
        let rows = rows(&desk, &asked);
        assert!(!rows.is_empty() && rows.iter().all(|row| row[by].is_null()), "{by}: {rows:?}");
    }
    // Each of two systems has its row whatever is asked for.
    let plain = desk.out(&["score", "study.db", "--protocol", "preference"]);
    let by_system = desk.out(&["score", "study.db", "--protocol", "preference", "--by", "system"]);
    assert!(!by_system.contains("(none)") && by_system.contains("A pair is in no group"), "{by_system}");
    assert_eq!(by_system.lines().next(), plain.lines().next());
    // Agreement and figures have all pairs in the one group of what has no value.
    let asked = ["agree", "study.db", "--protocol", "preference", "--by", "candidate.system"];
    let agreement = desk.json(&asked);
    let tables = agreement.as_array().expect("tables").iter();
    let is_grouped =
        |table: &&Value| table["title"].as_str().is_some_and(|title| title.ends_with("by candidate.system"));
    let groups = tables.filter(is_grouped).flat_map(|table| table["rows"].as_array().expect("rows"));
    let groups: Vec<&Value> = groups.map(|row| &row["candidate.system"]).collect();
    assert!(!groups.is_empty() && groups.iter().all(|group| **group == "(none)"), "{groups:?}");
}

#[test]
fn a_pivot_of_plain_labels_has_a_total_over_all() {
    let text = "name = \"tone\"\ntitle = \"Tone\"\nversion = 1\nsource = \"a test\"\ntarget = [\"candidate\"]\n\
                group = \"query\"\nlayout = { above = [\"query\"], left = [], right = [\"candidate\"] }\n[[question]]\n\
                key = \"tone\"\nprompt = \"Warm?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n\
                { value = \"warm\", label = \"warm\", key = \"w\" },\n{ value = \"cold\", label = \"cold\", key = \"c\" },\n]\n";
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "protocol", "name": "tone", "version": 1, "text": text}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    for query in ["q", "r"] {
        records.push(json!({"type": "query", "collection": "c", "id": query, "text": "?"}));
    }
    for (query, system, label) in [("q", "s", "warm"), ("r", "s", "cold"), ("q", "t", "warm")] {
        records.push(json!({"type": "candidate", "collection": "c", "query": query, "id": system, "summarizer": system, "text": "- i"}));
        records.push(json!({"type": "judgment", "protocol": "tone", "annotator": "ana", "collection": "c", "query": query,
            "candidate": system, "answers": {"tone": label}}));
    }
    let desk = Desk::new();
    desk.import("study.jsonl", &records);
    let asked = ["score", "study.db", "--protocol", "tone", "--by", "system,query", "--pivot"];
    let warm = desk.json(&[&asked[..], &["--table", "share_warm"]].concat());
    let total = |column: &str| warm["total"][column].as_f64().expect("a number").round();
    // Of q both are warm, of r none of one, and of all three two.
    assert_eq!([total("q"), total("r"), total("all")], [100.0, 0.0, 67.0], "{warm}");
}

#[test]
fn a_pivot_has_a_title_and_a_name_of_its_own() {
    let desk = demo();
    let asked =
        ["score", "study.db", "--protocol", "faithfulness", "--by", "summarizer,retriever", "--pivot"];
    let tables = desk.json(&asked);
    let tables = tables.as_array().expect("tables");
    let titles: BTreeSet<&str> = tables.iter().filter_map(|table| table["title"].as_str()).collect();
    assert_eq!(titles.len(), tables.len(), "{titles:?}");
    for name in ["useful", "useful %: summarizer by retriever"] {
        assert_eq!(desk.json(&[&asked[..], &["--table", name]].concat())["measure"], "useful");
    }
}

#[test]
fn answers_in_the_evidence_are_printed_where_all_is() {
    let desk = demo();
    let told = |options: &[&str]| {
        desk.out(&[&["score", "study.db", "--protocol", "faithfulness"], options].concat())
    };
    let (brief, full) = (told(&[]), told(&["--full"]));
    assert!(!brief.contains("Answers in the evidence") && brief.contains("--full also prints"), "{brief}");
    assert!(full.contains("Answers in the evidence"), "{full}");
}

/// A collection, a document, a query, a key point, a response with a point of its own; ana says that each is there.
fn one_response(placed: bool) -> Vec<Value> {
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d", "number": 1, "text": "One two."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        json!({"type": "unit", "collection": "c", "query": "q", "id": "k", "kind": "keypoint", "text": "Two.", "documents": ["d"]}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "a", "summarizer": "s", "text": "- Two [1]."}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
        json!({"type": "judgment", "protocol": "entailment", "annotator": "ana", "collection": "c", "query": "q", "unit": "k",
            "candidate": "a", "answers": {"entailed": "yes"}}),
    ];
    if placed {
        records.push(json!({"type": "unit", "collection": "c", "query": "q", "id": "p", "kind": "response point", "candidate": "a", "text": "Two."}));
        records.push(json!({"type": "judgment", "protocol": "placement", "annotator": "ana", "collection": "c", "query": "q", "unit": "p",
            "document": "d", "answers": {"present": "yes"}}));
    }
    records
}

/// A column needs what its own score reads, and not what the others of the file do. A response's own points are of its system.
#[test]
fn columns_have_what_scores_have() {
    for placed in [false, true] {
        let desk = Desk::new();
        desk.import("study.jsonl", &one_response(placed));
        for table in ["systems", "candidates"] {
            let view =
                ["export", "study.db", "--what", "view", "--table", table, "--columns", "name,kpr,kpp,kpf"];
            let row: Value = serde_json::from_str(&desk.out(&view)).expect("a row");
            let found = ["kpr", "kpp", "kpf"].map(|score| row["values"][score].as_f64());
            assert_eq!(
                found,
                [Some(100.0), placed.then_some(100.0), placed.then_some(100.0)],
                "{table}: {row}"
            );
        }
    }
}

/// Of two nuggets one is vital for both people. The other is vital for one, and okay for the other: nobody would drop it, and no
/// score knows which it is.
#[test]
fn a_nugget_that_people_do_not_agree_on_is_said_to_be_in_no_score() {
    let desk = Desk::new();
    let unit = |id: &str| json!({"type": "unit", "collection": "c", "query": "q", "id": id, "kind": "nugget", "text": id});
    let need = |who: &str, unit: &str, label: &str| {
        json!({"type": "judgment", "protocol": "nugget-importance", "annotator": who, "collection": "c", "query": "q",
            "unit": unit, "answers": {"importance": label}})
    };
    let said = |unit: &str, label: &str| {
        json!({"type": "judgment", "protocol": "nuggets", "annotator": "ana", "collection": "c", "query": "q",
            "candidate": "r", "unit": unit, "answers": {"support": label}})
    };
    let person = |id: &str| json!({"type": "annotator", "id": id, "kind": "human"});
    let records = [
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        unit("n1"),
        unit("n2"),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s", "text": "It."}),
        person("ana"),
        person("ben"),
        need("ana", "n1", "vital"),
        need("ben", "n1", "vital"),
        need("ana", "n2", "vital"),
        need("ben", "n2", "okay"),
        said("n1", "support"),
        said("n2", "not"),
    ];
    desk.import("study.jsonl", &records);
    let scores = desk.json(&["score", "study.db", "--protocol", "nuggets", "--table", "nuggets"]);
    let row = &scores["rows"][0];
    assert_eq!((&row["all"], &row["missing"]), (&json!(100.0), &json!(1)), "{row}");
    let notes = scores["notes"].to_string();
    assert!(
        notes.contains("not in all") && notes.contains("vital") && notes.contains("not known: 1"),
        "{notes}"
    );
}

/// Of five key points one is kept, one is not in its document, one was not looked at, and people differ on two. One of these
/// nobody keeps, each for a reason of their own; of the other, and of the one that nobody looked at, it is not known whether
/// people keep it.
#[test]
fn a_key_point_that_people_reject_is_known_not_to_be_kept() {
    let desk = Desk::new();
    let unit = |id: &str| json!({"type": "unit", "collection": "c", "query": "q", "id": id, "kind": "keypoint", "text": id, "documents": ["d"]});
    let kept = |who: &str, unit: &str, answers: Value| {
        json!({"type": "judgment", "protocol": "keypoint", "annotator": who, "collection": "c", "query": "q",
            "document": "d", "unit": unit, "answers": answers})
    };
    let said = |unit: &str| {
        json!({"type": "judgment", "protocol": "entailment", "annotator": "ana", "collection": "c", "query": "q",
            "candidate": "r", "unit": unit, "answers": {"entailed": "yes"}})
    };
    let valid = |validity: &str| json!({"grounded": "yes", "validity": validity});
    let records = [
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d", "number": 1, "text": "One."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        unit("k1"),
        unit("k2"),
        unit("k3"),
        unit("k4"),
        unit("k5"),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s", "text": "It."}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        kept("ana", "k1", valid("agree")),
        kept("ana", "k2", json!({"grounded": "no"})),
        kept("ana", "k4", json!({"grounded": "no"})),
        kept("ben", "k4", valid("disagree")),
        kept("ana", "k5", valid("agree")),
        kept("ben", "k5", valid("disagree")),
        said("k1"),
        said("k2"),
        said("k3"),
        said("k4"),
        said("k5"),
    ];
    desk.import("study.jsonl", &records);
    let scores =
        desk.json(&["score", "study.db", "--protocol", "entailment", "--table", "recall_of_kept_key_points"]);
    assert_eq!(scores["rows"][0]["kpr_kept"], json!(100.0), "{scores}");
    assert!(scores["notes"].to_string().contains("not known: 2."), "{scores}");
}

#[test]
fn a_further_protocol_takes_no_score_away() {
    let desk = demo();
    desk.out(&["demo", "--copy", "two.db"]);
    let scores = || desk.json(&["score", "study.db", "--protocol", "nuggets"]);
    let before = scores();
    // A question of the same key, about units too.
    let need = desk.out(&["protocol", "show", "nugget-importance"]);
    desk.file("need.toml", need.replace("name = \"nugget-importance\"", "name = \"need\""));
    desk.out(&["protocol", "add", "study.db", "need.toml"]);
    assert_eq!(scores(), before);

    // Scores of a study's own protocol may name the question without its protocol.
    let shown = desk.out(&["protocol", "show", "nuggets"]).replace("name = \"nuggets\"", "name = \"mine\"");
    let own = "\n[[score]]\nname = \"share\"\nvalue = \"support:support\"\n\n[[score]]\nname = \"kept\"\nvalue = \"support:support\"\n\
        among = \"unit.importance!=drop\"\n";
    desk.file("mine.toml", format!("{shown}{own}"));
    desk.out(&["protocol", "add", "two.db", "mine.toml"]);
    let judged = json!({"type": "judgment", "protocol": "mine", "annotator": "ana", "collection": "heat-pumps",
        "query": "old-houses", "candidate": "r1", "unit": "n1", "answers": {"support": "support"}});
    desk.records("judged.jsonl", &[json!({"type": "annotator", "id": "ana", "kind": "human"}), judged]);
    desk.out(&["import", "two.db", "judged.jsonl"]);
    let (_, told) = desk.fails(&["protocol", "add", "two.db", "need.toml"]);
    assert!(told.contains("scores of \"mine\" no longer stand") && told.contains("\"kept\""), "{told}");
    // Files of two leads may bring both: then one score is left out, and named.
    desk.out(&["merge", "two.db", "study.db"]);
    let scores = desk.json(&["score", "two.db", "--protocol", "mine", "--table", "scores"]);
    assert_eq!(scores["rows"][0]["share"], 100.0);
    let notes = scores["notes"].to_string();
    assert!(notes.contains("Left out: score") && notes.contains("kept"), "{notes}");
}

/// An alpha of labels with an order and one of labels without are two coefficients, and have no difference.
#[test]
fn alphas_of_two_scales_are_not_compared() {
    let desk = Desk::new();
    for (study, scale) in [("study.db", "ordinal"), ("other.db", "nominal")] {
        let question = format!(
            "[[question]]\nkey = \"n\"\nprompt = \"Errors?\"\nkind = \"choice\"\nscale = \"{scale}\"\nchoices = [\n\
             {{ value = \"none\", label = \"none\", key = \"1\", score = 0 }},\n{{ value = \"few\", label = \"few\", key = \"2\", score = 1 }},\n\
             {{ value = \"many\", label = \"many\", key = \"3\", score = 4 }},\n]\n"
        );
        let protocol = about_summaries("errors", 1, "query", &question);
        let mut records = vec![
            json!({"type": "collection", "id": "c"}),
            json!({"type": "protocol", "name": "errors", "version": 1, "text": protocol, "guideline": "# Errors\n"}),
            json!({"type": "annotator", "id": "ana", "kind": "human"}),
            json!({"type": "annotator", "id": "bo", "kind": "human"}),
            json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
        ];
        for (id, said) in [("k", ["none", "few"]), ("l", ["many", "many"]), ("m", ["few", "few"])] {
            records
                .push(json!({"type": "candidate", "query": "q", "id": id, "summarizer": id, "text": "- it"}));
            for (who, n) in ["ana", "bo"].iter().zip(said) {
                records
                    .push(json!({"type": "judgment", "protocol": "errors", "annotator": who, "query": "q",
                    "candidate": id, "answers": {"n": n}}));
            }
        }
        desk.out(&["import", study, &desk.records(&format!("{study}.jsonl"), &records)]);
    }
    desk.out(&["report", "study.db", "-o", "page.html", "--only", "rounds", "--compare", "other.db"]);
    let page = String::from_utf8(desk.bytes("page.html")).expect("UTF-8");
    assert!(page.contains("α (ordinal; there nominal)"), "{page}");
}
