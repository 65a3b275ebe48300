//! A flipped bit of the journal: found, named, and put back.

use std::fs;

use rusqlite::types::Value;
use serde_json::json;

use super::check::study_with_session;
use super::{Study, corpus, is_summed, judgment};
use crate::store::corpus::keys::StudyKeys;
use crate::store::file::block_sums;
use crate::store::file::schema::{JOURNALS, SumScope};
use crate::store::{MergeMode, StudyFile, check, recover};

/// A study with rows in every table of the journal, and more imported rows than come in at once.
fn study() -> Study {
    let mut study = study_with_session();
    study.file.keep_view("mine", Some("{\"table\":\"candidates\"}"), 5).expect("kept");
    study
        .file
        .connection
        .execute_batch(
            "INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
             SELECT 7, i.id, 1, i.id, 'assign', '{\"role\":\"work\"}', 9 FROM item i",
        )
        .expect("assigned");
    let mut more = Vec::new();
    for person in 0..40 {
        let name = format!("p{person}");
        more.push(json!({"type":"annotator","id":name,"kind":"human"}));
        for (unit, at) in [("pomodoro", json!(null)), ("tea", json!("2026-01-05T09:30:00Z"))] {
            more.push(judgment(json!({"annotator":name,"unit":unit,"at":at,"seconds":3,
                "answers":{"coverage":"none"},"comment":format!("said by {name}")})));
            more.push(judgment(
                json!({"annotator":name,"unit":unit,"candidate":"c2","answers":{"coverage":"none"}}),
            ));
        }
    }
    study.import(&more).expect("imported");
    study
}

fn flipped(value: Value, bit: u32) -> Value {
    let flip = |mut bytes: Vec<u8>| {
        bytes[0] ^= 1 << (bit % 5);
        bytes
    };
    match value {
        Value::Null => Value::Null,
        Value::Integer(number) => Value::Integer(number ^ (1 << bit)),
        Value::Text(text) => Value::Text(String::from_utf8(flip(text.into_bytes())).expect("ASCII")),
        Value::Blob(bytes) => Value::Blob(flip(bytes)),
        Value::Real(_) => unreachable!("no journal has fractions"),
    }
}

#[test]
fn a_flipped_bit_of_any_column_is_named_and_put_back() {
    let study = study();
    let connection = &study.file.connection;
    assert!(is_summed(&study.file));
    study.force(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; CREATE TEMP TABLE t AS SELECT 1",
    );
    for table in JOURNALS.iter().map(|journal| journal.table) {
        connection.execute_batch(&format!("DROP TRIGGER {table}_is_never_updated")).expect("dropped");
    }
    let keys = StudyKeys::read(connection).expect("read");
    for journal in JOURNALS {
        let table = journal.table;
        let columns: Vec<String> = connection
            .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))
            .and_then(|mut found| found.query_map([], |row| row.get(0))?.collect())
            .expect("read");
        let key = if journal.is_by_id() { "id" } else { "seq" };
        for column in columns {
            let select = format!(
                "SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {key} LIMIT 1 OFFSET 2"
            );
            let found = connection.query_row(&select, [], |row| row.try_into()).or_else(|_| {
                connection.query_row(&select.replace(" OFFSET 2", ""), [], |row| row.try_into())
            });
            let Ok((id, value)): Result<(Value, Value), _> = found else {
                assert!(["texts"].contains(&column.as_str()), "{table}.{column} is never filled");
                continue;
            };
            for bit in [0, 3, 9, 31, 38] {
                connection.execute_batch("BEGIN").expect("begun");
                let changed = flipped(value.clone(), bit);
                let update = format!("UPDATE {table} SET {column} = ?2 WHERE {key} = ?1 AND {column} = ?3");
                let set = connection.execute(&update, [&id, &changed, &value]);
                if set.is_ok_and(|rows| rows == 1) {
                    let altered = block_sums::compare(connection, SumScope::Study).expect("compared");
                    let said = altered.first(connection).expect("named").unwrap_or_default();
                    assert_eq!(altered.flipped.len(), 1, "{table}.{column} {bit}: {said}");
                    assert!(altered.doubtful.is_empty(), "{table}.{column} {bit}: {said}");
                    let name = altered.flipped[0].name(connection, &keys).expect("named");
                    let column = match column.as_str() {
                        "seq" | "id" => "",
                        column => column,
                    };
                    assert!(name.contains("one bit of its ") && name.ends_with(column), "{column}: {name}");
                    altered.flipped[0].restore(connection).expect("put back");
                    assert!(is_summed(&study.file), "{table}.{column} {bit}: {said}");
                }
                connection.execute_batch("ROLLBACK").expect("as before");
            }
        }
    }
}

