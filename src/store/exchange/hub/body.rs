//! The bytes of rows on a hub: a byte for the form, one for the kind, then values, each behind its type. The
//! same row gives the same bytes in every file. The hub reads only the beginning of an act's bytes.

use rusqlite::types::ValueRef;

use crate::number::signed;
use crate::store::journal::packed::{number, take_number};
use crate::text::hash::Fingerprint;

/// The form that this program writes.
const FORM: u8 = 1;

/// The types of values; a negative whole number is written as its distance below -1.
const NULL: u8 = 0;
const NUMBER: u8 = 1;
const BELOW: u8 = 2;
const REAL: u8 = 3;
const TEXT: u8 = 4;
const BYTES: u8 = 5;

/// A body of this kind, without values.
pub(crate) fn begun(kind: u8) -> Vec<u8> {
    vec![FORM, kind]
}

pub(crate) fn push<'v>(to: &mut Vec<u8>, value: impl Into<ValueRef<'v>>) {
    let mut bytes = |kind: u8, bytes: &[u8]| {
        to.push(kind);
        number(to, signed(bytes.len()));
        to.extend_from_slice(bytes);
    };
    match value.into() {
        ValueRef::Null => to.push(NULL),
        ValueRef::Integer(value) => {
            to.push(if value < 0 { BELOW } else { NUMBER });
            number(to, if value < 0 { !value } else { value });
        }
        ValueRef::Real(value) => {
            to.push(REAL);
            to.extend_from_slice(&value.to_le_bytes());
        }
        ValueRef::Text(text) => bytes(TEXT, text),
        ValueRef::Blob(blob) => bytes(BYTES, blob),
    }
}

pub(crate) fn push_number(to: &mut Vec<u8>, number: i64) {
    push(to, ValueRef::Integer(number));
}

/// The values of a body, one after the other; each is `None` where the bytes hold no value of that type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'b>(&'b [u8]);

impl<'b> Values<'b> {
    /// The kind of a body, and its values; `None` for a form that this program does not know.
    pub(super) fn of(body: &'b [u8]) -> Option<(u8, Values<'b>)> {
        match body {
            [FORM, kind, rest @ ..] => Some((*kind, Values(rest))),
            _ => None,
        }
    }

    /// The values of bytes from [`Values::stretch`].
    pub(super) fn bare(stretch: &'b [u8]) -> Values<'b> {
        Values(stretch)
    }

    /// The bytes that are not read yet.
    pub(super) fn rest(self) -> &'b [u8] {
        self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn value(&mut self) -> Option<ValueRef<'b>> {
        let (kind, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(match *kind {
            NULL => ValueRef::Null,
            NUMBER => ValueRef::Integer(take_number(&mut self.0)?),
            BELOW => ValueRef::Integer(!take_number(&mut self.0)?),
            REAL => {
                let (bytes, rest) = self.0.split_first_chunk()?;
                self.0 = rest;
                ValueRef::Real(f64::from_le_bytes(*bytes))
            }
            TEXT => ValueRef::Text(self.bytes().filter(|text| str::from_utf8(text).is_ok())?),
            BYTES => ValueRef::Blob(self.bytes()?),
            _ => return None,
        })
    }

    /// The bytes of the next `count` values, which are passed over.
    pub(super) fn stretch(&mut self, count: usize) -> Option<&'b [u8]> {
        let before = self.0;
        for _ in 0..count {
            self.value()?;
        }
        before.get(..before.len() - self.0.len())
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        self.value()?.as_str().ok()
    }

    pub(super) fn text_or_null(&mut self) -> Option<Option<&'b str>> {
        self.value()?.as_str_or_null().ok()
    }

    /// The next value where it is a text; a value of another type stays unread.
    pub(super) fn text_ahead(&mut self) -> Option<&'b str> {
        let before = self.0;
        let text = self.text();
        if text.is_none() {
            self.0 = before;
        }
        text
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        self.value()?.as_i64().ok()
    }

    pub(super) fn number_or_null(&mut self) -> Option<Option<i64>> {
        self.value()?.as_i64_or_null().ok()
    }

    pub(super) fn fingerprint(&mut self) -> Option<Fingerprint> {
        self.value()?.as_blob().ok()?.try_into().ok().map(Fingerprint)
    }

    pub(super) fn blob(&mut self) -> Option<&'b [u8]> {
        self.value()?.as_blob().ok()
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(take_number(&mut self.0)?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::types::Value;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            prop::num::f64::NORMAL.prop_map(Value::Real),
            any::<String>().prop_map(Value::Text),
            any::<Vec<u8>>().prop_map(Value::Blob),
        ]
    }

    proptest! {
        #[test]
        fn values_come_out_as_they_went_in(values in prop::collection::vec(value(), 0..8)) {
            let mut body = begun(b'e');
            for value in &values {
                push(&mut body, value);
            }
            let (kind, mut read) = Values::of(&body).expect("a form that is known");
            prop_assert_eq!(kind, b'e');
            for value in &values {
                prop_assert_eq!(read.value().map(Value::try_from).expect("one more").expect("text"), value.clone());
            }
            prop_assert!(read.is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            let mut body = begun(b'e');
            body.extend(bytes);
            let (_, mut read) = Values::of(&body).expect("a form that is known");
            while read.value().is_some() {}
        }
    }
}
