//! `haymark score --annotators each`, on judgments whose scores are worked out by hand.

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries};

/// Two systems, `a` and `b`, with a summary each for two queries of one insight each; every bullet cites just the document
/// that contains the insight, so joint is coverage. Who covers what:
///
/// |       | q1 a | q1 b | q2 a | q2 b | joint a | joint b |
/// | ---   | ---  | ---  | ---  | ---  | ---     | ---     |
/// | alice | full |      | full | full | 100     | 50      |
/// | bora  |      | full | full | full | 50      | 100     |
/// | cem   | full |      |      |      | 50      | 0       |
/// | judge |      |      |      | full | 0       | 50      |
fn study(desk: &Desk) -> &'static str {
    let mut lines = vec![
        r#"{"type":"collection","id":"c"}"#.to_owned(),
        r#"{"type":"document","collection":"c","id":"d1","number":1,"text":"They rest."}"#.to_owned(),
    ];
    for query in ["q1", "q2"] {
        lines.push(format!(r#"{{"type":"query","collection":"c","id":"{query}","text":"What?"}}"#));
        lines.push(format!(
            r#"{{"type":"unit","collection":"c","query":"{query}","id":"u-{query}","kind":"insight","text":"rest","documents":["d1"]}}"#
        ));
        for system in ["a", "b"] {
            lines.push(format!(
                r#"{{"type":"candidate","collection":"c","query":"{query}","id":"{query}-{system}","summarizer":"{system}","text":"- They rest [1]"}}"#
            ));
        }
    }
    for (annotator, kind, covered) in [
        ("alice", "human", ["q1-a", "q2-a", "q2-b"].as_slice()),
        ("bora", "human", &["q1-b", "q2-a", "q2-b"]),
        ("cem", "human", &["q1-a"]),
        ("judge", "model", &["q2-b"]),
    ] {
        lines.push(format!(r#"{{"type":"annotator","id":"{annotator}","kind":"{kind}"}}"#));
        for (query, system) in [("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "b")] {
            let candidate = format!("{query}-{system}");
            let answers = match covered.contains(&candidate.as_str()) {
                true => r#"{"coverage":"full","bullet":1}"#,
                false => r#"{"coverage":"none"}"#,
            };
            lines.push(format!(
                r#"{{"type":"judgment","protocol":"coverage","annotator":"{annotator}","collection":"c","query":"{query}","unit":"u-{query}","candidate":"{candidate}","answers":{answers}}}"#
            ));
        }
    }
    desk.file("study.jsonl", lines.join("\n"));
    desk.out(&["import", "study.db", "study.jsonl"]);
    "study.db"
}

fn table<'a>(tables: &'a Value, title: &str) -> &'a Value {
    let all = tables.as_array().expect("several tables").iter();
    let mut named = all.filter(|table| table["title"].as_str().is_some_and(|other| other.starts_with(title)));
    named.next().expect(title)
}

fn rows(table: &Value) -> &Vec<Value> {
    table["rows"].as_array().expect("rows")
}

#[test]
fn systems_are_ranked_under_everyone() {
    let desk = Desk::new();
    let tables = desk.json(&["score", study(&desk), "--annotators", "each"]);
    let standings = table(&tables, "joint: systems under each annotator");
    let found: Vec<(&str, &str, u64, &str, f64)> = rows(standings)
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().expect("a text");
            let (rank, score) =
                (row["rank"].as_u64().expect("a rank"), row["score"].as_f64().expect("a score"));
            (text("judged_by"), text("whose"), rank, text("system"), score)
        })
        .collect();
    // All people: a is covered 4 times of 6, b 3 times. Majority: q1 a by two of three, q1 b by one, q2 both by two.
    let expected = [
        ("all people", "people", 1, "a", 400.0 / 6.0),
        ("all people", "people", 2, "b", 50.0),
        ("majority", "majority", 1, "a", 100.0),
        ("majority", "majority", 2, "b", 50.0),
        ("alice", "human", 1, "a", 100.0),
        ("alice", "human", 2, "b", 50.0),
        ("bora", "human", 1, "b", 100.0),
        ("bora", "human", 2, "a", 50.0),
        ("cem", "human", 1, "a", 50.0),
        ("cem", "human", 2, "b", 0.0),
        ("judge", "model", 1, "b", 50.0),
        ("judge", "model", 2, "a", 0.0),
    ];
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1, found.2, found.3), (expected.0, expected.1, expected.2, expected.3));
        assert!((found.4 - expected.4).abs() < 1e-9, "{found:?}");
    }
    // Two queries say nothing about others.
    assert!(rows(standings).iter().all(|row| row["score_interval_undefined"] == "too_few_clusters"));

    let told = desk.out(&["score", "study.db", "--annotators", "each"]);
    assert!(told.contains("No intervals: ") && !told.contains("95 % intervals"), "{told}");

    let changes = table(&tables, "joint: rank changes");
    assert_eq!(changes["against"], "all people");
    assert_eq!(rows(changes)[0]["elsewhere"], "bora 2, judge 2");
    let compared = rows(table(&tables, "joint: rankings compared"));
    assert_eq!(compared.len(), 15, "every two of six");
    let tau = |a: &str, b: &str| {
        let row = compared.iter().find(|row| row["a"] == a && row["b"] == b).expect("a pair");
        row["tau_b"].as_f64()
    };
    assert_eq!(
        (tau("alice", "bora"), tau("alice", "cem"), tau("bora", "judge")),
        (Some(-1.0), Some(1.0), Some(1.0))
    );

    let differences = rows(table(&tables, "joint: differences between systems"));
    let alice = differences.iter().find(|row| row["judged_by"] == "alice").expect("a difference");
    assert_eq!((&alice["better"], alice["difference"].as_f64()), (&Value::from("a"), Some(50.0)));
    assert_eq!(alice["difference_interval_undefined"], "too_few_clusters");
    // all people, majority and cem have a first too, bora and judge do not.
    assert_eq!((alice["same_order"].as_u64(), alice["compared"].as_u64()), (Some(3), Some(5)));
    for measure in ["coverage: systems", "citation: systems"] {
        table(&tables, measure);
    }
    let of_summaries = ["score", "study.db", "--annotators", "each", "--cluster", "summary"];
    assert!(!desk.command(&of_summaries).output().expect("run").status.success(), "of one system each");
}

