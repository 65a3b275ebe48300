//! What is counted, by which word, and what is said of what is left out.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Desk;

/// A study with a collection `c`, a query `q` and the annotators ana, ben (people) and j1, j2, j3 (models).
fn begun() -> Vec<Value> {
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "query", "collection": "c", "id": "q", "text": "?"}),
    ];
    records.extend(["ana", "ben"].map(|id| json!({"type": "annotator", "id": id, "kind": "human"})));
    records.extend(["j1", "j2", "j3"].map(|id| json!({"type": "annotator", "id": id, "kind": "model"})));
    records
}

fn candidate(id: &str, text: &str) -> Value {
    json!({"type": "candidate", "collection": "c", "query": "q", "id": id, "summarizer": "m", "text": text})
}

fn unit(id: &str) -> Value {
    json!({"type": "unit", "collection": "c", "query": "q", "id": id, "kind": "insight", "text": id})
}

fn judgment(protocol: &str, annotator: &str, about: &[(&str, &str)], answers: Value) -> Value {
    let mut record = json!({"type": "judgment", "protocol": protocol, "annotator": annotator, "collection": "c", "query": "q",
                            "answers": answers});
    for (part, key) in about {
        record[*part] = json!(key);
    }
    record
}

fn tables(found: Value) -> Vec<Value> {
    found.as_array().cloned().unwrap_or_else(|| vec![found])
}

#[test]
fn han_characters_are_words_and_words_without_citations_stand_beside() {
    let desk = Desk::new();
    let mut records = begun();
    // 热 泵 省 电 and two words of the citation; heat pumps – save power and one.
    records.extend([unit("u"), candidate("s", "- 热泵省电 [1, 2]\n- heat pumps – save power [3]")]);
    records.push(judgment(
        "coverage",
        "ana",
        &[("unit", "u"), ("candidate", "s")],
        json!({"coverage": "full", "bullet": 1}),
    ));
    desk.import("words.jsonl", &records);
    let row = desk.json(&["score", "study.db", "--table", "scores"])["rows"][0].clone();
    // As published marks and citations count: 1 + 4 + 2 and 1 + 5 + 1 words in two bullets.
    assert_eq!(
        (&row["words_per_bullet"], &row["uncited_words_per_bullet"]),
        (&json!(7.0), &json!(5.5)),
        "{row}"
    );
    assert!(!desk.out(&["score", "study.db"]).contains("without"));
    let full = desk.out(&["score", "study.db", "--full"]);
    assert!(full.contains("without") && full.contains("5.5"), "{full}");
    // Lists of browse count the same.
    let views = ["export", "study.db", "--what", "view", "--table", "candidates", "--columns", "words"];
    let seen: Value = serde_json::from_str(&desk.out(&views)).expect("a row");
    assert_eq!(seen["values"]["words"], 14, "{seen}");
}

#[test]
fn what_an_older_version_did_not_ask_is_in_no_share_of_it() {
    let desk = Desk::new();
    let mut records = begun();
    records.extend(["s1", "s2", "s3", "s4"].map(|id| candidate(id, "- it")));
    desk.import("study.jsonl", &records);
    let add = |version: u32, tags: &str, more: &str| {
        let text = format!(
            "name = \"faults\"\ntitle = \"Faults\"\nversion = {version}\nsource = \"\"\ntarget = [\"candidate\"]\ngroup = \"candidate\"\n\
             [layout]\nabove = [\"query\"]\nleft = [\"candidate\"]\nright = []\n[[question]]\nkey = \"fault\"\nprompt = \"Faults?\"\nkind = \"tags\"\ntags = [{tags}]\n{more}"
        );
        desk.file("faults.toml", text);
        desk.file("faults.md", "# Faults\n");
        desk.out(&["protocol", "add", "study.db", "faults.toml", "--guideline", "faults.md"]);
    };
    let dull = "{ value = \"dull\", label = \"dull\", key = \"v\" }";
    let judge = |version: u32, annotator: &str, candidate: &str, answers: Value| {
        let mut record = judgment("faults", annotator, &[("candidate", candidate)], answers);
        record["version"] = json!(version);
        record
    };
    add(1, dull, "");
    let given = |annotator: &str| {
        vec![
            judge(1, annotator, "s1", json!({"fault": ["dull"]})),
            judge(1, annotator, "s2", json!({"fault": []})),
        ]
    };
    desk.import("first.jsonl", &[given("ana"), given("ben")].concat());
    let note = "\n[[question]]\nkey = \"why\"\nprompt = \"Why?\"\nkind = \"text\"\nhotkey = \"y\"\nrequired = false\n";
    add(2, &format!("{dull}, {{ value = \"wrong\", label = \"wrong\", key = \"w\" }}"), note);
    let later = |annotator: &str| {
        vec![
            judge(2, annotator, "s3", json!({"fault": ["wrong"], "why": "because so"})),
            judge(2, annotator, "s4", json!({"fault": ["dull"]})),
        ]
    };
    desk.import("second.jsonl", &[later("ana"), later("ben")].concat());
    let mixed = tables(desk.json(&["score", "study.db", "--protocol", "faults", "--all-versions"]));
    let of = |key: &str| mixed.iter().find(|table| table["table"] == key).expect(key)["rows"][0].clone();
    let tags = of("tags");
    // Two of four are dull; of the two that could be called wrong one is.
    assert_eq!(
        (&tags["items"], &tags["share_dull"], &tags["share_wrong"]),
        (&json!(4), &json!(50.0), &json!(50.0)),
        "{tags}"
    );
    assert_eq!(of("texts")["items"], 2, "asked of two");
    let agree = desk.agreements(&["agree", "study.db", "--protocol", "faults", "--all-versions"]);
    let rated = |tag: &str| {
        let one = agree.iter().find(|one| one["tag"] == tag).expect(tag);
        one["items"].clone()
    };
    assert_eq!((rated("dull"), rated("wrong")), (json!(4), json!(2)), "{agree:?}");
}

