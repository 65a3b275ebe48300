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

use super::fault::{Fault, Tried, named, persistent, said};
use super::known_schema;
use super::read_only::beside;
use super::schema::{APPLICATION_ID, FORMATS, Formats, OLDEST};
use crate::error::{Error, Result, cannot_write};
use crate::files::{self, Scratch};
use crate::progress;
use crate::store::file::{stray, sums};
use crate::store::journal::caches;
use crate::system::{limit_to, private_file};

/// How long opening and importing wait for another process that writes.
pub(in crate::store) const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// How long a keypress waits: short, so that the screen can say what it is waiting for.
pub(in crate::store) const SHORT_PATIENCE: Duration = Duration::from_millis(250);
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
    migrate(&mut connection, path, FORMATS)?;
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
pub(in crate::store) fn open(path: &Path) -> Result<Connection> {
    open_with(path, FORMATS)
}

/// The format of a study file, from its header. Refuses the files that opening refuses.
pub(in crate::store) fn version_of(path: &Path) -> Result<i32> {
    let header = admitted_header(path)?;
    stray::refuse(path, header)?;
    Ok(header.version)
}

/// The header of a study file, whatever lies beside it. Refuses a file that is missing, no study, or from a newer haymark.
pub(in crate::store) fn admitted_header(path: &Path) -> Result<Header> {
    admit(path, read_header(path)?.as_ref(), FORMATS)
}

/// Whether the file calls itself a study, of whatever format.
pub(in crate::store) fn is_study(path: &Path) -> Result<bool> {
    Ok(read_header(path)?.is_some_and(|header| header.application == APPLICATION_ID))
}

fn open_with(path: &Path, formats: Formats<'_>) -> Result<Connection> {
    let header = read_header(path)?;
    let header = admit(path, header.as_ref(), formats)?;
    stray::refuse(path, header)?;
    let open = || {
        let mut connection = connect(path)?;
        bring_up(&mut connection, path, formats)?;
        connection.busy_timeout(SHORT_PATIENCE)?;
        Ok(connection)
    };
    named(path, persistent(open, || {}))
}

/// The parts of SQLite's header that matter to a study.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::store) struct Header {
    application: i32,
    /// The format of the study.
    pub(in crate::store) version: i32,
    /// Whether another program gave the file a write-ahead log.
    pub(super) write_ahead: bool,
    /// The size of a page in bytes.
    pub(in crate::store) page_size: u32,
    /// The number of pages when the file was last written, where it was noted.
    pub(in crate::store) pages: Option<u32>,
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
    pub(in crate::store) fn read(bytes: &[u8]) -> Option<Header> {
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
fn admit(path: &Path, header: Option<&Header>, formats: Formats<'_>) -> Result<Header> {
    let Some(header) = header.filter(|header| header.application == APPLICATION_ID) else {
        let error = Error::new("the file is not a haymark study")
            .advise("name a study, or `haymark init` a new one and import the file into it");
        return Err(error.in_file(path));
    };
    stray::refuse_devices(path)?;
    let Header { version, .. } = *header;
    if version >= OLDEST && formats.split(version).is_some() {
        return Ok(*header);
    }
    let (origin, advice) = match version {
        ..1 => (
            "which no haymark writes".to_owned(),
            "save everything into a new study: `haymark check STUDY --recover NEW`",
        ),
        1..OLDEST => (
            "from before haymark's first release".to_owned(),
            "open it once with a haymark of commit d510b8d, which brings it up to format 9",
        ),
        _ => {
            let newest = formats.newest();
            (format!("from a newer haymark; this one reads formats up to {newest}"), "update haymark")
        }
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

/// Checks the file again through SQLite, which finishes what a killed process left, and migrates.
fn bring_up(connection: &mut Connection, path: &Path, formats: Formats<'_>) -> Tried<()> {
    let header = Header {
        application: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
        version: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
        ..Header::default()
    };
    admit(path, Some(&header), formats)?;
    let (done, missing) = formats.split(header.version).unwrap_or((formats.0, &[]));
    known_schema::admit(connection, done)?;
    if !missing.is_empty() {
        copy_aside(connection, path, formats.newest())?;
        migrate(connection, path, formats)?;
    }
    Ok(())
}

/// Copies the study to `NAME.before-vN` before it is brought to format N.
fn copy_aside(connection: &Connection, path: &Path, format: i32) -> Tried<()> {
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
    files::replace(&made, &beside(&absolute, &format!(".before-v{format}"))).map_err(failed)
}

/// Runs the steps that the file lacks and makes the caches anew, all in one transaction.
fn migrate(connection: &mut Connection, path: &Path, formats: Formats<'_>) -> Tried<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let Some((_, missing)) = formats.split(version) else {
        return Err(Fault::Said(Error::new("the study is from a newer haymark").in_file(path)));
    };
    for step in missing {
        step(&transaction)?;
    }
    if version > 0 && !missing.is_empty() {
        caches::rebuild(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", formats.newest())?;
    transaction.commit()?;
    Ok(())
}

/// The settings for importing: 96 MB for the indexes of a large study. Foreign keys are off, since rows are looked up by
/// their keys within the same transaction, so checking them would find nothing.
pub(in crate::store) const BULK: &str = "PRAGMA cache_size = -98304; PRAGMA foreign_keys = OFF;";
/// The usual settings: 8 MB.
pub(in crate::store) const USUAL: &str = "PRAGMA cache_size = -8192; PRAGMA foreign_keys = ON;";

#[cfg(test)]
mod tests {
    use super::super::schema::Step;
    use super::*;

    /// The formats that this program reads, and one more.
    fn and_one_more(step: Step) -> Vec<Step> {
        [FORMATS.0, &[step]].concat()
    }

    fn next_version(connection: &Connection) -> rusqlite::Result<()> {
        connection.execute_batch("CREATE TABLE tag (id INTEGER PRIMARY KEY)")
    }

    fn failing(connection: &Connection) -> rusqlite::Result<()> {
        connection.execute_batch("CREATE TABLE tag (id INTEGER PRIMARY KEY); CREATE nonsense")
    }

    fn header_version(path: &Path) -> i32 {
        read_header(path).expect("readable").expect("a database").version
    }

    #[test]
    fn an_older_study_is_copied_aside_and_brought_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("study.db");
        drop(create(&path).expect("made"));
        let before = fs::read(&path).expect("bytes");

        assert!(open_with(&path, Formats(&and_one_more(failing))).is_err());
        assert_eq!(fs::read(&path).expect("bytes"), before, "a failed step leaves the study alone");

        drop(open_with(&path, Formats(&and_one_more(next_version))).expect("brought up"));
        let newest = FORMATS.newest();
        assert_eq!(header_version(&path), newest + 1);
        let copy = folder.path().join(format!("study.db.before-v{}", newest + 1));
        assert_eq!(header_version(&copy), newest);
        open(&copy).expect("the copy is a study of the version before");
        let refused = open(&path).expect_err("too new").to_string();
        assert!(refused.contains("newer haymark"), "{refused}");
    }

    #[test]
    fn names_that_sqlite_would_read_otherwise_are_plain_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file:study.db?mode=memory");
        drop(create(&path).expect("made"));
        assert!(fs::metadata(&path).expect("on disk").len() > 0);
        open(&path).expect("opened");
    }
}
