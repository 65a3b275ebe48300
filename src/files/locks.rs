//! Whether the file system keeps locks from one program to the next: some network and FUSE mounts grant every lock.

use std::path::Path;

/// Whether a lock on a file is refused to a second holder; `None` where that cannot be tried, as with a file that
/// may not be written.
///
/// Closing a file gives up all locks that this program has on it (fcntl(2)). So this comes before SQLite opens the file, and
/// each file is tried once in the life of the program: a further opening has what the first one found.
#[cfg(target_os = "linux")]
pub fn keeps_locks(path: &Path) -> Option<bool> {
    use std::collections::BTreeMap;
    use std::os::unix::fs::MetadataExt;
    use std::sync::{Mutex, PoisonError};

    static FOUND: Mutex<BTreeMap<(u64, u64), Option<bool>>> = Mutex::new(BTreeMap::new());
    // A pipe would wait for somebody at its other end.
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    *found.entry((about.dev(), about.ino())).or_insert_with(|| is_refused(path))
}

/// Two openings of the file stand for two programs (open-file-description locks).
#[cfg(target_os = "linux")]
fn is_refused(path: &Path) -> Option<bool> {
    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    let open = || std::fs::OpenOptions::new().read(true).write(true).open(path).ok();
    let (holder, other) = (open()?, open()?);
    let lock = libc::flock {
        l_type: libc::c_short::try_from(libc::F_WRLCK).ok()?,
        l_whence: libc::c_short::try_from(libc::SEEK_SET).ok()?,
        l_start: BEYOND,
        l_len: 1,
        l_pid: 0,
    };
    for file in [&holder, &other] {
        match fcntl(file, FcntlArg::F_OFD_SETLK(&lock)) {
            Ok(_) => {}
            // The first lock may fail too: another haymark tries it at this moment.
            Err(Errno::EAGAIN | Errno::EACCES) => return Some(true),
            Err(_) => return None,
        }
    }
    Some(false)
}

#[cfg(not(target_os = "linux"))]
pub fn keeps_locks(_: &Path) -> Option<bool> {
    None
}

/// A byte behind those that SQLite locks (0x4000_0000 and the 511 after it), so that nobody's work is held up.
#[cfg(target_os = "linux")]
const BEYOND: i64 = 0x4000_0200;

#[cfg(all(test, target_os = "linux"))]
mod tests;