#[test]
fn a_majority_of_two_needs_both_and_ties_are_named() {
    let desk = Desk::new();
    let study = study(&desk);
    let tables = desk.json(&["score", study, "--annotators", "each,alice,bora"]);
    let standings = table(&tables, "joint: systems under each annotator");
    let tied = &standings["majority"]["tied"]["coverage"];
    assert_eq!(*tied, serde_json::json!(["q1: u-q1, q1-a", "q1: u-q1, q1-b"]));
    assert_eq!(standings["majority"]["judged_by_several"], 4);
    let majority: Vec<&Value> = rows(standings).iter().filter(|row| row["judged_by"] == "majority").collect();
    // Only q2 is decided, where both cover both: a tie for the first rank, of one query each.
    assert!(majority.iter().all(|row| row["rank"] == 1 && row["score"] == 100.0 && row["queries"] == 1));
    let too_few =
        |row: &&Value| row["score_low"].is_null() && row["score_interval_undefined"] == "too_few_clusters";
    assert!(majority.iter().all(too_few));
    assert!(rows(standings).iter().all(|row| row["judged_by"] != "cem" && row["judged_by"] != "judge"));
    let text = desk.out(&["score", study, "--annotators", "each,alice,bora"]);
    let notes = text.replace('\n', " ");
    assert!(
        notes.contains("Items without a majority for coverage, left out there: 2 (q1: u-q1, q1-a; "),
        "{text}"
    );
    assert!(notes.contains("No intervals: ") && !notes.contains("95 % intervals"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn one_person_is_compared_with_the_judges() {
    let desk = Desk::new();
    let study = study(&desk);
    let tables = desk.json(&["score", study, "--annotators", "each,cem,judge"]);
    let standings = table(&tables, "joint: systems under each annotator");
    assert!(standings["majority"].is_null());
    let names: Vec<&str> = rows(standings).iter().filter_map(|row| row["judged_by"].as_str()).collect();
    assert_eq!(names, ["cem", "cem", "judge", "judge"]);
    let alone = desk.json(&["score", study, "--annotators", "each,cem"]);
    // No rankings to compare: standings, differences and their queries, but no citation of b to differ from.
    assert_eq!(alone.as_array().expect("tables").len(), 9);
    let none = desk.json(&["score", study, "--annotators", "each,cem", "--resamples", "0"]);
    assert!(rows(table(&none, "joint: systems"))[0]["low"].is_null());
}

#[test]
fn what_is_about_no_system_is_ranked_by_what_is_named() {
    let desk = Desk::new();
    let study = desk.sample();
    let (status, told) = desk.fails(&["score", study, "--annotators", "each", "--protocol", "keypoint"]);
    assert_eq!(status, 1);
    assert!(told.contains("what is judged under keypoint gives no system a score of its own"), "{told}");
    let by = ["score", study, "--annotators", "each", "--protocol", "keypoint", "--by", "collection"];
    let text = desk.out(&by);
    assert!(text.starts_with("retention: collections under each annotator\n"), "{text}");
    assert_eq!(desk.fails(&["score", study, "--annotators", "each", "--by", "annotator"]).0, 2);
    assert_eq!(desk.fails(&["score", study, "--annotators", "each", "--spot-check", "5%"]).0, 2);
    let (_, told) = desk.fails(&["score", study, "--annotators", "each,nobody"]);
    assert!(told.contains("there is no annotator \"nobody\""), "{told}");
}

#[test]
fn judges_are_compared_with_the_named_people() {
    let desk = Desk::new();
    let study = study(&desk);
    let people = |arguments: &[&str]| {
        let tables = desk.json(&[&["judges", study], arguments].concat());
        let overview = table(&tables, "coverage · Judges against people").clone();
        let row = rows(&overview).iter().find(|row| row["annotator"] == "people").cloned();
        let row = row.expect("the people's own row");
        (row["items"].clone(), row["judgment_pairs"].clone())
    };
    // Three pairs of people with four items each; one pair.
    assert_eq!(people(&[]), (json!(4), json!(12)));
    assert_eq!(people(&["--annotators", "alice,bora"]), (json!(4), json!(4)));
    assert_eq!(people(&["--annotators", "judge"]), people(&[]), "nobody restricts the people");
}

#[test]
fn what_was_adjudicated_is_ranked_first() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.file(
        "verdict.jsonl",
        r#"{"type":"annotator","id":"dan","kind":"human"}
{"type":"adjudication","protocol":"coverage","annotator":"dan","collection":"c","query":"q1","unit":"u-q1","candidate":"q1-b","answers":{"coverage":"full","bullet":1}}"#,
    );
    desk.out(&["import", study, "verdict.jsonl"]);
    let tables = desk.json(&["score", study, "--annotators", "each,alice,bora"]);
    let standings = table(&tables, "joint: systems under each annotator");
    let gold: Vec<&Value> = rows(standings).iter().take(2).collect();
    // alice and bora agree on q2, where both systems are covered; q1 b is decided, q1 a stays open.
    assert!(gold.iter().all(|row| row["judged_by"] == "gold" && row["score"] == 100.0));
    assert_eq!((&gold[0]["queries"], &gold[1]["queries"]), (&1.into(), &2.into()));
    assert_eq!(
        standings["gold"],
        serde_json::json!({
            "rule": "all agree",
            "items": {"unanimous": 2, "majority": 0, "single": 0, "adjudicated": 1, "unresolved": 1},
        })
    );
    assert_eq!(table(&tables, "joint: rank changes")["against"], "gold");
    // What is settled so far is a part of the items, and says nothing of how many queries are needed: over both queries the people
    // score the systems alike, and gold has a on one only.
    assert_eq!(table(&tables, "joint: queries needed")["title"], "joint: queries needed, by all people");
    let asked = desk.json(&["score", study, "--annotators", "each,alice,bora", "--rule", "all agree"]);
    let titles: Vec<&str> =
        asked.as_array().expect("tables").iter().filter_map(|table| table["title"].as_str()).collect();
    assert!(!titles.iter().any(|title| title.starts_with("joint: queries needed")), "{titles:?}");
}

/// Alice covers a in full, b in part, c not at all; the judge looks at b and c alone and finds the opposite.
#[test]
fn a_rank_among_fewer_systems_is_neither_best_nor_worst() {
    let desk = Desk::new();
    let mut lines = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"They rest."}),
        json!({"type":"query","collection":"c","id":"q","text":"What?"}),
        json!({"type":"unit","collection":"c","query":"q","id":"u","kind":"insight","text":"rest","documents":["d1"]}),
        json!({"type":"annotator","id":"judge","kind":"model"}),
    ];
    lines.push(json!({"type":"annotator","id":"alice","kind":"human"}));
    for system in ["a", "b", "c"] {
        let text = "- They rest [1]";
        lines.push(json!({"type":"candidate","collection":"c","query":"q","id":system,"summarizer":system,"text":text}));
    }
    for (annotator, candidate, coverage) in [
        ("alice", "a", "full"),
        ("alice", "b", "partial"),
        ("alice", "c", "none"),
        ("judge", "b", "none"),
        ("judge", "c", "full"),
    ] {
        let mut answers = json!({"coverage": coverage});
        if coverage != "none" {
            answers["bullet"] = json!(1);
        }
        lines.push(json!({"type":"judgment","protocol":"coverage","annotator":annotator,"collection":"c","query":"q","unit":"u","candidate":candidate,"answers":answers}));
    }
    desk.import("records.jsonl", &lines);
    let tables = desk.json(&["score", "study.db", "--annotators", "each"]);
    let changes = table(&tables, "joint: rank changes");
    let found: Vec<_> = rows(changes)
        .iter()
        .map(|row| ["system", "rank", "best", "worst", "elsewhere"].map(|key| row[key].clone()))
        .collect();
    assert_eq!(
        found,
        [
            [json!("a"), json!(1), json!(1), json!(1), json!(null)],
            [json!("b"), json!(2), json!(2), json!(2), json!("judge 2 instead of 1 among 2")],
            [json!("c"), json!(3), json!(3), json!(3), json!("judge 1 instead of 2 among 2")],
        ]
    );
    assert!(
        changes["notes"].to_string().contains("best, worst: over the rankings of all of these."),
        "{changes}"
    );
}

