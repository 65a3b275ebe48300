//! The state of the screens. `update` changes the state for an input; a screen asks a desk, which is a trait,
//! about its study. No file, no terminal and no clock here, so every key can be tested without them.
//!
//! The [`kit`] holds the parts that all screens share; [`screens`] holds what is a screen's own.

pub mod kit;
pub mod screens;
