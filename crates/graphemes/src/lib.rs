//! Graphemes: where they begin, the columns of a terminal that they take, and the stand-ins of those that must not be shown as
//! they are.
//!
//! Offsets are bytes of the text as it came in; nothing is normalised, nothing panics. [`grapheme`] finds the graphemes of a text,
//! [`width`] measures them and has the stand-ins, [`cells`] gives a row as it is drawn, [`markup`] a text for a page.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice))]

pub mod cells;
pub mod grapheme;
pub mod markup;
pub mod width;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct GraphemesReadme;
