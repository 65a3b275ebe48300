//! When a file turns to its hub, where a server lets in fewer connections than there are people.
//!
//! After an exchange a file rests twenty times as long as the exchange took, so the busier a server is, the fewer files come
//! at once. A file for which there is no place tries again after a while, each at another time, then brings all that was done
//! meanwhile, and rests for as long as may be.

use std::time::{Duration, Instant};

/// The wait at a full server. To turn a file away costs the server nearly half as much as an exchange, so none asks again soon.
const WAIT: Duration = Duration::from_secs(4);

/// The longest rest after an exchange, but for a tenth: an answer that is given at once is on the hub within ten seconds. The second
/// is for a server that is full again and again.
const REST: [Duration; 2] = [Duration::from_secs(8), Duration::from_secs(16)];

/// The turns of one file.
#[derive(Debug)]
pub struct Turns {
    earliest: Instant,
    /// Whether the server had no place when it was last asked.
    was_full: bool,
    /// How long the file rests at most.
    rest: Duration,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { earliest: Instant::now(), was_full: false, rest: REST[0] }
    }
}

impl Turns {
    /// When the file may turn to its hub next.
    pub fn earliest(&self) -> Instant {
        self.earliest
    }

    /// Notes the end of an exchange; `has_room` says that the connection stays open.
    pub fn done(&mut self, begun: Instant, has_room: bool) {
        let was_full = std::mem::take(&mut self.was_full);
        self.rest = self.rest.mul_f64(if was_full { 1.5 } else { 0.8 }).clamp(REST[0], REST[1]);
        let rest = match has_room {
            true => Duration::ZERO,
            false if was_full => self.rest,
            false => (begun.elapsed() * 20).min(self.rest),
        };
        self.earliest = Instant::now() + rest / 5 * 4 + about(rest / 5);
    }

    /// Notes that the server had no place.
    pub fn turned_away(&mut self) {
        self.earliest = Instant::now() + about(WAIT);
        self.was_full = true;
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
        assert!(waits.iter().all(|wait| *wait <= WAIT.mul_f64(1.5)));
        assert!(waits.iter().any(|wait| *wait < WAIT) && waits.iter().any(|wait| *wait > WAIT));
        let mut rest = |is_full: bool| {
            if is_full {
                turns.turned_away();
            }
            turns.done(Instant::now() - REST[1], false);
            turns.earliest() - Instant::now()
        };
        for (is_full, seconds) in [
            (true, 12.0),
            (true, 16.0),
            (true, 16.0),
            (false, 12.8),
            (false, 10.24),
            (false, 8.2),
            (false, 8.0),
        ] {
            let rest = rest(is_full).as_secs_f64();
            assert!((0.9 * seconds - 0.1..=1.1 * seconds).contains(&rest), "{rest} and not about {seconds}");
        }
        turns.done(Instant::now(), true);
        assert!(turns.earliest() <= Instant::now());
    }
}
