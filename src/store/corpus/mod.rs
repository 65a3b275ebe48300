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

pub(super) use counting::{Counting, counts};
pub(super) use items::{ItemRow, ItemRows, Target, in_corpus_order, records_of};
pub(super) use keys::StudyKeys;
pub(super) use protocols::Versions;
pub(super) use read::{CITES_FIELD, Reading};
pub(super) use resolve::GOLD_OF_UNIT;
pub(super) use texts::Texts;
pub(super) use writer::{CorpusWriter, ERASED_FIELD, LOST_FIELD, NAMELESS, RecordTaken, missing, shorten};
