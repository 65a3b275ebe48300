//! A study that is put right in the middle of the work, in six files: its numbers are those of a study that was right from
//! the beginning.

use std::fs;

use serde_json::Value;

use crate::harness::{Desk, without_names};

const WHO: &str = "--as lena --reason wrong";

impl Desk {
    /// A command with who decides and why.
    fn put_right(&self, arguments: &[&str]) -> String {
        self.out(&[arguments, &WHO.split(' ').collect::<Vec<_>>()].concat())
    }

    /// A study of these samples of which these lines alone are taken, as they come out of `of`.
    fn written(&self, study: &str, of: impl Fn(&Value, usize) -> Option<Value>) {
        for name in ["haystack", "haystack_judgments"] {
            let path = format!("{}/sample_data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
            let text = fs::read_to_string(path).expect("a sample");
            let mut lines = String::new();
            for (number, line) in text.lines().enumerate() {
                let record = serde_json::from_str(line).expect("JSON");
                if let Some(record) = of(&record, number) {
                    lines += &format!("{record}\n");
                }
            }
            let file = format!("{study}-{name}.jsonl");
            fs::write(self.folder().join(&file), lines).expect("written");
            self.out(&["import", study, &file]);
        }
    }

    /// What the study says in numbers.
    fn numbers(&self, study: &str) -> Vec<Value> {
        let json = |arguments: &[&str]| -> Value {
            let told = self.out(&[arguments, &["--format", "json"]].concat());
            serde_json::from_str(&told.replace(study, "study")).expect("JSON")
        };
        vec![
            json(&["score", study]),
            json(&["agree", study]),
            json(&["judges", study]),
            json(&["status", study]),
        ]
    }
}

/// Tables without what they say of judgments on revised texts.
fn without_revised(mut tables: Value) -> Value {
    let told = |text: &Value| text.to_string().contains("revised since");
    for table in tables.as_array_mut().expect("tables") {
        for part in ["rows", "notes"] {
            if let Some(told_of) = table[part].as_array_mut() {
                told_of.retain(|one| !told(one));
            }
        }
    }
    tables
}

fn is_of(record: &Value, query: &str) -> bool {
    record["query"] == query || (record["type"] == "query" && record["id"] == query)
}

#[test]
fn a_query_and_a_name_are_put_right_in_six_files() {
    let desk = Desk::new();
    // What should have been: no query `stress`, and nobody called alcie.
    desk.written("right.db", |record, _| (!is_of(record, "stress")).then(|| record.clone()));
    // What was: alice typed her name wrong for a half of her judgments, and everyone works at home.
    let typed = |record: &Value, number: usize, name: &str| {
        let mut record = record.clone();
        if record["annotator"] == "alice" && number.is_multiple_of(2) {
            record["annotator"] = "alcie".into();
        }
        let is_corpus = record["type"] != "judgment" && record["type"] != "annotator";
        (is_corpus || record["annotator"] == name || record["id"] == name).then_some(record)
    };
    let people = ["alice", "alcie", "bora", "judge-small"];
    for name in people {
        let file = format!("{name}.db");
        desk.written(&file, |record, number| {
            let named = record["id"] == "alice" && name == "alcie" && record["type"] == "annotator";
            if named {
                return Some(serde_json::json!({"type":"annotator","id":"alcie","kind":"human"}));
            }
            typed(record, number, name)
        });
    }
    desk.written("study.db", |record, number| typed(record, number, "nobody"));
    desk.out(&["merge", "study.db", "alice.db", "alcie.db"]);
    let tried = desk.put_right(&["withdraw", "study.db", "query", "stress", "--dry-run"]);
    assert_eq!(tried, "query stress would be withdrawn: 25 judgments count, 30 fewer\n");
    desk.put_right(&["withdraw", "study.db", "query", "stress"]);
    let joined = desk.put_right(&["people", "study.db", "--join", "alcie", "--into", "alice"]);
    assert!(joined.contains("alcie is joined to alice: 25 judgments count as before"), "{joined}");
    // The others come later, and one brings the news home by a sync.
    desk.out(&["merge", "study.db", "bora.db"]);
    desk.out(&["sync", "judge-small.db", "study.db"]);
    desk.out(&["merge", "alcie.db", "judge-small.db"]);
    for study in ["study.db", "judge-small.db", "alcie.db"] {
        let told = desk.out(&["check", study]);
        assert!(told.contains("Nothing is wrong."), "{told}");
    }
    assert_eq!(desk.numbers("study.db"), desk.numbers("alcie.db"));
    // A study that was right from the beginning has the same numbers.
    let (study, right) = (desk.numbers("study.db"), desk.numbers("right.db"));
    for (place, (one, other)) in study.iter().zip(&right).enumerate() {
        assert_eq!(one, other, "table {place}");
    }
    let exported = |study: &str| {
        let told = without_names(&desk.out(&["export", study]));
        let is_wrong = |line: &&str| line.contains("\"amendment\"") || line.contains("alcie");
        let mut lines: Vec<String> = told.lines().filter(|line| !is_wrong(line)).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(exported("study.db"), exported("right.db"));
    let listed = desk.out(&["withdraw", "alcie.db"]);
    for part in ["exam / stress", "alcie → alice", "lena", "wrong"] {
        assert!(listed.contains(part), "{listed}");
    }
    // The page says so without names; the datasheet counts.
    desk.out(&["report", "study.db", "-o", "page.html"]);
    let page = fs::read_to_string(desk.folder().join("page.html")).expect("written");
    assert!(
        page.contains("Put right") && page.contains("exam / stress") && !page.contains("alcie"),
        "the page"
    );
}

#[test]
fn a_summary_and_a_document_get_other_texts_in_the_middle_of_the_work() {
    let desk = Desk::new();
    let is_it = |record: &Value| record["type"] == "candidate" && record["id"] == "stress-1";
    let is_document = |record: &Value| record["type"] == "document" && record["id"] == "d1";
    let new = |record: &Value| {
        let mut new = record.clone();
        if is_it(record) {
            new["text"] = "- They sleep less. [1]".into();
        }
        if is_document(record) {
            new["text"] = format!("{} They laugh.", record["text"].as_str().expect("a text")).into();
        }
        new
    };
    let is_of_it = |record: &Value| record["candidate"] == "stress-1";
    // What should have been, and what was: everyone works at home.
    desk.written("right.db", |record, _| (!is_of_it(record)).then(|| new(record)));
    let mut given = 0;
    for name in ["alice", "bora", "judge-small"] {
        desk.written(&format!("{name}.db"), |record, _| {
            let is_hers = record["annotator"] == name || record["id"] == name;
            let is_corpus = record["type"] != "judgment" && record["type"] != "annotator";
            (is_corpus || is_hers).then(|| record.clone())
        });
    }
    let mut records = String::new();
    for name in ["haystack", "haystack_judgments"] {
        let path = format!("{}/sample_data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        for line in fs::read_to_string(path).expect("a sample").lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            given += usize::from(record["annotator"] == "alice" && is_of_it(&record));
            if is_it(&record) || is_document(&record) {
                records += &format!("{}\n", new(&record));
            }
        }
    }
    fs::write(desk.folder().join("new.jsonl"), &records).expect("written");
    let tried = desk.put_right(&["revise", "alice.db", "new.jsonl", "--dry-run"]);
    assert!(tried.contains("document exam / d1\n  text: {+They laugh.+}\n"), "{tried}");
    // Counted in the sample: kidney-first and calendar of the query planning, with five summaries each.
    let stands = "\n  10 judgments under coverage of 2 units that rest on it stand: look at them again\n";
    assert!(tried.contains(stands), "{tried}");
    assert!(tried.contains("candidate exam / stress / stress-1\n  text: ["), "{tried}");
    assert!(tried.contains("what 2 records say would be revised: "), "{tried}");
    assert!(given > 0 && tried.contains(&format!(" {given} fewer")), "{given}: {tried}");
    desk.put_right(&["revise", "alice.db", "new.jsonl"]);
    let again = desk.put_right(&["revise", "alice.db", "new.jsonl"]);
    assert!(again.starts_with("nothing is revised: 2 records"), "{again}");
    // The others hold the old text, and go on merging.
    desk.out(&["merge", "bora.db", "judge-small.db"]);
    desk.out(&["sync", "bora.db", "alice.db"]);
    desk.out(&["merge", "judge-small.db", "alice.db"]);
    for study in ["alice.db", "bora.db", "judge-small.db"] {
        let told = desk.out(&["check", study]);
        assert!(told.contains("Nothing is wrong."), "{told}");
        // Only these say that something was revised.
        let numbers = desk.numbers(study).into_iter().map(without_revised);
        assert_eq!(numbers.collect::<Vec<_>>()[..2], desk.numbers("right.db")[..2], "{study}");
    }
    assert!(desk.out(&["withdraw", "bora.db"]).contains("revised"));
    // Taken back, everything counts again.
    let back = desk.put_right(&["revise", "bora.db", "new.jsonl", "--restore"]);
    assert!(back.contains("what 2 records say is taken back: "), "{back}");
    desk.out(&["merge", "alice.db", "bora.db"]);
    desk.samples("first.db", &["haystack", "haystack_judgments"]);
    assert_eq!(desk.numbers("alice.db")[..2], desk.numbers("first.db")[..2]);
}

#[test]
fn what_cannot_be_revised_is_said_with_its_line() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let before = desk.bytes("study.db");
    for (record, sentence) in [
        (
            r#"{"type":"query","collection":"exam","id":"nope","text":"?"}"#,
            "query \"nope\" is not in the study",
        ),
        (r#"{"type":"query","collection":"exam","id":"stress"}"#, "\"text\" is missing"),
        (
            r#"{"type":"document","collection":"exam","id":"d1","number":9,"text":"x"}"#,
            "document \"d1\" has number 1 in the study, not 9",
        ),
        (
            r#"{"type":"ranking","collection":"exam","query":"stress","retriever":"oracle","documents":[]}"#,
            "a record of the type \"ranking\" cannot be revised",
        ),
        (
            r#"{"type":"unit","collection":"exam","query":"stress","id":"pomodoro","kind":"insight","text":"x","documents":["d99"]}"#,
            "document \"d99\" of collection \"exam\" is not in the study",
        ),
    ] {
        fs::write(desk.folder().join("new.jsonl"), format!("\n{record}\n")).expect("written");
        let refused = desk.run(&["revise", "study.db", "new.jsonl", "--as", "lena", "--reason", "x"]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(sentence), "{record}: {told}");
        assert!(told.contains("new.jsonl:2") || told.contains("line 2"), "{told}");
    }
    assert_eq!(desk.bytes("study.db"), before);
}

#[test]
fn who_wrote_a_session_may_be_joined_and_a_snapshot_revised() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments", "sessions"]);
    let is_right = |study: &str| {
        let told = desk.out(&["check", study]);
        assert!(told.contains("Nothing is wrong."), "{told}");
    };
    desk.put_right(&["people", "study.db", "--join", "jonas", "--into", "mira"]);
    is_right("study.db");
    let snapshots: String = desk
        .out(&["export", "study.db", "--what", "corpus"])
        .lines()
        .filter(|line| line.contains("human:jonas"))
        .map(|line| line.replacen("\"text\":\"- ", "\"text\":\"- So ", 1) + "\n")
        .collect();
    desk.file("right.jsonl", snapshots);
    desk.put_right(&["revise", "study.db", "right.jsonl"]);
    is_right("study.db");
    let export = desk.out(&["export", "study.db"]);
    desk.file("export.jsonl", &export);
    desk.out(&["import", "second.db", "export.jsonl"]);
    is_right("second.db");
    assert_eq!(desk.out(&["export", "second.db"]), export);
    assert!(desk.out(&["import", "study.db", "export.jsonl"]).contains("nothing new"));
}

#[test]
fn what_is_put_right_needs_who_and_why() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.file("ben.jsonl", "{\"type\":\"annotator\",\"id\":\"ben\",\"kind\":\"human\"}\n");
    desk.out(&["import", "study.db", "ben.jsonl"]);
    desk.put_right(&["people", "study.db", "--leave-out", "ben"]);
    desk.put_right(&["withdraw", "study.db", "unit", "pomodoro", "--query", "stress"]);
    desk.put_right(&["withdraw", "study.db", "unit", "pomodoro", "--query", "stress", "--restore"]);
    let before = desk.bytes("study.db");
    for (arguments, sentence) in [
        (&["withdraw", "study.db", "query", "stress"][..], "--as"),
        (&["withdraw", "study.db", "query", "stress", "--as", "lena"], "--reason"),
        (
            &["withdraw", "study.db", "unit", "pomodoro", "--as", "lena", "--reason", "x"],
            "a unit needs --query ID",
        ),
        (
            &["withdraw", "study.db", "query", "nope", "--as", "lena", "--reason", "x"],
            "query \"nope\" is not in the study",
        ),
        (
            &["withdraw", "study.db", "import", "nope", "--as", "lena", "--reason", "x"],
            "imported were haystack_judgments.jsonl",
        ),
        (&["people", "study.db", "--join", "bora", "--as", "lena", "--reason", "x"], "--into"),
        (&["people", "study.db", "--leave-out", "bora", "--as", " ", "--reason", "x"], "--as NAME is needed"),
        (
            &["people", "study.db", "--rename", "alice", "--into", "ben", "--as", "lena", "--reason", "x"],
            "--take-back ben lets it stand for itself again",
        ),
        (
            &["people", "study.db", "--rename", "bora", "--into", "alice", "--as", "lena", "--reason", "x"],
            "--join makes two names one person",
        ),
    ] {
        let refused = desk.run(arguments);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(sentence), "{arguments:?}: {told}");
    }
    assert_eq!(desk.bytes("study.db"), before);
    let listed = desk.out(&["withdraw", "study.db"]);
    assert!(listed.contains("left out") && !listed.contains("pomodoro"), "{listed}");
    // Left out, she is nowhere, and may not go on.
    desk.put_right(&["people", "study.db", "--leave-out", "bora"]);
    let judged = |desk: &Desk| desk.out(&["export", "study.db", "--what", "judgments", "--names"]);
    assert!(!judged(&desk).contains("bora"));
    assert!(desk.out(&["people", "study.db"]).contains("left out"));
    desk.put_right(&["people", "study.db", "--take-back", "bora"]);
    assert!(judged(&desk).contains("bora"));
}

