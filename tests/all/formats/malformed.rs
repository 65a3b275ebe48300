//! Every malformed input is answered by one sentence that names the file, the place and what to do.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use haymark::error::{Error, Result};
use haymark::formats::{self, Format, InputBytes, ReadOptions, jsonl};
use haymark::study::{Place, Record, Sink};

/// Collects records; goes on after a bad one when told so.
#[derive(Default)]
struct Collected {
    records: Vec<Record>,
    left_out: Vec<String>,
    skips: bool,
}

impl Sink for Collected {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        if self.skips {
            self.left_out.push(format!("{place}: {error}"));
            Ok(())
        } else {
            Err(error)
        }
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).expect("written");
        path
    }
}

/// Imports as a command would: the format from the content, then the records.
fn import(path: &Path, sink: &mut Collected) -> Result<Format> {
    let input = InputBytes::open(path)?;
    let format = formats::recognise(&input)?;
    formats::read(&input, format, &ReadOptions::default(), sink)?;
    Ok(format)
}

fn refusal(path: &Path) -> String {
    import(path, &mut Collected::default()).expect_err("refused").to_string()
}

const KNOWN: &str = "haymark JSONL (an object with \"type\" on every line), a SummHay topic";

#[test]
fn what_is_no_import_is_said() {
    let folder = Folder::new();
    let utf16: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let table: [(&str, Vec<u8>, &[&str]); 19] = [
        ("blank", b" \n\t\r\n".to_vec(), &["the file is empty", "written to the end"]),
        ("mark alone", b"\xef\xbb\xbf".to_vec(), &["the file is empty"]),
        (
            "study.db",
            b"SQLite format 3\0...".to_vec(),
            &["an SQLite file", "export it and import the export"],
        ),
        ("a.json", b"\x1f\x8b\x08\x00".to_vec(), &["a gzip file", "unpack it first"]),
        ("b.json", b"PK\x03\x04".to_vec(), &["a zip file"]),
        ("wide.json", [b"\xff\xfe".to_vec(), utf16].concat(), &["UTF-16", "save it as UTF-8"]),
        ("nul.jsonl", b"{\"a\":\0}".to_vec(), &["byte 6 is 0", "no text file"]),
        (
            "object.json",
            br#"{"title": "x", "body": {"type": 1}}"#.to_vec(),
            &["a JSON object with \"title\" and \"body\"", KNOWN],
        ),
        (
            "list.json",
            br#"[{"question": "x", "passages": []}]"#.to_vec(),
            &["a JSON list of objects with \"question\" and \"passages\"", KNOWN],
        ),
        ("numbers.json", b"[1, 2]".to_vec(), &["a JSON list without objects", KNOWN]),
        ("none.json", b"[]".to_vec(), &["a JSON list without objects"]),
        ("bare.json", b"{}".to_vec(), &["a JSON object, which"]),
        ("word.json", b"\"type\"".to_vec(), &["no JSON object or list"]),
        ("r.csv", b"item,annotator,value\n".to_vec(), &["no JSON object or list", "haymark agree"]),
        ("r.jsonl", br#"{"item":1,"alice":2}"#.to_vec(), &["with \"item\" and \"alice\"", "haymark agree"]),
        (
            "cut.json",
            b"{\"topic_id\": \"x\",\n \"top".to_vec(),
            &["line 2: the file ends in the middle of an object", "cut off"],
        ),
        ("deep.json", vec![b'['; 200_000], &["ends in the middle of an object or list"]),
        (
            "requests.jsonl",
            br#"{"custom_id":"a","method":"POST","url":"/","body":{"response":1}}"#.to_vec(),
            &["with \"custom_id\", \"method\", \"url\" and \"body\"", "responses to judge requests"],
        ),
        ("mess.json", b"{]}{[:::,,,\"".to_vec(), &["a JSON object, which"]),
    ];
    for (name, content, parts) in table {
        let path = folder.file(name, &content);
        let sentence = refusal(&path);
        assert!(sentence.starts_with(&format!("{}", path.display())), "{name}: {sentence}");
        assert!(!sentence.contains('\n'), "{name}: {sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{name}: {sentence}\nshould contain {part}");
        }
    }
    assert!(refusal(folder.0.path()).contains("this is a directory; name the files in it"));
    assert!(refusal(&folder.0.path().join("missing")).contains("there is no such file"));
}

