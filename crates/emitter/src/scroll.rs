//! Finds a band of full rows that moved up or down, so that the terminal can move it itself.

use super::grid::{CellGrid, Glyph, fingerprint};

/// A band of rows whose content moves: DECSTBM with SU or SD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scroll {
    /// First row of the band, from 0.
    pub top: usize,
    /// Last row of the band, inclusive.
    pub bottom: usize,
    /// Rows that the content moves; positive up, negative down; never 0, less than the band is high.
    pub lines: isize,
}

impl Scroll {
    /// The row that stands at `y` after the scroll; `None` where the scroll leaves an empty row.
    pub fn source(self, y: usize) -> Option<usize> {
        let band = self.top..=self.bottom;
        if !band.contains(&y) {
            return Some(y);
        }
        y.checked_add_signed(self.lines).filter(|source| band.contains(source))
    }
}

/// The scroll that brings most changed rows into place; `None` if none brings two.
///
/// Per distance, the band is the stretch with the best sum (Kadane): a changed row that would come right counts 1,
/// a right row that would be spoilt −1. So a scroll bar or a blinking mark inside the band does not hide the scroll.
/// Whether it saves bytes is for the caller to find out.
pub(super) fn find(old: &CellGrid, new: &CellGrid, changed: &[bool]) -> Option<Scroll> {
    let height = changed.len();
    if changed.iter().filter(|row| **row).count() < 2 {
        return None;
    }
    let prints = |grid: &CellGrid| (0..height).map(|y| fingerprint(grid.row(y))).collect::<Vec<_>>();
    let (before, after) = (prints(old), prints(new));
    let distances = (1..height as isize).flat_map(|lines| [lines, -lines]);
    let mut best: Option<(isize, usize, usize, isize)> = None;
    for lines in distances {
        let right = |y: usize| {
            let source = y.checked_add_signed(lines).and_then(|source| before.get(source));
            source == after.get(y)
        };
        let Some((score, first, last)) = best_stretch(changed, right) else { continue };
        if score >= 2 && best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, first, last, lines));
        }
    }
    let (_, mut first, mut last, lines) = best?;
    // The first and last row of a pane may hold an end of the scroll bar: not quite right, yet better moved.
    while first > 0 && gains(old, new, first - 1, lines) {
        first -= 1;
    }
    while last + 1 < height && gains(old, new, last + 1, lines) {
        last += 1;
    }
    Some(band(first, last, lines))
}

/// Whether row `y` is nearer to what it should be after the scroll than before it.
fn gains(old: &CellGrid, new: &CellGrid, y: usize, lines: isize) -> bool {
    let differences = |row: &[Glyph]| row.iter().zip(new.row(y)).filter(|(old, new)| old != new).count();
    let source = y.checked_add_signed(lines).filter(|source| *source < new.size().1);
    source.is_some_and(|source| differences(old.row(source)) < differences(old.row(y)))
}

/// The rows `first..=last` and those that they come from.
fn band(first: usize, last: usize, lines: isize) -> Scroll {
    let from = |y: usize| y.saturating_add_signed(lines);
    Scroll { top: first.min(from(first)), bottom: last.max(from(last)), lines }
}

/// Score, first and last row of the stretch with the highest score above 0.
fn best_stretch(changed: &[bool], right: impl Fn(usize) -> bool) -> Option<(isize, usize, usize)> {
    let mut best = None;
    let (mut score, mut first) = (0_isize, 0);
    for (y, changed) in changed.iter().enumerate() {
        match (*changed, right(y)) {
            (true, true) => {
                if score == 0 {
                    first = y;
                }
                score += 1;
                if best.is_none_or(|(most, _, _)| score > most) {
                    best = Some((score, first, y));
                }
            }
            (false, false) => score = (score - 1).max(0),
            (true, false) | (false, true) => {}
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Buffer;

    fn check(old: &[&str], new: &[&str], expected: Option<(usize, usize, isize)>) {
        let load = |lines: &[&str]| {
            let mut grid = CellGrid::blank(0, 0);
            grid.load(&Buffer::with_lines(lines.iter().copied()), false);
            grid
        };
        let (old, new) = (load(old), load(new));
        let changed: Vec<bool> = (0..new.size().1).map(|y| old.row(y) != new.row(y)).collect();
        let found = find(&old, &new, &changed).map(|scroll| (scroll.top, scroll.bottom, scroll.lines));
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_bands_that_moved_up_and_down() {
        check(&["h", "a", "b", "c", "1"], &["h", "b", "c", "d", "2"], Some((1, 3, 1)));
        check(&["h", "a", "b", "c", "d", "1"], &["h", "x", "y", "a", "b", "2"], Some((1, 4, -2)));
    }

    #[test]
    fn a_spoilt_row_inside_the_band_does_not_hide_it() {
        check(&["a", "b", "c", "d", "e"], &["b", "X", "d", "e", "f"], Some((0, 4, 1)));
    }

    #[test]
    fn a_nearly_right_row_at_the_edge_moves_along() {
        check(
            &["aaa█", "bbb|", "ccc|", "ddd|", "eee|"],
            &["bbb█", "ccc|", "ddd|", "eee|", "xyz|"],
            Some((0, 4, 1)),
        );
    }

    #[test]
    fn unrelated_rows_are_no_scroll() {
        check(&["a", "b", "c"], &["x", "y", "z"], None);
        check(&["a", "b"], &["b", "a"], None);
    }

    #[test]
    fn source_stays_inside_the_band() {
        let scroll = Scroll { top: 1, bottom: 3, lines: -1 };
        let sources: Vec<_> = (0..5).map(|y| scroll.source(y)).collect();
        assert_eq!(sources, [Some(0), None, Some(1), Some(2), Some(4)]);
    }
}
