//! Numbers as other types have them, where they fit by a limit of the program or where the largest is as good as more; and numbers of
//! things as sentences have them.

use std::time::Duration;

/// The place of what has none: no list is as long.
pub const NO_PLACE: u32 = u32::MAX;

/// A place in a list or its length. What is in memory is fewer than 2³²; more would be counted as that many.
pub fn short(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

/// A count of columns or rows. More than the largest screen could have is as good as its edge.
pub fn extent(count: usize) -> u16 {
    count.try_into().unwrap_or(u16::MAX)
}

/// A number that is not negative, with a sign. None is as large as 2⁶³: files, memory and times are not.
pub fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// As [`signed`], for what takes 32 bits only: a limit of more is no other limit.
pub fn signed_short(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// What was counted, or is in memory, and is therefore not negative and no more than memory has bytes.
pub fn counted(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(0)
}

/// In milliseconds.
pub fn millis(time: Duration) -> i64 {
    signed(time.as_millis())
}

/// `1 file`, `3 files`, `2 queries`.
pub fn number_of(count: usize, thing: &str) -> String {
    match (count, thing.strip_suffix('y')) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {thing}s"),
    }
}

/// What a list names one by one, at most.
pub const NAMED: usize = 5;

/// The first names of a list, and how many more there are.
#[must_use]
pub fn first_few(names: &[String]) -> String {
    let (named, more) = names.split_at(names.len().min(NAMED));
    match more.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