#[test]
fn pairs_give_no_scores_to_rank_by() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "demo.db"]);
    let asked = ["score", "demo.db", "--protocol", "preference", "--annotators"];
    // Nor does another field: what is ranked would be how often the first of a pair is better.
    for more in [&["each"][..], &["each", "--by", "domain"]] {
        let (_, told) = desk.fails(&[&asked[..], more].concat());
        assert!(told.contains("`--annotators NAME` has the strengths") && !told.contains("--by"), "{told}");
    }
    assert!(desk.out(&[&asked[..], &["alice"]].concat()).contains("strength"));
}

/// Under faithfulness, two people say of two summaries of one system:
///
/// |     | faithful (ann, ben) | comprehensive (ann, ben) |
/// | --- | ---                 | ---                      |
/// | s1  | yes, yes            | yes, no: tied            |
/// | s2  | yes, no: tied       | no, no                   |
#[test]
fn a_tied_question_is_in_no_score_of_it_and_each_score_counts_its_own_items() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
    ];
    for (query, ann, ben) in [("q1", ["yes", "yes"], ["yes", "no"]), ("q2", ["yes", "no"], ["no", "no"])] {
        records.push(json!({"type": "query", "collection": "c", "id": query, "text": "What is stone?"}));
        records.push(
            json!({"type": "candidate", "collection": "c", "query": query, "id": query, "summarizer": "s",
            "text": "- Stone is grey [1]."}),
        );
        for (name, [faithful, comprehensive]) in [("ann", ann), ("ben", ben)] {
            records.push(json!({"type": "judgment", "protocol": "faithfulness", "annotator": name, "collection": "c",
                "query": query, "candidate": query, "answers": {"faithful": faithful, "comprehensive": comprehensive}}));
        }
    }
    desk.import("records.jsonl", &records);
    let asked = ["score", "study.db", "--protocol", "faithfulness", "--annotators", "each", "--full"];
    let tables = desk.json(&asked);
    // useful is yes to both: s1 hangs on the tie, s2 is none whichever way the tie would go.
    let useful = table(&tables, "useful: systems under each annotator");
    let majority = rows(useful).iter().find(|row| row["judged_by"] == "majority").expect("a majority");
    assert_eq!((&majority["score"], &majority["items"]), (&json!(0.0), &json!(1)), "{useful}");
    let people = rows(useful).iter().find(|row| row["judged_by"] == "all people").expect("all people");
    // Half of s1, none of s2.
    assert_eq!((&people["score"], &people["items"]), (&json!(25.0), &json!(2)), "{useful}");

    // With the labels themselves ranked, each is over the items that have a majority for its question.
    desk.file(
        "own.toml",
        "[[score]]\nname = \"faith\"\nvalue = \"faithful:yes\"\n[[score]]\nname = \"scope\"\nvalue = \"comprehensive:no\"\n\
         [[score]]\nname = \"wide\"\nvalue = \"comprehensive:yes\"\namong = \"faithful:yes\"\n",
    );
    let tables = desk.json(&[&asked[..], &["--scores", "own.toml"]].concat());
    for (measure, score, items) in [("faith", 100.0, 1), ("scope", 100.0, 1)] {
        let table = table(&tables, &format!("{measure}: systems under each annotator"));
        let majority = rows(table).iter().find(|row| row["judged_by"] == "majority").expect("a majority");
        assert_eq!((&majority["score"], &majority["items"]), (&json!(score), &json!(items)), "{table}");
    }
    // One question is tied of s1, the other, which says whether s2 is in it, of s2.
    let wide = table(&tables, "wide: systems under each annotator");
    let majority = rows(wide).iter().find(|row| row["judged_by"] == "majority").expect("a majority");
    assert!(majority["score"].is_null() && majority["items"] == 0, "{wide}");
}

