//! Bringing corpus records into the study: references are resolved, nothing is ever replaced.
//!
//! The same record again is known and changes nothing; another record under the same key is
//! refused, because judgments may rest on the first. A record is lost where a recovered file has its name alone, or where
//! it differs from its sum. A copy of a lost record comes in under the old number; a lost record never refuses another.

use std::borrow::Cow;
use std::collections::HashSet;

use std::rc::Rc;

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, ToSql, params};
use serde::de::DeserializeOwned;

use super::lookup::KeyLookup;
use super::{Texts, read};
use crate::error::Error;
use crate::protocol::builtins;
use crate::store::file::{Fault, Tried, all, change, first, one, stored};
use crate::study::{
    Annotator, AnnotatorId, AnnotatorKind, Candidate, CandidateId, Collection, CollectionId, Document,
    DocumentId, Evidence, Meta, Query, QueryId, RankedList, Record, RecordKind, RevisedFields, Unit, UnitId,
};
use crate::text::grapheme::beginning;
use crate::text::span::{Span, locate_at};

/// The outcome of bringing in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordTaken {
    Added,
    /// The record takes the place of another one, which stays in the journal.
    Replaced,
    /// A part of a judgment that answers further questions, or further fields of a query or a candidate.
    Joined,
    /// Rows of the journal that came in before the record hold all of it, and some of them were new.
    Journaled,
    /// The study held the same record already.
    Known,
    /// The source itself gave the same judgment before.
    GivenAgain,
    /// The study held the same judgment from another file. It is on record for this file too, since either may be withdrawn.
    Repeated,
}

type RecordOutcome = Tried<RecordTaken>;

/// Adds corpus records within one transaction.
pub(crate) struct CorpusWriter<'c> {
    connection: &'c Connection,
    pub(crate) keys: KeyLookup<'c>,
    pub(crate) texts: Texts<'c>,
    /// Documents whose texts are erased, here or where the records come from. Quotes of them do not come in either.
    erased: HashSet<DocumentId>,
    /// Kinds of units that no built-in protocol judges and that a remark has named already.
    unusual_kinds: HashSet<String>,
}