/// What no single bit explains is not put back: the block is named.
#[test]
fn a_block_that_is_not_what_was_written_is_named() {
    let study = study();
    study.force(
        "UPDATE act SET active = active + 77 WHERE id = (SELECT max(id) - 3 FROM act) OR at IS NOT NULL",
    );
    let found = check(study.file.path()).expect("a study").findings;
    let said: Vec<&str> = found.iter().map(|finding| finding.what.as_str()).collect();
    let block = said.iter().find(|what| what.starts_with("not as they were written, one or more: events "));
    assert!(
        block.is_some_and(|what| what.contains(" of writer ") && what.contains("p0 on exam / stress / ")),
        "{said:#?}"
    );
    let new = study.file.path().with_file_name("new.db");
    let losses = recover(study.file.path(), &new).expect("saved").losses;
    assert!(
        losses.iter().any(|loss| loss.starts_with("one or more may be wrong or missing: events ")),
        "{losses:#?}"
    );
    assert!(is_summed(&StudyFile::open(&new).expect("a study")));
}

#[test]
fn a_recovery_puts_back_what_was_flipped() {
    for (change, name) in [
        ("UPDATE act SET at = at + 1024 WHERE kind = 3", "event 1 of writer "),
        ("UPDATE act SET id = id | 4 WHERE id & 7 = 1 AND kind > 1", "event 1 of writer "),
        ("UPDATE act SET id = id | (1 << 46) WHERE kind > 1", "event 1 of writer "),
        ("UPDATE act SET id = id | (1 << 38) WHERE id IN (SELECT max(id) FROM act)", "event "),
        ("UPDATE act SET annotator = annotator | 32 WHERE id IN (SELECT min(id) FROM act)", "event "),
        (
            "UPDATE assignment_event SET at = 8 WHERE seq = 2",
            "assignment event 2 of writer 0000000000000007: ",
        ),
        ("UPDATE view_event SET name = 'line'", "view event 2 of writer "),
        (
            "UPDATE session_event SET active = active | 16384 WHERE kind = 'edit'",
            "session event 2 of writer 2f6b10c49d7735a1: the session 7c41d0a95be2438f90a6c3d57e18f2b4 of alice, one bit of its active",
        ),
    ] {
        let study = study();
        let whole = study.file.path().with_file_name("whole.db");
        fs::copy(study.file.path(), &whole).expect("copied");
        study.file.connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
        study.force(change);
        let said: Vec<String> =
            check(study.file.path()).expect("a study").findings.into_iter().map(|it| it.what).collect();
        let told = format!("not as it was written: {name}");
        assert!(said.iter().any(|what| what.starts_with(&told)), "{change}: {said:#?}");
        let new = study.file.path().with_file_name("new.db");
        let losses = recover(study.file.path(), &new).expect("saved").losses;
        let restored = format!("put back as it was written: {name}");
        assert!(losses.len() <= 2 && losses[0].starts_with(&restored), "{change}: {losses:#?}");
        let mut saved = StudyFile::open(&new).expect("a study");
        let reports = saved.merge(&[whole], MergeMode::Write).expect("merged");
        assert_eq!(reports[0].new_records(), 0, "{change}");
    }
}

/// Another row stands there already: both come over under their own names.
#[test]
fn a_number_that_was_flipped_into_that_of_another_row_is_put_back() {
    let study = study();
    let connection = &study.file.connection;
    let whole = study.bytes();
    let path = study.file.path().to_owned();
    let beside = |name: &str| path.with_file_name(name);
    fs::write(beside("whole.db"), &whole).expect("written");
    // Writer and number as they lie in a row, before the kind of an assignment's row; the first stands alone.
    let mut tried = 0;
    let places: Vec<usize> = memchr::memmem::find_iter(&whole, b"assign{\"role\"").collect();
    let rows: i64 =
        connection.query_row("SELECT count(*) FROM assignment_event", [], |row| row.get(0)).expect("counted");
    assert_eq!(i64::try_from(places.len()), Ok(rows), "rows of assignments");
    for place in places {
        // Writer, number, annotator (1 takes no byte), item: a byte each, where it is above 1.
        for back in 1..4 {
            let mut damaged = whole.clone();
            damaged[place - back] ^= 1;
            fs::write(beside("damaged.db"), &damaged).expect("written");
            let _ = fs::remove_file(beside("new.db"));
            let report = recover(&beside("damaged.db"), &beside("new.db")).expect("saved");
            let mut saved = StudyFile::open(&beside("new.db")).expect("a study");
            let merged = saved.merge(&[beside("whole.db")], MergeMode::Write).expect("merged");
            let is_put_back = report.losses.iter().any(|loss| loss.contains("one bit of its number"));
            // Where the kind or length of a value was flipped, the row is lost, and comes with the copy.
            let most = usize::from(!is_put_back);
            assert!(merged[0].new_records() <= most, "{place} {back}: {:#?}", report.losses);
            tried += usize::from(is_put_back);
        }
    }
    assert!(tried > 0, "a number was flipped");
}