/// Coverage of two insights of one summary: of the first all name bullet 1, of the second each another bullet.
#[test]
fn an_insight_with_a_tied_bullet_is_in_coverage_alone() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s",
            "text": "- Stone is grey [1].\n- It is hard [1]."}),
    ];
    for (unit, bullets) in [("u1", [1, 1]), ("u2", [1, 2])] {
        records.push(json!({"type": "unit", "collection": "c", "query": "q", "id": unit, "kind": "insight",
            "text": unit, "documents": ["d1"]}));
        for (name, bullet) in ["ann", "ben"].into_iter().zip(bullets) {
            records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": name, "collection": "c", "query": "q",
                "candidate": "r", "unit": unit, "answers": {"coverage": "full", "bullet": bullet}}));
        }
    }
    desk.import("records.jsonl", &records);
    let tables = desk.json(&["score", "study.db", "--annotators", "each", "--full"]);
    for (measure, items) in [("coverage", 2), ("citation", 1), ("joint", 1)] {
        let table = table(&tables, &format!("{measure}: systems under each annotator"));
        let majority = rows(table).iter().find(|row| row["judged_by"] == "majority").expect("a majority");
        assert_eq!((&majority["score"], &majority["items"]), (&json!(100.0), &json!(items)), "{table}");
    }
}

