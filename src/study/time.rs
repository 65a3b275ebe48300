//! Times of records, which come by the million: whole seconds are read and written by hand, the others by the library.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Milliseconds since 1970 as the time of a record, in RFC 3339.
pub fn time_of(at: i64) -> Option<String> {
    let mut text = String::with_capacity(20);
    if push_second(at, &mut text) {
        return Some(text);
    }
    Timestamp::from_millisecond(at).ok().map(|time| time.to_string())
}

/// The last whole second that is written by hand: the end of the year 9000.
const LAST: i64 = 221_876_927_999;

/// Adds a time in whole seconds since 1970; `false` for others.
fn push_second(at: i64, to: &mut String) -> bool {
    let second = at.div_euclid(1_000);
    if at % 1_000 != 0 || !(0..=LAST).contains(&second) {
        return false;
    }
    let Ok(time) = Timestamp::from_second(second) else { return false };
    let time = Offset::UTC.to_datetime(time);
    two(to, time.year() / 100);
    two(to, time.year() % 100);
    let parts = [
        ('-', time.month()),
        ('-', time.day()),
        ('T', time.hour()),
        (':', time.minute()),
        (':', time.second()),
    ];
    for (mark, part) in parts {
        to.push(mark);
        two(to, part.into());
    }
    to.push('Z');
    true
}

/// Adds a number below 100.
fn two(to: &mut String, number: i16) {
    for digit in [number / 10, number % 10] {
        to.extend(u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 10)));
    }
}

/// Milliseconds since 1970 of a time in whole seconds, such as 2026-01-05T09:30:00Z; `None` for other forms, which may be
/// times all the same.
pub fn whole_second(text: &str) -> Option<i64> {
    let bytes: &[u8; 20] = text.as_bytes().try_into().ok()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if marks.iter().any(|(at, mark)| bytes.get(*at) != Some(mark)) {
        return None;
    }
    let two = |at: usize| match bytes.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => i8::try_from((tens - b'0') * 10 + ones - b'0').ok(),
        _ => None,
    };
    let year = i16::from(two(0)?) * 100 + i16::from(two(2)?);
    let time = DateTime::new(year, two(5)?, two(8)?, two(11)?, two(14)?, two(17)?, 0).ok()?;
    Offset::UTC.to_timestamp(time).ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(text: &str) -> i64 {
        text.parse::<jiff::Timestamp>().expect("a time").as_millisecond()
    }

    #[test]
    fn times_are_those_of_the_library() {
        for year in [1970, 1971, 1972, 1999, 2000, 2004, 2026, 2100, 2400, 9000] {
            for month in 1..=12 {
                for day in [1, 2, 15, 27, 28] {
                    let text = format!("{year}-{month:02}-{day:02}T23:05:{month:02}Z");
                    assert_eq!(whole_second(&text), Some(library(&text)), "{text}");
                    assert_eq!(time_of(library(&text)), Some(text));
                }
            }
        }
        for other in
            ["2026-02-29T09:30:00Z", "2026-13-05T09:30:00Z", "2026-01-05T24:30:00Z", "2026-01-05T09:30:60Z"]
        {
            assert_eq!(whole_second(other), None, "{other}");
        }
        for other in
            ["2026-01-05 09:30:00Z", "2026-01-05T09:30:00+", "2026-1-005T09:30:00Z", "２026-01-05T09:30Z"]
        {
            assert_eq!(whole_second(other), None, "{other}");
        }
    }

    #[test]
    fn days_are_written_one_after_the_other() {
        let mut at = library("1970-01-01T00:00:00Z");
        assert_eq!(time_of(-1).as_deref(), Some("1969-12-31T23:59:59.999Z"));
        assert_eq!(time_of(125).as_deref(), Some("1970-01-01T00:00:00.125Z"));
        assert_eq!(time_of(LAST * 1_000).as_deref(), Some("9000-12-31T23:59:59Z"));
        for _ in 0..200_000 {
            let written = time_of(at).expect("a time");
            assert_eq!(library(&written), at, "{written}");
            at += 86_400_000 + 1_000;
        }
    }
}
