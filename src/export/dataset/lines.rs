//! Judgments as lines of JSONL, by the million. What many lines share is written once, by the one writer of
//! records, and copied from then on.

use std::collections::HashMap;
use std::io::Write;

use super::records::{RecordsWanted, completed};
use crate::error::{Result, cannot_write};
use crate::export::privacy::Privacy;
use crate::formats::jsonl::write_record;
use crate::protocol::Protocol;
use crate::store::Stated;
use crate::study::{Judgment, Record, TargetKeys, time_of};

/// Writes the judgments of a study.
pub struct JudgmentWriter<'l> {
    wanted: &'l RecordsWanted,
    privacy: &'l Privacy,
    protocols: &'l [Protocol],
    /// The protocol of the parts below.
    protocol: String,
    /// Annotator and version of the last line, and its beginning.
    head: Option<(String, Option<u32>, Vec<u8>)>,
    /// The target of each item, by its place.
    items: Vec<Option<About>>,
    /// The answers, and the end of the line behind the time, by set and version.
    answers: HashMap<(u32, Option<u32>), LineAnswers>,
    line: Vec<u8>,
    /// How many judgments hold nothing that may be told; `import` would take none of them.
    pub empty: usize,
}

/// Answers, and the end of the line behind their time.
type LineAnswers = (Vec<u8>, Vec<u8>);

/// The target of an item.
struct About {
    keys: TargetKeys,
    /// The keys as they stand in a line.
    part: Vec<u8>,
}

/// The beginning of a line that names nobody.
const NOBODY: &[u8] = br#"{"type":"judgment","protocol":"","annotator":"""#;
/// The end of a line without answers.
const NOTHING: &[u8] = br#","answers":{}}"#;

impl<'l> JudgmentWriter<'l> {
    pub fn new(
        wanted: &'l RecordsWanted,
        privacy: &'l Privacy,
        protocols: &'l [Protocol],
    ) -> JudgmentWriter<'l> {
        JudgmentWriter {
            wanted,
            privacy,
            protocols,
            protocol: String::new(),
            head: None,
            items: Vec::new(),
            answers: HashMap::new(),
            line: Vec::new(),
            empty: 0,
        }
    }

    /// Writes a judgment, if it is wanted; tells whether it was.
    pub fn put(&mut self, stated: Stated, out: &mut dyn Write) -> Result<bool> {
        if self.protocol != stated.protocol() {
            stated.protocol().clone_into(&mut self.protocol);
            self.head = None;
            self.items.clear();
            self.answers.clear();
        }
        let place = stated.rank as usize;
        if self.items.len() <= place {
            self.items.resize_with(place + 1, || None);
        }
        let privacy = self.privacy;
        if self.items[place].is_none() {
            let keys = stated.about();
            let part = part(privacy.judgment(Judgment::default().on(keys.clone())).about());
            self.items[place] = Some(About { keys, part });
        }
        let Some(about) = &self.items[place] else { return Ok(false) };
        if !self.wanted.has(stated.annotator(), stated.protocol(), &about.keys) {
            return Ok(false);
        }
        if stated.flagged || stated.skipped || stated.is_total || stated.comment.is_some() {
            let judgment = privacy.judgment(completed(self.protocols, stated.record()));
            if judgment.says_nothing() {
                self.empty += 1;
                return Ok(false);
            }
            write_record(&mut &mut *out, &Record::Judgment(judgment)).map_err(cannot_write)?;
            return Ok(true);
        }
        let is_last = |(by, version, _): &(String, Option<u32>, Vec<u8>)| {
            by == stated.annotator() && *version == stated.version
        };
        if !self.head.as_ref().is_some_and(is_last) {
            let by = stated.annotator().to_owned();
            let named = privacy.judgment(of(&stated));
            let line = line(Judgment {
                protocol: named.protocol,
                version: named.version,
                annotator: named.annotator,
                ..Judgment::default()
            });
            let head = line.strip_suffix(NOTHING).unwrap_or_default().to_vec();
            self.head = Some((by, stated.version, head));
        }
        let (answers, end) = self.answers.entry((stated.set, stated.version)).or_insert_with(|| {
            let judgment = Judgment { answers: stated.answers(), ..of(&stated) };
            let Judgment { answers, complete, .. } = privacy.judgment(completed(self.protocols, judgment));
            let said = line(Judgment { answers, ..Judgment::default() });
            let said = said.strip_prefix(NOBODY).and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
            let end = line(Judgment { complete, ..Judgment::default() });
            let end =
                end.strip_prefix(NOBODY).and_then(|rest| rest.strip_prefix(&NOTHING[..NOTHING.len() - 1]));
            (said.to_vec(), end.unwrap_or_default().to_vec())
        });
        if answers.as_slice() == &NOTHING[..NOTHING.len() - 1] {
            self.empty += 1;
            return Ok(false);
        }
        self.line.clear();
        let head = self.head.as_ref().map_or(&[][..], |(_, _, head)| head);
        for part in [head, &about.part, answers] {
            self.line.extend_from_slice(part);
        }
        if stated.active > 0 {
            self.line.extend_from_slice(b",\"seconds\":");
            push_seconds(stated.active, &mut self.line);
        }
        if let Some(at) = stated.at.and_then(time_of) {
            self.line.extend_from_slice(b",\"at\":\"");
            self.line.extend_from_slice(at.as_bytes());
            self.line.push(b'"');
        }
        self.line.extend_from_slice(end);
        self.line.push(b'\n');
        out.write_all(&self.line).map_err(cannot_write)?;
        Ok(true)
    }
}

