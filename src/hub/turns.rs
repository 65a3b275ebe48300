//! When a file turns to its hub, where a server lets in fewer connections than there are people.
//!
//! After an exchange a file rests twenty times as long as its exchanges take, so the busier a server is, the fewer files come
//! at once. A file for which there is no place tries again after a while, each at another time and each time later, then brings
//! all that was done meanwhile, and rests the longer.

use std::time::{Duration, Instant};

/// The first wait at a full server. To turn a file away costs the server a third of an exchange, so none asks again soon.
const WAIT: Duration = Duration::from_secs(4);

/// The longest rest, but for a tenth, and the longest wait, but for a half.
const REST: Duration = Duration::from_secs(20);

/// The turns of one file.
#[derive(Debug)]
pub struct Turns {
    earliest: Instant,
    /// How often the server had no place since the last exchange.
    refusals: u32,
    /// How long the last exchanges took, the latest above all; a refusal counts as a second.
    took: Duration,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { earliest: Instant::now(), refusals: 0, took: Duration::ZERO }
    }
}

impl Turns {
    /// When the file may turn to its hub next.
    pub fn earliest(&self) -> Instant {
        self.earliest
    }

    /// Notes the end of an exchange; `has_room` says that the connection stays open.
    pub fn done(&mut self, begun: Instant, has_room: bool) {
        let took = begun.elapsed().max(Duration::from_secs(self.refusals.into()));
        self.took = self.took.mul_f64(0.6) + took.mul_f64(0.4);
        self.refusals = 0;
        let rest = if has_room { Duration::ZERO } else { (self.took * 20).min(REST) };
        self.earliest = Instant::now() + rest / 5 * 4 + about(rest / 5);
    }

    /// Notes that the server had no place.
    pub fn turned_away(&mut self) {
        let longer = 1.5_f64.powi(self.refusals.min(10).cast_signed());
        self.earliest = Instant::now() + about(WAIT.mul_f64(longer).min(REST));
        self.refusals += 1;
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
    fn who_is_turned_away_waits_the_longer_and_not_as_long_as_others() {
        let first_waits: Vec<Duration> = (0..50)
            .map(|_| {
                let mut turns = Turns::default();
                turns.turned_away();
                turns.earliest() - Instant::now()
            })
            .collect();
        assert!(first_waits.iter().all(|wait| *wait <= WAIT.mul_f64(1.5)));
        assert!(first_waits.iter().any(|wait| *wait < WAIT) && first_waits.iter().any(|wait| *wait > WAIT));
        let mut turns = Turns::default();
        // The middle of each wait, until it is the longest.
        for seconds in [4.0, 6.0, 9.0, 13.5, 20.0, 20.0] {
            turns.turned_away();
            let wait = (turns.earliest() - Instant::now()).as_secs_f64();
            assert!((0.5 * seconds - 0.1..=1.5 * seconds).contains(&wait), "{wait} and not about {seconds}");
        }
    }

    #[test]
    fn a_file_rests_as_long_as_the_server_is_busy() {
        let mut turns = Turns::default();
        let mut rest = |took: f64, refusals: u32| {
            (0..refusals).for_each(|_| turns.turned_away());
            turns.done(Instant::now() - Duration::from_secs_f64(took), false);
            (turns.earliest() - Instant::now()).as_secs_f64()
        };
        // 0.4 of 0.5 s is 0.2; with 0.6 of that and 0.4 of two refusals 0.92; then less each time: 0.552 + 0.04, 0.3552 + 0.04.
        for (took, refusals, seconds) in
            [(0.5, 0, 4.0), (0.5, 2, 18.4), (0.1, 0, 11.84), (0.1, 0, 7.904), (60.0, 0, 20.0)]
        {
            let rest = rest(took, refusals);
            assert!(
                (0.9 * seconds - 0.1..=1.1 * seconds + 0.1).contains(&rest),
                "{rest} and not about {seconds}"
            );
        }
        turns.done(Instant::now(), true);
        assert!(turns.earliest() <= Instant::now());
    }
}
