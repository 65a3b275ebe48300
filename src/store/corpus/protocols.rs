//! Protocols in the study file: every version that items were judged under, and the questions.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::protocol::{Protocol, builtin, builtins};
use crate::store::file::{ProtocolId, QuestionId, StudyFile, Tried, VersionId, all, change, exists, first};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Runs `work` as [`StudyFile::read`] does, on the protocol of this name; gives nothing where the file has none.
    pub(crate) fn read_under<T: Default>(
        &self,
        protocol_name: &str,
        mut work: impl FnMut(&Connection, ProtocolId) -> Tried<T>,
    ) -> Result<T> {
        self.read(|connection| match id_of(connection, protocol_name)? {
            Some(protocol) => work(connection, protocol),
            None => Ok(T::default()),
        })
    }

    /// The current version of the protocol of this name: the newest of the study's own, else the
    /// built-in one.
    pub fn protocol(&self, name: &str) -> Result<Option<Protocol>> {
        self.read(|connection| find(connection, name))
    }

    /// The study's own protocols in their current versions, in the order in which they came.
    pub fn own_protocols(&self) -> Result<Vec<Protocol>> {
        self.read(|connection| {
            let names: Vec<String> =
                all(connection, "SELECT name FROM protocol WHERE own = 1 ORDER BY id", [])?;
            names.iter().filter_map(|name| find(connection, name).transpose()).collect()
        })
    }

    /// The names of the study's own protocols and of those that have items, in the order of first use.
    pub fn protocol_names(&self) -> Result<Vec<String>> {
        self.read(|connection| Ok(names(connection)?.into_iter().map(|(_, name)| name).collect()))
    }
}

/// Whether the protocol of this name is the study's own.
pub(crate) fn is_own(connection: &Connection, name: &str) -> Tried<bool> {
    exists(connection, "SELECT 1 FROM protocol WHERE name = ?1 AND own = 1", [name])
}

/// The current version of the protocol of this name.
pub(crate) fn find(connection: &Connection, name: &str) -> Tried<Option<Protocol>> {
    match builtin(name) {
        Some(protocol) if !is_own(connection, name)? => Ok(Some(protocol.clone())),
        _ => stored(connection, name, None),
    }
}

/// This version of the protocol of this name.
pub(crate) fn find_version(connection: &Connection, name: &str, version: u32) -> Tried<Option<Protocol>> {
    match builtin(name).filter(|protocol| protocol.version == version) {
        Some(protocol) if !is_own(connection, name)? => Ok(Some(protocol.clone())),
        _ => stored(connection, name, Some(version)),
    }
}

/// This version of a protocol in the study file, or the newest one.
pub(crate) fn stored(connection: &Connection, name: &str, version: Option<u32>) -> Tried<Option<Protocol>> {
    let found: Option<(String, Option<String>)> = first(
        connection,
        "SELECT v.file, (SELECT g.text FROM guideline g WHERE g.version = v.id ORDER BY g.id DESC LIMIT 1)
             FROM protocol p JOIN protocol_version v ON v.protocol = p.id
             WHERE p.name = ?1 AND (?2 IS NULL OR v.version = ?2)
             ORDER BY v.version DESC, v.id DESC LIMIT 1",
        params![name, version],
    )?;
    let protocol = found.map(|(file, guideline)| Protocol::parse(&file, &guideline.unwrap_or_default()));
    let mut protocol = protocol.transpose()?;
    if let Some(protocol) = protocol.as_mut().filter(|protocol| !protocol.changes.is_empty()) {
        know_earlier(connection, protocol)?;
    }
    Ok(protocol)
}

/// Notes in a protocol the earlier versions whose answers stand under it.
fn know_earlier(connection: &Connection, protocol: &mut Protocol) -> Tried<()> {
    let texts: Vec<(u32, String)> = all(
        connection,
        "SELECT v.version, v.file FROM protocol p JOIN protocol_version v ON v.protocol = p.id
             WHERE p.name = ?1 AND v.version < ?2 ORDER BY v.version, v.id",
        params![protocol.name, protocol.version],
    )?;
    for (number, text) in texts {
        // A version that came in from another file was not checked when it was added.
        if protocol.carries(number)
            && Protocol::parse(&text, "").is_ok_and(|earlier| protocol.breaks(&earlier).is_none())
        {
            protocol.earlier.push((Protocol::fingerprint_of(&text), number));
        }
    }
    Ok(())
}

/// The stored texts of protocols, by fingerprint.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    /// The texts that count as another text: those of built-in protocols under the same number.
    as_others: HashMap<Fingerprint, Fingerprint>,
    /// All other texts, without those of this program.
    texts: HashMap<Fingerprint, VersionText>,
    /// The current versions under which answers of earlier ones stand.
    growing: Vec<Protocol>,
}

/// The text of a version, parsed at the first use.
#[derive(Debug)]
struct VersionText {
    file: String,
    protocol: OnceCell<Option<Protocol>>,
}

impl Versions {
    /// The fingerprint of the text that this one counts as.
    pub(crate) fn counted_as(&self, text: Fingerprint) -> Fingerprint {
        self.as_others.get(&text).copied().unwrap_or(text)
    }

    /// The current version under which answers of this text's version stand, where it is a later one.
    pub(crate) fn later(&self, text: Fingerprint) -> Option<&Protocol> {
        self.growing.iter().find(|protocol| protocol.earlier_version(text).is_some())
    }

