//! Responses to judge requests into records. The study behind the sink has asked nothing, so this is
//! about the lines; what a judge may write in them has its properties in the tests of haymark.
#![no_main]

use haymark::formats::{Format, ReadOptions};
use haymark_fuzz::records::read_both_ways;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions { judge: Some("gpt".into()) };
    read_both_ways(Format::JudgeResponses, &options, bytes);
});
