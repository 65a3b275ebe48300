//! A study's own protocols: adding versions, and counting the judgments under each.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::error::{Error, Result};
use crate::protocol::{Protocol, builtin};
use crate::store::corpus::{RecordTaken, protocols};
use crate::store::file::{LONG_PATIENCE, ProtocolId, StudyFile, Tried, all_by, change, count, one};
use crate::store::journal::{amend, caches, log};
use crate::study::{AnnotatorId, MapText, ProtocolText, Record};

/// The outcome of adding a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedProtocol {
    /// The study had no protocol of this name.
    New,
    /// The study had an older version.
    NewVersion,
    /// The study had this version with another guideline or none; the new one counts.
    NewGuideline,
    /// The study, or haymark itself, has the same protocol already.
    Known,
}

/// How many items an annotator judged under a version of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionCount {
    pub annotator: AnnotatorId,
    /// The number of the version.
    pub version: u32,
    pub judgments: usize,
}

impl StudyFile {
    /// Adds a protocol, or a new version of one, to the study. Judgments under older versions
    /// stay as they are; their items are open again.
    ///
    /// # Errors
    /// A built-in has the name, another text the number, or the number is lower or the target another; or writing fails.
    pub fn add_protocol(&mut self, protocol: &Protocol) -> Result<AddedProtocol> {
        self.write(LONG_PATIENCE, |transaction| {
            let newest = protocols::stored(transaction, &protocol.name, None)?;
            if let Some(newest) = newest.filter(|newest| newest.version > protocol.version) {
                let what = format!(
                    "the study has version {} of {:?}, and this is version {}",
                    newest.version, protocol.name, protocol.version
                );
                let advice = format!("write version = {} if it is to replace it", newest.version + 1);
                return Err(Error::new(what).advise(advice).into());
            }
            let added = add(transaction, protocol, OtherGuideline::Replaces)?;
            if matches!(added, AddedProtocol::New | AddedProtocol::NewVersion) {
                after_new_versions(transaction)?;
            }
            Ok(added)
        })
    }

    /// How many items everyone judged under each version of a protocol: by annotator, then version.
    pub fn judgments_by_version(&self, protocol_name: &str) -> Result<Vec<VersionCount>> {
        self.read(|connection| by_version(connection, protocol_name))
    }

    /// How many judgments of each annotator came in with a file and were never answered anew, by protocol: of these it is not
    /// known how they were made.
    pub fn judgments_from_files(&self) -> Result<HashMap<(String, AnnotatorId), usize>> {
        self.read(|connection| {
            let select = "SELECT p.name, x.annotator, count(*) FROM (
                   SELECT annotator, item FROM act WHERE kind = 0 AND annotator NOT IN (SELECT id FROM withdrawn WHERE what = 'annotator')
                     AND item NOT IN (SELECT id FROM withdrawn WHERE what = 'item') EXCEPT SELECT annotator, item FROM act WHERE kind = 3) x
                 JOIN item i ON i.id = x.item JOIN protocol p ON p.id = i.protocol GROUP BY p.name, x.annotator";
            all_by(connection, select, [], |row| Ok(((row.get(0)?, row.get(1)?), count(row.get(2)?))))
        })
    }

    /// The study's own maps of foreign files, the newest first.
    pub fn import_maps(&self) -> Result<Vec<MapText>> {
        self.read(maps)
    }

    /// How many items everyone judged under versions that do not count now. Quick where there is only one version.
    pub fn judgments_under_other_versions(&self, protocol: &Protocol) -> Result<Vec<VersionCount>> {
        self.read(|connection| {
            if !has_other_versions(connection, &protocol.name, protocol.version)? {
                return Ok(Vec::new());
            }
            let mut counts = by_version(connection, &protocol.name)?;
            counts.retain(|count| !protocol.counts_version(count.version));
            Ok(counts)
        })
    }

    /// Every protocol text of this study that does not come with haymark: all versions of the study's own protocols,
    /// and older versions of built-in ones. By name and version.
    pub fn protocol_texts(&self) -> Result<Vec<ProtocolText>> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT p.name, v.version, v.file, p.own,
                   (SELECT g.text FROM guideline g WHERE g.version = v.id ORDER BY g.id DESC LIMIT 1)
                 FROM protocol p JOIN protocol_version v ON v.protocol = p.id ORDER BY p.name, v.version, v.hash",
            )?;
            let mut rows = statement.query([])?;
            let mut texts = Vec::new();
            while let Some(row) = rows.next()? {
                let own: bool = row.get(3)?;
                let text = ProtocolText {
                    name: row.get(0)?,
                    version: row.get(1)?,
                    text: row.get(2)?,
                    guideline: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
                };
                let comes_along = builtin(&text.name).is_some_and(|known| known.version == text.version);
                if own || !comes_along {
                    texts.push(text);
                }
            }
            Ok(texts)
        })
    }
}

