//! Windows, and every other system that is no Unix.

use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, Error, ErrorKind, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A new file has the rights of its folder.
pub fn private_file(_: &mut OpenOptions) {}

/// A new folder has the rights of the one that it lies in.
pub fn private_folder(_: &mut DirBuilder) {}

/// A file keeps the rights of its folder, but can be written.
pub fn make_private(file: &Path) -> Result<()> {
    let mut permissions = std::fs::metadata(file)?.permissions();
    permissions.set_readonly(false);
    std::fs::set_permissions(file, permissions)
}

/// A file without a name lies in the person's own temporary folder.
pub fn make_open_private(_: &File) -> Result<()> {
    Ok(())
}

/// A file has the rights of its folder.
pub fn limit_to(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

/// Rights are those of the folder, for which libpq does not ask either.
pub fn is_private(_: &Path) -> bool {
    true
}

/// Names are random, and what others made is theirs to write: nobody's folder is taken for another's.
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Two names of one file are told by their resolved paths alone.
pub fn identity(_: &Path) -> Result<Option<(u64, u64)>> {
    Ok(None)
}

/// A pipe has no name among the files here.
pub fn is_stream(_: FileType) -> bool {
    false
}

/// Standard input as a file, without a buffer.
#[cfg(windows)]
pub fn standard_input() -> Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Standard output as a file, without a buffer or lock.
#[cfg(windows)]
pub fn standard_output() -> Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

/// The system sets no limit that could be asked for.
pub fn file_limit() -> Option<u64> {
    None
}

/// No signal tells of a limit.
pub fn survive_file_limit() -> Result<()> {
    Ok(())
}

/// Ctrl-C ends the process at once; the next haymark cleans.
pub fn clean_before_end(_: fn(), _: fn() -> bool) -> Result<()> {
    Ok(())
}

/// A process is not stopped and continued.
pub fn heed_continuing(_: &Arc<AtomicBool>) -> Result<()> {
    Ok(())
}

/// There is no shell that could continue the program.
pub fn stop_until_continued() -> Result<()> {
    Err(Error::from(ErrorKind::Unsupported))
}
