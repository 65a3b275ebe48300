//! What a check finds in a study that SQLite thinks is whole.

use serde_json::json;

use super::hub::everything;
use super::{Study, choose, corpus, coverage, judgment};
use crate::error::Error;
use crate::journal::Happening;
use crate::protocol::Answer;
use crate::store::file::schema::{FORMAT, SUMMED};
use crate::store::file::sql::{all, all_by, count, one_by};
use crate::store::file::sums;
use crate::store::{Finding, MergeMode, Severity, StudyFile, check, recover};
use crate::text::hash::fingerprint;

/// A study of three judgments, one of them made here, with its texts.
fn study() -> Study {
    let mut study = Study::with(&corpus());
    study
        .import(&[judgment(json!({})), judgment(json!({"unit":"tea","answers":{"coverage":"none"}}))])
        .expect("imported");
    let queue = study.file.open_queue("bora", coverage()).expect("opened");
    let loaded = study.file.load(queue.annotator, coverage(), 0).expect("loaded");
    let none = Happening::Answer { question: "coverage".into(), answer: Answer::Text("none".into()) };
    let done = [(none, 700)];
    study
        .file
        .append(queue.annotator, coverage(), loaded.item.id, loaded.item.texts(), &done, 5)
        .expect("appended");
    study
}

fn findings(study: &Study) -> Vec<Finding> {
    let before = study.bytes();
    let found = check(study.file.path()).expect("a study").findings;
    assert_eq!(study.bytes(), before);
    found
}

/// What is not right after these statements.
fn after(statements: &str) -> Vec<String> {
    let study = study();
    study.file.connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
    study.file.connection.execute_batch(statements).expect(statements);
    let found = findings(&study).into_iter().filter(|finding| finding.severity != Severity::Right);
    found.map(|finding| format!("{:?} {}: {}", finding.severity, finding.area, finding.what)).collect()
}

#[test]
fn a_sound_study_has_nothing_wrong() {
    assert_eq!(after(""), Vec::<String>::new());
    let said: Vec<String> = findings(&study()).into_iter().map(|finding| finding.what).collect();
    assert!(said.contains(&"4 events of 2 writers".to_owned()), "{said:?}");
    assert!(said.contains(&"3 judgments given on the texts that stand here".to_owned()), "{said:?}");
    assert!(
        said.contains(&"it would hold 3 documents, 3 units, 3 candidates and 3 judgments".to_owned()),
        "{said:?}"
    );
}

#[test]
fn each_kind_of_fault_is_named() {
    for (statements, expected) in [
        (
            "UPDATE standing SET flagged = 1 WHERE annotator = 1",
            "Wrong derived: 2 rows that the journal does not give: where annotators stand on items, and their answers",
        ),
        (
            "UPDATE standing SET answers = (SELECT answers FROM standing WHERE annotator = 1 AND answers IS NOT NULL)
             WHERE annotator <> 1",
            "Wrong derived: 1 row that the journal does not give: where annotators stand on items, and their answers",
        ),
        (
            "UPDATE progress SET judged = 3",
            "Wrong derived: 1 row that the journal does not give: counts of what is done",
        ),
        (
            "DELETE FROM gold; UPDATE candidate SET text = '- Nothing' WHERE key = 'c1' AND query = 1",
            "Wrong texts: 2 of 3 judgments given on other texts than stand here",
        ),
        (
            "UPDATE document SET text = 'Other.' WHERE key = 'd2'",
            "Wrong corpus: 1 passage of evidence not in the document any more",
        ),
        ("DELETE FROM annotator WHERE key = 'alice'", "Wrong references: "),
        (
            "DROP TRIGGER act_is_never_deleted",
            "Wrong file: the trigger act_is_never_deleted is missing: another program changed the file",
        ),
        (
            "UPDATE unit SET kind = 'insighu' WHERE id = 1",
            "Wrong corpus: 1 unit of the kind \"insighu\", which a flipped byte made of \"insight\": nobody judges it",
        ),
        (
            "UPDATE item SET key = randomblob(16) WHERE id = 1",
            "Wrong corpus: 1 item with keys that do not follow from the parts",
        ),
        (
            "UPDATE protocol_version SET file = file || ' '",
            "Wrong protocols: the text of version 1 of the protocol \"coverage\" is not the one that it was judged under",
        ),
    ] {
        let found = after(statements);
        assert!(found.iter().any(|finding| finding.starts_with(expected)), "{expected}\n{found:#?}");
    }
}

