//! Scores as data against the shared oracle, where it is at hand.

use std::collections::BTreeMap;

use haymark::agreement::Intervals;
use haymark::browse::{BrowseTable, RuleScore, ScoredRow, Tables, WhoCounts};
use haymark::protocol::{Protocol, score_rules};
use haymark::score::ClusterKind;
use haymark::store::StudyFile;
use haymark::study::AnnotatorKind;
use serde_json::{Value, json};

use crate::harness::{Desk, shared_text};

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The study of a case: its protocols, then its records.
fn tables(oracle: &Value, case: &Value) -> Tables {
    let protocol = |name: &Value| {
        let name = name.as_str().expect("a name");
        json!({ "type": "protocol", "name": name, "version": 1, "text": text(&oracle["protocols"], name) })
    };
    let protocols = case["protocols"].as_array().expect("names").iter().map(protocol);
    let records: Vec<Value> =
        protocols.chain(case["records"].as_array().into_iter().flatten().cloned()).collect();
    let desk = Desk::new();
    desk.import("case.jsonl", &records);
    let study = StudyFile::open(&desk.path("study.db")).expect("a study");
    let (corpus, judged) = study.whole_study().expect("a whole study");
    Tables::new(corpus, judged, WhoCounts::People)
}

/// The group of each item by some fields; those without a value are a group of their own.
fn labels(tables: &Tables, by: &[&str]) -> Vec<Vec<Option<String>>> {
    let columns: Vec<_> =
        by.iter().map(|name| tables.column(BrowseTable::Items, name).expect(name)).collect();
    let label = |row: usize, column| {
        let label = tables.shown(BrowseTable::Items, row as u32, column);
        Some(label).filter(|label| !label.is_empty())
    };
    let of = |row: usize| columns.iter().map(|column| label(row, *column)).collect();
    (0..tables.len(BrowseTable::Items)).map(of).collect()
}

fn close(found: f64, expected: &Value) -> bool {
    expected.as_f64().is_some_and(|expected| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0))
}

fn check(name: &str, found: Option<&RuleScore>, expected: &Value, reason: &str) {
    let Some(found) = found else {
        assert_eq!(expected["undefined"], "nothing_judged", "{name}");
        return;
    };
    let estimate = found.estimate(Intervals::default());
    match estimate.value {
        Ok(value) => assert!(close(value, &expected["value"]), "{name}: {value} {expected}"),
        Err(why) => {
            let code = match why.code() {
                "nothing_among" | "not_both" if !reason.is_empty() => reason,
                code => code,
            };
            assert_eq!(expected["undefined"], code, "{name}");
            return;
        }
    }
    match estimate.interval.expect("asked for") {
        Ok(interval) => {
            let ends = close(interval.low, &expected["low"]) && close(interval.high, &expected["high"]);
            assert!(ends, "{name}: {interval:?} {expected}");
        }
        Err(why) => assert_eq!(expected["interval_undefined"], why.code(), "{name}"),
    }
    assert_eq!(expected["clusters"], estimate.clusters, "{name}");
}

#[test]
fn scores_are_those_of_the_oracle() {
    let Some(json) = shared_text("oracles/scores.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("the oracle is JSON");
    let mut compared = 0;
    for case in oracle["cases"].as_array().expect("cases") {
        let tables = tables(&oracle, case);
        let (options, name) = (&case["options"], text(case, "name"));
        let rules = score_rules(text(case, "scores")).expect(name);
        let known = tables.score_rules(text(case, "protocol"), &rules).expect(name);
        let by: Vec<&str> = text(options, "by").split(',').filter(|by| !by.is_empty()).collect();
        let labels = labels(&tables, &by);
        let people = tables.corpus().annotators.iter().filter(|(_, who)| who.kind == AnnotatorKind::Human);
        let people: Vec<_> = people.map(|(id, _)| *id).collect();
        let cluster = match text(options, "cluster") {
            "collection" => ClusterKind::Collection,
            _ => ClusterKind::Query,
        };
        for (place, rule) in rules.iter().enumerate() {
            let counts = |row: &ScoredRow| row.annotator.is_none_or(|who| people.contains(&who));
            for expected in case["expected"].as_array().expect("groups") {
                let group: Vec<Option<String>> = expected["group"]
                    .as_array()
                    .expect("a group")
                    .iter()
                    .map(|label| match label {
                        Value::Null => None,
                        Value::String(label) => Some(label.clone()),
                        other => Some(other.to_string()),
                    })
                    .collect();
                let is_in = |row: ScoredRow| group.is_empty() || labels[row.row as usize] == group;
                let found: BTreeMap<u32, RuleScore> =
                    tables.scored_by(&known, place, cluster, |row| (counts(&row) && is_in(row)).then_some(0));
                let what = format!("{name}: {} of {group:?}", rule.name);
                let reason = rule.undefined.as_deref().unwrap_or_default();
                check(&what, found.get(&0), &expected["scores"][&rule.name], reason);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared} numbers");
}

#[test]
fn what_the_oracle_refuses_is_refused() {
    let Some(json) = shared_text("oracles/scores.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("the oracle is JSON");
    for case in oracle["refused"].as_array().expect("cases") {
        let protocol = text(&oracle["protocols"], text(case, "protocol"));
        let refused =
            Protocol::parse(&format!("{protocol}\n{}", text(case, "scores")), "").and_then(|protocol| {
                let tables = tables(&oracle, case);
                tables.score_rules(&protocol.name, &protocol.scores).map(|_| ())
            });
        let error = refused.expect_err(text(case, "name")).to_string();
        assert!(error.contains("score") || error.contains("\"a\""), "{error}");
    }
}
