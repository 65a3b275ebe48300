//! The screens, drawn.

pub mod adjudicate;
pub mod annotate;
pub mod browse;
pub mod replay;
pub mod session;
