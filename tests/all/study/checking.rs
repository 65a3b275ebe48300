//! Damaged study files: `check` names what is wrong and changes nothing, `--recover` saves the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use haymark::store::{Severity, StudyFile, check, recover};

use crate::harness::Desk;

const PAGE: usize = 4_096;

impl Desk {
    /// The sample study, as bytes.
    fn everything(&self) -> Vec<u8> {
        let corpus = ["haystack", "questions", "questions_zh", "facts", "points"];
        let judgments = ["haystack_judgments", "questions_judgments", "further_judgments"];
        self.samples("study.db", &[&corpus[..], &judgments].concat());
        self.bytes("study.db")
    }

    /// Puts a damaged file there; checks that looking at it changes nothing, and gives the worst finding.
    fn checked(&self, bytes: &[u8]) -> Option<Severity> {
        let path = self.path("damaged.db");
        fs::write(&path, bytes).expect("written");
        let before = self.listed();
        let report = check(&path);
        assert!(fs::read(&path).expect("read") == bytes, "not a byte changes");
        assert_eq!(self.listed(), before, "and nothing is left beside it");
        report.ok().map(|report| report.worst())
    }

    /// Saves what the damaged file holds; gives the lines of an export of it.
    fn recovered(&self) -> Option<BTreeSet<String>> {
        let (damaged, new) = (self.path("damaged.db"), self.path("new.db"));
        let bytes = fs::read(&damaged).expect("read");
        let report = recover(&damaged, &new);
        assert!(fs::read(&damaged).expect("read") == bytes, "not a byte changes");
        report.ok()?;
        let lines = exported(&StudyFile::open(&new).expect("a study"));
        fs::remove_file(&new).expect("removed");
        Some(lines)
    }

    /// Saves what the damaged file holds: the study itself takes nothing of it, and fills it. Gives what was lost.
    fn filled_by_a_copy(&self, what: &str) -> Vec<String> {
        let lines = |study: &str| -> BTreeSet<String> {
            self.out(&["export", study]).lines().map(str::to_owned).collect()
        };
        let whole = lines("study.db");
        let report = recover(&self.path("damaged.db"), &self.path("new.db")).expect("saved");
        fs::copy(self.path("study.db"), self.path("copy.db")).expect("copied");
        self.out(&["merge", "copy.db", "new.db"]);
        assert!(lines("copy.db") == whole, "{what}: the copy takes nothing");
        self.out(&["merge", "new.db", "study.db"]);
        assert!(lines("new.db") == whole, "{what}: the study is filled");
        assert_eq!(self.run(&["check", "new.db"]).status.code(), Some(0), "{what}");
        fs::remove_file(self.path("new.db")).expect("removed");
        report.losses
    }

    /// The records of an export, unless it fails.
    fn export_of(&self, study: &str) -> Option<Vec<serde_json::Value>> {
        let output = self.run(&["export", study]);
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let records = lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
        output.status.success().then_some(records)
    }

    fn listed(&self) -> BTreeSet<PathBuf> {
        fs::read_dir(self.folder()).expect("listed").map(|entry| entry.expect("an entry").path()).collect()
    }
}

/// Documents and judgments as text.
fn exported(study: &StudyFile) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    study
        .for_each_document(|_, document| {
            lines.insert(serde_json::to_string(&document).expect("JSON"));
            Ok(())
        })
        .expect("read");
    study
        .for_each_judgment(|judgment| {
            lines.insert(serde_json::to_string(&judgment).expect("JSON"));
            Ok(())
        })
        .expect("read");
    lines
}

/// Numbers that are the same in every run.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        // Knuth's multiplier (MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    }
}

/// More judgments than a page holds: each has 30 bytes at least, for its numbers, its time and the pointer to it.
const FULL: usize = PAGE / 30;