/// A response of two statements with two citations each. By two of three, the first statement is supported and the second is not; d1
/// supports alone, and d2 does not, and can be left out.
#[test]
fn a_score_over_another_protocol_has_the_majority_there() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "annotator", "id": "cem", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
        json!({"type": "document", "collection": "c", "id": "d2", "number": 2, "text": "Stone is hard."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s",
            "text": "- Stone is grey and hard [1][2].\n- Stone is old [1][2]."}),
    ];
    for name in ["ann", "ben", "cem"] {
        for (bullet, joint) in [(1, "full"), (2, if name == "cem" { "full" } else { "no" })] {
            records.push(json!({"type": "judgment", "protocol": "statement-support", "annotator": name, "collection": "c",
                "query": "q", "candidate": "r", "bullet": bullet, "answers": {"joint": joint}}));
            for document in ["d1", "d2"] {
                let answers = match (document, name) {
                    ("d1", _) => json!({"alone": "yes"}),
                    (_, "ann") => json!({"alone": "yes"}),
                    _ => json!({"alone": "no", "rest": "yes"}),
                };
                records.push(json!({"type": "judgment", "protocol": "citation-need", "annotator": name, "collection": "c",
                    "query": "q", "candidate": "r", "bullet": bullet, "document": document, "answers": answers}));
            }
        }
    }
    desk.import("records.jsonl", &records);
    let asked = ["score", "study.db", "--protocol", "statement-support", "--annotators", "each", "--full"];
    // By the majority one of two statements is supported: recall 50. Of four citations the first of the first statement is needed:
    // precision 25. F1 is 2 · 50 · 25 / 75. Under gold by a majority of three it is the same.
    let tables = desk.json(&[&asked[..], &["--rule", "majority of 3"]].concat());
    for (measure, score) in [("recall", 50.0), ("F1", 100.0 / 3.0)] {
        let table = table(&tables, &format!("{measure}: systems under each annotator"));
        for who in ["majority", "gold"] {
            let row = rows(table).iter().find(|row| row["judged_by"] == who).expect(who);
            assert!((row["score"].as_f64().expect(who) - score).abs() < 1e-9, "{who}: {table}");
        }
    }
}

