//! `--filter` and `--by`: what is let through, and what is said where nothing is.

use serde_json::{Value, json};

use crate::harness::Desk;

/// Two questions with gold answers and predicted ones, and a summary of each by two systems; nobody judged anything.
fn answered(desk: &Desk) {
    let mut records = vec![json!({"type": "collection", "id": "c"})];
    for query in ["q1", "-q9"] {
        records.push(json!({"type": "query", "collection": "c", "id": query, "text": "Who?", "meta": {"answers": ["Ada"]}}));
        for (system, answer) in [("alpha", "Ada"), ("beta", "Bob")] {
            records.push(json!({"type": "candidate", "collection": "c", "query": query, "id": format!("{query}-{system}"),
                "summarizer": system, "text": format!("- It was {answer}."), "meta": {"answer": answer}}));
        }
    }
    desk.import("answered.jsonl", &records);
}

fn rows(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    desk.json(arguments)["rows"].as_array().expect("rows").clone()
}

#[test]
fn a_filter_reaches_what_nobody_judges() {
    let desk = Desk::new();
    answered(&desk);
    let score = |table: &'static str, filter: &'static str| {
        rows(&desk, &["score", "study.db", "--table", table, "--filter", filter])
    };
    for table in ["predicted_answers", "answers_in_the_evidence"] {
        assert_eq!(rows(&desk, &["score", "study.db", "--table", table]).len(), 2, "{table}");
        let found = score(table, "summarizer=alpha");
        assert_eq!((found.len(), &found[0]["system"]), (1, &json!("alpha")), "{table}: {found:?}");
    }
    assert_eq!(score("predicted_answers", "query=q1")[0]["predicted"], 1);
    assert_eq!(score("predicted_answers", "query=\"-q9\"")[0]["predicted"], 1);
    // A value that begins with a hyphen is a filter too: all but q1.
    assert_eq!(score("predicted_answers", "-query=q1")[0]["predicted"], 1);
}

#[test]
fn a_filter_that_fits_nothing_says_so_and_offers_what_is_there() {
    let desk = Desk::new();
    answered(&desk);
    let (status, told) = desk.fails(&["score", "study.db", "--filter", "system=nosuch"]);
    assert!(status == 1 && !told.contains("nobody judged"), "{told}");
    let study = desk.sample();
    let asked: [&[&str]; 7] = [
        &["score", study],
        &["score", study, "--annotators", "each"],
        &["agree", study],
        &["judges", study],
        &["export", study, "--what", "gold"],
        &["export", study, "--what", "ratings"],
        &["export", study, "--what", "dataset", "-o", "folder"],
    ];
    for command in asked {
        let fails = |filter: &str| {
            let (status, told) = desk.fails(&[command, &["--filter", filter]].concat());
            assert_eq!((status, told.trim_end().lines().count()), (1, 1), "{command:?} {filter}: {told}");
            told
        };
        let told = fails("query=nosuch");
        assert!(told.contains("no query is called \"nosuch\"") && told.contains("there are "), "{told}");
        assert!(!told.contains("nobody"), "{command:?}: {told}");
        let told = fails("query=strss");
        assert!(told.contains("did you mean stress?"), "{command:?}: {told}");
        let told = fails("query=stress collection=heat-pumps");
        assert!(told.contains("each of its parts fits some"), "{command:?}: {told}");
        let told = fails("joint>100.5");
        assert!(told.contains("joint>100.5 fits none"), "{command:?}: {told}");
    }
    desk.file("ratings.csv", "item,annotator,value,domain\ni,a,yes,law\ni,b,no,law\n");
    for command in ["agree", "judges"] {
        let (status, told) = desk.fails(&[command, "ratings.csv", "--filter", "domain=none"]);
        assert!(status == 1 && told.contains("no line fits the filter"), "{told}");
    }
    for command in ["score", "agree", "judges"] {
        let told = desk.out(&[command, study, "--protocol", "coverage", "--filter", "-query=stress"]);
        assert!(!told.is_empty(), "{command}");
    }
}

#[test]
fn lengths_of_documents_that_are_not_there_are_undefined() {
    let desk = Desk::new();
    answered(&desk);
    let found =
        rows(&desk, &["score", "study.db", "--table", "predicted_answers", "--by", "document_length"]);
    assert_eq!((found.len(), &found[0]["document_length"]), (1, &Value::Null), "{found:?}");
}

