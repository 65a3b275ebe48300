//! Requests to a judge go out, its responses come back.

use std::collections::HashSet;
use std::fs;

use serde_json::{Value, json};

use crate::harness::{Desk, confusion};

/// The requests of a protocol to the judge `gpt`.
fn requests(desk: &Desk, study: &str, protocol: &str) -> Vec<Value> {
    let arguments = ["export", study, "--what", "judge-requests", "--protocol", protocol, "--as", "gpt"];
    desk.out(&arguments).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What a service sends back when the judge writes `content`.
fn response(request: &Value, content: &str) -> Value {
    json!({"id":"batch_req_1","custom_id":request["custom_id"],"error":null,"response":{"status_code":200,"body":{
        "created":1_767_605_400,"choices":[{"message":{"role":"assistant","content":content},"finish_reason":"stop"}],
        "usage":{"total_tokens":12}}}})
}

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| format!("{record}\n")).collect()
}

fn shown(request: &Value) -> &str {
    request["body"]["messages"][1]["content"].as_str().expect("a text")
}

#[test]
fn requests_depend_on_no_answer_and_no_system() {
    let desk = Desk::new();
    let study = desk.sample();
    // The same corpus without a judgment, and without a word about where its summaries come from.
    let corpus: Vec<Value> = desk
        .out(&["export", study, "--what", "corpus"])
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).expect("JSON");
            for field in ["summarizer", "retriever", "order", "meta"] {
                record.as_object_mut().expect("a record").remove(field);
            }
            record
        })
        .collect();
    assert!(corpus.iter().any(|record| record["type"] == "candidate"));
    desk.file("bare.jsonl", lines(corpus));
    desk.out(&["import", "bare.db", "bare.jsonl"]);
    let mut seen = HashSet::new();
    for protocol in
        ["coverage", "keypoint", "entailment", "failure", "extraction", "refinement", "attribution"]
    {
        let arguments =
            |study| ["export", study, "--what", "judge-requests", "--protocol", protocol, "--as", "gpt"];
        let told = desk.out(&arguments(study));
        assert_eq!(told, desk.out(&arguments("bare.db")), "{protocol}");
        for line in told.lines() {
            let request: Value = serde_json::from_str(line).expect("JSON");
            let name = request["custom_id"].as_str().expect("a name").to_owned();
            assert!(name.len() <= 64 && seen.insert(name), "{protocol}: {}", request["custom_id"]);
            assert_eq!(request["body"]["model"], "gpt");
            assert!(request["body"]["messages"][0]["content"].as_str().expect("a text").contains("JSON"));
        }
    }
    let before = fs::read(desk.path(study)).expect("the study");
    requests(&desk, study, "coverage");
    assert_eq!(fs::read(desk.path(study)).expect("the study"), before, "how it is asked is on record once");
}

