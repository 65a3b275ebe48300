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