/// What is not right after these statements, which change what is never changed.
fn after_forcing(study: &Study, statements: &str) -> Vec<String> {
    study.force(statements);
    let found = findings(study).into_iter().filter(|finding| finding.severity != Severity::Right);
    found.map(|finding| format!("{:?} {}: {}", finding.severity, finding.area, finding.what)).collect()
}

#[test]
fn kinds_with_a_flipped_byte_are_no_newer_ones() {
    for (statements, expected) in [
        (
            "UPDATE event SET kind = 'anrwer' WHERE seq = 1 AND writer > 0",
            "Wrong journal: 1 event of the kind \"anrwer\", which a flipped byte made of \"answer\": counted for nothing",
        ),
        (
            "UPDATE event SET body = replace(body, 'question', 'quastion') WHERE seq = 1 AND writer > 0",
            "Wrong journal: 1 event of the kind \"answer\" with contents that make no sense, counted for nothing",
        ),
    ] {
        let study = study();
        study.rewrite(statements);
        let found = after_forcing(&study, "");
        assert!(found.iter().any(|finding| finding == expected), "{expected}\n{found:#?}");
    }
}

/// A study with a session in which a text was written.
pub(super) fn study_with_session() -> Study {
    let mut study = study();
    let session = json!({"type":"session","id":"7c41d0a95be2438f90a6c3d57e18f2b4","annotator":"alice",
        "collection":"exam","query":"stress","setup":{"seed":7,"limit":7_200_000,"documents":"relevant",
        "order":[1,2],"shows_clock":true,"insights":3,"has_judged":false},
        "events":{"2f6b10c49d7735a1":[[1,1_000,0,"open",{"after":null,"has_judged":false}],
        [2,2_000,1_000,"edit",[0,0,"- Breaks"]],[3,3_000,2_000,"snapshot",{"is_last":true}],
        [4,3_001,2_001,"end","finished"]]}});
    study.import(&[session]).expect("imported");
    study
}

/// Garbage makes up no events of a session, so that what is saved merges with a copy.
#[test]
fn garbage_is_no_event_of_a_session() {
    for garbage in ["kind = 'zzzz', body = '{}'", "at = 400000000000000", "active = -7"] {
        let (mut good, bad) = (study_with_session(), study_with_session());
        bad.force(&format!("UPDATE session_event SET {garbage} WHERE kind = 'edit'"));
        let folder = tempfile::tempdir().expect("a folder");
        let saved = folder.path().join("saved.db");
        let losses = recover(bad.file.path(), &saved).expect("recovered").losses;
        let told = "left out: 1 event with contents that cannot be read".to_owned();
        assert!(losses.contains(&told), "{garbage}: {losses:?}");
        good.file.merge(std::slice::from_ref(&saved), MergeMode::Write).expect("merged");
        let mut saved = StudyFile::open(&saved).expect("opened");
        saved.merge(&[good.file.path().to_owned()], MergeMode::Write).expect("merged");
        assert_eq!(everything(&saved), everything(&good.file), "{garbage}");
    }
}

#[test]
fn what_a_session_gives_is_compared_with_its_events() {
    assert_eq!(after_forcing(&study_with_session(), ""), Vec::<String>::new());
    for (statements, expected) in [
        (
            "UPDATE session_event SET kind = 'elit' WHERE kind = 'edit'",
            "Wrong sessions: 1 event of the kind \"elit\", which a flipped byte made of \"edit\": counted for nothing",
        ),
        (
            "UPDATE session_event SET body = replace(body, 'Breaks', 'Creaks')",
            "Wrong sessions: 1 snapshot that no candidate holds as it was written",
        ),
        (
            "UPDATE session_event SET body = '[90,0,\"x\"]' WHERE kind = 'edit'",
            "Wrong sessions: edits that do not fit the text before: 1",
        ),
        (
            "UPDATE session_event SET body = '{' WHERE kind = 'end'",
            "Wrong sessions: 1 event with contents that cannot be read",
        ),
    ] {
        let found = after_forcing(&study_with_session(), statements);
        assert!(found.iter().any(|finding| finding == expected), "{expected}\n{found:#?}");
    }
}