impl<'c> CorpusWriter<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<CorpusWriter<'c>> {
        Ok(CorpusWriter {
            connection,
            unusual_kinds: HashSet::new(),
            erased: all(
                connection,
                "SELECT id FROM document WHERE EXISTS (SELECT 1 FROM amendment) AND instr(meta, ?1)",
                [ERASED_FIELD],
            )?,
            keys: KeyLookup::prepare(connection)?,
            texts: Texts::new(connection),
        })
    }

    /// Takes a record; returns the outcome, and its row in the study. `None` where the record is neither of the corpus nor an
    /// annotator.
    pub(crate) fn take(
        &mut self,
        record: &Record,
        notes: &mut Vec<String>,
    ) -> Option<(RecordOutcome, Option<i64>)> {
        let taken = match record {
            Record::Collection(new) => self.take_collection(new),
            Record::Document(new) => self.take_document(new),
            Record::Query(new) => self.take_query(new),
            Record::Unit(new) => self.take_unit(new, notes),
            Record::Candidate(new) => self.take_candidate(new),
            Record::Annotator(new) => self.take_annotator(new),
            Record::Ranking(new) => self.take_ranking(new),
            _ => return None,
        };
        let row = match record {
            Record::Ranking(new) => self.ranking_row(new),
            _ => record.keys().map_or(Ok(None), |keys| self.row(record.kind(), keys)),
        };
        Some(match row {
            Ok(row) => (taken, row),
            Err(fault) => (Err(fault), None),
        })
    }

    /// Whether the text of a record is erased.
    pub(crate) fn is_erased(&self, kind: RecordKind, row: i64) -> Tried<bool> {
        let select = format!("SELECT coalesce(instr(meta, ?2), 0) > 0 FROM {} WHERE id = ?1", kind.name());
        one(self.connection, &select, params![row, ERASED_FIELD])
    }

    /// The row of a record under its keys.
    pub(crate) fn row(
        &mut self,
        kind: RecordKind,
        [collection, query, key]: [&str; 3],
    ) -> Tried<Option<i64>> {
        Ok(match kind {
            RecordKind::Collection => self.keys.collection(key)?.map(|id| id.0),
            RecordKind::Annotator => self.keys.annotator(key).map(|id| id.0),
            RecordKind::Query => self.find_query(collection, key)?.map(|(_, id)| id.0),
            RecordKind::Document => match self.keys.collection(collection)? {
                Some(scope) => self.keys.document(scope, key)?.map(|id| id.0),
                None => None,
            },
            RecordKind::Unit | RecordKind::Candidate => match self.find_query(collection, query)? {
                Some((_, query)) if kind == RecordKind::Unit => self.keys.unit(query, key)?.map(|id| id.0),
                Some((_, query)) => self.keys.candidate(query, key)?.map(|id| id.0),
                None => None,
            },
            _ => None,
        })
    }

    fn take_collection(&mut self, new: &Collection) -> RecordOutcome {
        check_key(&new.id)?;
        let there = self.keys.collection(&new.id)?;
        if let Some(id) = there {
            let shown = read::collection(self.connection, id)?;
            let old = self.compared("collection", id.0, shown, new, Record::Collection)?;
            if self.knows(
                ("collection", id.0),
                || format!("collection {:?}", new.id),
                [&old.meta, &new.meta],
                &[("another title", old.title == new.title), ("another domain", old.domain == new.domain)],
            )? {
                return Ok(RecordTaken::Known);
            }
        }
        let insert = "INSERT INTO collection (id, key, title, domain, meta) VALUES (?1, ?2, ?3, ?4, ?5)";
        change(self.connection, insert, params![there, new.id, new.title, new.domain, MetaText(&new.meta)])?;
        let id = CollectionId(self.connection.last_insert_rowid());
        self.keys.add(|known| known.add_collection(&Rc::from(new.id.as_str()), id));
        Ok(RecordTaken::Added)
    }

    fn take_document(&mut self, new: &Document) -> RecordOutcome {
        check_key(&new.id)?;
        let collection = self.collection_of(&new.collection)?;
        let what = || format!("document {:?} of collection {:?}", new.id, new.collection);
        let there = self.keys.document(collection, &new.id)?;
        let comes_erased = is_erased(&new.meta);
        self.erased.extend(there.filter(|_| comes_erased));
        if let Some(id) = there {
            let shown = read::document(self.connection, id)?;
            let number = shown.number;
            let old = self.compared("document", id.0, shown, new, Record::Document)?;
            let (held, came) = (!old.text.is_empty(), !new.text.is_empty());
            let rest_is_same = old.number == new.number
                && (old.title == new.title || old.title.is_none() || new.title.is_none())
                && !is_erased(&old.meta)
                && !is_lost(&old.meta)
                && !is_lost(&new.meta);
            if held && !came && rest_is_same {
                return Ok(RecordTaken::Known);
            }
            if came && !held && rest_is_same && (old.meta.is_empty() || old.meta == new.meta) {
                // A document that was only named gets its text once, with what else its corpus says.
                self.make_room("document", id.0)?;
            } else if self.knows(
                ("document", id.0),
                what,
                [&old.meta, &new.meta],
                &[
                    ("another number", old.number == new.number),
                    ("another title", old.title == new.title),
                    ("another text", old.text == new.text),
                ],
            )? {
                return Ok(RecordTaken::Known);
            }
            self.keys.free(collection, number, id);
        }
        if new.number == 0 {
            return Err(Error::new(format!("{} has number 0", what()))
                .advise("count documents from 1")
                .into());
        }
        if let Some(other) = self.keys.numbered(collection, new.number)? {
            let other = read::document(self.connection, other)?.id;
            let error =
                Error::new(format!("{} has number {}, which is that of {other:?}", what(), new.number));
            return Err(error.advise("give every document of a collection its own number").into());
        }
        let insert = "INSERT INTO document (id, collection, key, number, title, meta, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let meta = MetaText(&new.meta);
        let row = params![there, collection, new.id, new.number, new.title, meta, new.text];
        change(self.connection, insert, row)?;
        let id = DocumentId(self.connection.last_insert_rowid());
        self.keys.add(|known| known.add_document(collection, &Rc::from(new.id.as_str()), new.number, id));
        self.erased.extend(Some(id).filter(|_| comes_erased));
        Ok(RecordTaken::Added)
    }

    fn take_query(&mut self, new: &Query) -> RecordOutcome {
        check_key(&new.id)?;
        let collection = self.collection_of(&new.collection)?;
        let there = self.keys.query(collection, &new.id)?;
        let mut more = None;
        if let Some(id) = there {
            let shown = read::query(self.connection, id)?;
            let old = self.compared("query", id.0, shown, new, Record::Query)?;
            if is_named_only(new) && new.meta.is_empty() && !is_lost(&old.meta) {
                return Ok(RecordTaken::Known);
            }
            // A query that had only its id gets its text once, and new fields are added to the old ones.
            let joined = joined(&old, new).filter(|_| !is_lost(&new.meta) && !is_lost(&old.meta));
            if joined.as_ref() == Some(&old) {
                return Ok(RecordTaken::Known);
            }
            if let Some(joined) = joined {
                self.make_room("query", id.0)?;
                more = Some(joined);
            } else if self.knows(
                ("query", id.0),
                || format!("query {:?} of collection {:?}", new.id, new.collection),
                [&old.meta, &new.meta],
                &[
                    ("another text", old.text == new.text),
                    ("another category", old.category == new.category),
                    ("another domain", old.domain == new.domain),
                ],
            )? {
                return Ok(RecordTaken::Known);
            }
        }
        let new = more.as_ref().unwrap_or(new);
        let insert = "INSERT INTO query (id, collection, key, category, domain, meta, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let meta = MetaText(&new.meta);
        let row = params![there, collection, new.id, new.category, new.domain, meta, new.text];
        change(self.connection, insert, row)?;
        let id = QueryId(self.connection.last_insert_rowid());
        self.keys.add(|known| known.add_query(collection, &Rc::from(new.id.as_str()), id));
        Ok(if more.is_some() { RecordTaken::Joined } else { RecordTaken::Added })
    }

    /// The record of the corpus under these keys (collection, query and the record's own) as its row shows it, and as it came in
    /// where it was revised since.
    pub(crate) fn held(
        &mut self,
        kind: RecordKind,
        keys: [&str; 3],
    ) -> Tried<Option<(Record, Option<Record>)>> {
        match self.row(kind, keys)? {
            Some(row) => read::record(self.connection, kind.name(), row),
            None => Ok(None),
        }
    }

    /// Adds the ranking of a retriever for a query.
    fn take_ranking(&mut self, new: &RankedList) -> RecordOutcome {
        let (collection, query) = self.query_of(&new.collection, &new.query)?;
        let mut seen = HashSet::new();
        for ranked in &new.documents {
            self.document_of(collection, &ranked.document)?;
            if !seen.insert(&ranked.document) {
                let what = format!(
                    "document {:?} stands twice in the ranking of {:?}",
                    ranked.document, new.retriever
                );
                return Err(Error::new(what).advise("keep its first place").into());
            }
        }
        let documents = serde_json::to_string(&new.documents)
            .map_err(|error| Error::new(format!("the ranking cannot be kept: {error}")))?;
        let find = "SELECT documents FROM ranking WHERE query = ?1 AND retriever = ?2";
        let held: Option<String> = first(self.connection, find, params![query.0, new.retriever])?;
        match held {
            Some(held) if held == documents => return Ok(RecordTaken::Known),
            Some(_) => {
                let what = format!(
                    "the ranking of {:?} for query {:?} is already there with other documents",
                    new.retriever, new.query
                );
                return Err(Error::new(what)
                    .advise("give the retriever another name, or import it into another study")
                    .into());
            }
            None => {}
        }
        let insert = "INSERT INTO ranking (query, retriever, documents) VALUES (?1, ?2, ?3)";
        change(self.connection, insert, params![query, new.retriever, documents])?;
        Ok(RecordTaken::Added)
    }

    fn ranking_row(&mut self, ranking: &RankedList) -> Tried<Option<i64>> {
        let Some((_, query)) = self.find_query(&ranking.collection, &ranking.query)? else { return Ok(None) };
        let find = "SELECT id FROM ranking WHERE query = ?1 AND retriever = ?2";
        first(self.connection, find, params![query, ranking.retriever])
    }

    /// Adds a unit; notes evidence that does not stand in its document.
    fn take_unit(&mut self, new: &Unit, notes: &mut Vec<String>) -> RecordOutcome {
        check_key(&new.id)?;
        let (collection, query) = self.query_of(&new.collection, &new.query)?;
        let new = &*self.without_erased(collection, Cow::Borrowed(new))?;
        let what = || format!("unit {:?} of query {:?}", new.id, new.query);
        let gold = self.gold_of(collection, new)?;
        let there = self.keys.unit(query, &new.id)?;
        if let Some(id) = there {
            let shown = read::unit(self.connection, id)?;
            let old = self.compared("unit", id.0, shown, new, Record::Unit)?;
            let old = self.without_erased(collection, Cow::Owned(old))?;
            let old_gold = self.gold_of(collection, &old)?;
            if self.knows(
                ("unit", id.0),
                what,
                [&old.meta, &new.meta],
                &[
                    ("another kind", old.kind == new.kind),
                    ("another candidate", old.candidate == new.candidate),
                    ("another title", old.title == new.title),
                    ("another text", old.text == new.text),
                    ("other documents", old_gold == gold),
                    ("other evidence", old.evidence == new.evidence),
                    ("another score", old.score == new.score),
                ],
            )? {
                return Ok(RecordTaken::Known);
            }
        }
        let is_judged = builtins().iter().any(|protocol| protocol.units.contains(&new.kind));
        if !is_judged && self.unusual_kinds.insert(new.kind.clone()) {
            notes.push(format!(
                "{} and any others of the kind {:?} are judged by no built-in protocol",
                what(),
                new.kind
            ));
        }
        let mut passages = Vec::with_capacity(new.evidence.len());
        for evidence in &new.evidence {
            let document = self.document_of(collection, &evidence.document)?;
            let text = self.texts.of(RecordKind::Document, document.0)?;
            let span = locate_at(&text, &evidence.quote, evidence.start);
            // A withdrawn document comes by its name alone, and has nothing to quote.
            if span.is_none()
                && !self.erased.contains(&document)
                && !is_lost(&read::document(self.connection, document)?.meta)
            {
                notes.push(format!(
                    "{}: the quote {:?} does not stand in document {:?} and is not highlighted there",
                    what(),
                    shorten(&evidence.quote),
                    evidence.document
                ));
            }
            passages.push((document, span));
        }
        let insert =
            "INSERT INTO unit (id, query, key, kind, gold_known, score, title, meta, text, candidate)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let (is_known, meta) = (gold.is_some(), MetaText(&new.meta));
        let row = params![
            there,
            query,
            new.id,
            new.kind,
            is_known,
            new.score,
            new.title,
            meta,
            new.text,
            new.candidate
        ];
        change(self.connection, insert, row)?;
        let id = UnitId(self.connection.last_insert_rowid());
        for document in gold.iter().flatten() {
            add_gold(self.connection, id, *document)?;
        }
        for (ordinal, (evidence, passage)) in (0..).zip(new.evidence.iter().zip(passages)) {
            add_evidence(self.connection, (id, ordinal), evidence, passage)?;
        }
        self.keys.add(|known| known.add_unit(query, &Rc::from(new.id.as_str()), id));
        Ok(RecordTaken::Added)
    }

    /// The unit with its quotes of erased documents emptied.
    fn without_erased<'u>(
        &mut self,
        collection: CollectionId,
        mut unit: Cow<'u, Unit>,
    ) -> Tried<Cow<'u, Unit>> {
        if self.erased.is_empty() {
            return Ok(unit);
        }
        for place in 0..unit.evidence.len() {
            let document = self.keys.document(collection, &unit.evidence[place].document)?;
            if document.is_some_and(|document| self.erased.contains(&document)) {
                unit.to_mut().evidence[place].quote.clear();
            }
        }
        Ok(unit)
    }

    /// The documents that contain a unit, as a set.
    fn gold_of(&mut self, collection: CollectionId, unit: &Unit) -> Tried<Option<Vec<DocumentId>>> {
        let Some(documents) = &unit.documents else { return Ok(None) };
        let mut gold =
            documents.iter().map(|key| self.document_of(collection, key)).collect::<Tried<Vec<_>>>()?;
        gold.sort_unstable();
        gold.dedup();
        Ok(Some(gold))
    }

    pub(crate) fn take_candidate(&mut self, new: &Candidate) -> RecordOutcome {
        check_key(&new.id)?;
        let (_, query) = self.query_of(&new.collection, &new.query)?;
        let there = self.keys.candidate(query, &new.id)?;
        let mut more = None;
        if let Some(id) = there {
            let shown = read::candidate(self.connection, id)?;
            let old = self.compared("candidate", id.0, shown, new, Record::Candidate)?;
            // New fields are added to the old ones, and an answer whose documents came later cites from their list.
            let is_whole = |meta: &Meta| !is_lost(meta) && !is_erased(meta);
            let joined =
                joined_meta(&old.meta, &new.meta).filter(|_| is_whole(&old.meta) && is_whole(&new.meta));
            let cites = old.cites.clone().or_else(|| new.cites.clone());
            let has_more = joined.as_ref().is_some_and(|joined| *joined != old.meta || cites != old.cites);
            if has_more
                && (Candidate { meta: old.meta.clone(), cites: old.cites.clone(), ..new.clone() }) == old
            {
                self.make_room("candidate", id.0)?;
                more = joined.map(|meta| Candidate { meta, cites, ..old });
            } else if self.knows(
                ("candidate", id.0),
                || format!("candidate {:?} of query {:?}", new.id, new.query),
                [&old.meta, joined.as_ref().unwrap_or(&new.meta)],
                &[
                    ("another summarizer", old.summarizer == new.summarizer),
                    ("another retriever", old.retriever == new.retriever),
                    ("another order", old.order == new.order),
                    ("other citations", new.cites.is_none() || old.cites == new.cites),
                    ("another text", old.text == new.text),
                ],
            )? {
                return Ok(RecordTaken::Known);
            }
        }
        let new = more.as_ref().unwrap_or(new);
        let insert =
            "INSERT INTO candidate (id, query, key, summarizer, retriever, document_order, meta, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let meta = read::meta_of_candidate(new);
        let (meta, order) = (MetaText(&meta), &new.order);
        let row = params![there, query, new.id, new.summarizer, new.retriever, order, meta, new.text];
        change(self.connection, insert, row)?;
        let id = CandidateId(self.connection.last_insert_rowid());
        self.keys.add(|known| known.add_candidate(query, &Rc::from(new.id.as_str()), id));
        Ok(if more.is_some() { RecordTaken::Joined } else { RecordTaken::Added })
    }

    fn take_annotator(&mut self, new: &Annotator) -> RecordOutcome {
        check_key(&new.id)?;
        let there = self.keys.annotator(&new.id);
        if let Some(id) = there {
            let shown = read::annotator(self.connection, id)?;
            let old = self.compared("annotator", id.0, shown, new, Record::Annotator)?;
            if self.knows(
                ("annotator", id.0),
                || format!("annotator {:?}", new.id),
                [&old.meta, &new.meta],
                &[("another kind", old.kind == new.kind)],
            )? {
                return Ok(RecordTaken::Known);
            }
        }
        let id = add_annotator(self.connection, there, new)?;
        self.keys.add_annotator(&new.id, id);
        Ok(RecordTaken::Added)
    }

    /// Whether a record is known: every part is the same, or the new record is lost, or the old one is erased. A lost old
    /// record makes room for the new one. Any other record is refused with the name of the first part that differs.
    fn knows(
        &self,
        (table, id): (&str, i64),
        what: impl FnOnce() -> String,
        [old, new]: [&Meta; 2],
        parts: &[(&str, bool)],
    ) -> Tried<bool> {
        if is_lost(new) || is_erased(old) {
            return Ok(true);
        }
        if is_lost(old) {
            self.make_room(table, id)?;
            return Ok(false);
        }
        let meta = ("another meta", old == new);
        match parts.iter().chain([&meta]).find(|(_, equal)| !equal) {
            None => Ok(true),
            Some((part, _)) => {
                let error = Error::new(format!("{} is already there with {part}", what()));
                Err(error.advise("where this one is right, `haymark revise` puts the record right; else give it another id").into())
            }
        }
    }

    /// The old record that a new one is compared with: as it came in, or as its row shows it where it was revised to the same
    /// as the new one.
    fn compared<T: DeserializeOwned + Clone>(
        &self,
        table: &str,
        id: i64,
        shown: T,
        new: &T,
        record: fn(T) -> Record,
    ) -> Tried<T> {
        let contents = |one: &T| RevisedFields::of(&record(one.clone()));
        match read::original(self.connection, table, id)? {
            Some(original) if contents(&shown) != contents(new) => Ok(original),
            _ => Ok(shown),
        }
    }

    /// Deletes the row of a lost record. References to it are checked when the transaction ends: by then the record is there
    /// again.
    fn make_room(&self, table: &str, id: i64) -> Tried<()> {
        self.connection.execute_batch("PRAGMA defer_foreign_keys = ON")?;
        // Its revisions are applied again when amendments are settled.
        change(self.connection, "DELETE FROM original WHERE tbl = ?1 AND id = ?2", params![table, id])?;
        let own: &[&str] = if table == "unit" { &["gold", "evidence"] } else { &[] };
        for (table, column) in own.iter().map(|own| (*own, "unit")).chain([(table, "id")]) {
            change(self.connection, &format!("DELETE FROM {table} WHERE {column} = ?1"), [id])?;
            change(
                self.connection,
                "DELETE FROM row_sum WHERE tbl = ?1 AND record = ?2",
                params![table, id],
            )?;
        }
        Ok(())
    }

    /// Gives the annotator with this key another kind. What follows from amendments has to be made anew then.
    pub(crate) fn change_kind(&self, new: &Annotator) -> Tried<()> {
        if let Some(id) = self.keys.annotator(&new.id) {
            self.make_room("annotator", id.0)?;
            add_annotator(self.connection, Some(id), new)?;
        }
        Ok(())
    }

    /// The kind of the annotator with this key, where the study knows one.
    pub(crate) fn annotator_kind(&self, key: &str) -> Tried<Option<AnnotatorKind>> {
        let id = self.keys.annotator(key);
        Ok(id.map(|id| read::annotator(self.connection, id)).transpose()?.map(|known| known.kind))
    }

    /// The kind of a unit.
    pub(super) fn kind_of(&self, unit: UnitId) -> Tried<String> {
        one(self.connection, "SELECT kind FROM unit WHERE id = ?1", [unit.0])
    }

    fn collection_of(&mut self, key: &str) -> Tried<CollectionId> {
        self.keys.collection(key)?.ok_or_else(|| missing(&format!("collection {key:?}")))
    }

    fn document_of(&mut self, collection: CollectionId, key: &str) -> Tried<DocumentId> {
        if let Some(document) = self.keys.document(collection, key)? {
            return Ok(document);
        }
        let collection = read::collection(self.connection, collection)?.id;
        Err(missing(&format!("document {key:?} of collection {collection:?}")))
    }

    /// The query of this key; an empty collection means the one collection that has it.
    pub(crate) fn query_of(&mut self, collection: &str, key: &str) -> Tried<(CollectionId, QueryId)> {
        if let Some(found) = self.find_query(collection, key)? {
            return Ok(found);
        }
        if !collection.is_empty() {
            self.collection_of(collection)?;
            return Err(missing(&format!("query {key:?} of collection {collection:?}")));
        }
        if self.keys.whole()?.queries.everywhere(key).is_empty() {
            return Err(missing(&format!("query {key:?}")));
        }
        let what = format!("several collections have a query {key:?}");
        Err(Error::new(what).advise("add \"collection\"").into())
    }

    fn find_query(&mut self, collection: &str, key: &str) -> Tried<Option<(CollectionId, QueryId)>> {
        if collection.is_empty() {
            let everywhere = self.keys.whole()?.queries.everywhere(key);
            return Ok(everywhere.first().filter(|_| everywhere.len() == 1).copied());
        }
        let Some(scope) = self.keys.collection(collection)? else { return Ok(None) };
        Ok(self.keys.query(scope, key)?.map(|query| (scope, query)))
    }
}

