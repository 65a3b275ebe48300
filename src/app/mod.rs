//! What the screen means: a state, and `update`, which changes it for a message and says what is
//! to be done. No I/O and no clock here, so every key can be tested without a terminal or a file.
//!
//! The [`kit`] holds what all screens have, once each; under [`screens`] stands what is a screen's own.

pub mod kit;
pub mod screens;
