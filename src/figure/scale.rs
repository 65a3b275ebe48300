//! Numbers on an axis.

/// What numbers lie between, and where it is marked.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisScale {
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<f64>,
    decimals: usize,
}

impl AxisScale {
    /// A scale that has all these numbers on it, within bounds, with a tick at 1, 2 or 5 times a power of ten and no more
    /// ticks than these.
    pub fn of(numbers: impl IntoIterator<Item = f64>, bounds: (f64, f64), most: usize) -> AxisScale {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let (mut low, mut high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        if low > high {
            (low, high) = (bounds.0.max(0.0), bounds.1.min(1.0));
        }
        // A little room on both sides, so that no dot lies on the edge; one number has some of its own size around it.
        let room = if high > low { (high - low) * 0.05 } else { high.abs().max(1.0) * 0.1 };
        let (from, to) = ((low - room).max(bounds.0.min(low)), (high + room).min(bounds.1.max(high)));
        let (step, decimals) = step((to - from) / most.max(2) as f64);
        let first = (from / step - 1e-9).ceil() as i64;
        let last = (to / step + 1e-9).floor() as i64;
        AxisScale { from, to, ticks: (first..=last).map(|tick| tick as f64 * step).collect(), decimals }
    }

    /// Where a number lies: 0 at the beginning, 1 at the end.
    pub fn share(&self, number: f64) -> f32 {
        ((number - self.from) / (self.to - self.from)) as f32
    }

    /// A tick as text.
    pub fn label(&self, tick: f64) -> String {
        number(tick, self.decimals)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below this, and the decimals that it needs.
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

/// A number with so many decimals, a true minus and never a negative zero.
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
        assert_eq!(labels(&[23.0, 71.0], (0.0, 100.0), 5), ["40", "60"]);
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

    #[test]
    fn minus_is_a_minus_and_zero_has_none() {
        assert_eq!(number(-0.25, 1), "−0.2");
        assert_eq!(number(-0.04, 1), "0.0");
    }
}
