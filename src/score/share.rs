//! How many of how many, with an interval that holds up for few and for shares near 0 and 1.

use super::measure::{Measure, Undefined, percent};

/// The quantile of the normal distribution between which and its negative 95 % lie.
const Z: f64 = 1.959_963_984_540_054;

/// A part of a whole that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    pub part: usize,
    pub of: usize,
}

impl Share {
    /// Counts one more, in the part or not.
    pub fn count(&mut self, is_part: bool) {
        self.of += 1;
        self.part += usize::from(is_part);
    }

    /// The part in a hundred of the whole, or `reason` when there is no whole.
    ///
    /// # Errors
    /// `reason`, when nothing is counted.
    pub fn percent(self, reason: Undefined) -> Measure {
        percent(self.part, self.of, reason)
    }

    /// The ends of the 95 % interval of the share, 0–100; see [`wilson`].
    ///
    /// # Errors
    /// `reason`, when nothing is counted.
    pub fn interval(self, reason: Undefined) -> Result<[f64; 2], Undefined> {
        wilson(self.part as f64, self.of as f64, reason)
    }
}

/// The ends of the 95 % interval of a share, 0–100 (Wilson 1927); the part may be a sum of shares.
///
/// # Errors
/// `reason`, when the whole is 0.
pub fn wilson(part: f64, of: f64, reason: Undefined) -> Result<[f64; 2], Undefined> {
    if of <= 0.0 {
        return Err(reason);
    }
    let (share, square) = (part / of, Z * Z);
    let middle = share + square / (2.0 * of);
    let half = Z * (share * (1.0 - share) / of + square / (4.0 * of * of)).sqrt();
    let end = |value: f64| (100.0 * value / (1.0 + square / of)).clamp(0.0, 100.0);
    // Rounding must not move an end off a bound that it reaches exactly.
    let low = if part <= 0.0 { 0.0 } else { end(middle - half) };
    let high = if part >= of { 100.0 } else { end(middle + half) };
    Ok([low, high])
}

impl FromIterator<bool> for Share {
    fn from_iter<I: IntoIterator<Item = bool>>(parts: I) -> Share {
        let mut share = Share::default();
        parts.into_iter().for_each(|is_part| share.count(is_part));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let near = |share: Share, low: f64, high: f64| {
            let ends = share.interval(Undefined::NothingJudged).expect("something is counted");
            assert!((ends[0] - low).abs() < 1e-6 && (ends[1] - high).abs() < 1e-6, "{ends:?}");
        };
        // z² = 3.841459. None of 10: the middle and the half are both (z²/20) / (1 + z²/10), so the ends are 0 and
        // (z²/10) / (1 + z²/10) = 0.3841459 / 1.3841459 = 0.27753280.
        near(Share { part: 0, of: 10 }, 0.0, 27.753_280);
        near(Share { part: 10, of: 10 }, 100.0 - 27.753_280, 100.0);
        // 2 of 4: the middle is 1/2, the half z / (2 · √(4 + z²)) = 1.9599640 / (2 · 2.8002605) = 0.34996101.
        near(Share { part: 2, of: 4 }, 15.003_899, 84.996_101);
    }

    #[test]
    fn nothing_counted_has_a_reason() {
        let none: Share = [].into_iter().collect();
        assert_eq!(none.percent(Undefined::NothingJudged), Err(Undefined::NothingJudged));
        assert_eq!(none.interval(Undefined::NothingJudged), Err(Undefined::NothingJudged));
        let share: Share = [true, false, false, false].into_iter().collect();
        assert_eq!((share, share.percent(Undefined::NothingJudged)), (Share { part: 1, of: 4 }, Ok(25.0)));
    }
}
