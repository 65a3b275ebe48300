//! Differences between operating systems: rights and identity of files, pipes, limits, signals.
//!
//! Linux and macOS have all of it. Elsewhere, as on Windows, a file's rights are those of its folder, a hard link is another
//! file, and the next haymark cleans up after a killed one. Both halves have the same functions; nothing else asks for
//! the system by name, apart from what only Linux has (`src/files/locks.rs`, network file systems).

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use elsewhere::*;
#[cfg(unix)]
pub use unix::*;
