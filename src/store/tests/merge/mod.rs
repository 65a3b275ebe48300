//! Merging and splitting: a union whatever the order, refused whole where two files do not fit.

mod damage;
mod property;
mod split;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::journal::all_caches;
use super::{Study, bytes, choose, corpus, coverage, judgment, link};
use crate::error::Result;
use crate::journal::Happening;
use crate::journal::session::Setup;
use crate::store::exchange::merge::journal::journals;
use crate::store::{MergeCount, MergeMode, MergeReport, StudyFile};
use crate::study::ItemId;
use crate::text::hash::fingerprint;

impl Study {
    pub(super) fn path(&self) -> PathBuf {
        self.file.path().to_path_buf()
    }

    pub(super) fn merge(&mut self, others: &[&Study]) -> Result<Vec<MergeReport>> {
        let paths: Vec<PathBuf> = others.iter().map(|other| other.path()).collect();
        self.file.merge(&paths, MergeMode::Write)
    }

    fn rehearse(&mut self, other: &Study) -> MergeReport {
        let mut reports = self.file.merge(&[other.path()], MergeMode::Rehearse).expect("rehearsed");
        reports.remove(0)
    }

    /// Somebody answers an item of `coverage` by its position in the corpus.
    pub(super) fn answer(&mut self, annotator: &str, item: usize, what: &[Happening], now: i64) {
        let queue = self.file.open_queue(annotator, coverage()).expect("opened");
        let items = self.file.items("coverage").expect("read");
        let timed: Vec<(Happening, i64)> = what.iter().map(|happening| (happening.clone(), 500)).collect();
        let texts = fingerprint(["texts"]);
        self.file.append(queue.annotator, coverage(), items[item].id, texts, &timed, now).expect("appended");
    }

    /// Everything that counts, without the numbers of rows: judgments as they are exported.
    pub(super) fn judgments(&self) -> Vec<String> {
        let mut found = Vec::new();
        let read = self.file.for_each_judgment(|judgment| {
            found.push(serde_json::to_string(&judgment).expect("JSON"));
            Ok(())
        });
        read.expect("read");
        found.sort();
        found
    }

    /// A new opening of the file, as another run of the program would have.
    fn reopened(self) -> Study {
        let file = StudyFile::open(self.file.path()).expect("opened");
        Study { file, ..self }
    }
}

fn counts(report: &MergeReport, kind: &str) -> (usize, usize, usize) {
    let found = report.counts.iter().find(|(counted, _)| counted == kind);
    found.map_or((0, 0, 0), |(_, count)| (count.new, count.known, count.clashing))
}

#[test]
fn what_the_other_file_holds_comes_in_and_that_file_stays_as_it_is() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    one.answer("alice", 0, &[choose("none")], 1_000);
    two.answer("bora", 0, &[choose("full"), link(1)], 2_000);
    two.answer("bora", 1, &[Happening::Skip(true)], 3_000);
    two.import(&[judgment(json!({"answers":{"coverage":"none"}}))]).expect("imported");
    let other = two.bytes();

    let rehearsed = one.rehearse(&two);
    assert_eq!(one.judgments().len(), 1, "a rehearsal writes nothing");
    let reports = one.merge(&[&two]).expect("merged");
    assert_eq!(reports, [rehearsed]);
    // Of 14 records one is the annotator bora, whom opening her queue added.
    assert_eq!(counts(&reports[0], "document"), (0, 3, 0));
    assert_eq!(counts(&reports[0], "annotator"), (1, 2, 0));
    assert_eq!(counts(&reports[0], "event"), (4, 0, 0), "three by bora, one imported");
    assert_eq!(counts(&reports[0], "item"), (0, 5, 0));
    assert_eq!(counts(&reports[0], "import"), (1, 1, 0), "the corpus came from the same file");
    let of = |name: &str| reports[0].annotators.iter().find(|annotator| annotator.name == name);
    assert_eq!(of("bora").map(|bora| (bora.new_events, bora.judged, bora.changed)), Some((3, 1, 0)));
    assert_eq!(of("alice").map(|alice| (alice.new_events, alice.judged)), Some((1, 0)));
    assert_eq!(two.bytes(), other, "the other file stays as it is");

    assert_eq!(one.judgments().len(), 3);
    let queue = one.file.open_queue("bora", coverage()).expect("opened");
    assert_eq!((queue.progress.judged, queue.progress.skipped), (1, 1));
}

