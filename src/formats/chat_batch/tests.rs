//! A protocol with every kind of question, one item, what is asked about it, and what is taken as an answer.

use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::name::{RequestName, mark_of_judge, mark_of_shown};
use super::{PROMPT, Requests, answers, responses};
use crate::error::{Error, Result};
use crate::formats::ReadOptions;
use crate::protocol::{Protocol, builtin};
use crate::study::{
    AnnotatorKind, AskedItem, CitedList, Item, ItemId, ItemKey, JudgeAnswered, JudgeRun, ListedDocument,
    Meta, Place, ProtocolText, Record, Sink, TargetKeys,
};

const PROTOCOL: &str = r#"name = "whole"
title = "All there is to ask"
version = 3
source = "a test"
target = ["candidate", "unit"]
unit_name = "claim"
group = "candidate"
[layout]
above = ["query"]
left = ["documents"]
right = ["unit", "units", "candidate"]
[[question]]
key = "grade"
prompt = "How well?"
kind = "choice"
scale = "ordinal"
choices = [
  { value = "low", label = "poor", key = "l", score = 0 },
  { value = "high", label = "good", key = "h", score = 10 },
]
[[question]]
key = "bullet"
prompt = "By"
kind = "bullet"
ask_when = { question = "grade", is = ["high"] }
[[question]]
key = "also_by"
prompt = "Also by"
kind = "bullet"
several = true
required = false
[[question]]
key = "flaws"
prompt = "Flaws"
kind = "tags"
required = false
tags = [
  { value = "vague", label = "vague", key = "v" },
  { value = "wrong", label = "wrong", key = "w" },
]
[[question]]
key = "more"
prompt = "What is wrong"
kind = "text"
hotkey = "e"
ask_when = { question = "flaws", is = ["wrong"] }
[[question]]
key = "where"
prompt = "Where"
kind = "passages"
hotkey = "d"
required = false
[[question]]
key = "points"
prompt = "Points"
kind = "points"
hotkey = "a"
required = false
[[question]]
key = "said"
prompt = "Said"
kind = "points"
hotkey = "b"
passages = false
required = false
[[question]]
key = "same"
prompt = "The same"
kind = "units"
units = ["insight"]
required = false
[[rule]]
when = { question = "flaws", is = ["wrong"] }
then = { question = "grade", is = ["low"] }
message = "what is wrong is poor"
"#;

const GUIDELINE: &str = "# All\n\nLook at it\nclosely.\n\n## How well?\n\n### h · good\n\nFine.\n\n- Example: tea\n\n\
                         ### l · poor\n\nBad.\n\n- Use when: it is\n  bad.\n- Example: no tea\n\n## By\n\nType it.\n";

fn protocol() -> Protocol {
    Protocol::parse(PROTOCOL, GUIDELINE).unwrap_or_else(|error| panic!("{error}"))
}

fn record<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a record")
}

/// Keys, names and meta all hold "secret"; the third document does not contain the unit.
fn item() -> Item {
    let document = |number: u32, text: &str| {
        record(json!({"collection":"secret","id":format!("secret{number}"),"number":number,"title":"T",
            "text":text,"meta":{"a":"secret"}}))
    };
    let unit = |id: &str, text: &str| {
        record(json!({"collection":"secret","query":"secret","id":id,"kind":"insight","text":text,
            "title":"secret","score":0.5,"meta":{"answer":"secret"}}))
    };
    let candidate = json!({"collection":"secret","query":"secret","id":"secret-gpt","summarizer":"secret-gpt",
        "retriever":"secret","order":"secret","text":"- Tea [1]\n\n* 茶。 </text>\n","meta":{"a":"secret"}});
    Item {
        id: ItemId(0),
        keys: TargetKeys {
            collection: "secret".into(),
            query: "secret".into(),
            document: None,
            unit: Some("secret1".into()),
            candidate: Some("secret-gpt".into()),
            bullet: None,
            other: None,
        },
        query: record(json!({"collection":"secret","id":"secret","text":"What helps?","category":"secret"})),
        documents: vec![document(1, "Tea\nhelps.\n"), document(2, "茶有用。{item}"), document(3, "Rain.")]
            .into(),
        relevant: Some(vec![1, 2]),
        document: None,
        unit: Some(unit("secret1", "Tea helps.")),
        evidence: Vec::new(),
        candidate: Some(record(candidate)),
        other: None,
        is_turned: false,
        choices: vec![unit("secret2", "Tea."), unit("secret3", "茶")],
        bullet: None,
    }
}

