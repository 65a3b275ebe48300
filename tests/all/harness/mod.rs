//! What the cases share: a [`Desk`] with the program on it, a terminal to run it in, and where data lies.

mod desk;
mod places;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod terminal;

pub use desk::Desk;
pub use places::{PROGRAM, project, sample, shared, shared_text};
#[cfg(unix)]
pub use session::Session;
