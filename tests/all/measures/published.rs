//! Every published measure, on cases small enough to be worked out by hand, through `haymark score`.

use serde_json::{Value, json};

use crate::harness::Desk;

impl Desk {
    /// A study with two people, `ann` and `ben`, and these records.
    fn with(records: &[Value]) -> Desk {
        let desk = Desk::new();
        let people = ["ann", "ben"].map(|id| json!({"type":"annotator","id":id,"kind":"human"}));
        desk.import("all.jsonl", &[&people, records].concat());
        desk
    }

    /// What `haymark score` prints with these arguments, as a list of tables.
    fn scores(&self, arguments: &[&str]) -> Vec<Value> {
        let all: Vec<&str> =
            ["score", "study.db", "--format", "json"].iter().chain(arguments).copied().collect();
        match serde_json::from_str(&self.out(&all)).expect("JSON") {
            Value::Array(tables) => tables,
            table => vec![table],
        }
    }

    /// The only table under a protocol.
    fn table(&self, protocol: &str, by: &str) -> Value {
        let mut tables = self.scores(&["--protocol", protocol, "--by", by]);
        assert_eq!(tables.len(), 1, "{tables:?}");
        tables.remove(0)
    }
}

/// A collection of three documents with one query; the second document is Chinese.
fn corpus() -> Vec<Value> {
    let mut records = vec![json!({"type":"collection","id":"exam"})];
    for (id, number, text) in [
        ("d1", 1, "They sleep badly before exams."),
        ("d2", 2, "学生睡得不好。"),
        ("d3", 3, "Nothing of it."),
    ] {
        records.push(json!({"type":"document","collection":"exam","id":id,"number":number,"text":text}));
    }
    records.push(json!({"type":"query","collection":"exam","id":"sleep","text":"What of sleep?"}));
    records
}

fn candidate(id: &str, summarizer: &str, text: &str) -> Value {
    json!({"type":"candidate","collection":"exam","query":"sleep","id":id,"summarizer":summarizer,"text":text})
}

fn unit(id: &str, kind: &str, more: Value) -> Value {
    let mut unit = json!({"type":"unit","collection":"exam","query":"sleep","id":id,"kind":kind,"text":format!("Point {id}")});
    if let (Some(unit), Value::Object(more)) = (unit.as_object_mut(), more) {
        unit.extend(more);
    }
    unit
}

/// A judgment by `annotator` of the parts that `target` names.
fn judged(protocol: &str, annotator: &str, target: Value, answers: Value) -> Value {
    let mut judgment = json!({"type":"judgment","protocol":protocol,"annotator":annotator,
        "collection":"exam","query":"sleep","answers":answers});
    if let (Some(judgment), Value::Object(target)) = (judgment.as_object_mut(), target) {
        judgment.extend(target);
    }
    judgment
}

fn near(value: &Value, expected: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{expected} expected, not {value}"));
    assert!((found - expected).abs() < 1e-6, "{found} should be {expected}");
}