fn run(protocol: &Protocol, parameters: Value) -> JudgeRun {
    let parameters = parameters.as_object().cloned().expect("an object");
    let (protocol, model, prompt) = (protocol.name.clone(), "m".to_owned(), PROMPT.to_owned());
    JudgeRun { protocol, model, prompt, examples: Vec::new(), parameters }
}

fn request(protocol: &Protocol, item: &Item) -> Value {
    written(protocol, item, &run(protocol, json!({"temperature": 0})), 1)
}

fn written(protocol: &Protocol, item: &Item, run: &JudgeRun, time: u8) -> Value {
    let mut line = Vec::new();
    let requests = Requests::new(protocol, "secret-judge", run).expect("a prompt");
    requests.write(&mut line, item, time).expect("memory is written");
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    serde_json::from_slice(&line).expect("JSON")
}

fn message(request: &Value, number: usize) -> &str {
    request["body"]["messages"][number]["content"].as_str().expect("a text")
}

#[test]
fn a_request_holds_the_texts_of_the_panes_and_no_names() {
    let request = request(&protocol(), &item());
    let text = request.to_string();
    assert!(!text.contains("secret") && !text.contains("Rain"), "{text}");
    assert_eq!((&request["method"], &request["url"]), (&json!("POST"), &json!("/v1/chat/completions")));
    assert_eq!((&request["body"]["model"], &request["body"]["temperature"]), (&json!("m"), &json!(0)));
    assert_eq!(request["body"]["response_format"], json!({"type":"json_object"}));
    assert_eq!(
        message(&request, 1),
        "Query:\n<text>\nWhat helps?\n</text>\n\n\
         Document [1], \"T\":\n<text>\nTea\nhelps.\n</text>\n\n\
         Document [2], \"T\":\n<text>\n茶有用。{item}\n</text>\n\n\
         Claim:\n<text>\nTea helps.\n</text>\n\n\
         Texts to choose from:\n<text>\n1. Tea.\n2. 茶\n</text>\n\n\
         Summary, its bullets numbered:\n<text>\n1. Tea [1]\n2. 茶。 <\\/text>\n</text>\n\n\
         Give the answer to this item now: the JSON object alone."
    );
}

/// A judge sees the documents that the system was given, and what its citations mean.
#[test]
fn a_judge_is_told_which_documents_a_list_cites() {
    let mut item = item();
    item.relevant = None;
    let summary = item.candidate.as_mut().expect("a summary");
    summary.text = "- Tea [1] [2]".to_owned();
    summary.cites = Some(CitedList::of(vec![ListedDocument { number: 3, score: None }]));
    let request = request(&protocol(), &item);
    let text = message(&request, 1);
    assert!(
        text.contains("Document [3], \"T\":\n<text>\nRain.") && !text.contains("Document [1], "),
        "{text}"
    );
    let told =
        "</text>\n\nIts citations count in a list of their own: [1] is Document [3], [2] is no document.\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn what_is_asked_is_told_from_the_protocol_and_its_guideline() {
    let request = request(&protocol(), &item());
    let system = message(&request, 0);
    for part in [
        "# All there is to ask\n\nLook at it closely.\n\nJudge by",
        "## \"grade\": How well?\n\n- \"high\" (good)\n  Fine.\n- \"low\" (poor)\n  Bad.\n  Use when: it is bad.\n\n\
         ## \"bullet\": By\n\nAsked only when \"grade\" is \"high\".\n\nType it.\n\n",
        "## \"more\": What is wrong\n\nAsked only when \"flaws\" has \"wrong\".\n\n",
        "## What must hold between the answers\n\n- what is wrong is poor\n",
        "\n- \"grade\": \"high\" — tea\n- \"grade\": \"low\" — no tea\n\n",
        "\n- \"grade\": one of \"low\", \"high\"\n\
         - \"bullet\": the number of one bullet, such as 2, or null when it is no single one — only when \"grade\" \
         is \"high\"\n",
        "\n- \"flaws\": a list of those that apply of \"vague\", \"wrong\", or null when none does — may be left out\n",
    ] {
        assert!(system.contains(part), "{system}\nshould contain {part}");
    }
}