/// The protocol, version and annotator of a judgment, and nothing else.
fn of(stated: &Stated) -> Judgment {
    Judgment {
        protocol: stated.protocol().to_owned(),
        version: stated.version,
        annotator: stated.annotator().to_owned(),
        ..Judgment::default()
    }
}

/// A judgment as a line, without its end.
fn line(judgment: Judgment) -> Vec<u8> {
    let mut line = Vec::new();
    // A write to memory cannot fail.
    let _ = write_record(&mut line, &Record::Judgment(judgment));
    line.pop();
    line
}

/// The target of a judgment, as it stands in a line.
fn part(keys: TargetKeys) -> Vec<u8> {
    let line = line(Judgment::default().on(keys));
    let keys = line.strip_prefix(NOBODY).and_then(|rest| rest.strip_suffix(NOTHING));
    keys.unwrap_or_default().to_vec()
}

/// Writes milliseconds as seconds: with as many decimals as it takes, and at least one, as all numbers with a point are
/// written.
fn push_seconds(active: i64, to: &mut Vec<u8>) {
    let (seconds, rest) = (active / 1_000, active % 1_000);
    to.extend_from_slice(format!("{seconds}.{rest:03}").as_bytes());
    for _ in 0..2 {
        if to.last() == Some(&b'0') {
            to.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::seconds_of;

    #[test]
    fn seconds_are_written_as_records_have_them() {
        for active in (1..5_000).chain([9_999, 10_000, 10_010, 24_400, 99_999_999_999, 100_000_000_000]) {
            let mut written = Vec::new();
            push_seconds(active, &mut written);
            let record = serde_json::to_string(&seconds_of(active)).expect("a number");
            assert_eq!(String::from_utf8(written).expect("digits"), record);
        }
    }

    #[test]
    fn a_line_is_cut_where_its_parts_meet() {
        let nobody = line(Judgment::default());
        assert_eq!(nobody, [NOBODY, NOTHING].concat());
        let about = TargetKeys {
            collection: "c\"".into(),
            query: "q".into(),
            unit: Some("u".into()),
            ..TargetKeys::default()
        };
        assert_eq!(part(about), br#","collection":"c\"","query":"q","unit":"u""#);
    }
}