#[test]
fn what_is_broken_inside_is_named() {
    let folder = Folder::new();
    let topic = r#"{"topic_id":"t","topic":"T","topic_metadata":{},"subtopics":[],"documents":["#;
    let table: [(&str, &[u8], &[&str]); 12] = [
        (
            "json",
            b"{\"topic_id\":\"t\",\n\"subtopics\":[{\"subtopic_id\":\"s",
            &["line 2, subtopics[0].subtopic_id: the text ends in the middle of a string", "cut off"],
        ),
        (
            "json",
            b"{\"topic_id\":\"t\",\"subtopics\":[}",
            &["subtopics[0]: this is no JSON: expected value (column 30)", "by hand"],
        ),
        (
            "json",
            b"{\"topic_id\":\"t\",\n\"subtopics\":\"\xff\"}",
            &["line 2: byte 31 (byte 14 of its line) is 0xff, which is not UTF-8", "convert"],
        ),
        ("json", b"{\"topic_id\":\"t\",\"subtopics\":[]}", &["line 1: \"topic\" is missing"]),
        (
            "json",
            b"{\"topic_id\":\"t\",\"topic\":\"T\",\"subtopics\":5,\"documents\":[]}",
            &["line 1, subtopics: expected a list, found the number 5 (column 41)"],
        ),
        ("json", b"[{\"summkey\":\"a\"}\n", &["the text ends in the middle of a list"]),
        ("json", b"[{\"summkey\":\"a\"}]", &["line 1, [0]: \"topic_id\" or \"topic_fn\" is missing"]),
        ("json", b"[{\"summkey\":\"a\"},5]", &["[0]"]),
        (
            "jsonl",
            b"{\"type\":\"query\",\"id\":\"q\",\"collection\":\"c\",\"text\":\"\"}\n{\"type\":\"quer",
            &["line 2, type: the text ends in the middle of a string (column 13)", "cut off"],
        ),
        (
            "jsonl",
            b"\n\n{\"type\":\"query\",\"id\":7}",
            &["line 3, id: expected a string, found the number 7 (column 22)"],
        ),
        (
            "jsonl",
            b"{\"type\":\"query\",\"id\":\"\xe9t\xe9\"}",
            &["line 1: byte 23 is 0xe9, which is not UTF-8"],
        ),
        (
            "jsonl",
            b"{\"type\":\"meeting\"}",
            &["line 1, type: there is no record of type \"meeting\"", "known are \"collection\""],
        ),
    ];
    for (index, (ending, content, parts)) in table.into_iter().enumerate() {
        let path = folder.file(&format!("{index}.{ending}"), content);
        let sentence = refusal(&path);
        assert!(sentence.starts_with(&format!("{}", path.display())), "{sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{sentence}\nshould contain {part}");
        }
    }
    let deep = format!(
        "{topic}{{\"document_id\":\"d\",\"document_metadata\":{}1{},\"insights_included\":[]}}]}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let sentence = refusal(&folder.file("deep.json", deep.as_bytes()));
    assert!(sentence.contains("more than 127 deep"), "{sentence}");
}

#[test]
fn a_mark_and_blank_lines_are_accepted() {
    let folder = Folder::new();
    let path = folder
        .file("a.txt", b"\xef\xbb\xbf\r\n{\"type\":\"annotator\",\"id\":\"a\",\"kind\":\"human\"}\r\n\r\n");
    let mut collected = Collected::default();
    assert_eq!(import(&path, &mut collected), Ok(Format::Jsonl));
    assert_eq!(collected.records.len(), 1);

    let topic = "\u{feff} {\"documents\":[],\"subtopics\":[],\"topic_id\":\"t\",\"topic\":\"T\"}";
    let path = folder.file("b.txt", topic.as_bytes());
    let mut collected = Collected::default();
    assert_eq!(import(&path, &mut collected), Ok(Format::SummhayTopic));
    assert_eq!(collected.records.len(), 1);
}

#[test]
fn bad_lines_are_left_out_and_listed_when_told_so() {
    let folder = Folder::new();
    let good = r#"{"type":"annotator","id":"a","kind":"human"}"#;
    let lines = [good.as_bytes(), b"{\"type\":\"x\"}", b"\xff", b"{", good.as_bytes()].join(&b'\n');
    let mut collected = Collected { skips: true, ..Collected::default() };
    import(&folder.file("a.jsonl", &lines), &mut collected).expect("the rest comes in");
    assert_eq!(collected.records.len(), 2);
    let starts = ["line 2: type: there is no record", "line 3: byte 1 is 0xff", "line 4: the text ends"];
    assert_eq!(collected.left_out.len(), starts.len());
    for (left_out, start) in collected.left_out.iter().zip(starts) {
        assert!(left_out.starts_with(start), "{left_out}\nshould start with {start}");
    }
}

