//! Sessions: who wrote what, for how long, and how it ended.

use std::collections::BTreeSet;

use super::{Column, Table, fitting};
use crate::browse::BrowseTable;
use crate::error::{Error, Result};
use crate::journal::session::{HowRead, Session, minutes};
use crate::report::filtered::tables;
use crate::report::in_utc;
use crate::store::{StoredSession, StudyFile, told_of_forks};
use crate::text::bullets::{bullets, words_told};

/// A session, with the state that its events lead to.
type SessionRow = (StoredSession, Session);

/// The sessions of a study, on the queries that a filter lets through.
pub fn table(study: &StudyFile, filter: Option<&str>) -> Result<Table> {
    let chosen = filter.map(|filter| queries(study, filter)).transpose()?;
    let mut rows: Vec<SessionRow> = Vec::new();
    for head in study.sessions()? {
        let of = (head.collection.clone(), head.query_key.clone());
        if chosen.as_ref().is_some_and(|chosen| !chosen.contains(&of)) {
            continue;
        }
        let stored = study.session(head.id)?;
        let session = stored.session();
        rows.push((stored, session));
    }
    if rows.is_empty() {
        let error = Error::new("nobody has begun a session").in_file(study.path());
        return Err(error.advise("`haymark session STUDY --as NAME` begins one"));
    }
    let collections: BTreeSet<&str> =
        rows.iter().map(|(stored, _)| stored.head.collection.as_str()).collect();
    let has_drafts = rows.iter().any(|(stored, _)| stored.head.setup.draft.is_some());
    let mut table = Table::of("Sessions", columns(collections.len() > 1, has_drafts), &rows)
        .note("minutes are active ones: pauses do not count.");
    let forks = told_of_forks(rows.iter().map(|(stored, session)| (&stored.head, session)));
    table.notes.extend(forks.map(|told| format!("{told}.")));
    Ok(table)
}

/// The keys of the queries that a filter lets through, each with its collection's.
fn queries(study: &StudyFile, filter: &str) -> Result<BTreeSet<(String, String)>> {
    let tables = tables(study)?;
    let rows = fitting(study, &tables, BrowseTable::Queries, filter)?.into_iter();
    let query = |row: u32| tables.corpus().queries.get(row as usize);
    Ok(rows.filter_map(query).map(|(_, query)| (query.collection.clone(), query.id.clone())).collect())
}

fn columns(has_collections: bool, has_drafts: bool) -> [Column<'static, SessionRow>; 24] {
    let reached = |least: HowRead| {
        move |(stored, session): &SessionRow| {
            let order = stored.head.setup.order.iter();
            order.filter(|number| session.reading(**number) >= least).count()
        }
    };
    let began = |(_, session): &SessionRow| in_utc(session.wall?.0, "%Y-%m-%d %H:%M");
    let had_judged = |(_, session): &SessionRow| if session.has_judged { "yes" } else { "no" };
    [
        Column::new("session", "session", |(stored, _): &SessionRow| {
            stored.head.key.to_string().chars().take(8).collect::<String>()
        }),
        Column::new("annotator", "who", |(stored, _): &SessionRow| stored.head.annotator.clone()),
        Column::new("collection", "collection", |(stored, _): &SessionRow| stored.head.collection.clone())
            .shown_if(has_collections),
        Column::new("query", "query", |(stored, _): &SessionRow| stored.head.query_key.clone()),
        Column::new("draft", "draft", |(stored, _): &SessionRow| {
            stored.head.setup.draft.as_ref().map(|draft| draft.system.clone())
        })
        .shown_if(has_drafts),
        Column::new("began", "began (UTC)", began),
        Column::new("minutes", "minutes", |(_, session): &SessionRow| minutes(session.active)),
        Column::new("limit_minutes", "limit", |(stored, _): &SessionRow| minutes(stored.head.setup.limit))
            .detail(),
        Column::new("words", "words", |(_, session): &SessionRow| words_told(&session.text)),
        Column::new("bullets", "bullets", |(_, session): &SessionRow| bullets(&session.text).len()),
        Column::new("insights_told", "insights told", |(stored, _): &SessionRow| stored.head.setup.insights)
            .detail(),
        Column::new("snapshots", "snapshots", |(_, session): &SessionRow| session.snapshots.len()).detail(),
        Column::new("documents", "documents", |(stored, _): &SessionRow| stored.head.setup.order.len())
            .detail(),
        Column::new("opened", "opened", reached(HowRead::PartRead)).detail(),
        Column::new("read", "read to the end", reached(HowRead::Read)).detail(),
        Column::new("openings", "openings", |(_, session): &SessionRow| session.openings).detail(),
        Column::new("pauses", "pauses", |(_, session): &SessionRow| session.pauses).detail(),
        Column::new("searches", "searches", |(_, session): &SessionRow| session.searches).detail(),
        Column::new("pastes_refused", "pastes refused", |(_, session): &SessionRow| session.pastes).detail(),
        Column::new("copies_refused", "copies refused", |(_, session): &SessionRow| session.copies).detail(),
        Column::new("bursts", "bursts", |(_, session): &SessionRow| session.bursts).detail(),
        Column::new("had_judged", "had judged the query", had_judged).detail(),
        Column::new("ended", "ended", |(_, session): &SessionRow| how_it_stands(session)),
        Column::new("key", "key", |(stored, _): &SessionRow| stored.head.key.to_string()).detail(),
    ]
}

/// How a session ended, or that it did not.
fn how_it_stands(session: &Session) -> &'static str {
    match session.ended {
        Some(ending) => ending.name(),
        None if session.is_over_time => "unfinished, over time",
        None if session.is_paused => "unfinished, paused",
        None => "unfinished",
    }
}
