//! Scores as data against the shared oracle, where it is at hand.

use std::collections::BTreeMap;

use haymark::agreement::Intervals;
use haymark::browse::{BrowseTable, RuleScore, ScoredRow, Tables, WhoCounts};
use haymark::protocol::{Protocol, score_sheet};
use haymark::score::ClusterKind;
use haymark::store::StudyFile;
use haymark::study::AnnotatorKind;
use serde_json::{Value, json};

use crate::harness::{Desk, project, shared_text};

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The oracle. Its protocols have names of their own where haymark has one of that name that asks something else.
fn oracle() -> Option<Value> {
    let mut json = shared_text("oracles/scores.json")?;
    for name in ["nuggets", "nugget-importance", "claims"] {
        for quote in ["\"", "\\\""] {
            json = json.replace(&format!("{quote}{name}{quote}"), &format!("{quote}own-{name}{quote}"));
        }
    }
    Some(serde_json::from_str(&json).expect("the oracle is JSON"))
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
    let Some(oracle) = oracle() else { return };
    let mut compared = 0;
    for case in oracle["cases"].as_array().expect("cases") {
        let tables = tables(&oracle, case);
        let (options, name) = (&case["options"], text(case, "name"));
        let rules = score_sheet(text(case, "scores")).expect(name).rules;
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
    let Some(oracle) = oracle() else { return };
    for case in oracle["refused"].as_array().expect("cases") {
        let protocol = text(&oracle["protocols"], text(case, "protocol"));
        let refused =
            Protocol::parse(&format!("{protocol}\n{}", text(case, "scores")), "").and_then(|protocol| {
                let tables = tables(&oracle, case);
                tables.score_rules(&protocol.name, &protocol.scores.rules).map(|_| ())
            });
        let error = refused.expect_err(text(case, "name")).to_string();
        assert!(error.contains("score") || error.contains("\"a\""), "{error}");
    }
}

/// The scores of the protocols that have tables of their own, as data and in these tables.
const SAME: &[(&str, &[(&str, &str)])] = &[
    (
        "coverage",
        &[
            ("joint", "joint"),
            ("coverage", "coverage"),
            ("citation", "citation"),
            ("precision", "precision"),
            ("recall", "recall"),
            ("words_per_bullet", "words_per_bullet"),
        ],
    ),
    ("refinement", &[("share_needed", "share_needed"), ("edit_distance", "mean_distance")]),
];

/// What was computed by code of its own for each paper, and what the files of scores say, are the same numbers.
#[test]
fn scores_as_data_are_those_of_the_tables() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let mut compared = 0;
    for (protocol, names) in SAME {
        let file = project(&format!("assets/scores/{protocol}.toml")).to_string_lossy().into_owned();
        for by in ["query", "system"] {
            for annotators in ["alice,bora", "gold"] {
                let all =
                    ["score", "study.db", "--protocol", protocol, "--by", by, "--annotators", annotators];
                let read = |more: &[&str]| desk.json(&[&all[..], more].concat());
                let (tables, scores) = (read(&["--full"]), read(&["--scores", &file]));
                for (own, column) in *names {
                    compared += same_column(&tables, &scores, (by, own, column));
                }
            }
        }
    }
    assert!(compared > 100, "{compared} numbers");
}

/// The tables of a command's JSON, which is a table where there is one.
fn listed(json: &Value) -> Vec<&Value> {
    json.as_array().map_or_else(|| vec![json], |tables| tables.iter().collect())
}

