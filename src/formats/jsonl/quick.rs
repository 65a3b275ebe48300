//! The lines that a large file is made of: judgments without comments, whose texts have no escapes. They are cut and not
//! copied. A line that is not quite so is left to the careful reader, which also knows what is wrong with it.

use memchr::memchr2;

use crate::study::JudgmentLine;

/// Reads the judgment of a line; `None` where the careful reader is to look.
pub(super) fn judgment(line: &[u8]) -> Option<JudgmentLine<'_>> {
    if !line.starts_with(b"{\"type\":") {
        return None;
    }
    let mut cursor = LineCursor { text: str::from_utf8(line).ok()?, at: 1 };
    let mut found = JudgmentLine::default();
    let mut seen = 0_u32;
    loop {
        cursor.blank();
        let key = cursor.string()?;
        let number = FIELDS.iter().position(|field| *field == key)?;
        if seen & 1 << number != 0 {
            return None;
        }
        seen |= 1 << number;
        cursor.blank();
        cursor.take(b':')?;
        cursor.blank();
        match key {
            "type" => (cursor.string()? == "judgment").then_some(())?,
            "protocol" => found.protocol = cursor.string()?,
            "annotator" => found.annotator = cursor.string()?,
            "answers" => found.answers = cursor.object()?,
            "version" => found.version = Some(cursor.whole()?),
            "collection" => found.collection = Some(cursor.string()?),
            "query" => found.query = Some(cursor.string()?),
            "document" => found.document = Some(cursor.string()?),
            "unit" => found.unit = Some(cursor.string()?),
            "candidate" => found.candidate = Some(cursor.string()?),
            "bullet" => found.bullet = Some(cursor.whole()?),
            "other" => found.other = Some(cursor.string()?),
            "seconds" => found.seconds = Some(cursor.number()?),
            "at" => found.at = Some(cursor.string()?),
            // The field `complete` is written by exports; here it is found anew.
            _ => cursor.truth()?,
        }
        cursor.blank();
        match cursor.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    let is_done = cursor.rest().trim_ascii().is_empty();
    (is_done && seen & REQUIRED == REQUIRED).then_some(found)
}

const FIELDS: [&str; 15] = [
    "type",
    "protocol",
    "annotator",
    "answers",
    "collection",
    "query",
    "unit",
    "candidate",
    "seconds",
    "at",
    "complete",
    "version",
    "document",
    "bullet",
    "other",
];

/// Bits of the fields that a judgment must have: the first four.
const REQUIRED: u32 = 0b1111;

/// A place in a line.
struct LineCursor<'l> {
    text: &'l str,
    at: usize,
}

impl<'l> LineCursor<'l> {
    fn rest(&self) -> &'l [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.rest().first().copied();
        self.at += 1;
        byte
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn blank(&mut self) {
        while self.rest().first() == Some(&b' ') {
            self.at += 1;
        }
    }

    /// Takes the text from here to `end`.
    fn until(&mut self, end: usize) -> Option<&'l str> {
        let found = self.text.get(self.at..end);
        self.at = end;
        found
    }

    /// A text without escapes.
    fn string(&mut self) -> Option<&'l str> {
        self.take(b'"')?;
        let rest = self.rest();
        let length = memchr2(b'"', b'\\', rest)?;
        let inside = rest.get(..length)?;
        if rest.get(length) != Some(&b'"') || inside.iter().any(|byte| *byte < b' ') {
            return None;
        }
        let found = self.until(self.at + length);
        self.at += 1;
        found
    }

    /// Takes an object by its braces, and does not look at what is in it.
    fn object(&mut self) -> Option<&'l str> {
        let (mut depth, mut is_text) = (0_u32, false);
        let mut bytes = self.rest().iter().enumerate();
        if self.rest().first() != Some(&b'{') {
            return None;
        }
        while let Some((place, byte)) = bytes.next() {
            match byte {
                b'"' => is_text = !is_text,
                b'\\' if is_text => drop(bytes.next()),
                b'{' if !is_text => depth += 1,
                b'}' if !is_text => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.until(self.at + place + 1);
            }
        }
        None
    }

    /// Digits as they stand, and the number of those before a point.
    fn digits(&mut self) -> Option<(&'l str, usize)> {
        let rest = self.rest();
        let count = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let whole = count(rest);
        let is_plain = whole == 1 || (whole > 1 && rest.first() != Some(&b'0'));
        let mut length = whole;
        if rest.get(whole) == Some(&b'.') {
            let part = count(rest.get(whole + 1..)?);
            if part == 0 {
                return None;
            }
            length += 1 + part;
        }
        let is_done = matches!(rest.get(length), Some(b',' | b'}' | b' '));
        (is_plain && is_done && length <= 16).then_some(())?;
        Some((self.until(self.at + length)?, whole))
    }

    fn whole(&mut self) -> Option<u32> {
        let (digits, whole) = self.digits()?;
        (digits.len() == whole).then(|| digits.parse().ok()).flatten()
    }

    fn number(&mut self) -> Option<f64> {
        self.digits()?.0.parse().ok()
    }

    fn truth(&mut self) -> Option<()> {
        let word = if self.rest().starts_with(b"true") { "true" } else { "false" };
        self.rest().starts_with(word.as_bytes()).then(|| self.at += word.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::jsonl::parse;
    use crate::study::{Judgment, Record};

    const LINE: &str = r#"{"type":"judgment","protocol":"coverage","annotator":"ann","collection":"c","query":"q","unit":"u1","candidate":"第三","answers":{"coverage":"full","bullet":2},"seconds":12.5,"at":"2026-01-05T09:30:00Z"}"#;

    /// As a record, which the careful reader gives too.
    fn record(line: &str) -> Option<Record> {
        judgment(line.as_bytes()).map(|line| Record::Judgment(line.record().expect("an object of answers")))
    }

    #[test]
    fn it_reads_what_the_careful_reader_reads() {
        let lines = [
            LINE.to_owned(),
            LINE.replace("\":", "\": ").replace("{\"type\": ", "{\"type\":").replace(",\"", ", \""),
            LINE.replace("12.5", "0"),
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
            ("12.5", "-12.5"),
            ("12.5", "1e3"),
            ("12.5", "12.5 5"),
            ("12.5", "12345678901234567"),
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
            assert_eq!(judgment(line.as_bytes()), None, "{line}");
        }
        assert_eq!(judgment(b"{\"type\":\"judgment\",\"annotator\":\"\xff\"}"), None);
        for length in 0..LINE.len() {
            assert_eq!(judgment(&LINE.as_bytes()[..length]), None, "{length}");
        }
        assert_eq!(JudgmentLine { answers: "{,}", ..JudgmentLine::default() }.record(), None::<Judgment>);
    }
}