/// Adds a person or a model, under the number `there` of an annotator of whom the name alone is left.
pub(crate) fn add_annotator(
    connection: &Connection,
    there: Option<AnnotatorId>,
    new: &Annotator,
) -> Tried<AnnotatorId> {
    change(
        connection,
        "INSERT INTO annotator (id, key, kind, meta) VALUES (?1, ?2, ?3, ?4)",
        params![there, new.id, new.kind.name(), MetaText(&new.meta)],
    )?;
    Ok(AnnotatorId(connection.last_insert_rowid()))
}

/// Notes that a document contains a unit.
pub(crate) fn add_gold(connection: &Connection, unit: UnitId, document: DocumentId) -> Tried<()> {
    let insert = "INSERT OR IGNORE INTO gold (unit, document) VALUES (?1, ?2)";
    change(connection, insert, params![unit, document]).map(drop)
}

/// Adds a passage to a unit, at its place in the document where it was found there.
pub(crate) fn add_evidence(
    connection: &Connection,
    (unit, ordinal): (UnitId, i64),
    evidence: &Evidence,
    (document, span): (DocumentId, Option<Span>),
) -> Tried<()> {
    let insert = "INSERT INTO evidence (unit, ordinal, document, given_start, span_start, span_end, quote)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let given = evidence.start.and_then(|start| i64::try_from(start).ok());
    let [start, end] = ends_of(span);
    change(connection, insert, params![unit, ordinal, document, given, start, end, evidence.quote]).map(drop)
}

