use super::*;

/// Made up in the shape that DPR writes, with a summary as RECOMP adds it.
const LIST: &str = r#"[
 {"question": "who keeps the lighthouse", "answers": ["Ida Brandt", "Brandt"],
  "ctxs": [
   {"id": "wiki:7", "title": "Lighthouse", "text": "Ida Brandt keeps it.", "score": "81.25", "has_answer": true},
   {"title": "Sea", "text": "", "score": 80.5},
   {"id": 9, "text": "Fish."}],
  "summary": "Ida Brandt keeps the lighthouse.", "sentences": ["Ida", "Brandt"], "predicted": "Brandt"},
 {"id": 12, "query": "灯塔在哪里？", "answer": "岛上", "retrieved_docs": [], "summary": ""}]"#;

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

impl Collected {
    fn documents(&self) -> Vec<&Document> {
        self.records
            .iter()
            .filter_map(|(_, record)| match record {
                Record::Document(document) => Some(document),
                _ => None,
            })
            .collect()
    }

    fn queries(&self) -> Vec<&Query> {
        self.records
            .iter()
            .filter_map(|(_, record)| match record {
                Record::Query(query) => Some(query),
                _ => None,
            })
            .collect()
    }

    fn candidates(&self) -> Vec<&Candidate> {
        self.records
            .iter()
            .filter_map(|(_, record)| match record {
                Record::Candidate(candidate) => Some(candidate),
                _ => None,
            })
            .collect()
    }
}

fn fields(summaries: &[&str], answers: &[&str]) -> ReadOptions {
    ReadOptions {
        summary_fields: summaries.iter().map(|field| (*field).to_owned()).collect(),
        answer_fields: answers.iter().map(|field| (*field).to_owned()).collect(),
        ..ReadOptions::default()
    }
}

fn run(text: &str, options: &ReadOptions, skips: bool) -> (Result<()>, Collected) {
    let mut collected = Collected { skips, ..Collected::default() };
    let read = read(text.as_bytes(), text.len() as u64, options, &mut collected);
    (read, collected)
}

fn collect(text: &str, options: &ReadOptions) -> Collected {
    let (read, collected) = run(text, options, true);
    read.expect("bad rows are skipped");
    collected
}

fn refusal(text: &str) -> String {
    run(text, &ReadOptions::default(), false).0.expect_err("refused").to_string()
}

