use super::*;
use crate::error::Error;
use crate::protocol::Answer;
use crate::study::{AnnotatorKind, Candidate, Judgment, Place};

/// Two subtopics and three documents. The keys stand in an order that the published files have too:
/// the topic's name comes last.
const TOPIC: &str = r#"{"topic_id": "t1",
 "topic_metadata": {"participants": ["Ann", "Ben"], "scenario": "study"},
 "subtopics": [
  {"subtopic_id": "s1", "subtopic_name": "Stress", "subtopic": "managing stress",
   "insights": [{"insight_id": "i1", "insight_name": "Breaks", "insight": "Breaks help."},
    {"insight_id": "i2", "insight_name": "Sleep", "insight": "Sleep helps."}],
   "query": "How is stress managed?",
   "retriever": {"oracle": {"d1": 1, "d2": 0, "d3": 2, "elsewhere": 0}, "vector": {"d1": 0.083503026824227}},
   "summaries": {"summary_subtopic_oracle_gpt-4o": ["Here:", "", "- Breaks [1][3]", "- Sleep [3]"],
    "summary_subtopic_fl-ctxt-rev-sort_opus": ["- All [2]"]},
   "eval_summaries": {"summary_subtopic_oracle_gpt-4o": [
     {"coverage": "FULL_COVERAGE", "bullet_id": 3, "insight_id": "i1"},
     {"coverage": "PARTIAL_COVERAGE", "bullet_id": [3, 4], "insight_id": "i2"}],
    "summary_subtopic_fl-ctxt-rev-sort_opus": [
     {"coverage": "NO_COVERAGE", "bullet_id": "NA", "insight_id": "i1"}]}},
  {"subtopic_id": "s2", "subtopic_name": "Food", "subtopic": "what they eat", "query": "", "insights": [
    {"insight_id": "i3", "insight": "Fruit.", "query": "Is fruit eaten?"}]}],
 "documents": [
  {"document_id": "d1", "document_text": "Ann: …\n", "document_metadata": {"title": "Monday", "idx": 4},
   "insights_included": ["i1"], "idx": 0, "label_i1": 1},
  {"document_id": "d2", "document_text": "", "document_metadata": [], "insights_included": []},
  {"document_id": "d3", "document_text": "Ben", "insights_included": ["i2", "i1", "i1"]}],
 "topic": "Exam"}"#;

#[derive(Default)]
struct Collected {
    records: Vec<(String, Record)>,
    refused: Vec<String>,
    remarks: Vec<String>,
    skips: bool,
}

impl Sink for Collected {
    fn take(&mut self, place: Place, record: Record) -> Result<()> {
        self.records.push((place.to_string(), record));
        Ok(())
    }

    fn remark(&mut self, place: Place, what: String) {
        self.remarks.push(format!("{place}: {what}"));
    }

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        self.refused.push(format!("{place}: {error}"));
        if self.skips { Ok(()) } else { Err(error) }
    }
}

fn collect(text: &str) -> Collected {
    let mut collected = Collected { skips: true, ..Collected::default() };
    read(text, &mut collected).expect("bad rows are skipped");
    collected
}

#[test]
fn everything_comes_in_where_it_belongs() {
    let collected = collect(TOPIC);
    assert_eq!((collected.refused.len(), collected.remarks.len()), (0, 0));
    let counts =
        |name: &str| collected.records.iter().filter(|(_, record)| record.kind().name() == name).count();
    let kinds = ["collection", "document", "query", "unit", "candidate", "annotator", "judgment"];
    assert_eq!(kinds.map(counts), [1, 3, 2, 3, 2, 1, 3]);

    let mut documents = Vec::new();
    let mut units = Vec::new();
    for (_, record) in &collected.records {
        match record {
            Record::Collection(collection) => {
                assert_eq!((collection.id.as_str(), collection.title.as_deref()), ("t1", Some("Exam")));
                assert_eq!(collection.domain.as_deref(), Some("conversation"));
                assert_eq!(collection.meta.get("scenario").and_then(Value::as_str), Some("study"));
            }
            Record::Document(document) => {
                documents.push((document.number, document.id.as_str(), document.title.as_deref()))
            }
            Record::Unit(unit) => units.push((unit.id.as_str(), unit.documents.clone().expect("known"))),
            Record::Annotator(annotator) => {
                assert_eq!((annotator.id.as_str(), annotator.kind), ("auto", AnnotatorKind::Model));
            }
            _ => {}
        }
    }
    assert_eq!(documents, [(1, "d1", Some("Monday")), (2, "d2", None), (3, "d3", None)]);
    let known = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    assert_eq!(units, [("i1", known(&["d1", "d3"])), ("i2", known(&["d3"])), ("i3", known(&[]))]);
}

