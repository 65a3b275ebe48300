//! A small study, and what the tests of the store share.

mod adjudications;
mod amend;
mod block_sums;
mod check;
mod erase;
mod hub;
mod import;
mod journal;
mod material;
mod merge;
mod neighbours;
mod own;
mod pairs;
mod queue;
mod reading;
mod revise;
mod sessions;
mod stray;
mod union;

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ImportOptions, ImportReport, StudyFile, VersionsRead};
use crate::error::{Error, Result};
use crate::journal::{Happening, JudgmentRow, Writer};
use crate::protocol::{Answer, Protocol, builtin};
use crate::store::file::schema::SumScope;
use crate::store::journal::acts::{ActKind, BITS, NUMBERS, Writers, said};
use crate::store::journal::packed::{self, PackedPart, PackedSaid};
use crate::store::journal::phrases::Phrases;
use crate::study::{ItemId, Place, Record, RecordKind, Sink};
use crate::text::hash::fingerprint;

/// A study in a folder of its own.
pub(super) struct Study {
    /// Goes with the study.
    _folder: TempDir,
    pub(super) file: StudyFile,
}

impl Study {
    pub(super) fn empty() -> Study {
        let folder = tempfile::tempdir().expect("a folder");
        let file = StudyFile::create(&folder.path().join("study.db")).expect("made");
        Study { _folder: folder, file }
    }

    pub(super) fn with(records: &[Value]) -> Study {
        let mut study = Study::empty();
        study.import(records).expect("imported");
        study
    }

    pub(super) fn import(&mut self, records: &[Value]) -> Result<ImportReport> {
        import(&mut self.file, records, ImportOptions::default())
    }

    /// Imports records, unless they say something else than others of the same time: those are refused.
    pub(super) fn import_unless_tied(&mut self, records: &[Value]) {
        if let Err(error) = self.import(records) {
            assert!(error.what().contains("nobody knows which one counts"), "{error}");
        }
    }

