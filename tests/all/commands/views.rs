//! Rows of a table with their texts, and parts of a study that a filter lets through.

use serde_json::{Value, json};

use crate::harness::{Desk, shared};

/// Two summaries of one query: alice finds the insight in the first, and not in the second.
fn study() -> Desk {
    let records = [
        json!({"type":"collection","id":"exam","domain":"talk"}),
        json!({"type":"document","collection":"exam","id":"d1","number":1,"text":"Breaks | naps."}),
        json!({"type":"query","collection":"exam","id":"stress","text":"What of stress?"}),
        json!({"type":"unit","query":"stress","id":"breaks","kind":"insight","text":"Breaks help.","documents":["d1"]}),
        json!({"type":"candidate","query":"stress","id":"c1","summarizer":"gpt-4o","text":"- Breaks [1]\n- Tea, \"hot\""}),
        json!({"type":"candidate","query":"stress","id":"c2","summarizer":"opus","text":"- Nothing"}),
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"judgment","protocol":"coverage","annotator":"alice","unit":"breaks","candidate":"c1","query":"stress",
               "answers":{"coverage":"partial","bullet":1}}),
        json!({"type":"judgment","protocol":"coverage","annotator":"alice","unit":"breaks","candidate":"c2","query":"stress",
               "answers":{"coverage":"none"}}),
    ];
    let desk = Desk::new();
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    desk.file("study.jsonl", lines.join("\n"));
    desk.out(&["import", "study.db", "study.jsonl"]);
    desk
}

const VIEW: [&str; 6] = ["export", "study.db", "--what", "view", "--table", "candidates"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    VIEW.iter().chain(more).copied().collect()
}

#[test]
fn a_view_is_written_as_jsonl() {
    let desk = study();
    let out = desk.out(&with(&["--columns", "system,joint,citation", "--sort", "-joint"]));
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // Half covered, by a bullet that cites what contains it and nothing else.
    assert_eq!(
        rows[0],
        json!({"type":"row","table":"candidates","collection":"exam","query":"stress","candidate":"c1",
               "values":{"system":"gpt-4o","joint":50.0,"citation":100.0},
               "texts":{"query":"What of stress?","candidate":"- Breaks [1]\n- Tea, \"hot\""}})
    );
    assert_eq!(
        rows[1]["values"],
        json!({"system":"opus","joint":0.0,"citation":null,"citation_undefined":"nothing_covered"})
    );
    assert_eq!(rows.len(), 2);
}

#[test]
fn a_view_is_written_as_csv_and_markdown() {
    let desk = study();
    let csv = desk.out(&with(&["--columns", "name,joint", "--filter", "breaks", "--format", "csv"]));
    assert_eq!(
        csv,
        "name,joint,query_text,candidate_text\nc1,50,What of stress?,\"'- Breaks [1]\n- Tea, \"\"hot\"\"\"\n"
    );
    let markdown = desk.out(&with(&["--columns", "joint", "--filter", "joint>0", "--format", "markdown"]));
    assert_eq!(
        markdown,
        "## stress / c1\n\n| | |\n| :--- | :--- |\n| joint | 50.0 |\n\n**query**\n\n> What of stress?  \n\n\
         **candidate**\n\n> \\- Breaks \\[1\\]  \n> \\- Tea, \"hot\"  \n"
    );
}

#[test]
fn a_view_has_the_scores_of_the_annotators_that_are_named() {
    let desk = study();
    let judge = [
        json!({"type":"annotator","id":"judge-a","kind":"model"}),
        json!({"type":"judgment","protocol":"coverage","annotator":"judge-a","unit":"breaks","candidate":"c2","query":"stress",
               "answers":{"coverage":"full","bullet":1}}),
    ];
    desk.file("judge.jsonl", judge.map(|record| record.to_string()).join("\n"));
    desk.out(&["import", "study.db", "judge.jsonl"]);
    let covered =
        |more: &[&str]| desk.out(&with(&[&["--columns", "name,coverage", "--format", "csv"], more].concat()));
    assert!(covered(&[]).contains("c1,50,") && covered(&[]).contains("c2,0,"), "{}", covered(&[]));
    let of_judge = covered(&["--annotators", "judge-a"]);
    assert!(of_judge.contains("c1,,") && of_judge.contains("c2,100,"), "{of_judge}");
    let (status, told) = desk.fails(&with(&["--annotators", "judge-b"]));
    assert_eq!((status, told.contains("did you mean judge-a?")), (1, true), "{told}");
}

