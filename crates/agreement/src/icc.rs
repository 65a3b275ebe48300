//! Intraclass correlations of ratings on a scale: the share of the variance that lies between items.
//!
//! Over the n items that all k raters rated: MS_B between items, MS_J between raters, MS_E the rest. Two-way random effects,
//! absolute agreement (Shrout & Fleiss 1979, Psychological Bulletin 86:420; McGraw & Wong 1996, Psychological Methods 1:30):
//! ICC(2,1) = (MS_B − MS_E)/(MS_B + (k−1) MS_E + k(MS_J − MS_E)/n) for one rater,
//! ICC(2,k) = (MS_B − MS_E)/(MS_B + (MS_J − MS_E)/n) for the mean of all k. Neither is cut at 0. Sums of squares are whole
//! numbers, so that zeros are exact.

use std::collections::BTreeSet;

use super::{
    Category, Counts, Interval, Measure, Placed, PlacedMeasure, Precision, Undefined, fisher, ratio, real,
    short, signed_short,
};

/// The raters that the number is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatedBy {
    /// ICC(2,1): one rater.
    One,
    /// ICC(2,k): the mean of all raters.
    All,
}

/// Mean squares over the items that all raters rated, all times one number.
struct MeanSquares {
    items: f64,
    raters: f64,
    /// Between items.
    between: f64,
    /// Between raters.
    judges: f64,
    /// The rest.
    error: f64,
}

/// ICC(2,1) or ICC(2,k).
///
/// # Errors
/// Undefined with fewer than two raters, fewer than two items that all rated, where all ratings are equal, and where the variance
/// that it divides by is not above 0.
pub fn icc(counts: &Counts, rated_by: RatedBy) -> Measure {
    MeanSquares::of(counts)?.correlation(rated_by)
}

/// The correlation beside −1, below which values over few items may lie.
pub(super) fn placed(counts: &Counts, rated_by: RatedBy) -> PlacedMeasure {
    icc(counts, rated_by).map(|value| Placed { value, lowest: -1.0 })
}

/// The items that all raters rated.
pub(super) fn complete(counts: &Counts) -> u64 {
    let raters = raters(counts).len();
    let rows =
        counts.rows().iter(counts.table()).filter(|(row, _)| raters > 0 && row.count() as usize == raters);
    rows.map(|(_, items)| items).sum()
}

/// The raters who rated anything, ascending.
pub(super) fn raters(counts: &Counts) -> Vec<usize> {
    let rows = counts.rows().iter(counts.table()).filter(|(_, times)| *times > 0);
    let raters: BTreeSet<usize> = rows.flat_map(|(row, _)| row.ratings().map(|(rater, _)| rater)).collect();
    raters.into_iter().collect()
}

/// The interval of Shrout & Fleiss 1979, p. 424, with Satterthwaite's degrees of freedom; that of ICC(2,k) by
/// x → kx/(1 + (k−1)x).
///
/// Undefined where the value is, where the variance between items or the error variance is 0, and where the value is so far
/// below 0 that the ends pass each other by.
pub fn precision(counts: &Counts, rated_by: RatedBy) -> Precision {
    let interval = MeanSquares::of(counts).and_then(|squares| squares.interval(rated_by));
    Precision { interval: Some(interval), ..Precision::default() }
}

