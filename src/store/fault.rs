//! What can go wrong in the store, and the sentences for it.

use std::path::Path;

use rusqlite::types::FromSqlError;
use rusqlite::{ErrorCode, ffi};
use rustix::process::{Resource, getrlimit};

use crate::error::{Error, Result};

/// Either SQLite cannot do it, or the store says why it will not.
#[derive(Debug)]
pub(super) enum Fault {
    /// The study file could not be read or written.
    Sql(rusqlite::Error),
    /// A sentence for the person; in an import, about one record.
    Said(Error),
}

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
pub(super) fn said(what: impl Into<String>) -> Fault {
    Fault::Said(Error::new(what))
}

/// Turns a fault into the sentence that names the study file.
pub(super) fn named<T>(path: &Path, outcome: std::result::Result<T, Fault>) -> Result<T> {
    outcome.map_err(|fault| match fault {
        Fault::Said(error) => error.in_file(path),
        Fault::Sql(error) => sentence(path, &error),
    })
}

fn sentence(path: &Path, error: &rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    let described = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let what = format!("another haymark is writing to {}", path.display());
            return Error::busy(what).advise("wait until it is done and try again");
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Error::new("the file cannot be written").advise("change its permissions, or work on a copy")
        }
        Some(ErrorCode::CannotOpen) => Error::new("the file, or its journal beside it, cannot be opened")
            .advise("see that its folder can be written"),
        Some(ErrorCode::SystemIoFailure) if is_of_a_write(error) => not_written(),
        Some(ErrorCode::DiskFull) => Error::new("the disk is full").advise("free some space and try again"),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::damaged(format!("the file is damaged ({error})"))
                .advise("go back to a copy, with no -journal beside it; `haymark check` says what is wrong")
        }
        _ => Error::damaged(format!("the study file failed: {error}"))
            .advise("`haymark check` says what is wrong with it"),
    };
    described.in_file(path)
}

fn is_of_a_write(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map_or(0, |error| error.extended_code);
    matches!(code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE | ffi::SQLITE_IOERR_FSYNC)
}

/// SQLite does not hand on why the system refused; a limit of file size is the reason that can be asked for.
fn not_written() -> Error {
    match getrlimit(Resource::Fsize).current {
        Some(limit) => Error::new(format!(
            "the file may not grow any further: the system limits files to {} KiB",
            limit >> 10
        ))
        .advise("raise the limit (`ulimit -f`) and try again"),
        None => Error::new("the disk could not be written")
            .advise("see that it is sound and has room, and try again"),
    }
}
