//! Importing a source: one transaction, all or nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::journal_records::{JournalNews, JournalTaker};
use super::places::RecordPlaces;
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::store::corpus::{CorpusWriter, RecordTaken};
use crate::store::exchange::hub::Twins;
use crate::store::exchange::own;
use crate::store::exchange::own::{AddedProtocol, OtherGuideline};
use crate::store::file::{Fault, StudyFile, Tried, change, first, named, one};
use crate::store::journal::judgments::Judgments;
use crate::store::journal::{amend, caches, sessions};
use crate::store::work::asked::AskedItems;
use crate::store::work::assignments::Assignments;
use crate::study::amendment::standing;
use crate::study::{
    Act, AmendedKind, Amendment, Annotator, AnnotatorKind, AskedItem, ItemKey, JournalPart, JournalRecord,
    JudgmentLine, Place, ProtocolText, Record, RecordKind, Remark, RunMark, Sink, judge_run, run_of,
};
use crate::text::bullets::has_headings;
use crate::text::hash::Fingerprint;
use crate::text::person::refuse_name;

/// The options of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Whether records that are refused are left out; otherwise, one of them ends the import and nothing is taken.
    pub skip_bad: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Records that the study did not hold.
    pub added: BTreeMap<RecordKind, usize>,
    /// Judgments that replace other ones of the same annotators, which stay in the journal.
    pub replaced: BTreeMap<RecordKind, usize>,
    /// Rows that answer further questions of judgments, or say more of other records, of this source or from before.
    pub joined: BTreeMap<RecordKind, usize>,
    /// Records that the study held already.
    pub known: BTreeMap<RecordKind, usize>,
    /// Judgments that the source itself had given before.
    pub again: BTreeMap<RecordKind, usize>,
    /// Known records that were withdrawn from the study, and the file itself: kind and key.
    pub withdrawn: Vec<String>,
    /// Known records whose texts were erased, and stay out: kind and key.
    pub erased: Vec<String>,
    /// Whether rows of the journal came, which have names of their own.
    has_journal: bool,
    rows_added: usize,
    rows_known: usize,
    /// Whether any event was named after the source itself.
    is_source: bool,
    /// Remarks about single records, in their order.
    pub remarks: Vec<Remark>,
    /// How many records were left out.
    pub left_out: usize,
    /// How many summaries that came in have headings among their bullets.
    pub with_headings: usize,
}

impl ImportReport {
    /// Counts rows of the journal where no records of judgments follow them.
    fn tell_rows(&mut self) {
        use RecordKind::{Adjudication, Assignment, Judgment};
        let told = [Judgment, Adjudication, Assignment];
        let has_told =
            |counts: &BTreeMap<RecordKind, usize>| told.iter().any(|kind| counts.contains_key(kind));
        if has_told(&self.added) || has_told(&self.replaced) || has_told(&self.known) {
            return;
        }
        for (counts, rows) in [(&mut self.added, self.rows_added), (&mut self.known, self.rows_known)] {
            if rows > 0 {
                counts.insert(RecordKind::Journal, rows);
            }
        }
    }
}

/// The imports of one step: all of them are kept, or none.
pub struct Imports<'c> {
    connection: &'c Connection,
    path: &'c Path,
    places: RefCell<RecordPlaces>,
}

impl StudyFile {
    /// Imports the records that `read` hands to its sink, as [`Imports::import`] does, as a step of its own.
    pub fn import(
        &mut self,
        source_name: &str,
        content: Fingerprint,
        options: ImportOptions,
        now_ms: i64,
        read: impl FnOnce(&mut dyn Sink) -> Result<()>,
    ) -> Result<ImportReport> {
        self.import_together(|imports| imports.import(source_name, content, options, now_ms, read))
    }