/// The majority's score in a table of what is ranked under each annotator, with the number of its items.
fn of_majority(tables: &Value, measure: &str) -> (Value, Value) {
    let table = table(tables, &format!("{measure} under each annotator"));
    let majority = rows(table).iter().find(|row| row["judged_by"] == "majority").expect("a majority");
    (majority["score"].clone(), majority["items"].clone())
}

/// A response with three points of its own, looked for in two documents by two people:
///
/// |    | d1 (ann, ben)  | d2 (ann, ben)  |
/// | --- | ---           | ---            |
/// | p1 | yes, no: tied  | no, no         |
/// | p2 | yes, no: tied  | yes, yes       |
/// | p3 | no, no         | no, no         |
#[test]
fn where_one_of_several_items_of_a_thing_is_tied_the_others_do_not_decide_unless_they_must() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
        json!({"type": "document", "collection": "c", "id": "d2", "number": 2, "text": "Stone is hard."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s", "text": "- Stone is grey."}),
    ];
    for (unit, first, second) in [
        ("p1", ["yes", "no"], ["no", "no"]),
        ("p2", ["yes", "no"], ["yes", "yes"]),
        ("p3", ["no", "no"], ["no", "no"]),
    ] {
        records.push(
            json!({"type": "unit", "collection": "c", "query": "q", "id": unit, "kind": "response point",
            "candidate": "r", "text": unit}),
        );
        for (document, said) in [("d1", first), ("d2", second)] {
            for (name, present) in ["ann", "ben"].into_iter().zip(said) {
                records.push(
                    json!({"type": "judgment", "protocol": "placement", "annotator": name, "collection": "c",
                    "query": "q", "document": document, "unit": unit, "answers": {"present": present}}),
                );
            }
        }
    }
    desk.import("records.jsonl", &records);
    desk.file("own.toml", "[[score]]\nname = \"found\"\nvalue = \"present:yes\"\nonce = \"unit\"\n");
    let asked =
        ["score", "study.db", "--protocol", "placement", "--by", "query", "--annotators", "each", "--full"];
    let tables = desk.json(&[&asked[..], &["--scores", "own.toml"]].concat());
    // p2 is in d2 whichever way d1 would go, p3 is in neither, and of p1 nobody knows.
    assert_eq!(of_majority(&tables, "found: queries"), (json!(50.0), json!(2)));
}

