//! JSONL the whole way: into a study, out of it, and into another one.
#![no_main]

use haymark_fuzz::study::assert_import;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| assert_import(bytes));
