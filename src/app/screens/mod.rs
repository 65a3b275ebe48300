//! The screens; each holds what is its own.

pub mod adjudicate;
pub mod annotate;
pub mod browse;
pub mod replay;
pub mod session;
