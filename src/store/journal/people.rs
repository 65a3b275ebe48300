//! People by name.

use rusqlite::Connection;

use super::amend;
use crate::error::Error;
use crate::store::corpus::counting::Counting;
use crate::store::corpus::writer;
use crate::store::file::fault::Tried;
use crate::store::file::sql::first;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Meta};

/// The person of this name, added when unknown.
pub(in crate::store) fn person(connection: &Connection, key: &str) -> Tried<AnnotatorId> {
    if key.is_empty() {
        return Err(Error::new("the annotator has no name").advise("give one with --as").into());
    }
    let known: Option<(AnnotatorId, AnnotatorKind)> =
        first(connection, "SELECT id, kind FROM annotator WHERE key = ?1", [key], |row| row.try_into())?;
    let counting = Counting::read(connection)?;
    let known = known.map(|(id, kind)| (counting.person(id), kind));
    match known {
        Some((id, _)) if !counting.has(id) => {
            let error = Error::new(format!("{key:?} was left out of the study"));
            Err(error.advise("`haymark people STUDY` says why; a lead takes it back").into())
        }
        Some((id, AnnotatorKind::Human)) => Ok(id),
        Some((_, AnnotatorKind::Model)) => {
            Err(Error::new(format!("{key:?} is a model, whose judgments are imported"))
                .advise("take a person's name")
                .into())
        }
        None => {
            let new = Annotator { id: key.to_owned(), kind: AnnotatorKind::Human, meta: Meta::new() };
            let id = writer::add_annotator(connection, None, &new)?;
            // What is known of the name may have come in before.
            amend::settle(connection)?;
            Ok(Counting::read(connection)?.person(id))
        }
    }
}
