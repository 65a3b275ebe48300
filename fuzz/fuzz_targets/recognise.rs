//! Which format a file has: the answer rests on its beginning, and is the one whose reader takes it.
#![no_main]

use haymark::formats::{self, FileReader, Format, InputBytes, ReadOptions};
use haymark_fuzz::records::Collected;
use haymark_fuzz::{assert_sentence, scratch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let open = |name, bytes: &[u8]| InputBytes::open(&scratch::file(name, bytes)).expect("a file");
    let input = open("import", bytes);
    let found = formats::recognise(&input, &[]);
    match &found {
        // What an empty study is exported as; what follows may be anything.
        Ok(_) if bytes.is_empty() => {}
        // What a map fits may be read further, such as whether there is another line.
        Ok(FileReader::Map(_)) => {}
        Ok(FileReader::Format(format)) => {
            let more = open("more", &[bytes, b"\n{}]"].concat());
            assert_eq!(formats::recognise(&more, &[]), Ok(FileReader::Format(*format)), "what follows changes nothing");
            if !bytes.starts_with(b"\xef\xbb\xbf") {
                let marked = open("marked", &[b"\xef\xbb\xbf \n", bytes].concat());
                assert_eq!(formats::recognise(&marked, &[]), Ok(FileReader::Format(*format)), "a mark changes nothing");
            }
        }
        Err(error) => assert_sentence(&error.to_string()),
    }
    // No other format has lines that haymark's own reader takes.
    let mut sink = Collected::default();
    let read = formats::read(&input, Format::Jsonl, &ReadOptions::default(), &mut sink);
    if read.is_ok() && !sink.records.is_empty() {
        assert_eq!(found, Ok(FileReader::Format(Format::Jsonl)));
    }
});
