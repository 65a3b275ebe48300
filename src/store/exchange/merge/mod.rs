//! Merging: the rows that this study lacks come in from other study files.
//!
//! Everything has a name that is the same in every file: records have keys, items and sessions
//! fingerprints, versions of protocols the fingerprints of their texts, events their writer and number.
//! So merging is a union of sets: the order does not matter, and the second time changes nothing.
//! Rows of one name have to be the same in both files, and the other file sound, else nothing comes in at all.

pub(crate) mod acts;
mod corpus;
pub(crate) mod journal;
mod numbers;
mod protocols;
pub(crate) mod sound;
mod standings;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use self::standings::Before;
use crate::error::{Error, Result};
use crate::number::number_of;
use crate::progress;
use crate::store::corpus::{CorpusWriter, RecordTaken};
use crate::store::exchange::hub::{FromFile, Home, KnownRows, Taker, deeds};
use crate::store::file::read_only::is_same_file;
use crate::store::file::{Fault, StudyFile, Tried, all, change, named};
use crate::store::journal::{amend, caches};
use crate::study::{AmendedKind, AnnotatorId, StandingSample};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;
use crate::text::width::visible;

/// The tables of what people do, each after those that it refers to; the events of a session make the candidate that is
/// judged after it.
const ROUNDS: [&[&str]; 2] = [&["protocol_version", "session", "session_event"], &["act"]];

/// Whether a merge writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeMode {
    /// Everything is written, or nothing after a clash.
    Write,
    /// Nothing is written; the report goes on after a clash.
    Rehearse,
    /// Rows that fit are written and the others are named; for the rows saved out of a damaged file.
    Salvage,
}

/// The result of merging one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeReport {
    pub other: PathBuf,
    /// Counts by kind, such as `document`, each before the kinds that refer to it. Kinds that the other file has
    /// none of are left out.
    pub counts: Vec<(String, MergeCount)>,
    /// A sentence for each record that the files hold differently: which record, and what differs.
    pub clashes: Vec<String>,
    /// A sentence for each thing that the study lacks, and what was left out because it is about that.
    pub left_out: Vec<String>,
    /// Remarks on protocols, samples, numbers of documents, sessions that stay away, and rival decisions.
    pub remarks: Vec<String>,
    /// The annotators whose events the other file holds, by name.
    pub annotators: Vec<MergedAnnotator>,
}

/// How many records of one kind another file holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeCount {
    /// Records that the study did not hold.
    pub new: usize,
    /// Records that the study held already.
    pub known: usize,
    /// Records that the study holds with other contents.
    pub clashing: usize,
}

impl MergeCount {
    fn of(is_new: bool, number: usize) -> MergeCount {
        let (new, known) = if is_new { (number, 0) } else { (0, number) };
        MergeCount { new, known, clashing: 0 }
    }
}

impl AddAssign for MergeCount {
    fn add_assign(&mut self, more: MergeCount) {
        self.new += more.new;
        self.known += more.known;
        self.clashing += more.clashing;
    }
}

/// The events and judgments that a merge brought of one annotator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedAnnotator {
    pub name: String,
    pub new_events: usize,
    pub known_events: usize,
    /// Items that are judged now and were not before.
    pub judged: usize,
    /// Items that lost an answer which counted before.
    pub changed: usize,
}

impl MergeReport {
    /// How many records came in, of all kinds.
    pub fn new_records(&self) -> usize {
        self.counts.iter().map(|(_, count)| count.new).sum()
    }
}