/// A file that has a part of an act gets the rest as an act of the rest's own kind.
#[test]
fn the_rest_of_an_act_is_of_its_own_kind() {
    let (mut part, mut whole) = (Study::with(&corpus()), Study::with(&corpus()));
    let queue = whole.file.open_queue("bora", coverage()).expect("opened");
    let item = whole.file.items("coverage").expect("read")[0].id;
    let act = [(choose("full"), 500), (Happening::Flag(true), 0)];
    let texts = fingerprint(["texts"]);
    whole.file.append(queue.annotator, coverage(), item, texts, &act, 2_000).expect("appended");
    part.merge(&[&whole]).expect("merged");
    part.rewrite("DELETE FROM event WHERE kind = 'flag'");
    part.merge(&[&whole]).expect("merged");
    let kinds: Vec<i64> = part
        .file
        .connection
        .prepare("SELECT kind FROM act ORDER BY id")
        .and_then(|mut rows| rows.query_map([], |row| row.get(0))?.collect())
        .expect("read");
    assert_eq!(kinds, [3, 4], "an answer, and a step without one");
}

#[test]
fn the_second_time_changes_no_byte() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    two.answer("bora", 0, &[choose("none")], 2_000);
    one.merge(&[&two]).expect("merged");
    let before = one.bytes();
    let again = one.merge(&[&two, &two]).expect("merged");
    assert_eq!(again.iter().map(MergeReport::new_records).sum::<usize>(), 0);
    assert_eq!(one.bytes(), before);
}

#[test]
fn a_study_is_not_merged_with_itself() {
    let mut one = Study::with(&corpus());
    let path = one.path();
    let link = path.with_file_name("link.db");
    std::fs::hard_link(&path, &link).expect("linked");
    for name in [path.clone(), path.with_file_name(".").join("study.db"), link] {
        let refused = one.file.merge(&[name], MergeMode::Write).expect_err("refused").to_string();
        assert!(refused.contains("this is the study itself"), "{refused}");
    }
    let missing = path.with_file_name("missing.db");
    let refused = one.file.merge(&[missing], MergeMode::Write).expect_err("refused").to_string();
    assert!(refused.contains("missing.db: there is no such file"), "{refused}");
}

/// The corpus with one field of one record changed.
fn corpus_with(change: impl Fn(&mut Value) -> bool) -> Vec<Value> {
    let mut records = corpus();
    assert!(records.iter_mut().any(change), "the record is there");
    records
}

fn set(id: &'static str, field: &'static str, value: Value) -> impl Fn(&mut Value) -> bool {
    move |record: &mut Value| {
        let is_it = record["id"] == id;
        if is_it {
            record[field] = value.clone();
        }
        is_it
    }
}

#[test]
fn corpora_that_do_not_fit_are_refused_by_the_place_where_they_differ() {
    for (records, place) in [
        (
            corpus_with(set("exam", "title", json!("Other"))),
            "collection \"exam\" is already there with another title",
        ),
        (
            corpus_with(set("d2", "text", json!("other"))),
            "document \"d2\" of collection \"exam\" is already there with another text",
        ),
        (
            corpus_with(set("d3", "number", json!(9))),
            "document \"d3\" of collection \"exam\" is already there with another number, and answers, sessions, revisions or a hub go by the numbers",
        ),
        (
            corpus_with(set("sleep", "text", json!("What?"))),
            "query \"sleep\" of collection \"exam\" is already there with another text",
        ),
        (
            corpus_with(set("tea", "documents", json!(["d2"]))),
            "unit \"tea\" of query \"stress\" is already there with other documents",
        ),
        (
            corpus_with(set("c2", "summarizer", json!("gpt"))),
            "candidate \"c2\" of query \"stress\" is already there with another summarizer",
        ),
        (
            corpus_with(set("judge", "kind", json!("human"))),
            "annotator \"judge\" is already there with another kind",
        ),
    ] {
        let (mut one, mut two) = (Study::with(&corpus()), Study::with(&records));
        two.answer("bora", 0, &[choose("none")], 2_000);
        let before = one.bytes();
        let report = one.rehearse(&two);
        assert_eq!(report.clashes, [place]);
        assert_eq!(counts(&report, "event").0, 1, "the report goes on after a clash");
        let refused = one.merge(&[&two]).expect_err("refused").to_string();
        assert!(
            refused.starts_with(&format!("{}: {place}; nothing was merged", two.path().display())),
            "{refused}"
        );
        assert_eq!(one.bytes(), before, "{place}");
    }
}

