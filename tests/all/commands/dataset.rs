//! The finished dataset: what is in it, and whom it does not name.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Desk, SAMPLES, about_summaries, project, python, without_names};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Six key points of one document. zoe and adam judge the first four, zoe alone the fifth, nobody the sixth:
///
/// | point | zoe      | adam     |
/// | ---   | ---      | ---      |
/// | k1    | agree    | agree    |
/// | k2    | agree    | neutral  |
/// | k3    | no       | disagree |
/// | k4    | disagree | agree    |
/// | k5    | agree    |          |
///
/// bea decides that k4 is kept. zoe says why she rejects k3.
fn study(desk: &Desk) -> &'static str {
    let mut records = vec![
        json!({"type":"collection","id":"c","domain":"science"}),
        json!({"type":"document","collection":"c","id":"d","number":1,"text":"Bees dance."}),
        json!({"type":"query","collection":"c","id":"q","text":"How do bees speak?","category":"how"}),
    ];
    for number in 1..=6 {
        records.push(
            json!({"type":"unit","collection":"c","query":"q","id":format!("k{number}"),"kind":"keypoint",
            "text":format!("point {number}"),"documents":["d"],"score":0.5}),
        );
    }
    for (name, kind) in [("zoe", "human"), ("judge", "model"), ("adam", "human"), ("bea", "human")] {
        let meta = if kind == "human" { json!({"age":44}) } else { json!({"cost_per_summary":0.01}) };
        records.push(json!({"type":"annotator","id":name,"kind":kind,"meta":meta}));
    }
    let yes = |validity: &str| json!({"grounded":"yes","validity":validity});
    let mut judged = |annotator: &str, unit: &str, answers: Value, comment: Option<&str>| {
        let mut record = json!({"type":"judgment","protocol":"keypoint","annotator":annotator,"collection":"c","query":"q",
            "document":"d","unit":unit,"answers":answers,"seconds":10.0,"at":"2026-01-05T09:30:00Z"});
        if let Some(comment) = comment {
            record["comment"] = comment.into();
        }
        records.push(record);
    };
    judged("zoe", "k1", yes("agree"), None);
    judged("zoe", "k2", yes("agree"), None);
    judged("zoe", "k3", json!({"grounded":"no"}), Some("zoe's own words"));
    judged("zoe", "k4", yes("disagree"), None);
    judged("zoe", "k5", yes("agree"), None);
    judged("adam", "k1", yes("agree"), None);
    judged("adam", "k2", yes("neutral"), None);
    judged("adam", "k3", yes("disagree"), None);
    judged("adam", "k4", yes("agree"), None);
    judged("judge", "k1", yes("neutral"), None);
    records.push(json!({"type":"adjudication","protocol":"keypoint","annotator":"bea","collection":"c","query":"q",
        "document":"d","unit":"k4","answers":yes("agree"),"took":"adam","reason":"slip","note":"bea's own words"}));
    desk.file("study.jsonl", records.iter().map(|record| format!("{record}\n")).collect::<String>());
    desk.out(&["import", "study.db", "study.jsonl"]);
    "study.db"
}

#[test]
fn retained_is_what_people_kept_by_a_rule() {
    let desk = Desk::new();
    let study = study(&desk);
    let kept = |more: &[&str]| -> Vec<(String, String, u64)> {
        let arguments = [&["export", study, "--what", "retained"][..], more].concat();
        let told = lines(&desk.out(&arguments));
        let row = |row: &Value| {
            let text = |key: &str| row[key].as_str().expect("a text").to_owned();
            (text("unit"), text("source"), row["annotators"].as_u64().expect("a number"))
        };
        told.iter().map(row).collect()
    };
    let point = |unit: &str, source: &str, annotators| (unit.to_owned(), source.to_owned(), annotators);
    // k2 is open: one keeps it and one does not. k3 is rejected by both, though for different reasons.
    let by_default = [point("k1", "unanimous", 2), point("k4", "adjudicated", 2), point("k5", "single", 1)];
    assert_eq!(kept(&[]), by_default);
    assert_eq!(kept(&["--rule", "all agree"]), by_default[..2]);
    // zoe alone keeps k1, k2 and k5; what bea decided about k4 stands.
    let by_zoe = [
        point("k1", "single", 1),
        point("k2", "single", 1),
        point("k4", "adjudicated", 1),
        point("k5", "single", 1),
    ];
    assert_eq!(kept(&["--annotators", "zoe"]), by_zoe);
    // The judge is neutral about k1, and one of three is no objection to a majority of three.
    let with_judge = kept(&["--with-judges", "--rule", "majority of 3"]);
    assert_eq!(with_judge[0], point("k1", "majority", 3));
    let told = desk.run(&["export", study, "--what", "retained"]);
    assert_eq!(
        String::from_utf8_lossy(&told.stderr),
        "keypoint: 3 of 5 key points retained (60.0 %) by the rule \"all agree or single\": 1 unanimous, 1 single, 1 \
         adjudicated; 1 rejected, 1 unresolved and left out.\n"
    );
    let csv = desk.out(&["export", study, "--what", "retained", "--format", "csv"]);
    assert_eq!(
        csv.lines().take(2).collect::<Vec<_>>(),
        [
            "protocol,version,collection,query,document,unit,candidate,bullet_number,domain,category,question,kind,text,\
             score,source,annotators",
            "keypoint,1,c,q,d,k1,,,science,how,How do bees speak?,keypoint,point 1,0.5,unanimous,2",
        ]
    );
}

