//! `haymark status`: who has done how much, how well and how quickly, what is missing, and what it costs.

use super::controlling::{assigned_with_controls, judge_all, of_role};
use super::*;

/// The table whose title begins like this, of the protocol `keypoint`.
pub fn table(status: &Value, title: &str) -> Value {
    let tables = status.as_array().expect("tables");
    let found = tables.iter().find(|table| table["title"].as_str().expect("a title").starts_with(title));
    found.unwrap_or_else(|| panic!("{title} in {status}")).clone()
}

pub fn row(table: &Value, annotator: &str) -> Value {
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["annotator"] == annotator).expect("a row").clone()
}

/// Alice has 56 items of work, 8 to calibrate, 8 control items and 6 repeats, and says "agree" to each in 10
/// seconds. The expert says "disagree" to one of four. So 6 of 8 are as known, below the 80 % asked, and she agrees
/// with herself always, which leaves no kappa. 78 items in 780 seconds are 360 an hour.
#[test]
fn every_annotator_is_told_by_amount_pace_and_quality() {
    let desk = assigned_with_controls();
    judge_all(&desk, "alice", |_| false);
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint"]);
    let progress = table(&status, "Progress");
    let alice = row(&progress, "alice");
    assert_eq!((&alice["done"], &alice["left"]), (&json!(78), &json!(0)));
    assert_eq!((&alice["median_seconds"], &alice["per_hour"]), (&json!(10.0), &json!(360.0)));
    let bob = row(&progress, "bob");
    assert_eq!(
        (&bob["done"], &bob["left"], &bob["time_left_seconds"]),
        (&json!(0), &json!(78), &json!(780.0))
    );
    assert_eq!(bob["median_seconds"], Value::Null);
    assert_eq!(bob["median_seconds_undefined"], "no_times");
    let expert = row(&progress, "expert");
    assert_eq!(
        (&expert["done"], &expert["left"]),
        (&json!(40), &json!(0)),
        "who has no work has nothing left"
    );

    let quality = row(&table(&status, "Quality"), "alice");
    assert_eq!((&quality["calibration_items"], &quality["calibration"]), (&json!(8), &json!(75.0)));
    assert_eq!(quality["mark"], "not passed");
    assert_eq!((&quality["control_items"], &quality["control"]), (&json!(8), &json!(75.0)));
    assert_eq!((&quality["repeats"], &quality["with_oneself"]), (&json!(6), &json!(100.0)));
    assert_eq!(quality["kappa_with_oneself"], Value::Null);
    assert_eq!(quality["kappa_with_oneself_undefined"], "zero_expected_disagreement");
    // Control items are two questions; of what was judged twice each question is left out in turn.
    assert_eq!(quality["control_interval_undefined"], "too_few_clusters");
    let records = desk.assignments();
    let questions: BTreeSet<&str> =
        of_role(&records, "alice", "repeat").iter().filter_map(|record| record["query"].as_str()).collect();
    let low = 100.0 * 0.025_f64.powf(1.0 / questions.len() as f64);
    assert!(
        (quality["with_oneself_low"].as_f64().expect("a number") - low).abs() < 1e-9 && questions.len() > 2
    );
    assert_eq!(quality["with_others"], 100.0, "all say that it is in the document");
    assert_eq!(row(&table(&status, "Quality"), "bob")["mark"], "not done");

    // Alice said "agree" 64 times in the study itself, the expert 30 times of 40.
    let labels = row(&table(&status, "Labels (keypoint · validity)"), "alice");
    assert_eq!(
        (&labels["answered"], &labels["share_agree"], &labels["others_agree"], &labels["difference_agree"]),
        (&json!(64), &json!(100.0), &json!(75.0), &json!(25.0))
    );
}

