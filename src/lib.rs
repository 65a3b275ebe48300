//! haymark: judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice))]

pub mod agreement;
pub mod app;
pub mod cli;
pub mod error;
pub mod formats;
pub mod journal;
pub mod protocol;
pub mod score;
pub mod store;
pub mod study;
pub mod term;
pub mod text;
pub mod view;
