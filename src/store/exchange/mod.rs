//! Exchange with other files: import and export, merge and split, the hub.

pub(super) mod hub;
pub(super) mod import;
pub(super) mod journal_records;
pub(super) mod merge;
pub(super) mod own;
mod places;
pub(super) mod pseudonyms;
pub(super) mod records;
pub(super) mod sense;
pub(super) mod split;
