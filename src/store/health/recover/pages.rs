//! The pages of an SQLite file, read without SQLite, which refuses a whole table for one damaged page.
//! After the SQLite file format, sections 1.5 and 1.6, and 2.1 for records.
//!
//! Nothing in a damaged file is believed: every number is checked against a bound, and rows that do not fit
//! are left out.

use rusqlite::types::Value;

/// The kind of a page of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PageKind {
    InteriorIndex,
    InteriorTable,
    LeafIndex,
    LeafTable,
}

/// A row read from a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawRow {
    /// The row's number, in tables that have one.
    pub(super) rowid: Option<i64>,
    pub(super) values: Vec<Value>,
    /// Whether a text of the row was no UTF-8 and has replacement characters now.
    pub(super) is_mended: bool,
}

/// The bytes of a file, page by page. Pages are numbered from 1.
pub(super) struct Pages {
    bytes: Vec<u8>,
    size: usize,
}

/// The page size of haymark's files, where the header gives none.
const USUAL_SIZE: usize = 4_096;
/// The bytes of the file's header, which stands before that of the first page.
const FILE_HEADER: usize = 100;

impl Pages {
    pub(super) fn new(bytes: Vec<u8>) -> Pages {
        let said = bytes.get(16..18).map_or(0, number);
        let size = match said {
            1 => 65_536,
            size if size.is_power_of_two() && size >= 512 => size,
            _ => USUAL_SIZE,
        };
        Pages { bytes, size }
    }

    /// How many pages there are, the last one perhaps cut off.
    pub(super) fn count(&self) -> usize {
        self.bytes.len().div_ceil(self.size)
    }

    fn page(&self, page: usize) -> Option<&[u8]> {
        let start = page.checked_sub(1)?.checked_mul(self.size)?;
        let rest = self.bytes.get(start..)?;
        Some(rest.get(..self.size).unwrap_or(rest)).filter(|page| !page.is_empty())
    }

    /// The offset of the page's own header.
    fn header(page: usize) -> usize {
        if page == 1 { FILE_HEADER } else { 0 }
    }

    /// The kind that the page gives.
    pub(super) fn kind(&self, page: usize) -> Option<PageKind> {
        match self.page(page)?.get(Pages::header(page))? {
            2 => Some(PageKind::InteriorIndex),
            5 => Some(PageKind::InteriorTable),
            10 => Some(PageKind::LeafIndex),
            13 => Some(PageKind::LeafTable),
            _ => None,
        }
    }

    /// The pages below an interior page.
    pub(super) fn children(&self, page: usize) -> Vec<usize> {
        let Some(bytes) = self.page(page) else { return Vec::new() };
        let header = Pages::header(page);
        let last = bytes.get(header + 8..header + 12).map(number);
        let first = self.cells(page, header + 12).filter_map(|at| bytes.get(at..at + 4).map(number));
        first.chain(last).filter(|child| (1..=self.count()).contains(child)).collect()
    }

    /// The numbers of free pages.
    pub(super) fn free(&self) -> Vec<usize> {
        let mut free = Vec::new();
        let mut trunk = self.bytes.get(32..36).map_or(0, number);
        while trunk != 0 && free.len() <= self.count() && !free.contains(&trunk) {
            let Some(bytes) = self.page(trunk) else { break };
            free.push(trunk);
            let leaves = bytes.get(4..8).map_or(0, number).min(self.size / 4);
            free.extend((0..leaves).filter_map(|leaf| bytes.get(8 + 4 * leaf..12 + 4 * leaf).map(number)));
            trunk = bytes.get(..4).map_or(0, number);
        }
        free
    }

    /// The number of rows that a page of this kind gives.
    pub(super) fn expected(&self, page: usize, kind: PageKind) -> usize {
        let header = Pages::header(page);
        let said = self.page(page).and_then(|bytes| bytes.get(header + 3..header + 5)).map_or(0, number);
        if kind == PageKind::InteriorTable { 0 } else { said }
    }

    /// The offsets of the cells of a page. `pointers` is the offset of the array of cell pointers.
    fn cells(&self, page: usize, pointers: usize) -> impl Iterator<Item = usize> {
        let bytes = self.page(page).unwrap_or_default();
        let header = Pages::header(page);
        let number_of_cells = bytes.get(header + 3..header + 5).map_or(0, number).min(self.size / 4);
        (0..number_of_cells)
            .filter_map(move |cell| bytes.get(pointers + 2 * cell..pointers + 2 * cell + 2).map(number))
            .filter(move |at| *at > pointers && *at < bytes.len())
    }

    /// The readable rows of a page, taken for one of this kind.
    pub(super) fn rows(&self, page: usize, kind: PageKind) -> Vec<RawRow> {
        let header = Pages::header(page);
        let pointers = match kind {
            PageKind::InteriorTable => return Vec::new(),
            PageKind::InteriorIndex => header + 12,
            PageKind::LeafIndex | PageKind::LeafTable => header + 8,
        };
        self.cells(page, pointers).filter_map(|at| self.row(page, at, kind)).collect()
    }

    fn row(&self, page: usize, at: usize, kind: PageKind) -> Option<RawRow> {
        let bytes = self.page(page)?;
        let mut at = if kind == PageKind::InteriorIndex { at + 4 } else { at };
        let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
        let rowid = match kind {
            PageKind::LeafTable => Some(varint(bytes, &mut at)?),
            _ => None,
        };
        let payload = self.payload(bytes, at, length, kind)?;
        let (values, is_mended) = record(&payload)?;
        Some(RawRow { rowid, values, is_mended })
    }