#[test]
fn a_filter_chooses_among_judgments_candidates_and_gold() {
    let desk = study();
    let lines = |arguments: &[&str]| {
        let out = desk.out(arguments);
        let read = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        let kept = out.lines().map(read).filter(|record| record["type"] != "annotator");
        kept.map(|record| record["candidate"].as_str().or(record["id"].as_str()).unwrap_or("?").to_owned())
            .collect::<Vec<String>>()
    };
    let export = ["export", "study.db", "--what"];
    let chosen = |what: &[&'static str]| lines(&export.iter().chain(what).copied().collect::<Vec<&str>>());
    assert_eq!(chosen(&["judgments", "--filter", "coverage:none"]), ["c2"]);
    assert_eq!(chosen(&["judgments", "--filter", "system:gpt"]), ["c1"]);
    assert_eq!(chosen(&["candidates", "--filter", "joint<20"]), ["c2"]);
    let gold = ["gold", "--rule", "all agree or single", "--filter", "coverage:partial"];
    assert_eq!(chosen(&gold), ["c1"]);
}

#[test]
fn what_is_wrong_is_said() {
    let desk = study();
    for (arguments, status, says) in [
        (with(&["--filter", "jiont<20"]), 2, "wrong at \"jiont\": there is no field"),
        (with(&["--columns", "jiont"]), 2, "choose among query, query_line, name"),
        (vec!["export", "study.db", "--what", "view"], 2, "the view is missing"),
        (vec!["export", "study.db", "--what", "view", "--view", "worst"], 1, "there is no view \"worst\""),
        (vec!["export", "study.db", "--filter", "a"], 2, "--filter has no use for --what all"),
        (
            vec!["export", "study.db", "--what", "gold", "--format", "markdown"],
            2,
            "--format markdown has no use for --what gold",
        ),
    ] {
        let (exit, sentence) = desk.fails(&arguments);
        assert_eq!(exit, status, "{sentence}");
        assert!(sentence.contains(says), "{sentence}");
    }
}

/// Three questions of someone who looks into the published benchmark, answered by views; the numbers were counted
/// on the file itself.
#[test]
fn the_published_benchmark_answers_questions() {
    let Some(path) = shared("data/summhay/eval_benchmark_data.json") else { return };
    let desk = Desk::new();
    desk.out(&["import", "study.db", path.to_str().expect("a plain path")]);
    let view = |table: &str, more: &[&str]| -> Vec<Value> {
        let fixed = ["export", "study.db", "--what", "view", "--table", table];
        let out = desk.out(&fixed.iter().chain(more).copied().collect::<Vec<&str>>());
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    // Which system is worst at citing? For none of the 6 units that command-r-plus with the whole haystack covers
    // is anything cited, of the next system for 9 of 10. Gold documents are not in the file.
    let systems = view("systems", &["--sort", "-uncited", "--columns", "name,uncited,citation"]);
    assert_eq!(
        systems[0]["values"],
        json!({"name":"command-r-plus","uncited":100.0,"citation":null,"citation_undefined":"no_gold_documents"})
    );
    assert_eq!(systems[1]["values"]["uncited"], json!(10.0));
    // Where does GPT-4o as a judge say full and the human no? In 23 cases.
    let filter = "coverage@prompted_gpt-4o:full coverage@human:none";
    assert_eq!(view("items", &["--filter", filter]).len(), 23);
    // Which insight is most often missed? Two of them in 10 of 13 summaries, the next one in 7.
    let units = view("units", &["--sort", "-uncovered", "--columns", "uncovered,covered"]);
    let missed: Vec<(&Value, &Value)> =
        units.iter().take(3).map(|row| (&row["unit"], &row["values"]["uncovered"])).collect();
    let mut worst = [missed[0].0.as_str(), missed[1].0.as_str()];
    worst.sort_unstable();
    assert_eq!(worst, [Some("0VP9BFtlSyXm1CvTT74c7KKr"), Some("enVT9yfM5173oGVntffRJbq5")]);
    assert_eq!((missed[0].1, missed[1].1, missed[2].1), (&json!(10), &json!(10), &json!(7)));
    assert_eq!(units[0]["values"]["covered"], json!(3));
}
