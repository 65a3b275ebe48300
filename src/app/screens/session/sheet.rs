//! The summary as it stands on the screen: its lines wrapped, and the faults of each bullet.
//!
//! A change wraps and checks the lines that it touches and no others, so that a key is as quick in a
//! long summary as in a short one; drawing only looks rows up.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::text::bullets::{is_bare_mark, words_told};
use crate::text::citation::{Citation, citations};
use crate::text::wrap::{WrappedRows, wrap};

/// A fault of a bullet that its writer may want to mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulletFault {
    /// A citation of a number that no document here has.
    Unknown(u32),
    /// A number that is cited more than once.
    Twice(u32),
    /// No citation.
    Uncited,
}

/// A line of the summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BulletLine {
    /// Offset of its first byte in the summary.
    pub start: usize,
    /// Bytes, without the break.
    pub length: usize,
    /// The line's first row among all rows.
    pub first_row: usize,
    /// Number of the bullet, from 1; `None` for a line of nothing but white space.
    pub bullet: Option<u32>,
    /// Whether the line is empty, but for the mark of a list.
    pub is_bare: bool,
    /// Length of the line in words, citations included and its list mark left out.
    pub words: usize,
    pub citations: Vec<Citation>,
    pub faults: Vec<BulletFault>,
    rows: WrappedRows,
}

impl BulletLine {
    /// Number of rows; an empty line takes one.
    pub fn height(&self) -> usize {
        self.rows.len().max(1)
    }

    /// Whether the bullet has a fault.
    pub fn is_faulty(&self) -> bool {
        !self.faults.is_empty()
    }
}

/// All lines at one width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BulletSheet {
    width: u16,
    /// Numbers of the documents that can be cited.
    known: Arc<BTreeSet<u32>>,
    lines: Vec<BulletLine>,
    totals: SheetTotals,
}

/// Totals of all lines, so that no frame has to count them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SheetTotals {
    /// Number of bullets.
    pub bullets: usize,
    /// Words of all bullets.
    pub words: usize,
    /// Number of bullets with a fault.
    pub faulty: usize,
    /// The numbers that are cited.
    pub cited: BTreeSet<u32>,
}

impl BulletSheet {
    /// The lines of a text, with the numbers that it may cite.
    pub fn new(text: &str, known: Arc<BTreeSet<u32>>) -> BulletSheet {
        let mut sheet = BulletSheet { width: u16::MAX, known, ..BulletSheet::default() };
        sheet.lines = sheet.read(text);
        sheet.renumber();
        sheet
    }

    /// Wraps the text at another width.
    pub fn set_width(&mut self, text: &str, width: u16) {
        if self.width != width {
            self.width = width;
            for line in &mut self.lines {
                let content = text.get(line.start..line.start + line.length).unwrap_or("");
                line.rows = wrap(content, width);
            }
            self.renumber();
        }
    }

    /// Takes in a change: `removed` bytes at `at` gave way to `inserted` others, and `text` is the text after it.
    pub fn splice(&mut self, text: &str, at: usize, removed: usize, inserted: usize) {
        let first = self.line_of(at);
        let last = self.line_of(at + removed);
        let start = self.lines.get(first).map_or(0, |line| line.start);
        let old_end = self.lines.get(last).map_or(0, |line| line.start + line.length);
        let end = (old_end + inserted).saturating_sub(removed);
        let read = self.read(text.get(start..end).unwrap_or(""));
        self.lines.splice(first..=last.max(first).min(self.lines.len().saturating_sub(1)), read);
        self.renumber();
    }

    fn read(&self, text: &str) -> Vec<BulletLine> {
        text.split('\n').map(|line| self.read_line(line)).collect()
    }

    fn read_line(&self, content: &str) -> BulletLine {
        let citations = citations(content);
        // A mark alone is the place of a bullet to come.
        let is_bare = content.trim().is_empty() || is_bare_mark(content);
        let faults = if is_bare { Vec::new() } else { faults(&citations, self.known.as_ref()) };
        BulletLine {
            length: content.len(),
            words: words_told(content),
            is_bare,
            rows: wrap(content, self.width),
            citations,
            faults,
            // Places and numbers follow for all lines together; 0 marks a bullet.
            bullet: (!content.trim().is_empty()).then_some(0),
            ..BulletLine::default()
        }
    }

    fn renumber(&mut self) {
        let (mut start, mut row, mut bullet) = (0, 0, 0);
        for line in &mut self.lines {
            (line.start, line.first_row) = (start, row);
            start += line.length + 1;
            row += line.height();
            if let Some(number) = &mut line.bullet {
                bullet += 1;
                *number = bullet;
            }
        }
        let citations = self.lines.iter().flat_map(|line| &line.citations);
        self.totals = SheetTotals {
            bullets: self.lines.iter().filter(|line| !line.is_bare).count(),
            words: self.lines.iter().map(|line| line.words).sum(),
            faulty: self.lines.iter().filter(|line| line.is_faulty()).count(),
            cited: citations.flat_map(|citation| &citation.numbers).copied().collect(),
        };
    }

