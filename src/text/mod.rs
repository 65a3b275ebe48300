//! Characters: where graphemes begin, how wide they are, how rows break, what a search finds, what
//! a bullet cites. Knows nothing of annotation, does no I/O and panics on no input.
//!
//! Offsets are bytes of the text as it came in; texts are never normalised, trimmed or re-encoded.
//! Widths are terminal columns. A [`span::Span`] can be made here only, and lies on grapheme
//! boundaries.

/// Graphemes, their columns and their stand-ins, as a library of their own in `crates/graphemes`.
pub use ::graphemes::{cells, grapheme, width};

pub mod bullets;
pub mod citation;
pub mod difference;
pub mod fast;
pub mod hash;
pub mod html;
pub mod markdown;
pub mod natural;
pub mod near;
pub mod percent;
pub mod person;
pub mod search;
pub mod segment;
pub mod shell;
pub mod similar;
pub mod span;
pub mod transcript;
pub mod words;
pub mod wrap;