/// The newest version of a protocol that the study holds, as a record.
pub(crate) fn held(connection: &Connection, name: &str) -> Tried<Option<Record>> {
    let stored = protocols::stored(connection, name, None)?;
    Ok(stored.map(|protocol| {
        let Protocol { name, version, file_text: text, guideline, .. } = protocol;
        Record::Protocol(ProtocolText { name, version, text, guideline })
    }))
}

/// Keeps a map by which foreign files are read.
pub(crate) fn keep_map(connection: &Connection, map: &MapText) -> Tried<RecordTaken> {
    let insert = "INSERT OR IGNORE INTO import_map (name, text) VALUES (?1, ?2)";
    Ok(match change(connection, insert, params![map.name, map.text])? {
        0 => RecordTaken::Known,
        _ => RecordTaken::Added,
    })
}

/// The study's own maps, the newest first.
pub(crate) fn maps(connection: &Connection) -> Tried<Vec<MapText>> {
    let select = "SELECT name, text FROM import_map ORDER BY id DESC";
    all_by(connection, select, [], |row| Ok(MapText { name: row.get(0)?, text: row.get(1)? }))
}

/// The treatment of another guideline for a version that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherGuideline {
    /// The new guideline counts from now on: a person gave it.
    Replaces,
    /// The new guideline is refused: it comes with a file, and nothing tells which is newer.
    Refused,
}

/// Adds a version within a transaction.
pub(crate) fn add(
    connection: &Connection,
    protocol: &Protocol,
    other_guideline: OtherGuideline,
) -> Tried<AddedProtocol> {
    let is_own = protocols::is_own(connection, &protocol.name)?;
    let grown_from = protocol.grown_from();
    if let Some(known) = builtin(&protocol.name).filter(|_| !is_own && grown_from.is_none()) {
        // A built-in protocol's guideline cannot be replaced: a protocol of another name is meant.
        let is_explained_anew = other_guideline == OtherGuideline::Replaces
            && !protocol.guideline.is_empty()
            && protocol.guideline != known.guideline;
        if known.file_text == protocol.file_text && !is_explained_anew {
            return Ok(AddedProtocol::Known);
        }
        // An older version comes in with judgments that were made under it.
        let is_older = other_guideline == OtherGuideline::Refused && protocol.version < known.version;
        if !is_older {
            protocol.may_have_its_name()?;
        }
    }
    if let Some(known) = protocols::stored(connection, &protocol.name, Some(protocol.version))? {
        return add_guideline(connection, &known, protocol, other_guideline);
    }
    let newest = protocols::find(connection, &protocol.name)?;
    if newest.as_ref().is_some_and(|newest| newest.target != protocol.target) {
        let what = format!("another version of {:?} has another \"target\"", protocol.name);
        return Err(Error::new(what)
            .advise("give a protocol that judges something else another name")
            .into());
    }
    refuse_broken(connection, protocol)?;
    let id = protocols::keep_name(connection, &protocol.name)?;
    if builtin(&protocol.name).is_none() || grown_from.is_some() {
        connection.execute("UPDATE protocol SET own = 1 WHERE id = ?1", [id.0])?;
    }
    if let Some(known) = grown_from {
        protocols::keep_version(connection, id, known)?;
        keep_guideline(connection, known)?;
    }
    protocols::keep_version(connection, id, protocol)?;
    keep_guideline(connection, protocol)?;
    Ok(if newest.is_some() { AddedProtocol::NewVersion } else { AddedProtocol::New })
}

