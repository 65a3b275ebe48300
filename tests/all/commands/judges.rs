//! `haymark judges`: judges against people.

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries, shared, shared_text};

fn rows<'a>(tables: &'a Value, title: &str) -> Vec<&'a Value> {
    let all = tables.as_array().expect("several tables").iter();
    let named = all.filter(|table| table["title"].as_str().is_some_and(|other| other.ends_with(title)));
    named.flat_map(|table| table["rows"].as_array().expect("rows")).collect()
}

fn near(value: &Value, expected: &Value, tolerance: f64) {
    let (value, expected) = (value.as_f64().expect("a number"), expected.as_f64().expect("a number"));
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

/// 95 % intervals of GPT-4o's row on the published file, whose 29 queries are left out in turn, computed outside this program by the
/// oracles' own script, which knows the lowest value that the labels allow; that of linking by numpy and scipy.
const INTERVALS: [(&str, f64, f64); 7] = [
    ("pearson_r", 0.647468171968867, 0.7732262247473214),
    ("percent_agreement", 0.6100471751595252, 0.7111237429101108),
    ("cohen_kappa", 0.41456286528943986, 0.5608109744430577),
    ("cohen_kappa_quadratic", 0.6297116709576095, 0.7693307241748605),
    ("krippendorff_alpha_ordinal", 0.6292371198037104, 0.7675385026187148),
    ("gwet_ac1", 0.4168276088127896, 0.5712764318401189),
    ("linking_accuracy", 0.8280662736268627, 0.9296870951140858),
];

/// The same of biases, as they are; the summarizer gpt3.5 has summaries of 7 queries.
const BIASES: [(&str, f64, f64); 4] = [
    ("claude3-sonnet", -0.02487889697955373, 0.07791666381042403),
    ("command-r-plus", -0.004339729299701403, 0.1327347910280965),
    ("gpt3.5", -0.06120118498724228, 0.0797197035057608),
    ("average", 0.005448960266292616, 0.08782329407690155),
];

/// The same of length biases, on Fisher's z.
const LENGTHS: [(&str, f64, f64); 2] = [
    ("length_to_difference", -0.0796508511626982, 0.12487265811371966),
    ("length_to_score", -0.2832748460716596, 0.05227901632423302),
];

/// Checks the ends of the interval of this name.
fn near_ends(row: &Value, name: &str, low: f64, high: f64) {
    near(&row[format!("{name}_low")], &low.into(), 1e-9);
    near(&row[format!("{name}_high")], &high.into(), 1e-9);
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
        if name == "prompted_gpt-4o" {
            INTERVALS.iter().for_each(|(statistic, low, high)| near_ends(row, statistic, *low, *high));
        }
    }

    // Table 4, to the three decimals that the definitions give on this data (GPT-4o as judge).
    let all = tables.as_array().expect("tables");
    let of_bias: Vec<&Value> = all.iter().filter(|table| table["table"] == "bias").collect();
    assert_eq!(of_bias.len(), 1, "a column a judge in one table, however many judges there are");
    let mut bias = rows(&tables, "Bias by summarizer");
    bias.push(&of_bias[0]["total"]);
    let of = |summarizer: &str| *bias.iter().find(|row| row["summarizer"] == summarizer).expect("a row");
    for (summarizer, expected) in [("claude3-sonnet", 0.027), ("gpt3.5", 0.009), ("command-r-plus", 0.064)] {
        near(&of(summarizer)["prompted_gpt-4o"], &expected.into(), 5e-4);
    }
    for (summarizer, low, high) in BIASES {
        near_ends(of(summarizer), "prompted_gpt-4o", low, high);
    }
    let length = rows(&tables, "Length bias");
    let gpt4o = length.iter().find(|row| row["judge"] == "prompted_gpt-4o").expect("a row");
    near(&gpt4o["length_to_difference"], &0.023.into(), 5e-4);
    near(&gpt4o["length_to_score"], &(-0.119).into(), 5e-4);
    LENGTHS.iter().for_each(|(name, low, high)| near_ends(gpt4o, name, *low, *high));
}

