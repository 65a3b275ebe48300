//! CSV as haymark writes it, and what a spreadsheet would run of it.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula and runs it (OWASP, *CSV Injection*); a
//! tab or line break before it does not help. Such a cell gets an apostrophe in front, by which spreadsheets know a text.
//! Numbers stay as they are. A cell that has apostrophes there already gets one more, so that [`without_shield`] gives
//! back what was written.

use std::borrow::Cow;
use std::io::Write;

use crate::error::{Result, cannot_write};

/// Writes rows of cells; the only place where haymark writes CSV.
pub struct CsvFile<Out: Write> {
    writer: csv::Writer<Out>,
    raw: bool,
}

impl<Out: Write> CsvFile<Out> {
    /// A file without rows. `raw` leaves cells as they are that a spreadsheet would run.
    pub fn new(out: Out, raw: bool) -> CsvFile<Out> {
        CsvFile { writer: csv::Writer::from_writer(out), raw }
    }

    /// Writes a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item: AsRef<str>>) -> Result<()> {
        for cell in cells {
            let cell = cell.as_ref();
            let shielded = if self.raw { Cow::Borrowed(cell) } else { with_shield(cell) };
            self.writer.write_field(shielded.as_ref()).map_err(cannot_write)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(cannot_write)
    }

    /// Writes what is buffered.
    pub fn finish(mut self) -> Result<()> {
        self.writer.flush().map_err(cannot_write)
    }
}

fn with_shield(cell: &str) -> Cow<'_, str> {
    match runs(cell.as_bytes()) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

/// A cell of a CSV file as it was before it was written, where haymark wrote it.
pub fn without_shield(cell: &[u8]) -> &[u8] {
    cell.strip_prefix(b"'").filter(|rest| runs(rest)).unwrap_or(cell)
}

/// Whether a spreadsheet would run the cell, or would run it without its first apostrophes.
fn runs(cell: &[u8]) -> bool {
    let first = cell.iter().find(|byte| **byte != b'\'');
    matches!(first, Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n')) && !is_number(cell)
}

fn is_number(cell: &[u8]) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    cell.iter().all(is_part) && str::from_utf8(cell).is_ok_and(|text| text.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str], raw: bool) -> String {
        let mut out = Vec::new();
        let mut file = CsvFile::new(&mut out, raw);
        file.row(cells).expect("written");
        file.finish().expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_text() {
        for (cell, expected) in [
            ("=1+2", "'=1+2"),
            ("+1 by x", "'+1 by x"),
            ("-", "'-"),
            ("- a bullet", "'- a bullet"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("'-3.5", "''-3.5"),
            ("-3.5", "-3.5"),
            ("+2e5", "+2e5"),
            ("-.5", "-.5"),
            ("1+2", "1+2"),
            ("a=b", "a=b"),
            ("'tis", "'tis"),
            ("中文", "中文"),
        ] {
            assert_eq!(written(&[cell], false), format!("{expected}\n"), "{cell:?}");
            assert_eq!(written(&[cell], true), format!("{cell}\n"), "{cell:?}");
        }
        assert_eq!(
            written(&["=HYPERLINK(\"x\",\"y\")", "", "\r=1"], false),
            "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",,\"'\r=1\"\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn what_was_written_is_read_again(cell in "['=+@\t\r\n.e0-9a中-]{0,6}") {
            let shielded = with_shield(&cell);
            assert_eq!(without_shield(shielded.as_bytes()), cell.as_bytes());
        }
    }
}