#[test]
fn what_cannot_be_read_where_it_comes_in_ends_in_a_sentence() {
    let mut study = study();
    let whole = study.file.path().with_file_name("whole.db");
    fs::copy(study.file.path(), &whole).expect("copied");
    study.force(
        "UPDATE act SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE id IN (SELECT max(id) FROM act)",
    );
    let error = study.file.merge(&[whole], MergeMode::Write).expect_err("refused").to_string();
    assert!(error.contains("a row does not fit those that are there; nothing was written"), "{error}");
}

/// Writers whose keys are lost are named by their numbers, which may have come to be the key of another.
#[test]
fn two_writers_under_one_key_are_brought_over_as_far_as_they_fit() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment(json!({}))]).expect("imported");
    study.import(&[judgment(json!({"annotator":"judge","unit":"tea"}))]).expect("imported");
    study.force(&format!(
        "DELETE FROM writer WHERE no = 2; UPDATE writer SET key = {} WHERE no = 1; DELETE FROM row_sum WHERE tbl = 'writer'",
        i64::MIN | 2
    ));
    let new = study.file.path().with_file_name("new.db");
    let losses = recover(study.file.path(), &new).expect("saved").losses;
    assert!(losses.iter().any(|loss| loss.starts_with("left out: event of writer ")), "{losses:#?}");
    assert!(is_summed(&StudyFile::open(&new).expect("a study")));
}

#[test]
fn a_flipped_bit_among_imported_rows_leaves_a_study_that_merges_or_says_why() {
    let study = study();
    let whole = study.bytes();
    let path = study.file.path().to_owned();
    let beside = |name: &str| path.with_file_name(name);
    let root: u32 = study
        .file
        .connection
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'act'", [], |row| row.get(0))
        .expect("read");
    // The last page of the table is named at the end of the root's header.
    let (size, root) = (4_096, root as usize);
    let last = (root - 1) * size + 8;
    let last = u32::from_be_bytes(whole[last..last + 4].try_into().expect("four bytes")) as usize;
    assert_eq!(whole[(root - 1) * size], 5, "the table has several pages");
    fs::write(beside("whole.db"), &whole).expect("written");
    for step in 0..16 {
        let mut damaged = whole.clone();
        let at = last * size - 1 - (step * 229) % 1_500;
        damaged[at] ^= 1 << (step % 8);
        fs::write(beside("damaged.db"), &damaged).expect("written");
        let _ = fs::remove_file(beside("new.db"));
        recover(&beside("damaged.db"), &beside("new.db")).expect("saved");
        for (into, other) in [("new.db", "whole.db"), ("whole.db", "new.db"), ("damaged.db", "whole.db")] {
            fs::copy(beside(into), beside("into.db")).expect("copied");
            let mut file = StudyFile::open(&beside("into.db")).expect("a study");
            match file.merge(&[beside(other)], MergeMode::Write) {
                Err(error) => assert!(!error.to_string().contains("constraint"), "at {at}: {error}"),
                Ok(_) => assert!(into == "damaged.db" || is_summed(&file), "at {at}"),
            }
        }
    }
}

#[test]
fn rows_have_their_sums_however_they_came() {
    let study = study();
    let mut other = Study::with(&corpus());
    other.file.merge(&[study.file.path().to_owned()], MergeMode::Write).expect("merged");
    assert!(is_summed(&other.file));
    let home = study.file.path().with_file_name("home.db");
    study.file.split("alice", &home).expect("split");
    assert!(is_summed(&StudyFile::open(&home).expect("a study")));
    let new = study.file.path().with_file_name("new.db");
    assert_eq!(recover(study.file.path(), &new).expect("saved").losses, Vec::<String>::new());
    assert!(is_summed(&StudyFile::open(&new).expect("a study")));
}
