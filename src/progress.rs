//! How far the work of this program is, in whatever it counts, and whether it was asked to stop.
//!
//! Whoever works counts here; who began the work says what is counted, and shows it. There is one work at a time for which somebody
//! waits. What is counted while nobody looks is lost, and costs next to nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static IS_STOPPED: AtomicBool = AtomicBool::new(false);
static DONE: AtomicU64 = AtomicU64::new(0);
static ALL: AtomicU64 = AtomicU64::new(0);

/// How much is done, and how much there is; `None` where that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkDone {
    pub done: u64,
    pub all: Option<u64>,
}

/// Begins to count anew, or ends.
pub(crate) fn watch(is_watched: bool) {
    DONE.store(0, Ordering::Relaxed);
    ALL.store(0, Ordering::Relaxed);
    IS_WATCHED.store(is_watched, Ordering::Relaxed);
}

/// Whether somebody waits. What there is need not be counted otherwise.
pub(crate) fn is_watched() -> bool {
    IS_WATCHED.load(Ordering::Relaxed)
}

/// Says that there is so much more to do.
pub(crate) fn expect(more: u64) {
    ALL.fetch_add(more, Ordering::Relaxed);
}

/// Says that so much more is done.
pub(crate) fn advance(by: u64) {
    DONE.fetch_add(by, Ordering::Relaxed);
}

/// Says how much is done by now, where less or more was counted.
pub(crate) fn settle(done: u64) {
    DONE.store(done, Ordering::Relaxed);
}

/// How far it is.
pub(crate) fn so_far() -> WorkDone {
    let (done, all) = (DONE.load(Ordering::Relaxed), ALL.load(Ordering::Relaxed));
    WorkDone { done, all: Some(all).filter(|all| *all > 0) }
}

/// Asks the work to stop where it is. What it has written and not finished is taken back.
pub(crate) fn stop() {
    IS_STOPPED.store(true, Ordering::Relaxed);
}

/// Whether it is to stop.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}