#[test]
fn a_dataset_names_nobody_and_holds_nobodys_words() {
    let desk = Desk::new();
    let study = study(&desk);
    let secret = ["zoe", "adam", "bea", "own words", "age"];
    for what in ["judgments", "ratings", "gold", "retained", "candidates"] {
        for format in ["jsonl", "csv"] {
            let told = desk.out(&["export", study, "--what", what, "--format", format]);
            for word in secret {
                assert!(!told.contains(word), "{what} {format} tells {word}: {told}");
            }
        }
    }
    let view = ["export", study, "--what", "view", "--table", "items"];
    for format in ["jsonl", "csv", "markdown"] {
        let told = desk.out(
            &[&view[..], &["--columns", "unit,grounded@zoe,grounded@judge", "--format", format]].concat(),
        );
        assert!(secret.iter().all(|word| !told.contains(word)) && told.contains("judge"), "{format}: {told}");
    }
    let history = desk.out(&["export", study, "--what", "judgments", "--history"]);
    assert!(secret.iter().all(|word| !history.contains(word)), "{history}");
    let judgments = lines(&desk.out(&["export", study, "--what", "judgments"]));
    let named: Vec<&str> = judgments
        .iter()
        .filter(|record| record["type"] == "annotator")
        .filter_map(|record| record["id"].as_str())
        .collect();
    assert_eq!(named, ["A1", "judge", "A2", "A3"]);
    let verdict = judgments.iter().find(|record| record["type"] == "adjudication").expect("bea's");
    assert_eq!((&verdict["annotator"], &verdict["took"]), (&"A3".into(), &"A2".into()));

    let told = desk.out(&["export", study, "--what", "judgments", "--names", "--with-text"]);
    assert!(secret.iter().all(|word| told.contains(word)), "{told}");
    let told = told.replace(",\"complete\":true", "").replace(",\"complete\":false", "");
    let all = desk.run(&["export", study]);
    assert!(String::from_utf8_lossy(&all.stderr).contains("with people's names and words"));
    assert!(
        without_names(&String::from_utf8_lossy(&all.stdout)).ends_with(&told),
        "the study itself holds the same"
    );
    let (status, told) = desk.fails(&["export", study, "--names"]);
    assert!(
        status == 2 && told.contains("--names has no use for --what all; it is for judgments,"),
        "{told}"
    );
    for wrong in [["--what", "corpus", "--format", "csv"], ["--what", "gold", "--question", "grounded"]] {
        assert_eq!(desk.fails(&[&["export", study][..], &wrong[..]].concat()).0, 2);
    }
}

#[test]
fn what_is_exported_without_names_comes_in_again() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.file("corpus.jsonl", desk.out(&["export", study, "--what", "corpus"]));
    let judgments = desk.out(&["export", study, "--what", "judgments"]);
    desk.file("judgments.jsonl", &judgments);
    desk.out(&["import", "other.db", "corpus.jsonl", "judgments.jsonl"]);
    assert_eq!(desk.out(&["export", "other.db", "--what", "judgments"]), judgments);
    let scores = |study: &str| desk.json(&["score", study]);
    assert_eq!(scores(study), scores("other.db"));
}

