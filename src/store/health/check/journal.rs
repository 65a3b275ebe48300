//! Checks the journal: numbers, contents, and the texts that judgments were given on.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::Connection;
use serde_json::Value;

use super::strange::{COPY, Strange};
use super::{CheckReport, Severity};
use crate::journal::Happening;
use crate::number::number_of;
use crate::store::corpus::items::{Target, read_target};
use crate::store::corpus::texts::Texts;
use crate::store::exchange::merge::journal::journals;
use crate::store::file::fault::Tried;
use crate::store::file::sql::all;
use crate::store::file::study_file::StudyFile;
use crate::store::journal::imported::{BITS, Imported, Writers};
use crate::store::journal::packed::{self, PackedSaid};
use crate::store::journal::phrases::Phrases;
use crate::store::journal::revise::IS_REVISED;
use crate::text::hash::Fingerprint;

const AREA: &str = "journal";
const ANSWER: &str = "answer";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    contents(connection, report)?;
    numbers(connection, report)?;
    texts(connection, report)?;
    Ok(())
}

/// Checks that the contents of events can be read, and counts kinds that this program does not understand.
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
    drop(rows);
    let brought = brought_in(connection, &mut strange, report)?;
    (events, unreadable) = (events + brought.events, unreadable + brought.unreadable);
    let writers = super::count_of(
        connection,
        "SELECT count(*) FROM (SELECT writer FROM event UNION
           SELECT key FROM writer WHERE EXISTS (
             SELECT 1 FROM imported WHERE id BETWEEN no << 40 AND (no << 40) + (1 << 40) - 1))",
    )?;
    report.right(AREA, format!("{} of {}", number_of(events, "event"), number_of(writers, "writer")));
    if unreadable > 0 {
        let what = format!(
            "{} with contents that cannot be read, counted for nothing",
            number_of(unreadable, "event")
        );
        report.wrong(AREA, what).advise(COPY);
    }
    strange.report(AREA, "event", report);
    dangling(connection, report)
}

/// Counts of imported events.
#[derive(Default)]
struct ImportedCounts {
    events: usize,
    unreadable: usize,
}

fn brought_in(
    connection: &Connection,
    strange: &mut Strange,
    report: &mut CheckReport,
) -> Tried<ImportedCounts> {
    let mut phrases = Phrases::prepare(connection)?;
    // Whether a phrase can be read, by its number.
    let mut readable: HashMap<i64, bool> = HashMap::new();
    let mut brought = ImportedCounts::default();
    let (mut nameless, mut last) = (0, None);
    let mut statement = connection.prepare("SELECT id, body FROM imported ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut writers = Writers::default();
    while let Some(row) = rows.next()? {
        let writer = row.get::<_, i64>(0)? >> BITS;
        if last.replace(writer) != Some(writer) {
            nameless += usize::from(!writers.is_named(connection, writer)?);
        }
        for part in packed::parts(row.get_ref(1)?.as_blob()?) {
            brought.events += 1;
            let number = part.and_then(|part| match part.said {
                PackedSaid::Phrase(number) => Some(number),
                PackedSaid::Text { .. } => None,
            });
            if let Some(is_readable) = number.and_then(|number| readable.get(&number)) {
                brought.unreadable += usize::from(!is_readable);
                continue;
            }
            let is_readable = match part {
                None => false,
                Some(part) => {
                    let phrase = phrases.of(&part)?;
                    if let Happening::Unknown { kind, .. } = phrase.happening()
                        && phrase.is_readable()
                    {
                        strange.add(kind.clone());
                        continue;
                    }
                    phrase.is_readable()
                }
            };
            if let Some(number) = number {
                readable.insert(number, is_readable);
            }
            brought.unreadable += usize::from(!is_readable);
        }
    }
    if nameless > 0 {
        let what = format!("{} whose names are lost", number_of(nameless, "imported file"));
        report.wrong(AREA, what).advise(COPY);
    }
    Ok(brought)
}

/// Reports retractions of events that are not there.
fn dangling(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut exists =
        connection.prepare("SELECT EXISTS (SELECT 1 FROM event WHERE writer = ?1 AND seq = ?2)")?;
    let mut statement = connection.prepare("SELECT body FROM event WHERE kind = 'retract'")?;
    let mut rows = statement.query([])?;
    let mut missing = 0;
    let mut imported = Imported::prepare(connection)?;
    while let Some(row) = rows.next()? {
        let body = serde_json::from_str(row.get_ref(0)?.as_str()?).unwrap_or(Value::Null);
        if let Happening::Retract { event } = Happening::read("retract", body) {
            let found: bool = exists.query_row([event.writer.0, event.seq], |row| row.get(0))?;
            missing += usize::from(!found && !imported.has(event)?);
        }
    }
    if missing > 0 {
        let what = format!("{} for taking back what is not in this file", number_of(missing, "event"));
        report.add(Severity::Remark, AREA, what).advise("merge the file that has it, if there is one");
    }
    Ok(())
}

/// Checks that openings count their events from 1 without gaps, over all journals together.
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
            number_of(writers, "writer")
        );
        let advice = "otherwise merge the file or the copy that has them";
        report.add(Severity::Remark, AREA, what).advise(advice);
    }
    Ok(())
}

