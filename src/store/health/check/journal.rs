//! Checks the journal: numbers, contents, and the texts that judgments were given on.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::Connection;

use super::{COPY, CheckReport, Severity, Strange};
use crate::journal::{EventId, Happening, Writer};
use crate::number::number_of;
use crate::store::corpus::{Target, Texts};
use crate::store::exchange::merge::journal::journals;
use crate::store::file::{FromRow, StudyFile, Tried, all, all_by};
use crate::store::journal::acts::Writers;
use crate::store::journal::revise::IS_REVISED;
use crate::store::journal::{ANSWER, Acts, BITS, Phrases, key_of, numbered, said};
use crate::study::AnnotatorId;
use crate::text::hash::Fingerprint;

const AREA: &str = "journal";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    let mut numbers = Numbers::default();
    contents(connection, &mut numbers, report)?;
    check_numbers(connection, numbers, report)?;
    texts(connection, report)?;
    if let Some(what) = study.told_of_rivals()? {
        let advice = "let both look at `haymark adjudicate STUDY --as NAME`; whoever was wrong decides anew";
        report.add(Severity::Remark, "decisions", what).advise(advice);
    }
    Ok(())
}

/// The first number that each opening has used, the last, and how many there are.
#[derive(Default)]
struct Numbers(BTreeMap<Writer, [i64; 3]>);

impl Numbers {
    fn add(&mut self, writer: Writer, number: i64) {
        let [first, last, count] = self.0.entry(writer).or_insert([number, number, 0]);
        (*first, *last, *count) = (number.min(*first), number.max(*last), *count + 1);
    }
}

/// Checks that the contents of events can be read, counts kinds that this program does not understand, and notes numbers.
fn contents(connection: &Connection, numbers: &mut Numbers, report: &mut CheckReport) -> Tried<()> {
    let mut phrases = Phrases::prepare(connection)?;
    let mut strange = Strange::among(&Happening::KINDS);
    let (mut events, mut unreadable) = (0, 0);
    let (mut nameless, mut named) = (0, 0);
    let (mut last, mut retracted) = (None, Vec::new());
    let mut statement = connection.prepare("SELECT id, body, kind > 1 FROM act ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut writers = Writers::default();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let (number, is_made_here) = (id >> BITS, row.get(2)?);
        if last.replace(number) != Some(number) {
            let is_named = writers.is_named(connection, number)?;
            *(if is_named { &mut named } else { &mut nameless }) += 1;
        }
        for (seq, part) in numbered(id, row.get_ref(1)?.as_blob()?) {
            events += 1;
            if is_made_here {
                numbers.add(writers.of(connection, number)?, seq);
            }
            let phrase = part.map(|part| phrases.of(&part)).transpose()?;
            let Some(phrase) = phrase.filter(|phrase| phrase.is_readable()) else {
                unreadable += 1;
                continue;
            };
            match phrase.happening() {
                Happening::Unknown { kind, .. } => strange.add(kind.clone()),
                Happening::Retract { event } => retracted.push(*event),
                _ => {}
            }
        }
    }
    report.wrong_ones(AREA, (nameless, "writer"), "whose names are lost", COPY);
    report.right(AREA, format!("{} of {}", number_of(events, "event"), number_of(named, "writer")));
    let what = "with contents that cannot be read, counted for nothing";
    report.wrong_ones(AREA, (unreadable, "event"), what, COPY);
    strange.report(AREA, "event", report);
    dangling(connection, &retracted, report)
}

/// Reports retractions of events that are not there.
fn dangling(connection: &Connection, retracted: &[EventId], report: &mut CheckReport) -> Tried<()> {
    let mut acts = Acts::prepare(connection)?;
    let mut missing = 0;
    for event in retracted {
        missing += usize::from(!acts.has(*event)?);
    }
    if missing > 0 {
        let what = format!("{} for taking back what is not in this file", number_of(missing, "event"));
        report.add(Severity::Remark, AREA, what).advise("merge the file that has it, if there is one");
    }
    Ok(())
}

/// Checks that openings count their events from 1 without gaps, over all journals together.
fn check_numbers(connection: &Connection, mut numbers: Numbers, report: &mut CheckReport) -> Tried<()> {
    for table in journals(connection)? {
        let select = format!("SELECT writer, seq FROM \"{}\" WHERE writer > 0", table.name);
        let named: Vec<(Writer, i64)> = all(connection, &select, [])?;
        named.into_iter().for_each(|(writer, seq)| numbers.add(writer, seq));
    }
    let (mut writers, mut missing) = (0, 0);
    for (writer, [first, last, count]) in numbers.0 {
        let absent = last - count;
        if first < 1 {
            let what = format!("writer {writer} has an event of the number {first}");
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
    let targets: HashMap<i64, Target> = all_by(
        connection,
        "SELECT query, document, candidate, unit, bullet, other, id FROM item",
        [],
        |row| Ok((row.get(6)?, Target::from_row(row)?)),
    )?;
    let mut texts = Texts::new(connection);
    let mut now: HashMap<i64, Fingerprint> = HashMap::new();
    let revised = format!(
        "SELECT id FROM item WHERE {IS_REVISED} OR id IN (SELECT id FROM withdrawn WHERE what = 'item')"
    );
    let revised: HashSet<i64> = all(connection, &revised, [])?;
    let (mut judged, mut stale, mut outdated) = (0, 0, 0);
    let mut whose: BTreeSet<i64> = BTreeSet::new();
    let mut given_on = |annotator: i64, item: i64, on: Fingerprint| -> Tried<()> {
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
            false if on != now => {
                stale += 1;
                whose.insert(annotator);
            }
            false => {}
        }
        Ok(())
    };
    let mut phrases = Phrases::prepare(connection)?;
    let mut statement = connection.prepare(
        "SELECT x.annotator, x.item, coalesce(x.texts, i.texts), x.body
         FROM act x INDEXED BY act_of_item JOIN item i ON i.id = x.item ORDER BY x.annotator, x.item",
    )?;
    let mut rows = statement.query([])?;
    // The texts that one annotator judged one item on.
    let mut last: Option<(i64, i64, Vec<Fingerprint>)> = None;
    while let Some(row) = rows.next()? {
        let on: Option<Fingerprint> = row.get(2)?;
        let (annotator, item, on): (i64, i64, _) = (row.get(0)?, row.get(1)?, on.unwrap_or_default());
        let known = match &mut last {
            Some((one, other, known)) if (*one, *other) == (annotator, item) => known,
            other => &mut other.insert((annotator, item, Vec::new())).2,
        };
        if known.contains(&on) {
            continue;
        }
        if said(&mut phrases, row.get_ref(3)?.as_blob()?)?.iter().any(|(_, phrase)| phrase.kind == ANSWER) {
            known.push(on);
            given_on(annotator, item, on)?;
        }
    }
    if stale > 0 {
        let what =
            format!("{stale} of {} given on other texts than stand here", number_of(judged, "judgment"));
        let advice = "compare the corpus with the files it came from; these judgments are shown as stale";
        let people = whose.iter().map(|annotator| key_of(connection, AnnotatorId(*annotator)));
        report.misfits(connection, ("texts", &what, ""), &people.collect::<Tried<_>>()?, advice)?;
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
