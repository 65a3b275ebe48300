//! Figures of numbers with intervals, laid out once and written to SVG, PDF or the cells of a terminal.
//!
//! A form of [`forms`] holds numbers and names. It lays them out on a [`page`], measured in points or in cells, as a
//! [`scene`] of four primitives whose colours are roles. [`mod@write`] turns a scene into a drawing for a web page, a file for a
//! paper, or a buffer of [ratatui]. Names that are too wide are shortened so that they stay different; scales have round ticks;
//! texts that would steer a terminal or become markup cannot. Letters are measured in a typeface ([`face`]), never guessed; Open
//! Sans comes with the crate. The same numbers always give the same bytes.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice))]

mod error;
pub mod face;
pub mod forms;
pub mod page;
pub mod scale;
pub mod scene;
#[cfg(test)]
mod tests;
pub mod write;

pub use error::PaperError;
use face::{Typeface, advance, glyph};
use page::{FigurePage, Kept};
use scale::{AxisScale, number};
use scene::{Anchor, ColourRole, FigureText, Mark, Scene, TextSize};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PaperReadme;