/// 64 and 40 judgments are given, on 120 items; bob's 56 and 8 control items are still to come, and nothing of
/// what was told for calibration is.
#[test]
fn items_are_counted_by_judgments_and_what_is_missing_is_named() {
    let desk = assigned_with_controls();
    judge_all(&desk, "alice", |_| false);
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint"]);
    let coverage = table(&status, "Items by number");
    let rows = coverage["rows"].as_array().expect("rows");
    let sum = |of: &dyn Fn(&Value) -> u64| rows.iter().map(of).sum::<u64>();
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a count");
    assert_eq!(sum(&|row| number(row, "items")), 120);
    assert_eq!(sum(&|row| number(row, "judgments") * number(row, "items")), 64 + 40);
    assert_eq!(sum(&|row| number(row, "missing")), 64);
    let missing = table(&status, "Where judgments are missing");
    let domains: Vec<&Value> = missing["rows"].as_array().expect("rows").iter().collect();
    assert!(
        domains
            .iter()
            .all(|row| ["law", "health", "travel"].contains(&row["where"].as_str().expect("a name")))
    );
    assert_eq!(domains.iter().map(|row| number(row, "missing")).sum::<u64>(), 64);
    let by_query = desk.json(&["status", "study.db", "--protocol", "keypoint", "--by", "query"]);
    assert_eq!(
        table(&by_query, "Where")["rows"].as_array().expect("rows").len(),
        16,
        "14 questions and 2 of control"
    );
}

/// Alice's 780 seconds at 25 an hour are 5.4166…, the expert's 400 are 2.777…: 5.42 and 2.78, together 8.20.
#[test]
fn pay_is_exact_and_adds_up() {
    let desk = assigned_with_controls();
    judge_all(&desk, "alice", |_| false);
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint", "--pay", "25 EUR/h"]);
    let progress = table(&status, "Progress");
    assert_eq!(
        (&row(&progress, "alice")["pay"], &row(&progress, "bob")["pay"], &row(&progress, "expert")["pay"]),
        (&json!("5.42"), &json!("0.00"), &json!("2.78"))
    );
    assert_eq!(progress["total"]["pay"], "8.20");
    // Alice is done; bob goes by the pace of all.
    assert_eq!(row(&progress, "alice")["pay_left"], "0.00");
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint", "--pay", "0.10/item"]);
    assert_eq!(row(&table(&status, "Progress"), "alice")["pay"], "7.80");
    // What was done stays paid, by either rate, where a query is withdrawn and a text revised.
    let mut unit = corpus(2).swap_remove(10);
    unit["text"] = json!("another point");
    desk.records("right.jsonl", &[unit]);
    let why = ["--as", "lena", "--reason", "wrong"];
    desk.out(&[&["withdraw", "study.db", "query", "q0"][..], &why].concat());
    desk.out(&[&["revise", "study.db", "right.jsonl"][..], &why].concat());
    let paid = |rate: &str, done: usize, pay: &str| {
        let status = desk.json(&["status", "study.db", "--protocol", "keypoint", "--pay", rate]);
        let progress = table(&status, "Progress");
        assert_eq!(
            (&row(&progress, "expert")["done"], &progress["total"]["pay"]),
            (&json!(done), &json!(pay))
        );
    };
    paid("25 EUR/h", 35, "8.20");
    paid("0.10/item", 35, "11.80");
    let mut again = judgment("expert", 1, "one", "neutral");
    // Judged on the new text: after the revision.
    again["at"] = json!("2099-01-06T09:30:00Z");
    desk.import("again.jsonl", &[again]);
    // 410 seconds are 2.847.
    paid("25 EUR/h", 36, "8.27");
    paid("0.10/item", 36, "11.90");
    let (code, error) = desk.fails(&["status", "study.db", "--pay", "25 a day"]);
    assert_eq!(code, 2);
    assert!(error.contains("is no rate; write it like 25/h"), "{error}");
}