#[test]
fn a_judged_document_or_bullet_is_named() {
    let attribution = builtin("attribution").expect("built in");
    let judged = Item { document: Some(3), bullet: Some(2), unit: None, relevant: None, ..item() };
    let request = request(attribution, &judged);
    let shown = message(&request, 1);
    assert!(shown.contains("Document [3]") && shown.contains("Rain.") && !shown.contains("Document [1]"));
    assert!(shown.contains("</text>\n\nThe bullet that is judged is number 2."), "{shown}");
    let whole = Item { relevant: None, ..item() };
    assert_eq!(message(&self::request(&protocol(), &whole), 1).matches("Document [").count(), 3);
}

/// The answers in what a judge wrote, or the sentence with which it is refused.
fn read(content: &str) -> std::result::Result<Value, String> {
    match answers::read(content, &protocol(), &item()) {
        Ok(said) => Ok(said.answers.iter().map(|(key, answer)| (key.clone(), answer.to_json())).collect()),
        Err(misfit) => Err(misfit.within("content").into_error().to_string()),
    }
}

#[test]
fn answers_are_read_in_the_form_that_was_asked_for() {
    // "Tea helps" stands over a line break at bytes 0 to 9 of the first document.
    let tea = json!({"document":"secret1","start":0,"end":9,"quote":"Tea\nhelps",
        "hash":crate::protocol::Quote::text_hash("Tea\nhelps.\n").to_string()});
    for (content, expected) in [
        (json!({"grade":"low"}).to_string(), json!({"grade":"low"})),
        (" \n```json\n{\"grade\": \"low\"}\n```\n".to_owned(), json!({"grade":"low"})),
        ("```\n{\"grade\": \"low\"}```".to_owned(), json!({"grade":"low"})),
        (json!({"grade":"high","bullet":2}).to_string(), json!({"grade":"high","bullet":2})),
        (json!({"grade":"high","bullet":null}).to_string(), json!({"grade":"high","bullet":null})),
        // Null where nothing is asked, or where only a text would do, is no answer.
        (json!({"grade":"low","bullet":null,"more":null}).to_string(), json!({"grade":"low"})),
        (
            json!({"grade":"low","also_by":[2,1,2],"flaws":["wrong","vague"],"more":"茶\n"}).to_string(),
            json!({"grade":"low","also_by":[2,1],"flaws":["vague","wrong"],"more":"茶\n"}),
        ),
        (
            json!({"grade":"low","flaws":[],"where":[],"said":null,"same":[]}).to_string(),
            json!({"grade":"low","flaws":null,"where":null,"said":null,"same":null}),
        ),
        (
            json!({"grade":"low","where":[{"document":1,"quote":"Tea helps"}],"same":[2,1]}).to_string(),
            json!({"grade":"low","where":[tea],"same":["secret2","secret3"]}),
        ),
        (
            json!({"grade":"low","points":[{"text":"a","passages":[{"document":1,"quote":"Tea helps"}]},{"text":"b"}],
                "said":["c"]})
            .to_string(),
            json!({"grade":"low","points":[{"text":"a","passages":[tea]},{"text":"b","passages":[]}],
                "said":[{"text":"c","passages":[]}]}),
        ),
    ] {
        assert_eq!(read(&content), Ok(expected), "{content}");
    }
}