/// The start and end of a passage as they are stored.
pub(crate) fn ends_of(span: Option<Span>) -> [Option<i64>; 2] {
    [span.map(|span| stored(span.start())), span.map(|span| stored(span.end()))]
}

/// The tables of records that can be lost, each after those that it refers to.
pub(crate) const RECORDS: [&str; 6] = ["collection", "query", "document", "unit", "candidate", "annotator"];

/// The beginning of the key of a record of which a recovery found not even the name.
pub(crate) const NAMELESS: &str = "lost-";

/// The free field that marks a record as lost in whole or in part.
pub(crate) const LOST_FIELD: &str = "haymark_lost";

/// The free field of an erased record: the fingerprint of its text.
pub(crate) const ERASED_FIELD: &str = "haymark_erased";

fn is_erased(meta: &Meta) -> bool {
    meta.contains_key(ERASED_FIELD)
}

/// A document reduced to its name and number, for files that may not have more.
pub(crate) fn name_of_document(document: Document) -> Document {
    let erased = document.meta.get_key_value(ERASED_FIELD).map(|(key, value)| (key.clone(), value.clone()));
    let meta = std::iter::once((LOST_FIELD.to_owned(), true.into())).chain(erased).collect();
    Document { title: None, text: String::new(), meta, ..document }
}

