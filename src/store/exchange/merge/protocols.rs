//! Merging protocols: versions by the fingerprint of their text, guidelines in the order in which they came.

use rusqlite::{Connection, params};

use super::{MergeMode, Merger, Tried};
use crate::protocol::{Protocol, builtin};
use crate::store::corpus::protocols;
use crate::store::file::{ProtocolId, all, all_by, change, first};
use crate::text::hash::Fingerprint;

/// A protocol of the other file.
struct Theirs {
    id: i64,
    name: String,
    own: bool,
    versions: Vec<Version>,
}

struct Version {
    id: i64,
    number: u32,
    hash: Fingerprint,
    file: String,
    /// The guidelines in the order in which they came; the last one counts.
    guidelines: Vec<String>,
}

impl Merger<'_> {
    /// Brings in protocols, versions and guidelines; returns whether a protocol that the study had has a new
    /// current version.
    pub(super) fn protocols(&mut self) -> Tried<bool> {
        let theirs = self.theirs(read(&self.other.connection))?;
        let mut has_new_versions = false;
        for protocol in theirs {
            has_new_versions |= self.protocol(&protocol)?;
        }
        Ok(has_new_versions)
    }

    fn protocol(&mut self, theirs: &Theirs) -> Tried<bool> {
        let known = protocols::id_of(self.connection, &theirs.name)?;
        let before = protocols::find(self.connection, &theirs.name)?;
        if !self.fits(theirs, known, before.as_ref())? {
            return Ok(false);
        }
        self.count("protocol", known.is_none());
        let id = protocols::keep_name(self.connection, &theirs.name)?;
        if theirs.own && !protocols::is_own(self.connection, &theirs.name)? {
            self.connection.execute("UPDATE protocol SET own = 1 WHERE id = ?1", [id.0])?;
        }
        self.rows.put("protocol", theirs.id, id.0);
        for version in &theirs.versions {
            if Protocol::fingerprint_of(&version.file) != version.hash && self.mode != MergeMode::Salvage {
                let (number, name) = (version.number, &theirs.name);
                return self.damaged(&format!("version {number} of protocol {name:?} has another text"));
            }
            self.version(id, theirs, version)?;
        }
        let after = protocols::find(self.connection, &theirs.name)?;
        self.remark_on(theirs, known.and(before.as_ref()), after.as_ref());
        let is_other = |before: &Protocol| after.as_ref().is_some_and(|after| after.hash != before.hash);
        Ok(known.is_some() && before.as_ref().is_some_and(is_other))
    }

    /// Whether the protocol means the same in both files; notes a clash where it does not.
    fn fits(&mut self, theirs: &Theirs, known: Option<ProtocolId>, ours: Option<&Protocol>) -> Tried<bool> {
        let name = &theirs.name;
        let mut clashes = Vec::new();
        let is_own = protocols::is_own(self.connection, name)?;
        let grows = |version: &Version| {
            Protocol::parse(&version.file, "").is_ok_and(|new| new.grown_from().is_some())
        };
        // A built-in protocol that has grown in one file only is the same protocol in both.
        let is_grown = |own: &Protocol| own.grown_from().is_some();
        let has_grown = theirs.versions.iter().any(grows) || ours.is_some_and(is_grown);
        if known.is_some() && is_own != theirs.own && !has_grown {
            clashes
                .push(format!("protocol {name:?} is the study's own in one file and haymark's in the other"));
        }
        for version in &theirs.versions {
            if theirs.own && known.is_some() {
                let other: Option<String> = first(
                    self.connection,
                    "SELECT file FROM protocol_version
                         WHERE protocol = ?1 AND version = ?2 AND hash <> ?3 LIMIT 1",
                    params![known.map(|id| id.0), version.number, version.hash],
                )?;
                if other.is_some() {
                    clashes.push(format!("version {} of protocol {name:?} has another text", version.number));
                    continue;
                }
            }
            // The texts of built-in protocols are kept and not parsed.
            if builtin(name).is_some() && !theirs.own {
                continue;
            }
            match Protocol::parse(&version.file, "") {
                Err(_) => clashes.push(format!(
                    "version {} of protocol {name:?} is not understood by this haymark; a newer one may",
                    version.number
                )),
                Ok(new) if ours.is_some_and(|ours| ours.target != new.target) => clashes
                    .push(format!("version {} of protocol {name:?} has another \"target\"", version.number)),
                Ok(_) => {}
            }
        }
        let fits = clashes.is_empty();
        for clash in clashes {
            self.clash("protocol", clash);
        }
        Ok(fits)
    }

    fn version(&mut self, protocol: ProtocolId, theirs: &Theirs, version: &Version) -> Tried<()> {
        let known: Option<i64> =
            first(self.connection, "SELECT id FROM protocol_version WHERE hash = ?1", [version.hash])?;
        let id = match known {
            Some(id) => id,
            None => {
                change(
                    self.connection,
                    "INSERT INTO protocol_version (protocol, version, hash, file) VALUES (?1, ?2, ?3, ?4)",
                    params![protocol.0, version.number, version.hash, version.file],
                )?;
                self.connection.last_insert_rowid()
            }
        };
        self.count("protocol version", known.is_none());
        self.rows.put("protocol_version", version.id, id);
        self.guidelines(id, theirs, version)
    }

    fn guidelines(&mut self, id: i64, theirs: &Theirs, version: &Version) -> Tried<()> {
        let ours: Vec<String> =
            all(self.connection, "SELECT text FROM guideline WHERE version = ?1 ORDER BY id", [id])?;
        let Some(added) = union(&ours, &version.guidelines) else {
            let what = format!(
                "version {} of protocol {:?} has another guideline, and neither file says which is newer",
                version.number, theirs.name
            );
            self.clash("guideline", what);
            return Ok(());
        };
        for text in &version.guidelines {
            self.count("guideline", !ours.contains(text));
        }
        for text in added {
            change(
                self.connection,
                "INSERT INTO guideline (version, text) VALUES (?1, ?2)",
                params![id, text],
            )?;
        }
        Ok(())
    }

    /// Remarks on new protocols, and on different current versions in the two files.
    fn remark_on(&mut self, theirs: &Theirs, before: Option<&Protocol>, after: Option<&Protocol>) {
        let name = &theirs.name;
        let current = after.map_or(0, |after| after.version);
        let newest = theirs.versions.iter().map(|version| version.number).max();
        let Some(newest) = newest else { return };
        if builtin(name).is_some() && !theirs.own {
            if newest != current {
                self.report.remarks.push(format!(
                    "protocol {name:?}: judged there under version {newest} too, while this haymark has version \
                     {current}; what was judged under another version is kept and counted apart"
                ));
            }
            return;
        }
        let stands = |version: u32| after.is_some_and(|after| after.counts_version(version));
        let remark = match before {
            Some(before) if before.version < current && stands(before.version) => {
                format!(
                    "protocol {name:?}: version {current} comes in, and what was judged under version {} stands",
                    before.version
                )
            }
            Some(_) if newest < current && stands(newest) => return,
            None => format!("protocol {name:?} is new to the study, in version {current}"),
            Some(before) if before.version < current => format!(
                "protocol {name:?}: version {current} comes in and takes the place of version {}, whose items are \
                 open again",
                before.version
            ),
            Some(_) if newest < current => format!(
                "protocol {name:?}: judged there under version {newest}, while the study has version {current}; \
                 those items are open here"
            ),
            Some(_) => return,
        };
        self.report.remarks.push(remark);
    }
}