/// Compares a column of the first table that has it; gives the number of its numbers.
fn same_column(tables: &Value, scores: &Value, (by, own, column): (&str, &str, &str)) -> usize {
    let is_meant = |table: &&Value| table["by"] == json!([by]) && table["rows"][0].get(column).is_some();
    let Some(table) = listed(tables).into_iter().find(is_meant) else { return 0 };
    let rows = listed(scores)[0]["rows"].as_array().expect("rows");
    let mut compared = 0;
    for row in table["rows"].as_array().expect("rows") {
        let other = rows.iter().find(|other| other[by] == row[by]);
        for end in ["", "_low", "_high"] {
            let (value, name) = (&row[format!("{column}{end}")], format!("{own}{end}"));
            let found = other.map_or(&Value::Null, |other| &other[&name]);
            let same = found.as_f64().map_or(value.is_null() && found.is_null(), |found| close(found, value));
            assert!(same, "{name} of {}: {found} {value}", row[by]);
            compared += usize::from(value.is_number());
        }
    }
    compared
}

/// Two people on three units: the study of `weighted`, judged under a protocol of its own with two scores.
#[test]
fn a_protocol_with_scores_of_its_own_ranks_and_pivots_by_them() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let shown = desk.out(&["protocol", "show", "coverage"]).replace("name = \"coverage\"", "name = \"mine\"");
    let scores = "\n[[score]]\nname = \"any\"\nvalue = \"coverage:full or coverage:partial\"\n\
                  [[score]]\nname = \"none\"\nvalue = \"coverage:none\"\nbetter = \"low\"\n";
    desk.file("mine.toml", format!("{shown}{scores}"));
    assert!(desk.out(&["protocol", "check", "mine.toml"]).contains("no mistakes"));
    desk.out(&["protocol", "add", "study.db", "mine.toml"]);
    let judgments = desk.judgments("study.db", "coverage", "alice");
    let renamed = |mut judgment: Value| {
        judgment["protocol"] = json!("mine");
        judgment.as_object_mut().expect("an object").remove("version");
        judgment
    };
    desk.import("mine.jsonl", &judgments.into_iter().map(renamed).collect::<Vec<_>>());
    let tables = desk.json(&["score", "study.db", "--protocol", "mine"]);
    let first = listed(&tables)[0];
    for row in first["rows"].as_array().expect("rows") {
        let sum = row["any"].as_f64().expect("a score") + row["none"].as_f64().expect("a score");
        assert!((sum - 100.0).abs() < 1e-9, "{row}");
    }
    let ranked = desk.json(&["score", "study.db", "--protocol", "mine", "--annotators", "each", "--full"]);
    let ranks = |measure: &str| -> Vec<(String, u64)> {
        let is_meant = |table: &&Value| table["measure"] == measure && table["rows"][0].get("rank").is_some();
        let table = listed(&ranked).into_iter().find(is_meant).expect(measure);
        let rows = table["rows"].as_array().expect("rows").iter().filter(|row| row["judged_by"] == "alice");
        let rank = |row: &Value| (text(row, "system").to_owned(), row["rank"].as_u64().expect("a rank"));
        let mut ranks: Vec<(String, u64)> = rows.map(rank).collect();
        ranks.sort();
        ranks
    };
    // The smallest share of none is the best: the same order as by the largest share of any.
    assert_eq!(ranks("any"), ranks("none"));
    let pivot =
        desk.out(&["score", "study.db", "--protocol", "mine", "--by", "summarizer,retriever", "--pivot"]);
    assert!(
        pivot.contains("any %: summarizer by retriever") && pivot.contains("* is the best of its column"),
        "{pivot}"
    );
    // Coverage in both is the mean of the labels' scores: what people say goes with itself.
    let against = ["score", "study.db", "--protocol", "mine", "--against", "any"];
    let rows = listed(&desk.json(&against))[0]["rows"].as_array().expect("rows").clone();
    let any = rows.iter().find(|row| row["score"] == "any" && row["level"] == "summary").expect("any");
    assert!((any["pearson"].as_f64().expect("r") - 1.0).abs() < 1e-9, "{any}");
    let (_, told) = desk.fails(&["score", "study.db", "--protocol", "mine", "--count", "covrage:full"]);
    assert!(told.contains("did you mean"), "{told}");
}
