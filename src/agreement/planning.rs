//! How much more judging brings an interval to a wanted width.

use super::clusters::{Clusters, Kinds};
use super::coefficient::Interval;
use super::coefficients::Definition;
use super::counts::Counts;
use super::histogram::real;
use super::table::Ratings;
use super::undefined::Undefined;

/// What it takes to bring the half of an interval's width to a wanted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Half the width of the present interval.
    pub half_width: f64,
    /// Items that are rated twice or more now.
    pub items: u64,
    /// How many such items it takes with the same annotators.
    pub items_needed: u64,
    /// How many it takes when each is rated once more.
    pub with_one_more: Result<WithOneMore, Undefined>,
}

/// Items needed when each has one rating more than now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithOneMore {
    /// What is expected; with two annotators the least it can be.
    pub items_needed: u64,
    /// The most it can be, where two annotators cannot tell.
    pub at_most: Option<u64>,
}

impl Plan {
    /// The plan for one coefficient of a table whose present `interval` is given.
    ///
    /// - The width of an interval goes with 1/√(number of clusters), so the items needed go with its square; clusters are
    ///   taken to stay as large as they are.
    /// - The variance of the coefficient over c clusters with r ratings an item is taken as (σ²_items + σ²_raters/r)/c, the
    ///   error variance of a decision study (Brennan 2001, Generalizability Theory, ch. 4). It is estimated by the
    ///   jackknife over clusters (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11), once with all annotators and once
    ///   with each of them left out in turn; these two give both parts, none below 0.
    /// - Two annotators cannot be left out one by one; σ²_items is then anything from 0 to all of the variance, and so are the
    ///   bounds.
    ///
    /// # Errors
    /// Undefined where the interval is.
    pub fn of(
        ratings: &Ratings,
        clusters: &Clusters,
        definition: &Definition,
        interval: Result<Interval, Undefined>,
        wanted: f64,
    ) -> Result<Self, Undefined> {
        let interval = interval?;
        let half_width = (interval.high - interval.low) / 2.0;
        let items = Counts::of(ratings).items_pairable();
        let factor = (half_width / wanted).powi(2);
        let with_one_more = one_more(ratings, clusters, definition).map(|ratio| WithOneMore {
            items_needed: scaled(items, factor * ratio.0),
            at_most: ratio.1.map(|most| scaled(items, factor * most)),
        });
        Ok(Self { half_width, items, items_needed: scaled(items, factor), with_one_more })
    }
}

/// A number of items times a factor, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative; far too many stay far too many"
)]
fn scaled(items: u64, factor: f64) -> u64 {
    // What is whole but for rounding is not rounded up.
    (real(items) * factor - 1e-9).ceil().max(0.0) as u64
}

/// The variance with one rating more an item, as a part of the present one; with two annotators the bounds of it.
fn one_more(
    ratings: &Ratings,
    clusters: &Clusters,
    definition: &Definition,
) -> Result<(f64, Option<f64>), Undefined> {
    let (present, r) = jackknife(ratings, clusters, definition)?;
    let raters = ratings.raters().len();
    if raters < 3 {
        return Ok((r / (r + 1.0), Some(1.0)));
    }
    let without = (0..raters).map(|rater| jackknife(&ratings.without(rater), clusters, definition));
    // Without one of the annotators there may be nothing left to compare.
    let known: Vec<(f64, f64)> = without.filter_map(Result::ok).collect();
    if known.is_empty() || present <= 0.0 {
        return Err(Undefined::TooFewItems);
    }
    let mean = |of: fn(&(f64, f64)) -> f64| known.iter().map(of).sum::<f64>() / real(known.len() as u64);
    let (fewer, inverse) = (mean(|(variance, _)| *variance), mean(|(_, r)| 1.0 / r));
    // present = a + b/r and fewer = a + b·inverse, so far as both parts are at least 0.
    let b = ((fewer - present) / (inverse - 1.0 / r)).clamp(0.0, present * r);
    Ok(((present - b / r + b / (r + 1.0)) / present, None))
}

