//! The faults of the store, and the sentences for them.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::types::FromSqlError;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::beside_real;
use crate::error::{Error, ErrorKind, Result};
use crate::files::Scratch;
use crate::system::file_limit;

/// A fault: SQLite fails, or the store refuses with a sentence.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The study file could not be read or written.
    Sql(rusqlite::Error),
    /// A sentence for the person; in an import, about one record.
    Said(Error),
}

/// The outcome of an access to the file.
pub(crate) type Tried<T> = std::result::Result<T, Fault>;

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sql(error)
    }
}

impl From<FromSqlError> for Fault {
    fn from(error: FromSqlError) -> Fault {
        Fault::Sql(error.into())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Said(error)
    }
}

/// A sentence as a fault.
pub(crate) fn said(what: impl Into<String>) -> Fault {
    Fault::Said(Error::new(what))
}

/// Turns a fault into the sentence that names the study file.
pub(crate) fn named<T>(path: &Path, outcome: Tried<T>) -> Result<T> {
    outcome.map_err(|fault| match fault {
        Fault::Said(error) => error.in_file(path),
        Fault::Sql(error) => sentence(path, &error),
    })
}

/// The waits before each further look after a failed read.
const WAITS: [Duration; 3] =
    [Duration::from_millis(10), Duration::from_millis(50), Duration::from_millis(250)];

/// SQLite reports a read that failed (EIO) or came back short as damage, so damage is looked at again, too.
const LOOKS_AT_DAMAGE: usize = 2;

impl Fault {
    /// How many further looks may show that nothing is wrong.
    fn further_looks(&self) -> usize {
        match self {
            Fault::Sql(error) => match error.sqlite_error_code() {
                Some(ErrorCode::SystemIoFailure) => WAITS.len(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => LOOKS_AT_DAMAGE,
                _ => 0,
            },
            // The fault may come from a reading within this one.
            Fault::Said(error) => match error.kind() {
                ErrorKind::System => WAITS.len(),
                ErrorKind::Damaged => LOOKS_AT_DAMAGE,
                _ => 0,
            },
        }
    }
}

/// Runs `look` again, after `forget`, where the disk failed or damage was found. Only a fault that stays is reported.
pub(crate) fn persistent<T>(mut look: impl FnMut() -> Tried<T>, forget: impl Fn()) -> Tried<T> {
    let mut outcome = look();
    for (looks, wait) in WAITS.into_iter().enumerate() {
        match &outcome {
            Err(fault) if looks < fault.further_looks() => {}
            _ => break,
        }
        thread::sleep(wait);
        forget();
        outcome = look();
    }
    outcome
}

/// Drops the pages in memory, so that the next look is one at the disk.
pub(crate) fn forget_pages(connection: &Connection) {
    // Where this fails, the next look reports it.
    let _ = connection.execute_batch("PRAGMA shrink_memory");
}

fn sentence(path: &Path, error: &rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    let described = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            if !gives_locks(path) {
                return of_locks().in_file(path);
            }
            let what = format!("another haymark is writing to {}", path.display());
            return Error::busy(what).advise("wait until it is done and try again");
        }
        Some(ErrorCode::ReadOnly) if extended(error) == ffi::SQLITE_READONLY_DBMOVED => Error::system(
            "the study file was moved, deleted or replaced meanwhile",
        )
        .advise(
            "what was saved before went with it: put it back, or leave and open the file that is there now",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            let journal = beside_real(path, "-journal");
            match journal.metadata().is_ok_and(|found| found.len() > 0) {
                true => Error::system(format!(
                    "the file cannot be written, and {} takes back in it what a killed program left unfinished",
                    journal.display()
                ))
                .advise("change the permissions of both, or work on a copy of both"),
                false => Error::system("the file cannot be written")
                    .advise("change its permissions, or work on a copy"),
            }
        }
        Some(ErrorCode::CannotOpen) => Error::system("the file, or its journal beside it, cannot be opened")
            .advise("see that its folder can be written"),
        Some(ErrorCode::OperationInterrupted) => return Error::stopped(),
        Some(ErrorCode::DiskFull) => {
            Error::system("the disk is full").advise("free some space and try again")
        }
        Some(ErrorCode::OutOfMemory) => {
            Error::system("there is not enough memory").advise("close other programs and try again")
        }
        Some(ErrorCode::SystemIoFailure) => of_the_disk(error),
        // SQLite also calls a read that failed once damage: only a second look tells.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => match is_sound(path) {
            None => of_reading(),
            Some(true) => {
                Error::system("the disk could not be read for a moment; nothing is wrong with the file")
                    .advise("try again; if that does not help, copy the study to another disk")
            }
            Some(false) => Error::damaged(format!("the file is damaged ({error})"))
                .advise("go back to a copy, with no -journal beside it; `haymark check` says what is wrong"),
        },
        Some(ErrorCode::ConstraintViolation) => Error::damaged("a row does not fit those that are there")
            .advise("nothing was written; `haymark check`, on each file that takes part, says what is wrong"),
        _ => Error::damaged(format!("the study file failed: {error}"))
            .advise("`haymark check` says what is wrong with it"),
    };
    described.in_file(path)
}