impl StudyFile {
    /// Takes in the rows that the other study files hold and this one does not: corpus, annotators, protocols,
    /// items and journal. Rows that are here do not change, and the other files stay as they are. Returns one report for each
    /// file.
    ///
    /// # Errors
    /// A file is this one, unreadable or damaged, or differs under one name; the study cannot be written. Nothing came in then.
    pub fn merge(&mut self, others: &[PathBuf], mode: MergeMode) -> Result<Vec<MergeReport>> {
        for other in others {
            if is_same_file(&self.path, other)? {
                return Err(Error::new("this is the study itself")
                    .in_file(other)
                    .advise("name the other files that are to come in"));
            }
        }
        let others: Vec<StudyFile> =
            others.iter().map(|path| StudyFile::open_read_only(path)).collect::<Result<_>>()?;
        for other in &others {
            // Updating the caches takes about as long as the rows do.
            progress::expect(2 * rows_to_merge(other)?);
        }
        let path = self.path.clone();
        let mut reports: Vec<MergeReport> = self.in_bulk(mode != MergeMode::Rehearse, |connection| {
            others.iter().map(|other| merge_one(connection, &path, other, None, mode)).collect()
        })?;
        if let Some(last) = reports.last_mut() {
            last.remarks.extend(self.told_of_rivals()?);
            last.remarks.extend(self.told_of_forks()?);
        }
        Ok(reports)
    }
}

/// How many rows the other file has; 0 where no progress is shown.
fn rows_to_merge(other: &StudyFile) -> Result<u64> {
    if progress::is_watched() { named(&other.path, sound::rows(&other.connection)) } else { Ok(0) }
}

/// Merges one file; of the journal only the rows of the names in `only`, where given.
pub(crate) fn merge_one(
    connection: &Connection,
    path: &Path,
    other: &StudyFile,
    only: Option<Vec<AnnotatorId>>,
    mode: MergeMode,
) -> Tried<MergeReport> {
    // The other file is read in one state throughout.
    let state = other.connection.unchecked_transaction();
    let _state = named(&other.path, state.map_err(Fault::from))?;
    let report = MergeReport { other: other.path.clone(), ..MergeReport::default() };
    let mut merger = Merger {
        connection,
        path,
        other,
        only,
        mode,
        rows: RowsMatched::default(),
        held: HashSet::new(),
        report,
    };
    let (begun, rows) = (progress::so_far().done, rows_to_merge(other)?);
    merger.refuse_damage()?;
    let (before, events, has_new_versions) = match Home::of_member(connection, &other.connection)? {
        Some(home) => {
            let (before, events) = merger.of_member(&home)?;
            merger.refuse_clashes(mode)?;
            (before, events, false)
        }
        None => merger.all_rows()?,
    };
    // A row may be several events.
    progress::settle(begun + rows);
    merger.finish(&before, events, has_new_versions)?;
    progress::settle(begun + 2 * rows);
    Ok(merger.report)
}

/// One merge of one file, under way.
struct Merger<'m> {
    connection: &'m Connection,
    path: &'m Path,
    other: &'m StudyFile,
    /// The names of the annotator whose journal alone comes over, by their rows in the other file; `None` for everyone's.
    only: Option<Vec<AnnotatorId>>,
    mode: MergeMode,
    rows: RowsMatched,
    /// Sessions whose setup this program cannot read, by their rows in the other file.
    held: HashSet<i64>,
    report: MergeReport,
}

/// The row in the study of each row of the other file, by table.
#[derive(Debug, Default)]
struct RowsMatched {
    by_table: HashMap<String, FastMap<i64, i64>>,
}

impl RowsMatched {
    fn put(&mut self, table: &str, theirs: i64, ours: i64) {
        match self.by_table.get_mut(table) {
            Some(rows) => rows.insert(theirs, ours),
            None => self.of(table).insert(theirs, ours),
        };
    }

    fn of(&mut self, table: &str) -> &mut FastMap<i64, i64> {
        self.by_table.entry(table.to_owned()).or_default()
    }
}