    /// Runs statements that the journal's triggers would abort.
    pub(super) fn force(&self, statements: &str) {
        let connection = &self.file.connection;
        let triggers: Vec<(String, String)> = connection
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .and_then(|mut found| found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
            .expect("read");
        for (name, _) in &triggers {
            connection.execute_batch(&format!("DROP TRIGGER {name}")).expect("dropped");
        }
        connection.execute_batch(statements).expect(statements);
        triggers.iter().for_each(|(_, text)| connection.execute_batch(text).expect("made"));
    }

    /// Runs statements as [`Study::force`] does, and makes the sums anew, as if the rows had been written so.
    pub(super) fn write_otherwise(&self, statements: &str) {
        self.force(statements);
        self.file.connection.execute_batch("DELETE FROM block_sum").expect("deleted");
        crate::store::file::block_sums::make(&self.file.connection).expect("made");
    }

    /// Runs statements on the events in a temporary table `event`, and writes them anew, a row each, as if they had been written so.
    pub(super) fn rewrite(&self, statements: &str) {
        let connection = &self.file.connection;
        unpack(connection);
        connection.execute_batch(statements).expect(statements);
        self.force("DELETE FROM main.act");
        let mut read = connection
            .prepare("SELECT writer, seq, kind, body, annotator, item, protocol, at, active, texts FROM temp.event")
            .expect("prepared");
        let mut write = connection
            .prepare("INSERT INTO act (id, kind, body, annotator, item, protocol, at, active, texts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .expect("prepared");
        let mut rows = read.query([]).expect("read");
        let mut writers = Writers::default();
        while let Some(row) = rows.next().expect("a row") {
            let cell = |place| row.get::<_, rusqlite::types::Value>(place).expect("a value");
            let (writer, seq): (Writer, i64) = (row.get(0).expect("a writer"), row.get(1).expect("a number"));
            let (kind, said): (String, String) = (row.get(2).expect("a kind"), row.get(3).expect("a body"));
            let mut body = packed::empty();
            packed::push(
                &mut body,
                &PackedPart { gap: 0, said: PackedSaid::Text { kind: &kind, body: &said } },
            );
            let id = writers.keep(connection, writer).expect("a number") << BITS | seq;
            let kind = ActKind::of(writer, std::iter::once(kind.as_str())) as i64;
            let of = rusqlite::params![id, kind, body, cell(4), cell(5), cell(6), cell(7), cell(8), cell(9)];
            write.execute(of).expect("written");
        }
        connection.execute_batch("DELETE FROM block_sum").expect("deleted");
        crate::store::file::block_sums::make(connection).expect("made");
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes(self.file.path())
    }
}

/// Puts the events of all acts into a temporary table `event`, a row each.
pub(super) fn unpack(connection: &Connection) {
    connection
        .execute_batch(
            "DROP TABLE IF EXISTS temp.event;
             CREATE TEMP TABLE event (writer, seq, kind, body, annotator, item, protocol, at, active, texts)",
        )
        .expect("made");
    let mut phrases = Phrases::prepare(connection).expect("prepared");
    let mut read = connection
        .prepare(
            "SELECT w.key, x.id, x.active, x.annotator, x.item, x.protocol, x.at, coalesce(x.texts, i.texts), x.body
             FROM act x JOIN writer w ON w.no = x.id >> 40 JOIN item i ON i.id = x.item ORDER BY x.id",
        )
        .expect("prepared");
    let mut write =
        connection.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").expect("prepared");
    let mut rows = read.query([]).expect("read");
    while let Some(row) = rows.next().expect("a row") {
        let cell = |place| row.get::<_, rusqlite::types::Value>(place).expect("a value");
        let (mut seq, mut active): (i64, i64) = (row.get(1).expect("a number"), row.get(2).expect("a time"));
        seq &= NUMBERS;
        let body: Vec<u8> = row.get(8).expect("a body");
        for (gap, phrase) in said(&mut phrases, &body).expect("readable") {
            seq += gap;
            let of = rusqlite::params![
                cell(0),
                seq,
                phrase.kind,
                phrase.body,
                cell(3),
                cell(4),
                cell(5),
                cell(6),
                std::mem::take(&mut active),
                cell(7)
            ];
            write.execute(of).expect("written");
        }
    }
}

/// Whether the journal's sums are those of its rows, where none was changed by force.
pub(super) fn is_summed(file: &StudyFile) -> bool {
    crate::store::file::block_sums::compare(&file.connection, SumScope::Study).expect("compared").is_right()
}

pub(super) fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("readable")
}

/// Imports records as a reader of JSONL would.
pub(super) fn import(
    file: &mut StudyFile,
    records: &[Value],
    options: ImportOptions,
) -> Result<ImportReport> {
    let content = serde_json::to_string(records).expect("JSON");
    file.import("records.jsonl", fingerprint([content]), options, 1_767_600_000_000, |sink| {
        for (line, value) in (1..).zip(records) {
            take(sink, Place::Line(line), value)?;
        }
        Ok(())
    })
}

fn take(sink: &mut dyn Sink, place: Place, value: &Value) -> Result<()> {
    match record(value) {
        Ok(record) => sink.take(place, record),
        Err(error) => sink.refuse(place, error),
    }
}

/// Reads a record in the form of haymark's JSONL.
pub(super) fn record(value: &Value) -> Result<Record> {
    let mut fields = value.as_object().cloned().unwrap_or_default();
    let name = fields.remove("type").unwrap_or_default();
    let kind = RecordKind::ALL.iter().find(|kind| name == kind.name());
    let kind = kind.ok_or_else(|| Error::new(format!("there is no type {name:?}")))?;
    kind.read(Value::Object(fields)).map_err(|error| Error::new(error.to_string()))
}

/// Two collections; query `stress` with two units and two candidates, query `sleep` with one each.
pub(super) fn corpus() -> Vec<Value> {
    vec![
        json!({"type":"collection","id":"exam","title":"Exam","domain":"talk","meta":{"b":1,"a":[2.5,"x"]}}),
        json!({"type":"document","collection":"exam","id":"d1","number":1,"title":"Monday","text":"We  slept badly. We slept badly."}),
        json!({"type":"document","collection":"exam","id":"d2","number":2,"text":"A 5-minute break after 25 minutes. 番茄钟。"}),
        json!({"type":"document","collection":"exam","id":"d3","number":3,"text":""}),
        json!({"type":"query","collection":"exam","id":"stress","text":"What of stress?","category":"why"}),
        json!({"type":"query","collection":"exam","id":"sleep","text":"What of sleep?"}),
        json!({"type":"unit","query":"stress","id":"pomodoro","kind":"insight","text":"Breaks help.",
               "documents":["d2","d1"],"evidence":[{"document":"d2","quote":"5-minute break"},
               {"document":"d1","quote":"We slept","start":17}],"score":0.83}),
        json!({"type":"unit","query":"stress","id":"tea","kind":"insight","text":"Tea helps.","documents":["d1"]}),
        json!({"type":"unit","query":"sleep","id":"dark","kind":"insight","text":"Darkness helps."}),
        json!({"type":"candidate","query":"stress","id":"c1","summarizer":"gpt-4o","retriever":"oracle","order":"random",
               "text":"- Breaks [2]\n- Tea [1]\n- Sleep"}),
        json!({"type":"candidate","query":"stress","id":"c2","summarizer":"opus","text":"- Nothing"}),
        json!({"type":"candidate","query":"sleep","id":"c1","summarizer":"opus","text":"- Dark rooms\n- Cold rooms"}),
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"annotator","id":"judge","kind":"model","meta":{"model":"gpt-4o"}}),
    ]
}

/// A judgment under `coverage`, with more fields or other ones.
pub(super) fn judgment(more: Value) -> Value {
    let mut judgment = json!({"type":"judgment","protocol":"coverage","annotator":"alice",
        "collection":"exam","query":"stress","unit":"pomodoro","candidate":"c1",
        "answers":{"coverage":"full","bullet":2}});
    let (Some(fields), Value::Object(more)) = (judgment.as_object_mut(), more) else {
        panic!("objects");
    };
    for (key, value) in more {
        match value {
            Value::Null => fields.remove(&key),
            value => fields.insert(key, value),
        };
    }
    judgment
}

pub(super) fn coverage() -> &'static Protocol {
    builtin("coverage").expect("built in")
}

pub(super) fn keypoint() -> &'static Protocol {
    builtin("keypoint").expect("built in")
}

pub(super) fn choose(value: &str) -> Happening {
    Happening::Answer { question: "coverage".into(), answer: Answer::Text(value.into()) }
}

pub(super) fn link(bullet: u32) -> Happening {
    Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(bullet) }
}

/// What everyone currently answers to a question, by item and annotator, counted or not.
fn answers_to(file: &StudyFile, protocol: &Protocol, question: &str) -> Vec<(ItemId, Answer)> {
    let material = file.material(protocol, VersionsRead::All).expect("read");
    let answer =
        |row: &JudgmentRow| Some((material.item(row).id, material.answers(row).get(question)?.clone()));
    material.rows().iter().filter_map(answer).collect()
}