    /// The version of this text, without its guideline; `None` where this program does not understand it.
    pub(crate) fn protocol(&self, text: Fingerprint) -> Option<&Protocol> {
        let Some(found) = self.texts.get(&text) else {
            return builtins().iter().find(|protocol| protocol.hash == text);
        };
        found.protocol.get_or_init(|| Protocol::parse(&found.file, "").ok()).as_ref()
    }
}

/// Reads the texts of all versions. The text of a built-in protocol may change in words and comments; it is another
/// version only with another number. A study's own protocol has one text for each number.
pub(crate) fn versions(connection: &Connection) -> Tried<Versions> {
    let mut statement = connection.prepare_cached(
        "SELECT v.hash, v.version, p.name, p.own, v.file FROM protocol_version v JOIN protocol p ON p.id = v.protocol",
    )?;
    let mut rows = statement.query([])?;
    let mut versions = Versions::default();
    let mut growing: BTreeSet<String> = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let (text, number, own): (Fingerprint, u32, bool) = (row.get(0)?, row.get(1)?, row.get(3)?);
        let built_in =
            builtin(row.get_ref(2)?.as_str()?).filter(|protocol| protocol.version == number && !own);
        match built_in {
            Some(protocol) if protocol.hash == text => {}
            Some(protocol) => {
                versions.as_others.insert(text, protocol.hash);
            }
            None => {
                let file = row.get_ref(4)?.as_str()?.to_owned();
                if own && file.contains(CHANGE) {
                    growing.insert(row.get_ref(2)?.as_str()?.to_owned());
                }
                versions.texts.insert(text, VersionText { file, protocol: OnceCell::new() });
            }
        }
    }
    for name in growing {
        versions.growing.extend(stored(connection, &name, None)?);
    }
    Ok(versions)
}

/// The word that stands in the text of every version that has a `[[change]]`.
const CHANGE: &str = "change";

/// The names of all protocols, in the order of first use.
pub(crate) fn names(connection: &Connection) -> Tried<Vec<(ProtocolId, String)>> {
    all(connection, "SELECT id, name FROM protocol ORDER BY id", [])
}

/// The version that records need not name: the current one of a built-in protocol. A study's own protocol may have
/// another version where the records come in.
pub(crate) fn unnamed_version(connection: &Connection, name: &str) -> Tried<Option<u32>> {
    if is_own(connection, name)? {
        return Ok(None);
    }
    Ok(find(connection, name)?.map(|current| current.version))
}

/// The questions of a protocol that were ever answered: in the protocol's order, then the questions that
/// it no longer asks.
pub(crate) fn questions(
    connection: &Connection,
    protocol: ProtocolId,
    name: &str,
) -> Tried<Vec<(QuestionId, String)>> {
    let mut questions: Vec<(QuestionId, String)> =
        all(connection, "SELECT id, key FROM question WHERE protocol = ?1 ORDER BY key", [protocol.0])?;
    if let Some(protocol) = find(connection, name)? {
        let place = |key: &str| protocol.questions.iter().position(|question| question.key == key);
        questions.sort_by_key(|(_, key)| place(key).unwrap_or(protocol.questions.len()));
    }
    Ok(questions)
}

/// Row of the protocol's name, if the study has one.
pub(crate) fn id_of(connection: &Connection, name: &str) -> Tried<Option<ProtocolId>> {
    first(connection, "SELECT id FROM protocol WHERE name = ?1", [name])
}

/// Row of the protocol's name, made where there is none.
pub(crate) fn keep_name(connection: &Connection, name: &str) -> Tried<ProtocolId> {
    if let Some(id) = id_of(connection, name)? {
        return Ok(id);
    }
    change(connection, "INSERT INTO protocol (name) VALUES (?1)", [name])?;
    Ok(ProtocolId(connection.last_insert_rowid()))
}

/// Row of this version of the protocol, made at its first use.
pub(crate) fn keep_version(connection: &Connection, id: ProtocolId, protocol: &Protocol) -> Tried<VersionId> {
    let known = first(connection, "SELECT id FROM protocol_version WHERE hash = ?1", [protocol.hash])?;
    if let Some(version) = known {
        return Ok(VersionId(version));
    }
    change(
        connection,
        "INSERT INTO protocol_version (protocol, version, hash, file) VALUES (?1, ?2, ?3, ?4)",
        params![id.0, protocol.version, protocol.hash, protocol.file_text],
    )?;
    Ok(VersionId(connection.last_insert_rowid()))
}

/// Row of a question, if it was ever answered.
pub(crate) fn question_of(
    connection: &Connection,
    protocol: ProtocolId,
    key: &str,
) -> Tried<Option<QuestionId>> {
    first(connection, "SELECT id FROM question WHERE protocol = ?1 AND key = ?2", params![protocol.0, key])
}

/// Rows of questions, looked up once each and made where there are none.
#[derive(Debug, Default)]
pub(crate) struct QuestionRows {
    known: HashMap<ProtocolId, HashMap<String, QuestionId>>,
}

impl QuestionRows {
    pub(crate) fn id(
        &mut self,
        connection: &Connection,
        protocol: ProtocolId,
        key: &str,
    ) -> Tried<QuestionId> {
        let known = self.known.entry(protocol).or_default();
        if let Some(id) = known.get(key) {
            return Ok(*id);
        }
        let id = match question_of(connection, protocol, key)? {
            Some(id) => id,
            None => {
                change(
                    connection,
                    "INSERT INTO question (protocol, key) VALUES (?1, ?2)",
                    params![protocol.0, key],
                )?;
                QuestionId(connection.last_insert_rowid())
            }
        };
        known.insert(key.to_owned(), id);
        Ok(id)
    }
}