    /// Runs the imports of `work` as one step, which is on the disk when this returns. After an error the study is as it was.
    pub fn import_together<T>(&mut self, work: impl FnOnce(&Imports<'_>) -> Result<T>) -> Result<T> {
        self.imports(true, work)
    }

    /// Runs the imports of `work` as [`StudyFile::import_together`] does, and writes nothing.
    pub fn rehearse_import<T>(&mut self, work: impl FnOnce(&Imports<'_>) -> Result<T>) -> Result<T> {
        self.imports(false, work)
    }

    fn imports<T>(&mut self, is_kept: bool, work: impl FnOnce(&Imports<'_>) -> Result<T>) -> Result<T> {
        let path = self.path.clone();
        self.in_bulk(is_kept, |connection| {
            Ok(work(&Imports { connection, path: &path, places: RefCell::default() })?)
        })
    }
}

impl Imports<'_> {
    /// Imports the records that `read` hands to its sink. The report holds once the whole step is kept.
    ///
    /// `source_name` is the file's name for messages, `content` the fingerprint of its bytes: the
    /// same content always gives the same events. `now_ms` is the wall time in milliseconds since
    /// 1970.
    ///
    /// # Errors
    /// A record is refused (its place is named) and bad records are not skipped, `read` fails, or
    /// the study cannot be written. Nothing of the step may be kept then.
    pub fn import(
        &self,
        source_name: &str,
        content: Fingerprint,
        options: ImportOptions,
        now_ms: i64,
        read: impl FnOnce(&mut dyn Sink) -> Result<()>,
    ) -> Result<ImportReport> {
        let import = || {
            let mut importer = Importer::prepare(self, content, options, now_ms)?;
            let read = read(&mut importer);
            let mut report = importer.finish(read, source_name)?;
            report.withdrawn.extend(withdrawn_file(self.connection, content)?);
            let news = [&report.added, &report.replaced, &report.joined];
            if report.is_source || news.into_iter().flat_map(BTreeMap::values).any(|count| *count > 0) {
                note_import(self.connection, source_name, content, now_ms, &report)?;
            }
            Ok(report)
        };
        named(self.path, import())
    }
}

/// Notes the source, and makes queues and loaded documents look again.
fn note_import(
    connection: &Connection,
    source_name: &str,
    content: Fingerprint,
    now_ms: i64,
    report: &ImportReport,
) -> Tried<()> {
    if report.is_source || !report.has_journal {
        note_file(connection, source_name, content, now_ms)?;
    }
    // Assignments are no corpus, but queues go by them as well.
    use RecordKind::{Adjudication, Amendment, Annotator, Import, Journal, Judgment, Protocol};
    let corpus_grew = report.added.keys().chain(report.joined.keys()).any(|kind| {
        !matches!(kind, Amendment | Annotator | Protocol | Import | Journal | Judgment | Adjudication)
    });
    if corpus_grew {
        caches::look_again(connection)?;
    }
    Ok(())
}

/// The name under which a file came in whose judgments are withdrawn, with who withdrew them and why.
fn withdrawn_file(connection: &Connection, content: Fingerprint) -> Tried<Option<String>> {
    let (amendments, id) = (amend::read(connection)?, content.to_string());
    let is_of = |one: &&Amendment| one.of == AmendedKind::Import && one.act == Act::Withdraw && one.id == id;
    let Some(Amendment { by, why, .. }) = standing(&amendments).into_iter().find(is_of) else {
        return Ok(None);
    };
    let select = "SELECT source FROM import WHERE content = ?1 ORDER BY id";
    let source: Option<String> = first(connection, select, [content])?;
    Ok(source.map(|source| format!("import {source} (by {by}: {why})")))
}

/// Notes an imported file; returns whether it is new.
pub(super) fn note_file(connection: &Connection, source: &str, content: Fingerprint, at: i64) -> Tried<bool> {
    let insert = "INSERT INTO import (source, content, at) SELECT ?1, ?2, ?3
         WHERE NOT EXISTS (SELECT 1 FROM import WHERE content = ?2 AND source = ?1)";
    Ok(change(connection, insert, params![source, content, at])? == 1)
}

/// The sink of an import.
struct Importer<'c> {
    connection: &'c Connection,
    corpus: CorpusWriter<'c>,
    twins: Twins<'c>,
    judgments: Judgments<'c>,
    assignments: Assignments<'c>,
    amendments: amend::AmendmentRows,
    /// Takes rows of the journal, while they come.
    journal: Option<JournalTaker<'c>>,
    /// The news that rows of the journal brought.
    news: JournalNews,
    asked: AskedItems,
    /// Wall time in milliseconds since 1970.
    now_ms: i64,
    options: ImportOptions,
    report: ImportReport,
    places: &'c RefCell<RecordPlaces>,
    /// Whether a protocol that the study had has a new version.
    has_new_version: bool,
    /// The fault after which nothing more is taken and nothing is kept.
    fault: Option<Fault>,
}

impl<'c> Importer<'c> {
    fn prepare(
        imports: &'c Imports<'_>,
        content: Fingerprint,
        options: ImportOptions,
        now_ms: i64,
    ) -> Tried<Importer<'c>> {
        let connection = imports.connection;
        Ok(Importer {
            connection,
            places: &imports.places,
            has_new_version: false,
            corpus: CorpusWriter::prepare(connection)?,
            twins: Twins::prepare(connection, None)?,
            judgments: Judgments::prepare(connection, content)?,
            assignments: Assignments::prepare(connection, content),
            amendments: amend::AmendmentRows::default(),
            journal: None,
            news: JournalNews::default(),
            asked: AskedItems::default(),
            now_ms,
            options,
            report: ImportReport::default(),
            fault: None,
        })
    }

