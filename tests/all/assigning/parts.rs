//! A part of a study is drawn, handed out, kept, and weighs what is said of it.

use super::*;

const DRAW: [&str; 8] = ["assign", "study.db", "--sample", "6", "--stratify", "domain", "--name", "pilot"];

/// The queries of these assignments.
fn queries(assignments: &[Value]) -> BTreeSet<String> {
    holders(assignments).into_keys().map(|(query, _)| query).collect()
}

/// Two systems are compared over the queries of both. Whole queries are all pairs; of summaries that are drawn one by one
/// nobody can say how many are. 2.8016 × 50 / √6 is 57.2.
#[test]
fn what_a_sample_shows_of_two_systems_is_said_of_queries() {
    let desk = Desk::with_questions(12);
    let draw = |protocol: &str| {
        let draw =
            ["assign", "study.db", "--protocol", protocol, "--sample", "6", "--name", "p", "--dry-run"];
        desk.json(&draw)["notes"].to_string()
    };
    let told = draw("refinement");
    assert!(told.contains("Sample p: 6 of 12 queries") && told.contains(" of 57 points of 100"), "{told}");
    let records: Vec<Value> = (0..12)
        .flat_map(|query| {
            ["a", "b"].map(|system| {
                json!({"type": "candidate", "collection": format!("c{query}"), "query": format!("q{query}"),
                    "id": system, "summarizer": system, "text": "- it"})
            })
        })
        .collect();
    desk.import("candidates.jsonl", &records);
    let told = draw("entailment");
    assert!(told.contains("Sample p: 6 of 24 summaries") && !told.contains("points of 100"), "{told}");
}

/// 12 questions in three domains: six of them are two of each, with four points each.
#[test]
fn a_sample_is_drawn_kept_and_handed_out_in_whole_groups() {
    let desk = Desk::with_questions(12);
    let dry = desk.json(&[&DRAW[..], &["--dry-run"]].concat());
    let rows = dry["rows"].as_array().expect("strata");
    let counts: Vec<_> = rows.iter().map(|row| [&row["of"], &row["drawn"], &row["items"]]).collect();
    assert_eq!(counts, [[&json!(4), &json!(2), &json!(8)]; 3], "{dry}");
    assert!(!dry["notes"].to_string().contains("In four cases of five"), "documents are no pairs: {dry}");
    assert!(desk.exported("amendment").is_empty(), "a dry run writes nothing");
    desk.out(&[&DRAW[..], &["--to", "alice"]].concat());
    let pilot = desk.assignments();
    assert_eq!((pilot.len(), queries(&pilot).len()), (24, 6));
    let records = desk.exported("amendment");
    assert_eq!((records.len(), &records[0]["act"], &records[0]["id"]), (1, &json!("draw"), &json!("pilot")));
    // The same draws nothing anew, and another under the same name is refused.
    desk.out(&[&DRAW[..], &["--to", "alice"]].concat());
    assert_eq!(desk.exported("amendment"), records);
    let (status, told) = desk.fails(&[&DRAW[..], &["--to", "alice", "--seed", "2"]].concat());
    assert!(status == 2 && told.contains("\"pilot\", which was drawn otherwise"), "{told}");
    // Another part, of what is left, for nobody yet; what was handed out stays.
    let rest = ["assign", "study.db", "--filter", "-sample=pilot", "--sample", "50%", "--name", "test"];
    desk.out(&rest);
    assert_eq!(desk.assignments(), pilot);
    desk.out(&["assign", "study.db", "--filter", "sample=test", "--to", "bob"]);
    let all = desk.assignments();
    let of_bob: Vec<Value> = all.iter().filter(|one| one["annotator"] == "bob").cloned().collect();
    assert_eq!((all.len(), queries(&of_bob).len()), (36, 3));
    assert!(queries(&of_bob).is_disjoint(&queries(&pilot)));
    let status = desk.out(&["status", "study.db"]);
    let words = status.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "Sample pilot: 6 of 12 documents, drawn at random (keypoint, seed 1), from 3 strata: health 2 of 4; law 2 of 4; travel 2 of 4.";
    assert!(words.contains(sentence), "{words}");
    assert!(words.contains("Sample test: 3 of 6 documents that fit \"-sample=pilot\""), "{words}");
    // In another file of the same data it is the same part.
    let other = Desk::with_questions(12);
    fs::write(other.path("all.jsonl"), desk.out(&["export", "study.db"])).expect("written");
    other.out(&["import", "study.db", "all.jsonl"]);
    assert_eq!(other.exported("amendment"), desk.exported("amendment"));
    let chosen = [
        "export",
        "study.db",
        "--what",
        "judge-requests",
        "--protocol",
        "keypoint",
        "--as",
        "judge",
        "--filter",
        "sample=test",
    ];
    assert_eq!(lines_of(&other.out(&chosen)), 12);
    other.out(&["merge", "study.db", &desk.path("study.db").to_string_lossy()]);
    // How the judge was asked is on record there besides.
    let (asked, merged): (Vec<Value>, Vec<Value>) =
        other.exported("amendment").into_iter().partition(|one| one["act"] == "ask");
    assert_eq!((asked.len(), merged), (1, desk.exported("amendment")));
    desk.out(&["withdraw", "study.db", "sample", "test", "--as", "lead", "--reason", "too small"]);
    let (_, told) = desk.fails(&["assign", "study.db", "--filter", "sample=test", "--to", "bob"]);
    assert!(told.contains("sample"), "{told}");
}

