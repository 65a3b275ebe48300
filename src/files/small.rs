//! Files that are small by nature, such as a font or the settings of a person.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::error::{Error, Result};

/// The bytes of a regular file that holds at most so many of them; `None` where there is no such file. A pipe or device, which
/// might wait or never end, is not opened.
pub fn read_small(path: &Path, most: usize) -> Result<Option<Vec<u8>>> {
    let unreadable = |error: io::Error| Error::new(format!("the file cannot be read: {error}"));
    let read = || {
        let about = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            about => about.map_err(unreadable)?,
        };
        if !about.is_file() {
            let what =
                if about.is_dir() { "this is a folder" } else { "this is no file, but a pipe or device" };
            return Err(Error::new(what).advise("name a file"));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        match bytes.len() > most {
            true => {
                Err(Error::new(format!("the file is larger than {} KiB", most >> 10)).advise("name another"))
            }
            false => Ok(Some(bytes)),
        }
    };
    read().map_err(|error: Error| error.in_file(path))
}

/// The text of a file that a person wrote, of at most a megabyte; `None` where there is none.
pub fn read_small_text(path: &Path) -> Result<Option<String>> {
    let text = |bytes| {
        let refused = Error::new("the file is no UTF-8 text").advise("save it as UTF-8").in_file(path);
        String::from_utf8(bytes).map_err(|_| refused)
    };
    read_small(path, 1 << 20)?.map(text).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_or_is_too_large_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert_eq!(read_small(&path, 3), Ok(None));
        fs::write(&path, "abc").expect("written");
        assert_eq!(read_small_text(&path), Ok(Some("abc".to_owned())));
        assert!(read_small(&path, 2).expect_err("larger").to_string().contains("larger than 0 KiB"));
        fs::write(&path, b"\xff").expect("written");
        assert!(read_small_text(&path).expect_err("no text").to_string().contains("no UTF-8"));
        assert!(read_small(folder.path(), 3).expect_err("a folder").to_string().contains("this is a folder"));
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        for path in [Path::new("/dev/zero"), &pipe] {
            let refused = read_small(path, 3).expect_err("no file").to_string();
            assert!(refused.contains("this is no file, but a pipe or device"), "{refused}");
        }
    }
}