#[test]
fn a_sound_study_is_right_and_wholly_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    assert_eq!(desk.checked(&bytes), Some(Severity::Right));
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    assert_eq!(desk.recovered().expect("saved"), whole);
    let report = recover(&desk.path("study.db"), &desk.path("again.db")).expect("saved");
    assert_eq!(report.losses, Vec::<String>::new());
    let refused = recover(&desk.path("study.db"), &desk.path("again.db")).expect_err("there already");
    assert!(refused.to_string().contains("there is a file of this name already"), "{refused}");
}

#[test]
fn a_cut_off_file_is_named_and_what_is_left_is_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    for kept in [
        0,
        1,
        99,
        100,
        101,
        511,
        PAGE - 1,
        PAGE,
        PAGE + 7,
        bytes.len() / 2,
        bytes.len() - PAGE,
        bytes.len() - 1,
    ] {
        let worst = desk.checked(&bytes[..kept]);
        assert!(worst.is_none_or(|worst| worst == Severity::Wrong), "{kept} bytes: {worst:?}");
        if let Some(lines) = desk.recovered() {
            assert!(lines.intersection(&whole).count() > 0 || kept < bytes.len() / 2, "{kept} bytes");
        }
    }
    fs::write(desk.path("damaged.db"), &bytes[..bytes.len() - PAGE]).expect("cut");
    let lines = desk.recovered().expect("saved");
    assert!(lines.intersection(&whole).count() > whole.len() - FULL);
}

#[test]
fn of_one_lost_page_after_the_other_everything_else_is_saved() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    let pages = bytes.len() / PAGE;
    for page in (0..pages).step_by(7).chain([1, 2, 3]) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        let worst = desk.checked(&damaged);
        assert!(worst.is_none_or(|worst| worst == Severity::Wrong), "page {page}: {worst:?}");
        let lines = desk.recovered().unwrap_or_else(|| panic!("page {page} of {pages} takes all"));
        let saved = lines.intersection(&whole).count();
        assert!(saved + FULL > whole.len(), "page {page}: {saved} of {}", whole.len());
    }
}

/// What stands in the place of a lost record is none: a copy fills it, and nothing is taken from it.
#[test]
fn a_copy_fills_what_a_recovered_study_lost() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let mut filled = 0;
    for page in (1..bytes.len() / PAGE).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(desk.path("damaged.db"), &damaged).expect("written");
        let losses = desk.filled_by_a_copy(&format!("page {page}"));
        filled += losses.iter().filter(|loss| loss.starts_with("lost but for the name")).count();
    }
    assert!(filled > 0, "records were lost");
}

#[test]
fn what_a_sum_or_a_key_does_not_fit_is_put_right_by_a_copy() {
    let desk = Desk::new();
    desk.everything();
    for change in [
        "UPDATE item SET unit = (SELECT max(id) FROM unit) WHERE id = 1",
        "UPDATE item SET texts = randomblob(16) WHERE id = 1",
        "UPDATE protocol_version SET file = file || '#'",
        "UPDATE document SET text = 'flipped' WHERE id = 2",
        "UPDATE unit SET meta = '{\"a\":1}' WHERE id = 1",
        "DELETE FROM evidence",
        "UPDATE annotator SET kind = 'model' WHERE kind = 'human'",
    ] {
        fs::copy(desk.path("study.db"), desk.path("damaged.db")).expect("copied");
        let damaged = rusqlite::Connection::open(desk.path("damaged.db")).expect("opened");
        // Sums stay what they were.
        let find = "SELECT name, sql FROM sqlite_schema WHERE name GLOB '*_is_summed_*'";
        let triggers: Vec<(String, String)> = damaged
            .prepare(find)
            .and_then(|mut found| found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
            .expect("read");
        for (name, _) in &triggers {
            damaged.execute_batch(&format!("DROP TRIGGER {name}")).expect("dropped");
        }
        damaged.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).expect("changed");
        triggers.iter().for_each(|(_, text)| damaged.execute_batch(text).expect("made"));
        drop(damaged);
        desk.filled_by_a_copy(change);
    }
}