#[test]
fn key_point_recall_has_precision_and_f_beside_it() {
    let mut records = corpus();
    records.push(candidate("c1", "m", "- Bad sleep."));
    records.push(candidate("c2", "m", "- No idea."));
    for id in ["k1", "k2"] {
        records.push(unit(id, "keypoint", json!({})));
    }
    for (id, candidate) in [("p1", "c1"), ("p2", "c1"), ("p3", "c2")] {
        records.push(unit(id, "response point", json!({"candidate":candidate,"documents":["d1"]})));
    }
    let says = |candidate: &str, unit: &str, entailed: &str| {
        let mut answers = json!({"entailed":entailed});
        if entailed == "no" {
            answers["missing"] = json!("missing");
        }
        judged("entailment", "ann", json!({"candidate":candidate,"unit":unit}), answers)
    };
    let places = |unit: &str, document: &str, present: &str| {
        judged("placement", "ann", json!({"unit":unit,"document":document}), json!({"present":present}))
    };
    records.extend([says("c1", "k1", "yes"), says("c1", "k2", "no"), says("c2", "k1", "no")]);
    // p1 is in one of the two documents that it was judged with, p2 in none, p3 in its only one.
    records.extend([places("p1", "d1", "no"), places("p1", "d2", "yes")]);
    records.extend([places("p2", "d1", "no"), places("p3", "d1", "yes")]);
    let desk = Desk::with(&records);
    let row = &desk.table("entailment", "system")["rows"][0];
    // c1: R 1/2, P 1/2, F 1/2. c2: R 0 of the one judged, P 1, F 0. Means 1/4, 3/4, 1/4.
    near(&row["kpr"], 25.0);
    near(&row["kpp"], 75.0);
    near(&row["kpf"], 25.0);
    assert_eq!((&row["averaged"], &row["items"], &row["kpp_items"]), (&json!(2), &json!(3), &json!(3)));
    // Without the gold map's units, placement has precision only.
    let alone = desk.table("placement", "system");
    assert_eq!(alone["title"], "Key point precision by system");
    near(&alone["rows"][0]["own_precision"], 75.0);
    let both = desk.scores(&[]);
    let titles: Vec<&str> = both.iter().filter_map(|table| table["title"].as_str()).collect();
    assert_eq!(
        titles,
        ["entailment · Key point recall by system", "placement · Key point precision by system"]
    );
    assert!(desk.out(&["score", "study.db", "--protocol", "entailment"]).contains("KPF"));
    // It ranks systems, and insights of the gold map, which are of none, are no row there.
    desk.import(
        "insight.jsonl",
        &[unit("i1", "insight", json!({"documents":["d1"]})), places("i1", "d1", "yes")],
    );
    let ranks = desk.scores(&["--protocol", "placement", "--annotators", "each"]);
    assert_eq!(ranks[0]["title"], "KPP: systems under each annotator");
    let systems: Vec<&Value> =
        ranks[0]["rows"].as_array().expect("rows").iter().map(|row| &row["system"]).collect();
    assert!(!systems.is_empty() && systems.iter().all(|system| **system == "m"), "{ranks:?}");
}

