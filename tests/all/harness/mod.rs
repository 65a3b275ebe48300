//! What the cases share: a [`Desk`] with the program on it, a terminal to run it in, and where data lies.

#[cfg(unix)]
mod cluster;
pub mod crowd;
mod desk;
mod disk;
mod draw;
mod places;
mod proxy;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod session;
mod shim;
#[cfg(unix)]
mod terminal;

#[cfg(unix)]
pub use cluster::Cluster;
pub use desk::{Desk, about_summaries, confusion, without_names};
pub use disk::{Disk, Luck};
pub use draw::Draw;
pub use places::{PROGRAM, SAMPLES, project, python, python_can, sample, shared, shared_text};
#[cfg(unix)]
pub use proxy::Proxy;
pub use server::{Server, Sql};
#[cfg(unix)]
pub use session::Session;
pub use shim::{How, Shim, Step, Trouble, steps};