#[test]
fn flipped_bytes_anywhere_break_nothing() {
    let desk = Desk::new();
    let bytes = desk.everything();
    let whole = exported(&StudyFile::open(&desk.path("study.db")).expect("a study"));
    let mut number = numbers(1);
    for round in 0..40 {
        let mut damaged = bytes.clone();
        for _ in 0..=round % 20 {
            // The first page, which says where everything is, more often than the others.
            let at = if round % 4 == 0 { number(PAGE) } else { number(bytes.len()) };
            damaged[at] ^= 1 << number(8);
        }
        desk.checked(&damaged);
        let saved = desk.recovered().map_or(0, |lines| lines.intersection(&whole).count());
        assert!(saved > whole.len() / 2, "round {round}: {saved} of {}", whole.len());
    }
}

#[test]
fn garbage_is_no_study_and_gives_a_sentence() {
    let desk = Desk::new();
    let mut number = numbers(2);
    for length in [0, 10, 100, 4_096, 20_000] {
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(number(256)).expect("a byte")).collect();
        assert_eq!(desk.checked(&bytes), None);
        assert_eq!(desk.recovered(), None);
        assert!(!desk.path("new.db").exists() && !desk.path("new.db.part").exists());
    }
    let told = check(&desk.path("missing.db")).expect_err("missing").to_string();
    assert!(told.contains("there is no such file"), "{told}");
}

#[test]
fn what_lies_beside_a_study_is_named_and_left_alone() {
    let desk = Desk::new();
    let bytes = desk.everything();
    for (ending, worst) in [("-wal", Severity::Wrong), ("-journal", Severity::Remark)] {
        let beside = desk.path(&format!("damaged.db{ending}"));
        fs::write(&beside, [7; 5_000]).expect("written");
        assert_eq!(desk.checked(&bytes), Some(worst), "{ending}");
        assert_eq!(fs::read(&beside).expect("there"), [7; 5_000]);
        assert!(desk.recovered().is_some_and(|lines| !lines.is_empty()), "{ending}");
        fs::remove_file(&beside).expect("removed");
    }
}

#[test]
fn the_command_says_what_to_do_in_80_columns_and_exits_1() {
    let desk = Desk::new();
    let mut bytes = desk.everything();
    let told = desk.run(&["check", "study.db"]);
    assert_eq!(told.status.code(), Some(0));
    let text = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(
        text.contains("Nothing is wrong.") && text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );

    let last = bytes.len() - PAGE;
    bytes[last..].fill(0);
    fs::write(desk.path("damaged.db"), &bytes).expect("written");
    let told = desk.run(&["check", "damaged.db", "--format", "json"]);
    assert_eq!(told.status.code(), Some(1));
    let tables: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let table = &tables[0];
    assert_eq!(table["worst"], "WRONG");
    let rows = table["rows"].as_array().expect("rows");
    let wrong = rows.iter().find(|row| row["severity"] == "WRONG").expect("something is wrong");
    assert!(wrong["advice"].as_str().is_some_and(|advice| advice.contains("--recover NEW")), "{wrong}");
    assert!(String::from_utf8_lossy(&told.stderr).contains("damaged.db: "));

    let told = desk.run(&["check", "damaged.db", "--recover", "new.db"]);
    let text = String::from_utf8(told.stdout).expect("UTF-8");
    assert_eq!(told.status.code(), Some(0), "{text}");
    assert!(text.contains("damaged.db saved into new.db"), "{text}");
    assert_eq!(desk.run(&["check", "new.db"]).status.code(), Some(0));
    let told = desk.out(&["check", "damaged.db", "--recover", "new one.db"]);
    assert!(told.contains("`haymark check 'new one.db'`"), "{told}");
}

