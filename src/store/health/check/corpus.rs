//! Checks the corpus: the parts of items belong together, keys follow from them, passages stand
//! at their offsets, and texts of protocols fit their fingerprints.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Connection, params};

use super::{CheckReport, Severity};
use crate::number::{first_few, number_of};
use crate::protocol::{Protocol, builtins};
use crate::store::corpus::{ERASED_FIELD, NAMELESS, StudyKeys, Target, writer};
use crate::store::exchange::sense::one_byte_from;
use crate::store::file::{FromRow, StudyFile, Tried, all, all_by, one};
use crate::study::{Aside, ItemKey};
use crate::text::bullets::bullets;

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    let before = report.findings.len();
    together(connection, report)?;
    kinds(connection, report)?;
    item_keys(connection, report)?;
    passages(connection, report)?;
    lost(connection, report)?;
    protocols(connection, report)?;
    if report.findings.len() == before {
        let count = |table: &str| one::<usize>(connection, &format!("SELECT count(*) FROM {table}"), []);
        let what = format!(
            "{}, {}, {}, {}",
            number_of(count("document")?, "document"),
            number_of(count("unit")?, "unit"),
            number_of(count("candidate")?, "candidate"),
            number_of(count("item")?, "item")
        );
        report.right("corpus", what);
    }
    Ok(())
}

/// Reports records that a recovery found in part, or by name only.
fn lost(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut names: Vec<String> = Vec::new();
    for kind in writer::RECORDS {
        let out: HashSet<i64> = all(connection, "SELECT id FROM withdrawn WHERE what = ?1", [kind])?;
        let found = writer::lost(connection, kind)?;
        let found = found.iter().filter(|(id, _)| !out.contains(id));
        names.extend(found.map(|(_, key)| format!("{kind} {key:?}")));
    }
    if !names.is_empty() {
        let number = number_of(names.len(), "record");
        let what = format!("{number} that a recovery did not find whole: {}", first_few(&names));
        let nameless = names.iter().find(|name| name.contains(&format!("\"{NAMELESS}"))).map(|name| {
            let named = name.replace('"', "");
            format!("; then take out {name}, whose name is lost: `haymark withdraw STUDY {named} --as NAME --reason …`")
        });
        let advice = "merge a copy that has them, or import them again: they take their places";
        let advice = format!("{advice}{}", nameless.unwrap_or_default());
        report.add(Severity::Warning, "corpus", what).advise(advice);
    }
    Ok(())
}

/// Reports items whose parts are of different queries or collections, gold documents of another collection, and units of a
/// candidate that their query lacks.
fn together(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    for (query, what) in [
        (
            "SELECT count(*) FROM item i JOIN query q ON q.id = i.query
             LEFT JOIN unit u ON u.id = i.unit LEFT JOIN candidate k ON k.id = i.candidate
             LEFT JOIN candidate o ON o.id = i.other LEFT JOIN document d ON d.id = i.document
             WHERE u.query <> i.query OR k.query <> i.query OR o.query <> i.query OR d.collection <> q.collection",
            "items of parts that do not belong to one query",
        ),
        (
            "SELECT count(*) FROM gold g JOIN unit u ON u.id = g.unit JOIN query q ON q.id = u.query
             JOIN document d ON d.id = g.document WHERE d.collection <> q.collection",
            "gold documents of another collection than their unit",
        ),
        (
            "SELECT count(*) FROM unit u WHERE u.candidate IS NOT NULL AND NOT EXISTS
               (SELECT 1 FROM candidate k WHERE k.query = u.query AND k.key = u.candidate)",
            "units with a candidate that their query does not have",
        ),
    ] {
        let number: usize = one(connection, query, [])?;
        if number > 0 {
            report.wrong("corpus", format!("{what}: {number}")).advise("import the corpus into a new study");
        }
    }
    Ok(())
}

