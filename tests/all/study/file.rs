//! The study file from outside: what is refused stays untouched, what comes in comes in whole.

use std::fs;
use std::path::{Path, PathBuf};

use haymark::error::{Error, Result};
use haymark::protocol::builtin;
use haymark::store::{ImportOptions, ImportReport, Severity, StudyFile, check};
use haymark::study::{Annotator, AnnotatorKind, Collection, Document, Judgment, Meta, Place, Record};
use haymark::text::hash::fingerprint;
use serde_json::{Value, json};

use crate::harness::{Desk, Shim, project, sample, without_names};

/// Opening the file at `path` is refused with these words, and changes nothing.
fn refused(path: &Path, words: &str) {
    let before = fs::read(path).ok();
    let Err(error) = StudyFile::open(path) else {
        panic!("{} was opened", path.display());
    };
    let sentence = error.to_string();
    assert!(sentence.contains(words), "{sentence}");
    assert!(sentence.starts_with(&path.display().to_string()), "{sentence}");
    assert_eq!(fs::read(path).ok(), before, "{sentence}");
    assert!(StudyFile::create(path).is_err(), "{sentence}");
    assert_eq!(left_beside(path), Vec::<PathBuf>::new(), "{sentence}");
}

/// Files whose names begin like that of `path`: journals, copies.
fn left_beside(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let folder = fs::read_dir(path.parent().expect("a folder")).expect("listed");
    folder
        .map(|entry| entry.expect("an entry").path())
        .filter(|other| other != path)
        .filter(|other| other.file_name().is_some_and(|other| other.to_string_lossy().starts_with(&name)))
        .collect()
}

fn import(study: &mut StudyFile, records: &[Record]) -> Result<ImportReport> {
    let content = fingerprint([format!("{records:?}")]);
    study.import("records.jsonl", content, ImportOptions::default(), 0, |sink| {
        for (line, record) in (1..).zip(records) {
            sink.take(Place::Line(line), record.clone())?;
        }
        Ok(())
    })
}

fn collection(id: &str) -> Record {
    Record::Collection(Collection { id: id.into(), title: None, domain: None, meta: Meta::new() })
}

fn document(id: &str, number: u32, text: &str) -> Record {
    Record::Document(Document {
        collection: "c".into(),
        id: id.into(),
        number,
        title: None,
        text: text.into(),
        meta: Meta::new(),
    })
}

/// A file in the form of SQLite with these numbers in its header.
fn database(path: &Path, application: u32, version: u32) {
    let mut bytes = fs::read(path).expect("a study to start from");
    bytes[60..64].copy_from_slice(&version.to_be_bytes());
    bytes[68..72].copy_from_slice(&application.to_be_bytes());
    fs::write(path, bytes).expect("written");
}

const APPLICATION: u32 = u32::from_be_bytes(*b"haym");

#[test]
fn what_is_no_study_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);

    let missing = StudyFile::open(&at("missing.db")).err();
    let missing = missing.map(|error| error.to_string()).unwrap_or_default();
    assert!(missing.ends_with("there is no such file; `haymark init` makes an empty study"));
    assert!(!at("missing.db").exists());

    fs::write(at("empty"), "").expect("written");
    refused(&at("empty"), "the file is empty, not a study");

    fs::write(at("notes.txt"), "SQLite format, but not really").expect("written");
    refused(&at("notes.txt"), "the file is not a haymark study");

    fs::create_dir(at("folder")).expect("made");
    refused(&at("folder"), "this is a folder");

    for (name, application, version, words) in [
        ("foreign.db", 0, 1, "the file is not a haymark study"),
        ("other.db", 0x1234_5678, 7, "the file is not a haymark study"),
        ("newer.db", APPLICATION, 13, "format 13, from a newer haymark"),
        ("newest.db", APPLICATION, u32::MAX >> 1, "newer haymark"),
        (
            "oldest.db",
            APPLICATION,
            1,
            "format 1, from before haymark's first release; open it once with a haymark of commit",
        ),
        (
            "between.db",
            APPLICATION,
            11,
            "format 11, from before haymark's first release; `haymark export --what all`",
        ),
        ("older.db", APPLICATION, 7, "format 7, from before haymark's first release"),
        ("none.db", APPLICATION, 0, "format 0, which no haymark writes"),
    ] {
        drop(StudyFile::create(&at(name)).expect("made"));
        database(&at(name), application, version);
        refused(&at(name), words);
    }
}