/// The sample's key points and statements are answers in words alone: without words nothing is left of them.
#[test]
fn judgments_of_which_nothing_may_be_told_are_left_out_and_counted() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    desk.file("corpus.jsonl", desk.out(&["export", "study.db", "--what", "corpus"]));
    desk.import(
        "verdict.jsonl",
        &[
            json!({"type":"annotator","id":"carla","kind":"human"}),
            json!({"type":"adjudication","protocol":"decomposition","annotator":"carla","collection":"exam",
                "query":"stress","candidate":"stress-1","answers":{"points":[{"text":"a point"}]}}),
        ],
    );
    let wordless = ["extraction", "decomposition"];
    let count = |file: &str| {
        let told = desk.out(&["export", "study.db", "--what", "judgments", "--with-text", "--format", file]);
        told.lines().filter(|line| wordless.iter().any(|name| line.contains(name))).count()
    };
    let output = desk.run(&["export", "study.db", "--what", "judgments", "-o", "judgments.jsonl"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let note = format!(
        "left out: {} judgments that hold nothing but what people wrote; --with-text writes it",
        count("jsonl")
    );
    assert!(output.status.success() && told.contains(&note), "{told} and not {note}");
    desk.out(&["import", "other.db", "corpus.jsonl", "judgments.jsonl"]);
    // A table has a row for each: who judged what, and for how long.
    let rows = desk.out(&["export", "study.db", "--what", "judgments", "--format", "csv"]);
    assert_eq!(
        rows.lines().filter(|line| wordless.iter().any(|name| line.contains(name))).count(),
        count("csv")
    );
}

#[test]
fn ratings_are_what_agree_reads() {
    let desk = Desk::new();
    let study = study(&desk);
    let matrix = [
        "export",
        study,
        "--what",
        "ratings",
        "--question",
        "grounded",
        "--annotators",
        "zoe,adam",
        "--format",
        "csv",
    ];
    let csv = desk.out(&matrix);
    let first = "item,cluster,A1,A2\nc / q / d / k1,c / q,yes,yes\nc / q / d / k2,c / q,yes,yes\n\
                 c / q / d / k3,c / q,no,yes\n";
    assert!(csv.starts_with(first) && csv.ends_with("c / q / d / k5,c / q,yes,\n"), "{csv}");
    desk.file("ratings.csv", &csv);
    let numbers = |arguments: &[&str]| desk.agreement(arguments)["pairs"].clone();
    let mut of_study = numbers(&["agree", study, "--question", "grounded", "--annotators", "zoe,adam"]);
    let of_file = numbers(&["agree", "ratings.csv", "--categories", "no,yes"]);
    (of_study[0]["a"], of_study[0]["b"]) = ("A1".into(), "A2".into());
    assert_eq!(of_study[0]["items"], 4);
    for name in ["a", "b", "items", "percent_agreement", "cohen_kappa"] {
        assert_eq!(of_study[0][name], of_file[0][name], "{name}");
    }
    // A question with tags: a filter reads one of them, as the export says.
    desk.out(&["demo", "--copy", "demo.db"]);
    let tags = ["export", "demo.db", "--what", "ratings", "--protocol", "failure", "--question", "failures"];
    let told = desk.told(&[&tags[..], &["--format", "csv", "-o", "tags.csv"]].concat());
    let filter = told.split('\'').nth(1).expect("a filter");
    assert!(
        told.contains(&format!("`haymark agree FILE --filter '{filter}' --categories no,yes`")),
        "{told}"
    );
    assert!(desk.fails(&["agree", "tags.csv"]).1.contains("--filter 'question=…'"));
    let of_tag = desk.agreement(&["agree", "tags.csv", "--filter", filter, "--categories", "no,yes"]);
    assert!(of_tag["pairs"][0]["items"].as_u64() > Some(0), "{of_tag}");
    // Both questions: each row says which.
    let both = lines(&desk.out(&["export", study, "--what", "ratings"]));
    assert_eq!(both.len(), 10, "five points are judged, and somebody finds each of them in the document");
    assert_eq!(
        both[0],
        json!({"protocol":"keypoint","question":"grounded","item":"c / q / d / k1","cluster":"c / q",
        "A1":"yes","judge":"yes","A2":"yes"})
    );
}

#[test]
fn ratings_of_what_was_written_in_sessions_are_those_of_the_last_snapshots() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let asked =
        ["export", "study.db", "--what", "ratings", "--protocol", "coverage", "--question", "coverage"];
    let output = desk.run(&[&asked[..], &["--names", "--format", "csv", "-o", "ratings.csv"]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("the last snapshots count"), "{told}");
    let numbers =
        |of: &[&str]| desk.agreement(&[of, &["--annotators", "alice,bora"]].concat())["pairs"].clone();
    let of_study = numbers(&["agree", "study.db", "--protocol", "coverage", "--question", "coverage"]);
    let of_file =
        numbers(&["agree", "ratings.csv", "--categories", "none,partial,full", "--scale", "ordinal"]);
    for name in ["a", "b", "items", "percent_agreement", "cohen_kappa", "cohen_kappa_quadratic"] {
        assert_eq!(of_study[0][name], of_file[0][name], "{name}");
    }
}

#[test]
fn history_tells_what_no_longer_counts() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.file(
        "later.jsonl",
        json!({"type":"judgment","protocol":"keypoint","annotator":"adam","collection":"c","query":"q","document":"d",
            "unit":"k2","answers":{"grounded":"no"},"seconds":3.0,"at":"2026-01-06T09:30:00Z"})
        .to_string(),
    );
    desk.out(&["import", study, "later.jsonl"]);
    let all =
        lines(&desk.out(&["export", study, "--what", "judgments", "--history", "--annotators", "adam"]));
    let of_k2: Vec<(&str, &Value, &str)> = all
        .iter()
        .filter(|row| row["unit"] == "k2")
        .map(|row| {
            let text = |key: &str| row[key].as_str().expect("a text");
            (text("question"), &row["answer"], text("state"))
        })
        .collect();
    let (yes, neutral, no) = (json!("yes"), json!("neutral"), json!("no"));
    let given: Vec<_> = of_k2.iter().filter(|(_, answer, _)| !answer.is_null()).copied().collect();
    assert_eq!(
        given,
        [("grounded", &yes, "replaced"), ("validity", &neutral, "replaced"), ("grounded", &no, "counts")]
    );
    let latest =
        lines(&desk.out(&["export", study, "--what", "judgments", "--latest", "--annotators", "adam"]));
    let k2 = latest.iter().find(|record| record["unit"] == "k2").expect("adam's");
    assert_eq!(k2["answers"], json!({"grounded":"no"}));
}