/// A file whose judgments were taken back says so when it comes in again, and what lets them count.
#[test]
fn a_withdrawn_import_that_comes_in_again_says_what_brings_it_back() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let judged = |desk: &Desk| desk.out(&["export", "study.db", "--what", "judgments"]).lines().count();
    let before = judged(&desk);
    desk.put_right(&["withdraw", "study.db", "import", "haystack_judgments.jsonl"]);
    let after = judged(&desk);
    assert!(after < before);
    let path = format!("{}/sample_data/haystack_judgments.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::copy(path, desk.path("again.jsonl")).expect("copied");
    let told = desk.out(&["import", "study.db", "again.jsonl"]);
    assert!(told.contains("nothing new"), "{told}");
    let withdrawn = "withdrawn, and counted nowhere: import haystack_judgments.jsonl (by lena: wrong); `haymark withdraw STUDY` says when";
    let restores = "`haymark withdraw STUDY KIND ID --restore --as NAME --reason TEXT` lets it count again";
    assert!(told.contains(withdrawn) && told.contains(restores), "{told}");
    assert_eq!(judged(&desk), after);
    desk.put_right(&["withdraw", "study.db", "import", "haystack_judgments.jsonl", "--restore"]);
    assert_eq!(judged(&desk), before);
    assert!(!desk.out(&["import", "study.db", "again.jsonl"]).contains("withdrawn"));
}