fn lines_of(text: &str) -> usize {
    text.lines().count()
}

/// All four questions of law, and one of the eight others: of five questions the last stands for eight. Everything of law is
/// agreed with and nothing of the others: 4 of 5 without weights, 4 of 12 with them.
#[test]
fn what_was_drawn_unevenly_is_weighed() {
    let desk = Desk::with_questions(12);
    let uneven = [
        "assign",
        "study.db",
        "--allocate",
        "all of domain=law, 1 of the rest",
        "--name",
        "uneven",
        "--to",
        "alice",
    ];
    let table = desk.json(&uneven);
    let strata = table[1]["rows"].as_array().expect("strata");
    assert_eq!(strata[1]["probability"], 0.125, "{table}");
    let drawn = queries(&desk.assignments());
    let mut records = Vec::new();
    for question in
        drawn.iter().map(|query| query.trim_start_matches('q').parse::<usize>().expect("a number"))
    {
        for point in ["one", "two", "three", "four"] {
            let law = question % 3 == 0;
            records.push(judgment("alice", question, point, if law { "agree" } else { "neutral" }));
            // Of law bob says the same; of the others half.
            let is_other = !law && ["one", "two"].contains(&point);
            records.push(judgment("bob", question, point, if law || is_other { "agree" } else { "neutral" }));
        }
    }
    desk.import("judged.jsonl", &records);
    let score = [
        "score",
        "study.db",
        "--protocol",
        "keypoint",
        "--count",
        "validity:agree",
        "--annotators",
        "alice",
        "--filter",
        "sample=uneven",
    ];
    let value = |options: &[&str]| {
        let table = desk.json(&[&score[..], options].concat());
        table["rows"][0]["score"].as_f64().unwrap_or_else(|| panic!("a score: {table}"))
    };
    assert!((value(&[]) - 100.0 * 4.0 / 12.0).abs() < 1e-9, "{}", value(&[]));
    assert!((value(&["--unweighted"]) - 80.0).abs() < 1e-9);
    // 16 of 20 items are of law, where both agree; of the others, half: (16 + 8 · 2) / (16 + 8 · 4).
    let agree = [
        "agree",
        "study.db",
        "--protocol",
        "keypoint",
        "--question",
        "validity",
        "--filter",
        "sample=uneven",
    ];
    let agreed = |options: &[&str]| {
        let found = desk.agreements(&[&agree[..], options].concat());
        let all = found[0]["coefficients"].as_array().expect("coefficients");
        let one = all.iter().find(|one| one["name"] == "percent_agreement").expect("it applies");
        assert_eq!(one["items"], 20, "items are those of the sample: {one}");
        one["value"].as_f64().expect("defined")
    };
    assert!((agreed(&[]) - 32.0 / 48.0).abs() < 1e-9, "{}", agreed(&[]));
    assert!((agreed(&["--unweighted"]) - 18.0 / 20.0).abs() < 1e-9);
}

