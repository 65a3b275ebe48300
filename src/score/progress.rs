//! Timing: the pace of an annotator, items with oddly long or short times, and the time that is left.

use super::{Mean, Measure, Undefined, median_of_sorted};
use crate::agreement::quantile_975;

/// The fewest times from which a typical time, and odd ones, can be told.
pub const ENOUGH_TIMES: usize = 10;

/// An item is too fast below this share of the median.
pub const FAST: f64 = 0.25;

/// An item is too slow above this multiple of the median.
pub const SLOW: f64 = 4.0;

/// The timing of one annotator's items.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Median active seconds an item.
    pub median: Measure,
    /// Quartiles in active seconds: the medians of the lower and the upper half, each with the middle value
    /// where there is one (Tukey's hinges).
    pub quartiles: Result<[f64; 2], Undefined>,
    /// Items an active hour: 3600 · items / Σ seconds.
    pub per_hour: Measure,
    /// The number of items with a known time.
    pub items: usize,
    /// The squared coefficient of variation of the times: e^(s²) − 1, with s the standard deviation of their logarithms.
    /// Times of work are skewed, and for lognormal times logarithms give a better estimate than sums.
    pub spread: Measure,
    /// Places of the items below [`FAST`] of the median, the fastest first; none with fewer than
    /// [`ENOUGH_TIMES`].
    pub fast: Vec<usize>,
    /// Places of the items above [`SLOW`] times the median, the slowest first; none with fewer than [`ENOUGH_TIMES`].
    pub slow: Vec<usize>,
}

impl Timing {
    /// The timing of items, given the active seconds of each, all above 0.
    pub fn of(seconds: &[f64]) -> Timing {
        // Sums go from the shortest time on, so that the order of items changes no digit.
        let mut sorted = seconds.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = median_of_sorted(&sorted, Undefined::NoTimes);
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
            quartiles: quartiles(&sorted),
            per_hour: if total > 0.0 {
                Ok(3_600.0 * seconds.len() as f64 / total)
            } else {
                Err(Undefined::NoTimes)
            },
            items: seconds.len(),
            spread: spread(sorted),
            fast,
            slow,
        }
    }
}

fn spread(mut seconds: Vec<f64>) -> Measure {
    seconds.iter_mut().for_each(|time| *time = time.ln());
    let logs = || seconds.iter().copied();
    let mean = logs().collect::<Mean>().or(Undefined::NoTimes)?;
    match seconds.len() {
        1 => Err(Undefined::TooFewItems),
        count => Ok((logs().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1) as f64).exp_m1()),
    }
}

/// Tukey's hinges of sorted times.
fn quartiles(sorted: &[f64]) -> Result<[f64; 2], Undefined> {
    let half = sorted.len().div_ceil(2);
    let (lower, upper) = (sorted.get(..half), sorted.get(sorted.len() - half..));
    let middle = |part: Option<&[f64]>| median_of_sorted(part.unwrap_or_default(), Undefined::NoTimes);
    Ok([middle(lower)?, middle(upper)?])
}

/// The expected time of items still to judge, in active seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft {
    /// The mean time by the number of items.
    pub seconds: f64,
    /// The variance of `seconds`: that of the times to come, plus that of the estimated mean.
    variance: Measure,
    /// The fewest times behind any of the means.
    times: usize,
}

impl TimeLeft {
    /// No items, so no time.
    pub const NONE: TimeLeft = TimeLeft { seconds: 0.0, variance: Ok(0.0), times: usize::MAX };

    /// The expected time of m items: m · mean, with variance (m · mean)² · [`Timing::spread`] · (1/m + 1/n) from n times.
    ///
    /// # Errors
    /// Items are left, and no times are known.
    pub fn of(items: usize, timing: &Timing) -> Result<TimeLeft, Undefined> {
        if items == 0 {
            return Ok(TimeLeft::NONE);
        }
        let seconds = 3_600.0 * items as f64 / timing.per_hour?;
        let parts = 1.0 / items as f64 + 1.0 / timing.items as f64;
        let variance = timing.spread.map(|spread| seconds.powi(2) * spread * parts);
        Ok(TimeLeft { seconds, variance, times: timing.items })
    }

