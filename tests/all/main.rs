//! haymark from outside: its crate as a library, and the program as a shell and as a person at a terminal use it.
//!
//! One program holds all of it, so that there is one to link, and one [`harness`]. A folder is a subject:
//! `cargo test --test all commands::dataset` runs the cases of one file.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod agreement;
mod architecture;
mod assigning;
#[cfg(unix)]
mod campaigns;
mod commands;
mod formats;
mod harness;
#[cfg(unix)]
mod hub;
mod measures;
mod protocols;
mod python;
mod readme;
mod report;
mod study;
#[cfg(unix)]
mod terminal;
mod text;
