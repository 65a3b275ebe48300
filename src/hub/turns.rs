//! When a file turns to its hub, where a server lets in fewer connections than there are people.
//!
//! After an exchange a file rests twenty times as long as the exchange took, so the busier a server is, the fewer files come
//! at once. A file for which there is no place tries again after a while, each at another time, and then brings all that was
//! done meanwhile.

use std::time::{Duration, Instant};

/// The first wait at a full server, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(4));

/// The longest rest after an exchange, but for a quarter: an answer that is given at once is on the hub within ten seconds.
const REST: Duration = Duration::from_secs(7);

/// The turns of one file.
#[derive(Debug)]
pub struct Turns {
    wait: Duration,
    earliest: Instant,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { wait: WAITS.0, earliest: Instant::now() }
    }
}

impl Turns {
    /// When the file may turn to its hub next.
    pub fn earliest(&self) -> Instant {
        self.earliest
    }

    /// Notes the end of an exchange; `has_room` says that the connection stays open.
    pub fn done(&mut self, begun: Instant, has_room: bool) {
        self.wait = WAITS.0;
        let rest = if has_room { Duration::ZERO } else { (begun.elapsed() * 20).min(REST) };
        self.earliest = Instant::now() + rest / 2 + about(rest / 2);
    }

    /// Notes that the server had no place.
    pub fn turned_away(&mut self) {
        self.earliest = Instant::now() + about(self.wait);
        self.wait = (self.wait * 2).min(WAITS.1);
    }
}

/// A time between half and one and a half times this one, drawn at random, so that files that were turned away together do
/// not come back together.
pub fn about(time: Duration) -> Duration {
    let mut bytes = [0; 4];
    // Without random numbers all wait equally long.
    let share = match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    };
    time.mul_f64(0.5 + share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_long_and_not_all_equally_long() {
        let mut turns = Turns::default();
        let waits: Vec<Duration> = (0..50)
            .map(|_| {
                turns.turned_away();
                turns.earliest() - Instant::now()
            })
            .collect();
        assert!(waits.iter().all(|wait| *wait <= WAITS.1.mul_f64(1.5)));
        assert!(waits.iter().any(|wait| *wait < WAITS.1) && waits.iter().any(|wait| *wait > WAITS.1));
        turns.done(Instant::now(), true);
        assert!(turns.earliest() <= Instant::now());
    }
}
