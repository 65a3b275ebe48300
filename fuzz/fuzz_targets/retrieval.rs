//! Retrieval JSON, as a list and line by line, into records: without options, and with all of them.
#![no_main]

use haymark::formats::{Format, ReadOptions};
use haymark_fuzz::records::read_both_ways;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read_both_ways(Format::Retrieval, &ReadOptions::default(), bytes);
    let options = ReadOptions {
        summary_fields: vec!["summary".into()],
        answer_fields: vec!["answer".into()],
        retriever: Some("bm25".into()),
        collection: Some("all".into()),
        ..ReadOptions::default()
    };
    read_both_ways(Format::Retrieval, &options, bytes);
});