#[test]
fn queries_are_the_query_or_else_the_subtopic() {
    let collected = collect(TOPIC);
    let queries: Vec<&Query> = collected
        .records
        .iter()
        .filter_map(|(_, record)| match record {
            Record::Query(query) => Some(query),
            _ => None,
        })
        .collect();
    assert_eq!((queries[0].id.as_str(), queries[0].text.as_str()), ("s1", "How is stress managed?"));
    assert_eq!(queries[0].meta.get("name").and_then(Value::as_str), Some("Stress"));
    assert_eq!(queries[0].meta.get("subtopic").and_then(Value::as_str), Some("managing stress"));
    assert_eq!(queries[0].meta["retriever"]["oracle"]["d3"], 2);
    assert_eq!(queries[0].meta["retriever"]["vector"]["d1"], 0.083_503_026_824_227);
    assert_eq!((queries[1].id.as_str(), queries[1].text.as_str()), ("s2", "what they eat"));
    assert!(!queries[1].meta.contains_key("subtopic"));
}

#[test]
fn summaries_become_candidates_and_links_skip_blank_lines() {
    let collected = collect(TOPIC);
    let mut candidates: Vec<&Candidate> = Vec::new();
    let mut judgments: Vec<(&str, &Judgment)> = Vec::new();
    for (place, record) in &collected.records {
        match record {
            Record::Candidate(candidate) => candidates.push(candidate),
            Record::Judgment(judgment) => judgments.push((place, judgment)),
            _ => {}
        }
    }
    assert_eq!(candidates[0].text, "Here:\n\n- Breaks [1][3]\n- Sleep [3]");
    assert_eq!(candidates[0].system(), "oracle gpt-4o");
    assert_eq!((candidates[1].system().as_str(), candidates[1].order.as_deref()), ("opus", Some("bottom")));

    let bullet = |judgment: &Judgment| judgment.answers.get("bullet").and_then(Answer::from_json);
    assert_eq!(bullet(judgments[0].1), Some(Answer::Bullet(2)));
    assert_eq!(bullet(judgments[1].1), Some(Answer::Bullets(vec![2, 3])));
    assert_eq!(bullet(judgments[2].1), None);
    assert_eq!(judgments[2].1.answers.get("coverage").and_then(Value::as_str), Some("none"));
    assert_eq!(judgments[2].0, "subtopics[0].eval_summaries.summary_subtopic_fl-ctxt-rev-sort_opus[0]");
    assert_eq!(judgments[0].1.candidate.as_deref(), Some("summary_subtopic_oracle_gpt-4o"));
}

