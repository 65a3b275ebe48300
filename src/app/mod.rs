//! The state of the screens. `update` changes it for an input; what a screen needs of its study, it asks of a desk, which is a
//! trait. No file, no terminal and no clock here, so every key can be tested without them.
//!
//! The [`kit`] holds the parts that all screens share; [`screens`] holds what is a screen's own.

pub mod kit;
pub mod screens;