/// The table of coverage pools insights, the score of the moment counts items: both weigh what was drawn alike.
#[test]
fn insights_weigh_what_they_stand_for() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let draw = [
        "check-sample",
        "study.db",
        "--protocol",
        "coverage",
        "--allocate",
        "all of coverage:none, 20% of the rest",
    ];
    desk.out(&[&draw[..], &["--name", "second", "--to", "carol"]].concat());
    let score = ["score", "study.db", "--protocol", "coverage", "--filter", "sample=second"];
    let table = |options: &[&str]| match desk.json(&[&score[..], options].concat()) {
        Value::Array(tables) => tables[0].clone(),
        table => table,
    };
    let (pooled, plain) = (table(&[]), table(&["--unweighted"]));
    let counted = table(&["--count", "coverage", "--by", "system"]);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{pooled} {counted}"));
    assert!((number(&pooled["total"]["coverage"]) - number(&counted["total"]["score"])).abs() < 1e-9);
    // What is not covered was drawn whole, so without weights there is too much of it.
    assert!(number(&pooled["total"]["coverage"]) > number(&plain["total"]["coverage"]) + 10.0);
    assert!(
        pooled["notes"].to_string().contains("Weighed by the probabilities of sample second"),
        "{pooled}"
    );
}

#[test]
fn named_items_are_given_and_taken_away() {
    let desk = Desk::with_questions(6);
    fs::write(desk.path("items.jsonl"), "{\"query\":\"q1\"}\n{\"collection\":\"c4\",\"query\":\"q4\"}\n")
        .expect("written");
    let named = ["assign", "study.db", "--items", "items.jsonl"];
    desk.out(&[&named[..], &["--to", "bob"]].concat());
    let given = desk.assignments();
    assert_eq!(queries(&given), ["q1".to_owned(), "q4".to_owned()].into());
    assert!(given.iter().all(|one| one["annotator"] == "bob"));
    desk.import("judged.jsonl", &[judgment("bob", 1, "one", "agree")]);
    desk.out(&[&named[..], &["--to", "alice", "--remove", "bob"]].concat());
    let of_bob =
        desk.assignments().into_iter().filter(|one| one["annotator"] == "bob" && one["left"] != true).count();
    assert_eq!(of_bob, 0, "{:?}", desk.assignments());
    // By all keys of an item, and by one that no item has.
    let items = desk.assignments();
    let one = items.iter().find(|one| one["unit"].is_string()).expect("an item of a unit");
    let keys = ["collection", "query", "candidate", "unit"].map(|key| (key, one[key].clone()));
    let keys: serde_json::Map<String, Value> = keys
        .into_iter()
        .filter(|(_, value)| value.is_string())
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    fs::write(desk.path("items.jsonl"), format!("{}\n", Value::Object(keys))).expect("written");
    let told = desk.out(&[&named[..], &["--to", "carol", "--dry-run"]].concat());
    assert!(told.contains("carol"), "{told}");
    fs::write(desk.path("items.jsonl"), "{\"query\":\"q1\",\"foo\":1}\n").expect("written");
    let (_, told) = desk.fails(&[&named[..], &["--to", "bob"]].concat());
    assert!(told.contains("line 1 names no item"), "{told}");
    fs::write(desk.path("items.jsonl"), "q1\n").expect("written");
    let (_, told) = desk.fails(&[&named[..], &["--to", "bob"]].concat());
    assert!(told.contains("line 1 names no item"), "{told}");
}

/// The drawn keys of a sample.
fn drawn(desk: &Desk, name: &str) -> Vec<Value> {
    let is_it = |one: &Value| one["id"] == name && one["act"] == "draw";
    let sample = desk.exported("amendment").into_iter().rfind(is_it).expect("drawn");
    let strata = sample["to"]["strata"].as_array().expect("strata").clone();
    strata.iter().flat_map(|stratum| stratum["drawn"].as_array().expect("keys").clone()).collect()
}

