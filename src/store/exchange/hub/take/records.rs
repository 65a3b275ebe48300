//! Taking in records of a hub: the corpus, protocols, guidelines, amendments, and what was imported and handed out.

use rusqlite::params;
use serde_json::Value;

use super::super::give::{GUIDELINE, HANDED_OUT, IMPORT, NAMED, PROTOCOL_VERSION, SECRET};
use super::Taker;
use super::held::{Took, held, nonsense, unread};
use crate::hub::SentRecord;
use crate::protocol::{Protocol, builtin};
use crate::store::corpus::{CorpusWriter, RecordTaken, protocols};
use crate::store::exchange::import::note_file;
use crate::store::exchange::own;
use crate::store::exchange::own::OtherGuideline;
use crate::store::file::{AMENDMENT, Tried, VersionId, all, change, exists, first};
use crate::study::{AmendedKind, Amendment, Candidate, Record, RecordKind};
use crate::text::hash::Fingerprint;

impl Taker<'_> {
    pub(super) fn record(&mut self, record: &SentRecord) -> Took<bool> {
        // The exchange reads the secret before all other things.
        if record.kind == SECRET {
            return Ok(false);
        }
        let body: Value = serde_json::from_slice(&record.body).map_err(|_| unread())?;
        let text = |name: &str| body.get(name).and_then(Value::as_str).ok_or_else(unread);
        match record.kind.as_str() {
            PROTOCOL_VERSION => {
                let version = body.get("version").and_then(Value::as_u64).unwrap_or_default();
                let version = u32::try_from(version).map_err(|_| unread())?;
                match body.get("own").and_then(Value::as_bool) {
                    Some(true) => self.own_version(text("name")?, text("text")?),
                    _ => self.built_in(text("name")?, version, text("text")?),
                }
            }
            GUIDELINE => self.guideline(text("of")?.parse().map_err(|_| unread())?, text("text")?),
            HANDED_OUT => {
                let of = [text("protocol")?, text("terms")?];
                let insert = "INSERT OR IGNORE INTO handed_out (protocol, terms) VALUES (?1, ?2)";
                let added = change(self.connection, insert, of)?;
                let select = "SELECT id FROM handed_out WHERE protocol = ?1 AND terms = ?2";
                let id: Option<i64> = first(self.connection, select, of)?;
                self.came_back("handed_out", 0, id.unwrap_or_default())?;
                self.news.has_assignments |= added == 1;
                Ok(added == 1)
            }
            IMPORT => {
                let content: Fingerprint = text("content")?.parse().map_err(|_| unread())?;
                let at = body.get("at").and_then(Value::as_i64).ok_or_else(unread)?;
                let source = text("source")?;
                let is_new = note_file(self.connection, source, content, at)?;
                let select = "SELECT id FROM import WHERE source = ?1 AND content = ?2";
                let ids: Vec<i64> = all(self.connection, select, params![source, content])?;
                for id in ids {
                    self.came_back("import", 0, id)?;
                }
                Ok(is_new)
            }
            kind => {
                let (name, is_named) = match kind.strip_prefix(NAMED) {
                    Some(name) => (name, true),
                    None => (kind, false),
                };
                let kind = RecordKind::named(name).ok_or_else(unread)?;
                let record = read_record(kind, body.clone()).ok_or_else(unread)?;
                // Leads and observers take the record with real names only.
                let is_hidden = match &record {
                    Record::Candidate(_) | Record::Ranking(_) => true,
                    Record::Unit(unit) => unit.candidate.is_some(),
                    Record::Amendment(amendment) => amendment.of == AmendedKind::Candidate,
                    _ => false,
                };
                if self.home.secret.is_some() && is_hidden && !is_named {
                    return Ok(false);
                }
                if let Record::Candidate(new) = &record
                    && self.is_own_summary(new)?
                {
                    return Ok(false);
                }
                if let Record::Amendment(new) = &record {
                    return self.amendment(new);
                }
                self.corpus_record(&record)
            }
        }
    }

    fn amendment(&mut self, new: &Amendment) -> Took<bool> {
        let is_new = self.amendments.take(self.connection, new)? == RecordTaken::Added;
        for row in self.amendments.find(self.connection, new)? {
            self.came_back(AMENDMENT, 0, row)?;
        }
        self.news.has_amendments |= is_new;
        Ok(is_new)
    }

    /// Whether a candidate is a summary that was written in this file and came back under an alias.
    fn is_own_summary(&self, new: &Candidate) -> Tried<bool> {
        let select = "SELECT 1 FROM candidate k JOIN query q ON q.id = k.query JOIN collection c ON c.id = q.collection
             WHERE c.key = ?1 AND q.key = ?2 AND k.key <> ?3 AND k.text = ?4 AND k.summarizer LIKE 'human:%'";
        let of = [&new.collection, &new.query, &new.id, &new.text];
        let is_hidden = new.summarizer.is_none() && new.meta.is_empty();
        Ok(is_hidden && exists(self.connection, select, of)?)
    }

    fn corpus_record(&mut self, record: &Record) -> Took<bool> {
        let corpus = match &mut self.corpus {
            Some(corpus) => corpus,
            none => none.insert(CorpusWriter::prepare(self.connection)?),
        };
        let (taken, row) = corpus.take(record, &mut Vec::new()).ok_or_else(unread)?;
        let is_new = taken? != RecordTaken::Known;
        if let Some(row) = row {
            self.came_back(record.kind().name(), 0, row)?;
        }
        self.news.has_corpus |= is_new && !matches!(record, Record::Annotator(_));
        self.news.may_free |= is_new;
        Ok(is_new)
    }

    fn own_version(&mut self, name: &str, file: &str) -> Took<bool> {
        let protocol = Protocol::parse(file, "")?;
        if protocol.name != name {
            return Err(unread());
        }
        let hash = protocol.hash;
        let known = self.find_version(hash)?;
        if known.is_none() {
            let before = protocols::find(self.connection, name)?;
            own::add(self.connection, &protocol, OtherGuideline::Refused)?;
            let after = protocols::find(self.connection, name)?;
            self.news.has_other_versions |=
                before.is_some_and(|before| after.is_some_and(|after| after.hash != before.hash));
            // Items of the protocol may stand in queues from now on.
            self.news.has_corpus = true;
            self.news.may_free = true;
        }
        if let Some(id) = self.find_version(hash)? {
            self.came_back("protocol_version", 0, id)?;
        }
        Ok(known.is_none())
    }

    /// Takes in the guideline of a version: the hub's last one becomes the last one here.
    fn guideline(&mut self, of: Fingerprint, text: &str) -> Took<bool> {
        let version = self.find_version(of)?.ok_or_else(|| held("it is of a version that is not here"))?;
        let texts: Vec<(i64, String)> =
            all(self.connection, "SELECT id, text FROM guideline WHERE version = ?1 ORDER BY id", [version])?;
        for (id, _) in texts.iter().filter(|(_, known)| known == text) {
            self.came_back("guideline", 0, *id)?;
        }
        if texts.last().is_some_and(|(_, last)| last == text) {
            return Ok(false);
        }
        let insert = "INSERT INTO guideline (version, text) VALUES (?1, ?2)";
        change(self.connection, insert, params![version, text])?;
        Ok(true)
    }

    pub(super) fn built_in(&mut self, name: &str, version: u32, file: &str) -> Took<bool> {
        let current = protocols::find(self.connection, name)?;
        let has_grown = current.is_some_and(|current| current.grown_from().is_some());
        if builtin(name).is_none() || (!has_grown && protocols::is_own(self.connection, name)?) {
            return Err(held(format!("the protocol {name:?} is none of this haymark's own")));
        }
        let protocol = Protocol::parse(file, "")?;
        if protocol.name != name || protocol.version != version {
            return Err(nonsense(name));
        }
        let known = self.find_version(protocol.hash)?;
        let id = protocols::keep_name(self.connection, name)?;
        let VersionId(id) = protocols::keep_version(self.connection, id, &protocol)?;
        self.news.may_free |= known.is_none();
        self.came_back("protocol_version", 0, id)?;
        Ok(known.is_none())
    }
}

fn read_record(kind: RecordKind, mut body: Value) -> Option<Record> {
    body.as_object_mut()?.remove("type");
    kind.read(body).ok()
}