#[test]
fn a_datasheet_says_what_it_is() {
    let desk = Desk::new();
    let study = study(&desk);
    let export = ["export", study, "--what", "retained", "-o", "kept.jsonl", "--card", "CARD.md"];
    desk.out(&export);
    let card = fs::read_to_string(desk.path("CARD.md")).expect("the datasheet");
    for part in [
        "# Datasheet: retained",
        "- File: `kept.jsonl`, 3 retained key points",
        &format!("by haymark {}", env!("CARGO_PKG_VERSION")),
        "| A1 | person | 5 | 10.0 |",
        "| judge | judge (model) | 1 | 10.0 |",
        "### Key points (`keypoint`, version 1)",
        "- `grounded` In the document?: yes, no",
        // k1, k2, k3 and k4 are rated twice; on k3 one says no: 3 of 4.
        "| keypoint · grounded | 4 | A1, A2 | Percent agreement | 0.750 |",
        // Of five items people say yes of four, and one of two of the fifth; a judge says yes of one.
        "| keypoint · grounded | yes | people | 5 | 8 | 90.0 % |",
        "| keypoint · grounded | yes | judges | 1 | 1 | 100.0 % |",
        "3 of 5 key points retained (60.0 %)",
        "(jackknife)",
    ] {
        assert!(card.contains(part), "{part} is not in {card}");
    }
    assert!(["zoe", "adam", "bea"].iter().all(|name| !card.contains(name)), "{card}");
    assert_eq!(desk.fails(&[&export[..4], &["-o", "other.jsonl", "--card", "CARD.md"]].concat()).0, 1);
    assert_eq!(desk.fails(&["export", study, "--card", "STUDY.md"]).0, 2);
}

