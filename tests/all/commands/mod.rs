//! The commands as a shell calls them: what is printed where, exit statuses, and files left alone.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Desk, shared, shared_text, without_names};

mod best;
mod collect;
mod counted;
mod dataset;
mod filters;
mod first;
mod formulas;
mod gold;
mod handed_on;
mod help;
mod installing;
mod judges;
mod judge_runs;
mod judging;
mod man;
mod packaging;
mod pictures;
mod pipes;
mod plot;
mod ranked;
mod scored;
mod sessions;
mod shells;
mod views;

impl Desk {
    /// A study with the sample data.
    fn sample(&self) -> &'static str {
        let names = ["haystack", "questions", "questions_zh", "haystack_judgments", "questions_judgments"];
        self.samples("study.db", &names);
        "study.db"
    }
}

#[test]
fn the_sample_data_comes_in_without_a_remark_and_only_once() {
    let desk = Desk::new();
    let study = desk.sample();
    let before = fs::read(desk.path(study)).expect("the study");
    let told = desk.samples(study, &["haystack"]);
    assert!(told.ends_with("nothing new, the study holds all of it already\n"), "{told}");
    assert_eq!(fs::read(desk.path(study)).expect("the study"), before, "not a byte has changed");
}

#[test]
fn export_and_import_go_round_byte_by_byte() {
    let desk = Desk::new();
    let study = desk.sample();
    let first = desk.out(&["export", study]);
    desk.file("first.jsonl", &first);
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), first);
    desk.out(&["export", "second.db", "-o", "file.jsonl"]);
    assert_eq!(desk.fails(&["export", "second.db", "-o", "file.jsonl"]).0, 1, "the file is there already");
    desk.out(&["export", "second.db", "-o", "file.jsonl", "--force"]);
    let study_before = fs::read(desk.path("second.db")).expect("the study");
    assert_eq!(desk.fails(&["export", study, "-o", "second.db", "--force"]).0, 1, "never over a study");
    assert_eq!(fs::read(desk.path("second.db")).expect("the study"), study_before);
    assert_eq!(fs::read_to_string(desk.path("file.jsonl")).expect("the file"), first);
    let told = ["export", study, "--what", "judgments", "--names", "--with-text"];
    let judgments = desk.out(&told);
    // What the study itself need not say of every judgment.
    assert!(judgments.contains(",\"complete\":true") && !first.contains("\"complete\""));
    let judgments = judgments.replace(",\"complete\":true", "").replace(",\"complete\":false", "");
    assert!(
        without_names(&first).ends_with(&judgments) && judgments.lines().count() == 281,
        "{}",
        judgments.lines().count()
    );
}

#[test]
fn bad_input_gives_one_sentence_and_leaves_the_study_alone() {
    let desk = Desk::new();
    let study = desk.sample();
    let before = fs::read(desk.path(study)).expect("the study");
    let collection = "{\"type\":\"collection\",\"id\":\"new\"}\n";
    let bad: &[(&str, Vec<u8>, &str)] = &[
        ("truncated", b"[{\"topic_id\": \"x\", \"topic".to_vec(), "truncated"),
        ("type", format!("{collection}{{\"type\":\"sonnet\"}}").into_bytes(), "type, line 2, type: "),
        (
            "wrong",
            format!("{collection}{{\"type\":\"query\",\"collection\":7,\"id\":\"q\",\"text\":\"t\"}}")
                .into_bytes(),
            "wrong, line 2, collection: ",
        ),
        (
            "reference",
            format!(
                "{collection}{{\"type\":\"query\",\"collection\":\"nowhere\",\"id\":\"q\",\"text\":\"t\"}}"
            )
            .into_bytes(),
            "nowhere",
        ),
        (
            "twice",
            format!("{collection}{{\"type\":\"collection\",\"id\":\"new\",\"title\":\"other\"}}")
                .into_bytes(),
            "line 2",
        ),
        (
            "encoding",
            [collection.as_bytes(), b"{\"type\":\"collection\",\"id\":\"\xff\"}"].concat(),
            "line 2",
        ),
        ("blank", b" \n".to_vec(), "empty"),
        ("binary", b"\x7fELF\x00\x01\x02".to_vec(), "no text"),
        ("number", b"42".to_vec(), "number"),
    ];
    for (name, content, expected) in bad {
        desk.file(name, content);
        let (status, text) = desk.fails(&["import", study, name]);
        assert_eq!(status, 1, "{name}");
        assert!(text.contains(expected) && text.contains(name), "{name}: {text}");
        assert_eq!(text.trim_end().lines().count(), 1, "{name}: {text}");
        assert_eq!(fs::read(desk.path(study)).expect("the study"), before, "{name} left a trace");
    }
    fs::create_dir(desk.path("folder")).expect("a folder");
    assert_eq!(desk.fails(&["import", study, "folder"]).0, 1);
    assert_eq!(desk.fails(&["import", study, "absent.jsonl"]).0, 1);
    assert_eq!(desk.fails(&["import", "unborn.db", "absent.jsonl"]).0, 1);
    desk.fails(&["import", "unborn.db", "reference"]);
    assert!(!desk.path("unborn.db").exists(), "a failed first import leaves no study behind");
}

