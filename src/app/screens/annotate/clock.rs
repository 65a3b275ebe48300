//! Active time: what counts as work on an item.

use crate::app::kit::Moment;

/// Longest time without a key that still counts as work, in milliseconds.
const IDLE: i64 = 120_000;

/// Counts active milliseconds from the times of inputs. Idle time beyond two minutes,
/// suspension and the help screen do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ActiveClock {
    last: i64,
    /// Since the last event that was written.
    unwritten: i64,
    paused: bool,
}

impl ActiveClock {
    /// Counts the time since the last input.
    pub fn touch(&mut self, now: Moment) {
        if !self.paused {
            self.unwritten += (now.monotonic - self.last).clamp(0, IDLE);
        }
        self.last = now.monotonic;
    }

    /// Starts a new item; what was not written is dropped.
    pub fn start_item(&mut self) {
        self.unwritten = 0;
    }

    /// Active milliseconds since the last event, which now belong to a new one.
    pub fn take(&mut self) -> i64 {
        std::mem::take(&mut self.unwritten)
    }

    /// Gives back what [`ActiveClock::take`] took for an event that was not written.
    pub fn give_back(&mut self, milliseconds: i64) {
        self.unwritten += milliseconds;
    }

    /// Active milliseconds not yet in any event.
    pub fn unwritten(&self) -> i64 {
        self.unwritten
    }

    /// Milliseconds since the last input.
    pub fn idle(&self, now: Moment) -> i64 {
        now.monotonic - self.last
    }

    /// Stops or goes on counting; call after [`ActiveClock::touch`].
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Goes on after a suspension, none of which counts.
    pub fn resume(&mut self, now: Moment) {
        self.last = now.monotonic;
    }
}

/// Time worked without a break, for a reminder to take one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Breaks {
    /// Minutes of work after which a reminder is due; `None` for never.
    pub after: Option<u32>,
    /// Monotonic times of the first key since the last break, and of the last one.
    since: Option<i64>,
    last: i64,
}

impl Breaks {
    /// Shortest time without a key that is a break, in milliseconds.
    const REST: i64 = 300_000;

    /// Takes note of a key.
    pub fn touch(&mut self, now: Moment) {
        if self.since.is_none() || now.monotonic - self.last >= Breaks::REST {
            self.since = Some(now.monotonic);
        }
        self.last = now.monotonic;
    }

    /// The minutes between breaks, when a reminder is due. The next reminder comes after as many more.
    pub fn due(&mut self) -> Option<u32> {
        let minutes = self.after?;
        let is_due = self.last - self.since? >= i64::from(minutes) * 60_000;
        self.since = self.since.filter(|_| !is_due).or(Some(self.last));
        is_due.then_some(minutes)
    }
}

/// The median of these durations, of two middle ones the lower; `None` where there is no duration.
pub fn typical(durations: &[i64]) -> Option<i64> {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(monotonic: i64) -> Moment {
        Moment { wall: 0, monotonic }
    }

    #[test]
    fn idle_time_and_pauses_do_not_count() {
        let mut clock = ActiveClock::default();
        clock.resume(at(1_000));
        clock.touch(at(31_000));
        assert_eq!(clock.unwritten(), 30_000);
        clock.touch(at(31_000 + 600_000));
        assert_eq!(clock.unwritten(), 150_000, "ten minutes away count as two");
        assert_eq!(clock.take(), 150_000);
        clock.set_paused(true);
        clock.touch(at(900_000));
        clock.set_paused(false);
        clock.touch(at(905_000));
        assert_eq!(clock.unwritten(), 5_000);
        clock.resume(at(2_000_000));
        clock.touch(at(2_001_000));
        assert_eq!(clock.unwritten(), 6_000);
    }

    #[test]
    fn a_break_is_spoken_of_once_and_starts_the_time_anew() {
        let minute = 60_000;
        let mut never = Breaks::default();
        never.touch(at(0));
        never.touch(at(600 * minute));
        assert_eq!(never.due(), None);
        let mut breaks = Breaks { after: Some(50), ..Breaks::default() };
        assert_eq!(breaks.due(), None);
        (0..50).for_each(|passed| breaks.touch(at(passed * minute)));
        assert_eq!(breaks.due(), None, "49 minutes");
        breaks.touch(at(50 * minute));
        assert_eq!((breaks.due(), breaks.due()), (Some(50), None));
        (51..90).for_each(|passed| breaks.touch(at(passed * minute)));
        breaks.touch(at(95 * minute));
        breaks.touch(at(99 * minute));
        (100..145).for_each(|passed| breaks.touch(at(passed * minute)));
        assert_eq!(breaks.due(), None, "49 minutes since the break that ended at 95");
        breaks.touch(at(145 * minute));
        assert_eq!(breaks.due(), Some(50));
    }

    #[test]
    fn typical_is_the_median() {
        assert_eq!(typical(&[]), None);
        assert_eq!(typical(&[9, 1, 5]), Some(5));
        assert_eq!(typical(&[9, 1, 5, 7]), Some(5));
    }
}
