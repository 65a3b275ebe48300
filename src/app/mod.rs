//! The state of the screens. `update` changes it for a message and returns the effects. No I/O and no clock here,
//! so every key can be tested without a terminal or a file.
//!
//! The [`kit`] holds the parts that all screens share; [`screens`] holds what is a screen's own.

pub mod kit;
pub mod screens;