#[test]
fn estimated_labels_are_those_of_the_model_that_agree_prints() {
    let desk = Desk::new();
    let mut records = begun();
    for item in 0..12 {
        let name = format!("s{item}");
        records.push(candidate(&name, "- it [1]"));
        for (annotator, says_yes) in [
            ("ana", item % 3 == 0),
            ("ben", item % 3 == 0 || item == 7),
            ("j1", true),
            ("j2", true),
            ("j3", true),
        ] {
            let label = if says_yes { "yes" } else { "no" };
            let answers = json!({"faithful": label, "comprehensive": label});
            records.push(judgment("faithfulness", annotator, &[("candidate", &name)], answers));
        }
    }
    desk.import("study.jsonl", &records);
    let asked = ["export", "study.db", "--what", "labels", "--question", "faithful"];
    let told = desk.out(&asked);
    assert_eq!(told, desk.out(&[&asked[..], &["--annotators", "ana,ben"]].concat()), "people only");
    assert_ne!(told, desk.out(&[&asked[..], &["--annotators", "ana,ben,j1,j2,j3"]].concat()));
    assert!(desk.told(&asked).contains("3 model annotators are left out"), "{}", desk.told(&asked));
    let rows: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let model = desk.agreement(&["agree", "study.db", "--question", "faithful", "--model"]);
    let prevalence: Vec<f64> = model["prevalence"]
        .as_array()
        .expect("shares")
        .iter()
        .map(|share| share.as_f64().expect("a share"))
        .collect();
    // Nobody doubts most items: the mean of the probabilities is what the model holds of all.
    let sure =
        |label: &str| rows.iter().filter(|row| row["label"] == label).count() as f64 / rows.len() as f64;
    let categories = ["no", "partially", "yes"];
    for (label, share) in categories.iter().zip(&prevalence) {
        assert!(
            (sure(label) - share).abs() < 0.1,
            "{label}: {} of {told} beside {prevalence:?}",
            sure(label)
        );
    }
}

/// A document is asked about for each insight that it holds, and one other; a file may bring judgments of all others.
#[test]
fn status_says_which_judgments_it_does_not_count_and_score_does() {
    let desk = Desk::new();
    let mut records = begun();
    for number in 1..=9 {
        records.push(json!({"type": "document", "collection": "c", "id": format!("d{number}"), "number": number, "text": "it"}));
    }
    let mut held = unit("u");
    held["documents"] = json!(["d1"]);
    records.push(held);
    for number in 1..=9 {
        let present = if number == 1 { "yes" } else { "no" };
        let about = format!("d{number}");
        records.push(judgment(
            "placement",
            "ana",
            &[("document", &about), ("unit", "u")],
            json!({"present": present}),
        ));
    }
    desk.import("study.jsonl", &records);
    let row = tables(desk.json(&["score", "study.db", "--protocol", "placement"]))[0]["total"].clone();
    let scored =
        row["items"].as_u64().expect("a count") + row["missed_mapping_items"].as_u64().expect("a count");
    let overview = tables(desk.json(&["status", "study.db"]))[0].clone();
    let judged = overview["rows"][0]["items"].as_u64().expect("a count");
    assert!(scored == 9 && judged < 9, "{overview}");
    let left_out = format!("placement: {} items are more judged", 9 - judged);
    assert!(overview["notes"].to_string().contains(&left_out), "{overview}");
    let told = desk.out(&["status", "study.db", "--protocol", "placement"]);
    assert!(told.replace('\n', " ").contains("does not ask of this study"), "{told}");
}