/// Three people and a judge on a question whose labels have no order; bo judged one of the three queries.
#[test]
fn labels_without_an_order_have_no_statistic_that_asks_for_one() {
    let desk = Desk::new();
    let mut text = String::new();
    let mut line = |record: Value| text += &format!("{record}\n");
    line(json!({"type":"collection","id":"c"}));
    let people = [("ann", "human"), ("bo", "human"), ("chi", "human"), ("robot", "model")];
    people.iter().for_each(|(id, kind)| line(json!({"type":"annotator","id":id,"kind":kind})));
    let labels = ["yes", "neutral", "no"];
    for query in 0..3 {
        let q = format!("q{query}");
        line(json!({"type":"query","collection":"c","id":q,"text":"?"}));
        line(json!({"type":"candidate","query":q,"id":format!("s{query}"),"summarizer":"m","text":"- a"}));
        for unit in 0..4 {
            let u = format!("u{query}{unit}");
            line(json!({"type":"unit","query":q,"id":u,"kind":"key_point","text":"one"}));
            for (place, (id, _)) in people.iter().enumerate().filter(|(place, _)| *place != 1 || query == 0) {
                let at = query + unit + usize::from((unit + place) % 4 == 3);
                let mut answers = json!({"entailed":labels[at % 3]});
                if at % 3 > 0 {
                    answers["missing"] = "general".into();
                }
                line(json!({"type":"judgment","protocol":"entailment","annotator":id,"unit":u,
                    "candidate":format!("s{query}"),"answers":answers}));
            }
        }
    }
    desk.file("small.jsonl", &text);
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", "small.jsonl"]);
    let tables = desk.json(&["judges", "study.db", "--protocol", "entailment"]);
    let robot = rows(&tables, "entailment · entailed · Judges against people")[1];
    for name in [
        "pearson_r",
        "cohen_kappa_linear",
        "cohen_kappa_quadratic",
        "krippendorff_alpha_ordinal",
        "gwet_ac2_ordinal",
    ] {
        assert!(robot.get(name).is_none(), "{name}: {robot}");
    }
    assert!(robot["krippendorff_alpha_nominal"].is_f64() && robot["cohen_kappa"].is_f64(), "{robot}");
    // Means over three people; bo and the robot have the four items of one query.
    assert_eq!(
        (&robot["pairs"], &robot["least_items"], &robot["over"]),
        (&3.into(), &4.into(), &"3 queries".into())
    );
    let text = desk.out(&["judges", "study.db", "--protocol", "entailment"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in ["robot: 3 pairs with 4 items or more in common, over 3 queries.", "alpha"] {
        assert!(words.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("kappa²"), "{text}");
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
        accuracies("On the 3 items that a person and all judges judged"),
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
    // By query 0, 1/2, 1, 0, 0: SE² = 0.8 / (5 · 4), t(0.975, 4) = 2.776445105.
    near_ends(bias[0], "j1", 0.3 - 0.2 * 2.776_445_105_197_793, 0.3 + 0.2 * 2.776_445_105_197_793);

    // j1 agrees with ann on 4 of 5 and with bo on 2 of 4. Without each query 3/4 and 1/3, 3/4 and 2/3, 1 and 2/3, 3/4 and 1/3,
    // 3/4 and 1/2: means of 13, 17, 20, 13 and 15 in 24, which have the mean 15.6 and squares of 35.2: SE² = 4/5 · 35.2 / 576.
    let j1 = rows(&tables, "Judges against people")[1];
    let reach = 2.776_445_105_197_793 * (0.8_f64 * 35.2 / 576.0).sqrt() / (0.65 * 0.35);
    let end = |sign: f64| 1.0 / (1.0 + (-((0.65_f64 / 0.35).ln() + sign * reach)).exp());
    near_ends(j1, "percent_agreement", end(-1.0), end(1.0));
    // Its bullets are always the same where both link: on q1, q2 and q5, so over three queries.
    near_ends(j1, "linking_accuracy", 0.025_f64.powf(1.0 / 3.0), 1.0);
    assert_eq!(j1["linking_accuracy_interval"], "exact");
}

#[test]
fn intervals_of_judges_are_made_as_asked_and_said_once() {
    let desk = with_two_judges();
    let how = |arguments: &[&str]| {
        let tables = desk.json(&[&["judges", "study.db"], arguments].concat());
        let notes = tables.as_array().expect("tables").iter().flat_map(|table| table["notes"].as_array());
        let said = |note: &&Value| note.as_str().is_some_and(|note| note.contains("95 % intervals"));
        // All is of one collection, where no number has an interval.
        let told = usize::from(!arguments.contains(&"collection"));
        assert_eq!(notes.flatten().filter(said).count(), told, "{arguments:?}");
        let j1 = rows(&tables, "Judges against people")[1];
        ["_interval", "_interval_undefined"].map(|key| j1[format!("percent_agreement{key}")].clone())
    };
    assert_eq!(how(&["--interval", "bootstrap", "--seed", "7"]), ["bootstrap".into(), Value::Null]);
    assert_eq!(
        how(&["--interval", "formula"]),
        [Value::Null, "no_formula".into()],
        "of a mean over two people"
    );
    assert_eq!(how(&["--cluster", "collection"]), [Value::Null, "too_few_clusters".into()], "all are of one");
    assert_eq!(how(&["--cluster", "item"]), ["jackknife".into(), Value::Null]);
    let plain = desk.out(&["judges", "study.db"]);
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
}

/// Ten items that a person labelled and twenty that the judge labelled alone. Of six that pass it finds five, of four that fail
/// three; alone it lets twelve of twenty pass.
fn labels(desk: &Desk) {
    let mut lines = vec!["case_id,human_label,judge_label".to_owned()];
    let both = [
        ("pass", "pass", 5),
        ("pass", "fail", 1),
        ("fail", "fail", 3),
        ("fail", "pass", 1),
        ("", "pass", 12),
        ("", "fail", 8),
    ];
    for (human, judge, count) in both {
        lines.extend((0..count).map(|at| format!("{human}{judge}{at},{human},{judge}")));
    }
    desk.file("labels.csv", lines.join("\n"));
}

#[test]
fn a_file_of_labels_says_how_a_judge_does_and_what_the_shares_are() {
    let desk = Desk::new();
    labels(&desk);
    let tables = desk.json(&["judges", "labels.csv", "--categories", "fail,pass"]);
    let table = |key: &str| {
        let found = tables.as_array().expect("tables").iter().find(|table| table["table"] == key);
        found.unwrap_or_else(|| panic!("{key}: {tables}")).clone()
    };
    let near = |value: &Value, wanted: f64| {
        let found = value.as_f64().unwrap_or_else(|| panic!("{value}, not {wanted}"));
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    };
    let judge = table("judges")["rows"][0].clone();
    assert_eq!((&judge["items"], &judge["alone"]), (&json!(10), &json!(20)));
    near(&judge["accuracy"], 0.8);
    // (0.8 − 0.52) / 0.48.
    near(&judge["cohen_kappa"], 7.0 / 12.0);
    near(&judge["balanced_accuracy"], (5.0 / 6.0 + 0.75) / 2.0);
    let pass = table("labels")["rows"][1].clone();
    near(&pass["precision"], 5.0 / 6.0);
    near(&pass["tnr"], 0.75);
    let share = table("corrected")["rows"][1].clone();
    near(&share["people"], 60.0);
    near(&share["judge"], 60.0);
    // (0.6 + 0.75 − 1) / (5/6 + 0.75 − 1).
    near(&share["rogan_gladen"], 60.0);
    let corrected = share["corrected"].as_f64().expect("a share");
    assert!(
        share["corrected_low"].as_f64() < Some(corrected) && share["effective"].as_f64() > Some(10.0),
        "{share}"
    );
    // The kappa is that of `haymark agree`.
    let agreed = desk.json(&["agree", "labels.csv", "--table", "coefficients"]);
    let kappa = agreed["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["name"] == "cohen_kappa")
        .expect("kappa");
    for end in ["low", "high"] {
        near(&judge[format!("cohen_kappa_{end}")], kappa[end].as_f64().expect("an end"));
    }
    let first = desk.out(&["judges", "labels.csv", "--plan", "2"]);
    assert!(first.contains("more items labelled by people"), "{first}");
    let latex = desk.out(&["judges", "labels.csv", "--format", "latex"]);
    assert!(latex.contains("\\toprule") && latex.contains("judge\\_label"), "{latex}");
}

#[test]
fn a_file_of_labels_needs_a_judge_and_a_person() {
    let desk = Desk::new();
    desk.file("people.csv", "item,ann,bo\n1,yes,yes\n2,no,yes\n");
    let (status, told) = desk.fails(&["judges", "people.csv"]);
    assert!(status == 2 && told.contains("--judge") && told.contains("ann, bo"), "{told}");
    assert!(desk.out(&["judges", "people.csv", "--judge", "bo"]).contains("0.500"));
    let (_, unknown) = desk.fails(&["judges", "people.csv", "--judge", "cy"]);
    assert!(unknown.contains("no column \"cy\""), "{unknown}");
}

/// People judged the first query of two, the judge both: it gives 100 where people give 100, and 50 where they give 0.
/// Items on which people tie are in no number: neither in the shares nor in what these are corrected by.
#[test]
fn a_tie_is_in_no_number_of_a_file_of_labels() {
    let desk = Desk::new();
    let decided =
        "c3,pass,pass,pass\nc4,fail,fail,fail\nc5,fail,fail,pass\nc6,,,pass\nc7,,,fail\nc8,,,pass\n";
    let corrected = |tied: &str| {
        desk.file("labels.csv", format!("case_id,anna,ben,judge_x\n{tied}{decided}"));
        desk.json(&["judges", "labels.csv", "--categories", "fail,pass", "--table", "corrected"])
    };
    let tables = corrected("c1,pass,fail,pass\nc2,pass,fail,pass\n");
    assert_eq!(tables["rows"], corrected("")["rows"]);
    // Two of three by people, two of six by the judge.
    near(&tables["rows"][0]["people"], &json!(200.0 / 3.0), 1e-9);
    near(&tables["rows"][0]["judge"], &json!(100.0 / 3.0), 1e-9);
    assert!(tables["notes"].to_string().contains("sandwich"), "{tables}");
    // Of three items that the judge labelled alone nothing can be corrected.
    let row = &tables["rows"][0];
    assert_eq!(
        (&row["corrected"], &row["corrected_undefined"]),
        (&Value::Null, &json!("few_unlabelled_items"))
    );
}

/// A tied item is one, however many judges there are; and what people labelled alone is counted.
#[test]
fn what_a_judge_leaves_out_is_counted() {
    let desk = Desk::new();
    let labels = "item,ann,ben,judge_a,judge_b\ni1,pass,fail,pass,pass\ni2,pass,pass,pass,fail\ni3,fail,fail,,fail\ni4,pass,pass,,\n";
    desk.file("labels.csv", labels);
    let notes = desk.json(&["judges", "labels.csv", "--table", "judges"])["notes"].to_string();
    for told in [
        "People tie on 1 item,",
        "judge_a says nothing of 2 items that people",
        "judge_b says nothing of 1 item that people",
    ] {
        assert!(notes.contains(told), "{told}: {notes}");
    }
}

/// Two systems with a judge's labels in fourteen queries, and a person's in those of which it is said.
fn corrected_study(desk: &Desk, is_by_people: impl Fn(usize, &str) -> bool) {
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
        json!({"type": "annotator", "id": "auto", "kind": "model"}),
    ];
    for query in 0..14 {
        let id = format!("q{query}");
        records.push(json!({"type": "query", "collection": "c", "id": id, "text": "?"}));
        for unit in ["u1", "u2"] {
            records.push(json!({"type": "unit", "collection": "c", "query": id, "id": format!("{id}{unit}"), "kind": "insight", "text": "i"}));
        }
        for system in ["m", "n"] {
            let candidate = format!("{id}{system}");
            records.push(json!({"type": "candidate", "collection": "c", "query": id, "id": candidate, "summarizer": system, "text": "- it"}));
            for unit in ["u1", "u2"] {
                let is_covered = unit == "u1" && (system == "m" || query % 2 == 0);
                let (person, judge) = if is_covered { ("full", "full") } else { ("none", "partial") };
                let said = |who: &str, label: &str| {
                    json!({"type": "judgment", "protocol": "coverage", "annotator": who, "collection": "c",
                    "query": id, "candidate": candidate, "unit": format!("{id}{unit}"), "answers": {"coverage": label}})
                };
                records.push(said("auto", judge));
                if is_by_people(query, system) {
                    records.push(said("ana", person));
                }
            }
        }
    }
    desk.import("study.jsonl", &records);
}

/// Of two queries nobody can tell how far queries vary; what the judge said needs no person, and labels of one query have
/// their mean.
#[test]
fn corrected_scores_of_few_queries_have_no_interval() {
    for (by_people, people) in [(1, 50.0), (2, 25.0)] {
        let desk = Desk::new();
        corrected_study(&desk, |query, _| query < by_people);
        let tables = desk.json(&[
            "score",
            "study.db",
            "--protocol",
            "coverage",
            "--corrected-by",
            "auto",
            "--any-sample",
            "--table",
            "corrected",
        ]);
        let rows = tables["rows"].as_array().expect("rows");
        let of_n = rows.iter().find(|row| row["system"] == "n").expect("a system");
        near(&of_n["judge"], &json!(62.5), 1e-9);
        assert!(of_n["corrected_low"].is_null() && of_n["people_low"].is_null(), "{of_n}");
        near(&of_n["people"], &json!(people), 1e-9);
        assert_eq!(of_n["corrected"].is_null(), by_people == 1, "{of_n}");
    }
}

#[test]
fn scores_of_a_study_are_corrected_by_a_judge() {
    let desk = Desk::new();
    corrected_study(&desk, |query, _| query < 4);
    let corrected = ["score", "study.db", "--protocol", "coverage", "--corrected-by", "auto"];
    let (_, told) = desk.fails(&corrected);
    assert!(
        told.contains("no random sample that the study knows") && told.contains("--any-sample"),
        "{told}"
    );
    let tables = desk.json(&[&corrected[..], &["--any-sample"]].concat());
    let of = |system: &str| {
        let rows = tables[0]["rows"].as_array().expect("rows").iter();
        rows.clone().find(|row| row["system"] == system).expect(system).clone()
    };
    // m: people 50 and the judge 75 everywhere; n: people 25 of four queries, the judge 62.5 of all.
    near(&of("m")["people"], &json!(50.0), 1e-9);
    near(&of("m")["judge"], &json!(75.0), 1e-9);
    near(&of("m")["corrected"], &json!(50.0), 1e-9);
    near(&of("n")["people"], &json!(25.0), 1e-9);
    near(&of("n")["judge"], &json!(62.5), 1e-9);
    let row = tables[1]["rows"][0].clone();
    assert_eq!((&row["better"], &row["worse"]), (&json!("m"), &json!("n")), "{tables}");
    near(&row["people"], &json!(25.0), 1e-9);
    let (_, told) = desk.fails(&["score", "study.db", "--protocol", "coverage", "--corrected-by", "ana"]);
    assert!(told.contains("there is no judge \"ana\"; there are auto"), "{told}");
}

/// The judge went alone on eight items of m and on eight others of n: too few to correct either score, though of sixteen pairs one
/// was judged by it alone. People's difference and the judge's are there.
#[test]
fn no_difference_is_corrected_where_neither_score_is() {
    let desk = Desk::new();
    corrected_study(&desk, |query, system| query > 7 || (query < 4) == (system == "m"));
    let tables =
        desk.json(&["score", "study.db", "--protocol", "coverage", "--corrected-by", "auto", "--any-sample"]);
    for score in tables[0]["rows"].as_array().expect("rows") {
        assert!(score["corrected"].is_null(), "{tables}");
    }
    let difference = &tables[1]["rows"][0];
    assert!(difference["people"].is_number() && difference["judge"].is_number(), "{tables}");
    for name in ["corrected", "effective", "p"] {
        assert!(difference[name].is_null(), "{name}: {difference}");
        assert!(difference[format!("{name}_undefined")].to_string().contains("few"), "{difference}");
    }
}

/// A question for bullets that hangs on no answer is linked to the main question. k: all name 1. l: ana 2, bo and the judge 3. So
/// people name the same in one of two, the judge and ana in one of two, the judge and bo in both.
#[test]
fn bullets_that_hang_on_no_label_are_linked_too() {
    let desk = Desk::new();
    let questions = "[[question]]\nkey = \"ok\"\nprompt = \"Ok?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n\
                     { value = \"yes\", label = \"yes\", key = \"y\" },\n{ value = \"no\", label = \"no\", key = \"n\" },\n]\n\
                     [[question]]\nkey = \"worst\"\nprompt = \"Worst bullet\"\nkind = \"bullet\"\n";
    let protocol = about_summaries("worst", 1, "query", questions);
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"protocol","name":"worst","version":1,"text":protocol,"guideline":"# Worst\n"}),
        json!({"type":"annotator","id":"ana","kind":"human"}),
        json!({"type":"annotator","id":"bo","kind":"human"}),
        json!({"type":"annotator","id":"jm","kind":"model"}),
    ];
    for (id, named) in [("k", [1, 1, 1]), ("l", [2, 3, 3])] {
        let text = "- one\n- two\n- three";
        records.push(json!({"type":"candidate","query":"q","id":id,"summarizer":id,"text":text}));
        for (who, bullet) in ["ana", "bo", "jm"].iter().zip(named) {
            let answers = json!({"ok":if *who == "ana" { "yes" } else { "no" },"worst":bullet});
            records.push(json!({"type":"judgment","protocol":"worst","annotator":who,"query":"q","candidate":id,"answers":answers}));
        }
    }
    desk.import("study.jsonl", &records);
    let agreed = desk.agreement(&["agree", "study.db"]);
    let coefficients = agreed["coefficients"].as_array().expect("rows");
    let linking = coefficients.iter().find(|row| row["name"] == "linking_accuracy").expect("linked");
    near(&linking["value"], &json!(0.5), 1e-9);
    // Nobody's label is the other's, and one of two names the same bullet.
    let shares = |name: &str| {
        let rows = agreed["linked"].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).expect(name)["value"].clone()
    };
    near(&shares("link_agreement_exact"), &json!(0.5), 1e-9);
    let judged = desk.json(&["judges", "study.db", "--table", "judges"]);
    let linked: Vec<&Value> =
        judged["rows"].as_array().expect("rows").iter().map(|row| &row["linking_accuracy"]).collect();
    assert_eq!(linked, [&json!(0.5), &json!(0.75)], "{judged}");
    let (_, told) = desk.fails(&["agree", "study.db", "--question", "worst"]);
    assert!(told.contains("--question ok says how far the bullets agree too"), "{told}");
}
