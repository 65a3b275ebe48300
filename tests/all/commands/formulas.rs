//! CSV that a spreadsheet opens without running what people and models wrote.

use serde_json::{Value, json};

use crate::harness::Desk;

/// A study whose names and texts are formulas.
fn study() -> Desk {
    let mut records = vec![
        json!({"type":"collection","id":"=c","domain":"@domain"}),
        json!({"type":"document","collection":"=c","id":"-d","number":1,"text":"=1+2"}),
        json!({"type":"query","collection":"=c","id":"+q","text":"=HYPERLINK(\"http://x\",\"?\")"}),
        json!({"type":"unit","query":"+q","id":"@u","kind":"insight","text":"-1 is no sum","documents":["-d"]}),
    ];
    for (id, system) in [("c1", "=model"), ("c2", "-3.5")] {
        records.push(json!({"type":"candidate","query":"+q","id":id,"summarizer":system,"text":"- First [1]\n- Second"}));
    }
    for (name, answer) in [("=cmd|' /C calc'!A0", "none"), ("'@bob", "full")] {
        records.push(json!({"type":"annotator","id":name,"kind":"human"}));
        for (candidate, answer) in [("c1", answer), ("c2", "none")] {
            let answers = match answer {
                "full" => json!({"coverage":"full","bullet":1}),
                answer => json!({"coverage":answer}),
            };
            records.push(
                json!({"type":"judgment","protocol":"coverage","annotator":name,"query":"+q","unit":"@u",
                "candidate":candidate,"answers":answers,"comment":"@note"}),
            );
        }
    }
    let desk = Desk::new();
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    desk.file("study.jsonl", lines.join("\n"));
    desk.out(&["import", "study.db", "study.jsonl"]);
    desk
}

/// The cells of all rows, the header's first.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn would_run(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

#[test]
fn no_csv_holds_a_cell_that_a_spreadsheet_runs() {
    let desk = study();
    for arguments in [
        "score study.db --by system,query,collection,annotator",
        "score study.db --spot-check 100%",
        "agree study.db",
        "status study.db",
        "check study.db",
        "check-sample study.db --share 100%",
        "export study.db --what judgments --names --with-text",
        "export study.db --what judgments --history --names --with-text",
        "export study.db --what candidates --with-text",
        "export study.db --what ratings --question coverage --names",
        "export study.db --what gold --with-unresolved --names",
        "export study.db --what view --table items --columns query,system,coverage --names",
    ] {
        let mut arguments: Vec<&str> = arguments.split(' ').chain(["--format", "csv"]).collect();
        let shielded = cells(&desk.out(&arguments));
        arguments.push("--raw");
        let raw = cells(&desk.out(&arguments));
        assert_eq!(raw.len(), shielded.len());
        for (raw, shielded) in raw.iter().flatten().zip(shielded.iter().flatten()) {
            assert!(!would_run(shielded), "{arguments:?}: {shielded}");
            // What looks as if it had been made safe is told apart from what was.
            let changes = would_run(raw) || raw.starts_with("'@");
            assert_eq!(*shielded, if changes { format!("'{raw}") } else { raw.clone() }, "{arguments:?}");
        }
    }
    let shown = desk.out(&["score", "study.db", "--by", "system", "--format", "csv"]);
    assert!(shown.contains("\n'=model,") && shown.contains("\n-3.5,"), "{shown}");
    let (code, told) = desk.fails(&["export", "study.db", "--raw"]);
    assert_eq!((code, told.as_str()), (2, "error: --raw has no use here; it is for --format csv\n"));
}

#[test]
fn ratings_are_read_again_as_they_were() {
    let desk = study();
    for raw in [&[][..], &["--raw"]] {
        let export = [
            "export",
            "study.db",
            "--what",
            "ratings",
            "--question",
            "coverage",
            "--names",
            "--format",
            "csv",
        ];
        let arguments: Vec<&str> = export.iter().chain(raw).copied().collect();
        desk.file("ratings.csv", desk.out(&arguments));
        let mut found = Vec::new();
        for source in ["ratings.csv", "study.db"] {
            found.push(desk.agreement(&["agree", source, "--resamples", "0"])["annotators"].clone());
        }
        if raw.is_empty() {
            assert_eq!(found[0], found[1]);
            assert!(found[0].to_string().contains("'@bob"), "{}", found[0]);
        }
    }
    // Texts as they are stay so in JSON, whatever they begin with.
    let told = desk.out(&["export", "study.db", "--what", "candidates", "--with-text"]);
    assert!(told.contains("\"text\":\"- First [1]"), "{told}");
}
