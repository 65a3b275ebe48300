//! A session: one person writing one summary against the clock (SummHay §5.3, App. A.4).
//!
//! What was decided before it began is its [`Setup`]; what happened are its [`SessionEvent`]s, each at so many
//! active milliseconds; [`Session::of`] folds them into the text as it is now, what was read, the snapshots
//! and how it ended. The [`Clock`] says what is active time and what is due. All of it is pure: times come from outside.

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

/// The minute by which a snapshot is known: whole where it is one (`20`), else rounded to hundredths (`34.28`).
#[must_use]
pub fn minute_name(active: i64) -> String {
    let hundredths = (active.saturating_mul(100).saturating_add(MINUTE / 2)) / MINUTE;
    match (hundredths / 100, hundredths % 100) {
        (whole, 0) => whole.to_string(),
        (whole, part) => format!("{whole}.{part:02}"),
    }
}
