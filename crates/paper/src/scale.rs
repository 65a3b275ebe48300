//! The scale of an axis.

/// The range of an axis, and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisScale {
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<f64>,
    decimals: usize,
}

/// The least number of ticks from which values between them can be read.
const LEAST_TICKS: usize = 3;

/// The most ticks that are tried.
const MOST_TICKS: usize = 8;

impl AxisScale {
    /// A scale of all these numbers, within bounds, with ticks at multiples of 1, 2 or 5 times a power of ten: at least three,
    /// and about `most`. The scale goes on to ticks that lie just beyond the numbers.
    pub fn of(numbers: impl IntoIterator<Item = f64>, bounds: (f64, f64), most: usize) -> AxisScale {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let (mut low, mut high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        if low > high {
            (low, high) = (bounds.0.max(0.0), bounds.1.min(1.0));
        }
        // A little room on both sides, so that no dot lies on the edge; a single number gets a tenth of its size.
        let room = if high > low { (high - low) * 0.05 } else { high.abs().max(1.0) * 0.1 };
        let (from, to) = ((low - room).max(bounds.0.min(low)), (high + room).min(bounds.1.max(high)));
        let (mut length, mut decimals) = step((to - from) / most.max(LEAST_TICKS) as f64);
        loop {
            let near = AxisScale::marked((from, to), length, decimals);
            let wide = (((from / length).floor() * length), ((to / length).ceil() * length));
            let wide = (wide.0.max(bounds.0.min(from)), wide.1.min(bounds.1.max(to)));
            for scale in [near, AxisScale::marked(wide, length, decimals)] {
                // The search also ends at numbers so near each other that floating point has no step between them.
                if scale.ticks.len() >= LEAST_TICKS || length <= to.abs() * f64::EPSILON {
                    return scale;
                }
            }
            // The next lower of 1, 2 and 5 times a power of ten.
            (length, decimals) = step(length * 0.4);
        }
    }

    /// The scale with the most ticks whose labels fit beside each other on a line. `length` gives the length of a label.
    pub fn fitting(
        numbers: impl Iterator<Item = f64> + Clone,
        bounds: (f64, f64),
        line: f32,
        length: impl Fn(&str) -> f32,
    ) -> AxisScale {
        let scale = |most| AxisScale::of(numbers.clone(), bounds, most);
        let fits = |scale: &AxisScale| {
            let widest = scale.ticks.iter().map(|tick| length(&scale.label(*tick))).fold(0.0, f32::max);
            let places = scale.ticks.iter().map(|tick| scale.share(*tick) * line);
            places.clone().zip(places.skip(1)).all(|(one, next)| next - one >= widest)
        };
        (LEAST_TICKS..=MOST_TICKS).rev().map(scale).find(fits).unwrap_or_else(|| scale(LEAST_TICKS))
    }

    fn marked((from, to): (f64, f64), step: f64, decimals: usize) -> AxisScale {
        let first = (from / step - 1e-9).ceil() as i64;
        let last = (to / step + 1e-9).floor() as i64;
        AxisScale { from, to, ticks: (first..=last).map(|tick| tick as f64 * step).collect(), decimals }
    }

    /// The place of a number on the axis: 0 at the beginning, 1 at the end.
    pub fn share(&self, number: f64) -> f32 {
        ((number - self.from) / (self.to - self.from)) as f32
    }

    /// A tick as text.
    pub fn label(&self, tick: f64) -> String {
        number(tick, self.decimals)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this, and the decimals that it needs.
fn step(least: f64) -> (f64, usize) {
    let power = least.log10().floor();
    let unit = 10_f64.powf(power);
    let (factor, power) = match least / unit {
        share if share <= 1.0 + 1e-9 => (1.0, power),
        share if share <= 2.0 + 1e-9 => (2.0, power),
        share if share <= 5.0 + 1e-9 => (5.0, power),
        _ => (1.0, power + 1.0),
    };
    // Powers of ten of numbers in tables are small.
    (factor * 10_f64.powf(power), (-power).max(0.0) as usize)
}

/// A number with so many decimals, with a true minus sign and no negative zero.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let is_zero = text.chars().all(|character| matches!(character, '0' | '.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(numbers: &[f64], bounds: (f64, f64), most: usize) -> Vec<String> {
        let scale = AxisScale::of(numbers.iter().copied(), bounds, most);
        scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(labels(&[23.0, 71.0], (0.0, 100.0), 5), ["20", "40", "60", "80"]);
        assert_eq!(labels(&[0.0, 100.0], (0.0, 100.0), 5), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(&[-0.31, 0.12], (-1.0, 1.0), 5), ["−0.3", "−0.2", "−0.1", "0.0", "0.1"]);
        assert_eq!(labels(&[0.5], (0.0, 1.0), 3), ["0.4", "0.5", "0.6"]);
    }

    #[test]
    fn a_scale_holds_all_numbers_and_keeps_within_its_bounds() {
        let scale = AxisScale::of([2.0, 99.0], (0.0, 100.0), 5);
        assert_eq!((scale.from, scale.to), (0.0, 100.0));
        assert_eq!(scale.share(50.0), 0.5);
        for numbers in [vec![], vec![0.0], vec![7.0, 7.0], vec![f64::NAN]] {
            let scale = AxisScale::of(numbers, (0.0, 100.0), 5);
            assert!(scale.from < scale.to && scale.ticks.len() < 20, "{scale:?}");
        }
    }

    /// Two ticks would not say whether what lies between them is marked by a tenth or by a hundred.
    #[test]
    fn there_are_three_ticks_at_least() {
        assert_eq!(labels(&[37.0, 44.0], (0.0, 100.0), 2), ["35", "40", "45"]);
        assert_eq!(labels(&[96.0, 99.0], (0.0, 100.0), 2), ["94", "96", "98", "100"]);
        for low in 0..100 {
            for reach in [0.0, 0.1, 1.0, 3.0, 17.0, 60.0] {
                let low = f64::from(low) / 1.3;
                let scale = AxisScale::of([low, low + reach], (0.0, 100.0), 2);
                assert!((3..=8).contains(&scale.ticks.len()), "{low} and {reach}: {scale:?}");
                let inner = |tick: &f64| *tick >= scale.from - 1e-9 && *tick <= scale.to + 1e-9;
                assert!(scale.ticks.iter().all(inner) && scale.from >= 0.0 && scale.to <= 137.0);
            }
        }
    }

    #[test]
    fn labels_of_ticks_do_not_touch() {
        let numbers = [0.001, 0.9994];
        let scale =
            AxisScale::fitting(numbers.into_iter(), (-1.0, 1.0), 44.0, |label| 3.5 * label.len() as f32);
        let apart = scale.share(scale.ticks[1]) - scale.share(scale.ticks[0]);
        assert!(apart * 44.0 >= 3.5 * 3.0 && scale.ticks.len() == 3, "{scale:?}");
    }

    #[test]
    fn minus_is_a_minus_and_zero_has_none() {
        assert_eq!(number(-0.25, 1), "−0.2");
        assert_eq!(number(-0.04, 1), "0.0");
    }
}