#[test]
fn a_filter_restricts_a_dataset() {
    let desk = Desk::new();
    let study = study(&desk);
    let units = |what: &str, filter: &str| -> Vec<String> {
        let told = lines(&desk.out(&["export", study, "--what", what, "--filter", filter]));
        let unit = |row: &Value| row["unit"].as_str().map(str::to_owned);
        told.iter().filter_map(unit).collect()
    };
    assert_eq!(units("retained", "unit:k4 or unit:k5"), ["k4", "k5"]);
    assert_eq!(units("gold", "unit:k1"), ["k1"]);
    // By the three who judged it; others' judgments of other points are left out.
    assert_eq!(units("judgments", "unit:k1"), ["k1", "k1", "k1"]);
    let ratings =
        desk.out(&["export", study, "--what", "ratings", "--question", "grounded", "--filter", "unit:k5"]);
    assert_eq!(lines(&ratings).len(), 1);
    let (status, told) = desk.fails(&["export", study, "--what", "gold", "--filter", "unti:k1"]);
    assert!(status == 2 && told.contains("the filter is wrong at"), "{told}");
    assert_eq!(desk.fails(&["export", study, "--filter", "unit:k1"]).0, 2);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_the_same_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let desk = Desk::new();
    let study = study(&desk);
    for what in ["retained", "judgments", "ratings", "gold", "candidates"] {
        let file = format!("{what}.parquet");
        desk.out(&["export", study, "--what", what, "--format", "parquet", "-o", &file]);
        let opened = fs::File::open(desk.path(&file)).expect("a file");
        let reader = SerializedFileReader::new(opened).expect("Parquet");
        let csv = desk.out(&["export", study, "--what", what, "--format", "csv"]);
        let mut records = csv::Reader::from_reader(csv.as_bytes());
        let header = records.headers().expect("a header").clone();
        let rows: Vec<csv::StringRecord> = records.records().map(|row| row.expect("a row")).collect();
        let found: Vec<_> = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!(found.len(), rows.len(), "{what}");
        for (row, expected) in found.iter().zip(&rows) {
            for (at, (name, field)) in row.get_column_iter().enumerate() {
                assert_eq!(Some(name.as_str()), header.get(at));
                let shown = match field {
                    parquet::record::Field::Null => String::new(),
                    parquet::record::Field::Str(text) => text.clone(),
                    parquet::record::Field::Double(value) => json!(value).to_string(),
                    other => other.to_string(),
                };
                assert_eq!(Some(shown.as_str()), expected.get(at), "{what} {name}");
            }
        }
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_haymark_without_parquet_says_how_to_get_it() {
    let desk = Desk::new();
    let study = study(&desk);
    let (status, told) =
        desk.fails(&["export", study, "--what", "gold", "--format", "parquet", "-o", "gold.parquet"]);
    assert!(status == 1 && told.contains("--features parquet"), "{told}");
    assert!(!desk.path("gold.parquet").exists());
}

#[test]
fn a_filter_in_a_datasheet_gives_no_name_away() {
    let desk = Desk::new();
    let study = study(&desk);
    let filter = "grounded@zoe:yes or grounded@adam:no";
    desk.out(&[
        "export",
        study,
        "--what",
        "ratings",
        "--question",
        "grounded",
        "-o",
        "some.jsonl",
        "--filter",
        filter,
        "--card",
        "CARD.md",
    ]);
    let card = fs::read_to_string(desk.path("CARD.md")).expect("the datasheet");
    assert!(["zoe", "adam"].iter().all(|name| !card.contains(name)), "{card}");
    assert!(card.contains("Only what the filter `grounded@A"), "{card}");
}

/// The model's label of each item, with how sure it is: probabilities of all labels sum to 1, so that of two the entropy follows.
#[test]
fn labels_are_estimated_with_their_probability_and_entropy() {
    let desk = Desk::new();
    let study = desk.sample();
    let text =
        desk.out(&["export", study, "--what", "labels", "--protocol", "coverage", "--question", "coverage"]);
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 80);
    for row in &rows {
        let number = |key: &str| row[key].as_f64().expect(key);
        assert!(["none", "partial", "full"].contains(&row["label"].as_str().expect("a label")), "{row}");
        let (most, entropy) = (number("probability"), number("entropy"));
        // At least that of this label against one other, at most that of the rest shared evenly.
        let term = |share: f64| if share > 0.0 { -share * share.ln() } else { 0.0 };
        let (least, largest) = (term(most) + term(1.0 - most), term(most) + 2.0 * term((1.0 - most) / 2.0));
        assert!(most >= 1.0 / 3.0 && least - 1e-9 <= entropy && entropy <= largest + 1e-9, "{row}");
    }
    let refused = desk.fails(&["export", study, "--what", "corpus", "--question", "coverage"]);
    assert!(refused.1.contains("labels"), "{}", refused.1);
}

/// The folder's README names each table and the columns that its file has; people are nowhere named.
#[test]
fn a_folder_holds_every_table_and_says_what_they_are() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.out(&["export", study, "--what", "dataset", "-o", "kept"]);
    let card = fs::read_to_string(desk.path("kept/README.md")).expect("the card");
    let tables = ["judgments", "gold", "labels", "ratings", "retained", "corpus"];
    for table in tables {
        let rows = fs::read_to_string(desk.path(&format!("kept/{table}.csv"))).expect(table);
        let columns: Vec<&str> = rows.lines().next().expect("a header").split(',').collect();
        let features = card.split(&format!("- config_name: {table}\n  features:\n")).nth(1).expect(table);
        let named = features.lines().step_by(2).map_while(|line| line.strip_prefix("  - name: "));
        assert_eq!(named.map(|name| name.trim_matches('"')).collect::<Vec<_>>(), columns, "{table}");
        assert!(["zoe", "adam", "bea"].iter().all(|name| !rows.contains(name)), "{rows}");
    }
    // There are no candidates, so that there is no table of them.
    assert!(!desk.path("kept/candidates.csv").exists() && !card.contains("candidates.csv"));
    assert!(["zoe", "adam", "bea"].iter().all(|name| !card.contains(name)), "{card}");
    for part in ["default: true", "## Fields of `gold.csv`", "Licence of the texts", "with others"] {
        assert!(card.contains(part), "{part} is not in {card}");
    }
    let (status, told) = desk.fails(&["export", study, "--what", "dataset", "-o", "kept"]);
    assert!(status == 1 && told.contains("something in the folder already"), "{told}");
    assert_eq!(desk.fails(&["export", study, "--what", "dataset"]).0, 2);
    let before = desk.files();
    desk.out(&["export", study, "--what", "dataset", "-o", "kept", "--force"]);
    assert_eq!(desk.files(), before, "the same study gives the same bytes");
}