/// The roots of the phrases and of their index are lost, and the leaves below are whole.
#[test]
fn leaves_without_their_root_are_read() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let mut bytes = desk.bytes("study.db");
    let connection = rusqlite::Connection::open(desk.path("study.db")).expect("opened");
    for name in ["phrase", "sqlite_autoindex_phrase_1"] {
        let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: u32 = connection.query_row(select, [name], |row| row.get(0)).expect("read");
        let root = root as usize;
        assert_eq!(bytes[(root - 1) * PAGE] & 8, 0, "{name} has leaves");
        bytes[(root - 1) * PAGE..root * PAGE].fill(0);
    }
    drop(connection);
    fs::write(desk.path("damaged.db"), &bytes).expect("written");
    let told = desk.out(&["check", "damaged.db", "--recover", "new.db"]);
    assert!(!told.contains("cannot be read") && !told.contains("no answers"), "{told}");
    let lines = |study: &str| desk.out(&["export", study, "--what", "judgments", "--names"]);
    assert_eq!(lines("new.db"), lines("study.db"));
}

/// A page that is lost is damage, and never a study in which nothing was done.
#[test]
fn no_lost_page_makes_status_say_that_nothing_is_judged() {
    let desk = Desk::new();
    let bytes = desk.everything();
    for page in (1..bytes.len() / PAGE).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0x5a);
        fs::write(desk.path("damaged.db"), &damaged).expect("written");
        let said = String::from_utf8_lossy(&desk.run(&["status", "damaged.db"]).stderr).into_owned();
        assert!(!said.contains("nothing is judged"), "page {page}: {said}");
    }
}

/// A study of few pages in which everything there is stands: judgments, a session, assignments, verdicts.
const SMALL: &str = r#"
{"type":"collection","id":"exam","title":"Exam","domain":"talk","meta":{"a":[2.5,"x"]}}
{"type":"document","collection":"exam","id":"d1","number":1,"title":"Monday","text":"We slept badly. We slept badly."}
{"type":"document","collection":"exam","id":"d2","number":2,"text":"A 5-minute break after 25 minutes."}
{"type":"query","collection":"exam","id":"stress","text":"What of stress?","category":"why"}
{"type":"unit","query":"stress","id":"pomodoro","kind":"insight","text":"Breaks help.","documents":["d2","d1"],"evidence":[{"document":"d2","quote":"5-minute break"}],"score":0.83}
{"type":"unit","query":"stress","id":"tea","kind":"insight","text":"Tea helps.","documents":["d1"]}
{"type":"unit","query":"stress","id":"dark","kind":"insight","text":"Darkness helps.","documents":["d1"]}
{"type":"candidate","query":"stress","id":"c1","summarizer":"gpt-4o","retriever":"oracle","order":"random","text":"- Breaks [2]\n- Tea [1]\n- Sleep"}
{"type":"candidate","query":"stress","id":"c2","summarizer":"opus","text":"- Nothing"}
{"type":"annotator","id":"alice","kind":"human"}
{"type":"annotator","id":"bora","kind":"human"}
{"type":"annotator","id":"judge","kind":"model","meta":{"model":"gpt-4o"}}
{"type":"judgment","protocol":"coverage","annotator":"alice","query":"stress","unit":"pomodoro","candidate":"c1","answers":{"coverage":"full","bullet":1},"comment":"both of them","seconds":4.5}
{"type":"judgment","protocol":"coverage","annotator":"alice","query":"stress","unit":"tea","candidate":"c1","answers":{"coverage":"partial","bullet":2},"seconds":12}
{"type":"judgment","protocol":"coverage","annotator":"alice","query":"stress","unit":"dark","candidate":"c1","answers":{"coverage":"none"},"flagged":true}
{"type":"judgment","protocol":"coverage","annotator":"alice","query":"stress","unit":"pomodoro","candidate":"c2","answers":{"coverage":"none"}}
{"type":"judgment","protocol":"coverage","annotator":"bora","query":"stress","unit":"pomodoro","candidate":"c1","answers":{"coverage":"partial","bullet":1}}
{"type":"judgment","protocol":"coverage","annotator":"bora","query":"stress","unit":"tea","candidate":"c1","answers":{"coverage":"none"}}
{"type":"judgment","protocol":"coverage","annotator":"judge","query":"stress","unit":"tea","candidate":"c1","answers":{"coverage":"full","bullet":2}}
{"type":"adjudication","protocol":"coverage","annotator":"alice","query":"stress","unit":"tea","candidate":"c1","answers":{"coverage":"none"},"reason":"slip"}
{"type":"session","id":"7c41d0a95be2438f90a6c3d57e18f2b4","annotator":"bora","collection":"exam","query":"stress","setup":{"seed":7,"limit":7200000,"documents":"relevant","order":[1,2],"shows_clock":true,"insights":3,"has_judged":false},"events":{"2f6b10c49d7735a1":[[1,1767963612000,0,"open",{"after":null,"has_judged":false}],[2,1767963730000,118000,"view",[1,1.0]],[3,1767963904519,292519,"edit",[0,0,"- Breaks"]],[4,1767963905519,293519,"snapshot",{"is_last":true}],[5,1767963905520,293520,"end","finished"]]}}
"#;