#[test]
fn a_damaged_study_gives_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    drop(StudyFile::create(&path).expect("made"));
    let bytes = fs::read(&path).expect("read");
    for kept in [100, 512, 4096, 8192] {
        fs::write(&path, &bytes[..kept]).expect("cut");
        let outcome = StudyFile::open(&path).and_then(|mut study| {
            study.collections()?;
            import(&mut study, &[collection("c")])
        });
        let sentence = outcome.map_or_else(|error| error.to_string(), |_| "opened".into());
        assert!(sentence.starts_with(&path.display().to_string()), "{kept}: {sentence}");
    }
}

#[test]
fn a_study_is_made_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    let study = StudyFile::create(&path).expect("made");
    assert_eq!(study.path(), path);
    let before = fs::read(&path).expect("read");
    let error = StudyFile::create(&path).err().map(|error: Error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("there is a file of this name already")));
    drop(StudyFile::open(&path).expect("opened"));
    assert_eq!(fs::read(&path).expect("read"), before, "opening writes nothing");
    let nowhere = StudyFile::create(&folder.path().join("no/study.db")).err();
    assert!(nowhere.is_some_and(|error| error.to_string().contains("the folder does not exist")));
}

#[test]
fn an_import_that_fails_leaves_every_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    let mut study = StudyFile::create(&path).expect("made");
    import(&mut study, &[collection("c"), document("d1", 1, "one")]).expect("imported");
    let before = fs::read(&path).expect("read");

    // Large enough for SQLite to have written pages before the last record is refused.
    let mut records: Vec<Record> =
        (2..400).map(|number| document(&format!("d{number}"), number, &"x".repeat(500_000))).collect();
    records.push(document("d1", 1, "another text"));
    let error = import(&mut study, &records).expect_err("conflict").to_string();
    assert!(error.starts_with("records.jsonl, line 399: document \"d1\""), "{error}");
    assert!(fs::read(&path).expect("read") == before, "byte for byte");
    assert_eq!(left_beside(&path), Vec::<PathBuf>::new());

    let again = [collection("c"), document("d1", 1, "one")];
    let report = import(&mut study, &again).expect("known");
    assert_eq!((report.added.len(), report.known.values().sum::<usize>()), (0, 2));
    assert!(fs::read(&path).expect("read") == before, "nothing new, nothing written");
}

#[test]
fn a_judgment_is_refused_by_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut study = StudyFile::create(&folder.path().join("study.db")).expect("made");
    let annotator = Annotator { id: "a".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    let judgment = Judgment {
        protocol: "coverage".into(),
        version: None,
        annotator: "a".into(),
        collection: None,
        query: None,
        document: None,
        unit: Some("u".into()),
        candidate: Some("k".into()),
        bullet: None,
        other: None,
        answers: [("coverage".to_owned(), "full".into())].into_iter().collect(),
        total: false,
        seconds: None,
        at: None,
        comment: None,
        flagged: false,
        skipped: false,
        aside: None,
        complete: None,
        sum: None,
        is_part: false,
    };
    let records = [Record::Annotator(annotator), Record::Judgment(judgment)];
    let error = import(&mut study, &records).expect_err("nothing to judge").to_string();
    let expected = "records.jsonl, line 2: candidate \"k\" is not in the study";
    assert!(error.starts_with(expected), "{error}");
    assert!(study.annotators().expect("read").is_empty());
}

#[test]
fn a_study_of_the_format_before_is_copied_aside_and_brought_up_to_date() {
    brought_up_to_date(8);
}

