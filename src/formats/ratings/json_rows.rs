//! Ratings in JSONL: an object a line.

use std::borrow::Cow;
use std::io::{BufReader, Read};

use serde_json::value::RawValue;

use super::collector::{Collector, RatingCell};
use super::{ANNOTATOR, CLUSTER, ITEM, VALUE, unknown_layout};
use crate::error::{Error, Result};
use crate::formats::json::{Entries, JsonText};
use crate::formats::lines::{Line, Lines};
use crate::formats::{BUFFER, jsonl, sentence, source};

/// What the first line says of all.
#[derive(Clone, Copy)]
enum JsonLayout {
    Long,
    Wide,
}

/// Reads all lines.
pub(super) fn read(source: impl Read, collector: &mut Collector) -> Result<()> {
    let mut lines = Lines::new(BufReader::with_capacity(BUFFER, source));
    let mut layout = None;
    while let Some((number, line)) = lines.next_line()? {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(error) => return Err(error.at_line(number)),
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line = str::from_utf8(line)
            .map_err(|error| source::invalid_utf8(line, error.valid_up_to()).at_line(number))?;
        let Entries(entries) =
            serde_json::from_str(line).map_err(|error| jsonl::described(line, &error).at_line(number))?;
        let row = JsonRow { entries, number };
        let layout = match layout {
            Some(layout) => layout,
            None => *layout.insert(row.layout()?),
        };
        row.collect(layout, collector)?;
    }
    Ok(())
}

struct JsonRow<'a> {
    entries: Vec<(Cow<'a, str>, &'a RawValue)>,
    number: u64,
}

impl JsonRow<'_> {
    fn layout(&self) -> Result<JsonLayout> {
        let keys = || self.entries.iter().map(|(key, _)| key.as_ref());
        let has = |name: &str| keys().any(|key| key == name);
        match (has(ITEM), has(ANNOTATOR), has(VALUE)) {
            (true, true, true) => Ok(JsonLayout::Long),
            (true, false, false) if keys().any(|key| key != ITEM && key != CLUSTER) => Ok(JsonLayout::Wide),
            (false, _, _) if has("type") => Err(Error::new("this is haymark JSONL, not a file of ratings")
                .at_line(self.number)
                .advise("import it into a study and name the study")),
            _ => Err(unknown_layout(keys()).at_line(self.number)),
        }
    }

    /// A line without a value is a missing rating; one with other fields in its place is a slip.
    fn check_value(&self) -> Result<()> {
        let is_known = |key: &str| [ITEM, ANNOTATOR, CLUSTER].contains(&key);
        let mut keys = self.entries.iter().map(|(key, _)| key.as_ref());
        if keys.clone().any(|key| key == VALUE) {
            return Ok(());
        }
        match keys.find(|key| !is_known(key)) {
            None => Ok(()),
            Some(other) => Err(Error::new(format!("{VALUE:?} is missing, and there is {other:?}"))
                .at_line(self.number)
                .advise("correct the name, or write null for a rating that is not there")),
        }
    }

    fn collect(&self, layout: JsonLayout, collector: &mut Collector) -> Result<()> {
        let item = collector.item(self.cell(ITEM, &self.required(ITEM)?))?;
        match layout {
            JsonLayout::Long => {
                let annotator = collector.annotator(self.cell(ANNOTATOR, &self.required(ANNOTATOR)?))?;
                self.check_value()?;
                let value = self.find(VALUE)?.unwrap_or_default();
                collector.rate(item, annotator, self.cell(VALUE, &value))?;
            }
            JsonLayout::Wide => {
                let annotators = self.entries.iter().filter(|(key, _)| key != ITEM && key != CLUSTER);
                for (key, value) in annotators {
                    let value = self.text(key, value)?.unwrap_or_default();
                    let annotator = collector.annotator(self.cell(key, key))?;
                    collector.rate(item, annotator, self.cell(key, &value))?;
                }
            }
        }
        match self.find(CLUSTER)? {
            Some(cluster) => collector.cluster(item, self.cell(CLUSTER, &cluster)),
            None => Ok(()),
        }
    }

    fn cell<'b>(&self, column: &'b str, text: &'b str) -> RatingCell<'b> {
        RatingCell { text: text.as_bytes(), line: self.number, column }
    }

    fn required(&self, key: &str) -> Result<Cow<'_, str>> {
        self.find(key)?.ok_or_else(|| {
            Error::new(format!("{key:?} is missing"))
                .at_line(self.number)
                .advise("give every line the fields of the first")
        })
    }

    /// The text of the entry; `None` where it is missing or null.
    fn find(&self, key: &str) -> Result<Option<Cow<'_, str>>> {
        let mut found = self.entries.iter().filter(|(name, _)| name == key);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => self.text(key, value),
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err(self.cell(key, "").error("it stands twice on the line")),
        }
    }

    /// A value as the text that stands there; numbers and truth values count as labels.
    fn text<'b>(&self, key: &str, value: &'b RawValue) -> Result<Option<Cow<'b, str>>> {
        let raw = value.get();
        match raw.as_bytes().first() {
            Some(b'n') => Ok(None),
            Some(b'"') => serde_json::from_str(raw)
                .map(|JsonText(text)| Some(text))
                .map_err(|error| self.cell(key, "").error(sentence::what(&error))),
            Some(b'[' | b'{') | None => {
                let found = sentence::one_line(raw);
                Err(self.cell(key, "").error(format!("expected a text or a number, found {found}")))
            }
            Some(_) => Ok(Some(Cow::Borrowed(raw))),
        }
    }
}