#[test]
fn a_step_of_a_scale_may_be_a_number() {
    let (before, several) = PROTOCOL.split_once("[[question]]\nkey = \"also_by\"").expect("several bullets");
    let (_, after) = several.split_once("[[question]]").expect("more");
    let text = format!("include = [\"confidence\"]\n{before}[[question]]{after}")
        .replace("kind = \"units\"\nunits = [\"insight\"]", "kind = \"text\"\nhotkey = \"p\"")
        .replace(", \"units\", ", ", ");
    let protocol = Protocol::parse(&text, GUIDELINE).unwrap_or_else(|error| panic!("{error}"));
    let read = |content: &str| {
        let said = answers::read(content, &protocol, &item()).ok()?;
        Some(said.answers.get("confidence")?.to_json())
    };
    assert_eq!(read(r#"{"grade":"low","confidence":2}"#), Some(json!("2")));
    assert_eq!(read(r#"{"grade":"low","confidence":"2"}"#), Some(json!("2")));
    assert_eq!(read(r#"{"grade":"low","confidence":4}"#), None, "there is no such step");
    assert_eq!(read(r#"{"grade":2}"#), None, "other choices have words");
}

#[test]
fn what_is_no_answer_is_refused_with_its_place() {
    for (content, expected) in [
        ("The grade is low.", "content: this is no JSON: expected value (column 1)"),
        ("", "content: the text ends in the middle of a value"),
        ("[{\"grade\":\"low\"}]", "content: expected an object, found a list"),
        ("Here: {\"grade\":\"low\"}", "content: this is no JSON"),
        ("{\"grade\":\"low\"} as I said", "content: this is no JSON: trailing characters"),
        ("```json\n{\"grade\":\"low\"}\n``` as I said", "content: this is no JSON"),
        ("{\"grade\":\"low\",\"grade\":\"high\"}", "content: \"grade\" stands twice in one object"),
        ("{\"grade\":\"poor\"}", "content: \"poor\" is no answer to \"grade\""),
        ("{\"grade\":[\"low\"]}", "content.grade: expected a string, found a list"),
        ("{\"grade\":null}", "content: \"grade\" has no answer although it is asked"),
        ("<think>It is low.{\"grade\":\"low\"}", "content: this is no JSON"),
        ("{\"grade\":\"low\",\"reason\":1}", "content.reason: expected a string, found the number 1"),
        ("{\"grade\":\"high\"}", "content: \"bullet\" has no answer although it is asked"),
        ("{\"grade\":\"low\",\"bullet\":1}", "content: \"bullet\" has the answer 1 although it is not asked"),
        ("{\"grade\":\"high\",\"bullet\":3}", "content: \"bullet\" names bullet 3, but the candidate has 2"),
        (
            "{\"grade\":\"high\",\"bullet\":0}",
            "content.bullet: expected a number from 1, found 0; null is none",
        ),
        ("{\"grade\":\"high\",\"bullet\":\"2\"}", "content.bullet: expected a whole number from 0"),
        ("{\"grade\":\"high\",\"bullet\":[2]}", "content.bullet: expected a whole number from 0"),
        ("{\"grade\":\"low\",\"also_by\":2}", "content.also_by: expected a list, found the number 2"),
        ("{\"grade\":\"low\",\"flaws\":[\"rude\"]}", "content: [\"rude\"] is no answer to \"flaws\""),
        (
            "{\"grade\":\"high\",\"bullet\":1,\"flaws\":[\"wrong\"],\"more\":\" \"}",
            "content: \" \" is no answer to \"more\"",
        ),
        (
            "{\"grade\":\"high\",\"flaws\":[\"wrong\"],\"more\":\"x\"}",
            "content: \"bullet\" has no answer although it is asked; what is wrong is poor",
        ),
        ("{\"grade\":\"low\",\"same\":[3]}", "content.same[0]: there is no text 3 among 2 to choose from"),
        (
            "{\"grade\":\"low\",\"where\":[{\"document\":1,\"quote\":\"Tea\"},{\"document\":3,\"quote\":\"Rain\"}]}",
            "content.where[1]: there is no document 3 among those that were shown",
        ),
        (
            "{\"grade\":\"low\",\"where\":[{\"document\":2,\"quote\":\"Tea\"}]}",
            "content.where[0]: the passage \"Tea\" does not stand in document 2",
        ),
        (
            "{\"grade\":\"low\",\"where\":[{\"document\":1,\"quote\":\" \"}]}",
            "content.where[0]: the passage \" \" does not",
        ),
        (
            "{\"grade\":\"low\",\"points\":[{\"text\":\"a\",\"source\":1}]}",
            "content.points[0]: the key \"source\" is not asked for",
        ),
        ("{\"grade\":\"low\",\"points\":[\"a\"]}", "content.points[0]: expected an object"),
        ("{\"grade\":\"low\",\"said\":[\" \"]}", "content.said[0]: the point is empty"),
    ] {
        let found = read(content).expect_err(content);
        assert!(found.starts_with(expected), "{content}: {found}\nshould begin with {expected}");
        assert!(!found.contains('\n'), "{found}");
    }
}

proptest! {
    #[test]
    fn whatever_is_taken_keeps_the_rules(
        grade in "low|high|poor", bullet in prop::option::of(0..4_u32), same in prop::collection::vec(0..4_u8, 0..4),
        quote in "[Tea h茶]{0,4}", around in "(```json\n|x)?",
    ) {
        let said = json!({"grade":grade,"bullet":bullet,"same":same,"where":[{"document":1,"quote":quote}]});
        let content = format!("{around}{said}{}", if around.starts_with('`') { "\n```" } else { "" });
        if let Ok(said) = answers::read(&content, &protocol(), &item()) {
            prop_assert_eq!(protocol().violations(&said.answers, 2), Vec::new());
            prop_assert!(around != "x" && same.iter().all(|number| (1..=2).contains(number)));
        }
    }

    #[test]
    fn any_text_is_taken_or_refused(content in any::<String>()) {
        if let Err(sentence) = read(&content) {
            prop_assert!(!sentence.contains('\n'));
        }
    }
}

/// A study that has asked about the one item.
#[derive(Default)]
struct Study {
    kind: Option<AnnotatorKind>,
    records: Vec<Record>,
    refused: Vec<String>,
}

impl Sink for Study {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn annotator_kind(&mut self, _: &str) -> Result<Option<AnnotatorKind>> {
        Ok(self.kind)
    }

    fn asked(&mut self, key: ItemKey, version: u32) -> Result<Option<AskedItem>> {
        let protocol = ProtocolText {
            name: "whole".into(),
            version: 3,
            text: PROTOCOL.into(),
            guideline: GUIDELINE.into(),
        };
        let is_this = key == item().keys.item_key("whole") && version == 3;
        Ok(is_this.then(|| AskedItem { protocol: Rc::new(protocol), item: item() }))
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        self.refused.push(format!("{place}: {error}"));
        Ok(())
    }
}

fn name() -> RequestName {
    RequestName {
        version: 3,
        judge: mark_of_judge("gpt"),
        run: mark_of_judge("a run"),
        shown: mark_of_shown(&item()),
        item: item().keys.item_key("whole"),
        time: 1,
    }
}

fn response(name: &str, content: &str) -> Value {
    json!({"id":"batch_req_1","custom_id":name,"response":{"status_code":200,"request_id":"r","body":{
        "id":"c","object":"chat.completion","created":1_767_605_400,"model":"m","choices":[
            {"index":0,"message":{"role":"assistant","content":content,"refusal":null},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}},"error":null})
}

fn take(lines: &[Value], study: &mut Study) -> Result<()> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let options = ReadOptions { judge: Some("gpt".into()) };
    responses::read(text.as_bytes(), &options, study)
}

#[test]
fn a_response_becomes_the_judges_judgment() {
    let mut study = Study::default();
    take(&[response(&name().to_string(), "{\"grade\":\"low\"}")], &mut study).expect("read");
    let [Record::Annotator(judge), Record::Judgment(judgment), Record::Amendment(answered)] =
        study.records.as_slice()
    else {
        panic!("{:?}", study.records);
    };
    let on_record = |answered: &crate::study::Amendment| -> JudgeAnswered {
        let fields = answered.to.clone().expect("fields").0;
        serde_json::from_value(Value::Object(fields)).expect("answers")
    };
    let told = on_record(answered);
    assert_eq!((answered.id.as_str(), answered.at), ("gpt", 1_767_605_400_000));
    assert_eq!(
        (told.model.as_str(), told.answers, told.prompt_tokens, told.completion_tokens),
        ("m", 1, 9, 3)
    );
    assert_eq!((told.protocol.as_str(), told.run), ("whole", name().run.to_string()));
    assert_eq!((judge.id.as_str(), judge.kind), ("gpt", AnnotatorKind::Model));
    // 1767605400 s are 20458 days and 34200 s after 1970: 9 h 30 min on 5 January 2026.
    let expected = json!({"protocol":"whole","version":3,"annotator":"gpt","collection":"secret","query":"secret",
        "unit":"secret1","candidate":"secret-gpt","answers":{"grade":"low"},"at":"2026-01-05T09:30:00Z"});
    assert_eq!(serde_json::to_value(judgment).expect("JSON"), expected);
    let mut known = Study { kind: Some(AnnotatorKind::Model), ..Study::default() };
    take(&[response(&name().to_string(), "{\"grade\":\"low\"}")], &mut known).expect("read");
    assert_eq!(known.records.len(), 2, "the judge is there already, whatever its meta");
    let mut person = Study { kind: Some(AnnotatorKind::Human), ..Study::default() };
    assert_eq!(
        take(&[], &mut person).expect_err("a person").to_string(),
        "\"gpt\" is a person of this study, and these are a model's answers; name a judge with --as"
    );
}

#[test]
fn responses_that_cannot_be_taken_are_named() {
    let good = || response(&name().to_string(), "{\"grade\":\"low\"}");
    let with = |pointer: &str, value: Value| {
        let mut line = good();
        *line.pointer_mut(pointer).expect("there") = value;
        line
    };
    let named = |name: RequestName| response(&name.to_string(), "{\"grade\":\"low\"}");
    let body = "/response/body";
    let choice = "/response/body/choices/0";
    for (line, expected) in [
        (json!({"custom_id":"a"}), "custom_id: \"a\" names no request that haymark writes"),
        (json!({"response":{}}), "\"custom_id\" is missing"),
        (json!([1]), "expected an object, found a list"),
        (
            named(RequestName { judge: mark_of_judge("other"), ..name() }),
            "custom_id: this was asked of another judge than \"gpt\"; name the judge that",
        ),
        (
            named(RequestName { version: 4, ..name() }),
            "custom_id: no item of the study was asked so under a version 4; import",
        ),
        (
            named(RequestName { shown: mark_of_judge("x"), ..name() }),
            "custom_id: the texts that were shown are not those of the study; export",
        ),
        (
            with("/error", json!({"code":"expired","message":"Too late."})),
            "error: the service gave no answer: Too late.",
        ),
        (with("/error", json!("expired")), "error: the service gave no answer: expired"),
        (with("/response", Value::Null), "\"response\" is missing"),
        (with(body, Value::Null), "response: \"body\" is missing"),
        (
            json!({"custom_id":name().to_string(),
                "response":{"status_code":429,"body":{"error":{"message":"Slow\ndown."}}}}),
            "response.body: the service answered with the status 429: Slow down.",
        ),
        (with("/response/body/choices", json!([])), "response.body.choices: expected one answer, found 0"),
        (
            with("/response/body/choices/0/finish_reason", json!("length")),
            "response.body.choices[0]: the answer was cut off at the limit of its length",
        ),
        (
            with("/response/body/choices/0/message/refusal", json!("I cannot.")),
            "response.body.choices[0].message.refusal: the model refused: I cannot.",
        ),
        (
            with(&format!("{choice}/message/content"), Value::Null),
            "response.body.choices[0].message: \"content\" is missing",
        ),
        (
            with(&format!("{choice}/message/content"), json!("{\"grade\":\"mid\"}")),
            "response.body.choices[0].message.content: \"mid\" is no answer to \"grade\"",
        ),
        (
            with(&format!("{choice}/message/content"), json!("{\"grade\":\n[1]}")),
            "response.body.choices[0].message.content.grade: expected a string, found a list",
        ),
    ] {
        let mut study = Study::default();
        take(&[json!({"custom_id":"b"}), line.clone()], &mut study).expect("goes on");
        study.records.retain(|record| !matches!(record, Record::Amendment(_)));
        assert_eq!(study.records, [], "{line}");
        let [_, refused] = study.refused.as_slice() else { panic!("{line}: {:?}", study.refused) };
        assert!(
            refused.starts_with(&format!("line 2: {expected}")),
            "{refused}\nshould be line 2: {expected}"
        );
    }
    let mut study = Study::default();
    take(&[with(&format!("{choice}/message/content"), json!("no")), good(), good()], &mut study)
        .expect("goes on");
    assert_eq!(study.records.len(), 3, "the judge, the first answer that can be taken, what it cost");
    assert_eq!(study.refused.len(), 2);
    assert!(
        study.refused[1].contains("line 3: custom_id: line 2 answers this request too"),
        "{:?}",
        study.refused
    );
}

#[test]
fn what_stands_around_an_answer_is_let_pass_and_counted() {
    let said = |content: &str| answers::read(content, &protocol(), &item()).expect("an answer");
    let plain = said("{\"grade\":\"low\"}");
    assert_eq!(plain.around, answers::Around::default());
    let wordy = "<think>\n{\"grade\":\"high\"}?\n</think>\n\n```json\n{\"reason\":\"Nothing\\nhelps.\",\"grade\":\"low\",\"sure\":1}\n```";
    let wordy = said(wordy);
    assert_eq!((&wordy.answers, wordy.reason.as_deref()), (&plain.answers, Some("Nothing\nhelps.")));
    let expected =
        answers::Around { is_fenced: true, has_thoughts: true, other_keys: vec!["sure".to_owned()] };
    assert_eq!(wordy.around, expected);
    assert_eq!(said("{\"grade\":\"low\",\"reason\":\" \"}").reason, None);
}

#[test]
fn further_answers_to_an_item_are_those_of_a_judge_beside_the_judge() {
    let mut study = Study::default();
    let again = RequestName { time: 2, ..name() };
    let content = "{\"grade\":\"low\",\"reason\":\"thin\"}";
    take(&[response(&name().to_string(), content), response(&again.to_string(), content)], &mut study)
        .expect("read");
    let people = study.records.iter().filter_map(|record| match record {
        Record::Annotator(judge) => Some((judge.id.as_str(), judge.meta.clone())),
        _ => None,
    });
    let people: Vec<_> = people.collect();
    let beside = json!({"again_of": "gpt"}).as_object().cloned().expect("an object");
    assert_eq!(people, [("gpt", Meta::new()), ("gpt #2", beside)]);
    let given = study.records.iter().filter_map(|record| match record {
        Record::Judgment(judgment) => Some((judgment.annotator.as_str(), judgment.comment.as_deref())),
        _ => None,
    });
    assert_eq!(given.collect::<Vec<_>>(), [("gpt", Some("thin")), ("gpt #2", Some("thin"))]);
}

/// The schema by the rules of the strict form: every key is required, no other is let in.
#[test]
fn a_request_carries_the_schema_of_its_answer_and_its_parameters() {
    let protocol = protocol();
    let parameters = json!({"temperature": 0.5, "seed": 7, "response_format": "schema"});
    let request = written(&protocol, &item(), &run(&protocol, parameters), 3);
    let body = &request["body"];
    assert_eq!((&body["temperature"], &body["seed"]), (&json!(0.5), &json!(9)), "a seed a time");
    assert!(request["custom_id"].as_str().expect("a name").ends_with("-3"));
    let form = &body["response_format"]["json_schema"];
    assert_eq!(form["strict"], json!(true));
    let properties = form["schema"]["properties"].as_object().expect("properties");
    let keys: Vec<&str> = properties.keys().map(String::as_str).collect();
    let questions = protocol.questions.iter().map(|question| question.key.as_str());
    assert_eq!(keys, std::iter::once("reason").chain(questions).collect::<Vec<_>>());
    assert_eq!(form["schema"]["required"], json!(keys));
    assert_eq!(properties["grade"], json!({"type": "string", "enum": ["low", "high"]}));
    assert_eq!(properties["bullet"], json!({"type": ["integer", "null"]}));
    let own = json!({"response_format": {"type": "text"}});
    let request = written(&protocol, &item(), &run(&protocol, own), 1);
    assert_eq!(request["body"]["response_format"], json!({"type": "text"}));
    let marks = [json!({}), json!({"seed": 1})].map(|parameters| run(&protocol, parameters).mark());
    assert_ne!(marks[0], marks[1]);
}