#[test]
fn of_several_files_none_comes_in_when_one_does_not_fit() {
    let mut one = Study::with(&corpus());
    let mut fits = Study::with(&corpus());
    fits.answer("bora", 0, &[choose("none")], 2_000);
    let differs = Study::with(&corpus_with(set("d2", "text", json!("other"))));
    let before = one.bytes();
    one.merge(&[&fits, &differs]).expect_err("refused");
    assert_eq!(one.bytes(), before);
}

#[test]
fn records_that_only_the_other_file_has_are_taken_over() {
    let mut one = Study::with(&corpus());
    one.answer("alice", 0, &[choose("none")], 1_000);
    let mut more = corpus();
    more.extend([
        json!({"type":"collection","id":"market"}),
        json!({"type":"document","collection":"market","id":"m1","number":1,"text":"Leeks."}),
        json!({"type":"query","collection":"market","id":"what","text":"What is sold?"}),
        json!({"type":"unit","query":"what","id":"leeks","kind":"insight","text":"Leeks.","documents":["m1"],
               "evidence":[{"document":"m1","quote":"Leeks"}]}),
        json!({"type":"candidate","query":"what","id":"c9","text":"- Leeks [1]"}),
    ]);
    let mut two = Study::with(&more);
    two.answer("bora", 5, &[choose("full"), link(1)], 2_000);
    let reports = one.merge(&[&two]).expect("merged");
    for kind in ["collection", "document", "query", "unit", "candidate", "item"] {
        assert_eq!(counts(&reports[0], kind).0, 1, "{kind}");
    }
    let queue = one.file.open_queue("alice", coverage()).expect("opened");
    assert_eq!(queue.progress.total, 6, "queues look for new items");
    let units = one.file.units().expect("read");
    assert!(units.iter().any(|(_, unit)| unit.id == "leeks" && unit.evidence.len() == 1));
}

#[test]
fn an_event_that_differs_refuses_the_whole() {
    for (change, column) in [("body = '{}'", "body"), ("active = active + 1", "active"), ("at = 1001", "at")]
    {
        let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
        one.answer("alice", 0, &[choose("none")], 1_000);
        two.merge(&[&one]).expect("merged");
        two.answer("alice", 1, &[choose("none")], 2_000);
        two.rewrite(&format!("UPDATE event SET {change} WHERE at = 1000"));
        let before = one.bytes();
        let refused = one.merge(&[&two]).expect_err("refused").to_string();
        let told = format!("is in the study with another {column:?}; nothing was merged");
        assert!(refused.contains(&told) && refused.contains("event of writer "), "{refused}");
        assert_eq!(one.bytes(), before);
    }
}

#[test]
fn the_same_import_into_two_copies_is_known() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    let judged = [
        judgment(json!({"seconds":12.5,"at":"2026-01-05T09:30:00Z"})),
        judgment(json!({"unit":"tea","answers":{"coverage":"none"},"comment":"why?"})),
    ];
    // In one copy the first of the file's two events of that judgment is known already.
    one.import(&[judgment(json!({"unit":"tea","answers":{"coverage":"none"},"seconds":3.0}))])
        .expect("imported");
    one.import(&judged).expect("imported");
    two.import(&judged).expect("imported");
    let reports = one.merge(&[&two]).expect("merged");
    assert_eq!(counts(&reports[0], "event").2, 0);
    let expected: Vec<&str> = vec!["pomodoro", "tea"];
    let said = one.judgments();
    assert_eq!(said.len(), expected.len());
    for unit in expected {
        assert!(said.iter().any(|judgment| judgment.contains(unit)), "{unit}");
    }
}

