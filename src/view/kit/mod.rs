//! Drawing what all screens have, once each.

pub mod bars;
pub(super) mod page;
pub(super) mod paint;
pub mod picture;
pub mod theme;
pub(super) mod title;
