//! Drawing of the parts that all screens share.

pub mod bars;
pub(super) mod page;
pub(super) mod paint;
pub mod picture;
pub mod theme;
pub(super) mod title;