/// What two files have is one judgment: taken back, brought by another file and restored, it is paid as before.
#[test]
fn an_import_that_came_in_twice_is_paid_once() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let pay = |desk: &Desk| {
        let told =
            desk.out(&["status", "study.db", "--protocol", "coverage", "--pay", "25/h", "--format", "json"]);
        let tables: Vec<Value> = serde_json::from_str(&told).expect("tables");
        let rows = tables.iter().flat_map(|table| table["rows"].as_array().expect("rows").clone());
        let paid = rows
            .filter_map(|row| Some((row["annotator"].as_str()?.to_owned(), row["pay"].as_str()?.to_owned())));
        paid.collect::<Vec<_>>()
    };
    let before = pay(&desk);
    assert!(before.len() >= 2, "{before:?}");
    let path = format!("{}/sample_data/haystack_judgments.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = fs::read_to_string(path).expect("a sample");
    desk.put_right(&["withdraw", "study.db", "import", "haystack_judgments.jsonl"]);
    fs::write(desk.path("again.jsonl"), lines + "\n").expect("written");
    desk.out(&["import", "study.db", "again.jsonl"]);
    assert_eq!(pay(&desk), before);
    desk.put_right(&["withdraw", "study.db", "import", "haystack_judgments.jsonl", "--restore"]);
    assert_eq!(pay(&desk), before);
}

