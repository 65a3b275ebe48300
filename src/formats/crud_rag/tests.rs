use serde_json::json;

use super::*;
use crate::error::Error;
use crate::study::{Candidate, Place};

/// Made up in the shape of the published caches: some answers are missing, and some IDs are empty.
const CACHE: &str = r#"{
 "a1": {"key_info": ["灯塔"], "question": ["谁看守灯塔？", "灯塔有多高？"], "answers": ["伊达", "无法推断"]},
 "a2": {"question": ["x?", "y?", "z?"], "answers": ["one"]},
 "a3": {}}"#;

/// Made up in the shape of the evaluators' output.
const RESULTS: &str = r#"{"info": {"task": "QuestAnswer1Doc",
  "llm": "{'model_name': 'qwen-7b', 'temperature': 0.1, 'top_p': 0.9}"},
 "overall": {"avg. length": 4.0, "num": 2},
 "results": [
  {"id": "a1", "metrics": {"bleu-avg": 0.25, "length": 4},
   "log": {"generated_text": "伊达看守灯塔。", "ground_truth_text": "伊达看守灯塔，高三十米。",
    "quest_eval_save": {"questions_gt": ["谁看守灯塔？", "灯塔有多高？"], "answers_gt4gt": ["伊达", "无法推断"],
     "answers_gm4gt": ["伊达", "无法推断"]}, "evaluateDatetime": "2024-02-01 10:00:00"},
   "valid": true,
   "original_data": {"ID": "a1", "event": "灯塔", "questions": "灯塔由谁看守？", "retrieve_context": "伊达……"}},
  {"id": 7, "log": {"generated_text": "", "ground_truth_text": "b", "quest_eval_save": {}}, "valid": false}]}"#;

/// Holds the queries that it takes, as a study does.
#[derive(Default)]
struct Collected {
    records: Vec<Record>,
    refused: Vec<String>,
    remarks: Vec<String>,
    skips: bool,
}

impl Sink for Collected {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn query_text(&mut self, collection: &str, query: &str) -> Result<Option<String>> {
        let held = self.queries().into_iter().find(|held| held.collection == collection && held.id == query);
        Ok(held.map(|held| held.text.clone()))
    }

    fn remark(&mut self, place: Place, what: String) {
        self.remarks.push(format!("{place}: {what}"));
    }

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        self.refused.push(format!("{place}: {error}"));
        if self.skips { Ok(()) } else { Err(error) }
    }
}

impl Collected {
    fn queries(&self) -> Vec<&Query> {
        self.records
            .iter()
            .filter_map(|record| match record {
                Record::Query(query) => Some(query),
                _ => None,
            })
            .collect()
    }

    fn units(&self) -> Vec<&Unit> {
        self.records
            .iter()
            .filter_map(|record| match record {
                Record::Unit(unit) => Some(unit),
                _ => None,
            })
            .collect()
    }

    fn candidates(&self) -> Vec<&Candidate> {
        self.records
            .iter()
            .filter_map(|record| match record {
                Record::Candidate(candidate) => Some(candidate),
                _ => None,
            })
            .collect()
    }

    fn take_in(&mut self, text: &str, options: &ReadOptions) {
        let read = if text.contains("generated_text") { results::read } else { questions::read };
        read(text, options, self).expect("a good file");
    }
}

fn collect(texts: &[&str]) -> Collected {
    let mut collected = Collected::default();
    for text in texts {
        collected.take_in(text, &ReadOptions::default());
    }
    collected
}

#[test]
fn a_cache_gives_questions_with_the_reference_s_answers() {
    let collected = collect(&[CACHE]);
    let queries: Vec<(&str, &str, &str)> = collected
        .queries()
        .iter()
        .map(|query| (query.collection.as_str(), query.id.as_str(), query.text.as_str()))
        .collect();
    assert_eq!(queries, [("crud-rag", "a1", "a1"), ("crud-rag", "a2", "a2")]);
    let units = collected.units();
    let [keeper, height, x, _, z] = units[..] else { panic!("five questions") };
    assert_eq!((keeper.query.as_str(), keeper.id.as_str(), keeper.kind.as_str()), ("a1", "q1", "question"));
    assert_eq!((keeper.text.as_str(), json!(keeper.meta)), ("谁看守灯塔？", json!({"answer": "伊达"})));
    assert_eq!(json!(height.meta), json!({"answerable": false, "answer": "无法推断"}));
    assert_eq!((x.query.as_str(), z.id.as_str()), ("a2", "q3"));
    assert!(x.meta.is_empty(), "one answer to three questions belongs to none of them");
    assert_eq!(
        collected.remarks,
        [
            "a2: the numbers of questions (3) and answers (1) differ, so which answer is whose is not known; the questions come without",
            "line 1: 1 of 3 IDs came without a question: \"a3\"",
        ]
    );
}

