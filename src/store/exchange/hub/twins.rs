//! A summary that a hub hides from its members has an alias in their files. Of a file with aliases and one with the systems' own names
//! each summary would come in twice.

use rusqlite::{CachedStatement, Connection, params};

use super::names::{PREFIX, is_alias};
use crate::error::Error;
use crate::store::file::fault::Tried;
use crate::store::file::sql::one;
use crate::study::Candidate;

/// Finds the summaries that a study held, before others come in.
pub(in crate::store::exchange) struct Twins<'c> {
    last: i64,
    find: CachedStatement<'c>,
}

impl<'c> Twins<'c> {
    pub(in crate::store::exchange) fn prepare(connection: &'c Connection) -> Tried<Twins<'c>> {
        // Who wrote a summary has it under its own key in the file in which she did.
        let find = "SELECT k.key, k.summarizer FROM collection c JOIN query q ON q.collection = c.id JOIN candidate k ON k.query = q.id
             WHERE c.key = ?1 AND q.key = ?2 AND k.key BETWEEN ?3 AND ?4 AND k.id <= ?5 AND k.text = ?6 AND k.text <> ''
               AND coalesce(k.summarizer, '') NOT LIKE 'human:%' AND coalesce(?7, '') NOT LIKE 'human:%'
               AND NOT EXISTS (SELECT 1 FROM candidate s WHERE s.query = q.id AND s.key = ?8)";
        let last = one(connection, "SELECT coalesce(max(id), 0) FROM candidate", [], |row| row.get(0))?;
        Ok(Twins { last, find: connection.prepare_cached(find)? })
    }

    /// Refuses a summary that the study held under its alias, or an alias of one that it held.
    pub(in crate::store::exchange) fn refuse(&mut self, new: &Candidate) -> Tried<()> {
        if self.last == 0 {
            return Ok(());
        }
        let is_hidden = |key: &str, summarizer: &Option<String>| summarizer.is_none() && is_alias(key);
        let new_is_hidden = is_hidden(&new.id, &new.summarizer);
        let (from, to) = if new_is_hidden { ("", "\u{10ffff}") } else { (PREFIX, "system.") };
        let of = params![new.collection, new.query, from, to, self.last, new.text, new.summarizer, new.id];
        let twins = self.find.query_map(of, |row| <(String, Option<String>)>::try_from(row))?;
        let twins = twins.collect::<rusqlite::Result<Vec<_>>>()?;
        let twin = twins.iter().find(|(key, summarizer)| is_hidden(key, summarizer) != new_is_hidden);
        let Some((key, _)) = twin else { return Ok(()) };
        let (alias, own) = if new_is_hidden { (&new.id, key) } else { (key, &new.id) };
        let what = format!(
            "systems have aliases in a file of a member of the hub: {alias:?} of query {:?} is {own:?}",
            new.query
        );
        let advice = "what she did comes by `haymark sync` with her file; `haymark hub invite NAME --hub STUDY` lets her in again, and from a file \
             without its hub she brings it by `haymark merge` into the one that she joins; all other files go to a lead";
        Err(Error::new(what).advise(advice).into())
    }
}
