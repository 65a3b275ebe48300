//! What the screen looks like: a function of the app and a theme. Draws state and changes none,
//! so drawing the same app twice gives the same cells.
//!
//! The [`kit`] draws what all screens have; under [`screens`] stands what is a screen's own.

pub mod kit;
pub mod screens;
