//! Checks sessions: the contents of their events, and that their snapshots are the candidates that are judged.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::{COPY, CheckReport, Severity, Strange};
use crate::journal::session::{SessionHappening, Setup};
use crate::number::number_of;
use crate::store::corpus::ERASED_FIELD;
use crate::store::file::{StudyFile, Tried, all};
use crate::store::journal::sessions::told_of_forks;

const AREA: &str = "sessions";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    let before = report.findings.len();
    let events = contents(connection, report)?;
    let heads = study.sessions()?;
    let setups: Vec<(String, String, String)> = all(
        connection,
        "SELECT lower(hex(s.key)), a.key, s.setup FROM session s JOIN annotator a ON a.id = s.annotator ORDER BY s.id",
        [],
    )?;
    for (key, annotator, _) in setups.iter().filter(|(.., setup)| Setup::from_json(setup).is_err()) {
        let what = format!("session {key} of {annotator:?} cannot be read and counts for nothing");
        report.wrong(AREA, what).advise(COPY);
    }
    let (mut misfits, mut missing, mut whose) = (0, 0, BTreeSet::new());
    let mut same = connection.prepare(
        "SELECT text = ?3 AND summarizer IS ?4 OR id IN (SELECT id FROM original WHERE tbl = 'candidate')
           OR coalesce(instr(meta, ?5), 0)
             FROM candidate WHERE query = ?1 AND key = ?2",
    )?;
    let mut sessions = Vec::new();
    for head in &heads {
        let stored = study.session(head.id)?;
        let session = stored.session();
        misfits += session.misfits;
        whose.extend((session.misfits > 0).then(|| head.begun_as.clone()));
        sessions.push(session);
        for candidate in stored.candidates() {
            let as_written: Option<Option<bool>> = same
                .query_row(
                    params![head.query.0, candidate.id, candidate.text, candidate.summarizer, ERASED_FIELD],
                    |row| row.get(0),
                )
                .optional()?;
            missing += usize::from(as_written != Some(Some(true)));
        }
    }
    if misfits > 0 {
        let what = "edits that do not fit the text before";
        report.misfits(connection, (AREA, what, &format!(": {misfits}")), &whose, COPY)?;
    }
    report.wrong_ones(AREA, (missing, "snapshot"), "that no candidate holds as it was written", COPY);
    if let Some(what) = told_of_forks(heads.iter().zip(&sessions)) {
        let advice = "`haymark session list STUDY` shows what counts, and `haymark export STUDY --what sessions` has all edits";
        report.add(Severity::Remark, "forks", what).advise(advice);
    } else if report.findings.len() == before {
        report
            .right(AREA, format!("{} of {}", number_of(events, "event"), number_of(heads.len(), "session")));
    }
    Ok(())
}

/// Checks the contents of each event; returns the number of events.
fn contents(connection: &Connection, report: &mut CheckReport) -> Tried<usize> {
    let mut statement = connection.prepare("SELECT kind, body, active FROM session_event")?;
    let mut rows = statement.query([])?;
    let (mut events, mut unreadable) = (0, 0);
    let mut strange = Strange::among(&SessionHappening::KINDS);
    while let Some(row) = rows.next()? {
        events += 1;
        let body = serde_json::from_str::<Value>(row.get_ref(1)?.as_str()?);
        let Some(body) = body.ok().filter(|_| row.get::<_, i64>(2).is_ok_and(|active| active >= 0)) else {
            unreadable += 1;
            continue;
        };
        if let SessionHappening::Unknown { kind, .. } =
            SessionHappening::read(row.get_ref(0)?.as_str()?, body)
        {
            strange.add(kind);
        }
    }
    report.wrong_ones(AREA, (unreadable, "event"), "with contents that cannot be read", COPY);
    strange.report(AREA, "event", report);
    Ok(events)
}
