//! The parts that all screens share: keys and their actions, inputs, overlays, panes of text, places on the screen.

pub mod action;
pub mod board;
pub mod filter_line;
pub mod finder;
pub mod frame;
pub mod input;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod list;
pub mod overlay;
pub mod page;
pub mod screen;
pub mod search;
pub mod undo;
