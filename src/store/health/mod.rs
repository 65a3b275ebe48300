//! Whether a file is sound, and what can be saved where it is not.

pub(super) mod check;
pub(super) mod recover;