/// Compares the texts that were judged with those in the study: they may differ only where a record was revised.
fn texts(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let targets: HashMap<i64, Target> =
        all(connection, "SELECT query, document, candidate, unit, bullet, other, id FROM item", [], |row| {
            Ok((row.get(6)?, read_target(row)?))
        })?;
    let mut texts = Texts::prepare(connection)?;
    let mut now: HashMap<i64, Fingerprint> = HashMap::new();
    let revised = format!(
        "SELECT id FROM item WHERE {IS_REVISED} OR id IN (SELECT id FROM withdrawn WHERE what = 'item')"
    );
    let revised: HashSet<i64> = all(connection, &revised, [], |row| row.get(0))?;
    let (mut judged, mut stale, mut outdated) = (0, 0, 0);
    let mut given_on = |item: i64, on: Fingerprint| -> Tried<()> {
        let now = match now.get(&item) {
            Some(now) => *now,
            None => match targets.get(&item) {
                Some(target) => *now.entry(item).or_insert(texts.of_target(target)?),
                None => return Ok(()),
            },
        };
        judged += 1;
        match revised.contains(&item) {
            true => outdated += usize::from(on != now),
            false => stale += usize::from(on != now),
        }
        Ok(())
    };
    let mut made: BTreeSet<(i64, i64, [u8; 16])> = BTreeSet::new();
    let mut statement =
        connection.prepare("SELECT DISTINCT annotator, item, texts FROM event WHERE kind = 'answer'")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        made.insert((row.get(0)?, row.get(1)?, row.get(2)?));
    }
    let mut phrases = Phrases::prepare(connection)?;
    let mut answers: HashMap<i64, bool> = HashMap::new();
    let mut statement = connection.prepare(
        "SELECT x.annotator, x.item, coalesce(x.texts, i.texts), x.body
         FROM imported x INDEXED BY imported_of_item JOIN item i ON i.id = x.item ORDER BY x.annotator, x.item",
    )?;
    let mut rows = statement.query([])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let on: Option<[u8; 16]> = row.get(2)?;
        let judgment = (row.get(0)?, row.get(1)?, on.unwrap_or_default());
        if last == Some(judgment) || made.contains(&judgment) {
            continue;
        }
        for part in packed::parts(row.get_ref(3)?.as_blob()?).flatten() {
            let is_answer = match part.said {
                PackedSaid::Phrase(number) => match answers.get(&number) {
                    Some(is_answer) => *is_answer,
                    None => *answers.entry(number).or_insert(phrases.numbered(number)?.kind == ANSWER),
                },
                PackedSaid::Text { kind, .. } => kind == ANSWER,
            };
            if is_answer {
                last = Some(judgment);
                given_on(judgment.1, Fingerprint(judgment.2))?;
                break;
            }
        }
    }
    for (_, item, on) in made {
        given_on(item, Fingerprint(on))?;
    }
    if stale > 0 {
        let what =
            format!("{stale} of {} given on other texts than stand here", number_of(judged, "judgment"));
        let advice = "compare the corpus with the files it came from; these judgments are shown as stale";
        report.wrong("texts", what).advise(advice);
    } else if outdated > 0 {
        let what =
            format!("{}, {outdated} of them on texts that were revised since", number_of(judged, "judgment"));
        report.right("texts", what);
    } else {
        report
            .right("texts", format!("{} given on the texts that stand here", number_of(judged, "judgment")));
    }
    Ok(())
}
