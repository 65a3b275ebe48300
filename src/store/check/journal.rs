//! The journal: numbers, contents, and the texts that judgments were given on.

use std::collections::HashMap;

use rusqlite::Connection;
use serde_json::Value;

use super::strange::{COPY, Strange};
use super::{CheckReport, Severity, counted};
use crate::journal::Happening;
use crate::store::fault::Tried;
use crate::store::items::{Target, read_target};
use crate::store::merge::journal::journals;
use crate::store::sql::all;
use crate::store::study_file::StudyFile;
use crate::store::texts::Texts;
use crate::text::hash::Fingerprint;

const AREA: &str = "journal";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    contents(connection, report)?;
    numbers(connection, report)?;
    texts(connection, report)?;
    Ok(())
}

/// What the events say, as far as this program understands it.
fn contents(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut statement = connection.prepare("SELECT kind, body, writer FROM event")?;
    let mut rows = statement.query([])?;
    let (mut events, mut unreadable) = (0, 0);
    let mut strange = Strange::among(&Happening::KINDS);
    while let Some(row) = rows.next()? {
        events += 1;
        let kind = row.get_ref(0)?.as_str()?;
        let Ok(body) = serde_json::from_str::<Value>(row.get_ref(1)?.as_str()?) else {
            unreadable += 1;
            continue;
        };
        if let Happening::Unknown { kind, .. } = Happening::read(kind, body) {
            strange.add(kind);
        }
    }
    let writers = super::count_of(connection, "SELECT count(DISTINCT writer) FROM event")?;
    report.right(AREA, format!("{} of {}", counted(events, "event"), counted(writers, "writer")));
    if unreadable > 0 {
        let what = format!(
            "{} with contents that cannot be read, counted for nothing",
            counted(unreadable, "event")
        );
        report.wrong(AREA, what).advise(COPY);
    }
    strange.report(AREA, "event", report);
    dangling(connection, report)
}

/// Undone things that are not there.
fn dangling(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut exists =
        connection.prepare("SELECT EXISTS (SELECT 1 FROM event WHERE writer = ?1 AND seq = ?2)")?;
    let mut statement = connection.prepare("SELECT body FROM event WHERE kind = 'retract'")?;
    let mut rows = statement.query([])?;
    let mut missing = 0;
    while let Some(row) = rows.next()? {
        let body = serde_json::from_str(row.get_ref(0)?.as_str()?).unwrap_or(Value::Null);
        if let Happening::Retract { event } = Happening::read("retract", body) {
            let found: bool = exists.query_row([event.writer.0, event.seq], |row| row.get(0))?;
            missing += usize::from(!found);
        }
    }
    if missing > 0 {
        let what = format!("{} for taking back what is not in this file", counted(missing, "event"));
        report.add(Severity::Remark, AREA, what).advise("merge the file that has it, if there is one");
    }
    Ok(())
}

/// Openings count their events from 1 without gaps, over all journals together.
fn numbers(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let tables: Vec<String> = journals(connection)?
        .iter()
        .map(|table| format!("SELECT writer, seq FROM \"{}\" WHERE writer > 0", table.name))
        .collect();
    let mut statement = connection.prepare(&format!(
        "SELECT writer, max(seq) - count(DISTINCT seq), min(seq) FROM ({})
         GROUP BY writer ORDER BY writer",
        tables.join(" UNION ALL ")
    ))?;
    let mut rows = statement.query([])?;
    let (mut writers, mut missing) = (0, 0);
    while let Some(row) = rows.next()? {
        let (absent, first): (i64, i64) = (row.get(1)?, row.get(2)?);
        if first < 1 {
            let what = format!("writer {:016x} has an event of the number {first}", row.get::<_, i64>(0)?);
            report.wrong(AREA, what).advise("go back to a copy");
        } else if absent > 0 {
            writers += 1;
            missing += absent.unsigned_abs();
        }
    }
    if missing > 0 {
        let what = format!(
            "missing numbers of events: {missing} of {}; a file made by `haymark split` lacks other people's",
            counted(writers, "writer")
        );
        let advice = "otherwise merge the file or the copy that has them";
        report.add(Severity::Remark, AREA, what).advise(advice);
    }
    Ok(())
}

/// The texts that were judged, against those that stand in the study: the corpus is never changed.
fn texts(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let targets: HashMap<i64, Target> =
        all(connection, "SELECT query, document, candidate, unit, bullet, id FROM item", [], |row| {
            Ok((row.get(5)?, read_target(row)?))
        })?;
    let mut texts = Texts::prepare(connection)?;
    let mut statement = connection.prepare(
        "SELECT DISTINCT item, annotator, texts FROM event WHERE kind = 'answer' ORDER BY item, annotator",
    )?;
    let mut rows = statement.query([])?;
    let mut current: Option<(i64, Fingerprint)> = None;
    let (mut judged, mut stale) = (0, 0);
    while let Some(row) = rows.next()? {
        let item: i64 = row.get(0)?;
        let now = match current.filter(|(known, _)| *known == item) {
            Some((_, texts)) => texts,
            None => match targets.get(&item) {
                Some(target) => texts.of_target(target)?,
                None => continue,
            },
        };
        current = Some((item, now));
        judged += 1;
        stale += usize::from(Fingerprint(row.get(2)?) != now);
    }
    if stale > 0 {
        let what = format!("{stale} of {} given on other texts than stand here", counted(judged, "judgment"));
        let advice = "compare the corpus with the files it came from; these judgments are shown as stale";
        report.wrong("texts", what).advise(advice);
    } else {
        report.right("texts", format!("{} given on the texts that stand here", counted(judged, "judgment")));
    }
    Ok(())
}