/// Some network and FUSE mounts grant every lock. That is said once a person and study, and by every check.
#[test]
fn a_disk_that_gives_its_locks_to_everybody_is_named_once() {
    let desk = Desk::new();
    let Some(shim) = Shim::over(desk.folder()) else { return };
    let run = |arguments: &[&str], grants: bool| {
        let mut command = desk.command(arguments);
        command.envs(shim.variables(None, None)).envs(grants.then_some(("SHIM_GRANTS", "1")));
        let output = command.output().expect("haymark runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).expect("UTF-8"), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let caution = "one person at a time may work here: the disk gives its locks to everybody";
    for study in ["one.db", "two.db"] {
        desk.samples(study, &["haystack"]);
        let haystack = sample("haystack");
        let again = ["import", study, &haystack];
        assert!(!run(&again, false).1.contains(caution));
        assert!(run(&again, true).1.contains(&format!("note: {study}: {caution}\n")));
        assert!(!run(&again, true).1.contains(caution), "it was said");
        let check = ["check", study, "--format", "json"];
        let warns = |grants| run(&check, grants).0.contains("it gives a lock to everybody who asks");
        assert!(warns(true) && !warns(false));
    }
}

/// The study that was written by this version of the format opens with all it held.
fn brought_up_to_date(version: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    let old = project(&format!("tests/files/version{version}.db"));
    let bytes = fs::read(&old).expect("a study written by that version");
    fs::write(&path, &bytes).expect("written");

    let sound = check(&path).expect("checked");
    assert!(sound.worst() <= Severity::Remark, "{:?}", sound.findings);
    let mut study = StudyFile::open(&path).expect("brought up to date");
    let copy = folder.path().join("study.db.before-v12");
    assert_eq!(left_beside(&path), std::slice::from_ref(&copy));
    assert_eq!(fs::read(&copy).expect("read")[60..64], version.to_be_bytes(), "the copy is as it was");
    assert_eq!(fs::read(&path).expect("read")[60..64], 12_u32.to_be_bytes());

    let judgments = |study: &StudyFile| {
        let mut found = Vec::new();
        let read = study.for_each_judgment(|judgment| {
            found.push(serde_json::to_string(&judgment).expect("JSON"));
            Ok(())
        });
        read.map(|()| found).expect("read")
    };
    // As they were imported when the file was written.
    let expected = vec![
        r#"{"protocol":"coverage","annotator":"alice","collection":"exam","query":"stress","unit":"breaks","candidate":"c1","answers":{"coverage":"full","bullet":1},"seconds":12.5,"at":"2026-01-05T09:30:00Z"}"#,
        r#"{"protocol":"coverage","annotator":"alice","collection":"exam","query":"stress","unit":"tea","candidate":"c1","answers":{"coverage":"none"},"seconds":4.0,"at":"2026-01-05T09:31:00Z","comment":"mentioned only"}"#,
    ];
    assert_eq!(judgments(&study), expected);
    let counts = study.judgments_by_version("coverage").expect("read");
    assert!(counts.iter().all(|count| count.version == 1));
    assert_eq!(counts.iter().map(|count| count.judgments).sum::<usize>(), expected.len());
    let queue = study.open_queue("alice", builtin("coverage").expect("built in")).expect("opened");
    assert_eq!((queue.progress.judged, queue.progress.total), (2, 2), "judged items stay judged");

    drop(study);
    let before = fs::read(&path).expect("read");
    drop(StudyFile::open(&path).expect("opened"));
    assert_eq!(fs::read(&path).expect("read"), before, "opening it again writes nothing");
}

/// Judgments that say nothing but answers have a way of their own into the study. It leaves what the careful way leaves, which a
/// line takes that says anything more, though it be that nothing is flagged.
#[test]
fn lines_that_come_in_quickly_leave_what_others_leave() {
    let corpus = [
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"They walk."}),
        json!({"type":"query","collection":"c","id":"q","text":"What do they do?"}),
        json!({"type":"candidate","query":"q","id":"s1","summarizer":"m","text":"- walk [1]\n- sleep"}),
        json!({"type":"unit","query":"q","id":"u1","kind":"insight","text":"They walk."}),
        json!({"type":"unit","query":"q","id":"u2","kind":"insight","text":"They sleep."}),
        json!({"type":"unit","query":"q","id":"u3","kind":"insight","text":"They dream."}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
        json!({"type":"annotator","id":"bo","kind":"human"}),
        json!({"type":"annotator","id":"judge","kind":"model"}),
    ];
    let line = |by: &str, unit: &str, answers: Value, rest: Value| {
        let mut judgment = json!({"type":"judgment","protocol":"coverage","annotator":by,"collection":"c","query":"q",
            "unit":unit,"candidate":"s1","answers":answers});
        judgment.as_object_mut().expect("an object").append(rest.clone().as_object_mut().expect("an object"));
        judgment
    };
    let (full, none) = (json!({"coverage":"full","bullet":1}), json!({"coverage":"none"}));
    let timed = |at: &str, seconds: f64| json!({"at": at, "seconds": seconds});
    let first = [
        line("ann", "u1", full.clone(), timed("2026-01-05T09:30:00Z", 3.5)),
        line("ann", "u2", none.clone(), json!({})),
        line("judge", "u1", full.clone(), timed("2026-01-31T09:30:00.125Z", 0.0004)),
        // Against the rules, half, and with what nobody asks for.
        line("ann", "u3", json!({"coverage":"none","bullet":2}), json!({})),
        line("bo", "u1", json!({"bullet":2}), timed("2026-01-05T09:30:00+01:00", 1.0)),
        line("bo", "u2", json!({"coverage":"full","bullet":[2, 1]}), json!({"version":1})),
        // Again: the same, and another.
        line("ann", "u1", full.clone(), timed("2026-01-05T09:30:00Z", 3.5)),
        line("ann", "u2", full.clone(), timed("2026-01-06T09:30:00Z", 2.0)),
        line("judge", "u2", json!({"coverage":"partial","bullet":null}), json!({})),
        line("bo", "u3", json!({}), json!({"comment":"what?"})),
        line("bo", "u3", full.clone(), json!({})),
    ];
    let second = [
        line("bo", "u3", none.clone(), timed("2026-01-07T09:30:00Z", 2.0)),
        line("judge", "u3", none.clone(), json!({"complete":true})),
        line("ann", "u3", full, timed("2026-01-08T09:30:00Z", 2.5)),
    ];
    let [quick, careful] = [false, true].map(|is_careful| {
        let desk = Desk::new();
        desk.records("corpus.jsonl", &corpus);
        let written = |judgments: &[Value]| -> Vec<Value> {
            let mut judgments = judgments.to_vec();
            for judgment in judgments.iter_mut().filter(|_| is_careful) {
                judgment["flagged"] = json!(false);
            }
            judgments
        };
        desk.records("first.jsonl", &written(&first));
        desk.records("second.jsonl", &written(&second));
        let mut told = desk.out(&["import", "study.db", "corpus.jsonl", "first.jsonl"]);
        // From here on somebody has a queue.
        StudyFile::open(&desk.path("study.db"))
            .and_then(|mut study| study.open_queue("bo", builtin("coverage").expect("built in")))
            .expect("opened");
        for _ in 0..2 {
            told += &desk.out(&["import", "study.db", "second.jsonl"]);
        }
        let report = check(&desk.path("study.db")).expect("checked");
        assert_eq!(report.worst(), Severity::Right, "{:?}", report.findings);
        let history = ["export", "study.db", "--what", "judgments", "--history", "--names", "--with-text"];
        (
            told,
            without_names(&desk.out(&["export", "study.db"])),
            desk.out(&history),
            desk.out(&["status", "study.db"]),
        )
    });
    assert_eq!(quick, careful);
    assert!(quick.1.contains(r#""seconds":3.5,"at":"2026-01-05T09:30:00Z""#), "{}", quick.1);
}
