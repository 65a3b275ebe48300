//! Results of CRUD-RAG into records.
#![no_main]

use haymark::formats::{Format, ReadOptions};
use haymark_fuzz::records::read_both_ways;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read_both_ways(Format::CrudRagResults, &ReadOptions::default(), bytes));
