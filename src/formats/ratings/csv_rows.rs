//! Ratings in CSV, separated by commas, semicolons, tabs or bars.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::io::Read;
use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use serde_json::Value;

use super::collector::{Collector, RatingCell};
use super::layout::RatingsLayout;
use crate::error::{Error, Result};
use crate::formats::lines::ShortLines;
use crate::formats::sheet::without_shield;
use crate::formats::{BUFFER, sentence, source};

/// The separator of the cells, found in the header.
pub(super) fn delimiter(header: &[u8]) -> u8 {
    let separators = [b',', b'\t', b';', b'|'];
    separators.into_iter().find(|separator| header.contains(separator)).unwrap_or(b',')
}

/// Where the ratings of a line stand, by position.
enum RatingCells {
    Long {
        annotator: usize,
        value: usize,
    },
    /// The columns of the annotators, with their numbers.
    Wide(Vec<(usize, u16)>),
}

/// Reads all rows.
pub(super) fn read(source: impl Read, delimiter: u8, collector: &mut Collector<'_>) -> Result<()> {
    let mut rows: Option<CsvRows> = None;
    let mut reader = reader(ShortLines::new(source), delimiter);
    let mut row = ByteRecord::new();
    while next_row(&mut reader, &mut row)? {
        let line = reader.get_mut().line_from(row.position().map_or(0, csv::Position::byte));
        match &mut rows {
            None => rows = Some(CsvRows::new(names(row.iter())?, collector)?),
            Some(rows) => rows.take(collector, line, &row)?,
        }
    }
    // A file without a line has a header without a column.
    match rows {
        Some(_) => Ok(()),
        None => CsvRows::new(Vec::new(), collector).map(|_| ()),
    }
}

fn reader<R: Read>(source: R, delimiter: u8) -> Reader<LineStarts<R>> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).flexible(true).has_headers(false).buffer_capacity(BUFFER);
    builder.from_reader(LineStarts::of(source, delimiter))
}

/// Reads a row; `false` after the last one. A quote within a quoted text is refused: the parser would take it for the text's end.
fn next_row<R: Read>(reader: &mut Reader<LineStarts<R>>, row: &mut ByteRecord) -> Result<bool> {
    let is_read = reader.read_byte_record(row).map_err(|error| sentence_of(&error))?;
    match reader.get_ref().stray_quote {
        Some(line) => Err(Error::new("a quote within a text in quotes stands alone")
            .at_line(line)
            .advise("write a quote within such a text twice")),
        None => Ok(is_read),
    }
}

/// Hands over each row under its header, with its line, until `take` wants no more. A row of another length is an error of its
/// own.
pub(in crate::formats) fn each_row(
    source: impl Read,
    delimiter: u8,
    mut take: impl FnMut(u64, Result<Vec<(String, Value)>>) -> Result<bool>,
) -> Result<()> {
    let mut reader = reader(source, delimiter);
    let (mut row, mut header, mut last) = (ByteRecord::new(), None, (0, false));
    while next_row(&mut reader, &mut row)? {
        let line = reader.get_mut().line_from(row.position().map_or(0, csv::Position::byte));
        last = (line, row.iter().any(|cell| cell.contains(&b'\n')));
        let Some(columns) = &header else {
            let cells = row.iter().enumerate();
            let unmarked = cells.map(|(at, cell)| if at == 0 { source::without_mark(cell) } else { cell });
            let found = names(unmarked)?;
            if let Some(twice) =
                (1..found.len()).find(|at| found.iter().take(*at).any(|name| *name == found[*at]))
            {
                let what = format!("two columns are called {}", sentence::quoted(&found[twice]));
                return Err(Error::new(what).at_line(line).advise("give each a name of its own"));
            }
            header = Some(found);
            continue;
        };
        let cells = || -> Result<Vec<(String, Value)>> {
            if row.len() != columns.len() {
                let what = format!("{} cells under {} columns", row.len(), columns.len());
                let separator = char::from(delimiter).escape_default();
                return Err(
                    Error::new(what).advise(format!("put texts with '{separator}' or line breaks in quotes"))
                );
            }
            let cell = |(name, cell): (&String, &[u8])| {
                let text = str::from_utf8(without_shield(cell)).map_err(|_| {
                    Error::new(format!("{} is not UTF-8", sentence::quoted(name)))
                        .advise("convert the file to UTF-8")
                })?;
                Ok((name.clone(), text.into()))
            };
            columns.iter().zip(&row).map(cell).collect()
        };
        if !take(line, cells())? {
            return Ok(());
        }
    }
    // The last row reaches to the end of the file where a quote is never closed.
    if let (line, true) = last
        && reader.get_ref().cell == CellPlace::Quoted
    {
        return Err(Error::new("a quote that is opened here is never closed")
            .at_line(line)
            .advise("close it; a quote within a text is written twice"));
    }
    Ok(())
}

/// The columns of the rows, as the header names them.
struct CsvRows {
    header: Vec<String>,
    item: usize,
    ratings: RatingCells,
    /// Columns that give a group of the item.
    of_item: Vec<usize>,
}