/// Of one insight both name bullet 1, of another each names another bullet.
#[test]
fn a_tie_on_what_may_be_missing_is_no_absence() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
        json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "summarizer": "s",
            "text": "- Stone is grey.\n- It is hard."}),
    ];
    for (unit, bullets) in [("u1", [1, 1]), ("u2", [1, 2])] {
        records.push(json!({"type": "unit", "collection": "c", "query": "q", "id": unit, "kind": "insight", "text": unit}));
        for (name, bullet) in ["ann", "ben"].into_iter().zip(bullets) {
            records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": name, "collection": "c", "query": "q",
                "candidate": "r", "unit": unit, "answers": {"coverage": "full", "bullet": bullet}}));
        }
    }
    desk.import("records.jsonl", &records);
    desk.file("own.toml", "[[score]]\nname = \"first\"\nvalue = \"bullet:1\"\n");
    let tables = desk.json(&[
        "score",
        "study.db",
        "--protocol",
        "coverage",
        "--annotators",
        "each",
        "--full",
        "--scores",
        "own.toml",
    ]);
    assert_eq!(of_majority(&tables, "first: systems"), (json!(100.0), json!(1)));
}

/// The bullet of u1 is tied for s and not for t; u2 is said by neither. The best insight of a summary is not known for s.
#[test]
fn the_numbers_of_a_judgment_hang_on_a_tie_as_its_answers_do() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "annotator", "id": "ann", "kind": "human"}),
        json!({"type": "annotator", "id": "ben", "kind": "human"}),
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": "Stone is grey."}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "What is stone?"}),
    ];
    for unit in ["u1", "u2"] {
        records.push(json!({"type": "unit", "collection": "c", "query": "q", "id": unit, "kind": "insight", "text": unit,
            "documents": ["d1"]}));
    }
    for (system, bullets) in [("s", [1, 2]), ("t", [1, 1])] {
        records.push(
            json!({"type": "candidate", "collection": "c", "query": "q", "id": system, "summarizer": system,
            "text": "- Stone is grey [1].\n- It is hard."}),
        );
        for (name, bullet) in ["ann", "ben"].into_iter().zip(bullets) {
            for (unit, answers) in
                [("u1", json!({"coverage": "full", "bullet": bullet})), ("u2", json!({"coverage": "none"}))]
            {
                records.push(
                    json!({"type": "judgment", "protocol": "coverage", "annotator": name, "collection": "c",
                    "query": "q", "candidate": system, "unit": unit, "answers": answers}),
                );
            }
        }
    }
    desk.import("records.jsonl", &records);
    desk.file("own.toml", "[[score]]\nname = \"best\"\nvalue = \"joint\"\nonce = \"candidate\"\n");
    let asked = ["score", "study.db", "--protocol", "coverage", "--annotators", "each", "--full"];
    let tables = desk.json(&[&asked[..], &["--scores", "own.toml"]].concat());
    let table = table(&tables, "best: systems under each annotator");
    let of = |system: &str| {
        let is_it = |row: &&Value| row["judged_by"] == "majority" && row["system"] == system;
        rows(table).iter().find(is_it).map(|row| (row["score"].clone(), row["items"].clone()))
    };
    assert_eq!(of("t"), Some((json!(100.0), json!(1))));
    assert_eq!(of("s"), Some((Value::Null, json!(0))));
}

