//! A source named on the command line: a file, or the bytes that come through a pipe.
//!
//! A pipe gives its bytes once, and a file is read more than once: to recognise its format, for its fingerprint, and
//! for what stands in it. So the bytes of a pipe are put into a temporary file without a name. Nobody else can read that
//! file, it is gone with the process, and memory stays flat.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::{BUFFER, source};
use crate::error::{Error, Result};
use crate::system::make_open_private;
use crate::text::hash::{Fingerprint, Hashing};

/// How every SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3";

/// The largest text of [`short_text`], in bytes.
const LARGEST_SHORT: u64 = 1 << 20;

/// A source of bytes that can be read more than once.
#[derive(Debug)]
pub struct InputBytes {
    name: PathBuf,
    /// The bytes that came through a pipe.
    kept: Option<File>,
}

impl InputBytes {
    /// Opens the file at `path`; `-` is standard input. A source that can be read only once is read to its end.
    pub fn open(path: &Path) -> Result<InputBytes> {
        let name = source::name(path);
        let file = source::open(path).map_err(|error| error.in_file(&name))?;
        // A file that is redirected to standard input has no name by which it could be opened again.
        let is_file =
            file.metadata().is_ok_and(|about| about.is_file()) && path != Path::new(source::STANDARD_INPUT);
        let kept = if is_file { None } else { Some(keep(file).map_err(|error| error.in_file(&name))?) };
        Ok(InputBytes { name, kept })
    }

    /// The file's path, or what standard input is called.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The size in bytes; 0 where it is not known.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes().map_or(0, |file| source::size(&file))
    }

    /// Whether the bytes came through a pipe, so that there is no file to open again.
    #[must_use]
    pub fn is_pipe(&self) -> bool {
        self.kept.is_some()
    }

    /// The bytes from the beginning. A pipe's bytes have one reader at a time, since all readers share one position.
    pub(super) fn bytes(&self) -> Result<File> {
        let Some(kept) = &self.kept else { return source::open(&self.name) };
        let again = kept.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        again.map_err(|error| source::cannot_read(&error))
    }

    /// The fingerprint of the bytes, read piece by piece: the same through a pipe as in a file.
    pub fn fingerprint(&self) -> Result<Fingerprint> {
        let mut hashing = Hashing::default();
        let mut source = self.bytes().map_err(|error| error.in_file(&self.name))?;
        let mut piece = vec![0; BUFFER];
        loop {
            let count = source::fill(&mut source, &mut piece).map_err(|error| error.in_file(&self.name))?;
            match piece.get(..count) {
                Some(bytes) if count > 0 => hashing.add(bytes),
                _ => return Ok(hashing.finish()),
            }
        }
    }

    /// Whether the bytes begin as the files of SQLite do, and so those of studies.
    pub fn is_sqlite(&self) -> Result<bool> {
        let mut head = [0; SQLITE.len()];
        let read = self.bytes().and_then(|mut file| source::fill(&mut file, &mut head));
        let count = read.map_err(|error| error.in_file(&self.name))?;
        Ok(head.get(..count) == Some(SQLITE))
    }
}

/// Copies the bytes of a pipe into a file of its own.
fn keep(mut pipe: File) -> Result<File> {
    let mut keep = || {
        let mut kept = tempfile::tempfile()?;
        make_open_private(&kept)?;
        std::io::copy(&mut pipe, &mut kept)?;
        Ok(kept)
    };
    keep().map_err(|error: std::io::Error| {
        let folder = std::env::temp_dir();
        Error::new(format!("what comes through the pipe cannot be kept in {}: {error}", folder.display()))
            .advise("make room there, name another folder in TMPDIR, or save it to a file first")
    })
}

/// The text of a file or pipe that a person wrote: a protocol, a guideline, a prompt, a keymap.
pub fn short_text(path: &Path) -> Result<String> {
    read_short(path).map_err(|error| error.in_file(source::name(path)))
}

fn read_short(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = source::open(path)?.take(LARGEST_SHORT + 1).read_to_end(&mut bytes);
    read.map_err(|error| source::cannot_read(&error))?;
    if bytes.len() as u64 > LARGEST_SHORT {
        return Err(Error::new("the file is larger than a megabyte").advise("name a text file"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = source::line_number(error.as_bytes(), error.utf8_error().valid_up_to());
        Error::new("the file is no UTF-8 text").at_line(line).advise("save it as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::formats::{FileReader, Format, recognise};

    /// A pipe with a name, into which `bytes` are written by a thread.
    fn pipe(folder: &Path, bytes: &'static [u8]) -> PathBuf {
        let path = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        let target = path.clone();
        std::thread::spawn(move || {
            File::options().write(true).open(target).expect("opened").write_all(bytes).expect("written")
        });
        path
    }

    #[test]
    fn a_pipe_is_read_once_and_its_bytes_as_often_as_they_are_needed() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = b"{\"type\": \"collection\", \"id\": \"c\"}\n";
        let file = folder.path().join("file");
        std::fs::write(&file, line).expect("written");
        let inputs = [file, pipe(folder.path(), line)].map(|path| InputBytes::open(&path).expect("opened"));
        for (input, is_pipe) in inputs.iter().zip([false, true]) {
            assert_eq!(input.is_pipe(), is_pipe);
            assert_eq!(recognise(input, &[]), Ok(FileReader::Format(Format::Jsonl)));
            assert_eq!(input.is_sqlite(), Ok(false));
            assert_eq!(input.fingerprint(), inputs[0].fingerprint());
            for _ in 0..2 {
                let mut bytes = Vec::new();
                input.bytes().expect("opened").read_to_end(&mut bytes).expect("read");
                assert_eq!(bytes, line);
            }
        }
        let kept = inputs[1].kept.as_ref().expect("of a pipe").metadata().expect("there");
        assert_eq!((kept.nlink(), kept.mode() & 0o777), (0, 0o600), "nobody else finds or reads it");
    }

    #[test]
    fn what_is_neither_file_nor_pipe_is_refused_at_once() {
        for device in ["/dev/zero", "/dev/null"] {
            let refused = InputBytes::open(Path::new(device)).expect_err("a device").to_string();
            assert_eq!(
                refused,
                format!("{device}: this is neither a file nor a pipe; name a file, or pipe it in")
            );
            assert_eq!(short_text(Path::new(device)).expect_err("a device").to_string(), refused);
        }
    }

    #[test]
    fn short_texts_come_from_files_and_pipes_and_end() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(short_text(&pipe(folder.path(), "grün\n".as_bytes())), Ok("grün\n".to_owned()));
        let file = folder.path().join("file");
        std::fs::write(&file, b"a\nb\xff").expect("written");
        let refused = short_text(&file).expect_err("no UTF-8").to_string();
        assert!(refused.ends_with("file, line 2: the file is no UTF-8 text; save it as UTF-8"), "{refused}");
        std::fs::write(&file, vec![b'x'; 1 + (1 << 20)]).expect("written");
        let refused = short_text(&file).expect_err("long").to_string();
        assert!(refused.ends_with("the file is larger than a megabyte; name a text file"), "{refused}");
    }
}