    /// The 95 % range in seconds, on the scale of logarithms, with Student's t; undefined where only one time is known.
    pub fn range(&self) -> Result<[f64; 2], Undefined> {
        if self.seconds <= 0.0 {
            return Ok([0.0; 2]);
        }
        let reach = quantile_975(self.times as f64 - 1.0) * self.variance?.sqrt() / self.seconds;
        Ok([self.seconds * (-reach).exp(), self.seconds * reach.exp()])
    }

    /// The sum of two times.
    #[must_use]
    pub fn and(self, other: TimeLeft) -> TimeLeft {
        TimeLeft {
            seconds: self.seconds + other.seconds,
            variance: self.variance.and_then(|own| Ok(own + other.variance?)),
            times: self.times.min(other.times),
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

    /// 10 and 40 seconds: 25 on average, logarithms ln 20 ± ln 2, so s² = 2 · (ln 2)² and the spread e^(s²) − 1. Three more
    /// items: 75 seconds with the variance 75² · spread · (1/3 + 1/2), and t(0.975, 1) = 12.7062.
    #[test]
    fn the_rest_takes_the_mean_each() {
        let timing = Timing::of(&[10.0, 40.0]);
        let left = TimeLeft::of(3, &timing).expect("times");
        assert!((left.seconds - 75.0).abs() < 1e-9);
        let spread = (2.0 * 2.0_f64.ln().powi(2)).exp() - 1.0;
        let reach = 12.706_204_736_174_707 * (spread * (1.0 / 3.0 + 0.5)).sqrt();
        let [low, high] = left.range().expect("two times");
        assert!(
            (high / 75.0).ln() - reach < 1e-6 && (low * high - 75.0_f64.powi(2)).abs() < 1e-6,
            "{low} {high}"
        );
        let both = left.and(TimeLeft::NONE).and(left);
        assert!(
            (both.seconds - 150.0).abs() < 1e-9 && both.range().expect("two")[1] < 2.0 * high,
            "not all at once"
        );
        let one = TimeLeft::of(3, &Timing::of(&[7.0])).expect("a time");
        assert!((one.seconds - 21.0).abs() < 1e-9 && one.range() == Err(Undefined::TooFewItems));
        let [low, high] =
            TimeLeft::of(2, &Timing::of(&[8.0; 9])).and_then(|left| left.range()).expect("times");
        assert!((low - 16.0).abs() < 1e-9 && (high - 16.0).abs() < 1e-9, "all alike: {low} {high}");
    }

    /// Numbers of a normal distribution from a fixed seed (SplitMix64, Box–Muller).
    struct Normal(u64);

    impl Normal {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn lognormal(&mut self, sigma: f64) -> f64 {
            let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
            (sigma * radius * (std::f64::consts::TAU * self.uniform()).cos()).exp()
        }
    }

    /// People's times are skewed: with σ 0.8 and 1.0 the median times the items is 27 and 39 % too little.
    #[test]
    fn simulated_work_ends_within_the_range() {
        for (sigma, seed) in [(0.8, 1), (1.0, 2)] {
            for (done, left) in [(10, 40), (30, 10), (60, 200)] {
                let mut draw = Normal(seed);
                let (mut within, mut told, mut took) = (0, 0.0, 0.0);
                const RUNS: usize = 1_000;
                for _ in 0..RUNS {
                    let times: Vec<f64> = (0..done).map(|_| draw.lognormal(sigma)).collect();
                    let rest: f64 = (0..left).map(|_| draw.lognormal(sigma)).sum();
                    let estimate = TimeLeft::of(left, &Timing::of(&times)).expect("times");
                    let [low, high] = estimate.range().expect("times");
                    within += usize::from((low..=high).contains(&rest));
                    (told, took) = (told + estimate.seconds, took + rest);
                }
                let covered = within as f64 / RUNS as f64;
                assert!((0.92..0.99).contains(&covered), "σ {sigma}, {done} done, {left} left: {covered}");
                assert!(
                    (told / took - 1.0).abs() < 0.03,
                    "σ {sigma}, {done} done, {left} left: {}",
                    told / took
                );
            }
        }
    }
}
