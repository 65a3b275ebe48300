//! Opening a study file that must stay as it is, byte for byte, such as for a merge or a check.
//!
//! Even opening to read may have to write: SQLite rolls back a journal that a killed program left, and an older format is
//! brought up to date. Both then happen to a copy in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionState, ffi};

use super::{
    FORMAT, LONG_PATIENCE, StudyFile, Tried, forget_pages, known_schema, named, open, persistent, said, sums,
};
use crate::error::{Error, Result};
use crate::files::Scratch;
use crate::system;

/// The endings of files that SQLite puts beside a database while it is written.
pub(super) const ENDINGS: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Makes a temporary folder for copies.
pub(crate) fn temporary_folder() -> Result<Scratch> {
    Scratch::temporary().map_err(|error| {
        Error::system(format!("a temporary folder cannot be made: {error}"))
            .advise("set TMPDIR to a folder with room")
    })
}

impl StudyFile {
    /// Opens a study for reading only: neither the file nor anything beside it changes, whatever its
    /// format and however the program that wrote it ended.
    ///
    /// # Errors
    /// The file is missing, no study, damaged, from a newer haymark, or beside it lies a log that is not its own.
    pub fn open_read_only(path: &Path) -> Result<StudyFile> {
        let version = open::version_of(path)?;
        let is_current = version == FORMAT;
        match named(path, persistent(|| connect(path), || {}))? {
            Some(connection) if is_current => {
                named(path, persistent(|| known_schema::admit(&connection, FORMAT), || {}))?;
                Ok(StudyFile::around_copy(connection, path, None))
            }
            found => StudyFile::of_copy(path, found),
        }
    }

    /// Opens a copy of a study, which may be written to and is deleted with its value; the file stays as it is, byte for byte.
    ///
    /// # Errors
    /// As [`StudyFile::open_read_only`], or there is no room for the copy.
    pub fn open_copy(path: &Path) -> Result<StudyFile> {
        open::version_of(path)?;
        StudyFile::of_copy(path, named(path, persistent(|| connect(path), || {}))?)
    }

    /// Copies the present state of the file, page by page, for a long check. The file is locked for moments only, so nobody
    /// who writes waits visibly.
    pub(crate) fn state(self) -> Result<StudyFile> {
        if self.copy.is_some() {
            return Ok(self);
        }
        let folder = temporary_folder()?;
        let copy = folder.path().join("study.db");
        let copied = persistent(|| copy_pages(&self.connection, &copy), || forget_pages(&self.connection));
        named(&self.path, copied)?;
        let connection = named(&self.path, connect(&copy))?;
        let connection =
            connection.ok_or_else(|| Error::damaged("the copy cannot be read").in_file(&self.path))?;
        Ok(StudyFile::around_copy(connection, &self.path, Some(folder)))
    }

    fn of_copy(path: &Path, connection: Option<Connection>) -> Result<StudyFile> {
        let (folder, connection) = match connection {
            Some(connection) => named(path, copied(&connection))?,
            None => {
                // SQLite may finish in the copy what it put beside the file.
                let folder = temporary_folder()?;
                let copy = copy_with(path, &ENDINGS, &folder)?;
                let opened = open::open(&copy)?;
                (folder, opened)
            }
        };
        Ok(StudyFile::around_copy(connection, path, Some(folder)))
    }
}

/// The pages that are copied under one lock, 8 MB: a tenth of a second on a slow disk, less than a keypress waits.
const AT_ONCE: i32 = 2_048;

/// How often copying begins anew because somebody wrote meanwhile; after that it holds the lock to its end.
const BEGINNINGS: usize = 20;

/// Copies the file page by page.
fn copy_pages(from: &Connection, to: &Path) -> Tried<()> {
    // The rest of an earlier copy would be taken for a part of this one.
    let _ = fs::remove_file(to);
    let mut made = Connection::open(to)?;
    made.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    let backup = Backup::new(from, &mut made)?;
    let (mut beginnings, mut left) = (0, i32::MAX);
    loop {
        let pages = if beginnings < BEGINNINGS { AT_ONCE } else { -1 };
        match backup.step(pages)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(busy().into()),
        }
        let now = backup.progress().remaining;
        beginnings += usize::from(now >= left);
        left = now;
    }
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Opens another connection to the same state of the file, so that a second thread can read beside the first;
/// `None` if that is not possible now. The first connection holds the lock for reading, so nobody can have
/// written between the two.
pub(crate) fn second(connection: &Connection) -> Option<Connection> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).ok()?;
    let is_reading = connection.transaction_state(None::<&str>).ok()? == TransactionState::Read;
    if !is_reading || mode == "wal" {
        return None;
    }
    let second = connect_within(Path::new(connection.path()?), Duration::ZERO).ok()??;
    second.execute_batch("BEGIN; SELECT 1 FROM sqlite_schema").ok()?;
    Some(second)
}