/// What another file says too counts on, whole, whichever file came first and whichever goes.
#[test]
fn a_withdrawn_import_takes_its_own_judgments_alone() {
    let path = format!("{}/sample_data/haystack_judgments.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = fs::read_to_string(path).expect("a sample");
    let first: String = lines.lines().take(13).map(|line| format!("{line}\n")).collect();
    // A week later alice says "partial" where she said "full", and the same of the others.
    let second = first
        .replace("\"coverage\":\"full\"", "\"coverage\":\"partial\"")
        .replace("2026-01-05", "2026-01-12");
    assert_ne!(first.replace("2026-01-05", "2026-01-12"), second);
    let copy = format!("{first}\n");
    for (one, other) in [(&first, &second), (&second, &first), (&first, &copy)] {
        for goes in ["one.jsonl", "other.jsonl"] {
            let desk = Desk::new();
            desk.samples("study.db", &["haystack"]);
            desk.file("one.jsonl", one);
            desk.file("other.jsonl", other);
            desk.out(&["import", "study.db", "one.jsonl"]);
            desk.out(&["import", "study.db", "other.jsonl"]);
            assert!(desk.out(&["import", "study.db", "other.jsonl"]).contains("nothing new"));
            desk.put_right(&["withdraw", "study.db", "import", goes]);
            let stays = if goes == "one.jsonl" { "other.jsonl" } else { "one.jsonl" };
            desk.samples("alone.db", &["haystack"]);
            desk.out(&["import", "alone.db", stays]);
            let counts = |study: &str| desk.out(&["export", study, "--what", "judgments", "--with-text"]);
            assert_eq!(counts("study.db"), counts("alone.db"), "{goes} goes");
            assert!(desk.out(&["check", "study.db"]).contains("Nothing is wrong"));
        }
    }
}

#[test]
fn a_record_is_named_by_one_id_where_that_is_enough_and_when_it_comes_in_again() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack"]);
    desk.put_right(&["withdraw", "study.db", "document", "d1"]);
    let again = desk.samples("study.db", &["haystack"]);
    assert!(
        again.contains("withdrawn, and counted nowhere: document d1; `haymark withdraw STUDY`"),
        "{again}"
    );
    desk.put_right(&["withdraw", "study.db", "document", "d1", "--erase"]);
    let again = desk.samples("study.db", &["haystack"]);
    assert!(again.contains("erased for good, and staying out: document d1; `haymark withdraw"), "{again}");
    assert!(!again.contains("--restore"), "{again}");
    let mut others = [desk.exported("collection").remove(0), desk.exported("document").remove(1)];
    (others[0]["id"], others[1]["collection"]) = ("other".into(), "other".into());
    desk.import("other.jsonl", &others);
    let withdraw = ["withdraw", "study.db", "document", "d2", "--as", "lena", "--reason", "x"];
    let told = "several collections have a document \"d2\"; say which with --collection: exam, other";
    assert!(desk.fails(&withdraw).1.contains(told));
    let tried = ["withdraw", "study.db", "query", "stress", "--erase", "--dry-run"];
    assert!(desk.put_right(&tried).contains("query stress would be erased for good"));
}

