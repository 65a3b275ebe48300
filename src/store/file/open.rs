//! Making and opening a study file: refusing other files, and bringing older ones up to date.
//!
//! Whether a file is a study is read from its first hundred bytes, before SQLite sees it: even
//! reading a foreign database through SQLite could roll back a journal that is not ours.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::read_only::beside;
use super::schema::{APPLICATION_ID, older};
use super::{FORMAT, Fault, Tried, known_schema, named, persistent, said, schema};
use crate::error::{Error, Result, cannot_write};
use crate::files::{self, Scratch};
use crate::progress;
use crate::store::file::{stray, sums};
use crate::store::journal::caches;
use crate::system::{limit_to, private_file};

/// How long opening and importing wait for another process that writes.
pub(crate) const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// How long a keypress waits: short, so that the screen can say what it is waiting for.
pub(crate) const SHORT_PATIENCE: Duration = Duration::from_millis(250);
/// How long a reading waits until another process has written.
pub(super) const READING_PATIENCE: Duration = Duration::from_secs(3);

/// How many prepared statements a connection keeps: more than the store has.
const STATEMENTS: usize = 128;

/// Makes an empty study file that nobody else may read, and opens it.
fn create(path: &Path) -> Tried<Connection> {
    let mut options = OpenOptions::new();
    private_file(&mut options);
    let made = options.write(true).create_new(true).open(path);
    made.map_err(|error| Fault::Said(cannot_write(error)))?;
    let mut connection = connect(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    schema::make(&transaction)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    connection.busy_timeout(SHORT_PATIENCE)?;
    Ok(connection)
}

/// Makes a study under a temporary name, lets `fill` fill it, and then moves it to its name. So the study is there
/// whole or not at all, and a file that others make under the name meanwhile stays.
///
/// # Errors
/// A file of this name exists, leftovers of one lie beside the name, `fill` fails, or the file cannot be written.
pub(super) fn create_whole<T>(path: &Path, fill: impl FnOnce(Connection) -> Result<T>) -> Result<T> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => Error::new("there is a file of this name already")
            .advise("choose another name, or import into it if it is a study")
            .in_file(path),
        _ => cannot_write(error).in_file(path),
    };
    if path.symlink_metadata().is_ok() {
        return Err(failed(ErrorKind::AlreadyExists.into()));
    }
    stray::refuse_leftovers(path)?;
    let folder = Scratch::beside(path).map_err(failed)?;
    let made = folder.path().join("study.db");
    let value = fill(named(path, create(&made))?)?;
    files::place_new(&made, path).map_err(failed)?;
    Ok(value)
}

/// Opens a study file, or refuses it.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    stray::refuse(path, admitted_header(path)?)?;
    let open = || {
        let mut connection = connect(path)?;
        bring_up(&mut connection, path)?;
        connection.busy_timeout(SHORT_PATIENCE)?;
        Ok(connection)
    };
    named(path, persistent(open, || {}))
}

/// The format of a study file, from its header. Refuses the files that opening refuses.
pub(crate) fn version_of(path: &Path) -> Result<i32> {
    let header = admitted_header(path)?;
    stray::refuse(path, header)?;
    Ok(header.version)
}

/// The header of a study file, whatever lies beside it. Refuses a file that is missing, no study, or from a newer haymark.
pub(crate) fn admitted_header(path: &Path) -> Result<Header> {
    admit(path, read_header(path)?.as_ref())
}

/// Whether the file calls itself a study, of whatever format.
pub(crate) fn is_study(path: &Path) -> Result<bool> {
    Ok(read_header(path)?.is_some_and(|header| header.application == APPLICATION_ID))
}

/// The parts of SQLite's header that matter to a study.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Header {
    application: i32,
    /// The format of the study.
    pub(crate) version: i32,
    /// Whether another program gave the file a write-ahead log.
    pub(super) write_ahead: bool,
    /// The size of a page in bytes.
    pub(crate) page_size: u32,
    /// The number of pages when the file was last written, where it was noted.
    pub(crate) pages: Option<u32>,
}