    fn record(&mut self, place: &Place, record: &Record, notes: &mut Vec<String>) -> Tried<RecordTaken> {
        if !matches!(record, Record::Journal(_)) {
            self.end_journal()?;
        }
        if let Some(is_new) = self.is_news(record) {
            return Ok(if is_new { RecordTaken::Journaled } else { RecordTaken::Known });
        }
        // An imported name stays as it is, even where nobody could take it on a screen.
        if let Record::Annotator(Annotator { id, kind: AnnotatorKind::Human, .. }) = record
            && let Err(error) = refuse_name(id)
        {
            notes.push(format!("{}: `haymark people --rename` gives another", error.what()));
        }
        match record {
            Record::Journal(new) => self.journal_row(new),
            Record::Import(new) => {
                let content = new.content.parse().map_err(|_| {
                    let what = format!("the content {:?} is no fingerprint", new.content);
                    Error::new(what).at_path("content").advise("give 32 hexadecimal digits")
                })?;
                let is_new = note_file(self.connection, &new.source, content, self.now_ms)?;
                Ok(if is_new { RecordTaken::Added } else { RecordTaken::Known })
            }
            Record::Collection(_)
            | Record::Document(_)
            | Record::Query(_)
            | Record::Unit(_)
            | Record::Candidate(_)
            | Record::Ranking(_)
            | Record::Annotator(_) => {
                if let Record::Candidate(new) = record {
                    self.twins.refuse(new)?;
                }
                let Some((taken, row)) = self.corpus.take(record, notes) else {
                    return Ok(RecordTaken::Known);
                };
                let taken = taken?;
                let is_out = "SELECT EXISTS (SELECT 1 FROM withdrawn WHERE what = ?1 AND id = ?2)";
                if taken == RecordTaken::Known
                    && !matches!(record, Record::Annotator(_))
                    && one(self.connection, is_out, params![record.kind().name(), row])?
                {
                    let key = record.keys().map_or("", |[.., key]| key);
                    let told = format!("{} {key}", record.kind().name());
                    match row.map(|row| self.corpus.is_erased(record.kind(), row)).transpose()? {
                        Some(true) => self.report.erased.push(told),
                        _ => self.report.withdrawn.push(told),
                    }
                }
                row.into_iter().for_each(|row| self.places.borrow_mut().note(record.kind(), row, place));
                Ok(taken)
            }
            Record::Map(new) => own::keep_map(self.connection, new),
            Record::Protocol(new) => self.protocol(new),
            Record::Judgment(new) => {
                // The quick way, where it is open, is ten times as fast, also for a judgment that came as a record.
                let answers = Value::Object(new.answers.clone()).to_string();
                let line = JudgmentLine::of(new, &answers);
                match line.map(|line| self.judgments.take_line(&mut self.corpus, &line)).transpose()? {
                    Some(true) => Ok(RecordTaken::Added),
                    _ => self.judgments.take(&mut self.corpus, new, notes),
                }
            }
            Record::Adjudication(new) => self.judgments.take_adjudication(&mut self.corpus, new, notes),
            Record::Session(new) => sessions::take(self.connection, &mut self.corpus, new),
            Record::Amendment(new) => self.amendments.take(self.connection, new),
            Record::Assignment(new) => {
                self.assignments.take(&mut self.corpus, &mut self.judgments.items, new)
            }
        }
    }

    fn journal_row(&mut self, new: &JournalRecord) -> Tried<RecordTaken> {
        let journal = match &mut self.journal {
            Some(journal) => journal,
            none => {
                self.judgments.finish()?;
                none.insert(JournalTaker::new(self.connection)?)
            }
        };
        Ok(if journal.take(new)? { RecordTaken::Added } else { RecordTaken::Known })
    }

