//! Opening a file that comes from outside: a file that is no text is refused before anything is parsed.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use memchr::{memchr, memchr_iter};

use crate::error::{Error, Result};
use crate::number::counted;
use crate::progress;
use crate::system::{is_stream, standard_input};

/// How much of a source is looked at to tell whether it is text, in bytes.
pub(super) const HEAD: usize = 64 * 1024;

/// The largest file that is read whole, in bytes: 1 GiB. Haymark JSONL has no such limit.
const LARGEST_WHOLE: u64 = 1 << 30;

/// The path that means standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// The name that messages use for the file at `path`.
pub(super) fn name(path: &Path) -> PathBuf {
    let is_standard = path == Path::new(STANDARD_INPUT);
    if is_standard { PathBuf::from("standard input") } else { path.to_path_buf() }
}

/// Opens a file or pipe for reading.
pub(super) fn open(path: &Path) -> Result<File> {
    if path == Path::new(STANDARD_INPUT) {
        let input = standard_input();
        let input = input.map_err(|error| cannot_open(&error))?;
        admit(&input.metadata().map_err(|error| cannot_open(&error))?)?;
        return Ok(input);
    }
    // The check comes before the file is opened: a device may wait then, or do something.
    admit(&fs::metadata(path).map_err(|error| cannot_open(&error))?)?;
    File::open(path).map_err(|error| cannot_open(&error))
}

/// Admits files and pipes; directories and devices are refused.
fn admit(about: &Metadata) -> Result<()> {
    let kind = about.file_type();
    match kind.is_file() || is_stream(kind) {
        true => Ok(()),
        false if kind.is_dir() => Err(directory()),
        false => Err(Error::new("this is neither a file nor a pipe").advise("name a file, or pipe it in")),
    }
}

fn cannot_open(error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::new("there is no such file").advise("check the name and the folder"),
        ErrorKind::PermissionDenied => {
            Error::new("you may not read this file").advise("ask its owner, or change its permissions")
        }
        ErrorKind::IsADirectory => directory(),
        _ => Error::new(format!("the file cannot be opened: {error}")),
    }
}

fn directory() -> Error {
    Error::new("this is a directory").advise("name the files in it")
}

/// The error for reading that stops half-way.
pub(super) fn cannot_read(error: &std::io::Error) -> Error {
    match error.kind() {
        // The readers of this module pack their own sentence into the error.
        ErrorKind::InvalidData => Error::new(error.to_string()),
        ErrorKind::IsADirectory => directory(),
        _ => Error::new(format!("reading stopped: {error}")).advise("check the disk and try again"),
    }
}

/// Fills `buffer` as far as the source goes; returns the number of bytes.
pub(super) fn fill(source: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot_read(&error)),
        }
    }
    Ok(filled)
}

/// A whole file as text, without a byte order mark.
pub(super) fn whole_text(file: File) -> Result<String> {
    let size = size(&file);
    text_of(file, size).inspect(|_| progress::advance(size))
}

/// The size of a file in bytes; 0 where it says none, as those of `/proc`.
pub(super) fn size(file: &File) -> u64 {
    file.metadata().map_or(0, |about| about.len())
}

/// The whole of a source of about `size` bytes as text, without a byte order mark.
pub(super) fn text_of(source: impl Read, size: u64) -> Result<String> {
    if size > LARGEST_WHOLE {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(counted(size) + 1);
    // The size is what the file says beforehand.
    source.take(LARGEST_WHOLE + 1).read_to_end(&mut bytes).map_err(|error| cannot_read(&error))?;
    if bytes.len() as u64 > LARGEST_WHOLE {
        return Err(too_large());
    }
    check_head(bytes.get(..HEAD).unwrap_or(&bytes))?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = line_number(bytes, valid);
        invalid_utf8(bytes, valid).at_line(line)
    })
}

fn too_large() -> Error {
    Error::new("the file is larger than 1 GiB")
        .advise("split it, or convert it to haymark JSONL, which has no limit")
}

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes behind a UTF-8 byte order mark, where there is one.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// The line, from 1, of the byte at `offset`.
pub(super) fn line_number(bytes: &[u8], offset: usize) -> u64 {
    let before = bytes.get(..offset).unwrap_or(bytes);
    memchr_iter(b'\n', before).count() as u64 + 1
}

/// The error for a line or file whose byte at `offset` begins no UTF-8 character.
pub(super) fn invalid_utf8(bytes: &[u8], offset: usize) -> Error {
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let line = line_number(bytes, offset);
    let start =
        bytes.get(..offset).map_or(0, |before| memchr::memrchr(b'\n', before).map_or(0, |end| end + 1));
    let place = if line == 1 {
        format!("byte {}", offset + 1)
    } else {
        format!("byte {} (byte {} of its line)", offset + 1, offset - start + 1)
    };
    Error::new(format!("{place} is 0x{byte:02x}, which is not UTF-8")).advise("convert the file to UTF-8")
}

/// Refuses a source that is no text, by its first bytes.
pub(super) fn check_head(head: &[u8]) -> Result<()> {
    const KNOWN: &[(&[u8], &str, &str)] = &[
        (
            b"SQLite format 3\0",
            "this is an SQLite file, such as a study",
            "`haymark merge STUDY OTHER` brings in another study",
        ),
        (b"\x1f\x8b", "this is a gzip file", "unpack it first"),
        (b"PK\x03\x04", "this is a spreadsheet or zip file", "save the sheet as CSV, or unpack it"),
        (b"\x28\xb5\x2f\xfd", "this is a zstd file", "unpack it first"),
        (
            b"PAR1",
            "this is a Parquet file",
            "take a haymark built with `--features parquet`, or write it as CSV or JSON",
        ),
        (b"\xff\xfe", "this is UTF-16 text", "save it as UTF-8"),
        (b"\xfe\xff", "this is UTF-16 text", "save it as UTF-8"),
    ];
    if without_mark(head).iter().all(u8::is_ascii_whitespace) && head.len() < HEAD {
        return Err(Error::new("the file is empty").advise("check that it was written to the end"));
    }
    for (start, what, advice) in KNOWN {
        if head.starts_with(start) {
            return Err(Error::new(*what).advise(*advice));
        }
    }
    match memchr(0, head) {
        Some(offset) => Err(Error::new(format!("byte {} is 0, so this is no text file", offset + 1))
            .advise("name a text file in UTF-8")),
        None => Ok(()),
    }
}
