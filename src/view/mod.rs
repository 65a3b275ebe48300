//! The look of the screen: a function of the app and a theme. Draws state and changes none,
//! so drawing the same app twice gives the same cells.
//!
//! The [`kit`] draws the parts that all screens share; [`screens`] draws what is a screen's own.

pub mod kit;
pub mod screens;
