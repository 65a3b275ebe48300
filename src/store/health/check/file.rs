//! Checks the file itself: its size, the files beside it, and its file system.

use std::fs;
use std::path::Path;

use super::{CheckReport, RECOVER, Severity};
use crate::error::{Error, Result};
use crate::files;
use crate::store::file::read_only::copy_file;
use crate::store::file::{FORMAT, Header, StudyFile, beside_real, open, stray, temporary_folder};

const AREA: &str = "file";

/// Checks the file and opens a copy of it; `None` where it cannot be opened.
pub(super) fn look_at(path: &Path, report: &mut CheckReport) -> Result<Option<StudyFile>> {
    let header = open::admitted_header(path).map_err(|error| match open::is_study(path) {
        Ok(false) => Error::new(error.what()).in_file(path).advise(
            "name a study; if it is one whose first page is damaged, --recover NEW saves what is readable",
        ),
        _ => error,
    })?;
    file_system(path, report);
    let beside = lies_beside(path, header, report)?;
    let opened = match beside.is_stray {
        true => copy_of(path),
        false => StudyFile::open_read_only(path),
    };
    match opened {
        Ok(study) => {
            size(&study, beside, header, report)?;
            Ok(Some(study.state()?))
        }
        Err(error) => {
            let what = super::finding(error)?;
            // Where a journal waits, the header may not hold.
            if !beside.has_journal
                && let Some(fault) = FileSize::of(path, header)?.fault()
            {
                report.wrong(AREA, fault).advise(RECOVER);
            }
            report.wrong(AREA, what).advise(RECOVER);
            Ok(None)
        }
    }
}

/// Opens a copy of the file without the files beside it.
fn copy_of(path: &Path) -> Result<StudyFile> {
    let folder = temporary_folder()?;
    let copy = copy_file(path, &folder)?;
    Ok(StudyFile::open_read_only(&copy)?.lying_in(path, folder))
}

/// Compares the size with the header, while nobody can write. Where a journal waited, the size is that of the copy in which
/// it was rolled back.
fn size(study: &StudyFile, beside: FilesBeside, original: Header, report: &mut CheckReport) -> Result<()> {
    let found = study.read(|connection| {
        if study.copy.is_some() && !beside.has_journal {
            return Ok(FileSize::of(&study.path, original)?);
        }
        // Asked through SQLite, because closing the file would give up the locks of this program on it.
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let mut header = original;
        (header.pages, header.page_size) = (Some(number("page_count")?), number("page_size")?);
        let read = connection.path().map_or(study.path.as_path(), Path::new);
        Ok(FileSize::of(read, header)?)
    })?;
    match found.fault() {
        Some(fault) => report.wrong(AREA, fault).advise(RECOVER),
        None => {
            let FileSize { pages, page, .. } = found;
            report.right(AREA, format!("{pages} pages of {page} bytes, format {}", original.version));
        }
    }
    if original.version < FORMAT {
        let what = format!("it has the older format {}", original.version);
        let advice = "nothing; the next command that opens it copies it aside and brings it up to date";
        report.add(Severity::Remark, AREA, what).advise(advice);
    }
    Ok(())
}

/// The size of a file, and the size that its header gives.
struct FileSize {
    /// The size of a page in bytes.
    page: u64,
    /// The number of whole pages.
    pages: u64,
    /// The bytes after the last whole page.
    rest: u64,
    expected: Option<u64>,
}

impl FileSize {
    fn of(path: &Path, header: Header) -> Result<FileSize> {
        let unreadable =
            |error: std::io::Error| Error::system(format!("cannot be read: {error}")).in_file(path);
        let size = fs::metadata(path).map_err(unreadable)?.len();
        let page = u64::from(header.page_size).max(1);
        Ok(FileSize { page, pages: size / page, rest: size % page, expected: header.pages.map(u64::from) })
    }

    fn fault(&self) -> Option<String> {
        let FileSize { page, pages, rest, expected } = *self;
        if let Some(expected) = expected.filter(|expected| *expected > pages) {
            return Some(format!(
                "it is cut off: {pages} pages of {page} bytes are there and {expected} should be"
            ));
        }
        (rest > 0).then(|| format!("its last page is cut off after {rest} of {page} bytes"))
    }
}

/// The state of the files that SQLite left beside the study.
#[derive(Debug, Clone, Copy)]
struct FilesBeside {
    has_journal: bool,
    /// Whether one of them is not the study's own.
    is_stray: bool,
}

/// Checks the files that SQLite left beside the study.
fn lies_beside(path: &Path, header: Header, report: &mut CheckReport) -> Result<FilesBeside> {
    let holds_something = |ending: &str| {
        let name = beside_real(path, ending);
        fs::metadata(&name).is_ok_and(|found| found.len() > 0).then(|| name.display().to_string())
    };
    let stray = FilesBeside { has_journal: false, is_stray: true };
    if let Some(journal) = stray::journal_of_another(path)? {
        report.wrong(AREA, journal.what()).advise(journal.advice());
        return Ok(stray);
    }
    let mut beside = FilesBeside { has_journal: false, is_stray: false };
    if let Some(journal) = holds_something("-journal") {
        beside.has_journal = true;
        let what =
            format!("{journal} lies beside it: another haymark is writing, or was killed while it wrote");
        let advice = "leave it there; it belongs to the study, and the next command that opens it takes back what \
                      was not finished";
        report.add(Severity::Remark, AREA, what).advise(advice);
    }
    if let Some(log) = stray::log_of_another(path, header) {
        let what = format!(
            "{} lies beside it and is not its own; haymark does not open the study meanwhile",
            log.display()
        );
        let advice = "move it away: what it holds would be written over the study";
        report.wrong(AREA, what).advise(advice);
        return Ok(stray);
    }
    if let Some(log) = holds_something("-wal") {
        let what =
            format!("another program gave it the write-ahead log {log}, which network file systems corrupt");
        let advice = "leave it there; the next haymark command that opens the study takes it in";
        report.add(Severity::Warning, AREA, what).advise(advice);
    }
    Ok(beside)
}

const FILE_SYSTEM: &str = "file system";
const ONE_AT_A_TIME: &str =
    "let one person write at a time, or give each annotator a file (`haymark split`) and merge them";

/// Warns of a file system on which programs that write at once may not see each other's locks.
fn file_system(path: &Path, report: &mut CheckReport) {
    if files::keeps_locks(path) == Some(false) {
        let what =
            "it gives a lock to everybody who asks: two programs that write at once would damage the study";
        report.add(Severity::Warning, FILE_SYSTEM, what).advise(ONE_AT_A_TIME);
    }
    let Some(name) = network_name(path) else { return };
    let what =
        format!("it lies on {name}, whose locks cannot be trusted where several machines write at once");
    report.add(Severity::Warning, FILE_SYSTEM, what).advise(ONE_AT_A_TIME);
}

#[cfg(target_os = "linux")]
fn network_name(path: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(path).ok()?;
    // The number is sign-extended on some machines.
    network_of(found.f_type as u64 & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn network_name(_: &Path) -> Option<&'static str> {
    None
}

/// The network file system with this number (statfs(2), `linux/magic.h`).
#[cfg(target_os = "linux")]
fn network_of(number: u64) -> Option<&'static str> {
    Some(match number {
        0x6969 => "NFS",
        0x517b => "SMB",
        0xff53_4d42 | 0xfe53_4d42 => "a Windows share (CIFS)",
        0x0102_1997 => "9P",
        0x6573_5546 => "a FUSE file system (such as sshfs)",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x7461_636f => "OCFS2",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