/// The variance of a coefficient by leaving out each cluster in turn, (c−1)/c Σ (θ₍ᵢ₎ − θ̄)², and the mean number of ratings of
/// a pairable item.
fn jackknife(
    ratings: &Ratings,
    clusters: &Clusters,
    definition: &Definition,
) -> Result<(f64, f64), Undefined> {
    let mut counts = Counts::of(ratings);
    let kinds = Kinds::of(ratings, counts.rows(), clusters);
    if counts.items_pairable() == 0 {
        return Err(Undefined::NoPairableItems);
    }
    let r = real(counts.ratings_pairable()) / real(counts.items_pairable());
    let mut times = kinds.sizes.clone();
    let mut rows = vec![0; counts.rows().multiplicity().len()];
    let mut values = Vec::with_capacity(kinds.sizes.len());
    for kind in 0..kinds.sizes.len() {
        times[kind] -= 1; // no kind is empty
        kinds.add_up(&times, &mut rows);
        times[kind] += 1;
        counts.reweight_rows(&rows);
        let value = definition.value(&counts).ok_or(Undefined::TooFewItems)??;
        values.push((value, real(kinds.sizes[kind])));
    }
    let c = real(kinds.clusters());
    if c < 2.0 {
        return Err(Undefined::TooFewClusters);
    }
    let mean = values.iter().map(|(value, size)| value * size).sum::<f64>() / c;
    let squares: f64 = values.iter().map(|(value, size)| size * (value - mean).powi(2)).sum();
    Ok(((c - 1.0) / c * squares, r))
}

#[cfg(test)]
mod tests {
    use super::super::{Category, RatingsBuilder, Scale};
    use super::*;

    fn table(items: &[&str]) -> Ratings {
        let mut table =
            RatingsBuilder::new(Scale::Nominal, Category::numbered(["a", "b", "c"])).expect("a good schema");
        for (item, row) in items.iter().enumerate() {
            for (rater, label) in row.chars().enumerate() {
                table.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
            }
        }
        table.finish()
    }

    fn definition(name: &str) -> &'static Definition {
        Definition::named(name).expect("in the table")
    }

    /// The jackknife of a mean is its usual variance: of 10 shares, 7 of them 1, Σ (x − 0.7)² = 2.1, over 10 · 9.
    #[test]
    fn the_jackknife_of_a_mean() {
        let ratings = table(&["aa", "aa", "aa", "aa", "bb", "bb", "bb", "ab", "ab", "ba"]);
        let (variance, r) =
            jackknife(&ratings, &Clusters::items(), definition("percent_agreement_items")).expect("defined");
        assert!((variance - 2.1 / 90.0).abs() < 1e-12 && r == 2.0, "{variance} {r}");
    }

    /// Half the width takes four times the items. Two annotators: with a third one at least 2/3 of the variance stays.
    #[test]
    fn items_go_with_the_square_of_the_width() {
        let ratings = table(&["aa", "aa", "aa", "aa", "bb", "bb", "bb", "ab", "ab", "ba"]);
        let plan = Plan::of(
            &ratings,
            &Clusters::items(),
            definition("krippendorff_alpha_nominal"),
            Ok(Interval::analytic(0.2, 0.6)),
            0.1,
        )
        .expect("defined");
        assert_eq!((plan.items, plan.items_needed), (10, 40));
        let more = plan.with_one_more.expect("defined");
        assert_eq!((more.items_needed, more.at_most), (27, Some(40)));
    }

    /// Four annotators say b for a third of the items each, independently of item and each other: the agreement of an item with
    /// r of them has the variance 4(r−2)/(r(r−1)) · 2/81 + 2/(r(r−1)) · 20/81, 0.058 for r = 4 and 0.099 for r = 3. That falls faster
    /// than 1/r, so all of it is the annotators', and a fifth one leaves 4/5.
    #[test]
    fn one_more_annotator_takes_off_what_is_theirs() {
        let says =
            |item: u32, rater: u32| if (item / 3_u32.pow(rater)).is_multiple_of(3) { 'b' } else { 'a' };
        let all: Vec<String> = (0..81).map(|item| (0..4).map(|rater| says(item, rater)).collect()).collect();
        let rows: Vec<&str> = all.iter().map(String::as_str).collect();
        let agreement = definition("percent_agreement_items");
        let (ratio, most) = one_more(&table(&rows), &Clusters::items(), agreement).expect("defined");
        assert!((ratio - 0.8).abs() < 1e-9 && most.is_none(), "{ratio}");
        // Items on which all agree or nobody does: any two annotators say as much as three, and a fourth adds nothing.
        let rows: Vec<&str> = (0..20).map(|item| if item % 2 == 0 { "aaa" } else { "abc" }).collect();
        let (ratio, _) = one_more(&table(&rows), &Clusters::items(), agreement).expect("defined");
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn no_interval_no_plan() {
        let ratings = table(&["aa"]);
        let alpha = definition("krippendorff_alpha_nominal");
        let plan = Plan::of(&ratings, &Clusters::items(), alpha, Err(Undefined::TooFewClusters), 0.05);
        assert_eq!(plan, Err(Undefined::TooFewClusters));
    }
}