/// Twelve items at 10 seconds, but for one of 2 (below a quarter of 10) and one of 41 (above four times 10); 36 of
/// 48 are left, at the mean of 143 / 12 seconds each: 429. The logarithms' s² is 0.416172, so the variance is 429² ·
/// (e^0.416172 − 1) · (1/36 + 1/12), and with t(0.975, 11) = 2.200985 the range is 429 · e^(± 0.527087).
#[test]
fn odd_times_are_named_and_the_rest_is_estimated() {
    let desk = Desk::with_questions(12);
    let mut records = Vec::new();
    for question in 0..12 {
        let mut one = judgment("alice", question, "two", "agree");
        one["seconds"] = json!([2.0, 41.0, 10.0][question.min(2)]);
        records.push(one);
    }
    desk.import("judgments.jsonl", &records);
    let status = desk.json(&["status", "study.db"]);
    let alice = row(&table(&status, "Progress"), "alice");
    assert_eq!((&alice["fast"], &alice["slow"], &alice["left"]), (&json!(1), &json!(1), &json!(36)));
    let near = |row: &Value, key: &str, expected: f64| {
        let found = row[key].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-3, "{key} {found}, not {expected}");
    };
    let overview = table(&status, "Overview")["rows"][0].clone();
    for row in [&alice, &overview] {
        near(row, "time_left_seconds", 429.0);
        near(row, "time_left_low_seconds", 253.248);
        near(row, "time_left_high_seconds", 726.722);
    }
    assert_eq!(
        (&overview["protocol"], &overview["people"], &overview["of"]),
        (&json!("keypoint"), &json!(1), &json!(48))
    );
    assert_eq!(
        (&overview["items"], &overview["judgments"], &overview["left"]),
        (&json!(12), &json!(12), &json!(36))
    );
    let odd = table(&status, "Too fast or too slow");
    let rows = odd["rows"].as_array().expect("rows");
    assert_eq!(
        (&rows[0]["what"], &rows[0]["query"], &rows[0]["seconds"]),
        (&json!("fast"), &json!("q0"), &json!(2.0))
    );
    assert_eq!(
        (&rows[1]["what"], &rows[1]["query"], &rows[1]["item"]),
        (&json!("slow"), &json!("q1"), &json!("d · two"))
    );
    // 429 seconds at 20 an hour are 2.3833…; 36 items at 0.50 are 18.
    for (rate, left) in [("20 EUR/h", "2.38"), ("0.50/item", "18.00")] {
        let status = desk.json(&["status", "study.db", "--pay", rate]);
        let overview = table(&status, "Overview")["rows"][0].clone();
        let progress = table(&status, "Progress");
        assert_eq!(
            (&row(&progress, "alice")["pay_left"], &overview["pay_left"]),
            (&json!(left), &json!(left))
        );
    }
    let shown = desk.out(&["status", "study.db", "--pay", "1/item"]);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(
        shown.contains("About 7 min of active time is left, 4 min to 12 min in 95 % of cases."),
        "{shown}"
    );
    assert!(!shown.contains("alice") && shown.lines().count() < 12, "one row a protocol: {shown}");
    let opened = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert!(opened.contains("Progress (keypoint)") && !opened.contains("Overview"), "{opened}");
    for (format, name) in [("csv", "alice"), ("markdown", "A1"), ("latex", "A1")] {
        assert!(desk.out(&["status", "study.db", "--format", format]).contains(name), "{format}");
    }
}

#[test]
fn a_study_where_nothing_was_done_says_so() {
    let desk = Desk::with_questions(2);
    let overview = desk.json(&["status", "study.db"]);
    let mut rows = overview["rows"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["protocol"] == "keypoint").expect("a row");
    assert_eq!((&row["of"], &row["items"], &row["left"]), (&json!(8), &json!(0), &json!(8)));
    let named = desk.json(&["status", "study.db", "--protocol", "keypoint"]);
    assert_eq!(table(&named, "Items by number")["rows"][0]["items"], 8);
}

/// Whoever has another name since may be called by any of them: the work is that of one person.
#[test]
fn work_is_handed_out_and_taken_home_under_any_name_of_a_person() {
    let desk = Desk::with_questions(2);
    let assign =
        |more: &[&str]| desk.out(&[&["assign", "study.db", "--protocol", "keypoint"][..], more].concat());
    assign(&["--to", "ann,bea"]);
    let rename =
        ["people", "study.db", "--rename", "bea", "--into", "beatrix", "--as", "lena", "--reason", "asked"];
    desk.out(&rename);
    let plan = assign(&["--to", "bea", "--raters", "2"]);
    assert!(plan.contains("beatrix") && !plan.contains("bea "), "{plan}");
    let asked = desk.exported("assignment");
    let of = |name: &str| asked.iter().filter(|one| one["annotator"] == name).count();
    assert_eq!((of("ann"), of("beatrix"), of("bea")), (8, 8, 0));
    let told = desk.out(&["split", "study.db", "--for", "bea"]);
    assert!(told.contains("8 items of keypoint are assigned to beatrix"), "{told}");
    assign(&["--remove", "bea"]);
    assert!(desk.exported("assignment").iter().all(|one| one["annotator"] == "ann"));
}