#[test]
fn a_query_has_one_name_in_all_tables() {
    let desk = Desk::new();
    let mut records = begun();
    records.extend([unit("u"), candidate("s", "- it")]);
    records.push(json!({"type": "collection", "id": "other"}));
    records.push(json!({"type": "query", "collection": "other", "id": "q", "text": "?"}));
    for annotator in ["ana", "ben"] {
        let about = [("unit", "u"), ("candidate", "s")];
        records.push(judgment("coverage", annotator, &about, json!({"coverage": "full", "bullet": 1})));
    }
    desk.import("study.jsonl", &records);
    // Nobody judged the query of the other collection, and it is there all the same.
    let scores = desk.json(&["score", "study.db", "--by", "query", "--table", "scores"]);
    assert_eq!(scores["rows"][0]["query"], "c/q", "{scores}");
    let agree = desk.agreement(&["agree", "study.db", "--by", "query"]);
    assert_eq!(agree["by_query"][0]["query"], "c/q", "{agree}");
}

#[test]
fn what_is_not_systems_is_not_called_so_and_imports_are_named() {
    let desk = Desk::new();
    let study = desk.sample();
    let told =
        desk.out(&["score", study, "--protocol", "coverage", "--annotators", "each", "--by", "summarizer"]);
    assert!(told.contains("differences between summarizers") && !told.contains("systems"), "{told}");
    desk.out(&["report", study, "-o", "report.html"]);
    let page = fs::read_to_string(desk.path("report.html")).expect("the page");
    assert!(page.contains("came in from files, and how they were made is not known here"), "in short");
    assert!(page.contains("Nothing is known here of how they were made"), "beside who judged");
}

#[test]
fn gold_warns_where_most_is_left_out_and_says_why() {
    let desk = Desk::new();
    let mut records = begun();
    for (item, of_ben) in
        ["none", "none", "full", "none"].iter().enumerate().map(|(item, label)| (item, *label))
    {
        let name = format!("u{item}");
        records.push(unit(&name));
        if item == 0 {
            records.push(candidate("s", "- it"));
        }
        let about = [("unit", name.as_str()), ("candidate", "s")];
        records.push(judgment("coverage", "ana", &about, json!({"coverage": "none"})));
        if item > 1 {
            let answers = if of_ben == "full" {
                json!({"coverage": "full", "bullet": 1})
            } else {
                json!({"coverage": of_ben})
            };
            records.push(judgment("coverage", "ben", &about, answers));
        }
    }
    desk.import("study.jsonl", &records);
    let told = desk.told(&["export", "study.db", "--what", "gold"]);
    assert!(
        told.contains(
            "1 unanimous; 3 unresolved (2 judged by one only, 1 on which they differ) are left out"
        ),
        "{told}"
    );
    assert!(
        told.contains("Warning: 3 of 4 items have no gold by this rule; --rule \"all agree or single\""),
        "{told}"
    );
    let told = desk.told(&["export", "study.db", "--what", "gold", "--rule", "all agree or single"]);
    assert!(told.contains("1 unresolved (1 on which they differ)") && !told.contains("Warning"), "{told}");
}

#[test]
fn a_filtered_dataset_holds_no_text_of_what_is_left_out_and_says_where_judgments_came_from() {
    let desk = Desk::new();
    let study = desk.sample();
    let folder = |name: &str, filter: &[&str]| {
        desk.out(&[&["export", study, "--what", "dataset", "-o", name][..], filter].concat());
        ["corpus.csv", "candidates.csv"].map(|file| {
            let text = fs::read_to_string(desk.path(&format!("{name}/{file}"))).expect(file);
            csv::Reader::from_reader(text.as_bytes())
                .records()
                .map(|row| row.expect("a row"))
                .collect::<Vec<_>>()
        })
    };
    let [whole, _] = folder("whole", &[]);
    let [corpus, candidates] = folder("part", &["--filter", "query=stress protocol=coverage"]);
    let count = |rows: &[csv::StringRecord], kind: &str| rows.iter().filter(|row| &row[0] == kind).count();
    assert!(count(&whole, "query") > 1 && count(&corpus, "query") == 1 && count(&corpus, "collection") == 1);
    assert!(count(&corpus, "unit") > 0 && count(&corpus, "unit") < count(&whole, "unit"));
    assert!(
        corpus.iter().all(|row| ["collection", "annotator"].contains(&&row[0]) || &row[1] == "exam"),
        "{corpus:?}"
    );
    assert!(!candidates.is_empty() && candidates.iter().all(|row| row.iter().any(|cell| cell == "stress")));
    let card = fs::read_to_string(desk.path("part/README.md")).expect("the datasheet");
    assert!(card.contains("All of these judgments came in from files. Nothing is known here"), "{card}");
    assert!(
        card.contains("Nothing was assigned here.") && !card.contains("in an order of their own"),
        "{card}"
    );
}