/// Reads the header; `None` where the file is no SQLite database.
pub(super) fn read_header(path: &Path) -> Result<Option<Header>> {
    named(path, persistent(|| Ok(header_now(path)?), || {}))
}

fn header_now(path: &Path) -> Result<Option<Header>> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => {
            Error::new("there is no such file").advise("`haymark init` makes an empty study").in_file(path)
        }
        ErrorKind::PermissionDenied => Error::new(format!("the file cannot be read: {error}")).in_file(path),
        _ => Error::system(format!("the disk could not be read: {error}"))
            .advise("try again; if that does not help, copy the study to another disk")
            .in_file(path),
    };
    let about = fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        // A pipe or device would wait, or never end.
        let error = match about.is_dir() {
            true => Error::new("this is a folder").advise("name a study file in it"),
            false => Error::new("this is no file, but a pipe or device").advise("name a study file"),
        };
        return Err(error.in_file(path));
    }
    let mut bytes = Vec::with_capacity(100);
    let file = File::open(path).map_err(unreadable)?;
    file.take(100).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.is_empty() {
        let error = Error::new("the file is empty, not a study")
            .advise("delete it and run `haymark init`, or name another file");
        return Err(error.in_file(path));
    }
    if !bytes.starts_with(b"SQLite format 3\0") {
        return Ok(None);
    }
    Ok(Header::read(&bytes))
}

impl Header {
    /// Reads the numbers from the first hundred bytes, at the offsets of the SQLite file format, section 1.3.
    pub(crate) fn read(bytes: &[u8]) -> Option<Header> {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let half = u16::from_be_bytes(bytes.get(16..18)?.try_into().ok()?);
        // The number of pages is valid where it was written with the last change.
        let holds = number(24)? == number(92)?;
        Some(Header {
            application: number(68)?.cast_signed(),
            version: number(60)?.cast_signed(),
            write_ahead: *bytes.get(18)? == 2,
            page_size: if half == 1 { 65_536 } else { u32::from(half) },
            pages: number(28).filter(|_| holds),
        })
    }
}

/// Refuses a file that is no study of a format that this program reads.
fn admit(path: &Path, header: Option<&Header>) -> Result<Header> {
    let Some(header) = header.filter(|header| header.application == APPLICATION_ID) else {
        let error = Error::new("the file is not a haymark study")
            .advise("name a study, or `haymark init` a new one and import the file into it");
        return Err(error.in_file(path));
    };
    stray::refuse_devices(path)?;
    let Header { version, .. } = *header;
    if version == FORMAT || older(version).is_some() {
        return Ok(*header);
    }
    let (origin, advice) = match version {
        ..1 => (
            "which no haymark writes".to_owned(),
            "save everything into a new study: `haymark check STUDY --recover NEW`",
        ),
        1..8 => (
            "from before haymark's first release".to_owned(),
            "open it once with a haymark of commit ea8b125, which brings it up to format 8",
        ),
        8..FORMAT => (
            "from before haymark's first release".to_owned(),
            "`haymark export --what all` with a haymark of commit df08c2a reads it: import what that writes into a new study",
        ),
        _ => (format!("from a newer haymark; this one reads formats up to {FORMAT}"), "update haymark"),
    };
    let error = Error::new(format!("the study has format {version}, {origin}")).advise(advice);
    Err(error.in_file(path))
}

fn connect(path: &Path) -> Tried<Connection> {
    // Absolute, so that SQLite never takes a name for a URI or for a database in memory.
    let absolute = absolute(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(absolute, flags)?;
    connection.busy_timeout(LONG_PATIENCE)?;
    heed_stopping(&mut connection)?;
    keep_statements(&connection)?;
    sums::give_functions(&connection)?;
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF;
         PRAGMA recursive_triggers = ON;
         PRAGMA journal_mode = DELETE;
         PRAGMA synchronous = EXTRA;
         PRAGMA temp_store = MEMORY;",
    )?;
    connection.execute_batch(USUAL)?;
    Ok(connection)
}