    /// Totals of all lines.
    pub fn totals(&self) -> &SheetTotals {
        &self.totals
    }

    /// The lines in their order; at least one.
    pub fn lines(&self) -> &[BulletLine] {
        &self.lines
    }

    /// Index of the line that holds this byte; a break belongs to the line before it.
    pub fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|line| line.start <= byte).saturating_sub(1)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lines.last().map_or(0, |line| line.first_row + line.height())
    }

    /// Whether there is no row; never, once a text was read.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line of a row, and the row's bytes in the summary.
    pub fn row(&self, index: usize) -> Option<(&BulletLine, Range<usize>)> {
        let found = self.lines.partition_point(|line| line.first_row <= index).checked_sub(1)?;
        let line = self.lines.get(found)?;
        let within = index - line.first_row;
        if within >= line.height() {
            return None;
        }
        let bytes = line.rows.get(within).unwrap_or(0..0);
        Some((line, line.start + bytes.start..line.start + bytes.end))
    }

    /// The row on which a byte of the summary stands.
    pub fn row_of(&self, byte: usize) -> usize {
        match self.lines.get(self.line_of(byte)) {
            Some(line) => line.first_row + line.rows.row_of(byte.saturating_sub(line.start)),
            None => 0,
        }
    }

    /// Whether this number can be cited.
    pub fn is_known(&self, number: u32) -> bool {
        self.known.contains(&number)
    }
}

/// The faults of a bullet with these citations, in reading order.
fn faults(citations: &[Citation], known: &BTreeSet<u32>) -> Vec<BulletFault> {
    if citations.is_empty() {
        return vec![BulletFault::Uncited];
    }
    let mut faults = Vec::new();
    let mut met = BTreeSet::new();
    for number in citations.iter().flat_map(|citation| &citation.numbers) {
        let fault = match (met.insert(*number), known.contains(number)) {
            (true, true) => continue,
            (true, false) => BulletFault::Unknown(*number),
            (false, _) => BulletFault::Twice(*number),
        };
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known() -> Arc<BTreeSet<u32>> {
        Arc::new(BTreeSet::from([1, 2, 3]))
    }

    fn faults_of(text: &str) -> Vec<(Option<u32>, Vec<BulletFault>)> {
        let sheet = BulletSheet::new(text, known());
        sheet.lines().iter().map(|line| (line.bullet, line.faults.clone())).collect()
    }

    #[test]
    fn what_a_bullet_lacks_is_named() {
        assert_eq!(
            faults_of("- one [1,2]\n\n two [9]\nthree [1][1, 1] [7]\nfour"),
            [
                (Some(1), vec![]),
                (None, vec![]),
                (Some(2), vec![BulletFault::Unknown(9)]),
                (Some(3), vec![BulletFault::Twice(1), BulletFault::Unknown(7)]),
                (Some(4), vec![BulletFault::Uncited]),
            ]
        );
    }

    #[test]
    fn a_mark_alone_is_no_bullet_yet() {
        let sheet = BulletSheet::new("- one [1]\n- \n-", known());
        let totals = sheet.totals();
        assert_eq!((totals.bullets, totals.faulty), (1, 0));
        assert!(sheet.lines().iter().skip(1).all(|line| line.words == 0));
    }

    #[test]
    fn rows_are_found_by_place_and_places_by_row() {
        let text = "one two three\n\n四五六七八";
        let mut sheet = BulletSheet::new(text, known());
        sheet.set_width(text, 8);
        let rows: Vec<&str> =
            (0..sheet.len()).filter_map(|row| sheet.row(row)).map(|(_, bytes)| &text[bytes]).collect();
        assert_eq!(rows, ["one two", "three", "", "四五六七", "八"]);
        let of = |needle: &str| sheet.row_of(text.find(needle).unwrap());
        assert_eq!([of("one"), of("three"), of("\n\n"), of("\n四"), of("四"), of("八")], [0, 1, 1, 2, 3, 4]);
        assert_eq!(sheet.row_of(text.len()), 4);
        assert_eq!(sheet.row(5), None);
        // "- " is no word; 四五六七八 are five.
        assert_eq!(sheet.lines().iter().map(|line| line.words).collect::<Vec<_>>(), [3, 0, 5]);
    }

    proptest! {
        #[test]
        fn a_change_gives_the_sheet_of_the_new_text(
            before in "[a\\[1\\]\n 中]{0,30}",
            inserted in "[b\n\\[9\\]]{0,8}",
            (from, to) in (0_usize..40, 0_usize..40),
        ) {
            let snap = |place: usize| {
                let mut place = place.min(before.len());
                while !before.is_char_boundary(place) {
                    place -= 1;
                }
                place
            };
            let (from, to) = (snap(from.min(to)), snap(from.max(to)));
            let mut sheet = BulletSheet::new(&before, known());
            sheet.set_width(&before, 5);
            let mut after = before.clone();
            after.replace_range(from..to, &inserted);
            sheet.splice(&after, from, to - from, inserted.len());
            let mut expected = BulletSheet::new(&after, known());
            expected.set_width(&after, 5);
            prop_assert_eq!(sheet, expected);
        }
    }
}