/// The script of the guide reads every export with pandas.
#[test]
fn every_export_is_read_by_pandas() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.out(&["export", study, "--what", "dataset", "-o", "kept"]);
    let mut files: Vec<String> = Vec::new();
    for what in ["all", "corpus", "candidates", "judgments", "ratings", "labels", "retained", "gold"] {
        files.push(format!("{what}.jsonl"));
        desk.out(&["export", study, "--what", what, "-o", &format!("{what}.jsonl")]);
    }
    for table in std::fs::read_dir(desk.path("kept")).expect("the folder") {
        let name = table.expect("an entry").file_name().into_string().expect("a name");
        files.extend(Some(format!("kept/{name}")).filter(|name| name.ends_with(".csv")));
    }
    for command in ["score", "agree", "status"] {
        files.push(format!("{command}.json"));
        desk.file(&format!("{command}.json"), desk.out(&[command, study, "--format", "json"]));
    }
    let mut python = python();
    python.arg(project("docs/read_exports.py")).args(&files).current_dir(desk.folder());
    let output = match python.output() {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("No module named 'pandas'") => output,
        _ => return println!("skipped: there is no Python with pandas"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    // Nine judgments of people and one of a judge. Gold are k1, on which both agree, and what was adjudicated.
    for line in ["judgments: 10 rows", "judgments/judgment: 10 rows", "gold/gold: 2 rows", "retained: 3 rows"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    // This study has no candidates, so nothing stands in their file.
    for file in files.iter().filter(|file| !desk.bytes(file).is_empty()) {
        let (stem, _) = file.trim_start_matches("kept/").rsplit_once('.').expect("an ending");
        assert!(told.lines().any(|line| line.starts_with(stem)), "{file}: {told}");
    }
}

/// PyPI's `datasets` reads the folder as it is, with the types that it is said to have.
#[test]
fn a_folder_is_loaded_by_datasets() {
    let desk = Desk::new();
    let study = study(&desk);
    desk.out(&["export", study, "--what", "dataset", "-o", "kept"]);
    let mut python = python();
    let script = project("tests/all/commands/load_dataset.py");
    python.arg(script).arg(desk.path("kept")).arg(desk.path("cache")).env("HOME", desk.folder());
    let output = match python.output() {
        Ok(output) if output.status.code() != Some(77) => output,
        _ => return println!("skipped: there is no Python with PyPI's datasets"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let tables = &told["tables"];
    // Nine judgments of people and one of a judge; five items with gold.
    assert_eq!(tables["judgments"]["rows"].as_array().map(Vec::len), Some(10));
    assert_eq!(tables["retained"]["rows"].as_array().map(Vec::len), Some(3));
    let types = [("seconds", "float64"), ("complete", "bool"), ("version", "int64"), ("grounded", "string")];
    for (column, kind) in types {
        assert_eq!(tables["judgments"]["types"][column], kind, "{column}");
    }
    let first = &tables["judgments"]["rows"][0];
    assert_eq!((&first["annotator"], &first["seconds"]), (&json!("A1"), &json!(10.0)));
    assert_eq!(first["candidate"], Value::Null, "an empty cell is no value");
    // zoe and adam agree on k1: each label has a share, and they sum to 1.
    let label = &tables["labels"]["rows"][0];
    let shares: Value = serde_json::from_str(label["shares"].as_str().expect("JSON")).expect("JSON");
    let sum: f64 = shares.as_object().expect("an object").values().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{label}");
    assert_eq!(told["card"]["language"][0], "en");
}

#[test]
fn a_question_with_the_name_of_another_column_keeps_a_column_of_its_own() {
    let desk = Desk::new();
    let tables = r#"[[question]]
key = "comment"
prompt = "Is it clear?"
kind = "choice"
choices = [{ value = "yes", label = "yes", key = "y" }, { value = "no", label = "no", key = "n" }]
"#;
    let text = about_summaries("talk", 1, "query", tables);
    desk.file("talk.toml", &text);
    let protocol = json!({"type":"protocol","name":"talk","version":1,"text":text});
    let records = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"candidate","collection":"c","query":"q","id":"a","summarizer":"s","text":"A."}),
        json!({"type":"annotator","id":"zoe","kind":"human"}),
        protocol,
        json!({"type":"judgment","protocol":"talk","annotator":"zoe","collection":"c","query":"q","candidate":"a",
            "answers":{"comment":"yes"},"comment":"a remark","at":"2026-01-05T09:30:00Z"}),
    ];
    desk.file("all.jsonl", records.map(|record| record.to_string()).join("\n"));
    desk.out(&["import", "study.db", "all.jsonl"]);
    desk.out(&["export", "study.db", "--what", "dataset", "--names", "--with-text", "-o", "set"]);
    let table = String::from_utf8(desk.bytes("set/judgments.csv")).expect("UTF-8");
    let head: Vec<&str> = table.lines().next().expect("a heading").split(',').collect();
    let unlike: std::collections::HashSet<&&str> = head.iter().collect();
    assert!(unlike.len() == head.len() && head.contains(&"answers.comment"), "{head:?}");
    desk.out(&["init", "again.db"]);
    desk.out(&["protocol", "add", "again.db", "talk.toml"]);
    desk.out(&["import", "again.db", "set/corpus.csv", "set/candidates.csv", "set/judgments.csv"]);
    let judgments = |study: &str| {
        desk.out(&["export", study, "--what", "judgments", "--names", "--with-text", "--format", "csv"])
    };
    assert_eq!(judgments("again.db"), judgments("study.db"));
}

/// With the table of gold a folder brings the adjudications back, which are no judgments.
#[test]
fn a_folder_comes_in_again_with_its_adjudications() {
    let desk = Desk::new();
    let study = study(&desk);
    let folder = |study: &str, to: &str| {
        desk.out(&["export", study, "--what", "dataset", "--with-text", "--names", "-o", to])
    };
    folder(study, "first");
    desk.out(&["import", "again.db", "first/corpus.csv", "first/judgments.csv", "first/gold.csv"]);
    folder("again.db", "second");
    for table in ["gold.csv", "judgments.csv", "retained.csv", "labels.csv"] {
        let [first, second] = ["first", "second"].map(|folder| desk.bytes(&format!("{folder}/{table}")));
        assert_eq!(String::from_utf8(first), String::from_utf8(second), "{table}");
    }
    // What gold leaves out is nothing new: when and for how long somebody decided.
    let timed = String::from_utf8(desk.bytes("study.jsonl")).expect("UTF-8");
    let decided = r#""took":"adam","seconds":5.0,"example":true,"at":"2026-01-06T09:30:00Z""#;
    let timed = timed.replace(r#""took":"adam""#, decided);
    assert!(timed.contains(decided));
    desk.file("timed.jsonl", timed);
    for (study, file) in [("again.db", "first/gold.csv"), ("timed.db", "timed.jsonl")] {
        desk.out(&["import", study, file]);
        let told = desk.out(&["import", study, "first/gold.csv"]);
        assert!(told.contains("nothing new"), "{told}");
    }
}

/// pandas writes True, and 3.0 where a column has gaps; a spreadsheet writes TRUE, and times in its own form.
/// Two files judge one item. A table tells the time of both, and adds none where it meets them, or one of them.
#[test]
fn a_total_in_a_table_adds_no_time() {
    let desk = Desk::new();
    let judgment = |at: &str, seconds: f64, answers: Value| {
        json!({"type":"judgment","protocol":"coverage","annotator":"zoe","collection":"c","query":"q","unit":"u",
            "candidate":"a","answers":answers,"seconds":seconds,"at":at})
    };
    let corpus = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"unit","collection":"c","query":"q","id":"u","kind":"insight","text":"A."}),
        json!({"type":"candidate","collection":"c","query":"q","id":"a","summarizer":"s","text":"- A."}),
        json!({"type":"annotator","id":"zoe","kind":"human"}),
    ];
    desk.file("corpus.jsonl", corpus.map(|record| record.to_string()).join("\n"));
    desk.file("one.jsonl", judgment("2026-01-05T09:30:00Z", 5.0, json!({"coverage":"none"})).to_string());
    let full = json!({"coverage":"full","bullet":1});
    desk.file("two.jsonl", judgment("2026-01-06T09:30:00Z", 10.0, full).to_string());
    let seconds = |study: &str| desk.judgments(study, "coverage", "zoe")[0]["seconds"].clone();
    desk.out(&["init", "both.db"]);
    desk.out(&["import", "both.db", "corpus.jsonl", "one.jsonl", "two.jsonl"]);
    let table = |study: &str, file: &str| {
        desk.out(&[
            "export",
            study,
            "--what",
            "judgments",
            "--format",
            "csv",
            "--names",
            "-o",
            file,
            "--force",
        ]);
    };
    for held in [vec![], vec!["one.jsonl"], vec!["two.jsonl"], vec!["one.jsonl", "two.jsonl"]] {
        let study = format!("of{}.db", held.concat());
        desk.out(&["init", &study]);
        desk.out(&[&["import", &study, "corpus.jsonl"], &held[..]].concat());
        for _ in 0..2 {
            table("both.db", "told.csv");
            desk.out(&["import", &study, "told.csv"]);
            table(&study, "back.csv");
            desk.out(&["import", "both.db", "back.csv"]);
            assert_eq!((seconds(&study), seconds("both.db")), (json!(15.0), json!(15.0)), "{held:?}");
        }
    }
}