/// Instructions of SQLite between two checks whether the person has stopped the command: about a millisecond.
const INSTRUCTIONS: i32 = 20_000;

/// Lets running statements be stopped. Their transaction is rolled back.
pub(super) fn heed_stopping(connection: &mut Connection) -> Tried<()> {
    Ok(connection.progress_handler(INSTRUCTIONS, Some(progress::is_stopped))?)
}

/// The path by which SQLite opens a file.
pub(super) fn absolute(path: &Path) -> Tried<PathBuf> {
    /// Bytes of a path that SQLite opens with a journal beside it: `MAX_PATHNAME` in its `os_unix.c`, less `-journal`.
    const LONGEST: usize = 512 - 8;
    let absolute = std::path::absolute(path).map_err(|error| said(error.to_string()))?;
    let length = absolute.as_os_str().len();
    if length > LONGEST {
        let what = format!("its path has {length} bytes, and SQLite opens none of more than {LONGEST}");
        return Err(Error::system(what).advise("move it to a folder with a shorter path").into());
    }
    Ok(absolute)
}

/// Keeps statements as they were prepared. SQLite would plan many of them anew for each bound value: for
/// better plans, which a study does not need, at ten times the cost of looking up a row.
pub(super) fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Checks the file again through SQLite, which finishes what a killed process left, and brings it up to date.
fn bring_up(connection: &mut Connection, path: &Path) -> Tried<()> {
    let header = Header {
        application: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
        version: version_now(connection)?,
        ..Header::default()
    };
    admit(path, Some(&header))?;
    known_schema::admit(connection, header.version)?;
    if header.version < FORMAT {
        copy_aside(connection, path)?;
        migrate(connection)?;
    }
    Ok(())
}

fn version_now(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Copies the study to `NAME.before-vN` before it is brought to format N.
fn copy_aside(connection: &Connection, path: &Path) -> Tried<()> {
    let failed = |error: std::io::Error| {
        Fault::Said(
            Error::new(format!("the study cannot be copied before it is brought up to date: {error}"))
                .advise("see that its folder can be written and has room"),
        )
    };
    let absolute = std::path::absolute(path).map_err(failed)?;
    let folder = Scratch::beside(&absolute).map_err(failed)?;
    let made = folder.path().join("study.db");
    let Some(name) = made.to_str() else {
        return Err(said("the name of the folder is not valid Unicode, so the study cannot be copied"));
    };
    connection.execute("VACUUM INTO ?1", [name])?;
    File::open(&made).and_then(|file| limit_to(path, &file)).map_err(failed)?;
    files::replace(&made, &beside(&absolute, &format!(".before-v{FORMAT}"))).map_err(failed)
}

/// Runs the step that the file lacks and makes the caches anew, all in one transaction.
fn migrate(connection: &mut Connection) -> Tried<()> {
    connection.execute_batch(BULK)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let version = version_now(&transaction)?;
    // Another process may have been quicker.
    if let Some(older) = older(version) {
        (older.step)(&transaction)?;
        caches::rebuild(&transaction)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()?;
    Ok(connection.execute_batch(USUAL)?)
}

/// The settings for importing: 96 MB for the indexes of a large study. Foreign keys are off, since rows are looked up by
/// their keys within the same transaction, so checking them would find nothing.
pub(crate) const BULK: &str =
    "PRAGMA cache_size = -98304; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON;";
/// The usual settings: 8 MB. What is freed or moved within the file is filled with zeros, so that no text that is erased later
/// lies anywhere else.
pub(crate) const USUAL: &str =
    "PRAGMA cache_size = -8192; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sqlite_would_read_otherwise_are_plain_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file:study.db?mode=memory");
        drop(create(&path).expect("made"));
        assert!(fs::metadata(&path).expect("on disk").len() > 0);
        open(&path).expect("opened");
    }
}
