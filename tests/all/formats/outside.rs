//! Files of other programs, as a shell brings them into a study by maps.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries, project, shared};

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
        fs::remove_file(self.path("second.db")).expect("there");
    }
}

/// The arguments of each sample of `../shared/maps`, by the name of what is expected of it.
const EXPECTED: [(&str, &[&str]); 35] = [
    ("ragas_two_systems", &["ragas_bm25.jsonl", "ragas_dense.jsonl"]),
    ("ragas_csv", &["ragas_bm25.csv"]),
    ("ragas_old", &["ragas_old.json"]),
    ("ragas_numpy", &["ragas_numpy.csv"]),
    ("trec_answers", &["--texts", "trec_corpus.jsonl", "trec_answers_2024.jsonl", "trec_answers_2025.jsonl"]),
    ("trec_answers_bare", &["trec_answers_2024.jsonl"]),
    ("trec_run", &["--texts", "trec_corpus.jsonl", "trec_topics.tsv", "trec_run.txt", "trec_qrels.txt"]),
    ("trec_narratives", &["trec_narratives.jsonl"]),
    ("retrieved", &["retrieved_bm25.jsonl"]),
    ("nuggets", &["nuggets.jsonl", "nuggets_assigned.jsonl"]),
    ("alce", &["alce.json"]),
    ("factscore", &["factscore_mill.jsonl"]),
    ("ragchecker", &["ragchecker_mill.json"]),
    ("ragchecker_inputs", &["ragchecker_inputs.json"]),
    ("ragchecker_people", &["ragchecker_people.json"]),
    ("hotpot", &["hotpot.json"]),
    ("kilt", &["--texts", "kilt_corpus.jsonl", "kilt.jsonl"]),
    ("dpr", &["dpr_contriever.json"]),
    ("recomp", &["recomp_contriever.jsonl"]),
    ("crud", &["crud_results.json", "crud_questions.json"]),
    ("crud_questions", &["crud_questions.json"]),
    ("langsmith_csv", &["langsmith_mill.csv"]),
    ("langsmith_jsonl", &["langsmith_mill.jsonl"]),
    ("langfuse", &["langfuse.json"]),
    ("langfuse_csv", &["langfuse.csv"]),
    ("promptfoo", &["promptfoo.json"]),
    ("labelstudio", &["labelstudio.json"]),
    ("labelstudio_flat", &["labelstudio_flat.csv"]),
    ("labelstudio_min", &["labelstudio_min.json"]),
    ("potato", &["potato_texts.csv", "potato.csv", "potato_state.json"]),
    ("lab_wide", &["lab_wide.csv"]),
    ("lab_wide_tsv", &["lab_wide.tsv"]),
    ("lab_long", &["lab_long.csv"]),
    ("lab_ratings", &["lab_ratings.csv"]),
    ("flags", &["--map", FLAGS, "ragas_bm25.jsonl"]),
];

const FLAGS: &str =
    "question=user_input,documents=retrieved_contexts,answer=response,system=@file,retriever=@file";

/// Samples that are only seen to be wrong behind another file.
const BEHIND: [(&str, &str); 3] = [
    ("bad_trec_run", "trec_topics.tsv"),
    ("bad_trec_qrels", "trec_topics.tsv"),
    ("bad_potato", "potato_texts.csv"),
];

/// A record whose numbers are compared by their values. A judgment without what an export says besides, and one that was skipped
/// without its time, which a study does not keep.
fn comparable(mut record: Value) -> String {
    fn plain(value: &mut Value) {
        match value {
            Value::Number(number) => *value = json!(number.as_f64()),
            Value::Array(elements) => elements.iter_mut().for_each(plain),
            Value::Object(fields) => fields.values_mut().for_each(plain),
            _ => {}
        }
    }
    plain(&mut record);
    let fields = record.as_object_mut().expect("a record");
    if fields["type"] == "judgment" {
        fields.retain(|name, _| !["sum", "version", "complete"].contains(&name.as_str()));
    }
    if fields.contains_key("skipped") {
        fields.remove("at");
    }
    let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
    serde_json::to_string(&sorted).expect("JSON")
}

/// The records of JSONL by their types, in their order; judgments, which an export has in the order of their items, in that of
/// their texts.
fn by_type(jsonl: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in jsonl.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let name = record["type"].as_str().expect("a type").to_owned();
        found.entry(name).or_default().push(comparable(record));
    }
    found.entry("judgment".to_owned()).or_default().sort_unstable();
    found
}

/// Takes the titles of documents away.
fn untitled(records: &mut BTreeMap<String, Vec<String>>) {
    for document in records.get_mut("document").expect("documents") {
        let mut record: Value = serde_json::from_str(document).expect("a record");
        record.as_object_mut().expect("a record").remove("title");
        *document = comparable(record);
    }
}

fn samples() -> Option<PathBuf> {
    shared("maps/samples")
}

/// The arguments of an import of samples into a study.
fn import_of(samples: &Path, arguments: &[&str]) -> Vec<String> {
    let path = |name: &str| samples.join(name).to_str().expect("UTF-8").to_owned();
    let whole = |argument: &&str| {
        if argument.contains('=') || argument.starts_with("--") {
            (*argument).to_owned()
        } else {
            path(argument)
        }
    };
    ["import".to_owned(), "study.db".to_owned()].into_iter().chain(arguments.iter().map(whole)).collect()
}