impl CsvRows {
    fn new(header: Vec<String>, collector: &mut Collector<'_>) -> Result<CsvRows> {
        let mut seen = HashSet::with_capacity(header.len());
        if let Some(twice) = header.iter().find(|name| !seen.insert(*name)) {
            return Err(Error::new(format!("two columns are named {}", sentence::quoted(twice)))
                .at_line(1)
                .advise("give every column a name of its own"));
        }
        let layout = Rc::new(
            RatingsLayout::of(header.clone(), false, collector.asked()).map_err(|error| error.at_line(1))?,
        );
        collector.begin(Rc::clone(&layout));
        // The layout names columns of this header only.
        let place = |name: &String| header.iter().position(|column| column == name).unwrap_or_default();
        let ratings = match &layout.long {
            Some((annotator, value)) => {
                RatingCells::Long { annotator: place(annotator), value: place(value) }
            }
            None => {
                let mut annotators = Vec::new();
                for (column, name) in header.iter().enumerate().filter(|(_, name)| layout.is_annotator(name))
                {
                    let cell = RatingCell { text: name.as_bytes(), line: 1, column: name };
                    annotators.push((column, collector.annotator(cell)?));
                }
                RatingCells::Wide(annotators)
            }
        };
        let (item, of_item) = (place(&layout.item), layout.of_item.iter().map(place).collect());
        Ok(CsvRows { header, item, ratings, of_item })
    }

    fn take(&self, collector: &mut Collector<'_>, line: u64, row: &ByteRecord) -> Result<()> {
        let (cells, columns) = (row.len(), self.header.len());
        if cells != columns {
            return Err(Error::new(format!("the row has {cells} cells, and the header {columns}"))
                .at_line(line)
                .advise("check the separators and quotation marks"));
        }
        let cell = |column: usize| RatingCell {
            text: without_shield(row.get(column).unwrap_or_default()),
            line,
            column: self.header.get(column).map_or("", String::as_str),
        };
        if let Some(filter) = collector.asked().filter {
            let row: Vec<(&str, Cow<'_, str>)> = (0..cells)
                .map(|column| (cell(column).column, String::from_utf8_lossy(cell(column).text)))
                .collect();
            let row: Vec<(&str, &str)> = row.iter().map(|(name, text)| (*name, &**text)).collect();
            if !(filter.fits)(&row) {
                return Ok(());
            }
        }
        let item = collector.item(cell(self.item))?;
        match &self.ratings {
            RatingCells::Long { annotator, value } => {
                let annotator = collector.annotator(cell(*annotator))?;
                collector.rate(item, annotator, cell(*value))?;
            }
            RatingCells::Wide(annotators) => {
                for (column, annotator) in annotators {
                    collector.rate(item, *annotator, cell(*column))?;
                }
            }
        }
        let mut of_item = (0..).zip(&self.of_item);
        of_item.try_for_each(|(at, column)| collector.say_of(item, at, cell(*column)))
    }
}

/// Where in a cell a byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellPlace {
    Start,
    Plain,
    Quoted,
    /// Behind a quote in a quoted text, which ends the text or is the first of two.
    Quote,
}

/// Passes bytes on, and remembers the lines that are not blank: by the CSV reader's position, a row begins at the end of
/// the row before, which may lie some blank lines above.
struct LineStarts<R> {
    bytes: R,
    at: u64,
    /// Counted from 1.
    line: u64,
    is_at_start: bool,
    /// Where the text of a line begins, with the number of the line.
    starts: VecDeque<(u64, u64)>,
    delimiter: u8,
    cell: CellPlace,
    /// The line of the first quote that neither ends a quoted text nor stands twice.
    stray_quote: Option<u64>,
}

impl<R: Read> LineStarts<R> {
    fn of(bytes: R, delimiter: u8) -> LineStarts<R> {
        let (starts, cell, stray_quote) = (VecDeque::new(), CellPlace::Start, None);
        LineStarts { bytes, at: 0, line: 1, is_at_start: true, starts, delimiter, cell, stray_quote }
    }

    /// The place behind a byte.
    fn behind(&mut self, byte: u8) -> CellPlace {
        let is_end = byte == self.delimiter || matches!(byte, b'\r' | b'\n');
        match (self.cell, byte) {
            (CellPlace::Start, b'"') => CellPlace::Quoted,
            // The mark of UTF-8 is no part of the first cell.
            (CellPlace::Start, _) if self.at < 3 && source::BYTE_ORDER_MARK.contains(&byte) => {
                CellPlace::Start
            }
            (CellPlace::Quoted, b'"') => CellPlace::Quote,
            (CellPlace::Quote, b'"') | (CellPlace::Quoted, _) => CellPlace::Quoted,
            _ if is_end => CellPlace::Start,
            (CellPlace::Quote, _) => {
                self.stray_quote.get_or_insert(self.line);
                CellPlace::Plain
            }
            _ => CellPlace::Plain,
        }
    }

    /// The line of the first text at this place or behind it. Places are asked for in their order.
    fn line_from(&mut self, place: u64) -> u64 {
        while self.starts.front().is_some_and(|(start, _)| *start < place) {
            self.starts.pop_front();
        }
        self.starts.front().map_or(self.line, |(_, line)| *line)
    }
}

impl<R: Read> Read for LineStarts<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        for byte in buffer.iter().take(count) {
            if matches!(byte, b'\r' | b'\n') {
                self.is_at_start = true;
                self.line += u64::from(*byte == b'\n');
            } else if std::mem::take(&mut self.is_at_start) {
                self.starts.push_back((self.at, self.line));
            }
            self.cell = self.behind(*byte);
            self.at += 1;
        }
        Ok(count)
    }
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
    let names: Vec<String> = header.map(name).collect::<Result<_>>()?;
    match names.first() {
        Some(first) if first.starts_with("sep=") => {
            let told = Error::new("it only tells a spreadsheet the separator").at_line(1);
            Err(told.advise("take the line out"))
        }
        _ => Ok(names),
    }
}

fn sentence_of(error: &csv::Error) -> Error {
    let described = match error.kind() {
        ErrorKind::Io(error) => source::cannot_read(error),
        _ => Error::new(sentence::one_line(&error.to_string())),
    };
    match error.position() {
        Some(position) => described.at_line(position.line()),
        None => described,
    }
}
