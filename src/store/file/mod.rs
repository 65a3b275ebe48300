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

pub(super) use bulk::{Bulk, TOGETHER};
pub(super) use fault::{Fault, Tried, forget_pages, is_of_the_disk, named, of_reading, persistent, said};
pub(super) use open::{BULK, Header, LONG_PATIENCE, SHORT_PATIENCE, USUAL};
pub(super) use read_only::{beside_real, temporary_folder};
pub(super) use schema::{
    AMENDMENT, ActTrigger, FORMAT, JOURNALS, RANKING, RECOVER_OLDER, SHARED, SUMMED, SumScope, Summed,
    SummedJournal,
};
pub(super) use sql::{
    FromRow, ProtocolId, QuestionId, VersionId, all, all_by, change, count, exists, first, first_by, one,
    one_by, stored,
};
pub(super) use study_file::{Opening, StudyFile, later_than};