/// Whether a query came with its id alone, which is its text then.
fn is_named_only(query: &Query) -> bool {
    query.text == query.id && !is_lost(&query.meta)
}

/// One record of two of the same query; `None` where they contradict each other. Fields of both stand in the
/// order of their names, whichever record came first.
fn joined(old: &Query, new: &Query) -> Option<Query> {
    let fits = |old: &Option<String>, new: &Option<String>| old.is_none() || new.is_none() || old == new;
    let meta = joined_meta(&old.meta, &new.meta)?;
    let has_one_text = old.text == new.text || is_named_only(old) || is_named_only(new);
    let has_one_label = fits(&old.category, &new.category) && fits(&old.domain, &new.domain);
    if !has_one_text || !has_one_label {
        return None;
    }
    let (mut joined, named) = (Query { meta, ..old.clone() }, is_named_only(old));
    joined.category = joined.category.or_else(|| new.category.clone());
    joined.domain = joined.domain.or_else(|| new.domain.clone());
    joined.text = if named { new.text.clone() } else { joined.text };
    Some(joined)
}

/// The fields of both, in the same order whichever came first; `None` where a field differs.
fn joined_meta(old: &Meta, new: &Meta) -> Option<Meta> {
    if old.iter().any(|(name, value)| new.get(name).is_some_and(|other| other != value)) {
        return None;
    }
    // Where one record has all fields, they keep its order.
    let (least, most) = if old.len() < new.len() { (old, new) } else { (new, old) };
    let mut joined = most.clone();
    joined.extend(least.clone());
    if joined.len() > most.len() {
        joined.sort_keys();
    }
    Some(joined)
}

