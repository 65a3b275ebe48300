//! The study file. The only place that names rusqlite.
//!
//! # Locking
//! SQLite's rollback journal, deleted at the commit, `synchronous=EXTRA`, and the right to write taken at the start
//! of each transaction. EXTRA syncs the folder after the journal is deleted; with FULL the journal can come back after
//! a power cut, and the next opening would take back an answer that was called saved. Several haymarks may have one file
//! open: a locked file is waited for, 250 ms at a keypress and 10 s at an import, then the error is
//! [`Busy`](crate::error::ErrorKind::Busy). Not WAL: it needs shared memory and corrupts on
//! network file systems.
//!
//! A file with a journal of another state beside it is refused before SQLite sees it (see `stray`).
//!
//! # Compatibility
//! `application_id` and `user_version` are checked before anything else. A file from a newer
//! haymark is refused, a file from an older one is copied to `NAME.before-vN` and then migrated. Opening
//! a file of the current version writes nothing.
//!
//! # Errors
//! Every call fails where the file cannot be read or written, or holds something that only a newer haymark understands. A
//! section on errors names other reasons.
//!
//! # The hub
//! A file may have a hub (`hub`). Then triggers note the rows that wait for it, and [`Exchange`] sends and fetches through
//! any [`Hub`](crate::hub::Hub): with names that all files share, a page and its mark in one transaction.
//!
//! # What is kept
//! The journal is only ever added to, and so is the corpus, except for revisions: a row shows the current contents, and
//! `original` has the record as it came in (see `revise`). Everything else is a cache over both (see `schema`), written in
//! the same transaction by the pure [`fold`](crate::journal::fold).
//!
//! # Out and in
//! Rows of the journal have one name in every file. They go out as records of an export (`journal_records`), to a hub
//! (`hub`) and into another file (`merge`), and come in once, by whichever way.

mod corpus;
mod exchange;
mod file;
mod health;
mod journal;
mod work;

#[cfg(test)]
mod tests;

pub use crate::study::{ItemRow, Target};
pub use corpus::read::DocumentHead;
pub use exchange::hub::{
    Ahead, Exchange, Exchanged, GroupNames, HandedOut, HeldThings, Membership, SyncPace, Take,
};
pub use exchange::import::{ImportOptions, ImportReport, Imports};
pub use exchange::merge::{MergeCount, MergeMode, MergeReport, MergedAnnotator};
pub use exchange::own::{AddedProtocol, VersionCount};
pub use exchange::split::SplitReport;
pub use file::study_file::StudyFile;
pub use health::check::{CheckReport, Finding, Severity, check};
pub use health::recover::{RecoverReport, recover};
pub use journal::adjudications::Adjudicated;
pub use journal::amend::Amended;
pub use journal::append::{Appended, StepOutcome};
pub use journal::asides::JudgedAside;
pub use journal::gold::{GOLD, GoldItem, GoldSource};
pub use journal::judged::{ActiveTime, PeopleOrder, Stated, VersionsRead, WayJudged};
pub use journal::past::{PaidWork, PastAnswer, PastState};
pub use journal::revise::{RestingJudgments, Revisable};
pub use journal::sessions::{
    SessionHead, SessionQuery, StoredSession, snapshot_of, summarizer_of, told_of_forks,
};
pub use journal::undo::StoredStep;
pub use journal::views::KeptView;
pub use work::assignable::{Assignable, AssignableGroup, Assigned};
pub use work::assignments::AssignmentChange;
pub use work::navigate::QueuePart;
pub use work::places::Places;
pub use work::queue::QueueTaken;
