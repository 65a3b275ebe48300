//! Files as a whole, whatever is in them: made aside, given their names at once, there after a power cut, and
//! read by nobody who may not.
//!
//! A file's name is on the disk when its folder was synced; syncing the file does not do that. So every file that must outlast
//! a power cut is made and renamed here.

mod atomic;
mod locks;
mod place;
mod scratch;
mod seen;
mod small;
mod together;

pub use atomic::{STANDARD_OUTPUT, clear_terminal, write_atomically};
pub use locks::keeps_locks;
pub use place::{make_folders, place_new, replace};
pub use scratch::{HIDDEN, Scratch};
pub use small::{read_small, read_small_text};
pub use together::{FilesAside, IfThere, write_together};