#[test]
fn results_give_query_reference_questions_and_candidate() {
    let collected = collect(&[RESULTS]);
    let [first, second] = collected.queries()[..] else { panic!("two queries") };
    assert_eq!((first.id.as_str(), first.text.as_str()), ("a1", "灯塔由谁看守？"));
    assert_eq!(first.category.as_deref(), Some("QuestAnswer1Doc"));
    assert_eq!((second.id.as_str(), second.text.as_str()), ("7", "7"));

    let kinds: Vec<(&str, &str)> =
        collected.units().iter().map(|unit| (unit.id.as_str(), unit.kind.as_str())).collect();
    let expected =
        [("reference", "reference"), ("q1", "question"), ("q2", "question"), ("reference", "reference")];
    assert_eq!(kinds, expected);
    assert_eq!(collected.units()[0].text, "伊达看守灯塔，高三十米。");

    let [good, invalid] = collected.candidates()[..] else { panic!("two candidates") };
    assert_eq!((good.id.as_str(), good.summarizer.as_deref()), ("qwen-7b", Some("qwen-7b")));
    assert_eq!(good.text, "伊达看守灯塔。");
    let kept = json!({"metrics": {"bleu-avg": 0.25, "length": 4}, "valid": true,
        "retrieve_context": "伊达……", "answers_gm4gt": ["伊达", "无法推断"]});
    assert_eq!(json!(good.meta), kept);
    assert_eq!((invalid.text.as_str(), json!(invalid.meta)), ("", json!({"valid": false})));
    assert!(collected.remarks.is_empty(), "{:?}", collected.remarks);
}

#[test]
fn the_cache_of_the_same_task_gives_the_same_units() {
    let (cache, results) = (collect(&[CACHE]), collect(&[RESULTS]));
    assert_eq!(cache.units()[..2], results.units()[1..3]);
}

#[test]
fn a_query_keeps_the_text_that_came_first() {
    let texts = |collected: &Collected| -> Vec<String> {
        collected.queries().iter().map(|query| query.text.clone()).collect()
    };
    let collected = collect(&[RESULTS, CACHE]);
    assert_eq!(texts(&collected), ["灯塔由谁看守？", "7", "a2"]);
    assert_eq!(collected.remarks.len(), 2, "those of the cache");

    let collected = collect(&[CACHE, RESULTS]);
    assert_eq!(texts(&collected), ["a1", "a2", "7"]);
    assert_eq!(
        collected.remarks[2],
        "line 1: 1 of 2 queries came earlier with a cache of questions, which knows only IDs; \
         to have their texts, import the results before the cache, into another study"
    );
}

#[test]
fn a_list_and_flat_results_are_read_too_and_the_system_can_be_named() {
    let flat = r#"[{"ID": "b", "beginning": "Once", "generated_text": "upon", "ground_truth_text": "a time"},
        {"id": "c", "original_data": {"newsBeginning": "N", "hallucinatedContinuation": "H", "event": "E"},
         "log": {"generated_text": "G"}}]"#;
    let collected = collect(&[flat]);
    let texts: Vec<&str> = collected.queries().iter().map(|query| query.text.as_str()).collect();
    assert_eq!(texts, ["Once", "N\n\nH"]);
    assert_eq!((collected.candidates()[0].id.as_str(), collected.units().len()), ("generated_text", 1));

    let options = ReadOptions {
        retriever: Some("bm25".into()),
        summarizer: Some("m".into()),
        collection: Some("writing".into()),
        ..ReadOptions::default()
    };
    let mut collected = Collected::default();
    collected.take_in(flat, &options);
    let candidate = collected.candidates()[0];
    assert_eq!(
        (candidate.id.as_str(), candidate.system(), candidate.collection.as_str()),
        ("bm25 m", "bm25 m".into(), "writing")
    );
    let Record::Collection(first) = &collected.records[0] else { panic!("a collection first") };
    assert_eq!((first.id.as_str(), first.title.as_deref()), ("writing", Some("CRUD-RAG")));
}

#[test]
fn what_does_not_fit_is_named_and_the_rest_can_come_in() {
    let check = |text: &str, expected: &[&str]| {
        let mut collected = Collected { skips: true, ..Collected::default() };
        collected.take_in(text, &ReadOptions::default());
        assert_eq!(collected.refused, expected, "{text}");
        assert_eq!(collected.queries().len(), 1, "{text}");
        let read = if text.contains("generated_text") { results::read } else { questions::read };
        let error = read(text, &ReadOptions::default(), &mut Collected::default()).expect_err("refused");
        let (place, rest) = expected[0].split_once(": line 1: ").expect("a path and a line");
        assert_eq!(error.to_string(), format!("line 1, {place}: {rest}"));
    };
    check(
        r#"{"x": {"answers": []}, "y": 5, "z": {"question": ["?"], "answers": ["!"]}}"#,
        &[
            "x: line 1: \"question\" is missing",
            "y: line 1: expected an object, found the number 5 (column 29)",
        ],
    );
    check(
        r#"{"x y": {"question": ["?", 4], "answers": []}, "z": {"question": ["?"], "answers": ["!"]}}"#,
        &["[\"x y\"].question[1]: line 1: expected a string, found the number 4 (column 28)"],
    );
    check(
        r#"{"results": [{"log": {"generated_text": "g"}}, {"id": 1, "log": {}}, {"id": 2, "log": {"generated_text": "h"}}]}"#,
        &["results[0]: line 1: \"id\" is missing", "results[1].log: line 1: \"generated_text\" is missing"],
    );
    let error = results::read("{\"info\": {}}", &ReadOptions::default(), &mut Collected::default());
    assert_eq!(error.expect_err("no results").to_string(), "line 1: \"results\" is missing");
}