#[test]
fn answers_come_back_and_what_is_malformed_stays_to_be_asked() {
    let desk = Desk::new();
    let study = desk.sample();
    let requests = requests(&desk, study, "coverage");
    assert_eq!(requests.len(), 80, "16 insights in five summaries");
    let written = |number: usize| match number {
        0 => "```json\n{\"coverage\": \"full\", \"bullet\": 1}\n```",
        1 => "It is partial, by bullet 2.",
        2 => "{\"coverage\": \"half\", \"bullet\": 1}",
        3 => "{\"coverage\": \"full\"}",
        4 => "{\"coverage\": \"partial\", \"bullet\": null}",
        _ => "{\"coverage\": \"none\", \"bullet\": null}",
    };
    let responses = requests.iter().enumerate().map(|(number, request)| response(request, written(number)));
    desk.file("responses.jsonl", lines(responses));
    let before = fs::read(desk.path(study)).expect("the study");

    let import = ["import", study, "responses.jsonl", "--as", "gpt"];
    let (status, told) = desk.fails(&import);
    assert!(
        status == 1 && told.contains("responses.jsonl, line 2, response.body.choices[0].message.content: ")
    );
    assert_eq!(fs::read(desk.path(study)).expect("the study"), before, "nothing has come in");

    let skipping = [import.as_slice(), &["--skip-bad"]].concat();
    let told = desk.out(&skipping);
    let place = "response.body.choices[0].message.content";
    for line in [
        "responses.jsonl (judge-responses): 77 judgments came in\n".to_owned(),
        "    line 1: 1 answer stood in a Markdown fence; the rest was taken\n".to_owned(),
        "  left out (3):\n".to_owned(),
        format!(
            "    line 2: {place}: this is no JSON: expected value (column 1); the next export asks it again\n"
        ),
        format!("    line 3: {place}: \"half\" is no answer to \"coverage\"\n"),
        format!("    line 4: {place}: \"bullet\" has no answer although it is asked\n"),
    ] {
        assert!(told.contains(&line), "{told}\nshould contain {line}");
    }
    let given = desk.judgments("study.db", "coverage", "gpt");
    let answers: Vec<&Value> = given.iter().map(|record| &record["answers"]).collect();
    let expected = |value: &str| answers.iter().filter(|answers| answers["coverage"] == value).count();
    assert_eq!((given.len(), expected("full"), expected("partial"), expected("none")), (77, 1, 1, 75));
    assert!(answers.contains(&&json!({"coverage":"partial","bullet":null})), "covered by no single bullet");
    assert!(answers.contains(&&json!({"coverage":"none"})), "null is no answer where nothing is asked");
    assert!(given.iter().all(|record| record["at"] == "2026-01-05T09:30:00Z" && record["seconds"].is_null()));

    let after = fs::read(desk.path(study)).expect("the study");
    assert!(desk.out(&skipping).contains("nothing came in"));
    assert_eq!(fs::read(desk.path(study)).expect("the study"), after, "a second import adds nothing");
    let pending = self::requests(&desk, study, "coverage");
    assert_eq!(pending, requests[1..4], "what was not taken is asked again, in the same words");

    let further = pending.iter().map(|request| response(request, "{\"coverage\":\"full\",\"bullet\":1}"));
    desk.file("further.jsonl", lines(further));
    assert!(desk.out(&["import", study, "further.jsonl", "--as", "gpt"]).contains(": 3 judgments came in\n"));
    let all = ["export", study, "--what", "judge-requests", "--protocol", "coverage", "--as", "gpt"];
    let output = desk.run(&all);
    assert!(output.status.success() && output.stdout.is_empty());
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(told, "\"gpt\" has judged all 80 items of \"coverage\"\n");

    // bora has judged all 80 items. The judge said none 75 times, partial once and full 1 + 3 times: the sums
    // of its columns.
    let agreed = desk.agreement(&[
        "agree",
        study,
        "--protocol",
        "coverage",
        "--question",
        "coverage",
        "--annotators",
        "bora,gpt",
    ]);
    let table = confusion(&agreed, "bora", "gpt");
    let column = |number: usize| table.iter().map(|row| row[number]).sum::<u64>();
    assert_eq!([column(0), column(1), column(2)], [75, 1, 4]);
    assert_eq!(agreed["pairs"][0]["items"], json!(80));
}

#[test]
fn chinese_points_are_asked_about_and_answered() {
    let desk = Desk::new();
    let study = desk.sample();
    let requests = requests(&desk, study, "keypoint");
    let chinese: Vec<&Value> = requests.iter().filter(|request| shown(request).contains("电动车")).collect();
    assert!(!chinese.is_empty());
    let one = shown(chinese[0]);
    assert!(one.contains("Key point:\n<text>\n") && one.matches("Document [").count() == 1, "{one}");
    let responses =
        chinese.iter().map(|request| response(request, "{\"grounded\":\"yes\",\"validity\":\"agree\"}"));
    desk.file("zh.jsonl", lines(responses));
    let told = desk.out(&["import", study, "zh.jsonl", "--as", "gpt"]);
    assert!(told.contains(&format!("{} judgment", chinese.len())), "{told}");
    let given = desk.judgments("study.db", "keypoint", "gpt");
    assert!(given.iter().all(|record| record["collection"] == "ev-winter"), "{given:?}");
    assert_eq!(self::requests(&desk, study, "keypoint").len(), requests.len() - chinese.len());
}

