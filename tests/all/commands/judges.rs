//! `haymark judges`: judges against people.

use serde_json::{Value, json};

use crate::harness::{Desk, shared, shared_text};

fn rows<'a>(tables: &'a Value, title: &str) -> Vec<&'a Value> {
    let all = tables.as_array().expect("several tables").iter();
    let named = all.filter(|table| table["title"].as_str().is_some_and(|other| other.ends_with(title)));
    named.flat_map(|table| table["rows"].as_array().expect("rows")).collect()
}

fn near(value: &Value, expected: &Value, tolerance: f64) {
    let (value, expected) = (value.as_f64().expect("a number"), expected.as_f64().expect("a number"));
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn both_published_tables_of_judges_come_out_of_the_published_data() {
    let Some(data) = shared("data/summhay/eval_benchmark_data.json") else { return };
    let Some(oracle) = shared_text("oracles/summhay_table1.json") else { return };
    let oracle: Value = serde_json::from_str(&oracle).expect("JSON");
    let desk = Desk::new();
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", data.to_str().expect("UTF-8")]);
    let mut arguments = vec!["judges".to_owned(), "study.db".into()];
    for (name, judge) in oracle["judges"].as_object().expect("judges") {
        let name = name.trim_start_matches("predictions_");
        arguments.extend(["--cost".to_owned(), format!("{name}={}", judge["cost_per_summary_usd"])]);
    }
    let tables = desk.json(&arguments);

    // Table 1 of the paper.
    let overview = rows(&tables, "Judges against people");
    for (name, judge) in oracle["judges"].as_object().expect("judges") {
        let name = name.trim_start_matches("predictions_");
        let row = overview.iter().find(|row| row["annotator"] == name).expect(name);
        near(&row["pearson_r"], &judge["insight_pearson"], 1e-9);
        near(&row["linking_accuracy"], &judge["linking_accuracy"], 1e-9);
        assert_eq!(row["linked"], judge["link_pairs_counted"], "{name}");
        assert_eq!(row["linked_same"], judge["link_pairs_correct"], "{name}");
        near(&row["cost"], &judge["total_cost_usd"], 1e-9);
        for coefficient in ["cohen_kappa", "cohen_kappa_linear", "krippendorff_alpha_ordinal", "gwet_ac1"] {
            let agreement = &judge["agreement"][coefficient];
            let expected = if agreement.is_object() { &agreement["value"] } else { agreement };
            near(&row[coefficient], expected, 1e-9);
        }
    }

    // Table 4, to the three decimals that the definitions give on this data (GPT-4o as judge).
    let bias = rows(&tables, "Bias by summarizer");
    for (summarizer, expected) in [("claude3-sonnet", 0.027), ("gpt3.5", 0.009), ("command-r-plus", 0.064)] {
        let of_judge =
            |row: &&&Value| row["summarizer"] == summarizer && row.get("prompted_gpt-4o").is_some();
        let row = bias.iter().find(of_judge).expect(summarizer);
        near(&row["prompted_gpt-4o"], &expected.into(), 5e-4);
    }
    let length = rows(&tables, "Length bias");
    let gpt4o = length.iter().find(|row| row["judge"] == "prompted_gpt-4o").expect("a row");
    near(&gpt4o["length_to_difference"], &0.023.into(), 5e-4);
    near(&gpt4o["length_to_score"], &(-0.119).into(), 5e-4);
}

#[test]
fn people_stand_first_and_what_linking_leaves_out_is_named() {
    let desk = Desk::new();
    desk.file(
        "small.jsonl",
        concat!(
            r#"{"type":"collection","id":"c"}"#, "\n",
            r#"{"type":"query","collection":"c","id":"q","text":"?"}"#, "\n",
            r#"{"type":"unit","query":"q","id":"u1","kind":"insight","text":"one"}"#, "\n",
            r#"{"type":"unit","query":"q","id":"u2","kind":"insight","text":"two"}"#, "\n",
            r#"{"type":"candidate","query":"q","id":"s","summarizer":"m","text":"- a\n- b"}"#, "\n",
            r#"{"type":"annotator","id":"ann","kind":"human"}"#, "\n",
            r#"{"type":"annotator","id":"bo","kind":"human"}"#, "\n",
            r#"{"type":"annotator","id":"robot","kind":"model","meta":{"cost_per_summary":0.5}}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"ann","unit":"u1","candidate":"s","answers":{"coverage":"full","bullet":1},"seconds":1800}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"ann","unit":"u2","candidate":"s","answers":{"coverage":"none"}}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"bo","unit":"u1","candidate":"s","answers":{"coverage":"full","bullet":2}}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"bo","unit":"u2","candidate":"s","answers":{"coverage":"partial","bullet":2}}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"robot","unit":"u1","candidate":"s","answers":{"coverage":"full","bullet":[1,2]}}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"robot","unit":"u2","candidate":"s","answers":{"coverage":"partial","bullet":2}}"#, "\n",
        ),
    );
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", "small.jsonl"]);
    let tables = desk.json(&["judges", "study.db", "--hourly-rate", "20"]);
    let overview = rows(&tables, "Judges against people");
    let (people, robot) = (overview[0], overview[1]);
    // ann and bo: one of two labels equal; linked by both once, differently. One pass over two items at the half hour of the
    // one whose time is known: 20 × 1.
    assert_eq!((&people["annotator"], &people["percent_agreement"]), (&"people".into(), &0.5.into()));
    assert_eq!(
        (&people["linking_accuracy"], &people["linked"], &people["cost"]),
        (&0.0.into(), &1.into(), &20.0.into())
    );
    // robot: half with ann, all with bo; linked with bo once, and the same; one summary.
    assert_eq!((&robot["percent_agreement"], &robot["items"]), (&0.75.into(), &2.into()));
    assert_eq!(
        (&robot["judgment_pairs"], &people["items"], &people["judgment_pairs"]),
        (&4.into(), &2.into(), &2.into())
    );
    assert_eq!(
        (&robot["linked"], &robot["linked_same"], &robot["cost"]),
        (&1.into(), &1.into(), &0.5.into())
    );
    // Its list stands against both people's bullets; ann links nothing where it names bullet 2.
    assert_eq!((&robot["judge_names_several"], &robot["person_names_none"]), (&2.into(), &1.into()));
    // Coverage under the robot (100 + 50) / 2 = 75, under people (50 + 75) / 2 = 62.5.
    assert_eq!(rows(&tables, "Bias by summarizer")[0]["robot"], 0.125);
    // On the same two items it agrees with people by 0.75 where they agree by 0.5; one query has no interval.
    let beside = rows(&tables, "Judges beside people on the same items");
    let accuracy = beside.iter().find(|row| row["name"] == "percent_agreement").expect("a row");
    assert_eq!((&accuracy["judge"], &accuracy["people"]), (&0.75.into(), &0.5.into()));
    assert_eq!(
        (&accuracy["difference"], &accuracy["difference_interval_undefined"]),
        (&0.25.into(), &"too_few_clusters".into())
    );
    let unpaid = desk.json(&["judges", "study.db"]);
    let people = rows(&unpaid, "Judges against people")[0];
    assert_eq!((&people["cost"], &people["cost_undefined"]), (&Value::Null, &"no_cost".into()));
    let printed = desk.out(&["judges", "study.db"]);
    assert!(
        printed.contains("Left out of linking, because one side only is linked: robot 1 where"),
        "{printed}"
    );
    for (option, value) in [("--cost", "robot"), ("--cost", "robot=-1"), ("--cost", "nobody=1")] {
        assert!(
            !desk.command(&["judges", "study.db", option, value]).output().expect("run").status.success()
        );
    }
}

/// Labels of ann, bo, the judges j1 and j2 by query: `F` full, `N` none, `-` not judged.
const LABELS: [(&str, &str); 5] =
    [("q1", "FFFF"), ("q2", "FNFN"), ("q3", "NNF-"), ("q4", "NNN-"), ("q5", "F-FF")];

fn with_two_judges() -> Desk {
    let mut records = vec![json!({"type":"collection","id":"c"})];
    for (name, kind) in [("ann", "human"), ("bo", "human"), ("j1", "model"), ("j2", "model")] {
        records.push(json!({"type":"annotator","id":name,"kind":kind}));
    }
    for (query, labels) in LABELS {
        records.extend([
            json!({"type":"query","collection":"c","id":query,"text":"?"}),
            json!({"type":"unit","collection":"c","query":query,"id":"u","kind":"insight","text":"one"}),
            json!({"type":"candidate","collection":"c","query":query,"id":"s","summarizer":"m","text":"- a"}),
        ]);
        for (annotator, label) in ["ann", "bo", "j1", "j2"].into_iter().zip(labels.chars()) {
            let answers = match label {
                'F' => json!({"coverage":"full","bullet":1}),
                'N' => json!({"coverage":"none"}),
                _ => continue,
            };
            records
                .push(json!({"type":"judgment","protocol":"coverage","annotator":annotator,"collection":"c",
                "query":query,"unit":"u","candidate":"s","answers":answers}));
        }
    }
    let desk = Desk::new();
    desk.file("judged.jsonl", records.iter().map(|record| format!("{record}\n")).collect::<String>());
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", "judged.jsonl"]);
    desk
}

#[test]
fn judges_are_compared_on_what_all_judged_and_beside_people() {
    let desk = with_two_judges();
    let tables = desk.json(&["judges", "study.db", "--cost", "j1=0.5"]);
    let accuracies = |title: &str| -> Vec<(String, f64, u64, u64)> {
        let row = |row: &&Value| {
            let number = |key: &str| row[key].as_u64().expect("a count");
            let name = row["annotator"].as_str().expect("a name").to_owned();
            let accuracy = row["percent_agreement"].as_f64().expect("a number");
            (name, (accuracy * 1e9).round() / 1e9, number("items"), number("judgment_pairs"))
        };
        rows(&tables, title).iter().map(row).collect()
    };
    let row = |name: &str, accuracy: f64, items, pairs| {
        (name.to_owned(), (accuracy * 1e9).round() / 1e9, items, pairs)
    };
    // j1: 4 of 5 with ann, 2 of 4 with bo; j2: 2 of 3 and 2 of 2.
    assert_eq!(
        accuracies("Judges against people"),
        [row("people", 0.75, 4, 4), row("j1", 0.65, 5, 9), row("j2", 5.0 / 6.0, 3, 5)]
    );
    // On q1, q2 and q5, j1: 3 of 3 and 1 of 2.
    assert_eq!(
        accuracies("On the 3 items that all judges and people judged"),
        [row("people", 0.5, 2, 2), row("j1", 0.75, 3, 5), row("j2", 5.0 / 6.0, 3, 5)]
    );
    // On q1 to q4 j1 has 3 of 4 and 2 of 4, people 3 of 4: −1/8. Without each query −1/6, −1/3, 1/6 and −1/6, whose mean is
    // −1/8 and whose squares add up to 76/576: SE² = 3/4 · 76/576, and t(0.975, 3) = 3.182446305.
    let beside = rows(&tables, "Judges beside people on the same items");
    let of = |judge: &str| {
        let is_it = |row: &&&Value| row["annotator"] == judge && row["name"] == "percent_agreement";
        (*beside.iter().find(is_it).expect("a row")).clone()
    };
    let (first, second) = (of("j1"), of("j2"));
    assert_eq!(
        (&first["items"], &first["judge"], &first["people"]),
        (&4.into(), &0.625.into(), &0.75.into())
    );
    near(&first["difference"], &(-0.125).into(), 1e-12);
    let reach = 3.182_446_305 * 57.0_f64.sqrt() / 24.0;
    near(&first["difference_low"], &(-0.125 - reach).into(), 1e-9);
    near(&first["difference_high"], &(-0.125 + reach).into(), 1e-9);
    assert_eq!(
        (&second["items"], &second["difference_interval_undefined"]),
        (&2.into(), &"too_few_clusters".into())
    );
    // What nobody named a price for has none.
    let costs: Vec<&Value> =
        rows(&tables, "Judges against people").into_iter().map(|row| &row["cost"]).collect();
    assert_eq!(costs, [&Value::Null, &2.5.into(), &Value::Null]);
    // j1 is kinder by what it adds on q2 and q3, each person of q2 counting half: (0 + 1/2 + 1 + 0 + 0) / 5.
    let bias = rows(&tables, "Bias by summarizer");
    near(&bias[0]["j1"], &0.3.into(), 1e-12);
}