    /// Updates the study after rows of the journal, before any other record is taken.
    fn end_journal(&mut self) -> Tried<()> {
        match self.journal.take() {
            Some(journal) => {
                // The fold needs to know which names are one person.
                amend::settle(self.connection)?;
                self.news = journal.finish()?;
                self.judgments.look_again()
            }
            None => Ok(()),
        }
    }

    /// Whether the journal before a record brought anything new, where the record only sums up the journal.
    fn is_news(&self, record: &Record) -> Option<bool> {
        use JournalPart::{Assigning, Judging};
        match record {
            Record::Judgment(new) if new.is_as_exported() => {
                let item = new.about().item_key_beside(&new.protocol, new.aside);
                self.news.of(Judging, &new.annotator, item)
            }
            Record::Adjudication(new) if new.is_as_exported() => {
                self.news.of(Judging, &new.annotator, new.about().item_key(&new.protocol))
            }
            Record::Assignment(new) if new.is_as_exported() => {
                let item = new.about().item_key_beside(&new.protocol, new.terms().aside());
                self.news.of(Assigning, &new.annotator, item)
            }
            _ => None,
        }
    }

    fn protocol(&mut self, new: &ProtocolText) -> Tried<RecordTaken> {
        // The line is counted within the text, not in the file around the record.
        let protocol = Protocol::parse(&new.text, &new.guideline).map_err(|error| {
            Error::new(format!("the protocol {:?} is wrong: {error}", new.name)).at_path("text")
        })?;
        for (field, same) in
            [("name", protocol.name == new.name), ("version", protocol.version == new.version)]
        {
            if !same {
                let what = format!("the {field} in the text of protocol {:?} is another", new.name);
                return Err(Error::new(what).at_path(field).advise("copy it from the text").into());
            }
        }
        match own::add(self.connection, &protocol, OtherGuideline::Refused)? {
            AddedProtocol::Known => return Ok(RecordTaken::Known),
            AddedProtocol::NewVersion => self.has_new_version = true,
            AddedProtocol::New | AddedProtocol::NewGuideline => {}
        }
        self.judgments.forget_current()?;
        Ok(RecordTaken::Added)
    }

    /// Stops the import for good. The reader gets an error that stops it; [`Importer::finish`] reports `fault`.
    fn stop(&mut self, fault: Fault) -> Error {
        let told = match &fault {
            Fault::Said(error) => error.clone(),
            Fault::Sql(error) => Error::new(error.to_string()),
        };
        self.fault.get_or_insert(fault);
        told
    }

    /// The report, or the first thing that went wrong, with the name of the source.
    fn finish(mut self, read: Result<()>, source_name: &str) -> Tried<ImportReport> {
        match (self.fault.take(), read) {
            (Some(Fault::Said(error)), _) | (None, Err(error)) => Err(error.in_file(source_name).into()),
            (Some(fault), _) => Err(fault),
            (None, Ok(())) => {
                self.end_journal()?;
                self.judgments.finish()?;
                self.report.tell_rows();
                if self.has_new_version {
                    own::after_new_versions(self.connection)?;
                }
                if amend::is_amended(self.connection)? {
                    amend::apply(self.connection)?;
                }
                Ok(self.report)
            }
        }
    }

    fn leave_out(&mut self, place: Place, error: &Error) {
        self.report.left_out += 1;
        self.report.remarks.push(Remark { place, what: error.to_string(), left_out: true });
    }
}

