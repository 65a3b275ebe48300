//! The packed form in which one value of a row holds several events.
//!
//! A byte for the form, then for each event: the gap between its number and that of the event before (0 for the first),
//! and its contents: the number of a phrase, or 0, then kind and body, each behind its length. Numbers have seven bits a
//! byte, the lowest first, and the highest bit for "more follows". A form that a program does not know is not read.

use crate::number::signed;

/// The form that this program writes.
const FORM: u8 = 1;

/// One packed event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackedPart<'t> {
    /// The distance from the number of the event before.
    pub(crate) gap: i64,
    pub(crate) said: PackedSaid<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackedSaid<'t> {
    /// The number of a phrase.
    Phrase(i64),
    /// Kind and body in full.
    Text { kind: &'t str, body: &'t str },
}

/// The packed form of no events.
pub(crate) fn empty() -> Vec<u8> {
    vec![FORM]
}

pub(crate) fn push(to: &mut Vec<u8>, part: &PackedPart<'_>) {
    number(to, part.gap);
    match part.said {
        PackedSaid::Phrase(phrase) => number(to, phrase),
        PackedSaid::Text { kind, body } => {
            number(to, 0);
            for text in [kind, body] {
                number(to, signed(text.len()));
                to.extend_from_slice(text.as_bytes());
            }
        }
    }
}

pub(crate) fn number(to: &mut Vec<u8>, number: i64) {
    let mut rest = number.cast_unsigned();
    while rest >= 0x80 {
        to.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// The events, one by one. `None` in the place of the first that cannot be read, and then no more.
pub(crate) fn parts(packed: &[u8]) -> impl Iterator<Item = Option<PackedPart<'_>>> {
    let mut rest = packed.split_first().map(|(form, rest)| if *form == FORM { Ok(rest) } else { Err(()) });
    std::iter::from_fn(move || match rest.take() {
        None | Some(Ok([])) => None,
        Some(Err(())) => Some(None),
        Some(Ok(mut bytes)) => {
            let part = part(&mut bytes);
            if part.is_some() {
                rest = Some(Ok(bytes));
            }
            Some(part)
        }
    })
}

/// Whether there is an event, and all of them can be read.
pub(crate) fn is_whole(packed: &[u8]) -> bool {
    packed.len() > 1 && parts(packed).all(|part| part.is_some())
}

fn part<'t>(bytes: &mut &'t [u8]) -> Option<PackedPart<'t>> {
    let gap = take_number(bytes)?;
    let said = match take_number(bytes)? {
        0 => PackedSaid::Text { kind: take_text(bytes)?, body: take_text(bytes)? },
        phrase => PackedSaid::Phrase(phrase),
    };
    Some(PackedPart { gap, said })
}

fn take_text<'t>(bytes: &mut &'t [u8]) -> Option<&'t str> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    str::from_utf8(text).ok()
}

/// Reads a number, which is never negative.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut found: u64 = 0;
    for place in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        found |= u64::from(byte & 0x7f) << (7 * place);
        if *byte < 0x80 {
            return i64::try_from(found).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(said: &[PackedPart<'_>]) -> Vec<u8> {
        let mut packed = empty();
        said.iter().for_each(|part| push(&mut packed, part));
        packed
    }

    #[test]
    fn what_is_packed_is_read_back() {
        let said = [
            PackedPart { gap: 0, said: PackedSaid::Phrase(1) },
            PackedPart { gap: 1, said: PackedSaid::Phrase(300) },
            PackedPart { gap: 200, said: PackedSaid::Text { kind: "comment", body: "\"第三条\"" } },
            PackedPart { gap: 0, said: PackedSaid::Phrase(i64::MAX) },
        ];
        let bytes = packed(&said);
        assert!(is_whole(&bytes));
        assert_eq!(parts(&bytes).collect::<Option<Vec<_>>>().expect("whole"), said);
        // By hand: the form, then gap and number; 300 = 2 · 128 + 44.
        assert_eq!(packed(&said[..2]), [1, 0, 1, 1, 0xac, 0x02]);
    }

    #[test]
    fn what_is_cut_or_of_another_form_is_not_read() {
        let bytes = packed(&[
            PackedPart { gap: 0, said: PackedSaid::Phrase(7) },
            PackedPart { gap: 1, said: PackedSaid::Text { kind: "comment", body: "\"so\"" } },
        ]);
        for length in [0, 1, 2, 4, 5, bytes.len() - 1] {
            assert!(!is_whole(&bytes[..length]), "{length}");
        }
        assert!(is_whole(&bytes[..3]));
        assert_eq!(parts(&[2, 0, 7]).collect::<Vec<_>>(), [None], "a newer form");
        assert_eq!(parts(&[1, 0, 0, 1, 0xff, 0]).collect::<Vec<_>>(), [None], "no UTF-8");
        assert_eq!(parts(&[1, 0xff]).collect::<Vec<_>>(), [None]);
    }
}
