//! People by name.

use rusqlite::Connection;

use super::amend;
use crate::error::{Error, Result};
use crate::store::corpus::{Counting, writer};
use crate::store::file::{StudyFile, Tried, all, exists, first, one};
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Meta};
use crate::text::person::refuse_name;
use crate::text::shell::quoted;

impl StudyFile {
    /// The key of the person behind a name; a name that the study does not know stands for itself.
    pub fn person_behind(&self, name: &str) -> Result<String> {
        let select = format!("SELECT key FROM annotator WHERE id = {}", person_of("?1"));
        self.read(|connection| {
            let key = first(connection, &select, [name])?;
            Ok(key.unwrap_or_else(|| name.to_owned()))
        })
    }

    /// The people who were left out of the study, by name. A name that was joined to another is not left out.
    pub fn people_left_out(&self) -> Result<Vec<String>> {
        let select = format!("SELECT key FROM annotator WHERE {LEFT_OUT} ORDER BY key");
        self.read(|connection| all(connection, &select, []))
    }

    /// Refuses the name of somebody who does not work in this file: a new person's that is not allowed, and in the file of a hub's
    /// annotator or observer that of anybody else, whose work would get no further.
    ///
    /// # Errors
    /// As [`refuse_name`], or the file is somebody else's.
    pub fn refuse_stranger(&self, name: &str) -> Result<()> {
        self.refuse_observer()?;
        if let Some(member) = self.annotator_on_hub()?
            && self.person_behind(name)? != self.person_behind(&member)?
        {
            let what = format!("the file is {member:?}'s, and the hub takes nothing of {name:?} from it");
            return Err(Error::new(what).in_file(&self.path).advise(format!(
                "--as {} goes on in it; who else works has a file of her own (`haymark hub join`)",
                quoted(&member)
            )));
        }
        self.read(|connection| match exists(connection, "SELECT 1 FROM annotator WHERE key = ?1", [name])? {
            true => Ok(()),
            false => Ok(refuse_name(name)?),
        })
    }
}

/// An SQL expression: the row of the person behind the name that this expression gives; NULL where the study does not know it.
pub(crate) fn person_of(name: &str) -> String {
    format!(
        "(SELECT coalesce(j.person, a.id) FROM annotator a LEFT JOIN joined j ON j.annotator = a.id WHERE a.key = {name})"
    )
}

/// An SQL list: the rows of all names of the person whose row is `?1`.
pub(crate) const HER_NAMES: &str = "(SELECT ?1 UNION ALL SELECT annotator FROM joined WHERE person = ?1)";

/// An SQL condition on a row of `annotator`: the person was left out.
pub(crate) const LEFT_OUT: &str =
    "kind = 'human' AND id IN (SELECT id FROM withdrawn WHERE what = 'annotator')
     AND id NOT IN (SELECT annotator FROM joined)";

/// The name under which a person's work goes into the journal: in the file of a hub's annotator the one that the hub knows, whatever
/// she is called there since; it takes nothing under another.
pub(crate) fn written_as(connection: &Connection, person: AnnotatorId) -> Tried<AnnotatorId> {
    let select = format!(
        "SELECT a.id FROM hub h JOIN annotator a ON a.key = h.member WHERE h.kind = 'annotator' AND ?1 = {}",
        person_of("h.member")
    );
    Ok(first(connection, &select, [person])?.unwrap_or(person))
}

/// The key of an annotator.
pub(crate) fn key_of(connection: &Connection, annotator: AnnotatorId) -> Tried<String> {
    one(connection, "SELECT key FROM annotator WHERE id = ?1", [annotator])
}

/// The person behind this name, added where it is unknown.
pub(crate) fn person(connection: &Connection, key: &str) -> Tried<AnnotatorId> {
    let known: Option<(AnnotatorId, AnnotatorKind)> =
        first(connection, "SELECT id, kind FROM annotator WHERE key = ?1", [key])?;
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
            refuse_name(key)?;
            let new = Annotator { id: key.to_owned(), kind: AnnotatorKind::Human, meta: Meta::new() };
            let id = writer::add_annotator(connection, None, &new)?;
            // Amendments about the name may have come in before.
            amend::settle(connection)?;
            Ok(Counting::read(connection)?.person(id))
        }
    }
}