/// Reports a kind of unit that no protocol asks for and that differs from a known kind in one byte, perhaps a flipped
/// one. Anybody may name kinds, but a kind of one unit alone that is so close to a known one is hardly meant.
fn kinds(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let found: BTreeMap<String, usize> =
        all_by(connection, "SELECT kind, count(*) FROM unit GROUP BY kind", [], |row| {
            Ok((row.get(0)?, crate::store::file::sql::count(row.get(1)?)))
        })?;
    let asked: BTreeSet<&str> = builtins().iter().flat_map(Protocol::unit_kinds).collect();
    for (kind, _) in found.iter().filter(|(kind, number)| **number == 1 && !asked.contains(kind.as_str())) {
        let beside = asked.iter().copied().filter(|asked| found.contains_key(*asked));
        if let Some(meant) = one_byte_from(kind, beside) {
            let what = format!(
                "1 unit of the kind {kind:?}, which a flipped byte made of {meant:?}: nobody judges it"
            );
            report.wrong("corpus", what).advise("go back to a copy of the study");
        }
    }
    Ok(())
}

/// Compares keys of items, by which files are merged, with their parts.
fn item_keys(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let keys = StudyKeys::read(connection)?;
    let mut other = 0;
    let mut no_bullet = 0;
    let mut statement = connection.prepare(
        "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, i.key, p.name, i.aside FROM item i
         JOIN protocol p ON p.id = i.protocol ORDER BY i.id",
    )?;
    let mut texts = connection.prepare(
        "SELECT c.text, EXISTS (SELECT 1 FROM original WHERE tbl = 'candidate' AND id = c.id)
           OR coalesce(instr(c.meta, ?2), 0)
         FROM candidate c WHERE c.id = ?1",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let target = Target::from_row(row)?;
        let (key, name): (ItemKey, String) = (row.get(6)?, row.get(7)?);
        let aside = row.get_ref(8)?.as_str_or_null()?.and_then(Aside::named);
        other += usize::from(keys.of_target(&target).item_key_beside(&name, aside) != key);
        if let (Some(candidate), Some(bullet)) = (target.candidate, target.bullet) {
            let (number, is_revised): (usize, bool) = texts
                .query_row(params![candidate.0, ERASED_FIELD], |row| {
                    Ok((bullets(row.get_ref(0)?.as_str()?).len(), row.get(1)?))
                })?;
            // The bullet may be one of the text before its revision.
            no_bullet += usize::from(bullet as usize > number && !is_revised);
        }
    }
    let what = "with keys that do not follow from the parts";
    report.wrong_ones("corpus", (other, "item"), what, "do not merge this file; go back to a copy");
    let what = "with a bullet that the candidate does not have";
    let advice = "compare the candidates with the files they came from";
    report.wrong_ones("corpus", (no_bullet, "item"), what, advice);
    Ok(())
}

/// Compares evidence with the text that it stands in.
fn passages(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut statement = connection.prepare(
        "SELECT e.span_start, e.span_end, e.quote, d.text FROM evidence e JOIN document d ON d.id = e.document
         WHERE e.span_start IS NOT NULL",
    )?;
    let mut rows = statement.query([])?;
    let mut misplaced = 0;
    while let Some(row) = rows.next()? {
        let (start, end): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (quote, text) = (row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?);
        let span = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let found = span.and_then(|(start, end)| text.get(start..end));
        misplaced += usize::from(found != Some(quote));
    }
    let advice = "compare the documents with the files they came from";
    report.wrong_ones("corpus", (misplaced, "passage"), "of evidence not in the document any more", advice);
    Ok(())
}

/// Compares texts of protocols with their fingerprints.
fn protocols(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut statement = connection.prepare(
        "SELECT p.name, v.version, v.hash, v.file FROM protocol_version v JOIN protocol p ON p.id = v.protocol
         ORDER BY v.id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, version, hash): (String, u32, _) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let file = row.get_ref(3)?.as_str()?;
        let named = format!("version {version} of the protocol {name:?}");
        if Protocol::fingerprint_of(file) != hash {
            let what = format!("the text of {named} is not the one that it was judged under");
            report.wrong("protocols", what).advise("go back to a copy of the study");
        } else if let Err(error) = Protocol::parse(file, "") {
            let what = format!("{named} is not understood by this haymark ({error})");
            report.add(Severity::Remark, "protocols", what).advise("update haymark");
        }
    }
    Ok(())
}
