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

fn record(audience: Audience, kind: &str, key: &str, body: &str) -> SentRecord {
    SentRecord {
        audience,
        kind: kind.to_owned(),
        key: key.as_bytes().to_vec(),
        body: body.as_bytes().to_vec(),
    }
}
