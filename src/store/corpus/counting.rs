//! Which rows count: annotators left out or joined to another name, and withdrawn records.

use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;

use crate::journal::Writer;
use crate::store::file::{Tried, all};
use crate::study::AnnotatorId;

/// An SQL condition: the row of the kind `what` that `column` names counts.
pub(crate) fn counts(what: &str, column: &str) -> String {
    format!("{column} NOT IN (SELECT id FROM withdrawn WHERE what = '{what}')")
}

/// The annotators and writers that do not count, and the people behind names, in memory for folding the journal.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    annotators: HashSet<AnnotatorId>,
    writers: HashSet<Writer>,
    people: BTreeMap<AnnotatorId, AnnotatorId>,
}

impl Counting {
    pub(crate) fn read(connection: &Connection) -> Tried<Counting> {
        let out = "SELECT id FROM withdrawn WHERE what = ?1";
        Ok(Counting {
            annotators: all(connection, out, ["annotator"])?,
            writers: all(connection, out, ["writer"])?,
            people: all(connection, "SELECT annotator, person FROM joined", [])?,
        })
    }

    /// Whether the annotator's events count.
    pub(crate) fn has(&self, annotator: AnnotatorId) -> bool {
        !self.annotators.contains(&annotator)
    }

    /// Whether the writer's events count.
    pub(crate) fn has_writer(&self, writer: Writer) -> bool {
        !self.writers.contains(&writer)
    }

    /// The person behind a name.
    pub(crate) fn person(&self, annotator: AnnotatorId) -> AnnotatorId {
        self.people.get(&annotator).copied().unwrap_or(annotator)
    }

    /// All names of the person behind a name.
    pub(crate) fn names(&self, annotator: AnnotatorId) -> Vec<AnnotatorId> {
        let person = self.person(annotator);
        let joined = self.people.iter().filter(|(_, of)| **of == person).map(|(joined, _)| *joined);
        std::iter::once(person).chain(joined).collect()
    }

    /// Whether a person has other names, or a name is another person's.
    pub(crate) fn is_joined(&self, annotator: AnnotatorId) -> bool {
        !self.people.is_empty()
            && (self.people.contains_key(&annotator)
                || self.people.values().any(|person| *person == annotator))
    }

    /// The people who have other names.
    pub(crate) fn joined_people(&self) -> Vec<AnnotatorId> {
        let mut people: Vec<AnnotatorId> = self.people.values().copied().collect();
        people.sort_unstable();
        people.dedup();
        people
    }
}