fn to_lines(list: &str) -> String {
    let values: Vec<serde_json::Value> = serde_json::from_str(list).expect("JSON");
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn an_object_is_a_collection_with_its_passages_and_one_query() {
    let collected = collect(LIST, &ReadOptions::default());
    assert!(collected.refused.is_empty());
    assert_eq!(
        collected.remarks,
        [
            "line 1: no summaries came in; --summary-field summary takes that field as one (not read: \"summary\", \
          \"sentences\" and \"predicted\")"
        ]
    );
    let kinds: Vec<&str> = collected.records.iter().map(|(_, record)| record.kind().name()).collect();
    assert_eq!(
        kinds,
        ["collection", "document", "document", "document", "query", "collection", "query"],
        "without --summary-field there is no candidate"
    );

    let [first, second] = collected.queries()[..] else { panic!("two queries") };
    // The fingerprint of the question, in 32 digits.
    assert_eq!(first.id, fingerprint(["who keeps the lighthouse"]).to_string());
    assert_eq!((first.id.len(), &first.id), (32, &first.collection));
    assert_eq!(first.text, "who keeps the lighthouse");
    assert_eq!(first.meta["answers"], serde_json::json!(["Ida Brandt", "Brandt"]));
    assert_eq!((second.id.as_str(), second.text.as_str()), ("12", "灯塔在哪里？"));
    assert_eq!(second.meta["answers"], serde_json::json!(["岛上"]));

    let [lighthouse, sea, fish] = collected.documents()[..] else { panic!("three documents") };
    assert_eq!((lighthouse.id.as_str(), lighthouse.number), ("wiki:7", 1));
    assert_eq!(lighthouse.title.as_deref(), Some("Lighthouse"));
    assert_eq!(lighthouse.text, "Ida Brandt keeps it.");
    assert_eq!(serde_json::json!(lighthouse.meta), serde_json::json!({"score": "81.25", "has_answer": true}));
    assert_eq!((sea.id.as_str(), sea.number), ("d2", 2));
    assert_eq!((fish.id.as_str(), fish.number, &fish.title), ("9", 3, &None));
    let Record::Collection(collection) = &collected.records[0].1 else { panic!("a collection first") };
    assert_eq!(collection.title.as_deref(), Some("who keeps the lighthouse"));
}

#[test]
fn summaries_stand_in_the_fields_that_are_named() {
    let options = ReadOptions {
        retriever: Some("contriever".into()),
        collection: Some("nq".into()),
        ..fields(&["summary", "sentences"], &["predicted", "none"])
    };
    let collected = collect(LIST, &options);
    let [abstractive, extractive, empty] = collected.candidates()[..] else { panic!("three candidates") };
    assert_eq!((abstractive.id.as_str(), abstractive.system()), ("summary", "contriever summary".into()));
    assert_eq!(abstractive.text, "Ida Brandt keeps the lighthouse.");
    assert_eq!(abstractive.meta["answer"], "Brandt");
    assert_eq!((extractive.id.as_str(), extractive.text.as_str()), ("sentences", "Ida\nBrandt"));
    assert!(extractive.meta.is_empty(), "no object has the field \"none\"");
    // RECOMP leaves the summary empty where retrieval does not help.
    assert_eq!((empty.collection.as_str(), empty.query.as_str(), empty.text.as_str()), ("nq/12", "12", ""));
    assert_eq!(collected.remarks, ["line 1: the field \"sentences\" is missing from 1 of 2 questions"]);
    let place = &collected.records.last().expect("a candidate").0;
    assert_eq!(place, "[1].summary");
}

#[test]
fn lines_give_the_same_records_as_a_list() {
    let options = fields(&["summary"], &["predicted"]);
    let (list, lines) =
        (collect(LIST, &options), collect(&format!("\u{feff}\n{}\n", to_lines(LIST)), &options));
    let records = |collected: &Collected| -> Vec<Record> {
        collected.records.iter().map(|(_, record)| record.clone()).collect()
    };
    assert_eq!(records(&lines), records(&list));
    assert_eq!((lines.records[0].0.as_str(), lines.records[8].0.as_str()), ("line 2", "line 3"));
}

#[test]
fn a_field_that_no_object_has_is_an_error() {
    let (read, _) = run(LIST, &fields(&["sumary"], &[]), true);
    assert_eq!(
        read.expect_err("nothing to judge").to_string(),
        "no object has the field \"sumary\" with a summary; \
         the fields are \"question\", \"answers\", \"ctxs\", \"summary\", \"sentences\" and \"predicted\""
    );
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    let check = |text: &str, expected: &str| {
        assert_eq!(refusal(text), expected, "{text}");
    };
    check(r#"[{"ctxs": []}]"#, "line 1, [0]: \"question\" or \"query\" is missing");
    check(r#"[{"question": "q"}]"#, "line 1, [0]: \"ctxs\" or \"retrieved_docs\" is missing");
    check(
        "[{\"question\": \"q\",\n \"ctxs\": [{\"id\": \"a\"}]}]",
        "line 2, [0].ctxs[0]: \"text\" is missing",
    );
    check(
        "{\"question\": \"q\", \"ctxs\": []}\n\n{\"question\": \"r\", \"ctxs\": [{\"text\": 4}]}",
        "line 3, ctxs[0].text: expected a string, found the number 4 (column 37)",
    );
    check(
        "{\"question\": \"q\", \"ctxs\": []}\n{\"ctxs\": []}",
        "line 2: \"question\" or \"query\" is missing",
    );
    check(
        "{\"question\": \"q\", \"ctxs\": []}\n{\"question\": \"r",
        "line 2, question: the text ends in the middle of a string (column 15); it was cut off; get it again",
    );
    check(
        r#"[{"id": [1], "question": "q", "ctxs": []}]"#,
        "line 1, [0].id: expected a text or a whole number, found [1]",
    );
    check(
        r#"[{"question": "q", "ctxs": [{"id": 1, "text": ""}, {"id": "1", "text": "x"}]}]"#,
        "line 1, [0].ctxs[1]: the id \"1\" stands twice here; keep one of the two, or give each an id of its own",
    );
    check(
        r#"[{"question": "q", "ctxs": []}, {"question": "q", "ctxs": []}]"#,
        "line 1, [1]: \"q\" has the key of the question at [0]; \
         keep one of the two, or give each an \"id\" of its own",
    );
    check(
        "{\"question\": \"q\", \"ctxs\": []}\n{\"question\": \"q\", \"ctxs\": []}",
        "line 2: \"q\" has the key of the question at line 1; \
         keep one of the two, or give each an \"id\" of its own",
    );
    check(
        r#"[{"question": "q", "answers": 5, "ctxs": []}]"#,
        "line 1, [0].answers: expected a list, found the number 5 (column 31)",
    );
    let (read, _) = run(r#"[{"question": "q", "ctxs": [], "s": 5}]"#, &fields(&["s"], &[]), false);
    assert_eq!(
        read.expect_err("no summary").to_string(),
        "line 1, [0].s: expected a text or a list of texts, found 5"
    );
}

#[test]
fn bad_objects_and_passages_are_left_out_when_told_so() {
    let text = concat!(
        "{\"question\": \"a\", \"ctxs\": [{\"text\": \"x\"}, 5, {\"text\": \"y\"}]}\n",
        "{\"ctxs\": []}\n\n{\n",
        "{\"question\": \"b\", \"ctxs\": [], \"s\": \"fine\"}\n",
    );
    let collected = collect(text, &fields(&["s"], &[]));
    assert_eq!(collected.queries().len(), 2);
    let numbers: Vec<(&str, u32)> =
        collected.documents().iter().map(|document| (document.id.as_str(), document.number)).collect();
    assert_eq!(numbers, [("d1", 1), ("d3", 3)], "positions stay as they are");
    let starts = [
        "line 1: ctxs[1]: expected an object, found the number 5",
        "line 2: \"question\" or \"query\" is missing",
        "line 4: the text ends in the middle of an object",
    ];
    assert_eq!(collected.refused.len(), starts.len(), "{:?}", collected.refused);
    for (refused, start) in collected.refused.iter().zip(starts) {
        assert!(refused.starts_with(start), "{refused}\nshould start with {start}");
    }
    assert_eq!(collected.remarks, ["line 1: the field \"s\" is missing from 1 of 2 questions"]);
}

/// RAG frameworks write what a system said as `answer` or `response`.
#[test]
fn a_text_that_may_be_a_summary_is_not_dropped_silently() {
    let remarks = |text: &str, options: &ReadOptions| collect(text, options).remarks;
    let none = ReadOptions::default();
    let response = r#"{"question": "q", "ctxs": [], "set": "nq", "response": "Long enough."}"#;
    assert_eq!(
        remarks(response, &none),
        [
            "line 1: no summaries came in; --summary-field response takes that field as one (not read: \"response\" and \
          \"set\")"
        ]
    );
    let answer = r#"{"question": "q", "ctxs": [], "answer": "Ida"}"#;
    assert_eq!(
        remarks(answer, &none),
        [
            "line 1: no summaries came in, and \"answer\" is taken as the known answer; --summary-field answer takes it as a \
          summary"
        ]
    );
    let collected = collect(answer, &fields(&["answer"], &[]));
    assert_eq!(
        (collected.candidates()[0].text.as_str(), &collected.queries()[0].meta),
        ("Ida", &Meta::new())
    );
    assert!(collected.remarks.is_empty());
    assert!(remarks(r#"{"question": "q", "ctxs": [], "answers": ["Ida"], "n": 5}"#, &none).is_empty());
}