#[test]
fn every_table_of_the_schema_is_merged_made_anew_or_left_on_purpose() {
    let study = Study::empty();
    let mut names: Vec<String> = study
        .file
        .connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("listed");
    let journals = journals(&study.file.connection).expect("read");
    assert!(journals.iter().any(|journal| journal.name == "session_event"));
    names.retain(|name| !journals.iter().any(|journal| journal.name == *name));
    let corpus =
        ["collection", "document", "query", "unit", "gold", "evidence", "candidate", "ranking", "annotator"];
    let protocols = ["protocol", "protocol_version", "guideline", "import", "import_map", "amendment"];
    let with_fingerprints = ["item", "session"];
    let event_by_event = ["act", "writer", "phrase"];
    let made_anew = [
        "question",
        "standing",
        "queue",
        "progress",
        "revision",
        "row_sum",
        "block_sum",
        "withdrawn",
        "joined",
        "original",
    ];
    // The hub of a file, and the rows that wait for the hub, are the file's own.
    let left = ["handed_out", "hub", "hub_held", "hub_lease", "hub_waits"];
    for name in &names {
        let known = [&corpus[..], &protocols, &with_fingerprints, &event_by_event, &made_anew, &left];
        assert!(
            known.iter().any(|tables| tables.contains(&name.as_str())),
            "what does a merge do with {name}?"
        );
    }
}

#[test]
fn an_older_format_is_read_from_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.db");
    let old = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/version8.db");
    std::fs::copy(old, &path).expect("copied");
    let before = bytes(&path);
    let mut one = Study::empty();
    let reports = one.file.merge(std::slice::from_ref(&path), MergeMode::Write).expect("merged");
    assert_eq!(reports[0].annotators[0].judged, 2);
    assert_eq!(bytes(&path), before);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing lies beside it");
}

#[test]
fn a_study_whose_writer_was_killed_is_read_as_it_was_before() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    two.answer("bora", 0, &[choose("none")], 2_000);
    // The bytes of a study in the middle of a write that does not end.
    let folder = tempfile::tempdir().expect("a folder");
    let killed = folder.path().join("killed.db");
    two.file
        .connection
        .execute_batch(
            "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
             CREATE TABLE half (text); ",
        )
        .expect("begun");
    let long = "x".repeat(9_000);
    for _ in 0..50 {
        two.file.connection.execute("INSERT INTO half VALUES (?1)", [&long]).expect("written");
    }
    std::fs::copy(two.path(), &killed).expect("copied");
    std::fs::copy(two.path().with_file_name("study.db-journal"), folder.path().join("killed.db-journal"))
        .expect("copied");
    let before = bytes(&killed);
    let reports = one.file.merge(std::slice::from_ref(&killed), MergeMode::Write).expect("merged");
    assert_eq!(counts(&reports[0], "event").0, 1);
    assert_eq!(bytes(&killed), before);
    assert!(folder.path().join("killed.db-journal").exists(), "the journal is left for its owner");
}

/// A version of a protocol like `coverage`, with a remark of its own in the text.
fn own(version: u32, remark: &str, guideline: &str) -> Value {
    let text = coverage().file_text.replace("name = \"coverage\"", "name = \"tone\"");
    let text = text.replace("version = 1", &format!("version = {version}"));
    json!({"type":"protocol","name":"tone","version":version,"text":format!("# {remark}\n{text}"),"guideline":guideline})
}

fn toned(version: u32, value: &str) -> Value {
    judgment(json!({"protocol":"tone","version":version,"answers":{"coverage":value},
        "at":format!("2026-01-0{version}T00:00:00Z")}))
}

#[test]
fn protocols_and_their_versions_come_along() {
    let with = |records: &[Value]| Study::with(&[corpus(), records.to_vec()].concat());
    let first = own(1, "How?", "# Tone");
    let second = own(2, "How does it sound?", "");
    let mut one = with(&[first.clone(), toned(1, "none")]);
    let two = with(&[first.clone(), second.clone(), toned(2, "partial")]);
    let reports = one.merge(&[&two]).expect("merged");
    assert_eq!(counts(&reports[0], "protocol version").0, 1);
    assert!(reports[0].remarks[0].contains("version 2 comes in"), "{:?}", reports[0].remarks);
    let current = one.file.protocol("tone").expect("read").expect("there");
    assert_eq!(current.version, 2);

    let mut none = Study::with(&corpus());
    let reports = none.merge(&[&one]).expect("merged");
    assert!(reports[0].remarks[0].contains("is new to the study, in version 2"), "{:?}", reports[0].remarks);
    assert_eq!(none.judgments(), one.judgments());
    let kept = all_caches(&none.file);
    none.file.rebuild_caches().expect("rebuilt");
    assert_eq!(all_caches(&none.file), kept);

    for (other, place) in [
        (own(1, "What?", ""), "version 1 of protocol \"tone\" has another text"),
        (own(1, "How?", "# Another"), "version 1 of protocol \"tone\" has another guideline"),
    ] {
        let mut one = with(std::slice::from_ref(&first));
        let refused = one.merge(&[&with(&[other])]).expect_err("refused").to_string();
        assert!(refused.contains(place), "{refused}");
    }
}

