//! Linux and macOS.

use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, Result};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Signal, geteuid, getrlimit, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, iterator, low_level};

/// Lets nobody but the owner read or write a file that is to be made.
pub fn private_file(options: &mut OpenOptions) {
    options.mode(0o600);
}

/// Lets nobody but the owner look into a folder that is to be made.
pub fn private_folder(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

/// Lets the owner, and nobody else, read and write a file.
pub fn make_private(file: &Path) -> Result<()> {
    fs::set_permissions(file, Permissions::from_mode(0o600))
}

/// Lets the owner, and nobody else, read and write a file that has no name.
pub fn make_open_private(file: &File) -> Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

/// Takes from everyone the right to do with a file what they may not do with `source`.
pub fn limit_to(source: &Path, file: &File) -> Result<()> {
    let (source, about) = (fs::metadata(source)?, file.metadata()?);
    // Another group is among the others.
    let group = if source.gid() == about.gid() { source.mode() } else { source.mode() << 3 };
    let mode = about.mode() & ((source.mode() & 0o707) | (group & 0o070));
    file.set_permissions(Permissions::from_mode(mode & 0o777))
}

/// Whether only its owner may read a file.
pub fn is_private(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|about| about.mode() & 0o077 == 0)
}

/// Whether a file belongs to the user who runs the program.
pub fn is_own(about: &Metadata) -> bool {
    about.uid() == geteuid().as_raw()
}

/// Device and number of a file, which hard links share; `None` where the system tells none.
pub fn identity(file: &Path) -> Result<Option<(u64, u64)>> {
    fs::metadata(file).map(|about| Some((about.dev(), about.ino())))
}

/// Whether a file is a pipe or a socket, whose bytes come once.
pub fn is_stream(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Standard input as a file, without a buffer.
pub fn standard_input() -> Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Standard output as a file, without a buffer or lock.
pub fn standard_output() -> Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// The largest size of a file that the system allows (`ulimit -f`), in bytes.
pub fn file_limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// Makes a file that may not grow any further an error of the write, as on a full disk. Without a handler the signal ends
/// the process without a word.
pub fn survive_file_limit() -> Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// Calls `clean` before SIGTERM or SIGINT ends the process, where `is_ours` says that nobody else heeds them.
pub fn clean_before_end(clean: fn(), is_ours: fn() -> bool) -> Result<()> {
    let ignored = ignored();
    let wanted = [SIGTERM, SIGINT].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = iterator::Signals::new(wanted)?;
    let listen = move || {
        for signal in signals.forever().filter(|_| is_ours()) {
            clean();
            let _ = low_level::emulate_default_handler(signal);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

/// The signals that the process was started to ignore, as a job of a script in the background, a bit each from the first on.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Raises a flag whenever the process goes on after a stop.
pub fn heed_continuing(continued: &Arc<AtomicBool>) -> Result<()> {
    flag::register(SIGCONT, Arc::clone(continued)).map(drop)
}

/// How long a stop may take to arrive; after that none is coming.
const STOP_ARRIVES: Duration = Duration::from_millis(100);

/// Stops this job and returns when it was continued (`fg`); returns after a tenth of a second if nothing stops it.
///
/// Sends SIGTSTP to the whole process group, as Ctrl-Z does outside of raw mode: a shell takes a job for stopped when
/// all of its processes are. Not SIGSTOP: where no shell could continue us (`ssh -t host haymark`, a terminal window of
/// its own), the system ignores SIGTSTP, whereas SIGSTOP would hang haymark for good.
///
/// Any thread may receive the signal, so this one may run on for a moment; it must not touch the terminal before
/// SIGCONT came, which is what is waited for.
pub fn stop_until_continued() -> Result<()> {
    let continued = Arc::new(AtomicBool::new(false));
    let listener = flag::register(SIGCONT, Arc::clone(&continued))?;
    let sent = kill_current_process_group(Signal::TSTP);
    let deadline = Instant::now() + STOP_ARRIVES;
    while sent.is_ok() && !continued.load(Ordering::Relaxed) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    low_level::unregister(listener);
    Ok(sent?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_rights_that_the_source_does_not_give() {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, made) = (folder.path().join("source"), folder.path().join("made"));
        fs::write(&source, "").expect("written");
        let mode = |mode: u32| Permissions::from_mode(mode);
        for (of_source, own, left) in
            [(0o600, 0o644, 0o600), (0o640, 0o664, 0o640), (0o666, 0o644, 0o644), (0o440, 0o600, 0o400)]
        {
            fs::set_permissions(&source, mode(of_source)).expect("set");
            let file = File::create(&made).expect("made");
            file.set_permissions(mode(own)).expect("set");
            limit_to(&source, &file).expect("set");
            assert_eq!(file.metadata().expect("there").mode() & 0o777, left);
            fs::remove_file(&made).expect("removed");
        }
    }
}