/// The extended code of an error, 0 where it has none.
fn extended(error: &rusqlite::Error) -> i32 {
    error.sqlite_error().map_or(0, |error| error.extended_code)
}

fn of_the_disk(error: &rusqlite::Error) -> Error {
    match extended(error) {
        ffi::SQLITE_IOERR_LOCK
        | ffi::SQLITE_IOERR_UNLOCK
        | ffi::SQLITE_IOERR_RDLOCK
        | ffi::SQLITE_IOERR_CHECKRESERVEDLOCK => of_locks(),
        ffi::SQLITE_IOERR_WRITE
        | ffi::SQLITE_IOERR_FSYNC
        | ffi::SQLITE_IOERR_DIR_FSYNC
        | ffi::SQLITE_IOERR_TRUNCATE
        | ffi::SQLITE_IOERR_DELETE
        | ffi::SQLITE_IOERR_CLOSE => not_written(),
        _ => of_reading(),
    }
}

/// SQLite does not pass on why the system refused to write; a limit on file size is the one reason that can be looked up.
fn not_written() -> Error {
    match file_limit() {
        Some(limit) => Error::system(format!(
            "the file may not grow any further: the system limits files to {} KiB",
            limit >> 10
        ))
        .advise("raise the limit (`ulimit -f`) and try again"),
        None => Error::system("the disk could not be written")
            .advise("see that it is sound and has room, and try again"),
    }
}

/// The error of a disk that cannot be read.
pub(crate) fn of_reading() -> Error {
    Error::system("the disk could not be read")
        .advise("try again; if that does not help, copy the study to another disk")
}

fn of_locks() -> Error {
    Error::system("the system gives no lock on the file")
        .advise("try again; on a network share, work on a copy on a disk of this machine")
}

/// Whether the system gives locks in the folder of a file. SQLite takes a lock that the system cannot give (ENOLCK) for one
/// that another program holds, so a new database is tried that nobody else has. Once a lock was given, all later calls say
/// so.
fn gives_locks(path: &Path) -> bool {
    static GIVEN: AtomicBool = AtomicBool::new(false);
    let is_given = || {
        let Ok(folder) = Scratch::beside(path) else { return true };
        let tried = Connection::open(folder.path().join("study.db")).and_then(|connection| {
            connection.busy_timeout(Duration::ZERO)?;
            connection.execute_batch("BEGIN EXCLUSIVE; ROLLBACK")
        });
        tried.err().and_then(|error| error.sqlite_error_code()) != Some(ErrorCode::DatabaseBusy)
    };
    if !GIVEN.load(Ordering::Relaxed) {
        GIVEN.store(is_given(), Ordering::Relaxed);
    }
    GIVEN.load(Ordering::Relaxed)
}