/// Two summaries of a query, with a number and a word in their `meta`, and two kinds of units that alice judges.
fn judged_with_meta(desk: &Desk) {
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "Who?", "meta": {"level": "hard"}}),
        json!({"type": "annotator", "id": "alice", "kind": "human"}),
        json!({"type": "annotator", "id": "bora", "kind": "human"}),
    ];
    for (unit, weight) in [("u1", 2), ("u2", 10)] {
        records.push(json!({"type": "unit", "query": "q", "id": unit, "kind": "insight", "text": unit, "meta": {"weight": weight}}));
    }
    for (candidate, meta) in
        [("a", json!({"metrics": {"rouge-L": 9.5}, "cut": true})), ("b", json!({"metrics": {"rouge-L": 10}}))]
    {
        records.push(json!({"type": "candidate", "query": "q", "id": candidate, "summarizer": candidate,
            "text": "- It was Ada.", "meta": meta}));
    }
    let said = [("a", "u1", "full"), ("a", "u2", "none"), ("b", "u1", "none"), ("b", "u2", "full")];
    for (annotator, turns) in [("alice", false), ("bora", true)] {
        for (candidate, unit, label) in said {
            let label = if turns && unit == "u2" { "partial" } else { label };
            records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": annotator, "query": "q",
                "unit": unit, "candidate": candidate, "answers": {"coverage": label, "bullet": if label == "none" { json!(null) } else { json!(1) }}}));
        }
    }
    for record in &mut records {
        if record["answers"]["bullet"].is_null() {
            record.get_mut("answers").and_then(Value::as_object_mut).map(|answers| answers.remove("bullet"));
        }
    }
    desk.import("judged.jsonl", &records);
}

#[test]
fn every_field_is_a_group() {
    let desk = Desk::new();
    judged_with_meta(&desk);
    let by = |name: &str| -> Vec<(Value, Value)> {
        let found =
            rows(&desk, &["score", "study.db", "--protocol", "coverage", "--table", "scores", "--by", name]);
        found.into_iter().map(|row| (row[name].clone(), row["coverage"].clone())).collect()
    };
    // a: (100 + (0 + 50) / 2) / 2; b: (0 + (100 + 50) / 2) / 2. Numbers by size: 9.5 before 10.
    let (a, b) = (62.5, 37.5);
    assert_eq!(by("meta.metrics.rouge-L"), [(json!("9.5"), json!(a)), (json!("10"), json!(b))]);
    assert_eq!(by("candidate.meta.metrics.rouge-L"), by("meta.metrics.rouge-L"));
    assert_eq!(by("meta.cut"), [(Value::Null, json!(b)), (json!("true"), json!(a))]);
    assert_eq!(by("query.meta.level"), [(json!("hard"), json!(50.0))]);
    // Of the units: u1 100 and 0, u2 25 and 75. A summary falls into two parts.
    assert_eq!(by("unit.meta.weight"), [(json!("2"), json!(50.0)), (json!("10"), json!(50.0))]);
    let arguments = [
        "score",
        "study.db",
        "--protocol",
        "coverage",
        "--by",
        "unit.meta.weight,system",
        "--table",
        "scores",
    ];
    let found = desk.json(&arguments);
    let each: Vec<Value> =
        found["rows"].as_array().expect("rows").iter().map(|row| row["coverage"].clone()).collect();
    assert_eq!(each, [json!(100.0), json!(0.0), json!(25.0), json!(75.0)]);
    assert_eq!(found["total"]["summaries"], json!(2), "each counts once: {found}");
    // What most say of an item: of u2 nobody has more than the other.
    assert_eq!(
        by("coverage@majority"),
        [(Value::Null, json!(50.0)), (json!("none"), json!(0.0)), (json!("full"), json!(100.0))]
    );
    let agreed = desk.out(&["agree", "study.db", "--protocol", "coverage", "--by", "unit.meta.weight"]);
    assert!(agreed.contains("unit.meta.weight"), "{agreed}");
    for (name, told) in [
        ("unit.meta.wieght", "did you mean unit.meta.weight?"),
        ("coverage@alice", "coverage@majority is what most say"),
        ("tag", "tag has several labels at once"),
    ] {
        for command in ["score", "agree"] {
            let (status, said) = desk.fails(&[command, "study.db", "--by", name]);
            assert!(status == 2 && said.contains(told), "{command} {name}: {said}");
        }
    }
    // Filters and views know them too.
    let found = rows(
        &desk,
        &[
            "score",
            "study.db",
            "--table",
            "scores",
            "--by",
            "system",
            "--filter",
            "candidate.meta.metrics.rouge-L>9.6",
        ],
    );
    assert_eq!((found.len(), &found[0]["system"]), (1, &json!("b")));
    let view = [
        "export",
        "study.db",
        "--what",
        "view",
        "--table",
        "candidates",
        "--columns",
        "name,meta.metrics.rouge-L",
        "--sort",
        "-meta.metrics.rouge-L",
    ];
    let sheet = desk.out(&[&view[..], &["--format", "csv"]].concat());
    assert!(sheet.lines().nth(1).is_some_and(|line| line.starts_with("b,10")), "{sheet}");
}
