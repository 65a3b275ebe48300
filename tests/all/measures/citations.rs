//! Citations against the published cases of SummHay, where the shared oracles are at hand.

use std::collections::BTreeSet;

use haymark::text::citation::{citations, cited};
use serde_json::Value;

use crate::harness::shared_text;

/// The oracle, or `None`, said aloud, when it is absent.
fn oracle() -> Option<Value> {
    let json = shared_text("oracles/summhay_scoring.json")?;
    Some(serde_json::from_str(&json).expect("the oracle is JSON"))
}

fn numbers(list: &Value) -> Vec<u32> {
    let list = list.as_array().expect("a list of numbers");
    list.iter()
        .map(|number| number.as_u64().expect("a number"))
        .map(|number| u32::try_from(number).expect("a document number"))
        .collect()
}

#[test]
fn citations_are_parsed_like_the_published_code() {
    let Some(oracle) = oracle() else { return };
    // The first row holds the headings.
    let rows = oracle["citation_parsing"].as_array().expect("a table");
    let mut compared = 0;
    for row in rows.iter().skip(1) {
        let text = row[0].as_str().expect("a text");
        let found: Vec<u32> = citations(text).into_iter().flat_map(|citation| citation.numbers).collect();
        // The published code fails where numbers are separated by a space; metrics §1 reads both.
        let expected = match (text, row[1].is_string()) {
            ("a [1 2]", true) => vec![1, 2],
            _ => numbers(&row[1]),
        };
        assert_eq!(found, expected, "{text}");
        compared += 1;
    }
    assert!(compared >= 18, "only {compared} cases");
}

#[test]
fn linked_bullets_cite_the_published_documents() {
    let Some(oracle) = oracle() else { return };
    let mut compared = 0;
    for case in oracle["cases"].as_array().expect("a list of cases") {
        let expected = case["expected"]["per_insight"].as_array().expect("a list");
        for (label, expected) in case["labels"].as_array().expect("labels").iter().zip(expected) {
            let Some(bullet) = label["bullet"].as_u64() else {
                continue;
            };
            let bullet = usize::try_from(bullet).expect("a bullet number") - 1;
            let text = case["bullets"][bullet].as_str().expect("the linked bullet");
            let documents = BTreeSet::from_iter(numbers(&expected["cited_docs"]));
            assert_eq!(cited(text), documents, "{}: {text}", case["name"]);
            compared += 1;
        }
    }
    assert!(compared >= 30, "only {compared} bullets");
}