#[test]
fn kinds_of_a_newer_program_come_over_untouched() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    let sing = Happening::Unknown { kind: "sing".into(), body: json!({"la": [1, 2]}) };
    two.answer("bora", 0, &[choose("none"), sing.clone()], 2_000);
    one.merge(&[&two]).expect("merged");
    let annotators = one.file.annotators().expect("read");
    let bora = annotators.iter().find(|(_, annotator)| annotator.id == "bora").expect("there").0;
    let item: ItemId = one.file.items("coverage").expect("read")[0].id;
    let events = one.file.events(bora, item).expect("read");
    assert_eq!(events.iter().map(|event| &event.happening).collect::<Vec<_>>(), [&choose("none"), &sing]);
}

/// What nobody here could read stays where it is, and all else comes.
#[test]
fn a_session_that_cannot_be_read_stays() {
    let (mut one, mut two) = (Study::with(&corpus()), super::sessions::written().0);
    two.answer("bora", 3, &[choose("none")], 2_000);
    two.file
        .connection
        .execute_batch(
            "INSERT INTO session (key, annotator, query, setup)
               SELECT x'000102030405060708090a0b0c0d0e0f', annotator, query, '[1, 2]' FROM session;
             INSERT INTO session_event (writer, seq, session, kind, body, at, active)
               SELECT 7, 1, id, 'pause', 'null', 5, 6 FROM session WHERE setup = '[1, 2]';",
        )
        .expect("written");
    let reports = one.merge(&[&two]).expect("merged");
    let told = "1 session cannot be read here: with all that was done there, it stays in the other file";
    assert_eq!(reports[0].remarks, [told]);
    assert_eq!(counts(&reports[0], "session"), (1, 0, 0), "the other one");
    assert_eq!(one.file.sessions().expect("read"), two.file.sessions().expect("read"));
    assert_eq!(counts(&reports[0], "event").0, 1);
    assert_eq!(one.merge(&[&two]).expect("merged")[0].new_records(), 0);
}

#[test]
fn the_other_journals_come_over_with_what_they_refer_to() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    // With this, rows have different numbers in the two files.
    one.answer("zoe", 0, &[choose("none")], 500);
    two.answer("bora", 3, &[choose("none")], 2_000);
    two.file
        .connection
        .execute_batch(&format!(
            "INSERT INTO session (key, annotator, query, setup)
               SELECT x'000102030405060708090a0b0c0d0e0f', a.id, q.id, '{}' FROM annotator a, query q
               WHERE a.key = 'bora' AND q.key = 'sleep';
             INSERT INTO session_event (writer, seq, session, kind, body, at, active)
               SELECT 7, 1, id, 'text', '{{}}', 5, 6 FROM session;
             INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
               SELECT 7, 2, a.id, e.item, 'give', '{{}}', 9 FROM annotator a, act e WHERE a.key = 'bora';
             INSERT INTO view_event (writer, seq, name, body, at) VALUES (7, 3, 'worst', '{{}}', 11);",
            Setup::default().to_json()
        ))
        .expect("written");
    let reports = one.merge(&[&two]).expect("merged");
    for kind in ["session", "session event", "assignment event", "view event"] {
        assert_eq!(counts(&reports[0], kind), (1, 0, 0), "{kind}");
    }
    let said: (String, String, String, i64) = one
        .file
        .connection
        .query_row(
            "SELECT a.key, q.key, b.key, x.item = e.item FROM session s
             JOIN annotator a ON a.id = s.annotator JOIN query q ON q.id = s.query
             JOIN session_event t ON t.session = s.id
             JOIN assignment_event x ON x.writer = t.writer JOIN annotator b ON b.id = x.annotator
             JOIN act e ON e.annotator = b.id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .expect("joined");
    assert_eq!(said, ("bora".into(), "sleep".into(), "bora".into(), 1));
    let again = one.merge(&[&two]).expect("merged");
    assert_eq!(again[0].new_records(), 0);
    assert!(
        again[0]
            .counts
            .iter()
            .all(|(_, count)| *count == MergeCount { known: count.known, ..MergeCount::default() })
    );
}