impl Sink for Importer<'_> {
    fn take(&mut self, place: Place, record: Record) -> Result<()> {
        if self.fault.is_some() {
            return Err(Error::new("the import has stopped"));
        }
        let kind = record.kind();
        let mut notes = Vec::new();
        match self.record(&place, &record, &mut notes) {
            // A judge's answers are counted as its judgments.
            Ok(_) if matches!(&record, Record::Amendment(new) if new.act == Act::Answer) => {}
            // These rows are counted by the records that sum them up.
            Ok(taken) if matches!(kind, RecordKind::Journal | RecordKind::Import) => {
                self.report.has_journal = true;
                let is_known = matches!(taken, RecordTaken::Known);
                *(if is_known { &mut self.report.rows_known } else { &mut self.report.rows_added }) += 1;
            }
            Ok(RecordTaken::Journaled) => {
                *self.report.added.entry(kind).or_default() += 1;
            }
            Ok(RecordTaken::Joined) => {
                self.report.is_source |= kind == RecordKind::Judgment;
                *self.report.joined.entry(kind).or_default() += 1;
            }
            Ok(RecordTaken::Replaced) => {
                self.report.is_source = true;
                *self.report.replaced.entry(kind).or_default() += 1;
            }
            Ok(RecordTaken::Added) => {
                use RecordKind::{Adjudication, Assignment, Judgment};
                self.report.is_source |= matches!(kind, Judgment | Adjudication | Assignment);
                *self.report.added.entry(kind).or_default() += 1;
                if let Record::Candidate(new) = &record {
                    self.report.with_headings += usize::from(has_headings(&new.text));
                }
            }
            Ok(RecordTaken::GivenAgain) => *self.report.again.entry(kind).or_default() += 1,
            Ok(taken @ (RecordTaken::Known | RecordTaken::Repeated)) => {
                self.report.is_source |= taken == RecordTaken::Repeated;
                *self.report.known.entry(kind).or_default() += 1;
                // The notes were given when the record was added.
                notes.clear();
            }
            Err(Fault::Said(error)) => return self.refuse(place, error),
            Err(fault) => return Err(self.stop(fault)),
        }
        for what in notes {
            self.remark(place.clone(), what);
        }
        Ok(())
    }

    fn take_line(&mut self, _: u64, judgment: &JudgmentLine<'_>) -> Result<bool> {
        if self.fault.is_some() {
            return Err(Error::new("the import has stopped"));
        }
        let taken = self.end_journal().and_then(|()| self.judgments.take_line(&mut self.corpus, judgment));
        let is_taken = match taken {
            Ok(is_taken) => is_taken,
            Err(fault) => return Err(self.stop(fault)),
        };
        if is_taken {
            self.report.is_source = true;
            *self.report.added.entry(RecordKind::Judgment).or_default() += 1;
        }
        Ok(is_taken)
    }

    fn as_it_came(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Record>> {
        let held = self.corpus.held(kind, keys).map_err(|fault| self.stop(fault))?;
        Ok(held.and_then(|(_, original)| original))
    }

    fn held(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Record>> {
        let held = match kind {
            RecordKind::Protocol => own::held(self.connection, keys[2]),
            kind => self.corpus.held(kind, keys).map(|held| held.map(|(shown, _)| shown)),
        };
        held.map_err(|fault| self.stop(fault))
    }

    fn came_at(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Place>> {
        let row = self.corpus.row(kind, keys).map_err(|fault| self.stop(fault))?;
        Ok(row.and_then(|row| self.places.borrow().of(kind, row)))
    }

    fn free_number(&mut self, collection: &str, from: u32) -> Result<u32> {
        self.corpus.keys.free_number(collection, from).map_err(|fault| self.stop(fault))
    }

    fn queries_of(&mut self, candidate: &str) -> Result<Vec<[String; 2]>> {
        let queries = self.corpus.keys.whole().map(|keys| keys.queries_of(candidate));
        queries.map_err(|fault| self.stop(fault))
    }

    fn annotator_kind(&mut self, annotator: &str) -> Result<Option<AnnotatorKind>> {
        self.corpus.annotator_kind(annotator).map_err(|fault| self.stop(fault))
    }

    fn judge_run(&mut self, judge: &str, protocol: &str) -> Result<Option<RunMark>> {
        let amendments = amend::read(self.connection).map_err(|fault| self.stop(fault))?;
        let runs = judge_run::runs(&amendments);
        Ok(run_of(&runs, judge, protocol).map(|known| known.run.mark()))
    }

    fn asked(&mut self, item: ItemKey, version: u32) -> Result<Option<AskedItem>> {
        let keys = self.corpus.keys.whole();
        let found = keys.and_then(|keys| self.asked.find(self.connection, keys, item, version));
        found.map_err(|fault| self.stop(fault))
    }

    fn remark(&mut self, place: Place, what: String) {
        self.report.remarks.push(Remark { place, what, left_out: false });
    }

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        if self.options.skip_bad {
            self.leave_out(place, &error);
            return Ok(());
        }
        Err(self.stop(Fault::Said(error.at(&place))))
    }
}
