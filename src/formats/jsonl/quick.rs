//! The lines that a large file is made of: judgments without comments, whose texts have no escapes. They are not copied. A line
//! that is not quite so is left to the careful reader, which also knows what is wrong with it.

use crate::study::{JudgmentLine, RecordKind};

/// Reads the judgment of a line; `None` where the careful reader is to look.
pub(super) fn judgment(line: &str) -> Option<JudgmentLine<'_>> {
    let read = line.starts_with("{\"type\":").then(|| serde_json::from_str(line).ok())?;
    read.filter(|read: &JudgmentLine<'_>| read.kind == RecordKind::Judgment.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::jsonl::parse;
    use crate::study::Record;

    const LINE: &str = r#"{"type":"judgment","protocol":"coverage","annotator":"ann","collection":"c","query":"q","unit":"u1","candidate":"第三","answers":{"coverage":"full","bullet":2},"seconds":12.5,"at":"2026-01-05T09:30:00Z"}"#;

    /// The line as a record, which the careful reader gives too.
    fn record(line: &str) -> Option<Record> {
        judgment(line).map(|line| Record::Judgment(line.record().expect("an object of answers")))
    }

    #[test]
    fn it_reads_what_the_careful_reader_reads() {
        let lines = [
            LINE.to_owned(),
            LINE.replace("\":", "\": ").replace("{\"type\": ", "{\"type\":").replace(",\"", ", \""),
            LINE.replace("12.5", "0"),
            LINE.replace("12.5", "-1e3"),
            LINE.replace("\"at\":\"2026-01-05T09:30:00Z\"", "\"at\":null"),
            LINE.replace(r#""seconds":12.5,"#, r#""version":3,"bullet":1,"document":"d","complete":false,"#),
            LINE.replace(r#"{"coverage":"full","bullet":2}"#, r#"{"a":"}\"{","b":[{"text":"é"}]}"#),
            format!("{LINE} "),
        ];
        for line in lines {
            let read = record(&line).unwrap_or_else(|| panic!("{line}"));
            let mut careful = parse(line.as_bytes()).expect("a record");
            if let Record::Judgment(judgment) = &mut careful {
                judgment.complete = None;
            }
            assert_eq!(read, careful, "{line}");
        }
    }

    #[test]
    fn what_is_odd_is_left_to_the_careful_reader() {
        for (from, to) in [
            ("judgment", "unit"),
            ("\"ann\"", "\"a\\u006en\""),
            ("\"ann\"", "\"a\tn\""),
            ("\"ann\"", "null"),
            ("\"ann\"", "7"),
            ("12.5", "012.5"),
            ("12.5", "12."),
            ("12.5", "12.5 5"),
            ("\"at\"", "\"query\""),
            ("\"at\"", "\"comment\""),
            ("\"at\"", "\"At\""),
            ("\"protocol\":\"coverage\",", ""),
            ("\"bullet\":2}", "\"bullet\":2"),
            ("Z\"}", "Z\"},"),
            ("Z\"}", "Z\"}}"),
            ("Z\"}", "Z\""),
            ("Z\"}", "Z\" \"}"),
        ] {
            let line = LINE.replacen(from, to, 1);
            assert_ne!(line, LINE);
            assert_eq!(judgment(&line), None, "{line}");
        }
        for length in 0..LINE.len() {
            let beginning = LINE.get(..length).unwrap_or("");
            assert_eq!(judgment(beginning), None, "{length}");
        }
    }
}