#[test]
fn the_domain_is_what_the_metadata_says() {
    let domain = |metadata: &str| {
        let text = TOPIC.replace(r#"{"participants": ["Ann", "Ben"], "scenario": "study"}"#, metadata);
        collect(&text).records.into_iter().find_map(|(_, record)| match record {
            Record::Collection(collection) => Some((collection.domain, collection.meta.len())),
            _ => None,
        })
    };
    assert_eq!(domain(r#"{"articles": []}"#), Some((Some("news".into()), 1)));
    assert_eq!(domain(r#"{"domain": "law", "articles": []}"#), Some((Some("law".into()), 2)));
    assert_eq!(domain("{}"), Some((None, 0)));
    assert_eq!(domain("[1]"), Some((None, 1)));
    assert_eq!(domain("null"), Some((None, 0)));
}

#[test]
fn a_bad_row_is_named_and_left_out_alone() {
    let check = |from: &str, to: &str, expected: &str, left: usize| {
        assert!(TOPIC.contains(from), "{from:?} stands in the file");
        let collected = collect(&TOPIC.replacen(from, to, 1));
        let first = collected.refused.first().expect(to);
        assert!(first.starts_with(expected), "{first}\nshould start with {expected}");
        assert_eq!(collected.records.len(), left, "{:?}", collected.refused);
        let error = read(&TOPIC.replacen(from, to, 1), &mut Collected::default()).expect_err("not skipped");
        assert!(error.to_string().contains("line "), "{error}");
    };
    let eval = "subtopics[0].eval_summaries[\"summary_subtopic_oracle_gpt-4o\"]"
        .replace("[\"", ".")
        .replace("\"]", "");
    let at = |rest: &str| format!("{eval}{rest}");
    check(
        "\"bullet_id\": 3",
        "\"bullet_id\": 2",
        &at("[0].bullet_id: line 12: line 2 of the summary is blank"),
        14,
    );
    check(
        "\"bullet_id\": 3",
        "\"bullet_id\": 5",
        &at("[0].bullet_id: line 12: points at line 5 of a summary that has 4"),
        14,
    );
    check(
        "\"insight_id\": \"i1\"}",
        "\"insight_id\": \"i9\"}",
        &at("[0]: line 12: judges \"i9\", which is none"),
        14,
    );
    check("FULL_COVERAGE", "fully_covered", &at("[0].coverage: line 12: \"fully_covered\" is none of"), 14);
    check(
        "\"Sleep helps.\"",
        "7",
        "subtopics[0].insights[1].insight: line 6: expected a string, found the number 7",
        13,
    );
    check(
        "[\"- All [2]\"]",
        "\"- All [2]\"",
        "subtopics[0].summaries.summary_subtopic_fl-ctxt-rev-sort_opus: line 10: expected a list",
        13,
    );
    check(
        "\"document_text\": \"Ben\"",
        "\"text\": \"Ben\"",
        "documents[2]: line 22: \"document_text\" is missing",
        14,
    );
    check("\"subtopic_id\": \"s1\"", "\"id\": \"s1\"", "subtopics[0]: line 4: \"subtopic_id\" is missing", 6);
    check(
        "\"eval_summaries\": {\"summary_sub",
        "\"eval_summaries\": {\"x\": [], \"summary_sub",
        "subtopics[0].eval_summaries.x: line 11: judges the summary \"x\"",
        15,
    );
}

#[test]
fn a_file_that_is_no_topic_is_refused_whole() {
    let error = |from: &str, to: &str| {
        assert!(TOPIC.contains(from), "{from:?} stands in the file");
        let mut skipping = Collected { skips: true, ..Collected::default() };
        let error = read(&TOPIC.replacen(from, to, 1), &mut skipping).expect_err(to).to_string();
        assert!(skipping.records.is_empty());
        error
    };
    assert_eq!(error("\"topic_id\": \"t1\",", ""), "line 1: \"topic_id\" is missing");
    assert_eq!(
        error("\"topic\": \"Exam\"", "\"topic\": 1"),
        "line 23, topic: expected a string, found the number 1 (column 11)"
    );
    assert_eq!(error("\"documents\":", "\"docs\":"), "line 1: \"documents\" is missing");
    assert!(
        error("\"topic\": \"Exam\"}", "\"top")
            .contains("line 23: the text ends in the middle of a string (column 5)")
    );
}

#[test]
fn strange_positions_and_insights_are_remarked() {
    let text =
        TOPIC.replace("\"idx\": 0,", "\"idx\": 6,").replace("[\"i2\", \"i1\", \"i1\"]", "[\"i2\", \"i7\"]");
    let collected = collect(&text);
    assert_eq!(
        collected.remarks,
        [
            "documents[0]: \"idx\" makes this document number 7, but it stands at position 1; citations are read by position",
            "documents[2]: contains \"i7\", which no subtopic has as an insight",
        ]
    );
    assert_eq!(collected.records.len(), 15);
}
