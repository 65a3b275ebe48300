//! Conversions to smaller types of numbers: a number that is too large becomes the largest.

/// A place in a list or its length. A table has fewer than 2³² items; more would be counted as that many.
pub(crate) fn short(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

/// A degree or an exponent, with a sign.
pub(crate) fn signed_short(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}
