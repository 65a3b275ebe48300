//! The terminal, the clock, threads and the clipboard, of which the app and the view know nothing.

mod adjudicate;
mod annotate;
mod background;
mod browse;
mod cells;
pub mod clipboard;
mod courier;
pub mod guard;
mod input;
mod looks;
mod picture;
mod replay;
mod run;
mod session;
pub mod signals;

pub use adjudicate::{AdjudicateOptions, adjudicate};
pub use annotate::{AnnotateOptions, Left, annotate};
pub use browse::{BrowseOptions, browse};
pub use cells::print_cells;
pub use looks::{Looks, Preferences, configuration};
pub use picture::Picture;
pub use replay::play;
pub use session::{LeftSession, SessionOptions, write_summary};
