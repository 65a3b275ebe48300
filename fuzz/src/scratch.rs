//! Files in memory: the readers take paths, and a disk would be too slow.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of a scratch file of this process. On Linux it lies in `/dev/shm`.
///
/// # Panics
/// The folder cannot be made.
pub fn path(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let folder = root.join("haymark-fuzz").join(std::process::id().to_string());
        fs::create_dir_all(&folder).expect("a folder for scratch files");
        folder
    });
    folder.join(name)
}

/// Writes a scratch file and returns its path.
///
/// # Panics
/// It cannot be written.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, content).expect("the scratch file is written");
    path
}
