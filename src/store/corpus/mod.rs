//! The corpus in the study file: records, texts and keys, the protocols, and records as they were before a revision.

pub(super) mod counting;
pub(super) mod items;
pub(super) mod keys;
pub(super) mod lookup;
pub(super) mod protocols;
pub(super) mod read;
pub(super) mod references;
pub(super) mod resolve;
pub(super) mod texts;
pub(super) mod writer;
