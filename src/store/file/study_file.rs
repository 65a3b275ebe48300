//! An open study file.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{BULK, Fault, LONG_PATIENCE, Tried, USUAL, forget_pages, named, open, persistent, said};
use crate::error::{Error, Result};
use crate::files::{self, Scratch};
use crate::journal::{EventId, Writer};
use crate::store::work::queue::QueueBegun;
use crate::store::work::{DocumentCache, QueueTaken};

/// An open study file, through which haymark reads and writes SQLite.
///
/// One connection. It can be moved to another thread but not shared between threads; several
/// processes, or several `StudyFile`s, may have the same file open.
pub struct StudyFile {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// The writer of this opening, drawn when it first appends.
    pub(crate) opening: Option<Opening>,
    pub(crate) documents: RefCell<DocumentCache>,
    /// The queue that has only its first items in the file so far.
    pub(crate) begun: Option<QueueBegun>,
    /// The part of each queue that is opened; `None` for the whole queue.
    pub(crate) part: Option<QueueTaken>,
    /// Whether the file system refuses a lock to a second holder; `None` where that was not tried.
    keeps_locks: Option<bool>,
    /// The folder of the copy that is read in the place of the file, if there is one. Dropped after the connection.
    pub(crate) copy: Option<Scratch>,
}

/// The writer of this opening of the file, and the number of its last event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    pub(crate) writer: Writer,
    pub(super) last_seq: i64,
}

impl StudyFile {
    /// Makes an empty study and opens it.
    ///
    /// # Errors
    /// There is a file of this name already, or its folder cannot be written.
    pub fn create(path: &Path) -> Result<StudyFile> {
        StudyFile::create_with(path, |_| Ok(()))?;
        StudyFile::open(path)
    }

    /// Makes a study and lets `fill` fill it: the file is there when `fill` is done, or not at all.
    ///
    /// # Errors
    /// There is a file of this name already, its folder cannot be written, or `fill` fails.
    pub fn create_with<T>(path: &Path, fill: impl FnOnce(&mut StudyFile) -> Result<T>) -> Result<T> {
        open::create_whole(path, |connection| fill(&mut StudyFile::around(connection, path)))
    }

    /// Opens a study, bringing one from an older haymark up to date after copying it aside.
    ///
    /// # Errors
    /// The file is missing, empty, a folder, no study, damaged, or from a newer haymark. It is left as it was.
    pub fn open(path: &Path) -> Result<StudyFile> {
        // This must run before SQLite has locks on the file: the check closes the file, which gives them up.
        let keeps_locks = files::keeps_locks(path);
        Ok(StudyFile { keeps_locks, ..StudyFile::around(open::open(path)?, path) })
    }

    fn around(connection: Connection, path: &Path) -> StudyFile {
        StudyFile::around_copy(connection, path, None)
    }

    /// A study file around a connection to the file at `path`, or to a copy in a folder that is deleted with the value.
    pub(super) fn around_copy(connection: Connection, path: &Path, copy: Option<Scratch>) -> StudyFile {
        let path = path.to_path_buf();
        StudyFile {
            connection,
            path,
            opening: None,
            documents: RefCell::default(),
            begun: None,
            part: None,
            keeps_locks: None,
            copy,
        }
    }

    /// The study file of a copy in this folder, named by the path of the original.
    pub(crate) fn lying_in(self, path: &Path, folder: Scratch) -> StudyFile {
        // A copy of an older format was copied once more when it was opened.
        StudyFile { path: path.to_path_buf(), copy: self.copy.or(Some(folder)), ..self }
    }

    /// Whether several programs may work in the file at once: not where the file system gives one lock to all who ask.
    pub fn keeps_locks(&self) -> bool {
        self.keeps_locks != Some(false)
    }