/// Errors are counted, and few of them are good: the order of the score is that of ranks, of the figure and of the report.
#[test]
fn where_low_is_better_the_lowest_score_is_the_best_everywhere() {
    let desk = Desk::new();
    let tables = r#"[[question]]
key = "n"
prompt = "How many errors?"
kind = "choice"
scale = "0..9"
[[score]]
name = "errors"
value = "n"
better = "low"
"#;
    let protocol = about_summaries("errors", 1, "query", tables);
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"protocol","name":"errors","version":1,"text":protocol,"guideline":"# Errors\n"}),
        json!({"type":"document","collection":"c","id":"d","number":1,"text":"It is."}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
        json!({"type":"annotator","id":"ben","kind":"human"}),
    ];
    for query in ["q1", "q2", "q3"] {
        records.push(json!({"type":"query","collection":"c","id":query,"text":"What?"}));
        for (retriever, summarizer, errors) in
            [("r", "good", "1"), ("r", "bad", "8"), ("s", "good", "3"), ("s", "bad", "9")]
        {
            let id = format!("{query}-{retriever}-{summarizer}");
            records.push(
                json!({"type":"candidate","collection":"c","query":query,"id":id,"summarizer":summarizer,
                "retriever":retriever,"text":"- It is [1]."}),
            );
            for who in ["ann", "ben"] {
                records.push(json!({"type":"judgment","protocol":"errors","annotator":who,"collection":"c","query":query,
                    "candidate":id,"answers":{"n":errors}}));
            }
        }
    }
    desk.import("records.jsonl", &records);
    let changes = desk.json(&["score", "study.db", "--annotators", "each", "--table", "rank_changes"]);
    for (row, rank) in changes["rows"].as_array().expect("rows").iter().zip(1..) {
        assert_eq!([&row["rank"], &row["best"], &row["worst"]], [rank; 3], "{changes}");
    }
    let drawn = |more: &[&str]| desk.out(&[&["plot", "study.db"][..], more].concat()).replace('\n', " ");
    assert!(drawn(&["systems/errors/errors"]).contains("r good scores best: 1.0"), "the figure of systems");
    let grid = drawn(&["grid", "--by", "retriever,summarizer"]);
    assert!(grid.contains("r with good scores best: 1.0") && grid.contains("the best is framed"), "{grid}");
    desk.out(&["report", "study.db", "-o", "report.html", "--only", "short,scores"]);
    let report = String::from_utf8(desk.bytes("report.html")).expect("UTF-8");
    assert!(
        report.contains("best in “errors”: r good, 1.0; worst: s bad, 9.0 (95 % interval 2.6–9.0)."),
        "{report}"
    );
    // A judge that says what people say corrects nothing, and turns no order round.
    let said = records.iter().filter(|record| record["annotator"] == "ann");
    let said = said.cloned().map(|mut record| {
        record["annotator"] = json!("auto");
        record
    });
    let judge = json!({"type":"annotator","id":"auto","kind":"model"});
    desk.import("judged.jsonl", &std::iter::once(judge).chain(said).collect::<Vec<Value>>());
    let corrected = desk.json(&["score", "study.db", "--protocol", "errors", "--corrected-by", "auto"]);
    assert_eq!(corrected[0]["title"], "Corrected scores (n)");
    let systems: Vec<_> = rows(&corrected[0]).iter().map(|row| &row["system"]).collect();
    assert_eq!(systems, ["r good", "s good", "r bad", "s bad"], "{corrected}");
    let first = &rows(&corrected[1])[0];
    assert_eq!(
        [&first["better"], &first["worse"], &first["people"]],
        [&json!("r good"), &json!("s good"), &json!(-2.0)]
    );
}
