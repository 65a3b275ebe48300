//! What all screens have, once each: keys and what they do, the inputs, what lies over a screen, panes of text, places.

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