/// Whether every page and index of a file holds together; `None` where the check itself fails.
fn is_sound(path: &Path) -> Option<bool> {
    File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink())).ok()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let looked = Connection::open_with_flags(std::path::absolute(path).ok()?, flags).and_then(|connection| {
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0))
    });
    match looked {
        Ok(fault) if is_of_the_disk(&fault) => None,
        Ok(fault) => Some(fault == "ok"),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Some(false),
            _ => None,
        },
    }
}

/// Whether SQLite's check met an error of input and output (10 in the lowest byte), and no damage.
pub(crate) fn is_of_the_disk(fault: &str) -> bool {
    let code = fault.rsplit_once("error code=").and_then(|(_, code)| code.trim().parse::<i32>().ok());
    code.is_some_and(|code| code & 0xff == ffi::SQLITE_IOERR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(code: i32) -> Fault {
        Fault::Sql(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    /// The outcome of a look that first fails so many times, and the number of looks.
    fn looked(content: &[u8], code: i32, failures: usize) -> (std::result::Result<(), Error>, usize) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&file, content).expect("written");
        let mut looks = 0;
        let outcome = persistent(
            || {
                looks += 1;
                if looks <= failures { Err(failing(code)) } else { Ok(()) }
            },
            || {},
        );
        (named(file.path(), outcome), looks)
    }

    #[test]
    fn a_read_that_failed_is_tried_again_before_anything_is_said() {
        for code in [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ, ffi::SQLITE_IOERR_RDLOCK] {
            assert_eq!(looked(b"", code, 3), (Ok(()), 4), "{code}");
        }
        let (outcome, looks) = looked(b"", ffi::SQLITE_IOERR_READ, 9);
        let error = outcome.expect_err("it stays");
        assert_eq!((error.kind(), looks), (ErrorKind::System, 4));
        assert!(error.to_string().contains(": the disk could not be read; "), "{error}");
    }

    #[test]
    fn damage_is_what_stays_and_can_be_read() {
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            assert_eq!(looked(&[7; 512], code, 2), (Ok(()), 3), "{code}");
            let (outcome, looks) = looked(&[7; 512], code, 9);
            assert_eq!((outcome.expect_err("it stays").kind(), looks), (ErrorKind::Damaged, 3));
            let (outcome, _) = looked(b"", code, 9);
            assert_eq!(
                outcome.expect_err("a database without pages").kind(),
                ErrorKind::System,
                "it is sound"
            );
        }
        let gone = named::<()>(Path::new("no such file"), Err(failing(ffi::SQLITE_CORRUPT)));
        assert_eq!(gone.expect_err("a fault").kind(), ErrorKind::System, "the disk does not give it");
    }

    #[test]
    fn a_copy_needs_the_journal_that_waits_beside_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let study = folder.path().join("study.db");
        std::fs::write(&study, "").expect("written");
        let told =
            || named::<()>(&study, Err(failing(ffi::SQLITE_READONLY))).expect_err("a fault").to_string();
        assert!(told().ends_with("; change its permissions, or work on a copy"), "{}", told());
        std::fs::write(study.with_extension("db-journal"), "pages").expect("written");
        let told = told();
        assert!(told.contains("study.db-journal takes back") && told.ends_with("a copy of both"), "{told}");
    }

    #[test]
    fn what_the_system_would_not_do_is_no_damage() {
        for (code, words) in [
            (ffi::SQLITE_IOERR_LOCK, "the system gives no lock on the file"),
            (ffi::SQLITE_IOERR_FSYNC, "the disk could not be written"),
            (ffi::SQLITE_FULL, "the disk is full"),
            (ffi::SQLITE_NOMEM, "there is not enough memory"),
            (ffi::SQLITE_CANTOPEN, "cannot be opened"),
        ] {
            let error = named::<()>(Path::new("study.db"), Err(failing(code))).expect_err("a fault");
            assert_eq!(error.kind(), ErrorKind::System, "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
