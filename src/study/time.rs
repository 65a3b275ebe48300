//! Times of records, which come by the million: whole seconds are read and written by hand, the others by the library.

/// Milliseconds since 1970 as the time of a record, in RFC 3339.
pub fn time_of(at: i64) -> Option<String> {
    let mut text = String::with_capacity(20);
    if push_second(at, &mut text) {
        return Some(text);
    }
    jiff::Timestamp::from_millisecond(at).ok().map(|time| time.to_string())
}

/// The last whole second that is written by hand: the end of the year 9000.
const LAST: i64 = 221_876_927_999;

/// Adds a time in whole seconds since 1970; `false` for others.
fn push_second(at: i64, to: &mut String) -> bool {
    let second = at.div_euclid(1_000);
    if at % 1_000 != 0 || !(0..=LAST).contains(&second) {
        return false;
    }
    // The civil calendar from days, by H. Hinnant: years begin in March.
    let days = second / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let of_day = second % 86_400;
    two(to, year / 100);
    let parts =
        [('-', month), ('-', day), ('T', of_day / 3_600), (':', of_day / 60 % 60), (':', of_day % 60)];
    two(to, year % 100);
    for (mark, part) in parts {
        to.push(mark);
        two(to, part);
    }
    to.push('Z');
    true
}

/// Adds a number below 100.
fn two(to: &mut String, number: i64) {
    for digit in [number / 10, number % 10] {
        to.extend(u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 10)));
    }
}

/// Milliseconds since 1970 of a time in whole seconds, such as 2026-01-05T09:30:00Z; `None` for other forms, which may be
/// times all the same.
pub fn whole_second(text: &str) -> Option<i64> {
    let bytes: &[u8; 20] = text.as_bytes().try_into().ok()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    let digit =
        |at: usize| bytes.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| i64::from(byte - b'0'));
    let two = |at: usize| Some(digit(at)? * 10 + digit(at + 1)?);
    if marks.iter().any(|(at, mark)| bytes.get(*at) != Some(mark)) {
        return None;
    }
    let (year, month, day) = (two(0)? * 100 + two(2)?, two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    // Every month has 28 days.
    let is_plain = (1970..=9000).contains(&year) && (1..=12).contains(&month) && (1..=28).contains(&day);
    if !is_plain || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days from the civil calendar, by H. Hinnant: years begin in March.
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000)
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
            ["2026-01-29T09:30:00Z", "2026-13-05T09:30:00Z", "2026-01-05T24:30:00Z", "2026-01-05T09:30:60Z"]
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