/// A study of one summary, and bob's judgment of it.
const BRIDGE: &str = r#"{"type":"collection","id":"k"}
{"type":"document","collection":"k","id":"d","number":1,"text":"The bridge closes."}
{"type":"query","collection":"k","id":"q","text":"What?"}
{"type":"unit","collection":"k","query":"q","id":"u","kind":"insight","text":"It closes.","documents":["d"]}
{"type":"candidate","collection":"k","query":"q","id":"c","summarizer":"s","text":"- It closes [1]."}
{"type":"annotator","id":"bob","kind":"human"}
"#;

impl Desk {
    /// A file with bob's judgment of the bridge, for ten seconds; `at` is a time or none.
    fn bob_judged(&self, file: &str, coverage: &str, at: &str) {
        let mut judgment = serde_json::json!({
            "type": "judgment", "protocol": "coverage", "annotator": "bob", "collection": "k", "query": "q", "unit": "u",
            "candidate": "c", "answers": {"coverage": coverage}, "seconds": 10
        });
        if coverage != "none" {
            judgment["answers"]["bullet"] = 1.into();
        }
        if !at.is_empty() {
            judgment["at"] = at.into();
        }
        self.file(file, format!("{judgment}\n"));
    }

    /// What counts of the judgments of a study: who said what, and in how many seconds.
    fn counting(&self, study: &str) -> Vec<(String, String, f64)> {
        let lines = self.out(&["export", study, "--what", "judgments", "--names", "--format", "jsonl"]);
        let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let rows = rows.filter(|row| row["type"] == "judgment");
        rows.map(|row| {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (
                word(&row["annotator"]),
                word(&row["answers"]["coverage"]),
                row["seconds"].as_f64().unwrap_or(0.0),
            )
        })
        .collect()
    }
}

