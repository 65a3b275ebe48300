//! Conversions of numbers that fit by a limit of the program, or for which the largest value is as good as more; and counted
//! words for sentences.

use std::time::Duration;

/// Stands for no place: no list is as long.
pub const NO_PLACE: u32 = u32::MAX;

/// Converts a place in a list or its length. Lists in memory are shorter than 2³²; a longer one would count as that long.
pub fn short(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

/// Converts a count of columns or rows. More than the largest screen could have is as good as its edge.
pub fn extent(count: usize) -> u16 {
    count.try_into().unwrap_or(u16::MAX)
}

/// Converts a number that is not negative to one with a sign. None is as large as 2⁶³: files, memory and times are not.
pub fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// As [`signed`], to 32 bits: a limit of more is no other limit.
pub fn signed_short(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// Converts a count, which is not negative and no more than memory has bytes.
pub fn counted(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(0)
}

/// A time in milliseconds.
pub fn millis(time: Duration) -> i64 {
    signed(time.as_millis())
}

/// The number with `decimals` digits behind the point; a zero has no sign.
pub fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_zero = text.chars().all(|character| matches!(character, '-' | '0' | '.'));
    if is_zero { text.replace('-', "") } else { text }
}

/// A count with its noun: `1 file`, `3 files`, `2 queries`.
pub fn number_of(count: usize, thing: &str) -> String {
    match (count, thing.strip_suffix('y')) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {thing}s"),
    }
}

/// Names of a list that a sentence gives one by one, at most.
pub const NAMED: usize = 5;

/// The first names of a list, and how many more there are.
#[must_use]
pub fn first_few(names: &[String]) -> String {
    first_of(names, NAMED)
}

/// This many names of a list, and how many more there are.
#[must_use]
pub fn first_of(names: &[String], most: usize) -> String {
    let (named, more) = names.split_at(names.len().min(most));
    match more.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
