//! The names of people in what a command prints: those of the study in a terminal and for programs; A1, A2 … where it is
//! handed on.

use super::privacy::Privacy;
use super::table::{OutputFormat, TableForm};
use crate::error::Result;
use crate::protocol::ScoreSheet;
use crate::report::Table;
use crate::store::StudyFile;

/// Whether tables of a form are for others to read: then people are A1, A2 … in them, unless their names are asked for.
pub fn is_handed_on(form: &TableForm, with_names: bool) -> bool {
    !with_names && matches!(form.format, OutputFormat::Markdown | OutputFormat::Latex | OutputFormat::Html)
}

/// The names by which a command tells of people.
pub struct NamesTold(Option<Privacy>);

impl NamesTold {
    /// Makes the study tell of people as A1, A2 … from here on, where it is handed on.
    pub fn of(study: &StudyFile, is_handed_on: bool) -> Result<NamesTold> {
        if !is_handed_on {
            return Ok(NamesTold(None));
        }
        let privacy = Privacy::told(study, false)?;
        study.tell_as(privacy.names())?;
        Ok(NamesTold(Some(privacy)))
    }

    /// The names for tables of a command that writes the study too, which goes on under the names of the study. Of the people in
    /// the tables some may be new.
    pub fn beside<'p>(
        study: &StudyFile,
        is_handed_on: bool,
        people: impl IntoIterator<Item = &'p str>,
    ) -> Result<NamesTold> {
        let told = || Ok(Privacy::told(study, false)?.with_newcomers(people));
        is_handed_on.then(told).transpose().map(NamesTold)
    }

    /// Renames the annotators that are asked for, as the study tells of them now.
    pub fn annotators(&self, asked: &mut [String]) {
        let Some(privacy) = &self.0 else { return };
        for name in asked {
            if let Some(told) = privacy.known(name) {
                *name = told.to_owned();
            }
        }
    }

    /// Renames people in a filter, as the study tells of them now.
    pub fn filter(&self, asked: &mut Option<String>) {
        if let (Some(privacy), Some(filter)) = (&self.0, asked) {
            *filter = privacy.in_filter(filter);
        }
    }

    /// Renames people in scores, as the study tells of them now.
    pub fn scores(&self, asked: &mut ScoreSheet) {
        if let Some(privacy) = &self.0 {
            *asked = asked.worded(|filter| privacy.in_filter(filter));
        }
    }

    /// Renames people in a table that was made before the study told of them otherwise.
    pub fn table(&self, table: Table) -> Table {
        match &self.0 {
            Some(privacy) => privacy.in_table(table),
            None => table,
        }
    }
}