#[test]
fn whose_answers_they_are_is_said_and_checked() {
    let desk = Desk::new();
    let study = desk.sample();
    let requests = requests(&desk, study, "refinement");
    let responses = requests.iter().map(|request| response(request, "{\"verdict\":\"reasonable\"}"));
    desk.file("responses.jsonl", lines(responses));
    let (status, told) = desk.fails(&["import", study, "responses.jsonl"]);
    assert!(
        status == 2 && told.contains("name the one that the requests were exported for with --as"),
        "{told}"
    );
    let (status, told) = desk.fails(&["import", study, "responses.jsonl", "--as", "other"]);
    assert!(
        status == 1 && told.contains("line 1, custom_id: this was asked of another judge than \"other\""),
        "{told}"
    );
    let (status, told) = desk.fails(&["import", study, "responses.jsonl", "--as", "alice"]);
    assert!(status == 1 && told.contains("\"alice\" is a person of this study"), "{told}");
    let (status, told) = desk.fails(&["import", "empty.db", "responses.jsonl", "--as", "gpt"]);
    assert!(status == 1 && told.contains("line 1, custom_id: no item of the study was asked so"), "{told}");
    assert!(!desk.path("empty.db").exists());

    let ask =
        |more: &[&'static str]| [["export", study, "--what", "judge-requests"].as_slice(), more].concat();
    let (status, told) = desk.fails(&ask(&["--protocol", "coverage", "--as", "alice"]));
    assert!(
        status == 1 && told.contains("\"alice\" is a person, who judges with `haymark annotate`"),
        "{told}"
    );
    let (status, told) = desk.fails(&ask(&["--protocol", "match", "--as", "gpt"]));
    assert!(status == 1 && told.contains("\"match\" judges units of the kind human point"), "{told}");
    assert_eq!(desk.fails(&ask(&["--protocol", "mood", "--as", "gpt"])).0, 2);
    assert_eq!(desk.fails(&ask(&["--protocol", "coverage"])).0, 2, "for nobody");
    let (status, told) = desk.fails(&["export", study, "--model", "m"]);
    assert!(
        status == 2 && told.contains("--model has no use for --what all; it is for judge-requests"),
        "{told}"
    );
}

#[test]
fn a_prompt_of_ones_own_takes_the_place_of_the_built_in_one() {
    let desk = Desk::new();
    let study = desk.sample();
    let ask = ["export", study, "--what", "judge-requests", "--protocol", "coverage", "--as", "gpt"];
    let with = |more: &[&'static str]| [ask.as_slice(), more].concat();
    desk.out(&["export", study, "--what", "judge-prompt", "-o", "prompt.md"]);
    assert_eq!(desk.out(&with(&["--prompt", "prompt.md"])), desk.out(&ask));
    desk.file("mine.md", "Judge {item}\nas {format}");
    let told = desk.out(&with(&["--prompt", "mine.md", "--model", "small-1"]));
    let first: Value = serde_json::from_str(told.lines().next().expect("a request")).expect("JSON");
    let messages = first["body"]["messages"].as_array().expect("a list");
    let text = messages[0]["content"].as_str().expect("a text");
    assert!(messages.len() == 1 && text.starts_with("Judge Query:\n<text>\n"), "{text}");
    assert_eq!((&messages[0]["role"], &first["body"]["model"]), (&json!("user"), &json!("small-1")));
    desk.file("mine.md", "{item}\n{formt}");
    let (status, told) = desk.fails(&with(&["--prompt", "mine.md"]));
    assert!(
        status == 1 && told.contains("mine.md, line 2: \"{formt}\" is no place that a prompt has"),
        "{told}"
    );
}

#[test]
fn answers_count_under_the_version_that_was_asked() {
    let desk = Desk::new();
    let study = desk.sample();
    let tone = |version: u32| {
        format!(
            "name = \"tone\"\ntitle = \"Tone\"\nversion = {version}\nsource = \"a test\"\ntarget = [\"query\"]\n\
             group = \"query\"\n[layout]\nabove = [\"query\"]\nleft = []\nright = []\n[[question]]\nkey = \"tone\"\n\
             prompt = \"Tone?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n\
             {{ value = \"kind\", label = \"kind\", key = \"m\" }},\n{{ value = \"rude\", label = \"rude\", key = \"r\" }},\n]\n"
        )
    };
    desk.file("tone.toml", tone(1));
    desk.out(&["protocol", "add", study, "tone.toml"]);
    let requests = requests(&desk, study, "tone");
    desk.file("tone.toml", tone(2));
    desk.out(&["protocol", "add", study, "tone.toml"]);
    desk.file(
        "answers.jsonl",
        lines(requests.iter().map(|request| response(request, "{\"tone\":\"kind\"}"))),
    );
    let told = desk.out(&["import", study, "answers.jsonl", "--as", "gpt"]);
    assert!(told.contains(&format!("{} judgments came in", requests.len())), "{told}");
    assert!(desk.judgments("study.db", "tone", "gpt").iter().all(|record| record["version"] == 1));
    assert_eq!(
        self::requests(&desk, study, "tone").len(),
        requests.len(),
        "open again under the new version"
    );
    assert!(desk.out(&["import", study, "answers.jsonl", "--as", "gpt"]).contains("nothing new"));
}
