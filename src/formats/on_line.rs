//! Records of one line of a file: their place is that line.

use std::io::BufRead;

use super::json::{Piece, line, refuse};
use super::lines::Lines;
use crate::error::{Error, Result};
use crate::study::{AnnotatorKind, AskedItem, ItemKey, Place, Record, RunMark, Sink};

/// Reads one JSON value a line and gives each to `take` with the number of its line. Empty lines are passed over; a line
/// that is no JSON goes to the sink as a bad row.
pub(super) fn each_line(
    source: impl BufRead,
    sink: &mut dyn Sink,
    mut take: impl FnMut(&Piece<'_>, u64, &mut dyn Sink) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(source);
    while let Some((number, text)) = lines.next_text()? {
        let sink = &mut OnLine { number, sink };
        match text.map(line) {
            Ok(Ok(piece)) => take(&piece, number, sink)?,
            Ok(Err(misfit)) => refuse(sink, misfit)?,
            Err(error) => sink.refuse(Place::Line(number), error)?,
        }
    }
    Ok(())
}

/// Hands on the records of one line. The paths inside the line stay with the sentences.
struct OnLine<'s> {
    number: u64,
    sink: &'s mut dyn Sink,
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

    fn annotator_kind(&mut self, annotator: &str) -> Result<Option<AnnotatorKind>> {
        self.sink.annotator_kind(annotator)
    }

    fn judge_run(&mut self, judge: &str, protocol: &str) -> Result<Option<RunMark>> {
        self.sink.judge_run(judge, protocol)
    }

    fn asked(&mut self, item: ItemKey, version: u32) -> Result<Option<AskedItem>> {
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
