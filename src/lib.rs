//! haymark: judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice))]

pub mod app;
pub mod error;
pub mod journal;
pub mod protocol;
pub mod study;
pub mod text;
pub mod view;