fn said(who: &str, coverage: &str, seconds: f64) -> Vec<(String, String, f64)> {
    vec![(who.to_owned(), coverage.to_owned(), seconds)]
}

/// Of two answers of one time from two files, nobody knows the later one: it is asked for, and the way to replace a file is told.
#[test]
fn a_correction_of_the_same_time_is_refused_until_the_file_that_it_corrects_is_taken_out() {
    for at in ["", "2026-01-05T09:30:00Z"] {
        for corrected in ["partial", "full"] {
            let desk = Desk::new();
            desk.file("base.jsonl", BRIDGE);
            desk.bob_judged("j.jsonl", "none", at);
            desk.out(&["import", "a.db", "base.jsonl", "j.jsonl"]);
            desk.bob_judged("j.jsonl", corrected, at);
            let (status, error) = desk.fails(&["import", "a.db", "j.jsonl"]);
            assert_eq!(status, 1);
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(error.contains("nobody knows which one counts"), "{error}");
            assert!(error.contains("haymark withdraw STUDY import j.jsonl"), "{error}");
            desk.put_right(&["withdraw", "a.db", "import", "j.jsonl"]);
            desk.out(&["import", "a.db", "j.jsonl"]);
            assert_eq!(desk.counting("a.db"), said("bob", corrected, 10.0));
            desk.out(&["import", "a.db", "j.jsonl"]);
            assert_eq!(desk.counting("a.db"), said("bob", corrected, 10.0));
            // Both files have one name: each goes by its fingerprint.
            let (_, error) = desk.fails(
                &[&["withdraw", "a.db", "import", "j.jsonl"], &WHO.split(' ').collect::<Vec<_>>()[..]]
                    .concat(),
            );
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
            let names = error.split_once("by its fingerprint: ").expect("fingerprints").1;
            let [_, second] = names.split(", ").collect::<Vec<_>>()[..] else { panic!("{error}") };
            let second = second.split(' ').next().expect("a fingerprint");
            desk.put_right(&["withdraw", "a.db", "import", second]);
            assert_eq!(desk.counting("a.db"), []);
            desk.put_right(&["withdraw", "a.db", "import", second, "--restore"]);
            assert_eq!(desk.counting("a.db"), said("bob", corrected, 10.0));
        }
    }
}

