//! A summary that a hub hides from its members has an alias in their files. Of a file with aliases and one with the systems' own names,
//! or with the aliases of another hub, each summary would come in twice.

use rusqlite::{CachedStatement, Connection, params};

use super::names::{PREFIX, is_alias};
use crate::error::Error;
use crate::store::file::{Tried, exists, one};
use crate::study::Candidate;

/// Finds the summaries that a study held, before others come in.
pub(crate) struct Twins<'c> {
    last: i64,
    find: CachedStatement<'c>,
    /// The file from which others come, where it is a study.
    other: Option<&'c Connection>,
}

impl<'c> Twins<'c> {
    pub(crate) fn prepare(connection: &'c Connection, other: Option<&'c Connection>) -> Tried<Twins<'c>> {
        // Who wrote a summary has it under its own key in the file in which she did.
        let find = "SELECT k.key, k.summarizer FROM collection c JOIN query q ON q.collection = c.id JOIN candidate k ON k.query = q.id
             WHERE c.key = ?1 AND q.key = ?2 AND k.key BETWEEN ?3 AND ?4 AND k.id <= ?5 AND k.text = ?6 AND k.text <> ''
               AND coalesce(k.summarizer, '') NOT LIKE 'human:%' AND coalesce(?7, '') NOT LIKE 'human:%'
               AND NOT EXISTS (SELECT 1 FROM candidate s WHERE s.query = q.id AND s.key = ?8)";
        let last = one(connection, "SELECT coalesce(max(id), 0) FROM candidate", [])?;
        Ok(Twins { last, find: connection.prepare_cached(find)?, other })
    }

    /// Refuses a summary that the study held under its alias, or an alias of one that it held under its name or another alias.
    pub(crate) fn refuse(&mut self, new: &Candidate) -> Tried<()> {
        if self.last == 0 {
            return Ok(());
        }
        let is_hidden = |key: &str, summarizer: &Option<String>| summarizer.is_none() && is_alias(key);
        let new_is_hidden = is_hidden(&new.id, &new.summarizer);
        let (from, to) = if new_is_hidden { ("", "\u{10ffff}") } else { (PREFIX, "system.") };
        let of = params![new.collection, new.query, from, to, self.last, new.text, new.summarizer, new.id];
        let twins = self.find.query_map(of, |row| <(String, Option<String>)>::try_from(row))?;
        for (key, summarizer) in twins.collect::<rusqlite::Result<Vec<_>>>()? {
            match (new_is_hidden, is_hidden(&key, &summarizer)) {
                (false, false) => {}
                (true, true) if self.is_there(new, &key)? => {}
                (true, true) => return Err(of_another_hub(new, &key).into()),
                (true, false) => return Err(beside_names(&new.id, &key, &new.query).into()),
                (false, true) => return Err(beside_names(&key, &new.id, &new.query).into()),
            }
        }
        Ok(())
    }

    /// Whether the other file has an alias of this study too, so that two systems wrote the same. Of records it is not known.
    fn is_there(&self, new: &Candidate, alias: &str) -> Tried<bool> {
        let Some(other) = self.other else { return Ok(true) };
        let select = "SELECT 1 FROM collection c JOIN query q ON q.collection = c.id JOIN candidate k ON k.query = q.id
             WHERE c.key = ?1 AND q.key = ?2 AND k.key = ?3";
        exists(other, select, [&new.collection, &new.query, alias])
    }
}

fn beside_names(alias: &str, own: &str, query: &str) -> Error {
    let what = format!(
        "systems have aliases in a file of a member of the hub: {alias:?} of query {query:?} is {own:?}"
    );
    Error::new(what).advise(
        "what she did comes by `haymark sync` with her file, to which `haymark hub invite NAME --hub STUDY` lets her in again, or by \
         `haymark merge STUDY FILE` into the study with which the hub was made; all other files go to a lead",
    )
}

fn of_another_hub(new: &Candidate, here: &str) -> Error {
    let what = format!(
        "systems have the aliases of another hub in this file: {:?} of query {:?} is {here:?} in the study",
        new.id, new.query
    );
    Error::new(what).advise(
        "a lead brings in what was done there: `haymark merge STUDY FILE`, into a study that was on that hub",
    )
}
