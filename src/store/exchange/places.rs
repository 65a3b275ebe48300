//! Where the records of an import stood, in a few bytes a record.

use crate::study::{Place, RecordKind};
use crate::text::fast::FastMap;

/// Rows of a block.
const BLOCK: i64 = 1 << 10;

/// Numbers of places from here on are those of paths; smaller ones are lines.
const PATHS: u32 = 1 << 31;

/// The first place of each record that came in, by its row.
#[derive(Debug, Default)]
pub(super) struct RecordPlaces {
    /// The number of the place of each row, in blocks; 0 for a row that did not come in.
    rows: FastMap<(RecordKind, i64), Vec<u32>>,
    /// Paths behind each other, and where each of them ends.
    paths: String,
    ends: Vec<usize>,
}

impl RecordPlaces {
    /// Notes the place of a row that has none yet.
    pub(super) fn note(&mut self, kind: RecordKind, row: i64, place: &Place) {
        if self.number(kind, row).is_some() {
            return;
        }
        let number = match place {
            Place::Line(line) => u32::try_from(*line).ok().filter(|line| (1..PATHS).contains(line)),
            Place::Path(_) => None,
        };
        let Some(number) = number.or_else(|| self.number_of_path(place.to_string())) else { return };
        let block = self.rows.entry((kind, row.div_euclid(BLOCK))).or_default();
        block.resize(BLOCK as usize, 0);
        if let Some(noted) = usize::try_from(row.rem_euclid(BLOCK)).ok().and_then(|at| block.get_mut(at)) {
            *noted = number;
        }
    }

    /// The place of a row that came in.
    pub(super) fn of(&self, kind: RecordKind, row: i64) -> Option<Place> {
        let number = self.number(kind, row)?;
        match number.checked_sub(PATHS) {
            None => Some(Place::Line(number.into())),
            Some(path) => self.path(path as usize).map(|path| Place::Path(path.to_owned())),
        }
    }

    fn number(&self, kind: RecordKind, row: i64) -> Option<u32> {
        let block = self.rows.get(&(kind, row.div_euclid(BLOCK)))?;
        block.get(usize::try_from(row.rem_euclid(BLOCK)).ok()?).copied().filter(|number| *number > 0)
    }

    fn path(&self, at: usize) -> Option<&str> {
        let begin = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.paths.get(begin..*self.ends.get(at)?)
    }

    /// The number of a path. Records that were made of one record of a file have one path and come together.
    fn number_of_path(&mut self, path: String) -> Option<u32> {
        let is_last = self.ends.len().checked_sub(1).and_then(|last| self.path(last)) == Some(&path);
        if !is_last {
            self.paths += &path;
            self.ends.push(self.paths.len());
        }
        u32::try_from(self.ends.len() - 1).ok()?.checked_add(PATHS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_first_place() {
        let mut places = RecordPlaces::default();
        let path = |path: &str| Place::Path(path.to_owned());
        let noted = [
            (RecordKind::Query, 1, Place::Line(7)),
            (RecordKind::Query, 1025, path("[0]")),
            (RecordKind::Candidate, 1, path("[0]")),
            (RecordKind::Candidate, 2, path("a.[1]")),
            (RecordKind::Document, i64::MAX, Place::Line(1)),
            (RecordKind::Document, -1, Place::Line(1 << 31)),
        ];
        for (kind, row, place) in &noted {
            assert_eq!(places.of(*kind, *row), None);
            places.note(*kind, *row, place);
            places.note(*kind, *row, &Place::Line(99));
        }
        for (kind, row, place) in &noted {
            assert_eq!(places.of(*kind, *row).map(|place| place.to_string()), Some(place.to_string()));
        }
        assert_eq!(places.of(RecordKind::Unit, 1), None);
    }
}
