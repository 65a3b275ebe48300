//! The study file that one annotator takes home: an empty study with the corpus and this annotator's rows merged into it.
//! The way back is a merge.

use std::path::Path;

use rusqlite::Connection;

use super::merge::{MergeMode, MergeReport, merge_one};
use crate::error::{Error, Result};
use crate::store::corpus::{Counting, protocols};
use crate::store::file::{StudyFile, Tried, all, first, named};
use crate::store::work::assignments;
use crate::study::{AnnotatorId, AnnotatorKind};

/// Numbers of items by protocol.
type CountByProtocol = Vec<(String, usize)>;

/// The result of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitReport {
    /// Records by kind.
    pub counts: Vec<(String, usize)>,
    /// Items that are assigned to the annotator, by each protocol of which anybody has assigned items.
    pub assigned: CountByProtocol,
    /// Whether the study knew the annotator before.
    pub is_known: bool,
}

impl StudyFile {
    /// Writes a study for one annotator: the whole corpus, all protocols, and of the journal only the events and assignments of
    /// this annotator.
    ///
    /// # Errors
    /// The file exists, the annotator is a model or unknown to a study that assigns, or a file fails. Nothing is left then.
    pub fn split(&self, annotator: &str, to: &Path) -> Result<SplitReport> {
        let (id, assigned) = self.read(|connection| of_annotator(connection, annotator))?;
        let report = StudyFile::create_with(to, |study| self.fill_part(id, study))?;
        let counts = report.counts.into_iter().map(|(kind, count)| (kind, count.new)).collect();
        Ok(SplitReport { counts, assigned, is_known: id.is_some() })
    }

    fn fill_part(&self, annotator: Option<AnnotatorId>, part: &mut StudyFile) -> Result<MergeReport> {
        let path = part.path().to_path_buf();
        // No row has the number 0: an annotator without a row takes nobody's events along.
        let only = annotator.unwrap_or(AnnotatorId(0));
        let names = named(&self.path, Counting::read(&self.connection))?.names(only);
        part.in_bulk(true, |transaction| merge_one(transaction, &path, self, Some(names), MergeMode::Write))
    }
}

/// The row of the annotator, if there is one, and how many items are assigned to it.
fn of_annotator(connection: &Connection, key: &str) -> Tried<(Option<AnnotatorId>, CountByProtocol)> {
    if key.is_empty() {
        return Err(Error::new("the annotator has no name").advise("give one with --for").into());
    }
    let known: Option<(i64, AnnotatorKind)> =
        first(connection, "SELECT id, kind FROM annotator WHERE key = ?1", [key])?;
    if known.is_some_and(|(_, kind)| kind == AnnotatorKind::Model) {
        let advice = "name a person with --for; `haymark export --what judge-requests` writes what a model is to judge";
        return Err(Error::new(format!("{key:?} is a model")).advise(advice).into());
    }
    let names: Vec<String> = all(
        connection,
        "SELECT key FROM annotator WHERE id IN (SELECT annotator FROM assignment_event) ORDER BY key",
        [],
    )?;
    let Some((id, _)) = known else {
        if names.is_empty() {
            return Ok((None, Vec::new()));
        }
        return Err(Error::new(format!("nothing is assigned to {key:?}, whom the study does not know"))
            .advise(format!("items are assigned to {}", names.join(", ")))
            .into());
    };
    let id = AnnotatorId(id);
    Ok((Some(id), assigned(connection, id)?))
}

/// How many items stand assigned to an annotator, by protocol.
fn assigned(connection: &Connection, annotator: AnnotatorId) -> Tried<CountByProtocol> {
    let mut found = Vec::new();
    for (id, name) in protocols::names(connection)? {
        let standing = assignments::current(connection, id)?;
        if !standing.is_empty() {
            found.push((name, standing.iter().filter(|one| one.annotator == annotator).count()));
        }
    }
    Ok(found)
}
