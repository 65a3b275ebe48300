//! Checking whether a file is sound, and saving what can be saved of a damaged one.

pub(super) mod check;
pub(super) mod recover;
