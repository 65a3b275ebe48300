//! The hub on a PostgreSQL server. Without one these tests say that they skip: `harness::Server`.

mod chaos;
mod commands;
mod cursor;
mod dynamic;
mod hostile;
mod leases;
mod pooled;
mod restored;
mod rights;
mod tls;
mod together;
mod told;

use haymark::hub::{Audience, SentEvent, SentRecord};
use serde_json::{Value, json};

/// An event of somebody's writer.
fn event(annotator: &str, writer: i64, seq: i64, body: &str) -> SentEvent {
    SentEvent {
        writer,
        seq,
        annotator: annotator.to_owned(),
        journal: b'e',
        at: Some(1_700_000_000_000),
        item: Some(vec![7; 16]),
        body: body.as_bytes().to_vec(),
    }
}

/// The statement by which somebody sends one event, and the one by which she fetches all.
fn sends(name: &str, writer: i64, seq: i64, body: &str) -> String {
    format!(
        "select * from hub.exchange((select key from hub.mine()), 0, 0, 0, array[{writer}]::bigint[], array[{seq}]::bigint[], array['{name}'], \
         array[1], '\\x65', array[null]::bigint[], array[null]::bytea[], array['{body}'::bytea])"
    )
}

const FETCHES: &str = "select * from hub.exchange((select key from hub.mine()), 0, 0, 99, '{}', '{}', '{}', '{}', '', '{}', '{}', '{}')";

fn record(audience: Audience, kind: &str, key: &str, body: &str) -> SentRecord {
    SentRecord {
        audience,
        kind: kind.to_owned(),
        key: key.as_bytes().to_vec(),
        body: body.as_bytes().to_vec(),
    }
}

/// A study of one query with so many points and summaries.
fn corpus(points: usize, summaries: usize) -> Vec<Value> {
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"Breaks help. 番茄钟。"}),
        json!({"type":"query","collection":"c","id":"q","text":"What helps?"}),
    ];
    records.extend((1..=points).map(|unit| {
        json!({"type":"unit","query":"q","id":format!("u{unit}"),"kind":"insight","text":format!("Thing {unit} helps."),
               "documents":["d1"]})
    }));
    records.extend((0..summaries).map(summary));
    records
}

/// The summary of this number, by a system of its own.
fn summary(number: usize) -> Value {
    json!({"type":"candidate","query":"q","id":format!("s{number}"),"summarizer":format!("system {number}"),
           "text":"- Breaks help [1]\n- Nothing else"})
}
