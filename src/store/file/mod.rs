//! The file itself: how it is opened, locked, migrated and read, and the sums over its rows.

pub(super) mod block_sums;
pub(super) mod bulk;
pub(super) mod fault;
pub(super) mod known_schema;
pub(super) mod open;
pub(super) mod partial;
pub(super) mod read_only;
pub(super) mod schema;
pub(super) mod sql;
pub(super) mod stray;
pub(super) mod study_file;
pub(super) mod sums;
