//! How judges are asked is on record: prompts, parameters, examples, repeats, reasons; and what a service answers comes back.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::harness::Desk;

fn ask<'a>(study: &'a str, judge: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let ask = ["export", study, "--what", "judge-requests", "--protocol", "refinement", "--as", judge];
    [&ask, more].concat()
}

fn requests(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    desk.out(arguments).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A service that answers whatever it is asked with what `says` makes of the number of the question. It takes single questions under
/// `/v1/chat/completions`, and a file of them under `/v1/batches`, as it stands.
fn service(says: fn(usize) -> String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        let mut number = 0;
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let (path, body) = received(&mut stream);
            let mut completion = |body: &Value| {
                let messages = body["messages"].as_array().expect("messages");
                assert!(
                    messages
                        .iter()
                        .all(|message| message["role"].is_string() && message["content"].is_string())
                );
                assert!(body["model"].is_string() && body["response_format"]["type"].is_string());
                number += 1;
                json!({"id": "c", "object": "chat.completion", "created": 1_767_605_400, "model": "gpt-4o-2024-08-06",
                    "choices": [{"index": 0, "message": {"role": "assistant", "content": says(number)}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
            };
            let answer = match path.as_str() {
                "/v1/chat/completions" => completion(&serde_json::from_str(&body).expect("JSON")).to_string(),
                "/v1/batches" => {
                    let of = |line: &str| {
                        let request: Value = serde_json::from_str(line).expect("a request");
                        assert_eq!(
                            (&request["method"], &request["url"]),
                            (&json!("POST"), &json!("/v1/chat/completions"))
                        );
                        let response = json!({"status_code": 200, "request_id": "r", "body": completion(&request["body"])});
                        let line = json!({"id": "b", "custom_id": request["custom_id"], "response": response, "error": null});
                        format!("{line}\n")
                    };
                    body.lines().map(of).collect()
                }
                other => panic!("{other}"),
            };
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
            stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(answer.as_bytes()))
                .expect("sent");
        }
    });
    address
}

/// Path and body of a request.
fn received(stream: &mut TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    let path = line.split(' ').nth(1).expect("a path").to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("a header");
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("Content-Length: ") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    (path, String::from_utf8(body).expect("UTF-8"))
}

/// What the service sends back for a body.
fn post(address: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the service");
    let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

fn wordy(number: usize) -> String {
    let (verdict, refined) =
        if number.is_multiple_of(4) { ("needs_refinement", "\"Why?\"") } else { ("reasonable", "null") };
    format!(
        "<think>hm</think>{{\"reason\": \"thought {number}\", \"verdict\": \"{verdict}\", \"refined\": {refined}, \"sure\": 3}}"
    )
}

#[test]
fn a_batch_and_single_questions_go_to_a_service_and_come_back() {
    let desk = Desk::new();
    let study = desk.sample();
    let address = service(wordy);
    let batch = desk.out(&ask(
        study,
        "gpt",
        &["--model", "gpt-4o", "--parameter", "seed=7", "--parameter", "response_format=schema"],
    ));
    let asked = batch.lines().count();
    desk.file("responses.jsonl", post(&address, "/v1/batches", &batch));
    let told = desk.out(&["import", study, "responses.jsonl", "--as", "gpt"]);
    assert!(told.contains(&format!("{asked} judgments came in")), "{told}");
    assert!(
        told.contains(&format!("{asked} answers stood behind <think>…</think>; the rest was taken")),
        "{told}"
    );
    assert!(
        told.contains(&format!("{asked} answers had the key \"sure\", which nobody asked for")),
        "{told}"
    );

    // One by one, as a script does it.
    let one_by_one: String = requests(&desk, &ask(study, "local", &[]))
        .iter()
        .map(|request| {
            let body = post(&address, request["url"].as_str().expect("a path"), &request["body"].to_string());
            let body: Value = serde_json::from_str(&body).expect("JSON");
            format!(
                "{}\n",
                json!({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}})
            )
        })
        .collect();
    desk.file("local.jsonl", one_by_one);
    desk.out(&["import", study, "local.jsonl", "--as", "local"]);

    let runs = desk.json(&["judges", study, "--table", "runs"]);
    let rows = runs["rows"].as_array().expect("rows");
    let row = &rows[0];
    assert_eq!(
        (&row["annotator"], &row["model"], &row["reported_model"]),
        (&json!("gpt"), &json!("gpt-4o"), &json!("gpt-4o-2024-08-06"))
    );
    assert_eq!(row["parameters"], "temperature=0 seed=7 response_format=schema");
    assert_eq!(
        (&row["answers"], &row["prompt_tokens"], &row["completion_tokens"]),
        (&json!(asked), &json!(100 * asked), &json!(10 * asked))
    );
    assert_eq!(rows[1]["annotator"], "local");
    assert_ne!(rows[0]["run"], rows[1]["run"]);
    // Taken in twice, it is counted once.
    desk.out(&["import", study, "responses.jsonl", "--as", "gpt"]);
    assert_eq!(desk.json(&["judges", study, "--table", "runs"])["rows"][0]["answers"], json!(asked));
    // It goes with the study.
    desk.file("all.jsonl", desk.out(&["export", study]));
    desk.out(&["import", "again.db", "all.jsonl"]);
    assert_eq!(desk.json(&["judges", "again.db", "--table", "runs"])["rows"], runs["rows"]);

    // Reasons stand beside labels and are found.
    let judgments = desk.judgments(study, "refinement", "gpt");
    assert!(
        judgments
            .iter()
            .all(|one| one["comment"].as_str().is_some_and(|reason| reason.starts_with("thought")))
    );
    let rows = |filter: &str| {
        let view = ["export", study, "--what", "view", "--table", "items", "--filter", filter];
        desk.out(&view).lines().count()
    };
    assert_eq!(rows("protocol=refinement reason@gpt:thought"), asked);
    assert_eq!(rows("reason@local:\"thought 1\""), rows("comment:\"thought 1\" comment@local:\"thought 1\""));
    assert_eq!(rows("comment@alice:thought"), 0);
}

#[test]
fn another_prompt_is_another_judge() {
    let desk = Desk::new();
    let study = desk.sample();
    let own = "You judge.\n---\n{examples}\n{format}\n{item}\n";
    desk.file("own.md", own);
    let first = requests(&desk, &ask(study, "gpt", &[]));
    let second = requests(&desk, &ask(study, "gpt", &["--prompt", "own.md"]));
    assert_ne!(first[0]["custom_id"], second[0]["custom_id"], "two prompts have two ids");
    let answer = json!({"custom_id": second[0]["custom_id"], "response": {"status_code": 200, "body": {
        "choices": [{"message": {"content": "{\"verdict\":\"reasonable\"}"}}]}}});
    desk.file("one.jsonl", format!("{answer}\n"));
    let mut of_first = answer.clone();
    of_first["custom_id"] = first[0]["custom_id"].clone();
    desk.file("first.jsonl", format!("{of_first}\n"));
    let (status, told) = desk.fails(&["import", study, "first.jsonl", "--as", "gpt"]);
    assert!(
        status == 1 && told.contains("another prompt, model or parameter"),
        "what was written anew counts: {told}"
    );
    desk.out(&["import", study, "one.jsonl", "--as", "gpt"]);
    let (status, told) = desk.fails(&["import", study, "first.jsonl", "--as", "gpt"]);
    assert!(status == 1 && told.contains("export such requests under a name of their own"), "{told}");
    let (status, told) = desk.fails(&ask(study, "gpt", &["--model", "other"]));
    assert!(
        status == 1 && told.contains("\"gpt\" has answered about \"refinement\" to another prompt"),
        "{told}"
    );
    assert!(told.contains("two prompts are two judges"), "{told}");
    let rest = requests(&desk, &ask(study, "gpt", &["--prompt", "own.md"]));
    assert_eq!(rest, second[1..], "the rest is asked in the same words");
    assert_eq!(requests(&desk, &ask(study, "gpt", &[])), rest, "who says nothing means it as it was");
    // A copy that asked nobody takes the answers, and says what it does not know.
    let copy = Desk::new();
    copy.sample();
    copy.file("one.jsonl", format!("{answer}\n"));
    let told = copy.out(&["import", study, "one.jsonl", "--as", "gpt"]);
    assert!(told.contains("how \"gpt\" was asked about \"refinement\" is not on record here"), "{told}");
    assert_eq!(desk.out(&["export", study, "--what", "judge-prompt", "--as", "gpt"]), own);
    let (status, told) = desk.fails(&["export", study, "--what", "judge-prompt", "--as", "nobody"]);
    assert!(status == 1 && told.contains("it is not on record how \"nobody\" was asked"), "{told}");
    for (given, sentence) in [
        (["--parameter", "seed"], "write KEY=VALUE"),
        (["--parameter", "model=x"], "--model names the model"),
        (["--examples", "nine"], "write gold:9"),
        (["--repeat", "10"], "10 is not in 1..=9"),
        (["--parameter", "temperature=hot"], "temperature takes a number from 0"),
        (["--parameter", "max_tokens=-5"], "max_tokens takes a whole number from 0"),
        (["--parameter", "response_format=scheme"], "schema, none, or an object"),
        (["--parameter", "n=3"], "a request has one answer"),
    ] {
        let (status, told) = desk.fails(&ask(study, "gpt", &given));
        assert!(status == 2 && told.contains(sentence), "{told}");
    }
    let (_, told) = desk.fails(&ask(study, "new", &["--examples", "gold:3"]));
    assert!(told.contains("of queries that are not asked about, and 3 are wanted as examples"), "{told}");
}

#[test]
fn a_judge_that_is_asked_again_is_held_against_itself() {
    let desk = Desk::new();
    let study = desk.sample();
    let again = [
        "export",
        study,
        "--what",
        "judge-requests",
        "--protocol",
        "coverage",
        "--as",
        "gpt",
        "--repeat",
        "2",
    ];
    let again = [&again[..], &["--parameter", "seed=1"]].concat();
    let asked = requests(&desk, &again);
    let items = asked.len() / 2;
    let (once, again) = asked.split_at(items);
    assert!(
        once.iter().all(|request| request["body"]["seed"] == 1)
            && again.iter().all(|request| request["body"]["seed"] == 2)
    );
    // The same but for the first item.
    let line = |(number, request): (usize, &Value)| {
        let said = match number == items {
            true => json!({"coverage": "full", "bullet": 1}),
            false => json!({"coverage": "none"}),
        };
        let body = json!({"choices": [{"message": {"content": said.to_string()}}]});
        format!(
            "{}\n",
            json!({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}})
        )
    };
    desk.file("answers.jsonl", asked.iter().enumerate().map(line).collect::<String>());
    desk.out(&["import", study, "answers.jsonl", "--as", "gpt"]);
    let table = desk.json(&["judges", study, "--protocol", "coverage", "--table", "judges"]);
    let rows = table["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["annotator"].as_str()).collect();
    assert!(
        names.contains(&"gpt") && names.contains(&"gpt with itself") && !names.contains(&"gpt #2"),
        "{names:?}"
    );
    let itself = rows.iter().find(|row| row["annotator"] == "gpt with itself").expect("a row");
    let accuracy = itself["percent_agreement"].as_f64().expect("a number");
    assert!((accuracy - (items as f64 - 1.0) / items as f64).abs() < 1e-12, "{accuracy}");
    let beside = desk.json(&[
        "judges",
        study,
        "--protocol",
        "coverage",
        "--table",
        "beside_people",
        "--margin",
        "0.5",
    ]);
    for row in beside["rows"].as_array().expect("rows") {
        let (low, high) = (row["difference_low"].as_f64(), row["difference_high"].as_f64());
        let expected = match (low, high) {
            (Some(low), _) if low > -0.5 => json!("yes"),
            (_, Some(high)) if high < -0.5 => json!("no"),
            (Some(_), Some(_)) => json!("open"),
            _ => Value::Null,
        };
        assert_eq!(row["as_good"], expected, "{row}");
    }
}

/// A judge costs by the request: no item is asked about that the filter leaves out, also not one of the same summary.
#[test]
fn a_judge_is_asked_about_the_items_of_the_filter_alone() {
    let desk = Desk::new();
    let study = desk.sample();
    let filter = "query=stress coverage=none";
    let asked = [
        "export",
        study,
        "--what",
        "judge-requests",
        "--protocol",
        "coverage",
        "--as",
        "gpt",
        "--filter",
        filter,
    ];
    let items = format!("protocol=coverage {filter}");
    let view = desk.out(&[
        "export",
        study,
        "--what",
        "view",
        "--table",
        "items",
        "--columns",
        "candidate,unit",
        "--filter",
        &items,
        "--format",
        "jsonl",
    ]);
    let all = view.lines().count();
    assert!(all > 0);
    assert_eq!(requests(&desk, &asked).len(), all);
}

#[test]
fn examples_are_of_queries_that_are_not_asked_about() {
    let desk = Desk::new();
    let study = desk.sample();
    let of_part =
        ["export", study, "--what", "judge-requests", "--protocol", "coverage", "--as", "gpt", "--filter"];
    let part = |more: &[&'static str]| [&of_part[..], more].concat();
    let all = requests(&desk, &part(&["query=stress", "--examples", "gold:3"]));
    let system = all[0]["body"]["messages"][0]["content"].as_str().expect("a text");
    let shown: Vec<&str> = system.lines().filter_map(|line| line.strip_prefix("- Query: ")).collect();
    let asked: Vec<&str> = all
        .iter()
        .map(|request| request["body"]["messages"][1]["content"].as_str().expect("a text"))
        .collect();
    assert_eq!(shown.len(), 3, "{system}");
    assert!(asked.iter().all(|asked| shown.iter().all(|shown| !asked.contains(shown))), "{shown:?}");
    // Three labels, one of each.
    let mut labels: Vec<&str> = ["full", "partial", "none"]
        .into_iter()
        .filter(|label| system.contains(&format!("\"coverage\":\"{label}\"")))
        .collect();
    labels.sort_unstable();
    assert_eq!(labels, ["full", "none", "partial"]);
    let again = requests(&desk, &part(&["query=stress"]));
    assert_eq!(all, again, "it is asked as before");
    let seeded = |seed: &'static str, judge: &'static str| {
        let arguments =
            ["export", study, "--what", "judge-requests", "--protocol", "coverage", "--as", judge];
        let arguments = [&arguments[..], &["--filter", "query=stress", "--examples", seed]].concat();
        requests(&desk, &arguments)[0]["body"]["messages"][0].clone()
    };
    assert_eq!(seeded("gold:3:1", "one"), seeded("gold:3:1", "other"));
    assert_ne!(seeded("gold:3:1", "one"), seeded("gold:3:2", "third"));
}