/// As the guide does it, in a study that has snapshots of sessions among its summaries.
#[test]
fn what_is_drawn_from_the_rest_of_a_sample_is_nowhere_in_it() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let assign = ["assign", "study.db", "--protocol", "coverage", "--sample"];
    let with = |more: &[&'static str]| [&assign[..], more].concat();
    desk.out(&with(&["6", "--stratify", "domain", "--name", "dev", "--to", "alice"]));
    let told = desk.out(&with(&["4", "--filter", "-sample=dev", "--name", "test"]));
    assert!(told.contains("Sample test: 4 of 16 "), "22 without 6: {told}");
    let (dev, test) = (drawn(&desk, "dev"), drawn(&desk, "test"));
    assert_eq!((dev.len(), test.len()), (6, 4));
    assert!(test.iter().all(|key| !dev.contains(key)), "{dev:?} {test:?}");
    // Its filter and strata may tell what others said, so it stays here where somebody takes her part home.
    desk.out(&["split", "study.db", "--for", "alice", "--to", "home.db"]);
    assert!(!desk.out(&["export", "home.db", "--what", "all"]).contains("\"draw\""));
    // A sample of one name in two files: said, and the later one holds.
    fs::copy(desk.path("study.db"), desk.path("other.db")).expect("a copy");
    desk.out(&["withdraw", "other.db", "sample", "dev", "--as", "lead", "--reason", "too small"]);
    let (status, told) =
        desk.fails(&["withdraw", "other.db", "sample", "dev", "--as", "lead", "--reason", "no", "--restore"]);
    assert!(status == 2 && told.contains("a sample is drawn again, and not restored"), "{told}");
    desk.out(&["assign", "other.db", "--protocol", "coverage", "--sample", "8", "--name", "dev"]);
    let told = desk.out(&["merge", "study.db", "other.db"]);
    assert!(told.contains("sample \"dev\" was drawn in both files, in two ways"), "{told}");
    assert_eq!(drawn(&desk, "dev").len(), 8);
}

/// The questions of law are 0 and 3; the judge is least sure of the second.
fn unsure() -> Desk {
    let desk = Desk::with_questions(6);
    let said = |question: usize, sure: u32| {
        json!({"type":"judgment","protocol":"keypoint","annotator":"judge","query":format!("q{question}"),
            "document":"d","unit":"one","answers":{"grounded":"yes","validity":"agree"},"seconds":sure})
    };
    let judge = json!({"type":"annotator","id":"judge","kind":"model"});
    desk.import("judge.jsonl", &[judge, said(0, 9), said(3, 2)]);
    desk
}

#[test]
fn an_order_that_was_asked_for_is_on_record_and_tells_no_drift() {
    let desk = unsure();
    let given = ["assign", "study.db", "--filter", "domain=law", "--to", "alice"];
    desk.out(&given);
    desk.out(&[&given[..], &["--sort", "-query"]].concat());
    assert_eq!(desk.queue("alice")[..5], ["q3/one", "q3/two", "q3/three", "q3/four", "q0/one"]);
    let sorted = desk.assignments();
    assert!(sorted.iter().all(|one| one["sorted"]["by"] == "-query"), "{sorted:?}");
    let again = desk.run(&[&given[..], &["--sort", "-query"]].concat());
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing had to change"));
    let plain = desk.run(&given);
    assert!(String::from_utf8_lossy(&plain.stderr).contains("nothing had to change"), "it stays so");
    let (status, told) = desk.fails(&[&given[..], &["--sort", "sureness"]].concat());
    assert!(status == 2 && told.contains("no field \"sureness\""), "{told}");

    // The screen says why an item is there, and each judgment that it was.
    let mut session = desk.start(&["annotate", "study.db", "--as", "alice", "--protocol", "keypoint"]);
    session.wait_for("item 1 of 8 · 0 judged").wait_for("─ sorted by -query").settle();
    for item in 2..=4 {
        session.answer("n", &format!("item {item} of 8"));
    }
    // What she does not want goes back to the lead.
    session.type_keys("R").wait_for("Why you give it back");
    session.type_keys("not my field\r").wait_for("item 4 of 7 · 3 judged");
    session.quit();
    let status = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert!(status.contains("not my field"), "{status}");
    assert!(!status.contains("Drift over"), "{status}");
    let back: Vec<Value> = desk.assignments().into_iter().filter(|one| one["role"] == "back").collect();
    assert_eq!(
        (back.len(), &back[0]["unit"], &back[0]["explanation"]),
        (1, &json!("four"), &json!("not my field"))
    );
    desk.out(&[&given[..], &["--to", "alice,bob"]].concat());
    let of_bob = desk.assignments().into_iter().filter(|one| one["annotator"] == "bob");
    assert!(of_bob.clone().any(|one| one["query"] == "q3" && one["unit"] == "four"), "another has it");
    let alice = desk.queue("alice");
    assert!(!alice.contains(&"q3/four".to_owned()), "{alice:?}");
}

