//! Means, medians and shares, with a reason where they do not exist.

pub use crate::agreement::{Measure, Undefined};

/// The key beside `name` that holds the reason where `name` is null: `undefined` for `value`,
/// `citation_undefined` for `citation`.
pub fn undefined_key(name: &str) -> String {
    match name {
        "value" => "undefined".to_owned(),
        _ => format!("{name}_undefined"),
    }
}

/// The sum and count of an arithmetic mean.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean of the values; `reason` without values.
    pub fn or(self, reason: Undefined) -> Measure {
        match self.count {
            0 => Err(reason),
            count => Ok(self.sum / count as f64),
        }
    }
}

impl Extend<f64> for Mean {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        for value in values {
            self.add(value);
        }
    }
}

impl FromIterator<f64> for Mean {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Mean {
        let mut mean = Mean::default();
        mean.extend(values);
        mean
    }
}

/// The median, for an even number the midpoint of the two middle values; `reason` without values.
pub fn median(mut values: Vec<f64>, reason: Undefined) -> Measure {
    values.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&values, reason)
}

/// The median of ascending values.
pub(super) fn median_of_sorted(values: &[f64], reason: Undefined) -> Measure {
    let half = values.len() / 2;
    match (half.checked_sub(1).and_then(|below| values.get(below)), values.get(half)) {
        (Some(below), Some(above)) if values.len().is_multiple_of(2) => Ok(f64::midpoint(*below, *above)),
        (_, Some(middle)) => Ok(*middle),
        (_, None) => Err(reason),
    }
}

/// `part` as a percentage of `whole`; `reason` where `whole` is 0.
pub fn percent(part: usize, whole: usize, reason: Undefined) -> Measure {
    match whole {
        0 => Err(reason),
        _ => Ok(100.0 * part as f64 / whole as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_nothing_is_its_reason() {
        assert_eq!([1.0, 2.0, 6.0].into_iter().collect::<Mean>().or(Undefined::NoScores), Ok(3.0));
        assert_eq!(Mean::default().or(Undefined::NoScores), Err(Undefined::NoScores));
        assert_eq!(median(vec![9.0, 1.0, 2.0], Undefined::NoTimes), Ok(2.0));
        assert_eq!(median(vec![4.0, 1.0], Undefined::NoTimes), Ok(2.5));
        assert_eq!(median(vec![], Undefined::NoTimes), Err(Undefined::NoTimes));
        assert_eq!(percent(1, 4, Undefined::NothingJudged), Ok(25.0));
        assert_eq!(percent(0, 0, Undefined::NothingJudged), Err(Undefined::NothingJudged));
    }
}
