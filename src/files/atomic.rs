//! Writing a file whole or not at all: in a folder beside the target, flushed to the disk, then renamed over it. A reader of
//! the target sees the old content or the new, never half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

use super::place;
use super::scratch::Scratch;
use super::seen::VisibleWriter;
use crate::error::{Error, Result, cannot_write};
use crate::system::limit_to;

/// Bytes that are written at once.
const BUFFER: usize = 256 * 1024;

/// The target that means standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Writes what `write` gives to `target`, or to standard output when that is `-`.
///
/// A target that is a link stays one; what it points at is replaced. A device or pipe is written to as it is. A reader of
/// standard output that stops reading ends the writing without an error. People who may not read `source`, the origin of the
/// content, may not read the file either.
///
/// # Errors
/// The error of `write`, or a sentence when the file cannot be made or the disk is full; the target is then what it was.
pub fn write_atomically(
    target: &Path,
    source: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if target == Path::new(STANDARD_OUTPUT) {
        let (stream, is_seen) = (io::stdout().lock(), io::stdout().is_terminal());
        return write_to_stream(stream, is_seen, write).map_err(|error| error.in_file("standard output"));
    }
    // A link is followed, so that it is not replaced by the file.
    let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
    let done = match fs::metadata(&target) {
        Ok(about) if about.is_dir() => Err(Error::new("this is a directory").advise("name a file in it")),
        Ok(about) if !about.is_file() => {
            let stream = OpenOptions::new().write(true).open(&target);
            stream.map_err(cannot_write).and_then(|stream| {
                let is_seen = stream.is_terminal();
                write_to_stream(stream, is_seen, write)
            })
        }
        _ => replace(&target, source, write),
    };
    done.map_err(|error| error.in_file(&target))
}

/// Empties the terminal that standard output is, with the cursor in the first cell; nothing is written anywhere else.
pub fn clear_terminal() -> Result<()> {
    let mut out = io::stdout().lock();
    match out.is_terminal() {
        true => out.write_all(b"\x1b[H\x1b[2J").and_then(|()| out.flush()).map_err(cannot_write),
        false => Ok(()),
    }
}

/// Writes to a stream. Where it `is_seen`, as a terminal is, control characters are made visible.
fn write_to_stream(
    stream: impl Write,
    is_seen: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut stream = Stream { stream, reader_left: false };
    let done = match is_seen {
        true => write_buffered(VisibleWriter::new(&mut stream), write),
        false => write_buffered(&mut stream, write),
    };
    if stream.reader_left { Ok(()) } else { done }
}

fn write_buffered(out: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let done = write(&mut out).and_then(|()| out.flush().map_err(cannot_write));
    // Bytes left in the buffer could not be written, or are not wanted.
    let _ = out.into_parts();
    done
}

/// A stream that remembers that nobody reads it any more.
struct Stream<Out> {
    stream: Out,
    reader_left: bool,
}

impl<Out: Write> Write for Stream<Out> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.reader_left |= is_broken_pipe(&written);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.reader_left |= is_broken_pipe(&flushed);
        flushed
    }
}

fn is_broken_pipe<T>(result: &io::Result<T>) -> bool {
    matches!(result, Err(error) if error.kind() == ErrorKind::BrokenPipe)
}

fn replace(
    target: &Path,
    source: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if target.file_name().is_none() {
        return Err(Error::new("this is no name of a file").advise("name a file"));
    }
    let folder = Scratch::beside(target).map_err(cannot_write)?;
    let made = folder.path().join("made");
    let file = File::create_new(&made).map_err(cannot_write)?;
    let mut out = BufWriter::with_capacity(BUFFER, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| cannot_write(error.into_error()))?;
    keep_private(&file, target, source).and_then(|()| place::replace(&made, target)).map_err(cannot_write)
}

/// A new file must not be readable by more people than the old one, or than its source.
fn keep_private(file: &File, target: &Path, source: Option<&Path>) -> io::Result<()> {
    if let Ok(about) = fs::metadata(target) {
        file.set_permissions(about.permissions())?;
    }
    source.map_or(Ok(()), |source| limit_to(source, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn put<'a>(text: &'a str) -> impl FnOnce(&mut dyn Write) -> Result<()> + 'a {
        move |out| out.write_all(text.as_bytes()).map_err(cannot_write)
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out.jsonl");
        for text in ["first", "", "third"] {
            write_atomically(&target, None, put(text)).expect("written");
            assert_eq!(fs::read_to_string(&target).expect("there"), text);
        }
        assert_eq!(names(folder.path()), ["out.jsonl"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out.jsonl");
        fs::write(&target, "old").expect("written");
        let error = write_atomically(&target, None, |out| {
            put("half")(out)?;
            Err(Error::new("no more"))
        });
        assert!(error.expect_err("failed").to_string().ends_with("out.jsonl: no more"));
        assert_eq!(fs::read_to_string(&target).expect("there"), "old");
        assert_eq!(names(folder.path()), ["out.jsonl"]);
    }

    #[test]
    fn impossible_targets_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let error =
            |target: &Path| write_atomically(target, None, put("x")).expect_err("impossible").to_string();
        assert!(error(folder.path()).ends_with("this is a directory; name a file in it"));
        let missing = folder.path().join("no/out");
        assert!(error(&missing).ends_with("the folder does not exist; make it first, or name another"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
        symlink(&file, &link).expect("linked");
        write_atomically(&link, None, put("new")).expect("written");
        assert_eq!(fs::read_to_string(&file).expect("there"), "new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        let source = folder.path().join("source");
        fs::write(&source, "").expect("written");
        fs::set_permissions(&source, fs::Permissions::from_mode(0o400)).expect("set");
        write_atomically(&link, Some(&source), put("newer")).expect("written");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o400);
        write_atomically(Path::new("/dev/null"), None, put("gone")).expect("a device is written to");
    }

    #[test]
    fn a_reader_that_leaves_ends_the_writing_without_an_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let long = "x".repeat(BUFFER * 2);
        for is_seen in [false, true] {
            assert_eq!(write_to_stream(Closed, is_seen, put(&long)), Ok(()));
            assert_eq!(write_to_stream(Closed, is_seen, put("short")), Ok(()));
        }
    }
}