/// Were every place counted from the beginning, this would take very long.
#[test]
fn a_file_that_is_wrong_in_every_row_is_read_in_one_pass() {
    let folder = Folder::new();
    let rows = vec![r#"{"question":5}"#; 20_000].join(",");
    let mut collected = Collected { skips: true, ..Collected::default() };
    let path = folder.file("wrong.json", format!("[{rows}]").as_bytes());
    let options = ReadOptions::default();
    assert_eq!(
        formats::read(&InputBytes::open(&path).expect("there"), Format::Retrieval, &options, &mut collected),
        Ok(())
    );
    assert_eq!(collected.left_out.len(), 20_000);
    // A row and its comma take 15 characters. The number is the 13th of its row, and `[` stands before
    // the first: 1 + 19 999 * 15 + 13 = 299 999.
    let last = collected.left_out.last().map(String::as_str);
    let expected = "[19999].question: line 1: expected a string, found the number 5 (column 299999)";
    assert_eq!(last, Some(expected));
}

/// The file has holes, so it takes no room on the disk; only its beginning may be read.
#[test]
fn a_line_of_a_gigabyte_is_refused_early() {
    let folder = Folder::new();
    let path = folder.file("long.jsonl", b"{\"type\":\"collection\",\"id\":\"");
    let mut file = File::options().append(true).open(&path).expect("there");
    file.write_all(&vec![b'x'; 65 << 20]).expect("written");
    file.set_len(1 << 30).expect("a hole");
    let sentence = refusal(&path);
    assert!(
        sentence.contains("line 1: the line is longer than 64 MiB; check that its line breaks are not lost"),
        "{sentence}"
    );

    // A whole file is refused by its size before it is parsed.
    let path = folder.file("long.json", b"[{\"summkey\":\"a\"");
    let mut file = File::options().write(true).open(&path).expect("there");
    file.seek(SeekFrom::Start(2 << 30)).expect("a hole");
    let format = InputBytes::open(&path).and_then(|input| formats::recognise(&input));
    assert_eq!(format, Ok(Format::SummhayBenchmark));
    file.write_all(b"}]").expect("written");
    let sentence = refusal(&path);
    assert!(sentence.contains("larger than 1 GiB") || sentence.contains("no text file"), "{sentence}");
}

#[test]
fn an_empty_file_is_an_empty_study_and_no_other_format() {
    let folder = Folder::new();
    let path = folder.file("empty", b"");
    let mut collected = Collected::default();
    assert_eq!(import(&path, &mut collected), Ok(Format::Jsonl));
    assert_eq!(collected.records.len(), 0);
    let input = InputBytes::open(&path).expect("there");
    let other = formats::read(&input, Format::SummhayTopic, &ReadOptions::default(), &mut collected);
    assert!(other.expect_err("empty").to_string().contains("the file is empty"));
}

#[test]
fn formats_are_known_by_what_stands_inside() {
    let folder = Folder::new();
    let table: [(&str, Format); 14] = [
        (r#"[{"question": "q", "answers": [], "ctxs": []}]"#, Format::Retrieval),
        (r#"[{"_id": "1", "type": "bridge", "query": "q", "retrieved_docs": []}]"#, Format::Retrieval),
        ("\n{\"question\": \"q\", \"ctxs\": []}\n{\"question\": \"r\", \"ctxs\": []}\n", Format::Retrieval),
        (r#"{"a": {"key_info": [], "question": ["q"], "answers": ["a"]}}"#, Format::CrudRagQuestions),
        (r#"{"a": {}, "b": {"answers": [], "question" : []}}"#, Format::CrudRagQuestions),
        (
            r#"{"info": {"task": "Summary"}, "overall": {}, "results": [{"id": 1, "log": {"generated_text": ""}}]}"#,
            Format::CrudRagResults,
        ),
        (r#"[{"ID": 1, "generated_text": "", "ground_truth_text": ""}]"#, Format::CrudRagResults),
        (r#"[{"id": 1, "metrics": {}, "log": {"generated_text": ""}}]"#, Format::CrudRagResults),
        // Keys further inside, or with other values, mean nothing.
        (r#"{"meta": {"question": "q", "ctxs": []}, "type": "query"}"#, Format::Jsonl),
        (r#"{"meta": {"question": ["q"]}, "id": "c", "type": "collection"}"#, Format::Jsonl),
        (r#"{"answers": {"question": ["q"]}, "type": "judgment"}"#, Format::Jsonl),
        (r#"{"meta": {"a": {"b": {"generated_text": ""}}}, "type": "collection"}"#, Format::Jsonl),
        (r#"{"topic_id": "t", "x": {"ctxs": [{"ctxs": 1}]}, "subtopics": []}"#, Format::SummhayTopic),
        (r#"[{"topic": {"question": ["q"]}, "summkey": "s"}]"#, Format::SummhayBenchmark),
    ];
    for (content, format) in table {
        let input = InputBytes::open(&folder.file("file", content.as_bytes())).expect("there");
        assert_eq!(formats::recognise(&input), Ok(format), "{content}");
    }
}

/// What is kept as it is comes out again in a line of JSONL, with a record and its free fields around
/// it. The parser takes 127 lists and objects inside each other, which leaves 125.
#[test]
fn free_fields_are_read_back_however_deep_they_are() {
    let folder = Folder::new();
    let table = [
        (
            Format::SummhayTopic,
            r#"{"topic_id":"t","topic":"T","subtopics":[],"documents":[
{"document_id":"d","document_text":"x","insights_included":[],"document_metadata":FREE}]}"#,
        ),
        (
            Format::SummhayTopic,
            r#"{"topic_id":"t","topic":"T","documents":[],"subtopics":[
{"subtopic_id":"s","subtopic":"S","insights":[],"retriever":FREE}]}"#,
        ),
        (Format::Retrieval, r#"[{"question":"q","ctxs":[{"text":"x","score":FREE}]}]"#),
        (Format::CrudRagResults, r#"[{"id":"a","generated_text":"g","metrics":FREE}]"#),
    ];
    for (format, template) in table {
        let file = |depth: usize| {
            let free = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            folder.file("free.json", template.replace("FREE", &free).as_bytes())
        };
        let mut collected = Collected::default();
        assert_eq!(import(&file(125), &mut collected), Ok(format));
        let mut written = Vec::new();
        for record in &collected.records {
            jsonl::write_record(&mut written, record).expect("memory can be written");
        }
        let mut back = Collected::default();
        assert_eq!(jsonl::read(written.as_slice(), &mut back), Ok(()));
        assert_eq!(back.records, collected.records);

        let sentence = refusal(&file(126));
        assert!(sentence.contains("more than 125 deep inside each other"), "{sentence}");
    }
}

/// Good files, broken at every byte: cut off there, or with another byte in its place.
#[test]
fn no_damage_makes_it_panic() {
    let good = [
        (
            Format::SummhayBenchmark,
            r#"[{"topic_id":"t","topic":"T","subtopic_id":"s","subtopic":"é","summkey":"summary_subtopic_x","summary":["a",""],
"reference_insights":[{"insight_id":"i","insight":"I"}],"annotation":[{"insight_id":"i","coverage":"fully_covered","candidate_id":"0"}],
"predictions_m":[{"insight_id":"i","coverage":"NO_COVERAGE","bullet_id":"NA"}]}]"#,
        ),
        (
            Format::Retrieval,
            r#"[{"id":1,"question":"é?","answers":["a"],"ctxs":[{"id":"d","title":"T","text":"x","score":"1.5"}],"summary":["s",""]}]"#,
        ),
        (
            Format::CrudRagQuestions,
            r#"{"a":{"key_info":["k"],"question":["谁？","b"],"answers":["无法推断","c"]},"b":{}}"#,
        ),
        (
            Format::CrudRagResults,
            r#"{"info":{"task":"T","llm":"{'model_name': 'm'}"},"results":[{"id":"a","log":{"generated_text":"g","ground_truth_text":"é",
"quest_eval_save":{"questions_gt":["q"],"answers_gt4gt":["a"]}},"original_data":{"event":"e"}}]}"#,
        ),
    ];
    for (format, content) in good {
        damage(format, content.as_bytes());
    }
}

fn damage(format: Format, good: &[u8]) {
    let folder = Folder::new();
    let options = ReadOptions { summary_fields: vec!["summary".into()], ..ReadOptions::default() };
    let path = folder.file("good.json", good);
    assert_eq!(import(&path, &mut Collected::default()), Ok(format));
    for index in 0..good.len() {
        for byte in [None, Some(b'"'), Some(b'9'), Some(b'}'), Some(b'\\'), Some(0xff), Some(b'\n')] {
            let mut broken = good.to_vec();
            match byte {
                Some(byte) => broken[index] = byte,
                None => broken.truncate(index),
            }
            let input = InputBytes::open(&folder.file("broken.json", &broken)).expect("there");
            for (read, skips) in Format::ALL.iter().map(|format| (*format, false)).chain([(format, true)]) {
                let mut sink = Collected { skips, ..Collected::default() };
                let done = formats::read(&input, read, &options, &mut sink);
                let sentences = sink.left_out.into_iter().chain(done.err().map(|error| error.to_string()));
                for sentence in sentences {
                    assert!(!sentence.contains('\n'), "{sentence}");
                }
            }
            let found = formats::recognise(&input);
            assert!(!broken.is_empty() || found == Ok(Format::Jsonl));
        }
    }
}