/// Refuses a version that carries answers of an earlier one over where they could not stand.
fn refuse_broken(connection: &Connection, protocol: &Protocol) -> Tried<()> {
    for number in (1..protocol.version).filter(|number| protocol.carries(*number)) {
        let Some(earlier) = protocols::find_version(connection, &protocol.name, number)? else { continue };
        if let Some(why) = protocol.breaks(&earlier) {
            let what =
                format!("what was judged under version {number} of {:?} cannot stand: {why}", protocol.name);
            return Err(Error::new(what)
                .advise("say so in a [[change]], or take the [[change]] out: then its items are open again")
                .into());
        }
        if let Some((question, value)) = protocol.added_again(&earlier) {
            let what =
                format!("\"adds\" has {value:?} of {question:?}, which version {number} offers already");
            return Err(Error::new(what).advise("take it out of the [[change]]").into());
        }
    }
    Ok(())
}

fn add_guideline(
    connection: &Connection,
    known: &Protocol,
    new: &Protocol,
    other: OtherGuideline,
) -> Tried<AddedProtocol> {
    if known.file_text != new.file_text {
        let what = format!("the study has another text as version {} of {:?}", known.version, known.name);
        let advice = format!("write version = {} into the changed file", known.version.saturating_add(1));
        return Err(Error::new(what).advise(advice).into());
    }
    if new.guideline.is_empty() || new.guideline == known.guideline {
        return Ok(AddedProtocol::Known);
    }
    if other == OtherGuideline::Refused && !known.guideline.is_empty() {
        let what =
            format!("the study has another guideline for version {} of {:?}", known.version, known.name);
        let advice =
            "leave it out, or bring it in with `haymark protocol add STUDY FILE --guideline FILE.md`";
        return Err(Error::new(what).advise(advice).into());
    }
    keep_guideline(connection, new)?;
    Ok(AddedProtocol::NewGuideline)
}

fn keep_guideline(connection: &Connection, protocol: &Protocol) -> Tried<()> {
    if !protocol.guideline.is_empty() {
        connection.execute(
            "INSERT INTO guideline (version, text) SELECT id, ?2 FROM protocol_version WHERE hash = ?1",
            params![protocol.hash, protocol.guideline],
        )?;
    }
    Ok(())
}

/// Opens the items of older versions again, where there are any, and makes queues look for items.
pub(crate) fn after_new_versions(connection: &Connection) -> Tried<()> {
    amend::settle_corpus(connection)?;
    match log::has_events(connection)? {
        true => caches::rebuild_of(connection, &[None]),
        false => Ok(()),
    }
}

/// Whether the file holds a version of the protocol with another number.
pub(crate) fn has_other_versions(connection: &Connection, name: &str, version: u32) -> Tried<bool> {
    one(
        connection,
        "SELECT EXISTS (SELECT 1 FROM protocol p JOIN protocol_version v ON v.protocol = p.id
             WHERE p.name = ?1 AND v.version <> ?2)",
        params![name, version],
    )
}

fn by_version(connection: &Connection, name: &str) -> Tried<Vec<VersionCount>> {
    let Some(ProtocolId(protocol)) = protocols::id_of(connection, name)? else { return Ok(Vec::new()) };
    all_by(
        connection,
        "SELECT s.annotator, s.version, count(*) FROM standing s JOIN item i ON i.id = s.item
             WHERE i.protocol = ?1 AND s.version IS NOT NULL
             GROUP BY s.annotator, s.version ORDER BY s.annotator, s.version",
        [protocol],
        |row| {
            Ok(VersionCount { annotator: row.get(0)?, version: row.get(1)?, judgments: count(row.get(2)?) })
        },
    )
}
