//! Records of one line of a file: their place is that line.

use crate::error::{Error, Result};
use crate::study::{AnnotatorKind, Asked, ItemKey, Place, Record, Sink};

/// Hands on what stands on one line. The paths inside the line stay with the sentences.
pub(super) struct OnLine<'s> {
    pub(super) number: u64,
    pub(super) sink: &'s mut dyn Sink,
}

impl OnLine<'_> {
    fn place(&self) -> Place {
        Place::Line(self.number)
    }
}

impl Sink for OnLine<'_> {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.sink.take(self.place(), record).map_err(|error| error.at_line(self.number))
    }

    fn query_text(&mut self, collection: &str, query: &str) -> Result<Option<String>> {
        self.sink.query_text(collection, query)
    }

    fn annotator_kind(&mut self, annotator: &str) -> Result<Option<AnnotatorKind>> {
        self.sink.annotator_kind(annotator)
    }

    fn asked(&mut self, item: ItemKey, version: u32) -> Result<Option<Asked>> {
        self.sink.asked(item, version)
    }

    fn remark(&mut self, inner: Place, what: String) {
        let what = match inner {
            Place::Path(path) => format!("{path}: {what}"),
            Place::Line(_) => what,
        };
        self.sink.remark(self.place(), what);
    }

    fn refuse(&mut self, inner: Place, error: Error) -> Result<()> {
        let error = match inner {
            Place::Path(path) => error.at_path(path),
            Place::Line(_) => error,
        };
        self.sink.refuse(self.place(), error).map_err(|error| error.at_line(self.number))
    }
}
