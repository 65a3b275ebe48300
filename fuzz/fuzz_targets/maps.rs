//! Any file by the map that fits it, into records: strictly, and with bad records left out.
#![no_main]

use haymark::formats::InputBytes;
use haymark::formats::maps::{MapReader, map_for};
use haymark_fuzz::records::{Collected, assert_records};
use haymark_fuzz::{assert_sentence, scratch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = InputBytes::open(&scratch::file("import", bytes)).expect("a file");
    let map = match map_for(&input, &[]) {
        Ok(map) => map,
        Err(error) => return assert_sentence(&error.to_string()),
    };
    for skips in [false, true] {
        let mut sink = Collected { skips, ..Collected::default() };
        let mut reader = MapReader::new(None);
        let done = reader.read(&input, &map, &mut sink).and_then(|()| reader.finish(0, &mut sink));
        for sentence in sink.refused.iter().map(|(_, what)| what.clone()).chain(done.err().map(|error| error.to_string())) {
            assert_sentence(&sentence);
        }
        assert_records(&sink.records);
    }
});