/// How long to wait before each further look at a journal.
const LOOKS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(50)];

/// Opens a connection that only reads; `None` where SQLite would have to write first.
pub(super) fn connect(path: &Path) -> Tried<Option<Connection>> {
    let mut found = connect_within(path, LONG_PATIENCE)?;
    for wait in LOOKS {
        if found.is_some() {
            break;
        }
        // SQLite takes the journal of a program that is just finishing for one that a killed program left.
        thread::sleep(wait);
        found = connect_within(path, LONG_PATIENCE)?;
    }
    Ok(found)
}

fn connect_within(path: &Path, patience: Duration) -> Tried<Option<Connection>> {
    let absolute = open::absolute(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(absolute, flags)?;
    connection.busy_timeout(patience)?;
    open::heed_stopping(&mut connection)?;
    open::keep_statements(&connection)?;
    // Statements that append are prepared on this connection, too, and need the functions.
    sums::give_functions(&connection)?;
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;")?;
    let looked = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    match looked {
        Ok(_) => Ok(Some(connection)),
        Err(error) if needs_writing(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn needs_writing(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = error else { return false };
    matches!(
        failure.extended_code,
        ffi::SQLITE_READONLY_ROLLBACK | ffi::SQLITE_READONLY_RECOVERY | ffi::SQLITE_READONLY_CANTINIT
    ) || failure.code == ErrorCode::CannotOpen
}

/// Copies a study, and opens the copy, which is brought up to date where the format is an older one.
pub(crate) fn copied(connection: &Connection) -> Tried<(Scratch, Connection)> {
    let folder = temporary_folder()?;
    let copy = folder.path().join("study.db");
    let Some(name) = copy.to_str() else {
        return Err(said("the name of the temporary folder is not valid Unicode"));
    };
    connection.execute("VACUUM INTO ?1", [name])?;
    let opened = open::open(&copy)?;
    Ok((folder, opened))
}

/// Copies the bytes of the file, and of those beside it with these endings, into the folder.
pub(crate) fn copy_with(path: &Path, endings: &[&str], folder: &Scratch) -> Result<PathBuf> {
    let copy = copy_file(path, folder)?;
    for ending in endings {
        let beside = beside_real(path, ending);
        if beside.is_file() {
            fs::copy(&beside, self::beside(&copy, ending)).map_err(|error| not_copied(&beside, &error))?;
        }
    }
    Ok(copy)
}

/// Copies the bytes of the file alone into the folder.
pub(crate) fn copy_file(path: &Path, folder: &Scratch) -> Result<PathBuf> {
    let copy = folder.path().join("study.db");
    fs::copy(path, &copy)
        .and_then(|_| system::make_private(&copy))
        .map_err(|error| not_copied(path, &error))?;
    Ok(copy)
}

fn not_copied(path: &Path, error: &std::io::Error) -> Error {
    Error::system(format!("the file cannot be copied to a temporary folder: {error}"))
        .advise("set TMPDIR to a folder with room")
        .in_file(path)
}

/// The name of a file that SQLite puts beside an existing one, for which it follows links first.
pub(crate) fn beside_real(path: &Path, ending: &str) -> PathBuf {
    beside(&fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()), ending)
}

/// A file's name with an ending added.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether both names are those of one file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> Result<bool> {
    let resolved = |path: &Path| {
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::new("there is no such file").in_file(path),
            _ => Error::new(format!("the file cannot be read: {error}")).in_file(path),
        };
        let real = fs::canonicalize(path).map_err(unreadable)?;
        let identity = system::identity(&real).map_err(unreadable)?;
        Ok::<_, Error>((real, identity))
    };
    let ((one, one_identity), (other, other_identity)) = (resolved(one)?, resolved(other)?);
    Ok(one == other || (one_identity.is_some() && one_identity == other_identity))
}
