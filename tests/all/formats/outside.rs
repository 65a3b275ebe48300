//! Retrieval JSON and CRUD-RAG files, as a shell brings them into a study.

use std::fs;

use serde_json::Value;

use crate::harness::Desk;

impl Desk {
    /// Imports again, which must change nothing, and takes the export through a second study.
    fn is_settled(&self, arguments: &[&str]) {
        let path = self.path("study.db");
        let before = fs::read(&path).expect("the study");
        let told = self.out(arguments);
        assert!(told.contains("nothing new, the study holds all of it already"), "{told}");
        assert_eq!(fs::read(&path).expect("the study"), before, "not a byte has changed");
        let export = self.out(&["export", "study.db"]);
        self.file("export.jsonl", &export);
        self.out(&["import", "second.db", "export.jsonl"]);
        assert_eq!(self.out(&["export", "second.db"]), export);
    }
}

const RETRIEVED: &str = r#"[{"question": "Who keeps it?", "answers": ["Ida"], "ctxs": [
  {"id": "w:1", "title": "Light", "text": "Ida keeps it.", "score": "8.5", "has_answer": true},
  {"id": "w:2", "title": "Sea", "text": "Fish.", "score": "7.5", "has_answer": false}],
 "short": "Ida does.", "long": ["Ida", "does."], "predicted": "Ida"}]"#;

const CACHE: &str = r#"{"a": {"question": ["谁？", "多高？"], "answers": ["伊达", "无法推断"]},
 "b": {"question": ["?"], "answers": ["!"]}}"#;

const RESULTS: &str = r#"{"info": {"task": "QuestAnswer1Doc", "llm": "{'model_name': 'qwen-7b'}"}, "overall": {},
 "results": [{"id": "a", "log": {"generated_text": "伊达。", "ground_truth_text": "伊达看守。",
  "quest_eval_save": {"questions_gt": ["谁？", "多高？"], "answers_gt4gt": ["伊达", "无法推断"]}},
  "original_data": {"questions": "谁看守灯塔？"}}]}"#;

#[test]
fn summaries_of_retrieved_passages_come_in_as_candidates() {
    let desk = Desk::new();
    desk.file("nq.json", RETRIEVED);
    let import = [
        "import",
        "study.db",
        "nq.json",
        "--summary-field",
        "short",
        "--summary-field",
        "long",
        "--answer-field",
        "predicted",
        "--answer-field",
        "missing",
        "--retriever",
        "dpr",
    ];
    let told = desk.out(&import);
    assert!(
        told.contains("nq.json (retrieval): 1 collection, 2 documents, 1 query, 2 candidates came in"),
        "{told}"
    );
    let candidates = desk.exported("candidate");
    let named = |id: &str| candidates.iter().find(|found| found["id"] == id).expect("a candidate");
    assert_eq!(
        (&named("short")["retriever"], &named("short")["meta"]["answer"]),
        (&"dpr".into(), &"Ida".into())
    );
    assert_eq!((&named("long")["text"], &named("long")["meta"]), (&"Ida\ndoes.".into(), &Value::Null));
    assert_eq!(desk.exported("document")[1]["number"], 2);
    desk.is_settled(&import);

    // The passages of another retriever go beside them, and another summary joins the first.
    desk.file("bm25.json", RETRIEVED.replace("w:1", "w:3"));
    let (status, sentence) = desk.fails(&["import", "study.db", "bm25.json"]);
    assert!(status == 1 && sentence.contains("[0].ctxs[0]"), "{sentence}");
    desk.out(&["import", "study.db", "bm25.json", "--collection", "bm25"]);
    let keys: Vec<Value> =
        desk.exported("query").into_iter().map(|query| query["collection"].clone()).collect();
    assert!(keys[1].as_str().expect("a key").starts_with("bm25/"), "{keys:?}");
    let told = desk.out(&["import", "study.db", "nq.json", "--summary-field", "predicted"]);
    assert!(told.contains("1 candidate came in") && !told.contains("headings"), "{told}");

    desk.file("headed.json", RETRIEVED.replace("[\"Ida\", \"does.\"]", "[\"# Who\", \"Ida does.\"]"));
    let told =
        desk.out(&["import", "study.db", "headed.json", "--collection", "headed", "--summary-field", "long"]);
    assert!(told.contains("summaries with headings (lines after #): 1;"), "{told}");
}

