//! Ratings in CSV, separated by commas, semicolons or tabs.

use std::collections::HashSet;
use std::io::Read;

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::collector::{Collector, RatingCell};
use super::plain::Plain;
use super::{ANNOTATOR, CLUSTER, ITEM, VALUE, unknown_layout};
use crate::error::{Error, Result};
use crate::formats::lines::ShortLines;
use crate::formats::sheet::without_shield;
use crate::formats::{BUFFER, sentence, source};

/// What separates the cells, from the header.
pub(super) fn delimiter(header: &[u8]) -> u8 {
    let separators = [b',', b'\t', b';'];
    separators.into_iter().find(|separator| header.contains(separator)).unwrap_or(b',')
}

/// Which column holds what, by position.
enum CsvLayout {
    Long {
        item: usize,
        annotator: usize,
        value: usize,
        cluster: Option<usize>,
    },
    /// The item is the first column.
    Wide {
        annotators: Vec<(usize, u16)>,
        cluster: Option<usize>,
    },
}

/// Reads all rows: those that are plain where they lie, whatever comes from the first odd one on with care.
pub(super) fn read(source: impl Read, delimiter: u8, collector: &mut Collector) -> Result<()> {
    let mut plain = Plain::new(ShortLines::new(source), delimiter);
    let mut cells = Vec::new();
    let mut rows = None;
    while let Some((line, text)) = plain.next(&mut cells)? {
        let cell = |column: usize| {
            let (from, to) = cells.get(column)?;
            text.get(*from..*to)
        };
        match &mut rows {
            None => {
                let header = names((0..cells.len()).filter_map(cell))?;
                rows = Some(CsvRows::new(header, collector)?);
            }
            Some(rows) => rows.take(collector, line, cells.len(), cell)?,
        }
    }
    let (rest, before) = plain.rest();
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .buffer_capacity(BUFFER)
        // Every row then ends with a line feed, so that lines can be counted.
        .from_reader(rest.chain(&b"\n"[..]));
    let mut row = ByteRecord::new();
    while reader.read_byte_record(&mut row).map_err(|error| sentence_of(&error, before))? {
        let line = before + line_of(&row, reader.position().line());
        match &mut rows {
            None => rows = Some(CsvRows::new(names(row.iter())?, collector)?),
            Some(rows) => rows.take(collector, line, row.len(), |column| row.get(column))?,
        }
    }
    // A file without a line has a header without a column.
    match rows {
        Some(_) => Ok(()),
        None => CsvRows::new(Vec::new(), collector).map(|_| ()),
    }
}

/// What the header says of the rows behind it.
struct CsvRows {
    header: Vec<String>,
    layout: CsvLayout,
}

impl CsvRows {
    fn new(header: Vec<String>, collector: &mut Collector) -> Result<CsvRows> {
        let layout = layout(&header, collector)?;
        Ok(CsvRows { header, layout })
    }

    /// Takes a row of so many cells.
    fn take<'r>(
        &self,
        collector: &mut Collector,
        line: u64,
        cells: usize,
        text: impl Fn(usize) -> Option<&'r [u8]>,
    ) -> Result<()> {
        if cells != self.header.len() {
            return Err(Error::new(format!(
                "the row has {cells} cells, and the header {}",
                self.header.len()
            ))
            .at_line(line)
            .advise("check the separators and quotation marks"));
        }
        let cell = |column: usize| RatingCell {
            text: without_shield(text(column).unwrap_or_default()),
            line,
            column: self.header.get(column).map_or("", String::as_str),
        };
        let (item, cluster) = match &self.layout {
            CsvLayout::Long { item, annotator, value, cluster } => {
                let item = collector.item(cell(*item))?;
                let annotator = collector.annotator(cell(*annotator))?;
                collector.rate(item, annotator, cell(*value))?;
                (item, cluster)
            }
            CsvLayout::Wide { annotators, cluster } => {
                let item = collector.item(cell(0))?;
                for (column, annotator) in annotators {
                    collector.rate(item, *annotator, cell(*column))?;
                }
                (item, cluster)
            }
        };
        match cluster {
            Some(column) => collector.cluster(item, cell(*column)),
            None => Ok(()),
        }
    }
}

/// The line on which a row begins. The reader's own number is that of the blank lines before it.
fn line_of(row: &ByteRecord, next: u64) -> u64 {
    let start = row.position().map_or(0, csv::Position::line);
    if next <= start + 1 {
        return start;
    }
    let inside = memchr::memchr_iter(b'\n', row.as_slice()).count() as u64;
    next.saturating_sub(inside + 1).max(start)
}

fn names<'r>(header: impl Iterator<Item = &'r [u8]>) -> Result<Vec<String>> {
    let name = |cell: &[u8]| {
        let text = str::from_utf8(without_shield(cell)).map_err(|_| {
            let name = sentence::quoted(&String::from_utf8_lossy(cell));
            Error::new(format!("the column name {name} is not UTF-8"))
                .at_line(1)
                .advise("convert the file to UTF-8")
        })?;
        Ok(text.to_owned())
    };
    header.map(name).collect()
}

fn layout(header: &[String], collector: &mut Collector) -> Result<CsvLayout> {
    let unknown = || unknown_layout(header).at_line(1);
    let mut seen = HashSet::with_capacity(header.len());
    for name in header {
        if !seen.insert(name) {
            return Err(Error::new(format!("two columns are named {}", sentence::quoted(name)))
                .at_line(1)
                .advise("give every column a name of its own"));
        }
    }
    let position = |name: &str| header.iter().position(|column| column == name);
    let cluster = position(CLUSTER);
    match (position(ITEM), position(ANNOTATOR), position(VALUE)) {
        (Some(item), Some(annotator), Some(value)) => Ok(CsvLayout::Long { item, annotator, value, cluster }),
        (Some(0), None, None) => {
            let mut annotators = Vec::new();
            for (column, name) in
                header.iter().enumerate().skip(1).filter(|(column, _)| Some(*column) != cluster)
            {
                let cell = RatingCell { text: name.as_bytes(), line: 1, column: name };
                annotators.push((column, collector.annotator(cell)?));
            }
            if annotators.is_empty() { Err(unknown()) } else { Ok(CsvLayout::Wide { annotators, cluster }) }
        }
        _ => Err(unknown()),
    }
}

/// What went wrong, `before` being the lines that others read.
fn sentence_of(error: &csv::Error, before: u64) -> Error {
    let described = match error.kind() {
        ErrorKind::Io(error) => source::cannot_read(error),
        _ => Error::new(sentence::one_line(&error.to_string())),
    };
    match error.position() {
        Some(position) => described.at_line(before + position.line()),
        None => described,
    }
}