#[test]
fn bad_rows_can_be_left_out() {
    let desk = Desk::new();
    let lines = "{\"type\":\"collection\",\"id\":\"c\"}\n{\"type\":\"sonnet\"}\nnot json\n\
                 {\"type\":\"query\",\"collection\":\"c\",\"id\":\"q\",\"text\":\"t\"}\n";
    desk.file("mixed.jsonl", lines);
    assert_eq!(desk.fails(&["import", "study.db", "mixed.jsonl"]).0, 1);
    let told = desk.out(&["import", "study.db", "mixed.jsonl", "--skip-bad"]);
    assert!(told.contains("1 collection, 1 query came in"), "{told}");
    assert!(
        told.contains("left out (2):") && told.contains("line 2: ") && told.contains("line 3: "),
        "{told}"
    );
}

#[test]
fn many_bad_rows_are_told_by_their_reasons() {
    let desk = Desk::new();
    let mut lines = "{\"type\":\"collection\",\"id\":\"c\"}\n".to_owned();
    for number in 0..3_000 {
        lines += &match number % 3 {
            0 => format!("{{\"type\":\"sonnet {number} \\\"x\"}}\n"),
            1 => "no JSON\n".to_owned(),
            _ => format!("{{\"type\":\"query\",\"collection\":\"c\",\"id\":\"q{number}\"}}\n"),
        };
    }
    desk.file("bad.jsonl", lines);
    let told = desk.out(&["import", "study.db", "bad.jsonl", "--skip-bad"]);
    assert!(told.contains("  left out (3000):\n    1000 like line "), "the totals come first: {told}");
    assert!(told.contains("  one by one:\n    line 2: ") && told.contains("    and 2980 more\n"), "{told}");
    let totals: Vec<&str> = told.lines().filter(|line| line.contains(" like line ")).collect();
    assert_eq!(totals.len(), 3, "{told}");
    let count = |line: &&str| line.trim().split(' ').next().and_then(|count| count.parse::<usize>().ok());
    assert_eq!(totals.iter().filter_map(count).sum::<usize>(), 3000, "{told}");
    assert!(told.lines().count() < 30, "{told}");
}

#[test]
fn a_filter_in_an_error_is_cut() {
    let desk = Desk::new();
    let study = desk.sample();
    let long = "x".repeat(5_000);
    for filter in [
        format!("{long}=3"),
        format!("tag=\"{long}"),
        format!("bullet<{long}"),
        format!("coverage={long}"),
        format!("coverage=@{long}"),
        format!("\"{long}"),
    ] {
        let (status, told) = desk.fails(&["score", study, "--filter", &filter]);
        assert!(status == 2 && told.len() < 400 && told.contains('…'), "{told}");
    }
}

#[test]
fn files_that_are_no_study_are_refused_untouched() {
    let desk = Desk::new();
    let text = desk.file("notes.txt", "these are notes\n");
    for arguments in [
        vec!["score", &text],
        vec!["export", &text],
        vec!["import", &text, "notes.txt"],
        vec!["init", &text],
        vec!["score", "absent.db"],
    ] {
        let (status, sentence) = desk.fails(&arguments);
        assert_eq!(status, 1, "{arguments:?}");
        assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
    }
    assert_eq!(fs::read_to_string(desk.path("notes.txt")).expect("the notes"), "these are notes\n");
    assert!(!desk.path("absent.db").exists());
}

#[test]
fn a_screen_needs_a_terminal_and_words_need_to_be_known() {
    let desk = Desk::new();
    desk.sample();
    for arguments in [vec!["demo"], vec!["annotate", "study.db", "--as", "alice"]] {
        let (status, sentence) = desk.fails(&arguments);
        assert_eq!(status, 1);
        assert!(sentence.contains("needs a terminal"), "{sentence}");
    }
    for arguments in [
        vec!["score", "study.db", "--protocol", "mood"],
        vec!["score", "study.db", "--by", "weather"],
        vec!["import", "study.db", "x", "--format", "docx"],
        vec!["agree", "study.db", "--categories", "a,b"],
        vec!["sing"],
    ] {
        assert_eq!(desk.fails(&arguments).0, 2, "{arguments:?}");
    }
}

#[test]
fn scores_of_the_sample_are_complete_in_json() {
    let desk = Desk::new();
    let study = desk.sample();
    let scores = desk.json(&["score", study, "--protocol", "coverage", "--annotators", "bora"]);
    // Five systems: two of large-b and two of small-a differ by retriever.
    let table = &scores[0];
    assert_eq!(table["rows"].as_array().expect("rows").len(), 5);
    assert_eq!(table["total"]["items"], 80);
    assert_eq!(table["total"]["summaries"], 15);
    let by_summary =
        desk.json(&["score", study, "--protocol", "coverage", "--annotators", "bora", "--by", "summary"]);
    assert_eq!(by_summary[0]["rows"].as_array().expect("rows").len(), 15);
    let points = desk.json(&["score", study, "--protocol", "keypoint", "--annotators", "bora"]);
    assert_eq!(points[0]["total"]["items"], 46);
    let retention = points[0]["total"]["retention"].as_f64().expect("a number");
    assert!((retention - 2500.0 / 46.0).abs() < 1e-9, "25 are kept: {retention}");
    for format in ["table", "csv", "markdown", "latex"] {
        assert!(desk.out(&["score", study, "--format", format]).contains("old-houses"), "{format}");
    }
}

