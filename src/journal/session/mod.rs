//! A session: one person writing one summary against the clock (SummHay §5.3, App. A.4).
//!
//! The [`Setup`] is decided before the session begins. [`SessionEvent`]s happen in it, each at so many active milliseconds;
//! [`Session::of`] folds them into the current text, the documents read, the snapshots and the ending. The [`Clock`] counts
//! active time and tells what is due. All of it is pure: times come from outside.

mod clock;
mod delta;
mod event;
mod fold;
mod setup;

#[cfg(test)]
mod tests;

pub use clock::{BEAT, Clock, Due, Passed, SNAPSHOT_EVERY, STALL, WARNINGS};
pub use delta::Delta;
pub use event::{Ending, SessionEvent, SessionHappening};
pub use fold::{ALL_OF_IT, HowRead, Session, Snapshot, chain, replay};
pub use setup::{DocumentChoice, SessionDraft, Setup};

/// The name of a session in every file: 16 random bytes, drawn when it begins.
pub type SessionKey = crate::text::hash::Fingerprint;

/// Milliseconds of a minute.
pub const MINUTE: i64 = 60_000;

/// Active milliseconds as minutes.
#[must_use]
pub fn minutes(active: i64) -> f64 {
    active as f64 / MINUTE as f64
}

/// The minute that names a snapshot: a whole number where it is one (`20`), else rounded to hundredths (`34.28`).
#[must_use]
pub fn minute_name(active: i64) -> String {
    let hundredths = (active.saturating_mul(100).saturating_add(MINUTE / 2)) / MINUTE;
    match (hundredths / 100, hundredths % 100) {
        (whole, 0) => whole.to_string(),
        (whole, part) => format!("{whole}.{part:02}"),
    }
}