#[test]
fn no_heading_is_cut_in_80_columns() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    for command in [
        &["score", "study.db", "--by", "category,summarizer"][..],
        &["score", "study.db", "--full"],
        &["agree", "study.db", "--full"],
        &["judges", "study.db", "--full"],
        &["status", "study.db", "--full"],
    ] {
        let text = desk.out(command);
        let lines: Vec<&str> = text.lines().collect();
        let rules = (0..lines.len()).filter(|at| lines[*at].starts_with("───"));
        for rule in rules {
            // The words of a heading are broken over a few lines, up to an empty one.
            let headings = lines[..rule].iter().rev().take_while(|line| !line.is_empty());
            assert!(
                headings.clone().count() > 0 && headings.clone().all(|line| !line.contains('…')),
                "{text}"
            );
        }
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// Four items that several rated, and one that one did: by resampling too the numbers rest on the four.
#[test]
fn items_are_items_and_clusters_those_with_something_to_compare() {
    let desk = Desk::new();
    desk.file("ratings.csv", "item,a,b,c\n1,x,x,y\n2,x,y,y\n3,y,y,y\n4,x,x,x\n5,x,,\n");
    for interval in ["jackknife", "bootstrap"] {
        let asked = ["agree", "ratings.csv", "--interval", interval, "--table", "coefficients", "--format"];
        let tables = desk.json(&asked[..6]);
        let rows = tables.pointer("/0/rows").or(tables.get("rows")).and_then(Value::as_array).expect("rows");
        let alpha = rows.iter().find(|row| row["name"] == "krippendorff_alpha_nominal").expect("alpha");
        assert_eq!((&alpha["items"], &alpha["clusters"]), (&json!(4), &json!(4)), "{interval}: {alpha}");
        let head = desk.out(&[&asked[..], &["markdown"]].concat());
        let head = head.lines().find(|line| line.contains("coefficient |")).expect("a head").to_owned();
        assert_eq!(head.matches("| items |").count(), 1, "{head}");
        let first = desk.out(&["agree", "ratings.csv", "--interval", interval]);
        assert!(first.lines().any(|line| line.contains("alpha") && line.contains("  4")), "{first}");
    }
}

#[test]
fn a_table_with_intervals_says_how_they_are_made_wherever_it_is_printed() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let count = |text: &str| text.replace('\n', " ").matches("95 % intervals over").count();
    let asked = ["score", "study.db", "--protocol", "keypoint", "--by", "query"];
    let together = desk.out(&[&asked[..], &["--full"]].concat());
    assert_eq!(count(&together), 1, "{together}");
    let each = ["score", "study.db", "--protocol", "coverage", "--annotators", "each", "--full"];
    let differences = desk.out(&[&each[..], &["--table", "coverage: differences between systems"]].concat());
    assert_eq!(count(&differences), 1, "{differences}");
    desk.out(&[&each[..], &["-o", "tables"]].concat());
    let names = desk.files();
    let told = names.iter().filter(|(name, _)| name.starts_with("tables")).map(|(name, bytes)| {
        let text = String::from_utf8(bytes.clone()).expect("UTF-8");
        (name.clone(), text.contains("differences between systems"), count(&text))
    });
    let told: Vec<_> = told.collect();
    assert!(told.iter().any(|(_, is_one, _)| *is_one), "{told:?}");
    assert!(told.iter().all(|(_, is_one, count)| !is_one || *count == 1), "{told:?}");
    let grid = desk.out(&[
        "score",
        "study.db",
        "--protocol",
        "coverage",
        "--by",
        "summarizer,order",
        "--pivot",
        "--table",
        "joint",
    ]);
    assert!(!grid.contains('–') || count(&grid) == 1 || grid.contains("No intervals"), "{grid}");
    let agreement =
        desk.out(&["agree", "study.db", "--protocol", "coverage", "--table", "by_query", "--full"]);
    assert_eq!(count(&agreement), 1, "{agreement}");
}