#[test]
fn citations_without_known_documents_are_undefined_and_say_why() {
    let desk = Desk::new();
    desk.file(
        "one.jsonl",
        concat!(
            r#"{"type":"collection","id":"c"}"#, "\n",
            r#"{"type":"query","collection":"c","id":"q","text":"?"}"#, "\n",
            r#"{"type":"unit","collection":"c","query":"q","id":"u","kind":"insight","text":"i"}"#, "\n",
            r#"{"type":"candidate","collection":"c","query":"q","id":"s","summarizer":"m","text":"- a [1]"}"#, "\n",
            r#"{"type":"annotator","id":"alice","kind":"human"}"#, "\n",
            r#"{"type":"judgment","protocol":"coverage","annotator":"alice","unit":"u","candidate":"s","answers":{"coverage":"full","bullet":1}}"#, "\n",
        ),
    );
    desk.out(&["import", "study.db", "one.jsonl"]);
    let scores = desk.json(&["score", "study.db"]);
    let row = &scores["rows"][0];
    assert_eq!(row["coverage"], 100.0);
    assert_eq!(
        (&row["citation"], &row["citation_undefined"]),
        (&Value::Null, &Value::from("no_gold_documents"))
    );
    let table = desk.out(&["score", "study.db"]);
    assert!(
        !table.contains('–') && table.contains("Which documents contain the insights is not known"),
        "{table}"
    );
}

