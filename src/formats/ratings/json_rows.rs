//! Ratings in JSONL: an object a line.

use std::borrow::Cow;
use std::io::{BufReader, Read};
use std::rc::Rc;

use serde_json::value::RawValue;

use super::RatingsAsked;
use super::collector::{Collector, RatingCell};
use super::layout::RatingsLayout;
use crate::error::{Error, Result};
use crate::formats::json::{Entries, JsonText};
use crate::formats::lines::Lines;
use crate::formats::{BUFFER, jsonl, sentence};
use crate::study::RecordKind;

/// Reads all lines.
pub(super) fn read(source: impl Read, collector: &mut Collector<'_>) -> Result<()> {
    let mut lines = Lines::new(BufReader::with_capacity(BUFFER, source));
    let mut layout: Option<Rc<RatingsLayout>> = None;
    while let Some((number, line)) = lines.next_text()? {
        let line = line.map_err(|error| error.at_line(number))?;
        let Entries(entries) =
            serde_json::from_str(line).map_err(|error| jsonl::described(line, &error).at_line(number))?;
        let row = JsonRow { entries, number };
        let layout = match &layout {
            Some(layout) => layout,
            None => {
                let new = Rc::new(row.layout(collector.asked())?);
                collector.begin(Rc::clone(&new));
                layout.insert(new)
            }
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
    /// The layout of all lines, from this one, which is the first.
    fn layout(&self, asked: &RatingsAsked<'_>) -> Result<RatingsLayout> {
        let is_kind =
            |value: &RawValue| RecordKind::ALL.iter().any(|kind| value.get() == format!("{:?}", kind.name()));
        let has_item = self.entries.iter().any(|(key, _)| key == "item");
        if !has_item && self.entries.iter().any(|(key, value)| key == "type" && is_kind(value)) {
            return Err(Error::new("this is haymark JSONL, not a file of ratings")
                .at_line(self.number)
                .advise("import it into a study and name the study"));
        }
        let keys = self.entries.iter().map(|(key, _)| key.as_ref().to_owned()).collect();
        RatingsLayout::of(keys, true, asked).map_err(|error| error.at_line(self.number))
    }

    /// A line without a value is a missing rating; a line with other fields in its place is a slip.
    fn check_value(&self, layout: &RatingsLayout, annotator: &str, value: &str) -> Result<()> {
        let is_known = |key: &str| layout.header.iter().any(|known| known != value && known == key);
        let mut keys = self.entries.iter().map(|(key, _)| key.as_ref());
        if keys.clone().any(|key| key == value) {
            return Ok(());
        }
        let is_other = |key: &&str| *key != annotator && *key != layout.item && !is_known(key);
        match keys.find(is_other) {
            None => Ok(()),
            Some(other) => Err(Error::new(format!("{value:?} is missing, and there is {other:?}"))
                .at_line(self.number)
                .advise("correct the name, or write null for a rating that is not there")),
        }
    }

    fn collect(&self, layout: &RatingsLayout, collector: &mut Collector<'_>) -> Result<()> {
        if let Some(filter) = collector.asked().filter {
            let text = |key: &str, value| self.text(key, value).ok().flatten().unwrap_or_default();
            let texts: Vec<_> =
                self.entries.iter().map(|(key, value)| (key.as_ref(), text(key, value))).collect();
            let row: Vec<(&str, &str)> = texts.iter().map(|(key, text)| (*key, &**text)).collect();
            if !(filter.fits)(&row) {
                return Ok(());
            }
        }
        let item = collector.item(self.cell(&layout.item, &self.required(&layout.item)?))?;
        match &layout.long {
            Some((annotator, value)) => {
                let by = collector.annotator(self.cell(annotator, &self.required(annotator)?))?;
                self.check_value(layout, annotator, value)?;
                let text = self.find(value)?.unwrap_or_default();
                collector.rate(item, by, self.cell(value, &text))?;
            }
            None => {
                for (key, value) in self.entries.iter().filter(|(key, _)| layout.is_annotator(key)) {
                    let annotator = collector.annotator(self.cell(key, key))?;
                    match self.text(key, value) {
                        Ok(text) => {
                            collector.rate(item, annotator, self.cell(key, &text.unwrap_or_default()))?
                        }
                        Err(error) => collector.refuse(annotator, self.number, error)?,
                    }
                }
            }
        }
        for (at, column) in layout.of_item.iter().enumerate() {
            match self.find(column)? {
                None if at == 0 && layout.has_cluster => {}
                text => collector.say_of(item, at, self.cell(column, &text.unwrap_or_default()))?,
            }
        }
        Ok(())
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