/// Fields of an export that stand in one place of the file only, and in no fingerprint: a byte that was flipped in one of
/// them is found by comparing with a copy (`haymark merge`) or with the file they came from (`haymark import`), and by
/// nothing else.
const STANDS_ONCE: &[&str] = &[
    "collection.title",
    "collection.domain",
    "collection.meta",
    "document.title",
    "document.text",
    "document.meta",
    "query.category",
    "query.domain",
    "query.meta",
    "unit.title",
    "unit.score",
    "unit.meta",
    "unit.documents",
    "unit.evidence",
    "candidate.summarizer",
    "candidate.retriever",
    "candidate.order",
    "candidate.meta",
    "annotator.meta",
    "adjudication.reason",
    "session.setup",
    "session.events",
];

/// `HAYMARK_FLIPS=20000` tries more.
#[test]
fn a_flipped_byte_is_found_or_stands_where_nothing_else_knows_it() {
    let desk = Desk::new();
    desk.out(&["import", "small.db", &desk.file("small.jsonl", SMALL.trim_start())]);
    let bytes = desk.bytes("small.db");
    assert_eq!(desk.checked(&bytes), Some(Severity::Right));
    let whole = desk.export_of("small.db").expect("exported");
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    let flips = std::env::var("HAYMARK_FLIPS").map_or(400, |flips| flips.parse().expect("a number"));
    let (mut number, mut unseen) = (numbers(7), BTreeMap::new());
    for _ in 0..flips {
        let mut damaged = bytes.clone();
        let (at, by) = (places[number(places.len())], u8::try_from(1 + number(255)).expect("a byte"));
        damaged[at] ^= by;
        if desk.checked(&damaged).is_none_or(|worst| worst > Severity::Right) {
            continue;
        }
        let now = desk.export_of("damaged.db");
        for field in now.map_or_else(|| vec!["no export".to_owned()], |now| other_fields(&whole, &now)) {
            unseen.entry(field).or_insert_with(Vec::new).push(format!("byte {at} by {by:#04x}"));
        }
    }
    unseen.retain(|field, _| !STANDS_ONCE.contains(&field.as_str()));
    assert!(unseen.is_empty(), "{unseen:#?}");
}

/// The fields that are not the same, such as `document.title`.
fn other_fields(whole: &[serde_json::Value], now: &[serde_json::Value]) -> Vec<String> {
    if whole.len() != now.len() {
        return vec![format!("{} records of {}", now.len(), whole.len())];
    }
    let names = |record: &serde_json::Value| -> BTreeSet<String> {
        record.as_object().into_iter().flat_map(|record| record.keys().cloned()).collect()
    };
    let mut other = Vec::new();
    for (one, two) in whole.iter().zip(now).filter(|(one, two)| one != two) {
        let differing = names(one)
            .union(&names(two))
            .filter(|name| one[*name] != two[*name])
            .cloned()
            .collect::<Vec<_>>();
        other.extend(differing.iter().map(|name| format!("{}.{name}", one["type"].as_str().unwrap_or("?"))));
    }
    other
}
