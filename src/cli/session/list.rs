//! `haymark session list`: who wrote what, for how long, and how it ended.

use super::super::output::print_tables;
use super::super::table::{Cell, Column, Table};
use super::args::List;
use crate::error::{Error, Result};
use crate::journal::session::{Reading, Session, minutes};
use crate::store::{StoredSession, StudyFile};
use crate::text::{bullets::bullets, words};

pub fn run(arguments: &List) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let mut table = table();
    for head in study.sessions()? {
        let stored = study.session(head.id)?;
        table.rows.push(row(&stored, &stored.session()));
    }
    if table.rows.is_empty() {
        let error = Error::new("nobody has begun a session").in_file(&arguments.study);
        return Err(error.advise("`haymark session STUDY --as NAME` begins one"));
    }
    let tables = [table];
    print_tables(&tables, arguments.form)
}

fn table() -> Table {
    let columns = vec![
        Column::text("session", "session"),
        Column::text("annotator", "who"),
        Column::text("collection", "collection").detail(),
        Column::text("query", "query"),
        Column::text("began", "began (UTC)"),
        Column::number("minutes", "minutes", 1),
        Column::number("limit_minutes", "limit", 0).detail(),
        Column::count("words", "words"),
        Column::count("bullets", "bullets"),
        Column::count("insights_told", "insights told").detail(),
        Column::count("snapshots", "snapshots").detail(),
        Column::count("documents", "documents").detail(),
        Column::count("opened", "opened").detail(),
        Column::count("read", "read to the end").detail(),
        Column::count("openings", "openings").detail(),
        Column::count("pauses", "pauses").detail(),
        Column::count("searches", "searches").detail(),
        Column::count("pastes_refused", "pastes refused").detail(),
        Column::count("copies_refused", "copies refused").detail(),
        Column::count("bursts", "bursts").detail(),
        Column::text("had_judged", "had judged the query").detail(),
        Column::text("ended", "ended"),
        Column::text("key", "key").detail(),
    ];
    let mut table = Table::new("Sessions", columns);
    table.notes.push("minutes are active ones: pauses do not count.".to_owned());
    table
}

fn row(stored: &StoredSession, session: &Session) -> Vec<Cell> {
    let head = &stored.head;
    let order = &head.setup.order;
    let reached = |least: Reading| order.iter().filter(|number| session.reading(**number) >= least).count();
    vec![
        super::short(&head.key).as_str().into(),
        head.annotator.as_str().into(),
        head.collection.as_str().into(),
        head.query_key.as_str().into(),
        began(session),
        Cell::Number(minutes(session.active)),
        Cell::Number(minutes(head.setup.limit)),
        Cell::Count(words::count(&session.text)),
        Cell::Count(bullets(&session.text).len()),
        Cell::Count(head.setup.insights),
        Cell::Count(session.snapshots.len()),
        Cell::Count(order.len()),
        Cell::Count(reached(Reading::PartRead)),
        Cell::Count(reached(Reading::Read)),
        Cell::Count(session.openings),
        Cell::Count(session.pauses),
        Cell::Count(session.searches),
        Cell::Count(session.pastes),
        Cell::Count(session.copies),
        Cell::Count(session.bursts),
        if session.has_judged { "yes" } else { "no" }.into(),
        how_it_stands(session).into(),
        head.key.to_string().as_str().into(),
    ]
}

fn began(session: &Session) -> Cell {
    let time = session.wall.and_then(|(first, _)| jiff::Timestamp::from_millisecond(first).ok());
    time.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string()).into()
}

/// How it ended, or that it did not.
pub(super) fn how_it_stands(session: &Session) -> &'static str {
    match session.ended {
        Some(ending) => ending.name(),
        None if session.is_over_time => "unfinished, over time",
        None if session.is_paused => "unfinished, paused",
        None => "unfinished",
    }
}