impl MeanSquares {
    fn of(counts: &Counts) -> Result<Self, Undefined> {
        let table = counts.table();
        let present = raters(counts);
        let raters = present.len();
        Undefined::TooFewRaters.when(raters < 2)?;
        let codes = whole(table.categories());
        let (mut items, mut sum, mut squares, mut of_items) = (0_u64, 0, 0, 0);
        let mut of_raters = vec![0_i128; table.raters().len()];
        for (row, times) in counts.rows().iter(table).filter(|(_, times)| *times > 0) {
            if row.count() as usize != raters {
                continue;
            }
            let times_whole = i128::from(times);
            let mut of_item = 0;
            for (rater, category) in row.ratings() {
                let code = codes[usize::from(category)]; // a rating is one of the categories
                of_item += code;
                squares += times_whole * code * code;
                of_raters[rater] += times_whole * code; // a rater of the table
            }
            items += times;
            sum += times_whole * of_item;
            of_items += times_whole * of_item * of_item;
        }
        Undefined::TooFewItems.when(items < 2)?;
        let (n, k) = (i128::from(items), i128::from(short(raters)));
        // Each times n k.
        let all = n * k * squares - sum * sum;
        let between = n * of_items - sum * sum;
        let judges = k * of_raters.iter().map(|sum| sum * sum).sum::<i128>() - sum * sum;
        Undefined::ZeroVariance.when(all == 0)?;
        Ok(Self {
            items: real(items),
            raters: ratio(k, 1),
            between: ratio(between, n - 1),
            judges: ratio(judges, k - 1),
            error: ratio(all - between - judges, (n - 1) * (k - 1)),
        })
    }

    fn correlation(&self, rated_by: RatedBy) -> Measure {
        let Self { items, raters, between, judges, error } = self;
        let shift = (judges - error) / items;
        let below = match rated_by {
            RatedBy::One => between + (raters - 1.0) * error + raters * shift,
            RatedBy::All => between + shift,
        };
        if below <= 0.0 { Err(Undefined::NonpositiveDenominator) } else { Ok((between - error) / below) }
    }

    fn interval(&self, rated_by: RatedBy) -> Result<Interval, Undefined> {
        let Self { items: n, raters: k, between, judges, error } = *self;
        Undefined::ZeroErrorVariance.when(error <= 0.0)?;
        Undefined::ZeroItemVariance.when(between <= 0.0)?;
        let value = self.correlation(rated_by)?;
        let (r, of_judges) = (self.correlation(RatedBy::One)?, judges / error);
        let u = n * (1.0 + (k - 1.0) * r) - k * r;
        let v = (n - 1.0) * (k - 1.0) * (k * r * of_judges + u).powi(2)
            / ((n - 1.0) * (k * r * of_judges).powi(2) + u * u);
        let (a, b) = (fisher::quantile_975(n - 1.0, v), fisher::quantile_975(v, n - 1.0));
        let c = k * judges + (k * n - k - n) * error;
        let low = n * (between - a * error) / (a * c + n * between);
        let high = n * (b * between - error) / (c + n * b * between);
        let of_all = |x: f64| k * x / (1.0 + (k - 1.0) * x);
        let (low, high) = match rated_by {
            RatedBy::One => (low, high),
            RatedBy::All => (of_all(low), of_all(high)),
        };
        // Far below 0 the ends pass each other by.
        let holds = low.is_finite() && high.is_finite() && low <= value && value <= high;
        if holds { Ok(Interval::formula(low, high)) } else { Err(Undefined::NonpositiveDenominator) }
    }
}

/// The codes as whole numbers, moved and stretched, which changes no correlation: exact for decimals.
fn whole(categories: &[Category]) -> Vec<i128> {
    /// Decimals that are kept; more of them are rounding.
    const MOST: usize = 9;
    let lowest = categories.iter().map(|category| category.code).fold(f64::INFINITY, f64::min);
    let text = |category: &Category| format!("{}", category.code);
    let decimals = |text: String| text.split_once('.').map_or(0, |(_, behind)| behind.len());
    let most = categories.iter().map(text).map(decimals).max().unwrap_or(0).min(MOST);
    let fits = categories.iter().all(|category| (category.code - lowest).abs() < 1e6);
    let widest = categories.iter().map(|category| category.code - lowest).fold(0.0, f64::max);
    let stretch = if fits { 10_f64.powi(signed_short(most)) } else { 1e9 / widest };
    let whole = |category: &Category| nearest((category.code - lowest) * stretch);
    categories.iter().map(whole).collect()
}

/// The whole number nearest to one below 1e15.
#[expect(clippy::cast_possible_truncation, reason = "it has no decimals, and a float of this size is exact")]
fn nearest(number: f64) -> i128 {
    number.round() as i128
}