/// A file of labels comes into a study before a text is revised, and into another one afterwards.
#[test]
fn a_revision_comes_between_two_imports_of_one_file() {
    for (at, after) in [("2026-01-05T09:30:00Z", vec![]), ("", said("bob", "none", 10.0))] {
        let desk = Desk::new();
        desk.file("base.jsonl", BRIDGE);
        let right = BRIDGE.lines().find(|line| line.contains("candidate")).expect("a summary");
        desk.file("right.jsonl", right.replace("closes", "shuts"));
        desk.bob_judged("j.jsonl", "none", at);
        for study in ["a.db", "b.db"] {
            desk.out(&["import", study, "base.jsonl"]);
        }
        desk.put_right(&["revise", "a.db", "right.jsonl"]);
        for study in ["a.db", "b.db"] {
            desk.out(&["import", study, "j.jsonl"]);
        }
        // What was judged before the revision is no judgment of the new text.
        assert_eq!(desk.counting("a.db").len(), after.len());
        desk.out(&["merge", "a.db", "b.db"]);
        desk.out(&["merge", "b.db", "a.db"]);
        assert_eq!(desk.counting("a.db"), after);
        assert_eq!(desk.counting("b.db"), after);
        let again = desk.out(&["import", "a.db", "j.jsonl"]);
        assert!(again.contains("nothing new"), "{again}");
        // A label that is given on the new text counts, also where it is the same; all of the file goes with the file.
        let label = if after.is_empty() { "none" } else { "full" };
        desk.bob_judged("later.jsonl", label, "2099-12-01T10:00:00Z");
        desk.out(&["import", "a.db", "later.jsonl"]);
        assert_eq!(desk.counting("a.db").len(), 1);
        desk.put_right(&["withdraw", "a.db", "import", "later.jsonl"]);
        desk.put_right(&["withdraw", "a.db", "import", "j.jsonl"]);
        assert_eq!(desk.counting("a.db"), []);
    }
}

/// The lines of an export sum up its journal, whoever the names stand for in the study that takes it.
#[test]
fn an_export_comes_into_a_study_that_renamed_otherwise() {
    let desk = Desk::new();
    desk.file("base.jsonl", BRIDGE);
    desk.bob_judged("j.jsonl", "none", "2026-01-05T09:30:00Z");
    for study in ["a.db", "b.db"] {
        desk.out(&["import", study, "base.jsonl", "j.jsonl"]);
    }
    desk.put_right(&["people", "a.db", "--rename", "bob", "--into", "yan"]);
    desk.put_right(&["people", "b.db", "--rename", "bob", "--into", "zoe"]);
    desk.file("b.jsonl", desk.out(&["export", "b.db"]));
    desk.out(&["import", "a.db", "b.jsonl"]);
    assert_eq!(desk.counting("a.db").len(), 1, "{:?}", desk.counting("a.db"));
    desk.put_right(&["people", "b.db", "--take-back", "bob"]);
    desk.out(&["import", "b.db", "b.jsonl"]);
    assert_eq!(desk.counting("b.db"), said("bob", "none", 10.0));
}

/// The history says of an answer to a text that was revised since that it does not count.
#[test]
fn an_answer_on_a_revised_text_is_stale_in_the_history() {
    let desk = Desk::new();
    desk.file("base.jsonl", BRIDGE);
    desk.bob_judged("j.jsonl", "none", "2026-01-05T09:30:00Z");
    desk.out(&["import", "a.db", "base.jsonl", "j.jsonl"]);
    let right = BRIDGE.lines().find(|line| line.contains("candidate")).expect("a summary");
    desk.file("right.jsonl", right.replace("closes", "shuts"));
    desk.put_right(&["revise", "a.db", "right.jsonl"]);
    let past = desk.out(&["export", "a.db", "--what", "judgments", "--history", "--format", "jsonl"]);
    assert!(past.contains(r#""state":"stale""#) && !past.contains(r#""state":"counts""#), "{past}");
    // Nor do scores say that nobody judged it, or pass over it.
    let score = ["score", "a.db", "--protocol", "coverage", "--table", "scores"];
    let (_, told) = desk.fails(&score);
    assert!(told.contains("texts that were revised since: 1") && told.contains("--all-versions"), "{told}");
    assert_eq!(desk.json(&[&score[..], &["--all-versions"]].concat())["rows"][0]["judgments"], 1);
    let second = right.replace("\"id\":\"c\"", "\"id\":\"c2\"");
    let judged = String::from_utf8(desk.bytes("j.jsonl")).expect("UTF-8").replace("\"c\"", "\"c2\"");
    desk.file("second.jsonl", format!("{second}\n{judged}"));
    desk.out(&["import", "a.db", "second.jsonl"]);
    let notes = desk.json(&score)["notes"].to_string();
    assert!(
        notes.contains("texts that were revised since (--all-versions counts them), in no number: 1"),
        "{notes}"
    );
}