#[test]
fn a_part_is_judged_by_itself_and_status_tells_of_it() {
    let desk = unsure();
    let annotate = ["annotate", "study.db", "--as", "alice", "--protocol", "keypoint"];
    let mut session = desk.start(&[&annotate[..], &["--filter", "domain=law", "--sort", "query"]].concat());
    session
        .wait_for("item 1 of 8 · 0 judged")
        .wait_for("sorted by query")
        .wait_for("open are 8 of 24 items, in whole groups");
    session.settle().answer("n", "item 2 of 8 · 1 judged");
    session.quit();
    let mut session = desk.start(&annotate);
    session.wait_for("of 24 · 1 judged").quit();
    let rows = |options: &[&str]| match desk
        .json(&[&["status", "study.db", "--protocol", "keypoint"], options].concat())
    {
        Value::Array(tables) => tables[0].clone(),
        table => table,
    };
    let (all, law) = (rows(&[]), rows(&["--filter", "domain=law"]));
    assert_eq!((&all["rows"][0]["left"], &law["rows"][0]["left"]), (&json!(23), &json!(7)), "{law}");
    assert_eq!((&law["items"], &law["rows"][0]["median_keys"]), (&json!(8), &json!(1.0)), "{law}");
    // Who came from a file pressed no key here, and judged all the same.
    let zoe = json!({"type":"judgment","protocol":"keypoint","annotator":"zoe","query":"q0","document":"d","unit":"one",
        "answers":{"grounded":"yes","validity":"agree"},"seconds":4});
    desk.import("zoe.jsonl", &[json!({"type":"annotator","id":"zoe","kind":"human"}), zoe]);
    let all = rows(&[]);
    assert_eq!((&all["rows"][1]["annotator"], &all["rows"][1]["done"]), (&json!("zoe"), &json!(1)), "{all}");
    assert_eq!(all["rows"][1]["median_keys_undefined"], "no_keys", "{all}");
    assert_eq!(rows(&["--filter", "domain=health"])["rows"], json!([]));
    let (status, told) = desk.fails(&["status", "study.db", "--filter", "domain=sea"]);
    assert!(status == 1 && told.contains("domain=sea"), "{told}");
}

#[test]
fn a_part_goes_to_who_is_named_and_to_nobody_else() {
    let desk = Desk::with_questions(6);
    desk.out(&["assign", "study.db", "--to", "alice,bob"]);
    desk.import("judged.jsonl", &[judgment("alice", 1, "one", "agree"), judgment("bob", 1, "one", "agree")]);
    let before = desk.assignments();
    fs::write(desk.path("items.jsonl"), "{\"query\":\"q1\"}\n{\"query\":\"q2\"}\n{\"query\":\"q3\"}\n")
        .expect("written");
    desk.out(&["assign", "study.db", "--items", "items.jsonl", "--to", "carol"]);
    let after = desk.assignments();
    for one in &after {
        let is_part = ["q1", "q2", "q3"].contains(&one["query"].as_str().expect("a query"));
        // What somebody has judged stays hers.
        let is_judged = one["query"] == "q1" && one["unit"] == "one";
        assert_eq!(one["annotator"] == "carol", is_part && !is_judged, "{one}");
        assert!(one["left"].is_null(), "nobody has left: {one}");
    }
    assert_eq!(after.len(), before.len());
}