impl Merger<'_> {
    /// Brings in all rows; returns the caches before, the counts of events by annotator, and whether a protocol has a new version.
    fn all_rows(&mut self) -> Tried<(Before, BTreeMap<AnnotatorId, MergeCount>, bool)> {
        self.corpus()?;
        self.refuse_clashes(self.mode)?;
        let has_new_versions = self.protocols()?;
        self.refuse_clashes(self.mode)?;
        let before = Before::read(self.connection, self.who_did_something()?)?;
        let events = self.journals()?;
        self.refuse_clashes(self.mode)?;
        self.imports()?;
        self.amendments()?;
        Ok((before, events, has_new_versions))
    }

    /// The condition that a column names the annotator whose journal alone comes over; empty for everyone's.
    fn where_only(&self, column: &str) -> String {
        let Some(only) = &self.only else { return String::new() };
        let names: Vec<String> = only.iter().map(|annotator| annotator.0.to_string()).collect();
        format!("WHERE {column} IN ({})", names.join(", "))
    }

    /// The annotators with events in the other file, by their rows here.
    fn who_did_something(&mut self) -> Tried<Vec<i64>> {
        let annotators = all(
            &self.other.connection,
            "SELECT id FROM annotator a WHERE EXISTS (SELECT 1 FROM act x WHERE x.annotator = a.id)",
            [],
        );
        let annotators: Vec<i64> = self.theirs(annotators)?;
        let here = self.rows.of("annotator");
        Ok(annotators.iter().filter_map(|annotator| here.get(annotator).copied()).collect())
    }

    /// Adds the other file's name to a fault of reading it.
    fn theirs<T, E: std::convert::Into<Fault>>(&self, outcome: std::result::Result<T, E>) -> Tried<T> {
        named(&self.other.path, outcome.map_err(E::into)).map_err(Fault::from)
    }

    /// Counts a record that is new or known.
    fn count(&mut self, kind: &str, is_new: bool) {
        self.add(kind, MergeCount::of(is_new, 1));
    }

    fn clash(&mut self, kind: &str, what: String) {
        self.add(kind, MergeCount { clashing: 1, ..MergeCount::default() });
        self.report.clashes.push(what);
    }

    fn add(&mut self, kind: &str, more: MergeCount) {
        if more == MergeCount::default() {
            return;
        }
        progress::advance((more.new + more.known + more.clashing) as u64);
        match self.report.counts.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += more,
            None => self.report.counts.push((kind.to_owned(), more)),
        }
    }

    /// Ends a merge that is to write, after a clash.
    fn refuse_clashes(&self, mode: MergeMode) -> Tried<()> {
        let (Some(first), MergeMode::Write) = (self.report.clashes.first(), mode) else { return Ok(()) };
        let number = self.report.clashes.len();
        let advice = match number {
            1 => "nothing was merged; make it the same in both, import one anew under another id, or keep them as two studies".to_owned(),
            _ => format!("nothing was merged; --dry-run names this and the {} others", number - 1),
        };
        Err(Error::new(first).advise(advice).in_file(&self.other.path).into())
    }

    /// Brings in what the annotator of a hub did whose file it is, as it would come in from the hub. All else there is here under its
    /// own names, or a lead's to decide. Returns the caches before, and the counts of events by annotator. What is about things that
    /// the study lacks is left out, and what others are said to have done, and both are told.
    fn of_member(&mut self, home: &Home) -> Tried<(Before, BTreeMap<AnnotatorId, MergeCount>)> {
        let hers = all(&self.other.connection, "SELECT id FROM annotator WHERE key = ?1", [&home.member]);
        self.only = Some(self.theirs(hers)?);
        self.annotators(&mut CorpusWriter::prepare(self.connection)?)?;
        let before = Before::read(self.connection, self.who_did_something()?)?;
        let people: HashMap<String, AnnotatorId> = all(self.connection, "SELECT key, id FROM annotator", [])?;
        let (mut events, mut known) = (BTreeMap::<AnnotatorId, MergeCount>::new(), KnownRows::default());
        let mut left_out: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut of_others: BTreeMap<(String, String), usize> = BTreeMap::new();
        for tables in ROUNDS {
            let mut taker = Taker::new(self.connection, home, known)?;
            for table in tables {
                let kind = if *table == "act" { "event".to_owned() } else { table.replace('_', " ") };
                for (deed, number) in self.theirs(deeds(&self.other.connection, table))? {
                    // A version of a protocol is nobody's.
                    if *table != "protocol_version" && deed.annotator != home.member {
                        if *table != "session" && !taker.has(&deed)? {
                            *of_others.entry((deed.annotator, kind.clone())).or_default() += number;
                        }
                        continue;
                    }
                    let is_new = match taker.take_from_file(&deed)? {
                        FromFile::Taken { is_new } => is_new,
                        FromFile::Unknown(why) => {
                            *left_out.entry((why, kind.clone())).or_default() += number;
                            continue;
                        }
                        FromFile::Refused(why) => {
                            self.clash(&kind, why);
                            continue;
                        }
                    };
                    let count = MergeCount::of(is_new, number);
                    self.add(&kind, count);
                    if let Some(annotator) = people.get(&deed.annotator).filter(|_| *table == "act") {
                        *events.entry(*annotator).or_default() += count;
                    }
                }
            }
            known = taker.finish(false)?.1;
        }
        let left_out = left_out.into_iter();
        let told = left_out.map(|((why, kind), number)| format!("{why}: {}", number_of(number, &kind)));
        self.report.left_out = told.collect();
        if !of_others.is_empty() {
            let told = of_others
                .iter()
                .map(|((name, kind), number)| format!("{} of {}", number_of(*number, kind), visible(name)));
            let (file, member) = (self.other.path.display(), visible(&home.member));
            let told = told.collect::<Vec<_>>().join(", ");
            self.report.remarks.push(format!(
                "{file} is the file of {member}, and brings only what {member} did; left out: {told}."
            ));
        }
        Ok((before, events))
    }

    /// Brings in the names of imported files.
    fn imports(&mut self) -> Tried<()> {
        if self.only.is_some() {
            return Ok(());
        }
        let select = "SELECT source, content, at FROM import ORDER BY id";
        let files = all(&self.other.connection, select, []);
        let files: Vec<(String, Fingerprint, i64)> = self.theirs(files)?;
        let insert = "INSERT INTO import (source, content, at) SELECT ?1, ?2, ?3
             WHERE NOT EXISTS (SELECT 1 FROM import WHERE content = ?2 AND at = ?3 AND source = ?1)";
        for file in files {
            let added = change(self.connection, insert, file)?;
            self.count("import", added == 1);
        }
        Ok(())
    }

    /// Brings in the amendments. With one annotator's journal, amendments of other annotators stay in the other file, and samples:
    /// their filters and strata tell what others said.
    fn amendments(&mut self) -> Tried<()> {
        let amendments = self.theirs(amend::read(&self.other.connection))?;
        let hers = match self.only {
            Some(_) => all(self.connection, "SELECT key FROM annotator", [])?,
            None => Vec::<String>::new(),
        };
        let drawn_here = StandingSample::all(&amend::read(self.connection)?);
        for theirs in StandingSample::all(&amendments) {
            if drawn_here.iter().any(|ours| ours.name == theirs.name && ours.sample != theirs.sample) {
                let what = format!(
                    "sample {:?} was drawn in both files, in two ways: the later draw holds",
                    theirs.name
                );
                self.report.remarks.push(format!("{what}; draw one of them under another name to keep both"));
            }
        }
        let mut rows = amend::AmendmentRows::default();
        for amendment in amendments {
            let is_of_others = match amendment.of {
                AmendedKind::Annotator => !hers.contains(&amendment.id),
                AmendedKind::Sample => true,
                _ => false,
            };
            if self.only.is_some() && is_of_others {
                continue;
            }
            let taken = rows.take(self.connection, &amendment)?;
            self.count("amendment", taken == RecordTaken::Added);
        }
        Ok(())
    }

    /// Updates everything that follows from the journal and the corpus.
    fn finish(
        &mut self,
        before: &Before,
        events: BTreeMap<AnnotatorId, MergeCount>,
        has_new_versions: bool,
    ) -> Tried<()> {
        let is_new =
            |kind: &str| self.report.counts.iter().any(|(counted, count)| counted == kind && count.new > 0);
        let corpus_grew = corpus::KINDS.iter().any(|kind| is_new(kind));
        let is_amended = is_new("amendment");
        // Queues and loaded documents look again.
        if is_amended || (self.report.new_records() > 0 && amend::is_amended(self.connection)?) {
            amend::settle_queues(self.connection)?;
        } else if corpus_grew || has_new_versions || is_new("assignment event") {
            caches::look_again(self.connection)?;
        }
        let is_all_new = has_new_versions || is_amended;
        self.report.annotators = standings::keep(self.connection, before, events, is_all_new)?;
        Ok(())
    }
}
