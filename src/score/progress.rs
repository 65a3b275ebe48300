//! How quickly someone works, which items took oddly long or short, and how long the rest will take.

use super::measure::{Measure, Undefined, median};

/// Fewer times than this tell no typical one that others could be odd against.
pub const ENOUGH_TIMES: usize = 10;

/// An item is too fast below this share of the median.
pub const FAST: f64 = 0.25;

/// An item is too slow above this multiple of the median.
pub const SLOW: f64 = 4.0;

/// The times that one annotator took.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Median active seconds an item.
    pub median: Measure,
    /// Between which half of the items lie, in active seconds: the medians of the lower and the upper half,
    /// each with the middle value where there is one (Tukey's hinges).
    pub quartiles: Result<[f64; 2], Undefined>,
    /// Items an active hour: 3600 · items / Σ seconds.
    pub per_hour: Measure,
    /// Places of the items below [`FAST`] of the median, the fastest first; none with fewer than
    /// [`ENOUGH_TIMES`].
    pub fast: Vec<usize>,
    /// Places of those above [`SLOW`] times the median, the slowest first.
    pub slow: Vec<usize>,
}

impl Timing {
    /// The timing of items that took so many active seconds each, all above 0.
    pub fn of(seconds: &[f64]) -> Timing {
        let middle = median(seconds.to_vec(), Undefined::NoTimes);
        // From the shortest on, so that the order in which they came changes no digit.
        let mut sorted = seconds.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let total: f64 = sorted.iter().sum();
        let odd = |is: &dyn Fn(f64, f64) -> bool| -> Vec<usize> {
            let Some(middle) = middle.ok().filter(|_| seconds.len() >= ENOUGH_TIMES) else {
                return Vec::new();
            };
            (0..seconds.len()).filter(|at| seconds.get(*at).is_some_and(|time| is(*time, middle))).collect()
        };
        let time = |at: &usize| seconds.get(*at).copied().unwrap_or(0.0);
        let mut fast = odd(&|time, middle| time < FAST * middle);
        fast.sort_by(|one, other| time(one).total_cmp(&time(other)));
        let mut slow = odd(&|time, middle| time > SLOW * middle);
        slow.sort_by(|one, other| time(other).total_cmp(&time(one)));
        Timing {
            median: middle,
            quartiles: quartiles(seconds),
            per_hour: if total > 0.0 {
                Ok(3_600.0 * seconds.len() as f64 / total)
            } else {
                Err(Undefined::NoTimes)
            },
            fast,
            slow,
        }
    }
}

/// Tukey's hinges.
fn quartiles(seconds: &[f64]) -> Result<[f64; 2], Undefined> {
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len().div_ceil(2);
    let lower = sorted.get(..half).unwrap_or_default().to_vec();
    let upper = sorted.get(sorted.len() - half..).unwrap_or_default().to_vec();
    Ok([median(lower, Undefined::NoTimes)?, median(upper, Undefined::NoTimes)?])
}

/// How long so many items will take, in active seconds: as quick as half of them, and between the quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft {
    pub seconds: f64,
    pub low: f64,
    pub high: f64,
}

impl TimeLeft {
    /// The median times the number of items, with the quartiles times that number as the range: what comes
    /// when the rest goes as the quicker and as the slower items did.
    ///
    /// # Errors
    /// There is something left, and no time to go by.
    pub fn of(items: usize, timing: &Timing) -> Result<TimeLeft, Undefined> {
        if items == 0 {
            return Ok(TimeLeft { seconds: 0.0, low: 0.0, high: 0.0 });
        }
        let (median, [low, high]) = (timing.median?, timing.quartiles?);
        let items = items as f64;
        Ok(TimeLeft { seconds: items * median, low: items * low, high: items * high })
    }

    /// Both together, one after the other.
    #[must_use]
    pub fn and(self, other: TimeLeft) -> TimeLeft {
        TimeLeft {
            seconds: self.seconds + other.seconds,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 to 9 and 100 seconds, sorted: median (5 + 6) / 2, hinges 3 and 8; below 1.375 is 1, above 22 is 100.
    #[test]
    fn odd_times_are_told_by_the_median() {
        let seconds = [9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0];
        let timing = Timing::of(&seconds);
        assert_eq!(timing.median, Ok(5.5));
        assert_eq!(timing.quartiles, Ok([3.0, 8.0]));
        assert_eq!((timing.fast, timing.slow), (vec![1], vec![9]));
        // 45 + 100 seconds for 10 items.
        assert_eq!(timing.per_hour, Ok(36_000.0 / 145.0));
        let few = Timing::of(&seconds[..9]);
        assert!(few.fast.is_empty() && few.slow.is_empty(), "nine times tell nothing typical");
        // 1 to 9: the middle one, 5, is in both halves: 1 to 5 and 5 to 9.
        assert_eq!(few.quartiles, Ok([3.0, 7.0]));
    }

    #[test]
    fn nothing_gives_no_time() {
        let none = Timing::of(&[]);
        assert_eq!((none.median, none.per_hour), (Err(Undefined::NoTimes), Err(Undefined::NoTimes)));
        assert_eq!(TimeLeft::of(3, &none), Err(Undefined::NoTimes));
        assert_eq!(TimeLeft::of(0, &none).map(|left| left.seconds), Ok(0.0), "nothing left takes no time");
    }

    /// Three items at 5.5, 3 and 8 seconds each.
    #[test]
    fn the_rest_goes_as_what_is_done() {
        let timing = Timing::of(&[9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0]);
        let left = TimeLeft::of(3, &timing).expect("times");
        assert_eq!(left, TimeLeft { seconds: 16.5, low: 9.0, high: 24.0 });
        assert_eq!(left.and(left).high, 48.0);
    }
}
