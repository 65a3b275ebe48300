//! Progress of the program's work, in any unit, and the request to stop it.
//!
//! The worker counts here; the caller knows the unit, and shows the progress. Somebody waits for one piece of work at a
//! time. A count at which nobody looks is lost, and costs next to nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static IS_STOPPED: AtomicBool = AtomicBool::new(false);
static DONE: AtomicU64 = AtomicU64::new(0);
static ALL: AtomicU64 = AtomicU64::new(0);

/// The work done, and all the work; `None` where that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkDone {
    pub done: u64,
    pub all: Option<u64>,
}

/// Begins a new count, or ends counting.
pub(crate) fn watch(is_watched: bool) {
    DONE.store(0, Ordering::Relaxed);
    ALL.store(0, Ordering::Relaxed);
    IS_WATCHED.store(is_watched, Ordering::Relaxed);
}

/// Whether somebody waits for the work; otherwise all the work need not be counted.
pub(crate) fn is_watched() -> bool {
    IS_WATCHED.load(Ordering::Relaxed)
}

/// Adds so much to all the work.
pub(crate) fn expect(more: u64) {
    ALL.fetch_add(more, Ordering::Relaxed);
}

/// Adds so much to the work done.
pub(crate) fn advance(by: u64) {
    DONE.fetch_add(by, Ordering::Relaxed);
}

/// Sets the work done, where less or more was counted.
pub(crate) fn settle(done: u64) {
    DONE.store(done, Ordering::Relaxed);
}

/// The progress so far.
pub(crate) fn so_far() -> WorkDone {
    let (done, all) = (DONE.load(Ordering::Relaxed), ALL.load(Ordering::Relaxed));
    WorkDone { done, all: Some(all).filter(|all| *all > 0) }
}

/// Asks the work to stop where it is. Output that is not finished is taken back.
pub(crate) fn stop() {
    IS_STOPPED.store(true, Ordering::Relaxed);
}

/// Whether the work is to stop.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}
