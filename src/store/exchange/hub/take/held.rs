//! The things that cannot be rows yet: the reasons, and a thing as bytes, to be tried again.

use rusqlite::ErrorCode;
use rusqlite::types::ValueRef;

use super::super::body::{Values, begun, push, push_number};
use crate::error::Error;
use crate::hub::{Audience, SentEvent, SentRecord, SentThing};
use crate::store::file::Fault;

/// The reason why a thing is not taken in.
pub(super) enum NotTaken {
    /// The thing is held for this reason.
    Held(String),
    /// The thing is held, since it is about something that the study does not have.
    Unknown(String),
    Fault(Fault),
}

pub(super) type Took<T> = std::result::Result<T, NotTaken>;

impl From<Fault> for NotTaken {
    fn from(fault: Fault) -> NotTaken {
        match fault {
            Fault::Said(error) => NotTaken::Held(error.to_string()),
            Fault::Sql(error) => error.into(),
        }
    }
}

impl From<Error> for NotTaken {
    fn from(error: Error) -> NotTaken {
        NotTaken::Held(error.to_string())
    }
}

impl From<rusqlite::Error> for NotTaken {
    fn from(error: rusqlite::Error) -> NotTaken {
        match error.sqlite_error_code() {
            // The table refuses the row: the fault is in the thing, not in the file.
            Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => unread(),
            _ => NotTaken::Fault(error.into()),
        }
    }
}

pub(super) fn held(why: impl Into<String>) -> NotTaken {
    NotTaken::Held(why.into())
}

pub(super) fn unknown(why: impl Into<String>) -> NotTaken {
    NotTaken::Unknown(why.into())
}

pub(super) fn unread() -> NotTaken {
    held("it cannot be read; a newer haymark may be able to")
}

pub(super) fn nonsense(kind: &str) -> NotTaken {
    held(format!("what it says as {kind:?} makes no sense"))
}

/// The kinds of bodies of held things.
const EVENT: u8 = b'E';
const RECORD: u8 = b'R';

/// A thing as bytes, to be tried again.
pub(super) fn packed_up(thing: &SentThing) -> Vec<u8> {
    match thing {
        SentThing::Event(event) => {
            let mut bytes = begun(EVENT);
            push_number(&mut bytes, event.writer);
            push_number(&mut bytes, event.seq);
            push(&mut bytes, event.annotator.as_str());
            push_number(&mut bytes, event.journal.into());
            push(&mut bytes, event.at.map_or(ValueRef::Null, ValueRef::Integer));
            push(&mut bytes, event.item.as_deref().map_or(ValueRef::Null, ValueRef::Blob));
            push(&mut bytes, ValueRef::Blob(&event.body));
            bytes
        }
        SentThing::Record(record) => {
            let mut bytes = begun(RECORD);
            push_number(&mut bytes, i64::from(record.audience == Audience::All));
            push(&mut bytes, record.kind.as_str());
            push(&mut bytes, ValueRef::Blob(&record.key));
            push(&mut bytes, ValueRef::Blob(&record.body));
            bytes
        }
    }
}

pub(in crate::store::exchange::hub) fn unpacked(bytes: &[u8]) -> Option<SentThing> {
    let (kind, mut values) = Values::of(bytes)?;
    Some(match kind {
        EVENT => SentThing::Event(SentEvent {
            writer: values.number()?,
            seq: values.number()?,
            annotator: values.text()?.to_owned(),
            journal: u8::try_from(values.number()?).ok()?,
            at: values.number_or_null()?,
            item: values.value()?.as_blob_or_null().ok()?.map(<[u8]>::to_vec),
            body: values.blob()?.to_vec(),
        }),
        RECORD => SentThing::Record(SentRecord {
            audience: if values.number()? == 1 { Audience::All } else { Audience::Leads },
            kind: values.text()?.to_owned(),
            key: values.blob()?.to_vec(),
            body: values.blob()?.to_vec(),
        }),
        _ => return None,
    })
}
