//! Retrievers: against the shared oracle, where it is at hand, and from files to the table.

use std::collections::{BTreeMap, BTreeSet};

use haymark::score::{Measure, RankedScores, citation_ceiling};
use serde_json::{Value, json};

use crate::harness::{Desk, shared_text};

fn same(name: &Value, path: &str, found: Measure, expected: &Value) {
    match (found, expected.as_f64()) {
        (Ok(found), Some(wanted)) => {
            assert!((found - wanted).abs() <= 1e-9, "{name} {path}: {found} {wanted}")
        }
        (found, wanted) => assert_eq!(found.ok(), wanted, "{name} {path}"),
    }
}

fn keys(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(Value::to_string).collect()
}

/// The lists that are given in their order; those by scores are of who makes the list.
#[test]
fn lists_are_scored_as_by_the_oracle() {
    let Some(text) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&text).expect("the oracle is JSON");
    let cases = oracle["cases"].as_array().expect("cases").iter();
    let (mut lists, mut units) = (0, 0);
    for case in cases.filter(|case| case["measure"] == "retrieval" || case["measure"] == "citation_ceiling") {
        let (name, input) = (&case["name"], &case["input"]);
        for (at, query) in input["queries"].as_array().expect("queries").iter().enumerate() {
            let expected = &case["expected"]["queries"][at.to_string()];
            if case["measure"] == "retrieval" && query["ranking"].is_array() {
                let grades = query["grades"].as_object().expect("grades").iter();
                let grades: BTreeMap<String, f64> =
                    grades.map(|(key, grade)| (key.clone(), grade.as_f64().expect("a grade"))).collect();
                let depths: Vec<usize> = input["k"]
                    .as_array()
                    .expect("depths")
                    .iter()
                    .filter_map(Value::as_u64)
                    .map(|k| k as usize)
                    .collect();
                let from = input["relevant_from"].as_f64().expect("a grade");
                let found = RankedScores::of(&keys(&query["ranking"]), &grades, &depths, from);
                same(name, "rr", found.reciprocal_rank, &expected["rr"]);
                same(name, "ap", found.average_precision, &expected["ap"]);
                for (depth, at) in depths.iter().zip(&found.at) {
                    let of = |key: &str| &expected[format!("{key}@{depth}")];
                    same(name, "hit", at.hit, of("hit"));
                    same(name, "p", Ok(at.precision), of("p"));
                    same(name, "r", at.recall, of("r"));
                    same(name, "ndcg", at.ndcg, of("ndcg"));
                    same(name, "ndcg_linear", at.ndcg_linear, of("ndcg_linear"));
                }
                lists += 1;
            }
            if case["measure"] == "citation_ceiling" && query["budget"].is_null() {
                let given: BTreeSet<String> = keys(&query["retrieved"]).into_iter().collect();
                for (unit, gold) in query["units"].as_object().expect("units") {
                    let found = citation_ceiling(&given, &keys(gold).into_iter().collect());
                    same(name, unit, found, &expected["units"][unit]);
                    units += 1;
                }
            }
        }
    }
    assert!(lists >= 7 && units >= 8, "{lists} lists, {units} units");
}

/// Two retrievers on two queries. People call d2 and d3 answers to q1; q2 has none that is judged.
fn lists() -> Desk {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    for number in 1..=4 {
        records.push(json!({"type": "document", "collection": "c", "id": format!("d{number}"), "number": number, "text": "It runs."}));
    }
    for query in ["q1", "q2"] {
        records.push(json!({"type": "query", "collection": "c", "id": query, "text": "When?"}));
    }
    let list = |query: &str, retriever: &str, documents: &[&str]| {
        let places: Vec<Value> = documents.iter().map(|key| json!({"document": key})).collect();
        json!({"type": "ranking", "collection": "c", "query": query, "retriever": retriever, "documents": places})
    };
    records.extend([
        list("q1", "bm25", &["d1", "d2"]),
        list("q1", "dense", &["d3", "d2", "d1"]),
        list("q2", "bm25", &["d4"]),
    ]);
    desk.import("lists.jsonl", &records);
    desk
}

#[test]
fn people_judge_the_first_of_each_list_and_retrievers_are_scored() {
    let desk = lists();
    let listed = desk.out(&["protocol", "list", "study.db"]);
    let line = listed.lines().find(|line| line.starts_with("retrieval")).expect("the protocol");
    // d1, d2, d3 of q1, and d4 of q2: not d4 of q1, which nobody found.
    assert!(line.split_whitespace().any(|word| word == "4"), "{line}");
    let said = |query: &str, document: &str, label: &str| {
        json!({"type": "judgment", "protocol": "retrieval", "annotator": "ana",
        "collection": "c", "query": query, "document": document, "answers": {"relevance": label}})
    };
    desk.import(
        "said.jsonl",
        &[
            said("q1", "d1", "no"),
            said("q1", "d2", "answers"),
            said("q1", "d3", "related"),
            said("q2", "d4", "no"),
        ],
    );
    let table = desk.json(&["score", "study.db", "--retrieval", "2"]);
    let rows = table["rows"].as_array().expect("rows");
    let (bm25, dense) = (&rows[0], &rows[1]);
    let near = |row: &Value, key: &str, wanted: f64| {
        let found = row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!((found - wanted).abs() < 1e-9, "{key}: {found} {wanted}");
    };
    assert_eq!(
        (&bm25["retriever"], &bm25["queries"], &dense["queries"]),
        (&json!("bm25"), &json!(2), &json!(1))
    );
    // bm25: d2 at rank 2 of two relevant ones; of q2 nothing is relevant. P@2 is of both queries: 1/2 and 0.
    near(bm25, "mrr", 50.0);
    near(bm25, "map", 25.0);
    near(bm25, "p_2", 25.0);
    near(bm25, "r_2", 50.0);
    // (2² − 1) / log₂ 3 by 3 + 1 / log₂ 3.
    near(bm25, "ndcg_2", 100.0 * (3.0 / 3.0_f64.log2()) / (3.0 + 1.0 / 3.0_f64.log2()));
    near(dense, "mrr", 100.0);
    near(dense, "map", 100.0);
    let printed = desk.out(&["score", "study.db", "--retrieval"]);
    assert!(
        printed.contains("nDCG@10") && printed.contains("people judged under \"retrieval\""),
        "{printed}"
    );
}

#[test]
fn without_lists_or_judgments_it_is_said_what_to_do() {
    let desk = lists();
    let (_, told) = desk.fails(&["score", "study.db", "--retrieval"]);
    assert!(told.contains("which documents are relevant") && told.contains("protocol retrieval"), "{told}");
    desk.import("unit.jsonl", &[json!({"type": "unit", "collection": "c", "query": "q1", "id": "u", "kind": "insight", "text": "i",
        "documents": ["d2", "d4"]})]);
    let table = desk.json(&["score", "study.db", "--retrieval", "2"]);
    // One of the two documents is in the list: 2 · 1 / (1 + 2).
    let most = table["rows"][0]["joint_ceiling"].as_f64().expect("a ceiling");
    assert!((most - 200.0 / 3.0).abs() < 1e-9, "{table}");
    desk.out(&["demo", "--copy", "demo.db"]);
    let (_, none) = desk.fails(&["score", "demo.db", "--retrieval"]);
    assert!(none.contains("no list of a retriever"), "{none}");
}
