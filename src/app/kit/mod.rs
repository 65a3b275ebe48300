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

pub(super) use action::Context;
pub(crate) use action::{Action, HelpSection};
pub(super) use board::Board;
pub(crate) use board::{MEASURE, gutter};
pub(crate) use filter_line::FilterLine;
pub(crate) use frame::Frame;
pub(super) use frame::{Notice, not_saved};
pub(crate) use input::{Input, Moment, Mouse, MouseKind};
pub(crate) use key::{Key, KeyCode};
pub(crate) use keymap::Keymap;
pub(super) use layout::{NOTCH, Panes, Tab, centred, cut_bottom, placed, tab_at, tabs};
pub(crate) use layout::{PlacedPane, cut_top, extent, wide};
pub(crate) use list::{List, ListKind};
pub(super) use list::{ListEntry, Picked, Picker};
pub(super) use overlay::{Editor, NOT_KEPT, PUT_ASIDE, Selection, Typed, paste, text_area, type_key};
pub(crate) use overlay::{GoTo, HelpPage, Overlay, Prompt, PromptKind};
pub(crate) use page::{Page, Paragraph, Tone, columns};
pub(crate) use screen::{Effect, Screen};
pub(super) use search::{Search, around, beyond};
pub(crate) use undo::UndoStep;
pub(super) use undo::{Purpose, Undo};
