use super::*;
use crate::error::Error;
use crate::study::Place;

/// Collects, and skips what is bad when told so.
#[derive(Default)]
struct Collected {
    records: Vec<(String, Record)>,
    refused: Vec<String>,
    skips: bool,
}

impl Sink for Collected {
    fn take(&mut self, place: Place, record: Record) -> Result<()> {
        self.records.push((place.to_string(), record));
        Ok(())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        self.refused.push(format!("{place}: {error}"));
        if self.skips { Ok(()) } else { Err(error) }
    }
}

const GOOD: &str = r#"[{"topic_fn": "t.json", "topic": "T", "subtopic_id": "s", "subtopic": "S?",
 "summkey": "summary_subtopic_oracle_m", "summary": ["Here:", "- a [1]", "- b [2]"],
 "reference_insights": [{"insight_id": "i", "insight": "I", "insight_name": "in", "query": "Is it?"},
  {"insight_id": "j", "insight": "J", "insight_name": "jn"}],
 "annotation": [{"insight_id": "i", "coverage": "fully_covered", "candidate_id": "1"},
  {"insight_id": "j", "coverage": "not_covered", "candidate_id": "no_selection"}],
 "predictions_judge": [{"insight_id": "i", "coverage": "PARTIAL_COVERAGE", "bullet_id": [2]},
  {"insight_id": "j", "coverage": "NO_COVERAGE", "bullet_id": "NA"}]}]"#;

#[test]
fn an_object_becomes_records_with_their_places() {
    let mut collected = Collected::default();
    read(GOOD, &mut collected).expect("good");
    let found: Vec<(&str, &str)> =
        collected.records.iter().map(|(place, record)| (record.kind().name(), place.as_str())).collect();
    assert_eq!(
        found,
        [
            ("collection", "[0]"),
            ("query", "[0]"),
            ("candidate", "[0]"),
            ("unit", "[0].reference_insights[0]"),
            ("unit", "[0].reference_insights[1]"),
            ("annotator", "[0].annotation"),
            ("judgment", "[0].annotation[0]"),
            ("judgment", "[0].annotation[1]"),
            ("annotator", "[0].predictions_judge"),
            ("judgment", "[0].predictions_judge[0]"),
            ("judgment", "[0].predictions_judge[1]"),
        ]
    );
    let answers: Vec<String> = collected
        .records
        .iter()
        .filter_map(|(_, record)| match record {
            Record::Judgment(judgment) => Some(serde_json::to_string(&judgment.answers).expect("JSON")),
            _ => None,
        })
        .collect();
    let none = r#"{"coverage":"none"}"#;
    let expected =
        [r#"{"coverage":"full","bullet":2}"#, none, r#"{"coverage":"partial","bullet":[2]}"#, none];
    assert_eq!(answers, expected);
}

/// What is refused when `from` is replaced by `to`, and how many records still come in.
fn refused(from: &str, to: &str) -> (Vec<String>, usize) {
    assert!(GOOD.contains(from), "{from:?} stands in the file");
    let text = GOOD.replacen(from, to, 1);
    let mut skipping = Collected { skips: true, ..Collected::default() };
    read(&text, &mut skipping).expect("bad rows are skipped");
    let error = read(&text, &mut Collected::default()).expect_err(to).to_string();
    let first = skipping.refused.first().expect("something is refused");
    assert!(first.contains(error.split(": ").last().expect("a part")), "{error} is the first of {first}");
    (skipping.refused, skipping.records.len())
}

#[test]
fn a_bad_row_is_left_out_alone() {
    let check = |from: &str, to: &str, expected: &str, left: usize| {
        let (refused, records) = refused(from, to);
        assert!(refused[0].contains(expected), "{} should contain {expected}", refused[0]);
        assert_eq!(records, left, "{refused:?}");
    };
    check(
        "fully_covered",
        "FULL_COVERAGE",
        "[0].annotation[0].coverage: line 5: \"FULL_COVERAGE\" is none of",
        10,
    );
    check(
        "\"1\"",
        "\"3\"",
        "[0].annotation[0].candidate_id: line 5: points at line 4 of a summary that has 3",
        10,
    );
    check("\"1\"", "1", "[0].annotation[0].candidate_id: line 5: expected a string, found the number 1", 10);
    check("\"1\"", "\"one\"", "found \"one\"", 10);
    check(
        "\"bullet_id\": [2]",
        "\"bullet_id\": [9]",
        "[0].predictions_judge[0].bullet_id: line 7: points at line 9",
        10,
    );
    check(
        "\"insight_id\": \"j\", \"coverage\"",
        "\"coverage\"",
        "[0].annotation[1]: line 6: \"insight_id\" is missing",
        10,
    );
    check("\"insight\": \"J\"", "\"insight\": 7", "[0].reference_insights[1].insight: line 4", 8);
    check(
        "{\"insight_id\": \"j\", \"coverage\"",
        "{\"insight_id\": \"i\", \"coverage\"",
        "a second time",
        10,
    );
    check("\"summkey\"", "\"sumkey\"", "[0]: line 1: \"summkey\" is missing", 0);
    check("\"topic\": \"T\"", "\"topic_id\": \"x\", \"topic\": \"T\"", "both stand here", 0);
    check("\"- b [2]\"", "null", "[0].summary[2]: line 2: expected a string, found null", 0);
}

#[test]
fn repeats_must_be_equal() {
    let object = GOOD.trim_start_matches('[').trim_end_matches(']');
    let other = object.replace("oracle_m", "vector_m");
    let second = |other: &str| {
        let mut collected = Collected::default();
        read(&format!("[{object},{other}]"), &mut collected).map(|()| collected.records.len())
    };
    assert_eq!(second(&other), Ok(16), "a candidate and four judgments are new");
    let error = |other: &str| second(other).expect_err("differs").to_string();
    assert!(
        error(object)
            .contains("[1]: the summary \"summary_subtopic_oracle_m\" of this subtopic stands twice")
    );
    let differs = error(&other.replace("S?", "What?"));
    assert!(differs.contains("[1]: the query differs from the query of the same key at [0];"), "{differs}");
    let differs = error(&other.replace("\"I\"", "\"II\""));
    assert!(differs.contains("the unit differs from the unit of the same key at [0].reference_insights[0]"));
}
