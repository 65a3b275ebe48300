//! The values of a column in memory: numbers and codes, never a text for each row.

use indexmap::IndexSet;

use super::{NONE, TableValue, at, from};
use crate::score::{Measure, Undefined};
use crate::text::natural::{NamePiece, natural};

/// The values of one column, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColumnValues {
    /// Codes into words; [`NONE`] for rows without one, `None` for words without a value.
    Words {
        codes: Vec<u32>,
        words: Vec<Option<String>>,
    },
    /// Measures as [`pack`] makes them.
    Numbers(Vec<f64>),
    Counts(Vec<u32>),
    Sets(Sets),
}

/// Sets of words, one for each row.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sets {
    /// Codes into `sets`; [`NONE`] for rows without one.
    pub(super) codes: Vec<u32>,
    /// Each set that occurs, as codes into `words`, ascending and not empty.
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) words: Vec<String>,
}

/// Packs a measure into 64 bits: the number, or a NaN that carries the reason.
pub(super) fn pack(measure: Measure) -> f64 {
    match measure {
        Ok(number) => number,
        Err(reason) => f64::from_bits(f64::NAN.to_bits() & !0xff | reason as u64),
    }
}

pub(super) fn unpack(packed: f64) -> Measure {
    match packed.is_nan() {
        false => Ok(packed),
        true => {
            // `pack` puts the number of a reason in the last byte.
            Err(Undefined::ALL[(packed.to_bits() & 0xff) as usize])
        }
    }
}

impl ColumnValues {
    pub(super) fn value(&self, row: u32) -> TableValue<'_> {
        let row = row as usize;
        match self {
            ColumnValues::Words { codes, words } => {
                let word = codes.get(row).and_then(|code| words.get(*code as usize)?.as_deref());
                word.map_or(TableValue::Nothing, TableValue::Text)
            }
            ColumnValues::Numbers(numbers) => match numbers.get(row).copied().map(unpack) {
                Some(Ok(number)) => TableValue::Number(number),
                Some(Err(reason)) => TableValue::Undefined(reason),
                None => TableValue::Nothing,
            },
            ColumnValues::Counts(counts) => {
                let count = counts.get(row).filter(|count| **count != NONE);
                count.map_or(TableValue::Nothing, |count| TableValue::Count(u64::from(*count)))
            }
            ColumnValues::Sets(sets) => {
                let words: Vec<&str> = sets.of(row).collect();
                if words.is_empty() { TableValue::Nothing } else { TableValue::Labels(words) }
            }
        }
    }

    /// The number of a row; `None` where the row has none, and for words.
    pub(super) fn number(&self, row: u32) -> Option<f64> {
        match self {
            ColumnValues::Numbers(numbers) => at(numbers, row).copied().filter(|number| !number.is_nan()),
            ColumnValues::Counts(counts) => {
                at(counts, row).filter(|count| **count != NONE).map(|count| f64::from(*count))
            }
            ColumnValues::Words { .. } | ColumnValues::Sets(_) => None,
        }
    }

    /// The values of these rows, in their order; none for [`NONE`].
    pub(super) fn of_rows(&self, rows: impl Iterator<Item = u32>) -> ColumnValues {
        match self {
            ColumnValues::Words { codes, words } => ColumnValues::Words {
                codes: rows.map(|row| from(codes, row)).collect(),
                words: words.clone(),
            },
            ColumnValues::Numbers(numbers) => {
                let none = pack(Err(Undefined::NotGiven));
                ColumnValues::Numbers(rows.map(|row| at(numbers, row).copied().unwrap_or(none)).collect())
            }
            ColumnValues::Counts(counts) => ColumnValues::Counts(rows.map(|row| from(counts, row)).collect()),
            ColumnValues::Sets(sets) => ColumnValues::Sets(Sets {
                codes: rows.map(|row| from(&sets.codes, row)).collect(),
                sets: sets.sets.clone(),
                words: sets.words.clone(),
            }),
        }
    }

    /// Whether any row has a value. A number that does not exist is no value, nor is a count of 0.
    pub(super) fn has_any(&self) -> bool {
        match self {
            ColumnValues::Words { codes, words } => {
                let says = |code: &u32| words.get(*code as usize).is_some_and(Option::is_some);
                codes.iter().any(says)
            }
            ColumnValues::Numbers(numbers) => numbers.iter().any(|number| !number.is_nan()),
            ColumnValues::Counts(counts) => counts.iter().any(|count| *count > 0 && *count != NONE),
            ColumnValues::Sets(sets) => sets.codes.iter().any(|code| *code != NONE),
        }
    }

    /// A sort key for each row. Rows without a value come last in both directions.
    pub(super) fn sort_keys(&self, descending: bool) -> Vec<u64> {
        let turned = |key: u64| if descending { LAST - 1 - key.min(LAST - 1) } else { key };
        match self {
            ColumnValues::Numbers(numbers) => {
                let key = |number: &f64| if number.is_nan() { LAST } else { turned(ordered(*number)) };
                numbers.iter().map(key).collect()
            }
            ColumnValues::Counts(counts) => {
                let key = |count: &u32| if *count == NONE { LAST } else { turned(u64::from(*count)) };
                counts.iter().map(key).collect()
            }
            ColumnValues::Words { codes, words } => {
                let ranks = ranks(words.iter().map(Option::as_deref));
                let rank = |code: &u32| ranks.get(*code as usize).copied().flatten().map_or(LAST, turned);
                codes.iter().map(rank).collect()
            }
            ColumnValues::Sets(sets) => {
                let names: Vec<String> = (0..sets.sets.len()).map(|set| sets.name(set)).collect();
                let ranks = ranks(names.iter().map(|name| Some(name.as_str())));
                let rank = |code: &u32| ranks.get(*code as usize).copied().flatten().map_or(LAST, turned);
                sets.codes.iter().map(rank).collect()
            }
        }
    }
}