#[test]
fn lengths_are_groups_like_any_other() {
    let mut records = corpus();
    let long: String = (0..60).map(|_| "word ").collect();
    records.extend([
        candidate("c1", "m", "- Bad sleep."),
        candidate("c2", "m", &long),
        unit("k1", "keypoint", json!({})),
    ]);
    let said = [("c1", json!({"entailed":"yes"})), ("c2", json!({"entailed":"no","missing":"missing"}))];
    for (candidate, answers) in said {
        records.push(judged("entailment", "ann", json!({"candidate":candidate,"unit":"k1"}), answers));
    }
    let desk = Desk::with(&records);
    let by_response = desk.table("entailment", "response_length");
    let groups: Vec<(&Value, &Value)> = by_response["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (&row["response_length"], &row["kpr"]))
        .collect();
    assert_eq!(groups, [(&json!("0–49 words"), &json!(100.0)), (&json!("50–99 words"), &json!(0.0))]);
    // 5 English words, 6 Chinese characters, 3 English words.
    let by_document = desk.table("entailment", "document_length");
    assert_eq!(by_document["rows"][0]["document_length"], "0–49 words");
}

#[test]
fn the_gold_map_has_its_errors() {
    let mut records = corpus();
    records.push(unit("i1", "insight", json!({"documents":["d1", "d2"]})));
    records.push(unit("i2", "insight", json!({})));
    let places = |who: &str, unit: &str, document: Option<&str>, present: &str| {
        judged("placement", who, json!({"unit":unit,"document":document}), json!({"present":present}))
    };
    records.extend([places("ann", "i1", Some("d1"), "yes"), places("ann", "i1", Some("d2"), "no")]);
    records.extend([places("ann", "i1", Some("d3"), "yes"), places("ben", "i1", Some("d1"), "yes")]);
    records.extend([places("ben", "i1", Some("d2"), "yes"), places("ann", "i2", None, "yes")]);
    let desk = Desk::with(&records);
    let table = desk.table("placement", "collection");
    let row = &table["rows"][0];
    // Of two mapped pairs one is absent by one of two people: (0 + 1/2) / 2, and one query says nothing of others.
    assert_eq!((&row["items"], &row["judgments"]), (&json!(2), &json!(4)));
    near(&row["false_mapping"], 25.0);
    assert_eq!(row["false_mapping_interval_undefined"], json!("too_few_clusters"));
    // Of what the map says nothing is in neither.
    assert_eq!((&row["missed_mapping_items"], &row["missed_mapping"]), (&json!(1), &json!(100.0)));
}

#[test]
fn citations_are_borne_out() {
    let mut records = corpus();
    records.push(candidate("c1", "m", "- Bad sleep [1, 2].\n- Worse [3].\n- Nothing."));
    let supports = |bullet: u32, document: &str, supported: &str| {
        let target = json!({"candidate":"c1","bullet":bullet,"document":document});
        judged("attribution", "ann", target, json!({"supported":supported}))
    };
    records.extend([supports(1, "d1", "full"), supports(1, "d2", "partial"), supports(2, "d3", "no")]);
    let desk = Desk::with(&records);
    let row = &desk.table("attribution", "system")["rows"][0];
    // Three citations in two of three bullets: one borne out in full, one in part.
    near(&row["full"], 100.0 / 3.0);
    near(&row["at_least_partial"], 200.0 / 3.0);
    near(&row["share_uncited"], 100.0 / 3.0);
    // A bullet counts with its best citation: 100 and 0.
    near(&row["sentence_support"], 50.0);
}

#[test]
fn tags_texts_and_points_are_counted() {
    let mut records = corpus();
    records.extend([candidate("c1", "m", "- a"), candidate("c2", "m", "- b"), candidate("c3", "n", "- c")]);
    let failed =
        |candidate: &str, answers: Value| judged("failure", "ann", json!({"candidate":candidate}), answers);
    records.extend([
        failed("c1", json!({"failures":["general", "other"], "other":"far too long"})),
        failed("c2", json!({"failures":null})),
        failed("c3", json!({"failures":["general"]})),
    ]);
    let point = |text: &str, quotes: &[&str]| {
        let passages: Vec<Value> =
            quotes.iter().map(|quote| json!({"document":"d1","quote":quote})).collect();
        json!({"text":text,"passages":passages})
    };
    let points = json!({"points":[point("They sleep badly", &["sleep badly"]), point("Exams", &[])]});
    records.push(judged("extraction", "ann", json!({"document":"d1"}), points));
    records.push(judged("extraction", "ann", json!({"document":"d3"}), json!({"points":null})));
    let desk = Desk::with(&records);
    let tables = desk.scores(&["--protocol", "failure"]);
    let (tags, texts) = (&tables[0], &tables[1]);
    // System m: one of two is too general, one has nothing.
    let csv =
        desk.out(&["export", "study.db", "--what", "judgments", "--protocol", "failure", "--format", "csv"]);
    assert_eq!(csv.lines().filter(|line| line.contains(",[],")).count(), 1, "no tag is an answer: {csv}");
    let m = &tags["rows"][0];
    assert_eq!((&m["items"], &m["share_general"], &m["share_none"]), (&json!(2), &json!(50.0), &json!(50.0)));
    assert_eq!(tags["rows"][1]["share_general"], json!(100.0));
    assert_eq!((&texts["rows"][0]["written"], &texts["rows"][0]["mean_words"]), (&json!(1), &json!(3.0)));
    let list = desk.scores(&["--protocol", "extraction"]);
    let row = &list[0]["rows"][0];
    // Two points on two documents, one with a passage, of 3 and 1 words.
    assert_eq!((&row["items"], &row["listed"], &row["per_item"]), (&json!(2), &json!(2), &json!(1.0)));
    assert_eq!((&row["with_passage"], &row["mean_words"]), (&json!(50.0), &json!(2.0)));
}

#[test]
fn queries_are_worded_anew() {
    let mut records = corpus();
    records.push(json!({"type":"query","collection":"exam","id":"stress","text":"Stress?"}));
    let mut first = judged(
        "refinement",
        "ann",
        json!({}),
        json!({"verdict":"needs_refinement","refined":"What of their sleep?"}),
    );
    first["seconds"] = json!(30.0);
    let mut second = judged("refinement", "ann", json!({"query":"stress"}), json!({"verdict":"reasonable"}));
    second["seconds"] = json!(10.0);
    records.extend([first, second]);
    let desk = Desk::with(&records);
    let row = &desk.table("refinement", "annotator")["rows"][0];
    // "their " is six characters more on a query of fourteen; the median of 10 and 30 s is 20.
    assert_eq!((&row["items"], &row["share_needed"]), (&json!(2), &json!(50.0)));
    assert_eq!((&row["mean_distance"], &row["median_seconds"]), (&json!(6.0), &json!(20.0)));
    near(&row["mean_share"], 600.0 / 14.0);
}

#[test]
fn questions_of_the_reference_are_answered() {
    let mut records = corpus();
    records.push(candidate("c1", "m", "- Bad sleep."));
    records.push(unit("q1", "question", json!({"meta":{"answer":"before the exams","answerable":true}})));
    records.push(unit("q2", "question", json!({"meta":{"answer":"学生睡得不好"}})));
    records.push(unit("q3", "question", json!({"meta":{"answerable":false}})));
    records.push(unit("q4", "question", json!({})));
    let answers = |unit: &str, answers: Value| {
        judged("answerability", "ann", json!({"candidate":"c1","unit":unit}), answers)
    };
    records.extend([
        answers("q1", json!({"answerable":"yes","answer":"Before exams."})),
        answers("q2", json!({"answerable":"no"})),
        answers("q3", json!({"answerable":"no"})),
        answers("q4", json!({"answerable":"yes","answer":"x"})),
    ]);
    let desk = Desk::with(&records);
    let table = desk.table("answerability", "system");
    let row = &table["rows"][0];
    // Two of the three questions that the reference answers. before exams | before the exams: 2 common,
    // P 2/2, R 2/3, F1 4/5; q4 has no answer of the reference.
    near(&row["question_recall"], 200.0 / 3.0);
    near(&row["question_precision"], 80.0);
    assert_eq!((&row["items"], &row["question_precision_items"]), (&json!(3), &json!(1)));
    assert_eq!(row["question_precision_missing"], json!(1));
}

#[test]
fn thresholds_keep_key_points() {
    let mut records = corpus();
    let scored = |id: &str, score: f64| unit(id, "keypoint", json!({"documents":["d1"],"score":score}));
    records.extend([scored("k1", 0.9), scored("k2", 0.7), scored("k3", 0.2)]);
    let keep = |who: &str, unit: &str, validity: &str| {
        let answers = json!({"grounded":"yes","validity":validity});
        judged("keypoint", who, json!({"unit":unit,"document":"d1"}), answers)
    };
    records.extend([keep("ann", "k1", "agree"), keep("ann", "k2", "disagree"), keep("ann", "k3", "agree")]);
    records.extend([keep("ben", "k1", "agree"), keep("ben", "k2", "agree")]);
    let desk = Desk::with(&records);
    let tables = desk.scores(&["--protocol", "keypoint"]);
    let row = |at: usize| &tables[1]["rows"][at];
    // From 0.7: ann rejects 1 of 2, ben 0 of 2: 25 %. From 0.1: ann 1 of 3, ben 0 of 2: 1/6.
    assert_eq!((&row(6)["threshold"], &row(6)["kept"]), (&json!(0.7), &json!(2)));
    near(&row(6)["false_discovery"], 25.0);
    near(&row(0)["false_discovery"], 100.0 / 6.0);
    assert_eq!((&row(8)["kept"], &row(8)["false_discovery"]), (&json!(1), &json!(0.0)));
}

#[test]
fn machines_find_what_people_found() {
    let mut records = corpus();
    records.extend([unit("m1", "keypoint", json!({})), unit("h1", "human point", json!({}))]);
    records.extend([unit("h2", "human point", json!({})), unit("h3", "human point", json!({}))]);
    let said = |unit: &str, by: Value| judged("match", "ann", json!({"unit":unit}), json!({"said_by":by}));
    records.extend([said("h1", json!(["m1"])), said("h2", Value::Null), said("h3", json!([]))]);
    let desk = Desk::with(&records);
    let table = desk.table("match", "query");
    near(&table["rows"][0]["extraction_recall"], 100.0 / 3.0);
    assert_eq!((&table["total"]["items"], &table["total"]["judgments"]), (&json!(3), &json!(3)));
}

#[test]
fn summaries_are_useful_short_and_hold_the_answer() {
    let mut records = vec![json!({"type":"collection","id":"exam"})];
    records.push(json!({"type":"document","collection":"exam","id":"d1","number":1,"text":"They sleep badly before the great exams."}));
    records.push(
        json!({"type":"document","collection":"exam","id":"d2","number":2,"text":"Ida Brandt said so."}),
    );
    records.push(json!({"type":"query","collection":"exam","id":"sleep","text":"Who said so?","meta":{"answers":["Ida Brandt"]}}));
    for (id, text, answer) in [("c1", "Ida Brandt did.", "The Brandt"), ("c2", "Nobody.", "Olaf")] {
        let mut record = candidate(id, id, text);
        record["meta"] = json!({"answer":answer});
        records.push(record);
    }
    let trust = |id: &str, faithful: &str, comprehensive: &str| {
        let answers = json!({"faithful":faithful,"comprehensive":comprehensive});
        judged("faithfulness", "ann", json!({"candidate":id}), answers)
    };
    let corpus_only = Desk::with(&records);
    records.extend([trust("c1", "yes", "yes"), trust("c2", "partially", "no")]);
    let desk = Desk::with(&records);
    let tables = desk.scores(&["--protocol", "faithfulness"]);
    let [useful, answers, evidence] = &tables[..] else { panic!("three tables: {tables:?}") };
    assert_eq!(
        (&useful["total"]["useful"], &useful["total"]["faithful_partially"]),
        (&json!(50.0), &json!(50.0))
    );
    // 3 words of 7 + 4, and 1 of 11: pooled 4 of 22.
    near(&useful["rows"][0]["compression"], 300.0 / 11.0);
    near(&useful["total"]["compression"], 400.0 / 22.0);
    // brandt | ida brandt: P 1, R 1/2, F1 2/3; olaf: 0.
    near(&answers["total"]["f1"], 100.0 / 3.0);
    assert_eq!(answers["total"]["exact_match"], json!(0.0));
    let (first, second) = (&evidence["rows"][0], &evidence["rows"][1]);
    assert_eq!((&first["gold_in_passages"], &first["gold_in_summary"]), (&json!(100.0), &json!(100.0)));
    assert_eq!((&second["gold_in_passages"], &second["gold_in_summary"]), (&json!(100.0), &json!(0.0)));
    assert_eq!(first["predicted_with_gold_in_summary"], json!(100.0));
    assert_eq!(second["predicted_without_gold_in_summary"], json!(0.0));
    assert_eq!(second["predicted_with_gold_in_summary_undefined"], json!("no_predictions"));
    // Nobody need judge anything for these two.
    let alone = corpus_only.scores(&[]);
    assert_eq!(
        alone.iter().map(|table| &table["title"]).collect::<Vec<_>>(),
        [&answers["title"], &evidence["title"]]
    );
    assert!(corpus_only.out(&["score", "study.db", "--format", "csv"]).starts_with("table,system,predicted"));
}

#[test]
fn a_share_is_drawn_to_be_judged_again() {
    let mut records = corpus();
    for number in 0..40 {
        let query = format!("q{number}");
        records.push(json!({"type":"query","collection":"exam","id":query,"text":"?"}));
        records.push(judged("refinement", "ann", json!({"query":query}), json!({"verdict":"reasonable"})));
    }
    let desk = Desk::with(&records);
    let drawn = |share: &str| -> Vec<String> {
        let tables = desk.scores(&["--protocol", "refinement", "--spot-check", share]);
        let rows = tables[1]["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["query"].as_str().expect("a key").to_owned()).collect()
    };
    // 5 % of 40 are 2, and they are among the 4 that 10 % are.
    let (few, more) = (drawn("5%"), drawn("0.1"));
    assert_eq!((few.len(), more.len()), (2, 4));
    assert!(few.iter().all(|query| more.contains(query)), "{few:?} {more:?}");
    assert_eq!(drawn("5%"), few);
}

#[test]
fn what_is_half_answered_is_in_no_score_and_no_agreement() {
    let mut records = corpus();
    records.extend([candidate("c1", "m", "- Bad sleep [1]."), candidate("c2", "m", "- No idea.")]);
    records.extend([unit("k1", "keypoint", json!({})), unit("i1", "insight", json!({"documents":["d1"]}))]);
    records.push(unit("q1", "question", json!({"meta":{"answer":"sleep"}})));
    let about = |candidate: &str, unit: &str| json!({"candidate":candidate,"unit":unit});
    let queries = ["sleep", "stress"].map(|query| json!({"query":query}));
    records.push(json!({"type":"query","collection":"exam","id":"stress","text":"Stress?"}));
    // Of each protocol an item that both answered and one that ben left in the middle; with it the shares would be other ones.
    let both = ["ann", "ben"];
    for who in both {
        records.extend([
            judged("entailment", who, about("c1", "k1"), json!({"entailed":"yes"})),
            judged("refinement", who, queries[0].clone(), json!({"verdict":"reasonable"})),
            judged("answerability", who, about("c1", "q1"), json!({"answerable":"yes","answer":"sleep"})),
            judged(
                "faithfulness",
                who,
                json!({"candidate":"c1"}),
                json!({"faithful":"yes","comprehensive":"no"}),
            ),
        ]);
    }
    records.extend([
        judged("entailment", "ben", about("c2", "k1"), json!({"entailed":"no"})),
        judged("refinement", "ben", queries[1].clone(), json!({"verdict":"needs_refinement"})),
        judged("answerability", "ben", about("c2", "q1"), json!({"answerable":"yes"})),
        judged("faithfulness", "ben", json!({"candidate":"c2"}), json!({"faithful":"no"})),
        judged("entailment", "ann", about("c2", "k1"), json!({"entailed":"no","missing":"missing"})),
        // A label without a bullet is whole: published files have such.
        judged("coverage", "ann", about("c1", "i1"), json!({"coverage":"full"})),
    ]);
    let desk = Desk::with(&records);
    let scored = |protocol: &str, name: &str, by: &str| {
        let table = desk.table(protocol, by);
        let row = &table["rows"][0];
        (row[name].clone(), row["items"].clone(), row["judgments"].clone(), table["notes"][0].clone())
    };
    let half = json!("Half-answered judgments, in no number: 1.");
    for (protocol, name, share, items, judgments) in [
        ("refinement", "share_needed", 0.0, 1, 2),
        ("answerability", "question_recall", 100.0, 1, 2),
        ("faithfulness", "faithful_yes", 100.0, 1, 2),
        ("entailment", "kpr", 50.0, 2, 3),
    ] {
        let (found, of_items, of_judgments, _) = scored(protocol, name, "collection");
        assert_eq!(
            (found, of_items, of_judgments),
            (json!(share), json!(items), json!(judgments)),
            "{protocol}"
        );
        let notes = desk.table(protocol, "collection")["notes"].clone();
        assert!(notes.as_array().expect("notes").contains(&half), "{protocol}: {notes}");
        let agreed = desk.run(&["agree", "study.db", "--protocol", protocol, "--format", "json"]);
        let agreed = String::from_utf8_lossy(&agreed.stdout).into_owned();
        assert!(!agreed.contains("\"items\":2"), "{protocol}: {agreed}");
    }
    // Status keeps it open, and says so where it counts what is judged.
    let open = "coverage: 1 label without the bullet that is asked for, in scores and agreement but still open here.";
    for more in [&[][..], &["--protocol", "coverage"]] {
        let status = desk.out(&[&["status", "study.db"][..], more].concat()).replace('\n', " ");
        assert!(status.contains(open), "{status}");
    }
    let csv = desk.out(&["export", "study.db", "--what", "judgments", "--format", "csv"]);
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let place =
        rows.next().and_then(|names| names.iter().position(|name| *name == "complete")).expect("a column");
    let counts =
        |value: &str| csv.lines().skip(1).filter(|line| line.split(',').nth(place) == Some(value)).count();
    assert_eq!((counts("false"), counts("true")), (4, 10), "{csv}");
    let (coverage, items, ..) = scored("coverage", "coverage", "collection");
    assert_eq!((coverage, items), (json!(100.0), json!(1)));
}