/// The guidelines to append, so that the newer of the two current ones comes last, whichever file is merged
/// into which. `None` when neither file knew the other's guideline.
fn union<'t>(ours: &'t [String], theirs: &'t [String]) -> Option<Vec<&'t String>> {
    let mut missing: Vec<&String> = theirs.iter().filter(|text| !ours.contains(text)).collect();
    let (Some(our_last), Some(their_last)) = (ours.last(), theirs.last()) else { return Some(missing) };
    match (theirs.contains(our_last), ours.contains(their_last)) {
        _ if our_last == their_last => {
            if !missing.is_empty() {
                missing.push(our_last);
            }
            Some(missing)
        }
        (true, false) => Some(missing),
        (false, true) => {
            if !missing.is_empty() {
                missing.push(our_last);
            }
            Some(missing)
        }
        _ => None,
    }
}

fn read(theirs: &Connection) -> Tried<Vec<Theirs>> {
    let mut protocols: Vec<Theirs> =
        all_by(theirs, "SELECT id, name, own FROM protocol ORDER BY id", [], |row| {
            Ok(Theirs { id: row.get(0)?, name: row.get(1)?, own: row.get(2)?, versions: Vec::new() })
        })?;
    let mut versions = theirs
        .prepare("SELECT id, version, hash, file FROM protocol_version WHERE protocol = ?1 ORDER BY id")?;
    let mut guidelines = theirs.prepare("SELECT text FROM guideline WHERE version = ?1 ORDER BY id")?;
    for protocol in &mut protocols {
        let mut rows = versions.query([protocol.id])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let texts = guidelines.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            protocol.versions.push(Version {
                id,
                number: row.get(1)?,
                hash: row.get(2)?,
                file: row.get(3)?,
                guidelines: texts,
            });
        }
    }
    Ok(protocols)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guidelines as letters, the last one current.
    #[test]
    fn of_two_guidelines_the_newer_counts_in_both_directions() {
        let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        for (one, other, current) in [
            ("", "a", Some('a')),
            ("a", "ab", Some('b')),
            ("ab", "a", Some('b')),
            ("a", "a", Some('a')),
            ("ab", "cb", Some('b')),
            ("a", "b", None),
            ("ab", "ac", None),
            ("ab", "ba", None),
        ] {
            for (ours, theirs) in [(one, other), (other, one)] {
                let (ours, theirs) = (letters(ours), letters(theirs));
                let both =
                    union(&ours, &theirs).map(|added| ours.iter().chain(added).cloned().collect::<Vec<_>>());
                let last = both.as_ref().map(|both| both.last().cloned().unwrap_or_default());
                assert_eq!(last, current.map(String::from), "{ours:?} and {theirs:?}");
                if let Some(both) = both {
                    assert_eq!(union(&both, &theirs), Some(vec![]), "{ours:?} and {theirs:?}, twice");
                }
            }
        }
    }
}
