//! Active time, and when snapshots, warnings and the limit are due.
//!
//! The clock is told the monotonic time whenever anything happens, at least every few hundred milliseconds while it
//! runs. The time between two such moments is active, unless it is more than [`STALL`]: then the program did
//! not run (it was stopped, the lid was closed), and none of it counts. A killed process leaves the active time of
//! its last event; the next process starts there.

use super::{MINUTE, Session, Setup};

/// Active milliseconds between two snapshots.
pub const SNAPSHOT_EVERY: i64 = 10 * MINUTE;

/// Minutes before the limit at which the person is warned.
pub const WARNINGS: [u32; 3] = [30, 10, 1];

/// A gap of more milliseconds than this means that the program was not running.
pub const STALL: i64 = 2_000;

/// Active milliseconds after which events are to be on disk: with the time to write them, less than the two
/// seconds that may be lost.
pub const BEAT: i64 = 1_500;

/// A thing that became due, and its exact active time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    pub due: Due,
    /// Active milliseconds.
    pub active: i64,
}

/// A thing that becomes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A snapshot of the text, taken before anything else happens.
    Snapshot,
    /// A warning that so many minutes are left.
    Warning { minutes: u32 },
    /// The time is up.
    Limit,
    /// A write of the events so far, or of a beat where there are none.
    Beat,
}

/// The clock of a session. It stands still until [`Clock::start`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    active: i64,
    /// The last monotonic time in milliseconds; `None` while the clock stands still.
    last: Option<i64>,
    limit: i64,
    /// Active time of the next regular snapshot.
    next_snapshot: i64,
    /// Minutes of the warnings to come, the next one first.
    warnings: Vec<u32>,
    is_limit_ahead: bool,
    next_beat: i64,
}

impl Clock {
    /// The clock of a session as it stands, new or some way on.
    #[must_use]
    pub fn of(setup: &Setup, session: &Session) -> Clock {
        let taken = session.snapshots.iter().map(|snapshot| snapshot.active);
        let latest = taken.filter(|active| active % SNAPSHOT_EVERY == 0).max().unwrap_or(0);
        let told = |minutes: &u32| session.warned.contains(minutes);
        let warnings = WARNINGS.into_iter().filter(|minutes| {
            let has_such_time = setup.limit > i64::from(*minutes) * MINUTE;
            has_such_time && !told(minutes)
        });
        Clock {
            active: session.active,
            last: None,
            limit: setup.limit,
            next_snapshot: latest + SNAPSHOT_EVERY,
            warnings: warnings.collect(),
            is_limit_ahead: !session.is_over_time && session.ended.is_none(),
            next_beat: session.active + BEAT,
        }
    }

    /// Starts the clock, or lets it go on: time before `monotonic` does not count.
    pub fn start(&mut self, monotonic: i64) {
        self.last = Some(monotonic);
    }

    /// Stops the clock: time does not count until the next start. Returns what became due until now, in order.
    pub fn stop(&mut self, monotonic: i64) -> Vec<Passed> {
        let passed = self.advance(monotonic);
        self.last = None;
        passed
    }

    /// Counts the time until now and returns what became due, in order. To be called before anything else that happens at
    /// this moment, so that a snapshot holds the text as it was.
    pub fn advance(&mut self, monotonic: i64) -> Vec<Passed> {
        let Some(last) = self.last else { return Vec::new() };
        self.last = Some(monotonic.max(last));
        let gap = monotonic.saturating_sub(last);
        if (0..=STALL).contains(&gap) {
            self.active += gap;
        }
        self.passed()
    }

    fn passed(&mut self) -> Vec<Passed> {
        let mut passed = Vec::new();
        while self.next_snapshot <= self.active {
            passed.push(Passed { due: Due::Snapshot, active: self.next_snapshot });
            self.next_snapshot += SNAPSHOT_EVERY;
        }
        while let Some(minutes) = self.warnings.first().copied() {
            let active = self.limit - i64::from(minutes) * MINUTE;
            if active > self.active {
                break;
            }
            passed.push(Passed { due: Due::Warning { minutes }, active });
            self.warnings.remove(0);
        }
        if self.is_limit_ahead && self.limit <= self.active {
            if self.limit % SNAPSHOT_EVERY != 0 {
                passed.push(Passed { due: Due::Snapshot, active: self.limit });
            }
            passed.push(Passed { due: Due::Limit, active: self.limit });
            self.is_limit_ahead = false;
        }
        passed.sort_by_key(|passed| (passed.active, passed.due));
        if self.next_beat <= self.active {
            passed.push(Passed { due: Due::Beat, active: self.active });
        }
        if !passed.is_empty() {
            // Due events are written, and all events before go with them.
            self.next_beat = self.active + BEAT;
        }
        passed
    }

    /// Active milliseconds since the session began.
    #[must_use]
    pub fn active(&self) -> i64 {
        self.active
    }

    /// Whether time counts.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.last.is_some()
    }

    /// Milliseconds left until the limit; negative over time.
    #[must_use]
    pub fn left(&self) -> i64 {
        self.limit - self.active
    }
}