#[test]
fn a_table_of_judgments_comes_in_again_from_pandas_and_a_spreadsheet() {
    let desk = Desk::new();
    let tables = r#"[[question]]
key = "clear"
prompt = "Is it clear?"
kind = "choice"
scale = "1..5"
ends = ["no", "yes"]
[[question]]
key = "best"
prompt = "Which bullet is best?"
kind = "bullet"
required = false
"#;
    let text = about_summaries("talk", 1, "query", tables);
    desk.file("talk.toml", &text);
    let head = "protocol,version,annotator,collection,query,candidate,clear,best,complete,seconds,at,comment,flagged,skipped\n";
    let row = |version: &str, clear: &str, best: &str, [yes, no]: [&str; 2], at: &str| {
        format!("{head}talk,{version},zoe,c,q,a,{clear},{best},{yes},2.5,{at},fine,{no},{no}\n")
    };
    let own = row("1", "4", "1", ["true", "false"], "2026-01-05T09:30:00.250Z");
    let given = [
        own.clone(),
        row("1.0", "4.0", "1.0", ["True", "False"], "2026-01-05T09:30:00.250Z"),
        row("1", "4", "1", ["TRUE", "FALSE"], "2026-01-05 09:30:00"),
    ];
    let corpus = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"candidate","collection":"c","query":"q","id":"a","summarizer":"s","text":"- A."}),
        json!({"type":"annotator","id":"zoe","kind":"human"}),
    ];
    desk.file("corpus.jsonl", corpus.map(|record| record.to_string()).join("\n"));
    for (place, table) in given.iter().enumerate() {
        let study = format!("{place}.db");
        desk.file("table.csv", table);
        desk.out(&["init", &study]);
        desk.out(&["protocol", "add", &study, "talk.toml"]);
        desk.out(&["import", &study, "corpus.jsonl", "table.csv"]);
        let judged = desk.judgments(&study, "talk", "zoe");
        assert_eq!(judged.len(), 1, "{table}");
        assert_eq!(judged[0]["answers"], json!({"clear":"4","best":1}), "{table}");
        assert_eq!((&judged[0]["seconds"], &judged[0]["complete"]), (&json!(2.5), &json!(true)), "{table}");
        let at = if place < 2 { "2026-01-05T09:30:00.250Z" } else { "2026-01-05T09:30:00Z" };
        assert_eq!(judged[0]["at"].as_str().expect("a time").replace(".25Z", ".250Z"), at);
    }
}