/// Whether a record is lost in whole or in part.
fn is_lost(meta: &Meta) -> bool {
    meta.get(LOST_FIELD) == Some(&serde_json::Value::Bool(true))
}

/// The lost records of a table, by number and key: as their rows show them, or as they came in before a revision.
pub(crate) fn lost(connection: &Connection, table: &str) -> Tried<Vec<(i64, String)>> {
    let select = format!(
        "SELECT t.id, t.key, coalesce(t.meta, '{{}}'), coalesce(o.record, '{{}}') FROM {table} t
          LEFT JOIN original o ON o.tbl = '{table}' AND o.id = t.id
          WHERE instr(t.meta, ?1) OR instr(o.record, ?1) ORDER BY t.id"
    );
    let found: Vec<(i64, String, String, String)> = all(connection, &select, [LOST_FIELD])?;
    let fields = |text: &str| serde_json::from_str::<Meta>(text).unwrap_or_default();
    let came_lost =
        |record: &str| fields(record).get("meta").and_then(|meta| meta.as_object()).is_some_and(is_lost);
    let lost = found.into_iter().filter(|(.., meta, came)| is_lost(&fields(meta)) || came_lost(came));
    Ok(lost.map(|(id, key, ..)| (id, key)).collect())
}

fn check_key(key: &str) -> Tried<()> {
    if key.is_empty() {
        return Err(Error::new("\"id\" is empty").advise("give every record a name of its own").into());
    }
    Ok(())
}

/// The fault of a reference to a record that has not come in.
pub(crate) fn missing(what: &str) -> Fault {
    Error::new(format!("{what} is not in the study"))
        .advise("import it first, or put its record earlier in the file")
        .into()
}

/// The beginning of a text, for a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    beginning(text, 60)
}

/// Free fields as JSON; NULL when there are none.
pub(crate) struct MetaText<'m>(pub(crate) &'m Meta);

impl ToSql for MetaText<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if self.0.is_empty() {
            return Ok(ToSqlOutput::from(rusqlite::types::Null));
        }
        let text = serde_json::to_string(self.0)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        Ok(ToSqlOutput::from(text))
    }
}