/// The sort key of rows without a value.
const LAST: u64 = u64::MAX;

/// An integer that sorts as the number does.
fn ordered(number: f64) -> u64 {
    // A negative zero is zero.
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The rank of each word in natural order; equal words have equal ranks.
fn ranks<'w>(words: impl Iterator<Item = Option<&'w str>>) -> Vec<Option<u64>> {
    let words: Vec<Option<&str>> = words.collect();
    let mut keyed: Vec<(Vec<NamePiece>, usize)> =
        words.iter().enumerate().filter_map(|(place, word)| Some((natural((*word)?), place))).collect();
    keyed.sort_unstable();
    let mut ranks = vec![None; words.len()];
    let mut rank = 0;
    for (number, (key, place)) in keyed.iter().enumerate() {
        if number.checked_sub(1).and_then(|before| keyed.get(before)).is_some_and(|(other, _)| other < key) {
            rank = number as u64;
        }
        if let Some(slot) = ranks.get_mut(*place) {
            *slot = Some(rank);
        }
    }
    ranks
}

impl Sets {
    /// The words of a row.
    pub(super) fn of(&self, row: usize) -> impl Iterator<Item = &str> {
        let set = self.codes.get(row).and_then(|code| self.sets.get(*code as usize));
        set.into_iter().flatten().filter_map(|word| self.words.get(*word as usize)).map(String::as_str)
    }

    /// The words of a set, joined.
    pub(super) fn name(&self, set: usize) -> String {
        let words = self.sets.get(set).into_iter().flatten();
        let words: Vec<&str> =
            words.filter_map(|word| self.words.get(*word as usize)).map(String::as_str).collect();
        words.join(", ")
    }

    /// Makes sets from pairs of a row and a word, in any order; a pair may come twice.
    pub(super) fn from_pairs(rows: usize, mut pairs: Vec<(u32, u32)>, words: Vec<String>) -> Sets {
        pairs.sort_unstable();
        pairs.dedup();
        let mut sets = IndexSet::new();
        let mut codes = vec![NONE; rows];
        for of_row in pairs.chunk_by(|one, other| one.0 == other.0) {
            let set: Vec<u32> = of_row.iter().map(|(_, word)| *word).collect();
            let slot = of_row.first().and_then(|(row, _)| codes.get_mut(*row as usize));
            if let Some(slot) = slot {
                *slot = set_code(&mut sets, set);
            }
        }
        Sets { codes, sets: sets.into_iter().collect(), words }
    }
}

/// The code of a word: its place in the order of first use.
pub(super) fn code(words: &mut IndexSet<String>, word: &str) -> u32 {
    words.get_index_of(word).unwrap_or_else(|| words.insert_full(word.to_owned()).0) as u32
}

/// The code of a set; [`NONE`] for the empty one.
pub(super) fn set_code(sets: &mut IndexSet<Vec<u32>>, set: Vec<u32>) -> u32 {
    if set.is_empty() { NONE } else { sets.insert_full(set).0 as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_come_back_with_their_reasons() {
        for reason in Undefined::ALL {
            assert!(pack(Err(*reason)).is_nan());
            assert_eq!(unpack(pack(Err(*reason))), Err(*reason));
        }
        assert_eq!(unpack(pack(Ok(56.25))), Ok(56.25));
    }

    fn sorted(column: &ColumnValues, rows: u32, descending: bool) -> Vec<u32> {
        let keys = column.sort_keys(descending);
        let mut order: Vec<u32> = (0..rows).collect();
        order.sort_by_key(|row| keys[*row as usize]);
        order
    }

    #[test]
    fn what_has_no_value_stands_last_whichever_way() {
        let none = pack(Err(Undefined::NothingJudged));
        let numbers = ColumnValues::Numbers(vec![3.0, none, -1.0, 0.0, none, -0.0]);
        assert_eq!(sorted(&numbers, 6, false), [2, 3, 5, 0, 1, 4]);
        assert_eq!(sorted(&numbers, 6, true), [0, 3, 5, 2, 1, 4]);
        let words = vec![Some("c10".into()), Some("C2".into()), None, Some("b".into())];
        let words = ColumnValues::Words { codes: vec![0, 1, 2, NONE, 3], words };
        assert_eq!(sorted(&words, 5, false), [4, 1, 0, 2, 3]);
        assert_eq!(sorted(&words, 5, true), [0, 1, 4, 2, 3]);
    }

    #[test]
    fn sets_are_kept_once() {
        let words = vec!["full".to_owned(), "none".to_owned()];
        let sets = Sets::from_pairs(4, vec![(2, 1), (0, 0), (2, 0), (3, 0), (0, 0)], words);
        assert_eq!(sets.codes, [0, NONE, 1, 0]);
        assert_eq!(sets.of(2).collect::<Vec<_>>(), ["full", "none"]);
        assert_eq!(sets.of(1).count(), 0);
        assert_eq!(sets.name(1), "full, none");
    }
}