#[test]
fn every_sample_becomes_its_expected_records() {
    let Some(samples) = samples() else { return };
    for (name, arguments) in EXPECTED {
        let desk = Desk::new();
        let import = import_of(&samples, arguments);
        desk.out(&import);
        let export = desk.out(&["export", "study.db"]);
        let expected = fs::read_to_string(samples.join(format!("../expected/{name}.jsonl"))).expect("there");
        let mut found = by_type(&export);
        let mut expected = by_type(&expected);
        if name == "ragchecker" {
            // The sample has the verdicts on the one list of claims beside the other; `verdicts_of_ragchecker…` has them right.
            expected.remove("judgment");
        }
        if arguments.contains(&"--texts") {
            // The samples are from before titles came with the texts; `texts_of_a_corpus…` has them.
            [&mut found, &mut expected].into_iter().for_each(untitled);
        }
        found.retain(|kind, _| expected.contains_key(kind));
        if name == "ragchecker" || name == "ragchecker_inputs" {
            // Two such files would cite each other's documents by these numbers: the answers cite their lists.
            let candidates = found.get_mut("candidate").expect("answers");
            candidates.iter_mut().for_each(|one| *one = one.replacen(r#""cites":"list","#, "", 1));
        }
        assert_eq!(found, expected, "{name}");
        let import: Vec<&str> = import.iter().map(String::as_str).collect();
        desk.is_settled(&import);
    }
}

#[test]
fn every_broken_sample_is_refused_with_its_sentence_and_nothing_comes_in() {
    let Some(samples) = samples() else { return };
    let mut seen = 0;
    for file in fs::read_dir(&samples).expect("a folder") {
        let file = file.expect("an entry").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
        if !name.starts_with("bad_") {
            continue;
        }
        let own = file.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
        let before = BEHIND.iter().find(|(bad, _)| *bad == name).map(|(_, before)| *before);
        let desk = Desk::new();
        let arguments: Vec<&str> = before.into_iter().chain([own.as_str()]).collect();
        let (status, told) = desk.fails(&import_of(&samples, &arguments));
        let expected = fs::read_to_string(samples.join(format!("../expected/{name}.err"))).expect("there");
        // The JSON parser has its own words and counts to another column.
        let expected = match name.as_str() {
            "bad_kilt" => {
                "bad_kilt.jsonl, line 2: the text ends in the middle of a string (column 33); it was cut off; get it \
                 again; nothing was imported"
            }
            _ => expected.trim(),
        };
        assert!(status == 1 && told.contains(expected), "{told}\nshould say {expected}");
        assert!(!desk.path("study.db").exists(), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 22);
}

/// An answer whose own list is empty cites no document of another system's, whichever came first.
#[test]
fn an_empty_list_is_a_list() {
    let desk = Desk::new();
    desk.file("one.csv", "question,model,answer,contexts\n何时？,alpha,It began [1].,\"[\"\"In May.\"\", \"\"In June.\"\"]\"\n");
    desk.file("two.csv", "question,model,answer,contexts\n何时？,beta,It began [1].,[]\n何时？,gamma,In [2024].,\"[\"\"In July.\"\"]\"\n");
    for (study, files) in [("a.db", ["one.csv", "two.csv"]), ("b.db", ["two.csv", "one.csv"])] {
        desk.out(&["import", study, files[0], files[1], "--map", "lab_long"]);
    }
    desk.out(&["merge", "a.db", "b.db"]);
    let exported = desk.out(&["export", "a.db", "--what", "candidates"]);
    assert_eq!(exported.matches(r#""cites":"list""#).count(), 3, "{exported}");
}

#[test]
fn each_system_has_its_own_list_and_a_text_is_one_document() {
    let desk = Desk::new();
    fs::copy(project("tests/files/maps/lab.csv"), desk.path("lab.csv")).expect("copied");
    let told = desk.out(&["import", "study.db", "lab.csv"]);
    assert!(
        told.contains("(lab_long): 2 collections, 6 documents, 2 queries, 6 candidates, 6 rankings came in"),
        "{told}"
    );
    desk.is_settled(&["import", "study.db", "lab.csv"]);
    let documents = desk.exported("document");
    let light = documents.iter().find(|document| document["text"] == "Ida keeps the light.").expect("one");
    let lists = desk.exported("ranking");
    let place = |retriever: &str| {
        let list = lists
            .iter()
            .find(|list| list["retriever"] == retriever && list["query"] == documents[0]["collection"]);
        let list = list.expect("a list")["documents"].as_array().expect("documents").clone();
        list.iter().position(|ranked| ranked["document"] == light["id"])
    };
    assert_eq!((place("bm25"), place("dense")), (Some(0), Some(1)));
    let candidates = desk.exported("candidate");
    assert!(candidates.iter().all(|candidate| candidate["cites"] == "list"), "{candidates:?}");
    desk.out(&["init", "other.db"]);
    desk.out(&["merge", "other.db", "study.db"]);
    assert_eq!(desk.out(&["export", "other.db"]), desk.out(&["export", "study.db"]));
    assert_eq!(candidates[1]["text"], "Ida [2].");
    assert_eq!(candidates[1]["meta"], json!({"difficulty": "easy"}));
}

/// `[2]` by dense and `[1]` by bm25 are the same document, and `[1]` of three systems are several.
#[test]
fn a_citation_means_the_place_in_its_own_list() {
    let desk = Desk::new();
    fs::copy(project("tests/files/maps/lab.csv"), desk.path("lab.csv")).expect("copied");
    desk.out(&["import", "study.db", "lab.csv"]);
    let documents = desk.exported("document");
    let text_of = |id: &Value| {
        let document = documents.iter().find(|document| document["id"] == *id);
        document.expect("a document")["text"].as_str().expect("a text").to_owned()
    };
    desk.out(&["assign", "study.db", "--protocol", "attribution", "--to", "alice"]);
    let asked: Vec<(String, String)> = desk
        .exported("assignment")
        .iter()
        .map(|asked| (asked["candidate"].as_str().expect("a key").to_owned(), text_of(&asked["document"])))
        .collect();
    let mut asked: Vec<(&str, &str)> =
        asked.iter().map(|(who, what)| (who.as_str(), what.as_str())).collect();
    asked.sort_unstable();
    let expected = [
        ("bm25", "Ida keeps the light."),
        ("bm25", "大桥从星期一起关闭。"),
        ("bm25", "渡船每小时一班。"),
        ("dense", "Ida keeps the light."),
        ("dense", "大桥从星期一起关闭。"),
        ("hybrid", "Ida keeps the light."),
        ("hybrid", "She came in spring."),
        ("hybrid", "渡船每小时一班。"),
    ];
    assert_eq!(asked, expected);
}

/// What each command of the table of the guide brings in, by a word of its row.
const KINDS: [(&str, &str); 9] = [
    ("a lab's table", "2 collections, 6 documents, 2 queries, 6 candidates, 6 rankings came in"),
    ("RAGAS", "1 document, 1 candidate, 1 ranking came in"),
    ("TREC RAG", "corpus.jsonl: 3 texts came in"),
    ("ALCE", "1 collection, 2 documents, 1 query, 1 unit, 1 candidate, 1 ranking came in"),
    ("FActScore", "1 annotator, 1 protocol, 2 judgments came in"),
    ("Label Studio", "2 annotators, 1 protocol, 2 judgments came in"),
    ("promptfoo", "1 collection, 2 documents, 1 query, 2 candidates, 1 ranking came in"),
    ("Langfuse", "1 collection, 1 document, 1 query, 1 candidate, 1 ranking came in"),
    ("DPR", "1 collection, 2 documents, 1 query, 1 candidate, 1 ranking, 1 map came in"),
];

#[test]
fn each_kind_of_file_in_the_guide_is_one_command() {
    let guide = fs::read_to_string(project("docs/formats.md")).expect("the guide");
    for (kind, expected) in KINDS {
        let row = guide
            .lines()
            .find(|line| line.starts_with("| ") && line.contains(kind) && line.contains("mine.db"));
        let command = row.and_then(|row| row.split('`').nth(1)).unwrap_or_else(|| panic!("{kind} has a row"));
        let arguments: Vec<&str> = command.split(' ').skip(1).collect();
        let desk = Desk::new();
        for file in fs::read_dir(project("tests/files/maps")).expect("samples") {
            let file = file.expect("a file").path();
            fs::copy(&file, desk.path(file.file_name().and_then(|name| name.to_str()).expect("UTF-8")))
                .expect("copied");
        }
        let told = desk.out(&arguments);
        assert!(told.contains(expected), "{command}: {told}");
        assert!(desk.out(&arguments).contains("nothing new, the study holds all of it already"), "{command}");
        desk.out(&["check", "mine.db"]);
    }
}

const RETRIEVED: &str = r#"[{"question": "Who keeps it?", "answers": ["Ida"], "ctxs": [
  {"id": "w:1", "title": "Light", "text": "Ida keeps it.", "score": "8.5", "has_answer": true},
  {"id": "w:2", "title": "Sea", "text": "Fish.", "score": "7.5", "has_answer": false}],
 "short": "Ida does [1].", "long": ["Ida", "does."], "predicted": "Ida"}]"#;

#[test]
fn a_field_of_a_known_file_becomes_an_answer() {
    let desk = Desk::new();
    desk.file("nq.json", RETRIEVED);
    let import = ["import", "study.db", "nq.json", "--map", "answer=short,candidate.answer=predicted"];
    let told = desk.out(&import);
    assert!(
        told.contains("1 collection, 2 documents, 1 query, 1 candidate, 1 ranking, 1 map came in"),
        "{told}"
    );
    let candidate = desk.exported("candidate")[0].clone();
    assert_eq!((&candidate["id"], &candidate["summarizer"]), (&json!("nq short"), &json!("short")));
    assert_eq!(candidate["meta"], json!({"answer": "Ida", "long": ["Ida", "does."]}));
    let list = desk.exported("ranking")[0].clone();
    assert_eq!(
        list["documents"],
        json!([{"document": "w:1", "score": 8.5}, {"document": "w:2", "score": 7.5}])
    );
    desk.is_settled(&import);
    // Another retriever found the same, and says other things of it.
    desk.file("bm25.json", RETRIEVED.replace("true", "1"));
    desk.out(&["import", "study.db", "bm25.json", "--map", "dpr"]);
    let list = desk.exported("ranking")[1].clone();
    assert_eq!(list["documents"][0], json!({"document": "w:1", "score": 8.5, "meta": {"has_answer": 1}}));
    let (status, told) = desk.fails(&["import", "study.db", "nq.json", "--map", "answer=shrot"]);
    assert!(
        status == 1 && told.contains("[0]: shrot is missing or empty; name the field with the answer"),
        "{told}"
    );
}

#[test]
fn a_map_of_ones_own_is_kept_and_used_again() {
    let desk = Desk::new();
    desk.file("a.csv", "frage,antwort\nWer?,Ida\n");
    desk.file("b.csv", "frage,antwort,quelle\nWann?,Heute,x\n");
    let (status, told) = desk.fails(&["import", "study.db", "a.csv"]);
    assert!(status == 1 && told.contains("no map is known for 'frage', 'antwort'"), "{told}");
    desk.out(&["import", "study.db", "a.csv", "--map", "question=frage,answer=antwort"]);
    let told = desk.out(&["import", "study.db", "b.csv"]);
    assert!(
        told.contains("(question=frage,answer=antwort): 1 collection, 1 query, 1 candidate came in"),
        "{told}"
    );
    assert!(
        desk.out(&["import", "study.db", "--maps"])
            .starts_with("question=frage,answer=antwort (of this study)")
    );
    // It goes along in an export, a merge and a study for somebody else.
    assert_eq!(desk.exported("map").len(), 1);
    desk.out(&["init", "other.db"]);
    desk.out(&["merge", "other.db", "study.db"]);
    assert!(desk.out(&["import", "other.db", "--maps"]).contains("of this study"));
    assert_eq!(desk.out(&["export", "other.db"]), desk.out(&["export", "study.db"]));
    desk.file("bad.toml", "name = \"x\"\n[query]\ntext = \"a\"\nanswr = \"b\"\n");
    let (status, told) = desk.fails(&["import", "study.db", "b.csv", "--map", "bad.toml"]);
    assert!(
        status == 1 && told.contains("bad.toml, line 4: the map is wrong: unknown field `answr`"),
        "{told}"
    );
}

#[test]
fn a_field_that_was_asked_for_and_is_nowhere_is_refused() {
    let desk = Desk::new();
    desk.file("a.csv", "frage,antwort,systm,leer\nWer?,Ida,x,\nWann?,Heute,y,\n");
    let map = |fields: &str| format!("question=frage,answer=antwort,{fields}");
    for (fields, expected) in [
        (
            "system=system",
            "a.csv: no record has the field 'system'; take one of those that there are: 'systm', 'frage', 'antwort'",
        ),
        ("documents=quellen", "no record has the field 'quellen[]'; take one of"),
        ("id={systm}-{nr}", "no record has the field '{systm}-{nr}'; take one of"),
    ] {
        for bad in [&[][..], &["--skip-bad"]] {
            let map = map(fields);
            let arguments = [&["import", "study.db", "a.csv", "--map", &map], bad].concat();
            let (status, told) = desk.fails(&arguments);
            assert!(status != 0 && told.contains(expected), "{told}");
        }
    }
    assert!(!desk.path("study.db").exists());
    // What a way besides it gives is optional, and what is in one record need not be in all.
    desk.file(
        "b.jsonl",
        "{\"q\": \"Wer?\", \"a\": \"Ida\"}\n{\"q\": \"Wer?\", \"a\": \"Ed\", \"s\": \"y\", \"d\": []}\n",
    );
    desk.out(&["import", "study.db", "b.jsonl", "--map", "question=q,answer=a,system=s | 'x',documents=d"]);
}

#[test]
fn a_map_by_which_nothing_came_in_is_not_kept() {
    let desk = Desk::new();
    desk.file("a.jsonl", "{\"q\": \"Wer?\", \"a\": {\"text\": \"Ida\"}}\n");
    let told = desk.out(&["import", "study.db", "a.jsonl", "--map", "question=q,answer=a", "--skip-bad"]);
    assert!(told.contains("nothing came in"), "{told}");
    assert!(!desk.out(&["import", "study.db", "--maps"]).contains("of this study"));
}

/// Conflicting records are named by the place of the first, in lines and in JSON, also where another file had it.
#[test]
fn a_record_that_says_something_else_names_the_place_of_the_first() {
    let desk = Desk::new();
    let row =
        |system: &str, answer: &str| format!("{{\"q\": \"Wer?\", \"s\": \"{system}\", \"a\": \"{answer}\"}}");
    let rows = [row("x", "Ida"), row("y", "Ed"), row("y", "Ida")];
    desk.file("a.jsonl", format!("\n{}\n", rows.join("\n")));
    desk.file("a.json", format!("[{}]", rows.join(",")));
    desk.file("b.jsonl", format!("{}\n{}\n", rows[2], row("z", "")));
    let map = ["--map", "question=q,system=s,answer=a"];
    for (files, expected) in [
        (&["a.jsonl"][..], "a.jsonl, line 4: candidate 'y' has another text at line 3; give"),
        (&["a.json"], "a.json, [2]: candidate 'y' has another text at [1]; give"),
        (&["b.jsonl", "a.jsonl"], "a.jsonl, line 3: candidate 'y' has another text at line 1; give"),
    ] {
        let bad: &[&str] = if files.len() > 1 { &["--skip-bad"] } else { &[] };
        let arguments = [&["import", "study.db"], files, &map, bad].concat();
        let told = if bad.is_empty() { desk.fails(&arguments).1 } else { desk.out(&arguments) };
        let expected =
            if bad.is_empty() { expected } else { "line 3: candidate 'y' has another text at line 1; give" };
        assert!(told.contains(expected), "{told}");
    }
    let (_, told) = desk.fails(&[&["import", "study.db", "a.jsonl"], &map[..]].concat());
    assert!(told.contains("a.jsonl, line 3: candidate 'y' has another text in the study; where this one is right, `haymark revise`"), "{told}");
}

#[test]
fn a_dry_run_says_what_would_come_and_makes_nothing() {
    let desk = Desk::new();
    fs::copy(project("tests/files/maps/lab.csv"), desk.path("lab.csv")).expect("copied");
    let told = desk.out(&["import", "study.db", "lab.csv", "--dry-run"]);
    assert!(told.starts_with("lab.csv: read by lab_long\n"), "{told}");
    assert!(
        told.contains(r#""text":"Ida keeps it [1].""#) && told.contains("kept in meta: difficulty"),
        "{told}"
    );
    assert!(!told.contains("桥") && !desk.path("study.db").exists(), "{told}");
}

/// The lines of a study's export in one order, whichever file came first.
fn lines_of(desk: &Desk, study: &str) -> Vec<String> {
    let mut lines: Vec<String> = desk.out(&["export", study]).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn studies_of_files_that_number_documents_otherwise_merge_to_the_same_in_both_orders() {
    let desk = Desk::new();
    desk.file("bm25.jsonl", r#"{"user_input": "Who?", "response": "Ida [1].", "retrieved_contexts": ["Ida keeps it.", "Fish.", "Sea."], "level": 1}"#);
    desk.file("dense.jsonl", r#"{"user_input": "Who?", "response": "Ed [2].", "retrieved_contexts": ["Boats.", "Sea.", "Ida keeps it."], "hard": true}"#);
    for (study, file) in [("one.db", "bm25.jsonl"), ("two.db", "dense.jsonl"), ("three.db", "dense.jsonl")] {
        desk.out(&["import", study, file]);
    }
    let told = desk.out(&["merge", "one.db", "two.db"]);
    assert!(told.contains("the files number documents of 1 collection otherwise"), "{told}");
    desk.out(&["merge", "two.db", "one.db"]);
    assert_eq!(lines_of(&desk, "one.db"), lines_of(&desk, "two.db"));
    // A file as it was before the merge brings nothing but the time of its import, and moves no number.
    let told = desk.out(&["merge", "one.db", "three.db"]);
    assert!(!told.contains("otherwise"), "{told}");
    assert_eq!(lines_of(&desk, "one.db"), lines_of(&desk, "two.db"));
    let merged = desk.bytes("one.db");
    let told = desk.out(&["merge", "one.db", "three.db", "two.db"]);
    assert!(told.contains("Nothing new") && desk.bytes("one.db") == merged, "{told}");
    desk.out(&["check", "one.db"]);
    let lines = lines_of(&desk, "one.db");
    let found =
        |kind: &str| lines.iter().filter(|line| line.contains(&format!("\"type\":\"{kind}\""))).count();
    assert_eq!((found("document"), found("candidate"), found("ranking"), found("query")), (4, 2, 2, 1));
    // The first of its list is what an answer cites, whatever its number is.
    desk.out(&["assign", "one.db", "--protocol", "attribution", "--to", "alice"]);
    let asked = desk.out(&["export", "one.db"]);
    let records: Vec<Value> = asked.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let text = |id: &Value| {
        records.iter().find(|one| one["type"] == "document" && one["id"] == *id).expect("one")["text"].clone()
    };
    let mut cited: Vec<(Value, Value)> = records
        .iter()
        .filter(|record| record["type"] == "assignment")
        .map(|record| (record["candidate"].clone(), text(&record["document"])))
        .collect();
    cited.sort_by_key(|(who, _)| who.to_string());
    assert_eq!(cited, [(json!("bm25"), json!("Ida keeps it.")), (json!("dense"), json!("Sea."))]);
}

#[test]
fn a_merge_is_refused_where_answers_cite_documents_by_their_numbers() {
    let desk = Desk::new();
    for (study, first) in [("one", "a"), ("two", "b")] {
        let lines = [
            json!({"type": "collection", "id": "c"}),
            json!({"type": "document", "collection": "c", "id": first, "number": 1, "text": first}),
            json!({"type": "query", "collection": "c", "id": "q", "text": "Who?"}),
            json!({"type": "candidate", "collection": "c", "query": "q", "id": "x", "text": "Ida [1]."}),
        ];
        let file = format!("{study}.jsonl");
        desk.file(&file, lines.map(|line| line.to_string()).join("\n"));
        desk.out(&["import", &format!("{study}.db"), &file]);
    }
    for (into, other) in [("one.db", "two.db"), ("two.db", "one.db")] {
        let before = desk.bytes(into);
        let (status, told) = desk.fails(&["merge", into, other]);
        assert!(
            status == 1
                && told.contains("has number 1, which is that of")
                && told.contains("and answers, sessions, revisions or a hub go by the numbers; nothing was"),
            "{told}"
        );
        assert_eq!(desk.bytes(into), before);
    }
}

#[test]
fn an_id_of_many_digits_keeps_each() {
    const IDS: [&str; 4] =
        ["9007199254740993", "18446744073709551616", "12345678901234567890123", "12345678901234567.0"];
    let row = |id: &str| format!("{{\"id\": {id}, \"user_input\": \"q{id}\", \"response\": \"r\"}}");
    let rows: Vec<String> = IDS.iter().map(|id| row(id)).collect();
    let cells: Vec<String> = IDS.iter().map(|id| format!("{id},q{id},r")).collect();
    for (name, text) in [
        ("ids.jsonl", rows.join("\n")),
        ("ids.json", format!("[{}]", rows.join(", "))),
        ("ids.csv", format!("id,user_input,response\n{}\n", cells.join("\n"))),
        (
            "columns.json",
            format!(
                "{{\"id\": [{}], \"user_input\": [\"q\", \"r\", \"s\", \"t\"], \"response\": [\"a\", \"b\", \"c\", \"d\"]}}",
                IDS.join(",")
            ),
        ),
    ] {
        let desk = Desk::new();
        desk.file(name, text);
        desk.out(&["import", "study.db", name, "--map", "id=id,question=user_input,answer=response"]);
        let ids: Vec<Value> = desk.exported("query").iter().map(|query| query["id"].clone()).collect();
        assert_eq!(ids, IDS, "{name}");
    }
}

#[test]
fn a_dry_run_says_what_the_import_would_do_to_this_study() {
    let desk = Desk::new();
    desk.file("a.csv", "question,answer,system\nWho?,Ida,a\n");
    desk.file("b.csv", "question,answer,system\nWho?,Ida,a\nWhen?,Now,a\nWho?,Ed,a\n");
    desk.out(&["import", "study.db", "a.csv"]);
    let before = desk.bytes("study.db");
    let told = desk.out(&["import", "study.db", "a.csv", "--dry-run"]);
    assert!(told.contains("a.csv (lab_long): nothing new, the study holds all of it already"), "{told}");
    let run = desk.run(&["import", "study.db", "b.csv", "--dry-run"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.code() == Some(1) && told.contains("1 record would be refused"), "{told}");
    let told = desk.out(&["import", "study.db", "b.csv", "--dry-run", "--skip-bad"]);
    assert!(
        told.contains("nothing is written; without --dry-run:\nb.csv (lab_long): 1 collection, 1 query, 1 candidate came in\n")
            && told.contains("already there: 1 collection, 1 query, 1 candidate")
            && told.contains("line 4: candidate 'a' has another text"),
        "{told}"
    );
    assert_eq!(desk.bytes("study.db"), before);
    // What fits only behind the study's own queries is tried there.
    desk.file("topics.tsv", "q1\tWho keeps it?\n");
    desk.file("run.txt", "q1 Q0 d1 1 2.5 bm25\n");
    desk.out(&["import", "trec.db", "topics.tsv"]);
    let told = desk.out(&["import", "trec.db", "run.txt", "--dry-run"]);
    assert!(told.contains("run.txt (trec_run): 1 document, 1 ranking came in"), "{told}");
    assert!(!desk.path("none.db").exists());
    desk.out(&["import", "none.db", "a.csv", "--dry-run"]);
    assert!(!desk.path("none.db").exists());
}

#[test]
fn a_half_answered_judgment_names_the_questions_without_an_answer() {
    let desk = Desk::new();
    desk.file("a.csv", "question,answer,system\nWho?,Ida,a\nWho?,Ed,b\n");
    desk.out(&["import", "study.db", "a.csv"]);
    desk.out(&["export", "study.db", "-o", "a.jsonl"]);
    let query = desk.exported("query")[0].clone();
    desk.file("own.toml", concat!(
        "name = \"own\"\ntitle = \"Own\"\nversion = 1\nsource = \"here\"\ntarget = [\"candidate\"]\ngroup = \"query\"\n",
        "[layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = [\"candidate\"]\n",
        "[[question]]\nkey = \"good\"\nprompt = \"Good?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n",
        "{ value = \"yes\", label = \"yes\", key = \"a\" },\n{ value = \"no\", label = \"no\", key = \"d\" },\n]\n",
        "[[question]]\nkey = \"short\"\nprompt = \"Short?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n",
        "{ value = \"yes\", label = \"yes\", key = \"e\" },\n{ value = \"no\", label = \"no\", key = \"f\" },\n]\n",
    ));
    desk.out(&["protocol", "add", "study.db", "own.toml"]);
    let judged = |candidate: &str, answers: Value| {
        json!({"type": "judgment", "protocol": "own", "annotator": "ann", "query": query["id"], "candidate": candidate,
            "answers": answers})
        .to_string()
    };
    let lines = [
        json!({"type": "annotator", "id": "ann", "kind": "human"}).to_string(),
        judged("a", json!({"good": "yes", "short": "no"})),
        judged("b", json!({"good": "yes"})),
    ];
    desk.file("judged.jsonl", lines.join("\n"));
    let told = desk.out(&["import", "study.db", "judged.jsonl"]);
    assert!(told.contains("1 annotator, 2 judgments came in"), "{told}");
    assert!(told.contains("to be looked at (1):\n    line 3: ann on "), "{told}");
    assert!(told.contains(": \"short\" has no answer although it is asked"), "{told}");
}

#[test]
fn of_two_maps_of_one_name_the_newest_reads_and_a_sentence_says_so() {
    let desk = Desk::new();
    let map = |field: &str| {
        format!(
            "name = \"lab\"\nneeds = [\"frage\"]\n[query]\ntext = \"frage\"\n[[candidate]]\ntext = \"{field}\"\nsummarizer = \"'s'\"\n"
        )
    };
    desk.file("old.toml", map("antwort"));
    desk.file("new.toml", map("kurz"));
    desk.file("a.csv", "frage,antwort,kurz\nWer?,Ida Maas,Ida\n");
    desk.file("b.csv", "frage,antwort,kurz\nWann?,Heute früh,Heute\n");
    desk.out(&["import", "study.db", "a.csv", "--map", "old.toml"]);
    let run = desk.run(&["import", "study.db", "b.csv", "--map", "new.toml"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(
        told.contains("the study has another map called \"lab\"; that of new.toml reads these files and, as the newest, the next ones"),
        "{told}"
    );
    let run = desk.run(&["import", "study.db", "b.csv", "--map", "lab"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("the study has 2 maps called \"lab\", and the newest reads the files"), "{told}");
    assert_eq!(desk.exported("candidate")[1]["text"], "Heute");
    let listed = desk.out(&["import", "study.db", "--maps"]);
    assert!(listed.starts_with("lab (of this study): \nlab (of this study, older): \n"), "{listed}");
}

#[test]
fn labels_come_in_under_a_protocol_that_is_made_of_them_or_given() {
    let desk = Desk::new();
    let labels = "question,answer,system,annotator,helpful,mood\nWho?,Ida,a,ann,2,good\nWho?,Ida,a,bo,1,\nWho?,Ed,b,ann,1,\n";
    desk.file("labels.csv", labels);
    let told = desk.out(&["import", "study.db", "labels.csv", "--as-protocol", "helpfulness"]);
    assert!(told.contains("labels.csv (labels): 2 annotators, 1 protocol, 3 judgments came in"), "{told}");
    let made = fs::read_to_string(desk.path("helpfulness.toml")).expect("written");
    assert!(made.contains("{ value = \"1\", label = \"1\", key = \"a\", score = 1 }"), "{made}");
    let judged = desk.exported("judgment");
    assert_eq!(judged[0]["answers"], json!({"helpful": "2", "mood": "good"}));
    // The same protocol, given to another study.
    desk.out(&["init", "second.db"]);
    desk.out(&["protocol", "add", "second.db", "helpfulness.toml"]);
    let told = desk.out(&["import", "second.db", "labels.csv", "--as-protocol", "helpfulness"]);
    assert!(told.contains("(labels): 2 annotators, 3 judgments came in"), "{told}");
}

#[test]
fn what_an_annotator_skipped_is_put_aside_and_counts_for_nothing() {
    let desk = Desk::new();
    let annotation = |who: &str, label: &str, is_skipped: bool| {
        json!({"completed_by": who, "was_cancelled": is_skipped,
            "result": [{"from_name": "helpful", "value": {"choices": [label]}}]})
    };
    let task = |annotations: &[Value]| {
        let data = json!({"question": "Who?", "answer": "Ida", "system": "a"});
        json!([{"id": 1, "data": data, "annotations": annotations}]).to_string()
    };
    desk.file("tasks.json", task(&[annotation("ann", "yes", false), annotation("bo", "no", true)]));
    let told = desk.out(&["import", "study.db", "tasks.json", "--as-protocol", "helped"]);
    assert!(
        told.contains("skipped by their annotators, so put aside without answers: 1 judgment\n"),
        "{told}"
    );
    let judged = desk.exported("judgment");
    let of = |who: &str| judged.iter().find(|judgment| judgment["annotator"] == who).expect("a judgment");
    assert_eq!((&of("ann")["answers"]["helpful"], &of("bo")["answers"]), (&json!("yes"), &json!({})));
    assert_eq!(of("bo")["skipped"], true);
    desk.file("none.json", task(&[annotation("bo", "no", true)]));
    let (_, told) = desk.fails(&["import", "none.db", "none.json"]);
    assert!(told.contains("everything in it was skipped, so its labels make no protocol; add one"), "{told}");
}

/// Whatever one value is, it is one choice of two, and what comes later is another or refused.
#[test]
fn a_column_of_one_number_is_a_choice() {
    let desk = Desk::new();
    let rows = |question: &str, value: u8| {
        format!(
            "question,system,answer,annotator,quality\n{question},a,Ida,ann,{value}\n{question},a,Ida,bo,{value}\n"
        )
    };
    desk.file("five.csv", rows("Who?", 5));
    let told = desk.out(&["import", "study.db", "five.csv", "--as-protocol", "five"]);
    assert!(told.contains("fields that the map does not name, taken for labels: quality\n"), "{told}");
    let made = fs::read_to_string(desk.path("five.toml")).expect("written");
    assert!(made.contains("{ value = \"not 5\", label = \"not 5\", key = \"d\" }"), "{made}");
    assert!(made.contains("scale = \"nominal\"") && !made.contains("score ="), "{made}");
    desk.file("three.csv", rows("When?", 3));
    let (_, told) = desk.fails(&["import", "study.db", "three.csv", "--as-protocol", "five"]);
    assert!(told.contains("\"3\" is no answer to \"quality\""), "{told}");
}

#[test]
fn lines_of_words_may_have_tabs_between_them() {
    let desk = Desk::new();
    desk.file("topics.tsv", "1\tWho?\n");
    desk.file("run.tsv", "1\tQ0\td,1\t1\t2.0\tbm\n1\tQ0\td2\t2\t1.0\tbm\n");
    desk.file("qrels.tsv", "1\t0\td2\t1\n1\t0\td,1\t0\n");
    desk.out(&["import", "study.db", "topics.tsv"]);
    let told = desk.out(&["import", "study.db", "run.tsv", "qrels.tsv"]);
    assert!(told.contains("run.tsv (trec_run): 2 documents, 1 ranking came in"), "{told}");
    assert!(told.contains("qrels.tsv (labels): 1 annotator, 1 protocol, 2 judgments came in"), "{told}");
    let told = desk.out(&["import", "study.db", "run.tsv", "--map", "trec_run"]);
    assert!(told.contains("nothing new"), "{told}");
}

#[test]
fn a_file_is_known_by_its_fields_though_the_first_is_empty() {
    let desk = Desk::new();
    let record = |question: &str, summary: &str| {
        json!({"question": question, "answers": ["a"], "ctxs": [{"id": "d", "title": "T", "text": "x"}],
            "summary": summary, "predicted": "p"})
    };
    desk.file("rec.json", json!([record("Who?", ""), record("When?", "Now.")]).to_string());
    for map in [&[][..], &["--map", "answer=summary | ''"]] {
        let told = desk.out(&[&["import", "study.db", "rec.json"], map].concat());
        assert!(told.contains("rec.json (recomp") && told.contains("2 candidates"), "{told}");
    }
    // A field that its file's map does not name is the system's name too, without its other ways.
    desk.file("nq.json", RETRIEVED);
    desk.out(&["import", "nq.db", "nq.json", "--map", "answer=short | ''"]);
    assert!(desk.out(&["export", "nq.db"]).contains(r#""summarizer":"short""#));
}

#[test]
fn texts_without_a_question_are_refused_with_what_helps() {
    let desk = Desk::new();
    desk.file("texts.jsonl", "{\"id\":1,\"text\":\"Ab\",\"label\":[\"x\"]}\n");
    let (_, told) = desk.fails(&["import", "study.db", "texts.jsonl"]);
    assert!(
        told.contains("texts.jsonl, line 1: these are texts, and no question is known that they belong to; bring them in with --texts"),
        "{told}"
    );
}

#[test]
fn a_map_of_the_study_in_the_place_of_haymark_s_is_told_and_another_can_be_named() {
    let desk = Desk::new();
    let rows = |question: &str| format!("question_id,question,system,answer\n1,{question},A,x\n");
    desk.file("a.csv", rows("First?"));
    desk.file("b.csv", rows("Other?"));
    desk.out(&["import", "study.db", "a.csv"]);
    desk.out(&["import", "study.db", "b.csv", "--map", "id={@file} {question_id}"]);
    desk.file("fix.csv", rows("First?").replace(",x", ",better"));
    let revise = ["revise", "study.db", "fix.csv", "--as", "lena", "--reason", "read again"];
    let (_, told) = desk.fails(&revise);
    assert!(
        told.contains("note: fix.csv is read by the study's map \"lab_long id={@file} {question_id}\"; --map lab_long reads it"),
        "{told}"
    );
    let told = desk.out(&[&revise[..], &["--map", "lab_long"]].concat());
    assert!(told.contains("better"), "{told}");
    let run = desk.run(&["import", "study.db", "a.csv", "--dry-run"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("note: a.csv is read by the study's map"), "{told}");
}

#[test]
fn bad_rows_can_be_left_out_with_all_that_they_make() {
    let desk = Desk::new();
    desk.file("r.jsonl", "{\"user_input\": \"a\", \"response\": null, \"retrieved_contexts\": [\"x\"]}\n{\"user_input\": \"b\", \"response\": \"c\"}\n");
    let (status, told) = desk.fails(&["import", "study.db", "r.jsonl", "--map", "ragas"]);
    assert!(status == 1 && told.contains("r.jsonl, line 1: response is missing or empty"), "{told}");
    let told = desk.out(&["import", "study.db", "r.jsonl", "--map", "ragas", "--skip-bad"]);
    assert!(told.contains("1 collection, 1 query, 1 candidate came in"), "{told}");
    assert!(told.contains("line 1: response is missing or empty"), "{told}");
    assert_eq!(desk.exported("document").len(), 0);
}

#[test]
fn documents_that_are_only_named_get_their_texts_once() {
    let desk = Desk::new();
    desk.file("topics.tsv", "q1\tWho keeps it?\n");
    desk.file("run.txt", "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\n");
    desk.file(
        "corpus.jsonl",
        "{\"docid\": \"d1\", \"segment\": \"Ida.\"}\n{\"docid\": \"d9\", \"segment\": \"Not asked for.\"}\n",
    );
    let told = desk.out(&["import", "study.db", "topics.tsv", "run.txt"]);
    assert!(told.contains("without a text: 2 documents"), "{told}");
    let told = desk.out(&["import", "study.db", "topics.tsv", "run.txt", "--texts", "corpus.jsonl"]);
    assert!(
        told.contains("corpus.jsonl: 1 text came in") && told.contains("without a text: 1 document"),
        "{told}"
    );
    let texts: Vec<Value> =
        desk.exported("document").iter().map(|document| document["text"].clone()).collect();
    assert_eq!(texts, ["Ida.", ""]);
    assert!(
        desk.out(&["check", "study.db"]).contains("nothing is wrong")
            || desk.run(&["check", "study.db"]).status.success()
    );
}

#[test]
fn what_a_cache_cannot_answer_is_left_out_of_scores_and_queries_get_their_texts_late() {
    let desk = Desk::new();
    desk.file("cache.json", r#"{"a": {"question": ["谁？", "多高？"], "answers": ["伊达", "无法推断"]}}"#);
    desk.file("results.json", r#"{"info": {"task": "QA", "llm": "{'model_name': 'qwen-7b'}"}, "results": [{"id": "a",
        "log": {"generated_text": "伊达。", "ground_truth_text": "伊达看守。"}, "original_data": {"questions": "谁看守灯塔？"}}]}"#);
    desk.out(&["import", "study.db", "cache.json"]);
    assert_eq!(desk.exported("query")[0]["text"], "a");
    desk.out(&["import", "study.db", "results.json"]);
    assert_eq!(desk.exported("query")[0]["text"], "谁看守灯塔？");
    assert_eq!(desk.exported("candidate")[0]["summarizer"], "qwen-7b");
    desk.is_settled(&["import", "study.db", "cache.json", "results.json"]);
}

#[test]
fn a_published_folder_comes_in_again() {
    let desk = Desk::new();
    desk.samples(
        "study.db",
        &["haystack", "questions", "questions_zh", "haystack_judgments", "questions_judgments"],
    );
    fs::copy(project("tests/files/maps/lab.csv"), desk.path("lab.csv")).expect("copied");
    desk.out(&["import", "study.db", "lab.csv"]);
    desk.out(&["export", "study.db", "--what", "dataset", "-o", "published", "--names", "--with-text"]);
    let files = ["corpus", "candidates", "judgments"].map(|name| format!("published/{name}.csv"));
    let import: Vec<&str> =
        ["import", "again.db"].into_iter().chain(files.iter().map(String::as_str)).collect();
    desk.out(&import);
    let lists = |study: &str| by_type(&desk.out(&["export", study]))["ranking"].clone();
    assert_eq!(lists("again.db"), lists("study.db"));
    for what in ["judgments", "candidates"] {
        let written = |study: &str| {
            desk.out(&["export", study, "--what", what, "--format", "csv", "--names", "--with-text"])
        };
        assert_eq!(written("again.db"), written("study.db"), "{what}");
    }
    let (status, told) = desk.fails(&["import", "again.db", "published/labels.csv"]);
    assert!(status == 1 && told.contains("no map is known for 'protocol', 'question', 'item'"), "{told}");
}

/// Rows of Parquet are rows.
#[cfg(feature = "parquet")]
#[test]
fn parquet_comes_in_as_a_table() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack"]);
    desk.out(&["export", "study.db", "--what", "candidates", "--format", "parquet", "-o", "c.parquet"]);
    let told = desk.out(&[
        "import",
        "other.db",
        "c.parquet",
        "--map",
        "question=query,answer=text,system=summarizer,candidate.id={summarizer} {id}",
    ]);
    assert!(told.contains("3 collections, 3 queries, 15 candidates, 1 map came in"), "{told}");
}

/// Files that would come in as something else than they show.
#[test]
fn what_a_table_does_not_say_clearly_is_refused() {
    let desk = Desk::new();
    let refused = |name: &str, text: &str| {
        desk.file(name, text);
        let told = desk.fails(&["import", "study.db", name]).1;
        assert!(!desk.path("study.db").exists(), "{told}");
        told
    };
    let open =
        refused("open.csv", "question,system,document,summary\nQ1?,s,d,A1\nQ2?,s,d,\"A2\nQ3?,s,d,A3\n");
    assert!(open.contains("line 3") && open.contains("never closed"), "{open}");
    let twice = refused("twice.csv", "question,system,document,summary,summary\nQ1?,s,d,A1,B1\n");
    assert!(twice.contains("two columns are called \"summary\""), "{twice}");
    let lists = r#"{"user_input":["a","b"],"response":["x"],"retrieved_contexts":[["c"],["d"]]}"#;
    let uneven = refused("uneven.json", lists);
    assert!(uneven.contains("different lengths") && uneven.contains("\"response\" has 1"), "{uneven}");
    // A line break in quotes that are closed is a text.
    desk.file("closed.csv", "question,system,document,summary\nQ1?,s,d,\"A1\nand more\"\n");
    assert!(desk.out(&["import", "study.db", "closed.csv"]).contains("1 candidate"));
}

#[test]
fn many_questions_and_times_of_any_zone_come_in_as_labels() {
    let desk = Desk::new();
    let asked: Vec<String> = (0..8).map(|number| format!("q{number}")).collect();
    let row = |answer: &str, time: &str, says: &str| {
        format!("Who?,{answer},{answer},ann,{time}{}\n", says.repeat(8))
    };
    let mut labels = format!("question,answer,system,annotator,at,{}\n", asked.join(","));
    labels += &row("Ida", "2026-01-05T10:00:00.5+02:00", ",yes");
    labels += &row("Ed", "2026-01-05 10:00:00", ",no");
    labels += &row("Al", "2026-01-05T10:00:00+02:00", ",no");
    desk.file("labels.csv", labels);
    let told = desk.out(&["import", "study.db", "labels.csv", "--as-protocol", "many"]);
    assert!(told.contains("1 protocol, 3 judgments came in"), "{told}");
    let mut times: Vec<String> = desk
        .exported("judgment")
        .iter()
        .map(|judged| judged["at"].as_str().unwrap_or_default().to_owned())
        .collect();
    times.sort();
    assert_eq!(times, ["2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z", "2026-01-05T10:00:00Z"]);
}

#[test]
fn what_a_second_file_says_more_of_a_query_is_taken_and_what_it_says_else_is_refused() {
    let desk = Desk::new();
    desk.file("w1.csv", "question,system,answer\nWho?,a,Ida\n");
    desk.file("w2.csv", "question,system,answer,category\nWho?,b,Ed,people\n");
    desk.file("w3.csv", "question,system,answer,category\nWho?,c,Al,places\n");
    desk.out(&["import", "study.db", "w1.csv", "w2.csv"]);
    assert_eq!(desk.exported("query")[0]["category"], "people");
    let (status, told) = desk.fails(&["import", "study.db", "w3.csv"]);
    assert!(status == 1 && told.contains("has another category in the study"), "{told}");
    desk.out(&["import", "study.db", "w1.csv"]);
    assert_eq!(desk.exported("query")[0]["category"], "people");
}

#[test]
fn an_import_lists_the_fields_that_its_map_does_not_name() {
    let desk = Desk::new();
    desk.file("a.csv", "question,answer,system,level,tokens\nWho?,Ida,a,3,\nWhen?,Now,a,,17\n");
    let told = desk.out(&["import", "study.db", "a.csv"]);
    let said = "  fields that the map does not name, kept in meta: level, tokens\n";
    assert!(told.ends_with(said), "{told}");
    assert_eq!(told.matches("level").count(), 1, "{told}");
    // A file in which all is named says nothing of it.
    desk.file("b.csv", "question,answer,system\nWhere?,Here,a\n");
    assert!(!desk.out(&["import", "study.db", "b.csv"]).contains("does not name"));
    // The fields of a row that is a document stand with its place in the list.
    desk.file("c.csv", "frage,doc,system,sprache\nWer?,Ida wacht.,bm25,de\n");
    desk.file(
        "rows.toml",
        "name = \"rows\"\n[query]\ntext = \"frage\"\n[[document]]\ntext = \"doc\"\nretriever = \"system\"\n",
    );
    let told = desk.out(&["import", "rows.db", "c.csv", "--map", "rows.toml"]);
    assert!(told.ends_with("kept in meta: sprache\n"), "{told}");
    assert!(desk.out(&["export", "rows.db"]).contains("\"sprache\":\"de\""));
    // Without a list there is no record for them.
    desk.file("none.toml", "name = \"none\"\n[query]\ntext = \"frage\"\n[[document]]\ntext = \"doc\"\n");
    let told = desk.out(&["import", "none.db", "c.csv", "--map", "none.toml"]);
    assert!(told.ends_with("  fields that the map does not name, of no record: sprache, system\n"), "{told}");
}

#[test]
fn a_lab_s_table_is_known_by_any_of_its_rows() {
    let desk = Desk::new();
    // The first system said nothing; a model stands beside what RAGAS called its fields.
    desk.file(
        "a.csv",
        "question,answer,contexts,model\nWho?,,\"[\"\"Ida.\"\"]\",a\nWho?,Ida,\"[\"\"Ida.\"\"]\",b\n",
    );
    let (status, told) = desk.fails(&["import", "study.db", "a.csv"]);
    assert!(status == 1 && told.contains("a.csv, line 2: answer | summary | response is missing"), "{told}");
    let told = desk.out(&["import", "study.db", "a.csv", "--map", "answer=answer | ''"]);
    assert!(told.contains("2 candidates, 2 rankings, 1 map came in"), "{told}");
    let texts: Vec<Value> = desk.exported("candidate").iter().map(|one| one["text"].clone()).collect();
    assert_eq!(texts, ["", "Ida"]);
    // Without a model it is a file of RAGAS.
    desk.file("b.csv", "question,answer,contexts\nWho?,Ida,\"[\"\"Ida.\"\"]\"\n");
    assert!(desk.out(&["import", "other.db", "b.csv"]).contains("b.csv (ragas_old)"));
}

#[test]
fn a_file_of_another_name_brings_the_same_systems() {
    let desk = Desk::new();
    let table = "frage,antwort,modell,quellen\nWer?,Ida [1].,gross,Ida wacht.\n";
    desk.file("a.csv", table);
    desk.file("renamed.csv", table);
    let map = "question=frage,answer=antwort,system=modell,documents=quellen['||']";
    desk.out(&["import", "study.db", "a.csv", "--map", map]);
    let told = desk.out(&["import", "study.db", "renamed.csv", "--map", map]);
    assert!(told.contains("nothing new, the study holds all of it already"), "{told}");
    assert_eq!(desk.exported("candidate")[0]["retriever"], "gross");
    // So it is where a known map is told of a system.
    let row = |system: &str, text: &str| {
        json!({"user_input": "Who?", "response": "Ida [1].", "retrieved_contexts": [text], "lab": system})
            .to_string()
    };
    desk.file("both.jsonl", [row("a", "Ida."), row("b", "Ed.")].join("\n"));
    desk.out(&["import", "both.db", "both.jsonl", "--map", "system=lab"]);
    let retrievers = desk.out(&["export", "both.db"]);
    assert!(
        retrievers.contains(r#""retriever":"a""#) && !retrievers.contains(r#""retriever":"both""#),
        "{retrievers}"
    );
}

#[test]
fn columns_of_a_lab_are_known_in_any_case() {
    let desk = Desk::new();
    desk.file("a.csv", "QID,Question,System,Answer,Documents\n7,Who?,a,Ida [2].,Ed sleeps. || Ida wakes.\n");
    let told = desk.out(&["import", "study.db", "a.csv"]);
    assert_eq!(
        told,
        "a.csv (lab_long): 1 collection, 2 documents, 1 query, 1 candidate, 1 ranking came in\n"
    );
    assert_eq!(desk.exported("query")[0]["id"], "7");
    // The guide names each of them.
    let lines = include_str!("../../../assets/maps/lab_long.toml").lines();
    let columns = lines
        .skip_while(|line| !line.starts_with("needs"))
        .take_while(|line| !line.starts_with("id = \"id "))
        .filter(|line| !line.starts_with("lacks"));
    let columns = columns.filter(|line| !line.starts_with("lacks"));
    let paths =
        columns.flat_map(|line| line.split('"').skip(1).step_by(2)).flat_map(|ways| ways.split(" | "));
    let guide = include_str!("../../../docs/formats.md");
    for name in paths.map(|path| path.split('[').next().unwrap_or_default()) {
        assert!(guide.contains(&format!("`{name}`")), "{name}");
    }
    // Columns of one beginning are named by it.
    desk.file("b.csv", "question,system,answer,Passage_1,Passage_2\nWho?,a,Ida [2].,Ed sleeps.,Ida wakes.\n");
    let told = desk.out(&["import", "b.db", "b.csv", "--map", "documents=passage_*"]);
    assert!(told.contains("2 documents") && !told.contains("Passage"), "{told}");
    let told = desk.out(&["import", "c.db", "b.csv"]);
    assert!(
        told.ends_with(
            "  1 citation leads to no document, the first at line 2; --map documents=FIELD names a field that has \
             documents\n"
        ),
        "{told}"
    );
}

#[test]
fn a_flag_of_a_map_is_said_once_and_names_a_field_of_a_record() {
    let desk = Desk::new();
    desk.file("a.csv", "frage,antwort,quelle\nWer?,Ida.,Ida wacht.\n");
    let fails = |map: &str| desk.fails(&["import", "study.db", "a.csv", "--map", map]).1;
    let told = fails("question=frage,answer=antwort,documents=quelle,documents=antwort");
    assert!(told.contains("--map says twice what documents is; say it once"), "{told}");
    let told = fails("question=frage,answer=antwort,document.titel=quelle");
    assert!(told.contains("--map is wrong: unknown field `titel`") && !told.contains("line"), "{told}");
}

#[test]
fn an_import_says_what_of_a_file_led_nowhere() {
    let desk = Desk::new();
    let ends = |arguments: &[&str], end: &str| {
        let told = desk.out(&[&["import"], arguments].concat());
        assert!(told.ends_with(end), "{told}");
    };
    // A system without an answer, in a table with a column a system.
    desk.file("wide.csv", "question,answer_A,answer_B\nWho?,Ida,\nWhen?,Now,Then\n");
    ends(&["wide.db", "wide.csv"], "  no answer of B in 1 of 2 rows\n");
    // What stands beside the records.
    let alce = json!({"args": {"model": "m", "seed": 3}, "note": "x", "data": [
        {"question": "Who?", "output": "Ida [1][3].", "docs": [{"title": "T", "text": "Ida."}]}]});
    desk.file("alce.json", alce.to_string());
    ends(
        &["alce.db", "alce.json"],
        "of no record: args, note\n  1 citation leads to no document, the first at data[0]; --map documents=FIELD names a field \
         that has documents\n",
    );
    // Spans are no labels of an answer.
    let result = json!([
        {"from_name": "place", "type": "labels", "value": {"start": 0, "end": 3, "text": "Ida", "labels": ["PER"]}},
        {"from_name": "why", "type": "textarea", "value": {"text": ["It is so.", "Truly."]}},
        {"from_name": "good", "type": "choices", "value": {"choices": ["yes"]}},
    ]);
    let task = json!([{"id": 1, "data": {"question": "Who?", "answer": "Ida", "system": "s"},
        "annotations": [{"completed_by": {"email": "a@mill.org"}, "result": result}]}]);
    desk.file("spans.json", task.to_string());
    let told = desk.out(&["import", "study.db", "spans.json"]);
    assert!(told.contains("  labels that no judgment holds, such as spans, left out: place\n"), "{told}");
    assert_eq!(
        desk.exported("judgment")[0]["answers"],
        json!({"why": ["It is so.", "Truly."], "good": "yes"})
    );
    // A file of nothing.
    for (name, text) in [("head.csv", "question,answer,system\n"), ("list.json", "[]")] {
        desk.file(name, text);
        let (_, told) = desk.fails(&["import", "none.db", name]);
        assert!(told.contains("there is no record in it"), "{told}");
    }
}

#[test]
fn a_document_that_a_list_has_twice_counts_once_and_citations_follow_it() {
    let desk = Desk::new();
    let row = json!({"user_input": "Who?", "response": "Ida [3], then Ed [2].", "retrieved_contexts": ["Ed.", "Ed.", "Ida."]});
    desk.file("a.jsonl", row.to_string());
    let told = desk.out(&["import", "study.db", "a.jsonl"]);
    assert!(told.contains("line 1: 'd") && told.contains("stands twice in the list"), "{told}");
    let candidate = &desk.exported("candidate")[0];
    assert_eq!(candidate["text"], "Ida [2], then Ed [1].");
    assert_eq!(candidate["meta"]["as_given"], "Ida [3], then Ed [2].");
    assert_eq!(desk.exported("ranking")[0]["documents"].as_array().map(Vec::len), Some(2));
}

#[test]
fn runs_come_behind_their_topics_and_negative_grades_are_not_relevant() {
    let desk = Desk::new();
    desk.file("run.txt", "1 Q0 d1 1 3.0 bm\n1 Q0 d1 2 2.0 bm\n1 Q0 d2 3 1.0 bm\n");
    desk.file("topics.tsv", "1\tWho wakes?\n");
    desk.file("qrels.txt", "1 0 d1 -1\n1 0 d2 2\n");
    let (_, told) = desk.fails(&["import", "study.db", "run.txt"]);
    assert!(
        told.contains("line 1: there is no query '1' here; import the file with the questions first"),
        "{told}"
    );
    let told = desk.out(&["import", "study.db", "topics.tsv", "run.txt", "qrels.txt"]);
    assert!(
        told.contains("the list of 'bm' for '1': 'd1' stands in it twice; its first place counts"),
        "{told}"
    );
    let grades: Vec<Value> =
        desk.exported("judgment").iter().map(|one| one["answers"]["relevance"].clone()).collect();
    assert_eq!(grades, ["0", "2"]);
}

#[test]
fn a_new_column_is_added_to_the_answers_that_are_there() {
    let desk = Desk::new();
    desk.file("a.csv", "question,system,answer,bleu\nWho?,a,Ida,0.5\n");
    desk.file("b.csv", "question,system,answer,rouge\nWho?,a,Ida,0.25\n");
    desk.file("c.csv", "question,system,answer,bleu\nWho?,a,Ida,0.75\n");
    desk.out(&["import", "study.db", "a.csv", "b.csv"]);
    let meta = |desk: &Desk| desk.exported("candidate")[0]["meta"].to_string();
    assert_eq!(meta(&desk), r#"{"bleu":"0.5","rouge":"0.25"}"#);
    // What the study has is known, also where the file has less.
    assert!(desk.out(&["import", "study.db", "a.csv"]).contains("nothing new"));
    let (_, told) = desk.fails(&["import", "study.db", "c.csv"]);
    assert!(told.contains("has another meta"), "{told}");
    // A table puts right what is there, and nothing else.
    let revise = ["revise", "study.db", "c.csv", "--as", "lena", "--reason", "counted anew"];
    let told = desk.out(&revise);
    assert!(told.contains(r#"{"bleu":"0.5","rouge":"0.25"} → {"bleu":"0.75","rouge":"0.25"}"#), "{told}");
    let amended = &desk.exported("amendment")[0]["to"]["meta"];
    assert_eq!(amended.to_string(), r#"{"bleu":"0.75","rouge":"0.25"}"#);
    assert!(
        desk.out(&revise).contains("nothing is revised: 2 records in the file, and the study says the same")
    );
    desk.file("d.csv", "question,system,answer\nWho?,b,Ed\n");
    let (_, told) = desk.fails(&["revise", "study.db", "d.csv", "--as", "lena", "--reason", "x"]);
    assert!(told.contains("d.csv, line 2: candidate \"b\" is not in the study"), "{told}");
    // Two copies that learnt other things come to the same, whichever takes in the other.
    desk.out(&["import", "one.db", "a.csv"]);
    desk.out(&["import", "two.db", "b.csv"]);
    desk.out(&["merge", "one.db", "two.db"]);
    desk.out(&["merge", "two.db", "one.db"]);
    let told = |study: &str| {
        let all = desk.out(&["export", study]);
        all.lines().find(|line| line.contains(r#""type":"candidate""#)).expect("there").to_owned()
    };
    assert_eq!(told("one.db"), told("two.db"));
    assert!(told("one.db").contains(r#""bleu":"0.5","rouge":"0.25""#));
}

/// The document that a citation of an answer leads to, by the texts of the study.
fn cited(desk: &Desk, answer: &str, number: usize) -> Option<String> {
    let candidates = desk.exported("candidate");
    let candidate =
        candidates.iter().find(|one| one["text"].as_str().is_some_and(|text| text.starts_with(answer)));
    let candidate = candidate.expect("there");
    assert_eq!(candidate["cites"], "list", "{candidate}");
    let lists = desk.exported("ranking");
    let is_own = |list: &&Value| {
        ["query", "collection", "retriever"].iter().all(|part| list[*part] == candidate[*part])
    };
    let list = lists.iter().find(is_own)?;
    let id = list["documents"].get(number.checked_sub(1)?)?["document"].clone();
    let documents = desk.exported("document");
    documents.iter().find(|one| one["id"] == id).map(|one| one["text"].as_str().expect("a text").to_owned())
}

#[test]
fn a_citation_never_leads_into_the_list_of_another_answer() {
    // Two answers of one retriever that were given other documents.
    let desk = Desk::new();
    desk.file(
        "two.csv",
        "question,system,retriever,answer,passages\nQ,s1,bm25,x [1],P1 || P2\nQ,s2,bm25,y [1],P2 || P3\n",
    );
    let (_, told) = desk.fails(&["import", "study.db", "two.csv"]);
    assert!(
        told.contains("line 3: 'bm25' has other documents for this question at line 2; name a field that tells the lists apart"),
        "{told}"
    );
    desk.out(&["import", "study.db", "two.csv", "--map", "retriever=system"]);
    assert_eq!(cited(&desk, "y", 1).as_deref(), Some("P2"));
    // A system that was given nothing cites nothing, though others were given something.
    let desk = Desk::new();
    desk.file("none.csv", "question,system,answer,passages\nQ,a,x [1],P1 || P2\nQ,b,y [1],\n");
    let told = desk.out(&["import", "study.db", "none.csv"]);
    assert!(told.contains("  1 citation leads to no document, the first at line 3"), "{told}");
    assert_eq!(cited(&desk, "y", 1), None);
    // Two files of RAGChecker.
    let desk = Desk::new();
    for (name, texts) in [("a", ["P1", "P2"]), ("b", ["P3", "P4"])] {
        let given: Vec<Value> =
            texts.iter().map(|text| json!({"doc_id": text.to_lowercase(), "text": text})).collect();
        let result = json!({"query_id": "1", "query": "Q", "gt_answer": "G", "response": format!("{name} [1]"),
            "retrieved_context": given});
        desk.file(&format!("{name}.json"), json!({"results": [result]}).to_string());
    }
    desk.out(&["import", "study.db", "a.json", "b.json"]);
    assert_eq!((cited(&desk, "a", 1), cited(&desk, "b", 1)), (Some("P1".to_owned()), Some("P3".to_owned())));
    // Documents that come later than the answers.
    let desk = Desk::new();
    desk.file("bare.csv", "question,system,answer\nQ,s0,x [1]\nQ,s1,y [1]\n");
    desk.file("full.csv", "question,system,answer,passages\nQ,s0,x [1],A. || B.\nQ,s1,y [1],B. || A.\n");
    desk.out(&["import", "study.db", "bare.csv"]);
    desk.out(&["import", "study.db", "full.csv"]);
    assert_eq!(cited(&desk, "y", 1).as_deref(), Some("B."));
    desk.out(&["import", "other.db", "full.csv"]);
    desk.out(&["merge", "other.db", "study.db"]);
    assert!(desk.out(&["import", "study.db", "bare.csv"]).contains("nothing new"));
}

#[test]
fn places_without_a_document_and_columns_by_number_keep_their_numbers() {
    let desk = Desk::new();
    let row =
        json!({"user_input": "Q", "response": "x [3], [2]", "retrieved_contexts": ["P1", null, "P3", "P4"]});
    desk.file("a.jsonl", row.to_string());
    let told = desk.out(&["import", "study.db", "a.jsonl"]);
    assert!(told.contains("  1 citation leads to no document"), "{told}");
    assert_eq!(desk.exported("candidate")[0]["text"], "x [2], [0]");
    assert_eq!(cited(&desk, "x", 2).as_deref(), Some("P3"));
    let desk = Desk::new();
    let header = "question,system,answer,passage_1,passage_10,passage_2,passage_1_score";
    desk.file("b.csv", format!("{header}\nQ,s,x [2] [1],P1,P10,P2,0.9\nR,s,y [2],,P10,P2,0.9\n"));
    let told = desk.out(&["import", "study.db", "b.csv", "--map", "documents=passage_*"]);
    assert!(told.ends_with("kept in meta: passage_1_score\n"), "{told}");
    assert_eq!(cited(&desk, "x", 2).as_deref(), Some("P2"));
    assert_eq!(cited(&desk, "y", 1).as_deref(), Some("P2"));
    // A score beside an answer is no system.
    let desk = Desk::new();
    desk.file("c.csv", "question,answer_A,answer_A_bleu,answer_B\nQ,x,0.5,y\n");
    assert!(desk.out(&["import", "study.db", "c.csv"]).contains("2 candidates"));
    // Rows that say a list again say nothing twice, and a list may come row by row.
    let desk = Desk::new();
    desk.file(
        "d.csv",
        "question,system,answer,passage\nQ,a,x [2],A.\nQ,a,x [2],B.\nQ,a,x [2],A.\nQ,a,x [2],B.\n",
    );
    let told = desk.out(&["import", "study.db", "d.csv"]);
    assert!(!told.contains("twice") && !told.contains("no document"), "{told}");
    assert_eq!(cited(&desk, "x", 2).as_deref(), Some("B."));
    // Where such a list has a gap, or a passage twice, places behind it would be others.
    let refused = |name: &str, rows: &str, what: &str| {
        desk.file(name, format!("question,system,passage,answer\n{rows}"));
        let (_, told) = desk.fails(&["import", "rows.db", name]);
        assert!(told.contains(what), "{told}");
    };
    refused(
        "gap.csv",
        "Q,b,,b [1][2]\nQ,b,A.,b [1][2]\nQ,b,B.,b [1][2]\n",
        "has a row without a passage before others",
    );
    refused(
        "two.csv",
        "Q,b,A.,b [3]\nQ,b,A.,b [3]\nQ,b,C.,b [3]\n",
        "in two rows, and an answer cites by places; give the",
    );
    // Passages of each answer of a row go to the answer of that letter.
    let desk = Desk::new();
    desk.file("wide.csv", "question,answer_A,answer_B,context_A,context_B\nQ,a [1],b [1],Alpha.,Beta.\n");
    desk.out(&["import", "study.db", "wide.csv", "--map", "documents=context_*"]);
    assert_eq!(
        (cited(&desk, "a", 1), cited(&desk, "b", 1)),
        (Some("Alpha.".to_owned()), Some("Beta.".to_owned()))
    );
    // A row without its system is refused.
    desk.file("e.csv", "question,system,answer,passages\nQ,a,x,P\nQ,,y [1],P\n");
    let (_, told) = desk.fails(&["import", "e.db", "e.csv"]);
    assert!(
        told.contains("line 3: system | model is missing or empty; name the field with the system"),
        "{told}"
    );
}

#[test]
fn labels_are_read_as_people_mean_them() {
    let desk = Desk::new();
    desk.file(
        "r.csv",
        "question_id,question,contexts,response,system,annotator,good,stars,why\n\
         Q1,Where?,P1 || P2,x [1],a,ann,No,4.0,one\n\
         Q1,Where?,P1 || P2,x [1],a,bo, no,4,nan\nQ1,Where?,P1 || P2,x [1],a,cy,yes,5,one\n",
    );
    let told = desk.out(&["import", "study.db", "r.csv", "--as-protocol", "rated"]);
    assert!(!told.contains("twice") && told.contains("1 candidate"), "{told}");
    let answers: Vec<Value> = desk.exported("judgment").iter().map(|one| one["answers"].clone()).collect();
    assert_eq!(
        answers,
        [
            json!({"good": "No", "stars": "4", "why": "one"}),
            json!({"good": "No", "stars": "4"}),
            json!({"good": "yes", "stars": "5", "why": "one"}),
        ]
    );
    // The choice that denies is last, whichever came first.
    let protocol = std::fs::read_to_string(desk.path("rated.toml")).expect("written");
    assert!(protocol.find("\"yes\"") < protocol.find("\"No\""), "{protocol}");
    // Under another protocol the same bytes are other judgments.
    let told = desk.out(&["import", "study.db", "r.csv", "--as-protocol", "again"]);
    assert!(told.contains("(labels): 1 protocol, 3 judgments came in"), "{told}");
    let told = desk.out(&["import", "study.db", "r.csv", "--as-protocol", "rated"]);
    assert_eq!(told.matches("nothing new").count(), 2, "{told}");
    // Each score of a trace is a label, and an evaluator is no person.
    let trace = json!({"id": "t", "timestamp": "2026-01-05T08:00:00Z", "name": "mill", "input": {"question": "Who?"},
        "output": {"answer": "Ida"}, "scores": [
            {"name": "faithful", "value": 1, "source": "EVAL"}, {"name": "short", "value": 0, "source": "EVAL"}]});
    desk.file("traces.jsonl", format!("{trace}\n"));
    let told = desk.out(&["import", "traces.db", "traces.jsonl"]);
    assert!(!told.contains("no judgment holds"), "{told}");
    let all = desk.out(&["export", "traces.db"]);
    assert!(
        all.contains(r#""id":"EVAL","kind":"model""#) && all.contains(r#""faithful":"1","short":"0""#),
        "{all}"
    );
    // Topics from another system's editor.
    desk.file("topics.tsv", "1\tWho wakes?\r\n2\tWho sleeps?\r\n");
    desk.out(&["import", "topics.db", "topics.tsv"]);
    assert!(!desk.out(&["export", "topics.db"]).contains("\\r"));
}

/// As RAGChecker's `computation.py` has it: precision is the mean of `answer2response`, over the claims of the response, and recall
/// that of `response2answer`, over the claims of the reference.
#[test]
fn verdicts_of_ragchecker_stand_with_the_claims_that_they_are_on() {
    let desk = Desk::new();
    let result = json!({"query_id": "1", "query": "Why?", "gt_answer": "G.", "response": "R.",
        "retrieved_context": [{"doc_id": "d1", "text": "P1"}],
        "response_claims": [["a", "is", "b"], ["a", "is", "c"]], "answer2response": ["Entailment", "Contradiction"],
        "gt_answer_claims": [["g", "is", "h"], ["g", "is", "i"], ["g", "is", "k"]],
        "response2answer": ["Neutral", "Entailment", "Neutral"],
        "retrieved2response": [["Entailment"], ["Neutral"]], "retrieved2answer": [["Neutral"], ["Neutral"], ["Neutral"]],
        "metrics": {}});
    desk.file("out.json", json!({"results": [result], "metrics": {}}).to_string());
    desk.out(&["import", "study.db", "out.json"]);
    let texts: BTreeMap<String, String> = desk
        .exported("unit")
        .iter()
        .map(|unit| {
            (unit["id"].as_str().expect("id").to_owned(), unit["text"].as_str().expect("text").to_owned())
        })
        .collect();
    let said: BTreeMap<String, String> = desk
        .exported("judgment")
        .iter()
        .map(|one| {
            let text = &texts[one["unit"].as_str().expect("unit")];
            (text.clone(), one["answers"]["entailed"].as_str().expect("a verdict").to_owned())
        })
        .collect();
    let expected = [
        ("a is b", "Entailment"),
        ("a is c", "Contradiction"),
        ("g is h", "Neutral"),
        ("g is i", "Entailment"),
        ("g is k", "Neutral"),
    ];
    let expected = expected.map(|(text, verdict)| (text.to_owned(), verdict.to_owned()));
    assert_eq!(said, BTreeMap::from(expected));
    // A score of Langfuse that is a word stays one.
    let trace = json!({"id": "t", "timestamp": "2026-01-05T08:00:00Z", "name": "mill", "input": {"question": "Who?"},
        "output": {"answer": "Ida"}, "scores": [
            {"name": "tone", "value": 0, "stringValue": "rude", "dataType": "CATEGORICAL", "source": "ANNOTATION"},
            {"name": "stars", "value": 3, "stringValue": null, "dataType": "NUMERIC", "source": "ANNOTATION"}]});
    desk.file("traces.json", json!([trace]).to_string());
    desk.out(&["import", "traces.db", "traces.json"]);
    let all = desk.out(&["export", "traces.db"]);
    assert!(all.contains(r#""answers":{"tone":"rude","stars":"3"}"#), "{all}");
}

#[test]
fn a_table_revises_answers_and_no_list() {
    let desk = Desk::new();
    desk.file("a.csv", "question,system,answer,passages\nQ,a,x [2],P1 || P1 || P2\nQ,b,y [1],P1\n");
    desk.out(&["import", "study.db", "a.csv"]);
    let revise = |name: &str, text: &str| {
        desk.file(name, text);
        desk.out(&["revise", "study.db", name, "--as", "lena", "--reason", "read again"])
    };
    let refused = |name: &str, text: &str, what: &str| {
        desk.file(name, text);
        let (_, told) = desk.fails(&["revise", "study.db", name, "--as", "lena", "--reason", "read again"]);
        assert!(told.contains(what), "{told}");
    };
    refused(
        "list.csv",
        "question,system,answer,passages\nQ,b,y [1],P5\n",
        "the study has other documents for b of query",
    );
    refused(
        "bare.csv",
        "question,system,answer\nQ,a,better [3]\n",
        "line 2: the citations of the answer were counted anew",
    );
    refused(
        "none.csv",
        "question,system,answer\nQ,b,y [1]\nQ,a,\n",
        "line 3: answer | summary | response is missing or empty",
    );
    let told =
        revise("b.csv", "question,system,answer,passages\nQ,a,better [3],P1 || P1 || P2\nQ,b,y [1],P1\n");
    assert!(told.contains("better"), "{told}");
    let to = &desk.exported("amendment")[0]["to"];
    assert_eq!((&to["text"], &to["meta"]["as_given"]), (&json!("better [2]"), &json!("better [3]")));
    // The file from before says nothing new, and a column more comes to the answer without undoing what was put right.
    assert!(desk.out(&["import", "study.db", "a.csv"]).contains("nothing new"));
    desk.file(
        "more.csv",
        "question,system,answer,passages,bleu\nQ,a,x [2],P1 || P1 || P2,0.5\nQ,b,y [1],P1,0.25\n",
    );
    desk.out(&["import", "study.db", "more.csv"]);
    let shown = desk.out(&["export", "study.db", "--what", "corpus"]);
    assert!(shown.contains("better [2]") && shown.contains(r#""bleu":"0.25""#), "{shown}");
}

/// What could be read in two ways is refused at its line: two values under one name, a quote that ends a text too early.
#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    let cases = [
        (
            "twice.jsonl",
            "{\"question\":\"Q?\",\"system\":\"A\",\"answer\":\"x\",\"answer\":\"y\"}\n",
            "\"answer\" stands twice",
        ),
        (
            "twice.json",
            "[{\"question\":\"Q?\",\"system\":\"A\",\"answer\":\"x\",\"answer\":\"y\"}]",
            "\"answer\" stands twice",
        ),
        (
            "quote.csv",
            "question,system,answer\nQ?,A,\"he said \"hi\" there\"\n",
            "line 2: a quote within a text in quotes stands alone",
        ),
        (
            "glued.csv",
            "question,system,answer\nQ?,A,\"one\"two\n",
            "line 2: a quote within a text in quotes stands alone",
        ),
        (
            "excel.csv",
            "sep=;\r\nquestion;system;answer\r\nQ?;A;x\r\n",
            "line 1: it only tells a spreadsheet the separator",
        ),
    ];
    for (name, text, told) in cases {
        let desk = Desk::new();
        desk.file(name, text);
        let (_, said) = desk.fails(&["import", "study.db", name]);
        assert!(said.contains(told), "{name}: {said}");
    }
    // A quote in a text without quotes, two in one with quotes, and bars between cells mean one thing.
    let desk = Desk::new();
    desk.file(
        "plain.csv",
        "\u{feff}\"question\",system,answer\nQ?,A,5\" or \"6\"\nQ2?,A,\"say \"\"hi\"\"\"\n",
    );
    desk.file("bars.csv", "question|system|answer\nQ3?|A|x, y\n");
    desk.out(&["import", "study.db", "plain.csv", "bars.csv"]);
    let texts = lines_of(&desk, "study.db").join("\n");
    for text in [r#""text":"5\" or \"6\"""#, r#""text":"say \"hi\"""#, r#""text":"x, y""#] {
        assert!(texts.contains(text), "{text} in {texts}");
    }
}

/// A table with a row for each question, each with a time of its own: whatever the order of rows and files, the judgment has all
/// answers, the later one of each question counts, and a second is counted once.
#[test]
fn rows_of_a_question_each_are_parts_of_one_judgment() {
    let desk = Desk::new();
    desk.file(
        "map.toml",
        r#"
name = "long"
needs = ["question_key", "value", "annotator", "answer_id"]
[query]
id = "qid"
text = "question"
[[candidate]]
id = "answer_id"
summarizer = "system"
text = "answer"
[[candidate.judgment]]
protocol = "'quality'"
annotator = "annotator"
at = "at"
seconds = "seconds"
comment = "comment"
answers = { each = ".", key = "question_key", value = "value" }
"#,
    );
    let rated = |key: &str| {
        format!(
            "[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\nkind = \"choice\"\nscale = \"1..5\"\nends = [\"bad\", \"good\"]\n"
        )
    };
    let tags = "[[question]]\nkey = \"fail\"\nprompt = \"fail\"\nkind = \"tags\"\nrequired = false\ntags = [{ value = \"off\", label = \"off\", key = \"n\" }, { value = \"old\", label = \"old\", key = \"p\" }]\n";
    let tables = rated("fluency") + &rated("facts") + tags;
    desk.file("quality.toml", about_summaries("quality", 1, "query", &tables));
    let row = |key: &str, value: &str, at: &str, seconds: u32, comment: &str| {
        format!("q1,Why?,a1,s1,Because.,Ann,{key},{value},2026-01-{at}Z,{seconds},{comment}\n")
    };
    let fluency = row("fluency", "4", "01T10:00:00", 10, "smooth");
    let facts = row("facts", "2", "01T10:00:30", 12, "wrong date");
    let again = row("facts", "5", "02T10:00:00", 3, "");
    let fluent = row("fluency", "5", "02T10:00:09", 4, "");
    let files: [(&str, &[&String]); 7] = [
        ("both.csv", &[&fluency, &facts]),
        ("turned.csv", &[&facts, &fluency]),
        ("first.csv", &[&fluency]),
        ("second.csv", &[&facts]),
        ("later.csv", &[&again, &fluency]),
        // As pandas melts a table of two rounds.
        ("melted.csv", &[&fluency, &fluent, &facts, &again]),
        ("copied.csv", &[&fluency, &fluency, &facts]),
    ];
    for (name, rows) in files {
        let head = "qid,question,answer_id,system,answer,annotator,question_key,value,at,seconds,comment\n";
        desk.file(name, head.to_owned() + &rows.iter().map(|row| row.as_str()).collect::<String>());
    }
    let study = |name: &str, files: &[&str]| {
        desk.out(&["init", name]);
        desk.out(&["protocol", "add", name, "quality.toml"]);
        let told = desk.out(&[&["import", name, "--map", "map.toml"][..], files].concat());
        (judgment(&desk, name), told)
    };
    let whole = (json!({"fluency": "4", "facts": "2"}), json!(22.0));
    let orders: [&[&str]; 8] = [
        &["both.csv"],
        &["turned.csv"],
        &["both.csv", "turned.csv"],
        &["first.csv", "second.csv"],
        &["second.csv", "first.csv"],
        &["first.csv", "both.csv"],
        &["both.csv", "second.csv"],
        &["copied.csv"],
    ];
    for (place, files) in orders.into_iter().enumerate() {
        let (found, told) = study(&format!("{place}.db"), files);
        assert_eq!((found["answers"].clone(), found["seconds"].clone()), whole, "{files:?}: {told}");
        assert_eq!(found["comment"], "smooth\nwrong date", "{files:?}");
        assert!(!told.contains("no answer although"), "{told}");
    }
    for (name, files) in [("r.db", &["both.csv", "later.csv"][..]), ("s.db", &["later.csv", "both.csv"])] {
        let (found, told) = study(name, files);
        assert_eq!(found["answers"], json!({"fluency": "4", "facts": "5"}), "{files:?}: {told}");
        assert_eq!(found["seconds"], 25.0, "{files:?}: {told}");
    }
    let (found, told) = study("m.db", &["melted.csv"]);
    assert_eq!(found["answers"], json!({"fluency": "5", "facts": "5"}), "{told}");
    assert_eq!(found["seconds"], 29.0, "{told}");
    // Two people import a part each; the merge has both.
    study("one.db", &["first.csv"]);
    study("other.db", &["second.csv"]);
    desk.out(&["merge", "one.db", "other.db"]);
    let found = judgment(&desk, "one.db");
    assert_eq!((found["answers"].clone(), found["seconds"].clone()), whole);
    // Several tags are one answer, in rows of their own or in one cell.
    let ticked = [row("fail", "off", "01T10:00:05", 1, ""), row("fail", "old", "01T10:00:09", 1, "")];
    desk.file(
        "ticked.csv",
        std::fs::read_to_string(desk.path("both.csv")).expect("written") + &ticked.concat(),
    );
    let (found, told) = study("t.db", &["ticked.csv"]);
    assert_eq!(found["answers"], json!({"fluency": "4", "facts": "2", "fail": ["off", "old"]}), "{told}");
    desk.file(
        "cell.csv",
        std::fs::read_to_string(desk.path("both.csv")).expect("written")
            + &row("fail", "off;old", "01T10:00:05", 1, ""),
    );
    let (found, told) = study("c.db", &["cell.csv"]);
    assert_eq!(found["answers"]["fail"], json!(["off", "old"]), "{told}");
    let head = "qid,question,answer_id,system,answer,annotator,question_key,value,at,seconds,comment\n";
    let [one, other] = &ticked;
    desk.file("turned_ticks.csv", head.to_owned() + other + one);
    let (found, told) = study("u.db", &["ticked.csv", "turned_ticks.csv"]);
    assert_eq!(
        (&found["answers"]["fail"], &found["seconds"]),
        (&json!(["off", "old"]), &json!(24.0)),
        "{told}"
    );
    // An export of the judgment says again what its rows said, and how long all of them took.
    desk.file("export.jsonl", desk.out(&["export", "0.db", "--what", "judgments", "--names"]));
    desk.out(&["import", "0.db", "export.jsonl"]);
    let found = judgment(&desk, "0.db");
    assert_eq!((found["answers"].clone(), found["seconds"].clone()), whole);
    // A judgment that counts as a whole stands beside rows of later, whichever came first.
    let wide = json!({"type":"judgment","protocol":"quality","annotator":"Ann","query":"q1","candidate":"a1",
        "answers":{"fluency":"1"},"at":"2026-01-01T10:00:10Z","seconds":3});
    study("w.db", &["second.csv"]);
    desk.file("wide.jsonl", format!("{wide}\n"));
    desk.out(&["import", "w.db", "wide.jsonl"]);
    let found = judgment(&desk, "w.db");
    assert_eq!(
        (&found["answers"], &found["seconds"]),
        (&json!({"fluency": "1", "facts": "2"}), &json!(15.0))
    );
    // The first cell may be blank, and a field that is another in each row is told and left out.
    desk.file(
        "lab.csv",
        "question,answer_id,system,answer,annotator,criterion,value,sure\n\
         Why?,a1,s1,Because.,Ann,fluency,,\nWhy?,a1,s1,Because.,Ann,facts,3,high\nWhy?,a1,s1,Because.,Ann,tone,4,low\n",
    );
    let told = desk.out(&["import", "lab.db", "lab.csv"]);
    assert!(told.contains("(lab_questions)") && told.contains("sure"), "{told}");
    assert_eq!(judgment(&desk, "lab.db")["answers"], json!({"facts": "3", "tone": "4"}));
    // What is said again later counts as said then, whatever the order of the rows.
    let day = |value: &str, day: u32| row("fluency", value, &format!("0{day}T10:00:00"), 1, "");
    for order in [[1, 2, 3], [1, 3, 2], [3, 1, 2], [3, 2, 1], [2, 1, 3], [2, 3, 1]] {
        let rows: String = order.iter().map(|at| day(["4", "5", "4"][*at as usize - 1], *at)).collect();
        let name = format!("days{}.csv", order.map(|at| at.to_string()).concat());
        desk.file(&name, head.to_owned() + &rows);
        let (found, told) = study(&format!("{name}.db"), &[&name]);
        assert_eq!(
            (&found["answers"]["fluency"], &found["seconds"]),
            (&json!("4"), &json!(3.0)),
            "{order:?} {told}"
        );
    }
}

/// A long table with texts, as a lab writes it: the column with the questions is no label, and a note is a comment.
#[test]
fn a_lab_table_of_questions_needs_no_map() {
    let desk = Desk::new();
    let row = |key: &str, value: &str, second: u32, note: &str| {
        format!("7,Why?,a1,So.,s1,Ann,{key},{value},2026-01-01T10:00:{second:02}Z,{note}\n")
    };
    let table = |rows: &[String]| {
        let head = "id,question,answer_id,answer,system,annotator,question_key,value,at,notes\n";
        head.to_owned() + &rows.concat()
    };
    desk.file("q.csv", table(&[row("fluency", "4", 0, "smooth"), row("facts", "2", 9, "")]));
    desk.out(&["import", "study.db", "q.csv"]);
    let found = judgment(&desk, "study.db");
    assert_eq!(
        (&found["answers"], &found["comment"]),
        (&json!({"fluency":"4","facts":"2"}), &json!("smooth"))
    );
    // One refused row takes no other with it, and is told by its line.
    desk.file(
        "two.csv",
        table(&[row("fluency", "4", 0, ""), row("fluency", "5", 0, ""), row("facts", "2", 0, "")]),
    );
    let (_, told) = desk.fails(&["import", "bad.db", "two.csv"]);
    assert!(told.contains("line 3: Ann has another answer to \"fluency\" for candidate \"a1\""), "{told}");
    let told = desk.out(&["import", "bad.db", "two.csv", "--skip-bad"]);
    assert!(told.contains("left out (1):\n    line 3: "), "{told}");
    assert_eq!(judgment(&desk, "bad.db")["answers"], json!({"fluency":"4","facts":"2"}));
}

/// Two people's files of ratings with texts: under the names of the files, unless somebody names one protocol.
#[test]
fn files_of_several_people_come_in_under_one_protocol() {
    let desk = Desk::new();
    let table = |who: &str, [first, second]: [u8; 2]| {
        format!(
            "question,answer,answer_id,system,annotator,fluency\nWhy?,So.,a1,s1,{who},{first}\nHow?,Thus.,a2,s1,{who},{second}\n"
        )
    };
    desk.file("ann.csv", table("Ann", [4, 2]));
    desk.file("bob.csv", table("Bob", [3, 5]));
    let told = desk.out(&["import", "apart.db", "ann.csv", "bob.csv"]);
    assert!(!told.contains("there is nothing in it"), "{told}");
    assert!(told.contains("under the protocol \"bob\"") && told.contains("--as-protocol NAME"), "{told}");
    let told = desk.out(&["import", "study.db", "ann.csv", "bob.csv", "--as-protocol", "quality"]);
    assert!(!told.contains("the file's name"), "{told}");
    assert_eq!(desk.agreement(&["agree", "study.db"])["items"], 2);
}

/// A judgment that stands without a time gets that of an export, also of one without its journal.
#[test]
fn an_export_without_its_journal_brings_times_and_seconds() {
    let desk = Desk::new();
    let tables = r#"[[question]]
key = "clear"
prompt = "Is it clear?"
kind = "choice"
scale = "1..5"
ends = ["no", "yes"]
"#;
    desk.file("talk.toml", about_summaries("talk", 1, "query", tables));
    let corpus = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"candidate","collection":"c","query":"q","id":"a","summarizer":"s","text":"A."}),
        json!({"type":"annotator","id":"zoe","kind":"human"}),
    ];
    desk.file("corpus.jsonl", corpus.map(|record| record.to_string()).join("\n"));
    let judged = |seconds: f64, at: Value| {
        json!({"type":"judgment","protocol":"talk","annotator":"zoe","collection":"c","query":"q","candidate":"a",
            "answers":{"clear":"4"},"seconds":seconds,"at":at})
    };
    desk.file("timed.jsonl", judged(12.5, json!("2026-01-01T10:00:00Z")).to_string());
    desk.file("untimed.jsonl", judged(30.0, Value::Null).to_string());
    for study in ["from.db", "to.db"] {
        desk.out(&["init", study]);
        desk.out(&["protocol", "add", study, "talk.toml"]);
    }
    desk.out(&["import", "from.db", "corpus.jsonl", "timed.jsonl"]);
    let export = desk.out(&["export", "from.db"]);
    let told: Vec<&str> = export.lines().filter(|line| !line.contains(r#""type":"journal""#)).collect();
    desk.file("told.jsonl", told.join("\n"));
    desk.out(&["import", "to.db", "corpus.jsonl", "untimed.jsonl"]);
    for file in ["told.jsonl", "told.jsonl", "untimed.jsonl"] {
        desk.out(&["import", "to.db", file]);
        let found = judgment(&desk, "to.db");
        assert_eq!(
            (&found["seconds"], &found["at"]),
            (&json!(12.5), &json!("2026-01-01T10:00:00Z")),
            "{file}"
        );
    }
    let told = desk.out(&["import", "from.db", "told.jsonl"]);
    assert!(told.contains("nothing new"), "{told}");
}

/// `--map` beside a map that fits, where the first record has no answer.
#[test]
fn a_first_record_without_an_answer_is_known_by_the_next() {
    let desk = Desk::new();
    let records = json!([{"question":"Why?","system":"a","answer":null}, {"question":"How?","system":"a","answer":"x"}]);
    desk.file("list.json", records.to_string());
    desk.file(
        "lines.jsonl",
        records.as_array().expect("a list").iter().map(|one| format!("{one}\n")).collect::<String>(),
    );
    for file in ["list.json", "lines.jsonl"] {
        let study = format!("{file}.db");
        let (_, told) = desk.fails(&["import", &study, file]);
        assert!(told.contains("answer | summary | response is missing or empty"), "{told}");
        desk.out(&["import", &study, file, "--map", "answer=answer | ''"]);
        let texts: Vec<Value> = desk
            .out(&["export", &study])
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let texts =
            texts.iter().filter(|record| record["type"] == "candidate").map(|record| record["text"].as_str());
        assert_eq!(texts.collect::<std::collections::BTreeSet<_>>(), [Some(""), Some("x")].into(), "{file}");
    }
}

/// What a person said of an answer in promptfoo's viewer, which is one of the component results.
#[test]
fn ratings_by_hand_in_promptfoo_are_judgments() {
    let desk = Desk::new();
    let result = |text: &str, graded: Value| json!({"provider": {"id": text}, "vars": {"question": "Why?"}, "response": {"output": text}, "gradingResult": graded});
    let by_hand = json!({"pass": false, "score": 0, "reason": "Manual result", "comment": "no source", "assertion": {"type": "human"}});
    let by_rule =
        json!({"pass": true, "score": 1, "reason": "", "assertion": {"type": "contains", "value": "x"}});
    let results = [
        result("rated", json!({"pass": false, "score": 0, "componentResults": [by_rule, by_hand]})),
        result("tested", json!({"pass": true, "score": 1, "componentResults": [by_rule]})),
        result("bare", Value::Null),
    ];
    desk.file("results.json", json!({"results": {"version": 3, "results": results}}).to_string());
    desk.out(&["import", "study.db", "results.json"]);
    let found = judgment(&desk, "study.db");
    assert_eq!((&found["answers"], &found["comment"]), (&json!({"pass":"no"}), &json!("no source")));
}

/// One question, with its umlauts in one character each and in two.
#[test]
fn a_question_in_two_forms_of_unicode_is_one() {
    let desk = Desk::new();
    let composed = "Wie gro\u{df} ist die Br\u{fc}cke?";
    let table = |question: &str, system: &str| format!("question,system,answer\n{question},{system},Lang.\n");
    desk.file("win.csv", table(composed, "a"));
    desk.file("mac.csv", table(&composed.replace('\u{fc}', "u\u{308}"), "b"));
    desk.out(&["import", "study.db", "win.csv"]);
    desk.out(&["import", "study.db", "mac.csv"]);
    let queries = desk.exported("query");
    assert_eq!((queries.len(), &queries[0]["text"]), (1, &json!(composed)));
    assert_eq!(desk.exported("candidate").len(), 2);
}

/// Potato's own files: a state has pairs of a label and its value, a table a column for each label.
#[test]
fn annotations_of_potato_come_in_as_it_writes_them() {
    let desk = Desk::new();
    let corpus = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"Why?"}),
        json!({"type":"candidate","collection":"c","query":"q","id":"k.1","summarizer":"s","text":"So."}),
    ];
    desk.file("corpus.jsonl", corpus.map(|record| record.to_string()).join("\n"));
    let said = |schema: &str, name: &str, value: &str| json!([{"schema": schema, "name": name}, value]);
    let labels = [
        said("tone", "kind", "1"),
        said("off", "late", "true"),
        said("off", "long", "true"),
        said("why", "text_box", "Vague."),
    ];
    let state = json!({"user_id": "ann", "instance_id_ordering": ["k.1"], "instance_id_to_label_to_value": {"k.1": labels},
        "instance_id_to_span_to_value": {"k.1": []}});
    desk.file("user_state.json", state.to_string());
    let table = "user,instance_id,displayed_text,tone:::kind,tone:::rude,off:::late,off:::long,why:::text_box\nann,k.1,So.,1,,true,true,Vague.\n";
    desk.file("annotated_instances.csv", table);
    for file in ["user_state.json", "annotated_instances.csv"] {
        let study = format!("{file}.db");
        desk.out(&["import", &study, "corpus.jsonl", file]);
        let answers = json!({"tone": "kind", "off": ["late", "long"], "why": "Vague."});
        assert_eq!(judgment(&desk, &study)["answers"], answers, "{file}");
    }
}

/// The only judgment of a study.
fn judgment(desk: &Desk, study: &str) -> Value {
    let all = desk.out(&["export", study, "--what", "judgments", "--with-text"]);
    let lines: Vec<&str> = all.lines().filter(|line| line.contains(r#""type":"judgment""#)).collect();
    assert_eq!(lines.len(), 1, "{all}");
    serde_json::from_str(lines[0]).expect("JSON")
}

/// Of a folder with lists, too: a record of the corpus has more columns than the table of candidates asks for.
#[test]
fn a_published_folder_with_lists_is_known_by_its_columns() {
    let desk = Desk::new();
    desk.file(
        "a.jsonl",
        json!({"question": "Who?", "contexts": ["c1", "c2"], "answer": "Ida [2].", "ground_truth": "Ida"})
            .to_string(),
    );
    desk.out(&["import", "study.db", "a.jsonl"]);
    desk.out(&["export", "study.db", "--what", "dataset", "-o", "published"]);
    desk.out(&["import", "again.db", "published/corpus.csv", "published/candidates.csv"]);
    assert_eq!(desk.out(&["export", "again.db"]), desk.out(&["export", "study.db"]));
}

/// What stands in a list within a list is named when the judgments are read: no rater's name is left to `meta`.
#[test]
fn what_a_map_reads_in_an_inner_list_is_not_kept_in_meta() {
    let desk = Desk::new();
    let ratings = json!([{"rater": "ann", "score": 4}, {"rater": "bo", "score": 2}]);
    let document = json!({"text": "Ida keeps it.", "rater": "cy", "grade": 1, "page": 7});
    let output = json!({"system": "a", "text": "Ida [1].", "ratings": ratings, "claims": ["Ida"], "tokens": 9,
        "read": [{"text": "Read.", "rater": "di", "grade": 0}]});
    desk.file("n.json", json!([{"q": "Who?", "docs": [document], "outputs": [output]}]).to_string());
    desk.file(
        "n.toml",
        r#"name = "nested"
[query]
text = "q"
[[document]]
each = "docs[]"
text = "text"
[[document.judgment]]
protocol = "'grades'"
annotator = "rater"
answers = { grade = "grade" }
[[candidate]]
each = "outputs[]"
text = "text"
summarizer = "system"
retriever = "system"
[[candidate.document]]
each = "read[]"
text = "text"
[[candidate.document.judgment]]
protocol = "'grades'"
annotator = "rater"
answers = { grade = "grade" }
[[candidate.unit]]
each = "claims[]"
kind = "'claim'"
text = "."
[[candidate.judgment]]
each = "ratings[]"
protocol = "'stars'"
annotator = "rater"
answers = { score = "score" }
"#,
    );
    let told = desk.out(&["import", "study.db", "n.json", "--map", "n.toml"]);
    assert!(told.contains("kept in meta: page, tokens\n"), "{told}");
    assert_eq!(desk.exported("candidate")[0]["meta"], json!({"tokens": 9}));
    let metas: Vec<Value> = desk.exported("document").iter().map(|one| one["meta"].clone()).collect();
    assert_eq!(metas, [json!({"page": 7}), Value::Null]);
    let mut people: Vec<String> =
        desk.exported("judgment").iter().map(|one| one["annotator"].to_string()).collect();
    people.sort();
    assert_eq!(people, [r#""ann""#, r#""bo""#, r#""cy""#, r#""di""#]);
    desk.out(&["export", "study.db", "--what", "dataset", "-o", "published"]);
    for file in fs::read_dir(desk.path("published")).expect("a folder") {
        let text = fs::read_to_string(file.expect("an entry").path()).expect("UTF-8");
        assert!(!text.contains("rater") && !text.contains("\"ann\""), "{text}");
    }
}

/// A text from a corpus comes with its title, and with what else the corpus says of it.
#[test]
fn texts_of_a_corpus_come_with_their_titles() {
    let desk = Desk::new();
    desk.file("topics.tsv", "q1\tWho keeps it?\n");
    desk.file("run.txt", "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\n");
    desk.file(
        "corpus.jsonl",
        "{\"_id\": \"d1\", \"title\": \"Keepers\", \"text\": \"Ida.\", \"url\": \"u1\", \"headings\": \"H\"}\n\
         {\"_id\": \"d2\", \"title\": \"\", \"text\": \"Ed.\"}\n{\"_id\": \"d9\", \"title\": \"\", \"text\": \"No.\", \"other\": 1}\n",
    );
    let import = ["import", "study.db", "topics.tsv", "run.txt", "--texts", "corpus.jsonl"];
    let told = desk.out(&import);
    let said =
        "corpus.jsonl: 2 texts came in\n  fields that the map does not name, kept in meta: headings, url\n";
    assert!(told.ends_with(said), "{told}");
    let documents = desk.exported("document");
    assert_eq!((&documents[0]["title"], &documents[0]["text"]), (&json!("Keepers"), &json!("Ida.")));
    assert_eq!(documents[0]["meta"], json!({"url": "u1", "headings": "H"}));
    assert_eq!((&documents[1]["title"], &documents[1]["meta"]), (&Value::Null, &Value::Null));
    desk.is_settled(&import);
    // A study that knew the names alone learns the same.
    desk.out(&["import", "later.db", "topics.tsv", "run.txt"]);
    desk.out(&["import", "later.db", "topics.tsv", "run.txt", "--texts", "corpus.jsonl"]);
    assert_eq!(by_type(&desk.out(&["export", "later.db"])), by_type(&desk.out(&["export", "study.db"])));
}

#[test]
fn an_empty_reference_is_no_unit() {
    let desk = Desk::new();
    let old = |truth: Value| json!({"question": "Who?", "contexts": ["c"], "answer": "Ida.", "ground_truth": truth});
    let new = |truth: Value| json!({"user_input": "Who?", "retrieved_contexts": ["c"], "response": "Ida.", "reference": truth});
    let many = json!({"question": "Who?", "contexts": ["c"], "answer": "Ida.", "ground_truths": ["", "Ida"]});
    for (row, units) in [
        (old(json!("")), 0),
        (old(json!([])), 0),
        (old(json!([""])), 0),
        (new(json!("")), 0),
        (new(json!("Ida")), 1),
        (many, 1),
    ] {
        let desk = Desk::new();
        desk.file("a.jsonl", row.to_string());
        let told = desk.out(&["import", "study.db", "a.jsonl"]);
        assert!(told.contains("1 candidate"), "{told}");
        assert_eq!(desk.exported("unit").len(), units, "{row}");
        assert_eq!(desk.exported("query")[0]["meta"].is_null(), units == 0, "{row}");
    }
    // Where the text of a unit is a field, that field has to be there; where it is the element, the list is named.
    desk.file("a.jsonl", json!({"q": "Who?", "outs": [[]]}).to_string());
    desk.file(
        "a.toml",
        "name = \"a\"\n[query]\ntext = \"q\"\n[[candidate]]\neach = \"outs[]\"\ntext = \".\"\nsummarizer = \"'s'\"\n",
    );
    let (_, told) = desk.fails(&["import", "study.db", "a.jsonl", "--map", "a.toml"]);
    assert!(told.contains("line 1: outs[] is missing or empty; name the field with the answer"), "{told}");
}

#[test]
fn fields_of_an_answer_that_differ_are_named_with_both_values() {
    let desk = Desk::new();
    desk.file("r.csv", "question,system,answer,evaluator,rating\nWho?,A,Ida.,ann,4\nWho?,A,Ida.,bo,5\n");
    let said = "candidate 'A' has another meta at line 2 (\"evaluator\": 'ann' there, 'bo' here); where a person of each row says it, \
         call the person's column annotator; where it is of no use, leave it out (drop = [\"evaluator\"] in a map); \
         else give each an id of its own (--map candidate.id=…)";
    let (_, told) = desk.fails(&["import", "study.db", "r.csv"]);
    assert!(told.contains(said), "{told}");
    // Also in a later file.
    desk.file("a.csv", "question,system,answer,evaluator,rating\nWho?,A,Ida.,ann,4\n");
    desk.file("b.csv", "question,system,answer,evaluator,rating\nWho?,A,Ida.,ann,5\n");
    desk.out(&["import", "study.db", "a.csv"]);
    let (_, told) = desk.fails(&["import", "study.db", "b.csv"]);
    assert!(
        told.contains("has another meta in the study (\"rating\": '4' there, '5' here); where a person"),
        "{told}"
    );
    assert!(told.contains("`haymark revise` puts the record right"), "{told}");
}

#[test]
fn what_python_writes_for_no_value_is_named() {
    let desk = Desk::new();
    let advice = "write null where there is no value; Python's json.dumps writes it for a float that is none";
    let row = r#"{"question": "Who?", "contexts": ["c"], "answer": "é", "score": -Infinity}"#;
    desk.file("a.jsonl", format!("{}\n{row}\n", row.replace("-Infinity", "1")));
    desk.file("a.json", format!("[{}]", row.replace("-Infinity", "NaN")));
    desk.file("one.jsonl", row.replace("-Infinity", "NaN"));
    desk.file("r.jsonl", "{\"item\": \"a\", \"annotator\": \"x\", \"value\": NaN}\n");
    desk.file("h.jsonl", "{\"type\": \"collection\", \"id\": \"a\", \"meta\": {\"b\": NaN}}\n");
    for (arguments, word) in [
        (&["import", "study.db", "a.jsonl"][..], "a.jsonl, line 2, score: Infinity is no JSON (column"),
        (&["import", "study.db", "a.json"], "NaN is no JSON (column"),
        (&["import", "study.db", "one.jsonl"], "NaN is no JSON (column"),
        (&["import", "study.db", "h.jsonl"], "NaN is no JSON (column"),
        (&["agree", "r.jsonl"], "NaN is no JSON (column"),
    ] {
        let (_, told) = desk.fails(arguments);
        assert!(told.contains(word) && told.contains(advice), "{told}");
    }
    // As the whole text of an answer or a passage it comes in, and is told.
    desk.file(
        "t.csv",
        "question,system,answer,passages\nWho?,a,NaN,nan || Ida.\nWhen?,a,None so far.,Now.\n",
    );
    let told = desk.out(&["import", "study.db", "t.csv"]);
    assert!(told.contains("to be looked at (2)"), "{told}");
    for what in ["document \"d", "candidate \"a\""] {
        let line = told.lines().find(|line| line.contains(what)).expect(&told).to_owned();
        assert!(
            line.contains("line 2: ") && line.contains("which programs write where there is no value"),
            "{told}"
        );
    }
}

#[test]
fn small_things_of_an_import_are_said_as_they_are() {
    let desk = Desk::new();
    desk.file("a.csv", "question,system,answer,note\nQ,A,x,\nQ,A,x,late note\n");
    let told = desk.out(&["import", "study.db", "a.csv"]);
    assert!(told.contains("1 query, 1 candidate came in"), "{told}");
    assert!(told.contains("  rows that say more of candidates: 1\n"), "{told}");
    assert_eq!(desk.exported("candidate")[0]["meta"], json!({"note": "late note"}));
    desk.file("b.json", json!({"queries": [{"q": "Who?", "a": "Ida."}]}).to_string());
    desk.file(
        "b.toml",
        "name = \"b\"\nrecords = \"queries\"\n[query]\ntext = \"q\"\n[[candidate]]\ntext = \"a\"\nsummarizer = \"'s'\"\n",
    );
    let (_, told) = desk.fails(&["import", "b.db", "b.json", "--map", "b.toml"]);
    assert!(
        told.contains("queries: expected an object, found a list; where its elements are the records, the map says records = \"queries[]\""),
        "{told}"
    );
    desk.file("r.csv", "question,system,answer,annotator,Is it fluent?\nQ,A,x,ann,yes\nQ,A,x,bo,no\n");
    desk.out(&["import", "r.db", "r.csv", "--as-protocol", "rated"]);
    let protocol = fs::read_to_string(desk.path("rated.toml")).expect("written");
    assert!(protocol.contains("key = \"is_it_fluent\"\nprompt = \"Is it fluent?\"\n"), "{protocol}");
}

/// Texts that the given fields call questions or answers are no documents, though a corpus has the same fields.
#[test]
fn fields_that_name_a_question_and_an_answer_are_laid_over_no_corpus() {
    let desk = Desk::new();
    desk.file("ov.jsonl", "{\"id\":\"1\",\"text\":\"An answer.\",\"label\":\"good\"}\n");
    let map = ["--map", "question='Is it good?',answer=text,system='s'"];
    let told = desk.out(&[&["import", "study.db", "ov.jsonl"][..], &map].concat());
    assert!(told.contains(": 1 collection, 1 query, 1 candidate, 1 map came in"), "{told}");
    assert_eq!(desk.exported("document"), Vec::<Value>::new());
    assert_eq!(desk.exported("candidate")[0]["meta"], json!({"id":"1","label":"good"}));
    // The questions of BEIR.
    desk.file("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"Why?\"}\n{\"_id\":\"q2\",\"text\":\"Who?\"}\n");
    let told = desk.out(&["import", "beir.db", "queries.jsonl", "--map", "question=text,id=_id"]);
    assert!(told.contains("2 queries") && !told.contains("document"), "{told}");
    // A passage that stands with its question is a document all the same.
    desk.file("texts.jsonl", "{\"id\":\"d1\",\"text\":\"A passage.\",\"q\":\"Why?\"}\n");
    let told = desk.out(&["import", "texts.db", "texts.jsonl", "--map", "question=q"]);
    assert!(told.contains("1 document, 1 query"), "{told}");
}

/// What a record lists beside an answer is what the answer was made from, whether a map says who found it or not.
#[test]
fn documents_of_a_record_are_the_list_of_its_answer_where_a_map_names_no_retriever() {
    let desk = Desk::new();
    let head = |name: &str| format!("name = \"{name}\"\nneeds = [\"q\"]\n[query]\ntext = \"q\"\n");
    let passages = "each = \"docs[]\"\ntext = \".\"\n";
    desk.file(
        "m1.toml",
        format!(
            "{}[[document]]\n{passages}[[candidate]]\ntext = \"out\"\nsummarizer = \"'s'\"\n",
            head("m1")
        ),
    );
    desk.file(
        "m2.toml",
        format!("{}[[candidate]]\ntext = \"out\"\n[[candidate.document]]\n{passages}", head("m2")),
    );
    desk.file(
        "m1.jsonl",
        "{\"q\":\"Q?\",\"docs\":[\"first doc\",\"second doc\"],\"out\":\"A [2]. B [1].\"}\n",
    );
    // The list has the name of the system, or of the file where there is none.
    for (map, retriever) in [("m1.toml", "s"), ("m2.toml", "m1")] {
        let told = desk.out(&["import", "study.db", "m1.jsonl", "--map", map]);
        assert!(!told.contains("no document") && told.contains("1 ranking"), "{told}");
        let answer = desk.exported("candidate").remove(0);
        assert_eq!((&answer["retriever"], &answer["cites"]), (&json!(retriever), &json!("list")));
        let lists = desk.exported("ranking");
        assert_eq!(lists.len(), 1);
        let text = |place: usize| {
            let id = lists[0]["documents"][place]["document"].clone();
            let documents = desk.exported("document");
            documents.into_iter().find(|document| document["id"] == id).expect("there")["text"].clone()
        };
        assert_eq!([text(0), text(1)], ["first doc", "second doc"]);
        let items = desk.json(&["status", "study.db", "--protocol", "attribution"]);
        assert!(items.to_string().contains("attribution"), "{items}");
        fs::remove_file(desk.path("study.db")).expect("there");
    }
}

#[test]
fn a_map_of_the_study_reads_only_files_that_have_its_fields() {
    let desk = Desk::new();
    desk.file("qrels.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n");
    desk.file(
        "qrels.toml",
        "name = \"beir_qrels\"\n[query]\nid = \"query-id\"\ntext = \"'Which?'\"\n[[document]]\nid = \"corpus-id\"\nretriever = \"'pool'\"\n",
    );
    desk.out(&["import", "study.db", "qrels.tsv", "--map", "qrels.toml"]);
    desk.file(
        "ragas.jsonl",
        "{\"question\":\"Q?\",\"contexts\":[\"c\"],\"answer\":\"x\",\"ground_truth\":\"y\"}\n",
    );
    let told = desk.out(&["import", "study.db", "ragas.jsonl"]);
    assert!(told.contains("ragas.jsonl (ragas_old): "), "{told}");
    desk.file("more.tsv", "query-id\tcorpus-id\tscore\n2\td2\t1\n");
    let told = desk.out(&["import", "study.db", "more.tsv"]);
    assert!(told.contains("more.tsv (beir_qrels): "), "{told}");
    // Nor does a map of fields over one of haymark's.
    desk.file("lab.csv", "question,system,answer,frage\nQ?,A,x,Wer?\n");
    desk.out(&["import", "lab.db", "lab.csv", "--map", "question=frage"]);
    desk.file("next.csv", "question,system,answer\nQ?,B,y\n");
    let told = desk.out(&["import", "lab.db", "next.csv"]);
    assert!(told.contains("next.csv (lab_long): "), "{told}");
}

/// A model whose labels came in as a person's becomes one, and every file ends alike.
#[test]
fn a_judge_that_came_in_as_a_person_is_made_a_model() {
    let desk = Desk::new();
    let rows = |who: &[&str]| -> String {
        let row = |(at, who): (usize, &&str)| {
            let question = at % 2;
            format!("Q{question}?,A,x,{who},{}\n", at % 3)
        };
        let each = who.iter().flat_map(|who| [who, who]).enumerate();
        "question,system,answer,annotator,score\n".to_owned() + &each.map(row).collect::<String>()
    };
    desk.file("labels.csv", rows(&["ann", "gpt"]));
    desk.out(&["import", "study.db", "labels.csv", "--as-protocol", "rated"]);
    desk.out(&["export", "study.db", "-o", "before.jsonl"]);
    desk.out(&["import", "other.db", "before.jsonl"]);
    let (_, told) = desk.fails(&["judges", "study.db"]);
    assert!(told.contains("no model annotator judged anything") && told.contains("haymark revise"), "{told}");
    desk.file("gpt.jsonl", "{\"type\":\"annotator\",\"id\":\"gpt\",\"kind\":\"model\"}\n");
    let (_, told) = desk.fails(&["import", "study.db", "gpt.jsonl"]);
    assert!(
        told.contains("\"gpt\" is already there with another kind") && told.contains("haymark revise"),
        "{told}"
    );
    let revise = ["revise", "study.db", "gpt.jsonl", "--as", "lead", "--reason", "it is a model"];
    let told = desk.out(&revise);
    assert!(told.contains("annotator gpt\n  kind: "), "{told}");
    let kinds = |study: &str| -> Vec<(Value, Value)> {
        let found = desk.json(&["people", study]);
        let tables = found.as_array().cloned().unwrap_or_else(|| vec![found]);
        let rows = tables[0]["rows"].as_array().expect("rows").clone();
        rows.into_iter().map(|row| (row["name"].clone(), row["kind"].clone())).collect()
    };
    let right = [(json!("ann"), json!("person")), (json!("gpt"), json!("model"))];
    assert_eq!(kinds("study.db"), right);
    assert!(desk.out(&["judges", "study.db"]).contains("gpt"));
    let put_right = desk.out(&["people", "study.db"]);
    assert!(put_right.contains("revised") && !put_right.contains("open again"), "{put_right}");
    assert!(desk.out(&["check", "study.db"]).contains("Nothing is wrong."));
    // What was known of it before is known still, in either direction, and so are labels that come later.
    desk.out(&["export", "study.db", "-o", "after.jsonl"]);
    desk.out(&["merge", "study.db", "other.db"]);
    desk.out(&["merge", "other.db", "study.db"]);
    desk.out(&["import", "new.db", "after.jsonl"]);
    desk.file("later.csv", rows(&["ann", "gpt"]).replace("Q0?", "Q3?").replace("Q1?", "Q4?"));
    desk.out(&["import", "study.db", "later.csv", "--as-protocol", "rated"]);
    for study in ["study.db", "other.db", "new.db"] {
        assert_eq!(kinds(study), right, "{study}");
    }
    // Said before its labels come, in the same command, it holds as well.
    desk.out(&["import", "first.db", "gpt.jsonl", "labels.csv", "--as-protocol", "rated"]);
    assert_eq!(kinds("first.db").into_iter().collect::<Vec<_>>().len(), 2);
    assert!(kinds("first.db").contains(&right[1]));
    // Taken back, it is a person again.
    desk.out(&[&revise[..], &["--restore"]].concat());
    assert_eq!(kinds("study.db")[1].1, json!("person"));
}