    /// The path under which the file was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one transaction that holds the right to write from its start, and commits.
    /// After a fault, or when others write for all of `patience`, nothing has changed.
    pub(crate) fn write<T>(
        &mut self,
        patience: Duration,
        work: impl FnOnce(&Transaction<'_>) -> Tried<T>,
    ) -> Result<T> {
        self.transact(patience, true, work)
    }

    /// Runs `work` as [`StudyFile::write`] does, with the settings for writing many rows. Unless it `is_kept`, what was done is
    /// taken back, to tell its outcome beforehand.
    pub(crate) fn in_bulk<T>(
        &mut self,
        is_kept: bool,
        work: impl FnOnce(&Transaction<'_>) -> Tried<T>,
    ) -> Result<T> {
        self.configure(BULK)?;
        let outcome = self.transact(LONG_PATIENCE, is_kept, work);
        let restored = self.configure(USUAL);
        let value = outcome?;
        restored?;
        Ok(value)
    }

    pub(crate) fn configure(&self, settings: &str) -> Result<()> {
        let set = self.connection.execute_batch(settings);
        named(&self.path, set.map_err(Fault::from))
    }

    fn transact<T>(
        &self,
        patience: Duration,
        is_kept: bool,
        work: impl FnOnce(&Transaction<'_>) -> Tried<T>,
    ) -> Result<T> {
        let transact = || {
            let transaction = self.begin()?;
            let value = work(&transaction)?;
            // Dropped, a transaction is rolled back.
            if is_kept {
                transaction.commit()?;
            }
            Ok(value)
        };
        named(&self.path, self.with_patience(patience, transact))
    }

    /// Runs `work` as [`StudyFile::write`] does, with the event numbers of this opening. Numbers are used up
    /// only if the transaction is kept.
    pub(crate) fn write_events<T>(
        &mut self,
        patience: Duration,
        work: impl FnOnce(&Transaction<'_>, &mut Opening) -> Tried<T>,
    ) -> Result<T> {
        let mut opening = named(&self.path, self.opening.map_or_else(Opening::draw, Ok))?;
        let value = self.write(patience, |transaction| work(transaction, &mut opening))?;
        self.opening = Some(opening);
        Ok(value)
    }

    fn with_patience<T>(&self, patience: Duration, work: impl FnOnce() -> Tried<T>) -> Tried<T> {
        self.connection.busy_timeout(patience)?;
        let outcome = work();
        self.connection.busy_timeout(open::SHORT_PATIENCE)?;
        outcome
    }

    /// Takes the right to write.
    fn begin(&self) -> Tried<Transaction<'_>> {
        let begin = || Ok(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?);
        persistent(begin, || forget_pages(&self.connection))
    }

    /// Runs `work` on one state of the file, whatever other processes write meanwhile. After a failed read of the disk,
    /// `work` runs again.
    pub(crate) fn read<T>(&self, mut work: impl FnMut(&Connection) -> Tried<T>) -> Result<T> {
        let looked = persistent(|| self.read_now(&mut work), || forget_pages(&self.connection));
        named(&self.path, looked)
    }

    /// Runs `work` as [`StudyFile::read`] does, for work that hands over rows while it reads, in an order that depends on the
    /// file only. If it runs again, rows that were taken are not handed over again.
    pub(crate) fn hand_over<R>(
        &self,
        mut take: impl FnMut(R) -> Result<()>,
        mut work: impl FnMut(&Connection, &mut dyn FnMut(R) -> Result<()>) -> Tried<()>,
    ) -> Result<()> {
        let (mut taken, mut refused, mut state) = (0_u64, None, None);
        let read = self.read(|connection| {
            let now: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
            if taken > 0 && state != Some(now) {
                return Err(said("the study was written to while the disk could not be read; try again"));
            }
            state = Some(now);
            let mut seen = 0;
            work(connection, &mut |row| {
                seen += 1;
                if seen <= taken {
                    return Ok(());
                }
                taken = seen;
                take(row).map_err(|error| {
                    refused = Some(error);
                    Error::new("what was read was not taken")
                })
            })
        });
        match refused {
            Some(error) => Err(error),
            None => read,
        }
    }

    /// Runs `work` as [`StudyFile::read`] does, but only once.
    pub(crate) fn read_once<T>(&self, work: impl FnOnce(&Connection) -> Tried<T>) -> Result<T> {
        named(&self.path, self.read_now(work))
    }

    fn read_now<T>(&self, work: impl FnOnce(&Connection) -> Tried<T>) -> Tried<T> {
        if !self.connection.is_autocommit() {
            // The call comes from within a reading: its transaction goes on.
            return work(&self.connection);
        }
        self.with_patience(open::READING_PATIENCE, || {
            // Deferred: takes the lock for reading once, not once a statement.
            let transaction = self.connection.unchecked_transaction()?;
            let value = work(&transaction)?;
            transaction.finish()?;
            Ok(value)
        })
    }
}

/// Now, but later than `last`: an act must count also where the clock was set back here or runs ahead elsewhere.
pub(crate) fn later_than(last: Option<i64>, now_ms: i64) -> i64 {
    last.map_or(now_ms, |last| now_ms.max(last.saturating_add(1)))
}

impl Opening {
    /// Draws the writer of this opening. Openings are above 0, imports below.
    pub(crate) fn draw() -> Tried<Opening> {
        let random =
            getrandom::u64().map_err(|error| said(format!("the system gives no random numbers: {error}")))?;
        let writer = Writer((random >> 1).cast_signed().max(1));
        Ok(Opening { writer, last_seq: 0 })
    }

    /// The next event of this opening.
    pub(crate) fn next(&mut self) -> EventId {
        self.last_seq += 1;
        EventId { writer: self.writer, seq: self.last_seq }
    }
}
