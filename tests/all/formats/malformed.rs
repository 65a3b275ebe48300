//! Every malformed input is answered by one sentence that names the file, the place and what to do.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use haymark::error::{Error, Result};
use haymark::formats::maps::MapReader;
use haymark::formats::{self, FileReader, Format, InputBytes, ReadOptions, jsonl};
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
fn import(path: &Path, sink: &mut Collected) -> Result<FileReader> {
    let input = InputBytes::open(path)?;
    let found = formats::recognise(&input, &[])?;
    match &found {
        FileReader::Format(format) => formats::read(&input, *format, &ReadOptions::default(), sink)?,
        FileReader::Map(map) => {
            let mut reader = MapReader::new(None);
            reader.read(&input, map, sink)?;
            reader.finish(0, sink)?;
        }
    }
    Ok(found)
}

/// The name of what reads the file.
fn reader_of(path: &Path) -> Result<String> {
    formats::recognise(&InputBytes::open(path)?, &[]).map(|found| found.name().to_owned())
}

fn refusal(path: &Path) -> String {
    import(path, &mut Collected::default()).expect_err("refused").to_string()
}

/// What to do with a file that no map fits.
const KNOWN: &str = "say which fields are what, such as --map question=FIELD,answer=FIELD";

#[test]
fn what_is_no_import_is_said() {
    let folder = Folder::new();
    let utf16: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let table: [(&str, Vec<u8>, &[&str]); 20] = [
        ("blank", b" \n\t\r\n".to_vec(), &["the file is empty", "written to the end"]),
        ("mark alone", b"\xef\xbb\xbf".to_vec(), &["the file is empty"]),
        (
            "study.db",
            b"SQLite format 3\0...".to_vec(),
            &["an SQLite file, such as a study", "`haymark merge STUDY OTHER`"],
        ),
        ("a.json", b"\x1f\x8b\x08\x00".to_vec(), &["a gzip file", "unpack it first"]),
        ("b.json", b"PK\x03\x04".to_vec(), &["a spreadsheet or zip file", "save the sheet as CSV"]),
        ("wide.json", [b"\xff\xfe".to_vec(), utf16].concat(), &["UTF-16", "save it as UTF-8"]),
        ("nul.jsonl", b"{\"a\":\0}".to_vec(), &["byte 6 is 0", "no text file"]),
        (
            "object.json",
            br#"{"title": "x", "body": {"type": 1}}"#.to_vec(),
            &["no map is known for 'title', 'body'", KNOWN],
        ),
        (
            "list.json",
            br#"[{"question": "x", "passages": []}]"#.to_vec(),
            &["no map is known for 'question', 'passages'", KNOWN],
        ),
        (
            "near.json",
            br#"[{"question": "x", "docs": [{"text": "y"}]}]"#.to_vec(),
            &["no map is known for 'question', 'docs'; the nearest, alce, needs 'output' too", KNOWN],
        ),
        ("numbers.json", b"[1, 2]".to_vec(), &["[0]: expected an object, found 1"]),
        ("none.json", b"[]".to_vec(), &["there is no record in it; import it when it has some"]),
        ("bare.json", b"{}".to_vec(), &["no map is known for such records"]),
        ("word.json", b"\"type\"".to_vec(), &["no map is known for such records"]),
        (
            "r.csv",
            b"item,annotator,value\n1,ann,yes\n".to_vec(),
            &["no map is known for 'item', 'annotator', 'value'", "haymark agree"],
        ),
        (
            "r.jsonl",
            br#"{"item":1,"alice":2}"#.to_vec(),
            &["no map is known for 'item', 'alice'", "haymark agree"],
        ),
        (
            "cut.json",
            b"{\"topic_id\": \"x\",\n \"top".to_vec(),
            &["line 2: the text ends in the middle of", "cut off"],
        ),
        ("deep.json", vec![b'['; 200_000], &["more than 127 deep inside each other"]),
        (
            "requests.jsonl",
            br#"{"custom_id":"a","method":"POST","url":"/","body":{"response":1}}"#.to_vec(),
            &["no map is known for 'custom_id', 'method', 'url', 'body'", KNOWN],
        ),
        ("mess.json", b"{]}{[:::,,,\"".to_vec(), &["line 1: this is no JSON"]),
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
    assert_eq!(import(&path, &mut collected), Ok(FileReader::Format(Format::Jsonl)));
    assert_eq!(collected.records.len(), 1);

    let topic = "\u{feff} {\"documents\":[],\"subtopics\":[],\"topic_id\":\"t\",\"topic\":\"T\"}";
    let path = folder.file("b.txt", topic.as_bytes());
    let mut collected = Collected::default();
    assert_eq!(import(&path, &mut collected), Ok(FileReader::Format(Format::SummhayTopic)));
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

#[test]
fn a_file_that_is_wrong_in_every_row_is_read_in_one_pass() {
    let folder = Folder::new();
    let rows = vec![r#"{"question":"q","ctxs":5}"#; 20_000].join(",");
    let mut collected = Collected { skips: true, ..Collected::default() };
    let path = folder.file("wrong.json", format!("[{rows}]").as_bytes());
    let found = import(&path, &mut collected).expect("read to the end");
    assert_eq!((found.name(), collected.left_out.len(), collected.records.len()), ("dpr", 20_000, 0));
    let last = collected.left_out.last().map(String::as_str);
    let expected =
        "[19999]: ctxs[]: expected a list, found 5; take another field, or ctxs['…'] to split a text";
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
    assert_eq!(reader_of(&path).as_deref(), Ok("summhay-benchmark"));
    file.write_all(b"}]").expect("written");
    let sentence = refusal(&path);
    assert!(sentence.contains("larger than 1 GiB") || sentence.contains("no text file"), "{sentence}");
}

#[test]
fn an_empty_file_is_an_empty_study_and_no_other_format() {
    let folder = Folder::new();
    let path = folder.file("empty", b"");
    let mut collected = Collected::default();
    assert_eq!(import(&path, &mut collected), Ok(FileReader::Format(Format::Jsonl)));
    assert_eq!(collected.records.len(), 0);
    let input = InputBytes::open(&path).expect("there");
    let other = formats::read(&input, Format::SummhayTopic, &ReadOptions::default(), &mut collected);
    assert!(other.expect_err("empty").to_string().contains("the file is empty"));
}

#[test]
fn formats_are_known_by_what_stands_inside() {
    let folder = Folder::new();
    let table = [
        (r#"[{"question": "q", "answers": [], "ctxs": [{"text": "x"}]}]"#, "dpr"),
        (r#"[{"_id": "1", "type": "bridge", "query": "q", "retrieved_docs": [{"text": "x"}]}]"#, "dpr"),
        ("\n{\"question\": \"q\", \"ctxs\": [1]}\n{\"question\": \"r\", \"ctxs\": []}\n", "dpr"),
        (r#"{"a": {"key_info": [], "question": ["q"], "answers": ["a"]}}"#, "crud_questions"),
        (
            r#"{"info": {"task": "Summary"}, "overall": {}, "results": [{"id": 1, "log": {"generated_text": "t"}}]}"#,
            "crud_results",
        ),
        (r#"[{"ID": 1, "generated_text": "t", "ground_truth_text": ""}]"#, "crud_results"),
        (r#"[{"id": 1, "metrics": {}, "log": {"generated_text": "t"}}]"#, "crud_results"),
        ("user_input;response\nq;a\n", "ragas"),
        ("{\"user_input\": [\"q\", \"r\"], \"response\": [\"a\", \"b\"]}", "ragas"),
        // Keys further inside, or with other values, mean nothing.
        (r#"{"meta": {"question": "q", "ctxs": []}, "type": "query"}"#, "jsonl"),
        (r#"{"meta": {"question": ["q"]}, "id": "c", "type": "collection"}"#, "jsonl"),
        (r#"{"answers": {"question": ["q"]}, "type": "judgment"}"#, "jsonl"),
        (r#"{"meta": {"a": {"b": {"generated_text": ""}}}, "type": "collection"}"#, "jsonl"),
        (r#"{"topic_id": "t", "x": {"ctxs": [{"ctxs": 1}]}, "subtopics": []}"#, "summhay-topic"),
        (r#"[{"topic": {"question": ["q"]}, "summkey": "s"}]"#, "summhay-benchmark"),
    ];
    for (content, expected) in table {
        let path = folder.file("file", content.as_bytes());
        assert_eq!(reader_of(&path).as_deref(), Ok(expected), "{content}");
    }
}

/// What is kept as it is comes out again in a line of JSONL, with a record and its free fields around
/// it. The parser takes 127 lists and objects inside each other, which leaves 125.
#[test]
fn free_fields_are_read_back_however_deep_they_are() {
    let folder = Folder::new();
    let table = [
        (
            "summhay-topic",
            r#"{"topic_id":"t","topic":"T","subtopics":[],"documents":[
{"document_id":"d","document_text":"x","insights_included":[],"document_metadata":FREE}]}"#,
        ),
        (
            "summhay-topic",
            r#"{"topic_id":"t","topic":"T","documents":[],"subtopics":[
{"subtopic_id":"s","subtopic":"S","insights":[],"retriever":FREE}]}"#,
        ),
    ];
    for (format, template) in table {
        let file = |depth: usize| {
            let free = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            folder.file("free.json", template.replace("FREE", &free).as_bytes())
        };
        let mut collected = Collected::default();
        assert_eq!(import(&file(125), &mut collected).expect("read").name(), format);
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
    // What a map keeps stands in a record of its own, two lists and objects further out.
    let deep = |depth: usize| {
        let free = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        folder.file(
            "free.json",
            format!(r#"[{{"question":"q","ctxs":[{{"text":"x","free":{free}}}]}}]"#).as_bytes(),
        )
    };
    assert_eq!(import(&deep(122), &mut Collected::default()).expect("read").name(), "dpr");
    let sentence = refusal(&deep(123));
    assert!(sentence.contains("more than 125 deep inside each other"), "{sentence}");
}

/// Good files, broken at every byte: cut off there, or with another byte in its place.
#[test]
fn no_damage_makes_it_panic() {
    let good = [
        (
            "summhay-benchmark",
            r#"[{"topic_id":"t","topic":"T","subtopic_id":"s","subtopic":"é","summkey":"summary_subtopic_x","summary":["a",""],
"reference_insights":[{"insight_id":"i","insight":"I"}],"annotation":[{"insight_id":"i","coverage":"fully_covered","candidate_id":"0"}],
"predictions_m":[{"insight_id":"i","coverage":"NO_COVERAGE","bullet_id":"NA"}]}]"#,
        ),
        (
            "recomp",
            r#"[{"id":1,"question":"é?","answers":["a"],"ctxs":[{"id":"d","title":"T","text":"x","score":"1.5"}],"summary":["s",""]}]"#,
        ),
        (
            "crud_questions",
            r#"{"a":{"key_info":["k"],"question":["谁？","b"],"answers":["无法推断","c"]},"b":{}}"#,
        ),
        (
            "crud_results",
            r#"{"info":{"task":"T","llm":"{'model_name': 'm'}"},"results":[{"id":"a","log":{"generated_text":"g","ground_truth_text":"é",
"quest_eval_save":{"questions_gt":["q"],"answers_gt4gt":["a"]}},"original_data":{"event":"e"}}]}"#,
        ),
        ("ragas", "user_input,response,retrieved_contexts\né?,\"a [1]\",\"['x', 'y']\"\n"),
        ("trec_run", "q1 Q0 d1 1 0.5 bm25\nq1 Q0 d2 2 0.25 bm25\n"),
    ];
    for (name, content) in good {
        damage(name, content.as_bytes());
    }
}

fn damage(name: &str, good: &[u8]) {
    let folder = Folder::new();
    let path = folder.file("good.json", good);
    assert_eq!(reader_of(&path).as_deref(), Ok(name));
    for index in 0..good.len() {
        for byte in [None, Some(b'"'), Some(b'9'), Some(b'}'), Some(b'\\'), Some(0xff), Some(b'\n')] {
            let mut broken = good.to_vec();
            match byte {
                Some(byte) => broken[index] = byte,
                None => broken.truncate(index),
            }
            let path = folder.file("broken.json", &broken);
            let input = InputBytes::open(&path).expect("there");
            let mut sentences = Vec::new();
            for format in Format::ALL {
                let done = formats::read(&input, format, &ReadOptions::default(), &mut Collected::default());
                sentences.extend(done.err().map(|error| error.to_string()));
            }
            for skips in [false, true] {
                let mut sink = Collected { skips, ..Collected::default() };
                let done = import(&path, &mut sink);
                sentences.extend(sink.left_out.into_iter().chain(done.err().map(|error| error.to_string())));
            }
            assert!(sentences.iter().all(|sentence| !sentence.contains('\n')), "{sentences:?}");
            assert!(!broken.is_empty() || reader_of(&path).as_deref() == Ok("jsonl"));
        }
    }
}