/// A judgment of a candidate of `old-houses` in the sample, as a line.
fn judgment(protocol: &str, candidate: &str, unit: Option<&str>, answers: &str) -> String {
    let unit = unit.map_or_else(String::new, |unit| format!(r#""unit":"{unit}","#));
    format!(
        concat!(
            r#"{{"type":"judgment","protocol":"{}","annotator":"alice","collection":"heat-pumps","#,
            r#""query":"old-houses",{}"candidate":"{}","answers":{}}}"#,
            "\n"
        ),
        protocol, unit, candidate, answers
    )
}

#[test]
fn key_point_recall_and_usefulness_are_scored_by_what_is_asked() {
    let desk = Desk::new();
    let study = desk.sample();
    let lines = [
        judgment("entailment", "r1", Some("k1"), r#"{"entailed":"yes"}"#),
        judgment("entailment", "r1", Some("k2"), r#"{"entailed":"yes"}"#),
        judgment("entailment", "r1", Some("k3"), r#"{"entailed":"no","missing":"missing"}"#),
        judgment("entailment", "r1", Some("k4"), r#"{"entailed":"neutral","missing":"general"}"#),
        judgment("faithfulness", "r1", None, r#"{"faithful":"yes","comprehensive":"yes"}"#),
        judgment("faithfulness", "r2", None, r#"{"faithful":"partially","comprehensive":"yes"}"#),
    ];
    desk.file("more.jsonl", lines.concat());
    desk.out(&["import", study, "more.jsonl"]);
    let recall = desk.json(&["score", study, "--protocol", "entailment"]);
    let recall = &recall[0];
    let row = &recall["rows"][0];
    // Two of four judged points are said; the other thirteen of the seventeen are open, not missed.
    assert_eq!((&row["kpr"], &row["items"]), (&50.0.into(), &4.into()));
    let open = "Key points that nobody judged yet, and not in the scores: 13.";
    assert!(recall["notes"].as_array().expect("notes").iter().any(|note| note == open), "{recall}");
    assert_eq!((&row["share_missing"], &row["share_general"]), (&50.0.into(), &50.0.into()));
    let table = desk.json(&["score", study, "--protocol", "faithfulness", "--by", "collection"]);
    let useful = &table["rows"][0];
    assert_eq!((&useful["useful"], &useful["items"]), (&50.0.into(), &2.into()));
    assert_eq!((&useful["faithful_yes"], &useful["comprehensive_yes"]), (&50.0.into(), &100.0.into()));
    assert!(desk.out(&["agree", study, "--protocol", "keypoint"]).contains("keypoint · validity"));
}

#[test]
fn ratings_are_read_from_standard_input() {
    let desk = Desk::new();
    let mut child = desk
        .command(&["agree", "-", "--categories", "yes,no", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("haymark runs");
    // 10 items: 4 both yes, 3 both no, 2 yes/no, 1 no/yes.
    let mut csv = String::from("item,a,b\n");
    for (index, (a, b)) in [("yes", "yes"); 4]
        .iter()
        .chain(&[("no", "no"); 3])
        .chain(&[("yes", "no"); 2])
        .chain(&[("no", "yes")])
        .enumerate()
    {
        csv.push_str(&format!("{index},{a},{b}\n"));
    }
    child.stdin.take().expect("a pipe").write_all(csv.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let tables: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let table = |name: &str| {
        tables.as_array().expect("tables").iter().find(|table| table["table"] == name).expect(name)
    };
    assert_eq!(table("used")["items"], 10);
    let said = |row: usize| {
        [&table("confusion")["rows"][row]["b_says_yes"], &table("confusion")["rows"][row]["b_says_no"]]
    };
    assert_eq!([said(0), said(1)], [[4, 2], [1, 3]]);
    // po = 0.7; pe = 0.6 · 0.5 + 0.4 · 0.5 = 0.5; kappa = 0.2 / 0.5.
    let kappa = table("pairs")["rows"][0]["cohen_kappa"].as_f64().expect("a number");
    assert!((kappa - 0.4).abs() < 1e-12);
}

#[test]
fn the_published_benchmark_gives_the_published_agreement() {
    let Some(data) = shared("data/summhay/eval_benchmark_data.json") else { return };
    let Some(oracle) = shared_text("oracles/summhay_table1.json") else { return };
    let desk = Desk::new();
    let told = desk.out(&["import", "study.db", &data.display().to_string()]);
    assert!(told.contains("200 candidates") && told.contains("9933 judgments"), "{told}");
    assert!(told.contains("to be looked at (12)"), "{told}");
    assert_eq!(told.lines().filter(|line| line.contains(": human on candidate ")).count(), 7, "{told}");
    let oracle: Value = serde_json::from_str(&oracle).expect("JSON");
    for (name, expected) in oracle["judges"].as_object().expect("judges") {
        let judge = name.trim_start_matches("predictions_");
        let compared = desk.agreement(&["agree", "study.db", "--annotators", &format!("human,{judge}")]);
        let pair = &compared["pairs"][0];
        for (ours, theirs) in [("pearson_r", "insight_pearson"), ("linking_accuracy", "linking_accuracy")] {
            let value = pair[ours].as_f64().expect(ours);
            let wanted = expected[theirs].as_f64().expect(theirs);
            assert!((value - wanted).abs() < 1e-9, "{judge} {ours}: {value} instead of {wanted}");
        }
    }
    // Over the 29 queries, by numpy and scipy on the file: each left out in turn, on the logit scale.
    let asked = ["agree", "study.db", "--annotators", "human,prompted_gpt-4o"];
    let compared = desk.agreement(&asked);
    let rows = compared["coefficients"].as_array().expect("rows");
    let linking = rows.iter().find(|row| row["name"] == "linking_accuracy").expect("a row");
    for (end, expected) in [("low", 0.8280662736268627), ("high", 0.9296870951140858)] {
        assert!((linking[end].as_f64().expect(end) - expected).abs() < 1e-9, "{linking}");
    }
    // One number has one interval: that of `judges`.
    assert_eq!((&compared["cluster"], &linking["clusters"]), (&"query".into(), &29.into()));
    let judges = desk.json(&["judges", "study.db", "--annotators", "prompted_gpt-4o", "--table", "judges"]);
    for name in
        ["cohen_kappa", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal", "gwet_ac1", "linking_accuracy"]
    {
        let own = rows.iter().find(|row| row["name"] == name).expect(name);
        for key in ["low", "high", "clusters"] {
            assert_eq!(
                own[key].as_f64(),
                judges["rows"][1][format!("{name}_{key}")].as_f64(),
                "{name} {key}"
            );
        }
        assert!(judges["rows"][1][format!("{name}_low")].is_f64(), "{name}");
    }
}

#[test]
fn agreement_is_told_first_on_one_screen_and_completely_elsewhere() {
    let desk = Desk::new();
    let study = desk.sample();
    let first = desk.out(&["agree", study, "--protocol", "coverage"]);
    assert!(first.lines().count() < 24 && first.lines().all(|line| line.chars().count() <= 80), "{first}");
    for wanted in [
        "55 items in 10 summaries compared",
        "25 items rated",
        "(jackknife)",
        "Krippendorff's alpha, ordinal",
    ] {
        assert!(first.contains(wanted), "{wanted}: {first}");
    }
    let full = desk.out(&["agree", study, "--protocol", "coverage", "--full"]);
    for wanted in ["labels and links", "pairs", "labels\n", "queries", "systems", "annotators\n", "confusion"]
    {
        assert!(full.contains(wanted), "{wanted}: {full}");
    }
    for (format, name) in [
        ("markdown", "coverage: queries"),
        ("latex", "coverage: queries"),
        ("csv", "coverage/coverage/by_query"),
    ] {
        let text = desk.out(&["agree", study, "--protocol", "coverage", "--full", "--format", format]);
        assert!(
            text.contains(name) && text.contains("stress") && !text.contains("exam / stress"),
            "{format}: {text}"
        );
    }
    let headline = desk.out(&["agree", study, "--protocol", "coverage", "--format", "latex"]);
    assert!(
        headline.contains("coverage: coefficients") && !headline.contains("coverage: queries"),
        "{headline}"
    );
    let json = desk.agreement(&["agree", study, "--protocol", "coverage"]);
    // Two queries are too few, and it is said where programs read it too.
    assert_eq!((&json["cluster"], &json["clusters"]), (&"summary".into(), &10.into()));
    assert_eq!(json["remarks"], serde_json::json!(["within_these_queries"]));
    assert!(json["notes"].to_string().contains("holds for these 2 queries only"), "{json}");
    assert!(first.contains("People are taken as fixed."), "{first}");
    assert_eq!(json["used"].as_array().expect("rows").len(), 3);
    assert_eq!((&json["used"][2]["use"], &json["used"][2]["count"]), (&"rated_once".into(), &25.into()));
    assert_eq!(json["by_query"].as_array().expect("queries").len(), 3);
    assert_eq!(json["by_system"].as_array().expect("systems").len(), 5);
    let chosen = ["none", "partial", "full"].map(|label| &json["by_annotator"][1][format!("chosen_{label}")]);
    assert_eq!(chosen, [20, 28, 32]);
    let alpha = json["coefficients"].as_array().expect("a list").iter();
    let alpha = alpha.clone().find(|one| one["name"] == "krippendorff_alpha_ordinal").expect("alpha");
    assert_eq!(alpha["interval"], "jackknife");
    // 45 of 55 labels are the same; of 36 judgments covered by both, 34 name the same bullet.
    assert_eq!(json["linked"][0]["value"], 45.0 / 55.0);
    assert_eq!(
        (&json["linked"][1]["items"], &json["linked"][1]["value"]),
        (&36.into(), &(34.0 / 36.0).into())
    );
}

#[test]
fn how_intervals_are_made_and_over_what_can_be_chosen() {
    let desk = Desk::new();
    let study = desk.sample();
    let agree = |more: &[&str]| {
        let arguments = ["agree", study, "--protocol", "coverage"];
        desk.agreement(&[arguments.as_slice(), more].concat())
    };
    let clusters =
        |value: &Value| (value["cluster"].as_str().expect("a word").to_owned(), value["clusters"].clone());
    // Only clusters with items that two people rated.
    assert_eq!(clusters(&agree(&["--cluster", "query"])), ("query".into(), 2.into()));
    assert_eq!(clusters(&agree(&["--cluster", "collection"])), ("collection".into(), 1.into()));
    assert_eq!(clusters(&agree(&["--cluster", "item"])), ("item".into(), 55.into()));
    let alpha = "krippendorff_alpha_ordinal";
    let row = |value: &Value, name: &str| {
        let all = value["coefficients"].as_array().expect("a list");
        all.iter().find(|one| one["name"] == name).expect(name).clone()
    };
    let of_queries = row(&agree(&["--cluster", "query"]), alpha);
    assert_eq!(
        (&of_queries["low"], &of_queries["interval_undefined"]),
        (&Value::Null, &"too_few_clusters".into())
    );
    let drawn = |seed: &str| agree(&["--interval", "bootstrap", "--seed", seed]);
    let (one, same, other) = (drawn("5"), drawn("5"), drawn("6"));
    assert_eq!((&one["seed"], &one["resamples"]), (&5.into(), &1000.into()));
    assert!(one["notes"].to_string().contains("Warning: "), "fewer than 20 summaries");
    assert_eq!(row(&one, alpha), row(&same, alpha));
    assert_ne!(row(&one, alpha), row(&other, alpha));
    assert_eq!(row(&one, alpha)["interval"], "bootstrap");
    let formula = agree(&["--interval", "formula"]);
    assert_eq!(row(&formula, "cohen_kappa")["interval"], "formula");
    assert_eq!(row(&formula, alpha)["interval_undefined"], "no_formula");
    // The published errors stand beside the interval whatever it is.
    let kappa = row(&agree(&[]), "cohen_kappa");
    assert_eq!(kappa["interval"], "jackknife");
    assert_eq!(kappa["formula_low"], row(&formula, "cohen_kappa")["low"]);
    let none = agree(&["--interval", "bootstrap", "--resamples", "0"]);
    assert!(row(&none, alpha).get("low").is_none(), "{none}");
}

/// The sample's two queries with items that two people rated, by themselves and told apart by the same words.
#[test]
fn a_part_of_a_study_is_compared_and_scored_by_itself() {
    let desk = Desk::new();
    let study = desk.sample();
    let coverage = ["agree", study, "--protocol", "coverage"];
    let by_query = desk.agreement(&[&coverage[..], &["--by", "query"]].concat())["by_query"].clone();
    let groups = by_query.as_array().expect("queries");
    assert_eq!(groups.len(), 3);
    for group in groups.iter().filter(|group| group["items_pairable"] != 0) {
        let query = group["query"].as_str().expect("a key").rsplit(" / ").next().expect("a query").to_owned();
        let filter = format!("query={query}");
        let alone = desk.agreement(&[&coverage[..], &["--filter", &filter]].concat());
        let rows = alone["coefficients"].as_array().expect("a list");
        let alpha = rows.iter().find(|row| row["name"] == "krippendorff_alpha_ordinal").expect("alpha");
        assert_eq!(alpha["value"], group["krippendorff_alpha_ordinal"], "{query}");
        assert_eq!(alpha["low"], group["krippendorff_alpha_ordinal_low"], "{query}");
        let score = |more: &[&str]| {
            let tables =
                desk.json(&[&["score", study, "--protocol", "coverage", "--by", "query"], more].concat());
            table_titled(&tables, "Scores by query")["rows"].clone()
        };
        let whole = score(&[]);
        let row = whole
            .as_array()
            .expect("rows")
            .iter()
            .find(|row| row["query"] == query)
            .expect("its row")
            .clone();
        assert_eq!(score(&["--filter", &filter]), Value::from(vec![row]), "{query}");
    }
    let first = desk.out(&[&coverage[..], &["--by", "system"]].concat());
    assert!(
        first.contains("coverage: systems") && first.lines().all(|line| line.chars().count() <= 80),
        "{first}"
    );
    assert_eq!(desk.fails(&[&coverage[..], &["--filter", "colour=red"]].concat()).0, 2);
    assert_eq!(desk.fails(&[&coverage[..], &["--by", "annotator"]].concat()).0, 2);
    assert_eq!(desk.fails(&["score", study, "--cluster", "item"]).0, 2);
}

/// One person judged the first point and question of a response, another the second: under a filter that lets all through
/// these are two items still.
#[test]
fn what_people_judged_apart_stays_apart_under_a_filter() {
    let desk = Desk::new();
    let unit = |id: &str, kind: &str| json!({"type": "unit", "collection": "c", "query": "q", "id": id, "kind": kind, "text": id, "meta": {"answer": "A"}});
    let judgment = |protocol: &str, annotator: &str, unit: &str, answers: Value| {
        json!({"type": "judgment", "protocol": protocol, "annotator": annotator, "collection": "c", "query": "q",
               "candidate": "r", "unit": unit, "answers": answers})
    };
    let (yes, no) = (json!({"entailed": "yes"}), json!({"entailed": "no", "missing": "missing"}));
    desk.import(
        "study.jsonl",
        &[
            json!({"type": "collection", "id": "c"}),
            json!({"type": "query", "collection": "c", "id": "q", "text": "Why?"}),
            unit("k1", "keypoint"),
            unit("k2", "keypoint"),
            unit("q1", "question"),
            unit("q2", "question"),
            json!({"type": "candidate", "collection": "c", "query": "q", "id": "r", "text": "- A."}),
            json!({"type": "annotator", "id": "ana", "kind": "human"}),
            json!({"type": "annotator", "id": "ben", "kind": "human"}),
            judgment("entailment", "ana", "k1", yes),
            judgment("entailment", "ben", "k2", no),
            judgment("answerability", "ana", "q1", json!({"answerable": "yes", "answer": "A"})),
            judgment("answerability", "ben", "q2", json!({"answerable": "no"})),
        ],
    );
    for (protocol, filter, score) in
        [("entailment", "unit:k", "kpr"), ("answerability", "unit:q", "question_recall")]
    {
        let asked = ["score", "study.db", "--protocol", protocol, "--filter", filter];
        let row = desk.json(&asked)["rows"][0].clone();
        assert_eq!(
            (&row["judgments"], &row["items"], &row[score]),
            (&json!(2), &json!(2), &json!(50.0)),
            "{row}"
        );
    }
}

/// A column of whole numbers with gaps, as pandas writes it, beside one without: 3 of the 4 items that both rated are alike. A
/// list that begins with a minus needs no `=`, and what it names is a label.
#[test]
fn numbers_as_pandas_writes_them_are_labels_and_gaps_are_gaps() {
    let desk = Desk::new();
    desk.file("wide.csv", "item,ana,ben\ni1,-3.0,-3\ni2,1.0,1\ni3,NaN,2\ni4,2.0,2\ni5,2.0,1\ni6,1.0,<NA>\n");
    let value = |more: &[&str]| {
        let tables = desk.json(&[&["agree", "wide.csv"][..], more].concat());
        let tables = tables.as_array().expect("tables").clone();
        let rows =
            tables.iter().find(|table| table["table"] == "coefficients").expect("coefficients")["rows"]
                .clone();
        let row = |name: &str| rows.as_array()?.iter().find(|row| row["name"] == name).cloned();
        row("percent_agreement_items").expect("a row")["value"].clone()
    };
    assert_eq!(value(&[]), 0.75);
    assert_eq!(value(&["--categories", "-3,1,2", "--scores", "-3,1,2"]), 0.75);
    // The remark stands wherever notes are: on the screen, in JSON and LaTeX, and beside CSV.
    let remark = "2 cells are taken as missing";
    for form in ["table", "json", "latex", "markdown"] {
        let told = desk.out(&["agree", "wide.csv", "--format", form]);
        assert!(told.contains(remark), "{form}: {told}");
    }
    let csv = desk.run(&["agree", "wide.csv", "--format", "csv"]);
    assert!(String::from_utf8_lossy(&csv.stderr).contains(remark), "{csv:?}");
    assert!(!String::from_utf8_lossy(&csv.stdout).contains(remark), "{csv:?}");
}

#[test]
fn labels_without_an_order_have_no_weighted_kappa_and_no_r_in_any_form() {
    let desk = Desk::new();
    let rows = ["1,red,red", "2,blue,red", "3,red,blue", "4,green,blue", "5,green,green"];
    desk.file("colours.csv", format!("item,p1,p2\n{}\n", rows.join("\n")));
    let pairs =
        |more: &[&str]| desk.json(&[&["agree", "colours.csv", "--table", "pairs"][..], more].concat());
    let found = pairs(&[]);
    for name in ["cohen_kappa_linear", "cohen_kappa_quadratic", "pearson_r"] {
        let row = &found["rows"][0];
        assert!(row[name].is_null() && row[format!("{name}_undefined")] == "no_order", "{name}: {row}");
    }
    let csv = desk.out(&["agree", "colours.csv", "--table", "pairs", "--format", "csv"]);
    assert!(csv.contains(",0.11764705882352941,,,,0.70"), "{csv}");
    let ordered = pairs(&["--categories", "red,blue,green", "--scale", "ordinal"]);
    assert!(ordered["rows"][0]["cohen_kappa_quadratic"].is_number(), "{ordered}");
}

/// The numbers of a file are those of its annotators alone, whatever stands in its other columns, which group and choose its items.
#[test]
fn other_columns_of_a_ratings_file_group_and_choose() {
    let desk = Desk::new();
    let labels = ["none", "partial", "full"];
    let (mut clean, mut full) = ("item,a,b\n".to_owned(), ",item,text,system,a,b,c\n".to_owned());
    let mut long = "item,rater,label,system\n".to_owned();
    let mut gpt = "item,a,b\n".to_owned();
    for item in 0..30 {
        let (a, b) = (labels[item % 3], labels[if item % 5 == 0 { 0 } else { item % 3 }]);
        let system = if item % 2 == 0 { "gpt" } else { "oracle" };
        clean += &format!("q{item},{a},{b}\n");
        full += &format!(
            "{item},q{item},text {item},{system},{a},{b},{}\n",
            if item == 3 { "unsure" } else { a }
        );
        long += &format!("q{item},a,{a},{system}\nq{item},b,{b},{system}\n");
        gpt += if item % 2 == 0 { format!("q{item},{a},{b}\n") } else { String::new() }.as_str();
    }
    for (name, text) in [("clean.csv", &clean), ("full.csv", &full), ("long.csv", &long), ("gpt.csv", &gpt)] {
        desk.file(name, text);
    }
    let rows = |arguments: &[&str], table: &str| {
        let tables = desk.json(&[&["agree"], arguments].concat());
        let found = tables.as_array().expect("tables").iter().find(|found| found["table"] == table).cloned();
        found.unwrap_or_else(|| panic!("{table} in {tables}"))["rows"].clone()
    };
    let expected = rows(&["clean.csv"], "coefficients");
    for same in [
        &["full.csv", "--annotators", "a,b"][..],
        &["long.csv"],
        &["full.csv", "--annotators", "a,b", "--by", "system,text"],
        &["long.csv", "--by", "system", "--cluster", "item"],
    ] {
        assert_eq!(rows(same, "coefficients"), expected, "{same:?}");
    }
    let of_gpt = rows(&["gpt.csv"], "coefficients");
    for filter in
        ["system=gpt", "system:g*", "not system=oracle", "gpt", "not (system:oracle or item:nothing)"]
    {
        assert_eq!(rows(&["long.csv", "--filter", filter], "coefficients"), of_gpt, "{filter}");
    }
    let part = rows(&["full.csv", "--filter", "item:q1 system!=oracle"], "used");
    assert_eq!(part[0]["count"], 5, "of q1 and q10 to q19 those with an even number: {part}");
    let by = rows(&["full.csv", "--annotators", "a,b", "--by", "system"], "by_system");
    let of =
        |row: &Value| (row["system"].clone(), row["items"].clone(), row["percent_agreement_items"].clone());
    assert_eq!(of(&by[0]), (json!("gpt"), json!(15), of_gpt[0]["value"].clone()));
    let clustered = desk.json(&["agree", "full.csv", "--cluster", "system"]);
    assert_eq!((&clustered[0]["cluster"], &clustered[0]["clusters"]), (&json!("cluster"), &json!(2)));
    let told = desk.out(&["agree", "full.csv"]);
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("rated by 3 annotators (a, b, c)."), "{told}");
    assert!(
        words.contains("the columns \"text\", \"system\" and \"\" are not taken for annotators"),
        "{told}"
    );
    for (arguments, what) in [
        (&["full.csv", "--filter", "nosuch=1"][..], "there is no column \"nosuch\"; there are , item, text"),
        (&["full.csv", "--filter", "system<3 or"], "behind \"or\" something is missing"),
        (&["full.csv", "--filter", "system<gpt"], "system is no number"),
        (&["full.csv", "--protocol", "coverage"], "are for a study; this is a file of ratings"),
    ] {
        let output = desk.run(&[&["agree"], arguments].concat());
        assert!(
            output.status.code() == Some(2) && String::from_utf8_lossy(&output.stderr).contains(what),
            "{arguments:?}: {output:?}"
        );
    }
}

fn table_titled<'a>(tables: &'a Value, title: &str) -> &'a Value {
    // One table may come by itself.
    let all = tables.as_array().map_or(std::slice::from_ref(tables), Vec::as_slice);
    all.iter().find(|table| table["title"].as_str().is_some_and(|own| own.ends_with(title))).expect(title)
}

#[test]
fn clusters_of_a_ratings_file_come_from_its_column() {
    let desk = Desk::new();
    let mut text = String::from("item,annotator,value,cluster\n");
    for item in 0..60 {
        for (annotator, label) in [("ana", item % 2), ("ben", u32::from(item % 3 == 0))] {
            text.push_str(&format!("{item},{annotator},{label},c{}\n", item / 3));
        }
    }
    let file = desk.file("ratings.csv", text);
    let found = desk.agreement(&["agree", &file]);
    assert_eq!((&found["cluster"], &found["clusters"]), (&"cluster".into(), &20.into()));
    let apart = desk.agreement(&["agree", &file, "--cluster", "item"]);
    assert_eq!((&apart["cluster"], &apart["clusters"]), (&"item".into(), &60.into()));
    let (status, sentence) = desk.fails(&["agree", &file, "--cluster", "query"]);
    assert!(status == 2 && sentence.contains("there is no column \"query\""), "{sentence}");
}

#[test]
fn agree_plans_and_models_when_asked() {
    let desk = Desk::new();
    let study = desk.sample();
    let arguments = ["agree", study, "--protocol", "coverage", "--plan", "0.05", "--model"];
    let text = desk.out(&arguments);
    assert!(
        text.contains("coverage: summaries for an interval of ± 0.05") && text.contains("A pilot of 10"),
        "{text}"
    );
    assert!(
        text.contains("It did not converge after 2000 steps") && text.contains("two annotators many models"),
        "{text}"
    );
    let json = desk.agreement(&arguments);
    let kappa = &json["plan"][1];
    assert_eq!((&kappa["name"], &kappa["clusters"]), (&"cohen_kappa".into(), &10.into()));
    let of = |key: &str| kappa[key].as_f64().expect(key);
    // The summaries needed go about with the square of the width, at 5.5 items each.
    let about = 10.0 * (of("half_width") / 0.05).powi(2);
    assert!((of("clusters_needed") / about - 1.0).abs() < 0.2, "{kappa}");
    assert_eq!(of("items_needed"), (5.5 * of("clusters_needed")).ceil());
    assert!(
        of("clusters_needed_from") < of("clusters_needed")
            && of("clusters_needed") < of("clusters_needed_to")
    );
    // With two annotators a third one takes off a third at best.
    let more = of("clusters_with_one_more") / of("clusters_needed");
    assert!((0.6..0.8).contains(&more), "{kappa}");
    assert_eq!(json["model"].as_array().expect("two annotators and three labels").len(), 6);
    assert_eq!(json["converged"], false);
    assert_eq!(desk.fails(&["agree", study, "--plan", "7"]).0, 2);
}

#[test]
fn tables_are_named_and_written_each_into_a_file() {
    let desk = Desk::new();
    let study = desk.sample();
    let csv = |more: &[&str]| {
        desk.out(&[&["score", study, "--protocol", "coverage", "--format", "csv"], more].concat())
    };
    let all = csv(&[]);
    assert!(all.starts_with("table,retriever,") && all.contains("\ncoverage/scores,"), "{all}");
    let one = csv(&["--table", "scores"]);
    assert!(one.starts_with("retriever,summarizer,summaries,items,"), "{one}");
    desk.out(&["score", study, "--protocol", "coverage", "--format", "csv", "-o", "tables"]);
    let written = fs::read_to_string(desk.path("tables/coverage-scores.csv")).expect("a file");
    assert_eq!(written, one);
    let (status, told) =
        desk.fails(&["score", study, "--protocol", "coverage", "--format", "csv", "-o", "tables"]);
    assert!(status == 1 && told.contains("the file is there already"), "{told}");
    let (status, told) = desk.fails(&["score", study, "--table", "scorse"]);
    assert!(
        status == 2 && told.contains("there is no table \"scorse\"; there are coverage/scores, "),
        "{told}"
    );
    let json: Value = serde_json::from_str(&desk.out(&["check", study, "--format", "json"])).expect("JSON");
    assert_eq!((json.as_array().map(Vec::len), &json[0]["table"]), (Some(1), &Value::from("findings")));
}