/// The file of a killed program may be larger than its header says, or smaller: a commit writes page 1, which gives the
/// number of pages, before the new pages. The journal takes the commit back.
#[test]
fn a_waiting_journal_is_heard_before_the_size() {
    let study = study();
    let whole = study.bytes();
    let writing = rusqlite::Connection::open(study.file.path()).expect("opened");
    sums::give_functions(&writing).expect("given");
    // The first page, too, is in the journal by the time its new header is on the disk.
    let format = FORMAT;
    writing
        .execute_batch(&format!(
            "PRAGMA cache_size = 5; PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE; PRAGMA user_version = {format};"
        ))
        .expect("begun");
    for number in 4..400 {
        writing
            .execute(
                "INSERT INTO document (collection, number, key, text) VALUES (1, ?1, 'd' || ?1, ?2)",
                rusqlite::params![number, "long ".repeat(200)],
            )
            .expect("inserted");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let killed = folder.path().join("killed.db");
    std::fs::copy(study.file.path().with_extension("db-journal"), killed.with_extension("db-journal"))
        .expect("a journal");
    let larger = study.bytes();
    assert!(larger.len() > whole.len(), "pages were written before the end");
    let mut smaller = larger.clone();
    // The header as the commit writes it: the next change (24 and 92), and the number of pages (28).
    let changes = u32::from_be_bytes(whole[24..28].try_into().expect("four bytes")) + 1;
    for (at, number) in [(24, changes), (28, 9_999), (92, changes)] {
        smaller[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
    for bytes in [larger, smaller] {
        std::fs::write(&killed, &bytes).expect("written");
        let found = check(&killed).expect("a study").findings;
        let wrong: Vec<&Finding> =
            found.iter().filter(|finding| finding.severity > Severity::Remark).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(std::fs::read(&killed).expect("read"), bytes);
    }
    std::fs::remove_file(killed.with_extension("db-journal")).expect("removed");
    assert_eq!(check(&killed).expect("a study").worst(), Severity::Wrong, "without it the file is cut off");
}

/// What is told in brief names a few of many losses; all that was lost is named in full.
#[test]
fn all_losses_of_a_kind_are_named() {
    let mut study = Study::with(&corpus());
    let document = |number: usize| json!({"type":"document","collection":"exam","id":format!("more{number}"),"number":number,"text":"Tea."});
    study.import(&(10..17).map(document).collect::<Vec<_>>()).expect("imported");
    for who in ["alice", "bora"] {
        (0..5_i64).for_each(|item| {
            study.answer(who, usize::try_from(item).expect("small"), &[choose("none")], 1_000 * (item + 1));
        });
    }
    study.force(
        "UPDATE document SET text = 'Milk.' WHERE key LIKE 'more%'; UPDATE act SET active = active + 77",
    );
    let new = study.file.path().with_file_name("new.db");
    let report = recover(study.file.path(), &new).expect("saved");
    for begin in ["not as it was written: document ", "one or more may be wrong or missing: events "] {
        let told = |losses: &[String]| {
            losses.iter().find(|loss| loss.starts_with(begin)).expect("told").ends_with(" more")
        };
        assert!(told(&report.brief) && !told(&report.losses), "{begin}: {:#?}", report.losses);
    }
}

#[test]
fn a_judgment_that_the_caches_still_knew_is_named_when_it_is_lost() {
    let study = study();
    study.force("UPDATE act SET body = CAST(x'06' || substr(body, 2) AS BLOB) WHERE kind > 1");
    let folder = tempfile::tempdir().expect("a folder");
    let new = folder.path().join("new.db");
    let losses = recover(study.file.path(), &new).expect("saved").losses;
    let [doubtful, known, left_out] = &losses[..] else { panic!("{losses:?}") };
    assert!(doubtful.starts_with("one or more may be wrong or missing: event 1 of writer "), "{doubtful}");
    assert!(known.starts_with("not given by the journal, and known from before: bora on exam / "), "{known}");
    assert!(known.ends_with("under \"coverage\": coverage \"none\""), "{known}");
    assert_eq!(left_out, "left out: 1 event with contents that cannot be read");
    assert_eq!(check(&new).expect("a study").worst(), Severity::Right);
}

/// The places of the bytes that stand on the root pages of indexes.
fn bytes_of_indexes(study: &Study, names: &str) -> Vec<usize> {
    let select = format!("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name LIKE '{names}'");
    let roots: Vec<usize> =
        all_by(&study.file.connection, &select, [], |row| row.get(0).map(count)).expect("read");
    let (bytes, size) = (study.bytes(), 4_096);
    let pages = roots.into_iter().flat_map(|root| (root - 1) * size..root * size);
    pages.filter(|place| bytes[*place] != 0).collect()
}

/// A row whose index is damaged is not lost, nor is anything that was judged of it.
#[test]
fn a_damaged_index_loses_nothing() {
    let study = study();
    let (whole, before) = (study.bytes(), everything(&study.file));
    let folder = tempfile::tempdir().expect("a folder");
    let (damaged, new) = (folder.path().join("damaged.db"), folder.path().join("new.db"));
    for (names, step) in [("sqlite_autoindex_item_1", 1), ("%", 111)] {
        for (turn, place) in bytes_of_indexes(&study, names).into_iter().enumerate().step_by(step) {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (turn % 8);
            std::fs::write(&damaged, bytes).expect("written");
            let losses = recover(&damaged, &new).expect("saved").losses;
            let saved = StudyFile::open(&new).expect("opened");
            assert_eq!(everything(&saved), before, "{names}, a bit of the byte at {place}: {losses:?}");
            assert_eq!(losses, Vec::<String>::new(), "{names}, a bit of the byte at {place}");
            drop(saved);
            std::fs::remove_file(&new).expect("removed");
        }
    }
}

/// An index that names a row that was never written is damaged.
#[test]
fn a_damaged_index_makes_up_no_record() {
    let study = study();
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_unit_1'";
    let root: usize = one_by(&study.file.connection, select, [], |row| row.get(0).map(count)).expect("read");
    let mut bytes = study.bytes();
    let page = &mut bytes[(root - 1) * 4_096..root * 4_096];
    let place = page.windows(4).position(|window| window == b"tea\x02").expect("its key and row");
    page[place..place + 4].copy_from_slice(&[0xff, 1, b'a', 77]);
    let folder = tempfile::tempdir().expect("a folder");
    let (damaged, new) = (folder.path().join("damaged.db"), folder.path().join("new.db"));
    std::fs::write(&damaged, bytes).expect("written");
    assert_eq!(recover(&damaged, &new).expect("saved").losses, Vec::<String>::new());
    assert_eq!(everything(&StudyFile::open(&new).expect("opened")), everything(&study.file));
}

/// SQLite's own check finds nothing wrong with an index of some rows that has others besides.
#[test]
fn an_index_of_some_rows_that_has_others_is_found() {
    let study = study();
    let root = |name: &str| -> usize {
        let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        one_by(&study.file.connection, select, [name], |row| row.get(0).map(count)).expect("read")
    };
    // Nobody's act is a verdict of an adjudicator, so the index of verdicts is empty.
    let (from, to) = ((root("act_of_item") - 1) * 4_096, (root("act_of_verdict") - 1) * 4_096);
    let mut bytes = study.bytes();
    bytes.copy_within(from..from + 4_096, to);
    let folder = tempfile::tempdir().expect("a folder");
    let (damaged, new) = (folder.path().join("damaged.db"), folder.path().join("new.db"));
    std::fs::write(&damaged, bytes).expect("written");
    let found = check(&damaged).expect("a study").findings;
    let is_it = |finding: &Finding| {
        finding.severity == Severity::Wrong && finding.what.contains("the index act_of_verdict has ")
    };
    assert!(found.iter().any(is_it), "{found:#?}");
    let losses = recover(&damaged, &new).expect("saved").losses;
    assert_eq!(losses, Vec::<String>::new());
    assert_eq!(everything(&StudyFile::open(&new).expect("opened")), everything(&study.file));
}

/// What `check` advises for a damaged file of an older format is what helps.
#[test]
fn an_older_format_is_not_saved_page_by_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/version8.db"));
    let new = folder.path().join("new.db");
    let refused = recover(old, &new).expect_err("refused").to_string();
    assert!(refused.contains("of an older format, whose events cannot be saved page by page"), "{refused}");
    assert!(!new.exists());
    let damaged = folder.path().join("damaged.db");
    let mut bytes = std::fs::read(old).expect("read");
    let cut = bytes.len() / 2;
    bytes.truncate(cut);
    std::fs::write(&damaged, bytes).expect("written");
    let advice: Vec<String> =
        check(&damaged).expect("a study").findings.into_iter().filter_map(|finding| finding.advice).collect();
    assert!(!advice.is_empty());
    assert!(advice.iter().all(|advice| advice.contains("with a haymark of commit")), "{advice:?}");
}

#[test]
fn a_table_of_another_program_in_the_place_of_ours_is_refused() {
    const ENDLESS: &str = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT";
    for (statements, what) in [
        (
            format!("DROP TABLE item; CREATE VIEW item AS {ENDLESS} x AS id, x AS key FROM n"),
            "the table item is missing",
        ),
        (
            "CREATE TRIGGER theirs AFTER INSERT ON act BEGIN DELETE FROM standing; END".to_owned(),
            "the trigger theirs is not haymark's",
        ),
    ] {
        let study = study();
        study.file.connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
        study.file.connection.execute_batch(&statements).expect("changed");
        for error in
            [StudyFile::open(study.file.path()).err(), StudyFile::open_read_only(study.file.path()).err()]
        {
            let error = error.expect("refused").to_string();
            assert!(error.contains(what) && error.contains("--recover NEW"), "{error}");
        }
        let worst = findings(&study);
        assert!(worst.iter().any(|finding| finding.what.starts_with(what)), "{worst:#?}");
    }
    let theirs = "CREATE TABLE theirs (writer INTEGER, seq INTEGER, PRIMARY KEY (writer, seq)); CREATE VIEW two AS SELECT 2";
    let found = after(theirs);
    assert_eq!(
        found,
        [
            "Remark schema: the table \"theirs\" is not haymark's, which leaves it alone",
            "Remark schema: the view \"two\" is not haymark's, which leaves it alone",
        ]
    );
}

#[test]
fn what_may_be_elsewhere_or_newer_is_a_remark() {
    let events = |kind: &str, seq: i64| {
        format!(
            "INSERT INTO event (writer, seq, kind, annotator, item, protocol, body, at, active, texts)
             SELECT max(writer), {seq}, '{kind}', annotator, item, protocol, '{{}}', at, 0, texts FROM event"
        )
    };
    let after = |statements: &str| {
        let study = study();
        study.rewrite(statements);
        after_forcing(&study, "")
    };
    let found = after(&events("sing", 2));
    assert_eq!(found, ["Remark journal: 1 event of the kind \"sing\", kept and not understood"]);
    let found = after(&events("sing", 4));
    assert!(found[1].starts_with("Remark journal: missing numbers of events: 2 of 1 writer"), "{found:?}");
}

#[test]
fn making_the_caches_anew_mends_them() {
    let mut study = study();
    study
        .file
        .connection
        .execute_batch("DELETE FROM standing; UPDATE progress SET judged = 9")
        .expect("broken");
    assert!(findings(&study).iter().any(|finding| finding.severity == Severity::Wrong));
    study.file.rebuild_caches().expect("rebuilt");
    assert!(findings(&study).iter().all(|finding| finding.severity == Severity::Right));
}

#[test]
fn texts_of_judgments_made_here_are_those_of_the_item() {
    let study = study();
    let texts =
        fingerprint(["texts", "What of stress?", "", "Breaks help.", "- Breaks [2]\n- Tea [1]\n- Sleep"]);
    let found: i64 = study
        .file
        .connection
        .query_row(
            "SELECT count(*) FROM act x JOIN item i ON i.id = x.item WHERE i.texts = ?1 AND x.texts IS NULL AND x.kind = 0",
            [texts.0],
            |row| row.get(0),
        )
        .expect("counted");
    assert!(found >= 1, "an imported judgment");
}

/// A flipped byte can make a person of a judge, or move a summary to another system.
#[test]
fn what_stands_once_is_compared_with_what_came_in() {
    for (statements, expected) in [
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE annotator SET kind = 'hulan' WHERE key = 'alice'",
            "annotator \"alice\"",
        ),
        ("UPDATE candidate SET summarizer = 'other' WHERE key = 'c2'", "candidate \"c2\""),
        ("DELETE FROM gold WHERE unit = 1", "gold number 1"),
        ("DELETE FROM row_sum WHERE tbl = 'query'", "query \"stress\", \"sleep\""),
        ("UPDATE question SET key = 'coveragd' WHERE key = 'coverage'", "question \"coveragd\""),
    ] {
        let mut study = study();
        let found = after_forcing(&study, statements);
        let expected = format!("not as it was written: {expected}");
        assert!(found.contains(&format!("Wrong records: {expected}")), "{expected}\n{found:#?}");
        let mut into = Study::empty();
        let refused =
            into.file.merge(&[study.file.path().to_owned()], MergeMode::Write).expect_err("damaged");
        assert!(refused.to_string().contains("the file is damaged"), "{refused}");
        if statements.contains("annotator") {
            let unknown = |error: Option<Error>| {
                let error = error.map(|error| error.to_string()).unwrap_or_default();
                assert!(error.contains("\"hulan\" is no kind of annotator"), "{error}");
            };
            unknown(study.file.annotators().err());
            unknown(study.file.open_queue("alice", coverage()).err());
        }
    }
}

/// Each column of each table that has sums, in a study in which all of them have rows.
#[test]
fn a_change_of_any_column_of_a_record_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.db");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/version8.db"), &path).expect("copied");
    let study = StudyFile::open(&path).expect("brought up to date");
    let connection = &study.connection;
    connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;
             INSERT INTO guideline (version, text) SELECT id, 'Read it twice.' FROM protocol_version;
             INSERT INTO amendment (key, record) VALUES (randomblob(16), '{}');
             INSERT INTO original (tbl, id, record) VALUES ('query', 1, '{}');
             INSERT INTO ranking (query, retriever, documents) SELECT min(id), 'bm25', '[]' FROM query;
             INSERT INTO import_map (name, text) VALUES ('lab', 'name');
             UPDATE protocol SET own = 1;
              DROP TRIGGER session_is_never_updated; DROP TRIGGER amendment_is_never_updated;
              DROP TRIGGER writer_is_never_updated; DROP TRIGGER phrase_is_never_updated; DROP TRIGGER protocol_is_summed_anew;
             DROP TRIGGER document_is_summed_anew; DROP TRIGGER query_is_summed_anew; DROP TRIGGER unit_is_summed_anew;
             DROP TRIGGER candidate_is_summed_anew; DROP TRIGGER evidence_is_summed_anew;
             DROP TRIGGER amendment_is_summed_anew; DROP TRIGGER collection_is_summed_anew;",
        )
        .expect("prepared");
    assert!(sums::compare(connection).expect("compared").1.is_empty());
    for summed in SUMMED {
        let table = summed.table;
        let select = format!("SELECT name, type FROM pragma_table_info('{table}')");
        let columns: Vec<(String, String)> = all(connection, &select, []).expect("read");
        assert!(columns.len() > 1, "{table}");
        for (column, kind) in columns {
            let changed = match kind.as_str() {
                "TEXT" => format!("ifnull({column}, '') || 'x'"),
                "BLOB" => "randomblob(16)".to_owned(),
                _ => format!("ifnull({column}, 0) + 1000"),
            };
            connection.execute_batch("BEGIN").expect("begun");
            let rows =
                connection.execute(&format!("UPDATE {table} SET {column} = {changed}"), []).expect("set");
            let (_, found) = sums::compare(connection).expect("compared");
            let found: Vec<&str> = found.iter().map(|altered| altered.table).collect();
            assert!(rows > 0 && found == [table], "{table}.{column}: {rows} rows, {found:?}");
            connection.execute_batch("ROLLBACK").expect("as before");
        }
    }
}
