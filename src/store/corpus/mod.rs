//! What is judged: the corpus, its texts and keys, the protocols, and what a record said before it was revised.

pub(super) mod counting;
pub(super) mod items;
pub(super) mod keys;
pub(super) mod protocols;
pub(super) mod read;
pub(super) mod references;
pub(super) mod resolve;
pub(super) mod texts;
pub(super) mod writer;