    /// The bytes of a row, with those that overflow into a chain of other pages.
    fn payload(&self, page: &[u8], at: usize, length: usize, kind: PageKind) -> Option<Vec<u8>> {
        if length > self.bytes.len() {
            return None;
        }
        let least = (self.size - 12) * 32 / 255 - 23;
        let most = match kind {
            PageKind::LeafTable => self.size - 35,
            _ => (self.size - 12) * 64 / 255 - 23,
        };
        if length <= most {
            return page.get(at..at + length).map(<[u8]>::to_vec);
        }
        let fitting = least + (length - least) % (self.size - 4);
        let here = if fitting <= most { fitting } else { least };
        let mut payload = page.get(at..at + here)?.to_vec();
        let mut next = number(page.get(at + here..at + here + 4)?);
        while payload.len() < length {
            let overflow = self.page(next)?;
            let wanted = (length - payload.len()).min(self.size - 4);
            payload.extend_from_slice(overflow.get(4..4 + wanted)?);
            next = number(overflow.get(..4)?);
        }
        Some(payload)
    }
}

/// Reads a big-endian number of one to four bytes.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| (number << 8) | usize::from(*byte))
}

/// Reads a varint: seven bits a byte, the highest bit for "more follows"; the ninth byte counts whole.
fn varint(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let mut value: u64 = 0;
    for place in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if place == 8 {
            return Some(((value << 8) | u64::from(byte)).cast_signed());
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(value.cast_signed())
}

/// Reads the values of a record, and whether a text had to be mended. `None` where the lengths do not add up.
fn record(payload: &[u8]) -> Option<(Vec<Value>, bool)> {
    let mut at = 0;
    let header = usize::try_from(varint(payload, &mut at)?).ok()?;
    let mut body = header;
    let (mut values, mut is_mended) = (Vec::new(), false);
    while at < header {
        let kind = u64::try_from(varint(payload, &mut at)?).ok()?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => usize::try_from((kind - 12) / 2).ok()?,
        };
        let bytes = payload.get(body..body.checked_add(length)?)?;
        body += length;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(i64::from(kind == 9)),
            7 => Value::Real(f64::from_bits(u64::from_be_bytes(bytes.try_into().ok()?))),
            1..=6 => Value::Integer(signed(bytes)),
            even if even % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => {
                is_mended |= std::str::from_utf8(bytes).is_err();
                Value::Text(String::from_utf8_lossy(bytes).into_owned())
            }
        });
    }
    (at == header && body == payload.len()).then_some((values, is_mended))
}

/// Reads a big-endian number in two's complement of one to eight bytes.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
    bytes.iter().fold(if negative { -1 } else { 0 }, |number, byte| (number << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_read() {
        // 300 = 2 · 128 + 44; the ninth byte counts whole: all ones are -1.
        for (bytes, value) in [(&[0x07][..], 7), (&[0x82, 0x2c], 300), (&[0xff; 9], -1)] {
            let mut at = 0;
            assert_eq!((varint(bytes, &mut at), at), (Some(value), bytes.len()));
        }
        assert_eq!(varint(&[0x82], &mut 0), None);
        assert_eq!((signed(&[0xff, 0xfe]), signed(&[0x01, 0x00]), signed(&[])), (-2, 256, 0));
    }

    #[test]
    fn records_are_read_whole_or_not_at_all() {
        // A header of 5 bytes, then: null, one byte, the constant 1, a text of two bytes.
        let bytes = [5, 0, 1, 9, 17, 0x2a, b'o', b'k'];
        let values = vec![Value::Null, Value::Integer(42), Value::Integer(1), Value::Text("ok".into())];
        assert_eq!(record(&bytes), Some((values, false)));
        assert_eq!(record(&bytes[..7]), None);
        assert_eq!(record(&[&bytes[..], b"!"].concat()), None);
        assert_eq!(record(&[2, 10]), None, "a kind that is reserved");
    }

    /// All rows of all pages of a file that SQLite wrote, texts longer than a page among them.
    #[test]
    fn a_file_of_sqlite_is_read_as_sqlite_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.db");
        let connection = rusqlite::Connection::open(&path).expect("made");
        connection
            .execute_batch(
                "CREATE TABLE a (id INTEGER PRIMARY KEY, x REAL, t TEXT);
                 CREATE TABLE b (k INTEGER, t TEXT, PRIMARY KEY (k)) WITHOUT ROWID;",
            )
            .expect("made");
        for id in 0..400_i64 {
            let text = "字".repeat(usize::try_from(id * 13 % 7_001).expect("small"));
            connection
                .execute("INSERT INTO a VALUES (?1, ?2, ?3)", (id, id as f64 / 4.0, &text))
                .expect("in");
            connection.execute("INSERT INTO b VALUES (?1, ?2)", (id - 200, &text)).expect("in");
        }
        drop(connection);
        let pages = Pages::new(std::fs::read(&path).expect("read"));
        let mut sums = [0_i64; 2];
        let mut letters = 0;
        for page in 1..=pages.count() {
            let Some(kind) = pages.kind(page) else { continue };
            for row in pages.rows(page, kind) {
                match (row.rowid, &row.values[..]) {
                    (Some(id), [Value::Null, _, Value::Text(text)]) => {
                        sums[0] += id;
                        letters += text.chars().count();
                    }
                    (None, [Value::Integer(key), Value::Text(_)]) => sums[1] += key,
                    _ => {}
                }
            }
        }
        // 0 + … + 399, and the same less 400 · 200.
        assert_eq!(sums, [79_800, -200]);
        let expected: i64 = (0..400).map(|id| id * 13 % 7_001).sum();
        assert_eq!(letters as i64, expected);
    }
}