#[test]
fn results_and_cache_meet_at_their_ids() {
    let desk = Desk::new();
    desk.file("results.json", RESULTS);
    desk.file("cache.json", CACHE);
    let told = desk.out(&["import", "study.db", "results.json", "cache.json"]);
    assert!(
        told.contains("(crud-rag-results): 1 collection, 1 query, 3 units, 1 candidate came in"),
        "{told}"
    );
    assert!(told.contains("(crud-rag-questions): 1 query, 1 unit came in"), "{told}");
    assert!(told.contains("already there: 1 collection, 2 units"), "{told}");
    let texts: Vec<Value> = desk.exported("query").into_iter().map(|query| query["text"].clone()).collect();
    assert_eq!(texts, ["谁看守灯塔？", "b"]);
    desk.is_settled(&["import", "study.db", "results.json"]);
    desk.is_settled(&["import", "study.db", "cache.json"]);

    // Another task has other questions under the same IDs.
    desk.file("other.json", CACHE.replace("谁？", "何时？"));
    let (status, sentence) = desk.fails(&["import", "study.db", "other.json"]);
    assert!(
        status == 1 && sentence.contains("\"q1\" of query \"a\" is already there with another text"),
        "{sentence}"
    );
    desk.out(&["import", "study.db", "other.json", "--collection", "crud-rag-2-docs"]);
}

#[test]
fn a_cache_may_come_first() {
    let desk = Desk::new();
    desk.file("results.json", RESULTS);
    desk.file("cache.json", CACHE);
    let told = desk.out(&["import", "study.db", "cache.json", "results.json"]);
    assert!(told.contains("1 of 1 queries came earlier with a cache of questions"), "{told}");
    assert_eq!(desk.exported("candidate").len(), 1);
    assert_eq!(desk.exported("query")[0]["text"], "a");
    desk.is_settled(&["import", "study.db", "cache.json", "results.json"]);
}

#[test]
fn options_are_checked_before_anything_is_read() {
    let desk = Desk::new();
    desk.file("nq.json", RETRIEVED);
    desk.file("cache.json", CACHE);
    for (arguments, expected) in [
        (
            vec!["cache.json", "--summary-field", "short"],
            "--summary-field is for files of the format \"retrieval\"",
        ),
        (
            vec!["nq.json", "--summarizer", "m"],
            "--summarizer is for files of the format \"crud-rag-results\"",
        ),
        (
            vec!["nq.json", "--answer-field", "predicted"],
            "0 --summary-field and 1 --answer-field do not pair up",
        ),
    ] {
        let (status, sentence) = desk.fails(&[vec!["import", "study.db"], arguments].concat());
        assert!(status == 2 && sentence.contains(expected), "{sentence}");
    }
    let (status, sentence) = desk.fails(&["import", "study.db", "nq.json", "--summary-field", "shrot"]);
    assert!(status == 1 && sentence.contains("nq.json: no object has the field \"shrot\""), "{sentence}");
    assert!(!desk.path("study.db").exists());
}

#[test]
fn bad_rows_can_be_left_out() {
    let desk = Desk::new();
    desk.file(
        "nq.jsonl",
        "{\"question\": \"a\", \"ctxs\": [{\"id\": \"x\"}]}\n{\"question\": \"b\", \"ctxs\": []}\n",
    );
    let (status, sentence) = desk.fails(&["import", "study.db", "nq.jsonl"]);
    assert!(status == 1 && sentence.contains("nq.jsonl, line 1, ctxs[0]: \"text\" is missing"), "{sentence}");
    let told = desk.out(&["import", "study.db", "nq.jsonl", "--skip-bad"]);
    assert!(told.contains("2 collections, 2 queries came in"), "{told}");
    assert!(told.contains("line 1: ctxs[0]: \"text\" is missing"), "{told}");
}
