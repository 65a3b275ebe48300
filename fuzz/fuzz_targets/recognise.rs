//! Which format a file has: the answer rests on its beginning, and is the one whose reader takes it.
#![no_main]

use haymark::formats::{self, Format, ReadOptions};
use haymark_fuzz::records::Collected;
use haymark_fuzz::{assert_sentence, scratch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = scratch::file("import", bytes);
    let found = formats::recognise(&path);
    match &found {
        Ok(format) => {
            let more = scratch::file("more", &[bytes, b"\n{}]"].concat());
            assert_eq!(formats::recognise(&more), Ok(*format), "what follows changes nothing");
            if !bytes.starts_with(b"\xef\xbb\xbf") {
                let marked = scratch::file("marked", &[b"\xef\xbb\xbf \n", bytes].concat());
                assert_eq!(formats::recognise(&marked), Ok(*format), "a mark changes nothing");
            }
        }
        Err(error) => assert_sentence(&error.to_string()),
    }
    // No other format has lines that haymark's own reader takes.
    let mut sink = Collected::default();
    let read = formats::read(&path, Format::Jsonl, &ReadOptions::default(), &mut sink);
    if read.is_ok() && !sink.records.is_empty() {
        assert_eq!(found, Ok(Format::Jsonl));
    }
});
